"""Masks for flex_attention, as functions of indices and as blocks."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from functorch_lite._core.api import Tensor, check
from functorch_lite._core.api import functions as torch
from functorch_lite._core.api import namespace as functions_of
from functorch_lite.func.vmap import vmap

__all__ = ["BlockMask", "and_masks", "create_block_mask", "create_mask", "noop_mask", "or_masks"]

_DEFAULT_SPARSE_BLOCK_SIZE = 128

F: Any = functions_of("nn.functional")


def over_indices(fn: Callable, with_score: bool) -> Callable:
    """fn([score,] b, h, q_idx, kv_idx) of 0-d tensors, mapped over all indices of a (B, H, L, S) tensor."""
    lead = (0,) if with_score else ()
    for at in (3, 2, 1, 0):
        dims = [None] * 4
        dims[at] = 0  # type: ignore[call-overload]
        fn = vmap(fn, in_dims=(*lead, *dims))
    return fn


def indices(*shape: int, device: Any = None) -> tuple[Tensor, ...]:
    """0, 1, … for each dim."""
    return tuple([torch.arange(n, device=device) for n in shape])


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """Lets every query look at every key.

    >>> noop_mask(*map(torch.tensor, (0, 0, 1, 2)))
    tensor(True)
    """
    return torch.ones((), dtype=torch.bool, device=batch.device)


def _combined(mask_mods: tuple, start: bool, join: Callable) -> Callable:
    check(
        all(callable(m) for m in mask_mods),
        RuntimeError,
        f"All inputs should be callable mask_mods: {mask_mods}",
    )

    def mask_mod(b, h, q_idx, kv_idx):
        result = torch.full((), start, dtype=torch.bool, device=b.device)
        for m in mask_mods:
            result = join(result, m(b, h, q_idx, kv_idx))
        return result

    return mask_mod


def and_masks(*mask_mods: Callable) -> Callable:
    """The mask_mod that holds where all of these hold.

    Raises RuntimeError for an argument that is not a function.

    >>> causal = lambda b, h, q_idx, kv_idx: q_idx >= kv_idx
    >>> and_masks(noop_mask, causal)(*map(torch.tensor, (0, 0, 1, 2)))
    tensor(False)
    """
    return _combined(mask_mods, True, torch.logical_and)


def or_masks(*mask_mods: Callable) -> Callable:
    """The mask_mod that holds where any of these holds.

    Raises RuntimeError for an argument that is not a function.

    >>> causal = lambda b, h, q_idx, kv_idx: q_idx >= kv_idx
    >>> or_masks(noop_mask, causal)(*map(torch.tensor, (0, 0, 1, 2)))
    tensor(True)
    """
    return _combined(mask_mods, False, torch.logical_or)


def create_mask(
    mod_fn: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None
) -> Tensor:
    """A mask_mod (b, h, q_idx, kv_idx) as a bool tensor (B, H, Q_LEN, KV_LEN), or what a score_mod makes of scores 0.

    >>> create_mask(lambda b, h, q, k: q >= k, 1, 1, 2, 2)
    tensor([[[[ True, False],
              [ True,  True]]]])
    """
    shape = (B or 1, H or 1, Q_LEN, KV_LEN)
    at = indices(*shape, device=device)
    takes = sum(p.default is p.empty for p in inspect.signature(mod_fn).parameters.values())
    if takes == 5:
        return over_indices(mod_fn, True)(torch.zeros(shape, device=device), *at)
    mask = over_indices(mod_fn, False)(*at)
    check(mask.dtype is torch.bool, AssertionError, f"mask_mod must return a bool tensor, got {mask.dtype}")
    return mask


def _listed(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """Lists the True columns of bool (…, rows, columns): how many of each row are True, and all columns, with the
    True ones first."""
    order = torch.argsort(blocks.to(torch.int32), dim=-1, descending=True, stable=True)
    return blocks.sum(-1).to(torch.int32), order.to(torch.int32)


def _unlisted(count: Tensor, order: Tensor) -> Tensor:
    """The inverse of `_listed`."""
    listed = torch.arange(order.shape[-1], device=order.device) < count.unsqueeze(-1)
    return torch.zeros_like(listed).scatter(-1, order.to(torch.int64), listed)


def _kept(index: Any, size: int) -> Any:
    """An index that keeps its dim: a number as a slice."""
    if not isinstance(index, int):
        return index
    return slice(index + size, index + size + 1) if -size <= index < 0 else slice(index, index + 1)


def _of_another_part(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
    raise RuntimeError(
        "Cannot use mask_mod from a sliced BlockMask. When you slice a BlockMask using [], the mask_mod attribute is reset. You must set it "
        "from the original BlockMask's mask_mod: `sliced.mask_mod = apply_offset(original.mask_mod, offset)`."
    )


def _shade(blocks: np.ndarray) -> str:
    share = blocks.mean()
    return "█" if share == 1 else " " if share == 0 else "░"


class BlockMask:
    """Blocks of the (query, key) plane that take part in attention: partly, as mask_mod says, or fully.

    Attributes:
        kv_num_blocks, kv_indices: (B, H, rows) and (B, H, rows, columns) int32: for each row of blocks, how many take
            part partly, and the columns, those first. full_kv_num_blocks, full_kv_indices: the same for those that take
            part fully, or None.
        q_num_blocks, q_indices, full_q_num_blocks, full_q_indices: the same for each column of blocks.
        mask_mod: (b, h, q_idx, kv_idx) -> bool. BLOCK_SIZE: (of queries, of keys). seq_lengths: (of queries, of keys).

    Made by create_block_mask.

    >>> from functorch_lite.nn.attention.flex_attention import create_block_mask
    >>> causal = lambda b, h, q_idx, kv_idx: q_idx >= kv_idx
    >>> mask = create_block_mask(causal, 1, 1, 256, 256, device="cpu")
    >>> mask.kv_num_blocks.tolist(), mask.full_kv_num_blocks.tolist()
    ([[[1, 1]]], [[[0, 1]]])
    """

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int],
        mask_mod: Callable,
    ) -> None:
        check(kv_indices.dim() >= 2, RuntimeError, "BlockMask must have at least 2 dimensions")
        both = (full_kv_num_blocks is None) == (full_kv_indices is None)
        check(both, AssertionError, "full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.BLOCK_SIZE = BLOCK_SIZE
        self.mask_mod = mask_mod
        self.q_num_blocks, self.q_indices = _listed(self._partial().transpose(-2, -1))
        full = self._full()
        self.full_q_num_blocks, self.full_q_indices = (
            (None, None) if full is None else _listed(full.transpose(-2, -1))
        )

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
        mask_mod: Callable | None = None,
        seq_lengths: tuple[int, int] | None = None,
    ) -> BlockMask:
        """A BlockMask from its lists of blocks."""
        size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
        check(kv_indices.dim() >= 2, RuntimeError, "BlockMask must have at least 2 dimensions")
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1])
        lists = (kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)
        return cls(seq_lengths, *lists, size, mask_mod or noop_mask)  # type: ignore[arg-type]

    def _partial(self) -> Tensor:
        return _unlisted(self.kv_num_blocks, self.kv_indices)

    def _full(self) -> Tensor | None:
        if self.full_kv_num_blocks is None:
            return None
        return _unlisted(self.full_kv_num_blocks, self.full_kv_indices)  # type: ignore[arg-type]

    @property
    def shape(self) -> tuple[int, ...]:
        """(B, H, queries, keys)."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """The number of (query, key) pairs."""
        total = 1
        for n in self.shape:
            total *= n
        return total

    def to_dense(self) -> Tensor:
        """(B, H, rows, columns) int32: 1 for the blocks that take part."""
        full = self._full()
        return (self._partial() if full is None else self._partial() | full).to(torch.int32)

    def sparsity(self) -> float:
        """The percentage of the plane that takes no part, in whole blocks (below 0 where blocks reach over the
        edge)."""
        computed = int(self.to_dense().sum()) * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1]
        return 100 * (1 - computed / self.numel())

    def elements(self, batch: int, heads: int, length: int, size: int, device: Any = None) -> Tensor:
        """The bool mask of all elements, (batch, heads, length, size)."""
        allowed = self._spread(self._partial(), length, size) & create_mask(
            self.mask_mod, batch, heads, length, size, device
        )
        full = self._full()
        return allowed if full is None else allowed | self._spread(full, length, size)

    def _spread(self, blocks: Tensor, length: int, size: int) -> Tensor:
        rows, columns = self.BLOCK_SIZE
        wide = blocks.repeat_interleave(rows, -2).repeat_interleave(columns, -1)
        return wide[..., :length, :size]

    def as_tuple(self, flatten: bool = True) -> tuple:
        """Returns all that the mask consists of: lengths, lists of blocks, four Nones (PyTorch's order of writes on a
        GPU), BLOCK_SIZE, mask_mod.

        flatten: lengths and BLOCK_SIZE as two numbers each, instead of as tuples.
        """
        lengths, size = (
            (self.seq_lengths, self.BLOCK_SIZE) if flatten else ((self.seq_lengths,), (self.BLOCK_SIZE,))
        )
        of_rows = (self.kv_num_blocks, self.kv_indices, self.full_kv_num_blocks, self.full_kv_indices)
        of_columns = (self.q_num_blocks, self.q_indices, self.full_q_num_blocks, self.full_q_indices)
        return (*lengths, *of_rows, *of_columns, None, None, None, None, *size, self.mask_mod)

    def __getitem__(self, index: Any) -> BlockMask:
        """The part for some of the batch, heads and rows of blocks; every dim is kept.

        Its mask_mod raises: set another."""
        given = (index if isinstance(index, tuple) else (index,)) + (slice(None),) * 3
        at = tuple([_kept(i, n) for i, n in zip(given[:3], self.kv_num_blocks.shape)])
        lists = (self.kv_num_blocks, self.kv_indices, self.full_kv_num_blocks, self.full_kv_indices)
        parts = [None if t is None else t[at] for t in lists]
        return BlockMask(self.seq_lengths, *parts, self.BLOCK_SIZE, _of_another_part)  # type: ignore[arg-type]

    def _adjust(self, new_q_len: int, new_kv_len: int) -> BlockMask:
        """The upper left corner, for shorter sequences."""
        rows, columns = -(-new_q_len // self.BLOCK_SIZE[0]), -(-new_kv_len // self.BLOCK_SIZE[1])
        full = self._full()
        lists = _listed(self._partial()[..., :rows, :columns] > 0)
        of_full = (None, None) if full is None else _listed(full[..., :rows, :columns] > 0)
        return BlockMask((new_q_len, new_kv_len), *lists, *of_full, self.BLOCK_SIZE, self.mask_mod)  # type: ignore[arg-type]

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """A picture of each (batch, head), of at most `limit`: two characters for a block that takes part, or some of
        which do."""
        dense = self.to_dense().numpy()
        *batch, rows, columns = dense.shape
        most = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        step, across = (max(1, -(-n // m)) for n, m in zip((rows, columns), most))
        pictures = []
        for at in np.ndindex(*batch):
            if len(pictures) == limit:
                pictures += [
                    "...",
                    "To print out more, set BlockMask.to_string(limit=N)",
                    "You can also index (BlockMask[batch, head]) to choose a specific batch or head",
                ]
                break
            lines = [
                "".join(
                    2 * _shade(dense[at][r : r + step, c : c + across]) for c in range(0, columns, across)
                )
                for r in range(0, rows, step)
            ]
            pictures.append("\n".join([str(at), *lines, ""]))
        return "\n".join(pictures)

    def __str__(self) -> str:
        head = f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n"
        return f"{head}{self.to_string().strip()}\n)"

    def to(self, device: Any) -> BlockMask:
        """Returns the mask on another device."""
        lists = (self.kv_num_blocks, self.kv_indices, self.full_kv_num_blocks, self.full_kv_indices)
        moved = [None if t is None else t.to(device) for t in lists]
        return BlockMask(self.seq_lengths, *moved, self.BLOCK_SIZE, self.mask_mod)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        names = [
            f"{side}_{what}"
            for side in ("kv", "full_kv", "q", "full_q")
            for what in ("num_blocks", "indices")
        ]
        lines = [f"    {n}={None if getattr(self, n) is None else getattr(self, n).shape},\n" for n in names]
        return (
            "BlockMask(\n" + "".join(lines) + f"    BLOCK_SIZE={self.BLOCK_SIZE},\n    shape={self.shape},\n"
            f"    sparsity={self.sparsity():.2f}%,\n    mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}\n)"
        )


def create_block_mask(
    mask_mod: Callable,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
    _compile: bool = False,
    separate_full_blocks: bool = True,
) -> BlockMask:
    """The BlockMask of mask_mod(b, h, q_idx, kv_idx); B or H None: the same for all.

    `_compile` changes nothing: all is compiled.

    >>> create_block_mask(lambda b, h, q, k: q >= k, None, None, 256, 256).to_dense()
    tensor([[[[1, 0],
              [1, 1]]]], dtype=torch.int32)
    """
    if _compile:
        warnings.warn(
            "_compile flag on create_block_mask was originally added to work around a torch.compile limitation. That limitation has "
            "since been addressed. So, to compile create_block_mask, we suggest doing torch.compile(create_block_mask). This still "
            "works for now, but will be removed in the future.",
            DeprecationWarning,
            stacklevel=2,
        )
    rows, columns = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device).to(torch.int32)
    mask = F.pad(mask, (0, -KV_LEN % columns, 0, -Q_LEN % rows))
    b, h, length, size = mask.shape
    counts = mask.view(b, h, length // rows, rows, size // columns, columns).sum((3, 5))
    full, some = counts == rows * columns, counts > 0
    if separate_full_blocks:
        lists = (*_listed(some & ~full), *_listed(full))
    else:
        lists = (*_listed(some), None, None)
    return BlockMask((Q_LEN, KV_LEN), *lists, (rows, columns), mask_mod)  # type: ignore[arg-type]
