"""What a transformed function writes to: its arguments, buffers, tensors from outside; batch normalization;
functionalize."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.func import (
    debug_unwrap,
    functional_call,
    functionalize,
    grad,
    hessian,
    jvp,
    linearize,
    replace_all_batch_norm_modules_,
    stack_module_state,
    vjp,
    vmap,
)


def close(a, b, tolerance=1e-6):
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=tolerance, atol=tolerance)


# -- arguments -------------------------------------------------------------------------------------------------------


def test_writes_to_mapped_arguments_reach_the_caller():
    def f(x, y):
        x.add_(y)
        return x * 2

    x, y = torch.zeros(3, 2), torch.arange(6.0).reshape(3, 2)
    close(vmap(f)(x, y), 2 * y)
    close(x, y)
    x = torch.zeros(2, 3)
    close(vmap(f, in_dims=(1, 0), chunk_size=2)(x, y), 2 * y)
    close(x, y.t())
    rows = torch.zeros(4, 2)
    vmap(f)(rows[1:], y)  # through a view
    close(rows[1:], y)
    close(rows[0], torch.zeros(2))


def test_writes_to_other_arguments_of_a_derivative_reach_the_caller():
    def f(x, y):
        y.mul_(2)
        return (x * y).sum()

    x, y = torch.ones(2), torch.tensor([1.0, 3.0])
    close(grad(f)(x, y), torch.tensor([2.0, 6.0]))
    close(y, torch.tensor([2.0, 6.0]))
    xs, ys = torch.ones(3, 2), torch.ones(3, 2)
    close(vmap(grad(f))(xs, ys), 2 * torch.ones(3, 2))
    close(ys, 2 * torch.ones(3, 2))
    z = torch.ones(2)
    out, tangent = jvp(lambda z: z.mul_(3).sum(), (z,), (torch.ones(2),))
    assert (out.item(), tangent.item()) == (6.0, 6.0)
    close(z, 3 * torch.ones(2))


def test_gradients_flow_through_writes():
    y = torch.tensor([1.0, 3.0], requires_grad=True)
    total = torch.zeros(2)

    def f(t, x):
        t.add_(x * x)
        return t.sum()

    vmap(f)(total, y).sum().backward()
    close(y.grad, 2 * y)
    assert total.requires_grad


def test_a_pullback_keeps_the_values_it_was_made_with():
    x = torch.tensor([1.0, 2.0])
    _, pull = vjp(lambda x: x**3, x)
    _, push = linearize(lambda x: x**3, x)
    x.zero_()
    close(pull(torch.ones(2))[0], torch.tensor([3.0, 12.0]))
    close(push(torch.ones(2)), torch.tensor([3.0, 12.0]))


@pytest.mark.parametrize("transform", [lambda f, x: grad(f)(x), vjp])
def test_what_is_differentiated_in_reverse_may_not_be_written_to(transform):
    x = torch.ones(2)
    with pytest.raises(
        RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"
    ):
        transform(lambda x: x.add_(1).sum(), x)
    close(x, torch.ones(2))


def test_tensors_from_outside_may_not_be_written_to():
    outside = torch.zeros(2)
    with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
        grad(lambda x: outside.add_(x).sum())(torch.ones(2))
    with pytest.raises(RuntimeError, match="vmap: inplace arithmetic"):
        vmap(lambda x: outside.add_(x))(torch.ones(3, 2))
    close(outside, torch.zeros(2))


def test_a_tensor_made_inside_vmap_may_hold_what_differs():  # which PyTorch refuses unless it is made by new_zeros
    def diagonal(v):
        made = torch.zeros(2, 2)
        made.diagonal().copy_(v)
        return made

    close(
        vmap(diagonal)(torch.tensor([[1.0, 2], [3, 4]])), torch.tensor([[[1.0, 0], [0, 2]], [[3, 0], [0, 4]]])
    )


def test_keys_stay_in_their_order():
    params = {"weight": torch.ones(2), "bias": torch.zeros(2)}
    assert list(grad(lambda p: (p["weight"] * p["bias"]).sum())(params)) == ["weight", "bias"]
    assert list(vmap(lambda p: {"z": p["weight"], "a": p["bias"]})(params)) == ["z", "a"]


# -- batch normalization ---------------------------------------------------------------------------------------------


def norm_and_twin():
    torch.manual_seed(0)
    bn, x = nn.BatchNorm1d(2), torch.randn(4, 2)
    twin = copy.deepcopy(bn)
    twin(x)
    return bn, x, twin


@pytest.mark.parametrize("transform", [grad, hessian])
def test_running_statistics_are_updated_inside_a_derivative(transform):
    bn, x, twin = norm_and_twin()
    transform(lambda p: functional_call(bn, p, (x,)).pow(2).sum())(dict(bn.named_parameters()))
    for mine, other in zip(bn.buffers(), twin.buffers()):
        close(mine, other)
        assert not mine.requires_grad
    assert bn.num_batches_tracked.item() == 1


def test_buffers_as_arguments_are_updated_in_the_callers_dict():
    bn, x, twin = norm_and_twin()
    params, buffers = dict(bn.named_parameters()), {k: v.clone() for k, v in bn.named_buffers()}
    grad(lambda p, b: functional_call(bn, (p, b), (x,)).pow(2).sum())(params, buffers)
    for name, other in twin.named_buffers():
        close(buffers[name], other)
        assert not buffers[name].requires_grad
    close(bn.running_mean, torch.zeros(2))


def test_an_error_inside_leaves_the_statistics_as_they_were():
    bn, x, _ = norm_and_twin()

    def fails(x):
        bn(x)
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        grad(fails)(x)
    close(bn.running_mean, torch.zeros(2))
    assert bn.num_batches_tracked.item() == 0


def test_statistics_that_differ_from_example_to_example_need_a_place():
    bn, _, _ = norm_and_twin()
    xs = torch.randn(3, 4, 2)
    message = r"Batch norm got a batched tensor as input .*(.|\n)*replace_all_batch_norm_modules_(.|\n)*The module is BatchNorm1d\(2"
    with pytest.raises(RuntimeError, match=message):
        vmap(bn)(xs)
    with pytest.raises(RuntimeError, match=message):  # found at once, although grad stands between
        vmap(grad(lambda x: bn(x).pow(2).sum()))(xs)
    close(bn.running_mean, torch.zeros(2))
    _, buffers = stack_module_state([bn] * 3)
    vmap(lambda b, x: functional_call(bn, b, (x,)))(buffers, xs)
    close(buffers["running_mean"], 0.1 * xs.mean(1))
    assert buffers["num_batches_tracked"].tolist() == [1, 1, 1]


def test_statistics_that_are_the_same_for_all_examples_are_updated_under_vmap():
    bn, x, twin = norm_and_twin()
    out = vmap(lambda w: functional_call(bn, {"weight": w}, (x,)))(torch.ones(3, 2))
    assert out.shape == (3, 4, 2)
    close(bn.running_mean, twin.running_mean)
    assert bn.num_batches_tracked.item() == 1


def test_replace_all_batch_norm_modules():
    net = nn.Sequential(
        nn.BatchNorm1d(2), nn.Sequential(nn.BatchNorm1d(2), nn.InstanceNorm1d(2, track_running_stats=True))
    )
    assert replace_all_batch_norm_modules_(net) is net
    assert net[0].running_mean is None
    assert net[1][0].num_batches_tracked is None
    assert not net[1][0].track_running_stats
    assert net[1][1].running_mean is not None
    xs = torch.randn(3, 4, 2)
    close(vmap(net[0])(xs)[1], net[0](xs[1]), 1e-5)


# -- functionalize ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])
def test_functionalize(remove):
    def f(x, y):
        t = x.clone()
        t[0].mul_(5)
        y.add_(1)
        return t

    y = torch.zeros(2)
    close(functionalize(f, remove=remove)(torch.ones(2), y), torch.tensor([5.0, 1.0]))
    close(y, torch.ones(2))
    close(
        vmap(functionalize(f, remove=remove))(torch.ones(3, 2), torch.zeros(3, 2))[2],
        torch.tensor([5.0, 1.0]),
    )
    close(
        grad(lambda x: functionalize(f, remove=remove)(x, torch.zeros(2)).sum())(torch.ones(2)),
        torch.tensor([5.0, 1.0]),
    )


def test_functionalize_checks_what_is_to_be_removed():
    with pytest.raises(
        RuntimeError,
        match=r"functionalize\(f, remove='mutations'\): received invalid argument for remove=views",
    ):
        functionalize(lambda x: x, remove="views")


def test_debug_unwrap():
    seen = []
    grad(lambda x: (seen.append(debug_unwrap(x * 2)), x**2)[1])(torch.tensor(3.0))
    assert seen[0].item() == 6.0
    plain = torch.ones(2)
    assert debug_unwrap(plain) is plain
    vmap(lambda x: seen.append(debug_unwrap(x * 2)) or x)(torch.ones(2))
    assert seen[1].tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="in the body of"):
        torch._higher_order_ops.map(lambda x: debug_unwrap(x * 2), torch.ones(2))


# -- tensors from outside a vmap -------------------------------------------------------------------------------------


def test_vmap_may_write_what_is_the_same_for_all_examples_to_a_captured_tensor():
    x, c = torch.arange(3.0), torch.zeros(2, 2)

    def f(v):
        c.add_(1)
        c[0].mul_(3)  # a view of it
        return v + c.sum()

    assert torch.vmap(f)(x).tolist() == [8.0, 9.0, 10.0]
    assert c.tolist() == [[3.0, 3.0], [1.0, 1.0]]
    with pytest.raises(RuntimeError, match="`other` being vmapped over but `self` not being vmapped over"):
        torch.vmap(lambda v: (c.add_(v), v)[1])(x)
    assert c.tolist() == [[3.0, 3.0], [1.0, 1.0]]
    w = torch.ones(2, requires_grad=True)
    d = torch.zeros(2)
    torch.vmap(lambda v: (d.add_(w), v * d.sum())[1])(x).sum().backward()
    assert w.grad.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        torch.vmap(lambda v: (w.add_(1), v)[1])(x)


def test_a_view_of_a_captured_tensor_is_no_copy():
    c = torch.zeros(2)
    for transform in (torch.func.grad, lambda f: torch.vmap(torch.func.grad(f))):
        with pytest.raises(RuntimeError, match="mutate a captured Tensor"):
            transform(lambda v: (c[0].add_(1), v.sum())[1])(torch.ones(2, 2))
    assert c.tolist() == [0.0, 0.0]


def test_what_vmap_maps_over_and_returns_is_the_argument():
    """As in PyTorch: a later write to the one is seen in the other."""
    x = torch.ones(3)
    found = torch.vmap(torch.Tensor.sin_)(x)
    assert found is x
    x = torch.ones(3, 2)
    doubled, same = torch.vmap(lambda v: (v.mul_(2), v), in_dims=1, out_dims=(0, 1))(x)
    assert same is x and doubled.shape == (2, 3) and x.tolist() == [[2.0, 2.0]] * 3
    x.zero_()
    assert doubled.tolist() == [[0.0] * 3] * 2
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.vmap(lambda v: v.mul_(v))(w * 3).sum().backward()
    assert w.grad.tolist() == [18.0, 36.0]
    copies = torch.vmap(lambda v: (v.detach(), v * 1, v.clone()))(x)
    assert all(copy is not x for copy in copies)
