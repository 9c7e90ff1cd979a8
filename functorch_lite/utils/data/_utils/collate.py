"""`torch.utils.data._utils.collate`: the same module as in this library, so that an attribute set in one is set in
the other."""

import sys

from .. import collate

sys.modules[__name__] = collate
