"""autograd.Function: a function whose derivatives, and whose vmap, are the user's own Python.

In eager code a call is one node of the tape (`calls.py`). Inside a transform it is a cut of the recording
(`calls_in_transforms.py`): the function is applied one level below, on values that can be read, and its backward, jvp
or vmap rule runs there when the transform is applied. So every rule is called as often as torch calls it, and may use
NumPy.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from .._core.api import Tensor, make_tensor, read, state, tidied
from .calls_in_transforms import VmapInfo as VmapInfo
from .calls_in_transforms import call_function
from .context import FunctionCtx, Rules

__all__ = [
    "Function",
    "FunctionCtx",
    "InplaceFunction",
    "NestedIOFunction",
    "once_differentiable",
]


class Function(Rules):
    """Base class of functions with derivatives of their own. Subclasses give static methods; call them with `apply`.

    forward(ctx, *args), or forward(*args) together with setup_context(ctx, inputs, output): the function itself; not
    taped. backward(ctx, *grad_outputs) (or vjp): one gradient, or None, for each argument of forward. jvp(ctx,
    *tangents): one tangent for each output. vmap(info, in_dims, *args) returns (outputs, out_dims).

    Unlike torch's, a Function without a vmap rule can be mapped (as if `generate_vmap_rule = True`), and one without
    setup_context can be transformed by `torch.func`.

    >>> class Exp(Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         y = x.exp()
    ...         ctx.save_for_backward(y)
    ...         return y
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * ctx.saved_tensors[0]
    >>> Exp.apply(torch.zeros(2, requires_grad=True))
    tensor([1., 1.], grad_fn=<ExpBackward>)
    """

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{self.__class__} should not be instantiated. Methods on autograd functions are all static, so you should invoke them "
            "on the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function with "
            "static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @classmethod
    @tidied
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Calls the function; arguments may be given by name."""
        if cls.setup_context is not Rules.setup_context:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        elif kwargs:
            args = _in_order(cls.forward, args, kwargs)
        return call_function(cls, args).result()


def _in_order(forward: Callable, args: tuple, kwargs: dict) -> tuple:
    """All arguments of forward(ctx, …) by position."""
    signature = inspect.signature(forward)
    places = [p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    for name in kwargs:
        if name not in places:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
    return signature.bind(None, *args, **kwargs).args[1:]


class InplaceFunction(Function):
    """A Function that may work in place; kept for old code."""

    def __init__(self, inplace: bool = False):
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """Kept for its name: functions with nested inputs and outputs can no longer be called, in torch neither.

    Use Function."""


def once_differentiable(fn: Callable) -> Callable:
    """Decorates a backward that uses more than torch ops: its result cannot be differentiated again."""

    @functools.wraps(fn)
    def wrapper(ctx, *args):
        here = state.here
        taped, here.grad = here.grad, False
        try:
            outputs = fn(ctx, *args)
        finally:
            here.grad = taped
        roots: list = [a for a in args if isinstance(a, Tensor)]
        if state.rec.level:
            roots += [t for t in ctx.saved_tensors if t is not None]
        elif not taped or not any(a._edge is not None for a in roots):
            return outputs
        roots = [r for r in roots if r._aval.taped]
        many = outputs if isinstance(outputs, tuple) else (outputs,)
        at = [i for i, o in enumerate(many) if o is not None and o._aval.taped]
        guarded = dict(zip(at, _DifferentiatedOnce.apply(len(at), *[many[i] for i in at], *roots)))
        many = tuple([guarded.get(i, o) for i, o in enumerate(many)])
        return many if isinstance(outputs, tuple) else many[0]

    return wrapper


class _DifferentiatedOnce(Function):
    """Passes its first n tensors on; differentiating them raises an error."""

    @staticmethod
    def forward(ctx, n, *tensors):
        return tuple([make_tensor(read(t), state.rec.level) for t in tensors[:n]])

    @staticmethod
    def _refuse(ctx, *grads):
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )

    backward = jvp = _refuse
