"""`fully_shard`: every parameter is cut over a dimension of the mesh, and whole only while its module computes.

Before a module's forward its parameters are redistributed to Replicate, which is taped: so their gradients come back
added up and cut as they are. When a whole parameter is let go of, and whether it is gathered again for the backward, is
for XLA to decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax

from ..._core.api import Tensor, check, tidied
from ...api_names import listed
from ...utils._pytree import tree_map
from .._borders import batch_left, spread_batch
from .._dtensor import DTensor
from .._layout import layout_of
from .._packs import gathered_together
from .._placements import Placement, Replicate, Shard
from ..device_mesh import DeviceMesh, init_device_mesh
from ..groups import get_world_size, is_initialized
from ..tensor._modules import place

__all__ = [
    "CPUOffloadPolicy",
    "FSDPModule",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "UnshardHandle",
    "fully_shard",
]
__dir__ = listed(__name__)


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes of a sharded module.

    param_dtype: that it computes in; parameters and gradients keep theirs. reduce_dtype: gradients are added up in the
    dtype that they are computed in, so it may be None, param_dtype or wider. output_dtype: of its results.
    cast_forward_inputs: whether floating point inputs are cast to param_dtype.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass(frozen=True)
class OffloadPolicy:
    """Parameters stay on their devices."""


@dataclass(frozen=True)
class CPUOffloadPolicy(OffloadPolicy):
    """Not there: `fully_shard` raises for it."""

    pin_memory: bool = True


class UnshardHandle:
    """Result of `unshard(async_op=True)`: there is nothing to wait for."""

    def wait(self) -> None:
        """Returns at once."""


class FSDPModule:
    """Mixin that `fully_shard` adds to a module's class. Methods that tell PyTorch when to gather and when to let go do
    nothing: XLA decides it."""

    _fsdp: _State

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Does nothing: parameters are gathered where they are used."""
        return UnshardHandle() if async_op else None

    def reshard(self) -> None:
        """Does nothing: parameters are cut at all times."""

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Does nothing: a gradient is the sum over all devices at all times, so accumulating gives the same."""

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Does nothing."""

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Does nothing."""

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Does nothing: XLA decides."""

    def set_reshard_after_backward(self, reshard_after_backward: bool, *, recurse: bool = True) -> None:
        """Does nothing: XLA decides."""

    def set_modules_to_forward_prefetch(self, modules: list) -> None:
        """Does nothing: XLA decides."""

    def set_modules_to_backward_prefetch(self, modules: list) -> None:
        """Does nothing: XLA decides."""

    def set_unshard_in_backward(self, unshard_in_backward: bool) -> None:
        """Does nothing: XLA decides."""


class _State:
    """State of a sharded module: its mesh, over which dimensions its parameters are cut, which of them (module, name)
    are its own, and its policy."""

    def __init__(
        self, mesh: DeviceMesh, dims: list[int], own: list[tuple[Any, str]], policy: MixedPrecisionPolicy
    ):
        self.mesh, self.dims, self.own, self.policy = mesh, dims, own, policy
        self.calls: list[tuple[list, int | None]] = []

    def before(self, module: Any, inputs: tuple, options: dict) -> tuple:
        (inputs, options), rows = spread_batch((inputs, options), self.mesh, self.dims, self._cast)
        held = [(m, name, m._parameters[name]) for m, name in self.own]
        self.calls.append((held, rows))
        different = list({id(p): p for _, _, p in held}.values())
        whole = dict(zip(map(id, different), self._whole(different)))
        for m, name, p in held:
            m._parameters[name] = whole[id(p)]
        return inputs, options

    def _whole(self, parameters: list) -> list:
        """Parameters as the module computes with them: parameters of one dtype are gathered together."""
        dtype = self.policy.param_dtype
        made = list(parameters)
        groups: dict[Any, list[int]] = {}
        for at, p in enumerate(parameters):
            if not isinstance(p, DTensor):
                continue
            if dtype is not None and p.is_floating_point():
                made[at] = p = p.to(dtype)
            if p._cell.level:
                continue  # inside a transform XLA places it
            cut = tuple([i for i in self.dims if p.placements[i].is_shard()])
            if cut and sum(q.is_replicate() for q in p.placements) == len(p.placements) - len(cut):
                groups.setdefault((p.dtype, cut), []).append(at)
            else:
                made[at] = p.redistribute(placements=self._kept(p))
        for (_, cut), places in groups.items():
            gathered = gathered_together([made[at] for at in places], cut)
            for at, p in zip(places, gathered):
                made[at] = p
        return made

    def _kept(self, p: DTensor) -> list[Placement]:
        return [Replicate() if i in self.dims else q for i, q in enumerate(p.placements)]

    def _cast(self, x: Tensor) -> Tensor:
        dtype = self.policy.param_dtype
        if dtype is not None and self.policy.cast_forward_inputs and x.is_floating_point():  # type: ignore[attr-defined]
            return x.to(dtype)  # type: ignore[attr-defined]
        return x

    def after(self, module: Any, inputs: tuple, options: dict, output: Any) -> Any:
        held, rows = self.calls.pop()
        for m, name, p in held:
            m._parameters[name] = p
        return tree_map(lambda x: self._result(x, rows), output)

    def _result(self, x: Any, rows: int | None) -> Any:
        if not isinstance(x, Tensor):
            return x
        dtype = self.policy.output_dtype
        if dtype is not None and x.is_floating_point():  # type: ignore[attr-defined]
            x = x.to(dtype)  # type: ignore[attr-defined]
        return batch_left(x, self.mesh, self.dims, rows)


def _own(module: Any) -> list[tuple[Any, str]]:
    """The parameters in a module that no sharded module inside it has: (module, name)."""
    found: list[tuple[Any, str]] = []
    taken = {
        id(p)
        for m in module.modules()
        if isinstance(m, FSDPModule) and m is not module
        for o, n in m._fsdp.own
        for p in (o._parameters[n],)
    }

    def look(m: Any) -> None:
        for name, p in m._parameters.items():
            if p is not None and id(p) not in taken:
                found.append((m, name))
        for child in m.children():
            if not isinstance(child, FSDPModule):
                look(child)

    look(module)
    return found


@tidied
def fully_shard(
    module: Any,
    *,
    mesh: DeviceMesh | None = None,
    reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Callable[[Any], Shard | None] | None = None,
    mp_policy: MixedPrecisionPolicy = MixedPrecisionPolicy(),
    offload_policy: OffloadPolicy = OffloadPolicy(),
    ignored_params: set | None = None,
    dp_mesh_dims: Any = None,
) -> Any:
    """Cuts a module's parameters over a mesh, and returns the module, whose class is an FSDPModule from here on.

    Args:
        module: the module, or a list of modules; those inside are to be sharded first, the whole last.
        mesh: of one dimension, over which parameters are cut; of two, whose first has copies and whose second has
            parts. All devices if None.
        reshard_after_forward: accepted; XLA decides how long a gathered parameter lives.
        shard_placement_fn: gives the dimension that a parameter is cut along, as Shard(dim); 0 for None.
        mp_policy: see MixedPrecisionPolicy.
        offload_policy: OffloadPolicy().

    Plain tensors that the module is given are the whole batch: their first dimension is cut over the mesh, where it
    divides evenly, and results are plain again. On a mesh over several processes they are each process's own rows, and
    gradients of results' rows are averaged. DTensors stay as they are, and give DTensors. Optimizers are to be made
    afterwards.
    """
    if isinstance(module, list | tuple):
        for m in module:
            fully_shard(
                m,
                mesh=mesh,
                shard_placement_fn=shard_placement_fn,
                mp_policy=mp_policy,
                offload_policy=offload_policy,
            )
        return module
    _check_options(module, offload_policy, ignored_params, dp_mesh_dims)
    if mesh is None:
        world = get_world_size() if is_initialized() else 1
        kind = {"gpu": "cuda", "tpu": "xla"}.get(jax.default_backend(), "cpu")
        mesh = (
            init_device_mesh("cpu", (world,)) if world > 1 else init_device_mesh(kind, (len(jax.devices()),))
        )
    if mesh.ndim > 2:
        raise ValueError(f"fully_shard: expects a 1D or 2D DeviceMesh but got {mesh}")
    own = _own(module)
    done: dict[int, Any] = {}
    where, dims = mesh, list(range(mesh.ndim))
    for m, name in own:
        p = m._parameters[name]
        wanted = shard_placement_fn(p) if shard_placement_fn is not None else None
        cut = wanted if wanted is not None else Shard(0)
        if isinstance(p, DTensor) and id(p) not in done:
            where, dims = _joined(mesh, p)
        if id(p) in done or not isinstance(p, DTensor):
            place(m, name, mesh, _placed(mesh, cut), done)
        else:
            _shard_placed(m, name, p, where, dims, cut, done)
    for m in module.modules():
        for name, b in list(m._buffers.items()):
            if isinstance(b, Tensor) and not isinstance(b, DTensor):
                place(m, name, mesh, [Replicate()] * mesh.ndim, done)
    if where is not mesh:  # what is not tensor parallel lies on the joined mesh too
        for m, name in own:
            p = m._parameters[name]
            if p.device_mesh != where:
                _shard_placed(m, name, p, where, dims, None, done)
        for m in module.modules():
            for name, b in list(m._buffers.items()):
                if isinstance(b, DTensor) and b.device_mesh != where:
                    m._buffers[name] = layout_of(where, [Replicate()] * where.ndim).receive(b)
    state = _State(where, dims, own, mp_policy)
    module._fsdp = state
    module.register_forward_pre_hook(state.before, with_kwargs=True)
    module.register_forward_hook(state.after, with_kwargs=True, always_call=True)
    module.__class__ = type(f"FSDP{type(module).__name__}", (FSDPModule, type(module)), {})
    return module


def _check_options(
    module: Any, offload_policy: OffloadPolicy, ignored_params: set | None, dp_mesh_dims: Any
) -> None:
    on_host = isinstance(offload_policy, CPUOffloadPolicy)
    message = "fully_shard: parameters on the host are not there: use more devices, or OffloadPolicy()"
    check(not on_host, NotImplementedError, message)
    message = (
        "fully_shard: ignored_params is not there: distribute those parameters by distribute_tensor before"
    )
    check(not ignored_params, NotImplementedError, message)
    message = "fully_shard: dp_mesh_dims is not there: give the dimensions as mesh=mesh['dp']"
    check(dp_mesh_dims is None, NotImplementedError, message)
    check(not isinstance(module, FSDPModule), ValueError, "fully_shard: the module was sharded before")


def _placed(mesh: DeviceMesh, cut: Shard) -> list[Placement]:
    return [cut] if mesh.ndim == 1 else [Replicate(), cut]


def _joined(mesh: DeviceMesh, p: DTensor) -> tuple[DeviceMesh, list[int]]:
    """The mesh that has the dimensions of both, and which of them are the data's."""
    root = mesh.root
    if p.device_mesh.root != root or root is mesh or not root.mesh_dim_names:
        raise ValueError(
            f"fully_shard: {mesh} and the mesh of a parameter, {p.device_mesh}, are to be dimensions of one mesh, as mesh['dp'] and mesh['tp']"
        )
    if set(mesh.mesh_dim_names or ()) & set(p.device_mesh.mesh_dim_names or ()):
        raise ValueError(f"fully_shard: the parameter is on {p.device_mesh} already")
    names = [
        n
        for n in root.mesh_dim_names
        if n in (mesh.mesh_dim_names or ()) or n in (p.device_mesh.mesh_dim_names or ())
    ]
    both = root[tuple(names)]
    return both, [names.index(n) for n in mesh.mesh_dim_names or ()]


def _shard_placed(
    m: Any, name: str, p: Any, where: DeviceMesh, dims: list[int], cut: Shard | None, done: dict[int, Any]
) -> None:
    """A parameter that is a DTensor already, on the joined mesh."""
    before = dict(zip(p.device_mesh.mesh_dim_names, p.placements))
    names = where.mesh_dim_names or ()
    placements = [
        before.get(n, cut if i in dims and cut is not None else Replicate()) for i, n in enumerate(names)
    ]
    made = layout_of(where, placements).receive(p.detach()).requires_grad_(p.requires_grad)  # type: ignore[attr-defined]
    made._is_param = True
    m.register_parameter(name, made)
    done[id(made)] = made
    done.setdefault("kept", []).append(p)  # type: ignore[call-overload]
