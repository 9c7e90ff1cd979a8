"""`functorch_lite.compiler.settings`, where PyTorch has it: the module itself, so that what is set here is set
there."""

import sys

from ..compiler import settings

sys.modules[__name__] = settings
