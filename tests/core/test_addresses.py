"""Addresses: memory at `data_ptr()` holds the values, stays where it is, and lives as long as the storage."""

import ctypes
import gc
import io
import weakref

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn as nn
from functorch_lite.func import grad, vmap
from tests.support.full import FULL
from tests.support.processes import python

NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"


def read(t, dtype=np.float32):
    """A storage's memory from a tensor's first element on, as long as the tensor has elements."""
    return np.frombuffer(ctypes.string_at(t.data_ptr(), t.numel() * t.element_size()), dtype).tolist()


def test_memory_at_an_address_holds_the_values():
    x = torch.arange(12.0).reshape(3, 4)
    assert read(x) == list(range(12))
    assert read(x[1]) == [4, 5, 6, 7]
    assert read(x.t()[1:2, 2]) == [9]
    assert read(x[1, 1:].view(torch.int32), np.float32) == [5, 6, 7]
    assert read(torch.ones(2, 2) @ torch.ones(2, 2) + 1) == [3] * 4  # was pending
    assert read(torch.tensor([True, False]), np.uint8) == [1, 0]
    assert read(torch.ones(2, dtype=torch.bfloat16), np.uint16) == [0x3F80] * 2
    assert read(torch.tensor(7), np.int64) == [7]
    assert read(torch.ones(2, dtype=torch.complex64).imag, np.float32)[0] == 0


def test_addresses_say_what_shares_storage():
    x = torch.arange(6.0).reshape(2, 3)
    at = x.data_ptr()
    assert at % 64 == 0
    assert at == x.view(-1).data_ptr() == x.detach().data_ptr() == x.data.data_ptr() == x.const_data_ptr()
    assert at == nn.Parameter(x).data_ptr() == x.t().data_ptr() == x.conj().data_ptr()
    assert (
        at
        == x[1].untyped_storage().data_ptr()
        == torch.TypedStorage(wrap_storage=x.untyped_storage()).data_ptr()
    )
    offsets = [x[1], x.t()[1:], x.expand(4, 2, 3)[1, 0], x.diagonal(1), x.unfold(1, 2, 1)[0, 1]]
    assert [t.data_ptr() - at for t in offsets] == [12, 4, 0, 4, 4]
    assert x[1].view(torch.int16)[3].data_ptr() - at == 18
    for wide in (torch.float32, torch.float64):  # of one shape, with other strides
        assert torch.ones(3, 4, dtype=wide).view(torch.int16).stride() == (4 * wide.itemsize // 2, 1)
    assert torch.ones(2, dtype=torch.complex64).imag.storage_offset() == 1
    others = [x.clone(), x + 0, torch.arange(6.0), torch.empty_like(x)]
    assert len({t.data_ptr() for t in (x, *others)}) == 5
    layer = nn.Linear(3, 3)
    tied = nn.Linear(3, 3)
    tied.weight = layer.weight
    assert tied.weight.data_ptr() == layer.weight.data_ptr() != layer.bias.data_ptr()


def test_a_write_leaves_the_address_and_changes_the_memory():
    x = torch.zeros(4)
    at = x.data_ptr()
    x[1:3].add_(2)
    assert x.data_ptr() == at
    assert read(x) == [0, 2, 2, 0]
    model = nn.Linear(4, 4)
    steps = torch.optim.SGD(model.parameters(), lr=0.1)
    before = [p.data_ptr() for p in model.parameters()]
    for _ in range(4):
        steps.zero_grad()
        model(torch.ones(2, 4)).sum().backward()
        steps.step()
        for p in model.parameters():
            assert read(p) == p.detach().reshape(-1).tolist()
    assert before == [p.data_ptr() for p in model.parameters()]


def test_memory_lives_as_long_as_the_storage_and_holds_no_old_value():
    x = torch.arange(1000.0) + 1
    at, old = x.data_ptr(), weakref.ref(x._cell.value.array)
    copy = ctypes.string_at(at, 4000)
    x.mul_(2)
    x.sum().item()
    gc.collect()
    assert old() is None  # what the write replaced
    for _ in range(20):
        torch.randn(1000).sum().item()
    assert ctypes.string_at(at, 4000) == copy  # as it was when it was asked for
    part = x[10:]
    at, memory = part.data_ptr(), weakref.ref(x._cell.memory.array)
    del x
    assert read(part)[0] == 22
    del part
    gc.collect()
    assert memory() is None


def test_what_has_no_memory_has_no_address():
    assert (
        torch.empty(0).data_ptr()
        == torch.empty(0).untyped_storage().data_ptr()
        == torch.ones(2)[2:].data_ptr()
        == 0
    )
    meta = torch.ones(3, device="meta")
    assert meta.data_ptr() == meta.untyped_storage().data_ptr() == 0
    for made in (torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr()):
        with pytest.raises(RuntimeError, match=NO_STORAGE):
            made.data_ptr()


@pytest.mark.parametrize("transform", [vmap, grad])
def test_inside_a_transform_addresses_are_refused(transform):
    outside = torch.ones(3)

    def f(x):
        for ask in (x.data_ptr, (x * 2).data_ptr, x.untyped_storage().data_ptr):
            with pytest.raises(RuntimeError, match=NO_STORAGE):
                ask()
        assert read(outside) == [1, 1, 1]
        assert read(torch.ones(2) * 2) == [2, 2]
        return x.sum()

    transform(f)(torch.ones(3) if transform is grad else torch.ones(2, 3))


def test_arguments_of_a_module_with_a_full_backward_hook_are_the_same_memory():
    class Module(nn.Module):
        def forward(self, *xs):
            self.seen = [x.data_ptr() for x in xs]
            return sum(xs)

    for n in (1, 2, 3):
        module, given = Module(), [torch.ones(3, requires_grad=True) for _ in range(n)]
        module.register_full_backward_hook(lambda module, gi, go: tuple(g * 2 for g in gi))
        module(*given).sum().backward()
        assert module.seen == [x.data_ptr() for x in given]
        assert [x.grad.tolist() for x in given] == [[2.0] * 3] * n


def test_stretches_of_storages_and_files_as_storages(tmp_path):
    x = torch.arange(4, dtype=torch.uint8)
    storage = x.untyped_storage()
    part = storage[1:3]
    assert (part.tolist(), part.nbytes(), part.data_ptr() - storage.data_ptr()) == ([1, 2], 2, 1)
    assert part[1:].tolist() == [2]
    assert torch.asarray(part, dtype=torch.uint8).tolist() == [1, 2]
    shown = torch.empty(0, dtype=torch.uint8).set_(part)
    x[2] = 9
    assert shown.tolist() == [1, 9]
    with pytest.raises(
        RuntimeError, match="Trying to slice with a step of 2, but only a step of 1 is supported"
    ):
        storage[::2]
    file = tmp_path / "numbers"
    file.write_bytes(np.arange(4, dtype=np.float32).tobytes())
    mapped = torch.UntypedStorage.from_file(str(file), shared=False, nbytes=16)
    read_back = torch.asarray(mapped[4:12], dtype=torch.uint8).view(torch.float32)
    assert read_back.tolist() == [1, 2]
    assert read(read_back) == [1, 2]
    saved = io.BytesIO()
    torch.save(read_back, saved)
    saved.seek(0)
    assert torch.load(saved).tolist() == [1, 2]
    with pytest.raises(RuntimeError, match=r"size <16> is smaller than the required mapping size <32>"):
        torch.UntypedStorage.from_file(str(file), nbytes=32)
    with pytest.raises(RuntimeError, match="unable to open file"):
        torch.UntypedStorage.from_file(str(tmp_path / "none"), nbytes=1)
    with pytest.raises(NotImplementedError, match="shared"):
        torch.UntypedStorage.from_file(str(file), shared=True, nbytes=16)


BY_ADDRESS = ("data_ptr", "numpy", "set_")


def test_nothing_crashes():
    done = python("-m", "tests.crashes", *([] if FULL else BY_ADDRESS), timeout=3600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_crash_is_noticed():
    code = "import tests.crashes as c; c.call = lambda name: c.ctypes.string_at(8); print(c.scan(['x'])['x'].split()[0])"
    assert python("-c", code).stdout.strip() == "SIGSEGV"
