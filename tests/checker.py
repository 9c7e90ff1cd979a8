"""The checker of ops: given an op and its samples, everything that must hold of them.

Against facts about torch (recorded or live): results, dtypes, which results require grad, gradients, second gradients,
exceptions. Among ourselves: gradient and second gradient == finite differences; func.vjp == backward, func.jvp ==
func.vjp; vmap == loop; method == function == out= == in-place; recorded == debug.eager(); dynamic numbers == literal
ones; the second identical call compiles nothing.

An XLA compile costs far more than anything else here, so a check does not read what it makes: it records tensors, and
returns what will compare them. All that is recorded for an op becomes one program, at the first comparison.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import functorch_lite as ours
import functorch_lite.nn.functional  # declares its ops
from functorch_lite._core.call import bind
from functorch_lite._core.declare.op import OPS, Op
from functorch_lite._core.lazy.apply import from_array, read
from functorch_lite._core.lazy.recorder import state
from functorch_lite._core.lazy.tensor import Tensor
from functorch_lite._core.run.executor import force_array
from functorch_lite._core.words.device import CPU, resolve
from functorch_lite._core.words.dtypes import DTYPES
from tests.arguments import fill, flat, placeholders, wants_grad
from tests.compare import SAME, Recorded, difference, direction, inner, same, without_phase
from tests.facts import Facts
from tests.samples.base import Sample, T
from tests.support.full import FULL

STEP = 1e-5
"""Of finite differences, relative to the size of what is changed."""
MAX_PENDING = 250
"""Ops recorded before a flush: programs beyond this are cut into chunks, which would be compiled one by one."""

MAX_DERIVATIVES = 100 if FULL else 1
"""For how many samples of an op, from the first to the last, derivatives are also compared among ourselves; with
torch's those of all."""

GPU_ROUNDING = 3e-7
"""Of a float32 quotient, relative: XLA for GPU does not round it as IEEE 754 says."""

Comparison = Callable[[], str | None]


def spread(count: int, most: int) -> list[int]:
    """At most `most` of the numbers below `count`, the first and, of several, the last among them."""
    if count <= most or most == 1:
        return list(range(min(count, most)))
    return [i * (count - 1) // (most - 1) for i in range(most)]


@dataclass
class Subject:
    """What is checked: a function on tensors, and the op it was derived from (None for one written by hand)."""

    name: str
    call: Callable
    op: Op | None = None

    @property
    def runs_on_host(self) -> bool:
        return self.op is not None and bool(self.op.host)


def subject(name: str) -> Subject:
    """The function that users call for an op: from its namespace, or for internal ops made for the occasion."""
    op = OPS.get(name)
    space, _, short = name.rpartition(".")
    if space == "create":
        call = bind.lookup("torch", short)
    else:
        call = bind.lookup(space or "torch", short)
        if call is None and not space:
            call = bind.lookup_method(short)
    if op is not None and (call is None or short in HIDDEN):
        call = bind.make_function(op, short)
    if call is None:
        raise LookupError(f"there is no function {name}")
    return Subject(name, call, op)


METHOD_DIFFERS = {"where"}
"""Ops whose method takes other arguments: x.where(condition, other)."""

NOT_DERIVED = {
    "nn.functional._batch_norm_train": (1, 2),
    "nn.functional._instance_norm_train": (1, 2),
    "linalg.lstsq": (3,),
}
"""Results that have no derivative though their dtype would allow one: running statistics, singular values never
computed."""

UP_TO_PHASE = {
    "linalg.eigh": {1: -2},
    "linalg.eig": {1: -2},
    "linalg.svd": {0: -2, 2: -1},
    "svd": {0: -2, 2: -2},
}
"""Results that are vectors, of which only the direction is determined: op -> result -> axis along which a vector
lies."""

SYMMETRIC = {
    "cholesky", "_cholesky_ex", "linalg.cholesky", "linalg.cholesky_ex", "linalg.eigh", "linalg.eigvalsh",
}  # fmt: skip
"""Ops that read one triangle of a matrix and whose derivative is that of a symmetric one: tried along symmetric
directions."""

HIDDEN = {"index", "index_put", "view", "slice"}
"""Ops whose public function has another signature: their samples are of the op."""


# -- tensors -----------------------------------------------------------------------------------------------------------


def array_of(t: T) -> np.ndarray:
    """A placeholder's array, in the dtype that its tensor has."""
    return np.array(t.array) if t.dtype is None else np.asarray(t.array).astype(DTYPES[t.dtype].np)


def tensors_of(arrays: list[np.ndarray], at: tuple[int, ...] | list[int] = ()) -> list[Tensor]:
    """Leaves of copies of these arrays on the default device; those at `at` require grad."""
    on = resolve(None)
    return [from_array(np.array(a), i in at, on) for i, a in enumerate(arrays)]


def recorded(t: Any) -> Recorded:
    """A tensor's value (or a plain value's)."""
    if not isinstance(t, Tensor):
        return Recorded(np.asarray(t), type(t).__name__)
    array = force_array(read(t))
    name = t.dtype.name
    narrow = name in ("bfloat16", "float16") or name.startswith("float8")
    return Recorded(array.astype(np.float32) if narrow else array, name)


def along(role: str, index: int, like: Tensor) -> Tensor:
    """The fixed direction of this role as a tensor like `like`."""
    numbers = direction(role, index, tuple(like.shape), like.dtype.is_complex)
    return from_array(numbers.astype(like.dtype.np), on=like.device)


def rooted(outs: list) -> list[Tensor]:
    """The results that require grad."""
    return [o for o in outs if isinstance(o, Tensor) and o.requires_grad]


def kept(s: Subject, outs: list) -> list:
    """The results that derivatives are taken of."""
    return [o.detach() if k in NOT_DERIVED.get(s.name, ()) else o for k, o in enumerate(outs)]


def run(call: Callable, sample: Sample, tensors: list[Tensor]) -> list:
    """The results of the call on these tensors, as a list."""
    args, kwargs = fill(sample, tensors)
    return flat(call(*args, **kwargs))


# -- against facts about torch -----------------------------------------------------------------------------------------


def check_error(s: Subject, sample: Sample, facts: Facts | None) -> Iterator[tuple[str, Comparison]]:
    """The exception's type and sentence are those of the sample, and of torch."""
    kind, sentence = sample.error  # type: ignore[misc]
    raised: tuple[str, str] | None = None
    try:
        for out in run(s.call, sample, tensors_of([array_of(t) for t in placeholders(sample)])):
            recorded(out)
    except Exception as error:
        raised = (type(error).__name__, str(error))

    def ours_raises() -> str | None:
        if raised is None:
            return f"raises nothing, expected {kind.__name__}: {sentence}"
        if raised[0] != kind.__name__ or sentence not in raised[1]:
            return f"raises {raised[0]}: {raised[1]}\n      expected {kind.__name__}: {sentence}"
        return None

    def torch_raises() -> str | None:
        if facts is None or facts.skip:
            return None
        if facts.error is None or facts.error[0] != kind.__name__ or sentence not in facts.error[1]:
            return f"the sample expects {kind.__name__}: {sentence}\n      torch: {facts.error}"
        return None

    yield "error", ours_raises
    yield "error of torch", torch_raises


class Derivatives:
    """Results, gradients along fixed cotangents, and second gradients, recorded once for one set of arrays."""

    def __init__(self, s: Subject, sample: Sample, arrays: list[np.ndarray], order: int):
        self.at = wants_grad(sample)
        self.tensors = tensors_of(arrays, self.at)
        self.outs = kept(s, run(s.call, sample, self.tensors))
        self.grads: list[Tensor | None] | None = None
        self.second: list[Tensor | None] | None = None
        self.cts: list[Tensor] = []
        roots = rooted(self.outs)
        if order == 0 or not self.at or not roots:
            return
        inputs = [self.tensors[i] for i in self.at]
        twice = order > 1
        self.cts = [along("ct", k, o).requires_grad_(twice) for k, o in enumerate(roots)]
        self.grads = list(ours.autograd.grad(roots, inputs, self.cts, create_graph=twice, allow_unused=True))
        if not twice:
            return
        has = [(k, g) for k, g in enumerate(self.grads) if g is not None and g.requires_grad]
        if has:
            us = [along("u", k, g) for k, g in has]
            self.second = list(
                ours.autograd.grad([g for _, g in has], [*inputs, *self.cts], us, allow_unused=True)
            )


def check_facts(s: Subject, sample: Sample, facts: Facts, d: Derivatives) -> Iterator[tuple[str, Comparison]]:
    """Results, gradients and second gradients are torch's."""

    def outputs() -> str | None:
        if len(d.outs) != len(facts.outputs or []) and s.name not in NOT_DERIVED:
            return f"{len(d.outs)} results, expected {len(facts.outputs or [])}"
        axes = UP_TO_PHASE.get(s.name, {})
        rtol = GPU_ROUNDING if sample.rtol == 0 and resolve(None) is not CPU else sample.rtol
        return _first(
            difference(
                without_phase(recorded(o), axes.get(k)),
                without_phase(f, axes.get(k)),
                0,
                rtol,
                sample.atol,
            )
            for k, (o, f) in enumerate(zip(d.outs, facts.outputs or []))
        )

    yield "value", outputs
    flags = [isinstance(o, Tensor) and o.requires_grad for o in d.outs]
    if flags[: len(facts.requires_grad or [])] != facts.requires_grad:
        yield "requires_grad", lambda: f"results require grad: {flags}, expected {facts.requires_grad}"
        return
    if facts.grads is not None:
        yield (
            "gradient",
            lambda: _same_gradients(d.grads, facts.grads, [d.tensors[i] for i in d.at], 1, sample),
        )
    if sample.gradgrad and facts.grads is not None:
        inputs = [*[d.tensors[i] for i in d.at], *d.cts]
        yield "second gradient", lambda: _same_gradients(d.second, facts.second, inputs, 2, sample)


def _same_gradients(got, want, inputs: list[Tensor], order: int, sample: Sample) -> str | None:
    """Lists of gradients are equal; an absent one equals zeros."""
    for k, x in enumerate(inputs):
        zeros = Recorded(
            np.zeros(x.shape, np.float32 if x.dtype.name == "bfloat16" else x.dtype.np), x.dtype.name
        )
        g = zeros if got is None or got[k] is None else recorded(got[k])
        f = zeros if want is None or want[k] is None else want[k]
        wrong = difference(g, f, order, sample.rtol, sample.atol)
        if wrong:
            return f"of input {k}: {wrong}"
    return None


def _first(differences: Iterator[str | None]) -> str | None:
    for i, wrong in enumerate(differences):
        if wrong:
            return f"result {i}: {wrong}"
    return None


# -- among ourselves ---------------------------------------------------------------------------------------------------


def widened(sample: Sample) -> list[np.ndarray]:
    """The sample's arrays with floating point numbers in double precision."""
    wide = {"f": np.float64, "c": np.complex128}
    return [
        np.asarray(t.array).astype(wide.get(t.array.dtype.kind, t.array.dtype)) for t in placeholders(sample)
    ]


def check_differences(
    s: Subject, sample: Sample, d: Derivatives, arrays: list[np.ndarray]
) -> Iterator[tuple[str, Comparison]]:
    """Gradients along a direction equal finite differences; skipped where one-sided differences show a kink or a jump.

    d: of `arrays`, which are in double precision.
    """
    if d.grads is None:
        return
    steps = {}
    for i in d.at:
        a = arrays[i]
        size = np.maximum(np.abs(a), 0.1)
        steps[i] = direction("d", i, a.shape, a.dtype.kind == "c") * np.where(np.isfinite(size), size, 0.0)
        if s.name in SYMMETRIC or sample.kwargs.get("hermitian"):
            steps[i] = (steps[i] + np.conj(np.swapaxes(steps[i], -1, -2))) / 2
    moved = []
    for sign in (1, -1):
        there = [a + sign * STEP * steps[i] if i in steps else a for i, a in enumerate(arrays)]
        moved.append(Derivatives(s, sample, there, 1 if sample.gradgrad else 0))

    def loss(at: Derivatives) -> list[tuple[np.ndarray, np.ndarray]]:
        with_grad = [o for o, here in zip(at.outs, d.outs) if isinstance(here, Tensor) and here.requires_grad]
        return [(recorded(c).array, recorded(o).array) for c, o in zip(d.cts, with_grad)]

    def loss_of_gradient(at: Derivatives) -> list[tuple[np.ndarray, np.ndarray]]:
        return [
            (recorded(along("u", k, g)).array, recorded(g).array)
            for k, g in enumerate(at.grads or [])
            if g is not None
        ]

    def compare(gradients, terms: Callable[[Derivatives], list]) -> str | None:
        with np.errstate(all="ignore"):
            slope = sum(inner(recorded(g).array, steps[i]) for i, g in zip(d.at, gradients) if g is not None)
            up, down = [sum(inner(w, x) for w, x in terms(at)) for at in moved]
            size = sum(float(np.sum(np.abs(w * x))) for w, x in terms(moved[0]))
            noise = 1e-14 * max(size, 1.0) / STEP
            kink = any(
                _has_kink(a, b, c)
                for (_, a), (_, b), (_, c) in zip(terms(moved[0]), terms(d), terms(moved[1]))
            )
            jump = abs(up - down) > 2e-3 * size and abs(up - down) > 1e-3
        if kink or jump or not np.isfinite(slope):
            return None
        central = (up - down) / (2 * STEP)
        if abs(slope - central) <= 2e-4 * max(abs(slope), abs(central)) + 1e-6 + noise:
            return None
        return f"{slope:.9g} along a direction, finite differences give {central:.9g}"

    yield "gradient by differences", lambda: compare(d.grads, loss)
    if sample.gradgrad:
        if d.second is None:
            nothing: list = [None] * len(d.at)
            yield "second gradient by differences", lambda: compare(nothing, loss_of_gradient)
        else:
            yield "second gradient by differences", lambda: compare(d.second, loss_of_gradient)


def check_transforms(s: Subject, sample: Sample, d: Derivatives) -> Iterator[tuple[str, Comparison]]:
    """func.vjp gives the result and the gradients of backward; func.jvp is its transpose."""
    if d.grads is None:
        return
    plain = [t.detach() for t in d.tensors]
    primals = [plain[i] for i in d.at]

    def f(*moving):
        full = list(plain)
        for i, t in zip(d.at, moving):
            full[i] = t
        return tuple(smooth(kept(s, run(s.call, sample, full))))

    def smooth(outs: list) -> list:  # func.vjp refuses functions that return integers
        return [o for o in outs if o.dtype.is_floating_point or o.dtype.is_complex]

    it, smooth_outs = iter(d.cts), smooth(d.outs)
    cts = tuple([next(it).detach() if o.requires_grad else ours.zeros_like(o) for o in smooth_outs])
    outs, pull = ours.func.vjp(f, *primals)
    pulled = pull(cts)
    tangents = tuple([along("d", i, d.tensors[i]) for i in d.at])
    _, pushed = ours.func.jvp(f, tuple(primals), tangents)

    def gradients() -> str | None:
        for k, (g, p) in enumerate(zip(d.grads or [], pulled)):
            g = ours.zeros_like(p) if g is None else g
            wrong = same(recorded(p), recorded(g))
            if wrong:
                return f"of input {k}: func.vjp: {wrong} (by backward)"
        return None

    def transposed() -> str | None:
        with np.errstate(all="ignore"):
            a = sum(
                inner(recorded(c).array, recorded(t).array)
                for c, t, o in zip(cts, pushed, smooth_outs)
                if o.requires_grad
            )
            b = sum(inner(recorded(p).array, recorded(t).array) for p, t in zip(pulled, tangents))
        # the two sides may cancel: what counts is their distance next to the size of the terms
        size = sum(float(np.sum(np.abs(recorded(p).array))) for p in pulled) + 1.0
        close = max([1e-9, *[SAME.get(o.dtype.name, 0.0) for o in d.outs if o.requires_grad]])
        if not np.isfinite(a) or not np.isfinite(b) or abs(a - b) <= close * size:
            return None
        return f"<ct, jvp(d)> is {a:.12g} and <vjp(ct), d> {b:.12g}"

    yield (
        "value in func.vjp",
        lambda: _first(same(recorded(o), recorded(v)) for o, v in zip(outs, smooth_outs)),
    )
    yield "func.vjp == backward", gradients
    yield "jvp == vjp", transposed


def check_vmap(
    s: Subject, sample: Sample, arrays: list[np.ndarray], outs: list
) -> Iterator[tuple[str, Comparison]]:
    """vmap over two examples equals two calls; the second example is the first one reversed, where that is allowed."""
    if not sample.vmap or not arrays or (s.op is not None and s.op.host is True):
        return
    flipped = [np.flip(a) for a in arrays]
    try:
        second = run(s.call, sample, tensors_of(flipped))
        if [o.shape for o in second] != [o.shape for o in outs]:
            raise ValueError
        if any(
            a.dtype.kind in "iu" for a in arrays
        ):  # an error that depends on values is raised when one is read
            [recorded(o) for o in second]
    except Exception:
        flipped, second = arrays, outs
    stacked = tensors_of([np.stack([a, b]) for a, b in zip(arrays, flipped)])
    mapped = ours.vmap(lambda *ts: tuple(run(s.call, sample, list(ts))))(*stacked)
    axes = UP_TO_PHASE.get(s.name, {})

    def equal(parts: list, loop: list) -> str | None:
        pairs = [
            [without_phase(recorded(x), axes.get(i)) for x in xy] for i, xy in enumerate(zip(parts, loop))
        ]
        return _first(same(x, y) for x, y in pairs)

    for k in range(2):
        yield f"vmap == loop, example {k}", partial(equal, [m[k] for m in mapped], (outs, second)[k])


def check_variants(
    s: Subject, sample: Sample, arrays: list[np.ndarray], outs: list
) -> Iterator[tuple[str, Comparison]]:
    """The method, the in-place function and method, and out= give what the function gives."""
    op = s.op
    if op is None:
        return
    short = op.name.rsplit(".", 1)[-1]

    def equal(label: str, results: list) -> tuple[str, Comparison]:
        return label, lambda: _first(same(recorded(a), recorded(b)) for a, b in zip(results, outs))

    first_is_tensor = bool(sample.args) and isinstance(sample.args[0], T)
    if op.method and first_is_tensor and short not in HIDDEN | METHOD_DIFFERS:
        name = op.method if isinstance(op.method, str) else short
        method = bind.lookup_method(name)
        if method is None:
            yield "method", lambda: f"Tensor.{name} does not exist"
        else:
            yield equal(f"method {name}", run(method, sample, tensors_of(arrays)))
    if op.inplace and first_is_tensor and outs[0].shape == arrays[0].shape:
        bare = Sample(*sample.args, **{k: v for k, v in sample.kwargs.items() if k != "inplace"})
        castable = ours.can_cast(outs[0].dtype, tensors_of(arrays[:1])[0].dtype)
        castable &= short != "abs" or arrays[0].dtype.kind != "c"  # which torch refuses
        for label, fn in _inplace_functions(op, short):
            if fn is None:
                yield label, lambda label=label: f"{label} does not exist"
            elif castable:
                tensors = tensors_of(arrays)
                before = tensors[0]
                (result,) = run(fn, bare, tensors)
                if result is not before:
                    yield label, lambda: "does not return its first argument"
                kind = before.dtype
                expected = outs[0] if outs[0].dtype is kind else outs[0].to(kind)
                yield label, lambda a=before, b=expected: same(recorded(a), recorded(b))
    if (
        op.out
        and not op.is_view
        and op.namespace != "Tensor"
        and op.name.split(".")[0] not in ("create", "nn")
        and _takes_out(short, sample)
    ):
        targets = [ours.zeros(o.shape, dtype=o.dtype) for o in outs]
        out = targets[0] if len(targets) == 1 else tuple(targets)
        args, kwargs = fill(sample, tensors_of(arrays))
        s.call(*args, **kwargs, out=out)
        yield equal("out=", targets)


_OUT_ALONG_A_DIM = ("sum", "prod", "median", "nanmedian")
_OUT_OF_TENSORS = (
    "where",
    "remainder",
    "bucketize",
    *(f"bitwise_{n}" for n in ("and", "or", "xor", "left_shift", "right_shift")),
)


def _takes_out(short: str, sample: Sample) -> bool:
    """Whether the overload of torch that a sample is for has `out=`."""
    if short == "argsort":
        return "stable" in sample.kwargs
    if short in _OUT_ALONG_A_DIM:
        return len(sample.args) > 1 or "dim" in sample.kwargs
    if short in ("var", "std") and isinstance((*sample.args[1:2], sample.kwargs.get("unbiased"))[0], bool):
        return False  # that of `unbiased` alone
    first = sample.args if short == "where" else sample.args[:1]
    return short not in _OUT_OF_TENSORS or all(isinstance(a, T) for a in first)


def _inplace_functions(op: Op, short: str) -> Iterator[tuple[str, Callable | None]]:
    space = "torch" if op.namespace == "Tensor" else op.namespace
    if op.namespace != "Tensor" and space in ("torch", "nn.functional"):
        yield f"function {short}_", bind.lookup(space, f"{short}_")
    if op.method:
        yield f"method {short}_", bind.lookup_method(f"{short}_")


def check_reruns(
    s: Subject, sample: Sample, arrays: list[np.ndarray], outs: list
) -> Iterator[tuple[str, Comparison]]:
    """debug.eager() gives the same; a second identical call compiles nothing; so do numbers that changed in between."""
    if s.runs_on_host:
        return

    def eager() -> str | None:
        with ours.debug.eager():
            results = run(s.call, sample, tensors_of(arrays))
        wrong = _first(same(recorded(a), recorded(b)) for a, b in zip(results, outs))
        if wrong:
            return wrong
        before = ours.debug.stats()["programs"]
        with ours.debug.eager():
            [recorded(o) for o in run(s.call, sample, tensors_of(arrays))]
        made = ours.debug.stats()["programs"] - before
        return f"the second identical call compiles {made} programs" if made else None

    def numbers() -> str | None:
        other = Sample(
            *_changed(sample.args), **dict(zip(sample.kwargs, _changed(tuple(sample.kwargs.values()))))
        )
        if (other.args, other.kwargs) == (sample.args, sample.kwargs):
            return None
        ours.synchronize()
        try:
            run(
                s.call, other, tensors_of(arrays)
            )  # not read, hence not run: a second number was seen at this place
        except Exception:
            return None
        ours.synchronize()
        results = run(s.call, sample, tensors_of(arrays))
        return _first(same(recorded(a), recorded(b)) for a, b in zip(results, outs))

    yield "eager == recorded", eager
    yield "dynamic numbers == literals", numbers


def _changed(values: tuple) -> tuple:
    """Floats a little larger: numbers of which an op may not make a program for each."""
    return tuple([v * 1.125 + 0.0625 if type(v) is float and np.isfinite(v) else v for v in values])


def _has_kink(up: np.ndarray, here: np.ndarray, down: np.ndarray) -> bool:
    """Whether one-sided differences of some element disagree."""
    forward, backward = np.abs(up - here) / STEP, np.abs(here - down) / STEP
    apart = np.abs(up - 2 * here + down) / STEP
    noise = 1e-14 * np.maximum(np.abs(here), 1.0) / STEP
    return bool(np.any(~(apart <= 1e-2 * (forward + backward) + 1e-3 + noise)))


# -- all together ------------------------------------------------------------------------------------------------------


@dataclass
class Failure:
    """A check of a sample that failed, and why."""

    name: str
    number: int
    check: str
    why: str

    def __str__(self) -> str:
        return f"{self.name}[{self.number}] {self.check}: {self.why}"


def checks_of(
    s: Subject, sample: Sample, facts: Facts | None, itself: bool, reruns: bool
) -> Iterator[tuple[str, Comparison]]:
    """The checks of a sample, but for `checks_of_derivatives`: recorded here, compared when called.

    itself: also check us against ourselves, not only against facts; what is costly only where `reruns` says so.
    """
    if sample.error is not None:
        yield from check_error(s, sample, facts)
        return
    arrays = [array_of(t) for t in placeholders(sample)]
    d = Derivatives(s, sample, arrays, 2 if sample.gradgrad else 1)
    if facts is not None and not facts.skip:
        yield from check_facts(s, sample, facts, d)
    if not itself:
        return
    plain = [o.detach() if isinstance(o, Tensor) else o for o in d.outs]
    yield from check_vmap(s, sample, arrays, plain)
    yield from check_variants(s, sample, arrays, plain)
    if reruns:
        yield from check_reruns(s, sample, arrays, plain)


def checks_of_derivatives(s: Subject, sample: Sample) -> Iterator[tuple[str, Comparison]]:
    """The checks of a sample's derivatives against differences and transforms, in double precision."""
    wide = widened(sample)
    d = Derivatives(s, sample, wide, 2 if sample.gradgrad else 1)
    if sample.differences:
        yield from check_differences(s, sample, d, wide)
    yield from check_transforms(s, sample, d)


def check(
    s: Subject, samples: list[Sample], facts: list[Facts | None], itself: bool = True, by_numpy: bool = False
) -> list[Failure]:
    """The checks of a subject's samples that fail. Everything is recorded first and computed in few programs.

    by_numpy: programs compute the first sample that runs and the first that has derivatives, with all that is derived
    from them but differences and transforms; NumPy computes the rest, wherever it can.
    """
    runs = [i for i, sample in enumerate(samples) if sample.error is None]
    smooth = [
        i for i in runs if wants_grad(samples[i]) and not any(t.dtype for t in placeholders(samples[i]))
    ]

    def one(i: int) -> Checks:
        return i, checks_of(s, samples[i], facts[i], itself, [i] == runs[:1])

    chosen = [smooth[k] for k in spread(len(smooth), MAX_DERIVATIVES)] if itself else []
    derivatives = [(i, checks_of_derivatives(s, samples[i])) for i in chosen]
    if not by_numpy:
        return _failures(s, [*map(one, range(len(samples))), *derivatives])
    compiled = {*runs[:1], *smooth[:1]}
    found = _failures(s, map(one, sorted(compiled)))
    with ours.debug.tier("cold"):
        others = [one(i) for i in range(len(samples)) if i not in compiled]
        # one by one: where it has no rule, what was recorded with it would be compiled as well
        return [*found, *_failures(s, [*others, *derivatives], 0)]


Checks = tuple[int, Iterator[tuple[str, Comparison]]]
"""A sample's number, and checks of it."""


def _failures(s: Subject, groups: Iterable[Checks], pending: int = MAX_PENDING) -> list[Failure]:
    """Those that fail of these checks, which are recorded first, up to so many ops; a crash of a sample is told
    once."""
    failures: list[Failure] = []
    crashed: set[int] = set()
    waiting: list[tuple[int, str, Comparison]] = []

    def compare() -> None:
        for i, label, comparison in waiting:
            try:
                wrong = comparison()
            except Exception as error:
                wrong = _crash(error)
            if wrong:
                failures.append(Failure(s.name, i, label, wrong))
        waiting.clear()

    for i, checks in groups:
        label = "value"
        try:
            for label, comparison in checks:
                waiting.append((i, label, comparison))
        except Exception as error:
            if i not in crashed:
                failures.append(Failure(s.name, i, f"after {label}", _crash(error)))
            crashed.add(i)
        if len(state.rec.path) > pending:
            compare()
    compare()
    return failures


def _crash(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {str(error)[:400]} ({last.filename.rsplit('/', 1)[-1]}:{last.lineno})"
