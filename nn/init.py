"""Initial values of parameters: each function fills a tensor in place, outside autograd, and gives it back."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from functorch_lite._core.api import Tensor, namespace, no_kernel, values_of
from functorch_lite._core.api import functions as torch
from functorch_lite.random.draws import outside
from functorch_lite.random.generator import exact_source
from functorch_lite.random.in_place import check_bounds

__all__ = [
    "calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_",
    "orthogonal_", "sparse_", "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_",
]  # fmt: skip

linalg = namespace("linalg")

_LINEAR = (
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "sigmoid",
)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which the standard deviation is widened for a nonlinearity.

    Args:
        nonlinearity: the name of the function, such as "relu" or "leaky_relu".
        param: the parameter of the nonlinearity, such as a slope. None (the default) takes its
            default.

    >>> calculate_gain("leaky_relu", 0.2)
    1.3867504905630728
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "selu":
        return 3.0 / 4
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, int | float) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fills with numbers drawn uniformly from [a, b).

    Args:
        tensor: the tensor to fill, in place.
        a: the lower bound. Default: 0.0.
        b: the upper bound. Default: 1.0.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    >>> w = nn.init.uniform_(torch.empty(1000), 2.0, 3.0)
    >>> bool((w >= 2).all() and (w < 3).all())
    True
    """
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fills with normally distributed numbers.

    Args:
        tensor: the tensor to fill, in place.
        mean: the mean. Default: 0.0.
        std: the standard deviation. Default: 1.0.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    >>> w = nn.init.normal_(torch.empty(10000), mean=3.0, std=0.5)
    >>> round(w.mean().item(), 1), round(w.std().item(), 1)
    (3.0, 0.5)
    """
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def _mass(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _share(mean: float, std: float, a: float, b: float) -> float:
    """Returns the share of the normal distribution that lies in [a, b]."""
    return _mass((b - mean) / std) - _mass((a - mean) / std)


def _by_rejection(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    """PyTorch's own truncated normal numbers: what is refused is drawn again, together with everything else.

    Where less than 0.3 of the normal distribution lies in [a, b], they are uniform in [a, b], and refused in proportion
    to the density.
    """
    with torch.no_grad():
        if _share(mean, std, a, b) <= 0.3:
            return tensor.copy_(_by_density(tensor, mean, std, a, b, generator))
        low, high = (torch.tensor(bound, dtype=torch.float64).to(tensor) for bound in (a, b))
        found = tensor.normal_(mean, std, generator=generator)
        while bool((outside := (found < low) | (found > high)).any()):
            found = torch.where(
                outside, torch.empty_like(found).normal_(mean, std, generator=generator), found
            )
        return tensor.copy_(found)


def _by_density(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def draw() -> tuple[
        np.ndarray, np.ndarray
    ]:  # on the host, where each operation rounds to the tensor's dtype, as in PyTorch
        x = values_of(torch.empty_like(tensor).uniform_(a, b, generator=generator))
        chance = values_of(torch.empty_like(tensor).uniform_(generator=generator))
        kind = x.dtype.type
        with np.errstate(divide="ignore"):
            return x, np.log(chance) > np.square((x - kind(mean)) / kind(std)) * kind(-0.5) - kind(peak)

    found, refused = draw()
    while refused.any():
        x, again = draw()
        found = np.where(refused, x, found)
        refused = refused & again
    return outside(found)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Fills with normally distributed numbers, conditioned to lie in [a, b].

    By the inverse of the cumulative distribution function Φ, in float64: uniform between Φ of the bounds, then Φ⁻¹.

    Args:
        tensor: the tensor to fill, in place.
        mean: the mean. Default: 0.0.
        std: the standard deviation. Default: 1.0.
        a: the lower bound. Default: -2.0.
        b: the upper bound. Default: 2.0.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    >>> w = nn.init.trunc_normal_(torch.empty(1000), a=-1.0, b=1.0)
    >>> bool((w.abs() <= 1).all())
    True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect.",
            stacklevel=2,
        )
    if tensor.dtype.category < 2:
        raise no_kernel("normal_kernel_cpu", tensor.dtype)
    if std == 0:
        raise ZeroDivisionError("float division by zero")
    if not std > 0 or not math.isfinite(mean):
        raise ValueError(
            f"trunc_normal_ expects a finite mean and std > 0, but got mean={mean:g}, std={std:g}"
        )
    if not _share(mean, std, a, b) > 0.3:
        most = torch.finfo(tensor.dtype).max
        check_bounds(tensor.dtype, a if a != -math.inf else -most / 4, b if b != math.inf else most / 4)
    low, high = (a - mean) / std, (b - mean) / std
    sign = 1.0
    if low > 0:  # work in the lower tail, where Φ keeps its relative precision
        low, high, sign = -high, -low, -1.0
    if exact_source(generator) is not None:
        return _by_rejection(tensor, mean, std, a, b, generator)
    with torch.no_grad():
        u = torch.empty(tensor.shape, dtype=torch.float64, device=tensor.device)
        u.uniform_(math.erfc(-low / math.sqrt(2.0)), math.erfc(-high / math.sqrt(2.0)), generator=generator)
        # erfinv saturates 8 standard deviations out: there all of the mass lies at the bound nearest to the mean.
        x = torch.erfinv(u - 1.0).mul_(math.sqrt(2.0)).clamp_(min=max(low, min(-8.0, high)), max=high)
        return tensor.copy_(x.mul_(sign * std).add_(mean).clamp_(min=a, max=b))


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fills with `val`.

    Args:
        tensor: the tensor to fill, in place.
        val: the number to write.

    >>> nn.init.constant_(torch.empty(2), 0.5).tolist()
    [0.5, 0.5]
    """
    with torch.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fills with ones.

    Args:
        tensor: the tensor to fill, in place.

    >>> nn.init.ones_(torch.empty(2)).tolist()
    [1.0, 1.0]
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fills with zeros.

    Args:
        tensor: the tensor to fill, in place.

    >>> nn.init.zeros_(torch.empty(2)).tolist()
    [0.0, 0.0]
    """
    with torch.no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Fills a matrix with the identity.

    Args:
        tensor: the tensor to fill, in place.

    Raises ValueError for a tensor that has not two dims.

    >>> nn.init.eye_(torch.empty(2, 3)).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        return tensor.copy_(torch.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fills the weight of a convolution with the Dirac delta: channels pass through as far as there are enough.

    Args:
        tensor: the tensor to fill, in place.
        groups: the number of groups of the convolution. Default: 1.

    Raises ValueError unless the tensor has 3 to 5 dims and groups divides the first.

    >>> nn.init.dirac_(torch.empty(1, 1, 3)).tolist()
    [[[0.0, 1.0, 0.0]]]
    """
    n_dims = tensor.ndimension()
    if n_dims not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tensor.size()
    if sizes[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = sizes[0] // groups
    middle = tuple(size // 2 for size in sizes[2:])
    each = range(groups)  # refuses what is no int before the tensor is written
    with torch.no_grad():
        tensor.zero_()
        for group in each:
            for channel in range(min(per_group, sizes[1])):
                tensor[(group * per_group + channel, channel, *middle)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive_field = math.prod(tensor.shape[2:])
    return tensor.size(1) * receptive_field, tensor.size(0) * receptive_field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform with standard deviation gain·√(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010).

    Args:
        tensor: the tensor to fill, in place.
        gain: a factor of the standard deviation. Default: 1.0.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    Raises ValueError for a tensor of fewer than two dims.

    >>> w = nn.init.xavier_uniform_(torch.empty(100, 100))
    >>> round(w.std().item(), 2)  # sqrt(2 / 200)
    0.1
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal with standard deviation gain·√(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010).

    Args:
        tensor: the tensor to fill, in place.
        gain: a factor of the standard deviation. Default: 1.0.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    Raises ValueError for a tensor of fewer than two dims.

    >>> w = nn.init.xavier_normal_(torch.empty(100, 100))
    >>> round(w.std().item(), 2)  # sqrt(2 / 200)
    0.1
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    return normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float | None:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Uniform with standard deviation gain / √fan (He et al., 2015). `a`: the slope of the leaky ReLU that follows.

    Args:
        tensor: the tensor to fill, in place.
        a: the negative slope of the leaky ReLU that follows. Default: 0.
        mode: "fan_in" keeps the variance in the forward pass, "fan_out" in the backward pass.
            Default: "fan_in".
        nonlinearity: the function that follows: "relu" or "leaky_relu" (or another of
            `calculate_gain`). Default: "leaky_relu".
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    Raises ValueError for a tensor of fewer than two dims.

    >>> w = nn.init.kaiming_uniform_(torch.empty(400, 200), nonlinearity="relu")
    >>> round(w.std().item(), 2)  # sqrt(2 / 200)
    0.1
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Normal with standard deviation gain / √fan (He et al., 2015). `a`: the slope of the leaky ReLU that follows.

    Args:
        tensor: the tensor to fill, in place.
        a: the negative slope of the leaky ReLU that follows. Default: 0.
        mode: "fan_in" keeps the variance in the forward pass, "fan_out" in the backward pass.
            Default: "fan_in".
        nonlinearity: the function that follows: "relu" or "leaky_relu" (or another of
            `calculate_gain`). Default: "leaky_relu".
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    Raises ValueError for a tensor of fewer than two dims.

    >>> w = nn.init.kaiming_normal_(torch.empty(400, 200), nonlinearity="relu")
    >>> round(w.std().item(), 2)  # sqrt(2 / 200)
    0.1
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0, std, generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fills with a (semi-)orthogonal matrix, all dims but the first flattened (Saxe et al., 2013).

    Args:
        tensor: the tensor to fill, in place.
        gain: a factor of the standard deviation. Default: 1.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    Raises ValueError for a tensor of fewer than two dims.

    >>> w = nn.init.orthogonal_(torch.empty(3, 5))
    >>> torch.allclose(w @ w.mT, torch.eye(3), atol=1e-5)
    True
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with torch.no_grad():
        flat = torch.empty((rows, columns), dtype=tensor.dtype, device=tensor.device)
        flat.normal_(0, 1, generator=generator)
        if rows < columns:
            flat = flat.t()
        q, r = linalg.qr(flat)
        q = q * torch.diag(r, 0).sign()  # makes the decomposition unique, hence the distribution uniform
        if rows < columns:
            q = q.t()
        # scaled before the tensor is written, which a gain that is refused leaves as it was
        return tensor.copy_(q.reshape(tensor.shape).mul_(gain))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fills a matrix with normal numbers, a share `sparsity` of each column set to zero (Martens, 2010).

    Args:
        tensor: the tensor to fill, in place.
        sparsity: the share of each column that is zero.
        std: the standard deviation of the others. Default: 0.01.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    Raises ValueError for a tensor that has not two dims.

    >>> w = nn.init.sparse_(torch.empty(10, 4), sparsity=0.25)
    >>> (w == 0).sum(0).tolist()  # 2.5, rounded up
    [3, 3, 3, 3]
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with torch.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            chosen = torch.randperm(rows)[:zeros]
            tensor[chosen, column] = 0
    return tensor


def _deprecated(new):
    name = new.__name__
    old = name[:-1]

    def wrapper(*args, **kwargs):
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{name}`.", FutureWarning, stacklevel=2
        )
        return new(*args, **kwargs)

    wrapper.__name__ = old
    wrapper.__doc__ = f"Deprecated: use `{name}`."
    return wrapper


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)


# -- names that packages take from here; `generator` is that of the functions above -----------------------------------


def _no_grad_uniform_(tensor: Tensor, a: float, b: float, generator: Any = None) -> Tensor:
    """`uniform_`, by its older name."""
    return uniform_(tensor, a, b, generator)


def _no_grad_normal_(tensor: Tensor, mean: float, std: float, generator: Any = None) -> Tensor:
    """`normal_`, by its older name."""
    return normal_(tensor, mean, std, generator)


def _no_grad_trunc_normal_(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any = None) -> Tensor:  # fmt: skip
    """`trunc_normal_`, by its older name."""
    return trunc_normal_(tensor, mean, std, a, b, generator)


def _no_grad_fill_(tensor: Tensor, val: float) -> Tensor:
    """`constant_`, by its older name."""
    return constant_(tensor, val)


def _no_grad_zero_(tensor: Tensor) -> Tensor:
    """`zeros_`, by its older name."""
    return zeros_(tensor)
