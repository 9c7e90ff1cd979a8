"""JAX functions as ops: recorded, differentiated and batched like any other, instead of leaving the program by `to_jax`
and coming back.

A function is traced once for each structure and kind of its arguments. Captured values (a table, a captured array)
become inputs of the op, so the op holds no arrays. The op and its trace are cached for as long as the function lives.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun
from jax.tree_util import tree_flatten, tree_unflatten

from functorch_lite._core.api import (
    ANY,
    CPU,
    ESCAPED,
    META,
    DerivedOp,
    Tensor,
    apply_op,
    capturing,
    concrete,
    device,
    dtypes,
    from_array,
    is_numpys,
    is_scalar,
    jax_device,
    make_tensor,
    number_value,
    of_jax,
    overrides,
    read,
    state,
    tracing,
)

__all__ = ["jax_function"]


def jax_function(
    fn: Callable | None = None, *, static_argnums: Any = None, static_argnames: Any = None
) -> Any:
    """A JAX function as an op on Tensors: `jax_function(f)`, or `@jax_function` above its definition.

    Arguments are pytrees. Tensors, arrays of NumPy's and JAX's (keys of random numbers too) are passed to f as JAX
    arrays; Python's floats and complex numbers as weakly typed ones, so that a new number compiles nothing.
    Everything else is static: f receives the int, bool, string or function itself, and is traced again for a
    different one (pass an int that counts as np.int32). Arguments in `static_argnums` and `static_argnames`, which
    are jax.jit's, are static as well. Results are what f returns, with Tensors for arrays.

    f is traced as by jax.jit, with 64-bit types enabled: results have the dtypes that it gives them then
    (`jnp.arange(3.0)` is float64). Tensors are to be arguments: one that f captures is refused. Its derivatives are
    JAX's, with the rules of custom_jvp and custom_vjp; complex gradients follow torch's convention. Make the op once:
    a new function object, even with the same code, is compiled again.

    Args:
        fn: the JAX function. None (the default) returns a decorator.
        static_argnums: the positions of static arguments, as `jax.jit` takes them. None is the
            default.
        static_argnames: the names of static arguments, as `jax.jit` takes them. None is the
            default.

    >>> i0 = jax_function(jax.scipy.special.i0)
    >>> torch.func.grad(i0)(torch.tensor(1.0))
    tensor(0.5652)
    """
    if fn is None:
        return functools.partial(jax_function, static_argnums=static_argnums, static_argnames=static_argnames)
    if not callable(fn):
        raise TypeError(f"jax_function(): argument 'fn' must be callable, not {type(fn).__name__}")
    numbers, names = _static_places(fn, static_argnums, static_argnames)
    traces = _traces_of(fn)

    # What overrides are told of, some of which go by names: it is not torch's function of that name.
    def named(*args, **kwargs):
        return op(*args, **kwargs)

    named.__name__ = named.__qualname__ = _who(fn)

    @functools.wraps(fn)
    def op(*args, **kwargs):
        given: Any = (args, kwargs)
        if numbers or names:
            n = len(args)
            static = {i % n for i in numbers if -n <= i < n}
            given = (
                tuple([_Static(x) if i in static else x for i, x in enumerate(args)]),
                {k: _Static(x) if k in names else x for k, x in kwargs.items()},
            )
        leaves, structure = tree_flatten(given)
        tensors = [x for x in leaves if isinstance(x, Tensor) or overrides.overriding(type(x))]
        if not tensors and any(isinstance(x, jax.core.Tracer) for x in leaves):
            return fn(*args, **kwargs)  # in a JAX function it is the JAX function that it was made of
        if overrides.here.modes or any(type(t) is not Tensor for t in tensors):

            def plain(*args, **kwargs):
                return _applied(fn, traces, leaves, structure)

            return overrides.dispatch(named, named.__name__, args, kwargs, tensors, plain)
        return _applied(fn, traces, leaves, structure)

    return op


def _applied(fn: Callable, traces: dict, leaves: list, structure: Any) -> Any:
    """The op that fn is at these arguments, applied: a tree of Tensors."""
    on = [x._aval.device for x in leaves if isinstance(x, Tensor)]
    place = next((d for d in on if d is not CPU), CPU) if on else None
    given = [_leaf(x, place) for x in leaves]
    key = (structure, tuple([x.key for x in given]))
    found = traces.get(key)
    if found is None:
        found = _Traced(fn, given, structure)
        if found.is_kept:
            if len(traces) >= MAX_TRACES:
                del traces[next(iter(traces))]
            traces[key] = found
    inputs = [x.tensor for x in given if x.tensor is not None]
    results = apply_op(found.op, None, (*inputs, *found.captured)) if found.structure.num_leaves else ()
    return tree_unflatten(found.structure, results)


# -- arguments ---------------------------------------------------------------------------------------------------------


class _Static:
    """An argument that is static as a whole."""

    def __init__(self, value: Any):
        self.value = value


class _Leaf:
    """A leaf of the arguments: the tensor that is an input of the op (None if the leaf is static), the key that
    distinguishes traces, and the function that rebuilds the leaf from JAX's array, or from nothing."""

    __slots__ = ("key", "restore", "tensor")

    def __init__(self, tensor: Tensor | None, key: Any, restore: Callable):
        self.tensor = tensor
        self.key = key
        self.restore = restore


def _leaf(x: Any, place: device | None) -> _Leaf:
    """place: the device of the tensors among the arguments, to which arrays go along."""
    if isinstance(x, Tensor):
        return _of_tensor(x)
    if isinstance(x, jax.Array):
        if jax.numpy.issubdtype(x.dtype, jax.dtypes.prng_key):
            kind = jax.random.key_impl(x)
            data = _moved(jax.random.key_data(x), place)
            return _Leaf(data, (data._aval, kind), lambda a: jax.random.wrap_key_data(a, impl=kind))
        return _of_tensor(_moved(x, place))
    if (isinstance(x, np.ndarray) or is_numpys(x)) and x.dtype.kind not in "OUSMm":
        return _of_tensor(from_array(np.array(x), on=place and ANY))
    if type(x) in (float, complex):
        return _of_tensor(make_tensor(number_value(x), state.rec.level))
    value = x.value if type(x) is _Static else x
    return _Leaf(None, _key(value), lambda: value)


def _moved(array: jax.Array, place: device | None) -> Tensor:
    """An array of JAX's as a Tensor of a device."""
    if isinstance(array, jax.core.Tracer):
        return from_array(array, on=place)
    if place not in (None, META) and of_jax(next(iter(array.devices()))) is not place:
        array = jax.device_put(array, jax_device(place))
    return from_array(array)


def _of_tensor(t: Tensor) -> _Leaf:
    return _Leaf(t, t._aval, lambda a: a)


def _key(value: Any) -> Any:
    """Returns the key that tells a static value from others: 1, 1.0 and True are three, and so are 0.0 and -0.0, within
    containers too."""
    leaves, structure = tree_flatten(value)
    for x in leaves:
        if isinstance(x, Tensor | np.ndarray | jax.Array):
            raise ValueError(
                f"jax_function: a static argument holds an array ({type(x).__name__}). Pass it as one that is not static."
            )
        try:
            hash(x)
        except TypeError:
            raise ValueError(
                f"jax_function: a static argument must be hashable, but got one of type {type(x).__name__}: {x}. Arguments that are not arrays, floats or complex numbers are static; pass it as an array, or make it hashable."
            ) from None
    return structure, tuple([(type(x), x, repr(x) if type(x) in (float, complex) else "") for x in leaves])


def _static_places(fn: Callable, numbers: Any, names: Any) -> tuple[set[int], set[str]]:
    """Returns the static arguments, by their places and by their names: whichever was given tells both, as for
    jax.jit."""
    places = set() if numbers is None else {numbers} if isinstance(numbers, int) else set(numbers)
    known = set() if names is None else {names} if isinstance(names, str) else set(names)
    try:
        params = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):  # of a builtin
        return places, known
    if not any(p.kind is p.VAR_KEYWORD for p in params) and (strange := known - {p.name for p in params}):
        raise ValueError(
            f"{_who(fn)}: it has no argument {sorted(strange)[0]!r}, which static_argnames gives"
        )
    ordered = [p.name for p in params if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    known |= {ordered[i] for i in places if -len(ordered) <= i < len(ordered)}
    return places | {i for i, name in enumerate(ordered) if name in known}, known


# -- the function as an op ---------------------------------------------------------------------------------------------

MAX_FUNCTIONS, MAX_TRACES = 1_024, 256
"""Limits: traces are kept of so many functions, and so many of each. Most functions are forgotten when they die; one
with a rule that refers to it does not die while its traces, of which the rule is a part, are kept."""

_traces: WeakKeyDictionary[Any, dict] = WeakKeyDictionary()


def _traces_of(fn: Callable) -> dict:
    """The traces of a function, which live as long as it does, or as an op made of it."""
    try:
        found = _traces.get(fn)
        if found is None:
            if len(_traces) >= MAX_FUNCTIONS:
                del _traces[next(iter(_traces))]
            found = _traces[fn] = {}
        return found
    except TypeError:  # it cannot be hashed, or not be referred to weakly
        return {}


def _who(fn: Callable) -> str:
    """The beginning of errors."""
    return f"jax_function({getattr(fn, '__name__', type(fn).__name__)})"


def _name(fn: Callable) -> str:
    """Returns the name of the op in `grad_fn`."""
    name = getattr(fn, "__name__", type(fn).__name__)
    return name if name.isidentifier() else "jax_function"


_CAPTURED = (
    "{}: it captures a Tensor of a running transform, and torch functions read it there: the op would not depend on it. Pass it as an "
    "argument."
)


class _Traced:
    """A function at arguments of one structure and kind: the op, the structure of its results, and what it captured."""

    def __init__(self, fn: Callable, leaves: list[_Leaf], structure: Any):
        avals = [x.tensor._aval for x in leaves if x.tensor is not None]
        on = next((a.device for a in avals if a.device not in (CPU, ANY)), CPU)

        def flat(*arrays):
            it = iter(arrays)
            made = [x.restore() if x.tensor is None else x.restore(next(it)) for x in leaves]
            args, kwargs = tree_unflatten(structure, made)
            results, self.structure = tree_flatten(fn(*args, **kwargs))
            return [_result(fn, x) for x in results]

        try:
            with _outside(), capturing(), tracing(on):
                closed = jax.make_jaxpr(flat)(*[a.struct for a in avals])
        except RuntimeError as error:
            if str(error) != ESCAPED:
                raise
            raise RuntimeError(_CAPTURED.format(_who(fn))) from None
        # without the constants, which a jaxpr holds itself since JAX 0.11
        jaxpr, consts = closed.jaxpr.replace(constvars=closed.jaxpr.constvars), list(closed.consts)
        at = [i for i, c in enumerate(consts) if not jax.numpy.issubdtype(c.dtype, jax.dtypes.extended)]
        self.captured = [_captured(consts[i], on) for i in at]
        self.is_kept = not any(isinstance(c, jax.core.Tracer) for c in consts)
        """Not if it captured what a JAX transformation around it traces, which lives no longer than that."""
        for i in at:
            consts[i] = None
        n = len(avals)

        def run(*arrays):
            filled = list(consts)
            for i, c in zip(at, arrays[n:]):
                filled[i] = c
            return jaxpr_as_fun(ClosedJaxpr(jaxpr, filled))(*arrays[:n])

        self.op = DerivedOp(run, _name(fn))


def _result(fn: Callable, x: Any) -> Any:
    """One result of fn, which must be an array that can be a Tensor."""
    if isinstance(x, Tensor):
        raise TypeError(
            f"{_who(fn)}: it returned a Tensor. It is given JAX's arrays, and is to return them: see to_jax."
        )
    if not (isinstance(x, jax.Array | np.ndarray) or is_scalar(x)):
        raise TypeError(
            f"{_who(fn)}: it returned a {type(x).__name__}. Its results are to be trees of arrays."
        )
    if isinstance(x, jax.Array):
        if jax.numpy.issubdtype(x.dtype, jax.dtypes.prng_key):
            raise TypeError(
                f"{_who(fn)}: it returned a key, which no Tensor holds. Return jax.random.key_data(key)."
            )
        dtypes.from_numpy(x.dtype)
    return x


def _captured(array: Any, on: device) -> Tensor:
    """A constant of a function as a Tensor, on the device that the op is for, at no level."""
    is_jax = isinstance(array, jax.Array)
    return make_tensor(read(_moved(array, on)) if is_jax else concrete(np.array(array), ANY), 0)


@contextlib.contextmanager
def _outside() -> Iterator[None]:
    """Leaves all running transforms: ops that torch functions apply to tracers, in a function that uses `from_jax`,
    are not part of them."""
    top = lowest = state.rec
    if top.outer is None:
        yield
        return
    while lowest.outer.outer is not None:
        lowest = lowest.outer
    state.rec = lowest.outer
    try:
        yield
    finally:
        lowest.outer, state.rec = state.rec, top
