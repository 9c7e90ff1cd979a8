"""Expressions that were answered otherwise than by PyTorch once, mostly found by the fuzzer: both raise the same, or
they agree.

A line of a table is Python, run with `torch` (and F, nn, optim) being PyTorch and then functorch_lite; its last
expression is compared. Every sixth line runs; all with FUNCTORCH_LITE_PARITY=full.
"""

from __future__ import annotations

import ast
import warnings
from typing import Any

import numpy as np
import pytest

import functorch_lite
import functorch_lite.optim
from functorch_lite._core.api import OutOfRange
from tests.fuzz import (
    expressions_of_arguments,
    expressions_of_checks,
    expressions_of_distances_and_draws,
    expressions_of_mathematics,
    expressions_of_numbers,
    expressions_of_optimizers,
    expressions_of_overloads,
    expressions_of_the_database,
)
from tests.support.full import FULL

pytestmark = pytest.mark.parity
MORE = (
    expressions_of_arguments,
    expressions_of_checks,
    expressions_of_distances_and_draws,
    expressions_of_mathematics,
    expressions_of_numbers,
    expressions_of_optimizers,
    expressions_of_overloads,
    expressions_of_the_database,
)

_STEPS = "\nfor i in range(3): o.step(lambda: [o.zero_grad(), l := ((p - 1)**4).sum() + (q**2).sum(), l.backward()][1])\ntorch.cat([p, q])"
_PQ = "p, q = nn.Parameter(torch.tensor([1., 2., 3.])), nn.Parameter(torch.tensor([4.]))\n"
_POOLED = "x, i = F.max_pool{0}d(torch.arange({1}.).reshape({2}), 2, return_indices=True)\n"
_POOLED_2D, _POOLED_3D = _POOLED.format(2, 16, "1, 4, 4"), _POOLED.format(3, 64, "1, 4, 4, 4")
_MASK = "torch.tensor([True, False, True])"
_BCE = "F.binary_cross_entropy_with_logits(torch.tensor([1., 2.]), torch.tensor({}), {} reduction='none')"
_PAIR = "torch.tensor([[1., 2.], [3., 5.]])"
_SOLVE = "torch.linalg.solve_triangular(torch.tensor([[2., 0], [2, 3]]){}, torch.tensor([[1.5 + 2j, .5], [2, 3]]){}, upper=False)"
_HUGE = "torch.tensor([1e20, -1e20, 1e13, -2e12, 1e6, float('inf'), 0.3])"
_POLYNOMIALS = (
    *(f"{kind}chebyshev_polynomial_{letter}" for kind in ("", "shifted_") for letter in "tuvw"),
    "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p",
)  # fmt: skip

OPTIMIZERS = (
    _PQ + "o = torch.optim.LBFGS([p, q, p], max_iter=7, lr=0.3)" + _STEPS,
    _PQ + "o = torch.optim.LBFGS([p, q, p], line_search_fn='strong_wolfe')" + _STEPS,
    *(_PQ + f"o = torch.optim.LBFGS([p, q], history_size={n})" + _STEPS for n in (-1, 2.5)),
    *(
        _PQ + f"o = torch.optim.{name}([p, q], weight_decay=True)" + _STEPS
        for name in ("RAdam", "SGD", "AdamW", "ASGD")
    ),
)

VALUES = (
    *(f"torch.special.{name}({_HUGE}, torch.arange(9.)[:, None])" for name in _POLYNOMIALS),
    *(_BCE.format("[1j, 0.5]", w) for w in ("", "weight=torch.tensor([1j, 2]),", "pos_weight=torch.ones(2),")),
    *(_BCE.format("[1., 0.5]", f"{w}=torch.tensor([1j, 2]),") for w in ("weight", "pos_weight")),
    _SOLVE.format("", ".real.double()"), _SOLVE.format(".double()", ".real"), _SOLVE.format("", ""),
    *(
        f"torch.{name}(torch.tensor({x}), 0, out=torch.empty({shape}, dtype=torch.{d}))"
        for name, shape in (("sum", "()"), ("prod", "()"), ("cumsum", "2"))
        for x, d in (("[0.5, 0.5]", "bool"), ("[1, 2]", "bool"), ("[0.5, 1.5]", "int32"), ("[1, 1j]", "float64"))
    ),
    "torch.prod(torch.tensor([1j, 2.]), 0, dtype=torch.bool)", "torch.sum(torch.tensor([1j, 0.]), 0, dtype=torch.bool)",
    *(
        f"torch.{name}(torch.tensor([0., 3.]), {bounds}, out=torch.empty(2, dtype=torch.{d}))"
        for name, bounds, d in (
            ("clip", "max=torch.ones(2)", "float64"), ("clamp", "torch.ones(2).double()", "float32"),
            ("clamp", "torch.ones(2)", "int64"), ("clip", "max=1.", "float64"), ("clamp", "max=1.", "float32"),
        )
    ),
    *(f"x = torch.ones(3, dtype=torch.{d})\nx[{_MASK}] = {v}\nx" for d in ("uint8", "bool") for v in ("0j", "1+1j")),
    f"torch.ones(3, dtype=torch.bool).masked_fill_({_MASK}, torch.tensor(0j))",
    *(_POOLED_2D + f"F.max_unpool2d(x, i, 2, padding=0.0{size})" for size in ("", ", output_size=(4, 4)")),
    *(_POOLED_3D + f"F.max_unpool3d(x, i, 2, padding={p})" for p in ("False", "0.0")),
    *(f"F.cross_entropy({_PAIR}, torch.tensor([0, 1]), label_smoothing={v})" for v in ("float('-inf')", -0.5, 1.5)),
    *(
        f"F.adaptive_{kind}_pool2d(torch.arange(16.).reshape(1, 4, 4), {size})"
        for kind in ("avg", "max")
        for size in ("torch.tensor([2, 1])", "torch.tensor(2)", "(True, True)", "2.0", "None", "(None, 2)")
    ),
    "F.local_response_norm(torch.ones(0, 4, 3), 0.5)",
    *(f"torch.ones({shape}, dtype=torch.complex64).{name}" for shape in ("()", "3", "2, 3", "1, 2, 3") for name in ("mT", "H", "mH")),
    *(
        f"F.pad(torch.ones({shape}), {(1,) * n}, mode='{mode}')"
        for shape, n in (("0, 2", 2), ("0, 2, 2", 2), ("1, 0, 2", 2), ("1, 0, 2, 2", 4), ("0, 2, 2, 2, 2", 6))
        for mode in ("replicate", "reflect", "circular")
    ),
    "torch.rrelu(torch.tensor([-1., 2.]), 0.25, 0.25, True, torch.Generator())",
    *(
        f"F.{name}(torch.ones(()), torch.tensor({target}), reduction='{r}')"
        for name in ("multi_margin_loss", "multilabel_margin_loss")
        for target in ("0", "[0]")
        for r in ("none", "mean")
    ),
    "F.multi_margin_loss(torch.ones(3), torch.tensor([0]), reduction='none')",
    *(f"torch.cat(torch.split(torch.arange(3.), {sizes})[1:])" for sizes in ("torch.tensor(2)", "torch.tensor([2])", "[torch.tensor(1), 2]")),
    *(
        f"torch.cat(torch.tensor_split(torch.arange(3.), {where})[1:])"
        for where in ("indices=(1, 2)", "sections=2", "tensor_indices_or_sections=torch.tensor([1])", "(1, True)")
    ),
    *(f"torch.nansum(torch.tensor([1, 2]), {dim}out=torch.tensor({out}))" for dim in ("", "0, ") for out in ("False", "1.")),
    *(f"torch.{name}(torch.tensor({x}), 0)[{i}]" for name in ("cummax", "cummin") for x in ("1j", "[]") for i in (0, 1)),
    *(f"F.pdist(torch.ones({shape}).half())" for shape in ("1, 2", "0, 2", "2, 0")),
    "torch.cdist(torch.ones(0, 2).half(), torch.ones(1, 2).half())",
    "torch.lgamma(torch.tensor([1., 2., 1.001, 1.999, 5., 1e-3]))", "torch.lgamma(torch.tensor([1., 2., 5.])) * 1e6",
    *(
        f"torch.distributions.{of}.log_prob(torch.tensor([.5, 1.2], dtype=torch.float64))"
        for of in ("Chi2(torch.tensor([1, 2]))", "Gamma(torch.ones(2), torch.tensor([1, 2]))", "Gamma(torch.ones(2), torch.ones(2))")
    ),
    "F.linear_cross_entropy(torch.ones(4), torch.ones(3, 4), torch.tensor([.2, .3, .5]), options=5)",
    *(f"torch.view_copy(torch.ones(1), {to})" for to in ("torch.int32", "(1, 1)", "dtype=torch.int32")),
)  # fmt: skip

REFUSED = (
    *(f"torch.{name}({_PAIR}, {given})" for name in ("median", "nanmedian") for given in ("keepdim=False", "out=torch.empty(())")),
    f"torch.mean({_PAIR}, keepdim=True)",
    *(f"torch.{name}({_PAIR}, out=torch.empty(()))" for name in ("sum", "prod")),
    "torch.index_fill(torch.ones(3), 0, torch.tensor([1]), 2., out=torch.empty(3))",
    f"torch.where({_MASK}, 1., torch.ones(3), out=torch.empty(3))", f"torch.where({_MASK}, out=torch.empty(3))",
    *(
        f"torch.{name}(3, torch.tensor([1, 2]), out=torch.empty(2, dtype=torch.int64))"
        for name in ("remainder", "bitwise_and", "bitwise_left_shift")
    ),
    "torch.float_power(torch.ones(2), 2, out=torch.empty(2))",
    "F.embedding_bag(torch.tensor([0, 1]), torch.ones(3, 2), torch.tensor([0]), sparse=5)",
    *(
        f"F.{call}, torch.ones({shape}), torch.ones({shape}), {flag}=True)"
        for shape in ("1, 3", "3, 1")
        for call, flag in (("batch_norm(torch.ones(2, 3)", "training"), ("instance_norm(torch.ones(2, 3, 2)", "use_input_stats"))
    ),
    "F.instance_norm(torch.ones(2, 3, 2), weight=torch.ones(1, 3))",
    "nn.LazyInstanceNorm3d()(torch.ones(2, 0, 3, 3, 3))", "nn.BatchNorm1d(0)(torch.ones(2, 0, 3))",
    "F.linear_cross_entropy(torch.ones(2, 3), torch.ones(4, 3), torch.tensor([0, 1]), options='junk')",
    *(f"torch.{call}, {g})" for call in ("poisson(torch.ones(2)", "binomial(torch.ones(2), torch.ones(2)") for g in (5, "torch.ones(2)")),
    "torch.rrelu(torch.ones(2), generator=5)",
    *(f"torch.rot90(torch.ones(2, 2), {k})" for k in (2**70, -(2**70))),
    *(f"torch.split(torch.ones(3), {sizes})" for sizes in ("[4, -1]", "[1., 2.]", "[True, 2]", "True", "range(1, 3)", "torch.tensor([1, 2])")),
    *(
        f"torch.tensor_split(torch.ones(3), {where})"
        for where in ("True", "(True, 1)", "1.", "(1.,)", "torch.tensor([1., 2.])", "torch.tensor([[1]])", "torch.tensor([True])")
    ),
    "torch.tensor_split(torch.ones(()), 1)", "torch.split_with_sizes(torch.ones(3), torch.tensor([1, 2]))",
    *(f"torch.{name}({_PAIR}, {dim})" for name in ("min", "max") for dim in ("True", "dim=True")),
    *(f"torch.{call}" for call in ("select(torch.ones(2), 0, True)", "select_copy(torch.ones(2), 0, True)", "select_scatter(torch.ones(2), torch.tensor(1.), 0, True)")),
    *(f"torch.slice_copy(torch.ones(3), {given})" for given in ("True", "0, True", "0, 1.", "0, 1, True", "0, 1, 2, True")),
    *(f"torch.{name}(size=2{more})" for name, more in (("rand", ""), ("randn", ""), ("ones", ""), ("empty", ""), ("full", ", fill_value=1."), ("normal", ", mean=0., std=1."))),
    *(
        f"torch.ones(1).{call}"
        for call in (
            "new_ones(size=2)", "new_full(2, 1.)", "view(size=1)", "expand(size=2)", "repeat(repeats=2)", "reshape(shape=1)",
            "permute(dims=0)", "flip(dims=0)", "tile(dims=2)", "resize_(size=2)", "sum_to_size(size=1)", "broadcast_to(size=2)",
        )
    ),
    "torch.full(2, 1.)", "torch.normal(0., 1., 2)", "torch.expand_copy(torch.ones(1), 1)", "torch.view_copy(torch.ones(1), 1)",
    "torch.normal(0., 1., (2,), requires_grad=1)", "torch.normal(0., 1., (2,), dtype=torch.int64)", "torch.tensor([1.], requires_grad=None)",
    "torch.ones(1).new_tensor([1.], requires_grad=None)", "torch.asarray(torch.ones(1), requires_grad=1)",
    *(f"torch.{name}_like(None{more})" for name, more in (("empty", ""), ("ones", ""), ("full", ", 1."))),
    *(f"torch.Tensor.{name}('max')" for name in ("random_", "uniform_")),
    *(f"torch.{call}" for call in ("pow([torch.ones(4)], 2.)", "pow(torch.ones(2), [torch.ones(3)])", "float_power([torch.ones(4)], 2)")),
    *(f"F.{name}(torch.ones(3), torch.ones(2{dtype}))" for name in ("nll_loss", "cross_entropy") for dtype in ("", ", dtype=torch.int32", ", dtype=torch.int64")),
    *(f"F.cross_entropy(torch.ones(()), torch.tensor({target}))" for target in ("1", "[1]", "1.", "[1.]")),
    "F.multilabel_soft_margin_loss(torch.ones(()), torch.tensor(1.))",
    *(f"F.{name}, reduction={r})" for name in ("poisson_nll_loss(torch.ones(2), torch.ones(2)", "gaussian_nll_loss(torch.ones(2), torch.ones(2), torch.ones(2)") for r in (None, 1)),
    *(f"F.embedding_bag(torch.tensor([[0, 1]]), torch.ones(3, 2, dtype=torch.{d}), mode='{m}')" for d, m in (("int64", "max"), ("complex64", "mean"), ("bool", "sum"))),
    "F.embedding_bag(torch.tensor([[0, 1]]), torch.ones(3))", "torch.embedding_bag(torch.ones(3), torch.tensor([0]), torch.tensor([0]))",
    *(f"torch.{name}({_PAIR}, 4, out=(torch.ones((), dtype=torch.float64), torch.tensor(0)))" for name in ("cummax", "cummin")),
    *(f"torch.nansum({x}, 0, {given})" for x, given in (
        ("torch.ones(2)", "out=torch.tensor(1)"), ("torch.ones(2)", "dtype=torch.float64, out=torch.ones(())"), ("torch.ones(2)", "dtype=torch.complex64"),
        ("torch.tensor([1j])", "dtype=5"),
    )),
    "torch.nansum(torch.tensor([1j]), ([1, 1], -1))", "torch.nansum(torch.tensor([1j]), 5)",
    *(f"torch.lu_unpack(torch.ones({shape}), torch.tensor([1], dtype=torch.int32))" for shape in ("()", "3")),
    "torch.addmv(torch.tensor(1.), torch.ones(2, 3), torch.ones(6))",
    *(
        f"{_PAIR}.{name}({dim}, torch.tensor([[0]]), {_PAIR}, reduce='bogus')"
        for name in ("scatter", "scatter_reduce")
        for dim in (0, 8)
    ),
    *(f"torch.distributions.Multinomial({n}, logits=torch.ones(2))" for n in (0.5, 2.0)),
    "torch.distributions.OneHotCategorical(probs=torch.ones(0, 3)).entropy()",
)  # fmt: skip


def _answer(module: Any, source: str) -> tuple[Any, BaseException | None]:
    body = ast.parse(source)
    last = ast.Expression(body.body.pop().value)  # type: ignore[attr-defined]
    names = {"torch": module, "F": module.nn.functional, "nn": module.nn}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(body, "<table>", "exec"), names)
            found = eval(compile(last, "<table>", "eval"), names).detach()
            return (
                str(found.dtype).removeprefix("torch."),
                tuple(found.shape),
                np.array(found.tolist()),
            ), None
    except Exception as error:
        return None, error


def _share(lines: list[str]) -> list[str]:
    return lines if FULL else lines[::6]


def _kind(error: Exception | None) -> type:
    """The class of an error; of an index out of range, which here is an IndexError too, PyTorch's RuntimeError."""
    return RuntimeError if isinstance(error, OutOfRange) else type(error)


@pytest.mark.parametrize(
    "source", _share([*OPTIMIZERS, *VALUES, *(line for table in MORE for line in table.VALUES)])
)
def test_agrees(source):
    torch = pytest.importorskip("torch")
    (want, refusal), (got, error) = _answer(torch, source), _answer(functorch_lite, source)
    assert _kind(error) is type(refusal), (error, refusal)
    if refusal is None:
        assert got[:2] == want[:2]
        np.testing.assert_allclose(got[2], want[2], rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("source", _share([*REFUSED, *(line for table in MORE for line in table.REFUSED)]))
def test_is_refused(source):
    torch = pytest.importorskip("torch")
    (_, refusal), (_, error) = _answer(torch, source), _answer(functorch_lite, source)
    assert refusal is not None and _kind(error) is type(refusal), (error, refusal)
