"""JAX functions as ops beside JAX itself, and every way by which a tensor's numbers might leave without their
derivative.

`python -m tests.bridge [case…]` makes each of `bridge_cases` an op and compares, in double precision unless the case
says otherwise:

    value      f(x)                                       == JAX's
    backward   the tape's gradient of L                   == jax.grad
    grad       func.grad(L), in scan, cond and checkpoint == jax.grad
    jvp        func.jvp, linearize and forward_ad         == jax.jvp
    vmap       vmap(f)                                    == jax.vmap
    jacobian   jacrev(f), jacfwd(f)                       == JAX's
    vmap(grad) vmap(grad(L))                              == JAX's
    hessian    hessian(L)                                 == jax.hessian
    third      grad three times along v, tape inside out  == JAX's

with L the inner product of f's results with fixed cotangents. What JAX refuses (forward mode of a custom_vjp, reverse
mode of a while_loop) must be refused. Then it tries every way out of every tensor that is differentiated or batched:
each must raise.
"""

from __future__ import annotations

import contextlib
import copy
import io
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import functorch_lite as torch
from functorch_lite import func
from functorch_lite._core.lazy.applied import tracing
from functorch_lite.autograd import forward_ad
from functorch_lite.compat import from_jax, jax_function, to_jax
from functorch_lite.utils.checkpoint import checkpoint
from tests.bridge_cases import CASES, Case

__all__ = ["COLUMNS", "PLACES", "WAYS", "check", "tried"]


def _leaves(tree: Any) -> list:
    return jax.tree.leaves(tree)


class Sides:
    """One case as both sides see it: f of its first argument to the list of results, L, its argument and a
    direction."""

    def __init__(self, case: Case):
        self.case = case
        self.refused = False
        first, *rest = case.args
        self.x = jax.tree.map(jnp.asarray, first)
        self.v = jax.tree.map(lambda a: _like(a, 0.7), self.x)
        self.op = jax_function(case.fn, **case.options)
        self.t, self.tv = (jax.tree.map(from_jax, x) for x in (self.x, self.v))
        self.rest = rest
        self.tensors = [from_jax(jnp.asarray(a)) if isinstance(a, np.ndarray) else a for a in rest]
        outs = self.theirs(self.x)
        self.moving = [i for i, o in enumerate(outs) if jnp.issubdtype(o.dtype, jnp.inexact)]
        self.cts = [_like(outs[i], 0.3 + i) for i in self.moving]
        self.tcts = [from_jax(c) for c in self.cts]
        self.complex = any(jnp.iscomplexobj(a) for a in [*_leaves(self.x), *self.cts])

    def theirs(self, x) -> list:
        return _leaves(self.case.fn(x, *self.rest))

    def ours(self, t) -> list:
        return _leaves(self.op(t, *self.tensors))

    def their_moving(self, x) -> list:
        outs = self.theirs(x)
        return [outs[i] for i in self.moving]

    def our_moving(self, t) -> list:
        outs = self.ours(t)
        return [outs[i] for i in self.moving]

    def their_loss(self, x):
        return sum((o * c.conj()).real.sum() for o, c in zip(self.their_moving(x), self.cts))

    def our_loss(self, t):
        return sum((o * c.conj()).real.sum() for o, c in zip(self.our_moving(t), self.tcts))

    def expected(self, f: Callable, *args) -> Any:
        """What JAX gives; nothing where the case is one that JAX refuses."""
        return None if self.refused else jax.jit(f)(*args)


def _like(a: jax.Array, start: float) -> jax.Array:
    """Fixed numbers for each element of an array."""
    real = np.cos(start + np.arange(a.size)).reshape(a.shape)
    return jnp.asarray(real + 0.5j * np.sin(real) if jnp.iscomplexobj(a) else real, a.dtype)


def _by_theirs(f: Callable) -> Callable:
    """jax.grad in torch's convention for complex numbers."""
    return lambda x: jax.tree.map(jnp.conj, jax.grad(f)(x))


def _pairs(found: Any, expected: Any) -> Iterator[tuple]:
    if expected is None:
        return
    a, b = _leaves(found), _leaves(expected)
    if len(a) != len(b):
        raise AssertionError(f"{len(a)} results, JAX has {len(b)}")
    yield from zip(a, b)


# -- columns -----------------------------------------------------------------------------------------------------------


def value(s: Sides) -> Iterator[tuple]:
    yield from _pairs(s.ours(s.t), s.expected(s.theirs, s.x))
    ours, theirs = s.op(s.t, *s.tensors), jax.eval_shape(lambda x: s.case.fn(x, *s.rest), s.x)
    if jax.tree.structure(ours) != jax.tree.structure(theirs):
        raise AssertionError(f"{jax.tree.structure(ours)}, JAX has {jax.tree.structure(theirs)}")


def backward(s: Sides) -> Iterator[tuple]:
    t = jax.tree.map(lambda a: a.clone().requires_grad_(), s.t)
    s.our_loss(t).backward()
    yield from _pairs([a.grad for a in _leaves(t)], s.expected(_by_theirs(s.their_loss), s.x))


def grad(s: Sides) -> Iterator[tuple]:
    expected = s.expected(_by_theirs(s.their_loss), s.x)
    yield from _pairs(func.grad(s.our_loss)(s.t), expected)
    for f in (_in_scan, _in_cond, lambda loss, t: checkpoint(loss, t, use_reentrant=False)):
        yield from _pairs(func.grad(lambda t, f=f: f(s.our_loss, t))(s.t), expected)


def _in_scan(loss: Callable, t: Any) -> torch.Tensor:
    return torch._higher_order_ops.scan(
        lambda c, _: (c + loss(t), c.clone()), torch.zeros_like(loss(t)), torch.zeros(1)
    )[0]


def _in_cond(loss: Callable, t: Any) -> torch.Tensor:
    return torch.cond(torch.tensor(True), lambda: loss(t), lambda: loss(t) * 2)


def jvp(s: Sides) -> Iterator[tuple]:
    expected = s.expected(lambda x, v: jax.jvp(s.their_moving, (x,), (v,)), s.x, s.v)
    yield from _pairs(func.jvp(s.our_moving, (s.t,), (s.tv,)), expected)
    _, push = func.linearize(s.our_moving, s.t)
    yield from _pairs(push(s.tv), expected and expected[1])
    with forward_ad.dual_level():
        outs = s.our_moving(jax.tree.map(forward_ad.make_dual, s.t, s.tv))
        yield from _pairs([forward_ad.unpack_dual(o).tangent for o in outs], expected and expected[1])


def vmap(s: Sides) -> Iterator[tuple]:
    yield from _pairs(
        func.vmap(s.ours)(_batch(s.t, torch.stack)), s.expected(jax.vmap(s.theirs), _batch(s.x, jnp.stack))
    )


def jacobian(s: Sides) -> Iterator[tuple]:
    for mode, ours, theirs in (("r", func.jacrev, jax.jacrev), ("f", func.jacfwd, jax.jacfwd)):
        if mode in s.case.modes:
            yield from _pairs(ours(s.our_moving)(s.t), s.expected(theirs(s.their_moving), s.x))


def vmap_grad(s: Sides) -> Iterator[tuple]:
    expected = s.expected(jax.vmap(_by_theirs(s.their_loss)), _batch(s.x, jnp.stack))
    yield from _pairs(func.vmap(func.grad(s.our_loss))(_batch(s.t, torch.stack)), expected)


def _batch(x: Any, stack: Callable) -> Any:
    return jax.tree.map(lambda a: stack([a, a * 0.75]), x)


def hessian(s: Sides) -> Iterator[tuple]:
    yield from _pairs(func.hessian(s.our_loss)(s.t), s.expected(jax.hessian(s.their_loss), s.x))


def third(s: Sides) -> Iterator[tuple]:
    expected = s.expected(_by_theirs(_along(_along(s.their_loss, s.v, _by_theirs), s.v, _by_theirs)), s.x)
    ours = _along(_along(s.our_loss, s.tv, func.grad), s.tv, func.grad)
    yield from _pairs(func.grad(ours)(s.t), expected)
    t = jax.tree.map(lambda a: a.clone().requires_grad_(), s.t)
    slope = ours(t)
    if slope.requires_grad:  # where it is constant there is no gradient, as in PyTorch
        slope.backward()
    yield from _pairs([torch.zeros_like(a) if a.grad is None else a.grad for a in _leaves(t)], expected)


def _along(f: Callable, v: Any, gradient: Callable) -> Callable:
    """The derivative of f along v, by its gradient."""

    def derivative(x):
        return sum((g * d.conj()).real.sum() for g, d in zip(_leaves(gradient(f)(x)), _leaves(v)))

    return derivative


COLUMNS: dict[str, tuple[Callable, str, int]] = {
    "value": (value, "", 0),
    "backward": (backward, "r", 1),
    "grad": (grad, "r", 1),
    "jvp": (jvp, "f", 1),
    "vmap": (vmap, "", 0),
    "jacobian": (jacobian, "real", 1),
    "vmap(grad)": (vmap_grad, "r", 1),
    "hessian": (hessian, "r real", 2),
    "third": (third, "r", 3),
}
"""What is compared, what it needs of a case (a mode of differentiation, real numbers), and the order of its
derivatives."""


def check(name: str, column: str) -> str:
    """ "yes"; "refused" where JAX cannot and we say so; "-" where there is nothing to compare.

    Raises AssertionError for a difference."""
    case = CASES[name]
    compare, needs, order = COLUMNS[column]
    with tracing():  # 64-bit types and full precision, for JAX's side
        s = Sides(case)
        if order > case.order or ("real" in needs and s.complex):
            return "-"
        mode = needs[:1] if needs[:1] in ("f", "r") and needs != "real" else ""
        if mode and mode not in case.modes:
            s.refused = True
            with contextlib.suppress(TypeError, ValueError, NotImplementedError):
                list(compare(s))
                raise AssertionError("JAX refuses it, and the op does not")
            return "refused"
        for found, expected in compare(s):
            _same(found, expected, case.rtol)
    return "yes"


def _same(found: torch.Tensor, expected: jax.Array, rtol: float) -> None:
    array = np.asarray(to_jax(found.detach()))
    if array.dtype != expected.dtype or array.shape != expected.shape:
        raise AssertionError(f"{array.dtype}{array.shape}, JAX has {expected.dtype}{expected.shape}")
    wide = np.complex128 if np.iscomplexobj(array) else np.float64
    a, b = array.astype(wide), np.asarray(expected).astype(wide)
    scale = max(1.0, np.abs(b).max(initial=0))
    np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * scale)


# -- ways out ----------------------------------------------------------------------------------------------------------

WAYS: dict[str, Callable] = {
    "to_jax": to_jax,
    "jnp.asarray": jnp.asarray,
    "jnp.ones + t": lambda t: jnp.ones(3) + t,
    "jnp.sin": jnp.sin,
    "jax.jit": lambda t: jax.jit(jnp.sin)(t),
    "jax.dlpack": jax.dlpack.from_dlpack,
    "np.from_dlpack": np.from_dlpack,
    "from_dlpack": torch.from_dlpack,
    "to_dlpack": torch.to_dlpack,
    "numpy": lambda t: t.numpy(),
    "np.asarray": np.asarray,
    "np.sin": np.sin,
    "np.array": lambda t: np.array(list(t)),
    "apply_": lambda t: (t * 1).apply_(lambda x: x),
}
"""Those that are refused wherever a derivative would be lost."""

OF_STORAGE: dict[str, Callable] = {
    "storage": lambda t: t.untyped_storage().tolist(),
    "pickle": pickle.dumps,
    "deepcopy": copy.deepcopy,
    "save": lambda t: torch.save(t, io.BytesIO()),
}
"""Those that read a storage, which only tensors of a transform lack: a leaf may be copied, pickled and saved."""

READ: dict[str, Callable] = {
    "tolist": lambda t: t.tolist(),
    "item": lambda t: t[0].item(),
    "bool": lambda t: bool(t[0] > 0),
    "float": lambda t: float(t[0]),
}
"""Those that may read a tensor that is differentiated, as in PyTorch: what is batched has no one value."""

_X = (0.5, 1.0, 1.5)


def _x() -> torch.Tensor:
    return torch.tensor(_X)


def _transform(apply: Callable) -> Callable:
    """A place inside a transform: `apply(f)` runs f on a tensor of it."""

    def go(way: Callable) -> None:
        def f(t):
            way(t)
            return (t * t).sum()

        apply(f)

    return go


def _dual(way: Callable) -> None:
    with forward_ad.dual_level():
        way(forward_ad.make_dual(_x(), torch.ones(3)) * 1)


def _captured(way: Callable) -> None:
    func.grad(lambda u: func.vmap(lambda t: (way(u * 2), t)[1])(torch.ones(2)).sum() + u.sum())(_x())


def _in_loop(way: Callable) -> None:
    torch._higher_order_ops.scan(lambda c, x: (c + x, (way(x), x)[1]), torch.zeros(3), _x()[None])


PLACES: dict[str, Callable] = {
    "leaf": lambda way: way(_x().requires_grad_()),
    "tape": lambda way: way(_x().requires_grad_() * 2),
    "grad": _transform(lambda f: func.grad(f)(_x())),
    "vjp": _transform(lambda f: func.vjp(f, _x())),
    "jvp": _transform(lambda f: func.jvp(f, (_x(),), (_x(),))),
    "jvp, no_grad": _transform(lambda f: func.jvp(torch.no_grad()(f), (_x(),), (_x(),))),
    "linearize": _transform(lambda f: func.linearize(f, _x())),
    "jacrev": _transform(lambda f: func.jacrev(f)(_x())),
    "jacfwd": _transform(lambda f: func.jacfwd(f)(_x())),
    "hessian": _transform(lambda f: func.hessian(f)(_x())),
    "grad of jvp": _transform(lambda f: func.grad(lambda u: func.jvp(f, (u,), (u,))[1])(_x())),
    "checkpoint": _transform(lambda f: checkpoint(f, _x().requires_grad_(), use_reentrant=False)),
    "cond": _transform(lambda f: func.grad(lambda u: torch.cond(torch.tensor(True), f, f, (u * 2,)))(_x())),
    "captured": _captured,
    "dual": _dual,
    "vmap": _transform(lambda f: func.vmap(f)(torch.stack([_x(), _x()]))),
    "vmap of grad": _transform(lambda f: func.vmap(func.grad(f))(torch.stack([_x(), _x()]))),
    "scan": _in_loop,
}
"""Where a tensor is differentiated or batched: each place takes a way out and tries it there."""

ALLOWED = {
    *[
        ("dual", way)
        for way in WAYS
        if way not in ("to_jax", "jnp.asarray", "jnp.ones + t", "jnp.sin", "jax.jit")
    ],
    *[(place, way) for place in ("leaf", "tape", "checkpoint", "dual", "scan") for way in OF_STORAGE],
    *[(place, way) for place in PLACES for way in READ if place not in ("vmap", "vmap of grad", "scan")],
    *[("vmap", way) for way in ("deepcopy",)],
}
"""What PyTorch does there too: NumPy and DLPack take a dual tensor's numbers, a leaf is copied. A copy of what is
batched is batched."""


def tried(place: str, way: str) -> str:
    """What comes of a way out at a place: the error, or "out" if the numbers got out."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            PLACES[place]({**WAYS, **OF_STORAGE, **READ}[way])
    except (RuntimeError, TypeError, ValueError, BufferError) as error:
        return f"{type(error).__name__}: {error}"
    return "out"


# -- the table ---------------------------------------------------------------------------------------------------------


def main(chosen: list[str]) -> int:
    wrong = []
    width = max(map(len, CASES))
    print(f"{'':{width}}  {'  '.join(COLUMNS)}")
    for name in chosen or CASES:
        cells = []
        for column in COLUMNS:
            try:
                cell = check(name, column)
            except Exception as error:  # whatever it is, it is a difference
                cell = "WRONG"
                wrong.append(f"{name}, {column}: {type(error).__name__}: {error}")
            cells.append(f"{cell:{len(column)}}")
        print(f"{name:{width}}  {'  '.join(cells)}", flush=True)
    if not chosen:
        ways = [*WAYS, *OF_STORAGE, *READ]
        for place in PLACES:
            out = [way for way in ways if (place, way) not in ALLOWED and tried(place, way) == "out"]
            print(f"{place:{width}}  {f'OUT by {out}' if out else 'nothing gets out'}")
            wrong += [f"{place}: out by {way}" for way in out]
    print("\n".join(["", *wrong, f"{len(wrong)} differences"]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
