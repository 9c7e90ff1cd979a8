"""25 models of torch, timm and transformers that leave: exported with an open batch (and length), kept in files, and
run by JAX alone.

    python -m functorch_lite.compat tests/ecosystem/leaving.py export FOLDER [NAMES]    # exports, compares with the
                                                                                        model at five sizes, writes
                                                                                        files
    python tests/ecosystem/leaving.py lower FOLDER [NAMES]     # loads them without the models' source, compares, writes
                                                               StableHLO with its derivative
    python tests/ecosystem/leaving.py alone FOLDER [NAMES]     # runs that where neither torch nor functorch_lite can be
                                                               imported; compares gradients too
    python -m functorch_lite.compat tests/ecosystem/leaving.py onnx FOLDER [NAMES]      # by onnxruntime, at two batch
                                                                                        sizes (of texts, lengths too)

timm, transformers (tests/ecosystem/requirements.txt) and flatbuffers are needed. Each line ends with the largest
difference, in parts of the largest number.
"""

from __future__ import annotations

import pickle
import sys
import time
from pathlib import Path
from typing import Any

SIZES = [(1, 4), (2, 7), (3, 12), (5, 9), (8, 16)]
WORDS = 50
IMAGES = {
    "resnet18": 64, "convnext_atto": 64, "efficientnet_b0": 64, "mobilenetv3_small_050": 64, "regnety_002": 64, "densenet121": 64,
    "vit_tiny_patch16_224": 224, "mixer_s32_224": 224, "swin_tiny_patch4_window7_224": 224,
}  # fmt: skip
TEXTS = {
    "gpt2": "GPT2LMHead", "bert": "BertForMaskedLM", "llama": "LlamaForCausalLM", "t5": "T5ForConditionalGeneration", "distilbert": "DistilBertForMaskedLM",
    "roberta": "RobertaForMaskedLM", "opt": "OPTForCausalLM", "qwen2": "Qwen2ForCausalLM", "gpt_neox": "GPTNeoXForCausalLM",
}  # fmt: skip
LAYERS = ("mlp", "lstm", "gru", "mha", "encoder", "unet")
NAMES = (*LAYERS, *IMAGES, *TEXTS, "vit_hf")


def _text_model(name: str) -> Any:
    import transformers as t

    width = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    more = {
        "gpt2": {"n_layer": 2, "n_head": 2, "n_embd": 32},
        "t5": {
            "d_model": 32,
            "d_kv": 16,
            "d_ff": 64,
            "num_layers": 2,
            "num_heads": 2,
            "decoder_start_token_id": 0,
        },
        "distilbert": {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64},
        "opt": {**width, "ffn_dim": 64, "word_embed_proj_dim": 32},
        "qwen2": {**width, "intermediate_size": 64, "num_key_value_heads": 2},
    }.get(name, {**width, "intermediate_size": 64})
    head = TEXTS[name] if name != "gpt2" else "GPT2LMHeadModel"
    config = next(getattr(t, c) for c in dir(t) if c.lower() == f"{name.replace('_', '')}config")
    return getattr(t, head)(config(vocab_size=WORDS, **more))


def model_of(name: str) -> Any:
    """The model, which evaluates, and gives one tensor."""
    import torch
    from torch import nn

    class Of(nn.Module):
        def __init__(self, made, forward, **more):
            super().__init__()
            self.made, self.run = made, forward
            for key, module in more.items():
                setattr(self, key, module)

        def forward(self, x):
            return self.run(self, x)

    class Words(nn.Module):
        def __init__(self, made):
            super().__init__()
            self.made = made

        def forward(self, ids, mask):
            if name == "t5":
                return self.made(ids, attention_mask=mask, decoder_input_ids=ids, use_cache=False).logits
            off = {"use_cache": False} if hasattr(self.made.config, "use_cache") else {}
            return self.made(ids, attention_mask=mask, **off).logits

    if name in IMAGES:
        import timm

        more = {"depths": (1, 1, 1, 1)} if name.startswith("swin") else {}
        made = timm.create_model(name, num_classes=10, **more)
        for p in made.parameters():  # of a head that is zeros nothing would be seen
            if not p.any():
                nn.init.normal_(p, std=0.1)
        return made.eval()
    if name in TEXTS:
        return Words(_text_model(name)).eval()
    if name == "vit_hf":
        import transformers as t

        sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
        made = t.ViTForImageClassification(t.ViTConfig(image_size=32, patch_size=8, **sizes))
        return Of(made, lambda self, x: self.made(x).logits).eval()
    if name == "mlp":
        return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.BatchNorm1d(32), nn.Linear(32, 3)).eval()
    if name == "lstm":
        made = nn.LSTM(16, 20, 2, batch_first=True, bidirectional=True)
        parts = {"embed": nn.Embedding(WORDS, 16), "out": nn.Linear(40, 5)}
        return Of(made, lambda self, x: self.out(self.made(self.embed(x))[0][:, -1]), **parts).eval()
    if name == "gru":
        return Of(nn.GRU(16, 20, batch_first=True), lambda self, x: self.made(x)[0].mean(1)).eval()
    if name == "mha":
        return Of(
            nn.MultiheadAttention(16, 4, batch_first=True), lambda self, x: x + self.made(x, x, x)[0]
        ).eval()
    if name == "encoder":
        return nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2).eval()
    down = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
    parts = {
        "middle": nn.Conv2d(8, 16, 3, padding=1),
        "up": nn.ConvTranspose2d(16, 8, 2, stride=2),
        "out": nn.Conv2d(16, 2, 1),
    }

    def unet(self, x):
        a = self.made(x)
        b = self.up(self.middle(nn.functional.max_pool2d(a, 2)).relu())
        return self.out(torch.cat([a, b], 1))

    return Of(down, unet, **parts).eval()


def inputs_of(name: str, n: int, length: int) -> tuple:
    """Random arguments."""
    import torch

    if name in IMAGES or name in ("unet", "vit_hf"):
        size = IMAGES.get(name, 32 if name == "vit_hf" else 16)
        return (torch.randn(n, 3, size, size),)
    if name in TEXTS:
        return torch.randint(1, WORDS, (n, length)), torch.ones(n, length, dtype=torch.int64)
    if name == "mlp":
        return (torch.randn(n, 8),)
    return (torch.randint(0, WORDS, (n, length)),) if name == "lstm" else (torch.randn(n, length, 16),)


def has_length(name: str) -> bool:
    """Whether its inputs have a length."""
    return name in TEXTS or name in ("lstm", "gru", "mha", "encoder")


def _apart(found: Any, want: Any) -> float:
    """The largest difference, in parts of the largest number."""
    return float(abs(found - want).max() / abs(want).max())


def export(name: str, folder: Path) -> float:
    """Exports, compares at five sizes, and writes the program and what the model gave."""
    import torch
    from torch.export import Dim

    torch.manual_seed(0)
    model, args = model_of(name), inputs_of(name, 4, 6)
    dims = {0: Dim("batch", min=1, max=512), 1: Dim("length", min=2, max=128)}
    with torch.no_grad():
        program = torch.export.export(
            model, args, dynamic_shapes=tuple([dims if has_length(name) else {0: dims[0]} for _ in args])
        )
        called, found, worst = program.module(), [], 0.0
        for n, length in SIZES:
            given = inputs_of(name, n, length)
            want = model(*given)
            worst = max(worst, _apart(called(*given), want))
            found.append((given, want))
    torch.export.save(program, f"{folder}/{name}.pt2")
    torch.save(found, f"{folder}/{name}.data")
    return worst


def lower(name: str, folder: Path) -> float:
    """Loads, compares, and writes StableHLO with its derivative, parameters, data, and the gradient of a loss."""
    import jax
    import numpy as np

    import functorch_lite as torch

    program = torch.export.load(f"{folder}/{name}.pt2")
    called, data = program.module(), torch.load(f"{folder}/{name}.data")
    with torch.no_grad():
        worst = max(_apart(called(*given), want) for given, want in data)
    exported = program.to_stablehlo(("cpu", "cuda", "tpu"), "arguments")
    with jax.enable_x64(True):
        text = exported.serialize(vjp_order=1)
    (called(*data[1][0]) ** 2).mean().backward()
    slopes = {n: p.grad.numpy() for n, p in program.named_parameters() if p.grad is not None}
    held = {n: np.asarray(x.detach().numpy()) for n, x in {**program.state_dict, **program.constants}.items()}
    rows = [(tuple(x.numpy() for x in given), want.numpy()) for given, want in data]
    (folder / f"{name}.jax").write_bytes(pickle.dumps((text, held, rows, slopes)))
    return worst


def alone(name: str, folder: Path) -> tuple[float, float]:
    """By JAX alone: the largest difference of results, and of gradients, in parts of the model's largest.

    Not each in parts of its own: a bias of the keys of attention shifts all scores alike, so its gradient is 0, and
    what float32 makes of it is rounding (bert's is 1e-12 of the largest; in float64 it is 1e-21, and all others agree
    to 1e-15 of their own).
    """
    sys.modules["functorch_lite"] = sys.modules["torch"] = None  # type: ignore[assignment]
    import jax
    import numpy as np

    jax.config.update("jax_enable_x64", True)
    text, held, rows, slopes = pickle.loads((folder / f"{name}.jax").read_bytes())
    program = jax.export.deserialize(text)
    worst = max(_apart(np.asarray(program.call(held, *given)), want) for given, want in rows)
    rest = {n: x for n, x in held.items() if n not in slopes}
    loss = lambda p: (program.call({**rest, **p}, *rows[1][0]) ** 2).mean()  # noqa: E731
    found = jax.grad(loss)({n: held[n] for n in slopes})
    largest = max(np.abs(g).max() for g in slopes.values())
    return worst, max(float(np.abs(found[n] - g).max()) for n, g in slopes.items()) / float(largest)


def onnx(name: str, folder: Path) -> float:
    """Writes ONNX with open sizes, and runs it by onnxruntime at two sizes beside the model, which were not
    recorded."""
    import onnxruntime
    import torch

    torch.manual_seed(0)
    model, args = model_of(name), inputs_of(name, 2, 6)
    dims = {0: "batch", 1: "length"} if has_length(name) else {0: "batch"}
    torch.onnx.export(model, args, f"{folder}/{name}.onnx", dynamic_shapes=(dims,) * len(args))
    session, worst = onnxruntime.InferenceSession(f"{folder}/{name}.onnx"), 0.0
    for n, length in (SIZES[0], SIZES[3]):
        given = inputs_of(name, n, length)
        with torch.no_grad():
            want = model(*given).numpy()
        found = session.run(None, {x.name: t.numpy() for x, t in zip(session.get_inputs(), given)})[0]
        worst = max(worst, _apart(found, want))
    return worst


if __name__ == "__main__":
    stage, folder, *names = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in names or NAMES:
        began = time.time()
        try:
            found = {"export": export, "lower": lower, "alone": alone, "onnx": onnx}[stage](
                name, Path(folder)
            )
            parts = found if isinstance(found, tuple) else (found,)
            failed += not max(parts) <= (1e-4 if stage == "onnx" else 1e-5)
            said = " ".join(f"{d:.1e}" for d in parts)
        except Exception as error:
            failed, said = failed + 1, f"{type(error).__name__}: {error}"
        print(f"{stage} {name}: {said} ({time.time() - began:.1f} s)", flush=True)
    raise SystemExit(f"{failed} of {len(names or NAMES)} failed" if failed else 0)
