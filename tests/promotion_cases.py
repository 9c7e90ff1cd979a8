"""The cases of test_promotion: every pair of dtypes, as tensors, 0-d tensors and Python numbers, for ops of each kind.

Works with real torch and with ours: `torch` is passed in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

DTYPES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip
NUMBERS = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}
OPS = ("add", "mul", "div", "pow", "where", "eq", "lt", "add_", "radd", "rmul", "rtruediv")
KINDS = (
    "tensor tensor",
    "tensor zero",
    "zero tensor",
    "zero zero",
    "tensor number",
    "zero number",
    "number tensor",
    "number zero",
)


def cases() -> Iterator[tuple[str, str, str, str]]:
    """(op, kinds of the operands, left dtype or number type, right one)."""
    for op in OPS:
        for kinds in KINDS:
            left, right = kinds.split()
            reflected = op in ("radd", "rmul", "rtruediv")
            if (left == "number" and op not in ("pow", "where") and not reflected) or (
                reflected and left != "number"
            ):
                continue
            for a in NUMBERS if left == "number" else DTYPES:
                for b in NUMBERS if right == "number" else DTYPES:
                    yield op, kinds, a, b


def operands(torch: Any, op: str, kinds: str, left: str, right: str) -> Any:
    """The result of a case."""

    def make(kind: str, what: str) -> Any:
        if kind == "number":
            return NUMBERS[what]
        return torch.ones(() if kind == "zero" else (2,), dtype=getattr(torch, what))

    a, b = (make(kind, what) for kind, what in zip(kinds.split(), (left, right)))
    if op == "where":
        return torch.where(torch.ones(2 if kinds != "zero zero" else (), dtype=torch.bool), a, b)
    if op in ("radd", "rmul", "rtruediv"):
        return getattr(b, f"__{op}__")(a)
    if op == "add_":
        return a.add_(b)
    return getattr(torch, op)(a, b)
