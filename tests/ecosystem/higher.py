"""Models of timm and transformers through `functorch_lite.func`'s statistics and curvature
(`tests/func/higher/any_model.py`): `python -m tests.ecosystem.higher [model …]`, in an environment that has the
packages (see `make ecosystem`)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

WORDS = 30


def _images(name: str, **more: Any) -> Callable[[], Any]:
    def make() -> Any:
        import timm

        return timm.create_model(name, num_classes=3, **more)

    return make


def _mixer() -> Any:
    from timm.models.mlp_mixer import MlpMixer

    return MlpMixer(num_classes=3, img_size=32, patch_size=8, num_blocks=2, embed_dim=24)


def _texts(make: Callable[[Any], Any]) -> Callable[[], Any]:
    """make(transformers) gives a model; its logits are what is looked at."""

    def wrapped() -> Any:
        import torch
        import transformers

        class Logits(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.inner = make(transformers)

            def forward(self, ids: Any) -> Any:
                more = {"decoder_input_ids": ids} if self.inner.config.is_encoder_decoder else {}
                logits = self.inner(input_ids=ids, **more).logits
                return logits[:, -1] if logits.dim() == 3 else logits

        return Logits()

    return wrapped


WIDTH = {
    "vocab_size": WORDS, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24, "num_labels": 3,
    "pad_token_id": 0,
}  # fmt: skip

MODELS: dict[str, tuple[Callable[[], Any], int]] = {
    "timm resnet10t": (_images("resnet10t", layers=(1, 1, 1, 1), channels=(8, 12, 12, 16), stem_width=8), 32),
    "timm vit": (_images("vit_tiny_patch16_224", img_size=32, patch_size=8, embed_dim=24, depth=2), 32),
    "timm convnext": (_images("convnext_atto", depths=(1, 1, 1, 1), dims=(8, 12, 16, 20)), 64),
    "timm mixer": (_mixer, 32),
    "timm mobilenetv3": (_images("mobilenetv3_small_050"), 32),  # minutes
    "timm swin": (_images("swin_tiny_patch4_window7_224", img_size=32, window_size=4, embed_dim=12, depths=(1, 1), num_heads=(2, 2)), 32),
    "transformers gpt2": (_texts(lambda t: t.GPT2LMHeadModel(t.GPT2Config(vocab_size=WORDS, n_layer=2, n_head=2, n_embd=16))), 0),
    "transformers bert": (_texts(lambda t: t.BertForSequenceClassification(t.BertConfig(**WIDTH))), 0),
    "transformers distilbert": (_texts(lambda t: t.DistilBertForSequenceClassification(t.DistilBertConfig(vocab_size=WORDS, dim=16, n_layers=2, n_heads=2, hidden_dim=24, num_labels=3))), 0),
    "transformers llama": (_texts(lambda t: t.LlamaForCausalLM(t.LlamaConfig(**WIDTH))), 0),
    "transformers t5": (_texts(lambda t: t.T5ForConditionalGeneration(t.T5Config(vocab_size=WORDS, d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, decoder_start_token_id=0))), 0),
}  # fmt: skip
"""By name: what makes it, and the side of its images (0: words)."""


IN_FLOAT32 = ("transformers llama", "transformers t5")
"""Whose norms compute in float32, whatever the parameters' dtype."""


def main(names: list[str]) -> int:
    import functorch_lite.compat as compat

    compat.install_as_torch()
    import torch

    from tests.func.higher.any_model import goes_through

    failed = 0
    for name in names or list(MODELS):
        make, side = MODELS[name]
        torch.manual_seed(0)
        began = time.monotonic()
        model = make().double().eval()
        n = sum(p.numel() for p in model.parameters())
        if side:
            x, y = torch.randn(3, 3, side, side).double(), torch.tensor([0, 2, 1])
        else:
            x, y = torch.randint(1, WORDS, (3, 6)), torch.tensor([0, 2, 1])
        try:
            goes_through(model, x, y, 1e-4 if name in IN_FLOAT32 else 1e-8)
            told = "goes through"
        except Exception as error:
            failed += 1
            told = f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
        print(f"{name:26} {n:8} parameters {time.monotonic() - began:5.0f} s  {told}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
