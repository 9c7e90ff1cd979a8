"""Plans of programs that are written down here: steps with bytes, costs and edges."""

import itertools

import numpy as np
import pytest

from functorch_lite.compiler.partition.bans import FAR, LONG, Rules
from functorch_lite.compiler.partition.choose import _by_prices, choose, default_plan, fastest, pareto
from functorch_lite.compiler.partition.cuts import Cuts, minimum_cut
from functorch_lite.compiler.partition.flow import Network
from functorch_lite.compiler.partition.knapsack import greedy, ilp
from functorch_lite.compiler.partition.pareto_plot import svg
from functorch_lite.compiler.partition.program import (
    INPUT,
    OTHER,
    POINTWISE,
    PRODUCT,
    REDUCTION,
    VIEW,
    Program,
    Step,
    plan_of,
)  # fmt: skip


class Written:
    """A program, step by step: forward ones by name, then what the backward reads, by which kind of step."""

    def __init__(self):
        self.steps, self.at = [], {}

    def step(self, name, kind, size, cost, *reads, **more):
        self.at[name] = len(self.steps)
        self.steps.append(Step(name, kind, size, cost, tuple(self.at[r] for r in reads), **more))
        return self

    def program(self, result, **read_by):
        gradients = []
        self.step("ct", INPUT, 4, 0.0, backward=True)
        for name, kind in read_by.items():
            self.step(f"d{name}", kind, 4, 1.0, name, "ct", backward=True)
            gradients.append(self.at[f"d{name}"])
        return Program(tuple(self.steps), (self.at[result],), tuple(gradients))


def names(plan):
    return [plan.program.steps[i].name for i in plan.saved]


def layers(n=4, width=100):
    """Products, each followed by something pointwise; the backward's products read the pointwise values, its pointwise
    steps the products."""
    w = Written().step("x", INPUT, width, 0.0)
    last, reads = "x", {}
    for k in range(n):
        w.step(f"h{k}", PRODUCT, width, 1000.0 * (k + 1), last, flops=1000.0 * (k + 1))
        w.step(f"a{k}", POINTWISE, width, 10.0, f"h{k}")
        last = f"a{k}"
        reads |= {f"h{k}": POINTWISE, f"a{k}": PRODUCT}
    w.step("out", PRODUCT, 4, 100.0, last)
    return w.program("out", **reads)


def test_a_budget_of_one_keeps_what_products_read():
    plan = choose(layers(), 1.0)
    assert names(plan) == [f"{k}{i}" for i in range(4) for k in "ha"] and not plan.again


def test_a_budget_of_zero_keeps_inputs_alone():
    plan = choose(layers(), 0.0)
    assert plan.saved == () and plan.total_bytes == 100
    assert plan.cost == 10_000 + 40


def test_between_the_locality_goes_first():
    plan = choose(layers(), 0.5)
    assert names(plan) == ["h0", "h1", "h2", "h3"] and plan.flops == 0


def test_then_what_costs_least_runs_again():
    plan = choose(
        layers(), 0.25
    )  # 100 + 175 bytes: with h0 the input is not read, which leaves room for one more
    assert names(plan) == ["h0", "h3"] and plan.flops == 5000


@pytest.mark.parametrize("budget", [-0.1, 1.1, 2, True, "a"])
def test_budgets_are_numbers_from_0_to_1(budget):
    with pytest.raises(RuntimeError, match=f"The valid ranges for memory budget are 0 <= m <= 1. The provided value is {budget}"):  # fmt: skip
        choose(layers(), budget)


def test_bytes_do_not_fall_and_costs_do_not_rise():
    rng = np.random.default_rng(0)
    for _ in range(10):
        found = pareto(random_program(rng, 40))
        most = found.plans[-1].total_bytes - found.plans[-1].program.input_bytes
        for a, b in itertools.pairwise(found.plans):
            assert b.cost <= a.cost + 1e-9
            assert b.saved_bytes >= a.saved_bytes - 0.02 * max(most, 1)


def random_program(rng, n):
    w = Written().step("x", INPUT, 8, 0.0)
    known, reads = ["x"], {}
    for k in range(n):
        kind = [POINTWISE, POINTWISE, PRODUCT, REDUCTION, VIEW, OTHER][rng.integers(6)]
        of = [known[-1], known[rng.integers(len(known))]]
        cost = {VIEW: 0.0, POINTWISE: 10.0, PRODUCT: 2000.0}.get(kind, 50.0) * rng.integers(1, 5)
        w.step(f"s{k}", kind, int(rng.integers(1, 50)) * 8, float(cost), *dict.fromkeys(of))
        known.append(f"s{k}")
        if rng.random() < 0.6:
            reads[f"s{k}"] = [POINTWISE, PRODUCT][rng.integers(2)]
    return w.program(known[-1], **reads)


def is_whole(program, plan):
    """Whether all that the backward reads is there: kept, an input, or computed of such."""
    there = {*plan.saved, *plan.inputs}
    for i, s in enumerate(program.steps):
        if i in program.before and i not in there and all(r in there for r in s.reads) and s.kind != INPUT:
            there.add(i)
    return all(i in there for i in program.required)


def test_the_cut_is_the_least_of_all():
    rng = np.random.default_rng(2)
    for _ in range(15):
        program = random_program(rng, 9)
        inner = [i for i in program.before if program.steps[i].kind != INPUT]
        least = min(
            plan_of(program, set(s)).total_bytes
            for k in range(len(inner) + 1)
            for s in itertools.combinations(inner, k)
        )
        plan = minimum_cut(program)
        assert plan.total_bytes == least and is_whole(program, plan)


def test_every_plan_is_whole_and_fits():
    rng = np.random.default_rng(3)
    for _ in range(10):
        program = random_program(rng, 30)
        first = choose(program, 1.0)
        room = first.total_bytes - program.input_bytes
        for budget in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
            for solver in (greedy, ilp):
                plan = choose(program, budget, solver=solver)
                assert is_whole(program, plan)
                fits = plan.total_bytes - program.input_bytes <= budget * room + 1e-6
                assert fits or not plan.saved
        assert is_whole(program, default_plan(program)) and not default_plan(program).again


def test_the_default_plan_runs_nothing_again():
    assert not default_plan(layers()).again


# -- settings, each with a program in which it makes a difference ------------------------------------------------------


def cost_of_keeping(program, **off):
    """Bytes kept by the fastest plan with a rule, and without it."""
    return fastest(program, Rules()).saved_bytes, fastest(program, Rules(**off)).saved_bytes


def test_values_used_far_apart_are_kept():
    w = Written().step("x", INPUT, 4, 0.0).step("early", POINTWISE, 40, 1.0, "x")
    last = "early"
    for k in range(FAR + 5):
        w.step(f"s{k}", POINTWISE, 40, 1.0, last)
        last = f"s{k}"
    w.step("late", POINTWISE, 40, 1.0, last, "early")
    assert cost_of_keeping(w.program("late", early=POINTWISE), far_apart=False) == (40, 0)


def test_long_chains_are_interrupted():
    w = Written().step("x", INPUT, 4, 0.0)
    last = "x"
    for k in range(2 * LONG + 50):
        w.step(f"s{k}", POINTWISE, 40, 1.0, last)
        last = f"s{k}"
    w.step("end", POINTWISE, 40, 1.0, last)
    assert cost_of_keeping(w.program("end", **{last: POINTWISE}), long_chains=False) == (40, 0)


def test_what_a_product_reads_is_kept():
    w = Written().step("x", INPUT, 4, 0.0).step("a", POINTWISE, 40, 1.0, "x").step("t", VIEW, 40, 0.0, "a")
    w.step("out", PRODUCT, 4, 9.0, "t")
    assert cost_of_keeping(w.program("out", t=PRODUCT), materialized=False) == (40, 0)


def test_what_is_in_no_allowlist_is_kept():
    w = Written().step("x", INPUT, 4, 0.0).step("s", OTHER, 40, 1.0, "x")
    assert cost_of_keeping(w.program("s", s=POINTWISE), allowlist=False) == (40, 0)


def test_reductions_are_kept():
    w = Written().step("x", INPUT, 4, 0.0).step("s", REDUCTION, 40, 1.0, "x")
    assert cost_of_keeping(w.program("s", s=POINTWISE), reductions=False) == (40, 0)


def test_views_need_not_be_kept():
    w = Written().step("x", INPUT, 4, 0.0).step("h", PRODUCT, 400, 9.0, "x").step("part", VIEW, 40, 0.0, "h")
    program = w.program("part", part=POINTWISE)
    assert cost_of_keeping(program, recompute_views=True) == (40, 400)


def test_parameters_count_nothing():
    w = Written().step("w", INPUT, 4000, 0.0, parameter=True).step("s", POINTWISE, 40, 1.0, "w")
    w.step("out", POINTWISE, 40, 1.0, "s")
    assert cost_of_keeping(w.program("out", s=POINTWISE), free_parameters=False) == (0, 40)


def test_products_run_again_below_one_only():
    rules = Rules().without_allowlist()
    assert names(fastest(layers(2), rules)) == ["h0", "h1"]


# -- what the user says ------------------------------------------------------------------------------------------------


def said(**by_name):
    program = layers()
    steps = [Step(**{**s.__dict__, **by_name.get(s.name, {})}) for s in program.steps]
    return Program(tuple(steps), program.results, program.gradients)


def test_must_holds_at_every_budget():
    program = said(h1={"must": "save"}, h3={"must": "recompute"})
    for budget in (0.0, 0.25, 0.5, 0.75, 1.0):
        kept = names(choose(program, budget))
        assert "h1" in kept and "h3" not in kept


def test_prefer_holds_where_there_is_room():
    program = said(h0={"prefer": "recompute"}, a0={"prefer": "recompute"}, h1={"prefer": "save"})
    at_one = names(choose(program, 1.0))
    assert "h0" not in at_one and "a0" not in at_one and "h1" in at_one
    assert choose(program, 0.0).saved == ()


# -- parts -------------------------------------------------------------------------------------------------------------


def test_a_program_reads_backwards():
    with pytest.raises(ValueError, match="which is not before it"):
        Program((Step("a", POINTWISE, 4, 1.0, (0,)),), (0,), ())


def test_the_network_agrees_with_scipy():
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    rng = np.random.default_rng(0)
    for _ in range(20):
        n = 12
        capacity = rng.integers(0, 20, (n, n)) * (rng.random((n, n)) < 0.3)
        np.fill_diagonal(capacity, 0)
        network = Network(n)
        for i, j in zip(*capacity.nonzero()):
            network.add(int(i), int(j), int(capacity[i, j]))
        flow, side = network.minimum_cut(0, n - 1)
        assert flow == maximum_flow(csr_array(capacity.astype(np.int32)), 0, n - 1).flow_value
        across = sum(capacity[i, j] for i in range(n) for j in range(n) if side[i] and not side[j])
        assert flow == across


def test_a_cut_begins_at_what_flowed_before():
    rng = np.random.default_rng(1)
    for _ in range(20):
        n, edges = 12, []
        for _ in range(40):
            i, j = sorted(rng.choice(12, 2, replace=False).tolist())
            edges.append((i, j, int(rng.integers(0, 20)), int(rng.integers(0, 20))))
        before, wider = Network(n), Network(n)
        numbers = [before.add(i, j, c) for i, j, c, _ in edges]
        for i, j, c, more in edges:
            wider.add(i, j, c + more)
        first = before.minimum_cut(0, n - 1)
        after = before.copy()
        for edge, (*_, more) in zip(numbers, edges):
            after.widen(edge, more)
        assert after.minimum_cut(0, n - 1) == wider.minimum_cut(0, n - 1)
        assert before.minimum_cut(0, n - 1) == first


def test_a_price_is_found_that_halving_finds():
    """No cut that fits has a higher price: those of 200 prices are no cheaper."""
    rng = np.random.default_rng(4)
    rules = Rules().without_allowlist()
    for _ in range(5):
        program = random_program(rng, 60)
        room = program.input_bytes + 0.5 * (fastest(program, Rules()).total_bytes - program.input_bytes)
        cuts = Cuts(program, (), rules)
        plans = [cuts.at(price).plan for price in np.geomspace(1e-4, 1e3, 200)]
        least = min(p.cost for p in plans if p.total_bytes <= room)
        assert _by_prices(program, room, Rules()).cost <= least * (1 + 1e-9)


def test_the_picture_has_a_point_for_each_plan():
    import xml.etree.ElementTree as ElementTree

    found = pareto(layers())
    drawn = ElementTree.fromstring(svg(found).encode())
    circles = [e for e in drawn if e.tag.endswith("circle")]
    assert len(circles) == len({(p.saved_bytes, p.cost) for p in found.plans}) > 3
