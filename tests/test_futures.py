"""torch.futures within one process."""

from __future__ import annotations

import threading

import pytest

import functorch_lite as torch
from functorch_lite.futures import Future, collect_all, wait_all


def done(value):
    f = Future()
    f.set_result(value)
    return f


def test_a_result():
    f = Future()
    seen = []
    later = f.then(lambda f: f.wait() + 1).then(lambda f: f.value() * 2)
    f.add_done_callback(lambda f: seen.append(f.value()))
    assert not f.done() and not later.done()
    with pytest.raises(RuntimeError, match="not completed"):
        f.value()
    f.set_result(torch.ones(2))
    assert f.done() and later.wait().tolist() == [4.0, 4.0] and len(seen) == 1
    with pytest.raises(RuntimeError, match="can only be marked completed once"):
        f.set_result(1)


def test_a_failure():
    f = Future()
    f.set_exception(ValueError("foo"))
    for fails in (f.wait, f.value):
        with pytest.raises(ValueError, match="foo"):
            fails()
    with pytest.raises(RuntimeError, match="running the callback: ValueError: foo"):
        f.then(lambda f: f.wait()).wait()
    assert f.then(lambda f: 3).wait() == 3
    with pytest.raises(AssertionError, match="not an Exception"):
        Future().set_exception(3)
    with pytest.raises(ValueError, match="foo"):
        wait_all([done(1), f])


def test_from_another_thread():
    f = Future()
    both = collect_all([f, done(2)])
    threading.Timer(0.05, f.set_result, (1,)).start()
    assert [g.wait() for g in both.wait()] == [1, 2] == wait_all([f, done(2)])
    assert collect_all([]).wait() == []


def test_what_a_callback_raises_is_printed(capsys):
    done(1).add_done_callback(lambda f: 1 / 0)
    assert "ZeroDivisionError" in capsys.readouterr().err
    with pytest.raises(TypeError, match="then"):
        done(1).then(3)
