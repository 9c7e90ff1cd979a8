"""torch.signal: windows for spectral analysis."""

from . import windows

__all__ = ["windows"]
