"""Arguments and values that PyTorch refuses: numbers that are None, or would lose a gradient, indices out of range,
results of another dtype."""

from __future__ import annotations

import re

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F

NONE = {
    "arange(end)": lambda: torch.arange(0, end=None),
    "arange(step)": lambda: torch.arange(0, 3, step=None),
    "eye": lambda: torch.eye(2, m=None),
    "trapezoid(dx)": lambda: torch.trapezoid(torch.ones(3), dx=None),
    "trapezoid(x)": lambda: torch.trapezoid(torch.ones(3), x=None),
    "trapz": lambda: torch.trapz(torch.ones(3), dx=None),
    "cumulative_trapezoid": lambda: torch.cumulative_trapezoid(torch.ones(3), dx=None),
    "bernoulli": lambda: torch.bernoulli(torch.ones(3), p=None),
    "kaiser_window": lambda: torch.kaiser_window(3, beta=None),
    "kaiser_window of text": lambda: torch.kaiser_window(3, beta="a"),
    "embedding": lambda: F.embedding(torch.tensor([0]), torch.ones(2, 2), max_norm="a"),
    "squeeze": lambda: torch.ones(1).squeeze(None),
    "squeeze_": lambda: torch.ones(1).squeeze_(dim=None),
    "normal(mean)": lambda: torch.normal(None, 1.0, (2,)),
    "normal(std)": lambda: torch.normal(torch.ones(2), None),
    "trapz of a complex step": lambda: torch.trapz(torch.ones(3), dx=1j),
    "gradient": lambda: torch.gradient(torch.ones(3, 3), spacing=None, dim=(0, 1)),
    "gradient of a list": lambda: torch.gradient(torch.ones(3), spacing=[None]),
    "matrix_rank of a complex tolerance": lambda: torch.linalg.matrix_rank(torch.eye(2), tol=1j),
    "var with a correction but no dim": lambda: torch.var(torch.ones(3), unbiased=False, keepdim=True),
    "std_mean with a correction but no dim": lambda: torch.std_mean(torch.ones(3), True, keepdim=True),
    "a Size of floats": lambda: torch.Size([2.0, 3]),
    "one_hot of a float": lambda: F.one_hot(torch.tensor([0]), -1.0),
    "scatter of two": lambda: torch.zeros(2).scatter(0, torch.tensor([0]), 1, value=2),
    "scatter_ of two": lambda: torch.zeros(2).scatter_(
        0, torch.tensor([0]), torch.ones(1), value=torch.tensor(2)
    ),
    "eye of a float": lambda: torch.eye(2, 2.0),
    "RNN of True": lambda: torch.nn.RNN(4, True),
    "matrix_rank of nothing": lambda: torch.linalg.matrix_rank(),
    "pinv of a complex tolerance": lambda: torch.linalg.pinv(torch.eye(2), rtol=1j),
}


def _learned():
    return torch.tensor(0.5, requires_grad=True)


_X = [0.3, -0.7]
LEARNED = {
    "leaky_relu": lambda: F.leaky_relu(torch.tensor(_X), _learned()),
    "softplus": lambda: F.softplus(torch.tensor(_X), threshold=_learned()),
    "elu": lambda: F.elu(torch.tensor(_X), _learned()),
    "rrelu": lambda: F.rrelu(torch.tensor(_X), _learned()),
    "add": lambda: torch.tensor(_X).add(torch.tensor(_X), alpha=_learned()),
    "addmm": lambda: torch.addmm(torch.eye(2), torch.eye(2), torch.eye(2), beta=_learned()),
    "layer_norm": lambda: F.layer_norm(torch.eye(2), (2,), eps=_learned()),
    "dropout": lambda: F.dropout(torch.tensor(_X), _learned()),
    "hinge_embedding_loss": lambda: F.hinge_embedding_loss(torch.tensor(_X), torch.ones(2), _learned()),
    "full": lambda: torch.full((2,), _learned()),
    "arange": lambda: torch.arange(_learned()),
    "bernoulli": lambda: torch.bernoulli(torch.tensor(_X), _learned()),
    "uniform_": lambda: torch.ones(2).uniform_(_learned(), 1.0),
    "gradient": lambda: torch.gradient(torch.tensor(_X), spacing=_learned()),
}

_SQUARE = [[2.0, 1.0], [1.0, 3.0]]
OUTS = {
    "inv": lambda a, out: torch.linalg.inv(a, out=out[0]),
    "solve": lambda a, out: torch.linalg.solve(a, a, out=out[0]),
    "cholesky": lambda a, out: torch.linalg.cholesky(a, out=out[0]),
    "lu": lambda a, out: torch.linalg.lu(a, out=out),
    "lu_unpack": lambda a, out: torch.lu_unpack(*torch.linalg.lu_factor(a), out=out),
    "lu_factor": lambda a, out: torch.linalg.lu_factor(a, out=(out[0], torch.empty(0, dtype=torch.int32))),
    "ldl_factor": lambda a, out: torch.linalg.ldl_factor(a, out=(out[0], torch.empty(0, dtype=torch.int32))),
    "qr": lambda a, out: torch.qr(a, out=out[:2]),
    "svd": lambda a, out: torch.svd(a, out=out),
}

_MATRIX, _CUBE = (3, 4), (3, 4, 2)
INDICES = {
    "select": (lambda: torch.zeros(3).index_select(0, torch.tensor([5])), IndexError, "index out of range in self"),
    "select of rows": (lambda: torch.zeros(_MATRIX).index_select(0, torch.tensor([-1])), IndexError, "index out of range in self"),
    "select of columns": (lambda: torch.zeros(_MATRIX).index_select(-1, torch.tensor([0, 7])), RuntimeError, "INDICES element is out of DATA bounds, id=7 axis_dim=4"),
    "select of the last dim": (lambda: torch.zeros(_CUBE).index_select(-1, torch.tensor([5])), IndexError, "index out of range in self"),
    "add": (lambda: torch.zeros(3).index_add(0, torch.tensor([5]), torch.ones(1)), IndexError, "index out of range in self"),
    "add to columns": (lambda: torch.zeros(_MATRIX).index_add(-1, torch.tensor([5]), torch.ones(3, 1)), RuntimeError, "index 5 is out of bounds for dimension 1 with size 4"),
    "add to the middle": (lambda: torch.zeros(_CUBE).index_add(1, torch.tensor([5]), torch.ones(3, 1, 2)), IndexError, "index out of range in self"),
    "copy": (lambda: torch.zeros(3).index_copy(-1, torch.tensor([5]), torch.ones(1)), IndexError, "index_copy_(): index 5 is out of bounds for dimension 0 with size 3"),
    "fill": (lambda: torch.zeros(3).index_fill(-1, torch.tensor([5]), 1), IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
    "reduce": (lambda: torch.zeros(_MATRIX).index_reduce(1, torch.tensor([5]), torch.ones(3, 1), "amax"), IndexError, "index out of range in self"),
    "gather": (lambda: torch.zeros(_MATRIX).gather(-1, torch.tensor([[5]])), RuntimeError, "index 5 is out of bounds for dimension 1 with size 4"),
    "scatter": (lambda: torch.zeros(_MATRIX).scatter(-1, torch.tensor([[5]]), 1), RuntimeError, "index 5 is out of bounds for dimension 1 with size 4"),
}  # fmt: skip


@pytest.mark.parametrize("case", NONE)
def test_a_number_that_is_given_is_no_none(case):
    with pytest.raises(TypeError):
        NONE[case]()


def test_a_size_is_of_ints():
    size = torch.Size([2, True, torch.tensor(3)])
    assert size == (2, 1, 3) and [type(n) for n in size] == [int] * 3 and size[1:] + (4,) == (1, 3, 4)


def test_huber_loss_of_two_dtypes_has_no_derivative():
    x, target = torch.ones(2, requires_grad=True), torch.zeros(2, dtype=torch.float64)
    loss = F.huber_loss(x, target)
    assert loss.item() == 0.5
    with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
        loss.backward()


def test_betas_are_of_one_kind():
    with pytest.raises(ValueError, match="betas must be either both floats or both Tensors"):
        torch.optim.Adam([torch.ones(1, requires_grad=True)], betas=(0, 0.9))


@pytest.mark.parametrize("case", LEARNED)
def test_a_number_loses_no_gradient(case):
    with pytest.raises(TypeError, match="Tensor"):
        LEARNED[case]()


def test_what_a_keyword_must_be_is_told_without_its_position():
    with pytest.raises(TypeError, match=re.escape("add(): argument 'alpha' must be Number, not Tensor")):
        torch.add(torch.ones(2), torch.ones(2), alpha=_learned())


def test_ends_of_even_steps_have_no_derivative():
    assert not torch.linspace(0, _learned(), 3).requires_grad
    assert not torch.logspace(_learned(), 1, 3).requires_grad


def test_a_number_in_a_function_of_tensors_has_its_gradient():
    size = _learned()
    F.local_response_norm(torch.ones(1, 2, 3), 2, alpha=size).sum().backward()
    assert size.grad.item() < 0
    size = _learned()
    F.gaussian_nll_loss(torch.ones(2), torch.ones(2), 0.1, eps=size)
    F.normalize(torch.tensor(_X), dim=0, eps=_learned() * 4).sum().backward()
    assert size.grad is None


@pytest.mark.parametrize("case", OUTS)
def test_a_result_is_not_cast_into_out(case):
    a = torch.tensor(_SQUARE)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float, but got double instead"):
        OUTS[case](a, (torch.empty(0, dtype=torch.float64), torch.empty(0), torch.empty(0)))
    OUTS[case](a, (torch.empty(0), torch.empty(0), torch.empty(0)))


def test_numbers_of_one_dtype_are_not_cast_into_out():
    a, wide = torch.tensor(_SQUARE), torch.empty(2, 2, dtype=torch.float64)
    calls = (
        lambda: torch.abs(a, out=wide),
        lambda: torch.clamp_min(a, 1, out=wide),
        lambda: torch.clamp_max(a, 1, out=wide),
        lambda: torch.inner(a, a, out=wide),
        lambda: torch.max(a, 0, out=(wide, torch.empty(2, dtype=torch.int64))),
    )
    for call in calls:
        with pytest.raises(RuntimeError, match="dtype"):
            call()


MANY = 2**44
HUGE = {
    "made": lambda: torch.arange(MANY),
    "written": lambda: torch.zeros(MANY, out=torch.ones(2)),
    "broadcast": lambda: torch.ones(2**22, 1) + torch.ones(2**22),
    "repeated": lambda: torch.ones(2).repeat(MANY),
    "transformed": lambda: torch.fft.fft(torch.ones(2), n=MANY),
    "counted": lambda: torch.bincount(torch.tensor([1]), minlength=MANY),
    "chosen": lambda: torch.combinations(torch.ones(1000), 5),
}


@pytest.mark.parametrize("case", HUGE)
def test_what_no_memory_holds_is_refused_at_once(case):
    with pytest.raises(RuntimeError, match="allocate"):
        HUGE[case]()


def test_what_is_refused_changes_nothing():
    out = torch.ones(3)
    with pytest.raises(RuntimeError, match="allocate"):
        torch.linspace(0, 1, MANY, out=out)
    assert out.tolist() == [1.0, 1.0, 1.0]
    assert torch.zeros(MANY, device="meta").exp().shape == torch.ones(1).expand(MANY).shape == (MANY,)


@pytest.mark.parametrize("case", INDICES)
def test_an_index_out_of_range_is_told_as_the_function_tells_it(case):
    call, error, sentence = INDICES[case]
    with pytest.raises(error, match=re.escape(sentence)):
        call()


_LONG = 2**70
_DIMS = {
    "an int": lambda: torch.ones(3).sum(_LONG),
    "a count": lambda: torch.ones(3).topk(_LONG),
    "a count of pieces": lambda: torch.ones(3).split(_LONG),
    "a keyword": lambda: torch.bincount(torch.tensor([1]), minlength=-_LONG),
}
_TUPLES = {
    "dims": lambda: torch.ones(3, 3).sum((0, _LONG)),
    "a size": lambda: torch.zeros(1, _LONG),
    "widths": lambda: F.pad(torch.ones(3), (0, _LONG)),
}


def test_ints_of_more_than_64_bits():
    for call in _DIMS.values():
        with pytest.raises(ValueError, match="Overflow when unpacking long long"):
            call()
    for call in _TUPLES.values():
        with pytest.raises(
            TypeError,
            match='failed to unpack the object at pos 2 with error "Overflow when unpacking long long',
        ):
            call()


def test_out_is_not_written_by_a_call_that_fails():
    """PyTorch's kernels write until they meet the index."""
    x, index, out = torch.zeros(2, 2), torch.tensor([[0, 5]]), torch.full((2, 2), 7.0)
    for call in (
        lambda: torch.scatter_add(x, 0, index, torch.ones(1, 2), out=out),
        lambda: torch.scatter(x, 0, index, value=1, out=out),
        lambda: torch.gather(x, 0, index, out=out),
        lambda: torch.take(x, index, out=out),
    ):
        with pytest.raises((RuntimeError, IndexError), match=r"out of (range|bounds)"):
            call()
        assert out.tolist() == [[7.0, 7.0]] * 2


_KINDS = {
    "std of real numbers into complex ones": (lambda: torch.std(torch.ones(2, 3), 0, out=torch.zeros(3, dtype=torch.complex64)), NotImplementedError, "\"std_cpu\" not implemented for 'ComplexFloat'"),
    "random numbers from None": (lambda: torch.ones(3).random_(None), TypeError, "random_() received an invalid combination of arguments - got (NoneType)"),
    "vectors of other sizes": (lambda: torch.linalg.vecdot(torch.ones(1), torch.ones(3)), RuntimeError, "inconsistent tensor size, expected tensor [1] and src [3] to have the same number"),
    "bytes as classes of pixels": (lambda: F.cross_entropy(torch.ones(1, 3, 2), torch.zeros(1, 2, dtype=torch.uint8)), RuntimeError, "expected scalar type Long but found Byte"),
    "bytes as weighted, smoothed classes": (lambda: F.cross_entropy(torch.ones(1, 3), torch.zeros(1, dtype=torch.uint8), torch.ones(3), label_smoothing=0.1), RuntimeError, "gather(): Expected dtype int32/int64 for index"),
    "a tensor as kernel": (lambda: F.max_unpool1d(torch.ones(1, 1, 1), torch.zeros(1, 1, 1, dtype=torch.int64), torch.tensor(2)), TypeError, "iteration over a 0-d tensor"),
    "a matrix of another dtype": (lambda: torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2)).log_prob(torch.eye(2, dtype=torch.float64)), RuntimeError, "Expected b and A to have the same dtype, but found b of type Double and A of type Float"),
    "a matrix of halves": (lambda: torch.distributions.constraints.positive_definite.check(torch.eye(2, dtype=torch.float16)), NotImplementedError, "\"cholesky_cpu\" not implemented for 'Half'"),
    "a crop of more than there is": (lambda: F.pad(torch.ones(2), (2, -3)), RuntimeError, "narrow(): length must be non-negative."),
    "bools without themselves": (lambda: torch.ones(2).bool().index_reduce(0, torch.tensor([0]), torch.ones(1).bool(), "amax", include_self=False), NotImplementedError, "\"index_reduce_func_exclude_input_init\" not implemented for 'Bool'"),
    "lengths of bytes": (lambda: torch.segment_reduce(torch.ones(2), "sum", lengths=torch.tensor([2], dtype=torch.int8)), NotImplementedError, "\"_segment_reduce_lengths_cpu_kernel1\" not implemented for 'Char'"),
    "a divisor that is 0 in its dtype": (lambda: torch.ones(2, dtype=torch.int8).fmod(256), RuntimeError, "ZeroDivisionError"),
    "a complex parameter": (lambda: torch.distributions.Exponential(1j), ValueError, "must all be instances of Number"),
    "an int that halves do not hold": (lambda: torch.ones(2, 2, dtype=torch.int8).fill_diagonal_(2**40), RuntimeError, "value cannot be converted to type int8_t without overflow"),
}  # fmt: skip


@pytest.mark.parametrize("case", _KINDS)
def test_arguments_of_a_kind_that_a_function_has_no_kernel_for(case):
    call, error, sentence = _KINDS[case]
    with pytest.raises(error, match=re.escape(sentence)):
        call()


def test_the_target_of_a_soft_margin_loss_has_no_derivative():
    x, target = torch.ones(3).requires_grad_(), torch.ones(3).requires_grad_()
    with pytest.raises(
        RuntimeError, match="'soft_margin_loss' is not differentiable with respect to argument 'target'"
    ):
        F.soft_margin_loss(x, target)
    with torch.no_grad():
        F.soft_margin_loss(x, target)


_NAN, _INF = float("nan"), float("inf")
_MATRICES = [
    ([[1.0, _NAN], [_NAN, 1]], 2),
    ([[_NAN, 0], [0, 1]], 1),
    ([[4.0, 0, 0], [2, _NAN, 0], [1, 1, 9]], 2),
    ([[4.0, 0, 0], [1, 9, 0], [_NAN, 1, 9]], 3),
    ([[4.0, 0, 0], [1, 9, 0], [_INF, 1, 9]], 3),
    ([[_INF, 0], [0, 1.0]], 2),
    ([[1.0, 0], [0, _INF]], 0),
    ([[1.0, 0, 0], [0, _INF, 0], [0, 0, 1]], 3),
    ([[2.0, 0], [1, 2]], 0),
]


@pytest.mark.parametrize(("matrix", "info"), _MATRICES, ids=str)
def test_cholesky_tells_of_what_is_not_finite(matrix, info):
    a = torch.tensor(matrix)
    assert torch.linalg.cholesky_ex(a).info.item() == info
    assert torch.linalg.cholesky_ex(torch.stack([torch.eye(len(matrix)), a])).info.tolist() == [0, info]
    if info:
        with pytest.raises(
            torch.linalg.LinAlgError, match=f"the leading minor of order {info} is not positive-definite"
        ):
            torch.linalg.cholesky(a)


_NORMS = [(0, 1.0, 3), (-_INF, 0.5, 1), (_INF, 1.0, 2), (2, 1.0, 3), (1, 1.0, 5)]


@pytest.mark.parametrize(("norm_type", "max_norm", "norm"), _NORMS)
def test_rows_of_an_embedding_are_scaled_to_a_norm_of_any_order(norm_type, max_norm, norm):
    weight = torch.tensor([[1.0, 2, 2], [0, 0, 0]])
    F.embedding(torch.tensor([0, 1]), weight, max_norm=max_norm, norm_type=norm_type)
    np.testing.assert_allclose(
        weight.numpy(), [[s * max_norm / norm for s in (1, 2, 2)], [0, 0, 0]], rtol=1e-6
    )


@pytest.mark.parity
def test_what_is_refused_here_is_refused_by_pytorch(monkeypatch):
    theirs = pytest.importorskip("torch")
    monkeypatch.setitem(globals(), "torch", theirs)
    monkeypatch.setitem(globals(), "F", theirs.nn.functional)
    for case in NONE:
        test_a_number_that_is_given_is_no_none(case)
    for case in LEARNED:
        test_a_number_loses_no_gradient(case)
    for case in OUTS:
        test_a_result_is_not_cast_into_out(case)
    test_numbers_of_one_dtype_are_not_cast_into_out()
    test_what_a_keyword_must_be_is_told_without_its_position()
    test_ends_of_even_steps_have_no_derivative()
    test_a_number_in_a_function_of_tensors_has_its_gradient()
    for case in HUGE:
        test_what_no_memory_holds_is_refused_at_once(case)
    for case in INDICES:
        test_an_index_out_of_range_is_told_as_the_function_tells_it(case)
    test_ints_of_more_than_64_bits()
    for case in _KINDS:
        test_arguments_of_a_kind_that_a_function_has_no_kernel_for(case)
    for matrix, info in _MATRICES:
        test_cholesky_tells_of_what_is_not_finite(matrix, info)
    for case in _NORMS:
        test_rows_of_an_embedding_are_scaled_to_a_norm_of_any_order(*case)
    test_the_target_of_a_soft_margin_loss_has_no_derivative()
    test_huber_loss_of_two_dtypes_has_no_derivative()
    test_a_size_is_of_ints()
    test_betas_are_of_one_kind()
