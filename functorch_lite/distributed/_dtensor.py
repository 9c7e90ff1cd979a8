"""DTensor: a tensor whose numbers lie on the devices of a mesh. Its class, and what makes one of a plain tensor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, NoReturn

import jax
import numpy as np

from .._core.api import (
    META,
    DerivedOp,
    Tensor,
    apply,
    aval,
    device,
    disabled,
    force,
    force_array,
    from_array,
    linked,
    make_tensor,
    make_value,
    moved,
    read,
    state,
    tidied,
)
from .._core.api import functions as torch
from ._layout import Layout, bounds, layout_of
from ._placements import Partial, Placement, Replicate, Shard
from .collectives import broadcast_array
from .device_mesh import DeviceMesh, current_mesh

__all__ = ["DTensor", "checked_placements", "distribute_tensor"]

_IN_TRANSFORM = (
    "{} inside a transform (grad, vmap, …): there a tensor has no placements that are known. Take it outside."
)


class DTensor(Tensor):
    """A tensor on the devices of a mesh: its shape is the full shape, and `placements` say which device has which
    shard.

    Ops on DTensors give DTensors, equal to what one device would compute. It is made by `distribute_tensor`,
    `DTensor.from_local`, or a factory such as `torch.distributed.tensor.zeros`.
    """

    __torch_function__ = staticmethod(disabled)

    def __new__(cls, *args: Any, **options: Any) -> NoReturn:
        raise TypeError(
            "DTensor: use distribute_tensor, DTensor.from_local or a factory of torch.distributed.tensor"
        )

    def __init__(self, *args: Any, **options: Any):
        """Nothing is made here."""

    # -- reading -----------------------------------------------------------------------------------------------------

    @property
    def placements(self) -> tuple[Placement, ...]:
        """A Placement for each dimension of the mesh."""
        if self._cell.level:
            raise RuntimeError(_IN_TRANSFORM.format("placements were read"))
        return self._layout.placements

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh."""
        return self._layout.mesh

    @property
    def _layout(self) -> Layout:
        return self._aval.device  # type: ignore[return-value]

    @property
    def device(self) -> device:
        """The device of the mesh's type, as far as it can be compared and printed. A tensor made "there", as in
        `torch.zeros(3, device=x.device)`, is on the mesh, replicated."""
        return _there(self._layout.home)

    @property
    def _spec(self) -> SimpleNamespace:
        """The mesh, the placements, and what the tensor is as a whole."""
        meta = SimpleNamespace(shape=self.shape, stride=self.stride(), dtype=self.dtype)
        return SimpleNamespace(
            mesh=self.device_mesh,
            device_mesh=self.device_mesh,
            placements=self.placements,
            tensor_meta=meta,
            shape=self.shape,
            ndim=self.ndim,
        )

    @property
    def _local_tensor(self) -> Tensor:
        """The part of the first device, without history."""
        return self.detach()._local_part()

    @tidied
    def local_tensors(self) -> list[Tensor]:
        """Returns the parts of all devices of the mesh, in order of their places in it, without history. With several
        processes, each has only its own shard."""
        if self.device_mesh.together is not None:
            return [self._local_tensor]
        return [from_array(self._numbers_at(at)) for at in np.ndindex(self.device_mesh.shape)]

    def _numbers_at(self, coordinate: Sequence[int]) -> np.ndarray:
        """The numbers of the device at a coordinate."""
        on, array = self._layout, force(read(self))
        if on.mesh.together is not None and not isinstance(array, np.ndarray):
            found = on.part_here(array, tuple(self.shape))
            if found is not None:
                return found.copy()
            array = on.whole(array, self._aval)
        array = np.asarray(array)
        if on.partial:
            array = array[tuple([coordinate[i] for i in on.partial])]
        part = array[tuple([slice(a, b) for a, b in bounds(on, self.shape, coordinate)])]
        return np.array(part)

    # -- to plain tensors --------------------------------------------------------------------------------------------

    @tidied
    def to_local(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """Returns the part of the first device, as a plain tensor. Its gradient is the gradient of this shard: the
        other shards get zeros.

        With several processes each gets the part of its own device, whose gradient is a part of the tensor's:
        grad_placements says of which kind, by default as the tensor, but Replicate for a Partial. With one process the
        gradient is laid out as this tensor whatever they are.
        """
        given = None
        if grad_placements is not None:
            given = checked_placements("to_local", grad_placements, self.device_mesh, self.ndim)
        if self.device_mesh.together is not None:
            return local_part(self, given)
        return self._local_part()

    def _local_part(self) -> Tensor:
        if self._cell.level:
            raise NotImplementedError(_IN_TRANSFORM.format("to_local() was called"))
        on, taped = self._layout, self._edge is not None and state.grad
        first = on.here()
        if not taped or on.partial:
            found = self._numbers_at(first)
            if taped and found.shape != self.shape:
                raise NotImplementedError(
                    "to_local() of a tensor that is sharded and partial, with a gradient: redistribute it first"
                )
            return moved(self, found, device(on.type)) if taped else from_array(found, on=_plain(on))
        edges = bounds(on, self.shape, first)
        part = apply(_part(tuple(edges)), None, (self,))[0]
        return on.give(part, _plain(on))

    @tidied
    def full_tensor(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """The whole as a plain tensor. Inside a transform it stays on the mesh, whole.

        grad_placements: of the gradient that comes back; it is laid out as this tensor whatever they are.
        """
        if grad_placements is not None:
            checked_placements("full_tensor", grad_placements, self.device_mesh, self.ndim)
        return self._layout.give(self, _plain(self._layout))

    @tidied
    def redistribute(
        self,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        async_op: bool = False,
        forward_dtype: Any = None,
        backward_dtype: Any = None,
    ) -> DTensor:
        """The same numbers with other placements, on the same mesh. async_op is accepted: nothing here waits.

        Raises RuntimeError if a Partial is requested that the tensor does not have.
        """
        if forward_dtype is not None or backward_dtype is not None:
            raise NotImplementedError(
                "redistribute: forward_dtype and backward_dtype are not supported; cast with .to(dtype)"
            )
        if device_mesh is not None and device_mesh != self.device_mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet!")
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        wanted = checked_placements("redistribute", placements, self.device_mesh, self.ndim)
        if self._cell.level:
            return self  # type: ignore[return-value]  # XLA places what is inside a transform
        for had, p in zip(self.placements, wanted):
            if p.is_partial() and had != p:
                raise RuntimeError(
                    f"Can not redistribute from {had!s} to {p!s}, redistributing to Partial is for internal use only!"
                )
        return layout_of(self.device_mesh, wanted).receive(self)  # type: ignore[return-value]

    @staticmethod
    @tidied
    def from_local(
        local_tensor: Tensor,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        run_check: bool = False,
        shape: Sequence[int] | None = None,
        stride: Sequence[int] | None = None,
        grad_placements: Sequence[Placement] | None = None,
    ) -> DTensor:
        """A DTensor of which every device has `local_tensor` as its part: of Shard(0) over 4 devices it has four times
        the rows.

        Its gradient is the sum over all copies. run_check is accepted: all devices have the same. shape, stride: of the
        whole; here they are what follows from the parts.

        With several processes, each gives its own shard, and gets the gradient of that shard. They have one shape,
        unless `shape` gives the full shape.
        """
        mesh = current_mesh(device_mesh, "from_local")
        if not isinstance(local_tensor, Tensor) or isinstance(local_tensor, DTensor):
            raise RuntimeError(
                f"from_local: local_tensor must be a plain tensor, not {type(local_tensor).__name__}"
            )
        wanted = checked_placements(
            "from_local",
            [Replicate()] * mesh.ndim if placements is None else placements,
            mesh,
            local_tensor.ndim,
        )
        if mesh.together is not None:
            return from_part(local_tensor, mesh, wanted, shape)
        whole = local_tensor
        for i in reversed(range(mesh.ndim)):
            p, n = wanted[i], mesh.shape[i]
            if p.is_shard() and n > 1:
                whole = torch.cat([whole] * n, p.dim)
        if shape is not None and tuple(shape) != tuple(whole.shape):
            raise ValueError(
                f"from_local: parts of shape {list(local_tensor.shape)} on every device make a tensor of shape {list(whole.shape)}, not {list(shape)}. "
                "Where the parts differ, make the whole tensor and use distribute_tensor."
            )
        on = layout_of(mesh, wanted)
        if not on.partial:
            return on.receive(whole)  # type: ignore[return-value]
        logical = whole
        for i in on.partial:
            p, n = wanted[i], mesh.shape[i]
            if p.reduce_op == "sum":
                logical = logical * n
            elif p.reduce_op == "product":
                logical = logical**n
        array = force_array(read(whole))
        for i in on.partial:
            array = np.broadcast_to(array, (mesh.shape[i], *array.shape))
        without = layout_of(mesh, [Replicate() if p.is_partial() else p for p in wanted])
        if not without.is_even(tuple(whole.shape)):
            raise NotImplementedError("from_local: parts of uneven shards that are to be reduced")
        return moved(logical, _put_parts(array, on, len(whole.shape)), on)  # type: ignore[return-value]

    # -- conversions -------------------------------------------------------------------------------------------------

    def _there(self, args: tuple, options: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """The arguments of `to` without a device that is the mesh's."""
        kind = self._layout.type

        def stays(x: Any) -> bool:
            if isinstance(x, _There):
                return x.place is self._layout.home
            if isinstance(x, str | device) and not (isinstance(x, device) and x.is_mesh):
                if device(x).type != kind:
                    raise NotImplementedError(
                        f"a DTensor on a mesh of {kind} devices cannot go to {x}: take full_tensor() or to_local()"
                    )
                return True
            return False

        if options.get("device") is not None and stays(options["device"]):
            options = {**options, "device": None}
        return tuple([a for a in args if not stays(a)]), options

    def to(self, *args: Any, **options: Any) -> Tensor:
        """Another dtype: on the mesh a tensor stays where it is."""
        args, options = self._there(args, options)
        return Tensor.to(self, *args, **options)  # type: ignore[attr-defined]

    def cpu(self, memory_format: Any = None) -> Tensor:
        """Itself, of a mesh of CPU devices."""
        return self.to("cpu")

    def cuda(self, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
        """Itself, of a mesh of CUDA devices."""
        return self.to("cuda")

    def numpy(self, *, force: bool = False) -> NoReturn:
        """Raises, as in PyTorch: full_tensor() has the numbers."""
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def tolist(self) -> NoReturn:
        """Raises, as in PyTorch: full_tensor() has the numbers."""
        raise RuntimeError(".tolist() is not supported for tensor subclasses.")

    def data_ptr(self) -> int:
        """0: there is no one place in memory."""
        return 0

    @tidied
    def __repr__(self, *, tensor_contents: Any = None) -> str:
        if self._cell.level:
            return f"DTensor(shape={list(self.shape)}, dtype={self.dtype}, inside a transform)"
        return f"DTensor(local_tensor={self._local_tensor}, device_mesh={self.device_mesh}, placements={self.placements})"

    def __reduce_ex__(self, protocol: Any) -> tuple:
        marks = {k: v for k, v in self.__dict__.items() if k in ("_is_param", "_is_buffer", "persistent")}
        whole = self.detach().full_tensor()
        return _rebuilt, (
            whole,
            self.device_mesh,
            self.placements,
            self.requires_grad and self.is_leaf,
            marks,
        )

    def __deepcopy__(self, memo: dict) -> Tensor:
        done = memo.get(id(self))
        if done is None:
            if self.requires_grad and not self.is_leaf:
                raise RuntimeError(
                    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment."
                )
            done = memo[id(self)] = self.detach().clone().requires_grad_(self.requires_grad)
            done.__dict__.update(
                {k: v for k, v in self.__dict__.items() if k in ("_is_param", "_is_buffer", "persistent")}
            )
            if self.grad is not None:
                done.grad = self.grad.clone()
        return done


Layout.kind = DTensor


# -- where each process has a part -----------------------------------------------------------------------------------


def from_part(
    local: Tensor,
    mesh: DeviceMesh,
    placements: Sequence[Placement],
    shape: Sequence[int] | None = None,
    scale: int = 1,
) -> DTensor:
    """A DTensor of which each process gives a part. scale: that gradients are multiplied by on their way back."""
    if state.rec.level:
        raise NotImplementedError(_IN_TRANSFORM.format("from_local() was called"))
    sizes = list(local.shape)
    for p, n in zip(placements, mesh.shape):
        if p.is_shard():
            sizes[p.dim] *= n  # type: ignore[attr-defined]
    whole = tuple(sizes if shape is None else shape)
    on = layout_of(mesh, placements)
    array = on.assembled(np.asarray(force_array(read(local.detach()))), whole)  # type: ignore[attr-defined]
    back_to = layout_of(mesh, [Replicate() if p.is_partial() else p for p in placements])

    def back(gradient: Tensor) -> Tensor:
        found = local_part(back_to.receive(gradient))  # type: ignore[arg-type]
        return found * scale if scale != 1 else found

    made = make_tensor(make_value(aval(whole, local.dtype, on), array=array), 0)
    return linked(local, made, back)  # type: ignore[return-value]


def local_part(x: DTensor, placements: Sequence[Placement] | None = None, scale: int = 1) -> Tensor:
    """Returns this process's part of a DTensor. placements: of the gradients that come back as parts; scale: a number
    that they are divided by."""
    if x._cell.level:
        raise NotImplementedError(_IN_TRANSFORM.format("to_local() was called"))
    on, shape = x._layout, tuple(x.shape)
    back_to = (
        [Replicate() if p.is_partial() else p for p in on.placements] if placements is None else placements
    )

    def back(gradient: Tensor) -> Tensor:
        return from_part(gradient / scale if scale != 1 else gradient, on.mesh, back_to, shape)

    return linked(x, from_array(x._numbers_at(on.here()), on=_plain(on)), back)


def same_everywhere(t: Tensor, mesh: DeviceMesh, what: str, source: int | None = 0) -> Tensor:
    """A plain tensor with the numbers of one of the mesh's processes, by its place; None: each has its own."""
    together = mesh.together
    if together is None or source is None or t._aval.device is META:
        return t
    if source and (mesh.ndim > 1 or mesh is not mesh.root):
        raise NotImplementedError(
            f"{what}: src_data_rank={source} on a mesh of several dimensions, or on some of them: give 0, after dist.broadcast(tensor, {source})"
        )
    if not 0 <= source < mesh.size():
        raise ValueError(f"{what}: src_data_rank={source} is not from 0 to {mesh.size() - 1}")
    array = np.asarray(force_array(read(t.detach())))  # type: ignore[attr-defined]
    return from_array(broadcast_array(together.group, what, array, source))


class _There(device):
    """Device of a DTensor: equal to a device of the mesh's type."""

    __slots__ = ("_home",)
    is_mesh = True

    def __new__(cls, *args: Any):
        raise TypeError("a DTensor's device")

    @property
    def home(self) -> device:
        return self._home

    place = home

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (other.type, other.index) == (self.type, self.index)

    def __hash__(self) -> int:
        return hash(device(self.type))

    def __repr__(self) -> str:
        return repr(device(self.type))

    def __str__(self) -> str:
        return self.type

    def __reduce__(self):
        return (device, (self.type, self.index))


@cache
def _there(home: Layout) -> _There:
    made = object.__new__(_There)
    made._home, made.type, made.index, made._jax = home, home.type, None, home._jax
    return made


def _rebuilt(
    whole: Tensor, mesh: DeviceMesh, placements: Sequence[Placement], requires_grad: bool, marks: dict
) -> Tensor:
    made = layout_of(mesh, placements).receive(whole).requires_grad_(requires_grad)  # type: ignore[attr-defined]
    made.__dict__.update(marks)
    return made


def _plain(on: Layout) -> device:
    """The device of plain tensors that come from a mesh: the first of its type."""
    return device(on.type) if on.type == "cpu" else device(on.type, 0)


_parts: dict[tuple, DerivedOp] = {}


def _part(edges: tuple[tuple[int, int], ...]) -> DerivedOp:
    """The op that cuts a part out."""
    found = _parts.get(edges)
    if found is None:
        cut = tuple([slice(a, b) for a, b in edges])
        found = _parts[edges] = DerivedOp(lambda x: (x[cut],), "local_part", made_of=(edges,))
    return found


def _put_parts(array: np.ndarray, on: Layout, ndim: int) -> Any:
    """An array of parts on its devices."""
    with jax.enable_x64(True):
        return jax.device_put(np.ascontiguousarray(array), on.sharding(ndim))


def checked_placements(
    what: str, placements: Sequence[Placement], mesh: DeviceMesh, ndim: int
) -> tuple[Placement, ...]:
    """Placements as they are kept: one for each dimension of the mesh, dimensions of the tensor counted from the
    front."""
    given = tuple(placements)
    if len(given) != mesh.ndim:
        raise ValueError(
            "`placements` must have the same length as `device_mesh.ndim`! "
            f"Found placements length: {len(given)}, and device_mesh.ndim: {mesh.ndim}."
        )
    made: list[Placement] = []
    for p in given:
        if not isinstance(p, Shard | Replicate | Partial):
            raise RuntimeError(f"{what}: a placement is Shard(dim), Replicate() or Partial(), not {p!r}")
        if isinstance(p, Shard):
            if not -ndim <= p.dim < ndim:
                raise IndexError(f"{what}: Shard(dim={p.dim}) of a tensor of {ndim} dimensions")
            p = Shard(p.dim % ndim)
        made.append(p)
    return tuple(made)


@tidied
def distribute_tensor(
    tensor: Tensor,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> DTensor:
    """A leaf with the numbers of `tensor`, spread over a mesh.

    Args:
        tensor: plain, a leaf; or a DTensor that has these placements already, which is returned.
        device_mesh: the mesh; that of `with mesh:` if None.
        placements: one for each of its dimensions; Replicate if None.
        src_data_rank: whose numbers they are, of several processes; None: each has its own part of its own. One process
            has them for all its devices.

    Raises ValueError if the number of placements does not match the mesh, IndexError for a dimension that the tensor
    does not have, and RuntimeError for a tensor that is not a leaf.

    >>> from functorch_lite.distributed.device_mesh import init_device_mesh
    >>> mesh = init_device_mesh("cpu", (1,))
    >>> distribute_tensor(torch.arange(4.0), mesh, [Shard(0)]).placements
    (Shard(dim=0),)
    """
    mesh = current_mesh(device_mesh, "distribute_tensor")
    if not isinstance(tensor, Tensor):
        raise TypeError(f"distribute_tensor: tensor must be a Tensor, not {type(tensor).__name__}")
    wanted = checked_placements(
        "distribute_tensor",
        [Replicate()] * mesh.ndim if placements is None else placements,
        mesh,
        tensor.ndim,
    )
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh:
            raise ValueError(
                f"Cannot distribute a DTensor with device mesh {tensor.device_mesh} to a different device mesh {mesh}."
            )
        if tensor.placements != wanted:
            raise ValueError(
                f"Cannot distribute a DTensor with placements {tensor.placements} to a different placements {list(wanted)}. "
                "do you want to call `redistribute` instead?"
            )
        return tensor
    if not tensor.is_leaf:
        raise RuntimeError(
            "`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!"
        )
    if src_data_rank is None and mesh.together is not None:
        on, array = layout_of(mesh, wanted), np.asarray(force_array(read(tensor.detach())))
        cut = tuple([slice(a, b) for a, b in bounds(on, array.shape, on.here())])
        made = from_part(from_array(array[cut]), mesh, wanted, array.shape)
        return made.requires_grad_(tensor.requires_grad)  # type: ignore[attr-defined]
    made = layout_of(mesh, wanted).receive(
        same_everywhere(tensor.detach(), mesh, "distribute_tensor", src_data_rank)
    )
    return made.requires_grad_(tensor.requires_grad)  # type: ignore[attr-defined]
