"""Messages between stages: the tensors of a micro-batch, from one stage to another.

A message has an address of its own (from which stage, to which, activations or gradients), and a send does not wait
for the receiver. So the order in which a process computes is all that a schedule must say, and it ends if no
computation needs a later one. Stages of one process hand tensors over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..._core.api import Tensor, from_array
from .._point_to_point import post, take
from ..collectives import numbers
from ..groups import ProcessGroup

__all__ = ["Mail"]

_FIRST_TAG = -2
"""Messages of pipelines have tags below it, which neither tensors nor objects of users have."""


class Mail:
    """The messages of one schedule.

    Attributes:
        step: the number of the step that is running.
        places: of each stage, in which place of the group its process is.
    """

    def __init__(self, group: ProcessGroup, places: Mapping[int, int]):
        self.group, self.places, self.step = group, places, 0
        self._here: dict[tuple, list[Tensor]] = {}

    def begin(self) -> None:
        """A new step."""
        self.step += 1
        self._here.clear()

    def _tag(self, source: int, to: int, back: bool) -> int:
        return _FIRST_TAG - (2 * (source * len(self.places) + to) + back)

    def send(self, source: int, to: int, chunk: int, tensors: Sequence[Tensor], back: bool = False) -> None:
        """Sends the tensors of a micro-batch from one stage to another. back: they are gradients."""
        if self.places[to] == self.group.rank():
            self._here[source, to, chunk, back] = [
                t.detach().requires_grad_(t.requires_grad) for t in tensors
            ]  # type: ignore[attr-defined]
            return
        note = [self.step, chunk, [t.requires_grad for t in tensors]]
        arrays = [numbers(t, "pipelining") for t in tensors]
        post(self.group, self.places[to], self._tag(source, to, back), arrays, note)

    def take(self, source: int, to: int, chunk: int, device: Any, back: bool = False) -> list[Tensor]:
        """The tensors that another stage sent, on the device; those require grad that did there."""
        if self.places[source] == self.group.rank():
            return [_on(t, device) for t in self._here.pop((source, to, chunk, back))]
        tag = self._tag(source, to, back)
        arrays, (step, number, flags), _ = take(self.group, [self.places[source]], tag, "pipelining")
        if (step, number) != (self.step, chunk):
            raise RuntimeError(
                f"pipelining: stage {to} is at step {self.step}, micro-batch {chunk}, and stage {source} sent micro-batch {number} of its step {step}: a step "
                "did not come to its end, or the stages have different schedules"
            )
        return [_on(from_array(np.array(a)), device).requires_grad_(f) for a, f in zip(arrays, flags)]  # type: ignore[attr-defined]


def _on(t: Tensor, device: Any) -> Tensor:
    """A leaf on the device; what lies on a mesh stays there."""
    if t._aval.device.is_mesh or t.device == device:
        return t
    return t.detach().to(device).requires_grad_(t.requires_grad)  # type: ignore[attr-defined]
