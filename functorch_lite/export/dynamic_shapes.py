"""Dims: sizes that `export` leaves open, and how a user says which ones they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Never

from .._core.api import Tensor
from ..api_names import listed
from ..utils import _pytree as pytree
from .arguments import MOST as _MOST
from .arguments import named_arguments as _named_arguments

__all__ = ["AdditionalInputs", "Dim", "dims"]
__dir__ = listed(__name__)


class _DimHint:
    """Request for a size without a name: `Dim.AUTO`, `Dim.DYNAMIC` or `Dim.STATIC`. A call bounds it:
    `Dim.AUTO(min=2, max=8)`."""

    def __init__(self, kind: str, min: int | None = None, max: int | None = None):
        self.type, self.min, self.max = kind, min, max

    def __call__(self, min: int | None = None, max: int | None = None) -> _DimHint:
        if self.type == "STATIC":
            raise TypeError("'DimHint' object is not callable")
        return _DimHint(self.type, min, max)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _DimHint) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.type, self.min, self.max))

    def __repr__(self) -> str:
        bounds = [f"{n}={x}" for n, x in (("min", self.min), ("max", self.max)) if x is not None]
        return f"DimHint({', '.join([self.type, *bounds])})"


class Dim:
    """A size with a name that `export` leaves open.

    Places with one Dim have one size; `2 * batch` and `length + 1` are sizes that follow from others.

    `Dim.AUTO`: open if the program lets it. `Dim.DYNAMIC`: open, or an error. `Dim.STATIC`: as in the example.

    Raises AssertionError for a name that is not a Python identifier, and for min > max; NotImplementedError for a
    multiple that is not a positive int.

    >>> batch = torch.export.Dim("batch", min=1, max=64)
    >>> batch, 2 * batch, batch + 1
    (Dim('batch', min=1, max=64), 2*batch, batch + 1)
    """

    AUTO = _DimHint("AUTO")
    DYNAMIC = _DimHint("DYNAMIC")
    STATIC = _DimHint("STATIC")

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None):
        self.min = 0 if min is None else min
        self.max = _MOST if max is None else max
        if self.max < self.min:
            raise AssertionError(f"Cannot create Dim with inconsistent min={min}, max={max}")
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.__name__ = name

    def __add__(self, other: Any) -> Dim:
        if type(other) is not int:
            return _not_whole(f"add {other} to {self.__name__}")
        return _DerivedDim(self, 1, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dim:
        if type(other) is not int:
            return _not_whole(f"subtract {other} from {self.__name__}")
        return _DerivedDim(self, 1, -other)

    def __rsub__(self, other: Any) -> Dim:
        raise NotImplementedError(f"Attempted to negate {self.__name__}. {_LINEAR}")

    def __mul__(self, other: Any) -> Dim:
        if type(other) is not int or other <= 0:
            return _not_whole(f"multiply {other!r} with {self.__name__}", "a positive integer")
        return _DerivedDim(self, other, 0)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        low = [f"min={self.min}"] if self.min != 2 else []
        high = [f"max={self.max}"] if self.max != _MOST else []
        return f"Dim({', '.join([repr(self.__name__), *low, *high])})"


class _DerivedDim(Dim):
    """A size that follows from a Dim, its root: `factor * root + offset`."""

    def __init__(self, of: Dim, factor: int, offset: int):
        if isinstance(of, _DerivedDim):
            self.root, self.factor, self.offset = of.root, of.factor * factor, of.offset * factor + offset
        else:
            self.root, self.factor, self.offset = of, factor, offset
        scaled = self.root.__name__ if self.factor == 1 else f"{self.factor}*{self.root.__name__}"
        more = f" {'+' if self.offset > 0 else '-'} {abs(self.offset)}" if self.offset else ""
        self.__name__ = scaled + more

    def of_root(self, n: int) -> int:
        """The size where the root's is n."""
        return self.factor * n + self.offset

    @property
    def min(self) -> int:  # type: ignore[override]
        """The least size."""
        return self.of_root(self.root.min)

    @property
    def max(self) -> int:  # type: ignore[override]
        """The largest size."""
        return _MOST if self.root.max == _MOST else self.of_root(self.root.max)

    def __repr__(self) -> str:
        return self.__name__


_LINEAR = "(Only increasing linear operations with integer coefficients are supported.)"


def _not_whole(what: str, expected: str = "an integer") -> Never:
    raise NotImplementedError(f"Attempted to {what}, where {expected} was expected. {_LINEAR}")


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Several `Dim`s.

    >>> torch.export.dims("a", "b")
    (Dim('a', min=0), Dim('b', min=0))
    """
    return tuple([Dim(name, min=min, max=max) for name in names])


# -- which sizes of which tensors --------------------------------------------------------------------------------------


class ShapesCollection:
    """Open sizes, by tensor instead of by place: `shapes[x] = {0: Dim.DYNAMIC}`.

    >>> x, shapes = torch.ones(3, 2), torch.export.ShapesCollection()
    >>> shapes[x] = {0: torch.export.Dim.DYNAMIC}
    >>> shapes.dynamic_shapes(torch.nn.Linear(2, 2), (x,))
    {'input': {0: DimHint(DYNAMIC)}}
    """

    def __init__(self) -> None:
        self._shapes: dict[int, Any] = {}
        self._held: list[Any] = []

    def __setitem__(self, t: Any, shape: Any) -> None:
        if not isinstance(t, Tensor):
            raise AssertionError(f"Cannot assign shape to non-tensor type {type(t)}")
        if id(t) in self._shapes and self._shapes[id(t)] != shape:
            raise AssertionError(f"Shapes assigned to tensor do not match: expected {self._shapes[id(t)]}, got {shape}")  # fmt: skip
        self._shapes[id(t)] = shape
        self._held.append(t)

    def __getitem__(self, t: Any) -> Any:
        return self._shapes.setdefault(id(t), {})

    def __len__(self) -> int:
        return len(self._shapes)

    def dynamic_shapes(self, m: Any, args: tuple, kwargs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The `dynamic_shapes` that `export` takes, for these arguments.

        Raises ValueError for a tensor that is none of them."""
        found = set()

        def shape(x: Any) -> Any:
            found.add(id(x))
            return self._shapes.get(id(x)) if isinstance(x, Tensor) else None

        named = pytree.tree_map(shape, _named_arguments(m, args, kwargs or {}))
        if missing := self._shapes.keys() - found:
            raise ValueError(f"Some tensors that were assigned shapes were not found in args. {len(missing)} of them")  # fmt: skip
        return named


class AdditionalInputs:
    """Further examples: sizes that differ among them are open.

    >>> more = torch.export.AdditionalInputs()
    >>> more.add((torch.ones(5, 2),))
    >>> more.dynamic_shapes(torch.nn.Linear(2, 2), (torch.ones(4, 2),))
    {'input': (DimHint(DYNAMIC), None)}
    """

    def __init__(self) -> None:
        self._examples: list[tuple[tuple, dict[str, Any]]] = []

    def add(self, args: tuple, kwargs: Mapping[str, Any] | None = None) -> None:
        """One more."""
        if type(args) is not tuple:
            raise AssertionError(f"Representative args {args} must be a tuple")
        self._examples.append((args, dict(kwargs or {})))

    def dynamic_shapes(self, m: Any, args: tuple, kwargs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The `dynamic_shapes` that `export` takes. Raises ValueError where the examples differ in more than sizes."""
        named = [_named_arguments(m, *each) for each in ((args, kwargs or {}), *self._examples)]
        first, *others = [pytree.tree_flatten(each) for each in named]
        if any(spec != first[1] for _, spec in others):
            raise ValueError("The additional inputs are nested in another way than the arguments")
        shapes = [_differing([each[0][k] for each in (first, *others)]) for k in range(len(first[0]))]
        return pytree.tree_unflatten(shapes, first[1])

    def verify(self, ep: Any) -> None:
        """Calls the program with all of them."""
        for args, kwargs in self._examples:
            ep.module()(*args, **kwargs)


def _differing(values: list[Any]) -> Any:
    first = values[0]
    if isinstance(first, Tensor) and all(isinstance(v, Tensor) and v.ndim == first.ndim for v in values):
        return tuple([Dim.DYNAMIC if len(set(sizes)) > 1 else None for sizes in zip(*[v.shape for v in values])])  # fmt: skip
    if any(type(v) is not type(first) or v != first for v in values):
        raise ValueError(f"Additional inputs that differ in a value, {first!r}, cannot be exported as one program")  # fmt: skip
    return None
