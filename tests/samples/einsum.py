"""Samples of functorch_lite/ops/einsum.py."""

from __future__ import annotations

from tests.samples.base import Sample
from tests.samples.views import b, f, i

_BAD = [
    ("ij,jk", [f(2, 3), f(4, 5)], "einsum(): subscript j has size 4 for operand 1 which does not broadcast"),
    ("ij->ij", [f(2, 3, 4)], "einsum(): the number of subscripts in the equation (2) does not match"),
    (
        "ij->ik",
        [f(2, 3)],
        "einsum(): output subscript k does not appear in the equation for any input operand",
    ),
    ("ij->ii", [f(2, 3)], "einsum(): output subscript i appears more than once in the output"),
    ("ij,jk", [f(2, 3)], "einsum(): fewer operands were provided than specified in the equation"),
    ("i", [f(2), f(3)], "einsum(): more operands were provided than specified in the equation"),
    ("ii", [f(2, 3)], "einsum(): subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
    ("i$", [f(2)], "einsum(): invalid subscript given at index 1 in the equation string"),
    ("...ij...", [f(2, 2)], "einsum(): found '.' for operand 0 for which an ellipsis was already found"),
    (
        "i...j",
        [f(2)],
        "einsum(): the number of subscripts in the equation (2) is more than the number of dimensions",
    ),
    ("ij,jk", [f(2, 3), f(3, 2, dtype="float32")], "expected scalar type Double but found Float"),
]

SAMPLES: dict[str, list[Sample]] = {
    "einsum": [
        Sample("ij,jk->ik", [f(2, 3), f(3, 4, seed=1)]),
        Sample("ij,jk", [f(2, 1), f(3, 4, seed=1)]),
        Sample("ba", [f(2, 3)]),
        Sample("bA", [i(2, 3)]),
        Sample("ii->i", [f(3, 3)]),
        Sample("ii", [f(3, 3)]),
        Sample("...i->i", [f(2, 3)]),
        Sample("...ij,...jk->...ik", [f(2, 1, 2, 3), f(3, 3, 2, seed=1)]),
        Sample("i...,j...->ij", [f(2, 3), f(4, 3, seed=1)]),
        Sample(" i j , j k , k -> i ", [f(2, 3), f(3, 4, seed=1), f(4, seed=2)]),
        Sample("i,->i", [f(3), i()]),
        Sample("ij->", [i(2, 3, dtype="int32")]),
        Sample("ij,k->ik", [i(2, 3, dtype="int32"), i(2, dtype="int32")]),
        Sample("i,i->i", [b(3), b(3, seed=1)]),
        Sample("bn,anm,bm->ba", [f(2, 3), f(2, 3, 4, seed=1), f(2, 4, seed=2)]),
        Sample("ij,jk->ik", [f(2, 3, dtype="complex128"), f(3, 2, seed=1, dtype="complex128")]),
        *[Sample(equation, operands).raises(RuntimeError, sentence) for equation, operands, sentence in _BAD],
    ],
    "tensordot": [
        Sample(f(2, 3), f(2, 3, seed=1)),
        Sample(f(2, 3, 2), f(2, 4, seed=1), 1),
        Sample(f(2, 3), f(2, seed=1), 0),
        Sample(f(2, 3, 4), f(4, 2, 2, seed=1), ([2, 0], [0, 1])),
        Sample(f(2, 1), f(3, 4, seed=1), ([1], [0])),
        Sample(i(2, 3), i(3, 2, seed=1), 1),
        Sample(f(2, 3), f(3, 4), ([1], [1])).raises(
            RuntimeError,
            "contracted dimensions need to match, but first has size 3 in dim 1 and second has size 4 in dim 1",
        ),
        Sample(f(2, 3), f(3, 4), -1).raises(RuntimeError, "tensordot expects dims >= 0, but got dims=-1"),
        Sample(f(2, 3), f(3, 4), ([1], [0, 1])).raises(
            RuntimeError, "both dimension lists should have same length"
        ),
    ],
}
