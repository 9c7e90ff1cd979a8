"""torch.nn.parallel: DataParallel for a machine with at most one GPU, and DistributedDataParallel for one process: each calls the module it holds.

To use several devices, put parameters and batches on a mesh with `jax.sharding`: one program then runs on all of them.
"""

from functorch_lite.api_names import lookup_of
from functorch_lite.nn.parallel.data_parallel import DataParallel, data_parallel
from functorch_lite.nn.parallel.distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]

__getattr__ = lookup_of(__name__)
