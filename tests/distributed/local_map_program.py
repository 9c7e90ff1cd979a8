"""Run by test_local_map.py in a process with four devices: local_map against what one device computes."""

from __future__ import annotations

import functorch_lite as torch
from functorch_lite.distributed.device_mesh import init_device_mesh
from functorch_lite.distributed.tensor import Partial, Replicate, Shard, distribute_tensor
from functorch_lite.distributed.tensor.debug import CommDebugMode
from functorch_lite.distributed.tensor.experimental import local_map
from tests.support.raising import raises

mesh = init_device_mesh("cpu", (4,), mesh_dim_names=("tp",))
square = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
torch.manual_seed(0)
X, W, B = (torch.randn(*shape, dtype=torch.float64) for shape in ((8, 12), (12, 5), (5,)))


def close(a, b) -> bool:
    return torch.allclose(a, b, rtol=1e-12, atol=1e-12)


def product() -> None:
    """A matrix product whose parts are added up, its gradients, and other numbers at the same place."""
    shapes = []

    def mm(x, w, scale=1.0):
        shapes.append((tuple(x.shape), tuple(w.shape)))
        return x @ w * scale

    f = local_map(mm, out_placements=[Partial()], in_placements=([Shard(1)], [Shard(0)], None))
    for step in range(3):
        x = distribute_tensor(X + step, mesh, [Shard(1)]).requires_grad_()
        w = distribute_tensor(W, mesh, [Shard(0)]).requires_grad_()
        y = f(x, w, 2.0)
        assert y.placements == (Partial(),) and shapes[-1] == ((8, 3), (3, 5))
        assert close(y.full_tensor(), (X + step) @ W * 2)
        y.sin().sum().backward()
        a, b = (X + step).requires_grad_(), W.clone().requires_grad_()
        (a @ b * 2).sin().sum().backward()
        assert x.grad.placements == (Shard(1),) and close(x.grad.full_tensor(), a.grad)
        assert close(w.grad.full_tensor(), b.grad)


def rows() -> None:
    """A function of whole rows, several results, plain tensors beside, two dimensions of a mesh, and nothing
    exchanged."""

    def f(x, b):
        y = torch.softmax(x + b, -1)
        return {"y": y, "most": y.amax(), "rows": x.shape[0], "all": y.sum(0)}

    mapped = local_map(
        f,
        out_placements=(
            [Partial("sum"), Replicate()],
            [Partial("max"), Replicate()],
            None,
            [Shard(0), Replicate()],
        ),
    )
    x = distribute_tensor(X[:, :5].contiguous(), square, [Shard(0), Replicate()])
    found = mapped(x, B)
    whole = torch.softmax(X[:, :5] + B, -1)
    assert found["rows"] == 4
    order = list(found)  # of a dict, as it is flattened
    assert order == ["y", "most", "rows", "all"]
    assert close(found["y"].full_tensor(), whole[:4] + whole[4:])
    assert close(found["most"].full_tensor(), whole.amax())
    assert found["all"].shape == (10,) and close(
        found["all"].full_tensor(), torch.cat([whole[:4].sum(0), whole[4:].sum(0)])
    )
    both = distribute_tensor(X, square, [Shard(0), Shard(1)])
    with CommDebugMode() as comm:
        y = local_map(lambda x: x * 2 + 1, out_placements=[Shard(0), Shard(1)])(both)
        y.local_tensors()
    assert (
        comm.get_total_counts() == 0 and close(y.full_tensor(), X * 2 + 1) and y.placements == both.placements
    )


def transforms() -> None:
    """Derivatives outside."""
    f = local_map(lambda x, w: torch.tanh(x @ w), [Shard(0)], ([Shard(0)], [Replicate()]))
    x, w = distribute_tensor(X, mesh, [Shard(0)]), distribute_tensor(W, mesh, [Replicate()])

    def loss(w, x):
        return f(x, w).square().sum()

    def plain(w, x):
        return torch.tanh(x @ w).square().sum()

    assert close(torch.func.grad(loss)(w, x).full_tensor(), torch.func.grad(plain)(W, X))
    u, v = torch.func.jvp(lambda w: loss(w, x), (w,), (w,)), torch.func.jvp(lambda w: plain(w, X), (W,), (W,))
    assert close(u[1].full_tensor(), v[1])


def refusals() -> None:
    x = distribute_tensor(X, mesh, [Shard(1)])
    one = local_map(lambda x: x, out_placements=[Shard(0)], in_placements=([Shard(0)],))
    raises(ValueError, "set redistribute_inputs=True", lambda: one(x))
    moved = local_map(
        lambda x: x + 1, out_placements=[Shard(0)], in_placements=([Shard(0)],), redistribute_inputs=True
    )
    assert close(moved(x).full_tensor(), X + 1) and moved(x).placements == (Shard(0),)
    raises(
        ValueError,
        "is not a DTensor",
        lambda: local_map(lambda x: x, [Shard(0)], ([Shard(0)],), None, mesh)(X),
    )
    total = x.sum()
    unknown = local_map(lambda x: x * 2, out_placements=[Shard(1)])
    raises(NotImplementedError, "give in_placements", lambda: torch.func.grad(lambda x: unknown(x).sum())(x))
    raises(
        NotImplementedError,
        "must be an argument",
        lambda: local_map(lambda y: y + total, out_placements=[Shard(1)])(x),
    )
    raises(
        ValueError,
        "one entry for each result",
        lambda: local_map(lambda x: (x, x), out_placements=([Shard(1)],))(x),
    )
    raises(
        ValueError,
        "is a tensor, and has no placements",
        lambda: local_map(lambda x: (x, 1), out_placements=(None, None))(x),
    )
    raises(
        NotImplementedError,
        "redistribute a Partial",
        lambda: local_map(lambda x: x, out_placements=[Shard(0)])(x.sum(1)),
    )
    uneven = distribute_tensor(torch.ones(5), mesh, [Shard(0)])
    raises(
        NotImplementedError, "cut unevenly", lambda: local_map(lambda x: x, out_placements=[Shard(0)])(uneven)
    )
    raises(
        RuntimeError,
        "recorded once for all devices",
        lambda: local_map(lambda x: x * x.sum().item(), out_placements=[Shard(1)])(x),
    )
    assert close(local_map(lambda x: x + 1, out_placements=[Replicate()])(X), X + 1)  # no mesh


if __name__ == "__main__":
    for part in (product, rows, transforms, refusals):
        part()
        print(part.__name__, "ok")
