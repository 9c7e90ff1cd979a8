"""Run by test_dtensor.py in a process with four devices: DeviceMesh and DTensor, function by function."""

from __future__ import annotations

import copy
import io
import pickle
import zipfile
from contextlib import redirect_stdout
from functools import partial

import jax

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import nn
from functorch_lite.distributed import device_mesh
from functorch_lite.distributed import tensor as dt
from functorch_lite.distributed._tensor import DTensor as OlderName
from functorch_lite.distributed.device_mesh import DeviceMesh, init_device_mesh
from functorch_lite.distributed.fsdp import fully_shard
from functorch_lite.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from functorch_lite.distributed.tensor.debug import CommDebugMode, visualize_sharding
from functorch_lite.distributed.tensor.experimental import implicit_replication
from tests.support.raising import raises

mesh = init_device_mesh("cpu", (4,), mesh_dim_names=("tp",))
square = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
PLACED = ([Replicate()], [Shard(0)], [Shard(1)], [Partial()], [Partial("avg")], [Partial("max")])


def matrix(*shape):
    return torch.arange(float(torch.Size(shape).numel()), dtype=torch.float64).reshape(shape).sin()


def test_mesh():
    assert mesh.shape == (4,) and mesh.size() == 4 and mesh.ndim == 1 and mesh.mesh.tolist() == [0, 1, 2, 3]
    assert (
        square["tp"].mesh.tolist() == [0, 1]
        and square["dp"].mesh.tolist() == [0, 2]
        and square["dp", "tp"] is square
    )
    assert (
        square["tp"].root is square and square.get_coordinate() == [0, 0] and square.get_local_rank("tp") == 0
    )
    assert square == DeviceMesh("cpu", [[0, 1], [2, 3]], mesh_dim_names=("dp", "tp")) and square != mesh
    assert len({mesh, init_device_mesh("cpu", (4,), mesh_dim_names=("tp",))}) == 1
    assert pickle.loads(pickle.dumps(square["tp"])) == square["tp"] and copy.deepcopy(mesh) is mesh
    flat = square._flatten("all")
    assert flat.size() == 4 and square["all"] is flat
    raises(KeyError, "Valid mesh_dim_names are ['dp', 'tp', 'all']", lambda: square["x"])
    raises(KeyError, "ascending order", lambda: square["tp", "dp"])
    raises(RuntimeError, "without mesh_dim_names", lambda: init_device_mesh("cpu", (4,))["tp"])
    raises(RuntimeError, "default world size 4, but found 8 ranks", lambda: init_device_mesh("cpu", (8,)))
    raises(
        RuntimeError,
        "should have same length",
        lambda: init_device_mesh("cpu", (4,), mesh_dim_names=("a", "b")),
    )
    raises(RuntimeError, "must be unique", lambda: init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "a")))
    raises(RuntimeError, "No device mesh is currently active", lambda: distribute_tensor(torch.ones(2)))
    with mesh:
        assert distribute_tensor(torch.ones(2)).device_mesh is mesh


def test_what_a_dtensor_says_of_itself():
    x = matrix(8, 12)
    d = distribute_tensor(x, mesh, [Shard(-1)])
    assert type(d) is DTensor is OlderName and isinstance(d, torch.Tensor) and not isinstance(x, DTensor)
    assert (
        d.placements == (Shard(1),) and d.device_mesh is mesh and d.shape == (8, 12) and d.stride() == (12, 1)
    )
    assert (
        d.device == torch.device("cpu")
        and str(d.device) == "cpu"
        and d.to("cpu") is d
        and d.to(d.device) is d
    )
    assert torch.ones(12, device=d.device).placements == (Replicate(),)
    assert [t.tolist() for t in d.local_tensors()] == [x[:, i : i + 3].tolist() for i in range(0, 12, 3)]
    assert repr(d).startswith("DTensor(local_tensor=tensor([[") and repr(d).endswith(
        "placements=(Shard(dim=1),))"
    )
    assert not hasattr(x, "placements")
    for made in (copy.deepcopy(d), pickle.loads(pickle.dumps(d)), d.clone(), d.detach()):
        assert made.placements == d.placements and (made.full_tensor() == x).all()
    raises(RuntimeError, ".numpy() is not supported for tensor subclasses", d.numpy)
    raises(RuntimeError, "got mixed torch.Tensor and DTensor", lambda: d + x)
    assert (d + torch.tensor(1.0)).placements == (Shard(1),) and abs(d.sum().item() - x.sum().item()) < 1e-12
    with implicit_replication():
        assert ((d + x).full_tensor() == 2 * x).all()
    text = io.StringIO()
    with redirect_stdout(text):
        visualize_sharding(d, "x")
    assert text.getvalue().splitlines() == [
        "x",
        "part            devices",
        "[0:8] × [0:3]   cpu:0",
        "[0:8] × [3:6]   cpu:1",
        "[0:8] × [6:9]   cpu:2",
        "[0:8] × [9:12]  cpu:3",
    ]


def test_distribute_tensor():
    x = matrix(8, 4).requires_grad_()
    d = distribute_tensor(x, square, [Shard(0), Shard(0)])
    assert d.is_leaf and d.requires_grad and [tuple(t.shape) for t in d.local_tensors()] == [(2, 4)] * 4
    assert [tuple(t[0].tolist()) for t in d.local_tensors()] == [tuple(r.tolist()) for r in x.detach()[::2]]
    assert distribute_tensor(d, square, [Shard(0), Shard(0)]) is d
    raises(
        ValueError,
        "do you want to call `redistribute` instead?",
        lambda: distribute_tensor(d, square, [Replicate(), Shard(0)]),
    )
    raises(ValueError, "to a different device mesh", lambda: distribute_tensor(d, mesh, [Shard(0)]))
    raises(
        ValueError,
        "Found placements length: 2, and device_mesh.ndim: 1.",
        lambda: distribute_tensor(x.detach(), mesh, [Shard(0), Shard(1)]),
    )
    raises(IndexError, "Shard(dim=2)", lambda: distribute_tensor(x.detach(), mesh, [Shard(2)]))
    raises(RuntimeError, "but found non-leaf tensor", lambda: distribute_tensor(x * 2, mesh, [Shard(0)]))
    for p in PLACED:
        assert (distribute_tensor(x.detach(), mesh, p).full_tensor() - x.detach()).abs().max() < 1e-15


def test_gradients_of_what_comes_and_goes():
    x, w = matrix(8, 12), matrix(8, 12).cos()
    for before in PLACED:
        d = distribute_tensor(x, mesh, before).requires_grad_()
        (d.full_tensor() * w).sum().backward()
        assert (d.grad.full_tensor() - w).abs().max() < 1e-15 and d.grad.placements == d.placements
        local = d.detach().requires_grad_()
        part = local.to_local()
        if not before[0].is_partial():
            (part * 3).sum().backward()
            assert local.grad.full_tensor().sum() == 3 * part.numel()
    for placed, factor in (
        (Replicate(), 1),
        (Shard(0), 4),
        (Shard(1), 4),
        (Partial(), 4),
        (Partial("avg"), 1),
    ):
        t = x.clone().requires_grad_()
        d = DTensor.from_local(t, mesh, [placed])
        assert all((p == x).all() for p in d.local_tensors())
        (d * 2).sum().full_tensor().backward()
        assert (t.grad == 2 * factor).all(), placed
    assert DTensor.from_local(x, mesh, [Shard(0)]).shape == (32, 12)


def test_writing_keeps_placements():
    a, b = (
        distribute_tensor(matrix(8, 12), mesh, [Shard(0)]),
        distribute_tensor(matrix(8, 12), mesh, [Shard(1)]),
    )
    a.add_(b)
    assert a.placements == (Shard(0),) and (a.full_tensor() == 2 * matrix(8, 12)).all()
    a[0] = 1.0
    a[:, 1:3] *= 2
    expected = 2 * matrix(8, 12)
    expected[0] = 1.0
    expected[:, 1:3] *= 2
    assert a.placements == (Shard(0),) and (a.full_tensor() == expected).all()
    a.zero_().normal_()
    assert a.placements == (Shard(0),)


def test_norms_are_reduced_when_they_are_read():
    x = matrix(8, 12)
    d = distribute_tensor(x, mesh, [Shard(0)]).requires_grad_()
    with CommDebugMode() as comm:
        n = d.norm()
        n.local_tensors()
    assert str(n.placements[0]) == "_NormP(2)" and comm.get_total_counts() == 0
    assert (
        abs(n.item() - x.norm().item()) < 1e-12 and pickle.loads(pickle.dumps(n.placements)) == n.placements
    )
    several = torch.stack([d.norm(), (2 * d).norm(dim=0)[3]])
    assert (several.full_tensor() - torch.stack([x.norm(), 2 * x.norm(dim=0)[3]])).abs().max() < 1e-12
    n.backward()
    assert (d.grad.full_tensor() - x / x.norm()).abs().max() < 1e-12 and d.grad.placements == (Shard(0),)
    for number in (-3.0, 1e300, 0.0, float("inf")):
        written = d.detach().norm()
        written.fill_(number)
        assert written.full_tensor().item() == number


def test_random_numbers_are_one_devices():
    for seed in range(5):
        for several in (mesh, square, init_device_mesh("cpu", (2,)), init_device_mesh("cpu", (1,))):
            for p in (Replicate(), Shard(0), Shard(1)):
                placements = [p] + [Replicate()] * (several.ndim - 1)
                torch.manual_seed(seed)
                made = dt.randn(7, 6, device_mesh=several, placements=placements)
                drawn = [
                    made,
                    dt.rand(5, 6, device_mesh=several, placements=placements),
                    F.dropout(made, 0.5),
                    torch.randn_like(made),
                ]
                order = torch.randperm(9)
                on_mesh = torch.randperm(11, device=made.device)
                assert isinstance(on_mesh, DTensor)
                torch.manual_seed(seed)
                alone = [torch.randn(7, 6), torch.rand(5, 6)]
                alone += [F.dropout(alone[0], 0.5), torch.randn(7, 6)]
                assert (
                    all((d.full_tensor() == x).all() for d, x in zip(drawn, alone, strict=True))
                    and (order == torch.randperm(9)).all()
                    and (on_mesh.full_tensor() == torch.randperm(11)).all()
                )
                assert all(d.placements == tuple(placements) for d in drawn)


def test_fourier_transforms():
    x = torch.complex(matrix(2, 5), matrix(2, 5).cos())
    for p in ([Shard(0)], [Shard(1)]):
        d, a = distribute_tensor(x, mesh, p).requires_grad_(), x.clone().requires_grad_()
        out, alone = torch.fft.fft(d), torch.fft.fft(a)
        w = matrix(2, 5).cos()
        (out * distribute_tensor(w, mesh)).sum().real.backward()
        (alone * w).sum().real.backward()
        assert (out.full_tensor() - alone).abs().max() < 1e-12
        assert (d.grad.full_tensor() - a.grad).abs().max() < 1e-12 and d.grad.placements == tuple(p)


def test_factories():
    z = dt.zeros(8, 3, device_mesh=mesh, placements=[Shard(0)])
    assert (
        z.placements == (Shard(0),)
        and z.full_tensor().sum() == 0
        and torch.ones_like(z).placements == (Shard(0),)
    )
    assert (
        dt.full((4, 2), 2.5, device_mesh=mesh).full_tensor().mean() == 2.5
        and dt.ones(3, device_mesh=mesh, dtype=torch.int32).dtype == torch.int32
    )
    assert dt.empty(3, 2, device_mesh=mesh, requires_grad=True).requires_grad
    raises(ValueError, "not Partial", lambda: dt.zeros(3, device_mesh=mesh, placements=[Partial()]))


def test_a_loop_compiles_once():
    torch.manual_seed(0)
    inside = [
        layer for _ in range(4) for layer in (nn.Linear(5, 5), nn.Tanh())
    ]  # so many that they are packed
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), *inside, nn.Linear(5, 3)).double()
    x, y = matrix(7, 6), torch.arange(7) % 3
    alone = copy.deepcopy(model)
    dt.distribute_module(model, mesh)
    ours, theirs = (torch.optim.Adam(m.parameters(), lr=0.1) for m in (model, alone))
    d, e = distribute_tensor(x, mesh, [Shard(0)]), distribute_tensor(y, mesh, [Shard(0)])
    for step in range(6):
        before = torch.debug.stats()["programs"]
        for m, optimizer, a, b in ((model, ours, d, e), (alone, theirs, x, y)):
            optimizer.zero_grad()
            loss = F.cross_entropy(m(a), b)
            loss.backward()
            optimizer.step()
        if step > 2:
            assert torch.debug.stats()["programs"] == before
        if step == 4:  # a look at what lies in a pack
            assert all(
                (p.full_tensor() - q).abs().max() < 1e-12
                for p, q in zip(model.parameters(), alone.parameters())
            )
            assert all(len(p.local_tensors()) == 4 for p in model.parameters())
    for p, q in zip(model.parameters(), alone.parameters()):
        assert (p.full_tensor() - q).abs().max() < 1e-12 and p.grad.placements == p.placements


def test_long_recordings_are_cut():
    x = matrix(9, 4)
    d = distribute_tensor(x, mesh, [Shard(0)])
    for _ in range(150):
        d, x = (d * 1.01).sin() + 0.1, (x * 1.01).sin() + 0.1
    assert (d.full_tensor() - x).abs().max() < 1e-12 and d.placements == (Shard(0),)


def test_convolutions_exchange_borders():
    x, w = matrix(2, 3, 8, 16), matrix(4, 3, 3, 3)
    d, v = (
        distribute_tensor(x, mesh, [Shard(3)]).requires_grad_(),
        distribute_tensor(w, mesh, [Replicate()]).requires_grad_(),
    )
    a, b = x.clone().requires_grad_(), w.clone().requires_grad_()
    with CommDebugMode() as comm:
        out = F.conv2d(d, v, padding=1)
        out.local_tensors()
    assert set(comm.get_comm_counts()) == {"permute"} and out.placements == (Shard(3),)
    (out**2).sum().full_tensor().backward()
    (F.conv2d(a, b, padding=1) ** 2).sum().backward()
    assert (d.grad.full_tensor() - a.grad).abs().max() < 1e-10 and (
        v.grad.full_tensor() - b.grad
    ).abs().max() < 1e-10


def test_files():
    x = distribute_tensor(matrix(5, 4), square, [Shard(0), Partial()])
    parts = distribute_tensor(torch.arange(5.0), square["tp"], [Shard(0)]).requires_grad_()
    model = nn.Linear(5, 3)
    fully_shard(model, mesh=mesh)
    file = io.BytesIO()
    torch.save(
        {"x": x, "parts": parts, "twice": [x, x], "model": model.state_dict(), "w": model.weight}, file
    )
    file.seek(0)
    found = torch.load(file, weights_only=True)
    for a, b in ((found["x"], x), (found["parts"], parts), *zip(found["model"].values(), model.state_dict().values())):  # fmt: skip
        assert type(a) is DTensor and a.placements == b.placements and a.device_mesh == b.device_mesh
        assert torch.equal(a.full_tensor(), b.full_tensor()) and a.requires_grad == b.requires_grad
    assert found["twice"][0] is found["twice"][1] and isinstance(found["w"], nn.Parameter)
    other = nn.Linear(5, 3)
    fully_shard(other, mesh=mesh).load_state_dict(found["model"])
    assert torch.equal(other.weight.full_tensor(), model.weight.full_tensor())
    for old, new in ((b"shard", b"shred"), (b"d1", b"d7")):
        raises(pickle.UnpicklingError, "the parts of a DTensor", partial(_load_changed, parts, old, new))
    file = io.BytesIO()
    torch.save(distribute_tensor(torch.ones(8), mesh, [Shard(0)]), file)
    devices, device_mesh._devices = device_mesh._devices, lambda kind: jax.devices("cpu")[:1]
    try:
        file.seek(0)
        raises(RuntimeError, "a mesh of 4 cpu devices, which are not available", lambda: torch.load(file))
    finally:
        device_mesh._devices = devices


def _load_changed(x, old: bytes, new: bytes):
    """What is loaded when other words are in the pickle."""
    file, made = io.BytesIO(), io.BytesIO()
    torch.save(x, file)
    found = zipfile.ZipFile(file)
    with zipfile.ZipFile(made, "w") as to:
        for name in found.namelist():
            data = found.read(name)
            to.writestr(name, data.replace(old, new) if name.endswith("data.pkl") else data)
    made.seek(0)
    return torch.load(made)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name, "ok")
