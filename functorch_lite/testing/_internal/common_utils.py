"""torch.testing._internal.common_utils: the TestCase that compares tensors, and run_tests."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any

from ...random import manual_seed
from .._comparison import assert_close

__all__ = ["TestCase", "run_tests"]


class TestCase(unittest.TestCase):
    """unittest.TestCase whose `assertEqual` compares tensors, and containers of tensors, by
    `torch.testing.assert_close`; random numbers are seeded again for each test.

    >>> from functorch_lite.testing._internal.common_utils import TestCase
    >>> TestCase().assertEqual([torch.ones(2)], [torch.ones(2)])
    """

    def __init__(self, method_name: str = "runTest", methodName: str | None = None):
        super().__init__(methodName or method_name)

    def runTest(self) -> None:
        """Does nothing: it is there so that a case can be made to call its methods."""

    def setUp(self) -> None:
        """Seeds the random numbers."""
        manual_seed(1234)

    def assertEqual(
        self,
        x: Any,
        y: Any,
        msg: str | Callable[[str], str] | None = None,
        *,
        atol: float | None = None,
        rtol: float | None = None,
        equal_nan: bool = True,
        exact_dtype: bool = True,
        exact_device: bool = False,
    ) -> None:
        """Raises AssertionError unless x and y are equal, numbers and tensors as nearly as their dtypes say."""
        if isinstance(x, str | bytes | type | set | None.__class__) or isinstance(
            y, str | bytes | type | set | None.__class__
        ):
            super().assertEqual(x, y, msg)
            return
        assert_close(
            x, y, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=exact_dtype, check_device=exact_device, msg=msg
        )  # fmt: skip

    def assertNotEqual(
        self,
        x: Any,
        y: Any,
        msg: str | None = None,
        *,
        atol: float | None = None,
        rtol: float | None = None,
        **kwargs: Any,
    ) -> None:
        """Raises AssertionError if `assertEqual` does not."""
        try:
            self.assertEqual(x, y, atol=atol, rtol=rtol, **kwargs)
        except AssertionError:
            return
        raise AssertionError(msg or f"{x!r} and {y!r} are equal")


def run_tests() -> None:
    """unittest.main()."""
    unittest.main()
