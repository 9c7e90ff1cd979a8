"""Devices: torch's names ('cpu', 'cuda', 'cuda:1', 'meta') for JAX's platforms."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax

from .pytorchs import refuse_pytorchs

__all__ = [
    "ANY", "CPU", "META", "NO_DATA", "count", "current_device", "device", "is_available", "jax_device", "resolve",
    "set_current_gpu", "set_default_device",
]  # fmt: skip

_PLATFORMS = {"cpu": "cpu", "cuda": "gpu", "xla": "tpu", "tpu": "tpu"}
_NAMED = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu",
    "mtia", "privateuseone",
)  # fmt: skip
"""The types of devices that PyTorch's programs may name."""


class device:
    """`torch.device`: a type ('cpu', 'cuda', 'tpu') and an index or None. Interned: equal devices are the same object.

    That of a tensor spread over a mesh is a Layout (see distributed/layout.py), for which `is_mesh` is True. `kind` is
    the class of the tensors that are there.

    >>> torch.device("cuda:1").index, torch.device("cpu").type
    (1, 'cpu')
    """

    __slots__ = ("_jax", "index", "type")
    is_mesh = False
    kind: type = object  # Tensor, once that class is there
    _interned: dict[tuple[str, int | None], device] = {}
    type: str
    index: int | None
    _jax: Any

    def __new__(cls, type: str | int | device = "cpu", index: int | None = None):
        if isinstance(type, device):
            return type
        if isinstance(type, int):
            type, index = "cuda", type
        if not isinstance(type, str):
            refuse_pytorchs(type)
            raise TypeError(f"device(): argument 'type' must be str, not {type.__class__.__name__}")
        name, _, suffix = type.partition(":")
        if suffix:
            if not suffix.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}'")
            index = int(suffix)
        if name not in _PLATFORMS and name not in _NAMED:
            raise RuntimeError(
                f"Expected one of {', '.join([*_NAMED, 'tpu'])} device type at start of device string: {name}"
            )
        found = cls._interned.get((name, index))
        if found is None:
            found = object.__new__(cls)
            found.type, found.index, found._jax = name, index, None
            found = cls._interned.setdefault((name, index), found)
        return found

    @property
    def home(self) -> device:
        """The device of recordings on it: itself, but that all layouts on one mesh have one."""
        return self

    @property
    def place(self) -> device:
        """Where tensors go that are made "there": itself, but for what a tensor on a mesh gives as its device."""
        return self

    def called(self, applied: Any, args: list) -> Any:
        """Calls an op that is traced for a mesh: a Layout knows ops that it computes in another way."""
        return applied.op.call(applied.static, args)

    def __repr__(self) -> str:
        tail = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{tail})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self):
        return (device, (self.type, self.index))

    def __enter__(self):
        _outer.append(_default)
        set_default_device(self)
        return self

    def __exit__(self, *exc) -> None:
        set_default_device(_outer.pop())


CPU = device("cpu")
META = device("meta")
"""Device of tensors that have a shape and a dtype, and no data."""

ANY = object.__new__(device)
"""Device of tensors that the library makes on the host for an op, such as the key of a draw or a list of indices: they
go along with any device, and no user sees them."""
ANY.type, ANY.index, ANY._jax = "cpu", None, None

NO_DATA = "Cannot copy out of meta tensor; no data!"


_default: device = CPU
_outer: list[device] = []
"""The default devices outside of `with torch.device(...)`."""


def current_device() -> device:
    """The device that creation functions use when none is given.

    >>> torch.get_default_device()
    device(type='cpu')
    """
    return _default


def set_default_device(device) -> None:
    """Sets the device of tensors made without `device=`; None means the CPU.

    >>> torch.set_default_device("cpu")
    >>> torch.ones(2).device
    device(type='cpu')
    >>> torch.set_default_device(None)
    """
    global _default
    _default = resolve(device) if device is not None else CPU


def resolve(d) -> device:
    """The concrete device a user's `device=` means; torch's error when JAX has no such device."""
    if d is None:
        return _default
    d = device(d)
    return d.place if d.is_mesh else _resolve(d)


_current_gpu = 0
"""The GPU that 'cuda' without an index means."""


def set_current_gpu(index: int) -> None:
    """Makes 'cuda' without an index mean this GPU."""
    global _current_gpu
    _current_gpu = index
    _resolve.cache_clear()


@cache
def _resolve(d: device) -> device:
    if d.type == "cpu":
        return CPU
    if d.type == "meta":
        return META
    if d.type not in _PLATFORMS:
        raise NotImplementedError(
            f"device '{d}' can be named here and holds no tensors: JAX has no backend of that kind. jax.devices() lists: {jax.devices()}"
        )
    if not is_available(d.type):
        if d.type == "cuda":
            raise RuntimeError(
                "Found no NVIDIA driver on your system: JAX sees no GPU. Install jax with CUDA support "
                "(pip install 'jax[cuda]'), or use device='cpu'."
            )
        raise RuntimeError(f"JAX has no {d.type} device here; jax.devices() lists: {jax.devices()}")
    count = len(jax.devices(_PLATFORMS[d.type]))
    index = (_current_gpu if d.type == "cuda" else 0) if d.index is None else d.index
    if index >= count:
        raise RuntimeError(f"CUDA error: invalid device ordinal: {d} was asked for, {count} are there")
    return device(d.type, index)


@cache
def is_available(kind: str) -> bool:
    """Returns whether JAX has a device of this torch type."""
    try:
        return kind in _PLATFORMS and len(jax.devices(_PLATFORMS[kind])) > 0
    except RuntimeError:
        return False


def count(kind: str) -> int:
    """How many devices of this torch type JAX has."""
    return len(jax.devices(_PLATFORMS[kind])) if is_available(kind) else 0


def jax_device(d: device):
    """The jax.Device behind a resolved device."""
    if d is META:
        raise NotImplementedError(NO_DATA)
    if d._jax is None:
        d._jax = jax.local_devices(backend=_PLATFORMS[d.type])[d.index or 0]
    return d._jax


@cache
def of_jax(jd) -> device:
    """The torch device of a jax.Device."""
    if jd.platform == "cpu":
        return CPU
    kind = "cuda" if jd.platform in ("gpu", "cuda", "rocm") else "tpu"
    return device(kind, jax.local_devices(backend=jd.platform).index(jd))


@cache
def is_jax_default(d: device) -> bool:
    """Returns whether programs land on this device without being told to."""
    return not d.is_mesh and jax_device(d) == jax.local_devices()[0]
