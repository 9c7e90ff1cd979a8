"""The look of the report's figures."""

from __future__ import annotations

import base64
import io
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

BLUE, RED, ORANGE, GREY, PALE = "#2f5d9b", "#c2453d", "#d98a2b", "#5b6470", "#b9cbe4"
PERCENT = PercentFormatter(1.0, decimals=0)

matplotlib.rcParams.update({
    "figure.dpi": 130,
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": "#9aa3ad",
    "axes.labelcolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e9ed",
    "grid.linewidth": 0.7,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "legend.frameon": False,
    "legend.fontsize": 8,
})  # fmt: skip


def subplots(rows: int, columns: int, figsize: tuple[float, float], **options) -> tuple[Figure, Any]:
    """A figure and its axes, in the report's style."""
    figure = Figure(figsize=figsize, layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


def to_png(figure: Figure) -> str:
    """The figure as a base64-encoded PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=130)
    return base64.b64encode(buffer.getvalue()).decode()


def digit(axes, pixels: np.ndarray, title: str = "", color: str = GREY) -> None:
    """One digit as a picture."""
    axes.imshow(pixels, cmap="gray_r", vmin=0, vmax=1)
    axes.set(xticks=[], yticks=[])
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_color("#d5dae0")
    if title:
        axes.set_title(title, fontsize=7.5, fontweight="normal", loc="center", color=color, pad=3)


def confusion(axes, counts: np.ndarray) -> None:
    """A confusion matrix: true digits in rows, predicted ones in columns."""
    shown = np.log1p(counts)
    axes.imshow(shown, cmap="Blues")
    axes.grid(False)
    for i, j in zip(*np.nonzero(counts)):
        dark = shown[i, j] > 0.6 * shown.max()
        axes.text(
            j, i, f"{counts[i, j]:.0f}", ha="center", va="center", fontsize=7, color="white" if dark else GREY
        )
    axes.set(xticks=range(10), yticks=range(10), xlabel="read as", ylabel="is", title="Confusion matrix")
