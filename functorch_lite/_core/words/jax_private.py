"""The private names of JAX's that the library uses, all of them: what each is for, and what stands in for it in a JAX
that has it no more.

No other file names `jax._src` or an attribute of JAX's that begins with an underscore (`tests/test_versions.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax._src import api, xla_bridge
from jax._src.api_util import debug_info
from jax._src.core import pytype_aval_mappings  # type: ignore[attr-defined]
from jax._src.interpreters.partial_eval import trace_to_jaxpr_dynamic
from jax._src.lib import _jax, xla_client  # type: ignore[attr-defined]
from jax._src.linear_util import wrap_init
from jax.extend.core import ClosedJaxpr

__all__ = [
    "SERVICE", "at_exit", "gloo", "has_started", "key_functions", "make_client", "makers_of_avals", "meet_at", "traced",
]  # fmt: skip

has_started = xla_bridge.backends_are_initialized
"""Whether XLA runs in this process: then a forked child has none, and the number of threads is settled.

Without it: a note in `device.py` of the first device that is asked for, which misses those that a program asks JAX for
itself."""

at_exit = getattr(api, "clean_up", None)
"""JAX's function for the end of a process, to be left out in a forked child, where it would wait for ever. Without it
(None): nothing, if JAX does nothing then; else the child ends by `os._exit`."""

makers_of_avals = pytype_aval_mappings
"""By type, what JAX's transformations take an argument for; of a Tensor, an error that says what to call.

Without it: JAX's own error, which speaks of `__jax_array__`."""


def key_functions(dtype: Any) -> Any:
    """The functions of the generator that keys of this dtype are of, on the data of one.

    Without it: `jax.random`'s functions of a key, between `wrap_key_data` and `key_data`, traced for the name that
    `jax.random.key_impl` gives."""
    return dtype._impl


_UNNAMED = debug_info("make_jaxpr", lambda: None, (), {}).with_unknown_names()


def traced(f: Callable[..., Sequence], structs: Sequence[jax.ShapeDtypeStruct]) -> ClosedJaxpr:
    """The jaxpr of a function of arrays that returns a list of arrays, at these shapes and dtypes. It takes a third of
    the time of `jax.make_jaxpr`, which asks the caches of `jax.jit` first, and leaves an entry there.

    Without it: `jax.make_jaxpr(f)(*structs)`."""
    avals = [jax.core.ShapedArray(s.shape, s.dtype, s.weak_type) for s in structs]
    jaxpr, _, constants = trace_to_jaxpr_dynamic(wrap_init(f, debug_info=_UNNAMED), avals)
    return ClosedJaxpr(jaxpr, constants)


# -- processes that work together -------------------------------------------------------------------------------------
# JAX's public way, `jax.distributed.initialize`, settles how a process works with others before XLA starts, and once.
# Without these names: that, called by `init_process_group`, which must then be the first thing that a process does.

SERVICE = ("jaxlib._jax", "get_distributed_runtime_service")
"""Module and name of the function that makes the service that processes meet at, for a process that imports no more
than jaxlib."""

meet_at = _jax.get_distributed_runtime_client
"""A client of that service."""

gloo = _jax.make_gloo_tcp_collectives
"""Collectives between processes, which find each other by such a client."""

make_client = xla_client.make_cpu_client
"""A client of XLA beside JAX's own, whose devices are of several processes."""
