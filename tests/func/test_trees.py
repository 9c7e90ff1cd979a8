"""The random calls of trees.py give what loops and the tape give: examples one at a time, rows of a matrix one by
one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import functorch_lite as torch
from tests.func import trees
from tests.func.trees import children, leaves, mapped
from tests.support.full import FULL

trees.register(torch)
SEEDS = range(60 if FULL else 3)


def filled(like, values):
    """A tree with these leaves."""
    it = iter(values)
    return mapped(lambda _: next(it), like)


def spread(dims, x) -> list:
    """A dimension for each leaf of x."""
    inner = children(dims)
    if inner is None:
        return [dims] * len(leaves(x))
    return [d for a, b in zip(inner, children(x)) for d in spread(a, b)]


def vmap(f, in_dims=0, out_dims=0, chunk_size=None):
    """torch.vmap as a loop."""

    def looped(*args, **kwargs):
        args = list(args)
        where = (
            [d for a, x in zip(in_dims, args) for d in spread(a, x)] if in_dims else [0] * len(leaves(args))
        )
        pairs = list(zip(leaves(args), where))
        (size,) = {x.shape[d] for x, d in pairs if d is not None}
        rows = []
        for i in range(size):
            rows.append(f(*filled(args, [x if d is None else x.select(d, i) for x, d in pairs]), **kwargs))
        columns = zip(*[leaves(r) for r in rows])
        at = (
            spread(out_dims, rows[0])
            if children(rows[0]) is not None or type(out_dims) is not tuple
            else out_dims
        )
        return filled(rows[0], [c[0] if d is None else torch.stack(c, d) for c, d in zip(columns, at)])

    return looped


def by_tape(out, inputs, cotangent=None):
    """The gradient of a tensor by each input, zeros where it does not depend on it; it can be differentiated again."""
    if not out.requires_grad:
        return [torch.zeros_like(x) for x in inputs]
    ct = torch.ones_like(out) if cotangent is None else cotangent
    found = torch.autograd.grad(out, inputs, ct, create_graph=True, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(inputs, found)]


def total(outs, inputs, cts):
    """The gradient of several tensors together."""
    each = [by_tape(o, inputs, c) for o, c in zip(outs, cts)]
    return [sum(gs[1:], gs[0]) for gs in zip(*each)] if each else []


class Taped:
    """A function's arguments as leaves of the tape, what it gives for them, and results in the arguments' structure."""

    def __init__(self, f, args, kwargs=None, argnums=None, has_aux=False):
        chosen = (
            argnums if isinstance(argnums, tuple) else [argnums] if argnums is not None else range(len(args))
        )
        chosen = [c % len(args) for c in chosen]
        fresh = mapped(lambda t: t.clone() if isinstance(t, torch.Tensor) else t, list(args))
        self.trees = [fresh[c] for c in chosen]
        self.inputs = [t.requires_grad_() for t in leaves(self.trees)]
        self.out = f(*fresh, **(kwargs or {}))
        self.aux = ()
        if has_aux:
            self.out, aux = self.out
            self.aux = (aux,)
        self.alone = isinstance(argnums, int)

    def given(self, values):
        trees_ = filled(self.trees, values)
        return trees_[0] if self.alone else tuple(trees_)


def rows_of(out, inputs):
    """The Jacobian of a tensor by each input, a row at a time."""
    rows = [by_tape(o, inputs) for o in out.reshape(-1)]
    return [torch.stack(r).reshape(out.shape + x.shape) for r, x in zip(zip(*rows), inputs)]


def gradient(with_value):
    def transform(f, argnums=0, has_aux=False):
        def wrapper(*args, **kwargs):
            t = Taped(f, args, kwargs, argnums, has_aux)
            found = t.given(by_tape(t.out, t.inputs))
            if with_value:
                return found, (t.out, *t.aux) if has_aux else t.out
            return (found, *t.aux) if has_aux else found

        return wrapper

    return transform


def jacobian(forward):
    def transform(f, argnums=0, has_aux=False, chunk_size=None):
        def wrapper(*args):
            t = Taped(f, args, None, argnums, has_aux)

            def block(o):
                found = rows_of(o, t.inputs)
                return t.given([j.to(o.dtype) for j in found] if forward else found)

            made = mapped(block, t.out)
            return (made, *t.aux) if has_aux else made

        return wrapper

    return transform


def hessian(f, argnums=0):
    def wrapper(*args):
        t = Taped(f, args, None, argnums)

        def block(o):
            return t.given(
                [
                    t.given([h.to(x.dtype) for h in rows_of(j, t.inputs)])
                    for j, x in zip(rows_of(o, t.inputs), t.inputs)
                ]
            )

        return mapped(block, t.out)

    return wrapper


def vjp(f, *primals, has_aux=False):
    t = Taped(f, primals, has_aux=has_aux)
    return t.out, lambda cts: t.given(total(leaves(t.out), t.inputs, leaves(cts))), *t.aux


def pushed(t, tangents):
    """The directional derivative by two backwards: of the gradient by a cotangent that it is linear in."""
    outs = leaves(t.out)
    zeros = [torch.zeros_like(o).requires_grad_(o.is_floating_point() or o.is_complex()) for o in outs]
    pulled = total(outs, t.inputs, zeros)
    return [
        sum([by_tape((g * v).sum(), [z])[0] for g, v in zip(pulled, tangents)]) if z.requires_grad else z
        for z in zeros
    ]


def jvp(f, primals, tangents, has_aux=False):
    t = Taped(f, primals, has_aux=has_aux)
    return t.out, filled(t.out, pushed(t, leaves(list(tangents)))), *t.aux


def linearize(f, *primals):
    t = Taped(f, primals)
    return t.out, lambda *tangents: filled(t.out, pushed(t, leaves(list(tangents))))


class Witness:
    """The library with transforms of its own."""

    vmap = staticmethod(vmap)
    func = SimpleNamespace(
        grad=gradient(False), grad_and_value=gradient(True), vjp=vjp, jvp=jvp, jacrev=jacobian(False), jacfwd=jacobian(True),
        hessian=hessian, linearize=linearize,
    )  # fmt: skip

    def __getattr__(self, name):
        return getattr(torch, name)


@pytest.mark.parametrize("name", trees.CALLS)
def test_against_loops(name):
    compared = 0
    for seed in SEEDS:
        mine = trees.call(torch, name, seed)
        if mine[0] != "error":
            theirs = trees.call(Witness(), name, seed)
            assert trees.same(mine, theirs), f"seed {seed}: {mine} is not {theirs}"
            compared += 1
    assert compared > len(SEEDS) // 3


@pytest.mark.parametrize("name", ["jacrev", "jacfwd", "hessian"])
def test_arguments_counted_from_the_end(name):
    """PyTorch's jacfwd and hessian give zeros by these."""
    a, b = torch.tensor([1.0, 2.0]), torch.tensor(3.0)
    transform = getattr(torch.func, name)
    f = (lambda a, b: (a * b).pow(2).sum()) if name == "hessian" else (lambda a, b: a * b)
    assert (
        transform(f, argnums=-2)(a, b).tolist() == transform(f, argnums=0)(a, b).tolist() != [[0, 0], [0, 0]]
    )
    (by_b,) = transform(f, argnums=(-1,))(a, b)
    (expected,) = transform(f, argnums=(1,))(a, b)
    by_b, expected = (x[0] if name == "hessian" else x for x in (by_b, expected))
    assert by_b.tolist() == expected.tolist()
