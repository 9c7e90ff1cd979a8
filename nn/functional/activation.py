"""Activations: pointwise nonlinearities, and softmax with its kin.

At a kink the derivative is torch's (the gradient of `relu` at 0 is 0), which is why the branches are written with
`where` and the comparison that torch makes. Every branch is finite where it is not taken, so no gradient becomes nan.
`inplace` is carried out where the op is bound to tensors; the pure function ignores it.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from functorch_lite._core.api import (
    FOREVER,
    Array,
    Number,
    Order,
    check,
    check_type,
    default_dtype,
    dtype,
    dtype_of,
    dtypes,
    is_python_number,
    need_kind,
    no_kernel,
    reads,
    scalar_name,
    wrap_dim,
)
from functorch_lite.ops._pointwise import (
    as_number,
    category,
    check_fit,
    check_subtraction,
    differentiated,
    fit,
    no_dtype_asked,
)
from functorch_lite.ops._special import divide, quotient
from functorch_lite.ops._special import tanh as exact_tanh
from functorch_lite.ops.limits import positive_part
from functorch_lite.ops.reduce import norm
from functorch_lite.ops.sample import uniform01
from functorch_lite.ops.unary import abs as magnitude

from ._asked import DIM
from ._declare import compute, nn_op

__all__ = ["celu", "elu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log_softmax", "logsigmoid", "mish", "normalize", "prelu", "relu", "relu6", "rrelu", "selu", "sigmoid", "silu", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh", "tanhshrink", "threshold"]  # fmt: skip


@nn_op(inplace=True, saves="result")
def relu(input: Array, inplace: bool = False):
    """max(input, 0).

    >>> F.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    check(category(input) != 0, RuntimeError, "Boolean inputs not supported for relu")
    check(category(input) != 3, NotImplementedError, "clamp is not supported for complex types")
    return reads(positive_part(input), input, then=FOREVER)


def _clip(x, low, high):
    """Clips; the derivative is 0 on the bounds, as in torch's hardtanh."""
    low, high = (as_number(bound, dtype_of(x)) for bound in (low, high))
    clipped = reads(jnp.where(x <= low, low, jnp.where(x >= high, high, x)), x)
    return clipped if category(x) != 2 else jnp.where(jnp.isnan(low) | jnp.isnan(high), math.nan, clipped)


@nn_op(grad="Hardtanh")
def relu6(input: Array, inplace: bool = False):
    """min(max(input, 0), 6).

    >>> F.relu6(torch.tensor([-1., 3., 8.])).tolist()
    [0.0, 3.0, 6.0]
    """
    return hardtanh(input, 0, 6)


def _check_hardtanh(low, high, d: dtype) -> None:
    if is_python_number(low) and is_python_number(high):
        check(not low > high, ValueError, "min_val cannot be greater than max_val")
    check(d.category != 0, RuntimeError, "Bool inputs not supported for hardtanh")
    need_kind(d, "if", "clamp is not supported for complex types")
    if is_python_number(low) and not d.is_signed:
        check(low > -1, RuntimeError, "cannot do hardtanh on an unsigned type with negative limits")


def _bounds(op, static, inputs, result) -> None:
    _check_hardtanh(*inputs[1:3], result.dtype)
    for bound in inputs[1:3]:
        if is_python_number(bound):
            check_fit(bound, result.dtype)


@nn_op(inplace=True, numbers=_bounds)
def hardtanh(input: Array, min_val: Number = -1.0, max_val: Number = 1.0, inplace: bool = False):
    """Clips to [min_val, max_val]; keeps integer dtypes.

    Raises ValueError if min_val is larger than max_val.

    >>> F.hardtanh(torch.tensor([-3., 0.5, 3.]), -2.0, 2.0).tolist()
    [-2.0, 0.5, 2.0]
    """
    d = dtype_of(input)
    _check_hardtanh(min_val, max_val, d)
    if not d.is_signed:  # -0.5 becomes 0
        min_val = max(min_val, 0) if is_python_number(min_val) else jnp.maximum(min_val, 0)
    return _clip(input, min_val, max_val)


@nn_op(inplace=True, promote="default", numbers=fit("negative_slope", halves=dtypes.float32))
def leaky_relu(input: Array, negative_slope: Number = 0.01, inplace: bool = False):
    """input where it is positive, negative_slope * input elsewhere.

    >>> F.leaky_relu(torch.tensor([-4., 2.]), 0.5).tolist()
    [-2.0, 2.0]
    """
    need_kind(input, "f", "leaky_relu_cpu")
    return reads(jnp.where(input > 0, input, input * as_number(negative_slope, dtype_of(input))), input)


@nn_op(
    inplace=True,
    promote="default",
    numbers=fit("lower", "upper", halves=dtypes.float32),
    grad="RreluWithNoise",
)
def rrelu(
    input: Array,
    lower: Number = 1.0 / 8,
    upper: Number = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
):
    """leaky_relu with the mean of the two slopes; training draws them: _rrelu_train."""
    need_kind(input, "f", "leaky_relu_cpu")
    lower, upper = (as_number(bound, dtype_of(input)) for bound in (lower, upper))
    return reads(jnp.where(input > 0, input, input * ((lower + upper) / 2)), input)


@nn_op(saves="nothing", numbers=fit("lower", "upper", halves=dtypes.float32))
def _rrelu_train(input: Array, key: Array, lower: Number, upper: Number):
    """leaky_relu with slopes drawn uniformly from [lower, upper) (Xu et al. 2015, arXiv:1505.00853)."""
    need_kind(input, "f", "rrelu_with_noise_out_cpu")
    x = compute(input)
    u = uniform01(jnp, key, input.size, x.dtype).reshape(input.shape)
    return _rrelu_by(input, lower + u * (upper - lower))


@nn_op(saves="nothing")
def _rrelu_by(input: Array, slopes: Array):
    """leaky_relu with a slope for each element."""
    x = compute(input)
    return reads(jnp.where(x > 0, x, x * slopes.astype(x.dtype)), x).astype(input.dtype)


def _check_prelu(input, weight) -> None:
    message = f"prelu: Type promoting not supported. Got {scalar_name(input)} and {scalar_name(weight)}"
    check(input.dtype == weight.dtype, RuntimeError, message)
    message = f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}"
    check(weight.ndim <= 1, RuntimeError, message)
    if weight.size != 1:
        check(input.ndim > 0, RuntimeError, "Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.ndim > 1 else 1
        numbers = f"parameter numbers = {weight.size} and channel size = {channels}."
        message = f"Mismatch of parameter numbers and input channel size. Found {numbers}"
        check(channels == weight.size, RuntimeError, message)
    need_kind(input, "f", "prelu_cpu")


@nn_op(grad="PreluKernel", autocast="lower")
def prelu(input: Array, weight: Array):
    """leaky_relu whose slope is learned: one for all, or one for each channel (dim 1).

    Raises RuntimeError for a weight of another length.

    >>> F.prelu(torch.tensor([-4., 2.]), torch.tensor([0.5])).tolist()
    [-2.0, 2.0]
    """
    _check_prelu(input, weight)
    x, w = compute(input), compute(weight)
    w = w.reshape(()) if w.size == 1 else w.reshape((-1,) + (1,) * (input.ndim - 2))
    below = jnp.where(x > 0, jnp.zeros((), x.dtype), x)  # of x = inf the weight's derivative has no share
    # torch's derivative by the input reads it; that by the weight reads no more than it does
    above = reads(x, x)
    return jnp.where(x > 0, above, w * below).astype(input.dtype)


_exp_but_at_0 = differentiated(lambda t, out, x: t * jnp.where(x == 0, jnp.zeros((), x.dtype), out))(jnp.exp)
_expm1 = differentiated(lambda t, out, x: t * _exp_but_at_0(x))(jnp.expm1)
"""torch takes the second derivative of elu at 0 from the right."""


def _elu(x, alpha, inner=1.0):
    below = x <= 0  # false of nan, whose derivative is 1
    return jnp.where(below, alpha * _expm1(jnp.where(below, x, jnp.zeros((), x.dtype)) * inner), x)


def _check_number(who: str, name: str, x) -> None:
    check_type(x is not None and not isinstance(x, str | tuple | list), x, "Number", who, name, 2)


@nn_op(inplace=True, promote="default", numbers=fit("alpha", halves=dtypes.float32))
def elu(input: Array, alpha: Number = 1.0, inplace: bool = False):
    """input where it is positive, alpha * (exp(input) - 1) elsewhere.

    >>> [round(y, 3) for y in F.elu(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.632, 0.0, 2.0]
    """
    _check_number("elu", "alpha", alpha)
    need_kind(input, "f", "elu_cpu")
    return _elu(input, as_number(alpha, dtype_of(input)))


@nn_op(inplace=True, promote="default", grad="Elu")
def selu(input: Array, inplace: bool = False):
    """Scaled elu with the constants that keep mean 0 and variance 1 (Klambauer et al. 2017, arXiv:1706.02515).

    >>> [round(y, 3) for y in F.selu(torch.tensor([-1., 0., 2.])).tolist()]
    [-1.111, 0.0, 2.101]
    """
    need_kind(input, "f", "elu_cpu")
    return 1.0507009873554804934193349852946 * _elu(input, 1.6732632423543772848170429916717)


def _celu_divides(op, static, inputs, result) -> None:
    if is_python_number(inputs[1]):
        check(inputs[1] != 0, RuntimeError, "ZeroDivisionError: alpha cannot be 0 for CELU")
        check_fit(inputs[1], dtypes.float64)
        check_fit(inputs[1].real, result.dtype)


@nn_op(inplace=True, promote="default", numbers=_celu_divides)
def celu(input: Array, alpha: Number = 1.0, inplace: bool = False):
    """input where it is positive, alpha * (exp(input / alpha) - 1) elsewhere.

    Raises RuntimeError for alpha = 0.

    >>> [round(y, 3) for y in F.celu(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.632, 0.0, 2.0]
    """
    _check_number("celu", "alpha", alpha)
    known = is_python_number(alpha)
    check(not known or alpha != 0, RuntimeError, "ZeroDivisionError: alpha cannot be 0 for CELU")
    need_kind(input, "f", "elu_cpu")
    if known:
        check_fit(alpha, dtypes.float64)
    alpha = alpha.real
    return _elu(input, as_number(alpha, dtype_of(input)), 1.0 / alpha)


@nn_op(promote="default", out="exact", watches=True)
def gelu(input: Array, *, approximate: str = "none"):
    """input times the normal distribution function of input; approximate="tanh" for the cheaper formula.

    Raises RuntimeError for another `approximate` than "none" and "tanh".

    >>> [round(y, 3) for y in F.gelu(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.159, 0.0, 1.954]
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    need_kind(input, "f", "GeluKernelImpl")
    if approximate == "none":
        return input * (0.5 * (1 + jax.lax.erf(input * math.sqrt(0.5))))
    inner = math.sqrt(2 / math.pi) * (input + 0.044715 * (input * input * input))
    return 0.5 * input * (1 + jnp.tanh(inner))


@nn_op(promote="default")
def silu(input: Array, inplace: bool = False):
    """input * sigmoid(input).

    >>> [round(y, 3) for y in F.silu(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.269, 0.0, 1.762]
    """
    need_kind(input, "fc", "silu_cpu")
    return input * jax.lax.logistic(input)


@jax.custom_jvp
def stable_softplus(x):
    """log(1 + exp(x)), with the sigmoid as its derivative."""
    return jnp.maximum(x, 0) + jnp.log1p(jnp.exp(-jnp.abs(x)))


@stable_softplus.defjvp
def _stable_softplus_jvp(primals, tangents):
    return stable_softplus(*primals), jax.lax.logistic(*primals) * tangents[0]


@nn_op(promote="default")
def mish(input: Array, inplace: bool = False):
    """input * tanh(log(1 + exp(input))).

    >>> [round(y, 3) for y in F.mish(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.303, 0.0, 1.944]
    """
    need_kind(input, "f", "mish_cpu")
    return input * jnp.tanh(stable_softplus(input))


def _softplus_curvature(t, out, x, beta, threshold):
    sigmoid = jax.lax.logistic(x * beta)
    return t * (sigmoid * (1 - sigmoid) * (x * beta < threshold) * beta).astype(x.dtype)


@differentiated(_softplus_curvature, None, None)
def _softplus_slope(x, beta, threshold):
    return jnp.where(x * beta > threshold, jnp.ones((), x.dtype), jax.lax.logistic(x * beta))


@differentiated(lambda t, out, x, *numbers: t * _softplus_slope(x, *numbers), None, None)
def _softplus(x, beta, threshold):
    linear = x * beta > threshold
    small = jnp.where(linear, jnp.zeros((), x.dtype), x * beta)
    return jnp.where(linear, x, stable_softplus(small) / beta)


@nn_op(
    promote="default",
    numbers=fit("beta", "threshold", halves=dtypes.float32),
    out="exact",
    autocast=(None, "float"),
    watches=True,
)
def softplus(input: Array, beta: Number = 1.0, threshold: Number = 20.0):
    """log(1 + exp(beta * input)) / beta; input itself where beta * input > threshold.

    >>> [round(y, 3) for y in F.softplus(torch.tensor([-1., 0., 30.])).tolist()]
    [0.313, 0.693, 30.0]
    """
    need_kind(input, "f", "softplus_cpu")
    beta, threshold = (as_number(x, dtype_of(input)) for x in (beta, threshold))
    return _softplus(input, jnp.asarray(beta), jnp.asarray(threshold))


def _to_float(x):
    """(x in a floating point dtype to compute in, the dtype of the result); integers become the default dtype."""
    to = x.dtype if category(x) >= 2 else default_dtype().np
    return compute(x.astype(to)), to


@nn_op(grad="Div")
def softsign(input: Array):
    """input / (1 + |input|).

    >>> F.softsign(torch.tensor([-1., 0., 3.])).tolist()
    [-0.5, 0.0, 0.75]
    """
    need_kind(input, "ifc", "abs_cpu")
    x, to = _to_float(input)
    return divide(x, 1 + magnitude(x)).astype(to)  # whose derivative at 0 is 0, unlike that of JAX's


@nn_op(grad="Sub")
def tanhshrink(input: Array):
    """input - tanh(input).

    >>> [round(y, 3) for y in F.tanhshrink(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.238, 0.0, 1.036]
    """
    check_subtraction(input)
    x, to = _to_float(input)
    return (x - compute(jnp.tanh(x).astype(to))).astype(to)  # two operations in torch, each rounded


@nn_op(promote="float", saves="result")
def sigmoid(input: Array):
    """1 / (1 + exp(-input)).

    >>> F.sigmoid(torch.tensor([0.])).tolist()
    [0.5]
    """
    return jax.lax.logistic(input)


@nn_op(promote="float", saves="result")
def tanh(input: Array):
    """The hyperbolic tangent.

    >>> F.tanh(torch.tensor([0.])).tolist()
    [0.0]
    """
    return exact_tanh(input)


@nn_op(promote="default", out="exact", grad="LogSigmoid")
def logsigmoid(input: Array):
    """log(1 / (1 + exp(-input))), without overflow.

    >>> [round(y, 3) for y in F.logsigmoid(torch.tensor([-1., 0., 2.])).tolist()]
    [-1.313, -0.693, -0.127]
    """
    need_kind(input, "f", "log_sigmoid_cpu")
    return -stable_softplus(-input)


@nn_op(promote="default")
def hardsigmoid(input: Array, inplace: bool = False):
    """0 below -3, 1 above 3, input / 6 + 1/2 between.

    >>> F.hardsigmoid(torch.tensor([-3., 0., 3.])).tolist()
    [0.0, 0.5, 1.0]
    """
    need_kind(input, "f", "hardsigmoid_cpu")
    value = _clip(input + 3, 0, 6) / 6
    return jnp.where((input > -3) & (input < 3), value, jax.lax.stop_gradient(value))


@nn_op(promote="default")
def hardswish(input: Array, inplace: bool = False):
    """input * hardsigmoid(input).

    >>> F.hardswish(torch.tensor([0., 3., 4.])).tolist()
    [0.0, 3.0, 4.0]
    """
    need_kind(input, "f", "hardswish_cpu")
    return _hardswish(input)


def _hardswish_slope(t, out, x):
    slope = jnp.where(x < 3, x / 3 + 0.5, 1)
    return jnp.where(x <= -3, 0, t * jnp.where(x <= -3, 0, slope)).astype(t.dtype)


@differentiated(_hardswish_slope)
def _hardswish(x):
    return x * _clip(x + 3, 0, 6) / 6


@nn_op(numbers=fit("lambd"), out="exact", watches=True)
def hardshrink(input: Array, lambd: Number = 0.5):
    """0 where |input| <= lambd, input elsewhere.

    >>> F.hardshrink(torch.tensor([-1., 0.25, 2.])).tolist()
    [-1.0, 0.0, 2.0]
    """
    need_kind(input, "f", "hardshrink_cpu")
    lambd = as_number(lambd, dtype_of(input))
    return reads(jnp.where((input >= -lambd) & (input <= lambd), jnp.zeros((), input.dtype), input), input)


def _in_range(op, static, inputs, result) -> None:
    if is_python_number(inputs[1]):
        check_fit(inputs[1], dtypes.float64)
        lambd, largest = float(inputs[1].real), float(jnp.finfo(result.dtype.np).max)
        check(
            0 <= lambd <= largest,
            RuntimeError,
            f"lambda must be in range [0, {largest:g}] for input dtype {scalar_name(result.struct)}, but found {lambd:g}",
        )


@nn_op(out="exact", numbers=_in_range, watches=True)
def softshrink(input: Array, lambd: Number = 0.5):
    """input moved towards 0 by lambd, and 0 where |input| <= lambd.

    Raises RuntimeError for a negative lambd.

    >>> F.softshrink(torch.tensor([-1., 0.25, 2.])).tolist()
    [-0.5, 0.0, 1.5]
    """
    _check_number("softshrink", "lambd", lambd)
    if is_python_number(lambd):
        check_fit(lambd, dtypes.float64)
        lambd = float(lambd.real)
    need_kind(input, "f", "softshrink_check")
    lambd = lambd.real
    x = compute(input)
    inside = (x >= -lambd) & (x <= lambd)
    nothing = jax.lax.stop_gradient(x * 0)  # keeps the sign
    out = jnp.where(inside, nothing, jnp.where(x > 0, x - lambd, x + lambd))
    return reads(out, x).astype(input.dtype)


_compared, _written = fit("threshold", halves=dtypes.float32), fit("value")


def _fit_threshold(op, static, inputs, result) -> None:
    _compared(op, static, inputs, result)
    _written(op, static, inputs, result)


@nn_op(inplace=True, numbers=_fit_threshold)
def threshold(input: Array, threshold: Number, value: Number, inplace: bool = False):
    """`value` where input <= threshold, input elsewhere.

    >>> F.threshold(torch.tensor([0.25, 2.]), 0.5, -1.0).tolist()
    [-1.0, 2.0]
    """
    need_kind(input, "if", "threshold_cpu")
    x = compute(input)
    out = jnp.where(x <= as_number(threshold, dtype_of(x)), as_number(value, dtype_of(input)), input)
    return reads(out, input)


@nn_op(promote="default")
def glu(input: Array, dim: int = -1):
    """The first half of input along dim, times the sigmoid of the second half.

    (…, 2 N, …) to (…, N, …). Raises RuntimeError if the size along dim is odd.

    >>> F.glu(torch.tensor([1., 2., 0., 0.])).tolist()
    [0.5, 1.0]
    """
    check(input.ndim > 0, RuntimeError, "glu does not support scalars because halving size must be even")
    dim = wrap_dim(dim, input.ndim)
    size = input.shape[dim]
    check(size % 2 == 0, RuntimeError, f"Halving dimension must be even, but dimension {dim} is size {size}")
    need_kind(input, "f", "glu_cpu")
    first, second = jnp.split(input, 2, axis=dim)
    return first * jax.lax.logistic(second)


def _softmax_with(fn, name: str, input, dim, to: dtype | None):
    dim = wrap_dim(dim, input.ndim)
    result = input.dtype if to is None else to.np
    input = input.astype(result)
    if category(input) != 2:
        kind = f"{name}_lastdim_kernel_impl" if dim == max(input.ndim, 1) - 1 else f"{name}_kernel_impl"
        raise no_kernel(kind if name != "softmin" else kind.replace("softmin", "softmax"), input)
    if input.size == 0:
        return input
    x = compute(input).reshape(input.shape or (1,))
    return fn(x, axis=dim).reshape(input.shape).astype(result)


@nn_op(
    method="softmax",
    saves="result",
    asks=(DIM("softmax"),),
    autocast=(None, "float"),
    autocast_if=no_dtype_asked,
)
def softmax(input: Array, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None):
    """exp(input) divided by its sum along dim; `dtype` is cast to first.

    >>> F.softmax(torch.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    return _softmax_with(jax.nn.softmax, "softmax", input, dim, dtype)


@nn_op(
    method="log_softmax",
    saves="result",
    asks=(DIM("log_softmax"),),
    autocast=(None, "float"),
    autocast_if=no_dtype_asked,
)
def log_softmax(input: Array, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None):
    """The logarithm of softmax, computed stably.

    >>> F.log_softmax(torch.zeros(2), dim=0)
    tensor([-0.6931, -0.6931])
    """
    return _softmax_with(jax.nn.log_softmax, "log_softmax", input, dim, dtype)


@nn_op(saves="result", asks=(DIM("softmin"),), grad="Softmax", autocast=(None, "float"))
def softmin(input: Array, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None):
    """softmax(-input).

    >>> F.softmin(torch.zeros(4), dim=0).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    check(
        category(input) != 0,
        RuntimeError,
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
        "use the `~` or `logical_not()` operator instead.",
    )
    return _softmax_with(jax.nn.softmax, "softmin", -input, dim, dtype)


@nn_op(out=True, numbers=fit("eps"), grad="Div", autocast=(None, "float"))
def normalize(
    input: Array,
    p: Order | str | None = 2.0,
    dim: int | tuple[int, ...] | None = 1,
    eps: Array | Number = 1e-12,
):
    """input divided by its p-norm along dim (None: of all its elements), or by eps where the norm is smaller.

    >>> F.normalize(torch.tensor([[3., 4.]])).tolist()
    [[0.6..., 0.8...]]
    """
    check(
        category(input) >= 2,
        RuntimeError,
        f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {scalar_name(input)}",
    )
    x = compute(input)
    size = norm(x, p, dim, keepdim=True)
    narrow = size.dtype if category(input) == 3 else input.dtype  # in which eps may be 0
    size, least = size.astype(narrow), jnp.asarray(eps, narrow)
    return quotient(x, compute(jnp.where(size < least, least, size))).astype(input.dtype)
