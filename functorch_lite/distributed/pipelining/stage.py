"""A stage of a pipeline: a module that gets its inputs from earlier stages, and gradients from later ones, micro-batch
by micro-batch."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..._core.api import Tensor, devices, flush, state
from ..._core.api import functions as torch
from ...api_names import listed
from ...autograd import backward
from ...autograd.grad_mode import no_grad
from ...utils._pytree import tree_map
from ..groups import checked
from ._mail import Mail

__all__ = ["PipelineStage", "build_stage"]
__dir__ = listed(__name__)


class PipeliningMetadataError(RuntimeError):
    """Raised where a stage was given, or gave, something that the pipeline does not send."""


@dataclass
class PipeInfo:
    """Facts about a `Pipe`: its Graph, which calls the stages, and how many they are."""

    graph: Any
    num_stages: int
    has_loss_and_backward: bool = False


class Route(NamedTuple):
    """How stages are joined: for one of them, where its inputs are from and where its results go.

    Attributes:
        inputs: for each input the number of the stage it is from, and its place among what that stage sends there.
        outputs: for each later stage the places, among this one's results, of what it gets.
    """

    inputs: tuple[tuple[int, int], ...] | None
    outputs: dict[int, tuple[int, ...]] | None


@dataclass
class _Chunk:
    """Values that a stage keeps of a micro-batch between its forward and its backward."""

    outputs: tuple[Any, ...]
    received: dict[int, list[Tensor]] = field(default_factory=dict)


def tensors_of(args: Any, allow_none: bool = False) -> tuple[Any, ...]:
    """A tensor, or several, as a tuple; anything else raises PipeliningMetadataError."""
    if isinstance(args, Tensor):
        return (args,)
    if not isinstance(args, tuple | list):
        raise PipeliningMetadataError(
            f"Stage args must be a tensor, tuple, or list of tensors, got {type(args).__name__}."
        )
    for i, arg in enumerate(args):
        if arg is None and not allow_none:
            raise PipeliningMetadataError(
                f"Stage arg[{i}] is None. Stage args must be tensors. Use kwargs for optional values."
            )
        if arg is not None and not isinstance(arg, Tensor):
            raise PipeliningMetadataError(
                f"Stage arg[{i}] has type {type(arg).__name__}. All stage args must be tensors. Use kwargs for non-tensor inputs."
            )
    return tuple(args)


class Stage:
    """Base of both kinds of stages; see `PipelineStage`."""

    def __init__(
        self,
        submodule: Any,
        stage_index: int,
        num_stages: int,
        device: Any,
        group: Any = None,
    ):
        if stage_index >= num_stages:
            raise ValueError(f"Stage index {stage_index} is out of range of {num_stages}")
        if stage_index < 0:
            raise ValueError(f"Stage index {stage_index} is negative")
        self.submod, self.stage_index, self.num_stages = submodule, stage_index, num_stages
        self.device = devices.resolve(device)
        self.group = group
        self._of = checked(group)
        self.group_rank, self.group_size = self._of.rank(), self._of.size()
        if self.group_size > num_stages:
            raise RuntimeError(
                f"Pipeline group size {self.group_size} cannot be larger than number of stages {num_stages}"
            )
        self.stage_index_to_group_rank = {i: i % self.group_size for i in range(num_stages)}
        self.has_backward = False
        self.fwd_cache: dict[int, _Chunk] = {}
        self.output_chunks: list[Any] = []
        self.route = Route(None, None)
        self.mail: Mail | None = None

    @property
    def is_first(self) -> bool:
        """Returns whether no stage is before it."""
        return self.stage_index == 0

    @property
    def is_last(self) -> bool:
        """Returns whether no stage is after it."""
        return self.stage_index == self.num_stages - 1

    def clear_runtime_states(self) -> None:
        """Forgets the micro-batches of a step."""
        self.fwd_cache.clear()
        self.output_chunks.clear()

    # -- forward -----------------------------------------------------------------------------------------------------

    def forward_one_chunk(
        self,
        fwd_chunk_id: int,
        args: tuple[Any, ...],
        kwargs: dict[str, Any] | None = None,
        save_forward_output: bool = True,
    ) -> Any:
        """Runs the module on a micro-batch, and sends its results on. args are the first stage's; the others get what
        was sent to them."""
        received: dict[int, list[Tensor]] = {}
        if not self.is_first:
            received, args = self._received(fwd_chunk_id)
        elif isinstance(self, PipelineStage):
            args = tensors_of(args)
        try:
            with self._unsynchronized():
                output = self.submod(*args, **(kwargs or {}))
        except Exception as error:
            raise RuntimeError(
                f"[Stage {self.stage_index}] failed to run forward: args: {_described(args)}, kwargs: {_described(kwargs or {})}: "
                f"{type(error).__name__}: {error}"
            ) from error
        outputs = tuple(output) if isinstance(output, tuple | list) else (output,)
        if self.is_last and save_forward_output:
            kept = output
            if self.has_backward and not self.is_first:
                kept = tree_map(lambda t: t.detach() if isinstance(t, Tensor) else t, output)
            self.output_chunks.append(kept)
        if self.has_backward:
            self.fwd_cache[fwd_chunk_id] = _Chunk(outputs, received)
        for to, places in self._sends(outputs).items():
            self._post.send(self.stage_index, to, fwd_chunk_id, [outputs[i] for i in places])
        return output

    @property
    def _post(self) -> Mail:
        if self.mail is None:
            raise RuntimeError("a stage runs in a schedule: give it to ScheduleGPipe or another one")
        return self.mail

    def _sends(self, outputs: tuple[Any, ...]) -> dict[int, tuple[int, ...]]:
        if self.is_last:
            return {}
        if self.route.outputs is not None:
            return self.route.outputs
        tensors_of(outputs)
        return {self.stage_index + 1: tuple(range(len(outputs)))}

    def _received(self, chunk: int) -> tuple[dict[int, list[Tensor]], tuple[Tensor, ...]]:
        """Returns what each earlier stage sent, and the arguments that are made of it."""
        inputs = self.route.inputs
        sources = [self.stage_index - 1] if inputs is None else sorted({s for s, _ in inputs})
        found = {s: self._post.take(s, self.stage_index, chunk, self.device) for s in sources}
        if not (self.has_backward and state.grad):
            for tensors in found.values():
                for t in tensors:
                    t.requires_grad_(False)  # type: ignore[attr-defined]
        if inputs is None:
            return found, tuple(found[self.stage_index - 1])
        return found, tuple([found[s][i] for s, i in inputs])

    # -- backward ----------------------------------------------------------------------------------------------------

    def backward_one_chunk(self, bwd_chunk_id: int, loss: Any = None, last_backward: bool = False) -> None:
        """Adds a micro-batch's gradients to the gradients of the parameters, and sends the gradients of its inputs
        back.

        The last stage begins with the loss."""
        if not self.has_backward:
            return
        chunk = self.fwd_cache.pop(bwd_chunk_id)
        sent = {i: t for i, t in enumerate(chunk.outputs) if isinstance(t, Tensor) and t.requires_grad}
        if self.is_last:
            grads = {0: None} if loss is not None and loss.requires_grad else {}
            sent = {0: loss}
        else:
            grads = self._gradients(chunk.outputs, sent, bwd_chunk_id)
        if isinstance(self.submod, _ddp()) and last_backward:
            self.submod.average_next_backward()
        if grads:
            backward([sent[i] for i in grads], list(grads.values()))
        for source, tensors in chunk.received.items():
            back = [_zeros_if_none(t) for t in tensors if t.requires_grad]
            if back:
                self._post.send(self.stage_index, source, bwd_chunk_id, back, back=True)
        flush()

    def _gradients(self, outputs: tuple[Any, ...], sent: dict[int, Tensor], chunk: int) -> dict[int, Any]:
        """The gradients of results, by their positions: sums of the gradients that later stages send."""
        grads: dict[int, Any] = {}
        for to, places in self._sends(outputs).items():
            wanted = [i for i in places if i in sent]
            found = self._post.take(to, self.stage_index, chunk, self.device, back=True) if wanted else []
            for i, grad in zip(wanted, found):
                grads[i] = grad if i not in grads else grads[i] + grad
        return grads

    def scale_grads(self, grad_scale_factor: int) -> None:
        """Divides the parameters' gradients."""
        if grad_scale_factor != 1:
            with no_grad():
                for p in self.submod.parameters():
                    if p.grad is not None:
                        p.grad.div_(grad_scale_factor)

    def _unsynchronized(self) -> Any:
        """Around a call of the module: DistributedDataParallel averages after the last micro-batch alone."""
        return self.submod.no_sync() if isinstance(self.submod, _ddp()) else contextlib.nullcontext()


def _ddp() -> Any:
    """DistributedDataParallel, which is in a package above this one."""
    return importlib.import_module("functorch_lite.nn.parallel").DistributedDataParallel


def _zeros_if_none(t: Tensor) -> Tensor:
    grad, t.grad = t.grad, None
    return torch.zeros_like(t.detach()) if grad is None else grad


def _described(values: Any) -> str:
    def one(x: Any) -> str:
        return f"Tensor({list(x.shape)}, {x.dtype})" if isinstance(x, Tensor) else repr(x)

    if isinstance(values, dict):
        return "{" + ", ".join(f"{k}: {one(v)}" for k, v in values.items()) + "}"
    return "(" + ", ".join(map(one, values)) + ")"


class PipelineStage(Stage):
    """A module as stage `stage_index` of `num_stages`: its arguments and results are tensors, which are sent from
    process to process.

    Args:
        submodule: an nn.Module, whose positional arguments are the results of the stage before.
        device: where it runs.
        input_args, output_args: examples of a micro-batch's tensors. Shapes and dtypes travel with the tensors, so
            nothing is asked of them but that they are tensors; likewise input_grads and output_grads.
        group: the processes of the pipeline, by default all; stage i is on process i of them, modulo their number.

    A schedule runs it: `ScheduleGPipe`, `Schedule1F1B`, `ScheduleInterleaved1F1B`, `ScheduleLoopedBFS`.

    Raises ValueError for an index out of range, RuntimeError for more processes than stages, PipeliningMetadataError
    for examples that are not tensors.

    >>> torch.distributed.init_process_group("gloo", world_size=1, rank=0)
    >>> stage = PipelineStage(torch.nn.Linear(2, 3), 0, 1, torch.device("cpu"))
    >>> stage.is_first, stage.is_last
    (True, True)
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self,
        submodule: Any,
        stage_index: int,
        num_stages: int,
        device: Any,
        input_args: Any = None,
        output_args: Any = None,
        output_grads: Any = None,
        input_grads: Any = None,
        group: Any = None,
        dw_builder: Callable | None = None,
        get_mesh: Callable | None = None,
    ):
        super().__init__(submodule, stage_index, num_stages, device, group)
        for examples, allow_none in (
            (input_args, False),
            (output_args, False),
            (input_grads, True),
            (output_grads, True),
        ):
            if examples is not None:
                tensors_of(examples, allow_none)
        if dw_builder is not None or get_mesh is not None:
            raise NotImplementedError(
                "PipelineStage: dw_builder= (for schedules that compute gradients of weights separately) and get_mesh= (for DTensors between processes) are not supported; leave them out"
            )


class TracedStage(Stage):
    """A stage of a `Pipe`."""

    def __init__(self, stage_module: Any, stage_index: int, pipe_info: PipeInfo, device: Any, group: Any):
        super().__init__(stage_module, stage_index, pipe_info.num_stages, device, group)
        self.pipe_info = pipe_info
        calls = [n for n in pipe_info.graph.nodes if n.op == "call_module"]
        if len(calls) != self.num_stages:
            raise PipeliningMetadataError(
                f"Number of submodules in pipe graph {len(calls)} does not match number of stages {self.num_stages}"
            )
        self.node = calls[stage_index]
        self.name = self.node.name
        self.route = _route(calls, stage_index)
        if not any(p.is_meta for p in stage_module.parameters()):
            stage_module.to(self.device)


def _origin(node: Any) -> tuple[Any, int]:
    """The call that a value is from, and its place among the results."""
    if node.op == "call_function":  # operator.getitem
        return node.args[0], node.args[1]
    return node, 0


def _taken(calls: Sequence[Any], reader: int) -> dict[int, list[int]]:
    """Returns what a stage takes: of each earlier one, the places of its results, in order of their first use."""
    found: dict[int, list[int]] = {}
    for arg in calls[reader].args:
        node, place = _origin(arg)
        if node.op == "call_module":
            places = found.setdefault(calls.index(node), [])
            if place not in places:
                places.append(place)
    return found


def _route(calls: Sequence[Any], index: int) -> Route:
    inputs = []
    taken = _taken(calls, index)
    for arg in calls[index].args if index else ():
        node, place = _origin(arg)
        if node.op != "call_module":
            raise PipeliningMetadataError(
                f"stage {index} of the pipeline uses the model's input {arg.name!r}, and only the first stage gets inputs: let the first stage use it too, or write "
                "the stages by hand, with PipelineStage and a keyword argument of step()"
            )
        source = calls.index(node)
        inputs.append((source, taken[source].index(place)))
    outputs = {
        later: tuple(_taken(calls, later)[index])
        for later in range(index + 1, len(calls))
        if index in _taken(calls, later)
    }
    return Route(tuple(inputs), outputs)


def build_stage(
    stage_module: Any, stage_index: int, pipe_info: PipeInfo, device: Any, group: Any = None
) -> TracedStage:
    """A stage of a module that `pipeline` made, and the `info()` of its Pipe.

    `Pipe.build_stage` takes the module from the Pipe."""
    return TracedStage(stage_module, stage_index, pipe_info, device, group)
