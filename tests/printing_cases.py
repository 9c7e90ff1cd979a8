"""What is printed: tensors of every kind under every option, and the small objects around them. Each case gives text.

What PyTorch prints is recorded in `golden/printing_cases.json`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

CASES: dict[str, Callable[[Any], str]] = {}

nan, inf = math.nan, math.inf

FLOATS = ("float16", "bfloat16", "float32", "float64")
EIGHTS = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")


def many(prefix: str, programs: dict[str, Callable[[Any], Any]]) -> None:
    """Adds one-line programs; what they give is printed with `repr` unless it is text."""
    for name, fn in programs.items():
        assert f"{prefix}: {name}" not in CASES
        CASES[f"{prefix}: {name}"] = fn


def text(fn: Callable[[Any], Any], M: Any) -> str:
    """What a case prints, with the options as they are at the start of a process."""
    M.set_printoptions(profile="default")
    try:
        found = fn(M)
        return found if isinstance(found, str) else repr(found)
    except (TypeError, ValueError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        M.set_printoptions(profile="default")


@contextlib.contextmanager
def options(M: Any, **given) -> Iterator[None]:
    """Print options for the time of a block."""
    M.set_printoptions(**given)
    try:
        yield
    finally:
        M.set_printoptions(profile="default")


def under(given: dict, make: Callable[[Any], Any]) -> Callable[[Any], str]:
    """A case that prints what `make` gives under print options."""

    def fn(M):
        made = make(M)
        with options(M, **given):
            return repr(made)

    return fn


def of(values: Any, dtype: str = "float32", shape: tuple[int, ...] | None = None) -> Callable[[Any], Any]:
    """A case that makes a tensor of these values."""

    def fn(M):
        array = np.array(values)
        if array.dtype == np.uint64:
            made = M.tensor([int(v) for v in array.ravel()], dtype=getattr(M, dtype)).reshape(array.shape)
        else:
            made = (
                M.tensor(array.tolist()).to(getattr(M, dtype))
                if array.size
                else M.tensor([], dtype=getattr(M, dtype))
            )
        return made if shape is None else made.reshape(shape)

    return fn


def ramp(*shape: int, dtype: str = "float32", scale: float = 1.0, shift: float = 0.0) -> Callable[[Any], Any]:
    """A case that makes `arange * scale + shift` in a shape."""

    def fn(M):
        flat = np.arange(math.prod(shape)) * scale + shift
        return M.tensor(flat.tolist(), dtype=M.float64).to(getattr(M, dtype)).reshape(shape)

    return fn


# -- dtypes ----------------------------------------------------------------------------------------------------------

for _d in FLOATS:
    many(
        _d,
        {
            "whole": of([1.0, -2.0, 30.0], _d),
            "fractions": of([0.5, -2.25, 100.125], _d),
            "thirds": of([1 / 3, 2 / 3, 5 / 3], _d),
            "0-d": of(0.1, _d),
            "special": of([nan, inf, -inf, -0.0, 1.5], _d),
            "spread": of([1e-4, 1.0, 3e4], _d),
            "matrix": ramp(2, 3, dtype=_d, scale=0.25),
            "empty": of([], _d),
            "empty rows": of([], _d, (0, 4)),
        },
    )
for _d in EIGHTS:
    many(
        _d,
        {
            "values": of([0.5, -2.0, 3.5], _d),
            "whole": of([1.0, 2.0], _d),
            "0-d": of(1.5, _d),
            "empty": of([], _d),
        },
    )
for _d in INTS:
    many(
        _d,
        {
            "values": of([1, 20, 100], _d),
            "0-d": of(7, _d),
            "matrix": ramp(3, 4, dtype=_d),
            "empty": of([], _d),
        },
    )
for _d in COMPLEX:
    many(
        _d,
        {
            "whole": of([1 + 2j, -3 - 4j], _d),
            "fractions": of([0.5 - 1.25j, 100j], _d),
            "0-d": of(1.5 + 0.5j, _d),
            "special": of([complex(nan, inf), complex(-inf, 0.0), complex(-0.0, -0.0)], _d),
            "spread": of([1e-6 + 1e6j, 1 + 1j], _d),
            "matrix": of([[1j, 2.5], [3.0, -4.25j]], _d),
            "empty": of([], _d, (2, 0)),
        },
    )
many(
    "bool",
    {
        "0-d": of(True, "bool"),
        "row": of([True, False], "bool"),
        "matrix": of([[True, False], [False, False]], "bool"),
        "empty": of([], "bool", (0, 2)),
        "long": lambda M: M.arange(1200) % 3 == 0,
    },
)
many(
    "limits",
    {
        "int8": lambda M: M.tensor([M.iinfo(M.int8).min, M.iinfo(M.int8).max], dtype=M.int8),
        "int64": lambda M: M.tensor([M.iinfo(M.int64).min, M.iinfo(M.int64).max]),
        "uint64": lambda M: M.tensor([0, M.iinfo(M.uint64).max], dtype=M.uint64),
        "uint32": lambda M: M.tensor([0, M.iinfo(M.uint32).max], dtype=M.uint32),
        "float32": lambda M: M.tensor([M.finfo(M.float32).min, M.finfo(M.float32).max]),
        "float64": lambda M: M.tensor([M.finfo(M.float64).min, M.finfo(M.float64).max], dtype=M.float64),
        "float16": lambda M: M.tensor([M.finfo(M.float16).min, M.finfo(M.float16).max], dtype=M.float16),
        "bfloat16": lambda M: M.tensor([M.finfo(M.bfloat16).tiny, M.finfo(M.bfloat16).max], dtype=M.bfloat16),
    },
)

# -- numbers ---------------------------------------------------------------------------------------------------------

many(
    "numbers",
    {
        "denormals": of([1e-40, 2e-40]),
        "denormals of double": of([5e-324, 1e-310], "float64"),
        "denormals and one": of([1e-40, 1.0]),
        "denormals of half": of([6e-8, 1e-7], "float16"),
        "negative zero": of([-0.0]),
        "negative zero 0-d": of(-0.0),
        "zeros": of([0.0, 0.0]),
        "negative zero among whole": of([-0.0, 5.0, -5.0]),
        "all nan": of([nan, nan]),
        "all inf": of([inf, -inf]),
        "nan 0-d": of(nan),
        "inf 0-d": of(-inf, "float64"),
        "inf and small": of([inf, 1e-5]),
        "inf and big": of([inf, 1e9]),
        "nan and thirds": of([nan, 1 / 3]),
        "spread just within": of([0.001, 0.9999]),
        "spread just beyond": of([0.001, 1.0011]),
        "spread of whole": of([1.0, 999.0, 1000.0]),
        "spread of whole beyond": of([1.0, 1001.0]),
        "spread of whole and big": of([1.0, 1e8]),
        "big whole": of([123456789.0]),
        "big and fraction": of([12345.678]),
        "1e8": of([1e8, 5e7]),
        "over 1e8": of([1.0001e8]),
        "1e-4": of([1e-4, 9e-4]),
        "under 1e-4": of([9.9e-5, 9e-4]),
        "rounds up": of([0.99999, 9.99999]),
        "rounds to zero": of([0.00012, 0.11]),
        "negative widths": of([-1.5, 10.25, -100.125]),
        "one negative among whole": of([1.0, -10.0, 100.0]),
        "scientific negative": of([-1e-9, 1e9]),
        "three digits of exponent": of([1e-200, 1e200], "float64"),
        "doubles": of([math.pi, math.e * 100], "float64"),
        "ints of many widths": of([-1, 10, -1000, 100000], "int64"),
        "whole but nan": of([1.0, nan, 300.0]),
        "whole and inf scientific": of([1e10, inf, nan]),
        "2e20 0-d": of(2e20),
        "1e-7 0-d": of(1e-7),
        "100000 0-d": of(100000.0),
        "123456.789 0-d": of(123456.789),
        "complex real only": of([complex(1.5, 0), complex(2.5, 0)], "complex64"),
        "complex negative imaginary": of([1 - 1j, -1 - 1j, -1 + 1j], "complex64"),
        "complex widths": of([1 + 100j, 1000 + 1j], "complex64"),
        "complex thirds": of([complex(1 / 3, -2 / 3)], "complex64"),
        "complex nan parts": of([complex(nan, 1), complex(1, nan)], "complex64"),
        "complex inf parts": of([complex(inf, -1.5), complex(1.5, -inf)], "complex64"),
        "complex spread": of([1e9 + 1j, 1 - 1e-9j], "complex128"),
    },
)

# -- shapes ----------------------------------------------------------------------------------------------------------

many("empty", {str(s): lambda M, s=s: M.zeros(s) for s in [(0,), (1, 0), (0, 0), (2, 0, 3), (0, 1, 2)]})
many("empty int64", {str(s): lambda M, s=s: M.zeros(s, dtype=M.int64) for s in [(0,), (3, 0)]})
many("empty float64", {str(s): lambda M, s=s: M.zeros(s, dtype=M.float64) for s in [(0,), (3, 0)]})
many(
    "wrapping",
    {
        "ints": ramp(40, dtype="int64"),
        "floats": ramp(30, scale=0.37),
        "doubles": ramp(3, 15, dtype="float64", scale=1 / 7),
        "bools": lambda M: M.arange(30) % 2 == 0,
        "complex": lambda M: M.arange(12).to(M.complex64) * (1 + 0.5j),
        "scientific": ramp(20, scale=1e-7),
        "rows of exactly a line": ramp(2, 8, shift=0.5),
        "three dims": ramp(2, 2, 14, scale=0.5),
        "half": ramp(25, dtype="float16", scale=0.1),
        "int16": ramp(40, dtype="int16", scale=100),
    },
)
many(
    "shapes",
    {
        "(1, 1)": ramp(1, 1),
        "(1, 1, 1)": ramp(1, 1, 1, dtype="int64"),
        "(3, 1)": ramp(3, 1, scale=0.5),
        "(1, 3)": ramp(1, 3, scale=0.5),
        "(2, 2, 2)": ramp(2, 2, 2),
        "(2, 1, 2, 1, 2)": ramp(2, 1, 2, 1, 2, dtype="int32"),
        "(1, 2, 3, 1)": ramp(1, 2, 3, 1, scale=0.1),
        "a transposed view": lambda M: M.arange(6).reshape(2, 3).t(),
        "an expanded view": lambda M: M.tensor([1.5]).expand(2, 3),
        "a strided view": lambda M: M.arange(10.0)[::3],
        "a row": lambda M: M.arange(12.0).reshape(3, 4)[1],
        "an element": lambda M: M.arange(12.0).reshape(3, 4)[1, 2],
    },
)
many(
    "summarised",
    {
        "1001": ramp(1001, dtype="int64"),
        "1000": lambda M: repr(M.arange(1000))[-40:],
        "floats": ramp(2000, scale=0.5),
        "spread out": ramp(5000, scale=1e-3),
        "rows": ramp(1001, 1, dtype="int64"),
        "columns": ramp(1, 1001, dtype="int64"),
        "matrix": ramp(50, 50, dtype="int32"),
        "six rows": ramp(6, 200),
        "seven rows": ramp(7, 200),
        "cube": ramp(11, 11, 11, scale=0.25),
        "three by many": ramp(3, 7, 60),
        "four dims": ramp(7, 2, 9, 9, dtype="int64"),
        "bools": lambda M: M.zeros(40, 40, dtype=M.bool),
        "complex": lambda M: M.arange(1100).to(M.complex128) * 1j,
        "scientific edges": lambda M: M.cat([M.full((3,), 1e-9), M.ones(1000)]),
        "odd in the middle": lambda M: M.cat([M.ones(600), M.tensor([1e9]), M.ones(600)]),
        "nan at the edge": lambda M: M.cat([M.tensor([nan, inf]), M.ones(1000)]),
        "half": lambda M: M.ones(30, 40, dtype=M.float16),
        "requires grad": lambda M: M.ones(1001, requires_grad=True),
        "grad_fn": lambda M: M.ones(40, 40, requires_grad=True) * 2,
    },
)

# -- autograd --------------------------------------------------------------------------------------------------------


def leaf(M: Any, *values: float) -> Any:
    """A tensor that requires grad."""
    return M.tensor(values, requires_grad=True)


many(
    "autograd",
    {
        "leaf": lambda M: leaf(M, 1.0, 2.5),
        "0-d leaf": lambda M: M.tensor(1.5, requires_grad=True),
        "empty leaf": lambda M: M.zeros(0, 2, requires_grad=True),
        "double leaf": lambda M: M.tensor([1.5], dtype=M.float64, requires_grad=True),
        "detached": lambda M: (leaf(M, 1.0) * 2).detach(),
        "under no_grad": lambda M: no_grad(M, lambda: leaf(M, 1.0) * 2),
        "retained": lambda M: (y := leaf(M, 1.0) * 2, y.retain_grad())[0],
        "view": lambda M: leaf(M, 1.0, 2.0)[0],
        "written in place": lambda M: (leaf(M, 1.0, 2.0) * 1).add_(1),
        "grad": lambda M: (x := leaf(M, 1.0, 2.0), (x * x).sum().backward(), x.grad)[2],
        "long, on its own line": lambda M: M.linspace(0, 1, 9, requires_grad=True) * 1.5,
        "parameter": lambda M: M.nn.Parameter(M.ones(2, 2) / 3),
        "parameter without grad": lambda M: M.nn.Parameter(M.ones(2), requires_grad=False),
        "parameter of ints": lambda M: M.nn.Parameter(M.ones(2, dtype=M.int64), requires_grad=False),
        "parameter 0-d": lambda M: M.nn.Parameter(M.tensor(2.0)),
        "parameter empty": lambda M: M.nn.Parameter(M.zeros(0)),
        "parameter double": lambda M: M.nn.Parameter(M.ones(2, dtype=M.float64)),
        "buffer": lambda M: M.nn.Buffer(M.ones(2)),
        "data of a parameter": lambda M: M.nn.Parameter(M.ones(2)).data,
        "parameter detached": lambda M: M.nn.Parameter(M.ones(2)).detach(),
        "list of parameters": lambda M: list(M.nn.ParameterList([M.ones(1), M.zeros(2)])),
    },
)
GRAD_FNS: dict[str, Callable[[Any], Any]] = {
    "add": lambda x: x + 1,
    "sub": lambda x: x - 1,
    "mul": lambda x: x * 2,
    "div": lambda x: x / 2,
    "pow": lambda x: x**2,
    "neg": lambda x: -x,
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "relu": lambda x: x.relu(),
    "sum": lambda x: x.sum(),
    "sum of a dim": lambda x: x.sum(0),
    "mean": lambda x: x.mean(),
    "max": lambda x: x.max(),
    "reshape": lambda x: x.reshape(2, 1),
    "select": lambda x: x[0],
    "slice": lambda x: x[:1],
    "matmul": lambda x: x @ x,
    "clone": lambda x: x.clone(),
    "softmax": lambda x: x.softmax(0),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "where": lambda x: x.where(x > 1, x),
    "double": lambda x: x.double(),
    "write to a part": lambda x: (y := x * 1, y[:1].mul_(2))[0],
    "write to a part of what was expanded": lambda x: (y := x * 1, y.expand(3, 2)[0].mul_(2))[0],
}
many("grad_fn", {name: lambda M, fn=fn: fn(leaf(M, 1.0, 2.0)) for name, fn in GRAD_FNS.items()})


def no_grad(M: Any, fn: Callable[[], Any]) -> Any:
    """fn() under no_grad."""
    with M.no_grad():
        return fn()


# -- devices and layouts ---------------------------------------------------------------------------------------------

many(
    "meta",
    {
        "float32": lambda M: M.empty(2, 3, device="meta"),
        "float64": lambda M: M.empty(2, device="meta", dtype=M.float64),
        "int64": lambda M: M.empty(2, device="meta", dtype=M.int64),
        "0-d": lambda M: M.empty((), device="meta"),
        "empty": lambda M: M.empty(0, device="meta"),
        "requires grad": lambda M: M.empty(2, device="meta", requires_grad=True),
        "grad_fn": lambda M: M.empty(2, device="meta", requires_grad=True) * 2,
        "parameter": lambda M: M.nn.Parameter(M.empty(2, device="meta")),
        "large": lambda M: M.empty(100, 100, device="meta"),
    },
)


def coo(M: Any, values: Any, **more: Any) -> Any:
    """A sparse matrix of three entries."""
    return M.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], values, (2, 3), **more)


many(
    "sparse",
    {
        "coo": lambda M: coo(M, [3.0, 4.0, 5.5]),
        "coo coalesced": lambda M: coo(M, [3.0, 4.0, 5.5]).coalesce(),
        "coo of ints": lambda M: coo(M, [3, 4, 5]),
        "coo of doubles": lambda M: coo(M, [3.0, 4.0, 5.0], dtype=M.float64),
        "coo without entries": lambda M: M.sparse_coo_tensor(size=(2, 3)),
        "coo that requires grad": lambda M: coo(M, [3.0, 4.0, 5.5], requires_grad=True),
        "coo of rows": lambda M: M.sparse_coo_tensor([[0, 2]], [[1.0, 2.0], [3.0, 4.0]], (3, 2)),
        "csr": lambda M: coo(M, [3.0, 4.0, 5.5]).to_sparse_csr(),
        "csr of doubles": lambda M: coo(M, [3.0, 4.0, 5.5], dtype=M.float64).to_sparse_csr(),
        "to_sparse": lambda M: M.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse(),
        "coo of many lines": lambda M: M.eye(30).to_sparse(),
        "csr of many lines": lambda M: M.eye(30).to_sparse_csr(),
        "coo of complex numbers": lambda M: (M.eye(2) * 1j).to_sparse(),
    },
)

# -- options ---------------------------------------------------------------------------------------------------------

_thirds = ramp(8, scale=1 / 3)
_wide = ramp(30, 30)
OPTIONS: dict[str, dict] = {
    "precision 1": {"precision": 1},
    "precision 8": {"precision": 8},
    "precision 0": {"precision": 0},
    "sci": {"sci_mode": True},
    "no sci": {"sci_mode": False},
    "sci, precision 2": {"sci_mode": True, "precision": 2},
    "linewidth 40": {"linewidth": 40},
    "linewidth 120": {"linewidth": 120},
    "linewidth 10": {"linewidth": 10},
    "short": {"profile": "short"},
    "full": {"profile": "full"},
    "default": {"profile": "default"},
    "short, precision 3": {"profile": "short", "precision": 3},
    "threshold 5": {"threshold": 5},
    "threshold 5, edgeitems 1": {"threshold": 5, "edgeitems": 1},
    "threshold 0": {"threshold": 0},
}
for _name, _given in OPTIONS.items():
    many(
        f"options {_name}",
        {
            "thirds": under(_given, _thirds),
            "matrix": under(_given, ramp(3, 9, scale=0.25)),
            "ints": under(_given, ramp(3, 9, dtype="int64")),
        },
    )
many(
    "options",
    {
        "short of a large one": under({"profile": "short"}, _wide),
        "full of a large one": under({"profile": "full", "linewidth": 200}, ramp(11, 100, dtype="int64")),
        "edgeitems 2 of a cube": under({"edgeitems": 2}, ramp(10, 11, 12)),
        "edgeitems 5": under({"edgeitems": 5}, ramp(2000, dtype="int64")),
        "threshold of many": under({"threshold": 10000}, lambda M: M.zeros(2, 600)),
        "sci of complex": under({"sci_mode": True}, of([1 + 2j], "complex64")),
        "no sci of complex": under({"sci_mode": False}, of([1e-9 + 2e9j], "complex64")),
        "precision of complex": under({"precision": 1}, of([0.25 + 0.75j], "complex128")),
        "sci of ints": under({"sci_mode": True}, of([1, 2], "int64")),
        "sci of whole": under({"sci_mode": True}, of([1.0, 1000.0])),
        "sci of nan": under({"sci_mode": True}, of([nan, inf, 2.0])),
        "no sci of large": under({"sci_mode": False}, of([1e12, 1.5])),
        "no sci of small": under({"sci_mode": False}, of([1e-12, 1.5])),
        "no sci of whole": under({"sci_mode": False}, of([1e12, 1.0])),
        "sci of bool": under({"sci_mode": True}, of([True], "bool")),
        "sci of an empty one": under({"sci_mode": True}, of([])),
        "sci of a 0-d one": under({"sci_mode": True}, of(0.5)),
        "precision of a 0-d one": under({"precision": 10}, of(1 / 3, "float64")),
        "precision of half": under({"precision": 6}, of([0.1], "float16")),
        "a suffix under linewidth 30": under({"linewidth": 30}, lambda M: leaf(M, 1.0, 2.0) * 2),
        "two suffixes under linewidth 40": under(
            {"linewidth": 40}, lambda M: M.tensor([1.0, 2.0], dtype=M.float64, requires_grad=True)
        ),
        "an unknown profile": lambda M: (M.set_printoptions(profile="none"), repr(M.ones(1)))[1],
    },
)

# -- text ------------------------------------------------------------------------------------------------------------

many(
    "text",
    {
        "str": lambda M: str(M.tensor([1.5, 2.0])),
        "f-string": lambda M: f"{M.tensor([1.5, 2.0])}",
        "f-string of 0-d": lambda M: f"{M.tensor(1.5)}",
        "f-string of 0-d, .3f": lambda M: f"{M.tensor(math.pi):.3f}",
        "f-string of 0-d, 10.2e": lambda M: f"{M.tensor(math.pi):10.2e}",
        "f-string of 0-d int, 05d": lambda M: f"{M.tensor(42):05d}",
        "f-string of 0-d bool": lambda M: f"{M.tensor(True)}",
        "f-string of 0-d that requires grad": lambda M: f"{M.tensor(1.5, requires_grad=True)}",
        "f-string of 0-d that requires grad, .1f": lambda M: f"{M.tensor(1.25, requires_grad=True):.1f}",
        "f-string of a parameter": lambda M: f"{M.nn.Parameter(M.ones(1))}",
        "f-string of a vector, .3f": lambda M: f"{M.ones(2):.3f}",
        "f-string with !r": lambda M: f"{M.tensor(1.5)!r}",
        "f-string with !s": lambda M: f"{M.tensor(1.5)!s}",
        "percent": lambda M: "%s %.2f" % (M.tensor([1]), M.tensor(0.5)),  # noqa: UP031
        "format": lambda M: "{} {:>8.2f}".format(M.tensor([1]), M.tensor(0.5)),  # noqa: UP032
        "list of tensors": lambda M: str([M.tensor(1), M.tensor([2.0])]),
        "dict of tensors": lambda M: str({"a": M.tensor([1.0])}),
        "complex f-string": lambda M: f"{M.tensor(1 + 2j)}",
        "half f-string": lambda M: f"{M.tensor(0.1, dtype=M.float16)}",
        "f-string of one element, .2f": lambda M: f"{M.tensor([0.5]):.2f}",
    },
)
many(
    "objects",
    {
        "Size": lambda M: M.Size([2, 3]),
        "empty Size": lambda M: M.ones(()).shape,
        "Size of one": lambda M: M.ones(4).shape,
        "str of a Size": lambda M: str(M.ones(2, 3).size()),
        "slice of a Size": lambda M: M.ones(2, 3, 4).shape[1:],
        "sum of Sizes": lambda M: M.ones(2).shape + M.ones(3).shape,
        "Size times": lambda M: M.ones(2).shape * 2,
        "Size in text": lambda M: f"{M.ones(2, 3).shape}",
        "dtypes": lambda M: str([getattr(M, d) for d in (*FLOATS, *EIGHTS, *INTS, *COMPLEX, "bool")]),
        "str of a dtype": lambda M: str(M.float32),
        "dtype aliases": lambda M: str(
            [M.float, M.double, M.half, M.long, M.int, M.short, M.cfloat, M.cdouble]
        ),
        "device": lambda M: M.device("cpu"),
        "device with index": lambda M: M.device("cpu", 0),
        "cuda device": lambda M: M.device("cuda:1"),
        "meta device": lambda M: M.device("meta"),
        "str of a device": lambda M: str(M.device("cuda:0")) + str(M.device("cpu")),
        "device of a tensor": lambda M: M.ones(1).device,
        "layout": lambda M: M.ones(1).layout,
        "sparse layout": lambda M: M.sparse_coo,
        "memory format": lambda M: M.contiguous_format,
        "channels last": lambda M: M.channels_last,
        "finfo": lambda M: M.finfo(M.float32),
        "iinfo": lambda M: M.iinfo(M.int16),
        "finfo of half": lambda M: M.finfo(M.float16),
        "bfloat16 finfo": lambda M: M.finfo(M.bfloat16),
        "generator": lambda M: repr(M.Generator()).split(" at ")[0].split(" object")[0],
        "named tuple": lambda M: M.tensor([[1.0, 2.0]]).max(1),
        "sorted": lambda M: M.tensor([2.0, 1.0]).sort(),
        "topk": lambda M: M.tensor([2.0, 1.0, 3.0]).topk(2),
        "slogdet": lambda M: M.linalg.slogdet(M.eye(2)),
        "unique": lambda M: M.tensor([2, 1, 2]).unique(return_counts=True),
        "split": lambda M: M.arange(5).split(2),
    },
)

# -- subclasses and transforms ---------------------------------------------------------------------------------------


def subclass(M: Any, make: Callable[[], Any]) -> Any:
    """A tensor of a class of the user's own."""

    class Mine(M.Tensor):
        pass

    return make().as_subclass(Mine)


many(
    "subclass",
    {
        "plain": lambda M: subclass(M, lambda: M.tensor([1.5, 2.0])),
        "0-d": lambda M: subclass(M, lambda: M.tensor(1.5)),
        "matrix": lambda M: subclass(M, lambda: M.ones(2, 2)),
        "dtype": lambda M: subclass(M, lambda: M.ones(2, dtype=M.float64)),
        "result": lambda M: subclass(M, lambda: M.ones(2)) * 2,
        "requires grad": lambda M: subclass(M, lambda: M.ones(2)).requires_grad_(),
        "wide": lambda M: subclass(M, lambda: M.arange(20.0) / 3),
    },
)


def printed_inside(transform: Callable[[Any], Callable]) -> Callable[[Any], str]:
    """A case that prints the argument of a function inside a transform."""

    def fn(M):
        seen: list[str] = []

        def f(x):
            seen.append(repr(x))
            return (x * x).sum()

        transform(M)(f)
        return seen[0]

    return fn


INSIDE: dict[str, Callable[[Any], Callable]] = {
    "grad": lambda M: lambda f: M.func.grad(f)(M.tensor([1.0, 2.0])),
    "vmap": lambda M: lambda f: M.func.vmap(f)(M.tensor([[1.0, 2.0], [3.0, 4.0]])),
    "vmap in_dims=1": lambda M: lambda f: M.func.vmap(f, in_dims=1)(M.tensor([[1.0, 2.0], [3.0, 4.0]])),
    "grad of vmap": lambda M: lambda f: M.func.grad(lambda x: M.func.vmap(f)(x).sum())(M.ones(2, 2)),
    "vmap of grad": lambda M: lambda f: M.func.vmap(M.func.grad(f))(M.ones(2, 2)),
    "grad of grad": lambda M: lambda f: M.func.grad(lambda x: M.func.grad(f)(x).sum())(M.ones(2)),
    "vjp": lambda M: lambda f: M.func.vjp(f, M.ones(2)),
    "jvp": lambda M: lambda f: M.func.jvp(f, (M.ones(2),), (M.ones(2),)),
    "vmap of a scalar": lambda M: lambda f: M.func.vmap(f)(M.tensor([1.0, 2.0])),
}
many("inside", {name: printed_inside(transform) for name, transform in INSIDE.items()})
