"""PyTorch's functions that keep compiled code in bytes and in files; here a folder holds all of a user's programs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .._core.api import Tensor
from ..tensors.data import as_tensor
from ..utils import _pytree as pytree

__all__ = [
    "load_cache_artifacts",
    "load_compiled_function",
    "refuse_aot_compile",
    "save_cache_artifacts",
    "wrap_numpy",
]

_FOLDER = (
    "torch.compiler.{}: compiled programs are kept in a folder from process to process by themselves (FUNCTORCH_LITE_CACHE says which); copy that to where "
    "it is wanted"
)


def save_cache_artifacts() -> NoReturn:
    """Raises NotImplementedError: programs are kept in a folder by themselves."""
    raise NotImplementedError(_FOLDER.format("save_cache_artifacts"))


def load_cache_artifacts(serialized_artifacts: bytes) -> NoReturn:
    """Raises NotImplementedError: programs are kept in a folder by themselves."""
    raise NotImplementedError(_FOLDER.format("load_cache_artifacts"))


_EXPORT = (
    "{}: a function in a file is torch.export.save(torch.export.export(module, args), file), and torch.export.load(file).module() is called; what it "
    "compiles is kept in a folder by itself"
)


def load_compiled_function(file: Any, *, f_globals: Any = None, external_data: Any = None) -> NoReturn:
    """Raises NotImplementedError, naming torch.export."""
    raise NotImplementedError(_EXPORT.format("torch.compiler.load_compiled_function"))


def refuse_aot_compile(example_inputs: Any) -> NoReturn:
    """Raises NotImplementedError, naming torch.export."""
    raise NotImplementedError(_EXPORT.format("torch.compile(...).aot_compile"))


def wrap_numpy(fn: Callable) -> Callable:
    """A function of NumPy arrays as one of tensors: it is given what `tensor.numpy()` gives, and its arrays become
    tensors. NumPy computes, so nothing is differentiated; a tensor that requires grad raises RuntimeError, and in code
    that was marked with fullgraph=True each does, as a value is read.

    >>> torch.compiler.wrap_numpy(lambda x: x * 2)(torch.ones(2))
    tensor([2., 2.])
    """

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = pytree.tree_map_only(Tensor, lambda t: t.numpy(), (args, kwargs))
        return pytree.tree_map_only(np.ndarray, as_tensor, fn(*args, **kwargs))

    return call
