"""Runs a case of module_cases in either library, and what is kept of the results: see tests/golden/make_modules.py."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tests.compare import direction
from tests.nn.module_cases import Case

DRAWS_OTHERWISE = {
    "RReLU": "draws a slope for every element; PyTorch, which reads the values, only where they are negative",
}
"""Classes whose random numbers are not PyTorch's even with its engine."""


def made(lib: Any, c: Case) -> Any:
    """The module as its constructor leaves it after manual_seed(0)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lib.manual_seed(0)
        module = c.make(lib.nn, lib)
        return module if c.dtype == "float32" else module.to(getattr(lib, c.dtype))


def inputs_of(lib: Any, c: Case) -> list:
    """The inputs as tensors; those that take gradients require them."""

    def own(x: Any, fixed: bool) -> Any:
        if isinstance(x, tuple) and x and isinstance(x[0], np.ndarray):
            return tuple(own(part, fixed) for part in x)
        if not isinstance(x, np.ndarray | np.generic):
            return x
        x = lib.tensor(x)
        if not x.is_floating_point():
            return x
        x = x if c.dtype == "float32" else x.to(getattr(lib, c.dtype))
        return x if fixed else x.requires_grad_(True)

    return [own(x, n in c.fixed) for n, x in enumerate(c.inputs)]


def fill(lib: Any, module: Any, c: Case) -> None:
    """Gives parameters values that are the same in both libraries; a lazy module is called once, to have any."""
    if c.name.startswith("Lazy"):
        with lib.no_grad():
            module(*inputs_of(lib, c))
        for name, b in module.named_buffers():
            b.fill_(1.0 if "var" in name else 0)
    for n, p in enumerate(module.parameters()):
        values = 0.5 * direction("weight", n, tuple(p.shape), False)
        p.data = lib.tensor(values.astype(np.float32)).to(p.dtype)


def run(lib: Any, module: Any, c: Case, training: bool) -> dict[str, Any]:
    """Outputs, gradients and buffers of one call, by name, as tensors: not read until all is recorded."""
    module.train(training)
    inputs = inputs_of(lib, c)
    leaves = {f"input {n}": x for n, x in enumerate(_flat(inputs)) if x.requires_grad}
    leaves.update(module.named_parameters())
    flat = _flat(module(*inputs))
    found = {f"output {n}": o.detach() for n, o in enumerate(flat)}
    roots = [o for o in flat if o.requires_grad]
    if roots:
        cts = [lib.tensor(direction("ct", n, tuple(o.shape), False)).to(o.dtype) for n, o in enumerate(roots)]
        loss = sum((o * ct).sum() for o, ct in zip(roots, cts))
        grads = lib.autograd.grad(loss, list(leaves.values()), allow_unused=True)
        found.update((f"gradient of {k}", g) for k, g in zip(leaves, grads) if g is not None)
    found.update((f"buffer {k}", b.detach().clone()) for k, b in module.named_buffers())
    return found


def _flat(x: Any) -> list:
    if isinstance(x, tuple | list):
        return [t for part in x for t in _flat(part)]
    return [x] if hasattr(x, "requires_grad") else []


def arrays(found: dict[str, Any]) -> dict[str, tuple[str, np.ndarray]]:
    """(dtype, values) of each; bfloat16 as float32."""
    return {
        k: (str(t.dtype), (t.float() if "bfloat16" in str(t.dtype) else t).numpy()) for k, t in found.items()
    }


def summary(dtype: str, values: np.ndarray) -> list:
    """[dtype, shape, two sums with fixed weights]: what is recorded of an array."""
    return [dtype, list(values.shape), [_short(float(np.sum(values * d))) for d in _weights(values.shape)]]


def disagreement(dtype: str, values: np.ndarray, known: list, rtol: float, atol: float) -> str | None:
    """What is wrong with an array whose `summary` in PyTorch is `known`; None if it agrees."""
    if dtype != known[0] or list(values.shape) != known[1]:
        return f"{dtype} {list(values.shape)}, expected {known[0]} {known[1]}"
    for d, want in zip(_weights(values.shape), known[2]):
        terms = values * d
        got, size = float(np.sum(terms)), float(np.sum(np.abs(terms)))
        if not (abs(got - want) <= rtol * size + atol or got == want or (got != got and want != want)):
            return f"a sum of its values is {got}, expected {want}"
    return None


def _weights(shape: tuple[int, ...]) -> list[np.ndarray]:
    return [direction("summary", n, shape, False) for n in range(2)]


def _short(x: float) -> float:
    return float(f"{x:.7g}")


from tests.nn import module_options  # noqa: E402  adds its cases

__all__ = [
    "DRAWS_OTHERWISE",
    "arrays",
    "disagreement",
    "fill",
    "inputs_of",
    "made",
    "module_options",
    "run",
    "summary",
]
