"""Full backward hooks of a module, built from hooks on tensors.

The module's tensor arguments pass through an alias before `forward` and its results through one after it. A hook on an
alias sees exactly the gradient that flows through this call. Several tensors pass through one op together, so that a
hook on its node of the tape sees all their gradients at once and may replace any of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from functorch_lite._core.api import DerivedOp, Tensor, apply_op, is_of_transform
from functorch_lite._core.api import functions as torch
from functorch_lite.func.cuts import passed

__all__ = ["BackwardHooks"]

_TOGETHER = DerivedOp(lambda *arrays: list(arrays), "BackwardHookFunction", made_of=())


class BackwardHooks:
    """The full backward hooks of one call of a module: `wrap_inputs`, the forward, then `wrap_outputs`."""

    def __init__(self, module: Any, hooks: Iterable[Callable], pre_hooks: Iterable[Callable]):
        self.module = module
        self.hooks = list(hooks)
        self.pre_hooks = list(pre_hooks)
        self.grad_outputs: tuple | None = None
        self.n_inputs = -1
        self.input_places: list[int] | None = None

    def wrap_inputs(self, args: tuple) -> tuple:
        """`args`, the tensors among them replaced by aliases that call the hooks when their gradients are known."""
        self.n_inputs = len(args)
        if not self.hooks:
            return args
        args, self.input_places = _through(args, self._inputs_known, fill=True)
        return args

    def wrap_outputs(self, result: Any) -> Any:
        """`result`, its tensors replaced by aliases that call the pre-hooks when their gradients are known."""
        if not isinstance(result, Tensor | tuple):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}",
                stacklevel=4,
            )
            return result
        is_tuple = isinstance(result, tuple)
        wrapped, places = _through(result if is_tuple else (result,), self._outputs_known)
        if places is None:
            return result
        if not is_tuple:
            return wrapped[0]
        return type(result)(*wrapped) if hasattr(result, "_fields") else type(result)(wrapped)

    def _outputs_known(self, grads: tuple) -> tuple:
        for hook in self.pre_hooks:
            grads = _replaced(hook(self.module, grads), grads, "Backward pre hook", "grad_output")
        self.grad_outputs = grads
        if self.input_places is None and self.hooks:
            warnings.warn(
                "Full backward hook is firing when gradients are computed with respect to module outputs since no "
                "inputs require gradients. See "
                "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook "
                "for more details.",
                stacklevel=2,
            )
            for hook in self.hooks:
                out = hook(self.module, (None,) * max(self.n_inputs, 0), grads)
                if out is not None and not (isinstance(out, tuple) and all(g is None for g in out)):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
            self.grad_outputs = None
        return grads

    def _inputs_known(self, grads: tuple) -> tuple:
        if (
            self.grad_outputs is None
        ):  # the gradient did not come through the module's output: torch calls no hook
            return grads
        for hook in self.hooks:
            grads = _replaced(
                hook(self.module, grads, self.grad_outputs), grads, "Backward hook", "grad_input"
            )
        self.grad_outputs = None
        return grads


def _replaced(out: Any, grads: Any, who: str, what: str) -> Any:
    """The gradients after a hook returned `out`: None leaves them, a sequence of as many replaces them."""
    if out is None:
        return grads
    if len(out) != len(grads):
        raise RuntimeError(
            f"{who} returned an invalid number of {what}, got {len(out)}, but expected {len(grads)}"
        )
    return out


def _through(
    values: tuple, known: Callable[[tuple], tuple], fill: bool = False
) -> tuple[tuple, list[int] | None]:
    """`values` with those tensors that take gradients replaced by aliases, and their places (None if there are none).

    When their gradients are known, `known` is called with one entry per value, and what it returns takes their place.
    As in PyTorch the entry is None for no tensor, and for a tensor to which no gradient came, unless `fill`: then
    zeros.
    """
    places = [i for i, v in enumerate(values) if isinstance(v, Tensor) and v.requires_grad]
    if not places or not torch.is_grad_enabled():
        return values, None
    tensors = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
    wrapped = list(values)

    def call(grads: Iterable[Any]) -> list:
        entries: list[Any] = [None] * len(values)
        for i, g in zip(places, grads):
            entries[i] = g
        if fill:
            for i in tensors:
                entries[i] = torch.zeros_like(values[i]) if entries[i] is None else entries[i]
        out = known(tuple(entries))
        return [out[i] for i in places]

    if any(is_of_transform(values[i]) for i in places):
        for i, alias in zip(places, passed([values[i] for i in places], call)):
            wrapped[i] = alias
    elif len(places) == 1:
        (i,) = places
        wrapped[i] = values[i].view_as(values[i])

        def hook_of_one(grad: Any) -> Any:
            return call([grad])[0]

        wrapped[i].register_hook(hook_of_one)
    else:
        aliases = apply_op(_TOGETHER, (), tuple([values[i] for i in places]))

        def hook(grad_inputs: Any, grad_outputs: Any) -> tuple:
            return tuple(call(grad_outputs))

        aliases[0].grad_fn.register_hook(hook)
        for i, alias in zip(places, aliases):
            wrapped[i] = values[i].view_as(values[i])  # the same storage, as that of one value has
            wrapped[i]._edge = alias._edge
    return tuple(wrapped), places
