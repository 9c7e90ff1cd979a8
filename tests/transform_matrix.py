"""Every op inside every transform: what docs/transforms.md says, and the check behind it.

`python -m tests.transform_matrix [op…]` checks values and writes the page. For each op, one sample whose result can be
differentiated (in double precision, so that one tolerance serves): f, its results; L, their inner product with fixed cotangents.

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

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import functorch_lite as torch
from functorch_lite._core.executor import forget_programs
from functorch_lite._core.tensor import Tensor
from functorch_lite.utils.checkpoint import checkpoint
from tests import checker
from tests.arguments import placeholders, wants_grad
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
LARGEST = 64
"""Elements of a sample's inputs: Hessians have the square of it."""

YES = "yes"
ON_HOST = "no: its result's shape depends on values, which are not known inside"
CONSTANT = "-"
"""Nothing to check: no sample has a derivative (see `case_of`)."""

Pairs = Iterator[tuple[Tensor, Tensor]]


class Case:
    """An op at one sample: f and L as functions of the inputs that are differentiated, and what the tape says of them."""

    def __init__(self, name: str, sample: Sample):
        self.subject = checker.subject(name)
        self.sample = sample
        self.arrays = checker.widened(sample) if not any(t.dtype for t in placeholders(sample)) else [
            checker.array_of(t) for t in placeholders(sample)
        ]  # fmt: skip
        self.at = wants_grad(sample)
        tensors = checker.tensors_of(self.arrays, self.at)
        self.outs = self._run(tensors)
        self.roots = [k for k, o in enumerate(self.outs) if isinstance(o, Tensor) and o.requires_grad]
        self.inputs = [tensors[i] for i in self.at]
        self.plain = [t.detach() for t in tensors]
        self.x = tuple([self.plain[i] for i in self.at])
        self.cts = {k: checker.along("ct", k, self.outs[k]) for k in self.roots}
        self.v = tuple([checker.along("d", i, self.plain[i]) for i in self.at])
        self.grads: tuple[Tensor, ...] = ()
        if self.roots:
            found = torch.autograd.grad(
                self._inner(self.outs), self.inputs, create_graph=True, allow_unused=True
            )
            self.grads = tuple([torch.zeros_like(x) if g is None else g for g, x in zip(found, self.inputs)])

    def _run(self, tensors: list[Tensor]) -> list:
        return checker.kept(self.subject, checker.run(self.subject.call, self.sample, tensors))

    def _inner(self, outs: list) -> Tensor:
        return sum(real(self.cts[k].conj() * outs[k]).sum() for k in self.roots)  # type: ignore[return-value]

    def f(self, *moving: Tensor) -> tuple[Tensor, ...]:
        """The results that can be differentiated, of the inputs that can be."""
        outs = self._run(self._full(moving))
        return tuple([outs[k] for k in self.roots])

    def loss(self, *moving: Tensor) -> Tensor:
        """L: the real inner product of the results with the cotangents."""
        return self._inner(self._run(self._full(moving)))

    def grad(self, *moving: Tensor) -> tuple[Tensor, ...]:
        """The gradient of L."""
        return torch.func.grad(self.loss, argnums=tuple(range(len(self.at))))(*moving)

    def hvp(self, *moving: Tensor) -> tuple[Tensor, ...]:
        """The derivative of the gradient of L along v."""
        return torch.func.jvp(self.grad, moving, self.v)[1]

    def second(self) -> tuple[Tensor, ...]:
        """The same by the tape."""
        along = sum(real(g.conj() * v).sum() for g, v in zip(self.grads, self.v))
        if not along.requires_grad:  # type: ignore[union-attr]
            return tuple([torch.zeros_like(x) for x in self.inputs])
        found = torch.autograd.grad(along, self.inputs, retain_graph=True, allow_unused=True)
        return tuple([torch.zeros_like(x) if g is None else g for g, x in zip(found, self.inputs)])

    def _full(self, moving: tuple[Tensor, ...]) -> list[Tensor]:
        full = list(self.plain)
        for i, t in zip(self.at, moving):
            full[i] = t
        return full


def real(t: Tensor) -> Tensor:
    return t.real if t.is_complex() else t


def mapped(fn: Callable, x: tuple[Tensor, ...]) -> Pairs:
    """vmap of fn over x twice, the second time a little smaller, against fn of each."""
    examples = [x, tuple([t * 0.875 if t.is_floating_point() or t.is_complex() else t for t in x])]
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
        yield pushed, sum(real(g.conj() * t).sum() for g, t in zip(case.grads, v)).to(pushed.dtype)  # type: ignore[union-attr]
    elif column == "hvp":
        yield from zip(case.hvp(*x), case.second())
    elif column == "vmap(hvp)":
        yield from mapped(case.hvp, x)
    elif column == "jacrev":
        jacobians = torch.func.jacrev(case.f, argnums=every)(*x)
        for i, g in enumerate(case.grads):
            terms = [contracted(case.cts[k], jacobians[o][i]) for o, k in enumerate(case.roots)]
            yield sum(terms), g  # type: ignore[misc]
    elif column == "jacfwd":
        forward, reverse = (t(case.f, argnums=every)(*x) for t in (torch.func.jacfwd, torch.func.jacrev))
        for rows in zip(forward, reverse):
            yield from ((a, b.to(a.dtype)) for a, b in zip(*rows))
    elif column == "hessian":
        blocks = torch.func.hessian(loss, argnums=every)(*x)
        for i, second in enumerate(case.second()):
            terms = [(blocks[i][j].flatten(x[i].ndim) @ v[j].flatten()) for j in every]
            yield sum(terms), second  # type: ignore[misc]
    elif column == "checkpoint":
        grads = torch.func.grad(lambda *ts: checkpoint(loss, *ts, use_reentrant=False), argnums=every)(*x)
        yield from zip(grads, case.grads)


def contracted(ct: Tensor, jacobian: Tensor) -> Tensor:
    """Σ over the result's elements of cotangent times Jacobian."""
    return torch.tensordot(ct.to(jacobian.dtype), jacobian, dims=ct.ndim)


def case_of(name: str) -> Case | None:
    """The op at its first sample of real numbers that can be differentiated; None if there is none."""
    for sample in all_samples()[name]:
        ts = placeholders(sample)
        if (
            sample.error
            or not sample.gradgrad
            or not sample.vmap
            or not wants_grad(sample)
            or any(t.dtype for t in ts)
        ):
            continue
        if any(np.iscomplexobj(t.array) for t in ts) or sum(t.array.size for t in ts) > LARGEST:
            continue
        case = Case(name, sample)
        if case.roots and all(not case.outs[k].is_complex() for k in case.roots):
            return case
    return None


def verdicts(name: str) -> dict[str, str]:
    """For each column: YES, ON_HOST, CONSTANT, or what went wrong."""
    if checker.subject(name).runs_on_host:
        return dict.fromkeys(COLUMNS, ON_HOST)
    case = case_of(name)
    if case is None:
        return {**dict.fromkeys(COLUMNS, CONSTANT), "vmap": vmap_of_constant(name)}
    found: dict[str, str] = {}
    pairs: dict[str, list] = {}
    for column in COLUMNS:
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


def difference(a: Tensor, b: Tensor) -> str | None:
    if tuple(a.shape) != tuple(b.shape) or a.dtype is not b.dtype:
        return f"{a.dtype} {list(a.shape)}, expected {b.dtype} {list(b.shape)}"
    return same(checker.recorded(a), checker.recorded(b))


INTRODUCTION = """# Every op in every transform

Written by `python -m tests.transform_matrix`, which checks the values: each cell says whether an op gives, inside that transform, what it gives outside of it
(for derivatives: what the tape gives). `vmap(hvp)` is three transforms deep: vmap of jvp of grad. "-": there is nothing to check, since the op's results are not
floating point or do not depend on its inputs, or since none of its samples is of few real numbers and differentiable twice. Ops that run on the host, because their result's shape depends on values, raise inside transforms as they do in PyTorch.

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
                verdict = f"no ({reasons.setdefault(verdict, len(reasons) + 1)})"
            cells.append(verdict)
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    every = [v for row in table.values() for v in row.values() if v != CONSTANT]
    counts = f"{len(table)} ops; {every.count(YES)} of {len(every)} cells are yes.\n\n"
    notes = [f"{number}. {reason.removeprefix('no: ')}" for reason, number in reasons.items()]
    return INTRODUCTION + counts + "\n".join([*lines, "", *notes]) + "\n"


def main(arguments: list[str]) -> None:
    """Checks the named ops, or all of them and writes the page; with --check the page must be what it is already."""
    check = "--check" in arguments
    names = [a for a in arguments if a != "--check"]
    table = {}
    for k, name in enumerate(names or sorted(all_samples())):
        table[name] = verdicts(name)
        bad = {c: v for c, v in table[name].items() if v not in (YES, ON_HOST, CONSTANT)}
        print(f"{k:4d} {name}: {bad or table[name]['grad']}", flush=True)
        if k % 40 == 39:
            forget_programs()
    if names:
        return
    if not check:
        PAGE.write_text(page(table))
    elif PAGE.read_text() != page(table):
        raise SystemExit(f"{PAGE} is not what the ops give now; run `python -m tests.transform_matrix`")


if __name__ == "__main__":
    main(sys.argv[1:])
