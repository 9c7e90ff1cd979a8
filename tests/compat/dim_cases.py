"""Programs with first-class dimensions, given a torch and its functorch.dim: each yields (what they give, what ordinary
functions give)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Pairs = Iterator[tuple[Any, Any]]
CASES: dict[str, Callable[[Any, Any], Pairs]] = {}
NOT_IN_PYTORCH: dict[str, str] = {}
"""Cases that PyTorch 2.13 fails, and how."""


def case(fails: str = ""):
    def note(fn):
        CASES[fn.__name__] = fn
        if fails:
            NOT_IN_PYTORCH[fn.__name__] = fails
        return fn

    return note


def numbers(torch, *shape: int, seed: int = 0):
    """The same numbers in both libraries."""
    n = 1
    for s in shape:
        n *= s
    return ((torch.arange(n, dtype=torch.float32) * 37 + seed * 11) % 29 / 29 - 0.4).reshape(shape)


# -- products, as sums of products -----------------------------------------------------------------------------------


@case()
def products(torch, d) -> Pairs:
    x, y = numbers(torch, 3, 4), numbers(torch, 4, 5)
    i, j, k = d.dims(3)
    yield (x[i, k] * y[k, j]).sum(k).order(i, j), x @ y
    yield (x[i, k] * y[k, j]).sum(k).order(j, i), (x @ y).T
    yield (x[i, k] * y[k, j]).order(i, j, k), x[:, None, :] * y.T[None]
    yield (x[i, k] * y[k, j]).sum((k, i)).order(j), (x @ y).sum(0)
    yield (x[i] * x[i]).sum(i), (x * x).sum(0)


@case()
def a_batch_of_products_by_name(torch, d) -> Pairs:
    x, y = numbers(torch, 2, 3, 4), numbers(torch, 2, 4, 5)

    def mm(a, b):
        i, j, k = d.dims()
        return (a[i, k] * b[k, j]).sum(k).order(i, j)

    i = d.dims()  # another i than that of mm
    yield mm(x[i], y[i]).order(i), x @ y


@case()
def gram_matrix(torch, d) -> Pairs:
    y = numbers(torch, 2, 3, 4, 5)
    b, c, e, h, w = d.dims()
    r = (y[b, c, h, w] * y[b, e, h, w]).sum((h, w)) / (h.size * w.size)
    f = y.reshape(2, 3, 20)
    yield r.order(b, c, e), f @ f.mT / 20


@case()
def three_factors(torch, d) -> Pairs:
    x, y, z = numbers(torch, 3, 4), numbers(torch, 4, 5, seed=1), numbers(torch, 5, 2, seed=2)
    i, j, k, m = d.dims(4)
    yield (x[i, j] * y[j, k] * z[k, m]).sum((j, k)).order(i, m), x @ y @ z


@case()
def attention(torch, d) -> Pairs:
    q, k, v = (numbers(torch, 2, 5, 12, seed=s) for s in range(3))
    batch, query, key, heads, features = d.dims(5)
    heads.size = 3
    a = q[batch, query, [heads, features]]
    b = k[batch, key, [heads, features]]
    c = v[batch, key, [heads, features]]
    scores = d.softmax((a * b).sum(features) * features.size**-0.5, dim=key)
    scores = torch.nn.functional.dropout(scores, p=0.0)
    got = (scores * c).sum(key).order(batch, query, [heads, features])
    split = [t.reshape(2, 5, 3, 4).transpose(1, 2) for t in (q, k, v)]
    yield got, torch.nn.functional.scaled_dot_product_attention(*split).transpose(1, 2).reshape(2, 5, 12)


@case()
def gradients(torch, d) -> Pairs:
    def grads(f):
        x, y = numbers(torch, 3, 4).requires_grad_(), numbers(torch, 4, 5).requires_grad_()
        return torch.autograd.grad(f(x, y).sum(), (x, y))

    def by_name(x, y):
        i, j, k = d.dims(3)
        return ((x[i, k] * y[k, j]).sum(k).exp() * 2).order(j, i)

    yield from zip(grads(by_name), grads(lambda x, y: ((x @ y).exp() * 2).T))


# -- binding and order -----------------------------------------------------------------------------------------------


@case()
def transposes(torch, d) -> Pairs:
    x = numbers(torch, 2, 3, 4)
    i, j = d.dims(2)
    yield x[i, j].order(j, i), x.permute(1, 0, 2)
    yield x[i].order(0, i), x.permute(1, 0, 2)
    k = d.dims(1)
    yield x[:, k].order(k), x.permute(1, 0, 2)
    yield x[i, j].order((j, i)), x.permute(1, 0, 2).reshape(6, 4)


@case()
def axes_in_parts(torch, d) -> Pairs:
    x = numbers(torch, 6, 4)
    i, j, k = d.dims(3)
    j.size = 2
    part = x[(i, j), k]
    assert (i.size, j.size, k.size) == (3, 2, 4)
    yield part.order(i, (j, k)), x.reshape(3, 8)
    yield part.order((k, i), j), x.reshape(3, 2, 4).permute(2, 0, 1).reshape(12, 2)
    h2, w2, c, b, h, w = d.dims(6)
    h2.size = w2.size = 2
    img = numbers(torch, 2, 12, 3, 5)
    yield img[b, (c, h2, w2), h, w].order(b, c, (h, h2), (w, w2)), torch.nn.functional.pixel_shuffle(img, 2)


@case()
def diagonals(torch, d) -> Pairs:
    x = numbers(torch, 3, 4)
    i, j = d.dims(2)
    yield x[i, i].order(i), x.diagonal()
    y = numbers(torch, 3, 3, 2)
    yield y[j, j].order(j), y.diagonal().mT


@case()
def lists_of_dimensions(torch, d) -> Pairs:
    x = numbers(torch, 2, 3, 4, 5)
    i, j = d.dims(2)
    rest = d.dimlists()
    assert not rest.is_bound
    yield x[i, rest, j].order(j, *rest, i), x.permute(3, 1, 2, 0)
    assert len(rest) == 2 and [k.size for k in rest] == [3, 4]
    yield x[i, rest, j].sum(tuple(rest)).order(i, j), x.sum((1, 2))


# -- batching --------------------------------------------------------------------------------------------------------


@case()
def functions_of_elements(torch, d) -> Pairs:
    x, y, v = numbers(torch, 3, 4), numbers(torch, 4, seed=3), numbers(torch, 5)
    i, j = d.dims(2)
    yield (x[i, j] + y[j]).order(i, j), x + y
    yield (y[j] - x[i, j]).order(i, j), y - x
    yield torch.where(x[i, j] > 0, x[i, j], 7.0).order(i, j), torch.where(x > 0, x, 7.0)
    yield (x[i, j] + v).order(i, j), x[..., None] + v
    yield torch.clamp(x[i], 0.0, 0.3).order(i), x.clamp(0.0, 0.3)
    yield (2 - x[i]).exp().order(i), (2 - x).exp()


@case()
def functions_that_know_nothing_of_it(torch, d) -> Pairs:
    x, w = numbers(torch, 3, 5), numbers(torch, 5, seed=1)
    b = d.dims(1)

    def model(feature):
        assert feature.dim() == 1 and feature.shape == (5,) and len(feature) == 5
        return feature.dot(w).relu()

    yield model(x[b]).order(b), (x @ w).relu()
    m, v = numbers(torch, 3, 4, 4), numbers(torch, 4)
    yield (m[b] @ v).order(b), m @ v
    yield m[b].reshape(2, 8).flip(0).order(b), m.reshape(3, 2, 8).flip(1)
    yield torch.nn.functional.linear(m[b], numbers(torch, 2, 4)).order(b), m @ numbers(torch, 2, 4).T
    yield torch.cat([m[b], m[b]]).order(b), torch.cat([m, m], 1)
    yield torch.einsum("ab,b->a", m[b], v).order(b), m @ v
    c = d.dims(1)
    yield (m[b, c] @ m[b].mT).order(b, c), m @ m.mT


@case()
def along_dimensions(torch, d) -> Pairs:
    x = numbers(torch, 3, 4, 5)
    i, j = d.dims(2)
    y = x[i, j]
    yield y.sum(i).order(j), x.sum(0)
    yield y.mean((i, j)), x.mean((0, 1))
    yield y.sum(dim=(i, 0)).order(j), x.sum((0, 2))
    yield y.softmax(j).order(i, j), x.softmax(1)
    yield y.cumsum(i).order(i, j), x.cumsum(0)
    yield y.max(j).values.order(i), x.max(1).values
    yield y.argmax(j).order(i), x.argmax(1)
    yield y.sort(i).values.order(i, j), x.sort(0).values
    yield y.logsumexp(j).order(i), x.logsumexp(1)
    yield y.std(i).order(j), x.std(0)
    yield y.sum(0).order(i, j), x.sum(2)
    yield y.amax((i, j)), x.amax((0, 1))


@case("takes `torch.f(x, dim)` with a dimension for a function of the dimension as a tensor")
def along_dimensions_by_functions(torch, d) -> Pairs:
    x = numbers(torch, 3, 4, 5)
    i, j = d.dims(2)
    y = x[i, j]
    yield torch.sum(y, i).order(j), x.sum(0)
    yield torch.nn.functional.log_softmax(y, dim=j).order(i, j), x.log_softmax(1)
    yield y.flip(i).order(i, j), x.flip(0)
    yield y.roll(1, i).order(i, j), x.roll(1, 0)
    yield y.select(i, 1).order(j), x[1]
    yield torch.max(y, i).indices.order(j), x.max(0).indices
    yield torch.nn.functional.normalize(y, dim=i).order(i, j), torch.nn.functional.normalize(x, dim=0)


# -- dimensions as tensors -------------------------------------------------------------------------------------------


@case()
def dimensions_as_numbers(torch, d) -> Pairs:
    i, j = d.dims(sizes=[3, 4])
    yield (i + 10).order(i), torch.arange(3) + 10
    yield (i <= j).order(i, j), torch.arange(3)[:, None] <= torch.arange(4)
    yield torch.where(i == j, 1, 0).order(i, j), torch.eye(3, 4).long()
    x = numbers(torch, 3, 4)
    yield torch.where(i <= j, x[i, j], 0).order(i, j), x.triu()
    length, n = torch.tensor([1, 3, 0]), torch.arange(4)
    yield torch.where(j < length[i], x[i, j], 0).order(i, j), torch.where(n < length[:, None], x, 0)


@case()
def lookups(torch, d) -> Pairs:
    table, words = numbers(torch, 8, 6), torch.tensor([[5, 4, 0], [1, 1, 7]])
    b, s, f = d.dims(3)
    yield table[words[b, s], f].sum(s).order(b, f), table[words].sum(1)
    yield table[words[b, s]].order(s, b), table[words].transpose(0, 1)
    a = numbers(torch, 5)
    i = d.dims(1)
    steps = a[i] - a[i - 1]
    yield torch.where(i - 1 >= 0, steps, a[i]).order(i), torch.diff(a, prepend=torch.zeros(1))
    k = d.dims(sizes=[5])
    yield a[torch.where(k + 1 < k.size, k + 1, 0)].order(k), a.roll(-1)
    yield a[k.size - k - 1].order(k), a.flip(0)
    q, m = d.dims(sizes=[3, 3])
    yield table[q - m + 2, f].order(q, m, f), table[torch.arange(3)[:, None] - torch.arange(3) + 2]
    x = numbers(torch, 3, 4, 5)
    r, t = d.dims(2)
    yield x[r, torch.tensor([0, 2])].order(r), x[:, [0, 2]]
    yield x[torch.tensor([0, 2]), t].order(t), x[[0, 2]].transpose(0, 1)
    yield x[r, :, torch.tensor([0, 1])].order(r), x[:, :, [0, 1]]
    e = d.dims(1)
    yield x[r, 1:3, e].order(e, r), x[:, 1:3].permute(2, 0, 1)
    yield x[r][:, torch.tensor([1])].order(r), x[:, :, [1]]
    yield x[r, None, 0].order(r), x[:, None, 0]


@case()
def lookups_at_a_bound_dimension(torch, d) -> Pairs:
    x, at = numbers(torch, 3, 4), torch.tensor([1, 0, 3])
    i, k = d.dims(2)
    yield x[i][at[i]].order(i), x[torch.arange(3), at]
    yield x[i, at[i]].order(i), x[torch.arange(3), at]
    y = numbers(torch, 3, 4, 5)
    yield y[i, k][at[i]].order(k, i), y[torch.arange(3)[:, None], torch.arange(4), at[:, None]].T


@case()
def index_by_dimension(torch, d) -> Pairs:
    x = numbers(torch, 3, 4)
    i, j = d.dims(2)
    yield x[i].index(i, 0), x[0]
    yield x[i, j].index((i, j), (1, 2)), x[1, 2]
    yield x[i, j].index(j, torch.tensor([1, 2])).order(i), x[:, [1, 2]]
    yield x[i].index(0, 2).order(i), x[:, 2]


@case()
def writing(torch, d) -> Pairs:
    x, y = numbers(torch, 3, 4), numbers(torch, 4, 3, seed=2)
    i, j = d.dims(2)

    def written(index, value):
        made = x.clone()
        made[index] = value
        return made

    yield written((i, j), y[j, i]), y.T
    yield written((i, j), y[j, i].sum(j)), y.sum(0)[:, None].expand(3, 4)
    yield written((i, 0), i), torch.cat([torch.arange(3.0)[:, None], x[:, 1:]], 1)
    yield written(i, torch.ones(4)), torch.ones(3, 4)
    yield written((i - 1, j), x[i, j]), x.roll(-1, 0)
    yield written((i, torch.tensor([0, 1])), 5.0), torch.cat([torch.full((3, 2), 5.0), x[:, 2:]], 1)
    z = x.clone()
    z[i].add_(1)  # a view
    yield z, x + 1
    z[i][0] = 7
    yield z[:, 0], torch.full((3,), 7.0)


# -- new dimensions --------------------------------------------------------------------------------------------------


@case()
def parts_and_joints(torch, d) -> Pairs:
    x = numbers(torch, 3, 4)
    i, j, k, m = d.dims(4)
    a, b = d.split(x[m], [i, j], 0)
    yield torch.cat([a.order(m, i), b.order(m, j)], 1), x
    assert (i.size, j.size) == (2, 2)
    n = d.dims(1)
    yield d.cat([x[m, n], x[m, n] + 1], n, k).order(m, k), torch.cat([x, x + 1], 1)
    s = d.dims(1)
    yield d.stack([x[m], x[m] * 2], s).order(s, m), torch.stack([x, x * 2])
    e = d.dims(sizes=[2])
    yield x[m].expand(e).order(e, m), x.expand(2, 3, 4)
    v, u = d.dims(sizes=[2, None])
    p, q = x[0], x[1]
    yield torch.where(v == 0, p[u], q[u]).order(v, u), x[:2]
