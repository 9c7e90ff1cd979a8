"""`functorch_lite.compiler.partition.settings`, where PyTorch has it: what is set here is set there."""

import sys

from ..compiler.partition.settings import settings

sys.modules[__name__] = settings
