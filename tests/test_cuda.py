"""torch.cuda, torch.cpu, torch.Stream and torch.Event where there is no GPU (observed in PyTorch 2.13), and with one
that is made up."""

from __future__ import annotations

from collections import OrderedDict

import pytest

import functorch_lite as torch
from functorch_lite._core.words import device as devices
from functorch_lite._core.words.errors import as_torchs
from functorch_lite.cuda import devices as gpus

no_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")


@no_gpu
@pytest.mark.parametrize(
    "name",
    ["current_device", "current_stream", "default_stream", "get_device_capability", "get_device_name", "get_device_properties",
     "get_rng_state", "init", "initial_seed", "mem_get_info", "memory_summary", "synchronize"],
)  # fmt: skip
def test_what_needs_a_gpu_says_so(name):
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        getattr(torch.cuda, name)()


@no_gpu
def test_without_a_gpu_there_is_nothing_to_count():
    cuda = torch.cuda
    for count in ("device_count", "max_memory_allocated", "max_memory_cached", "max_memory_reserved", "memory_allocated",
                  "memory_cached", "memory_reserved"):  # fmt: skip
        assert getattr(cuda, count)() == 0
    assert cuda.memory_stats() == OrderedDict() and cuda.memory_stats_as_nested_dict() == {}
    assert cuda.get_arch_list() == [] and cuda.get_rng_state_all() == [] and cuda.default_generators == ()
    assert not (
        cuda.is_available() or cuda.is_initialized() or cuda.is_bf16_supported() or cuda.is_tf32_supported()
    )


@no_gpu
def test_without_a_gpu_nothing_is_changed():
    before = torch.get_rng_state().tolist()
    for done in (
        torch.cuda.manual_seed(3), torch.cuda.manual_seed_all(3), torch.cuda.seed(), torch.cuda.seed_all(), torch.cuda.empty_cache(),
        torch.cuda.set_rng_state(torch.zeros(16, dtype=torch.uint8)), torch.cuda.set_rng_state_all([]), torch.cuda.set_device(-1),
        torch.cuda.set_stream(None), torch.cuda.reset_peak_memory_stats(),
    ):  # fmt: skip
        assert done is None
    assert torch.get_rng_state().tolist() == before
    with torch.cuda.device(-1), torch.cuda.device_of(torch.ones(1)), torch.cuda.stream(None):
        pass
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        torch.cuda.device("cpu")
    with pytest.raises(RuntimeError, match="dummy base class Event"):
        torch.cuda.Event()
    with pytest.raises(RuntimeError, match="requires CUDA support"):
        torch.cuda.Stream()
    with pytest.raises(TypeError, match=r"type torch\.cuda\.FloatTensor not available"):
        torch.cuda.FloatTensor(2)
    assert not isinstance(torch.ones(1), torch.cuda.FloatTensor) and isinstance(
        torch.ones(1), torch.FloatTensor
    )
    with pytest.raises(RuntimeError, match="JAX sees no GPU"):
        torch.ones(1).type(torch.cuda.FloatTensor)


def test_streams_of_the_cpu():
    with torch.Stream("cpu") as s:
        y = torch.ones(2) + 1
    assert s.query() and s == torch.Stream("cpu") and y.tolist() == [2.0, 2.0]
    s.wait_stream(s)
    event = torch.Event("cpu")
    assert event.query() and event.synchronize() is None
    with pytest.raises(RuntimeError, match="cpu backend doesn't support events"):
        s.record_event(event)
    with torch.cpu.stream(torch.cpu.current_stream()) as inner:
        assert inner is None
    assert torch.cpu.Event().query() and torch.cpu.Stream().record_event() is None
    assert torch.get_device_module("cpu") is torch.cpu and torch.get_device_module("cuda") is torch.cuda
    with pytest.raises(RuntimeError, match="Device 'meta' does not have a corresponding module"):
        torch.get_device_module("meta")
    with pytest.raises(RuntimeError, match="Invalid value of device '0'"):
        torch.get_device_module(0)


class MadeUp:
    """What JAX says of a GPU."""

    device_kind, compute_capability, core_count = "NVIDIA H200", "9.0", 132

    def memory_stats(self):
        return {
            "bytes_in_use": 10,
            "peak_bytes_in_use": 30,
            "bytes_limit": 100,
            "num_allocs": 4,
            "pool_bytes": 50,
        }


@pytest.fixture
def a_gpu(monkeypatch):
    found = devices.device("cuda", 0)
    for module, name, value in (
        (devices, "is_available", lambda kind: True), (devices, "resolve", lambda d: found),
        (devices, "jax_device", lambda d: MadeUp()), (gpus, "device_count", lambda: 1),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    return found


def test_what_is_known_of_a_gpu(a_gpu):
    cuda = torch.cuda
    assert cuda.get_device_name() == "NVIDIA H200" and cuda.get_device_capability("cuda:0") == (9, 0)
    assert tuple(cuda.get_device_properties(0)) == ("NVIDIA H200", 9, 0, 100, 132)
    assert cuda.get_arch_list() == ["sm_90"] and cuda.is_bf16_supported(False) and cuda.is_tf32_supported()
    assert (cuda.memory_allocated(), cuda.max_memory_allocated(), cuda.memory_reserved()) == (10, 30, 50)
    assert cuda.mem_get_info() == (90, 100)
    assert cuda.memory_stats_as_nested_dict()["allocated_bytes"] == {"all": {"current": 10, "peak": 30}}
    assert "allocated_bytes.all.peak" in cuda.memory_summary()
    with pytest.raises(NotImplementedError, match=r"XLA does not count reserved_bytes\.all\.peak"):
        cuda.max_memory_reserved()
    with pytest.warns(UserWarning, match="from the start of the process"):
        cuda.reset_peak_memory_stats()


def test_memory_that_runs_out():
    with pytest.raises(torch.OutOfMemoryError, match="you tried to allocate 4000000000000000 bytes"):
        torch.ones(10**15).numpy()
    for kind in (RuntimeError, ValueError):  # jit's fast path raises the latter
        assert isinstance(as_torchs(kind("RESOURCE_EXHAUSTED: Out of memory")), torch.OutOfMemoryError)
    assert torch.cuda.OutOfMemoryError is torch.OutOfMemoryError and issubclass(
        torch.OutOfMemoryError, RuntimeError
    )
    assert (torch.ones(2) + 1).tolist() == [2.0, 2.0]


def test_names_of_the_torch_namespace():
    assert torch.default_generator is torch.random.default_generator
    assert (
        torch.legacy_contiguous_format is torch.contiguous_format
        and repr(torch.sparse_bsr) == "torch.sparse_bsr"
    )
    assert torch.jagged is not torch.strided is torch.ones(1).layout
    assert not isinstance(torch.ones(2).shape[0], torch.SymInt)
    with pytest.raises(TypeError, match="sizes are plain Python numbers here"):
        torch.SymInt(3)
    x = torch.zeros(2, requires_grad=True)
    assert x.grad_dtype is torch.float32
    with pytest.raises(RuntimeError, match="only be accessed on leaf tensors"):
        (x * 2).grad_dtype  # noqa: B018
    with pytest.raises(NotImplementedError, match="cast it after backward"):
        x.grad_dtype = torch.float64
    t, other = torch.zeros(2), torch.ones(2)
    assert t.module_load(other) is not t and t.tolist() == [1.0, 1.0]
    assert t.module_load(other, assign=True) is not other


def test_the_sampler_of_several_processes():
    """Shares of equal length that together cover the dataset; PyTorch's own for 5 indices and 3 processes."""
    sampler = torch.utils.data.DistributedSampler
    assert [list(sampler(range(5), 3, r, shuffle=False)) for r in range(3)] == [[0, 3], [1, 4], [2, 0]]
    assert [list(sampler(range(5), 3, r, shuffle=False, drop_last=True)) for r in range(3)] == [[0], [1], [2]]
    assert [list(sampler(range(1), 3, r, shuffle=False)) for r in range(3)] == [[0], [0], [0]]
    shares = [sampler(range(6), 2, r) for r in range(2)]
    first = [list(s) for s in shares]
    assert sorted(first[0] + first[1]) == list(range(6)) and [list(s) for s in shares] == first
    for s in shares:
        s.set_epoch(1)
    assert sorted([*shares[0], *shares[1]]) == list(range(6)) and len(shares[0]) == 3
    with pytest.raises(ValueError, match="Invalid rank 2, rank should be in the interval"):
        sampler(range(5), 2, 2)
