"""Adaptive softmax: many classes, the rare ones in clusters of lower dimension."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor, at_hand, requirement
from functorch_lite._core.api import functions as torch
from functorch_lite.tensors.requirements import required

from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-softmax over many classes sorted by frequency, and its loss (Grave et al. 2017, arXiv:1609.04309).

    The head holds the classes up to cutoffs[0] and one entry for each cluster of the tail; cluster i has a projection
    to in_features / div_value^(i+1) features. Every cluster is computed for every example, so no shape depends on
    values; a target out of range raises where the values are on the host (made from data), and gives nan where they
    were computed.

    Args:
        in_features: the number of features of the input.
        n_classes: the number of classes.
        cutoffs: the first class of each cluster: increasing ints below `n_classes`.
        div_value: the factor by which the features of each further cluster shrink. Default: 4.0.
        head_bias: whether the head has a bias. Default: False.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: input (N, in_features) or (in_features), target (N) or (); output like the target, loss ().

    Attributes:
        head: Linear(in_features, cutoffs[0] + number of clusters). tail: a ModuleList of pairs of Linear.

    Raises ValueError for cutoffs that are not increasing, positive and below n_classes.

    >>> adaptive = nn.AdaptiveLogSoftmaxWithLoss(16, 20, cutoffs=[5, 10])
    >>> output, loss = adaptive(torch.ones(4, 16), torch.tensor([0, 6, 12, 19]))
    >>> tuple(output.shape), tuple(loss.shape), tuple(adaptive.log_prob(torch.ones(4, 16)).shape)
    ((4,), (), (4, 20))
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(set(cutoffs))
            or min(cutoffs) <= 0
            or max(cutoffs) > n_classes - 1
            or any(int(c) != c for c in cutoffs)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is "
                "between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            hidden = int(in_features // div_value ** (i + 1))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(
                    Linear(in_features, hidden, bias=False, device=device, dtype=dtype),
                    Linear(hidden, size, bias=False, device=device, dtype=dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Draws all weights afresh."""
        self.head.reset_parameters()
        for project, out in self.tail:  # type: ignore[misc]
            project.reset_parameters()
            out.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> Any:
        targets = target_.dim()
        if targets == 1:
            if input_.size(0) != target_.size(0):
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input_.dim() != 2:
                raise RuntimeError(
                    f"1D target tensor expects 2D input tensors, but found inputs with size {input_.size()}"
                )
        elif targets == 0:
            if input_.dim() != 1:
                raise RuntimeError(
                    f"0D target tensor expects 1D input tensors, but found inputs with size {input_.size()}"
                )
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if target_.dtype not in (torch.int32, torch.int64):
            raise RuntimeError("gather(): Expected dtype int32/int64 for index")
        target_ = self._valid(target_)
        input = input_ if targets else input_.unsqueeze(0)
        target = (target_ if targets else target_.unsqueeze(0)).long()

        head = F.log_softmax(self.head(input), dim=1)
        in_head = (target >= 0) & (target < self.shortlist_size)
        place = target.clamp(0, self.shortlist_size - 1).unsqueeze(1)
        nothing = torch.full_like(head[:, 0].detach(), float("nan"))
        output = torch.where(in_head, head.gather(1, place).squeeze(1), nothing)
        for i, cluster in enumerate(self.tail):
            low, high = self.cutoffs[i], self.cutoffs[i + 1]
            log_probs = F.log_softmax(cluster(input), dim=1)
            place = (target - low).clamp(0, high - low - 1).unsqueeze(1)
            found = head[:, self.shortlist_size + i] + log_probs.gather(1, place).squeeze(1)
            output = torch.where((target >= low) & (target < high), found, output)
        loss = (-output).mean()
        return _ASMoutput(output if targets else output.squeeze(0), loss)

    def _valid(self, target: Tensor) -> Tensor:
        """Returns the target, whose values must be classes: those on the host are looked at now, others when the
        program runs."""
        should = f"Target values should be in [0, {self.n_classes - 1}], but"
        values = at_hand(target)
        if values is None:
            wrong = torch.where((target < 0) | (target >= self.n_classes), target, 0)
            return required(
                target, wrong, requirement("RuntimeError", f"{should} value {{value}} was found.")
            )
        if values.size:
            low, high = values.min(), values.max()
            if low < 0 or high >= self.n_classes:
                raise RuntimeError(f"{should} values in range [{low}, {high}] were found. ")
        return target

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        head = F.log_softmax(head_output, dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            inside = F.log_softmax(cluster(input), dim=1)
            parts.append(inside + head[:, self.shortlist_size + i].unsqueeze(1))
        return torch.cat(parts, 1)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes: (N, n_classes).

        >>> adaptive = nn.AdaptiveLogSoftmaxWithLoss(16, 20, cutoffs=[5, 10])
        >>> round(adaptive.log_prob(torch.ones(1, 16)).exp().sum().item(), 4)
        1.0
        """
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The class of highest probability: (N).

        >>> adaptive = nn.AdaptiveLogSoftmaxWithLoss(16, 20, cutoffs=[5, 10])
        >>> x = torch.ones(4, 16)
        >>> torch.equal(adaptive.predict(x), adaptive.log_prob(x).argmax(1))
        True
        """
        return self.log_prob(input).argmax(dim=1)
