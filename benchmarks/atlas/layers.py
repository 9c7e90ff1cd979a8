"""Rows of convolutions, pooling, sampling, normalisation, products, attention and linear algebra, at the sizes of
models."""

from __future__ import annotations

import numpy as np

from .rows import Row, floats, rows_of

# name: batch and channels and image, kernel, and what conv is told
CONV = {
    "3×3 64→64 56² ×2": ((2, 64, 56, 56), (64, 64, 3, 3), {"padding": 1}),
    "3×3 128→128 28² ×2": ((2, 128, 28, 28), (128, 128, 3, 3), {"padding": 1}),
    "3×3 256→256 14² ×4": ((4, 256, 14, 14), (256, 256, 3, 3), {"padding": 1}),
    "3×3 512→512 2² ×4": ((4, 512, 2, 2), (512, 512, 3, 3), {"padding": 1}),
    "3×3 512→512 4² ×4": ((4, 512, 4, 4), (512, 512, 3, 3), {"padding": 1}),
    "3×3 256→512 s2 4² ×4": ((4, 256, 4, 4), (512, 256, 3, 3), {"padding": 1, "stride": 2}),
    "3×3 64→128 s2 16² ×8": ((8, 64, 16, 16), (128, 64, 3, 3), {"padding": 1, "stride": 2}),
    "7×7 3→64 s2 64² ×8": ((8, 3, 64, 64), (64, 3, 7, 7), {"padding": 3, "stride": 2}),
    "3×3 1→32 28² ×64": ((64, 1, 28, 28), (32, 1, 3, 3), {}),
    "3×3 32→64 26² ×64": ((64, 32, 26, 26), (64, 32, 3, 3), {}),
    "5×5 6→16 14² ×32": ((32, 6, 14, 14), (16, 6, 5, 5), {}),
    "1×1 64→256 28² ×4": ((4, 64, 28, 28), (256, 64, 1, 1), {}),
    "1×1 512→128 7² ×4": ((4, 512, 7, 7), (128, 512, 1, 1), {}),
    "1×1 256→512 s2 14² ×4": ((4, 256, 14, 14), (512, 256, 1, 1), {"stride": 2}),
    "depthwise 3×3 128 28² ×4": ((4, 128, 28, 28), (128, 1, 3, 3), {"padding": 1, "groups": 128}),
    "depthwise 3×3 s2 96 32² ×4": ((4, 96, 32, 32), (96, 1, 3, 3), {"padding": 1, "groups": 96, "stride": 2}),
    "depthwise 7×7 80 16² ×8": ((8, 80, 16, 16), (80, 1, 7, 7), {"padding": 3, "groups": 80}),
    "depthwise 7×7 320 4² ×8": ((8, 320, 4, 4), (320, 1, 7, 7), {"padding": 3, "groups": 320}),
    "grouped 3×3 128 g32 28² ×4": ((4, 128, 28, 28), (128, 4, 3, 3), {"padding": 1, "groups": 32}),
    "dilated 3×3 64→64 28² ×4": ((4, 64, 28, 28), (64, 64, 3, 3), {"padding": 2, "dilation": 2}),
    "patches 16×16 3→192 224² ×2": ((2, 3, 224, 224), (192, 3, 16, 16), {"stride": 16}),
    "patches 4×4 3→40 64² ×8": ((8, 3, 64, 64), (40, 3, 4, 4), {"stride": 4}),
}
CONV1 = {
    "conv1d 3 64→64 1000 ×8": ((8, 64, 1000), (64, 64, 3), {"padding": 1}),
    "conv1d 9 1→16 4000 ×8": ((8, 1, 4000), (16, 1, 9), {}),
    "conv1d depthwise 4 256 512 ×4": ((4, 256, 512), (256, 1, 4), {"groups": 256, "padding": 3}),
}
CONV3 = {
    "conv3d 3³ 8→16 16³ ×2": ((2, 8, 16, 16, 16), (16, 8, 3, 3, 3), {"padding": 1}),
    "conv3d 3³ 32→32 8³ ×2": ((2, 32, 8, 8, 8), (32, 32, 3, 3, 3), {"padding": 1}),
    "conv3d 3³ 1→8 24³ ×1": ((1, 1, 24, 24, 24), (8, 1, 3, 3, 3), {"padding": 1}),
}
TRANSPOSED = {
    "transposed 4×4 s2 64→32 14² ×8": ((8, 64, 14, 14), (64, 32, 4, 4), {"stride": 2, "padding": 1}),
    "transposed 2×2 s2 128→64 16² ×4": ((4, 128, 16, 16), (128, 64, 2, 2), {"stride": 2}),
    "transposed 4×4 from 1² 100→256 ×16": ((16, 100, 1, 1), (100, 256, 4, 4), {}),
}


def _convolutions() -> list[Row]:
    found: list[Row] = []
    for table, op in (
        (CONV, "conv2d"),
        (CONV1, "conv1d"),
        (CONV3, "conv3d"),
        (TRANSPOSED, "conv_transpose2d"),
    ):
        for name, (x, w, told) in table.items():

            def fn(t, x, w, op=op, told=told):
                return getattr(t.nn.functional, op)(x, w, **told)

            found += rows_of("convolutions", floats(x, w), True, **{name: fn})
    return found


def _pooled() -> list[Row]:
    def F(name, **told):
        return lambda t, *xs: getattr(t.nn.functional, name)(*xs, **told)

    images, line = floats((8, 64, 32, 32)), floats((8, 64, 1000))

    def grid(rng):
        return [*floats((4, 16, 32, 32))(rng), (2 * rng.random((4, 32, 32, 2)) - 1).astype("float32")]

    return [
        *rows_of(
            "pooling and sampling",
            images,
            True,
            **{
                "max_pool2d 2": F("max_pool2d", kernel_size=2),
                "max_pool2d 3 s2": F("max_pool2d", kernel_size=3, stride=2, padding=1),
                "avg_pool2d 2": F("avg_pool2d", kernel_size=2),
                "adaptive_avg_pool2d 1": F("adaptive_avg_pool2d", output_size=1),
                "bilinear ×2": F("interpolate", scale_factor=2, mode="bilinear"),
                "nearest ×2": F("interpolate", scale_factor=2, mode="nearest"),
                "bicubic ×2": F("interpolate", scale_factor=2, mode="bicubic"),
                "pad reflect": F("pad", pad=(2, 2, 2, 2), mode="reflect"),
                "pad replicate": F("pad", pad=(2, 2, 2, 2), mode="replicate"),
                "pad constant": F("pad", pad=(2, 2, 2, 2)),
                "unfold 3×3": F("unfold", kernel_size=3),
                "pixel_shuffle": F("pixel_shuffle", upscale_factor=2),
                "group_norm": F("group_norm", num_groups=8),
                "instance_norm": F("instance_norm"),
                "batch_norm": lambda t, x: t.nn.functional.batch_norm(x, None, None, training=True),
                "local_response_norm": F("local_response_norm", size=5),
            },
        ),
        *rows_of(
            "pooling and sampling",
            line,
            True,
            **{
                "max_pool1d 2": F("max_pool1d", kernel_size=2),
                "avg_pool1d 3": F("avg_pool1d", kernel_size=3),
            },
        ),
        *rows_of(
            "pooling and sampling",
            grid,
            True,
            **{"grid_sample": lambda t, x, g: t.nn.functional.grid_sample(x, g, align_corners=False)},
        ),
        *rows_of(
            "pooling and sampling",
            floats((2, 8, 16, 16, 16)),
            True,
            **{
                "max_pool3d 2": F("max_pool3d", kernel_size=2),
                "avg_pool3d 2": F("avg_pool3d", kernel_size=2),
            },
        ),
    ]


def _products() -> list[Row]:
    def linear(t, x, w, b):
        return t.nn.functional.linear(x, w, b)

    def mm(t, a, b):
        return a @ b

    found: list[Row] = []
    for n, i, o in (
        (1, 784, 512),
        (32, 784, 128),
        (64, 512, 512),
        (256, 256, 1024),
        (4096, 64, 64),
        (1024, 1024, 1024),
    ):
        found += rows_of("products", floats((n, i), (o, i), (o,)), True, **{f"linear {n}×{i}→{o}": linear})
    for b, n in ((256, 16), (64, 64), (16, 128), (1000, 3)):
        found += rows_of("products", floats((b, n, n), (b, n, n)), True, **{f"bmm {b}×{n}²": mm})
    for n in (32, 200, 1000):
        found += rows_of("products", floats((n, n), (n, n)), True, **{f"mm {n}²": mm})
        found += rows_of(
            "products", floats((n, n), (n, n), dtype="float64"), False, **{f"mm float64 {n}²": mm}
        )
    found += rows_of("products", floats((1000, 1000), (1000,)), True, **{"mv 1000²": mm})
    found += rows_of(
        "products",
        floats((4, 8, 128, 64), (4, 8, 128, 64)),
        True,
        **{"einsum scores": lambda t, q, k: t.einsum("bhqd,bhkd->bhqk", q, k)},
    )
    found += rows_of(
        "products",
        floats((64, 32), (64, 32)),
        True,
        **{"einsum outer": lambda t, q, k: t.einsum("bi,bj->bij", q, k)},
    )
    found += rows_of(
        "products",
        floats((64, 32), (32, 32, 16), (64, 32)),
        True,
        **{"einsum bilinear": lambda t, x, w, y: t.einsum("bi,ijk,bj->bk", x, w, y)},
    )

    def vmapped(t, w, x):
        return t.func.vmap(lambda one: t.nn.functional.linear(x, one))(w)

    found += rows_of(
        "products", floats((10, 128, 784), (64, 784)), True, **{"vmap linear 10×784→128": vmapped}
    )
    found += rows_of(
        "products", floats((200, 3), (300, 3)), True, **{"cdist 200×300": lambda t, a, b: t.cdist(a, b)}
    )
    for b, h, n, d in ((2, 8, 512, 64), (8, 8, 128, 64), (4, 4, 64, 32)):
        at = (b, h, n, d)
        found += rows_of(
            "attention",
            floats(at, at, at),
            True,
            **{
                f"sdpa {n}": lambda t, q, k, v: t.nn.functional.scaled_dot_product_attention(q, k, v),
                f"sdpa causal {n}": lambda t, q, k, v: t.nn.functional.scaled_dot_product_attention(
                    q, k, v, is_causal=True
                ),
            },
        )
    found += rows_of(
        "attention",
        floats((4, 8, 1, 64), (4, 8, 512, 64), (4, 8, 512, 64)),
        False,
        **{"sdpa decoding 512": lambda t, q, k, v: t.nn.functional.scaled_dot_product_attention(q, k, v)},
    )
    return found


def _linalg() -> list[Row]:
    def square(*shape, dtype="float32"):
        return lambda rng: [
            (rng.standard_normal(shape) + 3 * np.sqrt(shape[-1]) * np.eye(shape[-1])).astype(dtype)
        ]

    def with_rhs(*shape):
        return lambda rng: [*square(*shape)(rng), rng.standard_normal((*shape[:-1], 4)).astype("float32")]

    found: list[Row] = []
    for shape in ((3, 3), (16, 16), (100, 100), (64, 6, 6), (400, 400)):
        size = "×".join(map(str, shape))
        both = shape != (400, 400)
        found += rows_of(
            "linear algebra",
            square(*shape),
            both,
            **{
                f"inv {size}": lambda t, a: t.linalg.inv(a),
                f"det {size}": lambda t, a: t.linalg.det(a),
                f"cholesky {size}": lambda t, a: t.linalg.cholesky(a @ a.mT),
            },
        )
        found += rows_of(
            "linear algebra",
            with_rhs(*shape),
            both,
            **{
                f"solve {size}": lambda t, a, b: t.linalg.solve(a, b),
                f"solve_triangular {size}": lambda t, a, b: t.linalg.solve_triangular(
                    a.tril(), b, upper=False
                ),
            },
        )
        found += rows_of(
            "linear algebra",
            square(*shape),
            False,
            **{
                f"eigh {size}": lambda t, a: tuple(t.linalg.eigh(a + a.mT)),
                f"svd {size}": lambda t, a: tuple(t.linalg.svd(a)),
                f"qr {size}": lambda t, a: tuple(t.linalg.qr(a)),
            },
        )
        if len(shape) == 2:
            found += rows_of(
                "linear algebra",
                lambda rng, n=shape[0]: floats((4 * n, n), (4 * n, 2))(rng),
                False,
                **{f"lstsq {size}": lambda t, a, b: t.linalg.lstsq(a, b).solution},
            )
    found += rows_of(
        "linear algebra",
        floats((64, 1024)),
        False,
        **{"rfft 64×1024": lambda t, x: t.fft.rfft(x), "fft2": lambda t, x: t.fft.fft2(x)},
    )
    return found


def rows() -> list[Row]:
    """All of them."""
    return [*_convolutions(), *_pooled(), *_products(), *_linalg()]
