"""Influence of training samples on test losses: -g_test^T (C + damping)^-1 g_train, C being a matrix of curvature.

Source: Koh & Liang, arXiv 1703.04730; Grosse et al., arXiv 2308.03296 (EKFAC)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core.api import Tensor, tidied
from .._core.api import functions as torch
from ..api_names import listed
from ._models import Data, Parameters, check_reduction, losses_of, model_function, refuse_batch_norm
from ._trees import flatten
from .curvature import EKFAC, GGN, KFAC, Hessian, solve
from .curvature.operators import Operator, pause
from .derivatives import jvp
from .per_sample import gradients
from .vmap import vmap

__all__ = ["influence", "self_influence"]
__dir__ = listed(__name__)

OPERATORS = {"GGN": GGN, "Hessian": Hessian, "KFAC": KFAC, "EKFAC": EKFAC}


def _operator(
    who: str, operator: Any, model: Any, loss: Any, params: Any, train: Any, reduction: str
) -> Operator:
    if isinstance(operator, Operator):
        return operator
    if operator not in OPERATORS:
        raise ValueError(
            f"{who}: operator must be an operator or one of {', '.join(OPERATORS)}, got {operator!r}"
        )
    return OPERATORS[operator](model, loss, params, train, reduction=reduction)


def _solved(op: Operator, columns: Tensor, damping: Any, options: dict) -> Tensor:
    method = "exact" if hasattr(op, "solved") else "minres" if isinstance(op, Hessian) else "cg"
    return solve(op, columns, damping=damping, **{"method": method, **options})


def _rows(model: Any, loss: Callable, p: Parameters, x: Any, y: Any) -> Tensor:
    """(n, parameters): the gradients of a batch's samples."""
    return p.flat(flatten(gradients(model, loss, p.tree, x, y))[0], 1)


@tidied
def influence(
    model: Any, loss: Callable, params: Any, train: Any, test: Any, *, operator: Any = "GGN", damping: Any, reduction: str = "mean", **options: Any
) -> Tensor:  # fmt: skip
    """(test samples, training samples): -g_test^T (C + damping)^-1 g_train, g being gradients of one sample's loss.

    train is streamed: its gradients are never formed, only its losses' derivatives along the solved test gradients.
    options: the options of `curvature.solve`. Raises ValueError for another operator, RuntimeError for a BatchNorm in
    training mode.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        train: the training data: a batch (x, y) or a list of batches.
        test: the test data: a batch (x, y).
        operator: the curvature over `train`: "GGN", "Hessian", "KFAC", "EKFAC", or an operator.
            Default: "GGN".
        damping: a number that is added to the diagonal of the curvature.
        reduction: the reduction of `loss` over a batch: "mean" or "sum". Default: "mean".

    >>> train, test = (torch.ones(2, 1), torch.tensor([[0.], [2.]])), (torch.ones(1, 1), torch.zeros(1, 1))
    >>> influence.influence(lambda w, x: w * x, nn.MSELoss(), torch.ones(1), train, test, damping=0.)
    tensor([[-2.,  2.]])
    """
    who = "influence"
    check_reduction(who, loss, reduction)
    refuse_batch_norm(who, model)
    p = Parameters(who, params)
    op = _operator(who, operator, model, loss, params, train, reduction)
    rows = torch.cat([_rows(model, loss, p, x, y) for x, y in Data(who, test)])
    directions = _solved(op, rows.mT, damping, options)
    call, losses = model_function(model), losses_of(loss)
    found = []
    for x, y in Data(who, train):

        def along(v: Tensor, x: Any = x, y: Any = y) -> Tensor:
            return jvp(lambda tree: losses(call(tree, x), y), (p.tree,), (p.of(p.split(v)),))[1]

        found.append(vmap(along, in_dims=1)(directions))
        pause()
    return -torch.cat(found, 1)


@tidied
def self_influence(
    model: Any, loss: Callable, params: Any, train: Any, *, operator: Any = "GGN", damping: Any, reduction: str = "mean", **options: Any
) -> Tensor:  # fmt: skip
    """(training samples,): g_n^T (C + damping)^-1 g_n: how much a sample's loss would grow without it.

    Arguments and errors as of `influence`.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        train: the training data: a batch (x, y) or a list of batches.
        operator: the curvature over `train`: "GGN", "Hessian", "KFAC", "EKFAC", or an operator.
            Default: "GGN".
        damping: a number that is added to the diagonal of the curvature.
        reduction: the reduction of `loss` over a batch: "mean" or "sum". Default: "mean".

    >>> train = (torch.ones(2, 1), torch.tensor([[0.], [3.]]))
    >>> influence.self_influence(lambda w, x: w * x, nn.MSELoss(), torch.ones(1), train, damping=0.)
    tensor([2., 8.])
    """
    who = "self_influence"
    check_reduction(who, loss, reduction)
    refuse_batch_norm(who, model)
    p = Parameters(who, params)
    op = _operator(who, operator, model, loss, params, train, reduction)
    found = []
    for x, y in Data(who, train):
        columns = _rows(model, loss, p, x, y).mT
        found.append((columns * _solved(op, columns, damping, options)).sum(0))
        pause()
    return torch.cat(found)
