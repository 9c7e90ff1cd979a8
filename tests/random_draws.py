"""Draws that the engine "mt19937" makes as PyTorch does: name -> (function of a torch, whether the numbers are equal to
the bit)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Draw = Callable[[Any], Any]

SEED = 5

DRAWS: dict[str, tuple[Draw, bool]] = {}


def _each_dtype(dt: str) -> None:
    def add(name: str, draw: Callable[[Any, Any], Any], exact: bool = True) -> None:
        DRAWS[f"{name} {dt}"] = (lambda torch: draw(torch, getattr(torch, dt)), exact)

    for n in (3, 16, 20):
        add(f"randn {n}", lambda t, d, n=n: t.randn(n, dtype=d), exact=False)
    add("rand", lambda t, d: t.rand(2, 3, dtype=d))
    add("normal_", lambda t, d: t.empty(18, dtype=d).normal_(1.5, 0.3), exact=False)
    add("normal", lambda t, d: t.normal(t.arange(5, dtype=d), t.ones(5, dtype=d) * 2), exact=False)
    add("uniform_", lambda t, d: t.empty(7, dtype=d).uniform_(-0.3, 0.7))
    add("exponential_", lambda t, d: t.empty(5, dtype=d).exponential_(1.7), exact=False)
    add("bernoulli_", lambda t, d: t.empty(9, dtype=d).bernoulli_(0.3))
    add("bernoulli_ of a tensor", lambda t, d: t.empty(9).bernoulli_(t.full((9,), 0.3, dtype=d)))
    add("bernoulli", lambda t, d: t.bernoulli(t.full((9,), 0.3, dtype=d)))
    add("cauchy_", lambda t, d: t.empty(5, dtype=d).cauchy_(1, 2), exact=False)
    add("geometric_", lambda t, d: t.empty(9, dtype=d).geometric_(0.3))
    add("log_normal_", lambda t, d: t.empty(5, dtype=d).log_normal_(0.3, 0.5), exact=False)
    add("random_", lambda t, d: t.empty(5, dtype=d).random_())
    add("random_ below", lambda t, d: t.empty(5, dtype=d).random_(7))
    add("transposed", lambda t, d: t.empty(3, 4, dtype=d).t().uniform_())
    add("every second", lambda t, d: t.empty(5, 8, dtype=d)[:, ::2].normal_(), exact=False)
    add("multinomial", lambda t, d: t.multinomial(t.tensor([0.1, 0.2, 0.3, 0.4], dtype=d), 3))
    add("multinomial again", lambda t, d: t.multinomial(t.tensor([[1.0, 2, 3], [3, 1, 0]], dtype=d), 4, True))


for _dt in ("float32", "float64"):
    _each_dtype(_dt)
for _dt in ("uint8", "int8", "int16", "int32", "int64", "bool"):
    DRAWS[f"random_ {_dt}"] = (lambda t, dt=_dt: t.empty(5, dtype=getattr(t, dt)).random_(), True)
for _n in (10, 2**28 - 1, 2**28, 2**33, 2**62):
    DRAWS[f"randint {_n}"] = (lambda t, n=_n: t.randint(-n // 2, n // 2, (4,)), True)
for _n in (0, 1, 2, 12):
    DRAWS[f"randperm {_n}"] = (lambda t, n=_n: t.randperm(n), True)
DRAWS |= {
    "rand complex": (lambda t: t.rand(3, dtype=t.complex64), True),
    "randn complex": (lambda t: t.randn(9, dtype=t.complex64), False),
    "one after the other": (
        lambda t: t.cat([t.randn(3), t.randn(2), t.rand(2), t.randn(1), t.randn(16), t.randn(4)]),
        False,
    ),
    "Linear": (lambda t: t.nn.Linear(3, 4).weight.detach(), True),
    "Conv2d": (lambda t: t.nn.Conv2d(2, 3, 2).bias.detach(), True),
    "Embedding": (lambda t: t.nn.Embedding(4, 5).weight.detach(), False),
    "kaiming_normal_": (lambda t: t.nn.init.kaiming_normal_(t.empty(5, 4)), False),
    "xavier_uniform_": (lambda t: t.nn.init.xavier_uniform_(t.empty(5, 4)), True),
    "trunc_normal_": (lambda t: t.nn.init.trunc_normal_(t.empty(5, 4), 0.1, 0.8, -1.0, 1.0), False),
    "dropout": (lambda t: t.nn.functional.dropout(t.ones(12), 0.3), True),
    "dropout2d": (lambda t: t.nn.functional.dropout2d(t.ones(2, 5, 1, 2), 0.3), True),
    "alpha_dropout": (lambda t: t.nn.functional.alpha_dropout(t.ones(12), 0.3, True), False),
    "dropout1d": (lambda t: t.nn.functional.dropout1d(t.ones(6, 2), 0.3), True),
    "dropout2d of three dims": (lambda t: t.nn.functional.dropout2d(t.ones(2, 4, 2), 0.3), True),
    "dropout3d": (lambda t: t.nn.functional.dropout3d(t.ones(6, 1, 2, 1), 0.3), True),
    "feature_dropout": (lambda t: t.feature_dropout(t.ones(2, 4, 2), 0.3, True), True),
    "feature_alpha_dropout": (
        lambda t: t.nn.functional.feature_alpha_dropout(t.ones(2, 4, 2), 0.3, True),
        False,
    ),
}


def _wide(x: Any) -> Any:
    """What numpy can hold: bfloat16 is no dtype of its."""
    return x.double() if x.dtype.itemsize == 2 else x


def _of_signs(t: Any, d: Any) -> Any:
    return t.tensor([[1.0, -1, 2, -2, 0, -3], [-4, 5, -6, -7, 8, -9]]).to(d)


for _dt in ("float16", "bfloat16", "float32", "float64"):
    for _n in (17, 31, 40):
        DRAWS[f"normal_ {_n} {_dt}"] = (
            lambda t, n=_n, dt=_dt: _wide(t.empty(n, dtype=getattr(t, dt)).normal_(0.5, 2)),
            False,
        )
    DRAWS[f"uniform_ up to the bound {_dt}"] = (
        lambda t, dt=_dt: _wide(t.empty(99, dtype=getattr(t, dt)).uniform_(1.9, 2)),
        True,
    )
    for _bounds in ((0.0, 1.0, -2.0, 2.0), (0.0, 1.0, -0.1, 0.1), (5.0, 1.0, -2.0, 2.0)):
        DRAWS[f"trunc_normal_ {_bounds} {_dt}"] = (
            lambda t, dt=_dt, by=_bounds: _wide(
                t.nn.init.trunc_normal_(t.empty(4, 5, dtype=getattr(t, dt)), *by)
            ),
            False,
        )
    if _dt != "float16":
        DRAWS[f"rrelu {_dt}"] = (
            lambda t, dt=_dt: _wide(t.nn.functional.rrelu(_of_signs(t, getattr(t, dt)), 0.1, 0.4, True)),
            True,
        )
DRAWS["rrelu transposed"] = lambda t: t.nn.functional.rrelu(_of_signs(t, t.float32).t(), 0.1, 0.4, True), True


def run(torch: Any, name: str) -> list[Any]:
    """The draws of this name from a fresh seed, and the two numbers that come after them, as numpy arrays."""
    torch.manual_seed(SEED)
    return [DRAWS[name][0](torch).numpy(), torch.rand(2).numpy()]
