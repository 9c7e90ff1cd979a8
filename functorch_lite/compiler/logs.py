"""Logs of torch.compile: `torch._logging.set_logs`, and the environment variable TORCH_LOGS."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from typing import Any

__all__ = ["ARTIFACTS", "log", "set_logs"]

ARTIFACTS = ("graph_code", "graph_breaks", "recompiles")
"""graph_code: the code of each Graph that goes to a backend, or through passes. graph_breaks: where a function reads a
value, so that it is not replayed. recompiles: calls of a kind that a function was not called in before."""

_LEVELS = {"dynamo": "torch._dynamo", "aot": "torch._functorch", "inductor": "torch._inductor"}
"""Loggers whose level may be set."""

graph_code = False
graph_breaks = False
recompiles = False

_handlers: list[logging.Handler] = []


def log(artifact: str, text: str, *args: Any) -> None:
    """Says something under the name of an artifact."""
    logging.getLogger(f"torch._dynamo.__{artifact}").debug(text, *args)


def set_logs(
    *,
    all: int | None = None,
    dynamo: int | None = None,
    aot: int | None = None,
    inductor: int | None = None,
    graph_code: bool = False,
    graph_breaks: bool = False,
    recompiles: bool = False,
    modules: dict[str, int | bool] | None = None,
    **others: Any,
) -> None:
    """Says what is logged from now on, on stderr; what is not named is off.

    Args:
        all, dynamo, aot, inductor: levels of the loggers `torch`, `torch._dynamo`, `torch._functorch`,
            `torch._inductor`, as `logging.DEBUG`.
        graph_code: the code of each Graph that goes to a backend, or through passes.
        graph_breaks: each function that is not replayed since it reads a value, and its line.
        recompiles: each function that is called in a kind of ways that it was not called in before.
        modules: levels of loggers by name.

    Other names of PyTorch's concern parts that do not exist here, and raise NotImplementedError if they are true.

    >>> torch._logging.set_logs(graph_code=True)
    >>> torch._logging.set_logs()  # nothing any more
    """
    wanted = sorted(name for name, on in others.items() if on)
    if wanted:
        raise NotImplementedError(
            f"set_logs: {', '.join(wanted)} is not supported; the supported logs are {', '.join(ARTIFACTS)}, and levels of all, {', '.join(_LEVELS)} and modules; functorch_lite.debug.explain() shows the compiled programs"
        )
    flags = {"graph_code": graph_code, "graph_breaks": graph_breaks, "recompiles": recompiles}
    for name, on in flags.items():
        globals()[name] = bool(on)
        logging.getLogger(f"torch._dynamo.__{name}").setLevel(logging.DEBUG if on else logging.NOTSET)
    levels: dict[str, Any] = {"torch": all}
    levels |= {_LEVELS[k]: v for k, v in (("dynamo", dynamo), ("aot", aot), ("inductor", inductor))}
    for name, value in (modules or {}).items():
        levels[name] = logging.DEBUG if value is True else logging.NOTSET if value is False else value
    for name, level in levels.items():
        logging.getLogger(name).setLevel(logging.NOTSET if level is None else level)
    is_on = any(flags.values()) or any(v is not None for v in levels.values())
    _show(is_on)


def _show(on: bool) -> None:
    """Puts the library's handler on the logger `torch`, or takes it off."""
    logger = logging.getLogger("torch")
    for handler in _handlers:
        logger.removeHandler(handler)
    _handlers.clear()
    if on:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        logger.addHandler(handler)
        _handlers.append(handler)


def _from_environment(text: str) -> None:
    """TORCH_LOGS: names with commas between; + before one of a logger for more, - for less."""
    given: dict[str, Any] = {}
    for word in filter(None, text.split(",")):
        name, sign = word.lstrip("+-"), word[0]
        if name in ARTIFACTS:
            given[name] = True
        elif name in _LEVELS or name == "all":
            given[name] = {"+": logging.DEBUG, "-": logging.ERROR}.get(sign, logging.INFO)
        else:
            warnings.warn(f"TORCH_LOGS: {name!r} is not supported; the supported logs are {', '.join((*ARTIFACTS, 'all', *_LEVELS))}", stacklevel=2)  # fmt: skip
    set_logs(**given)


if os.environ.get("TORCH_LOGS"):
    _from_environment(os.environ["TORCH_LOGS"])
