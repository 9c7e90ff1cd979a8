"""Calls of nn.functional, linalg, fft, special, signal.windows, statistics, random factories and nn.init: samples of
tests/samples and of this file, mutated.

`FAMILIES` maps the name of a family to a function of a random.Random that gives one `Call`; its
`run(lib, args, kwargs)` works with PyTorch and with functorch_lite alike. Modules, distributions and optimizers are in
modules.py, constructed.py.
"""

from __future__ import annotations

import functools
import inspect
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from functorch_lite._core.call.signature import MISSING
from functorch_lite._core.declare.op import UNSET
from tests.arguments import flat
from tests.fuzz.mutation import LIMIT, ROUNDS, mutated
from tests.samples import all_samples
from tests.samples.base import T

_rng = np.random.default_rng(11)


@dataclass
class Call:
    """A call to make in both libraries.

    shapes: outputs whose values are not determined (random, or a choice of the algorithm), of which only shape and
    dtype are compared: True for all of them, or their numbers. run(lib, args, kwargs) makes the call.
    """

    name: str
    args: tuple
    kwargs: dict
    run: Callable[[Any, tuple, dict], Any]
    shapes: bool | tuple[int, ...] = False
    grad: bool = True
    several: bool = False

    @property
    def target(self) -> str:
        return self.name

    def line(self) -> str:
        """The call, in words that can be read; its seed makes it again."""
        return repr(self)

    def __repr__(self) -> str:
        parts = [_show(a) for a in self.args] + [f"{k}={_show(v)}" for k, v in self.kwargs.items()]
        return f"{self.name}({', '.join(parts)})"


def _show(x: Any) -> str:
    if isinstance(x, T):
        values = (
            np.array2string(x.array, threshold=8, edgeitems=2, precision=4).replace("\n", " ")
            if x.array.size <= 24
            else ""
        )
        return f"T({x.dtype or x.array.dtype}{list(x.array.shape)}{' ' + values if values else ''})"
    if type(x) in (tuple, list):
        inner = ", ".join(_show(i) for i in x)
        return f"({inner},)" if type(x) is tuple else f"[{inner}]"
    return repr(x)


def call_at(path: str, lib: Any, args: tuple, kwargs: dict) -> Any:
    """Calls what a library has at this path."""
    return _at(lib, path)(*args, **kwargs)


def _at(lib: Any, path: str) -> Any:
    for part in path.split("."):
        lib = getattr(lib, part)
    return lib


def f(*shape: int, dtype: Any = np.float32) -> T:
    return T(_rng.normal(size=shape).astype(dtype))


def i(*values: Any) -> T:
    return T(np.array(values))


UNDETERMINED: dict[str, bool | tuple[int, ...]] = {
    "linalg.eig": True, "linalg.eigh": (1,), "linalg.svd": (0, 2), "svd": (0, 2), "linalg.qr": True, "svd_lowrank": True, "pca_lowrank": True,
    "linalg.eigvals": True, "linalg.lu_factor_ex": (2,),
}  # fmt: skip
"""Outputs that are determined only up to sign, phase or order, or after a failure."""

RANDOM = (
    "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout gumbel_softmax rrelu rrelu_ fractional_max_pool2d "
    "fractional_max_pool3d fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices"
).split()

SEEDS: dict[str, list[tuple[tuple, dict]]] = {
    "nn.functional.dropout": [((f(3, 4), 0.5), {}), ((f(3, 4),), {"p": 0.0}), ((f(3, 4),), {"p": 1.0, "training": False})],
    "nn.functional.dropout1d": [((f(2, 3, 4), 0.5), {})],
    "nn.functional.dropout2d": [((f(2, 3, 4, 2), 0.5), {})],
    "nn.functional.dropout3d": [((f(2, 3, 4, 2, 2), 0.5), {})],
    "nn.functional.alpha_dropout": [((f(3, 4), 0.5), {"training": True})],
    "nn.functional.feature_alpha_dropout": [((f(3, 4, 2), 0.5), {"training": True})],
    "nn.functional.gumbel_softmax": [((f(3, 4),), {"tau": 0.7, "hard": True}), ((f(3, 4), 1.0), {"dim": 0})],
    "nn.functional.rrelu": [((f(3, 4),), {"training": True})],
    "nn.functional.batch_norm": [
        ((f(3, 2, 4), T(np.zeros(2, np.float32), grad=False), T(np.ones(2, np.float32), grad=False), f(2), f(2)), {"training": True}),
        ((f(3, 2), T(np.zeros(2, np.float32), grad=False), T(np.ones(2, np.float32), grad=False)), {}),
        ((f(3, 2, 2), None, None, f(2), f(2), True, 0.3, 1e-3), {}),
    ],
    "nn.functional.instance_norm": [((f(3, 2, 4),), {}), ((f(3, 2, 4), T(np.zeros(2, np.float32), grad=False), T(np.ones(2, np.float32), grad=False), f(2), f(2)), {"use_input_stats": False})],
    "nn.functional.embedding_bag": [
        ((i(0, 2, 1, 3), f(4, 3), i(0, 2)), {}), ((i([0, 2], [1, 3]), f(4, 3)), {"mode": "sum"}), ((i([0, 2], [1, 3]), f(4, 3)), {"mode": "max"}),
        ((i(0, 2, 1, 3), f(4, 3), i(0, 2)), {"mode": "sum", "per_sample_weights": f(4)}),
        ((i(0, 2, 1, 3), f(4, 3), i(0, 2, 4)), {"include_last_offset": True, "padding_idx": 1}),
    ],
    "nn.functional.triplet_margin_with_distance_loss": [((f(2, 3), f(2, 3), f(2, 3)), {"margin": 0.5})],
    "nn.functional.upsample": [((f(1, 2, 3, 3),), {"scale_factor": 2}), ((f(1, 2, 3),), {"size": 4, "mode": "linear"})],
    "nn.functional.upsample_nearest": [((f(1, 2, 3, 3),), {"scale_factor": 2})],
    "nn.functional.upsample_bilinear": [((f(1, 2, 3, 3),), {"size": (4, 5)})],
    "nn.functional.native_channel_shuffle": [((f(1, 4, 2, 2), 2), {})],
    "nn.functional.multi_head_attention_forward": [
        ((f(3, 2, 4), f(5, 2, 4), f(5, 2, 4), 4, 2, f(12, 4), f(12), None, None, False, 0.0, f(4, 4), f(4)), {}),
        ((f(3, 4), f(5, 4), f(5, 4), 4, 2, f(12, 4), f(12), f(1, 1, 4), f(1, 1, 4), True, 0.0, f(4, 4), f(4)), {"need_weights": True}),
    ],
    **{f"nn.functional.max_pool{n}d_with_indices": [((f(1, 2, *[4] * n), 2), {})] for n in (1, 2, 3)},
    **{f"nn.functional.adaptive_max_pool{n}d_with_indices": [((f(1, 2, *[4] * n), 2), {})] for n in (1, 2, 3)},
    **{f"nn.functional.max_pool{n}d": [((f(1, 2, *[5] * n), 3), {"return_indices": True, "stride": 2})] for n in (1, 2, 3)},
    "nn.functional.fractional_max_pool2d": [((f(1, 2, 6, 6), 2), {"output_size": 3}), ((f(1, 2, 6, 6), 2), {"output_ratio": 0.5})],
    "nn.functional.fractional_max_pool3d": [((f(1, 2, 6, 6, 6), 2), {"output_size": 3})],
    **{f"nn.functional.{n}_": [((f(3, 4),), {})] for n in "celu elu hardtanh leaky_relu relu selu".split()},
    "nn.functional.threshold_": [((f(3, 4), 0.1, 2.0), {})],
    **{f"special.{n}": [((f(3, 4),), {}), ((T(np.arange(4)),), {}), ((f(2, dtype=np.float64),), {})] for n in "digamma erf erfc erfinv exp2 expit expm1 gammaln i0 log1p psi sinc".split()},
    **{f"special.{n}": [((T(np.abs(f(3, 4).array)), T(np.abs(f(3, 4).array))), {})] for n in ("gammainc", "gammaincc", "xlogy", "xlog1py", "zeta")},
    "special.log_softmax": [((f(3, 4), 1), {})], "special.softmax": [((f(3, 4), 1), {}), ((f(3, 4), 0), {"dtype": None})], "special.logsumexp": [((f(3, 4), 1), {}), ((f(3, 4), (0, 1), True), {})],
    "special.logit": [((T(np.array([0.2, 0.7, 1.2], np.float32)),), {"eps": 1e-3})], "special.polygamma": [((1, T(np.abs(f(3).array))), {}), ((2, T(np.abs(f(3).array))), {})],
    "special.multigammaln": [((T(np.abs(f(3).array) + 3), 2), {})], "special.round": [((f(3, 4),), {}), ((f(3, 4),), {"decimals": 2})],
    **{f"signal.windows.{n}": [((5,), {}), ((5,), {"sym": False}), ((0,), {}), ((1,), {})] for n in "bartlett blackman cosine hamming hann nuttall exponential gaussian kaiser general_hamming".split()},
    "signal.windows.general_cosine": [((5,), {"a": [0.46, 0.23, 0.31]})],
    **{f"{n}_window": [((5,), {}), ((5, False), {}), ((1,), {}), ((0,), {})] for n in "bartlett blackman hamming hann kaiser".split()},
    "hamming_window": [((5, True, 0.5, 0.4), {})], "kaiser_window": [((5, True, 6.0), {})],
    "stft": [((f(20), 8), {"return_complex": True, "window": T(np.hanning(8).astype(np.float32))}), ((f(2, 20), 8, 4), {"return_complex": True, "center": False})],
    "istft": [((T((f(5, 4).array + 1j).astype(np.complex64)), 8, 4), {"window": T(np.ones(8, np.float32))})],
}  # fmt: skip

WINDOW_OPTIONS = {
    "sym": True,
    "dtype": None,
    "std": 1.0,
    "tau": 1.0,
    "beta": 12.0,
    "alpha": 0.54,
    "center": None,
}

STATISTICS = (
    "histc histogram histogramdd bincount bucketize searchsorted quantile nanquantile median nanmedian mode cov corrcoef cdist pdist "
    "kthvalue var_mean std_mean renorm cosine_similarity pairwise_distance trapezoid cumulative_trapezoid vander combinations "
    "logcumsumexp cross tensordot bilinear unique unique_consecutive det logdet slogdet cholesky "
    "cholesky_solve cholesky_inverse qr svd lu_solve lu_unpack ormqr orgqr geqrf triangular_solve lobpcg matrix_exp pinverse inverse"
).split()  # fmt: skip


def mutations(rng: random.Random) -> int:
    """How many mutations `mutated` is about to make."""
    state = rng.getstate()
    count = rng.choice(ROUNDS)
    rng.setstate(state)
    return count


def graded(run: Callable) -> Callable:
    """`run`, whose result is followed by the gradients of a sum of it with respect to the floating point arguments."""

    def both(lib: Any, args: tuple, kwargs: dict) -> Any:
        leaves = [x for x in [*args, *kwargs.values()] if isinstance(x, lib.Tensor) and x.is_floating_point()]
        for leaf in leaves:
            leaf.requires_grad_(True)
        out = run(lib, args, kwargs)
        rooted = [
            o for o in flat(out) if isinstance(o, lib.Tensor) and o.requires_grad and o.is_floating_point()
        ]
        if not rooted or not leaves:
            return out
        # weights of an element's place alone: of its value, they would hang on how that is rounded
        total = sum((o * _weights(lib, o)).sum() for o in rooted)
        return out, lib.autograd.grad(total, leaves, allow_unused=True)

    return both


def _weights(lib: Any, o: Any) -> Any:
    """Numbers between -1 and 1, of an element's place."""
    return (lib.arange(o.numel(), dtype=lib.float64) * 0.7 + 0.3).cos().reshape(o.shape).to(o.dtype)


def drawn(families: dict[str, Callable[[random.Random], Call]], graded_in: tuple[str, ...] = ()):
    """A strategy of hypothesis for calls of these families; in those of `graded_in` every sixth is followed by its
    gradients."""
    from hypothesis import strategies as st

    @st.composite
    def calls(draw) -> Call:
        family = draw(st.sampled_from(sorted(families)))
        rng = random.Random(draw(st.integers(0, 2**48)))
        call = families[family](rng)
        if call.grad and call.shapes is False and family in graded_in and rng.random() < 1 / 6:
            call.run, call.name = graded(call.run), call.name + " with gradients"
        return call

    return calls()


@functools.cache
def seeds(prefixes: tuple[str, ...]) -> dict[str, list[tuple[tuple, dict]]]:
    """Good calls by the public name of the function."""
    found: dict[str, list] = {}
    for name, samples in all_samples().items():
        space, _, short = name.rpartition(".")
        if short.startswith("_") or not (
            space in prefixes or (name in STATISTICS and "statistics" in prefixes)
        ):
            continue
        found[name] = [(s.args, s.kwargs) for s in samples if s.error is None and _size(s.args) < LIMIT]
    for name, calls in SEEDS.items():
        if (
            name.rpartition(".")[0] in prefixes
            or ("windows" in prefixes and "window" in name)
            or (name in ("stft", "istft") and "fft" in prefixes)
        ):
            found[name] = found.get(name, []) + calls
    return found


def _size(args: Any) -> int:
    return max([a.array.size for a in args if isinstance(a, T)], default=0)


@functools.cache
def options(name: str) -> dict[str, Any]:
    """Parameters that have a default, from the signature of our function."""
    import functorch_lite

    if "windows" in name:
        return WINDOW_OPTIONS
    try:
        parameters = inspect.signature(_at(functorch_lite, name)).parameters
    except (TypeError, ValueError):
        return {}
    skip = (
        "out",
        "device",
        "generator",
        "layout",
        "pin_memory",
        "requires_grad",
        "memory_format",
        "size_average",
        "reduce",
        "args",
        "kwargs",
    )
    found = {
        k: p.default
        for k, p in parameters.items()
        if p.default is not inspect.Parameter.empty and p.default is not MISSING and k not in skip
    }
    # what may be left out but has no value of its own
    return {k: (k != "keepdim" and 0) if v is UNSET else v for k, v in found.items()}


def sampled(prefixes: tuple[str, ...], rng: random.Random) -> Call:
    """A mutated sample of a function of these namespaces."""
    table = seeds(prefixes)
    name = rng.choice(sorted(table))
    args, kwargs = rng.choice(table[name])
    many = mutations(rng)
    args, kwargs = mutated(rng, args, kwargs, options(name))
    random_ = name.rpartition(".")[2] in RANDOM and "nn." in name
    run = functools.partial(call_at, name)
    return Call(name, args, kwargs, run, random_ or UNDETERMINED.get(name, False), several=many > 1)


FACTORIES: dict[str, list[tuple[tuple, dict]]] = {
    "rand": [((2, 3), {}), (((2, 3),), {}), ((), {"size": (2,)})], "randn": [((2, 3), {}), (((2, 3),), {})],
    "randint": [((5, (2, 3)), {}), ((1, 5, (2,)), {})], "randperm": [((5,), {})],
    "rand_like": [((f(2, 3),), {})], "randn_like": [((f(2, 3),), {})], "randint_like": [((f(2, 3), 5), {}), ((f(2, 3), 1, 5), {})],
    "normal": [((f(2, 3), 1.0), {}), ((0.0, T(np.ones((2, 3), np.float32))), {}), ((0.0, 1.0, (2, 3)), {}), ((f(2, 3), T(np.ones((2, 3), np.float32))), {})],
    "bernoulli": [((T(np.array([0.2, 0.7, 1.0], np.float32)),), {}), ((T(np.array([0.2, 0.7], np.float32)), 0.5), {})],
    "multinomial": [((T(np.array([0.2, 0.7, 1.0], np.float32)), 2), {}), ((T(np.ones((2, 3), np.float32)), 4, True), {})],
    "poisson": [((T(np.array([0.2, 0.7, 10.0], np.float32)),), {})], "binomial": [((T(np.array([2.0, 5.0], np.float32)), T(np.array([0.2, 0.5], np.float32))), {})],
    "empty": [((2, 3), {}), (((2, 3),), {})], "empty_like": [((f(2, 3),), {})],
    **{f"Tensor.{n}": [((f(2, 3), *a), {})] for n, a in {"normal_": (0.0, 1.0), "uniform_": (0.0, 1.0), "random_": (0, 5), "exponential_": (1.0,), "cauchy_": (0.0, 1.0), "log_normal_": (0.0, 1.0), "geometric_": (0.5,), "bernoulli_": (0.5,)}.items()},
}  # fmt: skip
FACTORY_OPTIONS = {"dtype": None, "requires_grad": False}

INIT: dict[str, list[tuple[tuple, dict]]] = {
    "uniform_": [((f(3, 4), 0.0, 1.0), {})], "normal_": [((f(3, 4), 0.0, 1.0), {})], "trunc_normal_": [((f(3, 4), 0.0, 1.0, -2.0, 2.0), {})], "constant_": [((f(3, 4), 0.3), {})],
    "ones_": [((f(3, 4),), {})], "zeros_": [((f(3, 4),), {})], "eye_": [((f(3, 4),), {})], "dirac_": [((f(3, 4, 2), 1), {}), ((f(4, 2, 3, 3), 2), {})],
    **{n: [((f(3, 4),), {"gain": 1.0}), ((f(3, 4, 2), 2.0), {})] for n in ("xavier_uniform_", "xavier_normal_", "orthogonal_")},
    **{n: [((f(3, 4),), {"a": 0.1, "mode": "fan_out", "nonlinearity": "leaky_relu"}), ((f(3, 4, 2),), {"nonlinearity": "relu"})] for n in ("kaiming_uniform_", "kaiming_normal_")},
    "sparse_": [((f(3, 4), 0.3, 0.01), {})], "calculate_gain": [(("tanh",), {}), (("leaky_relu", 0.2), {}), (("linear",), {})],
}  # fmt: skip


def _of(table: dict, prefix: str, shapes: bool, more: dict, rng: random.Random) -> Call:
    name = rng.choice(sorted(table))
    seed = rng.choice(table[name])
    many = mutations(rng)
    args, kwargs = mutated(rng, *seed, more)
    fixed = name in ("constant_", "ones_", "zeros_", "eye_", "dirac_", "calculate_gain")
    run = functools.partial(call_at, prefix + name)
    return Call(prefix + name, args, kwargs, run, shapes and not fixed, grad=False, several=many > 1)


FAMILIES: dict[str, Callable[[random.Random], Call]] = {
    "functional": functools.partial(sampled, ("nn.functional",)),
    "linalg": functools.partial(sampled, ("linalg",)),
    "fft": functools.partial(sampled, ("fft",)),
    "special": functools.partial(sampled, ("special",)),
    "statistics": functools.partial(sampled, ("statistics",)),
    "windows": functools.partial(sampled, ("windows",)),
    "random": functools.partial(_of, FACTORIES, "", True, FACTORY_OPTIONS),
    "init": functools.partial(_of, INIT, "nn.init.", True, {}),
}
