"""GPT-2 (Radford et al. 2019), with its width, depth and vocabulary reduced: a causal language model with tied
embeddings."""

from __future__ import annotations

import math

WIDTH, HEADS, LAYERS, CONTEXT, VOCABULARY = 32, 4, 2, 16, 61


def build(torch):
    nn, F = torch.nn, torch.nn.functional

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.c_attn = nn.Linear(WIDTH, 3 * WIDTH)
            self.c_proj = nn.Linear(WIDTH, WIDTH)

        def forward(self, x):
            batch, length, _ = x.shape
            q, k, v = self.c_attn(x).split(WIDTH, dim=2)
            q, k, v = (t.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2) for t in (q, k, v))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.c_proj(y.transpose(1, 2).contiguous().view(batch, length, WIDTH))

    class MLP(nn.Module):
        def __init__(self):
            super().__init__()
            self.c_fc = nn.Linear(WIDTH, 4 * WIDTH)
            self.gelu = nn.GELU(approximate="tanh")
            self.c_proj = nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            return self.c_proj(self.gelu(self.c_fc(x)))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1 = nn.LayerNorm(WIDTH)
            self.attn = Attention()
            self.ln_2 = nn.LayerNorm(WIDTH)
            self.mlp = MLP()

        def forward(self, x):
            x = x + self.attn(self.ln_1(x))
            return x + self.mlp(self.ln_2(x))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.transformer = nn.ModuleDict(
                {
                    "wte": nn.Embedding(VOCABULARY, WIDTH),
                    "wpe": nn.Embedding(CONTEXT, WIDTH),
                    "h": nn.ModuleList([Block() for _ in range(LAYERS)]),
                    "ln_f": nn.LayerNorm(WIDTH),
                }
            )
            self.lm_head = nn.Linear(WIDTH, VOCABULARY, bias=False)
            self.apply(self._init_weights)
            for name, p in self.named_parameters():
                if name.endswith("c_proj.weight"):
                    nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * LAYERS))
            self.transformer["wte"].weight = self.lm_head.weight

        def _init_weights(self, module):
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)

        def forward(self, tokens):
            places = torch.arange(tokens.size(1), device=tokens.device)
            x = self.transformer["wte"](tokens) + self.transformer["wpe"](places)
            for block in self.transformer["h"]:
                x = block(x)
            return self.lm_head(self.transformer["ln_f"](x))

    return GPT()


def example(rng):
    text = rng.integers(0, VOCABULARY, (3, CONTEXT + 1))
    return text[:, :-1], text[:, 1:]


def loss(torch, model, tokens, targets):
    logits = model(tokens)
    return torch.nn.functional.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))


def optimizer(torch, model):
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    rest = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
    return torch.optim.SGD(groups, lr=0.1, momentum=0.9, nesterov=True)
