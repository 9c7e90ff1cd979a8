"""torch.distributed.device_mesh: devices as an array with named dimensions.

One process drives all devices that JAX sees, so a mesh of four works in a process with four (virtual) devices: its
ranks are their numbers in `jax.devices()`. After `init_process_group` with several processes its ranks are theirs, and
each has one device of it (`_over_processes.py`). A mesh that was cut out of another is spread over all devices of that
one: along the dimensions that were left out, every device has the same.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import jax
import numpy as np

from .._core.api import Tensor, device, from_array, is_available, tidied
from ..api_names import listed
from ._over_processes import Together
from ._runtime import Runtime
from .groups import ProcessGroup, checked, is_initialized

__all__ = ["DeviceMesh", "init_device_mesh"]
__dir__ = listed(__name__)

_ONE_EACH = (
    " Of several processes each has one device of a mesh, however many it has of its own: start more processes, or let one drive all devices, without "
    "init_process_group"
)
_PLATFORMS = {"cpu": "cpu", "cuda": "gpu", "xla": "tpu", "tpu": "tpu"}


def _world() -> Runtime | None:
    """Returns the runtime that this process has in common with others, if there are any."""
    return checked()._runtime if is_initialized() else None


def _devices(kind: str) -> list:
    runtime = _world()
    if runtime is not None:
        if kind != "cpu":
            raise NotImplementedError(
                f"DeviceMesh: a mesh over several processes must consist of CPU devices, which communicate by gloo, but got {kind!r}; let one process drive all devices of a machine, or use DistributedDataParallel"
            )
        return runtime.devices
    if kind not in _PLATFORMS:
        raise RuntimeError(f"DeviceMesh: a device type is one of {', '.join(_PLATFORMS)}, not {kind!r}")
    if not is_available(kind):
        raise RuntimeError(f"DeviceMesh: JAX has no {kind} device here; jax.devices() lists: {jax.devices()}")
    return jax.devices(_PLATFORMS[kind])


class _Here(threading.local):
    def __init__(self) -> None:
        self.meshes: list[DeviceMesh] = []


_here = _Here()


class DeviceMesh:
    """An array of devices, with a name for each dimension if they are given.

    Its axes are JAX's of type Auto: XLA decides what moves where.

    Args:
        device_type: 'cpu', 'cuda' or 'xla'.
        mesh: ranks, as nested lists or a tensor of ints.
        mesh_dim_names: as many names as the mesh has dimensions.

    >>> mesh = DeviceMesh("cpu", [0])
    >>> mesh.shape
    (1,)
    """

    def __init__(
        self,
        device_type: str,
        mesh: Any,
        *,
        mesh_dim_names: Sequence[str] | None = None,
        backend_override: Any = None,
        _init_backend: bool = True,
        _rank: int | None = None,
    ):
        ranks = np.array(mesh.tolist() if isinstance(mesh, Tensor) else mesh, dtype=np.int64)
        if ranks.ndim == 0:
            ranks = ranks.reshape(1)
        if mesh_dim_names is not None:
            names = tuple(mesh_dim_names)
            if len(names) != ranks.ndim:
                raise RuntimeError(
                    "mesh_shape and mesh_dim_names should have same length! "
                    f"Found len(mesh_dim_names): {len(names)} and len(mesh_shape):{ranks.ndim}."
                )
            if len(set(names)) != len(names):
                raise RuntimeError(
                    f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names {names}"
                )
            mesh_dim_names = names
        found = _devices(device_type)
        if ranks.size > len(found):
            several = "" if _world() is None else _ONE_EACH
            raise RuntimeError(
                f"Mesh should not be bigger than default world size {len(found)}, but found {ranks.size} ranks!{several}"
            )
        if len(set(ranks.flat)) != ranks.size:
            raise RuntimeError(f"DeviceMesh cannot have duplicate values, but found {ranks.tolist()}")
        if ranks.size and not 0 <= ranks.min() <= ranks.max() < len(found):
            raise RuntimeError(f"DeviceMesh: ranks are from 0 to {len(found) - 1} here, not {ranks.tolist()}")
        axes = tuple([f"d{i}" for i in range(ranks.ndim)])
        places = np.array([found[r] for r in ranks.flat], dtype=object).reshape(ranks.shape)
        runtime = _world()
        self._together = None
        if runtime is not None and runtime.rank in ranks:
            self._together = Together(runtime, ranks.reshape(-1).tolist())
        self._is_elsewhere = runtime is not None and self._together is None
        self._set(device_type, ranks, mesh_dim_names, None, tuple([(a,) for a in axes]))
        self._jax = jax.sharding.Mesh(places, axes, axis_types=(jax.sharding.AxisType.Auto,) * len(axes))
        self._flattened: dict[str, DeviceMesh] = {}

    def _set(
        self,
        device_type: str,
        ranks: np.ndarray,
        names: tuple[str, ...] | None,
        root: DeviceMesh | None,
        axes: tuple[tuple[str, ...], ...],
    ) -> None:
        """axes: the axes of the root's JAX mesh of which each dimension consists, the outer one first."""
        self._ranks, self._root, self._axes = ranks, root, axes
        self._of: int | None = getattr(self.root._together, "key", None)
        self.device_type, self.mesh_dim_names = device_type, names
        self._key = (
            device_type,
            ranks.shape,
            tuple(ranks.flat),
            names,
            axes if root is not None else None,
            self._of,
        )

    @property
    def root(self) -> DeviceMesh:
        """The mesh that this one was cut out of, or itself."""
        return self if self._root is None else self._root

    @property
    def together(self) -> Together | None:
        """The computations that its processes do together, where there are several."""
        if self.root._is_elsewhere:
            raise NotImplementedError(
                f"DeviceMesh: this process is none of the mesh's, whose ranks are {self.root._ranks.tolist()}; only those can use it"
            )
        return self.root._together

    def get_root_mesh(self) -> DeviceMesh:
        """The same, as a method."""
        return self.root

    _get_root_mesh = get_root_mesh

    @property
    def mesh(self) -> Tensor:
        """The ranks."""
        return from_array(self._ranks.copy())

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._ranks.ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of devices along each dimension."""
        return self._ranks.shape

    def size(self, mesh_dim: int | None = None) -> int:
        """The number of devices, in all or along a dimension."""
        return self._ranks.size if mesh_dim is None else self._ranks.shape[mesh_dim]

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, DeviceMesh) and other._key == self._key)

    def __repr__(self) -> str:
        if self.mesh_dim_names is None:
            shape = str(self.shape)
        else:
            shape = f"({', '.join(f'{n}={s}' for n, s in zip(self.mesh_dim_names, self.shape))})"
        return (
            f"DeviceMesh({shape}, '{self.device_type}', stride={tuple(s // 8 for s in self._ranks.strides)})"
        )

    def __reduce__(self):
        if self._root is not None:
            return submesh, (self._root, self._ranks, self.mesh_dim_names, self._axes)
        return _whole, (self.device_type, self._ranks.tolist(), self.mesh_dim_names)

    def __deepcopy__(self, memo: dict) -> DeviceMesh:
        return self

    # -- where this process is ---------------------------------------------------------------------------------------

    def get_rank(self) -> int:
        """This process's rank: the rank of its first device."""
        runtime = _world()
        return 0 if runtime is None else runtime.rank

    def get_coordinate(self) -> list[int] | None:
        """Where this process's device, or its first, is in the mesh; None if it is not in it."""
        runtime = _world()
        if runtime is not None:
            at = np.argwhere(self._ranks == runtime.rank)
            return at[0].tolist() if len(at) else None
        mine = {d.id for d in jax.local_devices(backend=_PLATFORMS[self.device_type])}
        found = _devices(self.device_type)
        for place in np.ndindex(self.shape):
            if found[self._ranks[place]].id in mine:
                return list(place)
        return None

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """The same along one dimension."""
        if self.ndim > 1 and mesh_dim is None:
            raise RuntimeError(
                f"Found the DeviceMesh have {self.ndim} dimensions. Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1."
            )
        at = self.get_coordinate()
        if at is None:
            raise RuntimeError("DeviceMesh: this process has no device in the mesh")
        return at[self._dim(0 if mesh_dim is None else mesh_dim)]

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """The processes along a dimension, this one among them: this one alone, where one process drives the
        devices."""
        if self.ndim > 1 and mesh_dim is None:
            raise RuntimeError(
                f"Found the DeviceMesh have {self.ndim} dimensions. Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1. "
                "If you want to get the list of all the ProcessGroups in the DeviceMesh, please use `get_all_groups()` instead."
            )
        dim = self._dim(0 if mesh_dim is None else mesh_dim)
        runtime, at = _world(), self.get_coordinate()
        if runtime is None or at is None:
            return ProcessGroup("gloo", (0,), "mesh")
        ranks = self._ranks[tuple([slice(None) if i == dim else n for i, n in enumerate(at)])].tolist()
        return ProcessGroup("gloo", sorted(ranks), "along " + " ".join(map(str, ranks)), runtime)

    def get_all_groups(self) -> list[ProcessGroup]:
        """A group for each dimension."""
        return [self.get_group(i) for i in range(self.ndim)]

    def _dim(self, dim: int | str) -> int:
        if isinstance(dim, int):
            if not -self.ndim <= dim < self.ndim:
                raise IndexError(f"DeviceMesh: dimension {dim} of a mesh of {self.ndim}")
            return dim % self.ndim
        if self.mesh_dim_names is None or dim not in self.mesh_dim_names:
            raise KeyError(
                f"Mesh dimension '{dim}' does not exist. Available mesh dimensions are: {self.mesh_dim_names}"
            )
        return self.mesh_dim_names.index(dim)

    # -- slicing -----------------------------------------------------------------------------------------------------

    @tidied
    def __getitem__(self, names: str | tuple[str, ...]) -> DeviceMesh:
        """The mesh of these dimensions, that this process's first device is in: `mesh["tp"]`, `mesh["dp", "tp"]`."""
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (names,) if isinstance(names, str) else tuple(names)
        if names == self.mesh_dim_names:
            return self
        flattened = self.root._flattened
        valid = [*self.mesh_dim_names, *flattened]
        if any(name not in valid for name in names):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {valid}.")
        if len(names) == 1 and names[0] in flattened:
            return flattened[names[0]]
        places = [self.mesh_dim_names.index(n) if n in self.mesh_dim_names else -1 for n in names]
        if -1 in places or any(a >= b for a, b in pairwise(places)):
            raise KeyError(
                f"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending order."
            )
        at = self.get_coordinate() or [0] * self.ndim
        ranks = self._ranks[tuple([slice(None) if i in places else at[i] for i in range(self.ndim)])]
        return submesh(self.root, ranks, names, tuple([self._axes[i] for i in places]))

    def _flatten(self, mesh_dim_name: str | None = None, backend_override: Any = None) -> DeviceMesh:
        """A mesh of one dimension with the same devices; the root then knows it by its name."""
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        name = mesh_dim_name or "_".join(self.mesh_dim_names)
        if name in (self.root.mesh_dim_names or ()) and self.ndim > 1:
            raise ValueError(f"{name} already exists for submesh of the {self.root}. ")
        axes = tuple([a for dim in self._axes for a in dim])
        flat = submesh(self.root, self._ranks.reshape(-1), (name,), (axes,))
        self.root._flattened[name] = flat
        return flat

    def __enter__(self) -> DeviceMesh:
        _here.meshes.append(self)
        return self

    def __exit__(self, *exception: Any) -> None:
        _here.meshes.pop()

    def _unflatten(self, *args: Any, **options: Any) -> DeviceMesh:
        raise NotImplementedError(
            "DeviceMesh._unflatten is not supported; create the mesh with all its dimensions by init_device_mesh"
        )

    @classmethod
    def _concatenate(cls, *args: Any, **options: Any) -> DeviceMesh:
        raise NotImplementedError(
            "DeviceMesh._concatenate is not supported; select the dimensions together as mesh['dp', 'tp']"
        )

    @classmethod
    def from_group(cls, *args: Any, **options: Any) -> DeviceMesh:
        """Raises: a mesh is of devices, which one process may have several of."""
        raise NotImplementedError(
            "DeviceMesh.from_group: groups are of processes, and a mesh is of devices here: use init_device_mesh"
        )


def submesh(root: DeviceMesh, ranks: np.ndarray, names: Any, axes: tuple) -> DeviceMesh:
    made = object.__new__(DeviceMesh)
    made._set(root.device_type, np.array(ranks), names, root, axes)
    return made


def _whole(device_type: str, ranks: list, names: Any) -> DeviceMesh:
    return DeviceMesh(device_type, ranks, mesh_dim_names=names)


def current_mesh(given: DeviceMesh | None, what: str) -> DeviceMesh:
    """The mesh that was passed to a function, or the mesh of `with mesh:`."""
    if given is not None:
        if not isinstance(given, DeviceMesh):
            raise TypeError(f"{what}: device_mesh must be a DeviceMesh, not {type(given).__name__}")
        return given
    if not _here.meshes:
        raise RuntimeError(
            f"No device mesh is currently active! Give {what} a device_mesh, or call it in `with mesh:`."
        )
    return _here.meshes[-1]


@tidied
def init_device_mesh(
    device_type: str,
    mesh_shape: Sequence[int],
    *,
    mesh_dim_names: Sequence[str] | None = None,
    backend_override: Any = None,
) -> DeviceMesh:
    """A mesh of this shape, of the first devices of a type.

    Args:
        device_type: 'cpu', 'cuda' or 'xla', without an index.
        mesh_shape: the number of devices along each dimension.
        mesh_dim_names: a name for each.

    Raises RuntimeError for more devices than there are, names of another length, and names given twice.

    >>> init_device_mesh("cpu", (1,), mesh_dim_names=("dp",))
    DeviceMesh((dp=1), 'cpu', stride=(1,))
    """
    shape = tuple(int(n) for n in mesh_shape)
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(
                "Each mesh_dim_name must be unique. "
                f"Found repeated mesh_dim_name in mesh_dim_names {tuple(mesh_dim_names)}",
            )
        if len(shape) != len(mesh_dim_names):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! "
                f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(shape)}.",
            )
    if not device_type.isalpha():
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. "
            "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.",
        )
    device(device_type)
    return DeviceMesh(device_type, np.arange(math.prod(shape)).reshape(shape), mesh_dim_names=mesh_dim_names)
