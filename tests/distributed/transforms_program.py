"""Run by test_transforms.py in a process with four devices: transforms of functions of DTensors, of an MLP and of a
convolution, beside one device."""

from __future__ import annotations

import numpy as np

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite.distributed.device_mesh import init_device_mesh
from functorch_lite.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from functorch_lite.func import functional_call, grad, grad_and_value, jacfwd, jacrev, jvp, vjp, vmap
from functorch_lite.utils._pytree import tree_leaves
from functorch_lite.utils.checkpoint import checkpoint

mesh = init_device_mesh("cpu", (4,), mesh_dim_names=("x",))
torch.manual_seed(0)
randn = lambda *shape: torch.randn(*shape, dtype=torch.float64)  # noqa: E731
ONE = torch.tensor(1.0, dtype=torch.float64)


def mlp(w, x):
    return (x @ w[0]).tanh() @ w[1]


def convolved(w, x):
    return F.conv2d(x, w[0], padding=1).tanh().mean((2, 3))


def of(model):
    def loss(w, x, y):
        return F.cross_entropy(model(w, x), y)

    def one(w, x, y):
        return loss(w, x[None], y[None])

    return {
        "grad": lambda w, x, y, v: grad(loss)(w, x, y),
        "grad by x": lambda w, x, y, v: grad_and_value(loss, argnums=1)(w, x, y),
        "per sample": lambda w, x, y, v: vmap(grad(one), in_dims=(None, 0, 0))(w, x, y),
        "vjp": lambda w, x, y, v: vjp(lambda w: loss(w, x, y), w)[1](ONE),
        "jvp": lambda w, x, y, v: jvp(lambda w: loss(w, x, y), (w,), (v,)),
        "hvp": lambda w, x, y, v: jvp(grad(lambda w: loss(w, x, y)), (w,), (v,)),
        "jacrev": lambda w, x, y, v: jacrev(lambda w: model(w, x).sum(0))(w),
        "jacfwd": lambda w, x, y, v: jacfwd(lambda w: model(w, x).sum(0))(w),
        "vmap": lambda w, x, y, v: vmap(lambda a: model(w, a[None]).square().sum())(x),
        "checkpoint": lambda w, x, y, v: grad(lambda w: checkpoint(loss, w, x, y, use_reentrant=False))(w),
        "compile": lambda w, x, y, v: [torch.compile(model)(w, x) for _ in range(3)],
    }


CASES = {
    "mlp": (mlp, (randn(8, 16), randn(16, 4)), randn(8, 8)),
    "convolution": (convolved, (randn(4, 3, 3, 3),), randn(8, 3, 8, 8)),
}
TARGET = torch.arange(8) % 4


def placed(tree, p):
    return tuple(distribute_tensor(t, mesh, [p]) for t in tree)


def main():
    for name, (model, w, x) in CASES.items():
        v = tuple(t.cos() for t in w)
        for what, transform in of(model).items():
            alone = tree_leaves(transform(w, x, TARGET, v))
            for where, (of_w, of_x) in {
                "batch": (Replicate(), Shard(0)),
                "weights": (Shard(0), Replicate()),
            }.items():
                dw, (dx, dy) = placed(w, of_w), placed((x, TARGET), of_x)
                found = tree_leaves(transform(dw, dx, dy, placed(v, of_w)))
                off = [
                    float(np.abs(f.full_tensor().detach().numpy() - a.detach().numpy()).max())
                    for f, a in zip(found, alone, strict=True)
                ]
                assert all(isinstance(f, DTensor) for f in found) and max(off) < 1e-12, (
                    name,
                    what,
                    where,
                    off,
                )
                if what in ("grad", "vjp", "checkpoint"):
                    assert all(f.placements == (of_w,) for f in found), (name, what, where)
                elif what == "grad by x":
                    assert found[0].placements == (of_x,)
                elif what == "per sample":
                    assert where == "weights" or all(f.placements == (Shard(0),) for f in found)
            print(name, what, "ok", flush=True)
    model = torch.nn.Linear(8, 4).double()
    parameters = {n: distribute_tensor(p.detach(), mesh, [Shard(0)]) for n, p in model.named_parameters()}
    x = randn(8, 8)
    out = functional_call(model, parameters, (distribute_tensor(x, mesh, [Shard(0)]),))
    assert (out.full_tensor() - model(x)).abs().max() < 1e-13
    print("functional_call ok")


if __name__ == "__main__":
    main()
