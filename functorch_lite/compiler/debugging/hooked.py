"""Names that the hooks of a compile call (`compiler/hooks.py`)."""

from .folder import DebugContext as folder
from .levels import watched
from .programs import failed, made
from .save_args import save_args_for_compile_fx_inner as saved

__all__ = ["failed", "folder", "made", "saved", "watched"]
