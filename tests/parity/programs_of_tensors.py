"""More programs written once for PyTorch and for us, about what tensors themselves are: storages, strides, views,
places on the tape."""

from __future__ import annotations

import numpy as np

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


def _still_to_be_computed(t, k, dtype=None):
    return (t.tensor([1, 0, 2, -1], dtype=dtype or t.int64) + 0)[k]


@program
def a_view_at_an_index_still_to_be_computed(t):
    x = t.arange(12.0).reshape(3, 4)
    i = _still_to_be_computed(t, 0)
    row = x[i]
    row.add_(100)
    i.add_(1)  # the view stays where it is
    x[_still_to_be_computed(t, 1), 1:3].mul_(-1)
    x[_still_to_be_computed(t, 0), _still_to_be_computed(t, 3)] = 7
    t.maximum(x[_still_to_be_computed(t, 2)], t.full((4,), 9.5), out=x[_still_to_be_computed(t, 2)])
    column = x[:, _still_to_be_computed(t, 3)]
    facts = [
        *column.stride(),
        column.storage_offset(),
        row.is_contiguous(),
        row.data_ptr() == x.data_ptr() + 16,
    ]
    large = t.arange(300.0).reshape(300, 1)
    return x, row, i, column, t.tensor(facts), large[_still_to_be_computed(t, 3, t.int8)]


@program
def gradients_through_views_at_indices_still_to_be_computed(t):
    w = t.ones(3, 4, requires_grad=True)
    y = w * 2
    y[_still_to_be_computed(t, 1)].mul_(3)
    y[_still_to_be_computed(t, 3)] = 0
    (y * y).sum().backward()
    by_row = t.func.grad(lambda w: (w[_still_to_be_computed(t, 0)] ** 3).sum())(t.ones(3, 2))
    return w.grad, by_row


@program
def copies_share_what_their_originals_share(t):
    import copy

    x = t.arange(6.0)
    part = x[1:4]
    shallow = copy.copy(part)
    shallow[0] = 50
    both = copy.deepcopy([x, part, x.view(2, 3), x.untyped_storage()])
    both[0].add_(10)
    both[1][0] = -1
    leaf = copy.copy(t.ones(2, requires_grad=True) * 2)
    facts = [shallow.storage_offset(), both[1].storage_offset(), leaf.is_leaf, leaf.requires_grad]
    return x, *both[:3], t.tensor([*facts, both[3].data_ptr() == both[0].data_ptr()])


@program
def division_by_one_number_is_exact(t):
    found = []
    for d in (t.float32, t.float64):
        for c in (49.0, 0.3, 0.001, 7.0):
            x = t.arange(200, dtype=d) * c
            found += [x / c, x / t.tensor(c, dtype=d), t.div(x, c, rounding_mode="trunc"), x // c, x % c]
    return *found, t.ones(49, dtype=t.float64).mean() - 1, t.ones(3, 103, dtype=t.float64).mean(1) - 1


@program
def rounded_quotients_of_halves(t):
    a, b = [round(v * 0.37, 3) for v in range(-200, 200, 7)], [v * 0.113 - 3 for v in range(1, 60)]
    found = []
    for d in (t.float16, t.bfloat16):
        x, y = t.tensor(a, dtype=d)[:, None], t.tensor(b, dtype=d)
        found += [t.div(x, y, rounding_mode=m) for m in ("trunc", "floor")]
        found += [t.div(x, n, rounding_mode=m) for m in ("trunc", "floor", None) for n in (7.0, -2.1)]
    return [f.float() for f in found]


@program
def derivatives_of_division_by_one_number(t):
    x = t.tensor([float("inf"), float("nan"), 0.0, 3.0], requires_grad=True)
    (x / 49.0).sum().backward()
    y, s = t.tensor([1.0, 2.0], requires_grad=True), t.tensor([7.0], requires_grad=True)
    first = t.autograd.grad(((y / s) ** 2).sum(), (y, s), create_graph=True)
    nan = t.tensor([1.0, float("nan")], requires_grad=True)
    nan.mean().backward()
    return x.grad, *first, *t.autograd.grad(first[1].sum(), (y, s)), nan.grad


@program
def meshgrids(t):
    a, b, c = t.arange(2.0), t.arange(3.0), t.arange(4.0)
    given = [(a, b, c), (a, b), (a,), (a, t.tensor(1.0))]
    return [g for xs in given for indexing in ("xy", "ij") for g in t.meshgrid(*xs, indexing=indexing)]


@program
def the_angle_of_complex_sums_goes_on(t):
    x = (t.arange(40.0).reshape(4, 10).double() * 1.7).sin() * 4
    x = t.complex(x, (t.arange(40.0).reshape(4, 10).double() * 2.3).cos() * 9).requires_grad_()
    sums = t.logcumsumexp(x, 1)
    (g,) = t.autograd.grad(sums.abs().pow(2).sum(), x)
    inf = float("inf")
    odd = t.tensor([complex(-inf, inf), -inf, 1.2 + 2.1j, inf, complex(inf, 1)], dtype=t.complex128)
    pairs = [t.logaddexp(p, q) for p, q in ((x[0], x[1]), (odd, odd.flip(0)), (odd, t.tensor(1 + 5j)))]
    return [t.view_as_real(z.detach().resolve_conj()) for z in (sums, g, *pairs, t.logcumsumexp(odd[:3], 0))]


@program
def tensors_of_storages_and_zero_sizes(t):
    held, rows = t.arange(3.0), t.empty(0, 2)
    sizes = [t.multinomial(rows, 2, replacement=True).shape, t.empty(0, 1, 2, 0).unfold(0, 0, 1).shape]
    made = [
        t.tensor(held.untyped_storage(), dtype=t.float32),
        held.new(size=(1, 2)),
        held.new(held.untyped_storage()),
    ]
    drawn = t.bernoulli(t.ones(3), out=t.empty(3, dtype=t.bool))
    return (
        t.tensor(sizes[0]),
        t.tensor(sizes[1]),
        made[0],
        t.tensor(made[1].shape),
        made[2],
        drawn,
        t.ones(np.array(2)),
    )


@program
def rows_that_are_brought_down_keep_their_tangents(t):
    i, w = t.tensor([[0, 1], [2, 2]]), t.arange(12.0).reshape(4, 3)
    return t.func.jvp(lambda w: t.nn.functional.embedding(i, w * 1, max_norm=1.0), (w,), (t.ones(4, 3),))


@program
def continuous_bernoulli_of_large_log_odds(t):
    logits = t.tensor([1e38, -1e38, 50.0, 0.1], requires_grad=True)
    found = t.distributions.ContinuousBernoulli(logits=logits)
    p = found.log_prob(t.tensor([1.0, 0.0, 1.0, 0.5]))
    return p, *t.autograd.grad(p.sum(), logits), found.mean, found.probs


@program
def dirichlet_draws_are_inside(t):
    t.manual_seed(0)
    inside = []
    for d in (t.float32, t.float64):
        x = t.distributions.Dirichlet(t.full((3,), 1e-2, dtype=d)).sample((5000,))
        y = t.distributions.Beta(t.tensor(1e-2, dtype=d), t.tensor(1e-2, dtype=d)).sample((5000,))
        inside += [bool((z > 0).all() and (z < 1).all()) for z in (x, y)]
    return t.tensor(inside)


@program
def dlpack_keeps_the_dtype(t):
    kinds = (t.float64, t.complex128, t.int64, t.bool, t.bfloat16, t.uint8, t.float16)
    computed, given = [t.ones(2).to(d) for d in kinds], [t.tensor([1, 0], dtype=d) for d in kinds]
    back = [t.from_dlpack(x) for x in computed + given]
    arrays = [np.from_dlpack(t.tensor([1.5], dtype=t.float64)), np.from_dlpack(t.arange(3))]
    numpys = [t.from_dlpack(np.arange(3.0)), t.from_dlpack(np.arange(3))]
    capsule = t.utils.dlpack.from_dlpack(t.utils.dlpack.to_dlpack(t.arange(3)))
    back = [x.float() if x.dtype == t.bfloat16 else x for x in back]
    return (*back, *numpys, capsule, t.tensor([a.itemsize for a in arrays]))


@program
def asarray_and_who_requires_grad(t):
    def seen(x, y):
        return [y.requires_grad, y.is_leaf, y is x, x.requires_grad]

    found = []
    for asked in (True, False):
        for kwargs in ({}, {"dtype": t.float64}, {"copy": True}):
            leaf, plain = t.ones(2, requires_grad=True), t.ones(2)
            result = leaf * 2
            found += [seen(x, t.asarray(x, requires_grad=asked, **kwargs)) for x in (leaf, plain, result)]
    plain = t.ones(2)
    return t.tensor([*found, seen(plain, t.asarray(plain))])


@program
def a_sparse_matrix_by_its_diagonals(t):
    rows, places = t.arange(9.0).reshape(3, 3), t.tensor([0, -1, 2])
    whole = t.sparse.spdiags(rows, places, (3, 4))
    by_column = t.sparse.spdiags(rows, places, (3, 4), layout=t.sparse_csc)
    main = t.sparse.spdiags(rows[1], t.tensor(0), (4, 3))
    return (
        whole.to_dense(),
        whole.coalesce().indices(),
        by_column.values(),
        by_column.row_indices(),
        main.to_dense(),
    )


@program
def backward_from_a_nested_tensor(t):
    a, c = t.arange(3.0, requires_grad=True), t.arange(5.0, requires_grad=True)
    twice = t.nested.as_nested_tensor([a, c]) * 2
    twice.backward(t.nested.nested_tensor([t.ones(3), t.arange(5.0)]))
    jagged = t.nested.nested_tensor([t.ones(2), t.ones(3)], layout=t.jagged, requires_grad=True)
    (jagged * 3).backward(t.ones_like(jagged))
    return a.grad, c.grad, jagged.grad.values()


@program
def a_generator_passes_itself_on(t):
    first, second = t.Generator(), t.Generator()
    return t.tensor([first.set_state(second.get_state()) is first])


@program
def means_of_ones_are_one(t):
    F = t.nn.functional
    sizes = (7, 41, 47, 49, 55, 61, 98, 161)
    ones = [t.ones(n) for n in sizes]
    losses = [f(x, 0 * x) for x in ones for f in (F.l1_loss, F.mse_loss)]
    pools = [F.avg_pool1d(x[None], len(x)) for x in ones] + [F.adaptive_avg_pool1d(x[None], 1) for x in ones]
    return t.tensor([bool((x == 1).all()) for x in losses + pools])


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
        "too_large_a_permutation": lambda t: t.randperm(2050, dtype=t.float16),
        "adagrad_of_what_is_uninitialized": lambda t: t.optim.Adagrad(t.nn.LazyLinear(2).parameters()),
        "integers_in_a_leaf": lambda t: setattr(t.ones(2, requires_grad=True), "data", t.tensor([1, 2])),
        "unravel_index_by_a_tensor": lambda t: t.unravel_index(t.tensor([1]), t.tensor([2, 2])),
        "unravel_index_by_a_float": lambda t: t.unravel_index(t.tensor([1]), (2, 2.0)),
        "spdiags_of_too_few_offsets": lambda t: t.sparse.spdiags(t.ones(2, 3), t.tensor([0]), (3, 3)),
        "spdiags_twice_at_one_place": lambda t: t.sparse.spdiags(t.ones(2, 3), t.tensor([1, 1]), (3, 3)),
        "spdiags_in_blocks": lambda t: t.sparse.spdiags(
            t.ones(2, 3), t.tensor([1, 0]), (3, 3), layout=t.sparse_bsr
        ),
        "spdiags_of_int32_offsets": lambda t: t.sparse.spdiags(
            t.ones(1, 3), t.tensor([1], dtype=t.int32), (3, 3)
        ),
        "backward_of_a_nested_tensor_alone": lambda t: t.nested.nested_tensor(
            [t.ones(2)], requires_grad=True
        ).backward(),
        "no_accelerator_to_wait_for": lambda t: t.accelerator.synchronize(),
        "no_accelerator_to_ask_for_memory": lambda t: t.accelerator.memory_allocated(),
        "draws_into_floats": lambda t: t.multinomial(t.ones(3), 2, out=t.empty(2)),
        "a_complex_diagonal": lambda t: t.ones(2, 2).fill_diagonal_(1j),
        "a_diagonal_of_text": lambda t: t.ones(2, 2).fill_diagonal_("a"),
        "histogram_of_other_weights": lambda t: t.histogram(t.ones(3, 4), 3, weight=t.ones(3, 3)),
    }
)


@program
def stretches_of_a_storage(t):
    found = []

    def note(make, part, dtype, *placed):
        held = make()
        x = t.empty(0, dtype=dtype).set_(part(held.untyped_storage()), *placed)
        found.append(
            t.tensor(
                [
                    *x.stride(),
                    x.storage_offset(),
                    x.untyped_storage().nbytes(),
                    x.data_ptr() - held.data_ptr(),
                ]
            )
        )
        found.append(x.clone())
        x[0].fill_(9)
        found.append(held.clone())
        held.zero_()
        found.append(x)

    def numbers():
        return t.arange(8.0)

    def raw():
        return t.arange(32, dtype=t.uint8)

    for make in (numbers, raw):
        note(make, lambda s: s[8:24], t.float32)
        note(make, lambda s: s[8:24], t.float32, 0, (2, 2), (1, 2))
        note(make, lambda s: s[8:24], t.float32, 1, (3,), (1,))
        note(make, lambda s: s, t.float64, 1, (2,), (1,))
        note(make, lambda s: s[4:20], t.int16, 3, (2, 2), (3, 1))
        note(make, lambda s: s, t.uint8, 3, (5,), (1,))
        note(make, lambda s: s[2:12][2:], t.int32)
    rows = t.arange(16.0).reshape(4, 4)
    note(lambda: rows[1:], lambda s: s[16:48], t.float32, 0, (2, 2), (4, 1))
    return [*found, t.empty(0, dtype=t.uint8).set_(t.UntypedStorage([1, 2, 3, 4]), 1, (3,), (1,))]


@program
def what_set_refuses(t):
    held, found = t.arange(8.0), []
    for source, placed in (
        (held.untyped_storage()[8:24], (0, (5,), (1,))),
        (held.view(2, 4).t(), (2, (2, 2), (2, 1))),
    ):
        try:
            t.empty(0).set_(source, *placed)
        except RuntimeError as e:
            found.append(t.tensor([len(str(e))]))
    return found
