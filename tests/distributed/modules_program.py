"""Run by test_modules.py in a process with four devices: modules, optimizers and styles of parallelism on a mesh,
beside one device."""

from __future__ import annotations

import copy
import json
import warnings
from pathlib import Path

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import nn
from functorch_lite.distributed.device_mesh import init_device_mesh
from functorch_lite.distributed.fsdp import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, fully_shard
from functorch_lite.distributed.tensor import DTensor, Replicate, Shard, distribute_module, distribute_tensor
from functorch_lite.distributed.tensor.debug import CommDebugMode
from functorch_lite.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)
from tests.support.raising import raises

FACTS = json.loads((Path(__file__).parent.parent / "golden" / "distributed_modules.json").read_text())[
    "facts"
]
mesh = init_device_mesh("cpu", (4,), mesh_dim_names=("tp",))
square = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))


def numbers(*shape):
    return torch.arange(float(torch.Size(shape).numel()), dtype=torch.float64).reshape(shape).sin()


class Attention(nn.Module):
    """Causal attention, whose projections come apart for tensor parallelism: the number of heads is told from what it
    gets."""

    def __init__(self, width, heads):
        super().__init__()
        self.size = width // heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        q, k, v = (p(x).unflatten(-1, (-1, self.size)).transpose(1, 2) for p in (self.q, self.k, self.v))
        return self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class FFN(nn.Module):
    def __init__(self, width=16, hidden=64):
        super().__init__()
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class Block(nn.Module):
    """One block of a GPT."""

    def __init__(self, width=16, heads=4):
        super().__init__()
        self.n1, self.a, self.n2, self.f = (
            nn.LayerNorm(width),
            Attention(width, heads),
            nn.LayerNorm(width),
            FFN(width),
        )

    def forward(self, x):
        x = x + self.a(self.n1(x))
        return x + self.f(self.n2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(20, 16), nn.Embedding(8, 16)
        self.block, self.norm, self.head = Block(), nn.LayerNorm(16), nn.Linear(16, 20)

    def forward(self, ids):
        return self.head(
            self.norm(
                self.block(self.tokens(ids) + self.places(torch.arange(ids.shape[1], device=ids.device)))
            )
        )


def made(kind=GPT):
    torch.manual_seed(0)
    return kind().double()  # a gradient that is zero but for rounding would decide on Adam's steps


IDS = torch.arange(64).reshape(8, 8) * 7 % 20
TARGETS = (IDS + 3) % 20


def train(model, ids=IDS, targets=TARGETS, steps=5):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(ids).flatten(0, 1), targets.flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


ALONE = made()
LOSSES = train(ALONE)


def same(model, losses, tolerance=1e-9):
    assert max(abs(a - b) for a, b in zip(losses, LOSSES, strict=True)) < tolerance, losses
    for (name, p), q in zip(model.named_parameters(), ALONE.parameters(), strict=True):
        p = p.full_tensor() if isinstance(p, DTensor) else p
        assert (p - q).abs().max() < 5 * tolerance, (name, (p - q).abs().max())


def state(module):
    return {
        name: {
            "placements": [str(p) for p in t.placements],
            "shape": list(t.shape),
            "local": list(t._local_tensor.shape),
            "requires_grad": t.requires_grad,
        }
        for name, t in [*module.named_parameters(), *module.named_buffers()]
        if isinstance(t, DTensor)
    }


TENSOR_PARALLEL = {
    "block.a.q": ColwiseParallel(), "block.a.k": ColwiseParallel(), "block.a.v": ColwiseParallel(), "block.a.o": RowwiseParallel(),
    "block.f.up": ColwiseParallel(), "block.f.down": RowwiseParallel(),
}  # fmt: skip


def test_distribute_module():
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
    assert (
        distribute_module(model, mesh) is model
        and state(model) == FACTS["distribute_module, nothing given"]["state"]
    )
    raises(RuntimeError, "should only be called once", lambda: distribute_module(model, mesh))
    called = []

    def partition(name, module, mesh):
        called.append(name)
        if isinstance(module, nn.Linear):
            module.register_parameter(
                "weight", nn.Parameter(distribute_tensor(module.weight.detach(), mesh, [Shard(0)]))
            )

    model = nn.Sequential(nn.Linear(4, 8), nn.Sequential(nn.Linear(8, 4), nn.ReLU()))
    model[1][0].weight.register_hook(lambda g: None)
    distribute_module(model, mesh, partition)
    fact = FACTS["distribute_module, partition_fn"]
    assert called == fact["partition_fn_called_with"] and state(model) == fact["state"]
    frozen = nn.Linear(4, 8)
    frozen.weight.requires_grad_(False)
    assert state(distribute_module(frozen, mesh)) == FACTS["distribute_module, a frozen parameter"]["state"]
    tied = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
    tied[1].weight = tied[0].weight
    distribute_module(tied, mesh)
    assert tied[0].weight is tied[1].weight and isinstance(tied[0].weight, nn.Parameter)
    raises(
        ValueError,
        "input_fn should take in 3 arguments, but got 1 arguments!",
        lambda: distribute_module(nn.Linear(4, 8), mesh, input_fn=lambda x: x),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        old = distribute_module(
            nn.Linear(4, 8),
            mesh,
            None,
            lambda x, m: distribute_tensor(x[0], m, [Shard(0)]),
            lambda y, m: y.full_tensor(),
        )
    assert [w.category for w in caught] == [FutureWarning, FutureWarning] and type(
        old(torch.ones(8, 4))
    ) is torch.Tensor


def test_replicated_with_a_cut_batch():
    model = distribute_module(made(), mesh)
    same(
        model,
        train(model, distribute_tensor(IDS, mesh, [Shard(0)]), distribute_tensor(TARGETS, mesh, [Shard(0)])),
    )
    assert all(p.grad.placements == (Replicate(),) for p in model.parameters())


def test_optimizers_and_clipping():
    x = numbers(8, 16)
    for name in ("SGD", "Adam", "AdamW", "Adagrad"):
        results = []
        for where in (None, Replicate(), Shard(0)):
            model = made(FFN)
            given = x
            if where is not None:

                def partition(_, m, mesh, where=where):
                    for n, p in list(m.named_parameters(recurse=False)):
                        m.register_parameter(n, nn.Parameter(distribute_tensor(p.detach(), mesh, [where])))

                distribute_module(model, mesh, partition)
                given = distribute_tensor(x, mesh, [Shard(0)])
            options = {"momentum": 0.9} if name == "SGD" else {}
            optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.05, **options)
            for _ in range(5):
                optimizer.zero_grad()
                (model(given) - 1).square().mean().backward()
                nn.utils.clip_grad_norm_(model.parameters(), 0.1)
                optimizer.step()
            if where is not None:
                assert all(p.placements == (where,) for p in model.parameters())
                held = [
                    t
                    for s in optimizer.state.values()
                    for t in s.values()
                    if isinstance(t, DTensor) and t.ndim
                ]
                assert all(t.placements == (where,) for t in held)
            results.append([p.full_tensor() if isinstance(p, DTensor) else p for p in model.parameters()])
        for other in results[1:]:
            assert all((p - q).abs().max() < 1e-6 for p, q in zip(results[0], other)), name


def test_tensor_parallel():
    model = parallelize_module(made(), mesh, TENSOR_PARALLEL)
    same(model, train(model))
    block = parallelize_module(made(FFN), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    assert state(block) == FACTS["FFN: ColwiseParallel, RowwiseParallel"]["state"]
    x = distribute_tensor(numbers(2, 8, 16), mesh)
    with CommDebugMode() as comm:
        y = block(x)
        y.detach().numpy()
    assert type(y) is torch.Tensor and comm.get_comm_counts() == {"all_reduce": 1}
    raises(
        NotImplementedError,
        "ColwiseParallel currently only support nn.Linear and nn.Embedding!",
        lambda: parallelize_module(nn.ReLU(), mesh, ColwiseParallel()),
    )
    raises(
        ValueError,
        "Found placements length: 1, and device_mesh.ndim: 2.",
        lambda: parallelize_module(made(FFN), square, {"up": ColwiseParallel()}),
    )
    raises(
        RuntimeError,
        "a plain tensor is the whole here",
        lambda: parallelize_module(made(FFN), mesh, {"down": RowwiseParallel()})(numbers(2, 16)),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        parallelize_module(made(FFN), mesh, {"sideways": ColwiseParallel()})
    assert "no module is named 'sideways'" in str(caught[0].message)
    wild = parallelize_module(nn.ModuleDict({"a": FFN(), "b": FFN()}), mesh, {"*.up": ColwiseParallel()})
    assert sorted(state(wild)) == ["a.up.bias", "a.up.weight", "b.up.bias", "b.up.weight"]


def test_sequence_parallel():
    plan = {
        "tokens": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "places": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(0)),
        "block.n1": SequenceParallel(), "block.n2": SequenceParallel(), "norm": SequenceParallel(),
        "block.a": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate()),
        "block.f": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate()),
        **{f"block.a.{n}": ColwiseParallel() for n in "qkv"}, "block.f.up": ColwiseParallel(),
        "block.a.o": RowwiseParallel(output_layouts=Shard(1)), "block.f.down": RowwiseParallel(output_layouts=Shard(1)),
        "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    }  # fmt: skip
    model = parallelize_module(made(), mesh, plan)
    same(model, train(model))
    shown = PrepareModuleOutput(output_layouts=Shard(0), desired_output_layouts=Replicate())
    assert (
        type(
            parallelize_module(nn.Identity(), mesh, shown)(distribute_tensor(numbers(8, 2), mesh, [Shard(0)]))
        )
        is torch.Tensor
    )


def test_loss_parallel():
    logits, target = numbers(8, 20), torch.arange(8)
    d = distribute_tensor(logits, mesh, [Shard(1)]).requires_grad_()
    alone = logits.clone().requires_grad_()
    with loss_parallel(), CommDebugMode() as comm:
        loss = F.cross_entropy(d, distribute_tensor(target, mesh))
        loss.backward()
        loss.item(), d.grad.local_tensors()
    F.cross_entropy(alone, target).backward()
    assert "all_gather_into_tensor" not in comm.get_comm_counts() and d.grad.placements == (Shard(1),)
    assert (d.grad.full_tensor() - alone.grad).abs().max() < 1e-7


def sharded(model, mesh, **options):
    fully_shard(model.block, mesh=mesh, **options)
    return fully_shard(model, mesh=mesh, **options)


def test_fully_shard():
    model = sharded(made(), mesh)
    assert (
        isinstance(model, FSDPModule)
        and type(model).__name__ == "FSDPGPT"
        and all(p.placements == (Shard(0),) for p in model.parameters())
    )
    same(model, train(model))
    assert all(p.grad.placements == (Shard(0),) for p in model.parameters())
    model = sharded(made(), mesh)
    same(
        model,
        train(model, distribute_tensor(IDS, mesh, [Shard(0)]), distribute_tensor(TARGETS, mesh, [Shard(0)])),
    )
    parts = [
        sum(p._local_tensor.numel() for p in model.parameters()),
        sum(p.numel() for p in model.parameters()),
    ]
    assert parts[0] <= parts[1] / 4 * 1.02
    two = sharded(made(), square)
    assert two.block.f.up.weight.placements == (Replicate(), Shard(0))
    same(two, train(two))
    raises(
        NotImplementedError,
        "parameters on the host",
        lambda: fully_shard(made(), mesh=mesh, offload_policy=CPUOffloadPolicy()),
    )


def test_collectives_of_fully_shard():
    """A step of two groups: in PyTorch 4 gathers and 2 reduce_scatters, each of a group's parameters."""
    ids, targets = (distribute_tensor(t, mesh, [Shard(0)]) for t in (IDS, TARGETS))
    model = sharded(made(), mesh)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    for _ in range(2):
        with CommDebugMode() as comm:
            optimizer.zero_grad()
            F.cross_entropy(model(ids).flatten(0, 1), targets.flatten()).backward()
            optimizer.step()
    # the second all_reduce is the loss's, the third tells whether a target is out of range
    counts = comm.get_comm_counts()
    assert counts == {"all_gather_into_tensor": 2, "all_reduce": 3}, counts
    moved = comm.get_comm_bytes()  # a gather of all, and what is a reduce_scatter and a gather in one
    total = sum(p.numel() * p.element_size() for p in model.parameters())
    assert moved["all_gather_into_tensor"] == total and abs(moved["all_reduce"] / total - 1) < 0.05, (
        moved,
        total,
    )


def test_distributed_data_parallel():
    model = nn.parallel.DistributedDataParallel(made(), device_mesh=square)
    same(model, train(model))
    assert (
        model.module.head.weight.placements == (Replicate(), Replicate()) and type(model(IDS)) is torch.Tensor
    )


def test_mixed_precision():
    model = fully_shard(
        made(FFN).float(), mesh=mesh, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16)
    )
    out = model(numbers(8, 16))
    out.float().sum().backward()
    found = {
        "param": str(model.up.weight.dtype),
        "out": str(out.dtype),
        "grad": str(model.up.weight.grad.dtype),
    }
    assert found == FACTS["fully_shard, mixed precision"]


def test_two_dimensions():
    plan = {name.removeprefix("block."): style for name, style in TENSOR_PARALLEL.items()}
    model = made()
    parallelize_module(model.block, square["tp"], plan)
    sharded(model, square["dp"])
    assert state(model)["block.f.down.weight"]["placements"] == ["S(0)", "S(1)"]
    same(model, train(model))


def test_state_dicts():
    model = distribute_module(made(FFN), mesh)
    held = copy.deepcopy(model.state_dict())
    train_free = {k: v.full_tensor() for k, v in held.items()}
    for p in model.parameters():
        with torch.no_grad():
            p.zero_()
    model.load_state_dict(held)
    assert all(
        (p.full_tensor() == train_free[n]).all() and p.placements == (Replicate(),)
        for n, p in model.named_parameters()
    )


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name, "ok", flush=True)
