"""What Tensor has beyond ops: attributes, operators, conversion to Python and numpy, and the autograd interface."""

from __future__ import annotations


import weakref
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from . import apply as applying
from . import bind, dtypes, printing
from . import device as devices
from .apply import apply, apply_view, check_writable, detach, from_array, read, replace
from .bind import cast, write_inplace
from .dtypes import dtype
from .executor import force_array
from .levels import VMAP_CONTROL_FLOW, VMAP_ITEM, force_in_level
from .op import OPS
from .recorder import state
from .tape import Leaf, Node
from .tensor import Tensor, make_tensor, share_tensor
from .value import Aval

__all__ = ["Size", "attach"]


class Size(tuple):
    """torch.Size: the tuple that `shape` and `size()` return."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def numel(self) -> int:
        """The number of elements of a tensor of this size."""
        total = 1
        for n in self:
            total *= n
        return total

    def __getitem__(self, index):
        got = tuple.__getitem__(self, index)
        return Size(got) if isinstance(index, slice) else got

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other):
        return Size(tuple(other) + tuple(self))


def attach(name: str | None = None) -> Callable:
    """Makes a function a method of Tensor."""

    def put(fn: Callable) -> Callable:
        setattr(Tensor, name or fn.__name__, fn)
        return fn

    return put


# -- attributes ------------------------------------------------------------------------------------------------------


def _property(name: str, getter: Callable, setter: Callable | None = None, doc: str = "") -> None:
    setattr(Tensor, name, property(getter, setter, doc=doc))


_property("shape", lambda t: Size(t._aval.shape))
_property("dtype", lambda t: t._aval.dtype)
_property("device", lambda t: t._aval.device)
_property("ndim", lambda t: len(t._aval.shape))
_property("layout", lambda t: strided)
_property("itemsize", lambda t: t._aval.dtype.itemsize)
_property("nbytes", lambda t: t._aval.nbytes)
_property("is_leaf", lambda t: t._edge is None or type(t._edge[0]) is Leaf)
_property("grad_fn", lambda t: None if t.is_leaf else GradFn.of(t._edge))
_property("output_nr", lambda t: 0 if t._edge is None else t._edge[1])
_property("is_cuda", lambda t: t._aval.device.type == "cuda")
_property("is_cpu", lambda t: t._aval.device.type == "cpu")
_property("is_meta", lambda t: False)
_property("is_sparse", lambda t: False)
_property("is_quantized", lambda t: False)
_property("is_mkldnn", lambda t: False)
_property("is_nested", lambda t: False)
_property("names", lambda t: (None,) * len(t._aval.shape))
_property("_version", lambda t: t._cell.version)
_property("_base", lambda t: t._root)
_property("real", lambda t: apply(OPS["real"], (), (t,)) if t._aval.dtype.is_complex else t)
_property("imag", lambda t: apply(OPS["imag"], (), (t,)))
_property("T", lambda t: _reverse_dims(t))
_property("mT", lambda t: t.transpose(-2, -1))
_property("H", lambda t: t.mH if t.ndim == 2 else _need_2d(t))
_property("mH", lambda t: t.transpose(-2, -1).conj())


class layout:
    """A memory layout; there is one, `strided`."""

    def __repr__(self) -> str:
        return "torch.strided"


strided = layout()


class memory_format:
    """A memory format; accepted everywhere and without effect, since XLA chooses layouts."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


def _reverse_dims(t: Tensor) -> Tensor:
    return t.permute(tuple(reversed(range(t.ndim))))


def _need_2d(t: Tensor):
    raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {t.ndim}-D tensor.")


@attach()
def size(self, dim: int | None = None):
    """The shape, or its entry at `dim`."""
    from .errors import wrap_dim

    shape = self._aval.shape
    return Size(shape) if dim is None else shape[wrap_dim(dim, len(shape))]


@attach()
def dim(self) -> int:
    """The number of dimensions."""
    return len(self._aval.shape)


Tensor.ndimension = Tensor.dim


@attach()
def numel(self) -> int:
    """The number of elements."""
    return Size(self._aval.shape).numel()


Tensor.nelement = Tensor.numel


@attach()
def element_size(self) -> int:
    """Bytes per element."""
    return self._aval.dtype.itemsize


@attach()
def stride(self, dim: int | None = None):
    """Strides of a contiguous tensor of this shape (XLA chooses the real layout)."""
    strides, step = [], 1
    for n in reversed(self._aval.shape):
        strides.insert(0, step)
        step *= max(n, 1)
    return tuple(strides) if dim is None else strides[dim]


@attach()
def is_contiguous(self, memory_format=None) -> bool:
    """True: every tensor behaves as a contiguous one."""
    return True


@attach()
def contiguous(self, memory_format=None):
    """The tensor itself."""
    return self


@attach()
def is_floating_point(self) -> bool:
    """Whether the dtype is a floating point dtype."""
    return self._aval.dtype.is_floating_point


@attach()
def is_complex(self) -> bool:
    """Whether the dtype is a complex dtype."""
    return self._aval.dtype.is_complex


@attach()
def is_signed(self) -> bool:
    """Whether the dtype has negative numbers."""
    return self._aval.dtype.is_signed


@attach()
def get_device(self) -> int:
    """The index of the device; -1 for the CPU."""
    d = self._aval.device
    return -1 if d.type == "cpu" else d.index or 0


# -- to Python and numpy ---------------------------------------------------------------------------------------------


def values_of(t: Tensor, message: str = VMAP_ITEM) -> np.ndarray:
    """The numbers of a tensor, as a numpy array that must not be written to; runs what is pending."""
    v = read(t)
    if v.array is None and v.rec is not None and v.rec.level:
        return np.asarray(force_in_level(v, message))
    return force_array(v)


@attach()
def item(self):
    """The Python number that a tensor of one element holds.

    >>> torch.tensor([2.5]).item()
    2.5
    """
    if self.numel() != 1:
        raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
    return values_of(self).reshape(()).item() if self._aval.dtype.name != "bfloat16" else float(values_of(self).reshape(()))


@attach()
def tolist(self):
    """The numbers as nested lists."""
    return values_of(self).tolist()


@attach()
def numpy(self, *, force: bool = False) -> np.ndarray:
    """The values as a read-only numpy array that shares memory with the tensor where it can. Copy it to write to it."""
    if self._edge is not None and not force:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if self._aval.dtype.name == "bfloat16":
        raise TypeError("Got unsupported ScalarType BFloat16")
    array = values_of(self)
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


@attach()
def __array__(self, dtype=None, copy=None):
    array = self.numpy()
    if copy:
        return np.array(array, dtype=dtype)
    return array if dtype is None else array.astype(dtype)


@attach()
def __jax_array__(self):
    from .executor import force

    return force(read(self))


@attach()
def __dlpack__(self, **kwargs):
    if self._edge is not None:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return self.__jax_array__().__dlpack__(**kwargs) if not isinstance(
        self.__jax_array__(), np.ndarray
    ) else jax.numpy.asarray(self.__jax_array__()).__dlpack__(**kwargs)


@attach()
def __dlpack_device__(self):
    return jax.numpy.asarray(self.__jax_array__()).__dlpack_device__()


@attach()
def __bool__(self) -> bool:
    if self.numel() != 1:
        if self.numel() == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(values_of(self, VMAP_CONTROL_FLOW).reshape(()))


@attach()
def __float__(self) -> float:
    return float(self.item())


@attach()
def __int__(self) -> int:
    return int(self.item())


@attach()
def __complex__(self) -> complex:
    return complex(self.item())


@attach()
def __index__(self) -> int:
    if self._aval.dtype.category > 1 or self.numel() != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self.item())


@attach()
def __len__(self) -> int:
    if not self._aval.shape:
        raise TypeError("len() of a 0-d tensor")
    return self._aval.shape[0]


@attach()
def __iter__(self):
    if not self._aval.shape:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


@attach()
def __contains__(self, element) -> bool:
    return bool((self == element).any())


Tensor.__hash__ = object.__hash__  # by identity


@attach()
def __repr__(self, *, tensor_contents=None) -> str:
    edge = self._edge
    name = None if self.is_leaf else edge[0].name()
    v = read(self)
    if v.array is None and v.rec is not None and v.rec.level:
        kind = v.rec.kind
        return f"{kind}Tensor(shape={list(self._aval.shape)}, dtype={self._aval.dtype})"
    if isinstance(v.array, jax.core.Tracer):
        return f"tensor({v.array})"
    is_leaf_grad = edge is not None and self.is_leaf
    return printing.format_tensor(
        force_array(v), self._aval.dtype, str(self._aval.device), is_leaf_grad, name, getattr(self, "_is_param", False)
    )


@attach()
def __format__(self, spec: str) -> str:
    return self.item().__format__(spec) if self.dim() == 0 and spec else repr(self) if not spec else object.__format__(self, spec)


@attach()
def __reduce_ex__(self, protocol):
    if self._edge is not None and not self.is_leaf:
        raise RuntimeError("only leaf Tensors can be pickled; call detach() first")
    state_ = {k: v for k, v in self.__dict__.items() if not k.startswith("_")}
    return _rebuild, (type(self), np.array(values_of(self)), self._edge is not None, str(self._aval.device), state_)


def _rebuild(cls, array, requires_grad: bool, where: str, attributes: dict):
    t = from_array(array)
    if cls is not Tensor:
        t = share_tensor(cls, t)
    if requires_grad:
        t._edge = (Leaf(t._aval), 0)
    t.__dict__.update(attributes)
    return t


@attach()
def __deepcopy__(self, memo):
    if self._edge is not None and not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment. If you were "
            "attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    import copy

    t = share_tensor(type(self), make_tensor(read(self), state.rec.level))
    if self._edge is not None:
        t._edge = (Leaf(t._aval), 0)
        grad = self.grad
        if grad is not None:
            t._edge[0].grad = copy.deepcopy(grad, memo)
    memo[id(self)] = t
    t.__dict__.update({k: copy.deepcopy(v, memo) for k, v in self.__dict__.items() if not k.startswith("_")})
    return t


@attach()
def data_ptr(self) -> int:
    """An address that tensors sharing storage have in common (never to be dereferenced)."""
    return id(self._cell)


@attach()
def is_set_to(self, tensor) -> bool:
    """Whether both alias the same storage in the same way."""
    return self._cell is tensor._cell and self._lenses == tensor._lenses


# -- operators -------------------------------------------------------------------------------------------------------

_OPERAND = (Tensor, int, float, complex)


def operand(x):
    """x as an operand of arithmetic: a Tensor or Python number; numpy arrays and scalars are converted. None if neither."""
    if isinstance(x, _OPERAND):
        return x if x.__class__ in (int, float, bool, complex) or isinstance(x, Tensor) else bind._plain_number(x)
    if isinstance(x, np.generic):
        return x.item()
    if isinstance(x, np.ndarray):
        return from_array(np.array(x))
    if isinstance(x, jax.Array):
        return from_array(x)
    return None


def _binary(name: str, dunder: str, static: tuple = (), reflected: bool = True, inplace: bool = True) -> None:
    """`a OP b`, `b OP a` and `a OP= b` from one op."""

    op = None

    def forward(self, other):  # hot path
        nonlocal op
        if op is None:
            op = OPS[name]
        if other.__class__ is not Tensor and (other := operand(other)) is None:
            return NotImplemented
        return apply(op, static, (self, other))

    def backward(self, other):
        nonlocal op
        op = OPS[name]
        other = operand(other)
        if other is None:
            return NotImplemented
        return apply(op, static, (other, self))

    def update(self, other):
        check_writable(self)
        return write_inplace(self, forward(self, other))

    forward.__name__ = f"__{dunder}__"
    setattr(Tensor, f"__{dunder}__", forward)
    if reflected:
        setattr(Tensor, f"__r{dunder}__", backward)
    if inplace:
        setattr(Tensor, f"__i{dunder}__", update)


_binary("add", "add")
_binary("sub", "sub")
_binary("mul", "mul")
_binary("div", "truediv", (None,))
_binary("floor_divide", "floordiv")
_binary("remainder", "mod")
_binary("matmul", "matmul")
_binary("bitwise_and", "and")
_binary("bitwise_or", "or")
_binary("bitwise_xor", "xor")
_binary("bitwise_left_shift", "lshift")
_binary("bitwise_right_shift", "rshift")
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _binary(_name, _name, reflected=False, inplace=False)


@attach()
def __pow__(self, other):
    other = operand(other)
    return NotImplemented if other is None else bind.functions.pow(self, other)


@attach()
def __rpow__(self, other):
    return bind.functions.pow(operand(other), self)


@attach()
def __ipow__(self, other):
    return self.pow_(other)


@attach()
def __neg__(self):
    return apply(OPS["neg"], (), (self,))


@attach()
def __pos__(self):
    return self


@attach()
def __abs__(self):
    return apply(OPS["abs"], (), (self,))


@attach()
def __invert__(self):
    return apply(OPS["bitwise_not"], (), (self,))


@attach()
def __getitem__(self, index):
    from .indexing import getitem

    return getitem(self, index)


@attach()
def __setitem__(self, index, value) -> None:
    from .indexing import setitem

    setitem(self, index, value)


# -- conversion ------------------------------------------------------------------------------------------------------


def to_device(t: Tensor, where: devices.device) -> Tensor:
    """t on another device; itself when it is there."""
    if t._aval.device is where:
        return t
    from .executor import flush, force

    v = read(t)
    array = jax.device_put(force(v), devices.jax_device(where))
    flush()
    moved = from_array(array, on=where)
    if t._edge is not None and state.grad:
        raise NotImplementedError(
            "moving a tensor that requires grad between devices inside the tape is not supported yet; detach() it first, "
            "or make the leaf on the target device"
        )
    return moved


@attach()
def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
    """The tensor with another dtype and/or device: `to(dtype)`, `to(device, dtype)`, `to(other)`."""
    for a in args:
        if isinstance(a, Tensor):
            dtype, device = a._aval.dtype, a._aval.device
        elif isinstance(a, dtypes.dtype) or a in bind.PYTHON_DTYPES:
            dtype = a
        elif isinstance(a, bool):
            continue
        elif a is not None:
            device = a
    dtype = bind.PYTHON_DTYPES.get(dtype, dtype)
    out = self
    if device is not None:
        out = to_device(out, devices.resolve(device))
    if dtype is not None:
        out = cast(out, dtype)
    return out.clone() if copy and out is self else out


@attach("type")
def _type(self, dtype=None, non_blocking=False):
    """The type's name ('torch.FloatTensor'), or the tensor cast to a dtype."""
    if dtype is None:
        return f"torch.{dtypes.type_name(self._aval.dtype)}Tensor"
    if isinstance(dtype, str):
        found = [d for d in dtypes.DTYPES.values() if dtype in (str(d), f"torch.{dtypes.type_name(d)}Tensor")]
        if not found:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = found[0]
    return cast(self, bind.PYTHON_DTYPES.get(dtype, dtype))


@attach()
def type_as(self, other):
    """The tensor with other's dtype and device."""
    return self.to(other)


def _caster(name: str, d: dtype) -> None:
    def convert(self, memory_format=None):
        return cast(self, d)

    convert.__name__, convert.__doc__ = name, f"The tensor as {d}."
    setattr(Tensor, name, convert)


for _name, _dtype in {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "long": "int64", "int": "int32",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
}.items():  # fmt: skip
    _caster(_name, dtypes.DTYPES[_dtype])


@attach()
def cpu(self, memory_format=None):
    """The tensor on the CPU."""
    return to_device(self, devices.CPU)


@attach()
def cuda(self, device=None, non_blocking=False, memory_format=None):
    """The tensor on a GPU."""
    return to_device(self, devices.resolve("cuda" if device is None else devices.device(device)))


@attach()
def pin_memory(self, device=None):
    """The tensor itself: XLA manages host memory."""
    return self


@attach()
def is_pinned(self, device=None) -> bool:
    """False: see pin_memory."""
    return False


# -- autograd --------------------------------------------------------------------------------------------------------


class GradFn:
    """`tensor.grad_fn`: a tape node as users may see it."""

    __slots__ = ("_node",)
    _of: weakref.WeakValueDictionary = weakref.WeakValueDictionary()

    def __init__(self, node):
        self._node = node

    @staticmethod
    def of(edge):
        """The GradFn of an edge's node."""
        return None if edge is None else GradFn(edge[0])

    def name(self) -> str:
        """Such as 'AddBackward0'."""
        return self._node.name()

    @property
    def next_functions(self):
        """((GradFn or None, output number), …), one for each input."""
        if type(self._node) is Leaf:
            return ()
        edges = [self._node.edge_of(i) for i, a in enumerate(self._node.step.applied.inputs) if a.__class__ is Aval]
        return tuple((GradFn.of(e), 0 if e is None else e[1]) for e in edges)

    @property
    def variable(self):
        """Of an AccumulateGrad: a tensor that stands for the leaf."""
        raise AttributeError("grad_fn.variable: leaves do not refer back to their tensors")

    def register_hook(self, fn):
        """Calls fn(grad_inputs, grad_outputs) when the node has run; returns a handle."""
        return _add_hook(self._node, "hooks", fn)

    def __eq__(self, other):
        return isinstance(other, GradFn) and self._node is other._node

    def __hash__(self):
        return hash(self._node)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {hex(id(self._node))}>"


def _note_irregular(node) -> None:
    if isinstance(node, Node) and node.session is not None:
        node.session.regular = False


class HookHandle:
    """Removes a hook: `remove()`, or as a context manager."""

    _next = 0

    def __init__(self, hooks: dict):
        HookHandle._next += 1
        self.id, self._hooks = HookHandle._next, hooks

    def remove(self) -> None:
        """Takes the hook away."""
        self._hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


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
    return t._edge is not None


def _set_requires_grad(t: Tensor, flag: bool) -> None:
    requires_grad_(t, flag)


_property("requires_grad", _get_requires_grad, _set_requires_grad)


@attach()
def requires_grad_(self, requires_grad: bool = True):
    """Makes a leaf record gradients (or not)."""
    if requires_grad:
        if self._edge is None:
            if not self._aval.taped:
                raise RuntimeError("only Tensors of floating point dtype can require gradients")
            self._edge = (Leaf(self._aval), 0)
    elif self._edge is not None:
        if not self.is_leaf:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
                "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        self._edge = None
    return self


def _get_grad(t: Tensor):
    if t._edge is None:
        return t.__dict__.get("_grad_without_leaf")
    node, out = t._edge
    if isinstance(node, Leaf):
        return node.grad
    if node.retained is not None and out in node.retained:
        return node.retained[out].grad
    return None


def _set_grad(t: Tensor, grad) -> None:
    if grad is not None:
        if not isinstance(grad, Tensor):
            raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {grad.__class__.__name__}")
        if grad._aval.shape != t._aval.shape:
            raise RuntimeError(
                f"assigned grad has data of a different size: expected {list(t._aval.shape)}, got {list(grad._aval.shape)}"
            )
        if grad._aval.dtype is not t._aval.dtype:
            raise RuntimeError(
                f"assigned grad has data of a different type: expected {t._aval.dtype}, got {grad._aval.dtype}"
            )
    if t._edge is not None and isinstance(t._edge[0], Leaf):
        t._edge[0].grad = grad
    elif grad is not None:
        t.__dict__["_grad_without_leaf"] = grad
    else:
        t.__dict__.pop("_grad_without_leaf", None)


def _delete_grad(t: Tensor) -> None:
    _set_grad(t, None)


Tensor.grad = property(_get_grad, _set_grad, _delete_grad, doc="The accumulated gradient of a leaf, or None.")


@attach()
def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
    """Accumulates the gradients of this tensor into the leaves it was computed from (torch.Tensor.backward)."""
    from ..autograd import backward as run

    run((self,), None if gradient is None else (gradient,), retain_graph, create_graph, inputs=inputs)


Tensor.detach = detach


@attach()
def detach_(self):
    """Takes the tensor out of the graph; it becomes a leaf."""
    if self._lenses:
        raise RuntimeError("Can't detach views in-place. Use detach() instead")
    if state.rec.level:
        applying._store(self._cell, read(detach(self)))
    self._edge = None
    return self


def _set_data(t: Tensor, new: Tensor) -> None:
    if not isinstance(new, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {new.__class__.__name__}")
    read(new)
    t._cell, t._aval = new._cell, new._aval
    t._lenses, t._root, t._seen, t._value = new._lenses, new._root, new._seen, new._value
    if t._edge is not None and isinstance(t._edge[0], Leaf):
        t._edge[0].aval = new._aval


_property("data", lambda t: detach(t), _set_data)


@attach()
def register_hook(self, hook):
    """Calls hook(grad) when this tensor's gradient has been computed; a returned Tensor replaces it."""
    if self._edge is None:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node, out = self._edge
    if isinstance(node, Leaf):
        return _add_hook(node, "hooks", hook)
    _note_irregular(node)
    if node.pre_hooks is None:
        node.pre_hooks = {}
    hooks = node.pre_hooks.setdefault(out, {})
    handle = HookHandle(hooks)
    hooks[handle.id] = hook
    return handle


@attach()
def register_post_accumulate_grad_hook(self, hook):
    """Calls hook(tensor) after a leaf's gradient was accumulated."""
    if self._edge is None or not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    reference = weakref.ref(self)

    def call():
        leaf = reference()
        if leaf is not None:
            hook(leaf)

    return _add_hook(self._edge[0], "post_hooks", call)


@attach()
def retain_grad(self) -> None:
    """Keeps the gradient of a tensor that is no leaf in its `.grad`."""
    if self._edge is None:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node, out = self._edge
    if isinstance(node, Leaf):
        return
    _note_irregular(node)
    if node.retained is None:
        node.retained = {}
    node.retained.setdefault(out, Leaf(self._aval))


_property("retains_grad", lambda t: not t.is_leaf and t._edge[0].retained is not None and t._edge[1] in t._edge[0].retained)


@attach("_make_subclass")
@staticmethod
def _make_subclass(cls, data: Tensor, require_grad: bool = False):
    """A tensor of class `cls` that shares data's storage."""
    read(data)
    t = share_tensor(cls, data)
    if t._lenses:
        t._root = share_tensor(Tensor, t._root)  # type: ignore[arg-type]
    if require_grad:
        requires_grad_(t, True)
    return t


@attach()
def copy_(self, src, non_blocking=False):
    """Writes src, broadcast and cast, into the tensor."""
    check_writable(self)
    if not isinstance(src, Tensor):
        src = from_array(np.asarray(src))
    if src._aval.device is not self._aval.device:
        src = to_device(src, self._aval.device)
    return applying.write(self, apply(OPS["_copy"], (), (self, src)))


@attach()
def set_(self, source=None):
    """Makes the tensor alias `source`."""
    _set_data(self, source)
    return self


Tensor._replace = replace
Tensor.__array_priority__ = 1000  # numpy leaves arithmetic with a Tensor to it


def is_node(x: Any) -> bool:
    """Whether x is a node of the tape (not a leaf)."""
    return isinstance(x, Node)


