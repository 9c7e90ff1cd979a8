"""Along which dimensions of a mesh an op's results are cut, told from its jaxpr: what `placements.json` does not
show."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from functorch_lite._core.api import OPS
from functorch_lite.distributed._propagation import propagated, whole

TABLE = jax.ShapeDtypeStruct((4, 6), jnp.float32)
PLACES = jax.ShapeDtypeStruct((4, 6), jnp.int32)
ROWS = jax.ShapeDtypeStruct((4,), jnp.int32)


def results(name: str, cut: int, index: jax.ShapeDtypeStruct, *arguments) -> list:
    """The spec of an op's result for a tensor and a source that are cut along this dimension, as is an index of their
    shape."""
    spec = tuple([(0,) if d == cut else () for d in range(2)])
    fn = OPS[name].fn
    traced = jax.make_jaxpr(lambda x, i, y: fn(x, 0, i, y, *arguments))(TABLE, index, TABLE)
    return propagated(traced.jaxpr, [spec, spec if index.ndim == 2 else whole(1), spec], (2,))


@pytest.mark.parametrize("how", ["sum", "prod", "mean", "amax", "amin"])
def test_what_is_combined_along_one_dimension_stays_cut_along_another(how):
    assert results("scatter_reduce", 1, PLACES, how) == [((), (0,))]
    assert results("scatter_reduce", 0, PLACES, how) == [whole(2)]
    if how != "sum":
        assert results("index_reduce", 1, ROWS, how) == [((), (0,))]
        assert results("index_reduce", 0, ROWS, how) == [whole(2)]


def test_scatters():
    assert results("scatter", 1, PLACES) == results("scatter_add", 1, PLACES) == [((), (0,))]
    assert results("scatter", 0, PLACES) == results("scatter_add", 0, PLACES) == [whole(2)]
