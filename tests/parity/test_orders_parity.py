"""Gradients of the first to the fourth order of every op, side by side with real torch: where there is none, where they
are constant, where differentiating them raises, and what they are.

Two ways: with constants as cotangents, as `backward()` has them, and with cotangents that are differentiated by as
well. By default the first sample of each op goes the first way, and the numbers of one op in thirty are computed; in
`make parity-full` everything is.
"""

from __future__ import annotations

import warnings
import zlib

import pytest

torch = pytest.importorskip("torch")

import functorch_lite as ours  # noqa: E402
import functorch_lite.nn.functional  # noqa: E402
from tests import checker, torch_side  # noqa: E402
from tests.arguments import placeholders, wants_grad  # noqa: E402
from tests.autograd import orders_programs  # noqa: E402
from tests.checker import FULL  # noqa: E402
from tests.compare import difference  # noqa: E402
from tests.orders import Chain, follow  # noqa: E402
from tests.parity.test_third_order_parity import COMPOSED, WRONG_IN_TORCH  # noqa: E402
from tests.samples import all_samples  # noqa: E402
from tests.samples.base import Sample  # noqa: E402
from tests.support.exclusions import Exclusion, Exclusions  # noqa: E402

pytestmark = pytest.mark.parity
SAMPLES = all_samples()

_CONVOLUTION = (
    "PyTorch's third derivative by input, weight and cotangent is one formula with several results, which all require grad while the "
    "fourth derivative of each is None: ours knows at the third that they are constant"
)
_STATISTICS = (
    "the running statistics, which are results of the internal op only, have no cotangents in PyTorch"
)
_NONE_FOR_ZEROS = (
    "PyTorch gives None, as its formula computes no gradient of this kind, where ours gives zeros"
)
_COARSE = "PyTorch's formula has several results, which all require grad if one can: by these modes both gradients are constant"
RULES = Exclusions(
    Exclusion(_CONVOLUTION, " ".join(f"nn.functional.conv{t}{n}d" for t in ("", "_transpose") for n in (1, 2, 3)), "by cotangents"),
    Exclusion(_STATISTICS, "nn.functional._batch_norm_train nn.functional._instance_norm_train", "by cotangents"),
    Exclusion(_NONE_FOR_ZEROS, "nn.functional._batch_norm_eval", "sample", lambda s: s.args[1] is None),
    Exclusion(_NONE_FOR_ZEROS, "nn.functional.instance_norm", "sample", lambda s: s.kwargs.get("use_input_stats") is False),
    Exclusion(_COARSE, "nn.functional.grid_sample", "sample", lambda s: "nearest" in s.args or "reflection" in s.args),
    Exclusion(
        "PyTorch has no second derivative, and raises where ours, being JAX's, goes on (compared up to there)",
        "cdist nn.functional._cross_map_lrn nn.functional._embedding_bag nn.functional.ctc_loss nn.functional.hardsigmoid "
        "nn.functional.multi_margin_loss nn.functional.multilabel_margin_loss nn.functional.pdist segment_reduce",
        "end", lambda theirs: "Error" in theirs.end,
    ),
    Exclusion(
        "the third derivative is wrong or nan in PyTorch: test_third_order_parity.py", " ".join([*COMPOSED, *WRONG_IN_TORCH]), "number",
        lambda order: order > 2,
    ),
)  # fmt: skip


def suitable(name: str) -> list[int]:
    """The samples that are compared: those with gradients, whose tensors have elements (of nothing JAX has no
    derivatives to follow)."""
    return [
        i
        for i, s in enumerate(SAMPLES[name])
        if s.error is None
        and wants_grad(s)
        and all(t.array.size for t in placeholders(s))
        and not RULES.of(name, "sample", s)
    ][: None if FULL else 1]


CASES = [name for name in sorted(SAMPLES) if torch_side.function(name) is not None and suitable(name)]


def both(name: str, sample: Sample, by_cotangents: bool) -> tuple[Chain, Chain]:
    """Ours and torch's."""
    tensor = lambda t: checker.tensors_of([checker.array_of(t)])[0]  # noqa: E731
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = follow(
            torch, sample, torch_side.function(name), torch_side.tensor, torch_side.other, by_cotangents
        )
        mine = follow(ours, sample, checker.subject(name).call, tensor, lambda x: x, by_cotangents)
    return mine, theirs


def wrong_answer(name: str, mine: Chain, theirs: Chain) -> str | None:
    a, b = mine.answers(), theirs.answers()
    if a != b and RULES.of(name, "end", theirs):
        n = max(len(theirs.grads) - 1, 0)
        a, b = a[:n], b[:n]
    return None if a == b else f"{a}, expected {b}"


def wrong_number(name: str, sample: Sample, mine: Chain, theirs: Chain) -> str | None:
    for order, (ms, ts) in enumerate(zip(mine.grads, theirs.grads), 1):
        for k, (m, t) in enumerate(zip(ms, ts)):
            if m is None or t is None:
                continue
            wrong = difference(
                checker.recorded(m), torch_side.recorded(t), min(order, 2), sample.rtol, sample.atol
            )
            if wrong and not RULES.of(name, "number", order):
                return f"order {order}, of input {k}: {wrong}"
    return None


@pytest.mark.parametrize("name", CASES)
def test_orders(name):
    failures = []
    for i in suitable(name):
        for by_cotangents in (False, True) if FULL else (False,):
            sample = SAMPLES[name][i]
            mine, theirs = both(name, sample, by_cotangents)
            wrong = wrong_answer(name, mine, theirs)
            if not wrong and (FULL or zlib.crc32(name.encode()) % 30 == 0):
                wrong = wrong_number(name, sample, mine, theirs)
            if wrong and not (by_cotangents and RULES.of(name, "by cotangents")):
                failures.append(f"{name}[{i}]{' by cotangents' if by_cotangents else ''}: {wrong}")
    if FULL:
        failures += RULES.unused(name)
    assert not failures, "\n" + "\n".join(failures)


@pytest.mark.parametrize("name", orders_programs.CHAINS)
def test_chain_in_torch(name):
    fn, expected = orders_programs.CHAINS[name]
    found, sentence = orders_programs.follow(torch, torch.nn.functional, fn, len(expected))
    assert orders_programs.agree(found, expected)
    assert sentence == orders_programs.follow(ours, ours.nn.functional, fn, len(expected))[1]


@pytest.mark.parametrize("program", orders_programs.PROGRAMS, ids=lambda p: p.__name__)
def test_program_in_torch(program):
    assert orders_programs.agree(program(torch), orders_programs.PROGRAMS[program])
