"""`torch.utils.data._utils.collate`: the module where it is here, so that what is set in one is set in the other."""

import sys

from .. import collate

sys.modules[__name__] = collate
