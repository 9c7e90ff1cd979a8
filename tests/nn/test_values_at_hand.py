"""Targets, indices and probabilities out of range: torch's errors where the values are on the host, nan where they are
computed."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from tests.support.processes import python

F = torch.nn.functional

CASES = {
    "nll_loss": (IndexError, "Target 3 is out of bounds.", lambda t: F.nll_loss(torch.zeros(2, 3), t), [1, 3]),
    "cross_entropy": (IndexError, "Target -1 is out of bounds.", lambda t: F.cross_entropy(torch.zeros(2, 3), t), [1, -1]),
    "embedding": (IndexError, "index out of range in self", lambda t: F.embedding(t, torch.ones(3, 2)), [3]),
    "embedding_bag": (RuntimeError, "takes value 3 which is not in the valid range", lambda t: F.embedding_bag(t, torch.ones(3, 2)), [[3]]),
    "multi_margin_loss": (RuntimeError, "target out of range", lambda t: F.multi_margin_loss(torch.ones(2, 3), t), [0, 5]),
    "max_unpool1d": (RuntimeError, "Found an invalid max index: 9", lambda t: F.max_unpool1d(torch.ones(1, 2), t, 2), [[0, 9]]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_values_at_hand_are_looked_at(name):
    error, sentence, call, values = CASES[name]
    with pytest.raises(error, match=sentence):
        call(torch.tensor(values))


def test_computed_values_are_looked_at_when_something_is_read():
    loss = F.nll_loss(torch.zeros(2, 3), torch.tensor([1, 2]) + torch.tensor([0, 1]))
    with pytest.raises(IndexError, match="Target 3 is out of bounds"):
        loss.item()
    assert loss.isnan()


def test_what_is_ignored_may_be_out_of_range():
    assert F.nll_loss(torch.zeros(2, 3), torch.tensor([1, -100])).item() == 0


def test_probabilities_and_classes():
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        F.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.0]))
    with pytest.raises(RuntimeError, match="Class values must be smaller than num_classes"):
        F.one_hot(torch.tensor([4]), 3)
    with pytest.raises(ValueError, match="var has negative"):
        F.gaussian_nll_loss(torch.ones(2), torch.ones(2), torch.tensor([1.0, -1.0]))
    with pytest.raises(RuntimeError, match="offsets"):
        F.embedding_bag(torch.tensor([0, 1]), torch.ones(3, 2), torch.tensor([1, 2]))


SHAPE = """
from functorch_lite.nn.functional import cross_entropy
code = cross_entropy.__code__
print(*code.co_varnames[:code.co_argcount], cross_entropy.__defaults__)
"""


def test_what_looks_has_the_parameters_of_what_it_is_laid_over():
    wanted = "input target weight size_average ignore_index reduce reduction label_smoothing (None, None, -100, None, 'mean', 0.0)"
    assert python("-c", SHAPE).stdout.strip() == wanted  # where nothing has overridden functions yet
