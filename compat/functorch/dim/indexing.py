"""Tensors indexed with dimensions: x[i, j] binds them, x[i + 1, j] looks up, x[(i, j), k] splits; x[i, j] = y writes.

An index is read as in a loop over its first-class dimensions, in which each of them is a number. A dimension that
occurs alone, once, costs nothing: it denotes that axis of the tensor. If one occurs twice, or in other tensors of the
index, elements are gathered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from functorch_lite._core.api import Tensor as Plain
from functorch_lite._core.api import functions as torch

from .base import HANDLERS, Dim, DimensionBindError, FirstClass, dims_of, has, parts, place_of, wrapped
from .batching import aligned, positive
from .lists import DimList, flat
from .shapes import bind_sizes

__all__ = ["index"]

_ALL = slice(None)


class _Place:
    """Result of an index on one tensor: a view of it, and what its axes are."""

    def __init__(self, x: Any, given: Any):
        data, own = parts(x)
        entries = _entries(given, data.ndim - len(own))
        view, names = _viewed(data, own, entries)
        self.view: Plain = view
        """All of it that is not looked up, an axis for each of `names`."""
        self.names: list = names
        """A dimension; a tensor of places, which is to be looked up along that axis; or None for a positional one."""
        lookups = [n for n in names if n is not None and not isinstance(n, Dim)]
        within = dims_of(*lookups)

        def stands_alone(n: Any) -> bool:
            return isinstance(n, Dim) and not has(within, n) and sum(e is n for e in names) == 1

        self.looked_up = [k for k, n in enumerate(names) if n is not None and not stands_alone(n)]
        """The axes along which elements are looked up together."""
        self.bound = [k for k, n in enumerate(names) if stands_alone(n)]
        self.positional = [k for k, n in enumerate(names) if n is None]

    def moved(self) -> Plain:
        """The view, with what is looked up first, then what is bound, then the rest."""
        axes = [*self.looked_up, *self.bound, *self.positional]
        return self.view if axes == list(range(len(axes))) else self.view.permute(*axes)

    def tensors(self) -> tuple[tuple[Dim, ...], int, list]:
        """(the dimensions looked up over, how many positional ones, a tensor of places for each axis that is looked
        up)."""
        found = [self.names[k] for k in self.looked_up]
        within = dims_of(*found)
        ndim = max([t.ndim for t in found], default=0)
        return within, ndim, [aligned(t, within, ndim) for t in found]

    def where(self) -> int:
        """The number of positional axes before the looked-up ones: none, unless these are adjacent."""
        places = [k for k in self.looked_up if not isinstance(self.names[k], Dim) and self.names[k].ndim]
        if not places or any(self.names[k] is None for k in range(places[0], places[-1])):
            return 0
        return sum(k < places[0] for k in self.positional)


def _getitem(func: Callable, args: tuple, kwargs: dict) -> Any:
    x, given = args
    if (named := _only_names(x, given)) is not None:
        return named
    place = _Place(x, given)
    bound = [place.names[k] for k in place.bound]
    moved = place.moved()
    if not place.looked_up:
        return wrapped(moved, bound)
    within, ndim, tensors = place.tensors()
    found = moved[tuple(tensors)]
    n, at = len(within), place.where()
    first, middle = list(range(n, n + ndim)), n + ndim + len(bound)
    rest = list(range(middle, found.ndim))
    rest[at:at] = first
    axes = [*range(n), *range(n + ndim, middle), *rest]
    if axes != list(range(len(axes))):
        found = found.permute(*axes)
    return wrapped(found, [*within, *bound])


def _only_names(x: Any, given: Any) -> Any:
    """The tensor with names for its first positional dimensions, if the index is nothing else."""
    if type(given) is not tuple:
        given = (given,)
    data, own = parts(x)
    dims = [*own]
    for d in given:
        if type(d) is not Dim or has(dims, d):
            return None
        dims.append(d)
    if len(dims) > data.ndim:
        return None
    for d, n in zip(given, data.shape[len(own) :]):
        d.size = n
    return wrapped(data, dims)


def _setitem(func: Callable, args: tuple, kwargs: dict) -> None:
    x, given, value = args
    place = _Place(x, given)
    bound = [place.names[k] for k in place.bound]
    within, ndim, tensors = place.tensors()
    left = (*within, *bound)
    for d in dims_of(value):
        if not has(left, d):
            shown = (*left, *range(-len(place.positional), 0))
            raise DimensionBindError(
                f"rhs of setitem contains dimension {d} which is not in the dimension on the left ({shown})"
            )
    moved = place.moved()
    positional = ndim + len(place.positional)
    if isinstance(value, FirstClass):
        value = aligned(value, left, max(positional, value.ndim))
        while value.ndim > len(left) + positional and value.shape[len(left)] == 1:
            value = value.squeeze(len(left))
        if value.ndim > len(left) + positional:
            raise RuntimeError(
                f"shape mismatch: the value has {value.ndim - len(left)} positional dimensions, and the place it is written to {positional}"
            )
    if not place.looked_up:
        moved[...] = value
        return
    if place.where() and isinstance(value, Plain) and value.ndim > len(place.positional) - place.where():
        raise NotImplementedError(
            "writing where elements are looked up after a positional dimension: move that dimension last, with permute()"
        )
    if isinstance(value, Plain) and bound and value.ndim > len(left) - len(within):
        value = _behind(value.expand(*_sizes(left, moved, place, tensors)), len(within), len(bound), ndim)
    moved[tuple(tensors)] = value


def _sizes(left: tuple, moved: Plain, place: _Place, tensors: list) -> list[int]:
    """The sizes of what is written to: of the dimensions, then of the positional ones."""
    of_lookup = list(torch.broadcast_shapes(*[t.shape for t in tensors]))
    n, k = len(of_lookup), len(place.looked_up)
    of_rest = list(moved.shape[k:])
    within = len(left) - len(place.bound)
    return [
        *of_lookup[:within],
        *of_rest[: len(place.bound)],
        *of_lookup[within:n],
        *of_rest[len(place.bound) :],
    ]


def _behind(value: Plain, within: int, bound: int, ndim: int) -> Plain:
    """A value of (looked up, bound, positional looked up, rest) with the bound ones behind what is looked up."""
    first = list(range(within))
    middle = list(range(within, within + bound))
    looked = list(range(within + bound, within + bound + ndim))
    rest = list(range(within + bound + ndim, value.ndim))
    return value.permute(*first, *looked, *middle, *rest)


# -- reading an index ------------------------------------------------------------------------------------------------


def _entries(given: Any, ndim: int) -> list:
    """The parts of an index, one for each positional dimension and None: `...` and lists of dimensions are spelled
    out."""
    as_tuple = isinstance(given, tuple) or (isinstance(given, list) and any(isinstance(g, FirstClass | DimList) for g in given))  # fmt: skip
    items: list = []
    for g in given if as_tuple else (given,):
        items.extend(g) if isinstance(g, DimList) and g.is_bound else items.append(g)
    used = sum(_axes(g) for g in items)
    if used > ndim:
        raise ValueError(f"at least {used} indices were supplied but the tensor only has {ndim} dimensions")
    open_at = [k for k, g in enumerate(items) if g is Ellipsis or isinstance(g, DimList)]
    if len(open_at) > 1:
        raise DimensionBindError(
            "at most one ... or unbound dimension list can exist in indexing list but found "
            f"{len(open_at)} at offsets {' and '.join(map(str, open_at))}"
        )
    rest: list = [_ALL] * (ndim - used)
    if not open_at:
        return items + rest
    k = open_at[0]
    if isinstance(items[k], DimList):
        items[k].bind_len(len(rest))
        rest = list(items[k])
    return [*items[:k], *rest, *items[k + 1 :]]


def _axes(g: Any) -> int:
    """How many dimensions of the tensor a part of an index is for."""
    if g is None or g is Ellipsis or isinstance(g, bool | DimList):
        return 0
    if isinstance(g, Plain) and not isinstance(g, Dim) and g.dtype.category == 0:
        if isinstance(g, FirstClass):
            raise IndexError(
                "a mask with first-class dimensions chooses another number of elements at each of their places: use torch.where"
            )
        return g.ndim
    return 1


def _is_pack(g: Any) -> bool:
    return isinstance(g, tuple | list) and bool(g) and all(isinstance(d, Dim | DimList) for d in g)


def _viewed(data: Plain, own: tuple[Dim, ...], entries: list) -> tuple[Plain, list]:
    """(a view of data by all entries that are not lookups, the meaning of each axis of it)."""
    basic: list = [_ALL] * len(own)
    names: list = list(own)
    packs: list[tuple[int, list[Dim]]] = []
    axis = len(own)  # of data
    for g in entries:
        if _is_pack(g):
            pack = flat(tuple(g))
            bind_sizes(pack, data.shape[axis])
            packs.append((len(names), pack))
            names.append(None)
            basic.append(_ALL)
        elif isinstance(g, Dim):
            if not g.is_bound or not _appears_twice(g, own, entries):
                g.size = data.shape[axis]
            names.append(g)
            basic.append(_ALL)
        elif g is None or (isinstance(g, slice | int) and not isinstance(g, bool)):
            if not isinstance(g, int):
                names.append(None)
            basic.append(g)
        else:
            places = g if isinstance(g, FirstClass) else torch.as_tensor(g, device=data.device)
            if isinstance(places, Plain) and places.dtype.category == 0:
                chosen = places.nonzero(as_tuple=True)
                names += chosen
                basic += [_ALL] * len(chosen)
            else:
                names.append(places)
                basic.append(_ALL)
        axis += _axes(g)
    view = data if all(b is _ALL for b in basic) else data[tuple(basic)]
    for at, pack in reversed(packs):
        view = view.unflatten(at, [d.size for d in pack])
        names[at : at + 1] = pack
    return view, names


def _appears_twice(d: Dim, own: tuple[Dim, ...], entries: list) -> bool:
    """Returns whether a dimension in an index is used as a number, because another entry has it too."""
    others = [e for e in entries if isinstance(e, FirstClass) and not isinstance(e, Dim)]
    return has(own, d) or sum(e is d for e in entries) > 1 or has(dims_of(*others), d)


# -- index by dimension ----------------------------------------------------------------------------------------------


def index(self: Any, positions: Any, dims: Any) -> Any:
    """The tensor, indexed at some of its dimensions, one or a list of them. positions: first-class dimensions, or
    numbers of positional ones; a tuple within the list becomes one dimension first. dims: a number, slice, tensor or
    dimension for each.

    >>> from functorch_lite.compat.functorch.dim import dims, index
    >>> i = dims(1)
    >>> index(torch.arange(6).view(2, 3), 0, i).dims
    (i,)
    """
    if isinstance(positions, tuple | list | DimList):
        places, indices = list(positions), list(dims) if isinstance(dims, tuple | list | DimList) else [dims]
    else:
        places, indices = [positions], [dims]
    if len(places) != len(indices):
        raise ValueError(f"index: {len(places)} dimensions are indexed by {len(indices)}")
    named = [p for p in places if not isinstance(p, int)]
    moved = self.order(*named) if named else self
    numbers = [
        len(named) + positive(p, self.ndim) if isinstance(p, int) else place_of(p, named) for p in places
    ]
    full: list = [_ALL] * moved.ndim
    for n, g in zip(numbers, indices):
        full[n] = g
    return moved[tuple(full)]


HANDLERS["__getitem__"] = _getitem
HANDLERS["__setitem__"] = _setitem
HANDLERS["index"] = lambda func, args, kwargs: index(*args)
