"""The matrices of curvature of a loss over data: Hessian, generalized Gauss-Newton, Fisher matrices, the Jacobian.

The objective is w * sum over n of loss(model(x_n), y_n), w = 1 / N or 1. Each product is a loop over the batches, whose sum stays on the device;
batches of the same shapes share one program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._core.api import Tensor
from ..._core.api import functions as torch
from .._models import Data, Objective, Parameters, model_function, refuse_batch_norm, refuse_dropout
from .._trees import flatten
from ..derivatives import grad, jvp, vjp
from ..outermost import transform
from ..vmap import vmap
from .draws import Likelihood, seed_of
from .operators import Operator, mapped, pause

__all__ = ["GGN", "EmpiricalFisher", "FisherMC", "Hessian", "Jacobian"]


class OfData(Operator):
    """An operator that is a sum over batches. A class says what one batch adds: `_of_batch`."""

    def __init__(
        self, model: Any, loss: Any, params: Any, data: Any, *, reduction: str = "mean", check: bool = True
    ):
        self.who = type(self).__name__
        self._given = (model, loss, reduction, check)
        self.objective = Objective(self.who, model, loss, params, data, reduction, check)
        self.parameters = self.objective.parameters
        self._step = transform(self._one_step, "operator", self.who)(self._one_step)

    def _of_batch(self, params: Any, v: Any, x: Any, y: Any) -> Any:
        """The product of the batch's part at params, without the weight, with a tree v: a tree."""
        raise TypeError(f"{type(self).__name__} says nothing of a batch")

    def _one_step(
        self,
        total: list[Tensor],
        leaves: list[Tensor],
        vs: list[Tensor],
        weight: Tensor,
        x: Any,
        y: Any,
        many: bool,
    ) -> list[Tensor]:
        """total + the batch's part times vs: leaves, of which the columns are the first dimension where there are many."""
        p = self.parameters

        def product(vs: list[Tensor]) -> list[Tensor]:
            return flatten(self._of_batch(p.of(leaves), p.of(vs), x, y))[0]

        found = vmap(product)(vs) if many else product(vs)
        return [t + part * weight for t, part in zip(total, found)]

    def _times(self, columns: Tensor) -> Tensor:
        p, w = self.parameters, self.objective.weight
        many = columns.shape[1] > 1
        vs = p.split(columns.mT if many else columns[:, 0])
        total = p.zeros((columns.shape[1],) if many else ())
        weight = torch.tensor(w, dtype=self.dtype, device=self.device)
        for x, y in self.objective.data:
            total = self._step(total, list(p.leaves), vs, weight, x, y, many)
            pause()
        return p.flat(total, 1).mT if many else p.flat(total)[:, None]

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
        (model, loss, reduction, check), data, own = rest
        return cls(
            model, loss, params, data if kept is None else kept, reduction=reduction, check=check, **dict(own)
        )


class Hessian(OfData):
    """The Hessian of the objective in params: forward over reverse.

    model: a function (params, x) -> outputs, or a module; loss: of outputs and targets, a scalar; params: a tree of tensors; data: (x, y), a list of such
    batches, or an iterable that can be read again. check=False: also with an active Dropout.

    Raises ValueError for a loss of another reduction and for shapes that do not fit, TypeError for data that can be read once, RuntimeError for an
    active Dropout and losses that are no scalars.

    >>> x, y = torch.ones(2, 1), torch.zeros(2, 1)
    >>> H = curvature.Hessian(lambda w, x: w * x, nn.MSELoss(), torch.ones(1), (x, y))
    >>> H @ torch.ones(1)
    tensor([2.])
    """

    def _of_batch(self, params: Any, v: Any, x: Any, y: Any) -> Any:
        o = self.objective

        def total(p: Any) -> Tensor:
            return o.losses(o.call(p, x), y).sum()  # type: ignore[misc]

        return jvp(grad(total), (params,), (v,))[1]


class GGN(OfData):
    """The generalized Gauss-Newton matrix w * sum of J_n^T H_n J_n, H_n the Hessian of the loss in the outputs; of any convex loss it is positive
    semidefinite. Arguments and errors as of `Hessian`.

    >>> x, y = torch.ones(2, 1), torch.zeros(2, 1)
    >>> G = curvature.GGN(lambda w, x: w ** 2 * x, nn.MSELoss(), torch.ones(1), (x, y))
    >>> G @ torch.ones(1)
    tensor([8.])

    Source: Schraudolph, 2002; Martens, "New insights and perspectives on the natural gradient method", 2020.
    """

    def _of_batch(self, params: Any, v: Any, x: Any, y: Any) -> Any:
        o = self.objective

        def call(p: Any) -> Any:
            return o.call(p, x)

        outputs, pushed = jvp(call, (params,), (v,))
        bent = jvp(grad(lambda z: o.losses(z, y).sum()), (outputs,), (pushed,))[1]  # type: ignore[misc]
        return vjp(call, params)[1](bent)[0]


class EmpiricalFisher(OfData):
    """w * sum of g_n g_n^T, g_n the gradient of one sample's loss. Arguments and errors as of `Hessian`; RuntimeError for a BatchNorm in training
    mode, which mixes samples.

    >>> x, y = torch.ones(2, 1), torch.zeros(2, 1)
    >>> F = curvature.EmpiricalFisher(lambda w, x: w * x, nn.MSELoss(), torch.ones(1), (x, y))
    >>> F @ torch.ones(1)
    tensor([4.])

    Source: Kunstner, Balles & Hennig, "Limitations of the empirical Fisher approximation", 2019.
    """

    def __init__(
        self, model: Any, loss: Any, params: Any, data: Any, *, reduction: str = "mean", check: bool = True
    ):
        refuse_batch_norm("EmpiricalFisher", model)
        super().__init__(model, loss, params, data, reduction=reduction, check=check)

    def _of_batch(self, params: Any, v: Any, x: Any, y: Any) -> Any:
        o = self.objective

        def losses(p: Any) -> Tensor:
            return o.losses(o.call(p, x), y)  # type: ignore[misc]

        _, along = jvp(losses, (params,), (v,))
        return vjp(losses, params)[1](along)[0]


class FisherMC(OfData):
    """The Fisher matrix with labels drawn from the distribution that the loss stands for, `samples` of them for each target: its expectation is the GGN.

    The loss is a cross entropy, a binary cross entropy with logits, or a mean squared error, found in what it computes; of others sampler(outputs,
    generator) gives labels. The seed is drawn once, from `generator`: all products are of one matrix. Other arguments and errors as of `EmpiricalFisher`;
    ValueError for samples below 1 and for other losses without a sampler.

    >>> x, y = torch.ones(2, 3), torch.tensor([0, 1])
    >>> F = curvature.FisherMC(lambda w, x: x * w, nn.CrossEntropyLoss(), torch.ones(3), (x, y), samples=2)
    >>> v = torch.ones(3)
    >>> torch.equal(F @ v, F @ v)
    True

    Source: Martens & Grosse, arXiv 1503.05671.
    """

    def __init__(
        self, model: Any, loss: Any, params: Any, data: Any, *, reduction: str = "mean", check: bool = True,
        samples: int = 1, generator: Any = None, sampler: Callable | None = None, seed: int | None = None,
    ):  # fmt: skip
        if isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
            raise ValueError(f"FisherMC: samples must be a positive int, got {samples!r}")
        refuse_batch_norm("FisherMC", model)
        super().__init__(model, loss, params, data, reduction=reduction, check=check)
        self.samples, self.sampler = samples, sampler
        self.likelihood = Likelihood("FisherMC", loss, reduction, sampler)
        self.seed = seed_of(generator) if seed is None else seed

    def _times(self, columns: Tensor) -> Tensor:
        p, o = self.parameters, self.objective
        total = None
        for number, (x, y) in enumerate(o.data):
            generator = torch.Generator(device=self.device)
            generator.manual_seed(self.seed + number)
            outputs = o.call(p.tree, x)
            directions = self.likelihood.gradients(outputs, y, self.samples, generator)
            part = self._step_of(x, directions, columns)
            total = part if total is None else total + part
            pause()
        return total * (o.weight / self.samples)  # type: ignore[operator]

    def _step_of(self, x: Any, directions: Tensor, columns: Tensor) -> Tensor:
        """J^T S S^T J of one batch: S holds the drawn gradients of the loss in the outputs, (samples, *outputs)."""
        p, o = self.parameters, self.objective

        def call(tree: Any) -> Tensor:
            return o.call(tree, x)

        def product(v: Tensor) -> Tensor:
            _, pushed = jvp(call, (p.tree,), (p.of(p.split(v)),))
            one = (directions * pushed).flatten(2).sum(2)  # type: ignore[attr-defined]
            back = (directions * one.reshape(*one.shape, *[1] * (directions.dim() - 2))).sum(0)  # type: ignore[attr-defined]
            return p.flat(flatten(vjp(call, p.tree)[1](back)[0])[0])

        return mapped(product, columns)

    def _own(self) -> tuple:
        return (("samples", self.samples), ("sampler", self.sampler), ("seed", self.seed))


class Jacobian(Operator):
    """The Jacobian of the model's outputs, all samples one after the other, in params: (N * C, params). `@` and `.T @`.

    data: batches (x, y), of which y is not used, or a list of x. Raises TypeError for data that can be read once, RuntimeError for an active Dropout.

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
        """The product with a vector or columns; of the Jacobian also with a tree, of the transpose also with outputs (N, …)."""
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
