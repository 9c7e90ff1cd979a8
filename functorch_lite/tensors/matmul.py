"""Products of matrices."""

from __future__ import annotations

from .._core.api import Tensor, composite, write_out
from .._core.api import functions as torch
from .linalg import inv, plain_op

_chain_matmul = plain_op("chain_matmul")


@composite
def chain_matmul(*matrices, out=None) -> Tensor:
    """The product of a chain of matrices in the cheapest order.

    Matrices (n, m), (m, k), …; RuntimeError for other shapes.

    >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1)).shape
    torch.Size([2, 1])
    """
    given = matrices[0] if len(matrices) == 1 and isinstance(matrices[0], tuple | list) else matrices
    if out is None or len(given) > 1 or not isinstance(out, Tensor):
        return _chain_matmul(tuple(given), out=out)
    copied = _chain_matmul(tuple(given)).to(out.dtype)  # which PyTorch casts to any dtype
    return write_out(out, copied)  # type: ignore[return-value]


@composite(namespace="linalg")
def matmul(input: Tensor, other: Tensor, *, out=None) -> Tensor:
    """torch.matmul.

    >>> A = torch.tensor([[2., 0.], [1., 4.]])
    >>> torch.linalg.matmul(A, A)
    tensor([[ 4.,  0.],
            [ 6., 16.]])
    """
    return torch.matmul(input, other, out=out)


def _matrix_power(space: str) -> None:
    plain = plain_op("matrix_power")

    def matrix_power(input: Tensor, n: int, *, out=None) -> Tensor:
        """The n-th power of square matrices; negative powers go through the inverse.

        >>> torch.matrix_power(torch.tensor([[2.0, 0.0], [1.0, 4.0]]), 2)
        tensor([[ 4.,  0.],
                [ 6., 16.]])
        """
        # a power that torch finds by squaring alone, and one that multiplies nothing, is copied, and so may be cast
        copied = n in (0, 1) or (isinstance(n, int) and abs(n) > 2 and abs(n).bit_count() == 1)
        if n < 0 and isinstance(input, Tensor):
            input, n = inv(input), -n
        if out is not None and copied:
            return write_out(out, plain(input, n))  # type: ignore[return-value]
        return plain(input, n, out=out)

    composite(matrix_power, namespace=space, method=space == "torch")


for _name in ("torch", "linalg"):
    _matrix_power(_name)
