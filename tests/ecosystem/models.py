"""Models of timm and transformers with weights, and what they give: the same code under PyTorch and here; see
`tests.ecosystem.beside_pytorch`."""

from __future__ import annotations

from typing import Any

IMAGES = ("resnet18", "vit_tiny_patch16_224", "convnext_atto", "efficientnet_b0")
TEXTS = ("gpt2", "bert", "llama", "t5")
NAMES = (*[f"timm {name}" for name in IMAGES], *[f"transformers {name}" for name in TEXTS])
WORDS = 50


def _image_model(name: str) -> Any:
    import timm

    return timm.create_model(name, num_classes=10)


def _text_model(name: str) -> Any:
    import transformers as t

    width = {"vocab_size": WORDS, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    width["intermediate_size"] = 64
    if name == "gpt2":
        off = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
        return t.GPT2LMHeadModel(t.GPT2Config(vocab_size=WORDS, n_layer=2, n_head=2, n_embd=32, **off))
    if name == "bert":
        off = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
        return t.BertForMaskedLM(t.BertConfig(**width, **off))
    if name == "llama":
        return t.LlamaForCausalLM(t.LlamaConfig(**width))
    more = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2, "dropout_rate": 0.0}
    return t.T5ForConditionalGeneration(t.T5Config(vocab_size=WORDS, decoder_start_token_id=0, **more))


def model_of(name: str) -> Any:
    """A model without dropout; its weights are random."""
    package, _, model = name.partition(" ")
    return _image_model(model) if package == "timm" else _text_model(model)


def inputs_of(name: str) -> tuple[Any, Any]:
    """(images, classes) of a model of images, (words, words) of one of texts; random."""
    import torch

    if name.startswith("timm"):
        return torch.randn(2, 3, 224, 224), torch.tensor([1, 2])
    words = torch.randint(0, WORDS, (2, 6))
    return words, words


def logits_of(model: Any, x: Any, y: Any) -> Any:
    if hasattr(model, "default_cfg"):
        return model(x)
    return model(input_ids=x, labels=y).logits


def loss_of(logits: Any, y: Any) -> Any:
    import torch

    return torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))


def results(name: str, model: Any, x: Any, y: Any) -> dict[str, Any]:
    """The logits as it is evaluated; logits, loss and gradients as it is trained; and the logits after a step of
    SGD."""
    import torch

    found: dict[str, Any] = {}
    model.eval()
    with torch.no_grad():
        found["evaluated"] = logits_of(model, x, y)
    model.train()
    found["trained"] = logits_of(model, x, y)
    found["loss"] = loss_of(found["trained"], y)
    found["loss"].backward()
    found["gradients"] = {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}
    torch.optim.SGD(model.parameters(), lr=1e-3).step()
    model.eval()
    with torch.no_grad():
        found["after a step"] = logits_of(model, x, y)
    return found
