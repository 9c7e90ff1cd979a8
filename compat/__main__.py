"""`python -m functorch_lite.compat script.py args…`: runs an unmodified PyTorch script on functorch_lite.

`-m module` runs a module instead of a file, as with python itself.
"""

from __future__ import annotations

import os
import runpy
import sys
from types import TracebackType

from functorch_lite.compat import install_as_torch

USAGE = "usage: python -m functorch_lite.compat [-m module | script.py] [arguments …]"


def main(arguments: list[str]) -> None:
    """Runs the script as `__main__`, with its own `sys.argv` and `sys.path[0]`; exits as it does."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(f"{USAGE}\n\n{__doc__}", file=sys.stderr if not arguments else sys.stdout)
        raise SystemExit(0 if arguments else 2)
    is_module = arguments[0] == "-m"
    if is_module and len(arguments) == 1:
        raise SystemExit(f"{USAGE}\nargument expected after -m")
    sys.argv = arguments[1:] if is_module else arguments
    target = sys.argv[0]
    if not is_module and not os.path.exists(target):
        raise SystemExit(f"can't open file '{os.path.abspath(target)}': no such file")
    install_as_torch()
    try:
        if is_module:
            runpy.run_module(target, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(target))
            runpy.run_path(target, run_name="__main__")
    except SystemExit:
        raise
    except KeyboardInterrupt:  # Python prints it, and then exits as interrupted processes do
        shown = sys.excepthook

        def show(kind, error, trace):
            ours = _of_the_script(trace)
            shown(kind, error.with_traceback(ours), ours)

        sys.excepthook = show
        raise
    except BaseException as error:
        error.__traceback__ = _of_the_script(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        raise SystemExit(1) from None


def _of_the_script(trace: TracebackType | None) -> TracebackType | None:
    """The traceback without the frames of this file and of runpy that lie above the script's."""
    own = (__file__, runpy.__file__, "<frozen runpy>")
    at = trace
    while at is not None and at.tb_frame.f_code.co_filename in own:
        at = at.tb_next
    return at or trace


if __name__ == "__main__":
    main(sys.argv[1:])
