"""The disk, where programs may be kept from process to process: what makes, keeps and finds them asks here.
Nothing is kept until `kept/` is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import jax

from ..lazy.trie import TrieNode
from ..words.device import device
from .pending import Pending
from .schedule import Ticket

__all__ = ["Name", "keep_in", "store"]


class Name(Protocol):
    """Name by which a program on disk is found. `function`: the name of the function that is compiled."""

    @property
    def function(self) -> str: ...


class Store(Protocol):
    """Where programs are kept.

    recording  names what is recorded: steps, the externals that they read, and the slots that are live, of a Pending;
               None if it has no name
    name       names a program: what is recorded, what else decides on its code, its applied ops, and its device; None
               if nothing is kept
    has        whether the program of a name is there
    found      the program of a name, which takes so many arguments; None if it is not there, or damaged
    compile    compiles, and says whether XLA did that now, so that the program can be kept
    keep       keeps a program under its name
    begin      is called before the first program is compiled
    """

    recording: Callable[[Sequence[TrieNode], Sequence[int], Sequence[int], Pending], str | None]
    name: Callable[[str, Sequence[Any], Sequence[Any], device], Name | None]
    has: Callable[[Name], bool]
    found: Callable[[Name, int], Any]
    compile: Callable[[jax.stages.Lowered], tuple[jax.stages.Compiled, bool]]
    keep: Callable[[Name, jax.stages.Compiled], None]
    begin: Callable[[], None]


class Ledger(Protocol):
    """The seconds that NumPy spent on recordings in earlier processes.

    spent  returns those of a Pending
    note   has those of a Pending, whose Ticket counts them, added for processes to come
    """

    spent: Callable[[Pending], float]
    note: Callable[[Pending, Ticket], None]


class Nowhere:
    """Where nothing is kept."""

    def recording(self, *_: Any) -> None: ...

    def name(self, *_: Any) -> None: ...

    def has(self, name: Name) -> bool:
        return False

    def found(self, name: Name, n_arguments: int) -> None: ...

    def compile(self, lowered: jax.stages.Lowered) -> tuple[jax.stages.Compiled, bool]:
        return lowered.compile(), False

    def keep(self, name: Name, compiled: jax.stages.Compiled) -> None: ...

    def begin(self) -> None: ...

    def spent(self, pending: Pending) -> float:
        return 0.0

    def note(self, pending: Pending, ticket: Ticket) -> None: ...


store: Any = Nowhere()
"""A Store, or a module that has its functions."""
ledger: Any = store
"""A Ledger, or a module that has its functions."""


def keep_in(new_store: Any, new_ledger: Any) -> None:
    """Sets where programs are kept from here on (a Store), and what they are kept for (a Ledger)."""
    global store, ledger
    store, ledger = new_store, new_ledger
