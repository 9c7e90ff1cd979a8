"""replace_all_batch_norm_modules_: batch normalization without running statistics, for use under vmap."""

from __future__ import annotations

from typing import Any

__all__ = ["replace_all_batch_norm_modules_"]


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Takes the running statistics out of every BatchNorm in a module, in place, and returns the module.

    Then it always normalizes by the statistics of its input, and has nothing to write to: vmap can run it in training
    mode.

    Args:
        root: the module whose BatchNorm layers are changed in place.

    >>> replace_all_batch_norm_modules_(torch.nn.BatchNorm1d(2)).running_mean is None
    True
    """
    for module in root.modules():
        if any(c.__name__ == "_BatchNorm" for c in type(module).__mro__) and module.track_running_stats:
            module.running_mean = None
            module.running_var = None
            module.num_batches_tracked = None
            module.track_running_stats = False
    return root
