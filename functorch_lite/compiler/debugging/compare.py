"""Compares two models, forward and backward: PyTorch's `run_fwd_maybe_bwd`, `same_two_models` and their parts."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Sequence
from typing import Any

from ..._core.api import Tensor, float64
from ..._core.api import functions as torch
from ...fx import GraphModule
from ...nn.modules.module import Module
from ...random import get_rng_state, set_rng_state
from ...utils._pytree import tree_map
from .. import settings
from ..torch_compile import OptimizedModule
from .same import same

__all__ = [
    "backend_accuracy_fails", "cast_dtype_args_to_fp64", "cast_to", "cast_to_fp64", "clone_inputs_retaining_gradness", "collect_results", "rand_strided",
    "reduce_to_scalar_loss", "requires_bwd_pass", "run_fwd_maybe_bwd", "same_two_models",
]  # fmt: skip

log = logging.getLogger("torch._dynamo.debug_utils")

_BY_LOGITS = ("MaskedLMOutput", "Seq2SeqLMOutput", "CausalLMOutputWithCrossAttentions")


def reduce_to_scalar_loss(out: Any) -> Any:
    """A number to differentiate: the mean of a tensor, or of the losses of the parts of a list, tuple or dict; for
    the output of a language model, the mean of its logits.

    Raises NotImplementedError for anything else, and ValueError for an empty list.

    >>> torch._dynamo.testing.reduce_to_scalar_loss(torch.arange(6))
    tensor(2.5000)
    """
    if isinstance(out, Tensor):
        return out.sum() / out.numel()
    if type(out).__name__ in _BY_LOGITS:
        return reduce_to_scalar_loss(out.logits)
    if isinstance(out, dict | list | tuple):
        parts = list(out.values()) if isinstance(out, dict) else out
        if not len(parts):
            raise ValueError(f"reduce_to_scalar_loss: an empty {type(out).__name__} has no mean")
        return sum(reduce_to_scalar_loss(x) for x in parts) / len(parts)
    raise NotImplementedError("Don't know how to reduce", type(out))


def requires_bwd_pass(out: Any) -> bool:
    """Returns whether any tensor of a result requires grad."""
    if isinstance(out, Tensor):
        return out.requires_grad
    if isinstance(out, list | tuple):
        return any(requires_bwd_pass(x) for x in out)
    if isinstance(out, dict):
        return any(requires_bwd_pass(x) for x in out.values())
    if out is None or isinstance(out, int | float):
        return False
    raise NotImplementedError("Don't know how to reduce", type(out))


def clone_inputs_retaining_gradness(example_inputs: Sequence[Any]) -> list[Any]:
    """Copies of tensors, which are leaves and require grad where the tensors do.

    Inputs that are one tensor are one tensor again, and views of one storage views of a copy of it."""
    copies: dict[int, Any] = {}
    bases: dict[int, Tensor] = {}

    def cloned(x: Any) -> Any:
        if not isinstance(x, Tensor):
            return x
        if id(x) not in copies:
            base = getattr(x, "_base", None)
            if base is None or not any(getattr(y, "_base", None) is base or y is base for y in others(x)):
                made = x.detach().clone()
            else:
                if id(base) not in bases:
                    bases[id(base)] = base.detach().clone()
                made = bases[id(base)].as_strided(tuple(x.shape), x.stride(), x.storage_offset())
            copies[id(x)] = made.requires_grad_(x.requires_grad)
        return copies[id(x)]

    def others(x: Tensor) -> list[Any]:
        return [y for y in example_inputs if isinstance(y, Tensor) and y is not x]

    return [tree_map(cloned, x) for x in example_inputs]


def run_fwd_maybe_bwd(
    gm: Callable, args: Sequence[Any], only_fwd: bool = False, disable_clone: bool = False
) -> Any:
    """Returns a model's results, or, unless `only_fwd`, `collect_results` after a backward: of a copy of the model, on
    copies of the arguments.

    The backward is taken of `reduce_to_scalar_loss`, if a result requires grad. gm: a module, or any function, which
    then has no parameters.
    """
    model: Any = copy.deepcopy(gm) if isinstance(gm, Module) else gm
    owner = getattr(gm, "__self__", None)
    if isinstance(owner, Module):  # a module's method, such as the `forward` that backends give
        owner = copy.deepcopy(owner)
        model = getattr(owner, gm.__name__)
    given = list(args) if disable_clone else clone_inputs_retaining_gradness(args)
    module = model if isinstance(model, Module) else owner
    if isinstance(module, Module):
        module.zero_grad(True)
    out = model(given) if getattr(model, "_boxed_call", False) else model(*given)
    if only_fwd:
        return out
    if requires_bwd_pass(out):
        reduce_to_scalar_loss(out).backward()
    return collect_results(module, out, None, given)


def collect_results(model: Any, prediction: Any, loss: Any, example_inputs: Sequence[Any]) -> list[Any]:
    """The list: prediction, loss, gradients of the parameters by `name.grad` (zeros where there is none), parameters,
    buffers, then the gradient of each input that is a tensor."""
    named = list(model.named_parameters()) if isinstance(model, Module) else []
    buffers = list(model.named_buffers()) if isinstance(model, Module) else []
    prefix = "_orig_mod." if isinstance(model, OptimizedModule) else ""
    params = {name.removeprefix(prefix): p for name, p in named}
    grads = {f"{n}.grad": torch.zeros_like(p) if p.grad is None else p.grad for n, p in params.items()}
    results = [prediction, loss, grads, params, {n.removeprefix(prefix): b for n, b in buffers}]
    for example in example_inputs:
        inside = example if isinstance(example, list | tuple) else [example]
        results += [x.grad for x in inside if isinstance(x, Tensor)]
    return results


def cast_dtype_args_to_fp64(model: GraphModule) -> GraphModule:
    """The Graph with float64 wherever it names a narrower floating point dtype."""
    for node in model.graph.nodes:
        if node.op in ("call_function", "call_method"):
            node.args = tree_map(_widened, node.args)
            node.kwargs = tree_map(_widened, node.kwargs)
    model.recompile()
    return model


def _widened(x: Any) -> Any:
    return float64 if type(x) is type(float64) and x.is_floating_point else x


def cast_to(dtype: Any, model: Any, inputs: Sequence[Any]) -> tuple[Any, list[Any]]:
    """A module and its inputs with floating point numbers of this dtype."""
    model = model.to(dtype) if isinstance(model, Module) else model
    if dtype is float64 and isinstance(model, GraphModule):
        model = cast_dtype_args_to_fp64(model)

    def cast(x: Any) -> Any:
        if isinstance(x, Tensor) and x.is_floating_point():
            return x.detach().to(dtype).requires_grad_(x.requires_grad)
        return x

    return model, [tree_map(cast, x) for x in inputs]


def cast_to_fp64(model: Any, inputs: Sequence[Any]) -> tuple[Any, list[Any]]:
    """`cast_to` float64."""
    return cast_to(float64, model, inputs)


def same_two_models(
    gm: Callable,
    opt_gm: Callable,
    example_inputs: Sequence[Any],
    only_fwd: bool = False,
    *,
    require_fp64: bool = False,
    ignore_non_fp: bool = False,
) -> bool:
    """Returns whether the second model gives what the first gives, and the same gradients unless `only_fwd`, within
    `torch._dynamo.config.repro_tolerance`.

    float64 is asked which is nearer where they differ; if the model cannot be run in it, there is a warning, or with
    `require_fp64` a RuntimeError. An error of the second model is logged, and is not a difference. Both draw the same
    random numbers.
    """
    state = get_rng_state()
    ref = run_fwd_maybe_bwd(gm, example_inputs, only_fwd)
    after = get_rng_state()
    fp64_ref = None
    if settings.same_two_models_use_fp64:
        try:
            set_rng_state(state)
            model = copy.deepcopy(gm) if isinstance(gm, Module) else gm
            fp64_ref = run_fwd_maybe_bwd(
                *cast_to_fp64(model, clone_inputs_retaining_gradness(example_inputs)), only_fwd
            )
        except Exception as error:
            if require_fp64:
                raise RuntimeError(
                    "Could not generate fp64 outputs, workaround with torch._dynamo.config.same_two_models_use_fp64 = False"
                ) from error
            log.warning("Could not generate fp64 outputs")
    try:
        set_rng_state(state)
        res = run_fwd_maybe_bwd(opt_gm, example_inputs, only_fwd)
    except Exception:
        log.exception("The second model raised, which is no difference of results")
        return True
    finally:
        set_rng_state(after)
    if not only_fwd:
        res = _by_position(ref, res)
    return same(ref, res, fp64_ref, tol=settings.repro_tolerance, equal_nan=True, ignore_non_fp=ignore_non_fp)


def _by_position(ref: list[Any], res: list[Any]) -> list[Any]:
    """The second results, with the names of the first where a module has other names for as many parameters."""
    for k in (2, 3, 4):
        if res[k].keys() != ref[k].keys() and len(res[k]) == len(ref[k]):
            log.warning(
                "The models' parameters have other names, and are compared in their order: %s and %s",
                list(ref[k]),
                list(res[k]),
            )
            res = [*res[:k], dict(zip(ref[k], res[k].values())), *res[k + 1 :]]
        elif not res[k]:  # a callable that is no module has no parameters to compare
            ref[k] = {}
    return res


def backend_accuracy_fails(
    gm: Any,
    example_inputs: Sequence[Any],
    compiler_fn: Callable,
    only_fwd: bool = False,
    *,
    require_fp64: bool = False,
    ignore_non_fp: bool = False,
) -> bool:
    """Returns whether what a backend gives for a Graph differs from the Graph, run as it is. An error does not count
    as a difference."""
    try:
        compiled = compiler_fn(copy.deepcopy(gm), clone_inputs_retaining_gradness(example_inputs))
        return not same_two_models(
            gm, compiled, example_inputs, only_fwd, require_fp64=require_fp64, ignore_non_fp=ignore_non_fp
        )
    except Exception:
        log.exception("The backend raised, which is no difference of results")
        return False


def rand_strided(
    size: Sequence[int], stride: Sequence[int], dtype: Any = None, device: Any = "cpu", extra_size: int = 0
) -> Tensor:
    """A tensor of these sizes and strides: of normal random numbers, or of zeros and ones where they are whole, which
    are in range as indices.

    >>> torch._dynamo.testing.rand_strided((2, 3), (3, 1)).shape
    torch.Size([2, 3])
    """
    dtype = torch.get_default_dtype() if dtype is None else dtype
    needed = extra_size
    if all(s > 0 for s in size):
        needed += sum((s - 1) * t for s, t in zip(size, stride)) + 1
    if dtype.is_floating_point or dtype.is_complex:
        narrow = dtype.itemsize == 1
        flat = torch.randn(needed, dtype=torch.float32 if narrow else dtype, device=device)
        flat = flat.to(dtype) if narrow else flat
    else:
        flat = torch.randint(0, 2, (needed,), device=device).to(dtype)
    return flat.as_strided(tuple(size), tuple(stride))
