"""Node: one step of a Graph, and the functions that walk the arguments of one."""

from __future__ import annotations

import builtins
import importlib
import inspect
import operator
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from .._core.api import CONSTANTS, Tensor, dtypes, layout
from .._core.api import devices as _devices
from .._core.api import overrides as _overrides
from .._ops import OpOverload, OpOverloadPacket
from ..api_names import listed
from ._handed_on import AS_GIVEN
from ._names import writes
from .immutable_collections import immutable_dict, immutable_list
from .operator_schemas import normalize_function, normalize_module

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]
__dir__ = listed(
    __name__, "Argument", "ArgumentT", "BaseArgumentTypes", "Target", "base_types", "dtype_abbrs"
)

base_types: tuple[type, ...] = (
    str, int, float, bool, complex, dtypes.dtype, Tensor, _devices.device, layout,
)  # fmt: skip
"""Types of arguments that stand for themselves."""

BaseArgumentTypes = Union[base_types]  # type: ignore[valid-type]  # noqa: UP007
Target = Union[Callable[..., Any], str]  # noqa: UP007
if TYPE_CHECKING:
    Argument = Any
else:
    Argument = Optional[  # noqa: UP045
        Union[
            tuple["Argument", ...], Sequence["Argument"], Mapping[str, "Argument"], slice, range, "Node", BaseArgumentTypes
        ]
    ]  # fmt: skip
ArgumentT = typing.TypeVar("ArgumentT")

_legal_ops = ("placeholder", "get_attr", "call_function", "call_module", "call_method", "output", "root")

_SHORT = (
    "bfloat16 bf16 float64 f64 float32 f32 float16 f16 float8_e4m3fn f8e4m3fn float8_e5m2 f8e5m2 float8_e4m3fnuz f8e4m3fnuz "
    "float8_e5m2fnuz f8e5m2fnuz complex64 c64 complex128 c128 int8 i8 int16 i16 int32 i32 int64 i64 bool b8 uint8 u8 uint16 u16 "
    "uint32 u32 uint64 u64"
).split()
dtype_abbrs: dict[Any, str] = {
    CONSTANTS[name]: short for name, short in zip(_SHORT[::2], _SHORT[1::2]) if name in CONSTANTS
}
"""Short names of dtypes, as listings have them."""


# -- side effects ----------------------------------------------------------------------------------------------------

_side_effectful_functions: set[Callable] = {operator.setitem, builtins.setattr, builtins.print}


def has_side_effect(fn: Callable) -> Callable:
    """Marks a function as one whose calls are kept when nothing reads their result; usable as a decorator.

    >>> @torch.fx.has_side_effect
    ... def log(x):
    ...     print(x)
    """
    _side_effectful_functions.add(fn)
    return fn


# -- names of things -------------------------------------------------------------------------------------------------


def torchs_name(module: str) -> str:
    """The name of one of this library's modules as programs write it: torch…"""
    first, dot, rest = module.partition(".")
    return f"torch{dot}{rest}" if first in ("functorch_lite", "torch") else module


def _home(thing: Any) -> str:
    """The module in which programs find a function or class."""
    module, name = _find_module_of_method(thing), getattr(thing, "__name__", "")
    if module.startswith("functorch_lite._core.") and resolved(f"torch.{name}") is thing:
        return "torch"
    return torchs_name(module)


def _get_qualified_name(func: Callable[..., Any]) -> str:
    """The dotted name under which generated code finds a function. PyTorch's functions are under torch."""
    if getattr(builtins, getattr(func, "__name__", ""), None) is func:
        return func.__name__
    if isinstance(func, OpOverload | OpOverloadPacket):
        return f"torch.ops.{func}"
    published = _overrides.name_of(func)
    if published is not None:
        name = published.replace("torch.functional.", "torch.")
        space, _, short = name.rpartition(".")
        if space == "torch.nn.functional" and short in AS_GIVEN and resolved(f"torch.{short}") is func:
            return f"torch.{short}"  # where PyTorch has it
        return name
    if isinstance(func, types.MethodDescriptorType):
        return f"torch.Tensor.{func.__name__}" if func.__objclass__ is Tensor else str(func)
    name = func.__name__
    module = _home(func)
    if name == "<lambda>":
        name = inspect.getsource(func).split("=")[0].strip() if _has_source(func) else "lambda"
    return f"{module}.{name}"


def _has_source(func: Any) -> bool:
    try:
        return bool(inspect.getsource(func))
    except (OSError, TypeError):
        return False


def _find_module_of_method(orig_method: Callable[..., Any]) -> str:
    module = getattr(orig_method, "__module__", None)
    if module is None:
        raise RuntimeError(f"cannot find module for {orig_method}")
    return module


def resolved(dotted: str) -> Any:
    """Returns the object of this library that a dotted name of torch's stands for; None if there is none."""
    parts = dotted.split(".")
    if parts[0] != "torch":
        return None
    found: Any = importlib.import_module("functorch_lite")
    for part in parts[1:]:
        found = getattr(found, part, None)
        if found is None:
            return None
    return found


def _type_repr(obj: Any) -> str:
    """A type as generated code writes it."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        return obj.__qualname__ if obj.__module__ == "builtins" else f"{_home(obj)}.{obj.__qualname__}"
    if obj is ...:
        return "..."
    if isinstance(obj, types.FunctionType):
        return obj.__name__
    return repr(obj).replace("functorch_lite._core.lazy.tensor.Tensor", "torch.Tensor")


# -- arguments -------------------------------------------------------------------------------------------------------


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """`fn` of every value inside of tuples, lists, dicts and slices; lists and dicts come back as ones that cannot be
    changed.

    >>> map_aggregate((1, [2, {"a": 3}]), lambda x: x + 1)
    (2, [3, {'a': 4}])
    """
    if isinstance(a, tuple):
        parts = [map_aggregate(x, fn) for x in a]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    if isinstance(a, list):
        return immutable_list([map_aggregate(x, fn) for x in a])
    if isinstance(a, dict):
        return immutable_dict((k, map_aggregate(x, fn)) for k, x in a.items())
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """`fn` of every Node inside of an argument; everything else stays."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def format_arg(arg: Any, max_list_len: float = float("inf")) -> str:
    """An argument as listings of Graphs have it: `%name` for a Node."""
    custom = getattr(arg, "_custom_fx_repr_fn", None)
    if custom is not None:
        return custom()
    if isinstance(arg, list | tuple):
        items = [format_arg(x) for x in arg[: len(arg) if len(arg) <= max_list_len else int(max_list_len)]]
        if len(arg) > max_list_len:
            items.append(f"...[total_len={len(arg)}]")
        text = ", ".join(items)
        return f"[{text}]" if isinstance(arg, list) else f"({text},)" if len(arg) == 1 else f"({text})"
    if isinstance(arg, dict):
        return f"{{{', '.join(f'{k}: {format_arg(v)}' for k, v in arg.items())}}}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


_format_arg = format_arg


class Node:
    """One step of a Graph, made by the Graph's methods.

    Attributes:
        op: "placeholder" (an input), "get_attr" (a parameter, buffer or other member of the module), "call_function",
            "call_module" (a submodule), "call_method" or "output".
        name: the name of its result, unique in the Graph.
        target: the function, or the name of the method, the submodule, the attribute or the input.
        args, kwargs: arguments, with Nodes in the places of results. They are assigned as a whole.
        users: dict whose keys are the Nodes that read this one.
        meta: a dict of what passes know about the Node.
        type: the annotation of the result, or None.

    >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> [(node.op, node.name) for node in gm.graph.nodes]
    [('placeholder', 'x'), ('call_function', 'relu'), ('call_function', 'add'), ('output', 'output')]
    """

    def __init__(
        self, graph: Graph, name: str, op: str, target: Target, args: tuple, kwargs: dict[str, Any], return_type: Any = None
    ) -> None:  # fmt: skip
        if op not in _legal_ops:
            raise AssertionError(f"op {op!r} is not in _legal_ops")
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    f"Node [graph = {graph}, name = '{name}'] target {target} has type {_kind(target)} but a Callable is expected"
                )
        elif not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {_kind(target)} but a str is expected"
            )
        self.graph = graph
        self._name = name
        self._op, self._target = op, target
        self._input_nodes: dict[Node, None] = {}
        self.users: dict[Node, None] = {}
        self.type = return_type
        self.meta: dict[str, Any] = {}
        self._erased = False
        self._repr_fn: Callable[[Node], str] | None = None
        self._args: tuple = ()
        self._kwargs: dict[str, Any] = {}
        self._prev = self._next = self
        self._set_arguments(args, kwargs)

    # -- what it is; the Graph's index of op and target follows

    @property
    def op(self) -> str:
        """The kind of the step: "call_function", "placeholder", …"""
        return self._op

    @op.setter
    def op(self, op: str) -> None:
        self._reindexed(op, self._target)

    @property
    def target(self) -> Any:
        """The function, method, submodule, attribute or name that the step is of."""
        return self._target

    @target.setter
    def target(self, target: Any) -> None:
        self._reindexed(self._op, target)

    def _reindexed(self, op: str, target: Any) -> None:
        table = self.graph._find_nodes_lookup_table
        there = self in table
        if there:
            table.remove(self)
        self._op, self._target = op, target
        if there:
            table.insert(self)

    @property
    def name(self) -> str:
        """The name of its result."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        if name != self._name:
            self.graph._replaced(self, name)
            self.graph._graph_namespace._rename_object(self, name)
            self._name = name

    def _rename(self, candidate: str) -> None:
        """Takes the name, or the nearest that is free."""
        if candidate != self._name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)

    # -- its place

    @property
    def next(self) -> Node:
        """The next Node; after the last one, the Graph's root."""
        return self._next

    @property
    def prev(self) -> Node:
        """The Node before; before the first one, the Graph's root."""
        return self._prev

    def _unlink(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    def prepend(self, x: Node) -> None:
        """Puts the Node x before this one."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            return
        x._unlink()
        x._prev, x._next = self._prev, self
        self._prev._next = x
        self._prev = x
        self.graph._order = None

    def append(self, x: Node) -> None:
        """Puts the Node x after this one."""
        if self is not x:
            self._next.prepend(x)

    def _place(self) -> int:
        return self.graph._places()[self]

    def __lt__(self, other: Node) -> bool:
        return self._place() < other._place()

    def __gt__(self, other: Node) -> bool:
        return self._place() > other._place()

    def __le__(self, other: Node) -> bool:
        return self is other or self < other

    def __ge__(self, other: Node) -> bool:
        return self is other or self > other

    # -- its arguments

    @property
    def args(self) -> tuple:
        """The positional arguments; assign a new tuple to change them."""
        return self._args

    @args.setter
    def args(self, a: tuple) -> None:
        self._set_arguments(a, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """The arguments by name; assign a new dict to change them."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: dict[str, Any]) -> None:
        self._set_arguments(self._args, k)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The Nodes that it reads, each once, in order."""
        return list(self._input_nodes)

    def _set_arguments(self, args: Any, kwargs: Any) -> None:
        found: dict[Node, None] = {}

        def note(x: Any) -> Any:
            if isinstance(x, Node):
                found[x] = None
            return x

        new_args, new_kwargs = map_aggregate(tuple(args), note), map_aggregate(dict(kwargs), note)
        for old in self._input_nodes:
            old.users.pop(self, None)
        self._args, self._kwargs, self._input_nodes = new_args, new_kwargs, found
        for new in found:
            new.users[self] = None

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Puts arg in the place of the positional argument idx."""
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Puts arg before the positional argument idx."""
        if not 0 <= idx <= len(self.args):
            raise AssertionError(f"insert_args index must be between 0 and len(self.args), got {idx}")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Gives the argument named key."""
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Reads new_input wherever it reads old_input."""
        self.graph._replaced(old_input, new_input.name, self)
        swap = lambda n: new_input if n is old_input else n  # noqa: E731
        self._set_arguments(map_arg(self.args, swap), map_arg(self.kwargs, swap))

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] | None = None,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Lets everything that reads this Node read replace_with; returns the Nodes that read it.

        Args:
            delete_user_cb: whether a user is changed; all are by default.
            propagate_meta: whether replace_with, which must have no `meta` yet, gets this Node's.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        users = list(self.users)
        for user in users:
            if delete_user_cb is None or delete_user_cb(user):
                user.replace_input_with(self, replace_with)
        return users

    # -- what is known of it

    @property
    def stack_trace(self) -> str | None:
        """The place in the traced program where it was made, if the Tracer noted it (`record_stack_traces`)."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Returns whether it may do more than give a result, so that it is kept although nothing reads it.

        Placeholders and outputs are; so are functions that are marked (`has_side_effect`), modules that say so
        (`_is_impure`), and, unlike in PyTorch, calls that write to an argument: `x.add_(1)`, `x += 1`, `out=`.
        impure_random: whether drawing random numbers counts, since later draws depend on it.
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_module":
            if self.graph.owning_module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            module = self.graph.owning_module.get_submodule(self.target)
            return bool(getattr(module, "_is_impure", False))
        if self.op == "call_method":
            return writes(self.target) or (impure_random and self.target in _RANDOM_METHODS)
        if self.op == "call_function":
            if self.target in _side_effectful_functions or self.kwargs.get("out") is not None:
                return True
            name = getattr(self.target, "__name__", "")
            if getattr(self.target, "__module__", "") == "_operator":
                return name in _INPLACE_OPERATORS
            known = _overrides.name_of(self.target) is not None
            return known and (
                writes(name)
                or self.kwargs.get("inplace") is True
                or (impure_random and name in _RANDOM and self.kwargs.get("training") is not False)
            )
        return False

    def normalized_arguments(
        self,
        root: Any,
        arg_types: tuple[Any, ...] | None = None,
        kwarg_types: dict[str, Any] | None = None,
        normalize_to_only_use_kwargs: bool = False,
    ) -> Any:
        """`(args, kwargs)` as the signature of the target names them; None where that is not known."""
        if self.op == "call_function":
            return normalize_function(
                self.target, self.args, self.kwargs, arg_types, kwarg_types, normalize_to_only_use_kwargs
            )
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs)
        return None

    # -- how it is shown

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn is not None else self.name

    @staticmethod
    def _pretty_print_target(target: Any) -> str:
        """The target as listings have it: `operator.add` for Python's operators."""
        if isinstance(target, str):
            return target
        if hasattr(target, "__module__"):
            name = getattr(target, "__name__", None)
            if name is None:
                return (
                    _get_qualified_name(target)
                    if callable(target) and hasattr(target, "__qualname__")
                    else str(target)
                )
            if target.__module__ == "builtins":
                return f"builtins.{name}"
            if target.__module__ == "_operator":
                return f"operator.{name}"
        return _get_qualified_name(target)

    def format_node(
        self,
        placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
        *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """A line that shows it.

        Args:
            placeholder_names: gets the name and type of a placeholder, for which None is returned then.
            maybe_return_typename: its first entry gets the type of the output.
            include_tensor_metadata: whether dtype and shape are shown, where they are known.

        >>> print(torch.fx.symbolic_trace(torch.nn.ReLU()).graph.output_node().format_node())
        return relu
        """
        typename = f"{_type_repr(self.type)} " if self.type else ""
        if self.op == "placeholder":
            if placeholder_names is not None:
                placeholder_names.append(self.target + (f": {_type_repr(self.type)}" if self.type else ""))
                return None
            default = f"(default={self.args[0]})" if self.args else ""
            return f"%{self.name} : {typename}[num_users={len(self.users)}] = {self.op}[target={self.target}]{default}"
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        known = self._shown_metadata() if include_tensor_metadata else ""
        arguments = (
            ""
            if self.op == "get_attr"
            else f"(args = {format_arg(self.args)}, kwargs = {format_arg(self.kwargs)})"
        )
        return (
            f"%{self.name} : {typename}{known}[num_users={len(self.users)}] = "
            f"{self.op}[target={self._pretty_print_target(self.target)}]{arguments}"
        )

    def _shown_metadata(self) -> str:
        value = self.meta.get("val", self.meta.get("tensor_meta", self.meta.get("example_value")))
        if value is None or not hasattr(value, "dtype") or not hasattr(value, "shape"):
            return ""
        return f"{dtype_abbrs.get(value.dtype, value.dtype)}[{', '.join(map(str, value.shape))}] "

    def __reduce__(self) -> tuple:
        return _node_of, (self.graph, self.name)


def _node_of(graph: Graph, name: str) -> Node:
    return next(node for node in graph.nodes if node.name == name)


def _kind(x: Any) -> str:
    return x.__name__ if isinstance(x, type) else f"{type(x).__name__}" if isinstance(x, str) else _called(x)


def _called(x: Any) -> str:
    return _get_qualified_name(x) if callable(x) and hasattr(x, "__name__") else type(x).__name__


_INPLACE_OPERATORS = frozenset(
    f"i{n}" for n in ("add", "and", "floordiv", "lshift", "mod", "mul", "matmul", "or", "pow", "rshift", "sub", "truediv", "xor", "concat")
) | {"setitem", "delitem"}  # fmt: skip
_RANDOM = frozenset(
    "alpha_dropout bernoulli dropout dropout1d dropout2d dropout3d feature_alpha_dropout gumbel_softmax multinomial normal poisson "
    "rand rand_like randint randint_like randn randn_like randperm rrelu".split()
)
_RANDOM_METHODS = frozenset(("bernoulli", "multinomial"))
