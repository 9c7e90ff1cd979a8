"""torch.utils.benchmark: Timer, Measurement and Compare. The ops that a statement records run before the clock is
read."""

from ...api_names import close, lookup_of
from .compare import Colorize, Compare
from .fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias
from .measurement import Measurement, TaskSpec, ordered_unique, select_unit, trim_sigfig, unit_to_english
from .timer import Language, Timer, set_torch_threads, timer

__all__ = [
    "Colorize", "Compare", "FuzzedParameter", "FuzzedTensor", "Fuzzer", "Language", "Measurement", "ParameterAlias", "TaskSpec", "Timer", "ordered_unique", "select_unit", "set_torch_threads", "timer", "trim_sigfig",
    "unit_to_english",
]  # fmt: skip

__getattr__ = lookup_of(__name__)

close(__name__)
