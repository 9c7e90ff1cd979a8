"""KFAC and EKFAC: curvature as Kronecker products, a pair of small matrices for each layer.

The weight of a linear layer or a convolution has the block B (x) A in C order, its bias the block B: A the mean over
samples and shared positions (tokens, pixels, uses) of a a^T, a being what the layer reads; B the sum of g g^T, g being
gradients of the reduced loss' square root in what it gives. An embedding reads rows of the identity, so that A is
diagonal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..._core.api import Tensor, namespace
from ..._core.api import functions as torch
from .._formulas import by_parameter
from .._layers import Tapped, positions, tapped
from .._models import Objective, refuse_batch_norm, sums_dtype
from .._roots import root_of_loss
from .._trees import flatten, unflatten
from ..derivatives import grad
from ..per_sample import ggn_diagonal
from ..vmap import vmap
from .draws import Likelihood, seed_of
from .kronecker_solve import kronecker_solved
from .operators import Operator, pause
from .recursion import recursive_factors

linalg = namespace("linalg")

__all__ = ["EKFAC", "KFAC"]

FISHERS = ("type-2", "mc", "empirical", "forward-only", "kfra")


class Layer(NamedTuple):
    """A layer: its name; the number of its weight and bias among the parameters; its kind; the weight's shape."""

    name: str
    weight: int
    bias: int | None
    kind: str
    shape: tuple[int, ...]


class KFAC(Operator):
    """Kronecker-factored curvature of a loss over data, block by block.

    `factors[name]` is (A, B) of each layer; A of an embedding is a diagonal, a vector.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        loss: a function of outputs and targets that returns a scalar.
        params: the parameters: a tree of tensors, such as a dict by name.
        data: the data: a batch (x, y), a list of batches, or an iterable of batches that can be
            read again.
        reduction: the reduction of `loss` over a batch: "mean" or "sum". Default: "mean".
        check: whether an active Dropout raises RuntimeError. Default: True.
        fisher: which curvature: "type-2" (columns of a root of the Hessian of the loss: KFLR),
            "mc" (drawn labels, `samples` for each target), "empirical" (the labels of the data),
            "forward-only" (B = 1) or "kfra" (a recursion of matrices averaged over samples, for
            an nn.Sequential). Default: "type-2".
        sharing: how positions that share a weight count: "expand" (each as a sample) or "reduce"
            (inputs averaged, gradients summed over them first). Default: "expand".
        joint_bias: whether weight and bias are one block, with a 1 appended to the input of the
            layer. Default: False.
        samples: the number of random vectors; the result is then an `Estimate`. None, where it is
            the default, computes exactly.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.
        others: what happens to parameters of other layers: "error" raises, "diagonal" uses their
            GGN diagonal, "skip" uses zero. Default: "error".
        accumulate: the dtype of sums over the data. None (the default) is that of the parameters,
            float32 for float16 and bfloat16.

    Raises NotImplementedError with the names of parameters that have no block, RuntimeError for a BatchNorm in training
    mode or an active Dropout, ValueError for unknown words and for a loss of another reduction.

    >>> model, data = nn.Linear(2, 1, bias=False), (torch.tensor([[1., 2.]]), torch.zeros(1, 1))
    >>> A, B = curvature.KFAC(model, nn.MSELoss(), {"weight": torch.ones(1, 2)}, data).factors[""]
    >>> A.tolist(), round(B.item(), 3)
    ([[1.0, 2.0], [2.0, 4.0]], 2.0)

    Source: Martens & Grosse, arXiv 1503.05671; Grosse & Martens, arXiv 1602.01407; Eschenhagen et al., arXiv
    2311.00636.
    """

    def __init__(
        self, model: Any, loss: Any, params: Any, data: Any, *, reduction: str = "mean", check: bool = True, fisher: str = "type-2",
        sharing: str = "expand", joint_bias: bool = False, samples: int = 1, generator: Any = None, others: str = "error",
        accumulate: Any = None,
    ):  # fmt: skip
        who = type(self).__name__
        for what, word, allowed in (
            ("fisher", fisher, FISHERS),
            ("sharing", sharing, ("expand", "reduce")),
            ("others", others, ("error", "diagonal", "skip")),
        ):
            if word not in allowed:
                raise ValueError(f"{who}: {what} must be one of {', '.join(allowed)}, got {word!r}")
        if isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
            raise ValueError(f"{who}: samples must be a positive int, got {samples!r}")
        if fisher == "kfra" and sharing == "reduce":
            raise ValueError(
                f"{who}: fisher='kfra' has no gradients of positions, which sharing='reduce' sums"
            )
        refuse_batch_norm(who, model)
        self.objective = Objective(who, model, loss, params, data, reduction, check)
        self.parameters = self.objective.parameters
        self.fisher, self.sharing, self.joint_bias, self.samples, self.others = (
            fisher,
            sharing,
            joint_bias,
            samples,
            others,
        )
        self.accumulate = sums_dtype(who, self.dtype, accumulate)
        self.likelihood = Likelihood(who, loss, reduction, None)
        self.seed = seed_of(generator) if fisher == "mc" else 0
        self.layers: list[Layer] = []
        self._rest: list[int] = []
        self.factors = self._of_all_batches()
        if fisher == "kfra":
            found = recursive_factors(self.objective, {layer.name: layer.kind for layer in self.layers})
            self.factors = {name: (A, found[name]) for name, (A, _) in self.factors.items()}
        self._diagonals = self._other_diagonals() if others == "diagonal" and self._rest else {}

    # -- the factors -----------------------------------------------------------------------------------------------

    def _of_all_batches(self) -> dict[str, tuple[Tensor, Tensor]]:
        o = self.objective
        total: list[Any] | None = None
        counts: list[int] = []
        for number, (x, y) in enumerate(o.data):
            sums, positions_of = self._of_batch(x, y, number)
            total = sums if total is None else [(a + c, b + d) for (a, b), (c, d) in zip(total, sums)]
            counts = positions_of
            pause()
        assert total is not None
        out = {}
        for layer, (A, B), count in zip(self.layers, total, counts):
            B = (
                torch.eye(B.shape[0], dtype=B.dtype, device=B.device)
                if self.fisher in ("forward-only", "kfra")
                else B * o.weight
            )
            out[layer.name] = (A / (o.data.samples * count), B)
        return out

    def _columns(self, z: Tensor, y: Any, directions: Tensor | None) -> Tensor:
        """(columns, *outputs of one sample): along what outputs are differentiated."""
        if self.fisher == "empirical":
            return grad(lambda z: self.objective.loss(z, y))(z)[None]
        if self.fisher in ("forward-only", "kfra"):
            return torch.zeros_like(z)[None]
        if directions is not None:
            return directions / self.samples**0.5
        return root_of_loss(self.objective.loss, z, y)

    def _of_batch(self, x: Any, y: Any, number: int) -> tuple[list, list[int]]:
        """(sums of a a^T and of g g^T over the samples of a batch, how many positions share each layer), layer by
        layer."""
        o, p = self.objective, self.parameters
        data, structure = flatten((x, y))
        directions = None
        if self.fisher == "mc":
            generator = torch.Generator(device=self.device)
            generator.manual_seed(self.seed + number)
            directions = self.likelihood.gradients(o.call(p.tree, x), y, self.samples, generator).movedim(
                0, 1
            )
        shared: list[int] = []

        def of_one(data: list, directions: Tensor | None) -> Any:
            x, y = unflatten(structure, [t[None] for t in data])
            z = o.call(p.tree, x)
            S = self._columns(z, y, None if directions is None else directions[:, None])

            def along(column: Tensor) -> Any:
                def func(leaves: list[Tensor], others: list) -> tuple[Tensor, Any]:
                    x, _ = unflatten(structure, others[:-1])
                    return (o.call(p.of(leaves), x) * others[-1]).sum(), ()

                found = tapped(func, p.leaves, [*[t[None] for t in data], column], apart=True)
                self._note_layers(found)
                shared[:] = [0] * len(self.layers)
                return [self._pair(found, layer, k, shared) for k, layer in enumerate(self.layers)]

            # what a layer reads does not depend on the column
            return [(a[0], g) for a, g in vmap(along, out_dims=0)(S)]

        if directions is None:
            rows = vmap(lambda data: of_one(data, None), randomness="different")(data)
        else:
            rows = vmap(of_one, randomness="different")(data, directions)
        return [self._sums(a, g, layer) for (a, g), layer in zip(rows, self.layers)], list(shared)

    def _note_layers(self, found: Tapped) -> None:
        if self.layers:
            return
        weights, _ = by_parameter(found.uses)
        names = self.parameters.names
        for w, uses in weights.items():
            grouped = any(u.kind == "conv" and u.static[3] > 1 for u in uses)
            if len({u.kind for u in uses}) > 1 or grouped:
                continue
            bias = uses[0].bias if all(u.bias == uses[0].bias for u in uses) else None
            self.layers.append(
                Layer(names[w].removesuffix("weight").rstrip("._"), w, bias, uses[0].kind, uses[0].shape)
            )
        mine = {i for layer in self.layers for i in (layer.weight, layer.bias)}
        self._rest = [i for i in range(len(names)) if i not in mine]
        if self._rest and self.others == "error":
            raise NotImplementedError(
                f"{type(self).__name__}: no Kronecker factors for {', '.join(names[i] for i in self._rest)}: only Linear and ConvNd without groups, and "
                "Embedding, each weight used in one way, have them. Say others='diagonal' or others='skip', or leave them out of params"
            )

    def _pair(self, found: Tapped, layer: Layer, k: int, shared: list[int]) -> tuple[Tensor, Tensor]:
        """(a, g) of one layer of one sample: (positions, fan in), or ids, and (positions, fan out)."""
        a_s, g_s = [], []
        for use in [u for u in found.uses if u.param == layer.weight]:
            a, g = positions(use)
            a_s.append(a if layer.kind == "embedding" else a[0])
            g_s.append(g if layer.kind == "embedding" else g[0])
        a, g = torch.cat(a_s), torch.cat(g_s)
        count = a.shape[0]
        if layer.kind == "embedding":
            a = (a[:, None] == torch.arange(layer.shape[0], device=a.device)).to(g.dtype)
        if self.joint_bias and layer.bias is not None:
            a = torch.cat([a, torch.ones(count, 1, dtype=a.dtype, device=a.device)], 1)
        if self.sharing == "reduce":
            a, g, count = a.mean(0, keepdim=True), g.sum(0, keepdim=True), 1
        shared[k] = count
        return a, g

    def _sums(self, a: Tensor, g: Tensor, layer: Layer) -> tuple[Tensor, Tensor]:
        """a (N, R, fan in), g (N, columns, R, fan out) of the samples of a batch: each sum is one product over all of
        them."""
        a, g = a.to(self.accumulate).flatten(0, 1), g.to(self.accumulate).flatten(0, 2)
        A = a.square().sum(0) if layer.kind == "embedding" else a.mT @ a
        return A, g.mT @ g

    def _other_diagonals(self) -> dict[int, Tensor]:
        o, p, out = self.objective, self.parameters, {}
        for x, y in o.data:
            leaves = flatten(ggn_diagonal(o.model, o.loss, p.tree, x, y, reduction=o.reduction))[0]
            share = _size_of(x) / o.data.samples if o.reduction == "mean" else 1.0
            for i in self._rest:
                out[i] = leaves[i] * share + out.get(i, 0)
            pause()
        return out

    # -- as a matrix -----------------------------------------------------------------------------------------------

    def _blocks(self) -> list[tuple[Layer, Tensor, Tensor]]:
        return [(layer, *self.factors[layer.name]) for layer in self.layers]

    def _times(self, columns: Tensor) -> Tensor:
        return self._by_block(columns, lambda A, B, V: _both(B, V, A), lambda B, v: B @ v, lambda d, v: d * v)

    def _by_block(self, columns: Tensor, of_weight: Any, of_bias: Any, of_rest: Any) -> Tensor:
        """Applies a function to each layer's part of columns (P, k): a weight's (fan out, fan in, k), a bias' (fan out,
        k), all else."""
        k, p = columns.shape[1], self.parameters
        parts = list(torch.split(columns.to(self.accumulate), p.sizes, 0))
        out = [torch.zeros_like(part) for part in parts]
        for layer, A, B in self._blocks():
            rows = _fan_out(layer)
            V = _as_matrix(parts[layer.weight].reshape(*layer.shape, k), layer, rows)
            joint = self.joint_bias and layer.bias is not None
            if joint:
                V = torch.cat([V, parts[layer.bias].reshape(rows, 1, k)], 1)
            W = of_weight(A, B, V)
            if joint:
                W, bias = W[:, :-1], W[:, -1]
                out[layer.bias] = bias
            elif layer.bias is not None:
                out[layer.bias] = of_bias(B, parts[layer.bias].reshape(rows, k))
            out[layer.weight] = _from_matrix(W, layer, k)
        for i in self._rest:
            d = self._diagonals.get(i)
            out[i] = of_rest(
                torch.zeros(p.sizes[i], 1, dtype=self.dtype) if d is None else d.reshape(-1, 1), parts[i]
            )
        return torch.cat([x.to(columns.dtype) for x in out])

    def _eigen(self) -> list[tuple[Layer, Tensor, Tensor | None, Tensor, Tensor]]:
        """Decomposes each layer: (eigenvalues of A, its eigenvectors or None where it is diagonal, eigenvalues of B
        and its eigenvectors)."""
        out = []
        for layer, A, B in self._blocks():
            a, Qa = (A, None) if layer.kind == "embedding" else linalg.eigh(A)
            b, Qb = linalg.eigh(B)
            out.append((layer, a, Qa, b, Qb))
        return out

    def diagonal(self) -> Tensor:
        """The diagonal."""
        ones = torch.ones(self.shape[0], 1, dtype=self.dtype, device=self.device)

        def diag(M: Tensor) -> Tensor:
            return M if M.dim() == 1 else torch.diagonal(M)

        return self._by_block(
            ones,
            lambda A, B, V: (diag(B)[:, None] * diag(A))[..., None],
            lambda B, v: diag(B)[:, None],
            lambda d, v: d,
        )[:, 0]

    def trace(self) -> Tensor:
        """The trace, computed from the traces of the factors."""
        return self.diagonal().sum()

    def frobenius_norm_squared(self) -> Tensor:
        """Computed from the norms of the factors."""
        total = sum([d.square().sum() for d in self._diagonals.values()], torch.zeros((), dtype=self.dtype))
        for layer, A, B in self._blocks():
            total = total + A.square().sum() * B.square().sum()
            if layer.bias is not None and not self.joint_bias:
                total = total + B.square().sum()
        return total

    def _spectrum(self) -> list[Tensor]:
        """All eigenvalues, block by block."""
        out = [d.reshape(-1) for d in self._diagonals.values()]
        out += [
            torch.zeros(self.parameters.sizes[i], dtype=self.dtype)
            for i in self._rest
            if i not in self._diagonals
        ]
        for layer, a, _, b, _ in self._eigen():
            out.append((b[:, None] * a).reshape(-1))
            if layer.bias is not None and not self.joint_bias:
                out.append(b)
        return out

    def logdet(self, damping: Any = 0.0) -> Tensor:
        """The logarithm of the determinant of this + damping * identity, by the factors' eigenvalues."""
        parts = [torch.log(e + damping).sum() for e in self._spectrum()]
        return torch.stack(parts).sum() if parts else torch.zeros((), dtype=self.dtype)

    def _of_spectrum(self, columns: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
        """f(this) times columns, f being a function of eigenvalues."""
        eigen = [(A, B, *rest) for (_, A, B), (_, *rest) in zip(self._blocks(), self._eigen())]

        def weight(A: Tensor, B: Tensor, V: Tensor) -> Tensor:
            a, Qa, b, Qb = next(rest for x, _, *rest in eigen if x is A)
            W = _both(Qb.mT, V, None if Qa is None else Qa.mT)
            return _both(Qb, W * f(b[:, None] * a)[..., None], Qa)

        def bias(B: Tensor, v: Tensor) -> Tensor:
            _, _, b, Qb = next(rest for _, x, *rest in eigen if x is B)
            return Qb @ (Qb.mT @ v * f(b)[:, None])

        return self._by_block(columns, weight, bias, lambda d, v: v * f(d))

    def solved(self, columns: Tensor, damping: Any = 0.0) -> Tensor:
        """(this + damping * identity)^-1 times columns, by the factors' eigenvectors: exact, without splitting the
        damping."""
        damping = torch.as_tensor(damping, dtype=self.dtype, device=self.device)
        one = torch.ones(1, dtype=self.dtype, device=self.device)
        return self._by_block(
            columns,
            lambda A, B, V: kronecker_solved(A, B, V, damping),
            lambda B, v: kronecker_solved(one.to(B.dtype), B, v[:, None], damping)[:, 0],
            lambda d, v: v / (d + damping),
        )

    def rooted(self, columns: Tensor, damping: Any = 0.0) -> Tensor:
        """(this + damping * identity)^-1/2 times columns."""
        return self._of_spectrum(columns, lambda e: (e + damping).clamp(min=0).rsqrt())

    def _parts(self) -> tuple[list, Any]:
        held = {k: v for k, v in vars(self).items() if k not in ("factors", "_diagonals")}
        return [self.factors, self._diagonals], tuple(held.items())

    @classmethod
    def _made(cls, children: Sequence[Any], rest: Any) -> Operator:
        out = object.__new__(cls)
        vars(out).update(dict(rest), factors=children[0], _diagonals=children[1])
        return out


def _size_of(x: Any) -> int:
    """How many samples a batch has."""
    return flatten(x)[0][0].shape[0]


def _fan_out(layer: Layer) -> int:
    return layer.shape[1] if layer.kind == "embedding" else layer.shape[0]


def _as_matrix(v: Tensor, layer: Layer, rows: int) -> Tensor:
    """A weight's columns as (fan out, fan in, k); an embedding's rows are what it reads."""
    return v.movedim(0, 1) if layer.kind == "embedding" else v.reshape(rows, -1, v.shape[-1])


def _from_matrix(W: Tensor, layer: Layer, k: int) -> Tensor:
    return (W.movedim(0, 1) if layer.kind == "embedding" else W).reshape(-1, k)


def _both(B: Tensor, V: Tensor, A: Tensor | None) -> Tensor:
    """B V A^T, of V (fan out, fan in, k); A may be a diagonal, or None for the identity."""
    V = torch.einsum("op,pik->oik", B, V)
    if A is None:
        return V
    return V * A[:, None] if A.dim() == 1 else torch.einsum("ij,ojk->oik", A, V)


class EKFAC(KFAC):
    """KFAC's eigenvectors with other eigenvalues: the means of the squares of per-sample gradients in that basis, which
    are the best there are.

    Arguments and errors as of `KFAC`; joint_bias must be False (biases keep their block B). No gradient of a sample
    outlives its own.

    >>> model, data = nn.Linear(2, 1, bias=False), (torch.tensor([[1., 2.]]), torch.zeros(1, 1))
    >>> op = curvature.EKFAC(model, nn.MSELoss(), {"weight": torch.ones(1, 2)}, data)
    >>> torch.allclose(op.to_dense(), torch.tensor([[2., 4.], [4., 8.]]))
    True

    Source: George et al., arXiv 1806.03884.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        if kwargs.get("joint_bias"):
            raise ValueError("EKFAC: joint_bias=True is not for EKFAC; its biases keep their own block")
        if kwargs.get("fisher") in ("forward-only", "kfra"):
            raise ValueError(
                f"EKFAC: fisher={kwargs['fisher']!r} has no gradients, of which its eigenvalues are"
            )
        super().__init__(*args, **kwargs)
        self._vectors = {layer.name: (Qa, Qb) for layer, _, Qa, _, Qb in KFAC._eigen(self)}
        self.eigenvalues = self._corrected()

    def _corrected(self) -> dict[str, Tensor]:
        o = self.objective
        total: list[Any] | None = None
        for number, (x, y) in enumerate(o.data):
            sums, _ = self._of_batch(x, y, number)
            total = [s for _, s in sums] if total is None else [t + s for t, (_, s) in zip(total, sums)]
            pause()
        assert total is not None
        return {layer.name: s * o.weight for layer, s in zip(self.layers, total)}

    def _sums(self, a: Tensor, g: Tensor, layer: Layer) -> tuple[Tensor, Tensor]:
        if not hasattr(self, "_vectors"):
            return super()._sums(a, g, layer)
        Qa, Qb = self._vectors[layer.name]
        a, g = a.to(self.accumulate), g.to(self.accumulate)
        a = a if Qa is None else a @ Qa
        rotated = torch.einsum("ncro,nri->ncoi", g @ Qb, a)
        return a[:1, :1, :1].sum(), rotated.square().sum((0, 1))

    def _weight_by(self, values: Any) -> Any:
        """The product of a weight's part with f(eigenvalues) in the basis."""
        by_factor = {id(A): layer.name for layer, A, _ in self._blocks()}

        def weight(A: Tensor, B: Tensor, V: Tensor) -> Tensor:
            name = by_factor[id(A)]
            Qa, Qb = self._vectors[name]
            W = _both(Qb.mT, V, None if Qa is None else Qa.mT)
            return _both(Qb, values(self.eigenvalues[name][..., None], W), Qa)

        return weight

    def _times(self, columns: Tensor) -> Tensor:
        return self._by_block(
            columns, self._weight_by(lambda e, W: e * W), lambda B, v: B @ v, lambda d, v: d * v
        )

    def diagonal(self) -> Tensor:
        """The diagonal."""
        by_factor = {id(A): layer.name for layer, A, _ in self._blocks()}

        def weight(A: Tensor, B: Tensor, V: Tensor) -> Tensor:
            name = by_factor[id(A)]
            Qa, Qb = self._vectors[name]
            return _both(Qb.square(), self.eigenvalues[name][..., None], None if Qa is None else Qa.square())

        ones = torch.ones(self.shape[0], 1, dtype=self.dtype, device=self.device)
        return self._by_block(ones, weight, lambda B, v: torch.diagonal(B)[:, None], lambda d, v: d)[:, 0]

    def frobenius_norm_squared(self) -> Tensor:
        """From the eigenvalues."""
        return sum([e.square().sum() for e in self._spectrum()], torch.zeros((), dtype=self.dtype))

    def _spectrum(self) -> list[Tensor]:
        out = [d.reshape(-1) for d in self._diagonals.values()]
        out += [
            torch.zeros(self.parameters.sizes[i], dtype=self.dtype)
            for i in self._rest
            if i not in self._diagonals
        ]
        for layer, _, B in self._blocks():
            out.append(self.eigenvalues[layer.name].reshape(-1))
            if layer.bias is not None:
                out.append(linalg.eigvalsh(B))
        return out

    def solved(self, columns: Tensor, damping: Any = 0.0) -> Tensor:
        """(this + damping * identity)^-1 times columns, by the eigenvectors."""
        return self._of_spectrum(columns, lambda e: 1 / (e + damping))

    def _of_spectrum(self, columns: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
        def bias(B: Tensor, v: Tensor) -> Tensor:
            b, Q = linalg.eigh(B)
            return Q @ (Q.mT @ v * f(b)[:, None])

        return self._by_block(columns, self._weight_by(lambda e, W: W * f(e)), bias, lambda d, v: v * f(d))

    def _parts(self) -> tuple[list, Any]:
        own = ("factors", "_diagonals", "_vectors", "eigenvalues")
        held = {k: v for k, v in vars(self).items() if k not in own}
        vectors = {k: [t for t in v if t is not None] for k, v in self._vectors.items()}
        return [self.factors, self._diagonals, vectors, self.eigenvalues], tuple(held.items())

    @classmethod
    def _made(cls, children: Sequence[Any], rest: Any) -> Operator:
        out = object.__new__(cls)
        factors, diagonals, vectors, eigenvalues = children
        full = {k: (None, v[0]) if len(v) == 1 else tuple(v) for k, v in vectors.items()}
        vars(out).update(
            dict(rest), factors=factors, _diagonals=diagonals, _vectors=full, eigenvalues=eigenvalues
        )
        return out
