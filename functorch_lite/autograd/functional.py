"""torch.autograd.functional: products with Jacobians and Hessians, and the matrices themselves, of functions of
tensors.

Here a function is run on the tape, so it may be any eager code. `torch.func` has transforms that do the same and
compose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core.api import ZEROS, Tensor, apply_op, from_array, state, tidied
from .._core.api import functions as torch
from ..func.vmap import vmap
from . import forward_ad
from ._functional_parts import *  # noqa: F403  # names that packages import from here
from .derivatives import grad as _grad
from .grad_mode import enable_grad, set_grad_enabled

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = tuple[Tensor, ...]


# -- arguments and results -------------------------------------------------------------------------------------------


def _tensors(x: Any, what: str, who: str) -> tuple[bool, Tensors]:
    """(whether x is a tuple, x as a tuple); raises for anything but tensors."""
    many = isinstance(x, tuple)
    every = x if many else (x,)
    for i, t in enumerate(every):
        if not isinstance(t, Tensor):
            where = f"value at index {i}" if many else f"given {what}"
            raise TypeError(
                f"The {what} given to {who} must be either a Tensor or a tuple of Tensors but the {where} has type {type(t)}."
            )
    return many, every


def _like(x: Sequence, many: bool) -> Any:
    return tuple(x) if many else x[0]


def _own(tensors: Tensors, create_graph: bool, wanted: bool = True) -> list:
    """Tensors of our own with the same values: what a function captures of the same name is something else."""
    out: list = []
    for t in tensors:
        if create_graph and t._edge is not None:
            out.append(t.view_as(t))  # type: ignore[attr-defined]
        else:
            out.append(t.detach().requires_grad_(wanted))  # type: ignore[attr-defined]
    return out


def _finished(tensors: Sequence, create_graph: bool) -> list:
    return list(tensors) if create_graph else [t.detach() for t in tensors]


def _inputs(inputs: Any, who: str, create_graph: bool) -> tuple[bool, list]:
    many, every = _tensors(inputs, "inputs", who)
    return many, _own(every, create_graph)


def _outputs(func: Callable, inputs: list, who: str, strict: bool) -> tuple[bool, Tensors]:
    many, outs = _tensors(func(*inputs), "outputs of the user-provided function", who)
    if strict:
        _require_grad(
            outs,
            "Output {} of the user-provided function does not require gradients. The outputs must be computed in a differentiable "
            "manner from the input when running in strict mode.",
        )
    return many, outs


def _require_grad(tensors: Sequence, message: str) -> None:
    for i, t in enumerate(tensors):
        if t is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {i}. This is not allowed in strict mode."
            )
        if t._edge is None:
            raise RuntimeError(message.format(i))


def _direction(
    v: Any, who: str, create_graph: bool, others: Sequence, many: bool, needless: str
) -> list | None:
    """The vector v, with the shapes of `others`; None is for a single number. needless: when it may be None."""
    if v is None:
        if len(others) != 1 or others[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the {needless}")
        return None
    _, every = _tensors(v, "v", who)
    if len(every) != len(others):
        if many:
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(others)} but got {len(every)}."
            )
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (mine, other) in enumerate(zip(every, others)):
        if mine.shape != other.shape:  # type: ignore[attr-defined]
            entry = f"Entry {i} in " if many else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {mine.shape}.")  # type: ignore[attr-defined]
    return _own(every, create_graph, False)


def _zeros_like(t: Tensor, requires_grad: bool = False) -> Any:
    zeros: Any = apply_op(ZEROS, None, (t.detach(),))[0]  # type: ignore[attr-defined]
    return zeros.requires_grad_() if requires_grad else zeros


def _gradients(
    outs: Sequence, inputs: Sequence, v: Sequence | None, create_graph: bool, keep: bool | None = None
):
    """autograd.grad that leaves out outputs without a graph; None for inputs that do not matter."""
    some = [i for i, o in enumerate(outs) if o is not None and o._edge is not None]
    if not some:
        return (None,) * len(inputs)
    given = None if v is None else [v[i] for i in some]
    return _grad([outs[i] for i in some], list(inputs), given, keep, create_graph, allow_unused=True)


def _filled(
    grads: Sequence, refs: Sequence, strict: bool, create_graph: bool, missing: str, constant: str
) -> list:
    """Zeros for what is None; in strict mode errors for that, and for what does not depend on the inputs."""
    out = []
    for i, (g, ref) in enumerate(zip(grads, refs)):
        if g is None:
            if strict:
                raise RuntimeError(missing.format(i))
            g = _zeros_like(ref)
        elif strict and create_graph and g._edge is None:
            raise RuntimeError(
                f"The {constant} of the user-provided function is independent of input {i}. This is not allowed in strict mode when "
                "create_graph=True."
            )
        out.append(g)
    return out


_INDEPENDENT = (
    "The output of the user-provided function is independent of input {}. This is not allowed in strict mode."
)
_SAME_GRADIENT = (
    "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double backward trick to "
    "compute forward mode gradients. This is not allowed in strict mode."
)
_CONSTANT_GRADIENT = (
    "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is not allowed in strict "
    "mode."
)
_CONSTANT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is independent of the "
    "input. This is not allowed in strict mode. You should ensure that your function is twice differentiable and that the jacobian "
    "depends on the inputs (this would be violated by a linear function for example)."
)
_JACOBIAN_WITHOUT = "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode."
_HESSIAN_WITHOUT = (
    "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not allowed in strict mode as it "
    "prevents from using the double backward trick to replace forward mode AD."
)
_ONE_INPUT = "input to the user-provided function is a single Tensor with a single element."


# -- products --------------------------------------------------------------------------------------------------------


@tidied
def vjp(
    func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
    """(func(*inputs), the product of v with the Jacobian of func), v having the outputs' shapes.

    v may be None if func returns a single number.

    Args:
        func: a function of tensors that returns a tensor or a tuple of them (for Hessians a
            single number).
        inputs: the arguments: a tensor or a tuple of tensors.
        v: the vector, with the structure and shapes of the outputs. None (the default) is 1, for
            a single number.
        create_graph: whether the results are differentiable. Default: False.
        strict: whether an output that does not depend on an input raises RuntimeError. By default
            the result is then zero.

    >>> vjp(lambda x: x.exp(), torch.zeros(2), torch.ones(2))
    (tensor([1., 1.]), tensor([1., 1.]))
    """
    with enable_grad():
        many, inputs = _inputs(inputs, "vjp", create_graph)
        many_out, outs = _outputs(func, inputs, "vjp", strict)
        alone = "user-provided function returns a single Tensor with a single element."
        v = _direction(v, "vjp", create_graph, outs, many_out, alone)
    with set_grad_enabled(create_graph or state.grad):
        grads = _gradients(outs, inputs, v, create_graph)
        grads = _filled(grads, inputs, strict, create_graph, _INDEPENDENT, "jacobian")
    return _like(_finished(outs, create_graph), many_out), _like(_finished(grads, create_graph), many)


@tidied
def jvp(
    func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
    """(func(*inputs), the product of the Jacobian of func with v), v having the inputs' shapes: see vjp.

    It is the derivative of the vjp by its cotangent (two backward passes), as in torch; `torch.func.jvp` goes forward.

    Args:
        func: a function of tensors that returns a tensor or a tuple of them (for Hessians a
            single number).
        inputs: the arguments: a tensor or a tuple of tensors.
        v: the vector, with the structure and shapes of `inputs`. None (the default) is 1, for
            inputs of a single element.
        create_graph: whether the results are differentiable. Default: False.
        strict: whether an output that does not depend on an input raises RuntimeError. By default
            the result is then zero.
    """
    with enable_grad():
        many, inputs = _inputs(inputs, "jvp", create_graph)
        v = _direction(v, "jvp", create_graph, inputs, many, _ONE_INPUT)
        many_out, outs = _outputs(func, inputs, "jvp", strict)
        dummies = [_zeros_like(o, True) for o in outs]
        grads = _gradients(outs, inputs, dummies, True)
        if strict:
            _require_grad(grads, _CONSTANT_GRADIENT)
    with set_grad_enabled(create_graph or state.grad):
        found = _gradients(grads, dummies, v, create_graph)
        found = _filled(found, outs, strict, create_graph, _SAME_GRADIENT, "jacobian")
    return _like(_finished(outs, create_graph), many_out), _like(_finished(found, create_graph), many_out)


def _scalar_with_gradient(func: Callable, inputs: list, who: str, strict: bool) -> tuple[Tensors, tuple]:
    many_out, outs = _outputs(func, inputs, who, strict)
    if many_out:
        raise RuntimeError(f"The function given to {who} should return a single Tensor")
    if outs[0].numel() != 1:  # type: ignore[attr-defined]
        raise RuntimeError(
            f"The Tensor returned by the function given to {who} should contain a single element"
        )
    gradient = _gradients(outs, inputs, None, True)
    if strict:
        _require_grad(gradient, _CONSTANT_JACOBIAN)
    return outs, gradient


@tidied
def vhp(
    func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
    """(func(*inputs), the product of v with the Hessian of func), for a func that returns a single number: see vjp.

    Args:
        func: a function of tensors that returns a tensor or a tuple of them (for Hessians a
            single number).
        inputs: the arguments: a tensor or a tuple of tensors.
        v: the vector, with the structure and shapes of `inputs`. None (the default) is 1, for
            inputs of a single element.
        create_graph: whether the results are differentiable. Default: False.
        strict: whether an output that does not depend on an input raises RuntimeError. By default
            the result is then zero.
    """
    with enable_grad():
        many, inputs = _inputs(inputs, "vhp", create_graph)
        v = _direction(v, "vhp", create_graph, inputs, many, _ONE_INPUT)
        outs, gradient = _scalar_with_gradient(func, inputs, "vhp", strict)
    with set_grad_enabled(create_graph or state.grad):
        found = _gradients(gradient, inputs, v, create_graph)
        found = _filled(found, inputs, strict, create_graph, _JACOBIAN_WITHOUT, "hessian")
    return _finished(outs, create_graph)[0], _like(_finished(found, create_graph), many)


@tidied
def hvp(
    func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
    """(func(*inputs), the product of the Hessian of func with v), for a func that returns a single number: see vjp.

    Where the Hessian is symmetric, vhp gives the same with one backward pass less.

    Args:
        func: a function of tensors that returns a tensor or a tuple of them (for Hessians a
            single number).
        inputs: the arguments: a tensor or a tuple of tensors.
        v: the vector, with the structure and shapes of `inputs`. None (the default) is 1, for
            inputs of a single element.
        create_graph: whether the results are differentiable. Default: False.
        strict: whether an output that does not depend on an input raises RuntimeError. By default
            the result is then zero.
    """
    with enable_grad():
        many, inputs = _inputs(inputs, "hvp", create_graph)
        v = _direction(v, "hvp", create_graph, inputs, many, _ONE_INPUT)
        outs, gradient = _scalar_with_gradient(func, inputs, "hvp", strict)
        dummies = [_zeros_like(x, True) for x in inputs]
        twice = _gradients(gradient, inputs, dummies, True)
    with set_grad_enabled(create_graph or state.grad):
        found = _gradients(twice, dummies, v, create_graph)
        found = _filled(found, inputs, strict, create_graph, _HESSIAN_WITHOUT, "hessian")
    return _finished(outs, create_graph)[0], _like(_finished(found, create_graph), many)


# -- matrices --------------------------------------------------------------------------------------------------------


@tidied
def jacobian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of func: of shape output.shape + input.shape, for each output (outer tuple) and input (inner tuple).

    create_graph and strict as in vjp.

    Args:
        func: a function of tensors that returns a tensor or a tuple of them (for Hessians a
            single number).
        inputs: the arguments: a tensor or a tuple of tensors.
        create_graph: whether the results are differentiable. Default: False.
        strict: whether an output that does not depend on an input raises RuntimeError. By default
            the result is then zero.
        vectorize: whether all rows are computed at once, by vmap, and not one after the other.
            Default: False.
        strategy: "reverse-mode", or "forward-mode", which needs `vectorize=True`. Default:
            "reverse-mode".

    >>> jacobian(lambda x: x ** 2, torch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than inputs, '
            '"forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        return _forward_jacobian(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        many, inputs = _inputs(inputs, "jacobian", create_graph)
        many_out, outs = _outputs(func, inputs, "jacobian", strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please either set "
                "`strict=False` or `vectorize=False`."
            )
        blocks = []
        for number, out in enumerate(outs):
            if out._aval.dtype.is_complex and not vectorize:
                raise RuntimeError(
                    f"grad can be implicitly created only for real scalar outputs but got {out._aval.dtype}"
                )
            if vectorize:
                rows = _all_rows(out, inputs, create_graph)
            else:
                rows = _rows_one_by_one(number, out, inputs, create_graph, strict)
            blocks.append([r.reshape(out._aval.shape + x._aval.shape) for r, x in zip(rows, inputs)])
    return _like([_like(_finished(b, create_graph), many) for b in blocks], many_out)


def _basis(t: Tensor) -> Tensor:
    """All tensors like t that have a single one, stacked."""
    a = t._aval
    size = a.nbytes // a.dtype.itemsize
    return from_array(np.eye(size, dtype=a.dtype.np).reshape(size, *a.shape), on=a.device)


def _all_rows(out: Tensor, inputs: list, create_graph: bool) -> list:
    def row(ct):
        grads = _gradients([out], inputs, [ct], create_graph, True)
        return tuple([_zeros_like(x) if g is None else g for g, x in zip(grads, inputs)])

    return vmap(row)(_basis(out))


def _rows_one_by_one(number: int, out: Tensor, inputs: list, create_graph: bool, strict: bool) -> list:
    columns: list[list] = [[] for _ in inputs]
    basis: Any = _basis(out)
    for j in range(basis._aval.shape[0]):
        grads = _gradients([out], inputs, [basis[j]], create_graph, True)
        for i, (g, x) in enumerate(zip(grads, inputs)):
            if g is None:
                if strict:
                    raise RuntimeError(
                        f"Output {number} of the user-provided function is independent of input {i}. This is not allowed in strict mode."
                    )
                g = _zeros_like(x)
            elif strict and create_graph and g._edge is None:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {number}. This is not allowed in strict mode "
                    "when create_graph=True."
                )
            columns[i].append(g)
    return [_stacked(c, x) for c, x in zip(columns, inputs)]


def _stacked(rows: list, like: Tensor) -> Any:
    return torch.stack(rows) if rows else _zeros_like(like).new_zeros((0, *like._aval.shape))


def _forward_jacobian(func: Callable, inputs: Any, create_graph: bool, strict: bool, vectorize: bool) -> Any:
    for flag, name in ((create_graph, "create_graph"), (strict, "strict")):
        if flag:
            error = NotImplementedError if name == "create_graph" else RuntimeError
            raise error(
                f'torch.autograd.functional.jacobian: `{name}=True` and `strategy="forward-mode"` are not supported together (yet). '
                f'Please either set `{name}=False` or `strategy="reverse-mode"`.'
            )
    many, every = _tensors(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
        )
    shapes: list = []
    many_out = False
    columns: list = []
    for number, x in enumerate(every):

        def column(tangent, number=number):
            nonlocal many_out
            with forward_ad.dual_level():
                zeros = [_zeros_like(t) for t in every]
                duals = [
                    forward_ad.make_dual(t, tangent if i == number else zeros[i]) for i, t in enumerate(every)
                ]
                many_out, outs = _tensors(func(*duals), "outputs of the user-provided function", "jacobian")
                shapes[:] = [o._aval.shape for o in outs]
                unpacked = [forward_ad.unpack_dual(o) for o in outs]
                return tuple([_zeros_like(u.primal) if u.tangent is None else u.tangent for u in unpacked])

        columns.append([c.movedim(0, -1) for c in vmap(column)(_basis(x))])
    blocks = [
        [c[k].reshape(shape + x._aval.shape) for c, x in zip(columns, every)]
        for k, shape in enumerate(shapes)
    ]
    found = blocks if many else tuple([b[0] for b in blocks])  # lists, as torch has them here
    return found if many_out else found[0]


@tidied
def hessian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of func, which returns a single number: of shape input.shape + other.shape for each pair of inputs.

    Args:
        func: a function of tensors that returns a tensor or a tuple of them (for Hessians a
            single number).
        inputs: the arguments: a tensor or a tuple of tensors.
        create_graph: whether the results are differentiable. Default: False.
        strict: whether an output that does not depend on an input raises RuntimeError. By default
            the result is then zero.
        vectorize: whether all rows are computed at once, by vmap. Default: False.
        outer_jacobian_strategy: how the Jacobian of the gradient is computed: "reverse-mode", or
            "forward-mode", which needs `vectorize=True`. Default: "reverse-mode".

    >>> hessian(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    many, _ = _tensors(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def number(*tensors):
        many_out, outs = _outputs(func, list(tensors), "hessian", strict)
        if many_out:
            raise RuntimeError("The function given to hessian should return a single Tensor")
        if outs[0].numel() != 1:  # type: ignore[attr-defined]
            raise RuntimeError(
                "The Tensor returned by the function given to hessian should contain a single element"
            )
        return outs[0].squeeze()  # type: ignore[attr-defined]

    def gradient(*tensors):
        if outer_jacobian_strategy == "forward-mode":
            tensors = tuple([t.requires_grad_(True) for t in tensors])
        found = jacobian(number, tensors, create_graph=True)
        if strict:
            _require_grad(found, _CONSTANT_JACOBIAN)
        return found

    found = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    if many:
        return found
    return found[0]
