"""A folder for each compile, with its input and its results: TORCH_COMPILE_DEBUG=1, or
`torch._inductor.config.trace.enabled`."""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import jax

from ...fx import GraphModule
from .. import settings
from ..config import config
from ..graphs.trace import trace
from ..pass_reports import PassReport, listening
from .saved import write_file
from .script import graph_repro

__all__ = ["DebugContext"]

log = logging.getLogger("torch._inductor.debug")

_numbers = itertools.count()


class DebugContext:
    """The folder of one compile,
    `torch_compile_debug/run_<process>/torchinductor/model__<number>`, in the working directory or in `torch._dynamo.config.debug_dir_root`.
    As a context it notes what passes do meanwhile.

        fx_graph_readable.py      the Graph as it was given, with shapes and the user's lines
        fx_graph_runnable.py      a script that runs it by itself
        <stage>.py                the Graph after a stage: pre_grad, joint, post_grad
        output_code.mlir          what XLA is given: StableHLO
        times.txt                 seconds of each pass, and of all

    path: the folder; None where nothing is written: it was not asked for, or (with a warning) the folder cannot be
    made.
    """

    def __init__(self) -> None:
        self.path: Path | None = None
        self._reports: list[PassReport] = []
        self._began = 0.0

    def __enter__(self) -> DebugContext:
        if config.trace.enabled:
            root = Path(settings.debug_dir_root or "torch_compile_debug").absolute()
            path = root / f"run_{os.getpid()}" / "torchinductor" / f"model__{next(_numbers)}"
            try:
                path.mkdir(parents=True, exist_ok=True)
                self.path = path
            except OSError as error:
                log.warning("No permissions to write to %s: %s", path, error)
        self._began = perf_counter()
        listening.append(self._reports)
        return self

    def __exit__(self, *_: object) -> None:
        listening.remove(self._reports)
        if self.path is not None:
            lines = [*map(str, self._reports), f"in all {1000 * (perf_counter() - self._began):.1f} ms"]
            self._write("times.txt", "\n".join(lines) + "\n")
            log.warning("What was compiled is in %s", self.path)

    def given(self, gm: GraphModule, inputs: Sequence[Any]) -> None:
        """Writes the Graph that is compiled."""
        if self.path is not None:
            self._write("fx_graph_readable.py", gm.print_readable(print_output=False))
            self._write("fx_graph_runnable.py", graph_repro(gm, inputs, "inductor"))

    def after(self, stage: str, gm: GraphModule) -> None:
        """Writes what a stage left."""
        if self.path is not None:
            self._write(f"{stage.replace('-', '_')}.py", gm.print_readable(print_output=False))

    def lowered(self, gm: GraphModule, inputs: Sequence[Any]) -> None:
        """Writes what XLA is given."""
        if self.path is not None:
            graph = trace(gm, tuple(inputs), {}).graph
            program = jax.jit(lambda *arrays: graph(*arrays)).lower(*[a.struct for a in graph.in_avals])
            self._write("output_code.mlir", program.as_text())

    def _write(self, name: str, text: str) -> None:
        try:
            write_file(self.path / name, text)  # type: ignore[operator]
        except OSError as error:
            log.warning("%s is not written: %s", name, error)
