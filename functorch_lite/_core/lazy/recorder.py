"""The recorder: what is being recorded, as a path in a trie of recorded ops; one per thread, and one per running
transform.

`record` is the hot path. It makes a key of (op, static arguments, input references), looks it up among the children of
the trie node the recording stands at, and moves there. An input reference is the index of a slot of this recording (≥
0), the number of an external value (< 0), the Aval of an external value at its first use, None, or the type of a Python
number.
"""

from __future__ import annotations

import threading
from _thread import RLock
from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import attrgetter
from sys import getrefcount
from typing import Any

from ..words.device import ANY, CPU, META, device
from ..words.errors import MetaInput, check_memory
from ..words.interrupts import interruption
from . import engine
from .applied import Applied, apply_once
from .kinds import EAGER, Kind
from .meta import record_meta
from .pack import Hidden, Pack
from .tensor import Cell, Tensor, make_tensor, set_cell, writes
from .trie import (
    BUSY,
    DYNAMIC,
    LITERAL,
    LITERAL_WITH_ZERO,
    TrieNode,
    eager_root,
    hashed,
    user_call,
    user_line,
)
from .value import Aval, Noting, Value, aval, number_value, promises
from .wide_ints import WideInt, check_wide

__all__ = [
    "APART", "ESCAPED", "OFF", "Recorder", "Session", "admit", "advance", "apart", "is_apart", "note_varying", "record", "record_apart",
    "record_elsewhere", "recover",
    "shorten", "slots_before", "state", "take_back", "take_numbers",
]  # fmt: skip

MAX_PENDING_OPS = 1024
MAX_PENDING_BYTES = 4 << 30


class Session:
    """The tape of one recording: its nodes in order.

    `regular` is False once something happened that neither the trie nor the tape's edges tell, such as a hook: then a
    `backward()` is walked anew instead of replayed. `began`: the last write to a tensor before it. `symbols`: of a
    recording at symbolic sizes. `follows`: it goes along the recording later, of which nothing may be taken back
    before."""

    __slots__ = ("began", "nodes", "regular", "symbols")
    follows = False

    def __init__(self):
        self.nodes: list[Any] = []
        self.regular = True
        self.began = writes.last
        self.symbols: Any = None

    def settle(self) -> None:
        """Called before a backward walks the tape, which frees it: what is to be known of its nodes is to be asked
        now."""

    def has_tangent(self, v: Value) -> bool:
        """Returns whether a value of the recording, or one from outside, carries a tangent."""
        return False

    def close(self) -> None:
        """Lets go of the tape, which refers back to the session."""
        self.nodes.clear()
        self.regular = False


class Recorder:
    """A recording in progress, of eager code. That of a function is a Level (see levels.py).

    Whoever changes a recording takes its node first, and leaves BUSY there: `start, rec.node = rec.node, BUSY`, one
    statement that nothing interrupts. Giving the recording a node again is the last thing that is done to it. Whoever
    finds BUSY there leaves the recording alone. It runs in the middle of the change, as the handler of a signal or a
    finalizer, or in another thread; or the recording was flushed, by another thread perhaps. An op is then recorded
    `apart`, or in the recording that has replaced this one.

    level    the id of a Level; 0
    kind     what it is of; `outer`: the recording around it
    root     of the trie, `node`: where in it the recording stands, `path`: the nodes that lead there
    slots    the results so far, in order of their index; of a backward that was replayed (see gradients.py), the
             gradients alone
    ext      the values from outside, each with its number (-1, -2, …)
    numbers  the dynamic numbers of the op recorded last
    stops    what no_grad cuts here, a word of `cutting`; "" where it cuts nothing
    session  its tape
    inputs, edges  see Level; an eager recording has none, but while `forward_ad` catches up with it
    ended    an optimizer's step ended it: it is flushed before another op is recorded
    roots    slots that a backward() began at, which a program yields though nobody refers to them: then it is one
             program whether a loss is read or not; `gradients`: those that the step used, Values or Tensors
    flushed  it is over: what it promised is computed, or an interrupt came before that
    call     of a flushed one: what runs its program, if that was found; `error`: why it cannot run
    symbols  the numbers of its sizes, where it stands at symbolic ones (see symbolic/); `stays`: it is not to any more
    careful  whether there is more to recording an op than `apply` does: it is a Level's, or at symbolic sizes
    home     the Here of its thread; `within`: the interruption that it was begun in; `under`: of a recording apart, the
             one that is on top once the interruption is over; `running`: whether its program is being prepared or run
    lock     held while its program runs; twice, by a signal's handler that reads a value meanwhile
    """

    __slots__ = (
        "call", "careful", "device", "edges", "ended", "error", "ext", "flushed", "gradients", "home", "inputs", "kind", "level", "lock", "node", "numbers", "outer", "path", "root",
        "roots", "running", "session", "slots", "stays", "stops", "symbols", "under", "within",
    )  # fmt: skip

    def __init__(
        self,
        root: TrieNode,
        on: device = CPU,
        level: int = 0,
        kind: Kind = EAGER,
        outer: Recorder | None = None,
    ):
        self.root = self.node = root
        self.path: list[TrieNode] = []
        self.slots: list[Value] = []
        self.ext: dict[Value, int] = {}
        self.level = level
        self.kind = kind
        self.device = on
        self.outer = outer
        self.numbers: list[Value] = []
        self.stops = ""
        self.careful = level != 0
        self.symbols: Any = None
        self.stays = False
        self.session = Session()
        self.ended = self.flushed = self.running = False
        self.home: Here | None = None
        self.within: Any = None
        self.under: Recorder | None = None
        self.roots: list[int] = []
        self.gradients: list = []
        self.call: Any = None
        self.error: BaseException | None = None
        self.lock = RLock()

    def store(self, cell: Cell, value: Value) -> None:
        """Lets a cell hold a new value."""
        set_cell(cell, value)

    def note_write(self, t: Tensor, new: Value) -> None:
        """Notes that a tensor which has no lenses, and was not made here, is about to be written to."""
        raise NotImplementedError(
            f"{self.kind}: this tensor from outside cannot be written to inside. Pass it as an argument and return its new value."
        )


OFF = 0
"""The grad mode while the library itself has switched it off, in a backward() or an optimizer's step: it is still on
for code that interrupts that."""


class Here:
    """State of a thread: the recorder on top, grad mode, and the modes that change how ops are applied."""

    __slots__ = ("after_backward", "awaits", "grad", "inference", "rec", "run_at_once", "saved_hooks")

    def __init__(self):
        self.awaits: Here | None = None  # the thread for which this one waits, to take its recording
        self.after_backward: list[
            Callable[[], None]
        ] = []  # what hooks want to be called when the walk has ended
        self.rec = Recorder(eager_root(CPU))
        self.rec.home = self
        self.grad = True
        self.inference = False
        self.run_at_once: Any = False  # or f(op, static, inputs), which ops are handed to
        self.saved_hooks = 0  # how many autograd.graph.saved_tensors_hooks of the user's are entered


class _State(threading.local):
    """The calling thread's Here, and its fields under their names. Hot paths fetch `here` once."""

    def __init__(self):
        self.here = Here()

    def _field(name: str):  # type: ignore[misc]
        return property(
            lambda self: getattr(self.here, name),  # type: ignore[arg-type]
            lambda self, value: setattr(self.here, name, value),  # type: ignore[arg-type]
        )

    rec = _field("rec")
    grad = _field("grad")
    inference = _field("inference")
    run_at_once = _field("run_at_once")


state: Any = _State()

Instead = Callable[[Any, Any, Sequence, int], "tuple[TrieNode, Sequence[Value]]"]


def record(  # hot path
    rec: Recorder, op, static, inputs, mask: int = 0, instead: Instead | None = None
) -> tuple[TrieNode, Sequence[Value]]:
    """Records op(*inputs): the trie node reached, and promises of the results. `inputs`: Values, Python numbers, None.

    mask: which inputs are taped (bits). It is part of the key, so that equal recordings have equal tapes. instead:
    called with (op, static, inputs, mask) instead of recording them apart.
    """
    ext = start = None
    admitted = 0
    try:
        if rec.symbols is not None:
            return rec.symbols.record(rec, op, static, inputs, mask, instead)
        start, rec.node = rec.node, BUSY
        if start is BUSY:
            return record_elsewhere(rec, op, static, inputs, mask, instead)
        admitted = len(rec.ext)
        ext = rec.ext
        key = [op, static]
        numbers = ()
        for v in inputs:
            if v.__class__ is Value:
                if v.rec is rec:
                    key.append(v.index)
                else:
                    number = ext.get(v)
                    if number is None:
                        if rec.level or (v.array is None and v.rec.__class__ is not Pack):
                            admit(rec, v)
                        ext[v] = -1 - len(ext)
                        number = v.aval
                    key.append(number)
            elif v is None:
                key.append(None)
            else:
                numbers += (v,)
                key.append(type(v))
        key.append(mask)
        if rec.stops and not state.grad:
            key.append(rec.word_of_cut(inputs))
        first, node = start.first
        if key != first:
            node = start.children.get(tuple(key))
        if node is None or start.full or (numbers and (node.literals != numbers or node.numbers != LITERAL)):
            node = advance(rec, start, tuple(key), op, static, inputs, admitted)
            if node is None:  # the recording was cut here: another has begun
                return record(state.rec, op, static, inputs, mask, instead)
            if node is APART:
                return (instead or record_apart)(op, static, inputs, mask)
        rec.path.append(node)
        outs = promises(node.avals, rec, node.base)
        rec.slots.extend(outs)
        rec.node = node
        return node, outs
    except MetaInput:
        recover(rec, ext, start, admitted)
        return record_meta(op, static, inputs)
    except WideInt as e:
        recover(rec, ext, start, admitted)
        return record(rec, op, static, e.narrowed(inputs), mask, instead)
    except BaseException:
        recover(rec, ext, start, admitted)
        raise


def recover(rec: Recorder, ext: dict[Value, int] | None, start: TrieNode | None, admitted: int) -> None:
    """Takes a recording back to where it stood at `start`, after an op that raised (or Ctrl-C in the midst of one):
    what a path records is only true while its externals and slots are numbered as the trie says.

    start: None or BUSY where the op had not taken the recording."""
    if start is None or start is BUSY or rec.flushed:
        return
    if start.at_symbols is (rec.symbols is None):
        return  # it went on at symbolic sizes or without: the op was recorded, or taken back, there
    if ext is None:  # nothing was changed
        rec.node = start
        return
    _undo(rec, admitted)
    while rec.path and rec.path[-1] is not start:
        rec.path.pop()
    del rec.slots[slots_before(rec, start.base + start.n_out) :]
    if rec.symbols is not None:
        rec.symbols.back_to(start)
    nodes = rec.session.nodes
    while nodes and isinstance(nodes[-1].step, TrieNode) and nodes[-1].step.base >= start.base + start.n_out:
        nodes.pop()
    rec.node = start


# -- recording apart -------------------------------------------------------------------------------------------------


APART = TrieNode()
"""Instead of the node of an op: the op is to be recorded apart."""


def is_apart(rec: Recorder) -> bool:
    """Whether what runs now is to leave a recording alone: it interrupts a change of it, or code that records there.

    Cutting a recording wherever an alarm happens to go off would give another program each time."""
    return rec.node is BUSY or _is_of_another(rec)


def _is_of_another(rec: Recorder) -> bool:
    now = interruption()
    return now is not None and now != rec.within


def apart(run: Callable, *args: Any) -> Any:
    """Returns `run(*args)`, for code that interrupts what is being recorded: what it records is a recording of its own,
    which runs at once."""
    here = state.here
    rec = Recorder(eager_root(CPU))
    rec.home, rec.within, rec.under = here, interruption(), here.rec
    grad = here.grad
    here.rec = rec
    if grad is OFF:
        here.grad = True
    try:
        return run(*args)
    finally:
        here.grad = grad
        try:
            engine.flush()
        finally:
            here.rec = base(here.rec).under or here.rec


def base(rec: Recorder) -> Recorder:
    """The eager recording around a recording."""
    while rec.outer is not None:
        rec = rec.outer
    return rec


def record_apart(op, static, inputs, mask: int) -> tuple[TrieNode, Sequence[Value]]:
    """Records an op apart."""
    return apart(_record_on_top, op, static, inputs, mask)


def _record_on_top(op, static, inputs, mask: int) -> tuple[TrieNode, Sequence[Value]]:
    return record(state.here.rec, op, static, inputs, mask)


def record_elsewhere(
    rec: Recorder, op, static, inputs, mask: int, instead: Instead | None
) -> tuple[TrieNode, Sequence[Value]]:
    """Records an op for which a recording could not be taken."""
    if state.here.rec is not rec:
        return record(state.here.rec, op, static, inputs, mask, instead)
    return (instead or record_apart)(op, static, inputs, mask)


def advance(rec: Recorder, start: TrieNode, key: tuple, op, static, inputs, admitted: int) -> TrieNode | None:
    """The next trie node where looking up the key is not enough: an op never recorded here, Python numbers among the
    inputs, or too much pending. None if the recording was flushed instead, and the op is to be recorded in the next
    one; APART if what records it interrupts the recording. start: the node where it stood when it was taken. Only where
    a node is returned is the recording still taken."""
    node = start.children.get(key)
    if (node is None or rec.ended or start.full) and _is_of_another(rec):
        _undo(rec, admitted)
        rec.node = start
        return APART
    if rec.level == 0 and (
        (start.full and _is_good_cut(rec, op, static))
        or (node is None and (rec.ended or (_cuts and _is_cut(rec, op))))
    ):
        _undo(rec, admitted)
        rec.node = start
        engine.flush()
        return None
    if node is None and rec.root.symbolic is not None and not (rec.stays or rec.level):
        if rec.root.symbolic.enter(rec, start, key, inputs, admitted):
            return None
        rec.stays = True
    if node is None:
        node = _grow(rec, start, key, op, static, inputs, admitted)
        if node is None:
            return None
    if node.numbers:
        literals = [v for v in inputs if type(v) is not Value and v is not None]
        if node.numbers != DYNAMIC and (
            tuple(literals) != node.literals
            or (node.numbers == LITERAL_WITH_ZERO and repr(literals) != repr(list(node.literals)))
        ):
            node = _make_dynamic(rec, start, key, op, static, inputs, admitted)
        if node.numbers == DYNAMIC:
            take_numbers(rec, node, op, static, inputs, literals, admitted)
    return node


def take_numbers(rec: Recorder, node, op, static, inputs, numbers, admitted: int) -> None:  # hot path
    """Lets the Python numbers among the inputs be inputs of the recording, at a node where they are."""
    for v in numbers:
        if v.__class__ is int and not -(1 << 63) <= v < 1 << 63:
            check_wide(op, static, inputs)
    if op.numbers is not None:
        try:
            op.numbers(op, static, inputs, node.avals[0])
        except BaseException:
            _undo(rec, admitted)
            raise
    ext = rec.ext
    rec.numbers = made = [number_value(v, rec.device) for v in numbers]
    for number in made:
        ext[number] = -1 - len(ext)
    if rec.level:
        rec.inputs.extend([number.array for number in made])


def admit(rec: Recorder, v: Value) -> None:
    """Lets a value from outside into a recording: computes what is pending elsewhere; a level notes what it
    captures."""
    if v.aval.device is META:
        raise MetaInput
    if type(v.rec) is Hidden:
        pass
    elif v.array is None and type(v.rec) is not Pack and (rec.level == 0 or not _encloses(rec, v.rec)):
        if v.rec is not None and v.rec.level:
            raise RuntimeError(ESCAPED)
        engine.force(v)
    if rec.level:
        rec.inputs.append(make_tensor(v, 0, rec.edges.get(v)))


ESCAPED = (
    "a tensor made inside a transform (grad, vmap, …) was used after the transform had returned. "
    "Return it from the function instead of storing it elsewhere."
)


def _encloses(rec: Recorder, owner: Recorder | None) -> bool:
    at = rec.outer
    while at is not None and at is not owner:
        at = at.outer
    return at is not None


def _undo(rec: Recorder, count: int) -> None:
    while len(rec.ext) > count:
        rec.ext.popitem()
    if rec.level:
        del rec.inputs[count:]


_DEAD = [getrefcount(slots[-1]) for slots in [[Value()]]][0]  # noqa: RUF015  (counted as it is counted below)
"""The getrefcount of a slot that nobody but the recorder holds."""


def take_back(t: Tensor) -> None:
    """Lets go of the view `t`, recorded or not, whose numbers were found without it, and of what was recorded last if
    nothing needs it: reading known elements, however many, leaves the recording as it was."""
    rec, value = state.rec, t._value
    if (
        rec.level
        or rec.session.follows
        or t._edge is not None
        or (value is not None and value.rec is not rec)
    ):
        return
    t._seen = t._value = t._origin = value = None
    start, rec.node = rec.node, BUSY
    if start is BUSY:
        return
    path, slots = rec.path, rec.slots
    length = at = len(path)
    last = len(slots) - 1
    try:
        while (
            at
            and (node := path[at - 1]).taped is None
            and node.n_out == 1
            and last >= 0
            and slots[last].index == node.base
            and getrefcount(slots[last]) <= _DEAD
        ):
            at -= 1
            last -= 1
        if at < length:
            shorten(rec, at)
    finally:
        if rec.node is BUSY:
            rec.node = start


_index = attrgetter("index")


def slots_before(rec: Recorder, index: int) -> int:
    """How many of its slots come before this one."""
    return bisect_left(rec.slots, index, key=_index)


def shorten(rec: Recorder, length: int) -> None:
    """Takes an eager recording, which the caller has taken, back to its first ops, `length` of them, and gives it back.

    Nobody needs the others, of which none is taped."""
    try:
        _shorten(rec, length)
    except BaseException:  # an interrupt
        _shorten(rec, length)
        raise


def _shorten(rec: Recorder, length: int) -> None:
    begin = rec.root if rec.symbols is None else rec.symbols.root
    node = rec.path[length - 1] if length else begin
    if rec.symbols is not None:
        rec.symbols.back_to(node)
    del rec.path[length:]
    del rec.slots[slots_before(rec, node.base + node.n_out) :]
    _undo(rec, node.externals)
    rec.node = node


def _is_good_cut(rec: Recorder, op, static) -> bool:
    """When too much is pending, cut where the recording began (loops then stay in phase), or at twice the limit."""
    first = rec.path[0]
    return (first.op is op and first.static == static) or len(rec.path) >= 2 * MAX_PENDING_OPS


def _grow(rec: Recorder, start: TrieNode, key: tuple, op, static, inputs, admitted: int) -> TrieNode | None:
    """Makes the trie node of an op that was never recorded here. Leaves the recording as it was when the op raises."""
    try:
        if rec.level == 0:
            on = _other_device(rec, op, inputs)
            if on is not None:
                _undo(rec, admitted)
                rec.node = start
                engine.flush(on)
                return None
        literals = tuple([v for v in inputs if type(v) is not Value and v is not None])
        if literals and _varying and _varies(op, tuple(map(type, literals))):
            return _make_dynamic(rec, start, key, op, static, inputs, admitted)
        check_wide(op, static, inputs)
        spec = tuple(
            [v.aval if type(v) is Value else (None if v is None else (type(v), hashed(v))) for v in inputs]
        )
        applied = apply_once(op, static, spec)
        # what is made of nothing may go to the meta device: it is checked when that is known
        if applied.in_avals and not op.is_view:
            for a in applied.avals:
                check_memory(a.shape, a.dtype.itemsize)
        if literals and op.numbers is not None:
            op.numbers(op, static, inputs, applied.avals[0])
    except BaseException:
        _undo(rec, admitted)
        raise
    node = _node(rec, start, key, op, static, applied)
    node.refs = tuple([_ref(rec, v) for v in inputs if type(v) is Value])
    node.externals = len(rec.ext)
    if literals:
        node.literals = literals
        node.numbers = LITERAL_WITH_ZERO if any(hashed(v) is not v for v in literals) else LITERAL
    start.add(key, node)
    return node


def _ref(rec: Recorder, v: Value) -> int:
    return v.index if v.rec is rec else rec.ext[v]


def _node(rec: Recorder, parent: TrieNode, key: tuple, op, static, applied: Applied) -> TrieNode:
    node = TrieNode()
    node.key = key
    node.op, node.static, node.applied = op, static, applied
    node.avals, node.n_out, node.single = applied.avals, len(applied.avals), applied.single
    if rec.device is not CPU:
        node.avals = _avals_there(rec, applied)
    node.base = parent.base + parent.n_out
    node.bytes = parent.bytes + sum(a.nbytes for a in node.avals)
    node.full = len(rec.path) + 1 >= MAX_PENDING_OPS or node.bytes >= MAX_PENDING_BYTES
    node.stop = key[-1] if rec.stops and not state.grad else ""
    node.source = user_line()
    for ancestor in rec.path[:1] or [node]:
        ancestor.size += 1
    return node


def _avals_there(rec: Recorder, applied: Applied) -> tuple[Aval, ...]:
    """The avals of an op's results, on a device other than the CPU.

    On a mesh a recording of a function does not know placements: a transform of it may have another dimension in
    front."""
    on = rec.device
    if on.is_mesh and not rec.level:
        return on.results(applied)
    return tuple(aval(a.shape, a.dtype, on) for a in applied.avals)


_varying: set[tuple[Any, ...]] = set()
"""(op, the user's call, or line, the types of its numbers) where numbers have changed: wherever the trie comes to that
call again, they are inputs from the first time on."""
MAX_VARYING = 10_000


def note_varying(op: Any, where: tuple | None, kinds: tuple[type, ...]) -> None:
    """Notes that the numbers of an op, of these types, change at a call, or a line, of the user's."""
    if len(_varying) >= MAX_VARYING:
        _varying.clear()
    _varying.add((op, where, kinds))


def _varies(op: Any, kinds: tuple[type, ...]) -> bool:
    call = user_call()
    return (op, call, kinds) in _varying or (op, call[:2] if call else None, kinds) in _varying


_cuts: dict[Any, set] = {}
"""The user's lines, by op, where recordings are cut when they come there."""
MAX_CUTS = 256


def cut_at(root: TrieNode, first: tuple, where: tuple[Any, Any]) -> None:
    """Lets recordings be cut where they come to an op at a line of the user's.

    Forgets those of a root that begin with an op at a line and were not."""
    if len(_cuts) >= MAX_CUTS:
        _cuts.clear()
    _cuts.setdefault(where[0], set()).add(where[1])
    for node in list(root.children.values()):  # other threads record meanwhile
        if (node.op, node.source) == first:
            node.children, node.first, node.size = {}, ([], None), 1


def _is_cut(rec: Recorder, op: Any) -> bool:
    """Returns whether a recording is cut before an op: not where it is noted, to be appended again."""
    return op in _cuts and bool(rec.path) and Noting.made is None and user_line() in _cuts[op]


def forget() -> None:
    """Forgets where numbers have changed, and where recordings are cut."""
    _varying.clear()
    _cuts.clear()


def _make_dynamic(rec: Recorder, start: TrieNode, key: tuple, op, static, inputs, admitted: int) -> TrieNode:
    """A second distinct number was seen at this place: from now on its numbers are inputs of the program."""
    numbers = [number_value(v, rec.device) if type(v) is not Value and v is not None else v for v in inputs]
    try:
        applied = apply_once(op, static, tuple([v if v is None else v.aval for v in numbers]))
    except BaseException:
        _undo(rec, admitted)
        raise
    node = _node(rec, start, key, op, static, applied)
    refs, at = [], len(rec.ext)
    for v in inputs:
        if type(v) is Value:
            refs.append(_ref(rec, v))
        elif v is not None:
            at += 1
            refs.append(-at)
    node.refs = tuple(refs)
    node.externals = at
    node.numbers = DYNAMIC
    note_varying(op, user_call(), tuple([type(v) for v in inputs if type(v) is not Value and v is not None]))
    start.add(key, node)
    return node


def _other_device(rec: Recorder, op, inputs) -> device | None:
    """The device of the op's inputs, if it is not the recording's, which is then to be flushed; None if it is."""
    if rec.device is CPU and all(v.aval.device is CPU for v in inputs if type(v) is Value):
        return None
    on = {v.aval.device.home for v in inputs if type(v) is Value and v.aval.shape != ()} - {ANY}
    if rec.device.is_mesh and not rec.path and not rec.level and not any(type(v) is Value for v in inputs):
        return CPU  # what is made of nothing is no work for a mesh that has none
    if not on:
        on = {v.aval.device.home for v in inputs if type(v) is Value} - {ANY}
        on = on - {CPU} or on  # of tensors without dims, the CPU's go along
    if len(on) > 1:
        for d in on:
            if d.is_mesh and d.takes_along(on, op):
                on = {d}
                break
    if len(on) > 1:
        names = " and ".join(sorted({str(d) for d in on}))
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {names}! "
            f"(when checking arguments of {getattr(op, 'name', op)})"
        )
    return None if not on or rec.device in on else next(iter(on))
