"""The demo's report: the code of a job beside its figures, the share of compiling, and words that can be read on what
is behind them."""

from __future__ import annotations

import html
import inspect
import re
import textwrap

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("sklearn")
pytest.importorskip("tqdm")

from functorch_lite.demo import ensemble, hessian, per_sample_gradients, report, train_cnn, under_pytorch


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb, as the accessibility guidelines of the W3C define it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_report(tmp_path):
    section = report.Section(
        "A job", "text", steps=3, outcome="done", code=(train_cnn.train,), seconds=4.0, preparing=1.0
    )
    section.pytorch = 6.5
    page = report.write([section, section], tmp_path, "versions").read_text()
    assert page.count("<b>25%</b>tracing and compiling") == 2
    code = page.split("<pre><code>")[1].split("</code></pre>")[0]
    plain = html.unescape(re.sub("<.*?>", "", code))
    assert plain == textwrap.dedent(inspect.getsource(train_cnn.train)).rstrip()
    assert (
        'class="keyword">def</span> <span class="defined">train</span>' in code and 'class="string"' in code
    )
    total = page.split('class="total"')[1].split("</tr>")[0]
    assert "8.0 s" in total and "25%" in total and "13.0 s" in total
    links = re.findall('<a href="(.*?)"', page)
    assert len(links) == len(report.NEXT) and all((tmp_path / link).exists() for link in links)


def test_every_job_shows_its_code():
    for job in (train_cnn, per_sample_gradients, ensemble, hessian):
        assert "code=(" in job.__loader__.get_source(job.__name__)  # type: ignore[union-attr]


def test_code_in_the_header_can_be_read():
    colour, ground = re.search(
        r"header code \{ color: (#\w{3}); background: (#\w{6}); \}", report.STYLE
    ).groups()  # type: ignore[union-attr]
    assert colour == "#fff" and 1.05 / (luminance(ground) + 0.05) > 4.5


def test_colours_of_code_can_be_read():
    ground = luminance(re.search(r"pre \{.*?background: (#\w{6})", report.STYLE)[1])  # type: ignore[index]
    for name in ("keyword", "defined", "builtin", "string", "number", "comment"):
        colour = re.search(rf"\.{name} \{{ color: (#\w{{6}})", report.STYLE)[1]  # type: ignore[index]
        assert (ground + 0.05) / (luminance(colour) + 0.05) > 4.5, name
    assert "white-space: pre-wrap" in report.STYLE  # nothing is cut off


def test_pytorchs_times_are_of_what_it_has_done(monkeypatch, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import time\nprint(1.5, flush=True)\nprint(0.25, flush=True)\ntime.sleep(600)\n")
    monkeypatch.setattr(under_pytorch, "__file__", str(program))
    monkeypatch.setattr(under_pytorch, "MOST", 5.0)
    monkeypatch.setattr(under_pytorch.importlib.util, "find_spec", lambda name: object())
    assert under_pytorch.seconds() == [1.5, 0.25]
    monkeypatch.setattr(under_pytorch.importlib.util, "find_spec", lambda name: None)
    assert under_pytorch.seconds() == []


def test_the_title_can_be_read():
    behind = re.search(r"header \{ background: linear-gradient\(120deg, (#\w{6}), (#\w{6})\)", report.STYLE)
    words = [
        re.search(r"h1 \{ color: (#\w{3})", report.STYLE)[1] * 1,
        re.search(r"header p \{.*?color: (#\w{6})", report.STYLE)[1],
    ]  # type: ignore[index]
    for colour in words:
        colour = colour if len(colour) == 7 else "#" + "".join(c * 2 for c in colour[1:])
        for ground in behind.groups():  # type: ignore[union-attr]
            assert (luminance(colour) + 0.05) / (luminance(ground) + 0.05) > 4.5
