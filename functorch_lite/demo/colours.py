"""Python code as HTML in which keywords, names that are defined, strings, numbers and comments have a class each."""

from __future__ import annotations

import builtins
import html
import io
import keyword
import token
import tokenize

__all__ = ["coloured"]

_OF_TYPE = {tokenize.COMMENT: "comment", token.STRING: "string", token.NUMBER: "number"}
for _name in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END"):  # since Python 3.12
    if hasattr(token, _name):
        _OF_TYPE[getattr(token, _name)] = "string"


def coloured(code: str) -> str:
    """Returns the code, escaped, with a `<span class=…>` around each token that has a colour.

    >>> from functorch_lite.demo.colours import coloured
    >>> coloured("return 1 < x  # so")
    '<span class="keyword">return</span> <span class="number">1</span> &lt; x  <span class="comment"># so</span>'
    """
    lines = [0]
    for line in code.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    made, at, before = [], 0, ""
    for t in tokenize.generate_tokens(io.StringIO(code).readline):
        kind = _OF_TYPE.get(t.type)
        if t.type == token.NAME:
            if keyword.iskeyword(t.string):
                kind = "keyword"
            elif before in ("def", "class"):
                kind = "defined"
            elif hasattr(builtins, t.string) and before != ".":
                kind = "builtin"
        begin, end = lines[t.start[0] - 1] + t.start[1], lines[min(t.end[0], len(lines)) - 1] + t.end[1]
        before = t.string
        if kind is None or end <= begin:
            continue
        made += [html.escape(code[at:begin]), f'<span class="{kind}">{html.escape(code[begin:end])}</span>']
        at = end
    return "".join(made) + html.escape(code[at:])
