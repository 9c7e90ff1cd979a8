"""The cases of misuse.py beside PyTorch: the same exception with the same sentence, or the same result."""

from __future__ import annotations

import warnings

import pytest

import functorch_lite as ours
from tests.sentences import as_ours

from .misuse import cases

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity

OURS: dict[str, tuple[str, str]] = {
    "jvp dtype": ("ok", "the tangent has the primal's dtype"),
    "jacfwd chunk 0": ("ValueError", "jacfwd takes chunk_size, as jacrev does"),
    "linearize nontensor": ("RuntimeError", "torch fails inside the function"),
    "vmap empty": ("ok", "nothing is mapped over nothing"),
    "vmap captured write": (
        "RuntimeError: vmap: inplace arithmetic",
        "torch's words are about shapes that nobody sees",
    ),
    "vmap mask": ("RuntimeError: vmap: We do not support", "it names torch.where besides"),
    "vmap masked_select": ("RuntimeError: vmap: We do not support", "as for x[mask]"),
    "vmap equal": ("RuntimeError: vmap over torch.equal isn't supported yet", "torch has no words for it"),
    "vmap allclose": ("RuntimeError: vmap over torch.allclose isn't supported yet", "it says what to call"),
    "grad captured write": (
        "RuntimeError: During a grad (vjp, jvp, grad, etc) transform",
        "torch names the aten op",
    ),
    "jvp captured write": (
        "RuntimeError: During a grad (vjp, jvp, grad, etc) transform",
        "torch names the aten op",
    ),
    "grad aux nontensor": ("ok", "what comes with has_aux may be anything"),
    "vjp no ct": ("RuntimeError: Expected pytree structure", "torch misses a parameter of its own function"),
    "jacrev complex aside": ("ok", "nothing is differentiated by the complex argument"),
    "jacrev no tensors": ("ValueError: jacrev: the arguments", "torch fails inside the function"),
    "jacfwd no tensors": ("ValueError: jacfwd: the arguments", "torch fails inside the function"),
    "hessian no tensors": ("ValueError: hessian: the arguments", "torch fails inside the function"),
    "Function rule gives a tensor": (
        "RuntimeError: Expected the vmap staticmethod to have two returns",
        "the name of the class in the sentence is not torch's",
    ),
    "Function without a rule": ("ok", "a rule is made"),
    "Function without setup_context": ("ok", "forward with a ctx is mapped as well"),
    "Function without setup_context in grad": ("ok", "forward with a ctx is differentiated as well"),
}
"""Where we differ: what we do, and why."""


def outcome(case) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = case()
        except Exception as error:
            return as_ours(f"{type(error).__name__}: {error}")
    many = result if isinstance(result, tuple | list) else (result,)
    if any(callable(r) for r in many):
        return "ok"
    return "ok: " + ", ".join(f"{r.dtype} {r.tolist()}" if hasattr(r, "tolist") else repr(r) for r in many)


THEIRS = cases(torch)
MINE = cases(ours)


@pytest.mark.parametrize("name", THEIRS)
def test_case(name):
    mine, theirs = outcome(MINE[name]), outcome(THEIRS[name])
    if name in OURS:
        assert mine.startswith(OURS[name][0])
        assert mine != theirs, f"{name} is no exception any more"
    else:
        assert mine == theirs
