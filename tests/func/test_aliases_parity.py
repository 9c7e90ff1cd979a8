"""Results of transforms that are views of arguments, of what is outside, or of each other: beside PyTorch, what a write
to one does to the others."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as ours

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity


def without_grad(r):
    with ours.no_grad(), torch.no_grad():
        return r[1:]


OF_A_ROW = {
    "argument": lambda r: r,
    "written": lambda r: r.sin_(),
    "view": lambda r: r.view(-1),
    "slice": lambda r: r[1:],
    "element": lambda r: r[0, 1],
    "select": lambda r: r[0],
    "steps": lambda r: r[:, ::2],
    "transposed": lambda r: r.t(),
    "permuted": lambda r: r.permute(1, 0),
    "moved": lambda r: r.movedim(0, 1),
    "diagonal": lambda r: r.diagonal(),
    "unsqueezed": lambda r: r.unsqueeze(0),
    "squeezed": lambda r: r[:1].squeeze(0),
    "reshaped": lambda r: r.reshape(-1),
    "reshaped copy": lambda r: r.t().reshape(-1),
    "chunk": lambda r: r.chunk(2, 1)[1],
    "unbound": lambda r: r.unbind(0)[1],
    "narrow": lambda r: r.narrow(0, 1, 2),
    "windows": lambda r: r.unfold(0, 2, 2),
    "as_strided": lambda r: r.as_strided((2,), (1,), 1),
    "expanded": lambda r: r[:, :1].expand(3, 5),
    "detached": lambda r: r.detach()[1:],
    "written view": lambda r: r.mul_(2).view(2, 6),
    "view written": lambda r: r[0].add_(1),
    "other dtype and back": lambda r: r.view(ours.int32 if isinstance(r, ours.Tensor) else torch.int32).view(
        r.dtype
    ),
    "contiguous": lambda r: r.contiguous(),
    "copy": lambda r: r.clone(),
    "picked": lambda r: r[[0, 1]],
    "without grad": without_grad,
}


def seen(t, f, **options):
    """What a result and the argument are, before and after each is written to."""
    x = t.arange(24.0).reshape(2, 3, 4)
    y = t.func.vmap(f, **options)(x)
    found = [y.tolist(), tuple(y.stride()), y.is_contiguous(), y.data_ptr() == x.data_ptr()]
    x.add_(100)
    found.append(y.tolist())
    try:
        y.mul_(2)
    except RuntimeError:
        found.append("refused")
    return [*found, x.tolist(), y.tolist(), x._version, y._version]


def compare(mine, theirs):
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs):
        if isinstance(b, list):
            np.testing.assert_allclose(a, b, rtol=1e-5)
        else:
            assert a == b


@pytest.mark.parametrize("name", OF_A_ROW)
def test_of_a_row(name):
    compare(seen(ours, OF_A_ROW[name]), seen(torch, OF_A_ROW[name]))


@pytest.mark.parametrize("dims", [(1, 0), (2, 1)])
@pytest.mark.parametrize("name", ["argument", "slice", "select", "transposed", "diagonal", "written view"])
def test_of_other_dims(name, dims):
    f = OF_A_ROW[name] if name != "written view" else lambda r: r.mul_(2)[1:]
    options = {"in_dims": dims[0], "out_dims": dims[1] if name != "diagonal" else 0}
    compare(seen(ours, f, **options), seen(torch, f, **options))


def nested(t):
    return seen(t, t.func.vmap(lambda r: r[1:])), seen(t, t.func.vmap(lambda r: r.sin_(), in_dims=1))


def from_outside(t):
    c, x = t.arange(3.0), t.ones(2)
    outs = [
        t.func.vmap(lambda r: c)(x),
        t.func.vmap(lambda r: c[1:])(x),
        t.func.vmap(lambda r: c[1:], out_dims=None)(x),
    ]
    same = t.func.vmap(lambda r: c, out_dims=None)(x) is c
    c.add_(1)
    return [[y.tolist() for y in outs], [y.stride() for y in outs], same]


def of_each_other(t):
    y, z = t.func.vmap(lambda r: ((q := r * 2), q[1:]))(t.ones(2, 3))
    y.add_(1)
    z.mul_(3)
    a, b = t.func.vmap(lambda r, s: (r[1:], s[0]))(*[t.ones(2, 3)] * 2)
    p, q = t.func.vmap(lambda r: ((q := r * 2), q))(t.ones(2))
    p.add_(1)
    return [v.tolist() for v in (y, z, a, b, p, q)]


def derivatives_of_others(t):
    """The primal results of vjp, jvp and their kin, and what comes beside them."""
    x, func = t.ones(3), t.func
    ones = t.ones(3)
    outs = [
        func.jvp(lambda x: x.view(3, 1), (x,), (ones,))[0],
        func.vjp(lambda x: x.view(3, 1), x)[0],
        func.grad_and_value(lambda x: (x.sum(), x[1:]), has_aux=True)(x)[1][1],
        func.jacrev(lambda x: (x * 2, x[1:]), has_aux=True)(x)[1],
        func.linearize(lambda x: x[1:], x)[0],
        func.vjp(lambda x: x * 2, x)[0],
    ]
    same = func.vjp(lambda x: x, x)[0] is x
    x.add_(1)
    return [[y.tolist() for y in outs], same]


def taped(t):
    w = t.ones(2, 3, requires_grad=True)
    x = w * 2
    t.func.vmap(lambda r: r[1:])(x).mul_(3)
    apart = t.func.vmap(lambda r: r.detach()[1:])(x)
    found = [t.autograd.grad((x**2).sum(), w)[0].tolist(), apart.requires_grad]
    y = t.func.vmap(lambda r: r[1:])(w)
    try:
        y.add_(1)
    except RuntimeError as e:
        found.append(str(e))
    return [y.requires_grad, y.is_leaf, *found]


def inside_grad(t):
    def f(x):
        x = x * 1
        y = t.func.vmap(lambda r: r[1:])(x)
        y.mul_(x[:, 1:] * 1)
        z = t.func.vmap(lambda r: r.detach()[1:])(x)
        kept = z * 1
        z.mul_(3)
        return (x * x).sum() + kept.sum()

    return [t.func.grad(f)(t.ones(2, 3) * 2).tolist()]


@pytest.mark.parametrize(
    "program",
    [nested, from_outside, of_each_other, derivatives_of_others, taped, inside_grad],
    ids=lambda f: f.__name__,
)
def test_programs(program):
    mine, theirs = program(ours), program(torch)
    for a, b in zip(mine, theirs, strict=True):
        if program is nested:
            compare(a, b)
        else:
            assert a == b
