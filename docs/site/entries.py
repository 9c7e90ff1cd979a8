"""What the reference has a page for: the public names of every place, in groups, each with where its source is.

Functions and methods are made from declarations as they are first used, so a reader of sources would find few of them:
this looks at the objects.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import functorch_lite as torch

ROOT = Path(__file__).resolve().parents[2]

PAGES: dict[str, list[str]] = {
    "torch": ["torch"],
    "Tensor": ["torch.Tensor"],
    "linalg": ["torch.linalg"],
    "fft": ["torch.fft"],
    "special": ["torch.special"],
    "func": ["torch.func"],
    "higher": ["torch.func.taylor", "torch.func.curvature", "torch.func.per_sample", "torch.func.privacy", "torch.func.training", "torch.func.implicit", "torch.func.ntk", "torch.func.laplace", "torch.func.influence"],
    "autograd": ["torch.autograd", "torch.autograd.functional", "torch.autograd.forward_ad", "torch.autograd.graph"],
    "nn": ["torch.nn"],
    "functional": ["torch.nn.functional"],
    "nn_utils": ["torch.nn.init", "torch.nn.utils", "torch.nn.utils.parametrize", "torch.nn.utils.rnn"],
    "optim": ["torch.optim", "torch.optim.lr_scheduler", "torch.optim.swa_utils"],
    "distributions": ["torch.distributions"],
    "utils": ["torch.utils.data", "torch.utils.checkpoint", "torch.utils.benchmark"],
    "compat": ["functorch_lite.compat", "functorch_lite.compat.flax", "functorch_lite.compat.pytorch"],
    "debug": ["functorch_lite.debug"],
}  # fmt: skip
"""A page of the reference, and the places whose names it lists."""

FAMILIES = {
    "Elementwise": "unary trigonometric binary limits special differences complex_parts cast",
    "Comparison and logic": "logic",
    "Reduction, order and statistics": "reduce sort scan statistics moments norm histogram lowrank",
    "Creation": "create data types dtypes device printing memory_format size storage tensor",
    "Shape and views": "shape views view_copies views_in_place strides",
    "Indexing": "index scatter",
    "Matrices": "matmul linalg factors lu einsum",
    "Spectra": "spectral",
    "Random numbers": "draws multinomial generator",
    "Networks": "torch_namespace recurrent conv activation pool vision distance linear embeddings norm_functional composed adaptive_pool",
    "Sparse tensors": "compressed construction functions",
    "Recording and gradients": "grad_mode anomaly forward_ad control_flow vmap torch_compile symbols",
    "Saving": "loading saving",
    "Settings": "settings autocast_mode grad_scaler _streams overrides",
}
"""Groups of torch's own names, by the files in which they are written."""
_FAMILY = {stem: family for family, stems in FAMILIES.items() for stem in stems.split()}


WORDS = {"conv": "Convolution", "batchnorm": "Batch normalization", "instancenorm": "Instance normalization", "rnn": "Recurrent", "rnn_cells": "Recurrent cells", "loss_class": "Losses of classes", "loss": "Losses", "activation": "Activation functions", "lazy": "Sizes that are told by the first input", "pixelshuffle": "Pixel shuffle", "norm": "Normalization"}  # fmt: skip
"""What groups of other places are called, if not as the file."""


@dataclass(frozen=True)
class Entry:
    """A name, and what it is."""

    place: str
    short: str
    thing: Any

    @cached_property
    def name(self) -> str:
        return f"{self.place}.{self.short}"

    @cached_property
    def page(self) -> str:
        """The path of its page. Names that differ in case alone would be one file on some disks."""
        small = f"{self.place}.{self.short.lower()}"
        twin = self.short != self.short.lower() and small in _all() and _all()[small].thing is not self.thing
        return f"api/{self.place}/{self.short}{'-class' if twin else ''}.md"

    @cached_property
    def written(self) -> Any:
        """The function or class that stands in a source."""
        thing = self.thing.fget if isinstance(self.thing, property) else self.thing
        return inspect.unwrap(thing) if callable(thing) else thing

    @cached_property
    def source(self) -> tuple[str, int, str] | None:
        """(path in the repository, line, text), if it was written in one of its files."""
        try:
            path = Path(inspect.getsourcefile(self.written) or "").resolve().relative_to(ROOT)
            lines, first = inspect.getsourcelines(self.written)
        except (TypeError, OSError, ValueError):
            return None
        return path.as_posix(), first, inspect.cleandoc("\n" + "".join(lines))

    @cached_property
    def group(self) -> str:
        """The heading that it stands under."""
        if self.source is None:
            return "More"
        stem = Path(self.source[0]).stem
        if self.place == "torch":
            return "Random numbers" if "/random/" in self.source[0] else _FAMILY.get(stem, "More")
        words = Path(self.source[0]).parent.name if stem == "__init__" else stem
        return WORDS.get(stem) or words.strip("_").replace("_", " ").capitalize()


def of_place(place: str) -> list[Entry]:
    """The names of a place, as they are sorted there."""
    return [e for e in _all().values() if e.place == place]


_found: dict[str, Entry] = {}


def _all() -> dict[str, Entry]:
    if not _found:
        for places in PAGES.values():
            for place in places:
                _found.update({f"{place}.{e.short}": e for e in _names(place)})
    return _found


def known(name: str) -> Entry | None:
    """The entry of a whole name: `torch.nn.Linear`."""
    return _all().get(name)


def module_of(place: str) -> ModuleType:
    """The module that PyTorch calls so."""
    return importlib.import_module(
        place.replace("torch", "functorch_lite", 1) if place.startswith("torch") else place
    )


def _names(place: str) -> Iterator[Entry]:
    if place == "torch.Tensor":
        for name in sorted(n for n in dir(torch.Tensor) if not n.startswith("_")):
            yield Entry(place, name, getattr(torch.Tensor, name))
        return
    module = module_of(place)
    names = getattr(module, "__all__", None) or dir(module)
    for name in sorted({n for n in names if not n.startswith("_")}):
        thing = getattr(module, name)
        if callable(thing) and not isinstance(thing, ModuleType):
            yield Entry(place, name, thing)


def function_of(method: Entry) -> Entry | None:
    """The function of torch that a method of Tensor is a form of."""
    found = known(f"torch.{method.short.rstrip('_')}")
    return (
        found if found is not None and callable(method.thing) and not inspect.isclass(found.thing) else None
    )
