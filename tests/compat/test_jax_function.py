"""JAX functions as ops, in the short form of `python -m tests.bridge`; and that they are recorded, compiled and kept as
ops are."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import func
from functorch_lite.compat import from_jax, jax_function, to_jax
from tests import bridge
from tests.bridge_cases import SHORT
from tests.core.counting import counted


@pytest.mark.parametrize("name", SHORT)
def test_as_in_jax(name):
    for column in ("value", "backward", "jvp", "vmap(grad)"):
        bridge.check(name, column)


@pytest.mark.parametrize(
    ("name", "column"),
    [("i0", "grad"), ("i0", "third"), ("custom_jvp", "hessian"), ("custom_vjp", "jacobian")],
)
def test_other_transforms_as_in_jax(name, column):
    assert bridge.check(name, column) == "yes"


@pytest.mark.parametrize(("name", "column"), [("custom_vjp", "jvp"), ("while_loop", "grad")])
def test_what_jax_refuses_is_refused(name, column):
    assert bridge.check(name, column) == "refused"


@pytest.mark.parametrize("place", bridge.PLACES)
def test_nothing_differentiated_or_batched_gets_out(place):
    every = (*bridge.WAYS, *bridge.OF_STORAGE, *bridge.READ)
    assert [w for w in every if (place, w) not in bridge.ALLOWED and bridge.tried(place, w) == "out"] == []


@pytest.mark.parametrize("way", bridge.READ)
def test_values_can_be_read_where_there_is_one(way):
    for place in ("leaf", "tape", "grad", "jvp", "hessian", "checkpoint"):
        assert bridge.tried(place, way) == "out"


def test_errors_say_what_works():
    assert "compat.jax_function(f)" in bridge.tried("grad", "to_jax") and "detach()" in bridge.tried(
        "grad", "to_jax"
    )
    assert "jvp differentiates by" in bridge.tried("jvp", "numpy")
    assert "compat.jax_function(f)" in bridge.tried("vmap", "to_jax")
    assert bridge.tried("leaf", "numpy").endswith("Use tensor.detach().numpy() instead.")


def test_numbers_may_leave_where_no_derivative_is_lost():
    x = torch.ones(3, requires_grad=True)
    for read in (to_jax, np.asarray):
        assert read(x.detach()).tolist() == [1.0] * 3
        with torch.no_grad():
            assert read(x * 2).tolist() == [2.0] * 3
        func.grad(lambda t, read=read: (read(t.detach()), read(torch.ones(3) * 2), t.sum())[-1])(
            torch.ones(3)
        )


# -- recorded, and compiled once ---------------------------------------------------------------------------------------


@pytest.mark.programs
def test_it_is_recorded_and_runs_with_the_ops_around_it():
    f = jax_function(jnp.sin)
    before = torch.debug.stats()["runs"]
    y = f(torch.ones(3) * 2) + 1
    assert torch.debug.stats()["runs"] == before  # nothing ran
    np.testing.assert_allclose(y.numpy(), np.sin(2) + 1, rtol=1e-6)
    assert torch.debug.stats()["runs"] == before + 1  # one program


def test_it_is_traced_and_compiled_once():
    traced = []

    @jax_function
    def scaled(p, s, *, how):
        traced.append(how)
        return {how: jnp.tanh(p["x"]) * s}

    def step(i):
        x = torch.full((3,), 0.1 * i, requires_grad=True)
        scaled({"x": x}, 0.5 + i, how="y")["y"].sum().backward()
        return x.grad.sum().item()

    step(0), step(1)
    with counted() as compiles:
        for i in range(2, 6):
            step(i)
    assert compiles.n == 0 and traced == ["y"]


def test_every_op_of_a_function_shares_its_traces():
    traced = []

    def f(x):
        traced.append(x.shape)
        return x * 2

    for n in (2, 3, 2):
        assert jax_function(f)(torch.ones(n)).tolist() == [2.0] * n
    assert traced == [(2,), (3,)]


def test_functions_made_anew_are_not_kept():
    functions, arrays = [], []
    for i in range(3):
        table = jnp.full((100,), float(i))

        def f(x, table=table):
            return x + table

        functions.append(weakref.ref(f))
        arrays.append(weakref.ref(table))
        assert jax_function(f)(torch.zeros(100)).sum().item() == 100 * i
        del f, table
    gc.collect()
    assert not any(r() is not None for r in functions + arrays)


# -- arguments and results ---------------------------------------------------------------------------------------------


def test_numbers_are_weakly_typed_and_ints_are_static():
    f = jax_function(lambda x, s, n: jnp.tile(x * s, n))
    half = torch.ones(2, dtype=torch.bfloat16)
    assert f(half, 0.5, 2).dtype is torch.bfloat16 and f(half, 0.5, 2).tolist() == [0.5] * 4
    assert f(np.ones(2, half.dtype.np), 0.5, 1).dtype is torch.bfloat16  # an array of NumPy's
    which = jax_function(lambda x, flag: x + (2 if flag is True else 1))
    assert (which(torch.zeros(1), 1).item(), which(torch.zeros(1), True).item()) == (1.0, 2.0)


def test_static_arguments_are_jits():
    f = jax_function(
        lambda x, how, n=1: getattr(jnp, how)(x) * n, static_argnums=(1,), static_argnames=("n",)
    )
    assert f(torch.zeros(2), how="cos", n=2.0).tolist() == [2.0, 2.0]
    assert f(torch.zeros(2), "sin").tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="it has no argument 'm'"):
        jax_function(lambda x: x, static_argnames="m")
    with pytest.raises(ValueError, match="must be hashable"):
        f(torch.zeros(2), {"sin"})


def test_results_are_trees_of_tensors():
    tree = jax_function(lambda x: {"a": (x, None), "n": [3, jnp.argmax(x)]})(torch.tensor([0.5, 1.5]))
    assert tree["a"][0].tolist() == [0.5, 1.5] and tree["a"][1] is None
    assert [t.dtype for t in tree["n"]] == [torch.int64, torch.int64] and tree["n"][1].item() == 1
    for returned, error in ((lambda x: "s", "returned a str"), (lambda x: from_jax(x), "returned a Tensor")):
        with pytest.raises(TypeError, match=error):
            jax_function(returned)(torch.ones(2))
    with pytest.raises(TypeError, match="key_data"):
        jax_function(jax.random.key)(0)


def test_integers_have_no_gradient():
    whole, real = jax_function(lambda x: (x.astype(int), x * 2))(torch.ones(2, requires_grad=True))
    assert (whole.requires_grad, real.requires_grad) == (False, True)


def test_a_captured_tensor_is_refused():
    w = torch.ones(3)
    for f in (lambda x: x * to_jax(w), lambda x: x + jnp.asarray(w)):
        with pytest.raises(RuntimeError, match="pass it as an argument"):
            jax_function(f)(torch.ones(3))
    with pytest.raises(RuntimeError, match="Pass it as an argument"):
        func.grad(lambda u: jax_function(lambda x: to_jax(from_jax(x) * u))(w).sum())(torch.ones(3))


def test_a_module_as_a_jax_function_inside_a_transform():
    net = torch.nn.Linear(3, 2)
    params = {k: p.detach() for k, p in net.named_parameters()}

    @jax_function
    def through_jax(p, x):
        tensors = {k: from_jax(a) for k, a in p.items()}
        return to_jax(func.functional_call(net, tensors, (from_jax(x),)))

    x = torch.linspace(0, 1, 6).reshape(2, 3)
    expected = func.vmap(func.grad(lambda p, a: func.functional_call(net, p, (a,)).sum()), (None, 0))(
        params, x
    )
    found = func.vmap(func.grad(lambda p, a: through_jax(p, a).sum()), (None, 0))(params, x)
    for name in params:
        torch.testing.assert_close(found[name], expected[name])


def test_in_a_jax_function_it_is_that_function():
    double = jax_function(lambda x: x * 2)
    array = jax.jit(lambda a: double(a) + 1)(jnp.ones(2))
    assert isinstance(array, jax.Array) and array.tolist() == [3.0, 3.0]
    assert jax_function(lambda a: double(a) + 1)(torch.ones(2)).tolist() == [3.0, 3.0]


def test_under_a_jax_transformation():
    f = jax_function(jnp.sin)
    gradient = jax.jit(lambda a: to_jax(func.grad(lambda t: f(t).sum())(from_jax(a))))(jnp.zeros(2))
    assert gradient.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="jax_function"):
        jax.jit(lambda a: to_jax(func.grad(lambda t: from_jax(jnp.sin(to_jax(t))).sum())(from_jax(a))))(
            jnp.zeros(2)
        )


def test_subclasses_and_tensors_without_one_array():
    class Named(torch.Tensor):
        pass

    f = jax_function(jnp.sin)
    assert type(f(torch.zeros(2).as_subclass(Named))) is Named
    with pytest.raises(NotImplementedError, match="to_dense"):
        f(torch.eye(2).to_sparse())
    assert f(torch.ones(2, device="meta")).is_meta


def test_the_example_of_the_readme():
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    code = next(block for block in readme.split("```python\n") if block.startswith("import jax")).split(
        "```"
    )[0]
    names = {"torch": torch, "x": torch.ones(3)}
    exec(code, names)
    torch.testing.assert_close(names["slope"], torch.special.i1(torch.tensor(0.5)))
    torch.testing.assert_close(names["x"], torch.ones(3).sin())
