"""The autograd interface of Tensor: requires_grad, grad, grad_fn, hooks, detach, data."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np

from .._core.api import (
    OPS,
    Aval,
    Leaf,
    Tensor,
    Value,
    about_imaginary,
    advise,
    apply,
    attach,
    aval,
    bare,
    check_type,
    check_writable,
    composite,
    contiguous_format,
    contiguous_strides,
    default_dtype,
    detach,
    from_array,
    is_bool,
    is_of_transform,
    make_tensor,
    preserve_format,
    read,
    refuse_overlap,
    refuse_pytorchs,
    replace,
    requires_grad,
    set_cell,
    set_property,
    shown_again,
    state,
    strided,
    tidied,
    to_device,
    to_size,
    write,
)
from .._core.api import devices as devices
from .._core.lazy.cutting import DATA
from .._core.lazy.gradients import TensorEngine
from .._core.lazy.levels import pass_through
from .._core.lazy.tape import _BACKWARD_TWICE, Node, _call_hooks, onlookers
from ..func.cuts import passed

__all__ = ["GradFn", "HookHandle", "requires_grad_", "tensor_inputs"]


def _grad_dtype(t: Tensor):
    if t._edge is not None and type(t._edge[0]) is not Leaf:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    return t._aval.dtype


def _set_grad_dtype(t: Tensor, dtype) -> None:
    if dtype is not _grad_dtype(t):
        raise NotImplementedError(
            f"grad_dtype: a gradient has its tensor's dtype here, {t._aval.dtype}; cast it after backward()"
        )


set_property("grad_dtype", _grad_dtype, _set_grad_dtype, "The dtype of the gradient of a leaf: its own.")


class GradFn:
    """`tensor.grad_fn`: a tape node as users may see it. Its class is named after the op, such as MulBackward0.

    Args:
        node: the node of the tape.
    """

    __slots__ = ("_node",)
    _classes: dict[tuple[str, type], type] = {}

    def __init__(self, node):
        self._node = node

    @staticmethod
    def of(edge):
        """The GradFn of an edge's node."""
        if edge is None:
            return None
        name = edge[0].name().rpartition("::")[2]
        base = GradFn if hasattr(edge[0], "ctx") else _CalledGradFn
        made = GradFn._classes.get((name, base))
        if made is None:
            members = {"__slots__": ()}
            if base is GradFn:
                members["__module__"] = "torch.autograd.function"  # type: ignore[assignment]
            made = GradFn._classes[name, base] = type(name, (base,), members)
        return made(edge[0])

    def name(self) -> str:
        """Such as 'AddBackward0'."""
        return self._node.name()

    @property
    def next_functions(self):
        """((GradFn or None, output number), …), one for each input."""
        if type(self._node) is Leaf:
            return ()
        edges = [self._node.edge_of(i) for i in tensor_inputs(self._node)]
        return tuple((GradFn.of(e), 0 if e is None else e[1]) for e in edges)

    @property
    def variable(self):
        """The tensor of an AccumulateGrad. The search goes over all objects, which takes a while: a leaf does not
        refer to it."""
        if type(self._node) is not Leaf:
            raise AttributeError(f"'{self.name()}' object has no attribute 'variable'")
        return _tensor_of(self._node)

    @property
    def metadata(self) -> dict:
        """A dict for the user's own notes on the node (an AccumulateGrad's is kept by its tensor: see `variable`)."""
        keeper = _tensor_of(self._node) if type(self._node) is Leaf else self._node
        return keeper.__dict__.setdefault("_node_metadata", {})

    def register_hook(self, fn):
        """Calls fn(grad_inputs, grad_outputs) when the node has run; returns a handle."""
        if type(self._node) is not Leaf:
            return _add_hook(self._node, "hooks", fn)
        arrived = []

        def keep(grad):
            arrived[:] = [grad]

        def call():
            fn((), (arrived.pop(),))

        return _TwoHandles(_add_hook(self._node, "hooks", keep), _add_hook(self._node, "post_hooks", call))

    def register_prehook(self, fn):
        """Calls fn(grad_outputs) before the node runs; a tuple that it returns replaces them. Returns a handle."""

        def hook(grad):
            replaced = fn((grad,))
            return None if replaced is None else replaced[0]

        node = self._node
        if type(node) is Leaf:
            return _add_hook(node, "hooks", hook)
        outputs = [i for i, a in enumerate(node.out_avals()) if a is not None and a.taped]
        if len(outputs) != 1:
            raise NotImplementedError(
                f"{self.name()}.register_prehook: the node has several outputs. Register a hook on each of its tensors instead."
            )
        return _add_output_hook(node, outputs[0], hook)

    def __getattr__(self, name: str):
        if name.startswith("_saved_"):
            return _saved(self, name)
        ctx = getattr(self._node, "ctx", None)
        if ctx is not None and not name.startswith("__"):  # of an autograd.Function, whose context it is too
            before, ctx._node = ctx._node, self._node
            try:
                return getattr(ctx, name)
            except AttributeError:
                pass
            finally:
                ctx._node = before
        raise AttributeError(f"'{self.name()}' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        node = self._node
        return [*super().__dir__(), *(() if type(node) is Leaf else _saved_places(node))]

    def __eq__(self, other):
        return isinstance(other, GradFn) and self._node is other._node

    def __hash__(self):
        return hash(self._node)

    def __repr__(self) -> str:
        place = "torch.autograd.function." if hasattr(self._node, "ctx") else ""
        return f"<{place}{self.name()} object at {hex(id(self._node))}>"


class _CalledGradFn(GradFn):
    """The node of an op, or of a leaf: called with gradients of its results, it returns the gradients of its inputs.

    Hooks are not called.

    (The node of an autograd.Function cannot be called, in PyTorch neither.)
    """

    __slots__ = ()

    def __call__(self, *grads, **kwargs):
        if kwargs:
            raise TypeError("keyword arguments are not supported")
        node = self._node
        leaf = type(node) is Leaf
        avals = [node.aval] if leaf else node.out_avals()
        if len(grads) != len(avals):
            raise TypeError(f"expected {len(avals)} arguments, got {len(grads)} instead")
        for i, g in enumerate(grads):
            if g is not None and not isinstance(g, Tensor):
                raise TypeError(f"argument {i} is not a Variable")
        given = {
            i: g.expand(a.shape).to(a.dtype)  # type: ignore[attr-defined]
            for i, (g, a) in enumerate(zip(grads, avals))
            if g is not None and a.taped
        }
        if leaf:
            if given:
                TensorEngine.accumulate(node, given[0] if state.grad else detach(given[0]))
            return ()
        node.check_usable()
        found = TensorEngine.backward(node, given) if given else [None] * len(node.edges)
        by_input = dict(zip(node.step.taped.edges, found))
        results = tuple([by_input.get(i) for i in tensor_inputs(node)])
        return results[0] if len(results) == 1 else results


_NUMBERS_ARE_TENSORS = {"add": [0, 1], "sub": [0, 1], "mul": [0, 1], "div": [0, 1], "where": [1, 2]}
"""Ops whose node in PyTorch has a place for a number, which it made a tensor; and which inputs have places."""


def tensor_inputs(node: Node) -> list[int]:
    """Returns the inputs of a node's op that have a place in `next_functions`."""
    inputs = node.step.applied.inputs
    if places := _NUMBERS_ARE_TENSORS.get(getattr(node.step.op, "name", "")):
        return places  # what follows is alpha
    return [i for i, a in enumerate(inputs) if type(a) is Aval and a.taped and not a.weak]


def _tensor_of(leaf: Leaf) -> Tensor:
    for edge in gc.get_referrers(leaf):
        if type(edge) is not tuple or len(edge) != 2 or edge[0] is not leaf:
            continue
        for owner in gc.get_referrers(edge):
            every = gc.get_referrers(owner) if type(owner) is dict else (owner,)
            for t in every:
                if isinstance(t, Tensor) and t._edge is edge:
                    return t
    raise RuntimeError("the tensor of this AccumulateGrad is gone")


_READ_ALL = ("logcumsumexp", "logsumexp")
"""Ops of which PyTorch's nodes save the result beside what it is computed of."""


def _saved_places(node) -> dict[str, int | None]:
    """Returns the places of what the node has saved, by PyTorch's names: of an input its number, of the result None."""
    op = getattr(getattr(node, "step", None), "op", None)
    params = getattr(op, "params", ())
    if any(p.kind == "arrays" for p in params) or not params:
        return {}
    dynamic = [p.name for p in params if p.kind in ("array", "number", "mixed")]
    found: dict[str, int | None] = {
        "_saved_self" if p == "input" else f"_saved_{p}": i
        for i, p in enumerate(dynamic)
        if i in node.step.taped.saved
    }
    # nodes here save what the result is computed of
    if (op.saves == "result" or op.name in _READ_ALL) and len(node.step.taped.saved) == len(dynamic):
        found["_saved_result"] = None
    return found


def _saved(fn: GradFn, name: str):
    """Returns what the node has saved, by its argument's name (`input` is called `self`, as in torch)."""
    node = fn._node
    if node.freed if type(node) is not Leaf else False:
        raise RuntimeError(_BACKWARD_TWICE)
    places = _saved_places(node)
    if name not in places:
        raise AttributeError(f"'{fn.name()}' object has no attribute '{name}'")
    place = places[name]
    if place is not None:
        value = node.saved[node.step.taped.saved.index(place)]
        return make_tensor(value, state.rec.level, node.edge_of(place)) if isinstance(value, Value) else value
    saved = [node.saved[node.step.taped.saved.index(i)] for i in range(len(node.step.taped.saved))]
    inputs = [make_tensor(v, state.rec.level) if isinstance(v, Value) else v for v in saved]
    result = apply(node.step.op, node.step.applied.static, inputs)
    return make_tensor(read(result), state.rec.level, (node, 0))


def _note_irregular(node) -> None:
    onlookers.any = True
    if isinstance(node, Node) and node.session is not None:
        node.session.regular = False


def _get_grad_fn(t: Tensor) -> GradFn | None:
    if t.is_leaf:
        return None
    if t._edge is None:
        raise NotImplementedError(
            f"grad_fn inside {state.rec.kind}: what a transform differentiates by is recorded whole and has no node for each op"
        )
    return GradFn.of(t._edge)


set_property("grad_fn", _get_grad_fn)


class HookHandle:
    """Removes a hook: `remove()`, or as a context manager."""

    _next = 0

    def __init__(self, hooks: dict):
        self.id, self._hooks = HookHandle._next, hooks
        HookHandle._next += 1

    def remove(self) -> None:
        """Takes the hook away."""
        self._hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


class _TwoHandles:
    """Removes two hooks together."""

    def __init__(self, *handles: HookHandle):
        self._handles = handles
        self.id = handles[0].id

    def remove(self) -> None:
        """Takes the hooks away."""
        for h in self._handles:
            h.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def _add_output_hook(node, out: int, fn) -> HookHandle:
    _note_irregular(node)
    if node.pre_hooks is None:
        node.pre_hooks = {}
    hooks = node.pre_hooks.setdefault(out, {})
    handle = HookHandle(hooks)
    hooks[handle.id] = fn
    return handle


def _add_hook(owner, slot: str, fn) -> HookHandle:
    _note_irregular(owner)
    if getattr(owner, slot) is None:
        setattr(owner, slot, {})
    hooks = getattr(owner, slot)
    handle = HookHandle(hooks)
    hooks[handle.id] = fn
    return handle


def _get_requires_grad(t: Tensor) -> bool:
    if t._lenses and t._seen is not t._cell.value:
        read(t)
    return requires_grad(t)


def _set_requires_grad(t: Tensor, flag: bool) -> None:
    if not isinstance(flag, bool):
        raise RuntimeError("requires_grad must be a bool")
    requires_grad_(t, flag)


set_property("requires_grad", _get_requires_grad, _set_requires_grad)


def _backward_hooks(t: Tensor) -> dict | None:
    if t._edge is None:
        return None
    node, out = t._edge
    return (node.hooks if isinstance(node, Leaf) else (node.pre_hooks or {}).get(out)) or None


set_property(
    "_backward_hooks",
    _backward_hooks,
    None,
    "The hooks of `register_hook` by their ids; None, if there are none.",
)


@attach()
@tidied
def requires_grad_(self, requires_grad: bool = True):
    """Makes a leaf record gradients (or not).

    RuntimeError for dtypes that are neither floating point nor complex, and for a tensor that is not a leaf.

    >>> torch.ones(2).requires_grad_()
    tensor([1., 1.], requires_grad=True)
    """
    check_type(is_bool(requires_grad), requires_grad, "bool", "requires_grad_", "requires_grad", 1)
    if requires_grad:
        if not self.requires_grad:
            if not self._aval.taped:
                raise RuntimeError("only Tensors of floating point dtype can require gradients")
            self._edge = (_thawed(self) or Leaf(self._aval), 0)
    elif self.requires_grad:
        if not self.is_leaf:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
                "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if self._edge is None:
            raise RuntimeError(_NOT_YOURS.format("Tensor.requires_grad_()"))
        _freeze(self)
    return self


_NOT_YOURS = (
    "You are attempting to call {} inside of a function being transformed by a functorch transform. This is unsupported, for tensors "
    "that the transform differentiates by: use Tensor.detach() for a tensor without gradients, or another transform for further ones."
)


_GRAD = "grad"
"""Under this name `_more` holds the `.grad` of a tensor that requires none, or did not yet when it was set."""


def _freeze(t: Tensor) -> None:
    """A leaf that records no more keeps its gradient and its hooks: optimizers go on reading the one, the other wait
    for its return."""
    leaf = t._edge[0]
    t._edge = None
    t._more = {**(t._more or {}), "frozen leaf": leaf}
    _set_grad(t, leaf.grad)
    leaf.grad = None


def _thawed(t: Tensor) -> Leaf | None:
    """The leaf that a frozen tensor had, with the gradient that the tensor has now."""
    if t._more is None:
        return None
    grad, leaf = t._more.pop(_GRAD, None), t._more.pop("frozen leaf", None)
    if leaf is None or leaf.aval is not t._aval:
        leaf = Leaf(t._aval) if grad is not None else None
    if leaf is not None:
        leaf.grad = grad
    return leaf


def _accumulator(t: Tensor) -> Leaf | None:
    """Where backward() puts the gradient of `t`, if it keeps it."""
    if t._edge is None:
        return None
    node, out = t._edge
    if isinstance(node, Leaf):
        return node
    return None if node.retained is None else node.retained.get(out)


def _get_grad(t: Tensor):
    leaf = _accumulator(t)
    if leaf is not None:
        return leaf.grad
    given = None if t._more is None else t._more.get(_GRAD)
    if t._edge is None or given is not None:
        return given
    advise(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated during "
        "autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use .retain_grad() on the "
        "non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
        "github.com/pytorch/pytorch/pull/30531 for more information.",
        once=False,
    )
    return None


def _set_grad(t: Tensor, grad) -> None:
    if grad is not None:
        if not isinstance(grad, Tensor):
            refuse_pytorchs(grad)
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type {grad.__class__.__name__}"
            )
        if grad is t:
            raise RuntimeError("can't assign Variable as its own grad")
        if grad._aval.dtype is not t._aval.dtype:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{grad._aval.dtype.cpp_name}' to a tensor with grad_dtype "
                f"'{t._aval.dtype.scalar_name}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). "
                "You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype "
                "with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that assume they "
                "match."
            )
        if grad._aval.device.type != t._aval.device.type:
            raise RuntimeError(
                f"attempting to assign a gradient with device type '{grad._aval.device.type}' to a tensor with device type "
                f"'{t._aval.device.type}'. Please ensure that the gradient and the tensor are on the same device"
            )
        if grad._aval.shape != t._aval.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(grad._aval.shape)}' to a tensor of size "
                f"'{list(t._aval.shape)}'. Please ensure that the gradient and the tensor are the same size"
            )
    leaf = _accumulator(t)
    if leaf is not None:
        leaf.grad = grad
    elif grad is not None:
        t._more = {**(t._more or {}), _GRAD: grad}
    elif t._more is not None:
        t._more.pop(_GRAD, None)


def _delete_grad(t: Tensor) -> None:
    _set_grad(t, None)


Tensor.grad = property(_get_grad, _set_grad, _delete_grad, doc="The accumulated gradient of a leaf, or None.")


Tensor.detach = detach
composite(detach)


@attach()
@tidied
def detach_(self):
    """Takes the tensor out of the graph; it becomes a leaf."""
    if self._lenses:
        raise RuntimeError("Can't detach views in-place. Use detach() instead")
    if state.rec.level:
        set_cell(self._cell, read(detach(self)))
    if self._edge is not None and isinstance(self._edge[0], Leaf):
        _freeze(self)  # it keeps its .grad
    self._edge = None
    return self


def _set_data(t: Tensor, new: Tensor) -> None:
    if not isinstance(new, Tensor):
        refuse_pytorchs(new)
        raise TypeError(f"Variable data has to be a tensor, but got {new.__class__.__name__}")
    if is_of_transform(t):
        raise RuntimeError("mutating directly with `.data` inside functorch transform is not allowed.")
    if t._edge is not None and new._aval.dtype.category < 2:
        raise RuntimeError(
            "data set to a tensor that requires gradients must be floating point or complex dtype"
        )
    read(new)
    t._cell, t._aval = new._cell, new._aval
    t._lenses, t._root = new._lenses, new._root
    if new._lenses:
        t._seen, t._value, t._origin = new._seen, new._value, None
    if t._edge is not None and isinstance(t._edge[0], Leaf):
        t._edge[0].aval = new._aval


set_property("data", lambda t: detach(t, DATA), _set_data)


@attach()
@tidied
def register_hook(self, hook):
    """Calls hook(grad) when this tensor's gradient has been computed; a returned Tensor replaces it.

    RuntimeError for a tensor that does not require grad.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> handle = w.register_hook(lambda grad: 10 * grad)
    >>> w.sum().backward()
    >>> w.grad
    tensor([10., 10.])
    """
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if is_of_transform(self):
        return _hook_in_transform(self, hook)
    node, out = self._edge
    if isinstance(node, Leaf):
        return _add_hook(node, "hooks", hook)
    return _add_output_hook(node, out, hook)


def _hook_in_transform(t: Tensor, hook) -> HookHandle:
    """A hook on a tensor that a running transform differentiates by: its value goes through a cut, whose derivative
    calls the hook."""
    value, hooks = (t._more or {}).get("hooks in a transform", (None, {}))
    if value is not read(t):  # it has none yet, or it was written to since
        hooks = {}

        def call(grads):
            (grad,) = grads
            return [grad] if grad is None else [_call_hooks(hooks, grad, TensorEngine)]

        pass_through(t, passed([t], call)[0])
        t._more = {**(t._more or {}), "hooks in a transform": (read(t), hooks)}
    handle = HookHandle(hooks)
    hooks[handle.id] = hook
    return handle


@attach()
def register_post_accumulate_grad_hook(self, hook):
    """Calls hook(tensor) after a leaf's gradient was accumulated.

    RuntimeError for a tensor that is not a leaf, or does not require grad.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> handle = w.register_post_accumulate_grad_hook(lambda w: print(w.grad))
    >>> w.sum().backward()
    tensor([1., 1.])
    """
    if self._edge is None or not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    reference = weakref.ref(self)

    def call():
        leaf = reference()
        if leaf is not None and (made := hook(leaf)) is not None and made is not leaf:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")

    return _add_hook(self._edge[0], "post_hooks", call)


@attach()
def retain_grad(self) -> None:
    """Keeps the gradient of a tensor that is not a leaf in its `.grad`.

    RuntimeError for a tensor that does not require grad.

    >>> y = torch.ones(2, requires_grad=True) * 2
    >>> y.retain_grad()
    >>> y.sum().backward()
    >>> y.grad
    tensor([1., 1.])
    """
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if self._edge is None:
        raise RuntimeError(_NOT_YOURS.format("Tensor.retain_grad()"))
    node, out = self._edge
    if isinstance(node, Leaf):
        return
    _note_irregular(node)
    if node.retained is None:
        node.retained = {}
    if out not in node.retained:
        node.retained[out] = leaf = Leaf(self._aval)
        leaf.grad = None if self._more is None else self._more.pop(_GRAD, None)


set_property(
    "retains_grad",
    lambda t: (
        type(t._edge) is tuple and type(t._edge[0]) is not Leaf and t._edge[1] in (t._edge[0].retained or ())
    ),
)


@attach("_make_subclass")
@staticmethod
def _make_subclass(cls, data: Tensor, require_grad: bool = False):
    """A tensor of class `cls` that shares data's storage; inside a transform, it has data's value and no derivative.

    TypeError if cls is not a class of tensors, RuntimeError if data's dtype takes no gradient and one is required.

    >>> class Named(torch.Tensor):
    ...     pass
    >>> type(torch.Tensor._make_subclass(Named, torch.ones(2))).__name__
    'Named'
    """
    _check_subclass(cls)
    check_type(isinstance(data, Tensor), data, "Tensor", "_make_subclass", "data", 2)
    check_type(is_bool(require_grad), require_grad, "bool", "_make_subclass", "require_grad", 3)
    if require_grad and not (data.is_floating_point() or data.is_complex()):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    if state.rec.level:
        data = detach(data)
    read(data)
    t = shown_again(cls, data)
    if require_grad:
        requires_grad_(t, True)
    return t


def _check_subclass(cls: Any) -> None:
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. "
            "Make sure your class inherits from Tensor."
        )


_PLAIN_FORMATS = (None, contiguous_format, preserve_format)


@attach("_make_wrapper_subclass")
@staticmethod
def _make_wrapper_subclass(
    cls, size, *, strides=None, storage_offset=None, memory_format=None, dtype=None, layout=strided, device=None,
    pin_memory=False, requires_grad=False,
):  # fmt: skip
    """A tensor of class `cls` with a shape, a dtype, a device and no values of its own: its `__torch_dispatch__`
    computes, or its `__torch_function__`.

    `__torch_dispatch__(func, types, args, kwargs)` is called with each op of aten that has such a tensor among its
    arguments, as dispatch modes are. TypeError where cls has none. Operations that need values outside of it raise
    RuntimeError: reading, and derivatives with respect to such a tensor. NotImplementedError for properties that do
    not follow from its shape: strides of a tensor that is not contiguous, an offset, a layout, pinned memory.

    >>> class Wrapper(torch.Tensor):
    ...     __torch_dispatch__ = classmethod(lambda cls, func, types, args=(), kwargs=None: NotImplemented)
    >>> torch.Tensor._make_wrapper_subclass(Wrapper, (2, 3)).shape
    torch.Size([2, 3])
    """
    _check_subclass(cls)
    if not hasattr(cls, "__torch_dispatch__"):
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    size = to_size((size,), "_make_wrapper_subclass", "size", 1)
    if strides is not None and tuple(strides) != contiguous_strides(size):
        raise NotImplementedError(
            "_make_wrapper_subclass: the strides must be those of a contiguous tensor; leave strides= out"
        )
    if storage_offset or pin_memory or layout is not strided or memory_format not in _PLAIN_FORMATS:
        raise NotImplementedError(
            "_make_wrapper_subclass: storage_offset, memory_format, layout and pin_memory are not kept here"
        )
    t = bare(cls)
    t._aval = aval(size, dtype or default_dtype(), devices.resolve(device))
    if requires_grad:
        t._edge = (Leaf(t._aval), 0)
    return t


@attach()
@tidied
def copy_(self, src, non_blocking=False):
    """Writes src, broadcast and cast, into the tensor.

    RuntimeError for a shape that does not broadcast to this tensor's.

    >>> torch.zeros(2, 2).copy_(torch.tensor([1, 2]))
    tensor([[1., 2.],
            [1., 2.]])
    """
    check_writable(self)
    if not isinstance(src, Tensor):
        src = from_array(np.asarray(src))
    if src._aval.device is not self._aval.device:
        src = to_device(src, self._aval.device)
    if src._cell is self._cell:
        refuse_overlap(src, self)
    about_imaginary(src._aval.dtype, self._aval.dtype)
    return write(self, apply(OPS["_copy"], (), (self, src)))


Tensor._grad = Tensor.grad  # type: ignore[attr-defined]  # as older programs call it
Tensor._replace = replace
Tensor.__array_priority__ = 1000  # numpy leaves arithmetic with a Tensor to it
