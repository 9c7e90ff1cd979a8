"""torch.distributed.constants: times that PyTorch waits."""

from __future__ import annotations

from datetime import timedelta

__all__ = ["default_pg_nccl_timeout", "default_pg_timeout"]

default_pg_timeout: timedelta = timedelta(minutes=30)
default_pg_nccl_timeout: timedelta | None = None
