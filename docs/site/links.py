"""Looks up every link of a built site: that the file is there, and in it the anchor. Links to other sites are not followed."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links and anchors of a page, and what it would fetch from elsewhere as it is shown."""

    def __init__(self, path: Path):
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.fetched: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.anchors |= {known[name] for name in ("id", "name") if name in known}
        for name in ("href", "src"):
            if name in known:
                self.links.append(known[name])
                if tag in ("script", "img") or (tag == "link" and known.get("rel") == "stylesheet"):
                    self.fetched.append(known[name])


def broken(site: Path) -> list[str]:
    """What is wrong, one line each."""
    page_at = cache(Page)
    found = []
    for path in sorted(site.rglob("*.html")):
        page, name = page_at(path), path.relative_to(site)
        found += [
            f"{name}: fetches {x} from elsewhere"
            for x in page.fetched
            if x.startswith(("http:", "https:", "//"))
        ]
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or name.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                found.append(f"{name}: {link}: there is no such file")
            elif (
                parts.fragment
                and target.suffix == ".html"
                and unquote(parts.fragment) not in page_at(target).anchors
            ):
                if not parts.fragment.startswith("__"):  # the theme's own
                    found.append(f"{name}: {link}: there is no such anchor")
    return found
