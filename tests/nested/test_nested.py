"""Nested tensors: each function is that of every part; structure, aliasing, errors."""

from __future__ import annotations

import copy
import pickle

import pytest

import functorch_lite as torch
from tests.support.full import FULL

from .cases import ERRORS, JAGGED, PARTS, WEIGHT, inputs

nested = torch.nested


def jagged():
    return inputs(torch, torch.jagged)[1:]


PER_PART = {
    "sin": lambda x: torch.sin(x),
    "linear": lambda x: torch.nn.functional.linear(x, torch.tensor(WEIGHT)),
    "rms_norm": lambda x: torch.nn.functional.rms_norm(x, (3,)),
    "softmax": lambda x: x.softmax(-1),
    "sum": lambda x: x.sum(-1, keepdim=True),
}


@pytest.mark.parametrize("layout", ["jagged", "strided"])
@pytest.mark.parametrize("name", PER_PART)
def test_every_part_by_itself(name, layout):
    if (name, layout) == ("rms_norm", "strided"):
        pytest.skip("not of the strided layout, as in PyTorch")
    fn = PER_PART[name]
    _, x, _ = inputs(torch, getattr(torch, layout))
    for part, expected in zip(fn(x), [fn(torch.tensor(p)) for p in PARTS], strict=True):
        torch.testing.assert_close(part.detach(), expected)


def test_softmax_and_attention_over_the_ragged_dim():
    x, y = jagged()
    for part, expected in zip(x.softmax(1), [torch.tensor(p).softmax(0) for p in PARTS], strict=True):
        torch.testing.assert_close(part.detach(), expected)
    q, k = [t.unflatten(-1, (3, 1)).transpose(1, 2) for t in (x, y)]
    attend = torch.nn.functional.scaled_dot_product_attention
    for causal in (False, True):
        for out, a, b in zip(attend(q, k, k, is_causal=causal), q, k, strict=True):
            torch.testing.assert_close(out, attend(a, b, b, is_causal=causal))


def test_what_it_says_of_itself():
    x, _ = jagged()
    assert (
        isinstance(x, torch.Tensor)
        and x.is_nested
        and x.layout is torch.jagged
        and not torch.ones(1).is_nested
    )
    assert x.dim() == x.ndim == 3 and len(x) == x.size(0) == 3 and x.size(-1) == 3 and x.numel() == 18
    assert x.offsets().tolist() == [0, 2, 3, 6] and x.lengths() is None and x.values().shape == (6, 3)
    j = x.size(1)
    assert isinstance(j, torch.SymInt) and j == (x * 2).size(1) and j != jagged()[0].size(1) and j != 2
    assert repr(x.shape) == f"torch.Size([3, {j}, 3])" and x.shape == torch.sin(x).shape
    assert (
        x.detach().__repr__()
        == f"NestedTensor(size=(3, {j}, 3), offsets=tensor([0, 2, 3, 6]), contiguous=True)"
    )
    assert not x.transpose(1, 2).is_contiguous() and x.transpose(1, 2).contiguous().is_nested
    s = inputs(torch, torch.strided)[1]
    assert s.is_nested and s.layout is torch.strided and s.size(0) == 3 and s.size(2) == 3
    with pytest.raises(RuntimeError, match="Given dimension 1 is irregular"):
        s.size(1)
    with pytest.raises(RuntimeError, match="may differ in every dim"):
        s.shape  # noqa: B018
    small = nested.nested_tensor([torch.ones(1), torch.zeros(2)])
    assert repr(small) == "nested_tensor([\n  tensor([1.]),\n  tensor([0., 0.])\n])"


def test_gradients_twice_and_modules():
    parts = [torch.tensor(p, requires_grad=True) for p in PARTS]
    x = nested.as_nested_tensor(parts, layout=torch.jagged)
    (first,) = torch.autograd.grad((x**3).values().sum(), parts[1], create_graph=True)
    torch.testing.assert_close(torch.autograd.grad(first.sum(), parts[1])[0], 6 * parts[1].detach())
    net = torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.GELU(), torch.nn.LayerNorm(4), torch.nn.Dropout(0.0)
    )
    out = net(x)
    assert out.shape == (3, x.size(1), 4)
    out.to_padded_tensor(0.0).sum().backward()
    assert net[0].weight.grad.shape == (4, 3) and parts[0].grad.shape == (2, 3)
    leaf = nested.nested_tensor(PARTS_AS_TENSORS(), layout=torch.jagged, requires_grad=True)
    (leaf * leaf).values().sum().backward()
    assert leaf.is_leaf and leaf.grad.is_nested
    torch.testing.assert_close(leaf.grad.values(), 2 * leaf.values().detach())


CHECKED = ("matmul over the ragged dim", "matmul from the left", "softmax ragged", "attention", "mean ragged", "amax ragged", "prod ragged",
           "dense padded")  # fmt: skip


@pytest.mark.parametrize("name", CHECKED if FULL else ("softmax ragged", "attention", "mean ragged"))
def test_gradients_through_padding(name):
    """Against differences: PyTorch has no backward for most of these."""

    def f(a, b):
        x = nested.as_nested_tensor([a, b, a * b[:2] + 3], layout=torch.jagged)
        torch.set_default_dtype(torch.float64)
        try:
            out = JAGGED[name](torch, x, x * 0.5 + 1)
        finally:
            torch.set_default_dtype(torch.float32)
        return out.values() if out.is_nested else out

    a, b = [torch.tensor(PARTS[i], dtype=torch.float64, requires_grad=True) for i in (0, 2)]
    assert torch.autograd.gradcheck(f, (a, b), atol=1e-4)


def PARTS_AS_TENSORS():
    return [torch.tensor(p) for p in PARTS]


def test_inside_transforms_and_eagerly():
    def f(a, b):
        return (
            nested.as_nested_tensor([a, b], layout=torch.jagged)
            .sin()
            .softmax(1)
            .to_padded_tensor(0.0)
            .square()
            .sum()
        )

    a, b = PARTS_AS_TENSORS()[0], PARTS_AS_TENSORS()[2]

    def plain(a):
        return a.sin().softmax(0).square().sum()

    torch.testing.assert_close(torch.func.grad(f)(a, b), torch.func.grad(plain)(a))
    stacked = torch.stack([a, 2 * a])
    torch.testing.assert_close(torch.vmap(f, (0, None))(stacked, b), torch.stack([f(a, b), f(2 * a, b)]))
    with torch.debug.eager():
        torch.testing.assert_close(f(a, b), plain(a) + plain(b))


def test_aliasing():
    values, offsets = torch.zeros(5, 2), torch.tensor([0, 2, 5])
    x = nested.nested_tensor_from_jagged(values, offsets)
    assert x.size(1) == nested.nested_tensor_from_jagged(values + 1, offsets).size(1)
    x.unbind()[1].add_(1)
    x[0] = 7.0
    x[1, 0] = torch.tensor([8.0, 9.0])
    assert values.tolist() == [[7.0, 7.0], [7.0, 7.0], [8.0, 9.0], [1.0, 1.0], [1.0, 1.0]]
    x.mul_(2)
    assert values[0].tolist() == [14.0, 14.0]
    parts = [torch.zeros(2), torch.zeros(3)]
    for layout in (torch.jagged, torch.strided):
        for make in (nested.nested_tensor, nested.as_nested_tensor):
            made = make(parts, layout=layout)
            made.add_(1)
            made[0].add_(1)
            assert made[0].tolist() == [2.0, 2.0] and parts[0].tolist() == [0.0, 0.0]
    rows = torch.zeros(2, 3)
    for layout in (torch.jagged, torch.strided):
        nested.as_nested_tensor(rows, layout=layout)[1].add_(1)
    assert rows.tolist() == [[0.0, 0.0, 0.0], [2.0, 2.0, 2.0]]


def test_holes():
    values = torch.arange(12.0).reshape(6, 2)
    h = nested.nested_tensor_from_jagged(values, torch.tensor([0, 2, 6]), torch.tensor([1, 3]))
    assert [p.tolist() for p in h + 1] == [[[1.0, 2.0]], [[5.0, 6.0], [7.0, 8.0], [9.0, 10.0]]]
    assert h.numel() == 8 and not h.is_contiguous() and h.lengths().tolist() == [1, 3]
    with pytest.raises(RuntimeError, match="call contiguous"):
        h.sum(1)
    assert h.contiguous().offsets().tolist() == [0, 1, 4] and h.contiguous().sum(1).tolist() == [
        [0.0, 1.0],
        [18.0, 21.0],
    ]
    x = nested.narrow(
        torch.arange(6).reshape(2, 3), 1, torch.tensor([1, 0]), torch.tensor([1, 2]), layout=torch.jagged
    )
    assert [p.tolist() for p in x] == [[1], [3, 4]] and x.offsets().tolist() == [1, 3, 5]
    with pytest.raises(IndexError, match="reach beyond"):
        nested.narrow(torch.ones(2, 3), 1, 2, 2, layout=torch.jagged)


def test_masked_select_and_empty_parts():
    mask = torch.tensor([[True, False, True], [False, False, False]])
    x = nested.masked_select(torch.arange(6).reshape(2, 3), mask)
    assert [p.tolist() for p in x] == [[0, 2], []] and x.offsets().tolist() == [0, 2, 2]
    assert x.to_padded_tensor(-1).tolist() == [[0, 2], [-1, -1]] and x.sum(1).tolist() == [2, 0]
    with pytest.raises(NotImplementedError, match="only nested tensors are padded"):
        torch.ones(2).to_padded_tensor(0.0)


def test_copies():
    x, _ = jagged()
    for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x.detach()))):
        assert (
            other.is_nested
            and torch.equal(other.values(), x.values())
            and other.offsets().tolist() == [0, 2, 3, 6]
        )
    s = inputs(torch, torch.strided)[1].detach()
    assert [torch.equal(a, b) for a, b in zip(copy.deepcopy(s), s)] == [True] * 3


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    error, sentence, fn = ERRORS[name]
    x = jagged()[0]
    with pytest.raises(error, match=sentence):
        fn(torch, x)


def test_layouts_do_not_mix():
    x, s = jagged()[0], inputs(torch, torch.strided)[1]
    for fn in (lambda: x + s, lambda: s + x, lambda: s + torch.ones(3), lambda: torch.sparse.mm(x, x)):
        with pytest.raises((RuntimeError, NotImplementedError)):
            fn()


def test_attributes_and_batches_of_both_layouts():
    a, b = torch.arange(6.0).reshape(2, 3), torch.ones(4, 3)
    for layout in (torch.strided, torch.jagged):
        n = torch.nested.nested_tensor([a, b], layout=layout)
        assert n.nbytes == 72 and n.element_size() == 4 and not n.is_pinned() and not hasattr(n, "nothing")
        assert [p.shape for p in n.mT.unbind()] == [(3, 2), (3, 4)]
        assert not n.data.requires_grad and n.data.unbind()[0].tolist() == a.tolist()
        assert [p.shape for p in torch.bmm(n, torch.ones(2, 3, 5)).unbind()] == [(2, 5), (4, 5)]
        ids = torch.nested.nested_tensor([torch.tensor([0, 1]), torch.tensor([1])], layout=layout)
        assert torch.nn.functional.embedding(ids, a).unbind()[1].tolist() == [a[1].tolist()]


def test_who_makes_another_of_the_same_offsets_may_add_it():
    j = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    again = torch.nested.nested_tensor_from_jagged(j.values() * 2, j.offsets())
    assert (again + j).values().tolist() == [3.0] * 5


def test_a_compiled_function_takes_and_gives_nested_tensors():
    nt = torch.nested.nested_tensor([torch.ones(2, 3), torch.zeros(4, 3)], layout=torch.jagged)
    compiled = torch.compile(lambda x: (x + 1).sin())
    for _ in range(2):
        assert torch.equal(compiled(nt).values(), (nt.values() + 1).sin())
