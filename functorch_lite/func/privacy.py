"""Training with differential privacy: clipped and noised gradients, Poisson sampling, accounting.

Sources: Abadi et al., "Deep learning with differential privacy", arXiv 1607.00133; Mironov et al., arXiv 1908.10530
(Renyi accounting of the sampled Gaussian mechanism). The accountants are implemented by Google's dp-accounting, which
is imported at first use."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .._core.api import Tensor, from_array, tidied
from .._core.api import functions as torch
from ..api_names import listed
from ._estimates import same_draws
from ._models import Parameters, batch_size, refuse_batch_norm
from ._trees import flatten, unflatten
from .per_sample import clipped_gradient_sum

__all__ = ["DPOptimizer", "PoissonSampler", "epsilon", "noise_multiplier_for", "padded", "private_gradient"]
__dir__ = listed(__name__)


def _bound(who: str, max_norm: Any) -> float:
    """The norm of the whole clipped gradient, at most."""
    if isinstance(max_norm, dict):
        return math.sqrt(sum([float(c) ** 2 for c in max_norm.values()]))
    if not max_norm > 0:
        raise ValueError(f"{who}: max_norm must be positive, got {max_norm}")
    return max_norm


def _noised(who: str, leaves: Sequence[Tensor], sigma: float, generator: Any) -> list[Tensor]:
    if not sigma >= 0:
        raise ValueError(f"{who}: noise_multiplier must not be negative, got {sigma}")
    with same_draws():
        noise = [torch.randn(*g.shape, generator=generator, dtype=g.dtype, device=g.device) for g in leaves]
    return [g + sigma * z for g, z in zip(leaves, noise)]


@tidied
def private_gradient(
    model: Any, loss: Callable, params: Any, x: Any, y: Any, *, max_norm: Any, noise_multiplier: float, batch_size: int | float | None = None,
    per_parameter: bool = False, weights: Tensor | None = None, chunk_size: int | None = None, generator: Any = None,
) -> Any:  # fmt: skip
    """The private gradient of a batch: a tree like params.

    It is (the sum of clipped per-sample gradients + normal noise of standard deviation noise_multiplier * max_norm) /
    batch_size. An empty batch with a `batch_size` gives noise alone.

    Other arguments as of `per_sample.clipped_gradient_sum`.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        x: the inputs of the samples, with the samples in the first dim.
        y: the targets of the samples, with the samples in the first dim.
        max_norm: the norm at which the gradient of each sample is clipped.
        noise_multiplier: the standard deviation of the noise, in units of `max_norm`.
        batch_size: the expected number of samples in a batch under Poisson sampling. None (the
            default) is the number in this batch.
        per_parameter: whether each parameter's part is clipped by itself. Default: False.
        weights: how often each sample counts, of shape (N,), as `padded` returns it. None (the
            default) counts each once.
        chunk_size: how many samples are computed at a time, which bounds the memory. None (the
            default) computes all at once.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    Raises RuntimeError for any BatchNorm, whatever its mode; ValueError for norms that are not positive, negative
    noise, and an empty batch without a batch_size.

    >>> w, x, y = {"weight": torch.ones(1, 2)}, torch.tensor([[3., 4.], [0., 0.]]), torch.zeros(2, 1)
    >>> linear = nn.Linear(2, 1, bias=False)
    >>> privacy.private_gradient(linear, nn.MSELoss(), w, x, y, max_norm=5., noise_multiplier=0.)
    {'weight': tensor([[1.5000, 2.0000]])}

    Source: Abadi et al., arXiv 1607.00133, algorithm 1.
    """
    who = "private_gradient"
    refuse_batch_norm(who, model, even_in_eval=True)
    bound = _bound(who, max_norm)
    tensors = [t for t in flatten((x, y))[0] if isinstance(t, Tensor)]
    n = _count(who, x, y)
    size = batch_size if batch_size is not None else n
    if not size > 0:
        raise ValueError(
            f"{who}: an empty batch needs batch_size=, the expected size under sampling; got {size}"
        )
    parameters = Parameters(who, params)
    if n and tensors:
        summed = clipped_gradient_sum(
            model,
            loss,
            params,
            x,
            y,
            max_norm,
            per_parameter=per_parameter,
            weights=weights,
            chunk_size=chunk_size,
        )
        leaves = flatten(summed)[0]
    else:
        leaves = parameters.zeros()
    return parameters.of([g / size for g in _noised(who, leaves, noise_multiplier * bound, generator)])


_count = batch_size


class PoissonSampler:
    """A batch_sampler: each of n samples is in a batch with probability `rate`, by itself.

    Batches are lists of indices, of any number, also none.

    Args:
        n: the number of samples in the data set.
        rate: the probability that a sample is in a batch, in (0, 1].
        steps: the number of batches. None (the default) is 1 / rate, rounded.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    Raises ValueError for a rate outside (0, 1] and n below 1.

    >>> batches = list(privacy.PoissonSampler(100, 0.1, steps=3))
    >>> len(batches), all(0 <= i < 100 for batch in batches for i in batch)
    (3, True)
    """

    def __init__(self, n: int, rate: float, *, steps: int | None = None, generator: Any = None):
        if n < 1 or not 0 < rate <= 1:
            raise ValueError(
                f"PoissonSampler: n must be positive and the rate in (0, 1], got n={n}, rate={rate}"
            )
        self.n, self.rate, self.generator = n, rate, generator
        self.steps = max(1, round(1 / rate)) if steps is None else steps

    def __len__(self) -> int:
        return self.steps

    def __iter__(self) -> Iterator[list[int]]:
        for _ in range(self.steps):
            drawn = torch.rand(self.n, generator=self.generator).numpy() < self.rate
            yield np.nonzero(drawn)[0].tolist()


def padded(batch: Any, sizes: Sequence[int]) -> tuple[Any, Tensor]:
    """(the batch with samples repeated up to the next of `sizes`, weights (size,) of 1 for its own and 0 for the
    others), so that few programs compile.

    Args:
        batch: a tree of tensors with the samples in the first dim.
        sizes: the sizes to choose from: increasing ints.

    Raises ValueError for an empty batch, of which there is nothing to repeat, and for one larger than all sizes.

    >>> (x, y), weights = privacy.padded((torch.ones(3, 2), torch.zeros(3)), [4, 8])
    >>> x.shape, weights
    (torch.Size([4, 2]), tensor([1., 1., 1., 0.]))
    """
    leaves, structure = flatten(batch)
    n = _count("padded", batch)
    if not n:
        raise ValueError("padded: the batch is empty; give private_gradient the empty batch with batch_size=")
    fitting = [s for s in sorted(sizes) if s >= n]
    if not fitting:
        raise ValueError(f"padded: a batch of {n} samples is larger than all of {sorted(sizes)}")
    size = fitting[0]
    at = from_array(np.minimum(np.arange(size), n - 1), on=leaves[0]._aval.device)
    weights = from_array((np.arange(size) < n).astype(np.float32), on=leaves[0]._aval.device)
    return unflatten(structure, [t[at] for t in leaves]), weights


def _accountant(name: str) -> Any:
    try:
        accountants = importlib.import_module(f"dp_accounting.{name}")
    except ImportError as error:
        raise ImportError(f"accountant={name!r} needs dp-accounting: pip install dp-accounting") from error
    return accountants.RdpAccountant() if name == "rdp" else accountants.PLDAccountant()


def epsilon(
    noise_multiplier: float, sample_rate: float, steps: int, delta: float, *, accountant: str = "rdp"
) -> float:
    """The epsilon of so many steps of the Gaussian mechanism on Poisson-sampled batches, at this delta.

    Needs dp-accounting: ImportError without it. Raises ValueError for noise that is not positive, rates outside (0,
    1], steps below 1, delta outside (0, 1).

    Args:
        noise_multiplier: the standard deviation of the noise, in units of `max_norm`.
        sample_rate: the probability that a sample is in a batch, in (0, 1].
        steps: the number of steps.
        delta: the delta of differential privacy, in (0, 1).
        accountant: "rdp" (Renyi) or "pld" (privacy loss distributions: tighter, slower). Default:
            "rdp".

    >>> privacy.epsilon(1.1, 0.01, 0, 1e-5)
    Traceback (most recent call last):
    ValueError: epsilon: steps must be a positive int, got 0

    Source: Mironov, Talwar & Zhang, arXiv 1908.10530; Koskela, Jalko & Honkela, arXiv 1906.03049.
    """
    if accountant not in ("rdp", "pld"):
        raise ValueError(f"epsilon: accountant must be 'rdp' or 'pld', got {accountant!r}")
    if not noise_multiplier > 0:
        raise ValueError(f"epsilon: noise_multiplier must be positive, got {noise_multiplier}")
    if not 0 < sample_rate <= 1:
        raise ValueError(f"epsilon: sample_rate must be in (0, 1], got {sample_rate}")
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise ValueError(f"epsilon: steps must be a positive int, got {steps!r}")
    if not 0 < delta < 1:
        raise ValueError(f"epsilon: delta must be in (0, 1), got {delta}")
    made = _accountant(accountant)
    dp = importlib.import_module("dp_accounting")
    made.compose(dp.PoissonSampledDpEvent(sample_rate, dp.GaussianDpEvent(noise_multiplier)), steps)
    return float(made.get_epsilon(delta))


def noise_multiplier_for(
    epsilon: float,
    sample_rate: float,
    steps: int,
    delta: float,
    *,
    accountant: str = "rdp",
    tol: float = 1e-3,
) -> float:
    """The least noise_multiplier, to `tol`, whose epsilon is at most this one.

    Arguments and errors as of `epsilon`; ValueError for an epsilon that is not positive, or that no noise up to 1e4
    gives.

    Args:
        epsilon: the epsilon of differential privacy, positive.
        sample_rate: the probability that a sample is in a batch, in (0, 1].
        steps: the number of steps.
        delta: the delta of differential privacy, in (0, 1).
        accountant: "rdp" (Renyi) or "pld" (privacy loss distributions: tighter, slower). Default:
            "rdp".
        tol: how exact the result is. Default: 0.001.

    >>> privacy.noise_multiplier_for(0., 0.01, 10, 1e-5)
    Traceback (most recent call last):
    ValueError: noise_multiplier_for: epsilon must be positive, got 0.0
    """
    if not epsilon > 0:
        raise ValueError(f"noise_multiplier_for: epsilon must be positive, got {epsilon}")

    def spent(sigma: float) -> float:
        return globals()["epsilon"](sigma, sample_rate, steps, delta, accountant=accountant)

    low, high = 0.0, 1.0
    while spent(high) > epsilon:
        low, high = high, 2 * high
        if high > 1e4:
            raise ValueError(f"noise_multiplier_for: no noise up to 1e4 gives epsilon={epsilon}")
    while high - low > tol:
        middle = (low + high) / 2
        low, high = (low, middle) if spent(middle) <= epsilon else (middle, high)
    return high


class DPOptimizer:
    """An optimizer of torch.optim whose steps are private: `step(x, y)` in place of `loss.backward()` and `step()`.

    Each step puts the private gradient into `.grad`, steps, and counts: `steps`, for `epsilon`.

    Args:
        optimizer: an optimizer of torch.optim over the parameters of the module.
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        max_norm: the norm at which the gradient of each sample is clipped.
        noise_multiplier: the standard deviation of the noise, in units of `max_norm`.
        batch_size: the expected number of samples in a batch under Poisson sampling. None (the
            default) is the number in this batch.
        per_parameter: whether each parameter's part is clipped by itself. Default: False.
        chunk_size: how many samples are computed at a time, which bounds the memory. None (the
            default) computes all at once.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    Raises RuntimeError for any BatchNorm; ValueError as `private_gradient`.

    >>> linear = nn.Linear(2, 1)
    >>> private = privacy.DPOptimizer(torch.optim.SGD(linear.parameters(), lr=0.1), linear, nn.MSELoss(), max_norm=1., noise_multiplier=1.)
    >>> private.step(torch.ones(4, 2), torch.zeros(4, 1))
    >>> private.steps
    1
    """

    def __init__(
        self, optimizer: Any, model: Any, loss: Callable, *, max_norm: Any, noise_multiplier: float, batch_size: int | float | None = None,
        per_parameter: bool = False, chunk_size: int | None = None, generator: Any = None,
    ):  # fmt: skip
        refuse_batch_norm("DPOptimizer", model, even_in_eval=True)
        _bound("DPOptimizer", max_norm)
        self.optimizer, self.model, self.loss, self.steps = optimizer, model, loss, 0
        self.options = {
            "max_norm": max_norm, "noise_multiplier": noise_multiplier, "batch_size": batch_size, "per_parameter": per_parameter, "chunk_size": chunk_size,
            "generator": generator,
        }  # fmt: skip

    def step(self, x: Any, y: Any, *, weights: Tensor | None = None) -> None:
        """One private step on a batch; an empty one is noise alone."""
        mine = {id(p) for group in self.optimizer.param_groups for p in group["params"]}
        named = {name: p for name, p in self.model.named_parameters() if id(p) in mine}
        params = {name: p.detach() for name, p in named.items()}
        found = private_gradient(self.model, self.loss, params, x, y, weights=weights, **self.options)
        for name, p in named.items():
            p.grad = found[name].detach()
        self.optimizer.step()
        self.steps += 1

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Calls `zero_grad` of the optimizer."""
        self.optimizer.zero_grad(set_to_none)

    @property
    def param_groups(self) -> Any:
        """Parameter groups of the optimizer."""
        return self.optimizer.param_groups
