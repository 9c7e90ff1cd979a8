"""The matrices of curvature of a loss over data: Hessian, generalized Gauss-Newton, Fisher matrices, the Jacobian.

The objective is w * sum over n of loss(model(x_n), y_n), w = 1 / N or 1. Each product is a loop over the batches, whose
sum stays on the device; batches of the same shapes share one program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._core.api import Tensor
from ..._core.api import functions as torch
from .._models import (
    Data,
    Objective,
    Parameters,
    losses_of,
    mixes_samples,
    model_function,
    refuse_batch_norm,
    refuse_dropout,
    replayed,
    sums_dtype,
)
from .._trees import flatten, unflatten
from ..derivatives import grad, jvp, vjp
from ..per_sample import ggn_diagonal
from ..vmap import vmap
from .draws import Likelihood, seed_of
from .operators import Operator, mapped, pause

__all__ = ["GGN", "EmpiricalFisher", "FisherMC", "Hessian", "Jacobian"]


Part = Callable[[Any, Any, Any, Any], Any]
"""(params, v, x, y) -> the product of a batch's part of the matrix, without the weight, with v: trees like params."""


def _stepper(part: Callable[[Callable, Any], Part], model: Any, loss: Any) -> Callable:
    """A step of the loop over batches: total + the batch's part times v, all trees like params. It is replayed,
    without its Python, where neither model nor loss has changed."""
    of_batch = part(model_function(model), losses_of(loss))

    def step(total: Any, params: Any, v: Any, weight: float, x: Any, y: Any, many: bool) -> Any:
        def product(v: Any) -> list[Tensor]:
            return flatten(of_batch(params, v, x, y))[0]

        found = vmap(product)(v) if many else product(v)
        sums, structure = flatten(total)
        return unflatten(structure, [t + (f * weight).to(t.dtype) for t, f in zip(sums, found)])

    return replayed(step, model, loss, "operator")


class OfData(Operator):
    """An operator that is a sum over batches. A class says what one batch adds: `_part`, made of the model as a
    function and of the losses of samples."""

    _part: Callable[[Callable, Any], Part]

    def __init__(
        self, model: Any, loss: Any, params: Any, data: Any, *, reduction: str = "mean", check: bool = True,
        accumulate: Any = None
    ):  # fmt: skip
        self.who = type(self).__name__
        self._given = (model, loss, reduction, check, accumulate)
        self.objective = Objective(self.who, model, loss, params, data, reduction, check)
        self.parameters = self.objective.parameters
        self.accumulate = [sums_dtype(self.who, p.dtype, accumulate) for p in self.parameters.leaves]
        self._step = _stepper(type(self)._part, model, loss)

    def _targets(self, number: int, x: Any, y: Any) -> Any:
        """Targets of the batch's part of this number."""
        return y

    def _sum(self, vs: list[Tensor], more: tuple[int, ...]) -> list[Tensor]:
        """The product with leaves like the parameters', of `more` first dimensions."""
        p, o = self.parameters, self.objective
        total, v = p.of(p.zeros(more, self.accumulate)), p.of(vs)
        for number, (x, y) in enumerate(o.data):
            total = self._step(total, p.tree, v, o.weight, x, self._targets(number, x, y), bool(more))
            pause()
        return [t.to(leaf.dtype) for t, leaf in zip(flatten(total)[0], p.leaves)]

    def _times(self, columns: Tensor) -> Tensor:
        p, k = self.parameters, columns.shape[1]
        if k == 1:
            return p.flat(self._sum(p.split(columns[:, 0]), ()))[:, None]
        return p.flat(self._sum(p.split(columns.mT), (k,)), 1).mT

    def _times_tree(self, leaves: list[Tensor]) -> Any:
        return self.parameters.of(self._sum(leaves, ()))

    def _parts(self) -> tuple[list, Any]:
        data = self.objective.data._data
        kept = isinstance(data, list | tuple)
        return [self.parameters.tree, data if kept else None], (
            self._given,
            None if kept else data,
            self._own(),
        )

    def _own(self) -> tuple:
        return ()

    @classmethod
    def _made(cls, children: Sequence[Any], rest: Any) -> Operator:
        params, kept = children
        (model, loss, reduction, check, accumulate), data, own = rest
        return cls(
            model, loss, params, data if kept is None else kept, reduction=reduction, check=check,
            accumulate=accumulate, **dict(own)
        )  # fmt: skip


class Hessian(OfData):
    """The Hessian of the objective in params: forward over reverse.

    check=False: also with an active Dropout.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        data: the data: a batch (x, y), a list of batches, or an iterable of batches that can be
            read again.
        reduction: the reduction of `loss` over a batch: "mean" or "sum". Default: "mean".
        check: whether an active Dropout raises RuntimeError. Default: True.
        accumulate: the dtype of sums over the data. None (the default) is that of the parameters,
            float32 for float16 and bfloat16.

    Raises ValueError for a loss of another reduction and for shapes that do not fit, TypeError for data that can be
    read once, RuntimeError for an active Dropout and losses that are not scalars.

    >>> x, y = torch.ones(2, 1), torch.zeros(2, 1)
    >>> H = curvature.Hessian(lambda w, x: w * x, nn.MSELoss(), torch.ones(1), (x, y))
    >>> H @ torch.ones(1)
    tensor([2.])
    """

    @staticmethod
    def _part(call: Callable, losses: Any) -> Part:
        def product(params: Any, v: Any, x: Any, y: Any) -> Any:
            return jvp(grad(lambda p: losses(call(p, x), y).sum()), (params,), (v,))[1]

        return product


class GGN(OfData):
    """The generalized Gauss-Newton matrix w * sum of J_n^T H_n J_n, H_n the Hessian of the loss in the outputs; of any
    convex loss it is positive semidefinite. Arguments and errors as of `Hessian`.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        data: the data: a batch (x, y), a list of batches, or an iterable of batches that can be
            read again.
        reduction: the reduction of `loss` over a batch: "mean" or "sum". Default: "mean".
        check: whether an active Dropout raises RuntimeError. Default: True.
        accumulate: the dtype of sums over the data. None (the default) is that of the parameters,
            float32 for float16 and bfloat16.

    >>> x, y = torch.ones(2, 1), torch.zeros(2, 1)
    >>> G = curvature.GGN(lambda w, x: w ** 2 * x, nn.MSELoss(), torch.ones(1), (x, y))
    >>> G @ torch.ones(1)
    tensor([8.])

    Source: Schraudolph, 2002; Martens, "New insights and perspectives on the natural gradient method", 2020.
    """

    @staticmethod
    def _part(call: Callable, losses: Any) -> Part:
        def product(params: Any, v: Any, x: Any, y: Any) -> Any:
            def outputs_of(p: Any) -> Any:
                return call(p, x)

            outputs, pushed = jvp(outputs_of, (params,), (v,))
            bent = jvp(grad(lambda z: losses(z, y).sum()), (outputs,), (pushed,))[1]
            return vjp(outputs_of, params)[1](bent)[0]

        return product

    def diagonal(self) -> Tensor:
        """The diagonal, exactly: of fewer outputs than parameters by a backward for each output, with the formulas of
        layers (`per_sample.ggn_diagonal`)."""
        model, loss, _, _, accumulate = self._given
        o, p = self.objective, self.parameters
        x, _ = next(iter(o.data))
        outputs = sum([z.numel() // z.shape[0] for z in flatten(o.call(p.tree, x))[0]])
        if accumulate is not None or outputs >= p.size or mixes_samples(model):
            return super().diagonal()
        total = None
        for x, y in o.data:
            part = p.flat(flatten(ggn_diagonal(model, loss, p.tree, x, y, reduction=o.reduction))[0])
            if o.reduction == "mean":  # of the batch
                part = part * (flatten(x)[0][0].shape[0] * o.weight)
            total = part if total is None else total + part
            pause()
        return total  # type: ignore[return-value]


class EmpiricalFisher(OfData):
    """w * sum of g_n g_n^T, g_n the gradient of one sample's loss.

    Arguments and errors as of `Hessian`; RuntimeError for a BatchNorm in training mode, which mixes samples.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.

    >>> x, y = torch.ones(2, 1), torch.zeros(2, 1)
    >>> F = curvature.EmpiricalFisher(lambda w, x: w * x, nn.MSELoss(), torch.ones(1), (x, y))
    >>> F @ torch.ones(1)
    tensor([4.])

    Source: Kunstner, Balles & Hennig, "Limitations of the empirical Fisher approximation", 2019.
    """

    def __init__(self, model: Any, *args: Any, **kwargs: Any):
        refuse_batch_norm("EmpiricalFisher", model)
        super().__init__(model, *args, **kwargs)

    @staticmethod
    def _part(call: Callable, losses: Any) -> Part:
        def product(params: Any, v: Any, x: Any, y: Any) -> Any:
            def losses_of_samples(p: Any) -> Tensor:
                return losses(call(p, x), y)

            _, along = jvp(losses_of_samples, (params,), (v,))
            return vjp(losses_of_samples, params)[1](along)[0]

        return product


class FisherMC(OfData):
    """The Fisher matrix with labels drawn from the distribution that the loss stands for, `samples` of them for each
    target: its expectation is the GGN.

    The loss is a cross entropy, a binary cross entropy with logits, or a mean squared error, found in what it computes;
    of others sampler(outputs, generator) gives labels. The seed is drawn once, from `generator`: all products are of
    one matrix. Other arguments and errors as of `EmpiricalFisher`; ValueError for samples below 1 and for other losses
    without a sampler.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        data: the data: a batch (x, y), a list of batches, or an iterable of batches that can be
            read again.
        reduction: the reduction of `loss` over a batch: "mean" or "sum". Default: "mean".
        check: whether an active Dropout raises RuntimeError. Default: True.
        accumulate: the dtype of sums over the data. None (the default) is that of the parameters,
            float32 for float16 and bfloat16.
        samples: the number of random vectors; the result is then an `Estimate`. None, where it is
            the default, computes exactly.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.
        sampler: a function (outputs, generator) that draws labels. None (the default) draws from
            the distribution that the loss stands for.
        seed: the seed of the labels. None (the default) draws one from `generator`.

    >>> x, y = torch.ones(2, 3), torch.tensor([0, 1])
    >>> F = curvature.FisherMC(lambda w, x: x * w, nn.CrossEntropyLoss(), torch.ones(3), (x, y), samples=2)
    >>> v = torch.ones(3)
    >>> torch.equal(F @ v, F @ v)
    True

    Source: Martens & Grosse, arXiv 1503.05671.
    """

    def __init__(
        self, model: Any, loss: Any, params: Any, data: Any, *, reduction: str = "mean", check: bool = True,
        accumulate: Any = None,
        samples: int = 1, generator: Any = None, sampler: Callable | None = None, seed: int | None = None,
    ):  # fmt: skip
        if isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
            raise ValueError(f"FisherMC: samples must be a positive int, got {samples!r}")
        refuse_batch_norm("FisherMC", model)
        super().__init__(model, loss, params, data, reduction=reduction, check=check, accumulate=accumulate)
        self.samples, self.sampler = samples, sampler
        self.likelihood = Likelihood("FisherMC", loss, reduction, sampler)
        self.seed = seed_of(generator) if seed is None else seed

    def _targets(self, number: int, x: Any, y: Any) -> Any:
        """Gradients of the loss in the outputs at drawn labels, (N, samples, *outputs), over the root of their
        number."""
        generator = torch.Generator(device=self.device)
        generator.manual_seed(self.seed + number)
        outputs = self.objective.call(self.parameters.tree, x)
        drawn = self.likelihood.gradients(outputs, y, self.samples, generator)
        return drawn.movedim(0, 1) / self.samples**0.5  # type: ignore[attr-defined]

    @staticmethod
    def _part(call: Callable, losses: Any) -> Part:
        def product(params: Any, v: Any, x: Any, drawn: Any) -> Any:
            """J^T S S^T J v of one batch, S being what was drawn."""

            def outputs_of(p: Any) -> Tensor:
                return call(p, x)

            _, pushed = jvp(outputs_of, (params,), (v,))
            along = (drawn * pushed[:, None]).flatten(2).sum(2)
            back = (drawn * along.reshape(*along.shape, *[1] * (drawn.dim() - 2))).sum(1)
            return vjp(outputs_of, params)[1](back)[0]

        return product

    def _own(self) -> tuple:
        return (("samples", self.samples), ("sampler", self.sampler), ("seed", self.seed))


class Jacobian(Operator):
    """The Jacobian of the model's outputs, all samples one after the other, in params: (N * C, params). `@` and `.T @`.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        params: the parameters: a tree of tensors, such as a dict by name.
        data: batches (x, y), of which y is not used, or a list of x.
        check: whether an active Dropout raises RuntimeError. Default: True.
        transposed: whether this is the transposed operator. Default: False.

    Raises TypeError for data that can be read once, RuntimeError for an active Dropout.

    >>> J = curvature.Jacobian(lambda w, x: w * x, torch.ones(2), (torch.tensor([[1., 2.]]), torch.zeros(1)))
    >>> J.to_dense()
    tensor([[1., 0.],
            [0., 2.]])
    """

    def __init__(self, model: Any, params: Any, data: Any, *, check: bool = True, transposed: bool = False):
        refuse_dropout("Jacobian", model, check)
        self.model, self.call = model, model_function(model)
        self.parameters = Parameters("Jacobian", params)
        self.data = Data("Jacobian", data)
        self.transposed = transposed
        self._rows: list[int] | None = None

    def _sizes(self) -> list[int]:
        """How many outputs each batch has."""
        if self._rows is None:
            self._rows = [int(self.call(self.parameters.tree, x).numel()) for x, _ in self.data]
        return self._rows

    @property
    def shape(self) -> tuple[int, int]:
        """(outputs of all samples, parameters), or the reverse."""
        shape = (sum(self._sizes()), self.parameters.size)
        return shape[::-1] if self.transposed else shape  # type: ignore[return-value]

    @property
    def T(self) -> Operator:
        """The transpose."""
        out = Jacobian(
            self.model, self.parameters.tree, self.data._data, check=False, transposed=not self.transposed
        )
        out._rows = self._rows
        return out

    def __matmul__(self, v: Any) -> Any:
        """The product with a vector or columns; of the Jacobian also with a tree, of the transpose also with outputs
        (N, …)."""
        if self.transposed and isinstance(v, Tensor) and v.numel() == self.shape[1]:  # type: ignore[attr-defined]
            v = v.reshape(-1)  # type: ignore[attr-defined]
        return super().__matmul__(v)

    def _as_rows(self, flat: Tensor) -> Any:
        return flat

    def _times(self, columns: Tensor) -> Tensor:
        p, found, first = self.parameters, [], 0
        for (x, _), size in zip(self.data, self._sizes()):

            def call(tree: Any, x: Any = x) -> Tensor:
                return self.call(tree, x).reshape(-1)

            if self.transposed:
                part = columns[first : first + size]
                pull = vjp(call, p.tree)[1]
                found.append(mapped(lambda u, pull=pull: p.flat(flatten(pull(u)[0])[0]), part))
            else:
                found.append(
                    mapped(lambda v, call=call: jvp(call, (p.tree,), (p.of(p.split(v)),))[1], columns)
                )
            first += size
            pause()
        return sum(found[1:], found[0]) if self.transposed else torch.cat(found)

    def _parts(self) -> tuple[list, Any]:
        return [self.parameters.tree, self.data._data], (self.model, self.transposed)

    @classmethod
    def _made(cls, children: Sequence[Any], rest: Any) -> Operator:
        return cls(rest[0], *children, check=False, transposed=rest[1])
