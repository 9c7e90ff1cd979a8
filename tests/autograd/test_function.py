"""autograd.Function: values and derivatives against plain ops, what torch refuses, errors, how often rules are called,
memory."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.autograd import Function
from functorch_lite.autograd.function import once_differentiable

from .function_programs import BEYOND, PROGRAMS


def flat(x):
    return [t for part in x for t in flat(part)] if isinstance(x, tuple | list) else [x]


def compare(pair):
    mine, wanted = map(flat, pair)
    assert len(mine) == len(wanted)
    for a, b in zip(mine, wanted):
        a, b = a.detach().numpy(), b.detach().numpy()
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    for _ in range(2):  # the second run walks what the first recorded
        compare(PROGRAMS[name](torch))


@pytest.mark.parametrize(
    "name", ["backward_of_an_old_function", "in_place_on_a_view", "numpy_under_grad", "dual_numbers"]
)
def test_program_op_by_op(name):
    with torch.debug.eager():
        compare(PROGRAMS[name](torch))


@pytest.mark.parametrize("name", BEYOND)
def test_beyond_torch(name):
    compare(BEYOND[name][0](torch))


# -- when rules are called -------------------------------------------------------------------------------------------


class Counted(Function):
    calls: list = []

    @staticmethod
    def forward(ctx, x):
        Counted.calls.append("forward")
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        Counted.calls.append("backward")
        return 2 * g * ctx.saved_tensors[0]


def calls_of(f):
    Counted.calls.clear()
    f()
    return Counted.calls.count("forward"), Counted.calls.count("backward")


def test_rules_are_called_once_per_pass():
    x = torch.ones(2, requires_grad=True)
    assert calls_of(lambda: Counted.apply(x)) == (1, 0)
    assert calls_of(lambda: Counted.apply(x).sum().backward()) == (1, 1)
    for _ in range(3):  # neither recordings nor programs that are used again leave a call out
        assert calls_of(lambda: (Counted.apply(x * 2) + Counted.apply(x)).sum().backward()) == (2, 2)
    assert calls_of(lambda: torch.func.grad(lambda x: Counted.apply(x).sum())(x.detach())) == (1, 1)
    assert calls_of(lambda: torch.func.jacrev(Counted.apply)(x.detach())) == (1, 1)
    out, pull = torch.func.vjp(Counted.apply, x.detach())
    assert calls_of(lambda: (pull(out), pull(out))) == (0, 2)


def test_only_what_is_needed_is_called():
    x, w = torch.ones(2), torch.ones(2)
    assert calls_of(lambda: torch.func.grad(lambda x, w: (x * Counted.apply(w)).sum())(x, w)) == (1, 0)

    def cut(x):
        with torch.no_grad():
            y = Counted.apply(x)
        return (x * y).sum()

    assert calls_of(lambda: torch.func.grad(cut)(x)) == (1, 0)


def test_context_tells_which_gradients_are_needed():
    seen = []

    class Needs(Function):
        @staticmethod
        def forward(ctx, a, n, b):
            seen.append(ctx.needs_input_grad)
            return a * b

        @staticmethod
        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            return g, None, g

    a, b = torch.ones(2, requires_grad=True), torch.ones(2)
    Needs.apply(a, 3, b).sum().backward()
    torch.func.grad(lambda b: Needs.apply(b.detach(), 3, b).sum())(b)
    assert seen == [(True, False, False)] * 2 + [(False, False, True)] * 2


def test_zero_gradients_are_materialized_or_none():
    seen = []

    class Two(Function):
        materialize = True

        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(Two.materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            seen.append((None if a is None else a.tolist(), b.tolist()))
            return 3 * b if a is None else 2 * a + 3 * b

    x = torch.ones(2, requires_grad=True)
    Two.apply(x)[1].sum().backward()
    Two.materialize = False
    Two.apply(x)[1].sum().backward()
    torch.func.grad(lambda x: Two.apply(x)[1].sum())(x.detach())
    assert seen == [([0.0, 0.0], [1.0, 1.0])] + [(None, [1.0, 1.0])] * 2
    assert x.grad.tolist() == [6.0, 6.0]


def test_results_that_are_no_tensors():
    class Odd(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, "word", None, [x * 3]

        @staticmethod
        def backward(ctx, *grads):
            assert grads[1:] == (None, None, None)
            return grads[0] * 2

    x = torch.ones(2, requires_grad=True)
    y, word, nothing, many = Odd.apply(x)
    assert (word, nothing, many[0].requires_grad) == ("word", None, False)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_vmap_tells_its_rule_what_torch_tells():
    seen = []

    class Told(Function):
        @staticmethod
        def forward(x, n, y):
            return x * y * n

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x, n, y):
            seen.append((info.batch_size, info.randomness, in_dims, x.shape, y.shape))
            return x * y[:, None] * n, 1

    x, y = torch.ones(3, 4), torch.arange(3.0)
    out = torch.vmap(lambda x: Told.apply(x, 2, y), in_dims=1, randomness="same")(x)
    assert seen == [(4, "same", (1, None, None), (3, 4), (3,))]
    assert out.tolist() == [[0.0, 2.0, 4.0]] * 4
    with pytest.raises(RuntimeError, match=r"calling \.item\(\) on a Tensor"):
        torch.vmap(lambda x: Told.apply(x, 2, y).sum().item(), in_dims=1)(x)
    with pytest.raises(ValueError, match="can not return a BatchedTensor when out_dim is None"):
        torch.vmap(lambda x: Told.apply(x, 2, y), in_dims=1, out_dims=None)(x)


def test_saved_tensors_hooks_see_what_is_saved():
    packed = []

    def pack(t):
        packed.append(t.tolist())
        return t.detach().numpy()

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, torch.from_numpy):
        y = Counted.apply(x)
    assert [1.0, 2.0] in packed
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_node_of_the_graph():
    x = torch.ones(2, requires_grad=True)
    y = Counted.apply(x * 2)
    assert y.grad_fn.name() == "CountedBackward"
    assert y.grad_fn.next_functions[0][0].name() == "MulBackward0"
    assert "grad_fn=<CountedBackward>" in repr(y)
    seen = []
    y.grad_fn.register_hook(lambda grads, outs: seen.append((grads[0].tolist(), outs[0].tolist())))
    y.sum().backward()
    assert seen == [([4.0, 4.0], [1.0, 1.0])]


def test_a_saved_output_makes_no_reference_cycle():
    class Kept(Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.ones(2, requires_grad=True)
    gc.disable()
    try:
        y = Kept.apply(x)
        torch.synchronize()  # ends the recording, which holds its tape
        node = weakref.ref(y._edge[0])
        del y
        assert node() is None
    finally:
        gc.enable()


# -- errors ----------------------------------------------------------------------------------------------------------


def made(forward=None, backward=None):
    rules = {"forward": staticmethod(forward or (lambda ctx, x: x * 2))}
    if backward is not None:
        rules["backward"] = staticmethod(backward)
    return type("F", (Function,), rules)


def saving(what):
    def forward(ctx, x):
        ctx.save_for_backward(what)
        return x * 2

    return forward


def written(x):
    x.mul_(2)
    return x


def dirty(returned):
    def forward(ctx, x):
        ctx.mark_dirty(written(x))
        return returned(x)

    return forward


ERRORS = {
    "too few gradients": (
        lambda x: made(lambda ctx, x, y: x * y, lambda ctx, g: g).apply(x, x).sum().backward(),
        RuntimeError,
        r"function FBackward returned an incorrect number of gradients \(expected 2, got 1\)",
    ),
    "too many gradients": (
        lambda x: made(None, lambda ctx, g: (g, g)).apply(x).sum().backward(),
        RuntimeError,
        r"incorrect number of gradients \(expected 1, got 2\)",
    ),
    "gradient of a number": (
        lambda x: made(lambda ctx, x, n: x * n, lambda ctx, g: (g, g)).apply(x, 2).sum().backward(),
        RuntimeError,
        "returned a gradient different from None at position 2",
    ),
    "gradient of another shape": (
        lambda x: made(None, lambda ctx, g: torch.ones(3)).apply(x).sum().backward(),
        RuntimeError,
        r"returned an invalid gradient at index 0 - got \[3\] but expected shape compatible with \[2\]",
    ),
    "gradient that is no tensor": (
        lambda x: made(None, lambda ctx, g: 3).apply(x).sum().backward(),
        RuntimeError,
        r"expected Variable or None \(got int\)",
    ),
    "no backward": (
        lambda x: made().apply(x).sum().backward(),
        NotImplementedError,
        "You must implement either the backward or vjp method",
    ),
    "backward and vjp": (
        lambda x: (
            type("F", (made(None, lambda ctx, g: g),), {"vjp": staticmethod(lambda ctx, g: g)})
            .apply(x)
            .sum()
            .backward()
        ),
        RuntimeError,
        "Implementing both 'backward' and 'vjp' for a custom Function is not allowed",
    ),
    "no forward": (
        lambda x: type("F", (Function,), {}).apply(x),
        NotImplementedError,
        "You must implement the forward function",
    ),
    "saved number": (
        lambda x: made(saving(3)).apply(x),
        TypeError,
        "save_for_backward can only save variables, but argument 0 is of type int",
    ),
    "in place on a leaf": (
        lambda x: made(dirty(lambda x: x), lambda ctx, g: g).apply(x),
        RuntimeError,
        "a leaf Variable that requires grad has been used in an in-place operation",
    ),
    "dirty and not returned": (
        lambda x: made(dirty(lambda x: x * 1), lambda ctx, g: g).apply(x * 1),
        RuntimeError,
        "Some elements marked as dirty during the forward method were not returned as output",
    ),
    "instance": (
        lambda x: Function()(x),
        RuntimeError,
        "Legacy autograd function with non-static forward method",
    ),
    "keyword": (lambda x: made().apply(x=x, y=x), TypeError, "got an unexpected keyword argument 'y'"),
    "jvp": (
        lambda x: torch.func.jvp(made().apply, (x,), (x,)),
        NotImplementedError,
        "You must implement the jvp function",
    ),
    "jvp of duals": (
        lambda x: in_dual_level(made(), x),
        NotImplementedError,
        "You must implement the jvp function",
    ),
}


def in_dual_level(f, x):
    with torch.autograd.forward_ad.dual_level():
        f.apply(torch.autograd.forward_ad.make_dual(x, x))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ERRORS)
def test_error(name):
    f, kind, message = ERRORS[name]
    with pytest.raises(kind, match=message):
        f(torch.ones(2, requires_grad=True))


def test_backward_twice_and_overwritten():
    x = torch.ones(2, requires_grad=True)
    y = Counted.apply(x)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.sum().backward()
    w = x * 1
    y = Counted.apply(w)
    w.add_(1)
    with pytest.raises(
        RuntimeError, match=r"modified by an inplace operation.*is at version 1; expected version 0"
    ):
        y.sum().backward()


@pytest.mark.parametrize("rule", [lambda info, in_dims, x: x, lambda info, in_dims, x: (x, (0, 0))])
def test_vmap_rules_that_return_nonsense(rule):
    class Bad(Function):
        forward = staticmethod(lambda x: x)
        setup_context = staticmethod(lambda ctx, inputs, output: None)
        vmap = staticmethod(rule)

    with pytest.raises(RuntimeError, match="vmap staticmethod"):
        torch.vmap(Bad.apply)(torch.ones(2))

    class Both(Bad):
        generate_vmap_rule = True

    with pytest.raises(
        RuntimeError, match="has both generate_vmap_rule=True and an overridden vmap staticmethod"
    ):
        torch.vmap(Both.apply)(torch.ones(2))


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return torch.from_numpy(2 * g.detach().numpy() * ctx.saved_tensors[0].detach().numpy())


def test_once_differentiable():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad(Once.apply(x).sum(), x, create_graph=True)
    assert g.tolist() == [2.0, 4.0]
    assert not g.requires_grad
    message = "trying to differentiate twice a function that was marked with @once_differentiable"
    (g,) = torch.autograd.grad((Once.apply(x) * x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match=message):
        g.sum().backward()
    f = torch.func.grad(lambda x: Once.apply(x).sum())
    assert f(x.detach()).tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError, match=message):
        torch.func.jacrev(f)(x.detach())


def test_a_transform_that_can_not_be_cut_says_so(monkeypatch):
    from functorch_lite._core.lazy.kinds import KINDS, Kind
    from functorch_lite._core.lazy.levels import record_function

    monkeypatch.setitem(KINDS, "somewhere", Kind("somewhere"))
    x = torch.ones(2)
    with pytest.raises(
        NotImplementedError, match=r"an autograd\.Function with its own derivative was applied inside"
    ):
        record_function("somewhere", [x._aval], [x], lambda fresh: ([Counted.apply(fresh[0])], None))


def test_variable_is_an_old_name():
    x = torch.ones(2, requires_grad=True)
    v = torch.autograd.Variable(x * 2, requires_grad=True)
    assert v.is_leaf
    assert v.requires_grad
    assert not torch.autograd.Variable(x).requires_grad
    assert isinstance(v, torch.autograd.Variable)
    plain = torch.ones(2)
    torch.autograd.Variable(plain).add_(1)
    assert plain.tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got int"):
        torch.autograd.Variable(3)
    with pytest.raises(RuntimeError, match=r"use torch\.tensor"):
        torch.autograd.variable(1)


class _SparseTimesDense(torch.autograd.Function):
    """As linear_operator's and gpytorch's: the sparse factor is a constant."""

    @staticmethod
    def forward(ctx, sparse, dense):
        ctx.sparse = sparse
        return torch.dsmm(sparse, dense)

    @staticmethod
    def backward(ctx, grad):
        return None, torch.dsmm(ctx.sparse.t(), grad)


def test_a_sparse_argument():
    sparse = torch.tensor([[1.0, 0, 2], [0, 3, 0]]).to_sparse()
    dense = torch.ones(3, 2, requires_grad=True)
    product = _SparseTimesDense.apply(sparse, dense)
    product.sum().backward()
    assert product.tolist() == [[3, 3], [3, 3]] and dense.grad.tolist() == [[1, 1], [3, 3], [2, 2]]
    _SparseTimesDense.apply(sparse.requires_grad_(), dense).sum().backward()
    assert sparse.grad is None and dense.grad.tolist() == [[2, 2], [6, 6], [4, 4]]
