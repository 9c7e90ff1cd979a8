"""Anomaly mode: a nan that appears in backward is reported with the forward lines that led to it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .._core.api import Node, Tensor, composite, force_array, read
from ..func.anomalies import mode as transforms
from ..func.functionalize import debug_unwrap
from .tensor_methods import tensor_inputs
from .watch import anomaly, checking, unwatch, watch

__all__ = [
    "detect_anomaly", "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "set_anomaly_enabled", "set_detect_anomaly",
]  # fmt: skip


def is_anomaly_enabled() -> bool:
    """Returns whether anomaly mode is on.

    >>> with torch.autograd.detect_anomaly(check_nan=False):
    ...     torch.is_anomaly_enabled()
    True
    """
    return anomaly["enabled"]


def is_anomaly_check_nan_enabled() -> bool:
    """Returns whether anomaly mode, when on, looks for nan.

    >>> torch.is_anomaly_check_nan_enabled()
    True
    """
    return anomaly["check_nan"]


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switches anomaly mode on or off.

    Args:
        mode: whether anomaly mode is on.
        check_nan: whether nan is looked for. Default: True.

    >>> torch.set_anomaly_enabled(False)
    """
    if bool(mode) != anomaly["enabled"]:
        (watch if mode else unwatch)()
    anomaly["enabled"], anomaly["check_nan"] = bool(mode), bool(check_nan)
    transforms["looks"] = bool(mode) and bool(check_nan)


class set_detect_anomaly:
    """Switches anomaly mode on or off: at once, and until the end of the context when used as one.

    Args:
        mode: whether anomaly mode is on.
        check_nan: whether nan is looked for. Default: True.
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self._before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: Any) -> None:
        set_anomaly_enabled(*self._before)


class detect_anomaly(set_detect_anomaly):
    """A context in which backward stops at the first derivative that gives nan, and the forward lines of every op are
    kept.

    Each derivative is computed at once and looked at: this is slow. Inside reverse transforms of torch.func, vmapped
    or not, each op's derivative is checked too; the body of a loop is one op.

    Args:
        check_nan: whether nan is looked for. Default: True.

    >>> with torch.autograd.detect_anomaly():
    ...     x = torch.tensor([-1.], requires_grad=True)
    ...     x.sqrt().backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True):
        self._before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        self._check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self._before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        set_anomaly_enabled(True, self._check_nan)


class Checked:
    """An engine of run_backward that looks at every gradient it computes."""

    def __init__(self, engine: Any):
        self._engine = engine
        self.add, self.to_tensor, self.ones = engine.add, engine.to_tensor, engine.ones
        self.from_tensor, self.accumulate = engine.from_tensor, engine.accumulate

    def backward(self, node: Node, cts: dict[int, Any]) -> Any:
        """The node's gradients; RuntimeError if one of them has a nan."""
        try:
            grads = self._engine.backward(node, cts)
        except Exception:
            _warn(node)
            raise
        if anomaly["check_nan"]:
            for k, g in enumerate(grads):
                if g is not None and _has_nan(self.to_tensor(g)):
                    _warn(node)
                    raise RuntimeError(
                        f"Function '{node.name()}' returned nan values in its {_output(node, k)}th output."
                    )
        return grads


checking.engine = Checked


def _has_nan(grad: Tensor) -> bool:
    array = force_array(read(debug_unwrap(grad)))
    if array.dtype.kind not in "fc":  # bfloat16 and its like
        array = array.astype(np.float32)
    return bool(np.isnan(array).any())


def _output(node: Node, k: int) -> int:
    """The place of the node's k-th gradient among all its tensor inputs."""
    plan = getattr(node.step, "taped", None)
    if plan is None or k >= len(plan.edges):
        return k
    tensors = tensor_inputs(node)
    return tensors.index(plan.edges[k]) if plan.edges[k] in tensors else k


def _warn(node: Node) -> None:
    trace = getattr(node, "trace", None)
    if trace is None:
        text = "No forward pass information available. Enable detect anomaly during forward pass for more information."
    else:
        text = "Traceback of forward call that caused the error:\n" + "".join(trace)
    warnings.warn(f"Error detected in {node.name()}. {text}", stacklevel=2)


for _function in (is_anomaly_enabled, is_anomaly_check_nan_enabled, set_anomaly_enabled):
    composite(_function)
