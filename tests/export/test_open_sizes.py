"""torch.export with open sizes: what is exported runs at every size of the ranges, and what fixes a size is an error
that says where, and what to say instead."""

from __future__ import annotations

import functools
import io
import subprocess
import sys

import pytest

import functorch_lite as torch
from functorch_lite.export import (
    AdditionalInputs,
    Dim,
    ShapesCollection,
    draft_export,
    export,
    load,
    save,
)
from functorch_lite.fx.experimental.symbolic_shapes import ConstraintViolationError
from tests.export.specialising import PROGRAMS, module

UserError = torch._dynamo.exc.UserError


def same(a, b):
    torch.testing.assert_close(a, b)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(3, 4)

    def forward(self, x, pair, *, scale=2):
        n, length = x.shape[:2]
        h = self.lin(x).view(n * length, 2, 2).reshape(n, -1, 4)
        h = h + pair[0][:, None] * torch.arange(length)[:, None] / length
        h[:, : length // 2] = 0
        return {"h": h * scale, "rest": pair[1][1:] + torch.zeros(n + length).sum()}


def arguments(n, length):
    return torch.randn(n, length, 3), (torch.randn(n, 4), torch.randn(n + 1))


@functools.cache
def open_net():
    torch.manual_seed(0)
    net, batch, length = Net(), Dim("batch", min=1, max=64), Dim("length", min=2)
    shapes = {"x": {0: batch, 1: length}, "pair": [{0: batch}, (batch + 1,)]}
    return net, export(net, arguments(4, 6), dynamic_shapes=shapes)


def test_it_runs_at_every_size_and_is_kept_in_a_file():
    net, ep = open_net()
    file = io.BytesIO()
    save(ep, file)
    file.seek(0)
    read = load(file)
    assert str(read.range_constraints) == str(ep.range_constraints) == "{batch: VR[1, 64], length: VR[2, int_oo], batch + 1: VR[2, 65]}"  # fmt: skip
    assert read.graph_module.code == ep.graph_module.code
    for n, length in ((1, 2), (2, 7), (5, 5), (64, 3)):
        args = arguments(n, length)
        want = net(*args)
        for called in (ep.module(), read.module()):
            got = called(*args)
            same(got["h"], want["h"])
            same(got["rest"], want["rest"])


def test_the_graph_shows_symbols():
    ep = open_net()[1]
    shown = ep.graph_module.print_readable(print_output=False)
    assert 'x: "f32[batch, length, 3]"' in shown and '"f32[batch*length, 2, 2]"' in shown
    (x,) = [n for n in ep.graph.find_nodes(op="placeholder") if n.name == "x"]
    assert str(x.meta["val"].shape) == "torch.Size([batch, length, 3])"


def test_what_is_outside_of_the_ranges_raises():
    module = open_net()[1].module()
    for (n, length), said in (((65, 3), r"x.size\(\)\[0\] <= 64"), ((3, 1), r"x.size\(\)\[1\] >= 2")):
        with pytest.raises(AssertionError, match="Guard failed: " + said):
            module(*arguments(n, length))
    x, (a, b) = arguments(3, 4)
    with pytest.raises(AssertionError, match=r"Guard failed: pair_1.size\(\)\[0\] == x.size\(\)\[0\] \+ 1"):
        module(x, (a, b[1:]))


def test_it_is_differentiated_and_mapped():
    net, ep = open_net()
    module, args = ep.module(), arguments(3, 4)
    net(*args)["h"].square().sum().backward()
    module(*args)["h"].square().sum().backward()  # its parameters are the module's
    grads = [p.grad.clone() for p in net.parameters()]
    net.zero_grad()
    net(*args)["h"].square().sum().backward()
    for g, p in zip(grads, net.parameters()):
        torch.testing.assert_close(g, 2 * p.grad)
    many = torch.randn(5, *args[0].shape)
    mapped = torch.func.vmap(lambda x: module(x, args[1])["h"])(many)
    torch.testing.assert_close(mapped, torch.stack([net(x, args[1])["h"] for x in many]))


def test_layers():
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3, stride=2), torch.nn.BatchNorm2d(2), torch.nn.ReLU()
    ).eval()
    dims = {0: Dim("batch"), 2: Dim("height", min=3), 3: Dim("width", min=4)}
    module = export(net, (torch.randn(2, 1, 9, 10),), dynamic_shapes=(dims,)).module()
    for size in ((1, 1, 3, 4), (3, 1, 8, 12)):
        x = torch.randn(size)
        same(module(x), net(x))


def test_hints():
    f = module(lambda self, x, y: x + y.sum())
    args = torch.ones(3, 2), torch.ones(4)
    auto = export(f, args, dynamic_shapes=({0: Dim.AUTO, 1: Dim.STATIC}, (Dim.DYNAMIC(min=2, max=9),)))
    assert str(auto.range_constraints) == "{s0: VR[0, int_oo], s1: VR[2, 9]}"
    same(auto.module()(torch.ones(7, 2), torch.ones(9)), torch.full((7, 2), 10.0))
    fixed = module(lambda self, x: x + torch.ones(8))
    assert export(fixed, (torch.ones(8),), dynamic_shapes=({0: Dim.AUTO},)).range_constraints == {}
    with pytest.raises(UserError, match=r"You marked L\['x'\].size\(\)\[0\] as dynamic"):
        export(fixed, (torch.ones(8),), dynamic_shapes=({0: Dim.DYNAMIC},))
    branch = module(lambda self, x: x * 2 if x.shape[0] > 5 else x)
    for hint in (Dim.AUTO, Dim.DYNAMIC):
        found = export(branch, (torch.ones(8),), dynamic_shapes=({0: hint},))
        assert str(found.range_constraints) == "{s0: VR[6, int_oo]}"
    equal = module(lambda self, x, y: x + y)
    found = export(equal, (torch.ones(8), torch.ones(8)), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO}))
    same(found.module()(torch.ones(5), torch.ones(5)), torch.full((5,), 2.0))
    with pytest.raises(AssertionError, match="Guard failed"):
        found.module()(torch.ones(5), torch.ones(1))


def test_dims():
    batch = Dim("batch", min=2, max=6)
    assert [repr(d) for d in (batch, Dim("q"), 2 * batch, batch + 1, batch - 1, 2 * (batch + 1))] == [
        "Dim('batch', max=6)", "Dim('q', min=0)", "2*batch", "batch + 1", "batch - 1", "2*batch + 2",
    ]  # fmt: skip
    assert ((2 * batch).max, (batch + 1).min) == (12, 3)
    for wrong, error in (
        (lambda: batch * 1.5, NotImplementedError),
        (lambda: -1 * batch, NotImplementedError),
        (lambda: batch * batch, NotImplementedError),
        (lambda: Dim("a b"), AssertionError),
        (lambda: Dim("q", min=5, max=3), AssertionError),
    ):
        with pytest.raises(error):
            wrong()


def test_shapes_by_tensor_and_by_example():
    net, x = torch.nn.Linear(2, 3), torch.ones(3, 2)
    shapes, more = ShapesCollection(), AdditionalInputs()
    shapes[x] = {0: Dim.DYNAMIC}
    more.add((torch.ones(5, 2),))
    for said in (shapes, more):
        ep = export(net, (x,), dynamic_shapes=said)
        assert ep.module()(torch.ones(9, 2)).shape == (9, 3)
    more.verify(ep)


def test_registered_dataclasses():
    import dataclasses

    @dataclasses.dataclass
    class Pair:
        a: torch.Tensor
        b: torch.Tensor

    torch.export.register_dataclass(Pair)
    f = module(lambda self, pair: Pair(pair.a + 1, pair.b * pair.a.sum()))
    batch = Dim("batch")
    args = (Pair(torch.ones(3), torch.ones(2)),)
    made = export(f, args, dynamic_shapes=([{0: batch}, None],)).module()(Pair(torch.ones(5), torch.ones(2)))
    assert type(made) is Pair
    same(made.b, torch.full((2,), 5.0))


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_that_fixes_a_size_is_an_error(name):
    forward, args, shapes, told, fixes = PROGRAMS[name]
    with pytest.raises(UserError) as caught:
        export(module(forward(torch)), args(torch), dynamic_shapes=shapes(Dim))
    text = str(caught.value)
    assert told in text and "specialising.py" in text
    assert text.partition("Suggested fixes:\n")[2] == "\n".join(f"  {fix}" for fix in fixes)


def test_examples_that_do_not_fit():
    double = module(lambda self, x, y: x * 2 + y.sum())
    args, batch = (torch.ones(4, 3), torch.ones(5, 3)), Dim("batch")
    for shapes, error, said in (
        (({0: Dim("batch", max=2)}, None), ConstraintViolationError, r"4 not in range \[2, 2\]"),
        (
            ({0: 5}, None),
            ConstraintViolationError,
            "Static shape constraint of 5 does not match input size of 4",
        ),
        (({0: batch}, {0: batch}), UserError, r"L\['y'\].size\(\)\[0\] = 5 is not equal to L\['x'\]"),
        (({0: batch},), UserError, "`inputs` has 2 elements, but `dynamic_shapes` has 1 elements"),
        ({"x": {0: batch}, "z": None}, UserError, r"top-level keys must be the arg names \['x', 'y'\]"),
        (({0: "batch"}, None), UserError, "Unexpected dimension mapped to index 0"),
        (({5: batch}, None), IndexError, "dimension 5"),
    ):
        with pytest.raises(error, match=said):
            export(double, args, dynamic_shapes=shapes)


def test_small_sizes_are_in_the_range_where_the_program_is_the_same():
    plain = module(lambda self, x: x * 2)
    branch = module(lambda self, x: x * 2 if x.shape[0] == 1 else x * 3)
    squeezed = module(lambda self, x: x.squeeze(0) * 2)
    for f, least in ((plain, 0), (branch, 2), (squeezed, 2)):
        ep = export(f, (torch.ones(4, 2),), dynamic_shapes=({0: Dim("n")},))
        (found,) = ep.range_constraints.values()
        assert found.lower == least
    same(export(plain, (torch.ones(1, 2),), dynamic_shapes=({0: Dim("n")},)).module()(torch.ones(3, 2)), torch.full((3, 2), 2.0))  # fmt: skip


def test_ends_of_ranges():
    first = module(lambda self, x: x[:, :5] * 2 + x.sort(1)[0][:, :1])
    shapes = lambda least: ({0: Dim("n", min=1), 1: Dim("l", min=least)},)  # noqa: E731
    with pytest.raises(UserError, match=r"l = Dim\('l', min=5\)"):
        export(first, (torch.ones(4, 6),), dynamic_shapes=shapes(2))
    x = torch.randn(2, 5)
    same(export(first, (torch.ones(4, 6),), dynamic_shapes=shapes(5)).module()(x), first(x))
    table = module(lambda self, x: x + torch.ones(12)[: x.shape[0]])
    with pytest.raises(UserError, match=r"n = Dim\('n', max=12\)"):
        export(table, (torch.ones(6),), dynamic_shapes=({0: Dim("n")},))


def test_a_draft_says_what_it_put_right():
    f = module(lambda self, x, y: (x * 2 if x.shape[0] > 5 else x) + y[: x.shape[0]] + torch.ones(3))
    ep = draft_export(f, (torch.ones(8, 3), torch.ones(8, 3)), dynamic_shapes=({0: Dim("a")}, {0: Dim("b"), 1: Dim("c")}))  # fmt: skip
    assert len(ep._report) >= 2 and all("test_open_sizes.py" in item for item in ep._report)
    same(ep.module()(torch.ones(8, 3), torch.ones(8, 3)), torch.full((8, 3), 4.0))


ALONE = """
import sys
sys.modules["functorch_lite"] = None
import jax, numpy
program = jax.export.deserialize(open(sys.argv[1], "rb").read())
x = numpy.linspace(-1, 1, 15, dtype="float32").reshape(5, 3)
held = dict(numpy.load(sys.argv[2]))
y = program.call(held, x)
slopes = jax.grad(lambda p: (program.call(p, x) ** 2).sum())(held)
numpy.savez(sys.argv[3], y=y, **slopes)
"""


def test_jax_alone_runs_it(tmp_path):
    pytest.importorskip("flatbuffers")
    import numpy as np

    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.Softmax(-1))
    ep = export(net, (torch.randn(4, 3),), dynamic_shapes=({0: Dim("batch", min=1)},))
    exported = ep.to_stablehlo(parameters="arguments")
    assert exported.platforms == ("cpu", "cuda", "tpu") and str(exported.in_avals[-1].shape) == "(batch, 3)"
    program, held, results = tmp_path / "program", tmp_path / "held.npz", tmp_path / "results.npz"
    program.write_bytes(exported.serialize(vjp_order=1))
    np.savez(held, **{n: p.detach().numpy() for n, p in net.named_parameters()})
    subprocess.run([sys.executable, "-c", ALONE, program, held, results], check=True)
    x = torch.linspace(-1, 1, 15).reshape(5, 3)
    y = net(x)
    (y**2).sum().backward()
    found = np.load(results)
    np.testing.assert_allclose(found["y"], y.detach().numpy(), rtol=0, atol=1e-6)
    for name, p in net.named_parameters():
        np.testing.assert_allclose(found[name], p.grad.numpy(), rtol=0, atol=1e-6)


def test_stablehlo_with_buffers_and_what_it_refuses():
    import jax
    import numpy as np

    norm = torch.nn.BatchNorm1d(3)
    exported = export(norm, (torch.randn(4, 3),), dynamic_shapes=({0: Dim("n", min=2)},)).to_stablehlo()
    x = torch.randn(7, 3)
    with jax.enable_x64(True):
        y, written = exported.call(x.numpy())
    want = norm(x)
    np.testing.assert_allclose(y, want.detach().numpy(), atol=1e-6)
    np.testing.assert_allclose(written["running_mean"], norm.running_mean.numpy(), atol=1e-7)
    drawn = export(torch.nn.Dropout(0.5), (torch.ones(3),))
    with pytest.raises(NotImplementedError, match="draws random numbers"):
        drawn.to_stablehlo()
    writes = export(module(lambda self, x: x.add_(1)), (torch.ones(3),))
    with pytest.raises(NotImplementedError, match="writes to its argument"):
        writes.to_stablehlo()
