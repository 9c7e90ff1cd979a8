"""Ops that are computed element by element."""

from __future__ import annotations

import math
from typing import Any

from .._core.api import bool_, float32, promote_types
from .builder import RULES, Builder, Value, rule
from .errors import UnsupportedOperatorError

_UNARY = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan",
    "atanh": "Atanh", "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh",
    "erf": "Erf", "special_erf": "Erf", "exp": "Exp", "floor": "Floor", "log": "Log", "neg": "Neg",
    "reciprocal": "Reciprocal", "round": "Round", "sigmoid": "Sigmoid",
    "sign": "Sign", "sgn": "Sign", "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh",
    "hardswish": "HardSwish", "softsign": "Softsign",
}  # fmt: skip


def _unary(op: str):
    def write(b: Builder, self: Any, *rest: Any, **more: Any) -> Value:
        if (rest or more) and b.op != "hardswish":  # which has `inplace`
            raise UnsupportedOperatorError(f"arguments beyond the tensor: {rest or more}")
        return b(op, b.cast(self, b.dtype))

    return write


RULES.update({name: _unary(op) for name, op in _UNARY.items()})


@rule("relu", "relu6")
def relu(b: Builder, self: Any, inplace: bool = False) -> Value:
    out = b("Relu", self)
    return b("Min", out, b.cast(6, self.dtype)) if b.op == "relu6" else out


@rule("rsqrt")
def rsqrt(b: Builder, self: Any) -> Value:
    return b("Reciprocal", b("Sqrt", b.cast(self, b.dtype)))


@rule("square")
def square(b: Builder, self: Any) -> Value:
    return b("Mul", self, self)


@rule("exp2", "special_exp2")
def exp2(b: Builder, self: Any) -> Value:
    return b("Pow", b.cast(2, b.dtype), b.cast(self, b.dtype))


@rule("log2", "log10")
def log_of_base(b: Builder, self: Any) -> Value:
    return b("Div", b("Log", b.cast(self, b.dtype)), b.cast(math.log(2 if b.op == "log2" else 10), b.dtype))


@rule("isnan", "isinf")
def isnan(b: Builder, self: Any) -> Value:
    return b("IsNaN" if b.op == "isnan" else "IsInf", self, dtype=bool_)


@rule("logical_not", "bitwise_not")
def logical_not(b: Builder, self: Any) -> Value:
    if b.op == "bitwise_not" and self.dtype is not bool_:
        return b("BitwiseNot", self)
    return b("Not", b.cast(self, bool_))


# -- two tensors


def _pair(b: Builder, x: Any, y: Any, dtype: Any) -> tuple[Value, Value]:
    return b.cast(x, dtype), b.cast(y, dtype)


def common(x: Any, y: Any) -> Any:
    """The dtype in which two arguments are compared: a number takes the tensor's, if that has its kind of numbers;
    so does a tensor without dims."""
    x, y = (y, x) if not isinstance(x, Value) else (x, y)
    if not isinstance(y, Value):
        return float32 if isinstance(y, float) and not x.dtype.is_floating_point else x.dtype
    same_kind = x.dtype.is_floating_point is y.dtype.is_floating_point and bool_ not in (x.dtype, y.dtype)
    if same_kind and (x.ndim == 0) is not (y.ndim == 0):
        return y.dtype if x.ndim == 0 else x.dtype
    return promote_types(x.dtype, y.dtype)


@rule("add", "sub", "rsub", "subtract")
def add(b: Builder, self: Any, other: Any, alpha: Any = 1) -> Value:
    if b.op == "rsub":
        self, other = other, self
    x, y = _pair(b, self, other, b.dtype)
    if b.dtype is bool_:
        return b("Or", x, y)
    if alpha != 1:
        y = b("Mul", y, b.cast(alpha, b.dtype))
    return b("Add" if b.op == "add" else "Sub", x, y)


@rule("mul", "multiply")
def mul(b: Builder, self: Any, other: Any) -> Value:
    return b("And" if b.dtype is bool_ else "Mul", *_pair(b, self, other, b.dtype))


@rule("div", "true_divide", "divide", "floor_divide")
def div(b: Builder, self: Any, other: Any, rounding_mode: str | None = None) -> Value:
    mode = "floor" if b.op == "floor_divide" else rounding_mode
    x, y = _pair(b, self, other, b.dtype)
    if mode is None:
        return b("Div", x, y)
    if b.dtype.is_floating_point:
        out = b("Div", x, y)
        return b("Floor", out) if mode == "floor" else b("Mul", b("Sign", out), b("Floor", b("Abs", out)))
    out = b("Div", x, y)  # towards zero
    if mode == "trunc":
        return out
    rest = b("Sub", x, b("Mul", out, y))
    below = b(
        "And",
        b("Not", b("Equal", rest, b.cast(0, b.dtype), dtype=bool_)),
        b("Less", b("Mul", b("Sign", rest), b("Sign", y)), b.cast(0, b.dtype), dtype=bool_),
    )
    return b("Sub", out, b.cast(below, b.dtype))


@rule("remainder", "fmod")
def remainder(b: Builder, self: Any, other: Any) -> Value:
    x, y = _pair(b, self, other, b.dtype)
    if b.op == "fmod":
        return b("Mod", x, y, fmod=1)
    if not b.dtype.is_floating_point:
        return b("Mod", x, y)
    return b("Sub", x, b("Mul", y, b("Floor", b("Div", x, y))))


@rule("pow", "float_power")
def power(b: Builder, self: Any, exponent: Any) -> Value:
    x = b.cast(self, b.dtype)
    if exponent == 2 and not isinstance(exponent, Value):
        return b("Mul", x, x)
    return b("Pow", x, b.cast(exponent, b.dtype))


@rule("maximum", "minimum", "fmax", "fmin")
def maximum(b: Builder, self: Any, other: Any) -> Value:
    return b("Max" if "max" in b.op else "Min", *_pair(b, self, other, b.dtype))


@rule("atan2")
def atan2(b: Builder, self: Any, other: Any) -> Value:
    y, x = _pair(b, self, other, b.dtype)
    zero, pi = b.cast(0, b.dtype), b.cast(math.pi, b.dtype)
    angle = b("Atan", b("Div", y, x))
    turned = b(
        "Where", b("Less", y, zero, dtype=bool_), b("Sub", angle, pi), b("Add", angle, pi), dtype=b.dtype
    )
    return b("Where", b("Less", x, zero, dtype=bool_), turned, angle, dtype=b.dtype)


_COMPARISONS = {
    "eq": "Equal",
    "gt": "Greater",
    "ge": "GreaterOrEqual",
    "lt": "Less",
    "le": "LessOrEqual",
    "ne": "Equal",
}


@rule(*_COMPARISONS)
def compare(b: Builder, self: Any, other: Any) -> Value:
    out = b(_COMPARISONS[b.op], *_pair(b, self, other, common(self, other)), dtype=bool_)
    return b("Not", out) if b.op == "ne" else out


@rule(
    "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "and", "or", "xor"
)
def logical(b: Builder, self: Any, other: Any) -> Value:
    name = b.op.rpartition("_")[2].title()
    if b.dtype is bool_:
        return b(name, *_pair(b, self, other, bool_))
    return b(f"Bitwise{name}", *_pair(b, self, other, b.dtype))


# -- more of them


@rule("where")
def where(b: Builder, condition: Any, self: Any, other: Any) -> Value:
    return b("Where", condition, *_pair(b, self, other, b.dtype), dtype=b.dtype)


@rule("masked_fill")
def masked_fill(b: Builder, self: Any, mask: Any, value: Any) -> Value:
    return b("Where", mask, b.cast(value, b.dtype), self, dtype=b.dtype)


@rule("clamp", "clip", "clamp_min", "clamp_max", "hardtanh")
def clamp(b: Builder, self: Any, min: Any = None, max: Any = None, inplace: bool = False) -> Value:
    if b.op == "clamp_max":
        min, max = None, min
    if b.op == "hardtanh":
        min, max = -1.0 if min is None else min, 1.0 if max is None else max
    out = b.cast(self, b.dtype)
    if min is not None:
        out = b("Max", out, b.cast(min, b.dtype))
    return out if max is None else b("Min", out, b.cast(max, b.dtype))


@rule("addcmul", "addcdiv")
def addcmul(b: Builder, self: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Value:
    part = b("Mul" if b.op == "addcmul" else "Div", b.cast(tensor1, b.dtype), b.cast(tensor2, b.dtype))
    return b("Add", self, b("Mul", part, b.cast(value, b.dtype)) if value != 1 else part)


@rule("lerp")
def lerp(b: Builder, self: Any, end: Any, weight: Any) -> Value:
    return b("Add", self, b("Mul", b.cast(weight, b.dtype), b("Sub", end, self)))


@rule("expm1", "special_expm1")
def expm1(b: Builder, self: Any) -> Value:
    # exp(x) - 1 loses digits near 0: 2 sinh(x/2) exp(x/2) does not
    half = b("Mul", b.cast(self, b.dtype), b.cast(0.5, b.dtype))
    return b("Mul", b("Mul", b("Sinh", half), b("Exp", half)), b.cast(2, b.dtype))


@rule("log1p", "special_log1p")
def log1p(b: Builder, self: Any) -> Value:
    # 2 atanh(x / (x + 2)): log(1 + x) loses digits near 0
    x = b.cast(self, b.dtype)
    return b("Mul", b("Atanh", b("Div", x, b("Add", x, b.cast(2, b.dtype)))), b.cast(2, b.dtype))


# -- activations


@rule("gelu")
def gelu(b: Builder, self: Any, approximate: str = "none") -> Value:
    if b.opset >= 20:
        return b("Gelu", self, approximate=approximate)
    half, one = b.cast(0.5, b.dtype), b.cast(1, b.dtype)
    if approximate == "tanh":
        cube = b("Mul", b("Mul", b("Mul", self, self), self), b.cast(0.044715, b.dtype))
        inner = b("Tanh", b("Mul", b("Add", self, cube), b.cast(math.sqrt(2 / math.pi), b.dtype)))
    else:
        inner = b("Erf", b("Div", self, b.cast(math.sqrt(2), b.dtype)))
    return b("Mul", b("Mul", self, b("Add", inner, one)), half)


@rule("silu")
def silu(b: Builder, self: Any, inplace: bool = False) -> Value:
    return b("Mul", self, b("Sigmoid", self))


@rule("mish")
def mish(b: Builder, self: Any, inplace: bool = False) -> Value:
    return b("Mish", self)


@rule("hardsigmoid")
def hardsigmoid(b: Builder, self: Any, inplace: bool = False) -> Value:
    return b("HardSigmoid", self, alpha=1 / 6, beta=0.5)


def _with(op: str, attribute: str, usual: float):
    def write(b: Builder, self: Any, value: Any = usual, inplace: bool = False) -> Value:
        return b(op, self, **{attribute: float(value)})

    return write


RULES.update(
    leaky_relu=_with("LeakyRelu", "alpha", 0.01),
    elu=_with("Elu", "alpha", 1.0),
    celu=_with("Celu", "alpha", 1.0),
)


@rule("selu")
def selu(b: Builder, self: Any, inplace: bool = False) -> Value:
    return b("Selu", self)


@rule("softplus")
def softplus(b: Builder, self: Any, beta: Any = 1.0, threshold: Any = 20.0) -> Value:
    x = b("Mul", self, b.cast(beta, b.dtype)) if beta != 1 else self
    out = b("Softplus", x)
    out = b("Div", out, b.cast(beta, b.dtype)) if beta != 1 else out
    return b("Where", b("Greater", x, b.cast(threshold, b.dtype), dtype=bool_), self, out, dtype=b.dtype)


@rule("logsigmoid", "log_sigmoid")
def logsigmoid(b: Builder, self: Any) -> Value:
    return b("Neg", b("Softplus", b("Neg", self)))


@rule("prelu")
def prelu(b: Builder, self: Any, weight: Any) -> Value:
    if b.numel(weight) != 1 and self.ndim > 2:
        weight = b.reshape(weight, (*weight.shape, *[1] * (self.ndim - 2)))
    return b("PRelu", self, weight)


# -- what leaves numbers as they are


@rule(
    "clone",
    "detach",
    "contiguous",
    "alias",
    "lift_fresh_copy",
    "positive",
    "detach_copy",
    "dropout",
    "alpha_dropout",
    "feature_dropout",
)
def same(b: Builder, self: Any, *args: Any, **kwargs: Any) -> Value:
    if "dropout" in b.op and (
        args[1] if len(args) > 1 else kwargs.get("train", kwargs.get("training", True))
    ):
        raise UnsupportedOperatorError(
            "the module draws random numbers, which ONNX cannot export; call module.eval() first"
        )
    return self


@rule("to", "_to_copy", "_cast", "type_as", "float", "half", "long", "int", "bool", "double")
def cast(b: Builder, self: Any, *args: Any, **kwargs: Any) -> Value:
    return b.cast(self, b.dtype)
