"""Tensor.backward."""

from __future__ import annotations

from .._core.api import attach, state, tidy
from . import derivatives
from .watch import walk

__all__ = ["backward"]


@attach()
def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
    """Accumulates the gradients of this tensor into the `grad` of the leaves from which it was computed.

    Args:
        gradient: the gradient with respect to this tensor, of its shape (or a list of that alone). Needed unless the
            tensor has one element; None (the default) then means 1.
        retain_graph: whether the saved values are kept, so that backward may run again. None (the default) takes the
            value of `create_graph`.
        create_graph: whether the gradients can be differentiated themselves. Default: False.
        inputs: the only leaves that accumulate gradients. None (the default) means all.

    Raises:
        RuntimeError: if the tensor does not require grad, or has several elements and no `gradient` is given.

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
