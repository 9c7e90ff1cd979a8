"""Programs that are run on the CPU and on another device: they give the same there, and give it there.

A program is a function of a 4 x 3 tensor, whose device is the one to be on. Draws are seeded: the numbers are the same
on every device.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import nn
from functorch_lite.compat import jax_function

PROGRAMS: dict[str, Callable[[Any], Any]] = {}


def many(kind: str, programs: dict[str, Callable[[Any], Any]]) -> None:
    """Adds programs, under the name of their kind and their own."""
    PROGRAMS.update({f"{kind}: {name}": program for name, program in programs.items()})


def int_on(x, *values):
    """A tensor of ints where x is."""
    return torch.tensor(values, device=x.device)


many("draws", {
    "dropout": lambda x: F.dropout(x, 0.5),
    "alpha_dropout": lambda x: F.alpha_dropout(x, 0.5, True),
    "rrelu": lambda x: F.rrelu(x, training=True),
    "gumbel_softmax": lambda x: F.gumbel_softmax(x, hard=True),
    "rand": lambda x: torch.rand(3, device=x.device),
    "rand_like": torch.rand_like,
    "randint": lambda x: torch.randint(5, (3,), device=x.device),
    "randperm": lambda x: torch.randperm(5, device=x.device),
    "bernoulli": lambda x: torch.bernoulli(torch.sigmoid(x)),
    "multinomial": lambda x: torch.multinomial(torch.softmax(x, 1), 2),
    "normal": lambda x: torch.normal(x, 1.0),
    "normal_": lambda x: torch.empty(3, device=x.device).normal_(),
    "poisson": lambda x: torch.poisson(x.abs()),
    "Normal": lambda x: torch.distributions.Normal(x, 1.0).rsample(),
    "Categorical": lambda x: torch.distributions.Categorical(logits=x).sample(),
    "Beta": lambda x: torch.distributions.Beta(x.abs(), x.abs() + 1).rsample(),
    "Dirichlet": lambda x: torch.distributions.Dirichlet(x.abs()).rsample(),
    "MultivariateNormal": lambda x: torch.distributions.MultivariateNormal(x[0], torch.eye(3, device=x.device)).rsample(),
    "fractional_max_pool2d": lambda x: F.fractional_max_pool2d(x[:3].expand(1, 1, 3, 3).repeat(1, 1, 2, 2), 2, output_size=3),
    "kaiming_normal_": lambda x: nn.init.kaiming_normal_(torch.empty_like(x)),
})  # fmt: skip


def _as_torch_draws(function):
    def program(x):
        torch.random.set_default_engine("mt19937")
        try:
            return function(x)
        finally:
            torch.random.set_default_engine("threefry")

    return program


many("drawn as torch does", {
    "dropout": _as_torch_draws(lambda x: F.dropout(x, 0.5)),
    "rrelu": _as_torch_draws(lambda x: F.rrelu(x, training=True)),
    "bernoulli": _as_torch_draws(lambda x: torch.bernoulli(torch.sigmoid(x))),
    "multinomial": _as_torch_draws(lambda x: torch.multinomial(torch.softmax(x, 1), 2)),
    "normal": _as_torch_draws(lambda x: torch.normal(x, 1.0)),
    "Categorical": _as_torch_draws(lambda x: torch.distributions.Categorical(logits=x).sample()),
    "attention": _as_torch_draws(lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None], dropout_p=0.5)),
})  # fmt: skip

many("indexing", {
    "a list": lambda x: x[[0, 2]],
    "a tensor of the CPU": lambda x: x[torch.tensor([0, 1])],
    "a mask": lambda x: x[x > 0],
    "a mask of the CPU": lambda x: x[(x > 0).cpu()],
    "written": lambda x: _written(x, [0, 2], 5.0),
    "written by a mask": lambda x: _written(x, x > 0, 5.0),
    "written from the CPU": lambda x: _written(x, 0, torch.ones(3)),
    "nonzero": lambda x: torch.nonzero(x),
    "where": lambda x: torch.where(x > 0)[0],
    "repeat_interleave": lambda x: torch.repeat_interleave(x, int_on(x, 1, 2, 1, 1), 0),
    "combinations": lambda x: torch.combinations(x[0]),
    "unique": torch.unique,
    "bincount": lambda x: torch.bincount(int_on(x, 1, 2, 1)),
    "one_hot": lambda x: F.one_hot(int_on(x, 1, 2), 3),
})  # fmt: skip


def _written(x, index, value):
    out = x.clone()
    out[index] = value
    return out


def _transformed(function, kind: str):
    """A function of a vector, in a transform."""

    def program(x):
        if kind == "grad":
            return torch.func.grad(lambda x: torch.func.vmap(function)(x).square().sum())(x)
        return torch.func.vmap(function, randomness="different")(x)

    return program


INSIDE = {
    "zeros": lambda t: t + torch.zeros(3, device=t.device),
    "arange": lambda t: t * torch.arange(3, device=t.device),
    "tensor": lambda t: t * torch.tensor([1.0, 2.0, 3.0], device=t.device),
    "a constant moved": lambda t: t * torch.tensor([1.0, 2.0, 3.0]).to(t.device),
    "full": lambda t: t * torch.full((3,), 2.0, device=t.device),
    "new_zeros": lambda t: t + t.new_zeros(3),
    "one_hot": lambda t: t * F.one_hot(torch.tensor(1, device=t.device), 3),
    "a list as an index": lambda t: t[[0, 2]],
    "attention": lambda t: F.scaled_dot_product_attention(*[t.reshape(1, 1, 3)] * 3, is_causal=True),
}
for _kind in ("vmap", "grad"):
    many(_kind, {name: _transformed(function, _kind) for name, function in INSIDE.items()})
many("vmap", {
    "dropout": _transformed(lambda t: F.dropout(t, 0.5), "vmap"),
    "randn_like": _transformed(lambda t: t + torch.randn_like(t), "vmap"),
})  # fmt: skip

many("func", {
    "jacrev": torch.func.jacrev(torch.sin),
    "jacrev in chunks": torch.func.jacrev(torch.sin, chunk_size=2),
    "hessian": torch.func.hessian(lambda x: x.sin().sum()),
    "jvp": lambda x: torch.func.jvp(torch.sin, (x,), (torch.ones_like(x),))[1],
    "cond": lambda x: torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,)),
    "scan": lambda x: torch._higher_order_ops.scan(lambda c, x: (c + x, c * x), x[0], x)[0],
    "ensemble": lambda x: _ensemble(x),
    "gradcheck": lambda x: x * torch.autograd.gradcheck(torch.sin, (x.double().requires_grad_(),)),
    "checkpoint": lambda x: torch.utils.checkpoint.checkpoint(lambda x: F.dropout(x, 0.5), x, use_reentrant=False),
})  # fmt: skip


def _ensemble(x):
    models = [nn.Linear(3, 2).to(x.device) for _ in range(2)]
    params, buffers = torch.func.stack_module_state(models)
    call = lambda p, b: torch.func.functional_call(models[0], (p, b), (x,))  # noqa: E731
    return torch.func.vmap(call)(params, buffers)


MODULES = {
    "mixed": lambda: nn.Sequential(nn.Linear(3, 5), nn.LayerNorm(5), nn.Dropout(0.1), nn.GELU()),
    "BatchNorm1d": lambda: nn.BatchNorm1d(3),
    "LSTM": lambda: nn.LSTM(3, 4),
    "GRU": lambda: nn.GRU(3, 4),
    "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(3, 1, 8),
    "spectral_norm": lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(3, 4)),
    "weight_norm": lambda: nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)),
    "deepcopy": lambda: copy.deepcopy(nn.Linear(3, 4)),
}


def _of_module(make):
    def program(x):
        out = make().to(x.device)(x)
        return out[0] if isinstance(out, tuple) else out

    return program


many("module", {name: _of_module(make) for name, make in MODULES.items()})


def _trained(kind: str):
    def program(x):
        model = nn.Sequential(nn.Linear(3, 5), nn.Dropout(0.1), nn.Linear(5, 2)).to(x.device)
        optimizer = getattr(torch.optim, kind)(model.parameters(), lr=0.01)
        for _ in range(3):
            optimizer.zero_grad()
            F.cross_entropy(model(x), int_on(x, 0, 1, 0, 1)).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        return model(x)

    return program


many(
    "trained",
    {kind: _trained(kind) for kind in ("SGD", "Adam", "AdamW", "RMSprop", "NAdam", "Rprop", "Adafactor")},
)

_TABLES = {"jax": jnp.arange(3.0), "numpy": np.arange(3.0, dtype=np.float32)}


def _of_jax(x, s):
    """A JAX function with constants of both kinds."""
    return jnp.tanh(x) * s + _TABLES["jax"] - _TABLES["numpy"] / 2


many("a JAX function", {
    "with a number and constants": lambda x: jax_function(_of_jax)(x, 0.5),
    "in a transform": lambda x: torch.func.vmap(torch.func.grad(lambda r: jax_function(_of_jax)(r, 2.5).sum()))(x),
    "with an array of NumPy's": lambda x: jax_function(jnp.add)(x, np.float32(1.5)),
    "with a key": lambda x: x + jax_function(lambda k, y: jax.random.normal(k, y.shape, y.dtype))(jax.random.key(0), x),
})  # fmt: skip

many("more", {
    "a number without dims first": lambda x: torch.tensor(2.0, device="cpu") * x,
    "two without dims": lambda x: x.sum() * torch.tensor(2.0, device="cpu"),
    "float64 without dims": lambda x: x.sum().double() * torch.tensor(1 / 3, dtype=torch.float64, device="cpu"),
    "int64 without dims": lambda x: (x * 4).long() + torch.tensor(2**40, device="cpu"),
    "rounded to a half between ops": lambda x: (x.bfloat16() * 1.1).float() - x,
    "nan compared": lambda x: (torch.where(x > 1, float("nan"), x).abs() >= 0).float(),
    "numbers that change": lambda x: sum(x.sum() * k for k in (1.0, 2.0, 3.0)),
    "ctc_loss": lambda x: F.ctc_loss(x.expand(5, 4, 3).log_softmax(2), int_on(x, 1, 2).expand(4, 2), (5,) * 4, (2,) * 4),
    "stft": lambda x: torch.stft(x.reshape(-1).repeat(4), 16, window=torch.hann_window(16, device=x.device), return_complex=True).abs(),
    "sparse": lambda x: torch.sparse.mm(x.relu().to_sparse(), x.T),
    "compressed": lambda x: x.relu().to_sparse_csr().to_dense(),
    "sparse sum": lambda x: torch.sparse.sum(x.relu().to_sparse(), 0).to_dense(),
    "jagged": lambda x: (torch.nested.nested_tensor([x, x[:2]], layout=torch.jagged) * 2).to_padded_tensor(0.0),
    "nested": lambda x: torch.nested.nested_tensor([x[0], x[1]]).to_padded_tensor(0.0, (3, 4)),
    "packed": lambda x: nn.utils.rnn.pack_padded_sequence(x.expand(2, 4, 3).transpose(0, 1), [4, 2]).data,
    "DataLoader": lambda x: next(iter(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x), batch_size=2, shuffle=True)))[0],
})  # fmt: skip


def outcome(name: str, device) -> Any:
    """What the program gives on a device, which the result must be on."""
    torch.manual_seed(0)
    x = torch.tensor([[0.3, -1.2, 0.8], [1.5, 0.1, -0.7], [-0.4, 0.9, 2.0], [0.6, -0.2, 1.1]]).to(device)
    out = PROGRAMS[name](x)
    assert out.device == device, f"{name}: the result is on {out.device}, the argument on {device}"
    return out.detach().cpu().numpy()
