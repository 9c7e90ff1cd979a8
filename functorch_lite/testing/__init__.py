"""torch.testing: comparing tensors with a tolerance, and making tensors for tests."""

from __future__ import annotations

from ..api_names import close, lookup_of
from ._comparison import assert_allclose, assert_close
from ._creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

__getattr__ = lookup_of(__name__)

close(__name__)
