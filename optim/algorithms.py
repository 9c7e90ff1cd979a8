"""The algorithms: SGD, RMSprop, Adagrad, Adadelta, Rprop, ASGD; Adam and its kin are in adam.py.

Each is an optax chain over lists (an optax transformation where it equals PyTorch's rule, one of `transforms` where it
does not), and a class with PyTorch's arguments, checks and state names. The flags `foreach`, `fused` and `capturable`
change nothing: every step is one compiled program.
"""

from __future__ import annotations

import math
from operator import neg

import jax.numpy as jnp
import optax

from functorch_lite._core.api import Tensor, dtypes, is_numpys
from functorch_lite._core.api import state as _thread
from functorch_lite.optim import transforms
from functorch_lite.optim.fused import FusedOptimizer, Update
from functorch_lite.optim.rules import (
    as_factor,
    as_number,
    as_step,
    check_flags,
    check_lr,
    check_options,
    chosen,
    count_of,
    decay_by,
    descend,
    from_one,
    of_old,
    plan_decay,
    run_chain,
    scaled,
    takes_part,
)

__all__ = ["ASGD", "SGD", "Adadelta", "Adagrad", "RMSprop", "Rprop"]

# -- SGD ---------------------------------------------------------------------------------------------------------------


def _sgd(structure, params, grads, columns, shared, numbers):
    decay, momentum, nesterov, dampened, started = structure
    lr, *numbers = numbers
    parts = decay_by(numbers[:1]) if decay else []
    if not momentum:
        return *run_chain([*parts, descend(lr)], params, grads)[:1], [], []
    rate, *dampening = numbers[decay:]
    (buffers,) = columns
    if dampened:
        rule = transforms.trace_with_dampening(rate, dampening[0], nesterov)
        state = transforms.DampenedTraceState(jnp.asarray(started), buffers)
    else:
        rule, state = optax.trace(rate, nesterov), optax.TraceState(buffers)
    params, states = run_chain([*parts, (rule, state), descend(lr)], params, grads)
    return params, [states[len(parts)].trace], []


class SGD(FusedOptimizer):
    """Stochastic gradient descent, with momentum, dampening, Nesterov's variant and weight decay, as torch.optim.SGD.

    Source: https://www.cs.toronto.edu/~hinton/absps/momentum.pdf for the momentum.

    Gradients may be sparse, without weight decay and `fused`. Raises ValueError for a negative lr, momentum or
    weight_decay, and for `nesterov` without momentum or with dampening.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.001.
        momentum: the momentum factor. Default: 0.
        dampening: the dampening of the momentum. Default: 0.
        weight_decay: the factor of the L2 penalty that is added to the gradient. Default: 0.
        nesterov: whether Nesterov momentum is used. Default: False.
        maximize: whether the objective is maximized. Default: False.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        differentiable: whether autograd records the step, so that gradients flow through it.
            Default: False.
        fused: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.5)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w.tolist()
    [0.0, 0.0]
    """

    _update = Update(_sgd, "sgd")
    _alone_with_autograd = False
    _shared = ()
    _optional = ("momentum_buffer",)
    _defaults_of_old = of_old("nesterov maximize foreach differentiable fused")

    def __init__(
        self,
        params,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        numbers = {"learning rate": lr, "momentum value": momentum, "weight_decay value": weight_decay}
        for words, value in numbers.items():
            if value < 0.0:  # nan is none, as in torch
                raise ValueError(f"Invalid {words}: {value}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        check_flags(foreach, fused, differentiable)
        options = "lr momentum dampening weight_decay nesterov maximize foreach differentiable fused"
        super().__init__(params, chosen(locals(), options))

    def _dense(self, grad, group):
        if group["fused"]:
            raise RuntimeError("`_fused_sgd` does not support sparse gradients")
        if takes_part(group["weight_decay"]):
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        return grad.to_dense()

    def _plan(self, group, started: bool = True):
        has_decay, decay = plan_decay(group)
        lr = as_number(group["lr"], neg)
        if not takes_part(group["momentum"]):
            return (has_decay, False, False, False, True), (), (lr, *decay)
        momentum, dampening = (
            as_number(group["momentum"]),
            as_factor(group["dampening"], "add_(): argument 'alpha'", from_one),
        )
        if group["nesterov"]:
            as_factor(group["momentum"], "add(): argument 'alpha'")
        # infinite momentum times a buffer that is zero at first would be nan
        infinite = type(momentum) is float and not math.isfinite(momentum)
        dampened = takes_part(dampening) or infinite or not started
        numbers = (lr, *decay, momentum, *([dampening] if dampened else []))
        structure = (has_decay, True, bool(group["nesterov"]), dampened, started)
        return structure, ("momentum_buffer",), numbers

    def _step_params(self, group, params, grads, structure, names, numbers):
        # a first gradient enters the buffer undampened, and without its derivative
        if structure[1] and structure[4] and (structure[3] or _thread.grad):
            fresh = {id(p) for p in params if self.state[p].get("momentum_buffer") is None}
            if fresh:
                for plan, chosen in ((self._plan(group, False), True), (self._plan(group), False)):
                    some = [(p, g) for p, g in zip(params, grads) if (id(p) in fresh) is chosen]
                    if some:
                        super()._step_params(group, [p for p, _ in some], [g for _, g in some], *plan)
                return
        super()._step_params(group, params, grads, structure, names, numbers)

    def _step_in_turn(self, group, params, grads, structure, names, numbers):
        fresh = {id(p) for p in params if names and self.state[p].get("momentum_buffer") is None}
        for p, g in zip(params, grads):
            if id(p) in fresh:  # a parameter that is listed twice begins twice
                self.state[p].pop("momentum_buffer", None)
            self._step_params(group, [p], [g], structure, names, numbers)


# -- rules by the size of past gradients -------------------------------------------------------------------------------


def _rmsprop(structure, params, grads, columns, shared, numbers):
    decay, centered, momentum = structure
    lr, alpha, eps, *rest = numbers
    squares, *columns = columns
    parts = decay_by(rest[:1]) if decay else []
    at = len(parts)
    if momentum:
        buffers, *columns = columns
    if centered:
        rule = optax.scale_by_stddev(alpha, eps, eps_in_sqrt=False)
        parts.append((rule, optax.ScaleByRStdDevState(mu=columns[0], nu=squares)))
    else:
        parts.append((optax.scale_by_rms(alpha, eps, eps_in_sqrt=False), optax.ScaleByRmsState(nu=squares)))
    if momentum:
        parts.append((optax.trace(rest[-1]), optax.TraceState(buffers)))
    params, states = run_chain([*parts, descend(lr)], params, grads)
    new = [states[at].nu]
    if momentum:
        new.append(states[at + 1].trace)
    if centered:
        new.append(states[at].mu)
    return params, new, [shared[0] + 1]


class RMSprop(FusedOptimizer):
    """RMSprop (Hinton, lecture 6e), plain or centered, with momentum, as torch.optim.RMSprop.

    The state has square_avg, momentum_buffer with momentum, and grad_avg if centered. Raises ValueError for negative
    options.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.01.
        alpha: the decay rate of the average of squares. Default: 0.99.
        eps: a small number added to the denominator. Default: 1e-08.
        weight_decay: the factor of the L2 penalty that is added to the gradient. Default: 0.
        momentum: the momentum factor. Default: 0.
        centered: whether the gradient is divided by an estimate of its standard deviation.
            Default: False.
        capturable: accepted for compatibility: it concerns CUDA graphs and changes nothing here.
            Default: False.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        maximize: whether the objective is maximized. Default: False.
        differentiable: whether autograd records the step, so that gradients flow through it.
            Default: False.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.RMSprop([w], lr=0.5, alpha=0.75)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w.tolist()
    [0.0, 1.0]
    """

    _update = Update(_rmsprop, "rmsprop")
    _defaults_of_old = {"momentum": 0, **of_old("centered foreach maximize differentiable capturable")}

    def __init__(
        self,
        params,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_options(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        options = "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable"
        super().__init__(params, chosen(locals(), options))

    def _plan(self, group):
        has_decay, decay = plan_decay(group)
        alpha = as_factor(group["alpha"], "addcmul_(): argument 'value'", from_one)
        numbers = (as_number(group["lr"], neg), alpha, as_number(group["eps"]), *decay)
        momentum, centered = group["momentum"] > 0, bool(group["centered"])
        names = ("square_avg",)
        if momentum:
            numbers, names = (*numbers, as_number(group["momentum"])), (*names, "momentum_buffer")
        if centered:
            names = (*names, "grad_avg")
        return (has_decay, centered, momentum), names, numbers


def _adagrad(structure, params, grads, columns, shared, numbers):
    lr, lr_decay, eps, *weight_decay = numbers
    part = (
        transforms.scale_by_adagrad_decay(lr_decay, eps),
        transforms.AdagradState(count_of(shared[0]), *columns),
    )
    params, states = run_chain([*decay_by(weight_decay), part, descend(lr)], params, grads)
    return params, [states[len(weight_decay)].total], [shared[0] + 1]


class Adagrad(FusedOptimizer):
    """Adagrad (Duchi, Hazan and Singer, JMLR 12, 2011), as torch.optim.Adagrad.

    The state, `sum`, is there before the first step. Gradients may be sparse, without weight decay (RuntimeError).
    Raises ValueError for negative options.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.01.
        lr_decay: how fast the learning rate decays. Default: 0.
        weight_decay: the factor of the L2 penalty that is added to the gradient. Default: 0.
        initial_accumulator_value: the initial sum of squares. Default: 0.
        eps: a small number added to the denominator. Default: 1e-10.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        maximize: whether the objective is maximized. Default: False.
        differentiable: whether autograd records the step, so that gradients flow through it.
            Default: False.
        fused: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.Adagrad([w], lr=0.5)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w.tolist()
    [0.5, 1.5]
    """

    _update = Update(_adagrad, "adagrad")
    _defaults_of_old = of_old("foreach maximize differentiable fused")

    def __init__(
        self,
        params,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_options(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay)
        check_options(initial_accumulator_value=initial_accumulator_value, eps=eps)
        check_flags(foreach, fused, differentiable)
        options = (
            "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize differentiable fused"
        )
        super().__init__(params, chosen(locals(), options))
        for group in self.param_groups:  # as in torch, the state is there before the first step
            for p in group["params"]:
                p.numel()  # which an uninitialized parameter refuses
            self._start(group, group["params"], [self.state[p] for p in group["params"]], ("sum",))

    def share_memory(self) -> None:
        """Does nothing: arrays are immutable and need not be moved to be read by another thread."""

    def _initial(self, name, group):
        first = group["initial_accumulator_value"]
        return as_factor(first, "full_like(): argument 'fill_value' (position 2)") if name == "sum" else 0.0

    def _dense(self, grad, group):
        if takes_part(group["weight_decay"]):
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        return grad.to_dense()

    def _plan(self, group):
        has_decay, decay = plan_decay(group)
        lr_decay = as_factor(group["lr_decay"], "addcdiv_(): argument 'value'", scaled)
        numbers = (as_number(group["lr"]), lr_decay, as_number(group["eps"]), *decay)
        return (has_decay,), ("sum",), numbers


def _adadelta(structure, params, grads, columns, shared, numbers):
    lr, rho, eps, *weight_decay = numbers
    part = (optax.scale_by_adadelta(rho, eps), optax.ScaleByAdaDeltaState(*columns))
    params, states = run_chain([*decay_by(weight_decay), part, descend(lr)], params, grads)
    new = states[len(weight_decay)]
    return params, [new.e_g, new.e_x], [shared[0] + 1]


class Adadelta(FusedOptimizer):
    """Adadelta (Zeiler, https://arxiv.org/abs/1212.5701), as torch.optim.Adadelta.

    lr multiplies a step that the rule has chosen: 1 is the paper's. Raises ValueError unless 0 <= rho <= 1, and for a
    negative lr, eps or weight_decay.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the factor of the step that the rule chooses: a number, or a tensor of one element.
            Default: 1.0.
        rho: the decay rate of the averages of squares, in [0, 1]. Default: 0.9.
        eps: a small number added to the denominator. Default: 1e-06.
        weight_decay: the factor of the L2 penalty that is added to the gradient. Default: 0.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        capturable: accepted for compatibility: it concerns CUDA graphs and changes nothing here.
            Default: False.
        maximize: whether the objective is maximized. Default: False.
        differentiable: whether autograd records the step, so that gradients flow through it.
            Default: False.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.Adadelta([w], eps=1e-4)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> [round(x, 3) for x in w.tolist()]
    [0.968, 1.968]
    """

    _update = Update(_adadelta, "adadelta")
    _defaults_of_old = of_old("foreach maximize differentiable capturable")

    def __init__(
        self,
        params,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_options(lr=lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_options(eps=eps, weight_decay=weight_decay)
        options = "lr rho eps weight_decay maximize capturable foreach differentiable"
        super().__init__(params, chosen(locals(), options))

    def _plan(self, group):
        has_decay, decay = plan_decay(group)
        rho = as_factor(group["rho"], "addcmul_(): argument 'value'", from_one)
        numbers = (as_number(group["lr"], neg), rho, as_number(group["eps"]), *decay)
        return (has_decay,), ("square_avg", "acc_delta"), numbers


# -- others ------------------------------------------------------------------------------------------------------------


def _rprop(structure, params, grads, columns, shared, numbers):
    rule = transforms.scale_by_sign_progress(*numbers, initial=0.0)
    params, states = run_chain([(rule, transforms.SignProgressState(*columns))], params, grads)
    return params, list(states[0]), [shared[0] + 1]


class Rprop(FusedOptimizer):
    """Resilient backpropagation (Riedmiller and Braun, 1993), as torch.optim.Rprop.

    Only signs of gradients count. An element's step grows by etas[1] while its sign stays, shrinks by etas[0] when it
    changes, and stays within step_sizes; the first is lr. Raises ValueError unless 0 < etas[0] < 1 < etas[1].

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.01.
        etas: the factors by which a step shrinks and grows. Default: (0.5, 1.2).
        step_sizes: the smallest and the largest step. Default: (1e-06, 50).
        capturable: accepted for compatibility: it concerns CUDA graphs and changes nothing here.
            Default: False.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        maximize: whether the objective is maximized. Default: False.
        differentiable: whether autograd records the step, so that gradients flow through it.
            Default: False.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.Rprop([w], lr=0.5)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w.tolist()
    [0.5, 1.5]
    """

    _update = Update(_rprop, "rprop")
    _defaults_of_old = of_old("foreach maximize differentiable capturable")

    def __init__(
        self,
        params,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_options(lr=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        options = "lr etas step_sizes foreach maximize differentiable capturable"
        super().__init__(params, chosen(locals(), options))

    def _initial(self, name, group):
        if name != "step_size":
            return 0.0
        lr = group["lr"]
        lr = lr.reshape(()) if isinstance(lr, Tensor) and lr.ndim and not lr.requires_grad else lr
        return as_factor(lr, "full_like(): argument 'fill_value' (position 2)")

    def _plan(self, group):
        (shrink, grow), (smallest, largest) = group["etas"], group["step_sizes"]
        if smallest is None and largest is None:
            raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
        # `clamp_` takes two numbers or two tensors
        for one, other in ((smallest, largest), (largest, smallest)):
            if isinstance(one, Tensor) and not isinstance(other, (Tensor, type(None))):
                as_factor(one, "clamp_(): each bound")
        for eta in (shrink, grow):
            if is_numpys(eta) and not isinstance(eta, float):
                raise TypeError(f"can't assign a numpy.{type(eta).__name__} to a tensor: give float({eta})")
        smallest, largest = (
            -math.inf if smallest is None else smallest,
            math.inf if largest is None else largest,
        )
        numbers = tuple([as_number(x) for x in (shrink, grow, smallest, largest)])
        return (), ("prev", "step_size"), numbers


def _asgd(structure, params, grads, columns, shared, numbers):
    lr, lambd, alpha, t0, *weight_decay = numbers
    step, eta, mu = shared
    rule = transforms.add_noise_free_average(lr, lambd, alpha, t0, structure[1])
    part = (rule, transforms.AverageState(count_of(step), eta, mu, *columns))
    params, states = run_chain([*decay_by(weight_decay), part], params, grads)
    new = states[len(weight_decay)]
    return params, [new.average], [step + 1, new.eta, new.mu]


class ASGD(FusedOptimizer):
    """Averaged stochastic gradient descent (Polyak and Juditsky, 1992), as torch.optim.ASGD.

    The average of each parameter, from step t0 on, is `optimizer.state[p]["ax"]`; before that it is the parameter.
    Raises ValueError for a negative lr or weight_decay.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.01.
        lambd: the decay term of the learning rate. Default: 0.0001.
        alpha: the power in the decay of the learning rate. Default: 0.75.
        t0: the step at which averaging starts. Default: 1000000.0.
        weight_decay: the factor of the L2 penalty that is added to the gradient. Default: 0.
        foreach: accepted for compatibility: a step is one recorded op for each group whatever it
            says. None is the default.
        maximize: whether the objective is maximized. Default: False.
        differentiable: whether autograd records the step, so that gradients flow through it.
            Default: False.
        capturable: accepted for compatibility: it concerns CUDA graphs and changes nothing here.
            Default: False.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.ASGD([w], lr=0.25, lambd=0)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w.tolist(), optimizer.state[w]["ax"].tolist()
    ([0.5, 1.0], [0.5, 1.0])
    """

    _update = Update(_asgd, "asgd")
    _shared = ("step", "eta", "mu")
    _of_numbers = ("eta",)
    _defaults_of_old = of_old("foreach maximize differentiable capturable")

    def __init__(
        self,
        params,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_options(lr=lr, weight_decay=weight_decay)
        options = "lr lambd alpha t0 weight_decay foreach maximize differentiable capturable"
        super().__init__(params, chosen(locals(), options))

    def _initial(self, name, group):
        return {"eta": group["lr"], "mu": 1.0}.get(name, 0.0)

    def _plan(self, group):
        has_decay, decay = plan_decay(group)
        lr, lambd, alpha, t0 = (group[k] for k in ("lr", "lambd", "alpha", "t0"))
        alpha, t0 = as_step(alpha), as_number(t0, from_one)
        if isinstance(t0, Tensor) and t0.ndim:  # it is in the way once the average begins
            steps = [self.state[p]["step"] for p in group["params"] if "step" in self.state[p]]
            if 1 + max(map(float, steps), default=0.0) - t0 > 1:
                as_step(t0)
        numbers = (as_number(lr), as_step(lambd), alpha, t0)
        return (has_decay, dtypes.default_dtype().np), ("ax",), (*numbers, *decay)
