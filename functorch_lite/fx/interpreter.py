"""Interpreter: runs a Graph Node by Node, with each step open to be overridden; Transformer: the same with Proxies, to
another Graph."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..api_names import listed
from ..nn.modules.module import Module
from . import traceback as fx_traceback
from ._symbolic_trace import Tracer
from .graph import Graph
from .graph_module import GraphModule
from .node import Argument, Node, Target, map_aggregate, map_arg
from .proxy import Proxy

__all__ = ["Interpreter", "Transformer"]
__dir__ = listed(
    __name__, "Argument", "Graph", "GraphModule", "Node", "Proxy", "Target", "Tracer", "map_aggregate", "map_arg",
)  # fmt: skip


class Interpreter:
    """Runs a module's Graph.

    Subclasses override `run_node`, or the method of an op: `placeholder`, `get_attr`, `call_function`, `call_method`,
    `call_module`, `output`.

    Args:
        module: a GraphModule, or another module that has the members which `graph` names.
        garbage_collect_values: whether values are dropped that nothing reads any more.
        graph: run instead of `module.graph`.

    Attributes:
        env: the value of each Node that has run.
        extra_traceback: whether errors say which Node raised them.

    >>> class Shown(torch.fx.Interpreter):
    ...     def call_function(self, target, args, kwargs):
    ...         print(target.__name__)
    ...         return super().call_function(target, args, kwargs)
    >>> Shown(torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)).run(torch.ones(2))
    relu
    add
    tensor([2., 2.])
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None):
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = module.graph if graph is None else graph  # type: ignore[assignment]
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses: dict[Node, list[Node]] = {}
        if garbage_collect_values:
            seen: set[Node] = set()
            for node in reversed(self.graph.nodes):
                for read in node.all_input_nodes:
                    if read not in seen:
                        seen.add(read)
                        self.user_to_last_uses.setdefault(node, []).append(read)

    def run(
        self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True
    ) -> Any:
        """Runs the Graph; returns what it returns.

        Args:
            args: the values of the placeholders, in order.
            initial_env: values of Nodes that are not run.
            enable_io_processing: whether arguments and results are as the traced function had them
                (`Graph.process_inputs`).
        """
        self.env = dict(initial_env) if initial_env is not None else {}
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter: Iterator[Any] = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    _say_where(error, node)
                raise
            for read in self.user_to_last_uses.get(node, ()):
                del self.env[read]
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """`run` of a list of arguments, which is emptied, so that they are freed when they are read no more."""
        inputs = [n for n in self.graph.nodes if n.op == "placeholder"]
        if len(inputs) != len(args_list):
            more = "extra arguments" if len(args_list) > len(inputs) else "missing arguments"
            raise RuntimeError(
                f"Interpreter.boxed_run expected {len(inputs)} arguments for placeholders but received {len(args_list)} ({more})"
            )
        env = dict(zip(inputs, args_list))
        args_list.clear()
        return self.run(initial_env=env)

    @contextlib.contextmanager
    def _set_current_node(self, node: Node) -> Iterator[None]:
        with fx_traceback.set_current_meta(node, f"Interpreter_{type(self).__name__}"):
            yield

    def run_node(self, n: Node) -> Any:
        """Runs one Node; returns its value."""
        with self._set_current_node(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    # -- one method for each op

    def placeholder(self, target: Target, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The next argument; all that are left for one with a star; the default where there are no more."""
        if target.startswith("*"):  # type: ignore[union-attr]
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration as error:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from error

    def get_attr(self, target: Target, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The member of the module."""
        return self.fetch_attr(target)  # type: ignore[arg-type]

    def call_function(self, target: Target, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Calls the function, and returns its result."""
        return target(*args, **kwargs)  # type: ignore[operator]

    def call_method(self, target: Target, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Calls the method of args[0], and returns its result."""
        return getattr(args[0], target)(*args[1:], **kwargs)  # type: ignore[arg-type]

    def call_module(self, target: Target, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Calls the submodule, and returns its result."""
        return self.fetch_attr(target)(*args, **kwargs)  # type: ignore[arg-type]

    def output(self, target: Target, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Returns the value that the Graph returns."""
        return args[0]

    # -- values

    def fetch_attr(self, target: str) -> Any:
        """The member of the module of this qualified name."""
        found: Any = self.module
        parts = target.split(".")
        for i, part in enumerate(parts):
            if not hasattr(found, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: i + 1])}")
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple, dict[str, Any]]:
        """The values of a Node's arguments."""
        args, kwargs = self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)
        if not isinstance(args, tuple) or not isinstance(kwargs, dict):
            raise AssertionError("args must be a tuple, and kwargs a dict")
        return args, kwargs

    def map_nodes_to_values(self, args: Argument, n: Node) -> Any:
        """Values in the places of Nodes, in the arguments of n."""

        def value(read: Node) -> Any:
            if read not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {read}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[read]

        return map_arg(args, value)


def _say_where(error: Exception, node: Node) -> None:
    """Adds to an error's sentence which Node it comes from."""
    text = f"While executing {node.format_node()}\nOriginal traceback:\n{node.stack_trace}"
    text = f"{error.args[0]}\n\n{text}" if error.args else text
    error.args = (text, *error.args[1:])
    if isinstance(error, KeyError):
        raise RuntimeError(*error.args) from error


class Transformer(Interpreter):
    """Runs a Graph on Proxies, and so makes another: overridden methods say what becomes of each step.

    >>> class SigmoidForRelu(torch.fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         return super().call_function(torch.sigmoid if target is torch.relu else target, args, kwargs)
    >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> print(SigmoidForRelu(gm).transform().code.strip())
    def forward(self, x):
        sigmoid = torch.sigmoid(x);  x = None
        add = sigmoid + 1;  sigmoid = None
        return add
    """

    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)

        class TransformerTracer(Tracer):
            def __init__(self, graph: Graph):
                super().__init__()
                self.graph = graph
                self.tensor_attrs: dict[str, Any] = {}

            def is_leaf_module(self, _: Any, __: Any) -> bool:
                return True

        self.tracer: Any = TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target: Target, args: tuple, kwargs: dict[str, Any]) -> Proxy:
        """A Proxy of a new input."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected str, got {type(target)}")
        default = {"default_value": args[0]} if args else {}
        return Proxy(self.new_graph.placeholder(target, **default), self.tracer)

    def get_attr(self, target: Target, args: tuple, kwargs: dict[str, Any]) -> Proxy:
        """A Proxy of the member."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected str, got {type(target)}")
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A Proxy of the call."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected str, got {type(target)}")
        submodule = self.fetch_attr(target)
        return self.tracer.call_module(submodule, submodule.forward, args, kwargs)

    def call_function(self, target: Target, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A Proxy of the call."""
        if not callable(target):
            raise AssertionError("target must be callable")
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The GraphModule of the new Graph."""
        with fx_traceback.preserve_node_meta():
            result = super().run(enable_io_processing=False)
        if result is not None:

            def node_of(a: Any) -> Any:
                return a.node if isinstance(a, Proxy) else a

            made = self.new_graph.output(map_aggregate(result, node_of))
            old = [n for n in self.graph.nodes if n.op == "output"]
            made.meta.update(old[-1].meta if old else {})
        return GraphModule(self.module, self.new_graph)
