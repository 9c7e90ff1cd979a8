"""A vision transformer (Dosovitskiy et al. 2020, arXiv:2010.11929) shaped like ViT-Ti, with its width, depth and image
reduced."""

from __future__ import annotations

import numpy as np

IMAGE, PATCH, WIDTH, HEADS, LAYERS, CLASSES = 16, 4, 24, 3, 2, 10


def build(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1 = nn.LayerNorm(WIDTH, eps=1e-6)
            self.attn = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
            self.norm2 = nn.LayerNorm(WIDTH, eps=1e-6)
            self.mlp = nn.Sequential(
                nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Dropout(0.0), nn.Linear(4 * WIDTH, WIDTH)
            )

        def forward(self, x):
            y = self.norm1(x)
            x = x + self.attn(y, y, y, need_weights=False)[0]
            return x + self.mlp(self.norm2(x))

    class VisionTransformer(nn.Module):
        def __init__(self):
            super().__init__()
            patches = (IMAGE // PATCH) ** 2
            self.cls_token = nn.Parameter(torch.zeros(1, 1, WIDTH))
            self.pos_embed = nn.Parameter(0.02 * torch.randn(1, patches + 1, WIDTH))
            self.patch_embed = nn.Conv2d(3, WIDTH, kernel_size=PATCH, stride=PATCH)
            self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
            self.norm = nn.LayerNorm(WIDTH, eps=1e-6)
            self.head = nn.Linear(WIDTH, CLASSES)

        def forward(self, images):
            x = self.patch_embed(images).flatten(2).transpose(1, 2)
            x = torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], dim=1) + self.pos_embed
            return self.head(self.norm(self.blocks(x))[:, 0])

    return VisionTransformer()


def example(rng):
    return rng.normal(size=(4, 3, IMAGE, IMAGE)).astype(np.float32), rng.integers(0, CLASSES, 4)


def loss(torch, model, images, labels):
    return torch.nn.functional.cross_entropy(model(images), labels, label_smoothing=0.1)
