"""Layout: where the numbers of a DTensor are. It takes the role that a device has for other tensors.

So all that asks for a tensor's device works as it is: recordings are of one mesh, results are placed where their inputs
are, and a program is found again by the placements of what it reads. The aval of a DTensor has the shape of the whole;
the array behind it may be larger: a dimension that does not divide evenly is padded at its end, and a Partial has a
dimension in front, of its parts. Programs take and give such arrays; inside of one everything is whole (`entered`,
`left`), but for what a Partial keeps apart (`_partials.py`).

The placements of an op's results are determined once, when it is first recorded with inputs of these placements
(`results`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import fft_p
from jax.sharding import NamedSharding, PartitionSpec

from .._core.api import (
    ANY,
    BITS,
    META,
    Applied,
    Aval,
    DerivedOp,
    Formula,
    Tensor,
    apply,
    aval,
    device,
    force,
    force_array,
    make_tensor,
    meta_value,
    moved,
    read,
    state,
    walk,
)
from . import _partials
from ._halo import over_parts
from ._over_processes import mark_of
from ._placements import Placement, Replicate, Shard, partial_of
from ._propagation import Spec, is_fragile, propagated
from ._replication import replication
from ._steps import computed
from .device_mesh import DeviceMesh

__all__ = ["Layout", "Redistribute", "layout_of", "local_shape", "pieces"]


class Redistribute(DerivedOp):
    """An op that changes no number: its result has the placements of `layout`."""

    __slots__ = ("layout",)

    def __init__(self, layout: Layout):
        super().__init__(_same, "redistribute", made_of=(repr(layout),))
        self.layout = layout


def _same(x: Any) -> tuple:
    return (x,)


def _unchanged(x: Any) -> Any:
    return x


class Layout(device):
    """A mesh, and the placement along each of its dimensions. Interned: equal ones are the same object."""

    __slots__ = ("_home", "_shardings", "mesh", "op", "placements")
    is_mesh = True
    mesh: DeviceMesh
    placements: tuple[Placement, ...]

    def __new__(cls, *args: Any):
        raise TypeError("layouts are made by layout_of(mesh, placements)")

    @property
    def home(self) -> Layout:
        return self._home

    def __repr__(self) -> str:
        return f"Layout({self.mesh!r}, {self.mesh._ranks.tolist()}, {self.mesh._axes}, {self.placements})"

    __str__ = __repr__

    def __reduce__(self):
        return (layout_of, (self.mesh, self.placements))

    # -- arrays ------------------------------------------------------------------------------------------------------

    @property
    def partial(self) -> list[int]:
        """The dimensions of the mesh along which there are parts."""
        return [i for i, p in enumerate(self.placements) if p.is_partial()]

    def spec(self, ndim: int) -> Spec:
        """For each dimension of the tensor, the dimensions of the mesh that it is cut over."""
        made: list[tuple[int, ...]] = [()] * ndim
        for i, p in enumerate(self.placements):
            if p.is_shard() and p.dim < ndim:  # a number that goes along with a tensor has no such dimension
                made[p.dim] += (i,)
        return tuple(made)

    def _padded(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        sizes = self.mesh.shape
        counts = [math.prod([sizes[i] for i in dims]) for dims in self.spec(len(shape))]
        return tuple([-(-n // k) * k for n, k in zip(shape, counts)])

    def is_even(self, shape: tuple[int, ...]) -> bool:
        """Returns whether nothing is padded."""
        return self._padded(shape) == shape

    def sharding(self, ndim: int, parts: bool = True) -> NamedSharding:
        """The JAX sharding of an array that holds a tensor of ndim dimensions. parts: with dimensions for a Partial."""
        found = self._shardings.get((ndim, parts))
        if found is None:
            axes = self.mesh._axes
            dims = [tuple([a for i in s for a in axes[i]]) or None for s in self.spec(ndim)]
            if parts:
                dims = [axes[i] for i in self.partial] + dims
            found = self._shardings[ndim, parts] = NamedSharding(self.mesh.root._jax, PartitionSpec(*dims))
        return found

    def shardings(self, avals: Sequence[Aval]) -> list[NamedSharding]:
        """Returns the shardings of a program's results."""
        return [a.device.sharding(len(a.shape)) for a in avals]  # type: ignore[attr-defined]

    def put(self, array: Any) -> jax.Array:
        """The array behind a tensor of these numbers. One that is there already is returned."""
        if isinstance(array, jax.Array) and not self.partial and self.is_even(array.shape):
            target = self.sharding(array.ndim)
            if array.sharding == target:
                return array
            if array.is_fully_addressable and self.mesh.together is None:
                with jax.enable_x64(True), jax.ensure_compile_time_eval():
                    return jax.device_put(array, target)
            if not array.is_fully_addressable:
                with jax.enable_x64(True):
                    return self._shared("redistribute", _unchanged, array, target)
        with jax.enable_x64(True), jax.ensure_compile_time_eval():
            array = np.asarray(array)
            together = self.mesh.together
            if together is not None:
                together.note(array)
            shape = array.shape
            target = self.sharding(array.ndim)
            padded = self._padded(shape)
            if padded != shape:
                array = np.pad(array, [(0, m - n) for n, m in zip(shape, padded)])
            for i in reversed(self.partial):
                array = np.asarray(_partials.spread(array, self.placements[i].reduce_op, self.mesh.shape[i]))
            return jax.device_put(array, target) if together is None else together.cut(array, target)

    def held(self, a: Aval, array: Any) -> Any:
        """Returns the array that a program takes for a value."""
        if isinstance(array, jax.Array) and a.device.is_mesh:
            return array
        return a.device.put(array) if a.device.is_mesh else self.put(array)  # type: ignore[attr-defined]

    def whole(self, array: Any, a: Aval) -> np.ndarray:
        """The numbers, on the host. They must not be written to."""
        if isinstance(array, np.ndarray):
            return array
        with jax.enable_x64(True):
            if self.mesh.together is not None:
                if self.partial or not array.is_fully_replicated:
                    target = self.home.sharding(len(a.shape))
                    array = self._shared("full_tensor", self._without_parts, array, target)
                array = array.addressable_data(0)
            elif self.partial:
                array = self._without_parts(array)
            found = np.asarray(array)
        return found[tuple([slice(n) for n in a.shape])] if found.shape != a.shape else found

    def logical(self, array: Any, a: Aval) -> jax.Array:
        """The numbers as one array of JAX's, sharded as the tensor is where that is even."""
        if not isinstance(array, np.ndarray) and not self.partial and self.is_even(a.shape):
            return array
        return self.home.put(self.whole(array, a))

    def _shared(self, what: str, fn: Callable[[Any], Any], array: Any, target: NamedSharding) -> jax.Array:
        """Returns what all processes compute of an array together."""
        together = self.mesh.together
        assert together is not None
        return together.computed(what, fn, array, target)

    def together(self, run: Any) -> list:
        """The results of a program, which all processes of the mesh run."""
        together = self.mesh.together
        if together is None or run.is_traced():
            return run.results()
        for x in run.numbers():
            together.note(np.asarray(x))
        return together.run(run.named(), run.results)

    def mark_of(self, lowered: Any) -> str:
        """Returns the text by which processes tell a program from others."""
        return "" if self.mesh.together is None else mark_of(lowered)

    # -- the part of this process, where there are several -------------------------------------------------------------

    def here(self) -> list[int]:
        """Where this process's device, or its first, is in the mesh."""
        return [0] * self.mesh.ndim if self.mesh.together is None else self.mesh.get_coordinate() or []

    def _is_torn(self, shape: tuple[int, ...]) -> bool:
        """Returns whether parts are not what devices have: PyTorch cuts what is uneven along one dimension of the mesh, then
        along the next."""
        return any(len(s) > 1 for s in self.spec(len(shape))) and not self.is_even(shape)

    def part_here(self, array: Any, shape: tuple[int, ...]) -> np.ndarray | None:
        """This process's part of an array behind a tensor; None where its device has not that."""
        if self._is_torn(shape):
            return None
        found = np.asarray(array.addressable_data(0))[(0,) * len(self.partial)]
        return found[tuple([slice(b - a) for a, b in bounds(self, shape, self.here())])]

    def assembled(self, part: np.ndarray, shape: tuple[int, ...]) -> jax.Array:
        """The array behind a tensor of this shape, of which this process has a part."""
        together = self.mesh.together
        assert together is not None
        if self._is_torn(shape):
            raise NotImplementedError(
                f"a tensor of shape {list(shape)} of parts that are {self.placements} and uneven: make the whole tensor and use distribute_tensor"
            )
        is_whole = all(p.is_replicate() for p in self.placements)
        if self.mesh.size() < self.mesh.root.size() and not is_whole:
            raise NotImplementedError(
                f"a plain tensor cannot be the local shard of a tensor with placements {self.placements} on {self.mesh!r}, some of the dimensions of {self.mesh.root!r}, because processes along the other dimensions may have different values; pass a DTensor on the whole mesh"
            )
        wanted = local_shape(self, shape, self.here())
        if part.shape != wanted:
            raise ValueError(
                f"rank {together.rank} has a part of shape {list(part.shape)}, which is of shape {list(wanted)} in a tensor of shape {list(shape)} that "
                f"is {self.placements}"
            )
        together.agree(f"from_local to {part.dtype.name}{list(shape)} {self.placements}")
        target, parts = self.sharding(len(shape)), [self.mesh.shape[i] for i in self.partial]
        if is_whole:
            together.note(part)
        padded = (*parts, *self._padded(shape))
        each = target.shard_shape(padded)
        part = np.pad(part, [(0, m - n) for n, m in zip(part.shape, each[len(parts) :])])
        with jax.enable_x64(True):
            return together.assembled(part.reshape(each), padded, target)

    def _without_parts(self, array: Any) -> Any:
        return self._reduced(array, self.partial)

    def _reduced(self, array: Any, dims: Sequence[int]) -> Any:
        """The array without the parts along some dimensions of the mesh."""
        for i in reversed(dims):
            at = self.partial.index(i)
            array = _partials.joined(jnp.moveaxis(array, at, 0), self.placements[i].reduce_op)
            return self._without(i)._reduced(array, [j for j in dims if j != i])
        return array

    def _without(self, i: int) -> Layout:
        return layout_of(self.mesh, (*self.placements[:i], Replicate(), *self.placements[i + 1 :]))

    # -- inside of programs ------------------------------------------------------------------------------------------

    def entered(self, arrays: Sequence[Any], avals: Sequence[Aval | None]) -> list:
        """A program's arguments without their padding."""
        made = []
        for x, a in zip(arrays, avals):
            if a is not None and a.device.is_mesh and not a.device.is_even(a.shape):  # type: ignore[attr-defined]
                on: Layout = a.device  # type: ignore[assignment]
                k = len(on.partial)
                x = x[tuple([slice(None)] * k + [slice(n) for n in a.shape])]
                x = jax.lax.with_sharding_constraint(x, on.sharding(len(a.shape)))
            made.append(x)
        return made

    def left(self, arrays: Sequence[Any], avals: Sequence[Aval]) -> list:
        """A program's results with their padding."""
        made = []
        for x, a in zip(arrays, avals):
            on: Layout = a.device  # type: ignore[assignment]
            if not on.is_even(a.shape):
                k = len(on.partial)
                x = jax.lax.with_sharding_constraint(x, on.sharding(len(a.shape)))
                x = jnp.pad(x, [(0, 0)] * k + [(0, m - n) for n, m in zip(a.shape, on._padded(a.shape))])
            made.append(x)
        return made

    def called(self, applied: Applied, args: list) -> Any:
        """Returns the results of an op, when it is traced."""
        on = [i.device if isinstance(i, Aval) and i.device.is_mesh else None for i in applied.inputs]
        found = over_parts(applied.op, applied.static, args, on)
        return super().called(applied, args) if found is None else found

    def run(self, applied: Applied, args: Sequence[Any]) -> Sequence[Any]:
        """The results of a step of a program on this mesh."""
        placed = _placed(self, applied)
        given = []
        for x, a, kept in zip(args, applied.in_avals, placed.kept):
            if a.device.is_mesh and (dims := [i for i in a.device.partial if i not in kept]):  # type: ignore[attr-defined]
                x = a.device._reduced(x, dims)  # type: ignore[attr-defined]
            given.append(x)
        if isinstance(applied.op, Redistribute):
            return [_relaid(given[0], applied.in_avals[0], applied.op.layout)]
        if placed.alone:
            given = [self._everywhere(x) for x in given]
            outs = computed(applied.jaxpr, given, self._everywhere) if placed.steps else applied.run(*given)
            return [self._everywhere(x) for x in outs]
        if placed.first is not None:
            given = [
                jax.lax.with_sharding_constraint(x, s) if x.ndim == len(s.spec) else x
                for x, s in zip(given, placed.first)
            ]
        if not placed.plans:
            outs = computed(applied.jaxpr, given, self._everywhere) if placed.steps else applied.run(*given)
            if placed.last:
                outs = list(outs)
                for i, sharding in placed.last.items():
                    outs[i] = jax.lax.with_sharding_constraint(outs[i], sharding)
            return outs
        sizes = [self._of(applied).shape[i] for i in placed.parts]
        return _partials.mapped(lambda *xs: applied._call(*xs), placed.plans, sizes)(*given)

    def _everywhere(self, x: Any) -> Any:
        """An array inside of a program, whole on every device."""
        return jax.lax.with_sharding_constraint(x, self.home.sharding(x.ndim))

    @staticmethod
    def _of(applied: Applied) -> DeviceMesh:
        return next(a.device.mesh for a in applied.in_avals if a.device.is_mesh)  # type: ignore[attr-defined]

    def results(self, applied: Applied) -> tuple[Aval, ...]:
        """The avals of an op's results."""
        return _placed(self, applied).avals

    # -- tensors that come and go ------------------------------------------------------------------------------------

    def receive(self, t: Tensor) -> Tensor:
        """t with these placements."""
        a = t._aval
        if a.device is self:
            return t
        if a.device.is_mesh:
            if (
                a.device.home is not self.home
            ):  # such as what was made of nothing, while a recording was of the other mesh
                return self.receive(a.device.give(t, device(a.device.type)))  # type: ignore[attr-defined]
            return apply(self.op, None, (t,))[0]
        v = read(t)
        if state.rec.level and v.array is None and v.rec is not None and v.rec.level:
            if a.device is META:
                raise NotImplementedError("a meta tensor cannot be distributed inside a transform")
            raise NotImplementedError(
                "distributing a plain tensor inside a transform (grad, vmap, …) is not supported: distribute it before the call"
            )
        if a.device is META:
            raise NotImplementedError(
                "Cannot copy out of meta tensor; no data! Make the DTensor by empty_like(…, device=mesh.device_type)."
            )
        return moved(t, self.put(force(v)), self)

    def give(self, t: Tensor, where: device) -> Tensor:
        """t as a plain tensor on a device. Inside a transform it stays where it is, whole."""
        if where is META:
            return make_tensor(meta_value(t._aval.shape, t._aval.dtype), state.rec.level)
        if state.rec.level or where is ANY:
            return self.home.receive(t)
        t = self.home.receive(t)
        return moved(t, force_array(read(t)), where)

    def takes_along(self, found: set, op: Any) -> bool:
        """Returns whether plain tensors may be inputs of an op together with DTensors."""
        others = [d for d in found if d is not self]
        if any(d.is_mesh for d in others):
            raise RuntimeError(
                f"{getattr(op, 'name', op)}: all DTensors must be on the same mesh, and these are on {self.mesh!r} and {others[0].mesh!r}"
            )
        if replication.on:
            return True
        name = getattr(op, "name", str(op)).rpartition(".")[2]
        form = "Tensor" if name in ("add", "sub", "mul", "div") else "default"
        raise RuntimeError(
            f"aten.{name}.{form} got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling distributed operators!"
        )


_interned: dict[tuple, Layout] = {}


def layout_of(mesh: DeviceMesh, placements: Sequence[Placement]) -> Layout:
    """The one Layout of these placements on a mesh."""
    key = (mesh, tuple(placements))
    found = _interned.get(key)
    if found is None:
        made = object.__new__(Layout)
        made.mesh, made.placements, made._shardings = mesh, tuple(placements), {}
        made.type, made.index = mesh.device_type, None
        made._jax = mesh.root._jax.devices.flat[0] if mesh.together is None else mesh.together.device
        made.op = Redistribute(made)
        root = mesh.root
        whole = mesh is root and all(p.is_replicate() for p in placements)
        made._home = made if whole else layout_of(root, (Replicate(),) * root.ndim)
        found = _interned.setdefault(key, made)
    return found


def _relaid(x: Any, a: Aval, to: Layout) -> Any:
    """An array inside of a program with other placements: the parts that both have are kept."""
    given: Layout | None = a.device if a.device.is_mesh else None  # type: ignore[assignment]
    had = (
        [i for i in given.partial if given.placements[i] == to.placements[i]]
        if given is not None and given.mesh == to.mesh
        else []
    )
    for at, i in enumerate(to.partial):
        if i not in had:
            made = _partials.spread(
                jnp.moveaxis(x, range(at), range(at)) if at == 0 else x,
                to.placements[i].reduce_op,
                to.mesh.shape[i],
            )
            x = jnp.moveaxis(made, 0, at) if at else made
    return jax.lax.with_sharding_constraint(x, to.sharding(len(a.shape)))


class _Placed:
    """Facts about an op at inputs of some placements: its results' avals, the dimensions of the mesh along which they
    have parts, what is made of the inputs there (`plans`), and along which dimensions an input's parts are `kept`.
    `first`: how the inputs are placed before the op, `last`: where some results go. `steps`: whether it is computed
    step by step. `alone`: whether every device computes all of it."""

    __slots__ = ("alone", "avals", "first", "kept", "last", "parts", "plans", "steps")


def _placed(home: Layout, applied: Applied) -> _Placed:
    found = applied.__dict__.get("placed")
    if found is None:
        found = applied.placed = _place(home, applied)  # type: ignore[attr-defined]
    return found


def _place(home: Layout, applied: Applied) -> _Placed:
    placed = _Placed()
    placed.parts, placed.plans, placed.first, placed.alone = [], [], None, False
    placed.last = {}
    jaxpr = applied.jaxpr.jaxpr
    drawn = any(a.device is ANY for a in applied.in_avals) and any(
        eqn.params.get("name") == BITS for eqn in walk.steps(jaxpr)
    )
    placed.steps = drawn or (home.type == "cpu" and any(e.primitive is fft_p for e in walk.equations(jaxpr)))
    placed.kept = [[] for _ in applied.in_avals]
    layouts = [a.device for a in applied.in_avals if a.device.is_mesh]
    spread_ones = [on for on in layouts if not all(p.is_replicate() for p in on.placements)] or layouts  # type: ignore[attr-defined]
    mesh: DeviceMesh = spread_ones[0].mesh if spread_ones else home.mesh  # type: ignore[attr-defined]
    together = all(on.mesh == mesh for on in spread_ones)  # type: ignore[attr-defined]
    if not together:
        mesh = mesh.root
    if isinstance(applied.op, Redistribute):
        on, a = applied.op.layout, applied.in_avals[0]
        if a.device.is_mesh and a.device.mesh == on.mesh:  # type: ignore[attr-defined]
            placed.kept = [[i for i in on.partial if a.device.placements[i] == on.placements[i]]]  # type: ignore[attr-defined]
        placed.avals = (aval(a.shape, a.dtype, on),)
        return placed
    none = (Replicate(),) * mesh.ndim
    given = []
    for a in applied.in_avals:
        if not a.device.is_mesh:
            given.append(none)
        elif together:
            given.append(a.device.placements if a.device.mesh == mesh else none)  # type: ignore[attr-defined]
        else:
            given.append(_on_root(a.device))
    kinds = _parts(mesh, applied, given, placed)
    out = applied.avals
    specs: list[Spec] = [((),) * len(a.shape) for a in out]
    is_cut = any(p.is_shard() for ps in given for p in ps)
    ins: list[Spec] = [((),) * len(a.shape) for a in applied.in_avals]
    if is_cut:
        ins = [
            layout_of(
                mesh, [p if p.is_shard() and i not in placed.parts else Replicate() for i, p in enumerate(ps)]
            ).spec(len(a.shape))
            for ps, a in zip(given, applied.in_avals)
        ]
    placed.alone = not placed.parts and is_fragile(applied.jaxpr.jaxpr, ins, mesh.shape)
    if not placed.alone and is_cut:
        lost: set[int] = set()
        specs = propagated(applied.jaxpr.jaxpr, ins, mesh.shape, lost)
        if lost and getattr(applied.op, "name", "") in _partials.NEEDS_WHOLE_FIRST:
            ins = [tuple([tuple([m for m in dims if m not in lost]) for dims in spec]) for spec in ins]
            specs = propagated(applied.jaxpr.jaxpr, ins, mesh.shape)
            placed.first = [
                layout_of(mesh, _placements_of(spec, mesh.ndim)).sharding(len(spec)) for spec in ins
            ]
    sources = _differentiated(applied.op)
    if placed.alone or [s.shape for s in sources] != [a.shape for a in out]:
        sources = [None] * len(out)
    avals = []
    for a, spec, source in zip(out, specs, sources):
        chosen = _placements_of(spec, mesh.ndim)
        if source is not None and source.device.is_mesh and source.device.mesh == mesh:
            taken = [
                q if p.is_replicate() and q.is_shard() else p
                for p, q in zip(chosen, source.device.placements)
            ]
            if taken != chosen:
                placed.last[len(avals)] = layout_of(mesh, taken).sharding(len(a.shape))
                chosen = taken
        for i, kind in zip(placed.parts, kinds):
            chosen[i] = partial_of(kind)
        avals.append(aval(a.shape, a.dtype, layout_of(mesh, chosen)))
    placed.avals = tuple(avals)
    return placed


def _differentiated(op: Any) -> list:
    """The avals that the results of a derivative are gradients of: where the one would be whole, it is cut as the
    other."""
    if not isinstance(op, Formula) or not op.made_of or not isinstance(op.made_of[0], Applied):
        return []
    of, mask, *_ = op.made_of
    found = [i for k, i in enumerate(of.inputs) if mask >> k & 1]
    return found if all(isinstance(i, Aval) for i in found) else []


def _on_root(on: device) -> tuple[Placement, ...]:
    """The placements along the dimensions of the whole mesh, of a layout on some of them."""
    assert isinstance(on, Layout)
    root = on.mesh.root
    made: list[Placement] = [Replicate()] * root.ndim
    for axes, p in zip(on.mesh._axes, on.placements):
        for (axis,), i in zip(root._axes, range(root.ndim)):
            if axis in axes and p.is_shard():
                made[i] = p
    return tuple(made)


def _placements_of(spec: Spec, ndim: int) -> list[Placement]:
    chosen: list[Placement] = [Replicate()] * ndim
    for d, dims in enumerate(spec):
        for i in dims:
            chosen[i] = Shard(d)
    return chosen


def _parts(mesh: DeviceMesh, applied: Applied, given: list, placed: _Placed) -> list[str]:
    """Finds out along which dimensions of the mesh the result has parts, and of which kinds."""
    name = getattr(applied.op, "name", "")
    kinds: list[str] = []
    if type(applied.op) is DerivedOp or not isinstance(name, str):
        return kinds
    inputs = applied.inputs
    it = iter(given)
    places = [next(it) if isinstance(i, Aval) else None for i in inputs]
    shapes = [x.shape if isinstance(x, Aval) else () for x in inputs]
    for i in range(mesh.ndim):
        states = [None if _partials.is_number(x) else ps[i] for x, ps in zip(inputs, places)]
        made = _partials.decide(name, applied.static or (), inputs, shapes, states, mesh.shape[i])
        if made is None:
            continue
        kind, plans = made
        if kinds and {kind, *kinds} - {kinds[0]} and not {kind, *kinds} <= set(_partials.KEEP):
            continue
        kinds.append(kind)
        placed.parts.append(i)
        shapes = [
            _partials.after(s, plan, mesh.shape[i])
            for s, plan in zip(shapes, [*plans, *["each"] * len(inputs)])
        ]
        dynamic = [plan for x, plan in zip(inputs, [*plans, *["each"] * len(inputs)]) if isinstance(x, Aval)]
        placed.plans.append(dynamic)
        for kept, plan in zip(placed.kept, dynamic):
            if plan == "parts":
                kept.append(i)
    return kinds


# -- parts of tensors ------------------------------------------------------------------------------------------------


def pieces(n: int, k: int) -> list[tuple[int, int]]:
    """Where each of k shards of n begins and ends, as `torch.chunk` has it."""
    size = -(-n // k) if n else 0
    return [(min(i * size, n), min((i + 1) * size, n)) for i in range(k)]


def bounds(layout: Layout, shape: Sequence[int], coordinate: Sequence[int]) -> list[tuple[int, int]]:
    """Where the part at a coordinate of the mesh begins and ends, for each dimension of the tensor."""
    found = [(0, n) for n in shape]
    for i, p in enumerate(layout.placements):
        if p.is_shard():
            begin, end = found[p.dim]
            a, b = pieces(end - begin, layout.mesh.shape[i])[coordinate[i]]
            found[p.dim] = (begin + a, begin + b)
    return found


def local_shape(layout: Layout, shape: Sequence[int], coordinate: Sequence[int]) -> tuple[int, ...]:
    """The shape of the part at a coordinate."""
    return tuple([b - a for a, b in bounds(layout, shape, coordinate)])
