"""What the site is made of: the repository's own pages under their own paths, so that one link serves both, and pages
of the API."""

from __future__ import annotations

import logging
import os
import re
import sys
from html import unescape
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
import links
import redirects
import reference

ROOT = Path(__file__).parents[2]
log = logging.getLogger("mkdocs.site")

LINK = re.compile(r"(?<!\!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
MATH = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.DOTALL)
CODE = re.compile(r"(<pre.*?</pre>|<code.*?</code>|<script.*?</script>|<style.*?</style>)", re.DOTALL)
GUIDES = 24
"""How much more a guide counts in the search than the page of a name."""
REFERENCE = {"api", "fast", "primitives", "ecosystem"}
"""Pages of docs/ that are long tables, where many words occur."""
FROM_ELSEWHERE = re.compile(r"<script[^>]*(?:src=\"https?:|mathjax|MathJax).*?</script>", re.DOTALL)


@event_priority(100)  # before the plugin that looks for notebooks
def on_files(files: Files, config: Any) -> Files:
    for file in [f for f in files if f.src_dir == config.docs_dir]:
        files.remove(file)
    of_repository = [
        *(
            ROOT / name
            for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "functorch_lite/_core/README.md")
        ),
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs" / "images").iterdir()),
        *sorted((ROOT / "notebooks").rglob("*.ipynb")),
    ]
    for path in of_repository:
        files.append(
            File(path.relative_to(ROOT).as_posix(), str(ROOT), config.site_dir, config.use_directory_urls)
        )
    files.append(File("site.css", str(ROOT / "docs" / "site"), config.site_dir, config.use_directory_urls))
    for name, content in reference.pages():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: Any, files: Files) -> str:
    """Links to files that are not of the site, such as tests, become their words; those that lead nowhere stay, and are
    warned of."""
    folder = Path(page.file.src_uri).parent

    def kept(match: re.Match) -> str:
        target = match[2].split("#")[0]
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        path = os.path.normpath(folder / target)
        if files.get_file_from_path(path) is None and (ROOT / path).exists():
            return match[1]
        return match[0]

    parts = re.split(r"(```.*?```)", markdown, flags=re.DOTALL)
    parts[::2] = [LINK.sub(kept, part) for part in parts[::2]]
    return "".join(parts)


def on_page_content(html: str, page: Page, config: Any, files: Files) -> str:
    """The HTML of a page as the site shows it.

    Notebooks: links to their neighbours, and formulas that are drawn without a script. Pages of names: signatures are
    left out of the search. Guides are found before names and notebooks."""
    if page.file.src_uri.startswith("docs/") and page.file.name not in REFERENCE:
        page.meta.setdefault("search", {"boost": GUIDES})
    if page.file.src_uri.startswith("api/"):
        return html.replace('<div class="language-', '<div data-search-exclude class="language-')
    if not page.file.src_uri.endswith(".ipynb"):
        return html
    page.meta.setdefault("search", {"boost": 2})
    folder = Path(page.file.src_uri).parent

    def link(match: re.Match) -> str:
        target = files.get_file_from_path(os.path.normpath(folder / match[1]))
        return match[0] if target is None else f'href="{target.url_relative_to(page.file)}{match[2] or ""}"'

    def formula(match: re.Match) -> str:
        return convert(unescape(match[1] or match[2]), display="block" if match[1] else "inline")

    parts = CODE.split(FROM_ELSEWHERE.sub("", html))
    parts[::2] = [MATH.sub(formula, part) for part in parts[::2]]
    return re.sub(r'href="([^"#:]+\.(?:md|ipynb))(#[^"]*)?"', link, "".join(parts))


def on_post_build(config: Any) -> None:
    redirects.write(Path(config.site_dir))
    for line in links.broken(Path(config.site_dir)):
        log.warning(line)
