"""SummaryWriter and FileWriter: files of events, which TensorBoard shows, written by the package tensorboard."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from pathlib import Path
from typing import Any

try:
    from tensorboard.compat.proto import event_pb2  # pyright: ignore[reportMissingImports]
    from tensorboard.summary.writer.event_file_writer import (  # pyright: ignore[reportMissingImports]
        EventFileWriter,
    )
except ImportError as _error:
    raise ModuleNotFoundError(
        "torch.utils.tensorboard needs the package tensorboard: pip install tensorboard", name="tensorboard"
    ) from _error

from . import embeddings, figures, graphs, hyperparameters, summaries
from .summaries import numbers

__all__ = ["FileWriter", "SummaryWriter"]


class FileWriter:
    """A file of events in a folder.

    Args:
        log_dir: the folder.
        max_queue: how many events are kept before they are written.
        flush_secs: seconds after which they are.
        filename_suffix: ends the file's name.
    """

    def __init__(
        self, log_dir: str | os.PathLike, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = ""
    ) -> None:  # fmt: skip
        self.event_writer = EventFileWriter(os.fspath(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """Returns the folder."""
        return self.event_writer.get_logdir()

    def add_event(self, event: Any, step: int | None = None, walltime: float | None = None) -> None:
        """Writes an event, of a step and a time (by default now)."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: int | None = None, walltime: float | None = None) -> None:  # fmt: skip
        """Writes a summary."""
        self.add_event(event_pb2.Event(summary=summary), global_step, walltime)

    def add_graph(self, graph_profile: tuple, walltime: float | None = None) -> None:
        """Writes a graph and what is known of its run."""
        graph, metadata = graph_profile
        self.add_event(event_pb2.Event(graph_def=graph.SerializeToString()), None, walltime)
        run = event_pb2.TaggedRunMetadata(tag="step1", run_metadata=metadata.SerializeToString())
        self.add_event(event_pb2.Event(tagged_run_metadata=run), None, walltime)

    def add_onnx_graph(self, graph: Any, walltime: float | None = None) -> None:
        """Writes a graph alone."""
        self.add_event(event_pb2.Event(graph_def=graph.SerializeToString()), None, walltime)

    def flush(self) -> None:
        """Writes what is kept."""
        self.event_writer.flush()

    def close(self) -> None:
        """Ends the file."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Begins another file in the same folder."""
        self.event_writer.reopen()


class SummaryWriter:
    """Writes scalars, histograms, pictures and more for TensorBoard.

    Args:
        log_dir: the folder; by default `runs/<time>_<host><comment>`.
        comment: ends the default folder's name.
        purge_step: events of this step and later ones, of a run that crashed, are hidden.
        max_queue: how many events are kept before they are written.
        flush_secs: seconds after which they are.
        filename_suffix: ends the names of files.

    Every `add_…` method takes `global_step`, the step that a value is of, and `walltime`, the time (by default now).
    Arrays are tensors, arrays of NumPy's, or numbers. Pictures need Pillow, figures matplotlib.
    """

    def __init__(
        self, log_dir: str | os.PathLike | None = None, comment: str = "", purge_step: int | None = None, max_queue: int = 10,
        flush_secs: int = 120, filename_suffix: str = "",
    ) -> None:  # fmt: skip
        if not log_dir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = log_dir
        self.purge_step, self.max_queue, self.flush_secs = purge_step, max_queue, flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        """Returns the writer of the folder, made anew after `close`."""
        if self.all_writers is None or self.file_writer is None:
            self.file_writer = self._in(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                start = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
                self.file_writer.add_event(event_pb2.Event(step=self.purge_step, file_version="brain.Event:2"))  # fmt: skip
                self.file_writer.add_event(event_pb2.Event(step=self.purge_step, session_log=start))
                self.purge_step = None
        return self.file_writer

    def _in(self, folder: Any) -> FileWriter:
        return FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)

    def get_logdir(self) -> str:
        """Returns the folder that is written to."""
        return self.log_dir  # type: ignore[return-value]

    def _add(self, summary: Any, global_step: Any, walltime: Any) -> None:
        self._get_file_writer().add_summary(summary, global_step, walltime)

    # -- numbers -----------------------------------------------------------------------------------------------------

    def add_scalar(
        self, tag: str, scalar_value: Any, global_step: int | None = None, walltime: float | None = None, new_style: bool = False,
        double_precision: bool = False,
    ) -> None:  # fmt: skip
        """Adds a number. new_style: as a tensor, which loads faster; double_precision: of float64."""
        self._add(summaries.scalar(tag, scalar_value, new_style, double_precision), global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: dict, global_step: int | None = None, walltime: float | None = None
    ) -> None:  # fmt: skip
        """Adds several numbers to one plot: each has a folder of its own, `<main_tag>_<tag>`."""
        walltime = time.time() if walltime is None else walltime
        folder = self._get_file_writer().get_logdir()
        writers = self.all_writers
        for tag, value in tag_scalar_dict.items():
            place = f"{folder}/{main_tag.replace('/', '_')}_{tag}"
            if place not in writers:  # type: ignore[operator]
                writers[place] = self._in(place)  # type: ignore[index]
            writers[place].add_summary(summaries.scalar(main_tag, value), global_step, walltime)  # type: ignore[index]

    def add_tensor(self, tag: str, tensor: Any, global_step: int | None = None, walltime: float | None = None) -> None:  # fmt: skip
        """Adds a tensor as it is, for programs that read files of events."""
        self._add(summaries.tensor(tag, tensor), global_step, walltime)

    def add_histogram(
        self, tag: str, values: Any, global_step: int | None = None, bins: Any = "tensorflow", walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:  # fmt: skip
        """Adds a histogram. bins: "tensorflow", one of numpy.histogram's words, or edges; max_bins: their greatest
        number."""
        self._add(summaries.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(
        self, tag: str, min: Any, max: Any, num: Any, sum: Any, sum_squares: Any, bucket_limits: Any, bucket_counts: Any,
        global_step: int | None = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Adds a histogram that was counted already: bucket_counts[i] numbers lie below bucket_limits[i]."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        made = summaries.histogram_of_counts(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)  # fmt: skip
        self._add(made, global_step, walltime)

    def add_pr_curve(
        self, tag: str, labels: Any, predictions: Any, global_step: int | None = None, num_thresholds: int = 127, weights: Any = None,
        walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Adds a curve of precision and recall. labels: 0 or 1; predictions: probabilities of 1."""
        weights = None if weights is None else numbers(weights)
        made = summaries.pr_curve(tag, numbers(labels), numbers(predictions), num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_pr_curve_raw(
        self, tag: str, true_positive_counts: Any, false_positive_counts: Any, true_negative_counts: Any, false_negative_counts: Any,
        precision: Any, recall: Any, global_step: int | None = None, num_thresholds: int = 127, weights: Any = None,
        walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Adds a curve of precision and recall that was computed already, at num_thresholds thresholds."""
        counts = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts)
        rows = [numbers(x) for x in (*counts, precision, recall)]
        self._add(summaries.pr_curve_of_counts(tag, *rows, num_thresholds, weights), global_step, walltime)

    # -- pictures and sounds -----------------------------------------------------------------------------------------

    def add_image(
        self, tag: str, img_tensor: Any, global_step: int | None = None, walltime: float | None = None, dataformats: str = "CHW"
    ) -> None:  # fmt: skip
        """Adds a picture: uint8, or floats in [0, 1]. dataformats: what its dimensions are (CHW, HWC, HW, …)."""
        self._add(summaries.image(tag, numbers(img_tensor), dataformats), global_step, walltime)

    def add_images(
        self, tag: str, img_tensor: Any, global_step: int | None = None, walltime: float | None = None, dataformats: str = "NCHW"
    ) -> None:  # fmt: skip
        """Adds several pictures, side by side."""
        self._add(summaries.image(tag, numbers(img_tensor), dataformats), global_step, walltime)

    def add_image_with_boxes(
        self, tag: str, img_tensor: Any, box_tensor: Any, global_step: int | None = None, walltime: float | None = None, rescale: float = 1,
        dataformats: str = "CHW", labels: Any = None,
    ) -> None:  # fmt: skip
        """Adds a picture with boxes (x0, y0, x1, y1) drawn on it, and their labels. rescale: by which it is enlarged."""
        labels = [labels] if isinstance(labels, str) else labels
        boxes = numbers(box_tensor)
        if labels is not None and len(labels) != len(boxes.reshape(-1, 4)):
            labels = None
        made = summaries.image(tag, numbers(img_tensor), dataformats, boxes, rescale, labels)
        self._add(made, global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: int | None = None, close: bool = True, walltime: float | None = None
    ) -> None:  # fmt: skip
        """Adds a figure of matplotlib's, or several. close: they are closed then."""
        several = isinstance(figure, list)
        array = figures.rendered(figure, close)
        self._add(summaries.image(tag, array, "NHWC" if several else "HWC"), global_step, walltime)

    def add_video(
        self, tag: str, vid_tensor: Any, global_step: int | None = None, fps: float = 4, walltime: float | None = None
    ) -> None:  # fmt: skip
        """Adds a video (n, frames, channels, height, width): uint8, or floats in [0, 1]."""
        self._add(summaries.video(tag, numbers(vid_tensor), fps), global_step, walltime)

    def add_audio(
        self, tag: str, snd_tensor: Any, global_step: int | None = None, sample_rate: int = 44100, walltime: float | None = None
    ) -> None:  # fmt: skip
        """Adds a sound, whose samples are in [-1, 1]."""
        self._add(summaries.audio(tag, numbers(snd_tensor), sample_rate), global_step, walltime)

    # -- text, graphs, and what has a page of its own ----------------------------------------------------------------

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:  # fmt: skip
        """Adds a text, in Markdown."""
        self._add(summaries.text(tag, text_string), global_step, walltime)

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:  # fmt: skip
        """Adds the graph of a module: its ops, as `torch.export` records them, in the module's own hierarchy.

        input_to_model: a tensor, or a tuple of the arguments. verbose: the graph is printed. use_strict_trace: False is
        for modules that return what is no tensor, which are taken in any case.
        """
        self._get_file_writer().add_graph(graphs.of_module(model, input_to_model, verbose))

    def add_onnx_graph(self, prototxt: str | os.PathLike) -> None:
        """Adds the graph of a model that was exported as ONNX, from its file."""
        self._get_file_writer().add_onnx_graph(graphs.of_onnx(os.fspath(prototxt)))

    def add_embedding(
        self, mat: Any, metadata: Any = None, label_img: Any = None, global_step: int | None = None, tag: str = "default",
        metadata_header: Any = None,
    ) -> None:  # fmt: skip
        """Adds the rows of a matrix to the projector, with a label (metadata) and a picture (label_img) of each."""
        folder = Path(self._get_file_writer().get_logdir())
        label_img = None if label_img is None else numbers(label_img)
        embeddings.write(folder, numbers(mat), metadata, label_img, global_step or 0, tag, metadata_header)  # fmt: skip

    def add_mesh(
        self, tag: str, vertices: Any, colors: Any = None, faces: Any = None, config_dict: dict | None = None,
        global_step: int | None = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Adds meshes or clouds of points: vertices (n, k, 3), colors (n, k, 3) in [0, 255], faces (n, m, 3).
        config_dict: settings of three.js."""
        self._add(summaries.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    def add_hparams(
        self, hparam_dict: dict, metric_dict: dict, hparam_domain_discrete: dict | None = None, run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:  # fmt: skip
        """Adds hyperparameters, and the metrics that they led to, in a run of their own. hparam_domain_discrete: the
        values that a hyperparameter may have."""
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        parts = hyperparameters.of_run(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(folder) as run:
            for part in parts:
                run._add(part, global_step, None)
            for name, value in metric_dict.items():
                run.add_scalar(name, value, global_step)

    def add_custom_scalars(self, layout: dict[str, dict[str, list]]) -> None:
        """Says which scalars share a plot: {category: {title: ["Multiline" or "Margin", [tags]]}}."""
        self._add(hyperparameters.of_layout(layout), None, None)

    def add_custom_scalars_multilinechart(self, tags: list[str], category: str = "default", title: str = "untitled") -> None:  # fmt: skip
        """Shows these scalars in one plot."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags: list[str], category: str = "default", title: str = "untitled") -> None:  # fmt: skip
        """Shows a scalar between two others, its limits: tags are the three."""
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    # -- the end -----------------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Writes what is kept."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Ends the files; another `add_…` begins new ones."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
