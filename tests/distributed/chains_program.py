"""Run by test_chains.py in a process with four devices: random programs of several ops in one recording, at random
placements on meshes of one and two dimensions, forward and gradient, beside one device. What XLA makes of ops together
is not what it makes of each.

python -m tests.distributed.chains_program FIRST_SEED COUNT
"""

from __future__ import annotations

import random
import sys

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite.distributed.device_mesh import init_device_mesh
from functorch_lite.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

MESHES = (init_device_mesh("cpu", (4,)), init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "b")))
PLACEMENTS = (Replicate(), Shard(0), Shard(1), Shard(0), Shard(1), Partial(), Partial("avg"))

STEPS = {
    "sin": lambda x, w: x.sin() + 0.1 * x,
    "softmax 0": lambda x, w: x.softmax(0) * 3,
    "softmax 1": lambda x, w: x.softmax(1) * 3,
    "cumsum": lambda x, w: x.cumsum(0) * 0.3,
    "sort": lambda x, w: x.sort(1).values,
    "norm": lambda x, w: F.layer_norm(x, x.shape[1:]),
    "matmul": lambda x, w: (x @ w).tanh(),
    "linear": lambda x, w: F.linear(x, w, w.sum(0)).tanh(),
    "gram": lambda x, w: x @ x.t() @ x * 0.1,
    "transposed": lambda x, w: (w.t() @ x.t()).t() * 0.5,
    "centred": lambda x, w: x - x.mean(0) + x.sum(1, keepdim=True) * 0.1,
    "scaled": lambda x, w: x / (1 + x.amax().abs()),
    "picked": lambda x, w: x.index_select(0, torch.arange(x.shape[0], device=x.device).flip(0)) + x,
    "gathered": lambda x, w: x.gather(
        1, (torch.arange(x.numel(), device=x.device).reshape(x.shape) * 5) % x.shape[1]
    ),
    "strided": lambda x, w: torch.cat([x[:, ::2], x[:, 1::2]], 1),
    "rolled": lambda x, w: x.roll(1, 0) + x.flip(1),
    "reshaped": lambda x, w: x.reshape(-1).sin().reshape(x.shape),
    "padded": lambda x, w: F.pad(x, (1, 2, 2, 1))[2:-1, 1:-2],
    "written": lambda x, w: x.clone().index_fill_(0, torch.tensor([1], device=x.device), 0.5),
    "part written": lambda x, w: torch.where(x > 0, x, x * 0.1).masked_fill(x > 1.5, 0.25),
    "dropped": lambda x, w: F.dropout(x, 0.3),
    "pooled": lambda x, w: F.avg_pool1d(x[None], 3, 1, 1)[0] + F.max_pool1d(x[None], 3, 1, 1)[0],
    "convolved": lambda x, w: F.conv2d(x[None, None], w[:3, :3][None, None] * 0.3, padding=1)[0, 0],
    "summed": lambda x, w: x + x.sum() * 0.01 + x.std(1, keepdim=True),
}


def chain(names, x, w):
    for name in names:
        x = STEPS[name](x, w)
    return x


def main(first: int, count: int) -> None:
    wrong = []
    for seed in range(first, first + count):
        rng = random.Random(seed)
        names = rng.choices(list(STEPS), k=rng.randint(3, 6))
        mesh, (rows, columns) = rng.choice(MESHES), rng.choice(((7, 6), (8, 12), (5, 4), (4, 8)))
        torch.manual_seed(seed)
        x = torch.randn(rows, columns, dtype=torch.float64)
        w = torch.randn(columns, columns, dtype=torch.float64) * 0.5
        of_x, of_w = ([rng.choice(PLACEMENTS) for _ in range(mesh.ndim)] for _ in range(2))
        results = []
        for a, b in ((x, w), (distribute_tensor(x, mesh, of_x), distribute_tensor(w, mesh, of_w))):
            a, b = a.detach().clone().requires_grad_(), b.detach().clone().requires_grad_()
            torch.manual_seed(seed)
            out = chain(names, a, b)
            (out.sin().sum() + out.square().mean()).backward()
            results.append(
                [t.detach().full_tensor() if isinstance(t, DTensor) else t for t in (out, a.grad, b.grad)]
            )
        for what, p, q in zip(("result", "gradient of x", "gradient of w"), *results, strict=True):
            if (p is None) != (q is None) or (
                p is not None and not torch.allclose(p, q, rtol=1e-7, atol=1e-9)
            ):
                off = None if p is None or q is None else (p - q).abs().max().item()
                wrong.append(
                    f"{seed}: {what} off by {off}: {names}, {mesh}, {of_x}, {of_w}, {[rows, columns]}"
                )
                print(wrong[-1], flush=True)
    print(f"{count} programs, {len(wrong)} wrong")
    assert not wrong


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
