"""Names that public packages import: each does PyTorch's thing for one process, or refuses at the call."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import _ops
from tests.support.processes import python

ROOT = Path(__file__).parents[2]


def drop_in(code: str) -> str:
    """What a program prints with `import torch` being this library."""
    begin = "import functorch_lite.compat as c; c.install_as_torch()\nimport torch\n"
    done = python("-c", begin + textwrap.dedent(code))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def world():
    torch.distributed.init_process_group("gloo", world_size=1, rank=0)
    yield torch.distributed
    torch.distributed.destroy_process_group()
    assert not torch.distributed.is_initialized()


def test_a_world_of_one(world):
    x, out = torch.arange(3.0), [torch.zeros(3)]
    assert world.get_rank() == 0 and world.get_world_size() == 1 and world.get_backend() == "gloo"
    assert world.all_reduce(x, op=world.ReduceOp.MAX) is None and x.tolist() == [0.0, 1.0, 2.0]
    assert world.broadcast(x, 0, async_op=True).wait()
    world.all_gather(out, x)
    into = torch.zeros(3)
    world.reduce_scatter(into, out)
    assert into.tolist() == out[0].tolist() == [0.0, 1.0, 2.0]
    objects = [None]
    world.all_gather_object(objects, {"a": 1})
    assert objects == [{"a": 1}]
    world.barrier()
    assert world.new_group([0]).size() == 1 and world.group.WORLD.rank() == 0
    with pytest.raises(ValueError, match="there is no other process"):
        world.send(x, 1)
    with pytest.raises(ValueError, match="twice"):
        world.init_process_group("gloo")
    with pytest.raises(ValueError, match="one entry for each process"):
        world.all_gather([x, x], x)


def test_data_parallel_on_one_process(world):
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 3))
    with model.no_sync():
        model(torch.ones(1, 2)).sum().backward()
    assert (
        list(model.state_dict()) == ["module.weight", "module.bias"] and model.module.weight.grad is not None
    )
    with pytest.raises(NotImplementedError, match="register_comm_hook"):
        model.register_comm_hook(None, None)

    class Counts(torch.distributed.algorithms.join.JoinHook):
        ended = 0

        def post_hook(self, is_last_joiner):
            Counts.ended += is_last_joiner

    class Thing(torch.distributed.algorithms.join.Joinable):
        join_device = join_process_group = None

        def __init__(self):
            super().__init__()

        def join_hook(self, **kwargs):
            return Counts()

    with torch.distributed.algorithms.join.Join([Thing()]):
        pass
    assert Counts.ended == 1


def test_groups_need_a_world():
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        torch.distributed.barrier()
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 3))


def test_contexts_of_others_decorate():
    from functorch_lite.utils._contextlib import (
        _DecoratorContextManager,
        _NoParamDecoratorContextManager,
        context_decorator,
    )

    inside = []

    class Noted(_NoParamDecoratorContextManager):
        def __enter__(self):
            inside.append(self)

        def __exit__(self, *exc):
            inside.pop()

    @Noted
    def depth():
        return len(inside)

    @Noted()
    def depths():
        yield len(inside)
        yield len(inside)

    assert depth() == 1 and list(depths()) == [1, 1] and inside == []
    assert isinstance(torch.no_grad(), _DecoratorContextManager)
    assert context_decorator(lambda: Noted(), lambda: len(inside))() == 1
    with pytest.raises(AssertionError, match="can be called as well"):
        context_decorator(torch.no_grad(), depth)
    with pytest.raises(RuntimeError, match="Cannot decorate classes"):
        context_decorator(lambda: Noted(), Noted)


def test_what_packages_ask_of_running_transforms():
    from functorch_lite import _C
    from functorch_lite._functorch import vmap as vmaps

    seen = []

    def asked(x):
        seen.append((_C._are_functorch_transforms_active(), vmaps.is_batchedtensor(x)))
        with pytest.raises(ValueError, match="can not return a BatchedTensor when out_dim is None"):
            vmaps._maybe_remove_batch_dim("f", x, 1, 3, None)
        return x * 2

    x = torch.arange(3.0)
    torch.vmap(asked)(x)
    assert seen == [(True, True)] and not _C._are_functorch_transforms_active()
    assert vmaps._maybe_remove_batch_dim("f", x, 1, 3, None) is x
    assert _C._is_alias_of(x, x[1:]) and not _C._is_alias_of(x, x.clone())
    with pytest.raises(NotImplementedError, match="no tensor is wrapped"):
        vmaps._add_batch_dim(x, 0, 1)


def test_containers_with_batches_of_their_own():
    from functorch_lite.utils import _pytree

    class Batched:
        def __init__(self, x):
            self.x = x

        def _add_batch_dim(self, in_dim, vmap_level):
            raise AssertionError

    _pytree.register_pytree_node(Batched, lambda b: ([b.x], None), lambda children, _: Batched(*children))
    one = Batched(torch.arange(6.0).reshape(2, 3))
    assert torch.vmap(lambda b: b.x.sum())(one).tolist() == [3.0, 12.0]
    with pytest.raises(NotImplementedError, match="in_dims other than 0 map over a Batched"):
        torch.vmap(lambda b: b.x.sum(), in_dims=-1)(one)
    with pytest.raises(NotImplementedError, match="the function returns a Batched"):
        torch.vmap(lambda b: b)(one)


def test_tensors_that_wrap_others():
    from functorch_lite.utils import _python_dispatch

    class Wraps(torch.Tensor):
        def __tensor_flatten__(self):
            return [], None

        @staticmethod
        def __tensor_unflatten__(tensors, context, size, stride):
            raise AssertionError

    assert _python_dispatch.is_traceable_wrapper_subclass_type(Wraps)
    assert not _python_dispatch.is_traceable_wrapper_subclass(torch.ones(2))
    with pytest.raises(NotImplementedError, match="no dispatcher"):
        _python_dispatch.return_and_correct_aliasing()


FOREACH = {
    "add": ([1.0, 2.0], {"alpha": 2.0}), "mul": (3.0, {}), "div": ([2.0, 4.0], {}), "pow": (2, {}), "maximum": (1.5, {}), "clamp_max": (1.5, {}), "sub": (0.5, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREACH)
def test_functions_of_lists(name):
    other, named = FOREACH[name]
    lists = [torch.tensor([1.0, 2.0]), torch.tensor([3.0])]
    each = other if isinstance(other, list) else [other] * 2
    one = {"maximum": "clamp_min"}.get(name, name)
    expected = [getattr(torch, one)(t, x, **named) for t, x in zip(lists, each)]
    if name == "add":
        other = each = [torch.tensor(x) for x in other]
    got = getattr(torch, f"_foreach_{name}")(lists, other, **named)
    assert all(torch.equal(a, b) for a, b in zip(got, expected))
    assert getattr(torch, f"_foreach_{name}_")(lists, other, **named) is None
    assert all(torch.equal(a, b) for a, b in zip(lists, expected))


def test_other_functions_of_lists():
    a, b = [torch.ones(2), torch.ones(3)], [torch.full((2,), 2.0), torch.full((3,), 4.0)]
    assert [t.tolist() for t in torch._foreach_addcdiv(a, a, b, [1.0, 2.0])] == [[1.5] * 2, [1.5] * 3]
    assert [t.tolist() for t in torch._foreach_lerp(a, b, 0.5)] == [[1.5] * 2, [2.5] * 3]
    np.testing.assert_allclose([t.item() for t in torch._foreach_norm(b)], [8**0.5, 48**0.5], rtol=1e-6)
    torch._foreach_zero_(a)
    assert a[1].tolist() == [0.0] * 3
    with pytest.raises(RuntimeError, match="same number of tensors, got 2 and 1"):
        torch._foreach_add(a, b[:1])
    with pytest.raises(AttributeError):
        torch._foreach_nothing  # noqa: B018


def test_aten_ops_by_their_overloads():
    aten = _ops.aten
    x = torch.tensor([[1.0, -2.0]])
    assert aten.add.Tensor(x, x).tolist() == [[2.0, -4.0]] and aten.relu.default(x).tolist() == [[1.0, 0.0]]
    assert aten.mm(x, x.t()).item() == 5.0 and aten.sum.dim_IntList(x, [1]).tolist() == [-1.0]
    assert (
        "Scalar" in aten.add.overloads()
        and str(aten.add.Tensor) == "aten.add.Tensor"
        and aten.add.Tensor.name() == "aten::add.Tensor"
    )
    assert (
        aten.add.Tensor is aten.add.Tensor
        and aten.linalg_inv.default(torch.eye(2)).tolist() == torch.eye(2).tolist()
    )
    with pytest.raises(AttributeError, match="has no overload name 'Nothing'"):
        aten.add.Nothing  # noqa: B018
    with pytest.raises(AttributeError, match="'_OpNamespace' 'aten' object has no attribute 'nothing'"):
        aten.nothing  # noqa: B018


@pytest.mark.parity
def test_every_aten_op_is_pytorchs():
    import torch as real

    for name, (_, overloads) in _ops._listed().items():
        assert set(overloads) <= set(getattr(real.ops.aten, name).overloads()), name
        assert callable(getattr(_ops.aten, name)._fn), name


def test_an_op_of_the_users():
    library = torch.library

    @library.custom_op("tests::sine", mutates_args=())
    def sine(x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        return torch.from_numpy(np.sin(x.numpy()) * np.float32(scale))

    x = torch.ones(3, requires_grad=True)
    np.testing.assert_allclose(sine(x, 2.0).detach(), 2 * np.sin(1), rtol=1e-6)
    with pytest.raises(RuntimeError, match=r"tests::sine but no autograd formula was registered"):
        sine(x).sum().backward()

    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.scale = inputs[1]

    library.register_autograd(
        "tests::sine", lambda ctx, g: (g * ctx.saved_tensors[0].cos() * ctx.scale, None), setup_context=setup
    )
    sine(x, scale=3.0).sum().backward()
    np.testing.assert_allclose(x.grad, 3 * np.cos(1), rtol=1e-6)
    np.testing.assert_allclose(torch.func.grad(lambda x: sine(x).sum())(torch.ones(2)), np.cos(1), rtol=1e-6)

    @library.register_vmap("tests::sine")
    def batched(info, in_dims, x, scale):
        return sine(x, scale), in_dims[0]

    np.testing.assert_allclose(torch.vmap(sine)(torch.ones(2, 3)), np.sin(1), rtol=1e-6)
    sine.register_fake(lambda x, scale=1.0: torch.empty_like(x))
    assert sine(torch.ones(4, device="meta")).shape == (4,)
    assert _ops.tests.sine.default(torch.zeros(1)).item() == 0.0
    with pytest.raises(ValueError, match="namespace::name"):
        library.custom_op("sine", mutates_args=())(lambda x: x)

    @library.custom_op("tests::fill", mutates_args=("x",))
    def fill(x: torch.Tensor) -> None:
        x.fill_(3.0)

    target = torch.zeros(2)
    fill(target)
    assert target.tolist() == [3.0, 3.0]
    lib = library.Library("tests", "FRAGMENT")
    lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", lambda x: 2 * x, "CPU")
    assert _ops.tests.twice(torch.ones(1)).item() == 2.0


def test_a_repository_in_a_folder(tmp_path):
    (tmp_path / "hubconf.py").write_text(
        "dependencies = ['numpy']\nfrom helper import size\ndef net(width):\n    'A net.'\n    import functorch_lite as torch\n    return torch.nn.Linear(width, size)\n"
    )
    (tmp_path / "helper.py").write_text("size = 5\n")
    hub = torch.hub
    assert hub.load(str(tmp_path), "net", 3, source="local").weight.shape == (5, 3)
    assert (
        hub.list(str(tmp_path), source="local") == ["net"]
        and hub.help(str(tmp_path), "net", source="local") == "A net."
    )
    with pytest.raises(RuntimeError, match="Cannot find callable other"):
        hub.load(str(tmp_path), "other", source="local")
    with pytest.raises(NotImplementedError, match=r"Download https://a.b/c\.pth to"):
        hub.load_state_dict_from_url("https://a.b/c.pth", model_dir=str(tmp_path))
    torch.save({"w": torch.ones(2)}, tmp_path / "c.pth")
    assert hub.load_state_dict_from_url("https://a.b/c.pth", model_dir=str(tmp_path))["w"].tolist() == [
        1.0,
        1.0,
    ]


def test_questions_and_refusals():
    assert (
        not torch.onnx.is_in_onnx_export() and not torch.xpu.is_available() and not torch.mps.is_available()
    )
    assert "JAX" in torch.__config__.show()
    assert isinstance(torch.ones(2, 2).max(0), torch.return_types.max)
    assert torch._C._get_tracing_state() is None and torch._C._log_api_usage_once("x") is None
    torch._assert(True, "fine")
    with pytest.raises(AssertionError, match="not fine"):
        torch._assert(torch.tensor(False), "not fine")


def test_helpers_of_distributions():
    from functorch_lite.distributions.multivariate_normal import _batch_mahalanobis, _precision_to_scale_tril
    from functorch_lite.distributions.utils import _standard_normal

    assert _standard_normal((2, 3), torch.float64, "cpu").dtype is torch.float64
    precision = torch.tensor([[4.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(_precision_to_scale_tril(precision), [[0.5, 0.0], [0.0, 1.0]], atol=1e-6)
    np.testing.assert_allclose(_batch_mahalanobis(2 * torch.eye(2), torch.tensor([2.0, 2.0])), 2.0, rtol=1e-6)


def test_names_of_functorchs_own_tests():
    from functorch_lite._functorch.eager_transforms import _slice_argnums
    from functorch_lite._functorch.make_functional import functional_init, functional_init_with_buffers
    from functorch_lite._functorch.vmap import reshape_dim_into, reshape_dim_outof, restore_vmap

    weights, fn, names = functional_init(torch.nn.Linear, (3,))(4, 2)
    assert weights[0].shape == (3, 2, 4) and names == ("weight", "bias")
    assert torch.vmap(fn, (0, None))(weights, torch.ones(1, 4)).shape == (3, 1, 2)
    assert len(functional_init_with_buffers(torch.nn.BatchNorm1d)(3)) == 5
    x = torch.arange(24).reshape(2, 3, 4)
    assert reshape_dim_into(0, 1, x).tolist() == x.movedim(0, 1).reshape(3, 8).tolist()
    assert reshape_dim_outof(-1, 2, x).shape == (2, 3, 2, 2)
    assert _slice_argnums((1, 2, 3), (0, -1)) == (1, 3)
    out, dims = restore_vmap(lambda x: x * 2, (0,), 3, "error")(torch.ones(3))
    assert out.tolist() == [2.0] * 3 and dims == 0


def test_the_drop_in_has_them():
    printed = drop_in(
        """
        import torch.multiprocessing, torch.onnx, torch.hub, torch.library, torch._jit_internal, torch.distributed.algorithms.join
        from torch.ops import aten
        from torch.utils.data._utils.collate import default_collate
        from torch.serialization import MAP_LOCATION
        from torch.utils.hooks import BackwardHook
        from torch._tensor import Tensor
        print(torch.ops.aten.add.Tensor(torch.ones(1), 1).item(), torch.torch.Tensor is torch.Tensor)
        """
    )
    assert printed == "2.0 True\n"


def test_processes_that_are_spawned(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import torch, torch.multiprocessing as mp
            def work(i, queue):
                queue.put((i, torch.ones(2) * i))
            def fails(i):
                raise ValueError("of process")
            if __name__ == "__main__":
                queue = mp.get_context("spawn").SimpleQueue()
                mp.spawn(work, args=(queue,), nprocs=1)
                print(queue.get())
                try:
                    mp.spawn(fails, nprocs=1)
                except mp.ProcessRaisedException as error:
                    print("ValueError: of process" in str(error), error.error_index)
            """
        )
    )
    done = subprocess.run(
        [sys.executable, "-m", "functorch_lite.compat", str(script)], capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout == "(0, tensor([0., 0.]))\nTrue 0\n", done.stderr


def test_a_summary_writer(tmp_path):
    pytest.importorskip("tensorboard")
    pytest.importorskip("PIL")
    from functorch_lite.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalar("loss", torch.tensor(1.5, requires_grad=True), 0)
        writer.add_histogram("weights", torch.randn(10), 0)
        writer.add_image("image", torch.zeros(3, 4, 4), 0)
    assert writer.get_logdir() == str(tmp_path) and any(f.stat().st_size > 100 for f in tmp_path.iterdir())


def test_names_for_several_processes_refuse_at_the_call():
    printed = drop_in(
        """
        from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy
        from torch.distributed.tensor import DTensor
        from torch.distributed.elastic.multiprocessing.errors import record
        import torch.distributed.rpc, torch.backends.mkldnn, torch._subclasses.fake_tensor
        from torch.distributed.nn.functional import all_reduce
        print(isinstance(torch.ones(1), DTensor), ShardingStrategy.FULL_SHARD, torch.distributed.rpc.is_available(), record(abs)(-1))
        for refused in (lambda: FullyShardedDataParallel(torch.nn.Linear(1, 1)), torch.distributed.rpc.init_rpc):
            try:
                refused()
            except NotImplementedError as error:
                print("is not here. Use" in str(error))
        """
    )
    assert printed == "False ShardingStrategy.FULL_SHARD False 1\nTrue\nTrue\n"


def test_dicts_by_identity():
    import gc

    from functorch_lite.utils.weak import WeakIdKeyDictionary

    a, b = torch.ones(2), torch.ones(2)
    found = WeakIdKeyDictionary({a: 1})
    found[b] = 2
    assert found[a] == 1 and found[b] == 2 and len(found) == 2 and torch.ones(2) not in found
    del a
    gc.collect()
    assert list(found.values()) == [2]


def test_whether_vmap_maps_over_a_tensor():
    from functorch_lite._C._functorch import is_batchedtensor

    outside, seen = torch.ones(2), []

    def f(x):
        seen.extend([is_batchedtensor(x), is_batchedtensor(x * outside), is_batchedtensor(outside)])
        return x

    torch.vmap(f)(torch.ones(3, 2))
    assert seen == [True, True, False] and not is_batchedtensor(outside)


def test_a_batch_to_one_device_and_back():
    from functorch_lite.nn.parallel.scatter_gather import gather, scatter

    (inputs,) = scatter((torch.ones(2), "x"), ["cpu"])
    assert gather([inputs], "cpu")[0].tolist() == [1.0, 1.0] and inputs[1] == "x"
    with pytest.raises(NotImplementedError, match="several devices"):
        scatter(torch.ones(2), ["cpu", "cpu"])


def test_checks():
    torch._check(True)
    for check, error in (
        (torch._check, RuntimeError), (torch._check_index, IndexError), (torch._check_value, ValueError), (torch._check_type, TypeError),
    ):  # fmt: skip
        with pytest.raises(error, match=r"^no$"):
            check(False, lambda: "no")
    with pytest.raises(RuntimeError, match="Expected cond to be True"):
        torch._check(False)
    with pytest.raises(TypeError, match="cond must be a bool, but got a Tensor"):
        torch._check(torch.tensor(True))
    with pytest.raises(TypeError, match="message must be a callable"):
        torch._check(False, "no")
    torch._check_tensor_all(torch.ones(2) > 0)
    with pytest.raises(RuntimeError, match=r"^no$"):
        torch._check_tensor_all(torch.ones(2) > torch.tensor([0.0, 2.0]), lambda: "no")
    with pytest.warns(FutureWarning), pytest.raises(RuntimeError, match="Expected cond"):
        torch._check_is_size(3, max=2)


def test_flops():
    from functorch_lite.utils.flop_counter import FlopCounterMode

    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    with FlopCounterMode(display=False) as counter:
        model(torch.ones(3, 4)).sum().backward()
    assert counter.get_total_flops() == 672  # what PyTorch counts
    assert sum(counter.get_flop_counts()["Global"].values()) == 672
    x = torch.ones(2, 3, 8, 8, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        torch.nn.Conv2d(3, 5, 3)(x).sum().backward()
    assert counter.get_total_flops() == 58320
    assert "conv2d_backward" in counter.get_table()
    with FlopCounterMode(display=False) as counter:
        torch.nn.Sequential(model, torch.nn.Linear(2, 2))(torch.ones(3, 4)).sum().backward()
        _ = torch.vmap(model)(torch.ones(3, 4)) + torch.ones(3, 2) @ torch.ones(2, 2)
    by_module = {name: sum(ops.values()) for name, ops in counter.get_flop_counts().items()}
    assert by_module.pop("Global") == 744 + 24 + 288  # backward: 432 of the 744
    assert (
        by_module["Sequential.0.0"] == 384
        and by_module["Sequential.0.2"] == 288
        and by_module["Sequential.1"] == 72
    )
    assert "Sequential.0 " in counter.get_table() and "Sequential.0.2" not in counter.get_table()
    with pytest.raises(NotImplementedError, match="custom_mapping"):
        FlopCounterMode(custom_mapping={"x": 1})


def test_nodes_of_trees():
    from collections import namedtuple

    from functorch_lite.utils._pytree import SUPPORTED_NODES, _get_node_type

    pair = namedtuple("pair", "a b")
    for tree in ([1, [2]], (1, 2), {"a": 1}, pair(1, 2)):
        node = SUPPORTED_NODES[_get_node_type(tree)]
        children, context = node.flatten_fn(tree)
        assert node.unflatten_fn(children, context) == tree
    assert _get_node_type(pair(1, 2)) is namedtuple
    assert int not in SUPPORTED_NODES and _get_node_type(torch.ones(1)) not in SUPPORTED_NODES


def test_names_of_what_is_not_here():
    """They import, and say at the call what they would need."""
    assert "FINE" in drop_in(
        """
        import torch._custom_ops, torch.ao.quantization as q
        from torch.jit.annotations import BroadcastingList2, List
        from torch.onnx import symbolic_opset11, symbolic_helper
        from torch._C._functorch import _add_batch_dim
        from torch.types import _dtype

        for load in (lambda: torch.library.register_fake("elsewhere::op"), lambda: torch.ops.load_library("/packages/elsewhere/_C.so")):
            try:
                load()
            except (RuntimeError, OSError) as error:
                assert "does not exist" in str(error) or "Could not load" in str(error)
            else:
                raise AssertionError(load)

        @torch.library.register_fake("elsewhere::op")
        def fake(x):
            return x

        x = torch.ones(2)
        assert q.QuantStub()(x) is x
        autocast = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU) | torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
        assert autocast.has(torch._C.DispatchKey.CPU)
        for refused in (
            lambda: q.convert(torch.nn.Linear(1, 1), is_reference=True), lambda: symbolic_opset11.squeeze, lambda: _add_batch_dim(x, 0, 1),
            lambda: torch.ops.elsewhere.op(x), lambda: torch._C._ExcludeDispatchKeyGuard(autocast),
        ):
            try:
                refused()
            except NotImplementedError as error:
                assert str(error)
            else:
                raise AssertionError(refused)
        print("FINE")
        """
    )
