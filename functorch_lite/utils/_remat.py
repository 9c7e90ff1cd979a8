"""Rematerialization: a function run once becomes one op whose derivative computes the inside again instead of keeping
it.

The function is recorded at a level of its own, and `jax.checkpoint` of the Graph is applied to the level below:
tensors that the function captured are inputs of that op, so they get gradients. Side effects of the function (a write
to an argument, an update of a module's buffers) become results too, and are carried out afterwards.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from types import FunctionType, MethodType, ModuleType
from typing import Any

import jax

from .._core.api import (
    Aval,
    DerivedOp,
    Graph,
    Leaf,
    NotOneOp,
    Op,
    Recorded,
    Tensor,
    Value,
    apply_op,
    apply_view,
    lookup,
    make_tensor,
    read,
    record_function,
    state,
    transforms,
    update,
)
from .._core.lazy import apply as applying
from .._core.lazy.recorder import Recorder
from ..autograd.tensor_methods import GradFn
from ..func._trees import flatten, unflatten

__all__ = ["MARKS", "Budget", "Region", "rematerialized"]


def rematerialized(
    fn: Callable,
    args: tuple,
    kwargs: dict,
    *,
    reentrant: bool,
    early_stop: bool = True,
    policy: Callable | None = None,
    budget: Budget | None = None,
) -> Any:
    """fn(*args, **kwargs), whose intermediate results are computed again in backward.

    reentrant: every floating point result requires grad when the op is taped. policy(recorder, step) -> a mark of
    `MARKS`, or None: which results of ops inside are kept after all. budget: they are chosen by the planner, as far as
    the policy lets it. Raises NotOneOp when the function does what one op cannot.
    """
    region = Region(fn, args, kwargs, reentrant, policy, early_stop and not reentrant, budget is None)
    graph = region.recorded.graph
    if budget is not None:
        return region.apply_planned(budget.op(graph, region.marks, region.parameters(), region.which()))
    kept = tuple([k for k, mark in region.marks.items() if mark.endswith("save")])
    if kept:
        return region.apply_planned(_keeping(graph, kept, region.which()))
    again = graph.transformed(("checkpoint",))
    return region.finish(apply_op(again, None, tuple(region.recorded.inputs)))


def _planning() -> Any:
    """The planner, loaded (40 ms) when something is kept."""
    from ..compiler.partition import planner  # which stands above

    return planner


class Budget:
    """Chooser of the values that are saved: `part` is the share of the values saved at 1; None takes
    `torch._functorch.config`. The planner is in a higher layer than this module."""

    def __init__(self, part: float | None = None):
        self.part = part
        _planning().Planner.now(part)

    def op(
        self, graph: Graph, marks: dict[int, str], parameters: frozenset[int], which: tuple[bool, ...]
    ) -> Any:
        """The op of a recorded function, differentiated by the inputs in `which`."""
        planning = _planning()
        planner = planning.Planner.now(self.part, marks)
        return planning.planned_op(graph, planner, planner.key, parameters, which)


MARKS = ("must save", "must recompute", "prefer save", "prefer recompute")
"""Marks that a policy may give to a step's results."""


class Region:
    """A function, run once and recorded with what it does besides computing its results.

    kind: of the level that it is recorded at.
    repeats: updates of buffers are done once more in backward; with early_stop, those before the last step that saves a
    tensor. marks: what the policy said, by number of the Graph's step.
    """

    def __init__(
        self,
        fn: Callable,
        args: tuple,
        kwargs: dict,
        reentrant: bool = False,
        policy: Callable | None = None,
        early_stop: bool = False,
        repeats: bool = False,
        kind: str = "checkpoint",
    ):
        leaves, structure = flatten((args, kwargs))
        at = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]
        given = self.given = [leaves[i] for i in at]
        below = state.rec
        buffers = [b for b in _buffers((fn, args, kwargs)) if _may_lift(b.tensor, given)]
        lifted: dict[int, _Buffer] = {}
        for b in buffers:
            lifted.setdefault(id(b.tensor._cell), b)
        self.lifted = lifted
        stand_ins = [make_tensor(b.tensor._cell.value, below.level) for b in lifted.values()]
        inputs = [*given, *stand_ins]
        cells = [(b.tensor, b.tensor._cell) for b in buffers]

        def run(fresh: list[Tensor]):
            rec = state.rec
            for t, f in zip(given, fresh):
                f._edge = t._edge
            inner = dict(zip(lifted, [f._cell for f in fresh[len(given) :]]))
            for t, cell in cells:
                t._cell = inner[id(cell)]
            full = list(leaves)
            for i, f in zip(at, fresh):
                full[i] = f
            now_args, now_kwargs = unflatten(structure, full)
            out = fn(*now_args, **now_kwargs)
            if not rec.session.regular:
                raise NotOneOp("a hook is registered on what is computed inside")
            effects = _Effects(rec, given, fresh, buffers)
            results = _Results(rec, out, given, fresh, buffers, reentrant)
            marks = (
                {} if policy is None else {s.base: m for s in rec.path if (m := policy(rec, s)) is not None}
            )
            again = effects.repeated(_last_saving(rec) if early_stop else None) if repeats else []
            return [*effects.tensors, *results.tensors], (effects, results, again, marks)

        try:
            self.recorded = record_function(kind, [t._aval for t in inputs], inputs, run)
        except BaseException:
            for b in buffers:
                b.store[b.name] = b.tensor
            raise
        finally:
            for t, cell in cells:
                t._cell = cell
        self.effects, self.results, self._again, marks = self.recorded.result
        steps = self.recorded.graph.steps
        self.marks: dict[int, str] = {k: marks[s.base] for k, s in enumerate(steps) if s.base in marks}

    def parameters(self) -> frozenset[int]:
        """The numbers of the inputs that are there anyway: what the function was not given, and leaves."""
        n = len(self.given)
        leaves = [i for i, t in enumerate(self.given) if t._edge is not None and type(t._edge[0]) is Leaf]
        return frozenset([*leaves, *range(n, len(self.recorded.inputs))])

    def which(self) -> tuple[bool, ...]:
        """The inputs with respect to which a derivative may be taken: the ones that require grad; in a transform,
        which does not say, any."""
        rec: Any = state.rec
        while rec.level and rec.kind.one_op:
            rec = rec.outer
        inside = rec.level > 0
        return tuple([
            a.taped and (inside or (isinstance(t, Tensor) and t._edge is not None))
            for t, a in zip(self.recorded.inputs, self.recorded.graph.in_avals)
        ])  # fmt: skip

    def apply_planned(self, op: Any) -> Any:
        """The function's result, by an op with a plan: what is kept is computed before, and has no derivative."""
        inputs = tuple(self.recorded.inputs)
        here = state.here
        grad, here.grad = here.grad, False
        try:
            made = apply_op(op.first, None, inputs)
        finally:
            here.grad = grad
        return self.finish(apply_op(op, None, (*inputs, *made)))

    def finish(self, outs: Sequence[Tensor]) -> Any:
        """The function's result, from the results of its op; its side effects are carried out."""
        effects, again = self.effects, self._again
        edge = next((o._edge for o in outs if o._edge is not None), None)
        n = len(effects.tensors)
        effects.carry_out(outs[:n])
        if again and edge is not None:
            _repeat_in_backward(edge[0], self.recorded, effects, again, len(self.given), self.lifted)  # type: ignore[index]
        return self.results.rebuilt(outs[n:])


@transforms("checkpoint")
def _again(key: tuple, graph: Graph) -> DerivedOp:
    """The op of a graph whose backward computes all of it again."""
    return DerivedOp(jax.checkpoint(lambda *arrays: graph(*arrays)), "checkpoint", saves="inputs")


def _keeping(graph: Graph, kept: tuple[int, ...], which: tuple[bool, ...]) -> Any:
    """The op of a graph whose backward computes it again, but for the results of the steps numbered in `kept`."""
    planning = _planning()
    return planning.planned_op(
        graph, planning.keeping(frozenset(kept)), ("keeping", kept), frozenset(), which
    )


MAX_DEPTH, MAX_WIDTH = 5, 256
"""Limits of the search for modules. A buffer of one that is not found cannot be written to: that raises."""


# -- buffers of modules ----------------------------------------------------------------------------------------------


class _Buffer:
    """A module's buffer: the dict it is kept in, its name there, and the tensor that was there before."""

    __slots__ = ("name", "store", "tensor")

    def __init__(self, store: dict, name: str, tensor: Tensor):
        self.store, self.name, self.tensor = store, name, tensor

    @property
    def now(self) -> Tensor:
        """The tensor that is there now, if there is one."""
        there = self.store.get(self.name)
        return there if isinstance(there, Tensor) else self.tensor


def _buffers(roots: Any) -> list[_Buffer]:
    """The buffers of every module that can be reached from a function and its arguments."""
    found = []
    for module in _modules(roots):
        for sub in module.modules():
            found += [_Buffer(sub._buffers, k, t) for k, t in sub._buffers.items() if isinstance(t, Tensor)]
    unique: dict[tuple[int, str], _Buffer] = {(id(b.store), b.name): b for b in found}
    return list(unique.values())


def _modules(root: Any) -> Iterator[Any]:
    """Modules among what a function refers to: itself, its object, its closure, defaults, globals, and containers of
    these."""
    seen: set[int] = set()
    todo: list[tuple[Any, int]] = [(root, 0)]
    while todo:
        x, depth = todo.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        inside: Iterable[Any] = ()
        if hasattr(x, "__dict__") and "_buffers" in x.__dict__ and hasattr(x, "modules"):
            yield x
        elif isinstance(x, FunctionType):
            cells = [c.cell_contents for c in x.__closure__ or () if _is_filled(c)]
            named = [x.__globals__[n] for n in x.__code__.co_names if n in x.__globals__]
            named = [g for g in named if hasattr(g, "__dict__") and "_buffers" in g.__dict__]
            inside = [*cells, *named, *(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values()]
            if not isinstance(getattr(x, "__wrapped__", None), Op | None):
                inside = [*inside, x.__wrapped__]
        elif isinstance(x, MethodType):
            inside = (x.__self__, x.__func__)
        elif isinstance(x, partial):
            inside = (x.func, x.args, x.keywords)
        elif isinstance(x, dict):
            inside = x.values()
        elif isinstance(x, list | tuple):
            inside = x
        elif hasattr(x, "__dict__") and not isinstance(x, type | ModuleType):
            inside = x.__dict__.values()
        if depth < MAX_DEPTH:
            todo += [
                (y, depth + 1)
                for y in islice(inside, MAX_WIDTH)
                if not isinstance(y, Tensor | int | float | str)
            ]


def _is_filled(cell) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _may_lift(t: Tensor, given: list[Tensor]) -> bool:
    return t._edge is None and not t._lenses and not any(g._cell is t._cell for g in given)


# -- what the function wrote -----------------------------------------------------------------------------------------


class _Effects:
    """The new values of arguments that were written in place, and of buffers that were updated or replaced."""

    def __init__(self, rec: Recorder, given: list[Tensor], fresh: list[Tensor], buffers: list[_Buffer]):
        self.written = [(t, f) for t, f in zip(given, fresh) if f._cell.version]
        captured = list(rec.ext)[len(fresh) :]
        for t, _ in self.written:
            names = sum(g._cell is t._cell for g in given) + sum(v is t._cell.value for v in captured)
            if names > 1:
                raise NotOneOp(
                    "an argument is written to in place that the function also sees under another name"
                )
        self.updates: list[_Buffer] = []
        self.values: list[Tensor] = []
        for b in buffers:
            now = b.store.get(b.name)
            if now is b.tensor and not now._cell.version:
                continue
            if isinstance(now, Tensor) and now._cell.level == rec.level:
                self.updates.append(b)
                self.values.append(now)
        self.replaced = [b.store.get(b.name) is not b.tensor for b in self.updates]
        self.counts = [t._cell.version for t in self.values]
        self.slots = [(v.index if v.rec is rec else None) for v in map(read, self.values)]
        self.taped = [f.requires_grad for _, f in self.written]
        self.tensors = [*[f for _, f in self.written], *self.values]

    def carry_out(self, outs: Iterable[Tensor]) -> None:
        """Makes the effects happen, with the op's results."""
        it = iter(outs)
        for (t, _), taped in zip(self.written, self.taped):
            new = next(it)
            applying.write(t, new if taped else new.detach())
        for b, replaced, new in zip(self.updates, self.replaced, it):
            _update(b, replaced, new.detach())

    def repeated(self, saving: int | None) -> list[int]:
        """Returns the updates that torch repeats in backward: those before the step that saves a tensor last, whose
        slots end at `saving`."""
        if saving is None:
            return list(range(len(self.updates)))
        found = []
        for i, slot in enumerate(self.slots):
            if slot is not None and slot < saving:
                found.append(i)
            elif self.replaced[i] or self.counts[i] > 1:
                raise NotOneOp(
                    f"buffer '{self.updates[i].name}' is updated by several steps, one of them the last"
                )
        return found


def _update(buffer: _Buffer, replaced: bool, new: Tensor) -> None:
    if replaced:
        buffer.store[buffer.name] = new
    else:
        update(buffer.tensor, new)


def _last_saving(rec: Recorder) -> int:
    """Returns the place where the slots of the last step end that keeps a tensor for backward."""
    ends = [
        n.step.base + n.step.n_out
        for n in rec.session.nodes
        if any(type(v) is Value and not v.aval.weak for v in n.saved)
    ]
    return max(ends, default=0)


def _repeat_in_backward(
    node, recorded: Recorded, effects: _Effects, again: list[int], n_given: int, lifted: dict[int, _Buffer]
) -> None:
    """Does these updates once more, of what the buffers hold then, when the node's derivative is taken: torch runs
    the whole function again there. The inputs are the ones that the node has saved, so that nothing is kept alive
    longer than the node."""
    graph = recorded.graph
    chosen = tuple([len(effects.written) + i for i in again])
    op = graph.derive(
        ("checkpoint state", chosen),
        lambda: DerivedOp(lambda *arrays: [graph(*arrays)[i] for i in chosen], "checkpoint_state"),
    )
    updates = [(effects.updates[i], effects.replaced[i]) for i in again]
    holders = list(lifted.values())
    own = range(n_given, n_given + len(holders))
    saved = node.step.taped.saved
    others: dict[int, Any] = {}
    for i, t in enumerate(recorded.inputs):
        if not isinstance(t, Tensor):
            others[i] = t
        elif i not in saved and i not in own:
            others[i] = read(t)
    count = len(recorded.inputs)
    reference = weakref.ref(node)  # which keeps the hook

    def repeat(grad_inputs, grad_outputs):
        inputs = {**dict(zip(saved, reference().saved)), **others}  # type: ignore[union-attr]
        inputs.update(zip(own, [read(b.now) for b in holders]))
        level = state.rec.level
        here = state.here
        grad, here.grad = here.grad, False
        try:
            full = [make_tensor(v, level) if type(v := inputs[i]) is Value else v for i in range(count)]
            for (buffer, replaced), new in zip(updates, apply_op(op, None, tuple(full))):
                _update(buffer, replaced, new)
        finally:
            here.grad = grad

    GradFn(node).register_hook(repeat)


# -- what the function returned --------------------------------------------------------------------------------------


class _Results:
    """The results of a function: tensors that it computed, that it was given (they stay the same objects), or views of
    either."""

    def __init__(
        self, rec: Recorder, out: Any, given: list, fresh: list, buffers: list[_Buffer], reentrant: bool
    ):
        self.leaves, self.structure = flatten(out)
        self.tensors: list[Tensor] = []
        self.places: list[Any] = []
        self.taped: list[bool] = []
        outside = {id(f._cell): t for f, t in zip(fresh, given)}
        outside.update({id(b.tensor._cell): b.tensor for b in buffers})
        shared = [id(x._cell) for x in self.leaves if isinstance(x, Tensor)]
        at: dict[int, int] = {}
        for i, x in enumerate(self.leaves):
            if not isinstance(x, Tensor):
                self.places.append(None)
                continue
            self.leaves[i] = None
            owner = outside.get(id(x._cell))
            if owner is None and x._cell.level != rec.level:
                owner, lenses = x._root or x, x._lenses  # captured: returned as it is
            else:
                lenses = x._lenses
            if owner is not None and not reentrant:
                self.places.append((owner, lenses))
                continue
            alone = shared.count(id(x._cell)) == 1
            if alone or reentrant:
                self.places.append((len(self.tensors), ()))
                self._add(x, reentrant)
                continue
            if id(x._cell) not in at:
                at[id(x._cell)] = len(self.tensors)
                self._add(x._root if x._lenses else x, reentrant)
            self.places.append((at[id(x._cell)], lenses))

    def _add(self, t: Tensor | None, reentrant: bool) -> None:
        assert t is not None
        self.tensors.append(t)
        self.taped.append(reentrant or t.requires_grad)

    def rebuilt(self, outs: Iterable[Tensor]) -> Any:
        """The function's result with the op's results in their places."""
        results = list(outs)
        for t, taped in zip(results, self.taped):
            if not taped:
                t._edge = None
        for i, place in enumerate(self.places):
            if place is None:
                continue
            source, lenses = place
            t = results[source] if isinstance(source, int) else source
            for lens in lenses:
                t = apply_view(lens.op, lens.static, t, lens.numbers)
            self.leaves[i] = t
        return unflatten(self.structure, self.leaves)


class OpCall:
    """A recorded step as a policy sees it: the function, and its arguments as tensors of the level."""

    def __init__(self, rec: Recorder, step):
        op = step.op
        namespace = getattr(op, "namespace", None)
        found = None if namespace is None else lookup(namespace, op.name.rsplit(".", 1)[-1])
        self.function = found or op
        refs = iter(step.refs)
        externals = list(rec.ext)
        inputs = []
        for spec in step.applied.inputs:
            if type(spec) is Aval:
                ref = next(refs)
                value = rec.slots[ref] if ref >= 0 else externals[-1 - ref]
                inputs.append(make_tensor(value, rec.level))
            else:
                inputs.append(None if spec is None else spec[0](spec[1]))
        self.args = op.arguments(step.static, inputs) if hasattr(op, "arguments") else inputs
        outs = [make_tensor(v, rec.level) for v in rec.slots[step.base : step.base + step.n_out]]
        self.output = outs[0] if step.single else tuple(outs)
