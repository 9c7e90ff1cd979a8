"""A Graph as a GraphModule of ops of aten: step by step by the rules, derivatives by the rule of the step to which
they belong.

A step that no rule is for is a call as in `graphs/view.py`. A step for which a rule gives results with shapes or
dtypes that differ from the recorded ones is treated in the same way.
"""

from __future__ import annotations

import linecache
from collections.abc import Mapping, Sequence
from typing import Any

from ... import _ops
from ..._core.api import (
    ADD,
    CPU,
    DETACH,
    ONES,
    ZEROS,
    Aval,
    Formula,
    Graph,
    Op,
    Tensor,
    device,
    float32,
    preserve_format,
)
from ...fx import Graph as FxGraph
from ...fx import GraphModule, Node
from ...random.generator import Generator, default_generator, key_tensor
from ..graphs.calls import call_of, shortened
from ..graphs.joint import joint
from ..graphs.view import GradMode, example, is_single
from . import layers, pointwise, shapes  # noqa: F401  (which register their rules)
from .composite import COMPOSITE
from .emit import RULES, Emit, Pulled, is_number, val_of

__all__ = ["At", "by_place", "by_rule", "is_derivative", "lowered", "wanted"]

_DRAWS = {"uniform": "rand", "normal": "randn"}
_DROPOUT = "nn.functional._dropout"
_OF_BACKWARD = (ADD, ONES, ZEROS)


def lowered(
    graph: Graph,
    names: Sequence[str] = (),
    drawn: Mapping[int, Generator] | None = None,
    held: Mapping[int, tuple[str, Tensor]] | None = None,
    name: str = "GraphModule",
    whole: bool = False,
) -> GraphModule:
    """A GraphModule of ops of aten that computes what the Graph does.

    The arguments are the same as in `view_of`; whole: whether ops that aten composes of others are one step."""
    walk = _Walk(FxGraph(), graph, drawn or {}, held or {})
    walk.rules = RULES | COMPOSITE if whole else RULES
    for i, aval in enumerate(graph.in_avals):
        if i not in walk.drawn and i not in walk.held:
            walk.env[-1 - i] = node = walk.shown.placeholder(names[i] if i < len(names) else f"arg{i}")
            node.meta["val"] = example(aval)
    walk.steps(graph, walk.env, show_grad=True)
    walk.shown.output(tuple([walk.read(walk.env, o) for o in graph.outputs]))
    for node in walk.shown.find_nodes(op="get_attr"):
        next(n for n in walk.shown.nodes if n in node.users).prepend(node)
    return GraphModule(walk.root, walk.shown, name)


class _Forward:
    """A step that was lowered, with what its derivative asks for."""

    def __init__(self, inputs: list[Any], places: list[Any], pull: Any, params: Sequence[str]):
        self.inputs, self.places, self.pull, self.params = inputs, places, pull, params


class At:
    """The place of an input of an op."""

    __slots__ = ("k",)

    def __init__(self, k: int):
        self.k = k


class _Walk:
    """The Graph of torch.fx in the making."""

    def __init__(self, shown: FxGraph, graph: Graph, drawn: Mapping[int, Generator], held: Mapping[int, tuple[str, Tensor]]):  # fmt: skip
        self.shown, self.drawn, self.held = shown, drawn, held
        self.avals = graph.in_avals
        self.root: dict[str, Any] = {}
        self.env: dict[int, Any] = {}
        self.emit = Emit(shown)
        self.done: dict[tuple, list[_Forward]] = {}
        self.mode = GradMode(shown)
        self.rules = RULES
        self.as_draws = self._single_draws(graph)

    def _single_draws(self, graph: Graph) -> set[int]:
        """The inputs that are keys of one draw each, if all keys are drawn in the order of the steps that read them."""
        reads = [r for s in graph.steps for r in s.refs if -1 - r in self.drawn]
        if reads != sorted(set(reads), reverse=True):
            return set()
        return {-1 - s.refs[-1] for s in graph.steps if self._is_draw(s)}

    def _is_draw(self, step: Any) -> bool:
        """Returns whether a step draws by a key of the default generator, as a function does that has no key."""
        name = getattr(step.op, "name", "")
        if name not in ("_draw", _DROPOUT) or self.drawn.get(-1 - step.refs[-1]) is not default_generator:
            return False
        return name == _DROPOUT or (step.static[0] in _DRAWS and step.static[2].is_floating_point)

    def _draw(self, step: Any, env: dict[int, Any]) -> Node:
        e, val = self.emit, example(step.avals[0])
        if step.op.name == _DROPOUT:
            kind, p = step.applied.inputs[2]
            return e("dropout.default", self.read(env, step.refs[0]), kind(p), True, val=val)
        kind, size, dtype = step.static
        more = {} if dtype is float32 else {"dtype": dtype}
        return e(f"{_DRAWS[kind]}.default", size, val=val, **more, device=device("cpu"), pin_memory=False)

    # -- what steps read

    def read(self, env: dict[int, Any], ref: int) -> Any:
        """The Node of a reference. A member of the module is read where it is first used."""
        found = env.get(ref)
        if found is None:
            assert env is self.env, ref
            i = -1 - ref
            if i in self.held:
                attribute, self.root[attribute] = self.held[i]
                found = self.shown.get_attr(attribute)
            else:
                found = self._key(self.drawn[i])
            found.meta["val"] = example(self.avals[i])
            env[ref] = found
        return found() if callable(found) and not isinstance(found, Node) else found

    def _key(self, generator: Generator) -> Node:
        if generator is default_generator:
            return self.shown.call_function(key_tensor, (), name="key")
        name = next((n for n, x in self.root.items() if x is generator), f"generator{len(self.root)}")
        self.root[name] = generator
        return self.shown.call_function(key_tensor, (self.shown.get_attr(name),), name="key")

    # -- steps

    def steps(self, graph: Graph, env: dict[int, Any], show_grad: bool) -> None:
        """Lowers the steps of a Graph. show_grad: whether steps that were recorded without gradients are in
        `set_grad_enabled`, except derivatives."""
        stops = _cut(graph) if show_grad else ()
        for i, step in enumerate(graph.steps):
            if show_grad:
                self.mode.be(i not in stops)
            outs = self._step(step, env)
            env.update(zip(range(step.base, step.base + step.n_out), outs))
        if show_grad:
            self.mode.be(True)

    def _step(self, step: Any, env: dict[int, Any]) -> list[Any]:
        e = self.emit
        e.trace = _line(step)
        e.aval = step.avals[0] if step.avals else None
        if env is self.env and step.refs and -1 - step.refs[-1] in self.as_draws and self._is_draw(step):
            return [self._draw(step, env)]
        given = iter([self.read(env, r) for r in step.refs])
        inputs = [_input(spec, given) for spec in step.applied.inputs]
        last = next(iter(reversed(self.shown.nodes)), None)
        try:
            found = self._by_rule(step, inputs)
        except (
            TypeError,
            RuntimeError,
            ValueError,
            IndexError,
        ):  # an op of aten refuses what the recorded one takes
            found = None
        if found is not None and len(found) == step.n_out and all(map(_fits, found, step.avals)):
            return found
        for node in reversed(list(self.shown.nodes)):
            if node is last:
                break
            self.shown.erase_node(node)
        return self._plain(step, inputs)

    def _by_rule(self, step: Any, inputs: list[Any]) -> list[Any] | None:
        op, e = step.op, self.emit
        if op is DETACH:
            return [e("detach.default", *inputs)]
        if op is ADD:
            return [e("add.Tensor", *inputs)]
        if op in (ONES, ZEROS):
            return [e(f"{'ones' if op is ONES else 'zeros'}_like.default", inputs[0], pin_memory=False, memory_format=preserve_format)]  # fmt: skip
        if is_derivative(op):
            return self._derivative(step, inputs)
        if not isinstance(op, Op):
            return None
        return self._op(step, inputs)

    def _op(self, step: Any, inputs: list[Any]) -> list[Any] | None:
        op, e = step.op, self.emit
        found, places = by_rule(e, self.rules, op, step.static, inputs, step.avals)
        if found is None:
            return None
        out, pull = found if isinstance(found, Pulled) else (found, None)
        params = [p.name for p in op.params]
        self.done.setdefault((op, step.static), []).append(_Forward(inputs, places, pull, params))
        return list(out) if type(out) in (tuple, list) else [out]

    def _derivative(self, step: Any, inputs: list[Any]) -> list[Any] | None:
        """The derivative of a step that was lowered before, of the same inputs."""
        applied, mask, cts = step.op.made_of
        backward = applied.backward(mask, cts)
        saved, gradients = inputs[: len(backward.saved)], inputs[len(backward.saved) :]
        key = (applied.op, applied.static)
        for forward in reversed(self.done.get(key, ())):
            same = all(_same(forward.inputs[k], x) for k, x in zip(backward.saved, saved))
            if same and forward.pull is not None and len(forward.inputs) == len(applied.inputs):
                break
        else:
            return None
        given = iter(gradients)
        full = [next(given) if cts >> o & 1 else None for o in range(len(applied.avals))]
        if len(full) > 1 and any(g is not None for g in full[1:]):
            return None
        asked = [k for k in range(len(applied.inputs)) if mask >> k & 1]
        found = forward.pull(full, wanted(asked, forward.places, forward.params))
        results = by_place(found, forward.places, forward.params)
        outs = [results.get(k) for k in asked]
        return None if any(o is None for o in outs) else outs

    # -- steps without a rule

    def _plain(self, step: Any, inputs: list[Any]) -> list[Any]:
        outs = self._transform(step, inputs)
        if outs is not None:
            return outs
        given = [x for x, spec in zip(inputs, step.applied.inputs) if type(spec) is Aval]
        kind, called, args, kwargs = call_of(step, given)
        node = self.shown.create_node(kind, called, args, kwargs, step.op.name.rpartition(".")[2].lstrip("_"))
        vals = tuple([example(a) for a in step.avals])
        node.meta["val"] = vals[0] if is_single(step) else vals
        if self.emit.trace is not None:
            node.meta["stack_trace"] = self.emit.trace
        return [node] if is_single(step) else self.emit.parts(node)

    def _transform(self, step: Any, inputs: list[Any]) -> list[Any] | None:
        """A derivative by `grad` or `vjp`: the steps of the function, then the steps of the derivative."""
        made = getattr(step.op, "made_of", None)
        if not (isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], Graph)):
            return None
        graph, key = made
        if type(key) is not tuple or key[0] not in ("grad", "vjp") or (key[0] == "grad" and not key[2]):
            return None
        n = len(graph.in_avals)
        wanted = list(range(key[1])) if key[0] == "grad" else [i for i in range(graph.n_inputs) if graph.in_avals[i].taped]  # fmt: skip
        both, tangents, places = joint(graph, wanted)
        n_out = len(graph.outputs)
        if tangents != ([0] if key[0] == "grad" else list(range(n_out))) or (key[0] == "vjp" and key[1] != n_out):  # fmt: skip
            return None
        if any(p is None for p in places) or (key[0] == "vjp" and len(wanted) != graph.n_inputs):
            return None
        env: dict[int, Any] = {-1 - i: x for i, x in enumerate(inputs[:n])}
        if key[0] == "vjp":
            env.update({-1 - n - j: x for j, x in enumerate(inputs[n:])})
        else:
            env[-1 - n] = lambda: self._one(env, graph, both, n)
        self.steps(both, env, show_grad=False)
        results = [self.read(env, both.outputs[p]) for p in places if p is not None]
        return results if key[0] == "vjp" else [*results, *[self.read(env, o) for o in both.outputs[:n_out]]]

    def _one(self, env: dict[int, Any], graph: Graph, both: Graph, n: int) -> Node:
        """The gradient that a derivative begins with."""
        value = self.read(env, both.outputs[0])
        node = env[-1 - n] = self.emit("ones_like.default", value, pin_memory=False, memory_format=preserve_format)  # fmt: skip
        return node


def by_rule(e: Emit, rules: Mapping[str, Any], op: Op, static: Any, inputs: Sequence[Any], avals: Sequence[Aval]) -> tuple[Any, list[Any]]:  # fmt: skip
    """(what the rule of an op gives, or the op of aten of the same name; None without either, and which input each
    argument of the op is)."""
    places = op.arguments(static, [None if x is None else At(k) for k, x in enumerate(inputs)])
    values = [_filled(p, inputs) for p in places]
    e.name = op.name.rpartition(".")[2]
    e.aval = avals[0] if avals else None
    e.on_device = bool(avals) and avals[0].device not in (CPU, None)
    return (rules[op.name](e, *values) if op.name in rules else _named(e, op, values)), places


def _named(e: Emit, op: Op, values: list[Any]) -> Any:
    """The op of aten of the same name, where there is one."""
    space, _, short = op.name.rpartition(".")
    prefix = {"": "", "nn.functional": "", "linalg": "linalg_", "special": "special_", "fft": "fft_"}.get(space)  # fmt: skip
    packet = None if prefix is None else getattr(_ops.namespace("aten"), prefix + short, None)
    if packet is None or short.startswith("_"):
        return None
    overload = _overload(packet.overloads(), values)
    if overload is None:
        return None
    args, kwargs = shortened(op, values)
    made = e(f"{packet.__name__}.{overload}", *args, **kwargs)
    return e.parts(made) if isinstance(val_of(made), tuple | list) else made


def by_place(found: Mapping[str, Any], places: Sequence[Any], params: Sequence[str]) -> dict[int, Any]:
    """The gradients that a rule gives by the names of arguments, by the places of inputs."""
    results: dict[int, Any] = {}
    for name, place in zip(params, places):
        if type(place) is At:
            results[place.k] = found.get(name)
        elif isinstance(place, list | tuple) and name in found:
            results.update(zip([p.k for p in place], found[name] or ()))
    return results


def wanted(asked: Sequence[int], places: Sequence[Any], params: Sequence[str]) -> set[str]:
    """The arguments that hold one of these inputs, by name."""
    return {n for n, p in zip(params, places) if _holds(p, asked)}


def _cut(graph: Graph) -> set[int]:
    """The steps that were recorded without gradients, but for stretches that are derivatives alone."""
    found: set[int] = set()
    stretch: list[int] = []
    for i, step in enumerate([*graph.steps, None]):
        if step is not None and step.stop:
            stretch.append(i)
            continue
        if not all(_is_backward(graph.steps[k].op) for k in stretch):
            found.update(stretch)
        stretch = []
    return found


def _is_backward(op: Any) -> bool:
    return op in _OF_BACKWARD or is_derivative(op)


def is_derivative(op: Any) -> bool:
    """Returns whether it is the derivative of one op."""
    return isinstance(op, Formula) and op.made_of is not None and len(op.made_of) == 3


def _overload(overloads: list[str], values: list[Any]) -> str | None:
    """Returns the name of the overload that takes these arguments, or None."""
    if {"Tensor", "Scalar"} <= set(overloads):
        if len(values) < 2 or is_number(values[0]):
            return None
        return "Scalar" if is_number(values[1]) else "Tensor"
    return "default" if "default" in overloads else None


def _fits(node: Any, aval: Aval) -> bool:
    val = val_of(node)
    if not isinstance(val, Tensor):
        return False
    return tuple(val.shape) == tuple(aval.shape) and val.dtype is aval.dtype


def _filled(place: Any, inputs: list[Any]) -> Any:
    if type(place) is At:
        return inputs[place.k]
    if isinstance(place, list | tuple) and any(type(p) is At for p in place):
        return [_filled(p, inputs) for p in place]
    return place


def _holds(place: Any, asked: Sequence[int]) -> bool:
    if type(place) is At:
        return place.k in asked
    return isinstance(place, list | tuple) and any(type(p) is At and p.k in asked for p in place)


def _same(a: Any, b: Any) -> bool:
    return a is b if isinstance(a, Node) or isinstance(b, Node) else type(a) is type(b) and a == b


def _input(spec: Any, given: Any) -> Any:
    if type(spec) is Aval:
        return next(given)
    return None if spec is None else spec[0](spec[1])


def _line(step: Any) -> str | None:
    if step.source is None:
        return None
    file, line = step.source
    return f'File "{file}", line {line}\n    {linecache.getline(file, line).strip()}'
