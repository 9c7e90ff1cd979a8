"""Placements: what a tensor's numbers are along one dimension of a mesh. `Shard`, `Replicate` and `Partial`."""

from __future__ import annotations

__all__ = ["REDUCTIONS", "Partial", "Placement", "Replicate", "Shard", "partial_of"]

REDUCTIONS = ("sum", "avg", "max", "min", "product")
"""How the parts of a Partial make one tensor."""


class Placement:
    """Placement of a tensor along one dimension of a mesh. Equal by value, hashable."""

    __slots__ = ()

    def is_shard(self, dim: int | None = None) -> bool:
        """Returns whether it is a Shard, of this dimension if one is given."""
        return False

    def is_replicate(self) -> bool:
        """Returns whether it is Replicate."""
        return False

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Returns whether it is a Partial, of this reduction if one is given."""
        return False


class Shard(Placement):
    """Dimension `dim` of the tensor is cut over the mesh's, as `torch.chunk` cuts: 5 rows over 4 devices are 2, 2, 1
    and 0.

    >>> Shard(0)
    Shard(dim=0)
    """

    __slots__ = ("dim",)

    def __init__(self, dim: int):
        self.dim = dim

    def is_shard(self, dim: int | None = None) -> bool:
        return dim is None or dim == self.dim

    def __eq__(self, other: object) -> bool:
        return type(other) is Shard and other.dim == self.dim

    def __hash__(self) -> int:
        return hash((Shard, self.dim))

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"


class Replicate(Placement):
    """Every device along the mesh's dimension has the whole of it."""

    __slots__ = ()

    def is_replicate(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return type(other) is Replicate

    def __hash__(self) -> int:
        return hash(Replicate)

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


class Partial(Placement):
    """Every device has a part as large as the tensor; the tensor is their sum, average, maximum, minimum or product.

    >>> Partial("max")
    Partial(max)
    """

    __slots__ = ("reduce_op",)

    def __init__(self, reduce_op: str = "sum"):
        if reduce_op not in REDUCTIONS:
            raise ValueError(f"Partial: reduce_op must be one of {', '.join(REDUCTIONS)}, not {reduce_op!r}")
        self.reduce_op = reduce_op

    def is_partial(self, reduce_op: str | None = None) -> bool:
        return reduce_op is None or reduce_op == self.reduce_op

    def __eq__(self, other: object) -> bool:
        return type(other) is Partial and other.reduce_op == self.reduce_op

    def __hash__(self) -> int:
        return hash((Partial, self.reduce_op))

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"


class _NormPartial(Partial):
    """Every device has the norm of a part; the tensor is the norm of these. Only ops give it."""

    __slots__ = ()

    def __init__(self) -> None:
        self.reduce_op = "norm"

    def __eq__(self, other: object) -> bool:
        return type(other) is _NormPartial

    def __hash__(self) -> int:
        return hash(_NormPartial)

    def __repr__(self) -> str:
        return "_NormPartial(2)"

    def __str__(self) -> str:
        return "_NormP(2)"

    def __reduce__(self) -> tuple:
        return (_NormPartial, ())


def partial_of(reduction: str) -> Partial:
    """The Partial of a reduction, which may be "norm" too."""
    return _NormPartial() if reduction == "norm" else Partial(reduction)
