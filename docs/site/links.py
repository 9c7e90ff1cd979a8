"""Looks up every link of a built site: that the file is there, and in it the anchor.
Links to other sites are not followed."""

from __future__ import annotations

import os
import re
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

TAG = re.compile(r"<([a-z][a-z0-9]*)\b([^<>]*\b(?:href|src|id|name)=[^<>]*)>", re.I)
ATTRIBUTE = re.compile(
    r"""(?<![\w-])(href|src|id|name|rel)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I
)


class Page:
    """The links and anchors of a page, and what it would fetch from elsewhere as it is shown."""

    def __init__(self, path: Path):
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.fetched: list[str] = []
        for tag, attributes in TAG.findall(path.read_text(encoding="utf-8")):
            self._take(tag.lower(), attributes)

    def _take(self, tag: str, attributes: str) -> None:
        known = {name.lower(): unescape(a or b or c) for name, a, b, c in ATTRIBUTE.findall(attributes)}
        self.anchors |= {known[name] for name in ("id", "name") if name in known}
        for name in ("href", "src"):
            if name in known:
                self.links.append(known[name])
                if tag in ("script", "img") or (tag == "link" and known.get("rel") == "stylesheet"):
                    self.fetched.append(known[name])


def broken(site: Path) -> list[str]:
    """What is wrong, one line each."""
    page_at = cache(Page)

    @cache
    def wrong(folder: Path, link: str) -> str | None:
        """What is wrong with a link on a page of this folder. Most are on all of its pages."""
        parts = urlsplit(link)
        target = Path(os.path.normpath(folder / unquote(parts.path)))
        if target.is_dir():
            target /= "index.html"
        if not target.is_file():
            return "there is no such file"
        fragment = unquote(parts.fragment)
        if fragment and target.suffix == ".html" and not fragment.startswith("__"):  # the theme's own
            return None if fragment in page_at(target).anchors else "there is no such anchor"
        return None

    found = []
    for path in sorted(site.rglob("*.html")):
        page, name = page_at(path), path.relative_to(site)
        fetched = [x for x in page.fetched if x.startswith(("http:", "https:", "//"))]
        found += [f"{name}: fetches {x} from elsewhere" for x in fetched]
        if name.name == "404.html":
            continue
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            said = (
                wrong(path.parent, link)
                if parts.path
                else wrong(path.parent, f"{path.name}#{parts.fragment}")
            )
            if said is not None:
                found.append(f"{name}: {link}: {said}")
    return found
