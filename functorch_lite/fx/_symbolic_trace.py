"""Tracer: runs a function or a module on Proxies and gives the Graph of what it did."""

from __future__ import annotations

import builtins
import collections
import copy
import functools
import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from types import FunctionType, ModuleType
from typing import Any

from .._core.api import Tensor
from .._core.api import functions as torch
from .._core.api import overrides as _overrides
from ..nn.modules._registry import drop_cached, instance_dict
from ..nn.modules.container import Sequential
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..utils import _pytree as pytree
from ._code import PyTreeCodeGen, PyTreeInfo
from ._compatibility import compatibility as compatibility
from ._patches import Patcher
from .graph import Graph
from .graph_module import GraphModule
from .node import Argument, Node, base_types, map_aggregate
from .proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase

HAS_VARSTUFF = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class PHBase:
    """Placeholder in `concrete_args` for a value that stays an input."""

    def __repr__(self) -> str:
        return "PH"


class PHWithMeta(PHBase):
    """A PH whose attributes its Node gets."""

    def __init__(self, ph_key: str | None = None):
        super().__init__()
        self.ph_key = ph_key


PH = PHBase()

# -- functions that are recorded whole -------------------------------------------------------------------------------

_wrapped_fns_to_patch: dict[tuple[int, str], dict] = {}
_wrapped_methods_to_patch: list[tuple[type, str]] = []


def _find_proxy(*objects: Any) -> Proxy | None:
    """The first Proxy in some arguments."""
    found: list[Proxy] = []
    map_aggregate(objects, lambda x: found.append(x) if isinstance(x, Proxy) else None)
    return found[0] if found else None


def _create_wrapped_func(orig_fn: Callable) -> Callable:
    """A function that is recorded, rather than run, when it is given a Proxy."""

    @functools.wraps(orig_fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        made = proxy.tracer.create_proxy("call_function", orig_fn, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    return wrapped


def _create_wrapped_method(cls: type, name: str) -> Callable:
    orig_fn = getattr(cls, name)

    @functools.wraps(orig_fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        return proxy.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


def _patch_wrapped_functions(patcher: Patcher) -> None:
    """Replaces the functions that were marked by `wrap`, in the modules where that was done."""
    for (_, name), scope in list(_wrapped_fns_to_patch.items()):
        orig_fn = getattr(builtins, name) if name not in scope and hasattr(builtins, name) else scope[name]
        patcher.patch(scope, name, _create_wrapped_func(orig_fn))
    for cls, name in _wrapped_methods_to_patch:
        patcher.patch_method(cls, name, _create_wrapped_method(cls, name))


def _autowrap_check(patcher: Patcher, scope: dict[str, Any], function_ids: set[int]) -> None:
    """Replaces, once, the functions among a module's globals that are to be recorded."""
    if patcher.visit_once(scope):
        for name, value in list(scope.items()):
            if not name.startswith("_") and callable(value) and id(value) in function_ids:
                patcher.patch(scope, name, _create_wrapped_func(value))


def wrap(fn_or_name: str | Callable) -> str | Callable:
    """Marks a function of this module as one that tracing records as a call instead of running it.

    Call it at the top level of the module in which the function is looked up, with the function's name or with the
    function; or use it as a decorator. It acts where the function is called by that name in that module.

    >>> torch.fx.wrap("len")
    'len'
    >>> torch.fx.symbolic_trace(lambda x: x * len(x)).graph.find_nodes(op="call_function", target=len)
    [len_1]
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    current = inspect.currentframe()
    frame = current.f_back if current is not None else None
    if frame is None or frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_fns_to_patch[(id(frame.f_globals), name)] = frame.f_globals
    return fn_or_name


def _assert_is_none(value: Any, msg: str) -> None:
    if value is not None:
        raise AssertionError(msg)


# -- whether a program is traced -------------------------------------------------------------------------------------

_tracing = 0


def is_fx_tracing() -> bool:
    """Returns whether a Tracer is running."""
    return _tracing > 0


def is_fx_symbolic_tracing() -> bool:
    """Returns whether a Tracer is running."""
    return _tracing > 0


# -- the Tracer ------------------------------------------------------------------------------------------------------


def _patch_function(fn: FunctionType, count: int) -> FunctionType:
    """A function that takes by position what `fn` takes by name or as `*args` and `**kwargs`."""
    code = fn.__code__
    flat = code.replace(
        co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=code.co_flags & ~HAS_VARSTUFF
    )
    return FunctionType(flat, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)


def _annotation(fn: Any, name: str) -> Any:
    """The annotation of an argument.

    The library's own functions, whose annotations are unevaluated, get the annotations of Tensors."""
    kind = getattr(fn, "__annotations__", {}).get(name, None)
    if isinstance(kind, str) and (getattr(fn, "__module__", None) or "").startswith("functorch_lite."):
        return Tensor if kind == "Tensor" else None
    return kind


class Tracer(TracerBase):
    """Traces modules and functions.

    Subclasses override how modules are called (`is_leaf_module`, `call_module`), how Nodes and Proxies are made
    (`create_node`, `create_proxy`, `proxy`, `create_arg`, `to_bool`, `iter`, `keys`), and what attributes give
    (`getattr`).

    Args:
        autowrap_modules: modules whose functions are recorded whole where they are given Proxies.
        autowrap_functions: functions that are.
        param_shapes_constant: whether shapes of parameters are known while the program is traced.

    >>> class Through(torch.fx.Tracer):
    ...     def is_leaf_module(self, m, module_qualified_name):
    ...         return False
    >>> print(Through().trace(torch.nn.ReLU()).output_node().all_input_nodes[0].target.__name__)
    relu
    """

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable, ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        super().__init__()
        self._autowrap_function_ids = {
            id(value)
            for name, value in chain.from_iterable(m.__dict__.items() for m in autowrap_modules)
            if not name.startswith("_") and callable(value)
        } | {id(f) for f in autowrap_functions}
        self._autowrap_search: list[ModuleType] = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] | None = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope = {}
        self._qualname_counter: dict[str, int] = collections.defaultdict(int)

    def __deepcopy__(self, memo: dict) -> Tracer:
        made = Tracer.__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update({
            k: list(v) if k == "_autowrap_search" else copy.deepcopy(v, memo) for k, v in self.__dict__.items()
        })  # fmt: skip
        return made

    # -- arguments

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name for a new member of the root: the prefix with a number."""
        number = self._qualname_counter[prefix]
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        self._qualname_counter[prefix] = number + 1
        return f"{prefix}{number}"

    def create_arg(self, a: Any) -> Argument:
        """A value as the argument of a Node.

        Parameters, buffers, modules and other tensors become `get_attr` Nodes: a tensor that the root has not is made a
        member of it."""
        if isinstance(a, Parameter):
            for name, p in self.root.named_parameters():
                if a is p:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, Tensor):
            for name, b in self.root.named_buffers():
                if a is b:
                    return self.create_node("get_attr", name, (), {})
            return self.create_node("get_attr", self._member(a, "_tensor_constant"), (), {})
        if isinstance(a, Module):
            for name, m in self.root.named_modules():
                if a is m:
                    return self.create_node("get_attr", name, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple([self.create_arg(x) for x in a]), {})
        if type(a) in _proxyable_classes:
            return self.create_node("get_attr", self._member(a, f"_{type(a).__name__}_constant_"), (), {})
        return super().create_arg(a)

    def _member(self, x: Any, prefix: str) -> str:
        """The name of a value as a member of the root."""
        name = next((n for n, held in self.tensor_attrs.items() if held is x), None)
        if name is None:
            name = self.get_fresh_qualname(prefix)
            self.tensor_attrs[name] = x
            setattr(self.root, name, x)
        return name

    # -- modules

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Returns whether a module is recorded as a call rather than traced through: by default the modules of
        torch.nn, except Sequential."""
        return m.__module__.startswith(("functorch_lite.nn", "torch.nn")) and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """The qualified name of a submodule of the root; raises NameError if it is none."""
        if self.submodule_paths:
            path = self.submodule_paths.get(mod)
            if path is None:
                raise NameError("module is not installed as a submodule")
            return path
        for name, m in self.root.named_modules():
            if mod is m:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Returns the result of a call of a module: a Proxy for a leaf, else the result of the module's own code."""
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))) as scope:
            calls = self.num_calls[path] = self.num_calls.get(path, 0) + 1
            key = scope.module_path if calls == 1 else f"{scope.module_path}@{calls - 1}"
            self.module_stack[key] = (path, scope.module_type)
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                self.module_stack.pop(key, None)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Proxy]) -> Any:
        """Returns the value of `module.attr`: for a parameter, and with `proxy_buffer_attributes` for a buffer, a Proxy
        of it."""
        members: Iterator[tuple[str, Any]] | None = None
        if isinstance(attr_val, Parameter):
            members = self.root.named_parameters()
        elif self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            members = self.root.named_buffers()
        for name, member in members or ():
            if attr_val is member:
                if name not in parameter_proxy_cache:
                    more: dict[str, Any] = {}
                    if (
                        self.param_shapes_constant
                        and "proxy_factory_fn" in inspect.signature(self.create_proxy).parameters
                    ):
                        more["proxy_factory_fn"] = functools.partial(self._parameter_proxy, name, attr_val)
                    parameter_proxy_cache[name] = self.create_proxy("get_attr", name, (), {}, **more)
                return parameter_proxy_cache[name]
        return attr_val

    def _parameter_proxy(self, name: str, param: Any, node: Node) -> Proxy:
        return ParameterProxy(self, node, name, param)

    # -- the arguments of the traced function

    def create_args_for_root(
        self, root_fn: Callable, is_module: bool, concrete_args: dict[str, Any] | tuple | None = None
    ) -> tuple[Callable, list[Any]]:
        """(the function to call, its arguments): a placeholder for each argument, and the given value for the
        arguments in concrete_args."""
        analysed: Any = inspect.unwrap(root_fn)
        code = analysed.__code__
        total = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames)
        args: list[Any] = []
        if is_module:
            if total == 0:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            args.append(self.root)
        first = len(args)
        signature = inspect.signature(analysed)
        if isinstance(concrete_args, tuple):
            if len(names[first:total]) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {total - first} arguments but got {len(concrete_args)} concrete arguments"
                )
            concrete_args = dict(zip(names[first:total], concrete_args))
        args += [self._proxy_placeholder(n, concrete_args, signature, analysed) for n in names[first:total]]
        if code.co_kwonlyargcount > 0 or code.co_flags & HAS_VARSTUFF:
            at = total
            for flag, star in ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")):
                if code.co_flags & flag:
                    args.append(self._proxy_placeholder(star + names[at], concrete_args, signature, analysed))
                    at += 1
            root_fn = _patch_function(analysed, len(args))
        flat, in_spec = pytree.tree_flatten(tuple(args))
        if all(child.is_leaf() for child in in_spec.children()):
            return root_fn, args
        self.graph._codegen = PyTreeCodeGen(PyTreeInfo(names[:total], in_spec, None))
        nested_fn = root_fn

        def flatten_fn(*leaves: Any) -> list[Any]:
            result, out_spec = pytree.tree_flatten(nested_fn(*pytree.tree_unflatten(leaves, in_spec)))
            codegen: Any = self.graph._codegen
            codegen.pytree_info = codegen.pytree_info._replace(out_spec=out_spec)
            return result

        return flatten_fn, flat

    def _proxy_placeholder(
        self,
        name: str,
        concrete_args: dict[str, Any] | None,
        sig: inspect.Signature,
        fn_for_analysis: Callable,
    ) -> Any:
        if concrete_args is not None and name in concrete_args:
            return self._specialized(name, concrete_args[name], sig)
        default: tuple = ()
        if name[0] != "*":
            param = sig.parameters[name]
            default = () if param.default is inspect.Parameter.empty else (param.default,)
        kind = _annotation(fn_for_analysis, name)
        return self.create_proxy("placeholder", name, default, {}, type_expr=kind)

    def _specialized(self, name: str, value: Any, sig: inspect.Signature) -> Any:
        """An argument that is known: its leaves are inputs that are checked, and their values are used."""
        count = 0
        param = sig.parameters[name]
        default = () if param.default is inspect.Parameter.empty else (param.default,)
        message = f"{name} has been specialized to have value {{}} but got another value"

        def leaf(x: Any) -> Any:
            nonlocal count
            count += 1
            out = self.create_proxy("placeholder", f"{name}_{count}", default, {})
            if isinstance(x, PHBase):
                if x is not PH:
                    out.node.meta.update(vars(x))
                return out
            if isinstance(x, base_types) and not isinstance(x, Tensor):
                torch._assert(out == x, message.format(x))
            elif x is None:
                self.create_proxy("call_function", _assert_is_none, (out, message.format(x)), {})
            else:
                warnings.warn(
                    f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to the user to "
                    "make sure that your inputs match the inputs you specialized the function with.",
                    stacklevel=2,
                )
            return x

        return pytree.tree_map(leaf, value)

    # -- tracing

    def trace(self, root: Module | Callable, concrete_args: dict[str, Any] | None = None) -> Graph:
        """Runs a module's forward, or a function, on Proxies.

        Args:
            concrete_args: values of arguments, by name, for which the program is specialized. Containers in it are
                taken apart, with `torch.fx.PH` where a leaf stays an input.
        """
        global _tracing
        _overrides.turn_on()
        _tracing += 1
        try:
            return self._trace(root, concrete_args)
        finally:
            _tracing -= 1
            self.submodule_paths = None

    def _trace(self, root: Any, concrete_args: dict[str, Any] | None) -> Graph:
        if isinstance(root, Module):
            self.root = root
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(
                    f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}"
                )
            fn: Any = getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
            self.submodule_paths = {m: name for name, m in root.named_modules()}
        else:
            self.root = Module()
            fn = root
        self.graph = Graph(tracer_cls=type(self))
        plain = inspect.unwrap(fn) if callable(fn) else fn
        if hasattr(plain, "__code__"):
            code = plain.__code__
            self.graph._co_fields = {
                "co_name": code.co_name,
                "co_filename": code.co_filename,
                "co_firstlineno": code.co_firstlineno,
            }
        self.tensor_attrs: dict[str, Any] = {}
        for prefix, m in self.root.named_modules():
            drop_cached(instance_dict(m))  # so that every look-up of a parameter is seen
            for name, value in instance_dict(m).items():
                if isinstance(value, Tensor):
                    self.tensor_attrs[f"{prefix}.{name}" if prefix else name] = value
        if not isinstance(plain, FunctionType) and not hasattr(plain, "__func__"):
            raise AssertionError(f"Expected FunctionType, got {type(fn)}")
        fn, args = self.create_args_for_root(fn, isinstance(root, Module), concrete_args)
        cache: dict[str, Proxy] = {}
        original_call, original_getattr = Module.__call__, Module.__getattr__

        def module_getattr(mod: Module, attr: str) -> Any:
            return self.getattr(attr, original_getattr(mod, attr), cache)

        def module_call(mod: Module, *args: Any, **kwargs: Any) -> Any:
            def forward(*args: Any, **kwargs: Any) -> Any:
                return original_call(mod, *args, **kwargs)

            scope = getattr(getattr(mod, "forward", mod), "__globals__", {})
            _autowrap_check(patcher, scope, self._autowrap_function_ids)
            return self.call_module(mod, forward, args, kwargs)

        with Patcher() as patcher:
            patcher.patch_method(Module, "__getattr__", module_getattr)
            patcher.patch_method(Module, "__call__", module_call)
            _patch_wrapped_functions(patcher)
            _autowrap_check(patcher, getattr(plain, "__globals__", {}), self._autowrap_function_ids)
            for module in self._autowrap_search:
                _autowrap_check(patcher, module.__dict__, self._autowrap_function_ids)
            result = self.create_arg(fn(*args))
            returns = _annotation(fn, "return")
            self.create_node("output", "output", (result,), {}, type_expr=returns)
        return self.graph


# -- classes that may be made of Proxies -----------------------------------------------------------------------------

_proxyable_classes: dict[type, None] = {}


class ProxyableClassMeta(type):
    """Metaclass of classes whose instances may be made of Proxies while a program is traced: the construction is
    recorded.

    >>> class Pair(metaclass=torch.fx.ProxyableClassMeta):
    ...     def __init__(self, left, right):
    ...         self.left, self.right = left, right
    >>> gm = torch.fx.symbolic_trace(lambda x, y: Pair(x, y).left)
    >>> gm(3, 4)
    3
    """

    def __init__(cls, name: str, bases: tuple, attrs: dict) -> None:
        _proxyable_classes.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = cls.__new__(cls)
        if not is_fx_tracing():
            cls.__init__(made, *args, **kwargs)  # type: ignore[misc]
            return made
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            cls.__init__(made, *args, **kwargs)  # type: ignore[misc]
            return made
        return proxy.tracer.create_proxy("call_function", cls, args, kwargs)


def symbolic_trace(root: Module | Callable, concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """Traces a module or a function with the default Tracer; returns a GraphModule.

    concrete_args: values of arguments, by name, for which it is specialized.

    Raises TraceError where the program needs the value of an input: in an `if`, a loop, `len`.

    >>> gm = torch.fx.symbolic_trace(lambda x, scale: torch.relu(x) * scale)
    >>> print(gm.code.strip())
    def forward(self, x, scale):
        relu = torch.relu(x);  x = None
        mul = relu * scale;  relu = scale = None
        return mul
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else getattr(root, "__name__", "GraphModule")
    return GraphModule(tracer.root, graph, name)
