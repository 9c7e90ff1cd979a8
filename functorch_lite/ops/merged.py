"""Pairs of ops, one reading the result of the other, that XLA would merge into one computation.

`_core/lazy/apart.py` keeps them apart.
"""

from __future__ import annotations

from .._core.lazy.apart import ANY, FOLDED_LATE, MERGED, PASSED, Step, Steps

__all__: list[str] = []


def _always(steps: Steps, step: Step, k: int) -> bool:
    return True


def _divides(steps: Steps, step: Step, k: int) -> bool:
    return k == 1


def _by_numbers(steps: Steps, step: Step, k: int) -> bool:
    """(x + a) + b: XLA adds the numbers first."""
    maker = steps.maker(step.refs[k])
    return maker is not None and steps.reads_one_number(maker) and steps.reads_one_number(step)


def _with_number(steps: Steps, step: Step, k: int) -> bool:
    """|x| >= 0: always true for XLA, for nan too."""
    return steps.reads_one_number(step)


def _of_itself(steps: Steps, step: Step, k: int) -> bool:
    """Tells whether it is of x * x, whose root XLA takes for |x|."""
    maker = steps.maker(step.refs[k])
    return maker is not None and len(maker.refs) == 2 and maker.refs[0] == maker.refs[1]


def _all_alike(steps: Steps, step: Step, k: int) -> bool:
    """exp(x) * exp(y): of the sum x + y."""
    makers = [steps.maker(r) for r in step.refs]
    return len({m and m.name for m in makers}) == 1


_SUM = dict.fromkeys(("add", "sub", "rsub"), _by_numbers)
_PRODUCT = dict.fromkeys(("mul", "mul_backward"), _by_numbers)
_DIVISIONS = ("div", "true_divide", "div_backward", "true_divide_backward")
_QUOTIENT = {**dict.fromkeys(_DIVISIONS, _always), "exp": _divides}
_ROOT = {"pow": _always, "square": _always, "mul": _of_itself}
MERGED.update(
    {
        "add": _SUM,
        "sub": _SUM,
        "rsub": _SUM,
        "mul": {**_PRODUCT, "exp": _all_alike},
        "mul_backward": _PRODUCT,
        **dict.fromkeys(_DIVISIONS, _QUOTIENT),
        "log": {ANY: _always},  # of exp, of a power
        "pow": {"exp": _always, **_ROOT},
        "sqrt": {ANY: _always},  # of a square
        "ge": {ANY: _with_number},
        "le": {ANY: _with_number},
    }
)
PASSED.update(("clone", "mean", "sum"))
# |x| >= 0 of a float32 nan, seen with jaxlib 0.11 on an H100
FOLDED_LATE.update({("abs", "ge"), ("abs", "le")})
