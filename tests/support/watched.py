"""What Python does that a file might have made it do: processes, code, foreign libraries, files that are removed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

EVENTS = (
    "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.remove", "os.rmdir", "os.rename", "subprocess.Popen", "shutil.rmtree", "ctypes.dlopen",
    "pickle.find_class", "socket.connect", "exec", "code.__new__",
)  # fmt: skip

_seen: list | None = None
_installed = False


def _hook(event: str, args: tuple) -> None:
    if _seen is None or event not in EVENTS:
        return
    if event == "exec" and getattr(args[0], "co_filename", "<string>") != "<string>":
        return  # a module of Python's own that is imported at its first use, or code that the library makes
    _seen.append((event, args))


@contextlib.contextmanager
def watching() -> Iterator[list]:
    """The events of EVENTS inside the `with`. An audit hook cannot be taken back: it does nothing outside."""
    global _seen, _installed
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True
    _seen = []
    try:
        yield _seen
    finally:
        _seen = None
