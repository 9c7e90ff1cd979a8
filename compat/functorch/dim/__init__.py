"""functorch.dim: first-class dimensions.
Dimensions are objects; a tensor is indexed with them, and what is done to it is done at each of their places.

`x[i, j]` makes axes of a tensor the dimensions i and j; functions are batched over them, `sum(j)` and its like work
along them, and `order(j, i)` makes them positional again. `(x[i, k] * y[k, j]).sum(k)` is one matrix product. A
dimension is also a tensor: the index of each of its places. Importing this turns overrides on (see torch.overrides);
tensors without first-class dimensions cost as much as before otherwise.
"""

from __future__ import annotations

from functorch_lite._core.api import overrides
from functorch_lite.api_names import NotHere, close, what_is_missing
from functorch_lite.nn.functional import softmax
from functorch_lite.utils._pytree import tree_flatten, tree_map, tree_unflatten

from .base import Dim, DimensionBindError, DimensionMismatchError, Tensor
from .indexing import index
from .lists import DimList, dimlists, dims
from .products import dot
from .shapes import cat, split, stack

__all__ = [
    "Dim", "DimList", "DimensionBindError", "DimensionMismatchError", "Tensor", "cat", "dimlists", "dims", "dot", "index", "softmax",
    "split", "stack", "tree_flatten", "tree_map", "tree_unflatten",
]  # fmt: skip

overrides.turn_on()
close(__name__)


def __getattr__(name: str):
    text, why = f"module '{__name__}' has no attribute '{name}'", what_is_missing("functorch.dim", name)
    raise AttributeError(text) if why is None else NotHere(f"{text}: {why}")
