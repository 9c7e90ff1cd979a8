"""Summaries for TensorBoard: what a plugin of it reads, as protocol buffers, from arrays.

The formats are those of the package tensorboard (`tensorboard/compat/proto`, `tensorboard/plugins/*/metadata.py`).
"""

from __future__ import annotations

import io
import json
import wave
from collections.abc import Sequence
from typing import Any

import numpy as np
from tensorboard.compat.proto import (  # pyright: ignore[reportMissingImports]
    summary_pb2,
    tensor_pb2,
    tensor_shape_pb2,
    types_pb2,
)

from ..._core.api import dtypes

__all__ = [
    "audio", "histogram", "histogram_of_counts", "image", "mesh", "numbers", "pr_curve", "pr_curve_of_counts", "scalar", "tensor", "text", "video",
]  # fmt: skip

Summary = summary_pb2.Summary
_Metadata = summary_pb2.SummaryMetadata


def numbers(x: Any) -> np.ndarray:
    """Returns a tensor, an array, or a number as an array with at least one dimension; narrow floats as float32."""
    if hasattr(x, "detach"):
        x = x.detach()
        if x.is_floating_point() and x.element_size() < 4:
            x = x.float()
        x = x.cpu().numpy()
    return np.atleast_1d(np.asarray(x))


def _shape(sizes: Sequence[int]) -> Any:
    dims = [tensor_shape_pb2.TensorShapeProto.Dim(size=n) for n in sizes]
    return tensor_shape_pb2.TensorShapeProto(dim=dims)


def _plugin(name: str, content: bytes = b"") -> Any:
    return _Metadata(plugin_data=_Metadata.PluginData(plugin_name=name, content=content))


def scalar(tag: str, value: Any, new_style: bool = False, double_precision: bool = False) -> Any:
    """A number; new_style: as a tensor for the plugin of scalars, of float64 with double_precision."""
    array = numbers(value).squeeze()
    if array.ndim:
        raise AssertionError(f"scalar should be 0D, got an array of shape {array.shape}")
    if not new_style:
        return Summary(value=[Summary.Value(tag=tag, simple_value=float(array))])
    wide = double_precision
    made = tensor_pb2.TensorProto(dtype=types_pb2.DT_DOUBLE if wide else types_pb2.DT_FLOAT)
    (made.double_val if wide else made.float_val).append(float(array))
    return Summary(value=[Summary.Value(tag=tag, tensor=made, metadata=_plugin("scalars"))])


_DTYPES = {
    "float16": "DT_HALF", "float32": "DT_FLOAT", "float64": "DT_DOUBLE", "int8": "DT_INT8", "uint8": "DT_UINT8", "int16": "DT_INT16",
    "int32": "DT_INT32", "int64": "DT_INT64", "bool": "DT_BOOL", "complex64": "DT_COMPLEX64", "complex128": "DT_COMPLEX128",
    "bfloat16": "DT_BFLOAT16",
}  # fmt: skip


def tensor(tag: str, value: Any) -> Any:
    """A tensor of any shape, with its dtype."""
    name = str(value.dtype).rpartition(".")[2]
    kind = _DTYPES.get(name)
    if kind is None:
        raise ValueError(f"{tag} has the unsupported tensor dtype {value.dtype}")
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if name == "bfloat16":  # which NumPy has not: its bits
            value = value.contiguous().view(dtypes.DTYPES["int16"])
    array = np.asarray(value)
    made = tensor_pb2.TensorProto(
        dtype=types_pb2.DataType.Value(kind), tensor_shape=_shape(array.shape), tensor_content=array.tobytes()
    )
    return Summary(value=[Summary.Value(tag=tag, tensor=made, metadata=_plugin("tensor"))])


def _edges() -> np.ndarray:
    """Edges that grow by a tenth, from 1e-12 to 1e20, on either side of 0."""
    sizes = 1e-12 * 1.1 ** np.arange(int(np.ceil(np.log(1e32) / np.log(1.1))))
    return np.concatenate([-sizes[::-1], [0.0], sizes])


def histogram(tag: str, values: Any, bins: Any = "tensorflow", max_bins: int | None = None) -> Any:
    """How often numbers lie in each bin. bins: "tensorflow" (edges that grow by a tenth), one of numpy.histogram's
    words, or edges. max_bins: bins are joined so that there are at most so many."""
    array = numbers(values).reshape(-1).astype(np.float64)
    if not array.size:
        raise ValueError("The input has no element.")
    counts, edges = np.histogram(
        array, bins=_edges() if isinstance(bins, str) and bins == "tensorflow" else bins
    )
    if max_bins is not None and len(counts) > max_bins:
        step = -(-len(counts) // max_bins)
        counts = np.add.reduceat(counts, np.arange(0, len(counts), step))
        edges = np.append(edges[:-1:step], edges[-1])
    filled = np.flatnonzero(counts)
    if not filled.size:
        raise ValueError("The histogram is empty, please file a bug report.")
    first, last = filled[0], filled[-1]
    # an empty bin comes first: TensorBoard takes the limit before a bin for where it begins
    limits = edges[first : last + 2]
    counts = np.concatenate([[0], counts[first : last + 1]])
    return histogram_of_counts(
        tag, array.min(), array.max(), array.size, array.sum(), array.dot(array), limits, counts
    )


def histogram_of_counts(
    tag: str, low: Any, high: Any, num: Any, total: Any, sum_squares: Any, limits: Any, counts: Any
) -> Any:
    """A histogram whose bins, which end at `limits`, were counted already."""
    made = summary_pb2.HistogramProto(
        min=low, max=high, num=num, sum=total, sum_squares=sum_squares,
        bucket_limit=np.asarray(limits).tolist(), bucket=np.asarray(counts).tolist(),
    )  # fmt: skip
    return Summary(value=[Summary.Value(tag=tag, histo=made)])


# -- pictures and sounds -------------------------------------------------------------------------------------------


def _pillow() -> Any:
    try:
        from PIL import Image, ImageDraw  # pyright: ignore[reportMissingImports]  # needed for pictures alone
    except ImportError as error:
        raise ModuleNotFoundError(
            "pictures for TensorBoard are written by Pillow: pip install pillow", name="PIL"
        ) from error
    return Image, ImageDraw


def pixels(array: np.ndarray, order: str) -> np.ndarray:
    """Returns a picture, or several side by side where `order` has an N, as (height, width, 3) or 4."""
    order = order.upper()
    if len(order) != array.ndim or len(set(order)) != len(order):
        raise AssertionError(f"size of input tensor and input format are different. tensor shape: {array.shape}, input_format: {order}")  # fmt: skip
    if "N" in order:
        array = array.transpose([order.index(c) for c in "NHWC"])
        n, height, width, channels = array.shape
        columns = int(np.ceil(np.sqrt(n)))
        grid = np.zeros((-(-n // columns) * height, columns * width, channels), array.dtype)
        for k, picture in enumerate(array):
            y, x = k // columns * height, k % columns * width
            grid[y : y + height, x : x + width] = picture
        array = grid
    elif "C" in order:
        array = array.transpose([order.index(c) for c in "HWC"])
    else:
        array = array.transpose([order.index(c) for c in "HW"])[:, :, None]
    return np.concatenate([array] * 3, 2) if array.shape[2] == 1 else array


def _bytes_of(array: np.ndarray) -> np.ndarray:
    scale = 1 if array.dtype == np.uint8 else 255
    return np.clip(array.astype(np.float32) * scale, 0, 255).astype(np.uint8)


def image(
    tag: str, array: np.ndarray, order: str = "NCHW", boxes: Any = None, rescale: float = 1, labels: Sequence[str] | None = None
) -> Any:  # fmt: skip
    """A picture, whose dimensions `order` names; floats are in [0, 1]. boxes: (x0, y0, x1, y1) of each, drawn on it."""
    pillow, draw = _pillow()
    picture = pillow.fromarray(_bytes_of(pixels(array, order)))
    if boxes is not None:
        pen = draw.Draw(picture)
        for k, (x0, y0, x1, y1) in enumerate(np.asarray(boxes).reshape(-1, 4).tolist()):
            pen.rectangle((x0, y0, x1, y1), outline="Red", width=2)
            if labels is not None:
                pen.text((x0, y0), labels[k], fill="Red")
    width, height = (int(n * rescale) for n in picture.size)
    if rescale != 1:
        picture = picture.resize((width, height))
    file = io.BytesIO()
    picture.save(file, format="PNG")
    channels = len(picture.getbands())
    made = Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=file.getvalue())  # fmt: skip
    return Summary(value=[Summary.Value(tag=tag, image=made)])


def video(tag: str, array: np.ndarray, fps: float = 4) -> Any:
    """A video (n, frames, channels, height, width) as a GIF, several side by side."""
    pillow, _ = _pillow()
    frames = [pillow.fromarray(_bytes_of(pixels(array[:, t], "NCHW"))) for t in range(array.shape[1])]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=int(1000 / fps), loop=0)
    width, height = frames[0].size
    made = Summary.Image(height=height, width=width, colorspace=3, encoded_image_string=file.getvalue())
    return Summary(value=[Summary.Value(tag=tag, image=made)])


def audio(tag: str, array: np.ndarray, sample_rate: int = 44100) -> Any:
    """A sound of one channel, whose samples are in [-1, 1]."""
    samples = np.clip(array.squeeze(), -1, 1)
    if samples.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(sample_rate)
        sound.writeframes((samples * np.iinfo(np.int16).max).astype("<i2").tobytes())
    made = Summary.Audio(
        sample_rate=sample_rate, num_channels=1, length_frames=len(samples), encoded_audio_string=file.getvalue(), content_type="audio/wav",
    )  # fmt: skip
    return Summary(value=[Summary.Value(tag=tag, audio=made)])


# -- text, curves, meshes --------------------------------------------------------------------------------------------


def text(tag: str, words: str) -> Any:
    """A text, which TensorBoard shows as Markdown."""
    made = tensor_pb2.TensorProto(
        dtype=types_pb2.DT_STRING, string_val=[words.encode("utf-8")], tensor_shape=_shape([1])
    )
    return Summary(
        value=[Summary.Value(tag=f"{tag}/text_summary", tensor=made, metadata=_plugin("text", b"\0"))]
    )


def pr_curve(tag: str, labels: np.ndarray, predictions: np.ndarray, thresholds: int = 127, weights: Any = None) -> Any:  # fmt: skip
    """Precision and recall of binary labels at thresholds between 0 and 1 of the predictions."""
    thresholds = min(thresholds, 127)  # TensorBoard takes no more
    labels, predictions = labels.reshape(-1), predictions.reshape(-1)
    weights = np.ones(labels.shape) if weights is None else np.asarray(weights, np.float64).reshape(-1)
    at = np.floor(predictions * (thresholds - 1)).astype(int)
    positive = np.histogram(at, thresholds, (0, thresholds - 1), weights=labels * weights)[0]
    negative = np.histogram(at, thresholds, (0, thresholds - 1), weights=(1.0 - labels) * weights)[0]
    tp, fp = np.cumsum(positive[::-1])[::-1], np.cumsum(negative[::-1])[::-1]
    tn, fn = fp[0] - fp, tp[0] - tp
    least = 1e-7
    precision, recall = tp / np.maximum(least, tp + fp), tp / np.maximum(least, tp + fn)
    return pr_curve_of_counts(tag, tp, fp, tn, fn, precision, recall, thresholds, weights)


def pr_curve_of_counts(
    tag: str, tp: Any, fp: Any, tn: Any, fn: Any, precision: Any, recall: Any, thresholds: int = 127, weights: Any = None
) -> Any:  # fmt: skip
    """A curve of precision and recall that was computed already."""
    from tensorboard.plugins.pr_curve import plugin_data_pb2  # pyright: ignore[reportMissingImports]

    rows = np.stack([np.asarray(x, np.float64) for x in (tp, fp, tn, fn, precision, recall)])
    content = plugin_data_pb2.PrCurvePluginData(version=0, num_thresholds=min(thresholds, 127))
    made = tensor_pb2.TensorProto(
        dtype=types_pb2.DT_FLOAT, float_val=rows.reshape(-1).tolist(), tensor_shape=_shape(rows.shape)
    )
    metadata = _plugin("pr_curves", content.SerializeToString())
    return Summary(value=[Summary.Value(tag=tag, tensor=made, metadata=metadata)])


def mesh(tag: str, vertices: Any, colors: Any, faces: Any, config: dict | None) -> Any:
    """A mesh or a cloud of points: vertices (n, k, 3), colors (n, k, 3) in [0, 255], faces (n, m, 3)."""
    from tensorboard.plugins.mesh import metadata as of_meshes  # pyright: ignore[reportMissingImports]
    from tensorboard.plugins.mesh import plugin_data_pb2  # pyright: ignore[reportMissingImports]

    kinds = plugin_data_pb2.MeshPluginData.ContentType
    given = [(vertices, kinds.VERTEX), (faces, kinds.FACE), (colors, kinds.COLOR)]
    given = [(numbers(x).astype(np.float32), kind) for x, kind in given if x is not None]
    components = of_meshes.get_components_bitmask([kind for _, kind in given])
    values = []
    for array, kind in given:
        made = tensor_pb2.TensorProto(
            dtype=types_pb2.DT_FLOAT, float_val=array.reshape(-1).tolist(), tensor_shape=_shape(array.shape)
        )
        metadata = of_meshes.create_summary_metadata(
            tag, None, kind, components, array.shape, json_config=None if config is None else json.dumps(config, sort_keys=True)
        )  # fmt: skip
        values.append(Summary.Value(tag=of_meshes.get_instance_name(tag, kind), tensor=made, metadata=metadata))  # fmt: skip
    return Summary(value=values)
