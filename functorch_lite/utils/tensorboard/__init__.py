"""torch.utils.tensorboard over tensorboardX, which writes the same files."""

from __future__ import annotations

from .writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
