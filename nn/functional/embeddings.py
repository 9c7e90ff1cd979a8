"""Embeddings as users call them: with max_norm the rows looked up are renormalized in place, in the table itself."""

from __future__ import annotations

from typing import Any

from functorch_lite._core.api import OPS, Tensor, check, composite, is_real, make_function, state, wrong_type
from functorch_lite._core.api import functions as torch
from functorch_lite.autograd import Function, forward_ad
from functorch_lite.autograd.grad_mode import no_grad

from ._arguments import flag_argument
from ._asked import warn

__all__: list[str] = []

_look_up = make_function(OPS["nn.functional.embedding"], "embedding")
_bag = make_function(OPS["nn.functional._embedding_bag"], "embedding_bag")
_renormed = make_function(OPS["nn.functional._renormed_rows"], "embedding_renorm_")


@composite
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float = 2.0) -> Tensor:
    """Scales the rows of `input` (number, features) that indices name, in place, to a norm of at most max_norm.

    >>> torch.embedding_renorm_(torch.tensor([[3., 4.], [6., 8.]]), torch.tensor([1]), 5., 2.)
    tensor([[3., 4.],
            [3., 4.]])
    """
    for position, (name, x) in enumerate({"max_norm": max_norm, "norm_type": norm_type}.items(), 3):
        if not is_real(x) and not (isinstance(x, Tensor) and not x.ndim and not x.requires_grad):
            raise wrong_type(x, "float", "embedding_renorm_", name, position)
    with no_grad():
        return input.copy_(_renormed(input, indices, float(max_norm), float(norm_type)))


@composite(namespace="nn.functional")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:  # hot path
    """The rows of weight (number, features) that input names; the row `padding_idx` gets no gradient.

    max_norm: rows that are looked up and have a larger norm are scaled down to it first, in weight itself.
    scale_grad_by_freq: gradients are divided by how often the row is looked up. sparse: the gradient of weight is a
    sparse tensor of the rows that are looked up; inside a transform, and where dual numbers are, it is dense, which a
    warning says.

    >>> F.embedding(torch.tensor([1]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.]])
    """
    options = (padding_idx, None, 2.0, scale_grad_by_freq, sparse)
    if max_norm is not None:
        _look_up(
            input, weight.detach(), *options
        )  # refuses what it must before weight is written; nobody computes it
        embedding_renorm_(weight, input, max_norm, norm_type)
    if sparse and _takes_sparse("embedding", weight):
        return _Rows.apply(input, weight, padding_idx, scale_grad_by_freq)
    return _look_up(input, weight, *options)


def _takes_sparse(name: str, weight: Tensor, why: str = "inside a transform, and with dual numbers") -> bool:
    """Returns whether the gradient of weight can be a sparse tensor; if it will be a dense one, a warning says so."""
    if not (weight.requires_grad and torch.is_grad_enabled()):
        return False
    if state.rec.level == 0 and not forward_ad.is_active() and why.startswith("inside"):
        return True
    warn(
        f"{name}: {why} the gradient of weight is a dense tensor, with sparse=True too. optim.SparseAdam updates only the rows whose gradient is "
        "not zero; optimizers that refuse sparse gradients in PyTorch update all rows."
    )
    return False


class _Rows(Function):
    """Rows of a table, whose gradient is a sparse tensor."""

    @staticmethod
    def forward(
        ctx: Any, input: Tensor, weight: Tensor, padding_idx: int | None, by_frequency: bool
    ) -> Tensor:
        ctx.save_for_backward(input)
        ctx.shape, ctx.padding, ctx.by_frequency = weight.shape, padding_idx, by_frequency
        return _look_up(input, weight, padding_idx)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        check(
            not ctx.by_frequency,
            RuntimeError,
            "embedding_backward: scale_grad_by_freq not supported with sparse gradients",
        )
        from functorch_lite.sparse import sparse_coo_tensor  # not loaded before there is a sparse tensor

        at, values = ctx.saved_tensors[0].reshape(-1), grad.reshape(-1, ctx.shape[1])
        if ctx.padding is not None:
            some = at != ctx.padding % ctx.shape[0]
            at, values = at[some], values[some]
        return None, sparse_coo_tensor(at.unsqueeze(0), values, ctx.shape), None, None


def _bags(input: Tensor, offsets: Tensor | None) -> tuple[Tensor, Tensor]:
    """The indices in one dim, and where the bags begin."""
    dims = input.dim()
    check(dims in (1, 2), ValueError, f"input has to be 1D or 2D Tensor, but got Tensor of dimension {dims}")
    if dims == 1:
        if not isinstance(offsets, Tensor):
            raise ValueError(
                f"offsets has to be a 1D Tensor but got {type(offsets) if offsets is not None else None}"
            )
        check(offsets.dim() == 1, ValueError, "offsets has to be a 1D Tensor")
        if input.dtype is not offsets.dtype:
            common = torch.promote_types(input.dtype, offsets.dtype)
            return input.to(common), offsets.to(common)
        return input, offsets
    check(
        offsets is None,
        ValueError,
        "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. However, found "
        f"offsets of type {type(offsets)}",
    )
    count, length = input.shape
    check(length > 0, RuntimeError, "step must be nonzero")  # from one bag to the next
    begins = torch.arange(count, dtype=input.dtype, device=input.device) * length
    return input.reshape(-1), begins


@composite(namespace="nn.functional")
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The "sum", "mean" or "max" of the rows of weight (number, features) that each bag of indices names: (bags,
    features).

    input: (bags, length) indices, or (N,) with `offsets`, where each bag begins (the first at 0), and with
    include_last_offset where the last one ends. per_sample_weights: like input, for "sum". padding_idx: a row that
    takes no part. sparse: as in embedding; with padding_idx gradients are dense. Values on the host are checked
    (values_at_hand.py).

    >>> F.embedding_bag(torch.tensor([[0, 1]]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[2., 3.]])
    """
    if input.dtype.is_floating_point and weight.dtype.name == "int64":
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is deprecated, and "
            "should now be `embedding_bag(input, weight, ...)`."
        )
        input, weight = weight, input
    if per_sample_weights is not None:
        check(
            input.shape == per_sample_weights.shape,
            ValueError,
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the same shape as the "
            f"input ({input.shape})",
        )
        per_sample_weights = per_sample_weights.reshape(-1)
    include_last_offset = (
        include_last_offset if input.dim() == 1 else False
    )  # bags of rows end where the next begins
    input, offsets = _bags(input, offsets)
    flag_argument(sparse, "embedding_bag", "sparse", 6)
    check(mode in ("sum", "mean", "max"), ValueError, "mode has to be one of sum, mean or max")
    if mode == "max":
        check(
            not scale_grad_by_freq,
            ValueError,
            "max mode does not support scaling the gradient by the frequency",
        )
        check(not sparse, ValueError, "max mode does not support sparse weights")
    has_rows = sparse and _takes_sparse(
        "embedding_bag", weight, *["with padding_idx"] * (padding_idx is not None)
    )
    check(
        per_sample_weights is None or mode == "sum",
        NotImplementedError,
        "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
        f"(got mode='{mode}'). Please open a feature request on GitHub.",
    )
    options: tuple[Any, ...] = (mode, scale_grad_by_freq, include_last_offset, padding_idx)
    if max_norm is not None:
        _bag(input, weight.detach(), offsets, per_sample_weights, *options)  # as in embedding
        embedding_renorm_(weight, input, max_norm, norm_type)
    if has_rows:
        weight = _Rows.apply(input, weight, None, scale_grad_by_freq)
        input = torch.arange(input.numel(), dtype=input.dtype, device=input.device)
    return _bag(input, weight, offsets, per_sample_weights, *options)
