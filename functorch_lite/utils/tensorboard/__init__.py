"""torch.utils.tensorboard: files of events, written by the package tensorboard."""

from __future__ import annotations

from .writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
