"""torch.nn.utils: clipping of gradients, parameters as a vector, parametrizations, pruning, fusion."""

from functorch_lite.api_names import listed

from . import clip_grad as clip_grad
from . import convert_parameters as convert_parameters
from . import parametrizations as parametrizations
from . import parametrize as parametrize
from . import prune as prune
from . import rnn as rnn
from . import stateless as stateless
from .clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from .convert_parameters import parameters_to_vector, vector_to_parameters
from .fusion import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval, fuse_linear_bn_weights
from .init import skip_init
from .memory_format import convert_conv2d_weight_memory_format, convert_conv3d_weight_memory_format
from .spectral_norm import remove_spectral_norm, spectral_norm
from .weight_norm import remove_weight_norm, weight_norm

__all__ = [
    "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_",
    "convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format", "fuse_conv_bn_eval",
    "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights", "get_total_norm", "parameters_to_vector",
    "remove_spectral_norm", "remove_weight_norm", "skip_init", "spectral_norm", "vector_to_parameters", "weight_norm",
]  # fmt: skip
__dir__ = listed(__name__, "clip_grad", "convert_parameters", "fusion", "init", "memory_format", "prune")
