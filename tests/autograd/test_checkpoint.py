"""checkpoint in every transform, eagerly and recorded; that it really computes again; what it refuses."""

from __future__ import annotations

import gc
import weakref
from functools import partial

import jax
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import func, nn
from functorch_lite._core.lazy.levels import record_function
from functorch_lite._core.run import compiled, executor
from functorch_lite._higher_order_ops import scan
from functorch_lite.func import grad
from functorch_lite.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
    detach_variable,
    get_device_states,
    set_device_states,
)
from tests.core.counting import counted

W = torch.tensor(np.random.default_rng(0).standard_normal((3, 3)))
X = torch.tensor(np.random.default_rng(1).standard_normal(3))


def block(x):
    return ((x @ W).sin() @ W).exp()


def kept(x):
    return checkpoint(block, x, use_reentrant=False)


def again(x):
    return checkpoint(block, x, use_reentrant=True)


TRANSFORMS = {
    "grad": lambda f: func.grad(lambda x: f(x).sum())(X),
    "vjp": lambda f: func.vjp(f, X)[1](X)[0],
    "jvp": lambda f: func.jvp(f, (X,), (X,))[1],
    "jacrev": lambda f: func.jacrev(f)(X),
    "jacfwd": lambda f: func.jacfwd(f)(X),
    "hessian": lambda f: func.hessian(lambda x: f(x).sum())(X),
    "vmap": lambda f: func.vmap(f)(torch.stack([X, 2 * X])),
    "vmap of grad": lambda f: func.vmap(func.grad(lambda x: f(x).sum()))(torch.stack([X, 2 * X])),
    "grad of vmap": lambda f: func.grad(lambda x: func.vmap(f)(x).sum())(torch.stack([X, 2 * X])),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_inside_a_transform(name):
    expected = TRANSFORMS[name](block)
    for f in (kept, again):
        np.testing.assert_allclose(TRANSFORMS[name](f).numpy(), expected.numpy(), rtol=1e-10)


@pytest.mark.parametrize("name", ["grad", "jvp", "vmap"])
def test_a_transform_inside(name):
    def inner(f, x):
        return {
            "grad": lambda: func.grad(lambda a: f(a).sum())(x),
            "jvp": lambda: func.jvp(f, (x,), (x,))[1],
            "vmap": lambda: func.vmap(f)(torch.stack([x, 2 * x])),
        }[name]()

    def gradient(run):
        x = X.clone().requires_grad_()
        run(x).sum().backward()
        return x.grad.numpy()

    expected = gradient(lambda x: inner(block, x))
    found = gradient(lambda x: checkpoint(lambda a: inner(block, a), x, use_reentrant=False))
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_outer_gradient_reaches_captured_tensors():
    w = W.clone().requires_grad_()
    g = func.grad(lambda x: checkpoint(lambda a: (a @ w).sin(), x, use_reentrant=False).sum())(X)
    g.sum().backward()
    v = W.clone().requires_grad_()
    func.grad(lambda x: (x @ v).sin().sum())(X).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), v.grad.numpy(), rtol=1e-10)


def test_op_by_op():
    x = X.clone().requires_grad_()
    with torch.debug.eager():
        kept(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), TRANSFORMS["grad"](block).numpy(), rtol=1e-10)


def test_no_grad_inside_does_not_cut_forward_mode():
    def f(x):
        with torch.no_grad():
            y = x.sin()
        return y * x

    plain = func.jvp(f, (X,), (X,))[1]
    found = func.jvp(lambda x: checkpoint(f, x, use_reentrant=False), (X,), (X,))[1]
    np.testing.assert_allclose(found.numpy(), plain.numpy(), rtol=1e-10)
    assert abs(plain.numpy()).sum() > 0


@pytest.mark.parametrize("preserve", [True, False])
def test_dropout_drops_the_same_elements_again(preserve):
    x = torch.ones(1000, requires_grad=True)
    y = checkpoint(
        lambda a: nn.functional.dropout(a * a, 0.5), x, use_reentrant=False, preserve_rng_state=preserve
    )
    state = torch.get_rng_state().tolist()
    y.sum().backward()
    assert torch.get_rng_state().tolist() == state
    assert 300 < (y != 0).sum().item() < 700
    np.testing.assert_array_equal(x.grad.numpy(), 2 * y.detach().numpy())
    z = checkpoint(lambda a: nn.functional.dropout(a * a, 0.5), x, use_reentrant=False)
    assert (z != y).any().item()


def test_parameters_get_gradients_and_their_hooks_fire_once():
    model, calls = nn.Linear(3, 3), []
    model.weight.register_hook(lambda g: calls.append("weight"))
    model.bias.register_post_accumulate_grad_hook(lambda p: calls.append("bias"))
    x = X.float().requires_grad_()
    checkpoint(model, x, use_reentrant=False).sum().backward()
    assert sorted(calls) == ["bias", "weight"]
    np.testing.assert_array_equal(model.bias.grad.numpy(), np.ones(3, np.float32))


def temporary_bytes(f):
    """What XLA needs for the largest program of f, and its number of products."""
    made = []

    class Spy(compiled.Program):
        def __init__(self, pending, live):
            super().__init__(pending, live)
            made.append((self, [pending.externals[e].aval.struct for e in self.externals]))

    executor.forget_programs()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "Program", Spy)
        results = f()
        torch.synchronize()
        del results
    found = []
    for program, structs in made:
        with jax.enable_x64(True):
            made_of_it = program.executable.jitted.lower(*structs).compile()
        found.append((made_of_it.memory_analysis().temp_size_in_bytes, made_of_it.as_text().count(" dot(")))
    return max(found)


class Doubled(torch.autograd.Function):
    """2 x, as a Function."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


@pytest.mark.programs
@pytest.mark.parametrize("how", ["backward", "func.grad", "run twice"])
def test_intermediate_results_are_computed_again(how):
    """On CPU too, where XLA merges the two computations unless it is told not to."""
    n, width, depth = 256, 32, 6
    x = torch.ones(n, width)
    weights = [torch.full((width, width), 0.01) for _ in range(2 * depth)]
    inner = Doubled.apply if how == "run twice" else lambda a: a * 2

    def deep(run, weights):
        h = x
        for i in range(depth):

            def f(a, v, w):
                return (inner(a @ v).sin().exp().sin() @ w).tanh()

            h = run(f, h, *weights[2 * i : 2 * i + 2])
        return h.sin().sum()

    def gradient(run):
        if how == "func.grad":
            found = func.grad(lambda ws: deep(run, ws))(weights)
        else:
            leaves = [w.clone().requires_grad_() for w in weights]
            deep(run, leaves).backward()
            found = [w.grad for w in leaves]
        values.append(found)
        return found

    values: list = []
    plain, products = temporary_bytes(lambda: gradient(lambda f, *args: f(*args)))
    saved, more = temporary_bytes(
        lambda: gradient(lambda f, *args: checkpoint(f, *args, use_reentrant=False))
    )
    assert saved < 0.5 * plain
    assert more > products
    for a, b in zip(*values):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-6)


def test_only_the_arguments_are_kept():
    x = X.clone().requires_grad_()
    node = kept(x).grad_fn._node
    assert node.name() == "CheckpointBackward0"
    assert {v.aval.shape for v in node.saved} == {(3,), (3, 3)}


def test_selective():
    seen = []

    def policy(ctx, op, *args):
        seen.append((op, [tuple(a.shape) for a in args], tuple(ctx.op_output.shape)))
        return CheckpointPolicy.MUST_SAVE if op is torch.matmul else CheckpointPolicy.PREFER_RECOMPUTE

    def run(how):
        x = X.clone().requires_grad_()
        y = checkpoint(
            block, x, use_reentrant=False, context_fn=lambda: create_selective_checkpoint_contexts(how)
        )
        y.sum().backward()
        return x.grad.numpy()

    expected = TRANSFORMS["grad"](block).numpy()
    for how in (policy, [torch.matmul, torch.sin], lambda ctx, op, *args: True):
        np.testing.assert_allclose(run(how), expected, rtol=1e-10)
    assert [op for op, _, _ in seen] == [torch.matmul, torch.sin, torch.matmul, torch.exp]
    assert seen[0][1:] == ([(3,), (3, 3)], (3,))
    with pytest.raises(TypeError):
        create_selective_checkpoint_contexts(3)
    with pytest.raises(TypeError):
        run(lambda ctx, op, *args: "save")


def test_selective_keeps_what_the_policy_says():
    def products(policy):
        def run(fresh):
            contexts = create_selective_checkpoint_contexts(policy)
            return [checkpoint(block, fresh[0], use_reentrant=False, context_fn=lambda: contexts)], None

        graph = record_function("grad", [X._aval], [X], run).graph
        with jax.enable_x64(True):
            arrays = [np.zeros(a.shape) for a in graph.in_avals]
            return str(jax.make_jaxpr(jax.grad(lambda *a: graph(*a)[0].sum()))(*arrays)).count("dot_general")

    assert products([torch.matmul]) < products([torch.sin])


def double(x):
    return Doubled.apply(x.sin()) * x


@pytest.mark.parametrize("name", [n for n in TRANSFORMS if n not in ("jvp", "jacfwd", "hessian")])
@pytest.mark.parametrize("reentrant", [False, True])
def test_a_function_inside_inside_a_transform(name, reentrant):
    expected = TRANSFORMS[name](double)
    found = TRANSFORMS[name](lambda x: checkpoint(double, x, use_reentrant=reentrant))
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-10)


def test_a_transform_of_a_function_inside():
    x = X.clone().requires_grad_()

    def f(a):
        return func.grad(lambda b: double(b).sum())(a) + func.vmap(double)(a.expand(2, 3)).sum(0)

    checkpoint(f, x, use_reentrant=False).sum().backward()
    y = X.clone().requires_grad_()
    f(y).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-10)


def test_a_function_that_is_run_twice_is_remembered():
    runs = []

    def f(x):
        runs.append(1)
        return Doubled.apply(x.sin()).exp()

    def step():
        x = X.clone().requires_grad_()
        with torch.debug.eager():
            checkpoint(f, x, use_reentrant=False).sum().backward()
        return x.grad.numpy()

    first = step()
    assert len(runs) == 3  # recorded up to the Function, run, run again
    np.testing.assert_array_equal(step(), first)
    assert len(runs) == 5


def test_what_is_run_twice_compiles_once():
    model, opt = nn.Linear(3, 3), None
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.ones(5, 3)

    def step():
        opt.zero_grad()

        def f(a):
            return nn.functional.dropout(Doubled.apply(model(a)), 0.5)

        checkpoint(f, x, use_reentrant=False).sum().backward()
        opt.step()

    for _ in range(6):
        step()
    with counted() as compiles:
        for _ in range(5):
            step()
    assert compiles.n == 0


def test_what_is_run_twice_keeps_nothing_alive():
    x = torch.ones(5, 3, requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        y = checkpoint(double, x, use_reentrant=False)
        node = weakref.ref(y._edge[0])
        y.sum().backward()
        torch.synchronize()
        del y
        assert node() is None
    finally:
        gc.enable()


def test_refusals():
    x = X.clone().requires_grad_()

    def contexts():
        return create_selective_checkpoint_contexts([torch.sin])

    for _ in range(2):
        with pytest.raises(NotImplementedError, match="checkpoint the parts of the function"):
            checkpoint(lambda a: Doubled.apply(a), x, use_reentrant=False, context_fn=contexts)

    def hooked(a):
        b = a.sin()
        b.register_hook(lambda g: g * 2)
        return b

    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require"):
        checkpoint(hooked, x, use_reentrant=True)


def test_a_failing_function_leaves_buffers_alone():
    class Fails(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.zeros(()))
            self.register_buffer("m", torch.zeros(()))

        def forward(self, a):
            self.n += 1
            self.m = self.m + 1
            raise KeyError("no")

    model = Fails()
    with pytest.raises(KeyError):
        checkpoint(model, X.clone().requires_grad_(), use_reentrant=False)
    assert (model.n.item(), model.m.item()) == (0, 0)


def test_small_functions():
    x = torch.ones(2, requires_grad=True)
    a, b, c = detach_variable((x, x.detach(), 3))
    assert a.requires_grad and not b.requires_grad and c == 3 and a is not x
    with pytest.raises(RuntimeError, match="Only tuple of tensors"):
        detach_variable([x])
    assert get_device_states(x) == ([], [])
    set_device_states([], [])
    with pytest.raises(RuntimeError):
        set_device_states([0], [x])


def test_statistics_are_updated_inside_a_transform_as_without_checkpoint():
    x = torch.tensor(np.random.default_rng(2).standard_normal((5, 3)).astype(np.float32))

    def run(how):
        bn = nn.BatchNorm1d(3)
        g = func.grad(lambda a: how(bn, a).sin().sum())(x)
        return [g, *bn.buffers()]

    for a, b in zip(run(lambda f, a: checkpoint(f, a, use_reentrant=False)), run(lambda f, a: f(a))):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_nothing_is_kept_alive():
    bn = nn.BatchNorm1d(3)
    x = torch.ones(5, 3, requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        y = checkpoint(bn, x, use_reentrant=False)
        y.sum().backward()
        node = weakref.ref(y._edge[0])
        torch.synchronize()
        del y
        assert node() is None
    finally:
        gc.enable()


def test_a_steady_loop_compiles_nothing():
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.ones(5, 3)

    def step():
        opt.zero_grad()
        checkpoint(model, x, use_reentrant=False).sum().backward()
        opt.step()

    for _ in range(6):
        step()
    with counted() as compiles:
        for _ in range(5):
            step()
    assert compiles.n == 0
    assert model[1].num_batches_tracked.item() == 22


def test_in_the_body_of_a_loop():
    """XLA's CPU compiler has no code for a barrier in a loop that it compiles as one kernel."""
    x = torch.randn(5, 3)

    def in_loop(x, step):
        return scan(lambda c, a: (step(c, a), c + a), x[0], x)[1].sum()

    plain = grad(lambda x: in_loop(x, lambda u, v: torch.sin(u) * v))(x)
    kept = grad(lambda x: in_loop(x, partial(checkpoint, lambda u, v: torch.sin(u) * v, use_reentrant=False)))
    torch.testing.assert_close(kept(x), plain)
    leaf = x.clone().requires_grad_()
    outside = checkpoint(torch.exp, leaf, use_reentrant=False)
    in_loop(outside, partial(checkpoint, lambda u, v: torch.sin(u) * v, use_reentrant=False)).backward()
    torch.testing.assert_close(leaf.grad, grad(lambda x: in_loop(x.exp(), lambda u, v: torch.sin(u) * v))(x))
