"""ConvNeXt (Liu et al. 2022, arXiv:2201.03545) in the shape of its Tiny, with width, depth and images reduced."""

from __future__ import annotations

import itertools

import numpy as np

DEPTHS, WIDTHS, CLASSES = (1, 1, 2, 1), (4, 8, 12, 16), 5


def build(torch):
    nn, F = torch.nn, torch.nn.functional

    class LayerNorm2d(nn.LayerNorm):
        def forward(self, x):
            x = x.permute(0, 2, 3, 1)
            x = F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
            return x.permute(0, 3, 1, 2)

    class Block(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.dwconv = nn.Conv2d(dim, dim, kernel_size=7, padding=3, groups=dim)
            self.norm = nn.LayerNorm(dim, eps=1e-6)
            self.pwconv1 = nn.Linear(dim, 4 * dim)
            self.act = nn.GELU()
            self.pwconv2 = nn.Linear(4 * dim, dim)
            self.gamma = nn.Parameter(0.1 * torch.ones(dim))

        def forward(self, x):
            y = self.dwconv(x).permute(0, 2, 3, 1)
            y = self.pwconv2(self.act(self.pwconv1(self.norm(y))))
            return x + (self.gamma * y).permute(0, 3, 1, 2)

    class ConvNeXt(nn.Module):
        def __init__(self):
            super().__init__()
            self.downsample_layers = nn.ModuleList(
                [
                    nn.Sequential(
                        nn.Conv2d(3, WIDTHS[0], kernel_size=4, stride=4), LayerNorm2d(WIDTHS[0], eps=1e-6)
                    )
                ]
            )
            for a, b in itertools.pairwise(WIDTHS):
                self.downsample_layers.append(
                    nn.Sequential(LayerNorm2d(a, eps=1e-6), nn.Conv2d(a, b, kernel_size=2, stride=2))
                )
            self.stages = nn.ModuleList(
                [nn.Sequential(*[Block(w) for _ in range(depth)]) for depth, w in zip(DEPTHS, WIDTHS)]
            )
            self.norm = nn.LayerNorm(WIDTHS[-1], eps=1e-6)
            self.head = nn.Linear(WIDTHS[-1], CLASSES)
            for m in self.modules():
                if isinstance(m, nn.Conv2d | nn.Linear):
                    nn.init.trunc_normal_(m.weight, std=0.2)
                    nn.init.constant_(m.bias, 0)

        def forward(self, x):
            for down, stage in zip(self.downsample_layers, self.stages):
                x = stage(down(x))
            return self.head(self.norm(x.mean([-2, -1])))

    return ConvNeXt()


def example(rng):
    return rng.normal(size=(2, 3, 32, 32)).astype(np.float32), rng.integers(0, CLASSES, 2)


def loss(torch, model, images, labels):
    return torch.nn.functional.cross_entropy(model(images), labels)
