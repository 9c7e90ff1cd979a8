"""Conjugates and negatives that a tensor may be a view of."""

from __future__ import annotations

from .._core.api import Tensor, composite, signs_of


@composite(method=True)
def is_conj(input: Tensor) -> bool:
    """Returns whether the tensor is the conjugate of what its storage holds: a view that `conj` gave, or a view of it.

    >>> torch.tensor([1j]).conj().is_conj()
    True
    """
    return signs_of(input)[0]


@composite(method=True)
def is_neg(input: Tensor) -> bool:
    """Returns whether the tensor is the negative of what its storage holds, as the imaginary part of a conjugate is.

    >>> torch.tensor([1j]).conj().imag.is_neg()
    True
    """
    return signs_of(input)[1]


@composite(method=True)
def resolve_conj(input: Tensor) -> Tensor:
    """A copy of a tensor that `is_conj`; the tensor itself otherwise.

    Same shape and dtype.

    >>> torch.resolve_conj(torch.tensor([1 + 2j]).conj())
    tensor([1.-2.j])
    """
    return input.clone() if signs_of(input)[0] else input  # type: ignore[attr-defined]


@composite(method=True)
def resolve_neg(input: Tensor) -> Tensor:
    """A copy of a tensor that `is_neg`; the tensor itself otherwise.

    Same shape and dtype.

    >>> torch.resolve_neg(torch.tensor([1 + 2j]).conj().imag)
    tensor([-2.])
    """
    return input.clone() if signs_of(input)[1] else input  # type: ignore[attr-defined]
