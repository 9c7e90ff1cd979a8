"""Random functions that write in place, through views, detached aliases and no_grad: text that runs under torch and
under us."""

from __future__ import annotations

import random

SIZE = 4
MAKE = ("{a} * 2", "{a} + {b}", "{a} * {b}", "{a}.sin()", "{a}.clone()")
ALIAS = ("{a}.detach()", "{a}.data", "{a}.view(SIZE)", "{a}[...]", "{a}.detach().view(SIZE)")
WRITE = (
    "{a}.mul_(2)", "{a}.add_({b})", "{a}.mul_({c})", "{a}.copy_({b})", "{a}[1:3] = 7.0", "{a}[:2] *= {b}[2:]", "{a}[0] = {b}[1]",
    "{a}.clamp_(max=2.0)", "{a}[1:].detach().add_(1)", "{a}.data.mul_({c})", "{a}.detach()[2:].zero_()", "{a}.sin_()",
)  # fmt: skip


def program(seed: int) -> str:
    """The source of f(torch, x) -> scalar."""
    dice = random.Random(seed)
    lines = [f"SIZE = {SIZE}", "c = torch.arange(1.0, SIZE + 1)", "v0 = x * 1.5", "v1 = c * 0.5"]
    names = ["v0", "v1"]

    def some() -> str:
        return dice.choice([*names, names[-1]])

    for _ in range(dice.randint(4, 9)):
        what = dice.random()
        if what < 0.5:
            # x.mul_(x) has another derivative in torch's forward mode than x * x
            names_of = {"a": some(), "b": dice.choice([some(), "x", "c"]), "c": dice.choice("xc")}
            lines.append(dice.choice(WRITE).format(**names_of))
            if dice.random() < 0.35:
                lines[-1] = f"with torch.no_grad(): {lines[-1]}"
        else:
            new = f"v{len(names)}"
            kind = ALIAS if what < 0.85 else MAKE
            lines.append(f"{new} = {dice.choice(kind).format(a=some(), b=dice.choice([some(), 'x']))}")
            names.append(new)
    total = " + ".join([f"({n} * {i + 2} * x).sum()" for i, n in enumerate(names)])
    return "\n".join([*lines, f"return {total}"])


def compiled(source: str):
    """The function of a program's source."""
    space: dict = {}
    body = "\n".join("    " + line for line in source.splitlines())
    exec(f"def f(torch, x):\n{body}", space)
    return space["f"]
