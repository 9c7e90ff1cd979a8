"""What torch.func documents, or answers with an error, as a limitation, and works here. Each test names it.

Others: randomness in test_randomness.py, chunk_size="auto" in test_chunk_size.py, statistics of batch normalization in
test_writes.py, per-sample gradients with frozen layers and tied weights in test_tutorials.py.
"""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite.func import functional_call, grad, jacfwd, jvp, vjp, vmap
from functorch_lite.utils.checkpoint import checkpoint


def close(mine, theirs, tolerance=1e-5):
    np.testing.assert_allclose(mine.detach().numpy(), theirs.detach().numpy(), rtol=tolerance, atol=tolerance)


def looped(f, xs):
    return torch.stack([f(x) for x in xs])


@pytest.fixture(autouse=True)
def seeded():
    """The same numbers in every test."""
    torch.manual_seed(0)


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_recurrent_layers_are_mapped(kind):
    """'Batching rule not implemented for aten::lstm.input. We could not generate a fallback.'"""
    layer, xs = getattr(torch.nn, kind)(2, 3), torch.randn(2, 4, 1, 2)

    def f(x):
        return layer(x)[0]

    close(vmap(f)(xs), looped(f, xs))

    def loss(params, x):
        return functional_call(layer, params, (x,))[0].square().sum()

    params = {k: p.detach() for k, p in layer.named_parameters()}
    per_sample = vmap(grad(loss), in_dims=(None, 0))(params, xs)
    name = next(iter(params))
    close(per_sample[name], looped(lambda x: grad(loss)(params, x)[name], xs))


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_recurrent_layers_forward_and_twice(kind):
    """Forward mode, and a second backward, are missing for the fused recurrent kernels."""
    layer, x = getattr(torch.nn, kind)(2, 2).double(), torch.randn(3, 1, 2, dtype=torch.float64)

    def f(x):
        return layer(x)[0].square().sum()

    v = torch.ones_like(x)
    close(jvp(f, (x,), (v,))[1], (grad(f)(x) * v).sum())
    step = 1e-5 * v
    close(jvp(grad(f), (x,), (v,))[1], (grad(f)(x + step) - grad(f)(x - step)) / 2e-5)


def test_attention():
    """'derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not implemented'; no forward mode
    of it."""
    q = torch.randn(2, 1, 3, 4, dtype=torch.float64)

    def f(q):
        return F.scaled_dot_product_attention(q, q.sin(), q.cos(), is_causal=True)

    close(vmap(f)(q), looped(f, q))
    x = q[0].clone().requires_grad_()
    (g,) = torch.autograd.grad(f(x).square().sum(), x, create_graph=True)
    (twice,) = torch.autograd.grad(g.sum(), x)
    v = torch.ones_like(x)
    close(twice, jvp(grad(lambda a: f(a).square().sum()), (x.detach(),), (v,))[1])
    close(jvp(f, (q[0],), (v,))[1], (jacfwd(f)(q[0]) * v).sum((-1, -2, -3)))


def test_grid_sample():
    """'derivative for aten::grid_sampler_2d_backward is not implemented'."""
    image = torch.randn(1, 1, 4, 4, dtype=torch.float64)
    grid = torch.rand(1, 2, 2, 2, dtype=torch.float64) - 0.5

    def f(image, grid):
        return F.grid_sample(image, grid, align_corners=False).square().sum()

    x = image.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(x, grid), x, create_graph=True)
    (twice,) = torch.autograd.grad(g.square().sum(), x)
    v = 2 * g.detach()
    close(twice, jvp(lambda a: grad(f)(a, grid), (image,), (v,))[1])


def test_function_without_a_rule_is_mapped():
    """'You tried to vmap over Cube, but it does not have vmap support.'"""

    class Cube(torch.autograd.Function):
        """x^3, with a gradient that is told apart from the true one."""

        @staticmethod
        def forward(ctx, x):
            """Looks at its value, as NumPy code would."""
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            """Four x squared."""
            (x,) = ctx.saved_tensors
            return g * 4 * x**2

    xs = torch.tensor([1.0, 2.0, 3.0])
    close(vmap(Cube.apply)(xs), xs**3)
    close(vmap(grad(Cube.apply))(xs), 4 * xs**2)


def test_values_are_read_inside():
    """.item(), `if` and `while` on values, inside transforms that have one value for each tensor."""

    def f(x):
        y = x
        while y.norm() < 10:
            y = 2 * y
        return y.sum() * x.max().item() if y.sum() > 0 else -y.sum()

    x = torch.tensor([1.0, 2.0])
    factor = 8.0 * 2.0
    close(grad(f)(x), torch.full((2,), factor))
    close(vjp(f, x)[1](torch.tensor(1.0))[0], torch.full((2,), factor))
    close(jvp(f, (x,), (torch.ones(2),))[1], torch.tensor(2 * factor))


def test_a_batched_condition():
    """'We don't support vmap over … data-dependent control flow': the error names torch.cond, which is batched."""
    xs = torch.tensor([[1.0, 2.0], [-3.0, 1.0]])
    with pytest.raises(RuntimeError, match=r"torch\.cond"):
        vmap(lambda x: x.sin() if x.sum() > 0 else x.cos())(xs)

    def f(x):
        return torch.cond(x.sum() > 0, lambda a: a.sin(), lambda a: a.cos(), (x,))

    close(vmap(f)(xs), torch.stack([xs[0].sin(), xs[1].cos()]))
    close(vmap(grad(lambda x: f(x).sum()))(xs), torch.stack([xs[0].cos(), -xs[1].sin()]))


def test_batch_norm_in_training_mode():
    """Inside grad the statistics are updated; inside vmap, where each example has its own, the error says which module
    and what to do."""
    norm, x = torch.nn.BatchNorm1d(2), torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    grad(lambda x: norm(x).square().sum())(x)
    close(norm.running_mean, 0.1 * x.mean(0))
    with pytest.raises(RuntimeError, match="BatchNorm1d") as told:
        vmap(norm)(x[:, None, :].expand(2, 3, 2))
    assert "replace_all_batch_norm_modules_" in str(told.value)


def test_checkpoint_inside_every_transform():
    """'Checkpointing is not compatible with …': torch.func refuses saved tensor hooks inside grad, vjp, jacrev."""
    x = torch.tensor([0.5, 1.0])

    def f(x):
        return (x.sin() * x).exp()

    def again(x):
        return checkpoint(f, x, use_reentrant=False)

    def total(g):
        return lambda x: g(x).sum()

    for transform in (
        lambda g: grad(total(g))(x),
        lambda g: jvp(g, (x,), (x,))[1],
        lambda g: torch.func.jacrev(g)(x),
        lambda g: torch.func.hessian(total(g))(x),
        lambda g: vmap(grad(total(g)))(torch.stack([x, 2 * x])),
    ):
        close(transform(again), transform(f))


def test_hooks_fire_once():
    """Hooks of the tape, with transforms in the forward that a backward goes through and in the hook itself."""
    calls = []
    w = torch.tensor([1.0, 2.0], requires_grad=True)

    def hook(g):
        calls.append(1)
        return grad(lambda a: (a * g).sum())(g) * 1

    w.register_hook(hook)
    y = grad(lambda a: (a.sin() * w).sum())(torch.ones(2))
    (y.sum() + checkpoint(lambda a: a * 2, w, use_reentrant=False).sum()).backward()
    assert len(calls) == 1
    close(w.grad, torch.ones(2).cos() + 2)


def test_per_sample_gradients_with_buffers_that_change():
    """A buffer that a module overwrites in its forward, under vmap(grad) with stateless calls."""

    class Counted(torch.nn.Module):
        """A linear layer that counts its calls."""

        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 1)
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x):
            """The layer's output, and one more call."""
            self.calls += 1
            return self.linear(x) * self.calls

    model = Counted()
    params = {k: p.detach() for k, p in model.named_parameters()}
    buffers, xs = {"calls": torch.tensor(2.0)}, torch.randn(3, 2)

    def loss(params, buffers, x):
        return functional_call(model, (params, buffers), (x,)).sum()

    per_sample = vmap(grad(loss), in_dims=(None, None, 0))(params, buffers, xs)
    close(per_sample["linear.weight"], 3 * xs[:, None, :])
    assert buffers["calls"].item() == 3.0
    assert model.calls.item() == 0.0
