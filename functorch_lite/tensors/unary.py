"""Functions of one tensor that may return the tensor itself, so that writes to the result are writes to it; and their
forms in place."""

from __future__ import annotations

from .._core.api import OPS, Tensor, bind, composite, write_inplace
from .._core.api import functions as torch
from .over_ops import over, plain_op


def _unchanged(dtypes: str, out: bool = False):
    """Makes functions that give their argument itself for a dtype of these categories ("r" real, "b" bool, "c"
    complex)."""

    def make(name, plain):
        def fn(input):
            if isinstance(input, Tensor) and "brrc"[input._aval.dtype.category] in dtypes:
                return input
            return plain(input)

        def fn_out(input, *, out=None):
            return fn(input) if out is None else plain(input, out=out)

        return fn_out if out else fn

    return make


over("conj", method=True)(_unchanged("br"))
over("real")(_unchanged("br"))
over("conj_physical", method=True)(_unchanged("br", out=True))
over("positive", method=True)(_unchanged("rc"))

_round = plain_op("round")


@composite(namespace="special", name="round")
def special_round(input: Tensor, *, decimals: int = 0, out=None) -> Tensor:
    """torch.round with its number of decimals given, which may be 0: not of integers.

    >>> torch.special.round(torch.tensor([1.234]), decimals=1)
    tensor([1.2000])
    """
    return _round(input, decimals=decimals, out=out)


def _abs_in_place(name: str) -> None:
    plain = bind.make_inplace(OPS["abs"], name)

    def fn(input: Tensor) -> Tensor:
        if isinstance(input, Tensor) and input.dtype.is_complex:
            raise RuntimeError("In-place abs is not supported for complex tensors.")
        return plain(input)

    fn.__name__, fn.__doc__ = name, "abs in place; not of a complex tensor, whose modulus is real."
    composite(fn, method=True)


for _name in ("abs_", "absolute_"):
    _abs_in_place(_name)


@composite(namespace="Tensor", method="polygamma", name="polygamma")
def _polygamma(self: Tensor, n: int) -> Tensor:
    """torch.polygamma(n, self).

    Same shape and dtype; integers give the default dtype.

    >>> torch.tensor([1., 2.]).polygamma(1)
    tensor([1.6449, 0.6449])
    """
    return torch.polygamma(n, self)


@composite(namespace="Tensor", method="polygamma_", name="polygamma_")
def _polygamma_(self: Tensor, n: int) -> Tensor:
    """self = torch.polygamma(n, self), in place.

    >>> torch.tensor([1., 2.]).polygamma_(1)
    tensor([1.6449, 0.6449])
    """
    return write_inplace(self, torch.polygamma(n, self))
