"""More programs written once for PyTorch and for us, about what tensors themselves are: storages, strides, views, places on the tape."""

from __future__ import annotations

from .programs import ERRORS, program


@program
def a_storage_seen_by_size_and_stride(t):
    held = t.arange(24.0)
    seen = t.empty(0).set_(held.untyped_storage(), 1, (2, 4), (8, 2))
    seen[0, 0] = 100
    held[3] = -1
    row = t.empty(0).set_(held[2:5], 1, (2,), (3,))
    return (
        seen,
        held,
        row,
        t.tensor([*seen.stride(), seen.storage_offset(), seen.data_ptr() == held.data_ptr() + 4]),
    )


@program
def a_storage_in_another_dtype(t):
    held = t.arange(6.0)
    return t.empty(0, dtype=t.int32).set_(held.untyped_storage()), t.ones(3).set_(), t.ones(3).set_(held[1:3])


@program
def strides_of_what_is_expanded(t):
    row, column = t.randn(5), t.randn(3, 1)
    shapes = [
        (row, (1, 1, 5)),
        (row, (2, 1, 5)),
        (column, (1, 3, 4)),
        (column, (1, 1, 3, 1)),
        (column, (2, 1, 3, 4)),
    ]
    return [t.tensor(x.expand(shape).stride()) for x, shape in shapes]


@program
def ravel_is_contiguous(t):
    x = t.arange(12.0).reshape(3, 4)
    flat = [y.ravel() for y in (x, x.t(), x[:, 1], x[1], t.ones(1).expand(3), x[::2, ::2])]
    flat[0][0] = -1  # a view
    flat[2][0] = -2  # a copy
    return x, *flat, t.tensor([y.is_contiguous() for y in flat])


@program
def retained_gradients_are_of_what_the_tensor_holds_last(t):
    a = t.tensor([1.0, 2.0], requires_grad=True).clone()
    a.retain_grad()
    a.mul_(2)
    a[:1].mul_(3)
    (a * a).sum().backward()
    return a, a.grad


@program
def zeros_in_place_of_no_gradient_go_on(t):
    x, a = t.tensor(0.5, requires_grad=True), t.tensor(1.0, requires_grad=True)
    first = t.autograd.grad(x * a, x, create_graph=True)
    second = t.autograd.grad(first, x, create_graph=True, allow_unused=True, materialize_grads=True)
    return *first, *second, *t.autograd.grad(second, x, materialize_grads=True)


@program
def draws_end_the_way_of_gradients_with_zeros(t):
    x = t.full((4,), 0.5, requires_grad=True)
    drawn = [t.bernoulli(x), t.poisson(x), t.normal(x, x)]
    sum([d.sum() * 0 for d in drawn], x.sum()).backward()
    return x.grad, t.tensor([d.requires_grad for d in drawn])


@program
def what_has_no_derivative_still_has_a_place_on_the_tape(t):
    x = t.tensor([3.0, 1.0, 1.0, 2.0], requires_grad=True)
    values, inverse, counts = t.unique(x, return_inverse=True, return_counts=True)
    places = t.tensor([v.requires_grad for v in (values, inverse, counts, t.bincount(inverse, x))])
    return values.detach(), inverse, counts, places


@program
def random_integers_of_any_span(t):
    spans = [(-(2**63), 2**63 - 1), (-(2**62), 2**62), (-(2**63), 0), (0, 2**63 - 1)]
    drawn = [t.randint(low, high, (1000,)) for low, high in spans]
    inside = [bool((d >= low).all() and (d < high).all()) for d, (low, high) in zip(drawn, spans)]
    means = [
        round(float((d.double() - low).mean() / (high - low)), 1) for d, (low, high) in zip(drawn, spans)
    ]
    return t.tensor(inside), t.tensor(means)


ERRORS.update(
    {
        "set_of_another_dtype": lambda t: t.ones(3).set_(t.ones(2, dtype=t.int64)),
        "set_of_a_leaf": lambda t: t.ones(3, requires_grad=True).set_(t.ones(2)),
        "set_of_a_storage_of_another_dtype": lambda t: t.ones(3, dtype=t.float64).set_(t.ones(2).storage()),
        "backward_through_unique": lambda t: t.unique(t.ones(3, requires_grad=True)).sum().backward(),
        "backward_through_binomial": lambda t: (
            t.binomial(t.ones(3), t.ones(3, requires_grad=True)).sum().backward()
        ),
        "grad_of_unique": lambda t: t.func.grad(lambda x: t.unique(x).sum())(t.ones(3)),
        "numpy_of_a_conjugate": lambda t: t.tensor([1j]).conj().numpy(),
        "numpy_of_a_negative": lambda t: t.tensor([1j]).conj().imag.numpy(),
        "hook_after_accumulation_that_returns": lambda t: [
            (lambda x: (x.register_post_accumulate_grad_hook(lambda y: y.grad), x.sum().backward()))(
                t.ones(2, requires_grad=True)
            )
        ],
        "integers_in_a_leaf": lambda t: setattr(t.ones(2, requires_grad=True), "data", t.tensor([1, 2])),
        "unravel_index_by_a_tensor": lambda t: t.unravel_index(t.tensor([1]), t.tensor([2, 2])),
        "unravel_index_by_a_float": lambda t: t.unravel_index(t.tensor([1]), (2, 2.0)),
    }
)
