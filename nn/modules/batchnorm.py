"""Batch normalization, and the base that instance normalization shares with it."""

from __future__ import annotations

from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite import distributed
from functorch_lite._core.api import Tensor
from functorch_lite._core.api import functions as torch
from functorch_lite.distributed.functional import all_gather
from functorch_lite.nn import init
from functorch_lite.nn.functional.stateful import count_batch
from functorch_lite.nn.parameter import Parameter

from ._utils import empty
from .module import Module

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]


class Affine(Module):
    """A weight and a bias that change nothing at first: ones and zeros. Where one is not wanted it is None."""

    def _make_affine(self, shape: Any, device: Any, dtype: Any, **wanted: bool) -> None:
        for name, present in wanted.items():
            self.register_parameter(name, Parameter(empty(shape, device, dtype)) if present else None)

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
            if getattr(self, "bias", None) is not None:
                init.zeros_(self.bias)


class _NormBase(Affine):
    """Weight, bias and running statistics of a normalization over channels."""

    _version = 2

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._make_affine(num_features, device, dtype, weight=affine, bias=affine and bias)
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", torch.ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long, device=device))
        else:
            self.register_buffer("running_mean", None)
            self.register_buffer("running_var", None)
            self.register_buffer("num_batches_tracked", None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forgets what was seen: mean 0, variance 1, no batches."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0, statistics forgotten."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ) -> None:
        version = local_metadata.get("version")
        if (version is None or version < 2) and self.track_running_stats:
            # Checkpoints of before version 2 do not count batches.
            key = prefix + "num_batches_tracked"
            if key not in state_dict:
                mine = self.num_batches_tracked
                state_dict[key] = torch.tensor(0, dtype=torch.long) if mine is None else mine
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:  # hot path
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        training = self.training
        if training and self.track_running_stats and self.num_batches_tracked is not None:
            count_batch(self.num_batches_tracked)
            if self.momentum is None:  # the plain average over all batches
                momentum = 1.0 / float(self.num_batches_tracked)
        mean, var = self.running_mean, self.running_var
        if not training and mean is None and var is None:
            training = True
        if self.training and not self.track_running_stats:
            mean = var = None
        try:
            return F.batch_norm(input, mean, var, self.weight, self.bias, training, momentum, self.eps)
        except RuntimeError as error:
            if str(error).startswith("Batch norm got a batched tensor"):
                raise RuntimeError(f"{error}\nThe module is {self!r}.") from None
            raise


class BatchNorm1d(_BatchNorm):
    """Normalizes each channel over the batch (and length): (x − mean) / √(var + eps) · weight + bias (Ioffe and
    Szegedy, 2015).

    In training the statistics are the batch's (variance without Bessel's correction), and the running ones move by
    `momentum` towards them (variance with it); `momentum=None` averages over all batches. In eval mode the running ones
    are used.

    Args:
        num_features: the number of channels C.
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: True.
        track_running_stats: whether running statistics are kept. False always uses those of the
            batch. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    Shape: (N, C) or (N, C, L), kept.

    Attributes:
        weight, bias: (C), None without `affine`.
        running_mean, running_var: (C), and num_batches_tracked: buffers, None without `track_running_stats`.

    Raises ValueError for an input of other dims, and in training for one value per channel; RuntimeError for other
    channels.

    >>> norm = nn.BatchNorm1d(1, momentum=0.5)
    >>> y = norm(torch.tensor([[1.], [3.]]))
    >>> y.round(decimals=3).tolist(), norm.running_mean.tolist(), norm.running_var.tolist()
    ([[-1.0], [1.0]], [1.0], [1.5])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    """Batch normalization over (N, C, H, W); see BatchNorm1d.

    Args:
        num_features: the number of channels C.
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: True.
        track_running_stats: whether running statistics are kept. False always uses those of the
            batch. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    Raises ValueError for an input of other dims, and in training for one value per channel; RuntimeError for other
    channels.

    >>> norm = nn.BatchNorm2d(3)
    >>> tuple(norm(torch.ones(4, 3, 5, 5)).shape), tuple(norm.running_var.shape)
    ((4, 3, 5, 5), (3,))
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    """Batch normalization over (N, C, D, H, W); see BatchNorm1d.

    Args:
        num_features: the number of channels C.
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: True.
        track_running_stats: whether running statistics are kept. False always uses those of the
            batch. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    Raises ValueError for an input of other dims, and in training for one value per channel; RuntimeError for other
    channels.

    >>> tuple(nn.BatchNorm3d(3)(torch.ones(2, 3, 4, 4, 4)).shape)
    (2, 3, 4, 4, 4)
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over (N, C, *) with the statistics of the whole batch: on all devices, and in all
    processes.

    A batch that is sharded over devices is one array here, so that BatchNorm's statistics already are the whole
    batch's. Processes of `process_group`, by default all, exchange theirs in training, as soon as
    `torch.distributed.init_process_group` was called.

    Args:
        num_features: the number of channels C.
        eps: a small number added to the variance. Default: 1e-05.
        momentum: the weight of a new batch in the running statistics. None averages over all
            batches. Default: 0.1.
        affine: whether there are a learned weight and bias. Default: True.
        track_running_stats: whether running statistics are kept. False always uses those of the
            batch. Default: True.
        process_group: the processes that exchange statistics. None (the default) means all.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        bias: whether there is a bias, if `affine`. Default: True.

    >>> tuple(nn.SyncBatchNorm(3)(torch.ones(4, 3, 5)).shape)
    (4, 3, 5)
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.shape[1] == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    def forward(self, input: Tensor) -> Tensor:
        if (
            not self.training
            or not distributed.is_initialized()
            or distributed.get_world_size(self.process_group) == 1
        ):
            return super().forward(input)
        self._check_input_dim(input)
        mean, var, count = self._of_all_processes(input)
        if self.track_running_stats:
            count_batch(self.num_batches_tracked)
            momentum = 1.0 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
            self.running_mean.lerp_(mean.detach().to(self.running_mean.dtype), momentum)
            unbiased = var.detach() * (count / (count - 1))
            self.running_var.lerp_(unbiased.to(self.running_var.dtype), momentum)
        shape = [1, -1] + [1] * (input.dim() - 2)
        y = (input - mean.to(input.dtype).reshape(shape)) * torch.rsqrt(var + self.eps).to(
            input.dtype
        ).reshape(shape)
        if self.weight is None:
            return y
        y = y * self.weight.reshape(shape)
        return y if self.bias is None else y + self.bias.reshape(shape)

    def _of_all_processes(self, input: Tensor) -> tuple[Tensor, Tensor, float]:
        """Mean, variance and number of the values per channel, of all processes' batches."""
        dims = [0, *range(2, input.dim())]
        x = input.float() if input.dtype.itemsize < 4 else input
        n = input.numel() // input.shape[1]
        mean = x.mean(dims) if n else x.sum(dims)
        square = ((x - mean.reshape([1, -1] + [1] * (x.dim() - 2))) ** 2).sum(dims)
        mine = torch.cat([mean, square, mean.new_full((1,), float(n))])
        parts = torch.stack(list(all_gather(mine, self.process_group)))
        channels, counts = input.shape[1], parts[:, -1:].detach()
        means, squares = parts[:, :channels], parts[:, channels:-1]
        count = float(counts.sum())
        if count <= 1:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got input size {input.size()}"
            )
        mean = (means * counts).sum(0) / count
        return mean, (squares + counts * (means - mean) ** 2).sum(0) / count, count

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with every batch normalization in it replaced by a SyncBatchNorm that has its tensors."""
        converted = module
        if isinstance(module, _BatchNorm):
            converted = SyncBatchNorm(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            if module.affine:
                converted.weight, converted.bias = module.weight, module.bias
            converted.running_mean = module.running_mean
            converted.running_var = module.running_var
            converted.num_batches_tracked = module.num_batches_tracked
            converted.training = module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted
