"""Records what torch does with every sample: `python -m tests.golden.make_ops [op …]` writes tests/golden/ops.json
(needs torch).

Facts are keyed by op and by a fingerprint of the sample. Given names of ops, only theirs are recorded anew.
"""

from __future__ import annotations

import json
import sys

import torch

from tests import torch_side
from tests.facts import GOLDEN, encode, fingerprint, load
from tests.samples import all_samples


def main(names: list[str]) -> None:
    """Records the facts and says which samples torch did not take."""
    ops = load() if names else {}
    for name, samples in sorted(all_samples().items()):
        if names and name not in names:
            continue
        ops[name] = {}
        for i, sample in enumerate(samples):
            try:
                facts = torch_side.facts(name, sample)
            except Exception as error:
                print(f"{name}[{i}]: torch raised {type(error).__name__}: {str(error).splitlines()[0]}")
                continue
            if facts.skip:
                if not i:
                    print(f"{facts.skip}: nothing says what it gives but its own tests (tests/ops)")
            elif sample.error and (
                facts.error is None
                or facts.error[0] != sample.error[0].__name__
                or sample.error[1] not in facts.error[1]
            ):
                print(
                    f"{name}[{i}]: expected {sample.error[0].__name__}: {sample.error[1]}\n    torch: {facts.error}"
                )
            if facts.error:
                facts.error = (facts.error[0], facts.error[1][:300])
            ops[name][fingerprint(sample)] = encode(facts)
    lines = [f"{json.dumps(name)}: {json.dumps(ops[name], separators=(',', ':'))}" for name in sorted(ops)]
    head = json.dumps({"torch": torch.__version__, "made_by": "python -m tests.golden.make_ops"})[:-1]
    GOLDEN.write_text(head + ', "ops": {\n' + ",\n".join(lines) + "\n}}\n")
    print(f"{len(ops)} ops, {GOLDEN.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
