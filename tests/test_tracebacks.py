"""Tracebacks of errors: the user's frames, at most two of the library's, none of JAX's, and PyTorch's sentence at the
end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import traceback
from pathlib import Path

import pytest

import functorch_lite as ours
from functorch_lite._core.words import tracebacks

from .sentences import as_ours
from .user_errors import CASES

HERE = str(Path(__file__).parent / "user_errors.py")


def raised(case, torch=ours) -> BaseException:
    try:
        case.run(torch)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def entries(error: BaseException) -> list[traceback.FrameSummary]:
    return traceback.extract_tb(error.__traceback__)


@pytest.mark.parametrize("name", CASES)
def test_a_traceback_is_the_users(name):
    error = raised(CASES[name])
    found = entries(error)
    users = [e.name for e in found if e.filename == HERE]
    assert users == [name, *CASES[name].frames]
    others = [e for e in found[1:] if e.filename != HERE]
    assert all(tracebacks.is_ours(e.filename) for e in others), others
    assert len(others) <= 2, others
    text = "".join(traceback.format_exception(error))
    assert "JAX" not in text and "jax" not in text, text
    assert text.count("Traceback (most recent call last)") == 1


@pytest.mark.parity
@pytest.mark.parametrize("name", [n for n, c in CASES.items() if c.same])
def test_the_last_line_is_pytorchs(name):
    theirs = raised(CASES[name], pytest.importorskip("torch"))
    mine = raised(CASES[name])

    def last(error):
        return as_ours("".join(traceback.format_exception_only(error)))

    assert last(mine) == last(theirs)


def test_the_layer_that_refused_is_shown():
    last = entries(raised(CASES["width_in_sequential"]))[-1]
    assert last.filename.endswith("linear.py") and last.name == "forward"


def test_full_tracebacks_show_everything():
    with ours.debug.full_tracebacks():
        inside = entries(raised(CASES["shapes_of_matmul"]))
        with ours.debug.full_tracebacks(False):
            assert len(entries(raised(CASES["shapes_of_matmul"]))) < 5
    after = entries(raised(CASES["shapes_of_matmul"]))
    assert any(e.name == "apply" for e in inside) and not any(e.name == "apply" for e in after)


def test_an_error_that_is_not_meant_shows_where_it_arose(monkeypatch):
    from functorch_lite._core.lazy import applied

    x = ours.ones(2, 31)
    monkeypatch.setattr(applied, "_strong", None)
    with pytest.raises(TypeError) as caught:
        x.cosh()
    mine = [e for e in entries(caught.value) if tracebacks.is_ours(e.filename)]
    assert len(mine) == 1 and mine[0].filename == applied.__file__


def test_what_the_user_was_handling_stays():
    with pytest.raises(RuntimeError) as caught:
        try:
            raise ValueError("first")
        except ValueError:
            CASES["shapes_of_matmul"].run(ours)
    assert isinstance(caught.value.__context__, ValueError)


def test_an_error_of_another_thread():
    found = []

    def work():
        found.append(raised(CASES["shapes_of_add"]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len([e for e in entries(found[0]) if e.filename != HERE]) <= 2 + 1


def test_the_library_raises_on_through_its_own_handlers():
    """What the library catches and raises again keeps the user's frames, and its own doors do not pile up."""

    def twice(x):
        return ours.func.vmap(ours.func.grad(lambda y: inner(y)))(x)

    def inner(y):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        ours.func.jacrev(twice)(ours.ones(3))
    names = [e.name for e in entries(caught.value)]
    assert names[-3:] == ["twice", "<lambda>", "inner"]


SCRIPT = """
import functorch_lite as torch
from torch_user import step

def main():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(5, 6))
    step(model)

main()
"""


@pytest.mark.parametrize("full", ["0", "1"])
def test_a_script(tmp_path, full):
    (tmp_path / "torch_user.py").write_text(
        "import functorch_lite as torch\ndef step(model):\n    model(torch.ones(2, 3))\n"
    )
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env={**os.environ, "FUNCTORCH_LITE_FULL_TRACEBACKS": full},
    )
    lines = done.stderr.splitlines()
    files = [line.split('"')[1] for line in lines if line.startswith("  File")]
    assert files[:3] == [str(script), str(script), str(tmp_path / "torch_user.py")]
    sentence = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x4 and 5x6)"
    if full == "1":
        assert len(files) > 8 and sentence in lines
    else:
        assert len(files) == 5 and lines[-1] == sentence


def test_an_exception_that_refuses_to_be_changed():
    class Frozen(Exception):
        def __setattr__(self, name, value):
            raise AttributeError("frozen")

    def function(x):
        raise Frozen

    with pytest.raises(Frozen) as caught:
        ours.func.grad(function)(ours.ones(()))
    assert [e.name for e in entries(caught.value)][1:] == ["function"]


def scheduled(torch):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    optimizer.step()
    scheduler.step(1)


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (scheduled, "epoch parameter"),
        (lambda torch: torch.nn.LSTM(2, 3, dropout=0.5), "dropout option"),
        (lambda torch: torch.autograd.gradcheck(torch.sin, torch.ones(1, requires_grad=True), atol=1), "double precision"),
        (lambda torch: torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(1, requires_grad=True)), "use_reentrant"),
        (lambda torch: torch.nn.utils.clip_grad_norm_((p for p in ()), 1.0), "empty generator"),
    ],
)  # fmt: skip
def test_a_warning_is_at_the_users_line(run, text):
    """Exits are frames too, which `stacklevel` counts."""
    with pytest.warns(UserWarning, match=text) as caught:
        run(ours)
    assert {w.filename for w in caught if text in str(w.message)} == {__file__}
