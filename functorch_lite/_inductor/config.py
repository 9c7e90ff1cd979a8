"""`functorch_lite.compiler.config.config`, where PyTorch has it: what is set here is set there."""

import sys

from ..compiler.config import config

sys.modules[__name__] = config
