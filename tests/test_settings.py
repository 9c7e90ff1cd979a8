"""Settings of the torch namespace: what they change, and what they say when they cannot."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import jax
import pytest

import functorch_lite as torch
from functorch_lite._core.lazy.applied import _applied
from functorch_lite._core.run import executor, program


@pytest.mark.programs
def test_matmul_precision():
    a = torch.ones(2, 2)
    (a @ a).sum().item()
    try:
        torch.set_float32_matmul_precision("medium")
        assert torch.get_float32_matmul_precision() == "medium"
        before = torch.debug.stats()["programs"]
        (a @ a).sum().item()
        assert torch.debug.stats()["programs"] == before + 1
    finally:
        torch.set_float32_matmul_precision("highest")
    with pytest.warns(UserWarning, match="not one of 'highest', 'high', or 'medium'"):
        torch.set_float32_matmul_precision("low")
    assert torch.get_float32_matmul_precision() == "highest"


def precisions_of(call) -> set[str]:
    """The precisions that the products of a call were traced with."""
    executor.forget_programs()
    call()
    return set(re.findall(r"Precision\.(\w+)", " ".join(str(a.jaxpr) for a in _applied.values())))


PRODUCTS = {
    "matmul": lambda a: a @ a,
    "mv": lambda a: torch.mv(a, a[0]),
    "tensordot": lambda a: torch.tensordot(a, a, 1),
    "einsum": lambda a: torch.einsum("ij,jk,ki->i", a, a, a),
    "linear": lambda a: torch.nn.functional.linear(a, a),
    "bmm, backward": lambda a: torch.bmm(a[None], a.clone().requires_grad_()[None]).sum().backward(),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_every_product_has_the_precision_that_is_set(name):
    a = torch.rand(3, 3)
    assert precisions_of(lambda: PRODUCTS[name](a)) == {"HIGHEST"}
    try:
        torch.backends.cuda.matmul.allow_tf32 = True
        assert torch.get_float32_matmul_precision() == "high"
        assert precisions_of(lambda: PRODUCTS[name](a)) == {"HIGH"}
    finally:
        torch.backends.cuda.matmul.allow_tf32 = False
    assert torch.get_float32_matmul_precision() == "highest"
    with pytest.raises(RuntimeError, match="expects a bool, but got int"):
        torch.backends.cuda.matmul.allow_tf32 = 1


def test_convolutions_have_a_precision_of_their_own():
    def call():  # of integers, which XLA computes on the CPU as on a GPU
        x, w = torch.ones(1, 1, 4, 4, dtype=torch.int64), torch.ones(1, 1, 2, 2, dtype=torch.int64)
        torch.nn.functional.conv2d(x, w), torch.nn.functional.conv_transpose2d(x, w)

    assert torch.backends.cudnn.allow_tf32 and precisions_of(call) == {"HIGH"}
    with torch.backends.cudnn.flags(allow_tf32=False):
        assert not torch.backends.cudnn.allow_tf32 and precisions_of(call) == {"HIGHEST"}
    assert torch.backends.cudnn.allow_tf32 and precisions_of(call) == {"HIGH"}
    with pytest.raises(RuntimeError, match="expects a bool, but got int"):
        torch.backends.cudnn.allow_tf32 = 1


def test_deterministic_algorithms():
    try:
        torch.use_deterministic_algorithms(True, warn_only=True)
        assert torch.are_deterministic_algorithms_enabled() and torch.get_deterministic_debug_mode() == 1
        torch.set_deterministic_debug_mode("error")
        assert not torch.is_deterministic_algorithms_warn_only_enabled()
        options = program.compiler_options(torch.device("cuda", 0), [])
        assert options == {"xla_gpu_deterministic_ops": True, "xla_allow_excess_precision": False}
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.get_deterministic_debug_mode() == 0
    assert program.compiler_options(torch.device("cuda", 0), []) == {"xla_allow_excess_precision": False}
    with pytest.raises(RuntimeError, match="expected one of `default`, `warn`, `error`, but got x"):
        torch.set_deterministic_debug_mode("x")


def test_threads():
    jax.devices()  # XLA has started
    torch.set_num_threads(torch.get_num_threads())
    with pytest.warns(UserWarning, match="has no effect: XLA made .* Start Python with NPROC="):
        torch.set_num_threads(torch.get_num_threads() + 1)
    with pytest.raises(RuntimeError, match="set_num_threads expects a positive integer"):
        torch.set_num_threads(0)


THREADS = """
import os, threading
import functorch_lite as torch
torch.set_num_threads(int(os.environ["ASKED"]))
x = torch.ones(1500, 1500)
with torch.debug.tier("compiled"):
    (x.tanh().exp().sin() @ x).sum().item()
names = [open(f"/proc/self/task/{t}/comm").read().strip() for t in os.listdir("/proc/self/task")]
print(torch.get_num_threads(), names.count("tf_XLAEigen"))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads are listed by Linux")
def test_threads_that_are_set_before_xla_starts():
    for count in ("1", "3"):
        environment = {k: v for k, v in os.environ.items() if k != "NPROC"} | {"ASKED": count}
        ran = subprocess.run([sys.executable, "-c", THREADS], env=environment, capture_output=True, text=True)
        assert ran.stdout.split() == [count, count], ran.stderr


def test_symbolic_functions_of_numbers():
    assert torch.sym_max(1, 2.0) == 2.0 and torch.sym_min(2, 3) == 2 and torch.sym_int(-2.7) == -2
    assert torch.sym_ite(True, 1, 2) == 1 and torch.sym_sum([1, 2]) == 3 and torch.sym_not(False) is True


@pytest.mark.parametrize("make", [torch.zeros, torch.rand, torch.empty, torch.fft.fftfreq, torch.arange])
def test_a_layout_that_is_not_made_is_refused(make):
    assert make(3, layout=torch.strided).layout is torch.strided
    with pytest.raises(NotImplementedError, match="make the tensor, then call its to_sparse"):
        make(3, layout=torch.sparse_coo)


def test_memory_is_pinned_only_for_an_accelerator():
    if torch.cuda.is_available():
        pytest.skip("there is an accelerator")
    x = torch.ones(2)
    for make in (
        torch.zeros,
        torch.randn,
        torch.arange,
        torch.eye,
        torch.hann_window,
        torch.randperm,
        x.new_zeros,
    ):
        assert make(2, pin_memory=False).numel() >= 2
        with pytest.raises(RuntimeError, match="no pinned memory allocator"):
            make(2, pin_memory=True)
    for given in (lambda: torch.tensor([1.0], pin_memory=True), lambda: torch.rand_like(x, pin_memory=True)):
        with pytest.raises(RuntimeError, match="no pinned memory allocator"):
            given()
