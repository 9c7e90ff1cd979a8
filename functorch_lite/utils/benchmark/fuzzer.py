"""Fuzzer: tensors of random sizes and strides, to benchmark ops with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..._core.api import float32
from ..._core.api import functions as torch
from ...random import manual_seed

__all__ = ["FuzzedParameter", "FuzzedTensor", "Fuzzer", "ParameterAlias"]


class FuzzedParameter:
    """A random number.

    Args:
        name: Its name.
        minval: The least.
        maxval: The largest, which may be drawn too.
        distribution: "loguniform", "uniform", or a dict from values to their probabilities (then without `minval` and
            `maxval`).
        strict: Whether it is drawn once, also when other numbers are drawn again because a constraint was not met.

    Raises:
        AssertionError: For another distribution, or probabilities that do not sum to 1.
    """

    def __init__(
        self,
        name: str,
        minval: float | None = None,
        maxval: float | None = None,
        distribution: Any = None,
        strict: bool = False,
    ):
        if isinstance(distribution, dict):
            if any(p < 0 for p in distribution.values()):
                raise AssertionError("Probabilities cannot be negative")
            if abs(sum(distribution.values()) - 1) > 1e-5:
                raise AssertionError("Distribution is not normalized")
            for of, value in (("minval", minval), ("maxval", maxval)):
                if value is not None:
                    raise AssertionError(f"When passing a custom distribution, '{of}' must be None")
        elif distribution not in ("loguniform", "uniform"):
            raise AssertionError(f"Unknown distribution: {distribution}")
        self.name, self.strict = name, strict
        self._least, self._most, self._distribution = minval, maxval, distribution

    def sample(self, state: np.random.RandomState) -> Any:
        """Return a number drawn with a generator of NumPy's."""
        least, most, how = self._least, self._most, self._distribution
        if isinstance(how, dict):
            return list(how)[state.choice(np.arange(len(how)), p=tuple(how.values()))]
        if least is None or most is None:
            raise ValueError(f"FuzzedParameter {self.name!r}: give minval and maxval")
        if how == "loguniform":
            return min(max(int(2 ** state.uniform(np.log2(least), np.log2(most))), least), most)
        if isinstance(least, int) and isinstance(most, int):
            return int(state.randint(least, most + 1))
        return state.uniform(least, most)


class ParameterAlias:
    """A value of a distribution that stands for another parameter.

    Args:
        alias_to: Name of the other parameter.
    """

    def __init__(self, alias_to: str):
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


class FuzzedTensor:
    """A tensor of random size, some of whose dims may be permuted or strided.

    Args:
        name: Its name.
        size: Its size: numbers and names of parameters.
        steps: Step along each dim, numbers and names of parameters; by default 1.
        probability_contiguous: How probable it is that its dims lie in memory in their order.
        min_elements: The least number of elements.
        max_elements: The largest number of elements.
        max_allocation_bytes: The most memory, in bytes.
        dim_parameter: Name of the parameter that is the number of dims; by default that of `size`.
        roll_parameter: Accepted as in PyTorch, where it is not used either.
        dtype: Its dtype.
        cuda: Whether it is on a GPU.
        tensor_constructor: Function of `size`, `dtype` and the parameters that makes it; by default random numbers.
    """

    def __init__(
        self,
        name: str,
        size: tuple,
        steps: tuple | None = None,
        probability_contiguous: float = 0.5,
        min_elements: int | None = None,
        max_elements: int | None = None,
        max_allocation_bytes: int | None = None,
        dim_parameter: str | None = None,
        roll_parameter: str | None = None,
        dtype: Any = float32,
        cuda: bool = False,
        tensor_constructor: Callable | None = None,
    ):
        self.name, self._size, self._steps, self._ordered = name, size, steps or (), probability_contiguous
        self._limits = min_elements or 0, max_elements or math.inf, max_allocation_bytes or math.inf
        self._dim_parameter, self._dtype, self._cuda = dim_parameter, dtype, cuda
        self._constructor = tensor_constructor or self.default_tensor_constructor

    @staticmethod
    def default_tensor_constructor(size: tuple, dtype: Any, **kwargs: Any) -> Any:
        """Return a tensor of random numbers: floats from 0 to 1, integers from 1 to 126."""
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(size, dtype=dtype, device="cpu")
        return torch.randint(1, 127, size, dtype=dtype, device="cpu")

    def _sizes(self, params: dict) -> tuple[tuple, tuple, tuple]:
        """The size, the steps, and the size that is allocated."""
        count = len(self._size) if self._dim_parameter is None else params[self._dim_parameter]
        size, steps = (
            tuple([*(params.get(i, i) for i in values), *[1] * count][:count])
            for values in (self._size, self._steps)
        )
        return size, steps, tuple(a * b for a, b in zip(size, steps, strict=True))

    def satisfies_constraints(self, params: dict) -> bool:
        """Return whether the tensor of these parameters is within the limits."""
        size, _, allocated = self._sizes(params)
        least, most, memory = self._limits
        return least <= math.prod(size) <= most and math.prod(allocated) * self._dtype.itemsize <= memory

    def _make_tensor(self, params: dict, state: np.random.RandomState) -> tuple[Any, dict]:
        size, steps, allocated = self._sizes(params)
        made = self._constructor(size=allocated, dtype=self._dtype, **params)
        if self._cuda:
            made = made.cuda()
        order = np.arange(len(size))
        if state.rand() > self._ordered:
            while len(size) > 1 and np.all(order == np.arange(len(size))):
                order = state.permutation(made.dim())
            made = made.permute(tuple(map(int, order))).contiguous()
            made = made.permute(tuple(map(int, np.argsort(order))))
        found = made[tuple(slice(0, a * b, b) for a, b in zip(size, steps, strict=True))]
        facts = {
            "numel": int(found.numel()),
            "order": order,
            "steps": steps,
            "is_contiguous": found.is_contiguous(),
            "dtype": str(self._dtype),
        }
        return found, facts


def _flat(values: Any, kind: type) -> tuple:
    return tuple(v for value in values for v in ([value] if isinstance(value, kind) else value))


class Fuzzer:
    """Maker of tensors of random sizes.

    Args:
        parameters: FuzzedParameters, or lists of them.
        tensors: FuzzedTensors, or lists of them.
        constraints: Functions of the dict of parameters that return whether it is used.
        seed: Seed; None: a random one.

    Raises:
        ValueError: If a tensor has the name of a parameter.

    >>> from functorch_lite.utils.benchmark import FuzzedParameter, FuzzedTensor, Fuzzer
    >>> fuzzer = Fuzzer([FuzzedParameter("n", 2, 9, "uniform")], [FuzzedTensor("x", ("n", 3))], seed=0)
    >>> tensors, properties, parameters = next(fuzzer.take(1))
    >>> tuple(tensors["x"].shape) == (parameters["n"], 3)
    True
    """

    def __init__(
        self,
        parameters: list,
        tensors: list,
        constraints: list[Callable] | None = None,
        seed: int | None = None,
    ):
        self._seed = (
            int(np.random.RandomState().randint(0, 2**32 - 1, dtype=np.int64)) if seed is None else seed
        )
        self._parameters, self._tensors = _flat(parameters, FuzzedParameter), _flat(tensors, FuzzedTensor)
        self._constraints = constraints or ()
        both = {p.name for p in self._parameters} & {t.name for t in self._tensors}
        if both:
            raise ValueError(f"Duplicate names in parameters and tensors: {both}")
        self._rejections = self._total_generated = 0

    @property
    def rejection_rate(self) -> float:
        """The share of the drawn parameters that did not meet the constraints."""
        return self._rejections / self._total_generated if self._total_generated else 0.0

    def take(self, n: int) -> Iterator[tuple[dict, dict, dict]]:
        """Yield n triples: the tensors by name, facts about each, and the parameters."""
        state = np.random.RandomState(self._seed)
        manual_seed(int(state.randint(low=0, high=2**63, dtype=np.int64)))
        for _ in range(n):
            params = self._drawn(state)
            made = {t.name: t._make_tensor(params, state) for t in self._tensors}
            yield {k: v[0] for k, v in made.items()}, {k: v[1] for k, v in made.items()}, params

    def _drawn(self, state: np.random.RandomState) -> dict:
        once: dict[str, Any] = {}
        for _ in range(1000):
            params: dict[str, Any] = {}
            for p in self._parameters:
                params[p.name] = once[p.name] if p.name in once else p.sample(state)
                if p.strict:
                    once[p.name] = params[p.name]
            params = _without_aliases(params)
            self._total_generated += 1
            if all(f(params) for f in self._constraints) and all(
                t.satisfies_constraints(params) for t in self._tensors
            ):
                return params
            self._rejections += 1
        raise ValueError("Failed to generate a set of valid parameters.")


def _without_aliases(params: dict) -> dict:
    found = dict(params)
    while aliases := [k for k, v in found.items() if isinstance(v, ParameterAlias)]:
        for k in aliases:
            found[k] = found[found[k].alias_to]
        if len(aliases) == sum(isinstance(v, ParameterAlias) for v in found.values()):
            raise ValueError(f"ParameterAlias cycle detected\n{found}")
    return found
