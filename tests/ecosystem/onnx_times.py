"""ResNet-18 and a BERT of 12 layers in onnxruntime: the file of this library's torch.onnx.export beside that of
PyTorch's, in one thread.

    python tests/ecosystem/onnx_times.py export FOLDER     # under PyTorch, with onnxscript; writes the weights too
    python -m functorch_lite.compat tests/ecosystem/onnx_times.py export FOLDER
    python tests/ecosystem/onnx_times.py time FOLDER       # medians of processor time, in alternating runs

transformers, onnx and onnxruntime are needed. The time of ours in parts of PyTorch's is at most 1.1, or it ends with
status 1.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

WORDS, RUNS = 2000, 15
SIZES = {"resnet18": [(1, 224), (4, 224)], "bert": [(1, 64), (4, 128)]}


def arrays_of(name: str, n: int, size: int) -> list[np.ndarray]:
    """Arguments."""
    rng = np.random.default_rng(0)
    if name == "resnet18":
        return [rng.standard_normal((n, 3, size, size)).astype(np.float32)]
    return [rng.integers(0, WORDS, (n, size)), np.ones((n, size), np.int64)]


def model_of(name: str) -> Any:
    """The model, which gives one tensor."""
    import torch
    import transformers as t

    class ResNet18(torch.nn.Module):
        def __init__(self):
            super().__init__()
            sizes = {"depths": [2, 2, 2, 2], "hidden_sizes": [64, 128, 256, 512], "layer_type": "basic"}
            self.made = t.ResNetForImageClassification(
                t.ResNetConfig(embedding_size=64, num_labels=1000, **sizes)
            )

        def forward(self, images):
            return self.made(images).logits

    class Bert(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.made = t.BertModel(t.BertConfig(vocab_size=WORDS))

        def forward(self, ids, mask):
            return self.made(ids, attention_mask=mask).last_hidden_state

    return (ResNet18 if name == "resnet18" else Bert)().eval()


def export(folder: Path) -> None:
    """Writes both models by whichever torch this is, with open sizes; PyTorch's has the weights of both."""
    import torch

    ours = "functorch_lite" in sys.modules
    for name in SIZES:
        torch.manual_seed(0)
        model, weights = model_of(name), folder / f"{name}.pt"
        if ours:
            model.load_state_dict(torch.load(weights))
        else:
            torch.save(model.state_dict(), weights)
        args = tuple(map(torch.from_numpy, arrays_of(name, 2, 224 if name == "resnet18" else 24)))
        dims = {0: "batch"} if name == "resnet18" else {0: "batch", 1: "length"}
        file = folder / f"{name}_{'ours' if ours else 'pytorch'}.onnx"
        with torch.no_grad():
            torch.onnx.export(model, args, str(file), dynamic_shapes=(dims,) * len(args), dynamo=True)


def times(folder: Path) -> float:
    """Prints both times at each size; the largest ratio."""
    import onnxruntime as ort

    options, worst = ort.SessionOptions(), 0.0
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    for name, sizes in SIZES.items():
        made = [ort.InferenceSession(f"{folder}/{name}_{who}.onnx", options) for who in ("ours", "pytorch")]
        for n, size in sizes:
            given, took, found = arrays_of(name, n, size), [[], []], [None, None]
            for run in range(RUNS):
                for k in (0, 1) if run % 2 else (1, 0):
                    began = time.process_time()
                    found[k] = made[k].run(None, {x.name: a for x, a in zip(made[k].get_inputs(), given)})[0]
                    took[k].append(time.process_time() - began)
            np.testing.assert_allclose(*found, rtol=1e-3, atol=1e-4)
            ours, theirs = [1e3 * float(np.median(each[2:])) for each in took]
            worst = max(worst, ours / theirs)
            print(
                f"{name} {n} x {size}: {ours:.1f} ms, PyTorch's {theirs:.1f} ms ({ours / theirs:.2f})",
                flush=True,
            )
    return worst


if __name__ == "__main__":
    stage, where = sys.argv[1], Path(sys.argv[2])
    where.mkdir(parents=True, exist_ok=True)
    if stage == "export":
        export(where)
    else:
        raise SystemExit(times(where) > 1.1)
