"""`apply`: the one door.
Every eager op, view read, in-place write, derivative and transform is an apply of a pure function."""

from __future__ import annotations

from typing import Any

import jax

from ..declare.op import put_by_position
from ..words.device import META
from ..words.errors import MetaInput, NotOneOp
from ..words.tracebacks import tidy
from . import engine
from .applied import DerivedOp
from .breaches import look, pending
from .cutting import DATA, DETACH, UNMOVED_DATA
from .pack import Pack
from .recorder import (
    APART,
    admit,
    advance,
    apart,
    record,
    recover,
    state,
    take_numbers,
)
from .strides import distinct_elements
from .tape import Leaf, Node, TapePlan, order
from .tensor import Cell, Lens, Tensor, keep_version, make_tensor, set_cell, share_tensor
from .trie import BUSY, DYNAMIC, LITERAL
from .value import LARGE, Value, concrete, promises
from .wide_ints import WideInt

_new = object.__new__

__all__ = [
    "apply", "apply_op", "apply_view", "check_writable", "detach", "from_array", "overwrite", "read", "replace",
    "write",
]  # fmt: skip


def read(t: Tensor) -> Value:  # hot path
    """The Value a tensor stands for now. A view whose base was written since is read anew."""
    if not t._lenses:
        return t._cell.value
    base = t._cell.value
    if t._seen is base:
        return t._value  # type: ignore[return-value]
    return _reread(t, base)


def _reread(t: Tensor, base: Value) -> Value:
    here = state.here
    rec = here.rec
    grad, here.grad = here.grad, True
    try:
        edge = t._root._edge  # type: ignore[union-attr]
        if t._edge is None and edge is not None and type(edge[0]) is Leaf:
            edge = None  # the view is older than the leaf's wish for a gradient, or was made under no_grad
        part = make_tensor(base, t._cell.level, edge)
        for lens in t._lenses:
            part = _shown(lens, part)
    finally:
        here.grad = grad
    value = part._cell.value
    if t._cell.level == rec.level and not (t._aval.nbytes > LARGE and _is_read_anew(t, base)):
        t._seen, t._value, t._origin = base, value, None
        if not (t._edge is not None and type(t._edge[0]) is Leaf):
            t._edge = part._edge
    return value


def _shown(lens: Lens, base: Tensor) -> Tensor:
    """Returns the part of its base that a lens shows."""
    part = apply(lens.op, lens.static, (base, *lens.numbers))
    if lens.__class__ is not Lens:
        lens.shows(part)
    return part


def _read_first(t: Tensor, base: Value) -> bool:  # hot path
    """Reads a view that was not recorded when it was made, at level 0; False where more is to be looked at than its
    base's numbers."""
    origin, lenses = t._origin or (t._root, ())
    part: Any = origin
    if part._cell is not t._cell or part._lenses is not lenses:
        return False  # it has become another tensor since
    if t._root._edge is not None or part._edge is not None or t._cell.level or t._aval.nbytes > LARGE:  # type: ignore[union-attr]
        return False
    for lens in t._lenses[len(lenses) :]:
        part = _shown(lens, part)
    t._seen, t._value, t._origin = base, part._cell.value, None
    return True


def apply(op, static, inputs) -> Any:  # hot path
    """Records op on `inputs` (Tensors, Python numbers, None), tapes it when gradients are wanted, returns its
    Tensor(s).

    What `recorder.record` does stands here once more, in one loop with the reading of the tensors: this is the path of
    every eager op.
    """
    here = state.here
    rec = here.rec
    if (rec.careful or here.run_at_once) and (rec.symbols is None or rec.ended or here.run_at_once):
        return _apply_carefully(here, op, static, inputs)
    start: Any = None
    ext: Any = None
    admitted = 0
    try:
        start, rec.node = rec.node, BUSY
        if start is BUSY:
            start = None
            return _apply_elsewhere(here, rec, op, static, inputs)
        admitted = len(rec.ext)
        ext = rec.ext
        values, edges, key = [], [], [op, static]
        mask, bit = 0, 1
        viewed, numbers = False, ()
        for x in inputs:
            if isinstance(x, Tensor):
                v = x._cell.value
                if x._lenses:
                    viewed = True
                    if x._seen is not v:  # reading it records ops, which stay even if this one raises
                        while len(ext) > admitted:
                            ext.popitem()
                        rec.node = start
                        start = None
                        if x._seen is not None or not _read_first(x, v):
                            return _apply_carefully(here, op, static, inputs)
                        if values or here.rec is not rec or (rec.careful and rec.symbols is None):
                            return apply(op, static, inputs)
                        start, rec.node = rec.node, BUSY
                        if start is BUSY:
                            start = None
                            return apply(op, static, inputs)
                        admitted = len(rec.ext)  # nothing else was looked at
                        ext = rec.ext
                    v = x._value
                if v.rec is rec:
                    key.append(v.index)
                else:
                    number = ext.get(v)
                    if number is None:
                        if v.array is None and v.rec.__class__ is not Pack:
                            admit(rec, v)
                        ext[v] = -1 - len(ext)
                        number = v.aval
                    key.append(number)
                edge = x._edge
                if edge is not None:
                    mask |= bit
                    edges.append(edge)
                values.append(v)
            elif x is None:
                key.append(None)
                values.append(None)
            else:
                numbers += (x,)
                key.append(type(x))
                values.append(x)
            bit += bit
        if not here.grad:
            mask = 0
        key.append(mask)
        if rec.careful:  # at symbolic sizes
            found = rec.symbols.next(rec, start, key, op, values, numbers)
            if found is None:
                while len(ext) > admitted:
                    ext.popitem()
                rec.node = start
                start = None
                return _apply_carefully(here, op, static, inputs)
            step, avals = found
        else:
            first, step = start.first
            if key != first:
                step = start.children.get(tuple(key))
            if (
                step is None
                or start.full
                or (numbers and (step.literals != numbers or step.numbers != LITERAL))
            ):
                if numbers and step is not None and step.numbers == DYNAMIC and not start.full:
                    take_numbers(rec, step, op, static, values, numbers, admitted)
                else:
                    step = advance(rec, start, tuple(key), op, static, values, admitted)
                    if step is None:  # the recording was cut here: another has begun
                        start = None
                        return apply(op, static, inputs)
                    if step is APART:
                        start = None
                        return apart(apply, op, static, inputs)
            avals = step.avals
        if numbers and mask and step.numbers == DYNAMIC:
            values = _with_numbers(rec, values)
        rec.path.append(step)
        if step.n_out != 1 or not step.single:
            return _several(rec, step, avals, edges, inputs, values, mask)
        v = Value()
        v.aval = aval = avals[0]
        v.rec = rec
        v.index = step.base
        v.array = None
        rec.slots.append(v)
        t = _new(aval.kind)
        t._cell = cell = Cell()
        cell.value = v
        cell.level = 0
        cell.version = 0
        t._aval = aval
        t._lenses = ()
        t._root = t._edge = t._more = None
        t._unseen = False
        if mask and step.applied.all_cts:
            plan = step.taped
            if plan is None:
                plan = step.taped = TapePlan(step, mask, inputs)
            node = _new(Node)
            session = rec.session
            nodes = session.nodes
            node.order = next(order)
            node.step = step
            node.edges = edges
            node.session = session
            node.place = len(nodes)
            nodes.append(node)
            node.freed = False
            node.saved = node.seen = plan.pick(values)
            if plan.result:
                node.cells = (cell,)
                node.seen = (v,)
            elif plan.cells:
                node.cells = cells = plan.pick_cells(inputs)
                if viewed or not plan.saves_cells:
                    node.seen = plan.pick_seen(cells)
            else:
                node.cells = node.seen = ()
            t._edge = (node, 0)
        rec.node = step
        return t
    except MetaInput:
        recover(rec, ext, start, admitted)
        return _apply_carefully(here, op, static, inputs)
    except WideInt as e:
        recover(rec, ext, start, admitted)
        return apply(op, static, e.narrowed(inputs))
    except BaseException as error:
        recover(rec, ext, start, admitted)
        tidy(error)
        raise


def _several(rec, step, avals, edges, inputs, values, mask) -> Any:
    """The results of an op that gives several, as `apply` gives one."""
    outs = promises(avals, rec, step.base)
    rec.slots.extend(outs)
    if mask and step.applied.all_cts:
        tensors = _tape(rec.session, step, edges, inputs, values, mask, outs, 0)
    else:
        tensors = tuple([make_tensor(v, 0) for v in outs])
    rec.node = step
    return tensors


def _apply_elsewhere(here, rec, op, static, inputs) -> Any:
    """`apply` where the recording could not be taken."""
    if here.rec is not rec:
        return apply(op, static, inputs)
    return apart(apply, op, static, inputs)


def _with_numbers(rec, values: list) -> list:
    """The values, with the dynamic inputs that Python numbers have become in their places."""
    numbers = iter(rec.numbers)
    return [v if type(v) is Value or v is None else next(numbers) for v in values]


def _apply_carefully(here, op, static, inputs) -> Any:
    """`apply` where there is more to it: in transforms, under `debug.eager()` and dispatch modes, of views whose base
    was written since."""
    if here.run_at_once.__class__ is not bool:
        return here.run_at_once(op, static, inputs)
    values = [(read(x) if x._lenses else x._cell.value) if isinstance(x, Tensor) else x for x in inputs]
    rec = here.rec
    level = rec.level
    edges = []
    mask = 0
    for i, (x, v) in enumerate(zip(inputs, values)):
        if isinstance(x, Tensor) and x._edge is not None:
            mask |= 1 << i
            edges.append(x._edge)
            if level and v.rec is not rec:
                rec.edges[v] = x._edge
    if not here.grad:
        mask = 0
    step, outs = record(rec, op, static, values, mask, _not_here)
    if step is APART:
        return apart(apply, op, static, inputs)
    rec = here.rec
    if mask and step.numbers == DYNAMIC:
        values = _with_numbers(rec, values)
    if here.run_at_once:
        _run_now(outs)
        rec = here.rec
    if mask and step.applied.all_cts:
        return _tape(rec.session, step, edges, inputs, values, mask, outs, level)
    if step.single:
        return make_tensor(outs[0], level)
    return tuple([make_tensor(v, level) for v in outs])


def _not_here(op, static, inputs, mask: int) -> tuple[Any, tuple]:
    """Instead of recording an op apart: its tensors are to be looked at once more."""
    return APART, ()


def _run_now(outs) -> None:
    if state.rec.level == 0:
        for v in outs:
            if v.aval.device is not META:
                engine.force(v)
        if pending:
            look(wait=True)


def _tape(session, step, edges, inputs, values, mask, outs, level) -> Any:
    """Puts a Node for the op just recorded on the tape; returns the op's Tensor(s)."""
    plan = step.taped
    if plan is None:
        plan = step.taped = TapePlan(step, mask, inputs)
    if plan.kept is not None:
        edges = [edges[i] for i in plan.kept]
        if not edges:  # a formula that depends on nothing taped
            return tuple([make_tensor(v, level) for v in outs])
    node = Node(step, edges, session)
    if plan.saved:
        node.saved = plan.pick(values)
    if plan.cells:
        node.cells = cells = plan.pick_cells(inputs)
        node.seen = plan.pick_seen(cells)
    if step.single:
        out = make_tensor(outs[0], level, (node, 0))
    else:
        cts = plan.cts
        out = tuple([make_tensor(v, level, (node, i) if cts >> i & 1 else None) for i, v in enumerate(outs)])
    if plan.result:
        node.cells = ((out if step.single else out[0])._cell,)
        node.seen = (outs[0],)
    return out


def apply_op(op, static, inputs) -> tuple[Tensor, ...]:
    """`apply`, with the results always as a tuple."""
    out = apply(op, static, inputs)
    return out if type(out) is tuple else (out,)


def apply_view(op, static, base: Tensor, numbers: tuple = ()) -> Tensor:  # hot path
    """Applies a view op: a Tensor that shares the base's Cell through one more Lens."""
    try:
        view = apply(op, static, (base, *numbers) if numbers else (base,))
    except BaseException as error:
        tidy(error)
        raise
    aval = view._aval
    if view._lenses or type(view) is not aval.kind:  # somebody whom ops are handed to has made it
        return view
    value, cell = view._cell.value, base._cell
    view._cell = cell
    lens = _new(Lens)
    lens.op = op
    lens.static = static
    lens.numbers = numbers
    if base._lenses:
        view._root = base._root
        view._lenses = (*base._lenses, lens)
    else:
        view._root = base
        view._lenses = (lens,)
    if aval.nbytes > LARGE and _is_read_anew(view, cell.value):
        view._seen = view._value = None
    else:
        view._seen, view._value = cell.value, value
    view._origin = None
    return view


def _is_read_anew(view: Tensor, base: Value) -> bool:
    """Whether a view keeps no value of its own, for then a program would write it out: a large one that repeats the
    elements of its base (`expand`). Its place on the tape, if it has one, must stay the same, and so does its value."""
    return view._aval.nbytes > base.aval.nbytes and not state.rec.level and view._edge is None


# -- writing ---------------------------------------------------------------------------------------------------------


def check_writable(t: Tensor) -> None:
    """Raises torch's errors for writes that are not allowed; called before anything is recorded."""
    here = state.here
    rec = here.rec
    if rec.level and t._cell.level != rec.level:
        if rec.kind.one_op:
            raise NotOneOp("a tensor from outside is written to in place")
        if not rec.kind.batches:
            raise RuntimeError(
                "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation that would "
                "mutate a captured Tensor. This is not supported; please rewrite the function being transformed to explicitly accept the "
                "mutated Tensor(s) as inputs."
            )
    if here.grad:
        if t._edge is not None and type(t._edge[0]) is Leaf:
            what = "a view of a leaf Variable" if t._lenses else "a leaf Variable"
            raise RuntimeError(f"{what} that requires grad is being used in an in-place operation.")
        root = t._root
        if root is not None and root._edge is not None and type(root._edge[0]) is Leaf:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation."
            )


def root_of(t: Tensor) -> Tensor:
    """The tensor that t is a view of; t itself if it is none."""
    return t if t._root is None else t._root


def write(t: Tensor, new: Tensor) -> Tensor:
    """Makes t (and everything that aliases it) hold `new`'s value; `new` has t's shape and dtype. Returns t.

    With grad mode on the tape is rewritten too: t's history becomes new's, as with torch's CopySlices.
    """
    check_writable(t)
    here = state.here
    cell = t._cell
    track = here.grad and (new._edge is not None or t._edge is not None)
    if new._aval is not t._aval and t._aval.device.is_mesh:  # it keeps its placements
        new = t._aval.device.receive(new)
    value = read(new) if new._lenses else new._cell.value
    old = cell.value
    rec = here.rec
    captured = cell.level != rec.level
    if captured:
        rec.note_write(root_of(t), value)
        track = False  # the level below puts it on its tape
    edge = new._edge if track else None
    if t._lenses:
        root = t._root
        assert root is not None
        track = not captured and (track or (here.grad and root._edge is not None))
        whole = make_tensor(cell.value, cell.level, root._edge if track else None)
        part = _put(t, whole, make_tensor(value, cell.level, edge))
        if part._aval is not whole._aval and whole._aval.device.is_mesh:
            part = whole._aval.device.receive(part)
        if track:
            _keep_retained(root._edge, part._edge)
            root._edge = part._edge
        rec.store(cell, part._cell.value)
        # a write that no_grad kept from derivatives left those of the base: the part is to be read from it
        t._seen, t._value = (cell.value if here.grad or not rec.level else None), value
        if track:
            _keep_retained(t._edge, edge)
            t._edge = edge
    else:
        rec.store(cell, value)
        if track:
            _keep_retained(t._edge, edge)
            t._edge = edge
    if root_of(t)._unseen:
        keep_version(old, cell.value)
    return t


def _keep_retained(old, new) -> None:
    """Gradients kept by `retain_grad` are those of what the tensor holds last: a write takes them along."""
    if old is None or new is None or type(old[0]) is Leaf or not old[0].retained or old == new:
        return
    leaf = old[0].retained.pop(old[1], None)
    node, out = new
    if leaf is None or type(node) is Leaf:
        return
    if node.session is not None:
        node.session.regular = False
    if node.retained is None:
        node.retained = {}
    node.retained.setdefault(out, leaf)


def _put(t: Tensor, whole: Tensor, part: Tensor) -> Tensor:
    """`whole`, which is what t's Cell holds, with `part` in the place of t."""
    bases = [whole]
    for lens in t._lenses[:-1]:
        bases.append(_shown(lens, bases[-1]))
    put = part
    for lens, base in zip(reversed(t._lenses), reversed(bases)):
        if lens.__class__ is not Lens:
            lens.takes(put)
        if put._aval.nbytes > base._aval.nbytes:  # expanded: the elements of t alone may be distinct
            lens = distinct_elements(t)
            return apply(put_op(lens.op), lens.static, (whole, part))
        put = apply(put_op(lens.op), lens.static, (base, *lens.numbers, put))
    return put


def overwrite(t: Tensor, value: Value) -> None:  # hot path
    """`replace` with a bare Value."""
    if t._lenses or (value.aval is not t._aval and t._aval.device.is_mesh):
        replace(t, make_tensor(value, state.rec.level))
    else:
        set_cell(t._cell, value)


def replace(t: Tensor, new: Tensor) -> None:
    """Overwrites the whole of t with new's value, without the tape (optimizers, `load_state_dict`)."""
    if t._lenses:
        here = state.here
        grad, here.grad = here.grad, False
        try:
            write(t, new)
        finally:
            here.grad = grad
    else:
        if new._aval is not t._aval and t._aval.device.is_mesh:
            new = t._aval.device.receive(new)
        set_cell(t._cell, new._cell.value)


def put_op(view_op) -> DerivedOp:
    """The `put` of a view op as an op: (base, *numbers, part) -> base with the part replaced."""
    found = view_op.derived.get("put")
    if found is None:
        found = view_op.derived["put"] = _PutOp(view_op)
    return found


class _PutOp(DerivedOp):
    __slots__ = ("view_op",)
    grad = "CopySlices"
    is_sizeless = True

    def __init__(self, view_op):
        super().__init__(None, f"{view_op.name}_put", made_of=(view_op,))
        self.view_op = view_op

    def call(self, static, inputs):
        base, *numbers, part = inputs
        view_op = self.view_op
        if view_op.put is not None:
            args = view_op.arguments(static, [base, *numbers])
            return view_op.put(args[0], part, *args[1:])
        return put_by_position(lambda b: view_op.call(static, [b, *numbers]), base, part)


# -- new tensors and aliases -------------------------------------------------------------------------------------------


def from_array(array, requires_grad: bool = False, on=None) -> Tensor:
    """A Tensor of an array that nobody else will write to."""
    if isinstance(
        array, jax.core.Tracer
    ):  # what is pending does not depend on it, and outlives the user's jax.jit
        engine.flush()
    t = make_tensor(concrete(array, on), state.rec.level)
    if requires_grad:
        t._edge = (Leaf(t._aval), 0)
    return t


def detach(t: Tensor, op: DerivedOp = DETACH) -> Tensor:
    """An alias without history.

    Inside a transform the derivative is cut as well, by `op`: the alias has a cell of its own, which holds the same
    numbers whichever of the two is written to (`Level.store`)."""
    if state.rec.level == 0:
        alias = share_tensor(Tensor, t)
        if alias._lenses:
            read(t)
            alias._root = share_tensor(Tensor, t._root)  # type: ignore[arg-type]
            alias._seen, alias._value = t._seen, t._value
        if op is DATA or root_of(t)._unseen:
            root_of(alias)._unseen = True
        return alias
    here = state.here
    grad, here.grad = here.grad, True  # it is op that says what is cut
    rec = state.rec
    try:
        unmoved = op is DATA and not rec.is_moved([t._cell.value])
        alias = cut = apply(UNMOVED_DATA if unmoved else op, None, (root_of(t),))[0]
    finally:
        here.grad = grad
    aliases = rec.aliases
    together = aliases.setdefault(t._cell, {t._cell: object()})
    together[cut._cell] = together[t._cell] if op is DATA else object()
    aliases[cut._cell] = together
    if t._lenses:
        alias = share_tensor(Tensor, t)
        alias._cell, alias._root, alias._seen = cut._cell, cut, None
    alias._edge = None
    return alias
