"""backward and grad: walks over the tape from tensors, or nodes of them, to the tensors with respect to which they
are differentiated."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._core.api import ONES, ZEROS, Leaf, Tensor, apply_op, from_array, refuse_pytorchs, state, tidied
from .._core.lazy.gradients import TensorEngine, ValueEngine
from ..func import within
from ..func.vmap import vmap
from .graph import GradientEdge
from .watch import Task, walk

__all__ = ["backward", "grad"]


class _Place:
    """A GradientEdge where a tensor is expected: what the walk needs to know of it."""

    requires_grad = True

    def __init__(self, edge: GradientEdge):
        node = edge.node._node
        self._edge = (node, edge.output_nr)
        self._aval = node.aval if type(node) is Leaf else node.out_avals()[edge.output_nr]
        self.shape = self._aval.shape
        self.is_leaf = type(node) is Leaf


def _many(x: Any) -> tuple:
    """One tensor or several (any iterable), as a tuple; a GradientEdge becomes a _Place."""
    every = (x,) if isinstance(x, GradientEdge) or hasattr(x, "requires_grad") else tuple(x)
    return tuple([_Place(t) if isinstance(t, GradientEdge) else t for t in every])


def _differentiated(inputs: Any, caller: str) -> tuple:
    """Returns the tensors that `grad` and `backward` are asked to differentiate by, as a tuple; of a dict its
    values."""
    if type(inputs) is dict:
        inputs = inputs.values()
    elif isinstance(inputs, Mapping):
        raise TypeError(
            f"`inputs` argument to `{caller}()` must be a dict, not {type(inputs).__name__}. Other Mapping types are not supported."
        )
    chosen = _many(inputs)
    if not chosen:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    for t in chosen:
        if not hasattr(t, "requires_grad"):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(t).__name__}")
    return chosen


def _filled(op: Any, t: Any) -> Tensor:
    """A tensor like t, by ONES or ZEROS."""
    if isinstance(t, _Place):
        like = from_array(np.zeros(t._aval.shape, t._aval.dtype.np), on=t._aval.device)
        return apply_op(op, None, (like,))[0]
    return apply_op(op, None, (t.detach(),))[0]


def _roots(outputs: tuple, gradients: tuple | None) -> list[tuple[Tensor, Tensor | None]]:
    """(output, its gradient) pairs; None for a gradient of ones, made where it is needed."""
    if gradients is None:
        gradients = (None,) * len(outputs)
    if len(gradients) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    pairs = []
    for i, (out, gradient) in enumerate(zip(outputs, gradients)):
        if not out.requires_grad:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        if gradient is None:
            if math.prod(out._aval.shape) != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if out._aval.dtype.is_complex:
                raise RuntimeError(
                    f"grad can be implicitly created only for real scalar outputs but got {out._aval.dtype}"
                )
            if isinstance(out, _Place):
                gradient = _filled(ONES, out)
        elif not isinstance(gradient, Tensor):
            refuse_pytorchs(gradient)
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
        elif gradient._aval.shape != out._aval.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{i}] has a shape of {gradient.shape} and output[{i}] has a shape of {out.shape}."
            )
        elif gradient._aval.dtype.is_complex != out._aval.dtype.is_complex:
            raise RuntimeError(
                "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
                f"grad_output[{i}] has a dtype of {gradient.dtype} and output[{i}] has a dtype of {out._aval.dtype}."
            )
        elif gradient._aval.dtype is not out._aval.dtype:
            gradient = gradient.to(out._aval.dtype)
        pairs.append((out._numbers, out._values_of(gradient)) if _is_of_parts(out) else (out, gradient))
    return pairs


def _is_of_parts(t: Any) -> bool:
    """Returns whether it is a sparse tensor, which is not on the tape itself: its values are."""
    return isinstance(t, Tensor) and t._of_parts


_BACKWARD_IN_TRANSFORM = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp instead or call "
    "backward() outside of functorch transforms. (Here it is, for tensors that require grad at the transform's own level; what was "
    "passed does not.)"
)


@tidied
def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Accumulates the gradients of `tensors` into the leaves they depend on (or only into `inputs`: a tensor, several,
    or a dict).

    retain_graph (default: create_graph): keep what the tape saved, so that it can be walked again.

    Args:
        tensors: the tensors to differentiate: one or several.
        grad_tensors: the cotangents of tensors that are not scalars. None (the default) is 1 for
            scalars.
        retain_graph: whether the saved values are kept, so that backward may run again. None (the
            default) takes the value of `create_graph`.
        create_graph: whether the derivatives can be differentiated themselves. Default: False.
        grad_variables: the older name of `grad_tensors`. None is the default.
        inputs: the only leaves that accumulate gradients: a tensor, several, or a dict. None (the
            default) means all.
    """
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=3
        )
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use "
                "`grad_tensors`."
            )
        grad_tensors = grad_variables
    chosen = () if inputs is None else _differentiated(inputs, "backward")
    every = _many(tensors)
    if any(t._edge is None and t.requires_grad for t in (*every, *chosen)) or (
        state.rec.level and not any(t.requires_grad for t in every)
    ):
        raise RuntimeError(_BACKWARD_IN_TRANSFORM)
    keep = create_graph if retain_graph is None else retain_graph
    roots = _roots(every, None if grad_tensors is None else _many(grad_tensors))
    if inputs is None:
        walk(roots, keep, create_graph)
        return
    for t in chosen:
        if not t.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    for t, g in zip(chosen, walk(roots, keep, create_graph, [t._edge for t in chosen], accumulate=True)):
        if g is None:
            continue
        engine = TensorEngine if create_graph else ValueEngine
        if t.is_leaf:
            engine.accumulate(t._edge[0], engine.from_tensor(g))
        elif not isinstance(t, _Place):  # of a place alone there is no tensor whose .grad it could be
            t.retain_grad()
            engine.accumulate(t._edge[0].retained[t._edge[1]], engine.from_tensor(g))


@tidied
def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of `outputs` with respect to `inputs`, returned instead of accumulated: a tuple, or a dict for a
    dict of inputs.

    An input that the outputs do not depend on is an error, or None with allow_unused, or zeros with
    materialize_grads.

    Args:
        outputs: the tensors to differentiate: one or several.
        inputs: the tensors to differentiate with respect to: one, several, or a dict.
        grad_outputs: the cotangents of outputs that are not scalars. None (the default) is 1 for
            scalars.
        retain_graph: whether the saved values are kept, so that backward may run again. None (the
            default) takes the value of `create_graph`.
        create_graph: whether the derivatives can be differentiated themselves. Default: False.
        only_inputs: deprecated and ignored; False warns, as in PyTorch. Default: True.
        allow_unused: whether an input on which the outputs do not depend gets None. None (the
            default) takes the value of `materialize_grads`.
        is_grads_batched: whether the first dim of `grad_outputs`, and of the results, counts
            backward passes. Default: False.
        materialize_grads: whether an input on which the outputs do not depend gets zeros.
            Default: False.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    if materialize_grads:
        if allow_unused is False:
            raise ValueError(
                "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
            )
        allow_unused = True
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts of the "
            "graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=3,
        )
    chosen = _differentiated(inputs, "grad")
    one_or_all = _batched if is_grads_batched else _gradients
    found = one_or_all(outputs, chosen, grad_outputs, retain_graph, create_graph, bool(allow_unused))
    if materialize_grads:
        found = tuple([_filled(ZEROS, t) if g is None else g for g, t in zip(found, chosen)])
        for g in found if create_graph else ():
            if not g.requires_grad:  # so that it can be differentiated again, to zeros
                g.requires_grad_()
    return dict(zip(inputs, found)) if type(inputs) is dict else found


def _gradients(
    outputs: Any, chosen: tuple, grad_outputs: Any, retain_graph: bool | None, create_graph: bool, allow_unused: bool
) -> tuple[Tensor | None, ...]:  # fmt: skip
    """grad by the tensors and places `chosen`."""
    keep = create_graph if retain_graph is None else retain_graph
    roots = _roots(_many(outputs), None if grad_outputs is None else _many(grad_outputs))
    for t in chosen:
        if not t.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    if any(t._edge is None for t in (*chosen, *[o for o, _ in roots])):
        found = within.gradients(roots, chosen, create_graph)
    else:
        found = walk(roots, keep, create_graph, [t._edge for t in chosen])
        found = [t._gradient(g) if g is not None and _is_of_parts(t) else g for t, g in zip(chosen, found)]
    if not allow_unused and any(g is None for g in found):
        unused = next(i for i, g in enumerate(found) if g is None)
        raise RuntimeError(
            f"The differentiated Tensor at index {unused} appears to not have been used in the graph. Set allow_unused=True if this is the "
            "desired behavior."
        )
    return tuple(found)


def _batched(
    outputs: Any, chosen: tuple, grad_outputs: Any, retain_graph: bool | None, create_graph: bool, allow_unused: bool
) -> tuple[Tensor | None, ...]:  # fmt: skip
    """_gradients for many grad_outputs at once: their first dimension, and the first one of the results, counts them."""
    outs, gradients = _many(outputs), _many(grad_outputs)
    for i, (out, g) in enumerate(zip(outs, gradients)):
        if g is not None and tuple(g.shape[1:]) != tuple(out._aval.shape):
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The sizes of "
                "the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{i}] has a shape of {g.shape[1:]} and output[{i}] has a shape of {out.shape}. If you only want some tensors in "
                "`grad_output` to be considered batched, consider using vmap."
            )
    used: list[bool] = []

    def one(*gs: Tensor) -> tuple[Tensor, ...]:
        every = iter(gs)
        full = [None if g is None else next(every) for g in gradients]
        found = _gradients(outs, chosen, full, True, create_graph, allow_unused)
        used[:] = [g is not None for g in found]
        return tuple([g for g in found if g is not None])

    found = iter(vmap(one)(*[g for g in gradients if g is not None]))
    if not (create_graph if retain_graph is None else retain_graph):
        for node in Task([t._edge for t in outs], [t._edge for t in chosen]).nodes:
            node.release()
    return tuple([next(found) if u else None for u in used])


backward.__module__ = grad.__module__ = __package__  # where pickles name them
