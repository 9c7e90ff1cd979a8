"""Settings of all tests."""

from __future__ import annotations

import os
from pathlib import Path

# with cuda, `pytest tests/test_ops.py` looks at every op on a GPU
os.environ.setdefault("FUNCTORCH_LITE_TEST_DEVICE", "cpu")
os.environ.setdefault(
    "JAX_PLATFORMS", "cpu" if os.environ["FUNCTORCH_LITE_TEST_DEVICE"] == "cpu" else "cuda,cpu"
)
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # several processes share a GPU
# of its own: tests of the cache and tests that are run at the same time do not meet
os.environ.setdefault("FUNCTORCH_LITE_CACHE", str(Path(__file__).parent.parent / ".pytest_cache" / "xla"))

# programs are what most tests are run by (see BY_NUMPY); `FUNCTORCH_LITE_TIER=cold make test` has NumPy run all that it
# can
os.environ.setdefault("FUNCTORCH_LITE_TIER", "compiled")

import functools
import gc
import sys

import pytest

from tests.support.full import FULL

TESTS = Path(__file__).parent
PROGRAMS_KEPT = 150

BY_NUMPY = {
    "distributions", "higher", "masked", "nn", "ops", "sparse", "test_forward_ad.py", "test_gradcheck.py", "test_known.py", "test_orders.py",
    "test_random.py", "test_tensor_cases.py",
}  # fmt: skip
"""Folders and files whose subject is what is computed, and not the programs that do: NumPy does there
(functorch_lite/_core/run/cold), which compiles nothing; at full length programs do, and so they do for what is marked
`programs` or `parity`."""


def pytest_configure():
    from functorch_lite._core.lazy import facts

    facts.folder = lambda: None  # every run traces and compiles; test_stored.py has processes of its own
    if (on := os.environ["FUNCTORCH_LITE_TEST_DEVICE"]) != "cpu":
        import functorch_lite

        functorch_lite.set_default_device(on)
        functorch_lite.backends.cudnn.allow_tf32 = False


def pytest_collection_modifyitems(items):
    """Leaves out what looks at programs (marked so) where NumPy runs what they would."""
    if os.environ["FUNCTORCH_LITE_TIER"] != "compiled":
        left_out = pytest.mark.skip(reason="it looks at compiled programs, or at how often they run")
        for item in items:
            if item.get_closest_marker("programs"):
                item.add_marker(left_out)


def pytest_ignore_collect(collection_path, config):
    """Leaves out files that are beside PyTorch alone where none of them is to run: they import it."""
    is_parity = collection_path.name.endswith("_parity.py") and "mark.parity" in collection_path.read_text()
    return True if is_parity and config.option.markexpr == "not parity" else None


def pytest_collection_finish():
    """What is there before the first test stays: the collector need not look through it again, nor at each seven
    hundred objects for more."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@functools.cache
def compiles_halves() -> bool:
    """Whether XLA compiles float16 here.

    On a CPU it asks LLVM for functions that its library has not where the instruction set cannot convert halves
    (`--xla_cpu_max_isa=SSE4_2`)."""
    import jax

    try:
        jax.jit(lambda x: x * 3)(jax.numpy.ones(3, "float16"))
    except jax.errors.JaxRuntimeError:
        return False
    return True


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Skips what fails because XLA compiles no float16 here."""
    report = (yield).get_result()
    if report.failed and "Failed to materialize symbols" in report.longreprtext and not compiles_halves():
        report.outcome = "skipped"
        report.longrepr = str(item.path), item.location[1], "XLA compiles no float16 for this instruction set"


@pytest.fixture(autouse=True)
def forget_old_programs():
    """Forgets programs now and then: each holds dozens of memory maps, of which Linux gives a process some 65,000."""
    yield
    from functorch_lite._core.run import executor

    made = executor.stats["programs"]
    if made - forget_old_programs_at[0] > PROGRAMS_KEPT:
        executor.flush()
        executor.forget_programs()
        gc.collect()
        forget_old_programs_at[0] = made


forget_old_programs_at = [0]


@pytest.fixture(autouse=True)
def numpy_computes(request):
    """Has NumPy compute in what `BY_NUMPY` names."""
    node = request.node
    marked = node.get_closest_marker("programs") or node.get_closest_marker("parity")
    if FULL or marked or BY_NUMPY.isdisjoint(node.path.relative_to(TESTS).parts):
        yield
        return
    from functorch_lite import debug

    with debug.tier("cold"):
        yield


@pytest.fixture(autouse=True)
def distributions_check_their_arguments(request):
    """PyTorch's Dynamo turns that off, for good, when it is first used: whoever is compared afterwards would see no
    refusal."""
    torch = sys.modules.get("torch")
    if request.node.get_closest_marker("parity") and hasattr(torch, "distributions"):
        torch.distributions.Distribution.set_default_validate_args(True)
    yield
