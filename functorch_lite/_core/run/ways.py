"""The ways in a row: a line for each, in the order in which they are asked.
Without its line, and its folder or file, there is no such way."""

# ruff: noqa: F401, I001  (the order of these lines is what this file says)

from . import way
from .buckets.way import Padded
from .kept.way import Kept
from .cold.way import Cold
from .chunks import Chunked
from .compiled import Compiled

way.set_row(
    [kind() for kind in list(globals().values()) if isinstance(kind, type) and issubclass(kind, way.Way)]
)
