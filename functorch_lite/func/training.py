"""Training as a function: loops of steps that are differentiated through, with checkpoints; many runs and members at
once."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
from jax.ad_checkpoint import checkpoint_name

from .._core.api import DerivedOp, Graph, Tensor, apply_op, tidied, transforms
from .._core.api import functions as torch
from ..api_names import listed
from ._trees import flatten, unflatten
from .control_flow import record_body, slice_avals, step_numbers
from .modules import functional_call, stack_module_state
from .vmap import vmap

__all__ = ["Ensemble", "ensemble", "unroll"]
__dir__ = listed(__name__)


@tidied
def unroll(
    step: Callable,
    carry: Any,
    inputs: Any = None,
    *,
    checkpoint: int | str | None = None,
    length: int | None = None,
) -> Any:
    """carry after `carry = step(carry, x)` for each slice x of inputs along their first dimension: a loop as one op,
    which every transform goes through.

    None saves the values that each step's derivative reads; an int saves the carry of every so many steps, from which
    they are run again; `"sqrt"` saves fewer than 2 sqrt(n) carries; `"nested"` about 2 log2(n), by halving each
    stretch. With these two words of a stretch carries alone are kept, too, and each step is run once more.
    `"offload"`: the carry of each step, in the host's memory.

    Args:
        step: a function (carry, x) that returns the next carry. It may write in place to the
            tensors that it is given (`p -= lr * g`); the tensors of the caller do not change.
        carry: the first carry: a tree of tensors, whose shapes and dtypes each step keeps. None
            in it is kept, an int becomes a tensor.
        inputs: a tree of tensors with the steps in the first dim. None (the default) with
            `length`: then x is None.
        checkpoint: what the reverse pass saves. None (the default): what the derivative of each
            step reads. An int: the carry of every so many steps, from which they run again.
            "sqrt": fewer than 2 sqrt(n) carries. "nested": about 2 log2(n) carries. "offload":
            the carry of each step, in host memory.
        length: the number of steps, if `inputs` is None. None (the default) is the size of the
            first dim of `inputs`.

    Raises ValueError for another checkpoint and for lengths that differ, RuntimeError for a carry that changes its
    shapes, dtypes or structure.

    >>> w = training.unroll(lambda w, x: w - 0.1 * (w - x), torch.tensor(0.), torch.ones(3))
    >>> round(w.item(), 4)
    0.271
    >>> run = lambda lr: training.unroll(lambda w, x: w - lr * (w - x), torch.tensor(0.), torch.ones(3), checkpoint="sqrt")
    >>> round(grad(run)(torch.tensor(0.1)).item(), 4)
    2.43

    Source: Griewank & Walther, "Algorithm 799: revolve", 2000; Chen et al., arXiv 1604.06174.
    """
    leaves, structure = flatten(carry)
    at = [i for i, x in enumerate(leaves) if x is not None]
    for i in at:
        if not isinstance(leaves[i], Tensor | int | float):
            raise RuntimeError(
                f"unroll: the carry must consist of tensors, numbers and None, but got {type(leaves[i]).__name__}"
            )
    carried = [x if isinstance(x, Tensor) else torch.tensor(x) for x in (leaves[i] for i in at)]
    xs, x_structure = flatten(inputs) if inputs is not None else ([], None)
    lengths = {tuple(x.shape)[:1] for x in xs}
    if len(lengths) > 1 or () in lengths:
        raise ValueError(
            f"unroll: the inputs must have one first dimension, got shapes {[tuple(x.shape) for x in xs]}"
        )
    n = xs[0].shape[0] if xs else length
    if n is None:
        raise ValueError("unroll: without inputs, length= says how many steps there are")
    if length is not None and length != n:
        raise ValueError(f"unroll: length is {length}, the inputs have {n} slices")
    plan = _plan(checkpoint, n)
    if n == 0:
        return carry
    numbers = step_numbers(n)

    def one(fresh: Sequence[Tensor]) -> Any:
        full: list[Any] = [None] * len(leaves)
        for i, t in zip(at, fresh):
            full[i] = t
        x = None if x_structure is None else unflatten(x_structure, fresh[len(at) :])
        out, out_structure = flatten(step(unflatten(structure, full), x))
        if out_structure != structure or [i for i, t in enumerate(out) if t is not None] != at:
            raise RuntimeError(f"unroll: step returned {out_structure}, the carry is {structure}")
        return [t if isinstance(t, Tensor) else torch.tensor(t) for t in out if t is not None]

    given = [*carried, *xs, numbers]
    avals = [*[t._aval for t in carried], *slice_avals([*xs, numbers])]
    body = record_body("scan", one, avals, given, steps=True)
    for i, (now, was) in enumerate(zip(body.graph.out_avals(), avals)):
        if now.shape != was.shape or now.dtype is not was.dtype:
            raise RuntimeError(
                f"unroll: leaf {i} of the carry is {was.dtype} of shape {tuple(was.shape)}, after a step {now.dtype} of shape {tuple(now.shape)}"
            )
    op = body.graph.transformed(("unroll", len(carried), len(xs), plan, isinstance(checkpoint, str)))
    results = apply_op(op, None, (*given, *body.captured))
    full: list[Any] = [None] * len(leaves)
    for i, t in zip(at, results):
        full[i] = t
    return unflatten(structure, full)


def _plan(checkpoint: Any, n: int) -> int | str | tuple:
    """How many steps a stretch has; 0 for no checkpoints; parts of (steps, steps of a stretch); "nested", "offload"."""
    if checkpoint is None:
        return 0
    if checkpoint == "sqrt":
        return _two_parts(n)
    if checkpoint in ("nested", "offload"):
        return checkpoint
    if isinstance(checkpoint, bool) or not isinstance(checkpoint, int) or checkpoint < 1:
        raise ValueError(
            f"unroll: checkpoint must be None, a positive int, 'sqrt', 'nested' or 'offload', got {checkpoint!r}"
        )
    return checkpoint


def _two_parts(n: int) -> tuple[tuple[int, int], ...]:
    """Two parts of (steps, steps of a stretch), such that sqrt(3 n) carries are kept at once: when the first part is
    gone back through, nothing is left of the second, so its stretches may be twice as long. With stretches of one
    length there are 2 sqrt(n)."""
    most = math.isqrt(max(3 * n - 1, 0)) + 1
    long, short = max(1, round(2 * most / 3)), max(1, round(most / 3))
    first = min(n, (most - long) * long)
    return ((first, long), (n - first, short)) if 0 < first < n else ((n, long),)


@transforms("unroll")
def _unroll_op(key: tuple, graph: Graph) -> DerivedOp:
    _, n_carry, n_xs, plan, small = key
    first = n_carry + n_xs + 1

    def fn(*arrays: Any) -> list:
        carry, xs, captured = list(arrays[:n_carry]), list(arrays[n_carry:first]), arrays[first:]

        def step(carry: list, x: list) -> tuple[list, None]:
            return graph(*carry, *x, *captured), None

        if plan == "offload":
            return jax.lax.scan(_kept_by_the_host(step), carry, xs)[0]

        def plain(carry: list, xs: list) -> list:
            return jax.lax.scan(jax.checkpoint(step) if small else step, carry, xs)[0]

        n = xs[-1].shape[0]
        if plan == "nested":
            return _halved(plain, carry, xs, n)
        if not plan:
            return plain(carry, xs)
        begin = 0
        for steps, k in plan if isinstance(plan, tuple) else ((n, plan),):
            carry = _stretches(jax.checkpoint(plain), carry, _part(xs, begin, begin + steps), steps, k)
            begin += steps
        return carry

    return DerivedOp(fn, "unroll", saves="inputs")


def _kept_by_the_host(step: Callable) -> Callable:
    """A step of which a reverse pass keeps the carry alone, in the host's memory."""
    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["carry"], offload_src="device",
        offload_dst="pinned_host"
    )  # fmt: skip

    def named(carry: list, x: list) -> tuple[list, None]:
        return step([checkpoint_name(c, "carry") for c in carry], x)

    return jax.checkpoint(named, policy=policy)


def _part(xs: Sequence[Any], start: int, end: int) -> list:
    return [x[start:end] for x in xs]


def _stretches(stretch: Callable, carry: list, xs: list, n: int, k: int) -> list:
    """A scan over stretches of k steps, of each of which its first carry is kept; then what is left over."""
    whole = n // k
    rows = [x[: whole * k].reshape(whole, k, *x.shape[1:]) for x in xs]
    if whole:
        carry = jax.lax.scan(lambda c, x: (stretch(c, x), None), carry, rows)[0]
    return stretch(carry, _part(xs, whole * k, n)) if whole * k < n else carry


def _halved(plain: Callable, carry: list, xs: list, n: int) -> list:
    """Two halves, each of which is run again from its first carry, and halved in turn."""
    if n <= 4:
        return plain(carry, xs)
    half = n // 2

    def run(carry: list, xs: list) -> list:
        return _halved(plain, carry, xs, half)

    carry = _stretches(jax.checkpoint(run), carry, _part(xs, 0, 2 * half), 2 * half, half)
    return carry if n == 2 * half else plain(carry, _part(xs, 2 * half, n))


class Statistics(NamedTuple):
    """Statistics of an ensemble's outputs: mean and variance over members (with n below); disagreement: the share of
    members whose largest output differs from the mean's."""

    mean: Tensor
    variance: Tensor
    disagreement: Tensor


class Ensemble:
    """n modules of one class as one: `params` and `buffers` are stacked, `module` is the first of them, `e(x)` calls
    all, `e[i]` is a module.

    Args:
        modules: the members: modules of one class.
        mesh: a DeviceMesh over whose first dim the members are spread. None (the default) uses
            one device.
    """

    def __init__(self, modules: Sequence[Any], mesh: Any = None):
        self.module = copy.deepcopy(modules[0])
        self.n, self.mesh = len(modules), mesh
        params, self.buffers = stack_module_state(list(modules))
        self.params = {name: p.detach() for name, p in params.items()}
        if mesh is not None:
            self.params, self.buffers = _spread(self.params, mesh), _spread(self.buffers, mesh)

    def __len__(self) -> int:
        return self.n

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs of all members for the same input: (n, …)."""

        def one(params: Any, buffers: Any) -> Any:
            return functional_call(self.module, {**params, **buffers}, args, kwargs)

        args, kwargs = _everywhere((args, kwargs), self.mesh)
        return vmap(one, randomness="different")(self.params, self.buffers)

    def __getitem__(self, i: int) -> Any:
        """A member, as a module of its own."""
        if not -self.n <= i < self.n:
            raise IndexError(f"Ensemble: there are {self.n} members, got {i}")
        made = copy.deepcopy(self.module)
        with torch.no_grad():
            for name, p in made.named_parameters():
                p.copy_(self.params[name][i])
            for name, b in made.named_buffers():
                b.copy_(self.buffers[name][i])
        return made

    def train(
        self,
        step: Callable,
        data: Any,
        *,
        state: Any = None,
        checkpoint: int | str | None = None,
        **hyperparameters: Any,
    ) -> Any:
        """Trains all members at once: `params = step(params, batch, **hyperparameters)` for each slice of data along
        its first dimension.

        A tensor among the hyperparameters whose first dimension is n has one value for each member. state: a tree with
        n in the first dimensions (an optimizer's); then step takes and gives (params, state), and the last state is
        returned.
        """
        mine = {
            k: isinstance(v, Tensor) and v.dim() > 0 and v.shape[0] == self.n
            for k, v in hyperparameters.items()
        }
        mapped = {k: v for k, v in hyperparameters.items() if mine[k]}
        same = {k: v for k, v in hyperparameters.items() if not mine[k]}
        if self.mesh is not None:
            mapped = _spread(mapped, self.mesh)
            data, same = _everywhere(data, self.mesh), _everywhere(same, self.mesh)
        carry = self.params if state is None else (self.params, state)

        def run(carry: Any, mapped: dict) -> Any:
            return unroll(lambda c, x: step(c, x, **mapped, **same), carry, data, checkpoint=checkpoint)

        if mapped:
            found = vmap(run, randomness="different")(carry, mapped)
        else:
            found = vmap(lambda c: run(c, {}), randomness="different")(carry)
        self.params, state = (found, None) if state is None else found
        return state

    def statistics(self, *args: Any) -> Statistics:
        """Mean, variance and disagreement of the members' outputs."""
        out = self(*args)
        mean = out.mean(0)
        other = (out.argmax(-1) != mean.argmax(-1)).to(mean.dtype)
        return Statistics(mean, out.var(0, correction=0), other.mean(0))


def _distributed() -> Any:
    """`distributed.tensor`, loaded when there is a mesh."""
    from ..distributed import tensor  # which stands above

    return tensor


def _spread(tensors: dict[str, Tensor], mesh: Any) -> dict[str, Tensor]:
    """Tensors of a first dimension of members, so many of them on each device along the mesh's first dimension."""
    tensor = _distributed()
    placements = [tensor.Shard(0), *[tensor.Replicate()] * (mesh.ndim - 1)]
    return {name: tensor.distribute_tensor(t.detach(), mesh, placements) for name, t in tensors.items()}


def _everywhere(tree: Any, mesh: Any) -> Any:
    """A tree whose plain tensors are on all devices of a mesh (None: as they are)."""
    if mesh is None:
        return tree
    tensor = _distributed()
    leaves, structure = flatten(tree)
    return unflatten(
        structure,
        [
            tensor.distribute_tensor(x.detach(), mesh)
            if isinstance(x, Tensor) and not isinstance(x, tensor.DTensor)
            else x
            for x in leaves
        ],
    )


def ensemble(make_module: Callable[[int], Any], n: int, *, mesh: Any = None) -> Ensemble:
    """An `Ensemble` of make_module(0), …, make_module(n - 1).

    Args:
        make_module: a function of the index of a member that returns its module.
        n: the number of members.
        mesh: a DeviceMesh over whose first dim the members are spread. None (the default) uses
            one device.

    Raises ValueError for n below 1 and an n that the mesh's first dimension does not divide, RuntimeError for modules
    of different classes or modes.

    >>> e = training.ensemble(lambda i: nn.Linear(3, 2), 4)
    >>> e(torch.ones(5, 3)).shape, e.statistics(torch.ones(5, 3)).mean.shape
    (torch.Size([4, 5, 2]), torch.Size([5, 2]))

    Source: Lakshminarayanan, Pritzel & Blundell, arXiv 1612.01474.
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ValueError(f"ensemble: n must be a positive int, got {n!r}")
    if mesh is not None and n % mesh.size(0):
        raise ValueError(
            f"ensemble: {n} members cannot be spread evenly over a mesh dimension of {mesh.size(0)}"
        )
    return Ensemble([make_module(i) for i in range(n)], mesh)
