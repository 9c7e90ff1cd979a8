"""torch.distributed.pipelining: a module's layers on several processes, with micro-batches that follow one another
through them.

`stage.py` has what a process computes, `schedules.py` in which order, `_mail.py` what goes between them,
`_splitting.py` how a module becomes stages.
"""

from __future__ import annotations

from typing import Any

from ...api_names import NotHere, listed, missing
from . import microbatch as microbatch
from . import schedules as schedules
from . import stage as stage
from ._splitting import Pipe, SplitPoint, pipe_split, pipeline
from .schedules import Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B, ScheduleLoopedBFS
from .stage import PipelineStage, build_stage

__all__ = [
    "Pipe", "PipelineStage", "Schedule1F1B", "ScheduleGPipe", "ScheduleInterleaved1F1B", "ScheduleLoopedBFS", "SplitPoint", "build_stage", "pipe_split",
    "pipeline",
]  # fmt: skip
__dir__ = listed(__name__, "microbatch", "schedules", "stage")
_APART = ("ScheduleDualPipeV", "ScheduleInterleavedZeroBubble", "ScheduleZBVZeroBubble")


def __getattr__(name: str) -> Any:
    if name in _APART:
        raise NotHere(
            f"torch.distributed.pipelining.{name} is not supported, because it computes gradients of weights separately from gradients of inputs; use ScheduleInterleaved1F1B"
        )
    raise missing(__name__, name)
