"""Functions of tensors around the ops of this folder, which draw random numbers, take lengths as tuples, or warn.

`*_with_indices` are the poolings with return_indices=True under the names torch gives them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from functorch_lite._core.api import (
    INTS,
    INTS_OR_INT,
    OPS,
    SymInt,
    Tensor,
    at_hand,
    check,
    check_int,
    check_type,
    checked,
    composite,
    from_array,
    make_function,
    make_inplace,
    plain,
    require,
    state,
    values_of,
    write_inplace,
)
from functorch_lite._core.api import apply_under_autocast as apply
from functorch_lite._core.api import functions as torch
from functorch_lite._core.api import namespace as functions_of
from functorch_lite.ops._pointwise import check_fit
from functorch_lite.random import key_tensor
from functorch_lite.random.draws import outside
from functorch_lite.random.generator import exact_source

from ._arguments import flag_argument, float_argument, int_argument, tensor_argument
from ._asked import plain_mean, warn
from .ctc import least_length, most_length, room_for

__all__: list[str] = []

F: Any = functions_of("nn.functional")


# -- connectionist temporal classification ----------------------------------------------------------------------------


def _check_lengths(name: str, lengths: tuple[int, ...], most: int | None) -> None:
    for value in lengths:
        require(value >= 0, least_length(name), value)
        if most is not None:
            require(value <= most, most_length(most), value)


def _known_lengths(lengths: Any) -> tuple[int, ...] | None:
    """Lengths as ints; None of a tensor whose values are not at hand, or are none."""
    if not isinstance(lengths, Tensor):
        return tuple(lengths)
    values = at_hand(lengths)
    return tuple(values.reshape(-1).tolist()) if values is not None and values.dtype.kind in "iu" else None


def _longest_target(targets: Tensor, lengths: Any) -> int:
    """A bound of the targets' lengths; where it depends on values, they are read, as torch reads them."""
    if targets.ndim == 2:
        return targets.shape[1]
    if not isinstance(lengths, Tensor):
        return max(lengths, default=0)
    if state.rec.level:
        return targets.shape[0]  # a value can not be read in every transform: the total is a bound too
    values = values_of(lengths)
    return int(values.max()) if values.size else 0


@composite(namespace="nn.functional")
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Connectionist temporal classification loss: -log p(targets | log_probs) over all alignments (Graves et al. 2006).

    log_probs: (T, N, C) or (T, C). targets: (N, S), or the concatenated targets. Lengths: tensors or tuples of ints.

    >>> F.ctc_loss(torch.zeros(2, 1, 2), torch.tensor([[1]]), (2,), (1,), reduction="sum")
    tensor(-1.0986)
    """
    tensor_argument(log_probs, "ctc_loss", "log_probs", 1)
    tensor_argument(targets, "ctc_loss", "targets", 2)
    blank = int_argument(blank, "ctc_loss", "blank", 5)
    flag_argument(zero_infinity, "ctc_loss", "zero_infinity", 7)
    if not isinstance(input_lengths, Tensor) or not isinstance(target_lengths, Tensor):
        input_lengths = checked(input_lengths, INTS, "ctc_loss", "input_lengths", 3)
        target_lengths = checked(target_lengths, INTS, "ctc_loss", "target_lengths", 4)
    check(log_probs.numel() > 0, RuntimeError, "log_probs tensor must not be empty")
    for name, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        integral = not isinstance(lengths, Tensor) or not (
            lengths.dtype.is_floating_point or lengths.dtype.is_complex
        )
        check(integral, RuntimeError, f"{name} must be integral")
    outside = "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
    check(log_probs.ndim > 0, IndexError, outside)
    steps = log_probs.shape[0] if log_probs.ndim > 1 else None
    inputs, counts = _known_lengths(input_lengths), _known_lengths(target_lengths)
    for name, lengths, most in (("input_lengths", inputs, steps), ("target_lengths", counts, None)):
        if lengths is not None:
            _check_lengths(name, lengths, most)
    if counts is not None:
        total, longest = sum(counts), max(counts, default=0)
        argument = "for argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)"
        if targets.ndim == 1:
            require(targets.shape[0] == total, room_for(1, targets.shape[0]), total)
        elif targets.ndim == 2:
            batch = log_probs.shape[1] if log_probs.ndim > 2 else 1
            check(
                targets.shape[0] == batch,
                RuntimeError,
                f"Expected tensor to have size {batch} at dimension 0, but got size {targets.shape[0]} {argument}",
            )
            require(targets.shape[1] >= longest, room_for(2, targets.shape[1]), longest)
    longest = _longest_target(targets, target_lengths)
    lengths = [  # these alone may be on the CPU where the others are not
        (x if isinstance(x, Tensor) else from_array(np.array(tuple(x), np.int64))).to(log_probs.device)
        for x in (input_lengths, target_lengths)
    ]
    if reduction == "elementwise_mean":
        reduction = plain_mean(reduction)
    static = (blank, longest, reduction, bool(zero_infinity))
    targets = targets.detach()  # numbers of classes, whatever their dtype
    return apply(OPS["nn.functional._ctc_loss"], static, (log_probs, targets, *lengths))


# -- random --------------------------------------------------------------------------------------------------------


@composite(namespace="nn.functional")
def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A sample of the Gumbel-softmax distribution (Jang et al., Maddison et al. 2016); one-hot where `hard`, with the
    soft sample's gradient.

    logits: (…, C, …), of a floating point dtype; the result has its shape.

    >>> F.gumbel_softmax(torch.zeros(3, 5), hard=True).sum(-1).tolist()
    [1.0, 1.0, 1.0]
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    tensor_argument(logits, "gumbel_softmax", "logits", 1)
    dim = int_argument(dim, "softmax", "dim", 1)
    if not logits.dtype.is_floating_point:
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {logits.dtype.scalar_name}"
        )
    noise = -torch.empty_like(logits.detach()).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    chosen = torch.zeros_like(logits.detach()).scatter_(dim, index, 1.0)
    return chosen - soft.detach() + soft


@composite(namespace="nn.functional")
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """leaky_relu whose slopes are drawn uniformly from [lower, upper] in training, and are their mean otherwise.

    >>> F.rrelu(torch.tensor([-4., 2.]), 0.25, 0.75).tolist()
    [-2.0, 2.0]
    """
    return rrelu_by(None, input, lower, upper, training, inplace)


def rrelu_by(
    generator: Any, input: Tensor, lower: float, upper: float, training: bool, inplace: bool
) -> Tensor:
    """rrelu whose slopes are drawn by a generator, or where it is None by the default one."""
    tensor_argument(input, "rrelu", "input", 1)
    flag_argument(training, "rrelu", "training", 4)
    lower, upper = map(plain, (lower, upper))
    for name, bound in (("lower", lower), ("upper", upper)):
        single = isinstance(bound, Tensor) and bound.numel() == 1 and not bound.requires_grad
        check_type(isinstance(bound, int | float | complex) or single, bound, "Number", "rrelu", name)
        unfit = "value cannot be converted to type double without overflow"
        check(not isinstance(bound, complex), RuntimeError, unfit)
        finite = inplace or math.isfinite(bound)  # in place any will do, as in PyTorch
        check(finite, RuntimeError, f"rrelu: {name} bound must be finite, got {bound:g}")
        fits = not isinstance(bound, int) or -(2**63) <= bound < 2**64
        check(fits, OverflowError, "int too big to convert")
    check(lower <= upper, RuntimeError, "Lower bound should be less than or equal to the upper bound")
    lower, upper = float(lower), float(upper)
    source = exact_source(generator) if training else None
    if source is not None:
        out = apply(OPS["nn.functional._rrelu_by"], (), (input, _slopes(source, input, lower, upper)))
    elif training:
        out = apply(OPS["nn.functional._rrelu_train"], (), (input, key_tensor(generator), lower, upper))
    else:
        out = apply(OPS["nn.functional.rrelu"], (False, False), (input, lower, upper))
    return write_inplace(input, out) if inplace else out


def _slopes(source: Any, input: Tensor, lower: float, upper: float) -> Tensor:
    """PyTorch's own slopes: one is drawn for each element that is not positive, in order."""
    values = values_of(input)
    slopes, drawn = np.ones(values.shape), values <= 0
    slopes[drawn] = source.doubles(int(drawn.sum())) * (upper - lower) + lower
    return outside(slopes if input.dtype.itemsize == 8 else slopes.astype(np.float32)).to(input.device)


@composite(namespace="nn.functional")
def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """rrelu in place.

    >>> x = torch.tensor([-4., 2.])
    >>> _ = F.rrelu_(x, 0.25, 0.75); x.tolist()
    [-2.0, 2.0]
    """
    return rrelu(input, lower, upper, training, True)


def _sizes(n: int, given: Any, function: str, name: str, position: int) -> tuple[int, ...]:
    """An int, for each of n dims, or a tuple of ints; a tensor of one element is an int."""
    if isinstance(given, Tensor) and given.numel() == 1:
        given = given.reshape(())
    size = checked(given, INTS_OR_INT, function, name, position)
    return (size,) * n if isinstance(size, int) else size


def _fractional(n: int) -> None:
    name = f"fractional_max_pool{n}d"

    def pool(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Any:
        check(
            output_size is not None or output_ratio is not None,
            ValueError,
            f"{name} requires specifying either an output_size or an output_ratio",
        )
        ratio: Any = (output_ratio,) * n if n == 3 and isinstance(output_ratio, int | float) else output_ratio
        if output_size is None and n == 2 and len(ratio) > n:  # looked at before anything else
            raise ValueError(f"{name} requires output_ratio to be a tuple of {n} numbers, but got {ratio}")
        if _random_samples is not None:
            tensor_argument(input, name, "input", 1)
        # how many of the last sizes are read before the pooling looks at the input
        read = n + 1 if _random_samples is None else n if output_size is None else 0
        least = max(input.ndim, 1)
        check(
            input.ndim >= read,
            IndexError,
            f"Dimension out of range (expected to be in range of [{-least}, {least - 1}], but got {-read})",
        )
        check(
            input.ndim in (n + 1, n + 2),
            RuntimeError,
            f"{name}(): Expected {n + 1}D or {n + 2}D tensor, but got: {list(input.shape)}",
        )
        if output_size is None:
            if len(ratio) < n:
                raise IndexError(
                    f"{name} requires output_ratio to be a tuple of {n} numbers, but got {ratio}"
                )
            output_size = tuple(int(size * r) for size, r in zip(input.shape[-n:], ratio))
        out = _sizes(n, output_size, name, "output_size", 3)
        kernel = _sizes(n, kernel_size, name, "kernel_size", 2)
        for what, value in (("kernel_size", kernel), ("output_size", out)):
            check(
                len(value) == n,
                RuntimeError,
                f"{name}: {what} must either be a single Int or tuple of Ints",
            )
        tensor_argument(_random_samples, name, "_random_samples", 4, none=True)
        if _random_samples is None:
            lead = tuple(input.shape[:2]) if input.ndim == n + 2 else (1, input.shape[0])
            _random_samples = torch.rand(*lead, n, dtype=input.dtype, device=input.device)
        op = OPS["nn.functional._fractional_max_pool"]
        return apply(op, (kernel, out, bool(return_indices)), (input, _random_samples))

    def with_indices(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        return pool(input, kernel_size, output_size, output_ratio, True, _random_samples)

    pool.__name__ = pool.__qualname__ = name
    with_indices.__name__ = with_indices.__qualname__ = f"{name}_with_indices"
    sizes = ", ".join("888"[:n])
    pool.__doc__ = f"""The maxima of randomly placed windows of the last {n} dims (Graham 2014, arXiv:1412.6071).

    There are so many that the result has output_size, or output_ratio times the input's sizes. Raises ValueError if neither is given.

    >>> tuple(F.{name}(torch.ones(1, 2, {sizes}), 2, output_ratio={(0.5,) * n}).shape)
    (1, 2, {sizes.replace("8", "4")})
    """
    with_indices.__doc__ = f"""{name} with return_indices=True.

    >>> values, places = F.{name}_with_indices(torch.ones(1, 2, {sizes}), 2, output_size=4)
    >>> values.shape == places.shape, places.dtype
    (True, torch.int64)
    """
    composite(pool, namespace="nn.functional")
    composite(with_indices, namespace="nn.functional")


_fractional(2)
_fractional(3)


def _sized(name: str, size: Any) -> Any:
    """The size that an adaptive pooling is to have, as torch takes it: an int, or a sequence of ints and Nones (a
    vector is one)."""
    if isinstance(size, int):
        return checked(size, INTS_OR_INT, name, "output_size", 2)
    if not isinstance(size, tuple | list):
        check(isinstance(size, Tensor), TypeError, f"object of type '{type(size).__name__}' has no len()")
        check(size.ndim, TypeError, "len() of a 0-d tensor")
        size = tuple(size)
    whole = checked([0 if s is None else s for s in size], INTS, name, "output_size", 2)
    return tuple([None if s is None else w for s, w in zip(size, whole)])


def _adaptive(name: str) -> None:
    plain = make_function(OPS[f"nn.functional.{name}"], name)

    def average(input: Tensor, output_size: Any) -> Tensor:
        return plain(input, _sized(name, output_size))

    def largest(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        return plain(input, _sized(name, output_size), return_indices)

    pool = largest if "max" in name else average
    pool.__name__, pool.__qualname__, pool.__doc__ = name, name, plain.__doc__
    composite(pool, namespace="nn.functional")


for _name in ("adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool2d", "adaptive_max_pool3d"):
    _adaptive(_name)


# -- in place ---------------------------------------------------------------------------------------------------------

_hardtanh_within = make_inplace(OPS["nn.functional.hardtanh"], "hardtanh_")


@composite(namespace="nn.functional")
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """hardtanh in place. Unlike hardtanh's, bounds in the wrong order are allowed: everything becomes max_val then.

    >>> x = torch.tensor([-3., 0.5, 3.])
    >>> _ = F.hardtanh_(x); x.tolist()
    [-1.0, 0.5, 1.0]
    """
    if min_val > max_val:
        if input.dtype.category in (1, 2):
            least = float_argument(min_val, "hardtanh_", "min_val", 2)
            check_fit(least.item() if isinstance(least, Tensor) else least, input.dtype)
        if isinstance(min_val, int):
            check_int(min_val)
        min_val = max_val
    return _hardtanh_within(input, min_val, max_val)


# -- other names -----------------------------------------------------------------------------------------------------


def _max_pool_with_indices(n: int) -> None:
    def pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> tuple[Tensor, Tensor]:
        return getattr(F, f"max_pool{n}d")(input, kernel_size, stride, padding, dilation, ceil_mode, True)

    def adaptive(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
        return getattr(F, f"adaptive_max_pool{n}d")(input, output_size, True)

    for fn, name in ((pool, f"max_pool{n}d"), (adaptive, f"adaptive_max_pool{n}d")):
        fn.__name__ = fn.__qualname__ = f"{name}_with_indices"
        fn.__doc__ = f"""{name} with return_indices=True.

    >>> x = torch.arange(4.).view({"1, " * (n + 1)}4)
    >>> values, places = F.{name}_with_indices(x, {(1,) * (n - 1) + (2,)})
    >>> values.flatten().tolist(), places.flatten().tolist()
    ([1.0, 3.0], [1, 3])
    """
        composite(fn, namespace="nn.functional")


for _n in (1, 2, 3):
    _max_pool_with_indices(_n)


@composite(namespace="nn.functional")
def native_channel_shuffle(input: Tensor, groups: SymInt) -> Tensor:
    """channel_shuffle, under the name of PyTorch's kernel.

    >>> F.native_channel_shuffle(torch.arange(4.).view(1, 4, 1), 2).flatten().tolist()
    [0.0, 2.0, 1.0, 3.0]
    """
    return F.channel_shuffle(input, groups)


@composite(namespace="nn.functional")
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """cross_entropy(linear(input, linear_weight, linear_bias), target). input: (N, F) or (F), linear_weight: (C, *, F).

    `options` ask PyTorch to go through the batch in pieces, to save memory; here the whole is computed, with a warning.

    >>> F.linear_cross_entropy(torch.ones(4, 8), torch.zeros(2, 8), torch.tensor([0, 1, 1, 0]))
    tensor(0.6931)
    """
    check(input.ndim in (1, 2), RuntimeError, f"expected input with dimensionality 1 or 2, got {input.ndim}")
    check(
        linear_weight.ndim >= 2,
        RuntimeError,
        f"expected linear_weight with dimensionality at least 2, got {linear_weight.ndim}",
    )
    features, outs = input.shape[-1], tuple(linear_weight.shape[:-1])
    check(
        linear_weight.shape[-1] == features,
        RuntimeError,
        "expected equal input and linear_weight last dimensions (in_features), got "
        f"{features} and {linear_weight.shape[-1]}, respectively",
    )
    check(
        linear_bias is None or tuple(linear_bias.shape) == outs,
        RuntimeError,
        f"expected linear_bias shape {outs}, got {None if linear_bias is None else tuple(linear_bias.shape)}",
    )
    check(
        len(outs) == 1 or input.ndim == 2,
        RuntimeError,
        f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched input, (N, "
        f"{features}), got unbatched input with shape {tuple(input.shape)}",
    )
    if tuple(target.shape) == (*input.shape[:-1], *outs):  # which is how torch tells probabilities
        check(
            ignore_index is None,
            RuntimeError,
            "ignore_index cannot be specified when target contains probabilities",
        )
    elif options is not None and len(outs) == 1:  # elsewhere PyTorch does not look at it
        junk = f"'{type(options).__name__}' object has no attribute '_adjust'"
        check(hasattr(options, "chunking_method"), AttributeError, junk)
        warn(
            "linear_cross_entropy: the batch is not cut into chunks here, whatever `options` say; the result is the same."
        )
    if len(outs) == 1:
        logits = F.linear(input, linear_weight, linear_bias)
    else:
        bias = None if linear_bias is None else linear_bias.reshape(-1)
        logits = F.linear(input, linear_weight.reshape(-1, features), bias).reshape(-1, *outs)
    return F.cross_entropy(
        logits,
        target,
        weight=weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


def _unsupported(name: str, instead: str) -> None:
    def fn(*args: Any, **kwargs: Any) -> Tensor:
        raise NotImplementedError(f"nn.functional.{name} is not supported; {instead}")

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = f"""Not supported: {instead}.

    >>> F.{name}()
    Traceback (most recent call last):
    NotImplementedError: nn.functional.{name} is not supported; {instead}
    """
    composite(fn, namespace="nn.functional")


_unsupported("scaled_mm", "multiply the scales in, and use torch.mm on bfloat16 or float32 matrices")
_unsupported(
    "scaled_grouped_mm",
    "multiply the scales in, and use torch.bmm, or jax.lax.ragged_dot, on bfloat16 matrices",
)
