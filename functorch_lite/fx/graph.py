"""Graph: a list of Nodes that can be edited, and printed as Python."""

from __future__ import annotations

import contextlib
import copy
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .._core.api import Tensor
from ..api_names import listed
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ._code import CodeGen, PythonCode, TransformCodeFunc
from ._code import PyTreeCodeGen as _PyTreeCodeGen  # noqa: F401
from ._code import PyTreeInfo as _PyTreeInfo  # noqa: F401  # as other packages import it
from ._names import GLOBALS as _custom_builtins  # noqa: F401
from ._names import Namespace as _Namespace
from ._names import inplace_methods as inplace_methods
from ._names import magic_methods as magic_methods
from ._names import reflectable_magic_methods as reflectable_magic_methods
from ._names import snake_case as _snake_case
from .node import Argument, Node, Target, map_arg

if TYPE_CHECKING:
    from .graph_module import GraphModule

__all__ = ["CodeGen", "Graph", "PythonCode"]
__dir__ = listed(
    __name__, "Argument", "Node", "Target", "TransformCodeFunc", "inplace_methods", "magic_methods", "map_arg", "reflectable_magic_methods",
)  # fmt: skip

NO_TABULATE = (
    "`print_tabular` relies on the library `tabulate`, which could not be found on this machine. Run `pip install tabulate` to "
    "install the library."
)
NO_REFERENCE = (
    "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call GraphModule.add_submodule to add "
    "the necessary submodule, GraphModule.add_parameter to add the necessary Parameter, or nn.Module.register_buffer to add the "
    "necessary buffer"
)


class _node_list:
    """The Nodes of a Graph, in order; the Graph may be edited while they are gone through."""

    def __init__(self, graph: Graph, direction: str = "_next"):
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        root, node = self.graph._root, getattr(self.graph._root, self.direction)
        while node is not root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self) -> _node_list:
        return _node_list(self.graph, "_prev" if self.direction == "_next" else "_next")


class _FindNodesLookupTable:
    """The Nodes by op; Nodes that call a function are also listed by the function."""

    def __init__(self) -> None:
        self.table: dict[tuple, dict[Node, None]] = {}

    @staticmethod
    def _key(node: Node) -> tuple:
        return (node.op, node.target if node.op == "call_function" else None)

    def __contains__(self, node: Node) -> bool:
        return node in self.table.get(self._key(node), ())

    def insert(self, node: Node) -> None:
        self.table.setdefault(self._key(node), {})[node] = None

    def remove(self, node: Node) -> None:
        self.table[self._key(node)].pop(node)

    def find_nodes(self, *, op: str, target: Target | None = None) -> list[Node]:
        if op == "call_function":
            if target is None:
                raise AssertionError("target must not be None for call_function op")
            return [*self.table.get((op, target), ())]
        found = self.table.get((op, None), {})
        return [*found] if target is None else [n for n in found if n.target == target]


class _InsertPoint:
    """Place where new Nodes go, inside of a `with` or from now on."""

    def __init__(self, graph: Graph, new_insert: Callable[[Node], None]):
        self.graph, self.before = graph, graph._insert
        graph._insert = new_insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        self.graph._insert = self.before


class Graph:
    """A program as a list of Nodes: inputs first, one output last. GraphModule makes it callable.

    Args:
        owning_module: the GraphModule whose Graph it is.
        tracer_cls, tracer_extras: the Tracer that made it.

    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.call_function(torch.relu, (x,))
    >>> _ = graph.output(y)
    >>> print(graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
        return relu
    """

    def __init__(
        self,
        owning_module: GraphModule | None = None,
        tracer_cls: type | None = None,
        tracer_extras: dict[str, Any] | None = None,
    ) -> None:
        self._find_nodes_lookup_table = _FindNodesLookupTable()
        self._graph_namespace = _Namespace()
        self._order: dict[Node, int] | None = None
        self._owning_module = owning_module
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._len = 0
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()
        self._co_fields: dict[str, Any] = {}

    # -- its Nodes

    @property
    def owning_module(self) -> Any:
        """The GraphModule whose Graph it is; lint and new Nodes look there for what they name."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, mod: Any) -> None:
        self._owning_module = mod

    @property
    def nodes(self) -> _node_list:
        """The Nodes in order; `reversed` goes through them backwards."""
        return _node_list(self)

    def output_node(self) -> Node:
        """The last Node, which says what is returned."""
        node = next(iter(reversed(self.nodes)))
        if node.op != "output":
            raise AssertionError(f"Expected output node, got {node.op}")
        return node

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """The Nodes of an op, and of a target, which must be given for call_function; sort: in order.

        >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
        >>> gm.graph.find_nodes(op="call_function", target=torch.relu)
        [relu]
        """
        found = self._find_nodes_lookup_table.find_nodes(op=op, target=target)
        return sorted(found) if sort else found

    def _places(self) -> dict[Node, int]:
        if self._order is None:
            self._order = {node: i for i, node in enumerate(self.nodes)}
            self._order[self._root] = len(self._order)
        return self._order

    def _replaced(self, old: Node, new: str, user: Node | None = None) -> None:
        """Tells the GraphModule's hooks that a Node is read, or named, otherwise."""
        hooks = getattr(self._owning_module, "_replace_hooks", None)
        for hook in hooks or ():
            for one in [user] if user is not None else list(old.users):
                hook(old=old, new=new, user=one)

    # -- new Nodes

    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple | None = None,
        kwargs: dict[str, Any] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a Node where new ones go.

        Its name is `name`, or one that is made of the target, with a number if that is taken."""
        args, kwargs = () if args is None else args, {} if kwargs is None else kwargs
        if not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        unique = self._graph_namespace.create_name(
            self._target_to_str(target) if name is None else name, None
        )
        node = Node(self, unique, op, target, args, kwargs, type_expr)
        hooks = getattr(self._owning_module, "_create_node_hooks", None)
        for hook in hooks or ():
            hook(node)
        self._graph_namespace.associate_name_with_obj(unique, node)
        self._insert(node)
        self._order = None
        self._find_nodes_lookup_table.insert(node)
        self._len += 1
        return node

    def _target_to_str(self, target: Any) -> str:
        name = target if isinstance(target, str) else getattr(target, "__name__", type(target).__name__)
        if name.startswith("__") and name.endswith("__") and len(name) > 4:
            name = name[2:-2]
        return _snake_case(name)

    def placeholder(
        self, name: str, type_expr: Any = None, default_value: Any = inspect.Signature.empty
    ) -> Node:
        """Adds an input. name: as in the signature, with the stars of `*args` and `**kwargs`."""
        args = () if default_value is inspect.Signature.empty else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Adds a Node for a parameter, buffer or other member of the module."""
        if self._owning_module is not None and not _has_member(self._owning_module, qualified_name):
            warnings.warn(NO_REFERENCE, stacklevel=2)
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self, module_name: str, args: tuple | None = None, kwargs: dict[str, Any] | None = None, type_expr: Any = None
    ) -> Node:  # fmt: skip
        """Adds a call of a submodule."""
        if self._owning_module is not None:
            self._owning_module.get_submodule(module_name)  # raises AttributeError if it is not there
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self, method_name: str, args: tuple | None = None, kwargs: dict[str, Any] | None = None, type_expr: Any = None
    ) -> Node:  # fmt: skip
        """Adds a call of a method of args[0]."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """Adds a call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """Adds what is returned; the last Node."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x) -> Node:
        """Adds a copy of a Node, which may be another Graph's; arg_transform gives the Node here for one that it
        reads."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Adds copies of all Nodes of another Graph but its output; returns what that one returns, in this Graph's
        Nodes.

        Args:
            val_map: from g's Nodes to those here; what is in it already is not copied, and it gets the copies.
            return_output_node: whether to return (that, g's output Node).
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Graph:
        memo = {} if memo is None else memo
        made = Graph(tracer_cls=self._tracer_cls)
        memo[id(self)] = made
        copies: dict[Node, Node] = {}
        returned = made.graph_copy(self, copies, return_output_node=True)
        made._codegen = copy.deepcopy(self._codegen)
        if returned is not None:
            result, old = returned
            new = made.output(result, type_expr=old.type)
            new.meta = copy.copy(old.meta)
            copies[old] = new
        memo.update((id(old), new) for old, new in copies.items())
        return made

    # -- editing

    def erase_node(self, to_erase: Node) -> None:
        """Takes a Node out; raises RuntimeError while another one reads it."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: {to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        for hook in getattr(self._owning_module, "_erase_node_hooks", None) or ():
            hook(to_erase)
        self._find_nodes_lookup_table.remove(to_erase)
        to_erase._unlink()
        to_erase._erased = True
        self._len -= 1
        self._order = None
        to_erase._set_arguments(
            map_arg(to_erase.args, lambda n: None), map_arg(to_erase.kwargs, lambda n: None)
        )

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """New Nodes go before n, or to the beginning; as a context, or from now on."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """New Nodes go after n, or to the end; as a context, or from now on.

        With several, the last is the nearest to n."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return _InsertPoint(self, n.append)

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Takes out the Nodes that nothing reads and that do nothing else; returns whether there were any.

        is_impure_node: whether one is kept although nothing reads it; `Node.is_impure` by default. Graphs of submodules
        that are GraphModules are cleaned too.

        >>> gm = torch.fx.symbolic_trace(lambda x: (torch.sin(x), x + 1)[1])
        >>> gm.graph.eliminate_dead_code(), len(gm.graph.nodes)
        (True, 3)
        """
        self.lint()
        keep = is_impure_node or Node.is_impure
        changed = False
        for node in reversed(self.nodes):
            if not node.users and not keep(node):
                self.erase_node(node)
                changed = True
        if self._owning_module is not None:
            for child in self._owning_module.children():
                inner = getattr(child, "graph", None)
                if isinstance(inner, Graph):
                    changed |= inner.eliminate_dead_code(is_impure_node)
        return changed

    def lint(self) -> None:
        """Raises RuntimeError where a Node reads one that is later or elsewhere, names are used twice, or a target
        does not exist."""
        names: set[str] = set()
        seen: set[Node] = set()

        def check(read: Node, node: Node) -> None:
            if read.graph is not self:
                raise RuntimeError(
                    f"Argument '{read}' of Node '{node}' does not belong to this Graph, but was used as an argument! If you are copying "
                    f"nodes from another graph, make sure to use ``arg_transform`` on node_copy() to remap values\n{self}"
                )
            if read not in seen:
                raise RuntimeError(
                    f"Argument '{read}' of Node '{node}' was used before it has been defined! Please check that Nodes in the graph are "
                    f"topologically ordered\n{self}"
                )

        for node in self.nodes:
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            if node not in self._find_nodes_lookup_table:
                raise RuntimeError(f"Node '{node}' is not added to the side table")
            for read in node.all_input_nodes:
                check(read, node)
            seen.add(node)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
        if self._owning_module is not None:
            for node in self.nodes:
                if node.op in ("get_attr", "call_module"):
                    self._check_target(node)

    def _check_target(self, node: Node) -> None:
        at: Any = self._owning_module
        parts = node.target.split(".")
        for i, part in enumerate(parts):
            before, at = at, getattr(at, part, None)
            where = ".".join(parts[:i])
            if at is None and not hasattr(before, part):
                raise RuntimeError(
                    f"Node {node} target {node.target} references nonexistent attribute {part} of {where}"
                )
            if node.op == "call_module" and i + 1 == len(parts) and not isinstance(at, Module):
                raise RuntimeError(
                    f"Node {node} target {node.target} {part} of {where} does not reference an nn.Module"
                )

    # -- as Python

    def process_inputs(self, *args: Any) -> Any:
        """The values of the placeholders for the arguments of the traced function."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """Returns the result of the traced function for the value of the output."""
        return self._codegen.process_outputs(out)

    def set_codegen(self, codegen: CodeGen) -> None:
        """Takes another way to write its code."""
        self._codegen = codegen

    def on_generate_code(
        self, make_transformer: Callable[[TransformCodeFunc | None], TransformCodeFunc]
    ) -> contextlib.AbstractContextManager:
        """Changes the lines of the code that is written, from now on, or inside of a `with`.

        make_transformer: gets what changed them before, or None, and returns a function from a list of lines to one.
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def restoring() -> Iterator[None]:
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return restoring()

    def python_code(
        self,
        root_module: str,
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        expanded_def: bool = False,
        record_func: bool = False,
        additional_meta: list[str] | None = None,
    ) -> PythonCode:
        """The Graph as the source of a function.

        Args:
            root_module: the name of the module in it, "self".
            verbose: whether dtypes, shapes and the lines of the traced program are shown, where they are known.
            include_stride, include_device: whether these are shown too.
            colored: PyTorch's colours for terminals; not supported.
            expanded_def: whether each argument has a line of its own.
            record_func: PyTorch's marks for its profiler; not supported.
            additional_meta: keys of `Node.meta` that are shown as comments.
        """
        if colored or record_func:
            raise NotImplementedError("python_code: colored= and record_func= are not supported")
        namespace = _Namespace()
        before = {node: node._repr_fn for node in self.nodes}
        for node in before:
            node._repr_fn = lambda n: namespace.create_name(n.name, n)
        try:
            return self._codegen._gen_python_code(
                self.nodes, root_module, namespace, verbose=verbose, include_stride=include_stride, include_device=include_device,
                colored=colored, expanded_def=expanded_def, record_func=record_func, additional_meta=additional_meta,
            )  # fmt: skip
        finally:
            for node, old in before.items():
                node._repr_fn = old

    def __str__(self) -> str:
        return "\n    ".join(["graph():", *[str(node.format_node()) for node in self.nodes]])

    def print_tabular(self) -> None:
        """Prints the Nodes as a table; needs the package `tabulate`."""
        try:
            from tabulate import tabulate
        except ImportError:
            print(NO_TABULATE)
            raise
        rows = [[n.op, n.name, n.target, n.args, n.kwargs] for n in self.nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))


def _has_member(root: Any, path: str) -> bool:
    at = root
    for part in path.split("."):
        at = getattr(at, part, None)
    return isinstance(at, (Module, Parameter)) or (isinstance(at, Tensor))
