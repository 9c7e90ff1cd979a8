"""Neural tangent kernels: products of the Jacobians of two samples' outputs, and the model linearized in its
parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core.api import Tensor, tidied
from .._core.api import functions as torch
from ..api_names import listed
from ._layers import tapped
from ._models import Parameters, model_function, refuse_batch_norm, refuse_dropout
from ._trees import flatten, unflatten
from .curvature import Jacobian
from .curvature.operators import Operator
from .derivatives import jvp
from .per_sample import _held_of
from .vmap import vmap

__all__ = ["NTK", "linearized", "ntk"]
__dir__ = listed(__name__)

METHODS = ("auto", "structured", "jacobian", "products")
CONTRACTIONS = (None, "trace", "diagonal")


@tidied
def ntk(
    model: Any, params: Any, x1: Any, x2: Any = None, *, contract: str | None = None, method: str = "auto"
) -> Tensor:
    """The empirical neural tangent kernel K[n, m, a, b] = sum over parameters of dz_a(x1_n) dz_b(x2_m), (N1, N2, C, C);
    x2 None: of x1 with itself.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        params: the parameters: a tree of tensors, such as a dict by name.
        x1: the first inputs, with the samples in the first dim.
        x2: the second inputs. None (the default) takes `x1`.
        contract: "trace" sums over a = b, "diagonal" keeps a = b. None (the default) keeps all
            outputs.
        method: "structured" (also "auto") uses Jacobians parameter by parameter and never forms
            those of linear layers; "jacobian" forms whole Jacobians; "products" computes columns
            of J J^T. Default: "auto".

    Raises RuntimeError for a BatchNorm in training mode and an active Dropout, ValueError for unknown words.

    >>> model = lambda w, x: x @ w
    >>> ntk.ntk(model, torch.ones(2, 1), torch.tensor([[1., 2.], [0., 1.]]), contract="trace")
    tensor([[5., 2.],
            [2., 1.]])

    Source: Jacot, Gabriel & Hongler, arXiv 1806.07572; Novak, Sohl-Dickstein & Schoenholz, arXiv 2206.08720.
    """
    if method not in METHODS:
        raise ValueError(f"ntk: method must be one of {', '.join(METHODS)}, got {method!r}")
    if contract not in CONTRACTIONS:
        raise ValueError(f"ntk: contract must be None, 'trace' or 'diagonal', got {contract!r}")
    refuse_batch_norm("ntk", model)
    refuse_dropout("ntk", model)
    if method in ("jacobian", "products"):
        return _contracted(_whole(model, params, x1, x2, method), contract)
    rows = jacobian_factors(model, params, x1)
    columns = rows if x2 is None else jacobian_factors(model, params, x2)
    total = None
    for p, row in rows.items():
        part = _of_parameter(row, columns[p], contract)
        total = part if total is None else total + part
    return total  # type: ignore[return-value]


def jacobian_factors(model: Any, params: Any, x: Any) -> dict[int, Any]:
    """Factors of each parameter's Jacobian: its rows (N, C, numel), or (a, g), (N, C, fan in) and (N, C, fan out), of
    which they are outer products."""
    call, p = model_function(model), Parameters("ntk", params)
    data, structure = flatten(x)

    def of_one(data: Sequence[Tensor]) -> Any:
        def func(leaves: list[Tensor], others: list) -> tuple[Tensor, Any]:
            x = unflatten(structure, [t[None] for t in others[:-1]])
            return (call(p.of(leaves), x).reshape(-1) * others[-1]).sum(), ()

        size = call(p.tree, unflatten(structure, [t[None] for t in data])).numel()
        basis = torch.eye(size, dtype=p.leaves[0].dtype, device=p.leaves[0].device)
        return vmap(lambda e: _held_of(tapped(func, p.leaves, [*data, e])))(basis)

    return vmap(of_one, randomness="same")(data)


_WRITTEN = {None: "nmab", "trace": "nm", "diagonal": "nma"}


def _of_parameter(row: Any, column: Any, contract: str | None) -> Tensor:
    out = _WRITTEN[contract]
    b = "b" if contract is None else "a"
    if not isinstance(row, tuple):
        return torch.einsum(f"nap,m{b}p->{out}", row, column)
    (a, g), (c, h) = row, column
    # what a layer reads is the same for all outputs
    read = a[:, 0] @ c[:, 0].mT
    slopes = torch.einsum(f"nai,m{b}i->{out}", g, h)
    return slopes * read.reshape(*read.shape, *[1] * (slopes.dim() - 2))


def _contracted(K: Tensor, contract: str | None) -> Tensor:
    if contract is None:
        return K
    diagonal = torch.diagonal(K, dim1=2, dim2=3)
    return diagonal.sum(-1) if contract == "trace" else diagonal


def _count(x: Any) -> int:
    return flatten(x)[0][0].shape[0]


def _operator(model: Any, params: Any, x: Any) -> Jacobian:
    return Jacobian(model, params, [(x, torch.zeros(_count(x)))], check=False)


def _whole(model: Any, params: Any, x1: Any, x2: Any, method: str) -> Tensor:
    first = _operator(model, params, x1)
    second = first if x2 is None else _operator(model, params, x2)
    if method == "jacobian":
        J = first.to_dense()
        K = J @ (J if x2 is None else second.to_dense()).mT
    else:
        columns = torch.eye(second.shape[0], dtype=first.dtype, device=first.device)
        K = first @ (second.T @ columns)
    n, m = _count(x1), _count(x1 if x2 is None else x2)
    return K.reshape(n, K.shape[0] // n, m, K.shape[1] // m).movedim(2, 1)


class NTK(Operator):
    """The kernel of x with itself as an operator, (N * C, N * C), which is never formed: J J^T. `@` takes vectors,
    columns, and outputs (N, C).

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        params: the parameters: a tree of tensors, such as a dict by name.
        x: the inputs of the samples, with the samples in the first dim.
        check: whether an active Dropout raises RuntimeError. Default: True.

    Raises RuntimeError for a BatchNorm in training mode, and for an active Dropout unless check=False.

    >>> model = lambda w, x: x @ w
    >>> ntk.NTK(model, torch.ones(2, 1), torch.tensor([[1., 2.], [0., 1.]])) @ torch.ones(2)
    tensor([7., 3.])
    """

    def __init__(self, model: Any, params: Any, x: Any, *, check: bool = True):
        refuse_batch_norm("NTK", model)
        refuse_dropout("NTK", model, check)
        self.model, self.x = model, x
        self.jacobian = _operator(model, params, x)
        self.parameters = self.jacobian.parameters

    @property
    def shape(self) -> tuple[int, int]:
        """(N * C, N * C)."""
        return self.jacobian.shape[0], self.jacobian.shape[0]

    def __matmul__(self, v: Any) -> Any:
        if isinstance(v, Tensor) and v.dim() > 1 and v.numel() == self.shape[0]:
            return super().__matmul__(v.reshape(-1)).reshape(v.shape)
        return super().__matmul__(v)

    def _times(self, columns: Tensor) -> Tensor:
        return self.jacobian._times(self.jacobian.T._times(columns))

    def _parts(self) -> tuple[list, Any]:
        return [self.parameters.tree, self.x], self.model

    @classmethod
    def _made(cls, children: Sequence[Any], rest: Any) -> Operator:
        return cls(rest, *children, check=False)


def linearized(model: Any, params: Any) -> Callable[[Any, Any], Any]:
    """The model's first-order Taylor expansion at params: a function (params', x) -> f(params, x) + J (params' -
    params), itself a model.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        params: the parameters: a tree of tensors, such as a dict by name.

    >>> f = ntk.linearized(lambda w, x: w ** 2 * x, torch.tensor(1.))
    >>> f(torch.tensor(1.5), torch.tensor(2.))
    tensor(4.)
    """
    call, p = model_function(model), Parameters("linearized", params)

    def f(moved: Any, x: Any) -> Any:
        delta = p.of([new - old for new, old in zip(p.checked(moved), p.leaves)])
        value, along = jvp(lambda tree: call(tree, x), (p.tree,), (delta,))
        a, structure = flatten(value)
        return unflatten(structure, [u + v for u, v in zip(a, flatten(along)[0])])

    return f
