"""Sequences of different lengths: padded in one tensor, or packed row by row.

Lengths are read: packing happens on values, so that shapes are known. Each new total length is a new shape to compile
for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from functorch_lite._core.api import Tensor, check, check_type, from_array
from functorch_lite._core.api import functions as torch

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
    "pad_sequence", "unpack_sequence", "unpad_sequence",
]  # fmt: skip

_UNSORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` to "
    "pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability."
)


class _Fields(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Fields):
    """The steps of a batch of sequences, longest first, as rows: all first steps, then all second steps, and so on.

    Args:
        data: the rows, of shape (rows, *).
        batch_sizes: the number of sequences that have each step, int64 on the CPU. None only if
            `data` is a PackedSequence.
        sorted_indices: the order in which the sequences were put to be longest first. None (the
            default) if they were.
        unsorted_indices: the permutation that undoes it. None (the default) computes it.

    Attributes:
        data: (rows, *).
        batch_sizes: int64 on the CPU, how many sequences have a first step, a second step, ...
        sorted_indices: the order in which the sequences were put to be longest first; None if they were.
        unsorted_indices: the permutation that undoes it.

    Made by pack_sequence and pack_padded_sequence, taken and given by nn.RNN, nn.LSTM and nn.GRU.

    >>> from functorch_lite.nn.utils.rnn import pack_sequence
    >>> packed = pack_sequence([torch.tensor([1., 2., 3.]), torch.tensor([4., 5.])])
    >>> packed.data.tolist(), packed.batch_sizes.tolist()
    ([1.0, 4.0, 2.0, 5.0, 3.0], [2, 2, 1])
    """

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            pair = isinstance(data, list | tuple) and len(data) == 2
            check(pair, AssertionError, "Expected data to be a list or tuple of length 2")
            data, batch_sizes = data  # type: ignore[misc]
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They should be "
                "instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn."
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with the data cast or moved as Tensor.to does; itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        moved = [
            None if t is None else t.to(data.device) for t in (self.sorted_indices, self.unsorted_indices)
        ]
        return type(self)(data, self.batch_sizes, *moved)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same on a CUDA device."""
        return self.to(self.data.cuda(*args, **kwargs).device)

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same on the CPU."""
        return self.to("cpu")

    def double(self) -> PackedSequence:
        return self.to(dtype=torch.double)

    def float(self) -> PackedSequence:
        return self.to(dtype=torch.float)

    def half(self) -> PackedSequence:
        return self.to(dtype=torch.half)

    def long(self) -> PackedSequence:
        return self.to(dtype=torch.long)

    def int(self) -> PackedSequence:
        return self.to(dtype=torch.int)

    def short(self) -> PackedSequence:
        return self.to(dtype=torch.short)

    def char(self) -> PackedSequence:
        return self.to(dtype=torch.int8)

    def byte(self) -> PackedSequence:
        return self.to(dtype=torch.uint8)

    def pin_memory(self) -> PackedSequence:
        """The same with the data pinned."""
        moved = [None if t is None else t.pin_memory() for t in (self.sorted_indices, self.unsorted_indices)]
        return type(self)(self.data.pin_memory(), self.batch_sizes, *moved)

    @property
    def is_cuda(self) -> bool:
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Returns whether the data are pinned."""
        return self.data.is_pinned()


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes this one (a 1-d tensor of ints); None for None.

    Args:
        permutation: a 1-D tensor of ints, or None.

    >>> invert_permutation(torch.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    return None if permutation is None else torch.argsort(permutation).to(permutation.dtype)


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | list[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Packs `input` (T, N, *), or (N, T, *) with `batch_first`; lengths: N ints, read now.

    Args:
        input: the padded sequences, of shape (T, N, *) or, with `batch_first`, (N, T, *).
        lengths: the lengths of the sequences: a list or a 1-D tensor of ints.
        batch_first: whether the batch is the first dim. By default it is the second.
        enforce_sorted: whether sequences must come longest first. False sorts them. Default:
            True.

    >>> pack_padded_sequence(torch.tensor([[1, 3], [2, 0]]), [2, 1]).data
    tensor([1, 3, 2])
    """
    counts = np.asarray(lengths.numpy(force=True) if isinstance(lengths, Tensor) else lengths, np.int64)
    check(0 not in input.shape, RuntimeError, "Cannot pack empty tensors.")
    if input.dim() < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    index = None
    if not enforce_sorted:
        order = np.argsort(-counts, kind="stable")
        counts = counts[order]
        index = from_array(order).to(input.device)
        input = input.index_select(0 if batch_first else 1, index)
    steps, batch = (input.size(1), input.size(0)) if batch_first else (input.size(0), input.size(1))
    check(
        counts.ndim == 1 and len(counts) == batch,
        RuntimeError,
        f"Expected `len(lengths)` to be equal to batch_size, but got {counts.size} (batch_size={batch})",
    )
    check(bool((counts[:-1] >= counts[1:]).all()), RuntimeError, _UNSORTED)
    check(
        bool((counts > 0).all()),
        RuntimeError,
        "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0",
    )
    check(
        int(counts[0]) <= steps,
        RuntimeError,
        f"pack_padded_sequence: a length is {counts[0]}, but the padded sequences have {steps} steps",
    )
    inside = np.arange(counts[0])[:, None] < counts[None, :]
    t, n = np.nonzero(inside)
    rows = from_array(n * steps + t if batch_first else t * batch + n).to(input.device)
    data = input.flatten(0, 1).index_select(0, rows)
    sizes = from_array(inside.sum(1))
    return PackedSequence(data, sizes, index, None)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """The inverse of pack_padded_sequence: (T, N, *), or (N, T, *) with `batch_first`, and the lengths, in the first
    order.

    Args:
        sequence: the PackedSequence.
        batch_first: whether the batch is the first dim. By default it is the second.
        padding_value: the number at padded positions. Default: 0.0.
        total_length: the number of steps of the result. None (the default) is the length of the
            longest sequence.

    >>> from functorch_lite.nn.utils.rnn import pack_sequence
    >>> packed = pack_sequence([torch.tensor([1., 2., 3.]), torch.tensor([4., 5.])])
    >>> padded, lengths = pad_packed_sequence(packed, batch_first=True)
    >>> padded.tolist(), lengths.tolist()
    ([[1.0, 2.0, 3.0], [4.0, 5.0, 0.0]], [3, 2])
    """
    sizes = np.asarray(sequence.batch_sizes.numpy(force=True), np.int64)
    steps = len(sizes)
    if total_length is not None:
        check(
            total_length >= steps,
            ValueError,
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {steps}",
        )
        steps = total_length
    data = sequence.data
    starts = np.cumsum(sizes) - sizes
    rows = np.full((steps, sizes[0]), len(data), np.int64)  # one row after the data holds the padding
    for t, (start, size) in enumerate(zip(starts, sizes)):
        rows[t, :size] = start + np.arange(size)
    lengths = (rows < len(data)).sum(0)
    if sequence.unsorted_indices is not None:
        order = sequence.unsorted_indices.numpy(force=True)
        rows, lengths = rows[:, order], lengths[order]
    if batch_first:
        rows = rows.T
    padding = torch.full((1, *data.shape[1:]), padding_value, dtype=data.dtype, device=data.device)
    index = from_array(np.ascontiguousarray(rows)).to(data.device)
    return torch.cat([data, padding])[index], from_array(lengths)


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences (T_i, *) as one tensor (T, N, *), or (N, T, *) with `batch_first`, T the longest; padded at the right
    or the left.

    Args:
        sequences: the sequences: a list of tensors of shape (T_i, *).
        batch_first: whether the batch is the first dim. By default it is the second.
        padding_value: the number at padded positions. Default: 0.0.
        padding_side: "right" or "left". Default: "right".

    >>> pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    check_type(isinstance(batch_first, bool), batch_first, "bool", "pad_sequence", "batch_first", 2)
    sequences = tuple(sequences)
    check(len(sequences) > 0, RuntimeError, "received an empty list of sequences")
    check(
        padding_side in ("left", "right"),
        RuntimeError,
        f"Expected padding_side to be one of left or right, but got {padding_side}.",
    )
    first = sequences[0]
    longest = max(s.size(0) for s in sequences)
    padded = []
    for s in sequences:
        if s.shape[1:] != first.shape[1:]:
            d = next((i for i, (a, b) in enumerate(zip(first.shape[1:], s.shape[1:])) if a != b), 0) + 1
            raise RuntimeError(
                f"The size of tensor a ({first.shape[d] if d < first.dim() else 1}) must match the size of tensor b "
                f"({s.shape[d] if d < s.dim() else 1}) at non-singleton dimension {d}"
            )
        missing = longest - s.size(0)
        if missing:
            padding = torch.full(
                (missing, *first.shape[1:]), padding_value, dtype=first.dtype, device=first.device
            )
            s = torch.cat(
                [s.to(first.dtype), padding] if padding_side == "right" else [padding, s.to(first.dtype)]
            )
        padded.append(s.to(first.dtype))
    return torch.stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences of a padded tensor (T, N, *), or (N, T, *) with `batch_first`, without their padding; lengths are
    read.

    Args:
        padded_sequences: the padded sequences, of shape (T, N, *) or, with `batch_first`, (N, T,
            *).
        lengths: the lengths of the sequences: a list or a 1-D tensor of ints.
        batch_first: whether the batch is the first dim. By default it is the second.

    >>> padded = torch.tensor([[1., 2., 3.], [4., 5., 0.]])
    >>> [t.tolist() for t in unpad_sequence(padded, torch.tensor([3, 2]), batch_first=True)]
    [[1.0, 2.0, 3.0], [4.0, 5.0]]
    """
    by_sequence = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    counts = [int(n) for n in (lengths.tolist() if isinstance(lengths, Tensor) else lengths)]
    if len(counts) != by_sequence.size(0):
        raise ValueError(f"unpad_sequence: got {by_sequence.size(0)} sequences and {len(counts)} lengths")
    return [by_sequence[i, :n].clone() for i, n in enumerate(counts)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs a list of sequences (T_i, *); they must come longest first unless enforce_sorted=False.

    Args:
        sequences: the sequences: a list of tensors of shape (T_i, *).
        enforce_sorted: whether sequences must come longest first. False sorts them. Default:
            True.

    >>> pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]).data
    tensor([1, 3, 2])
    """
    lengths = [s.size(0) for s in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The list of sequences that was packed.

    Args:
        packed_sequences: the PackedSequence.

    >>> from functorch_lite.nn.utils.rnn import pack_sequence
    >>> packed = pack_sequence([torch.tensor([1., 2., 3.]), torch.tensor([4., 5.])])
    >>> [t.tolist() for t in unpack_sequence(packed)]
    [[1.0, 2.0, 3.0], [4.0, 5.0]]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
