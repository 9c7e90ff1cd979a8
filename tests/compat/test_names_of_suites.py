"""Private names and behaviours that the test suites of packages met."""

from __future__ import annotations

import sys
import warnings

import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._vmap_internals import _vmap
from functorch_lite.autograd.functional import (
    _as_tuple,
    _autograd_grad,
    _check_requires_grad,
    _construct_standard_basis_for,
    _fill_in_zeros,
    _grad_postprocess,
    _grad_preprocess,
    _tuple_postprocess,
    _validate_v,
)
from functorch_lite.optim.lbfgs import _cubic_interpolate, _strong_wolfe
from tests.support.processes import python


def test_limits_of_pythons_types():
    assert repr(torch.finfo(float)) == repr(torch.finfo(torch.float64))
    assert torch.finfo(complex).dtype == "float64" and torch.iinfo(int).max == 2**63 - 1
    for wrong in (lambda: torch.finfo(int), lambda: torch.iinfo(float), lambda: torch.iinfo(bool)):
        with pytest.raises(TypeError):
            wrong()


def test_options_of_printing_as_attributes():
    options = torch._tensor_str.PRINT_OPTS
    assert (options.precision, options.threshold, options.edgeitems, options.linewidth) == (4, 1000, 3, 80)
    assert options.sci_mode is None
    try:
        options.precision = 2
        assert repr(torch.tensor([1.234])) == "tensor([1.23])" and torch.get_printoptions()["precision"] == 2
    finally:
        options.precision = 4
    with pytest.raises(AttributeError):
        options.nonsense = 1


def test_vmap_that_passes_none_on():
    x = torch.arange(6.0).reshape(3, 2)
    assert _vmap(torch.sum)(x).tolist() == [1, 5, 9]
    doubled, nothing = _vmap(lambda a: (a * 2, None), allow_none_pass_through=True)(x)
    assert doubled.tolist() == (x * 2).tolist() and nothing is None
    assert _vmap(lambda a: None, allow_none_pass_through=True)(x) is None


def test_parts_of_autograd_functional():
    x, y = torch.ones(2, requires_grad=True), torch.zeros(3)
    assert _as_tuple(x, "inputs", "f") == (False, (x,)) and _as_tuple((x, y), "inputs", "f")[0] is True
    assert _as_tuple([x]) == (x,)
    with pytest.raises(
        TypeError, match="The inputs given to f must be either a Tensor or a tuple of Tensors"
    ):
        _as_tuple((x, 1), "inputs", "f")
    (view,) = _grad_preprocess((x,), create_graph=True, need_graph=True)
    (own,) = _grad_preprocess((x,), create_graph=False, need_graph=True)
    assert view.grad_fn is not None and own.is_leaf and own.requires_grad and own is not x
    assert not _grad_postprocess((x * 2,), create_graph=False)[0].requires_grad
    assert _tuple_postprocess((x,), False) is x and _tuple_postprocess(((x,),), (True, False)) == (x,)
    assert _autograd_grad(((x * 3).sum(), y.sum()), (x,))[0].tolist() == [3, 3]
    assert _autograd_grad((y.sum(),), (x,)) == (None,)
    with pytest.raises(
        RuntimeError, match="Output 0 of the user-provided function does not require gradients"
    ):
        _check_requires_grad((y,), "outputs", True)
    basis = _construct_standard_basis_for((x, y.double()), (2, 3))
    assert [b.dtype for b in basis] == [torch.float32, torch.float64]
    assert torch.cat([b.double() for b in basis], 1).tolist() == torch.eye(5).tolist()
    assert _fill_in_zeros((None, x), (y, x), False, False, "back")[0].tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="is independent of input 0"):
        _fill_in_zeros((None,), (y,), True, False, "back")
    with pytest.raises(RuntimeError, match="v has invalid size"):
        _validate_v((x,), (y,), False)


def test_a_line_search():
    """PyTorch 2.13 gives these."""
    x = torch.tensor([3.0, -2.0])

    def loss_of(x, t, d):
        y = (x + t * d).requires_grad_()
        loss = (y**4).sum()
        return loss.item(), torch.autograd.grad(loss, y)[0]

    loss, g = loss_of(x, 0.0, torch.zeros(2))
    found = _strong_wolfe(loss_of, x, 1.0, -g, loss, g, g.dot(-g))
    assert found[0] == pytest.approx(1.1455835, rel=1e-4) and found[3] == 5
    assert found[1].tolist() == pytest.approx([-0.0719, -4.4156], abs=1e-3) and found[2] == pytest.approx(
        0.0302, abs=1e-4
    )
    assert _strong_wolfe(loss_of, x, 1.0, -g, loss, g, g.dot(-g), max_ls=1)[3] == 2
    assert _cubic_interpolate(0.0, 1.0, -2.0, 2.0, 1.0, 2.0) == pytest.approx(1.0)
    assert _cubic_interpolate(0.0, 1.0, -2.0, 2.0, 1.0, 2.0, bounds=(1.5, 3.0)) == 1.5


def test_tensors_are_swapped():
    a, b = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.ones(3, dtype=torch.float64))
    a.note = "a's"
    (a.sum() * 2).backward()
    model = nn.Module()
    model.w = a
    torch.utils.swap_tensors(a, b)
    assert model.w is a and a.tolist() == [1, 1, 1] and a.dtype is torch.float64 and a.grad is None
    assert b.tolist() == [0, 0] and b.grad.tolist() == [2, 2] and b.note == "a's" and not hasattr(a, "note")
    (a * a).sum().backward()
    assert a.grad.tolist() == [2, 2, 2]


def test_an_order_of_einsums():
    module = torch.backends.opt_einsum
    x = torch.arange(4.0).reshape(2, 2)
    expected = (x @ x @ x).tolist()
    assert module.is_available() and (module.enabled, module.strategy) == (True, "auto")
    with module.flags(strategy="greedy"):
        assert torch.einsum("ij,jk,kl", x, x, x).tolist() == expected and module.strategy == "greedy"
    with module.flags(enabled=False):
        assert torch.einsum("ij,jk,kl", x, x, x).tolist() == expected and module.strategy is None
        with pytest.raises(ValueError, match="not enabled"):
            module.strategy = "auto"
    assert module.strategy == "auto"
    with pytest.raises(ValueError, match="`strategy` must be one of"):
        module.strategy = "fast"


def test_kernels_of_attention_are_switched():
    cuda = torch.backends.cuda
    assert cuda.flash_sdp_enabled() and cuda.math_sdp_enabled()
    cuda.enable_flash_sdp(False)
    try:
        assert not cuda.flash_sdp_enabled() and cuda.mem_efficient_sdp_enabled()
    finally:
        cuda.enable_flash_sdp(True)
    assert torch.nn.attention.enabled_backends() == list(torch.nn.attention._ALL)


def test_other_names():
    from functorch_lite._dynamo.eval_frame import is_dynamo_supported

    assert is_dynamo_supported() and not torch.cuda.is_current_stream_capturing()
    assert torch._segment_reduce(torch.ones(3), "sum", offsets=torch.tensor([0, 2, 3])).tolist() == [2, 1]
    assert repr(torch.distributed.fsdp.CPUOffload()) == "CPUOffload(offload_params=False)"
    assert torch.onnx.TrainingMode.TRAINING.value == 2 and len(torch.onnx.OperatorExportTypes) == 4
    w = nn.init._no_grad_uniform_(torch.zeros(100), 1.0, 2.0)
    assert 1 <= w.min().item() < w.max().item() < 2
    assert nn.init._no_grad_fill_(torch.zeros(2), 3.0).tolist() == [3, 3]
    assert torch.optim.optimizer.ParamsT is not None
    said = torch.utils.collect_env.get_pretty_env_info()
    assert f"jax=={__import__('jax').__version__}" in said and "Python version: 3." in said


def test_uninitialized_parameters_are_loaded_into_such():
    m = nn.Module()
    m.w = nn.UninitializedParameter()
    assert str(m.load_state_dict({"w": nn.UninitializedParameter()})) == "<All keys matched successfully>"
    assert isinstance(m.w, nn.UninitializedParameter)
    m.load_state_dict({"w": torch.ones(2)}, assign=True)
    assert type(m.w) is nn.Parameter and m.w.tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        m.load_state_dict({"w": nn.UninitializedParameter()})


def test_a_loader_warns_of_more_workers_than_processors():
    with pytest.warns(UserWarning, match="will create 1000 worker processes") as seen:
        torch.utils.data.DataLoader([1, 2], num_workers=1000)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.utils.data.DataLoader([1, 2], num_workers=1000, multiprocessing_context="thread")


class Weighted(torch.autograd.Function):
    """A sum of the tensors in a container, of which no gradient is wanted, and of one beside it."""

    generate_vmap_rule = True

    @staticmethod
    def forward(xs, y):
        return 2 * xs["a"][0] + xs["b"] + 3 * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return None, 3 * g


SEEN = []


class ByRule(Weighted):
    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, xs, y):
        SEEN.append((info.batch_size, in_dims, tuple(xs["a"][0].shape)))
        return Weighted.forward(xs, y), 0


@pytest.mark.parametrize("kind", [Weighted, ByRule])
def test_functions_take_tensors_in_containers_under_vmap(kind):
    x, y = torch.arange(6.0).reshape(3, 2), torch.ones(3, 2)
    expected = (3 * x + 3 * y).tolist()

    def call(a, b):
        return kind.apply({"a": (a,), "b": a}, b)

    assert call(x, y).tolist() == expected
    assert torch.vmap(call)(x, y).tolist() == expected
    assert kind is Weighted or SEEN[-1] == (3, ({"a": (0,), "b": 0}, 0), (3, 2))
    slopes = torch.vmap(torch.func.grad(lambda b, a: call(a, b).sum()))(y, x)
    assert slopes.tolist() == [[3, 3]] * 3


class Wrapped(torch.Tensor):
    """A tensor around another one that overrides ops alone."""

    __torch_function__ = torch._C._disabled_torch_function_impl
    ops: list = []

    @staticmethod
    def __new__(cls, elem):
        return torch.Tensor._make_wrapper_subclass(cls, elem.shape, dtype=elem.dtype)

    def __init__(self, elem):
        self.elem = elem

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.ops.append(str(func))
        out = func(*[a.elem if isinstance(a, Wrapped) else a for a in args], **(kwargs or {}))
        return Wrapped(out) if isinstance(out, torch.Tensor) else out


def test_ops_are_dispatched_where_functions_are_not_overridden():
    Wrapped.ops.clear()
    x = Wrapped(torch.ones(2))
    found = [x + 1, torch.sin(x), x.sum(), nn.functional.relu(x), torch.ones(2) * x]
    assert [type(t) for t in found] == [Wrapped] * 5 and found[0].elem.tolist() == [2, 2]
    assert Wrapped.ops == ["aten.add.Tensor", "aten.sin.default", "aten.sum.default", "aten.relu.default", "aten.mul.Tensor"]  # fmt: skip


OPTREE = """
import sys
import functorch_lite as torch
before = torch.nn.Linear(2, 1)
import optree
after = torch.nn.Linear(2, 1)
print([len(optree.tree_leaves(m._parameters)) for m in (before, after)])
"""


def test_registries_of_modules_made_before_optree_was_imported_are_opened():
    pytest.importorskip("optree")
    done = python("-c", OPTREE)
    assert done.stdout.strip() == "[2, 2]", done.stderr


THREADS = """
import threading
import functorch_lite as torch, functorch_lite.nn, functorch_lite.optim
print([t.name for t in threading.enumerate()])
"""


def test_importing_starts_no_thread():
    assert python("-c", THREADS).stdout.strip() == "['MainThread']", sys.version


STOPPED = """
import threading
import functorch_lite as torch
for n in (3, 4):
    assert torch.ones(n).sum().item() == n  # traced by a thread
    (thread,) = [t for t in threading.enumerate() if t.name == "functorch_lite"]
    thread.stop()
    assert not thread.is_alive()
print(threading.active_count())
"""


def test_the_thread_that_traces_can_be_stopped():
    done = python("-c", STOPPED)
    assert done.stdout.strip() == "1", done.stderr
