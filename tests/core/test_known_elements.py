"""Reading elements of tensors whose numbers are known: no program runs, and the recording is left as it was."""

from __future__ import annotations

import random

import pytest

import functorch_lite as torch
from functorch_lite import nn, optim
from functorch_lite._core.lazy.recorder import state
from functorch_lite._core.run import executor
from tests.core.counting import counted

ROOTS = {
    "given": lambda: torch.tensor([3.0, 1.0, 4.0, 1.0, 5.0, 9.0]),
    "computed": lambda: _computed(torch.arange(6.0) * 2),
    "reshaped": lambda: _computed(torch.arange(6.0).reshape(2, 3) + 1),
}
READS = {
    "item": lambda t, i: t.reshape(-1)[i].item(),
    "float": lambda t, i: float(t.view(-1)[-i]),
    "numpy": lambda t, i: t.reshape(-1)[i : i + 1].numpy()[0],
    "list": lambda t, i: t.reshape(2, 3)[i % 2].tolist()[1],
    "element": lambda t, i: t.reshape(2, 3)[i % 2, i % 3].item(),
    "loop": lambda t, i: sum(float(x) for x in t.reshape(-1)[: i + 1]),
}


def _computed(t):
    t.sum().item()
    return t


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("read", READS)
def test_reads_run_nothing(root, read):
    t = ROOTS[root]()
    array = t.numpy()
    pending = torch.ones(2) + 1
    before, path = executor.stats["runs"], len(state.rec.path)
    for i in range(5):
        expected = READS[read](torch.tensor(array), i)
        assert READS[read](t, i) == expected == READS[read](torch.tensor(array.tolist()), i)
    assert executor.stats["runs"] == before and len(state.rec.path) == path
    assert pending.tolist() == [2.0, 2.0]


def test_a_varying_number_of_reads_compiles_nothing():
    model = nn.Linear(4, 4)
    opt = optim.SGD(model.parameters(), lr=0.1)
    table, x = torch.arange(20.0), torch.ones(2, 4)
    choose = random.Random(0)

    def step(reads):
        total = sum(table[choose.randrange(20)].item() for _ in range(reads))
        loss = model(x).pow(2).sum()
        total += sum(table[choose.randrange(20)].item() for _ in range(reads))
        opt.zero_grad()
        loss.backward()
        opt.step()
        return loss.item() + total

    for _ in range(4):
        step(2)
    with counted() as compiles:
        for _ in range(10):
            step(choose.randrange(8))
    assert compiles.n == 0


def test_a_view_that_was_read_goes_on():
    """It is recorded again where it is needed, sees writes to its base, and passes them on."""
    x = torch.zeros(3)
    part = x[1]
    assert part.item() == 0
    x[1] = 5.0
    assert part.item() == 5
    part.add_(1)
    assert (part * 2).item() == 12 and x.tolist() == [0, 6, 0]
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    second = w[1]
    assert second.item() == 2
    (second * second).backward()
    assert w.grad.tolist() == [0, 4]


def test_what_is_pending_is_kept():
    """An op that is needed, or taped, is not taken back with the element behind it."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    table = torch.tensor([7.0, 8.0])
    loss = (w[0] * 3).exp()
    assert table[1].item() == 8
    loss.backward()
    torch.testing.assert_close(w.grad, torch.tensor([3 * torch.tensor(3.0).exp().item(), 0.0]))
    kept = table[0]
    assert table[1].item() == 8 and (kept + 1).item() == 8
