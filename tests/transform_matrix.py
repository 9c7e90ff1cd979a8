"""Every op inside every transform: what docs/transforms.md says, and the check behind it.

`python -m tests.transform_matrix` checks values and writes the page; given names of ops, it checks theirs, and with
`--write` writes their rows. For each op, one sample whose result can be differentiated (in double precision, so that
one tolerance serves): f, its results; L, their inner product with fixed cotangents.

    grad       func.grad(L)                        == the tape's gradient
    vmap       vmap(f) of two examples             == f of each
    vmap(grad) vmap(grad(L)) of two examples       == grad(L) of each
    jvp        func.jvp(L, v)                      == <grad, v>
    hvp        jvp of grad(L) along v              == the tape's second gradient along v
    vmap(hvp)  the same of two examples            == hvp of each
    jacrev     cotangents times jacrev(f)          == grad
    jacfwd     jacfwd(f)                           == jacrev(f)
    hessian    hessian(L) times v                  == hvp
    checkpoint grad of checkpoint(L)               == grad
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import functorch_lite as torch
from functorch_lite._core.lazy.tensor import Tensor
from functorch_lite._core.run.executor import forget_programs
from functorch_lite.utils.checkpoint import checkpoint
from tests import checker
from tests.arguments import placeholders
from tests.compare import same
from tests.samples import all_samples
from tests.samples.base import Sample

COLUMNS = (
    "grad",
    "vmap",
    "vmap(grad)",
    "jvp",
    "hvp",
    "vmap(hvp)",
    "jacrev",
    "jacfwd",
    "hessian",
    "checkpoint",
)
PAGE = Path(__file__).parent.parent / "docs" / "transforms.md"
SECOND = ("hvp", "vmap(hvp)", "hessian")
"""The columns that take a second derivative."""
YES = "yes"
ON_HOST = "no: its result's shape depends on values, which are not known inside"
CONSTANT = "-"
"""Nothing to check: no sample has a derivative, or a second one (see `case_of`)."""

Pairs = Iterator[tuple[Tensor, Tensor]]


class Case:
    """An op at one sample: f and L as functions of the inputs that are differentiated, and what the tape says of them.

    Everything that moves is real: a complex input or result stands for its real and imaginary parts.
    """

    def __init__(self, name: str, sample: Sample):
        self.subject = checker.subject(name)
        self.sample = sample
        self.at = movable(sample)
        self.plain = checker.tensors_of(checker.widened(sample))
        self.inputs = [parts(self.plain[i]).detach().requires_grad_() for i in self.at]
        self.x = tuple([t.detach() for t in self.inputs])
        outs = self._run(self._full(self.inputs))
        self.roots = [k for k, o in enumerate(outs) if isinstance(o, Tensor) and o.requires_grad]
        self.cts = [checker.along("ct", k, outs[k]) for k in self.roots]
        self.v = tuple([checker.along("d", i, t) for i, t in zip(self.at, self.x)])
        self.grads, self.twice = (), True
        if self.roots:
            try:
                self.grads = self._tape(self._inner(outs), create_graph=True)
            except RuntimeError as error:
                if "no second derivative" not in str(error):
                    raise
                self.grads, self.twice = self._tape(self.loss(*self.inputs)), False

    def _run(self, tensors: list[Tensor]) -> list:
        outs = checker.kept(self.subject, checker.run(self.subject.call, self.sample, tensors))
        return [parts(o) if isinstance(o, Tensor) else o for o in outs]

    def _inner(self, outs: list) -> Tensor:
        return sum((ct * outs[k]).sum() for ct, k in zip(self.cts, self.roots))  # type: ignore[return-value]

    def _tape(self, of: Tensor, **options: bool) -> tuple[Tensor, ...]:
        if not of.requires_grad:
            return tuple([torch.zeros_like(x) for x in self.x])
        found = torch.autograd.grad(of, self.inputs, allow_unused=True, **options)
        return tuple([torch.zeros_like(x) if g is None else g for g, x in zip(found, self.x)])

    def f(self, *moving: Tensor) -> tuple[Tensor, ...]:
        """The results that can be differentiated, of the inputs that can be."""
        outs = self._run(self._full(moving))
        return tuple([outs[k] for k in self.roots])

    def loss(self, *moving: Tensor) -> Tensor:
        """L: the inner product of the results with the cotangents."""
        return self._inner(self._run(self._full(moving)))

    def grad(self, *moving: Tensor) -> tuple[Tensor, ...]:
        """The gradient of L."""
        return torch.func.grad(self.loss, argnums=tuple(range(len(self.at))))(*moving)

    def hvp(self, *moving: Tensor) -> tuple[Tensor, ...]:
        """The derivative of the gradient of L along v."""
        return torch.func.jvp(self.grad, moving, self.v)[1]

    def second(self) -> tuple[Tensor, ...]:
        """The same by the tape."""
        return self._tape(sum((g * v).sum() for g, v in zip(self.grads, self.v)), retain_graph=True)  # type: ignore[arg-type]

    def _full(self, moving: Sequence[Tensor]) -> list[Tensor]:
        full = list(self.plain)
        for i, t in zip(self.at, moving):
            full[i] = torch.view_as_complex(t) if full[i].is_complex() else t
        return full


def parts(t: Tensor) -> Tensor:
    """A complex tensor as a real one, with a dimension for real and imaginary parts at the end."""
    return torch.view_as_real(t.resolve_conj()) if t.is_complex() else t


def mapped(fn: Callable, x: tuple[Tensor, ...]) -> Pairs:
    """vmap of fn over x twice, the second time a little smaller, against fn of each."""
    examples = [x, tuple([t * 0.875 for t in x])]
    batched = torch.vmap(fn)(*[torch.stack(ts) for ts in zip(*examples)])
    for k, example in enumerate(examples):
        for a, b in zip(batched, fn(*example)):
            yield a[k], b


def pairs_of(case: Case, column: str) -> Pairs:
    """What must be equal for an op to work inside a transform."""
    x, v, loss = case.x, case.v, case.loss
    every = tuple(range(len(x)))
    if column == "grad":
        yield from zip(case.grad(*x), case.grads)
    elif column == "vmap":
        yield from mapped(case.f, x)
    elif column == "vmap(grad)":
        yield from mapped(case.grad, x)
    elif column == "jvp":
        pushed = torch.func.jvp(loss, x, v)[1]
        yield pushed, sum((g * t).sum() for g, t in zip(case.grads, v)).to(pushed.dtype)  # type: ignore[union-attr]
    elif column == "hvp":
        yield from zip(case.hvp(*x), case.second())
    elif column == "vmap(hvp)":
        yield from mapped(case.hvp, x)
    elif column == "jacrev":
        jacobians = torch.func.jacrev(case.f, argnums=every)(*x)
        for i, g in enumerate(case.grads):
            terms = [torch.tensordot(ct.to(j[i].dtype), j[i], ct.ndim) for ct, j in zip(case.cts, jacobians)]
            yield sum(terms), g  # type: ignore[misc]
    elif column == "jacfwd":
        forward, reverse = (t(case.f, argnums=every)(*x) for t in (torch.func.jacfwd, torch.func.jacrev))
        for rows in zip(forward, reverse):
            yield from ((a, b.to(a.dtype)) for a, b in zip(*rows))
    elif column == "hessian":
        blocks = torch.func.hessian(loss, argnums=every)(*x)
        for i, second in enumerate(case.second()):
            terms = [blocks[i][j].reshape(*x[i].shape, -1) @ v[j].flatten() for j in every]
            yield sum(terms), second  # type: ignore[misc]
    elif column == "checkpoint":
        grads = torch.func.grad(lambda *ts: checkpoint(loss, *ts, use_reentrant=False), argnums=every)(*x)
        yield from zip(grads, case.grads)


def case_of(name: str) -> Case | None:
    """The op at its smallest sample that can be differentiated, twice if there is such a one; None if there is none."""
    samples = [
        s
        for s in all_samples()[name]
        if not s.error and s.vmap and movable(s) and not any(t.dtype for t in placeholders(s))
    ]
    for sample in sorted(samples, key=order):
        try:
            case = Case(name, sample)
        except RuntimeError as error:  # or NotImplementedError, which is one
            if "derivative for" in str(error) and "is not implemented" in str(error):  # in PyTorch neither
                continue
            raise
        if case.roots:
            return case
    return None


def movable(sample: Sample) -> list[int]:
    """Numbers of the inputs that are differentiated: also where derivatives are not compared with PyTorch's
    (eigenvectors: their signs)."""
    return [i for i, t in enumerate(placeholders(sample)) if t.grad]


def order(sample: Sample) -> tuple[bool, bool, bool, int]:
    """Puts samples in order: of inputs that are not empty, that can be differentiated twice, of at least 4 numbers, of
    few."""
    each = [t.array.size for t in placeholders(sample)]
    return not all(each), not sample.gradgrad, sum(each) < 4, sum(each)


def verdicts(name: str) -> dict[str, str]:
    """For each column: YES, ON_HOST, CONSTANT, or what went wrong."""
    case = case_of(name)
    if case is None:
        return {**dict.fromkeys(COLUMNS, CONSTANT), "vmap": vmap_of_constant(name)}
    found: dict[str, str] = {}
    pairs: dict[str, list] = {}
    for column in COLUMNS:
        if column in SECOND and not case.twice:
            found[column] = CONSTANT
            continue
        try:
            pairs[column] = list(pairs_of(case, column))
            found[column] = YES
        except Exception as error:
            found[column] = f"{type(error).__name__}: {str(error)[:200]}"
    for column, compared in pairs.items():
        wrong = [w for a, b in compared if (w := difference(a, b))]
        if wrong:
            found[column] = wrong[0]
    return found


def vmap_of_constant(name: str) -> str:
    """The verdict on vmap of an op that has no derivative."""
    subject = checker.subject(name)
    if subject.op is not None and subject.op.host is True:
        return refused(subject, next(s for s in all_samples()[name] if not s.error))
    for sample in all_samples()[name]:
        if sample.error or not sample.vmap or not placeholders(sample):
            continue
        arrays = [checker.array_of(t) for t in placeholders(sample)]
        try:
            outs = checker.run(subject.call, sample, checker.tensors_of(arrays))
            wrong = [
                w for _, compare in checker.check_vmap(subject, sample, arrays, outs) if (w := compare())
            ]
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
        return wrong[0] if wrong else YES
    return CONSTANT


def refused(subject: checker.Subject, sample: Sample) -> str:
    """ON_HOST, if vmap says so."""
    stacked = [
        torch.stack([t, t]) for t in checker.tensors_of([checker.array_of(t) for t in placeholders(sample)])
    ]
    try:
        torch.vmap(lambda *ts: tuple(checker.run(subject.call, sample, list(ts))))(*stacked)
    except RuntimeError as error:
        return ON_HOST if "can output dynamic shape" in str(error) else str(error)
    return "it did not raise"


def difference(a: Tensor, b: Tensor) -> str | None:
    if tuple(a.shape) != tuple(b.shape) or a.dtype is not b.dtype:
        return f"{a.dtype} {list(a.shape)}, expected {b.dtype} {list(b.shape)}"
    return same(checker.recorded(a), checker.recorded(b))


INTRODUCTION = """# Does this op work under vmap, grad, jvp or hessian?

This table lists every op in every transform. A cell is "yes" if the op returns the same values inside the transform as outside, or the same derivatives as `backward()`. `python -m tests.transform_matrix` checks the
values and writes the page.

- `vmap(hvp)` is three transforms deep: vmap of jvp of grad.
- "-" means that there is nothing to check: the results are not floating point, do not depend on the inputs, or have no derivative in PyTorch either.
- Complex inputs and results are checked by their real and imaginary parts.
- Ops whose result shape depends on values raise an error inside vmap, as in PyTorch.

"""


def page(table: dict[str, dict[str, str]]) -> str:
    """docs/transforms.md."""
    lines = [f"| op | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    reasons: dict[str, int] = {}
    for name, row in sorted(table.items()):
        cells = []
        for column in COLUMNS:
            verdict = row[column]
            if verdict not in (YES, CONSTANT):
                verdict = f"no ({reasons.setdefault(verdict.removeprefix('no: '), len(reasons) + 1)})"
            cells.append(verdict)
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    every = [v for row in table.values() for v in row.values() if v != CONSTANT]
    counts = f"{len(table)} ops; {every.count(YES)} of {len(every)} cells are yes.\n\n"
    notes = [f"{number}. {reason}" for reason, number in reasons.items()]
    return INTRODUCTION + counts + "\n".join([*lines, "", *notes]) + "\n"


def read(text: str) -> dict[str, dict[str, str]]:
    """The table of a page: `page` of it gives the page again."""
    reasons = dict(re.findall(r"^(\d+)\. (.+)$", text, re.MULTILINE))
    table = {}
    for name, cells in re.findall(r"^\| `([^`]+)` \| (.+) \|$", text, re.MULTILINE):
        found = [
            cell if cell in (YES, CONSTANT) else reasons[cell.removeprefix("no (").rstrip(")")]
            for cell in cells.split(" | ")
        ]
        table[name] = dict(zip(COLUMNS, found, strict=True))
    return table


def main(arguments: list[str]) -> None:
    """Checks the named ops, with --write their rows of the page too, or all of them and writes the page; with --check
    the page must be what it is already."""
    flags = {"--check", "--write"} & set(arguments)
    names = [a for a in arguments if a not in flags]
    table = {}
    for k, name in enumerate(names or sorted(all_samples())):
        table[name] = verdicts(name)
        bad = {c: v for c, v in table[name].items() if v not in (YES, ON_HOST, CONSTANT)}
        print(f"{k:4d} {name}: {bad or table[name]['grad']}", flush=True)
        if k % 40 == 39:
            forget_programs()
    if names and "--write" in flags:
        kept = {name: row for name, row in read(PAGE.read_text()).items() if name in all_samples()}
        PAGE.write_text(page(kept | table))
    if names:
        return
    if "--check" not in flags:
        PAGE.write_text(page(table))
    elif PAGE.read_text() != page(table):
        raise SystemExit(f"{PAGE} is not what the ops give now; run `python -m tests.transform_matrix`")


if __name__ == "__main__":
    main(sys.argv[1:])
