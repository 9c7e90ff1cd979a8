"""Errors that depend on values are raised in every transform, with PyTorch's type and message, when a value is read."""

from __future__ import annotations

import re

import pytest

import functorch_lite
from tests.support.full import FULL
from tests.value_errors import CASES, GOOD, MATRICES, NOT_AT_ALL, PAGE, SINGULAR, SPD, WAYS, raised

KINDS = {
    "LinAlgError": functorch_lite.linalg.LinAlgError,
    "RuntimeError": RuntimeError,
    "ValueError": ValueError,
    "IndexError": IndexError,
}
LOOKED_AT = list(WAYS) if FULL else ["`vmap`", "`scan`"]


@pytest.fixture
def torch():
    return functorch_lite


@pytest.fixture(scope="module")
def listed():
    """The rows of the page's table: name -> way -> when."""
    rows = [
        [cell.strip() for cell in line.strip("| \n").split("|")]
        for line in PAGE.read_text().splitlines()
        if line.startswith("| `")
    ]
    return {row[0].strip("`"): dict(zip(WAYS, row[2:])) for row in rows}


def test_every_op_is_listed(listed):
    assert list(listed) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_raises(torch, listed, name):
    c = CASES[name]
    for way in LOOKED_AT:
        when, error = raised(torch, c, way)
        assert when == listed[name][way], f"{way}: {when}"
        if when not in (NOT_AT_ALL, "–"):
            assert isinstance(error, KINDS[c.error]), f"{way}: {error!r}"
            assert c.sentence in str(error), f"{way}: {error}"


@pytest.mark.parametrize("name", CASES)
def test_raises_nothing_for_good_values(torch, name):
    c = CASES[name]
    x = torch.tensor(c.good, dtype=None if c.dtype is None else getattr(torch, c.dtype))
    torch.vmap(lambda x: c.call(torch, x), randomness="different")(torch.stack([x, x])).tolist()


@pytest.mark.parametrize("name", [n for n, c in MATRICES.items() if c.error == "LinAlgError"])
def test_names_the_batch_element(torch, name):
    c = MATRICES[name]
    good, bad = torch.tensor(c.good), torch.tensor(c.bad)
    batch = torch.stack([torch.stack([good, good]), torch.stack([bad, good])])
    with pytest.raises(torch.linalg.LinAlgError, match=re.escape("(Batch element 2): ")):
        torch.vmap(torch.vmap(lambda x: c.call(torch, x)))(batch).tolist()


@pytest.mark.parametrize("f", ["inv", "solve", "cholesky", "lu_factor"])
def test_derivatives_in_vmap(torch, f):
    good, bad = (SPD, [[1.0, 2.0], [2.0, 1.0]]) if f == "cholesky" else (GOOD, SINGULAR)

    def loss(x):
        made = getattr(torch.linalg, f)(x, torch.ones(2, 1)) if f == "solve" else getattr(torch.linalg, f)(x)
        return (made[0] if f == "lu_factor" else made).square().sum()

    batch = torch.tensor([good, bad])
    for transformed in (
        torch.func.grad(loss), torch.func.jacfwd(loss), torch.func.hessian(loss), lambda x: torch.func.jvp(loss, (x,), (x,))[1]
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match=r"Batch element 1"):
            torch.vmap(transformed)(batch).tolist()
        assert torch.vmap(transformed)(batch[:1]).isfinite().all()


def test_derivative_of_a_mapped_function(torch):
    batch = torch.tensor([GOOD, SINGULAR], requires_grad=True)
    torch.vmap(torch.linalg.inv)(batch).sum().backward()
    with pytest.raises(torch.linalg.LinAlgError, match=r"Batch element 1"):
        batch.grad.tolist()


@pytest.mark.programs
@pytest.mark.parametrize("name", ["linalg.inv", "ctc_loss (target lengths)", "binary_cross_entropy", "histc"])
def test_programs(torch, name):
    c = CASES[name]
    for way in LOOKED_AT:
        _, error = raised(torch, c, way)
        assert isinstance(error, KINDS[c.error])
        assert c.sentence in str(error)


def test_nothing_is_said_in_branches(torch):
    def f(x):
        return torch.cond(x.sum() > 4.5, torch.linalg.inv, torch.zeros_like, (x,))

    assert torch.vmap(f)(torch.tensor([GOOD, SINGULAR]))[1].eq(0).all()


def test_switched_off(torch):
    torch.set_check_bounds(False)
    try:
        assert not torch.vmap(torch.linalg.inv)(torch.tensor([SINGULAR])).isfinite().all()
    finally:
        torch.set_check_bounds(True)


@pytest.mark.parity
@pytest.mark.parametrize("name", CASES)
def test_pytorch_raises_the_same(name):
    torch = pytest.importorskip("torch")
    c = CASES[name]
    kind = torch.linalg.LinAlgError if c.error == "LinAlgError" else KINDS[c.error]
    _, error = raised(torch, c, "values from data")
    if name in (
        "linalg.ldl_factor",
        "linalg.eigvals",
    ):  # an internal assertion, and, of the values alone, nothing
        return
    assert isinstance(error, kind)
    assert c.sentence in str(error)


@pytest.mark.parametrize(
    "f",
    [
        lambda t, x: t.nn.functional.conv2d(x[None], t.ones(2, 1, 3, 3)),
        lambda t, x: t.nn.functional.conv2d(t.ones(1, 1, 9, 9), x[None]),
        lambda t, x: t.nn.functional.conv_transpose2d(x[None], t.ones(1, 2, 3, 3)),
        lambda t, x: t.nn.functional.max_pool2d(x[None], 2),
        lambda t, x: t.nn.functional.avg_pool2d(x[None], 2),
        lambda t, x: t.nn.functional.batch_norm(x[None], None, None, training=True),
        lambda t, x: x.flatten() @ t.ones(64, 2),
    ],
)
def test_an_empty_batch(torch, f):
    """PyTorch's results for some of these have a dim of 0 too many, and its derivatives raise errors for that."""
    one, none = torch.ones(1, 8, 8), torch.empty(0, 1, 8, 8)
    assert torch.vmap(lambda x: f(torch, x))(none).shape == (0, *f(torch, one).shape)
    grad = torch.func.grad(lambda x: f(torch, x).sum())
    assert torch.vmap(grad)(none).shape == none.shape


def test_gradients_of_a_network_of_no_examples(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(18, 4))
    params = dict(net.named_parameters())

    def loss(params, x, y):
        return nn.functional.cross_entropy(torch.func.functional_call(net, params, (x[None],)), y[None])

    batch = torch.empty(0, 1, 8, 8), torch.empty(0, dtype=torch.int64)
    grads = torch.vmap(torch.func.grad(loss), (None, 0, 0))(params, *batch)
    assert {k: tuple(g.shape) for k, g in grads.items()} == {k: (0, *p.shape) for k, p in params.items()}
    total = torch.vmap(loss, (None, 0, 0))(params, *batch).sum()
    total.backward()
    assert total.item() == 0
    assert all(p.grad.eq(0).all() for p in params.values())


def test_results_that_no_example_changes_of_an_empty_batch(torch):
    w = torch.arange(6.0).reshape(3, 2)
    rows, twice = torch.vmap(lambda x: (x @ w, w * 2), out_dims=(0, None))(torch.empty(0, 3))
    assert rows.shape == (0, 2)
    assert twice.tolist() == (w * 2).tolist()
