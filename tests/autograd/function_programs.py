"""Programs with an autograd.Function, written once for PyTorch and for us: `f(t)` gives (what the Function computes,
what it must be).

What it must be is computed by plain ops with the same derivatives. `BEYOND` are programs that PyTorch refuses; the text
says why.
"""

from __future__ import annotations

import functools
from types import SimpleNamespace

import numpy as np

PROGRAMS: dict = {}
BEYOND: dict = {}


def program(f):
    PROGRAMS[f.__name__] = f
    return f


def beyond(limitation: str):
    """A program of which PyTorch says `limitation`."""

    def register(f):
        BEYOND[f.__name__] = (f, limitation)
        return f

    return register


@functools.cache
def functions(t):
    """The Functions of the programs."""
    Function = t.autograd.Function

    class Square(Function):  # of the old style; saves an input
        @staticmethod
        def forward(ctx, x, times=1.0):
            ctx.save_for_backward(x)
            ctx.times = times
            return x * x * times

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g * ctx.times, None

    class Exp(Function):  # saves an output
        @staticmethod
        def forward(x):
            return x.exp()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(output)
            ctx.save_for_forward(output)

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx, tangent):
            return tangent * ctx.saved_tensors[0]

    class Cube(Function):  # an intermediate that is an output
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x**3, 3 * x**2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0], output[1])
            ctx.save_for_forward(inputs[0], output[1])

        @staticmethod
        def backward(ctx, g, g_slope):
            x, slope = ctx.saved_tensors
            return g * slope + g_slope * 6 * x

        @staticmethod
        def jvp(ctx, tangent):
            x, slope = ctx.saved_tensors
            return tangent * slope, tangent * 6 * x

    class Product(Function):  # several arguments, one of them no tensor
        generate_vmap_rule = True

        @staticmethod
        def forward(a, b, times=2.0):
            return a * b * times

        @staticmethod
        def setup_context(ctx, inputs, output):
            *ab, ctx.times = inputs
            ctx.save_for_backward(*ab)

        @staticmethod
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            wants_a, wants_b, _ = ctx.needs_input_grad
            return g * b * ctx.times if wants_a else None, g * a * ctx.times if wants_b else None, None

    def numpy_of(x):
        return x.detach().numpy()

    class Sort(Function):  # in NumPy
        @staticmethod
        def forward(x, dim):
            order = np.argsort(numpy_of(x), axis=dim)
            back = np.argsort(order, axis=dim)
            return t.tensor(np.take_along_axis(numpy_of(x), order, dim)), t.tensor(order), t.tensor(back)

        @staticmethod
        def setup_context(ctx, inputs, output):
            _, order, back = output
            ctx.dim = inputs[1]
            ctx.mark_non_differentiable(order, back)
            ctx.save_for_backward(order, back)
            ctx.save_for_forward(order, back)

        @staticmethod
        def backward(ctx, g, _order, _back):
            order, back = ctx.saved_tensors
            return Take.apply(g, back, order, ctx.dim), None

        @staticmethod
        def jvp(ctx, tangent, _):
            order, back = ctx.saved_tensors
            return Take.apply(tangent, order, back, ctx.dim), None, None

        @staticmethod
        def vmap(info, in_dims, x, dim):
            x = x.movedim(in_dims[0], 0)
            return Sort.apply(x, dim + 1 if dim >= 0 else dim), (0, 0, 0)

    class Take(Function):
        @staticmethod
        def forward(x, at, back, dim):
            return t.tensor(np.take_along_axis(numpy_of(x), numpy_of(at), dim))

        @staticmethod
        def setup_context(ctx, inputs, output):
            _, at, back, ctx.dim = inputs
            ctx.save_for_backward(at, back)
            ctx.save_for_forward(at, back)

        @staticmethod
        def backward(ctx, g):
            at, back = ctx.saved_tensors
            return Take.apply(g, back, at, ctx.dim), None, None, None

        @staticmethod
        def jvp(ctx, tangent, *_):
            at, back = ctx.saved_tensors
            return Take.apply(tangent, at, back, ctx.dim)

        @staticmethod
        def vmap(info, in_dims, x, at, back, dim):
            def front(y, d):
                return y.expand(info.batch_size, *y.shape) if d is None else y.movedim(d, 0)

            batched = [front(y, d) for y, d in zip((x, at, back), in_dims)]
            return Take.apply(*batched, dim + 1 if dim >= 0 else dim), 0

    class Double(Function):  # in place
        @staticmethod
        def forward(x):
            return x.mul_(2)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_dirty(inputs[0])

        @staticmethod
        def backward(ctx, g):
            return g * 2

    class Reverse(Function):  # the gradient is not the derivative
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return -g

    class NoVmapRule(Exp):
        pass

    return SimpleNamespace(**{k: v for k, v in locals().items() if isinstance(v, type)})


def data(t):
    return t.tensor([[3.0, 1.0, 2.0], [0.5, -1.0, 4.0]]), t.tensor([1.0, 10.0, 100.0])


def sort(t):
    return lambda x: functions(t).Sort.apply(x, -1)[0]


def cube(t):
    return lambda x: functions(t).Cube.apply(x)[0]


# -- eager -------------------------------------------------------------------------------------------------------------


@program
def backward_of_an_old_function(t):
    x = data(t)[0].requires_grad_()
    functions(t).Square.apply(x, 3.0).sum().backward()
    return x.grad, 6 * x.detach()


@program
def saved_input_twice_differentiable(t):
    x = data(t)[0].requires_grad_()
    y = functions(t).Square.apply(x * 2) * x
    (g,) = t.autograd.grad(y.sum(), x, create_graph=True)
    (gg,) = t.autograd.grad((g * g).sum(), x)
    return (g, gg), (12 * x**2, 2 * 12 * 24 * x**3)


@program
def saved_output_thrice_differentiable(t):
    x = data(t)[1].mul(0.01).requires_grad_()
    g = functions(t).Exp.apply(x * 2)
    for _ in range(3):
        (g,) = t.autograd.grad(g.sum(), x, create_graph=True)
    return g, 8 * t.exp(2 * x)


@program
def several_outputs_of_which_one_is_used(t):
    x = data(t)[1].requires_grad_()
    return t.autograd.grad(functions(t).Cube.apply(x)[1].sum(), x)[0], 6 * x


@program
def a_gradient_that_is_none(t):
    a, b = data(t)[0].requires_grad_(), data(t)[1]
    y = functions(t).Product.apply(a, b, 3.0)
    return t.autograd.grad(y.sum(), a)[0], (3 * b).expand(2, 3)


@program
def gradients_are_summed_to_the_shape_of_the_input(t):
    a, b = data(t)[0].requires_grad_(), data(t)[1].requires_grad_()
    return t.autograd.grad(functions(t).Product.apply(a, b).sum(), (a, b)), (
        (2 * b).expand(2, 3),
        2 * a.sum(0),
    )


@program
def an_input_returned_as_it_is(t):
    x = data(t)[0].requires_grad_()
    y = functions(t).Reverse.apply(x)
    return (y, t.autograd.grad((y * y).sum(), x)[0]), (x, -2 * x)


@program
def in_place_on_an_intermediate(t):
    x = data(t)[0].requires_grad_()
    y = x * 3
    z = functions(t).Double.apply(y)
    assert z is y
    return t.autograd.grad((y * z).sum(), x)[0], 72 * x


@program
def in_place_on_a_view(t):
    x = data(t)[0].requires_grad_()
    y = x * 3
    functions(t).Double.apply(y[0])
    (g,) = t.autograd.grad((y * y).sum(), x)
    return (y, g), (x * t.tensor([[6.0], [3.0]]), x * t.tensor([[72.0], [18.0]]))


@program
def the_same_tensor_twice(t):
    x = data(t)[1].requires_grad_()
    return t.autograd.grad(functions(t).Product.apply(x, x, 1.0).sum(), x)[0], 2 * x


@program
def numpy_in_eager_code(t):
    x, w = data(t)
    x.requires_grad_()
    (g,) = t.autograd.grad((sort(t)(x) ** 2 * w).sum(), x, create_graph=True)
    (gg,) = t.autograd.grad((g * x).sum(), x)
    rank = x.detach().argsort(-1).argsort(-1)
    return (g, gg), (2 * x * w[rank], 4 * x * w[rank])


# -- transforms --------------------------------------------------------------------------------------------------------


def loss(t):
    w = data(t)[1]
    return lambda x: (sort(t)(x * 2) ** 2 * w).sum()


def plain_loss(t):
    w = data(t)[1]
    return lambda x: ((x * 2).sort(-1)[0] ** 2 * w).sum()


@program
def numpy_under_grad(t):
    x = data(t)[0]
    return t.func.grad(loss(t))(x), t.func.grad(plain_loss(t))(x)


@program
def numpy_under_vmap(t):
    x = data(t)[0]
    return (t.vmap(sort(t))(x), t.vmap(sort(t), 1, 1)(x)), (x.sort(-1)[0], x.sort(0)[0])


@program
def numpy_under_vmap_of_grad_and_grad_of_vmap(t):
    x = data(t)[0]
    g = t.func.grad
    return (t.vmap(g(loss(t)))(x), g(lambda x: t.vmap(loss(t))(x).sum())(x)), (
        t.vmap(g(plain_loss(t)))(x),
        g(lambda x: t.vmap(plain_loss(t))(x).sum())(x),
    )


@program
def numpy_under_two_vmaps(t):
    x = t.stack([data(t)[0], -data(t)[0]])
    return t.vmap(t.vmap(loss(t)))(x), t.vmap(t.vmap(plain_loss(t)))(x)


@program
def numpy_under_jvp_and_jacobians(t):
    x, w = data(t)
    f, plain = sort(t), lambda x: x.sort(-1)[0]
    return (
        *t.func.jvp(f, (x,), (x * w,)),
        t.func.jacrev(f)(x[0]),
        t.func.jacfwd(f)(x[0]),
        t.func.vjp(f, x)[1](w.expand(2, 3))[0],
    ), (
        *t.func.jvp(plain, (x,), (x * w,)),
        t.func.jacrev(plain)(x[0]),
        t.func.jacfwd(plain)(x[0]),
        t.func.vjp(plain, x)[1](w.expand(2, 3))[0],
    )


@program
def numpy_under_nested_jacobians(t):
    x = data(t)[0][0]
    f, plain = loss(t), plain_loss(t)
    rev, fwd = t.func.jacrev, t.func.jacfwd
    return (rev(rev(f))(x), fwd(rev(f))(x), t.vmap(t.func.hessian(f))(x[None])), (
        rev(rev(plain))(x),
        fwd(rev(plain))(x),
        t.vmap(t.func.hessian(plain))(x[None]),
    )


@program
def generated_vmap_rule(t):
    v, f = data(t)[1], cube(t)
    return (
        t.vmap(f)(v),
        t.vmap(t.func.grad(f))(v),
        t.vmap(t.func.grad(t.func.grad(f)))(v),
        t.func.grad(lambda x: t.vmap(f)(x).sum())(v),
        t.vmap(lambda a: t.func.jvp(f, (a,), (a,))[1])(v),
    ), (v**3, 3 * v**2, 6 * v, 3 * v**2, 3 * v**3)


@program
def generated_vmap_rule_with_what_is_not_mapped(t):
    x, w = data(t)
    f = functions(t).Product.apply
    return (
        t.vmap(f, (0, None))(x, w),
        t.vmap(f, (1, None))(x, w[:2]),
        t.func.grad(lambda w: t.vmap(f, (0, None))(x, w).sum())(w),
        t.func.grad(lambda x: t.vmap(f, (1, None))(x, w[:2]).sum())(x),
    ), (2 * x * w, 2 * x.T * w[:2], 2 * x.sum(0), (2 * w[:2, None]).expand(2, 3))


@program
def captured_tensors_get_gradients(t):
    x, w = data(t)
    w.requires_grad_()
    f = functions(t).Product.apply
    mapped = t.vmap(lambda a: a * f(a, w))(x)
    unmapped = t.vmap(lambda a: a * f(w, w))(x)
    inner = t.func.grad(lambda a: f(a, w).sum())(x)
    return [t.autograd.grad(y.sum(), w)[0] for y in (mapped, unmapped, inner)], [
        2 * (x * x).sum(0),
        4 * x.sum(0) * w,
        t.full((3,), 4.0),
    ]


@program
def hessians(t):
    v = data(t)[1]
    f = cube(t)
    total = lambda x: f(x).sum()  # noqa: E731
    return (t.func.hessian(total)(v), t.func.jacrev(t.func.jacrev(total))(v)), (t.diag(6 * v), t.diag(6 * v))


@program
def under_no_grad_inside_a_transform(t):
    def f(x):
        with t.no_grad():
            y = cube(t)(x)
        return (x * y).sum()

    v = data(t)[1]
    return t.func.grad(f)(v), v**3


@program
def transform_under_no_grad(t):
    with t.no_grad():
        v = data(t)[1]
        return t.func.grad(lambda x: cube(t)(x).sum())(v), 3 * v**2


@program
def in_place_under_grad(t):
    def f(x):
        y = x * 3
        z = functions(t).Double.apply(y)
        return (y * z).sum()

    x = data(t)[0]
    return t.func.grad(f)(x), 72 * x


@program
def by_the_tape_of_a_transform(t):
    x = data(t)[0].requires_grad_()
    (outer,) = t.autograd.grad(t.func.grad(lambda x: cube(t)(x).sum())(x).sum(), x)
    return outer, 6 * x


# -- forward mode ------------------------------------------------------------------------------------------------------


@program
def dual_numbers(t):
    fw = t.autograd.forward_ad
    x, w = data(t)
    with fw.dual_level():
        d = fw.make_dual(x, x * w)
        y = fw.unpack_dual(sort(t)(d * 2))
        z = fw.unpack_dual(functions(t).Exp.apply(d[:, :1]) * d[:, :1]).tangent
    e = x[:, :1]
    return (y.primal, y.tangent, z), (
        (2 * x).sort(-1)[0],
        t.gather(2 * x * w, -1, x.argsort(-1)),
        (1 + e) * t.exp(e) * e,
    )


# -- what PyTorch refuses ----------------------------------------------------------------------------------------------


@beyond("it must override the setup_context staticmethod")
def old_function_under_transforms(t):
    x = data(t)[0]
    f = lambda x: functions(t).Square.apply(x * 2, 3.0).sum()  # noqa: E731
    return (
        t.func.grad(f)(x),
        t.vmap(t.func.grad(f))(x),
        t.func.grad(lambda x: t.vmap(f)(x).sum())(x),
        t.func.jacrev(t.func.grad(f))(x[0]),
    ), (24 * x, 24 * x, 24 * x, t.diag(t.full((3,), 24.0)))


@beyond("does not have vmap support")
def no_vmap_rule(t):
    x = data(t)[0].mul(0.5)
    f = lambda x: functions(t).NoVmapRule.apply(x * 2)  # noqa: E731
    total = lambda x: f(x).sum()  # noqa: E731
    return (t.vmap(f)(x), t.vmap(t.func.grad(total))(x), t.func.grad(lambda x: t.vmap(total)(x).sum())(x)), (
        t.exp(2 * x),
        2 * t.exp(2 * x),
        2 * t.exp(2 * x),
    )


@beyond("Cannot convert a ZeroTensor to numpy")
def numpy_jvp_of_a_constant_tangent(t):
    x = data(t)[0][0]
    return t.func.jacfwd(t.func.jacfwd(loss(t)))(x), t.func.jacfwd(t.func.jacfwd(plain_loss(t)))(x)
