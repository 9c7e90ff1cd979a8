"""SummaryWriter, by what TensorBoard's own reader finds in its files."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorboard")
from tensorboard.backend.event_processing import event_file_loader
from tensorboard.util import tensor_util

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.utils.tensorboard import FileWriter, SummaryWriter


def events(folder):
    found = []
    for file in sorted(folder.glob("events*")):
        found += list(event_file_loader.LegacyEventFileLoader(str(file)).Load())
    return found


def values(folder):
    """Of each tag, the values that were added, with their steps."""
    found: dict = {}
    for e in events(folder):
        for v in e.summary.value:
            found.setdefault(v.tag, []).append((e.step, v))
    return found


def test_scalars(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64):
            writer.add_scalar(f"loss/{dtype}", torch.tensor(2.5).to(dtype), 3)
        writer.add_scalar("plain", 0.5, 7, walltime=12.0)
        writer.add_scalar("new", torch.tensor([0.1]), 1, new_style=True)
        writer.add_scalar("double", 0.1, 1, new_style=True, double_precision=True)
        with pytest.raises(AssertionError, match="scalar should be 0D"):
            writer.add_scalar("two", torch.ones(2))
        writer.add_scalars("both", {"a": 1.0, "b": torch.tensor(2.0)}, 4)
    found = values(tmp_path)
    assert [found[f"loss/torch.{d}"][0][1].simple_value for d in ("float32", "float64", "bfloat16", "float16", "int64")] == [2.5] * 4 + [2.0]  # fmt: skip
    assert found["plain"][0][0] == 7 and [e.wall_time for e in events(tmp_path) if e.step == 7] == [12.0]
    new, double = found["new"][0][1], found["double"][0][1]
    assert tensor_util.make_ndarray(new.tensor) == np.float32(0.1) and new.metadata.plugin_data.plugin_name == "scalars"  # fmt: skip
    assert tensor_util.make_ndarray(double.tensor) == 0.1
    assert {p.name: values(p)["both"][0][1].simple_value for p in tmp_path.iterdir() if p.is_dir()} == {
        "both_a": 1.0,
        "both_b": 2.0,
    }


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
def test_histograms(tmp_path, dtype):
    x = torch.tensor([-3.0, 0.0, 1.0, 1.0, 2.0]).to(dtype)
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("x", x, 1)
        writer.add_histogram("edges", x, 1, bins=[-4, 0, 1, 4])
        writer.add_histogram("few", torch.arange(100.0), 1, bins="auto", max_bins=3)
        writer.add_histogram_raw("raw", 0, 2, 3, 3.0, 5.0, [1.0, 2.0], [1, 2], 1)
        with pytest.raises(ValueError, match="no element"):
            writer.add_histogram("none", torch.ones(0))
    found = {tag: v[0][1].histo for tag, v in values(tmp_path).items()}
    made = found["x"]
    assert (made.min, made.max, made.num, made.sum, made.sum_squares) == (-3.0, 2.0, 5.0, 1.0, 15.0)
    assert sum(made.bucket) == 5 and made.bucket[0] == 0 and len(made.bucket) == len(made.bucket_limit)
    assert list(found["edges"].bucket) == [0, 1, 1, 3] and list(found["edges"].bucket_limit) == [-4, 0, 1, 4]
    assert sum(found["few"].bucket) == 100 and len(found["few"].bucket) <= 4
    assert list(found["raw"].bucket) == [1, 2]


def test_tensors_texts_and_curves(tmp_path):
    x = torch.arange(6.0).reshape(2, 3)
    with SummaryWriter(tmp_path) as writer:
        writer.add_tensor("t", x, 2)
        writer.add_tensor("half", x.bfloat16(), 2)
        writer.add_text("words", "**bold**", 1)
        writer.add_pr_curve("curve", torch.tensor([1, 0, 1, 0]), torch.tensor([0.9, 0.6, 0.4, 0.1]), 0, 5)
        writer.add_mesh("mesh", torch.ones(1, 3, 3), colors=torch.zeros(1, 3, 3, dtype=torch.int64), faces=torch.tensor([[[0, 1, 2]]]))  # fmt: skip
        writer.add_custom_scalars_multilinechart(["a", "b"], title="both")
    found = values(tmp_path)
    assert tensor_util.make_ndarray(found["t"][0][1].tensor).tolist() == x.tolist() and found["t"][0][0] == 2
    assert found["half"][0][1].tensor.tensor_content == x.bfloat16().view(torch.int16).numpy().tobytes()
    assert tensor_util.make_ndarray(found["words/text_summary"][0][1].tensor).tolist() == [b"**bold**"]
    tp, fp, _, _, precision, recall = tensor_util.make_ndarray(found["curve"][0][1].tensor)
    assert tp.tolist() == [2, 2, 1, 1, 0] and fp.tolist() == [2, 1, 1, 0, 0]
    assert precision.tolist() == pytest.approx([0.5, 2 / 3, 0.5, 1.0, 0.0]) and recall[0] == 1
    assert len([tag for tag in found if tag.startswith("mesh_")]) == 3
    assert "custom_scalars__config__" in found


def test_pictures_and_sounds(tmp_path):
    image = pytest.importorskip("PIL.Image")
    import io

    x = torch.zeros(3, 4, 5)
    x[0] = 1.0
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("red", x)
        writer.add_image("grey", torch.full((4, 5), 128, dtype=torch.uint8), dataformats="HW")
        writer.add_images("many", torch.stack([x, 1 - x, x]))
        writer.add_image_with_boxes("boxes", x, torch.tensor([[0, 0, 3, 3]]), labels=["a"])
        writer.add_video("film", torch.stack([x, 1 - x])[None])
        writer.add_audio("tone", torch.sin(torch.arange(100.0)), sample_rate=8000)
    found = {tag: v[0][1] for tag, v in values(tmp_path).items()}

    def picture(tag):
        return np.asarray(image.open(io.BytesIO(found[tag].image.encoded_image_string)))

    assert picture("red").shape == (4, 5, 3) and picture("red")[0, 0].tolist() == [255, 0, 0]
    assert picture("grey")[0, 0].tolist() == [128] * 3
    assert picture("many").shape == (8, 10, 3) and picture("many")[0, 5].tolist() == [0, 255, 255]
    assert found["film"].image.encoded_image_string[:3] == b"GIF"
    assert found["tone"].audio.sample_rate == 8000 and found["tone"].audio.length_frames == 100


def test_the_graph_of_a_module(tmp_path, capsys):
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Sequential(nn.Linear(4, 2)))
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(net, torch.ones(5, 3), verbose=True)
    from tensorboard.compat.proto import graph_pb2

    (graph,) = [e.graph_def for e in events(tmp_path) if e.graph_def]
    nodes = {n.name: n for n in graph_pb2.GraphDef.FromString(graph).node}
    assert "aten.linear" in capsys.readouterr().out
    assert {n for n, node in nodes.items() if node.op == "Parameter"} == {
        f"Sequential/{n}" for n in ("0/weight", "0/bias", "2/0/weight", "2/0/bias")
    }
    last = nodes["Sequential/2/0/linear_1"]
    assert last.op == "aten.linear.default" and "Sequential/relu" in last.input
    assert [d.size for d in last.attr["_output_shapes"].list.shape[0].dim] == [5, 2]
    assert nodes["output/output.1"].input == ["Sequential/2/0/linear_1"]


def test_hyperparameters_and_embeddings(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams({"lr": 0.1, "kind": "a", "deep": True, "n": 3}, {"accuracy": torch.tensor(0.5)}, {"kind": ["a", "b"]}, "run")  # fmt: skip
        writer.add_embedding(torch.eye(2), metadata=["x", "y"], global_step=1)
        with pytest.raises(TypeError, match="should be dictionary"):
            writer.add_hparams([1], {})
    found = values(tmp_path / "run")
    assert found["accuracy"][0][1].simple_value == 0.5 and "_hparams_/session_start_info" in found
    config = (tmp_path / "projector_config.pbtxt").read_text()
    assert 'tensor_path: "00001/default/tensors.tsv"' in config
    assert (tmp_path / "00001/default/tensors.tsv").read_text() == "1.0\t0.0\n0.0\t1.0\n"
    assert (tmp_path / "00001/default/metadata.tsv").read_text() == "x\ny\n"


def test_files_are_flushed_purged_and_opened_again(tmp_path):
    writer = SummaryWriter(tmp_path, purge_step=5, filename_suffix=".mine")
    assert writer.get_logdir() == writer.log_dir == tmp_path
    writer.add_scalar("a", 1.0, 5)
    writer.flush()
    assert "a" in values(tmp_path) and all(f.name.endswith(".mine") for f in tmp_path.iterdir())
    assert any(e.session_log.status == e.session_log.START and e.step == 5 for e in events(tmp_path))
    writer.close()
    writer.add_scalar("b", 2.0, 6)
    writer.close()
    assert values(tmp_path)["b"][0][1].simple_value == 2.0
    file = FileWriter(tmp_path / "other")
    file.close()
    assert file.get_logdir() == str(tmp_path / "other")
