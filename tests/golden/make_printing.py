"""Records how torch prints tensors: `python -m tests.golden.make_printing` writes printing.json and printing_cases.json
(needs torch)."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import torch

from tests.printing_cases import CASES, text

nan, inf = math.nan, math.inf

# name: (values, shape, dtype, how it takes part in autograd, print options)
PLAIN: dict[str, tuple] = {
    "scalar_float": ([3.0], (), "float32"),
    "scalar_int": ([3], (), "int64"),
    "scalar_bool": ([1], (), "bool"),
    "scalar_small": ([1.5e-7], (), "float32"),
    "scalar_double": ([1 / 3], (), "float64"),
    "whole": ([1.0, 2.0, -30.0], (3,), "float32"),
    "fractions": ([1.5, -2.25, 100.125], (3,), "float32"),
    "zeros": ([0.0] * 6, (2, 3), "float32"),
    "one_nan": ([nan], (1,), "float32"),
    "nan_whole": ([nan, 1.0], (2,), "float32"),
    "nan_zero": ([nan, 0.0], (2,), "float32"),
    "inf_fraction": ([inf, 1.5, -inf], (3,), "float32"),
    "inf_whole": ([-inf, 1.0], (2,), "float32"),
    "spread_1000": ([1.0, 1000.0], (2,), "float32"),
    "spread_1001": ([1.0, 1001.0], (2,), "float32"),
    "spread_fraction": ([1.5, 1501.5], (2,), "float32"),
    "big_whole": ([1e8], (1,), "float32"),
    "bigger_whole": ([1.1e8], (1,), "float32"),
    "big_and_small": ([1e9, 1e-9, 0.0, nan], (4,), "float32"),
    "small": ([9e-5, 5e-5], (2,), "float32"),
    "small_enough": ([1.1e-4, 5e-4], (2,), "float32"),
    "negative_zero": ([-0.0, 0.5], (2,), "float32"),
    "half": ([0.1, 2.5, -3.0], (3,), "float16"),
    "bfloat16": ([0.1, 2.5, -3.0], (3,), "bfloat16"),
    "float8": ([0.1, 2.5, -3.0], (3,), "float8_e4m3fn"),
    "double": ([0.1, 2.5, -3.0], (3,), "float64"),
    "ints": ([1, -20, 300], (3,), "int64"),
    "int32": ([1, -20, 300, 4], (2, 2), "int32"),
    "uint8": ([1, 20, 255], (3,), "uint8"),
    "bools": ([1, 0, 0, 1], (2, 2), "bool"),
    "complex": ([1 + 2j, -3.5 - 0.25j], (2,), "complex64"),
    "complex_whole": ([1 + 2j, -3 - 4j], (2,), "complex64"),
    "complex_mixed": ([1 + 2j, 3.5e9 - 1j, complex(nan, inf)], (3,), "complex64"),
    "complex_double": ([1.5j, -2.5], (2,), "complex128"),
    "complex_scalar": ([1 + 2j], (), "complex64"),
    "empty": ([], (0,), "float32"),
    "empty_rows": ([], (0, 3), "float32"),
    "empty_double": ([], (0,), "float64"),
    "empty_int": ([], (0,), "int64"),
    "empty_bool": ([], (2, 0), "bool"),
    "empty_complex": ([], (2, 0), "complex64"),
    "wrapped": ([x / 7 for x in range(25)], (25,), "float32"),
    "wrapped_rows": ([x / 7 for x in range(24)], (2, 12), "float64"),
    "matrix": ([x * 1.5 for x in range(6)], (2, 3), "float32"),
    "three_dims": (list(range(12)), (2, 3, 2), "int64"),
    "four_dims": ([x / 2 for x in range(16)], (2, 2, 2, 2), "float32"),
    "ones_dims": ([7.5], (1, 1, 1, 1), "float32"),
    "at_threshold": ("arange", (1000,), "int64"),
    "over_threshold": ("arange", (1001,), "int64"),
    "over_threshold_float": ("arange", (1001,), "float32"),
    "over_threshold_matrix": ("arange", (40, 40), "float32"),
    "over_threshold_narrow": ("arange", (600, 2), "int32"),
    "over_threshold_cube": ("arange", (12, 10, 11), "float64"),
    "over_threshold_complex": ("arange", (1200,), "complex64"),
}
AUTOGRAD: dict[str, tuple] = {
    "leaf": ([1.0, 2.0], (2,), "float32", "leaf"),
    "leaf_double": ([1.5], (), "float64", "leaf"),
    "result": ([1.0, 2.0], (2,), "float32", "result"),
    "empty_result": ([], (0, 3), "float32", "result"),
    "parameter": ([1.0, 2.0], (1, 2), "float32", "parameter"),
    "suffix_on_next_line": ([x / 7 for x in range(8)], (8,), "float64", "result"),
    "two_suffix_lines": ([x / 7 + 100 for x in range(7)], (7,), "float64", "leaf"),
}
OPTIONS: dict[str, tuple] = {
    "precision_2": ([1.23456, 2.0], (2,), "float32", "", {"precision": 2}),
    "precision_0": ([1.5, 2.0], (2,), "float32", "", {"precision": 0}),
    "sci": ([1.0, 2.0], (2,), "float32", "", {"sci_mode": True}),
    "no_sci": ([1e10, 1e-3], (2,), "float32", "", {"sci_mode": False}),
    "sci_zeros": ([0.0, nan], (2,), "float32", "", {"sci_mode": True}),
    "narrow": ([x / 3 for x in range(9)], (9,), "float32", "", {"linewidth": 30}),
    "too_narrow": ([x / 3 for x in range(3)], (3,), "float32", "leaf", {"linewidth": 5}),
    "edgeitems_1": ("arange", (5, 5), "int64", "", {"edgeitems": 1, "threshold": 10}),
    "edgeitems_0": ("arange", (5, 5), "int64", "", {"edgeitems": 0, "threshold": 10}),
    "edgeitems_0_whole": ("arange", (3,), "int64", "", {"edgeitems": 0}),
    "profile_short": ("arange", (1001,), "float32", "", {"profile": "short"}),
    "profile_full": ("arange", (20, 60), "int64", "", {"profile": "full", "linewidth": 200}),
}


def tensor(values, shape, dtype) -> torch.Tensor:
    kind = getattr(torch, dtype)
    flat = torch.arange(math.prod(shape)) if isinstance(values, str) else torch.tensor(values)
    return flat.to(kind).reshape(shape)


def plain_values(values) -> list | str:
    """Complex numbers as pairs, which JSON can hold."""
    return (
        [[v.real, v.imag] if isinstance(v, complex) else v for v in values] if values != "arange" else values
    )


def main() -> None:
    records = {}
    for name, (values, shape, dtype, *rest) in {**PLAIN, **AUTOGRAD, **OPTIONS}.items():
        role, options = [*rest, "", {}][0] if rest else "", rest[1] if len(rest) > 1 else {}
        made = tensor(values, shape, dtype)
        if role == "leaf":
            made.requires_grad_()
        elif role == "result":
            made = made.requires_grad_() + 0
        elif role == "parameter":
            made = torch.nn.Parameter(made)
        with torch._tensor_str.printoptions(**options):
            printed = repr(made)
        records[name] = {
            "values": plain_values(values),
            "shape": shape,
            "dtype": dtype,
            "role": role,
            "options": options,
            "text": printed,
        }
    target = Path(__file__).with_name("printing.json")
    target.write_text(json.dumps({"torch": torch.__version__, "records": records}, indent=1) + "\n")
    warnings.simplefilter("ignore")
    cases = {name: text(fn, torch) for name, fn in CASES.items()}
    Path(__file__).with_name("printing_cases.json").write_text(json.dumps(cases, indent=0) + "\n")


if __name__ == "__main__":
    main()
