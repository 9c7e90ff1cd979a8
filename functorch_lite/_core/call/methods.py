"""Attributes and methods of Tensor that are no ops: conversion to Python and numpy, and the autograd interface."""

from __future__ import annotations

import contextlib
import copyreg
import math
import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from ..lazy.apply import detach, from_array, read
from ..lazy.dependence import check_storage, differentiation_of, is_of_transform, requires_grad
from ..lazy.kinds import USE_JAX_FUNCTION, VMAP_CONTROL_FLOW, VMAP_ITEM, VMAP_LEAVES
from ..lazy.levels import values_of
from ..lazy.meta import meta_value, on_meta
from ..lazy.recorder import state
from ..lazy.strides import signs_of, stays
from ..lazy.tape import Leaf
from ..lazy.tensor import Tensor, make_tensor, share_tensor
from ..lazy.value import Aval, Noting
from ..lazy.windows import elements
from ..run.executor import force
from ..run.program import placed
from ..words import device as devices
from ..words import dtypes, forked
from ..words.advice import advise
from ..words.dtypes import dtype
from ..words.errors import wrap_dim
from ..words.jax_private import makers_of_avals
from ..words.memory_format import check_memory_format
from ..words.tracebacks import tidied, tidy
from .gate import PYTHON_DTYPES
from .moving import to_device
from .results import cast
from .size import size_of_ints

__all__ = ["attach"]


def attach(name: str | None = None) -> Callable:
    """Makes a function a method of Tensor."""

    def put(fn: Callable) -> Callable:
        setattr(Tensor, name or fn.__name__, fn)
        return fn

    return put


# -- attributes ------------------------------------------------------------------------------------------------------


def set_property(name: str, getter: Callable, setter: Callable | None = None, doc: str = "") -> None:
    setattr(Tensor, name, property(getter, setter, doc=doc))


set_property("shape", lambda t: size_of_ints(t._aval.shape))
set_property("dtype", lambda t: t._aval.dtype)
set_property("device", lambda t: t._aval.device)
set_property("ndim", lambda t: len(t._aval.shape))


def _is_leaf(t: Tensor) -> bool:
    if t._edge is not None:
        return type(t._edge[0]) is Leaf
    return not is_of_transform(t) or read(t).index < 0


set_property("is_leaf", _is_leaf)
set_property("output_nr", lambda t: 0 if t._edge is None else t._edge[1])
set_property("is_cuda", lambda t: t._aval.device.type == "cuda")
set_property("is_cpu", lambda t: t._aval.device.type == "cpu")
set_property("is_meta", lambda t: t._aval.device is devices.META)
set_property("is_sparse", lambda t: False)
set_property("is_quantized", lambda t: False)
set_property("is_mkldnn", lambda t: False)
set_property("is_nested", lambda t: False)
set_property("names", lambda t: (None,) * len(t._aval.shape))
set_property("_version", lambda t: t._cell.version)
set_property("_base", lambda t: t._root)
set_property("T", lambda t: _reverse_dims(t))
set_property("mT", lambda t: _of_matrices("mT", t).transpose(-2, -1) if t.ndim else _of_a_number("mT", t))
set_property("H", lambda t: _of_matrices("H", t).adjoint() if t.ndim else _of_a_number("H", t).conj())
set_property("mH", lambda t: _of_matrices("mH", t).adjoint() if t.ndim else _of_a_number("mH", t).conj())


def _reverse_dims(t: Tensor) -> Tensor:
    if t.ndim != 2:
        if not t.ndim:
            _of_a_number("T", t)
        else:
            advise(
                "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error in "
                "a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to "
                "reverse the dimensions of a tensor."
            )
    return t.permute(tuple(reversed(range(t.ndim))))


def _of_a_number(name: str, t: Tensor) -> Tensor:
    """The tensor of no dims, whose transpose is deprecated."""
    today = "Consider using x.conj()." if "H" in name else "This function is the identity in these cases."
    advise(f"Tensor.{name} is deprecated on 0-D tensors. {today}")
    return t


def _of_matrices(name: str, t: Tensor) -> Tensor:
    """The tensor, of which torch has this transpose: a matrix, a number, or for mT and mH a batch of matrices."""
    if t.ndim in (0, 2) or (t.ndim > 2 and name != "H"):
        return t
    what = "matrices (2-D tensors)" if name == "H" else "matrices or batches of matrices"
    more = " For batches of matrices, consider using tensor.mH" if t.ndim > 2 else ""
    raise RuntimeError(f"tensor.{name} is only supported on {what}. Got {t.ndim}-D tensor.{more}")


@attach()
def size(self, dim: int | None = None):
    """The shape, or its entry at `dim`.

    IndexError for a dim that there is not.

    >>> torch.ones(2, 3).size(), torch.ones(2, 3).size(-1)
    (torch.Size([2, 3]), 3)
    """
    shape = self._aval.shape
    return size_of_ints(shape) if dim is None else shape[wrap_dim(dim, len(shape))]


@attach()
def dim(self) -> int:
    """The number of dimensions.

    >>> torch.ones(2, 3).dim()
    2
    """
    return len(self._aval.shape)


Tensor.ndimension = Tensor.dim


@attach()
def numel(self) -> int:
    """The number of elements.

    >>> torch.ones(2, 3).numel()
    6
    """
    return math.prod(self._aval.shape)


Tensor.nelement = Tensor.numel


@attach()
def is_floating_point(self) -> bool:
    """Returns whether the dtype is a floating point dtype.

    >>> torch.ones(2).is_floating_point()
    True
    """
    return self._aval.dtype.is_floating_point


@attach()
def is_complex(self) -> bool:
    """Returns whether the dtype is a complex dtype.

    >>> torch.ones(2).is_complex()
    False
    """
    return self._aval.dtype.is_complex


@attach()
def is_signed(self) -> bool:
    """Returns whether the dtype has negative numbers.

    >>> torch.ones(2).is_signed()
    True
    """
    return self._aval.dtype.is_signed


@attach()
def get_device(self) -> int:
    """The index of the device; -1 for the CPU.

    >>> torch.ones(2).get_device()
    -1
    """
    d = self._aval.device
    return -1 if d.type == "cpu" else d.index or 0


# -- to Python and numpy ---------------------------------------------------------------------------------------------


def _number(t: Tensor, message: str) -> Any:  # hot path
    """The number in a tensor of one element. `message`: the error inside vmap."""
    a = t._aval
    if a.device is devices.META:
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")
    array = values_of(t, message)
    return array.item() if a.dtype is not dtypes.bfloat16 else float(array.reshape(()))


@attach()
def item(self):
    """The Python number that a tensor of one element holds.

    >>> torch.tensor([2.5]).item()
    2.5
    """
    try:
        if self._aval.shape and self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return _number(self, VMAP_ITEM)
    except BaseException as error:
        tidy(error)
        raise


_NO_TOLIST = VMAP_LEAVES.format("tolist()")


@attach()
@tidied
def tolist(self):
    """The numbers as nested lists.

    A number, of a tensor of no dims. It waits for the values; inside a transform, where there are none, it raises.

    >>> torch.tensor([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
    """
    return values_of(self, _NO_TOLIST).tolist()


@attach()
@tidied
def numpy(self, *, force: bool = False) -> np.ndarray:
    """The values as a read-only numpy array that shares memory with the tensor where it can. Copy it to write to it.

    Of a tensor that requires grad only with `force`, or where gradients are off; nor inside of a transform whose
    derivative would be lost.

    Same shape and dtype; RuntimeError for a tensor that requires grad, TypeError for one on another device.

    >>> torch.tensor([[1., 2.]]).numpy().shape
    (1, 2)
    """
    if not force and (whose := differentiation_of(self, state.grad)):
        raise RuntimeError(f"Can't call numpy() on Tensor that {whose}. Use tensor.detach().numpy() instead.")
    if self._lenses and not force:
        for bit, kind, has in zip(("conjugate", "negative"), ("conj", "neg"), signs_of(self)):
            if has:
                raise RuntimeError(
                    f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.resolve_{kind}().numpy() instead."
                )
    if self._aval.dtype.name == "bfloat16":
        raise TypeError("Got unsupported ScalarType BFloat16")
    if self._aval.device is devices.META:
        raise TypeError(
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )
    array = values_of(self, VMAP_LEAVES.format("numpy()"))
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


@attach()
@tidied
def __array__(self, dtype=None, copy=None):
    array = self.numpy()
    if copy:
        return np.array(array, dtype=dtype)
    return array if dtype is None else array.astype(dtype)


@attach()
def __array_wrap__(self, array, context=None, return_scalar=False):
    """Makes a Tensor of the result of a numpy function on Tensors: of uint8 where numpy's is of bools, as PyTorch has
    it."""
    return from_array(np.array(array, np.uint8 if array.dtype == bool else None))


def _without_dtype(t: Tensor) -> Any:
    """As what JAX's transformations, and functions that are compiled, take an argument: not at all.

    `jnp.asarray` does."""
    raise RuntimeError(  # a TypeError would be hidden behind one of JAX's, or behind "not a valid JAX type"
        f"Can't give a Tensor to a function of JAX's. {USE_JAX_FUNCTION}; jnp.asarray(tensor.detach()) has its numbers alone."
    )


makers_of_avals[Tensor] = _without_dtype  # else JAX speaks of __jax_array__, which users know nothing of


@attach()
def __jax_array__(self):
    return to_jax_array(self, "Can't give a Tensor that {} to JAX.")


class _Capturing(threading.local):
    on = False


_capturing = _Capturing()


@contextlib.contextmanager
def capturing() -> Iterator[None]:
    """While a JAX function becomes an op: no tensor may get into it but as an argument."""
    before, grad = _capturing.on, state.grad
    _capturing.on = state.grad = True
    try:
        yield
    finally:
        _capturing.on, state.grad = before, grad


def to_jax_array(t: Tensor, refusal: str) -> Any:
    """The array of a tensor, for JAX; `refusal` begins the error if its derivative would be lost, or if vmap maps over
    it. Under a JAX transformation of the user's, JAX differentiates what is computed from a tracer, whatever the tape
    may hold of it."""
    whose = differentiation_of(t, state.grad, tangents=True)
    if _capturing.on and (whose or not _is_traced(t)):
        raise RuntimeError(
            f"{refusal.format(whose or 'a JAX function captures')} jax_function, which makes the function an op, would take it for a constant: "
            "pass it as an argument."
        )
    if whose and (t._edge is None or not _is_traced(t)):
        raise RuntimeError(
            f"{refusal.format(whose)} {USE_JAX_FUNCTION}; tensor.detach() has its numbers alone."
        )
    array = _forced(t, f"vmap: {refusal.format('vmap maps over')} {USE_JAX_FUNCTION}.")
    return placed(array, t._aval.device) if isinstance(array, np.ndarray) else array


def _is_traced(t: Tensor) -> bool:
    """Returns whether a tensor's value is one that a JAX transformation of the user's traces."""
    v = read(t)
    inside = v.array is None and v.rec is not None and v.rec.level
    return not inside and not on_meta(v) and isinstance(force(v), jax.core.Tracer)


def _forced(t: Tensor, message: str) -> Any:
    v = read(t)
    if on_meta(v):
        raise NotImplementedError(devices.NO_DATA)
    if v.array is None and v.rec is not None and v.rec.level:
        return v.rec.value_of(v, message)
    if Noting.reading is not None:
        Noting.reading(v)
    array = force(v)
    return v.aval.device.logical(array, v.aval) if v.aval.device.is_mesh else array


@attach()
@tidied
def __dlpack__(self, *, copy: bool | None = None, **kwargs):
    if differentiation_of(self, True):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    array = _on_device(self)
    if copy is not False:  # who takes it may write to it, and other tensors may have the same array
        with jax.enable_x64(True):
            array = jax.numpy.array(array, copy=True)
    return array.__dlpack__(**kwargs)


@attach()
def __dlpack_device__(self):
    return _on_device(self).__dlpack_device__()


def _on_device(t: Tensor) -> jax.Array:
    """The numbers of a tensor as an array of JAX's, never one of numpy's."""
    if forked.here.child:
        forked.refuse("an array for DLPack")
    with jax.enable_x64(True):
        return jax.numpy.asarray(_forced(t, VMAP_LEAVES.format("__dlpack__()")))


@attach()
def __bool__(self) -> bool:
    try:
        if self._aval.shape and self.numel() != 1:
            what = "more than one value" if self.numel() else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
        return bool(_number(self, VMAP_CONTROL_FLOW))
    except BaseException as error:
        tidy(error)
        raise


_TO_A_NUMBER = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


def _number_in(t: Tensor, real: str = "") -> Any:
    """The one number in `t`; for a conversion to the C++ type `real`, which holds no imaginary part."""
    if t.numel() != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    number = t.item()
    if real and isinstance(number, complex):
        if number.imag:
            raise RuntimeError(f"value cannot be converted to type {real} without overflow")
        number = number.real
    return number


@attach()
@tidied
def __float__(self) -> float:
    if requires_grad(self):
        advise(_TO_A_NUMBER)
    return float(_number_in(self, "double"))


@attach()
@tidied
def __int__(self) -> int:
    return int(_number_in(self, "int64_t"))


@attach()
@tidied
def __complex__(self) -> complex:
    if requires_grad(self):
        advise(_TO_A_NUMBER)
    return complex(_number_in(self))


@attach()
@tidied
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
@tidied
def __iter__(self):
    if self.dim() == 0:
        raise TypeError("iteration over a 0-d tensor")
    views = elements(self)
    return iter(self.unbind(0) if views is None else views)


@attach()
@tidied
def __contains__(self, element) -> bool:
    return bool((self == element).any())


Tensor.__hash__ = object.__hash__  # by identity


class _Held:
    """The tensor itself in what `__reduce_ex__` gives: a copy shares its memory, a pickle has its values."""

    def __init__(self, tensor: Tensor):
        self.tensor = tensor

    def __reduce__(self):
        t = self.tensor
        check_storage(t)
        return _values, (t._aval if t._aval.device is devices.META else np.array(values_of(t)),)


def _values(values: Any) -> Any:
    """Returns its argument: the function by which a pickle holds a tensor's numbers or, of one without, its aval."""
    return values


@attach()
@tidied
def __reduce_ex__(self, protocol):
    return _rebuild, (
        type(self),
        _Held(self),
        requires_grad(self),
        str(self._aval.device),
        self.__getstate__(),
    )


def taken_apart(t: Tensor) -> tuple[Callable, tuple]:
    """Returns a function that puts a tensor together again, and its arguments: like `__reduce_ex__`, but with the
    tensor's own array, or an aval if it has none."""
    check_storage(t)
    array = t._aval if t._aval.device is devices.META else values_of(t)
    return _rebuild, (type(t), array, requires_grad(t), str(t._aval.device), t.__getstate__())


def _rebuild(cls, array, requires_grad: bool, where: str, state_: Any):
    t = shown_again(cls, array.tensor) if isinstance(array, _Held) else _made_again(cls, array, where)
    if requires_grad:
        t._edge = (Leaf(t._aval), 0)
    set_state(t, state_)
    return t


def _made_again(cls: type, array: Any, where: str) -> Tensor:
    if isinstance(array, Aval):
        t = make_tensor(meta_value(array.shape, array.dtype), 0)
    else:
        t = from_array(array, on=devices.resolve(where))
    return t if cls is Tensor else share_tensor(cls, t)


def shown_again(cls: type, t: Tensor) -> Tensor:
    """Another tensor that shows what t shows, in the same memory, without history."""
    alias = share_tensor(cls, t)
    if alias._lenses:
        alias._root = share_tensor(Tensor, alias._root)  # type: ignore[arg-type]
    return alias


def __getstate__(self) -> Any:
    """Returns the attributes that a user has set on a tensor, in the form of Python's own `__getstate__`: None, a dict,
    or a pair of this (or None) and a dict of its class's slots."""
    names = [n for n in copyreg._slotnames(type(self)) if n not in Tensor.__slots__]  # type: ignore[attr-defined]
    in_slots = {n: getattr(self, n) for n in names if hasattr(self, n)}
    own = self.__dict__ or None
    return (own, in_slots) if in_slots else own


Tensor.__getstate__ = __getstate__  # type: ignore[method-assign]  # in no list of PyTorch's methods: there it is object's


def set_state(t: Tensor, state_: Any) -> None:
    """Sets on a tensor what `__getstate__` said, by the class's own `__setstate__` if it has one."""
    if state_ is None:
        return
    own = getattr(type(t), "__setstate__", None)
    if own is not None:
        own(t, state_)
        return
    attributes, in_slots = state_ if isinstance(state_, tuple) else (state_, None)
    t.__dict__.update(attributes or {})
    for name, value in (in_slots or {}).items():
        setattr(t, name, value)


@attach()
@tidied
def __deepcopy__(self, memo):
    if requires_grad(self) and not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you were "
            "attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    check_storage(self)
    import copy

    if state.rec.level:
        t = share_tensor(type(self), make_tensor(read(detach(self)), state.rec.level))
    else:
        t = share_tensor(type(self), self)
        base = copied_base(self, memo)
        t._cell = base._cell
        if t._lenses:
            t._root, t._seen = share_tensor(Tensor, base), None
    if self._edge is not None:
        t._edge = (Leaf(t._aval), 0)
    if self.grad is not None:
        t.grad = copy.deepcopy(self.grad, memo)
    memo[id(self)] = t
    set_state(t, copy.deepcopy(self.__getstate__(), memo))
    return t


def copied_base(t: Tensor, memo: dict) -> Tensor:
    """For deep copies: a tensor that shows all of the copy of what t and its aliases share, one for all of them."""
    cell = t._cell
    base = memo.get(("cell", id(cell)))
    if base is None:
        base = memo["cell", id(cell)] = make_tensor(cell.value, cell.level)
    return base


# -- conversion ------------------------------------------------------------------------------------------------------


@attach()
@tidied
def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
    """The tensor with another dtype and/or device: `to(dtype)`, `to(device, dtype)`, `to(other)`.

    Same shape; the tensor itself where it has them already and `copy` is False. Gradients flow back in the dtype and to
    the device it had.

    >>> torch.tensor([1.5, -2.5]).to(torch.int32)
    tensor([ 1, -2], dtype=torch.int32)
    """
    for a in args:
        if isinstance(a, Tensor):
            dtype, device = a._aval.dtype, a._aval.device
        elif isinstance(a, dtypes.dtype) or a in PYTHON_DTYPES:
            dtype = a
        elif isinstance(a, bool):
            continue
        elif a is not None:
            device = a
    dtype = PYTHON_DTYPES.get(dtype, dtype)
    out = self
    if device is not None:
        out = to_device(out, devices.resolve(device))
    if dtype is not None:
        out = cast(out, dtype)
    return _laid_out("to", out, self, memory_format, copy)


def _laid_out(name: str, made: Tensor, given: Tensor, memory_format: Any, copy: bool = False) -> Tensor:
    """`made` of `given`; a copy where that is the same tensor, and PyTorch would copy it into this format."""
    if memory_format is not None:
        check_memory_format(name, memory_format, len(given._aval.shape))
    return made.clone() if made is given and (copy or not stays(given, memory_format)) else made  # type: ignore[attr-defined]


@attach("type")
@tidied
def _type(self, dtype=None, non_blocking=False):
    """The type's name ('torch.FloatTensor'), or the tensor cast to a dtype.

    Same shape.

    >>> torch.ones(2).type(), torch.ones(2).type(torch.int64)
    ('torch.FloatTensor', tensor([1, 1]))
    """
    if dtype is None:
        return (
            f"torch.{'cuda.' if self._aval.device.type == 'cuda' else ''}{self._aval.dtype.scalar_name}Tensor"
        )
    if dtype is Tensor or dtype in ("torch.Tensor", "torch.cuda.Tensor"):  # of the default dtype
        named = dtypes.default_dtype().scalar_name
        dtype = f"torch.{'cuda.' if dtype == 'torch.cuda.Tensor' else ''}{named}Tensor"
    dtype = (
        dtype
        if isinstance(dtype, str) or not isinstance(dtype, type)
        else PYTHON_DTYPES.get(dtype, f"{dtype.__module__}.{dtype.__name__}")
    )
    if isinstance(dtype, str):
        if dtype.startswith("torch.cuda."):
            self, dtype = to_device(self, devices.resolve("cuda")), dtype.replace("cuda.", "", 1)
        found = [d for d in dtypes.DTYPES.values() if dtype in (str(d), f"torch.{d.scalar_name}Tensor")]
        if not found:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = found[0]
    return cast(self, PYTHON_DTYPES.get(dtype, dtype))


@attach()
@tidied
def type_as(self, other):
    """The tensor with other's dtype and device.

    Same shape.

    >>> torch.tensor([1, 2]).type_as(torch.tensor([0.5]))
    tensor([1., 2.])
    """
    return self.to(other)


def _caster(name: str, d: dtype) -> None:
    def convert(self, memory_format=None):
        made = cast(self, d)
        return made if memory_format is None else _laid_out(name, made, self, memory_format)

    convert.__name__ = name
    convert.__doc__ = (
        f"The tensor as {d}, of the same shape.\n\n    >>> torch.tensor([1, 0]).{name}().dtype\n    {d}\n    "
    )
    setattr(Tensor, name, convert)


for _name, _dtype in {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "long": "int64", "int": "int32",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
}.items():  # fmt: skip
    _caster(_name, dtypes.DTYPES[_dtype])


@attach()
@tidied
def cpu(self, memory_format=None):
    """The tensor on the CPU.

    Same shape and dtype.

    >>> torch.ones(2).cpu().device
    device(type='cpu')
    """
    return _laid_out("cpu", to_device(self, devices.CPU), self, memory_format)


@attach()
@tidied
def cuda(self, device=None, non_blocking=False, memory_format=None):
    """The tensor on a GPU.

    Same shape and dtype. RuntimeError where there is no GPU.

    >>> x = torch.ones(2)
    >>> (x.cuda() if torch.cuda.is_available() else x).tolist()
    [1.0, 1.0]
    """
    made = to_device(self, devices.resolve("cuda" if device is None else devices.device(device)))
    return _laid_out("cuda", made, self, memory_format)
