"""Image augmentations one image at a time: crops of random sizes, flips, colour, rotation by grid_sample, erasing."""

import math

import numpy as np
import torch
import torch.nn.functional as F

steps = 950
rng = np.random.RandomState(37)
mean, std = (
    torch.tensor([0.485, 0.456, 0.406])[:, None, None],
    torch.tensor([0.229, 0.224, 0.225])[:, None, None],
)


def augment(image):
    size = rng.randint(24, 48)
    top, left = rng.randint(0, 48 - size + 1, 2)
    image = image[:, top : top + size, left : left + size]
    image = F.interpolate(image[None], size=(32, 32), mode="bilinear", align_corners=False)[0]
    if rng.rand() < 0.5:
        image = image.flip(-1)
    if rng.rand() < 0.8:
        image = (image * rng.uniform(0.6, 1.4)).clamp(0, 1)
        gray = (image * torch.tensor([0.299, 0.587, 0.114])[:, None, None]).sum(0, keepdim=True)
        image = torch.lerp(gray.expand_as(image), image, rng.uniform(0.6, 1.4)).clamp(0, 1)
    if rng.rand() < 0.5:
        a = math.radians(rng.uniform(-20, 20))
        theta = torch.tensor([[math.cos(a), -math.sin(a), 0.0], [math.sin(a), math.cos(a), 0.0]])
        image = F.grid_sample(
            image[None], F.affine_grid(theta[None], (1, 3, 32, 32), align_corners=False), align_corners=False
        )[0]
    image = (image - mean) / std
    if rng.rand() < 0.25:
        h, w = rng.randint(4, 12, 2)
        image[:, rng.randint(0, 32 - h) :, rng.randint(0, 32 - w) :][:, :h, :w] = 0
    return image


def step(i):
    images = torch.from_numpy(rng.randint(0, 256, (16, 48, 48, 3), dtype=np.uint8))
    batch = torch.stack([augment(x.permute(2, 0, 1).float() / 255) for x in images])
    return batch.numpy().mean()
