"""What may be set of the compiler: `torch._dynamo.config`. All other names that are set there have no effect."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

recompile_limit = 8
"""Kinds of calls that are kept of a function whose `recompile_limit` is None; the oldest one goes for another."""

repro_after: str | None = os.environ.get("TORCHDYNAMO_REPRO_AFTER") or None
"""Of which programs a script is written that reproduces what fails: "dynamo" (what torch.compile was given), "aot" (programs as they are compiled, derivatives and
all), or None."""

repro_level = int(os.environ.get("TORCHDYNAMO_REPRO_LEVEL", "2"))
"""1: a script of the whole program after an error; 2: a script that shrinks it; 3: that, written before each run, which may end the process;
4: results are compared with those of ops run one by one."""

repro_forward_only = os.environ.get("TORCHDYNAMO_REPRO_FORWARD_ONLY") == "1"
"""Level 4 compares results alone, not gradients."""

repro_tolerance = 1e-3
"""How far results may be apart."""

repro_ignore_non_fp = os.environ.get("TORCHDYNAMO_REPRO_IGNORE_NON_FP") == "1"
"""Whole numbers and bools are not compared."""

same_two_models_use_fp64 = True
"""Whether float64 is asked which of two results is nearer."""

debug_dir_root: str | None = os.environ.get("TORCHDYNAMO_DEBUG_DIR") or None
"""The folder of scripts and launchers; None is one among the temporary files, named when it is first needed."""


@contextlib.contextmanager
def patch(changes: str | dict[str, Any] | None = None, value: Any = None, **more: Any) -> Iterator[None]:
    """Sets some for a time: a context and a decorator. `patch(name=value)`, `patch("name", value)`, or `patch({"name": value})`.

    >>> with torch._dynamo.config.patch(repro_after="dynamo", repro_level=4):
    ...     torch._dynamo.config.repro_level
    4
    """
    wanted = {**({changes: value} if isinstance(changes, str) else changes or {}), **more}
    here = globals()
    unknown = sorted(name for name in wanted if name not in here or name.startswith("_"))
    if unknown:
        raise AttributeError(f"torch._dynamo.config.{unknown[0]} does not exist")
    before = {name: here[name] for name in wanted}
    here.update(wanted)
    try:
        yield
    finally:
        here.update(before)
