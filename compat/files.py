"""Trees of tensors in file formats of other libraries: safetensors, and Orbax checkpoints, whose package is imported
at the call.

safetensors: eight bytes, the length of a header in JSON ({name: {dtype, shape, data_offsets}, "__metadata__": {…}}),
which is padded by spaces to a multiple of eight, and the numbers, one tensor after the other. Source:
https://github.com/huggingface/safetensors#format.
"""

from __future__ import annotations

import importlib
import json
import math
import os
from typing import Any

import jax
import numpy as np

from functorch_lite._core.api import DTYPES, Tensor, from_array
from functorch_lite._core.api import device as _device
from functorch_lite.compat.jax_bridge import from_jax, to_jax

__all__ = ["load_orbax", "load_safetensors", "save_orbax", "save_safetensors"]


def _needed(module: str, package: str, who: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{who}() needs the package {package}: pip install {package}") from error


_OURS = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32", "I64": "int64", "U64": "uint64",
    "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64", "C64": "complex64", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2",
}  # fmt: skip
_THEIRS = {ours: theirs for theirs, ours in _OURS.items()}


def save_safetensors(
    tensors: dict[str, Tensor], path: str | os.PathLike, metadata: dict[str, str] | None = None
) -> None:
    """Writes tensors by their names, such as a `state_dict()`, into one file of the format safetensors.

    Views are written by themselves, so tensors that share memory do not when they are read. Raises TypeError for a
    value that is not a Tensor, and for dtypes that the format does not have.

    Args:
        tensors: the tensors by their names, such as a `state_dict()`.
        path: the path of the file.
        metadata: texts by names, stored in the file. None (the default) stores none.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/linear.safetensors"
    >>> save_safetensors(torch.nn.Linear(3, 2).state_dict(), path)
    >>> sorted(load_safetensors(path))
    ['bias', 'weight']
    """
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": dict(metadata)}
    pieces, end = [], 0
    for name, t in tensors.items():
        if not isinstance(t, Tensor):
            raise TypeError(f"save_safetensors(): {name!r} must be a Tensor, not {type(t).__name__}")
        theirs = _THEIRS.get(t.dtype.name)
        if theirs is None:
            raise TypeError(
                f"save_safetensors(): the format has no dtype for {name!r}, which is of {t.dtype}"
            )
        pieces.append(np.asarray(to_jax(t.detach())).tobytes())
        begin, end = end, end + len(pieces[-1])
        header[name] = {"dtype": theirs, "shape": list(t.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.writelines(pieces)


def load_safetensors(path: str | os.PathLike, device: Any = "cpu") -> dict[str, Tensor]:
    """The tensors of a file of the format safetensors, by their names, on a device.

    Args:
        path: the path of the file.
        device: the device of the tensors. Default: "cpu".

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/one.safetensors"
    >>> save_safetensors({"w": torch.ones(2)}, path)
    >>> load_safetensors(path)
    {'w': tensor([1., 1.])}
    """
    with open(path, "rb") as file:
        data = file.read()
    start = 8 + int.from_bytes(data[:8], "little")
    if len(data) < 8 or start > len(data):
        raise ValueError(
            f"load_safetensors(): expected a file in the format safetensors, but {os.fspath(path)!r} is not one"
        )
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    found = {}
    for name, told in header.items():
        ours = _OURS.get(told["dtype"])
        if ours is None:
            raise TypeError(
                f"load_safetensors(): {name!r} has the dtype {told['dtype']}, which is not supported"
            )
        kind, (begin, end) = DTYPES[ours].np, told["data_offsets"]
        if (
            not 0 <= begin <= end <= len(data) - start
            or end - begin != math.prod(told["shape"]) * np.dtype(kind).itemsize
        ):
            raise ValueError(f"load_safetensors(): the place of {name!r} in the file does not fit its shape")
        array = np.frombuffer(data[start + begin : start + end], kind).reshape(told["shape"])
        found[name] = from_array(array).to(_device(device))
    return found


def save_orbax(tree: Any, folder: str | os.PathLike) -> None:
    """Writes a tree of tensors and numbers, such as a `state_dict()`, as a checkpoint of Orbax's into a folder that is
    not there yet.

    Args:
        tree: a tree of tensors and numbers, such as a `state_dict()`.
        folder: the path of a folder that does not exist yet.

    >>> save_orbax({"step": 3, "w": torch.ones(2)}, "checkpoint")  # doctest: +SKIP
    """
    orbax = _needed("orbax.checkpoint", "orbax-checkpoint", "save_orbax")
    with jax.enable_x64(True), orbax.StandardCheckpointer() as checkpointer:
        checkpointer.save(os.path.abspath(folder), to_jax(tree))


def load_orbax(folder: str | os.PathLike, like: Any = None) -> Any:
    """The tree of a checkpoint of Orbax's, with tensors for arrays.

    Args:
        folder: the path of the checkpoint.
        like: a tree of tensors whose containers, shapes and dtypes the result has. None (the
            default) gives dicts and lists, as in Orbax.

    >>> load_orbax("checkpoint")["w"]  # doctest: +SKIP
    tensor([1., 1.])
    """
    orbax = _needed("orbax.checkpoint", "orbax-checkpoint", "load_orbax")
    with jax.enable_x64(True), orbax.StandardCheckpointer() as checkpointer:
        target = None if like is None else jax.tree.map(_abstract, like)
        return from_jax(checkpointer.restore(os.path.abspath(folder), target))


def _abstract(x: Any) -> Any:
    return jax.ShapeDtypeStruct(tuple(x.shape), x.dtype.np) if isinstance(x, Tensor) else x
