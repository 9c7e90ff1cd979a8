"""torch.backends: the switches that scripts set. XLA chooses its kernels by itself, so most of them change nothing.

Where a switch would promise something that is not so, asking tells the truth: `mps.is_available()` is False.
"""

from ..api_names import close
from . import cuda, cudnn, mkl, mkldnn, mps, openmp, opt_einsum, quantized

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum", "quantized"]

close(__name__)
