"""What a sample of an op is: arguments in which tensors are placeholders, plus what is expected of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


class T:
    """A tensor argument: a numpy array that the helper turns into a tensor of the library under test.

    grad: whether gradients with respect to it are checked (by default when it is floating point or complex).
    dtype: a torch dtype's name, for dtypes that numpy lacks, such as "bfloat16".
    """

    def __init__(self, array, grad: bool | None = None, dtype: str | None = None):
        self.array = np.asarray(array)
        self.grad = np.issubdtype(self.array.dtype, np.inexact) if grad is None else grad
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"T({self.array.dtype}{list(self.array.shape)})"


@dataclass
class Sample:
    """One call of an op."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    grad: bool = True
    gradgrad: bool = True
    vmap: bool = True
    differences: bool = True
    rtol: float | None = None
    atol: float | None = None
    why: str = ""
    error: tuple[type[Exception], str] | None = None

    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs

    def options(self, **options) -> Sample:
        """Switches checks off (grad, gradgrad, vmap, differences) or widens a tolerance (rtol, atol); `why` gives the
        reason.

        differences=False: gradients are not compared with finite differences, since torch's convention is another.
        """
        if not options.get("why"):
            raise ValueError("options() of a sample needs why=: the reason")
        for name, value in options.items():
            setattr(self, name, value)
        return self

    def raises(self, error: type[Exception], sentence: str) -> Sample:
        """The call must raise this exception, and its message contain this sentence."""
        self.error = (error, sentence)
        return self
