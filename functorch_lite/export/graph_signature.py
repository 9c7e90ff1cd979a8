"""Signatures: the kinds of an exported Graph's inputs and outputs: parameters, buffers, constants, the user's, and what
is written."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

from ..api_names import listed

__all__ = [
    "ConstantArgument", "ExportBackwardSignature", "ExportGraphSignature", "InputKind", "InputSpec", "OutputKind", "OutputSpec", "TensorArgument",
]  # fmt: skip
__dir__ = listed(__name__)


@dataclass
class TensorArgument:
    """A tensor, by the name of its node."""

    name: str


@dataclass
class ConstantArgument:
    """A value that is not a tensor: the value of the example."""

    name: str
    value: Any


class InputKind(enum.Enum):
    """Kind of an input."""

    USER_INPUT = 1
    PARAMETER = 2
    BUFFER = 3
    CONSTANT_TENSOR = 4


class OutputKind(enum.Enum):
    """Kind of an output."""

    USER_OUTPUT = 1
    BUFFER_MUTATION = 3
    USER_INPUT_MUTATION = 6


@dataclass
class InputSpec:
    """An input of the Graph. target: of a parameter, buffer or constant, its name in the module; persistent: whether a
    buffer is in the state dict."""

    kind: InputKind
    arg: Any
    target: str | None = None
    persistent: bool | None = None

    def __str__(self) -> str:
        target = "" if self.target is None else f" target='{self.target}'"
        persistent = "" if self.persistent is None else f" persistent={self.persistent}"
        return f"{self.arg.name}: {self.kind.name}{target}{persistent}"


@dataclass
class OutputSpec:
    """An output of the Graph. target: the name of the buffer, or of the user's input, whose new value it is."""

    kind: OutputKind
    arg: Any
    target: str | None = None

    def __str__(self) -> str:
        return f"{self.arg.name}: {self.kind.name}" + (
            "" if self.target is None else f" target='{self.target}'"
        )


@dataclass
class ExportBackwardSignature:
    """Not made here: an exported Graph is of the forward, and differentiable."""

    gradients_to_parameters: dict[str, str]
    gradients_to_user_inputs: dict[str, str]
    loss_output: str


@dataclass
class ExportGraphSignature:
    """The inputs and outputs of an exported Graph, in order. Everything else is derived from these."""

    input_specs: list[InputSpec] = field(default_factory=list)
    output_specs: list[OutputSpec] = field(default_factory=list)

    def _targets(self, kind: InputKind) -> tuple[str, ...]:
        return tuple([str(s.target) for s in self.input_specs if s.kind is kind])

    def _by_name(self, kind: InputKind) -> dict[str, str]:
        return {s.arg.name: str(s.target) for s in self.input_specs if s.kind is kind}

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of parameters in the module."""
        return self._targets(InputKind.PARAMETER)

    @property
    def buffers(self) -> tuple[str, ...]:
        """Names of buffers in the module."""
        return self._targets(InputKind.BUFFER)

    @property
    def non_persistent_buffers(self) -> tuple[str, ...]:
        """Names of buffers that are in no state dict."""
        return tuple(
            [str(s.target) for s in self.input_specs if s.kind is InputKind.BUFFER and not s.persistent]
        )

    @property
    def lifted_tensor_constants(self) -> tuple[str, ...]:
        """Names of other tensors that the module reads."""
        return self._targets(InputKind.CONSTANT_TENSOR)

    @property
    def inputs_to_parameters(self) -> dict[str, str]:
        """Parameter's name by the name of the Graph's input."""
        return self._by_name(InputKind.PARAMETER)

    @property
    def inputs_to_buffers(self) -> dict[str, str]:
        """Buffer's name by the name of the Graph's input."""
        return self._by_name(InputKind.BUFFER)

    @property
    def inputs_to_lifted_tensor_constants(self) -> dict[str, str]:
        """Name of a constant tensor by the name of the Graph's input."""
        return self._by_name(InputKind.CONSTANT_TENSOR)

    @property
    def user_inputs(self) -> tuple[Any, ...]:
        """Names of the inputs that the user passes; for an input that is not a tensor, its value."""
        found = [s.arg for s in self.input_specs if s.kind is InputKind.USER_INPUT]
        return tuple([a.value if isinstance(a, ConstantArgument) else a.name for a in found])

    @property
    def user_outputs(self) -> tuple[Any, ...]:
        """Names of the outputs that the user receives; for an output that is not a tensor, its value."""
        found = [s.arg for s in self.output_specs if s.kind is OutputKind.USER_OUTPUT]
        return tuple([a.value if isinstance(a, ConstantArgument) else a.name for a in found])

    @property
    def buffers_to_mutate(self) -> dict[str, str]:
        """Buffer's name by the name of the Graph's output that is its new value."""
        return {s.arg.name: str(s.target) for s in self.output_specs if s.kind is OutputKind.BUFFER_MUTATION}

    @property
    def user_inputs_to_mutate(self) -> dict[str, str]:
        """Name of the user's input by the name of the Graph's output that is its new value."""
        return {
            s.arg.name: str(s.target) for s in self.output_specs if s.kind is OutputKind.USER_INPUT_MUTATION
        }

    backward_signature = None
    assertion_dep_token = None

    def __str__(self) -> str:
        inputs, outputs = ("\n".join(map(str, x)) for x in (self.input_specs, self.output_specs))
        return f"\n# inputs\n{inputs}\n\n# outputs\n{outputs}\n"
