"""Whether this is a run at full length: every sample and case, as in `make parity-full`."""

import os

FULL = os.environ.get("FUNCTORCH_LITE_PARITY") == "full"
