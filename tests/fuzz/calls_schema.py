"""Calls of whatever `torch` and `Tensor` have, with arguments drawn from the signatures that PyTorch knows of its
functions.

A signature gives kinds and names of parameters. Most arguments fit, as their names say (`dim` is a dimension of the
first tensor, `index` is in range); then the call is spoiled in one way, or not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st

from functorch_lite._core.call import bind
from tests.fuzz.mutation import cast
from tests.fuzz.outcome import Arr, Call, Name, exists

SHAPES = (
    (),
    (1,),
    (3,),
    (0,),
    (2, 3),
    (2, 3),
    (3, 3),
    (3, 1),
    (1, 3),
    (2, 0),
    (2, 1, 3),
    (2, 3, 3),
    (3, 3, 3),
)
DTYPES = 12 * ("float32",) + 5 * ("int64",) + 3 * ("bool",) + 2 * ("float64", "int32", "uint8", "complex64")
DTYPES += ("float16", "bfloat16", "int8", "int16", "complex128")
SCALARS = (0, 1, 2, 3, -1, 1, 2, 0.5, -1.5, 2.0, True, False, float("nan"), float("inf"), 1e10, 2**40, 1 + 2j)
INTS = (0, 1, 2, 3, -1, -2, 1, 2, 5, 100)
WORDS = (
    "mean",
    "sum",
    "floor",
    "trunc",
    "linear",
    "prod",
    "amax",
    "amin",
    "ij",
    "xy",
    "fro",
    "left",
    "right",
    "bogus",
)
WRONG = (
    None,
    "x",
    1.5,
    2,
    True,
    (),
    (1,),
    [2, 1],
    1j,
    [],
    [None],
    ("a",),
    {},
    float("nan"),
    2**70,
    -(2**63),
    np.float64(1.5),
)
SKIPPED_TYPES = (
    "Generator?",
    "Device?",
    "Layout?",
    "MemoryFormat?",
    "Device",
    "Dimname",
    "Dimname?",
    "Storage",
    "Stream",
)
SKIPPED = re.compile(
    r"^(_.*|.*(cudnn|miopen|mkldnn|quantize|fbgemm|sparse|sym_|qscheme|xnnpack|dense_dim|jagged|nested|names?_?$).*|"
    r"fake_.*|q_.*|crow_indices|ccol_indices|col_indices|row_indices|values|coalesce|is_coalesced|ctc_loss|lstm.*|gru.*|rnn_.*|"
    r"conv.*|.*_pool.*|.*_norm|dropout.*|feature_.*|alpha_.*|embedding.*|set_|set_data|get_device|share_memory_|index_put_impl|"
    r"record_stream|retain_grad|backward|storage.*|data_ptr|data|hash_tensor|is_pinned|pin_memory|to_.*|cuda|item|tolist|new|"
    r"Generator|Size|manual_seed|is_distributed|stft|istft|rrelu.*|.*_loss|affine_grid.*|grid_sampler.*|pdist|cdist|native_.*|combinations|cartesian_prod)$"
)
"""Families with generators of their own, what needs other devices or layouts, and what would allocate much."""


@dataclass(frozen=True)
class Param:
    """One parameter of a signature."""

    type: str
    name: str
    default: bool
    keyword_only: bool


@cache
def signatures() -> dict[str, list[tuple[Param, ...]]]:
    """Path -> the signatures of what PyTorch has there."""
    found: dict[str, list[tuple[Param, ...]]] = {}
    for name in sorted(bind.names("torch") | bind.method_names()):
        if SKIPPED.match(name):
            continue
        known = [_parsed(str(s)) for s in torch._C._jit_get_schemas_for_operator(f"aten::{name}")]
        known = [
            s
            for s in known
            if s is not None and s and s[0].type.startswith(("Tensor", "int", "SymInt", "Scalar"))
        ]
        for path in (f"torch.{name}", f"Tensor.{name}"):
            here = [s for s in known if path.startswith("torch") or s[0].type.startswith("Tensor")]
            if here and exists(path):
                found[path] = here
    return found


def _parsed(schema: str) -> tuple[Param, ...] | None:
    inside, _, _ = schema.partition("(")[2].rpartition(" -> ")
    inside = re.sub(r"Tensor\([a-z!*]+(?: -> \*)?\)", "Tensor", inside.rsplit(")", 1)[0])
    params, keyword_only = [], False
    for part in _split(inside):
        if part == "*":
            keyword_only = True
            continue
        kind, _, rest = part.partition(" ")
        name, has_default, _ = rest.partition("=")
        if kind in SKIPPED_TYPES or name == "out" or (keyword_only and name in ("layout", "pin_memory")):
            if not has_default:
                return None
            continue
        if kind in ("t", "str[]", "Tensor[][]") or kind.startswith(("Dict", "t[")) or "Dimname" in kind:
            return None
        params.append(Param(kind, "input" if name == "self" else name, bool(has_default), keyword_only))
    return tuple(params)


def _split(text: str) -> list[str]:
    parts, depth, at = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and not depth:
            parts.append(text[at:i].strip())
            at = i + 1
    return [p for p in [*parts, text[at:].strip()] if p]


@st.composite
def calls(draw) -> Call:
    """A call along a signature."""
    path = draw(st.sampled_from(sorted(signatures())))
    rng = Random(draw(st.integers(0, 2**48)))
    return call_of(rng, path, rng.choice(signatures()[path]))


def call_of(rng: Random, path: str, signature: tuple[Param, ...]) -> Call:
    """A call of `path` along `signature`, fitting in most places."""
    draw = _Drawing(rng)
    args: list = []
    kwargs: dict[str, Any] = {}
    by_name = False
    for i, p in enumerate(signature):
        if p.default and rng.random() < 0.55:
            by_name = True
            continue
        value = draw.argument(p)
        by_name = (
            by_name or p.keyword_only or (rng.random() < 0.1 and not (i == 0 and path.startswith("Tensor")))
        )
        if by_name:
            kwargs[p.name] = value
        else:
            args.append(value)
    if rng.random() < 0.3:
        _spoil(rng, args, kwargs, path.startswith("Tensor"))
    elif path.startswith("torch.") and not path.endswith("_") and rng.random() < 0.08:
        kwargs["out"] = tensor(rng, rng.choice(((0,), (0,), draw.shape)), rng.choice(DTYPES))
    return Call(path, tuple(args), kwargs)


class _Drawing:
    """Draws arguments that go together: the first tensor's shape and dtype bind those that follow."""

    def __init__(self, rng: Random):
        self.rng = rng
        self.shape = rng.choice(SHAPES)
        self.dtype = rng.choice(DTYPES)
        self.first = True

    def argument(self, p: Param) -> Any:
        rng = self.rng
        kind = re.sub(r"\d+", "", p.type)
        if kind.endswith("?"):
            if rng.random() < 0.3:
                return None
            kind = kind[:-1]
        if kind == "Tensor":
            return self.tensor(p.name)
        if kind in ("Tensor[]", "Tensor?[]"):
            return [self.tensor(p.name) for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3)))]
        if kind in ("int[]", "SymInt[]"):
            return self.ints(p.name)
        if kind in ("int", "SymInt"):
            return self.int(p.name)
        if kind in ("Scalar", "number", "complex"):
            return rng.choice(SCALARS)
        if kind == "float":
            return rng.choice((0.0, 1.0, 0.5, 2.0, -1.0, 0.9, float("nan"), float("inf"), 1, 2))
        if kind in ("float[]", "Scalar[]", "bool[]"):
            return [rng.choice((0.0, 1.0, 0.5)) for _ in range(rng.randrange(3))]
        if kind == "bool":
            return rng.random() < 0.6
        if kind == "ScalarType":
            return Name(rng.choice(DTYPES))
        return rng.choice(WORDS)

    def tensor(self, name: str) -> Arr:
        rng = self.rng
        if self.first:
            self.first = False
            return tensor(rng, self.shape, self.dtype)
        shape = self.shape if rng.random() < 0.6 else related(rng, self.shape)
        if rng.random() < 0.08:
            shape = rng.choice(SHAPES)
        if name in ("index", "indices", "sorted_sequence", "repeats", "batch1") and rng.random() < 0.9:
            shape = shape if rng.random() < 0.5 else rng.choice(((2,), (1,), (3,), ()))
            bound = min((n for n in self.shape if n), default=1)
            return Arr(
                np.array([rng.randrange(bound) for _ in range(int(np.prod(shape)))], np.int64).reshape(shape)
            )
        if name in ("mask", "condition") and rng.random() < 0.85:
            return tensor(rng, shape, "bool")
        return tensor(rng, shape, self.dtype if rng.random() < 0.7 else rng.choice(DTYPES))

    def int(self, name: str) -> int:
        rng, ndim = self.rng, len(self.shape)
        if name.startswith(("dim", "axis")) or name.endswith("dim"):
            return rng.randint(-ndim, max(ndim - 1, 0)) if rng.random() < 0.85 else rng.randint(-4, 4)
        return rng.choice(INTS)

    def ints(self, name: str) -> Any:
        rng, ndim = self.rng, len(self.shape)
        if name in ("size", "shape", "repeats", "dims") or name.endswith("size"):
            if rng.random() < 0.4:
                return tuple(rng.sample(self.shape, ndim))
            return tuple(rng.choice((1, 2, 3, 3, 0, -1)) for _ in range(rng.choice((0, 1, 2, 3))))
        if rng.random() < 0.1:
            return self.int(name)
        many = rng.choice((0, 1, 1, 2, 2, 3))
        if rng.random() < 0.8 and ndim:
            dims = rng.sample(range(ndim), min(many, ndim))
            return [d - ndim if rng.random() < 0.3 else d for d in dims]
        return [rng.randint(-4, 3) for _ in range(many)]


def related(rng: Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts with `shape`."""
    cut = shape[rng.randint(0, len(shape)) :]
    return tuple(1 if rng.random() < 0.3 else n for n in cut)


def tensor(rng: Random, shape: tuple[int, ...], dtype: str) -> Arr:
    n = int(np.prod(shape))
    numbers = [round(rng.uniform(-3, 3), 1) for _ in range(n)]
    if n and rng.random() < 0.15:
        numbers[rng.randrange(n)] = rng.choice(
            (float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1e4, 1e20)
        )
    if dtype == "bool":
        return Arr(np.array([x > 0 for x in numbers], np.bool_).reshape(shape))
    array, narrow = cast(np.array(numbers, np.float64).reshape(shape), dtype)
    if dtype.startswith("complex") and n:
        array = array + 1j * np.array([rng.randint(-2, 2) for _ in range(n)]).reshape(shape)
        array = array.astype(dtype)
    return Arr(array, narrow)


def _spoil(rng: Random, args: list, kwargs: dict, method: bool) -> None:
    """One thing is made wrong, or odd."""
    what = rng.randrange(7)
    places: list = [*range(int(method), len(args)), *kwargs]
    if what == 0 and len(args) > method:
        args.pop()
    elif what == 1:
        args.append(rng.choice(WRONG))
    elif what == 2:
        kwargs[rng.choice(("bogus", "dim", "dtype", "keepdim", "other"))] = rng.choice(
            (1, None, Name("float64"), True)
        )
    elif places:
        at = rng.choice(places)
        old = args[at] if isinstance(at, int) else kwargs[at]
        new = _odd(rng, old)
        if isinstance(at, int):
            args[at] = new
        else:
            kwargs[at] = new


def _odd(rng: Random, old: Any) -> Any:
    r = rng.random()
    if isinstance(old, Arr) and r < 0.7:
        return tensor(rng, rng.choice(SHAPES), rng.choice(DTYPES))
    if isinstance(old, int) and not isinstance(old, bool) and r < 0.5:
        return rng.choice(
            (old + 1, -old - 1, 7, -7, 2**40, Arr(np.array(old)), np.int64(old), float(old), True)
        )
    if isinstance(old, tuple | list) and old and r < 0.5:
        return rng.choice((list(old), [*old, old[-1]], tuple(old[:-1]), [old], old[0]))
    return rng.choice(WRONG)
