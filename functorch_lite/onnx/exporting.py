"""export: a module as a model of ONNX."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._core.api import Tensor, from_array
from ..autograd.grad_mode import no_grad
from ..compiler.noting import noting
from ..export import Dim, ExportedProgram
from ..export import export as torch_export
from ..export.exporting import _names
from ..nn.modules.module import Module
from ..utils import _pytree as pytree
from .errors import OnnxExporterError
from .program import ONNXProgram
from .sizes import Merging

__all__ = ["export", "exporting"]

OPSETS = range(18, 24)
USUAL = 20

_exporting = False


def exporting() -> bool:
    """Returns whether a module is run to be exported."""
    return _exporting


def export(
    model: Module | ExportedProgram,
    args: tuple[Any, ...] = (),
    f: str | os.PathLike | None = None,
    *,
    kwargs: dict[str, Any] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    external_data: bool = True,
    dynamic_shapes: Mapping[str, Any] | Sequence[Any] | None = None,
    custom_translation_table: Mapping[Any, Callable] | None = None,
    report: bool = False,
    optimize: bool = True,
    verify: bool = False,
    profile: bool = False,
    dump_exported_program: bool = False,
    artifacts_dir: str | os.PathLike = ".",
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: Mapping[str, Any] | None = None,
    training: Any = None,
    operator_export_type: Any = None,
    do_constant_folding: bool = True,
    custom_opsets: Any = None,
    export_modules_as_functions: Any = False,
    autograd_inlining: bool = True,
) -> ONNXProgram:
    """A module, or an ExportedProgram, as a model of ONNX. It needs onnx (`pip install 'functorch_lite[onnx]'`); the
    program that is given is run by onnxruntime.

    The forward is recorded as `torch.export.export` does, in ops of aten, each of which is written as nodes of ONNX.
    Call `eval()` first: what the module draws, and its statistics
    of a batch, are written as they are. An op without a counterpart raises, with its name and the line of yours that
    calls it.

    Sizes are left open by dynamic_shapes, as `torch.export.export` takes it (Dims or names, by argument), or by
    dynamic_axes (`{input: {0: "batch"}}`, by input_names or arguments).
    Then the module is recorded at several sizes, and the model computes what is common to them: a size in it may be
    a sum of products of open ones (`b * n`, `n + 1`,
    `n / 2` where it is whole). A module that does something else at another size raises, and says where. Dims
    without a name that are of one size in the examples are one.

    Args:
        args, kwargs: examples
        f: where the model is saved; None: it is only given back
        opset_version: from 18 to 23; 20, if it is not given
        external_data: the file `f` has the numbers in a second one beside it
        export_params=False: the parameters are inputs of the model
        custom_translation_table: by op (`torch.ops.aten.add.Tensor`), a function `(builder, *args)` that writes it,
        as those in `functorch_lite/onnx/layers.py`
        verify: the model is run by onnxruntime and compared with the module
        verbose, report, profile, optimize, do_constant_folding, dynamo: nothing is printed or measured, constants
        are folded by what loads the model, and there is one way
            to export; other values of the rest raise

    Errors: `OnnxExporterError` and its kinds, in `torch.onnx.errors`.

        program = torch.onnx.export(model.eval(), (x,), dynamic_shapes=({0: "batch"},))
        program.save("model.onnx")
    """
    onnx = _onnx()
    for name, value, fine in (
        ("custom_opsets", custom_opsets, (None,)),
        ("export_modules_as_functions", export_modules_as_functions, (False,)),
        ("operator_export_type", operator_export_type, (None,)),
        ("dump_exported_program", dump_exported_program, (False,)),
        ("training", training, (None,)),
    ):
        if value not in fine:
            raise NotImplementedError(
                f"torch.onnx.export: {name}={value!r} is for PyTorch's older exporter; leave it out"
            )
    opset = USUAL if opset_version is None else opset_version
    if opset not in OPSETS:
        raise ValueError(
            f"torch.onnx.export: opset_version is from {OPSETS[0]} to {OPSETS[-1]} here, not {opset}"
        )
    args = args if isinstance(args, tuple) else (args,)
    if args and isinstance(args[-1], dict) and kwargs is None and isinstance(model, Module):  # the older form
        args, kwargs = args[:-1], args[-1]
    kwargs = dict(kwargs or {})
    if isinstance(model, ExportedProgram):
        if dynamic_shapes or dynamic_axes:
            raise ValueError(
                "torch.onnx.export: an ExportedProgram has its sizes already; give the module to leave sizes open"
            )
        merging, programs = Merging({}), [model]
    else:
        args_and_names = _arguments(model, args, kwargs)
        opened = _opened(args_and_names, dynamic_shapes, dynamic_axes, input_names)
        merging = Merging({name: size for name, (size, _) in opened.items()})
        programs = [_recorded(model, args, kwargs, opened, at) for at in merging.points]
    from .converting import converted  # which needs the package onnx

    proto = converted(
        programs, merging, opset, input_names, output_names, dict(custom_translation_table or {})
    )
    onnx.checker.check_model(proto, full_check=proto.ByteSize() < 2**30)
    program = ONNXProgram(proto, programs[0])
    if verify:
        _verify(program, model, args, kwargs)
    if f is not None:
        program.save(
            f,
            include_initializers=export_params,
            keep_initializers_as_inputs=keep_initializers_as_inputs,
            external_data=external_data,
        )
    return program


def _onnx() -> Any:
    try:
        return importlib.import_module("onnx")
    except ImportError:
        raise ModuleNotFoundError(
            "torch.onnx.export needs onnx, which is not installed: pip install 'functorch_lite[onnx]'"
        ) from None


def _arguments(model: Module, args: tuple, kwargs: dict[str, Any]) -> list[tuple[str, Any]]:
    return list(zip(_names(model, args, kwargs), [*args, *kwargs.values()]))


# -- open sizes


def _opened(
    arguments: list[tuple[str, Any]], shapes: Any, axes: Any, input_names: Sequence[str] | None
) -> dict[str, tuple[int, list[tuple[int, int]]]]:
    """Finds for each open size its size in the examples, and where it is: (number of the tensor among all, dim)."""
    flat = list(pytree.tree_leaves(tuple(v for _, v in arguments)))
    tensors = [x for x in flat if isinstance(x, Tensor)]
    marks: list[tuple[int, int, Any]] = []
    if shapes is not None:
        named = shapes if isinstance(shapes, Mapping) else dict(zip([n for n, _ in arguments], shapes))
        unknown = set(named) - {n for n, _ in arguments}
        if unknown:
            raise ValueError(
                f"torch.onnx.export: dynamic_shapes names {sorted(unknown)}, and the arguments are "
                f"{[n for n, _ in arguments]}"
            )
        k = 0
        for name, value in arguments:
            marks += [(k + i, d, mark) for i, d, mark in _marks(value, named.get(name))]
            k += len([x for x in pytree.tree_leaves(value) if isinstance(x, Tensor)])
    if axes:
        labels = list(input_names or ())
        labels += [n for n, v in arguments if isinstance(v, Tensor)][len(labels) :]
        for name, dims in axes.items():
            if name not in labels:
                continue  # of a result: what its sizes are is known
            at = labels.index(name)
            entries = dims.items() if isinstance(dims, Mapping) else [(d, f"{name}_dim_{d}") for d in dims]
            marks += [(at, d, mark) for d, mark in entries]
    found: dict[str, tuple[int, list[tuple[int, int]]]] = {}
    alike: dict[int, str] = {}
    for k, d, mark in marks:
        size = tensors[k].shape[d]
        name = _name(mark, k, d)
        if name is None:
            continue
        if name == "":
            name = alike.setdefault(size, f"s{len(alike)}")
        if name in found and found[name][0] != size:
            raise ValueError(
                f"torch.onnx.export: {name} is {found[name][0]} in one example and {size} in another"
            )
        found.setdefault(name, (size, []))[1].append((k, d % tensors[k].ndim))
    return found


def _name(mark: Any, k: int, d: int) -> str | None:
    """An open size's name; "" if it has none, and None if the size is not open."""
    if mark is None or isinstance(mark, int) or mark is Dim.STATIC:
        return None
    if mark is Dim.AUTO or mark is Dim.DYNAMIC:
        return ""
    if isinstance(mark, str):
        return mark
    name = getattr(mark, "__name__", None)
    if not isinstance(name, str) or not name.isidentifier():
        raise NotImplementedError(
            f"torch.onnx.export: {mark!r} in dynamic_shapes; give a Dim, a name, Dim.AUTO or None"
        )
    return name


def _marks(value: Any, spec: Any) -> Iterator[tuple[int, int, Any]]:
    """(number of the tensor in the argument, dim, what is said of it)."""
    if spec is None:
        return
    if isinstance(value, Tensor):
        entries = spec.items() if isinstance(spec, Mapping) else enumerate(spec)
        yield from [(0, d, mark) for d, mark in entries]
        return
    parts = list(value.items()) if isinstance(value, Mapping) else list(enumerate(value))
    k = 0
    for key, part in parts:
        of_part = spec.get(key) if isinstance(spec, Mapping) else spec[key]
        yield from [(k + i, d, mark) for i, d, mark in _marks(part, of_part)]
        k += len([x for x in pytree.tree_leaves(part) if isinstance(x, Tensor)])


def _recorded(
    model: Module,
    args: tuple,
    kwargs: dict[str, Any],
    opened: dict[str, tuple[int, list[tuple[int, int]]]],
    at: dict[str, int],
) -> ExportedProgram:
    """The module, exported with open sizes as `at` says."""
    flat, spec = pytree.tree_flatten((args, kwargs))
    tensors = [k for k, x in enumerate(flat) if isinstance(x, Tensor)]
    for name, (_, places) in opened.items():
        for k, dim in places:
            flat[tensors[k]] = _of_size(flat[tensors[k]], dim, at[name])
    args, kwargs = pytree.tree_unflatten(flat, spec)
    with no_grad(), _said():
        return torch_export(model, args, kwargs)


def _of_size(x: Tensor, dim: int, size: int) -> Tensor:
    """The example with another size: its elements, again and again."""
    array = x.detach().numpy()
    if array.shape[dim] == 0:
        raise OnnxExporterError("torch.onnx.export: an example without elements")
    return from_array(np.take(array, np.arange(size) % array.shape[dim], axis=dim))


@contextlib.contextmanager
def _said() -> Iterator[None]:
    global _exporting
    before, _exporting = (_exporting, noting.compiling), True
    noting.compiling = True
    try:
        yield
    finally:
        _exporting, noting.compiling = before


def _verify(program: ONNXProgram, model: Any, args: tuple, kwargs: dict[str, Any]) -> None:
    with no_grad():
        wanted = pytree.tree_leaves(
            (model.module() if isinstance(model, ExportedProgram) else model)(*args, **kwargs)
        )
    wanted = [w for w in wanted if isinstance(w, Tensor)]
    for k, (got, want) in enumerate(zip(program(*args, **kwargs), wanted, strict=True)):
        a, b = got.numpy(), want.numpy()
        if not np.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True):
            raise OnnxExporterError(
                f"torch.onnx.export: result {k} differs from the module's by {np.abs(a - b).max()}"
            )
