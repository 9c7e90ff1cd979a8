"""Stubs for type checkers and editors: `python -m tests.stubs --write` writes them from the declarations; `--check`
prints those that have changed.

The functions of torch and the methods of Tensor are made from declared ops at first use, which no checker sees. What
they take comes from their signatures and the ops' annotations; what they give, where no annotation says it, from
tests/golden/results.json, which `--results` records anew by running a few samples of each op, or of those that are
named.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import functorch_lite as torch
from functorch_lite._core.api import CONSTANTS, OPS, Tensor, bind

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "golden" / "results.json"

SPACES = {
    "torch": "functorch_lite/_types/functions.pyi",
    "linalg": "functorch_lite/linalg.pyi",
    "fft": "functorch_lite/fft.pyi",
    "special": "functorch_lite/special.pyi",
    "nn.functional": "nn/functional/__init__.pyi",
}
"""Namespaces whose functions are made at first use, and the stub of each."""

HEAD = '''"""{what} Written by `python -m tests.stubs --write`."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np

{imports}
'''
IMPORTS = """from functorch_lite._core.call.size import Size
from functorch_lite._core.call.storage import UntypedStorage
from functorch_lite._core.call.storage import layout as _layout
from functorch_lite._core.lazy.tensor import Tensor
from functorch_lite._core.words.device import device as _device
from functorch_lite._core.words.dtypes import dtype as _dtype
from functorch_lite._core.words.memory_format import memory_format as _memory_format
from functorch_lite.random import Generator
from functorch_lite.storage import TypedStorage
from functorch_lite import return_types

Number = _bool | _int | _float | _complex
_Sizes = _int | Sequence[_int]
"""

CLASSES = """from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int

from functorch_lite._core.call.size import Size as Size
from functorch_lite._core.call.storage import layout as _layout
from functorch_lite._core.call.storage import layout as layout
from functorch_lite._core.lazy.tensor import Tensor as Tensor
from functorch_lite._core.words.device import device as device
from functorch_lite._core.words.dtypes import dtype as _dtype
from functorch_lite._core.words.dtypes import dtype as dtype
from functorch_lite._core.words.dtypes import finfo as finfo
from functorch_lite._core.words.dtypes import iinfo as iinfo
from functorch_lite._core.words.memory_format import memory_format as _memory_format
from functorch_lite._core.words.memory_format import memory_format as memory_format
"""

BY_NAME = {
    "alpha": "Number", "axis": "Any", "beta": "Number", "device": "_Device", "dim": "Any", "dtype": "_dtype | None", "fill_value": "Number | Tensor",
    "generator": "Generator | None", "index": "Any", "keepdim": "bool", "keepdims": "bool", "layout": "_layout | None", "memory_format": "_memory_format | None",
    "out": "Any", "pin_memory": "bool", "requires_grad": "bool", "size": "Any", "sorted": "bool", "tensors": "Sequence[Tensor] | tuple[Tensor, ...]",
}  # fmt: skip
"""What parameters take that have no annotation."""

_WORDS = {
    "Array": "Tensor", "Arrays": "Sequence[Tensor]", "Real": "float", "Positive": "float", "DynamicInt": "int", "DynamicInts": "_Sizes",
    "Exponent": "Number", "Order": "Any", "Scalar": "Number", "Sizes": "_Sizes", "Sequence[int]": "_Sizes", "SymInt": "int", "DType": "_dtype", "dtypes.dtype": "_dtype", "dtype": "_dtype", "device": "_device", "layout": "_layout", "memory_format": "_memory_format",
    "object": "Any", "tuple": "_Sizes", "np.ndarray": "np.ndarray", "torch.Tensor": "Tensor", "torch.Size": "Size",
}  # fmt: skip
"""What declarations call a type, and what users see."""
_KNOWN = frozenset(
    "Any Callable Generator None Number Sequence Size Tensor TypedStorage UntypedStorage _Sizes _device _dtype _layout _memory_format bool "
    "complex float int np.ndarray str tuple list dict type return_types".split()
)

OVERLOADS = {
    name: f"""@overload
def {name}(input: Tensor) -> Tensor: ...
@overload
def {name}(input: Tensor, dim: int, keepdim: bool = ..., *, out: Any = ...) -> return_types.{name}: ..."""
    + ("" if "m" not in name or "med" in name else f"""
@overload
def {name}(input: Tensor, other: Tensor, *, out: Any = ...) -> Tensor: ...""")
    for name in ("max", "min", "median", "nanmedian")
}  # fmt: skip
"""Functions that give something else as they are called."""

_SELF = "-> Tensor: ..."
METHODS = (
    f"""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getitem__(self, index: Any) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __len__(self) -> int: ...
    @overload
    def size(self) -> Size: ...
    @overload
    def size(self, dim: int) -> int: ...
    def __bool__(self) -> bool: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __complex__(self) -> complex: ...
    def __index__(self) -> int: ...
    def __contains__(self, element: Any) -> bool: ...
    def __array__(self, dtype: Any = ...) -> np.ndarray: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: Any) {_SELF}  # type: ignore[override]
    def __ne__(self, other: Any) {_SELF}  # type: ignore[override]
"""
    + "".join(
        f"    def __{name}__(self, other: Any) {_SELF}\n"
        for name in (
            "add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv ifloordiv mod rmod imod pow rpow ipow matmul "
            "rmatmul lt le gt ge and rand iand or ror ior xor rxor ixor lshift rlshift ilshift rshift rrshift irshift"
        ).split()
    )
    + "".join(f"    def __{name}__(self) {_SELF}\n" for name in ("neg", "pos", "abs", "invert"))
)
"""Operators, whose other side may be a tensor, a number or an array of NumPy's."""

_TENSORS = {
    "Tensor": "bfloat16 bool byte cdouble cfloat char clone contiguous cpu cuda detach double float half int long new_empty new_ones new_zeros "
    "pin_memory short to to_dense type_as",
    "torch": "bartlett_window blackman_window detach_copy diagonal_copy empty empty_like expand_copy hamming_window hann_window kaiser_window "
    "linspace logspace matrix_rank ones ones_like permute_copy rand rand_like randn randn_like sparse_coo_tensor t_copy transpose_copy tril_indices "
    "triu_indices view_copy zeros zeros_like",
}  # fmt: skip
"""What gives a tensor, whatever its declarations say."""

PROPERTIES = {
    "grad": "Tensor | None", "imag": "Tensor", "grad_fn": "Any", "_base": "Tensor | None", "names": "Any", "is_leaf": "bool", "shape": "Size", "device": "_device",
    "dtype": "_dtype", "layout": "_layout",
}  # fmt: skip


def the_type(annotation: Any) -> str:
    """A declaration's annotation as users see it; Any where it says nothing that they know."""
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    text = (
        text.strip("'\"")
        .replace("tuple[int, ...]", "Sequence[int]")
        .replace("tuple[int | None, ...]", "Sequence[int | None]")
    )
    parts = [p.strip() for p in re.split(r"\s*\|\s*(?![^\[]*\])", text)]
    found = [_WORDS.get(p, p) for p in parts if p != "Unset"]
    for p in found:
        if not set(re.findall(r"[A-Za-z_][A-Za-z_.]*", p)) <= _KNOWN:
            return "Any"
    return "Any" if "Any" in found else " | ".join(dict.fromkeys(found))


_OWNERS = {alias: op for op in OPS.values() for alias in op.aliases}


def _op(space: str, name: str) -> Any:
    full = name if space in ("torch", "Tensor") else f"{space}.{name}"
    for called in (
        full,
        full.removesuffix("_"),
        f"nn.functional.{name}",
        f"nn.functional.{name.removesuffix('_')}",
    ):
        if (op := OPS.get(called) or _OWNERS.get(called)) is not None:
            return op
    return None


def _declared(space: str, name: str) -> dict[str, str]:
    """The types of an op's parameters, and of its result as "return"."""
    op = _op(space, name)
    if op is None:
        return {}
    signature = inspect.signature(op.fn)
    found = {p.name: the_type(p.annotation) for p in signature.parameters.values()}
    if op.returns:
        found["return"] = f"return_types.{name}" if name in dir(torch.return_types) else "Any"
    elif (result := the_type(signature.return_annotation)) and result != "Any":
        found["return"] = result
    return found


def _default(p: inspect.Parameter) -> str:
    if p.default is p.empty:
        return ""
    if p.default is None or isinstance(p.default, bool | int | str):
        return f" = {p.default!r}"
    return " = ..."


def parameters(signature: inspect.Signature, declared: dict[str, str]) -> str:
    """A signature's parameters with their types."""
    found, star = [], False
    taken = [p.name for p in signature.parameters.values()]
    for p in signature.parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            found.append(f"*{'sizes' if p.name == 'spread' else p.name}: Any")
            star = True
            continue
        if p.kind is p.VAR_KEYWORD:
            found.append(f"**{p.name}: Any")
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            found.append("*")
            star = True
        if not found and p.name == "self":
            found.append("self")
            continue
        kind = (
            the_type(p.annotation)
            or declared.get(p.name)
            or BY_NAME.get(p.name)
            or ("Tensor" if p.name in ("input", "other") and p.default is p.empty else "Any")
        )
        if p.default is None and kind != "Any" and "None" not in kind and kind != "_Device":
            kind += " | None"
        found.append(f"{p.name}: {kind}{_default(p)}")
        if p.kind is p.POSITIONAL_ONLY and p.name == taken[-1]:
            found.append("/")
    return ", ".join(found)


def _text(doc: str | None, indent: str) -> str:
    """A docstring without its examples, as it is written in a stub."""
    head = inspect.cleandoc(doc or "").partition(">>>")[0].rstrip()
    text = head.replace("\\", "\\\\").replace('"""', "'''").replace("\n", f"\n{indent}    ")
    if "\n" in text:
        text += f"\n{indent}    "
    elif text.endswith('"'):
        text += " "
    *lines, last = text.split("\n")
    return "\n".join([*[line.rstrip() for line in lines], last])


def function(
    name: str,
    signature: inspect.Signature,
    declared: dict[str, str],
    result: str,
    doc: str | None,
    indent: str = "",
) -> str:
    """One function's stub."""
    head = f"{indent}def {name}({parameters(signature, declared)}) -> {result}:"
    text = _text(doc, indent)
    return f'{head}\n{indent}    """{text}"""' if text else f"{head} ..."


def result_of(
    space: str, name: str, signature: inspect.Signature, declared: dict[str, str], results: dict[str, str]
) -> str:
    """What a function gives."""
    said = the_type(signature.return_annotation)
    if said and said != "Any":
        return said
    full = name if space in ("torch", "Tensor") else f"{space}.{name}"
    if (name.endswith("_") and not name.endswith("__")) or name in _TENSORS.get(space, "").split():
        return "Tensor"
    owner = getattr(_op(space, name), "name", "")
    for called in (full, owner, f"nn.functional.{name}"):
        if called in results:
            return results[called]
    return declared.get("return") or "Any"


def _signature(f: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(f)
    except (TypeError, ValueError):
        return None


_BUILTIN = re.compile(r"(?<![\w.'\"])(?<!def )(?<!import )(bool|int|float|complex|str)(?![\w('\"])")


def _apart(text: str) -> str:
    """A stub in which Python's types have names of their own: torch and Tensor have an `int` and a `float` too."""
    of_code = re.compile(r"^\s*(async )?(def |\w+: )")
    lines, inside = [], False
    for line in text.split("\n"):
        lines.append(_BUILTIN.sub(r"_\1", line) if not inside and of_code.match(line) else line)
        inside ^= line.count('"""') % 2 == 1
    return "\n".join(lines)


def stub_of(space: str, results: dict[str, str]) -> str:
    """The stub of a namespace's functions."""
    lines, names = [], []
    module = torch if space == "torch" else importlib.import_module(f"functorch_lite.{space}")
    for name in sorted(
        {*bind.names(space), *torch._SPARSE, *torch._QUANTIZED} if space == "torch" else dir(module)
    ):
        f = getattr(module, name)
        if isinstance(f, type) and issubclass(f, Exception) and space != "torch":
            lines.append(f"class {name}(RuntimeError): ...")
            names.append(name)
        if (
            name.startswith("__")
            or isinstance(f, type | ModuleType)
            or (name in CONSTANTS and space == "torch")
            or (signature := _signature(f)) is None
        ):
            continue
        names.append(name)
        if name in OVERLOADS and space == "torch":
            lines.append(OVERLOADS[name])
            continue
        declared = _declared(space, name)
        lines.append(
            function(
                name, signature, declared, result_of(space, name, signature, declared, results), f.__doc__
            )
        )
    head = HEAD.format(
        what=f"The functions of torch{'' if space == 'torch' else '.' + space}.", imports=IMPORTS
    )
    return _apart(
        f"{head}_Device = _device | _str | _int | None\n\n__all__ = {names!r}\n\n" + "\n".join(lines) + "\n"
    )


def stub_of_constants() -> str:
    """The stub of dtypes, layouts and other constants, and of classes; apart, as `int` and `float` are among the
    dtypes."""
    lines = [
        '"""The constants of torch, and its classes. Written by `python -m tests.stubs --write`."""',
        "",
        "from typing import Any",
        "",
        CLASSES,
    ]
    names = re.findall(r"as ([A-Za-z]\w*)$", CLASSES, re.MULTILINE)
    for name in sorted({*CONSTANTS, *torch._torchs()}):
        value = getattr(torch, name)
        if name in names or (callable(value) and not isinstance(value, type)):
            continue
        names.append(name)
        home = sys.modules.get(getattr(value, "__module__", "").replace("torch.", "functorch_lite.", 1))
        if isinstance(value, type) and issubclass(value, Exception):
            lines.append(f"class {name}(RuntimeError): ...")
        elif home is not None and home is not torch and getattr(home, name, None) is value:
            lines.append(f"from {home.__name__} import {name} as {name}")
        elif name.endswith("Tensor"):
            lines.append(f"class {name}(Tensor): ...")
        else:
            kind = the_type(type(value).__name__)
            lines.append(f"{name}: {f'_{kind}' if kind in ('bool', 'float', 'int') else kind or 'Any'}")
    return "\n".join(lines) + f"\n\n__all__ = {names!r}\n"


def _described(value: Any) -> str:
    if isinstance(value, bool | int | float | complex | str):
        return type(value).__name__
    return {
        "Tensor": "Tensor",
        "Size": "Size",
        "device": "_device",
        "dtype": "_dtype",
        "layout": "_layout",
    }.get(type(value).__name__, "Any")


def stub_of_tensor(results: dict[str, str]) -> str:
    """The stub of Tensor's methods."""
    lines, one = [METHODS.strip("\n")], torch.ones(1, 1)
    for name in sorted(dir(Tensor)):
        if name == "size" or (name.startswith("_") and name not in ("_version", "_base")):
            continue
        made = inspect.getattr_static(Tensor, name, None)
        if isinstance(made, property):
            kind = PROPERTIES.get(name) or _described(getattr(one, name, None))
            lines.append(f"    {name}: {kind}")
            continue
        f = getattr(Tensor, name)
        if not callable(f):
            lines.append(f"    {name}: {_described(f)}")
            continue
        signature = _signature(f)
        if signature is None:
            continue
        declared = _declared("torch", name)
        first = next(iter(signature.parameters.values()), None)
        if (
            first is None
            or first.kind is first.VAR_POSITIONAL
            or isinstance(made, staticmethod | classmethod)
        ):
            lines.append(f"    def {name}(self, *args: Any, **kwargs: Any) -> Any: ...")
            continue
        rest = [
            first.replace(name="self", annotation=inspect.Parameter.empty),
            *list(signature.parameters.values())[1:],
        ]
        if name in OVERLOADS:
            lines += [
                "    " + line.replace("input: Tensor", "self").replace("\n", "\n    ")
                for line in OVERLOADS[name].splitlines()
            ]
            continue
        result = result_of("Tensor", name, signature, declared, results)
        lines.append(function(name, signature.replace(parameters=rest), declared, result, f.__doc__, "    "))
    head = HEAD.format(what="The methods of Tensor.", imports=IMPORTS)
    return _apart(
        f"{head}_Device = _device | _str | _int | None\n\nclass TensorMethods:\n" + "\n".join(lines) + "\n"
    )


def stub_of_return_types() -> str:
    """The named tuples."""
    lines = [
        '"""The named tuples that functions give. Written by `python -m tests.stubs --write`."""',
        "",
        "from typing import NamedTuple",
        "",
    ]
    lines += ["from functorch_lite._core.lazy.tensor import Tensor", ""]
    for name in sorted(n for n in dir(torch.return_types) if not n.startswith("_")):
        made = getattr(torch.return_types, name)
        fields = getattr(made, "_fields", None) or list(getattr(made, "__match_args__", ()))
        lines.append(f"class {name}(NamedTuple):")
        lines += [f"    {f}: Tensor" for f in fields] or ["    ..."]
    return "\n".join(lines) + "\n"


def stubs() -> dict[str, str]:
    """Every stub, by its file's name."""
    results = json.loads(RESULTS.read_text())
    found = {file: stub_of(space, results) for space, file in SPACES.items()}
    return {
        **found,
        "functorch_lite/_types/constants.pyi": stub_of_constants(),
        "functorch_lite/_types/tensor.pyi": stub_of_tensor(results),
        "functorch_lite/return_types.pyi": stub_of_return_types(),
    }


# -- what functions give -----------------------------------------------------------------------------------------------


def _tensors(x: Any) -> Any:
    from tests.samples.base import T

    if isinstance(x, T):
        made = torch.tensor(x.array)
        return made if x.dtype is None else made.to(getattr(torch, x.dtype))
    if isinstance(x, list | tuple):
        return type(x)(_tensors(y) for y in x)
    return x


def _kind(value: Any) -> str:
    module = type(value).__module__
    if module == "torch.return_types" and type(value).__name__ in dir(torch.return_types):
        return f"return_types.{type(value).__name__}"
    if (
        isinstance(value, tuple)
        and type(value) is tuple
        and value
        and all(isinstance(v, Tensor) for v in value)
    ):
        return "tuple[Tensor, ...]"
    if isinstance(value, list) and all(isinstance(v, Tensor) for v in value):
        return "list[Tensor]"
    return "None" if value is None else _described(value)


def observed(names: Sequence[str] = ()) -> dict[str, str]:
    """What each function, or each of these, gives for its first samples; Any where it is not always the same."""
    from tests.samples import all_samples

    found: dict[str, str] = {}
    for full, samples in sorted(all_samples().items()):
        if names and full not in names:
            continue
        space, _, name = full.rpartition(".")
        f = bind.lookup(space or "torch", name)
        kinds = set()
        for sample in [s for s in samples if not s.error][:6]:
            args = [_tensors(a) for a in sample.args]
            kwargs = {k: _tensors(v) for k, v in sample.kwargs.items()}
            try:
                value = f(*args, **kwargs) if f is not None else getattr(args[0], name)(*args[1:], **kwargs)
            except Exception as error:
                print(f"{full}: {error}", file=sys.stderr)
                continue
            kinds.add(_kind(value))
        if len(kinds) == 1:
            found[full] = kinds.pop()
        elif kinds:
            found[full] = "Any"
    return found


def record(names: Sequence[str] = ()) -> None:
    """Writes anew what functions give, or what these do."""
    kept = json.loads(RESULTS.read_text()) if names else {}
    RESULTS.write_text(json.dumps(kept | observed(names), indent=0, sort_keys=True) + "\n")


def main(arguments: list[str]) -> int:
    if "--results" in arguments:
        record([a for a in arguments if not a.startswith("--")])
    for name, text in stubs().items():
        ast.parse(text)
        if "--write" in arguments:
            (ROOT / name).write_text(text)
        elif (ROOT / name).read_text() != text:
            print(name)
    return 0


if __name__ == "__main__":
    importlib.import_module("functorch_lite.nn.functional")
    sys.exit(main(sys.argv[1:]))
