"""bind: from a declared op to the functions and methods that users call; made at first use, by generated code.

The generated function checks and sorts its arguments into dynamic inputs and static ones, and applies the op. Functions
that are written in terms of other functions (`composite`) live in the same namespaces, and win over ops of the same
name.
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
from . import autocast, joining, overrides
from .docstrings import composed
from .gate import NUMBERS, PLAIN, Kind, kind_in_function, kind_in_op, spread_size, to_size
from .overlap import check_apart
from .results import cast, check_outs, dtype_into, same_dtype, write_inplace, write_out
from .signature import Signature
from .spelled import in_place, respelled

__all__ = ["Namespace", "checked_composite", "composite", "functions", "namespace"]


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
    if type(found) is FunctionType:
        if ">>>" not in (found.__doc__ or ""):
            found.__doc__ = _doc(space, name, found.__doc__)
        _document(found, space, name)
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
    """The Tensor method of this name, made now; None when there is none.

    It is not the function of that name, though it does the same."""
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
        _document(found, "Tensor", name)
        found = overrides.publish("Tensor", name, found)
    return found


def _document(fn: FunctionType, space: str, name: str) -> None:
    """Completes a docstring by the parameters that it does not name, and by what follows from the declaration."""
    taken = list(inspect.signature(fn, follow_wrapped=False).parameters.values())
    if any(p.kind in _STARRED for p in taken):
        taken = list(inspect.signature(fn).parameters.values())
    parameters = [p for p in taken if p.kind not in _STARRED]
    if len(parameters) < len(taken):  # written with *args: the op of that name says which there are
        declared = _aliases.get(space, {}).get(name.removesuffix("_"))
        known = {p.name for p in parameters}
        parameters += [p.parameter for p in declared.params if p.name not in known] if declared else []
    op = getattr(fn, "__op__", None)
    returns = (
        _returned(op, space, name, "out" in fn.__kwdefaults__ if fn.__kwdefaults__ else False) if op else ""
    )
    method = space == "Tensor"
    fn.__doc__ = composed(fn.__doc__, parameters[method:], space, name, returns, raises=op is not None)


_STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _returned(op: Op, space: str, name: str, has_out: bool) -> str:
    """A phrase on the result of an op."""
    if name.endswith("_") and op.inplace:
        return "the tensor itself." if space == "Tensor" else f"`{op.params[0].name}` itself."
    if op.returns:
        fields = ", ".join([f"`{field}`" for field in op.returns])
        several = f"a named tuple of {fields}"
        return (
            f"with `dim` {several}, else a tensor."
            if any("Unset" in p.annotation for p in op.params)
            else f"{several}."
        )
    if op.is_view or op.host or op.name in ("std_mean", "var_mean"):
        return ""
    if "return_indices" in [p.name for p in op.params]:
        return "a new tensor; with `return_indices`, the pair of it and the positions."
    return "a new tensor, or `out` if it is given." if has_out else "a new tensor."


_FORMS = (("", "_"), ("", "_copy"), ("unsafe_", ""))
"""(prefix, suffix) that tells the name of each form of a function from the function's."""


def _doc(space: str, name: str, doc: str | None) -> str | None:
    """The docstring of a function, or of a method (space "Tensor"): one without examples takes those of the function
    that it is or is a form of."""
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
            known = inspect.cleandoc(_written(of, function))
            if ">>>" in known:
                examples = respelled(known[known.index(">>>") :], function, name, method)
                return f"{inspect.cleandoc(doc or known.partition('.')[0] + '.')}\n\n{examples}"
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


def result_type_of(op: Op) -> type:
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
        several = " and dim.__class__ is int" if any("Unset" in p.annotation for p in op.params) else ""
        called = op.name.replace(".", "_")
        lines.append(f"if out is not None{several}: _check_outs(out, {called!r}, {len(op.returns)})")
    _ask(op, lines, scope, bool(out))
    if out and (names := op.watched):
        lines.append(
            f"if out is not None: _check_apart(out, {names}, ({', '.join(names)},), {op.kept_apart})"
        )
    if op.is_view:
        first, *numbers = [p.name for p in op.params if p.kind in ("array", "number")]
        lines.append(f"return _apply_view(_op, {static}, {first}, ({''.join(n + ', ' for n in numbers)}))")
    else:
        run = "_host" if op.host else "_apply"
        if op.autocast and not op.host:  # PyTorch does not cast for `out=`
            run = f"(_under_autocast if _autocast.on{' and out is None' if out else ''} else _apply)"
        lines.append(f"result = {run}(_op, {static}, {inputs})")
        if op.joins:
            at_once = f"_join(_op.joins, tensors, dim) if len(tensors) >= {joining.LEAST} else None"
            lines[-1:] = [f"result = {at_once}", f"if result is None: {lines[-1]}"]
        if op.returns:
            scope["_wrap"] = result_type_of(op)
            lines.append("if type(result) is tuple: result = _wrap(*result)")
        if op.looks:
            scope["_look"] = op.looks
            lines.append(f"_look({', '.join(inspect.signature(op.looks).parameters)})")
        if out and op.out in ("dtype", "real dtype"):
            given = f"out, dtype, dim, '{name}', {op.params[0].name}, {op.out == 'real dtype'}"
            lines.insert(0, f"if out is not None: dtype = _dtype_into({given})")
        if out and op.out == "asked":
            lines.append("if out is not None: result = _into(result, out.dtype)")
        if out:
            kind, _, condition = str(op.out).partition(" if ")
            lines.append(
                f"if out is not None: return _write_out(out, result, {condition or kind == 'exact'})"
            )
        if any(p.name == "inplace" for p in op.params):
            lines.append(f"if inplace: return _write_inplace({op.params[0].name}, result)")
        lines.append("return result")
    return _compile(op, name, lines, scope, out=bool(out), spread_last=spread)


def _ask(op: Op, lines: list[str], scope: dict, out: bool = True) -> None:
    """Calls of what the op asks; without `out`, of what is not asked of `out=`.

    Then whether numbers vary, which that may have changed."""
    for i, (condition, given, function) in enumerate(op.asks):
        if out or not condition.startswith("out "):
            scope[f"_ask_{i}"] = function
            lines.append(f"if {condition}: {given} = _ask_{i}({given})")
    for p in op.params:
        if p.kind == "mixed" and not p.allows_array:
            lines.append(f"_{p.name}_varies = _varies_{p.name}({p.name})")


def make_inplace(op: Op, name: str) -> Callable:
    """The in-place function `name_`: the op's result is cast to and written into its first argument."""
    lines, scope = _argument_code(op, name)
    static, inputs = _tuples(op)
    first = op.params[0].name
    lines.insert(1, f"    if not isinstance({first}, Tensor): _refuse({first}, '{name}', '{first}', 1)")
    if any(p.name == "inplace" for p in op.params):  # `relu_` has no such parameter
        lines.insert(0, "inplace = False")
    _ask(op, lines, scope, out=False)
    if any(p.name == "dtype" for p in op.params):
        lines.append(f"dtype = _same_dtype({first}, dtype, dim)")
    lines.append(f"_check_writable({first})")
    for other in [n for n in op.watched if n != first]:
        shares = f"isinstance({other}, Tensor) and {other}._cell is {first}._cell"
        lines.append(f"if {shares}: _check_apart({first}, [{other!r}], ({other},), {op.kept_apart})")
    lines.append(f"return _write_inplace({first}, _apply(_op, {static}, {inputs}))")
    made = _compile(op, name, lines, scope, out=False, without="inplace")
    made.__doc__ = in_place(op.__doc__, op.name.rpartition(".")[2], name, bool(op.method))
    return made


def _compile(
    op: Op, name: str, lines: list[str], scope: dict, out: bool, spread_last: bool = True, without: str = ""
) -> Callable:
    given = {p.name: p for p in op.params if p.name != without}
    signature = Signature(name, [p.parameter for p in given.values()])
    in_python = op.namespace == "torch" and name in overrides._WRITTEN_IN_PYTHON
    if op.namespace != "nn.functional" and not in_python:
        signature.numpys_names()
    if out:
        signature.keyword("out", None)
    if spread_last and (spread := _spread_param(op)):
        signature.spread(spread.name)
    if spread_last and op.dims_alone:
        signature.dims_alone()
    if op.scalings and name.removesuffix("_") == op.name:
        signature.older_forms(op.scalings)
    if op.second:
        signature.second(op.second, "Tensor" if given[op.second].allows_array else "bool")
    fn = signature.function(lines, scope)
    fn.__doc__, fn.__module__, fn.__op__ = op.__doc__, "functorch_lite", op
    fn.__signature__ = inspect.signature(fn)
    fn.__wrapped__ = op  # whoever asks for the source is shown the declared function, and its file
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


def _looks_itself(op: Op, p) -> bool:
    if op.namespace != "nn.functional" or (p.name not in _LENIENT and "unpool" not in op.name):
        return False
    handed_on = (p.name in ("align_corners", "size") and "grid" in op.name) or (
        p.name == "full" and "poisson" in op.name
    )
    return not handed_on


def _argument_code(op: Op, name: str, spread_last: bool = True) -> tuple[list[str], dict]:
    scope: dict[str, Any] = {**_SCOPE, "_op": op}
    lines: list[str] = []
    spread = _spread_param(op) if spread_last else None
    for p in op.params:
        n, where = p.name, f"'{name}', '{p.name}', {0 if p.keyword_only else p.position + 1}"
        if keyword.iskeyword(n):
            raise ValueError(f"op {op.name}: parameter {n} is a Python keyword")
        kind = kind_in_op(p, op.namespace == "nn.functional", _looks_itself(op, p), p is spread)
        scope |= {**kind.names(n), f"_varies_{n}": p.varies}
        if p.kind != "mixed" or not p.allows_array:
            lines += kind.lines(n, where)
            continue
        lines.append(f"if isinstance({n}, Tensor): {n}, _{n}_static = {n}, None")
        if p.varies:
            lines.append(f"elif _varies_{n}({n}): _{n}_static = None")
        look = f"{n} if {kind.accepts.format(n=n)} else _convert_{n}({n}, {where})"
        lines.append(f"else: {n} = {look}; _{n}_static = {_key_of(p)}; {n} = None")
    return _guarded(lines, "_op.params"), scope


def _guarded(lines: list[str], params: str) -> list[str]:
    """Looks at arguments; where one is the first in the process that overrides, the call is made anew."""
    late = f"    return _late_call(_self, {params}, locals())"
    return ["try:", *[f"    {line}" for line in lines], "except _Foreign:", late] if lines else []


def _key_of(p: Any) -> str:
    """A static argument as the key of a recording has it: with its type, or those of its elements, where 2 is not
    2.0."""
    n = p.name
    evident = f"{n}.__class__ in _EVIDENT or ({n}.__class__ is float and {n})"
    return f"({n}.__class__ if {evident} else _kinds({n}), {n})" if p.typed else n


_EVIDENT = frozenset((int, bool, str, type(None)))
"""Classes whose equal values are the same, which 0.0 and -0.0 are not."""


def _kinds(x) -> Any:
    if x.__class__ is float:
        return float if x else "-0.0" if math.copysign(1.0, x) < 0 else "0.0"
    if isinstance(x, tuple):
        return tuple([_kinds(e) for e in x])
    return repr(x) if isinstance(x, float | complex) and has_zero(x) else x.__class__


_SCOPE = {
    "_apply": apply, "_apply_view": apply_view, "_autocast": autocast.STATE, "_under_autocast": autocast.apply, "_check_apart": check_apart,
    "_check_outs": check_outs, "_check_writable": check_writable, "_dtype_into": dtype_into, "_EVIDENT": _EVIDENT, "_Foreign": overrides.Foreign,
    "_host": run_host, "_into": cast, "_join": joining.join, "_kinds": _kinds, "_late_call": overrides.late_call, "_NUMBERS": NUMBERS,
    "_PLAIN": PLAIN, "_refuse": Kind().refuse, "_same_dtype": same_dtype, "_size": to_size, "_spread": spread_size, "_write_inplace": write_inplace,
    "_write_out": write_out, "Tensor": Tensor,
}  # fmt: skip
"""Names that generated code refers to."""


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


# -- functions on tensors ----------------------------------------------------------------------------------------------

_gated: dict[Callable, Callable] = {}
_CHECKED = ("tensors.", "random.", "_core.", "storage", "nn.functional.torch_namespace")
"""Where composites are checked: nn.functional itself is Python in torch too, and looks at its arguments itself."""


def checked_composite(fn: Callable) -> Callable:
    """`fn`, written in terms of other functions, behind checks of what its annotations say; `fn` itself where they say
    nothing."""
    if fn not in _gated:
        module = inspect.unwrap(fn).__globals__.get("__name__", "") if type(fn) is FunctionType else ""
        _gated[fn] = _with_checks(fn) if module.partition(".")[2].startswith(_CHECKED) else fn
    return _gated[fn]


def _with_checks(fn: FunctionType) -> Callable:
    params = list(inspect.signature(fn).parameters.values())
    if "__signature__" in fn.__dict__ or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in params):
        return fn  # which passes its arguments on, whatever signature it shows
    scope: dict[str, Any] = {**_SCOPE, "_fn": fn, "_params": params}
    signature, lines = Signature(fn.__name__, params), []
    for i, p in enumerate(params):
        if kind := kind_in_function(p):
            scope |= kind.names(p.name)
            place = 0 if p.kind is p.KEYWORD_ONLY else i + 1
            lines += kind.lines(p.name, f"{fn.__name__!r}, {p.name!r}, {place}")
    if fn.__name__ not in overrides._WRITTEN_IN_PYTHON:
        signature.numpys_names()
    if not lines and not signature.lines:
        return fn
    passed = ", ".join([f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else p.name for p in params])
    made = signature.function([*_guarded(lines, "_params"), f"return _fn({passed})"], scope)
    made.__doc__, made.__module__, made.__wrapped__ = fn.__doc__, fn.__module__, fn
    made.__annotations__ = fn.__annotations__
    return made


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
