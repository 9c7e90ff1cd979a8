"""ONNXProgram: a model of ONNX, which is saved, and run by onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.api import Tensor, from_array
from ..utils import _pytree as pytree

if TYPE_CHECKING:
    import onnx

__all__ = ["ONNXProgram"]

_LARGEST = 2**31 - 2**20
"""Bytes of a model that one file of protocol buffers holds."""


class ONNXProgram:
    """Result of `torch.onnx.export`: `save(path)` writes it, and called with the module's arguments it is run by
    onnxruntime.

    model_proto       the model, an `onnx.ModelProto`
    exported_program  what it was written from
    """

    def __init__(self, model: onnx.ModelProto, exported_program: Any = None):
        self.model_proto, self.exported_program = model, exported_program
        self._session: Any = None

    @property
    def model(self) -> Any:
        """The model as onnx_ir has it (`pip install onnx_ir`)."""
        import onnx_ir  # type: ignore[import-not-found]

        return onnx_ir.from_proto(self.model_proto)

    def __repr__(self) -> str:
        graph = self.model_proto.graph
        given, results = [", ".join([x.name for x in side]) for side in (graph.input, graph.output)]
        return (
            f"ONNXProgram({given} -> {results}; {len(graph.node)} nodes, {len(graph.initializer)} constants)"
        )

    def save(
        self,
        destination: str | os.PathLike,
        *,
        include_initializers: bool = True,
        keep_initializers_as_inputs: bool = False,
        external_data: bool | None = None,
    ) -> None:
        """Writes the model.

        include_initializers: whether the parameters' values are stored. keep_initializers_as_inputs: whether the
        parameters are inputs too, whose values may be given at a call. external_data: whether values go to a separate
        file named `<destination>.data`; None does so only if one file cannot hold them.
        """
        import onnx

        model = onnx.ModelProto()
        model.CopyFrom(self.model_proto)
        if keep_initializers_as_inputs:
            model.graph.input.extend([_info(x) for x in model.graph.initializer])
        if not include_initializers:
            if not keep_initializers_as_inputs:
                model.graph.input.extend([_info(x) for x in model.graph.initializer])
            del model.graph.initializer[:]
        path = os.fspath(destination)
        if external_data or (external_data is None and model.ByteSize() > _LARGEST):
            beside = f"{os.path.basename(path)}.data"
            if os.path.exists(f"{path}.data"):
                os.remove(f"{path}.data")  # onnx appends to one that is there
            onnx.save_model(
                model, path, save_as_external_data=True, all_tensors_to_one_file=True, location=beside
            )
        else:
            onnx.save_model(model, path)

    def initialize_inference_session(self, initializer: Any = None) -> None:
        """Makes the session by which calls are run. initializer: a function of the model's bytes that gives an
        `onnxruntime.InferenceSession`."""
        if initializer is None:
            import onnxruntime  # type: ignore[import-not-found]

            initializer = onnxruntime.InferenceSession
        self._session = initializer(self.model_proto.SerializeToString())

    def release(self) -> None:
        """Lets go of the session."""
        self._session = None

    def __call__(self, *args: Any, **kwargs: Any) -> Sequence[Tensor]:
        """The results, for arguments as the module takes them: a list of tensors."""
        if self._session is None:
            self.initialize_inference_session()
        return [from_array(x) for x in self._session.run(None, self._feed(args, kwargs))]

    def call_reference(self, *args: Any, **kwargs: Any) -> Sequence[Tensor]:
        """The results by onnx's own reference implementation, which needs no onnxruntime and is slow."""
        from onnx.reference import ReferenceEvaluator  # type: ignore[import-not-found]

        return [
            from_array(np.asarray(x))
            for x in ReferenceEvaluator(self.model_proto).run(None, self._feed(args, kwargs))
        ]

    def apply_weights(self, state_dict: Mapping[str, Tensor]) -> None:
        """Takes the numbers of a state dict for the parameters of these names."""
        import onnx

        for held in self.model_proto.graph.initializer:
            if held.name in state_dict:
                given = state_dict[held.name].detach().numpy()
                if tuple(given.shape) != tuple(held.dims):
                    raise ValueError(
                        f"apply_weights: {held.name} is of shape {tuple(held.dims)}, and {tuple(given.shape)} was given"
                    )
                held.CopyFrom(onnx.numpy_helper.from_array(np.ascontiguousarray(given), held.name))
        self.release()

    def rename_axes(self, rename_mapping: Mapping[str, str]) -> None:
        """Gives open sizes other names."""
        graph = self.model_proto.graph
        for info in [*graph.input, *graph.output, *graph.value_info]:
            for dim in info.type.tensor_type.shape.dim:
                if dim.dim_param in rename_mapping:
                    dim.dim_param = rename_mapping[dim.dim_param]

    def _feed(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, np.ndarray]:
        names = [x.name for x in self.model_proto.graph.input]
        named = {k: v for k, v in kwargs.items() if k in names}
        flat = pytree.tree_leaves((*args, *[v for k, v in kwargs.items() if k not in named]))
        given = [x for x in flat if isinstance(x, Tensor)]
        rest = [n for n in names if n not in named]
        if len(given) != len(rest):
            raise ValueError(f"ONNXProgram: {len(given)} tensors for the inputs {rest}")
        return {n: t.detach().numpy() for n, t in [*zip(rest, given), *named.items()]}


def _info(x: Any) -> Any:
    import onnx

    return onnx.helper.make_tensor_value_info(x.name, x.data_type, list(x.dims))
