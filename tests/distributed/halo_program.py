"""Run by test_halo.py in a process with four devices: convolutions and pooling along cut dimensions, beside one device.
`--random SEED COUNT` draws as many cases."""

from __future__ import annotations

import random
import sys
from typing import Any

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite.distributed.device_mesh import init_device_mesh
from functorch_lite.distributed.tensor import Replicate, Shard, distribute_tensor
from functorch_lite.distributed.tensor.debug import CommDebugMode

line = init_device_mesh("cpu", (4,), mesh_dim_names=("w",))
square = init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "b"))


def numbers(shape: tuple[int, ...], seed: int, dtype: Any = torch.float64) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def compared(
    fn: Any,
    shapes: list,
    mesh: Any,
    placed: list,
    dtype: Any = torch.float64,
    tolerance: float = 1e-11,
    twice: bool = False,
) -> dict[str, int]:
    """Result and gradients of a function on a mesh beside one device's: the first tensor has these placements, the
    others are replicated, and the result is placed as the first tensor. Gives the collectives that ran."""
    plain = [numbers(s, i, dtype) for i, s in enumerate(shapes)]
    alone = [t.clone().requires_grad_() for t in plain]
    spread = [
        distribute_tensor(t, mesh, placed if i == 0 else [Replicate()] * mesh.ndim).requires_grad_()
        for i, t in enumerate(plain)
    ]
    want = fn(*alone)
    weights = numbers(tuple(want.shape), 7, dtype)
    on_mesh = distribute_tensor(weights, mesh, placed)
    with CommDebugMode() as comm:
        got = fn(*spread)
        got.local_tensors()
        assert got.placements == tuple(placed), got.placements
        grads = torch.autograd.grad((got * on_mesh).sum(), spread, create_graph=twice)
        for g in grads:
            g.local_tensors()
    grads_alone = torch.autograd.grad((want * weights).sum(), alone, create_graph=twice)
    pairs = [(got, want), *zip(grads, grads_alone)]
    if twice:
        second = torch.autograd.grad(sum([(g**2).sum() for g in grads]), spread, allow_unused=True)
        second_alone = torch.autograd.grad(sum([(g**2).sum() for g in grads_alone]), alone, allow_unused=True)
        pairs += [(a, b) for a, b in zip(second, second_alone, strict=True) if b is not None]
    for g, leaf in zip(grads, spread):
        assert g.placements == leaf.placements, (g.placements, leaf.placements)
    for a, b in pairs:
        error = (a.detach().full_tensor() - b.detach()).abs().max().double().item()
        assert (
            a.shape == b.shape
            and a.dtype == b.dtype
            and error <= tolerance * max(1.0, b.detach().abs().max().double().item())
        ), error
    return comm.get_comm_counts()


def conv(n: int = 2, **options: Any) -> Any:
    return lambda *tensors: getattr(F, f"conv{n}d")(*tensors, **options)


def only_borders(counts: dict[str, int]) -> None:
    """Borders are exchanged, gradients of weights added up, and nothing else moves."""
    assert set(counts) == {"permute", "all_reduce"}, counts


def test_strides_dilations_groups_and_widths():
    for channels, kernel, options, width in (
        (4, 3, {"padding": 1}, 16),
        (1, 7, {"padding": 3, "groups": 4}, 7),  # wider than what a neighbour has
        (4, 3, {"stride": 2, "padding": 1}, 14),
        (4, 3, {"stride": 3}, 23),
        (4, 3, {"dilation": 3, "padding": "same"}, 10),
        (4, 4, {"padding": "same"}, 13),
        (2, 5, {"stride": 2, "padding": 2, "dilation": 2, "groups": 2}, 17),
    ):
        shapes = [(2, 4, 9, width), (4, channels, 3, kernel), (4,)]
        options = {"padding": 1, **options} if options.get("padding") != "same" else options
        options = {k: (1, v) if k == "stride" else v for k, v in options.items()}
        only_borders(compared(conv(**options), shapes, line, [Shard(3)]))


def test_no_border_is_needed():
    for shapes, options in (
        ([(2, 3, 8, 32), (8, 3, 4, 4), (8,)], {"stride": 4}),
        ([(2, 4, 6, 14), (8, 4, 2, 2), (8,)], {"stride": 2}),
        ([(2, 4, 6, 7), (8, 4, 1, 1)], {}),
    ):
        assert set(compared(conv(**options), shapes, line, [Shard(3)])) == {"all_reduce"}


def test_other_dimensions():
    only_borders(compared(conv(padding=1), [(2, 4, 11, 5), (4, 4, 3, 3)], line, [Shard(2)]))
    only_borders(compared(conv(padding=1), [(2, 3, 9, 7), (4, 3, 3, 3), (4,)], square, [Shard(2), Shard(3)]))
    only_borders(compared(conv(padding=1), [(3, 3, 5, 7), (4, 3, 3, 3), (4,)], square, [Shard(0), Shard(3)]))
    only_borders(compared(conv(padding=1), [(2, 3, 5, 8), (4, 3, 3, 3)], square, [Shard(3), Shard(3)]))
    only_borders(compared(conv(padding=1), [(3, 5, 9), (4, 3, 3, 3), (4,)], line, [Shard(2)]))
    only_borders(compared(conv(1, padding=2), [(2, 3, 13), (4, 3, 5)], line, [Shard(2)]))
    only_borders(compared(conv(3, padding=1), [(1, 2, 4, 4, 9), (2, 2, 3, 3, 3)], line, [Shard(4)]))
    only_borders(
        compared(conv(padding=1), [(2, 3, 5, 9), (4, 3, 3, 3), (4,)], line, [Shard(3)], torch.float32, 1e-5)
    )
    only_borders(
        compared(conv(padding=1), [(2, 3, 5, 9), (4, 3, 3, 3), (4,)], line, [Shard(3)], torch.bfloat16, 1e-2)
    )


def test_second_derivatives():
    shapes = [(2, 3, 5, 9), (4, 3, 3, 3), (4,)]
    compared(
        lambda x, w, b: F.conv2d(x, w, b, stride=(1, 2), padding=1).tanh(),
        shapes,
        line,
        [Shard(3)],
        twice=True,
    )


def test_weights_that_are_cut():
    x, w = numbers((2, 4, 6, 9), 0), numbers((8, 4, 3, 3), 1)
    for placed in ([Shard(0)], [Shard(1)]):
        out = F.conv2d(distribute_tensor(x, line, [Shard(3)]), distribute_tensor(w, line, placed), padding=1)
        assert (out.full_tensor() - F.conv2d(x, w, padding=1)).abs().max() < 1e-12
    out = F.conv2d(
        distribute_tensor(x, square, [Shard(3), Replicate()]),
        distribute_tensor(w, square, [Replicate(), Shard(0)]),
        padding=1,
    )
    assert (out.full_tensor() - F.conv2d(x, w, padding=1)).abs().max() < 1e-12


def test_pooling():
    for fn in (
        lambda x: F.max_pool2d(x, 3, 2, 1),
        lambda x: F.max_pool2d(x, (1, 2)),
        lambda x: F.max_pool2d(x, 3, 1, 1, 1),
        lambda x: F.avg_pool2d(x, 3, 1, 1),
        lambda x: F.avg_pool2d(x, (2, 3), (1, 2)),
    ):
        for width in (16, 11):
            assert "all_gather_into_tensor" not in compared(fn, [(2, 3, 6, width)], line, [Shard(3)])
    assert "all_gather_into_tensor" not in compared(
        lambda x: F.max_pool1d(x, 3, 1, 1), [(2, 3, 13)], line, [Shard(2)]
    )
    whole = numbers((2, 3, 6, 16), 0)
    x = distribute_tensor(-whole.abs() - 1, line, [Shard(3)])
    for fn in (
        lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
        lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True)[1].double(),
        lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        lambda x: F.avg_pool2d(x, 3, 2, 1, divisor_override=5),
    ):
        assert (fn(x).full_tensor() - fn(-whole.abs() - 1)).abs().max() < 1e-12


def drawn(seed: int, count: int) -> None:
    """Random convolutions."""
    draw = random.Random(seed)
    for k in range(count):
        groups, kernel = draw.choice([1, 1, 2, 4]), (draw.randint(1, 3), draw.randint(1, 7))
        options = {
            "stride": (draw.randint(1, 2), draw.randint(1, 4)), "dilation": (1, draw.randint(1, 3)), "groups": groups,
            "padding": (draw.randint(0, 2), draw.randint(0, 4)),
        }  # fmt: skip
        size = (draw.randint(5, 9), draw.randint(4, 40))
        out = (size[1] + 2 * options["padding"][1] - options["dilation"][1] * (kernel[1] - 1) - 1) // options[
            "stride"
        ][1] + 1
        if out < 4:
            continue
        shapes = [(2, 4, *size), (4, 4 // groups, *kernel), (4,)]
        try:
            counts = compared(conv(**options), shapes, line, [Shard(3)])
            assert "all_gather_into_tensor" not in counts, counts
        except AssertionError as error:
            print(k, "WRONG", shapes, options, error, flush=True)
    print("drawn")


if sys.argv[1:2] == ["--random"]:
    drawn(int(sys.argv[2]), int(sys.argv[3]))
else:
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(name, "ok", flush=True)
