"""Parametrizations, and the older weight and spectral normalization.
What is expected here was observed in PyTorch 2.13."""

from __future__ import annotations

import copy
import pickle

import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.nn.utils import parametrizations, parametrize


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).mT

    def right_inverse(self, a):
        return a.triu()


class Twice(nn.Module):
    def forward(self, x):
        return 2 * x


class Outer(nn.Module):
    def forward(self, x, y):
        return x.unsqueeze(-1) * y.unsqueeze(-2)

    def right_inverse(self, z):
        return z[:, 0] * 1, z[0] * 1


class Shorter(nn.Module):
    def forward(self, x):
        return x[:1]


def symmetric():
    return parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())


def test_a_parametrized_weight_is_computed_and_trained_through():
    m = symmetric()
    assert type(m).__name__ == "ParametrizedLinear" and isinstance(m, nn.Linear)
    assert list(m.state_dict()) == ["bias", "parametrizations.weight.original"]
    assert torch.equal(m.weight, m.weight.mT)
    m(torch.ones(2, 3)).sum().backward()
    original = m.parametrizations.weight.original
    assert original.grad.tolist() == [[2, 4, 4], [0, 2, 4], [0, 0, 2]]


def test_assigning_goes_through_right_inverse():
    m = symmetric()
    a = torch.arange(9.0).reshape(3, 3)
    m.weight = a + a.mT
    assert torch.equal(m.weight, a + a.mT)
    parametrize.register_parametrization(m, "weight", Twice())
    with pytest.raises(RuntimeError, match="parametrization Twice does not implement right_inverse"):
        m.weight = a


def test_removing():
    m = symmetric()
    parametrize.register_parametrization(m, "bias", Twice())
    original = m.parametrizations.weight.original
    value, raw = m.weight.detach().clone(), m.parametrizations.bias.original.detach().clone()
    parametrize.remove_parametrizations(m, "weight")
    assert m.weight is original and torch.equal(m.weight, value)
    parametrize.remove_parametrizations(m, "bias", leave_parametrized=False)
    assert torch.equal(m.bias, raw)
    assert type(m) is nn.Linear and not hasattr(m, "parametrizations")
    with pytest.raises(ValueError, match="does not have a parametrization on weight"):
        parametrize.remove_parametrizations(m, "weight")


def test_several_originals():
    m = parametrize.register_parametrization(nn.Linear(3, 4), "weight", Outer(), unsafe=True)
    assert list(m.state_dict()) == [
        "bias",
        "parametrizations.weight.original0",
        "parametrizations.weight.original1",
    ]
    with pytest.raises(ValueError, match="Cannot leave unparametrized"):
        parametrize.remove_parametrizations(m, "weight", leave_parametrized=False)


def test_what_is_refused_leaves_the_module_alone():
    m = nn.Linear(3, 4)
    with pytest.raises(
        ValueError, match="may not change the shape of the tensor, unless `unsafe` flag is enabled"
    ):
        parametrize.register_parametrization(m, "weight", Shorter())
    assert type(m) is nn.Linear and list(m.state_dict()) == ["weight", "bias"]
    with pytest.raises(ValueError, match="does not have a parameter, a buffer, or a parametrized element"):
        parametrize.register_parametrization(m, "weights", Twice())


def test_cached():
    m = symmetric()
    assert m.weight is not m.weight
    with parametrize.cached():
        assert m.weight is m.weight
    assert m.weight is not m.weight


def test_copying_and_pickling():
    m = symmetric()
    c = copy.deepcopy(m)
    assert type(c) is type(m) and torch.equal(c.weight, m.weight)
    c.weight = torch.zeros(3, 3)
    assert m.weight.abs().sum() > 0
    with pytest.raises(RuntimeError, match="only supported through state_dict"):
        pickle.dumps(m)


def test_inside_a_transform():
    m = symmetric()
    params = {k: v.detach() for k, v in m.named_parameters()}

    def loss(p):
        return torch.func.functional_call(m, p, (torch.ones(1, 3),)).sum()

    gradient = torch.func.grad(loss)(params)["parametrizations.weight.original"]
    assert gradient.tolist() == [[1, 2, 2], [0, 1, 2], [0, 0, 1]]


@pytest.mark.parametrize("how", ["matrix_exp", "cayley"])
def test_orthogonal(how):
    m = parametrizations.orthogonal(nn.Linear(3, 4), orthogonal_map=how)
    assert list(m.state_dict())[1:] == ["parametrizations.weight.original", "parametrizations.weight.0.base"]
    w = m.weight
    torch.nn.init.normal_(m.parametrizations.weight.original)
    for now in (w, m.weight):
        assert torch.allclose(now.mT @ now, torch.eye(3), atol=1e-5)


def test_weight_norm_reads_the_older_form():
    with pytest.warns(FutureWarning, match="deprecated in favor of"):
        old = nn.utils.weight_norm(nn.Linear(3, 4))
    assert list(old.state_dict()) == ["bias", "weight_g", "weight_v"]
    new = parametrizations.weight_norm(nn.Linear(3, 4))
    new.load_state_dict(old.state_dict())
    x = torch.ones(2, 3)
    assert torch.allclose(new(x), old(x))
    nn.utils.remove_weight_norm(old)
    assert list(old.state_dict()) == ["bias", "weight"]
    assert torch.allclose(new(x), old(x))


def test_spectral_norm_by_hook():
    m = nn.utils.spectral_norm(nn.Linear(3, 4), n_power_iterations=20)
    assert list(m.state_dict()) == ["bias", "weight_orig", "weight_u", "weight_v"]
    m(torch.ones(1, 3))
    assert abs(float(torch.linalg.matrix_norm(m.weight.detach(), 2)) - 1) < 1e-3
    nn.utils.remove_spectral_norm(m)
    assert list(m.state_dict()) == ["bias", "weight"]
