"""Statistics of the gradients of single samples: norms, clipped sums, products, moments, diagonals; most without a
gradient of any sample.

All take (model, loss, params, x, y); gradients are of one sample's loss, without 1 / N. Layers have formulas
(`_layers.py`); what has none is differentiated sample by sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core.api import Tensor, tidied
from .._core.api import functions as torch
from ..api_names import listed
from ..random.generator import repeating
from ._estimates import Estimate, check_samples, mean_of, probes
from ._formulas import bias_gradient, by_parameter, norm_squared, weight_gradient
from ._layers import Tapped, positions, tapped
from ._models import (
    Parameters,
    batch_size,
    check_reduction,
    check_scalar,
    model_function,
    refuse_batch_norm,
    replayed,
)
from ._roots import root_of_loss
from ._trees import flatten, tensor_leaves, unflatten
from .chunk_size import check_chunk_size
from .derivatives import grad
from .loops import scan
from .vmap import vmap

__all__ = [
    "clipped_gradient_sum", "ggn_diagonal", "gradient_gram", "gradient_norms", "gradient_second_moment", "gradient_variance",
    "gradients", "hessian_diagonal",
]  # fmt: skip
__dir__ = listed(__name__)


class _Samples:
    """The arguments, checked; and the tapped gradient of one sample."""

    def __init__(self, who: str, model: Any, loss: Any, params: Any, x: Any, y: Any):
        refuse_batch_norm(who, model)
        self.who, self.model, self.loss = who, model, loss
        self.call = model_function(model)
        self.parameters = Parameters(who, params)
        self.leaves = self.parameters.leaves
        self.x, self.y = x, y
        self.n = batch_size(who, x, y)
        self.data, self.structure = flatten((x, y))

    def one(self, leaves: Sequence[Tensor], data: Sequence[Any]) -> Tapped:
        """Taps the loss of one sample: data are without the dimension of samples."""

        def func(leaves: list[Tensor], others: list[Tensor]) -> tuple[Tensor, Any]:
            x, y = unflatten(self.structure, [t[None] if isinstance(t, Tensor) else t for t in others])
            value = check_scalar(self.loss(self.call(self.parameters.of(leaves), x), y))
            return value, ()

        return tapped(func, leaves, data)

    def mapped(self, of_one: Callable[[Tapped], Any], *more: Tensor) -> Any:
        """of_one(tapped, …) of each sample, in a first dimension."""
        leaves = self.leaves

        def run(data: list, more: tuple) -> Any:
            return of_one(self.one(leaves, data), *more)

        return vmap(run, randomness="different")(self.data, more)


def _replayed(body: Callable, model: Any, loss: Any, params: Any, x: Any, y: Any, *options: Any) -> Any:
    """body(samples, *options), replayed where it was called so before."""

    def run(params: Any, x: Any, y: Any, options: tuple) -> Any:
        return body(_Samples(body.__name__.lstrip("_"), model, loss, params, x, y), *options)

    return replayed(run, model, loss, "per_sample")(params, x, y, options)


def _gradients_of(t: Tapped, n: int) -> list[Tensor]:
    """The gradient of one sample in each parameter."""
    weights, biases = by_parameter(t.uses)
    out = dict(t.gradients)
    for p, uses in weights.items():
        out[p] = weight_gradient(uses)
    for p, uses in biases.items():
        out[p] = bias_gradient(uses)
    return [out[i] for i in range(n)]


def _squares_of(t: Tapped, n: int) -> list[Tensor]:
    """The squared norm of the gradient of one sample in each parameter."""
    weights, biases = by_parameter(t.uses)
    out = {i: g.square().sum() for i, g in t.gradients.items()}  # type: ignore[attr-defined]
    for p, uses in weights.items():
        out[p] = norm_squared(uses)
    for p, uses in biases.items():
        out[p] = bias_gradient(uses).square().sum()  # type: ignore[attr-defined]
    return [out[i] for i in range(n)]


def _wide(t: Tensor) -> Tensor:
    """bfloat16 and float16 as float32: sums of squares are added there."""
    return t.float() if t.dtype in (torch.bfloat16, torch.float16) else t  # type: ignore[attr-defined]


@tidied
def gradient_norms(
    model: Any, loss: Callable, params: Any, x: Any, y: Any, *, per_parameter: bool = False
) -> Any:
    """The norm of the gradient of each sample's loss: (N,); with per_parameter a tree like params of (N,).

    For linear layers, convolutions and embeddings no gradient is formed where products of their inputs and of the
    gradients of their results are cheaper. Raises RuntimeError for a BatchNorm in training mode, ValueError for sizes
    that differ.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        x: the inputs of the samples, with the samples in the first dim.
        y: the targets of the samples, with the samples in the first dim.
        per_parameter: whether the norms are given for each parameter, as a tree. Default: False.

    >>> w, x, y = {"weight": torch.ones(1, 2)}, torch.tensor([[3., 4.], [0., 0.]]), torch.zeros(2, 1)
    >>> per_sample.gradient_norms(nn.Linear(2, 1, bias=False), nn.MSELoss(), w, x, y)
    tensor([70.,  0.])

    Source: Goodfellow, arXiv 1510.01799; Li et al., arXiv 2110.05679.
    """
    return _replayed(_gradient_norms, model, loss, params, x, y, per_parameter)


def _gradient_norms(s: _Samples, per_parameter: bool) -> Any:
    n = len(s.leaves)
    squares = s.mapped(lambda t: [_wide(q) for q in _squares_of(t, n)])
    if per_parameter:
        return s.parameters.of([q.clamp(min=0).sqrt().to(p.dtype) for q, p in zip(squares, s.leaves)])
    return _norm(squares).to(s.leaves[0].dtype)


def _norm(squares: Sequence[Tensor]) -> Tensor:
    total = sum(squares[1:], squares[0])
    return total.clamp(min=0).sqrt()  # type: ignore[attr-defined]


def clip_factors(
    who: str, s: _Samples, squares: Sequence[Tensor], max_norm: Any, per_parameter: bool
) -> list[Tensor]:
    """Computes for each parameter the factors min(1, C / norm) of the samples."""
    count = len(squares)
    if per_parameter or isinstance(max_norm, dict):
        if isinstance(max_norm, dict):
            if set(max_norm) != set(s.parameters.names):
                differ = sorted(set(max_norm) ^ set(s.parameters.names))
                raise ValueError(f"{who}: max_norm and params have other keys; they differ in {differ}")
            bounds = [max_norm[name] for name in s.parameters.names]
        else:
            bounds = [max_norm / count**0.5] * count
        norms = [q.clamp(min=0).sqrt() for q in squares]  # type: ignore[attr-defined]
    else:
        bounds, norms = [max_norm] * count, [_norm(squares)] * count
    for bound in bounds:
        if not isinstance(bound, Tensor) and not bound > 0:
            raise ValueError(f"{who}: max_norm must be positive, got {bound}")
    return [
        torch.where(norm > C, C / torch.where(norm > C, norm, 1), 1.0).to(norm.dtype)
        for norm, C in zip(norms, bounds)
    ]


@tidied
def clipped_gradient_sum(
    model: Any,
    loss: Callable,
    params: Any,
    x: Any,
    y: Any,
    max_norm: Any,
    *,
    per_parameter: bool = False,
    weights: Tensor | None = None,
    chunk_size: int | None = None,
) -> Any:
    """The sum over samples of min(1, C / norm) times the gradient of each: a tree like params.

    A gradient of zero stays zero.

    No array of (N, parameters) is made of the layers that have formulas.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        x: the inputs of the samples, with the samples in the first dim.
        y: the targets of the samples, with the samples in the first dim.
        max_norm: the largest norm C.
        per_parameter: whether each parameter's part is clipped by itself, at C / sqrt(number of
            parameters), or at its own norm if `max_norm` is a dict. Default: False.
        weights: how often each sample counts, of shape (N,); 0 for padding. None (the default)
            counts each once.
        chunk_size: how many samples are computed at a time, which bounds the memory; a model that
            draws random numbers then draws different ones. None (the default) computes all at
            once.

    Raises RuntimeError for a BatchNorm in training mode, ValueError for a norm or a chunk_size that is not positive,
    and other keys.

    >>> w, x, y = {"weight": torch.ones(1, 2)}, torch.tensor([[3., 4.], [0., 0.]]), torch.zeros(2, 1)
    >>> per_sample.clipped_gradient_sum(nn.Linear(2, 1, bias=False), nn.MSELoss(), w, x, y, 5.)
    {'weight': tensor([[3., 4.]])}

    Source: Abadi et al., arXiv 1607.00133; Bu et al., arXiv 2210.00038 (book-keeping).
    """
    check_chunk_size("clipped_gradient_sum", chunk_size)
    if chunk_size == "auto":
        raise ValueError("clipped_gradient_sum: chunk_size must be None or a positive int, got 'auto'")
    return _replayed(
        _clipped_gradient_sum, model, loss, params, x, y, max_norm, per_parameter, weights, chunk_size
    )


def _clipped_gradient_sum(
    s: _Samples,
    max_norm: Any,
    per_parameter: bool,
    weights: Tensor | None,
    chunk_size: int | None,
) -> Any:
    if chunk_size is None or chunk_size >= s.n:
        return s.parameters.of(_clipped(s, max_norm, per_parameter, weights))
    at = tensor_leaves(s.data)
    given = [s.data[i] for i in at] if weights is None else [*[s.data[i] for i in at], weights]

    def of_part(parts: Sequence[Tensor]) -> list[Tensor]:
        data = list(s.data)
        for i, t in zip(at, parts):
            data[i] = t
        part = _Samples(s.who, s.model, s.loss, s.parameters.tree, *unflatten(s.structure, data))
        return _clipped(part, max_norm, per_parameter, None if weights is None else parts[-1])

    def add(total: list[Tensor], parts: list[Tensor]) -> tuple[list[Tensor], list]:
        return [a + b for a, b in zip(total, of_part(parts))], []

    count = s.n // chunk_size
    end = count * chunk_size
    total, _ = scan(
        add,
        [torch.zeros_like(p) for p in s.leaves],
        [t[:end].reshape(count, chunk_size, *t.shape[1:]) for t in given],  # type: ignore[attr-defined]
    )
    if end < s.n:
        total, _ = add(total, [t[end:] for t in given])
    return s.parameters.of(total)


def _clipped(s: _Samples, max_norm: Any, per_parameter: bool, weights: Tensor | None) -> list[Tensor]:
    n = len(s.leaves)
    with repeating() as draws:  # or what is clipped is not what was measured
        squares = s.mapped(lambda t: [_wide(q) for q in _squares_of(t, n)])
        draws.again()
        factors = clip_factors(s.who, s, squares, max_norm, per_parameter)
        if weights is not None:
            factors = [f * weights.to(f.dtype) for f in factors]
        if per_parameter or isinstance(max_norm, dict):
            return _summed(s, factors)

        # one factor for all of a sample: a second backward, of weighted losses
        def weighted(leaves: list[Tensor]) -> Tensor:
            losses = vmap(lambda data: _loss_of_one(s, leaves, data), randomness="different")(s.data)
            return (losses * factors[0].to(losses.dtype)).sum()

        return grad(weighted)(list(s.leaves))


def _loss_of_one(s: _Samples, leaves: Sequence[Tensor], data: Sequence[Any]) -> Tensor:
    x, y = unflatten(s.structure, [t[None] if isinstance(t, Tensor) else t for t in data])
    return check_scalar(s.loss(s.call(s.parameters.of(leaves), x), y))


def _summed(s: _Samples, factors: Sequence[Tensor]) -> list[Tensor]:
    """Computes for each parameter the sum of its samples' gradients times factors: of weights from what their uses
    hold, in one product over all samples."""
    n = len(s.leaves)
    weights: dict[int, list[tuple[str, int, tuple]]] = {}

    def of_one(t: Tapped, *f: Tensor) -> Any:
        found, biases = by_parameter(t.uses)
        held = []
        for p, uses in found.items():
            weights[p] = [(u.kind, len(held) + k, u.shape) for k, u in enumerate(uses)]
            for u in uses:
                a, g = positions(u)
                held.append((a, g * f[p].to(g.dtype)))
        rest = {p: g * f[p].to(g.dtype) for p, g in t.gradients.items()}
        rest.update({p: bias_gradient(uses) * f[p].to(s.leaves[p].dtype) for p, uses in biases.items()})
        return held, rest

    held, rest = s.mapped(of_one, *factors)
    out = {p: r.sum(0) for p, r in rest.items()}
    for p, uses in weights.items():
        parts = [_over_samples(kind, *held[k], shape) for kind, k, shape in uses]
        out[p] = sum(parts[1:], parts[0])
    return [out[i] for i in range(n)]


def _over_samples(kind: str, a: Tensor, g: Tensor, shape: tuple[int, ...]) -> Tensor:
    if kind == "embedding":
        zeros = torch.zeros(*shape, dtype=g.dtype, device=g.device)
        return zeros.index_add(0, a.reshape(-1), g.reshape(-1, shape[-1]))
    return torch.einsum("ngro,ngrd->god", g, a).reshape(shape)


@tidied
def gradients(
    model: Any, loss: Callable, params: Any, x: Any, y: Any, *, chunk_size: int | None = None
) -> Any:
    """The gradient of each sample's loss: a tree like params, with the samples as first dimension.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        x: the inputs of the samples, with the samples in the first dim.
        y: the targets of the samples, with the samples in the first dim.
        chunk_size: how many samples are computed at a time. None (the default) computes all at
            once.

    Raises RuntimeError for a BatchNorm in training mode, ValueError for sizes that differ.

    >>> w, x, y = {"weight": torch.ones(1, 2)}, torch.tensor([[3., 4.], [0., 0.]]), torch.zeros(2, 1)
    >>> per_sample.gradients(nn.Linear(2, 1, bias=False), nn.MSELoss(), w, x, y)["weight"].shape
    torch.Size([2, 1, 2])
    """
    check_chunk_size("gradients", chunk_size)
    return _replayed(_gradients, model, loss, params, x, y, chunk_size)


def _gradients(s: _Samples, chunk_size: int | None) -> Any:

    def one(data: list) -> list[Tensor]:
        return grad(lambda leaves: _loss_of_one(s, leaves, data))(list(s.leaves))

    return s.parameters.of(vmap(one, randomness="different", chunk_size=chunk_size)(s.data))


@tidied
def gradient_gram(
    model: Any, loss: Callable, params: Any, x: Any, y: Any, x2: Any = None, y2: Any = None
) -> Tensor:
    """The products of the samples' gradients with each other, (N, N); with x2 and y2 the products between two
    batches, (N, N2).

    Summed parameter by parameter. Errors as of `gradient_norms`; ValueError where only one of x2 and y2 is given.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        x: the inputs of the samples, with the samples in the first dim.
        y: the targets of the samples, with the samples in the first dim.
        x2: the inputs of a second batch. None (the default) takes the first one.
        y2: the targets of the second batch. None (the default) takes those of the first.

    >>> w, x, y = {"weight": torch.ones(1, 2)}, torch.tensor([[3., 4.], [1., 0.]]), torch.zeros(2, 1)
    >>> per_sample.gradient_gram(nn.Linear(2, 1, bias=False), nn.MSELoss(), w, x, y)
    tensor([[4900.,   84.],
            [  84.,    4.]])

    Source: Novak et al., arXiv 2206.08720.
    """
    who = "gradient_gram"
    if (x2 is None) is not (y2 is None):
        raise ValueError(f"{who}: x2 and y2 are to be given together")
    first = _Samples(who, model, loss, params, x, y)
    rows = _held(first)
    columns = rows if x2 is None else _held(_Samples(who, model, loss, params, x2, y2))
    total = None
    for p, row in rows.items():
        part = _gram_of(row, columns[p])
        total = part if total is None else total + part
    return total  # type: ignore[return-value]


def _held(s: _Samples) -> dict[int, Any]:
    """Collects for each parameter what its gradients are made of: (a, g) of a weight used once at one position, else
    the gradients as rows."""
    return s.mapped(_held_of)


def _held_of(t: Tapped) -> dict[int, Any]:
    found, biases = by_parameter(t.uses)
    out: dict[int, Any] = {p: g.reshape(-1) for p, g in t.gradients.items()}
    out.update({p: bias_gradient(uses).reshape(-1) for p, uses in biases.items()})
    for p, uses in found.items():
        if len(uses) == 1 and uses[0].kind == "linear" and uses[0].a.numel() == uses[0].a.shape[-1]:
            out[p] = (uses[0].a.reshape(-1), uses[0].g.reshape(-1))
        else:
            out[p] = weight_gradient(uses).reshape(-1)
    return out


def _gram_of(row: Any, column: Any) -> Tensor:
    if isinstance(row, tuple):
        (a, g), (b, h) = row, column
        return (a @ b.mT) * (g @ h.mT)
    return row @ column.mT


@tidied
def gradient_second_moment(model: Any, loss: Callable, params: Any, x: Any, y: Any) -> Any:
    """The mean over samples of the squares of their gradients: a tree like params.

    For a linear layer used at one position it is (a^2)^T (g^2).

    Errors as of `gradient_norms`.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        x: the inputs of the samples, with the samples in the first dim.
        y: the targets of the samples, with the samples in the first dim.

    >>> w, x, y = {"weight": torch.ones(1, 2)}, torch.tensor([[1., 2.], [0., 0.]]), torch.zeros(2, 1)
    >>> per_sample.gradient_second_moment(nn.Linear(2, 1, bias=False), nn.MSELoss(), w, x, y)["weight"].tolist()
    [[18.0, 72.0]]

    Source: Dangel, Kunstner & Hennig, arXiv 1912.10985 (BackPACK).
    """
    return _replayed(_gradient_second_moment, model, loss, params, x, y)


def _gradient_second_moment(s: _Samples) -> Any:
    return s.parameters.of([m / s.n for m in _summed_squares(s, _held(s))])


def _summed_squares(s: _Samples, held: dict[int, Any]) -> list[Tensor]:
    """Sums over the first dimension of the squares of gradients that are given as `_held` does."""
    out = []
    for i, shape in enumerate(s.parameters.shapes):
        row = held[i]
        squares = row[1].square().mT @ row[0].square() if isinstance(row, tuple) else row.square().sum(0)
        out.append(squares.reshape(shape))
    return out


@tidied
def gradient_variance(model: Any, loss: Callable, params: Any, x: Any, y: Any) -> Any:
    """The variance over samples of their gradients (with N below, not N - 1): a tree like params.

    Errors as of `gradient_norms`.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        x: the inputs of the samples, with the samples in the first dim.
        y: the targets of the samples, with the samples in the first dim.

    >>> w, x, y = {"weight": torch.ones(1, 2)}, torch.tensor([[1., 2.], [0., 0.]]), torch.zeros(2, 1)
    >>> per_sample.gradient_variance(nn.Linear(2, 1, bias=False), nn.MSELoss(), w, x, y)["weight"].tolist()
    [[9.0, 36.0]]
    """
    return _replayed(_gradient_variance, model, loss, params, x, y)


def _gradient_variance(s: _Samples) -> Any:
    held = _held(s)
    ones = [torch.ones(s.n, dtype=p.dtype, device=p.device) for p in s.leaves]
    means = [m / s.n for m in _summed(s, ones)]
    second = [m / s.n for m in _summed_squares(s, held)]
    return s.parameters.of([(q - m.square()).clamp(min=0) for q, m in zip(second, means)])


@tidied
def ggn_diagonal(
    model: Any,
    loss: Callable,
    params: Any,
    x: Any,
    y: Any,
    *,
    reduction: str = "mean",
    samples: int | None = None,
    generator: Any = None,
) -> Any:
    """The diagonal of w * sum of J_n^T H_n J_n, w = 1 / N or 1: a tree like params; with samples an `Estimate` from as
    many random signs for each sample.

    Exact: one backward for each column of a root of the loss' Hessian, with the formulas of the layers. Errors as of
    `gradient_norms`; ValueError for a loss of another reduction.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        x: the inputs of the samples, with the samples in the first dim.
        y: the targets of the samples, with the samples in the first dim.
        reduction: the reduction of `loss` over a batch: "mean" or "sum". Default: "mean".
        samples: the number of random signs for each sample; the result is then an `Estimate`.
            None (the default) computes exactly.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    >>> w, x, y = {"weight": torch.ones(1, 2)}, torch.tensor([[1., 2.], [0., 0.]]), torch.zeros(2, 1)
    >>> diagonal = per_sample.ggn_diagonal(nn.Linear(2, 1, bias=False), nn.MSELoss(), w, x, y)["weight"]
    >>> torch.allclose(diagonal, torch.tensor([[1., 4.]]))
    True

    Source: Dangel, Kunstner & Hennig, arXiv 1912.10985; Botev, Ritter & Barber, arXiv 1706.03662.
    """
    who = "ggn_diagonal"
    check_reduction(who, loss, reduction)
    if samples is None:
        return _replayed(_ggn_diagonal, model, loss, params, x, y, reduction)
    check_samples(who, samples)
    s = _Samples(who, model, loss, params, x, y)
    w = 1.0 / s.n if reduction == "mean" else 1.0
    draws = []
    for _ in range(samples):
        signs = probes("rademacher", (s.n, _outputs_of_one(s)), s.leaves[0], generator)
        draws.append([q * w for q in _squares_along(s, _held_along(s, signs))])
    estimates = [mean_of(torch.stack(d), samples) for d in zip(*draws)]
    return Estimate(
        s.parameters.of([e.value for e in estimates]), s.parameters.of([e[1] for e in estimates]), samples
    )


def _ggn_diagonal(s: _Samples, reduction: str) -> Any:
    w = 1.0 / s.n if reduction == "mean" else 1.0
    return s.parameters.of([q * w for q in _squares_along(s, _held_along(s, None))])


def _outputs_of_one(s: _Samples) -> int:
    out = s.call(s.parameters.tree, s.x)
    return out.numel() // s.n


def _held_along(s: _Samples, signs: Tensor | None) -> dict[int, Any]:
    """As `_held`, of the outputs along the columns of the root of the loss' Hessian, (N, columns, …), or along one
    random sum of them, (N, 1, …)."""

    def of_one(data: list, signs: Tensor | None) -> Any:
        x, y = unflatten(s.structure, [t[None] if isinstance(t, Tensor) else t for t in data])
        S = root_of_loss(s.loss, s.call(s.parameters.of(s.leaves), x), y)
        if signs is not None:
            S = torch.tensordot(signs, S, 1)[None]

        def along(column: Tensor) -> Any:
            def func(leaves: list[Tensor], others: list) -> tuple[Tensor, Any]:
                x, _ = unflatten(s.structure, [t[None] if isinstance(t, Tensor) else t for t in others[:-1]])
                return (s.call(s.parameters.of(leaves), x) * others[-1]).sum(), ()

            return _held_of(tapped(func, s.leaves, [*data, column]))

        return vmap(along)(S)

    if signs is None:
        return vmap(lambda data: of_one(data, None), randomness="different")(s.data)
    return vmap(of_one, randomness="different")(s.data, signs)


def _squares_along(s: _Samples, held: dict[int, Any]) -> list[Tensor]:
    flat = {
        p: tuple(t.flatten(0, 1) for t in row) if isinstance(row, tuple) else row.flatten(0, 1)
        for p, row in held.items()
    }
    return _summed_squares(s, flat)


@tidied
def hessian_diagonal(
    model: Any,
    loss: Callable,
    params: Any,
    x: Any,
    y: Any,
    *,
    reduction: str = "mean",
    samples: int | None = None,
    generator: Any = None,
) -> Any:
    """The diagonal of the Hessian of w * sum of losses, w = 1 / N or 1: a tree like params; with samples an `Estimate`
    of v * (H v), v of signs.

    Exact: as many products with the Hessian as there are parameters, some at a time. Errors as of `ggn_diagonal`.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        x: the inputs of the samples, with the samples in the first dim.
        y: the targets of the samples, with the samples in the first dim.
        reduction: the reduction of `loss` over a batch: "mean" or "sum". Default: "mean".
        samples: the number of random signs for each sample; the result is then an `Estimate`.
            None (the default) computes exactly.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    >>> w, x, y = {"weight": torch.ones(1, 2)}, torch.tensor([[1., 2.], [0., 0.]]), torch.zeros(2, 1)
    >>> per_sample.hessian_diagonal(nn.Linear(2, 1, bias=False), nn.MSELoss(), w, x, y)
    {'weight': tensor([[1., 4.]])}
    """
    from .curvature import Hessian, diagonal  # which stands above this module

    op = Hessian(model, loss, params, (x, y), reduction=reduction)
    p = op.parameters
    found = diagonal(op, samples=samples, generator=generator)
    if samples is None:
        return p.of(p.split(found))
    return Estimate(p.of(p.split(found.value)), p.of(p.split(found.standard_error)), samples)
