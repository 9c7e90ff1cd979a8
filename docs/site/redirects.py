"""Pages that have moved: each old address shows a page that leads to the new one."""

from __future__ import annotations

from html import escape
from pathlib import Path

REDIRECTS = {
    "docs/leaving.html": "docs/export.html",
}
"""Old address: new address, both relative to the site's root. (Sections of docs/recording.html and docs/how_to.html that
moved have their anchors there, beside a link.)"""

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Moved</title>
<link rel="canonical" href="{to}"><meta name="robots" content="noindex"><meta http-equiv="refresh" content="0; url={to}"></head>
<body><p>This page has moved to <a href="{to}">{to}</a>.</p></body>
</html>
"""


def relative(old: str, new: str) -> str:
    """The link from one page of the site to another."""
    return "../" * old.count("/") + new


def write(site: Path) -> None:
    """Write the pages of REDIRECTS into the built site.

    Raises ValueError if a new address does not exist, or an old one still does."""
    for old, new in REDIRECTS.items():
        if not (site / new).exists():
            raise ValueError(f"redirects: {new} does not exist")
        if (site / old).exists() and 'http-equiv="refresh"' not in (site / old).read_text():
            raise ValueError(f"redirects: {old} is a page of the site")
        (site / old).write_text(PAGE.format(to=escape(relative(old, new))))
