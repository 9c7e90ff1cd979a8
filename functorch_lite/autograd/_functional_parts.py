"""The private functions of torch.autograd.functional, of which packages make products of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.api import Tensor, from_array
from .._core.api import functions as torch
from .derivatives import grad

__all__ = [
    "_as_tuple", "_as_tuple_nocheck", "_autograd_grad", "_check_requires_grad", "_construct_standard_basis_for", "_fill_in_zeros", "_grad_postprocess", "_grad_preprocess",
    "_tuple_postprocess", "_validate_v",
]  # fmt: skip

_NOT_DIFFERENTIABLE = {
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must be computed in a differentiable "
    "manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is not allowed "
    "in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is independent "
    "of the input. This is not allowed in strict mode. You should ensure that your function is twice differentiable and that the "
    "jacobian depends on the inputs (this would be violated by a linear function for example).",
    "hessian": "The hessian of the user-provided function with respect to input {} is independent of the input. This is not allowed in "
    "strict mode. You should ensure that your function is thrice differentiable and that the hessian depends on the inputs.",
}


def _as_tuple_nocheck(x: Any) -> tuple:
    """Returns x as a tuple: a list's members, or x alone."""
    return x if isinstance(x, tuple) else tuple(x) if isinstance(x, list) else (x,)


def _as_tuple(inp: Any, arg_name: str | None = None, fn_name: str | None = None) -> Any:
    """Returns whether inp is a tuple, and it as one; raises TypeError for members that are no tensors. Without names,
    only the tuple."""
    if arg_name is None and fn_name is None:
        return _as_tuple_nocheck(inp)
    is_tuple = isinstance(inp, tuple)
    parts = inp if is_tuple else (inp,)
    for i, part in enumerate(parts):
        if not isinstance(part, Tensor):
            which = f"value at index {i}" if is_tuple else f"given {arg_name}"
            raise TypeError(
                f"The {arg_name} given to {fn_name} must be either a Tensor or a tuple of Tensors but the {which} has type {type(part)}."
            )
    return is_tuple, parts


def _tuple_postprocess(res: Any, to_unpack: Any) -> Any:
    """Returns a tuple's only member where to_unpack is False; for a pair of them, at both depths."""
    if isinstance(to_unpack, tuple):
        if not to_unpack[1]:
            res = tuple([part[0] for part in res])
        return res if to_unpack[0] else res[0]
    return res if to_unpack else res[0]


def _grad_preprocess(inputs: Any, create_graph: bool, need_graph: bool) -> tuple:
    """Returns tensors of the same values to compute with: views with create_graph, detached ones without, which require
    grad if need_graph."""

    def own(x: Any) -> Any:
        if not isinstance(x, Tensor):
            return _grad_preprocess(x, create_graph, need_graph)
        if create_graph:
            return x.clone() if x.is_sparse else x.view_as(x)  # type: ignore[attr-defined]
        return x.detach().requires_grad_(need_graph)  # type: ignore[attr-defined]

    return tuple([own(x) for x in inputs])


def _grad_postprocess(inputs: Any, create_graph: bool) -> tuple:
    """Returns the tensors, detached without create_graph; tuples of tensors likewise."""
    if isinstance(inputs[0], Tensor):
        return inputs if create_graph else tuple([x.detach() for x in inputs])
    return tuple([_grad_postprocess(x, create_graph) for x in inputs])


def _check_requires_grad(inputs: Any, input_type: str, strict: bool) -> None:
    """Raises RuntimeError, in strict mode, for a tensor that depends on nothing: one of the "outputs", "grad_inputs",
    "jacobian" or "hessian"."""
    if not strict:
        return
    if input_type not in _NOT_DIFFERENTIABLE:
        raise RuntimeError("Invalid input_type to _check_requires_grad")
    for i, x in enumerate(inputs):
        if x is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {i}. This is not allowed in strict mode."
            )
        if not x.requires_grad:
            raise RuntimeError(_NOT_DIFFERENTIABLE[input_type].format(i))


def _autograd_grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    create_graph: bool = False,
    retain_graph: bool | None = None,
    is_grads_batched: bool = False,
) -> tuple:
    """`torch.autograd.grad` of the outputs that require grad; None for every input if there are none."""
    if not isinstance(outputs, tuple):
        raise AssertionError("Expected outputs to be a tuple")
    cotangents = (None,) * len(outputs) if grad_outputs is None else grad_outputs
    pairs = [(o, g) for o, g in zip(outputs, cotangents) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    some, given = zip(*pairs)
    return tuple(
        grad(
            some,
            inputs,
            given,
            allow_unused=True,
            create_graph=create_graph,
            retain_graph=retain_graph,
            is_grads_batched=is_grads_batched,
        )
    )


def _validate_v(v: tuple, other: tuple, is_other_tuple: bool) -> None:
    """Raises RuntimeError unless the vector v has the members, and their sizes, of `other`."""
    if len(v) != len(other):
        if is_other_tuple:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(other)} but got {len(v)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (mine, theirs) in enumerate(zip(v, other)):
        if mine.size() != theirs.size():
            entry = f"Entry {i} in " if is_other_tuple else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {theirs.size()} but got {mine.size()}.")


def _construct_standard_basis_for(tensors: tuple, tensor_numels: tuple[int, ...]) -> tuple:
    """Returns the columns of an identity matrix of the size of all tensors together: those of each tensor, with its
    dtype and device."""
    if len(tensors) != len(tensor_numels):
        raise AssertionError(
            f"Expected tensors and tensor_numels to have the same length, but got {len(tensors)} and {len(tensor_numels)}"
        )
    if not tensors:
        raise AssertionError("Expected at least one tensor")
    total, found, at = sum(tensor_numels), [], 0
    for t, n in zip(tensors, tensor_numels):
        columns = np.zeros((total, n), bool)
        columns[at : at + n] = np.eye(n, dtype=bool)
        found.append(from_array(columns, on=t.device).to(t.dtype))
        at += n
    return tuple(found)


_INDEPENDENT = {
    "back": "The output of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double backward "
    "trick to compute forward mode gradients. This is not allowed in strict mode.",
    "double_back": "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not allowed in "
    "strict mode as it prevents from using the double backward trick to replace forward mode AD.",
}


def _fill_in_zeros(grads: Any, refs: Any, strict: bool, create_graph: bool, stage: str) -> tuple:
    """Returns the gradients, zeros of the shapes of `refs` for those that are None. In strict mode RuntimeError for
    these, and with create_graph for gradients that depend on nothing. stage: "back", "back_trick", "double_back" or
    "double_back_trick", which the error is about."""
    if stage not in _INDEPENDENT:
        raise RuntimeError(f"Invalid stage argument '{stage}' to _fill_in_zeros")
    found = []
    for i, (g, ref) in enumerate(zip(grads, refs)):
        if g is None:
            if strict:
                raise RuntimeError(_INDEPENDENT[stage].format(i))
            g = torch.zeros_like(ref)
        elif strict and create_graph and not g.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}. This is not allowed in strict mode when create_graph=True."
            )
        found.append(g)
    return tuple(found)
