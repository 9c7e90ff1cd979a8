"""Styles of tensor parallelism: how a module's parameters, inputs and results are placed on a mesh of one dimension."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ....api_names import listed
from ..._borders import entered, left
from ..._placements import Placement, Replicate, Shard
from ...device_mesh import DeviceMesh
from .._modules import place

__all__ = [
    "ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput", "RowwiseParallel", "SequenceParallel",
]  # fmt: skip
__dir__ = listed(__name__)


class ParallelStyle(ABC):
    """Base of the styles that `parallelize_module` applies to a module."""

    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module: Any, device_mesh: DeviceMesh) -> Any:
        """Changes the module, and returns it."""


def _place_all(module: Any, mesh: DeviceMesh, placements: dict[str, Placement], other: Placement) -> None:
    done: dict[int, Any] = {}
    for name, t in list(module._parameters.items()):
        if t is not None:
            place(module, name, mesh, [placements.get(name, other)], done)


def _is_a(module: Any, name: str) -> bool:
    """Returns whether a module is of a class of `nn`, which is a layer above."""
    return any(
        c.__name__ == name and c.__module__.startswith("functorch_lite.nn.modules")
        for c in type(module).__mro__
    )


class _Linear(ParallelStyle):
    """Base of both styles of linear layers and embeddings: placements of the parameters, of the input, and of the
    result."""

    _kind = ""

    def __init__(
        self, *, input_layouts: Placement | None, output_layouts: Placement | None, use_local_output: bool
    ):
        self.input_layouts, self.output_layouts, self.use_local_output = (
            input_layouts,
            output_layouts,
            use_local_output,
        )

    def _placements(self, module: Any) -> tuple[dict[str, Placement], Placement, Placement]:
        """Returns the placements of the parameters, of the input that the module computes with, and of the result."""
        raise NotImplementedError

    def _apply(self, module: Any, device_mesh: DeviceMesh) -> Any:
        if not (_is_a(module, "Linear") or _is_a(module, "Embedding")):
            raise NotImplementedError(
                f"{type(self).__name__} currently only support nn.Linear and nn.Embedding!"
            )
        parameters, desired, _ = self._placements(module)
        _place_all(module, device_mesh, parameters, Replicate())
        given, result, local, name = (
            self.input_layouts,
            self._placements(module)[2],
            self.use_local_output,
            type(self).__name__,
        )

        def before(_: Any, inputs: tuple) -> tuple:
            return (entered(inputs[0], device_mesh, [given], [desired], name), *inputs[1:])

        def after(_: Any, inputs: tuple, output: Any) -> Any:
            return left(entered(output, device_mesh, None, [result], name), local, device_mesh)

        module.register_forward_pre_hook(before)
        module.register_forward_hook(after)
        return module


class ColwiseParallel(_Linear):
    """The results of a linear layer, or the features of an embedding, are cut: weight and bias by rows, an embedding's
    weight by columns.

    Args:
        input_layouts: what a plain input is; Replicate().
        output_layouts: what the result is; Shard(-1).
        use_local_output: a result that every device has whole is a plain tensor; one that is cut stays a DTensor.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ):
        super().__init__(
            input_layouts=input_layouts or Replicate(),
            output_layouts=output_layouts or Shard(-1),
            use_local_output=use_local_output,
        )

    def _placements(self, module: Any) -> tuple[dict[str, Placement], Placement, Placement]:
        cut = {"weight": Shard(1)} if _is_a(module, "Embedding") else {"weight": Shard(0), "bias": Shard(0)}
        return dict(cut), Replicate(), self.output_layouts  # type: ignore[return-value]


class RowwiseParallel(_Linear):
    """The inputs of a linear layer, or the rows of an embedding, are cut: the weight by columns, an embedding's by
    rows; what the devices compute is added up.

    Args:
        input_layouts: what a plain input is; Shard(-1), so that the input is a DTensor, for an embedding Replicate().
        output_layouts: what the result is; Replicate().
        use_local_output: a result that every device has whole is a plain tensor.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ):
        super().__init__(
            input_layouts=input_layouts or Shard(-1),
            output_layouts=output_layouts or Replicate(),
            use_local_output=use_local_output,
        )

    def _placements(self, module: Any) -> tuple[dict[str, Placement], Placement, Placement]:
        if _is_a(module, "Embedding"):
            return {"weight": Shard(0)}, Replicate(), self.output_layouts  # type: ignore[return-value]
        return {"weight": Shard(1)}, Shard(-1), self.output_layouts  # type: ignore[return-value]


class SequenceParallel(ParallelStyle):
    """A norm or a dropout whose input is cut along the sequence. Its parameters are replicated.

    Args:
        sequence_dim: the dimension that is cut.
        use_local_output: as in the other styles.
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False):
        self.sequence_dim, self.use_local_output = sequence_dim, use_local_output

    def _apply(self, module: Any, device_mesh: DeviceMesh) -> Any:
        _place_all(module, device_mesh, {}, Replicate())
        along, local = [Shard(self.sequence_dim)], self.use_local_output

        def before(_: Any, inputs: tuple) -> tuple:
            return (entered(inputs[0], device_mesh, along, along, "SequenceParallel"), *inputs[1:])

        module.register_forward_pre_hook(before)
        module.register_forward_hook(lambda _, inputs, output: left(output, local, device_mesh))
        return module


Layouts = Placement | Sequence[Placement | None] | None


def _several(layouts: Layouts) -> tuple[Placement | None, ...]:
    return (layouts,) if layouts is None or isinstance(layouts, Placement) else tuple(layouts)


def _each(
    values: Sequence[Any], layouts: Sequence[Any], desired: Sequence[Any], mesh: DeviceMesh, what: str
) -> tuple:
    if len(values) != len(layouts):
        raise ValueError(f"{what}: {len(values)} tensors, and {len(layouts)} layouts")
    return tuple(
        [
            x if given is None else entered(x, mesh, [given], None if wanted is None else [wanted], what)
            for x, given, wanted in zip(values, layouts, desired)
        ]
    )


class PrepareModuleInput(ParallelStyle):
    """Changes the placements of a module's inputs before its forward.

    Args:
        input_layouts, desired_input_layouts: of the positional arguments, None for what is no tensor or stays.
        input_kwarg_layouts, desired_input_kwarg_layouts: of the keyword arguments, by name.
        use_local_output: an input that every device has whole is a plain tensor.
    """

    def __init__(
        self,
        *,
        input_layouts: Layouts = None,
        desired_input_layouts: Layouts = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_output: bool = False,
    ):
        self.input_layouts = None if input_layouts is None else _several(input_layouts)
        self.desired_input_layouts = (
            None if desired_input_layouts is None else _several(desired_input_layouts)
        )
        self.use_local_output = use_local_output
        self.input_kwarg_layouts, self.desired_input_kwarg_layouts = (
            input_kwarg_layouts or {},
            desired_input_kwarg_layouts or {},
        )
        if self.input_layouts is not None:
            if self.desired_input_layouts is None:
                raise AssertionError("desired module inputs should not be None!")
            if len(self.input_layouts) != len(self.desired_input_layouts):
                raise AssertionError("input_layouts and desired_input_layouts should have same length!")

    def _apply(self, module: Any, device_mesh: DeviceMesh) -> Any:
        def before(_: Any, inputs: tuple, options: dict) -> tuple:
            if self.input_layouts is not None:
                inputs = _each(
                    inputs,
                    self.input_layouts,
                    self.desired_input_layouts or (),
                    device_mesh,
                    "PrepareModuleInput",
                )
                inputs = tuple([left(x, self.use_local_output, device_mesh) for x in inputs])
            made = dict(options)
            for name, given in self.input_kwarg_layouts.items():
                if name in made:
                    wanted = self.desired_input_kwarg_layouts.get(name)
                    x = entered(
                        made[name],
                        device_mesh,
                        [given],
                        None if wanted is None else [wanted],
                        "PrepareModuleInput",
                    )
                    made[name] = left(x, self.use_local_output, device_mesh)
            return inputs, made

        module.register_forward_pre_hook(before, with_kwargs=True)
        return module


class PrepareModuleOutput(ParallelStyle):
    """Changes the placements of a module's results.

    Args:
        output_layouts, desired_output_layouts: of the results, None for what is no tensor or stays.
        use_local_output: a result that every device has whole is a plain tensor.
    """

    def __init__(
        self, *, output_layouts: Layouts, desired_output_layouts: Layouts, use_local_output: bool = True
    ):
        self.output_layouts, self.desired_output_layouts = (
            _several(output_layouts),
            _several(desired_output_layouts),
        )
        self.use_local_output = use_local_output
        if len(self.output_layouts) != len(self.desired_output_layouts):
            raise AssertionError("output_layouts and desired_output_layouts should have same length!")

    def _apply(self, module: Any, device_mesh: DeviceMesh) -> Any:
        def after(_: Any, inputs: tuple, output: Any) -> Any:
            several = isinstance(output, tuple)
            made = _each(
                output if several else (output,),
                self.output_layouts,
                self.desired_output_layouts,
                device_mesh,
                "PrepareModuleOutput",
            )
            made = tuple([left(x, self.use_local_output, device_mesh) for x in made])
            return made if several else made[0]

        module.register_forward_hook(after)
        return module


class PrepareModuleInputOutput(ParallelStyle):
    """PrepareModuleInput and PrepareModuleOutput in one."""

    def __init__(
        self,
        *,
        input_layouts: Layouts = None,
        desired_input_layouts: Layouts = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_input: bool = False,
        output_layouts: Layouts,
        desired_output_layouts: Layouts,
        use_local_output: bool = True,
    ):
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts,
            desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts,
            desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input,
        )
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts,
            desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )

    def _apply(self, module: Any, device_mesh: DeviceMesh) -> Any:
        self.prepare_module_input._apply(module, device_mesh)
        self.prepare_module_output._apply(module, device_mesh)
        return module
