"""torch.onnx.export: the model gives what the module does, at sizes that were not recorded. Needs onnx and
onnxruntime, which `make parity` installs."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.utils import _pytree as pytree
from tests.onnx.cases import FAMILIES, layers

pytestmark = pytest.mark.parity
F, nn = torch.nn.functional, torch.nn


@pytest.fixture(autouse=True)
def onnx():
    found = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    torch.manual_seed(0)
    return found


def agree(program, module, *args, tolerance=1e-5):
    with torch.no_grad():
        wanted = [x for x in pytree.tree_leaves(module(*args)) if isinstance(x, torch.Tensor)]
    results = program(*args)
    assert len(results) == len(wanted)
    for k, (got, want) in enumerate(zip(results, wanted)):
        assert (got.dtype, got.shape) == (want.dtype, want.shape), k
        np.testing.assert_allclose(
            got.numpy(), want.numpy(), rtol=tolerance, atol=tolerance, err_msg=f"result {k}"
        )


def of_family(name):
    class Family(nn.Module):
        def forward(self, x, p, i, m):
            return FAMILIES[name](torch, F, x, p, i, m)

    return Family()


def example(batch):
    rng = np.random.default_rng(batch)
    x = rng.standard_normal((batch, 4, 6)).astype(np.float32)
    return tuple(
        map(
            torch.tensor,
            (x, np.abs(x) + 0.5, rng.integers(0, 4, (batch, 4)), rng.random((batch, 4, 6)) > 0.5),
        )
    )


@pytest.mark.parametrize("name", list(FAMILIES))
def test_ops(name):
    module = of_family(name)
    batch = torch.export.Dim("batch")
    program = torch.onnx.export(module, example(3), dynamic_shapes=({0: batch},) * 4)
    for size in (2, 5):
        agree(program, module, *example(size))


@pytest.mark.parametrize(
    "name", ["mlp", "convolutions", "training", "lstm", "gru", "rnn", "attention", "transformer"]
)
def test_layers(name):
    module, x, dims = layers(torch)[name]
    module = module if name == "training" else module.eval()
    program = torch.onnx.export(module, (x,), dynamic_shapes=({d: f"d{d}" for d in dims},))
    for more in (0, 1, 4):
        larger = torch.tensor(np.concatenate([x.numpy()] * 3, 0))[: x.shape[0] + more]
        if 1 in dims:
            larger = torch.cat([larger, larger], 1)[:, : x.shape[1] + more]
        agree(program, module, larger)


def test_opset_18_has_no_gelu():
    module = of_family("activations")
    program = torch.onnx.export(module, example(2), opset_version=18)
    assert program.model_proto.opset_import[0].version == 18 and "Gelu" not in {
        n.op_type for n in program.model_proto.graph.node
    }
    agree(program, module, *example(2))


def test_names_files_and_weights(tmp_path, onnx):
    module = nn.Linear(300, 2)
    path = tmp_path / "linear.onnx"
    program = torch.onnx.export(
        module,
        (torch.ones(4, 300),),
        str(path),
        input_names=["features"],
        output_names=["scores"],
        dynamic_axes={"features": {0: "rows"}, "scores": {0: "rows"}},
    )
    graph = onnx.load(str(path)).graph
    assert [x.name for x in (*graph.input, *graph.output)] == ["features", "scores"]
    assert {x.name for x in graph.initializer} == {"weight", "bias"} and (
        tmp_path / "linear.onnx.data"
    ).exists()
    assert [d.dim_param or d.dim_value for d in graph.output[0].type.tensor_type.shape.dim] == ["rows", 2]
    import onnxruntime

    x = torch.randn(7, 300)
    (scores,) = onnxruntime.InferenceSession(str(path)).run(None, {"features": x.numpy()})
    np.testing.assert_allclose(scores, module(x).detach().numpy(), rtol=1e-4, atol=1e-5)
    program.apply_weights({"weight": torch.zeros(2, 300), "bias": torch.ones(2)})
    assert program(x)[0].numpy().tolist() == [[1.0, 1.0]] * 7
    np.testing.assert_allclose(program.call_reference(x)[0].numpy(), 1.0)


def test_an_exported_program_and_verify():
    module = nn.Sequential(nn.Linear(3, 2), nn.Softmax(-1))
    x = torch.randn(4, 3)
    agree(torch.onnx.export(torch.export.export(module, (x,))), module, x)
    torch.onnx.export(module, (x,), verify=True)


class Uncovered(nn.Module):
    def forward(self, x):
        return torch.linalg.svdvals(x)


def test_an_op_without_a_counterpart_is_named_with_its_line():
    with pytest.raises(
        torch.onnx.OnnxExporterError,
        match=r"no counterpart of .*svd(?s:.*)return torch\.linalg\.svdvals\(x\)",
    ):
        torch.onnx.export(Uncovered(), (torch.ones(3, 3),))


def test_a_table_says_what_to_write():
    class Custom(nn.Module):
        def forward(self, x):
            return torch.special.i0(x) + 1

    def i0(b, x):
        return b("Abs", x)

    program = torch.onnx.export(
        Custom(),
        (torch.ones(2),),
        custom_translation_table={torch._ops.aten.special_i0.default: i0, torch._ops.aten.i0.default: i0},
    )
    assert program(-torch.ones(2))[0].tolist() == [2.0, 2.0]


def test_what_depends_on_an_open_size_raises():
    class Branching(nn.Module):
        def forward(self, x):
            return x.sin() if x.shape[0] > 2 else x.cos()

    with pytest.raises(torch.onnx.OnnxExporterError, match="what the module does depends on its open sizes"):
        torch.onnx.export(Branching(), (torch.ones(2, 3),), dynamic_shapes=({0: "batch"},))

    class Scaling(nn.Module):
        def forward(self, x):
            return x / (x.shape[0] ** 0.5)

    with pytest.raises(torch.onnx.OnnxExporterError, match="which no sum of products"):
        torch.onnx.export(Scaling(), (torch.ones(2, 3),), dynamic_shapes=({0: "batch"},))


def test_dropout_that_draws_raises():
    with pytest.raises(torch.onnx.OnnxExporterError, match=r"eval\(\)"):
        torch.onnx.export(nn.Dropout(), (torch.ones(3),))


def test_what_is_refused():
    with pytest.raises(ValueError, match="opset_version"):
        torch.onnx.export(nn.ReLU(), (torch.ones(3),), opset_version=11)
    with pytest.raises(NotImplementedError, match="custom_opsets"):
        torch.onnx.export(nn.ReLU(), (torch.ones(3),), custom_opsets={"x": 1})
    assert not torch.onnx.is_in_onnx_export()
