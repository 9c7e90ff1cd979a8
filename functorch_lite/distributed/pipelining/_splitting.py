"""`pipeline`: a module as stages.
It is traced by torch.fx, and its Graph is cut where `pipe_split()` was called or a `split_spec` says."""

from __future__ import annotations

import copy
import importlib
import inspect
import operator
from collections.abc import Callable
from enum import Enum
from typing import Any

from ...api_names import listed
from .stage import PipeInfo, PipeliningMetadataError, TracedStage, build_stage

fx: Any = importlib.import_module("functorch_lite.fx")  # a package above this one, as nn is
nn: Any = importlib.import_module("functorch_lite.nn")

__all__ = ["Pipe", "SplitPoint", "pipe_split", "pipeline"]
__dir__ = listed(__name__)


class SplitPoint(Enum):
    """Where a stage begins, for a submodule's name: before it is called, or after."""

    BEGINNING = 1
    END = 2


class _Tracing:
    """The Tracer that is running, if `pipeline` has one."""

    tracer: Any = None


def pipe_split() -> None:
    """Marks the end of a stage in a module's forward, for `pipeline`. Elsewhere it does nothing.

    >>> pipe_split()
    """
    if _Tracing.tracer is not None:
        _Tracing.tracer.create_node("call_function", pipe_split, (), {})


class _Tracer(fx.Tracer):
    """Marks the ends of stages at calls of submodules, too. Arguments that are not given have their defaults."""

    def __init__(self, spec: dict[str, SplitPoint], absent: dict[str, Any]):
        super().__init__()
        self._spec, self._absent = spec, absent

    def call_module(self, m: Any, forward: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        where = self._spec.get(self.path_of_module(m))
        if where is SplitPoint.BEGINNING:
            pipe_split()
        found = super().call_module(m, forward, args, kwargs)
        if where is SplitPoint.END:
            pipe_split()
        return found

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        inside = any(name.startswith(f"{module_qualified_name}.") for name in self._spec)
        return not inside and super().is_leaf_module(m, module_qualified_name)

    def _proxy_placeholder(self, name: str, *args: Any) -> Any:
        known = name.lstrip("*")
        return self._absent[known] if known in self._absent else super()._proxy_placeholder(name, *args)


def _traced(module: Any, mb_args: tuple, mb_kwargs: dict[str, Any], spec: dict[str, SplitPoint]) -> Any:
    """The Graph of the module for the arguments that are given."""
    signature = inspect.signature(module.forward)
    given = signature.bind(*mb_args, **mb_kwargs).arguments
    empty = {inspect.Parameter.VAR_POSITIONAL: (), inspect.Parameter.VAR_KEYWORD: {}}
    absent = {
        p.name: empty.get(p.kind, p.default) for p in signature.parameters.values() if p.name not in given
    }
    tracer = _Tracer(spec, absent)
    before, _Tracing.tracer = _Tracing.tracer, tracer
    try:
        return tracer.trace(module)
    except Exception as error:
        raise RuntimeError(
            f"pipeline: torch.fx cannot trace the module ({type(error).__name__}: {error}). Typical reasons are an `if` or a loop that depends on values or shapes. "
            "Write the stages by hand, with PipelineStage"
        ) from error
    finally:
        _Tracing.tracer = before


# -- cutting a Graph ---------------------------------------------------------------------------------------------------


def _stage_of(graph: Any) -> tuple[dict[Any, int], int]:
    """In which stage each Node is computed (inputs of the whole in the first), and how many there are.

    Stages without Nodes are none."""
    of: dict[Any, int] = {}
    current, used = 0, False
    for node in graph.nodes:
        if node.op == "call_function" and node.target is pipe_split:
            current, used = current + used, False
        elif node.op == "placeholder":
            of[node] = 0
        elif node.op not in ("output", "get_attr"):
            of[node] = current
            used = True
    return of, current + used or 1


def _outputs(graph: Any, of: dict[Any, int], count: int) -> list[list[Any]]:
    """The Nodes of each stage that other stages need; for the last stage, the Nodes of the result."""
    found: list[dict[Any, None]] = [{} for _ in range(count)]
    for node in graph.nodes:
        if node in of:
            readers = [of.get(user, count - 1) for user in node.users]
            if any(r != of[node] for r in readers):
                found[of[node]][node] = None
    return [list(f) for f in found]


def _stage_graph(
    graph: Any, of: dict[Any, int], index: int, outputs: list[Any], last: bool
) -> tuple[Any, list[Any]]:
    """A stage as a Graph, and the Nodes from elsewhere that are its inputs."""
    made, env, inputs = fx.Graph(), {}, []

    def here(node: Any) -> Any:
        if node not in env:
            if node.op == "get_attr":
                env[node] = made.node_copy(node)
            else:
                raise AssertionError(f"{node} is used before it is computed")
        return env[node]

    result = graph.output_node()
    mine = [n for n in graph.nodes if of.get(n) == index]
    readers = [*mine, *([result] if last else [])]
    if index == 0:
        inputs = [n for n in mine if n.op == "placeholder"]
    else:
        for reader in readers:
            inputs += [n for n in reader.all_input_nodes if n in of and of[n] != index and n not in inputs]
    for node in inputs:
        env[node] = made.placeholder(node.target if node.op == "placeholder" else node.name)
        env[node].meta = dict(node.meta)
    for node in mine:
        if node.op != "placeholder":
            env[node] = made.node_copy(node, here)
    if last:
        made.output(fx.map_arg(result.args[0], here))
    else:
        values = [here(n) for n in outputs]
        made.output(values[0] if len(values) == 1 else tuple(values))
    return made, inputs


def _cut(module: Any, graph: Any) -> tuple[Any, int]:
    """A GraphModule that calls the stages, and their number."""
    of, count = _stage_of(graph)
    outputs = _outputs(graph, of, count)
    whole, members, values = fx.Graph(), {}, {}
    for index in range(count):
        last = index == count - 1
        if not last and not outputs[index]:
            raise PipeliningMetadataError(f"pipeline: nothing of stage {index} is used by a later one")
        made, inputs = _stage_graph(graph, of, index, outputs[index], last)
        if index == 0:
            values |= {
                n: whole.placeholder(n.target, default_value=n.args[0] if n.args else inspect.Signature.empty)
                for n in inputs
            }
        name = f"submod_pp_{index}"
        members[name] = fx.GraphModule(module, made, f"Stage{index}")
        call = whole.call_module(name, tuple([values[n] for n in inputs]))
        if last:
            whole.output(call)
        elif len(outputs[index]) == 1:
            values[outputs[index][0]] = call
        else:
            for i, node in enumerate(outputs[index]):
                values[node] = whole.call_function(operator.getitem, (call, i))
    return fx.GraphModule(members, whole, "Pipeline"), count


class Pipe(nn.Module):
    """A module as stages, which `pipeline` makes. Called, it runs them one after the other, in this process.

    Attributes:
        split_gm: a GraphModule that calls `submod_pp_0`, `submod_pp_1`, ….
        num_stages: how many they are.
        replicated_params: for each parameter that several stages use, its name in each of them. Every stage has its own
            copy, so their gradients are to be added up.
    """

    def __init__(
        self, split_gm: Any, num_stages: int, has_loss_and_backward: bool = False, loss_spec: Any = None
    ):
        super().__init__()
        self.split_gm, self.num_stages = split_gm, num_stages
        self.has_loss_and_backward, self.loss_spec = has_loss_and_backward, loss_spec
        for node in split_gm.graph.nodes:
            plain = node.op in ("call_module", "placeholder", "output")
            if not plain and (node.op, node.target) != ("call_function", operator.getitem):
                raise AssertionError(f"Unexpected node: {node}")
        users: dict[Any, dict[str, str]] = {}
        for stage, module in split_gm.named_children():
            for name, p in module.named_parameters():
                users.setdefault(p, {})[stage] = name
        self.replicated_params = [where for where in users.values() if len(where) > 1]
        for where in self.replicated_params:
            for stage, name in list(where.items())[1:]:
                _replace_by_copy(getattr(split_gm, stage), name)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.split_gm(*args, **kwargs)

    def get_stage_module(self, stage_idx: int) -> Any:
        """The module of a stage. Raises ValueError for an index out of range."""
        if not 0 <= stage_idx < self.num_stages:
            raise ValueError(f"Invalid stage index {stage_idx}!")
        return getattr(self.split_gm, f"submod_pp_{stage_idx}")

    def info(self) -> PipeInfo:
        """Returns the PipeInfo that `build_stage` needs in addition to a stage's module."""
        return PipeInfo(self.split_gm.graph, self.num_stages, self.has_loss_and_backward)

    def build_stage(self, stage_index: int, device: Any, group: Any = None) -> TracedStage:
        """A stage, for a schedule."""
        return build_stage(self.get_stage_module(stage_index), stage_index, self.info(), device, group)

    def print_readable(self) -> str:
        """The code of the whole, and of the stages."""
        return self.split_gm.print_readable()

    def __repr__(self) -> str:
        return repr(self.split_gm)


def _replace_by_copy(module: Any, name: str) -> None:
    """Gives a stage a parameter of its own, in copies of the modules that lead to it: others hold them too."""
    *path, last = name.split(".")
    for part in path:
        inner = copy.copy(getattr(module, part))
        for members in ("_parameters", "_buffers", "_modules"):
            held = inner.__dict__[members]
            inner.__dict__[members] = type(held)(held)
        setattr(module, part, inner)
        module = inner
    setattr(module, last, copy.deepcopy(getattr(module, last)))


def pipeline(
    module: Any,
    mb_args: tuple[Any, ...],
    mb_kwargs: dict[str, Any] | None = None,
    split_spec: dict[str, SplitPoint] | None = None,
    split_policy: Callable | None = None,
) -> Pipe:
    """Cuts a module into stages, where its forward calls `pipe_split()`, or before or after submodules.

    Args:
        mb_args, mb_kwargs: examples of a micro-batch's arguments: which ones are given counts, not their numbers or
            shapes.
        split_spec: `{"layers.2": SplitPoint.BEGINNING}`: names of submodules, and where a stage begins.
        split_policy: a function that marks a GraphModule itself, by Nodes that call `pipe_split`, and returns it.

    Stages share the module's parameters, under the same names. The module is traced by `torch.fx`: what `if`s and loops
    do is fixed then.

    Raises RuntimeError if it cannot be traced, AttributeError for an unknown name, ValueError if both ways of
    splitting are given.

    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    >>> pipe = pipeline(model, (torch.ones(4, 2),), split_spec={"2": SplitPoint.BEGINNING})
    >>> pipe.num_stages, [name for name, _ in pipe.get_stage_module(1).named_parameters()]
    (2, ['2.weight', '2.bias'])
    """
    if split_spec is not None and split_policy is not None:
        raise ValueError("Cannot specify both `split_spec` and `split_policy`. Please use only one of them.")
    known = dict(module.named_modules())
    for name, where in (split_spec or {}).items():
        if name not in known:
            raise AttributeError(f"Specified target {name} referenced nonexistent module {name}")
        if not isinstance(where, SplitPoint):
            raise ValueError("Unknown split point type.")
    graph = _traced(module, mb_args, mb_kwargs or {}, split_spec or {})
    if split_policy is not None:
        graph = split_policy(fx.GraphModule(module, graph)).graph
    return Pipe(*_cut(module, graph))
