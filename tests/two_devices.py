"""Run by test_devices.py in a process of its own: a second CPU device of JAX's stands for an accelerator, as
'xla:1'."""

from __future__ import annotations

import sys

import jax
import numpy as np

from functorch_lite._core import api
from functorch_lite._core.lazy import apart, applied
from functorch_lite._core.run import executor
from functorch_lite._core.words import device as devices

# which of JAX's two is torch's 'cpu': the first, or the second, as where JAX's default is a GPU
CPU_AT = int(sys.argv[1])
devices._PLATFORMS["xla"] = "cpu"
api.of_jax = devices.of_jax = lambda jd: devices.CPU if jd.id == CPU_AT else devices.device("xla", jd.id)
devices.CPU._jax = jax.devices()[CPU_AT]

import functorch_lite as torch  # noqa: E402
from functorch_lite._dynamo.utils import counters  # noqa: E402
from functorch_lite.compat import from_jax, to_jax  # noqa: E402
from tests.device_programs import PROGRAMS, outcome  # noqa: E402
from tests.support.raising import raises  # noqa: E402

assert len(jax.devices()) == 2
FAR = torch.device("xla", 1 - CPU_AT)


def test_ops_run_where_their_inputs_are():
    x = torch.arange(4.0).to(FAR)
    y = x * 2 + 1
    assert y.device == FAR and torch.ones(2, device=FAR).device == FAR
    assert y.sum().__jax_array__().devices() == {jax.devices()[1 - CPU_AT]}
    assert (torch.arange(4.0) * 2).device.type == "cpu"
    np.testing.assert_array_equal(y.cpu().numpy(), [1, 3, 5, 7])


def test_gradients_move_back():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    far = (x * 3).to(FAR)
    back = (far * far).cpu()
    (back * x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 27 * np.array([1.0, 4.0]))
    assert x.grad.device.type == "cpu"
    w = torch.tensor([1.0, 2.0], device=FAR, requires_grad=True)
    (g,) = torch.autograd.grad((w**3).cpu().sum(), w, create_graph=True)
    assert g.device == FAR
    g.sum().backward()
    np.testing.assert_allclose(w.grad.cpu().numpy(), [6.0, 12.0])


def test_wrong_devices():
    a, b = torch.ones(2), torch.ones(2, device=FAR)
    raises(RuntimeError, "Expected all tensors to be on the same device", lambda: a + b)
    assert (a + 1).sum().item() == 4 and (b + 1).sum().item() == 4
    assert (b + torch.tensor(1.0)).device == FAR  # a 0-d tensor of the CPU goes along, as in PyTorch
    raises(NotImplementedError, "inside a transform", lambda: torch.vmap(lambda t: t.to(FAR))(a))


EXTREMES = {
    "amax": lambda x: x.amax(1),
    "amin": lambda x: x.amin((0, 1)),
    "aminmax": lambda x: x.aminmax(dim=0).max,
    "max": lambda x: x.max(),
    "median": lambda x: x.median(),
    "nanmedian": lambda x: x.nanmedian(),
    "vector_norm": lambda x: torch.linalg.vector_norm(x, float("inf")),
    "matrix_norm": lambda x: torch.linalg.matrix_norm(x, -1),
    "cdist": lambda x: torch.cdist(x, x + 1, float("inf")),
    "pdist": lambda x: torch.nn.functional.pdist(x, float("inf")),
    "scatter_reduce": lambda x: x.scatter_reduce(
        0, torch.zeros(1, 4, dtype=torch.int64, device=x.device), x[1:2], "amax"
    ),
    "segment_reduce": lambda x: torch.segment_reduce(
        x[0], "max", lengths=torch.tensor([1, 3], device=x.device)
    ),
}


def test_what_is_compared_with_its_extreme_is_computed_once():
    numbers = torch.tensor([[1.0, -3.0, 2.5, 0.5], [2.0, 4.5, -0.5, -7.0], [0.25, 1.5, 3.0, -1.0]])

    def by_tape(loss, x):
        loss(x.requires_grad_()).backward()
        return x.grad

    for name, call in EXTREMES.items():
        for gradient in (by_tape, lambda loss, x: torch.func.grad(loss)(x)):
            found = []
            for where in (torch.device("cpu"), FAR):
                executor.forget_programs()
                x = numbers.clone().to(where)
                found.append(gradient(lambda x, f=call: f(x * x.sin() + x).sum(), x).cpu().numpy())
                barriers = any("optimization_barrier" in str(a.jaxpr) for a in applied._applied.values())
                assert barriers == (where is FAR), (name, where)
            np.testing.assert_allclose(*found, rtol=1e-6, err_msg=name)


def test_numbers_of_64_bits_move_whole():
    """JAX moves half of them to a GPU where it was not told of 64-bit types; between CPUs it moves all."""
    plain, told = jax.device_put, []

    def put(x, *args, **options):
        told.append(jax.config.jax_enable_x64)
        return plain(x, *args, **options)

    with torch.debug.tier("compiled"):
        number = torch.tensor(1 / 3, dtype=torch.float64) * 2
        number.item()  # a result of a program on the CPU from here on
    x = torch.ones(3, dtype=torch.float64).to(FAR)
    jax.device_put = put
    try:
        assert (x * number).tolist() == [2 / 3] * 3
    finally:
        jax.device_put = plain
    assert told and all(told)


def test_what_gpus_merge_late_has_a_kernel_of_its_own():
    called, plain = [], apart._computed_before
    apart._computed_before = lambda x: called.append(x) or plain(x)
    try:
        for where in (torch.device("cpu"), FAR):
            executor.forget_programs()
            x = torch.tensor([float("nan"), 1.0, -2.0]).to(where)
            assert ((x + 1).abs() >= 0).tolist() == [False, True, True]
            assert torch.vmap(lambda x: x.abs() <= 1)(x).tolist() == [False, True, False]
            assert (x * 2 >= 0).tolist() == [False, True, False]
            assert bool(called) == (where is FAR), where
    finally:
        apart._computed_before = plain


def test_programs_give_the_same_there():
    for name in list(PROGRAMS)[CPU_AT::2]:  # the rest where the devices are in the other order
        there = outcome(name, FAR)
        with torch.debug.tier("cold"):  # NumPy's answer, which nothing is compiled for
            here = outcome(name, torch.device("cpu"))
        np.testing.assert_allclose(there, here, rtol=1e-5, atol=1e-6, err_msg=name)


def test_inside_jit_tensors_are_on_jax_default_device():
    default = torch.device("cpu") if CPU_AT == 0 else FAR
    layer, pending = torch.nn.Linear(3, 2).to(default), torch.ones(3).to(default) * 2

    @jax.jit
    def f(a):
        x = from_jax(a)
        assert x.device == default
        return to_jax(layer(x * pending) + torch.tensor(1.0))

    a = np.arange(3, dtype=np.float32)
    expected = layer(from_jax(jax.numpy.asarray(a)) * 2) + torch.tensor(1.0)
    np.testing.assert_allclose(f(a), expected.detach().cpu().numpy(), rtol=1e-5)


def test_training_on_both():
    first, second = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1).to(FAR)
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.1)
    x = torch.ones(5, 3)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = second(first(x).to(FAR)).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    assert second.weight.grad.device == FAR and first.weight.grad.device.type == "cpu"


def test_attention_is_fused_there():
    def attention(q, k, v, mask):
        return torch.softmax((q @ k.mT * 0.5).masked_fill(mask, float("-inf")), -1) @ v

    args = [torch.randn(1, 2, 8, 4).to(FAR).requires_grad_() for _ in range(3)]
    mask = (torch.rand(8, 8) > 0.7).to(FAR)
    for options in (None, {"pattern_matcher": True}):
        compiled = torch.compile(attention, options=options)
        for _ in range(5):
            found = [torch.autograd.grad(f(*args, mask).sum(), args) for f in (attention, compiled)]
            for a, b in zip(*found, strict=True):
                assert a.device == b.device == FAR and (a - b).abs().max().item() < 1e-5
    assert counters["inductor"]["fuse_attention"] == 2


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name, "ok")
