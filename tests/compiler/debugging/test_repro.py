"""Scripts that reproduce: what each level leaves, and what scripts do."""

from __future__ import annotations

import io
import os
import re
import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._core.run.executable import Executable
from functorch_lite._dynamo import debug_utils
from functorch_lite._dynamo.exc import BackendCompilerFailed
from functorch_lite.compiler.debugging.planted import ReluCompileError
from functorch_lite.compiler.debugging.script import graph_repro
from functorch_lite.compiler.graphs.make_fx import as_called

config = torch._dynamo.config
COMPILE, RUN, ACCURACY = (f"relu_{k}_error_TESTING_ONLY" for k in ("compile", "runtime", "accuracy"))


@pytest.fixture(autouse=True)
def settings(tmp_path, monkeypatch):
    for name in ("repro_after", "repro_level", "debug_dir_root", "repro_forward_only", "repro_tolerance"):
        monkeypatch.setattr(config, name, getattr(config, name))
    monkeypatch.setattr(config, "debug_dir_root", str(tmp_path / "debug"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    torch._dynamo.reset()  # steps know the lines that recorded them first, which may be another test's


def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))


def ask(level, after="dynamo"):
    config.repro_after, config.repro_level = after, level


def call(backend):
    return torch.compile(model(), backend=backend)(torch.randn(5, 3))


def launcher(tmp_path):
    return tmp_path / "debug" / "minifier" / "minifier_launcher.py"


def run(script, *arguments, monkeypatch):
    """Runs a script in this process, as `python script` does; its exit status is raised."""
    monkeypatch.setattr(sys, "argv", [str(script), *arguments])
    return runpy.run_path(str(script), run_name="__main__")


def steps(script):
    body = re.search(r"    def forward\(.*?\n        return", Path(script).read_text(), re.S)[0]
    return re.findall(r"^        \w+ = (.*)$", body, re.M)


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("backend, error", [(COMPILE, BackendCompilerFailed), (RUN, RuntimeError)])
def test_the_error_goes_on_and_leaves_a_script(level, backend, error, tmp_path, caplog):
    with pytest.raises(error) as plain:
        call(backend)
    ask(level)
    with pytest.raises(error) as found:
        call(backend)
    assert str(found.value) == str(plain.value) and type(found.value) is type(plain.value)
    here = Path.cwd()
    if level == 1:
        (checkpoint,) = (here / "checkpoints").glob("*.py")
        assert re.fullmatch(r"minified_\d+_nodes.py", checkpoint.name)
        assert checkpoint.read_text() == (here / "repro.py").read_text()
        assert str(checkpoint) in caplog.text and "repro.py" in caplog.text
        assert not launcher(tmp_path).exists()
    else:
        assert str(launcher(tmp_path)) in caplog.text and not list(here.iterdir())
        text = launcher(tmp_path).read_text()
        assert "command='minify'" in text.replace('"', "'") and ("isolate=True" in text) == (level == 3)
    assert "bytes" in caplog.text


def test_level_3_writes_before_the_run(tmp_path):
    ask(3)
    torch.compile(model(), backend="relu_derivative_TESTING_ONLY")(torch.randn(5, 3))  # which raises nothing
    assert launcher(tmp_path).exists()


@pytest.mark.parametrize("after", ["dynamo", "aot"])
def test_nothing_is_written_of_what_works(after, tmp_path):
    for level in (1, 2, 4):
        ask(level, after)
        f = torch.compile(model())
        for _ in range(3):
            f(torch.randn(5, 3)).sum().backward()
    assert not (tmp_path / "debug").exists() and not list(Path.cwd().iterdir())


@pytest.mark.parametrize("backend", [ACCURACY, "relu_derivative_TESTING_ONLY", "relu_nan_TESTING_ONLY"])
def test_level_4_compares(backend, tmp_path):
    ask(4)
    with pytest.raises(debug_utils.AccuracyError, match=r"^Bad accuracy detected\.$"):
        call(backend)
    assert "accuracy=True" in launcher(tmp_path).read_text()
    if backend == "relu_derivative_TESTING_ONLY":
        config.repro_forward_only = True
        call(backend)


def test_settings_for_a_time():
    with (
        config.patch(repro_level=3),
        config.patch("repro_after", "aot"),
        config.patch({"repro_tolerance": 0.5}),
    ):
        assert (config.repro_level, config.repro_after, config.repro_tolerance) == (3, "aot", 0.5)
    assert (config.repro_level, config.repro_after) == (2, None)
    with pytest.raises(AttributeError, match=r"config\.no_such does not exist"), config.patch(no_such=1):
        pass


def test_other_levels():
    ask(5)
    with pytest.raises((ValueError, BackendCompilerFailed), match=r"repro_level is 1 .* not 5"):
        call(COMPILE)


def test_minify_and_what_is_left(tmp_path, monkeypatch, capsys):
    ask(2)
    with pytest.raises(BackendCompilerFailed):
        call(COMPILE)
    run(launcher(tmp_path), monkeypatch=monkeypatch)
    script = Path("repro.py").absolute()
    assert len(steps(script)) == 1 and "relu" in steps(script)[0] and "test_repro.py" in script.read_text()
    assert "queries" in capsys.readouterr().out
    alone = tmp_path / "alone"
    alone.mkdir()
    moved = alone / "repro.py"
    moved.write_text(script.read_text())
    monkeypatch.chdir(alone)
    with pytest.raises(BackendCompilerFailed, match="ReluCompileError"):
        run(moved, monkeypatch=monkeypatch)
    for arguments, status in (([], 1), (["--check-str", "ReluCompile"], 1), (["--check-str", "Other"], 0)):
        with pytest.raises(SystemExit) as left:
            run(moved, "minifier-query", *arguments, monkeypatch=monkeypatch)
        assert left.value.code == status


def accuracy_script(tmp_path, backend=ACCURACY):
    ask(4)
    with pytest.raises(debug_utils.AccuracyError):
        call(backend)
    config.repro_after = None
    return launcher(tmp_path)


def test_accuracy_scripts(tmp_path, monkeypatch, capsys):
    script = accuracy_script(tmp_path)
    with pytest.raises(debug_utils.AccuracyError, match="Bad accuracy detected"):
        run(script, "run", monkeypatch=monkeypatch)
    run(script, "run", "--no-accuracy", monkeypatch=monkeypatch)
    capsys.readouterr()
    run(script, "analyze", monkeypatch=monkeypatch)
    said = capsys.readouterr().out
    assert (
        "The first result that differs is that of relu" in said
        and "float64 sides with the ops run one by one" in said
    )
    assert "test_repro.py" in said
    for word, status in (("--strict-accuracy", 1), ("--accuracy", 1), ("--no-accuracy", 0)):
        with pytest.raises(SystemExit) as left:
            run(script, "minifier-query", word, "--only-fwd", monkeypatch=monkeypatch)
        assert left.value.code == status
    run(
        script,
        "minify",
        "--max-granularity",
        "4",
        "--skip-sanity",
        "--offload-to-disk",
        monkeypatch=monkeypatch,
    )
    assert len(steps("repro.py")) == 1 and list((script.parent / "checkpoints" / "intermediates").iterdir())
    with pytest.raises(RuntimeError, match="max_granularity 3 not power of two"):
        run(script, "minify", "--max-granularity", "3", monkeypatch=monkeypatch)


def test_options_are_listed(tmp_path, monkeypatch, capsys):
    script = accuracy_script(tmp_path)
    with pytest.raises(SystemExit):
        run(script, "--help", monkeypatch=monkeypatch)
    said = capsys.readouterr().out
    for word in (
        "run", "minify", "minifier-query", "analyze", "get_args", "--no-accuracy", "--accuracy", "--strict-accuracy", "--save-dir", "--no-save-dir",
        "--tracing-mode", "--isolate", "--no-isolate", "--skip-saving-eager-intermediates", "--offload-to-disk", "--skip-sanity",
        "--max-granularity", "--check-str", "--only-fwd",
    ):  # fmt: skip
        assert word in said
    with pytest.raises(SystemExit):
        run(script, "--tracing-mode", "symbolic", monkeypatch=monkeypatch)


def test_removed_numbers_are_random_ones(tmp_path, monkeypatch):
    script = accuracy_script(tmp_path)
    for file in (script.parent / "checkpoints" / "storages").iterdir():
        file.unlink()
    with (
        pytest.warns(UserWarning, match="random numbers are used for it"),
        pytest.raises(debug_utils.AccuracyError),
    ):
        run(script, "run", monkeypatch=monkeypatch)


def test_equal_inputs_are_stored_once(tmp_path):
    gm = as_called(lambda x, y: x + y)(torch.ones(4), torch.ones(4))
    out = io.StringIO()
    debug_utils.save_graph_repro(out, gm, [torch.ones(4), torch.ones(4)], "xla", save_dir=tmp_path)
    assert len(list((tmp_path / "storages").iterdir())) == 1
    assert out.getvalue().count("reader.storage(") == 1 and out.getvalue().count("reader.tensor(") == 2
    out = io.StringIO()
    debug_utils.save_graph_repro(out, gm, [torch.ones(4), torch.ones(4)], "xla")
    assert "reader.storage(None, 16)" in out.getvalue()


def loss(w, x, key_scale=2.0):
    y = torch.relu(x @ w).sort(-1)[0]
    with torch.no_grad():
        scale = y.abs().amax(-1, keepdim=True) + key_scale
    z = torch.cat([y / scale, nn.functional.dropout(y)[:, 1:3]], 1).to(torch.float16).float()
    z[0] = 1.5
    return torch.nn.functional.layer_norm(z, z.shape[1:]).square().mean() - float("inf") * 0.0


def grads(w, xs):
    return torch.func.vmap(torch.func.grad(lambda w, x: (x @ w).tanh().square().sum()), in_dims=(None, 0))(
        w, xs
    )


@pytest.mark.parametrize("f", [loss, grads])
def test_scripts_compute_what_the_graph_does(f, tmp_path, monkeypatch):
    torch.manual_seed(0)
    w, x = torch.randn(4, 5), torch.randn(3, 4)
    gm = as_called(f)(w, x)
    path = tmp_path / "s.py"
    path.write_text(graph_repro(gm, [w, x], "xla", save_dir=tmp_path, command="get_args"))
    scope = run(path, monkeypatch=monkeypatch)
    reader = scope["run_repro"](scope["Repro"](), scope["load_args"], command="get_args")
    torch.manual_seed(1)
    wanted = gm(w, x)
    torch.manual_seed(1)
    module, inputs = reader
    found = torch.utils._pytree.tree_leaves(module(*inputs))
    torch.testing.assert_close(found, torch.utils._pytree.tree_leaves(wanted), equal_nan=True)


def test_derivatives_are_written(tmp_path, monkeypatch):
    from functorch_lite.compiler.aot import trace_joint

    x = torch.randn(3, 4)
    gm = trace_joint(lambda x: (x.softmax(-1) @ x.t()).log().mean(), [x])
    given = [x, torch.tensor(1.0)]
    path = tmp_path / "s.py"
    path.write_text(graph_repro(gm, given, "xla", save_dir=tmp_path, command="get_args"))
    scope = run(path, monkeypatch=monkeypatch)
    module, inputs = scope["run_repro"](scope["Repro"](), scope["load_args"], command="get_args")
    torch.testing.assert_close(list(module(*inputs)), list(gm(*given)), equal_nan=True)


def test_what_no_file_can_hold_is_said(monkeypatch, tmp_path):
    class Mine:
        pass

    gm = torch.fx.symbolic_trace(lambda x: torch.relu(x))
    text = graph_repro(gm, [Mine()], "xla")
    assert "This program is not written, since the input x is a Mine" in text
    (tmp_path / "s.py").write_text(text)
    with pytest.raises(SystemExit, match="which no file can hold"):
        run(tmp_path / "s.py", monkeypatch=monkeypatch)
    (node,) = gm.graph.find_nodes(op="call_function", target=torch.relu)
    node.target = lambda x: x
    assert "is a function of yours, and no op" in graph_repro(gm, [torch.ones(2)], "xla")


@pytest.mark.programs
def test_steps_that_no_file_can_hold_are_left_out(tmp_path, monkeypatch):
    net = model()
    optimizer = torch.optim.Adam(net.parameters())
    x = torch.randn(5, 3)
    with torch.debug.repro(tmp_path / "out", level=3):
        net(x).square().mean().backward()
        optimizer.step()
    script = tmp_path / "out" / "minifier" / "minifier_launcher.py"
    text = script.read_text()
    assert (
        "# Without a step, and what depends on it: the op adam is made anew" in text
        and "linear_backward" in text
    )
    with pytest.raises(SystemExit) as left:
        run(script, "minifier-query", monkeypatch=monkeypatch)
    assert left.value.code == 0
    assert "adam" not in "".join(steps(script))


def test_stable_output(tmp_path):
    gm = as_called(lambda x: (x * 2).sin())(torch.ones(3))
    texts = {graph_repro(gm, [torch.ones(3)], "xla", stable_output=True, save_dir=tmp_path) for _ in range(2)}
    (text,) = texts
    assert str(tmp_path) not in text and "/" not in re.sub(r"# A program.*", "", text) and "JAX" not in text
    module = model()
    gm = as_called(lambda x: module(x))(torch.ones(5, 3))
    (text,) = {graph_repro(gm, [torch.ones(5, 3)], "xla", stable_output=True) for _ in range(5)}
    assert text.count("reader.storage(") == text.count("reader.tensor(") == 7  # none is taken for another


def test_a_directory_that_cannot_be_written(tmp_path, caplog):
    (tmp_path / "debug").write_text("a file")
    ask(2)
    with pytest.raises(BackendCompilerFailed, match="ReluCompileError"):
        call(COMPILE)
    assert "No permissions to write to" in caplog.text


def test_donated_inputs_are_described():
    from functorch_lite.compiler.debugging.saved import Storages
    from functorch_lite.compiler.debugging.script import Described, InputWriter

    class Gone(Storages):
        def write(self, t):
            raise RuntimeError("Array has been deleted")

    writer = InputWriter(Gone("x"))
    writer.add("x", Described(torch.ones(2, 3, requires_grad=True)))
    assert writer.lines == [
        "buf0 = reader.storage(None, 24)", "reader.tensor(buf0, (2, 3), dtype=torch.float32, requires_grad=True)  # x",
    ]  # fmt: skip


@pytest.mark.programs
def test_the_context_writes_of_any_program(tmp_path, monkeypatch):
    compile_ = Executable._compile

    def refuses(self, args):
        raise RuntimeError("XLA: planted")

    torch._dynamo.reset()
    monkeypatch.setattr(Executable, "_compile", refuses)
    with pytest.raises(RuntimeError, match=r"^XLA: planted$"), torch.debug.repro(tmp_path / "out"):
        (torch.full((7,), 3.0) * torch.arange(7.0)).exp().cumsum(0).tolist()
    monkeypatch.setattr(Executable, "_compile", compile_)
    script = tmp_path / "out" / "minifier" / "minifier_launcher.py"
    assert "torch.exp" in script.read_text() and config.repro_after is None
    with pytest.raises(SystemExit) as left:
        run(script, "minifier-query", monkeypatch=monkeypatch)
    assert left.value.code == 0  # XLA is as it was
    with pytest.raises(ValueError, match='after is "aot" or "dynamo"'), torch.debug.repro("x", after="x"):
        pass


@pytest.mark.programs
def test_the_context_compares_any_program(tmp_path, monkeypatch):
    from functorch_lite.compiler.debugging import levels

    with torch.debug.repro(tmp_path / "out", level=4):
        (torch.full((7,), 3.0) * torch.arange(7.0)).sin().cumsum(0).tolist()
    assert not (tmp_path / "out").exists()
    monkeypatch.setattr(levels, "compiled_by_xla", lambda gm, i: lambda *a: [x + 1 for x in gm(*a)])
    torch._dynamo.reset()
    with pytest.raises(debug_utils.AccuracyError, match=r"^Bad accuracy detected$"):
        with torch.debug.repro(tmp_path / "out", level=4):
            (torch.full((7,), 3.0) * torch.arange(7.0)).sin().cumsum(0).tolist()
    assert (tmp_path / "out" / "minifier" / "minifier_launcher.py").exists()


def test_the_environment_sets_the_config():
    code = "import functorch_lite as torch; c = torch._dynamo.config; print(c.repro_after, c.repro_level, c.repro_forward_only, c.repro_ignore_non_fp, c.debug_dir_root)"
    environment = {
        **os.environ, "TORCHDYNAMO_REPRO_AFTER": "aot", "TORCHDYNAMO_REPRO_LEVEL": "4", "TORCHDYNAMO_REPRO_FORWARD_ONLY": "1",
        "TORCHDYNAMO_REPRO_IGNORE_NON_FP": "1", "TORCHDYNAMO_DEBUG_DIR": "/x",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["aot", "4", "True", "True", "/x"]


def test_planted_names():
    with pytest.raises(ReluCompileError):
        torch.compile(model(), backend=COMPILE).replayed.backend(as_called(model())(torch.ones(2, 3)), [])
    assert not [n for n in torch.compiler.list_backends(None) if "TESTING" in n]
    with warnings.catch_warnings(), pytest.raises(torch._dynamo.exc.InvalidBackend):
        torch.compile(model(), backend="no_TESTING_ONLY")
