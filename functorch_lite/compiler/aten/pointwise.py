"""Rules of what is computed element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core.api import UNSET, contiguous_format
from .emit import Emit, Pulled, is_number, rule, shape_of, val_of


def _unary(name: str, derivative: Callable[..., Any]) -> None:
    """An op of one tensor. derivative(emit, gradient, input, result)."""
    short = name.rpartition(".")[2]

    @rule(name)
    def lower(e: Emit, input: Any, *_: Any) -> Any:
        out = e(f"{short}.default", input)
        return Pulled(out, lambda g, wanted: {"input": derivative(e, g[0], input, out)})


def _mul(e: Emit, a: Any, b: Any) -> Any:
    return e("mul.Tensor", a, b)


_unary("sin", lambda e, g, x, y: _mul(e, g, e("cos.default", x)))
_unary("cos", lambda e, g, x, y: _mul(e, g, e("neg.default", e("sin.default", x))))
_unary("exp", lambda e, g, x, y: _mul(e, g, y))
_unary("log", lambda e, g, x, y: e("div.Tensor", g, x))
_unary("neg", lambda e, g, x, y: e("neg.default", g))
_unary("abs", lambda e, g, x, y: _mul(e, g, e("sgn.default", x)))
_unary("sqrt", lambda e, g, x, y: e("div.Tensor", g, e("mul.Tensor", y, 2)))
_unary("tanh", lambda e, g, x, y: e("tanh_backward.default", g, y))
_unary("sigmoid", lambda e, g, x, y: e("sigmoid_backward.default", g, y))
_unary("nn.functional.sigmoid", lambda e, g, x, y: e("sigmoid_backward.default", g, y))
_unary("nn.functional.tanh", lambda e, g, x, y: e("tanh_backward.default", g, y))
_unary("relu", lambda e, g, x, y: e("threshold_backward.default", g, y, 0))
_unary("nn.functional.relu", lambda e, g, x, y: e("threshold_backward.default", g, y, 0))
_unary("nn.functional.silu", lambda e, g, x, y: e("silu_backward.default", g, x))


@rule("nn.functional.gelu")
def gelu(e: Emit, input: Any, approximate: str = "none") -> Any:
    """Gelu, exact or by tanh."""
    how = {} if approximate == "none" else {"approximate": approximate}
    out = e("gelu.default", input, **how)
    return Pulled(out, lambda g, wanted: {"input": e("gelu_backward.default", g[0], input, **how)})


def _alpha(alpha: Any) -> dict[str, Any]:
    return {} if alpha == 1 and type(alpha) is int else {"alpha": alpha}


@rule("add")
def add(e: Emit, input: Any, other: Any, alpha: Any = 1) -> Any:
    """A sum; the first argument that is not a number is first, as in PyTorch."""
    return _sum(e, "add", input, other, alpha, lambda g: g)


@rule("sub")
def sub(e: Emit, input: Any, other: Any, alpha: Any = 1) -> Any:
    """A difference."""
    return _sum(e, "sub", input, other, alpha, lambda g: e("neg.default", g))


def _sum(e: Emit, name: str, input: Any, other: Any, alpha: Any, of_other: Callable) -> Any:
    out = e(f"{name}.Tensor", input, other, **_alpha(alpha))

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        found = {}
        if "other" in wanted:
            scaled = g[0] if not _alpha(alpha) else _mul(e, g[0], alpha)
            found["other"] = e.summed(of_other(scaled), other)
        if "input" in wanted:
            found["input"] = e.summed(g[0], input)
        return found

    return Pulled(out, pull)


@rule("rsub")
def rsub(e: Emit, input: Any, other: Any, alpha: Any = 1) -> Any:
    """other - input."""
    out = e("rsub.Scalar" if is_number(other) else "rsub.Tensor", input, other, *([alpha] if _alpha(alpha) and is_number(other) else []), **({} if is_number(other) else _alpha(alpha)))  # fmt: skip
    if _alpha(alpha) or not is_number(other):
        return out
    return Pulled(out, lambda g, wanted: {"input": e("neg.default", g[0])})


@rule("mul")
def mul(e: Emit, input: Any, other: Any) -> Any:
    """A product."""
    out = e("mul.Tensor", input, other)

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        found = {}
        if "other" in wanted:
            found["other"] = e.summed(_mul(e, g[0], input), other)
        if "input" in wanted:
            found["input"] = e.summed(_mul(e, g[0], other), input)
        return found

    return _real(out, pull, input, other)


@rule("div")
def div(e: Emit, input: Any, other: Any, rounding_mode: str | None = None) -> Any:
    """A quotient, rounded or not."""
    if rounding_mode is not None:
        name = "div.Scalar_mode" if is_number(other) else "div.Tensor_mode"
        return e(name, input, other, rounding_mode=rounding_mode)
    out = e("div.Tensor", input, other)

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        found = {}
        if "other" in wanted:
            both = e("div.Tensor", e("div.Tensor", input, other), other)
            found["other"] = e.summed(_mul(e, e("neg.default", g[0]), both), other)
        if "input" in wanted:
            found["input"] = e.summed(e("div.Tensor", g[0], other), input)
        return found

    return _real(out, pull, input, other)


def _real(out: Any, pull: Callable, *inputs: Any) -> Any:
    """Attaches the derivative to a result, where nothing is to be conjugated."""
    dtypes = [val_of(x).dtype for x in (out, *inputs) if not is_number(x)]
    return Pulled(out, pull) if all(d is dtypes[0] for d in dtypes) and not dtypes[0].is_complex else out


@rule("pow")
def pow(e: Emit, input: Any, exponent: Any) -> Any:
    """A power."""
    if is_number(input):
        return e("pow.Scalar", input, exponent)
    if not is_number(exponent):
        return e("pow.Tensor_Tensor", input, exponent)
    out = e("pow.Tensor_Scalar", input, exponent)
    if isinstance(exponent, complex) or exponent == 0 or not isinstance(exponent, int | float):
        return out

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        lower = e("pow.Tensor_Scalar", input, float(exponent - 1))
        return {"input": _mul(e, g[0], e("mul.Scalar", lower, float(exponent)))}

    return _real(out, pull, input)


@rule("square")
def square(e: Emit, input: Any) -> Any:
    """The square."""
    return pow(e, input, 2)


@rule("where")
def where(e: Emit, condition: Any, input: Any, other: Any) -> Any:
    """Chooses one input or the other."""
    if is_number(input) or is_number(other):
        name = "Scalar" if is_number(input) and is_number(other) else "ScalarSelf" if is_number(input) else "ScalarOther"  # fmt: skip
        return e(f"where.{name}", condition, input, other)
    out = e("where.self", condition, input, other)

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        found = {}
        zero = e("scalar_tensor.default", 0.0, dtype=val_of(g[0]).dtype)
        if "input" in wanted:
            found["input"] = e.summed(e("where.self", condition, g[0], zero), input)
        if "other" in wanted:
            found["other"] = e.summed(e("where.self", condition, zero, g[0]), other)
        return found

    return _real(out, pull, input, other)


@rule("masked_fill")
def masked_fill(e: Emit, input: Any, mask: Any, value: Any) -> Any:
    """A number where the mask is."""
    out = e("masked_fill.Scalar" if is_number(value) else "masked_fill.Tensor", input, mask, value)
    if not is_number(value) or shape_of(out) != shape_of(input):
        return out
    return Pulled(out, lambda g, wanted: {"input": e("masked_fill.Scalar", g[0], mask, 0)})


@rule("clamp")
def clamp(e: Emit, input: Any, min: Any = None, max: Any = None) -> Any:
    """Clamps between bounds."""
    if any(not is_number(x) for x in (min, max) if x is not None):
        return e("clamp.Tensor", input, *_trimmed((min, None), (max, None)))
    return e("clamp.default", input, *_trimmed((min, None), (max, None)))


def _trimmed(*given: tuple[Any, Any]) -> list[Any]:
    """Arguments without the last ones that are their defaults (the second of each pair)."""
    count = len(given)
    while count and given[count - 1][0] is given[count - 1][1]:
        count -= 1
    return [x for x, _ in given[:count]]


@rule("_cast")
def cast(e: Emit, input: Any, dtype: Any) -> Any:
    """A conversion."""
    out = e("_to_copy.default", input, dtype=dtype)
    before = val_of(input)
    if is_number(input) or not before.dtype.is_floating_point or not dtype.is_floating_point:
        return out
    return Pulled(out, lambda g, wanted: {"input": e("_to_copy.default", g[0], dtype=before.dtype)})


@rule("clone")
def clone(e: Emit, input: Any, memory_format: Any = None) -> Any:
    """A copy."""
    given = {} if memory_format in (None, UNSET) else {"memory_format": memory_format}
    if not given and not val_of(input).is_contiguous():  # what `contiguous()` records, too
        given = {"memory_format": contiguous_format}
    return Pulled(e("clone.default", input, **given), lambda g, wanted: {"input": g[0]})


@rule("fill")
def fill(e: Emit, input: Any, value: Any) -> Any:
    """A tensor of one number."""
    return e("fill.Scalar" if is_number(value) else "fill.Tensor", input, value)
