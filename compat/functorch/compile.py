"""functorch.compile: forward and backward of functions as Graphs, each handed to a compiler of the user's.
XLA compiles without being asked; names that only ask for that say so when they are called."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from typing import Any, NoReturn

from functorch_lite.compiler.aot import aot_function, aot_module, default_partition, nop
from functorch_lite.compiler.debugging.minify import minifier
from functorch_lite.compiler.partition.of_modules import min_cut_rematerialization_partition
from functorch_lite.fx.passes.graph_drawer import FxGraphDrawer

__all__ = [
    "aot_function", "aot_module", "aot_module_simplified", "compiled_function", "compiled_module", "debug_compile",
    "default_partition", "draw_graph", "draw_graph_compile", "make_boxed_func", "memory_efficient_fusion",
    "min_cut_rematerialization_partition", "minifier", "nop", "print_compile", "ts_compile",
]  # fmt: skip

_COMPILED = (
    "functorch.compile.{}: programs are recorded and compiled by themselves here, forward and backward together. Call the function "
    "or the module as it is. To save memory in backward use torch.utils.checkpoint."
)


def _refuse(name: str, text: str) -> Any:
    def refuse(*args, **kwargs) -> NoReturn:
        raise NotImplementedError(text.format(name))

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raises NotImplementedError, which says what to do instead of {name}."
    return refuse


aot_module_simplified = _refuse("aot_module_simplified", _COMPILED)


def make_boxed_func(f: Any) -> Any:
    """The function, called with one list of its arguments, which it empties.

    >>> make_boxed_func(lambda a, b: a + b)([1, 2])
    3
    """

    def boxed(args: list) -> Any:
        given = list(args)
        args.clear()
        return f(*given)

    boxed._boxed_call = True  # type: ignore[attr-defined]
    return boxed


def print_compile(fx_g: Any, _: Any) -> Any:
    """Print the code of a graph and return the graph: a compiler for `aot_function`.

    Args:
        fx_g: The graph, a GraphModule.
        _: Its inputs, which are not used.
    """
    print(fx_g.code)
    return fx_g


def debug_compile(fx_g: Any, inps: Any) -> Any:
    """Write a graph to the folder "foo", print a script that minifies it, run it once, and return it.

    Args:
        fx_g: The graph, a GraphModule.
        inps: Its inputs.
    """
    fx_g.to_folder("foo")
    shapes = [(tuple(i.shape), i.dtype) for i in inps]
    print(
        f"import torch\nimport torch.fx as fx\nfrom functorch.compile import minifier\n\ninps = {shapes}\n"
        "inps = [torch.ones(shape, dtype=dtype) for (shape, dtype) in inps]\nfrom foo import FxModule\nmod = FxModule()\n\n"
        "minifier(fx.symbolic_trace(mod), inps, fails)  # fails(graph, inputs): whether the fault is there\n"
    )
    fx_g(*inps)
    return fx_g


def draw_graph(
    traced: Any,
    fname: str,
    figname: str = "fx_graph",
    clear_meta: bool = True,
    prog: Any = None,
    parse_stack_trace: bool = False,
    dot_graph_shape: str | None = None,
) -> None:
    """Write a picture of a graph; it needs pydot and Graphviz.

    Args:
        traced: The graph, a GraphModule.
        fname: Name of the file; its extension is the format, by default svg.
        figname: Name of the picture.
        clear_meta: Whether shapes and dtypes are left out.
        prog: Program of Graphviz that places the nodes.
        parse_stack_trace: Whether nodes show the lines that made them.
        dot_graph_shape: Shape of nodes.
    """
    if clear_meta:
        traced = copy.deepcopy(traced)
        for node in traced.graph.nodes:
            node.meta = {}
    base, extension = os.path.splitext(fname)
    graph = FxGraphDrawer(
        traced, figname, parse_stack_trace=parse_stack_trace, dot_graph_shape=dot_graph_shape
    )
    write = getattr(graph.get_main_dot_graph(), f"write_{(extension or '.svg')[1:]}")
    write(f"{base}{extension or '.svg'}", **({} if prog is None else {"prog": prog}))


def draw_graph_compile(name: str) -> Callable:
    """Return a compiler for `aot_function` that draws the graph to a file of this name and returns the graph."""

    def compile_(fx_g: Any, _: Any) -> Any:
        print(fx_g.code)
        draw_graph(fx_g, name)
        return fx_g

    return compile_


compiled_function = _refuse("compiled_function", _COMPILED)
compiled_module = _refuse("compiled_module", _COMPILED)
memory_efficient_fusion = _refuse("memory_efficient_fusion", _COMPILED)
ts_compile = _refuse("ts_compile", _COMPILED)
