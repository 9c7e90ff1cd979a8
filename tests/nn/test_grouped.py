"""Products in groups, and torch.embedding_bag with its tables: values, gradients, what PyTorch refuses."""

from __future__ import annotations

import itertools

import pytest

import functorch_lite as ours

OFFSETS = [0, 2, 2, 5]


def grouped(torch, a, b, ends=None, **options):
    """nn.functional.grouped_mm of ones of these shapes."""
    offs = None if ends is None else torch.tensor(ends, dtype=options.pop("offs_dtype", torch.int32))
    a, b = (
        torch.ones(*a, dtype=options.pop("a_dtype", None)),
        torch.ones(*b, dtype=options.pop("b_dtype", None)),
    )
    return torch.nn.functional.grouped_mm(a, b, offs=offs, **options)


CALLS = {
    "int64": lambda t: grouped(t, (8, 4), (2, 4, 4), [4, 8], offs_dtype=t.int64),
    "no offsets": lambda t: grouped(t, (8, 4), (2, 4, 4)),
    "offsets of 3-d": lambda t: grouped(t, (2, 4, 4), (2, 4, 4), [4, 8]),
    "offsets of 2 dims": lambda t: grouped(t, (8, 4), (2, 4, 4), [[4, 8]]),
    "three groups": lambda t: grouped(t, (8, 4), (2, 4, 4), [4, 6, 8]),
    "batches": lambda t: grouped(t, (3, 4, 4), (2, 4, 4)),
    "contraction": lambda t: grouped(t, (8, 8), (2, 4, 4), [4, 8]),
    "aligned": lambda t: grouped(t, (8, 3), (2, 3, 4), [4, 8]),
    "aligned half": lambda t: grouped(t, (8, 4), (2, 4, 4), [4, 8], a_dtype=t.float16, b_dtype=t.float16),
    "one dim": lambda t: grouped(t, (4,), (2, 4, 4), [4, 8]),
    "four dims": lambda t: grouped(t, (8, 4), (1, 2, 4, 4), [4, 8]),
    "double": lambda t: grouped(t, (8, 4), (2, 4, 4), [4, 8], b_dtype=t.float64),
    "mixed": lambda t: grouped(t, (8, 8), (2, 8, 8), [4, 8], b_dtype=t.float16),
    "out_dtype": lambda t: grouped(t, (8, 4), (2, 4, 4), [4, 8], out_dtype=t.bfloat16),
    "bias": lambda t: grouped(t, (8, 4), (2, 4, 4), [4, 8], bias=t.ones(4)),
    "strides": lambda t: t.nn.functional.grouped_mm(t.ones(8, 8)[:, ::2], t.ones(2, 4, 4), offs=t.tensor([4, 8], dtype=t.int32)),
    "right": lambda t: grouped(t, (8, 4), (2, 4, 4), [4, 8], out_dtype=t.float32).tolist(),
    "transposed": lambda t: t._grouped_mm(t.ones(4, 8).t(), t.ones(2, 8, 4).mT, t.tensor([4, 8], dtype=t.int32)).tolist(),
    "of offsets": lambda t: t.embedding_bag(t.ones(6, 2), t.tensor([1, 2]), t.tensor([[0]])),
    "of weights": lambda t: t.embedding_bag(t.ones(6, 2), t.tensor([1, 2]), t.tensor([0]), False, 0, False, t.ones(3)),
    "weights of mean": lambda t: t.embedding_bag(t.ones(6, 2), t.tensor([1, 2]), t.tensor([0]), False, 1, False, t.ones(2)),
    "mode": lambda t: t.embedding_bag(t.ones(6, 2), t.tensor([1, 2]), t.tensor([0]), False, 3),
    "of the table": lambda t: t.embedding_bag(t.ones(6), t.tensor([1, 2]), t.tensor([0])),
    "no offset": lambda t: t.embedding_bag(t.ones(6, 2), t.tensor([1, 2]), t.tensor([], dtype=t.int64), False, 0, False, None, True),
}  # fmt: skip


def told(torch, name: str):
    """What a call gives or raises."""
    try:
        return CALLS[name](torch)
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parity
@pytest.mark.parametrize("name", CALLS)
def test_calls_beside_torch(name):
    torch = pytest.importorskip("torch")
    assert told(ours, name) == told(torch, name)


def rounded(t):
    """A tensor's values; floating point ones without their last digits."""
    return [float(f"{x:.5g}") for x in t.flatten().tolist()] if t.is_floating_point() else t.tolist()


def bags(torch, mode: int, last: bool, padding: int | None, weighted: bool, taped: bool, dtype: str):
    """What torch.embedding_bag gives, and the gradients where its derivative is defined."""
    kind = getattr(torch, dtype)
    table = (torch.arange(12.0).reshape(6, 2) % 7).to(kind).requires_grad_(taped)
    indices, offsets = torch.tensor([1, 2, 4, 5, 4, 3]), torch.tensor(OFFSETS)
    weights = torch.tensor([0.5, 1, 2, 3, 4, 5], dtype=kind) if weighted else None
    out = torch.embedding_bag(table, indices, offsets, False, mode, False, weights, last, padding)
    found = [(rounded(t), str(t.dtype).rpartition(".")[2], t.requires_grad) for t in out]
    if (
        taped and not last
    ):  # in PyTorch what lies behind the last offset gets gradients that depend on the kernel
        (out[0] * out[0]).sum().backward()
        found.append(rounded(table.grad))
    return found


@pytest.mark.parity
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_bags_and_their_tables_beside_torch(mode):
    torch = pytest.importorskip("torch")
    weighted = (False, True) if mode == 0 else (False,)
    for case in itertools.product((False, True), (None, 4), weighted, (False, True), ("float32", "float64")):
        assert bags(ours, mode, *case) == bags(torch, mode, *case), case


def test_rows_beyond_the_last_group_are_zero_and_other_groups_do_not_leak():
    a, b = ours.ones(4, 4, requires_grad=True), ours.ones(2, 4, 4)
    b[1] = float("nan")
    out = ours.nn.functional.grouped_mm(a, b, offs=ours.tensor([2, 3], dtype=ours.int32))
    assert out[:2].tolist() == [[4.0] * 4] * 2
    assert out[2].isnan().all()
    assert out[3].tolist() == [0.0] * 4


def test_maxima_of_bags_with_nan_and_with_indices_out_of_range():
    table = ours.tensor([[float("nan"), 1.0], [2.0, 3.0], [4.0, float("nan")]])
    offsets = ours.tensor([0, 2])
    out = ours.nn.functional.embedding_bag(ours.tensor([1, 0, 2, 1]), table, offsets, mode="max")
    assert out[0].tolist() == [2.0, 3.0]
    assert out[1, 0] == 4.0
    assert out[1, 1].isnan()  # it is the first of its bag
    outside = ours.tensor([1, 9, 2, 1]) + 0
    out = ours.nn.functional.embedding_bag(outside, table[1:2].expand(3, 2) + 0, offsets, mode="max")
    with pytest.raises(RuntimeError, match=r"value 9 which is not in the valid range \[0, 3\)"):
        out.tolist()
    assert out[0].isnan().all()
    assert out[1].tolist() == [2.0, 3.0]
