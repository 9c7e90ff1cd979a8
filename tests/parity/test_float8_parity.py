"""float8 beside torch: which ops take it, and what they give; casts to it, whose large numbers become the largest or
inf or nan."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import functorch_lite as ours  # noqa: E402
from functorch_lite._core.declare.op import OPS  # noqa: E402
from tests import torch_side  # noqa: E402
from tests.arguments import fill, flat, placeholders  # noqa: E402
from tests.checker import FULL, spread, subject  # noqa: E402
from tests.samples import all_samples  # noqa: E402
from tests.support.exclusions import Exclusion, Exclusions  # noqa: E402

pytestmark = pytest.mark.parity
KINDS = ("float8_e4m3fn", "float8_e5m2")
NAMES = sorted(
    name for name in all_samples() if name != "_neg_view" and torch_side.function(name) and name in OPS
)
RULES = Exclusions(
    Exclusion("torch rounds the sum after every batch, ours once", "addbmm", "numbers"),
    Exclusion("torch rounds the sum after every tap, ours once", "nn.functional.conv_tbc", "numbers"),
    Exclusion("torch rounds after every product", "chain_matmul linalg.multi_dot linalg.matrix_power matrix_power", "refused"),
    Exclusion("taken by torch where there is nothing to gather", "gather", "refused"),
    Exclusion("taken by torch for products", "index_reduce", "refused"),
    Exclusion("taken by torch without a tolerance", "isclose", "refused"),
    Exclusion("taken by torch of one row", "nn.functional.pdist", "refused"),
)  # fmt: skip
EDGES = (0.0, 1e-3, 0.0019, 1.0625, 440.0, 449.0, 464.0, 470.0, 500.0, 57344.0, 61440.0, 1e9, np.inf, np.nan)


def _outcome(library, name: str, call, sample, kind: str):
    """The results as float32 arrays, or the exception."""

    def argument(t):
        made = library.tensor(t.array)
        return made.float().to(getattr(library, kind)) if t.array.dtype.kind == "f" else made

    args, kwargs = fill(
        sample,
        [argument(t) for t in placeholders(sample)],
        torch_side.other if library is torch else lambda x: x,
    )
    try:
        results = flat(call(*args, **kwargs))
        return [r if isinstance(r, bool) else (r.dtype, r.to(_readable(library, r)).numpy()) for r in results]
    except (RuntimeError, TypeError, ValueError, IndexError) as e:
        return e


def _readable(library, result):
    return library.float32 if result.dtype.is_floating_point else result.dtype


def _same(theirs: list, mine: list) -> bool:
    return len(theirs) == len(mine) and all(
        str(a[0]) == str(b[0]) and np.array_equal(a[1], b[1], equal_nan=True) for a, b in zip(theirs, mine)
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_ops(name):
    samples = [
        s for s in all_samples()[name] if s.error is None and any(t.array.dtype.kind == "f" and t.array.size for t in placeholders(s))
    ]  # fmt: skip
    wrong = []
    some = spread(len(samples), 100 if FULL else 2)
    for at in some:
        for kind in KINDS:
            theirs = _outcome(torch, name, torch_side.function(name), samples[at], kind)
            if isinstance(theirs, Exception) and OPS[name].takes_float8:
                continue  # ours take more ranks, and mixtures of inputs
            mine = _outcome(ours, name, subject(name).call, samples[at], kind)
            if isinstance(mine, Exception):
                tiny = all(t.array.ndim == 0 or not t.array.size for t in placeholders(samples[at]))
                if not isinstance(theirs, Exception) and not tiny and not RULES.of(name, "refused"):
                    wrong.append(f"{samples[at]} of {kind}: ours raises {mine!r}, torch gives {theirs}")
            elif isinstance(theirs, Exception):
                wrong.append(f"{samples[at]} of {kind}: torch raises {theirs!r}, ours gives {mine}")
            elif not _same(theirs, mine) and not RULES.of(name, "numbers"):
                wrong.append(f"{samples[at]} of {kind}: {theirs} != {mine}")
    if len(some) == len(samples):
        wrong += RULES.unused(name)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", [*KINDS, "float8_e4m3fnuz", "float8_e5m2fnuz"])
@pytest.mark.parametrize("source", ["float32", "float64", "float16", "bfloat16", "int64"])
def test_casts(kind, source):
    numbers = [sign * n for n in EDGES for sign in (1, -1)]
    if source == "int64":
        numbers = [0, 1, 17, -17, 448, 449, 465, -1000, 10**6]
    results = []
    for library in (torch, ours):
        to = getattr(library, kind)
        given = library.tensor(numbers, dtype=getattr(library, source))
        results.append(
            [
                r.float().tolist()
                for r in (given.to(to), library.tensor(numbers, dtype=to), library.zeros_like(given.to(to)).copy_(given))
            ]
        )  # fmt: skip
    np.testing.assert_equal(*results)


SAMPLERS = {
    "rand": lambda t, d, x: t.rand(3, dtype=d),
    "randn": lambda t, d, x: t.randn(3, dtype=d),
    "randint": lambda t, d, x: t.randint(3, (3,), dtype=d),
    "randperm": lambda t, d, x: t.randperm(3, dtype=d),
    "normal": lambda t, d, x: t.normal(x, 1.0),
    "bernoulli": lambda t, d, x: t.bernoulli(x),
    "bernoulli of a number": lambda t, d, x: t.bernoulli(x, 0.5),
    "poisson": lambda t, d, x: t.poisson(x),
    "binomial": lambda t, d, x: t.binomial(x, x),
    "multinomial": lambda t, d, x: t.multinomial(x, 2),
    "arange": lambda t, d, x: t.arange(3, dtype=d),
    "linspace": lambda t, d, x: t.linspace(0, 1, 3, dtype=d),
    "logspace": lambda t, d, x: t.logspace(0, 1, 3, dtype=d),
    **{
        name: lambda t, d, x, name=name: getattr(x, name)()
        for name in (
            "uniform_", "normal_", "random_", "exponential_", "cauchy_", "log_normal_", "bernoulli_"
        )
    },
    "geometric_": lambda t, d, x: x.geometric_(0.5),
    "random_ below": lambda t, d, x: x.random_(5),
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLERS)
def test_numbers_that_are_not_made_in_float8(name):
    refused = []
    for library in (torch, ours):
        d = library.float8_e5m2
        with pytest.raises(NotImplementedError) as error:
            SAMPLERS[name](library, d, library.ones(3).to(d))
        refused.append(str(error.value))
    assert refused[0] == refused[1]


@pytest.mark.parametrize("kind", KINDS)
def test_products_and_derivatives(kind):
    """A product beyond the largest number, and the derivative of a cast, which does not see what was cut off."""
    results = []
    for library in (torch, ours):
        x = library.tensor([400.0, 1.5, -0.0156], requires_grad=True)
        x8 = x.to(getattr(library, kind))
        outer, linear = x8[:, None] @ x8[None], library.nn.functional.linear(x8[None], x8[None], x8[:1])
        x8.float().mul(2).sum().backward()
        results.append(
            [t.detach().float().tolist() for t in (x8 * x8, outer, linear, library.addmm(x8, outer, outer), x.grad)]
        )  # fmt: skip
    np.testing.assert_equal(*results)
