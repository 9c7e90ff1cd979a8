"""U-Net (Ronneberger et al. 2015) for segmentation, with width, depth and images reduced."""

from __future__ import annotations

import numpy as np

WIDTHS, CLASSES = (4, 8, 12), 3


def build(torch):
    nn = torch.nn

    def double(inside, outside):
        return nn.Sequential(
            nn.Conv2d(inside, outside, 3, padding=1),
            nn.BatchNorm2d(outside),
            nn.ReLU(inplace=True),
            nn.Conv2d(outside, outside, 3, padding=1),
            nn.BatchNorm2d(outside),
            nn.ReLU(inplace=True),
        )

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.downs = nn.ModuleList([double(a, b) for a, b in zip((1, *WIDTHS[:-2]), WIDTHS[:-1])])
            self.pool = nn.MaxPool2d(2)
            self.bottom = double(WIDTHS[-2], WIDTHS[-1])
            self.ups = nn.ModuleList(
                [nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in zip(WIDTHS[-2::-1], WIDTHS[:0:-1])]
            )
            self.merges = nn.ModuleList([double(2 * a, a) for a in WIDTHS[-2::-1]])
            self.head = nn.Conv2d(WIDTHS[0], CLASSES, 1)

        def forward(self, x):
            kept = []
            for down in self.downs:
                x = down(x)
                kept.append(x)
                x = self.pool(x)
            x = self.bottom(x)
            for up, merge, skip in zip(self.ups, self.merges, reversed(kept)):
                x = merge(torch.cat([skip, up(x)], dim=1))
            return self.head(x)

    return UNet()


def example(rng):
    return rng.normal(size=(2, 1, 16, 16)).astype(np.float32), rng.integers(0, CLASSES, (2, 16, 16))


def loss(torch, model, images, masks):
    logits = model(images)
    shares = logits.softmax(1)
    truth = torch.nn.functional.one_hot(masks, CLASSES).permute(0, 3, 1, 2).float()
    overlap = (shares * truth).sum((0, 2, 3))
    dice = 1 - ((2 * overlap + 1) / ((shares + truth).sum((0, 2, 3)) + 1)).mean()
    return torch.nn.functional.cross_entropy(logits, masks) + dice
