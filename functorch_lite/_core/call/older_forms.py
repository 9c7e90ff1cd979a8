"""Older forms of calls that PyTorch still takes: scalings given by position, `p.add_(-lr, grad)`,
`addmm(beta, m, alpha, a, b)`."""

from __future__ import annotations

from ..lazy.tensor import Tensor
from ..words.advice import advise

__all__ = ["rearranged"]


def _is_number(x: object) -> bool:
    return isinstance(x, int | float | complex) or (isinstance(x, Tensor) and not x._aval.shape)


def rearranged(name: str, given: tuple, taken: int, **scalings) -> tuple:
    """Returns the arguments that an older form means: its operands, `taken` of them, then its scalings in the order of
    `@op(scalings=)`.

    The numbers come before the operand that they scale: `(t, alpha, other)`, `(t, value, a, b)`, `(beta, t, [alpha,] a,
    b)`, and `(t, beta, [alpha,] a, b)` for the method. Raises TypeError, as for any argument too many, when it is none
    of these.

    >>> x, y = torch.ones(2), torch.zeros(2)
    >>> [t is x or t is y or t for t in rearranged("add", (x, -0.1, y), 2, alpha=1)]
    [True, True, -0.1]
    """
    names = tuple(scalings)
    extra = len(given) - taken
    named = [n for n in names if isinstance(scalings[n], Tensor) or scalings[n] != 1]
    if named:
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got unrecognized keyword arguments: {named[0]}"
        )
    positions: tuple[tuple[int, ...], ...] = ()
    if extra <= len(names):
        positions = (tuple(range(1, 1 + extra)),)
        if names == ("beta", "alpha"):
            positions += ((0, 2)[:extra],)
    for at in positions:
        operands = [x for i, x in enumerate(given) if i not in at]
        wanted = operands[:1] if names == ("alpha",) else operands  # what add and sub add may be a number
        if all(_is_number(given[i]) for i in at) and all(isinstance(x, Tensor) for x in wanted):
            advise(
                f"This overload of {name} is deprecated: give {' and '.join(names[:extra])} by keyword, after the tensors."
            )
            scalings |= zip(names, [given[i] for i in at])
            return (*operands, *[scalings[n] for n in names])
    raise TypeError(f"{name}() takes {taken} positional arguments but {len(given)} were given")
