"""The recorder: what is being recorded, as a path in a trie of recorded ops; one per thread, and one per running transform.

`record` is the hot path. It makes a key of (op, static arguments, input references), looks it up among the children of
the trie node the recording stands at, and moves there. An input reference is the index of a slot of this recording (≥ 0),
the number of an external value (< 0), the Aval of an external value at its first use, None, or the type of a Python number.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from sys import getrefcount
from typing import Any

from .applied import Applied, apply_once
from .cutting import ALL, DETACH
from .device import ANY, CPU, META, device
from .errors import MetaInput, check_memory
from .packing import Pack
from .tensor import Cell, Tensor, writes
from .tracebacks import is_ours
from .value import Aval, Value, number_value, promises
from .wide_ints import WideInt, check_wide

__all__ = ["DYNAMIC", "Recorder", "TrieNode", "has_zero", "is_moved", "record", "state", "take_back", "word_of_cut"]  # fmt: skip

MAX_PENDING_OPS = 1024
MAX_PENDING_BYTES = 4 << 30
MAX_TRIE_NODES = 200_000

FORWARD_KINDS = ("jvp", "jacfwd", "linearize")
"""Transforms that `no_grad` does not cut, as in torch: grad mode is about reverse mode."""
REVERSE_KINDS = ("grad", "vjp", "jacrev", "hessian")
"""Transforms whose arguments require grad while the function runs."""
LETTERS = {**dict.fromkeys(FORWARD_KINDS, "F"), **dict.fromkeys(REVERSE_KINDS, "R"), "hessian": "RF"}
"""What transforms are in the words of `cutting`: the hessian is jacfwd of jacrev."""

_LITERAL, _LITERAL_WITH_ZERO, DYNAMIC = 1, 2, 3


class TrieNode:
    """One recorded op at one place. `refs` say where its inputs come from; `numbers` how Python numbers are treated there.

    `first` is the key (a list, as keys are made) and node of the first child, nearly always the next: comparing is cheaper than looking up.
    """

    __slots__ = (
        "applied",
        "avals",
        "backwards",
        "base",
        "bytes",
        "children",
        "externals",
        "first",
        "full",
        "graphs",
        "literals",
        "n_out",
        "numbers",
        "op",
        "programs",
        "refs",
        "single",
        "size",
        "source",
        "static",
        "stop",
        "taped",
        "used",
    )

    def __init__(self):
        self.children: dict[tuple, TrieNode] = {}
        self.first: tuple[list, TrieNode | None] = ([], None)
        self.programs: dict[Any, Any] | None = None
        self.graphs: dict[Any, Any] | None = None
        self.backwards: dict[Any, Any] | None = None
        self.taped: Any = None  # the TapePlan, once an op was taped here
        self.base = self.n_out = self.bytes = self.size = self.used = 0
        self.externals = 0  # how many external values the recording has after this op
        self.avals: tuple[Aval, ...] = ()
        self.numbers = 0
        self.literals: tuple = ()
        self.stop = ""
        self.full = False
        self.source: tuple[str, int] | None = None

    def add(self, key: tuple, child: TrieNode) -> None:
        """Makes `child` what follows here under `key`."""
        if not self.children or tuple(self.first[0]) == key:
            self.first = (list(key), child)
        self.children[key] = child


class Session:
    """The tape of one recording: its nodes in order. `regular` is False once something happened that neither the trie nor the
    tape's edges tell, such as a hook: then a `backward()` is walked anew instead of replayed. `began`: the last write to a tensor
    before it."""

    __slots__ = ("began", "nodes", "regular")

    def __init__(self):
        self.nodes: list[Any] = []
        self.regular = True
        self.began = writes.last

    def settle(self) -> None:
        """Called before a backward walks the tape, which frees it: what is to be known of its nodes is to be asked now."""

    def has_tangent(self, v: Value) -> bool:
        """Whether a value of the recording, or one from outside, carries a tangent."""
        return False

    def close(self) -> None:
        """Lets go of the tape, which refers back to the session."""
        self.nodes.clear()
        self.regular = False


class Recorder:
    """A recording in progress. Level 0 is eager; a transform's level has an id of its own and inputs numbered first."""

    __slots__ = (
        "aliases",
        "axes",
        "call",
        "device",
        "edges",
        "ended",
        "error",
        "ext",
        "flushed",
        "inputs",
        "kind",
        "level",
        "lock",
        "node",
        "numbers",
        "outer",
        "path",
        "randomness",
        "root",
        "session",
        "slots",
        "sources",
        "stops",
    )  # fmt: skip

    def __init__(
        self,
        root: TrieNode,
        level: int = 0,
        kind: str = "eager",
        on: device = CPU,
        outer: Recorder | None = None,
    ):
        self.root = root
        self.node = root
        self.path: list[TrieNode] = []
        self.slots: list[Value] = []
        self.ext: dict[Value, int] = {}
        self.level = level
        self.kind = kind
        self.device = on
        self.outer = outer
        self.numbers: list[Value] = []  # the dynamic numbers of the op recorded last
        self.inputs: list[
            Any
        ] = []  # of a level: the tensors of the level below that its external values stand for
        self.edges: dict[Value, Any] = {}  # of a level: where in the tape captured values come from
        # of a level: cells with the same numbers whose derivatives differ, each with a mark: those that `.data` alone keeps apart share it
        self.aliases: dict[Cell, dict[Cell, object]] = {}
        # of a level: numbers of the inputs that its transform differentiates by, and where no_grad cuts derivatives (see `cutting`)
        self.sources: set[int] = set()
        self.stops = ""
        if outer is not None:
            self.stops = LETTERS.get(kind, "") + (outer.stops or ALL)
            if "F" not in self.stops:
                self.stops = ALL
        self.randomness: tuple[str, Any] = (
            "same",
            None,
        )  # of a vmap: its mode, and a tensor numbering the lanes
        self.axes: dict[int, int | None] | None = None  # of a vmap: which dimension of an input it maps over
        self.session = Session()
        self.ended = False  # an optimizer's step ended it: it is flushed before another op is recorded
        # its recording is over: what it promised is computed, or an interrupt came before that
        self.flushed = False
        self.call: Any = None  # of a flushed one: what runs its program, if that was found
        self.error: BaseException | None = None  # why its program cannot run
        # held while its program runs; twice, by a signal's handler that reads a value meanwhile
        self.lock = threading.RLock()


_roots: dict[device, TrieNode] = {}
_trie_clock = 0


def eager_root(on: device) -> TrieNode:
    """The trie's root for recordings of a device."""
    root = _roots.get(on)
    if root is None:
        root = _roots[on] = TrieNode()
    return root


class Here:
    """What a thread is doing: the recorder on top, grad mode, and the modes that change how ops are applied."""

    __slots__ = ("grad", "inference", "rec", "run_at_once", "saved_hooks")

    def __init__(self):
        self.rec = Recorder(eager_root(CPU))
        self.grad = True
        self.inference = False
        self.run_at_once = False
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


def record(rec: Recorder, op, static, inputs, mask: int = 0) -> tuple[TrieNode, Sequence[Value]]:  # hot path
    """Records op(*inputs): the trie node reached, and promises of the results. `inputs`: Values, Python numbers, None.

    mask: which inputs are taped (bits). It is part of the key, so that equal recordings have equal tapes.
    """
    ext, start = rec.ext, rec.node
    admitted = len(ext)
    try:
        key = [op, static]
        numbers = False
        for v in inputs:
            if type(v) is Value:
                if v.rec is rec:
                    key.append(v.index)
                else:
                    number = ext.get(v)
                    if number is None:
                        if rec.level or (v.array is None and v.rec.__class__ is not Pack):
                            _admit(rec, v)
                        ext[v] = -1 - len(ext)
                        number = v.aval
                    key.append(number)
            elif v is None:
                key.append(None)
            else:
                numbers = True
                key.append(type(v))
        key.append(mask)
        if rec.stops and not state.grad:
            key.append(word_of_cut(rec, inputs))
        first, node = start.first
        if key != first:
            node = start.children.get(tuple(key))
        if node is None or numbers or start.full:
            node = _advance(rec, tuple(key), op, static, inputs, admitted)
            if node is None:  # the recording was cut here: another has begun
                return record(state.rec, op, static, inputs, mask)
        rec.node = node
        rec.path.append(node)
        outs = promises(node.avals, rec, node.base)
        rec.slots.extend(outs)
        return node, outs
    except MetaInput:
        recover(rec, ext, start, admitted)
        from .meta import record_meta

        return record_meta(op, static, inputs)
    except WideInt as e:
        recover(rec, ext, start, admitted)
        return record(rec, op, static, e.narrowed(inputs), mask)
    except BaseException:
        recover(rec, ext, start, admitted)
        raise


def recover(rec: Recorder, ext: dict[Value, int] | None, start: TrieNode, admitted: int) -> None:
    """Takes a recording back to where it stood at `start`, after an op that raised (or Ctrl-C in the midst of one): what a path
    records is only true while its externals and slots are numbered as the trie says."""
    if rec.ext is not ext:
        return  # it was flushed
    _undo(rec, admitted)
    while rec.path and rec.path[-1] is not start:
        rec.path.pop()
    del rec.slots[start.base + start.n_out :]
    rec.node = start
    nodes = rec.session.nodes
    while nodes and type(nodes[-1].step) is TrieNode and nodes[-1].step.base >= start.base + start.n_out:
        nodes.pop()


def _advance(rec: Recorder, key: tuple, op, static, inputs, admitted: int) -> TrieNode | None:
    """The next trie node where looking up the key is not enough: an op never recorded here, Python numbers among the inputs, or
    too much pending. None if the recording was flushed instead, and the op is to be recorded in the next one."""
    start = rec.node
    node = start.children.get(key)
    if rec.level == 0 and ((start.full and _is_good_cut(rec, op, static)) or (node is None and rec.ended)):
        _undo(rec, admitted)
        from .executor import flush

        flush()
        return None
    if node is None:
        node = _grow(rec, key, op, static, inputs, admitted)
        if node is None:
            return None
    if node.numbers:
        literals = [v for v in inputs if type(v) is not Value and v is not None]
        if node.numbers != DYNAMIC and (
            tuple(literals) != node.literals
            or (node.numbers == _LITERAL_WITH_ZERO and repr(literals) != repr(list(node.literals)))
        ):
            node = _make_dynamic(rec, key, op, static, inputs, admitted)
        if node.numbers == DYNAMIC:
            check_wide(op, static, inputs)
            if op.numbers is not None:
                try:
                    op.numbers(op, static, inputs, node.avals[0])
                except BaseException:
                    _undo(rec, admitted)
                    raise
            rec.numbers = made = [number_value(v, rec.device) for v in literals]
            for number in made:
                rec.ext[number] = -1 - len(rec.ext)
            if rec.level:
                rec.inputs.extend([number.array for number in made])
    return node


def _admit(rec: Recorder, v: Value) -> None:
    """Lets a value from outside into a recording: computes what is pending elsewhere; a level notes what it captures."""
    if v.aval.device is META:
        raise MetaInput
    if v.array is None and type(v.rec) is not Pack and (rec.level == 0 or not _encloses(rec, v.rec)):
        if v.rec is not None and v.rec.level:
            raise RuntimeError(ESCAPED)
        from .executor import force

        force(v)
    if rec.level:
        from .tensor import make_tensor

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
"""What getrefcount says of a slot that nobody but the recorder holds."""


def take_back(t: Tensor) -> None:
    """Lets go of the view `t`, recorded or not, whose numbers were found without it, and of what was recorded last if nothing needs it: reading
    known elements, however many, leaves the recording as it was."""
    rec, value = state.rec, t._value
    if rec.level or t._edge is not None or (value is not None and value.rec is not rec):
        return
    t._seen = t._value = t._origin = value = None
    path, slots = rec.path, rec.slots
    while path and path[-1].taped is None and path[-1].n_out == 1 and getrefcount(slots[-1]) <= _DEAD:
        path.pop()
        slots.pop()
        rec.node = path[-1] if path else rec.root
        _undo(rec, rec.node.externals)


def _is_good_cut(rec: Recorder, op, static) -> bool:
    """When too much is pending, cut where the recording began (loops then stay in phase), or at twice the limit."""
    first = rec.path[0]
    return (first.op is op and first.static == static) or len(rec.path) >= 2 * MAX_PENDING_OPS


def _grow(rec: Recorder, key: tuple, op, static, inputs, admitted: int) -> TrieNode | None:
    """Makes the trie node of an op that was never recorded here. Leaves the recording as it was when the op raises."""
    try:
        if rec.level == 0 and _moves_device(rec, op, inputs):
            _undo(rec, admitted)
            return None
        literals = tuple([v for v in inputs if type(v) is not Value and v is not None])
        check_wide(op, static, inputs)
        spec = tuple(
            [v.aval if type(v) is Value else (None if v is None else (type(v), _hashed(v))) for v in inputs]
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
    node = _node(rec, key, op, static, applied)
    node.refs = tuple([_ref(rec, v) for v in inputs if type(v) is Value])
    node.externals = len(rec.ext)
    if literals:
        node.literals = literals
        node.numbers = _LITERAL_WITH_ZERO if any(map(has_zero, literals)) else _LITERAL
    rec.node.add(key, node)
    return node


def _ref(rec: Recorder, v: Value) -> int:
    return v.index if v.rec is rec else rec.ext[v]


class _SignedZero:
    """In a key in place of a number with a zero, whose sign == does not see."""

    def __init__(self, number):
        self.number = number
        self.text = repr(number)

    def __hash__(self):
        return hash(self.text)

    def __eq__(self, other):
        return type(other) is _SignedZero and self.text == other.text

    def __float__(self):
        return float(self.number)

    def __complex__(self):
        return complex(self.number)


def has_zero(number) -> bool:
    """Whether a number is 0 or has a part that is, whose sign == does not see."""
    return number == 0 or (type(number) is complex and not (number.real and number.imag))


def _hashed(number):
    return _SignedZero(number) if type(number) in (float, complex) and has_zero(number) else number


def word_of_cut(rec: Recorder, inputs: Sequence[Any]) -> str:
    """The word (see `cutting`) for what no_grad cuts of an op. A transform that the op's inputs do not depend on has no letter in it:
    it would not come to differentiate the op, and the next one would take the letter for its own."""
    word = rec.stops
    return word if len(word) == 1 or is_moved(rec, inputs) else word[len(LETTERS[rec.kind]) :]


def is_moved(rec: Recorder, inputs: Sequence[Any]) -> bool:
    """Whether some of these values of a level change, to first order, with what its transform differentiates by. True where it does
    not differentiate: then it is for the next one to say."""
    if rec.kind not in LETTERS:
        return True
    places = {v.index for v in inputs if type(v) is Value and v.rec is rec and v.aval.taped}
    for step in reversed(rec.path):
        mine = any(a.taped and step.base + i in places for i, a in enumerate(step.avals))
        if mine and step.stop != ALL and step.op is not DETACH:
            places.update(step.refs)
    return any(-1 - number in places for number in rec.sources)


def _node(rec: Recorder, key: tuple, op, static, applied: Applied) -> TrieNode:
    parent = rec.node
    node = TrieNode()
    node.op, node.static, node.applied = op, static, applied
    node.avals, node.n_out, node.single = applied.avals, len(applied.avals), applied.single
    if rec.device is not CPU:
        from .value import aval

        node.avals = tuple(aval(a.shape, a.dtype, rec.device) for a in applied.avals)
    node.base = parent.base + parent.n_out
    node.bytes = parent.bytes + sum(a.nbytes for a in node.avals)
    node.full = len(rec.path) + 1 >= MAX_PENDING_OPS or node.bytes >= MAX_PENDING_BYTES
    node.stop = key[-1] if rec.stops and not state.grad else ""
    node.source = user_line()
    for ancestor in rec.path[:1] or [node]:
        ancestor.size += 1
    return node


def _make_dynamic(rec: Recorder, key: tuple, op, static, inputs, admitted: int) -> TrieNode:
    """A second distinct number was seen at this place: from now on its numbers are inputs of the program."""
    numbers = [number_value(v, rec.device) if type(v) is not Value and v is not None else v for v in inputs]
    try:
        applied = apply_once(op, static, tuple([v if v is None else v.aval for v in numbers]))
    except BaseException:
        _undo(rec, admitted)
        raise
    node = _node(rec, key, op, static, applied)
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
    rec.node.add(key, node)
    return node


def _moves_device(rec: Recorder, op, inputs) -> bool:
    """Whether the op's inputs live on another device than the recording (which is then flushed, and a new one begun)."""
    on = {v.aval.device for v in inputs if type(v) is Value and v.aval.shape != ()} - {ANY}
    if not on:
        on = {v.aval.device for v in inputs if type(v) is Value} - {ANY}
        on = on - {CPU} or on  # of tensors without dims, the CPU's go along
    if len(on) > 1:
        names = " and ".join(sorted({str(d) for d in on}))
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {names}! "
            f"(when checking arguments of {getattr(op, 'name', op)})"
        )
    if not on or rec.device in on:
        return False
    from .executor import flush

    flush(next(iter(on)))
    return True


def user_line() -> tuple[str, int] | None:
    """File and line of the innermost frame outside the library."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if not is_ours(name):
            return name, frame.f_lineno
        frame = frame.f_back
    return None


def trim_tries() -> None:
    """Forgets the least recently used branches when the tries have grown past their bound."""
    for root in _roots.values():
        total = sum(c.size for c in root.children.values())
        if total <= MAX_TRIE_NODES:
            continue
        for key, child in sorted(root.children.items(), key=lambda kc: kc[1].used):
            total -= child.size
            del root.children[key]
            if tuple(root.first[0]) == key:
                root.first = ([], None)
            if total <= MAX_TRIE_NODES // 2:
                break
