"""Numerical gradients of samples: torch.gradient."""

from __future__ import annotations

from typing import Any

from .._core.api import OPS, Tensor, apply, check, composite, is_scalar, wrap_dim


def _dims(input: Tensor, dim) -> list[int]:
    dims = range(input.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    wrapped = [wrap_dim(d, input.ndim) for d in dims]
    for d in wrapped:
        check(wrapped.count(d) == 1, RuntimeError, f"dim {d} appears multiple times in the list of dims")
    return wrapped


def _one_per_dim(spacing: Any, dims: list[int], input: Tensor, dim) -> list:
    if not isinstance(spacing, tuple | list):
        return [spacing] * len(dims)
    if len(spacing) != len(dims):
        why = f"'self.dim() = {input.ndim}', since dim argument was not given" if dim is None else "dim"
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to {why}, "
            f"but got a list of length {len(spacing)}"
        )
    return list(spacing)


@composite
def gradient(
    input: Tensor, *, spacing=1, dim: int | tuple[int, ...] | None = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """The derivatives, along each dim, of a function of which `input` holds samples: one tensor for each dim.

    spacing: the distance of samples, one number or one for each dim, or tensors of coordinates, one for each dim.

    >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]))
    (tensor([3., 4., 6., 7.]),)
    """
    number = not isinstance(spacing, Tensor) or (not spacing.ndim and not spacing.requires_grad)
    unspecified = spacing is None and not isinstance(dim, tuple | list)
    check(
        unspecified or (number and (is_scalar(spacing) or isinstance(spacing, tuple | list | Tensor))),
        TypeError,
        f"gradient() received an invalid combination of arguments - got spacing={type(spacing).__name__}; coordinates are given "
        "as a list of Tensors",
    )
    spacing = 1 if spacing is None else spacing
    check(edge_order in (1, 2), RuntimeError, "torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = _dims(input, dim)
    found = []
    for d, h in zip(dims, _one_per_dim(spacing, dims, input, dim)):
        check(
            h is not None,
            TypeError,
            "gradient(): the elements of spacing must be Numbers or Tensors, not NoneType",
        )
        check(
            input.shape[d] > edge_order,
            RuntimeError,
            "torch.gradient expected each dimension size to be at least edge_order+1",
        )
        if isinstance(h, Tensor) and h is not spacing:
            check(
                h.ndim == 1,
                RuntimeError,
                "torch.gradient expected each element of spacing to have one dimension, but got an element with "
                f"{h.ndim} dimensions!",
            )
            check(
                h.shape[0] == input.shape[d],
                RuntimeError,
                f"torch.gradient expected as many coordinates as there are samples along dim {d}, {input.shape[d]}, "
                f"but got {h.shape[0]}",
            )
            found.append(apply(OPS["_gradient"], (d, edge_order), (input, h, 1)))
        else:
            found.append(apply(OPS["_gradient"], (d, edge_order), (input, None, h)))
    return tuple(found)
