"""optax transformations for the update rules in which PyTorch differs from optax.

Each is a pair (init, update) as in optax, on any pytree; `update` gives the direction *before* the learning rate, which
`optax.scale_by_learning_rate` multiplies, unless its docstring says otherwise. Counts and bias corrections are computed
in float64 (when 64-bit types are enabled) because PyTorch computes them as Python numbers. Formulas: the papers named
in each docstring; where implementations of a paper differ, PyTorch's documentation of `torch.optim`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

__all__ = [
    "add_noise_free_average", "scale_by_adagrad_decay", "scale_by_amsgrad_uncorrected", "scale_by_nadam_schedule",
    "scale_by_radam_rectified", "scale_by_sign_progress", "trace_with_dampening",
]  # fmt: skip


def _precise(x) -> jax.Array:
    """A scalar in the widest float there is."""
    return jnp.asarray(x).astype(jax.dtypes.canonicalize_dtype(jnp.float64))


def _times(scalar, x: jax.Array) -> jax.Array:
    """scalar * x in the dtype of x."""
    return jnp.asarray(scalar).astype(x.dtype) * x


def _map(f, *trees):
    return jax.tree.map(f, *trees)


def _zeros(params):
    return _map(jnp.zeros_like, params)


def _moment(updates, moment, decay, order: int):
    """decay * moment + (1 - decay) * updates ** order, elementwise."""
    return _map(
        lambda g, m: _times(decay, m) + _times(1 - decay, g if order == 1 else g * g), updates, moment
    )


class DampenedTraceState(NamedTuple):
    """`started` is False until a first gradient was seen, which enters the trace undampened."""

    started: Any
    trace: Any


def trace_with_dampening(decay, dampening, nesterov: bool = False) -> optax.GradientTransformation:
    """Momentum with dampening: trace = decay * trace + (1 - dampening) * g, but trace = g at the first step, detached
    as by PyTorch.

    Differs from `optax.trace` by the dampening. Source: the note on momentum in torch.optim.SGD's documentation.
    """

    def init(params):
        return DampenedTraceState(jnp.zeros((), bool), _zeros(params))

    def update(updates, state, params=None):
        del params
        fresh = jnp.logical_not(state.started)
        trace = _map(
            lambda g, t: jnp.where(
                fresh, jax.lax.stop_gradient(g), _times(decay, t) + _times(1 - dampening, g)
            ),
            updates,
            state.trace,
        )
        out = _map(lambda g, t: g + _times(decay, t), updates, trace) if nesterov else trace
        return out, DampenedTraceState(jnp.ones((), bool), trace)

    return optax.GradientTransformation(init, update)


class AmsgradState(NamedTuple):
    count: Any
    mu: Any
    nu: Any
    nu_max: Any


def scale_by_amsgrad_uncorrected(b1, b2, eps) -> optax.GradientTransformation:
    """Adam with the maximum over all second moments so far (Reddi et al., https://arxiv.org/abs/1904.09237).

    Differs from `optax.scale_by_amsgrad`, which takes the maximum of the bias-corrected moments: here the maximum is
    of the moments themselves, and is corrected afterwards.
    """

    def init(params):
        return AmsgradState(jnp.zeros((), jnp.int32), _zeros(params), _zeros(params), _zeros(params))

    def update(updates, state, params=None):
        del params
        count = state.count + 1
        mu, nu = _moment(updates, state.mu, b1, 1), _moment(updates, state.nu, b2, 2)
        nu_max = _map(jnp.maximum, state.nu_max, nu)
        first = 1 / (1 - _precise(b1) ** _precise(count))
        second = 1 / jnp.sqrt(1 - _precise(b2) ** _precise(count))
        out = _map(
            lambda m, v: _times(first, m) / (_times(second, jnp.sqrt(v)) + _times(eps, jnp.ones_like(v))),
            mu,
            nu_max,
        )
        return out, AmsgradState(count, mu, nu, nu_max)

    return optax.GradientTransformation(init, update)


class NadamState(NamedTuple):
    count: Any
    product: Any
    mu: Any
    nu: Any


def scale_by_nadam_schedule(b1, b2, eps, momentum_decay) -> optax.GradientTransformation:
    """Adam with Nesterov momentum on Dozat's schedule b1 * (1 - 0.96 ** (count * momentum_decay) / 2).

    Differs from `optax.scale_by_adam(nesterov=True)`, whose momentum is constant; `product` is the product of the
    schedule so far. Source: Dozat, Incorporating Nesterov Momentum into Adam
    (https://openreview.net/forum?id=OM0jvwB8jIp57ZJjtNEZ).
    """

    def init(params):
        return NadamState(jnp.zeros((), jnp.int32), jnp.ones(()), _zeros(params), _zeros(params))

    def update(updates, state, params=None):
        del params
        count = state.count + 1
        mu, nu = _moment(updates, state.mu, b1, 1), _moment(updates, state.nu, b2, 2)

        def momentum(at):
            return _precise(b1) * (1 - 0.5 * 0.96 ** (_precise(at) * _precise(momentum_decay)))

        now, following = momentum(count), momentum(count + 1)
        product = state.product * now.astype(
            state.product.dtype
        )  # rounded to its own dtype, as PyTorch keeps it
        of_gradient = (1 - now) / (1 - _precise(product))
        of_moment = following / (1 - _precise(product) * following)
        second = 1 / (1 - _precise(b2) ** _precise(count))

        def direction(g, m, v):
            return (_times(of_gradient, g) + _times(of_moment, m)) / (
                jnp.sqrt(_times(second, v)) + jnp.asarray(eps).astype(v.dtype)
            )

        return _map(direction, updates, mu, nu), NadamState(count, product, mu, nu)

    return optax.GradientTransformation(init, update)


class RadamState(NamedTuple):
    count: Any
    mu: Any
    nu: Any


def scale_by_radam_rectified(b1, b2, eps) -> optax.GradientTransformation:
    """Adam whose second moment is used only once its variance is tractable (Liu et al.,
    https://arxiv.org/abs/1908.03265).

    Differs from `optax.scale_by_radam` in the position of eps: it is added to the root of the uncorrected moment.
    """

    def init(params):
        return RadamState(jnp.zeros((), jnp.int32), _zeros(params), _zeros(params))

    def update(updates, state, params=None):
        del params
        count = state.count + 1
        t, b2_precise = _precise(count), _precise(b2)
        mu, nu = _moment(updates, state.mu, b1, 1), _moment(updates, state.nu, b2, 2)
        first = 1 - _precise(b1) ** t
        second = 1 - b2_precise**t
        limit = 2 / (1 - b2_precise) - 1
        length = limit - 2 * t * b2_precise**t / second
        tractable = length > 5
        ratio = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
        rectification = jnp.sqrt(jnp.where(tractable, ratio, 1)) * jnp.sqrt(second)

        def direction(m, v):
            corrected = _times(1 / first, m)
            scaled = _times(rectification, corrected) / (jnp.sqrt(v) + jnp.asarray(eps).astype(v.dtype))
            return jnp.where(tractable, scaled, corrected)

        return _map(direction, mu, nu), RadamState(count, mu, nu)

    return optax.GradientTransformation(init, update)


class AdagradState(NamedTuple):
    count: Any
    total: Any


def scale_by_adagrad_decay(lr_decay, eps, initial=0.0) -> optax.GradientTransformation:
    """g / (sqrt(sum of g²) + eps), divided by 1 + (count - 1) * lr_decay (Duchi et al., JMLR 12, 2011).

    Differs from `optax.scale_by_rss` in the position of eps, and by the decay.
    """

    def init(params):
        return AdagradState(jnp.zeros((), jnp.int32), _map(lambda p: jnp.full_like(p, initial), params))

    def update(updates, state, params=None):
        del params
        count = state.count + 1
        total = _map(lambda g, s: s + g * g, updates, state.total)
        decay = 1 / (1 + (_precise(count) - 1) * _precise(lr_decay))
        out = _map(
            lambda g, s: _times(decay, g) / (jnp.sqrt(s) + jnp.asarray(eps).astype(s.dtype)), updates, total
        )
        return out, AdagradState(count, total)

    return optax.GradientTransformation(init, update)


class SignProgressState(NamedTuple):
    previous: Any
    step_size: Any


def scale_by_sign_progress(shrink, grow, smallest, largest, initial) -> optax.GradientTransformation:
    """Rprop: a step size per element, grown while the gradient keeps its sign, shrunk when it turns.

    Gives -step_size * sign(g), the whole update: no learning rate follows. Where the sign turned nothing moves, and the
    gradient counts as zero next time. Differs from `optax.scale_by_rprop` in the first step, which moves by `initial`
    itself. Source: Riedmiller and Braun, A direct adaptive method for faster backpropagation learning (1993).
    """

    def init(params):
        return SignProgressState(_zeros(params), _map(lambda p: jnp.full_like(p, initial), params))

    def update(updates, state, params=None):
        del params
        progress = _map(lambda g, p: jnp.sign(g * p), updates, state.previous)

        def resized(s, size):
            factor = jnp.where(s > 0, grow, jnp.where(s < 0, shrink, 1.0)).astype(size.dtype)
            return jnp.clip(
                size * factor, jnp.asarray(smallest, size.dtype), jnp.asarray(largest, size.dtype)
            )

        sizes = _map(resized, progress, state.step_size)
        kept = _map(lambda s, g: jnp.where(s < 0, jnp.zeros_like(g), g), progress, updates)
        # the sign of nan counts as 0: what has no gradient stays, as in PyTorch
        steps = _map(lambda g, size: -jnp.where(jnp.isnan(g), 0, jnp.sign(g)) * size, kept, sizes)
        return steps, SignProgressState(kept, sizes)

    return optax.GradientTransformation(init, update)


class AverageState(NamedTuple):
    count: Any
    eta: Any
    mu: Any
    average: Any


def add_noise_free_average(lr, lambd, alpha, t0, dtype=jnp.float32) -> optax.GradientTransformation:
    """Averaged SGD: p moves by -eta * (g + lambd * p), and the average of p is kept (Polyak and Juditsky, 1992).

    Gives the whole update: no learning rate follows. eta = lr / (1 + lambd * lr * count) ** alpha; the average starts
    after t0 steps, and equals p before. eta and mu are rounded to `dtype`, as PyTorch rounds them to the default dtype.
    """

    def init(params):
        return AverageState(jnp.zeros((), jnp.int32), jnp.asarray(lr), jnp.ones(()), _zeros(params))

    def update(updates, state, params=None):
        count = state.count + 1
        eta = jax.lax.stop_gradient(state.eta)  # a number to PyTorch
        decay = 1 - _precise(lambd) * _precise(eta)
        moved = _map(lambda p, g: _times(decay, p) - _times(eta, g), params, updates)
        average = _map(
            lambda p, a: jnp.where(state.mu == 1, p, a + _times(state.mu, p - a)), moved, state.average
        )
        t = _precise(count)
        eta = _precise(lr) / (1 + _precise(lambd) * _precise(lr) * t) ** _precise(alpha)
        mu = 1 / jnp.maximum(1.0, t - _precise(t0))
        new = AverageState(count, eta.astype(dtype), mu.astype(dtype), average)
        step = _map(lambda q, p: jnp.where(jnp.isinf(q) & (q == p), 0, q - p), moved, params)
        return step, new

    return optax.GradientTransformation(init, update)
