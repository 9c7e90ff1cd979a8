"""Subclasses of Tensor, foreign types and modes take over functions as in PyTorch; and who uses none of them pays
nothing."""

from __future__ import annotations

import inspect
import json
import textwrap
from pathlib import Path

import pytest

import functorch_lite as torch
from tests.override_modes import CASES, outcome
from tests.support.processes import python

KNOWN = json.loads((Path(__file__).parent / "golden" / "override_programs.json").read_text())

OTHERWISE = {
    "told loosely: deepcopy": "PyTorch cannot copy a subclass that does not write new_empty()",
    "deepcopy_and_copy": "the same; here the copy is one of the subclass",
}
"""Programs that are not compared, and why."""

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", sorted(set(CASES) - set(OTHERWISE)))
def test_program(name):
    assert outcome(CASES[name], torch) == KNOWN[name]


def test_every_program_is_recorded():
    assert set(CASES) == set(KNOWN), "run `python -m tests.golden.make_override_programs` (needs torch)"


@pytest.mark.parity
@pytest.mark.parametrize("name", sorted(set(CASES) - set(OTHERWISE)))
def test_program_equals_torch(name):
    real = pytest.importorskip("torch")
    assert outcome(CASES[name], torch) == outcome(CASES[name], real)


def test_copies_are_of_the_subclass():
    found = outcome(CASES["deepcopy_and_copy"], torch)
    assert found[0]["class"] == "Plain" and found[1:3] == [["a", "b"], ["a"]]


# -- in a process of its own: the first that overrides ----------------------------------------------------------------

FIRST = """
import functorch_lite as torch
from functorch_lite._core.call import overrides
class Duck:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func, len(args), kwargs
d, x = Duck(), torch.ones(2)
import functorch_lite.sparse, functorch_lite.masked
x + 1, torch.add(x, x), torch.nn.Linear(2, 2)(x), torch.stack([x, x])
assert not overrides.is_on()
"""


def alone(code: str) -> None:
    """Runs code in a process where nothing overrides yet."""
    code = FIRST + textwrap.dedent(code)
    done = python("-c", code)
    assert done.returncode == 0, done.stderr


def test_first_foreign_argument_of_an_op():
    alone(
        """
        before = torch.add
        assert torch.add(d, x, alpha=2) == (before, 2, {"alpha": 2})
        assert overrides.is_on() and torch.add is before and torch.add(x, x).tolist() == [2.0, 2.0]
        assert torch.sum(d, 0) == (torch.sum, 2, None) and torch.sum(d, dim=0) == (torch.sum, 1, {"dim": 0})
        """
    )


def test_first_foreign_argument_of_an_operator():
    alone("found = x + d\nassert found[0] is torch.Tensor.add, found\nassert (d + x)[0] is torch.Tensor.add")


def test_first_foreign_argument_of_a_function_made_of_others():
    alone("found = torch.allclose(d, x)\nassert found[0] is torch.allclose, found")


def test_first_foreign_argument_before_a_spread_size():
    alone(
        "found = torch.tile(d, (2, 3))\nassert found == (torch.tile, 2, None), found\nassert x[d][0] is torch.Tensor.__getitem__"
    )


def test_first_foreign_argument_deep_inside():
    """Where a function that is made of others was called, it is too late to hand over the call, and that is said."""
    alone(
        """
        try:
            found = torch.nn.functional.cosine_embedding_loss(x, d, x)
        except (TypeError, AttributeError):
            pass
        else:
            assert found[0] is torch.nn.functional.cosine_embedding_loss, found
        """
    )


def test_first_subclass():
    alone(
        """
        before, method = torch.add, torch.Tensor.add
        class Mine(torch.Tensor): pass
        assert overrides.is_on() and torch.add is before and torch.Tensor.add is method
        assert type(torch.add(x.as_subclass(Mine), 1)) is Mine and type(torch.mul(x, x)) is torch.Tensor
        """
    )


def test_first_mode():
    alone(
        """
        from functorch_lite.overrides import TorchFunctionMode
        class Mode(TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                return func.__name__
        with Mode():
            assert x + 1 == "add" and torch.ones(2) == "ones" and torch.cumprod(x, 0) == "cumprod"
        assert torch.ones(2).tolist() == [1.0, 1.0]
        """
    )


# -- what stays as it was --------------------------------------------------------------------------------------------


def test_signatures_stay():
    import functorch_lite.overrides  # noqa: F401

    assert list(inspect.signature(torch.add).parameters) == ["input", "other", "alpha", "out"]
    assert list(inspect.signature(torch.Tensor.sum).parameters)[:2] == ["input", "dim"]
    assert torch.add.__doc__ and torch.add.__name__ == "add"


def test_errors_are_those_of_plain_calls():
    import functorch_lite.overrides  # noqa: F401

    with pytest.raises(TypeError, match="must be Tensor, not str"):
        torch.add("a", 1)
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        torch.exp(torch.ones(1), no_such=1)


def test_redispatching_passes_one_override():
    from functorch_lite import overrides

    calls = []

    class Counted(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append(func.__name__)
            return overrides.redispatch_function(func, types, args, kwargs)

    def scaled(a, b):
        if overrides.has_torch_function((a, b)):
            return overrides.handle_torch_function(scaled, (a, b), a, b)
        return a * b + 1

    x = torch.ones(2).as_subclass(Counted)
    assert type(scaled(x, x)) is torch.Tensor and calls == ["scaled", "mul"]

    class Mode(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            calls.append(func.__name__)
            with self:
                return overrides.redispatch_function(func, types, args, kwargs)

    calls.clear()
    with Mode():
        scaled(torch.ones(2), torch.ones(2))
    assert calls[0] == "ones" and calls[-3:] == ["scaled", "mul", "add"]


FUNCTIONAL_CODE = """
import inspect
import functorch_lite as torch
from functorch_lite._core.call import overrides
F = torch.nn.functional

def facts(f):
    return f.__code__.co_varnames[: f.__code__.co_argcount], f.__defaults__, str(inspect.signature(f))

functions = {n: f for n in dir(F) if inspect.isfunction(f := getattr(F, n)) and n not in overrides._WRITTEN_IN_C}
before = {n: facts(f) for n, f in functions.items()}
assert before["cross_entropy"][1] == (None, None, -100, None, "mean", 0.0)
torch.jit.trace(lambda x: x * 2, torch.ones(2))
assert not overrides.is_on()  # what the library defines for itself overrides nothing
seen = []

class Noted(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen.append((func.__name__, len(args), kwargs))
        return super().__torch_function__(func, types, args, kwargs)

assert overrides.is_on()
assert {n: facts(f) for n, f in functions.items()} == before
x = torch.zeros(2, 3).as_subclass(Noted)
loss = F.cross_entropy(x, torch.tensor([0, 1]), reduction="sum")
(name, n, named), = seen
assert (name, n, named["reduction"], named["ignore_index"]) == ("cross_entropy", 2, "sum", -100), seen
assert type(loss) is Noted and abs(loss.item() - 2 * 1.0986123) < 1e-5
try:
    F.cross_entropy(x)
except TypeError as error:
    assert "missing 1 required positional argument: 'target'" in str(error)
"""


def test_functions_of_functional_keep_the_parameters_and_defaults_of_their_code():
    done = python("-c", FUNCTIONAL_CODE)
    assert done.returncode == 0, done.stderr
