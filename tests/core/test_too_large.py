"""What no memory holds is refused, and what else is pending is computed all the same."""

from __future__ import annotations

import pytest

import functorch_lite as torch

MADE = {
    "linspace": lambda n: torch.linspace(0, 1, n),
    "logspace": lambda n: torch.logspace(0, 1, n),
    "zeros": lambda n: torch.zeros(n),
    "full": lambda n: torch.full((n,), 2.0),
    "ones_like": lambda n: torch.ones_like(torch.zeros(1).expand(n)),
    "arange": lambda n: torch.arange(n),
    "eye": lambda n: torch.eye(n, 2),
    "rand": lambda n: torch.rand(n),
    "new_zeros": lambda n: torch.zeros(1).new_zeros(n),
}


@pytest.mark.parametrize("name", MADE)
def test_held_by_its_traceback(name):
    pending = torch.arange(4.0) * 2
    with pytest.raises(
        RuntimeError, match="can't allocate memory"
    ) as caught:  # which holds the frames, and what is in them
        MADE[name](2**40)
    assert pending.sum().item() == 12.0
    assert caught.value is not None


@pytest.mark.parametrize(
    "make",
    [
        lambda n: torch.zeros(2, 0).mvlgamma(n),
        lambda n: torch.range(0, n, dtype=torch.float64),
        lambda n: torch.nn.functional.pad(torch.ones(1, 3), (n, 0), mode="replicate"),
        lambda n: torch.nn.functional.interpolate(torch.ones(1, 1, 3), n),
        lambda n: torch.nn.functional.adaptive_avg_pool1d(torch.ones(1, 1, 3), n),
    ],
)
def test_tables_larger_than_memory(make):
    with pytest.raises(torch.OutOfMemoryError):
        make(2**42)


def test_a_result_larger_than_memory():
    """XLA's own way to say so is to let whoever reads the program's results wait for ever, or to end the process."""
    line = torch.linspace(0, 1, 2**38 - 1)
    other = torch.arange(4.0) * 2
    with pytest.raises(torch.OutOfMemoryError, match="can't allocate memory"):
        line.numpy()
    assert other.sum().item() == 12.0
    with pytest.raises(RuntimeError, match=r"failed before.*can't allocate memory"):
        line[3].item()


def test_what_is_only_passed_on_need_not_fit():
    line = torch.arange(2**36)
    assert line[5:7].sum().item() == 11
    del line
    assert torch.zeros(2).sum().item() == 0


def test_a_large_expansion_that_is_held_is_not_written_out():
    scale = torch.arange(3.0)
    wide = scale[:, None].expand(3, 2**34)
    total = wide[:, :5].sum()
    assert total.item() == 15.0
    scale.mul_(2)  # the view shows it
    assert wide[1:, 7].tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        wide.add_(1)


@pytest.mark.parametrize(
    "make",
    [
        lambda F, x, w: F.unfold(x, 2, dilation=2**40, padding=2**39),
        lambda F, x, w: F.conv2d(x, w, padding="same", dilation=2**40),
        lambda F, x, w: F.conv2d(x.to(torch.complex64), w.to(torch.complex64), padding=2**39, dilation=2**40),
        lambda F, x, w: F.conv_transpose2d(x, w, stride=2**40, padding=2**39),
        lambda F, x, w: F.conv_transpose2d(x, w, dilation=2**40, padding=2**39),
    ],
)
def test_arrays_on_the_way_to_a_small_result(make):
    """XLA ends the process at sizes whose product has more than 63 bits."""
    with pytest.raises(RuntimeError, match=r"allocate memory|overflow"):
        make(torch.nn.functional, torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2))


def test_windows_far_larger_than_the_input():
    x = torch.arange(9.0).view(1, 1, 3, 3)
    assert torch.nn.functional.max_pool2d(x, 2**20, padding=2**19).item() == 8.0
    assert torch.nn.functional.avg_pool2d(x, 2**20, padding=2**19).item() == pytest.approx(36 / 2**40)
