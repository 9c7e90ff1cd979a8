"""Samples of nn/functional/loss.py and nn/functional/loss_class.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(106)


def _f(*shape, dtype=np.float32):
    return _rng.normal(size=shape).astype(dtype)


def _p(*shape):
    """Between 0.1 and 0.9."""
    return _rng.uniform(0.1, 0.9, size=shape).astype(np.float32)


def _c(*shape, classes=3):
    return T(_rng.integers(classes, size=shape))


def _y(*shape):
    """-1 or 1."""
    return T(_rng.choice([-1.0, 1.0], size=shape).astype(np.float32), grad=False)


_D = np.float64
_BAD = "foo is not a valid value for reduction"
_SIZES = "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"


def _regression(*more) -> list[Sample]:
    return [
        Sample(T(_f(2, 3)), T(_f(2, 3))),
        Sample(T(_f(2, 3)), T(_f(2, 3)), reduction="sum"),
        Sample(T(_f(2, 3, dtype=_D)), T(_f(2, 3, dtype=_D)), reduction="none"),
        Sample(T(_f()), T(_f())),
        Sample(T(_f(2, 3)), T(_f(2, 3)), reduction="foo").raises(ValueError, _BAD),
        *more,
    ]


SAMPLES: dict[str, list[Sample]] = {
    "nn.functional.mse_loss": _regression(
        Sample(T(_f(2, 3)), T(_f(2, 3)), weight=T(_p(2, 3))),
        Sample(T(np.arange(4, dtype=np.int16)), T(np.zeros(4, np.int16)), weight=T(np.float32([1, 2, 3, 4]))),
        Sample(T(_f(2, 3)), T(_f(3, dtype=_D))),
        Sample(T(_f(3), dtype="bfloat16", grad=False), T(_f(3), dtype="bfloat16", grad=False)),
        Sample(T(_f(2, 3)), T(_f(4))).raises(RuntimeError, _SIZES),
        Sample(T(np.ones(2, int)), T(np.ones(2, int))).raises(
            NotImplementedError, "\"mse_cpu\" not implemented for 'Long'"
        ),
    ),
    "nn.functional.l1_loss": _regression(
        Sample(T(_f(2, 3)), T(_f(2, 3)), weight=T(_p(2, 3)), reduction="sum"),
        Sample(T(np.ones(2, int)), T(np.zeros(2, int)), reduction="sum"),
        Sample(T(np.ones(2, int)), T(np.ones(2, int))).raises(
            RuntimeError, "mean(): could not infer output dtype."
        ),
    ),
    "nn.functional.smooth_l1_loss": _regression(
        Sample(T(_f(2, 3)), T(_f(2, 3)), beta=0.3),
        Sample(T(_f(2, 3)), T(_f(2, 3)), beta=0.0),
        Sample(T(_f(2, 3)), T(_f(2, 3)), beta=-1.0).raises(
            RuntimeError, "does not support negative values for beta."
        ),
    ),
    "nn.functional.huber_loss": _regression(
        Sample(T(_f(2, 3)), T(_f(2, 3)), "mean", 0.3),
        Sample(T(_f(2, 3)), T(_f(2, 3)), weight=T(_p(2, 3))),
        Sample(T(_f(2)), T(_f(2)), delta=0.0).raises(
            RuntimeError, "does not support non-positive values for delta."
        ),
    ),
    "nn.functional.binary_cross_entropy": [
        Sample(T(_p(2, 3)), T(_p(2, 3))),
        Sample(T(_p(2, 3)), T(_p(2, 3)), T(_p(3), grad=False), reduction="sum"),
        Sample(T(_p(2, 3)), T(_p(2, 3)), reduction="none"),
        Sample(T(np.array([0.0, 1.0], np.float32)), T(np.array([1.0, 1.0], np.float32), grad=False)).options(
            gradgrad=False,
            differences=False,
            why="torch bounds the derivative at 0 and 1 in its own way, and nothing lies beyond",
        ),
        Sample(T(_p(2, 3)), T(_p(3))).raises(
            ValueError, "Using a target size (torch.Size([3])) that is different"
        ),
    ],
    "nn.functional.binary_cross_entropy_with_logits": [
        Sample(T(_f(2, 3)), T(_p(2, 3))),
        Sample(T(_f(2, 3)), T(_p(2, 3)), T(_p(3), grad=False), reduction="sum"),
        Sample(T(_f(2, 3)), T(_p(2, 3)), pos_weight=T(_p(3), grad=False), reduction="none"),
        Sample(T(np.array([-300.0, 0.0, 300.0], np.float32)), T(_p(3))),
        Sample(T(_f(2, 3)), T(_p(3))).raises(
            ValueError, "Target size (torch.Size([3])) must be the same as input size (torch.Size([2, 3]))"
        ),
    ],
    "nn.functional.kl_div": [
        Sample(T(np.log(_p(2, 3))), T(_p(2, 3))),
        Sample(T(np.log(_p(2, 3))), T(_p(2, 3)), reduction="batchmean"),
        Sample(T(np.log(_p(2, 3))), T(np.log(_p(2, 3))), reduction="sum", log_target=True),
        Sample(T(np.log(_p(3))), T(np.array([0.0, 0.4, 0.6], np.float32), grad=False), reduction="none"),
        Sample(T(np.ones(2, int)), T(np.ones(2, int))).raises(
            RuntimeError, "kl_div: Integral inputs not supported."
        ),
    ],
    "nn.functional.poisson_nll_loss": [
        Sample(T(_f(2, 3)), T(_p(2, 3))),
        Sample(T(_p(2, 3)), T(_p(2, 3) * 4), log_input=False, full=True),
        Sample(T(_f(2, 3)), T(_p(2, 3) * 4), full=True, reduction="sum"),
        Sample(T(_f(3)), _c(3), reduction="none"),
        Sample(T(_f(2)), T(_f(2)), reduction="foo").raises(ValueError, _BAD),
    ],
    "nn.functional.gaussian_nll_loss": [
        Sample(T(_f(2, 3)), T(_f(2, 3)), T(_p(2, 3))),
        Sample(T(_f(2, 3)), T(_f(2, 3)), T(_p(2, 1)), full=True, reduction="sum"),
        Sample(T(_f(2, 3)), T(_f(2, 3)), T(_p(2)), eps=1e-3, reduction="none"),
        Sample(T(_f(2, 3)), T(_f(2, 3)), 0.5),
        Sample(T(_f(2, 3)), T(_f(2, 3)), T(_p(2, 4))).raises(ValueError, "var is of incorrect size"),
        Sample(T(np.ones(2, np.complex64)), T(np.ones(2, np.complex64)), 0.5).raises(
            NotImplementedError, "clamp is not supported for complex types"
        ),
    ],
    "nn.functional.hinge_embedding_loss": [
        Sample(T(_f(2, 3)), _y(2, 3)),
        Sample(T(_f(2, 3)), _y(2, 3), 0.3, reduction="sum"),
        Sample(T(_f(2, 3)), _y(3), reduction="none"),
    ],
    "nn.functional.margin_ranking_loss": [
        Sample(T(_f(4)), T(_f(4)), _y(4)),
        Sample(T(_f(4)), T(_f(4)), _y(4), 0.5, reduction="sum"),
        Sample(T(_f(2, 3)), T(_f(2, 3)), _y(2, 1), reduction="none"),
        Sample(T(_f(2)), T(_f(2)), _y(2, 1)).raises(
            RuntimeError, "margin_ranking_loss : All input tensors should have same dimension but got sizes:"
        ),
    ],
    "nn.functional.cosine_embedding_loss": [
        Sample(T(_f(4, 3)), T(_f(4, 3)), _y(4)),
        Sample(T(_f(4, 3)), T(_f(4, 3)), _y(4), 0.3, reduction="none"),
        Sample(T(_f(3)), T(_f(3)), _y()),
        Sample(T(np.array([[1, 2], [3, 4]])), T(np.array([[1, 0], [3, 1]])), T(np.array([1, -1])), 0.1),
        Sample(T(np.full((2, 2), 100, np.uint8)), T(_f(2, 2)), _y(2)),
        Sample(T(_f(3)), T(_f(3)), _y(1)).raises(
            RuntimeError,
            "1D target tensor expects 2D input tensors, but found inputs with sizes [3] and [3].",
        ),
    ],
    "nn.functional.triplet_margin_loss": [
        Sample(T(_f(4, 3)), T(_f(4, 3)), T(_f(4, 3))),
        Sample(T(_f(4, 3)), T(_f(4, 3)), T(_f(4, 3)), 0.5, 1.0, swap=True, reduction="sum"),
        Sample(T(_f(4, 3)), T(_f(4, 3)), T(_f(4, 3)), reduction="none"),
        Sample(T(_f(2, 3)), T(_f(2, 3)), T(_f(2, 3)), margin=-1.0).raises(
            ValueError, "margin must be greater than 0, got -1.0"
        ),
    ],
    "nn.functional.soft_margin_loss": [
        Sample(T(_f(2, 3)), _y(2, 3)),
        Sample(T(_f(2, 3)), _y(2, 3), reduction="none"),
        Sample(T(_f(2, 3)), _y(3), reduction="sum"),
    ],
    "nn.functional.nll_loss": [
        Sample(T(_f(4, 3)), _c(4)),
        Sample(T(_f(4, 3)), _c(4), T(_p(3), grad=False)),
        Sample(T(_f(4, 3)), T(np.array([0, 1, 1, 2])), ignore_index=1, reduction="none"),
        Sample(T(_f(2, 3, 4)), _c(2, 4), reduction="sum"),
        Sample(T(_f(2, 3, 2, 2)), _c(2, 2, 2), T(_p(3), grad=False)),
        Sample(T(_f(3)), _c()),
        Sample(T(_f(2, 3)), _c(3)).raises(
            ValueError, "Expected input batch_size (2) to match target batch_size (3)."
        ),
        Sample(T(_f(2, 3)), T(_f(2))).raises(
            RuntimeError, "expected target dtype to be Long or Byte, but got Float"
        ),
    ],
    "nn.functional.cross_entropy": [
        Sample(T(_f(4, 3)), _c(4)),
        Sample(T(_f(4, 3) * 100), _c(4), reduction="sum"),
        Sample(T(_f(4, 3, dtype=_D)), _c(4), T(_p(3).astype(_D), grad=False), reduction="none"),
        Sample(T(_f(4, 3)), T(np.array([0, 1, 1, 2])), T(_p(3), grad=False), ignore_index=1),
        Sample(T(_f(2, 3, 4)), _c(2, 4), label_smoothing=0.2),
        Sample(T(_f(4, 3)), T(np.array([0, 1, 1, 2])), T(_p(3), grad=False), None, 1, label_smoothing=0.3),
        Sample(T(_f(2, 3, 2, 2)), _c(2, 2, 2)),
        Sample(T(_f(3)), _c(), label_smoothing=0.1, reduction="none"),
        Sample(T(_f(4, 3)), T(_p(4, 3))),
        Sample(T(_f(2, 3, 2)), T(_p(2, 3, 2)), T(_p(3), grad=False), label_smoothing=0.2),
        Sample(T(_f(3)), T(_p(3)), reduction="sum"),
        Sample(T(_f(4, 3), dtype="bfloat16", grad=False), _c(4)),
        Sample(T(_f(2, 3)), _c(3)).raises(
            ValueError, "Expected input batch_size (2) to match target batch_size (3)."
        ),
        Sample(T(_f(2, 3)), _c(2, 3)).raises(
            RuntimeError, "Expected floating point type for target with class probabilities, got Long"
        ),
        Sample(T(_f(2, 3)), _c(2), label_smoothing=1.5).raises(
            RuntimeError, "label_smoothing must be between 0.0 and 1.0. Got: 1.5"
        ),
        Sample(T(_f(2, 3)), _c(2), T(_p(4))).raises(
            RuntimeError, "weight tensor should be defined either for all 3 classes or no classes"
        ),
    ],
    "nn.functional.multi_margin_loss": [
        Sample(T(_f(4, 3)), _c(4)).options(
            gradgrad=False, why="torch has no second derivative of multi_margin_loss"
        ),
        Sample(T(_f(4, 3)), _c(4), 2, 0.5, T(_p(3), grad=False), reduction="sum").options(
            gradgrad=False, why="torch has no second derivative of multi_margin_loss"
        ),
        Sample(T(_f(3)), _c(), reduction="none").options(
            gradgrad=False, why="torch has no second derivative of multi_margin_loss"
        ),
        Sample(T(_f(4, 3)), _c(4), p=3).raises(ValueError, "only p == 1 and p == 2 supported"),
    ],
    "nn.functional.multilabel_margin_loss": [
        Sample(T(_f(2, 4)), T(np.array([[3, 0, -1, 1], [0, -1, 2, 2]]))).options(
            gradgrad=False, why="torch has no second derivative of multilabel_margin_loss"
        ),
        Sample(T(_f(4)), T(np.array([3, 0, -1, 1])), reduction="sum").options(
            gradgrad=False, why="torch has no second derivative of multilabel_margin_loss"
        ),
        Sample(T(_f(2, 3)), _c(2, 4)).raises(
            RuntimeError, "inconsistent target size: [2, 4] for input of size: [2, 3]"
        ),
    ],
    "nn.functional.multilabel_soft_margin_loss": [
        Sample(T(_f(2, 3)), T(_p(2, 3), grad=False)),
        Sample(T(_f(2, 3)), T(_p(2, 3), grad=False), T(_p(3), grad=False), reduction="none"),
        Sample(T(_f(2, 3)), T(_p(3), grad=False), reduction="sum"),
    ],
}

SAMPLES["nn.functional.linear_cross_entropy"] = [
    Sample(T(_f(4, 5)), T(_f(3, 5)), T(np.array([0, 2, 1, 1])), ignore_index=1, linear_bias=T(_f(3))),
    Sample(
        T(_f(2, 4)), T(_f(3, 2, 4)), T(np.array([[0, 2], [1, 1]])), linear_bias=T(_f(3, 2)), reduction="sum"
    ),
    Sample(T(_f(4)), T(_f(3, 4)), T(np.array([0.2, 0.3, 0.5], np.float32)), label_smoothing=0.1),
    Sample(T(_f(2, 4)), T(_f(3, 4)), T(np.array([0, 1])), linear_bias=T(_f(4))).raises(
        RuntimeError, "expected linear_bias shape (3,), got (4,)"
    ),
]

SAMPLES["nn.functional.l1_loss"] += [
    Sample(T(np.array([1.0, 2.0, 3.0])), T(np.array([1.0, 2.5, 3.0]))).options(
        differences=False, why="the derivative where they are equal is torch's, 0"
    )
]
