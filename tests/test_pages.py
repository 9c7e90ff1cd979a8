"""The Python of README.md and of pages in docs/ runs in order, as it stands.
(Pages whose blocks are compared with what they print have tests of their own.)"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import functorch_lite as torch
from functorch_lite.compiler import replay

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
PAGES = {
    "README.md": "",
    "docs/how_it_works.md": "import functorch_lite as torch",
    "docs/how_to.md": "",
    "docs/jax_users.md": "",
    "docs/pytorch_users.md": "",
    "docs/recording.md": (
        "import functorch_lite as torch\n"
        "import functorch_lite.nn.functional as F\n"
        "x, w = torch.ones(2, 3), torch.ones(3, 4)\n"
        "def train_step():\n"
        "    F.linear(x, w.T).sum().item()\n"
    ),
    "docs/memory.md": "",
    "docs/value_errors.md": "",
    "docs/curvature.md": "",
    "docs/graphs.md": "",
    "docs/leaving.md": "",
}
"""Each page, and what it takes for granted."""

NEEDS = {"docs/leaving.md": "flatbuffers"}
"""Pages with code that needs an extra."""


@pytest.mark.parametrize("page", PAGES)
def test_the_page_runs(page, tmp_path, monkeypatch):
    if page in NEEDS:
        pytest.importorskip(NEEDS[page])
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    space: dict = {"__name__": "page"}
    exec(PAGES[page], space)
    path = ROOT / page
    text = path.read_text()
    for found in BLOCK.finditer(text):
        line = text[: found.start()].count("\n") + 1
        try:
            exec(compile("\n" * line + found[1], str(path), "exec"), space)
        except Exception as error:
            error.add_note(f"not replayed: {[why for f in replay.every for why in f.why_not]}")
            raise
    assert BLOCK.search(text)


def test_every_page_with_code_is_run():
    elsewhere = {"docs/bridges.md", "docs/debugging.md", "docs/distributed.md", "docs/fx.md"}
    with_code = {
        p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").glob("*.md") if BLOCK.search(p.read_text())
    }
    assert with_code | {"README.md"} == elsewhere | set(PAGES)
