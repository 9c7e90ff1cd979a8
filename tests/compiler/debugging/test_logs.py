"""torch._logging.set_logs and TORCH_LOGS."""

from __future__ import annotations

import logging
import os
import subprocess
import sys

import pytest

import functorch_lite as torch
from functorch_lite.compiler import logs


@pytest.fixture(autouse=True)
def off():
    yield
    torch._logging.set_logs()


def test_artifacts(capsys):
    if "torch" in sys.modules:
        pytest.skip("PyTorch itself is here, and has set up the loggers of these names")
    torch._logging.set_logs(graph_code=True, graph_breaks=True, recompiles=True)
    f = torch.compile(lambda x: torch.relu(x) + 1, backend=lambda gm, _: gm.forward)
    for n in (2, 3):
        for _ in range(2):
            f(torch.ones(n))

    def reads(x):
        return x * x.sum().item()

    with pytest.warns(UserWarning):
        g = torch.compile(reads)
        for _ in range(3):
            g(torch.ones(2))
    said = capsys.readouterr().err
    assert "__graph_code: Graph of <lambda>" in said and "torch.relu(" in said
    assert "__recompiles: Recompiling <lambda>" in said and "test_logs.py" in said
    assert "__graph_breaks: Graph break in reads" in said and "item() reads a value at" in said
    torch._logging.set_logs()
    f(torch.ones(5))
    assert not capsys.readouterr().err and not logs._handlers


def test_levels_and_what_is_not_here():
    torch._logging.set_logs(dynamo=logging.DEBUG, modules={"mine": True})
    assert logging.getLogger("torch._dynamo").level == logging.DEBUG
    assert logging.getLogger("mine").level == logging.DEBUG
    torch._logging.set_logs(output_code=False)
    with pytest.raises(
        NotImplementedError, match="output_code is not supported; the supported logs are graph_code"
    ):
        torch._logging.set_logs(output_code=True)


def test_the_environment():
    code = "import functorch_lite.compiler.logs as l; print(l.graph_code, l.recompiles)"
    environment = {**os.environ, "TORCH_LOGS": "graph_code,+dynamo,output_code"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False"] and "'output_code' is not supported" in done.stderr
