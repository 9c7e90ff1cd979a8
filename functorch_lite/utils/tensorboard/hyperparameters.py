"""Hyperparameters of a run, and layouts of plots, as TensorBoard's plugins read them."""

from __future__ import annotations

from typing import Any

from tensorboard.compat.proto import summary_pb2, tensor_pb2, types_pb2  # pyright: ignore[reportMissingImports]
from tensorboard.plugins.custom_scalar import layout_pb2  # pyright: ignore[reportMissingImports]
from tensorboard.plugins.custom_scalar import metadata as of_layouts  # pyright: ignore[reportMissingImports]
from tensorboard.plugins.hparams import (  # pyright: ignore[reportMissingImports]
    api_pb2,
    metadata,
    plugin_data_pb2,
)

from .summaries import numbers

__all__ = ["of_layout", "of_run"]


def _summary(tag: str, **content: Any) -> Any:
    data = plugin_data_pb2.HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **content)
    made = summary_pb2.SummaryMetadata(
        plugin_data=summary_pb2.SummaryMetadata.PluginData(
            plugin_name=metadata.PLUGIN_NAME, content=data.SerializeToString()
        )
    )
    return summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, metadata=made)])


def of_run(hyperparameters: dict, metrics: dict, domains: dict | None = None) -> list:
    """Returns the summaries that describe an experiment, begin a session and end it."""
    infos, session = [], plugin_data_pb2.SessionStartInfo()
    for name, value in hyperparameters.items():
        if value is None:
            continue
        if isinstance(value, str):
            kind, field = "DATA_TYPE_STRING", {"string_value": value}
        elif isinstance(value, bool):
            kind, field = "DATA_TYPE_BOOL", {"bool_value": value}
        elif isinstance(value, int | float) or hasattr(value, "detach"):
            number = value if isinstance(value, int | float) else float(numbers(value)[0])
            kind, field = "DATA_TYPE_FLOAT64", {"number_value": number}
        else:
            raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
        for key, x in field.items():
            setattr(session.hparams[name], key, x)
        info = api_pb2.HParamInfo(name=name, type=api_pb2.DataType.Value(kind))
        for allowed in (domains or {}).get(name, ()):
            added = info.domain_discrete.values.add()
            setattr(added, next(iter(field)), allowed)
        infos.append(info)
    measured = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=name)) for name in metrics]
    ended = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    return [
        _summary(metadata.EXPERIMENT_TAG, experiment=api_pb2.Experiment(hparam_infos=infos, metric_infos=measured)),
        _summary(metadata.SESSION_START_INFO_TAG, session_start_info=session),
        _summary(metadata.SESSION_END_INFO_TAG, session_end_info=ended),
    ]  # fmt: skip


def of_layout(layout: dict[str, dict[str, list]]) -> Any:
    """Returns the summary that says which scalars share a plot."""
    categories = []
    for category, charts in layout.items():
        made = []
        for title, (kind, tags) in charts.items():
            if kind == "Margin":
                if len(tags) != 3:
                    raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
                series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
                made.append(layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series])))  # fmt: skip
            else:
                made.append(layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags)))  # fmt: skip
        categories.append(layout_pb2.Category(title=category, chart=made))
    content = layout_pb2.Layout(category=categories).SerializeToString()
    made = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=[content])
    shown = of_layouts.create_summary_metadata()
    return summary_pb2.Summary(
        value=[summary_pb2.Summary.Value(tag=of_layouts.CONFIG_SUMMARY_TAG, tensor=made, metadata=shown)]
    )
