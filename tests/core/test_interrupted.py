"""An op that raises, or is interrupted in its midst (Ctrl-C in a notebook), leaves the recording as it was.

What a path of the trie means depends on how its externals and slots are numbered: one left over would silently shift the inputs
of every later op.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core import apply as apply_module
from functorch_lite._core import recorder

WATCHED = (apply_module.__file__, recorder.__file__)


def interrupted_at(line: int, fn) -> bool:
    """Runs fn, raising KeyboardInterrupt at the `line`-th line that runs in the hot path; False if it has fewer."""
    left = line

    def trace(frame, event, arg):
        nonlocal left
        if frame.f_code.co_filename not in WATCHED:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        fn()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def values(*numbers):
    return [torch.tensor([float(n)]) for n in numbers]


@pytest.mark.parametrize("requires_grad", [False, True])
def test_interrupted_op_leaves_the_numbering(requires_grad):
    a, b, c, d, unused = values(2, 3, 5, 7, 13)
    w = torch.tensor([11.0], requires_grad=requires_grad)
    expected = (((2 + 3) * 5.0 - 7) * 11) + 3
    for warm in (False, True):  # an op recorded for the first time, and one whose trie node is there
        line = 0
        while True:
            line += 1
            torch.synchronize()
            x = a + b
            op = (lambda x=x: torch.addcmul(x, unused, d, value=2.0)) if warm else (lambda x=x: unused * x)
            stopped = interrupted_at(line, op)
            y = ((x * c) - d) * w
            np.testing.assert_allclose((y + b).detach().numpy(), [expected])
            if requires_grad:
                y.sum().backward()
                np.testing.assert_allclose(w.grad.numpy(), [18.0])
                w.grad = None
            if not stopped:
                break
        assert line > 10


def test_refused_operand_leaves_the_numbering():
    kept = []
    torch.func.grad(lambda x: (kept.append(x * 2), x.sum())[1])(torch.ones(1))
    a, b, c = values(2, 3, 5)
    torch.synchronize()
    assert (a - c).item() == -3.0
    torch.synchronize()
    with pytest.raises(RuntimeError, match="after the transform had returned"):
        b + kept[0]
    assert (a - c).item() == -3.0


def test_reading_a_view_stays_though_the_op_raises():
    base = torch.arange(6.0).reshape(2, 3)
    view = base.unsqueeze(-1)
    base.add_(1.0)  # the view is now read anew by whatever comes next
    with pytest.raises(RuntimeError):
        view + torch.ones(5, 1)
    other = base * 2.0
    np.testing.assert_allclose((view * 10.0).numpy()[..., 0], [[10, 20, 30], [40, 50, 60]])
    np.testing.assert_allclose(other.numpy(), [[2, 4, 6], [8, 10, 12]])
