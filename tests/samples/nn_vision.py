"""Samples of nn/functional/vision.py, resample.py and attention.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(108)


def _f(*shape, dtype=np.float32):
    return _rng.normal(size=shape).astype(dtype)


def _grid(*shape, reach=0.9):
    """Points whose coordinates are away from the pixels' borders of a 4 x 3 image."""
    return T((_rng.uniform(-reach, reach, size=shape) * 0.97).astype(np.float32))


_MASK = np.array([[True, False, True, True], [True, True, False, False], [False] * 4])

SAMPLES: dict[str, list[Sample]] = {
    "nn.functional.pad": [
        Sample(T(_f(2, 3)), (1, 2)),
        Sample(T(_f(2, 3)), (1, -1, 0, 2), "constant", 1.5),
        Sample(T(np.arange(3)), (1, 1), value=7),
        Sample(T(np.array([True, False])), (1, 1)),
        Sample(T(_f(2, 3)), (2, 1), mode="reflect"),
        Sample(T(_f(1, 3, 4)), (2, 1, 0, 2), mode="reflect"),
        Sample(T(_f(1, 3, 4)), (2, 1, 0, 2), mode="replicate"),
        Sample(T(_f(1, 3, 4)), (2, 1, 0, 3), mode="circular"),
        Sample(T(_f(1, 2, 2, 3)), (1, 1, 1, 0, 0, 1), mode="replicate"),
        Sample(T(_f(2, 3)), (-1, 2), mode="replicate"),
        Sample(T(_f(3)), (1,)).raises(RuntimeError, "Padding length must be divisible by 2"),
        Sample(T(_f(3)), (1, 1), "foo").raises(NotImplementedError, "Unrecognised padding mode foo"),
        Sample(T(_f(2, 3)), (3, 1), "reflect").raises(
            RuntimeError, "Padding size should be less than the corresponding input dimension"
        ),
        Sample(T(_f(3)), (1, 1), "reflect").raises(
            NotImplementedError, "Padding size 2 is not supported for 1D input tensor."
        ),
    ],
    "nn.functional.pixel_shuffle": [
        Sample(T(_f(1, 4, 2, 3)), 2),
        Sample(T(_f(8, 1, 2)), 2),
        Sample(T(_f(1, 3, 2, 2)), 2).raises(RuntimeError, "to be divisible by the square of upscale_factor"),
    ],
    "nn.functional.pixel_unshuffle": [
        Sample(T(_f(1, 1, 4, 2)), 2),
        Sample(T(_f(2, 4, 4)), 2),
        Sample(T(_f(1, 3, 3, 3)), 2).raises(RuntimeError, "pixel_unshuffle expects height to be divisible"),
    ],
    "nn.functional.channel_shuffle": [
        Sample(T(_f(2, 4, 3)), 2),
        Sample(T(_f(1, 3, 2)), 2).raises(RuntimeError, "Number of channels must be divisible by groups."),
    ],
    "nn.functional.unfold": [
        Sample(T(_f(2, 2, 4, 3)), 2),
        Sample(T(_f(1, 2, 4, 4)), (2, 3), dilation=(2, 1), padding=1, stride=2),
        Sample(T(_f(2, 3, 3)), 2),
        Sample(T(_f(1, 3, 4, 4)), 5).raises(
            RuntimeError, "Given input with spatial size (4, 4), kernel_size=(5, 5)"
        ),
    ],
    "nn.functional.fold": [
        Sample(T(_f(2, 8, 6)), (4, 3), 2),
        Sample(T(_f(8, 9)), 4, 2),
        Sample(T(_f(1, 4, 4)), (4, 4), 2, padding=1, stride=3, dilation=2),
        Sample(T(_f(1, 12, 8)), 4, 2).raises(
            RuntimeError, "to match the calculated number of sliding blocks 3 * 3 = 9"
        ),
    ],
    "nn.functional.interpolate": [
        Sample(T(_f(1, 2, 3)), 5),
        Sample(T(_f(1, 2, 3, 2)), scale_factor=2.0),
        Sample(T(_f(1, 2, 3, 4)), (2, 6), mode="nearest-exact"),
        Sample(T(_f(1, 2, 4)), 7, mode="linear"),
        Sample(T(_f(1, 2, 3, 4)), (5, 2), mode="bilinear"),
        Sample(T(_f(1, 2, 3, 4, dtype=np.float64)), (5, 7), mode="bilinear", align_corners=True),
        Sample(T(_f(1, 1, 3, 4)), scale_factor=(1.7, 0.6), mode="bilinear"),
        Sample(T(_f(1, 1, 3, 4)), scale_factor=1.7, mode="bilinear", recompute_scale_factor=True),
        Sample(T(_f(1, 1, 2, 2, 3)), (3, 2, 4), mode="trilinear"),
        Sample(T(_f(1, 1, 4, 4)), (6, 3), mode="bicubic"),
        Sample(T(_f(1, 1, 4, 4)), (6, 7), mode="bicubic", align_corners=True),
        Sample(T(_f(1, 2, 4, 3)), 2, mode="area"),
        Sample(T(_f(1, 2, 3)), 2, mode="bilinear").raises(
            NotImplementedError, "Got 3D input, but bilinear mode needs 4D input"
        ),
        Sample(T(_f(1, 2, 3))).raises(ValueError, "either size or scale_factor should be defined"),
    ],
    "nn.functional.grid_sample": [
        Sample(T(_f(2, 2, 4, 3)), _grid(2, 3, 2, 2), align_corners=False),
        Sample(T(_f(1, 2, 4, 3)), _grid(1, 3, 2, 2, reach=1.6), align_corners=True),
        Sample(T(_f(1, 2, 4, 3)), _grid(1, 3, 2, 2, reach=1.6), padding_mode="border", align_corners=False),
        Sample(
            T(_f(1, 2, 4, 3)), _grid(1, 3, 2, 2, reach=2.6), "bilinear", "reflection", align_corners=False
        ),
        Sample(T(_f(1, 2, 4, 3)), _grid(1, 3, 2, 2, reach=2.6), "bilinear", "reflection", align_corners=True),
        Sample(T(_f(1, 2, 4, 3)), _grid(1, 3, 2, 2), "nearest", align_corners=False),
        Sample(T(_f(1, 1, 4, 4)), _grid(1, 2, 2, 2), "bicubic", align_corners=False).options(
            gradgrad=False, why="torch has no second derivative of bicubic sampling"
        ),
        Sample(T(_f(1, 1, 2, 3, 2)), _grid(1, 2, 2, 1, 3), align_corners=False),
        Sample(T(_f(1, 1, 3, 3)), T(_f(1, 2, 2, 3))).raises(
            RuntimeError, "grid_sampler(): expected grid to have size 2 in last dimension"
        ),
    ],
    "nn.functional.affine_grid": [
        Sample(T(_f(2, 2, 3)), (2, 1, 3, 2), align_corners=False),
        Sample(T(_f(1, 2, 3)), (1, 1, 3, 1), align_corners=True),
        Sample(T(_f(1, 3, 4)), (1, 1, 2, 3, 2), align_corners=False),
        Sample(T(_f(1, 2, 2)), (1, 1, 2, 2)).raises(
            ValueError, "Expected a batch of 2D affine matrices of shape Nx2x3"
        ),
    ],
    "nn.functional.scaled_dot_product_attention": [
        Sample(T(_f(2, 3, 4)), T(_f(2, 5, 4)), T(_f(2, 5, 2))),
        Sample(T(_f(2, 2, 3, 4)), T(_f(2, 2, 3, 4)), T(_f(2, 2, 3, 4)), is_causal=True).options(
            gradgrad=False, why="torch has no second derivative of its flash attention"
        ),
        Sample(T(_f(2, 3, 2)), T(_f(2, 4, 2)), T(_f(2, 4, 2)), T(_f(3, 4)), scale=0.3),
        Sample(T(_f(3, 2)), T(_f(4, 2)), T(_f(4, 3)), T(_MASK[:2].repeat([1, 2], 0))),
        Sample(T(_f(1, 3, 2)), T(_f(1, 4, 2)), T(_f(1, 4, 3)), attn_mask=T(_MASK)),
        Sample(T(_f(1, 4, 3, 2)), T(_f(1, 2, 3, 2)), T(_f(1, 2, 3, 2)), enable_gqa=True).options(
            gradgrad=False, why="torch has no second derivative of its flash attention"
        ),
        Sample(T(_f(2, 3, 4)), T(_f(2, 5, 3)), T(_f(2, 5, 2))).raises(
            RuntimeError,
            "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 3].",
        ),
        Sample(T(_f(2, 3, 4)), T(_f(2, 5, 4)), T(_f(2, 5, 2)), T(_f(3, 5)), is_causal=True).raises(
            RuntimeError, "Explicit attn_mask should not be set when is_causal=True"
        ),
        Sample(*[T(np.ones((1, 3, 2), np.float32))] * 3, T(np.ones((2, 3, 3), bool))).raises(
            RuntimeError, "output with shape [1, 3, 3] doesn't match the broadcast shape [2, 3, 3]"
        ),
    ],
}

SAMPLES["nn.functional.interpolate"] += [
    Sample(T(_f(1, 2, 5, 4)), (3, 6), mode="bilinear", antialias=True),
    Sample(T(_f(1, 1, 7, 3, dtype=np.float64)), scale_factor=(0.4, 1.0), mode="bicubic", antialias=True),
    Sample(T(_f(1, 1, 6, 5)), (2, 3), mode="bicubic", align_corners=True, antialias=True),
    Sample(T(_f(1, 1, 9, 4)), (3, 4), mode="lanczos", antialias=True),
    Sample(T(_f(1, 1, 4, 4)), (2, 2), mode="lanczos").raises(
        ValueError, "Lanczos mode requires antialias=True"
    ),
]

# a scale that changes no size resamples nothing, but for "nearest-exact", "bicubic", and "nearest" of sequences and
# volumes
_OTHER_BACKWARD = "torch's backward is that of another resampling than its forward"
SAMPLES["nn.functional.interpolate"] += [
    Sample(T(_f(1, 1, 12)), scale_factor=1.08).options(grad=False, gradgrad=False, why=_OTHER_BACKWARD),
    Sample(T(_f(1, 1, 5, 12)), scale_factor=(2.06, 1.08)),
    Sample(T(_f(1, 1, 12)), scale_factor=1.08, mode="nearest-exact"),
    Sample(T(_f(1, 1, 12)), scale_factor=1.08, mode="linear"),
    Sample(T(_f(1, 1, 4, 12)), scale_factor=(1.5, 1.08), mode="bilinear"),
    Sample(T(_f(1, 1, 12, 2)), scale_factor=(1.08, 1.5), mode="bicubic"),
    Sample(T(_f(1, 1, 12, 4)), scale_factor=(1.08, 0.6), mode="bilinear", antialias=True).options(
        grad=False, gradgrad=False, why=_OTHER_BACKWARD
    ),
]

_photo = np.random.default_rng(5).integers(0, 256, (2, 3, 7, 5)).astype(np.uint8)
SAMPLES["nn.functional.interpolate"] += [
    Sample(T(_photo), size, **({"mode": mode, "antialias": antialias} | align))
    for size in ((4, 9), (7, 3), (15, 2))
    for mode, antialias, align in (
        ("bilinear", False, {}), ("bilinear", False, {"align_corners": True}), ("bilinear", True, {}), ("bicubic", False, {}),
        ("bicubic", True, {"align_corners": True}), ("lanczos", True, {}),
    )
]  # fmt: skip
SAMPLES["nn.functional.interpolate"] += [
    Sample(T(_photo), scale_factor=(1.7, 1.1), mode="bilinear", antialias=True),
    Sample(T(_photo[0]), 3, mode="linear").raises(
        NotImplementedError, "\"compute_indices_weights_linear\" not implemented for 'Byte'"
    ),
]
