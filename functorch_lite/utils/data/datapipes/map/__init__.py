"""torch.utils.data.datapipes.map: the steps on MapDataPipes, which are also methods of every MapDataPipe."""

from __future__ import annotations

from .steps import BatcherMapDataPipe as Batcher
from .steps import ConcaterMapDataPipe as Concater
from .steps import MapperMapDataPipe as Mapper
from .steps import SequenceWrapperMapDataPipe as SequenceWrapper
from .steps import ShufflerIterDataPipe as Shuffler
from .steps import ZipperMapDataPipe as Zipper

__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]
