"""Per-sample statistics: values from gradients of single samples, and what the functions do under every other transform."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.func import grad, per_sample, vmap
from tests.support.full import FULL

from . import nets
from .facts import check, facts, flat, of_calls
from .transforms import WAYS


def arguments(fact):
    model, ((x, y),) = nets.net(fact["net"]), nets.data(fact["data"])
    return model, nets.loss(fact["loss"], fact["reduction"]), nets.parameters(model), x, y


def value_of(fact, params=None):
    """What the fact is of."""
    model, loss, own, x, y = arguments(fact)
    given, call = (model, loss, own if params is None else params, x, y), fact["call"]
    if call == "gradient_norms_each":
        return per_sample.gradient_norms(*given, per_parameter=True)
    if call == "clipped_gradient_sum":
        return per_sample.clipped_gradient_sum(*given, fact["max_norm"])
    if call == "loss_hessian_diagonal":
        return per_sample.hessian_diagonal(*given, reduction=fact["reduction"])
    if call == "ggn_diagonal":
        return per_sample.ggn_diagonal(*given, reduction=fact["reduction"])
    if call == "gradients":
        found = per_sample.gradients(*given)
        return torch.cat([g.reshape(len(x), -1) for g in found.values()], 1)
    return getattr(per_sample, call)(*given)


NAMES = of_calls(
    "gradient_norms", "gradient_norms_each", "clipped_gradient_sum", "gradient_gram", "gradients", "gradient_second_moment",
    "gradient_variance", "ggn_diagonal", "loss_hessian_diagonal",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES if FULL else NAMES[::3])
def test_facts(name):
    check(facts()[name], value_of(facts()[name]))
