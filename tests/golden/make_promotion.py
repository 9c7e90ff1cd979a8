"""Records torch's type promotion: `python -m tests.golden.make_promotion` writes promotion.json (needs torch)."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import torch

from tests.promotion_cases import DTYPES, cases, operands


def main() -> None:
    """One entry for each case: the result's dtype, or the exception's type with '!' in front."""
    warnings.simplefilter("ignore")
    table: dict[str, list[str]] = {}
    for op, kinds, left, right in cases():
        try:
            result = str(operands(torch, op, kinds, left, right).dtype).removeprefix("torch.")
        except Exception as error:
            result = f"!{type(error).__name__}"
        table.setdefault(f"{op} {kinds}", []).append(result)
    path = Path(__file__).parent / "promotion.json"
    head = {"torch": torch.__version__, "made_by": "python -m tests.golden.make_promotion", "dtypes": DTYPES}
    lines = [f"{json.dumps(k)}: {json.dumps(' '.join(v))}" for k, v in table.items()]
    path.write_text(json.dumps(head)[:-1] + ', "results": {\n' + ",\n".join(lines) + "\n}}\n")


if __name__ == "__main__":
    main()
