"""LBFGS: quasi-Newton steps from a history of gradients, with a closure that computes the loss as often as needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from functorch_lite._core.api import DerivedOp, Tensor, apply_op
from functorch_lite._core.api import functions as torch
from functorch_lite._core.api import state as _thread
from functorch_lite.autograd.grad_mode import no_grad
from functorch_lite.optim.line_search import (
    CURVATURE,
    LEAST_CHANGE,
    SUFFICIENT_DECREASE,
    Point,
    cubic_minimum,
    strong_wolfe,
)
from functorch_lite.optim.optimizer import Optimizer
from functorch_lite.optim.rules import check_lr, chosen

__all__ = ["LBFGS"]

LEAST_CURVATURE = 1e-10
"""Pairs of less curvature do not enter the history."""


def _two_loops(n, inputs):
    """The direction -H g; source: Nocedal & Wright, algorithm 7.4. Empty places of the history have rho = 0 and change
    nothing."""
    g, scale = inputs[0], inputs[1]
    ys, ss, rho = (jnp.stack(inputs[2 + i * n : 2 + (i + 1) * n]) for i in range(3))

    def back(q, pair):
        y, s, r = pair
        a = s.dot(q) * r
        return q - a * y, a

    def forth(d, pair):
        y, s, r, a = pair
        return d + (a - y.dot(d) * r) * s, None

    q, alphas = jax.lax.scan(back, -g, (ys, ss, rho), reverse=True)
    return [jax.lax.scan(forth, q * scale, (ys, ss, rho, alphas))[0]]


class _Direction(DerivedOp):
    __slots__ = ()

    def call(self, static, inputs):
        return _two_loops(static[0], list(inputs))


_direction = _Direction(_two_loops, "lbfgs_direction")


def _cubic_interpolate(x1: float, f1: Any, g1: Any, x2: float, f2: Any, g2: Any, bounds: tuple[float, float] | None = None) -> float:  # fmt: skip
    """Returns the place of the minimum of the cubic through two values f with slopes g, within `bounds` (by default
    between x1 and x2).

    >>> round(torch.optim.lbfgs._cubic_interpolate(0.0, 1.0, -2.0, 2.0, 1.0, 2.0), 4)
    1.0
    """
    low, high = (min(x1, x2), max(x1, x2)) if bounds is None else bounds
    a, b = Point(x1, float(f1), None, float(g1)), Point(x2, float(f2), None, float(g2))
    return cubic_minimum(a, b, low, high)


def _strong_wolfe(
    obj_func: Callable[[Any, float, Tensor], tuple[float, Tensor]], x: Any, t: float, d: Tensor, f: float, g: Tensor, gtd: Any,
    c1: float = SUFFICIENT_DECREASE, c2: float = CURVATURE, tolerance_change: float = LEAST_CHANGE, max_ls: int = 25,
) -> tuple[float, Tensor, float, int]:  # fmt: skip
    """A step length that satisfies the strong Wolfe conditions: (loss, gradient, step length, evaluations).

    obj_func: (x, step length, direction) -> (loss, gradient). x is handed to it as it is. t: the first step length. d:
    the direction. f, g, gtd: loss, gradient and slope along d at 0. c1, c2: the constants of sufficient decrease and of
    curvature. tolerance_change: the least change of an entry. max_ls: how many points are evaluated at most.
    """

    def evaluate(length: float) -> Point:
        loss, gradient = obj_func(x, length, d)
        return Point(length, float(loss), gradient, float(gradient.dot(d)))

    start = Point(0.0, float(f), g, float(gtd))
    reach = float(d.abs().max())
    found, count = strong_wolfe(evaluate, start, t, reach, max_ls, c1, c2, tolerance_change)
    return found.loss, found.gradient, found.t, count


class LBFGS(Optimizer):
    """L-BFGS (Liu & Nocedal 1989), as torch.optim.LBFGS: `step(closure)` evaluates the closure several times.

    Only one parameter group is possible. Losses are read, so this optimizer cannot run inside vmap or a compiled
    function.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 1.
        max_iter: the largest number of iterations in a step. Default: 20.
        max_eval: the largest number of evaluations of the closure in a step. None (the default)
            is max_iter * 5 // 4.
        tolerance_grad: the largest entry of the gradient at which a step ends. Default: 1e-07.
        tolerance_change: the change of loss or parameters at which a step ends. Default: 1e-09.
        history_size: the number of previous updates that are kept. Default: 100.
        line_search_fn: "strong_wolfe", or None (the default) for steps of length lr.

    >>> w = torch.tensor([3., -4.], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((w - 1) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> _ = optimizer.step(closure)
    >>> [round(x, 4) for x in w.tolist()]
    [1.0, 1.0]
    """

    def __init__(
        self,
        params,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        options = "lr max_iter max_eval tolerance_grad tolerance_change history_size line_search_fn"
        super().__init__(params, chosen(locals(), options))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    # -- all parameters as one vector --------------------------------------------------------------------------------

    def _flat_grad(self) -> Tensor:
        parts = []
        for p in self._params:
            g = torch.zeros_like(p) if p.grad is None else p.grad.to_dense() if p.grad.is_sparse else p.grad
            g = g.detach()
            parts.append((torch.view_as_real(g) if g.is_complex() else g).reshape(-1))
        return torch.cat(parts)

    def _values(self) -> list[Tensor]:
        return [p.detach().clone() for p in self._params]

    def _move(self, start: list[Tensor], t: float, direction: Tensor) -> None:
        """Sets the parameters to start + t direction; one that is listed twice moves by both of its pieces."""
        at, moved_before = 0, set()
        with no_grad():
            for p, x in zip(self._params, start):
                x = p.detach() if id(p) in moved_before else x
                moved_before.add(id(p))
                real = torch.view_as_real(x) if x.is_complex() else x
                n = real.numel()
                moved = real + t * direction[at : at + n].reshape(real.shape)
                p.copy_(torch.view_as_complex(moved) if x.is_complex() else moved)
                at += n

    # -- a step -------------------------------------------------------------------------------------------------------

    def step(self, closure) -> Tensor:  # type: ignore[override]
        """Up to max_iter iterations; `closure` clears the gradients, computes the loss, calls backward and returns the
        loss."""
        here = _thread.here
        grad_mode = here.grad
        try:
            here.grad = False
            return self._iterate(closure)
        finally:
            here.grad = grad_mode

    def _measure(self, closure, direction: Tensor | None = None) -> tuple:
        """The loss (a Tensor), its gradient, the gradient's largest entry, and the slope along a direction: one program
        computes all."""
        here = _thread.here
        here.grad = True
        try:
            loss = closure()
        finally:
            here.grad = False
        value = torch.as_tensor(loss).detach() + 0.0
        gradient = self._flat_grad()
        largest = gradient.abs().max()
        slope = None if direction is None else gradient.dot(direction)
        return loss, float(value), gradient, float(largest), None if slope is None else float(slope)

    def _iterate(self, closure) -> Tensor:
        group = self.param_groups[0]
        lr, tolerance = float(group["lr"]), group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        state["func_evals"] += 1
        evaluations, iterations = 1, 0
        first, loss, gradient, steepest, _ = self._measure(closure)
        if steepest <= group["tolerance_grad"]:
            return first
        while iterations < group["max_iter"]:
            iterations += 1
            state["n_iter"] += 1
            self._next_direction(state, gradient, group["history_size"])
            direction = state["d"]
            previous = loss
            state["prev_flat_grad"], state["prev_loss"] = gradient, loss
            size, largest, slope = gradient.abs().sum(), direction.abs().max(), gradient.dot(direction)
            slope, reach = float(slope), float(largest)
            state["t"] = t = min(1.0, 1.0 / float(size)) * lr if state["n_iter"] == 1 else lr
            if slope > -tolerance:
                break
            if isinstance(group["lr"], bool) and state["n_iter"] > 1:  # which is what a step is multiplied by
                raise RuntimeError("Boolean alpha only supported for Boolean results.")
            start, more = self._values(), 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")

                def evaluate(length: float, start=start, direction=direction) -> Point:
                    self._move(start, length, direction)
                    _, value, g, _, along = self._measure(closure, direction)
                    return Point(length, value, g, along)

                begin = Point(0, loss, gradient, slope)
                found, more = strong_wolfe(evaluate, begin, t, reach, group["max_eval"] - evaluations)  # type: ignore
                state["t"] = t = found.t
                loss, gradient = found.loss, found.gradient
                self._move(start, t, direction)
                steepest = float(gradient.abs().max())
            else:
                self._move(start, t, direction)
                if iterations != group["max_iter"]:
                    _, loss, gradient, steepest, _ = self._measure(closure)
                    more = 1
            evaluations += more
            state["func_evals"] += more
            if (
                iterations == group["max_iter"]
                or evaluations >= group["max_eval"]
                or steepest <= group["tolerance_grad"]
                or reach * abs(t) <= tolerance
                or abs(loss - previous) < tolerance
            ):
                break
        return first

    def _next_direction(self, state, gradient: Tensor, history_size: int) -> None:
        if state["n_iter"] == 1:
            state.update(d=gradient.neg(), old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return
        ys, ss, rho = state["old_dirs"], state["old_stps"], state["ro"]
        y, s = gradient - state["prev_flat_grad"], state["d"] * state["t"]
        curvature = y.dot(s)
        if float(curvature) > LEAST_CURVATURE:
            if len(ys) == history_size:
                for old in (ys, ss, rho):
                    old.pop(0)
            ys.append(y)
            ss.append(s)
            rho.append(1.0 / curvature)
            state["H_diag"] = curvature / y.dot(y)
        # torch's list of coefficients: empty for a negative size, refused for a float
        if len(ys) > len([None] * history_size):
            raise IndexError("list assignment index out of range")
        empty, zero = (
            torch.zeros_like(gradient),
            torch.zeros((), dtype=gradient.dtype, device=gradient.device),
        )
        places = (
            1 << max(len(ys) - 1, 0).bit_length()
        )  # a power of two, so that few programs serve all lengths
        more = places - len(ys)
        scale = zero + state["H_diag"]
        inputs = (gradient, scale, *ys, *[empty] * more, *ss, *[empty] * more, *rho, *[zero] * more)
        (state["d"],) = apply_op(_direction, (places,), inputs)
