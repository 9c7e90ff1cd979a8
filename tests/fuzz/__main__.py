"""`python -m tests.fuzz --cases N --seed S [--family NAME]`: fuzzes, and prints every difference, grouped by op.

`python -m tests.fuzz --singles NAME [--part 0/4]`: every sample with one argument replaced by each odd value, or every
fourth of these calls; with gradients as `--singles special.graded`; see singles.py.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
# programs run once: compiling them counts, not how fast they are
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1",
)

from tests.fuzz import run


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=2000, help="in all, shared evenly by the families")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", action="append", choices=run.families(), help="by default all of them")
    parser.add_argument(
        "--each", type=int, default=5, help="how many differences of one op and kind are shown"
    )
    parser.add_argument("--unused", action="store_true", help="list the exclusions that excluded nothing")
    parser.add_argument("--singles", metavar="NAME", help="one change at a time, in this family")
    parser.add_argument("--part", default="0/1", help="K/N: of --singles every N-th call, from number K on")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.singles:
        return _singles(options)
    chosen = options.family or run.families()
    if options.into:
        last = options.into.with_suffix(".last")
        run.write(run.run_here(chosen[0], options.cases, options.seed, last.write_text), options.into)
        return 0
    total = run.Tally()
    for family in chosen:
        for tally in run.run_apart(family, -(-options.cases // len(chosen)), options.seed):
            total.merge(tally)
            print(
                f"{family}: {tally.summary()}", *[text for _, _, text in tally.found], sep="\n  ", flush=True
            )
    print(total.report(options.each))
    if options.unused:
        from tests.fuzz import (  # noqa: F401  # add rules
            exclusions,
            exclusions_of_derivatives,
            exclusions_of_matrices,
            exclusions_of_refusals,
            exclusions_of_results,
        )

        rules = exclusions.RULES.rules
        print(*[f"excluded, 0: {r.reason}" for r in rules if r.reason not in total.reasons], sep="\n")
    return 1 if total.found else 0


def _singles(options: argparse.Namespace) -> int:
    part, parts = map(int, options.part.split("/"))
    last = options.into.write_text if options.into else lambda line: None
    tally, shown = run.Tally(), 0
    for tally in run.run_singles(options.singles, part, parts, last):
        for _, _, text in tally.found[shown:]:  # as they come: a call may end the process
            print(text, flush=True)
        shown = len(tally.found)
        if tally.cases % 1000 == 0:
            print(tally.summary(), file=sys.stderr, flush=True)
    print(tally.summary())
    return 1 if tally.found else 0


if __name__ == "__main__":
    sys.exit(main())
