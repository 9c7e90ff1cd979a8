"""Errors that depend on values: each op that raises one, and where it does. Makes the table of docs/value_errors.md.

python -m tests.value_errors [--write]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).parent.parent / "docs" / "value_errors.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of the table -->\n"

NAN = float("nan")
GOOD, SPD, EYE = [[2.0, 0.0], [1.0, 3.0]], [[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]]
SINGULAR, INDEFINITE, NOTHING, NOT_FINITE = [[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]], [[0.0] * 2] * 2, [[1.0, NAN], [0.0, 1.0]]  # fmt: skip
SHARES, PIVOTS = [0.2, 0.3, 0.5], [1, 2]


class Case(NamedTuple):
    """A call that raises: call(torch, x) for x made of `bad`, not of `good`; the error's name and a part of its message.
    dtype: of x."""

    call: Callable[[Any, Any], Any]
    good: Any
    bad: Any
    error: str
    sentence: str
    dtype: str | None = None


def _ones(t, *sizes):
    return t.ones(*sizes)


def _rows(t):
    return t.arange(6.0).reshape(2, 3)


def _ctc(t, targets=((1, 2),), inputs=(5,), lengths=(2,)):
    def tensor(x):
        return x if isinstance(x, t.Tensor) else t.tensor(x)

    log_probs = t.zeros(5, 1, 3).log_softmax(-1)
    return t.nn.functional.ctc_loss(log_probs, tensor(targets), tensor(inputs), tensor(lengths))


_SINGULAR, _DEFINITE = "The diagonal element 2 is zero", "The factorization could not be completed"
_SVD, _EIG = "The algorithm failed to converge", "input tensor should not contain infs or NaNs"
_PIVOT, _LDL, _SOLVER = (
    "U[2,2] is zero",
    "D[1,1] is zero",
    "The solver failed because the input matrix is singular",
)
_INDEX, _SHARE = "index 7 is out of bounds for dimension 0 with size 3", "Expected p_in >= 0 && p_in <= 1"

MATRICES = {
    "linalg.inv": Case(lambda t, x: t.linalg.inv(x), GOOD, SINGULAR, "LinAlgError", _SINGULAR),
    "linalg.inv_ex": Case(lambda t, x: t.linalg.inv_ex(x, check_errors=True)[0], GOOD, SINGULAR, "LinAlgError", _SINGULAR),
    "linalg.solve": Case(lambda t, x: t.linalg.solve(x, _ones(t, 2, 1)), GOOD, SINGULAR, "LinAlgError", _SOLVER),
    "linalg.solve_ex": Case(
        lambda t, x: t.linalg.solve_ex(x, _ones(t, 2, 1), check_errors=True)[0], GOOD, SINGULAR, "LinAlgError", _SOLVER
    ),
    "linalg.tensorinv": Case(lambda t, x: t.linalg.tensorinv(x, ind=1), GOOD, SINGULAR, "LinAlgError", _SINGULAR),
    "linalg.tensorsolve": Case(lambda t, x: t.linalg.tensorsolve(x, _ones(t, 2)), GOOD, SINGULAR, "LinAlgError", _SOLVER),
    "linalg.matrix_power": Case(lambda t, x: t.linalg.matrix_power(x, -1), GOOD, SINGULAR, "LinAlgError", _SINGULAR),
    "linalg.cholesky": Case(lambda t, x: t.linalg.cholesky(x), SPD, INDEFINITE, "LinAlgError", _DEFINITE),
    "linalg.cholesky_ex": Case(
        lambda t, x: t.linalg.cholesky_ex(x, check_errors=True)[0], SPD, INDEFINITE, "LinAlgError", _DEFINITE
    ),
    "cholesky": Case(lambda t, x: t.cholesky(x), SPD, INDEFINITE, "LinAlgError", _DEFINITE),
    "cholesky_inverse": Case(
        lambda t, x: t.cholesky_inverse(x), GOOD, NOTHING, "LinAlgError", "The diagonal element 1 is zero"
    ),
    "linalg.lu_factor": Case(lambda t, x: t.linalg.lu_factor(x)[0], GOOD, SINGULAR, "RuntimeError", _PIVOT),
    "linalg.lu_factor_ex": Case(
        lambda t, x: t.linalg.lu_factor_ex(x, check_errors=True)[0], GOOD, SINGULAR, "RuntimeError", _PIVOT
    ),
    "linalg.ldl_factor": Case(lambda t, x: t.linalg.ldl_factor(x.detach())[0], SPD, NOTHING, "RuntimeError", _LDL),
    "linalg.lu_solve": Case(
        lambda t, x: t.linalg.lu_solve(t.tensor(GOOD), x, _ones(t, 2, 1)), PIVOTS, [5, 7], "RuntimeError",
        "Pivots given to lu_solve must all be", "int32",
    ),
    "lu_unpack": Case(
        lambda t, x: t.lu_unpack(t.tensor(GOOD), x)[0], PIVOTS, [5, 7], "RuntimeError",
        "pivots passed to lu_unpack must be between 1 and LU.size(-2)", "int32",
    ),
    "linalg.svd": Case(lambda t, x: t.linalg.svd(x)[1], GOOD, NOT_FINITE, "LinAlgError", _SVD),
    "linalg.svdvals": Case(lambda t, x: t.linalg.svdvals(x), GOOD, NOT_FINITE, "LinAlgError", _SVD),
    "linalg.pinv": Case(lambda t, x: t.linalg.pinv(x), GOOD, NOT_FINITE, "LinAlgError", _SVD),
    "linalg.matrix_rank": Case(lambda t, x: t.linalg.matrix_rank(x), GOOD, NOT_FINITE, "LinAlgError", _SVD),
    "linalg.matrix_norm": Case(lambda t, x: t.linalg.matrix_norm(x, 2), GOOD, NOT_FINITE, "LinAlgError", _SVD),
    "linalg.cond": Case(lambda t, x: t.linalg.cond(x), GOOD, NOT_FINITE, "LinAlgError", _SVD),
    "linalg.eig": Case(lambda t, x: t.linalg.eig(x)[0].real, GOOD, NOT_FINITE, "RuntimeError", _EIG),
    "linalg.eigvals": Case(lambda t, x: t.linalg.eigvals(x).real, GOOD, NOT_FINITE, "RuntimeError", _EIG),
}  # fmt: skip

INDICES = {
    "x[i]": Case(lambda t, i: t.tensor(SHARES)[i], [0, 1], [0, 7], "IndexError", _INDEX),
    "gather": Case(lambda t, i: t.tensor(SHARES).gather(0, i), [0, 1], [0, 7], "RuntimeError", _INDEX),
    "index_select": Case(
        lambda t, i: t.tensor(SHARES).index_select(0, i), [0, 1], [0, 7], "IndexError", "index out of range in self"
    ),
    "take": Case(lambda t, i: t.tensor(SHARES).take(i), [0, 1], [0, 7], "IndexError", "out of range"),
    "scatter": Case(lambda t, i: t.tensor(SHARES).scatter(0, i, 1.0), [0, 1], [0, 7], "RuntimeError", _INDEX),
    "index_add": Case(
        lambda t, i: t.tensor(SHARES).index_add(0, i, _ones(t, 2)), [0, 1], [0, 7], "IndexError", "index out of range in self"
    ),
    "put": Case(lambda t, i: t.tensor(SHARES).put(i, _ones(t, 2)), [0, 1], [0, 7], "IndexError", "out of range"),
    "embedding": Case(
        lambda t, i: t.nn.functional.embedding(i, _rows(t)), [0, 1], [0, 7], "IndexError", "index out of range in self"
    ),
    "embedding_bag": Case(
        lambda t, i: t.nn.functional.embedding_bag(i, _rows(t), t.tensor([0])), [0, 1], [0, 7], "RuntimeError",
        "of input takes value 7",
    ),
    "embedding_bag (offsets)": Case(
        lambda t, o: t.nn.functional.embedding_bag(t.tensor([0, 1, 1]), _rows(t), o), [0, 2], [0, 9], "RuntimeError",
        "offsets[-1] can not be greater than input's length 3 but got offsets[-1] of 9",
    ),
    "one_hot": Case(
        lambda t, i: t.nn.functional.one_hot(i, 3), [0, 1], [0, 7], "RuntimeError", "Class values must be smaller than num_classes"
    ),
    "cross_entropy": Case(
        lambda t, i: t.nn.functional.cross_entropy(_rows(t), i), [0, 1], [0, 7], "IndexError", "Target 7 is out of bounds"
    ),
    "nll_loss": Case(
        lambda t, i: t.nn.functional.nll_loss(_rows(t), i), [0, 1], [0, 7], "IndexError", "Target 7 is out of bounds"
    ),
    "multi_margin_loss": Case(
        lambda t, i: t.nn.functional.multi_margin_loss(_rows(t), i), [0, 1], [0, 7], "RuntimeError", "target out of range"
    ),
    "searchsorted (sorter)": Case(
        lambda t, i: t.searchsorted(t.tensor(SHARES), t.tensor([0.3]), sorter=i), [0, 1, 2], [0, 1, 7], "RuntimeError",
        "sorter index out of range",
    ),
    "//, %, floor_divide, remainder": Case(lambda t, i: t.tensor([4, 4]) // i, [1, 2], [1, 0], "RuntimeError", "ZeroDivisionError"),
    "masked_scatter": Case(
        lambda t, m: t.tensor(SHARES).masked_scatter(m, t.tensor([9.0])), [True, False, False], [True, True, True],
        "RuntimeError", "Number of elements of source < number of ones in mask",
    ),
}  # fmt: skip

OTHERS = {
    "ctc_loss (target lengths)": Case(
        lambda t, n: _ctc(t, lengths=n), [2], [9], "RuntimeError", "Expected tensor to have size at least 9 at dimension 1"
    ),
    "ctc_loss (input lengths)": Case(
        lambda t, n: _ctc(t, inputs=n), [5], [9], "RuntimeError", "Expected input_lengths to have value at most 5, but got value 9"
    ),
    "ctc_loss (concatenated targets)": Case(
        lambda t, n: _ctc(t, targets=(1, 2), lengths=n), [2], [1], "RuntimeError", "Expected tensor to have size 1 at dimension 0"
    ),
    "multinomial": Case(
        lambda t, p: t.multinomial(p, 1), SHARES, [-1.0, 1.0, 1.0], "RuntimeError", "probability tensor contains either"
    ),
    "multinomial (sum)": Case(
        lambda t, p: t.multinomial(p, 1), SHARES, [0.0, 0.0, 0.0], "RuntimeError", "invalid multinomial distribution"
    ),
    "bernoulli": Case(lambda t, p: t.bernoulli(p), SHARES, [2.0, 0.0, 0.0], "RuntimeError", _SHARE),
    "bernoulli_": Case(lambda t, p: t.zeros(3).bernoulli_(p), SHARES, [2.0, 0.0, 0.0], "RuntimeError", _SHARE),
    "normal": Case(lambda t, s: t.normal(t.zeros(3), s), SHARES, [-2.0, 0.0, 0.0], "RuntimeError", "all elements of std >= 0.0"),
    "poisson": Case(lambda t, r: t.poisson(r), SHARES, [-2.0, 0.0, 0.0], "RuntimeError", "invalid Poisson rate"),
    "binary_cross_entropy": Case(
        lambda t, p: t.nn.functional.binary_cross_entropy(p, _ones(t, 3)), SHARES, [2.0, 0.0, 0.0], "RuntimeError",
        "all elements of input should be between 0 and 1",
    ),
    "gaussian_nll_loss": Case(
        lambda t, v: t.nn.functional.gaussian_nll_loss(_ones(t, 3), t.zeros(3), v), SHARES, [-1.0, 1.0, 1.0], "ValueError",
        "var has negative entry/entries",
    ),
    "quantile": Case(lambda t, q: t.tensor(SHARES).quantile(q), [0.1, 0.2], [0.1, 2.0], "RuntimeError", "must be in the range [0, 1]"),
    "nanquantile": Case(
        lambda t, q: t.tensor(SHARES).nanquantile(q), [0.1, 0.2], [0.1, 2.0], "RuntimeError", "must be in the range [0, 1]"
    ),
    "histc": Case(lambda t, x: t.histc(x, 3), SHARES, [NAN, 1.0, 2.0], "RuntimeError", "is not finite"),
    "histogram": Case(lambda t, x: t.histogram(x, 3)[0], SHARES, [NAN, 1.0, 2.0], "RuntimeError", "is not finite"),
    "cov (fweights)": Case(lambda t, w: _rows(t).cov(fweights=w), [1, 1, 1], [1, 1, -1], "RuntimeError", "fweights cannot be negative"),
    "cov (aweights)": Case(
        lambda t, w: _rows(t).cov(aweights=w), SHARES, [1.0, 1.0, -1.0], "RuntimeError", "aweights cannot be negative"
    ),
    "segment_reduce": Case(
        lambda t, n: t.segment_reduce(t.tensor(SHARES), "sum", lengths=n), [1, 2], [1, 7], "RuntimeError",
        "Expected all rows of lengths along axis to sum to",
    ),
    "istft": Case(
        lambda t, w: t.istft(t.ones(5, 6, dtype=t.complex64), 8, window=w), [1.0] * 8, [0.0] * 8, "RuntimeError",
        "window overlap add min: 1",
    ),
    "distributions (parameters)": Case(
        lambda t, s: t.distributions.Normal(0.0, s).log_prob(t.tensor(1.0)), 1.0, -1.0, "ValueError", "Expected parameter scale"
    ),
    "distributions (values)": Case(
        lambda t, x: t.distributions.Exponential(1.0).log_prob(x), 1.0, -1.0, "ValueError", "Expected value argument"
    ),
}  # fmt: skip

CASES: dict[str, Case] = {**MATRICES, **INDICES, **OTHERS}

AT_THE_CALL, AT_THE_READ, NOT_AT_ALL, NO_GRADIENT = "call", "read", "no", "–"


def _eager(t: Any, c: Case, x: Any) -> Any:
    return c.call(t, x)


def _computed(t: Any, c: Case, x: Any) -> Any:
    return c.call(t, x + 0 if x.dtype is not t.bool else x & True)


def _mapped(t: Any, c: Case, x: Any) -> Any:
    good = t.tensor(c.good, dtype=x.dtype)
    return t.vmap(lambda x: c.call(t, x), randomness="different")(t.stack([good, x]))


def _differentiated(t: Any, c: Case, x: Any) -> Any:
    return t.func.grad(lambda x: c.call(t, x).sum())(x)


def _compiled(t: Any, c: Case, x: Any) -> Any:
    compiled, good = t.compile(lambda x: c.call(t, x)), t.tensor(c.good, dtype=x.dtype)
    for _ in range(2):  # recorded, and replayed
        compiled(good)
    return compiled(x)


def _scanned(t: Any, c: Case, x: Any) -> Any:
    good = t.tensor(c.good, dtype=x.dtype)

    def step(carry: Any, x: Any) -> tuple:
        return carry + 0, c.call(t, x).clone()

    return t._higher_order_ops.scan(step, t.zeros(()), t.stack([good, x]))[1]


WAYS = {
    "values from data": _eager,
    "computed values": _computed,
    "`vmap`": _mapped,
    "`func.grad`": _differentiated,
    "`torch.compile`": _compiled,
    "`scan`": _scanned,
}


def raised(t: Any, c: Case, way: str) -> tuple[str, Exception | None]:
    """When the error comes, and the error."""
    x = t.tensor(c.bad, dtype=None if c.dtype is None else getattr(t, c.dtype))
    if way == "`func.grad`" and not x.is_floating_point():
        return NO_GRADIENT, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            out = WAYS[way](t, c, x)
        except Exception as error:
            return AT_THE_CALL, error
        try:
            out.tolist()
        except Exception as error:
            return AT_THE_READ, error
    return NOT_AT_ALL, None


def table(t: Any) -> Iterator[str]:
    """The lines of the page's table."""
    yield f"| Op | Error | {' | '.join(WAYS)} |\n"
    yield f"|{'---|' * (2 + len(WAYS))}\n"
    for name, c in CASES.items():
        yield f"| `{name}` | {c.error} | {' | '.join(raised(t, c, way)[0] for way in WAYS)} |\n"


def page_with(lines: str) -> str:
    """The page with this table."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return before + BEGIN + lines + END + rest.partition(END)[2]


if __name__ == "__main__":
    import functorch_lite

    made = page_with("".join(table(functorch_lite)))
    if "--write" in sys.argv:
        PAGE.write_text(made)
    else:
        print(made)
