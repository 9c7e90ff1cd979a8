"""What torch refuses when it reads values is refused here where they are at hand: numbers, and tensors made from
data."""

from __future__ import annotations

import pytest

import functorch_lite as torch

from ..support.unchecked import unchecked

x = torch.tensor([7, -7])
A = torch.eye(2)
INT32 = torch.int32


@pytest.mark.parametrize(
    "call",
    [
        lambda: x // 0,
        lambda: x % False,
        lambda: x.fmod(0),
        lambda: x.clone().floor_divide_(0),
        lambda: torch.div(x, 0, rounding_mode="trunc"),
        lambda: torch.tensor([True]) // 0,
        lambda: x // torch.tensor([1, 0]),
        lambda: 5 % torch.tensor([0]),
        lambda: torch.remainder(x, torch.tensor(0)),
        lambda: torch.div(x, torch.tensor([0, 1]), rounding_mode="floor"),
    ],
)
def test_integers_divided_by_zero(call):
    for divisor in (3, 4, 5):  # a number that changes becomes an input of the program
        assert (x // divisor).shape == (2,)
    with pytest.raises(RuntimeError, match=r"^ZeroDivisionError$"):
        call()


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8])
def test_zeros_that_only_xla_knows(dtype):
    """Constants of a program are folded when it is compiled; a division there would end the process."""
    with torch.debug.tier("compiled"), unchecked():
        a, zeros = torch.full((2,), 7, dtype=dtype), torch.zeros(2, dtype=dtype)
        found = [
            a // zeros, a % zeros, a.fmod(zeros), torch.div(a, zeros, rounding_mode="trunc"),
            -a // zeros, torch.remainder(7, zeros), torch.remainder(-a, zeros),
        ]  # fmt: skip
        most, least = (255, 249) if dtype == torch.uint8 else (-1, -7)
        assert [x.tolist()[0] for x in found] == [most, 7, 7, most, most, 7, least]


def test_quotients_that_are_none_of_integers():
    assert (x // 0.0).tolist() == [float("inf"), float("-inf")]
    assert (x / 0).tolist() == [float("inf"), float("-inf")]
    assert (torch.zeros(0, dtype=torch.int64) // 0).shape == (0,)
    assert (x.float() // torch.tensor([1, 0])).tolist() == [7.0, float("-inf")]


@pytest.mark.parametrize("call, size", [
    (lambda p: torch.lu_unpack(A, p), "between 1 and"),
    (lambda p: torch.linalg.lu_solve(A, p, A), "smaller or equal to"),
    (lambda p: torch.lu_solve(A, A, p), "smaller or equal to"),
    (lambda p: torch.linalg.ldl_solve(A, p, A), "<="),
])  # fmt: skip
def test_pivots(call, size):
    call(torch.tensor([1, 2], dtype=INT32))
    with pytest.raises(RuntimeError, match=r"ivots .*1"):
        call(torch.tensor([0, 1], dtype=INT32))
    with pytest.raises(RuntimeError, match=f"{size} .*size"):
        call(torch.tensor([1, 3], dtype=INT32))


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("q", [[0.5, 2.0], [-0.1], [float("nan")]])
def test_quantiles(name, q):
    with pytest.raises(RuntimeError, match=r"q values must be in the range \[0, 1\]"):
        getattr(torch, name)(torch.arange(4.0), torch.tensor(q))


@pytest.mark.parametrize("sorter", [[1, 2, 3], [0, 1, -1]])
def test_places(sorter):
    with pytest.raises(RuntimeError, match="sorter index out of range"):
        torch.searchsorted(torch.arange(3.0), torch.tensor([0.5]), sorter=torch.tensor(sorter))


def test_storage_before_the_first_element():
    with pytest.raises(RuntimeError, match="invalid storage offset -1"):
        torch.zeros(3).as_strided((2,), (1,), -1)
