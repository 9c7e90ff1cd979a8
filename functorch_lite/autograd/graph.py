"""torch.autograd.graph: hooks on saved tensors and on several gradients, and the graph as users may see it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .._core.api import DerivedOp, Leaf, NotOneOp, Tensor, apply_op, replace, state
from ..api_names import lookup_of
from ..func.cuts import NO_SAVED_HOOKS
from . import watch
from .tensor_methods import GradFn

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "get_gradient_edge",
    "increment_version", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks",
]  # fmt: skip

Node = GradFn
"""The type of `tensor.grad_fn`."""


# -- saved tensors ---------------------------------------------------------------------------------------------------


class saved_tensors_hooks:
    """A context in which every tensor that is saved for backward is passed through pack_hook, and what that returned
    through unpack_hook when backward needs it.

    The tape saves the inputs that an op's derivative reads (PyTorch's sometimes saves a result instead). pack_hook is
    called without grad mode and must not write to its tensor; unpack_hook must return a tensor of the same shape, dtype
    and device.

    Args:
        pack_hook: a function of a saved tensor that returns any object.
        unpack_hook: a function of that object that returns a tensor of the same shape, dtype and
            device.

    >>> x = torch.zeros(2, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), torch.from_numpy):
    ...     y = x.sin()
    >>> y.sum().backward(); x.grad.tolist()
    [1.0, 1.0]
    """

    refuses_transforms = True
    """Reverse transforms inside raise: they save by themselves, past the hooks."""

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if watch.modes.disabled:
            raise RuntimeError(watch.modes.disabled[-1])
        if state.rec.kind.one_op:
            raise NotOneOp("saved_tensors_hooks are entered inside")
        if state.rec.level:
            raise RuntimeError(NO_SAVED_HOOKS)
        watch.modes.hooks.append((self.pack_hook, self.unpack_hook))
        state.here.saved_hooks += self.refuses_transforms
        watch.watch()

    def __exit__(self, *exc: object) -> None:
        watch.unwatch()
        watch.modes.hooks.pop()
        state.here.saved_hooks -= self.refuses_transforms


class save_on_cpu(saved_tensors_hooks):
    """A context in which tensors saved for backward are kept in the host's memory, and are moved back when backward
    needs them.

    pin_memory is for PyTorch's asynchronous copies; JAX stages its own, so it changes nothing. On a CPU there is
    nothing to move.

    Args:
        pin_memory: concerns PyTorch's asynchronous copies and changes nothing. Default: False.
        device_type: the type of the device. Default: "cuda".
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        def pack(t: Tensor) -> tuple[Any, Tensor]:
            return t.device, t.detach().cpu()

        def unpack(packed: tuple[Any, Tensor]) -> Tensor:
            device, t = packed
            return t.to(device)

        super().__init__(pack, unpack)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """A context in which saved_tensors_hooks raises RuntimeError(error_message).

    Args:
        error_message: the message of the RuntimeError.
    """
    if watch.modes.hooks:
        raise RuntimeError(error_message)
    watch.modes.disabled.append(error_message)
    try:
        yield
    finally:
        watch.modes.disabled.pop()


class _AllowMutation:
    """Result of entering allow_mutation_on_saved_tensors. Values are immutable, so no clones have to be cleared."""

    def clear(self) -> None:
        """Does nothing."""


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutation]:
    """A context in which tensors saved for backward may be written to in place: backward uses the values that were
    saved.

    Unlike PyTorch's, it copies nothing, and backward may be called after it has ended.
    """
    if watch.modes.may_change:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    watch.modes.may_change = True
    watch.watch()
    try:
        yield _AllowMutation()
    finally:
        watch.unwatch()
        watch.modes.may_change = False


_SAME = DerivedOp(lambda x: (x + 0 if x.dtype != bool else x | False,), "increment_version")


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Counts a write to the tensor (or to each of several): a backward that has saved it then raises.

    Args:
        tensor: a tensor, or several.

    >>> a = torch.ones(2)
    >>> torch.autograd.graph.increment_version(a); a._version
    1
    """
    if not isinstance(tensor, Tensor | Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    every = (tensor,) if isinstance(tensor, Tensor) else tuple(tensor)
    for t in every:
        if not isinstance(t, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
    for t in every:
        replace(t, apply_op(_SAME, None, (t.detach(),))[0])


# -- the graph -------------------------------------------------------------------------------------------------------


class GradientEdge(NamedTuple):
    """A place in the graph where a gradient arrives: a node and the number of its output.

    Accepted by grad and backward.

    Args:
        node: the node of the graph.
        output_nr: which output of the node.
        ownership_token: an object that is kept alive. None is the default.
    """

    node: Any
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place in the graph where the tensor's gradient arrives. It keeps the graph alive, not the tensor.

    Args:
        tensor: the tensor.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x)
    >>> torch.autograd.grad(x ** 2, edge)
    (tensor(6.),)
    """
    if tensor._edge is None:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients, or that a running transform "
            "differentiates by: it has no tape"
        )
    node, out = tensor._edge  # type: ignore[misc]
    return GradientEdge(GradFn.of((node, out)), out)


# -- hooks on several tensors ----------------------------------------------------------------------------------------


class _MultiHandle:
    """Removes a hook on several tensors."""

    def __init__(self, handles: Sequence[Any]):
        self._handles = list(handles)

    def remove(self) -> None:
        """Takes the hook away."""
        if self._handles:
            watch.multi_hooks -= 1
        for h in self._handles:
            h.remove()
        self._handles = []

    def __enter__(self) -> _MultiHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: str = "all"
) -> _MultiHandle:
    """Calls fn when gradients of several tensors have been computed.

    mode "all": fn(list of gradients) once in each backward that reaches any of the tensors, when all that it reaches
    are known; None for the others. mode "any": fn(gradient) at the first of them. The return value of fn is ignored.

    Args:
        tensors: the tensors whose gradients are awaited.
        fn: the hook: a function of the list of gradients for mode "all", of one gradient for
            "any".
        mode: "all" calls the hook once in each backward, when all gradients are known; "any" at
            the first of them. Default: "all".
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    for t in tensors:
        if t._edge is None:
            raise AssertionError("Expected gradient function to be set")
    edges = [t._edge for t in tensors]
    task: watch.Task | None = None
    grads: list[Tensor | None] = []
    missing = 0

    def arrived(i: int, grad: Tensor) -> None:
        nonlocal task, grads, missing
        now = watch.modes.task
        if now is None or not now.reaches(edges[i]):
            return
        if now is not task:
            task = now
            grads = [None] * len(edges)
            missing = sum(now.reaches(e) for e in edges)
            if mode == "any":
                fn(grad)
        grads[i] = grad
        missing -= 1
        if missing == 0:
            done, grads = grads, []
            if mode == "all":
                fn(done)

    watch.multi_hooks += 1
    return _MultiHandle([t.register_hook(lambda g, i=i: arrived(i, g)) for i, t in enumerate(tensors)])


def is_leaf_edge(edge: Any) -> bool:
    """Returns whether an edge of the tape leads to a leaf."""
    return type(edge[0]) is Leaf


__getattr__ = lookup_of(__name__)
