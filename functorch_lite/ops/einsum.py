"""einsum and tensordot: sums of products over named or paired dims."""

from __future__ import annotations

import string
from collections import Counter

import jax.numpy as jnp
import numpy as np

from .._core.api import (
    Array,
    Arrays,
    check,
    check_scalar_type,
    check_type,
    from_numpy,
    no_kernel,
    op,
    result_dtype,
    wrap_dim,
)
from .contracts.matmul import no_bool
from .matmul import contracted

_ELLIPSIS = "..."


def _tokens(text, offset, where):
    """The subscripts of one term, as letters and at most one ellipsis."""
    found, i = [], 0
    while i < len(text):
        c = text[i]
        if c == ".":
            check(
                _ELLIPSIS not in found,
                RuntimeError,
                f"einsum(): found '.' for {where} but an ellipsis (...) was already found"
                if where == "output"
                else f"einsum(): found '.' for {where} for which an ellipsis was already found",
            )
            check(
                text[i : i + 3] == _ELLIPSIS,
                RuntimeError,
                f"einsum(): found '.' for {where} that is not part of any ellipsis (...)",
            )
            found.append(_ELLIPSIS)
            i += 3
            continue
        if c != " ":
            check(
                c in string.ascii_letters,
                RuntimeError,
                f"einsum(): invalid subscript given at index {offset + i} in the equation string, "
                "subscripts must be in [a-zA-Z]",
            )
            found.append(c)
        i += 1
    return found


def parse_equation(equation, operands):
    """(labels of each operand's dims, labels of the result's dims); dims under an ellipsis get the labels -1,
    -2, ..."""
    left, arrow, right = equation.partition("->")
    terms, offset, labels, widest = left.split(","), 0, [], 0
    parsed = []
    for n, term in enumerate(terms):
        parsed.append(_tokens(term, offset, f"operand {n}"))
        offset += len(term) + 1
    check(
        len(terms) == len(operands) or len(operands) < 3,
        ValueError,  # of whoever looks for the cheapest order
        f"Number of einsum subscripts, {len(terms)}, must be equal to the number of operands, {len(operands)}.",
    )
    check(
        len(terms) <= len(operands),
        RuntimeError,
        "einsum(): fewer operands were provided than specified in the equation",
    )
    check(
        len(terms) >= len(operands),
        RuntimeError,
        "einsum(): more operands were provided than specified in the equation",
    )
    for n, (tokens, x) in enumerate(zip(parsed, operands)):
        letters = len([c for c in tokens if c != _ELLIPSIS])
        if _ELLIPSIS in tokens:
            check(
                letters <= x.ndim,
                RuntimeError,
                f"einsum(): the number of subscripts in the equation ({letters}) is more than the number of "
                f"dimensions ({x.ndim}) for operand {n}",
            )
            covered = x.ndim - letters
            at = tokens.index(_ELLIPSIS)
            tokens = tokens[:at] + list(range(-covered, 0)) + tokens[at + 1 :]
            widest = max(widest, covered)
        check(
            len(tokens) == x.ndim,
            RuntimeError,
            f"einsum(): the number of subscripts in the equation ({letters}) does not match the number of dimensions "
            f"({x.ndim}) for operand {n} and no ellipsis was given",
        )
        labels.append(tokens)
    spread = list(range(-widest, 0))
    if arrow:
        out = _tokens(right, offset + 1, "output")
        for c in out:
            if c == _ELLIPSIS:
                continue
            check(
                out.count(c) == 1,
                RuntimeError,
                f"einsum(): output subscript {c} appears more than once in the output",
            )
            check(
                any(c in term for term in labels),
                RuntimeError,
                f"einsum(): output subscript {c} does not appear in the equation for any input operand",
            )
        at = out.index(_ELLIPSIS) if _ELLIPSIS in out else None
        result = out if at is None else out[:at] + spread + out[at + 1 :]
    else:
        seen = [c for term in labels for c in term if isinstance(c, str)]
        result = spread + sorted(c for c in set(seen) if seen.count(c) == 1)
    return labels, result


def _label_sizes(labels, operands):
    sizes: dict = {}
    for n, (term, x) in enumerate(zip(labels, operands)):
        own: dict = {}
        for c, size in zip(term, x.shape):
            check(
                own.setdefault(c, size) == size,
                RuntimeError,
                f"einsum(): subscript {c} is repeated for operand {n} but the sizes don't match, {size} != {own[c]}",
            )
        for c, size in own.items():
            seen = sizes.get(c, 1)
            check(
                size in (seen, 1) or seen == 1,
                RuntimeError,
                f"einsum(): subscript {c} has size {size} for operand {n} which does not broadcast with previously "
                f"seen size {seen}",
            )
            sizes[c] = size if seen == 1 else seen
    return sizes


def _check_summed(operands) -> None:
    """Checks that operands are of one dtype, and not bool: torch multiplies matrices then."""
    for x in operands:
        check_scalar_type(operands[0], x)
    if operands[0].dtype == np.bool_:
        raise no_kernel("bmm", operands[0])


@op(out=False, method=False, autocast="lower", float8=True)
def einsum(equation: str, operands: Arrays):
    """The sum of products that `equation` describes; dims of size 1 broadcast and an ellipsis may be summed away.

    >>> einsum("bij,bjk->bik", [jnp.ones((5, 2, 3)), jnp.ones((5, 3, 4))]).shape
    (5, 2, 4)
    """
    check(
        len(operands) > 0,
        ValueError,
        "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
        "subscripts list",
    )
    labels, result = parse_equation(equation, operands)
    sizes = _label_sizes(labels, operands)
    check(len(sizes) <= 52, NotImplementedError, "einsum with more than 52 different dims is not supported")
    operands, labels = list(operands), [list(term) for term in labels]
    for n, (term, x) in enumerate(zip(labels, operands)):
        # a size-1 dim that broadcasts is dropped: the other operands carry its label
        thin = {c for c, s in zip(term, x.shape) if s == 1 and sizes[c] != 1}
        operands[n] = x = x.reshape([s for c, s in zip(term, x.shape) if c not in thin])
        labels[n] = term = [c for c in term if c not in thin]
        # torch sums what only one operand has before it multiplies, integers into int64
        alone = {
            c for c in term if c not in result and not any(c in o for m, o in enumerate(labels) if m != n)
        }
        if alone and from_numpy(x.dtype).category < 2:
            kept = [c for c in dict.fromkeys(term) if c not in alone]
            operands[n] = _einsum([term], [x.astype(np.int64)], kept)
            labels[n] = kept
    # torch multiplies matrices where two operands have a dim that is summed, and elements elsewhere
    shared = Counter(c for term in labels for c in term if c not in result and sizes[c] != 1)
    summed = any(n > 1 for n in shared.values())
    if summed:
        _check_summed(operands)
    if len({x.dtype for x in operands}) > 1:
        common = result_dtype(*[jnp.atleast_1d(x) for x in operands])  # torch gives each of them all dims
        operands = [x.astype(common.np) for x in operands]
    if operands[0].dtype == np.bool_:
        return _einsum(labels, [x.astype(np.uint8) for x in operands], result).astype(np.bool_)
    return _einsum(labels, operands, result)


ORDER: dict[str, str | bool] = {"by": "auto"}
"""How opt_einsum orders the products of several operands; False: from left to right."""


def _einsum(labels, operands, result):
    letter = {
        c: string.ascii_letters[i] for i, c in enumerate(dict.fromkeys(c for term in labels for c in term))
    }
    terms = ["".join(letter[c] for c in term) for term in labels]
    equation = ",".join(terms) + "->" + "".join(letter[c] for c in result)
    kind = operands[0].dtype
    if from_numpy(kind).is_narrow:
        return jnp.einsum(
            equation, *operands, preferred_element_type=np.float32, optimize=ORDER["by"]
        ).astype(kind)
    return jnp.einsum(equation, *operands, optimize=ORDER["by"]).astype(kind)


def _pairs_of_dims(dims):
    """The dims of a and of b that `tensordot` pairs."""
    return (range(-dims, 0), range(dims)) if isinstance(dims, int) else dims


def _check_tensordot(a, b, dims) -> None:
    check(not hasattr(dims, "dtype"), NotImplementedError, "tensordot with a Tensor of dims is not supported")
    if isinstance(dims, int):
        check(dims >= 0, RuntimeError, f"tensordot expects dims >= 0, but got dims={dims}")
        check(
            dims <= min(a.ndim, b.ndim),
            RuntimeError,
            f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}",
        )
    else:
        dims_self, dims_other = dims
        for position, (which, given) in enumerate((("dims_self", dims_self), ("dims_other", dims_other)), 3):
            check_type(isinstance(given, tuple), given, "tuple of ints", "tensordot", which, position)
    first, second = _pairs_of_dims(dims)
    check(len(first) == len(second), RuntimeError, "both dimension lists should have same length")
    check(a.dtype == b.dtype, RuntimeError, "both inputs should have same dtype")
    left, right = [wrap_dim(d, a.ndim) for d in first], [wrap_dim(d, b.ndim) for d in second]
    for wrapped in (left, right):
        for d in wrapped:
            check(wrapped.count(d) == 1, RuntimeError, f"dim {d} appears multiple times in the list of dims")
    for i, (d, e) in enumerate(zip(left, right)):
        n, m = a.shape[d], b.shape[e]
        check(
            n == m or n == 1 or m == 1,
            RuntimeError,
            f"contracted dimensions need to match, but first has size {n} in dim {first[i]} and second has size {m} "
            f"in dim {second[i]}",
        )
    no_bool("addmm_impl_cpu_", a)


@op(method=False, out="exact", grad="View", autocast=("lower", "widest"), float8=True)
def tensordot(a: Array, b: Array, dims: int | tuple[tuple[int, ...], ...] = 2):
    """The sum of products over pairs of dims: the last `dims` of a with the first of b, or the lists dims[0] and
    dims[1]."""
    _check_tensordot(a, b, dims)
    first, second = _pairs_of_dims(dims)
    left, right = [wrap_dim(d, a.ndim) for d in first], [wrap_dim(d, b.ndim) for d in second]
    for d, e in zip(left, right):
        n, m = a.shape[d], b.shape[e]
        if n != m and n == 1:
            b = jnp.sum(b, axis=e, keepdims=True, dtype=b.dtype)
        elif n != m:
            a = jnp.sum(a, axis=d, keepdims=True, dtype=a.dtype)
    return contracted(a, b, left, right)
