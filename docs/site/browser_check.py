"""Looks at the built site in a browser: no table may be wider than the screen, and each question must find its page.

    make docs && python docs/site/browser_check.py [--widths 1280 390] [--only docs/]

It needs Chromium and nothing else. Every page is opened at each width, and every question of QUESTIONS is typed into
the site's own search.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from redirects import REDIRECTS

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site"

QUESTIONS = {
    "when does it compile": "docs/compilation.html",
    "why is my loop slow": "docs/slow.html",
    "save and load": "docs/saving.html",
    "does this op work under vmap": "docs/transforms.html",
    "two GPUs": "docs/distributed.html",
    "install": "docs/install.html",
    "loss is nan": "docs/nan.html",
    "index out of range": "docs/index_errors.html",
    "out of memory": "docs/memory_use.html",
    "per-sample gradients": "docs/derivatives.html",
    "train with K-FAC": "docs/curvature.html",
    "differential privacy": "docs/curvature.html",
    "export to onnx": "docs/export.html",
    "load data with workers": "docs/data_loading.html",
    "optax optimizer": "docs/bridges.html",
    "flax module": "docs/bridges.html",
    "different results than PyTorch": "docs/wrong_results.html",
    "padding varying sizes": "docs/varying_sizes.html",
    "resume training": "docs/saving.html",
    "what is deprecated": "docs/stability.html",
    "what is supported": "docs/coverage.html",
}
"""Queries for the search, and the page that answers each."""

HARNESS = """<!doctype html><meta charset="utf-8"><title>check</title><body><script>
const {pages, widths, questions} = JOB;
const pause = ms => new Promise(done => setTimeout(done, ms));
async function open(url, width) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:900px;border:0`;
  frame.src = url;
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  return frame;
}
async function check() {
  const wide = [], found = {};
  for (const width of widths) for (const page of pages) {
    const frame = await open("/" + page, width);
    await pause(10);
    const doc = frame.contentDocument;
    for (const table of doc.querySelectorAll("table")) {
      const size = Math.max(table.getBoundingClientRect().width, table.scrollWidth);
      if (size > width) wide.push({page, width, table: Math.round(size), starts: table.innerText.slice(0, 60)});
    }
    if (doc.documentElement.scrollWidth > width) wide.push({page, width, document: doc.documentElement.scrollWidth});
    frame.remove();
  }
  for (const question of questions) {
    const frame = await open("/index.html", 1280);
    const doc = frame.contentDocument, box = doc.querySelector(".md-search__input");
    doc.querySelector("[data-md-toggle=search]").click();
    box.focus();
    box.value = question;
    let links = [];
    for (let i = 0; i < 30 && !links.length; i++) {
      for (const kind of ["focus", "keyup", "input"]) box.dispatchEvent(new frame.contentWindow.Event(kind, {bubbles: true}));
      await pause(200);
      links = [...doc.querySelectorAll(".md-search-result__link")];
    }
    await pause(300);
    links = [...frame.contentDocument.querySelectorAll(".md-search-result__item > .md-search-result__link")];
    found[question] = links.slice(0, 5).map(a => new URL(a.href).pathname.slice(1));
    frame.remove();
  }
  await fetch("/result", {method: "POST", body: JSON.stringify({wide, found})});
}
check().catch(e => fetch("/result", {method: "POST", body: JSON.stringify({error: String(e.stack || e)})}));
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site, the harness, and takes the result."""

    job: dict = {}
    results: queue.Queue = queue.Queue()

    def do_GET(self) -> None:
        if self.path != "/check":
            return super().do_GET()
        body = HARNESS.replace("JOB", json.dumps(self.job), 1).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def run(pages: list[str], widths: list[int], questions: list[str], browser: str, timeout: float) -> dict:
    """What the browser reports: tables that are too wide, and the first five pages found for each question."""
    Handler.job = {"pages": pages, "widths": widths, "questions": questions}
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(SITE))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        address = f"http://127.0.0.1:{server.server_address[1]}/check"
        process = subprocess.Popen(
            [browser, *flags, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            return Handler.results.get(timeout=timeout)
        finally:
            process.terminate()
            process.wait()
            server.shutdown()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--widths", type=int, nargs="*", default=[1280, 390])
    parser.add_argument("--only", default="", help="pages whose path begins so")
    parser.add_argument("--browser", default="chromium")
    parser.add_argument("--timeout", type=float, default=600)
    options = parser.parse_args()
    moved = {SITE / old for old in REDIRECTS}
    names = sorted(p.relative_to(SITE).as_posix() for p in SITE.rglob("*.html") if p not in moved)
    few = [n for n in names if n.startswith(options.only) and (n.count("/") < 2 or not n.startswith("api/"))]
    report = run(few, options.widths, list(QUESTIONS), options.browser, options.timeout)
    if "error" in report:
        print(report["error"])
        return 1
    for line in report["wide"]:
        print("too wide:", line)
    missed = {q: report["found"][q] for q, page in QUESTIONS.items() if report["found"][q][:1] != [page]}
    for question, found in missed.items():
        print(f"{question!r} should find {QUESTIONS[question]}, finds {found}")
    print(
        f"{len(few)} pages, {len(report['wide'])} too wide; {len(QUESTIONS) - len(missed)} of {len(QUESTIONS)} questions"
    )
    return bool(report["wide"] or missed)


if __name__ == "__main__":
    sys.exit(main())
