"""Choice of recordings to run by a padded program: of lines that came with three lengths, each of them seldom."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import jax

from ...lazy.trie import TrieNode, WeakPath
from ...lazy.value import Value, is_tracer, make_value
from ..program import deterministic
from .axes import NoRule
from .forms import Form
from .padded_program import Instance
from .signatures import signature

__all__ = [
    "SHARE", "Bucket", "Member", "forget", "is_worth", "may_pad", "member_of", "turns",
]  # fmt: skip

LENGTHS, LEAST_SAMPLES = 3, 2
"""From how many different lengths on recordings of a family are padded, and from how many on those of a form: where an
op does something else at some sizes, a family has several."""
MOST_TIMES = 100
"""How often a recording of one length is padded; then it gets a program of its own."""
SHARE = 4
"""Divisor for buckets: NumPy runs recordings of a bucket for this part of what compiling is guessed to take before
their program does, and for this part of that before the program is compiled. It is less than for a place alone, as what
came with three lengths will come with others."""
MAX_FAMILIES, MAX_LENGTHS = 256, 1024


def is_worth(place: Any) -> bool:
    """Whether a padded program is worth having in place of NumPy, as far as a Place (see cold/tier.py; None: NumPy does
    not run it) tells."""
    return place is None or not place.limit or place.prepared is None


def turns(place: Any) -> int:
    """How often NumPy runs recordings of a bucket before their program does."""
    return 0 if place is None or not place.limit else max(2, place.limit // SHARE)


class Bucket:
    """Lengths that a form is padded to: its programs, by (live, donated), and how often NumPy ran it meanwhile
    (`turns`)."""

    __slots__ = ("programs", "turns")

    def __init__(self) -> None:
        self.programs: dict[tuple, Any] = {}
        self.turns = 0


class Family:
    """Recordings of the same lines and ops.

    It knows forms only once there are several lengths: until then the recordings wait."""

    def __init__(self) -> None:
        self.shapes: set[tuple] = set()
        self.waiting: list[tuple[WeakPath, list[Value]]] = []
        self.forms: dict[Any, Form] = {}
        self.buckets: dict[tuple, Bucket] = {}

    def form(self, path: list[TrieNode], externals: list[Value]) -> tuple[Form, Any]:
        """The form of a recording, which knows it from now on, and its signature."""
        of = signature(path, externals)
        form = self.forms.get(of.key)
        if form is None:
            form = self.forms[of.key] = Form(of.key)
        form.note(of)
        return form, of


class Member:
    """A recording of a family: how often it came since it can be padded, and what it is then."""

    __slots__ = ("family", "form", "instance", "of", "times", "version")

    def __init__(self, family: Family):
        self.family = family
        self.times = 0
        self.form: Form | None = None
        self.of: Any = None
        self.instance: Instance | None = None
        self.version = 0

    def comes(self, path: list[TrieNode], externals: list[Value]) -> bool:
        """Returns whether the recording is to be padded now; counts that."""
        if len(self.family.shapes) < LENGTHS or self.times >= MOST_TIMES:
            return False
        if self.form is None:
            refused = [form for form in self.family.forms.values() if form.reason is not None]
            if refused and len(refused) == len(self.family.forms):
                self.form = refused[0]
                return False
            waiting, self.family.waiting = self.family.waiting, []
            try:
                for other, values in waiting:
                    steps = other.steps()
                    if steps is not None and steps[-1] is not path[-1]:
                        self.family.form(steps, values)
                self.form, self.of = self.family.form(path, externals)
            except (
                TypeError,
                OverflowError,
            ):  # of parameters that say nothing of themselves, or ints of more than 63 bits
                self.times = MOST_TIMES
                return False
        form = self.form
        if form.reason is not None or len(form.samples) < LEAST_SAMPLES:
            return False
        if self.version != form.version or self.instance is None:
            try:
                template = form.template_for(self.of)
                if template is None:
                    return False
                self.instance = Instance(self.of, template, externals)
                self.version = form.version
            except NoRule as reason:
                form.reason = str(reason)
                return False
        self.times += 1
        return True

    def bucket(self) -> Bucket:
        """The bucket of the recording."""
        key = self.form, self.version, self.instance.padded  # type: ignore[union-attr]
        found = self.family.buckets.get(key)
        if found is None:
            found = self.family.buckets[key] = Bucket()
        return found

    def refuse(self, reason: NoRule) -> None:
        """Notes that the form cannot be padded."""
        self.form.reason = str(reason)  # type: ignore[union-attr]

    @property
    def reason(self) -> str | None:
        """Why recordings of this form are not padded, if there are many lengths."""
        return None if self.form is None else self.form.reason


_families: OrderedDict[Any, Family] = OrderedDict()


def forget() -> None:
    """Forgets all lengths."""
    _families.clear()


def member_of(path: list[TrieNode], externals: list[Value]) -> Member | None:
    """Returns the Member of a recording that has no program; None where its lengths are not looked at."""
    last = path[-1]
    if last.member is None:
        steps = tuple([(getattr(n.op, "name", ""), n.refs, n.n_out, n.stop) for n in path])
        kinds = tuple([(len(v.aval.shape), v.aval.dtype, v.aval.device) for v in externals])
        key = path[0].source, last.source, steps, kinds
        family = _families.pop(key, None) or Family()
        _families[key] = family
        if len(_families) > MAX_FAMILIES:
            _families.popitem(last=False)
        shapes = tuple([v.aval.shape for v in externals])
        last.member = Member(family)
        if any(0 in shape for shape in shapes):
            last.member.times = MOST_TIMES
        elif len(family.shapes) < MAX_LENGTHS:
            if shapes not in family.shapes and len(family.shapes) < LENGTHS:
                family.waiting.append((WeakPath(path), [make_value(v.aval) for v in externals]))
            family.shapes.add(shapes)
    return last.member


def may_pad(externals: Sequence[Value]) -> bool:
    """Whether recordings may be padded now: not where bits are to be the same, nor where nan is looked for, nor under
    the user's JAX."""
    if deterministic["on"] or jax.config.jax_debug_nans or jax.config.jax_debug_infs:
        return False
    return not any(is_tracer(type(v.array)) for v in externals)
