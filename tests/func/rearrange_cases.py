"""Patterns of rearrange: what they must give, and what must be refused."""

from __future__ import annotations

GOOD = [
    ("b h w c -> b (c h w)", {}, (2, 3, 4, 5)),
    ("b (h1 h) (w1 w) c -> (b h1 w1) h w c", {"h1": 2, "w1": 2}, (2, 4, 6, 3)),
    ("b (h h1) (w w1) c -> b h w (c h1 w1)", {"h1": 2, "w1": 3}, (2, 4, 6, 3)),
    ("... a b -> ... b a", {}, (2, 3, 4, 5)),
    ("a ... b -> b (...) a", {}, (2, 3, 4, 5)),
    ("a ... -> (a ...)", {}, (2, 3, 4)),
    ("a ... -> (...) a", {}, (2,)),
    ("a b -> () b (a 1) 1", {}, (2, 3)),
    ("... -> ...", {}, ()),
    ("... -> (...)", {}, ()),
    ("... -> (...)", {}, (2, 3)),
    ("a () b -> a b", {}, (2, 1, 3)),
    ("a (1 b) -> b a", {}, (2, 3)),
    ("a b ... -> b a ...", {}, (2, 3)),
]
"""(pattern, lengths, shape)."""

BAD = [
    ("a b", {}), ("a b -> a", {}), ("a b -> a b c", {}), ("a b -> b a -> a b", {}), ("a (b -> a b", {}), ("a b) -> a b", {}), ("a a -> a", {}), ("a b -> a a b", {}),
    ("(a (b)) -> a b", {}), ("a ... ... -> a", {}), ("... -> (a ...)", {}), ("a .. -> a", {}), ("a b c -> a b c", {}), ("a -> a", {}), ("(a b) c -> a b c", {}), ("(a b) c -> a b c", {"a": 5}),
    ("(a b) c -> a b c", {"a": 2, "b": 2}), ("a b -> a b", {"c": 2}), ("a b -> a b", {"a": 9}), ("1a b -> b", {}), ("a _b -> a _b", {}), ("a b_ -> b_ a", {}), ("a % -> a", {}), ("2 b -> b", {}), ("6 b -> b", {}), ("a b -> a b 2", {}),
    ("a b -> a ...", {}), ("a ... -> a", {}), ("(...) b -> b ...", {}), ("a (b ...) -> a b ...", {}), ("a b -> (a b) (", {}), ("a b ->", {}), ("-> a b", {}), ("", {}), (" -> ", {}), ("a b-> b a", {"a": 2.0}), ("a b -> b a", {"a": "x"}), ("a b -> b a", {"1a": 2}), ("a b -> b a", {"_": 2}),
    ("for b -> b for", {}), ("a b -> b (a 1) ()", {}), ("() a b -> a b", {}), ("a 1 b -> a b", {}), ("(a b c) d -> a b c d", {"a": 2}), ("(a b) c -> a b c", {"a": 0}), ("a b c d e ... -> a", {}), ("é b -> b é", {}), ("a\nb -> b a", {}), ("…b c -> b c", {}), ("a, b -> b a",{}), ("a b -> b a.",{}), ("a b - > b a",{}),
]  # fmt: skip
"""(pattern, lengths) for a tensor of shape (6, 4); some of them are right."""


def outcomes(lib) -> list:
    """What comes of BAD, and of what is no tensor: (exception's name, its message with the letters sorted: sets have no
    order)."""
    x = lib.arange(24.0).reshape(6, 4)
    calls = [(x, p, k) for p, k in BAD]
    others = [(3, "a->a"), ([], "a b -> b a"), ([x, x[:2]], "n a b -> a b n"), ((x, x), "n a b -> a (n b)")]
    found = []
    for t, pattern, lengths in [*calls, *[(t, p, {}) for t, p in others]]:
        try:
            found.append(("ok", tuple(lib.func.rearrange(t, pattern, **lengths).shape)))
        except Exception as error:
            found.append((type(error).__name__, "".join(sorted(str(error)))))
    return found
