"""Rules of ops that aten has whole, as `torch.export` shows them: a linear layer is one step, and not a transpose and a
product."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .emit import Emit, val_of

__all__ = ["COMPOSITE"]

COMPOSITE: dict[str, Callable] = {}
"""Rules by the name of the op."""


def _whole(name: str, overload: str, *usual: Any) -> None:
    """An op whose arguments are aten's, in this order. usual: the last ones' values if they are not given; those are
    not shown."""
    short = name.rpartition(".")[2]

    def lower(e: Emit, *given: Any) -> Any:
        count, first = len(given), len(given) - len(usual)
        while count > first and _is(given[count - 1], usual[count - 1 - first]):
            count -= 1
        return e(f"{short}.{overload}", *given[:count])

    COMPOSITE[name] = lower


def _is(x: Any, usual: Any) -> bool:
    return type(x) is type(usual) and x == usual


_whole("nn.functional.linear", "default", None)
_whole("matmul", "default")


def _softmax(e: Emit, input: Any, dim: Any, _stacklevel: Any = 3, dtype: Any = None) -> Any:
    return None if dim is None else e(f"{e.name}.int", input, dim, *([dtype] if dtype is not None else []))


COMPOSITE["nn.functional.softmax"] = COMPOSITE["nn.functional.log_softmax"] = _softmax


def _norm(e: Emit, *given: Any) -> Any:
    return e(f"{e.name}.default", *given, False)  # whether cuDNN may do it


COMPOSITE["nn.functional.layer_norm"] = COMPOSITE["nn.functional.group_norm"] = _norm


def _list(x: Any, n: int) -> list[int]:
    return [x] * n if isinstance(x, int) else list(x)


def _conv(e: Emit, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:  # fmt: skip
    n = val_of(weight).ndim - 2
    if isinstance(padding, str):
        return None
    given: list[Any] = [bias, _list(stride, n), _list(padding, n), _list(dilation, n), groups]
    usual: list[Any] = [None, [1] * n, [0] * n, [1] * n, 1]
    while given and given[-1] == usual[len(given) - 1] and not hasattr(given[-1], "op"):
        given.pop()
    return e(f"{e.name}.default", input, weight, *given)


COMPOSITE.update(dict.fromkeys([f"nn.functional.conv{n}d" for n in (1, 2, 3)], _conv))


def _max_pool2d(e: Emit, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:  # fmt: skip
    if return_indices:
        return None
    given: list[Any] = [[] if stride is None else _list(stride, 2), _list(padding, 2), _list(dilation, 2), ceil_mode]  # fmt: skip
    usual: list[Any] = [[], [0, 0], [1, 1], False]
    while given and given[-1] == usual[len(given) - 1]:
        given.pop()
    return e("max_pool2d.default", input, _list(kernel_size, 2), *given)


COMPOSITE["nn.functional.max_pool2d"] = _max_pool2d


def _adaptive(e: Emit, input: Any, output_size: Any) -> Any:
    return e("adaptive_avg_pool2d.default", input, _list(output_size, 2))


COMPOSITE["nn.functional.adaptive_avg_pool2d"] = _adaptive


def _flatten(e: Emit, input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    given = [start_dim, end_dim] if end_dim != -1 else [start_dim] if start_dim else []
    return e("flatten.using_ints", input, *given)


COMPOSITE["flatten"] = _flatten


def _reshape(e: Emit, input: Any, shape: Sequence[int]) -> Any:
    return e("reshape.default", input, shape)


COMPOSITE["reshape"] = _reshape


def _cross_entropy(e: Emit, input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None, reduction: str = "mean", label_smoothing: Any = 0.0) -> Any:  # fmt: skip
    if size_average is not None or reduce is not None:
        return None
    given = [weight, {"none": 0, "mean": 1, "sum": 2}[reduction], ignore_index, label_smoothing]
    usual = [None, 1, -100, 0.0]
    while given and _is(given[-1], usual[len(given) - 1]):
        given.pop()
    return e("cross_entropy_loss.default", input, target, *given)


COMPOSITE["nn.functional.cross_entropy"] = _cross_entropy
