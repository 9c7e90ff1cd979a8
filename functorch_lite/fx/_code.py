"""The Python that a Graph stands for: the lines of its Nodes, and a function around them."""

from __future__ import annotations

import enum
import re
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._core.api import Tensor, devices
from ..utils import _pytree as pytree
from . import config
from ._names import GLOBALS, Namespace, inplace_methods, magic_methods
from .node import Node, _get_qualified_name, _type_repr, dtype_abbrs, resolved

__all__ = ["CodeGen", "PyTreeCodeGen", "PyTreeInfo", "PythonCode"]

TransformCodeFunc = Callable[[list[str]], list[str]]


@dataclass
class PythonCode:
    """Generated code.

    Attributes:
        src: the definition of the function `forward`.
        globals: the names that it needs, and what they stand for.
    """

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = None
    _prologue_start: int = 0


class PyTreeInfo(NamedTuple):
    """Structure of the arguments and of the result of the traced function."""

    orig_args: list[str]
    in_spec: pytree.TreeSpec
    out_spec: pytree.TreeSpec | None


class _Globals:
    """The names that a piece of code needs besides its own."""

    def __init__(self, namespace: Namespace):
        self.namespace = namespace
        self.found: dict[str, Any] = {}
        self.wrapped: dict[str, None] = {}

    def add(self, hint: str, obj: Any) -> str:
        """A name for the object: torch's own where it can be found by that."""
        if hint.startswith("torch.") and obj is not devices.device and resolved(hint) is obj:
            return hint
        name = self.namespace.create_name(hint.replace(".", "_"), obj)
        if self.found.setdefault(name, obj) is not obj:
            raise AssertionError(f"two things are named {name}")
        return name

    def of_type(self, kind: Any) -> str:
        """An annotation as code."""
        if kind == () or kind is None or kind is type(None):
            return "()" if kind == () else self.add("NoneType", type(None))
        if isinstance(kind, str):
            return repr(kind)
        origin = typing.get_origin(kind)
        if (origin is not None and not isinstance(kind, type)) or hasattr(kind, "__origin__"):
            arguments = typing.get_args(kind)
            named = (
                getattr(typing, kind._name)
                if getattr(kind, "_name", None) and hasattr(typing, str(kind._name))
                else origin
            )
            head = self.add(_type_repr(named) if isinstance(named, type) else f"typing.{kind._name}", named)
            inner = ", ".join("..." if a is ... else self.of_type(a) for a in arguments)
            return f"{head}[{inner}]" if arguments else head
        return self.add(_type_repr(kind), kind)


class CodeGen:
    """Writer of the code of a Graph; `Graph.set_codegen` takes another.

    A subclass may override `gen_fn_def`, `generate_output`, `process_inputs`, `process_outputs` and
    `additional_globals`.
    """

    def __init__(self) -> None:
        self._body_transformer: TransformCodeFunc | None = None
        self._func_name = "forward"

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False
    ) -> str:
        """The first lines of the function; free_vars are its arguments, as code."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        if expanded_def:
            arguments = "".join(f"    {a},\n" for a in free_vars)
            return f"def {self._func_name}(\n{arguments}){maybe_return_annotation}:"
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(
        self,
        output_args: Any,
        *,
        descs: Sequence[str] | None = None,
        repr_fn: Callable[[object], str] | None = None,
    ) -> str:
        """The line that returns."""
        return f"return {(repr_fn or repr)(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """The Graph's inputs of the function's arguments."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """The function's result of the Graph's."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Further names that the code needs: (name, thing)."""
        return []

    def _gen_python_code(
        self,
        nodes: Iterable[Node],
        root_module: str,
        namespace: Namespace,
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        expanded_def: bool = False,
        record_func: bool = False,
        additional_meta: list[str] | None = None,
    ) -> PythonCode:
        writer = _Writer(self, nodes, root_module, namespace)
        writer.verbose, writer.colored = verbose, colored
        writer.include_stride, writer.include_device = include_stride, include_device
        writer.additional_meta = additional_meta or []
        return writer.written(expanded_def)


class PyTreeCodeGen(CodeGen):
    """Code of a function whose arguments and result were nested: it takes them apart and puts them together."""

    def __init__(self, pytree_info: PyTreeInfo):
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs: Any) -> Any:
        return pytree.tree_leaves(inputs)

    def process_outputs(self, out: Any) -> Any:
        if not isinstance(out, list | tuple):
            out = [out]
        if self.pytree_info.out_spec is None:
            raise AssertionError("out_spec is None in pytree_info")
        return pytree.tree_unflatten(out, self.pytree_info.out_spec)

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False
    ) -> str:
        if not self.pytree_info:
            return super().gen_fn_def(free_vars, maybe_return_annotation, expanded_def=expanded_def)
        names = [n for n in self.pytree_info.orig_args if n != "self"]
        head = super().gen_fn_def(
            list(self.pytree_info.orig_args), maybe_return_annotation, expanded_def=expanded_def
        )
        plain = [v.split(":")[0].split("=")[0].strip() for v in free_vars]
        if not plain:
            return head
        return f"{head}\n    {''.join(f'{n}, ' for n in plain)}= fx_pytree.tree_flatten_spec([{', '.join(names)}], self._in_spec)"

    def generate_output(
        self,
        output_args: Any,
        *,
        descs: Sequence[str] | None = None,
        repr_fn: Callable[[object], str] | None = None,
    ) -> str:
        shown = (repr_fn or repr)(output_args)
        if self.pytree_info and self.pytree_info.out_spec:
            return f"return pytree.tree_unflatten({shown}, self._out_spec)"
        return f"return {shown}"


class _Writer:
    """One listing of a Graph's code."""

    verbose = colored = include_stride = include_device = False
    additional_meta: Sequence[str] = ()

    def __init__(self, codegen: CodeGen, nodes: Iterable[Node], root: str, namespace: Namespace):
        self.codegen, self.nodes, self.root = codegen, list(nodes), root
        self.globals = _Globals(namespace)
        self.free_vars: list[str] = []
        self.returns = ""
        self.last_trace = ""
        given = [n for n in self.nodes if n.op == "placeholder"]
        self.taken = [repr(n) for n in given], [n.target.replace("*", "") for n in given]
        place = {argument: at for at, argument in enumerate(self.taken[1])}
        self.at_once = any(place.get(name, -1) > at for at, name in enumerate(self.taken[0]))

    def written(self, expanded_def: bool) -> PythonCode:
        for name, known in GLOBALS.items():
            self.globals.add(name, known.obj)
        for name, thing in self.codegen.additional_globals():
            self.globals.add(name, thing)
        last_read = self._last_read()
        body: list[str] = []
        marks: dict[int, int | None] = {}
        for i, node in enumerate(self.nodes):
            if self.verbose:
                body += self._where_from(node)
            body.append(f"# COUNTER: {i}\n")
            line = self._line(node)
            body += [line + self._deleted(node, last_read)] if line else []
        if not any(line for line in body if not line.startswith("# COUNTER")):
            body.append("pass\n")
        wraps = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in self.globals.wrapped)
        if self.codegen._body_transformer is not None:
            body = self.codegen._body_transformer(body)
        head = self.codegen.gen_fn_def(self.free_vars, self.returns, expanded_def=expanded_def)
        prologue = f"\n{wraps}\n\n{head}\n"
        shown: list[str] = []
        current: int | None = None
        for line in "".join(body).split("\n"):
            counter = re.match(r"# COUNTER: (\d+)$", line)
            if counter is not None:
                current = int(counter[1])
                continue
            if not line and not shown:
                continue
            marks[len(shown) + 1] = current
            shown.append(f"    {line}")
        text = "\n".join(shown)
        return PythonCode(prologue + text, self.globals.found, marks, prologue.count("\n"))

    # -- values that are read no more

    def _last_read(self) -> dict[Node, list[Node]]:
        """Returns for each Node the inputs that no later Node reads."""
        done: set[Node] = set()
        found: dict[Node, list[Node]] = {}
        for user in reversed(self.nodes):
            for read in user.all_input_nodes:
                if read not in done:
                    done.add(read)
                    found.setdefault(user, []).append(read)
        return found

    def _deleted(self, user: Node, last_read: dict[Node, list[Node]]) -> str:
        if user.op == "placeholder" or user.op == "output":
            return "\n"
        gone = [*last_read.get(user, ()), *([user] if not user.users else [])]
        if not gone:
            return "\n"
        return f";  {' = '.join([*map(repr, gone), 'None'])}\n"

    # -- one Node

    def _repr(self, x: Any) -> str:
        """An argument as code."""
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            return f"{self.globals.add(_type_repr(type(x)), type(x))}{self._repr(tuple(x))}"
        if isinstance(x, tuple):
            return f"({', '.join(map(self._repr, x))}{',' if len(x) == 1 else ''})"
        if isinstance(x, list):
            return f"[{', '.join(map(self._repr, x))}]"
        if isinstance(x, dict):
            return f"{{{', '.join(f'{k!r}: {self._repr(v)}' for k, v in x.items())}}}"
        if isinstance(x, slice):
            return f"slice({self._repr(x.start)}, {self._repr(x.stop)}, {self._repr(x.step)})"
        if isinstance(x, enum.Enum):
            return f"{self.globals.add(type(x).__name__, type(x))}.{x.name}"
        if isinstance(x, Tensor) and not isinstance(x, Node):
            return f"{dtype_abbrs[x.dtype]}[{', '.join(map(str, x.shape))}]"
        if callable(x) and not isinstance(x, Node) and hasattr(x, "__module__") and hasattr(x, "__name__"):
            return self.globals.add(_type_repr(x) if isinstance(x, type) else _get_qualified_name(x), x)
        return repr(x)

    def _arguments(self, args: tuple, kwargs: dict) -> str:
        return ", ".join([*map(self._repr, args), *(f"{k} = {self._repr(v)}" for k, v in kwargs.items())])

    def _line(self, node: Node) -> str:
        annotation = f" : {self.globals.of_type(node.type)}" if node.type is not None else ""
        if self.verbose:
            annotation = self._known(node) or annotation
        made = f"{node!r}{annotation} = "
        args, kwargs = node.args, node.kwargs
        if node.op == "placeholder":
            default = f" = {self._repr(args[0])}" if args else ""
            self.free_vars.append(f"{node.target}{annotation}{default}")
            return self._taken(node)
        if node.op == "call_method":
            return (
                f"{made}{_attribute(self._repr(args[0]), node.target)}({self._arguments(args[1:], kwargs)})"
            )
        if node.op == "call_module":
            return f"{made}{_attribute(self.root, node.target)}({self._arguments(args, kwargs)})"
        if node.op == "get_attr":
            return f"{made}{_attribute(self.root, node.target)}"
        if node.op == "output":
            if node.type is not None:
                self.returns = f" -> {self.globals.of_type(node.type)}"
            return self.codegen.generate_output(args[0], repr_fn=self._repr)
        if node.op != "call_function":
            raise NotImplementedError(f"node: {node.op} {node.target}")
        target: Any = node.target
        name = getattr(target, "__name__", "")
        if getattr(target, "__module__", "") == "_operator" and not kwargs:
            form = magic_methods.get(name)
            if form is not None and form.count("{}") == len(args):
                return f"{made}{form.format(*map(self._repr, args))}"
            form = inplace_methods.get(name)
            if form is not None and form.count("{}") == len(args):
                return f"{form.format(*map(self._repr, args))};  {made}{self._repr(args[0])}"
        called = self.globals.add(_get_qualified_name(target), target)
        if node.meta.get("is_wrapped", False):
            self.globals.wrapped[called] = None
        if called == "getattr" and len(args) == 2 and isinstance(args[1], str) and args[1].isidentifier():
            return f"{made}{_attribute(self._repr(args[0]), args[1])}"
        return f"{made}{called}({self._arguments(args, kwargs)})"

    def _taken(self, node: Node) -> str:
        """An argument under its Node's name, if that differs from its own. All at once, by the last, where a Node has
        the name of an argument that comes later, as of `X` and `x`: one after the other, the first would overwrite
        the second."""
        names, arguments = self.taken
        if self.at_once:
            last = repr(node) == names[-1]
            return f"{', '.join(names)} = {', '.join(arguments)}" if last else ""
        plain = node.target.replace("*", "")
        return f"{node!r} = {plain}" if plain != repr(node) else ""

    # -- what readers are told

    def _known(self, node: Node) -> str:
        value = node.meta.get("val", node.meta.get("tensor_meta", node.meta.get("example_value")))
        if isinstance(value, int) and hasattr(value, "expr"):
            return f': "Sym({value})"'
        if value is None or not hasattr(value, "dtype") or not hasattr(value, "shape"):
            return ""
        shown = f"{dtype_abbrs.get(value.dtype, value.dtype)}[{', '.join(map(str, value.shape))}]"
        if self.include_stride and isinstance(value, Tensor):
            shown += f"[{', '.join(map(str, value.stride()))}]"  # type: ignore[attr-defined]
        if self.include_device and isinstance(value, Tensor):
            shown += str(value.device)
        return f': "{shown}"'

    def _where_from(self, node: Node) -> list[str]:
        """A comment with the line of the traced program, if it differs from the last Node's."""
        lines = [f"# {key}: {node.meta[key]}\n" for key in self.additional_meta if key in node.meta]
        if node.op in ("placeholder", "output") or config.do_not_emit_stack_traces:
            return lines
        trace = node.stack_trace
        if not trace:
            if self.last_trace != "":
                return lines
            self.last_trace = "none"
            return [*lines, "\n# No stacktrace found for following nodes\n"]
        if trace == self.last_trace:
            return lines
        self.last_trace = trace
        found = re.findall(r'File "(.+?)", line (\d+), in (.+)\n\s*(.*)', trace)
        if not found:
            return [*lines, f"\n# {trace.splitlines()[-1].strip()}\n"]
        file, number, where, code = found[-1]
        return [*lines, f"\n# File: {file}:{number} in {where}, code: {code}\n"]


def _attribute(base: str, path: str) -> str:
    """`base.a.b` as code; `getattr(base, "0")` where a part is not an identifier."""
    for part in path.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base
