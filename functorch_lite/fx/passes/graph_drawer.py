"""FxGraphDrawer: a Graph as a picture, by the package `pydot`."""

from __future__ import annotations

import hashlib
from typing import Any

from ..._core.api import Tensor
from ...api_names import listed
from ...nn.modules.module import Module
from ..graph_module import GraphModule
from ..node import Node, _get_qualified_name, format_arg
from .shape_prop import TensorMetadata

try:
    import pydot  # pyright: ignore[reportMissingImports]

    HAS_PYDOT = True
except ImportError:
    HAS_PYDOT = False
    pydot = None

__all__ = ["FxGraphDrawer"]
__dir__ = listed(__name__, "HAS_PYDOT", "TensorMetadata", "pydot")

NO_PYDOT = "FXGraphDrawer requires the pydot package to be installed. Please install pydot through your favorite Python package manager."
_FILLS = {
    "placeholder": "AliceBlue", "call_module": "LemonChiffon1", "get_param": "Yellow2", "get_attr": "LightGrey", "output": "PowderBlue",
}  # fmt: skip
_COLORS = (
    "CadetBlue1", "Coral", "DarkOliveGreen1", "DarkSeaGreen1", "GhostWhite", "Khaki1", "LavenderBlush1", "LightSkyBlue", "MistyRose1",
    "MistyRose2", "PaleTurquoise2", "PeachPuff1", "Salmon", "Thistle1", "Thistle3", "Wheat1",
)  # fmt: skip


class FxGraphDrawer:
    """Draws the Graph of a GraphModule: a box for each Node, with its name, op, target and, after ShapeProp, its shape.

    Args:
        name: the title.
        ignore_getattr: whether `get_attr` Nodes are left out.
        ignore_parameters_and_buffers: whether those for parameters and buffers are, and what modules have is.
        skip_node_names_in_args: whether the names of Nodes are left out of the shown arguments.
        parse_stack_trace: whether the line of the traced program is shown.
        dot_graph_shape: the shape of the boxes, "record" by default.
        normalize_args: whether arguments are shown by their names.

    >>> drawer = FxGraphDrawer(torch.fx.symbolic_trace(model), "model")  # doctest: +SKIP
    >>> drawer.get_dot_graph().write_svg("model.svg")  # doctest: +SKIP
    """

    def __init__(
        self,
        graph_module: GraphModule,
        name: str,
        ignore_getattr: bool = False,
        ignore_parameters_and_buffers: bool = False,
        skip_node_names_in_args: bool = True,
        parse_stack_trace: bool = False,
        dot_graph_shape: str | None = None,
        normalize_args: bool = False,
    ):
        if not HAS_PYDOT:
            raise RuntimeError(NO_PYDOT)
        self._name = name
        self.dot_graph_shape = "record" if dot_graph_shape is None else dot_graph_shape
        self.normalize_args = normalize_args
        self.skip_node_names_in_args, self.parse_stack_trace = skip_node_names_in_args, parse_stack_trace
        self.ignore_getattr, self.ignore_parameters_and_buffers = (
            ignore_getattr,
            ignore_parameters_and_buffers,
        )
        self._dot_graphs = {name: self._drawn(graph_module, name)}
        for child_name, child in graph_module.named_children():
            if isinstance(child, GraphModule):
                self._dot_graphs[f"{name}_{child_name}"] = self._drawn(child, f"{name}_{child_name}")

    def get_dot_graph(self, submod_name: str | None = None) -> Any:
        """The pydot.Dot of the whole, or of a submodule that is a GraphModule; it can write pictures (`write_svg`)."""
        return self._dot_graphs[self._name if submod_name is None else f"{self._name}_{submod_name}"]

    def get_main_dot_graph(self) -> Any:
        """The pydot.Dot of the whole."""
        return self._dot_graphs[self._name]

    def get_submod_dot_graph(self, submod_name: str) -> Any:
        """Returns the drawing of a submodule that is a GraphModule."""
        return self._dot_graphs[f"{self._name}_{submod_name}"]

    def get_all_dot_graphs(self) -> dict[str, Any]:
        """Returns all drawings, by name."""
        return self._dot_graphs

    def _drawn(self, gm: GraphModule, name: str) -> Any:
        dot = pydot.Dot(name, rankdir="TB")
        shown = [n for n in gm.graph.nodes if not (self.ignore_getattr and n.op == "get_attr")]
        if self.ignore_parameters_and_buffers:
            shown = [
                n for n in shown if not (n.op == "get_attr" and isinstance(_member(gm, n.target), Tensor))
            ]
        for node in shown:
            style = {
                "shape": self.dot_graph_shape,
                "fillcolor": _fill(node),
                "style": '"filled,rounded"',
                "fontcolor": "#000000",
            }
            dot.add_node(pydot.Node(node.name, label=self._label(gm, node), **style))
        for node in shown:
            for user in node.users:
                dot.add_edge(pydot.Edge(node.name, user.name))
        return dot

    def _label(self, gm: GraphModule, node: Node) -> str:
        lines = [f"name=%{node.name}", f"op_code={node.op}"]
        if node.op == "call_module":
            module = _member(gm, node.target)
            lines.append(
                type(module).__module__.replace("functorch_lite", "torch", 1) + "." + type(module).__name__
            )
            lines += [f"{c}: {getattr(module, c)}" for c in getattr(module, "__constants__", ())]
        else:
            target = node.target if isinstance(node.target, str) else _get_qualified_name(node.target)
            lines.append(f"target={target}")
            given = (
                node.normalized_arguments(gm, normalize_to_only_use_kwargs=True)
                if self.normalize_args
                else None
            )
            args, kwargs = (node.args, node.kwargs) if given is None else (given.args, given.kwargs)
            if args:
                lines.append(f"args={self._arguments(args)}")
            if kwargs:
                lines.append(f"kwargs={self._arguments(kwargs)}")
            lines.append(f"num_users={len(node.users)}")
        meta = node.meta.get("tensor_meta")
        if isinstance(meta, TensorMetadata):
            lines.append(
                f"dtype={meta.dtype}, shape={tuple(meta.shape)}, requires_grad={meta.requires_grad}, stride={meta.stride}"
            )
        if self.parse_stack_trace and node.stack_trace:
            lines.append(node.stack_trace.splitlines()[-1].strip())
        return "{" + "|".join(_escaped(line) for line in lines) + r"\n}"

    def _arguments(self, args: Any) -> str:
        if self.skip_node_names_in_args:
            if isinstance(args, dict):
                args = {k: v for k, v in args.items() if not isinstance(v, Node)}
            else:
                args = tuple(a for a in args if not isinstance(a, Node))
        return format_arg(args, max_list_len=10)


def _member(root: Module, path: str) -> Any:
    found: Any = root
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _fill(node: Node) -> str:
    if node.op in _FILLS:
        return _FILLS[node.op]
    name = node.target if isinstance(node.target, str) else _get_qualified_name(node.target)
    return _COLORS[int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:8], 16) % len(_COLORS)]


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "{}|<>" else c for c in text)
