"""The context that an autograd.Function is given, and the rules that a subclass may override."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .._core.api import Tensor, Value, make_tensor, read, state
from .._core.lazy.tape import _BACKWARD_TWICE
from .._core.lazy.tensor import same_version
from .watch import modes

__all__ = ["NO_JVP", "FunctionCtx", "Rules", "Saved", "among"]

NO_JVP = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."


class FunctionCtx:
    """Context in which forward leaves things for backward and jvp: saved tensors, marks, and whatever attributes the
    user sets."""

    needs_input_grad: tuple[bool, ...] = ()
    materialize_grads: bool = True
    to_save: tuple = ()
    saved_for_forward: tuple = ()
    dirty_tensors: tuple = ()
    non_differentiable: tuple = ()
    _saved: Sequence[Saved | Tensor | None] | None = ()
    _node: Any = None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors for backward, where they are `ctx.saved_tensors`.

        Call it once, from forward or setup_context."""
        _check_savable("save_for_backward", tensors)
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors for jvp, where they are `ctx.saved_tensors`."""
        _check_savable("save_for_forward", tensors)
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Says that forward wrote to these inputs. They must be returned as outputs."""
        for i, t in enumerate(args):
            if not isinstance(t, Tensor):
                raise RuntimeError(
                    f"mark_dirty can only accept variables, but argument {i} is of type {type(t).__name__}"
                )
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs) -> None:
        """Does nothing but warn, as in torch."""
        warnings.warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked. Note that calls to "
            "`set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Says that these outputs have no derivative. backward still gets a gradient for each of them: zeros."""
        for t in args:
            if not isinstance(t, Tensor):
                raise RuntimeError(
                    f"mark_non_differentiable only accepts variable arguments, but got {type(t).__name__}"
                )
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Returns whether gradients and tangents that are zero are given as tensors of zeros (default) or as None."""
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The saved tensors, with their history. Raises if one has been overwritten since, or was freed."""
        if self._saved is None:
            raise RuntimeError(_BACKWARD_TWICE)
        return tuple([s.tensor(self._node) if isinstance(s, Saved) else s for s in self._saved])

    saved_variables = saved_tensors


def _check_savable(who: str, tensors: Sequence) -> None:
    for i, t in enumerate(tensors):
        if t is not None and not isinstance(t, Tensor):
            raise TypeError(f"{who} can only save variables, but argument {i} is of type {type(t).__name__}")


class Saved:
    """A tensor that a node of the tape keeps. An output is kept without its history, which is the node itself."""

    __slots__ = (
        "aval",
        "cell",
        "edge",
        "kept",
        "level",
        "output",
        "packed",
        "unpack",
        "value",
        "version",
        "whole",
    )

    def __init__(self, t: Tensor, output: int | None):
        self.output = output
        self.whole: Any = None
        if t._of_parts:
            self.whole, t = t.detach(), t._numbers  # type: ignore[attr-defined]
        self.value: Value | None = read(t)
        self.aval = t._aval
        self.edge = t._edge if output is None else None
        self.kept = t if output is None else None
        self.cell: Any = t._cell
        self.level = t._cell.level
        self.version = (self.cell.value, self.cell.version)
        self.unpack = None
        if modes.hooks and not state.rec.level:
            pack, self.unpack = modes.hooks[-1]
            here = state.here
            grad, here.grad = here.grad, False
            try:
                self.packed = pack(make_tensor(self.value, self.level, self.edge))  # type: ignore[arg-type]
            finally:
                here.grad = grad
            self.value = self.kept = self.cell = None  # what is packed is kept by nobody else
        elif modes.may_change:
            self.cell = None

    def tensor(self, node: Any) -> Tensor:
        """The tensor with its history, `node` being the one that keeps it. Raises if it was overwritten."""
        found = self._found(node)
        return found if self.whole is None else self.whole._with(found)

    def _found(self, node: Any) -> Tensor:
        """The same; of a sparse tensor its values."""
        edge = self.edge if self.output is None else (node, self.output) if node is not None else None
        if not self.aval.taped:
            edge = None
        if self.unpack is not None:
            return make_tensor(read(self.unpack(self.packed)), self.level, edge)
        value, version = self.version
        if self.cell is not None and not same_version(value, self.cell.value):
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: "
                f"[torch.{self.aval.dtype.scalar_name}Tensor {list(self.aval.shape)}], which is saved by "
                f"{node.name() if node else 'a Function'}, is at version {self.cell.version}; expected version {version} instead. "
                "Hint: write out of place, or work on a clone()."
            )
        if self.kept is not None and self.kept._edge is self.edge and read(self.kept) is self.value:
            return self.kept
        return make_tensor(self.value, self.level, edge)  # type: ignore[arg-type]


def among(t: Any, many: Sequence) -> bool:
    """Returns whether t is one of many, by identity."""
    return any(t is other for other in many)


class Rules(FunctionCtx):
    """The static methods of a Function, as they are when a subclass does not override them."""

    generate_vmap_rule = False

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:  # pyright: ignore[reportRedeclaration]
        """The function. Must be overridden."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:  # pyright: ignore[reportRedeclaration]
        """Leaves on ctx what the derivatives need, when forward takes no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:  # pyright: ignore[reportRedeclaration]
        """The gradients of the arguments from the gradients of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:  # pyright: ignore[reportRedeclaration]
        """The tangents of the outputs from the tangents of the arguments."""
        raise NotImplementedError(NO_JVP)

    @staticmethod
    def vmap(info, in_dims, *args):  # pyright: ignore[reportRedeclaration]
        """The function of a batch: returns (outputs, out_dims)."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap static method or set generate_vmap_rule=True."
        )

    if TYPE_CHECKING:  # each with arguments of its own
        forward: Callable[..., Any]
        setup_context: Callable[..., Any]
        backward: Callable[..., Any]
        vjp: Callable[..., Any]
        jvp: Callable[..., Any]
        vmap: Callable[..., Any]
