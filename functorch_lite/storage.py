"""torch.storage: storages that tensors share, with a dtype or without, and the older tensor types torch.FloatTensor and
its kin."""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

import numpy as np

from ._core.api import (
    Tensor,
    UntypedStorage,
    advise,
    attach,
    check_type,
    composite,
    device,
    dtypes,
    is_available,
    lookup_method,
)
from .tensors.constructors import construct
from .tensors.types import set_default_dtype

__all__ = ["TypedStorage", "UntypedStorage"]


class TypedStorage:
    """torch.TypedStorage: the elements that tensors which alias each other share, in one flat sequence; to be read, not
    written.

    Args:
        wrap_storage: the UntypedStorage to wrap. None (the default) makes a new one.
        dtype: the dtype of the elements. None (the default) is the default dtype.
        device: the device. None (the default) is the CPU.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     len(torch.ones(3).storage())
    3
    """

    dtype: dtypes.dtype
    _dtype: ClassVar[dtypes.dtype | None] = None

    def __init__(
        self, *args, wrap_storage: UntypedStorage | None = None, dtype=None, device=None, _internal=False
    ):
        self.dtype = self._dtype or dtype or dtypes.default_dtype()
        if wrap_storage is not None:
            self._untyped = wrap_storage
            return
        if len(args) > 1 or (args and not isinstance(args[0], int | list | tuple)):
            raise TypeError(f"{type(self).__name__}: expected a size or a sequence, got {args}")
        made = construct(self.dtype, device, ([],) if not args else args)
        self._untyped = UntypedStorage(made._cell)

    def _array(self) -> np.ndarray:
        return np.frombuffer(self._untyped._bytes(), dtype=self.dtype.np)

    @property
    def device(self) -> device:
        """The device of the elements."""
        return self._untyped.device

    def untyped(self) -> UntypedStorage:
        """Returns the same storage without a dtype."""
        return self._untyped

    def size(self) -> int:
        """The number of elements."""
        return self._untyped.nbytes() // self.dtype.itemsize

    __len__ = size

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._untyped.nbytes()

    def element_size(self) -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    def is_shared(self) -> bool:
        """False: memory is not shared between processes."""
        return False

    def data_ptr(self) -> int:
        """The address of memory that holds the elements, as they are now: see `Tensor.data_ptr`."""
        return self._untyped.data_ptr()

    @property
    def _cdata(self) -> int:
        """A number that differs for every storage."""
        return self._untyped._cdata

    def tolist(self) -> list:
        """The elements."""
        return self._array().tolist()

    def __getitem__(self, index):
        got = self._array()[index]
        return got.item() if got.ndim == 0 else got.tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __eq__(self, other) -> bool:
        return isinstance(other, TypedStorage) and (self._untyped, self.dtype) == (
            other._untyped,
            other.dtype,
        )

    def __hash__(self) -> int:
        return hash(self._untyped)

    def __repr__(self) -> str:
        numbers = "".join(f" {x}\n" for x in self.tolist())
        return f"{numbers}[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"


class TensorType(type):
    """The older tensor types: `torch.FloatTensor(2, 3)`, `isinstance(x, torch.cuda.FloatTensor)`."""

    dtype: dtypes.dtype
    place: str
    is_sparse = False

    def __instancecheck__(cls, instance) -> bool:
        return (
            isinstance(instance, Tensor) and instance.dtype is cls.dtype and instance.device.type == cls.place
        )

    def __call__(cls, *args, device=None) -> Tensor:
        if not is_available(cls.place):
            raise TypeError(
                f"type {cls.__module__}.{cls.__name__} not available. Torch not compiled with CUDA enabled."
            )
        return construct(cls.dtype, device or cls.place, args)

    def __repr__(cls) -> str:
        return f"<class '{cls.__module__}.{cls.__name__}'>"


def typed_tensors(place: str, meta: type[TensorType] = TensorType, module: str = "") -> dict[str, type]:
    """The older tensor types of a device, 'cpu' or 'cuda', by their names: instances of `meta`, which `module` has."""
    module = module or ("torch" if place == "cpu" else f"torch.{place}")
    found = {}
    for kind, name in _KINDS.items():
        if not kind.startswith("Complex"):
            fields = {
                "dtype": dtypes.DTYPES[name],
                "place": place,
                "__module__": module,
                "__doc__": f"The older type of {name} tensors there: makes one of a size or of data.",
            }
            found[f"{kind}Tensor"] = meta(f"{kind}Tensor", (), fields)
    return found


_KINDS = {
    dtypes.DTYPES[name].scalar_name: name
    for name in (
        "float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64", "complex128",
    )
}  # fmt: skip
_STORAGES: dict[dtypes.dtype, type] = {}
_TYPES: dict[str, dtypes.dtype] = {}

for _kind, _dtype_name in _KINDS.items():
    _d = dtypes.DTYPES[_dtype_name]
    _STORAGES[_d] = type(f"{_kind}Storage", (TypedStorage,), {"_dtype": _d, "__module__": "torch"})
    composite(_STORAGES[_d], name=f"{_kind}Storage")
    globals()[f"{_kind}Storage"] = _STORAGES[_d]
for _name, _class in typed_tensors("cpu").items():
    composite(_class, name=_name)

composite(TypedStorage)
composite(UntypedStorage)
composite(_STORAGES[dtypes.float32], name="Storage")


@attach()
def storage(self) -> TypedStorage:
    """The storage that this tensor shares with its views, as elements of its dtype.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.ones(2).storage().tolist()
    [1.0, 1.0]
    """
    advise(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. This should "
        "only matter to you if you are using storages directly.  To access UntypedStorage directly, use tensor.untyped_storage() "
        "instead of tensor.storage()"
    )
    return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype, _internal=True)


@attach()
def storage_type(self) -> type:
    """The class of `storage()` by its older name, such as torch.FloatStorage.

    >>> torch.ones(2).storage_type().__name__
    'FloatStorage'
    """
    return _STORAGES[self.dtype]


@composite
def is_storage(obj: Any) -> bool:
    """Returns whether obj is a storage.

    Args:
        obj: any object.

    >>> torch.is_storage(torch.ones(2).untyped_storage())
    True
    """
    return isinstance(obj, TypedStorage | UntypedStorage)


@composite
def set_default_tensor_type(t: Any) -> None:
    """Sets the default dtype by the name or class of an older tensor type, such as torch.DoubleTensor.

    Args:
        t: a type of tensors, such as `torch.FloatTensor`, or its name.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.set_default_tensor_type(torch.FloatTensor)
    """
    advise(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives."
    )
    name = getattr(t, "__name__", str(t)).removeprefix("torch.").removesuffix("Tensor")
    if getattr(t, "place", "cpu") != "cpu" or name.startswith("cuda."):
        raise NotImplementedError(
            "use torch.set_default_device and torch.set_default_dtype for tensors on a GPU"
        )
    if name not in _KINDS:
        raise TypeError(f"invalid type object: {t}")
    set_default_dtype(dtypes.DTYPES[_KINDS[name]])


@attach()
def is_same_size(input, other) -> bool:
    """Returns whether the shapes are equal.

    >>> torch.is_same_size(torch.ones(2), torch.zeros(2, dtype=torch.int64))
    True
    """
    for position, (name, given) in enumerate((("input", input), ("other", other)), 1):
        check_type(isinstance(given, Tensor), given, "Tensor", "is_same_size", name, position)
    return input.shape == other.shape


composite(is_same_size)


@attach()
def is_distributed(self) -> bool:
    """False, as in PyTorch.

    >>> torch.is_distributed(torch.ones(2))
    False
    """
    return False


composite(is_distributed)
for _name in ("is_ipu", "is_maia", "is_mps", "is_mtia", "is_vulkan", "is_xla", "is_xpu"):
    setattr(Tensor, _name, property(lambda t: False))
Tensor.name = property(lambda t: None)  # type: ignore[attr-defined]
Tensor.volatile = property(lambda t: False)  # type: ignore[attr-defined]


# -- sparse and nested tensors, whose packages are imported when the first one is made ---------------------------------


def _late_method(name: str, package: str, example: str, printed: str) -> None:
    def fn(self, *args, **kwargs):
        importlib.import_module(f"{__package__}.{package}")
        method = lookup_method(name)
        if ">>>" not in (method.__doc__ or ""):  # type: ignore[union-attr]
            method.__doc__ = fn.__doc__  # type: ignore[union-attr]
        setattr(Tensor, name, method)
        return method(self, *args, **kwargs)  # type: ignore[misc]

    fn.__name__ = name
    fn.__doc__ = f"Tensor.{name}: see torch.{package}.\n\n    >>> {example}\n    {printed}\n    "
    setattr(Tensor, name, fn)


for _name, _example, _printed in (
    ("to_sparse", "torch.eye(2).to_sparse().layout", "torch.sparse_coo"),
    ("to_sparse_coo", "torch.eye(2).to_sparse_coo().layout", "torch.sparse_coo"),
    ("to_sparse_csr", "torch.eye(2).to_sparse_csr().layout", "torch.sparse_csr"),
    ("to_sparse_csc", "torch.eye(2).to_sparse_csc().layout", "torch.sparse_csc"),
    ("to_sparse_bsr", "torch.eye(2).to_sparse_bsr((1, 1)).layout", "torch.sparse_bsr"),
    ("to_sparse_bsc", "torch.eye(2).to_sparse_bsc((1, 1)).layout", "torch.sparse_bsc"),
    ("to_dense", "torch.eye(1).to_sparse().to_dense()", "tensor([[1.]])"),
    ("sparse_mask", "torch.ones(2).sparse_mask(torch.tensor([1., 0.]).to_sparse()).values()", "tensor([1.])"),
    ("is_coalesced", "torch.eye(2).to_sparse().is_coalesced()", "True"),
    ("coalesce", "torch.eye(2).to_sparse().coalesce().values()", "tensor([1., 1.])"),
    ("indices", "torch.tensor([0., 3.]).to_sparse().indices()", "tensor([[1]])"),
    ("values", "torch.tensor([0., 3.]).to_sparse().values()", "tensor([3.])"),
    ("crow_indices", "torch.eye(2).to_sparse_csr().crow_indices()", "tensor([0, 1, 2])"),
    ("col_indices", "torch.eye(2).to_sparse_csr().col_indices()", "tensor([0, 1])"),
    ("ccol_indices", "torch.eye(2).to_sparse_csc().ccol_indices()", "tensor([0, 1, 2])"),
    ("row_indices", "torch.eye(2).to_sparse_csc().row_indices()", "tensor([0, 1])"),
    ("sparse_dim", "torch.eye(2).to_sparse().sparse_dim()", "2"),
    ("dense_dim", "torch.eye(2).to_sparse().dense_dim()", "0"),
):
    _late_method(_name, "sparse", _example, _printed)
_late_method(
    "to_padded_tensor",
    "nested",
    "torch.nested.nested_tensor([torch.ones(1), torch.ones(2)]).to_padded_tensor(0.).shape",
    "torch.Size([2, 2])",
)
Tensor.is_sparse_csr = False  # type: ignore[attr-defined]
