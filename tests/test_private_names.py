"""Names of PyTorch's that begin with an underscore, or are of parts that are not here, and that packages use: they do
what PyTorch's do."""

from __future__ import annotations

import copy
import enum
import importlib

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn


def module(name: str):
    return importlib.import_module(f"functorch_lite.{name}")


@pytest.mark.parametrize("name", [f"{u}int{n}" for u in ("", "u") for n in range(1, 8)])
def test_dtypes_of_few_bits_are_names(name):
    d = getattr(torch, name)
    assert (repr(d), d.itemsize, d.is_floating_point, d.is_signed) == (
        f"torch.{name}",
        1,
        False,
        name[0] == "i",
    )
    with pytest.raises(NotImplementedError, match="a name alone"):
        torch.zeros(2, dtype=d)


def test_devices_of_other_kinds_are_names():
    assert repr(torch.device("mps", 0)) == "device(type='mps', index=0)"
    assert torch.device("xpu") == torch.device("xpu") != torch.device("xpu:1")
    with pytest.raises(NotImplementedError, match="no backend"):
        torch.ones(2, device="mps")
    with pytest.raises(RuntimeError, match="at start of device string: foo"):
        torch.device("foo")


def test_parse_to():
    parse = module("_C._nn")._parse_to
    cpu, meta = torch.device("cpu"), torch.device("meta")
    assert parse("cpu") == (cpu, None, False, None)
    assert parse(torch.float32) == (None, torch.float32, False, None)
    assert parse(torch.ones(2, dtype=torch.float64)) == (cpu, torch.float64, False, None)
    assert parse(meta, torch.float16, non_blocking=True, memory_format=torch.channels_last) == (
        meta, torch.float16, True, torch.channels_last,
    )  # fmt: skip
    assert parse(device="cpu", dtype=torch.int32) == (cpu, torch.int32, False, None)
    assert parse() == parse(None) == (None, None, False, None)
    with pytest.raises(RuntimeError, match="does not accept copy"):
        parse("cpu", torch.float32, True, True)
    with pytest.raises(TypeError):
        parse("cpu", foo=1)


def test_sparse_ops_of_aten():
    aten = module("_ops").namespace("aten")
    a = torch.tensor([[1.0, 2.0], [3.0, 0.0]])
    other = torch.tensor([[1.0, 5.0], [2.0, 1.0]])
    assert (
        aten._sparse_addmm(other, a.to_sparse(), other, beta=2).tolist() == (2 * other + a @ other).tolist()
    )
    out, where = aten._sparse_mm_reduce_impl(a.to_sparse_csr(), other, "sum")
    assert out.tolist() == (a @ other).tolist() and where.shape == (0,)
    assert aten._pin_memory.default is not None


def test_indices_of_sparse_matrices():
    assert torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2]), 4).tolist() == [0, 2, 2, 3, 3]
    assert torch._convert_indices_from_coo_to_csr(torch.tensor([0]), 1, out_int32=True).dtype is torch.int32
    pair = torch._convert_indices_from_csr_to_coo(
        torch.tensor([0, 2, 2, 3]), torch.tensor([1, 0, 1]), transpose=True
    )
    assert pair.tolist() == [[1, 0, 1], [0, 0, 2]] and pair.dtype is torch.int64


def test_how_tensors_are_printed():
    text = module("_tensor_str")
    assert text._str(torch.ones(2)) == "tensor([1., 1.])"
    assert text._add_suffixes("T([1, 2]", ["nnz=2"], 2, False) == "T([1, 2], nnz=2)"


def test_reparametrized_modules():
    m = nn.Linear(1, 1, bias=False)
    before = m.weight
    with module("nn.utils.stateless")._reparametrize_module(m, {"weight": torch.full((1, 1), 3.0)}):
        assert m(torch.ones(1)).tolist() == [3.0]
    assert m.weight is before
    with (
        pytest.raises(RuntimeError, match="Unexpected"),
        module("nn.utils.stateless")._reparametrize_module(m, {"other": before}, strict=True),
    ):
        pass


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_gradients_of_each_sample(reduction):
    m = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    x = torch.randn(4, 2)
    call = module("nn.utils._per_sample_grad").call_for_per_sample_grads(m, loss_reduction=reduction)
    getattr(call(x), reduction)().backward()
    for k in range(4):
        other = copy.deepcopy(m)
        other(x[k : k + 1]).sum().backward()
        for p, q in zip(m.parameters(), other.parameters()):
            np.testing.assert_allclose(p.grad_sample[k].numpy(), q.grad.numpy(), rtol=1e-5, atol=1e-6)
            assert p.grad is None
    with pytest.raises(RuntimeError, match="batch sizes"):
        module("nn.utils._per_sample_grad").call_for_per_sample_grads(m, batch_size=3)(x)


def test_small_ones():
    assert module("_dynamo.eval_frame").OptimizedModule is module("_dynamo").OptimizedModule
    tolerances = module("testing._comparison").get_tolerances
    assert tolerances(torch.float32, torch.float64, rtol=None, atol=None) == (1.3e-6, 1e-5)
    with pytest.raises(ValueError, match="no atol"):
        tolerances(torch.float32, rtol=1.0, atol=None)
    assert torch.Future is torch.futures.Future
    assert isinstance(torch.ones(2).untyped_storage(), torch.StorageBase)
    assert torch.jit._overload(test_small_ones) is test_small_ones
    assert module("fx._symbolic_trace").compatibility is module("fx._compatibility").compatibility
    is_on = module("_C")._is_torch_function_mode_enabled
    with torch.overrides.TorchFunctionMode():
        assert is_on()
    assert not is_on()
    assert not torch.distributed._rank_not_in_group(None)
    assert torch.distributed._rank_not_in_group(torch.distributed.GroupMember.NON_GROUP_MEMBER)
    choices = module("distributed.fsdp.api").ShardingStrategy
    assert issubclass(choices, enum.Enum) and choices.FULL_SHARD.value == 1 and len(choices) == 5


def test_inside_of_jagged_tensors():
    n = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(1, 3)], layout=torch.jagged)
    assert n._offsets.tolist() == [0, 2, 3] and n._lengths is None
    names, meta = n.__tensor_flatten__()
    again = type(n).__tensor_unflatten__({k: getattr(n, k) for k in names}, meta, n.shape, None)
    assert again.shape == n.shape and (again + n).values().tolist() == [[2.0] * 3] * 3


def test_ops_of_functions():
    ops = module("_ops")
    with pytest.raises(TypeError, match="abstract"):
        ops.HigherOrderOperator("name")  # as in PyTorch

    class Twice(ops.HigherOrderOperator):
        def __init__(self):
            super().__init__("twice_in_a_test")

        def __call__(self, f, x):
            return f(f(x))

    op = Twice()
    assert op(lambda x: 2 * x, torch.ones(1)).tolist() == [4.0]
    assert (str(op), op.name(), op.namespace) == ("twice_in_a_test", "twice_in_a_test", "higher_order")
    assert ops.higher_order.twice_in_a_test is op
    with pytest.raises(NotImplementedError, match="no dispatcher"):
        op.py_impl("key")


def test_flat_weights_can_be_set():
    m = nn.LSTM(2, 3)
    x = torch.randn(4, 1, 2)
    other = nn.LSTM(2, 3)
    m._flat_weights = other._flat_weights
    torch.testing.assert_close(m(x)[0], other(x)[0])
    m._flat_weights = [2 * w for w in other._flat_weights]
    assert not list(m.parameters()) and m(x)[0].requires_grad
    with pytest.raises(RuntimeError, match="4 weights are expected"):
        m._flat_weights = []


def test_datapipes():
    pipes = module("utils.data.datapipes.datapipe")
    functional_datapipe = module("utils.data.datapipes._decorator").functional_datapipe

    class Numbers(pipes.IterDataPipe):
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            yield from range(self.n)

    @functional_datapipe("times_in_a_test")
    class Times(pipes.IterDataPipe):
        def __init__(self, source, k=2):
            self.source, self.k = source, k

        def __iter__(self):
            return (self.k * x for x in self.source)

    pipe = Numbers(3)
    assert list(pipe.times_in_a_test(k=3)) == [0, 3, 6] and list(pipe) == [0, 1, 2]
    assert isinstance(pipe, torch.utils.data.IterableDataset)
    assert [b.tolist() for b in torch.utils.data.DataLoader(pipe, batch_size=2)] == [[0, 1], [2]]
    first, second = iter(pipe), iter(pipe)
    assert next(first) == 0 and next(second) == 0
    with pytest.raises(RuntimeError, match="has been invalidated"):
        next(first)
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        pipe.nope  # noqa: B018
    with pytest.raises(Exception, match="already taken"):
        functional_datapipe("times_in_a_test")(Times)
    with pytest.raises(TypeError, match="can only decorate"):
        functional_datapipe("other")(int)


def test_asking_for_what_is_missing_is_cheap():
    """Its message, which takes a search of all names, is put together once."""
    import timeit

    from functorch_lite.api_names import what_is_missing

    hasattr(torch.ones(1), "surely_missing")
    before = what_is_missing.cache_info().misses
    assert not any(hasattr(x, "surely_missing") for x in (torch.ones(1), torch.ones(2)))
    assert what_is_missing.cache_info().misses == before
    assert timeit.timeit(lambda: hasattr(torch, "surely_missing"), number=1000) < 0.5
