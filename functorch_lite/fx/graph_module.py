"""GraphModule: a Module whose `forward` is written by a Graph."""

from __future__ import annotations

import contextlib
import copy
import itertools
import linecache
import sys
import textwrap
import traceback
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from .._core.api import Tensor
from ..api_names import listed
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ._code import PyTreeCodeGen
from ._record import rebuilt, recorded
from .graph import Graph, PythonCode

__all__ = ["GraphModule", "reduce_graph_module"]
__dir__ = listed(__name__, "FX_GRAPH_MODULE_FILE_PREFIX", "Graph", "PythonCode")

FX_GRAPH_MODULE_FILE_PREFIX = "fx_generated_"

_counter = itertools.count()
_GENERATED = "<eval_with_key>"
_HOOKS = ("_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks")

_MADE = ("_graph", "_code", "_lineno_map", "_prologue_start", "_tracer_cls", "_in_spec", "_out_spec", *_HOOKS)
"""Attributes that are made anew when a GraphModule is unpickled."""


def _compiled(code: PythonCode, name: str) -> Callable:
    """The function that generated code defines; tracebacks find its lines."""
    file = f"{_GENERATED}.{next(_counter)}"
    linecache.cache[file] = (len(code.src), None, code.src.splitlines(True), file)
    scope = dict(code.globals)
    exec(compile(code.src, file, "exec"), scope)
    weakref.finalize(scope[name], linecache.cache.pop, file, None)
    return scope[name]


def _assign_attr(value: Any, to: Module, path: str) -> None:
    """Makes a value a member of a module, and the modules on the way."""
    *above, last = path.split(".")
    for part in above:
        if getattr(to, part, None) is None:
            setattr(to, part, Module())
        to = getattr(to, part)
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        to.register_buffer(last, value)
    else:
        setattr(to, last, value)


def _copy_attr(root: Module, to: Module, path: str) -> None:
    """Makes a member of one module one of another, under the same name."""
    *above, last = path.split(".")
    for part in above:
        below, there = getattr(root, part), getattr(to, part, None)
        if below is there:
            return
        if there is None:
            there = Module()
            setattr(to, part, there)
        root, to = below, there
    _assign_attr(getattr(root, last), to, last)


class GraphModule(Module):
    """A Module that is made of a Graph: `forward` is generated from it, and what the Graph names is taken from `root`.

    Args:
        root: a Module, or a dict from qualified names to what they stand for.
        graph: its Nodes are this module's program; it is not copied.
        class_name: how the module is shown.

    Attributes:
        graph: edit it and call `recompile()`, or assign another one.
        code: the generated Python.
        meta: a dict of what passes know.

    >>> graph = torch.fx.Graph()
    >>> _ = graph.output(graph.call_module("scale", (graph.placeholder("x"),)))
    >>> gm = torch.fx.GraphModule({"scale": torch.nn.Identity()}, graph)
    >>> print(gm.code.strip())
    def forward(self, x):
        scale = self.scale(x);  x = None
        return scale
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        # each one has a `forward` of its own, which lives in its class
        base = next(c for c in cls.__mro__ if "_generated" not in vars(c))
        return super().__new__(type("GraphModuleImpl", (base,), {"_generated": True, "__module__": __name__}))

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule"):
        super().__init__()
        type(self).__name__ = class_name
        if isinstance(root, Module):
            if hasattr(root, "training"):
                self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    if not isinstance(node.target, str):
                        raise AssertionError(f"Expected node.target to be str, got {type(node.target)}")
                    _copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            wanted: dict[str, None] = {}
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    if node.target not in root:
                        raise RuntimeError(
                            f"Node {node} referenced target {node.target} but that target was not provided in ``root``!"
                        )
                    wanted[node.target] = None
            for name in sorted(wanted, key=lambda n: n.count(".")):
                _assign_attr(root[name], self, name)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        for hooks in _HOOKS:
            setattr(self, hooks, [])
        self.graph = graph
        self._tracer_cls = None
        tracer = graph._tracer_cls
        if tracer is not None and "<locals>" not in tracer.__qualname__:
            self._tracer_cls = tracer
        self._tracer_extras = graph._tracer_extras or {}
        self.meta: dict[str, Any] = {}

    # -- its graph

    @property
    def graph(self) -> Graph:
        """The Graph; an assignment generates the code again."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The Python that was generated last."""
        if not hasattr(self, "_code"):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self) -> PythonCode:
        """Generates `forward` from the Graph; call it after an edit."""
        codegen = self._graph._codegen
        if isinstance(codegen, PyTreeCodeGen):
            self._in_spec = codegen.pytree_info.in_spec
            self._out_spec = codegen.pytree_info.out_spec
        made = self._graph.python_code(root_module="self")
        self._code = made.src
        self._lineno_map, self._prologue_start = made._lineno_map, made._prologue_start
        type(self).forward = _compiled(made, codegen._func_name)  # type: ignore[method-assign]
        return made

    def _recompile_submodules(self) -> list[tuple[str, PythonCode]]:
        return [(name, m.recompile()) for name, m in self.named_modules() if isinstance(m, GraphModule)]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except Exception as error:
            line = _line_of(error)
            if line is None:
                raise
            _show(error, *line)
            raise error.with_traceback(None)  # noqa: B904

    # -- its members

    def add_submodule(self, target: str, m: Module) -> bool:
        """Adds a module under a qualified name, with empty modules on the way; False where something else is in the
        way."""
        *above, last = target.split(".")
        at: Module = self
        for part in above:
            there = getattr(at, part, None)
            if there is None:
                there = Module()
                setattr(at, part, there)
            if not isinstance(there, Module):
                return False
            at = there
        at.add_module(last, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Removes a submodule; False if there is none of this name. Nodes that call it are not looked for."""
        *above, last = target.split(".")
        at: Any = self
        for part in above:
            at = getattr(at, part, None)
            if not isinstance(at, Module):
                return False
        if not isinstance(getattr(at, last, None), Module):
            return False
        delattr(at, last)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Removes the submodules that the Graph neither calls nor reads from."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = node.target.split(".")
                used |= {".".join(parts[:i]) for i in range(1, len(parts) + 1)}
                if node.op == "call_module":
                    with contextlib.suppress(AttributeError):
                        inside = self.get_submodule(node.target).named_modules()
                        used |= {f"{node.target}.{name}" for name, _ in inside}
        for name, _ in list(self.named_modules()):
            if name and name not in used:
                self.delete_submodule(name)

    # -- copies

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        made = GraphModule.__new__(type(self))
        memo[id(self)] = made
        own = {k: v for k, v in self.__dict__.items() if k != "_graph" and k not in _HOOKS}
        Module.__setstate__(made, copy.deepcopy(own, memo))
        type(made).__name__ = type(self).__name__
        for hooks in _HOOKS:
            setattr(made, hooks, list(getattr(self, hooks)))
        made.meta = copy.copy(self.meta)
        made.graph = copy.deepcopy(self._graph, memo)
        for hook in made._deepcopy_hooks:
            hook(made)
        return made

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, self.graph)
        made.meta = self.meta
        return made

    def __reduce__(self) -> tuple:
        own = {k: v for k, v in self.__getstate__().items() if k not in _MADE}
        own["_class_name"] = type(self).__name__
        return reduce_graph_module, (own, recorded(self._graph))

    # -- how it is shown

    def print_readable(
        self,
        print_output: bool = True,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        *,
        fast_sympy_print: bool = False,
        expanded_def: bool = False,
        additional_meta: list[str] | None = None,
    ) -> str:
        """The generated code of this module and of the GraphModules in it, with dtypes, shapes and lines of the traced
        program where they are known; prints it too.

        >>> _ = torch.fx.symbolic_trace(lambda x: x + 1).print_readable()
        class <lambda>(torch.nn.Module):
            def forward(self, x):
                # No stacktrace found for following nodes
                add = x + 1;  x = None
                return add
        <BLANKLINE>
        """
        options = {"include_stride": include_stride, "include_device": include_device, "colored": colored, "expanded_def": expanded_def, "additional_meta": additional_meta}  # fmt: skip
        text = _readable(self, self._get_name(), options)
        if print_output:
            print(text)
        return text

    def __str__(self) -> str:
        reminder = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__str__(), self._code, reminder])

    def to_folder(self, folder: Any, module_name: str = "FxModule") -> NoReturn:
        """Not supported: what it would write is a program that is run when it is read.

        Save the module with torch.save."""
        raise NotImplementedError(
            "GraphModule.to_folder writes a Python package that is executed when it is imported; save the module with torch.save(gm, file), "
            "or its program with open(file, 'w').write(gm.code)"
        )

    # -- hooks of passes

    @contextlib.contextmanager
    def _set_replace_hook(self, f: Callable) -> Iterator[None]:
        self._register_replace_node_hook(f)
        try:
            yield
        finally:
            self._unregister_replace_node_hook(f)

    def _register_replace_node_hook(self, f: Callable) -> None:
        self._replace_hooks.append(_callable(f))

    def _unregister_replace_node_hook(self, f: Callable) -> None:
        self._replace_hooks.remove(_callable(f))

    def _register_create_node_hook(self, f: Callable) -> None:
        self._create_node_hooks.append(_callable(f))

    def _unregister_create_node_hook(self, f: Callable) -> None:
        self._create_node_hooks.remove(_callable(f))

    def _register_erase_node_hook(self, f: Callable) -> None:
        self._erase_node_hooks.append(_callable(f))

    def _unregister_erase_node_hook(self, f: Callable) -> None:
        self._erase_node_hooks.remove(_callable(f))

    def _register_deepcopy_hook(self, f: Callable) -> None:
        self._deepcopy_hooks.append(_callable(f))

    def _unregister_deepcopy_hook(self, f: Callable) -> None:
        self._deepcopy_hooks.remove(_callable(f))


def _callable(f: Callable) -> Callable:
    if not callable(f):
        raise AssertionError("hook must be a callable.")
    return f


def _readable(module: GraphModule, name: str, options: dict[str, Any]) -> str:
    code = module.graph.python_code("self", verbose=True, **options).src.lstrip("\n")
    code = "\n".join(line.rstrip() for line in code.split("\n"))
    body = [f"class {name}(torch.nn.Module):", textwrap.indent(code, "    ").rstrip()]
    inside = [
        textwrap.indent(_readable(child, child_name, options), "    ")
        for child_name, child in module.named_children()
        if isinstance(child, GraphModule)
    ]
    return "\n".join(body) + "\n" + "".join(f"\n{text}" for text in inside)


def reduce_graph_module(body: dict[str, Any], record: dict[str, Any]) -> GraphModule:
    """The GraphModule of what was pickled: its members, and the Nodes of its Graph as data. Nothing is executed.

    Raises NotImplementedError for what PyTorch pickled: source code.
    """
    if not isinstance(record, dict):
        raise NotImplementedError(
            "a GraphModule that PyTorch pickled holds source code, which is not run here: save the state_dict() of the module that was traced, load that "
            "into the model, and trace it again"
        )
    members = dict(body)
    name = members.pop("_class_name")
    made = GraphModule.__new__(GraphModule)
    Module.__init__(made)
    Module.__setstate__(made, members)
    type(made).__name__ = name
    for hooks in _HOOKS:
        setattr(made, hooks, [])
    made.graph = rebuilt(record)
    made._tracer_cls = made.graph._tracer_cls
    return made


# -- errors in generated code ----------------------------------------------------------------------------------------


def _line_of(error: Exception) -> tuple[str, int] | None:
    """The generated file and line that raised; None if that was code which the generated one called."""
    *_, (frame, number) = traceback.walk_tb(error.__traceback__)
    file = frame.f_code.co_filename
    return (file, number) if file.startswith(_GENERATED) else None


def _show(error: Exception, file: str, number: int) -> None:
    """Prints the generated lines around the one that failed."""
    lines = linecache.getlines(file)
    before, after = "".join(lines[max(0, number - 2) : number]), "".join(lines[number : number + 2])
    width = len(lines[number - 1].rstrip("\n")) if number <= len(lines) else 0
    print(
        "".join(traceback.format_exception(error))
        + f"\nCall using an FX-traced Module, line {number} of the traced Module's generated forward function:\n"
        + f"{before}\n{'~' * width} <--- HERE\n{after}\n",
        file=sys.stderr,
    )
