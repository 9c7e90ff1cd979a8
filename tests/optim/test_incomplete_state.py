"""State that was loaded into an optimizer: what is missing, or is another parameter's, raises as in PyTorch, and leaves
the parameters as they were."""

from __future__ import annotations

import copy

import pytest

import functorch_lite as torch

OPTIMIZERS = {
    "Adam": {"amsgrad": True}, "AdamW": {}, "Adamax": {}, "NAdam": {}, "RAdam": {}, "Adagrad": {}, "Adadelta": {},
    "RMSprop": {"momentum": 0.9, "centered": True}, "Rprop": {}, "ASGD": {}, "SGD": {"momentum": 0.9},
}  # fmt: skip
AT_LOADING = ("step", "mu_product", "eta", "mu")
"""State that PyTorch 2.13 looks for in `load_state_dict`; the rest, in `step`."""


def made(name, *shapes, steps=0):
    params = [torch.nn.Parameter(torch.ones(shape)) for shape in shapes]
    optimizer = getattr(torch.optim, name)(params, **OPTIMIZERS[name])
    for _ in range(steps):
        step(params, optimizer)
    return params, optimizer


def step(params, optimizer):
    for p in params:
        p.grad = torch.full_like(p, 0.5)
    optimizer.step()


def loaded_without(name, saved, lacking):
    params, optimizer = made(name, (2, 3), (2, 3))
    state = {key: dict(value) for key, value in saved["state"].items()}
    del state[1][lacking]
    optimizer.load_state_dict({**saved, "state": state})
    return params, optimizer


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_part_of_the_state_is_missing(name):
    saved = made(name, (2, 3), (2, 3), steps=1)[1].state_dict()
    for lacking in saved["state"][0]:
        if name == "SGD":  # the only one that begins again
            step(*loaded_without(name, saved, lacking))
            continue
        if lacking in AT_LOADING:
            with pytest.raises(KeyError, match=lacking):
                loaded_without(name, saved, lacking)
            continue
        params, optimizer = loaded_without(name, saved, lacking)
        with pytest.raises(KeyError, match=lacking):
            step(params, optimizer)
        assert all(p.tolist() == torch.ones(2, 3).tolist() for p in params)


@pytest.mark.parametrize(
    "saved, now",
    [
        (((2, 3), (3, 2)), ((3, 2), (2, 3))),
        (((2, 3), (2, 4)), ((2, 4), (2, 3))),
        (((1, 3), (2, 3)), ((2, 3), (1, 3))),
        (((1,), (3,)), ((3,), (1,))),
        (
            ((2, 3), (3, 2), *[(4,)] * 40),
            ((3, 2), (2, 3), *[(4,)] * 40),
        ),  # enough of them to be kept as one array
    ],
)
@pytest.mark.parametrize("name", ["Adam", "SGD", "ASGD", "Adagrad"])
def test_parameters_in_another_order(name, saved, now):
    state = made(name, *saved, steps=1)[1].state_dict()
    params, optimizer = made(name, *now)
    optimizer.load_state_dict(state)
    for _ in range(2):  # it is no better the second time
        with pytest.raises(
            RuntimeError, match=r"(must match the size|doesn't match the broadcast).*in the order"
        ):
            step(params, optimizer)
    assert all((p == 1).all() for p in params)


def test_a_parameter_without_a_gradient_is_not_looked_at():
    state = made("Adam", (3,), (2,), steps=1)[1].state_dict()
    params, optimizer = made("Adam", (3,), (5,))
    optimizer.load_state_dict(state)
    step(params[:1], optimizer)
    assert params[0].tolist() != [1.0] * 3
    with pytest.raises(RuntimeError, match=r"size of tensor a \(2\) must match the size of tensor b \(5\)"):
        step(params, optimizer)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_whole_states_go_on_as_before(name):
    params, optimizer = made(name, (2, 3), (3,), steps=2)
    others, other = made(name, (2, 3), (3,))
    for to, source in zip(others, params):
        to.data.copy_(source)
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    step(params, optimizer)
    step(others, other)
    for a, b in zip(params, others):
        torch.testing.assert_close(a, b)
