"""Jacobians, Hessians and their products."""

from collections.abc import Callable

import functorch_lite as torch
from functorch_lite.func import hessian, jacfwd, jacrev, jvp, linearize, vjp


def rosenbrock(x: torch.Tensor) -> torch.Tensor:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def hvp(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return jvp(torch.func.grad(f), (x,), (v,))[1]


x = torch.zeros(3, dtype=torch.float64)
H: torch.Tensor = hessian(rosenbrock)(x)
eigenvalues, vectors = torch.linalg.eigh(H)
print(eigenvalues.min().item(), vectors.shape, torch.linalg.cond(H), torch.linalg.norm(H, ord=2))
assert torch.allclose(H, jacfwd(jacrev(rosenbrock))(x))
out, pull = vjp(torch.sin, x)
(gx,) = pull(torch.ones_like(out))
value, push = linearize(torch.cos, x)
print(hvp(rosenbrock, x, gx), value + push(gx))
step = torch.linalg.solve(H, -torch.autograd.functional.jacobian(rosenbrock, x))
L = torch.linalg.cholesky(H @ H.mT + torch.eye(3, dtype=H.dtype))
print(torch.cholesky_solve(step[:, None], L), torch.linalg.lstsq(H, step).solution)
