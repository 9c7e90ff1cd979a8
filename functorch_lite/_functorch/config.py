"""`functorch_lite.compiler.partition.settings`, where PyTorch has it: what is set here is set there."""

import sys

from ..compiler.partition.settings import settings

settings.__spec__ = __spec__  # which importlib asks a module for
sys.modules[__name__] = settings
