"""Adam and its kin: Adam (with AMSGrad), AdamW, Adamax, NAdam, RAdam. See algorithms.py."""

from __future__ import annotations

from operator import neg
from typing import Any

import optax

from functorch_lite._core.api import Tensor
from functorch_lite.optim import transforms
from functorch_lite.optim.fused import FusedOptimizer, Update
from functorch_lite.optim.rules import (
    as_factor,
    as_number,
    as_step,
    as_weight,
    check_flags,
    check_options,
    chosen,
    count_of,
    decay_by,
    descend,
    from_one,
    of_old,
    plan_decay,
    run_chain,
    shrunk,
)

__all__ = ["Adam"]


def _run_chain(decoupled, lr, weight_decay, part, params, grads):
    """The chain of (transformation, its state), with weight decay: the new parameters, and the transformation's new
    state."""
    if decoupled:
        params, weight_decay = shrunk(params, lr, weight_decay), []
    params, states = run_chain([*decay_by(weight_decay), part, descend(lr)], params, grads)
    return params, states[len(weight_decay)]


def _adam(structure, params, grads, columns, shared, numbers):
    _, decoupled, amsgrad = structure
    lr, b1, b2, eps, *weight_decay = numbers
    (step,) = shared
    if amsgrad:
        rule = transforms.scale_by_amsgrad_uncorrected(b1, b2, eps)
        state: Any = transforms.AmsgradState(count_of(step), *columns)
    else:
        rule = optax.scale_by_adam(b1, b2, eps)
        state = optax.ScaleByAdamState(count_of(step), *columns)
    params, new = _run_chain(decoupled, lr, weight_decay, (rule, state), params, grads)
    return params, list(new[1:]), [step + 1]


class Adam(FusedOptimizer):
    """Adam (Kingma and Ba, https://arxiv.org/abs/1412.6980) and AMSGrad, as torch.optim.Adam.

    lr and both betas may be Tensors of one element. weight_decay is added to the gradient, or with
    decoupled_weight_decay takes lr * weight_decay of the parameter. Raises ValueError for betas outside [0, 1) and
    negative options, RuntimeError for sparse gradients.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.001.
        betas: the decay rates of the averages of the gradient and of its square. Default: (0.9,
            0.999).
        eps: a small number added to the denominator. Default: 1e-08.
        weight_decay: the factor of the L2 penalty that is added to the gradient. Default: 0.
        amsgrad: whether the largest average of squares so far is used. Default: False.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        maximize: whether the objective is maximized. Default: False.
        capturable: accepted for compatibility: it concerns CUDA graphs and changes nothing here.
            Default: False.
        differentiable: whether autograd records the step, so that gradients flow through it.
            Default: False.
        fused: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        decoupled_weight_decay: whether the decay is taken from the parameter (as in AdamW) and
            not added to the gradient. Default: False.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.Adam([w], lr=0.5)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w.tolist()
    [0.5, 1.5]
    """

    _update = Update(_adam, "adam")
    _defaults_of_old = of_old(
        "amsgrad maximize foreach capturable differentiable decoupled_weight_decay fused"
    )

    def __init__(
        self,
        params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_options(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        if not any(all(isinstance(beta, kind) for beta in betas) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        for i, beta in enumerate(betas):
            if isinstance(beta, Tensor):
                if foreach and not capturable:
                    raise ValueError(
                        f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True"
                    )
                if beta.numel() != 1:
                    raise ValueError(f"Tensor betas[{i}] must be 1-element")
        check_flags(foreach, fused, differentiable)
        options = "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused decoupled_weight_decay"
        super().__init__(params, chosen(locals(), options))

    def _dense(self, grad, group):
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    def _plan(self, group):
        has_decay, decay = plan_decay(group)
        b1, b2 = group["betas"]
        amsgrad = bool(group["amsgrad"])
        names = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if amsgrad else ("exp_avg", "exp_avg_sq")
        structure = (has_decay, has_decay and bool(group["decoupled_weight_decay"]), amsgrad)
        return (
            structure,
            names,
            (
                as_number(group["lr"]),
                as_number(b1, from_one),
                as_number(b2, from_one),
                as_number(group["eps"]),
                *decay,
            ),
        )


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, https://arxiv.org/abs/1711.05101), as torch.optim.AdamW.

    Each step takes lr * weight_decay of the parameter, then Adam's step; arguments and errors are Adam's.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.001.
        betas: the decay rates of the averages of the gradient and of its square. Default: (0.9,
            0.999).
        eps: a small number added to the denominator. Default: 1e-08.
        weight_decay: the decay: each step takes lr * weight_decay of the parameter. Default:
            0.01.
        amsgrad: whether the largest average of squares so far is used. Default: False.
        maximize: whether the objective is maximized. Default: False.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        capturable: accepted for compatibility: it concerns CUDA graphs and changes nothing here.
            Default: False.
        differentiable: whether autograd records the step, so that gradients flow through it.
            Default: False.
        fused: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.AdamW([w], lr=0.5, weight_decay=0.5)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w.tolist()
    [0.25, 1.0]
    """

    def __init__(
        self,
        params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        flags = chosen(locals(), "foreach maximize capturable differentiable fused")
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **flags, decoupled_weight_decay=True)

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


def _adamax(structure, params, grads, columns, shared, numbers):
    lr, b1, b2, eps, *weight_decay = numbers
    rule = optax.scale_by_adamax(b1, b2, eps)
    state = optax.ScaleByAdamState(count_of(shared[0]), *columns)
    params, new = _run_chain(False, lr, weight_decay, (rule, state), params, grads)
    return params, [new.mu, new.nu], [shared[0] + 1]


class Adamax(FusedOptimizer):
    """Adam with the infinity norm (Kingma and Ba, section 7.1), as torch.optim.Adamax.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.002.
        betas: the decay rates of the average of the gradient and of its infinity norm. Default:
            (0.9, 0.999).
        eps: a small number added to the denominator. Default: 1e-08.
        weight_decay: the factor of the L2 penalty that is added to the gradient. Default: 0.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        maximize: whether the objective is maximized. Default: False.
        differentiable: whether autograd records the step, so that gradients flow through it.
            Default: False.
        capturable: accepted for compatibility: it concerns CUDA graphs and changes nothing here.
            Default: False.

    Raises ValueError for betas outside [0, 1) and a negative lr, eps or weight_decay.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.Adamax([w], lr=0.5)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> [round(x, 3) for x in w.tolist()]
    [0.5, 1.5]
    """

    _update = Update(_adamax, "adamax")
    _defaults_of_old = of_old("foreach maximize differentiable capturable")

    def __init__(
        self,
        params,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_options(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        options = "lr betas eps weight_decay foreach maximize differentiable capturable"
        super().__init__(params, chosen(locals(), options))

    def _plan(self, group):
        has_decay, decay = plan_decay(group)
        b1, b2 = group["betas"]
        b1 = as_factor(as_weight(b1, group["params"]), "addcdiv_(): argument 'value'", from_one)
        numbers = (as_number(group["lr"]), b1, as_number(b2), as_number(group["eps"]), *decay)
        return (has_decay,), ("exp_avg", "exp_inf"), numbers


def _nadam(structure, params, grads, columns, shared, numbers):
    _, decoupled = structure
    lr, b1, b2, eps, momentum_decay, *weight_decay = numbers
    step, product = shared
    rule = transforms.scale_by_nadam_schedule(b1, b2, eps, momentum_decay)
    part = (rule, transforms.NadamState(count_of(step), product, *columns))
    params, new = _run_chain(decoupled, lr, weight_decay, part, params, grads)
    return params, [new.mu, new.nu], [step + 1, new.product]


class NAdam(FusedOptimizer):
    """Adam with Nesterov momentum (Dozat, https://openreview.net/forum?id=OM0jvwB8jIp57ZJjtNEZ), as torch.optim.NAdam.

    momentum_decay says how fast the momentum nears betas[0]. Raises ValueError for betas outside [0, 1) and negative
    options.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.002.
        betas: the decay rates of the averages of the gradient and of its square. Default: (0.9,
            0.999).
        eps: a small number added to the denominator. Default: 1e-08.
        weight_decay: the factor of the L2 penalty that is added to the gradient. Default: 0.
        momentum_decay: how fast the momentum approaches betas[0]. Default: 0.004.
        decoupled_weight_decay: whether the decay is taken from the parameter (as in AdamW) and
            not added to the gradient. Default: False.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        maximize: whether the objective is maximized. Default: False.
        capturable: accepted for compatibility: it concerns CUDA graphs and changes nothing here.
            Default: False.
        differentiable: whether autograd records the step, so that gradients flow through it.
            Default: False.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.NAdam([w], lr=0.5)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> [round(x, 3) for x in w.tolist()]
    [0.472, 1.472]
    """

    _update = Update(_nadam, "nadam")
    _shared = ("step", "mu_product")
    _defaults_of_old = of_old("maximize foreach capturable differentiable decoupled_weight_decay")

    def __init__(
        self,
        params,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_options(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay, momentum_decay=momentum_decay)
        options = "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize foreach capturable differentiable"
        super().__init__(params, chosen(locals(), options))

    def _initial(self, name, group):
        return 1.0 if name == "mu_product" else 0.0

    def _plan(self, group):
        has_decay, decay = plan_decay(group)
        b1, b2 = group["betas"]
        b1, b2 = as_step(b1, from_one), as_factor(b2, "addcmul_(): argument 'value'", from_one)
        numbers = (as_number(group["lr"], neg), b1, b2, as_number(group["eps"]))
        structure = (has_decay, has_decay and bool(group["decoupled_weight_decay"]))
        return structure, ("exp_avg", "exp_avg_sq"), (*numbers, as_step(group["momentum_decay"]), *decay)


def _radam(structure, params, grads, columns, shared, numbers):
    _, decoupled = structure
    lr, b1, b2, eps, *weight_decay = numbers
    part = (
        transforms.scale_by_radam_rectified(b1, b2, eps),
        transforms.RadamState(count_of(shared[0]), *columns),
    )
    params, new = _run_chain(decoupled, lr, weight_decay, part, params, grads)
    return params, [new.mu, new.nu], [shared[0] + 1]


class RAdam(FusedOptimizer):
    """Adam with a rectified variance (Liu et al., https://arxiv.org/abs/1908.03265), as torch.optim.RAdam.

    The first steps, whose variance is not known well enough, are steps of SGD with momentum. Raises ValueError for
    betas outside [0, 1) and negative options.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.001.
        betas: the decay rates of the averages of the gradient and of its square. Default: (0.9,
            0.999).
        eps: a small number added to the denominator. Default: 1e-08.
        weight_decay: the factor of the L2 penalty that is added to the gradient. Default: 0.
        decoupled_weight_decay: whether the decay is taken from the parameter (as in AdamW) and
            not added to the gradient. Default: False.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        maximize: whether the objective is maximized. Default: False.
        capturable: accepted for compatibility: it concerns CUDA graphs and changes nothing here.
            Default: False.
        differentiable: whether autograd records the step, so that gradients flow through it.
            Default: False.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.RAdam([w], lr=0.5)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w.tolist()
    [0.0, 0.0]
    """

    _update = Update(_radam, "radam")
    _defaults_of_old = of_old("foreach maximize differentiable decoupled_weight_decay capturable")

    def __init__(
        self,
        params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_options(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        options = (
            "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay differentiable"
        )
        super().__init__(params, chosen(locals(), options))

    def _plan(self, group):
        has_decay, decay = plan_decay(group)
        b1, b2 = group["betas"]
        b1 = as_weight(b1, group["params"])
        b2 = as_factor(b2, "addcmul_(): argument 'value'", from_one)
        numbers = (as_number(group["lr"]), b1, b2, as_number(group["eps"]), *decay)
        return (
            (has_decay, has_decay and bool(group["decoupled_weight_decay"])),
            ("exp_avg", "exp_avg_sq"),
            numbers,
        )
