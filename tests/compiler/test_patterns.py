"""Patterns in Graphs: what is found, what is refused, and what is put in its place."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite._inductor.pattern_matcher import (
    MULTIPLE,
    Arg,
    CallFunction,
    CallFunctionVarArgs,
    ExclusiveKeywordArg,
    Ignored,
    KeywordArg,
    ListOf,
    MultiOutputPattern,
    PatternMatcherPass,
    RepeatedExpr,
    counters,
    fwd_only,
    gen_pattern,
    joint_fwd_bwd,
    register_graph_pattern,
    register_lowering_pattern,
    register_replacement,
)

F = torch.nn.functional


def graph(f, *shapes, dtype=torch.float32):
    return fwd_only(f, [torch.ones(s, dtype=dtype) for s in shapes])


def calls(gm) -> list[str]:
    return [n.name for n in gm.graph.nodes if n.op.startswith("call")]


def last(gm):
    return gm.graph.find_nodes(op="output")[0].args[0][0]


# -- expressions -----------------------------------------------------------------------------------------------------


def test_args_in_order_and_keywords_by_name():
    node = last(graph(lambda x, y: x.sin() * (y + x), (3,), (3,)))
    m = CallFunction(
        torch.mul, CallFunction(torch.sin, Arg()), CallFunction(torch.add, Arg(), KeywordArg("b"))
    ).match(node)
    assert m and [a.name for a in m.args] == ["x", "y"] and m.kwargs["b"].name == "x"
    assert len(m.nodes) == 3 and m.output_node() is node


def test_one_name_is_one_value():
    square = CallFunction(torch.mul, KeywordArg("x"), KeywordArg("x"))
    assert square.match(last(graph(lambda a, b: a * a, (3,), (3,))))
    assert not square.match(last(graph(lambda a, b: a * b, (3,), (3,))))


def test_operands_may_be_swapped_where_that_is_the_same():
    def both(f):
        return CallFunction(f, CallFunction(torch.sin, KeywordArg("x")), KeywordArg("y"))

    assert both(torch.add).match(last(graph(lambda a, b: b + a.sin(), (3,), (3,))))
    assert not both(torch.sub).match(last(graph(lambda a, b: b - a.sin(), (3,), (3,))))


def test_methods_functions_and_operators_are_one():
    e = CallFunction(torch.mul, CallFunction("relu", KeywordArg("x")), 2)
    for f in (
        lambda x: x.relu() * 2,
        lambda x: F.relu(x) * 2,
        lambda x: torch.mul(torch.relu(x), 2),
        lambda x: 2 * torch.relu(x),
    ):
        assert e.match(last(graph(f, (3,)))), f
    aten = torch._ops.aten
    assert CallFunction(aten.mul.Tensor, CallFunction(aten.relu.default, Arg()), 2).match(
        last(graph(lambda x: x.relu() * 2, (3,)))
    )
    assert CallFunction([torch.sin, torch.cos], Arg()).match(last(graph(torch.cos, (3,))))


def test_arguments_that_are_left_out_are_their_defaults():
    total = CallFunction(torch.sum, KeywordArg("x"), 1, keepdim=True)
    assert total.match(last(graph(lambda x: x.sum(dim=1, keepdim=True), (2, 3))))
    assert not total.match(last(graph(lambda x: x.sum(dim=1), (2, 3))))
    assert CallFunction(torch.sum, Arg(), Ignored(), Ignored()).match(last(graph(lambda x: x.sum(0), (2, 3))))


def test_users_of_what_is_inside():
    def f(x):
        y = x.sin()
        return y.exp(), y.cos()

    node = last(graph(f, (3,)))
    assert not CallFunction(torch.exp, CallFunction(torch.sin, Arg())).match(node)
    assert CallFunction(torch.exp, CallFunction(torch.sin, Arg(), _users=2)).match(node)
    assert CallFunction(torch.exp, CallFunction(torch.sin, Arg(), _users=MULTIPLE)).match(node)


def test_exclusive_arguments():
    e = CallFunction(torch.exp, ExclusiveKeywordArg("x"))
    assert e.match(last(graph(lambda x: x.sin().exp(), (3,))))
    assert not e.match(last(graph(lambda x: ((y := x.sin()).exp(), y), (3,))))


def test_any_arguments():
    m = CallFunctionVarArgs(torch.softmax).match(last(graph(lambda x: x.softmax(1), (2, 3))))
    assert m and m.args[1] == 1


def test_lists():
    e = CallFunction(torch.cat, ListOf(CallFunction(torch.sin, KeywordArg("x"))), Ignored())
    m = e.match(last(graph(lambda a, b: torch.cat([a.sin(), b.sin()]), (3,), (2,))))
    assert m and [n.name for n in m.kwargs["x"]] == ["a", "b"]
    assert not e.match(last(graph(lambda a, b: torch.cat([a.sin(), b]), (3,), (2,))))


def test_repeated():
    gm = graph(lambda x, y: (x.sin() + y, x.sin() * 0 + x.sin().cos()), (3,), (3,))
    e = CallFunction(torch.cos, RepeatedExpr(CallFunction(torch.sin, KeywordArg("x"), _users=MULTIPLE)))
    node = gm.graph.find_nodes(op="call_function", target=torch.cos)[0]
    assert e.match(node)


def test_several_outputs():
    def f(x):
        y = x.sin()
        return y.exp(), y.cos()

    shared = CallFunction(torch.sin, KeywordArg("x"), _users=2)
    e = MultiOutputPattern([CallFunction(torch.exp, shared), CallFunction(torch.cos, shared)])
    m = e.match(last(graph(f, (3,))))
    assert m and [n.name for n in m.output_nodes()] == ["exp", "cos"]


# -- passes of edits -------------------------------------------------------------------------------------------------


def test_a_handler_edits_and_does_not_loop():
    p = PatternMatcherPass("twice")

    @register_graph_pattern(CallFunction(torch.sin, KeywordArg("x")), pass_dict=p)
    def double(match, x):
        made = match.graph.call_function(torch.sin, (match.graph.call_function(torch.sin, (x,)),))
        match.output_node().replace_all_uses_with(made)
        match.erase_nodes()

    gm = graph(torch.sin, (3,))
    assert p.apply(gm.graph) == 1
    gm.recompile()
    assert torch.equal(gm(torch.ones(3))[0], torch.ones(3).sin().sin())


def test_a_lowering_runs_in_the_graphs_place():
    p = PatternMatcherPass()

    @register_lowering_pattern(
        CallFunction(torch.add, CallFunction(torch.mul, Arg(), Arg()), Arg()), pass_dict=p
    )
    def fma(match, a, b, c):
        return torch.addcmul(c, a, b)

    gm = graph(lambda a, b, c: a * b + c, (3,), (3,), (3,))
    assert p.apply(gm) == 1
    a, b, c = torch.randn(3), torch.randn(3), torch.randn(3)
    torch.testing.assert_close(gm(a, b, c)[0], a * b + c)


# -- replacement by functions ----------------------------------------------------------------------------------------


def attention(q, k, v, scale):
    return torch.matmul(torch.softmax(torch.matmul(q, k.transpose(-2, -1)) * scale, -1), v)


def fused(q, k, v, scale):
    return F.scaled_dot_product_attention(q, k, v, scale=scale)


def registered(trace_fn=fwd_only, **options):
    p = PatternMatcherPass()
    assert register_replacement(
        attention,
        fused,
        [torch.ones(2, 2, 4, 4)] * 3,
        trace_fn,
        p,
        scalar_workaround={"scale": 0.1234},
        **options,
    )
    return p


def test_sizes_of_examples_do_not_matter_and_numbers_arrive():
    gm = graph(
        lambda q, k, v: (q @ k.mT * 0.125).softmax(3) @ v, (1, 3, 64, 8), (1, 3, 32, 8), (1, 3, 32, 16)
    )
    before = counters["inductor"]["pattern_matcher_count"], counters["inductor"]["pattern_matcher_nodes"]
    assert registered().apply(gm) == 1
    assert calls(gm) == ["scaled_dot_product_attention"] and last(gm).kwargs["scale"] == 0.125
    after = counters["inductor"]["pattern_matcher_count"], counters["inductor"]["pattern_matcher_nodes"]
    assert (after[0] - before[0], after[1] - before[1]) == (1, 5)
    given = [torch.randn(1, 3, n, d) for n, d in ((64, 8), (32, 8), (32, 16))]
    torch.testing.assert_close(gm(*given)[0], attention(*given, 0.125), rtol=1e-5, atol=1e-5)


REFUSED = {
    "another axis": lambda q, k, v: (q @ k.mT * 0.5).softmax(2) @ v,
    "another reader of the weights": lambda q, k, v: ((w := (q @ k.mT * 0.5).softmax(3)) @ v, w),
    "another reader of the scores": lambda q, k, v: ((s := q @ k.mT * 0.5).softmax(3) @ v, s.sum()),
    "keys that are not transposed": lambda q, k, v: (q @ k * 0.5).softmax(3) @ v,
    "a softmax in float64": lambda q, k, v: (q @ k.mT * 0.5).softmax(3, dtype=torch.float64).float() @ v,
    "a scale that is a tensor": lambda q, k, v: (q @ k.mT * v[0, 0, 0, 0]).softmax(3) @ v,
    "no_grad on the way": lambda q, k, v: torch.no_grad()(lambda: (q @ k.mT * 0.5).softmax(3))() @ v,
    "a write on the way": lambda q, k, v: (
        (q @ k.mT * 0.5).softmax(3).index_fill_(0, torch.tensor([0]), 0.0) @ v
    ),
    "a draw on the way": lambda q, k, v: F.dropout((q @ k.mT * 0.5).softmax(3)) @ v,
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    gm = graph(REFUSED[name], (1, 2, 4, 4), (1, 2, 4, 4), (1, 2, 4, 4))
    before = gm.code
    assert registered().apply(gm) == 0 and gm.code == before


def test_another_dtype_is_matched_with_its_own():
    gm = graph(lambda q, k, v: (q @ k.mT * 0.5).softmax(3) @ v, *[(1, 2, 4, 4)] * 3, dtype=torch.bfloat16)
    assert registered().apply(gm) == 1 and last(gm).meta["val"].dtype is torch.bfloat16


def test_the_extra_check_is_asked_and_obeyed():
    asked = []

    def check(match):
        asked.append((sorted(match.kwargs), match.kwargs["q"].meta["val"].shape[-1]))
        return match.kwargs["q"].meta["val"].shape[-1] == 8

    p = registered(extra_check=check)
    for d, count in ((4, 0), (8, 1)):
        assert p.apply(graph(lambda q, k, v: (q @ k.mT * 0.5).softmax(3) @ v, *[(1, 2, 6, d)] * 3)) == count
    assert asked == [(["k", "q", "scale", "v"], 4), (["k", "q", "scale", "v"], 8)]

    def raises(match):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        registered(extra_check=raises).apply(
            graph(lambda q, k, v: (q @ k.mT * 0.5).softmax(3) @ v, *[(1, 2, 4, 4)] * 3)
        )


def test_arguments_that_nothing_else_may_read():
    p = PatternMatcherPass()
    options = {"exclusive_arg_names": ["x"]}
    register_replacement(
        lambda x: torch.exp(x), lambda x: torch.expm1(x) + 1, [torch.ones(2)], fwd_only, p, **options
    )
    assert p.apply(graph(lambda a: a.sin().exp(), (3,))) == 1
    assert p.apply(graph(lambda a: ((b := a.sin()).exp(), b.cos()), (3,))) == 0


def test_a_pattern_is_registered_once():
    p = registered()
    with pytest.raises(RuntimeError, match="Duplicate pattern"):
        register_replacement(
            attention, fused, [torch.ones(2, 2, 4, 4)] * 3, fwd_only, p, scalar_workaround={"scale": 0.1234}
        )
    assert not register_replacement(
        attention,
        fused,
        [torch.ones(2, 2, 4, 4)] * 3,
        fwd_only,
        p,
        scalar_workaround={"scale": 0.1234},
        skip_duplicates=True,
    )
    assert (
        repr(gen_pattern(attention, [torch.ones(2, 2, 8, 8)] * 3, fwd_only, {"scale": 0.1234}))
        in p.seen_patterns
    )


def test_a_replacement_of_other_shapes_is_refused():
    p = PatternMatcherPass()
    register_replacement(lambda x: x.sin(), lambda x: x.cos().sum(), [torch.ones(2)], fwd_only, p)
    assert p.apply(graph(torch.sin, (3,))) == 0


@pytest.mark.parametrize("trace_fn", [fwd_only, joint_fwd_bwd])
def test_in_torch_compile_for_inference_and_training(trace_fn):
    p = PatternMatcherPass()
    register_replacement(lambda x: x * torch.sigmoid(x), lambda x: F.silu(x), [torch.ones(2)], trace_fn, p)
    found = []

    def passes(gr):
        found.append(p.apply(gr))

    f = torch.compile(
        lambda x, w: ((y := x @ w) * y.sigmoid()).sum(), options={"joint_custom_post_pass": passes}
    )
    given = [torch.randn(4, 4, requires_grad=trace_fn is joint_fwd_bwd) for _ in range(2)]
    for _ in range(3):
        torch.testing.assert_close(f(*given), F.silu(given[0] @ given[1]).sum())
    assert found == [1]
    if trace_fn is joint_fwd_bwd:
        got = torch.autograd.grad(f(*given), given)
        for a, b in zip(got, torch.autograd.grad(F.silu(given[0] @ given[1]).sum(), given), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
