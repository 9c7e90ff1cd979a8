"""Overrides: who may take over a call of a public function (`__torch_function__`), and how such a call finds them.

A subclass of Tensor, any other type that defines `__torch_function__`, and a mode (`TorchFunctionMode`) may. Until the
process has one of them nothing here costs anything: a public function is only noted when it is bound (`publish`). The
first of them turns overrides on: every public function then gets other code, in place, so that tables which users key
by functions stay right. Its own code moves to a function that is called when nobody takes the call over.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FunctionType
from typing import Any

from ..lazy.tensor import Tensor
from ..words.dtypes import dtype
from ..words.pytorchs import is_pytorchs_function, is_pytorchs_tensor, refuse_pytorchs, theirs
from ..words.tracebacks import tidy

__all__ = [
    "FORMS", "NEVER", "DisableTorchFunction", "DisableTorchFunctionSubclass", "Foreign", "disabled", "dispatch", "here", "is_on", "late_call",
    "meet", "method_anew", "modes_off", "name_of", "nowrap", "ops_by_class", "overriding", "publish", "pushed", "relevant", "turn_on", "twin",
]  # fmt: skip


class _Here(threading.local):
    """The modes of this thread, innermost last, and whether subclasses or modes are left out at the moment."""

    modes: tuple = ()
    no_subclasses: bool = False
    passing: bool = False
    """Whether the next call, which would be offered to them, is not: see `redispatch_function`."""


here = _Here()

# -- who overrides ---------------------------------------------------------------------------------------------------


def disabled(func, types, args=(), kwargs=None):
    """As the `__torch_function__` of a class: instances are treated as plain tensors."""
    return NotImplemented


def overriding(cls: type) -> bool:
    """Whether calls with an instance of `cls` are handed to its `__torch_function__`, or, where that is disabled, ops to
    its `__torch_dispatch__`.

    Those of real PyTorch's tensors only lead back here."""
    if cls is Tensor:
        return False
    handler = getattr(cls, "__torch_function__", None)
    if handler is None or is_pytorchs_tensor(cls):
        return False
    return handler is not disabled or _only_ops(cls)


def _only_ops(cls: type) -> bool:
    """Returns whether a class of tensors overrides no functions, but ops of aten."""
    return getattr(cls, "__torch_function__", None) is disabled and hasattr(cls, "__torch_dispatch__")


def relevant(values) -> list:
    """Returns the values, and members of lists and tuples among them, that override: one of each type, a subclass
    before its bases, otherwise in order."""
    found: list = []
    for x in values:
        for y in x if isinstance(x, list | tuple) else (x,):
            cls = type(y)
            if cls in _INERT or not overriding(cls) or any(type(z) is cls for z in found):
                continue
            at = next((i for i, z in enumerate(found) if issubclass(cls, type(z))), len(found))
            found.insert(at, y)
    return found


_INERT: set[type] = {Tensor, int, float, bool, complex, str, type(None), dtype}
"""Types that override nothing, so that a look at the types of a call's arguments settles most calls."""


def nowrap() -> set[Callable]:
    """Functions whose results stay plain tensors."""
    return {Tensor._base.__get__, Tensor.grad.__get__}  # type: ignore[attr-defined]


class ops_by_class:
    """Slots, set by who knows ops of aten.

    `entered()` is a context in which each op is handed to the `__torch_dispatch__` of its arguments' classes; `seen()`
    gives the function that hands ops to the modes of a thread."""

    entered: Callable[[], Any] | None = None
    seen: Callable[[], Callable]


def _rewrap(result: Any, cls: type) -> Any:
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)  # type: ignore[attr-defined]
    if isinstance(result, tuple | list):
        parts = [_rewrap(r, cls) for r in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def _default(cls: type, func: Callable, types, args=(), kwargs=None):
    """The `__torch_function__` that subclasses inherit: runs func as on plain tensors, and gives its tensors the
    subclass.

    PyTorch asks it too, where one of its own functions meets a Tensor: run, that one would only ask again.
    """
    if is_pytorchs_function(func):
        name = getattr(func, "__name__", func)
        raise theirs(f"PyTorch's own function {name} was called with a tensor of functorch_lite")
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        if ops_by_class.entered is not None and hasattr(cls, "__torch_dispatch__"):
            with ops_by_class.entered():
                return func(*args, **(kwargs or {}))
        result = func(*args, **(kwargs or {}))
        return result if cls is Tensor or func in nowrap() else _rewrap(result, cls)


def _init_subclass(cls, **kwargs) -> None:
    super(Tensor, cls).__init_subclass__(**kwargs)
    if overriding(cls):
        turn_on()


Tensor.__torch_function__ = classmethod(_default)  # type: ignore[attr-defined]
Tensor.__init_subclass__ = classmethod(_init_subclass)  # type: ignore[assignment]


class DisableTorchFunctionSubclass:
    """A context in which types override nothing; modes still do.

    >>> class Named(torch.Tensor):
    ...     pass
    >>> x = torch.ones(2).as_subclass(Named)
    >>> with torch._C.DisableTorchFunctionSubclass():
    ...     type(x + 1).__name__
    'Tensor'
    """

    def __enter__(self) -> None:
        self.before, here.no_subclasses = here.no_subclasses, True

    def __exit__(self, *exception) -> None:
        here.no_subclasses = self.before


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """A context in which neither types nor modes override anything.

    >>> with torch._C.DisableTorchFunction():
    ...     torch.ones(2) + 1
    tensor([2., 2.])
    """

    def __enter__(self) -> None:
        super().__enter__()
        self.modes, here.modes = here.modes, ()

    def __exit__(self, *exception) -> None:
        super().__exit__()
        here.modes = self.modes


class modes_off:
    """A context without the innermost `count` modes."""

    def __init__(self, count: int = 1):
        self.count = count

    def __enter__(self) -> None:
        self.before = here.modes
        here.modes = here.modes[: -self.count]

    def __exit__(self, *exception) -> None:
        here.modes = self.before


class pushed:
    """A context with one more mode."""

    def __init__(self, mode: Any):
        self.mode = mode

    def __enter__(self) -> None:
        turn_on()
        here.modes = (*here.modes, self.mode)

    def __exit__(self, *exception) -> None:
        here.modes = here.modes[:-1]


# -- a call ----------------------------------------------------------------------------------------------------------


def dispatch(func: Callable, name: str, args: tuple, kwargs: dict, values, plain: Callable) -> Any:
    """Offers the call `func(*args, **kwargs)` to the innermost mode, then to the types of `values`; `plain` runs it if
    there are none."""
    if here.passing:
        here.passing = False
        return plain(*args, **kwargs)
    found = [] if here.no_subclasses else relevant(values)
    modes = here.modes
    if not modes and not found:
        return plain(*args, **kwargs)
    found = [x for x in found if not _only_ops(type(x))]
    if not modes and not found:
        with DisableTorchFunctionSubclass():
            if ops_by_class.entered is None:
                return plain(*args, **kwargs)
            with ops_by_class.entered():
                return func(*args, **kwargs)
    types = tuple([type(x) for x in found])
    if modes:
        with modes_off():
            result = modes[-1].__torch_function__(func, types, args, kwargs or None)
        if result is not NotImplemented:
            return result
    for x in found:
        result = x.__torch_function__(func, types, args, kwargs or None)
        if result is not NotImplemented:
            return result
    if name.rpartition(".")[2] in _OPERATORS:
        return NotImplemented
    whose = f" nor in the mode {modes[-1]!r}" if modes else ""
    raise TypeError(
        f"no implementation found for '{name}' on types that implement __torch_function__: {list(types)}{whose}"
    )


def _caller(func: Callable, name: str, plain: Callable) -> Callable[[tuple, dict], Any]:
    """Returns the function of (args, kwargs) that a public function becomes once overrides are on."""
    by_modes_only = name in _BY_MODES_ONLY
    form = FORMS.get(name)
    by_index = name in ("torch.Tensor.__getitem__", "torch.Tensor.__setitem__")

    def call(args: tuple, kwargs: dict) -> Any:
        if form is not None and not kwargs:
            args = form(args, bool(here.modes))
        if not here.modes and (
            by_modes_only
            or (
                _INERT.issuperset(map(type, args))
                and (not kwargs or _INERT.issuperset(map(type, kwargs.values())))
            )
        ):
            return plain(*args, **kwargs)
        values = () if by_modes_only else (*args, *kwargs.values())
        if by_index and type(args[1]) in (tuple, list):  # whose members may be lists in turn
            values = (args[0], *args[1], *args[2:])
        return dispatch(func, name, args, kwargs, values, plain)

    return call


@functools.cache
def _dispatching_code(closed_over: int, required: tuple[str, ...] = (), optional: tuple[str, ...] = (), named: int = 0) -> CodeType:  # fmt: skip
    """Returns the code of a function that hands its arguments to `_call`, for one that closes over so many variables.

    It must name as many, and be compiled with them: Python crashes where a debugger, or pytest, asks a frame of any
    other code for its variables. required, optional: the parameters, if they are to be shown by the code; the last
    `named` of the optional ones are keyword-only."""
    names = [f"closed_over_{i}" for i in range(closed_over)]
    scope: dict[str, Any] = {}
    parameters, call = "*args, _call, _tidy, **kwargs", "_call(args, kwargs)"
    if required or optional:
        at = len(optional) - named
        parameters = ", ".join([*required, *optional[:at], "*", *optional[at:], "_call", "_tidy"])
        call = f"_call(({''.join([f'{n}, ' for n in required])}), ({''.join([f'{n}, ' for n in optional])}))"
    source = (
        f"def outer({', '.join(names)}):\n"
        f"    def dispatching({parameters}):\n"
        f"        try: return {call}\n"
        "        except BaseException as error: _tidy(error); raise\n"
        f"        {', '.join(names) or None}\n"
        "    return dispatching\n"
    )
    exec(compile(source, "<functorch_lite override>", "exec"), scope)
    return scope["outer"](*names).__code__


def _parameters(fn: FunctionType) -> tuple[tuple[str, ...], dict[str, Any], dict[str, Any]] | None:
    """Returns the parameters of a function: those without a default, and the defaults of the others, by position and
    by name. None if it takes any number, or some by position or by name alone that must be given."""
    code, defaults, by_name = fn.__code__, fn.__defaults__ or (), fn.__kwdefaults__ or {}
    if (
        code.co_flags & (CO_VARARGS | CO_VARKEYWORDS)
        or code.co_posonlyargcount
        or len(by_name) < code.co_kwonlyargcount
    ):
        return None
    names = code.co_varnames[: code.co_argcount]
    at = len(names) - len(defaults)
    return names[:at], dict(zip(names[at:], defaults)), by_name


def _named(call: Callable, names: tuple[str, ...]) -> Callable:
    """Returns the function of the values of all parameters that calls `call` as PyTorch's functions do: with those that
    have a default by name, given or not."""
    return lambda given, optional: call(given, dict(zip(names, optional)))


def _take_over(fn: FunctionType, func: Callable | None = None) -> None:
    """Gives fn the code that looks for overrides; `func` is what they are told was called, if it is not fn."""
    name = _published[fn]
    if name in _METHODS_IN_FUNCTIONAL:
        func = getattr(Tensor, fn.__name__)
    plain = FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    plain.__kwdefaults__, plain.__annotations__, plain.__doc__ = (
        fn.__kwdefaults__,
        fn.__annotations__,
        fn.__doc__,
    )
    if fn.__dict__.keys() >= {"__wrapped__", "__signature__"}:  # a generated function, of a declared one
        plain.__wrapped__, plain.__signature__ = fn.__wrapped__, fn.__signature__  # type: ignore[attr-defined]
    call = _caller(func or fn, name, plain)
    space, _, last = name.rpartition(".")
    shown = _parameters(fn) if space == "torch.nn.functional" and last not in _WRITTEN_IN_C else None
    if shown is None:
        code = _dispatching_code(len(fn.__code__.co_freevars))
        fn.__defaults__, by_name = None, {}
    else:  # which PyTorch writes in Python: programs read their code's parameters, and their defaults
        required, optional, by_name = shown
        code = _dispatching_code(len(fn.__code__.co_freevars), required, (*optional, *by_name), len(by_name))
        call = _named(call, (*optional, *by_name))
    fn.__code__ = code.replace(co_name=fn.__name__, co_qualname=fn.__qualname__)
    fn.__kwdefaults__ = {**by_name, "_call": call, "_tidy": tidy}
    fn.__wrapped__ = plain  # type: ignore[attr-defined]
    _taken_over.add(fn)


def twin(fn: FunctionType) -> FunctionType:
    """Another function that does the same, and looks for no overrides yet.

    A generated one gets globals of its own, with itself in."""
    if fn in _taken_over:
        fn = fn.__wrapped__  # type: ignore[attr-defined]
    scope = {**fn.__globals__} if "_self" in fn.__globals__ else fn.__globals__
    made = FunctionType(fn.__code__, scope, fn.__name__, fn.__defaults__, fn.__closure__)
    if scope is not fn.__globals__:
        scope["_self"] = made
    made.__kwdefaults__ = fn.__kwdefaults__
    made.__doc__, made.__module__, made.__qualname__ = fn.__doc__, fn.__module__, fn.__qualname__
    made.__annotations__ = fn.__annotations__
    made.__dict__.update(fn.__dict__)
    return made


# -- the public functions --------------------------------------------------------------------------------------------

_published: dict[FunctionType, str] = {}
_taken_over: set[FunctionType] = set()
_on = False


def is_on() -> bool:
    """Returns whether anything in the process may override."""
    return _on


def publish(space: str, name: str, fn: Any) -> Any:
    """Notes a function that has just been bound in a namespace ("Tensor" for methods); returns it."""
    if type(fn) is FunctionType and fn not in _published and name not in NEVER.get(space, ()):
        if space != "Tensor":  # where pickle finds it
            fn.__module__ = "functorch_lite" if space == "torch" else f"functorch_lite.{space}"
            fn.__qualname__ = name
        if space == "torch":
            space = "torch.functional" if name in _WRITTEN_IN_PYTHON else "torch"
        else:
            space = f"torch.{space}"
        _published[fn] = f"{space}.{name}"
        if _on:
            _take_over(fn)
    return fn


def turn_on() -> None:
    """Lets public functions look for overrides from now on."""
    global _on
    if _on:
        return
    _on = True
    for fn in list(_published):
        _take_over(fn)
    _publish_tensor()


def _publish_tensor() -> None:
    """The methods and properties that are written out in Tensor; those that are bound at first use are published
    then."""
    for name, attribute in list(vars(Tensor).items()):
        shown = _SHOWN_AS.get(name, name)
        if name in NEVER["Tensor"] or (
            name.startswith("_") and not name.endswith("__") and name not in _PROPERTIES
        ):
            continue
        if type(attribute) is property:
            for fn, accessor in (
                (attribute.fget, "__get__"),
                (attribute.fset, "__set__"),
                (attribute.fdel, "__delete__"),
            ):
                if type(fn) is FunctionType and fn not in _published:
                    _published[fn] = f"torch.Tensor.{name}.{accessor}"
                    _take_over(fn, getattr(attribute, accessor))
        elif type(attribute) is FunctionType and attribute not in _published:
            _published[attribute] = f"torch.Tensor.{name}"
            _take_over(attribute, getattr(Tensor, shown))


def name_of(fn: Any) -> str | None:
    """The name under which a public function was published."""
    return _published.get(fn) if type(fn) is FunctionType else None


_PROPERTIES = frozenset(("_version", "_base", "_grad", "_backward_hooks", "_grad_fn"))
_BINARY = {**{name: name for name in ("add", "sub", "mul", "matmul")}, "truediv": "div", "mod": "remainder"}
_COMPARISONS = {f"__{name}__": name for name in ("ne", "lt", "le", "gt", "ge")}
_SHOWN_AS = {
    **{f"__{dunder}__": name for dunder, name in _BINARY.items()},
    **{f"__i{dunder}__": f"{name}_" for dunder, name in _BINARY.items() if name != "matmul"},
    "__imatmul__": "matmul", "__radd__": "add", "__rmul__": "mul", "__rand__": "bitwise_and", "__ror__": "bitwise_or",
    "__rxor__": "bitwise_xor", "__ifloordiv__": "floor_divide_", "__neg__": "neg", "__pos__": "positive", "__abs__": "abs",
    **_COMPARISONS, "ndimension": "dim", "nelement": "numel",
}  # fmt: skip
"""Methods that overrides are told of by the name of another, as in torch: `x + y` is Tensor.add."""

_OPERATORS = frozenset(
    f"__{side}{name}__"
    for side in ("", "r", "i")
    for name in (*_BINARY, "floordiv", "pow", "and", "or", "xor", "lshift", "rshift")
) | {"__eq__", *_COMPARISONS}  # fmt: skip
"""Where Python asks the other operand when nobody takes the call."""

_SETTINGS = """
are_deterministic_algorithms_enabled autocast_decrement_nesting autocast_increment_nesting broadcast_shapes clear_autocast_cache
compile cond from_dlpack from_file from_numpy get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_default_dtype
get_deterministic_debug_mode get_float32_matmul_precision get_num_interop_threads get_num_threads get_rng_state initial_seed
is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled
is_deterministic_algorithms_warn_only_enabled is_grad_enabled is_inference_mode_enabled is_storage is_tensor manual_seed seed
set_anomaly_enabled set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype
set_autocast_enabled set_autocast_gpu_dtype set_default_dtype set_default_tensor_type set_deterministic_debug_mode
set_float32_matmul_precision set_flush_denormal set_num_interop_threads set_num_threads set_rng_state thread_safe_generator
to_dlpack typename use_deterministic_algorithms vmap
"""
NEVER: dict[str, frozenset[str]] = {
    "torch": frozenset(_SETTINGS.split()),
    "Tensor": frozenset(
        ("__hash__", "__init__", "__new__", "__iter__", "__init_subclass__", "__torch_function__", "__jax_array__", "as_subclass")
    ),
}  # fmt: skip
"""Public functions that cannot be overridden; `__iter__` is made of others that can."""

_METHODS_IN_FUNCTIONAL = ("torch.nn.functional.sigmoid", "torch.nn.functional.tanh")
"""Functions that are no more than the method of that name."""

_WRITTEN_IN_C = frozenset(
    """
    adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d
    conv_transpose2d conv_transpose3d cosine_similarity elu_ gelu hardshrink hardtanh_ leaky_relu_ linear logsigmoid native_channel_shuffle
    one_hot pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ scaled_dot_product_attention selu_ softplus softshrink
    threshold_
    """.split()
)
"""Functions of torch.nn.functional that PyTorch writes in C: overrides are told what was given, and there is no code to
be read."""

_WRITTEN_IN_PYTHON = frozenset(
    """
    atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors cartesian_prod cdist chain_matmul einsum istft lu meshgrid norm
    pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive unravel_index
    """.split()
)
"""Functions of torch that PyTorch has in torch.functional, and names so."""

FORMS: dict[str, Callable[[tuple, bool], tuple]] = {}
"""Functions that are told of as if they had been called in one of several forms: `form(args, whether a mode is on)`
gives the arguments."""

_BY_MODES_ONLY = frozenset(
    f"torch.{name}"
    for name in ("as_tensor", "asarray", "can_cast", "frombuffer", "promote_types", "tensor", "vander")
)
"""Functions that do not look at the types of their arguments."""

# -- a first foreign argument ----------------------------------------------------------------------------------------


class Foreign(Exception):
    """An argument of a type that overrides, met while overrides were off.

    The generated function makes the call anew."""


def meet(x: Any) -> None:
    """Called where an argument is of no type that is known: raises Foreign if it is the process's first of a type that
    overrides, and TypeError if it is of real PyTorch."""
    refuse_pytorchs(x)
    if not _on and overriding(type(x)):
        raise Foreign


TOO_LATE = (
    "{name} was called with an argument of a type that has a __torch_function__, which is the first in this process. Overrides are "
    "on from now, and the same call will find it; import functorch_lite.overrides to have them on from the start."
)


def late_call(fn: Callable, params, values: dict) -> Any:
    """Calls fn anew, with overrides on, from the values of its parameters (of inspect, or of an Op); defaults are left
    out.

    If it was not the user who called fn, but a public function made of others, it is too late to hand that one over:
    TypeError.
    """
    public = {f.__code__: f for f in _published}
    turn_on()
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("functorch_lite"):
        outer = public.get(frame.f_code)
        if outer is not None:
            if _published[outer] != _published.get(fn):  # type: ignore[call-overload]
                raise TypeError(TOO_LATE.format(name=_published[outer]))
            fn = outer  # one that hands on what it does not take itself
        frame = frame.f_back
    args: list = []
    kwargs: dict = {}
    second = values.get("second")  # what was given in the place of `dim`, whatever it is
    for p in params:
        x = values[p.name]
        if type(second) not in (object, type(None)) and (p.name == "dim" or x is second):
            args.extend([second] if p.name == "dim" else [])
            continue
        if spread := values.get(f"{p.name}_args"):
            args.extend(spread)
            continue
        left_out = (
            type(x) is object
            or x is p.default
            or (type(x) is type(p.default) and type(x) in _INERT and x == p.default)
        )
        keyword_only = p.kind is inspect.Parameter.KEYWORD_ONLY or getattr(p, "keyword_only", False)
        if keyword_only or kwargs or left_out:
            if not left_out:
                kwargs[p.name] = x
        else:
            args.append(x)
    if values.get("out") is not None and "out" not in kwargs:
        kwargs["out"] = values["out"]
    return fn(*args, **kwargs)


def method_anew(name: str, *args: Any) -> Any:
    """Calls a method anew, with overrides on."""
    turn_on()
    return getattr(Tensor, name)(*args)
