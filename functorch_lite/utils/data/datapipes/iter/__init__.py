"""torch.utils.data.datapipes.iter: the steps on IterDataPipes, which are also methods of every IterDataPipe.

`RoutedDecoder`, which PyTorch has deprecated, is not here: decode with `map`.
"""

from __future__ import annotations

from .files import FileListerIterDataPipe as FileLister
from .files import FileOpenerIterDataPipe as FileOpener
from .files import StreamReaderIterDataPipe as StreamReader
from .splitting import DemultiplexerIterDataPipe as Demultiplexer
from .splitting import ForkerIterDataPipe as Forker
from .steps import BatcherIterDataPipe as Batcher
from .steps import CollatorIterDataPipe as Collator
from .steps import ConcaterIterDataPipe as Concater
from .steps import FilterIterDataPipe as Filter
from .steps import GrouperIterDataPipe as Grouper
from .steps import IterableWrapperIterDataPipe as IterableWrapper
from .steps import MapperIterDataPipe as Mapper
from .steps import MultiplexerIterDataPipe as Multiplexer
from .steps import SamplerIterDataPipe as Sampler
from .steps import ShardingFilterIterDataPipe as ShardingFilter
from .steps import ShufflerIterDataPipe as Shuffler
from .steps import UnBatcherIterDataPipe as UnBatcher
from .steps import ZipperIterDataPipe as Zipper

__all__ = [
    "Batcher", "Collator", "Concater", "Demultiplexer", "FileLister", "FileOpener", "Filter", "Forker", "Grouper",
    "IterableWrapper", "Mapper", "Multiplexer", "Sampler", "ShardingFilter", "Shuffler",
    "StreamReader", "UnBatcher", "Zipper",
]  # fmt: skip
