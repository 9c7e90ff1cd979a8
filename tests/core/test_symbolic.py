"""Recordings at symbolic sizes: programs whose lengths change give what they give at each length alone, and none of
their ops is looked up length by length."""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.lazy import sized, trie
from functorch_lite._core.lazy.recorder import Recorder, cut_at, state
from functorch_lite._core.lazy.symbolic import families, recording
from functorch_lite._core.run import executor

F = torch.nn.functional


def data(seed, *shape):
    return torch.from_numpy(np.random.RandomState(seed).randn(*shape).astype(np.float32))


W, B = data(0, 6, 8), data(1, 8)


def leaves():
    return W.clone().requires_grad_(), B.clone().requires_grad_()


def linear(n, k):
    w, b = leaves()
    (F.relu(data(n, n, 6) @ w + b).pow(2).mean()).backward()
    return w.grad, b.grad


def picked(n, k):
    w, b = leaves()
    at = torch.from_numpy(np.random.RandomState(k).randint(0, n, k))
    h = (data(n, n, 6) @ w + b)[at]
    out = torch.zeros(n, 8).index_add(0, at, h.exp())
    out.sum().backward()
    return w.grad, out


def viewed(n, k):
    x = data(n, n, 6)
    y = x.view(n, 2, 3).transpose(0, 1).reshape(2, -1)
    return torch.cat([y[:, :n], y[:, n:]], 1).sum(1), y[0, 3], x.t()[1].flip(0)


def written(n, k):
    x = data(n, n, 6)
    x[2] = 1.0
    x[:, 1] *= 2
    v = x[3:]
    v.add_(1)
    return x, v.sum()


def numbers(n, k):
    x = data(n, n)
    return (x / n + k * 0.5).sum() / k, x[2] * 2.0, x.sum() / 7


def classified(n, k):
    w, b = leaves()
    target = torch.from_numpy(np.random.RandomState(n).randint(0, 8, n))
    loss = F.cross_entropy(data(n, n, 6) @ w + b, target)
    first = loss.item()
    loss.backward()  # after it was read: another recording
    return w.grad, first


def twice(n, k):
    x = data(n, n).requires_grad_()
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad((g * g).sum(), x)
    return g, h


def kept(n, k):
    w, _b = leaves()
    h = (data(n, n, 6) @ w).tanh()
    h.sum().backward(retain_graph=True)
    first = w.grad.clone()
    (h * h).mean().backward()
    return first, w.grad


def hooked(n, k):
    w, _b = leaves()
    seen = []
    h = data(n, n, 6) @ w
    h.register_hook(lambda g: seen.append(g.sum()) or g * 2)
    h.sigmoid().sum().backward()
    return w.grad, seen[0]


def retained(n, k):
    w, _ = leaves()
    h = data(n, n, 6) @ w
    h.retain_grad()
    h.cos().mean().backward()
    return h.grad, h.grad_fn.name() if h.grad_fn else ""


def without_grad(n, k):
    w, _ = leaves()
    with torch.no_grad():
        h = data(n, n, 6) @ w
    return (h * w.sum()).sum(), h.requires_grad


def branched(n, k):
    x = data(n, n)
    y = x * 2 if x.sum() > 0 else x - 1
    return (y * y).sum(), y


def reduced(n, k):
    x = data(n, n, 5)
    return x.max(0), x.argmax(1), x.std(0), x.softmax(0), x.cumsum(0), x.sort(0)[0], x.median(), x.norm()


def padded(n, k):
    x = data(n, n, 4)
    return F.pad(x, (1, 2, 0, 3)), F.one_hot(torch.arange(n) % 3, 3), torch.arange(k)[2:], x.repeat(2, 1)


def recurrent(n, k):
    w = W[:, :6].clone().requires_grad_()
    h = torch.zeros(n, 6)
    for _ in range(3):
        h = (h @ w + data(n, n, 6)).tanh()
    h.sum().backward()
    return w.grad


def convolved(n, k):
    x = data(n, 2, 3, n, n + 1)
    w = data(1, 4, 3, 3, 3).requires_grad_()
    F.max_pool2d(F.conv2d(x, w, padding=1).relu(), 2).sum().backward()
    return w.grad


def attended(n, k):
    q = data(n, 2, n, 8).requires_grad_()
    F.scaled_dot_product_attention(q, q, q, is_causal=True).square().sum().backward()
    return q.grad


def with_optimizer(n, k):
    w, b = leaves()
    optimizer = torch.optim.Adam([w, b], 0.1)
    F.mse_loss(data(n, n, 6) @ w + b, torch.zeros(n, 8)).backward()
    optimizer.step()
    return w, b


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * (x == x)


def functions(n, k):
    w, b = leaves()
    h = Doubled.apply((data(n, n, 6) @ w).tanh())
    (h + b).square().sum().backward()
    return w.grad, b.grad


def packed(n, k):
    w, _ = leaves()
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x * 1, lambda x: x):
        h = (data(n, n, 6) @ w).exp()
    h.mean().backward()
    return w.grad


def called(n, k):
    w, _ = leaves()
    h = (data(n, n, 6) @ w).sin()
    (edge, _), *_ = h.grad_fn.next_functions
    return h.grad_fn(torch.ones_like(h)), edge.name()


square = torch.compile(lambda x: (x * x).sum(0))


def transformed(n, k):
    h = (data(n, n, 6) @ W).cos()
    g = torch.func.grad(lambda x: (x**2).sum())(h)
    return torch.vmap(lambda row: row * row.sum())(g + 1), square(h * 2)


def batched(n, k):
    """The longest is as long as one of them, each time another one."""
    w, b = leaves()
    lengths = [n, k, abs(n - k) + 5, 12]
    x = torch.zeros(4, max(lengths), 6)
    for i, length in enumerate(lengths):
        x[i, :length] = data(i, length, 6)
    inside = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    h = (x @ w + b).relu().masked_fill(~inside[:, :, None], 0.0)
    loss = (h.sum(1) / inside.sum(1)[:, None]).square().mean()
    loss.backward()
    return w.grad, b.grad, loss


def compared(n, k):
    w, _ = leaves()
    x, y = data(n, n, 6) @ w, data(k, k, 6) @ w
    scores = (x @ y.T).softmax(1) @ y
    nearest = (x[:, None] - y[None]).square().sum(-1).min(1)
    (scores.mean() + nearest.values.sum() + torch.cat([x, y]).std()).backward()
    return w.grad, nearest.indices


PROGRAMS = [
    batched, compared, linear, picked, viewed, written, numbers, classified, twice, kept, hooked, retained, without_grad, branched, reduced, padded, recurrent,
    convolved, attended, with_optimizer, functions, packed, called, transformed,
]  # fmt: skip
LENGTHS = [
    (20, 31),
    (11, 40),
    (33, 17),
    (25, 60),
    (14, 9),
    (41, 23),
    (9, 52),
    (28, 12),
    (17, 45),
    (17, 46),
    (3, 4),
    (50, 8),
    (30, 30),
    (26, 17),
    (44, 44),
    (4, 3),
    (3, 3),
    (6, 3),
]
BY_LENGTH = {"transformed"}
"""What chooses its way by sizes."""


def results(program):
    found = []
    for n, k in LENGTHS:
        out = program(n, k)
        flat = torch.utils._pytree.tree_leaves(out)
        found.append([x.detach().numpy() if isinstance(x, torch.Tensor) else x for x in flat])
    return found


@pytest.fixture(autouse=True)
def by_numpy():
    executor.forget_programs()
    with torch.debug.tier("cold"):
        yield
    executor.forget_programs()


@pytest.fixture
def entered(monkeypatch):
    """The recordings that went on at symbolic sizes, with the symbols that they had then."""
    found = []
    enter = recording.Root.enter

    def noting(self, rec, *args):
        done = enter(self, rec, *args)
        if done:
            found.append(rec)
        return done

    monkeypatch.setattr(recording.Root, "enter", noting)
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_same_numbers(program, monkeypatch, entered):
    executor.forget_programs()
    at_symbols = results(program)
    assert entered or program.__name__ in BY_LENGTH
    executor.forget_programs()
    monkeypatch.setattr(families, "note", lambda *args: None)
    for at_once, by_length in zip(at_symbols, results(program)):
        for a, b in zip(at_once, by_length):
            if isinstance(a, np.ndarray) and a.dtype.kind in "fc":
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
            else:
                np.testing.assert_array_equal(a, b)


def test_what_came_before_is_not_taken_apart(monkeypatch):
    for n in range(20, 30):
        linear(n, 9)[0].sum().item()
    searched, generic = [], recording.generic

    def noting(key):
        searched.append(getattr(key[0], "name", ""))
        return generic(key)

    monkeypatch.setattr(recording, "generic", noting)
    linear(40, 9)[0].sum().item()
    assert "matmul" in searched and not {"nn.functional.relu", "pow", "mean"}.intersection(searched), searched


def varied(steps=12):
    for n in range(20, 20 + steps):
        linear(n, 9)[0].sum().item()


def test_nothing_is_kept_for_a_length(entered):
    executor.forget_programs()
    varied()
    root = state.rec.root
    before = root.size, len(root.children), sum(c.size for c in root.children.values())
    varied(60)
    assert (root.size, len(root.children), sum(c.size for c in root.children.values())) == before


def test_what_the_trie_forgets_is_not_kept_for_comparison():
    executor.forget_programs()
    (data(7, 3) * 1.25).sum().item()
    root = state.rec.root
    nodes = [weakref.ref(node) for node in root.children.values()]
    root.children, root.first = {}, ([], None)
    gc.collect()
    assert nodes and not any(node() for node in nodes)


def test_lengths_that_go_together_at_first_are_told_apart(monkeypatch):
    """In the first steps 2 m = n + 40: sizes of derivatives are those of what they are derivatives of, not what fits
    these."""

    def step(n, m):
        x, y = data(n, n).requires_grad_(), data(m, m).requires_grad_()
        loss = (x.view(-1, 2).sum(1) * 1.5).sum() + (y * 3).sum() + x.view(2, -1)[0].sum()
        loss.backward()
        return x.grad.numpy(), y.grad.numpy()

    lengths = [(20 + 2 * k, 30 + k) for k in range(8)] + [(50, 70), (60, 23), (70, 91), (24, 200)]
    at_symbols = [step(*both) for both in lengths]
    executor.forget_programs()
    monkeypatch.setattr(families, "note", lambda *args: None)
    for found, both in zip(at_symbols, lengths):
        for a, b in zip(found, step(*both), strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_derivative_without_its_sizes_among_its_inputs_is_of_its_forward():
    """The same steps lead to the gradients of two sums: what is expanded is told by what was summed."""

    def step(n, m, which):
        x, y = data(n, n).requires_grad_(), data(m, m).requires_grad_()
        totals = x.sum(), y.sum()
        totals[0].item()  # another recording
        (grad,) = torch.autograd.grad(totals[which], (x, y)[which])
        return tuple(grad.shape), grad.sum().item()

    for k, which in enumerate([0] * 8 + [1] * 8 + [0, 1]):
        n, m = 20 + 3 * k, 200 - 5 * k
        size = (n, m)[which]
        assert step(n, m, which) == ((size,), size)


def test_errors_name_what_is_wrong_at_these_lengths():
    executor.forget_programs()
    varied()
    w, _ = leaves()
    for n in (90, 91):
        h = data(n, n, 6) @ w
        with pytest.raises(RuntimeError, match="must match"):
            h + torch.zeros(n + 1, 8)
        assert (h + torch.zeros(n, 8)).shape == (n, 8)
    for n in (92, 93):
        h = (data(n, n, 6) @ w)[torch.arange(n) + 1]
        with pytest.raises(IndexError, match="out of bounds"):
            h.sum().item()


def test_a_tensor_of_another_recording_can_be_read_and_differentiated_later():
    executor.forget_programs()
    varied()
    w, b = leaves()
    x = data(5, 70, 6)
    h = (x @ w + b).relu()
    (h.sum() * 2).item()
    shape = h.grad_fn.next_functions
    h.pow(2).mean().backward()
    assert shape and w.grad.isfinite().all()
    expected = torch.func.grad(lambda w: F.relu(x @ w + b).pow(2).mean())(w.detach())
    torch.testing.assert_close(w.grad, expected)


def test_recordings_let_go_of_their_tensors():
    executor.forget_programs()
    varied()
    gc.collect()
    before = sum(isinstance(o, (Recorder, torch.Tensor)) for o in gc.get_objects())
    varied(30)
    gc.collect()
    assert sum(isinstance(o, (Recorder, torch.Tensor)) for o in gc.get_objects()) <= before + 2


def test_questions_about_known_numbers_are_asked_aside(entered):
    def step(n):
        w, _ = leaves()
        x, groups = data(n, n, 6), torch.from_numpy(np.random.RandomState(n).randint(0, 3, n))
        out = torch.zeros(n, 8)
        for g in range(3):
            (rows,) = torch.where(groups == g)
            out = out.index_add(0, rows, F.gelu(x[rows] @ w))
        (grad,) = torch.autograd.grad(out.square().sum(), [w])
        return grad.sum().item()

    for n in range(30, 42):
        step(n)
    assert entered[-1].symbols is not None, "the recording was closed"
    numbers = [step(n) for n in range(42, 48)]
    with torch.debug.eager():
        assert numbers == pytest.approx([step(n) for n in range(42, 48)], rel=1e-5)


def centers(n):
    """A round of k-means: the sizes of five groups, each read before the next is looked at."""
    x, groups = data(n, n, 6), torch.from_numpy(np.random.RandomState(n).randint(0, 5, n))
    made = torch.zeros(5, 6)
    for g in range(5):
        made[g] = x[groups == g].mean(0)
    return torch.cdist(x, made).argmin(1).sum().item()


def test_questions_between_ops_at_new_sizes_leave_the_recording_where_it_is():
    for n in range(60, 84):
        centers(n)
    root = state.rec.root
    before = sum(c.size for c in root.children.values())
    found = [centers(n) for n in range(90, 120)]
    assert sum(c.size for c in root.children.values()) <= before + 30, "more than the question, once a length"
    with torch.debug.eager():
        assert found == [centers(n) for n in range(90, 120)]


def test_an_op_is_told_for_all_lengths_where_small_sizes_come_between():
    for n in range(60, 64):
        for k in range(1, 9):
            torch.cdist(data(n, n, 6), data(k, k, 6)).sum().item()
    kinds = [kind for (op, *_), kind in sized._kinds.items() if getattr(op, "name", "") == "cdist"]
    (kind,) = kinds
    assert all(kind.find((100, 6, k, 6, 4)) is not None for k in (1, 3, 4, 8))


def test_a_loop_whose_rounds_go_ways_of_their_own_is_cut_at_its_rounds():
    """Nothing is read in the loop, and no step is like another."""
    random = np.random.RandomState(0)

    def step():
        made = []
        for row in data(3, 8, 40):
            x = row * 2
            for coin in random.rand(5) < 0.5:
                x = x.tanh() if coin else x.sin()
            made.append(x + 1)
        return torch.stack(made).sum().item()

    for _ in range(60):
        step()
    root = state.rec.root
    before = sum(c.size for c in root.children.values())
    random.seed(1)
    found = [step() for _ in range(40)]
    assert sum(c.size for c in root.children.values()) <= before + 100
    random.seed(1)
    with torch.debug.eager():
        assert found == pytest.approx([step() for _ in range(40)])


def test_recordings_are_cut_around_an_op_that_is_not_told(entered):
    """Where elements lie is computed when interpolate is traced, by NumPy: at each size anew."""

    def step(n):
        x = data(n, n)[:39] * 2 + 1
        y = F.interpolate(x[None, None], 16, mode="linear")[0, 0]
        return (y.sin() + 1 - x.mean()).sum().item()

    for n in range(7, 39):
        step(n)
    entered.clear()
    found = [step(n) for n in range(8, 39)]
    assert len(entered) >= 31
    with torch.debug.eager():
        assert found == pytest.approx([step(n) for n in range(8, 39)], rel=1e-5)


def test_what_is_kept_is_gone_through_while_other_threads_record():
    root, failed, over = state.rec.root, [], threading.Event()
    node = trie.TrieNode()
    node.op = node.source = ""

    def look():
        try:
            while not over.is_set():
                trie.trim()
                cut_at(root, (None, None), (None, None))
        except Exception as error:  # such as: dictionary changed size during iteration
            failed.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        looking = threading.Thread(target=look)
        looking.start()
        for n in range(1, 1_000):
            (torch.arange(float(n)) + 1).sum().item()
            for k in range(20):
                root.children[n, k] = node
    finally:
        over.set()
        looking.join()
        sys.setswitchinterval(interval)
    assert not failed
