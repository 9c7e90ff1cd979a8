"""`@op` and `@view`: the one place where an operation is declared.

An op is a pure function on jax arrays. Its Python signature is its schema, read from the annotations:

    Array            a tensor; dynamic
    Array | None     a tensor or None
    Array | Number   a tensor or a Python number; the number takes part in promotion as torch's numbers do
    Array | int      a tensor (dynamic) or, when it is no tensor, a static value
    Arrays           a list or tuple of tensors
    Number           a Python number that is dynamic: when it changes from call to call nothing recompiles
    Real             a Number that is not complex: torch's double
    Positive         a Real that is dynamic where it is positive and finite; any other is static, as another code is for
                     it
    DynamicInt       an int that is dynamic; with `| SymInt`, taken from what SymInt is taken from
    DynamicInts      an int or a tuple of ints that are dynamic
    Exponent         a Python number that may carry structure: one of floating point that is not whole, nor a half, is
                     dynamic, all others are static, told apart by type (2 is not 2.0); with a default of floating point
                     it is a double, as a float is
    Order            the same of a norm: dynamic if it is not whole, and between 1 and 3
    Scalar           a Python number of any kind: static
    SymInt           a static int; also a tensor of one integer, of any shape, and NumPy's array of no dims
    Sizes            a tuple of ints; the last positional parameter of this kind may be given spread (`x.view(2, 3)`)
    anything else    static: int, bool, str, tuple, dtype, None

From the one declaration come the function of the torch namespace, the Tensor method, the in-place and `out=`
variants, the derivatives, and the documentation. Calling an `Op` calls the pure function: ops may use each other.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp

from ..words import dtypes
from ..words.errors import check_int
from ..words.promote import converted, to_common_dtype

__all__ = [
    "OPS", "UNSET", "Array", "Arrays", "DynamicInt", "DynamicInts", "Exponent", "Number", "Op", "Order", "Param",
    "Positive", "Real", "Scalar", "Sizes", "SymInt", "Unset", "check_ints", "op", "view",
]  # fmt: skip

Array = jax.Array
Arrays = list[jax.Array]
Number = Any
Real = Any
Positive = Any
DynamicInt = Any
DynamicInts = Any
Exponent = Any
Order = Any
Scalar = Any
Sizes = tuple[int, ...]
SymInt = int


class Unset:
    """The class of UNSET: the default of an argument that may be left out but may not be None, such as the dim of
    `max`."""

    def __repr__(self) -> str:
        return "<not given>"


UNSET = Unset()

OPS: dict[str, Op] = {}
"""Every declared op by its qualified name, such as "add" or "linalg.inv"."""


def _is_positive(x: Any) -> bool:
    return x.__class__ is float and 0 < x < math.inf


def _is_exponent(x: Any) -> bool:
    return x.__class__ is float and not x.is_integer() and x not in (0.5, -0.5) and math.isfinite(x)


def _is_order(x: Any) -> bool:
    return x.__class__ is float and 1 < x < 3 and not x.is_integer()


VARYING = {"Positive": _is_positive, "Exponent": _is_exponent, "Order": _is_order}
"""By annotation, the test of which numbers are dynamic: all others carry structure, and are static."""


class Param:
    """One parameter of an op: its name, kind and default."""

    __slots__ = (
        "allows_array",
        "allows_none",
        "allows_number",
        "annotation",
        "default",
        "is_double",
        "is_int",
        "is_real",
        "keyword_only",
        "kind",
        "name",
        "parameter",
        "position",
        "typed",
        "varies",
    )

    def __init__(self, parameter: inspect.Parameter, position: int):
        self.name = parameter.name
        self.parameter = parameter
        self.position = position
        self.default = parameter.default
        self.keyword_only = parameter.kind is inspect.Parameter.KEYWORD_ONLY
        self.annotation = str(parameter.annotation)
        parts = {p.strip() for p in self.annotation.split("|")}
        self.allows_none = "None" in parts
        self.allows_number = "Number" in parts
        self.is_real = bool(parts & {"Real", "Positive"})
        self.is_int = "DynamicInt" in parts
        self.typed = bool(parts & {"Exponent", "Order", "Positive", "Scalar", "float", "Any"})
        exponent = bool(parts & {"Exponent", "Order"})
        self.is_double = "float" in parts or (exponent and isinstance(self.default, float))
        self.allows_array = "Array" in parts
        self.varies = next((VARYING[p] for p in parts if p in VARYING), None)
        """Tells whether a number is dynamic; None where all are, or none is."""
        if "Arrays" in parts:
            self.kind = "arrays"
        elif "DynamicInts" in parts:
            self.kind = "ints"
        elif self.varies or (self.allows_array and parts - {"Array", "None", "Number"}):
            self.kind = "mixed"
        elif "Array" in parts:
            self.kind = "array"
        elif parts & {"Number", "Real", "DynamicInt"}:
            self.kind = "number"
        elif "Sizes" in parts:
            self.kind = "size"
        else:
            self.kind = "static"

    def untyped(self, value: tuple) -> Any:
        """A static argument without its type; a number that torch takes for any kind of number fits in 64 bits."""
        number = value[1]
        if number.__class__ is int and not -(2**53) <= number <= 2**53:
            if self.is_double:
                return float(number)
            if not -(2**63) <= number < 2**64 and (self.varies or "Scalar" in self.annotation):
                raise OverflowError("int too big to convert")
        return number


def check_ints(value: Any, function: str, name: str) -> None:
    """Raises torch's errors of sizes, dims and counts that do not fit in 64 bits."""
    if value.__class__ is int:
        check_int(value)
    elif value.__class__ is tuple:
        for i, x in enumerate(value):
            try:
                check_ints(x, function, name)
            except ValueError as e:
                raise TypeError(
                    f"{function}(): argument '{name}' failed to unpack the object at pos {i + 1} with error \"{e}\""
                ) from None


class Op:
    """A declared pure function on jax arrays; see the module's docstring for how it is declared."""

    formulas = 0

    def __init__(
        self,
        fn: Callable,
        name: str,
        promote: str | tuple[str, ...] | None = None,
        inplace: bool = False,
        method: bool | str = False,
        out: bool | str = True,
        saves: str = "inputs",
        returns: tuple[str, ...] | None = None,
        aliases: tuple[str, ...] = (),
        namespace: str = "torch",
        put: Callable | None = None,
        is_view: bool = False,
        host: bool | str = False,
        asks: tuple[tuple[str, str, Callable], ...] = (),
        looks: Callable[..., None] | None = None,
        numbers: Callable[[Op, tuple, Sequence, Any], None] | None = None,
        undefined: Callable[[dict[str, Any], set[str]], bool] | None = None,
        grad: str | Callable[[str, tuple, Sequence[int | None]], str] | None = None,
        autocast: str | tuple[str | None, str | None] | None = None,
        autocast_if: Callable[[tuple, Sequence], bool] | None = None,
        float8: bool = False,
        watches: bool | tuple[str, ...] | None = None,
        apart: bool | tuple[str, ...] = False,
        scalings: tuple[str, ...] = (),
        wide_ints: str | Callable[[tuple], str] | None = None,
        mixes_devices: bool = False,
        second: str | None = None,
        dims_alone: bool = False,
        joins: Callable | None = None,
        reshapes: bool = False,
        strides: Callable[..., tuple] | None = None,
        signs: Callable[[bool, bool, bool], tuple[bool, bool, bool]] | None = None,
        on_host: Callable[..., Any] | None = None,
        window: bool = False,
        copied: bool = False,
        adds_last: str = "",
        flat_if_empty: bool = False,
    ):
        self.fn = fn
        self.name = name
        self.inplace = inplace
        self.method = method
        self.out = out
        self.saves = saves
        self.returns = returns
        self.aliases = aliases
        self.namespace = namespace
        self.put = put
        self.is_view = is_view
        self.takes_float8 = is_view or float8
        self.host = host
        self.asks = asks
        self.looks = looks
        self.numbers = numbers
        self.undefined = undefined
        self.grad = grad
        self.autocast = (autocast, autocast) if isinstance(autocast, str) else autocast
        self.autocast_if = autocast_if
        self.watches = watches
        self.apart = apart
        self.scalings = scalings
        self.wide_ints = wide_ints
        self.mixes_devices = mixes_devices
        self.second = second
        self.dims_alone = dims_alone
        self.joins = joins
        self.reshapes = reshapes
        self.strides = strides
        self.signs = signs
        self.on_host = on_host
        self.window = window
        self.copied = copied
        self.adds_last = adds_last
        self.flat_if_empty = flat_if_empty
        self.derived: dict[Any, Op] = {}
        self.__doc__ = fn.__doc__
        self.__name__ = name
        self.__wrapped__ = fn
        if promote is None:
            self.promote_kind, self.promoted = None, None
        elif isinstance(promote, str):
            self.promote_kind, self.promoted = promote, None
        else:
            self.promote_kind, self.promoted = promote[0], promote[1:]

    @cached_property
    def params(self) -> tuple[Param, ...]:
        return tuple(Param(p, i) for i, p in enumerate(inspect.signature(self.fn).parameters.values()))

    def __call__(self, *args, **kwargs):
        """The pure function itself, on jax arrays, with promotion."""
        if self.promote_kind is None:
            return self.fn(*args, **kwargs)
        bound = inspect.signature(self.fn).bind(*args, **kwargs)
        bound.apply_defaults()
        return self._run([bound.arguments[p.name] for p in self.params])

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    @cached_property
    def watched(self) -> list[str]:
        """The parameters whose memory PyTorch compares with that of what is written to."""
        asked = self.watches
        if asked is None:
            asked = self.inplace or self.namespace == "special" or bool(self.apart)
        names = [p.name for p in self.params if p.kind in ("array", "arrays", "mixed")]
        return [n for n in names if asked is True or (asked and n in asked)]

    @cached_property
    def kept_apart(self) -> list[str]:
        """Parameters that may not be the tensor that is written to: some of `watched`."""
        return [n for n in self.watched if self.apart is True or (self.apart and n in self.apart)]

    @cached_property
    def input_places(self) -> dict[str, int]:
        """Where the parameters that are tensors or numbers stand among the dynamic inputs."""
        dynamic = [p.name for p in self.params if p.kind in ("array", "number", "mixed")]
        return {name: place for place, name in enumerate(dynamic)}

    def gives_no_gradient(self, static: tuple, mask: int) -> bool:
        """Whether the inputs in `mask` (bits over the dynamic ones) get no gradient at all, not even zeros."""
        if self.undefined is None:
            return False
        arguments = dict(zip([p.name for p in self.params], self.arguments(static, ())))
        return self.undefined(arguments, {n for n, at in self.input_places.items() if mask >> at & 1})

    def call(self, static: tuple, inputs) -> Any:
        """Runs the op as it was recorded: `static` are its static arguments, `inputs` its dynamic ones, in order."""
        return self._run(self.arguments(static, inputs))

    def arguments(self, static: tuple, inputs) -> list:
        """The function's arguments, in the order of its signature."""
        arrays, statics = iter(inputs), iter(static)
        args = []
        for p in self.params:
            if p.kind == "arrays":
                args.append([next(arrays) for _ in range(next(statics))])
            elif p.kind == "mixed":
                array, other = next(arrays, None), next(statics)
                plain = p.typed and other is not None
                args.append(array if array is not None else p.untyped(other) if plain else other)
            elif p.kind == "ints":
                count = next(statics)
                args.append(next(arrays) if count is None else tuple([next(arrays) for _ in range(count)]))
            elif p.kind in ("static", "size"):
                value = next(statics)
                if not p.typed:
                    check_ints(value, self.name.rpartition(".")[2], p.name)
                args.append(p.untyped(value) if p.typed else value)
            else:
                args.append(next(arrays, p.default))  # operators leave out what follows their two operands
        return args

    def _run(self, args: list):
        result = compute = None
        if self.promote_kind is not None:
            args, compute, result = self._promote(args)
        positional = [a for a, p in zip(args, self.params) if not p.keyword_only]
        keywords = {p.name: a for a, p in zip(args, self.params) if p.keyword_only}
        out = self.fn(*positional, **keywords)
        if compute is not result:
            out = jax.tree.map(lambda x: converted(x, result.np) if x.dtype == compute.np else x, out)
        return out

    def _promote(self, args: list):
        slots, flat = [], []
        for i, (p, a) in enumerate(zip(self.params, args)):
            if self.promoted is not None:
                taking_part = p.name in self.promoted
            else:
                taking_part = p.kind in ("array", "arrays", "mixed")
            if not taking_part or a is None or (p.kind == "mixed" and not hasattr(a, "dtype")):
                continue
            many = list(a) if p.kind == "arrays" else [a]
            slots.append((i, len(many), p.kind == "arrays"))
            flat += many
        cast, compute, result = to_common_dtype(flat, self.promote_kind, self.takes_float8)
        args, at = list(args), 0
        for i, count, is_list in slots:
            args[i] = cast[at : at + count] if is_list else cast[at]
            at += count
        return args, compute, result


def _declare(fn, options, **fixed):
    namespace = options.get("namespace", "torch")
    name = options.pop("name", fn.__name__)
    name = name[:-1] if name.endswith("_") and not name.endswith("__") else name
    qualified = name if namespace in ("torch", "Tensor") else f"{namespace}.{name}"
    if "method" not in options:
        first = next(iter(inspect.signature(fn).parameters), "")
        options["method"] = namespace in ("torch", "Tensor") and first == "input"
    if qualified in OPS:
        raise ValueError(f"the op {qualified} is declared twice")
    declared = OPS[qualified] = Op(fn, qualified, **options, **fixed)
    return declared


def op(fn: Callable | None = None, /, **options):
    """Declares an op. Options:

    promote     None, or the promotion kind of its tensors: "default", "float" (integers become floating point),
                "long" (bool becomes int64), "product", "same" (`to_common_dtype`); or a tuple (kind, names of the parameters that take part)
    inplace     derive `name_` (and the method)
    method      derive the Tensor method: True when the first parameter is called `input`; or the method's name
    out         accept `out=` (default True); "exact": only a tensor of the result's own dtype; "exact if ...": the same
                where this expression of the arguments is true; "dtype": its dtype is what `dtype=` is by default; "real dtype":
                the same of a real one for complex numbers; "asked": of
                any dtype that `asks=` lets pass, to which the result is cast
    saves       what torch's backward reads, for the check of later in-place writes: "inputs" or "result" or "nothing"
    returns     field names of the named tuple that is returned, such as ("values", "indices")
    aliases     other names of the same function
    namespace   "torch" (default), "Tensor" (method only), "linalg", "fft", "special", "nn.functional"
    host        the function takes and returns numpy arrays and runs at once: its result's shape depends on data; "fixed
                shape": it does not, and the function can be called back by a program
    asks        what every call looks at before the op is applied: (condition, names, function). Where the condition,
                Python over the arguments, holds, the arguments `names` become what `function(*names)` gives. It may
                warn: the caller is two above
    looks       what every call looks at once its arguments were found right: a function of the `result`, and of
                arguments by their names, that raises, as for values of tensors that are at hand
    numbers     refuses Python numbers by their values: `numbers(op, static, inputs, result)`, the last an Aval. The
                function itself does not see a number that changes from call to call, as it is then an input of the
                program
    undefined   where torch's derivative gives nothing, not even zeros, so that `.grad` stays None:
                `undefined(arguments, wanted)` tells it from the static arguments and the names of the inputs whose
                gradients are wanted, or raises what torch's derivative raises
    grad        what torch calls the derivative, where that is not the op's own name: "View" for ViewBackward0, or all
                of it; or `grad(name, static, ranks)`, which tells it from the op's own, the static arguments, and the
                inputs' numbers of dims (`grad_names.py`)
    autocast    how autocast has its tensors: "lower", "float" or "widest"; a pair where that differs on CPUs and GPUs
    autocast_if where that holds for some arguments alone: `autocast_if(static, inputs)`
    float8      takes float8 as it is, as views do (default False): moves numbers, fills, asks for equality, or
                multiplies
    watches     which inputs PyTorch does not let overlap what is written to: True, False, or their names; by default
                those of ops with `inplace=`, and in "special"
    apart       those of them that may not be the written tensor itself either: True for all, or their names
    scalings    keywords that older forms of the call give by place: `p.add_(-lr, grad)`
    wide_ints   what a Python int of 64 bits beside integers is: "int", of the same bits, or "float"; or a function of
                the static arguments; by default what `promote=` says
    mixes_devices  indices may be on the CPU
    second      which parameter a second argument is, given by place and alone, that is no dim: of `max(x, y)`, `other`
    dims_alone  dims and nothing else follow: they may be given as separate ints
    adds_last   the parameter that torch adds in a step of its own, as a bias, whose gradient is therefore there first
    flat_if_empty  torch's derivative looks first whether there are elements, and reads nothing where there are none
    joins       NumPy's function of the same arguments, for many small tensors
    name        the op's name, when the function's must differ (a trailing underscore is dropped by itself)
    """
    if fn is not None:
        return _declare(fn, options)
    return lambda f: _declare(f, options)


def view(fn: Callable | None = None, /, **options):
    """Declares a view op: `get(input, ...)` of a lens. Options beside those of an op:

    put         `put(base, part, ...)`, with the same further arguments, gives base with the part replaced; without it
                one is derived from where the elements lie
    strides     `strides(shape, strides, offset, ...)` gives those that PyTorch's view has, in elements; without it they
                are not followed. A function marked `asks_size` gets the bytes of an element of what is viewed before
                its further arguments
    reshapes    instead: all elements in their order in another shape, a view where strides allow it
    signs       `signs(conjugate, negative, is_complex)`: whether storage is shown conjugated, or negated, and is
                complex, where that changes
    on_host     `on_host(array, ...)`, with the static arguments, gives NumPy's view, or None where it would be costly
    window      instead: shows, along the dim that is the first static argument, one element, at a number; or as many as
                the second says, from that number on
    copied      there is a function `name_copy`, the same as a copy
    """
    options.setdefault("out", False)
    if fn is not None:
        return _declare(fn, options, is_view=True)
    return lambda f: _declare(f, options, is_view=True)


def put_by_position(get: Callable, base, part):
    """base with the elements that `get` reads replaced by `part`: a lens's `put` for any view that only moves
    elements."""
    with jax.ensure_compile_time_eval():
        where = get(jnp.arange(base.size, dtype=dtypes.int64.np).reshape(base.shape))
    return base.reshape(-1).at[where.reshape(-1)].set(part.reshape(-1)).reshape(base.shape)
