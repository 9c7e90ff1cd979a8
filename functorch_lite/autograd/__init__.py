"""torch.autograd: backward and grad over the tape, grad modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core.apply import ONES, ZEROS, apply_op
from .._core.apply import backward as _run
from .._core.tensor import Tensor
from .grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)

__all__ = [
    "backward",
    "enable_grad",
    "grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]


def _many(x: Any) -> tuple:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def _roots(outputs: tuple, gradients: tuple | None) -> list[tuple[Tensor, Tensor]]:
    if gradients is None:
        gradients = (None,) * len(outputs)
    if len(gradients) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    pairs = []
    for out, gradient in zip(outputs, gradients):
        if not out.requires_grad:
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        if gradient is None:
            if out._aval.shape != () and out.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if out._aval.dtype.is_complex:
                raise RuntimeError(
                    f"grad can be implicitly created only for real scalar outputs but got {out._aval.dtype}"
                )
            gradient = apply_op(ONES, None, (out.detach(),))[0]
        elif not isinstance(gradient, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
        elif gradient._aval.shape != out._aval.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} and output[0] has a shape of {out.shape}."
            )
        elif gradient._aval.dtype.is_complex and not out._aval.dtype.is_complex:
            raise RuntimeError(
                "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
                f"grad_output[0] has a dtype of {gradient.dtype} and output[0] has a dtype of {out.dtype}."
            )
        elif gradient._aval.dtype is not out._aval.dtype:
            gradient = gradient.to(out._aval.dtype)
        pairs.append((out, gradient))
    return pairs


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Accumulates the gradients of `tensors` into the leaves they depend on (or only into `inputs`).

    grad_tensors: cotangents of tensors that are not scalars. retain_graph (default: create_graph): keep what the tape saved,
    so that it can be walked again. create_graph: tape the derivatives themselves.
    """
    keep = create_graph if retain_graph is None else retain_graph
    roots = _roots(_many(tensors), None if grad_tensors is None else _many(grad_tensors))
    if inputs is None:
        _run(roots, keep, create_graph)
        return
    chosen = _many(inputs)
    if not chosen:
        raise RuntimeError("'inputs' argument to backward() cannot be empty.")
    for t in chosen:
        if not t.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    for t, g in zip(chosen, _run(roots, keep, create_graph, [t._edge for t in chosen])):
        if g is not None:
            if t.is_leaf:
                t.grad = g if t.grad is None else t.grad + g
            else:
                t.retain_grad()
                leaf = t._edge[0].retained[t._edge[1]]
                leaf.grad = g if leaf.grad is None else leaf.grad + g


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs`, returned instead of accumulated.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    if is_grads_batched:
        from ..func import vmap

        options = {"allow_unused": allow_unused, "materialize_grads": materialize_grads}
        return vmap(lambda g: grad(outputs, inputs, g, True, create_graph, **options))(grad_outputs)
    keep = create_graph if retain_graph is None else retain_graph
    chosen = _many(inputs)
    roots = _roots(_many(outputs), None if grad_outputs is None else _many(grad_outputs))
    for t in chosen:
        if not t.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    found = _run(roots, keep, create_graph, [t._edge for t in chosen])
    if materialize_grads:
        return tuple(
            [g if g is not None else apply_op(ZEROS, None, (t.detach(),))[0] for g, t in zip(found, chosen)]
        )
    if not allow_unused and any(g is None for g in found):
        unused = next(i for i, g in enumerate(found) if g is None)
        raise RuntimeError(
            f"The differentiated Tensor at index {unused} appears to not have been used in the graph. Set allow_unused=True if this is the "
            "desired behavior."
        )
    return tuple(found)
