"""Files that should not be there: an error that names the file and the reason, no side effect, in bounded time and
memory."""

from __future__ import annotations

import copy
import json
import os
import pickle
import resource
import time

import pytest

import functorch_lite as torch
from functorch_lite.compiler.debugging.reading import as_data
from functorch_lite.compiler.debugging.save_args import load_args_and_run_compile_fx_inner as load
from functorch_lite.compiler.debugging.save_args import save_args_for_compile_fx_inner as save
from functorch_lite.compiler.debugging.saved import BadFile
from functorch_lite.compiler.graphs.make_fx import as_called


class Runs:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


def good():
    return {
        "version": 1,
        "inputs": [
            {
                "name": "x",
                "shape": [2, 3],
                "stride": [3, 1],
                "dtype": "float32",
                "device": "cpu",
                "requires_grad": False,
            }
        ],
        "steps": [["y", "torch.sin(x)", ""], ["z", "rt.op('exp')(y)", ""]],
        "result": "(z,)",
        "inner": {},
    }


def changed(**more):
    return json.dumps({**good(), **more}).encode()


def input_with(**more):
    return changed(inputs=[{**good()["inputs"][0], **more}])


EXPRESSIONS = [
    "__import__('os').system('touch {mark}')", "torch.load('{mark}')", "torch.save(x, '{mark}')", "torch.hub.load('a', 'b')", "x.__class__()", "x.numpy()",
    "x.__reduce__()", "x.tolist()", "x.register_hook(x)", "x.backward()", "x.no_such()", "(lambda: x)()", "eval('1')", "open('{mark}', 'w')", "getattr(x, 'sin')()",
    "[y for y in x]", "torch.sin(**x)", "torch.sin(*x)", "torch.sin(y)", "torch.sin(z)", "rt.op('no_such')(x)", "rt.op(x)(x)", "rt.op('sin', object)(x)",
    "rt.library('no_such')(x)", "rt.put('sin')(x)", "rt.put('no_such')(x)", "rt.transform('vmap', (), missing)(x)", "rt.transform('exec', (), x)(x)",
    "rt.derivative(rt.op('sin'), [], 99, 1)(x)", "rt.derivative(rt.op('no_such'), [rt.like((2,), torch.float32)], 1, 1)(x)", "rt.derivative(1, 2, 3, 4)(x)",
    "rt.like((2,), torch.float32)(x)", "rt.sys.exit(1)", "rt.called_again('vmap', (), x)(x)", "torch._core.api.flush()", "torch.compiler.reset()",
    "torch.sin(x if x else x)", "torch.sin(x := x)", "torch.sin(f'{{x}}')", "torch.sin(9**9**9)", "torch.sin(b'x')", "torch.sin(x.y)",
    "torch.sin(torch.no_such)", "torch.sin(torch.load)", "torch.sin(float('1'))", "torch.sin(slice(1))", "torch.sin({{1, 2}})", "x", "1 + 1", "", "torch", "sin(x)", "os.system('touch {mark}')",
    "torch.sin(x); import os", "import os", "torch.sin(x", ")", "\x00", "torch.sin(" * 2000 + "x" + ")" * 2000, "-" * 20_000 + "x", "[" * 5000 + "]" * 5000, "a" * 200_000,
    "torch.library.custom_op('a', x)", "torch.jit.load('x')", "torch.utils.data.DataLoader(x)", "torch.set_default_dtype(torch.float64)", "torch.manual_seed(0)",
    "torch.set_num_threads(1)", "torch.set_grad_enabled", "torch.nn.Linear(1, 1)", "torch.Tensor.__init__(x)",
]  # fmt: skip

INPUTS = [
    {"shape": [10**9]}, {"shape": [10**9, 10**9]}, {"shape": [-1]}, {"shape": ["2"]}, {"shape": [2.5]}, {"shape": None}, {"shape": [[2]]}, {"shape": {}}, {"shape": [1] * 100, "stride": [1] * 100},
    {"stride": [10**12, 1]}, {"stride": [-3, 1]}, {"stride": [3]}, {"stride": None}, {"stride": ["a", 1]}, {"dtype": "float33"}, {"dtype": None}, {"dtype": ["float32"]}, {"dtype": "../x"},
    {"name": "../x"}, {"name": ""}, {"name": None}, {"name": "a b"}, {"name": "x; import os"}, {"name": ["x"]}, {"name": "__import__('os')"},
]  # fmt: skip


def nested(depth):
    data = good()
    for _ in range(depth):
        data = {**good(), "inner": {"f": data}}
    return json.dumps(data).encode() if depth < 500 else b'{"inner":' * depth + b"1" + b"}" * depth


def files(mark):
    """(what is wrong, bytes)"""
    for protocol in range(6):
        yield "pickle", pickle.dumps(Runs(f"touch {mark}"), protocol)
    text = json.dumps(good()).encode()
    for k in range(0, len(text), 4):
        yield f"cut at {k}", text[:k]
    for e in EXPRESSIONS:
        e = e.format(mark=mark) if len(e) < 200 else e
        yield f"step {e[:60]!r}", changed(steps=[["y", e, ""]], result="(x,)")
    for about in INPUTS:
        yield f"input {about}", input_with(**about)
    for key in good():
        for value in (None, 7, "x", [7], {"a": 7}):
            if (key, value) not in (("result", "x"),):
                yield f"{key} is {value!r}", changed(**{key: value})
        yield f"without {key}", json.dumps({k: v for k, v in good().items() if k != key}).encode()
    yield "cycle", changed(steps=[["y", "torch.sin(z)", ""], ["z", "torch.sin(y)", ""]])
    yield "itself", changed(steps=[["y", "torch.sin(y)", ""]])
    yield "transform of itself", changed(steps=[["y", "rt.transform('vmap', ((0,), (0,)), y)(x)", ""]])
    for depth in (30, 400, 100_000):
        yield f"nested {depth}", nested(depth)
    yield "a step is a number", changed(steps=[7])
    yield "no text", b"\xff\xfe\x00"
    yield "zip", b"PK\x03\x04" + b"\0" * 100
    yield "empty", b""


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_200_files(tmp_path):
    mark, path = tmp_path / "mark", tmp_path / "graph.json"
    path.write_text(json.dumps(good()))
    call = load(path)
    torch.testing.assert_close(call()[0], call.inputs[0].sin().exp())
    before, count = memory(), 0
    for what, data in files(mark):
        path.write_bytes(data)
        began = time.thread_time()
        with pytest.raises(BadFile) as raised:
            load(path)
            pytest.fail(f"{what} is read")
        assert time.thread_time() - began <= 1, what
        assert str(raised.value).startswith(f"{path}: ") and len(str(raised.value)) < 1000, what
        count += 1
    assert count >= 200 and memory() - before <= 200
    assert not mark.exists() and sorted(p.name for p in tmp_path.iterdir()) == ["graph.json"]


def test_large_and_missing_files(tmp_path):
    path = tmp_path / "graph.json"
    with pytest.raises(BadFile, match="No such file"):
        load(path)
    with path.open("wb") as f:
        f.truncate(1 << 30)
    with pytest.raises(BadFile, match="at most"):
        load(path)


def program(w, x):
    y = (x @ w).softmax(-1)
    with torch.no_grad():
        scale = y.amax(-1, keepdim=True)
    z = y.to(torch.float64) / scale
    z[0, 1:] = 2.5
    return z[..., None].sort(0, descending=True)[0], torch.func.vmap(
        torch.func.grad(lambda a: (a * a).sum())
    )(x)


def test_saved_compiles(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    config = torch._inductor.config
    w, x = torch.full((4, 5), 1234.5), torch.randn(3, 4)
    with config.patch(save_args=True), caplog.at_level("INFO", "torch._inductor.debug"):
        f = torch.compile(program, backend=torch._inductor.compile_fx.compile_fx)
        f(w, x)
    (path,) = tmp_path.rglob("*.json")
    assert str(path) in caplog.text and "load_args_and_run_compile_fx_inner" in caplog.text
    assert "1234" not in path.read_text()  # no number of a user's array
    call = torch._inductor.debug.load_args_and_run_compile_fx_inner(path)
    assert [(t.shape, t.dtype) for t in call.inputs] == [(t.shape, t.dtype) for t in (w, x)]
    gm = as_called(program)(w, x)
    torch.testing.assert_close(list(call(w, x)), list(gm(w, x)), check_dtype=True)
    assert not config.save_args and len(list(tmp_path.rglob("*.json"))) == 1


def test_what_is_read_back_is_what_was_written():
    from functorch_lite.compiler.debugging.reading import from_data
    from functorch_lite.compiler.debugging.spelling import spelled

    w, x = torch.randn(4, 5), torch.randn(3, 4)
    text = spelled(as_called(lambda w, x: program(w, x)[0].cumsum(0))(w, x))
    data = json.loads(json.dumps(as_data(text, {})))
    gm, inputs = from_data(copy.deepcopy(data))
    assert [i["name"] for i in inputs] == text.inputs
    again = json.loads(json.dumps(as_data(spelled(gm), {})))
    assert [s[1] for s in again["steps"]] == [s[1] for s in data["steps"]]


def test_what_cannot_be_saved_is_a_warning(caplog):
    gm = torch.fx.symbolic_trace(lambda x: torch.relu(x))
    assert save(gm, [object()]) is None and "are not saved: an input is a object" in caplog.text
