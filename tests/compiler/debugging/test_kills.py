"""Processes that die: a query by itself, and a minifier that goes on.
The long forms run under FUNCTORCH_LITE_PARITY=full."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

import functorch_lite as torch
from functorch_lite.compiler.debugging.isolate import Isolated
from functorch_lite.compiler.debugging.saved import write_file
from functorch_lite.compiler.graphs.make_fx import as_called
from tests.support.full import FULL
from tests.support.processes import python

ROOT = Path(__file__).parents[3]

MINIFY = """
import os, signal, sys
from functorch_lite.compat.functorch.compile import minifier
from tests.compiler.debugging.faults import graph, names

gm, inputs, fault = graph("relu in the middle")
asked = 0

def fails(gm, inputs):
    global asked
    if asked == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    asked += 1
    print(asked, flush=True)
    return fault(gm, inputs)

small, _ = minifier(gm, inputs, fails, save_dir=sys.argv[1])
print(names(small))
"""


def minify(folder, kill_after):
    """(exit status, queries, what is left)"""
    done = python("-c", MINIFY, str(folder), str(kill_after))
    lines = done.stdout.split("\n")[:-1]
    numbers = [line for line in lines if line.isdigit()]
    return done.returncode, len(numbers), lines[-1] if lines else ""


@pytest.mark.parametrize("after", [1, 5, 10] if FULL else [5])
def test_killed_after(after, tmp_path):
    full = 23  # queries, without a kill: test_minifier.py counts them too
    status, before, _ = minify(tmp_path, after)
    assert status == -signal.SIGKILL and before == after
    status, rest, left = minify(tmp_path, -1)
    assert status == 0 and left == "['relu']" and before + rest <= full + 2


def test_no_half_file_has_the_name(tmp_path):
    texts = {b"a" * 500_000, b"b" * 700_000}
    path = tmp_path / "file"
    chance = random.Random(0)
    for _ in range(50 if FULL else 8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of JAX, whose threads are not used in the child
            child = os.fork()
        if not child:
            try:
                while True:
                    for text in texts:
                        write_file(path, text)
            finally:
                os._exit(1)
        time.sleep(chance.uniform(0.002, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert not path.exists() or path.read_bytes() in texts
    assert path.exists()


def relu():
    x = torch.randn(4)
    return as_called(lambda x: x.sin().relu().cos())(x), [x]


def test_a_query_that_ends_its_process(tmp_path):
    gm, inputs = relu()
    assert Isolated("relu_abort_TESTING_ONLY", tmp_path)(gm, inputs)
    assert not Isolated("xla", tmp_path)(gm, inputs)
    assert not list(tmp_path.glob("*.py"))
    with pytest.raises(RuntimeError, match="cannot be imported"):
        Isolated("no_such_module:f", tmp_path)(gm, inputs)


ABORTS = """
import os
import functorch_lite as torch

def backend(gm, inputs):
    return lambda *args: os.abort()

torch.compile(lambda x: x.sin() + 1, backend=backend)(torch.ones(2))
"""


def test_a_callable_that_aborts_leaves_a_launcher(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(ABORTS)
    settings = {
        "TORCHDYNAMO_REPRO_AFTER": "dynamo",
        "TORCHDYNAMO_REPRO_LEVEL": "3",
        "TORCHDYNAMO_DEBUG_DIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, **settings},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGABRT
    text = (tmp_path / "minifier" / "minifier_launcher.py").read_text()
    assert "isolate=True" in text and "torch.sin" in text and "__main__:backend" in text


@pytest.mark.skipif(not FULL, reason="a dozen processes")
def test_isolated_queries_shrink_it(tmp_path):
    from functorch_lite.compiler.debugging.shrinking import Minifier

    gm, inputs = relu()
    small, _ = Minifier(gm, inputs, Isolated("relu_abort_TESTING_ONLY", tmp_path)).run()
    assert len([n for n in small.graph.nodes if n.op.startswith("call")]) == 1


STABLE = """
import sys
import functorch_lite as torch
from functorch_lite.compiler.debugging.script import graph_repro
from functorch_lite.compiler.graphs.make_fx import as_called

torch.manual_seed(0)
w, x = torch.randn(4, 5), torch.randn(3, 4)
f = lambda w, x: torch.func.vmap(lambda a: (a @ w).relu().softmax(-1))(x).log().sum()
print(graph_repro(as_called(f)(w, x), [w, x], "relu_runtime_error_TESTING_ONLY", stable_output=True, save_dir=sys.argv[1]), end="")
"""


@pytest.mark.skipif(not FULL, reason="three processes")
def test_stable_output_is_byte_equal_over_processes(tmp_path):
    texts = []
    for k in range(2):
        folder = tmp_path / f"run{k}"
        folder.mkdir()
        made = subprocess.run(
            [sys.executable, "-c", STABLE, str(folder)],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(k)},
            capture_output=True,
            check=True,
        )
        texts.append(made.stdout)
    assert (
        texts[0] == texts[1] and str(tmp_path).encode() not in texts[0] and str(ROOT).encode() not in texts[0]
    )
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "repro.py").write_bytes(texts[0])
    done = subprocess.run(
        [sys.executable, "-I", "repro.py"], cwd=alone, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "RuntimeError: ReluRuntimeError" in done.stderr
