"""What torch.compile documents beside results: fullgraph, recompile_limit, stances, disable, is_compiling, reset,
Module.compile. Observed in PyTorch 2.13 unless a test says otherwise."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import re
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.compiler import settings

Unsupported = torch._dynamo.exc.Unsupported


def calls(f, x, n: int = 6) -> list:
    """What n calls give, each read before the next."""
    return [f(x).tolist() for _ in range(n)]


def line_of(f, text: str) -> str:
    """`file:line` of the first line of a function that has this text."""
    lines, first = inspect.getsourcelines(f)
    return f"{__file__}:{first + next(k for k, line in enumerate(lines) if text in line)}"


@pytest.fixture(autouse=True)
def usual_stance():
    """Each test leaves the stance that it found."""
    yield
    assert torch.compiler.set_stance()._before == "default"


# -- reading -----------------------------------------------------------------------------------------------------------


def _item(x):
    return x * x.sum().item()


def _branches(x):
    return x if x.sum() > 0 else -x


def _of_an_element(x):
    return x if x[0] > 0 else -x


def _lists(x):
    return x + x.tolist()[0]


def _numpys(x):
    return x + x.numpy().sum()


def _nonzero(x):
    return x + x.nonzero().shape[0]


def _floats(x):
    return x + float(x[0])


WEIGHT = torch.ones(2)


def _of_a_global(x):
    return x + WEIGHT.sum().item()


def _of_a_known_global(x):
    return x + WEIGHT.tolist()[0]


def _catches(x):
    try:
        return x + x.max().item()
    except RuntimeError:
        return x


READING = [
    (_item, "item()"), (_branches, "bool()"), (_of_an_element, "bool()"), (_lists, "tolist()"), (_numpys, "numpy()"), (_nonzero, "nonzero()"),
    (_floats, "float()"), (_of_a_global, "item()"), (_of_a_known_global, "tolist()"), (_catches, "item()"),
]  # fmt: skip


@pytest.mark.parametrize("f, what", READING, ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("is_pending", [False, True])
def test_fullgraph_raises_where_a_value_is_read(f, what, is_pending):
    """At the first call, and at each later one. (PyTorch 2.13 lets item() and numpy() pass.)"""
    compiled = torch.compile(f, fullgraph=True)
    for _ in range(4):
        x = torch.ones(2) * 2 if is_pending else torch.tensor([2.0, 2.0])
        with pytest.raises(Unsupported, match=re.escape(what)) as raised:
            compiled(x)
        frames = [e for e in raised.traceback if str(e.path) == __file__]
        assert frames[-1].name == f.__name__ and f"{__file__}:{frames[-1].lineno + 1}" in str(raised.value)
        assert x.tolist() == [2.0, 2.0]
    assert isinstance(raised.value, RuntimeError) and compiled.replayed.replays == 0


@pytest.mark.parametrize("f, what", READING, ids=lambda p: getattr(p, "__name__", ""))
def test_without_fullgraph_it_is_run_with_one_warning(f, what):
    compiled = torch.compile(f)
    x = torch.tensor([2.0, 2.0])
    wanted = calls(f, x)
    with pytest.warns(UserWarning) as warned:
        found = calls(compiled, x)
    assert found == wanted and compiled.replayed.replays == 0
    (said,) = warned
    assert said.filename == __file__ and said.lineno == inspect.getsourcelines(calls)[1] + 2
    assert f"{what} reads a value at {__file__}" in str(said.message) and f.__name__ in str(said.message)


def test_what_was_done_before_the_error_is_done():
    """Writes, gradients and an optimizer's step are as eager code would have left them; the same function goes on with
    other code."""
    weight, stops = nn.Parameter(torch.ones(2)), [True]
    opt = torch.optim.SGD([weight], lr=0.5)
    seen = torch.zeros(2)

    @torch.compile(fullgraph=True)
    def step(x):
        opt.zero_grad()
        seen.add_(x)
        loss = (weight * x).sum()
        loss.backward()
        opt.step()
        return loss.item() if stops else loss

    x = torch.tensor([1.0, 2.0])
    with pytest.raises(Unsupported, match=re.escape("item()")):
        step(x)
    assert (
        weight.tolist() == [0.5, 0.0] and weight.grad.tolist() == [1.0, 2.0] and seen.tolist() == [1.0, 2.0]
    )
    stops.clear()
    assert [step(x).item() for _ in range(6)] == [0.5, -2.0, -4.5, -7.0, -9.5, -12.0]
    assert step.replayed.replays > 0
    stops.append(True)
    with pytest.raises(Unsupported):
        step(x)
    assert weight.tolist() == [-3.0, -7.0] and seen.tolist() == [8.0, 16.0]


def test_fullgraph_lets_pass_what_is_no_reading():
    """Constants of the code's own, and what cannot be watched: that is run as it stands."""

    @torch.compile(fullgraph=True)
    def constant(x):
        return x * torch.tensor([2.0, 3.0]).tolist()[1]

    constant.__wrapped__(torch.ones(1))
    assert calls(constant, torch.ones(1)) == [[3.0]] * 6 and constant.replayed.replays > 0
    seen = []

    @torch.compile(fullgraph=True)
    def unwatched(x):
        seen.append(id(x))
        return x + 1

    assert calls(unwatched, torch.ones(1)) == [[2.0]] * 6 and len(seen) == 6 and unwatched.replayed.why_not


def test_transforms_do_not_warn():
    f = torch.func.grad(lambda x: (x * x.detach().sum().item()).sum())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert calls(f, torch.ones(2)) == [[2.0, 2.0]] * 6


# -- how many kinds ----------------------------------------------------------------------------------------------------


def test_recompile_limit():
    def f(x, n):
        return x + n

    x = torch.ones(1)
    some = torch.compile(f, recompile_limit=2)
    assert [some(x, n).item() for n in (1, 2, 1, 2)] == [2.0, 3.0, 2.0, 3.0]
    with pytest.warns(
        UserWarning, match="f is called in more kinds of ways than recompile_limit=2"
    ) as warned:
        assert [some(x, n).item() for n in (3, 4, 3)] == [4.0, 5.0, 4.0]
    assert len(warned) == 1 and len(some.replayed.entries) == 2
    assert [some(x, 1).item() for _ in range(4)] == [2.0] * 4 and some.replayed.replays > 0

    whole = torch.compile(f, recompile_limit=1, fullgraph=True)
    whole(x, 1)
    with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit, match="Hard failure due to fullgraph=True"):
        whole(x, 2)
    assert whole(x, 1).item() == 2.0


def test_the_oldest_kind_goes_and_ever_new_ones_are_given_up(monkeypatch):
    """Not as in PyTorch, which runs all calls as they stand from the ninth kind on."""
    assert torch._dynamo.config is settings and settings.recompile_limit == 8
    monkeypatch.setattr(torch._dynamo.config, "recompile_limit", 2)

    @torch.compile
    def f(x, n):
        return x + n

    x = torch.ones(1)
    for _ in range(3):  # kinds that are used do no harm
        for n in range(4):
            assert [f(x, n).item() for _ in range(5)] == [1.0 + n] * 5
    assert len(f.replayed.entries) == 2 and not f.replayed.why_not
    for n in range(40):
        assert f(x, n).item() == 1.0 + n
    assert "of a new kind" in f.replayed.why_not[0] and not f.replayed.entries
    torch.compiler.reset()
    assert not f.replayed.why_not and calls(lambda x: f(x, 1), x) == [[2.0]] * 6 and f.replayed.replays


# -- stances -----------------------------------------------------------------------------------------------------------


def test_a_method_with_the_name_of_a_module():
    """`x.select` has nothing to do with the module `select`, whose functions depend on more than their arguments."""
    import select  # noqa: F401

    @torch.compile
    def f(x):
        return x.select(0, 1) + 1

    x = torch.arange(3.0)
    assert calls(f, x) == [2.0] * 6
    assert f.replayed.replays > 0, f.replayed.why_not


def test_force_eager():
    x = torch.ones(1)
    f = torch.compile(lambda x: x + torch.compiler.is_compiling())
    assert calls(f, x) == [[2.0]] * 6

    @torch.compiler.set_stance("force_eager")
    def decorated(x):
        return f(x)

    assert decorated(x).item() == 1.0 and f(x).item() == 2.0
    with torch.compiler.set_stance("force_eager"):
        assert f(x).item() == 1.0
        with torch.compiler.set_stance("default"):
            assert f(x).item() == 2.0
        assert f(x).item() == 1.0
    torch.compiler.set_stance("force_eager")
    assert f(x).item() == 1.0
    torch.compiler.set_stance("default")
    assert f(x).item() == 2.0


def test_eager_on_recompile():
    f = torch.compile(lambda x: x + torch.compiler.is_compiling())
    x, other = torch.ones(1), torch.ones(2)
    with torch.compiler.set_stance("eager_on_recompile"):
        assert calls(f, x) == [[1.0]] * 6 and not f.replayed.entries
    calls(f, x)
    with torch.compiler.set_stance("eager_on_recompile"):
        assert calls(f, x) == [[2.0]] * 6 and calls(f, other) == [[1.0, 1.0]] * 6
    assert len(f.replayed.entries) == 1


def test_fail_on_recompile():
    @torch.compile
    def f(x):
        return x * scale[0]

    scale = [2.0]
    x = torch.ones(1)
    line = f.__wrapped__.__code__.co_firstlineno
    said = (
        f"Detected recompile when torch.compile stance is 'fail_on_recompile'. filename: '{__file__}', function name: 'f', line number: "
        f"{line}"
    )
    with torch.compiler.set_stance("fail_on_recompile"), pytest.raises(RuntimeError, match=re.escape(said)):
        f(x)
    f(x)
    with torch.compiler.set_stance("fail_on_recompile"):
        assert calls(f, x, 9) == [[2.0]] * 9  # audits too
        with pytest.raises(RuntimeError, match=re.escape(said)):
            f(torch.ones(2))
        scale[0] = 3.0
        with pytest.raises(RuntimeError, match="something that it reads has changed"):
            f(x)
    assert f(x).item() == 3.0


@pytest.mark.parametrize("stance", ["eager_then_compile", "aot_eager_then_compile"])
def test_stances_that_ask_for_what_is_done_anyway(stance):
    f = torch.compile(lambda x: x + 1)
    with torch.compiler.set_stance(stance, skip_guard_eval_unsafe=True):
        assert calls(f, torch.ones(1)) == [[2.0]] * 6
    assert f.replayed.replays > 0


def test_a_stance_is_not_set_in_marked_code():
    @torch.compile
    def f(x):
        torch.compiler.set_stance("force_eager")
        return x

    with pytest.raises(Unsupported, match="set_stance"):
        f(torch.ones(1))


# -- what code may ask and tell ----------------------------------------------------------------------------------------


def test_is_compiling():
    asked = (torch.compiler.is_compiling, torch.compiler.is_dynamo_compiling, torch._dynamo.is_compiling)

    def f(x):
        return x + sum(ask() for ask in asked)

    x = torch.zeros(1)
    assert f(x).item() == 0.0
    assert calls(torch.compile(f), x, 9) == [[3.0]] * 9  # run, noted, replayed, audited
    assert calls(torch.func.vmap(f), x) == [[0.0]] * 6

    @torch.compile
    def outer(x):
        return torch.func.vmap(f)(x) + inner(x)

    inner = torch.compile(f)
    outer.__wrapped__(x)
    assert calls(outer, x) == [[6.0]] * 6

    @torch.compile
    def given_up(x):
        x.sum().item()
        return f(x)

    with pytest.warns(UserWarning, match="given_up"):
        found = calls(given_up, x)
    assert found[0] == [3.0] and found[-1] == [0.0] and found == sorted(found, reverse=True)

    @torch.compile
    def raises(x):
        raise KeyError

    for _ in range(3):
        with pytest.raises(KeyError):
            raises(x)
        assert f(x).item() == 0.0


def test_disable():
    x, ran = torch.ones(2), []

    @torch.compiler.disable
    def apart(x):
        ran.append(torch.compiler.is_compiling())
        return x * x.sum().item()

    @torch.compile
    def f(x):
        return apart(x) + 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it was asked for
        assert calls(f, x) == [[3.0, 3.0]] * 6 and ran == [False] * 6
    assert f.replayed.why_not == [
        f"it calls apart(), which torch.compiler.disable() keeps out, at {line_of(test_disable, 'return apart(x) + 1')}"
    ]
    whole = torch.compile(f.__wrapped__, fullgraph=True)
    for _ in range(4):
        with pytest.raises(Unsupported, match=r"Skip calling `torch\.compiler\.disable") as raised:
            whole(x)
        assert line_of(test_disable, "return apart(x) + 1") in str(raised.value)
    assert len(ran) == 6


def test_disable_is_recursive_or_not():
    f = torch.compile(lambda x: x + torch.compiler.is_compiling())
    x = torch.ones(1)
    assert calls(torch.compiler.disable(lambda x: f(x)), x) == [[1.0]] * 6 and not f.replayed.entries
    assert calls(torch.compiler.disable(lambda x: f(x), recursive=False), x) == [[2.0]] * 6
    assert f.replayed.replays > 0
    m = torch.compiler.disable(nn.Linear(1, 1))
    assert (
        calls(torch.compile(m), torch.ones(1)) and copy.deepcopy(m).replayed.settings == m.replayed.settings
    )


def test_what_a_marked_or_transformed_function_closes_over_is_watched():
    """Where it is called in another marked function."""

    class Scaled:
        scale = 2.0

        def times(self, x):
            return x * self.scale

    scaled = Scaled()
    times = torch.compile(scaled.times)

    @torch.compile
    def outer(x):
        return times(x) + 1

    assert calls(outer, torch.ones(1)) == [[3.0]] * 6 and outer.replayed.replays > 0
    scaled.scale = 3.0
    assert calls(outer, torch.ones(1)) == [[4.0]] * 6


def test_explain_tells_what_is_replayed():
    replayed = torch.compile(lambda x: x + 1)
    refused = torch.func.grad(_item_of_loss)
    x = torch.ones(2)
    calls(replayed, x, 2)
    with torch.debug.explain() as report:
        calls(replayed, x, 2)
        calls(refused, x, 4)
    place = f"{__file__}:{_item_of_loss.__code__.co_firstlineno}"
    by_name = {c.function: c for c in report.calls}
    of = by_name[f"_item_of_loss ({place})"]
    assert (of.replays, of.runs) == (0, 3)  # the first call is not looked at
    assert of.reasons == [f"item() reads a value at {line_of(_item_of_loss, 'item()')}"]
    other = next(c for name, c in by_name.items() if name.startswith("<lambda>"))
    assert (other.replays, other.runs, other.reasons) == (1, 1, [])
    assert str(of) in str(report) and "1 calls replayed, 1 run" in str(report)


def _item_of_loss(x):
    return (x * x.detach().sum().item()).sum()


def test_nothing_is_kept_of_functions_that_are_gone():
    f = torch.compile(lambda x: x + 1)
    calls(f, torch.ones(1))
    gone = weakref.ref(f.replayed)
    del f
    gc.collect()
    assert gone() is None


# -- modules -----------------------------------------------------------------------------------------------------------


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = nn.Parameter(torch.full((2,), 3.0))

    def forward(self, x):
        return x * self.factor + torch.compiler.is_compiling()


def test_module_compile():
    m = Scale()
    assert m.compile(fullgraph=True) is None and type(m) is Scale
    assert list(m.state_dict()) == ["factor"] and [n for n, _ in m.named_modules()] == [""]
    x = torch.ones(2)
    assert calls(m, x, 8) == [[4.0, 4.0]] * 8 and m._compiled_call_impl.replays > 0
    assert m.forward(x).tolist() == [3.0, 3.0] and Scale()(x).tolist() == [3.0, 3.0]
    with torch.no_grad():
        m.factor.fill_(1.0)
    assert calls(m, x) == [[2.0, 2.0]] * 6
    for other in (copy.deepcopy(m), copy.copy(m), pickle.loads(pickle.dumps(m))):
        assert other._compiled_call_impl is None and other(x).tolist() == [1.0, 1.0]
    assert m._compiled_call_impl is not None


def test_module_compile_takes_hooks_in():
    m = Scale()
    m.compile()
    x = torch.ones(2)
    assert calls(m, x) == [[4.0, 4.0]] * 6
    handle = m.register_forward_hook(lambda module, args, out: out * 2 + torch.compiler.is_compiling())
    assert calls(m, x) == [[9.0, 9.0]] * 6
    handle.remove()
    assert calls(m, x) == [[4.0, 4.0]] * 6 and m._compiled_call_impl.replays > 0


def test_modules_in_modules():
    """A compiled one in one that is not, in one that is wrapped; they train."""
    inner = nn.Linear(2, 2)
    inner.compile()
    net = nn.Sequential(inner, nn.Tanh())
    twin = copy.deepcopy(net)
    x = torch.ones(1, 2)
    for of in (net, torch.compile(net)):
        np.testing.assert_allclose(calls(of, x), calls(twin, x), rtol=1e-6)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for of, optimizer in ((net, opt), (twin, torch.optim.SGD(twin.parameters(), lr=0.1))):
        for _ in range(6):
            optimizer.zero_grad()
            of(x).sum().backward()
            optimizer.step()
    assert torch.allclose(inner.weight, twin[0].weight)


def test_copies_of_a_wrapped_module_are_marked_alike():
    c = torch.compile(Scale(), fullgraph=True, recompile_limit=3)
    for other in (copy.deepcopy(c), pickle.loads(pickle.dumps(c))):
        assert other.replayed.settings == c.replayed.settings and other.replayed.of is other._orig_mod


# -- a process of its own ----------------------------------------------------------------------------------------------

FIRST = """
import functorch_lite as torch
f = torch.compile(lambda x: torch.vmap(torch.func.grad(lambda r: (r * r).sum()))(x))
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
found = [f(x).tolist() for _ in range(6)]
assert found == [[[2.0, 4.0], [6.0, 8.0]]] * 6
assert f.replayed.replays > 0, f.replayed.why_not
"""


def test_the_first_call_of_a_process_is_learnt_from():
    """Modules are imported in it, and generated methods run that are no user's."""
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
