"""torch.random: seeds, generator state, and (as functions of the torch namespace) everything that draws."""

from __future__ import annotations

import contextlib

from .._core.bind import composite
from . import draws, in_place, multinomial  # registers the samplers
from .generator import (
    Generator,
    default_engine,
    default_generator,
    key_tensor,
    next_key,
    set_default_engine,
    thread_safe_generator,
)

__all__ = [
    "Generator", "default_engine", "default_generator", "draws", "fork_rng", "get_rng_state", "in_place", "initial_seed", "key_tensor",
    "manual_seed", "multinomial", "next_key", "seed", "set_default_engine", "set_rng_state", "thread_safe_generator",
]  # fmt: skip


def manual_seed(seed: int) -> Generator:
    """Seeds the default generator; returns it."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seeds the default generator from the operating system; returns the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The default generator's seed."""
    return default_generator.initial_seed()


def get_rng_state():
    """The default generator's state, a uint8 tensor."""
    return default_generator.get_state()


def set_rng_state(new_state) -> None:
    """Puts the default generator in a state that get_rng_state gave."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices=None, enabled: bool = True, device_type: str = "cpu"):
    """A context after which the default generator is in the state it was in before."""
    before = (default_generator.engine, default_generator.get_state()) if enabled else None
    try:
        yield
    finally:
        if before is not None:
            default_generator.use_engine(before[0]).set_state(before[1])


for _function in (
    Generator,
    manual_seed,
    seed,
    initial_seed,
    get_rng_state,
    set_rng_state,
    thread_safe_generator,
):
    composite(_function)
composite(default_generator, name="default_generator")
