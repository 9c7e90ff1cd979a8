"""What may be set of the compiler: `torch._dynamo.config`. All other names that are set there have no effect."""

import os

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
