"""Embeddings for TensorBoard's projector: tables, a picture of pictures, and a list of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import text_format  # pyright: ignore[reportMissingImports]
from tensorboard.plugins.projector import projector_config_pb2  # pyright: ignore[reportMissingImports]

from .summaries import _bytes_of, _pillow, pixels

__all__ = ["write"]

_CONFIG = "projector_config.pbtxt"


def write(
    folder: Path, matrix: np.ndarray, labels: Any, pictures: np.ndarray | None, step: int, tag: str, header: Any
) -> None:  # fmt: skip
    """Writes a matrix, and what is known of its rows, to `<folder>/<step>/<tag>`, and lists it in the projector's
    settings."""
    if matrix.ndim != 2:
        raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
    inner = f"{step:05d}/{_plain(tag)}"
    place = folder / inner
    place.mkdir(parents=True, exist_ok=True)
    entry = projector_config_pb2.EmbeddingInfo(
        tensor_name=f"{tag}:{step:05d}", tensor_path=f"{inner}/tensors.tsv"
    )
    if labels is not None:
        if len(labels) != len(matrix):
            raise AssertionError("#labels should equal with #data points")
        lines = ["\t".join(map(str, row)) if header else str(row) for row in labels]
        _lines(place / "metadata.tsv", (["\t".join(header)] if header else []) + lines)
        entry.metadata_path = f"{inner}/metadata.tsv"
    if pictures is not None:
        if len(pictures) != len(matrix):
            raise AssertionError("#images should equal with #data points")
        side = int(np.ceil(np.sqrt(len(pictures))))
        empty = np.zeros((side * side - len(pictures), *pictures.shape[1:]), pictures.dtype)
        grid = _bytes_of(pixels(np.concatenate([pictures, empty]), "NCHW"))
        _pillow()[0].fromarray(grid).save(place / "sprite.png")
        entry.sprite.image_path = f"{inner}/sprite.png"
        entry.sprite.single_image_dim.extend([pictures.shape[3], pictures.shape[2]])
    _lines(place / "tensors.tsv", ["\t".join(map(repr, row)) for row in matrix.tolist()])
    config = projector_config_pb2.ProjectorConfig()
    listed = folder / _CONFIG
    if listed.exists():
        text_format.Parse(listed.read_text(), config)
    config.embeddings.append(entry)
    listed.write_text(text_format.MessageToString(config))


def _plain(tag: str) -> str:
    return "".join([c if c.isalnum() or c in "-_." else f"%{ord(c):02x}" for c in tag])


def _lines(file: Path, lines: list[str]) -> None:
    file.write_text("".join([line + "\n" for line in lines]))
