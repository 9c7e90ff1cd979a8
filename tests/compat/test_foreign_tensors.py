"""A tensor of real PyTorch's that meets one of ours: an error that says how to convert it, whoever is called.
A class that is spelled as PyTorch's stands for it; beside PyTorch itself every op is looked at."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import nn

NAMED = r"compat\.pytorch\.from_pytorch"
OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.matmul, operator.eq,
    operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.and_, operator.or_, operator.xor, operator.iadd, operator.isub,
    operator.imul, operator.itruediv,
]  # fmt: skip
MODULES = {
    "Linear": (nn.Linear(2, 2), (2, 2)),
    "Sequential": (nn.Sequential(nn.Linear(2, 2), nn.ReLU()), (2, 2)),
    "Conv2d": (nn.Conv2d(1, 1, 1), (1, 1, 2, 2)),
    "BatchNorm1d": (nn.BatchNorm1d(2), (2, 2)),
    "LayerNorm": (nn.LayerNorm(2), (2, 2)),
    "GELU": (nn.GELU(), (2, 2)),
    "Dropout": (nn.Dropout(), (2, 2)),
    "MaxPool2d": (nn.MaxPool2d(2), (1, 1, 2, 2)),
    "LSTM": (nn.LSTM(2, 2), (1, 1, 2)),
    "GRUCell": (nn.GRUCell(2, 2), (1, 2)),
    "PReLU": (nn.PReLU(), (2, 2)),
    "Softmax": (nn.Softmax(-1), (2, 2)),
    "TransformerEncoderLayer": (nn.TransformerEncoderLayer(2, 1, 4), (1, 1, 2)),
}


def write(x, y):
    x[0] = y


def assign(x, name, y):
    setattr(x, name, y)


PLACES = {
    "sin": lambda x, y: torch.sin(y),
    "cat": lambda x, y: torch.cat([x, y]),
    "stack": lambda x, y: torch.stack([y, y]),
    "where": lambda x, y: torch.where(y, x, x),
    "einsum": lambda x, y: torch.einsum("ij,jk->ik", x, y),
    "allclose": lambda x, y: torch.allclose(x, y),
    "equal": lambda x, y: torch.equal(x, y),
    "method": lambda x, y: x.add(y),
    "in place": lambda x, y: x.add_(y),
    "out": lambda x, y: torch.add(x, x, out=y),
    "index": lambda x, y: x[y],
    "write": write,
    "in": lambda x, y: y in x,
    "data": lambda x, y: assign(x, "data", y),
    "grad": lambda x, y: assign(x, "grad", y),
    "Parameter": lambda x, y: nn.Parameter(y),
    "Buffer": lambda x, y: nn.Buffer(y),
    "from_numpy": lambda x, y: torch.from_numpy(y),
    "full": lambda x, y: torch.full((2,), y),
    "optimizer": lambda x, y: torch.optim.SGD([y], lr=0.1),
    "backward": lambda x, y: x.requires_grad_().clone().backward(y),
    "autograd.grad": lambda x, y: torch.autograd.grad(x.requires_grad_().clone(), x, y),
    "func.grad": lambda x, y: torch.func.grad(torch.sum)(y),
    "vmap": lambda x, y: torch.vmap(torch.sin)(y),
    "jvp": lambda x, y: torch.func.jvp(torch.sin, (x,), (y,)),
    "cross_entropy": lambda x, y: F.cross_entropy(x, y),
    "mse_loss": lambda x, y: F.mse_loss(y, x),
    "CrossEntropyLoss": lambda x, y: nn.CrossEntropyLoss()(x, y),
    "Embedding": lambda x, y: nn.Embedding(2, 2)(y),
}


def asked(cls, func, types, args=(), kwargs=None):
    return func(*args, **(kwargs or {}))  # as PyTorch's: it leads back to whoever asked


def stand_in(shape=(2, 2)):
    made = type("Tensor", (), {"__module__": "torch", "__torch_function__": classmethod(asked)})()
    x = np.ones(shape, np.float32)
    made.shape, made.dtype, made.dim, made.requires_grad = x.shape, "torch.float32", lambda: x.ndim, False
    return made


def real(shape=(2, 2)):
    return pytest.importorskip("torch").ones(shape)


WHOSE = [pytest.param(stand_in, id="stand-in"), pytest.param(real, marks=pytest.mark.parity, id="PyTorch's")]


@pytest.mark.parametrize("make", WHOSE)
@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_operators(op, make):
    with pytest.raises(TypeError, match=NAMED):
        op(torch.ones(2, 2), make())
    if make is real or not op.__name__.startswith("i"):  # the stand-in has no operators of its own
        with pytest.raises(TypeError, match=NAMED):
            op(make(), torch.ones(2, 2))


@pytest.mark.parametrize("make", WHOSE)
@pytest.mark.parametrize("name", PLACES)
def test_places(name, make):
    with pytest.raises(TypeError, match=NAMED):
        PLACES[name](torch.ones(2, 2), make())


@pytest.mark.parametrize("make", WHOSE)
@pytest.mark.parametrize("name", MODULES)
def test_modules(name, make):
    module, shape = MODULES[name]
    with pytest.raises(TypeError, match=NAMED):
        module(make(shape))


def test_jax_functions():
    import jax
    import jax.numpy as jnp

    x = torch.ones(2)
    for f in (jnp.sin, jax.jit(lambda x: x * 2), jax.grad(lambda x: x.sum()), jax.vmap(jnp.sin)):
        with pytest.raises(RuntimeError, match=r"compat\.jax_function"):
            f(x)
    assert jnp.sin(jnp.asarray(x)).shape == (2,)


@pytest.mark.parity
def test_places_of_pytorchs_functions():
    pt = pytest.importorskip("torch")
    x, y = torch.ones(2, 2), pt.ones(2, 2)
    calls = [
        lambda: pt.sin(x), lambda: pt.add(y, x), lambda: pt.cat([y, x]), lambda: pt.allclose(y, x), lambda: y.copy_(x), lambda: y.expand_as(x),
        lambda: y[x], lambda: write(y, x), lambda: pt.nn.functional.linear(x, y), lambda: pt.nn.functional.cross_entropy(x, y),
        lambda: pt.nn.Linear(2, 2)(x), lambda: pt.nn.Conv2d(1, 1, 1)(x), lambda: pt.nn.LayerNorm(2)(x), lambda: pt.linalg.inv(x),
        lambda: pt.fft.fft(x), lambda: pt.special.erf(x), lambda: pt.einsum("ij,jk->ik", y, x), lambda: pt.where(y > 0, x, y),
        lambda: pt.nn.functional.softmax(x, 0), lambda: pt.nn.MSELoss()(y, x), lambda: pt.ops.aten.sin(x),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(TypeError, match=NAMED):
            call()


@pytest.mark.filterwarnings("ignore:__array__ implementation")
@pytest.mark.parity
def test_what_is_taken_or_said_of_pytorchs_own_objects():
    pt = pytest.importorskip("torch")
    theirs = pt.nn.Sequential(pt.nn.Linear(2, 3), pt.nn.BatchNorm1d(3))
    mine = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    mine.load_state_dict(theirs.state_dict())
    for name, value in theirs.state_dict().items():
        assert mine.state_dict()[name].tolist() == value.tolist()
    assert torch.tensor(pt.ones(2)).tolist() == torch.as_tensor(pt.ones(2)).tolist() == [1, 1]
    for call in (lambda: torch.ones(2).to(pt.float64), lambda: torch.zeros(2, dtype=pt.float64)):
        with pytest.raises(TypeError, match=r"functorch_lite\.float64"):
            call()
    for call in (lambda: torch.ones(2).to(pt.device("cpu")), lambda: torch.zeros(2, device=pt.device("cpu"))):
        with pytest.raises(TypeError, match=r"functorch_lite\.device\('cpu'\)"):
            call()


@pytest.mark.parity
def test_every_op_in_each_place():
    pytest.importorskip("torch")
    from tests import checker, torch_side
    from tests.arguments import fill, placeholders
    from tests.samples import all_samples

    for name, samples in all_samples().items():
        sample = next(s for s in samples if s.error is None)
        given = placeholders(sample)
        for i in range(len(given)):
            tensors = checker.tensors_of([checker.array_of(t) for t in given])
            tensors[i] = torch_side.tensor(given[i])
            args, kwargs = fill(sample, tensors)
            with pytest.raises(TypeError, match=NAMED):
                checker.subject(name).call(*args, **kwargs)
