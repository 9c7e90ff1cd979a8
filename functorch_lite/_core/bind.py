"""bind: from a declared op to the functions and methods that users call; made at first use, by generated code.

The generated function checks and sorts its arguments into dynamic inputs and static ones, and applies the op. Functions that
are written in terms of other functions (`composite`) live in the same namespaces, and win over ops of the same name.
"""

from __future__ import annotations

import functools
import inspect
import keyword
from collections.abc import Callable
from types import FunctionType
from typing import Any

import jax
import numpy as np

from . import autocast, joining, overrides
from .advice import about_imaginary, advise
from .applied import DerivedOp
from .apply import _store, apply, apply_view, check_writable, write
from .arguments import (
    MISSING,
    PYTHON_DTYPES,
    checked,
    checked_composite,
    classes_of,
    exact_classes,
    numpys_names,
)
from .dtypes import dtype, type_name
from .levels import VMAP_DYNAMIC, force_in_level, requires_grad
from .op import OPS, UNSET, Op
from .printing import result_type
from .promote import can_cast
from .recorder import state
from .tensor import Tensor
from .value import Value

__all__ = ["Namespace", "cast", "composite", "functions", "namespace", "write_inplace"]

_NUMBERS = frozenset((int, float, bool, complex))
_REALS = frozenset((int, float, bool))
_PLAIN = frozenset((int, bool, str, type(None), dtype))


class Namespace:
    """The functions of a torch module (`functions` is torch's own): attributes, made at first use."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str) -> Any:
        made = lookup(self._name, name)
        if made is None:
            raise AttributeError(f"module 'functorch_lite{self._dotted()}' has no attribute '{name}'")
        setattr(self, name, made)
        return made

    def _dotted(self) -> str:
        return "" if self._name == "torch" else f".{self._name}"

    def __dir__(self):
        return sorted(names(self._name))


_composites: dict[str, dict[str, Callable]] = {}
_methods: dict[str, Callable] = {}
_aliases: dict[str, dict[str, Op]] = {}


def composite(
    fn: Callable | None = None,
    /,
    namespace: str = "torch",
    method: bool | str = False,
    name: str | None = None,
) -> Any:
    """Registers a function on Tensors in a namespace, and as a Tensor method (`method=True`, or the method's name)."""

    def register(f: Callable) -> Callable:
        known = name or f.__name__
        _composites.setdefault(namespace, {})[known] = f
        if method:
            _methods[method if isinstance(method, str) else known] = f
        return f

    return register(fn) if fn is not None else register


_indexed = -1


def _index() -> None:
    """Lists the declared ops under their names and aliases, by namespace; methods under 'Tensor'."""
    global _indexed
    if _indexed == len(OPS):
        return
    _indexed = len(OPS)
    for op in OPS.values():
        short = op.name.rsplit(".", 1)[-1]
        for known in (short, *op.aliases):
            if op.namespace != "Tensor":
                _aliases.setdefault(op.namespace, {})[known] = op
            if op.method:
                _aliases.setdefault("Tensor", {})[op.method if isinstance(op.method, str) else known] = op


def names(space: str) -> set[str]:
    """Every name of a namespace."""
    _index()
    found = set(_composites.get(space, ())) | {n for n in _aliases.get(space, ()) if not n.startswith("_")}
    if space == "torch":
        found |= {f"{n}_" for n, op in _aliases.get(space, {}).items() if op.inplace}
    return found


def method_names() -> set[str]:
    """Every method that is attached to Tensor at first use."""
    _index()
    ops = _aliases.get("Tensor", {})
    return set(_methods) | set(ops) | {f"{n}_" for n, op in ops.items() if op.inplace}


def lookup(space: str, name: str) -> Callable | None:
    """The public function of this name, made now if it was not yet; None when there is none."""
    return overrides.publish(space, name, _find(space, name))


def _find(space: str, name: str) -> Callable | None:
    found = _composites.get(space, {}).get(name)
    if found is not None:
        return checked_composite(found)
    _index()
    ops = _aliases.get(space, {})
    if name in ops:
        return make_function(ops[name], name, not ops[name].method)
    if (
        space in ("torch", "nn.functional")
        and name.endswith("_")
        and name[:-1] in ops
        and ops[name[:-1]].inplace
    ):
        return make_inplace(ops[name[:-1]], name)
    return None


def lookup_method(name: str) -> Callable | None:
    """The Tensor method of this name, made now; None when there is none. It is not the function of that name, though it does the same."""
    found = _methods.get(name)
    if found is not None:
        found = checked_composite(found)
    else:
        _index()
        ops = _aliases.get("Tensor", {})
        if name in ops:
            found = make_function(ops[name], name)
        elif name.endswith("_") and name[:-1] in ops and ops[name[:-1]].inplace:
            found = make_inplace(ops[name[:-1]], name)
    if isinstance(found, FunctionType):
        found = overrides.publish("Tensor", name, overrides.twin(found))
    return found


def namespace(name: str) -> Namespace:
    """The functions of one torch module, such as "linalg"."""
    return functions if name == "torch" else Namespace(name)


functions: Any = Namespace("torch")


# -- generated code --------------------------------------------------------------------------------------------------

_RETURN_TYPES: dict[tuple, type] = {}


def _result_type(op: Op) -> type:
    key = (op.name, op.returns)
    if key not in _RETURN_TYPES:
        _RETURN_TYPES[key] = result_type(op.name.replace(".", "_"), op.returns)  # type: ignore[arg-type]
    return _RETURN_TYPES[key]


@functools.cache
def make_function(op: Op, name: str, spread: bool = True) -> Callable:
    """The public function of an op; serves as its method too. spread: a size at the end may be given as separate ints, as to methods."""
    lines, scope = _argument_code(op, name, spread)
    static, inputs = _tuples(op)
    _ask(op, lines, scope)
    if op.returns and op.out and not any("Unset" in p.annotation for p in op.params):
        scope["_check_outs"] = _check_outs
        lines.append(f"    if out is not None: _check_outs(out, {name!r}, {len(op.returns)})")
    if op.host:
        scope["_host"] = _run_host
        lines.append(f"    result = _host(_op, {static}, {inputs})")
    elif op.is_view:
        first, *numbers = [p.name for p in op.params if p.kind in ("array", "number")]
        scope["_apply_view"] = apply_view
        lines.append(
            f"    return _apply_view(_op, {static}, {first}, ({''.join(n + ', ' for n in numbers)}))"
        )
    elif op.name in autocast.NAMES:
        scope["_autocast"], scope["_cast"] = autocast.STATE, autocast.apply
        # PyTorch does not cast for `out=`
        casts = "_autocast.on and out is None" if op.out else "_autocast.on"
        lines.append(f"    result = (_cast if {casts} else _apply)(_op, {static}, {inputs})")
    else:
        lines.append(f"    result = _apply(_op, {static}, {inputs})")
    if op.name in joining.JOINS:
        scope["_join"] = joining.join
        at_once = f"_join('{op.name}', tensors, dim) if len(tensors) >= {joining.LEAST} else None"
        lines[-1:] = [f"    result = {at_once}", f"    if result is None: {lines[-1].strip()}"]
    if not op.is_view:
        if op.returns:
            scope["_wrap"] = _result_type(op)
            lines.append("    if type(result) is tuple: result = _wrap(*result)")
        if op.out:
            scope["_write_out"] = write_out
            if op.out == "dtype":
                scope["_dtype_into"] = dtype_into
                given = f"out, dtype, dim, '{name}', {op.params[0].name}"
                lines.insert(0, f"    if out is not None: dtype = _dtype_into({given})")
            exact = {"exact": ", True", "exact if real": f", not {op.params[0].name}._aval.dtype.is_complex"}
            exact = exact.get(op.out, "")  # type: ignore[arg-type]
            lines.append(f"    if out is not None: return _write_out(out, result{exact})")
        if any(p.name == "inplace" for p in op.params):
            scope["_write_inplace"] = write_inplace
            lines.append(f"    if inplace: return _write_inplace({op.params[0].name}, result)")
        lines.append("    return result")
    return _compile(op, name, lines, scope, out=bool(op.out) and not op.is_view, spread_last=spread)


def _ask(op: Op, lines: list[str], scope: dict, out: bool = True) -> None:
    """Calls of what the op asks; without `out`, of what is not asked of `out=`."""
    for i, (condition, given, function) in enumerate(op.asks):
        if not out and condition.startswith("out "):
            continue
        scope[f"_ask_{i}"] = function
        lines.append(f"    if {condition}: {given} = _ask_{i}({given})")


def make_inplace(op: Op, name: str) -> Callable:
    """The in-place function `name_`: the op's result is cast to and written into its first argument."""
    lines, scope = _argument_code(op, name)
    static, inputs = _tuples(op)
    scope["_write_inplace"], scope["_check_writable"] = write_inplace, check_writable
    first = op.params[0].name
    lines.insert(
        1,
        f"        if not isinstance({first}, Tensor): _array({first}, '{name}', '{first}', 1, False, False)",
    )
    if any(p.name == "inplace" for p in op.params):  # `relu_` has no such parameter
        lines.insert(0, "    inplace = False")
    _ask(op, lines, scope, out=False)
    if any(p.name == "dtype" for p in op.params):
        scope["_same_dtype"] = _same_dtype
        lines.append(f"    dtype = _same_dtype({first}, dtype)")
    lines.append(f"    _check_writable({first})")
    lines.append(f"    return _write_inplace({first}, _apply(_op, {static}, {inputs}))")
    return _compile(op, name, lines, scope, out=False, without="inplace")


def _compile(
    op: Op, name: str, lines: list[str], scope: dict, out: bool, spread_last: bool = True, without: str = ""
) -> Callable:
    parts, star = [], False
    spread = _spread_param(op) if spread_last else None
    for p in op.params:
        if p.name == without:
            continue
        if p.keyword_only and not star and not spread:
            parts.append("*")
            star = True
        if p is spread:
            parts.append(f"*{p.name}_args")
            star = True
        if p is spread or p.default is not inspect.Parameter.empty or (spread and star):
            scope[f"_d_{p.name}"] = MISSING if p.default is inspect.Parameter.empty else p.default
            parts.append(f"{p.name}=_d_{p.name}")
        else:
            parts.append(p.name)
    if op.namespace != "nn.functional":
        given = [p for p in op.params if p.name != without]
        in_python = op.namespace == "torch" and name in overrides._WRITTEN_IN_PYTHON
        optional, keywords, renames, helpers = numpys_names(name, given, in_python)
        parts = [f"{n}=_MISSING" if n in optional else n for n in parts]
        if keywords:
            parts += [*([] if star else ["*"]), *keywords]
            star = True
            lines = [*renames, *lines]
            scope |= helpers
    if out:
        if not star:
            parts.append("*")
        parts.append("out=None")
    source = f"def {name}({', '.join(parts)}):\n" + "\n".join(lines) + "\n"
    exec(compile(source, f"<functorch_lite {name}>", "exec"), scope)
    fn = scope["_self"] = scope.pop(name)
    fn.__doc__, fn.__module__, fn.__op__ = op.__doc__, "functorch_lite", op
    return fn


def _spread_param(op: Op):
    """The last positional parameter when it is a Size: it may be given as separate ints."""
    positional = [p for p in op.params if not p.keyword_only]
    return positional[-1] if positional and positional[-1].kind == "size" else None


_LENIENT = frozenset(
    "inplace return_indices size_average reduce reduction full mode padding_mode size align_corners antialias p "
    "recompute_scale_factor _stacklevel".split()
)
"""Parameters that nn.functional, which is Python in torch, looks at itself; what it hands on is checked as anywhere."""


def _checks(op: Op, p) -> frozenset[type] | None:
    """The classes that a static parameter takes; None where it is not checked."""
    if op.namespace == "nn.functional" and (p.name in _LENIENT or "unpool" in op.name):
        handed_on = (p.name in ("align_corners", "size") and "grid" in op.name) or (
            p.name == "full" and "poisson" in op.name
        )
        if not handed_on:
            return None
    return classes_of(p.annotation)


def _argument_code(op: Op, name: str, spread_last: bool = True) -> tuple[list[str], dict]:
    scope: dict[str, Any] = {
        "_op": op, "_apply": apply, "Tensor": Tensor, "_NUMBERS": _NUMBERS, "_REALS": _REALS, "_PLAIN": _PLAIN, "_array": to_array_argument,
        "_number": to_number_argument, "_real": to_real_argument, "_static": to_static, "_static_number": to_static_number, "_arrays": to_arrays_argument, "_size": to_size, "_MISSING": MISSING,
        "_checked": checked, "_no_size": _no_size, "_kinds": _kinds, "_spread": spread_size, "_Foreign": overrides.Foreign, "_late_call": overrides.late_call,
    }  # fmt: skip
    lines: list[str] = []
    spread = _spread_param(op) if spread_last else None
    for p in op.params:
        n, where = p.name, f"'{name}', '{p.name}', {p.position + 1}"
        if keyword.iskeyword(n):
            raise ValueError(f"op {op.name}: parameter {n} is a Python keyword")
        if p is spread:
            lines.append(
                f"    {n} = _size({n}_args, {where}) if {n} is _MISSING else _spread({n}_args, {n}, {where})"
            )
        elif p.kind == "array":
            numbers = f"{n}.__class__ not in _NUMBERS and " if p.allows_number else ""
            lines.append(
                f"    if {numbers}not isinstance({n}, Tensor): {n} = _array({n}, {where}, {p.allows_number}, {p.allows_none})"
            )
        elif p.is_real:
            lines.append(f"    if {n}.__class__ not in _REALS: {n} = _real({n}, {where}, {p.allows_none})")
        elif p.kind == "number":
            none = p.allows_none or op.namespace == "nn.functional"  # which is Python in torch
            lines.append(f"    if {n}.__class__ not in _NUMBERS: {n} = _number({n}, {where}, {none})")
        elif p.kind == "arrays":
            lines.append(f"    {n} = _arrays({n}, {where})")
        elif p.kind == "mixed":
            typed = _key_of(p)
            lines.append(f"    if isinstance({n}, Tensor): {n}, _{n}_static = {n}, None")
            lines.append(f"    else: {n} = _static({n}); _{n}_static = {typed}; {n} = None")
        elif p.kind == "size":
            lines.append(
                f"    {n} = _size(({n},), {where}) if isinstance({n}, tuple | list) else _no_size({n}, {where})"
            )
        elif classes := _checks(op, p):
            scope[f"_exact_{n}"], scope[f"_classes_{n}"] = exact_classes(classes), classes
            lines.append(
                f"    if {n}.__class__ not in _exact_{n}: {n} = _checked({n}, _classes_{n}, {where})"
            )
        elif p.typed and "Any" not in p.annotation:
            lines.append(f"    if {n}.__class__ not in _PLAIN: {n} = _static_number({n}, {where})")
        else:
            lines.append(f"    if {n}.__class__ not in _PLAIN: {n} = _static({n})")
    if lines:
        late = "        return _late_call(_self, _op.params, locals())"
        lines = ["    try:", *[f"    {line}" for line in lines], "    except _Foreign:", late]
    return lines, scope


def _key_of(p: Any) -> str:
    """A static argument as the key of a recording has it: with its type, or those of its elements, where 2 is not 2.0."""
    n = p.name
    return f"({n}.__class__ if {n}.__class__ is not tuple else _kinds({n}), {n})" if p.typed else n


def _kinds(x: tuple) -> tuple[type, ...]:
    return tuple([e.__class__ for e in x])


def _tuples(op: Op) -> tuple[str, str]:
    static, inputs = [], []
    for p in op.params:
        if p.kind == "arrays":
            static.append(f"len({p.name})")
            inputs.append(f"*{p.name}")
        elif p.kind == "mixed":
            static.append(f"_{p.name}_static")
            inputs.append(p.name)
        elif p.kind in ("array", "number"):
            inputs.append(p.name)
        else:
            static.append(_key_of(p))
    return f"({''.join(s + ', ' for s in static)})", f"({''.join(i + ', ' for i in inputs)})"


# -- arguments -------------------------------------------------------------------------------------------------------


def to_array_argument(x, function: str, name: str, position: int, number: bool, none: bool):
    """An argument that is no Tensor where one is expected: a numpy scalar, None if allowed, or torch's TypeError."""
    if x is None and none:
        return None
    if number:
        if isinstance(x, np.generic):
            return python_number(x)
        if isinstance(x, bool | int | float | complex):
            return _plain_number(x)
    overrides.meet(x)
    raise TypeError(
        f"{function}(): argument '{name}' (position {position}) must be Tensor, not {type(x).__name__}"
    )


def python_number(x: np.generic):
    """NumPy's number as a Python number; a bool of NumPy's is a float to PyTorch."""
    return float(x) if isinstance(x, np.bool_) else x.item()


def _plain_number(x):
    for kind in (bool, int, float, complex):
        if isinstance(x, kind):
            return kind(x)


def to_number_argument(x, function: str, name: str, position: int, none: bool):
    """A Python number, a 0-d tensor in its place, or None if allowed."""
    if (x is None and none) or (isinstance(x, Tensor) and not x._aval.shape):
        return x
    if isinstance(x, np.generic):
        return python_number(x)
    if isinstance(x, bool | int | float | complex):
        return _plain_number(x)
    overrides.meet(x)
    raise TypeError(
        f"{function}(): argument '{name}' (position {position}) must be Number, not {type(x).__name__}"
    )


def to_real_argument(x, function: str, name: str, position: int, none: bool):
    """A Python number that is not complex, a 0-d tensor in its place, or None if allowed."""
    if x is None and none:
        return None
    if isinstance(x, Tensor) and not x._aval.shape and not x._aval.dtype.is_complex:
        return x
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, bool | int | float):
        return _plain_number(x)
    overrides.meet(x)
    raise TypeError(
        f"{function}(): argument '{name}' (position {position}) must be float, not {type(x).__name__}"
    )


def to_arrays_argument(xs, function: str, name: str, position: int) -> tuple:
    """A list or tuple of Tensors."""
    if isinstance(xs, Tensor) or not isinstance(xs, tuple | list):
        overrides.meet(xs)
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be tuple of Tensors, not {type(xs).__name__}"
        )
    for i, x in enumerate(xs):
        if not isinstance(x, Tensor):
            overrides.meet(x)
            raise TypeError(
                f"expected Tensor as element {i} in argument {position - 1}, but got {type(x).__name__}"
            )
    return tuple(xs)


def to_static(x):
    """A hashable static argument: lists become tuples, 0-d integer tensors and numpy integers become ints."""
    if x.__class__ in _PLAIN:
        return x
    if isinstance(x, tuple | list):
        return tuple([to_static(e) for e in x])
    if isinstance(x, Tensor):
        if x.numel() != 1:  # type: ignore[attr-defined]
            raise TypeError(f"a Tensor with {x.numel()} elements cannot be converted to Scalar")  # type: ignore[attr-defined]
        return x.item()  # type: ignore[attr-defined]
    if isinstance(x, np.generic):
        return x.item()
    if x is float or x is int or x is bool or x is complex:
        return PYTHON_DTYPES[x]
    overrides.meet(x)
    return x


def to_static_number(x, function: str, name: str, position: int):
    """The same in the place of a number: of tensors those without dims and without a gradient, which would be lost."""
    if isinstance(x, Tensor) and (x._aval.shape or requires_grad(x)):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be Number, not {type(x).__name__}"
        )
    return to_static(x)


def to_size(xs, function: str, name: str, position: int) -> tuple[int, ...]:
    """A size given as ints or as one sequence of ints; torch looks for bools in the first place only."""
    if xs.__class__ is int:
        return (xs,)
    if xs.__class__ is tuple and not xs:
        raise TypeError(f'{function}() missing 1 required positional arguments: "{name}"')
    if len(xs) == 1 and isinstance(xs[0], tuple | list):
        xs = xs[0]
    size = []
    for i, x in enumerate(xs):
        if x.__class__ is not int:
            if isinstance(x, Tensor) or (isinstance(x, np.generic) and x.dtype.kind in "iu"):
                x = x.item()  # type: ignore[attr-defined]
            if not isinstance(x, int) or (i == 0 and isinstance(x, bool)):
                overrides.meet(x)
                raise TypeError(
                    f"{function}(): argument '{name}' (position {position}) must be tuple of ints, but found element of type "
                    f"{type(x).__name__} at pos {i}"
                )
            x = int(x)
        size.append(x)
    return tuple(size)


def _no_size(x, function: str, name: str, position: int):
    overrides.meet(x)
    raise TypeError(
        f"{function}(): argument '{name}' (position {position}) must be tuple of ints, not {type(x).__name__}"
    )


def spread_size(spread: tuple, given: Any, function: str, name: str, position: int) -> tuple[int, ...]:
    """A size given as ints, as one sequence, or by its name (`given`, None when it was not)."""
    if given is None:
        return to_size(spread, function, name, position)
    if spread:
        raise TypeError(f"{function}() got multiple values for argument '{name}'")
    return (
        to_size((given,), function, name, position)
        if isinstance(given, tuple | list)
        else _no_size(given, function, name, position)
    )


# -- results ---------------------------------------------------------------------------------------------------------


def cast(x: Tensor, to: dtype) -> Tensor:
    """x with another dtype; x itself when it has it already."""
    have = x._aval.dtype
    if have is to:
        return x
    about_imaginary(have, to)
    return apply(OPS["_cast"], (to,), (x,))


def write_inplace(t: Tensor, result: Tensor) -> Tensor:
    """Writes an in-place op's result into its first argument, with torch's checks of shape and dtype."""
    a, r = t._aval, result._aval
    if r is not a:
        if r.shape != a.shape:
            raise RuntimeError(
                f"output with shape {list(a.shape)} doesn't match the broadcast shape {list(r.shape)}"
            )
        if r.dtype is not a.dtype:
            if not can_cast(r.dtype, a.dtype):
                raise RuntimeError(
                    f"result type {type_name(r.dtype)} can't be cast to the desired output type {type_name(a.dtype)}"
                )
            result = cast(result, a.dtype)
    if result._edge is None:
        return write(t, result)
    node = result._edge[0]
    node.forget(t._cell)  # an op may overwrite its own input: what it saved is the old value
    write(t, result)
    node.watch_result(t._cell)
    return t


def _same_dtype(t: Tensor, given: dtype | None) -> dtype:
    """The dtype that an in-place form computes in: the tensor's own, which is all that dtype= may be."""
    if given is not None and given is not t._aval.dtype:
        raise RuntimeError(
            f"Bad in-place call: input tensor dtype {type_name(t._aval.dtype)} and output tensor dtype {type_name(given)} "
            "should match"
        )
    return t._aval.dtype


def dtype_into(out, dtype, dim, name: str, input):
    """The dtype that a reduction is computed in when it goes into `out=`, which takes part only where `dim` is given."""
    if dim is UNSET:
        if name == "mean":
            return dtype
        raise TypeError(f"{name}() received an invalid combination of arguments - got (Tensor, out=Tensor)")
    if not isinstance(out, Tensor):
        return dtype
    if dtype is not None and dtype is not out._aval.dtype:
        raise RuntimeError(
            f"Expected out tensor to have dtype {dtype.name}, but got {out._aval.dtype.name} instead"
        )
    if name == "mean":  # only of complex numbers into real ones
        narrows = isinstance(input, Tensor) and input.dtype.is_complex and out.dtype.is_floating_point
        return out._aval.dtype if narrows else dtype
    return out._aval.dtype


def _check_outs(out, name: str, count: int) -> None:
    """torch's first look at the `out=` of a function with several results."""
    if not isinstance(out, tuple | list):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != count:
        raise TypeError(f"expected tuple of {count} elements but got {len(out)}")
    for i, t in enumerate(out):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 'out', but got {type(t).__name__}")


def write_out(out, result, exact: bool = False, advised: bool = True):
    """Writes results into `out=` (a Tensor or a tuple of them), resizing where the shape differs, as torch does.

    exact: the dtype must be the result's; otherwise the result is cast to it where torch's promotion allows that.
    advised: resizing is deprecated (but for what makes numbers of nothing).
    """
    if isinstance(result, tuple):
        if not isinstance(out, tuple | list) or len(out) != len(result):
            raise TypeError(f"out= must be a tuple of {len(result)} Tensors")
        for o, r in zip(out, result):  # all of them before any is written
            _check_out(o, r, exact)
        for o, r in zip(out, result):
            _put_out(o, r, advised)
        return type(result)(*out) if hasattr(result, "_fields") else tuple(out)
    _check_out(out, result, exact)
    return _put_out(out, result, advised)


def _put_out(out: Tensor, result: Tensor, advised: bool) -> Tensor:
    result = cast(result, out._aval.dtype)
    if result._aval.shape != out._aval.shape:
        if out._lenses:
            raise RuntimeError(
                "out= is a view whose shape differs from the result's; pass a tensor of the right shape"
            )
        if advised and 0 not in out._aval.shape:
            advise(
                f"An output with one or more elements was resized since it had shape {list(out._aval.shape)}, which does not match the "
                f"required output shape {list(result._aval.shape)}. This behavior is deprecated, and in a future PyTorch release outputs "
                "will not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to "
                "zero elements with t.resize_(0).",
                once=False,
            )
        out._aval = result._aval
        _store(out._cell, result._cell.value)
        return out
    return write(out, result)


def _check_out(out, result, exact: bool) -> None:
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type(out).__name__}")
    if state.grad and (requires_grad(result) or requires_grad(out)):
        raise RuntimeError(
            "functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."
        )
    if exact and result._aval.dtype is not out._aval.dtype:
        raise RuntimeError(
            f"Expected out tensor to have dtype {result._aval.dtype.name}, but got {out._aval.dtype.name} instead"
        )
    if not can_cast(result._aval.dtype, out._aval.dtype):
        raise RuntimeError(
            f"result type {type_name(result._aval.dtype)} can't be cast to the desired output type {type_name(out._aval.dtype)}"
        )


def _run_host(op: Op, static: tuple, inputs: tuple):
    """Runs an op of numpy arrays at once; where its arguments are not known yet, as a callback, if its result's shape is."""
    from .apply import apply_op, from_array, read
    from .executor import force_array

    values = [read(x) if isinstance(x, Tensor) else x for x in inputs]
    unknown = [
        x for x in values if isinstance(x, Value) and x.array is None and x.rec is not None and x.rec.level
    ]
    if unknown and op.host == "fixed shape":
        return apply_op(_called_back(op, static), None, inputs)[0]

    def known(v):
        if v in unknown:
            return np.asarray(force_in_level(v, VMAP_DYNAMIC.format(op.name)))
        return force_array(v)

    result = op.call(static, [known(v) if isinstance(v, Value) else v for v in values])
    if isinstance(result, tuple):
        return tuple([from_array(np.asarray(r)) for r in result])
    return from_array(np.asarray(result))


@functools.cache
def _called_back(op: Op, static: tuple) -> DerivedOp:
    """The op as a function of jax arrays that calls back to the host. It has no derivative."""

    def on_host(*arrays):
        return op.call(static, [np.asarray(x) for x in arrays])

    def fn(*arrays):
        result = on_host(*[np.zeros(x.shape, x.dtype) for x in arrays])
        like = jax.ShapeDtypeStruct(result.shape, result.dtype)
        arrays = [jax.lax.stop_gradient(x) for x in arrays]
        return (jax.pure_callback(on_host, like, *arrays, vmap_method="sequential"),)

    return DerivedOp(fn, op.name)


class _Method:
    """A Tensor method that is made at first use, in its own place on the class."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __get__(self, instance, owner):
        method = lookup_method(self.name)
        setattr(Tensor, self.name, method)
        return method if instance is None else method.__get__(instance, owner)


def attach_methods() -> None:
    """Gives Tensor every method that was declared and that it does not have yet. Each is bound at first use."""
    for name in method_names():
        if name not in Tensor.__dict__:
            setattr(Tensor, name, _Method(name))
