"""The report: one HTML file with everything in it."""

from __future__ import annotations

import html
import inspect
import os
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure

from functorch_lite.demo.colours import coloured
from functorch_lite.demo.plots import to_png


@dataclass
class Section:
    """One job: what it shows (`text` is HTML), the functions that do it, its figures, and what is known of its run.

    `preparing` is the part of its seconds spent on tracing, lowering and compiling, in part in a separate thread
    while the job went on. `pytorch`: the seconds that PyTorch took for it, if it is installed.
    """

    title: str
    text: str
    steps: int
    outcome: str
    code: Sequence[Callable] = ()
    figures: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0
    compiles: int = 0
    runs: int = 0
    ops: int = 0
    preparing: float = 0.0
    pytorch: float | None = None

    @property
    def share(self) -> str:
        """Seconds of preparing programs, as a share of the job's."""
        return f"{self.preparing / self.seconds:.0%}" if self.seconds else "-"

    def add_figure(self, figure: Figure, caption: str) -> None:
        """Appends a figure, as a picture."""
        self.figures.append((to_png(figure), caption))


COLUMNS = (
    "Job",
    "Time",
    "PyTorch",
    "Compiling, a share",
    "Steps",
    "Ops recorded",
    "Programs run",
    "Programs compiled",
    "Outcome",
)

STYLE = """
:root { --ink: #1f2730; --soft: #5b6470; --line: #e1e5ea; --blue: #2f5d9b; }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: #f6f7f9; font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header { background: linear-gradient(120deg, #1d3557, #2f5d9b); color: #fff; padding: 3.2rem 1.5rem 2.8rem; }
header > div, main { max-width: 88rem; margin: auto; }
h1 { color: #fff; margin: 0 0 .4rem; font-size: 2.1rem; line-height: 1.2; letter-spacing: -.02em; }
header p { margin: 0; max-width: 46rem; color: #d6e2f2; }
main { padding: 1.5rem; }
section { background: #fff; border: 1px solid var(--line); border-radius: 10px; padding: 1.6rem 1.8rem; margin: 0 0 1.4rem; }
h2 { margin: 0 0 .6rem; font-size: 1.3rem; letter-spacing: -.01em; }
h2 span { display: inline-block; width: 1.7em; height: 1.7em; line-height: 1.7em; margin-right: .55em; text-align: center;
  font-size: .8em; color: #fff; background: var(--blue); border-radius: 50%; vertical-align: .12em; }
p { margin: .3rem 0 1rem; max-width: 52rem; }
code { font: .88em ui-monospace, Menlo, Consolas, monospace; background: #eef2f7; border-radius: 4px; padding: .1em .35em; }
header code { color: #fff; background: #17304f; }
figure { margin: 1.2rem 0 0; }
.beside { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 1.8rem; }
@media (min-width: 75rem) { .beside { grid-template-columns: minmax(0, 11fr) minmax(0, 10fr); } }
pre { margin: 1.2rem 0 0; padding: 1rem 1.1rem; background: #f3f5f9; border: 1px solid var(--line); border-radius: 8px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { background: none; padding: 0; font-size: .78rem; line-height: 1.5; }
.keyword { color: #8a2f7d; } .defined { color: #1d4f91; font-weight: 600; } .builtin { color: #1d6470; }
.string { color: #2f6b33; } .number { color: #8a4b10; } .comment { color: #5b6470; font-style: italic; }
figure img { width: 100%; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .88rem; margin-top: .35rem; }
.facts { display: flex; flex-wrap: wrap; gap: .5rem 1.8rem; margin: 0 0 .4rem; padding: 0; list-style: none; }
.facts b { display: block; font-size: 1.15rem; font-variant-numeric: tabular-nums; }
.facts li { color: var(--soft); font-size: .82rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .5rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; font-size: .8rem; }
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left; }
td:first-child, td:last-child { white-space: normal; }
tr.total td { font-weight: 600; border-bottom: 0; }
footer { max-width: 88rem; margin: auto; padding: 0 1.5rem 2.5rem; color: var(--soft); font-size: .85rem; }
"""

INTRODUCTION = """Four jobs on scikit-learn's handwritten digits. All of them are ordinary PyTorch with one changed import,
<code>import functorch_lite as torch</code>; no line marks anything for compilation. The library records what the program does, and JAX
and XLA compile what was recorded."""

READING = """An <em>op</em> is one call such as <code>x @ w</code>. Ops are recorded, not run; a <em>program</em> is a stretch of them that XLA
compiles and runs at once. The steps of a job, its evaluation and its figures all count. Compiled programs are kept on disk, so that
a second run spends less time here than the first. The share of compiling counts tracing, lowering and XLA; a part of it is done by another thread while
the job goes on, so it is not all waited for. PyTorch's time is that of the same files in a process where <code>functorch_lite</code> means PyTorch, on this machine
and after this one, if it is installed. Beside the figures stands the code that made them, as it ran."""

NEXT = (
    (
        "notebooks/01_whirlwind_tour.ipynb",
        "the tour",
        "the library in one notebook",
    ),
    ("docs/pytorch_users.md", "for PyTorch users", "what is worth knowing on the first day"),
    ("docs/jax_users.md", "for JAX users", "what is called what"),
    ("docs/how_to.md", "short recipes", "one page of them"),
    ("docs/differences.md", "what differs from PyTorch", "and why"),
)
"""Files of the repository to go on with."""


def _row(cells: Sequence[str], cell: str = "td", attributes: str = "") -> str:
    return f"<tr{attributes}>{''.join(f'<{cell}>{c}</{cell}>' for c in cells)}</tr>"


def _cells(name: str, s: Section) -> list[str]:
    numbers = (s.steps, s.ops, s.runs, s.compiles)
    return [
        html.escape(name),
        f"{s.seconds:.1f} s",
        "-" if s.pytorch is None else f"{s.pytorch:.1f} s",
        s.share,
        *[f"{n:,}" for n in numbers],
        html.escape(s.outcome),
    ]


def _table(sections: Sequence[Section]) -> str:
    rows = [_row(_cells(f"({letter}) {s.title}", s)) for letter, s in zip("abcd", sections)]
    total = Section("", "", sum(s.steps for s in sections), "")
    for name in ("seconds", "preparing", "compiles", "runs", "ops"):
        setattr(total, name, sum(getattr(s, name) for s in sections))
    if all(s.pytorch is not None for s in sections):
        total.pytorch = sum(s.pytorch or 0.0 for s in sections)
    rows.append(_row(_cells("In all", total), attributes=' class="total"'))
    return f'<div class="wide"><table>{_row(COLUMNS, "th")}{"".join(rows)}</table></div>'


def _section(letter: str, s: Section) -> str:
    facts = (("time", f"{s.seconds:.1f} s"), ("tracing and compiling", s.share), ("steps", f"{s.steps:,}"), ("ops recorded", f"{s.ops:,}"), ("programs run", f"{s.runs:,}"),
             ("programs compiled", f"{s.compiles:,}"))  # fmt: skip
    figures = "".join(
        f'<figure><img alt="{html.escape(caption)}" src="data:image/png;base64,{png}"><figcaption>{html.escape(caption)}</figcaption></figure>'
        for png, caption in s.figures
    )
    code = "\n\n".join(textwrap.dedent(inspect.getsource(f)).rstrip() for f in s.code)
    beside = f"<pre><code>{coloured(code)}</code></pre>" if code else ""
    listed = "".join(f"<li><b>{value}</b>{name}</li>" for name, value in facts)
    return f'<section id="{letter}"><h2><span>{letter}</span>{html.escape(s.title)}</h2><p>{s.text}</p><ul class="facts">{listed}</ul><div class="beside"><div>{figures}</div>{beside}</div></section>'


def _next(folder: Path) -> str:
    """Lists where to go on: links, in a clone of the repository."""
    root = Path(__file__).parents[2]
    rows = []
    for place, title, told in NEXT:
        path = root / place
        if path.exists():
            try:
                to = os.path.relpath(path, folder.resolve())
            except ValueError:  # on another drive
                to = path.as_uri()
            title = f'<a href="{html.escape(to.replace(os.sep, "/"))}">{title}</a>'
        rows.append(f"<li>{title} (<code>{place}</code>): {told}</li>")
    return f"<section><h2>What next</h2><ul>{''.join(rows)}</ul></section>"


def write(sections: Sequence[Section], folder: Path, versions: str) -> Path:
    """Writes index.html into the folder; returns its path."""
    body = "".join(_section(letter, s) for letter, s in zip("abcd", sections))
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>functorch_lite: four jobs</title><style>{STYLE}</style></head>
<body><header><div><h1>PyTorch's API, on JAX</h1><p>{INTRODUCTION}</p></div></header>
<main><section><h2>What was done</h2>{_table(sections)}<p style="margin-top:1rem">{READING}</p></section>{body}{_next(folder)}</main>
<footer>{html.escape(versions)}</footer></body></html>
"""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "index.html"
    path.write_text(page, encoding="utf-8")
    return path
