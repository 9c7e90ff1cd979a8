"""torch.nn.parallel: DistributedDataParallel for several processes, or several devices of one; DataParallel for a
machine with at most one GPU.

To use several devices of one process, put parameters and batches on a mesh (`torch.distributed.tensor`): one program
then runs on all of them.
"""

from functorch_lite.api_names import lookup_of
from functorch_lite.nn.parallel.data_parallel import DataParallel, data_parallel
from functorch_lite.nn.parallel.distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]

__getattr__ = lookup_of(__name__)
