"""The folder of a compile: what is in it, and that there is none where it was not asked for."""

from __future__ import annotations

import runpy
import warnings

import pytest

import functorch_lite as torch

config = torch._inductor.config


def program(x):
    return ((x * 1).sin() @ x).relu()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("how", ["options", "config", "dynamo's folder"])
def test_what_is_in_it(how, tmp_path, caplog, monkeypatch):
    x = torch.randn(3, 3, requires_grad=True)
    root = tmp_path / "torch_compile_debug"
    if how == "options":
        f = torch.compile(program, options={"trace.enabled": True})
        f(x).sum().backward()
    else:
        if how != "config":
            root = tmp_path / "other"
            monkeypatch.setattr(torch._dynamo.config, "debug_dir_root", str(root))
        with config.patch({"trace.enabled": True}):
            torch.compile(program)(x).sum().backward()
    (folder,) = root.glob("run_*/torchinductor/model__*")
    found = {p.name: p.read_text() for p in folder.iterdir()}
    assert sorted(found) == [
        "fx_graph_readable.py", "fx_graph_runnable.py", "joint.py", "output_code.mlir", "post_grad.py", "pre_grad.py", "times.txt",
    ]  # fmt: skip
    assert "relu" in found["fx_graph_readable.py"] and "# return ((x * 1)" in found["fx_graph_readable.py"]
    assert "stablehlo.dot_general" in found["output_code.mlir"]
    assert "in all" in found["times.txt"] and str(folder) in caplog.text
    monkeypatch.setattr("sys.argv", ["fx_graph_runnable.py"])
    with warnings.catch_warnings(action="ignore"):
        runpy.run_path(str(folder / "fx_graph_runnable.py"), run_name="__main__")


def test_passes_are_shown_one_by_one(tmp_path):
    options = {"trace.enabled": True, "joint_graph_constant_folding": True}
    torch.compile(program, options=options)(torch.randn(3, 3))
    (folder,) = tmp_path.glob("torch_compile_debug/run_*/torchinductor/model__*")
    assert "torch.mul" in (folder / "pre_grad.py").read_text()
    assert "torch.mul" not in (folder / "joint.py").read_text()
    assert "joint: remove_noop_ops" in (folder / "times.txt").read_text()


def test_none_without_being_asked(tmp_path):
    torch.compile(program)(torch.randn(3, 3))
    torch.compile(program, options={"pattern_matcher": True})(torch.randn(3, 3))
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made(tmp_path, caplog):
    (tmp_path / "torch_compile_debug").write_text("a file")
    x = torch.randn(3, 3)
    with config.patch({"trace.enabled": True}):
        found = torch.compile(program)(x)
    assert torch.allclose(found, program(x)) and "No permissions to write" in caplog.text
