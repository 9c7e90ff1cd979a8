"""Graphs read from text without running any of it: every name is looked up among the ops, and every argument is a
literal.

The input is the JSON of `written_as_data`: expressions in the form used by scripts. Sizes are checked before anything
is made.
"""

from __future__ import annotations

import ast
import json
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..._core.api import DTYPES, device, memory_format
from ...autograd.grad_mode import is_grad_enabled, set_grad_enabled
from ...fx import Graph, GraphModule, Node
from ...fx.node import resolved
from ..graphs.calls import is_of_aten, op_called
from . import spelling as rt
from .saved import BadFile
from .spelling import Text

__all__ = ["as_data", "from_data", "read_json"]

VERSION = 1
MOST_BYTES = 64 << 20
"""Size limit of a file that is read."""
MOST_STEPS, MOST_NESTED, MOST_CHARACTERS = 200_000, 20, 100_000
MOST_ELEMENTS = 1 << 28
"""Size limit, in elements, of a tensor that is made for one that was saved."""


def as_data(text: Text, avals: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A Graph as what JSON can hold. avals: metadata of its inputs, by name."""
    return {
        "version": VERSION,
        "inputs": [{"name": n, **avals.get(n, {})} for n in (*text.inputs, *text.members)],
        "steps": [list(s) for s in text.steps],
        "result": text.result,
        "inner": {name: as_data(t, {}) for name, t in text.inner.items()},
    }


def read_json(path: Path) -> Any:
    """The JSON of a file. Raises BadFile, with the path and the reason."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise BadFile(f"{path}: it has {size} bytes, and at most {MOST_BYTES} are read")
        return json.loads(path.read_bytes().decode())
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{path}: expected JSON ({type(error).__name__}: {str(error)[:200]})") from None


def from_data(data: Any, of: str = "graph", depth: int = 0) -> tuple[GraphModule, list[dict[str, Any]]]:
    """The GraphModule, and the metadata of its inputs. Raises BadFile."""
    try:
        return _module(data, of, depth), list(data["inputs"])
    except BadFile:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, SyntaxError, RecursionError, OverflowError, MemoryError) as error:  # fmt: skip
        raise BadFile(f"{of}: {type(error).__name__}: {str(error)[:200]}") from None


def _module(data: Any, of: str, depth: int) -> GraphModule:
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise BadFile(f"{of}: expected a Graph of version {VERSION}")
    if depth > MOST_NESTED:
        raise BadFile(f"{of}: transforms are nested more than {MOST_NESTED} deep")
    steps = data["steps"]
    if not isinstance(steps, list) or len(steps) > MOST_STEPS:
        raise BadFile(f"{of}: the steps must be a list of at most {MOST_STEPS}")
    inner = {str(name): from_data(part, f"{of}.{name}", depth + 1)[0] for name, part in data["inner"].items()}
    graph = Graph()
    known: dict[str, Any] = {}
    for given in data["inputs"]:
        known[_name(given["name"], of)] = graph.placeholder(given["name"])
    for step in steps:
        name, text, line = step
        try:
            node = _step(graph, str(text), known, inner, str(name))
        except Exception as error:  # an op may refuse what it is given in any way
            raise BadFile(
                f"{of}: step {str(name)[:80]!r}: {type(error).__name__}: {str(error)[:200]}"
            ) from None
        node.meta["line"] = str(line)
        known[_name(name, of)] = node
    graph.output(_read(_parsed(data["result"]), known))
    return GraphModule({}, graph)


def _name(name: Any, of: str) -> str:
    if not isinstance(name, str) or not name.isidentifier():
        raise BadFile(f"{of}: expected a name, but got {str(name)[:80]!r}")
    return name


def _parsed(text: Any) -> ast.expr:
    if not isinstance(text, str) or len(text) > MOST_CHARACTERS:
        raise ValueError(f"an expression is a string of at most {MOST_CHARACTERS} characters")
    return ast.parse(text, mode="eval").body


def _step(graph: Graph, text: str, known: dict[str, Any], inner: dict[str, GraphModule], name: str) -> Node:
    e = _parsed(text)
    if isinstance(e, ast.Subscript):
        return graph.create_node(
            "call_function", operator.getitem, (_read(e.value, known), _read(e.slice, known)), {}, name
        )
    if not isinstance(e, ast.Call):
        raise ValueError("a step is a call, or takes a part")
    args = tuple([_read(a, known) for a in e.args])
    kwargs = {_keyword(k): _read(k.value, known) for k in e.keywords}
    f = e.func
    if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id in known:
        if op_called("call_method", f.attr) is None:
            raise ValueError(f"no op has the method {f.attr!r}")
        return graph.create_node("call_method", f.attr, (known[f.value.id], *args), kwargs, name)
    return graph.create_node("call_function", _function(f, inner), args, kwargs, name)


def _keyword(k: ast.keyword) -> str:
    if k.arg is None:
        raise ValueError("** is not read")
    return k.arg


def _dotted(e: ast.expr) -> str:
    if isinstance(e, ast.Attribute):
        return f"{_dotted(e.value)}.{e.attr}"
    if isinstance(e, ast.Name):
        return e.id
    raise ValueError("expected a dotted name of Python")


def _function(f: ast.expr, inner: dict[str, GraphModule]) -> Callable:
    """Returns the function that a step calls: a public function that stands for an op, or an op by name."""
    if isinstance(f, ast.Call):
        return _op(f, inner)
    name = _dotted(f)
    if name == "torch.set_grad_enabled":
        return set_grad_enabled
    if name == "torch.is_grad_enabled":
        return is_grad_enabled
    if name == "rt.key":
        return rt.key
    if name.startswith("torch.ops."):
        return _of_aten(name)
    if any(part.startswith("_") for part in name.split(".")):
        raise ValueError(f"the op {name!r} does not exist")
    found = resolved(name)
    if found is None or op_called("call_function", found) is None:
        raise ValueError(f"the op {name!r} does not exist")
    return found


def _of_aten(name: str) -> Callable:
    parts = name.split(".")
    known = len(parts) == 5 and parts[2] == "aten" and not parts[4].startswith("__")
    found = resolved(name) if known else None
    if found is None or not is_of_aten(found):
        raise ValueError(f"the op {name!r} does not exist")
    return found


def _op(call: ast.Call, inner: dict[str, GraphModule]) -> Callable:
    name = _dotted(call.func)
    if name == "rt.transform":
        kind, how, *of = call.args
        graphs = [inner[e.id].forward for e in of if isinstance(e, ast.Name) and e.id in inner]
        if len(graphs) != len(of):
            raise ValueError("a transform is of Graphs that are there")
        return rt.transform(_read(kind, {}), _read(how, {}), *graphs)
    if name == "rt.derivative":
        of, inputs, mask, cts = call.args
        if not isinstance(of, ast.Call) or not isinstance(inputs, ast.List):
            raise ValueError("a derivative is of an op, at a list of inputs")
        spec = [_spec(x) for x in inputs.elts]
        return rt.derivative(_op(of, inner), spec, _int(_read(mask, {})), _int(_read(cts, {})))
    makers: dict[str, Callable] = {"rt.op": rt.op, "rt.library": rt.library, "rt.put": rt.put}
    if name not in makers or call.keywords:
        raise ValueError(f"the op {name!r} does not exist")
    return makers[name](*[_read(a, {}) for a in call.args])


def _spec(e: ast.expr) -> Any:
    if isinstance(e, ast.Call) and _dotted(e.func) == "rt.like":
        shape, *rest = [_read(a, {}) for a in e.args]
        return rt.like(tuple([_int(n) for n in shape]), *rest)
    return _read(e, {})


def _int(x: Any) -> int:
    if type(x) is not int:
        raise ValueError(f"expected a whole number, but got {x!r}")
    return x


def _read(e: ast.expr, known: dict[str, Any]) -> Any:
    """The value of an argument: a literal, a name of a step, a dtype and the like."""
    if isinstance(e, ast.Constant):
        if e.value is None or e.value is ... or type(e.value) in (bool, int, float, str):
            return e.value
    elif isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
        value = _read(e.operand, {})
        if type(value) in (int, float):
            return -value
    elif isinstance(e, ast.Name):
        if e.id in known:
            return known[e.id]
        raise ValueError(f"{e.id!r} was not computed before")
    elif isinstance(e, ast.Tuple | ast.List):
        parts = [_read(x, known) for x in e.elts]
        return tuple(parts) if isinstance(e, ast.Tuple) else parts
    elif isinstance(e, ast.Dict):
        return {str(_read(k, {})): _read(v, known) for k, v in zip(e.keys, e.values) if k is not None}
    elif isinstance(e, ast.Attribute):
        return _constant(_dotted(e))
    elif isinstance(e, ast.Call) and not e.keywords:
        return _literal(_dotted(e.func), [_read(a, known) for a in e.args])
    raise ValueError(f"expected a literal, but got {ast.unparse(e)[:80]!r}")


def _constant(name: str) -> Any:
    if name == "rt.UNSET":
        return rt.UNSET
    found = DTYPES.get(name.removeprefix("torch.")) if name.startswith("torch.") else None
    if found is None and name.startswith("torch."):
        found = resolved(name)
        found = found if isinstance(found, memory_format) else None
    if found is None:
        raise ValueError(f"the constant {name!r} does not exist")
    return found


def _literal(name: str, args: list[Any]) -> Any:
    if name == "float" and len(args) == 1 and args[0] in ("inf", "-inf", "nan"):
        return float(args[0])
    if name == "complex" and len(args) == 2:
        return complex(*args)
    if name == "slice" and len(args) == 3:
        return slice(*args)
    if name == "torch.device" and len(args) == 1 and type(args[0]) is str:
        return device(args[0])
    raise ValueError(f"{name[:80]!r} is not called in a file")


def is_small(shape: Any) -> bool:
    """Returns whether a tensor of this shape may be made for one that was saved."""
    count = 1
    for n in shape:
        count *= _int(n)
        if n < 0 or count > MOST_ELEMENTS:
            return False
    return True
