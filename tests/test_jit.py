"""torch.jit and torch.distributed for programs that use them and could do without."""

from __future__ import annotations

import copy
import io
import typing
import warnings
import zipfile

import pytest

import functorch_lite as torch
from functorch_lite import nn


def test_what_is_scripted_does_what_it_did():
    @torch.jit.script
    def double(x: torch.Tensor, n: int) -> torch.Tensor:
        if torch.jit.is_scripting() or torch.jit.is_tracing():
            raise AssertionError
        return x * n

    written = double.code
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    scripted = torch.jit.script(net)
    assert isinstance(scripted, torch.jit.ScriptModule) and isinstance(scripted, nn.Sequential)
    assert torch.jit.script(scripted) is scripted and scripted.original_name == "Sequential"
    assert str(scripted) == str(net) and scripted[0].weight is net[0].weight
    assert list(scripted.state_dict()) == list(net.state_dict())
    scripted(torch.ones(1, 2)).sum().backward()
    assert net[0].weight.grad is not None and copy.deepcopy(scripted)[0].weight is not net[0].weight
    assert torch.jit.script(nn.Linear) is nn.Linear
    assert double(torch.ones(2), 3).tolist() == [3.0, 3.0]
    assert isinstance(double, torch.jit.ScriptFunction) and double.name == "double"
    fresh = torch.jit.script(nn.Linear(2, 3))
    with pytest.raises(RuntimeError, match=r"torch\.jit\.graph: Linear was neither traced nor called"):
        _ = fresh.graph
    assert fresh.code.startswith("def forward(self, input") and written.startswith(
        "def double(x: torch.Tensor, n: int)"
    )
    for wrong in (1, "net"):
        with pytest.raises(TypeError, match="expected a function, module or class"):
            torch.jit.script(wrong)


def test_what_is_traced_is_called_once_with_the_example():
    calls = []

    def f(x, y=1):
        calls.append((x, y))
        return x + y

    x = torch.ones(2)
    assert torch.jit.trace(f, x)(x, 4).tolist() == [5.0, 5.0]
    torch.jit.trace(f, (x, 2))
    torch.jit.trace(f, example_kwarg_inputs={"x": x, "y": 3})
    assert [y for _, y in calls] == [1, 4, 2, 3]
    net = nn.Linear(2, 3)
    traced = torch.jit.trace_module(net, {"forward": x})
    assert isinstance(traced, torch.jit.ScriptModule) and traced.weight is net.weight
    with pytest.raises(RuntimeError, match=r"shapes cannot be multiplied|size mismatch"):
        torch.jit.trace(net, torch.ones(3))
    with pytest.raises(RuntimeError, match="expected a function or module, got int"):
        torch.jit.trace(1, x)


def test_old_script_modules_are_modules():
    class Scale(torch.jit.ScriptModule):
        __constants__: typing.ClassVar = ["n"]

        def __init__(self):
            super().__init__()
            self.n = 2
            self.w = nn.Parameter(torch.ones(1))

        @torch.jit.script_method
        def forward(self, x):
            return self.w * x * self.n

        @torch.jit.export
        def one(self):
            return 1

        @torch.jit.ignore(drop=True)
        def two(self):
            return 2

        @torch.jit.unused
        def three(self):
            return 3

    scale = Scale()
    assert (scale(torch.ones(1)).item(), scale.one(), scale.two(), scale.three()) == (2.0, 1, 2, 3)
    with pytest.raises(RuntimeError, match="modules in eval mode"):
        torch.jit.freeze(scale)
    frozen = torch.jit.freeze(scale.eval())
    assert torch.jit.optimize_for_inference(frozen) is frozen
    old = torch.jit.ScriptModule()
    old.n = torch.jit.Attribute(20, int)
    assert old.n == 20


def test_what_is_frozen_holds_constants():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Linear(2, 2))
    net[2].weight = net[0].weight
    scripted, x = torch.jit.script(net), torch.ones(3, 2)
    for _ in range(2):
        scripted(x + torch.randn(3, 2))
    wanted = scripted.eval()(x)
    frozen = torch.jit.freeze(scripted, ["training"])
    assert not list(frozen.state_dict()) and frozen[0].weight is frozen[2].weight
    torch.testing.assert_close(frozen(x), wanted.detach())
    assert wanted.requires_grad and not frozen(x).requires_grad
    with torch.no_grad():
        net[0].weight.add_(1)
    torch.testing.assert_close(frozen(x), wanted.detach())
    assert len(list(scripted.parameters())) == 5
    again = torch.jit.load(io.BytesIO(frozen.save_to_buffer()))
    torch.testing.assert_close(again(x), wanted.detach())
    assert not list(torch.jit.optimize_for_inference(scripted.train()).parameters()) and not scripted.training
    for wrong in (torch.jit.freeze, torch.jit.optimize_for_inference):
        with pytest.raises(RuntimeError, match="expects a ScriptModule as input"):
            wrong(net)
    with pytest.raises(RuntimeError, match="Unknown name: nope"):
        torch.jit.freeze(scripted, ["nope"])


def test_fork_and_wait():
    @torch.jit.script
    def both(x):
        halves = [torch.jit.fork(torch.mul, x, k) for k in (2, 3)]
        return sum(torch.jit.wait(h) for h in halves)

    x = torch.ones(2, requires_grad=True)
    both(x).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0] and isinstance(torch.jit.fork(torch.neg, x), torch.jit.Future)
    for wrong in (lambda: torch.jit.fork(1), lambda: torch.jit.wait(1)):
        with pytest.raises(TypeError, match="expected a"):
            wrong()


def test_choices_of_pytorchs_fusers_are_kept():
    before = torch.jit.set_fusion_strategy([("STATIC", 1)])
    assert torch.jit.set_fusion_strategy(before) == [("STATIC", 1)]
    with pytest.raises(ValueError, match="FusionBehavior only supported 'STATIC' or 'DYNAMIC', got: X"):
        torch.jit.set_fusion_strategy([("X", 1)])
    torch.jit.enable_onednn_fusion(True)
    assert torch.jit.onednn_fusion_enabled()
    torch.jit.enable_onednn_fusion(False)
    with torch.jit.strict_fusion():
        pass


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (1, int, True),
        ([1, "a"], list[int], False),
        ((1, 2), tuple[int, int], True),
        ((1, 2), tuple[int], False),
        (None, typing.Optional[int], True),  # noqa: UP045
        ({1: "a"}, dict[int, str], True),
        ([[1], []], list[list[int]], True),
        ([1], (list[int], str), True),
        (1, int | str, True),
    ],
)
def test_isinstance(value, kind, expected):
    assert torch.jit.isinstance(value, kind) is expected


def test_isinstance_asks_for_what_a_list_holds():
    with pytest.raises(RuntimeError, match="Attempted to use list without a contained type"):
        torch.jit.isinstance([1], list)


def test_a_traced_module_is_kept_in_a_file(tmp_path):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.GELU()).eval()
    x = torch.randn(5, 3)
    torch.jit.trace(net, x).save(tmp_path / "net.pt", _extra_files={"note": "five"})
    extra = {"note": ""}
    again = torch.jit.load(tmp_path / "net.pt", map_location="cpu", _extra_files=extra)
    assert extra == {"note": "five"} and isinstance(again, nn.Module)
    torch.testing.assert_close(again(x), net(x))
    again(x).sum().backward()
    assert {n for n, p in again.named_parameters() if p.grad is not None} == {
        n for n, _ in net.named_parameters()
    }
    with pytest.raises(AssertionError, match=r"size\(\)\[0\] == 5"):
        again(x[:2])
    two = torch.jit.trace(Two(), example_kwarg_inputs={"x": x, "scale": 2})
    file = io.BytesIO()
    torch.jit.save(two, file)
    torch.testing.assert_close(torch.jit.load(io.BytesIO(file.getvalue()))(x=x, scale=2)["y"], x * 2)


def test_functions_and_what_is_scripted_with_an_example_are_kept_in_files(tmp_path):
    x = torch.arange(3.0)
    torch.jit.trace(lambda x: x * 2 + 1, x).save(tmp_path / "f.pt")
    assert torch.jit.load(tmp_path / "f.pt")(x).tolist() == [1.0, 3.0, 5.0]
    scripted = torch.jit.script(nn.Linear(3, 2), example_inputs=[(x,)])
    scripted.save(tmp_path / "m.pt")
    torch.testing.assert_close(torch.jit.load(tmp_path / "m.pt")(x), scripted(x))
    called = torch.jit.script(nn.Linear(1, 1))
    wanted = called(torch.ones(2, 1))
    called.save(tmp_path / "called.pt")
    torch.testing.assert_close(torch.jit.load(tmp_path / "called.pt")(torch.ones(2, 1)), wanted)


def test_what_was_not_called_yet_is_saved_without_a_program(tmp_path):
    net = torch.jit.script(nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)).eval())
    with pytest.warns(UserWarning, match="Sequential has not been called"):
        net.save(tmp_path / "net.pt", {"note": "as text"})
    extra = {"note": ""}
    again = torch.jit.load(tmp_path / "net.pt", _extra_files=extra)
    assert extra == {"note": "as text"} and again.original_name == "Sequential" and not again.training
    assert list(again.state_dict()) == list(net.state_dict())
    assert [n for n, _ in again.named_parameters()] == [n for n, _ in net.named_parameters()]
    assert torch.equal(getattr(again, "0").weight, net[0].weight)
    with pytest.raises(NotImplementedError, match=r"Sequential\.forward was saved before it was called"):
        again(torch.ones(1, 3))

    class Two(nn.Module):  # which takes nothing
        def forward(self):
            return torch.full((2,), 2.0)

    assert torch.jit.load(io.BytesIO(torch.jit.script(Two()).save_to_buffer()))().tolist() == [2.0, 2.0]


def test_what_was_traced_has_its_graph_and_code():
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
    traced = torch.jit.trace(net, torch.ones(2, 3))
    assert "torch.ops.aten.linear.default(input, " in traced.code.replace("input_1", "input")
    assert [n.op for n in traced.graph.nodes] == ["placeholder", "get_attr", "get_attr", "call_function", "call_function", "output"]  # fmt: skip
    assert [n for n, _ in traced.named_parameters()] == ["0.weight", "0.bias"] and not traced.eval().training
    again = torch.jit.load(io.BytesIO(traced.save_to_buffer()))
    torch.testing.assert_close(again(torch.ones(2, 3)), net(torch.ones(2, 3)))
    double = torch.jit.trace(lambda x: x * 2, torch.ones(3))
    assert "torch.ops.aten.mul.Tensor(x, 2)" in double.code and len(double.inlined_graph.nodes) == 3


class Two(nn.Module):
    def forward(self, x, scale):
        return {"y": x * scale}


def test_files_that_hold_no_traced_module(tmp_path):
    with pytest.raises(
        RuntimeError, match=r"was neither traced nor called.*save model.state_dict\(\) with torch.save"
    ):
        torch.jit.save(nn.Linear(1, 1), tmp_path / "net.pt")
    assert not list(tmp_path.iterdir())
    torch.save({"a": torch.ones(1)}, tmp_path / "a.pt")
    with pytest.raises(RuntimeError, match="expected a program exported by functorch_lite"):
        torch.jit.load(tmp_path / "a.pt")
    with zipfile.ZipFile(tmp_path / "script.pt", "w") as z:  # as TorchScript's are
        z.writestr("script/data.pkl", b"\x80\x02c__torch__\nNet\nq\x00)\x81q\x01.")
        z.writestr("script/code/__torch__.py", "class Net(Module): ...")
        z.writestr("script/constants.pkl", b"\x80\x02).")
        z.writestr("script/version", "3\n")
    with pytest.raises(RuntimeError, match="holds no module"):
        torch.jit.load(tmp_path / "script.pt")


def test_one_process():
    dist = torch.distributed
    assert dist.is_available()
    assert not dist.is_initialized()
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        dist.get_rank()
    with pytest.raises(ValueError, match="environment variable MASTER_ADDR expected"):
        dist.init_process_group("gloo", world_size=2, rank=0)
    with pytest.raises(ValueError, match="rank must be from 0 to 1, not -1"):
        dist.init_process_group("gloo", init_method="tcp://localhost:1", world_size=2)


def test_classes_that_programs_name_to_catch_or_to_ignore():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=torch.jit.TracerWarning)
    assert issubclass(torch.jit.TracerWarning, Warning) and issubclass(torch.jit.Error, Exception)
