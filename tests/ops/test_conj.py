"""conj as a view: the conjugate and the negative bit, aliasing, gradients.
What is expected was observed in PyTorch 2.13."""

from __future__ import annotations

import pytest

import functorch_lite as torch


def complex_pair(**options):
    return torch.tensor([1 + 2j, 3 - 1j], **options)


def test_the_conjugate_bit():
    x = complex_pair()
    c = x.conj()
    assert c.is_conj() and torch.is_conj(c) and not x.is_conj() and not c.conj().is_conj()
    assert c._base is x and c.data_ptr() == x.data_ptr() and c.stride() == (1,) and c.is_contiguous()
    assert c.resolve_conj() is not c and not c.resolve_conj().is_conj() and x.resolve_conj() is x
    views = (
        c[0],
        c.view(2, 1),
        c.reshape(2, 1),
        c[:1],
        c.unsqueeze(0),
        c.expand(2, 2),
        c.detach(),
        c.contiguous(),
        c.t(),
        c.unbind()[0],
    )
    assert all(v.is_conj() for v in views)
    made = (
        c.clone(),
        c + 1,
        c * c,
        c.conj_physical(),
        c.sum(),
        c.to(torch.complex128),
        torch.cat([c, c]),
        -c,
        torch.zeros_like(c),
        c.diag(),
    )
    assert not any(m.is_conj() for m in made)


def test_real_tensors_are_their_own_conjugates():
    for x in (torch.ones(2), torch.ones(2, dtype=torch.int64)):
        assert (
            x.conj() is x
            and torch.conj(x) is x
            and not x.conj().is_conj()
            and not x[None].mT.conj().is_conj()
        )


def test_adjoints():
    m = torch.tensor([[1 + 2j, 3 - 1j], [0, 1j]])
    for h in (m.H, m.mH, m.adjoint(), torch.adjoint(m)):
        assert h.is_conj() and h._base is m and h.tolist() == [[1 - 2j, 0], [3 + 1j, -1j]]
    assert not m.T.is_conj() and not m.mH.mH.is_conj()
    assert not torch.ones(2, 2).adjoint().is_conj()


def test_the_negative_bit():
    x = complex_pair()
    c = x.conj()
    assert c.imag.is_neg() and not c.real.is_neg() and not x.imag.is_neg() and not c.imag.is_conj()
    assert (
        c.imag[0].is_neg()
        and c.imag.view(2, 1).is_neg()
        and not (c.imag + 1).is_neg()
        and not c.imag.clone().is_neg()
    )
    assert not c.imag.resolve_neg().is_neg() and c.imag.resolve_neg().tolist() == [-2.0, 1.0]
    assert c.imag.storage_offset() == 1 and c.imag.stride() == (2,)
    r = torch.ones(2)
    n = torch._neg_view(r)
    assert n.is_neg() and n._base is r and not n._neg_view().is_neg() and n.tolist() == [-1.0, -1.0]
    n.add_(3)
    assert r.tolist() == [-2.0, -2.0] and n.tolist() == [2.0, 2.0]


def test_writes_reach_the_base():
    x = complex_pair()
    c = x.conj()
    c[0] = 5 + 5j
    c.imag.fill_(7)
    assert x.tolist() == [5 - 7j, 3 - 7j] and c.tolist() == [5 + 7j, 3 + 7j]
    c.mul_(1j)
    c += 1
    assert c.is_conj() and x.tolist() == [-6 - 5j, -6 - 3j]
    x[0] = 9j
    assert c.tolist() == [-9j, -6 + 3j]
    with torch.debug.eager():
        c.copy_(torch.tensor([1j, 2j]))
    assert x.tolist() == [-1j, -2j]


def test_gradients_through_writes_and_reads():
    x = complex_pair(requires_grad=True)
    y = x * 1
    y.conj().imag.mul_(3)
    (y.real * y.imag).sum().backward()
    assert x.grad.tolist() == [6 + 3j, -3 + 9j]
    x = complex_pair(requires_grad=True)
    c = x.conj()
    (c.real * c.imag**2).sum().backward()
    assert x.grad.tolist() == [4 + 4j, 1 - 6j]


def test_in_transforms():
    x = complex_pair()
    assert torch.vmap(lambda a: a.conj())(x).tolist() == [1 - 2j, 3 + 1j]

    def write(a):
        b = a * 1
        b.conj().mul_(1j)
        return b

    expected = write(x).tolist()
    assert torch.vmap(write)(x).tolist() == expected == [(z.conjugate() * 1j).conjugate() for z in x.tolist()]
    value, pull = torch.func.vjp(write, x)
    assert value.tolist() == expected and pull(torch.ones(2, dtype=torch.complex64))[0].tolist() == [1j, 1j]


def test_bits_of_what_a_transform_sees():
    seen = []
    torch.vmap(lambda a: seen.append((a.is_conj(), a.conj().is_conj())) or a)(complex_pair())
    assert seen == [(False, True)]


@pytest.mark.parity
def test_beside_pytorch():
    reference = pytest.importorskip("torch")

    def program(torch):
        x = torch.tensor([[1 + 2j, 3 - 1j], [0.5j, -1 + 0j]])
        h = x.mH
        h[0].mul_(2j)
        h.imag[1] += 1
        y = h.conj()[:, 0]
        y.real.zero_()
        return [t.resolve_conj().tolist() for t in (x, h, y)], [
            (t.is_conj(), t.is_neg()) for t in (h, y, h.imag, y.imag)
        ]

    assert program(torch) == program(reference)
