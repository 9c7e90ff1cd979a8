"""cond, while_loop, map, scan, associative_scan: values beside plain Python loops, under every transform; what they
refuse."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._higher_order_ops import associative_scan, scan, while_loop
from functorch_lite._higher_order_ops import map as torch_map
from functorch_lite.debug import stats
from functorch_lite.func import grad, hessian, jacfwd, jacrev, jvp, vmap
from tests.support.full import FULL

X = torch.tensor([0.5, -1.0, 2.0])
XS = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.2, -0.7], [-0.3, 0.8, 1.1], [0.9, -0.4, 0.6]])
YES = torch.tensor(True)


def close(a, b, tolerance=1e-5):
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=tolerance, atol=tolerance)


# -- cond ------------------------------------------------------------------------------------------------------------


def by_sign(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin() * x, lambda x: x.cos(), (x,))


def test_cond_takes_the_branch_of_the_predicate():
    close(torch.cond(YES, torch.sin, torch.cos, (X,)), X.sin())
    close(torch.cond(~YES, torch.sin, torch.cos, (X,)), X.cos())
    close(torch.cond(torch.tensor([0]), torch.sin, torch.cos, (X,)), X.cos())


def test_cond_of_a_python_number_runs_one_branch_only():
    def never(x):
        raise AssertionError("this branch is not run")

    close(torch.cond(X.shape[0] > 2, torch.sin, never, (X,)), X.sin())
    close(torch.cond(0, never, torch.cos, (X,)), X.cos())


def test_cond_of_trees_and_ints():
    a, b = torch.cond(YES, lambda d: ({"s": d["x"] + 1}, 3), lambda d: ({"s": d["x"]}, 4), ({"x": X},))
    close(a["s"], X + 1)
    assert b == 3


def test_cond_gives_gradients_to_what_its_branches_use_from_outside():
    w = torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
    layer = torch.nn.Linear(3, 1)
    torch.cond(X.sum() > 0, lambda x: (x * w).sum(), lambda x: layer(x).sum(), (X,)).backward()
    close(w.grad, X)
    close(layer.weight.grad, torch.zeros(1, 3))
    torch.cond(X.sum() < 0, lambda x: (x * w).sum(), lambda x: layer(x).sum(), (X,)).backward()
    close(layer.weight.grad[0], X)


def test_cond_under_vmap_chooses_for_each_example():
    expected = torch.where(XS.sum(1, keepdim=True) > 0, XS.sin() * XS, XS.cos())
    close(vmap(by_sign)(XS), expected)
    close(vmap(lambda x: torch.cond(x.sum() > 0, lambda: x.sin() * x, lambda: x.cos()))(XS), expected)


@pytest.mark.parametrize("x", [X, -X])
def test_cond_under_every_derivative(x):
    def plain(x):
        return x.sin() * x if x.sum() > 0 else x.cos()

    close(jacrev(by_sign)(x), jacrev(plain)(x))
    close(jacfwd(by_sign)(x), jacfwd(plain)(x))
    close(hessian(lambda x: by_sign(x).sum())(x), hessian(lambda x: plain(x).sum())(x))
    close(vmap(grad(lambda x: by_sign(x).sum()))(x[None])[0], grad(lambda x: plain(x).sum())(x))


def test_cond_may_read_values_in_its_branches_where_there_is_one_value():
    close(torch.cond(YES, lambda x: x * x.sum().item(), torch.cos, (X,)), X * 1.5)


def test_cond_heeds_no_grad_in_a_branch():
    x = X.clone().requires_grad_()

    def branch(x):
        with torch.no_grad():
            y = x * 2
        return y * x

    torch.cond(YES, branch, torch.cos, (x,)).sum().backward()
    close(x.grad, 2 * X)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.cond("a", torch.sin, torch.cos, (X,)), "Expected pred to be bool or tensor, but got a."),
        (lambda: torch.cond(X > 0, torch.sin, torch.cos, (X,)), "Expected pred to be bool or single-element tensor"),
        (lambda: torch.cond(YES, 1, torch.cos, (X,)), "Expect both branches to be callable."),
        (lambda: torch.cond(YES, torch.sin, torch.cos, X), "Expect operands to be a tuple of possibly nested"),
        (lambda: torch.cond(YES, torch.sin, torch.cos, (X, 2)), "Expect operands to be a tuple of possibly nested"),
        (lambda: torch.cond(YES, torch.sin, lambda x: (x, x), (X,)), "same pytree structure"),
        (lambda: torch.cond(YES, torch.sin, torch.sum, (X,)), "expected same dim but got 1 and 0."),
        (lambda: torch.cond(YES, torch.sin, lambda x: x.double(), (X,)), "expected same dtype but got torch.float32 and torch.float64."),
        (lambda: torch.cond(YES, torch.sin, lambda x: x[:2], (X,)), "expected same shape but got"),
        (lambda: torch.cond(YES, torch.sin, lambda x: None, (X,)), "must consist of tensors or ints/bools only"),
        (lambda: torch.cond(YES, lambda x: x.sin_(), torch.cos, (X,)), "do not support input mutation"),
    ],
)  # fmt: skip
def test_cond_refuses(call, message):
    before = X.clone()
    with pytest.raises(RuntimeError) as caught:
        call()
    assert message in str(caught.value)
    close(X, before, 0)


def test_data_dependent_python_under_vmap_is_told_of_cond():
    with pytest.raises(RuntimeError, match=r"data-dependent control flow.*torch\.cond"):
        vmap(lambda x: x if x > 0 else -x)(X)
    with pytest.raises(RuntimeError, match=r"calling \.item\(\) on a Tensor.*torch\.cond"):
        vmap(lambda x: torch.tensor(x.item()))(X)


def test_values_that_are_the_same_for_all_examples_may_be_read_under_vmap():
    k = torch.tensor(2.0)
    close(vmap(lambda x: x * (k + 1).item())(X), X * 3)


def test_cond_compiles_once():
    def step():
        return by_sign(X).sum().item()

    step()
    step()
    before = stats()["programs"]
    step()
    assert stats()["programs"] == before


# -- while_loop ------------------------------------------------------------------------------------------------------


def power(n, x):
    return while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), (torch.tensor(0), torch.ones_like(x)))[
        1
    ]


def test_while_loop_runs_until_its_condition_fails():
    i, y = while_loop(lambda i, y: y.sum() < 100, lambda i, y: (i + 1, y * 2), (torch.tensor(0), X.abs()))
    assert i.item() == 5
    close(y, X.abs() * 32)
    assert while_loop(lambda i, d: i < 3, lambda i, d: (i + 1, {"a": d["a"] + i}), (0, {"a": X}))[0] == 3
    close(while_loop(lambda i: i < 3, lambda i: i + 1, (torch.tensor(0),)), torch.tensor(3))


@pytest.mark.parametrize("n", [0, 1, 5, 70])  # 70 steps: more than the states that the reverse pass keeps
def test_while_loop_has_reverse_derivatives(n):
    x = torch.tensor([0.9, 1.02], requires_grad=True)
    power(n, x).sum().backward()
    close(x.grad, n * x.detach() ** (n - 1) if n else torch.zeros(2), 1e-4)


def test_while_loop_under_transforms():
    x = torch.tensor([0.5, 2.0])
    close(jacrev(lambda x: power(3, x))(x), torch.diag(3 * x**2))
    close(jacfwd(lambda x: power(3, x))(x), torch.diag(3 * x**2))
    close(jvp(lambda x: power(3, x), (x,), (torch.ones(2),))[1], 3 * x**2)
    close(hessian(lambda x: power(3, x).sum())(x), torch.diag(6 * x))
    steps = torch.tensor([1, 3, 0])
    xs = torch.tensor([2.0, 3.0, 4.0])
    close(vmap(power)(steps, xs), torch.tensor([2.0, 27.0, 1.0]))
    close(vmap(grad(power, argnums=1))(steps, xs), torch.tensor([1.0, 27.0, 0.0]))
    close(grad(lambda xs: vmap(power)(steps, xs).sum())(xs), torch.tensor([1.0, 27.0, 0.0]))


@pytest.mark.parametrize(
    ("cond_fn", "body_fn", "message"),
    [
        (1, lambda i, x: (i, x), "Expect cond_fn and body_fn to be callable."),
        (lambda i, x: i < 3, lambda i, x: (i + 1, x[:2]), "body_fn_output and carried_inputs to have same metadata but found:\npair[1] differ in 'shape: torch.Size([2]) vs torch.Size([3])'"),
        (lambda i, x: i < 3, lambda i, x: (i + 1, x.double()), "pair[1] differ in 'dtype: torch.float64 vs torch.float32'"),
        (lambda i, x: i < 3, lambda i, x: (i + 1,), "to have same number of outputs"),
        (lambda i, x: x > 0, lambda i, x: (i + 1, x), "cond_fn must return a boolean scalar tensor or a boolean"),
        (lambda i, x: i, lambda i, x: (i + 1, x), "cond_fn must return a boolean scalar tensor or a boolean"),
        (lambda i, x: True, lambda i, x: (i + 1, x), "would never end"),
        (lambda i, x: i.add_(1) < 3, lambda i, x: (i + 1, x), "do not support input mutation"),
        (lambda i, x: i < 3, lambda i, x: (i + 1, x * i.item()), "is recorded once for all its steps"),
        (lambda i, x: i < 3, lambda i, x: (i + 1, x if i > 1 else -x), "Use torch.cond instead of `if`"),
    ],
)  # fmt: skip
def test_while_loop_refuses(cond_fn, body_fn, message):
    with pytest.raises(RuntimeError) as caught:
        while_loop(cond_fn, body_fn, (torch.tensor(0), X))
    assert message in str(caught.value)


# -- map and scan ----------------------------------------------------------------------------------------------------


def test_map_is_a_loop_over_slices():
    close(torch_map(lambda x, y: x * y.sum(), XS, X), XS * X.sum())
    got = torch_map(lambda d, k: {"s": d["a"] + k * d["b"]}, {"a": XS, "b": XS}, 2)
    close(got["s"], 3 * XS)
    w = X.clone().requires_grad_()
    torch_map(lambda x: (x * w).sum(), XS).sum().backward()
    close(w.grad, XS.sum(0))
    close(vmap(lambda xs: torch_map(lambda x: x * 2, xs))(XS[None]), 2 * XS[None])


def test_random_numbers_differ_from_step_to_step():
    drawn = torch_map(lambda x: torch.rand(()) + 0 * x, torch.zeros(6))
    assert len(set(drawn.tolist())) == 6
    _, drawn = scan(lambda c, x: (c, torch.rand(())), torch.zeros(()), torch.zeros(6))
    assert len(set(drawn.tolist())) == 6
    with pytest.raises(RuntimeError, match="randomness error mode"):
        associative_scan(lambda a, b: a + b * torch.rand(()), X, 0, combine_mode="generic")


def combine(c, x):
    return c * 0.5 + x, (c * x).sin()


def scanned(c, xs):
    ys = []
    for x in xs:
        c, y = combine(c, x)
        ys.append(y)
    return c, torch.stack(ys)


def test_scan_is_the_loop_it_stands_for():
    for a, b in zip(scan(combine, X, XS), scanned(X, XS)):
        close(a, b)
    for a, b in zip(scan(combine, X, XS, reverse=True), scanned(X, XS.flip(0))):
        close(a, b.flip(0) if b.ndim == 2 else b)
    start = torch.zeros(4)
    for a, b in zip(scan(combine, start, XS, dim=1), scanned(start, XS.t())):
        close(a, b.t() if b.ndim == 2 else b)
    last, ys = scan(lambda c, x: ({"a": c["a"] + x[0]}, (x[1], c["a"])), {"a": X}, (XS, XS))
    close(last["a"], X + XS.sum(0))
    close(ys[0], XS)


def test_the_first_leaf_of_xs_says_how_many_steps_a_scan_takes():
    def step(c, x):
        return c + x[0].sum() * x[1], c * x[1]

    more = torch.arange(len(XS) + 3.0)
    for reverse in (False, True):
        last, ys = scan(step, torch.tensor(1.0), (XS, more), reverse=reverse)
        c, expected = torch.tensor(1.0), []
        for i in range(len(XS)):
            at = -1 - i if reverse else i
            c, y = step(c, (XS[at], more[at]))
            expected.append(y)
        close(last, c)
        close(ys, torch.stack(expected[::-1] if reverse else expected))
    with pytest.raises(IndexError, match="out of range"):
        scan(step, torch.tensor(1.0), (more, XS))


def test_scan_under_transforms():
    def loss(f):
        return lambda c, xs: sum(o.sum() for o in f(c, xs))

    ours, plain = loss(lambda c, xs: scan(combine, c, xs)), loss(scanned)
    for a, b in zip(grad(ours, (0, 1))(X, XS), grad(plain, (0, 1))(X, XS)):
        close(a, b)
    close(hessian(ours)(X, XS), hessian(plain)(X, XS))
    both = torch.stack([X, -X])
    close(vmap(ours, (0, None))(both, XS), torch.stack([plain(X, XS), plain(-X, XS)]))


def test_loops_nest():
    def step(c, x):
        inner = while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y + x), (torch.tensor(0), c))[1]
        return torch.cond(x.sum() > 0, lambda: inner, lambda: c), x.sum()

    expected = X
    for x in XS:
        expected = expected + 2 * x if x.sum() > 0 else expected
    close(scan(step, X, XS)[0], expected)
    close(vmap(lambda c: scan(step, c, XS)[0])(X[None])[0], expected)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: scan(3, X, XS), RuntimeError, "Combine_fn must be a callable, but got 3"),
        (lambda: scan(combine, X, XS, reverse=1), RuntimeError, "Reverse must be a bool, but got <class 'int'>"),
        (lambda: scan(combine, (), XS), RuntimeError, "scan() operator requires init leaves."),
        (lambda: scan(combine, 1.0, XS), RuntimeError, "All init leaves must be a Tensor but got 1.0"),
        (lambda: scan(combine, X, XS, dim=3), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 3)"),
        (lambda: scan(combine, X, torch.zeros(0, 3)), RuntimeError, "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"),
        (lambda: scan(lambda c, x: c.sum(), X, XS), RuntimeError, "Expect combine_fn to return a tuple (next_carry, y)"),
        (lambda: scan(lambda c, x: (c.sum(), x), X, XS), RuntimeError, "Expected init and carry to have same metadata"),
        (lambda: scan(lambda c, x: ((c, c), x), X, XS), RuntimeError, "Expected init and carry to have the same tree structure"),
        (lambda: torch_map(torch.sin, torch.zeros(0, 3)), RuntimeError, "Leading dimensions of mapped xs cannot be 0."),
        (lambda: torch_map(torch.sin, 3), RuntimeError, "Mapped xs can only consist of tensors. Got xs [3]."),
        (lambda: torch_map(lambda x: x[0], (XS, X)), RuntimeError, "Leading dimensions of mapped xs must be consistent. Got shapes [torch.Size([4, 3]), torch.Size([3])]."),
        (lambda: associative_scan(torch.add, XS, 0), ValueError, "For combine_mode='pointwise', all input tensors need to be on CUDA or XPU"),
        (lambda: associative_scan(torch.add, XS, 0, combine_mode="x"), ValueError, "Combine_mode must either 'pointwise' or 'generic', but got x"),
        (lambda: associative_scan(2, XS, 0, combine_mode="generic"), ValueError, "Combine_fn must be a callable, but got 2"),
        (lambda: associative_scan(lambda a, b: (a + b).sum(), XS, 0, combine_mode="generic"), RuntimeError, "to have same metadata"),
    ],
)  # fmt: skip
def test_loops_refuse(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


def test_associative_scan():
    close(associative_scan(torch.add, XS, 0, combine_mode="generic"), XS.cumsum(0))
    close(associative_scan(torch.mul, XS, -1, combine_mode="generic"), XS.cumprod(1))
    close(associative_scan(torch.add, XS, 1, True, combine_mode="generic"), XS.flip(1).cumsum(1).flip(1))

    def affine(a, b):
        return a[0] * b[0], a[1] * b[0] + b[1]

    slope, offset = associative_scan(affine, (XS, XS), 0, combine_mode="generic")
    c, rows = torch.zeros(3), []
    for x in XS:
        c = c * x + x
        rows.append(c)
    close(slope, XS.cumprod(0))
    close(offset, torch.stack(rows))
    close(
        grad(lambda xs: associative_scan(torch.add, xs, 0, combine_mode="generic").sum())(XS)[:, 0],
        torch.tensor([4.0, 3, 2, 1]),
    )
    close(vmap(lambda x: associative_scan(torch.add, x, 0, combine_mode="generic"))(XS), XS.cumsum(1))


# -- while_loop, to every order --------------------------------------------------------------------------------------

SCALE = torch.tensor([0.9, 1.1, -0.7])


def looped(x):
    """Five steps, by while_loop."""

    def step(i, y):
        return (i + 1, (y * x * SCALE).sin() + y * y * 0.3)

    return while_loop(lambda i, y: i < 5, step, (torch.tensor(0), x * 1.0))[1]


def unrolled(x):
    """The same in Python."""
    y = x * 1.0
    for _ in range(5):
        y = (y * x * SCALE).sin() + y * y * 0.3
    return y


def taped_in_a_level(f):
    def slope(a):
        b = a.clone().requires_grad_()
        return torch.autograd.grad(f(b).sum(), b)[0]

    return jvp(slope, (X,), (X,))[1]


def taped_twice(f):
    x = X.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    calls = []
    g.register_hook(lambda h: calls.append(1))
    (g * g).sum().backward()
    assert len(calls) == 1
    return x.grad


SECOND_ORDER = {
    "hessian": lambda f: hessian(lambda x: f(x).sum())(X),
    "one that it does not depend on": lambda f: jvp(
        lambda a: grad(lambda b: (f(a) * b).sum())(X), (X,), (X,)
    )[1],
    "tape in a level": taped_in_a_level,
    "tape": taped_twice,
}
if FULL:  # each compiles for seconds
    SECOND_ORDER |= {
        "grad of grad": lambda f: grad(lambda x: grad(lambda y: f(y).sum())(x).pow(2).sum())(X),
        "reverse over forward": lambda f: jacrev(jacfwd(f))(X),
        "vmap": lambda f: vmap(lambda v: jacrev(grad(lambda x: f(x).sum()))(v))(torch.stack([X, X * 0.5])),
        "in map": lambda f: jacrev(
            grad(lambda x: torch_map(lambda s: f(x * s), torch.tensor([1.0, 0.5])).sum())
        )(X),
    }


@pytest.mark.parametrize("transform", SECOND_ORDER.values(), ids=list(SECOND_ORDER))
def test_while_loop_to_the_second_order(transform):
    close(transform(looped), transform(unrolled), 1e-4)


def in_two_loops(x, repeat):
    """repeat(steps, body, start): a loop in a loop."""

    def outer(y):
        return repeat(2, lambda z: (z * x).sin() + y, y * 0.5)

    return repeat(2, outer, x).sum()


def repeat_by_ops(n, body, y):
    return while_loop(lambda k, _: k < n, lambda k, y: (k + 1, body(y)), (torch.tensor(0), y))[1]


def repeat_by_python(n, body, y):
    for _ in range(n):
        y = body(y)
    return y


@pytest.mark.parametrize("order", ["rf", "rff"])
def test_while_loops_in_while_loops_in_mixed_modes(order):
    def derivative(repeat):
        def f(x, repeat=repeat):
            return in_two_loops(x, repeat)

        for mode in order:
            if mode == "r":
                f = (lambda g: lambda x: grad(g)(x).sum())(f)
            else:
                f = (lambda g: lambda x: jvp(g, (x,), (torch.ones_like(x),))[1])(f)
        return f(X.double())

    close(derivative(repeat_by_ops), derivative(repeat_by_python), 1e-9)
