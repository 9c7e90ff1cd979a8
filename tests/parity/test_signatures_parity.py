"""The names, order and defaults of arguments, where PyTorch has them in Python, and the modules that programs
import."""

from __future__ import annotations

import importlib
import inspect

import pytest

torch = pytest.importorskip("torch")

import functorch_lite as ours  # noqa: E402
from tests.support.exclusions import Exclusion, Exclusions  # noqa: E402

pytestmark = pytest.mark.parity

MODULES = (
    "amp autograd autograd.forward_ad autograd.functional autograd.graph compiler cuda cuda.amp distributions fft func linalg "
    "masked nested nn nn.attention nn.functional nn.init nn.utils nn.utils.parametrizations nn.utils.parametrize nn.utils.rnn "
    "nn.utils.stateless optim optim.lr_scheduler optim.swa_utils random serialization signal.windows sparse special testing "
    "utils.checkpoint utils.data utils.hooks"
).split()
ALSO_IMPORTED = (
    "autograd.function autograd.grad_mode autograd.gradcheck autograd.profiler backends.cuda backends.cudnn backends.mps "
    "distributions.categorical distributions.kl distributions.normal distributions.transforms nn.common_types nn.modules.batchnorm "
    "nn.modules.conv nn.modules.module nn.modules.utils nn.parallel nn.parameter nn.utils.clip_grad nn.utils.prune optim.adam "
    "optim.optimizer overrides profiler storage types utils._pytree utils.benchmark utils.data.dataloader utils.data.dataset "
    "utils.data.distributed utils.data.sampler utils.dlpack version"
).split()

_OWN_USE = "of PyTorch's own use, or of what ours do another way"
RULES = Exclusions(
    Exclusion(_OWN_USE, "distributions.CorrCholeskyTransform.log_abs_det_jacobian", "absent", lambda n: n == "intermediates"),
    Exclusion(_OWN_USE, "distributions.Wishart.rsample", "absent", lambda n: n == "max_try_correction"),
    Exclusion(_OWN_USE, "func.jacrev save serialization.save random.fork_rng", "absent", lambda n: n.startswith("_")),
    Exclusion("taken by its name alone", "nn.functional.normalize", "absent", lambda n: n == "out"),
    Exclusion("another value of the same meaning", "random.fork_rng", "default", lambda n: n == "device_type"),
    Exclusion("another value of the same meaning", "utils.data.random_split", "default", lambda n: n == "generator"),
)  # fmt: skip
"""Of which functions, and which of their arguments."""


def _functions(of):
    """The functions of a module: themselves, and the methods of its classes."""
    for name, found in sorted(vars(of).items()):
        if name.startswith("_"):
            continue
        if inspect.isfunction(found):
            yield name, found
        elif inspect.isclass(found):
            yield name, found.__init__
            yield from (
                (f"{name}.{k}", v) for k, v in vars(found).items() if k[0] != "_" and inspect.isfunction(v)
            )


def _in_ours(module, name: str):
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found.__init__ if inspect.isclass(found) else found


def _ordered(parameters) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in kinds]


def _same_default(theirs, mine) -> bool:
    if callable(theirs) or isinstance(theirs, type(inspect.Parameter.empty)):
        return getattr(theirs, "__name__", "") == getattr(mine, "__name__", "")
    return repr(theirs) == repr(mine) or theirs == mine


@pytest.mark.parametrize("module", ["", *MODULES])
def test_arguments(module):
    theirs, mine = (
        importlib.import_module(".".join(filter(None, (r.__name__, module)))) for r in (torch, ours)
    )
    wrong, looked = [], []
    for name, function in _functions(theirs):
        other = _in_ours(mine, name)
        try:
            want, have = (inspect.signature(f).parameters for f in (function, other))
        except (TypeError, ValueError):  # not there, which is api_status' business, or not Python
            continue
        if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in (*want.values(), *have.values())):
            continue
        key = ".".join(filter(None, (module, name)))
        looked.append(key)
        names = [n for n in want if not RULES.of(key, "absent", n) and n != "self"]
        takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in have.values())
        order = [n for n in _ordered(want.values()) if n in names]
        if [n for n in _ordered(have.values()) if n not in ("self", _first(have, want))][
            : len(order)
        ] != order and not takes_any:
            wrong.append(f"{key}: torch has {list(want)}, ours {list(have)}")
        elif missing := [n for n in names if n not in have and not takes_any]:
            wrong.append(f"{key}: without {missing}")
        for n in names:
            if (
                n in have
                and not _same_default(want[n].default, have[n].default)
                and not RULES.of(key, "default", n)
            ):
                wrong.append(f"{key}: {n} is {want[n].default!r} in torch, {have[n].default!r} in ours")
    wrong += RULES.unused(*looked)
    assert not wrong, "\n".join(wrong)


def _first(have, want) -> str:
    """What ours call the tensor that a method of torch calls self."""
    return next(iter(have), "") if next(iter(want), "") == "self" else ""


@pytest.mark.parametrize("module", [*MODULES, *ALSO_IMPORTED])
def test_modules(module):
    importlib.import_module(f"torch.{module}")
    importlib.import_module(f"functorch_lite.{module}")


OURS_ALONE = {
    "indices_or_sections": "dsplit hsplit vsplit tensor_split", "_name": "unsafe_chunk unsafe_split unsafe_split_with_sizes",
    "self": "is_distributed", "as_tuple": "nonzero", "return_indices": "max_pool2d max_pool3d", "device_type": "is_autocast_enabled",
}  # fmt: skip
"""Names that stand for several of PyTorch's, or that its functions have beside their schemas; and the functions."""
NUMPYS = {"axis", "keepdims", "x", "x1", "x2", "a"}
OF_RESULTS = {
    "out",
    "dtype",
    "device",
    "layout",
    "requires_grad",
    "pin_memory",
    "generator",
    "memory_format",
    "check_invariants",
}


@pytest.mark.parametrize("space", ["", "linalg", "fft", "special"])
def test_names_are_those_of_schemas(space):
    """The names of arguments of functions that PyTorch has in C++."""
    theirs = getattr(torch, space) if space else torch
    prefix = f"{space}_" if space else ""
    wrong, looked = {}, 0
    for name in dir(theirs):
        schemas = torch._C._jit_get_schemas_for_operator(f"aten::{prefix}{name}")
        if name.startswith("_") or not schemas or not inspect.isbuiltin(getattr(theirs, name)):
            continue
        known = (
            {"input" if a.name == "self" else a.name for s in schemas for a in s.arguments}
            | NUMPYS
            | OF_RESULTS
        )
        function = _in_ours(ours, f"{space}.{name}" if space else name)
        if function is None:  # which is api_status' business
            continue
        found = inspect.signature(function).parameters
        named = {k for k, p in found.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        looked += 1
        more = {n for n in named - known if name not in OURS_ALONE.get(n, "").split()}
        if more:
            wrong[name] = more
    assert not wrong and looked > 15
