"""torch._tensor_str: how tensors are printed, for classes of tensors that print themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._core.api import (
    Tensor,
    contents,
    get_printoptions,
    printoptions,
    set_printoptions,
    values_of,
    with_suffixes,
)
from .api_names import listed

__all__ = ["get_printoptions", "printoptions", "set_printoptions"]
__dir__ = listed(__name__)


class _PrinterOptions:
    """The options of printing as attributes, which can be read and set: precision, threshold, edgeitems, linewidth and
    sci_mode, as `torch.set_printoptions` takes them.

    >>> torch._tensor_str.PRINT_OPTS.linewidth
    80
    """

    def __getattr__(self, name: str) -> Any:
        options = get_printoptions()
        if name not in options:
            raise AttributeError(f"'_PrinterOptions' object has no attribute {name!r}")
        return options[name]

    def __setattr__(self, name: str, value: Any) -> None:
        getattr(self, name)
        set_printoptions(**{name: value})

    def __repr__(self) -> str:
        return f"_PrinterOptions({', '.join([f'{k}={v!r}' for k, v in get_printoptions().items()])})"


PRINT_OPTS = _PrinterOptions()


def _tensor_str(self: Tensor, indent: int) -> str:
    """The numbers in their brackets; rows after the first begin `indent` characters from the left.

    >>> torch._tensor_str._tensor_str(torch.ones(2), 0)
    '[1., 1.]'
    """
    return contents(values_of(self), self.dtype, indent)


def _add_suffixes(tensor_str: str, suffixes: Sequence[str], indent: int, force_newline: bool) -> str:
    """The text, suffixes such as "dtype=torch.int32", and a closing parenthesis.

    >>> torch._tensor_str._add_suffixes("tensor([1, 2]", ["size=(2,)"], 7, False)
    'tensor([1, 2], size=(2,))'
    """
    return with_suffixes(tensor_str, list(suffixes), indent, force_newline)


def _str(self: Tensor, *, tensor_contents: Any = None) -> str:
    """Returns the text that a tensor is printed as. NotImplementedError for tensor_contents, a text in place of the
    numbers: use `_add_suffixes`."""
    if tensor_contents is not None:
        raise NotImplementedError(
            "torch._tensor_str._str: tensor_contents; put a text together by _add_suffixes"
        )
    return Tensor.__repr__(self)
