"""Figures of matplotlib's as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["rendered"]


def rendered(figure: Any, close: bool = True) -> np.ndarray:
    """Returns a figure as (height, width, 3) bytes; of a list of figures, which have one size, all of them."""
    from matplotlib import pyplot  # pyright: ignore[reportMissingImports]  # figures are of it
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # pyright: ignore[reportMissingImports]

    def one(figure: Any) -> np.ndarray:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        array = np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
        if close:
            pyplot.close(figure)
        return array

    return np.stack([one(f) for f in figure]) if isinstance(figure, list) else one(figure)
