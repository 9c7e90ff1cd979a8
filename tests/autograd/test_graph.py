"""autograd.graph: hooks on saved tensors and on several gradients, the graph as users see it, anomaly mode."""

from __future__ import annotations

import gc
import warnings
import weakref

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._core.lazy import apply as applying
from functorch_lite._core.lazy.tape import Node as PlainNode
from functorch_lite.autograd import graph


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def close(t, expected):
    np.testing.assert_allclose(t.detach().numpy(), expected, rtol=1e-6)


# -- saved tensors ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("eagerly", [False, True])
def test_saved_tensors_are_packed_and_unpacked(create_graph, eagerly):
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    log = []

    def pack(t):
        log.append(("pack", t.shape, t.requires_grad, torch.is_grad_enabled()))
        return t.detach().numpy()

    def unpack(a):
        log.append(("unpack", torch.is_grad_enabled()))
        return torch.tensor(a)

    def run():
        with graph.saved_tensors_hooks(pack, unpack):
            y = (x * w).sin().sum()
        assert log == [("pack", (2,), True, False)] * 3
        return torch.autograd.grad(y, (x, w), create_graph=create_graph)

    if eagerly:
        with torch.debug.eager():
            gx, gw = run()
    else:
        gx, gw = run()
    assert log[3:] == [("unpack", create_graph)] * 3
    close(gx, np.cos([3.0, 8.0]) * [3, 4])
    close(gw, np.cos([3.0, 8.0]) * [1, 2])
    if create_graph:
        (second,) = torch.autograd.grad(gx.sum(), x)
        close(second, -np.sin([3.0, 8.0]) * [9, 16])


def test_what_unpack_gives_is_what_backward_reads():
    x = leaf(1.0, 2.0)
    for _ in range(2):  # recorded, and seen before
        with graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t + 1):
            y = (x * x).sum()
        (g,) = torch.autograd.grad(y, x)
        close(g, [6, 10])
    (g,) = torch.autograd.grad((x * x).sum(), x)
    close(g, [2, 4])


def test_a_module_trains_alike_with_hooks():
    def run(hooked):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Conv1d(1, 2, 3), nn.BatchNorm1d(2), nn.ReLU(), nn.Flatten(), nn.Linear(6, 2))
        x = torch.tensor(np.random.default_rng(0).standard_normal((4, 1, 5)).astype(np.float32))
        if hooked:
            with graph.save_on_cpu(pin_memory=True):
                loss = nn.functional.cross_entropy(model(x), torch.tensor([0, 1, 0, 1]))
        else:
            loss = nn.functional.cross_entropy(model(x), torch.tensor([0, 1, 0, 1]))
        loss.backward()
        return [p.grad.numpy() for p in model.parameters()]

    for a, b in zip(run(True), run(False)):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_the_innermost_hooks_are_used_and_other_code_pays_nothing():
    order, x = [], leaf(1.0)
    with graph.saved_tensors_hooks(lambda t: order.append("outer") or t, lambda t: t):
        with graph.saved_tensors_hooks(lambda t: order.append("inner") or t, lambda t: t):
            x.sin()
        x.sin()
    assert order == ["inner", "outer"]
    assert applying.Node is PlainNode
    assert type(x.sin()._edge[0]) is PlainNode


def test_errors_of_hooks():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="modifying its input in place"):
        with graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
            x.sin()
    with graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
        y = x.sin()
    with pytest.raises(TypeError, match="expected to be a Tensor but got result of type int"):
        y.sum().backward()
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t[:1]):
        y = x.sin()
    with pytest.raises(RuntimeError, match="unpack_hook returned"):
        y.sum().backward()
    with pytest.raises(ZeroDivisionError):
        with graph.saved_tensors_hooks(lambda t: 1 / 0, lambda t: t):
            x.sin()
    assert applying.Node is PlainNode
    close(x.sin(), np.sin([1.0, 2.0]))
    with graph.disable_saved_tensors_hooks("not here"):
        with pytest.raises(RuntimeError, match="not here"):
            with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        with pytest.raises(RuntimeError, match="not here"):
            with graph.disable_saved_tensors_hooks("not here"):
                pass

    def inside(a):
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            return a.sin().sum()

    with pytest.raises(RuntimeError, match="don't yet support saved tensor hooks"):
        torch.func.grad(inside)(x.detach())


def test_a_graph_that_was_freed_unpacks_nothing():
    x, unpacked = leaf(1.0), []
    with graph.saved_tensors_hooks(lambda t: t, lambda t: unpacked.append(1) or t):
        y = x.sin().sum()
    y.backward()
    assert unpacked == [1]
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    assert unpacked == [1]


def test_nothing_is_kept_alive():
    gc.collect()
    gc.disable()
    try:
        x = leaf(1.0)
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            y = x.sin()
        handle = graph.register_multi_grad_hook([y], lambda grads: None)
        node = weakref.ref(y._edge[0])
        y.backward()
        handle.remove()
        torch.synchronize()
        del y, handle
        assert node() is None
    finally:
        gc.enable()


def test_mutation_of_saved_tensors():
    x = leaf(1.0, 2.0)
    b = x.clone()
    with graph.allow_mutation_on_saved_tensors():
        out = (b * b).sum()
        b.sin_()
        with pytest.raises(RuntimeError, match="cannot be nested"):
            with graph.allow_mutation_on_saved_tensors():
                pass
        out.backward()
    close(x.grad, [2, 4])
    b = x.clone()
    out = (b * b).sum()
    b.sin_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_writes_through_data():
    """They are no new version: what is kept for backward stays usable, and is what it was."""
    x = leaf(1.0, 2.0)
    b = x * 1
    out = (b * b).sum() + (b[:1] * b[:1]).sum()
    b.data[0] = 5.0
    b.data.view(2).detach().mul_(2)
    out.backward()
    close(x.grad, [4, 4])
    close(b, [10, 4])
    out = (b * b).sum()
    b.data.add_(1)
    b.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()

    class Fill(torch.autograd.Function):
        """Writes into its argument where nobody looks: a scratch array that fills up."""

        @staticmethod
        def forward(ctx, scratch, value, at):
            ctx.at = at
            scratch.data[at] = value
            ctx.save_for_backward(scratch)
            return scratch

        @staticmethod
        def backward(ctx, grad):
            assert ctx.saved_tensors[0].shape == (3,)
            return grad, grad[ctx.at], None

    x, scale = leaf(2.0), leaf(3.0)
    k = torch.zeros(3)
    for at in range(3):
        k = Fill.apply(k, (k[:at] * scale).sum() + x[0], at)
    k.sum().backward()
    close(x.grad, [1 + 4 + 16])
    close(scale.grad, [2 + (2 + 8) + 3 * 2])  # the first two are 2 and 8


def test_increment_version():
    x = leaf(1.0, 2.0)
    b = x * 1
    c = b.sin()
    graph.increment_version([b])
    assert b._version == 1
    close(b, [1, 2])
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        c.sum().backward()
    flags = torch.tensor([True, False])
    graph.increment_version(flags)
    assert flags.tolist() == [True, False]
    with pytest.raises(RuntimeError, match=r"Iterable\[Tensor\]"):
        graph.increment_version(3)
    with pytest.raises(RuntimeError, match="each element"):
        graph.increment_version([b, 3])


# -- the graph -------------------------------------------------------------------------------------------------------


def test_walking_the_graph():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    y = (x * w).sum()
    fn = y.grad_fn
    assert fn.name() == type(fn).__name__ == "SumBackward0" and isinstance(fn, graph.Node)
    ((mul, out),) = fn.next_functions
    assert (mul.name(), out) == ("MulBackward0", 0)
    names = [f.name() for f, _ in mul.next_functions]
    assert names == ["torch::autograd::AccumulateGrad"] * 2
    assert mul.next_functions[0][0].variable is x and mul.next_functions[1][0].variable is w
    assert mul.next_functions[0][0].next_functions == ()
    assert (x * 2).grad_fn.next_functions[0][0] == mul.next_functions[0][0]
    mul.metadata["note"] = 1
    assert y.grad_fn.next_functions[0][0].metadata == {"note": 1}
    assert mul.next_functions[0][0].metadata == {}
    close(mul._saved_self, [1, 2])
    close(mul._saved_other, [3, 4])
    assert mul._saved_self.requires_grad
    with pytest.raises(AttributeError, match="_saved_third"):
        _ = mul._saved_third
    with pytest.raises(AttributeError, match="variable"):
        _ = mul.variable
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        _ = mul._saved_self
    edge = graph.get_gradient_edge(w)
    del mul, fn, w
    with pytest.raises(RuntimeError, match="gone"):
        _ = edge.node.variable


def test_hooks_on_nodes():
    x, w, log = leaf(1.0, 2.0), leaf(3.0, 4.0), []
    y = x * w
    fn = y.grad_fn
    handles = [
        fn.register_prehook(lambda gs: (log.append(("pre", gs[0].tolist())), (gs[0] * 2,))[1]),
        fn.register_hook(lambda gi, go: log.append(("post", gi[0].tolist(), go[0].tolist()))),
    ]
    accumulate = fn.next_functions[0][0]
    handles += [
        accumulate.register_hook(
            lambda gi, go: log.append(("accumulated", gi, go[0].tolist(), x.grad.tolist()))
        ),
        accumulate.register_prehook(lambda gs: log.append(("before", gs[0].tolist()))),
    ]
    y.sum().backward()
    assert log == [
        ("pre", [1, 1]),
        ("post", [6, 8], [2, 2]),
        ("before", [6, 8]),
        ("accumulated", (), [6, 8], [6, 8]),
    ]
    log.clear()
    for h in handles:
        h.remove()
    (x * w).sum().backward()
    assert not log
    values = torch.sort(leaf(2.0, 1.0))
    assert values[0].grad_fn.register_prehook(lambda gs: None)
    both = torch.linalg.slogdet(torch.eye(2, requires_grad=True))
    with pytest.raises(NotImplementedError, match="several outputs"):
        both[0].grad_fn.register_prehook(lambda gs: None)


def test_gradient_edges():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    at_x = graph.get_gradient_edge(x)
    assert at_x.output_nr == 0 and at_x.node.name() == "torch::autograd::AccumulateGrad"
    close(torch.autograd.grad((x * w).sum(), at_x)[0], [3, 4])
    close(
        torch.autograd.grad(graph.get_gradient_edge((x * w).sum()), [x, graph.get_gradient_edge(w)])[1],
        [1, 2],
    )
    middle = x * w
    edge = graph.get_gradient_edge(middle)
    loss = (middle * middle).sum()
    del middle
    close(torch.autograd.grad(loss, edge)[0], [6, 16])
    torch.autograd.backward(graph.get_gradient_edge((x * w).sum()))
    (x * w).sum().backward(inputs=[at_x])
    close(x.grad, [6, 8])
    close(w.grad, [1, 2])
    (unused,) = torch.autograd.grad((x * 2).sum(), graph.get_gradient_edge(w), materialize_grads=True)
    close(unused, [0, 0])
    with pytest.raises(RuntimeError, match="does not require gradients"):
        graph.get_gradient_edge(torch.ones(1))
    with pytest.raises(RuntimeError, match="scalar outputs"):
        torch.autograd.backward(graph.get_gradient_edge(x * w))


def test_accumulation_through_inputs_runs_post_hooks_and_keeps_the_tensor():
    x, log = leaf(1.0), []
    x.register_post_accumulate_grad_hook(lambda t: log.append(t.grad.item()))
    (x * 2).backward(inputs=[x])
    first = x.grad
    (x * 3).backward(inputs=[x])
    assert log == [2, 5] and x.grad is first


# -- hooks on several tensors ----------------------------------------------------------------------------------------


def run_multi(mode):
    a, b, c, d = (leaf(1.0, 2.0) for _ in range(4))
    log = []

    def fn(given):
        many = isinstance(given, tuple | list)
        log.append([None if g is None else g.tolist() for g in given] if many else given.tolist())

    handle = graph.register_multi_grad_hook((a, b, c, d), fn, mode=mode)
    (a * b + c).sum().backward()
    (c * b).sum().backward()
    (a * a * b).sum().backward(inputs=(a,))
    handle.remove()
    (a * b).sum().backward()
    return log


def test_multi_grad_hooks():
    assert run_multi("all") == [
        [[1, 2], [1, 2], [1, 1], None],
        [None, [1, 2], [1, 2], None],
        [[2, 8], None, None, None],
    ]
    assert [len(g) for g in run_multi("any")] == [2, 2, 2]
    x = leaf(1.0)
    with pytest.raises(ValueError, match="Expects mode"):
        graph.register_multi_grad_hook([x], print, mode="some")
    with pytest.raises(AssertionError, match="gradient function"):
        graph.register_multi_grad_hook([x.detach()], print)


def test_multi_grad_hook_on_intermediate_tensors():
    x, log = leaf(1.0, 2.0), []
    y, z = x * 2, x * 3
    with graph.register_multi_grad_hook([y, z], lambda gs: log.append([g.tolist() for g in gs])):
        loss = (y * z).sum()
        for _ in range(2):
            torch.autograd.grad(loss, x, retain_graph=True)
    assert log == [[[3, 6], [2, 4]]] * 2


# -- anomaly mode ----------------------------------------------------------------------------------------------------


def test_a_nan_in_backward_is_reported_with_the_lines_that_led_to_it():
    x = leaf(0.0, 4.0)
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        context = torch.autograd.detect_anomaly()
    with context:
        assert torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled()
        y = x.sqrt()  # the line
        loss = (y * 0).sum()
        with pytest.warns(UserWarning) as caught:
            with pytest.raises(
                RuntimeError, match=r"Function 'SqrtBackward0' returned nan values in its 0th output\."
            ):
                loss.backward()
    text = str(caught[0].message)
    assert text.startswith("Error detected in SqrtBackward0. Traceback of forward call")
    assert "y = x.sqrt()  # the line" in text and "/_core/" not in text
    assert not torch.is_anomaly_enabled() and applying.Node is PlainNode
    x.grad = None
    (x.sqrt() * 0).sum().backward()
    assert np.isnan(x.grad.numpy()).tolist() == [True, False]


def test_anomaly_mode_without_a_nan_or_without_looking():
    x = leaf(4.0)
    torch.autograd.set_detect_anomaly(True)
    try:
        x.sqrt().backward()
        close(x.grad, [0.25])
        (g,) = torch.autograd.grad(x.sqrt(), x, create_graph=True)
        g.backward()
    finally:
        torch.autograd.set_detect_anomaly(False)
    y = leaf(0.0)
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        assert not torch.is_anomaly_check_nan_enabled()
        (y.sqrt() * 0).sum().backward()
    assert not torch.is_anomaly_enabled()
    assert np.isnan(y.grad.numpy()).all()


def test_the_number_of_the_output_and_a_forward_outside():
    a, b = leaf(1.0), leaf(0.0)
    y = a.detach() / b * 0.0
    with torch.autograd.set_detect_anomaly(True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with pytest.raises(RuntimeError, match="'DivBackward0' returned nan values in its 1th output"):
                y.sum().backward()
    assert "No forward pass information available" in str(caught[0].message)
    y = a.sin()
    y.backward()
    with torch.autograd.set_detect_anomaly(True), pytest.warns(UserWarning, match="Error detected"):
        z = leaf(1.0)
        out = z.sin()
        out.register_hook(lambda g: None)
        with pytest.raises(RuntimeError):
            raise_in_backward(out)


def raise_in_backward(out):
    with graph.saved_tensors_hooks(lambda t: t, lambda t: 1 / 0):
        again = out.sin()
    try:
        again.backward()
    except ZeroDivisionError as e:
        raise RuntimeError from e


# -- batched gradients -----------------------------------------------------------------------------------------------


def test_batched_gradients():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    y = x.sin() * w
    cts = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    gx, gw = torch.autograd.grad(y, (x, w), cts, is_grads_batched=True, retain_graph=True)
    for k in range(3):
        ex, ew = torch.autograd.grad(y, (x, w), cts[k], retain_graph=True)
        close(gx[k], ex.numpy())
        close(gw[k], ew.numpy())
    unused = leaf(5.0)
    found = torch.autograd.grad(
        y, (x, unused), cts, is_grads_batched=True, allow_unused=True, retain_graph=True
    )
    assert found[0].shape == (3, 2) and found[1] is None
    zeros = torch.autograd.grad(
        y, unused, cts, is_grads_batched=True, materialize_grads=True, retain_graph=True
    )[0]
    assert (
        zeros.shape == (1,) and not zeros.any().item()
    )  # of what no pass has reached there is one, as in torch
    with pytest.raises(RuntimeError, match="interpret the first dimension of each grad_output"):
        torch.autograd.grad(y, x, cts[0], is_grads_batched=True)
    (g,) = torch.autograd.grad(y, x, cts, is_grads_batched=True, create_graph=True)
    (second,) = torch.autograd.grad(g.sum(), x)
    close(second, -np.sin([1.0, 2.0]) * [3, 4] * 2)
    y = x.sin() * w
    torch.autograd.grad(y, x, cts, is_grads_batched=True)
    with pytest.raises(RuntimeError):  # it is freed
        torch.autograd.grad(y, x, cts[0])


def test_batched_gradients_of_several_outputs():
    x = leaf(1.0, 2.0)
    outs = (x.sin(), (x * x).sum())
    (g,) = torch.autograd.grad(outs, x, (torch.eye(2), torch.ones(2)), is_grads_batched=True)
    close(g, np.diag(np.cos([1.0, 2.0])) + np.array([2.0, 4.0]))


def test_multithreading_switch_and_variable():
    x = leaf(2.0)
    with torch.autograd.set_multithreading_enabled(False):
        (x * x).backward()
    close(x.grad, [4])
    assert isinstance(torch.ones(1), torch.autograd.Variable)


@pytest.mark.parametrize("transform", ["grad", "jacrev", "hessian"])
def test_reverse_transforms_do_not_take_saved_tensor_hooks(transform):
    f = getattr(torch.func, transform)(lambda x: (x**2).sum())
    with (
        graph.saved_tensors_hooks(lambda t: t, lambda t: t),
        pytest.raises(RuntimeError, match="yet support"),
    ):
        f(torch.ones(3))
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        assert torch.func.vmap(lambda x: x.sum())(torch.ones(2, 3)).tolist() == [3.0, 3.0]
    f(torch.ones(3))


def test_a_graph_that_was_freed_ends_no_walk_that_does_not_need_it() -> None:
    def step(x):
        x = x.clone().requires_grad_()
        y = torch.where(x < 0, 2 * x, x * x)
        return y, torch.autograd.grad(y, x, torch.ones_like(y))[0]

    first, _ = step(torch.tensor([-1.0, 2.0]))
    for _ in range(2):  # the second walk is replayed, if it may be
        y, slope = step(first)
        assert slope.tolist() == [2.0, 8.0] and y.tolist() == [-4.0, 16.0]
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(y.sum(), first)
    w = torch.tensor(3.0, requires_grad=True)
    assert torch.autograd.grad((first * w).sum(), w)[0] == 2.0
