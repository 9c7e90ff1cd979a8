"""`factory_kwargs`: the arguments of a module's constructor that are meant for the functions that make its tensors."""

from __future__ import annotations

from typing import Any

__all__ = ["factory_kwargs"]

_SIMPLE = ("device", "dtype", "memory_format")


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """device, dtype and memory_format of `kwargs`, and what its entry "factory_kwargs" says; TypeError for anything
    else.

    >>> factory_kwargs({"dtype": torch.float64})
    {'dtype': torch.float64}
    """
    if kwargs is None:
        return {}
    unexpected = kwargs.keys() - {*_SIMPLE, "factory_kwargs"}
    if unexpected:
        raise TypeError(f"unexpected kwargs {unexpected}")
    made = dict(kwargs.get("factory_kwargs", {}))
    for name in _SIMPLE:
        if name in kwargs:
            if name in made:
                raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
            made[name] = kwargs[name]
    return made
