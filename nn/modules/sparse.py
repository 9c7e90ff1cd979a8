"""Embedding and EmbeddingBag: tables of vectors looked up by index."""

from __future__ import annotations

from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor
from functorch_lite._core.api import functions as torch
from functorch_lite.nn import init
from functorch_lite.nn.parameter import Parameter

from ._utils import empty
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """A table of rows that are looked up, and the row among them that is padding."""

    def _take(self, padding_idx: int | None, what: str) -> None:
        """Takes padding_idx, which may count from the end."""
        rows = self.num_embeddings
        if padding_idx is not None:
            if not -rows <= padding_idx < rows:
                raise AssertionError(f"{what} must be within num_embeddings")
            padding_idx = padding_idx + rows if padding_idx < 0 else padding_idx
        self.padding_idx = padding_idx

    def _fill(self, weight: Tensor | None, trained: bool, device: Any, dtype: Any) -> None:
        """Takes the table, or draws it."""
        shape = (self.num_embeddings, self.embedding_dim)
        if weight is None:
            self.weight = Parameter(empty(shape, device, dtype), requires_grad=trained)
            self.reset_parameters()
        else:
            if list(weight.shape) != list(shape):
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(weight, requires_grad=trained)

    def reset_parameters(self) -> None:
        """Draws the table afresh; the padding row becomes zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Table):
    """Looks up rows of a table.

    Args:
        num_embeddings: the number of rows of the table.
        embedding_dim: the size of each row.
        padding_idx: the row that starts at zero and gets no gradient. None (the default) means
            none.
        max_norm: looked-up rows with a larger norm are scaled down to it, in the table itself.
            None (the default) scales nothing.
        norm_type: the order of the norm for `max_norm`. Default: 2.0.
        scale_grad_by_freq: whether gradients are divided by how often a row is looked up.
            Default: False.
        sparse: whether the gradient of `weight` is a sparse tensor, as SparseAdam takes it;
            inside a transform it is dense. Default: False.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: any shape (*) of integers to (*, embedding_dim).

    Attributes:
        weight: (num_embeddings, embedding_dim), drawn from N(0, 1) at first.

    >>> Embedding(10, 3)(torch.tensor([[1, 2], [4, 5]])).shape
    torch.Size([2, 2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self._take(padding_idx, "Padding_idx")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        self._fill(_weight, not _freeze, device, dtype)

    def forward(self, input: Tensor) -> Tensor:  # hot path
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        s = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            s += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            s += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            s += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            s += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        if self.sparse is not False:
            s += ", sparse=True"
        return s

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ):
        """An Embedding over the given table (rows, embedding_dim); by default it is not trained."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


class EmbeddingBag(_Table):
    """Sums, means or maxima of rows of a table, bag by bag.

    For max_norm, norm_type, scale_grad_by_freq and sparse see Embedding.

    Args:
        num_embeddings: the number of rows of the table.
        embedding_dim: the size of each row.
        max_norm: looked-up rows with a larger norm are scaled down to it, in the table itself.
            None (the default) scales nothing.
        norm_type: the order of the norm for `max_norm`. Default: 2.0.
        scale_grad_by_freq: whether gradients are divided by how often a row is looked up.
            Default: False.
        mode: how a bag is reduced: "sum", "mean" or "max". Default: "mean".
        sparse: whether the gradient of `weight` is a sparse tensor. Default: False.
        include_last_offset: whether the offsets have the end of the last bag as a further
            element. Default: False.
        padding_idx: the row that takes no part, starts at zero and gets no gradient. None (the
            default) means none.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (bags, length) integers, or (N) with offsets (bags), to (bags, embedding_dim).

    Attributes:
        weight: (num_embeddings, embedding_dim), drawn from N(0, 1) at first.

    >>> EmbeddingBag(10, 3, mode="sum")(torch.tensor([1, 2, 4, 5]), torch.tensor([0, 3])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._take(padding_idx, "padding_idx")
        self._fill(_weight, True, device, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        s = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.max_norm is not None:
            s += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            s += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            s += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        s += f", mode={self.mode!r}"
        if self.padding_idx is not None:
            s += f", padding_idx={self.padding_idx}"
        return s

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ):
        """An EmbeddingBag over the given table (rows, embedding_dim); by default it is not trained."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        bag = cls(
            rows,
            columns,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            _weight=embeddings,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        bag.weight.requires_grad_(not freeze)
        return bag
