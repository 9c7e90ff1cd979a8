"""The checker catches planted faults: it is the witness of every op, so it is tested itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from functorch_lite._core.call import bind
from functorch_lite._core.declare.op import OPS, Array, op
from functorch_lite._core.run import executor
from tests import checker
from tests.compare import Recorded, difference, direction
from tests.facts import Facts, decode, encode, fingerprint
from tests.samples.base import Sample, T

X = np.array([[0.3, -1.2, 0.7], [1.9, 0.4, -0.6]])
_count = itertools.count()


@pytest.fixture
def declared():
    """Declares a function as an op of its own name for the time of a test."""
    names: list[str] = []

    def declare(fn: Callable, **options) -> str:
        names.append(f"_planted_{next(_count)}")
        fn.__annotations__ = {"input": "Array", "scale": "Number"}
        op(name=names[-1], method=False, **options)(fn)
        bind._indexed = -1
        return names[-1]

    yield declare
    for name in names:
        del OPS[name]


def sine_facts() -> Facts:
    """What torch would say of sin at X, in closed form."""
    ct, u = direction("ct", 0, X.shape, False), direction("u", 0, X.shape, False)

    def as_recorded(x):
        return Recorded(x, "float64")

    second = [as_recorded(-np.sin(X) * ct * u), as_recorded(np.cos(X) * u)]
    return Facts([as_recorded(np.sin(X))], [True], [as_recorded(np.cos(X) * ct)], second)


def faults(name: str, facts: Facts | None, sample: Sample | None = None) -> set[str]:
    """Names of the checks that fail."""
    found = checker.check(checker.subject(name), [sample or Sample(T(X))], [facts])
    return {f.check for f in found}


def sin(input: Array):
    return jnp.sin(input)


def test_a_right_op_passes(declared):
    assert faults(declared(sin, inplace=True), sine_facts()) == set()
    assert faults("sin", sine_facts()) == set()


def test_wrong_value(declared):
    assert "value" in faults(declared(lambda input: jnp.sin(input) * (1 + 1e-4)), sine_facts())


def test_wrong_dtype(declared):
    assert "value" in faults(declared(lambda input: jnp.sin(input).astype(jnp.float32)), sine_facts())


def test_wrong_shape(declared):
    assert "value" in faults(declared(lambda input: jnp.sin(input)[None]), sine_facts())


def test_too_few_results(declared):
    assert "value" in faults(declared(lambda input: (jnp.sin(input), input)), sine_facts())


def with_derivative(derivative: Callable) -> Callable:
    """sin with another derivative, forward and backward alike."""

    @jax.custom_jvp
    def fn(input):
        return jnp.sin(input)

    fn.defjvp(lambda primals, tangents: (jnp.sin(primals[0]), derivative(primals[0]) * tangents[0]))
    return lambda input: fn(input)


def test_wrong_gradient(declared):
    name = declared(with_derivative(lambda x: jnp.cos(x) * 1.01))
    assert {"gradient", "gradient by differences"} <= faults(name, sine_facts())
    assert "gradient by differences" in faults(name, None)


def test_wrong_second_gradient(declared):
    name = declared(with_derivative(lambda x: jax.lax.stop_gradient(jnp.cos(x))))
    found = faults(name, sine_facts())
    assert {"second gradient", "second gradient by differences"} <= found
    assert not {"value", "gradient", "gradient by differences"} & found
    assert "second gradient by differences" in faults(name, None)


def test_missing_gradient(declared):
    assert "requires_grad" in faults(
        declared(lambda input: (jnp.sin(input) > 2).astype(jnp.int64)), sine_facts()
    )
    assert "gradient" in faults(declared(lambda input: jax.lax.stop_gradient(jnp.sin(input))), sine_facts())


def test_forward_and_backward_disagree(declared):
    # jax derives the transpose of a linear function from the function itself; this one lies about it
    def lying(x):
        return jax.custom_derivatives.linear_call(lambda _, t: 2.0 * t, lambda _, ct: 3.0 * ct, (), x)

    assert "jvp == vjp" in faults(
        declared(lambda input: lying(input)), None, Sample(T(X)).options(gradgrad=False, why="test")
    )


def test_wrong_vmap(declared):
    @jax.custom_batching.custom_vmap
    def fn(x):
        return jnp.sin(x)

    @fn.def_vmap
    def _(size, batched, x):
        return jnp.sin(x) + jnp.arange(size).reshape(-1, 1, 1), True

    name = declared(lambda input: fn(jax.lax.stop_gradient(input)))
    sample = Sample(T(X, grad=False))
    assert faults(name, None, sample) == {"vmap == loop, example 1"}
    assert faults(name, None, Sample(T(X, grad=False)).options(vmap=False, why="test")) == set()


def test_wrong_number_when_dynamic(declared):
    def fn(input, scale=2.0):
        return input * (scale if isinstance(scale, float) else scale + 1)

    assert "dynamic numbers == literals" in faults(declared(fn), None, Sample(T(X), 2.0))


@pytest.mark.programs
def test_compiles_again(declared):
    def fn(input):
        return jnp.sin(input)

    name = declared(fn)
    s = checker.subject(name)
    s.op.out = False
    fresh = checker.Subject(
        name, lambda input: bind.make_function(type(s.op)(fn, name, method=False), "again")(input), s.op
    )
    found = checker.check(fresh, [Sample(T(X))], [None])
    assert any(f.check == "eager == recorded" and "compiles" in f.why for f in found)


def test_wrong_variants(declared, monkeypatch):
    name = declared(sin, inplace=True)
    wrong = bind.make_function(OPS["cos"], "cos")
    right = checker._inplace_functions
    monkeypatch.setattr(
        checker, "_inplace_functions", lambda op, short: [(label, wrong) for label, _ in right(op, short)]
    )
    assert faults(name, sine_facts()) == {f"function {name}_"}
    s = checker.subject(name)
    leaves_out_alone = checker.Subject(name, lambda input, out=None: s.call(input), s.op)
    monkeypatch.undo()
    found = checker.check(leaves_out_alone, [Sample(T(X))], [None])
    assert {f.check for f in found} == {"out="}


def test_a_method_that_is_missing(declared, monkeypatch):
    name = declared(sin)
    bind.lookup("torch", name)
    monkeypatch.setattr(OPS[name], "method", "no_such_method")
    assert "method" in faults(name, sine_facts())


def raising(error: Exception) -> Callable:
    def fn(input):
        raise error

    return fn


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (RuntimeError("expected a matrix, but got 1-d"), set()),
        (RuntimeError("something else"), {"error"}),
        (ValueError("expected a matrix, but got 1-d"), {"error"}),
    ],
)
def test_wrong_error(declared, error, found):
    sample = Sample(T(X)).raises(RuntimeError, "expected a matrix")
    facts = Facts(error=("RuntimeError", "mul(): expected a matrix, but got 1-d"))
    assert faults(declared(raising(error)), facts, sample) == found


def test_no_error_where_one_is_expected(declared):
    sample = Sample(T(X)).raises(RuntimeError, "expected a matrix")
    assert faults(declared(sin), None, sample) == {"error"}


def test_sample_expects_another_error_than_torch(declared):
    sample = Sample(T(X)).raises(RuntimeError, "expected a matrix")
    facts = Facts(error=("IndexError", "expected a matrix"))
    assert faults(declared(raising(RuntimeError("expected a matrix"))), facts, sample) == {"error of torch"}


def test_a_crash_is_a_failure_of_its_sample_alone(declared):
    def fn(input):
        if input.shape == (3,):
            raise TypeError("oops")
        return jnp.sin(input)

    failures = checker.check(
        checker.subject(declared(fn)), [Sample(T(X[0])), Sample(T(X))], [None, sine_facts()]
    )
    assert [(f.number, "oops" in f.why) for f in failures] == [(0, True)]


def test_kinks_and_jumps_are_no_failures(declared):
    at_kink = np.array([0.0, 1.0, -0.5])
    assert faults(declared(lambda input: jnp.abs(input)), None, Sample(T(at_kink))) == set()
    assert faults(declared(lambda input: jnp.floor(input)), None, Sample(T(at_kink))) == set()


# -- comparing, recording ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "want", "equal"),
    [
        ([1.0, np.nan], [1.0, np.nan], True),
        ([1.0, np.inf], [1.0, np.inf], True),
        ([1.0, -np.inf], [1.0, np.inf], False),
        ([1.0, np.nan], [1.0, 2.0], False),
        ([1.0, 2.0], [1.0, np.nan], False),
        ([1.0, 2.0 + 1e-5], [1.0, 2.0], False),
        ([1.0, 2.0 + 1e-9], [1.0, 2.0], True),
        ([1 + 2j, np.nan], [1 + 2j, np.nan], True),
        ([1 + 2j, 0], [1 - 2j, 0], False),
    ],
)
def test_difference(got, want, equal):
    kind = "complex128" if np.iscomplexobj(got) else "float64"
    assert (difference(Recorded(got, kind), Recorded(want, kind)) is None) == equal


def test_integers_are_compared_exactly():
    assert difference(Recorded(np.array([10**15]), "int64"), Recorded(np.array([10**15 + 1]), "int64"))
    assert difference(Recorded(np.array([True]), "bool"), Recorded(np.array([1]), "int64"))


def test_facts_survive_json():
    import json

    known = Facts(
        [Recorded(np.array([[1.5, -0.0], [np.nan, np.inf]]), "float64"), Recorded(np.array(3), "int64"),
         Recorded(np.array([1 + 2j]), "complex128"), Recorded(np.array([True]), "bool"), Recorded(np.float32([0.1]), "bfloat16")],
        [True, False, True, False, True],
        [None, Recorded(np.zeros((0, 3), np.float32), "float32")],
        None,
    )  # fmt: skip
    back = decode(json.loads(json.dumps(encode(known))))
    assert back.requires_grad == known.requires_grad and back.second is None and back.grads[0] is None
    for a, b in zip([*back.outputs, back.grads[1]], [*known.outputs, known.grads[1]], strict=True):
        assert a.dtype == b.dtype and a.array.shape == b.array.shape and a.array.dtype == b.array.dtype
        np.testing.assert_array_equal(a.array, b.array)
    assert decode(encode(Facts(error=("ValueError", "no")))).error == ("ValueError", "no")


def test_fingerprints_tell_samples_apart():
    samples = [
        Sample(T(X)), Sample(T(X.astype(np.float32))), Sample(T(X + 1)), Sample(T(X.T)), Sample(T(X, grad=False)), Sample(T(X), 1),
        Sample(T(X), 1.0), Sample(T(X), dim=1), Sample([T(X)]), Sample(T(X), dtype="bfloat16"), Sample(T(X, dtype="bfloat16")),
        Sample(T(X)).raises(RuntimeError, "no"), Sample(T(X)).options(gradgrad=False, why="test"),
    ]  # fmt: skip
    assert len({fingerprint(s) for s in samples}) == len(samples)
    assert fingerprint(Sample(T(X))) == fingerprint(Sample(T(X.copy())))


def test_programs_and_numpy_share_the_samples(declared):
    """What runs first and the first with derivatives are programs'; what is wrong in the rest is found where NumPy
    computes it."""
    samples = [Sample(T(X > 0)), Sample(T(X[0])), Sample(T(X))]
    wrong = checker.subject(declared(lambda input: jnp.sin(input) * (1 + 1e-4 * (input.ndim > 1))))
    before = executor.stats["cold"]
    failures = checker.check(wrong, samples, [None, None, sine_facts()], by_numpy=True)
    assert executor.stats["cold"] > before
    assert {(f.number, f.check) for f in failures} >= {(2, "value"), (2, "gradient")}
