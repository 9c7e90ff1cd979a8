"""torch.nn.utils._per_sample_grad: a module whose backward leaves each sample's gradient in `grad_sample` of its
parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from functorch_lite._core.api import Tensor
from functorch_lite.func import functional_call, vmap
from functorch_lite.nn.modules import Module
from functorch_lite.utils import _pytree as pytree

__all__ = ["call_for_per_sample_grads"]


def call_for_per_sample_grads(
    module: Module, *, batch_size: int | None = None, loss_reduction: str = "sum", batch_first: bool = True
) -> Callable:
    """A function of the module's arguments that calls it once for each sample, as a batch of one, by vmap.

    The backward of a loss of its results adds to each parameter's `grad_sample`, of shape (batch, *parameter), and
    leaves `grad` alone. loss_reduction: "sum", or "mean", for which gradients are taken times the batch's size.
    batch_first: whether tensors have the batch in their first dim, or in the second. RuntimeError for another
    reduction, and where no argument says how large the batch is.

    >>> m = nn.Linear(2, 1, bias=False)
    >>> torch.nn.utils._per_sample_grad.call_for_per_sample_grads(m)(torch.tensor([[1., 2.], [3., 4.]])).sum().backward()
    >>> m.weight.grad_sample.tolist()
    [[[1.0, 2.0]], [[3.0, 4.0]]]
    """
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}")
    if not isinstance(module, Module):
        raise RuntimeError(f"Module passed must be nn.Module, got {type(module).__name__}")
    if not (batch_size is None or isinstance(batch_size, int)):
        raise RuntimeError(f"Batch size passed must be None or an integer, got {type(batch_size).__name__}")
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive, got {batch_size}")
    for parameter in module.parameters():
        if (
            getattr(parameter, "grad_sample", None) is not None
            and parameter.grad_sample.shape[1:] != parameter.shape
        ):  # type: ignore[attr-defined]
            raise RuntimeError(
                "grad_sample of a parameter has another shape than (batch, *parameter): set it to None"
            )
    axis = 0 if batch_first else 1

    def call(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = pytree.tree_flatten((args, kwargs))
        tensors = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]
        sizes = {leaves[i].shape[axis] for i in tensors}
        size = batch_size if batch_size is not None else next(iter(sizes), None)
        if size is None:
            raise RuntimeError(
                "Unable to find a tensor in the passed args and kwargs. They may not be pytree-able"
            )
        if sizes - {size}:
            raise RuntimeError(f"Expected all batch sizes to be {size}, got {sorted(sizes)}")
        theirs = {
            name: _of_each(p, size, loss_reduction) if p.requires_grad else p.expand(size, *p.shape)  # type: ignore[attr-defined]
            for name, p in module.named_parameters()
        }

        def one(theirs: dict, samples: list) -> Any:
            given = list(leaves)
            for i, x in zip(tensors, samples):
                given[i] = x.unsqueeze(axis)
            args, kwargs = pytree.tree_unflatten(given, structure)
            out = functional_call(module, theirs, args, kwargs)
            return pytree.tree_map(lambda t: t.squeeze(axis), out)

        return vmap(one, in_dims=(0, axis), out_dims=axis, randomness="different")(
            theirs, [leaves[i] for i in tensors]
        )

    return call


def _of_each(parameter: Any, size: int, loss_reduction: str) -> Tensor:
    """The parameter once for each sample; their gradients go to its `grad_sample`."""
    copies = parameter.detach().expand(size, *parameter.shape).requires_grad_()

    def take(grad: Any) -> None:
        found = grad.detach() * (size if loss_reduction == "mean" else 1)
        before = getattr(parameter, "grad_sample", None)
        parameter.grad_sample = found if before is None else before + found

    copies.register_hook(take)
    return copies
