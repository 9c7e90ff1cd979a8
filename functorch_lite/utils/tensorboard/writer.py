"""SummaryWriter: tensorboardX's, given the numbers of tensors."""

from __future__ import annotations

import functools
from typing import Any

from ..._core.api import Tensor
from .._pytree import tree_map

__all__ = ["FileWriter", "SummaryWriter"]

try:
    import tensorboardX as _writers  # pyright: ignore[reportMissingImports]
except ImportError as _error:
    raise ModuleNotFoundError(
        "torch.utils.tensorboard needs the package tensorboardX: pip install tensorboardX",
        name="tensorboardX",
    ) from _error


def _numbers(tree: Any) -> Any:
    return tree_map(lambda x: x.detach().cpu().numpy() if isinstance(x, Tensor) else x, tree)


_TAKE_TENSORS = (
    "add_audio", "add_embedding", "add_figure", "add_histogram", "add_histogram_raw", "add_hparams", "add_image", "add_image_with_boxes", "add_images",
    "add_mesh", "add_pr_curve", "add_pr_curve_raw", "add_scalar", "add_scalars", "add_text", "add_video",
)  # fmt: skip


class SummaryWriter(_writers.SummaryWriter):
    """Writes scalars, histograms, images and more for TensorBoard: see tensorboardX.

    Tensors are taken wherever arrays are.

    `add_graph` raises NotImplementedError.
    """

    def __init__(
        self, log_dir: str | None = None, comment: str = "", purge_step: int | None = None, max_queue: int = 10, flush_secs: int = 120,
        filename_suffix: str = "",
    ):  # fmt: skip
        super().__init__(
            log_dir,
            comment,
            purge_step=purge_step,
            max_queue=max_queue,
            flush_secs=flush_secs,
            filename_suffix=filename_suffix,
        )
        self.log_dir = self.logdir

    def get_logdir(self) -> str:
        """The folder that is written to."""
        return self.logdir

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Raises NotImplementedError."""
        raise NotImplementedError(
            "SummaryWriter.add_graph is not supported, because modules are not traced; functorch_lite.debug.explain() shows the recordings"
        )


def _taking_tensors(name: str) -> Any:
    method = getattr(_writers.SummaryWriter, name)

    @functools.wraps(method)
    def taken(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = _numbers((args, kwargs))
        return method(self, *args, **kwargs)

    return taken


for _name in _TAKE_TENSORS:
    if hasattr(_writers.SummaryWriter, _name):
        setattr(SummaryWriter, _name, _taking_tensors(_name))

FileWriter = _writers.FileWriter
