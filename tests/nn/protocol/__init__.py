"""Programs about nn.Module that are run with PyTorch and with this library; all that they observe is compared.

A program is a function of the library and of a Log, which it tells what it sees: values, what a call returned or
raised, warnings. What PyTorch's run tells is recorded in tests/golden/module_protocol.json
(`python -m tests.golden.make_module_protocol`).
"""

from __future__ import annotations

import re
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tests.sentences import as_ours

PROGRAMS: dict[str, Callable] = {}


def program(function: Callable) -> Callable:
    """Adds a program, under the name of its file and its own."""
    PROGRAMS[f"{function.__module__.rpartition('.')[2]}.{function.__name__}"] = function
    return function


def words(text: str) -> str:
    """A sentence without what differs between the libraries: where a class lives, addresses, what it says of PyTorch's
    issue tracker."""
    text = text.replace("functorch_lite", "torch").replace("torch._core.lazy.tensor.Tensor", "torch.Tensor")
    text = re.sub(
        r"without an implementation for abstract method '(\w+)'", r"with abstract method \1", text
    )  # Python 3.12's
    return re.sub(r"0x[0-9a-f]+", "0x…", as_ours(text))


_FROM_CPP = ("Casting complex values to real", "The .grad attribute of a Tensor")
"""Warnings of PyTorch's C++ code, which says where it gives them: see tests/test_advice.py."""


class Log(list):
    """What a program saw, in order, as plain values."""

    def __init__(self, torch: Any):
        super().__init__()
        self.torch = torch

    def plain(self, x: Any) -> Any:
        """x as JSON can hold it."""
        if isinstance(x, self.torch.Tensor):
            kind = type(x).__name__
            if self.torch.nn.parameter.is_lazy(x):
                return [kind, str(x.dtype)]
            values = [self.plain(v) for v in x.detach().reshape(-1).tolist()]
            return [kind, str(x.dtype), list(x.shape), values, x.requires_grad]
        if x is None or isinstance(x, bool | int | str):
            return words(x) if isinstance(x, str) else x
        if isinstance(x, float):
            return (
                0.0 if abs(x) < 1e-12 else float(f"{x:.6g}")
            )  # what rounding leaves of a zero is the machine's
        if isinstance(x, complex):
            return str(x)
        if isinstance(x, dict | OrderedDict):
            return [type(x).__name__, [[self.plain(k), self.plain(v)] for k, v in x.items()]]
        if isinstance(x, list | tuple | set | frozenset):
            members = (
                sorted(x, key=repr) if isinstance(x, set | frozenset) else x
            )  # a set has no order of its own
            return [type(x).__name__, [self.plain(v) for v in members]]
        if isinstance(x, type):
            return words(str(x))
        if isinstance(x, BaseException):
            return [type(x).__name__, words(str(x))]
        return words(repr(x))

    def __call__(self, *values: Any) -> None:
        self.append(self.plain(values[0] if len(values) == 1 else values))

    def attempt(self, call: Callable[[], Any]) -> Any:
        """What `call()` gives or raises, with its warnings."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found = call()
            except Exception as error:
                self(error)
                found = None
            else:
                self(found)
        for w in caught:
            text = str(w.message)
            if "Triggered internally" in text or text.startswith(_FROM_CPP):  # only once in a process
                continue
            self([w.category.__name__, text])
        return found

    def attempts(self, *calls: Callable[[], Any]) -> None:
        """`attempt` of each."""
        for call in calls:
            self.attempt(call)


def run(name: str, torch: Any) -> list:
    """What a program tells."""
    log = Log(torch)
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        PROGRAMS[name](torch, log)
    return list(log)


def some(torch: Any) -> Any:
    """A module with parameters, buffers of both kinds, empty slots, nested and shared children."""
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.l1 = filled(torch, nn.Linear(2, 3))
            self.p = nn.Parameter(torch.ones(2))
            self.register_buffer("b", torch.zeros(2))
            self.register_buffer("tmp", torch.zeros(1), persistent=False)
            self.plain = None
            self.register_parameter("no_param", None)
            self.inner = nn.Sequential(filled(torch, nn.Linear(3, 3)), nn.BatchNorm1d(3), nn.ReLU())
            self.shared = self.l1
            self.none = None
            self.add_module("empty", None)

        def forward(self, x):
            return self.inner(self.l1(x))

    return Net()


def filled(torch: Any, module: Any) -> Any:
    """`module` with parameters that are the same in both libraries."""
    with torch.no_grad():
        for n, p in enumerate(module.parameters()):
            p.copy_((torch.arange(p.numel()).reshape(p.shape) % 5 - 1.5 + n) / 4)
    return module


from tests.nn.protocol import (  # noqa: E402
    attention,
    backward_hooks,
    containers,
    conversion,
    copies,
    forward_hooks,
    legacy_hooks,
    members,
    rewritten,
    state_dict,
    tour,
    utilities,
)

__all__ = [
    "PROGRAMS", "Log", "attention", "backward_hooks", "containers", "conversion", "copies", "filled", "forward_hooks", "legacy_hooks", "members", "program", "rewritten",
    "run", "some", "state_dict", "tour", "utilities",
]  # fmt: skip
