"""GraphModules as modules: called, differentiated, vectorized, compiled, copied, pickled and saved; and what tracing
leaves as it was."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
import sys

import pytest

import functorch_lite as torch
from functorch_lite import func, fx, nn
from functorch_lite.fx.graph_module import reduce_graph_module
from functorch_lite.nn.modules._global_hooks import CallHooks
from functorch_lite.nn.modules._registry import Registry
from functorch_lite.nn.modules.module import Module


class Net(nn.Module):
    """A module with a parameter, a buffer, submodules and a function with defaults."""

    def __init__(self):
        super().__init__()
        self.fc, self.bn = nn.Linear(3, 3), nn.BatchNorm1d(3)
        self.scale = nn.Parameter(torch.full((3,), 1.5))
        self.register_buffer("shift", torch.full((3,), 0.25))

    def forward(self, x):
        return torch.nn.functional.gelu(self.bn(self.fc(x))) * self.scale + self.shift


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return Net().eval()


@pytest.fixture(scope="module")
def x():
    torch.manual_seed(1)
    return torch.randn(4, 3)


def test_values_and_state(net, x):
    gm = fx.symbolic_trace(net)
    assert torch.equal(gm(x), net(x))
    assert list(gm.state_dict()) == ["scale", "shift", *[k for k in net.state_dict() if "." in k]]
    assert gm.scale is net.scale and gm.fc is net.fc and not gm.training
    assert gm.load_state_dict(net.state_dict()).missing_keys == []


def test_gradients(net, x):
    gm = copy.deepcopy(fx.symbolic_trace(net))
    gm(x).sum().backward()
    expected = torch.autograd.grad(net(x).sum(), net.scale)[0]
    assert torch.equal(gm.scale.grad, expected)

    def loss(p):
        return func.functional_call(gm, p, (x,)).sum()

    assert torch.allclose(func.grad(loss)(dict(gm.named_parameters()))["scale"], expected)
    assert torch.allclose(func.jacrev(gm)(x[:1]), func.jacrev(net)(x[:1]))


def test_vmap_and_compile(net, x):
    gm = fx.symbolic_trace(net)
    assert torch.allclose(torch.vmap(gm)(x[:, None]), net(x)[:, None], atol=1e-6)
    compiled = torch.compile(gm)
    for _ in range(3):
        assert torch.allclose(compiled(x), net(x), atol=1e-6)


def test_an_edit_is_seen_after_recompile(x):
    gm = fx.symbolic_trace(lambda a: torch.relu(a))
    node = gm.graph.find_nodes(op="call_function", target=torch.relu)[0]
    node.target = torch.sin
    assert torch.equal(gm(x), torch.relu(x))
    gm.recompile()
    assert torch.equal(gm(x), torch.sin(x))
    compiled = torch.compile(gm)
    assert torch.equal(compiled(x), torch.sin(x))
    node.target = torch.cos
    gm.recompile()
    assert torch.equal(compiled(x), torch.cos(x))


def test_copies_are_apart(net, x):
    gm = fx.symbolic_trace(net)
    made = copy.deepcopy(gm)
    made.graph.erase_node(made.graph.output_node())
    made.graph.output(made.graph.find_nodes(op="call_module", target="fc")[0])
    made.recompile()
    assert torch.equal(made(x), net.fc(x)) and torch.equal(gm(x), net(x))
    assert all(n.graph is made.graph for n in made.graph.nodes)
    assert made.fc.weight is not gm.fc.weight and made.graph.owning_module is made


def test_pickles(net, x):
    gm = fx.symbolic_trace(net)
    made = pickle.loads(pickle.dumps(gm))
    assert torch.equal(made(x), net(x)) and made.code == gm.code and type(made).__name__ == "Net"
    nested = fx.symbolic_trace(lambda a: {"b": a["k"][0] + 1}, concrete_args={"a": {"k": [fx.PH]}})
    assert pickle.loads(pickle.dumps(nested))({"k": [1]}) == {"b": 2}
    graph = pickle.loads(pickle.dumps(gm.graph))
    assert str(graph) == str(gm.graph)


def test_files_hold_data(net, x):
    gm = fx.symbolic_trace(net)
    file = io.BytesIO()
    torch.save(gm, file)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="reduce_graph_module"):
        torch.load(file)
    file.seek(0)
    with torch.serialization.safe_globals(
        [reduce_graph_module, nn.Linear, nn.BatchNorm1d, Registry, CallHooks]
    ):
        assert torch.equal(torch.load(file)(x), net(x))


@pytest.mark.parametrize(
    "name",
    [
        "torch.load",
        "builtins.eval",
        "builtins.exec",
        "os.system",
        "torch._core.api.overrides",
        "operator.nothing",
    ],
)
def test_a_record_names_no_other_functions(name):
    record = {
        "nodes": [("call_function", "f", ["name", name], ("tuple", []), ("dict", []), None)],
        "codegen": None,
        "tracer": None,
    }
    with pytest.raises(AttributeError, match="is not known here"):
        reduce_graph_module({"_class_name": "M"}, record)


def test_errors_name_the_generated_line(capfd):
    gm = fx.symbolic_trace(lambda a, b: torch.relu(a) @ b)
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        gm(torch.ones(2, 3), torch.ones(2, 3))
    said = capfd.readouterr().err
    assert "Call using an FX-traced Module, line 6 of the traced Module's generated forward function" in said
    assert "matmul = relu @ b" in said and "<--- HERE" in said


def test_tracing_leaves_no_trace(net):
    before = Module.__call__, Module.__getattr__
    fx.symbolic_trace(net)
    with pytest.raises(fx.proxy.TraceError):
        fx.symbolic_trace(lambda a: 1 if a else 2)
    with pytest.raises(ZeroDivisionError):
        fx.symbolic_trace(lambda a: 1 / 0)
    assert (Module.__call__, Module.__getattr__) == before
    import math

    assert not hasattr(math.sqrt, "__wrapped__")
    assert isinstance(net.scale, nn.Parameter) and not fx._symbolic_trace.is_fx_tracing()


def test_writes_and_draws_are_kept():
    """PyTorch takes these out, and says that its elimination of dead code is not sound."""

    def f(a):
        a.add_(1)
        torch.relu_(a)
        torch.nn.functional.relu(a, inplace=True)
        torch.add(a, 1, out=a)
        torch.nn.functional.dropout(a, training=True)
        torch.nn.functional.dropout(a, training=False)
        torch.sin(a)
        return a.clone()

    gm = fx.symbolic_trace(f)
    gm.graph.eliminate_dead_code()
    kept = ["add_", "relu_", "relu", "add", "dropout", "clone"]
    assert [n.name for n in gm.graph.nodes if n.op.startswith("call")] == kept
    dropped = gm.graph.find_nodes(op="call_function", target=torch.nn.functional.dropout)[0]
    assert dropped.is_impure() and not dropped.is_impure(impure_random=False)


def test_printing_needs_tabulate(capsys):
    gm = fx.symbolic_trace(lambda a: a + 1)
    try:
        import tabulate  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError):
            gm.graph.print_tabular()
        assert "pip install tabulate" in capsys.readouterr().out
    else:
        gm.graph.print_tabular()
        assert "call_function" in capsys.readouterr().out


def test_drawing_needs_pydot():
    from functorch_lite.fx.passes import graph_drawer

    gm = fx.symbolic_trace(Net())
    if graph_drawer.HAS_PYDOT:
        text = graph_drawer.FxGraphDrawer(gm, "net").get_dot_graph().to_string()
        assert "op_code=call_module" in text and "fc -> bn" in text
    else:
        with pytest.raises(RuntimeError, match="requires the pydot package"):
            graph_drawer.FxGraphDrawer(gm, "net")


def test_to_folder_refuses(tmp_path):
    with pytest.raises(NotImplementedError, match=r"torch\.save"):
        fx.symbolic_trace(nn.ReLU()).to_folder(tmp_path)


def test_asserts_are_recorded():
    class Asserting(fx.Tracer):
        trace_asserts = True

    space: dict = {}  # pytest would write this assert anew
    exec("def f(a):\n    assert a.sum() > 0\n    return a * 2", space)
    f = space["f"]
    gm = fx.GraphModule(nn.Module(), Asserting().trace(f))
    assert torch.equal(gm(torch.ones(2)), torch.full((2,), 2.0))
    with pytest.raises(AssertionError):
        gm(-torch.ones(2))


def test_shapes_of_parameters():
    class Sized(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2, 3))

        def forward(self, a):
            return a * 2 if self.weight.shape[0] == 2 and self.weight.ndim == 2 else a

    with pytest.raises(fx.proxy.TraceError):
        fx.Tracer().trace(Sized())
    graph = fx.Tracer(param_shapes_constant=True).trace(Sized())
    assert [n.name for n in graph.nodes] == ["a", "weight", "mul", "output"]


def test_it_is_imported_when_asked_for():
    code = "import sys, functorch_lite; assert 'functorch_lite.fx' not in sys.modules; functorch_lite.fx.symbolic_trace"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class _Asserts(nn.Module):
    def forward(self, x):
        torch._assert(x.ndim == 2, "two dims")
        return x + 1


def test_a_graph_with_assertions_is_pickled():
    kept = pickle.loads(pickle.dumps(fx.symbolic_trace(_Asserts())))
    assert kept(torch.ones(1, 1)).item() == 2
    with pytest.raises(AssertionError, match="two dims"):
        kept(torch.ones(1))


def test_a_graph_module_with_annotations_is_traced_again():
    class Doubles(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 2 * x

    again = fx.symbolic_trace(fx.symbolic_trace(Doubles()))  # the code that was made is in no module
    assert again(torch.ones(2)).tolist() == [2, 2]
