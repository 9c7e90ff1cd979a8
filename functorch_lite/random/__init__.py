"""torch.random: seeds, generator state, and (as functions of the torch namespace) everything that draws."""

from __future__ import annotations

import contextlib

from .._core.api import composite
from ..api_names import listed
from . import draws as draws  # registers the samplers
from . import in_place as in_place
from . import multinomial as multinomial
from .generator import (
    Generator,
    default_generator,
    thread_safe_generator,
)
from .generator import (
    default_engine as default_engine,
)
from .generator import (
    key_tensor as key_tensor,
)
from .generator import (
    next_key as next_key,
)
from .generator import (
    set_default_engine as set_default_engine,
)

__all__ = [
    "fork_rng", "get_rng_state", "initial_seed",
    "manual_seed", "seed", "set_rng_state", "thread_safe_generator",
]  # fmt: skip
__dir__ = listed(__name__, "Generator", "default_engine", "default_generator", "set_default_engine")


def manual_seed(seed: int) -> Generator:
    """Seeds the default generator; returns it.

    Args:
        seed: the seed: an int that fits in 64 bits.

    >>> generator = torch.manual_seed(0)
    >>> x = torch.rand(2)
    >>> generator = torch.manual_seed(0)
    >>> torch.equal(x, torch.rand(2))
    True
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seeds the default generator from the operating system; returns the seed.

    >>> isinstance(torch.seed(), int)
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The default generator's seed.

    >>> generator = torch.manual_seed(3)
    >>> torch.initial_seed()
    3
    """
    return default_generator.initial_seed()


def get_rng_state():
    """The default generator's state, a uint8 tensor.

    >>> torch.get_rng_state().dtype
    torch.uint8
    """
    return default_generator.get_state()


def set_rng_state(new_state) -> None:
    """Puts the default generator in a state that get_rng_state gave.

    Args:
        new_state: a state, as `torch.get_rng_state` returns it.

    >>> state = torch.get_rng_state()
    >>> x = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(x, torch.rand(2))
    True
    """
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
