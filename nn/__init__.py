"""torch.nn: modules, parameters, initial values, functional forms and utilities."""

if not __name__.startswith("functorch_lite."):
    raise ImportError(f"import this package as functorch_lite.nn, not as {__name__}")

from functorch_lite._core.api import tracebacks

from . import attention as attention
from . import functional as functional
from . import init as init
from . import modules as modules
from . import parallel as parallel
from . import parameter as parameter
from . import utils as utils
from ._factory_kwargs import factory_kwargs
from .modules import *
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "DataParallel",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "factory_kwargs",
]
__all__ += modules.__all__

tracebacks.add_folder(__file__)
