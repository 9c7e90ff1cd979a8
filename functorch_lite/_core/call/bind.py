"""bind: from a declared op to the functions and methods that users call; made at first use, by generated code.

The generated function checks and sorts its arguments into dynamic inputs and static ones, and applies the op. Functions that
are written in terms of other functions (`composite`) live in the same namespaces, and win over ops of the same name.
"""

from __future__ import annotations

import functools
import inspect
import keyword
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..declare.op import OPS, Op
from ..lazy.apply import apply, apply_view, check_writable
from ..lazy.tensor import Tensor
from ..lazy.trie import has_zero
from ..run.host import run_host
from ..words.printing import result_type
from ..words.tracebacks import tidy
from . import autocast, joining, overrides
from .arguments import MISSING, SYMINT, checked, checked_composite, classes_of, exact_classes, numpys_names
from .conversions import (
    PLAIN,
    no_size,
    spread_size,
    to_array_argument,
    to_arrays_argument,
    to_ints,
    to_number_argument,
    to_real_argument,
    to_size,
    to_static,
    to_static_number,
)
from .older_forms import rearranged
from .overlap import check_apart
from .results import cast, check_outs, dtype_into, same_dtype, write_inplace, write_out
from .spelled import in_place, respelled

__all__ = ["Namespace", "composite", "functions", "namespace"]

_NUMBERS = frozenset((int, float, bool, complex))


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
    found = _find(space, name)
    if type(found) is FunctionType and ">>>" not in (found.__doc__ or ""):
        found.__doc__ = _doc(space, name, found.__doc__)
    return overrides.publish(space, name, found)


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
        if "out" in inspect.signature(found).parameters:
            found = _without_out(found)
    else:
        _index()
        ops = _aliases.get("Tensor", {})
        if name in ops:
            found = make_function(ops[name], name, method=True)
        elif name.endswith("_") and name[:-1] in ops and ops[name[:-1]].inplace:
            found = make_inplace(ops[name[:-1]], name)
    if isinstance(found, FunctionType):
        found = overrides.twin(found)
        found.__doc__ = _doc("Tensor", name, found.__doc__)
        found = overrides.publish("Tensor", name, found)
    return found


_FORMS = (("", "_"), ("", "_copy"), ("unsafe_", ""))
"""What the name of a form of a function begins and ends with."""


def _doc(space: str, name: str, doc: str | None) -> str | None:
    """The docstring of a function, or of a method (space "Tensor"): one without examples takes those of the function that it is or is a form of."""
    method = space == "Tensor"
    if not doc or ">>>" not in doc:
        of = "torch" if method else space
        kin = [
            name,
            *[
                name[len(a) : len(name) - len(b)]
                for a, b in _FORMS
                if name.startswith(a) and name.endswith(b)
            ],
        ]
        for function in kin:
            known = _written(of, function)
            if ">>>" in known:
                examples = respelled(known[known.index(">>>") :], function, name, method)
                return f"{(doc or known.partition('.')[0] + '.').rstrip()}\n\n    {examples}"
        return doc
    op = _aliases["Tensor"].get(name) or _aliases["Tensor"].get(name.removesuffix("_"))
    if method:
        doc = respelled(doc, op.name.rpartition(".")[2] if op else name, name, True)
    return doc


def _written(space: str, name: str) -> str:
    """The docstring of a function that need not be made yet."""
    for declared in (_composites.get(space, {}), _aliases.get(space, {}), _aliases.get("Tensor", {})):
        if name in declared:
            return declared[name].__doc__ or ""
    return ""


def _without_out(fn: Callable) -> Callable:
    @functools.wraps(fn)
    def method(*args, **kwargs):
        if "out" in kwargs:
            raise TypeError(f"{fn.__name__}() got an unexpected keyword argument 'out'")
        return fn(*args, **kwargs)

    signature = inspect.signature(fn)
    shown = [p for p in signature.parameters.values() if p.name != "out"]
    method.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    return method


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
def make_function(op: Op, name: str, spread: bool = True, method: bool = False) -> Callable:
    """The public function of an op, or its method, which takes no `out=`.

    spread: a size at the end may be given as separate ints, as to methods.
    """
    lines, scope = _argument_code(op, name, spread)
    static, inputs = _tuples(op)
    out = op.out and not op.is_view and not method
    if op.returns and out:
        scope["_check_outs"] = check_outs
        several = " and dim.__class__ is int" if any("Unset" in p.annotation for p in op.params) else ""
        called = op.name.replace(".", "_")
        lines.append(f"    if out is not None{several}: _check_outs(out, {called!r}, {len(op.returns)})")
    _ask(op, lines, scope, bool(out))
    if out and (names := op.watched):
        scope["_check_apart"] = check_apart
        lines.append(
            f"    if out is not None: _check_apart(out, {names}, ({', '.join(names)},), {op.kept_apart})"
        )
    if op.host:
        scope["_host"] = run_host
        lines.append(f"    result = _host(_op, {static}, {inputs})")
    elif op.is_view:
        first, *numbers = [p.name for p in op.params if p.kind in ("array", "number")]
        scope["_apply_view"] = apply_view
        lines.append(
            f"    return _apply_view(_op, {static}, {first}, ({''.join(n + ', ' for n in numbers)}))"
        )
    elif op.autocast:
        scope["_autocast"], scope["_cast"] = autocast.STATE, autocast.apply
        # PyTorch does not cast for `out=`
        casts = "_autocast.on and out is None" if out else "_autocast.on"
        lines.append(f"    result = (_cast if {casts} else _apply)(_op, {static}, {inputs})")
    else:
        lines.append(f"    result = _apply(_op, {static}, {inputs})")
    if op.joins:
        scope["_join"] = joining.join
        at_once = f"_join(_op.joins, tensors, dim) if len(tensors) >= {joining.LEAST} else None"
        lines[-1:] = [f"    result = {at_once}", f"    if result is None: {lines[-1].strip()}"]
    if not op.is_view:
        if op.returns:
            scope["_wrap"] = _result_type(op)
            lines.append("    if type(result) is tuple: result = _wrap(*result)")
        if out:
            scope["_write_out"] = write_out
            if op.out == "dtype":
                scope["_dtype_into"] = dtype_into
                given = f"out, dtype, dim, '{name}', {op.params[0].name}"
                lines.insert(0, f"    if out is not None: dtype = _dtype_into({given})")
            if op.out == "asked":
                scope["_into"] = cast
                lines.append("    if out is not None: result = _into(result, out.dtype)")
            kind, _, condition = str(op.out).partition(" if ")
            exact = condition or kind == "exact"
            lines.append(f"    if out is not None: return _write_out(out, result, {exact})")
        if any(p.name == "inplace" for p in op.params):
            scope["_write_inplace"] = write_inplace
            lines.append(f"    if inplace: return _write_inplace({op.params[0].name}, result)")
        lines.append("    return result")
    return _compile(op, name, lines, scope, out=bool(out), spread_last=spread)


def _ask(op: Op, lines: list[str], scope: dict, out: bool = True) -> None:
    """Calls of what the op asks; without `out`, of what is not asked of `out=`. Then whether numbers vary, which that may have changed."""
    for i, (condition, given, function) in enumerate(op.asks):
        if not out and condition.startswith("out "):
            continue
        scope[f"_ask_{i}"] = function
        lines.append(f"    if {condition}: {given} = _ask_{i}({given})")
    for p in op.params:
        if p.kind == "mixed" and not p.allows_array:
            lines.append(f"    _{p.name}_varies = _varies_{p.name}({p.name})")


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
        scope["_same_dtype"] = same_dtype
        lines.append(f"    dtype = _same_dtype({first}, dtype, dim)")
    lines.append(f"    _check_writable({first})")
    for other in [n for n in op.watched if n != first]:
        scope["_check_apart"] = check_apart
        shares = f"isinstance({other}, Tensor) and {other}._cell is {first}._cell"
        lines.append(f"    if {shares}: _check_apart({first}, [{other!r}], ({other},), {op.kept_apart})")
    lines.append(f"    return _write_inplace({first}, _apply(_op, {static}, {inputs}))")
    made = _compile(op, name, lines, scope, out=False, without="inplace")
    made.__doc__ = in_place(op.__doc__, op.name.rpartition(".")[2], name, bool(op.method))
    return made


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
    if spread_last and op.dims_alone:
        parts[2:] = ["*more", *[part for part in parts[2:] if part != "*"]]
        lines = ["    if more: dim = (dim, *more)", *lines]
        star = True
    if out:
        if not star:
            parts.append("*")
        parts.append("out=None")
    if op.scalings and name.removesuffix("_") == op.name:
        operands = [p.name for p in op.params if not p.keyword_only]
        given = f"{name!r}, ({', '.join(operands)}, *older), {len(operands)}, {', '.join([f'{n}={n}' for n in op.scalings])}"
        parts[parts.index("*")] = "*older"
        lines = [f"    if older: {', '.join([*operands, *op.scalings])} = _rearranged({given})", *lines]
        scope["_rearranged"] = rearranged
    if other := op.second:
        is_array = next(p for p in op.params if p.name == other).allows_array
        scope["_other_class"] = Tensor if is_array else bool
        parts.remove("dim=_d_dim")
        parts.insert(1, "second=_MISSING")
        parts.insert(parts.index("*") + 1, "dim=_d_dim")
        lines = [
            "    if second is not _MISSING:",
            f"        if isinstance(second, _other_class) and {other} is keepdim is dim is _d_dim: {other} = second",
            "        elif dim is _d_dim: dim = second",
            f"        else: raise TypeError(\"{name}() got multiple values for argument 'dim'\")",
            *lines,
        ]
    lines = [
        "    try:",
        *[f"    {line}" for line in lines],
        "    except BaseException as error: _tidy(error); raise",
    ]
    source = f"def {name}({', '.join(parts)}):\n" + "\n".join(lines) + "\n"
    exec(compile(source, f"<functorch_lite {name}>", "exec"), scope)
    fn = scope["_self"] = scope.pop(name)
    fn.__doc__, fn.__module__, fn.__op__ = op.__doc__, "functorch_lite", op
    if "*older" in parts or "*more" in parts:
        shown = inspect.signature(fn)
        kept = [p for p in shown.parameters.values() if p.kind is not p.VAR_POSITIONAL]
        fn.__signature__ = shown.replace(parameters=kept)  # type: ignore[attr-defined]
    if op.second:
        shown = inspect.signature(fn)
        second, dim = (shown.parameters[n] for n in ("second", "dim"))
        placed = dim.replace(kind=second.kind)
        kept = [placed if p is second else p for p in shown.parameters.values() if p is not dim]
        fn.__signature__ = shown.replace(parameters=kept)  # type: ignore[attr-defined]
    return fn


def _spread_param(op: Op):
    """The last positional parameter when it is of Sizes: it may be given as separate ints."""
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
        "_op": op, "_apply": apply, "Tensor": Tensor, "_NUMBERS": _NUMBERS, "_PLAIN": PLAIN, "_array": to_array_argument,
        "_number": to_number_argument, "_real": to_real_argument, "_static": to_static, "_static_number": to_static_number, "_arrays": to_arrays_argument, "_size": to_size, "_MISSING": MISSING,
        "_checked": checked, "_no_size": no_size, "_kinds": _kinds, "_EVIDENT": _EVIDENT, "_spread": spread_size, "_Foreign": overrides.Foreign, "_late_call": overrides.late_call, "_tidy": tidy,
    }  # fmt: skip
    lines: list[str] = []
    spread = _spread_param(op) if spread_last else None
    for p in op.params:
        n, where = p.name, f"'{name}', '{p.name}', {0 if p.keyword_only else p.position + 1}"
        if keyword.iskeyword(n):
            raise ValueError(f"op {op.name}: parameter {n} is a Python keyword")
        if p is spread:
            lines.append(
                f"    {n} = _size({n}_args, {where}) if {n} is _MISSING else _spread({n}_args, {n}, {where})"
            )
        elif p.kind == "array":
            numbers = f"{n}.__class__ not in _NUMBERS and " if p.allows_number else ""
            numbers += f"{n} is not None and " if p.allows_none else ""
            lines.append(
                f"    if {numbers}not isinstance({n}, Tensor): {n} = _array({n}, {where}, {p.allows_number}, {p.allows_none})"
            )
        elif p.is_int:
            taken = SYMINT if "SymInt" in p.annotation else frozenset((int,))
            scope[f"_classes_{n}"] = taken | {type(None)} if p.allows_none else taken
            none = f"{n} is not None and " if p.allows_none else ""
            lines.append(
                f"    if {none}({n}.__class__ is not int or not {_INT64[0]} <= {n} < {_INT64[1]}): {n} = _checked({n}, _classes_{n}, {where})"
            )
        elif p.kind == "ints":
            scope["_ints"] = to_ints
            lines.append(f"    {n}, _{n}_static = _ints({n}, {where})")
        elif p.is_real and p.kind == "number":
            lines.append(f"    if {n}.__class__ is not float: {n} = _real({n}, {where}, {p.allows_none})")
        elif p.kind == "number":
            none = p.allows_none or op.namespace == "nn.functional"  # which is Python in torch
            lines.append(f"    if {n}.__class__ not in _NUMBERS: {n} = _number({n}, {where}, {none})")
        elif p.kind == "arrays":
            lines.append(f"    {n} = _arrays({n}, {where})")
        elif p.kind == "mixed" and not p.allows_array:
            if p.is_real:
                lines.append(f"    if {n}.__class__ is not float: {n} = _real({n}, {where}, {p.allows_none})")
            else:
                lines.append(f"    if {n}.__class__ not in _PLAIN: {n} = _static_number({n}, {where})")
            scope[f"_varies_{n}"] = p.varies
        elif p.kind == "mixed":
            look = f"_static({n})"
            if not p.typed:  # an int or nothing: the recording's key has no types, where 2 is 2.0
                scope[f"_classes_{n}"] = frozenset((int, p.default.__class__))
                look = f"{n} if {n}.__class__ in _classes_{n} else _checked({n}, _classes_{n}, {where})"
            lines.append(f"    if isinstance({n}, Tensor): {n}, _{n}_static = {n}, None")
            lines.append(f"    else: {n} = {look}; _{n}_static = {_key_of(p)}; {n} = None")
            if p.varies:
                scope[f"_varies_{n}"] = p.varies
                lines[-1:] = [
                    f"    elif _varies_{n}({n}): _{n}_static = None",
                    lines[-1],
                ]
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
    evident = f"{n}.__class__ in _EVIDENT or ({n}.__class__ is float and {n})"
    return f"({n}.__class__ if {evident} else _kinds({n}), {n})" if p.typed else n


_INT64 = "-0x8000000000000000", "0x8000000000000000"

_EVIDENT = frozenset((int, bool, str, type(None)))
"""Classes whose equal values are the same, which 0.0 and -0.0 are not."""


def _kinds(x) -> Any:
    if x.__class__ is float:
        return float if x else "-0.0" if math.copysign(1.0, x) < 0 else "0.0"
    if isinstance(x, tuple):
        return tuple([_kinds(e) for e in x])
    return repr(x) if isinstance(x, float | complex) and has_zero(x) else x.__class__


def _tuples(op: Op) -> tuple[str, str]:
    static, inputs = [], []
    for p in op.params:
        if p.kind == "arrays":
            static.append(f"len({p.name})")
            inputs.append(f"*{p.name}")
        elif p.kind == "mixed" and not p.allows_array:
            static.append(f"(None if _{p.name}_varies else {_key_of(p)})")
            inputs.append(f"({p.name} if _{p.name}_varies else None)")
        elif p.kind == "mixed":
            static.append(f"_{p.name}_static")
            inputs.append(p.name)
        elif p.kind == "ints":
            static.append(f"_{p.name}_static")
            inputs.append(f"*{p.name}")
        elif p.kind in ("array", "number"):
            inputs.append(p.name)
        else:
            static.append(_key_of(p))
    return f"({''.join(s + ', ' for s in static)})", f"({''.join(i + ', ' for i in inputs)})"


# -- methods -----------------------------------------------------------------------------------------------------------


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
