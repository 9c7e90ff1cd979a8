"""Tensor.backward."""

from __future__ import annotations

from .._core.api import attach, state, tidy
from . import derivatives
from .watch import walk

__all__ = ["backward"]


@attach()
def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
    """Accumulates the gradients of this tensor into the leaves it was computed from (torch.Tensor.backward).

    gradient: of this tensor's shape, or a list of that alone, needed unless the tensor has one element (RuntimeError);
    RuntimeError too for a tensor that does not require grad.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> (w ** 2).sum().backward()
    >>> w.grad
    tensor([2., 4.])
    """
    try:
        a = self._aval
        if gradient is inputs is None and self._edge is not None and not a.shape and a.dtype.category == 2:
            if not state.here.rec.level:  # hot path: a loss, of which nothing else is to be looked at
                walk([(self, None)], create_graph if retain_graph is None else retain_graph, create_graph)
                return
        given = gradient if gradient is None or isinstance(gradient, list | tuple) else (gradient,)
        derivatives.backward((self,), given, retain_graph, create_graph, inputs=inputs)
    except BaseException as error:
        tidy(error)
        raise
