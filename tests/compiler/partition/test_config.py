"""torch._functorch.config: every name acts, or is listed as having nothing to choose."""

import pytest

import functorch_lite as torch
import functorch_lite._functorch.config as config
from functorch_lite import nn
from functorch_lite.compiler.partition import settings as module
from functorch_lite.debug import residuals


def graph():
    torch.manual_seed(0)
    layers = [[nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 8), nn.LayerNorm(8)] for _ in range(3)]
    return nn.Sequential(*[m for layer in layers for m in layer]), torch.randn(16, 8)


def test_unknown_names_are_errors():
    for touch in (
        lambda: config.nope,
        lambda: setattr(config, "nope", 1),
        lambda: config.patch(nope=1).__enter__(),
    ):
        with pytest.raises(AttributeError, match=r"torch\._functorch\.config\.nope does not exist"):
            touch()


def test_every_name_acts_or_is_listed():
    import functorch_lite.compiler.partition.settings as here

    known = {*here._ACTS, *here.NOTHING_TO_CHOOSE, *here._NOT_HERE}
    assert set(config.get_config_copy()) == known
    assert not set(here._ACTS) & set(here.NOTHING_TO_CHOOSE)
    for name, (value, why) in here.NOTHING_TO_CHOOSE.items():
        assert getattr(config, name) == value and why
    with pytest.raises(NotImplementedError, match="save_on_cpu"):
        config.enable_activation_offloading = True
    assert config.enable_activation_offloading is False


def test_patch_is_a_context_and_a_decorator():
    with config.patch(activation_memory_budget=0.5, recompute_views=True):
        assert config.activation_memory_budget == 0.5 and config.recompute_views
        with config.patch("activation_memory_budget", 0.25):
            assert config.activation_memory_budget == 0.25
        with pytest.raises(AttributeError):
            with config.patch({"activation_memory_budget": 0.1, "nope": 1}):
                pass
        assert config.activation_memory_budget == 0.5

    @config.patch({"activation_memory_budget": 0.75})
    def inside():
        return config.activation_memory_budget

    assert inside() == 0.75 and inside() == 0.75 and config.activation_memory_budget == 1.0


def test_the_budget_is_read_where_none_is_given():
    m, x = graph()
    whole = residuals(lambda x: torch.utils.checkpoint.checkpoint(m, x, policy="auto"), x).saved_bytes
    with config.patch(activation_memory_budget=0.25):
        part = residuals(lambda x: torch.utils.checkpoint.checkpoint(m, x, policy="auto"), x).saved_bytes
    assert part < whole / 2


@pytest.mark.parametrize("solver", ["dp", "greedy", "ilp", "dp_knapsack_sliding_hirschberg"])
def test_solvers(solver):
    m, x = graph()
    with config.patch(activation_memory_budget_solver=solver):
        found = residuals(m, x, budget=0.2)
    assert 0 < found.saved_bytes == found.planned_bytes


def test_a_solver_of_the_users_is_asked():
    m, x = graph()
    asked = []

    def none(memory, runtime, most):
        asked.append(most)
        return 0.0, [], list(range(len(memory)))

    with config.patch(
        activation_memory_budget_solver=none, activation_memory_budget_runtime_estimator="testing"
    ):
        residuals(m, x, budget=0.2)
    assert asked


@pytest.mark.parametrize("estimator", ["testing", "profile", lambda step: float(step.size)])
def test_estimators(estimator):
    m, x = graph()
    with config.patch(activation_memory_budget_runtime_estimator=estimator):
        found = residuals(m, x, budget=0.2)
    assert found.saved_bytes == found.planned_bytes and found.plans[0].cost > 0


def test_estimators_decide():
    m, x = graph()
    costs = set()
    for cost in (lambda s: s.cost, lambda s: 1e9 if "gelu" in s.op else 1.0):
        with config.patch(activation_memory_budget_runtime_estimator=cost):
            costs.add(residuals(m, x, budget=0.2).plans[0].cost)
    assert len(costs) == 2


@pytest.mark.parametrize("name", ["solver", "runtime_estimator"])
def test_unknown_ones_are_named(name):
    m, x = graph()
    with config.patch(f"activation_memory_budget_{name}", "best"), pytest.raises(RuntimeError, match="best"):
        residuals(m, x, budget=0.5)


def test_aggressive_recomputation_keeps_less():
    m, x = graph()
    before = residuals(m, x, budget=1.0).saved_bytes
    with config.patch(aggressive_recomputation=True):
        less = residuals(m, x, budget=1.0).saved_bytes
    with config.patch(
        ban_recompute_materialized_backward=False, ban_recompute_used_far_apart=False,
        ban_recompute_long_fusible_chains=False, ban_recompute_not_in_allowlist=False,
    ):  # fmt: skip
        assert residuals(m, x, budget=1.0).saved_bytes == less
    with config.patch(aggressive_recomputation=True, ban_recompute_reductions=False):
        assert residuals(m, x, budget=1.0).saved_bytes < less
    assert less < before


def test_the_picture_is_written(tmp_path):
    m, x = graph()
    with config.patch(visualize_memory_budget_pareto=True, memory_budget_pareto_dir=str(tmp_path / "plots")):
        residuals(m, x, budget=0.5)
    (file,) = (tmp_path / "plots").iterdir()
    assert file.suffix == ".svg" and "What a budget buys" in file.read_text()


@pytest.mark.programs
def test_torch_compile_is_under_the_budget():
    m, x = graph()
    compiled = torch.compile(m)

    def gradients():
        m.zero_grad()
        compiled(x).pow(2).sum().backward()
        return [p.grad.numpy().copy() for p in m.parameters()]

    plain = [gradients() for _ in range(4)][-1]
    kept = residuals(compiled, x).saved_bytes
    with config.patch(activation_memory_budget=0.2):
        for _ in range(4):
            for a, b in zip(gradients(), plain):
                assert abs(a - b).max() <= 1e-5 * max(abs(b).max(), 1)
        assert compiled.replayed.replays >= 2 and not compiled.replayed.why_not
        assert residuals(compiled, x).saved_bytes < kept / 2
    gradients()
    assert residuals(compiled, x).saved_bytes == kept


def training():
    m, x = graph()
    optimizer = torch.optim.SGD(m.parameters(), lr=1e-3)

    @torch.compile
    def step(x):
        optimizer.zero_grad()
        loss = m(x).pow(2).sum()
        loss.backward()
        optimizer.step()
        return loss

    return step, x


def test_a_compiled_step_that_trains_is_run_as_it_stands():
    losses = []
    for budget in (1.0, 0.5):
        torch.manual_seed(0)
        step, x = training()
        with config.patch(activation_memory_budget=budget):
            if budget == 1.0:
                losses.append([step(x).item() for _ in range(4)])
            else:
                with pytest.warns(UserWarning, match="has no effect on .*step"):
                    losses.append([step(x).item() for _ in range(4)])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_module_is_the_settings():
    assert module.settings is config
