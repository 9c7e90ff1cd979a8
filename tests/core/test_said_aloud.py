"""What the library tells: seconds and bytes of programs when it is asked, waits and repeated compiling when somebody
reads."""

from __future__ import annotations

import contextlib
import gc
import io
import logging
import re
import sys
import threading
import weakref

import jax
import pytest

import functorch_lite as torch
from functorch_lite._core.lazy import applied
from functorch_lite._core.run import chunks, executor, notices, report
from functorch_lite._core.run.executable import Executable
from functorch_lite._core.run.pending import WHOLE_PROGRAM_OPS
from functorch_lite._core.words import telling
from functorch_lite._core.words.undisturbed import undisturbed
from functorch_lite.func import hessian

pytestmark = pytest.mark.programs


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def said():
    """The sentences that a function of the user's is given."""
    sentences = []
    torch.set_log(sentences.append)
    yield sentences
    torch.set_log(True)


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(telling, "LONG", 1e9)  # a busy machine compiles slowly
    executor.flush()
    executor.forget_programs()
    notices._places.clear()
    telling._wait.last = float("-inf")


def slow_to_compile(monkeypatch):
    """A program takes longer than the user's patience, which is some hundredths of a second here; tracing, which may
    too on a busy machine, is not told."""
    monkeypatch.setattr(applied, "awaited", lambda work, what: undisturbed(work))
    monkeypatch.setattr(telling, "LONG", 0.02)
    compile_it = Executable._compile

    def slowly(self, args):
        threading.Event().wait(0.05)
        return compile_it(self, args)

    monkeypatch.setattr(Executable, "_compile", slowly)


# -- explain and stats -----------------------------------------------------------------------------------------------


def test_explain_tells_seconds_and_bytes():
    x = torch.ones(50, 40)
    torch.synchronize()

    def f():
        return (x.exp() @ x.T).sum(0)

    with torch.debug.explain() as told:
        for _ in range(3):
            y = f()
            torch.synchronize()
    assert y.shape == (50,)
    (program,) = told.programs
    assert program.lines.startswith("test_said_aloud.py:") and program.reason == notices.FIRST
    assert (program.ops, program.results, program.compiled, program.runs) == (4, 1, True, 3)
    assert program.inputs == "float32[50,40]"
    for took in (program.trace_seconds, program.lower_seconds, program.compile_seconds, program.run_seconds):
        assert 0 < took < 60
    assert (program.argument_bytes, program.output_bytes) == (50 * 40 * 4, 50 * 4)
    assert program.code_bytes > 0
    assert (told.runs, told.cold, told.ops, told.compiled) == (3, 0, 12, [str(program)])
    assert told.op_trace_seconds >= 0

    with torch.debug.explain() as again:
        y = f()
        torch.synchronize()
    (program,) = again.programs
    assert (program.compiled, program.runs, again.compiled) == (False, 1, [])
    assert program.compile_seconds == told.programs[0].compile_seconds
    assert program.run_seconds < told.programs[0].run_seconds + 60


def test_explain_is_readable():
    with torch.debug.explain() as told:
        (torch.ones(7) * 3).sum().item()
    head, sentence, empty, heads, row = str(told).split("\n")
    assert head.startswith("1 program runs (") and head.endswith("s) for 3 recorded ops; 1 programs compiled")
    assert "3 ops recorded from test_said_aloud.py:" in sentence and empty == ""
    assert heads.split()[:5] == ["recorded", "from", "ops", "trace", "lower"]
    assert (
        row.split()[:2] == ["1.", told.programs[0].lines.split()[0]]
        and "B" in row
        and max(map(len, (heads, row))) < 150
    )


def test_explanations_nest():
    x = torch.ones(5)
    torch.synchronize()
    with torch.debug.explain() as outer:
        (x + 1).sum().item()
        with torch.debug.explain() as inner:
            (x * 2).sum().item()
    assert [len(e.programs) for e in (outer, inner)] == [2, 1]
    assert not report.explaining
    with torch.debug.explain() as told:
        pass
    assert told.programs == told.by_numpy == [] and "0 program runs for 0 recorded ops" in str(told)


def test_explain_tells_what_numpy_ran():
    with torch.debug.tier("auto"):
        x = torch.ones(3)
        torch.synchronize()
        with torch.debug.explain() as told:
            for _ in range(4):
                (x + 1).sum().item()
    (place,) = told.by_numpy
    assert (place.ops, place.runs, told.cold, told.programs) == (2, 4, 4, [])
    assert place.lines.startswith("test_said_aloud.py:") and 0 < place.run_seconds < 60
    assert "4 runs by NumPy (" in str(told) and f"{place.lines} (NumPy)" in str(told)
    assert place.reason == "it is small: NumPy finishes before a compiled program could be called" and str(
        place
    ) in str(told)


def test_explain_tells_for_how_long_numpy_runs_what_is_large():
    a = torch.tensor([[1.0] * 300] * 200)
    with torch.debug.tier("auto"), torch.debug.explain() as told:
        a.sin().cumsum(1).softmax(1).sum().item()
    (place,) = told.by_numpy
    assert re.fullmatch(
        r"until its program is compiled: compiling takes about \d\.\d s and saves \d+\.\d ms a run",
        place.reason,
    )


def test_explain_tells_of_the_chunks_of_a_long_recording():
    x = torch.ones(3)
    torch.synchronize()
    with torch.debug.explain() as told:
        for _ in range(WHOLE_PROGRAM_OPS + 1):
            x = x.sin()
        x.sum().item()
    assert told.runs == sum(p.runs for p in told.programs) > len(told.programs)
    assert all(p.compiled and p.ops <= chunks.MAX_CHUNK and p.compile_seconds for p in told.programs)


def test_stats_has_totals():
    before = torch.debug.stats()
    x = torch.full((3, 11), 2.0).cosh().sum(1)
    y = x.tolist()
    after = torch.debug.stats()
    assert y and list(after) == [
        "programs", "runs", "cold", "ops",
        "op_trace_seconds", "trace_seconds", "lower_seconds", "compile_seconds", "program_bytes",
    ]  # fmt: skip
    for key in ("trace_seconds", "lower_seconds", "compile_seconds", "program_bytes"):
        assert after[key] > before[key], key
    assert after["op_trace_seconds"] >= before["op_trace_seconds"]
    assert (after["programs"] - before["programs"], after["ops"] - before["ops"]) == (1, 3)
    executor.forget_programs()
    assert torch.debug.stats()["program_bytes"] == 0


def test_a_program_whose_bytes_nobody_can_tell(monkeypatch):
    def refuse(self):
        raise NotImplementedError

    monkeypatch.setattr(jax.stages.Compiled, "memory_analysis", refuse)
    with torch.debug.explain() as told:
        (torch.ones(9) * 3).sum().item()
    (program,) = told.programs
    assert (program.runs, program.code_bytes, program.output_bytes) == (1, 0, 0) and "1." in str(told)


# -- waits for the compiler ------------------------------------------------------------------------------------------


def screen(written: str, columns: int) -> list[str]:
    """What stands on a terminal after this was written to it."""
    rows, at, x = [""], 0, 0
    for part in re.findall("\x1b\\[(\\d*)([AJ])|([\r\n])|([^\r\n\x1b])", written):
        up, move, control, char = part
        if move == "A":
            at -= int(up)
        elif move == "J":
            rows[at:] = [rows[at][:x]]
        elif control == "\r":
            x = 0
        elif control == "\n" or x == columns:
            at, x = at + 1, 0
            rows[at:at] = [] if at < len(rows) else [""]
        if char:
            rows[at] = rows[at][:x] + char + rows[at][x + 1 :]
            x += 1
    return rows


def test_a_long_wait_is_spoken_of_on_a_terminal_and_taken_away(monkeypatch):
    slow_to_compile(monkeypatch)
    monkeypatch.setenv("COLUMNS", "40")
    with contextlib.redirect_stderr(Terminal()) as terminal:
        print("before", file=sys.stderr)
        (torch.ones(5) * 3).sum().item()
        print("after", file=sys.stderr)
    line = terminal.getvalue().split("\n", 1)[1].split("\r")[0]
    assert line.startswith("functorch_lite: waiting for the compiler, 0.")
    assert "s so far, now for 3 ops recorded from test_said_aloud.py:" in line
    assert line.endswith("(functorch_lite.set_log(False) turns this off.)")
    assert screen(terminal.getvalue(), 40) == ["before", "after", ""]


def test_a_function_is_told_once_of_waits_one_after_the_other(monkeypatch, said):
    slow_to_compile(monkeypatch)
    monkeypatch.setattr(telling, "PAUSE", 60.0)  # the two are one wait
    for n in (5, 6):
        (torch.ones(n) * 3).sum().item()
    assert len(said) == 1


def slow_to_trace(n: int):
    """A function whose graph takes some tenths of a second to trace."""

    def f(x):
        for _ in range(40):
            x = (x * x.exp() + n).sin()
        return x.sum()

    return f


@pytest.mark.parametrize("where", ["terminal", "pipe", "off"])
def test_tracing_is_spoken_of_too(where, monkeypatch):
    monkeypatch.setattr(telling, "LONG", 0.02)
    monkeypatch.setenv("COLUMNS", "70")
    torch.set_log(where != "off")
    x = torch.ones(3)
    f = slow_to_trace(len(where))
    with contextlib.redirect_stderr(io.StringIO() if where == "pipe" else Terminal()) as terminal:
        print("before", file=sys.stderr)
        line = sys._getframe().f_lineno + 1
        hessian(f)(x)
        print("after", file=sys.stderr)
    torch.set_log(True)
    told = re.findall(
        "tracing, [\\d.]+ s so far, now hessian of (\\d+) ops at test_said_aloud.py:(\\d+)",
        terminal.getvalue(),
    )
    assert told == ([("161", str(line))] if where == "terminal" else [])
    assert screen(terminal.getvalue(), 70) == ["before", "after", ""]


def test_a_wait_that_is_interrupted_is_taken_away():
    with contextlib.redirect_stderr(Terminal()) as terminal, contextlib.suppress(KeyboardInterrupt):
        with telling.Waiting(lambda: ("waiting", "for it", "So be it.")) as waiting:
            telling._wait.began -= 1e10
            waiting()
            raise KeyboardInterrupt
    assert "waiting, 1" in terminal.getvalue() and screen(terminal.getvalue(), 80) == [""]


def test_waits_that_are_apart_are_spoken_of_each(monkeypatch, said):
    slow_to_compile(monkeypatch)
    monkeypatch.setattr(telling, "PAUSE", 0.0)
    for n in (5, 6):
        (torch.ones(n) * 3).sum().item()
    assert len(said) == 2


def test_it_is_said_while_one_waits(monkeypatch):
    monkeypatch.setattr(telling, "LONG", 0.02)
    go_on = threading.Event()
    compile_it = Executable._compile
    monkeypatch.setattr(
        Executable, "_compile", lambda self, args: (go_on.wait(20), compile_it(self, args))[1]
    )
    torch.set_log(lambda sentence: go_on.set())  # it would wait for 20 seconds otherwise
    try:
        assert (torch.ones(5) * 3).sum().item() == 15.0
    finally:
        torch.set_log(True)
    assert go_on.is_set()


def test_short_waits_are_not_spoken_of(said):
    (torch.ones(5) * 3).sum().item()
    assert not said


@pytest.mark.parametrize("where", ["pipe", "closed", "none", "off"])
def test_nothing_is_said_elsewhere(where, monkeypatch):
    slow_to_compile(monkeypatch)
    monkeypatch.setattr(notices, "MANY", 2)
    stream = {"pipe": io.StringIO(), "closed": Terminal(), "none": None, "off": Terminal()}[where]
    if where == "closed":
        stream.close()
    torch.set_log(where != "off")
    with contextlib.redirect_stderr(stream):
        for n in (5, 6, 7):
            (torch.ones(n) * 3).sum().item()
    torch.set_log(True)
    assert where in ("closed", "none") or stream.getvalue() == ""


def test_a_notebook_is_spoken_to_and_cells_are_named(monkeypatch):
    class Shell:
        kernel = object()

        class compile:
            @staticmethod
            def format_code_name(file):
                return ("Cell", "In[3]") if file == __file__ else None

    class IPython:
        get_ipython = Shell

    stream = io.StringIO()
    monkeypatch.setitem(sys.modules, "IPython", IPython)
    monkeypatch.setattr(notices, "MANY", 2)
    with contextlib.redirect_stderr(stream):
        for n in (5, 6):
            (torch.ones(n) * 3).sum().item()
        assert stream.getvalue().startswith("functorch_lite: In[3]:")
        assert "\n  at In[3]:" in str(torch.debug.find_nan(lambda x: x.log(), torch.tensor([-1.0])))
        assert "In[3]:" in str(
            torch.debug.residuals(lambda x: (x.sin().exp() * x).tanh(), torch.ones(2, requires_grad=True))
        )
        table, k = torch.arange(3.0), torch.tensor([2]) * 2
        with pytest.raises(
            IndexError, match=r"recorded at Cell In\[3\], line \d+: part = table\[k\]: it takes"
        ):
            part = table[k]
            part.tolist()
        stream.seek(0), stream.truncate()
        with telling.Waiting(lambda: ("waiting", "for it", "So be it.")) as waiting:
            telling._wait.began -= 1e10
            waiting()
        text, blank, end = stream.getvalue().split("\r")  # a notebook writes over what stands there
        assert "now for it. So be it. (" in text and blank == " " * len(text) and end == ""
        Shell.kernel = None  # IPython, but no notebook
        stream.seek(0)
        stream.truncate(0)
        telling.say("x")
    assert stream.getvalue() == ""


# -- lines that are compiled again and again -------------------------------------------------------------------------


def test_lines_that_were_compiled_five_times_are_spoken_of_once():
    def f(n):
        return torch.tensor([[1.0] * n] * 3).exp().sort().values.sum().item()  # what is sorted is not padded

    with contextlib.redirect_stderr(Terminal()) as terminal:
        for n in range(1, 5):
            f(n)
        assert terminal.getvalue() == ""
        for n in range(5, 12):
            f(n)
    (line,) = terminal.getvalue().splitlines()
    assert f"test_said_aloud.py:{f.__code__.co_firstlineno + 1}: compiled 5 times." in line
    assert "Input 0 changed from float32[3,4] to float32[3,5]. Each shape makes a program: pad" in line
    assert line.endswith("(functorch_lite.set_log(False) turns this off.)")


def test_what_may_be_done_depends_on_what_changes(said):
    x = torch.ones(6)
    torch.synchronize()

    def longer(n):
        y = x
        for _ in range(n):
            y = y * 2
        return y.sum().item()

    def other_size(n):
        return x.unfold(0, n, 1).sum().item()

    def other_dtype(dtype):
        return torch.tensor([1, 0, 1], dtype=dtype).cumsum(0).tolist()

    for n in range(5):
        longer(n + 1)
    for n in range(5):
        other_size(n + 1)
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.float32):
        other_dtype(dtype)
    assert ["compiled 5 times" in s for s in said] == [True] * 3
    for reason, s in zip((notices.OTHER_OPS, notices.OTHER_NUMBERS), said):
        assert f" {reason} {notices._ADVICE[reason]}" in s
    assert "changed from int64[3] to float32[3]. Each dtype makes a program" in said[2]


def test_a_prompt_tells_no_places_apart(said):
    code = compile("y = torch.ones(n) * 3; y.sum().item()", "<stdin>", "exec")
    for n in range(1, 8):
        exec(code, {"torch": torch, "n": n})
    assert not said


def test_few_places_are_remembered(monkeypatch):
    monkeypatch.setattr(notices, "MAX_PLACES", 3)
    x = torch.ones(8)
    torch.synchronize()
    for i in range(8):
        exec(compile(f"x[{i}].expand({i + 2}).cumsum(0).tolist()", f"place_{i}.py", "exec"), {"x": x})
    assert len(notices._places) == 3
    assert all(len(p.before) <= 8 for p in notices._places.values())


def test_no_array_is_kept_alive(monkeypatch, said):
    monkeypatch.setattr(notices, "MANY", 2)

    def f(n):
        x = torch.ones(n)
        torch.synchronize()
        held = weakref.ref(x._cell.value.array)
        (x * 3).sum().item()
        return held

    gc.disable()
    try:
        with torch.debug.explain() as told:
            assert [held() for held in (f(5), f(6))] == [None, None]
    finally:
        gc.enable()
    assert len(said) == 2 and len(told.programs) >= 2


def test_a_log_is_a_switch_or_a_function(caplog):
    with pytest.raises(TypeError, match="True, False or a function of a string, not int"):
        torch.set_log(3)
    torch.set_log(logging.getLogger("training").warning)
    telling.say("50 % of it")
    torch.set_log(True)
    assert caplog.messages == ["50 % of it"]


def test_a_log_that_raises_loses_nothing(monkeypatch):
    monkeypatch.setattr(notices, "MANY", 2)

    def refuse(sentence):
        raise RuntimeError(sentence)

    torch.set_log(refuse)
    try:
        values = []
        for n in (5, 6):
            y = torch.ones(n) * 3
            try:
                values.append(y.sum().item())
            except RuntimeError as error:
                assert "compiled 2 times" in str(error)
                values.append(y.sum().item())
    finally:
        torch.set_log(True)
    assert values == [15.0, 18.0]
