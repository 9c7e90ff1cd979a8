"""Losses: modules that hold the options of the functional losses."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor
from functorch_lite.nn.functional._asked import legacy_reduction

from .distance import PairwiseDistance
from .linear import Linear
from .module import Module

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss",
    "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "LinearCrossEntropyLoss", "MSELoss", "MarginRankingLoss",
    "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss",
    "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
]  # fmt: skip


class _Loss(Module):
    """reduction: "mean" (the default), "sum" or "none"; `size_average` and `reduce` are its deprecated forms."""

    reduction: str

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = legacy_reduction(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """`weight` is a buffer: it moves with the module and is saved with it."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class _MarginLoss(_Loss):
    """margin: how far apart is far enough."""

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class L1Loss(_Loss):
    """|input − target|.

    Args:
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    Shape: the same for both; the result () or, with reduction="none", theirs. Other shapes are broadcast, with a
    warning.

    >>> nn.L1Loss()(torch.tensor([1., 2.]), torch.tensor([2., 4.])).item()
    1.5
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """(input − target)².

    Args:
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    >>> MSELoss()(torch.zeros(3), torch.ones(3))
    tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """(input − target)² / (2 beta) within beta, |input − target| − beta / 2 beyond.

    Args:
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".
        beta: the distance at which the loss changes from quadratic to linear. Default: 1.0.

    Shape: the same for both; the result () or, with reduction="none", theirs. Raises RuntimeError for a negative beta.

    >>> nn.SmoothL1Loss(reduction="none")(torch.tensor([0.5, 3.]), torch.zeros(2)).tolist()
    [0.125, 2.5]
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """(input − target)² / 2 within delta, delta · (|input − target| − delta / 2) beyond.

    Args:
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".
        delta: the distance at which the loss changes from quadratic to linear. Default: 1.0.

    Shape: the same for both; the result () or, with reduction="none", theirs.

    >>> nn.HuberLoss(reduction="none")(torch.tensor([0.5, 3.]), torch.zeros(2)).tolist()
    [0.125, 2.5]
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        if not isinstance(delta, int | float):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class NLLLoss(_WeightedLoss):
    """Negative log likelihood of class indices, given log-probabilities. Shape: (N, C, *) and (N, *).

    Targets of ignore_index do not count. Raises IndexError for a target that is not a class; for a computed target,
    when a value is read.

    Args:
        weight: one weight for each class, of shape (C,). None (the default) weighs all with 1.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        ignore_index: a class that is left out of the loss and of the gradient. Default: -100.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    >>> log_probs = torch.tensor([[-1., -2.], [-3., -4.]])
    >>> nn.NLLLoss()(log_probs, torch.tensor([0, 1])).item()
    2.5
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class NLLLoss2d(NLLLoss):
    """Deprecated: NLLLoss does the same.

    Args:
        weight: one weight for each class, of shape (C,). None (the default) weighs all with 1.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        ignore_index: a class that is left out of the loss and of the gradient. Default: -100.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     nn.NLLLoss2d()(torch.full((1, 2, 1, 1), -1.0), torch.zeros(1, 1, 1, dtype=torch.long)).item()
    1.0
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class CrossEntropyLoss(_WeightedLoss):
    """Cross entropy between logits and class indices, or class probabilities.

    Args:
        weight: one weight for each class, of shape (C,). None (the default) weighs all with 1.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        ignore_index: a class that is left out of the loss and of the gradient. Default: -100.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".
        label_smoothing: how much of the probability is spread evenly over all classes, in [0, 1].
            Default: 0.0.

    Shape: (N, C, *) or (C), and (N, *) or (N, C, *).

    >>> CrossEntropyLoss()(torch.zeros(2, 4), torch.tensor([1, 2]))
    tensor(1.3863)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:  # hot path
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class PoissonNLLLoss(_Loss):
    """Negative log likelihood of counts; `full` adds Stirling's approximation of log(target!).

    Args:
        log_input: whether the input is the logarithm of the rate. Default: True.
        full: whether Stirling's approximation of log(target!) is added. Default: False.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        eps: a small number that keeps log(0) away if not `log_input`. Default: 1e-08.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    Shape: the same for both; the result () or, with reduction="none", theirs.

    >>> nn.PoissonNLLLoss()(torch.zeros(2), torch.tensor([1., 2.])).item()
    1.0
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


class GaussianNLLLoss(_Loss):
    """Negative log likelihood of a normal distribution with the given variance; `full` adds the constant.

    Called with input, target and variance, of one shape, or a variance with a last 1. A negative variance raises
    ValueError where the values are on the host, and gives nan where they were computed.

    Args:
        full: whether the constant is added. Default: False.
        eps: the least variance. Default: 1e-06.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    >>> nn.GaussianNLLLoss()(torch.zeros(2), torch.tensor([1., 3.]), torch.ones(2)).item()
    2.5
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(_Loss):
    """target · (log target − input), the input being log-probabilities. reduction may also be "batchmean".

    reduction="mean", the default, divides by the number of elements; "batchmean", the divergence, by the batch's.

    Args:
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none", "sum", "mean" (divided by the number of elements) or "batchmean" (the
            divergence: divided by the size of the batch). Default: "mean".
        log_target: whether the target has logarithms. Default: False.

    >>> p, q = torch.tensor([[0.5, 0.5]]), torch.tensor([[0.25, 0.75]])
    >>> nn.KLDivLoss(reduction="batchmean")(q.log(), p)
    tensor(0.1438)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class BCELoss(_WeightedLoss):
    """Binary cross entropy of probabilities.

    Args:
        weight: a factor for each element; it broadcasts. None (the default) is 1.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    Shape: the same for both; the result () or, with reduction="none", theirs. An input outside [0, 1] raises
    RuntimeError where the values are on the host, and gives nan where they were computed.

    >>> nn.BCELoss()(torch.tensor([0.5, 0.5]), torch.tensor([1., 0.]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """Binary cross entropy of logits; `pos_weight` weighs positive examples.

    Args:
        weight: a factor for each element; it broadcasts. None (the default) is 1.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".
        pos_weight: a factor for the positive class; it broadcasts with the target. None (the
            default) is 1.

    Shape: the same for both; the result () or, with reduction="none", theirs. Raises ValueError for a target of another
    shape.

    >>> nn.BCEWithLogitsLoss()(torch.tensor([0., 0.]), torch.tensor([1., 0.]))
    tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class HingeEmbeddingLoss(_Loss):
    """input where target is 1, max(0, margin − input) where it is −1.

    Args:
        margin: the least distance of pairs with target -1. Default: 1.0.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    Shape: the same for both; the result () or, with reduction="none", theirs.

    >>> nn.HingeEmbeddingLoss(reduction="none")(torch.tensor([2., 0.25]), torch.tensor([1, -1])).tolist()
    [2.0, 0.75]
    """

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """Hinge loss over pairs of a target class and another one; targets are padded with −1. Shape: (N, C) and (N, C).

    Args:
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    >>> nn.MultiLabelMarginLoss()(torch.tensor([[0., 1., 0., 0.]]), torch.tensor([[1, -1, -1, -1]])).item()
    0.0
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Mean over classes of the binary cross entropy of logits. Shape: (N, C) and (N, C).

    Args:
        weight: one weight for each class, of shape (C,). None (the default) weighs all with 1.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    >>> nn.MultiLabelSoftMarginLoss()(torch.zeros(1, 3), torch.tensor([[1., 0., 1.]]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """log(1 + e^(−target · input)), targets being ±1.

    Args:
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    Shape: the same for both; the result () or, with reduction="none", theirs.

    >>> nn.SoftMarginLoss()(torch.zeros(2), torch.tensor([1., -1.]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class CosineEmbeddingLoss(_MarginLoss):
    """1 − cos where target is 1, max(0, cos − margin) where it is −1. Shape: (N, D), (N, D) and (N).

    Args:
        margin: the largest cosine of pairs with target -1 that costs nothing. Default: 0.0.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    >>> x = torch.tensor([[1., 0.], [1., 0.]])
    >>> nn.CosineEmbeddingLoss(reduction="none")(x, x.flip(1), torch.tensor([1, -1])).tolist()
    [1.0, 0.0]
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_MarginLoss):
    """max(0, −target · (input1 − input2) + margin).

    Called with input1, input2 and a target of 1 (the first shall be larger) or −1. Raises RuntimeError unless all have
    as many dims.

    Args:
        margin: the least difference of the inputs. Default: 0.0.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    >>> nn.MarginRankingLoss(reduction="none")(torch.tensor([1., 3.]), torch.tensor([2., 2.]), torch.tensor([1, 1])).tolist()
    [1.0, 0.0]
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """Mean over the other classes of max(0, margin − x[target] + x[other])^p. Shape: (N, C) and (N).

    Args:
        p: the exponent: 1 or 2. Default: 1.
        margin: the least difference of scores. Default: 1.0.
        weight: one weight for each class, of shape (C,). None (the default) weighs all with 1.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    Raises ValueError unless p is 1 or 2.

    >>> nn.MultiMarginLoss()(torch.tensor([[0.5, 0., 0., 0.]]), torch.tensor([0])).item()
    0.375
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead"
            )
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class TripletMarginLoss(_Loss):
    """max(0, d(anchor, positive) − d(anchor, negative) + margin), d the p-norm distance. Shape: (N, D) three times.

    Args:
        margin: the least difference of the distances; positive. Default: 1.0.
        p: the order of the norm. Default: 2.0.
        eps: a small number added to the difference. Default: 1e-06.
        swap: whether the distance of positive and negative counts where it is smaller. Default:
            False.
        size_average, reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    Raises ValueError for a margin that is not positive.

    >>> anchor, positive, negative = torch.tensor([[0.]]), torch.tensor([[1.]]), torch.tensor([[4.]])
    >>> round(nn.TripletMarginLoss(margin=4.0)(anchor, positive, negative).item(), 4)
    1.0
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss with any distance function; the Euclidean one when None is given.

    Args:
        distance_function: a function of two batches of vectors. None (the default) is the
            Euclidean distance.
        margin: the least difference of the distances; positive. Default: 1.0.
        swap: whether the distance of positive and negative counts where it is smaller. Default:
            False.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".

    >>> loss = nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(-1), margin=4.0)
    >>> loss(torch.tensor([[0.]]), torch.tensor([[1.]]), torch.tensor([[4.]])).item()
    1.0
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function: Any = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class CTCLoss(_Loss):
    """Connectionist temporal classification (Graves et al., 2006). Shape: log-probabilities (T, N, C), targets (N, S).

    Called with log-probabilities, targets, and the lengths of both.

    Args:
        blank: the class of the blank. Default: 0.
        reduction: "none" for the loss of each sample, "mean" (of the losses divided by the
            lengths of the targets) or "sum". Default: "mean".
        zero_infinity: whether infinite losses, as of targets longer than their inputs, and their
            gradients become 0. Default: False.

    >>> log_probs = torch.zeros(4, 2, 3).log_softmax(-1)
    >>> nn.CTCLoss()(log_probs, torch.tensor([[1], [2]]), torch.tensor([4, 4]), torch.tensor([1, 1])).shape
    torch.Size([])
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        return F.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )


class LinearCrossEntropyLoss(_WeightedLoss):
    """Cross entropy of a linear layer's output: CrossEntropyLoss()(Linear(in_features, num_classes)(input), target).

    Args:
        in_features: the number of features of the input.
        num_classes: the number of classes.
        out_features: further dims of the loss: the logits are (N, num_classes, *out_features).
            Default: ().
        bias: whether the linear layer has a bias. Default: False.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default:
            "mean".
        weight: one weight for each class, of shape (C,). None (the default) weighs all with 1.
        ignore_index: a class that is left out. None (the default) leaves out none.
        label_smoothing: how much of the probability is spread evenly over all classes, in [0, 1].
            Default: 0.0.
        options: a LinearCrossEntropyOptions; it changes no result. None (the default) sets none.

    Shape: input (N, in_features) or (in_features), target as for CrossEntropyLoss.

    Attributes:
        linear: Linear(in_features, num_classes * prod(out_features)).

    >>> loss = nn.LinearCrossEntropyLoss(8, 3)
    >>> tuple(loss.linear.weight.shape), loss(torch.ones(4, 8), torch.tensor([0, 1, 2, 0])).shape
    ((3, 8), torch.Size([]))
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: Any = None,
    ) -> None:
        super().__init__(weight, None, None, reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.options = options
        size = num_classes * math.prod(out_features)
        self.linear = Linear(in_features, size, bias=bias, device=device, dtype=dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        weight, bias = self.linear.weight, self.linear.bias
        shape = (self.num_classes, *self.out_features)
        return F.linear_cross_entropy(
            input,
            weight.reshape(*shape, weight.shape[1]) if self.out_features else weight,
            target,
            linear_bias=bias.reshape(shape) if bias is not None and self.out_features else bias,
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, "
            f"bias={self.linear.bias is not None}, reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )
