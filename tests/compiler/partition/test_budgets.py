"""checkpoint(policy="auto", budget=...): what is kept, what runs again, and that nothing else changes."""

import sys

import jax
import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import debug, nn
from functorch_lite._core.lazy.applied import tracing
from functorch_lite.compiler.partition import joint
from functorch_lite.compiler.partition.choose import choose
from functorch_lite.compiler.partition.engine import Partitioned
from functorch_lite.compiler.partition.flat import flattened, live, mixed
from functorch_lite.debug import residuals
from functorch_lite.func import functional_call, grad, hessian, jacrev, jvp, vmap
from functorch_lite.utils._remat import Region
from functorch_lite.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)

BUDGETS = (0.0, 0.25, 0.5, 1.0)


def auto(fn, *args, budget=0.5, **more):
    return checkpoint(fn, *args, policy="auto", budget=budget, **more)


def model():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(4, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(),
        nn.Linear(16, 2),
    ).double()  # fmt: skip


def data():
    torch.manual_seed(1)
    return torch.randn(6, 4, dtype=torch.float64)


def gradients(m, run):
    m.zero_grad()
    run(data()).pow(2).sum().backward()
    return {k: p.grad.numpy().copy() for k, p in m.named_parameters()}


def close(a, b):
    for k in b:
        np.testing.assert_allclose(np.asarray(a[k]), np.asarray(b[k]), rtol=1e-9, atol=1e-12, err_msg=str(k))


@pytest.mark.parametrize("budget", BUDGETS)
def test_gradients_are_the_same(budget):
    m = model()
    close(gradients(m, lambda x: auto(m, x, budget=budget)), gradients(m, m))


@pytest.mark.parametrize("budget", BUDGETS)
def test_what_is_kept_is_what_was_planned(budget):
    m, x = model(), data()
    found = residuals(m, x, budget=budget)
    assert found.saved_bytes == found.planned_bytes
    inside = residuals(lambda x: auto(m, x, budget=budget), x)
    assert inside.saved_bytes == inside.planned_bytes == found.saved_bytes
    assert budget > 0 or found.saved_bytes == 0


def test_a_plan_is_a_pass_of_the_stage_partition():
    torch.manual_seed(2)
    m, x = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 6), nn.Tanh()), torch.randn(3, 4)
    with debug.explain() as report:
        auto(m, x, budget=0.5).sum().backward()
        auto(m, x, budget=0.5)  # the plan is there
    (made,) = [p for p in report.passes if p.stage == "partition"]
    found = residuals(m, x, budget=0.5)
    assert made.saved_bytes == found.planned_bytes > 0 and made.name == "memory budget 0.5"
    assert made.steps_before + len(found.plans[0].again) == made.steps_after > made.steps_before > 10
    assert 0 < made.seconds < 60
    assert f"partition: memory budget 0.5: {made.steps_before} steps -> {made.steps_after}, {made.saved_bytes} bytes saved" in str(report)  # fmt: skip


def test_no_hook_of_the_caller_slows_planning_down():
    torch.manual_seed(3)
    m, x = nn.Sequential(nn.Linear(4, 5), nn.Sigmoid()), torch.randn(2, 4)
    hooks = []

    def cost(step):
        hooks.append(sys.getprofile())
        return 1.0

    before = sys.getprofile()
    sys.setprofile(lambda *_: None)
    try:
        with torch._functorch.config.patch(activation_memory_budget_runtime_estimator=cost):
            auto(m, x, budget=0.5)
    finally:
        sys.setprofile(before)
    assert hooks and set(hooks) == {None}


@pytest.mark.parametrize("kind", ["layers", "loop", "branches of integers"])
def test_the_joint_program_is_that_of_vjp(kind):
    def loop(x):
        return torch.func.vmap(lambda r: r.cumsum(0).cumprod(0))(x) * x.sort(-1).values.amax(0)

    fn = {
        "layers": model(),
        "loop": loop,
        "branches of integers": lambda x: (x.argmax(), x.relu() * 2, x > 0),
    }[kind]
    region = Region(fn, (data().requires_grad_(),), {})
    graph = region.recorded.graph
    seen = []
    of = Partitioned(graph, lambda p, forward, equations: seen.append(p) or choose(p, 1.0))
    forward = of.forward
    with tracing():
        traced = live(flattened(joint._differentiated(forward, of.which, of.all_named)))
    together, _ = mixed(of._all_named(of.which), of.n_inputs)
    program, _ = joint._program(traced, of.n_inputs, of.n_results, of.parameters, forward.origins, together)
    assert program == seen[0]


def test_each_value_has_its_op_and_line():
    found = residuals(model(), data(), budget=1.0)
    ops = {v.op for v in found if not v.is_input}
    assert {"nn.functional.linear", "nn.functional.layer_norm", "nn.functional.relu", "tanh"} <= ops
    assert all(":" in v.line for v in found if not v.is_input)
    assert f"as planned: {found.saved_bytes:,}" in str(found)


def test_a_relu_keeps_its_result_alone():
    torch.manual_seed(0)
    m, x = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), torch.randn(5, 4)
    assert [(v.op, v.bytes) for v in residuals(m, x, budget=1.0) if not v.is_input] == [
        ("nn.functional.relu", 160)
    ]


@pytest.mark.parametrize("name", ["vmap of grad", "forward over reverse", "hessian", "jacrev", "jvp"])
def test_under_transforms(name):
    m, x = model(), data()
    values = {k: p.detach() for k, p in m.named_parameters()}

    def loss(budget):
        def of(values, x):
            run = lambda x: functional_call(m, values, (x,))  # noqa: E731
            return (run(x) if budget is None else auto(run, x, budget=budget)).pow(2).sum()

        return of

    along = {k: torch.ones_like(v) for k, v in values.items()}
    found = {
        "vmap of grad": lambda f: vmap(grad(f), in_dims=(None, 0))(values, x[:, None]),
        "forward over reverse": lambda f: jvp(lambda v: grad(f)(v, x), (values,), (along,))[1],
        "hessian": lambda f: {"": hessian(lambda x: f(values, x))(x[:2])},
        "jacrev": lambda f: jacrev(f)(values, x),
        "jvp": lambda f: {"": jvp(lambda v: f(v, x), (values,), (along,))[1]},
    }[name]
    expected = found(loss(None))
    for budget in (0.25, 1.0):
        close(found(loss(budget)), expected)


def test_checkpoints_within_checkpoints():
    m = model()
    first, second = m[:4], m[4:]

    def both(x):
        return auto(second, auto(first, x, budget=0.25), budget=0.25)

    close(gradients(m, lambda x: auto(both, x, budget=0.5)), gradients(m, m))
    close(gradients(m, lambda x: auto(lambda x: checkpoint(m, x, use_reentrant=False), x)), gradients(m, m))


def test_second_derivatives_of_the_tape():
    m, x = model(), data().requires_grad_()
    twice = []
    for run in (m, lambda x: auto(m, x, budget=0.25)):
        (g,) = torch.autograd.grad(run(x).pow(2).sum(), x, create_graph=True)
        twice.append(torch.autograd.grad(g.pow(2).sum(), x)[0].numpy())
    np.testing.assert_allclose(twice[1], twice[0], rtol=1e-9)


def test_statistics_are_updated_once():
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
    x = torch.randn(8, 4)
    auto(m, x, budget=0.0).sum().backward()
    assert m[1].num_batches_tracked == 1
    y = m[0](x)
    expected = 0.9 + 0.1 * y.var(0)
    np.testing.assert_allclose(m[1].running_var.numpy(), expected.detach().numpy(), rtol=1e-5)


@pytest.mark.parametrize("budget", [0.0, 0.5])
def test_dropout_drops_the_same_again(budget):
    x = torch.ones(1000, requires_grad=True)
    y = auto(lambda x: F.dropout(torch.sin(x) * 2, 0.5), x, budget=budget)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy() != 0, y.detach().numpy() != 0)


def test_narrow_floats_ints_and_scalars():
    def f(x, i, s):
        return torch.softmax(torch.relu(x.bfloat16()), -1).float()[i] * s, i + 1

    x, i = torch.randn(5, 3, requires_grad=True), torch.tensor([0, 2])
    s = torch.tensor(2.0, requires_grad=True)
    results = []
    for run in (f, lambda *a: auto(f, *a, budget=0.25)):
        y, j = run(x, i, s)
        results.append([*torch.autograd.grad(y.pow(2).sum(), (x, s)), j])
    for a, b in zip(*results):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-2, atol=1e-6)


def test_what_does_not_require_grad_and_no_grad():
    m, x = model(), data()
    with torch.no_grad():
        assert not auto(m, x).requires_grad
    for p in m[0].parameters():
        p.requires_grad_(False)
    close(gradients_of_some(m, lambda x: auto(m, x, budget=0.25)), gradients_of_some(m, m))


def gradients_of_some(m, run):
    m.zero_grad()
    run(data()).pow(2).sum().backward()
    return {k: p.grad.numpy().copy() for k, p in m.named_parameters() if p.requires_grad}


def test_loops_and_branches_run_again_whole():
    def f(x):
        def turn(carry, _):
            return torch.sin(carry) * x.cos(), carry.exp()

        last, all_of_them = torch._higher_order_ops.scan(turn, x, torch.zeros(3))
        return (
            torch.cond(last.sum() > 0, lambda y: y.exp(), lambda y: y.sin(), (last,)).sum()
            + all_of_them.sum()
        )

    x = torch.randn(4, dtype=torch.float64, requires_grad=True)
    grads = [torch.autograd.grad(run(x), x)[0].numpy() for run in (f, lambda x: auto(f, x, budget=0.25))]
    np.testing.assert_allclose(grads[1], grads[0], rtol=1e-10)


def test_arguments():
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="valid ranges for memory budget"):
        auto(torch.sin, x, budget=1.5)
    with pytest.raises(ValueError, match="use_reentrant=False"):
        checkpoint(torch.sin, x, policy="auto", use_reentrant=True)
    with pytest.raises(NotImplementedError, match="checkpoint the parts"):
        auto(lambda x: x.sin().register_hook(print) and x, x)

    def takes_a_policy(x, policy, budget):
        assert (policy, budget) == ("other", 3)
        return x.sin()

    checkpoint(takes_a_policy, x, use_reentrant=False, policy="other", budget=3)


# -- policies ----------------------------------------------------------------------------------------------------------


OPS = {
    "sin": "stablehlo.sine",
    "exp": "stablehlo.exponential ",
    "tanh": "stablehlo.tanh",
    "sqrt": "stablehlo.sqrt ",
}


def runs_again(fn, x, **how):
    """Which ops stand more often in the lowered program of results and gradients than they do without a checkpoint."""
    found = []
    for run in (fn, lambda x: checkpoint(fn, x, **how)):
        graph = Region(run, (x,), {}).recorded.graph
        with tracing():
            text = (
                jax.jit(jax.value_and_grad(lambda x, graph=graph: graph(x)[0]))
                .lower(x.detach().numpy())
                .as_text()
            )
        found.append({name: text.count(op) for name, op in OPS.items()})
    plain, kept = found
    assert all(plain.values())
    return {name for name in OPS if kept[name] > plain[name]}


def chain(x):
    """Each derivative reads the results of exp, tanh and sqrt, and the argument of sin."""
    return torch.sqrt(torch.tanh(torch.exp(torch.sin(x)))).sum()


def by_name(**policies):
    def policy(ctx, op, *args, **kwargs):
        assert not ctx.is_recompute
        return policies.get(getattr(op, "__name__", ""), policies["rest"])

    return lambda: create_selective_checkpoint_contexts(policy)


P = CheckpointPolicy


@pytest.mark.parametrize(
    "context, again",
    [
        (by_name(rest=P.MUST_SAVE), set()),
        (by_name(rest=P.PREFER_SAVE), set()),
        (by_name(rest=P.MUST_RECOMPUTE), {"sin", "exp", "tanh", "sqrt"}),
        (by_name(rest=P.PREFER_RECOMPUTE), {"sin", "exp", "tanh", "sqrt"}),
        (by_name(exp=P.MUST_SAVE, rest=P.PREFER_RECOMPUTE), {"tanh", "sqrt"}),
        (by_name(tanh=P.PREFER_SAVE, rest=P.MUST_RECOMPUTE), {"sin", "exp", "sqrt"}),
        (lambda: create_selective_checkpoint_contexts([torch.exp, torch.sqrt]), {"tanh"}),
    ],
)
def test_what_a_policy_names_runs_again(context, again):
    x = torch.randn(7, requires_grad=True)
    assert runs_again(chain, x, use_reentrant=False, context_fn=context) == again


def test_a_budget_overrules_what_is_preferred_not_what_must_be():
    x = torch.randn(7, requires_grad=True)
    for policy, again in ((P.PREFER_SAVE, set(OPS)), (P.MUST_SAVE, {"tanh", "sqrt"})):
        context = by_name(exp=policy, rest=P.PREFER_RECOMPUTE)
        assert runs_again(chain, x, policy="auto", budget=0.0, context_fn=context) == again
    context = by_name(rest=P.MUST_RECOMPUTE)
    assert runs_again(chain, x, policy="auto", budget=1.0, context_fn=context) == {
        "sin",
        "exp",
        "tanh",
        "sqrt",
    }


def test_recomputation_survives_the_compiler():
    """Of products that run again, the compiled program has as many as the jaxpr."""
    torch.manual_seed(0)
    m, x = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.GELU()) for _ in range(3)]), torch.randn(4, 8)
    region = Region(m, (x,), {})
    graph = region.recorded.graph
    inputs = [t.detach().numpy() for t in region.recorded.inputs]

    def products(budget):
        fn = Partitioned(graph, lambda p, *_: choose(p, budget), region.parameters())
        options = {"xla_disable_hlo_passes": "cse_barrier_expander"}
        with tracing():
            run = jax.jit(jax.value_and_grad(lambda ins: fn(*ins)[0].sum()), compiler_options=options)
            return run.lower(inputs).compile().as_text().count(" dot(")

    assert [products(1.0), products(0.0)] == [9, 12]  # three forward, six backward, and three again
