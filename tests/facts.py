"""Facts: what real torch does with a sample; recorded live (parity) or read back from tests/golden/ops.json."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.compare import Recorded
from tests.samples.base import Sample, T

GOLDEN = Path(__file__).parent / "golden" / "ops.json"


@dataclass
class Facts:
    """Results, which of them require grad, gradients and second gradients (None where no path leads), or an
    exception."""

    outputs: list[Recorded] | None = None
    requires_grad: list[bool] | None = None
    grads: list[Recorded | None] | None = None
    second: list[Recorded | None] | None = None
    error: tuple[str, str] | None = None
    skip: str = ""


def fingerprint(sample: Sample) -> str:
    """A short hash of a sample's arguments and expectations: golden facts of another sample are not used."""
    digest = hashlib.sha1()

    def feed(x: Any) -> None:
        if isinstance(x, T):
            array = np.ascontiguousarray(x.array)
            digest.update(f"T{array.dtype}{array.shape}{x.dtype}{x.grad}".encode())
            # rounded: libm and numpy versions may differ in the last bits of what a sample computes
            text = array.tolist() if array.dtype.kind in "biu" else _numbers(array, 5)
            digest.update(repr(text).encode())
        elif isinstance(x, list | tuple):
            digest.update(b"(")
            for item in x:
                feed(item)
            digest.update(b")")
        elif isinstance(x, dict):
            for key in sorted(x):
                digest.update(key.encode())
                feed(x[key])
        else:
            digest.update(repr(x).encode())

    feed(list(sample.args))
    feed(sample.kwargs)
    feed([sample.grad, sample.gradgrad, sample.error and sample.error[0].__name__])
    return digest.hexdigest()[:10]


def _numbers(array: np.ndarray, digits: int = 9) -> list:
    if array.dtype.kind == "c":
        flat = np.stack([array.real, array.imag], -1).reshape(-1).tolist()
    else:
        flat = array.reshape(-1).tolist()
    return [_short(x, digits) for x in flat]


def _short(x: Any, digits: int) -> Any:
    if isinstance(x, bool):
        return int(x)
    if isinstance(x, int):
        return x
    if not math.isfinite(x):
        return str(x)
    rounded = float(f"{x:.{digits}g}")
    whole = rounded == int(rounded) and abs(rounded) < 1e15 and math.copysign(1.0, rounded) > 0
    return int(rounded) if whole else rounded


def encode(facts: Facts) -> dict:
    """Facts as JSON."""

    def pack(x: Recorded | None) -> Any:
        return None if x is None else [x.dtype, list(x.array.shape), _numbers(x.array)]

    if facts.skip:
        return {"skip": facts.skip}
    if facts.error:
        return {"error": list(facts.error)}
    packed: dict[str, Any] = {"out": [pack(x) for x in facts.outputs or []]}
    if facts.requires_grad and any(facts.requires_grad):
        packed["requires_grad"] = [int(r) for r in facts.requires_grad]
    if facts.grads is not None:
        packed["grad"] = [pack(x) for x in facts.grads]
    if facts.second is not None:
        packed["second"] = [pack(x) for x in facts.second]
    return packed


def decode(packed: dict) -> Facts:
    """The inverse of `encode`."""

    def unpack(x: Any) -> Recorded | None:
        if x is None:
            return None
        name, shape, flat = x
        if name.startswith("complex"):
            pairs = np.array([float(v) for v in flat], np.float64).reshape(-1, 2)
            array = np.empty(shape, name)
            array.real, array.imag = pairs[:, 0].reshape(shape), pairs[:, 1].reshape(shape)
        elif "float" in name:
            kind = np.float64 if name == "float64" else np.float32
            array = np.array([float(v) for v in flat], kind).reshape(shape)
        else:
            array = np.array(flat, name).reshape(shape)
        return Recorded(array, name)

    if "skip" in packed:
        return Facts(skip=packed["skip"])
    if "error" in packed:
        return Facts(error=tuple(packed["error"]))
    outputs = [unpack(x) for x in packed["out"]]
    requires = [bool(r) for r in packed.get("requires_grad", [0] * len(outputs))]
    grads = [unpack(x) for x in packed["grad"]] if "grad" in packed else None
    second = [unpack(x) for x in packed["second"]] if "second" in packed else None
    return Facts(outputs, requires, grads, second)  # type: ignore[arg-type]


def load() -> dict[str, dict[str, dict]]:
    """The golden file: op name -> fingerprint of a sample -> packed facts."""
    return json.loads(GOLDEN.read_text())["ops"] if GOLDEN.exists() else {}
