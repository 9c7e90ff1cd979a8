"""Activations: modules around the pointwise nonlinearities, the softmax family, PReLU and GLU."""

from __future__ import annotations

import warnings
from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor
from functorch_lite._core.api import functions as torch
from functorch_lite.nn import init
from functorch_lite.nn.parameter import Parameter

from ._utils import empty
from .module import Module

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "SELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU",
    "LogSigmoid", "LogSoftmax", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SiLU", "Sigmoid", "Softmax", "Softmax2d",
    "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold",
]  # fmt: skip


def _inplace(module: Any, lead: str = ", ") -> str:
    return f"{lead}inplace=True" if module.inplace else ""


class _MaybeInplace(Module):
    """Activations with no parameter but `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return _inplace(self, "")


class Threshold(Module):
    """x where x > threshold, else value. Shape: any, kept.

    Args:
        threshold: inputs up to this number are replaced.
        value: the number that replaces them.
        inplace: whether the result is written into the input. Default: False.

    >>> nn.Threshold(0.5, -1.0)(torch.tensor([0.25, 2.])).tolist()
    [-1.0, 2.0]
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}{_inplace(self)}"


class ReLU(_MaybeInplace):
    """max(0, x). Shape: any, kept.

    Args:
        inplace: whether the result is written into the input. Default: False.

    >>> nn.ReLU()(torch.tensor([-1., 0., 2.])).tolist()
    [0.0, 0.0, 2.0]
    """

    def forward(self, input: Tensor) -> Tensor:  # hot path
        return F.relu(input, inplace=self.inplace)


class RReLU(Module):
    """LeakyReLU whose slope is drawn from U(lower, upper) in training, and is their mean in eval mode.

    Args:
        lower: the smallest slope. Default: 0.125.
        upper: the largest slope. Default: 0.3333333333333333.
        inplace: whether the result is written into the input. Default: False.

    Shape: any, kept.

    >>> nn.RReLU(0.25, 0.75).eval()(torch.tensor([-4., 2.])).tolist()
    [-2.0, 2.0]
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}{_inplace(self)}"


class Hardtanh(Module):
    """x clipped to [min_val, max_val]. Shape: any, kept.

    Args:
        min_val: the lower bound. Default: -1.0.
        max_val: the upper bound. Default: 1.0.
        inplace: whether the result is written into the input. Default: False.
        min_value: the older name of `min_val`. None (the default) leaves it to that.
        max_value: the older name of `max_val`. None (the default) leaves it to that.

    Raises AssertionError unless min_val < max_val.

    >>> nn.Hardtanh(-2.0, 2.0)(torch.tensor([-3., 0.5, 3.])).tolist()
    [-2.0, 0.5, 2.0]
    """

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        if min_value is not None:
            warnings.warn(
                "keyword argument `min_value` is deprecated and renamed to `min_val`",
                FutureWarning,
                stacklevel=2,
            )
            min_val = min_value
        if max_value is not None:
            warnings.warn(
                "keyword argument `max_value` is deprecated and renamed to `max_val`",
                FutureWarning,
                stacklevel=2,
            )
            max_val = max_value
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}{_inplace(self)}"


class ReLU6(Hardtanh):
    """min(max(0, x), 6). Shape: any, kept.

    Args:
        inplace: whether the result is written into the input. Default: False.

    >>> nn.ReLU6()(torch.tensor([-1., 3., 8.])).tolist()
    [0.0, 3.0, 6.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return _inplace(self, "")


class Sigmoid(Module):
    """1 / (1 + e^−x). Shape: any, kept.

    >>> [round(y, 3) for y in nn.Sigmoid()(torch.tensor([-1., 0., 2.])).tolist()]
    [0.269, 0.5, 0.881]
    """

    def forward(self, input: Tensor) -> Tensor:
        return torch.sigmoid(input)


class Hardsigmoid(_MaybeInplace):
    """min(max(x / 6 + 1/2, 0), 1). Shape: any, kept.

    Args:
        inplace: whether the result is written into the input. Default: False.

    >>> nn.Hardsigmoid()(torch.tensor([-3., 0., 3.])).tolist()
    [0.0, 0.5, 1.0]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Tanh(Module):
    """tanh(x). Shape: any, kept.

    >>> [round(y, 3) for y in nn.Tanh()(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.762, 0.0, 0.964]
    """

    def forward(self, input: Tensor) -> Tensor:
        return torch.tanh(input)


class SiLU(_MaybeInplace):
    """x · sigmoid(x), also called swish. Shape: any, kept.

    Args:
        inplace: whether the result is written into the input. Default: False.

    >>> [round(y, 3) for y in nn.SiLU()(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.269, 0.0, 1.762]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)


class Mish(_MaybeInplace):
    """x · tanh(softplus(x)) (Misra, 2019). Shape: any, kept.

    Args:
        inplace: whether the result is written into the input. Default: False.

    >>> [round(y, 3) for y in nn.Mish()(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.303, 0.0, 1.944]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, inplace=self.inplace)


class Hardswish(_MaybeInplace):
    """x · min(max(x + 3, 0), 6) / 6. Shape: any, kept.

    Args:
        inplace: whether the result is written into the input. Default: False.

    >>> nn.Hardswish()(torch.tensor([-1., 0., 3.])).tolist()
    [-0.333..., 0.0, 3.0]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class ELU(Module):
    """x where x > 0, else alpha · (e^x − 1). Shape: any, kept.

    Args:
        alpha: the scale of the exponential for negative inputs. Default: 1.0.
        inplace: whether the result is written into the input. Default: False.

    >>> [round(y, 3) for y in nn.ELU()(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.632, 0.0, 2.0]
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}{_inplace(self)}"


class CELU(ELU):
    """max(0, x) + min(0, alpha · (e^(x/alpha) − 1)). Shape: any, kept.

    Args:
        alpha: the scale of the exponential for negative inputs. Default: 1.0.
        inplace: whether the result is written into the input. Default: False.

    Raises RuntimeError for alpha = 0.

    >>> [round(y, 3) for y in nn.CELU()(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.632, 0.0, 2.0]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class SELU(_MaybeInplace):
    """ELU scaled so that activations normalize themselves (Klambauer et al., 2017). Shape: any, kept.

    Args:
        inplace: whether the result is written into the input. Default: False.

    >>> [round(y, 3) for y in nn.SELU()(torch.tensor([-1., 0., 2.])).tolist()]
    [-1.111, 0.0, 2.101]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class GLU(Module):
    """a · sigmoid(b), a and b the halves of the input along `dim`. Shape: (…, N, …) to (…, N/2, …).

    Args:
        dim: the dim to halve. Default: -1.

    Raises RuntimeError if the size along `dim` is odd.

    >>> nn.GLU()(torch.tensor([[1., 2., 0., 0.]])).tolist()
    [[0.5, 1.0]]
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GELU(Module):
    """x · Φ(x); `approximate="tanh"` uses the tanh formula. Shape: any, kept.

    Args:
        approximate: "none" for the exact function, "tanh" for an approximation by tanh. Default:
            "none".

    Raises RuntimeError for an `approximate` that is neither "none" nor "tanh".

    >>> [round(y, 3) for y in nn.GELU()(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.159, 0.0, 1.954]
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """x where |x| > lambd, else 0. Shape: any, kept.

    Args:
        lambd: the half width of the interval around 0 that becomes 0. Default: 0.5.

    >>> nn.Hardshrink()(torch.tensor([-1., 0.25, 2.])).tolist()
    [-1.0, 0.0, 2.0]
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Module):
    """x moved towards 0 by lambd, 0 where |x| ≤ lambd. Shape: any, kept.

    Args:
        lambd: the half width of the interval around 0 that becomes 0. Default: 0.5.

    Raises RuntimeError for a negative lambd.

    >>> nn.Softshrink()(torch.tensor([-1., 0.25, 2.])).tolist()
    [-0.5, 0.0, 1.5]
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class LeakyReLU(Module):
    """x where x > 0, else negative_slope · x. Shape: any, kept.

    Args:
        negative_slope: the slope for negative inputs. Default: 0.01.
        inplace: whether the result is written into the input. Default: False.

    >>> nn.LeakyReLU(0.5)(torch.tensor([-4., 0., 2.])).tolist()
    [-2.0, 0.0, 2.0]
    """

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}{_inplace(self)}"


class LogSigmoid(Module):
    """log(1 / (1 + e^−x)). Shape: any, kept.

    >>> [round(y, 3) for y in nn.LogSigmoid()(torch.tensor([-1., 0., 2.])).tolist()]
    [-1.313, -0.693, -0.127]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + e^(beta·x)) / beta, and x itself where beta·x > threshold. Shape: any, kept.

    Args:
        beta: the steepness. Default: 1.0.
        threshold: where beta * x exceeds this, the result is x itself. Default: 20.0.

    >>> [round(y, 3) for y in nn.Softplus()(torch.tensor([-1., 0., 30.])).tolist()]
    [0.313, 0.693, 30.0]
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class PReLU(Module):
    """x where x > 0, else weight · x, with a learned weight (one for all, or one per channel). Shape: (N, C, *), kept.

    Args:
        num_parameters: 1, or the number of channels. Default: 1.
        init: the initial value of the weight. Default: 0.25.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Attributes:
        weight: (num_parameters), `init` at first.

    Raises RuntimeError if num_parameters is neither 1 nor the number of channels.

    >>> prelu = nn.PReLU(init=0.5)
    >>> prelu(torch.tensor([-4., 2.])).tolist()
    [-2.0, 2.0]
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Every weight becomes `init`."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """x / (1 + |x|). Shape: any, kept.

    >>> nn.Softsign()(torch.tensor([-1., 0., 3.])).tolist()
    [-0.5, 0.0, 0.75]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """x − tanh(x). Shape: any, kept.

    >>> [round(y, 3) for y in nn.Tanhshrink()(torch.tensor([-1., 0., 2.])).tolist()]
    [-0.238, 0.0, 1.036]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class _SoftmaxLike(Module):
    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        if not hasattr(self, "dim"):  # absent in what old versions pickled
            self.dim = None

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmin(_SoftmaxLike):
    """Softmax of −x along `dim`. Shape: any, kept.

    Args:
        dim: the dim along which the results add up to 1. None (the default) chooses it as PyTorch
            does, with a warning.

    >>> nn.Softmin(dim=0)(torch.zeros(2)).tolist()
    [0.5, 0.5]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(_SoftmaxLike):
    """e^x / Σ e^x along `dim`. Shape: any, kept.

    Without `dim` one is chosen, with a warning.

    Args:
        dim: the dim along which the results add up to 1. None (the default) chooses it as PyTorch
            does, with a warning.

    >>> nn.Softmax(dim=1)(torch.zeros(1, 4)).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(_SoftmaxLike):
    """log softmax(x) along `dim`. Shape: any, kept.

    Args:
        dim: the dim along which the probabilities add up to 1. None (the default) chooses it as
            PyTorch does, with a warning.

    >>> nn.LogSoftmax(dim=1)(torch.zeros(1, 2))
    tensor([[-0.6931, -0.6931]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax over the channels of an image. Shape: (N, C, H, W) or (C, H, W), kept.

    Raises ValueError for an input that has neither 3 nor 4 dims.

    >>> nn.Softmax2d()(torch.zeros(1, 2, 1, 1)).flatten().tolist()
    [0.5, 0.5]
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)
