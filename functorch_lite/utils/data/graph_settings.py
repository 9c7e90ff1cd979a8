"""torch.utils.data.graph_settings: settings of the steps that a chain of datapipes is made of."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from typing_extensions import deprecated

from ..._core.api import dtypes, functions
from ...api_names import listed
from .datapipes.iter.steps import SHARDING_PRIORITIES, _ShardingIterDataPipe
from .graph import traverse_dps

__all__ = [
    "apply_random_seed",
    "apply_sharding",
    "apply_shuffle_seed",
    "apply_shuffle_settings",
    "get_all_graph_pipes",
]
__dir__ = listed(__name__)


def get_all_graph_pipes(graph: dict) -> list:
    """Return the datapipes of a graph of `traverse_dps`, each once."""
    found: dict[int, Any] = {}
    _collect(graph, found)
    return list(found.values())


def _collect(graph: dict, found: dict[int, Any]) -> None:
    for number, (datapipe, sources) in graph.items():
        if number not in found:
            found[number] = datapipe
            _collect(sources, found)


def _has(datapipe: Any, *methods: str) -> bool:
    return all(inspect.ismethod(getattr(datapipe, name, None)) for name in methods)


def apply_sharding(
    datapipe: Any, num_of_instances: int, instance_id: int, sharding_group: Any = SHARDING_PRIORITIES.DEFAULT
) -> Any:
    """Set the share of every `sharding_filter` of a datapipe, and return the datapipe.

    Args:
        datapipe: The datapipe.
        num_of_instances: Number of instances, such as workers.
        instance_id: Index of this one, from 0.
        sharding_group: Group of the instances.

    Raises:
        RuntimeError: If one such step is behind another.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> list(apply_sharding(IterableWrapper(range(5)).sharding_filter(), 2, 0))
    [0, 2, 4]
    """

    def apply(graph: dict, above: Any) -> None:
        for step, sources in graph.values():
            applied = above
            if isinstance(step, _ShardingIterDataPipe) or _has(step, "apply_sharding"):
                if above is not None:
                    raise RuntimeError(
                        "Sharding twice on a single pipeline is likely unintended and will cause data loss. "
                        f"Sharding already applied to {above} while trying to apply to {step}"
                    )
                group = {"sharding_group": sharding_group}
                if len(inspect.signature(step.apply_sharding).parameters) < 3:
                    group = {}
                step.apply_sharding(num_of_instances, instance_id, **group)
                applied = step
            apply(sources, applied)

    apply(traverse_dps(datapipe), None)
    return datapipe


def apply_shuffle_settings(datapipe: Any, shuffle: bool | None = None) -> Any:
    """Set whether the steps of a datapipe that shuffle do so, and return the datapipe.

    Args:
        datapipe: The datapipe. If it has no such step and `shuffle` is True, one is added, with a warning.
        shuffle: Whether they shuffle; None changes nothing.

    >>> from functorch_lite.utils.data.datapipes.iter import IterableWrapper
    >>> list(apply_shuffle_settings(IterableWrapper(range(4)).shuffle(), False))
    [0, 1, 2, 3]
    """
    if shuffle is None:
        return datapipe
    steps = get_all_graph_pipes(traverse_dps(datapipe))
    found = [step for step in steps if _has(step, "set_shuffle", "set_seed")]
    if shuffle and not found:
        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. Be aware that the default buffer "
            "size might not be sufficient for your task.",
            stacklevel=2,
        )
        datapipe = datapipe.shuffle()
        found = [datapipe]
    for step in found:
        step.set_shuffle(shuffle)
    return datapipe


@deprecated(
    "`apply_shuffle_seed` is deprecated since 1.12 and will be removed in the future releases. Please use `apply_random_seed` instead.",
    category=FutureWarning,
)
def apply_shuffle_seed(datapipe: Any, rng: Any) -> Any:
    """Seed the steps of a datapipe that draw at random: the former name of `apply_random_seed`."""
    return apply_random_seed(datapipe, rng)


def apply_random_seed(datapipe: Any, rng: Any) -> Any:
    """Seed every step of a datapipe that has the method `set_seed`, and return the datapipe.

    Args:
        datapipe: The datapipe.
        rng: Generator that the seeds are drawn from; None: the global one.
    """
    for step in get_all_graph_pipes(traverse_dps(datapipe)):
        if _has(step, "set_seed"):
            step.set_seed(int(functions.empty((), dtype=dtypes.int64).random_(generator=rng).item()))
    return datapipe
