"""Schedules: in which order a process runs its stages on the micro-batches of a step.

A schedule is a list of actions for each process (`order`). All else is one loop: an action waits for what it needs,
computes, and sends what others need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..._core.api import Tensor, state, tidied
from ...api_names import listed
from ...utils._pytree import tree_flatten
from ._mail import Mail
from .microbatch import TensorChunkSpec, merge_chunks, split_args_kwargs_into_chunks, split_tensor
from .stage import PipeliningMetadataError, Stage

__all__ = [
    "Action", "PipelineScheduleMulti", "PipelineScheduleSingle", "Schedule1F1B", "ScheduleGPipe", "ScheduleInterleaved1F1B", "ScheduleLoopedBFS",
    "get_schedule_class",
]  # fmt: skip
__dir__ = listed(__name__)


class Action(NamedTuple):
    """A stage's forward or backward of a micro-batch. It prints as PyTorch's: `1F0`, `1B0`.

    >>> Action(1, True, 0)
    1F0
    """

    stage: int
    forward: bool
    chunk: int

    def __repr__(self) -> str:
        return f"{self.stage}{'F' if self.forward else 'B'}{self.chunk}"


class _Schedule:
    """A step of a pipeline: micro-batches in the order that a subclass gives."""

    def __init__(
        self,
        stages: list[Stage],
        n_microbatches: int,
        loss_fn: Callable | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: Any = None,
        scale_grads: bool = True,
    ):
        for stage in stages:
            if not isinstance(stage, Stage):
                raise TypeError(
                    f"{type(self).__name__}: a stage must be a PipelineStage, not {type(stage).__name__}"
                )
        first = stages[0]
        self._stages = {s.stage_index: s for s in stages}
        self._num_stages, self.rank, self.pp_group_size = first.num_stages, first.group_rank, first.group_size
        mine = [i for i, place in first.stage_index_to_group_rank.items() if place == self.rank]
        if sorted(self._stages) != mine:
            raise ValueError(
                f"{type(self).__name__}: process {self.rank} of {self.pp_group_size} has stages {mine} of a pipeline of {self._num_stages}, and was given "
                f"{[s.stage_index for s in stages]}"
            )
        self._n_microbatches, self._loss_fn, self.scale_grads = n_microbatches, loss_fn, scale_grads
        self._args_chunk_spec, self._kwargs_chunk_spec = args_chunk_spec, kwargs_chunk_spec
        self._output_merge_spec = output_merge_spec
        self._has_backward = loss_fn is not None
        self._mail = Mail(first._of, first.stage_index_to_group_rank)

    def order(self, rank: int) -> Iterator[Action]:
        """Yields the actions of a process in a step."""
        raise NotImplementedError

    @tidied
    def step(
        self,
        *args: Any,
        target: Any = None,
        losses: list | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """One step of all micro-batches. All processes call it, with what their stages take.

        Args:
            args, kwargs: the whole batch's arguments: the first stage's. Keyword arguments may be given to any stage.
            target: of the whole batch, for the loss; the last stage's.
            losses: a list, which gets the loss of each micro-batch where the last stage is.
            return_outputs: whether the last stage's results are returned, put together; elsewhere None is.
            loss_kwargs: keyword arguments of the loss.

        Gradients are added to the gradients of the parameters; with `scale_grads` they are divided by the number of
        micro-batches, as needed for a loss that is a mean. Then micro-batches must have one size, or ValueError is
        raised: a mean of means of other sizes is not the mean.
        """
        if self._has_backward and not state.grad:
            raise RuntimeError(
                "step() requires gradients to be enabled for backward computation; it should not be used under torch.no_grad() context. "
                "Please call eval() instead."
            )
        arguments = self._cut(args, kwargs)
        targets = None
        if target is not None:
            targets = list(split_tensor(target, 0, self._n_microbatches))
            self._check_even([(t,) for t in targets], "the target")
        last = self._stages.get(self._num_stages - 1)
        self._check_losses(last, targets, losses)
        for stage in self._stages.values():
            stage.has_backward, stage.mail = self._has_backward, self._mail
            stage.clear_runtime_states()
        self._mail.begin()
        found: dict[int, Any] = {}
        self._run(arguments, targets, found, return_outputs, loss_kwargs or {})
        if losses is not None and last is not None:
            if len(found) != self._n_microbatches:
                raise RuntimeError(f"Expecting {self._n_microbatches} losses but got {len(found)}")
            losses[:] = [found[i] for i in range(self._n_microbatches)]
        if self._has_backward and self.scale_grads:
            for stage in self._stages.values():
                stage.scale_grads(self._n_microbatches)
        if last is None or not return_outputs:
            return None
        return merge_chunks(last.output_chunks, self._output_merge_spec)

    def eval(self, *args: Any, target: Any = None, losses: list | None = None, **kwargs: Any) -> Any:
        """The same without a backward."""
        before, self._has_backward = self._has_backward, False
        try:
            return self.step(*args, target=target, losses=losses, **kwargs)
        finally:
            self._has_backward = before

    def _run(
        self, arguments: tuple[list, list], targets: Any, losses: dict, outputs: bool, loss_kwargs: dict
    ) -> None:
        done = dict.fromkeys(self._stages, 0)
        for index, forward, chunk in self.order(self.rank):
            stage = self._stages[index]
            if forward:
                output = stage.forward_one_chunk(chunk, arguments[0][chunk], arguments[1][chunk], outputs)
                if stage.is_last and self._loss_fn is not None and targets is not None:
                    losses[chunk] = self._loss_fn(output, targets[chunk], **loss_kwargs)
            elif self._has_backward:
                done[index] += 1
                final = done[index] == self._n_microbatches
                stage.backward_one_chunk(chunk, losses.get(chunk), last_backward=final)

    # -- checks ------------------------------------------------------------------------------------------------------

    def _cut(self, args: tuple, kwargs: dict) -> tuple[list[tuple], list[dict]]:
        """The arguments of each micro-batch."""
        n = self._n_microbatches
        if not args and not kwargs:
            return [()] * n, [{}] * n
        found = split_args_kwargs_into_chunks(args, kwargs, n, self._args_chunk_spec, self._kwargs_chunk_spec)
        for parts, name in zip(found, ("arg_mbs", "kwarg_mbs")):
            if len(parts) != n:
                raise ValueError(f"Expecting {n} {name} but got {len(parts)}")
        self._check_even([(*a, *k.values()) for a, k in zip(*found)], "the batch")
        return found

    def _check_even(self, parts: Sequence[Any], what: str) -> None:
        """Losses of micro-batches are averaged as equals."""
        if not (self._has_backward and self.scale_grads):
            return
        sizes = [[tuple(t.shape) for t in tree_flatten(p)[0] if isinstance(t, Tensor)] for p in parts]
        if any(s != sizes[0] for s in sizes):
            raise ValueError(
                f"{type(self).__name__}.step: {what} is not cut into {self._n_microbatches} micro-batches of one size, but of "
                f"shapes {', '.join(str(list(s[0])) for s in sizes if s)}. The mean of their losses would not be the batch's. Give another batch, or make the loss a sum and the "
                "schedule with scale_grads=False"
            )

    def _check_losses(self, last: Stage | None, targets: Any, losses: Any) -> None:
        if losses is not None and not isinstance(losses, list):
            raise TypeError(f"losses must be a list but got a {type(losses)}")
        if last is not None and self._has_backward and targets is None:
            raise PipeliningMetadataError(
                f"Stage {last.stage_index}: loss_fn and target required for last stage"
            )


class PipelineScheduleSingle(_Schedule):
    """A schedule for one stage on each process."""

    def __init__(
        self,
        stage: Stage,
        n_microbatches: int,
        loss_fn: Callable | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: Any = None,
        scale_grads: bool = True,
    ):
        super().__init__(
            [stage],
            n_microbatches,
            loss_fn,
            args_chunk_spec,
            kwargs_chunk_spec,
            output_merge_spec,
            scale_grads,
        )
        self._stage = stage


class ScheduleGPipe(PipelineScheduleSingle):
    """All forwards, then all backwards: a stage keeps what all micro-batches need for their backwards.

    Source: https://arxiv.org/abs/1811.06965.

    Args:
        stage: this process's.
        n_microbatches: into how many parts a batch is cut.
        loss_fn: loss_fn(output, target) of a micro-batch; without one there is no backward.
        args_chunk_spec, kwargs_chunk_spec, output_merge_spec: along which dimensions arguments are cut and results put
            together, where that is not the first.
        scale_grads: whether gradients are divided by n_microbatches: for a loss that is a mean.

    >>> torch.distributed.init_process_group("gloo", world_size=1, rank=0)
    >>> stage = torch.distributed.pipelining.PipelineStage(torch.nn.Linear(2, 1), 0, 1, torch.device("cpu"))
    >>> schedule, losses = ScheduleGPipe(stage, 2, torch.nn.functional.mse_loss), []
    >>> schedule.step(torch.ones(4, 2), target=torch.ones(4, 1), losses=losses).shape, len(losses)
    (torch.Size([4, 1]), 2)
    >>> torch.distributed.destroy_process_group()
    """

    def order(self, rank: int) -> Iterator[Action]:
        for forward in (True, False):
            for chunk in range(self._n_microbatches):
                yield Action(rank, forward, chunk)


class Schedule1F1B(PipelineScheduleSingle):
    """Forwards and backwards by turns, so that a stage keeps at most as many micro-batches as there are stages from
    it to the last. Takes the arguments of ScheduleGPipe.

    Raises ValueError for fewer micro-batches than stages. Source: https://arxiv.org/abs/1806.03377.
    """

    def __init__(self, stage: Stage, n_microbatches: int, *args: Any, **options: Any):
        if isinstance(stage, Stage) and n_microbatches < stage.num_stages:
            raise ValueError(
                f"Number of microbatches ({n_microbatches}) must be greater than or equal to the number of stages ({stage.num_stages})."
            )
        super().__init__(stage, n_microbatches, *args, **options)

    def order(self, rank: int) -> Iterator[Action]:
        ahead = min(self._n_microbatches, self._num_stages - rank)
        return _alternating([rank], [rank], ahead, self._n_microbatches, self._n_microbatches)


def _alternating(
    forwards: Sequence[int], backwards: Sequence[int], ahead: int, of_round: int, chunks: int
) -> Iterator[Action]:
    """`ahead` forwards, then a backward and a forward by turns, then the backwards that are left.

    Stages take turns for `of_round` micro-batches each."""
    firsts = [
        [
            Action(stage, forward, chunk)
            for begin in range(0, chunks, of_round)
            for stage in stages
            for chunk in range(begin, begin + of_round)
        ]
        for stages, forward in ((forwards, True), (backwards, False))
    ]
    yield from firsts[0][:ahead]
    for i, action in enumerate(firsts[1]):
        yield action
        yield from firsts[0][ahead + i : ahead + i + 1]


class PipelineScheduleMulti(_Schedule):
    """A schedule for several stages on each process: stage i is on process i, modulo their number.

    One process may have all stages."""

    def _of(self, rank: int) -> list[int]:
        return list(range(rank, self._num_stages, self.pp_group_size))


class ScheduleLoopedBFS(PipelineScheduleMulti):
    """All micro-batches of an earlier stage before a later one of the same process.

    Source: https://arxiv.org/abs/2211.05953.

    Takes the arguments of ScheduleGPipe, except that `stages` is a list and the specs of arguments do not exist.
    """

    def __init__(
        self,
        stages: list[Stage],
        n_microbatches: int,
        loss_fn: Callable | None = None,
        output_merge_spec: Any = None,
        scale_grads: bool = True,
    ):
        super().__init__(
            stages, n_microbatches, loss_fn, output_merge_spec=output_merge_spec, scale_grads=scale_grads
        )

    def order(self, rank: int) -> Iterator[Action]:
        for stage in self._of(rank):
            for chunk in range(self._n_microbatches):
                yield Action(stage, True, chunk)
        for stage in reversed(self._of(rank)):
            for chunk in reversed(range(self._n_microbatches)):
                yield Action(stage, False, chunk)


class ScheduleInterleaved1F1B(PipelineScheduleMulti):
    """1F1B of several stages on each process.

    Takes the arguments of ScheduleGPipe, except that `stages` is a list. Source: https://arxiv.org/abs/2104.04473.

    A round has as many micro-batches as the group has processes, or more if that does not divide their number; raises
    ValueError where rounds cannot be equal.
    """

    def __init__(self, stages: list[Stage], n_microbatches: int, *args: Any, **options: Any):
        super().__init__(stages, n_microbatches, *args, **options)
        rounds = max(1, n_microbatches // self.pp_group_size)
        if n_microbatches % rounds:
            raise ValueError(
                f"Interleaved 1F1B requires the number of microbatches to be a multiple of the number of rounds ({rounds}), but got {n_microbatches}."
            )
        self._of_round = n_microbatches // rounds

    def order(self, rank: int) -> Iterator[Action]:
        stages = self._of(rank)
        ahead = (len(stages) - 1) * self._of_round + 2 * (self.pp_group_size - 1 - rank) + 1
        ahead = min(ahead, len(stages) * self._n_microbatches)
        return _alternating(stages, stages[::-1], ahead, self._of_round, self._n_microbatches)


def get_schedule_class(schedule_name: str) -> type:
    """A schedule by its name: '1F1B', 'GPipe', 'Interleaved1F1B', 'LoopedBFS', in any case. Raises ValueError for
    another one.

    >>> get_schedule_class("gpipe").__name__
    'ScheduleGPipe'
    """
    known = {
        "1F1B": Schedule1F1B,
        "Interleaved1F1B": ScheduleInterleaved1F1B,
        "GPipe": ScheduleGPipe,
        "LoopedBFS": ScheduleLoopedBFS,
        "PipelineScheduleSingle": PipelineScheduleSingle,
        "PipelineScheduleMulti": PipelineScheduleMulti,
    }
    for name, kind in known.items():
        if name.lower() == schedule_name.lower():
            return kind
    raise ValueError(f"Unknown schedule name '{schedule_name}'. The valid options are {list(known)}")
