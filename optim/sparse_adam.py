"""SparseAdam: Adam that leaves alone the rows of a table that took no part in the step."""

from __future__ import annotations

from functorch_lite._core.api import Tensor
from functorch_lite._core.api import functions as torch
from functorch_lite.autograd.grad_mode import enable_grad, no_grad
from functorch_lite.optim.optimizer import Optimizer
from functorch_lite.optim.rules import check_betas, check_lr, chosen

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam for embeddings: parameters and both moments change only in rows (dim 0) whose gradient is not zero.

    Sparse gradients, such as the ones from `nn.Embedding(sparse=True)`, name the rows. Dense ones, which PyTorch
    refuses, are taken too: a row takes part when any element of its gradient is not zero.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        lr: the learning rate: a number, or a tensor of one element. Default: 0.001.
        betas: the decay rates of the averages of the gradient and of its square. Default: (0.9,
            0.999).
        eps: a small number added to the denominator. Default: 1e-08.
        maximize: whether the objective is maximized. Default: False.

    >>> table = torch.nn.Embedding(10, 3, sparse=True)
    >>> SparseAdam(table.parameters(), lr=0.1).defaults["lr"]
    0.1
    """

    def __init__(
        self,
        params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 < lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, chosen(locals(), "lr betas eps maximize"))
        complex_params = [
            [g, n]
            for g, group in enumerate(self.param_groups)
            for n, p in enumerate(group["params"])
            if p.is_complex()
        ]
        if complex_params:
            raise ValueError(
                f"Complex params at indices {complex_params}: SparseAdam does not support complex parameters"
            )

    def step(self, closure=None):
        """One step; `closure` computes the loss again and returns it."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self._step_of(p, group)
        return loss

    def _step_of(self, p: Tensor, group: dict) -> None:
        state = self.state[p]
        if not state:
            state["step"] = 0
            state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(p), torch.zeros_like(p)
        state["step"] += 1
        beta1, beta2 = group["betas"]
        correction = (1 - beta2 ** state["step"]) ** 0.5 / (1 - beta1 ** state["step"])
        grad, rows = _with_rows(p.grad)
        if group["maximize"]:
            grad = -grad
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.copy_(torch.where(rows, mean + (grad - mean) * (1 - beta1), mean))
        square.copy_(torch.where(rows, square + (grad * grad - square) * (1 - beta2), square))
        p.sub_(torch.where(rows, mean / (square.sqrt() + group["eps"]), 0) * (group["lr"] * correction))


def _with_rows(grad: Tensor) -> tuple[Tensor, Tensor]:
    """A gradient, dense, and where it takes part in the step: as a mask of its elements, or of rows."""
    if grad.is_sparse:
        grad = grad.coalesce()
        named = torch.sparse_coo_tensor(grad.indices(), torch.ones_like(grad.values()), grad.shape)
        return grad.to_dense(), named.to_dense().ne(0)
    if not grad.dim():
        return grad, grad.ne(0)
    return grad, grad.ne(0).reshape(grad.shape[0], -1).any(1).reshape(-1, *[1] * (grad.dim() - 1))
