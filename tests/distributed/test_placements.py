"""Placements that ops give, and changes of placement, beside what torch was seen to do; values beside one device's,
always.

A quarter of the cases, unless FUNCTORCH_LITE_PARITY=full.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.full import FULL
from tests.support.processes import run

GOLDEN = Path(__file__).parent.parent / "golden"

EXPLAINED = {
    "reshape flat (S1)": "what a strided shard would be is gathered: there is no placement for it",
    "batch_norm training": "the input stays cut, and its moments are reduced; torch gathers the input",
    "sort 1 (P)": "it is reduced to Replicate, where torch reduces and cuts",
    "to half (P)": "a sum of rounded parts is not the rounded sum: it is reduced first",
    "embedding, weight S0": "a Partial of sums, as torch's masked one",
    "cross_entropy, logits S0": "a mean over the targets that count is no mean of the devices' means: it is reduced at once",
    "max_pool2d (S": "images stay cut, with borders exchanged where windows need them; torch gathers them",
    "sdpa (S1)": "heads stay cut; torch gathers them",
}
"""Where the placement is another than torch's, by the beginning of a fact's name, and why."""


def placements(out) -> list:
    return [o["placements"] for o in (out if isinstance(out, list) else [out]) if isinstance(o, dict)]


def test_ops():
    facts = json.loads((GOLDEN / "placements.json").read_text())["facts"]
    names = list(facts) if FULL else list(facts)[::4]
    lines = [json.loads(line) for line in run("tests.distributed.placements_program", *names).splitlines()]
    assert not lines[0]["unknown"]
    found = {line["name"]: line for line in lines[1:]}
    wrong, other, equal, more = [], [], 0, []
    for name in names:
        fact, mine = facts[name], found[name]
        if "error" in mine:
            if fact.get("error", "") == mine["error"]:
                equal += 1
            else:
                wrong.append(f"{name}: {mine['error']}")
            continue
        if mine["wrong"]:
            wrong.append(f"{name}: off by {mine['wrong']}")
        if "error" in fact or "torch_is_inconsistent" in fact:
            equal += 1  # torch has no right answer: the value is what counts
            continue
        if placements(fact["out"]) == placements(mine["out"]):
            equal += 1
        elif not any(name.startswith(begin) for begin in EXPLAINED):
            other.append(f"{name}: {placements(mine['out'])}, torch {placements(fact['out'])}")
        if sum(mine["collectives"].values()) > sum(fact["forward"].values()):
            more.append(f"{name}: {mine['collectives']}, torch {fact['forward']}")
    print(f"{len(names)} cases: {equal} placements equal, {len(more)} with more collectives: {more}")
    assert not wrong, "\n".join(wrong)
    assert not other, "\n".join(other)
    assert equal >= 0.9 * len(names)
    assert len(more) <= (0.05 if FULL else 0.1) * len(names), "\n".join(more)


def test_redistribution():
    facts = json.loads((GOLDEN / "redistribute.json").read_text())["facts"]
    found = json.loads(run("tests.distributed.redistribute_program").splitlines()[-1])
    assert set(found) == set(facts)
    for name, fact in facts.items():
        mine = found[name]
        if isinstance(fact, list) or "error" in fact:
            assert mine == fact, name
            continue
        assert mine["wrong"] == 0, (name, mine)
        assert {k: mine[k] for k in ("placements", "shape", "local")} == {
            k: fact[k] for k in ("placements", "shape", "local")
        }, name
        if "collectives" in fact:
            assert sum(mine["collectives"].values()) <= sum(fact["collectives"].values()), (name, mine)
