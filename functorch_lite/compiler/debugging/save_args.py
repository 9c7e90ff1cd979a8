"""Compiles that are kept to be done again: `torch._inductor.config.save_args`. A file holds the Graph and what its
inputs are like, none of their numbers."""

from __future__ import annotations

import itertools
import json
import logging
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..._core.api import DTYPES, Tensor, contiguous_strides
from ...fx import GraphModule
from ...random import fork_rng, manual_seed
from ..config import config
from ..pipeline import compile_graph
from .compare import rand_strided
from .reading import as_data, from_data, is_small, read_json
from .saved import BadFile, write_file
from .spelling import CannotWrite, spelled

__all__ = ["TensorMetadataHolder", "load_args_and_run_compile_fx_inner", "save_args_for_compile_fx_inner"]

log = logging.getLogger("torch._inductor.debug")

_numbers = itertools.count()


class TensorMetadataHolder:
    """Metadata of a tensor in a file: its shape, strides, dtype and device, and whether it requires grad."""

    def __init__(self, t: Tensor):
        self.shape, self.stride = tuple(t.shape), tuple(t.stride())
        self.dtype, self.device, self.requires_grad = t.dtype.name, str(t.device), t.requires_grad

    def as_data(self) -> dict[str, Any]:
        """Returns the metadata as a dict that JSON can hold."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in vars(self).items()}


def save_args_for_compile_fx_inner(
    gm: GraphModule, example_inputs: Sequence[Any], **kwargs: Any
) -> Path | None:
    """Writes a Graph, and what its inputs are like, to `inductor_saved_args` in the temporary folder.

    Returns the file; None, with a warning, where it cannot be written."""
    folder = (
        Path(tempfile.gettempdir()) / f"inductor_saved_args_{os.getuid() if hasattr(os, 'getuid') else 0}"
    )
    path = folder / f"graph_{os.getpid()}_{next(_numbers)}.json"
    try:
        text = spelled(gm)
        given = [*example_inputs, *text.members.values()]
        about = {name: _about(x) for name, x in zip([*text.inputs, *text.members], given, strict=True)}
        write_file(path, json.dumps(as_data(text, about)))
    except (OSError, CannotWrite) as reason:
        log.warning("The arguments of a compile are not saved: %s", reason)
        return None
    log.info(
        "Arguments of a compile saved to %s. To compile again: torch._inductor.debug.load_args_and_run_compile_fx_inner(%r)",
        path,
        str(path),
    )
    return path


def _about(x: Any) -> dict[str, Any]:
    if isinstance(x, Tensor):
        return TensorMetadataHolder(x).as_data()
    if x is None or type(x) in (bool, int, float, str):
        return {"value": x}
    raise CannotWrite(f"an input is a {type(x).__name__}, which no file can hold")


def load_args_and_run_compile_fx_inner(path: str | os.PathLike) -> Callable:
    """Compiles what a file holds, for random inputs of the same shapes and dtypes, and gives the compiled callable.

    `inputs` are these.

    Nothing in the file is run: an op that the library does not have, or anything else that should not be there, raises
    BadFile, which names the file and says why.
    """
    file = Path(path)
    data = read_json(file)
    try:
        gm, about = from_data(data)
        inputs = [_input(a) for a in about]
    except BadFile as error:
        raise BadFile(f"{file}: {error}") from None
    with config.patch(save_args=False):
        call = compile_graph(gm, inputs)

    def compiled(*args: Any) -> Any:
        return call(*(args or inputs))

    compiled.inputs = inputs  # type: ignore[attr-defined]
    return compiled


def _input(about: dict[str, Any]) -> Any:
    try:
        if "value" in about:
            return about["value"]
        shape, stride, dtype = tuple(about["shape"]), tuple(about["stride"]), DTYPES[about["dtype"]]
        if len(shape) != len(stride) or len(shape) > 64 or not is_small(shape):
            raise BadFile(f"an input of shape {str(shape)[:80]} is not made")
        if (
            not is_small([1, sum((n - 1) * s for n, s in zip(shape, stride) if type(s) is int) + 1])
            or min(stride, default=0) < 0
        ):
            raise BadFile(f"an input with strides {str(stride)[:80]} is not made")
        with fork_rng():
            manual_seed(0)
            made = (
                rand_strided(shape, stride, dtype)
                if stride != contiguous_strides(shape)
                else rand_strided(shape, contiguous_strides(shape), dtype)
            )
        return made.requires_grad_(bool(about.get("requires_grad")) and dtype.is_floating_point)
    except (KeyError, TypeError, ValueError) as error:
        raise BadFile(f"an input: {type(error).__name__}: {str(error)[:200]}") from None
