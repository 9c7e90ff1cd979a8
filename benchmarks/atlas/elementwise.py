"""Rows of pointwise ops, reductions and scans, at 10³, 10⁵ and 10⁷ elements."""

from __future__ import annotations

from .rows import Row, floats, ints, sizes

UNARY = {
    "sin": lambda t, x: t.sin(x),
    "cos": lambda t, x: t.cos(x),
    "tan": lambda t, x: t.tan(x),
    "exp": lambda t, x: t.exp(x),
    "expm1": lambda t, x: t.expm1(x),
    "tanh": lambda t, x: t.tanh(x),
    "sigmoid": lambda t, x: t.sigmoid(x),
    "erf": lambda t, x: t.erf(x),
    "gelu": lambda t, x: t.nn.functional.gelu(x),
    "gelu tanh": lambda t, x: t.nn.functional.gelu(x, approximate="tanh"),
    "silu": lambda t, x: t.nn.functional.silu(x),
    "softplus": lambda t, x: t.nn.functional.softplus(x),
    "mish": lambda t, x: t.nn.functional.mish(x),
    "elu": lambda t, x: t.nn.functional.elu(x),
    "relu": lambda t, x: t.relu(x),
    "abs": lambda t, x: t.abs(x),
    "square": lambda t, x: t.square(x),
    "round": lambda t, x: t.round(x),
    "atan": lambda t, x: t.atan(x),
    "asinh": lambda t, x: t.asinh(x),
    "sinh": lambda t, x: t.sinh(x),
    "double": lambda t, x: x.double(),
    "half": lambda t, x: x.half(),
    "clamp": lambda t, x: t.clamp(x, -1, 1),
}
POSITIVE = {
    "log": lambda t, x: t.log(x),
    "log1p": lambda t, x: t.log1p(x),
    "sqrt": lambda t, x: t.sqrt(x),
    "rsqrt": lambda t, x: t.rsqrt(x),
    "pow 1.7": lambda t, x: x**1.7,
    "lgamma": lambda t, x: t.lgamma(x),
    "digamma": lambda t, x: t.digamma(x),
    "reciprocal": lambda t, x: t.reciprocal(x),
}
INSIDE = {
    "asin": lambda t, x: t.asin(x - 0.5),
    "acos": lambda t, x: t.acos(x - 0.5),
    "atanh": lambda t, x: t.atanh(x - 0.5),
    "erfinv": lambda t, x: t.erfinv(x - 0.5),
    "logit": lambda t, x: t.logit(x),
}
BINARY = {
    "add": lambda t, x, y: x + y,
    "mul": lambda t, x, y: x * y,
    "div": lambda t, x, y: x / y,
    "atan2": lambda t, x, y: t.atan2(x, y),
    "maximum": lambda t, x, y: t.maximum(x, y),
    "where": lambda t, x, y: t.where(x > 0, x, y),
    "hypot": lambda t, x, y: t.hypot(x, y),
    "fmod": lambda t, x, y: t.fmod(x, y),
    "remainder": lambda t, x, y: t.remainder(x, y),
    "lerp": lambda t, x, y: t.lerp(x, y, 0.3),
    "logaddexp": lambda t, x, y: t.logaddexp(x, y),
    "floor_divide": lambda t, x, y: t.floor_divide(x, y),
    "mse_loss": lambda t, x, y: t.nn.functional.mse_loss(x, y),
    "smooth_l1": lambda t, x, y: t.nn.functional.smooth_l1_loss(x, y),
}
REDUCED = {
    "sum": lambda t, x: x.sum(),
    "sum dim 0": lambda t, x: x.sum(0),
    "sum dim 1": lambda t, x: x.sum(1),
    "mean dim 1": lambda t, x: x.mean(1),
    "var dim 1": lambda t, x: x.var(1),
    "norm dim 1": lambda t, x: x.norm(dim=1),
    "logsumexp": lambda t, x: t.logsumexp(x, 1),
    "softmax": lambda t, x: t.softmax(x, 1),
    "log_softmax": lambda t, x: t.log_softmax(x, 1),
    "max dim 1": lambda t, x: tuple(x.max(1)),
    "max dim 0": lambda t, x: tuple(x.max(0)),
    "amax dim 1": lambda t, x: x.amax(1),
    "prod dim 1": lambda t, x: x.prod(1),
    "cumsum dim 1": lambda t, x: x.cumsum(1),
    "cumsum dim 0": lambda t, x: x.cumsum(0),
    "cumprod dim 1": lambda t, x: x.cumprod(1),
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, (x.shape[-1],)),
}
REDUCED_ONLY = {
    "argmax dim 1": lambda t, x: x.argmax(1),
    "argmin": lambda t, x: x.argmin(),
    "any": lambda t, x: (x > 3).any(1),
    "cummax dim 1": lambda t, x: tuple(x.cummax(1)),
    "logcumsumexp": lambda t, x: t.logcumsumexp(x, 1),
    "count_nonzero": lambda t, x: t.count_nonzero(x > 0, 1),
}


def _at(n: int) -> tuple[int, int]:
    return {10**3: (10, 100), 10**5: (250, 400), 10**7: (2500, 4000)}[n]


def rows() -> list[Row]:
    """All of them."""
    found: list[Row] = []
    for n in (10**3, 10**5, 10**7):
        at = _at(n)
        backward = (False, True) if n == 10**5 else (False,)
        for table, make in (
            (UNARY, floats(at)),
            (POSITIVE, floats(at, low=0.1)),
            (INSIDE, floats(at, low=0.0)),
            (BINARY, floats(at, at)),
            (REDUCED, floats(at)),
        ):
            group = "reductions and scans" if table is REDUCED else "pointwise"
            for name, fn in table.items():
                for b in backward:
                    if b and name in ("round", "floor_divide"):
                        continue
                    found.append(Row(group, f"{name} {sizes(n)}", fn, make, b))
        found += [
            Row("reductions and scans", f"{name} {sizes(n)}", fn, floats(at), False)
            for name, fn in REDUCED_ONLY.items()
        ]
    at = _at(10**5)
    for name in ("exp", "sin", "tanh", "gelu", "sigmoid"):
        for dtype in ("float64", "bfloat16"):
            found.append(
                Row(
                    "pointwise",
                    f"{name} {dtype} 100k",
                    UNARY[name],
                    floats(at, dtype="float64" if dtype == "float64" else "float32"),
                    takes=frozenset({1}) if dtype == "bfloat16" else frozenset(),
                )
            )
    for name in ("sum dim 1", "softmax", "cumsum dim 1", "max dim 1"):
        found.append(
            Row("reductions and scans", f"{name} float64 100k", REDUCED[name], floats(at, dtype="float64"))
        )
    found.append(Row("pointwise", "add int64 100k", BINARY["add"], ints(100, at, at)))
    found.append(Row("pointwise", "mul int64 10M", BINARY["mul"], ints(100, _at(10**7), _at(10**7))))
    found.append(
        Row(
            "pointwise",
            "floor_divide int64 100k",
            lambda t, x, y: t.div(x, y + 1, rounding_mode="floor"),
            ints(100, at, at),
        )
    )
    return found
