"""Checks of losses' arguments."""

from __future__ import annotations

import jax.numpy as jnp

from functorch_lite._core.api import (
    broadcast_shapes,
    check,
    check_broadcasts_to,
    check_scalar_type,
    default_dtype,
    dtype_of,
    is_python_number,
    need_kind,
    promote_types,
    requirement,
    scalar_name,
)
from functorch_lite.ops._pointwise import category, check_subtraction

from .._declare import broadcasts_to, check_castable, shape_text, stands_for_number

NO_PROBABILITY = {
    name: requirement("RuntimeError", f"all elements of {name} should be between 0 and 1")
    for name in ("input", "target")
}
NEGATIVE_VARIANCE = requirement("ValueError", "var has negative entry/entries")

REDUCTIONS = ("none", "mean", "sum")


def check_reduction(reduction: str, extra: tuple[str, ...] = ()) -> None:
    """An unknown reduction raises torch's ValueError.

    (What size_average and reduce ask for is a reduction here, see LEGACY.)"""
    known = reduction in (*REDUCTIONS, *extra)
    check(known, ValueError, f"{reduction} is not a valid value for reduction")


def check_word(reduction, sentence: str = "is not valid") -> None:
    """Checks a reduction where torch composes the message about an unknown one by adding strings: a value that is not
    a string raises TypeError."""
    message = f"unsupported operand type(s) for +: '{type(reduction).__name__}' and 'str'"
    check(isinstance(reduction, str), TypeError, message)
    check(reduction in REDUCTIONS, ValueError, f"{reduction} {sentence}")


def check_mean(loss) -> None:
    message = "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
    check(category(loss) >= 2, RuntimeError, message + scalar_name(loss))


def check_clamp(*arrays) -> None:
    for x in arrays:
        need_kind(x, "bif", "clamp is not supported for complex types")


def _check_negation(x) -> None:
    check(
        category(x) > 0,
        RuntimeError,
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
        "`logical_not()` operator instead.",
    )


# -- element by element ------------------------------------------------------------------------------------------------


def check_binary_cross_entropy(input, target, weight) -> None:
    check(
        input.shape == target.shape,
        ValueError,
        f"Using a target size (torch.Size({shape_text(target)})) that is different to the input size "
        f"(torch.Size({shape_text(input)})) is deprecated. Please ensure they have the same size.",
    )
    need_kind(input, "f", "binary_cross_entropy")
    message = f"Found dtype {scalar_name(target)} but expected {scalar_name(input)}"
    check(input.dtype == target.dtype, RuntimeError, message)
    if weight is not None:
        check(
            broadcasts_to(weight.shape, input.shape),
            RuntimeError,
            f"Attempting to broadcast a dimension of length {weight.shape[-1] if weight.ndim else 1} at -1! "
            f"Mismatching argument at index 1 had torch.Size({shape_text(weight)}); but expected shape should be "
            f"broadcastable to {shape_text(input)}",
        )
        check_castable(weight.dtype, input.dtype)


def check_with_logits(input, target, weight, pos_weight) -> None:
    sizes = (
        f"(torch.Size({shape_text(target)})) must be the same as input size (torch.Size({shape_text(input)}))"
    )
    check(input.shape == target.shape, ValueError, f"Target size {sizes}")
    need_kind(input, "f", "log_sigmoid_cpu")
    check_castable(input.dtype, target.dtype)
    # torch multiplies in place: input's logarithm by pos_weight and target, what becomes of target by weight
    if pos_weight is not None:
        check_subtraction(pos_weight)
        wide = promote_types(dtype_of(input), dtype_of(target))
        check_castable(promote_types(wide, dtype_of(pos_weight)).np, input.dtype)
    if weight is not None:
        check_castable(promote_types(dtype_of(target), dtype_of(weight)).np, target.dtype)


def check_kl_div(input, target) -> None:
    kinds = category(input), category(target)
    check(min(kinds) >= 2, RuntimeError, "kl_div: Integral inputs not supported.")
    check(max(kinds) == 2, RuntimeError, "kl_div: Complex inputs not supported.")


def check_poisson(input, target, log_input: bool, full: bool, reduction) -> None:
    check_word(reduction, "is not a valid value for reduction")
    if category(input) == 0 and (not log_input or category(target) == 0):
        check_subtraction(input)  # what is subtracted, or subtracted from
    if full:
        check_subtraction(target)
    broadcast_shapes(input.shape, target.shape)
    if full:
        need_kind(target, "bif", "le_cpu")


def check_variance(input, var, eps) -> None:
    if not hasattr(var, "dtype"):
        check(not var < 0, ValueError, "var has negative entry/entries")
        return check_clamp(input)
    number = stands_for_number(var)
    if not number:
        need_kind(var, "bif", "lt_cpu")
        if eps is not None:
            check_castable(dtype_of(eps).np, var.dtype)
    right = input.ndim <= 1 or number
    if var.shape and var.shape not in (input.shape, input.shape[:-1]):
        right = var.ndim == input.ndim and sum(v for v, n in zip(var.shape, input.shape) if v != n) == 1
    elif var.shape:
        right = True
    check(right, ValueError, "var is of incorrect size")


def check_gaussian(input, target, eps, reduction) -> None:
    check_word(reduction)
    broadcast_shapes(input.shape, target.shape)
    check_subtraction(input, target)
    check(eps is not None, RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None")


def check_hinge(x, reduction: str) -> None:
    if reduction == "mean":
        check_mean(x)
    need_kind(x, "fc", "hinge_embedding_loss of integers is not supported; cast the input to float")
    check_clamp(x)


def check_soft_margin(input, target) -> None:
    """torch computes in place: in one like input."""
    _check_negation(input)
    check_broadcasts_to(input.shape, target.shape)
    to = promote_types(dtype_of(input), dtype_of(target))
    check_castable((to if to.category >= 2 else default_dtype()).np, input.dtype)


# -- rows beside rows --------------------------------------------------------------------------------------------------


def check_ranked(input1, input2, target) -> None:
    check(
        input1.ndim == input2.ndim == target.ndim,
        RuntimeError,
        "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
        f"input1: torch.Size({shape_text(input1)}), input2: torch.Size({shape_text(input2)}), "
        f"target: torch.Size({shape_text(target)}) ",
    )
    broadcast_shapes(target.shape, broadcast_shapes(input1.shape, input2.shape))
    check_subtraction(input1, input2)
    _check_negation(target)
    check_clamp(input1, input2, target)


def check_cosine(input1, input2, target) -> None:
    _check_one_target(target)
    expected = target.ndim + 1
    check(
        input1.ndim == input2.ndim == expected,
        RuntimeError,
        f"{target.ndim}D target tensor expects {expected}D input tensors, but found inputs with sizes "
        f"{shape_text(input1)} and {shape_text(input2)}.",
    )
    for x in (input1, input2):
        need_kind(x, "bif", "clamp is not supported for complex types")
    broadcast_shapes(target.shape, broadcast_shapes(input1.shape, input2.shape)[:-1])


# -- classes -----------------------------------------------------------------------------------------------------------


def _check_one_target(target) -> None:
    message = "0D or 1D target tensor expected, multi-target not supported"
    check(target.ndim <= 1, RuntimeError, message)


def _check_classes(target) -> None:
    message = f"expected target dtype to be Long or Byte, but got {scalar_name(target)}"
    check(target.dtype in (jnp.int64, jnp.uint8), RuntimeError, message)


def _check_class_weights(weight, classes: int, who: str = "") -> None:
    check(
        weight is None or weight.shape == (classes,),
        RuntimeError,
        f"{who}weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
        f"shape: {shape_text(weight)}",
    )


def _check_rows_of_classes(input, target) -> None:
    _check_one_target(target)
    _check_classes(target)
    if input.ndim == 1:
        message = f"For 1D input, 1D target must have size 1, but got target size: {target.size}"
        check(target.size == 1, ValueError, message)
    else:
        message = f"size mismatch (got input: {shape_text(input)}, target: {shape_text(target)})"
        check(target.ndim == 1, RuntimeError, message)


def _check_image_of_classes(input, target) -> None:
    expected = (input.shape[0], *input.shape[2:])
    if input.ndim == 4:
        message = "only batches of spatial targets supported (3D tensors) but got targets of dimension: "
        check(target.ndim == 3, RuntimeError, f"{message}{target.ndim}")
        _check_classes(target)
        message = f"size mismatch (got input: {shape_text(input)} , target: {shape_text(target)}"
        check(target.shape == expected, RuntimeError, message)
    elif input.size == 0 and target.size and target.shape == expected:
        # torch makes of both of them images, the one without elements of size 0
        sizes = [*input.shape[:2], 0, 0], [target.shape[0], 1, target.size // target.shape[0]]
        raise RuntimeError(f"size mismatch (got input: {sizes[0]} , target: {sizes[1]}")
    message = f"Expected target size {list(expected)}, got {shape_text(target)}"
    check(target.shape == expected, RuntimeError, message)
    _check_classes(target)
    long = target.dtype == jnp.int64 or not target.size
    check(long, RuntimeError, f"expected scalar type Long but found {scalar_name(target)}")


def check_target(input, target, weight) -> None:
    """Checks a target of classes given by their indices; input: (N, C, ...)."""
    check(input.ndim > 0, ValueError, "Expected 1 or more dimensions (got 0)")
    classes = input.shape[min(1, input.ndim - 1)]
    batch = target.shape[0] if target.ndim else 0
    message = f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({batch})."
    check(input.ndim == 1 or input.shape[0] == batch, ValueError, message)
    if input.ndim <= 2:
        _check_rows_of_classes(input, target)
        _check_class_weights(weight, classes)
    else:
        _check_image_of_classes(input, target)
        message = "weight tensor should be defined either for all or no classes"
        check(weight is None or weight.size == classes, RuntimeError, message)
    need_kind(input, "f", "nll_loss_out_frame")
    if weight is not None:
        check_scalar_type(input, weight)


def is_smoothed(label_smoothing) -> bool:
    return not is_python_number(label_smoothing) or label_smoothing > 0


def _check_smoothing(label_smoothing) -> None:
    # what is not above 0 is none, as in torch
    few = not is_python_number(label_smoothing) or not label_smoothing > 1
    check(few, RuntimeError, f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")


def _check_none_ignored(index) -> None:
    known = is_python_number(index)
    check(not known or index < 0, RuntimeError, "ignore_index is not supported for floating point target")


def whole_smoothing(op, static, inputs, result) -> None:
    """Checks, for `numbers=`, a label smoothing that changes: it is not above 1; of probabilities no class is
    ignored."""
    smoothing, ignored = (inputs[op.input_places[name]] for name in ("label_smoothing", "ignore_index"))
    _check_smoothing(smoothing)
    if inputs[0].aval.shape == inputs[1].aval.shape:
        _check_none_ignored(ignored)


def check_cross_entropy(input, target, weight, reduction: str, label_smoothing) -> None:
    _check_smoothing(label_smoothing)
    message = "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
    check(input.ndim > 0, IndexError, message)
    need_kind(input, "f", "log_softmax_lastdim_kernel_impl")
    check_target(input, target, weight)
    if not is_smoothed(label_smoothing):
        return
    message = "output with shape [] doesn't match the broadcast shape [1]"
    check(input.ndim > 1 or target.ndim == 0, RuntimeError, message)
    gathered = weight is not None and reduction == "mean" and input.shape[min(1, input.ndim - 1)] > 0
    index = not gathered or target.dtype == jnp.int64 or not target.size
    check(index, RuntimeError, "gather(): Expected dtype int32/int64 for index")


def check_probabilities(input, target, weight, ignore_index, label_smoothing) -> None:
    message = f"Expected floating point type for target with class probabilities, got {scalar_name(target)}"
    check(category(target) == 2, RuntimeError, message)
    _check_none_ignored(ignore_index)
    check(input.ndim > 0, IndexError, "Dimension specified as 1 but tensor has no dimensions")
    _check_smoothing(label_smoothing)
    _check_class_weights(weight, input.shape[min(1, input.ndim - 1)], "cross_entropy: ")
    need_kind(input, "f", "log_softmax_lastdim_kernel_impl")


# -- margins between classes -------------------------------------------------------------------------------------------


def _check_rows(input, good: bool, sentence: str) -> None:
    filled = input.ndim <= 2 and 0 not in input.shape[input.ndim == 2 :]
    message = (
        f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {shape_text(input)}"
    )
    check(filled, RuntimeError, message)
    check(good, RuntimeError, sentence)


def _check_long(target) -> None:
    message = f"expected scalar type Long but found {scalar_name(target)}"
    check(target.dtype == jnp.int64, RuntimeError, message)


def check_multi_margin(input, target, weight) -> None:
    check(weight is None or weight.ndim == 1, ValueError, "weight must be one-dimensional")
    count = input.shape[0] if input.ndim == 2 else 1
    _check_rows(
        input,
        target.ndim <= 1 and target.size == count,
        "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "
        f"Expected target size [{count}], but got {shape_text(target)}. Input has shape {shape_text(input)}.",
    )
    _check_long(target)
    need_kind(input, "f", "multi_margin_loss_cpu")
    if weight is not None:
        (classes,) = input.shape[-1:] or (1,)
        message = f"inconsistent weight size, expected {classes} but got {shape_text(weight)}"
        check(weight.size == classes, RuntimeError, message)
        check_scalar_type(input, weight)


def check_multilabel_margin(input, target) -> None:
    one = input.ndim <= 1 and target.size == input.size and target.ndim <= 1
    message = f"inconsistent target size: {shape_text(target)} for input of size: {shape_text(input)}"
    _check_rows(input, one or target.shape == input.shape, message)
    need_kind(target, "bif", "min_all")
    _check_long(target)
    need_kind(input, "f", "multilabel_margin_loss_forward_out_frame")


def check_multilabel_soft_margin(input, target, flags: bool, reduction) -> None:
    """`flags`: whether one of the deprecated flags is given."""
    check(input.ndim > 0 or flags, IndexError, "Dimension specified as -1 but tensor has no dimensions")
    check_word(reduction)
    broadcast_shapes(input.shape, getattr(target, "shape", ()))
    need_kind(input, "f", "log_sigmoid_cpu")
    if not stands_for_number(target):
        check_subtraction(target)
