"""Commands and options of a script that reproduces."""

from __future__ import annotations

import argparse
import linecache
import logging
import re
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ...fx import GraphModule
from .. import settings
from ..errors import AccuracyError
from ..torch_compile import compile
from .answers import Answers, fingerprint
from .differ import compare
from .faults import compiler_named, fails, run_once
from .isolate import Isolated
from .levels import dump_compiler_graph_state
from .saved import Storages, written
from .script import InputReader
from .shrinking import Minifier
from .stepping import as_module

__all__ = ["run_repro"]

log = logging.getLogger("torch._dynamo.debug_utils")

COMMANDS = {
    "run": "calls the program once: its error, or bad accuracy, is raised",
    "minify": "shrinks it, and writes what is left to repro.py",
    "minifier-query": "exit status 1 if the fault is there, else 0",
    "analyze": "runs it step by step on both sides, and prints the first step that differs",
    "get_args": "gives (module, inputs) back",
}


def _options(
    command: str,
    accuracy: Any,
    save_dir: str | None,
    tracing_mode: str,
    check_str: str | None,
    only_fwd: bool,
    isolate: bool,
):
    parser = argparse.ArgumentParser(
        description="A program that fails, by itself. Commands: "
        + "; ".join(f"{k} {v}" for k, v in COMMANDS.items())
    )
    parser.add_argument("command", nargs="?", choices=list(COMMANDS), default=command)
    parser.add_argument("--accuracy", dest="accuracy", action="store_const", const="accuracy", default=accuracy or "", help="results are compared; differences in whole numbers do not count")  # fmt: skip
    parser.add_argument("--strict-accuracy", dest="accuracy", action="store_const", const="strict_accuracy", help="results are compared, whole numbers and bools too")  # fmt: skip
    parser.add_argument("--no-accuracy", dest="accuracy", action="store_const", const="", help="errors count, not results")  # fmt: skip
    parser.add_argument(
        "--save-dir", default=save_dir, help="where the inputs' numbers are, and checkpoints go"
    )
    parser.add_argument("--no-save-dir", action="store_true", help="random numbers stand for the inputs, and nothing is resumed")  # fmt: skip
    parser.add_argument(
        "--tracing-mode", default=tracing_mode, choices=["real", "fake", "symbolic"], help='"real"; the others say that Graphs are of the shapes they see')  # fmt: skip
    parser.add_argument("--isolate", action="store_true", default=isolate, help="each query has a process of its own: one that dies has the fault")  # fmt: skip
    parser.add_argument(
        "--no-isolate", dest="isolate", action="store_false", help="queries are made in this process"
    )
    parser.add_argument("--skip-saving-eager-intermediates", action="store_true", help="analyze: nothing is saved in any case; accepted")  # fmt: skip
    parser.add_argument("--offload-to-disk", action="store_true", help="minify: the results of steps are kept in files")  # fmt: skip
    parser.add_argument("--skip-sanity", action="store_true", help="minify: it is not asked first whether the program fails")  # fmt: skip
    parser.add_argument("--max-granularity", type=int, default=None, metavar="N", help="minify: at most so many steps go at once; a power of two")  # fmt: skip
    parser.add_argument("--check-str", default=check_str, metavar="TEXT", help="an error counts only if its class or text has TEXT")  # fmt: skip
    parser.add_argument(
        "--only-fwd", action="store_true", default=only_fwd, help="gradients are not computed"
    )
    return parser


def run_repro(
    mod: Any,
    load_args: Callable[[InputReader], None],
    *,
    compiler: str | Callable = "xla",
    command: str = "run",
    accuracy: bool | str = False,
    save_dir: str | None = None,
    tracing_mode: str = "real",
    check_str: str | None = None,
    only_fwd: bool = False,
    isolate: bool = False,
) -> Any:
    """Runs a script; its last line calls this. The command line says what is done, and the arguments say it where the
    command line does not. See `python repro.py --help`."""
    parser = _options(command, accuracy, save_dir, tracing_mode, check_str, only_fwd, isolate)
    options = parser.parse_args()
    if options.tracing_mode == "symbolic":
        parser.error("--tracing-mode symbolic: a Graph is of the shapes that it was recorded with")
    script = Path(sys.argv[0]).absolute()
    folder = Path(options.save_dir) if options.save_dir else script.parent / "checkpoints"
    if not folder.is_dir():  # the script was taken elsewhere
        folder = script.parent / "checkpoints"
    places = [folder / "storages", script.parent / "storages"]
    reader = InputReader([] if options.no_save_dir else places)
    load_args(reader)
    if options.command == "get_args":
        return mod, reader.args
    compile_fn = compiler_named(compiler) if isinstance(compiler, str) else compiler
    settings.repro_after = None  # what fails here leaves no further script
    gm, inputs = as_module(mod, reader.args)
    _restore_lines(gm, script)
    query = {
        "accuracy": options.accuracy,
        "check_str": options.check_str,
        "only_fwd": options.only_fwd,
        "require_fp64": False,
        "ignore_non_fp": settings.repro_ignore_non_fp or options.accuracy == "accuracy",
    }
    if options.command == "minifier-query":
        sys.exit(int(fails(gm, inputs, compile_fn, **query)))
    if options.command == "analyze":
        return compare(gm, *inputs, backend=compile_fn)
    if options.command == "minify":
        return _minify(gm, inputs, compiler, compile_fn, query, options, folder)
    return _run(mod, gm, inputs, compiler, compile_fn, query)


def _restore_lines(gm: GraphModule, script: Path) -> None:
    """Gives steps the user's lines, which are comments above them in the script."""
    for node in gm.graph.nodes:
        m = re.match(r'File "(.*)", line (\d+)', node.meta.get("stack_trace") or "")
        if m is None or Path(m[1]).name != script.name:
            continue
        node.meta.pop("stack_trace")
        for number in range(int(m[2]) - 1, 0, -1):
            above = linecache.getline(m[1], number).strip()
            said = re.fullmatch(r"# (.*?):(\d+): (.*)", above)
            if said:
                node.meta["stack_trace"] = f'File "{said[1]}", line {said[2]}\n    {said[3]}'
            if said or above.startswith("def "):
                break


def _run(
    mod: Any, gm: GraphModule, inputs: list[Any], name: Any, compile_fn: Callable, query: dict[str, Any]
) -> Any:
    if query["accuracy"]:
        if fails(gm, inputs, compile_fn, **query):
            raise AccuracyError("Bad accuracy detected")
        print("The results are those of the ops run one by one.")
        return None
    if name == "xla":
        return run_once(compile_fn(gm, inputs), inputs, query["only_fwd"])
    return run_once(
        compile(mod, backend=name if isinstance(name, str) and ":" not in name else compile_fn),
        inputs,
        query["only_fwd"],
    )


def _minify(
    gm: GraphModule, inputs: list[Any], name: Any, compile_fn: Callable, query: dict[str, Any], options: Any, folder: Path
) -> Path | None:  # fmt: skip
    """Shrinks the program; leaves `repro.py` in the working directory, and what is needed to go on after a kill in the
    folder of checkpoints."""
    label = name if isinstance(name, str) else "xla"
    keep = {k: query[k] or None for k in ("accuracy", "check_str")} | {"only_fwd": query["only_fwd"]}

    def ask_here(gm: GraphModule, inputs: list[Any]) -> bool:
        return fails(gm, inputs, compile_fn, **query)

    ask: Callable = Isolated(label, folder / "isolate", **keep) if options.isolate else ask_here

    def dump(gm: GraphModule, inputs: list[Any]) -> None:
        dump_compiler_graph_state(gm, inputs, label, folder=Path.cwd(), **keep)

    about = f"{label} {sorted(query.items())} {fingerprint(gm.graph, inputs, {})}"
    of = blake2b(about.encode(), digest_size=8).hexdigest()
    answers = Answers(None if options.no_save_dir else folder / f"answers_{of}.txt")
    if options.max_granularity is not None and (
        options.max_granularity & (options.max_granularity - 1) or options.max_granularity < 1
    ):
        raise RuntimeError(f"max_granularity {options.max_granularity} not power of two")
    store = Storages(folder / "intermediates").put_away if options.offload_to_disk else None
    made = Minifier(
        gm,
        inputs,
        ask,
        dump,
        answers=answers,
        max_granularity=options.max_granularity,
        shapes=not query["accuracy"],
        store=store,
    )
    small, left = made.run(options.skip_sanity)
    dump(small, left)
    print(
        f"Wrote minimal repro out to {Path.cwd() / 'repro.py'} ({made.queries} queries, {written['bytes']} bytes written)"
    )
    return Path.cwd() / "repro.py"
