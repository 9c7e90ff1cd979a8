"""Functions that give back the very tensor they were given when there is nothing to do: writes to the result are writes to it."""

from __future__ import annotations

from .._core.api import OPS, Tensor, advise, bind, composite

__all__ = []


def _unchanged(name: str, dtypes: str, out: bool = False) -> None:
    """Registers op `name` so that it gives its argument itself for a dtype of these categories ("r" real, "b" bool, "c" complex)."""
    plain = bind.make_function(OPS[name], name)

    def fn(input):
        if isinstance(input, Tensor) and "brrc"[input._aval.dtype.category] in dtypes:
            return input
        return plain(input)

    def fn_out(input, *, out=None):
        return fn(input) if out is None else plain(input, out=out)

    made = fn_out if out else fn
    made.__name__, made.__doc__ = name, OPS[name].__doc__
    composite(made, method=name != "real")


_unchanged("conj", "br")
_unchanged("conj_physical", "br", out=True)
_unchanged("positive", "rc")
_unchanged("real", "br")

_adjoint = bind.make_function(OPS["adjoint"], "adjoint")


@composite(method=True)
def adjoint(input):
    """The conjugate transpose of the last two dims.

    (…, m, n) to (…, n, m), same dtype; a view of a real tensor.

    >>> torch.adjoint(torch.tensor([[1 + 1j, 2]]))
    tensor([[1.-1.j],
            [2.-0.j]])
    """
    if isinstance(input, Tensor) and not input.ndim:
        advise("adjoint() is deprecated on 0-D tensors. Consider using x.conj().")
        return input.conj()
    return _adjoint(input)
