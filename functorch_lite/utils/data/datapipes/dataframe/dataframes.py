"""Ops on the columns of a datapipe of data frames: they are recorded, and run on each frame."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from .._decorator import functional_datapipe
from ..datapipe import DFIterDataPipe, IterDataPipe
from .structures import DataChunkDF

__all__ = [
    "Capture", "CaptureAdd", "CaptureCall", "CaptureDataFrame", "CaptureDataFrameWithDataPipeOps", "CaptureGetAttr",
    "CaptureGetItem", "CaptureInitial", "CaptureMul", "CaptureSetItem", "CaptureSub", "CaptureVariable",
    "CaptureVariableAssign", "DataFrameTracedOps", "DataFrameTracer", "get_val",
]  # fmt: skip

DATAPIPES_OPS = [
    "_dataframes_as_tuples", "groupby", "_dataframes_filter", "map", "to_datapipe", "shuffle", "concat", "batch",
    "_dataframes_per_row", "_dataframes_concat", "_dataframes_shuffle",
]  # fmt: skip
_NOT_CAPTURED = ("__deepcopy__", "__setstate__", "is_shardable", "apply_sharding")


def get_val(capture: Any) -> Any:
    """Return the value of a recorded op; a string in quotation marks, as it is printed; any other object itself."""
    if isinstance(capture, Capture):
        return capture.execute()
    return f'"{capture}"' if isinstance(capture, str) else capture


def _value(x: Any) -> Any:
    return x.execute() if isinstance(x, Capture) else x


class Capture:
    """A value that is recorded: ops on it are added to the list that all values of one datapipe share."""

    def __init__(self, schema_df: Any = None, ctx: dict | None = None):
        self.ctx = {"operations": [], "variables": [], "schema_df": schema_df} if ctx is None else ctx

    def __str__(self) -> str:
        return "\n".join(str(op) for op in self.ctx["operations"])

    def execute(self) -> Any:
        """Return the value, for the frame that the ops run on."""
        raise NotImplementedError

    def __getstate__(self) -> dict:
        self.ctx["schema_df"] = None
        for variable in self.ctx["variables"]:
            variable.calculated_value = None
        return dict(self.__dict__)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "ctx" not in self.__dict__:
            raise AttributeError(name)
        return CaptureGetAttr(self, name, ctx=self.ctx)

    def __getitem__(self, key: Any) -> Any:
        return CaptureGetItem(self, key, ctx=self.ctx)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.ctx["operations"].append(CaptureSetItem(self, key, value, ctx=self.ctx))

    def _assigned(self, value: Capture) -> CaptureVariable:
        variable = CaptureVariable(None, ctx=self.ctx)
        self.ctx["operations"].append(CaptureVariableAssign(variable, value, ctx=self.ctx))
        return variable

    def __add__(self, other: Any) -> CaptureVariable:
        return self._assigned(CaptureAdd(self, other, ctx=self.ctx))

    def __sub__(self, other: Any) -> CaptureVariable:
        return self._assigned(CaptureSub(self, other, ctx=self.ctx))

    def __mul__(self, other: Any) -> CaptureVariable:
        return self._assigned(CaptureMul(self, other, ctx=self.ctx))

    def __call__(self, *args: Any, **kwargs: Any) -> CaptureVariable:
        return self._assigned(CaptureCall(self, args, kwargs, ctx=self.ctx))

    def _run(self, frame: Any) -> None:
        self.ctx["variables"][0].calculated_value = frame
        for op in self.ctx["operations"]:
            op.execute()

    @property
    def columns(self) -> Any:
        """The names of the columns."""
        self._run(self.ctx["schema_df"])
        return self.execute().columns


class _Recorded(Capture):
    """An op with its operands; a subclass says how it is computed and printed."""

    compute: Callable
    text = ""

    def __init__(self, *operands: Any, ctx: dict):
        super().__init__(ctx=ctx)
        self.operands = operands

    def __str__(self) -> str:
        return self.text.format(*self.operands)

    def execute(self) -> Any:
        return type(self).compute(*map(_value, self.operands))


def _op(name: str, compute: Callable, text: str, doc: str) -> type:
    return type(
        name,
        (_Recorded,),
        {"compute": staticmethod(compute), "text": text, "__doc__": doc, "__module__": __name__},
    )


CaptureAdd = _op("CaptureAdd", operator.add, "{} + {}", "A recorded sum.")
CaptureSub = _op("CaptureSub", operator.sub, "{} - {}", "A recorded difference.")
CaptureMul = _op("CaptureMul", operator.mul, "{} * {}", "A recorded product.")
CaptureGetItem = _op("CaptureGetItem", operator.getitem, "{}[{}]", "A recorded item.")
CaptureSetItem = _op("CaptureSetItem", operator.setitem, "{}[{}] = {}", "A recorded assignment to an item.")
CaptureGetAttr = _op("CaptureGetAttr", getattr, "{}.{}", "A recorded attribute.")
CaptureCall = _op(
    "CaptureCall",
    lambda fn, args, kwargs: fn(*map(_value, args), **kwargs),
    "{}({},{})",
    "A recorded call.",
)


class CaptureVariableAssign(_Recorded):
    """A recorded assignment of a value to a variable."""

    text = "{} = {}"

    def execute(self) -> None:
        variable, value = self.operands
        variable.calculated_value = value.execute()


class CaptureVariable(Capture):
    """A variable of the recorded ops."""

    names_idx = 0

    def __init__(self, value: Any, ctx: dict):
        super().__init__(ctx=ctx)
        self.value, self.calculated_value = value, None
        self.name = f"var_{CaptureVariable.names_idx}"
        CaptureVariable.names_idx += 1
        ctx["variables"].append(self)

    def __str__(self) -> str:
        return self.name

    def execute(self) -> Any:
        return self.calculated_value

    def apply_ops(self, dataframe: Any) -> Any:
        """Run the recorded ops on a frame and return the value of this variable."""
        self._run(dataframe)
        return self.calculated_value

    def as_datapipe(self) -> DataFrameTracedOps:
        """Return the datapipe of the values of this variable."""
        return DataFrameTracedOps(self.ctx["variables"][0].source_datapipe, self)

    def raw_iterator(self) -> Iterator:
        """Yield the frames."""
        return iter(self.as_datapipe())

    def __iter__(self) -> Iterator:
        return iter(self.as_datapipe()._dataframes_as_tuples())

    def batch(self, batch_size: int = 10, drop_last: bool = False, wrapper_class: type = DataChunkDF) -> Any:
        """Return a datapipe of batches of rows."""
        rows = self.as_datapipe()._dataframes_per_row()._dataframes_concat(batch_size)
        found = rows.as_datapipe().batch(1, drop_last=drop_last, wrapper_class=wrapper_class)
        found._dp_contains_dataframe = True
        return found

    def groupby(self, group_key_fn: Callable, **options: Any) -> Any:
        """Return a datapipe of groups of rows."""
        rows = self.as_datapipe()._dataframes_per_row()
        return rows.as_datapipe().groupby(group_key_fn, **options)

    def shuffle(self) -> Any:
        """Return a datapipe of the rows in random order."""
        return self.as_datapipe()._dataframes_shuffle()

    def filter(self, filter_fn: Callable) -> Any:
        """Return a datapipe of the rows for which a function returns True."""
        return self.as_datapipe()._dataframes_filter(filter_fn)

    def collate(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise RuntimeError: only batches are collated."""
        raise RuntimeError("Can't collate unbatched DataFrames stream")

    def __getattr__(self, name: str) -> Any:
        if name in _NOT_CAPTURED or "ctx" not in self.__dict__:
            raise AttributeError("Attempting to get ", name)
        if name in DATAPIPES_OPS:
            return getattr(self.as_datapipe(), name)
        return super().__getattr__(name)


class CaptureInitial(CaptureVariable):
    """The variable that the frame is assigned to."""

    def __init__(self, schema_df: Any = None):
        super().__init__(None, {"operations": [], "variables": [], "schema_df": schema_df})
        self.name = f"input_{self.name}"


class CaptureDataFrame(CaptureInitial):
    """A data frame whose ops are recorded."""


class CaptureDataFrameWithDataPipeOps(CaptureDataFrame):
    """A data frame whose ops are recorded, with the steps of datapipes."""


class DataFrameTracedOps(DFIterDataPipe):
    """The values of a variable for each frame of a datapipe."""

    def __init__(self, source_datapipe: Any, output_var: CaptureVariable):
        self.source_datapipe, self.output_var = source_datapipe, output_var

    def __iter__(self) -> Iterator:
        for frame in self.source_datapipe:
            yield self.output_var.apply_ops(frame)


@functional_datapipe("trace_as_dataframe")
class DataFrameTracer(CaptureDataFrameWithDataPipeOps, IterDataPipe):
    """A datapipe of data frames whose columns accept ops."""

    def set_shuffle_settings(self, *args: Any, **kwargs: Any) -> None:
        """Change nothing: rows are shuffled by `shuffle()`."""

    def is_shardable(self) -> bool:
        """Return False: frames are not sharded."""
        return False

    def __init__(self, source_datapipe: Any, schema_df: Any = None):
        self.source_datapipe = source_datapipe
        super().__init__(next(iter(source_datapipe)) if schema_df is None else schema_df)
