"""Docstrings of what is made of a function: its examples, spelled as calls of the method, of the in-place form or of
the copy."""

from __future__ import annotations

from inspect import cleandoc

__all__ = ["in_place", "respelled"]

_IN_PLACE = "In place: the result is cast to the dtype of the tensor and written into it."
_BOOLS = ("tensor([True", "tensor([ True", "tensor([False")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def respelled(doc: str | None, function: str, called: str, method: bool) -> str | None:
    """The docstring with calls of `function` in its examples as calls of `called`, of the first argument if that is a
    method.

    A call that cannot be spelled so, such as one over several lines, stays what it is.
    """
    at = doc.find(">>>") if doc else -1
    if doc is None or at < 0:
        return doc
    lines = doc[at:].split("\n")
    for i, line in enumerate(lines):
        if line.lstrip()[:3] in (">>>", "..."):
            lines[i] = _line(line, f"{function}(", called, method)
    return doc[:at] + "\n".join(lines)


def in_place(doc: str | None, function: str, called: str, method: bool) -> str | None:
    """The docstring of a function as that of its in-place form: what it says of values holds, while dtypes are the
    tensor's."""
    doc = respelled(doc, function, called, method)
    if not doc:
        return doc
    doc = cleandoc(doc)  # as the compiler of Python 3.13 does, and earlier ones do not
    if any(s.lstrip().startswith(_BOOLS) for s in doc.split("\n")):
        doc = "\n".join([f"{s}.bool()" if f"{called}(" in s and ">>>" in s else s for s in doc.split("\n")])
    at = doc.find(">>>")
    head, tail = (doc[:at].rstrip(), doc[at:]) if at >= 0 else (doc.rstrip(), "")
    return f"{head}\n\n{_IN_PLACE}\n\n{tail}"


def _line(line: str, function: str, called: str, method: bool) -> str:
    end = len(line)
    while (at := line.rfind(function, 0, end)) >= 0:
        end = start = at
        while start and (line[start - 1].isalnum() or line[start - 1] in "._"):
            start -= 1
        if start < at and (line[at - 1] != "." or not line.startswith(("torch.", "F."), start)):
            continue  # another function, whose name ends so, or a method
        opened = at + len(function)
        if not method:
            line = f"{line[:at]}{called}({line[opened:]}"
            continue
        first, rest = _first_argument(line, opened)
        if first:
            line = f"{line[:start]}{first}.{called}({rest}"
    return line


def _first_argument(line: str, start: int) -> tuple[str, str]:
    """(the first argument of a call that begins at `start`, what follows it and its comma); "" if it can be no object
    of a method."""
    if line[start] in "[('\"*-~" or line[start].isdigit():
        return "", ""
    closing: list[str] = []
    simple = True
    for i in range(start, len(line)):
        c = line[i]
        if closing:
            if c == closing[-1]:
                closing.pop()
            elif c in _CLOSING:
                closing.append(_CLOSING[c])
        elif c in _CLOSING:
            closing.append(_CLOSING[c])
        elif c in ",)":
            first = line[start:i]
            return first if simple else f"({first})", line[i + 1 :].lstrip() if c == "," else line[i:]
        elif c == "=":
            return "", ""
        elif c == " ":
            simple = False
    return "", ""
