"""PaddedProgram: a recording compiled for lengths up to some, and its call at the lengths that there are now."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...lazy import engine
from ...lazy.bounds import Seen
from ...lazy.value import Value, aval, make_value
from ...words import dtypes
from ...words.device import CPU, device, jax_device
from ...words.undisturbed import undisturbed
from ..calls import Call
from ..executable import Executable
from ..pending import Pending
from ..program import Program, checks_of, compiler_options
from ..report import ProgramReport
from .axes import Axis, Dim, Lengths, NoRule, Padded, bucket, plain
from .evaluate import axes_of, constants, evaluate, inner_of
from .forms import Template
from .interpreter import Differing, is_fixed
from .signatures import Shaped, Signature

__all__ = ["Instance", "PaddedCall", "PaddedProgram"]

PADDING: dict[str, Any] = {"with": None}
"""The contents of padding: zeros, or what a function gives for an array (which tests set, as it must not matter)."""


class Instance:
    """A recording as one of a form: its lengths, those that it is padded to, and the constants that differ.

    sizes  of each external's shape, ints and Dims
    """

    __slots__ = ("lengths", "of", "padded", "sizes", "template")

    def __init__(self, of: Signature, template: Template, externals: Sequence[Value]):
        self.of, self.template = of, template
        self.lengths = template.lengths(of)
        self.padded = tuple([bucket(n) for n in self.lengths])
        at, sizes = 0, []
        for v in externals:
            shape = v.aval.shape
            sizes.append(tuple([template.size(at + k) for k in range(len(shape))]))
            at += len(shape)
        self.sizes = sizes
        if any(isinstance(s, Dim) and s.times < 0 for of_one in sizes for s in of_one):
            raise NoRule("a size that is the less, the longer a length is")

    def shape(self, sizes: Sequence[Any]) -> tuple[int, ...]:
        """A shape as it is when it is padded."""
        return tuple([s.of(self.padded) if isinstance(s, Dim) else s for s in sizes])


class PaddedProgram(Program):
    """A recording compiled for lengths up to some.

    Its arguments are those of a Program, padded; then the lengths as they are (int64), and the constants that differ:
    those of fixed shape joined, by dtype, and others one by one.

    axes       of its results, by slot
    constants  which constants are joined, and of which shapes: by dtype
    arrays     which constants are padded, and their sizes
    count      how many externals the recording had that it was made of: another may have more of them, or less, that no
               op reads
    """

    __slots__ = ("arrays", "axes", "constants", "count", "padded")

    def __init__(self, pending: Pending, live: tuple[int, ...], settled: bool = False, *, instance: Instance):
        """Raises NoRule."""
        plan = self._planned(pending, live, settled)
        steps, single, path, ext, on = plan.steps, plan.single, pending.path, pending.externals, pending.on
        fixed = [is_fixed(s) for s in instance.sizes]
        inner = inner_of(path, steps, instance.of, instance.template)
        reads, groups, at_base = self.externals, self.groups, self.packed
        if not all(fixed[e] for group in groups for e in group.members):
            raise NoRule("parameters whose size differs")
        if not all(fixed[e] for e in self.donated):
            raise NoRule("what is overwritten at each step, and of another size each time")
        give_at = self._given_at()
        self.trusts, self.rooms = [], ()
        self.checks = checks = checks_of(steps)
        self.padded = instance.padded
        self.constants, self.arrays = _differing(inner.values())
        self.count = n = len(ext)
        further = [n, *[n + 1 + k for k in range(len(self.constants) + len(self.arrays))]]
        self.externals = [*reads, *further]
        self.axes = axes = {}

        def program(*arrays):
            given = dict(zip(self.externals, arrays))
            inputs = {e: Padded(given[e], axes_of(instance.sizes[e])) for e in reads}
            for group, flat in zip(groups, arrays[len(self.externals) :]):
                for e, part in zip(group.members, group.layout.cut(flat, group.parts)):
                    inputs[e] = Padded(part, tuple(map(plain, part.shape)))
            now = [given[n][k] for k in range(len(self.padded))]
            lengths = Lengths(self.padded, now)
            seen = Seen() if checks else None
            slots = evaluate(
                [(node, inner[node]) for node in steps], lengths, inputs, self._constants(given, n + 1), seen
            )
            for base, layout in at_base:
                if not all(slots[base + p].is_plain for p in layout.places):
                    raise NoRule("parameters whose size differs")
            outs = [lengths.whole(slots[i]) for i in single]
            axes.update(zip(single, [x.axes for x in outs]))
            packs = [layout.join([slots[base + p].array for p in layout.places]) for base, layout in at_base]
            return [x.array for x in outs] + packs + ([] if seen is None else [seen.flag()])

        options = compiler_options(on, [node.applied.barriers for node in steps])
        reason = f"Lengths differ: padded to {' and '.join(map(str, self.padded))}."
        report = ProgramReport.of(path, len(live), [v.aval for v in ext], reason)
        self.executable = Executable(program, on, report, donate_argnums=give_at, compiler_options=options)
        given = [
            jax.ShapeDtypeStruct(
                instance.shape(instance.sizes[e]), ext[e].aval.dtype.np, weak_type=ext[e].aval.weak
            )
            for e in reads
        ]
        given += [v.aval.struct for v in self.further(instance)]
        self.given = given + [g.layout.struct for g in groups]

        def trace() -> None:
            with jax.enable_x64(True), jax.default_device(jax_device(on)):
                self.executable.jitted.trace(*self.given)

        try:
            with report.timing("trace"):
                undisturbed(trace)
        except NoRule:
            raise
        except (
            Exception
        ) as error:  # a rule's, or of a size that only padding has: each length's own program is right
            raise NoRule(f"{type(error).__name__} at the padded length: {error}") from error

    def _constants(self, given: dict[int, Any], at: int) -> dict[str, Padded]:
        """The constants that differ, from the program's arguments."""
        found = {}
        for k, several in enumerate(self.constants.values()):
            begin = 0
            for number, shape in several:
                size = math.prod(shape)
                part = given[at + k][begin : begin + size].reshape(shape)
                found[number] = Padded(part, tuple(map(plain, shape)))
                begin += size
        for k, (number, told) in enumerate(self.arrays):
            found[number] = Padded(given[at + len(self.constants) + k], axes_of(told.shape))
        return found

    def further(self, instance: Instance) -> list[Value]:
        """The arguments that are no externals: lengths and constants."""
        values = instance.of.values
        made = [np.array(instance.lengths, np.int64)]
        for dtype, several in self.constants.items():
            made.append(np.concatenate([np.asarray(values[int(k)], dtype).reshape(-1) for k, _ in several]))
        for number, told in self.arrays:
            made.append(_padded(np.asarray(values[int(number)], told.dtype), instance.shape(told.shape)))
        return [_value(a) for a in made]


def _differing(inners: Any) -> tuple[dict[Any, list], list[tuple[str, Shaped]]]:
    """The constants that differ: those of fixed shape by dtype, and the others."""
    joined: dict[Any, dict[str, tuple]] = {}
    others: dict[str, Shaped] = {}
    for inner in {id(i): i for i in inners}.values():
        for c in constants(inner):
            if isinstance(c.value, Differing):
                if is_fixed(c.aval):
                    joined.setdefault(np.dtype(c.aval.dtype), {})[c.value.number] = c.aval.shape
                else:
                    others[c.value.number] = c.aval
    return {dtype: list(of.items()) for dtype, of in joined.items()}, list(others.items())


def _value(array: np.ndarray) -> Value:
    return make_value(aval(array.shape, dtypes.from_numpy(array.dtype), CPU), array=array)


def _padded(array: Any, shape: tuple[int, ...]) -> Any:
    """An array in the first places of a longer one."""
    if not isinstance(array, np.ndarray):
        (on,) = array.devices()
        if on.platform != "cpu":
            with jax.enable_x64(True):
                return jnp.pad(array, [(0, n - m) for n, m in zip(shape, array.shape)])
        array = np.asarray(array)
    fill = PADDING["with"]
    longer = np.zeros(shape, array.dtype) if fill is None else fill(shape, array.dtype)
    longer[tuple([slice(0, n) for n in array.shape])] = array
    return longer


class PaddedCall(Call):
    """A padded program called on externals as they are; its results, cut to the lengths that there are."""

    __slots__ = ("_cut", "_instance")

    def __init__(
        self, program: PaddedProgram, externals: list[Value], live: tuple, on: device, instance: Instance
    ):
        n = program.count
        given: list[Any] = [*externals[:n], *[None] * (n - len(externals)), *program.further(instance)]
        for e in program.externals:
            if e < n and not is_fixed(instance.sizes[e]):
                v = externals[e]
                array = v.array if v.array is not None else engine.force(v)
                longer = _padded(array, instance.shape(instance.sizes[e]))
                given[e] = make_value(
                    aval(longer.shape, v.aval.dtype, v.aval.device, v.aval.weak), array=longer
                )
        super().__init__(program, given, live, on)
        self._instance = instance
        self._cut: list | None = None

    def arrays(self) -> list:
        """Returns the arrays of the slots in `live`, packs as Packs; the same ones each time."""
        if self._cut is None:
            of = self._program.axes  # type: ignore[attr-defined]
            self._cut = [self._shortened(x, of.get(i, ())) for i, x in zip(self._live, super().arrays())]
        return self._cut

    def _shortened(self, array: Any, axes: Sequence[Axis]) -> Any:
        """Returns the part of an array that counts, without its padding."""
        if all(a.is_plain for a in axes):
            return array
        instance = self._instance
        factors = [f for a in axes for f in a.factors]
        parts = [f.of(instance.lengths) if isinstance(f, Dim) else f for f in factors]
        shape = [math.prod(parts[k : k + m]) for k, m in _runs(axes)]
        cut = tuple([slice(0, p) for p in parts])
        if next(iter(array.devices())).platform == "cpu":
            return np.ascontiguousarray(np.asarray(array).reshape(instance.shape(factors))[cut]).reshape(
                shape
            )
        with jax.enable_x64(True):
            return array.reshape(instance.shape(factors))[cut].reshape(shape)


def _runs(axes: Sequence[Axis]) -> list[tuple[int, int]]:
    """Where the factors of each axis begin among those of all, and how many there are."""
    found, at = [], 0
    for a in axes:
        found.append((at, len(a.factors)))
        at += len(a.factors)
    return found
