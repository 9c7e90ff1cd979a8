"""KFRA: the second factors of KFAC by a recursion from layer to layer, of matrices that are averaged over the samples
on the way.

Let z be what a layer gives and z' what the next one gives. The mean over samples of J^T B J, with J = dz'/dz of one
sample and B the matrix of z', approximates the matrix of z; the matrix of the outputs is the sum of the reduced loss'
Hessians. Source: Botev, Ritter & Barber, "Practical Gauss-Newton optimisation for deep learning", arXiv 1706.03662.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..._core.api import Tensor
from .._models import Objective, check_scalar
from .._trees import flatten, unflatten
from ..jacobians import hessian, jacrev
from ..modules import functional_call
from ..vmap import vmap
from .operators import pause

__all__ = ["recursive_factors"]


class _Stretch(NamedTuple):
    """From the input, or from what a layer gives, to what the next layer (the last stretch: the model) gives."""

    layer: str
    modules: list[tuple[str, Any]]


def _chain(model: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The modules of a Sequential, of the Sequentials in it too, one after the other."""
    for name, module in model.named_children():
        full = prefix + name
        if _is_chain(module):
            yield from _chain(module, full + ".")
        else:
            yield full, module


def _is_chain(module: Any) -> bool:
    """Returns whether a module is a Sequential, with its own forward."""
    return getattr(type(module).forward, "__qualname__", "") == "Sequential.forward"


def _stretches(model: Any, layers: list[str]) -> list[_Stretch]:
    """The stretches, each of which ends with a layer, and what comes after the last."""
    if not _is_chain(model):
        raise NotImplementedError(
            "KFAC: fisher='kfra' goes from layer to layer, so the model must be an nn.Sequential, got "
            f"{type(model).__name__}; "
            "fisher='type-2' takes any model"
        )
    found, modules = [], []
    for name, module in _chain(model):
        modules.append((name, module))
        if name in layers:
            found.append(_Stretch(name, modules))
            modules = []
    if sorted(s.layer for s in found) != sorted(layers):
        raise NotImplementedError("KFAC: fisher='kfra' needs each layer to be used once, in a chain")
    return [*found, _Stretch("", modules)]


def recursive_factors(o: Objective, layers: dict[str, str]) -> dict[str, Tensor]:
    """B of each layer, by the layers' names, of which the kinds are given: `"linear"` or `"conv"`."""
    stretches = _stretches(o.model, list(layers))

    def run(stretch: _Stretch, params: Any, x: Any) -> Any:
        for name, module in stretch.modules:
            mine = {k.removeprefix(name + "."): p for k, p in params.items() if k.startswith(name + ".")}
            x = functional_call(module, mine, (x,))
        return x

    out: dict[str, Tensor] = {}
    matrix: Tensor | None = None  # of what the stretch at hand gives
    for k in reversed(range(1, len(stretches))):
        matrix = _mean_over_data(o, stretches, k, matrix, run)
        name = stretches[k - 1].layer
        out[name] = _by_positions(matrix, layers[name], _shape_after(o, stretches, k, run))
    return out


def _shape_after(o: Objective, stretches: list[_Stretch], k: int, run: Callable) -> tuple[int, ...]:
    """Shape of one sample after the stretches before k."""
    x, _ = next(iter(o.data))
    for stretch in stretches[:k]:
        x = run(stretch, o.parameters.tree, x)
    return tuple(x.shape[1:])


def _mean_over_data(
    o: Objective, stretches: list[_Stretch], k: int, after: Tensor | None, run: Callable
) -> Tensor:
    """The matrix of the input of stretch k, computed from the matrix of its output (None: the matrix of the outputs,
    from the loss)."""
    total, params = None, o.parameters.tree
    for x, y in o.data:
        z = x
        for stretch in stretches[:k]:
            z = run(stretch, params, z)
        targets, structure = flatten(y)

        def of_one(z: Tensor, targets: list, structure: Any = structure) -> Tensor:
            size = z.numel()
            J = jacrev(lambda z: run(stretches[k], params, z[None])[0])(z).reshape(-1, size)
            if after is not None:
                return J.mT @ after @ J
            y = unflatten(structure, [t[None] for t in targets])
            out = run(stretches[k], params, z[None])
            H = hessian(lambda out: check_scalar(o.loss(out, y)))(out).reshape(out.numel(), out.numel())
            return J.mT @ H @ J

        part = vmap(of_one)(z, targets).sum(0)
        total = part if total is None else total + part
        pause()
    assert total is not None
    return total * o.weight if after is None else total / o.data.samples


def _by_positions(matrix: Tensor, kind: str, shape: tuple[int, ...]) -> Tensor:
    """The sum over positions of the blocks of one position with itself: (fan out, fan out)."""
    if kind == "conv":
        return (
            matrix.reshape(shape[0], -1, shape[0], matrix.shape[0] // shape[0])
            .diagonal(dim1=1, dim2=3)
            .sum(-1)
        )
    fan_out = shape[-1]
    return matrix.reshape(-1, fan_out, matrix.shape[0] // fan_out, fan_out).diagonal(dim1=0, dim2=2).sum(-1)
