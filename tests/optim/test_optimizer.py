"""The base class of optimizers, and what a step does and does not: groups, errors, hooks, state_dict, missing
gradients."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.run.executor import stats
from functorch_lite.optim import Adam, Optimizer, RMSprop, Rprop
from functorch_lite.optim.algorithms import SGD, Adagrad
from functorch_lite.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook


def param(*values):
    return torch.tensor(list(values)).requires_grad_()


def with_grad(p, value=1.0):
    p.grad = torch.full_like(p, value).detach()
    return p


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: SGD(param(1.0), lr=1),
            TypeError,
            "params argument given to the optimizer should be an iterable",
        ),
        (lambda: SGD([], lr=1), ValueError, "optimizer got an empty parameter list"),
        (
            lambda: SGD(["a"], lr=1),
            TypeError,
            "optimizer can only optimize Tensors, but one of the params is str",
        ),
        (lambda: SGD([param(1.0) * 2], lr=1), ValueError, "can't optimize a non-leaf Tensor"),
        (
            lambda: SGD([param(1.0)]).add_param_group([1]),
            TypeError,
            "param_group must be a dict, but got <class 'list'>",
        ),
        (lambda: SGD([{"params": {param(1.0)}}]), TypeError, "organized in ordered collections"),
        (lambda: SGD([("a", param(1.0)), param(1.0)]), ValueError, "Some param names are missing"),
        (lambda: SGD([param(1.0)], lr=-1), ValueError, "Invalid learning rate: -1"),
        (lambda: SGD([param(1.0)], momentum=-1), ValueError, "Invalid momentum value: -1"),
        (
            lambda: SGD([param(1.0)], nesterov=True),
            ValueError,
            "Nesterov momentum requires a momentum and zero",
        ),
        (lambda: Adam([param(1.0)], betas=(1.0, 0.9)), ValueError, "Invalid beta parameter at index 0: 1.0"),
        (lambda: Adam([param(1.0)], eps=-1), ValueError, "Invalid epsilon value: -1"),
        (lambda: Adam([param(1.0)], lr=torch.ones(2)), ValueError, "Tensor lr must be 1-element"),
        (lambda: Adam([param(1.0)], fused=True, foreach=True), RuntimeError, "cannot be `True` together"),
        (lambda: RMSprop([param(1.0)], alpha=-1), ValueError, "Invalid alpha value: -1"),
        (lambda: Rprop([param(1.0)], etas=(1.5, 1.2)), ValueError, "Invalid eta values: 1.5, 1.2"),
        (lambda: Adagrad([param(1.0)], lr_decay=-1), ValueError, "Invalid lr_decay value: -1"),
    ],
)
def test_errors_are_torchs(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_parameter_belongs_to_one_group():
    p = param(1.0)
    with pytest.raises(ValueError, match="some parameters appear in more than one parameter group"):
        SGD([{"params": [p]}, {"params": [p]}])
    with pytest.warns(UserWarning, match="duplicate parameters"):
        SGD([p, p])


def test_the_same_parameter_twice_moves_twice():
    p = with_grad(param(1.0))
    with pytest.warns(UserWarning):
        optimizer = SGD([p, p], lr=0.25)
    optimizer.step()
    assert p.item() == 0.5


def test_groups_have_options_of_their_own():
    a, b = with_grad(param(1.0)), with_grad(param(1.0))
    optimizer = SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.25)
    optimizer.step()
    assert (a.item(), b.item()) == (0.75, 0.5)
    text = repr(optimizer)
    assert text.startswith("SGD (\nParameter Group 0\n    dampening: 0\n")
    assert "\n\nParameter Group 1\n" in text


def test_names_are_kept():
    optimizer = SGD([("w", param(1.0)), ("b", param(2.0))], lr=0.1)
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["w", "b"]
    with pytest.raises(ValueError, match="cannot add param group without names"):
        optimizer.add_param_group({"params": [param(3.0)]})


def test_step_runs_under_no_grad_and_in_place():
    p = with_grad(param(1.0, 2.0))
    alias, version = p.detach(), p._version
    optimizer = SGD([p], lr=0.5)
    optimizer.step()
    assert p.requires_grad and p.is_leaf and p._version > version
    assert alias.tolist() == [0.5, 1.5]


def test_a_parameter_that_is_a_view():
    base = torch.zeros(4)
    p = base[1:3].detach().requires_grad_()
    optimizer = Adam([with_grad(p)], lr=0.5)
    optimizer.step()
    np.testing.assert_allclose(base.numpy(), [0, -0.5, -0.5, 0], rtol=1e-6)


def test_two_parameters_in_the_same_memory():
    base = torch.zeros(4)
    p, q = base[:2].detach().requires_grad_(), base[2:].detach().requires_grad_()
    SGD([with_grad(p), with_grad(q, 2.0)], lr=1.0).step()
    assert base.tolist() == [-1, -1, -2, -2]


def test_closure_runs_with_grad_and_its_loss_is_returned():
    p = param(3.0)
    optimizer = SGD([p], lr=0.5)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 9.0
    assert p.item() == 0.0


def test_zero_grad():
    p = with_grad(param(1.0))
    optimizer = SGD([p])
    optimizer.zero_grad(set_to_none=False)
    assert p.grad.tolist() == [0.0]
    optimizer.zero_grad()
    assert p.grad is None


def test_counts_of_parameters_without_gradient_stand_still():
    a, b = param(1.0), param(1.0)
    optimizer = Adam([a, b], lr=0.1)
    for i in range(4):
        with_grad(a)
        b.grad = None
        if i % 2:
            with_grad(b)
        optimizer.step()
    assert (optimizer.state[a]["step"].item(), optimizer.state[b]["step"].item()) == (4.0, 2.0)
    optimizer.state[a]["step"].zero_()
    assert optimizer.state[b]["step"].item() == 2.0


def test_writing_one_count_leaves_the_others():
    a, b = with_grad(param(1.0)), with_grad(param(1.0))
    optimizer = Adam([a, b], lr=0.1)
    optimizer.step()
    optimizer.state[a]["step"].fill_(10.0)
    optimizer.step()
    assert (optimizer.state[a]["step"].item(), optimizer.state[b]["step"].item()) == (11.0, 2.0)


def run(optimizer, params, steps):
    for i in range(steps):
        for p in params:
            with_grad(p, 1.0 + i)
        optimizer.step()
    return [p.tolist() for p in params]


@pytest.mark.parametrize("how", ["state_dict", "deepcopy", "pickle"])
def test_training_resumes_where_it_was(how):
    params = [param(1.0, 2.0), param(3.0)]
    optimizer = Adam(params, lr=0.1, amsgrad=True)
    run(optimizer, params, 3)
    if how == "state_dict":
        others = [p.detach().clone().requires_grad_() for p in params]
        other = Adam(others)
        other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    elif how == "deepcopy":
        other, others = copy.deepcopy((optimizer, params))
    else:
        other, others = pickle.loads(pickle.dumps((optimizer, params)))
    assert run(other, others, 3) == run(optimizer, params, 3)
    run(other, others, 1)
    values = {id(other.state[p]["step"]._cell.value) for p in others}
    assert len(values) == 1, "equal counts are one value again: one program a step"


def test_loading_casts_state_but_not_the_count():
    p = torch.ones(2, dtype=torch.float64).requires_grad_()
    optimizer = Adam([p])
    saved = optimizer.state_dict()
    saved["state"][0] = {"step": 3, "exp_avg": torch.ones(2), "exp_avg_sq": torch.ones(2)}
    optimizer.load_state_dict(saved)
    state = optimizer.state[p]
    assert (state["step"].dtype, state["step"].item()) == (torch.float32, 3.0)
    assert state["exp_avg"].dtype is torch.float64
    with_grad(p)
    optimizer.step()
    assert state["step"].item() == 4.0


def test_loading_what_does_not_fit():
    saved = SGD([param(1.0), param(2.0)]).state_dict()
    with pytest.raises(ValueError, match="different number of parameter groups"):
        SGD([{"params": [param(1.0)]}, {"params": [param(1.0)]}]).load_state_dict(saved)
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        SGD([param(1.0)]).load_state_dict(saved)


def test_hooks():
    seen = []
    p = with_grad(param(1.0))
    optimizer = SGD([p], lr=0.5)
    handles = [
        register_optimizer_step_pre_hook(lambda o, args, kwargs: seen.append("all before")),
        register_optimizer_step_post_hook(lambda o, args, kwargs: seen.append("all after")),
        optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append(("before", len(args), kwargs))),
        optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append("after")),
    ]
    optimizer.step()
    assert seen == ["all before", ("before", 1, {}), "after", "all after"]
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert len(seen) == 4
    optimizer.register_step_pre_hook(lambda o, args, kwargs: 1)
    with pytest.raises(RuntimeError, match="must return None or a tuple of"):
        optimizer.step()


def test_state_dict_hooks():
    optimizer = SGD([param(1.0)])
    optimizer.register_state_dict_post_hook(lambda o, saved: {**saved, "more": 1})
    optimizer.register_load_state_dict_pre_hook(
        lambda o, saved: {k: v for k, v in saved.items() if k != "more"}
    )
    loaded = []
    optimizer.register_load_state_dict_post_hook(loaded.append)
    saved = optimizer.state_dict()
    assert saved["more"] == 1
    optimizer.load_state_dict(saved)
    assert loaded == [optimizer]


def test_a_users_own_optimizer():
    class Plain(Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad, alpha=-group["lr"])

    p = with_grad(param(1.0))
    Plain([p], 0.5).step()
    assert p.item() == 0.5


@pytest.mark.programs
def test_one_program_a_step_whatever_the_learning_rate():
    params = [with_grad(param(1.0, 2.0)) for _ in range(5)]
    grads = [p.grad for p in params]
    optimizer = Adam(params, lr=0.1)
    warm_up, steps = 6, 10
    for i in range(warm_up + steps):
        if i == warm_up:
            programs, runs = stats["programs"], stats["runs"]
        optimizer.param_groups[0]["lr"] = 0.1 / (1 + i)
        for p, g in zip(params, grads):
            p.grad = g
        optimizer.step()
        optimizer.zero_grad()
    assert (stats["programs"] - programs, stats["runs"] - runs) == (0, steps)


def test_learning_rate_as_a_tensor():
    lr = torch.tensor(0.5)
    p = with_grad(param(1.0))
    optimizer = SGD([p], lr=lr)
    optimizer.step()
    lr.fill_(0.25)
    optimizer.step()
    assert p.item() == 0.25


def test_infinite_momentum_begins_with_the_gradient():
    p = torch.nn.Parameter(torch.zeros(2))
    opt = torch.optim.SGD([p], lr=0.5, momentum=math.inf)
    p.grad = torch.tensor([1.0, -2.0])
    opt.step()
    assert p.tolist() == [-0.5, 1.0]
    opt.step()
    assert p.tolist() == [-math.inf, math.inf]


def test_rprop_unpacks_its_pairs():
    p = torch.nn.Parameter(torch.zeros(2))
    p.grad = torch.ones(2)
    opt = torch.optim.Rprop([p], step_sizes=(1e-6,))
    with pytest.raises(ValueError, match="not enough values to unpack"):
        opt.step()
    assert p.tolist() == [0.0, 0.0]
