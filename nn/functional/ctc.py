"""Connectionist temporal classification: the forward algorithm over the targets with blanks between, by lax.scan.

Source: Graves et al., "Connectionist temporal classification", ICML 2006, section 4.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp

from functorch_lite._core.api import Array, bounded, check, need_kind, required, requirement
from functorch_lite.ops._pointwise import category
from functorch_lite.ops._special import mean

from ._contracts.loss import check_reduction
from ._declare import nn_op

__all__: list[str] = []

_NEVER = -1e30
"""The log-probability of what can not be: finite, so that differences and derivatives of it stay finite."""


def _log_sum(*terms):
    top = jnp.max(jnp.stack(terms), 0)
    return top + jnp.log(sum(jnp.exp(t - top) for t in terms))


def _negative_log_likelihood(log_probs, targets, input_lengths, target_lengths, blank: int):
    """log_probs (T, N, C), targets (N, S): -log p(target) of each item; inf where no alignment exists."""
    steps, batch, _ = log_probs.shape
    longest = targets.shape[1]
    states = 2 * longest + 1
    position = jnp.arange(states)
    labels = jnp.full((batch, states), blank, jnp.int64).at[:, 1::2].set(targets)
    # a label may follow another without a blank between when they differ
    two_before = jnp.pad(labels, ((0, 0), (2, 0)), constant_values=blank)[:, :states]
    skips = (position % 2 == 1) & (labels != two_before)
    emitted = jnp.take_along_axis(jnp.maximum(log_probs, _NEVER), labels[None], 2)  # (T, N, states)
    never = jnp.asarray(_NEVER, log_probs.dtype)

    def step(alpha, now):
        here, t = now
        stay, one, two = (
            jnp.pad(alpha, ((0, 0), (k, 0)), constant_values=_NEVER)[:, :states] for k in (0, 1, 2)
        )
        moved = _log_sum(stay, one, jnp.where(skips, two, never)) + here
        return jnp.where((t < input_lengths)[:, None], moved, alpha), None

    first = jnp.where((position < 2) & (position <= 2 * target_lengths[:, None]), emitted[0], never)
    alpha, _ = jax.lax.scan(step, first, (emitted[1:], jnp.arange(1, steps)))
    last = jnp.take_along_axis(alpha, 2 * target_lengths[:, None], 1)[:, 0]
    before = jnp.take_along_axis(alpha, jnp.maximum(2 * target_lengths - 1, 0)[:, None], 1)[:, 0]
    log_likelihood = _log_sum(last, jnp.where(target_lengths > 0, before, never))
    # no input at all spells the empty target
    nothing = jnp.where(target_lengths == 0, jnp.zeros((), alpha.dtype), never)
    log_likelihood = jnp.where(input_lengths == 0, nothing, log_likelihood)
    return jnp.where(log_likelihood < _NEVER / 2, jnp.asarray(jnp.inf, alpha.dtype), -log_likelihood)


@partial(jax.custom_jvp, nondiff_argnums=(4, 5))
def _ctc(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    loss = _negative_log_likelihood(log_probs, targets, input_lengths, target_lengths, blank)
    return jnp.where(jnp.isinf(loss), jnp.zeros((), loss.dtype), loss) if zero_infinity else loss


def _gradient(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    """torch's: exp(log_probs) more than the derivative, which log_softmax's derivative takes away again."""
    gradient = jax.grad(
        lambda x: jnp.sum(_negative_log_likelihood(x, targets, input_lengths, target_lengths, blank))
    )(log_probs)
    loss = _negative_log_likelihood(log_probs, targets, input_lengths, target_lengths, blank)
    impossible = 0.0 if zero_infinity else jnp.nan
    gradient = jnp.where(jnp.isinf(loss)[:, None], impossible, gradient + jnp.exp(log_probs))
    counted = jnp.arange(log_probs.shape[0])[:, None] < input_lengths
    return jnp.where(counted[:, :, None], gradient, jnp.zeros((), log_probs.dtype)).astype(log_probs.dtype)


@_ctc.defjvp
def _ctc_jvp(blank, zero_infinity, primals, tangents):
    gradient = _gradient(*primals, blank, zero_infinity)
    return _ctc(*primals, blank, zero_infinity), jnp.sum(gradient * tangents[0], (0, 2))


def _check_ctc(log_probs, targets, input_lengths, target_lengths, blank: int, reduction: str) -> None:
    check_reduction(reduction)
    need_kind(log_probs, "F", "ctc_loss_cpu")
    lengths = {"input_lengths": input_lengths, "target_lengths": target_lengths}
    for name, x in lengths.items():
        check(category(x) == 1, RuntimeError, f"{name} must be integral")
    ndim, where = log_probs.ndim, "(while checking arguments for ctc_loss_allocate_outputs)"
    message = f"Expected 3-dimensional tensor, but got {ndim + (ndim == 1)}-dimensional tensor for argument #1 'log_probs'"
    check(ndim in (2, 3), RuntimeError, f"{message} {where}")
    check(0 <= blank < log_probs.shape[-1], RuntimeError, "blank must be in label range")
    batch = log_probs.shape[1] if ndim == 3 else 1
    for name, x in lengths.items():
        check(x.size == batch, RuntimeError, f"{name} must be of size batch_size")
    message = (
        f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets'"
    )
    check(targets.ndim in (1, 2), RuntimeError, f"{message} {where}")


_WHERE = "(while checking arguments for ctc_loss_allocate_outputs)"
_LEAST = "Expected {name} to have value at least 0, but got value {value} " + _WHERE
_MOST = "Expected {name} to have value at most {most}, but got value {value} " + _WHERE
_SIZE = (
    "Expected tensor to have size {value} at dimension 0, but got size {size} for argument #2 'targets' "
    + _WHERE
)
_ROOM = (
    "Expected tensor to have size at least {value} at dimension 1, but got size {size} for argument #2 'targets' "
    + _WHERE
)


def least_length(name: str) -> str:
    """The requirement that lengths are not negative."""
    return requirement("RuntimeError", _LEAST.replace("{name}", name))


def most_length(most: int) -> str:
    """The requirement that inputs are no longer than the steps that there are."""
    return requirement("RuntimeError", _MOST.replace("{name}", "input_lengths").replace("{most}", str(most)))


def room_for(ndim: int, size: int) -> str:
    """The requirement that targets of 1 or 2 dims have room for their lengths."""
    return requirement("RuntimeError", (_SIZE if ndim == 1 else _ROOM).replace("{size}", str(size)))


def _valid_lengths(inputs, counts, steps: int, targets, longest: int):
    """The lengths of inputs and targets, which must fit into the steps and the targets that there are."""
    inputs = required(inputs, jnp.where(inputs < 0, inputs, 0), least_length("input_lengths"))
    inputs = required(inputs, jnp.where(inputs > steps, inputs, 0), most_length(steps))
    counts = required(counts, jnp.where(counts < 0, counts, 0), least_length("target_lengths"))
    if targets.ndim == 1:
        total, size = jnp.sum(counts), targets.shape[0]
        # a total of 0 has no flag that is not 0; targets without any length are then merely not read
        wrong = jnp.where(total == size, 0, total)
    else:
        most = jnp.max(counts, initial=0)
        wrong, size = jnp.where(most > longest, most, 0), targets.shape[1]
    return inputs, required(counts, wrong, room_for(targets.ndim, size))


@nn_op(autocast=("float", None))
def _ctc_loss(
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    blank: int,
    longest: int,
    reduction: str,
    zero_infinity: bool,
):
    """-log p(target | input), p summed over all alignments. log_probs: (T, N, C) or (T, C) logarithms of probabilities.

    targets: (N, S), or one after the other (sum of the lengths); `longest` bounds their lengths. "mean" divides each
    item by its target's length. Raises RuntimeError for lengths out of range.
    """
    _check_ctc(log_probs, targets, input_lengths, target_lengths, blank, reduction)
    single = log_probs.ndim == 2
    probs = log_probs[:, None] if single else log_probs
    steps, batch, classes = probs.shape
    inputs, counts = (x.astype(jnp.int64).reshape(-1) for x in (input_lengths, target_lengths))
    bad = (inputs < 0) | (inputs > steps) | (counts < 0) | (counts > longest)
    inputs, counts = _valid_lengths(inputs, counts, steps, targets, longest)
    used_inputs, used_counts = jnp.clip(inputs, 0, steps), jnp.clip(counts, 0, longest)
    if targets.ndim == 1:
        starts = jnp.cumsum(used_counts) - used_counts
        place = starts[:, None] + jnp.arange(longest)
        rows = (
            jnp.take(targets, place, mode="clip") if targets.size else jnp.zeros((batch, longest), jnp.int64)
        )
    else:
        rows = targets[:, :longest]
    within = jnp.arange(longest) < used_counts[:, None]
    rows = jnp.where(within, rows.astype(jnp.int64), blank)
    rows = bounded(rows, classes, "target")  # which torch does not look at: it reads whatever lies there
    bad = bad | jnp.any((rows < 0) | (rows >= classes), 1)
    loss = _ctc(probs, jnp.clip(rows, 0, classes - 1), used_inputs, used_counts, blank, zero_infinity)
    loss = jnp.where(bad, jnp.asarray(jnp.nan, loss.dtype), loss)
    if reduction == "mean":
        return mean(loss / jnp.maximum(used_counts, 1).astype(loss.dtype))
    if reduction == "sum":
        return jnp.sum(loss)
    return loss[0] if single else loss
