"""Optimizers that see parameters as matrices: Adafactor (factored second moments) and Muon (orthogonalised
momentum)."""

from __future__ import annotations

import math

from functorch_lite._core.api import Tensor, dtypes
from functorch_lite._core.api import functions as torch
from functorch_lite._core.api import state as _thread
from functorch_lite.optim.optimizer import Optimizer
from functorch_lite.optim.rules import check_lr, chosen

__all__ = ["Adafactor", "Muon"]


class _ByTensor(Optimizer):
    """An optimizer whose rule is written on Tensors, for one parameter at a time; a step is one recording all the
    same."""

    def step(self, closure=None):
        """One step: every parameter that has a gradient moves. Returns what `closure`, if given, returns."""
        loss = None
        here = _thread.here
        grad = here.grad
        try:
            if closure is not None:
                here.grad = True
                loss = closure()
            here.grad = False
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    if p.is_complex():
                        raise RuntimeError(f"{type(self).__name__} does not support complex parameters")
                    if p.grad.is_sparse:
                        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")
                    self._step_one(p, p.grad, self.state[p], group)
        finally:
            here.grad = grad
        return loss

    def _step_one(self, p: Tensor, g: Tensor, state: dict, group: dict) -> None:
        raise NotImplementedError


def _at_least(least: float, x: Tensor) -> Tensor:
    """max(least, x) as Python has it, in double precision: least where x is nan, as one element of a gradient may make
    it."""
    x = x.double()
    if isinstance(least, Tensor):
        least = least.reshape(())  # type: ignore[assignment]
    return torch.where(x > least, x, torch.full_like(x, least))


class Adafactor(_ByTensor):
    """Adafactor (Shazeer & Stern 2018, https://arxiv.org/abs/1804.04235), as torch.optim.Adafactor.

    The second moments of a matrix are kept as means of its rows and columns. `foreach` changes nothing.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.01.
        beta2_decay: the exponent of the decay rate of the average of squares. Default: -0.8.
        eps: the small numbers of the squared gradient (None means the epsilon of the dtype) and
            of the scale of the parameter. Default: (None, 0.001).
        d: the threshold at which updates are clipped. Default: 1.0.
        weight_decay: the factor of the L2 penalty that is added to the gradient. Default: 0.0.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        maximize: whether the objective is maximized. Default: False.

    Raises ValueError for options out of range, RuntimeError for complex parameters and sparse gradients.

    >>> w = torch.ones(3, 2, requires_grad=True)
    >>> optimizer = torch.optim.Adafactor([w], lr=0.5)
    >>> w.sum().backward()
    >>> optimizer.step()
    >>> {name: tuple(t.shape) for name, t in optimizer.state[w].items()}
    {'step': (), 'row_var': (3, 1), 'col_var': (1, 2)}
    """

    def __init__(
        self,
        params,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_lr(lr)
        checks = (
            (0.0 <= lr, f"Learning rate should be >= 0 but is: {lr}"),
            (0.0 >= beta2_decay, f"beta2_decay should be <= 0 but is: {beta2_decay}"),
            (eps[0] is None or 0.0 <= eps[0], f"epsilon1 should be >= 0 but is: {eps[0]}"),
            (0.0 <= eps[1], f"epsilon2 should be >= 0 but is: {eps[1]}"),
            (1.0 <= d, f"Clipping threshold d should be >= 1 but is: {d}"),
            (0.0 <= weight_decay, f"weight_decay should be >= 0 but is: {weight_decay}"),
        )
        for holds, sentence in checks:
            if not holds:
                raise ValueError(sentence)
        super().__init__(params, chosen(locals(), "lr beta2_decay eps d weight_decay foreach maximize"))

    def _step_one(self, p, g, state, group) -> None:
        if not state:
            state["step"] = torch.tensor(0.0, dtype=torch.float32)
            if g.ndim > 1:
                state["row_var"] = g.new_zeros((*g.shape[:-1], 1))
                state["col_var"] = g.new_zeros((*g.shape[:-2], 1, g.shape[-1]))
            else:
                state["variance"] = torch.zeros_like(g)
        g = -g if group["maximize"] else g
        eps1, eps2 = group["eps"]
        eps1 = dtypes.finfo(p.dtype).eps if eps1 is None else eps1
        state["step"] += 1
        step, lr, kind = state["step"].double(), group["lr"], p.dtype
        weight = (step ** group["beta2_decay"]).to(kind)
        relative = torch.minimum(step.rsqrt(), torch.ones_like(step) * lr)
        alpha = _at_least(eps2, p.norm(2) / math.sqrt(p.numel())) * relative
        if group["weight_decay"] != 0:
            p.mul_(1 - lr * group["weight_decay"])
        if g.ndim > 1:
            rows, columns = state["row_var"], state["col_var"]
            rows += weight * (g.square().mean(-1, keepdim=True) - rows)
            columns += weight * (g.square().mean(-2, keepdim=True) - columns)
            variance = rows @ columns / rows.mean(-2, keepdim=True).clamp(min=eps1)
        else:
            variance = state["variance"]
            variance += weight * (g.square() - variance)
        update = variance.clamp(min=eps1 * eps1).rsqrt() * g
        clip = _at_least(1.0, update.norm(2) / (math.sqrt(update.numel()) * group["d"]))
        p.sub_((alpha / clip).to(kind) * update)


class Muon(_ByTensor):
    """Muon (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/), as torch.optim.Muon: for matrices only.

    The momentum is brought near to the closest orthogonal matrix by Newton and Schulz's iteration, in bfloat16.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.001.
        weight_decay: the decay: each step takes lr * weight_decay of the parameter. Default: 0.1.
        momentum: the momentum factor. Default: 0.95.
        nesterov: whether Nesterov momentum is used. Default: True.
        ns_coefficients: the coefficients of the Newton-Schulz iteration. Default: (3.4445,
            -4.775, 2.0315).
        eps: the least norm by which the momentum is divided. Default: 1e-07.
        ns_steps: the number of Newton-Schulz iterations. Default: 5.
        adjust_lr_fn: how the learning rate depends on the shape: "original" or "match_rms_adamw".
            None (the default) means "original".

    Raises ValueError for a parameter that has not two dimensions (give those to another optimizer), and for options out
    of range.

    >>> w = torch.eye(2).requires_grad_()
    >>> optimizer = torch.optim.Muon([w], lr=0.5, weight_decay=0.0)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> tuple(w.shape), tuple(optimizer.state[w]["momentum_buffer"].shape)
    ((2, 2), (2, 2))
    """

    def __init__(
        self,
        params,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        checks = (
            (0.0 <= lr, f"Learning rate should be >= 0 but is: {lr}"),
            (0.0 <= momentum, f"momentum should be >= 0 but is: {momentum}"),
            (0.0 <= weight_decay, f"weight decay should be >= 0 but is: {weight_decay}"),
            (
                adjust_lr_fn in (None, "original", "match_rms_adamw"),
                f"Adjust learning rate function {adjust_lr_fn} is not supported",
            ),
        )
        for holds, sentence in checks:
            if not holds:
                raise ValueError(sentence)
        options = "lr weight_decay momentum nesterov ns_coefficients eps ns_steps adjust_lr_fn"
        super().__init__(params, chosen(locals(), options))
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}"
                    )

    def _step_one(self, p, g, state, group) -> None:
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(g)
        momentum = group["momentum"]
        buffer = state["momentum_buffer"]
        buffer.lerp_(g, 1 - momentum)
        update = g.lerp(buffer, momentum) if group["nesterov"] else buffer
        update = orthogonalised(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        lr, (rows, columns) = group["lr"], p.shape
        lr = lr.reshape(()) if isinstance(lr, Tensor) else lr
        if group["adjust_lr_fn"] == "match_rms_adamw":
            ratio = 0.2 * math.sqrt(max(rows, columns))
        else:
            ratio = math.sqrt(max(1, rows / columns))
        p.mul_(1 - lr * group["weight_decay"])
        p.add_(update, alpha=-(lr * ratio))


def orthogonalised(x: Tensor, coefficients, steps: int, eps: float) -> Tensor:
    """An odd polynomial of x applied `steps` times, which takes its singular values near to 1. In bfloat16."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    y = x.bfloat16()
    tall = y.shape[0] > y.shape[1]
    y = y.mT if tall else y
    y = y / y.norm().clamp(min=eps)
    for _ in range(steps):
        gram = y @ y.mT
        y = torch.addmm(y, torch.addmm(gram, gram, gram, beta=b, alpha=c), y, beta=a)
    return y.mT if tall else y
