"""Pictures of a recording, of the trie that stores it, and of a Graph.
They are drawn as SVG from the objects.

python docs/site/pictures.py      # writes them into docs/images
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import functorch_lite as torch
from functorch_lite._core.api import state
from functorch_lite.compiler.graphs.make_fx import as_called

ROW, COLUMN, WIDTH, HEIGHT = 66, 178, 150, 40

STYLE = """
text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #1f2730; text-anchor: middle; }
.small { font-size: 11px; fill: #4a5360; } .note { text-anchor: start; fill: #4a5360; }
rect { rx: 7; stroke: #2f5d9b; fill: #e8f0fb; } .input rect { stroke: #8a6d1f; fill: #fdf5dc; }
.output rect { stroke: #2b7a4b; fill: #e3f5ea; } .here rect { stroke-width: 3; }
path { stroke: #5b6470; fill: none; stroke-width: 1.4; } .paper { fill: #fff; stroke: none; rx: 0; }
"""


@dataclass
class Picture:
    """Boxes at places of a grid, arrows between them, and words beside them."""

    boxes: dict[Any, tuple[float, float]] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    notes: int = 0  # how many letters the longest note beside the last column has

    def box(self, key: Any, column: float, row: float, name: str, below: str = "", kind: str = "op") -> None:
        x, y = 95 + column * COLUMN, 40 + row * ROW
        self.boxes[key] = x, y
        lines = [f'<text x="{x}" y="{y + (-3 if below else 5)}">{escape(name)}</text>']
        if below:
            lines.append(f'<text class="small" x="{x}" y="{y + 13}">{escape(below)}</text>')
        rect = f'<rect x="{x - WIDTH / 2}" y="{y - HEIGHT / 2}" width="{WIDTH}" height="{HEIGHT}"/>'
        self.parts.append(f'<g class="{kind}">{rect}{"".join(lines)}</g>')

    def arrow(self, start: Any, end: Any) -> None:
        (x0, y0), (x1, y1) = self.boxes[start], self.boxes[end]
        y0, y1 = y0 + HEIGHT / 2, y1 - HEIGHT / 2 - 2
        middle = (y0 + y1) / 2
        self.parts.append(
            f'<path marker-end="url(#tip)" d="M{x0},{y0} C{x0},{middle} {x1},{middle} {x1},{y1}"/>'
        )

    def note(self, beside: Any, words: str) -> None:
        x, y = self.boxes[beside]
        self.notes = max(self.notes, len(words))
        self.parts.append(f'<text class="note" x="{x + WIDTH / 2 + 14}" y="{y + 5}">{escape(words)}</text>')

    def svg(self, title: str) -> str:
        width = max(x for x, _ in self.boxes.values()) + WIDTH / 2 + 22 + 8 * self.notes
        height = max(y for _, y in self.boxes.values()) + HEIGHT
        tip = '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" style="fill:#5b6470"/></marker>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img">'
            f"<title>{escape(title)}</title><style>{STYLE}</style><defs>{tip}</defs>"
            f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>{"".join(self.parts)}</svg>'
        )


def drawn() -> dict[str, str]:
    """All pictures, by name."""
    torch.synchronize()
    return {"recording": _recording(), "trie": _trie(), "graph": _graph()}


def _size(aval: Any) -> str:
    return f"{aval.dtype}[{', '.join(map(str, aval.shape))}]".replace("torch.", "")


def _recording() -> str:
    x, w = torch.randn(4, 3), torch.randn(3, 2)
    lines = ["y = x @ w", "z = torch.relu(y)", "s = z.sum()"]
    space = {"x": x, "w": w, "torch": torch}
    exec("\n".join(lines), space)
    path = list(state.here.rec.path)
    picture = Picture()
    picture.box("x", 0, 0, "x", _size(x), "input")
    picture.box("w", 1, 0, "w", _size(w), "input")
    for i, node in enumerate(path):
        picture.box(i, 0.5, i + 1, node.op.name, _size(node.avals[0]))
        for start in ("x", "w") if i == 0 else (i - 1,):
            picture.arrow(start, i)
        picture.note(i, lines[i])
    picture.box("end", 0.5, len(path) + 1, "s.item()", "runs as one program", "output")
    picture.arrow(len(path) - 1, "end")
    space["s"].item()
    return picture.svg("A recording of three ops")


def _trie() -> str:
    x, w = torch.randn(5, 3), torch.randn(3, 2)

    def run(activation: Any, last: Any) -> list[Any]:
        y = last(activation(x @ w))
        path = list(state.here.rec.path)
        y.tolist()
        return path

    runs = [
        run(torch.relu, lambda z: z.sum()),
        run(torch.relu, lambda z: z.mean()),
        run(torch.tanh, lambda z: z.sum()),
    ]
    latest = run(torch.relu, lambda z: z.sum())
    assert latest == runs[0], "a program that is run again walks the nodes that are there"
    picture = Picture()
    picture.box("root", 1, 0, "root", "one for each device", "input")
    for number, path in enumerate(runs):
        above: Any = "root"
        for depth, node in enumerate(path):
            if node not in picture.boxes:
                place = (
                    1.0
                    if depth == 0
                    else (0.5 if number < 2 else 2.0)
                    if depth == 1
                    else (0.0, 1.0, 2.0)[number]
                )
                here = " here" if node in latest else ""
                picture.box(node, place, depth + 1, node.op.name, _size(node.avals[0]), f"op{here}")
                picture.arrow(above, node)
            above = node
    for number, path in enumerate(runs):
        picture.box(("program", number), (0.0, 1.0, 2.0)[number], 4, f"program {number + 1}", "", "output")
        picture.arrow(path[-1], ("program", number))
    return picture.svg("The trie after three programs")


def _graph() -> str:
    def loss(w, x):
        h = torch.tanh(x @ w)
        return (h * h).sum() + 0.1 * w.square().sum()

    module = as_called(loss)(torch.randn(3, 2), torch.randn(4, 3))
    picture, depth, taken = Picture(), {}, {}
    for node in module.graph.nodes:
        depth[node] = max((depth[n] + 1 for n in node.all_input_nodes), default=0)
        column = taken[depth[node]] = taken.get(depth[node], -1) + 1
        kind = {"placeholder": "input", "output": "output"}.get(node.op, "op")
        value = node.meta.get("val")
        picture.box(
            node,
            column,
            depth[node],
            node.name,
            _size(value) if isinstance(value, torch.Tensor) else "",
            kind,
        )
        for before in node.all_input_nodes:
            picture.arrow(before, node)
    return picture.svg("The Graph of a loss")


if __name__ == "__main__":
    for name, picture in drawn().items():
        (Path(__file__).parents[1] / "images" / f"{name}.svg").write_text(picture + "\n")
