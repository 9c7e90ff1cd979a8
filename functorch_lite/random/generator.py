"""Generator: a seed and a count of draws. Every draw has a key of its own made of the two."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._core.api import OPS, Tensor, apply, from_array, state, wrong_type
from .._core.api import devices as devices
from .mt19937 import STATE_SIZE, Twister

__all__ = [
    "ENGINES", "Generator", "begin_thread", "check_generator", "default_engine", "default_generator", "drawing", "exact_source", "next_key",
    "repeating", "set_default_engine", "take_back", "thread_safe_generator",
]  # fmt: skip

DEFAULT_SEED = 67280421310721


ENGINES = ("threefry", "mt19937")

_default_engine = "threefry"


class Generator:
    """A source of random numbers with its own seed: `torch.Generator`.

    Args:
        device: the device to which the generator belongs. Default: "cpu".
        engine: "threefry" (draws are counted; seed and count fix a draw, wherever it is computed)
            or "mt19937", whose draws are those of PyTorch on a CPU for the same seed. None (the
            default) is that of `torch.random.set_default_engine`.

    >>> generator = torch.Generator().manual_seed(0)
    >>> x = torch.rand(2, generator=generator)
    >>> torch.equal(x, torch.rand(2, generator=generator.manual_seed(0)))
    True
    """

    def __init__(self, device="cpu", engine: str | None = None):
        self._device = devices.resolve(device)
        self._seed = DEFAULT_SEED
        self._drawn = 0
        self._twister: Twister | None = None
        self.use_engine(engine or _default_engine)

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {hex(id(self))}>"

    @property
    def device(self):
        """The device it belongs to."""
        return self._device

    @property
    def engine(self) -> str:
        """The name of what makes its numbers: "threefry" or "mt19937"."""
        return "threefry" if self._twister is None else "mt19937"

    def use_engine(self, engine: str) -> Generator:
        """Changes the engine; the generator restarts from its seed if it had a different one. Returns the generator."""
        if engine not in ENGINES:
            raise ValueError(f"engine must be one of {ENGINES}, but got {engine!r}")
        if engine != self.engine:
            self._twister = Twister(self._seed) if engine == "mt19937" else None
            self._drawn = 0
        return self

    def manual_seed(self, seed: int) -> Generator:
        """Restarts from `seed`; returns the generator."""
        seed = int(seed)
        if not -0x8000_0000_0000_0000 <= seed <= 0xFFFF_FFFF_FFFF_FFFF:
            raise RuntimeError(f"Overflow when unpacking long: the seed {seed} does not fit in 64 bits")
        self._seed = seed % (1 << 64)
        self._drawn = 0
        if self._twister is not None:
            self._twister = Twister(self._seed)
        return self

    def seed(self) -> int:
        """Restarts from a seed that the operating system provides; returns it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1)
        return self._seed

    def initial_seed(self) -> int:
        """The seed it started from."""
        return self._seed

    def get_state(self) -> Tensor:
        """Returns its state as a uint8 tensor; with the engine "mt19937" in PyTorch's own layout."""
        if self._twister is not None:
            return from_array(self._twister.state(self._seed))
        words = np.array([self._seed, self._drawn], np.uint64)
        return from_array(words.view(np.uint8).copy())

    def set_state(self, new_state: Tensor) -> Generator:
        """Puts it in a state that get_state gave; with the engine "mt19937" also one that PyTorch gave for a CPU."""
        raw = np.array(new_state.numpy() if isinstance(new_state, Tensor) else new_state)
        if raw.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        expected = 16 if self._twister is None else STATE_SIZE
        if raw.size != expected:
            hint = "; use_engine('mt19937') takes PyTorch's states" if raw.size == STATE_SIZE else ""
            raise RuntimeError(
                f"Expected a state of size {expected} for the engine '{self.engine}' "
                f"but found the input RNG state size to be {raw.size}{hint}"
            )
        if self._twister is not None:
            self._twister, self._seed = Twister.from_state(raw)
            return self
        words = raw.view(np.uint64)
        self._seed, self._drawn = int(words[0]), int(words[1])
        return self

    def clone_state(self) -> Generator:
        """A generator in the same state."""
        twin = Generator(self._device, self.engine)
        twin.set_state(self.get_state())
        return twin

    def __deepcopy__(self, memo) -> Generator:
        return self.clone_state()

    def __reduce__(self):
        return _restore, (str(self._device), self.engine, self.get_state().numpy())

    def __setstate__(self, state: tuple) -> None:
        """Sets its seed, offset and state, as PyTorch's files have them for a CPU: it draws PyTorch's numbers from then
        on."""
        self.use_engine("mt19937").set_state(state[2])

    def graphsafe_get_state(self):
        """Not there for generators of a CPU, as in torch."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state) -> None:
        """Not there for generators of a CPU, as in torch."""
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    def get_offset(self) -> int:
        """Not there for generators of a CPU, as in torch."""
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> None:
        """Not there for generators of a CPU, as in torch."""
        raise RuntimeError("CPU Generator does not use offset")

    def key(self) -> np.ndarray:
        """The key of the next draw: two uint32 words; counts the draw."""
        if self._twister is not None:
            key = self._twister.words(2).astype(np.uint32)
        else:
            low, high = self._seed & 0xFFFFFFFF, self._seed >> 32
            count = self._drawn
            self._drawn += 1
            words = [
                (low ^ (high * 0x9E3779B9) ^ ((count >> 32) * 0x85EBCA6B)) & 0xFFFFFFFF,
                count & 0xFFFFFFFF,
            ]
            key = np.array(words, np.uint32)
        if _noted.keys is not None:
            _noted.keys.append((self, key))
        return key


class _Noted(threading.local):
    keys: list[tuple[Generator, np.ndarray | None]] | None = None
    repeats: Repeats | None = None


_noted = _Noted()


class Repeats:
    """The keys of a function's draws, for the next time it is run."""

    def __init__(self) -> None:
        self._kept: list[Any] = []
        self._left: Iterator[Any] | None = None

    def again(self) -> None:
        """From here on the same draws are repeated, in the same order."""
        self._left = iter(self._kept)

    def key(self, draw: Callable[[], Any]) -> Any:
        """Key that draw() gives, or gave. RuntimeError where it was not called so often."""
        if self._left is None:
            self._kept.append(draw())
            return self._kept[-1]
        for key in self._left:
            return key
        raise RuntimeError(
            "a function that must run twice with the same result draws more random numbers in its second run than in its first"
        )


@contextlib.contextmanager
def repeating() -> Iterator[Repeats]:
    """A context in which a function is run, `again()` is called, and the function is run once more with the same
    draws."""
    before, _noted.repeats = _noted.repeats, Repeats()
    try:
        yield _noted.repeats
    finally:
        _noted.repeats = before


@contextlib.contextmanager
def drawing() -> Iterator[list[tuple[Generator, np.ndarray | None]]]:
    """A context in which this thread's draws are recorded ops of keys, which are noted with the generators that they
    are of; None for draws that are not."""
    before, _noted.keys = _noted.keys, []
    try:
        yield _noted.keys
    finally:
        _noted.keys = before


def take_back(keys: list[tuple[Generator, np.ndarray | None]]) -> None:
    """Undoes draws that were noted: the next ones are they."""
    for generator, key in keys:
        if key is not None:
            generator._drawn -= 1


def _restore(device: str, engine: str, raw: np.ndarray) -> Generator:
    made = Generator(device, engine)
    made.set_state(raw)  # type: ignore[arg-type]
    return made


default_generator = Generator()


def set_default_engine(engine: str) -> None:
    """Chooses the engine of random numbers: for the default generator, which restarts from its seed, and for
    generators made later.

    "threefry", the default, is counter based: draws can be made on any device, inside compiled programs and transforms. "mt19937" gives the same numbers as PyTorch on a CPU for the same seed, bit
    for bit, for `rand`, `randint`, `randperm`, `bernoulli`, `uniform_`, `exponential_`, `random_`, `cauchy_`,
    `geometric_`, `log_normal_`, `multinomial` and masks of dropout; for `randn` and `normal_` to one unit in the
    last place (float32 and float64). Draws are then made on the host, one after the other. Functions that are not
    in this list (such as `poisson`) are random and reproducible, but differ from PyTorch's.

    >>> torch.random.set_default_engine("mt19937")
    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    >>> torch.random.set_default_engine("threefry")
    """
    global _default_engine
    default_generator.use_engine(engine)
    _default_engine = engine


def default_engine() -> str:
    """The name of the engine of the default generator."""
    return default_generator.engine


_thread = threading.local()


def begin_thread(seed: int) -> None:
    """Gives this thread a generator of its own: called where a worker thread of a DataLoader starts."""
    _thread.generator = Generator().manual_seed(seed)


def thread_safe_generator() -> Generator | None:
    """Returns, in a worker thread of a DataLoader, that thread's own generator, elsewhere None: the default generator.

    >>> torch.thread_safe_generator()
    """
    return getattr(_thread, "generator", None)


_DIFFERENT = (
    "vmap(randomness='different') is not supported with the engine 'mt19937', whose draws come one after the other; "
    "use torch.random.set_default_engine('threefry'), or randomness='same'"
)


def check_generator(generator: Any, function: str = "", position: int = 0) -> None:
    """torch's TypeError for what is neither None nor a Generator."""
    if generator is not None and not isinstance(generator, Generator):
        raise wrong_type(generator, "torch.Generator", function, "generator", position)


def exact_source(generator: Generator | None) -> Twister | None:
    """Returns the source of PyTorch's numbers, if the generator's engine is "mt19937"; None if its draws are functions
    of a key."""
    check_generator(generator)
    source = (generator or default_generator)._twister
    if source is None:
        return None
    if _noted.keys is not None:
        _noted.keys.append((generator or default_generator, None))
    rec = state.rec
    while rec.level:
        mode, _ = rec.randomness
        if mode == "error":
            raise RuntimeError(_RANDOM_IN_VMAP)
        if mode == "different":
            raise NotImplementedError(_DIFFERENT if rec.kind.batches else f"{rec.kind}: {_DIFFERENT}")
        rec = rec.outer
    return source


_RANDOM_IN_VMAP = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness "
    "flags on vmap or perform the randomness operation out of vmap"
)


def next_key(generator: Generator | None) -> Any:
    """The key of the next draw: a numpy array when the draw may run on the host, else a tensor of this level.

    In vmap it follows `randomness=`: the same key for all lanes, one for each, or an error. Steps of a loop have keys
    of their own.
    """
    rec = state.rec
    lanes = []
    while rec.level:
        mode, lane = rec.randomness
        if mode == "error":
            raise RuntimeError(_RANDOM_IN_VMAP)
        if mode == "different":
            if lane is None:
                raise NotImplementedError(f"{rec.kind}: randomness='different' is not supported; use 'same'")
            lanes.append(lane)
        rec = rec.outer
    check_generator(generator)

    def draw() -> Any:
        key = (generator or default_generator).key()
        if not state.rec.level and _noted.keys is None:
            return key
        t = from_array(key, on=devices.ANY)
        t._cell.level = 0
        return t

    t = draw() if _noted.repeats is None else _noted.repeats.key(draw)
    for lane in lanes:
        t = apply(OPS["_fold_key"], (), (t, lane))
    return t


def key_tensor(generator: Generator | None = None) -> Tensor:
    """next_key, always as a tensor."""
    key = next_key(generator)
    return key if isinstance(key, Tensor) else from_array(key, on=devices.ANY)
