"""Small programs written once for PyTorch and for us: `f(torch)` returns tensors to compare, or raises."""

from __future__ import annotations

import numpy as np

_rng = np.random.default_rng(0)
X = _rng.standard_normal((5, 3)).astype(np.float32)
W = _rng.standard_normal((3, 4)).astype(np.float32)

PROGRAMS: dict = {}
ERRORS: dict = {}


def program(f):
    PROGRAMS[f.__name__] = f
    return f


# -- transforms --------------------------------------------------------------------------------------------------------


@program
def captured_tensor_gets_an_outer_gradient(t):
    w, x = t.tensor(W, requires_grad=True), t.tensor(X)
    g = t.vmap(t.func.grad(lambda x: t.sin(x @ w).sum()))(x)
    (g * g).sum().backward()
    return g, w.grad


@program
def hessian(t):
    return t.func.hessian(lambda w: (t.tanh(t.tensor(X) @ w) ** 2).sum())(t.tensor(W))


@program
def jacobians(t):
    def f(w):
        return t.tanh(t.tensor(X) @ w)

    return (
        t.func.jacfwd(f)(t.tensor(W)),
        t.func.jacrev(f)(t.tensor(W)),
        t.func.jacrev(f, chunk_size=3)(t.tensor(W)),
    )


@program
def jacobian_of_two_arguments_and_outputs(t):
    (aa, ab), (ba, bb) = t.func.jacrev(lambda a, b: (a * b, a + b.sin()), argnums=(0, 1))(
        t.tensor(X), t.tensor(X)
    )
    return aa, ab, ba, bb


@program
def jvp(t):
    return t.func.jvp(lambda x: (x.sin(), x.sum()), (t.tensor(X),), (t.ones(5, 3),))[1]


@program
def vjp(t):
    out, pull = t.func.vjp(lambda x, w: x @ w, t.tensor(X), t.tensor(W))
    return (out, *pull(t.ones(5, 4)))


@program
def vjp_with_aux_and_dict(t):
    out, pull, aux = t.func.vjp(
        lambda d: ({"y": d["a"] * d["b"]}, d["a"]), {"a": t.tensor(X), "b": t.tensor(X)}, has_aux=True
    )
    (grads,) = pull({"y": t.ones(5, 3)})
    return out["y"], grads["a"], grads["b"], aux


@program
def linearize(t):
    out, push = t.func.linearize(lambda x: x.sin() * 2, t.tensor(X))
    return out, push(t.ones(5, 3))


@program
def vmap_dims(t):
    a = t.vmap(lambda a, b: a @ b, in_dims=(0, None), out_dims=1)(t.tensor(X), t.tensor(W))
    b = t.vmap(lambda a, b: (a @ b, a), in_dims=(-1, None), out_dims=(0, -1))(t.tensor(X), t.ones(5))
    return (a, *b)


@program
def vmap_trees(t):
    return t.vmap(lambda d: {"s": d["a"] + d["b"]}, in_dims=({"a": 0, "b": 1},))(
        {"a": t.tensor(X), "b": t.tensor(X.T.copy())}
    )["s"]


@program
def vmap_in_chunks(t):
    return t.vmap(lambda a: a.sum(), chunk_size=2)(t.tensor(X))


@program
def nested_grads(t):
    return t.func.grad(lambda x: t.func.grad(lambda y: (y**3).sum())(x).sum())(t.tensor(X))


@program
def third_derivative(t):
    g = t.func.grad
    return t.vmap(g(g(g(t.sin))))(t.tensor(X[:, 0]))


@program
def grad_and_value_with_aux(t):
    g, (v, aux) = t.func.grad_and_value(lambda x: ((x**2).sum(), x * 2), has_aux=True)(t.tensor(X))
    return g, v, aux


@program
def in_place_inside_grad(t):
    def f(x):
        y = x.clone()
        y.mul_(2)
        y[0].add_(x[1])
        y[:, 1] *= 3
        return y.pow(2).sum()

    return t.func.grad(f)(t.tensor(X))


@program
def no_grad_inside_grad(t):
    def f(x):
        with t.no_grad():
            y = x.sin()
        return (x * y).sum()

    return t.func.grad(f)(t.tensor(X))


@program
def detach_inside_grad(t):
    return t.func.grad(lambda x: (x * x.detach()).sum())(t.tensor(X))


@program
def reading_values_inside_grad(t):
    def f(x):
        if x.sum() > 0:
            return (x * x.sum().item()).sum()
        return (x * 3).sum()

    return t.func.grad(f)(t.tensor(X)), t.func.grad(f)(t.tensor(-X))


@program
def autograd_grad_inside_vmap(t):
    x = t.tensor(X[0], requires_grad=True)
    y = x.sin() * x.sum()
    return t.vmap(lambda v: t.autograd.grad(y, x, v, retain_graph=True)[0])(t.eye(3))


@program
def batched_grads(t):
    x = t.tensor(X[0], requires_grad=True)
    return t.autograd.grad(x**2 * x.sum(), x, t.eye(3), is_grads_batched=True)[0]


@program
def hvp_forward_over_reverse(t):
    return t.func.jvp(t.func.grad(lambda x: (x.sin() ** 2).sum()), (t.tensor(X),), (t.tensor(X),))[1]


@program
def backward_through_hessian(t):
    w = t.tensor(W[:, 0].copy(), requires_grad=True)
    h = t.func.hessian(lambda x: ((x * w) ** 3).sum())(t.tensor(X[0]))
    (h**2).sum().backward()
    return w.grad


# -- the tape ----------------------------------------------------------------------------------------------------------


@program
def create_graph(t):
    x = t.tensor(X, requires_grad=True)
    (g,) = t.autograd.grad((x**3).sum(), x, create_graph=True)
    (g * x.sin()).sum().backward()
    return g, x.grad


@program
def backward_with_create_graph(t):
    x = t.tensor(X, requires_grad=True)
    (x.sin() * x).sum().backward(create_graph=True)
    g = x.grad
    x.grad = None
    (g**2).sum().backward()
    return g, x.grad


@program
def hooks(t):
    x = t.tensor(X, requires_grad=True)
    handle = x.register_hook(lambda g: g * 2)
    y = x * 3
    y.register_hook(lambda g: g + 1)
    (y * y).sum().backward()
    handle.remove()
    seen = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
    (x * 2).sum().backward()
    return x.grad, seen[0]


@program
def retain_grad(t):
    x = t.tensor(X, requires_grad=True)
    z = x * 2
    z.retain_grad()
    (z * z).sum().backward()
    return z.grad, x.grad


@program
def writing_through_views(t):
    x = t.tensor(X, requires_grad=True)
    z = x * 2
    v = z[1:3]
    v.mul_(3)
    z.t()[0].add_(1)
    z[0] = x[1]
    (z * z).sum().backward()
    return z, v, x.grad


@program
def detached_alias_shares_memory(t):
    x = t.tensor(X, requires_grad=True)
    z = x * 1
    d = z.detach()
    d.mul_(2)
    return z, d, (d + 1).requires_grad_() * 2


@program
def no_grad_update_of_a_leaf(t):
    x = t.tensor(X, requires_grad=True)
    (x * x).sum().backward()
    with t.no_grad():
        x -= 0.1 * x.grad
    x.grad = None
    (x**3).sum().backward()
    return x, x.grad


@program
def accumulation_keeps_the_tensor(t):
    x = t.tensor(X, requires_grad=True)
    (x * x).sum().backward()
    g = x.grad
    (x * x).sum().backward()
    return g, x.grad


@program
def a_frozen_leaf_keeps_its_gradient_and_hooks(t):
    """An optimizer goes on moving it, with the gradient it had; what it gets when it is free again is added to that."""
    w, v = t.tensor(W, requires_grad=True), t.tensor(W, requires_grad=True)
    seen = []
    w.register_hook(lambda g: seen.append(g + 0))
    opt = t.optim.SGD([w, v], lr=0.1, momentum=0.9)
    before = (w * v).sum()
    (w.sin() * v).sum().backward()
    w.requires_grad_(False)
    before.backward()
    opt.step()
    frozen = w.grad + 0
    w.requires_grad = True
    (w * w * v).sum().backward()
    opt.step()
    v.requires_grad_(False)
    v.grad = None
    v.requires_grad_()
    return w, w.grad, v, frozen, *seen, t.tensor(v.grad is None)


@program
def numpys_names_of_dim_and_keepdim(t):
    x = t.tensor(X)
    return (
        x.sum(axis=1),
        t.mean(x, axis=0, keepdims=True),
        *x.max(axis=-1),
        t.cumprod(x, axis=0),
        t.softmax(x, axis=1),
        x.log_softmax(axis=0),
        t.stack([x, x], axis=1),
        t.cat((x, x), axis=-1),
        x.unsqueeze(axis=0),
        *x.chunk(2, axis=0),
        x.clone().cumsum_(axis=0),
        t.linalg.norm(x, axis=(0, 1), keepdims=True),
        t.median(x, axis=0).values,
        t.cumsum(axis=0, input=x),
        x.argmax(axis=1, keepdims=True),
    )


@program
def grad_of_some_inputs(t):
    x, w = t.tensor(X, requires_grad=True), t.tensor(W, requires_grad=True)
    y = x @ w
    (gy,) = t.autograd.grad((y**2).sum(), y, retain_graph=True)
    gx, none = t.autograd.grad((y**2).sum(), [x, t.ones(1, requires_grad=True)], allow_unused=True)
    assert none is None
    return gy, gx


@program
def backward_into_inputs_only(t):
    x, w = t.tensor(X, requires_grad=True), t.tensor(W, requires_grad=True)
    (x @ w).sum().backward(inputs=[w])
    assert x.grad is None
    return w.grad


@program
def complex_gradient(t):
    x = t.tensor(X + 1j * X[::-1].copy(), requires_grad=True)
    (x * x.conj()).real.sum().backward()
    return x.grad


@program
def complex_holomorphic_product(t):
    x = t.tensor(X + 1j * X[::-1].copy(), requires_grad=True)
    (x.exp() * x).imag.sum().backward()
    return x.grad


@program
def backward_twice_where_nothing_was_saved(t):
    x = t.tensor(X, requires_grad=True)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    return x.grad


@program
def set_grad_enabled(t):
    x = t.tensor(X, requires_grad=True)
    with t.set_grad_enabled(False):
        y = x * 2
    assert not y.requires_grad and t.is_grad_enabled()

    @t.no_grad()
    def f(x):
        return x * 2

    assert not f(x).requires_grad
    with t.no_grad(), t.enable_grad():
        assert (x * 2).requires_grad
    return y


# -- indexing ----------------------------------------------------------------------------------------------------------


@program
def indexing(t):
    x = t.tensor(X)
    return (
        x[x > 0], x[t.tensor([0, 2, -1]), 1], x[..., None, :2], x[1:4:2], x[-1], x[:, [0, 2]], x[t.tensor([True, False, True, True, False])],
        x[None, 1, ..., 2], x[[0, 1], [1, 2]], x[t.tensor([[0, 1], [2, 3]])],
    )  # fmt: skip


@program
def index_assignment(t):
    x = t.tensor(X)
    x[x > 0] = 0.0
    x[t.tensor([0, 2])] = t.ones(3)
    x[:, 0] += 5
    x[1] = t.arange(3)
    x[3, 1:] = 7
    y = t.zeros(4, 4)
    y[t.arange(4), t.arange(4)] = t.arange(4.0)
    return x, y


@program
def gradient_of_indexing(t):
    x = t.tensor(X, requires_grad=True)
    (x[t.tensor([0, 0, 1])] ** 2).sum().backward()
    g = x.grad.clone()
    x.grad = None
    (x[x > 0] ** 2).sum().backward()
    return g, x.grad


# -- errors: the same type, and the same beginning of the sentence -----------------------------------------------------


ERRORS.update(
    {
        "backward_twice": lambda t: [
            (lambda l: (l.backward(), l.backward()))((t.ones(3, requires_grad=True) ** 2).sum())
        ],
        "non_scalar_backward": lambda t: (t.ones(3, requires_grad=True) * 2).backward(),
        "backward_without_graph": lambda t: t.ones(3).sum().backward(),
        "in_place_on_leaf": lambda t: t.ones(3, requires_grad=True).add_(1),
        "in_place_on_view_of_leaf": lambda t: t.ones(3, requires_grad=True)[0].add_(1),
        "shapes": lambda t: t.ones(3) + t.ones(4),
        "matmul_shapes": lambda t: t.ones(3, 4) @ t.ones(3, 4),
        "matmul_dtypes": lambda t: t.ones(3, 4) @ t.ones(4, 3).double(),
        "in_place_dtype": lambda t: t.ones(3, dtype=t.int64).add_(1.5),
        "in_place_shape": lambda t: t.ones(3).add_(t.ones(2, 3)),
        "item_in_vmap": lambda t: t.vmap(lambda x: x.sum().item())(t.ones(3, 2)),
        "if_in_vmap": lambda t: t.vmap(lambda x: x if x.sum() > 0 else -x)(t.ones(3, 2)),
        "random_in_vmap": lambda t: t.vmap(lambda x: x + t.randn(2))(t.ones(3, 2)),
        "item_of_many": lambda t: t.ones(3).item(),
        "bool_of_many": lambda t: bool(t.ones(3)),
        "index_out_of_range": lambda t: t.ones(3)[5],
        "too_many_indices": lambda t: t.ones(3)[1, 2],
        "index_by_float": lambda t: t.zeros(3)[1.5],
        "integers_require_grad": lambda t: t.ones(3, dtype=t.int64).requires_grad_(),
        "numpy_of_leaf": lambda t: t.ones(3, requires_grad=True).numpy(),
        "cat_shapes": lambda t: t.cat([t.ones(2, 3), t.ones(3, 4)]),
        "view_size": lambda t: t.ones(6).view(4, 2),
        "argument_type": lambda t: t.add(t.ones(3), "a"),
        "unused_input": lambda t: t.autograd.grad(
            t.ones(3, requires_grad=True).sum(), t.ones(3, requires_grad=True)
        ),
        "grad_of_vector": lambda t: t.func.grad(lambda x: x * 2)(t.ones(3)),
        "grad_of_number": lambda t: t.func.grad(lambda x: x)(3.0),
        "grad_returns_number": lambda t: t.func.grad(lambda x: 2)(t.ones(3)),
        "vjp_returns_number": lambda t: t.func.vjp(lambda x: 2, t.ones(3)),
        "vmap_sizes": lambda t: t.vmap(lambda x, y: x)(t.ones(3), t.ones(4)),
        "vmap_in_dim": lambda t: t.vmap(lambda x: x, in_dims=2)(t.ones(3)),
        "jvp_shapes": lambda t: t.func.jvp(lambda x: x, (t.ones(3),), (t.ones(4),)),
        "ragged": lambda t: t.tensor([[1, 2], [3]]),
        "tensor_of_text": lambda t: t.tensor("a"),
        "dim_out_of_range": lambda t: t.ones(2, 3).sum(5),
        "gradient_shape": lambda t: t.ones(3, requires_grad=True).sum().backward(t.ones(2)),
        "from_numpy_of_number": lambda t: t.from_numpy(3),
        "modified_in_place": lambda t: _modified(t),
        "linear_shapes": lambda t: t.nn.Linear(3, 4)(t.ones(2, 5)),
        "conv_channels": lambda t: t.nn.Conv2d(3, 4, 3)(t.ones(1, 2, 5, 5)),
    }
)


def _modified(t):
    x = t.ones(3, requires_grad=True) * 2
    z = x * x
    x.add_(1)
    z.sum().backward()
