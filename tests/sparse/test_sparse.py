"""Sparse tensors in all forms: what they give is what dense ones give, and, beside PyTorch, in the same form and
pattern."""

from __future__ import annotations

import copy
import warnings

import pytest

import functorch_lite as torch
from functorch_lite._core.lazy.tensor import Tensor


def inputs(M):
    """Sparse tensors of every form, and a dense one."""
    i = M.tensor([[0, 1, 1, 2], [2, 0, 2, 1]])
    v = M.tensor([3.0, 4.0, 5.0, -1.0])
    s = M.sparse_coo_tensor(i, v, (3, 4)).coalesce()
    batch = M.tensor([[[0.0, 1], [2, 0]], [[3, 0], [0, 4]]])
    return {
        "s": s,
        "u": M.sparse_coo_tensor(M.tensor([[0, 1, 1, 1], [2, 0, 2, 2]]), v, (3, 4)),
        "h": M.sparse_coo_tensor(i, M.arange(8.0).reshape(4, 2), (3, 4, 2)).coalesce(),
        "e": M.sparse_coo_tensor((2, 3)),
        "d": M.arange(12.0).reshape(3, 4),
        "c": s.to_sparse_csr(),
        "cc": s.to_sparse_csc(),
        "b": M.arange(1.0, 17.0).reshape(4, 4).to_sparse_bsr((2, 2)),
        "B": batch.to_sparse_csr(),
        "D": M.sparse_csr_tensor([0, 1, 2], [1, 0], [[1.0, 2.0], [3.0, 4.0]]),
        "batch": batch,
    }


SAME_AS_DENSE = """
s * 2 | 2 * s | s / 2 | s // 2 | s * s | s * u | u * u | h * h | h + h | s + u | s - u | s - s | c + c | c * c | c * 2 | b + b | cc + cc | b * 2
s * d | d * s | c * d | d * c | d + s | d - s | d + c | c + d | torch.add(d, s, alpha=2) | torch.add(s, s, alpha=2) | d.add(s) | s.mul(s)
torch.div(s, 2, rounding_mode="floor") | s ** 2 | torch.pow(s, 2) | -s | abs(s) | torch.neg(b) | B * 2 | D * D | B + B | B + batch
torch.sin(s) | torch.sqrt(abs(c)) | u.tanh() | h.abs() | torch.expm1(b) | torch.sign(cc) | torch.relu(s) | torch.nn.functional.relu(s) | s.square() | torch.isnan(s)
s.sum() | u.sum() | c.sum() | h.sum() | s.sum(0) | s.sum(1) | s.sum((0, 1)) | h.sum(2) | h.sum((0, 2)) | h.sum((0, 1)) | torch.sum(c, 1, keepdim=True)
torch.sum(s, 0, keepdim=True) | s.norm() | s.any() | s.t() | h.transpose(0, 1) | s.T | s.mT | c.t() | b.t() | cc.transpose(0, 1) | B.mT
s.permute(1, 0) | torch.permute(h, (1, 0, 2)) | s[0] | u[1] | s[0, 2] | s[:, 1] | s[None] | h[1, 0] | h[..., 1] | c[0] | c[1, 2] | B[0] | B[1, 0] | D[0]
s.select(1, 1) | h.select(2, 0) | cc.select(1, 1) | s.index_select(1, torch.tensor([2, 0, 2])) | h.index_select(2, torch.tensor([1])) | s.narrow_copy(1, 1, 2)
torch.cat([s, u]) | torch.cat([s, u], 1) | torch.cat([h, h], 2) | torch.stack([s, u]) | torch.stack([s, u], 2) | torch.hstack([s, s]) | torch.vstack([s, s])
s.unsqueeze(1) | h.unsqueeze(-1) | s.clone() | s.double() | s.to(torch.complex64) | s.bool() | c.long() | s.detach() | e + e | e * 2 | e.sum() | e.t()
s @ d.t() | c @ d.t() | cc @ d.t() | b @ torch.ones(4, 2) | d.t() @ s | d.t() @ c | s @ d[0] | c @ d[0] | s @ s.t() | u @ u.t() | c @ c.t()
torch.mm(s, d.t()) | torch.mv(s, d[0]) | torch.bmm(torch.stack([s, u]), torch.ones(2, 4, 2)) | torch.addmm(torch.ones(3, 3), s, d.t(), beta=2, alpha=3)
torch.nn.functional.linear(torch.ones(2, 4), s) | torch.nn.functional.linear(torch.ones(2, 4), c, torch.ones(3)) | torch.mm(s, s.t())
""".replace("\n", " | ").split(" | ")  # fmt: skip

OF_FORMS = """
s._indices() | u._values() | s.values() | c.values() | c.crow_indices() | b.col_indices() | cc.ccol_indices() | B.crow_indices() | D.values()
u.coalesce() | u.is_coalesced() | s.unsqueeze(0).is_coalesced() | s._nnz() | B._nnz() | (D.sparse_dim(), D.dense_dim()) | (h.sparse_dim(), h.dense_dim())
d.to_sparse(1) | c.to_sparse() | B.to_sparse() | D.to_sparse() | b.to_sparse() | B.to_sparse_csc() | D.to_sparse_csc() | c.to_sparse_bsr((3, 2))
D.to_sparse_bsr((1, 1)) | batch.to_sparse_csr(dense_dim=1) | batch.to_sparse_bsr((1, 2)) | batch.to_sparse(2).to_sparse_csr() | D.to_dense() | B.to_dense()
torch.ones(2, 4, 4, 3).to_sparse_bsr((2, 2), dense_dim=1) | torch.sparse_csr_tensor([[0, 1], [0, 1]], [[0], [1]], [[1.0], [2.0]])
torch.sparse_bsr_tensor([0, 1, 2], [0, 1], torch.ones(2, 2, 3, 4)) | torch.sparse_csr_tensor([0, 1], [0], [[1.0, 2.0]], (1, 1, 2))
s.sparse_mask(u.coalesce()) | d.sparse_mask(s) | d.sparse_mask(c) | d.sparse_mask(cc) | batch.sparse_mask(B) | batch.sparse_mask(D) | torch.zeros_like(s)
torch.zeros_like(c) | torch.zeros_like(c, layout=torch.sparse_csc) | torch.zeros_like(b, layout=torch.sparse_bsc) | torch.zeros_like(B) | torch.ones_like(s, layout=torch.strided) | s.new_zeros(2, 3) | B.select(0, 1) | D.select(2, 0)
torch.sparse.softmax(s, 0) | torch.sparse.softmax(s, -1) | torch.sparse.softmax(h, 0) | torch.sparse.softmax(h, 2) | torch.sparse.softmax(u, 1)
torch.sparse.log_softmax(s, 1) | torch.sparse.log_softmax(h, 1) | torch.sparse.log_softmax(s, 1, dtype=torch.float64) | torch.smm(s, d.t())
torch.sparse.sampled_addmm(c, torch.ones(3, 2), torch.ones(2, 4), beta=0.5, alpha=2) | torch.sparse.mm(c, d.t(), "mean") | torch.sparse.mm(c, d.t(), reduce="amin")
torch.sparse.mm(c, d.t(), "amax") | torch.sparse.addmm(torch.ones(3, 3), s, d.t(), alpha=2) | s.type() | s.stride() | s.is_contiguous() | len(s)
s.to_sparse(1) | s / d | s + d | s ** 0 | h.transpose(0, 2) | h.t() | B.t() | B.transpose(0, 1) | torch.cat([s, d]) | s.reshape(12) | s.expand(2, 3, 4)
s.crow_indices() | c.indices() | c.coalesce() | s[5] | s.select(2, 0) | bool(s) | s.item() | s.numpy() | torch.sparse.mm(s, d) | d.to_sparse(0) | d.to_sparse(3)
torch.tensor([[[0.0, 1], [2, 0]], [[3, 0], [0, 0]]]).to_sparse_csr() | torch.eye(4).to_sparse().to_sparse_bsr((3, 2))
""".replace("\n", " | ").split(" | ")  # fmt: skip

PROGRAMS = [p.strip() for p in (*SAME_AS_DENSE, *OF_FORMS) if p.strip()]


def _digits(dense, M):
    return [f"{v:.4g}" for v in M.real(dense).double().reshape(-1).tolist()]


def told(x, M):
    """What two libraries should give alike."""
    if not isinstance(x, M.Tensor):
        return x
    form = (str(x.layout), str(x.dtype), tuple(x.shape))
    if str(x.layout) == "torch.strided":
        return *form, _digits(x.detach(), M)
    parts = x.detach()
    pattern: tuple = (parts._nnz(), parts.sparse_dim(), parts.dense_dim())
    if parts.is_sparse:
        pattern = (*pattern, parts.is_coalesced())
    return *form, pattern, _digits(parts.to_dense(), M)


def outcome(program, M):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = inputs(M)
        try:
            return told(eval(program, {"torch": M, **names}), M)
        except Exception as e:
            sentence = str(e).splitlines()[0]
            return type(e).__name__, sentence if type(e) is not NotImplementedError else ""


UNCOALESCED = ("s + u", "s - u", "s * u", "u * u", "torch.cat([s, u])", "torch.cat([s, u], 1)")
"""Where PyTorch says how many elements it holds before it adds those that are the same, which is not a promise."""


@pytest.mark.parity
@pytest.mark.parametrize("program", PROGRAMS)
def test_beside_pytorch(program):
    reference = pytest.importorskip("torch")
    ours, theirs = outcome(program, torch), outcome(program, reference)
    if program in UNCOALESCED:
        ours, theirs = (*ours[:3], ours[-1]), (*theirs[:3], theirs[-1])
    assert ours == theirs


@pytest.mark.parametrize("program", [p.strip() for p in SAME_AS_DENSE if p.strip()])
def test_same_as_dense(program):
    sparse = inputs(torch)
    dense = {k: v.to_dense() for k, v in sparse.items()}
    found = eval(program, {"torch": torch, **sparse})
    expected = eval(program, {"torch": torch, **dense})
    assert found.dtype is expected.dtype
    torch.testing.assert_close(found.to_dense(), expected.to_dense())


IN_PLACE = [
    "s.mul_(2)", "s.add_(u)", "s.sub_(u)", "s.div_(2)", "s.abs_()", "c.sin_()", "c.mul_(2)", "s.zero_()", "c.zero_()", "s.copy_(u)", "s.t_()",
    "s.__imul__(2)", "s.__iadd__(s)", "s.transpose_(0, 1)",
]  # fmt: skip


@pytest.mark.parametrize("program", IN_PLACE)
def test_in_place(program):
    sparse = inputs(torch)
    before = {k: v.to_dense().clone() for k, v in sparse.items()}
    name = program[0]
    assert eval(program, {"torch": torch, **sparse}) is sparse[name]
    eval(program, {"torch": torch, **before})
    torch.testing.assert_close(sparse[name].to_dense(), before[name])


def test_writing_to_dense_tensors():
    names = inputs(torch)
    d, s = names["d"], names["s"]
    expected = d + s.to_dense()
    d.add_(s)
    assert d.tolist() == expected.tolist()


def test_what_writes_in_place_is_seen_by_views_of_the_values():
    s = inputs(torch)["s"]
    v = s.values()
    s.mul_(2)
    assert v.tolist() == [6.0, 8.0, 10.0, -2.0]
    leaf = inputs(torch)["s"].requires_grad_()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.mul_(2)


GRADIENTS = [
    "torch.sin(s).to_dense()", "(s * s).to_dense()", "(s * d).to_dense()", "s @ d.t()", "(s @ s.t()).to_dense()", "torch.sparse.softmax(s, 1).to_dense()",
    "torch.sparse.log_softmax(s, 0).values()", "torch.stack([s, s * 2]).to_dense()", "s[1].to_dense()", "s.index_select(1, torch.tensor([2, 2])).to_dense()",
    "s.sum(0).to_dense()", "s.t().to_dense()", "d + s", "s.to_sparse_csr().to_dense()", "s.to_sparse_csr() @ d.t()", "s.to_sparse_bsr((3, 2)).to_dense()",
    "(s + u).to_dense()", "torch.mm(d.t(), s)", "s.norm()", "torch.sparse.mm(s.to_sparse_csr(), d.t(), 'mean')",
    "torch.sparse.sampled_addmm(s.to_sparse_csr(), d, d.t() @ d).to_dense()", "s.to_sparse_csc().t().to_dense()",
]  # fmt: skip


@pytest.mark.parametrize("program", GRADIENTS)
def test_gradients_reach_the_values(program):
    names = inputs(torch)

    def f(v, d):
        at = torch.tensor([[0, 1, 1, 2], [2, 0, 2, 1]])
        s = torch.sparse_coo_tensor(at, v, (3, 4), is_coalesced=True)
        return eval(program, {"torch": torch, **names, "s": s, "d": d})

    v = torch.tensor([3.0, 4.0, 5.0, -1.0], dtype=torch.float64, requires_grad=True)
    d = names["d"].double().requires_grad_()
    names["u"] = names["u"].double()
    assert torch.autograd.gradcheck(f, (v, d))


def test_a_gradient_is_sparse():
    s = inputs(torch)["s"].requires_grad_()
    (s * 3).to_dense().sum().backward()
    assert s.grad.layout is torch.sparse_coo and s.grad.values().tolist() == [3.0] * 4
    s.grad = None
    assert s.grad is None


@pytest.mark.parametrize("name", ["s", "u", "h", "e", "c", "cc", "b", "B", "D"])
def test_copies(name):
    s = inputs(torch)[name]
    again = copy.deepcopy(s)
    assert repr(again) == repr(s) and again.layout is s.layout
    again.zero_()
    assert repr(inputs(torch)[name]) == repr(s)


@pytest.mark.parity
@pytest.mark.parametrize("name", ["s", "u", "h", "e", "c", "cc", "b", "B", "D"])
def test_printed_as_pytorch_does(name):
    reference = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert repr(inputs(torch)[name]) == repr(inputs(reference)[name])


def test_invariants():
    bad = {
        r"`crow_indices\[..., 0\] == 0` is not satisfied": lambda: torch.sparse_csr_tensor([1, 1, 2], [0, 1], [1.0, 2.0]),
        "0 <= col_indices < ncols": lambda: torch.sparse_csr_tensor([0, 1, 2], [0, 5], [1.0, 2.0], (2, 3)),
        "number of rows . 1": lambda: torch.sparse_csr_tensor([0, 1, 2], [0, 1], [1.0, 2.0], (3, 2)),
        "must be divisible with blocksize": lambda: torch.sparse_bsr_tensor([0, 1, 2], [0, 1], torch.ones(2, 2, 2), (4, 5)),
        "dimensionalities must be equal": lambda: torch.sparse_csr_tensor([[0, 1], [0, 1]], [0], [1.0]),
        "found negative index -1": lambda: torch.sparse_coo_tensor([[0, -1]], [1.0, 2.0], (3,)),
        "values has incorrect size": lambda: torch.sparse_coo_tensor([[0, 1]], [[1.0, 2], [3, 4]], (3, 1)),
        "cannot set is_coalesced": lambda: torch.sparse_coo_tensor([[1, 0]], [1.0, 2.0], is_coalesced=True),
    }  # fmt: skip
    for sentence, fails in bad.items():
        with pytest.raises(RuntimeError, match=sentence):
            fails()
    swapped = ([0, 2], [1, 0], [1.0, 2.0])
    assert torch.sparse_csr_tensor(*swapped).to_dense().tolist() == [[2.0, 1.0]]
    with pytest.raises(RuntimeError, match="are sorted and distinct"):
        torch.sparse_csr_tensor(*swapped, check_invariants=True)


def test_everything_else_raises():
    s = inputs(torch)["s"]
    for fails in (
        lambda: torch.exp(s),
        lambda: s == s,
        lambda: s.max(),
        lambda: s + 1,
        lambda: s[0:1],
        lambda: torch.sort(s),
        lambda: s.mean(0),
    ):
        with pytest.raises(NotImplementedError, match="use to_dense"):
            fails()
    assert isinstance(s, Tensor) and torch.is_tensor(s)


@pytest.mark.parametrize("masked", [False, True])
def test_gradcheck_of_sparse_tensors(masked):
    check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    d = inputs(torch)["d"].double()
    for form in (d.to_sparse(), d.to_sparse_csr(), d.to_sparse_bsr((3, 2))):
        x = form.requires_grad_()
        assert check(lambda x: torch.sin(x) * 2, x, masked=masked)
        assert check(torch.sparse.mm, (x, d.t().detach().requires_grad_()), masked=masked)


def test_older_types_and_products():
    Float = torch.sparse.FloatTensor
    s = Float(torch.tensor([[0, 1], [1, 0]]), torch.tensor([2.0, 3.0]), torch.Size([2, 2]))
    assert s.to_dense().tolist() == [[0, 2], [3, 0]] and s.type() == "torch.sparse.FloatTensor"
    assert (
        isinstance(s, Float)
        and not isinstance(s, torch.sparse.DoubleTensor)
        and not isinstance(s.to_dense(), Float)
    )
    assert Float(2, 3).shape == Float(torch.Size([2, 3])).shape == (2, 3) and Float().shape == (0,)
    assert Float(2, 3)._nnz() == 0 and torch.sparse.LongTensor(2).dtype is torch.int64
    assert torch.dsmm(s, torch.eye(2)).tolist() == s.to_dense().tolist()
