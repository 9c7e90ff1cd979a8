"""Finds the uses of parameters in layers that have formulas, and provides these formulas: one table for all functions
that need them.

A layer's weight enters the recording as the weight of an op of the table (`RULES`): linear, convolutions, embedding. Of
such a *use* the gradient of the weight is a sum over positions r (tokens, pixels, uses) of an outer product,

    G = sum over r of g_r a_r^T

g_r being the gradient in the op's result and a_r what it read there. So a use is described by a and g alone (`Use`),
which are as large as the activations, and the gradient of a weight never has to be formed: |G|^2 = sum over r and s
of (a_r . a_s) (g_r . g_s).

`tapped` runs a function of parameters once and returns (a, g) of each use, and plain gradients of all other
parameters. It is a transform like any other, so that a vmap over samples returns them for each sample. Ghost norms
(Goodfellow, arXiv 1510.01799; Li et al., arXiv 2110.05679), book-keeping (Bu et al., arXiv 2210.00038), embeddings
(Kong & Munoz Medina, 2023), Kronecker factors and diagonals are all made of these.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from .._core.api import DerivedOp, Graph, Tensor, apply_op, for_cpu, transforms
from .._core.api import functions as torch
from ._trees import flatten, tensor_leaves, unflatten
from .cuts import Notes, record_function

__all__ = ["RULES", "Tapped", "Use", "positions", "tapped"]


class Rule(NamedTuple):
    """How an op uses a weight. input, weight, bias: their positions among its tensors. usable(static): whether the
    formulas hold."""

    kind: str
    input: int
    weight: int
    bias: int | None
    usable: Callable[[tuple], bool] = lambda static: True


RULES = {
    "nn.functional.linear": Rule("linear", 0, 1, 2),
    "nn.functional.conv1d": Rule("conv", 0, 1, 2),
    "nn.functional.conv2d": Rule("conv", 0, 1, 2),
    "nn.functional.conv3d": Rule("conv", 0, 1, 2),
    "nn.functional.embedding": Rule("embedding", 0, 1, None, lambda static: not static[1] and not static[2]),
}
"""By the name of the op.

What is not here is differentiated by itself, sample by sample: norms and biases, whose gradients are small, and weights
that are used in other ways."""


class Use(NamedTuple):
    """One use of a weight. param: its index; bias: the index of the bias; a: the input of the op, g: the gradient
    with respect to its result (both in the op's layout); static: the op's static arguments; shape: the shape of
    the weight."""

    kind: str
    param: int
    bias: int | None
    a: Any
    g: Any
    static: tuple
    shape: tuple[int, ...]


class _Tap(NamedTuple):
    step: int
    rule: Rule
    param: int
    bias: int | None


def _taps(graph: Graph, n: int) -> tuple[_Tap, ...]:
    """The steps of a graph that use one of its first n inputs by a rule, and that one in no other way."""
    found: list[_Tap] = []
    elsewhere = {-1 - o for o in graph.outputs if o < 0}
    for number, step in enumerate(graph.steps):
        refs = step.refs
        rule = RULES.get(getattr(step.op, "name", ""))
        at = -1 - refs[rule.weight] if rule is not None and len(refs) > rule.weight else -1
        mine = rule is not None and 0 <= at < n and not step.stop and rule.usable(tuple(step.static))
        for place, ref in enumerate(refs):
            p = -1 - ref
            if 0 <= p < n and not (mine and place in (rule.weight, rule.bias)):  # type: ignore[union-attr]
                elsewhere.add(p)
        if mine:
            assert rule is not None
            has_bias = rule.bias is not None and len(refs) > rule.bias and 0 <= -1 - refs[rule.bias] < n
            found.append(_Tap(number, rule, at, -1 - refs[rule.bias] if has_bias else None))  # type: ignore[index]
    taps = [t for t in found if t.param not in elsewhere]
    biases = {t.bias for t in found if t not in taps}  # of a use that is none any more
    return tuple([t if t.bias not in (elsewhere | biases) else t._replace(bias=None) for t in taps])


@transforms("taps")
def _taps_op(key: tuple, graph: Graph) -> DerivedOp:
    """(value, a of each tap, g of each tap, gradients of the other parameters, further results of the graph)."""
    _, _, taps, rest, apart = key
    at = {t.step: k for k, t in enumerate(taps)}

    def fn(*arrays: Any) -> list:
        def run_all(moved: Sequence[Any], shifts: Sequence[Any] | None) -> tuple[list, list]:
            inputs = list(arrays)
            for i, x in zip(rest, moved):
                inputs[i] = x
            read: list[Any] = [None] * len(taps)
            number = iter(range(len(graph.steps)))

            def run(applied: Any, args: list) -> Any:
                k = at.get(next(number))
                outs = applied.run(*args)
                if k is None:
                    return outs
                read[k] = args[taps[k].rule.input]
                if shifts is None:
                    results.append(jax.ShapeDtypeStruct(outs[0].shape, outs[0].dtype))
                    return outs
                first = outs[0] + shifts[k]
                return [jax.lax.optimization_barrier(first) if apart and for_cpu() else first, *outs[1:]]

            outs = graph._run(inputs, run)
            return outs, read

        results: list[Any] = []
        jax.eval_shape(lambda moved: run_all(moved, None)[0], [arrays[i] for i in rest])
        zeros = [jnp.zeros(r.shape, r.dtype) for r in results]

        def f(moved: Sequence[Any], shifts: Sequence[Any]) -> tuple[Any, Any]:
            outs, read = run_all(moved, shifts)
            return outs[0], (read, outs[1:])

        value, pull, (read, others) = jax.vjp(f, [arrays[i] for i in rest], zeros, has_aux=True)
        gradients, slopes = pull(jnp.ones_like(value))
        return [value, *read, *slopes, *gradients, *others]

    return DerivedOp(fn, "taps")


class Tapped(NamedTuple):
    """Result of `tapped`: the function's value; its uses; gradients of the parameters that have no uses, by number;
    auxiliary results."""

    value: Tensor
    uses: list[Use]
    gradients: dict[int, Tensor]
    aux: Any


def tapped(
    func: Callable[[list[Tensor], list[Tensor]], tuple[Tensor, Any]],
    leaves: Sequence[Tensor],
    others: Sequence[Any],
    apart: bool = False,
) -> Tapped:
    """func(leaves, others) gives (a scalar, auxiliary tensors, a tree). The values from which its gradient in the
    leaves is computed.

    apart: whether the results of taps are computed once. On a CPU XLA would otherwise recompute a small convolution
    in every consumer, for each of many columns (Kronecker factors of a CNN: 550 ms become 300). Other computations
    are then not merged with it.
    """
    n = len(leaves)
    at = tensor_leaves(others)
    given = [*leaves, *[others[i] for i in at]]

    def run(fresh: Sequence[Tensor]) -> tuple[list[Tensor], Any]:
        full = list(others)
        for i, t in zip(at, fresh[n:]):
            full[i] = t
        value, aux = func(list(fresh[:n]), full)
        aux_leaves, structure = flatten(aux)
        return [value, *aux_leaves], structure

    recorded = record_function("vjp", [t._aval for t in given], given, run, Notes(n), writes=True)
    graph, structure = recorded.graph, recorded.result
    if recorded.notes.cuts:
        raise NotImplementedError(
            "per-sample formulas go through recorded ops; an autograd.Function or a hook in the model has the say over its own derivatives: "
            "use vmap(grad(loss)) for this model"
        )
    if recorded.written:
        raise RuntimeError(
            "the model writes to its parameters, its data or its buffers in place; call model.eval(), or write to a clone"
        )
    taps = graph.derive(("taps found", n), lambda: _Found(_taps(graph, n))).taps
    tapped_params = {t.param for t in taps} | {t.bias for t in taps if t.bias is not None}
    rest = tuple([i for i in range(n) if i not in tapped_params])
    results = apply_op(graph.transformed(("taps", n, taps, rest, apart)), None, tuple(recorded.inputs))
    k = len(taps)
    read, slopes = results[1 : 1 + k], results[1 + k : 1 + 2 * k]
    uses = [
        Use(
            t.rule.kind,
            t.param,
            t.bias,
            a,
            g,
            tuple(graph.steps[t.step].static),
            tuple(leaves[t.param].shape),
        )
        for t, a, g in zip(taps, read, slopes)
    ]
    end = 1 + 2 * k + len(rest)
    aux = unflatten(structure, results[end : end + structure.num_leaves])
    return Tapped(results[0], uses, dict(zip(rest, results[1 + 2 * k : end])), aux)


class _Found:
    """Taps, kept with a graph."""

    made_of = None

    def __init__(self, taps: tuple[_Tap, ...]):
        self.taps = taps


# -- positions -------------------------------------------------------------------------------------------------------


def positions(use: Use) -> tuple[Tensor, Tensor]:
    """(a, g) of one sample by positions: (groups, R, fan in) and (groups, R, fan out); of an embedding (ids, g): (R,)
    and (R, width)."""
    if use.kind == "linear":
        a, g = use.a.reshape(1, -1, use.a.shape[-1]), use.g.reshape(1, -1, use.g.shape[-1])
        return a, g
    if use.kind == "embedding":
        ids, g = use.a.reshape(-1), use.g.reshape(-1, use.g.shape[-1])
        padding = use.static[0]
        if padding is not None:
            g = torch.where((ids == padding)[:, None], 0, g)
        return ids, g
    return _conv_positions(use)


def _conv_positions(use: Use) -> tuple[Tensor, Tensor]:
    """Patches of the input of a convolution, and gradients of its pixels, by group."""
    groups = use.static[3]
    kernel = use.shape[2:]
    x, g = use.a, use.g
    spatial = len(kernel)
    if x.dim() == spatial + 1:  # one image, without a batch
        x, g = x[None], g[None]
    (patches,) = apply_op(_patches_op(kernel, use.static), None, (x,))
    R = patches[0].numel() // patches.shape[1] * patches.shape[0]
    out = g.shape[1] // groups
    # (images, groups * fan in, pixels) -> (groups, images * pixels, fan in)
    a = (
        patches.reshape(patches.shape[0], groups, -1, patches[0, 0].numel())
        .permute(1, 0, 3, 2)
        .reshape(groups, R, -1)
    )
    g = g.reshape(g.shape[0], groups, out, -1).permute(1, 0, 3, 2).reshape(groups, R, out)
    return a, g


_PATCHES: dict[tuple, DerivedOp] = {}
SLICES_AT_MOST = 27
"""Up to how many entries of a kernel patches are slices of the input, one for each; a convolution with the identity
computes more than it moves."""


def _by_slices(
    x: Any, kernel: Sequence[int], stride: Sequence[int], pads: Any, dilation: Sequence[int]
) -> Any:
    """Input windows of a convolution, as conv_general_dilated_patches gives them: (N, channels * kernel, *pixels)."""
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    if isinstance(pads, str):
        pads = jax.lax.padtype_to_pads(x.shape[2:], reach, stride, pads)
    x = jnp.pad(x, [(0, 0), (0, 0), *pads])
    sizes = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, stride)]
    found = []
    for at in itertools.product(*[range(k) for k in kernel]):
        first = [i * d for i, d in zip(at, dilation)]
        end = [f + (n - 1) * s + 1 for f, n, s in zip(first, sizes, stride)]
        found.append(jax.lax.slice(x, (0, 0, *first), (*x.shape[:2], *end), (1, 1, *stride)))
    return jnp.stack(found, 2).reshape(x.shape[0], -1, *sizes)


def _patches_op(kernel: tuple[int, ...], static: tuple) -> DerivedOp:
    stride, padding, dilation = static[:3]
    n = len(kernel)
    key = (tuple(kernel), stride, padding, dilation)
    if key not in _PATCHES:

        def spread(v: Any) -> tuple[int, ...]:
            return tuple(v) if isinstance(v, tuple | list) else (v,) * n

        pads = padding.upper() if isinstance(padding, str) else [(p, p) for p in spread(padding)]

        def fn(x: Any) -> list:
            if math.prod(kernel) <= SLICES_AT_MOST:
                return [_by_slices(x, kernel, spread(stride), pads, spread(dilation))]
            return [
                jax.lax.conv_general_dilated_patches(
                    x,
                    kernel,
                    spread(stride),
                    pads,
                    rhs_dilation=spread(dilation),
                    precision=jax.lax.Precision.HIGHEST,
                )
            ]

        _PATCHES[key] = DerivedOp(fn, "patches", made_of=key)
    return _PATCHES[key]
