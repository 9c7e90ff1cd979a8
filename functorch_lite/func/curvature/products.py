"""Products with second derivatives of one function: hvp, vhp, ggnvp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core.api import Tensor, tidied
from .._models import check_scalar, model_function
from .._trees import flatten
from ..derivatives import grad_and_value, jvp, vjp

__all__ = ["ggnvp", "hvp", "vhp"]


def _check(who: str, primals: Any, tangents: Any) -> None:
    a, b = flatten(primals), flatten(tangents)
    if a[1] != b[1]:
        raise ValueError(f"{who}: the tangents are not a tree like the primals: {b[1]} is not {a[1]}")
    for x, v in zip(a[0], b[0]):
        if not isinstance(x, Tensor) or not isinstance(v, Tensor):
            raise ValueError(f"{who}: primals and tangents must hold tensors only")
        if not x._aval.taped:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if tuple(x.shape) != tuple(v.shape):
            raise ValueError(f"{who}: a primal has shape {tuple(x.shape)}, its tangent {tuple(v.shape)}")


@tidied
def hvp(func: Callable, primals: tuple, tangents: tuple) -> tuple[Tensor, Any]:
    """(func(*primals), the product of its Hessian with the tangents), forward over reverse, as autograd.functional.hvp
    orders them.

    primals and tangents: tuples of trees of tensors, of the same shapes; the product is a tuple like them (the tree
    itself, if it is one argument). Raises ValueError where the trees differ, RuntimeError where func gives no scalar.

    Args:
        func: a function of trees of tensors that returns a scalar.
        primals: the arguments: a tuple of trees, or one tree.
        tangents: the direction: of the same structure and shapes.

    >>> curvature.hvp(lambda x: (x ** 3).sum(), (torch.tensor([1., 2.]),), (torch.ones(2),))
    (tensor(9.), tensor([ 6., 12.]))

    Source: Pearlmutter, "Fast exact multiplication by the Hessian", 1994.
    """
    primals, tangents = _tuple(primals), _tuple(tangents)
    _check("hvp", primals, tangents)
    every = tuple(range(len(primals)))
    (_, value), (product, _) = jvp(grad_and_value(func, every), primals, tangents)
    return value, product[0] if len(product) == 1 else product


def _tuple(x: Any) -> tuple:
    return x if isinstance(x, tuple) else (x,)


def vhp(func: Callable, primals: tuple, tangents: tuple) -> tuple[Tensor, Any]:
    """(func(*primals), the product of vectors with its Hessian): equal to `hvp`, the Hessian being symmetric.

    Args:
        func: a function of trees of tensors that returns a scalar.
        primals: the arguments: a tuple of trees, or one tree.
        tangents: the vectors: of the same structure and shapes.

    >>> curvature.vhp(lambda x: x[0] * x[1], (torch.tensor([3., 4.]),), (torch.tensor([1., 0.]),))
    (tensor(12.), tensor([0., 1.]))
    """
    return hvp(func, primals, tangents)


@tidied
def ggnvp(model: Any, loss: Callable, primals: Any, tangents: Any) -> tuple[Tensor, Any]:
    """(loss(model(primals)), the product of J^T H J with the tangents): J the Jacobian of the model, H the Hessian of
    the loss in its outputs.

    primals and tangents: such trees; so is the product. Raises ValueError where the trees differ, RuntimeError if the
    loss is not a scalar.

    Args:
        model: a function of one tree of parameters.
        loss: a function of the outputs of the model that returns a scalar.
        primals: the parameters: a tree of tensors.
        tangents: the direction: such a tree.

    >>> curvature.ggnvp(lambda w: w ** 2, lambda z: (z ** 2).sum(), torch.tensor([1., 2.]), torch.ones(2))
    (tensor(17.), tensor([ 8., 32.]))

    Source: Schraudolph, "Fast curvature matrix-vector products", 2002.
    """
    _check("ggnvp", (primals,), (tangents,))
    call = model if callable(model) else model_function(model)
    outputs, pushed = jvp(call, (primals,), (tangents,))
    (_, value), (bent, _) = jvp(grad_and_value(lambda z: check_scalar(loss(z))), (outputs,), (pushed,))
    _, pull = vjp(call, primals)
    return value, pull(bent)[0]
