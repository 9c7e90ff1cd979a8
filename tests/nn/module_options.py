"""More cases of module classes: what their options do, other dtypes, inputs without a batch."""

from __future__ import annotations

from tests.nn.module_cases import case, f, i, p, s

# -- linear, convolution
case("Linear", f(2, 2, 3), args=(3, 2))
case("Bilinear", f(3), f(2), args=(3, 2, 2), bias=False)
case("Conv1d", f(2, 3, 6), args=(3, 2, 2), dilation=2, padding=2, padding_mode="replicate")
case("Conv1d", f(3, 6), args=(3, 3, 3), groups=3, padding="valid")
case("Conv2d", f(1, 3, 5, 5), args=(3, 6, 3), stride=(2, 1), padding=(2, 1), groups=3)
case("Conv2d", f(2, 4, 5), args=(2, 3, (1, 2)), padding="same", dilation=(1, 3))
case("Conv3d", f(1, 2, 3, 3, 4), args=(2, 4, (1, 2, 3)), stride=(1, 1, 2), groups=2, bias=False)
case("ConvTranspose1d", f(2, 4), args=(2, 3, 2), stride=3, dilation=2)
case(
    "ConvTranspose2d",
    f(1, 4, 3, 2),
    args=(4, 2, 3),
    stride=2,
    padding=1,
    output_padding=(1, 0),
    groups=2,
    bias=False,
)
case("ConvTranspose3d", f(1, 2, 2, 2, 2), args=(2, 2, (1, 2, 2)), stride=2, output_padding=1)

# -- pooling
case("MaxPool1d", f(2, 7), args=(2,), dilation=2, return_indices=True)
case("MaxPool2d", f(2, 5, 6), args=((2, 3),), stride=(1, 2), padding=(1, 1), return_indices=True)
case("MaxPool3d", f(1, 1, 4, 4, 4), args=(2,), dilation=(1, 2, 1))
case("AvgPool1d", f(1, 2, 7), args=(3,), stride=2, padding=1, ceil_mode=True)
case("AvgPool2d", f(1, 2, 5, 5), args=((2, 3),), stride=2, padding=1, ceil_mode=True, divisor_override=4)
case("AvgPool3d", f(1, 3, 3, 3), args=(2,), stride=1, ceil_mode=True, count_include_pad=True, padding=1)
case("AdaptiveAvgPool2d", f(2, 5, 4), args=((None, 3),))
case("AdaptiveAvgPool3d", f(1, 3, 4, 5), args=((2, None, 1),))
case("AdaptiveMaxPool2d", f(1, 2, 5, 4), args=((2, None),))
case("LPPool1d", p(2, 6), args=(1, 3), stride=2, ceil_mode=True)
case("LPPool2d", p(1, 2, 5, 5), args=(3, (2, 1)), stride=2)
case(
    "FractionalMaxPool2d",
    f(1, 1, 6, 6),
    args=((2, 3),),
    output_ratio=(0.5, 0.4),
    return_indices=True,
    _random_samples=p(1, 1, 2),
)

# -- padding, shapes
case("ConstantPad1d", f(2, 4), args=((-1, 2), 0.5))
case("ConstantPad2d", f(1, 2, 3, 4), args=((-1, 1, 0, 2), -1.0))
case("ConstantPad3d", f(1, 3, 3, 3), args=((1, 0, 2, -1, 0, 1), 3.0))
case("ReflectionPad1d", f(2, 4), args=((2, 1),))
case("ReflectionPad2d", f(2, 4, 3), args=((1, 2, 0, 3),))
case("ReplicationPad2d", f(2, 3, 3), args=((0, 2, 1, 0),))
case("CircularPad2d", f(1, 2, 3, 4), args=((1, 2, 0, 3),))
case("CircularPad1d", f(2, 4), args=((-1, 2),))
case("Flatten", f(2, 3, 2, 2), args=(2,))
case("Flatten", f(2, 3, 2, 2), start_dim=0, end_dim=-2)
case("Unflatten", f(2, 6, 2), args=(-2, (-1, 2)))
case("Fold", f(8, 6), args=((3, 4), 2), stride=(1, 1))
case("Fold", f(1, 4, 3), args=((4, 5), (2, 2)), dilation=(1, 2), padding=(1, 0), stride=(2, 3))
case("Unfold", f(1, 2, 5, 4), args=((2, 3),), dilation=(2, 1), padding=(0, 1), stride=(1, 2))
for mode, options in (
    ("nearest", {"size": (4, 5)}), ("bilinear", {"scale_factor": (1.5, 2.0), "align_corners": True}),
    ("bicubic", {"size": (5, 4), "align_corners": False}), ("nearest", {"scale_factor": 1.7, "recompute_scale_factor": True}),
):  # fmt: skip
    case("Upsample", f(1, 2, 3, 3), mode=mode, **options)
case("Upsample", f(1, 2, 3), size=5, mode="linear", align_corners=True)
case("Upsample", f(1, 1, 2, 3, 2), scale_factor=2, mode="trilinear")

# -- normalization
case("BatchNorm2d", f(2, 2, 3, 2), args=(2,), momentum=None)
case("BatchNorm1d", f(4, 2), args=(2,), eps=0.1, affine=False)
case("BatchNorm3d", f(2, 2, 2, 2, 2), args=(2,), track_running_stats=False)
case("InstanceNorm1d", f(2, 4), args=(2,))
case("InstanceNorm2d", f(2, 2, 3, 2), args=(2,), momentum=0.5, track_running_stats=True)
case("InstanceNorm3d", f(2, 2, 2, 2, 2), args=(2,), affine=True, eps=1e-2)
case("LayerNorm", f(2, 3, 4), args=(4,), elementwise_affine=False)
case("LayerNorm", f(3, 4), args=([3, 4],))
case("GroupNorm", f(2, 6, 3), args=(3, 6), affine=False, eps=0.1)
case("GroupNorm", f(2, 4, 2), args=(4, 4))
case("RMSNorm", f(2, 3, 4), args=((3, 4),), elementwise_affine=False)
case("LocalResponseNorm", f(2, 5, 3, 2), args=(3,), alpha=0.1, beta=0.5, k=2.0)

# -- activations
case("Softplus", f(3, 4), beta=2.0, threshold=0.5)
case("Softshrink", f(3, 4), args=(0.2,))
case("Hardshrink", f(3, 4), args=(0.2,))
case("LeakyReLU", f(3, 4), args=(0.3,))
case("CELU", f(3, 4), alpha=0.4)
case("GLU", f(4, 3), dim=0)
case("PReLU", f(2, 3, 2), init=0.4)
case("Softmax", f(2, 3, 2))
case("LogSoftmax", f(2, 4), dim=-1)
for name in ("ReLU6", "SiLU", "Hardtanh", "LeakyReLU"):
    case(name, f(2, 3), inplace=True, fixed=(0,))
case("Threshold", f(2, 3), args=(0.1, 2.0, True), fixed=(0,))
for name in ("Dropout2d", "AlphaDropout"):
    case(name, f(2, 3, 2, 2), p=1.0)
case("Dropout", f(3, 4), args=(0.3, True), random=True, fixed=(0,))

# -- embeddings, distances
case("Embedding", i([0, 2], [2, 1]), args=(4, 3), max_norm=1.0, norm_type=1.0)
case("Embedding", i(0, 2, 2, 1), args=(4, 3), scale_grad_by_freq=True)
case("EmbeddingBag", i(0, 2, 1, 1, 3), i(0, 2, 2), args=(4, 3))
case("EmbeddingBag", i(0, 2, 1, 1, 3), i(0, 2, 5), args=(4, 3), mode="max", include_last_offset=True)
case("EmbeddingBag", i([0, 2, 1], [1, 1, 3]), args=(4, 3), padding_idx=1)
# PyTorch divides by the count of another row where counts differ, which its documentation does not say; here all are 2.
case("EmbeddingBag", i([0, 2], [2, 0]), args=(4, 3), scale_grad_by_freq=True, mode="sum")
case("EmbeddingBag", i(0, 2, 1, 3), i(0, 3), p(4), args=(4, 3), mode="sum", max_norm=1.0)
case("CosineSimilarity", f(2, 3), f(2, 3), dim=0, eps=1.0)
case("PairwiseDistance", f(2, 3), f(2, 3), p=1.0, keepdim=True)
case("PairwiseDistance", f(3), f(3), p=float("inf"), eps=0.0)

# -- losses
case("L1Loss", f(2, 3), f(2, 3), reduction="sum")
case("SmoothL1Loss", f(2, 3), f(2, 3), reduction="none", beta=0.3)
for reduction in ("none", "sum"):
    case("NLLLoss", f(2, 3, 2), i([0, 2], [1, 1]), reduction=reduction, ignore_index=2)
    case(
        "CrossEntropyLoss",
        f(2, 3, 2),
        i([0, 2], [1, 1]),
        reduction=reduction,
        weight=p(3),
        label_smoothing=0.2,
    )
    case("BCELoss", p(2, 3), p(2, 3), reduction=reduction, weight=p(3))
    case("BCEWithLogitsLoss", f(2, 3), p(2, 3), reduction=reduction, weight=p(2, 1))
    case("KLDivLoss", f(2, 3), f(2, 3), reduction=reduction, log_target=True)
case("PoissonNLLLoss", p(2, 3), p(2, 3), reduction="none", log_input=False, eps=0.1)
case("GaussianNLLLoss", f(2, 3), f(2, 3), p(2, 1), reduction="none", full=True, eps=0.3)
case("HingeEmbeddingLoss", f(2, 3), s(2, 3), fixed=(1,), reduction="none", margin=0.5)
case("MarginRankingLoss", f(4), f(4), s(4), fixed=(2,), reduction="none")
case("SoftMarginLoss", f(2, 3), s(2, 3), fixed=(1,), reduction="none")
case("CosineEmbeddingLoss", f(2, 3), f(2, 3), s(2), fixed=(2,), reduction="none")
case("TripletMarginLoss", f(2, 3), f(2, 3), f(2, 3), reduction="none", p=1.0, margin=0.4, eps=0.1)
case("MultiMarginLoss", f(2, 3), i(0, 2), reduction="none", p=2, margin=0.6)
case("MultiLabelMarginLoss", f(2, 3), i([2, 0, -1], [1, -1, 0]), reduction="none")
case("MultiLabelSoftMarginLoss", f(2, 3), p(2, 3), reduction="none", weight=p(3))
case(
    "CTCLoss",
    f(5, 2, 4),
    i(1, 3, 1, 3, 0),
    (5, 4),
    (3, 2),
    reduction="none",
    blank=2,
    zero_infinity=True,
)
case("CrossEntropyLoss", f(2, 3), p(2, 3), label_smoothing=0.3, weight=p(3))
case("CrossEntropyLoss", f(3), i(1)[0])
case("TripletMarginWithDistanceLoss", f(2, 3), f(2, 3), f(2, 3), margin=0.3, swap=True, reduction="sum")
case("NLLLoss2d", f(1, 3, 2, 2), i([[0, 2], [1, 1]]))
case("AdaptiveLogSoftmaxWithLoss", f(4), i(6)[0], args=(4, 9, [3]))

# -- recurrent
case("RNN", f(3, 4), args=(4, 3), nonlinearity="relu", bias=False)
case("RNN", f(2, 3, 4), f(1, 2, 3), args=(4, 3), batch_first=True)
case("LSTM", f(2, 3, 4), args=(4, 3), batch_first=True, proj_size=2, num_layers=2)
case("LSTM", f(3, 2, 4), (f(2, 2, 3), f(2, 2, 3)), args=(4, 3), bidirectional=True, bias=False)
case("GRU", f(3, 4), f(2, 3), args=(4, 3), num_layers=2)
case("GRU", f(3, 2, 4), args=(4, 3), num_layers=2, dropout=0.5, random=True)
case("RNNCell", f(2, 4), f(2, 3), args=(4, 3), nonlinearity="relu", bias=False)
case("LSTMCell", f(4), (f(3), f(3)), args=(4, 3))
case("GRUCell", f(2, 4), f(2, 3), args=(4, 3), bias=False)

# -- attention
case("MultiheadAttention", f(2, 3, 4), f(2, 5, 3), f(2, 5, 2), args=(4, 2), batch_first=True, kdim=3, vdim=2)
case("MultiheadAttention", f(3, 4), f(5, 4), f(5, 4), args=(4, 1), bias=False)
case(
    "MultiheadAttention",
    f(3, 2, 4),
    f(5, 2, 4),
    f(5, 2, 4),
    args=(4, 2),
    add_bias_kv=True,
    add_zero_attn=True,
)
case("TransformerEncoderLayer", f(2, 3, 4), args=(4, 2, 6, 0.0, "gelu"), batch_first=True, norm_first=True)
case("TransformerEncoderLayer", f(3, 4), args=(4, 1, 3, 0.0), bias=False, layer_norm_eps=0.1)
case(
    "TransformerDecoderLayer",
    f(2, 3, 4),
    f(2, 5, 4),
    args=(4, 2, 6, 0.0, "gelu"),
    batch_first=True,
    norm_first=True,
)
case(
    "TransformerEncoder", f(3, 2, 4),
    make=lambda nn, torch: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 5, 0.0), 2, nn.LayerNorm(4)),
)  # fmt: skip
case(
    "TransformerDecoder", f(3, 2, 4), f(2, 2, 4),
    make=lambda nn, torch: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 5, 0.0), 2, nn.LayerNorm(4)),
)  # fmt: skip
case(
    "Transformer",
    f(2, 3, 4),
    f(2, 2, 4),
    args=(4, 2, 1, 1, 6, 0.0),
    batch_first=True,
    norm_first=True,
    bias=False,
)

# -- other dtypes
for dtype in ("float64", "bfloat16"):
    case("Linear", f(2, 3), args=(3, 2), to=dtype)
    case("Conv2d", f(1, 2, 4, 4), args=(2, 3, 2), stride=2, to=dtype)
    case("BatchNorm2d", f(2, 2, 3, 2), args=(2,), to=dtype)
    case("LayerNorm", f(2, 4), args=(4,), to=dtype)
    case("GroupNorm", f(2, 4, 3), args=(2, 4), to=dtype)
    case("Embedding", i([0, 2], [1, 1]), args=(4, 3), to=dtype)
    case("GELU", f(3, 4), to=dtype)
    case("Softmax", f(2, 4), dim=1, to=dtype)
    case("MSELoss", f(2, 3), f(2, 3), to=dtype)
    case("CrossEntropyLoss", f(3, 4), i(0, 3, 1), to=dtype)
    case("LSTM", f(3, 2, 4), args=(4, 3), to=dtype)
    case("MultiheadAttention", f(3, 2, 4), f(5, 2, 4), f(5, 2, 4), args=(4, 2), to=dtype)
