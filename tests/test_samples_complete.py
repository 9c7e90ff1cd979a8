"""Every op has samples, and every sample belongs to something that exists."""

from __future__ import annotations

import functorch_lite.nn.functional  # noqa: F401  # declares its ops
from functorch_lite._core.call import bind
from functorch_lite._core.declare.op import OPS
from tests.samples import all_samples

WITHOUT_SAMPLES = {
    "_eigenpairs": "the derivative of lobpcg: tests/ops/test_lobpcg.py",
    "_draw": "draws random numbers from a key: tests/test_random.py",
    "_independent": "a place on the tape without a derivative: tests/parity/programs_of_tensors.py",
    "_distribution": "its argument: tests/core/test_requirements.py",
    "_limited": "its first argument: tests/core/test_requirements.py",
    "_required": "its first argument: tests/core/test_requirements.py",
    "_select_at": "a view at an index still to be computed: tests/core/test_views_at_indices.py",
    "_fold_key": "makes keys: tests/test_random.py",
    "_within": "bounds random numbers: tests/test_random.py",
    "_sample_binomial": "draws random numbers from a key: tests/distributions/test_samples.py",
    "_sample_categorical": "draws random numbers from a key: tests/distributions/test_samples.py",
    "_sample_dirichlet": "draws random numbers from a key: tests/distributions/test_samples.py",
    "_sample_gamma": "draws random numbers from a key: tests/distributions/test_samples.py",
    "_sample_poisson": "draws random numbers from a key: tests/distributions/test_samples.py",
    "_sample_von_mises": "draws random numbers from a key: tests/distributions/test_samples.py",
    "_scaled": "part of drawing: tests/test_random.py",
    "nn.functional._ctc_loss": "sampled as nn.functional.ctc_loss, which makes its lengths tensors",
    "nn.functional._fractional_max_pool": "sampled as nn.functional.fractional_max_pool2d and 3d",
    "create.empty": "torch leaves its contents open",
    "create.empty_like": "torch leaves its contents open",
}
"""Ops that have no samples, and why."""


def test_every_op_has_samples():
    missing = sorted(set(OPS) - set(all_samples()) - set(WITHOUT_SAMPLES))
    assert not missing, f"{len(missing)} ops have no samples in tests/samples/: {missing}"


def test_every_op_has_a_sample_that_runs():
    only_errors = sorted(name for name, samples in all_samples().items() if all(s.error for s in samples))
    assert not only_errors, f"these ops are only sampled with errors: {only_errors}"


def test_every_sample_is_of_an_op():
    unknown = sorted(
        n
        for n in all_samples()
        if n not in OPS and bind.lookup(n.rpartition(".")[0] or "torch", n.rpartition(".")[2]) is None
    )
    assert not unknown, f"tests/samples/ has samples of what does not exist: {unknown}"


def test_exceptions_are_needed():
    stale = sorted(n for n in WITHOUT_SAMPLES if n not in OPS or n in all_samples())
    assert not stale, f"these are listed as without samples, and are not ops or have some: {stale}"


def test_widened_tolerances_have_reasons():
    for name, samples in all_samples().items():
        for i, s in enumerate(samples):
            changed = (
                s.rtol is not None
                or s.atol is not None
                or not (s.grad and s.gradgrad and s.vmap and s.differences)
            )
            assert s.why or not changed, f"{name}[{i}] changes a check without saying why"
