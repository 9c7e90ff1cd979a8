"""Indices and targets that are computed, and out of range; integers divided by what is 0: the error comes when a value
is read, with the op's line."""

import inspect
import os
import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._core.api import forget_programs
from functorch_lite._core.lazy import breaches
from functorch_lite._core.lazy.bounds import bounded, not_zero, origins
from functorch_lite._core.run import compiled
from functorch_lite.distributed.tensor import Replicate, distribute_tensor, init_device_mesh
from functorch_lite.nn import functional as F
from functorch_lite.utils.data import DataLoader, TensorDataset

from ..support.unchecked import unchecked
from .buckets.padded import poisoned

PROGRAMS = []


def program(says):
    """Adds a program, whose error is to say this."""

    def add(fn):
        PROGRAMS.append(pytest.param(fn, says, id=fn.__name__))
        return fn

    return add


def computed(*numbers):
    """Integers that are not known before a program runs."""
    return torch.tensor([n - 1 for n in numbers]) + torch.ones((), dtype=torch.int64)


@program(r"Target 3 is out of bounds\.\n.*3 classes end at 2, 3 was found")
def labels_from_one():
    data = TensorDataset(torch.randn(6, 4), torch.tensor([1, 2, 3, 1, 2, 3]))
    model, total = nn.Linear(4, 3), torch.zeros(())
    for x, y in DataLoader(data, batch_size=3, shuffle=True):
        total = total + F.cross_entropy(model(x), y)
    return total.item()


@program("Target 5 is out of bounds")
def training():
    model = nn.Linear(4, 5)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    target = computed(0, 5)
    for _ in range(2):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(torch.ones(2, 4)), target)
        loss.backward()
        optimizer.step()
    return loss.item()


@program("Target -1 is out of bounds")
def nll():
    return F.nll_loss(torch.randn(2, 3).log_softmax(1), computed(-1, 2)).item()


@program("Target 7 is out of bounds")
def segmentation():
    return F.cross_entropy(torch.randn(1, 3, 2, 2), computed(0, 1, 2, 7).view(1, 2, 2)).item()


@program("Target 4 is out of bounds")
def beside_what_is_ignored():
    return F.cross_entropy(torch.randn(3, 4), computed(-100, 1, 4), ignore_index=-100).item()


@program("target out of range")
def multi_margin():
    return F.multi_margin_loss(torch.randn(2, 3), computed(3, 0)).item()


@program("argument #2 'target' is out of range")
def multilabel_margin():
    return F.multilabel_margin_loss(torch.randn(1, 3), computed(2, 3, -1).view(1, 3)).item()


@program("index out of range in self")
def embedding():
    return nn.Embedding(5, 2)(computed(1, 5)).sum().item()


@program(r"takes value 6 which is not in the valid range \[0, 5\)")
def embedding_bag():
    return nn.EmbeddingBag(5, 2)(computed(1, 6).view(1, 2)).sum().item()


@program("Class values must be smaller than num_classes")
def one_hot():
    return F.one_hot(computed(1, 3), 3).tolist()


@program("Class values must be non-negative")
def one_hot_of_a_negative_class():
    return F.one_hot(computed(1, -3), 3).tolist()


@program("index 9 is out of bounds for dimension 0 with size 5")
def indexed():
    return torch.arange(5.0)[computed(0, 9)].tolist()


@program("index -6 is out of bounds for dimension 0 with size 5")
def indexed_from_the_end():
    return torch.arange(5)[computed(-1, -6)].sum().item()


@program("index 4 is out of bounds for dimension 1 with size 4")
def indexed_by_two():
    return torch.zeros(3, 4)[computed(2, 1), computed(4, 1)].tolist()


@program("index 5 is out of bounds for dimension 0 with size 5")
def indexed_by_argmax():
    return torch.arange(5.0)[torch.randn(7).mul(0).add(torch.eye(7)[5]).argmax()].item()


@program("index 5 is out of bounds for dimension 0 with size 5")
def written_to():
    x = torch.zeros(5)
    x[computed(2, 5)] = 1
    return x.tolist()


@program("index 3 is out of bounds for dimension 0 with size 3")
def permuted():
    return torch.eye(3)[torch.randperm(3) * 0 + computed(0, 3, 1)].tolist()


@program("index 3 is out of bounds for dimension 1 with size 3")
def gathered():
    return torch.gather(torch.eye(3), 1, computed(0, 3, 1).view(3, 1)).tolist()


@program("index 3 is out of bounds for dimension 0 with size 3")
def scattered():
    return torch.zeros(3).scatter(0, computed(0, 3), torch.ones(2)).tolist()


@program("index 3 is out of bounds for dimension 0 with size 3")
def scattered_sums():
    return torch.zeros(3).scatter_reduce_(0, computed(0, 3), torch.ones(2), "sum").tolist()


@program("index out of range in self")
def index_select():
    return torch.index_select(torch.eye(3), 0, computed(3)).tolist()


@program("index 3 is out of bounds for dimension 0 with size 3")
def index_add():
    return torch.eye(3).index_add_(0, computed(3), torch.ones(1, 3)).tolist()


@program("index 8 on a tensor of 6 elements")
def take():
    return torch.take(torch.zeros(2, 3), computed(8)).item()


@program("index 2 is out of bounds for dimension 0 with size 2")
def mapped():
    return torch.vmap(lambda row, i: row[i])(torch.eye(2), computed(0, 2)).tolist()


@program("index 4 is out of bounds for dimension 0 with size 4")
def differentiated():
    i = computed(0, 4)
    return torch.func.grad(lambda x: x[i].sin().sum())(torch.ones(4)).tolist()


@program("Target 2 is out of bounds")
def examples_gradients():
    def loss(w, x, y):
        return F.cross_entropy(w @ x, y)

    return torch.vmap(torch.func.grad(loss), (None, 0, 0))(
        torch.eye(2), torch.ones(3, 2), computed(0, 1, 2)
    ).tolist()


@program("index 4 is out of bounds for dimension 0 with size 4")
def hessian():
    i = computed(1, 4)
    return torch.func.hessian(lambda x: x[i].pow(3).sum())(torch.ones(4)).tolist()


@program("index 10 is out of bounds for dimension 0 with size 10")
def scanned():
    x = torch.arange(10.0)
    return torch._higher_order_ops.map(lambda i: x[i] * 2, computed(0, 5, 10)).tolist()


@program("index 4 is out of bounds for dimension 0 with size 4")
def checkpointed():
    x, i = torch.ones(4, requires_grad=True), computed(4, 1)
    torch.utils.checkpoint.checkpoint(lambda x: x[i].exp().sum(), x, use_reentrant=False).backward()
    return x.grad.tolist()


@program("index 4 is out of bounds for dimension 0 with size 4")
def compiled_and_replayed():
    at = torch.compile(lambda x, i: x[i].exp())
    assert at(torch.zeros(4), computed(3)).tolist() == [1]
    assert at(torch.zeros(4), computed(2)).tolist() == [1]
    return at(torch.zeros(4), computed(4)).tolist()


@program("index 4 is out of bounds for dimension 0 with size 4")
def on_a_mesh():
    mesh = init_device_mesh("cpu", (1,))
    x, i = (distribute_tensor(t, mesh, [Replicate()]) for t in (torch.zeros(4), torch.tensor([3, 0])))
    return x[i + 1].full_tensor().tolist()


@program("ZeroDivisionError")
def divided():
    return (torch.arange(3) // computed(1, 0, 2)).tolist()


@program("ZeroDivisionError")
def remainders():
    return (torch.arange(3) % computed(1, 0, 2)).tolist()


def fails(fn, says):
    """The error of a program, with where its op stands."""
    forget_programs()
    lines, first = inspect.getsourcelines(fn)
    with pytest.raises(RuntimeError if says == "ZeroDivisionError" else IndexError, match=says) as caught:
        fn()
    where = re.search(r"first recorded at (.*?):(\d+)", str(caught.value))
    assert where is not None and where[1] == __file__
    assert first <= int(where[2]) < first + len(lines)
    assert not breaches.pending


@pytest.mark.parametrize("fn, says", PROGRAMS)
def test_raises_when_a_value_is_read(fn, says):
    with torch.debug.tier("cold"):
        fails(fn, says)


IN_PROGRAMS = ("labels_from_one", "training", "embedding", "one_hot", "written_to", "scattered", "examples_gradients", "scanned", "checkpointed", "divided")  # fmt: skip


@pytest.mark.programs
@pytest.mark.parametrize("fn, says", [p for p in PROGRAMS if p.id in IN_PROGRAMS])
def test_raises_from_programs(fn, says):
    with torch.debug.tier("compiled"):
        fails(fn, says)


def test_eager_raises_at_the_line():
    x, i = torch.zeros(3), computed(3)
    with torch.debug.eager(), pytest.raises(IndexError, match="index 3 is out of bounds"):
        x[i]


def test_the_error_comes_once_and_what_is_right_goes_on():
    x = torch.arange(3.0)
    wrong = x[computed(5)]
    with pytest.raises(IndexError):
        wrong.tolist()
    assert x[computed(1)].tolist() == [1]
    assert np.isnan(wrong.item())


def test_indices_in_range_raise_nothing():
    x = torch.arange(6.0).view(2, 3)
    for which in ("cold", "compiled"):
        with torch.debug.tier(which):
            assert x[computed(-2, 1), computed(2, -3)].tolist() == [2, 3]
            assert torch.isnan(F.cross_entropy(x, computed(-100, -100)))
            assert (torch.arange(2) // computed(-1, 1)).tolist() == [0, 1]
            assert x[computed(0)[:0]].tolist() == []


def test_branches_and_loops_are_not_looked_into():
    x = torch.arange(3.0)
    outside = torch.vmap(lambda b, i: torch.cond(b, lambda i: x[i], lambda i: x[i * 0], (i,)))
    assert outside(computed(0, 1) > 0, computed(7, 2)).tolist() == [0, 2]


@pytest.mark.programs
def test_a_long_recording_tells_the_line():
    with torch.debug.tier("compiled"):
        x, i = torch.ones(4), computed(4)
        for _ in range(400):
            x = x * 1.5
        with pytest.raises(IndexError, match=f"test_bounds.py:{inspect.currentframe().f_lineno + 1}"):
            x[i].tolist()


@pytest.mark.programs
def test_lengths_that_share_a_program():
    def total(n, last):
        x, i = torch.tensor([0.5] * n), torch.tensor([0] * (n - 1) + [last - 1])
        torch.synchronize()
        return x.sqrt()[i + 1].square().sum().item()

    with torch.debug.tier("compiled"), poisoned():
        for n in (70, 75, 80, 85, 90):
            assert total(n, n - 1) == pytest.approx(n / 2)
        before = torch.debug.stats()["programs"]
        with pytest.raises(IndexError, match="index 91 is out of bounds for dimension 0 with size 91"):
            total(91, 91)
        assert total(93, 92) == pytest.approx(93 / 2)
        assert torch.debug.stats()["programs"] == before


@pytest.mark.programs
def test_a_program_has_nothing_to_look_at_where_all_indices_are_known():
    def step(target):
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        return loss.item()

    def that_look():
        return sum(bool(program.checks) for program in compiled.kept)

    forget_programs()
    model, x = nn.Linear(4, 5), torch.ones(2, 4)
    wrong = torch.tensor([1, 4]) + 1
    torch.synchronize()
    with torch.debug.tier("compiled"):
        for _ in range(3):
            step(torch.tensor([0, 4]))
        assert that_look() == 0
        with pytest.raises(IndexError, match="Target 5 is out of bounds"):
            step(wrong)
        assert that_look() == 1
        step(torch.tensor([0, 4]))
        step(torch.tensor([-100, 4]))
        assert that_look() == 1


@pytest.mark.programs
def test_a_program_has_nothing_to_look_at_where_parts_of_known_arrays_are_taken():
    """Slices of labels, labels at shuffled places, what is computed of no more than sizes, and divisors that are
    known."""

    def steps(labels):
        for i in (0, 2, 4):
            yield model(x), labels[i : i + 2]
        places = torch.randperm(6)
        for i in (0, 2, 4):
            yield model(x), labels[places[i : i + 2]]
        yield model(x), labels[torch.randint(0, 6, (2,))]
        yield model(x), torch.stack([labels[1], labels[3]])
        yield model(x), model(x).argmax(1)
        yield model(x), (model(x)[:, 0] > 0).long()

    def trained(labels):
        for out, target in steps(labels):
            loss = F.cross_entropy(out, target)
            loss.backward()
            last = loss.item()
        return last

    def that_look():
        return sum(bool(program.checks) for program in compiled.kept)

    forget_programs()
    model, x = nn.Linear(4, 5), torch.ones(2, 4)
    with torch.debug.tier("compiled"):
        trained(torch.tensor([0, 4, 1, 2, 3, 0]))
        assert (torch.arange(6) // 2 // torch.tensor([1, 2])[1:]).tolist() == [0, 0, 0, 0, 1, 1]
        assert that_look() == 0
        for labels in ([0, 4, 1, 2, 3, 5], [5, 4, 1, 2, 3, 0], [0, 4, 1, 2, 3, -1]):
            with pytest.raises(IndexError, match=r"Target (5|-1) is out of bounds"):
                trained(torch.tensor(labels))


@pytest.mark.parametrize(
    "fn, feeds",
    [
        (lambda x, i: x[bounded(i, 3)], [(1,)]),
        (lambda x, i: bounded(jnp.where(i == -100, 0, i), 3), [(1,)]),
        (lambda x, i: bounded(jnp.where(i == -100, 3, i), 3), [None]),
        (lambda x, i: jax.jit(lambda i: bounded(i.reshape(1, 2).astype(jnp.int16), 3))(i), [(1,)]),
        (lambda x, i: (bounded(i + 1, 3), bounded(i[::-1], 3)), [None, (1,)]),
        (lambda x, i: bounded(jnp.where(x > 1, i, i[::-1]), 3), [(1,)]),
        (lambda x, i: bounded(jnp.concatenate([i, x.astype(int)]), 3), [None]),
        (lambda x, i: i // not_zero(i), [(1,)]),
        (lambda x, i: i // not_zero(jnp.int64(-3)), [()]),
        (lambda x, i: i // not_zero(i.argmax()), [None]),
        (lambda x, i: jax.lax.map(lambda i: x[bounded(i, 3)], i), [None]),
        (lambda x, i: bounded(jnp.arange(3), 3), [()]),
        (lambda x, i: bounded(jnp.arange(4), 3), [None]),
        (lambda x, i: bounded(x.argmax(), 2), [()]),
        (lambda x, i: bounded((x > 0).astype(int), 2), [()]),
        (lambda x, i: bounded(i[bounded(i, 2)], 3), [(1,), (1,)]),
        (lambda x, i: bounded(i.at[i].get(mode="fill"), 3), [None]),
        (lambda x, i: bounded(jax.lax.dynamic_slice(i, (i[0],), (1,)), 3), [(1,)]),
    ],
)
def test_where_what_is_looked_at_comes_from(fn, feeds):
    with jax.enable_x64(True):
        found = origins(jax.make_jaxpr(fn)(jnp.ones(2), jnp.array([0, 1]))).fed
    assert [o and o.arguments for o in found] == feeds


def test_casts_keep_what_they_hold():
    fn = lambda i: bounded(i.astype(jnp.int8), 300)  # noqa: E731
    (found,) = origins(jax.make_jaxpr(fn)(jnp.array([0, 1]))).fed
    assert found.within(0, 300) == (0, 128)
    assert origins(jax.make_jaxpr(lambda: bounded(jnp.arange(300).astype(jnp.int8), 3))()).fed == (None,)


def test_turned_off():
    with unchecked():
        assert not torch.debug.is_check_bounds_enabled()
        for which in ("cold", "compiled"):
            with torch.debug.tier(which):
                assert np.isnan(torch.arange(3.0)[computed(5)].item())
                assert (torch.arange(3) // computed(0, 0, 0)).tolist() == [-1, -1, -1]
    with pytest.raises(TypeError, match="takes True or False, not int"):
        torch.set_check_bounds(1)


def test_what_nobody_reads_is_told_at_the_end(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import functorch_lite as torch\n"
        "y = torch.ones(3)[torch.arange(2) * 5]\n"
        "from functorch_lite._core.api import flush\nflush()\n"
    )
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        env={**os.environ, "FUNCTORCH_LITE_TIER": "cold"},
    )
    assert "No value was read after this error: index 5 is out of bounds" in done.stderr
    assert f"{script}:2" in done.stderr


def test_a_constant_of_one_element_and_two_dimensions_is_known():
    assert torch.triu_indices(5, 2, 1).tolist() == [[0], [1]]
