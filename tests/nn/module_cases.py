"""One case for each module class: constructor arguments and inputs, for torch and for us alike.
More are in module_options.py.

Inputs are numpy arrays or tuples of them; indices and targets are integers. A case whose `random` is set draws numbers
in training. Classes without a mode are run once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

_rng = np.random.default_rng(7)


def f(*shape: int) -> np.ndarray:
    """Distinct normal numbers away from 0 and from each other."""
    values = (_rng.permutation(math.prod(shape)) - math.prod(shape) / 2 + 0.25) * 0.13
    return values.reshape(shape).astype(np.float32)


def p(*shape: int) -> np.ndarray:
    """Numbers in (0.1, 0.9)."""
    return (0.1 + 0.8 * _rng.random(shape)).astype(np.float32)


def i(*values: Any) -> np.ndarray:
    """Integers."""
    return np.array(values)


def s(*shape: int) -> np.ndarray:
    """Signs."""
    return np.where(_rng.random(shape) < 0.5, -1.0, 1.0).astype(np.float32)


@dataclass
class Case:
    """`make(nn, torch)` builds the module; `inputs` are what it is called with."""

    name: str
    make: Any
    inputs: tuple
    random: bool = False
    modes: tuple[bool, ...] = (True,)
    fixed: tuple[int, ...] = ()
    dtype: str = "float32"


CASES: list[Case] = []


BOTH = ("BatchNorm", "InstanceNorm", "Dropout", "RReLU", "MultiheadAttention", "Transformer", "GRU")
"""Classes that act otherwise in eval mode."""


def case(
    name: str,
    *inputs: Any,
    args: tuple = (),
    random: bool = False,
    fixed: tuple = (),
    to: str = "float32",
    make: Any = None,
    **kwargs: Any,
) -> None:
    """Adds a case; arguments of the constructor that are arrays become tensors.

    fixed: inputs that take no gradient. to: the dtype of the module and its inputs. make: builds the module, if not its
    class does.
    """

    def build(nn: Any, torch: Any) -> Any:
        def own(x: Any) -> Any:
            return torch.tensor(x) if isinstance(x, np.ndarray) else x

        return getattr(nn, name)(*[own(a) for a in args], **{k: own(v) for k, v in kwargs.items()})

    modes = (True, False) if any(part in name for part in BOTH) else (True,)
    CASES.append(Case(name, make or build, inputs, random, modes, fixed, to))


# -- linear, convolution
case("Identity", f(2, 3), args=(5,))
case("Linear", f(2, 3), args=(3, 4))
case("Linear", f(3), args=(3, 2), bias=False)
case("Bilinear", f(2, 3), f(2, 4), args=(3, 4, 2))
case("Conv1d", f(2, 4, 6), args=(4, 6, 3), stride=2, padding=1, groups=2)
case("Conv1d", f(2, 5), args=(2, 3, 2), padding="same", bias=False)
case("Conv2d", f(2, 2, 5, 4), args=(2, 3, (3, 2)), padding=(1, 0), dilation=(1, 2))
case("Conv2d", f(1, 2, 4, 4), args=(2, 2, 3), padding=1, padding_mode="reflect")
case("Conv2d", f(1, 2, 4, 4), args=(2, 2, 3), padding=1, padding_mode="circular")
case("Conv3d", f(1, 2, 3, 4, 3), args=(2, 2, 2), padding_mode="replicate", padding=(0, 1, 0))
case("ConvTranspose1d", f(2, 4, 4), args=(4, 6, 3), stride=2, output_padding=1, groups=2)
case("ConvTranspose2d", f(1, 2, 3, 3), args=(2, 3, 2), stride=(2, 1), padding=(1, 0), dilation=2)
case("ConvTranspose3d", f(1, 1, 2, 2, 2), args=(1, 2, 2), bias=False)

# -- lazy
case("LazyLinear", f(2, 3), args=(4,))
for n, shape in ((1, (2, 2, 5)), (2, (1, 2, 4, 4)), (3, (1, 2, 3, 3, 3))):
    case(f"LazyConv{n}d", f(*shape), args=(3, 2))
    case(f"LazyConvTranspose{n}d", f(*shape), args=(3, 2), stride=2)
    case(f"LazyBatchNorm{n}d", f(*shape))
    case(f"LazyInstanceNorm{n}d", f(*shape))

# -- pooling
for n, shape in ((1, (2, 2, 6)), (2, (1, 2, 6, 5)), (3, (1, 2, 4, 5, 4))):
    case(f"MaxPool{n}d", f(*shape), args=(2,), stride=1, padding=1, ceil_mode=True)
    case(f"AvgPool{n}d", f(*shape), args=(2,), padding=1, count_include_pad=False)
    case(f"LPPool{n}d", p(*shape), args=(2, 2))
    case(f"AdaptiveAvgPool{n}d", f(*shape), args=(3,))
    case(f"AdaptiveMaxPool{n}d", f(*shape), args=(3,), return_indices=True)
case("MaxUnpool1d", f(1, 2, 2), i([[0, 3], [1, 2]]), args=(2,))
case("MaxUnpool2d", f(1, 1, 1, 2), i([[[0, 7]]]), args=((2, 2),))
case("MaxUnpool3d", f(1, 1, 1, 1, 2), i([[[[5, 8]]]]), args=(2, 2))
case("FractionalMaxPool2d", f(1, 2, 6, 5), args=(2,), output_size=(3, 2), _random_samples=p(1, 2, 2))
case(
    "FractionalMaxPool3d",
    f(1, 1, 4, 5, 4),
    args=(2,),
    output_ratio=(0.5, 0.5, 0.5),
    _random_samples=p(1, 1, 3),
)

# -- padding, shapes
for n, shape in ((1, (1, 2, 4)), (2, (1, 2, 4, 3)), (3, (1, 1, 3, 3, 4))):
    case(f"ConstantPad{n}d", f(*shape), args=(1, 2.5))
    case(f"ZeroPad{n}d", f(*shape), args=((1, 2) * n,))
    case(f"ReflectionPad{n}d", f(*shape), args=(1,))
    case(f"ReplicationPad{n}d", f(*shape), args=((2, 1) * n,))
    case(f"CircularPad{n}d", f(*shape), args=(1,))
case("Flatten", f(2, 3, 2))
case("Unflatten", f(2, 6), args=(1, (2, 3)))
case("Fold", f(1, 8, 4), args=((3, 3), (2, 2)))
case("Unfold", f(1, 2, 3, 4), args=(2,), padding=1, stride=2)
case("PixelShuffle", f(1, 4, 2, 2), args=(2,))
case("PixelUnshuffle", f(1, 1, 4, 4), args=(2,))
case("ChannelShuffle", f(1, 4, 2), args=(2,))
case("Upsample", f(1, 2, 3, 3), scale_factor=2, mode="bilinear")
case("Upsample", f(1, 2, 3), size=5)
case("UpsamplingNearest2d", f(1, 1, 2, 3), scale_factor=2)
case("UpsamplingBilinear2d", f(1, 1, 2, 3), size=(3, 4))

# -- normalization
for n, shape in ((1, (3, 2, 4)), (2, (2, 2, 3, 2)), (3, (2, 2, 2, 2, 2))):
    case(f"BatchNorm{n}d", f(*shape), args=(2,), momentum=0.3)
    case(f"InstanceNorm{n}d", f(*shape), args=(2,), affine=True, track_running_stats=True)
case("BatchNorm1d", f(4, 3), args=(3,), momentum=None, bias=False)
case("BatchNorm1d", f(4, 3), args=(3,), affine=False, track_running_stats=False)
case("SyncBatchNorm", f(4, 3), args=(3,))
case("LayerNorm", f(2, 3, 4), args=((3, 4),))
case("LayerNorm", f(2, 4), args=(4,), bias=False, eps=1e-3)
case("GroupNorm", f(2, 4, 3), args=(2, 4))
case("RMSNorm", f(2, 4), args=(4,), eps=1e-3)
case("LocalResponseNorm", f(1, 4, 3), args=(2,))
case("CrossMapLRN2d", f(1, 6, 2, 1), args=(3,), alpha=0.5)

# -- activations
for name in (
    "ReLU ReLU6 SELU GELU SiLU Mish Sigmoid LogSigmoid Tanh Tanhshrink Softsign Softplus Softshrink Hardshrink Hardsigmoid "
    "Hardswish Hardtanh ELU CELU LeakyReLU"
).split():
    case(name, f(3, 4))
case("ReLU", f(3, 4), inplace=False)
case("GELU", f(3, 4), approximate="tanh")
case("ELU", f(3, 4), alpha=0.5)
case("Hardtanh", f(3, 4), args=(-0.4, 0.3))
case("Threshold", f(3, 4), args=(0.1, 2.0))
case("PReLU", f(2, 3), num_parameters=3)
case("GLU", f(2, 4))
case("RReLU", f(2, 4), args=(0.2, 0.4), random=True)
case("Softmax", f(2, 4), dim=1)
case("LogSoftmax", f(2, 4), dim=0)
case("Softmin", f(2, 4), dim=1)
case("Softmax2d", f(1, 3, 2, 2))
for name, shape in (
    ("Dropout", (3, 4)), ("Dropout1d", (2, 3, 4)), ("Dropout2d", (2, 3, 2, 2)), ("Dropout3d", (1, 2, 2, 2, 2)),
    ("AlphaDropout", (3, 4)), ("FeatureAlphaDropout", (2, 3, 4)),
):  # fmt: skip
    case(name, f(*shape), args=(0.4,), random=True)

# -- embeddings, distances
case("Embedding", i([0, 2], [1, 1]), args=(4, 3), padding_idx=1)
case("EmbeddingBag", i([0, 2, 1], [1, 1, 3]), args=(4, 3), mode="sum")
case("CosineSimilarity", f(2, 3), f(2, 3), dim=1)
case("PairwiseDistance", f(2, 3), f(2, 3), p=1.5)

# -- losses
for name in "L1Loss MSELoss SmoothL1Loss HuberLoss".split():
    case(name, f(2, 3), f(2, 3))
case("HuberLoss", f(2, 3), f(2, 3), reduction="sum", delta=0.3)
case("NLLLoss", f(3, 4), i(0, 3, 1), weight=p(4))
case("CrossEntropyLoss", f(3, 4), i(0, 3, 1), weight=p(4), label_smoothing=0.1, ignore_index=3)
case("CrossEntropyLoss", f(3, 4), p(3, 4), reduction="none")
case("LinearCrossEntropyLoss", f(2, 5), i([0, 2], [1, 1]), args=(5, 3), out_features=(2,), bias=True)
case("BCELoss", p(2, 3), p(2, 3))
case("BCEWithLogitsLoss", f(2, 3), p(2, 3), pos_weight=p(3))
case("KLDivLoss", f(2, 3), p(2, 3), reduction="batchmean")
case("PoissonNLLLoss", f(2, 3), p(2, 3), full=True)
case("GaussianNLLLoss", f(2, 3), f(2, 3), p(2, 3))
case("HingeEmbeddingLoss", f(2, 3), s(2, 3), fixed=(1,))
case("MarginRankingLoss", f(4), f(4), s(4), margin=0.2, fixed=(2,))
case("SoftMarginLoss", f(2, 3), s(2, 3), fixed=(1,))
case("CosineEmbeddingLoss", f(2, 3), f(2, 3), s(2), margin=0.1, fixed=(2,))
case("TripletMarginLoss", f(2, 3), f(2, 3), f(2, 3), swap=True)
case("TripletMarginWithDistanceLoss", f(2, 3), f(2, 3), f(2, 3))
case("MultiMarginLoss", f(2, 3), i(0, 2), weight=p(3))
case("MultiLabelMarginLoss", f(2, 3), i([2, 0, -1], [1, -1, 0]))
case("MultiLabelSoftMarginLoss", f(2, 3), p(2, 3))
case("CTCLoss", f(5, 2, 4), i([1, 2, 2], [1, 3, 0]), (5, 4), (3, 2))
case(
    "AdaptiveLogSoftmaxWithLoss", f(4, 8), i(0, 9, 4, 6), args=(8, 10, [3, 6]), div_value=2.0, head_bias=True
)

# -- recurrent, attention
for name in ("RNN", "LSTM", "GRU"):
    case(name, f(3, 2, 4), args=(4, 3), num_layers=2, bidirectional=True)
    case(f"{name}Cell", f(2, 4), args=(4, 3))
case("MultiheadAttention", f(3, 2, 4), f(5, 2, 4), f(5, 2, 4), args=(4, 2))
case("TransformerEncoderLayer", f(3, 2, 4), args=(4, 2, 6, 0.0))
case("TransformerDecoderLayer", f(3, 2, 4), f(5, 2, 4), args=(4, 2, 6, 0.0))
case("Transformer", f(3, 2, 4), f(2, 2, 4), args=(4, 2, 1, 1, 6, 0.0))
