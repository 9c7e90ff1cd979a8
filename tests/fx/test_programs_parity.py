"""What tracing gives beside PyTorch: the same Nodes, the same code, the same results and the same errors."""

from __future__ import annotations

import copy
import operator
import random
import warnings

import numpy as np
import pytest

import functorch_lite as ours
from functorch_lite import fx
from functorch_lite.fx._names import Namespace, snake_case
from tests.fx import programs

theirs = pytest.importorskip("torch")
pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
their_fx = __import__("torch.fx", fromlist=["fx"])

OTHER_NAMES = (
    ("torch._C._nn.", "torch.nn.functional."), ("torch.functional.", "torch."), ("torch._C._linalg.linalg_", "torch.linalg."),
    ("torch._C._special.special_", "torch.special."), ("torch._C._fft.fft_", "torch.fft."), ("linalg_norm", "norm"), ("special_erf", "erf"), ("fft_fft", "fft"),
)  # fmt: skip
"""PyTorch names some functions by where they are implemented, which no program writes."""


def same_names(text: str) -> str:
    """PyTorch's text with the names that are written here."""
    for old, new in OTHER_NAMES:
        text = text.replace(old, new)
    return text


def listing(graph) -> str:
    """The Nodes of a Graph, with what they call by name."""
    return str(graph)


def values(x):
    """Tensors as NumPy arrays, in what a program returned."""
    if isinstance(x, (ours.Tensor, theirs.Tensor)):
        return x.detach().numpy()
    if isinstance(x, dict):
        return {k: values(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)) and not isinstance(x, (ours.Size, theirs.Size)):
        return [values(v) for v in x]
    if isinstance(x, slice):
        return [values(v) for v in (x.start, x.stop, x.step)]
    return str(x)


def assert_equal(a, b):
    """The same values, to float32's precision."""
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        a, b = list(a.values()), list(b.values())
    if isinstance(a, list):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            assert_equal(x, y)
    elif isinstance(a, np.ndarray):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
        assert a.dtype == b.dtype
    else:
        assert a == b


@pytest.mark.parametrize("name", list(programs.functions(ours)))
def test_functions(name):
    fn, inputs = programs.functions(ours)[name]
    their_fn, their_inputs = programs.functions(theirs)[name]
    gm, their_gm = fx.symbolic_trace(fn), their_fx.symbolic_trace(their_fn)
    assert gm.code == same_names(their_gm.code)
    assert listing(gm.graph) == same_names(listing(their_gm.graph))
    if inputs is None:
        return
    result = values(gm(*inputs))
    assert_equal(result, values(fn(*inputs)))
    if name not in ("dropouts",):
        assert_equal(result, values(their_gm(*their_inputs)))


@pytest.mark.parametrize("name", list(programs.modules(ours)))
def test_modules(name):
    module, inputs = programs.modules(ours)[name]
    their_module, their_inputs = programs.modules(theirs)[name]
    their_module.load_state_dict(
        {k: theirs.from_numpy(v.numpy().copy()) for k, v in module.state_dict().items()}
    )
    gm, their_gm = fx.symbolic_trace(module), their_fx.symbolic_trace(their_module)
    assert gm.code == same_names(their_gm.code)
    assert listing(gm.graph) == same_names(listing(their_gm.graph))
    assert str(gm) == same_names(str(their_gm))
    assert gm.print_readable(print_output=False) == same_names(their_gm.print_readable(print_output=False))
    assert list(gm.state_dict()) == list(their_gm.state_dict())
    result = values(gm(*inputs))
    assert_equal(result, values(module(*inputs)))
    assert_equal(result, values(their_gm(*their_inputs)))
    assert_equal(values(copy.deepcopy(gm)(*inputs)), result)
    assert_equal(values(fx.Interpreter(gm).run(*inputs)), result)
    assert fx.Transformer(gm).transform().code == same_names(their_fx.Transformer(their_gm).transform().code)


@pytest.mark.parametrize("name", list(programs.modules(ours)))
def test_without_leaves(name):
    class Through(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return False

    class TheirThrough(their_fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return False

    def outcome(tracer, module):
        try:
            return same_names(listing(tracer.trace(module)))
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    module, their_module = programs.modules(ours)[name][0], programs.modules(theirs)[name][0]
    mine, pytorchs = outcome(Through(), module), outcome(TheirThrough(), their_module)
    if (
        name == "residual"
    ):  # PyTorch's BatchNorm adds to num_batches_tracked by a branch; both refuse dimensions that are not known
        assert mine.startswith("TraceError") == pytorchs.startswith("TraceError")
    else:
        assert mine.replace("input_1 : torch.Tensor", "input_1 :").replace(" : ", " ") == pytorchs.replace(
            "input_1 : torch.Tensor", "input_1 :"
        ).replace(" : ", " ")


@pytest.mark.parametrize("name", list(programs.layers(ours)))
def test_inside_of_layers(name):
    outcomes = []
    for f, torch in ((fx, ours), (their_fx, theirs)):
        through = type("Through", (f.Tracer,), {"is_leaf_module": lambda self, m, name: False})()
        try:
            text = same_names(str(through.trace(programs.layers(torch)[name]())))
        except f.proxy.TraceError as error:
            text = str(error)
        outcomes.append(text.replace(" : torch.Tensor", ""))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("name", list(programs.REFUSED))
def test_refusals(name):
    fn = programs.REFUSED[name]
    with pytest.raises(Exception) as expected:
        their_fx.symbolic_trace(fn)
    with pytest.raises(Exception) as raised:
        fx.symbolic_trace(fn)
    assert type(raised.value).__name__ == type(expected.value).__name__
    assert str(raised.value) == str(expected.value)


OPERATORS = (
    "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le gt ge eq ne iadd isub imul itruediv ifloordiv imod ipow iand ior "
    "ixor ilshift irshift imatmul"
).split()
METHODS = "reshape view expand permute sum mean max clamp masked_select squeeze repeat to softmax pow bmm cumsum add_ view_as".split()


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_with_constants(name):
    op = getattr(operator, name)
    for make in (
        lambda w: lambda x: op(w, x),
        lambda w: lambda x: op(x, w),
        lambda w: lambda x: op(2, x),
        lambda w: lambda x: op(x, x),
    ):
        outcomes = []
        for f, torch in ((fx, ours), (their_fx, theirs)):
            try:
                outcomes.append(str(f.symbolic_trace(make(torch.ones(2, 2))).graph))
            except Exception as error:
                outcomes.append(type(error).__name__)
        assert outcomes[0] == outcomes[1]


def _calling(method):
    return lambda x: method(x)


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_constants(name):
    graphs = []
    for f, torch in ((fx, ours), (their_fx, theirs)):
        method = getattr(torch.ones(2, 2), name)
        graphs.append(str(f.symbolic_trace(_calling(method)).graph))
    assert graphs[0] == graphs[1]


def test_names():
    draw = random.Random(0)
    words = "a add a_1 a_2 a_01 a_0 _1 _ 1 for if torch inf device len x.y a-b a__1 a_1_1 print_1 é add_ sum sum_0 3x A_1 fx_pytree".split()
    for _ in range(200):
        mine, pytorchs = Namespace(), their_fx.graph._Namespace()
        for _ in range(30):
            word, thing = draw.choice(words), draw.choice((None, None, object()))
            assert mine.create_name(word, thing) == pytorchs.create_name(word, thing)
    for word in ("MaxPool", "ReLU", "a_B", "ABC", "LeakyReLU2d", "x"):
        assert snake_case(word) == their_fx.graph._snake_case(word)


def editing(torch, fx):
    """What verbs of a Graph give, as lines."""
    said = []

    def say(do):
        try:
            said.append(repr(do()))
        except Exception as error:
            said.append(f"{type(error).__name__}: {error}")

    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.p, self.l = torch.nn.Parameter(torch.ones(3)), torch.nn.Linear(3, 3)

        def forward(self, x):
            return self.l(torch.relu(x) + self.p)

    gm = fx.symbolic_trace(M())
    g = gm.graph
    x, relu, p, add, l, out = g.nodes
    other = fx.Graph()
    say(lambda: g.erase_node(relu))
    say(lambda: other.erase_node(x))
    say(lambda: relu.insert_arg(0, 5))
    say(lambda: relu.insert_arg(9, 5))
    say(lambda: relu.update_arg(0, x))
    say(lambda: relu.update_kwarg("k", p))
    say(lambda: (relu.args, relu.kwargs, list(p.users), relu.all_input_nodes))
    say(lambda: relu.args[0:1])
    say(lambda: relu.replace_all_uses_with(x))
    say(lambda: relu.update_arg(7, x))
    say(lambda: g.find_nodes(op="get_attr"))
    say(lambda: g.find_nodes(op="call_function"))
    say(lambda: g.inserting_before(other.placeholder("q")))
    say(lambda: x.append(next(iter(other.nodes))))
    say(lambda: (relu.prev, relu.next, x < add, add < x, sorted([out, x, l])))
    with g.inserting_after(p):
        a = g.call_function(torch.sin, (p,))
        b = g.call_method("cos", (p,))
    with g.inserting_before(p):
        c = g.call_function(torch.tan, (x,), name="my name")
    say(lambda: list(g.nodes))
    say(lambda: list(reversed(g.nodes)))
    c.prepend(x)
    say(lambda: g.lint())
    add.args = ([x, {"a": p}], slice(a, None))
    say(lambda: (add.args, list(a.users)))
    say(lambda: add.args[0].append(1))
    say(lambda: add.args[0][1].update(a=1))
    say(lambda: b.format_node())
    say(lambda: g.eliminate_dead_code())
    say(lambda: str(g))
    p.append(x)
    say(lambda: g.lint())
    say(lambda: other.call_function("text"))
    say(lambda: other.create_node("unknown", "x"))
    say(lambda: other.get_attr("w"))
    say(lambda: other.output(other.call_function(torch.relu, (x,))))
    say(lambda: fx.GraphModule({}, other))
    say(lambda: fx.GraphModule(3, other))
    say(lambda: fx.GraphModule(torch.nn.Module(), other))
    say(lambda: other.lint())
    say(lambda: gm.add_submodule("a.b.c", torch.nn.ReLU()))
    say(lambda: gm.add_submodule("p.c", torch.nn.ReLU()))
    say(lambda: (gm.delete_submodule("a.b"), gm.delete_submodule("zz"), [n for n, _ in gm.named_modules()]))
    say(lambda: (gm.delete_all_unused_submodules(), [n for n, _ in gm.named_modules()]))
    say(lambda: setattr(gm, "graph", 3))
    say(lambda: g.call_module("missing"))
    return said


def test_editing():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine, pytorchs = editing(ours, fx), editing(theirs, their_fx)
    for a, b in zip(mine, pytorchs):
        assert a == b.replace("torch._VariableFunctionsClass.relu", "torch.relu")


def test_specialized_arguments():
    cases = [
        (lambda x, flag: x + 1 if flag else x - 1, {"flag": True}),
        (lambda x, flag=None: x + 1 if flag is None else x - 1, {"flag": None}),
        (lambda x, n: x * n, {"n": 2.5}),
        (lambda x, y: x, ("PH", 2)),
        (lambda x, y: {"a": x["k"][0] + x["k"][1], "b": (y,)}, {"x": {"k": ["PH", "PH"]}, "y": "PH"}),
    ]
    for fn, concrete in cases:
        codes = []
        for f, _ in ((fx, ours), (their_fx, theirs)):
            put = lambda x, ph=f.PH: ph if x == "PH" else x  # noqa: E731
            tree = (
                {"x": {"k": [f.PH, f.PH]}, "y": f.PH}
                if isinstance(concrete, dict) and "x" in concrete
                else tuple(put(x) for x in concrete)
                if isinstance(concrete, tuple)
                else concrete
            )
            codes.append(f.symbolic_trace(fn, concrete_args=tree).code)
        assert codes[0] == codes[1]
