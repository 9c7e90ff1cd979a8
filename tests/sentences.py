"""Where PyTorch's sentences send the user to its own issue tracker, ours say what to do here.
All else of them must be the same."""

from __future__ import annotations

__all__ = ["INSTEAD", "as_ours"]

_REPORT = "Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml"

INSTEAD = {
    "If error is occurring somewhere inside PyTorch internals, please file a bug report.": (
        "To choose between two computations by a Tensor's value use torch.cond; between two values, torch.where."
    ),
    ", please file an issue at https://github.com/pytorch/pytorch/issues .": (
        ". Use torch.cond instead of `if` (or torch.where, to choose between two values), and torch._higher_order_ops.while_loop instead of "
        "`while`: they are batched."
    ),
    "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature.": (
        "Call it outside of vmap, or keep a mask (torch.where), whose shape does not depend on the values."
    ),
    f"{_REPORT} to report this bug.": (
        "A class that defines one of get_extra_state and set_extra_state needs the other too."
    ),
    f"{_REPORT} if a complex module does not work as expected.": (
        "If a complex module does not work as expected, keep its parameters real and make them complex in forward (torch.view_as_complex)."
    ),
}
"""The end of a sentence of PyTorch's, and what stands there here."""


def as_ours(text: str) -> str:
    """A sentence of PyTorch's as it is here."""
    for theirs, ours in INSTEAD.items():
        text = text.replace(theirs, ours)
    return text
