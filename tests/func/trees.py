"""Random calls of the transforms on random trees, written once for both libraries: `call(lib, seed)` makes one and
gives what came out.

Arguments and results are trees of every kind of container; in_dims, out_dims, argnums, has_aux and chunk_size are
random, mostly as they should be, now and then not. What comes out is told as plain data: structure, dtypes and values,
or the error.
"""

from __future__ import annotations

import dataclasses
import random
import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

Pair = namedtuple("Pair", "first second")


@dataclasses.dataclass
class State:
    """A registered dataclass."""

    weight: Any
    bias: Any


class Box:
    """A registered class with something in it that is no child."""

    def __init__(self, items, label):
        self.items = list(items)
        self.label = label

    def __repr__(self):
        return f"Box({self.items}, {self.label})"


def register(lib: Any) -> Any:
    """Registers this file's classes with a library; returns the library."""
    pytree = lib.utils._pytree
    if not pytree.tree_flatten(Box([], ""))[0]:
        return lib
    pytree.register_pytree_node(Box, lambda b: (b.items, b.label), Box)
    pytree.register_dataclass(State)
    return lib


def children(x: Any) -> list | None:
    """What a container holds, in order; None for a leaf."""
    if isinstance(x, State):
        return [c for c in (x.weight, x.bias) if c is not None]
    if isinstance(x, Box):
        return x.items
    if isinstance(x, dict):
        return list(x.values())
    return list(x) if isinstance(x, tuple | list | deque) else None


def rebuilt(like: Any, items: list) -> Any:
    """A container like another one with other children."""
    if isinstance(like, State):
        it = iter(items)
        return State(*[None if c is None else next(it) for c in (like.weight, like.bias)])
    if isinstance(like, Box):
        return Box(items, like.label)
    if isinstance(like, defaultdict):
        return defaultdict(like.default_factory, zip(like, items))
    if isinstance(like, dict):
        return type(like)(zip(like, items))
    if isinstance(like, Pair):
        return Pair(*items)
    if isinstance(like, deque):
        return deque(items, like.maxlen)
    return type(like)(items)


def mapped(f: Callable, x: Any) -> Any:
    """f of every leaf, in the same containers."""
    inner = children(x)
    return f(x) if inner is None else rebuilt(x, [mapped(f, c) for c in inner])


def leaves(x: Any) -> list:
    """Every leaf, in order."""
    out: list = []
    mapped(out.append, x)
    return out


# -- random trees ----------------------------------------------------------------------------------------------------


def tree(rng: random.Random, leaf: Callable[[], Any], depth: int = 2) -> Any:
    """A random tree with `leaf()` at its leaves."""
    if depth == 0 or rng.random() < 0.45:
        return leaf()
    kind = rng.choice(["list", "tuple", "dict", "ordered", "pair", "state", "box", "default", "deque"])
    if kind == "pair":
        return Pair(tree(rng, leaf, depth - 1), tree(rng, leaf, depth - 1))
    if kind == "state":
        bias = None if rng.random() < 0.3 else tree(rng, leaf, depth - 1)
        return State(tree(rng, leaf, depth - 1), bias)
    n = rng.choice([1, 1, 2, 2, 3, 0]) if depth < 2 else rng.choice([1, 2, 3])
    items = [tree(rng, leaf, depth - 1) for _ in range(n)]
    if kind == "box":
        return Box(items, rng.choice("uv"))
    if kind == "deque":
        return deque(items, rng.choice([None, 5]))
    if kind in ("list", "tuple"):
        return list(items) if kind == "list" else tuple(items)
    made = {"dict": dict, "ordered": OrderedDict, "default": lambda: defaultdict(list)}[kind]()
    made.update(zip(rng.sample(["b", "a", "w", 3, "c"], n), items))
    return made


@dataclasses.dataclass(frozen=True)
class Spec:
    """A tensor that is still to be made."""

    shape: tuple[int, ...]
    dtype: str
    seed: int

    def array(self) -> np.ndarray:
        """Its values."""
        numbers = np.random.default_rng(self.seed).uniform(-1.5, 1.5, self.shape)
        if self.dtype == "complex128":
            return numbers + 0.5j
        return (numbers * (3 if self.dtype == "int64" else 1)).astype(self.dtype)


def spec(rng: random.Random, wrong: float = 0.0, rows: int | None = None) -> Any:
    """What a leaf of the arguments is: mostly a tensor of float64. rows: there is a dimension of this size, the first
    one."""
    if rng.random() < wrong:
        return rng.choice([None, 2.5, 3, "word", Spec((2,), "int64", 1), Spec((2,), "complex128", 1)])
    shape = rng.choice([(), (2,), (3,), (2, 3), (1, 2)])
    # forward mode of torch makes float64 of a float32 without dimensions times a number
    dtype = "float32" if shape and rng.random() < 0.15 else "float64"
    return Spec(shape if rows is None else (rows, *shape), dtype, rng.randrange(1000))


def made(lib: Any, x: Any) -> Any:
    """A tree with its tensors made."""
    return mapped(lambda s: lib.tensor(s.array()) if isinstance(s, Spec) else s, x)


# -- random functions ------------------------------------------------------------------------------------------------

RECIPES = ("mix", "mix", "mix", "scalar", "same", "view", "square")
ODD = ("constant", "integer", "boolean", "number", "none", "text", "complex", "detached")


def function(rng: random.Random, scalar: bool = False, odd: float = 0.04) -> Callable[..., Callable]:
    """A random function of trees to a tree, as a function of the library."""

    def recipe() -> tuple[str, int, int, float]:
        kind = rng.choice(ODD) if rng.random() < odd else rng.choice(RECIPES)
        return kind, rng.randrange(100), rng.randrange(100), rng.uniform(0.5, 2.0)

    if scalar and rng.random() > odd:
        wanted = Recipe("total", 0, 0, 1.0)
    else:
        wanted = tree(rng, lambda: Recipe(*recipe()))

    def of(lib: Any) -> Callable:
        def f(*args, **kwargs):
            tensors = [t for t in leaves([list(args), dict(kwargs)]) if isinstance(t, lib.Tensor)]
            return mapped(lambda r: r.result(lib, tensors), wanted)

        return f

    return of


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How a leaf of a result is computed from the tensors of the arguments."""

    kind: str
    i: int
    j: int
    number: float

    def result(self, lib: Any, tensors: list) -> Any:
        """The leaf."""
        a = tensors[self.i % len(tensors)] if tensors else lib.ones(2, dtype=lib.float64)
        b = tensors[self.j % len(tensors)] if tensors else a
        makes: dict[str, Callable] = {
            "mix": lambda: lib.sin(a) * b.sum() * self.number,
            "scalar": lambda: (a * a).sum() * b.mean() if b.is_floating_point() else a.sum(),
            "same": lambda: a,
            "view": lambda: a.reshape(-1),
            "square": lambda: (a * b.sum()).unsqueeze(0) ** 2,
            "total": lambda: sum(
                [(t * t).sum() * self.number for t in tensors], lib.zeros((), dtype=lib.float64)
            ),
            "constant": lambda: lib.full((2,), self.number, dtype=lib.float64),
            "integer": lambda: (a.abs() * 3).long(),
            "boolean": lambda: a != 0,
            "number": lambda: self.number,
            "none": lambda: None,
            "text": lambda: "text",
            "complex": lambda: a * 1j,
            "detached": lambda: a.detach() * 2,
        }
        return makes[self.kind]()


# -- random calls ----------------------------------------------------------------------------------------------------


def _argnums(rng: random.Random, n: int) -> Any:
    if rng.random() < 0.05:
        return rng.choice([n, -n - 1, (), (0, 0), (0, -n), "0", [0], (0.0,)])
    chosen = rng.sample(range(n), rng.randint(1, n))
    chosen = [c - n if rng.random() < 0.3 else c for c in chosen]
    return chosen[0] if len(chosen) == 1 and rng.random() < 0.6 else tuple(chosen)


def _from_the_front(argnums: Any, n: int) -> Any:
    if isinstance(argnums, tuple):
        return tuple(_from_the_front(i, n) for i in argnums)
    return argnums + n if isinstance(argnums, int) and -n <= argnums < 0 else argnums


def _arguments(rng: random.Random, wrong: float = 0.03) -> list:
    return [tree(rng, lambda: spec(rng, wrong)) for _ in range(rng.randint(1, 3))]


def _dims(rng: random.Random, x: Any, choose: Callable[[Any], Any], prefix: float = 0.3) -> Any:
    """A tree of dims for x: now and then one for a whole container, or for a wrong one."""
    inner = children(x)
    if inner is None or rng.random() < prefix:
        return choose(x)
    if rng.random() < 0.04:
        return rng.choice([(0,), [0, None], {"a": 0}, (), 0.5, "0", 7, -9])
    return rebuilt(x, [_dims(rng, c, choose, prefix) for c in inner])


def _vmap(rng: random.Random) -> Callable:
    rows = rng.choice([1, 2, 3])
    uniform = rng.random() < 0.25
    given = [tree(rng, lambda: spec(rng, 0.0 if uniform else 0.05, rows)) for _ in range(rng.randint(1, 3))]

    def at(x: Any) -> Any:  # where a leaf's dimension of `rows` is put; specs are made with it in front
        if not isinstance(x, Spec):
            return None if rng.random() < 0.9 else 0
        if rng.random() < 0.03:
            return rng.choice([5, -6])
        return rng.choice([0, 0, 0, -len(x.shape), None] if children(x) is None else [0])

    in_dims: Any
    if uniform:
        in_dims = 0
    else:
        in_dims = tuple([_dims(rng, x, at, 0.0 if rng.random() < 0.8 else 0.3) for x in given])
        if rng.random() < 0.03:
            in_dims = rng.choice([list(in_dims), in_dims + (0,), None, "0", 1.0])
    f = function(rng)
    out_dims = rng.choice([0, 0, 0, -1, 1, None, (0,), (0, None), "f", 0.0]) if rng.random() < 0.3 else 0
    shaped = rng.random() < 0.5
    chosen = rng.random()
    chunk = rng.choice([None, None, None, 1, 2, 5])
    extra = {"scale": spec(rng)} if rng.random() < 0.2 else {}

    def run(lib):
        dims = out_dims
        if shaped:  # a tree of out_dims for what the function returns
            like = f(lib)(*made(lib, given), **made(lib, extra))
            picker = random.Random(chosen)
            dims = _dims(picker, like, lambda x: picker.choice([0, 0, -1]))
        mapping = lib.vmap(f(lib), in_dims=in_dims, out_dims=dims, chunk_size=chunk)
        return mapping(*made(lib, given), **made(lib, extra))

    return run


def _aux(rng: random.Random, f: Callable, has_aux: bool) -> Callable:
    """f with something besides its output, of any kind."""
    if not has_aux:
        return f
    g, wrong = function(rng, odd=0.3), rng.random() < 0.04

    def of(lib):
        def both(*args, **kwargs):
            out = f(lib)(*args, **kwargs), g(lib)(*args, **kwargs)
            return list(out) if wrong else out

        return both

    return of


def _gradient(name: str, rng: random.Random) -> Callable:
    given, has_aux = _arguments(rng), rng.random() < 0.3
    argnums = _argnums(rng, len(given)) if rng.random() < 0.6 else 0
    f = _aux(rng, function(rng, scalar=True), has_aux)
    extra = {"scale": spec(rng, 0.3)} if rng.random() < 0.2 else {}
    return lambda lib: getattr(lib.func, name)(f(lib), argnums=argnums, has_aux=has_aux)(
        *made(lib, given), **made(lib, extra)
    )


def _jacobian(name: str, rng: random.Random) -> Callable:
    given, has_aux = _arguments(rng), name != "hessian" and rng.random() < 0.3
    argnums = _argnums(rng, len(given)) if rng.random() < 0.6 else 0
    if (
        name != "jacrev"
    ):  # PyTorch's jacfwd, and so its hessian, is zero by an argument that is counted from the end
        argnums = _from_the_front(argnums, len(given))
    f = _aux(rng, function(rng), has_aux)
    options: dict[str, Any] = {"has_aux": True} if has_aux else {}
    if name == "jacrev":
        options["chunk_size"] = rng.choice([None, None, 1, 2, 100])
    return lambda lib: getattr(lib.func, name)(f(lib), argnums=argnums, **options)(*made(lib, given))


def _vjp(rng: random.Random) -> Callable:
    given, has_aux = _arguments(rng), rng.random() < 0.3
    f = _aux(rng, function(rng), has_aux)
    wrong = rng.random() < 0.08

    def run(lib):
        out, pull, *aux = lib.func.vjp(f(lib), *made(lib, given), has_aux=has_aux)
        cts = mapped(lambda t: lib.full_like(t, 0.5), out)
        if wrong:
            cts = rebuilt([0], [cts]) if rng_of(given).random() < 0.5 else mapped(lambda t: t.sum(), cts)
        return out, pull(cts), aux

    return run


def rng_of(x: Any) -> random.Random:
    """Random numbers that a tree stands for."""
    return random.Random(repr(leaves(x)))


def _jvp(rng: random.Random) -> Callable:
    given, has_aux = _arguments(rng), rng.random() < 0.3
    f = _aux(rng, function(rng), has_aux)
    wrong = rng.random() < 0.06

    def run(lib):
        primals = tuple(made(lib, given))
        tangents = mapped(lambda t: lib.full_like(t, 0.5) if isinstance(t, lib.Tensor) else t, primals)
        if wrong:
            tangents = (
                mapped(lambda t: t.sum() if isinstance(t, lib.Tensor) else t, tangents)
                if rng_of(given).random() < 0.5
                else (*tangents, tangents[0])
            )
        return lib.func.jvp(f(lib), primals, tangents, has_aux=has_aux)

    return run


def _linearize(rng: random.Random) -> Callable:
    given, f = _arguments(rng, 0.0), function(rng, odd=0.0)

    def run(lib):
        primals = made(lib, given)
        out, push = lib.func.linearize(f(lib), *primals)
        return out, push(*mapped(lambda t: lib.full_like(t, 0.5), primals))

    return run


CALLS: dict[str, Callable[[random.Random], Callable]] = {
    "vmap": _vmap,
    "grad": lambda rng: _gradient("grad", rng),
    "grad_and_value": lambda rng: _gradient("grad_and_value", rng),
    "vjp": _vjp,
    "jvp": _jvp,
    "jacrev": lambda rng: _jacobian("jacrev", rng),
    "jacfwd": lambda rng: _jacobian("jacfwd", rng),
    "hessian": lambda rng: _jacobian("hessian", rng),
    "linearize": _linearize,
}


def told(x: Any, tensor: type, values: bool = True) -> Any:
    """A tree as plain data, with its values or without."""
    if isinstance(x, tensor):
        array = np.asarray(x.detach().numpy()) if values else None  # type: ignore[attr-defined]
        return str(x.dtype), tuple(x.shape), array  # type: ignore[attr-defined]
    inner = children(x)
    if inner is None:
        return repr(x)
    rest = list(x) if isinstance(x, dict) else x.label if isinstance(x, Box) else None
    return type(x).__name__, rest, [told(c, tensor, values) for c in inner]


def call(lib: Any, name: str, seed: int, values: bool = True) -> Any:
    """What the call of this name and seed gives: `told`, or (type of the error, its sentence)."""
    run = CALLS[name](random.Random(f"{name}{seed}"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return told(run(lib), lib.Tensor, values)
        except Exception as error:
            return "error", type(error).__name__, str(error)


EXCUSES: list[tuple[str, str, str]] = [
    ("Expected tensors, got unsupported type", "", "what comes with has_aux may be anything"),
    (
        "object has no attribute 'numel'",
        "Thing passed to transform API must be Tensor",
        "jacfwd of torch does not look first",
    ),
    ("can't allocate memory", "", "torch's vmap of a result that is not mapped: see HUGE"),
    ("The expanded size of the tensor", "", "torch's vmap of a result that is not mapped, out_dims=1"),
    ("Tensors must have same number of dim", "", "torch's vmap of the same, out_dims=-1 and chunk_size"),
    ("flat_out_dims must not be None", "", "chunk_size of torch wants everything mapped"),
    ("argument 'dim' must be int, not NoneType", "", "chunk_size of torch wants everything mapped"),
    ("expected Tensor as element 0", "", "chunk_size of torch wants everything mapped"),
    ("Expected all inputs to be real", "", "complex arguments that are not differentiated by"),
    ("tensors must have at least one element", "hold no tensors", "said of the arguments"),
    ("has length 0 but the spec refers to", "hold no tensors", "said of the arguments"),
    ("to return only tensors, got unsupported", "hold no tensors", "said of the arguments"),
    ("Boolean value of Tensor with more than", "Mismatch in shape", "torch fails at saying which of several"),
]
"""Where torch fails: (what its error says, what ours says if it is an error, why)."""


HUGE = "343597383"
"""Digits of the sizes that torch's vmap gives a result that is not mapped: the upper half of them was never written."""


def excused(mine: Any, theirs: Any) -> bool:
    """Whether the difference is one that is known."""
    if HUGE in str(theirs):
        return True
    if theirs[0] != "error":
        return False
    for theirs_says, mine_says, _ in EXCUSES:
        if theirs_says in theirs[2] and (mine_says in mine[2] if mine[0] == "error" else not mine_says):
            return True
    return False


def same(a: Any, b: Any) -> bool:
    """Whether two results that were told are equal, numbers to rounding."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        tolerance = 1e-4 if a.dtype == np.float32 else 1e-6  # some of it may have been computed in float32
        return a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and bool(a == b)
