"""One call, made in PyTorch and in functorch_lite: do both raise, or agree?

    call = Call("torch.add", (Arr.of([[1.0, 2.0]]), 3), {"alpha": 2})
    outcome = compare(call)
    outcome.kind      # one of KINDS below
    outcome.detail    # what differs, in words
    call.line()       # "torch.add(torch.tensor([[1.0, 2.0]]), 3, alpha=2)", which runs with either library as `torch`

A `Call` names its function as a path from the module (`torch.add`, `torch.nn.functional.relu`), or as a method of its
first argument (`Tensor.add_`, `Tensor.__getitem__`). Its arguments are plain Python values, nested in lists, tuples and
dicts, in which stand `Arr` for a tensor and `Name` for what each library has of its own (`Name("float32")` is
`torch.float32`). The same `Arr` object twice is the same tensor twice.

Any other object serves as a call that has `name`, `args`, `kwargs`, and `run(module, args, kwargs)` which makes it in a
library; the placeholders `T` of tests/samples are tensors as well, dtypes of ours and objects of a class `Named` are
names. `shapes` says which results (True: all) have values that are not determined.

`compare` looks at: whether and what is raised (ours must be an instance of a class that torch's `except` clauses catch:
torch's class or a subclass of it); the structure of results; dtype, shape and value of every tensor in them; which
results *are* an input; and what the inputs hold afterwards (after a raise: what they held before). `exclusions.py`
says, with reasons, where an answer of torch's is none, or ours is another on purpose. A generator of calls need not
care about any of this.

KINDS: `agree`, `both raise`, and, as differences, `differ`, `only torch raises`, `only ours raises`, `error type`,
`inputs changed`, `hang`; `excluded` is a difference with a reason; `torch failed` is an internal assertion in PyTorch,
or a hang.
"""

from __future__ import annotations

import contextlib
import functools
import signal
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

import functorch_lite as ours
from functorch_lite._core.lazy.apply import from_array, read
from functorch_lite._core.run.executor import force_array
from functorch_lite._core.words.dtypes import DTYPES
from tests.arguments import flat, replace
from tests.compare import Recorded, difference
from tests.samples.base import T
from tests.torch_side import recorded as torch_recorded

KINDS = (
    "agree", "both raise", "excluded", "torch failed", "differ", "only torch raises", "only ours raises", "error type",
    "inputs changed", "hang",
)  # fmt: skip
DIFFERENCES = KINDS[4:]
SECONDS = 30
"""After which a call counts as hung."""
NARROW = ("bfloat16", "float16")


class Arr:
    """A tensor argument: its values, and the name of its dtype. Equal arguments of a Call may be one tensor or two."""

    def __init__(self, array: np.ndarray, dtype: str | None = None):
        self.dtype = dtype or str(array.dtype)
        self.array = np.asarray(array).astype(DTYPES[self.dtype].np)

    @staticmethod
    def of(values: Any, dtype: str | None = None) -> Arr:
        """From nested lists of numbers; floats are float32."""
        array = np.asarray(values)
        return Arr(array, dtype or ("float32" if array.dtype == np.float64 else str(array.dtype)))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    def torch(self) -> torch.Tensor:
        if self.dtype in NARROW:
            wide = torch.from_numpy(np.array(self.array.astype(np.float32), order="C"))
            return wide.to(getattr(torch, self.dtype))
        made = torch.from_numpy(np.array(self.array, order="C"))
        # numpy's memory cannot be resized, and its strides of nothing are 0
        return made.clone() if made.numel() else torch.empty(self.array.shape, dtype=made.dtype)

    def ours(self) -> Any:
        return from_array(np.array(self.array, order="C"))

    def __repr__(self) -> str:
        if not self.array.size:
            return f"torch.zeros({self.shape}, dtype=torch.{self.dtype})"
        dtype = "" if self.dtype in ("float32", "int64", "bool") else f", dtype=torch.{self.dtype}"
        return f"torch.tensor({_literal(_shortest(self.array))}{dtype})"


class Name:
    """An attribute of the module, `torch.<name>`: a dtype, a memory format, a layout."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


@dataclass
class Call:
    """A call of the function at `target` with these arguments."""

    target: str
    args: tuple = ()
    kwargs: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The function's own name, without underscores at its end: under which differences are grouped."""
        short = self.target.rpartition(".")[2]
        return short if short.startswith("__") else short.rstrip("_") or short

    def line(self) -> str:
        """The call as Python, for either library as `torch`."""
        home, _, short = self.target.rpartition(".")
        parts = [_literal(a) for a in self.args] + [f"{k}={_literal(v)}" for k, v in self.kwargs.items()]
        if home != "Tensor" or not self.args:
            return f"{self.target.replace('Tensor.', 'torch.Tensor.')}({', '.join(parts)})"
        return f"{parts[0]}.{short}({', '.join(parts[1:])})"


@dataclass
class Outcome:
    """What became of a call; `detail` says what differs, or what was raised."""

    kind: str
    call: Call
    detail: str = ""

    @property
    def bad(self) -> bool:
        return self.kind in DIFFERENCES

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}\n    {line_of(self.call)}"


def line_of(call: Any) -> str:
    """The call as a line of Python, as far as it can say."""
    return call.line() if hasattr(call, "line") else repr(call)


class Hang(Exception):
    """Raised in a call that takes too long."""


@dataclass
class _Side:
    """One library's answer: what it returned or raised, and its input tensors."""

    result: Any
    error: BaseException | None
    inputs: list

    @property
    def said(self) -> str:
        """The exception's class and its first line."""
        text = str(self.error).strip().split("\n")[0]
        return f"{type(self.error).__name__}({text[:200]!r})"


def compare(call: Call) -> Outcome:
    """Makes the call in both libraries, each with fresh tensors, and classifies what they did."""
    from tests.fuzz import (  # noqa: F401  # add rules
        exclusions,
        exclusions_of_derivatives,
        exclusions_of_matrices,
        exclusions_of_refusals,
        exclusions_of_results,
        fatal,
    )

    if fatal.never_ends(call) or fatal.ends_the_process(call):
        return Outcome("torch failed", call, "never ends, or ends the process")
    if fatal.makes_gigabytes(call):
        return Outcome(
            "excluded", call, "an image of gigabytes: seconds, and the whole memory, in both libraries"
        )
    theirs = _run(call, torch, torch.Tensor, Arr.torch)
    if isinstance(theirs.error, Hang) or (theirs.error is not None and exclusions.torch_failed(theirs.error)):
        return Outcome("torch failed", call, theirs.said)
    mine = _run(call, ours, ours.Tensor, Arr.ours)
    kind, detail = _classify(call, theirs, mine)
    if kind in DIFFERENCES:
        reason = exclusions.reason(call, kind, theirs, mine)
        if reason:
            return Outcome("excluded", call, reason)
    return Outcome(kind, call, detail)


def resolve(target: str, module: Any, tensor: type) -> Callable:
    """The function of a path in one of the libraries; AttributeError when it has none."""
    first, *rest = target.split(".")
    home = tensor if first == "Tensor" else module
    for part in rest:
        home = getattr(home, part)
    return home


def exists(target: str) -> bool:
    """Whether both libraries have this function."""
    try:
        return callable(resolve(target, torch, torch.Tensor)) and callable(resolve(target, ours, ours.Tensor))
    except AttributeError:
        return False


def _run(call: Call, module: Any, tensor: type, build: Callable) -> _Side:
    made: dict[int, Any] = {}

    def convert(x: Any) -> Any:
        if isinstance(x, Arr | T):
            if id(x) not in made:
                made[id(x)] = build(x if isinstance(x, Arr) else Arr(x.array, x.dtype))
            return made[id(x)]
        return getattr(module, x.name) if type(x).__name__ in ("Name", "Named", "dtype") else x

    args, kwargs = replace([list(call.args), call.kwargs], convert)
    run = getattr(call, "run", None)
    fn = functools.partial(run, module, tuple(args)) if run else resolve(call.target, module, tensor)
    args, kwargs = ([kwargs], {}) if run else (args, kwargs)
    result = error = None
    with warnings.catch_warnings(), _limit(SECONDS):
        warnings.simplefilter("ignore")
        try:
            result = fn(*args, **kwargs)
            if module is ours:
                for x in flat(result):
                    if isinstance(x, ours.Tensor):
                        force_array(read(x))
        except Exception as e:
            error = e
    return _Side(result, error, list(made.values()))


@contextlib.contextmanager
def _limit(seconds: float):
    """Raises Hang in the block after so long, or later where the machine has other things to do."""
    began, looks = time.process_time(), 0

    def stop(*_):
        nonlocal looks
        looks += 1
        if time.process_time() - began > seconds / 2 or looks > 10:
            raise Hang(f"not done after {looks * seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _classify(call: Call, theirs: _Side, mine: _Side) -> tuple[str, str]:
    if isinstance(mine.error, Hang):
        return "hang", str(mine.error)
    if theirs.error is not None:
        changed = _changed_by_raising(call, theirs, mine) if mine.error is not None else None
        if changed:
            return "inputs changed", f"{changed}, by a call that raised {mine.said}"
        if mine.error is None:
            return "only torch raises", f"{theirs.said}; ours gave {_shown(mine.result)}"
        if not isinstance(mine.error, type(theirs.error)) and type(theirs.error).__name__ != "_LinAlgError":
            return "error type", f"{theirs.said}; ours raised {mine.said}"
        return "both raise", theirs.said
    if mine.error is not None:
        return "only ours raises", f"{mine.said}; torch gave {_shown(theirs.result)}"
    wrong = _results_differ(call, theirs, mine)
    return ("differ", wrong) if wrong else ("agree", "")


def _changed_by_raising(call: Call, theirs: _Side, mine: _Side) -> str | None:
    for i, (t, a) in enumerate(zip(mine.inputs, _arrays(call))):
        try:
            wrong = difference(recorded(t), _of(a), 0, 0.0, 0.0)
        except RuntimeError as e:
            return f"input {i} is lost: {e}"
        if wrong and _differ(t, theirs.inputs[i], theirs, mine, True):
            return f"input {i}: {wrong}"
    return None


def _results_differ(call: Call, theirs: _Side, mine: _Side) -> str | None:
    from tests.fuzz import exclusions

    wrong = _differ(mine.result, theirs.result, theirs, mine, exclusions.compares_values(call))
    if wrong:
        return wrong
    for i, (m, t) in enumerate(zip(mine.inputs, theirs.inputs)):
        wrong = _differ(m, t, theirs, mine, exclusions.compares_values(call))
        if wrong:
            return f"input {i} afterwards: {wrong}"
    return None


def _differ(m: Any, t: Any, theirs: _Side, mine: _Side, values: bool) -> str | None:
    if isinstance(t, torch.Tensor):
        if not isinstance(m, ours.Tensor):
            return f"a {type(m).__name__}, expected a Tensor"
        which = [[i for i, x in enumerate(s.inputs) if x is r] for s, r in ((theirs, t), (mine, m))]
        if which[0] != which[1]:
            return f"the result is input {which[1]}, expected {which[0]}"
        got, want = recorded(m), torch_recorded(t)
        if not values:
            got, want = (
                Recorded(np.zeros(got.array.shape), got.dtype),
                Recorded(np.zeros(want.array.shape), want.dtype),
            )
        rtol, atol = _tolerance(want.dtype)
        if want.dtype in NARROW and want.array.size:  # what cancels in a sum is rounded as its terms are
            finite = np.abs(want.array[np.isfinite(want.array)])
            atol = max(
                atol, {"bfloat16": 2**-8, "float16": 2**-11}[want.dtype] * float(finite.max(initial=0))
            )
        return difference(got, want, 0, rtol, atol)
    if isinstance(t, tuple | list):
        if not isinstance(m, tuple | list) or isinstance(m, list) != isinstance(t, list):
            return f"a {type(m).__name__}, expected a {type(t).__name__}"
        if len(m) != len(t):
            return f"{len(m)} results, expected {len(t)}"
        for i, (a, b) in enumerate(zip(m, t)):
            wrong = _differ(a, b, theirs, mine, values)
            if wrong:
                return f"[{i}]: {wrong}"
        return None
    if isinstance(t, torch.dtype | torch.memory_format | torch.layout | torch.device):
        return None if str(m) == str(t) else f"{m}, expected {t}"
    if isinstance(t, np.ndarray):
        return difference(Recorded(m, str(np.asarray(m).dtype)), Recorded(t, str(t.dtype)))
    if type(m) is not type(t):
        return f"a {type(m).__name__}, expected a {type(t).__name__}"
    if isinstance(t, bool | int | float | complex):
        kind = type(t).__name__
        return difference(Recorded(m, kind), Recorded(t, kind), 0, 1e-6, 1e-6) if values else None
    if isinstance(t, str):
        return None if m == t else f"{m!r}, expected {t!r}"
    return None


_TOLERANCES = MappingProxyType(
    {
        "float32": (5e-5, 1e-5),
        "complex64": (5e-5, 1e-5),
        "float64": (1e-7, 1e-8),
        "complex128": (1e-7, 1e-8),
        "bfloat16": (2e-2, 1e-3),
        "float16": (4e-3, 5e-4),
    }
)


def _tolerance(dtype: str) -> tuple[float, float]:
    """Wider than tests/compare.py for float32: fuzzed values are of every size."""
    return _TOLERANCES.get(dtype, (0.0, 0.0))


def recorded(t: Any) -> Recorded:
    """One of our tensors, in the form that comparisons take."""
    array, name = force_array(read(t)), t.dtype.name
    return Recorded(array.astype(np.float32) if name in NARROW else array, name)


def _of(a: Arr) -> Recorded:
    return Recorded(a.array.astype(np.float32) if a.dtype in NARROW else a.array, a.dtype)


def _arrays(call: Call) -> list[Arr]:
    """The tensors of a call, each once, in the order in which they are built."""
    found: dict[int, Arr] = {}

    def note(x: Any) -> Any:
        if isinstance(x, Arr | T):
            found.setdefault(id(x), x if isinstance(x, Arr) else Arr(x.array, x.dtype))
        return x

    replace([list(call.args), call.kwargs], note)
    return list(found.values())


def _shown(result: Any) -> str:
    parts = []
    for x in flat(result)[:3]:
        if isinstance(x, torch.Tensor) and (x.dtype is torch.complex32 or min(x.shape, default=0) < 0):
            parts.append(f"{x.dtype}{list(x.shape)}")  # numpy has neither
        elif isinstance(x, torch.Tensor):
            parts.append(f"{torch_recorded(x)} {_literal(x.detach().reshape(-1)[:6].tolist())}")
        elif isinstance(x, ours.Tensor):
            parts.append(f"{recorded(x)} {_literal(recorded(x).array.reshape(-1)[:6].tolist())}")
        else:
            parts.append(repr(x)[:80])
    return ", ".join(parts) or repr(result)


def _shortest(a: np.ndarray) -> Any:
    """`a.tolist()`, of floats in the fewest digits that give them back."""
    if a.dtype.kind in "biuc":
        return a.tolist()
    return float(str(a[()])) if a.ndim == 0 else [_shortest(part) for part in a]


def _literal(x: Any) -> str:
    """`repr`, in Python that evaluates: nan and inf are spelled out."""
    if isinstance(x, list):
        return f"[{', '.join(_literal(e) for e in x)}]"
    if isinstance(x, tuple):
        return f"({', '.join(_literal(e) for e in x)}{',' if len(x) == 1 else ''})"
    if isinstance(x, dict):
        return f"{{{', '.join(f'{k!r}: {_literal(v)}' for k, v in x.items())}}}"
    if isinstance(x, float) and not np.isfinite(x):
        return f"float('{x}')"
    if isinstance(x, complex) and not np.isfinite(x):
        return f"complex({_literal(x.real)}, {_literal(x.imag)})"
    return repr(x)
