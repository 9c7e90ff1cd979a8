"""Applied: an op at given static arguments and avals. What depends on nothing else is worked out here, once."""

from __future__ import annotations

import contextlib
import functools
import math
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun
from jax.extend.core.primitives import custom_lin_p

from ..declare.float8 import check_float8
from ..declare.grad_names import name_of_derivative
from ..declare.op import Op
from ..jaxprs.primitives import BARRIER, row
from ..jaxprs.sizes import simplified
from ..jaxprs.walk import equations, inner, live
from ..words import dtypes, jax_private
from ..words.device import CPU, device
from ..words.errors import as_torchs, check_memory
from ..words.telling import awaited
from . import facts, sized
from .at_symbols import traced_at_symbols, where_equal
from .bounds import Bound, Origin, Origins, bounds_of, origins
from .identity import function_identity, identity
from .loop.joining import join_loops
from .loop.rules import keep_rules
from .pullback import of_some_inputs, pulled, read_by
from .reach import reached
from .sized import Sized, are_open, kind_of, sizes_of
from .value import Aval, aval, number_value
from .wide_sums import widen_sums

__all__ = [
    "PRECISION",
    "Applied",
    "Backward",
    "DerivedOp",
    "apply_once",
    "at_numbers",
    "for_cpu",
    "seconds",
]


PRECISION = {"matmul": "highest", "convolution": "high"}
"""Precision of products and convolutions in float32, in JAX's words. By default, as in torch, products have full
precision on every device, and GPUs may take TensorFloat32 for convolutions; CPUs have float32 alone."""


seconds = {"op_trace": 0.0}
"""Seconds that tracing ops took since import, in all threads."""


class _Traced(threading.local):
    """The devices of what this thread is tracing, innermost last."""

    def __init__(self) -> None:
        self.devices: list[device] = []


_traced = _Traced()


@contextlib.contextmanager
def tracing(on: device | None = None):
    """Under which ops are traced: 64-bit types, the precision of float32 products, and the device whose program it will
    be."""
    _traced.devices.append(on or CPU)
    began = perf_counter()
    try:
        with jax.enable_x64(True), jax.default_matmul_precision(PRECISION["matmul"]):
            yield
    finally:
        _traced.devices.pop()
        if not _traced.devices:
            seconds["op_trace"] += perf_counter() - began


def for_cpu() -> bool:
    """Whether the op that is being traced will run on a CPU (or nowhere): some have a form that is fast there alone."""
    return not are_open() and (not _traced.devices or _traced.devices[-1].type in ("cpu", "meta"))


class DerivedOp:
    """An op that was not declared but made: a derivative, a transform of a graph, an optimizer's update.

    `fn(*inputs)` is a pure function on jax arrays that returns a tuple or list of arrays. made_of: what determines it,
    if it is not a function of the library's by itself: then another process knows it too (see identity.py). of: the
    Graphs that it runs, and what makes it of others, if they may be others (`Graph.transformed`).
    """

    __slots__ = ("__weakref__", "fn", "key", "made_of", "name", "of", "saves")
    promote_kind = None
    is_view = False
    host = False
    returns = None
    numbers = None
    grad: str | None = None
    autocast = None
    wide_ints = None
    mixes_devices = False
    is_sizeless = False
    """Whether no size is part of it, though it was made of something."""
    takes_float8 = True
    formulas = 0

    def __init__(self, fn, name: str, saves: str = "nothing", made_of: tuple | None = None):
        self.fn = fn
        self.name = name
        self.saves = saves
        self.made_of = made_of
        self.of: tuple[tuple, Any] | None = None
        self.key: tuple = ()

    @property
    def identity(self) -> bytes | None:
        """The same in every process, or None."""
        if self.made_of is None:
            return function_identity(type(self), self.fn, self.name)
        return identity(type(self).__name__, self.name, *self.made_of)

    def call(self, static: Any, inputs: Sequence):
        return self.fn(*inputs)

    def gives_no_gradient(self, static: Any, mask: int) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<op {self.name}>"


class Formula(DerivedOp):
    """A derivative, whose own derivatives reach what its formula reads (see `reach`), result by result; of any other op
    torch's tape holds that every result depends on every input. `formulas`: how many of the results are such, the first
    ones, if not all. `made_of`: what it is the derivative of, by which inputs and of which results, if it is of an
    Applied. `traced`: its jaxpr for a device, and shapes and dtypes of its inputs; the first Applied that is of these
    takes it."""

    __slots__ = ("_was_told", "formulas", "sized", "traced")

    def __init__(self, fn, name: str, formulas: int = 1 << 30, made_of: tuple | None = None):
        super().__init__(fn, name, made_of=made_of)
        self.sized: tuple[Sized, tuple[int, ...]] | None = None
        self.formulas = formulas
        self.traced: tuple[Any, ClosedJaxpr] | None = None
        self._was_told = False

    def tell_sizes(self) -> None:
        """Finds out what it is at symbolic sizes, where its op came to be known at those after it was made."""
        if self.sized is not None or self._was_told or len(self.made_of or ()) != 3:
            return
        of, mask, cts = self.made_of  # type: ignore[misc]
        now = apply_once(of.op, of.static, of.inputs)
        if now is of or now.sized is None:
            return
        self._was_told = True
        mine = next((b for b in of.backwards.values() if b.op is self), None)
        other = now.backward(mask, cts)
        if mine is not None and (mine.saved, mine.gives) == (other.saved, other.gives):
            self.sized = other.op.sized  # type: ignore[union-attr]


class Backward:
    """The derivative of an Applied with respect to some of its inputs: an op, and which inputs it needs.

    `gives`: for each of the inputs that were asked for whether it has a gradient at all, or None if all have; the op
    returns those that are. No op: none has."""

    __slots__ = ("gives", "op", "saved")

    def __init__(self, op: DerivedOp | None, saved: tuple[int, ...], gives: tuple[bool, ...] | None = None):
        self.op = op
        self.saved = saved
        self.gives = gives

    def spread(self, grads: Sequence) -> Sequence:
        """The op's results as the gradients of all inputs that were asked for, None for those that have none."""
        if self.gives is None:
            return grads
        it = iter(grads)
        return [next(it) if given else None for given in self.gives]


class lazily:
    """`cached_property` without its lock, which Python 3.11 has one of for all objects: what is computed here may wait
    for another thread that computes the same of another object."""

    def __init__(self, fn: Callable[[Any], Any]):
        self._fn = fn
        self.__doc__ = fn.__doc__

    def __get__(self, of: Any, kind: type) -> Any:
        found = of.__dict__[self._fn.__name__] = self._fn(of)
        return found


class Applied:
    """`op` with its static arguments, at inputs that are avals, literal numbers `(type, value)`, or None.

    `avals` are the results'; `single` tells whether the op returns one array or several; `run(*arrays)` computes
    the list of results from the inputs that are avals.
    """

    spared = 0.0
    """Seconds that went into loading programs which have it, where it could have been traced (see
    `cold.tier.is_ready`)."""

    def __init__(
        self,
        op,
        static: tuple,
        inputs: tuple,
        general: Applied | None = None,
        sized: tuple[Sized, tuple[int, ...]] | None = None,
    ):
        """general: the same at any numbers, which is not traced once more. sized: the same at symbolic sizes, and which
        sizes it is at here."""
        self.op = op
        self.static = static
        self.inputs = inputs
        dynamic = [i for i in inputs if type(i) is Aval]
        check_float8(op, static, dynamic)
        self.has_literals = any(type(i) is tuple for i in inputs)
        self.in_avals = dynamic
        self.single = True
        self.device = next((a.device for a in dynamic if a.device.type != "cpu"), CPU)
        self.general = general
        self.sized = sized
        self.facts = {}
        if general is None and sized is None and facts.any_known():
            self.facts = facts.find(self.identity)
        if sized is not None:
            self.avals, self.single = (
                sizes_of(sized[0].avals(sized[1]), dtypes.from_numpy, CPU),
                sized[0].single,
            )
        elif general is not None:
            self.avals, self.single = general.avals, general.single
        elif self.facts:
            self.avals, self.single = _avals_from(self.facts), self.facts["single"]
        else:
            self.avals = _out_avals(self.jaxpr)
        self.differentiable = tuple(i for i, a in enumerate(self.avals) if a.taped)
        self.all_cts = sum(1 << i for i in self.differentiable)
        self.backwards: dict[Any, Backward] = {}

    @lazily
    def identity(self) -> bytes | None:
        """The same in every process, or None."""
        return identity(self.op, self.static, self.inputs, PRECISION, dtypes.default_dtype())

    @lazily
    def jaxpr(self) -> ClosedJaxpr:
        """The op, traced: when it is first applied, or, if its facts are known already, when it is compiled."""
        if self.general is not None:
            return at_numbers(self.general.jaxpr, self.inputs)
        found = awaited(self._trace, self.__str__)
        if (self.facts or self.sized) and _out_avals(found) != self.avals:
            raise RuntimeError(
                f"{self.op}: {_out_avals(found)} where a process before had {self.avals}. Please report this, and delete {facts.folder()}."
            )
        return found

    def __str__(self) -> str:
        """Names what is traced: `add`, or `hessian of 98 ops`."""
        ops = _ops_inside(self.op)
        return f"{getattr(self.op, 'name', self.op)}{f' of {ops} ops' if ops else ''}"

    @lazily
    def to_run(self) -> ClosedJaxpr:
        """The same, or one that computes the same and is not to be differentiated."""
        if self.sized is None:
            if self.general is None:  # the same form as at symbolic sizes
                return simplified(self.jaxpr)
            return at_numbers(self.general.to_run, self.inputs)
        sized, at = self.sized
        return sized.jaxpr(at)

    @property
    def is_traced(self) -> bool:
        """Returns whether what it computes is known without tracing it."""
        if self.general is not None:
            return self.general.is_traced
        return "jaxpr" in self.__dict__ or self.sized is not None

    def _at_symbols(self, what: str, of: Callable[[ClosedJaxpr], Any]) -> Any:
        """A fact of the jaxpr that does not depend on sizes: looked for once for all of them."""
        if self.sized is None:
            return of(self.jaxpr)
        known = self.sized[0].known
        if what not in known:
            known[what] = of(self.sized[0].closed)
        return known[what]

    @lazily
    def run(self) -> Callable[..., list]:
        """The list of results from arrays."""
        return jaxpr_as_fun(self.jaxpr)

    def to_note(self) -> dict[str, Any]:
        """Its facts, as `facts.note` takes them. Nothing is traced for it."""
        backwards = dict(self.facts.get("backwards", ()))
        if not self.has_literals:
            made = {_asked(asked): b for asked, b in list(self.backwards.items()) if b.op is not None}
            backwards |= {asked: [b.saved, b.gives] for asked, b in made.items()}
        known = {
            "avals": [[a.shape, a.dtype.name] for a in self.avals],
            "single": self.single,
            "barriers": sorted(self.barriers),
            "bounds": self.bounds,
            "origins": self.origins,
            "backwards": backwards,
        }
        if self.op.formulas:
            known["reach"] = self.reach
        return known

    def made_of(self) -> Iterator[Applied]:
        """The applied ops that must be known before this one can be: what it is the derivative of, or has recorded
        inside."""
        if self.general is not None:
            yield self.general
        elif self.has_literals and self.backwards:
            yield self.lifted()
        yield from _made_of(self.op)

    def _trace(self) -> ClosedJaxpr:
        with tracing(self.device):
            traced = self._already_traced()
            try:
                if traced is None:
                    traced = jax_private.traced(self._call, [a.struct for a in self.in_avals])
            except (TypeError, MemoryError) as e:
                raise as_torchs(e) from None
            if isinstance(self.op, Formula):
                traced = live(traced)  # what it computes of zeros in place of inputs must not be looked at
            _check_steps(traced.jaxpr)
            return as_kept(traced)

    def _already_traced(self) -> ClosedJaxpr | None:
        """The jaxpr of a derivative that was traced when it was made."""
        op = self.op
        if not isinstance(op, Formula) or op.traced is None or len(self.in_avals) < len(self.inputs):
            return None
        of, traced = op.traced
        if of != _given(self.device, [a.struct for a in self.in_avals]):
            return None
        op.traced, self.single = None, False
        return traced

    @lazily
    def barriers(self) -> frozenset[bool]:
        """Whether there are optimization barriers in it (checkpoint): one for each place, True inside a loop or
        branch."""
        if self.general is not None:
            return self.general.barriers
        if "barriers" in self.facts:
            return frozenset(self.facts["barriers"])
        return self._at_symbols("barriers", lambda closed: frozenset(_barriers(closed.jaxpr, False)))

    @lazily
    def bounds(self) -> tuple[Bound, ...]:
        """Bounds that it states for its indices and divisors (see bounds.py)."""
        if self.general is not None:
            return self.general.bounds
        if self.facts:
            return tuple([Bound(*b) for b in self.facts["bounds"]])
        found = self._at_symbols("bounds", bounds_of)
        if self.sized is not None:
            number = self.sized[0].numbers(self.sized[1])
            return tuple([Bound(number(b.low), number(b.size), b.says) for b in found])
        return found

    @lazily
    def origins(self) -> Origins:
        """Inputs that may break its bounds, and the inputs whose elements its results have (see bounds.py); empty for
        an op with neither bounds nor integers among its results."""
        if self.general is not None:
            kept = [type(i) is Aval for i in self.inputs if i is not None]
            return _without_numbers(self.general.origins, kept)
        if self.facts:
            return Origins(
                *[
                    tuple([o and Origin(tuple(o[0]), *o[1:]) for o in every])
                    for every in self.facts["origins"]
                ]
            )
        if not self.bounds and not any(a.dtype.np.kind in "iu" for a in self.avals):
            return Origins((), (None,) * len(self.avals))
        return self._at_symbols("origins", origins)

    @lazily
    def reach(self) -> tuple[int, ...]:
        """For each result the inputs (bits) that it depends on, as torch's tape has it."""
        if "reach" in self.facts:
            return tuple(self.facts["reach"])
        every = tuple([(1 << len(self.inputs)) - 1 if a.taped else 0 for a in self.avals])
        if not self.op.formulas:
            return every
        if self.filled is not None:
            return self.filled.reach
        at = [k for k, i in enumerate(self.inputs) if type(i) is Aval]
        rows = self._at_symbols("reach", lambda closed: reached(closed.jaxpr))[: self.op.formulas]
        found = [sum(1 << k for d, k in enumerate(at) if row >> d & 1) for row in rows]
        return (*found, *every[len(found) :])

    @lazily
    def filled(self) -> Applied | None:
        """The same op where each dim without elements has two: there JAX reads what torch's formulas read, while it
        reads nothing to make nothing.
        None if there are elements, or the op takes no other sizes."""
        op = self.op
        if all(0 not in a.shape for a in self.in_avals):
            return None
        if isinstance(op, Formula) and op.made_of is not None:
            of, mask, cts = op.made_of
        elif not isinstance(op, Op) or op.flat_if_empty:
            return None
        try:
            if isinstance(op, Formula):
                if of.filled is None:
                    return None
                op = of.filled.backward(mask, cts).op
            found = apply_once(op, self.static, tuple(map(_filled, self.inputs)))
        except Exception:  # of whatever kind: it is for these sizes alone
            return None
        return found if [len(a.shape) for a in found.avals] == [len(a.shape) for a in self.avals] else None

    def reached_refs(self, outs: Sequence[int], refs: tuple[int, ...]) -> Sequence[int]:
        """Returns some of `refs`, which say where the inputs come from: those on which these results depend."""
        if not self.op.formulas:
            return refs
        bits = functools.reduce(operator.or_, [self.reach[o] for o in outs], 0)
        at = [k for k, i in enumerate(self.inputs) if type(i) is Aval]
        return [ref for k, ref in zip(at, refs) if bits >> k & 1]

    @property
    def name_of_derivative(self) -> str:
        """torch's, such as MulBackward0."""
        given = [i for i in self.inputs if i is not None]
        ranks = [len(i.shape) if type(i) is Aval and not i.weak else None for i in given]
        return name_of_derivative(self.op, self.static, ranks)

    def traced_of(self, static: tuple, structs: Sequence[jax.ShapeDtypeStruct]) -> ClosedJaxpr:
        """The op, traced of other static arguments and shapes, as at symbolic sizes."""

        def call(*arrays):
            out = self.op.call(static, self._arguments(arrays))
            return [_strong(o) for o in (out if isinstance(out, tuple | list) else [out])]

        with tracing(self.device):
            return as_kept(jax_private.traced(call, structs))

    def _call(self, *arrays):
        args = self._arguments(arrays)
        on = next((a.device for a in self.in_avals if a.device.is_mesh), None)
        out = self.op.call(self.static, args) if on is None else on.called(self, args)
        self.single = not isinstance(out, tuple | list)
        return [_strong(o) for o in ([out] if self.single else out)]

    def _arguments(self, arrays: Sequence) -> list:
        """The op's inputs: arrays, and literal numbers and None in their places."""
        it = iter(arrays)
        return [next(it) if type(i) is Aval else (None if i is None else _literal(*i)) for i in self.inputs]

    def backward(self, mask: int, cts: int | None = None) -> Backward:
        """The vjp with respect to the inputs in `mask` (bits over `inputs`), given cotangents of the differentiable
        results in `cts` (bits over `avals`; by default all); absent ones are zero. Its inputs: the saved inputs, the
        cotangents."""
        every = cts is None or cts == self.all_cts
        found = self.backwards.get(mask if every else (mask, cts))
        if found is None:
            if self.has_literals:
                found = self.lifted().backward(mask, cts)
            else:
                found = self._make_backward(
                    mask, self.all_cts if cts is None else cts, mask if every else (mask, cts)
                )
            self.backwards[mask if every else (mask, cts)] = found
        return found

    def lifted(self) -> Applied:
        """The same with literal numbers as dynamic inputs: what serves every number."""
        return apply_once(self.op, self.static, _at_any_numbers(self.inputs))

    def _make_backward(self, mask: int, cts: int, asked: int | tuple) -> Backward:
        """Makes the Backward of `backward(mask, cts)`: its formula computes the vjp from the inputs that it reads and
        the cotangents. These inputs are told by the half at symbolic sizes, by facts on disk, or by one trace with
        every input. asked: the key under which the facts have it."""
        if self.op.gives_no_gradient(self.static, mask):
            return Backward(None, ())
        gives = None
        if self.op.formulas:
            reach = functools.reduce(operator.or_, [r for o, r in enumerate(self.reach) if cts >> o & 1], 0)
            if mask & ~reach:
                gives = tuple([bool(reach >> k & 1) for k in range(len(self.inputs)) if mask >> k & 1])
                mask &= reach
            if not mask:
                return Backward(None, ())
        positions = [k for k, i in enumerate(self.inputs) if type(i) is Aval]  # dynamic index -> input index
        wanted = [d for d, k in enumerate(positions) if mask >> k & 1]
        given = [o for o in self.differentiable if cts >> o & 1]
        avals = self.avals
        vjp = functools.partial(pulled, lambda *xs: self.run(*xs), wanted, given)
        # Trace once with every input to see which the derivative reads; the rest are not saved.
        ct_structs = [avals[o].struct for o in given]
        structs, n = [a.struct for a in self.in_avals], len(self.in_avals)

        def trace() -> ClosedJaxpr:
            with tracing(self.device):
                return jax_private.traced(lambda *xs: vjp(xs[:n], xs[n:]), [*structs, *ct_structs])

        found: list[ClosedJaxpr] = []

        def look() -> list[int]:
            found.append(awaited(trace, lambda: f"the derivative of {self}"))
            return read_by(found[0], len(structs), wanted)

        half = (
            None if self.sized is None else self._half(self.sized[0], tuple(wanted), tuple(given), mask, cts)
        )
        if half is not None and not half[0].admits(self.sized[1]):  # type: ignore[index]
            half = None
        known = self.facts.get("backwards", {}).get(_asked(asked))
        saved = known[0] if known else None
        if saved is None and isinstance(self.op, DerivedOp) and self.op.of is not None:
            saved = positions  # of whole Graphs: it would be traced before anybody asks for it, and mostly nobody does
        if any(0 in a.shape for a in self.in_avals):
            if self.filled is not None:
                with contextlib.suppress(
                    Exception
                ):  # it is refused at those sizes; what is said of it is said at these
                    saved = self.filled.backward(mask, cts).saved
            elif getattr(self.op, "flat_if_empty", False):
                saved = ()
        if half is not None:
            needed = half[1]
        else:
            needed = look() if saved is None else [positions.index(k) for k in saved]

        def fn(*args):
            inputs = [None if d in needed_at else jnp.zeros(s.shape, s.dtype) for d, s in enumerate(structs)]
            for d, at in needed_at.items():
                inputs[d] = args[at]
            return vjp(inputs, args[len(needed) :])

        needed_at = {d: at for at, d in enumerate(needed)}
        name = getattr(self.op, "name", "op")
        formula = Formula(fn, f"{name}_backward", made_of=(self, mask, cts))
        if half is not None:
            formula.sized = half[0], self.sized[1]
        for closed in found:
            places = [*needed, *range(len(structs), len(closed.jaxpr.invars))]
            if (only := of_some_inputs(closed, places)) is not None:
                of = _given(self.device, [*[structs[d] for d in needed], *ct_structs])
                formula.traced = of, only
        return Backward(formula, tuple(positions[d] for d in needed), gives)

    def _half(
        self, sized: Sized, wanted: tuple[int, ...], given: tuple[int, ...], mask: int, cts: int
    ) -> tuple[Sized, list[int]] | None:
        """Its derivative at symbolic sizes, and which inputs that reads; None where JAX does not trace it."""
        key = wanted, given
        if key not in sized.halves:
            found = sized.halves[key] = awaited(
                lambda: self._trace_half(*self.sized, wanted, given), lambda: f"the derivative of {self}"
            )
            if found is not None:
                half = found[0]
                half.op_at = functools.partial(_derivative_at, sized, half, mask, cts)

                def is_same(equal: tuple[int, ...], op: Applied) -> bool:
                    _, traced = op.backward(mask, cts).op.traced  # type: ignore[union-attr]
                    return half.is_at(equal, as_kept(traced))

                half.apart = sized.apart
                half.holds_where_equal = where_equal(Applied, sized, self.sized[1], is_same)
        return sized.halves[key]

    def _trace_half(
        self, sized: Sized, at: tuple[int, ...], wanted: tuple[int, ...], given: tuple[int, ...]
    ) -> tuple[Sized, list[int]] | None:
        of = sized.closed
        outs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in of.out_avals]
        structs = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in of.in_avals]
        n = len(structs)
        vjp = functools.partial(pulled, jaxpr_as_fun(of), wanted, given)
        try:
            with tracing(self.device):
                closed = as_kept(
                    jax_private.traced(lambda *xs: vjp(xs[:n], xs[n:]), [*structs, *[outs[o] for o in given]])
                )
        except RecursionError:
            raise
        except Exception:  # of whatever kind: it is traced at each size then
            return None
        needed = read_by(closed, len(structs), wanted)
        only = of_some_inputs(closed, [*needed, *range(len(structs), len(closed.jaxpr.invars))])
        if only is None:
            return None
        half = Sized(simplified(only), sized.names, False)
        half.find_out_whether_it_folds(at)
        return half, needed


def _made_of(op: Any) -> Iterator[Applied]:
    """Yields the Applieds that an op has recorded inside, or is the derivative of."""
    parts = list(getattr(op, "made_of", None) or ())
    while parts:
        part = parts.pop()
        if type(part) is Applied:
            yield part
        elif isinstance(part, tuple):
            parts.extend(part)
        else:
            yield from [node.applied for node in getattr(part, "steps", ())]


def _ops_inside(op: Any) -> int:
    """How many ops that are not made of others an op was made of."""
    return sum([_ops_inside(applied.op) or 1 for applied in _made_of(op)])


def _without_numbers(of: Origins, kept: Sequence[bool]) -> Origins:
    """The same by the numbers of those inputs that are kept, of which `kept` tells; what comes from another is not
    known."""

    def among(o: Origin | None) -> Origin | None:
        if o is None or not all(kept[k] for k in o.arguments):
            return None
        return o._replace(arguments=tuple([sum(kept[:k]) for k in o.arguments]))

    return Origins(*[tuple(map(among, every)) for every in of])


def _asked(key: int | tuple[int, int]) -> str:
    """The key of a derivative in `Applied.backwards`, as JSON has it."""
    return str(key) if isinstance(key, int) else f"{key[0]},{key[1]}"


def _out_avals(traced: ClosedJaxpr) -> tuple[Aval, ...]:
    return tuple([_out_aval(o) for o in traced.out_avals])


def _avals_from(known: dict[str, Any]) -> tuple[Aval, ...]:
    return tuple([aval(tuple(shape), dtypes.DTYPES[name], CPU) for shape, name in known["avals"]])


def _given(on: device, structs: Sequence[jax.ShapeDtypeStruct]) -> tuple:
    """Returns the key that a jaxpr is traced for: the device, the shapes and dtypes of its arguments, and the settings
    in force."""
    settings = tuple(PRECISION.items()), dtypes.default_dtype()
    return on, tuple([(s.shape, s.dtype) for s in structs]), settings


def _literal(kind: type, value: Any) -> Any:
    if kind is int and not -(1 << 63) <= value < 1 << 64:
        raise OverflowError("int too big to convert")
    return kind(value)


def _strong(x):
    x = jnp.asarray(x)
    return jax.lax.convert_element_type(x, x.dtype) if getattr(x.aval, "weak_type", False) else x


def _out_aval(a) -> Aval:  # on another device the recording knows on which (see recorder._node)
    return aval(tuple(a.shape), dtypes.from_numpy(a.dtype), CPU)


def _barriers(jaxpr: Any, inside: bool) -> Iterator[bool]:
    """For each optimization barrier in a jaxpr, or one inside it, whether a loop or branch is around it."""
    for eqn in equations(jaxpr, lambda eqn: not row(eqn).repeats):
        if eqn.primitive.name == BARRIER or eqn.params.get("differentiated"):
            yield inside
        if row(eqn).repeats:
            for j in inner(eqn):
                yield from _barriers(j, True)


_MOST = 1 << 62


def _check_steps(jaxpr: Any) -> None:
    """Refuses arrays on the way that XLA cannot compile, at which it ends the process, and padding that no memory
    holds; and forward mode of a custom_vjp function, which JAX would refuse when it compiles the program, with
    everything else in it."""
    for eqn in equations(jaxpr):
        if eqn.primitive is custom_lin_p:
            raise TypeError("can't apply forward-mode autodiff (jvp) to a custom_vjp function.")
        for v in eqn.outvars:
            shape = getattr(v.aval, "shape", ())
            if math.prod(shape) >= _MOST or eqn.primitive is jax.lax.pad_p:
                check_memory(shape, v.aval.dtype.itemsize)


def _filled(given: Any) -> Any:
    """An input of an op, with elements."""
    if type(given) is not Aval or 0 not in given.shape:
        return given
    return aval(tuple([n or 2 for n in given.shape]), given.dtype, given.device, given.weak)


def _at_any_numbers(inputs: tuple) -> tuple:
    return tuple([number_value(i[0](i[1])).aval if type(i) is tuple else i for i in inputs])


def at_numbers(closed: ClosedJaxpr, inputs: tuple) -> ClosedJaxpr:
    """A jaxpr with the literal numbers among the inputs as constants of it."""
    jaxpr, given = closed.jaxpr, [i for i in inputs if i is not None]
    numbers = [(v, i) for v, i in zip(jaxpr.invars, given) if type(i) is tuple]
    made = jaxpr.replace(
        invars=[v for v, i in zip(jaxpr.invars, given) if type(i) is not tuple],
        constvars=[*jaxpr.constvars, *[v for v, _ in numbers]],
        debug_info=jaxpr.debug_info.with_unknown_names(),
    )
    values = [np.asarray(_literal(*i), v.aval.dtype) for v, i in numbers]
    return ClosedJaxpr(made, [*closed.consts, *values])


def as_kept(traced: ClosedJaxpr) -> ClosedJaxpr:
    """Returns a traced jaxpr as it is kept: loops that go together in one, rules of derivatives as they were given,
    sums of narrow floats in float32."""
    return widen_sums(keep_rules(join_loops(traced)))


_applied: dict[tuple, Applied] = {}
MAX_APPLIED = 20_000


def apply_once(op, static: tuple, inputs: tuple) -> Applied:
    """The Applied of these, made at first use. Raises whatever the op raises for such inputs."""
    key = (op, static, inputs)
    found = _applied.get(key)
    if found is None:
        if len(_applied) >= MAX_APPLIED:
            for old in list(_applied)[: MAX_APPLIED // 4]:
                del _applied[old]
        # what a view shows, and what derivatives do, is the same at every number
        same = (op.is_view or isinstance(op, Formula)) and any(type(i) is tuple for i in inputs)
        general = apply_once(op, static, _at_any_numbers(inputs)) if same else None
        found = _applied[key] = (
            _at_sizes(op, static, inputs) if general is None else Applied(op, static, inputs, general)
        )
    return found


def _at_sizes(op: Any, static: tuple, inputs: tuple) -> Applied:
    """An Applied, told from a trace at symbolic sizes where there is one, or can be."""
    if isinstance(op, Formula):
        told = op.sized
        if told is not None and not told[0].takes(told[1], inputs):
            told = None
        return Applied(op, static, inputs, sized=told)
    kind, sizes = kind_of(op, static, inputs) or (None, ())
    if kind is None:
        return Applied(op, static, inputs)
    told = kind.find(sizes)
    if told is not None:
        return Applied(op, static, inputs, sized=told)
    found = Applied(op, static, inputs)
    patterns = kind.patterns(sizes)
    if patterns and kind.add(
        patterns, lambda p: awaited(lambda: traced_at_symbols(found, p, sizes), found.__str__)
    ):
        for known in kind.made_before:  # derivatives of these would not be those of the op at other sizes
            _applied.pop(known, None)
        kind.made_before.clear()
        return Applied(op, static, inputs, sized=kind.find(sizes))
    kind.see(sizes, (op, static, inputs))
    return found


def _derivative_at(
    of: Sized, half: Sized, mask: int, cts: int, at: tuple[int, ...]
) -> tuple[DerivedOp | None, None, tuple]:
    """The derivative of an op at sizes, as an op of its own, and its inputs."""
    op = apply_once(*of.op_at(at)).backward(mask, cts).op  # type: ignore[misc]
    return op, None, half.in_avals(at)


def forget() -> None:
    """Forgets all that was traced."""
    _applied.clear()
    sized.forget()
