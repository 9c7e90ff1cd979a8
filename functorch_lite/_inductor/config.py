"""`functorch_lite.compiler.config.config`, where PyTorch has it: what is set here is set there."""

import sys

from ..compiler.config import config

config.__spec__ = __spec__  # which importlib asks a module for
sys.modules[__name__] = config
