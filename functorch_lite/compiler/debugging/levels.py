"""Compiles watched while `torch._dynamo.config.repro_after` is set.

Errors leave a script, results are compared, and the user's error goes on unchanged."""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..._core.api import Tensor, flush, state
from ...fx import GraphModule
from .. import settings
from ..errors import AccuracyError
from .compare import backend_accuracy_fails
from .differ import compiled_by_xla
from .faults import named
from .saved import write_file, written
from .script import Described, graph_repro, helper_for_dump_minify, minifier_dir

__all__ = ["check_level", "compare_program", "dump_compiler_graph_state", "dump_to_minify", "failed_program", "get_aot_graph_name", "launch_program", "watched", "wrap_compiler_debug"]  # fmt: skip

log = logging.getLogger("torch._dynamo.debug_utils")

_LEVELS = "repro_level is 1 (a script), 2 (a script that shrinks it), 3 (that, written before the run) or 4 (results are compared), not {}"

_names = {"count": 0}


def get_aot_graph_name() -> str:
    """The name of the last Graph that was watched, in the log and in files."""
    return f"model__{max(0, _names['count'] - 1)}"


def check_level() -> int:
    """`torch._dynamo.config.repro_level`; ValueError for what is none."""
    level = settings.repro_level
    if level not in (1, 2, 3, 4):
        raise ValueError(_LEVELS.format(level))
    return level


def wrap_compiler_debug(
    compiler_fn: Callable, compiler_name: str | None = None, after: str = "aot"
) -> Callable:
    """A compiler of the same signature: compiler_fn(graph module, example inputs).

    What it does, and what its callable does, is watched as `torch._dynamo.config.repro_level` says, if `repro_after` is
    `after`.

    compiler_name: what a script finds it by; None asks the function.
    """

    def debug_wrapper(gm: GraphModule, example_inputs: Sequence[Any], **kwargs: Any) -> Callable:
        if settings.repro_after != after:
            return compiler_fn(gm, example_inputs, **kwargs)
        level = check_level()
        return _Watched(
            gm, example_inputs, compiler_fn, kwargs, compiler_name or named(compiler_fn), after, level
        ).compiled()

    debug_wrapper.__name__ = getattr(compiler_fn, "__name__", type(compiler_fn).__name__)
    return debug_wrapper


def watched(compiler_fn: Callable, after: str) -> Callable:
    """`wrap_compiler_debug` where it is asked for."""
    return compiler_fn if settings.repro_after is None else wrap_compiler_debug(compiler_fn, None, after)


class _Watched:
    """One compile, and the runs of what came out of it."""

    def __init__(
        self, gm: GraphModule, inputs: Sequence[Any], compiler_fn: Callable, kwargs: dict, name: str, after: str, level: int
    ):  # fmt: skip
        self.gm, self.inputs = copy.deepcopy(gm), list(inputs)
        self.given, self.compiler_fn, self.kwargs = gm, compiler_fn, kwargs
        self.name, self.after, self.level = name, after, level
        self.only_fwd = after == "aot" or settings.repro_forward_only
        self.calls = 0
        _names["count"] += 1
        log.debug("%s: %s steps, after %s", get_aot_graph_name(), len(gm.graph.nodes), after)

    def compiled(self) -> Callable:
        saved = _described(self.inputs)
        try:
            if self.level == 3:
                dump_to_minify(self.gm, saved, self.name)
            call = self.compiler_fn(self.given, self.inputs, **self.kwargs)
            if self.level == 4:
                self.compare()
        except AccuracyError:
            raise
        except Exception as error:
            self.failed(error, saved)
            raise
        if not callable(call):
            return call

        def run(*args: Any) -> Any:
            saved = _described(args)
            self.calls += 1
            try:
                out = call(*args)
                if self.calls == 1 and not state.rec.level:
                    flush()
                return out
            except Exception as error:
                self.failed(error, saved)
                raise

        return run

    def compare(self) -> None:
        if state.rec.level:  # inside of a transform there are no numbers to compare
            return
        compiler = lambda gm, inputs: self.compiler_fn(gm, inputs, **self.kwargs)  # noqa: E731
        if backend_accuracy_fails(
            self.gm, self.inputs, compiler, self.only_fwd, ignore_non_fp=settings.repro_ignore_non_fp
        ):
            log.warning(
                "Accuracy failed for %s. Creating a script to minify the error.", get_aot_graph_name()
            )
            dump_to_minify(self.gm, _described(self.inputs), self.name, accuracy=True, only_fwd=self.only_fwd)
            raise AccuracyError(f"Bad accuracy detected{'.' if self.after == 'dynamo' else ''}")

    def failed(self, error: Exception, saved: Sequence[Any]) -> None:
        """Leaves what the level says after an error. What goes wrong here is a warning: the error itself goes on."""
        try:
            _leave(self.gm, saved, self.name, error, self.level)
        except Exception as other:
            warnings.warn(f"No script is written: {type(other).__name__}: {other}", stacklevel=2)


def _leave(gm: GraphModule, saved: Sequence[Any], name: str, error: Exception, level: int) -> None:
    dump = dump_compiler_graph_state if level == 1 else dump_to_minify
    dump(gm, saved, name, check_str=type(error).__name__)


def failed_program(gm: GraphModule, inputs: Sequence[Any], error: Exception) -> None:
    """Writes the script for a program that failed: of the whole program at level 1, else one that shrinks it."""
    _leave(gm, _described(inputs), "xla", error, check_level())


def launch_program(gm: GraphModule, inputs: Sequence[Any]) -> None:
    """Level 3, before a program runs."""
    dump_to_minify(gm, _described(inputs), "xla", only_fwd=True)


def compare_program(gm: GraphModule, inputs: Sequence[Any]) -> None:
    """Level 4: raises AccuracyError where a program's results are not those of its ops run one by one."""
    _Watched(gm, inputs, compiled_by_xla, {}, "xla", "aot", 4).compare()


def _described(inputs: Sequence[Any]) -> list[Any]:
    return [Described(x) if isinstance(x, Tensor) else x for x in inputs]


def dump_compiler_graph_state(
    gm: GraphModule,
    args: Sequence[Any],
    compiler_name: str,
    *,
    accuracy: bool | None = None,
    check_str: str | None = None,
    folder: Path | None = None,
    only_fwd: bool = False,
) -> Path | None:
    """Writes `checkpoints/minified_<nodes>_nodes.py` in a folder (by default the working directory), and a copy of it
    there as `repro.py`; a warning names both."""
    folder = Path.cwd() if folder is None else folder
    path = folder / "checkpoints" / f"minified_{len(gm.graph.nodes)}_nodes.py"
    before = written["bytes"]
    try:
        (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
        text = graph_repro(
            gm,
            args,
            compiler_name,
            save_dir=folder / "checkpoints",
            accuracy=accuracy,
            check_str=check_str,
            only_fwd=only_fwd,
        )
        write_file(path, text)
        write_file(folder / "repro.py", text)
    except OSError as error:
        log.warning("No permissions to write to %s: %s", path, error)
        return None
    log.warning("Writing checkpoint with %s nodes to %s", len(gm.graph.nodes), path)
    log.warning(
        "Copying repro file for convenience to %s (%s bytes)", folder / "repro.py", written["bytes"] - before
    )
    return path


def dump_to_minify(
    gm: GraphModule,
    args: Sequence[Any],
    compiler_name: str,
    *,
    accuracy: bool | None = None,
    check_str: str | None = None,
    only_fwd: bool = False,
) -> Path | None:
    """Writes `minifier_launcher.py`, which shrinks the Graph when it is run, in `minifier_dir()`."""
    folder = minifier_dir() / "checkpoints"
    save_dir: Path | None = folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        save_dir = None
    isolate = settings.repro_level == 3
    text = graph_repro(
        gm,
        args,
        compiler_name,
        save_dir=save_dir,
        command="minify",
        accuracy=accuracy,
        check_str=check_str,
        only_fwd=only_fwd,
        isolate=isolate,
    )
    return helper_for_dump_minify(text)
