"""Linear operators: matrices that are known by their products, and what is made of them: sums, multiples, transposes.

An operator takes a tree like the parameters, a vector in flat order, or a matrix of columns, and gives the same kind.
It is a container of its parameters and data, so that it can be an argument of a function that is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._core.api import Noting, Tensor, flush, from_array, namespace, requires_grad, state
from ..._core.api import functions as torch
from .._models import Parameters
from .._trees import NODES, Node, flatten
from ..vmap import vmap

__all__ = [
    "Identity",
    "Operator",
    "Scaled",
    "Sum",
    "basis_columns",
    "cholesky",
    "differentiated",
    "identity",
    "pause",
]

linalg = namespace("linalg")

COLUMNS = 64
"""How many columns of a matrix that is wanted whole are computed at a time."""


def pause() -> None:
    """Between the steps of a loop over batches, or of a solver: what was recorded is dispatched, so that equal steps
    share one program."""
    if not is_part():
        flush()


def is_part() -> bool:
    """Returns whether what is recorded becomes part of something: of a transform's function, or of what torch.compile
    replays."""
    return bool(state.here.rec.level) or Noting.made is not None


def differentiated(*trees: Any) -> bool:
    """Returns whether what is computed of these trees may be differentiated: as part of something, or because they are on a
    tape."""
    return is_part() or (
        state.grad and any(requires_grad(t) for t in flatten(trees)[0] if isinstance(t, Tensor))
    )


def cholesky(M: Tensor) -> Tensor:
    """The lower factor of a positive definite matrix; as part of something it is not read whether it is one, and others
    give nan."""
    return linalg.cholesky_ex(M)[0] if is_part() else linalg.cholesky(M)


def basis_columns(size: int, at: Sequence[int], like: Tensor) -> Tensor:
    """The columns of the identity at these places, made without a program."""
    columns = np.zeros((size, len(at)), like._aval.dtype.np)
    columns[list(at), np.arange(len(at))] = 1
    return from_array(columns, on=like._aval.device)


class Operator:
    """A matrix known by its products. All operators in this library are symmetric, except for a Jacobian.

    parameters: the parameters to which the columns belong (and the rows, where it is square). A class defines
    `_times`, the product with a matrix of columns in flat order; `_parts`, the values it is built from; and `_made`,
    how it is built again.
    """

    parameters: Parameters

    # -- what a class says -----------------------------------------------------------------------------------------

    def _times(self, columns: Tensor) -> Tensor:
        """The product with (columns of self, k)."""
        raise TypeError(f"{type(self).__name__} says nothing of its products")

    def _parts(self) -> tuple[list, Any]:
        """(trees of tensors, the rest), of which `_made` makes it again."""
        raise TypeError(
            f"{type(self).__name__}: this operator is not a pytree, because its class does not define _parts and _made"
        )

    @classmethod
    def _made(cls, children: Sequence[Any], rest: Any) -> Operator:
        raise TypeError(
            f"{cls.__name__}: this operator is not a pytree, because its class does not define _parts and _made"
        )

    def __init_subclass__(cls) -> None:
        NODES[cls] = Node(lambda op: op._parts(), cls._made)

    # -- what all have ---------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        n = self.parameters.size
        return n, n

    @property
    def dtype(self) -> Any:
        """The parameters' dtype."""
        return self.parameters.leaves[0].dtype

    @property
    def device(self) -> Any:
        """The parameters' device."""
        return self.parameters.leaves[0].device

    @property
    def T(self) -> Operator:
        """The transpose."""
        return self

    def __matmul__(self, v: Any) -> Any:
        """The product with a tree like params, a flat vector, or (columns, k).

        Raises ValueError with both shapes, or the keys that differ.
        """
        if (isinstance(v, Tensor) and not isinstance(self.parameters.tree, Tensor)) or _is_flat(
            v, self.shape[1]
        ):
            if v.dim() not in (1, 2) or v.shape[0] != self.shape[1]:
                raise ValueError(
                    f"{type(self).__name__}: a matrix of shape {self.shape} cannot be multiplied with shape {tuple(v.shape)}"
                )
            return self._times(v) if v.dim() == 2 else self._times(v[:, None])[:, 0]
        return self._times_tree(self.parameters.checked(v))

    def _times_tree(self, leaves: list[Tensor]) -> Any:
        """The product with a tree, by its leaves."""
        return self._as_rows(self._times(self.parameters.flat(leaves)[:, None])[:, 0])

    def _as_rows(self, flat: Tensor) -> Any:
        """A result for a tree: a tree, where the rows are parameters."""
        return (
            self.parameters.of(self.parameters.split(flat)) if self.shape[0] == self.parameters.size else flat
        )

    def columns(self, at: Sequence[int]) -> Tensor:
        """Columns of the matrix, at these places in flat order."""
        parts = []
        for k in range(0, len(at), COLUMNS):
            parts.append(
                self._times(basis_columns(self.shape[1], at[k : k + COLUMNS], self.parameters.leaves[0]))
            )
            pause()
        return torch.cat(parts, 1) if len(parts) > 1 else parts[0]

    def to_dense(self) -> Tensor:
        """The matrix, as a tensor."""
        return self.columns(range(self.shape[1]))

    def diagonal(self) -> Tensor:
        """The diagonal, exactly: by as many products as there are columns, where the structure tells no more."""
        n, parts = self.shape[1], []
        for k in range(0, n, COLUMNS):
            at = range(k, min(k + COLUMNS, n))
            parts.append(torch.diagonal(self.columns(at)[k : k + COLUMNS]))
        return torch.cat(parts)

    def trace(self) -> Tensor:
        """The trace, exactly."""
        return self.diagonal().sum()  # type: ignore[attr-defined]

    def frobenius_norm_squared(self) -> Tensor:
        """The sum of the squares of all entries, exactly."""
        n, total = self.shape[1], None
        for k in range(0, n, COLUMNS):
            part = self.columns(range(k, min(k + COLUMNS, n))).square().sum()  # type: ignore[attr-defined]
            total = part if total is None else total + part
        return total  # type: ignore[return-value]

    def block(self, row_name: str, col_name: str) -> Tensor:
        """The rows of one parameter and the columns of another, by their keys in params: (numel, numel). KeyError for
        other keys."""
        rows, cols = self._span(row_name), self._span(col_name)
        return self.columns(range(*cols))[rows[0] : rows[1]]

    def _span(self, name: str) -> tuple[int, int]:
        names = self.parameters.names
        if name not in names:
            raise KeyError(
                f"{type(self).__name__}: expected the name of a parameter, but got {name!r}; the names are {', '.join(names)}"
            )
        i = names.index(name)
        first = sum(self.parameters.sizes[:i])
        return first, first + self.parameters.sizes[i]

    def submatrix(self, rows: Sequence[int], cols: Sequence[int]) -> Tensor:
        """The entries at these rows and columns, in flat order: (rows, columns)."""
        return self.columns(list(map(int, cols)))[list(map(int, rows))]

    def to_scipy(self) -> Any:
        """A scipy.sparse.linalg.LinearOperator of numpy arrays. ImportError without scipy."""
        from scipy.sparse.linalg import LinearOperator

        def matmat(v: np.ndarray) -> np.ndarray:
            with_dtype = torch.tensor(np.ascontiguousarray(v)).to(self.dtype).to(self.device)
            return (self @ with_dtype).detach().numpy()  # type: ignore[attr-defined]

        def rmatmat(v: np.ndarray) -> np.ndarray:
            with_dtype = torch.tensor(np.ascontiguousarray(v)).to(self.dtype).to(self.device)
            return (self.T @ with_dtype).detach().numpy()  # type: ignore[attr-defined]

        kind = self.parameters.leaves[0]._aval.dtype.np
        return LinearOperator(
            self.shape, matvec=lambda v: matmat(v.reshape(-1)), matmat=matmat, rmatvec=lambda v: rmatmat(v.reshape(-1)),
            rmatmat=rmatmat, dtype=kind,
        )  # fmt: skip

    # -- algebra ---------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Operator:
        if not isinstance(other, Operator):
            return NotImplemented
        return Sum(self, other)

    def __sub__(self, other: Any) -> Operator:
        if not isinstance(other, Operator):
            return NotImplemented
        return Sum(self, Scaled(-1.0, other))

    def __mul__(self, scale: Any) -> Operator:
        if isinstance(scale, Operator) or (isinstance(scale, Tensor) and scale.dim()):  # type: ignore[attr-defined]
            return NotImplemented
        return Scaled(scale, self)

    __rmul__ = __mul__

    def __neg__(self) -> Operator:
        return Scaled(-1.0, self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self.shape})"


def _is_flat(v: Any, n: int) -> bool:
    return isinstance(v, Tensor) and v.dim() in (1, 2) and v.shape[0] == n


class Identity(Operator):
    """The identity, of whatever size it is added to: `op + 0.1 * identity`."""

    def __init__(self) -> None:
        pass

    @property
    def shape(self) -> Any:
        """None before it is added to something."""
        return None

    def _times(self, columns: Tensor) -> Tensor:
        return columns

    def __repr__(self) -> str:
        return "identity"

    def _parts(self) -> tuple[list, Any]:
        return [], None

    @classmethod
    def _made(cls, children: Sequence[Any], rest: Any) -> Operator:
        return identity


identity = Identity()


class Scaled(Operator):
    """A multiple of an operator, by a number or a tensor of no dims."""

    def __init__(self, scale: Any, op: Operator):
        self.scale, self.op = scale, op
        if not isinstance(op, Identity):
            self.parameters = op.parameters

    @property
    def shape(self) -> Any:
        """Shape of the operator."""
        return self.op.shape

    @property
    def T(self) -> Operator:
        """The transpose."""
        return Scaled(self.scale, self.op.T)

    def _times(self, columns: Tensor) -> Tensor:
        return self.op._times(columns) * self.scale

    def diagonal(self) -> Tensor:
        """The diagonal."""
        return self.op.diagonal() * self.scale

    def _parts(self) -> tuple[list, Any]:
        return [self.scale, self.op], None

    @classmethod
    def _made(cls, children: Sequence[Any], rest: Any) -> Operator:
        return cls(*children)


class Sum(Operator):
    """The sum of two operators. ValueError where their shapes differ."""

    def __init__(self, a: Operator, b: Operator):
        shapes = [op.shape for op in (a, b) if op.shape is not None]
        if len(shapes) == 2 and shapes[0] != shapes[1]:
            raise ValueError(f"operators of shapes {shapes[0]} and {shapes[1]} cannot be added")
        if not shapes:
            raise ValueError("identities alone have no size: add them to an operator")
        self.a, self.b = a, b
        self.parameters = (a if a.shape is not None else b).parameters

    @property
    def shape(self) -> Any:
        """Shape of both."""
        return self.a.shape if self.a.shape is not None else self.b.shape

    @property
    def T(self) -> Operator:
        """The transpose."""
        return Sum(self.a.T, self.b.T)

    def _times(self, columns: Tensor) -> Tensor:
        return self.a._times(columns) + self.b._times(columns)

    def _parts(self) -> tuple[list, Any]:
        return [self.a, self.b], None

    @classmethod
    def _made(cls, children: Sequence[Any], rest: Any) -> Operator:
        return cls(*children)


def mapped(f: Callable[[Tensor], Tensor], columns: Tensor) -> Tensor:
    """f of a vector, of each of the columns: one of them is not mapped over."""
    if columns.shape[1] == 1:
        return f(columns[:, 0])[:, None]
    return vmap(f, in_dims=1, out_dims=1)(columns)
