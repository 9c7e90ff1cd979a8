"""Proxy: stands for a value while a program is traced, and adds what is done with it to a Graph."""

from __future__ import annotations

import collections
import copy
import dis
import itertools
import operator
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, NoReturn

from .._core.api import Size, Tensor, tracebacks
from .._core.api import functions as torch
from .._core.api import overrides as _overrides
from ..api_names import listed
from . import traceback as fx_traceback
from ._handed_on import as_handed_on
from ._names import magic_methods, reflectable_magic_methods
from .graph import Graph
from .node import Argument, Node, Target, base_types, map_aggregate
from .operator_schemas import check_for_mutable_operation

__all__ = [
    "Attribute", "GraphAppendingTracer", "MetaProxy", "ParameterProxy", "Proxy", "Scope", "ScopeContextManager", "TraceError", "TracerBase",
]  # fmt: skip
__dir__ = listed(
    __name__, "Argument", "Graph", "Node", "Target", "base_types", "magic_methods", "reflectable_magic_methods",
)  # fmt: skip

CONTROL_FLOW = "symbolically traced variables cannot be used as inputs to control flow"
ITERATED = (
    "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs function "
    "argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what types of control flow can be traced, "
    "and check out the Proxy docstring for help troubleshooting Proxy iteration errors"
)
NO_LEN = (
    "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call torch.fx.wrap('len') at "
    "module scope"
)


class TraceError(ValueError):
    """The traced program did with a Proxy what cannot be put into a Graph."""


class Scope:
    """The module whose code runs: its path and its type."""

    def __init__(self, module_path: str, module_type: Any):
        self.module_path, self.module_type = module_path, module_type


class ScopeContextManager:
    """A context in which `scope` says what `current_scope` does."""

    def __init__(self, scope: Scope, current_scope: Scope):
        self._scope, self._before = scope, copy.copy(scope)
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *exception: object) -> None:
        self._scope.module_path, self._scope.module_type = self._before.module_path, self._before.module_type


class TracerBase:
    """Makes Nodes and Proxies: the parts of a Tracer that may be overridden.

    Attributes:
        graph: the Graph that is made.
        record_stack_traces: whether Nodes remember the user's lines (`Node.stack_trace`).
        check_mutable_operations: whether calls that write to a tensor raise.
        trace_asserts: whether `assert` on a Proxy becomes a Node.
        proxy_buffer_attributes: whether `self.buffer` gives a Proxy, as `self.parameter` does.
        traced_func_name: the method of a module that is traced.
    """

    graph: Graph
    record_stack_traces: bool = False
    _record_forward_stack_traces_only: bool = False
    check_mutable_operations: bool = False
    trace_asserts: bool = False
    proxy_buffer_attributes: bool = False
    traced_func_name: str = "forward"
    scope: Scope
    module_stack: collections.OrderedDict[str, tuple[str, Any]]
    node_name_to_scope: dict[str, tuple[str, Any]]

    def create_node(
        self, kind: str, target: Target, args: tuple, kwargs: dict[str, Any], name: str | None = None, type_expr: Any = None
    ) -> Node:  # fmt: skip
        """Adds a Node. Override it to look at, or to change, each one that is made."""
        if kind == "call_function" and self.check_mutable_operations:
            check_for_mutable_operation(target, args, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        self.node_name_to_scope[node.name] = (self.scope.module_path, self.scope.module_type)
        if fx_traceback.has_preserved_node_meta():
            node.meta.update(fx_traceback.get_current_meta())
        elif self.module_stack:
            node.meta["nn_module_stack"] = copy.copy(self.module_stack)
        if self.record_stack_traces and not node.stack_trace:
            node.stack_trace = _users_lines()
        return node

    def proxy(self, node: Node) -> Proxy:
        """The Proxy for a Node; override it to use a class of one's own."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple,
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:
        """Adds a Node for a call with Proxies among its arguments, and returns a Proxy for the result."""
        args_, kwargs_ = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, args_, kwargs_, name, type_expr)
        return self.proxy(node) if proxy_factory_fn is None else proxy_factory_fn(node)

    def create_arg(self, a: Any) -> Argument:
        """A value as the argument of a Node.

        Override it for types of one's own; raises NotImplementedError for unknown ones."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(type(a), "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return type(a)(*[self.create_arg(x) for x in a])
        if isinstance(a, tuple | list):
            return type(a)([self.create_arg(x) for x in a])
        if isinstance(a, dict):
            return {self._key(k): self.create_arg(v) for k, v in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(*[self.create_arg(x) for x in (a.start, a.stop, a.step)])  # type: ignore[misc]
        if is_dataclass(a) and not isinstance(a, type):
            kwargs = {f.name: self.create_arg(getattr(a, f.name)) for f in fields(a)}
            return self.create_node("call_function", type(a), (), kwargs)
        if isinstance(a, base_types) or a is None or a is ... or isinstance(a, _PLAIN):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Any:
        found = self.create_arg(key)

        def refuse(x: Any) -> Any:
            if isinstance(x, Node):
                raise RuntimeError(
                    f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {key.node if isinstance(key, Proxy) else key}"
                )
            return x

        map_aggregate(found, refuse)
        return found

    def to_bool(self, obj: Proxy) -> bool:
        """Decides `bool(proxy)`; override it to decide what `if proxy:` does. Raises TraceError."""
        raise TraceError(CONTROL_FLOW)

    def iter(self, obj: Proxy) -> Iterator:
        """Returns `iter(proxy)`; override it where the number of entries is known. Raises TraceError."""
        raise TraceError(ITERATED)

    def keys(self, obj: Proxy) -> Any:
        """Returns `proxy.keys()`, which `**proxy` asks for too."""
        return Attribute(obj, "keys")()


_PLAIN = (type(torch.preserve_format),)
"""Further types of arguments that stand for themselves: memory formats."""


def _users_lines() -> str:
    """The stack of the traced program, without the frames of this library."""
    frames = [
        f
        for f in traceback.extract_stack(sys._getframe(2))
        if tracebacks.kind_of(f.filename) == tracebacks.USERS
    ]
    return "".join(traceback.format_list(frames)).strip()


class GraphAppendingTracer(TracerBase):
    """Adds to a Graph that there is: what `Proxy(node)` uses."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.node_name_to_scope = {}


def assert_fn(x: Any) -> None:
    """Raises AssertionError unless x is true; what a traced `assert` calls."""
    if not x:
        raise AssertionError("assertion failed")


class Proxy:
    """Stands for the value of a Node.

    Operators, methods, attributes and the library's functions add Nodes to the Graph and return Proxies; an operation
    that needs a value (`if`, `for`, `len`) raises TraceError.

    Args:
        node: the Node.
        tracer: makes the Nodes; by default one that adds them to the Node's Graph where new Nodes go.

    An unpacking (`a, b = proxy`) works, since it says how many there are; a loop and `*proxy` do not.

    >>> graph = torch.fx.Graph()
    >>> x = torch.fx.Proxy(graph.placeholder("x"))
    >>> (torch.relu(x) + 1).node
    add
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        _overrides.turn_on()
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        return Attribute(self, k)

    def __getstate__(self) -> dict:
        return self.__dict__

    def __setstate__(self, d: dict) -> None:
        self.__dict__ = d

    def __deepcopy__(self, memo: dict) -> Proxy:
        made = Proxy.__new__(type(self))
        made.__dict__.update({k: copy.deepcopy(v, memo) for k, v in self.__dict__.items()})
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Proxy]:
        instruction = _instruction(sys._getframe(1))
        if instruction is not None and instruction.opname == "UNPACK_SEQUENCE":
            return (self[i] for i in range(instruction.argval))  # type: ignore[index]
        return self.tracer.iter(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        if self.tracer.trace_asserts and _is_assert(sys._getframe(1)):
            self.tracer.create_proxy("call_function", assert_fn, (self,), {})
            return True
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        """The Proxy of what `keys()` returns."""
        return self.tracer.keys(self)

    def __len__(self) -> NoReturn:
        raise RuntimeError(NO_LEN)

    @classmethod
    def __torch_function__(cls, orig_method: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        tracers: dict[Any, None] = {}
        map_aggregate(
            (args, kwargs), lambda x: tracers.setdefault(x.tracer) if isinstance(x, Proxy) else None
        )
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace operations {orig_method}"
            )
        tracer = next(iter(tracers))
        name = _overrides.name_of(orig_method) or ""
        if name.startswith("torch.Tensor.") or not name:
            method = orig_method.__name__
            if method in ("__get__", "__set__"):
                return _property(tracer, orig_method, args, kwargs)
            if name:
                method = name.rpartition(".")[
                    2
                ]  # what it is called by, whatever the function itself is called
            if name or getattr(Tensor, method, None) is orig_method:
                return tracer.create_proxy("call_method", _SHOWN_AS.get(method, method), args, kwargs)
        args, kwargs = as_handed_on(name, orig_method, args, kwargs)
        made = tracer.graph._target_to_str(orig_method.__name__)
        return tracer.create_proxy("call_function", orig_method, args, kwargs, name=made)


_SHOWN_AS = {"__eq__": "eq", "__pow__": "pow", "__ipow__": "pow_"}
"""Methods of Tensor that PyTorch records by the name of another."""


def _property(tracer: TracerBase, accessor: Any, args: tuple, kwargs: dict) -> Any:
    """Tensor's properties, called by hand on a Proxy."""
    prop = accessor.__self__
    name = next(n for n, x in vars(Tensor).items() if x is prop)
    target = getattr if accessor.__name__ == "__get__" else setattr
    return tracer.create_proxy("call_function", target, (args[0], name, *args[1:]), kwargs)


def _instruction(frame: Any) -> dis.Instruction | None:
    """Returns the instruction that a frame is about to run."""
    return next((i for i in dis.get_instructions(frame.f_code) if i.offset == frame.f_lasti), None)


def _is_assert(frame: Any) -> bool:
    """Returns whether a frame asks for the truth of what it asserts."""
    after = [
        i for i in dis.get_instructions(frame.f_code) if i.offset >= frame.f_lasti and i.opname != "CACHE"
    ][:3]
    for jump, then in itertools.pairwise(after):
        if "JUMP" in jump.opname and jump.opname.endswith("IF_TRUE"):
            return then.opname == "LOAD_ASSERTION_ERROR" or "AssertionError" in str(then.argrepr)
    return False


class MetaProxy(Proxy):
    """A Proxy that would know its shape: not supported, because fake tensors to compute it with do not exist here."""

    def __init__(self, node: Node, tracer: TracerBase | None = None, fake_mode: Any = None) -> None:
        raise NotImplementedError(
            "MetaProxy: not supported; run torch.fx.passes.shape_prop.ShapeProp on the traced Graph"
        )


class Attribute(Proxy):
    """The attribute of a Proxy: a Node only where it is used; called, it is a method."""

    def __init__(self, root: Proxy, attr: str):
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The Node of the attribute, made at first use."""
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A parameter whose shape is known while the program is traced (`Tracer(param_shapes_constant=True)`)."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any):
        super().__init__(node, tracer)
        if not isinstance(param, Tensor):
            raise AssertionError(f"param must be a torch.nn.Parameter, got {type(param)}")
        self.param, self.name = param, name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Size:
        """The parameter's own shape, as ndim, size() and so on."""
        return self.param.shape

    def size(self) -> Size:
        """The parameter's own."""
        return self.param.size()

    def dim(self) -> int:
        """The parameter's own."""
        return self.param.dim()

    @property
    def ndim(self) -> int:
        """The parameter's own."""
        return self.param.ndim

    def numel(self) -> int:
        """The parameter's own."""
        return self.param.numel()

    def nelement(self) -> int:
        """The parameter's own."""
        return self.param.numel()


def _operator(name: str, swapped: bool) -> Callable:
    target = getattr(operator, name)

    def method(self: Proxy, *args: Any, **kwargs: Any) -> Proxy:
        given = (args[0], self) if swapped else (self, *args)
        return self.tracer.create_proxy("call_function", target, given, kwargs)

    method.__name__ = f"__{'r' if swapped else ''}{name.strip('_')}__"
    method.__qualname__ = f"Proxy.{method.__name__}"
    return method


for _name in magic_methods:
    if hasattr(operator, _name):
        setattr(Proxy, f"__{_name.strip('_')}__", _operator(_name, False))
for _name in reflectable_magic_methods:
    if hasattr(operator, _name) and _name != "getitem":
        setattr(Proxy, f"__r{_name.strip('_')}__", _operator(_name, True))
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign]
