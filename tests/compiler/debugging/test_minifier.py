"""The minifier: how small the shown faults become, in how many queries (tests/golden/minifier.json), and that nothing
more can go."""

from __future__ import annotations

import copy
import re

import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.compat.functorch.compile import minifier
from functorch_lite.compiler.debugging.reading import as_data, from_data
from functorch_lite.compiler.debugging.saved import BadFile, Storages
from functorch_lite.compiler.debugging.shrinking import is_finite
from functorch_lite.compiler.debugging.spelling import spelled
from functorch_lite.compiler.debugging.stepping import evaluate
from functorch_lite.compiler.graphs.make_fx import as_called

from .faults import AT_MOST, ERRORS, FACTS, SMALLEST, graph, has_nan, names

SOLVED = [n for n, f in FACTS.items() if f["default"]["ops_after"] == SMALLEST.get(n, 1)]
"""The faults that PyTorch's minifier shrinks to the smallest Graph."""


class Counted:
    def __init__(self, fails):
        self.fails, self.queries, self.not_finite = fails, 0, 0

    def __call__(self, gm, inputs):
        self.queries += 1
        self.not_finite += not all(map(is_finite, inputs))
        return self.fails(gm, inputs)


def removals(gm, inputs):
    """All Graphs with one step, or one output, less."""
    gm = copy.deepcopy(gm)
    evaluate(gm, inputs)
    for node in gm.graph.nodes:
        if not node.op.startswith("call") or not isinstance(node.meta["concrete_value"], torch.Tensor):
            continue
        made = copy.deepcopy(gm)
        (old,) = [n for n in made.graph.nodes if n.name == node.name]
        first = next(iter(made.graph.nodes))
        with made.graph.inserting_before(first):
            new = made.graph.placeholder("made")
        old.replace_all_uses_with(new)
        made.graph.erase_node(old)
        made.recompile()
        yield made, [node.meta["concrete_value"], *inputs]
    outs = gm.graph.output_node().args[0]
    for k in range(len(outs)) if isinstance(outs, tuple | list) and len(outs) > 1 else ():
        made = copy.deepcopy(gm)
        out = made.graph.output_node()
        out.args = (out.args[0][:k] + out.args[0][k + 1 :],)
        made.graph.eliminate_dead_code()
        made.recompile()
        yield made, inputs


@pytest.mark.parametrize("name", FACTS)
def test_the_shown_faults(name, capsys):
    gm, inputs, fault = graph(name)
    fails = Counted(fault)
    small, left = minifier(gm, inputs, fails)
    smallest = SMALLEST.get(name, 1)
    assert len(names(small)) <= max(smallest, AT_MOST.get(name, 0)) and fault(small, left)
    if name in SOLVED:
        assert fails.queries <= 2 * FACTS[name]["default"]["queries"]
        assert len(left) <= FACTS[name]["default"]["inputs_after"]
    assert len(gm.graph.nodes) == FACTS[name]["default"]["nodes_before"]  # it is as it was
    assert fails.not_finite == 0 and all(map(is_finite, left))
    for less, given in removals(small, left):
        assert not (all(map(is_finite, given)) and fault(less, given)), less.code
    said = capsys.readouterr().err
    assert re.search(r"Strategy: .* \(G: \d+\) \(\d+ nodes, \d+ inputs\)", said) and "SUCCESS" in said
    assert f"Made {fails.queries} queries" in said


def test_the_facts_that_pytorch_solves():
    assert len(SOLVED) == 5


def never(gm, inputs):
    return False


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, tmp_path):
    kind, _, text = ERRORS[name].partition(": ")
    options = {
        "nothing fails": {},
        "nothing fails, skip_sanity": {"skip_sanity": True},
        "max_granularity 3": {"max_granularity": 3},
        "offload without save_dir": {"offload_to_disk": True},
    }[name]
    gm, inputs, _ = graph("relu in the middle")
    with pytest.raises(
        {"RuntimeError": RuntimeError, "AssertionError": AssertionError}[kind], match=re.escape(text)
    ):
        minifier(gm, inputs, never, **options)


def test_a_predicate_that_changes_its_mind():
    gm, inputs, fault = graph("relu in the middle")
    asked = []

    def fails(gm, inputs):
        asked.append(1)
        return len(asked) < 8 and fault(gm, inputs)

    with pytest.raises(RuntimeError, match="Final graph is not failing"):
        minifier(gm, inputs, fails)


def test_an_exception_of_the_predicate_is_the_callers():
    gm, inputs, _ = graph("relu in the middle")

    def fails(gm, inputs):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        minifier(gm, inputs, fails)


def test_each_smaller_state_is_dumped():
    gm, inputs, fault = graph("two ops needed together")
    sizes = []
    minifier(gm, inputs, fault, lambda m, i: sizes.append(len(names(m))) or m(*i))
    assert sizes[0] == 27 and sizes[-1] == 2 and sizes == sorted(sizes, reverse=True)


def test_intermediates_on_disk(tmp_path):
    gm, inputs, fault = graph("softmax in a small network")
    small, left = minifier(gm, inputs, fault, save_dir=str(tmp_path), offload_to_disk=True)
    assert names(small) == ["softmax"] and len(list((tmp_path / "intermediates").iterdir())) > 5
    small(*left)


@pytest.mark.parametrize("after", [1, 5, 10])
def test_a_run_that_ends_early_goes_on(after, tmp_path):
    gm, inputs, fault = graph("relu in the middle")
    full = Counted(fault)
    minifier(gm, inputs, full)

    class Killed(BaseException):
        pass

    def dies(gm, inputs):
        if first.queries > after:
            raise Killed
        return fault(gm, inputs)

    first, second = Counted(dies), Counted(fault)
    with pytest.raises(Killed):
        minifier(gm, inputs, first, save_dir=str(tmp_path))
    small, _ = minifier(gm, inputs, second, save_dir=str(tmp_path))
    assert names(small) == ["relu"] and first.queries + second.queries <= full.queries + 2


def test_granularity_is_bounded():
    gm, inputs, fault = graph("reduction tree")
    small, _ = minifier(gm, inputs, fault, max_granularity=4)
    assert names(small) == ["tanh"]


def test_arguments_in_trees():
    gm = as_called(lambda d, s: {"y": torch.relu(d["x"].sin() + s).cos()})({"x": torch.ones(2)}, 2)
    small, left = minifier(gm, [{"x": torch.ones(2)}, 2], lambda gm, _: "relu" in names(gm))
    assert names(small) == ["relu"] and len(left) == 1


def test_random_draws_are_those_of_the_whole_graph():
    def f(x):
        return (nn.functional.dropout(x * 2).sin() + torch.rand(3)).relu()

    torch.manual_seed(3)
    gm = as_called(f)(torch.ones(3))
    wanted = gm(torch.ones(3)).sum().item()
    torch.manual_seed(3)
    gm = as_called(f)(torch.ones(3))

    def fails(gm, inputs):
        (out,) = torch.utils._pytree.tree_leaves(gm(*inputs))
        return out.sum().item() == pytest.approx(wanted, rel=1e-5)

    before = torch.get_rng_state()
    small, left = minifier(gm, [torch.ones(3)], fails)
    assert fails(small, left) and torch.equal(torch.get_rng_state(), before)


def test_what_is_dead_and_needed():
    g = torch.fx.Graph()
    x = g.placeholder("x")
    g.call_function(torch.relu, (g.call_function(torch.sin, (x,)),))
    g.output(g.call_function(torch.cos, (x,)))
    gm = torch.fx.GraphModule({}, g)
    small, _ = minifier(gm, [torch.ones(2)], lambda gm, _: "relu" in names(gm))
    assert names(small) == ["relu"]


def test_tuples_numbers_and_switches():
    def f(x):
        a, b = torch.sort(x.sin())
        with torch.no_grad():
            c = a * 3.5
        return torch.topk(c, 2)[0].exp() + b[:2]

    gm = as_called(f)(torch.randn(5))
    for op in ("sort", "topk", "exp", "mul"):
        small, left = minifier(gm, [torch.randn(5)], lambda gm, _, op=op: op in names(gm))
        assert [n for n in names(small) if "getitem" not in n] == [op]
        small(*left)
    again, _ = from_data(as_data(spelled(gm), {}))  # the switches are written, and read
    with torch.no_grad():
        again(torch.ones(5, requires_grad=True))
        assert again.code == gm.code and not torch.is_grad_enabled()


def test_chains_become_short():
    def feeds(gm, inputs):
        return any(
            n.target is torch.sin and n.args[0].op.startswith("call") and n.args[0].target is torch.sin
            for n in gm.graph.nodes
        )

    gm = as_called(lambda x: x.cos().sin().sin().exp())(torch.ones(3))
    assert names(minifier(gm, [torch.ones(3)], feeds)[0]) == ["sin", "sin"]


def test_minify_faults_of_values(tmp_path):
    def f(x):
        y = x.exp().exp().exp()
        return (y - y).mean() + x.sum()

    x = [torch.full((4,), 2.0)]
    small, left = torch.debug.minify(f, x, fault="nan", save_dir=tmp_path)
    assert names(small) == ["exp", "sub"] and has_nan(small(*left))
    small, left = torch.debug.minify(lambda x: x.exp().exp().exp() + x.sum(), x, fault="inf")
    assert names(small) == ["exp"] and all(map(is_finite, left))
    with pytest.raises(ValueError, match="not finite already"):
        torch.debug.minify(f, [torch.tensor([float("nan")])], fault="nan")
    with pytest.raises(TypeError, match="fails, or fault"):
        torch.debug.minify(f, x)
    with pytest.raises(ValueError, match='"nan" or "inf"'):
        torch.debug.minify(f, x, fault="x")


def test_sizes_and_numbers_shrink():
    def f(x):
        return (x.view(4, 16).sum(-1, keepdim=True).expand(4, 16) * 3.7).tanh()

    small, (x,) = torch.debug.minify(
        f, [torch.randn(64)], lambda gm, _: "mul" in names(gm), shrink_shapes=True
    )
    assert names(small) == ["mul"] and x.numel() == 1 and 3.7 not in small.graph.find_nodes(
        op="call_function", target=torch.mul
    )[0].args  # fmt: skip


def test_storages_refuse_other_bytes(tmp_path):
    store = Storages(tmp_path)
    t = torch.arange(6, dtype=torch.bfloat16).view(2, 3)
    name = store.write(t)
    assert store.write(t.clone()) == name and len(list(tmp_path.iterdir())) == 1
    assert torch.equal(store.read(name, (2, 3), torch.bfloat16), t)
    assert store.read("0" * 40, (2, 3), torch.bfloat16) is None
    with pytest.raises(BadFile, match="it has 12 bytes, where"):
        store.read(name, (10**9,), torch.float32)
    with pytest.raises(BadFile, match="expected the digest"):
        store.read("../" + name, (2, 3), torch.bfloat16)
    (tmp_path / name).write_bytes(b"\0" * 12)
    with pytest.raises(BadFile, match="not those that its name is the digest of"):
        store.read(name, (2, 3), torch.bfloat16)
