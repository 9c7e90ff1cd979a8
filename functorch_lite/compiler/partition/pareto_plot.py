"""A picture of what a budget buys: cost of what runs again against bytes kept, as an SVG file."""

from __future__ import annotations

import itertools
from pathlib import Path

from .choose import Pareto

__all__ = ["svg", "write_pareto"]

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 640, 400, 90, 50, 40, 30
_count = itertools.count()


def _size(n: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if n < 1000 or unit == "GB":
            return f"{n:.3g} {unit}"
        n /= 1000
    raise AssertionError


def _text(x: float, y: float, text: str, anchor: str = "middle", turn: bool = False) -> str:
    turned = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turn else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turned}>{text}</text>'


def svg(found: Pareto, title: str = "What a budget buys") -> str:
    """The plans as a curve with one point for each: saved bytes that are not inputs (x), the repeated work as a part
    of the forward's cost (y)."""
    points = {}
    forward = found.plans[0].program
    whole = sum(forward.steps[i].cost for i in forward.ancestors(forward.results)) or 1.0
    for b, p in zip(found.budgets, found.plans):
        points.setdefault((p.saved_bytes, p.cost / whole), []).append(b)
    most = max([x for x, _ in points] + [1])
    top = max([y for _, y in points] + [0.01])

    def at(x: float, y: float) -> tuple[float, float]:
        wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _BOTTOM - _TOP
        return _LEFT + x / most * wide, _TOP + (1 - y / top) * high

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*p) for p in sorted(points)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(_WIDTH / 2, 20, title),
        f'<path d="M {_LEFT} {_TOP} V {_HEIGHT - _BOTTOM} H {_WIDTH - _RIGHT}" fill="none" stroke="black"/>',
    ]
    for k in range(5):
        x, y = at(most * k / 4, top * k / 4)
        parts.append(_text(x, _HEIGHT - _BOTTOM + 18, _size(most * k / 4)))
        parts.append(_text(_LEFT - 8, y + 4, f"{100 * top * k / 4:.0f} %", "end"))
    parts.append(_text(_WIDTH / 2, _HEIGHT - 10, "bytes kept for the backward, inputs left out"))
    parts.append(_text(20, _HEIGHT / 2, "runs again, of the forward's cost", turn=True))
    parts.append(f'<polyline points="{line}" fill="none" stroke="#1f77b4" stroke-width="2"/>')
    for p, budgets in sorted(points.items()):
        x, y = at(*p)
        label = f"{min(budgets):g}" if len(budgets) == 1 else f"{min(budgets):g}–{max(budgets):g}"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="#1f77b4"/>')
        parts.append(_text(x + 6, y - 6, label, "start"))
    return "\n".join([*parts, "</svg>\n"])


def write_pareto(found: Pareto, folder: str | None) -> Path:
    """Writes the picture to `memory_budget_pareto_<number>.svg` in a folder, by default the one that the program runs
    in."""
    path = Path(folder or ".")
    path.mkdir(parents=True, exist_ok=True)
    while (file := path / f"memory_budget_pareto_{next(_count)}.svg").exists():
        pass
    file.write_text(svg(found), encoding="utf-8")
    return file
