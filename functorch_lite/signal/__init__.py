"""torch.signal: windows for spectral analysis."""

from ..api_names import close
from . import windows

__all__ = ["windows"]

close(__name__)
