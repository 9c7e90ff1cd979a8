"""torch.torch_version: the version of PyTorch as a string that is compared as a version."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .api_names import listed
from .version import __version__ as _version

__all__ = ["TorchVersion"]
__dir__ = listed(__name__)

_PARTS = re.compile(
    r"v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)(?:[-_.]?(?P<pre>a|b|c|rc|alpha|beta|pre|preview)[-_.]?(?P<pre_n>\d*))?"
    r"(?P<post>-(?P<post_of>\d+)|[-_.]?(?:post|rev|r)[-_.]?(?P<post_n>\d*))?(?P<dev>[-_.]?dev[-_.]?(?P<dev_n>\d*))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?",
    re.IGNORECASE,
)
"""Pattern of a version: https://packaging.python.org/en/latest/specifications/version-specifiers (its appendix B)."""

_STAGES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}


def _key(version: str) -> tuple:
    """Returns the key by which versions are ordered; raises ValueError where `version` is none. 1.0.dev1 < 1.0a1 < 1.0
    = 1 < 1.0+cpu < 1.0.post1."""
    found = _PARTS.fullmatch(version.strip())
    if found is None:
        raise ValueError(f"Invalid version: {version!r}")
    part = found.groupdict()
    release = [int(n) for n in part["release"].split(".")]
    while release and not release[-1]:
        release.pop()
    pre = (_STAGES[part["pre"].lower()], int(part["pre_n"] or 0)) if part["pre"] else None
    post = int(part["post_of"] or part["post_n"] or 0) if part["post"] else -1
    dev = int(part["dev_n"] or 0) if part["dev"] else float("inf")
    if pre is None:  # a mere development release comes before every pre-release, a release after them
        pre = (-1, 0) if part["dev"] and post < 0 else (3, 0)
    local = re.split("[-_.]", part["local"].lower()) if part["local"] else []
    return (
        int(part["epoch"] or 0),
        release,
        pre,
        post,
        dev,
        [(1, int(n), "") if n.isdigit() else (0, 0, n) for n in local],
    )


class TorchVersion(str):
    """A version that is compared with strings, tuples of numbers and `packaging.version.Version` as a version, not
    letter by letter.

    >>> TorchVersion("2.13.0") >= (1, 13), TorchVersion("2.13.0") > "2.9"
    (True, True)
    """

    __slots__ = ()

    def _compared(self, other: Any, method: str) -> Any:
        try:
            return getattr(_key(str(self)), method)(_key(_text(other)))
        except ValueError:  # no version, such as 'parrot': as strings
            return getattr(super(), method)(other)

    def __lt__(self, other: Any) -> bool:
        return self._compared(other, "__lt__")

    def __le__(self, other: Any) -> bool:
        return self._compared(other, "__le__")

    def __gt__(self, other: Any) -> bool:
        return self._compared(other, "__gt__")

    def __ge__(self, other: Any) -> bool:
        return self._compared(other, "__ge__")

    def __eq__(self, other: Any) -> bool:
        return self._compared(other, "__eq__")

    __hash__ = str.__hash__


def _text(x: Any) -> str:
    """A version of any kind as a string."""
    if type(x).__name__ == "Version":
        return str(x)
    if isinstance(x, str):
        return str.__str__(x)
    if isinstance(x, Iterable):
        return ".".join(str(n) for n in x)
    raise ValueError(f"Invalid version: {x!r}")


__version__ = TorchVersion(_version)
