"""What torch calls the derivative of an op: `AddBackward0`. A recorded op may be what several of torch's are, told apart by its arguments.

Ops that torch makes of others (a loss, a norm of rows) are one op here, and are called by their own names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .op import UNSET

__all__ = ["name_of_derivative"]

_RENAMED = {
    "_cast": "ToCopy", "adjoint": "Transpose", "conj_physical": "ConjPhysical", "cross": "LinalgCross", "deg2rad": "Deg2Rad",
    "det": "LinalgDet", "diagflat": "DiagEmbed", "fliplr": "Flip", "flipud": "Flip",
    "inv_ex": "LinalgInvEx", "log1p": "Log1P", "logdet": "Where", "lu_factor_ex": "LinalgLuFactorEx", "matrix_exp": "LinalgMatrixExp",
    "moveaxis": "Permute", "movedim": "Permute", "msort": "Sort", "narrow": "Slice", "norm": "LinalgVectorNorm",
    "pinverse": "LinalgPinv", "positive": "Mul", "qr": "LinalgQr", "rad2deg": "Rad2Deg", "ravel": "View", "reshape": "View",
    "slogdet": "LinalgSlogdet", "square": "Pow", "svd": "LinalgSvd", "swapaxes": "Transpose", "swapdims": "Transpose",
    "tile": "Repeat", "true_divide": "Div", "logsigmoid": "LogSigmoid", "relu6": "Hardtanh", "selu": "Elu", "softmin": "Softmax",
    "cross_entropy": "NllLoss", "softsign": "Div", "tanhshrink": "Sub", "flatten": "View", "unflatten": "View",
    "conv1d": "Convolution", "conv2d": "Convolution", "conv3d": "Convolution", "layer_norm": "NativeLayerNorm",
    "_batch_norm_train": "NativeBatchNorm", "_batch_norm_eval": "NativeBatchNorm", "dropout": "NativeDropout",
    "to": "ToCopy", "outer": "Mul", "ger": "Mul", "solve_ex": "LinalgSolveEx", "solve": "LinalgSolveEx", "svdvals": "LinalgSvd",
    "eigvalsh": "LinalgEigh", "eigvals": "LinalgEig", "lstsq": "LinalgLstsq", "pinv": "LinalgPinv", "inv": "LinalgInvEx",
    "inverse": "LinalgInvEx", "solve_triangular": "LinalgSolveTriangular", "householder_product": "LinalgHouseholderProduct",
    "orgqr": "LinalgHouseholderProduct", "vector_norm": "LinalgVectorNorm", "broadcast_to": "Expand", "hstack": "Cat", "vstack": "Cat",
    "dstack": "Cat", "column_stack": "Cat", "take_along_dim": "Gather", "tensordot": "View", "repeat_interleave": "View",
    "avg_pool1d": "SqueezeBackward1", "avg_pool2d": "AvgPool2D", "avg_pool3d": "AvgPool3D", "max_pool1d": "SqueezeBackward1",
    "max_pool2d": "MaxPool2DWithIndices", "max_pool3d": "MaxPool3DWithIndices", "adaptive_avg_pool2d": "AdaptiveAvgPool2D",
    "adaptive_avg_pool3d": "AdaptiveAvgPool3D", "adaptive_max_pool2d": "AdaptiveMaxPool2D", "adaptive_max_pool3d": "AdaptiveMaxPool3D",
    "conv_transpose1d": "Convolution", "conv_transpose2d": "Convolution", "conv_transpose3d": "Convolution", "fold": "Col2Im",
    "group_norm": "NativeGroupNorm", "prelu": "PreluKernel", "rrelu": "RreluWithNoise", "normalize": "Div",
    "max_unpool2d": "MaxUnpool2D", "max_unpool3d": "MaxUnpool3D", "cosine_similarity": "SumBackward1",
}  # fmt: skip

_RENAMED |= {
    "_copy": "torch::autograd::CopyBackwards",
    "_cholesky_ex": "LinalgCholeskyEx", "cholesky_ex": "LinalgCholeskyEx", "lu": "LinalgLu", "lu_solve": "LinalgLuSolve", "imag": "Select",
    "fftshift": "Roll", "ifftshift": "Roll", "fft": "FftC2C", "fft2": "FftC2C", "fftn": "FftC2C", "ifft": "FftC2C", "ifft2": "FftC2C",
    "ifftn": "FftC2C", "rfft": "FftR2C", "rfft2": "FftR2C", "rfftn": "FftR2C", "irfft": "FftC2R", "irfft2": "FftC2R", "irfftn": "FftC2R",
    "hfft": "FftC2R", "hfft2": "FftC2R", "hfftn": "FftC2R", "ihfft2": "FftC2C", "ihfftn": "FftC2C",
}  # fmt: skip

_OF_A_DIM = ("sum", "mean", "prod", "median", "nanmedian", "squeeze")
"""Ops that are `Backward1` when a dimension is given."""
_OF_ALL_TENSORS = {
    "remainder": 2, "fmod": 2, "clamp_max": 2, "clamp_min": 2, "fill": 2, "masked_fill": 3, "index_fill": 3, "lerp": 3,
}  # fmt: skip
"""Ops that are `Backward1` when all of so many operands are tensors."""


def _dim_given(static: tuple) -> bool:
    return bool(static) and static[0] is not None and static[0] is not UNSET


def _extremum(name: str, static: tuple, ranks: Sequence[int]) -> str:
    if len(ranks) == 2:
        return f"{name}imumBackward0"
    return f"{name}Backward{int(not _dim_given(static))}"


def _product(static: tuple, ranks: Sequence[int]) -> str:
    named = {(1, 1): "Dot", (2, 2): "Mm", (2, 1): "Mv", (1, 2): "Squeeze"}
    name = named.get(tuple(ranks[:2]), "UnsafeView")
    return f"{name}Backward{4 if name == 'Squeeze' else 0}"


def _linear(static: tuple, ranks: Sequence[int]) -> str:
    biased = len(ranks) == 3
    return {1: "View" if biased else "Squeeze", 2: "Addmm" if biased else "Mm"}.get(
        ranks[0], "View" if biased else "UnsafeView"
    ) + ("Backward4" if ranks[0] == 1 and not biased else "Backward0")


_BY_ARGUMENTS: dict[str, Callable[[tuple, Sequence[int]], str]] = {
    "max": lambda static, ranks: _extremum("Max", static, ranks),
    "min": lambda static, ranks: _extremum("Min", static, ranks),
    "matmul": _product,
    "linear": _linear,
    "copysign": lambda static, ranks: f"CopysignBackward{int(len(ranks) == 1)}",
    "rsub": lambda static, ranks: f"RsubBackward{int(len(ranks) == 1)}",
    "diag": lambda static, ranks: "DiagEmbedBackward0" if ranks[0] == 1 else "DiagonalBackward0_copy",
    "div": lambda static, ranks: f"DivBackward{2 if static and static[0] is not None else 0}",
    "clamp": lambda static, ranks: f"ClampBackward{int(len(ranks) == 1)}",
}


def name_of_derivative(op: str, static: tuple | None, ranks: Sequence[int | None]) -> str:
    """torch's name of an op's derivative; `static` are its static arguments, `ranks` the numbers of dimensions of its tensors, with None
    for its numbers."""
    short = op.rsplit(".", 1)[-1]
    static = static or ()
    if short == "pow":
        return f"PowBackward{2 if ranks[0] is None else 0 if None in ranks or len(ranks) == 1 else 1}"
    ranks = [r for r in ranks if r is not None]
    if short.endswith("_put") and short != "index_put":  # a write to a view
        return "CopySlices"
    if short in _BY_ARGUMENTS:
        return _BY_ARGUMENTS[short](static, ranks)
    name = _RENAMED.get(short)
    if name is None:
        name = "".join(w[:1].upper() + w[1:] for w in short.strip("_").split("_"))
    if short in _OF_A_DIM and _dim_given(static):
        return f"{name}Backward1"
    if len(ranks) == _OF_ALL_TENSORS.get(short):
        return f"{name}Backward1"
    return name if "Backward" in name else f"{name}Backward0"
