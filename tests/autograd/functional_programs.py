"""Calls of autograd.functional, written once for PyTorch and for us: `f(t)` gives the result, or raises."""

from __future__ import annotations

RESULTS: dict = {}
ERRORS: dict = {}


def vectors(t):
    return t.tensor([1.0, 2.0, 3.0]), t.tensor([[0.5, 0.25], [1.0, 2.0]])


def square(x):
    return x**2


def cubes(x):
    return (x**3).sum()


def both(x, y):
    return x.sum() * y, x * 2


def product(x, y):
    return (x**2).sum() * (y**2).sum()


def first(x, y):
    return x * 2


def total(x):
    return x.sum()


def constant(t):
    return lambda x: t.ones(2)


def add(name, f):
    """A call f(t, functional, x, y)."""
    RESULTS[name] = lambda t: f(t, t.autograd.functional, *vectors(t))


def fails(name, f):
    """A call that raises."""
    ERRORS[name] = lambda t: f(t, t.autograd.functional, *vectors(t))


add("vjp", lambda t, F, x, y: F.vjp(square, x, x))
add("vjp of tuples", lambda t, F, x, y: F.vjp(both, (x, y), (y, x)))
add("vjp of a number", lambda t, F, x, y: F.vjp(cubes, x))
add("vjp of a constant", lambda t, F, x, y: F.vjp(constant(t), x, t.ones(2)))
add("jvp", lambda t, F, x, y: F.jvp(square, x, x))
add("jvp of tuples", lambda t, F, x, y: F.jvp(both, (x, y), (x, y)))
add("jvp of a constant", lambda t, F, x, y: F.jvp(constant(t), x, x))
add("vhp", lambda t, F, x, y: F.vhp(cubes, x, x))
add("vhp of tuples", lambda t, F, x, y: F.vhp(product, (x, y), (x, y)))
add("vhp of a linear function", lambda t, F, x, y: F.vhp(total, x, x))
add("hvp", lambda t, F, x, y: F.hvp(cubes, x, x, strict=True))
add("hvp of tuples", lambda t, F, x, y: F.hvp(product, (x, y), (x, y)))
add("strict jvp with a graph", lambda t, F, x, y: F.jvp(square, x, x, strict=True, create_graph=True))
for vectorize in (False, True):

    def also(name, f, vectorize=vectorize):
        add(f"{name}{', vectorized' if vectorize else ''}", lambda t, F, x, y: f(t, F, x, y, vectorize))

    also("jacobian", lambda t, F, x, y, v: F.jacobian(square, x, vectorize=v))
    also("jacobian of tuples", lambda t, F, x, y, v: F.jacobian(both, (x, y), vectorize=v))
    also("jacobian with an unused input", lambda t, F, x, y, v: F.jacobian(first, (x, y), vectorize=v))
    also("jacobian of a constant", lambda t, F, x, y, v: F.jacobian(constant(t), x, vectorize=v))
    also("hessian", lambda t, F, x, y, v: F.hessian(cubes, x, vectorize=v))
    also("hessian of tuples", lambda t, F, x, y, v: F.hessian(product, (x, y), vectorize=v))
    also("hessian of a linear function", lambda t, F, x, y, v: F.hessian(total, x, vectorize=v))

    def third(t, F, x, y, v):
        x = x.requires_grad_()
        return t.autograd.grad(F.hessian(lambda x: (x**4).sum(), x, create_graph=True, vectorize=v).sum(), x)

    also("gradient of a hessian", third)
add("strict jacobian", lambda t, F, x, y: F.jacobian(square, x, strict=True))
add("forward jacobian", lambda t, F, x, y: F.jacobian(square, x, vectorize=True, strategy="forward-mode"))
add(
    "forward jacobian of tuples",
    lambda t, F, x, y: F.jacobian(both, (x, y), vectorize=True, strategy="forward-mode"),
)
add(
    "forward hessian",
    lambda t, F, x, y: F.hessian(cubes, x, vectorize=True, outer_jacobian_strategy="forward-mode"),
)


def requires_grad(t, F, x, y):
    """Which results have a graph."""
    x = x.requires_grad_()
    with t.no_grad():
        results = [F.vjp(square, x, x.detach(), create_graph=g)[1] for g in (False, True)]
    results += [F.jacobian(square, x, create_graph=g) for g in (False, True)]
    results += [F.hvp(cubes, x, x.detach(), create_graph=g)[1] for g in (False, True)]
    return [r.requires_grad for r in results]


add("requires_grad", requires_grad)

fails("vjp without v", lambda t, F, x, y: F.vjp(square, x))
fails("vjp with v of another shape", lambda t, F, x, y: F.vjp(square, x, y))
fails("vjp with too few vectors", lambda t, F, x, y: F.vjp(both, (x, y), (y,)))
fails("vjp with an entry of another shape", lambda t, F, x, y: F.vjp(both, (x, y), (x, x)))
fails("vjp with two vectors for one", lambda t, F, x, y: F.vjp(square, x, (x, x)))
fails("strict vjp of a constant", lambda t, F, x, y: F.vjp(constant(t), x, t.ones(2), strict=True))
fails("strict vjp with an unused input", lambda t, F, x, y: F.vjp(first, (x, y), x, strict=True))
fails("strict vjp of a linear function", lambda t, F, x, y: F.vjp(total, x, strict=True, create_graph=True))
fails("jvp without v", lambda t, F, x, y: F.jvp(square, x))
fails("strict jvp with an unused input", lambda t, F, x, y: F.jvp(first, (x, y), (x, y), strict=True))
fails("vhp of several numbers", lambda t, F, x, y: F.vhp(square, x, x))
fails("hvp of two outputs", lambda t, F, x, y: F.hvp(lambda x: (x.sum(), x.sum()), x, x))
fails("strict vhp of a linear function", lambda t, F, x, y: F.vhp(total, x, x, strict=True))
fails("strict hessian of a linear function", lambda t, F, x, y: F.hessian(total, x, strict=True))
fails("hessian of several numbers", lambda t, F, x, y: F.hessian(square, x))
fails("strict jacobian with an unused input", lambda t, F, x, y: F.jacobian(first, (x, y), strict=True))
fails("strict jacobian, vectorized", lambda t, F, x, y: F.jacobian(square, x, strict=True, vectorize=True))
fails(
    "strict jacobian of a linear function",
    lambda t, F, x, y: F.jacobian(total, x, strict=True, create_graph=True),
)
fails("inputs that are no tensors", lambda t, F, x, y: F.jacobian(square, 3))
fails("an input that is no tensor", lambda t, F, x, y: F.jacobian(both, (x, 3)))
fails("outputs in a list", lambda t, F, x, y: F.jacobian(lambda x: [x], x))
fails("unknown strategy", lambda t, F, x, y: F.jacobian(square, x, strategy="sideways"))
fails("unknown outer strategy", lambda t, F, x, y: F.hessian(cubes, x, outer_jacobian_strategy="sideways"))
fails("forward, not vectorized", lambda t, F, x, y: F.jacobian(square, x, strategy="forward-mode"))
fails(
    "forward and strict",
    lambda t, F, x, y: F.jacobian(square, x, strict=True, vectorize=True, strategy="forward-mode"),
)
fails(
    "forward with a graph",
    lambda t, F, x, y: F.jacobian(square, x, create_graph=True, vectorize=True, strategy="forward-mode"),
)
