"""Random numbers on a GPU are drawn from the default generator, which all devices share.
Without a GPU nothing here has an effect."""

from __future__ import annotations

from typing import Any

from .. import random
from .devices import device_count, is_available, resolve

__all__ = [
    "get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "seed", "seed_all", "set_rng_state",
    "set_rng_state_all",
]  # fmt: skip


def manual_seed(seed: int) -> None:
    """Seeds the default generator."""
    if is_available():
        random.manual_seed(seed)


manual_seed_all = manual_seed


def seed() -> None:
    """Seeds the default generator from the operating system."""
    if is_available():
        random.seed()


seed_all = seed


def initial_seed() -> int:
    """The default generator's seed."""
    resolve(None)
    return random.initial_seed()


def get_rng_state(device: Any = "cuda") -> Any:
    """The default generator's state."""
    resolve(device)
    return random.get_rng_state()


def get_rng_state_all() -> list:
    """The default generator's state, once for each GPU."""
    return [random.get_rng_state() for _ in range(device_count())]


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Puts the default generator in a state that get_rng_state gave."""
    if is_available():
        random.set_rng_state(new_state)


def set_rng_state_all(new_states: Any) -> None:
    """Puts the default generator in the last of the states."""
    for state in new_states:
        set_rng_state(state)
