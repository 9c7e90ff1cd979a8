"""Builder: makes nodes of ONNX, and the constants that they read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .._core.api import Tensor, int64
from .sizes import Size, product

__all__ = ["RULES", "Builder", "Value", "dim_of", "rule"]

RULES: dict[str, Any] = {}
"""What writes an op: by the name of aten's op, without its overload, or of an op that is the library's own."""


def rule(*names: str):
    """Registers a function of a Builder and of aten's arguments as what writes the ops of these names."""

    def register(fn):
        RULES.update(dict.fromkeys(names, fn))
        return fn

    return register


class Value(NamedTuple):
    """Result of a node: its name in the model, its dtype, and its shape of numbers and Sizes (None if it is not
    needed)."""

    name: str
    dtype: Any
    shape: tuple[Any, ...] | None = None

    @property
    def ndim(self) -> int:
        """The number of dims."""
        assert self.shape is not None, self.name
        return len(self.shape)


def dim_of(dim: int, ndim: int) -> int:
    """A dim, counted from the first."""
    return dim % ndim if ndim else 0


class Builder:
    """The model in the making.

    Called as `b("Add", x, y)` it makes a node and gives its Value, of the dtype and shape of the first input unless
    said otherwise; with `outputs=n` a tuple of Values. For the step being written, `op` is aten's name, and `dtypes`
    and `shapes` describe each result.
    """

    def __init__(self, opset: int):
        import onnx

        self._onnx, self.opset = onnx, opset
        self.nodes: list[Any] = []
        self.initializers: dict[str, Any] = {}
        self.known: dict[str, np.ndarray] = {}
        self.open: dict[str, tuple[Value, int]] = {}
        """Of an open size, an input of the model and its dim of that size."""
        self.linear: dict[str, tuple[Value, Value, Value | None]] = {}
        """Of the result of a linear layer, by its name, what it is computed of."""
        self.dtypes: list[Any] = []
        self.shapes: list[tuple[Any, ...]] = []
        self.op = self.name = ""
        self._made: dict[Any, Value] = {}
        self._names: dict[str, int] = {}
        self._taken: set[str] = set()

    # -- what the step gives

    @property
    def dtype(self) -> Any:
        """The dtype of the first result."""
        return self.dtypes[0]

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape of the first result."""
        return self.shapes[0]

    # -- nodes

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        k = self._names.get(stem, 0)
        while (name := f"{stem}_{k}" if k else stem) in self._taken:
            k += 1
        self._names[stem] = k + 1
        self._taken.add(name)
        return name

    def __call__(
        self,
        op: str,
        *inputs: Value | None,
        outputs: int = 1,
        dtype: Any = None,
        shape: Any = None,
        **attributes: Any,
    ) -> Any:
        names = [self.fresh(self.name or op.lower()) for _ in range(outputs)]
        given = [x.name if x is not None else "" for x in inputs]
        while given and not given[-1]:
            given.pop()
        self.nodes.append(
            self._onnx.helper.make_node(op, given, names, name=f"node_{names[0]}", **attributes)
        )
        first = next((x for x in inputs if x is not None), None)
        if dtype is None:
            dtype = first.dtype if first is not None else self.dtype
        if shape is None and first is not None:
            shape = first.shape
        made = [Value(n, dtype, shape) for n in names]
        return made[0] if outputs == 1 else tuple(made)

    def code(self, dtype: Any) -> int:
        """ONNX's number of a dtype."""
        return self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype.np))

    # -- constants

    def constant(self, array: Any, dtype: Any) -> Value:
        """An array as a constant; equal ones are one."""
        array = np.asarray(array, dtype.np)
        key = (array.tobytes(), array.shape, str(array.dtype))
        if key not in self._made:
            self._made[key] = self.initializer(self.fresh("constant"), array, dtype)
        return self._made[key]

    def initializer(self, name: str, array: np.ndarray, dtype: Any) -> Value:
        """An array under a name of its own."""
        self.initializers[name] = self._onnx.numpy_helper.from_array(
            np.ascontiguousarray(array).reshape(array.shape), name
        )
        self.known[name] = array
        return Value(name, dtype, tuple(array.shape))

    def ints(self, numbers: Sequence[int]) -> Value:
        """A vector of numbers."""
        return self.constant(list(numbers), int64)

    def cast(self, x: Any, dtype: Any) -> Value:
        """A Value of this dtype; a Python number or a Size becomes one."""
        if isinstance(x, Size):
            x = self("Squeeze", self.size(x), self.ints([0]), shape=())
        if not isinstance(x, Value):
            return self.constant(x, dtype)
        if x.dtype is dtype:
            return x
        key = (x.name, dtype)
        if key not in self._made:
            self._made[key] = self("Cast", x, to=self.code(dtype), dtype=dtype)
        return self._made[key]

    # -- sizes

    def size(self, x: Any) -> Value:
        """A number or a Size, as a vector of one element."""
        if not isinstance(x, Size):
            return self.ints([int(x)])
        if x in self._made:
            return self._made[x]
        if (symbol := x.symbol) is not None:
            source, dim = self.open[symbol]
            made = self("Shape", source, start=dim, end=dim + 1, dtype=int64, shape=(1,))
        else:
            below = math.lcm(*[Fraction(c).denominator for c in x.terms.values()])
            parts = []
            for names, c in x.terms.items():
                part = self.ints([int(c * below)]) if c * below != 1 or not names else None
                for n in names:
                    s = self.size(Size({(n,): Fraction(1)}))
                    part = s if part is None else self("Mul", part, s)
                parts.append(part)
            made = parts[0]
            for part in parts[1:]:
                made = self("Add", made, part)
            made = self("Div", made, self.ints([below])) if below != 1 else made
        self._made[x] = made
        return made

    def sizes(self, numbers: Sequence[Any]) -> Value:
        """Numbers and Sizes as a vector."""
        if not any(isinstance(n, Size) for n in numbers):
            return self.ints([int(n) for n in numbers])
        key = tuple(numbers)
        if key not in self._made:
            parts = [self.size(n) for n in numbers]
            self._made[key] = (
                parts[0] if len(parts) == 1 else self("Concat", *parts, axis=0, shape=(len(parts),))
            )
        return self._made[key]

    # -- what many rules need

    def reshape(self, x: Value, shape: Sequence[Any]) -> Value:
        """The elements of x in another shape. A size that stays where it is is copied, and one that is left over is
        inferred: then nothing is computed of sizes."""
        shape = tuple(shape)
        assert x.shape is not None
        if shape == tuple(x.shape):
            return x
        want: list[Any] = list(shape)
        for k, n in enumerate(want):
            if isinstance(n, Size) and k < len(x.shape) and x.shape[k] == n:
                want[k] = 0
        left = [k for k, n in enumerate(want) if isinstance(n, Size)]
        if 0 in shape:
            return self("Reshape", x, self.sizes(shape), allowzero=1, shape=shape)
        if len(left) == 1:
            want[left[0]] = -1
        elif left:
            want = list(shape)
        return self("Reshape", x, self.sizes(want), shape=shape)

    def expand(self, x: Value, shape: Sequence[Any]) -> Value:
        """x, broadcast."""
        shape = tuple(shape)
        assert x.shape is not None
        if shape == tuple(x.shape):
            return x
        old = (1,) * (len(shape) - len(x.shape)) + tuple(x.shape)
        return self("Expand", x, self.sizes([1 if n == m else n for n, m in zip(shape, old)]), shape=shape)

    def transpose(self, x: Value, order: Sequence[int]) -> Value:
        """x with its dims in another order."""
        assert x.shape is not None
        if list(order) == list(range(len(order))):
            return x
        return self("Transpose", x, perm=list(order), shape=tuple([x.shape[d] for d in order]))

    def numel(self, x: Value, dims: Sequence[int] | None = None) -> Any:
        """The number of elements along dims."""
        assert x.shape is not None
        return product([x.shape[d] for d in (range(len(x.shape)) if dims is None else dims)])

    def unsqueeze(self, x: Value, dims: Sequence[int]) -> Value:
        """x with dims of size 1, counted in the result."""
        assert x.shape is not None
        shape = list(x.shape)
        for d in sorted(dims):
            shape.insert(d, 1)
        return self("Unsqueeze", x, self.ints(dims), shape=tuple(shape)) if dims else x

    def squeeze(self, x: Value, dims: Sequence[int]) -> Value:
        """x without dims of size 1."""
        assert x.shape is not None
        return (
            self(
                "Squeeze",
                x,
                self.ints(dims),
                shape=tuple([n for d, n in enumerate(x.shape) if d not in dims]),
            )
            if dims
            else x
        )

    def slice(self, x: Value, dim: int, start: Any, stop: Any, step: int = 1) -> Value:
        """The part of x from start to stop along a dim."""
        assert x.shape is not None
        shape = list(x.shape)
        shape[dim] = None
        return self(
            "Slice",
            x,
            self.sizes([start]),
            self.sizes([stop]),
            self.ints([dim]),
            self.ints([step]),
            shape=tuple(shape),
        )

    def held(self, tensor: Tensor) -> np.ndarray:
        """A tensor's numbers."""
        return np.asarray(
            tensor.detach().numpy() if tensor.dtype.np.name != "bfloat16" else tensor._cell.value.array
        )
