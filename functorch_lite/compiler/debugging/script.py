"""Scripts that reproduce: a Graph as a Python program that imports this library alone, with the arrays of its inputs
in files."""

from __future__ import annotations

import importlib
import io
import logging
import platform
import tempfile
import warnings
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

from ..._core.api import Tensor, contiguous_strides
from ...fx import GraphModule
from ...random import fork_rng, manual_seed
from .. import settings
from .compare import rand_strided
from .saved import Storages, write_file, written
from .spelling import CannotWrite, Text, spelled, writable

__all__ = ["Described", "InputReader", "InputWriter", "graph_repro", "helper_for_dump_minify", "minifier_dir", "save_graph_repro"]  # fmt: skip

log = logging.getLogger("torch._dynamo.debug_utils")

_CONFIG = {
    "repro_tolerance": 1e-3, "repro_ignore_non_fp": False, "repro_forward_only": False, "same_two_models_use_fp64": True,
}  # fmt: skip
"""Defaults of settings: a script sets those that differ."""


def minifier_dir() -> Path:
    """The folder of launchers: `minifier` in `torch._dynamo.config.debug_dir_root`, or in a temporary one."""
    root = settings.debug_dir_root
    if root is None:
        root = settings.debug_dir_root = tempfile.mkdtemp(prefix="torch_compile_debug_")
    return Path(root).absolute() / "minifier"


class InputWriter:
    """Lines of `load_args`, one or two for each input.

    storages   where numbers are kept; None: of tensors only metadata are
    """

    def __init__(self, storages: Storages | None):
        self.storages = storages
        self.lines: list[str] = []
        self.buffers: dict[str | int, str] = {}
        self._given: list[Tensor] = []  # as long as they live, no other has their id

    def add(self, name: str, x: Any) -> None:
        """An input's lines. Raises CannotWrite for a value that is not a tensor, number, string or None."""
        if isinstance(x, Described):
            self._tensor(name, x)
        elif isinstance(x, Tensor):
            self._tensor(name, Described(x))
        elif type(x) is int:
            self.lines.append(f"reader.symint({x})  # {name}")
        elif x is None or type(x) in (bool, float, complex, str):
            text = f"float({str(x)!r})" if type(x) is float else repr(x)
            self.lines.append(f"reader.const({text})  # {name}")
        else:
            raise CannotWrite(f"the input {name} is a {type(x).__name__}, which no file can hold")

    def _tensor(self, name: str, x: Described) -> None:
        digest = x.stored(self.storages)
        key = id(x.tensor) if digest is None else digest
        self._given.append(x.tensor)
        buffer = self.buffers.get(key)
        if buffer is None:
            buffer = self.buffers[key] = f"buf{len(self.buffers)}"
            self.lines.append(f"{buffer} = reader.storage({digest!r}, {prod(x.shape) * x.dtype.itemsize})")
        more = "" if x.stride == contiguous_strides(x.shape) else f", {x.stride}"
        more += f", dtype=torch.{x.dtype.name}" + (", requires_grad=True" if x.requires_grad else "")
        more += f", device={x.device!r}" if x.device != "cpu" else ""
        self.lines.append(f"reader.tensor({buffer}, {x.shape}{more})  # {name}")


class Described:
    """An input as it was: shape, strides and dtype, even if its memory has been donated since; its values are those
    at the time of writing."""

    def __init__(self, t: Tensor):
        self.tensor = t
        self.shape, self.stride, self.dtype = tuple(t.shape), tuple(t.stride()), t.dtype
        self.requires_grad, self.device = t.requires_grad, str(t.device)

    def stored(self, storages: Storages | None) -> str | None:
        """The digest of the numbers in a folder; None where there is none, or they are gone."""
        if storages is None:
            return None
        try:
            return storages.write(self.tensor)
        except OSError as error:
            log.warning("The numbers of an input are not written: %s", error)
        except Exception as error:
            log.warning("The numbers of an input are gone: %s: %s", type(error).__name__, error)
        return None


class InputReader:
    """Reader of the inputs of a script, the argument of its `load_args`: `args` are the inputs that it read. folders:
    where numbers are looked for."""

    def __init__(self, folders: Sequence[Path]):
        self.folders = list(folders)
        self.args: list[Any] = []

    def storage(self, digest: str | None, nbytes: int) -> str | None:
        """A storage: the digest of its bytes."""
        return digest

    def tensor(
        self, storage: str | None, shape: tuple, stride: tuple | None = None, *, dtype: Any, requires_grad: bool = False, device: str = "cpu"
    ) -> Tensor:  # fmt: skip
        """A tensor of a storage. Where there is none, of random numbers, the same in each run, with a warning."""
        shape = tuple(shape)
        found = None
        if storage is not None:
            for folder in self.folders:
                found = Storages(folder).read(storage, shape, dtype)
                if found is not None:
                    break
        if found is None:
            if storage is not None:
                places = ", ".join(map(str, self.folders)) or "no folder"
                warnings.warn(
                    f"{storage} was not found in {places}; random numbers are used for it", stacklevel=2
                )
            with fork_rng():
                manual_seed(len(self.args))
                found = rand_strided(shape, stride or contiguous_strides(shape), dtype)
        elif stride is not None and tuple(stride) != contiguous_strides(shape):
            placed = rand_strided(shape, stride, dtype)
            placed.copy_(found)
            found = placed
        found = found.to(device) if device != "cpu" else found
        self.args.append(found.detach().requires_grad_(requires_grad))
        return self.args[-1]

    def symint(self, number: int) -> int:
        """A whole number."""
        return self.const(number)

    def const(self, x: Any) -> Any:
        """A number, a string, or None."""
        self.args.append(x)
        return x


def _versions() -> list[str]:
    import jax
    import numpy

    version = importlib.import_module(__name__.partition(".")[0]).__version__
    return [
        f"# functorch_lite {version}, JAX {jax.__version__}, NumPy {numpy.__version__}, Python {platform.python_version()}",
        f"# {platform.machine()}, devices: {', '.join(str(d) for d in jax.devices())}",
    ]


def _function(name: str, text: Text, indent: str, lines: list[str]) -> None:
    """A Graph as a function, with those inside of it before it."""
    for inner, t in text.inner.items():
        _function(inner, t, indent, lines)
    params = ", ".join([*(["self"] if name == "forward" else []), *text.inputs, *text.members])
    lines.append(f"{indent}def {name}({params}):")
    last = ""
    for step, expression, line in text.steps:
        if line and line != last:
            lines.append(f"{indent}    # {line}")
            last = line
        lines.append(f"{indent}    {step} = {expression}")
    lines.append(f"{indent}    return {text.result}")


def _without_paths(text: Text) -> Text:
    """The text, whose lines name files without their folders."""
    text.steps = [(n, e, "/".join(line.split("/")[-1:])) for n, e, line in text.steps]
    for t in text.inner.values():
        _without_paths(t)
    return text


def save_graph_repro(
    fd: Any,
    gm: GraphModule,
    args: Sequence[Any],
    compiler_name: str,
    *,
    stable_output: bool = False,
    save_dir: Path | str | None = None,
    command: str = "run",
    accuracy: bool | str | None = None,
    tracing_mode: str | None = None,
    check_str: str | None = None,
    only_fwd: bool = False,
    isolate: bool = False,
) -> None:
    """Writes the script that calls a Graph with these inputs, compiled by `compiler_name`, to the text file `fd`.

    Args:
        stable_output: nothing in it differs from run to run or names a folder: no versions, no dates, no paths.
        save_dir: the folder whose `storages` the inputs' numbers are kept in; without one only shapes and dtypes are.
        command: what the script does unless it is told otherwise: "run", "minify", "minifier-query", "analyze",
            "get_args".
        accuracy: whether results are compared; "" or False: errors alone count.
        check_str: what an error's text must have to count.
        only_fwd: gradients are not compared; isolate: each query has a process of its own.

    Steps that no file can hold are left out, and the script says so; one that has no others, or an input that no file
    can hold, makes a script that says only that.
    """
    lines = [
        "# A program that fails, by itself. python repro.py [run|minify|minifier-query|analyze|get_args] [--help]"
    ]
    lines += [] if stable_output else _versions()
    storages = None if save_dir is None else Storages(Path(save_dir) / "storages")
    try:
        text = _text(gm, lines)
        text = _without_paths(text) if stable_output else text
        writer = InputWriter(storages)
        for name, x in zip([*text.inputs, *text.members], [*args, *text.members.values()], strict=True):
            writer.add(name, x)
    except CannotWrite as reason:
        lines += ["", "import sys", "", f"sys.exit({f'This program is not written, since {reason}.'!r})"]
        fd.write("\n".join(lines) + "\n")
        return
    lines += [
        "",
        "import functorch_lite as torch",
        "from functorch_lite.compiler.debugging import spelling as rt",
    ]
    lines += ["from functorch_lite.compiler.debugging.repro import run_repro", ""]
    for name, usual in _CONFIG.items():
        if getattr(settings, name) != usual:
            lines.append(f"torch._dynamo.config.{name} = {getattr(settings, name)!r}")
    lines += ["", "class Repro(torch.nn.Module):"]
    inner: list[str] = []
    body: list[str] = []
    for name, t in text.inner.items():
        _function(name, t, "", inner)
    text.inner = {}
    _function("forward", text, "    ", body)
    lines[-1:-1] = [*inner, ""] if inner else []
    lines += [*body, "", "", "def load_args(reader):"]
    lines += [f"    {line}" for line in writer.lines or ["pass"]] + ["", ""]
    options = {
        "compiler": compiler_name,
        "accuracy": accuracy or False,
        "command": command,
        "save_dir": None if stable_output or save_dir is None else str(Path(save_dir).absolute()),
        "tracing_mode": tracing_mode or "real",
        "check_str": check_str,
    }
    options |= {k: True for k, on in (("only_fwd", only_fwd), ("isolate", isolate)) if on}
    given = ", ".join(f"{k}={v!r}" for k, v in options.items())
    lines += ['if __name__ == "__main__":', f"    run_repro(Repro(), load_args, {given})"]
    fd.write("\n".join(lines) + "\n")


def _text(gm: GraphModule, lines: list[str]) -> Text:
    """A Graph as text, without what no file can hold, which `lines` then say."""
    try:
        return spelled(gm)
    except CannotWrite:
        left, without = writable(gm)
        if not any(n.op.startswith("call") for n in left.graph.nodes):
            raise
    lines += [f"# Without a step, and what depends on it: {reason}." for reason in dict.fromkeys(without)]
    return spelled(left)


def graph_repro(*args: Any, **options: Any) -> str:
    """The text of `save_graph_repro`."""
    out = io.StringIO()
    save_graph_repro(out, *args, **options)
    return out.getvalue()


def helper_for_dump_minify(contents: str) -> Path | None:
    """Writes `minifier_launcher.py` in `minifier_dir()`, and says so; None, with a warning, where nothing can be
    written."""
    path = minifier_dir() / "minifier_launcher.py"
    try:
        write_file(path, contents)
    except OSError as error:
        log.warning("No permissions to write to %s: %s", path, error)
        return None
    log.warning("Writing minified repro to:\n%s (%s bytes written so far)", path, written["bytes"])
    return path
