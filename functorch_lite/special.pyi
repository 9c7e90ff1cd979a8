"""The functions of torch.special. Written by `python -m tests.stubs --write`."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from functorch_lite._core.call.size import Size
from functorch_lite._core.call.storage import UntypedStorage
from functorch_lite._core.call.storage import layout as _layout
from functorch_lite._core.lazy.tensor import Tensor
from functorch_lite._core.words.device import device as _device
from functorch_lite._core.words.dtypes import dtype as _dtype
from functorch_lite._core.words.memory_format import memory_format as _memory_format
from functorch_lite.random import Generator
from functorch_lite.storage import TypedStorage
from functorch_lite import return_types

Number = _bool | _int | _float | _complex
_Sizes = _int | Sequence[_int]

_Device = _device | _str | _int | None

__all__ = ['airy_ai', 'bessel_j0', 'bessel_j1', 'bessel_y0', 'bessel_y1', 'chebyshev_polynomial_t', 'chebyshev_polynomial_u', 'chebyshev_polynomial_v', 'chebyshev_polynomial_w', 'digamma', 'entr', 'erf', 'erfc', 'erfcx', 'erfinv', 'exp2', 'expit', 'expm1', 'gammainc', 'gammaincc', 'gammaln', 'hermite_polynomial_h', 'hermite_polynomial_he', 'i0', 'i0e', 'i1', 'i1e', 'laguerre_polynomial_l', 'legendre_polynomial_p', 'log1p', 'log_ndtr', 'log_softmax', 'logit', 'logsumexp', 'modified_bessel_i0', 'modified_bessel_i1', 'modified_bessel_k0', 'modified_bessel_k1', 'multigammaln', 'ndtr', 'ndtri', 'polygamma', 'psi', 'round', 'scaled_modified_bessel_k0', 'scaled_modified_bessel_k1', 'shifted_chebyshev_polynomial_t', 'shifted_chebyshev_polynomial_u', 'shifted_chebyshev_polynomial_v', 'shifted_chebyshev_polynomial_w', 'sinc', 'softmax', 'spherical_bessel_j0', 'xlog1py', 'xlogy', 'zeta']

def airy_ai(x: Tensor, *, out: Any = None) -> Tensor:
    """The Airy function Ai.

    Args:
        x: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def bessel_j0(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the first kind of order 0.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def bessel_j1(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the first kind of order 1.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def bessel_y0(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the second kind of order 0; -inf at 0, nan below.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def bessel_y1(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the second kind of order 1; -inf at 0, nan below.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def chebyshev_polynomial_t(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial of the first kind of degree n.

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def chebyshev_polynomial_u(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial of the second kind of degree n.

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def chebyshev_polynomial_v(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial of the third kind of degree n.

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def chebyshev_polynomial_w(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial of the fourth kind of degree n.

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def digamma(input: Tensor, *, out: Any = None) -> Any:
    """The derivative of `lgamma`; nan at negative whole numbers, infinite at 0.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def entr(input: Tensor, *, out: Any = None) -> Tensor:
    """-input * log(input); 0 at 0, -inf below.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def erf(input: Tensor, *, out: Any = None) -> Any:
    """The error function.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def erfc(input: Tensor, *, out: Any = None) -> Any:
    """1 - erf(input), accurate where erf is close to 1.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def erfcx(input: Tensor, *, out: Any = None) -> Tensor:
    """exp(input^2) erfc(input), which does not vanish where erfc does.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def erfinv(input: Tensor, *, out: Any = None) -> Any:
    """The inverse of `erf` on (-1, 1); infinite at the ends, nan outside.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def exp2(input: Tensor, *, out: Any = None) -> Any:
    """2 ** input, exact for whole numbers.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def expit(input: Tensor, *, out: Any = None) -> Any:
    """1 / (1 + exp(-input)).

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def expm1(input: Tensor, *, out: Any = None) -> Any:
    """exp(input) - 1, accurate near 0.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def gammainc(input: Tensor, other: Tensor, *, out: Any = None) -> Any:
    """The regularized lower incomplete gamma function P(input, other), for nonnegative arguments.

    torch has no derivative with respect to `input`; here there is the first one.

    Args:
        input: the parameter a of the distribution, not negative.
        other: the limit of the integral x, not negative; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def gammaincc(input: Tensor, other: Tensor, *, out: Any = None) -> Any:
    """The regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other).

    Args:
        input: the parameter a of the distribution, not negative.
        other: the limit of the integral x, not negative; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def gammaln(input: Tensor, *, out: Any = None) -> Any:
    """The logarithm of the absolute value of the gamma function.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def hermite_polynomial_h(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Hermite's polynomial of degree n as physicists define it: 1, 2x, 4x^2 - 2, …

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def hermite_polynomial_he(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Hermite's polynomial of degree n as probabilists define it: 1, x, x^2 - 1, …

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def i0(input: Tensor, *, out: Any = None) -> Any:
    """The modified Bessel function of the first kind of order 0.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def i0e(input: Tensor, *, out: Any = None) -> Tensor:
    """exp(-|input|) times the modified Bessel function of the first kind of order 0.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def i1(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def i1e(input: Tensor, *, out: Any = None) -> Tensor:
    """exp(-|input|) times the modified Bessel function of the first kind of order 1.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def laguerre_polynomial_l(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Laguerre's polynomial of degree n.

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def legendre_polynomial_p(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Legendre's polynomial of degree n.

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def log1p(input: Tensor, *, out: Any = None) -> Any:
    """log(1 + input), accurate near 0.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def log_ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """log(ndtr(input)), accurate where ndtr vanishes.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def log_softmax(input: Tensor, dim: _int, *, dtype: Any = None) -> Tensor:
    """nn.functional.log_softmax along `dim`, computed in `dtype` if that is given.

    Args:
        input: the argument: a tensor of any real dtype.
        dim: the dim along which the results add up to 1. In nn.functional, None (the default) chooses it as
            PyTorch does, with a warning.
        dtype: the dtype to which `input` is cast first. None (the default) keeps its own.
        axis: NumPy's name for `dim`; give one of the two.
    """
def logit(input: Tensor, eps: Any = None, *, out: Any = None) -> Any:
    """log(x / (1 - x)), the inverse of `sigmoid`; with `eps`, x is clamped to [eps, 1 - eps] first.

    In halves each step is rounded to them.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        eps: if given, `input` is first clamped to [eps, 1 - eps]. None (the default) does not clamp.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def logsumexp(input: Tensor, dim: Any, keepdim: _bool = False, *, out: Any = None) -> Any:
    """log(sum(exp(input))) over `dim`, computed without overflow; integers give floating point.

    Args:
        input: the argument: a tensor of any real dtype.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
    """
def modified_bessel_i0(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def modified_bessel_i1(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def modified_bessel_k0(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the second kind of order 0; inf at 0, nan below.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def modified_bessel_k1(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the second kind of order 1; inf at 0, nan below.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def multigammaln(input: Tensor, p: Any, *, out: Any = None) -> Any:
    """The logarithm of the multivariate gamma function of dimension p >= 1.

    https://en.wikipedia.org/wiki/Multivariate_gamma_function

    Args:
        input: the input tensor.
        p: the dimension: an int, at least 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """The area below `input` under the standard normal density.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ndtri(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of `ndtr` on (0, 1); infinite at the ends, nan outside.

    Args:
        input: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def polygamma(n: Any, input: Tensor, *, out: Any = None) -> Any:
    """The n-th derivative of `digamma`, n >= 0; infinite at the poles.

    Args:
        n: the order of the derivative: an int that is not negative.
        input: the argument, floating point.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def psi(input: Tensor, *, out: Any = None) -> Any:
    """The derivative of `lgamma`; nan at negative whole numbers, infinite at 0.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def round(input: Tensor, *, decimals: _int = 0, out: Any = None) -> Tensor:
    """torch.round with its number of decimals given, which may be 0: not of integers.

    Args:
        input: the argument: a tensor of any real dtype.
        decimals: the number of digits after the point; negative ones round to tens, hundreds and so on.
            Default: 0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def scaled_modified_bessel_k0(x: Tensor, *, out: Any = None) -> Tensor:
    """exp(x) times `modified_bessel_k0`.

    Args:
        x: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def scaled_modified_bessel_k1(x: Tensor, *, out: Any = None) -> Tensor:
    """exp(x) times `modified_bessel_k1`.

    Args:
        x: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def shifted_chebyshev_polynomial_t(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial of the first kind at 2 * x - 1.

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def shifted_chebyshev_polynomial_u(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial of the second kind at 2 * x - 1.

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def shifted_chebyshev_polynomial_v(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial of the third kind at 2 * x - 1.

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def shifted_chebyshev_polynomial_w(x: Tensor | Number, n: Tensor | Number, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial of the fourth kind at 2 * x - 1.

    Args:
        x: the points: a tensor or a number.
        n: the degree: a tensor of integers or an int; it broadcasts with `x`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def sinc(input: Tensor, *, out: Any = None) -> Any:
    """sin(pi x) / (pi x), and 1 at 0. Its second derivative at 0 is the true one, where torch gives nan.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def softmax(input: Tensor, dim: _int, dtype: Any = None) -> Tensor:
    """nn.functional.softmax along `dim`, computed in `dtype` if that is given.

    Args:
        input: the argument: a tensor of any real dtype.
        dim: the dim along which the results add up to 1. In nn.functional, None (the default) chooses it as
            PyTorch does, with a warning.
        dtype: the dtype to which `input` is cast first. None (the default) keeps its own.
        axis: NumPy's name for `dim`; give one of the two.
    """
def spherical_bessel_j0(x: Tensor, *, out: Any = None) -> Tensor:
    """sin(x) / x: the spherical Bessel function of the first kind of order 0.

    Args:
        x: the argument: a tensor of any real dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def xlog1py(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * log1p(other), and 0 where input is 0 (unless other is nan).

    Args:
        input: the argument: a tensor of any real dtype.
        other: the argument of log1p: a tensor or a number.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def xlogy(input: Tensor, other: Tensor, *, out: Any = None) -> Any:
    """input * log(other), and 0 where input is 0 (unless other is nan).

    Args:
        input: the input tensor.
        other: the argument of the logarithm: a tensor or a number.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def zeta(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The Hurwitz zeta function, the sum of (k + other) ** -input over k >= 0, for input > 1.

    It has a derivative with respect to `other` only, as in torch.

    Args:
        input: the exponents s; floating point, above 1.
        other: the shifts q: a tensor or a number.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
