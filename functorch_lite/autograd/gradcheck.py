"""gradcheck and gradgradcheck: derivatives by the tape against central differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core.api import Tensor, dtypes, from_array, strided, tidied
from .._core.api import functions as torch
from ..func.derivatives import jvp
from ..func.vmap import vmap
from .derivatives import grad

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

_BATCHED = (
    "gradcheck or gradgradcheck failed while testing batched {}gradient computation: is_grads_batched=True (or vmap) gives something "
    "else than one gradient at a time, for output {} and input {}.\nExpected:\n{}\nGot:\n{}\n"
)
_NOT_REENTRANT = (
    "Backward{} is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, "
    "although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}."
)
_UNDEFINED = "Expected backward function to handle undefined output grads: a gradient for output {} only made it raise {!r}"


class GradcheckError(RuntimeError):
    """Raised by gradcheck when a derivative is wrong."""


@tidied
def gradcheck(
    func: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Returns whether func's derivatives by each input that requires grad agree with central differences of step eps.

    They agree when |analytical - numerical| <= atol + rtol |numerical| everywhere; else GradcheckError (False,
    without raise_exception). Inputs should be float64 or complex128. A complex output is checked as its real and
    imaginary parts; the gradient of a real output by a complex input z = x + iy is d/dx + i d/dy. fast_mode
    compares one random projection of each Jacobian instead of all of it. masked is about sparse layouts, of which
    NotImplementedError is raised; dense inputs are checked the same with it and without.

    Args:
        func: a function of tensors that returns tensors.
        inputs: the arguments: a tensor or a tuple; those that require grad are checked, and
            should be float64 or complex128.
        eps: the step of the central differences. Default: 1e-06.
        atol: the absolute tolerance. Default: 1e-05.
        rtol: the relative tolerance. Default: 0.001.
        raise_exception: whether a difference raises GradcheckError. False returns False. Default:
            True.
        nondet_tol: how much two backward passes may differ beyond rounding (32 units in the last
            place of the largest gradient), since they may run as two programs. Default: 0.0.
        check_undefined_grad: whether each output alone may have a gradient. Default: True.
        check_grad_dtypes: whether gradients must have the dtype of their input. Default: False.
        check_batched_grad: whether `is_grads_batched=True` is checked. Default: False.
        check_batched_forward_grad: whether forward mode is checked under vmap. Default: False.
        check_forward_ad: whether forward mode is checked. Default: False.
        check_backward_ad: whether reverse mode is checked. Default: True.
        fast_mode: whether one random projection of each Jacobian is compared, and not all of it.
            Default: False.
        masked: concerns sparse layouts, for which NotImplementedError is raised; dense inputs are
            checked the same way. None is the default of gradcheck.

    >>> x = torch.rand(3, dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.sin, x)
    True
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    given = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    if masked and any(getattr(x, "layout", strided) is not strided for x in given):
        raise NotImplementedError(
            "gradcheck: masked=True of sparse inputs; pass dense ones, for which it changes nothing"
        )
    check = _Check(func, given, eps, atol, rtol, fast_mode)
    try:
        check.inputs_fit()
        if not check.outputs:
            check.nothing_changes()
            return True
        if check_backward_ad:
            check.backward(nondet_tol, check_grad_dtypes)
            if check_batched_grad:
                check.batched()
            check.zero_gradients()
            if check_undefined_grad:
                check.undefined()
        if check_forward_ad:
            check.forward(check_batched_forward_grad)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


@tidied
def gradgradcheck(
    func: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """gradcheck of func's gradient as a function of the inputs and of the gradients of its outputs.

    Args:
        func: a function of tensors that returns tensors.
        inputs: the arguments: a tensor or a tuple; those that require grad are checked, and
            should be float64 or complex128.
        grad_outputs: the gradients of the outputs. None (the default) draws them.
        eps: the step of the central differences. Default: 1e-06.
        atol: the absolute tolerance. Default: 1e-05.
        rtol: the relative tolerance. Default: 0.001.
        gen_non_contig_grad_outputs: whether drawn gradients are strided views. Default: False.
        raise_exception: whether a difference raises GradcheckError. False returns False. Default:
            True.
        nondet_tol: how much two backward passes may differ. Default: 0.0.
        check_undefined_grad: whether each output alone may have a gradient. Default: True.
        check_grad_dtypes: whether gradients must have the dtype of their input. Default: False.
        check_batched_grad: whether `is_grads_batched=True` is checked. Default: False.
        check_fwd_over_rev: whether forward mode over reverse mode is checked. Default: False.
        check_rev_over_rev: whether reverse mode over reverse mode is checked. Default: True.
        fast_mode: whether one random projection of each Jacobian is compared, and not all of it.
            Default: False.
        masked: concerns sparse layouts, for which NotImplementedError is raised; dense inputs are
            checked the same way. None is the default of gradcheck.

    >>> torch.autograd.gradgradcheck(torch.sin, torch.rand(3, dtype=torch.float64, requires_grad=True))
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    given = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        cts = tuple(_random_like(o, rng, gen_non_contig_grad_outputs) for o in _differentiable(func(*given)))
    else:
        cts = tuple(grad_outputs) if isinstance(grad_outputs, tuple | list) else (grad_outputs,)
    n = len(cts)

    def gradient(*args):
        inputs, cts = args[: len(args) - n], args[len(args) - n :]
        inputs = tuple(
            x.requires_grad_() if _floats(x) and y.requires_grad else x for x, y in zip(inputs, given)
        )
        outputs = _differentiable(func(*inputs))
        wanted = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
        found = grad(outputs, wanted, list(cts), create_graph=True, allow_unused=True)
        return tuple([g for g in found if g is not None])

    return gradcheck(
        gradient, given + cts, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes, check_batched_grad=check_batched_grad,
        fast_mode=fast_mode, check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev, masked=masked,
    )  # fmt: skip


def _floats(x: Any) -> bool:
    return isinstance(x, Tensor) and x._aval.taped


def _differentiable(outputs: Any) -> tuple[Tensor, ...]:
    many = tuple(outputs) if isinstance(outputs, tuple | list) else (outputs,)
    return tuple([o for o in many if o.requires_grad])


def _random_like(t: Tensor, rng: np.random.Generator, strided: bool) -> Tensor:
    def draw(shape):
        x = rng.uniform(-1, 1, shape)
        return x + 1j * rng.uniform(-1, 1, shape) if t._aval.dtype.is_complex else x

    shape = tuple(t.shape)
    if strided and shape:
        made = from_array(np.asarray(draw((*shape, 2))).astype(t._aval.dtype.np), on=t.device)[
            ..., 0
        ].detach()
    else:
        made = from_array(np.asarray(draw(shape)).astype(t._aval.dtype.np), on=t.device)
    return made.requires_grad_()


# -- one function at one place ---------------------------------------------------------------------------------------


class _Check:
    """A function, its inputs and differentiable outputs, and the comparisons that gradcheck makes."""

    def __init__(self, func: Callable, inputs: tuple, eps: float, atol: float, rtol: float, fast: bool):
        self.func, self.inputs = func, inputs
        self.eps, self.atol, self.rtol, self.fast = eps, atol, rtol, fast
        self.at = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
        self.outputs = _differentiable(func(*inputs)) if self.at else ()
        self.rng = np.random.default_rng(0)

    def inputs_fit(self) -> None:
        """ValueError when no input requires grad; a warning for one of single precision; an error for overlapping
        memory."""
        if not self.at:
            raise ValueError(
                "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
            )
        for i in self.at:
            x = self.inputs[i]
            if x.dtype not in (dtypes.float64, dtypes.complex128):
                warnings.warn(
                    f"Input #{i} requires gradient and is not a double precision floating point or complex. This check will likely "
                    "fail if all the inputs are not of double precision floating point or complex. ",
                    stacklevel=5,
                )
            if any(s == 0 and n > 1 for s, n in zip(x.stride(), x.shape)):
                raise RuntimeError(
                    f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be "
                    "able to compute the numerical gradients correctly. You should call .contiguous on the input before passing it to "
                    "gradcheck."
                )

    # -- numbers

    def values(
        self, i: int | None = None, change: np.ndarray | None = None, every: bool = False
    ) -> list[np.ndarray]:
        """The outputs' values (the differentiable ones', unless `every`) with `change` added to input i."""
        fresh = list(self.inputs)
        for k in self.at:
            x = fresh[k].detach()
            if k == i:
                x = from_array(x.numpy() + change.astype(x._aval.dtype.np), on=x.device)  # type: ignore[union-attr]
            fresh[k] = x.clone().requires_grad_()
        out = self.func(*fresh)
        many = tuple(out) if isinstance(out, tuple | list) else (out,)
        kept = [o for o in many if every or o.requires_grad]
        return [o.detach().numpy().astype(np.result_type(o.detach().numpy(), np.float32)) for o in kept]

    def difference(self, i: int, direction: np.ndarray, every: bool = False) -> list[np.ndarray]:
        """The central difference of each output along a direction of input i."""
        up = self.values(i, self.eps * direction, every)
        down = self.values(i, -self.eps * direction, every)
        return [(a - b) / (2 * self.eps) for a, b in zip(up, down)]

    def directions(self, i: int) -> list[np.ndarray]:
        """A unit step of each element of input i; for a complex one, then each step times 1j."""
        x = self.inputs[i]
        size = int(np.prod(x.shape, dtype=int))
        unit = [np.eye(1, size, k).reshape(x.shape) for k in range(size)]
        return unit + [1j * u for u in unit] if x._aval.dtype.is_complex else unit

    def numerical(self, i: int) -> list[np.ndarray]:
        """By output: derivatives along each direction of input i, as rows."""
        rows = [self.difference(i, d) for d in self.directions(i)]
        return [
            np.stack([r[k].reshape(-1) for r in rows]) if rows else np.zeros((0, o.numel()))
            for k, o in enumerate(self.outputs)
        ]

    # -- backward

    def gradients(self, output: Tensor, ct: np.ndarray) -> list[Tensor | None]:
        """The gradients of one output by every input, for a cotangent."""
        g = from_array(
            np.asarray(ct).astype(output._aval.dtype.np).reshape(tuple(output.shape)), on=output.device
        )
        wanted = [self.inputs[i] for i in self.at]
        return list(grad(output, wanted, g, retain_graph=True, allow_unused=True))

    def backward(self, nondet_tol: float, check_dtypes: bool) -> None:
        """The Jacobians by the tape against the numerical ones."""
        numerical = {} if self.fast else {i: self.numerical(i) for i in self.at}
        for k, o in enumerate(self.outputs):
            for part, factor in (("imaginary", 1j), ("real", 1)) if o._aval.dtype.is_complex else (("", 1),):
                if self.fast:
                    self._fast(k, o, part, factor)
                else:
                    self._slow(k, o, part, factor, numerical, nondet_tol, check_dtypes)

    def _slow(
        self, k: int, o: Tensor, part: str, factor, numerical: dict, nondet_tol: float, dtypes: bool
    ) -> None:
        size = o.numel()
        first, second = [], []
        for e in range(size):
            ct = np.eye(1, size, e).reshape(-1) * factor
            first.append(self.gradients(o, ct))
            second.append(self.gradients(o, ct))
        for n, i in enumerate(self.at):
            x = self.inputs[i]
            expected = numerical[i][k]
            expected = expected.imag if part == "imaginary" else expected.real
            if x._aval.dtype.is_complex:
                half = len(expected) // 2
                expected = expected[:half] + 1j * expected[half:]
            found, again = self._columns(first, n, x, dtypes), self._columns(second, n, x, dtypes)
            self.compare(found, expected, k, i, part, "outputs")
            rounding = 32 * np.finfo(x._aval.dtype.np).eps * abs(found).max(initial=0)
            if abs(found - again).max(initial=0) > nondet_tol + rounding:
                raise GradcheckError(_NOT_REENTRANT.format("", nondet_tol))

    @staticmethod
    def _columns(rows: list, n: int, x: Tensor, dtypes: bool) -> np.ndarray:
        columns = []
        for row in rows:
            g = row[n]
            if g is None:
                columns.append(np.zeros(x.numel()))
                continue
            if dtypes and g.dtype is not x.dtype:
                raise GradcheckError("Gradient has dtype mismatch")
            if tuple(g.shape) != tuple(x.shape):
                raise GradcheckError("Analytical gradient has incorrect size")
            columns.append(g.detach().numpy().reshape(-1))
        return np.stack(columns, 1) if columns else np.zeros((x.numel(), 0))

    def compare(
        self, found: np.ndarray, expected: np.ndarray, k: int, i: int, part: str, of: str, note: str = ""
    ) -> None:
        """GradcheckError unless they are close."""
        if np.allclose(found, expected, self.rtol, self.atol, equal_nan=True):
            return
        head = f"While considering the {part} part of complex {of} only, " if part else ""
        mode = "computed with forward mode " if of == "inputs" else ""
        raise GradcheckError(
            f"{head}Jacobian {mode}mismatch for output {k} with respect to input {i},\nnumerical:{_shown(expected)}\n"
            f"analytical:{_shown(found)}\n{note}"
        )

    def _fast(self, k: int, o: Tensor, part: str, factor) -> None:
        v = self.rng.standard_normal(tuple(o.shape))
        v /= max(np.linalg.norm(v), 1e-30)
        grads = self.gradients(o, v * factor)
        for n, i in enumerate(self.at):
            x = self.inputs[i]
            u = self.direction(x)
            moved = self.difference(i, u)[k]
            expected = float(np.sum(v * (moved.imag if part == "imaginary" else moved.real)))
            g = grads[n]
            found = 0.0 if g is None else float(np.sum(np.conj(g.detach().numpy()) * u).real)
            self.compare_fast(found, expected, k, i, part, u, v)

    def direction(self, x: Tensor) -> np.ndarray:
        """A random direction of length 1 in the space of x."""
        u = self.rng.standard_normal(tuple(x.shape))
        if x._aval.dtype.is_complex:
            u = u + 1j * self.rng.standard_normal(tuple(x.shape))
        return u / max(np.linalg.norm(u), 1e-30)

    def compare_fast(
        self, found: float, expected: float, k: int, i: int, part: str, u: np.ndarray, v: np.ndarray
    ) -> None:
        """GradcheckError unless they are close; atol is the tolerance of all elements, weighted like the projection."""
        atol = self.atol * float(abs(u).sum()) * float(abs(v).sum())
        if not np.isclose(found, expected, self.rtol, atol, equal_nan=True):
            head = f"While considering the {part} part of complex outputs only, " if part else ""
            raise GradcheckError(
                f"{head}Jacobian mismatch for output {k} with respect to input {i},\nnumerical:{expected}\nanalytical:{found}\n\n"
                "The above quantities relating the numerical and analytical jacobians are computed in fast mode: they are projections on "
                "random vectors. fast_mode=False shows the Jacobians."
            )

    def batched(self) -> None:
        """Gradients for many cotangents at once against one at a time."""
        wanted = [self.inputs[i] for i in self.at]
        for k, o in enumerate(self.outputs):
            cts = [self.rng.standard_normal(tuple(o.shape)).astype(o._aval.dtype.np) for _ in range(2)]
            one = [self.gradients(o, ct) for ct in cts]
            many = grad(
                o,
                wanted,
                from_array(np.stack(cts), on=o.device),
                retain_graph=True,
                allow_unused=True,
                is_grads_batched=True,
            )
            for n, i in enumerate(self.at):
                if many[n] is None:
                    continue
                expected = np.stack([row[n].detach().numpy() for row in one])  # type: ignore[union-attr]
                got = many[n].detach().numpy()
                if not np.allclose(got, expected, self.rtol, self.atol, equal_nan=True):
                    raise GradcheckError(_BATCHED.format("", k, i, expected, got))

    def zero_gradients(self) -> None:
        """A cotangent of zeros gives a gradient of zeros."""
        for o in self.outputs:
            for i, g in zip(self.at, self.gradients(o, np.zeros(tuple(o.shape)))):
                if g is None:
                    continue
                if not np.array_equal(g.detach().numpy(), np.zeros(tuple(g.shape))):
                    raise GradcheckError("backward not multiplied by grad_output")
                if tuple(g.shape) != tuple(self.inputs[i].shape):
                    raise GradcheckError("grad is incorrect size")

    def undefined(self) -> None:
        """Each of several outputs may have a gradient alone."""
        for k, o in enumerate(self.outputs if len(self.outputs) > 1 else ()):
            try:
                self.gradients(o, np.ones(tuple(o.shape)))
            except RuntimeError as error:
                raise GradcheckError(_UNDEFINED.format(k, error)) from error

    def nothing_changes(self) -> None:
        """Checks a function without differentiable outputs: the numerical derivatives are zero."""
        for i in self.at:
            steps = [self.direction(self.inputs[i])] if self.fast else self.directions(i)
            for d in steps:
                if any(np.any(x != 0) for x in self.difference(i, d, every=True)):
                    raise GradcheckError("Numerical gradient for function expected to be zero")

    # -- forward

    def forward(self, batched: bool) -> None:
        """Derivatives by func.jvp against the numerical ones."""
        for i in self.at:
            steps = [self.direction(self.inputs[i])] if self.fast else self.directions(i)
            half = len(steps) // 2 if self.inputs[i]._aval.dtype.is_complex and not self.fast else len(steps)
            for start, part in ((0, "real" if half < len(steps) else ""), (half, "imaginary")):
                group = steps[start : start + half]
                if not group:
                    continue
                numerical = [self.difference(i, d) for d in group]
                analytical = [self.pushed(i, d) for d in group]
                for k in range(len(self.outputs)):
                    expected = np.stack([r[k].reshape(-1) for r in numerical])
                    found = np.stack([r[k].reshape(-1) for r in analytical])
                    self.compare(found, expected, k, i, part, "inputs")
            if batched:
                self.pushed_together(i)

    def pushed(self, i: int, direction: np.ndarray) -> list[np.ndarray]:
        """The tangent of each differentiable output for a tangent of input i."""
        return [t.detach().numpy() for t in self._push(i, self.tangent(i, direction))]

    def tangent(self, i: int, direction: np.ndarray) -> Tensor:
        """A direction as a tensor like input i."""
        return from_array(direction.astype(self.inputs[i]._aval.dtype.np), on=self.inputs[i].device)

    def _push(self, i: int, tangent: Tensor) -> list[Tensor]:
        def f(x):
            full = [y.detach() if k in self.at else y for k, y in enumerate(self.inputs)]
            full[i] = x
            out = self.func(*full)
            many = tuple(out) if isinstance(out, tuple | list) else (out,)
            return tuple([o for o, keep in zip(many, self.kept) if keep])

        return list(jvp(f, (self.inputs[i].detach(),), (tangent,))[1])

    @property
    def kept(self) -> list[bool]:
        """Tells which outputs are differentiable."""
        out = self.func(*self.inputs)
        return [o.requires_grad for o in (tuple(out) if isinstance(out, tuple | list) else (out,))]

    def pushed_together(self, i: int) -> None:
        """Tangents for two directions at once against one at a time."""
        directions = [self.direction(self.inputs[i]) for _ in range(2)]
        stacked = torch.stack([self.tangent(i, d) for d in directions])
        got = vmap(lambda t: tuple(self._push(i, t)))(stacked)
        one = [self.pushed(i, d) for d in directions]
        for k, g in enumerate(got):
            expected = np.stack([row[k] for row in one])
            if not np.allclose(g.detach().numpy(), expected, self.rtol, self.atol, equal_nan=True):
                raise GradcheckError(_BATCHED.format("forward ", k, i, expected, g.detach().numpy()))


def _shown(array: np.ndarray) -> str:
    return repr(from_array(np.ascontiguousarray(array)))
