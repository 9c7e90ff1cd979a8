"""What any classifier must go through: norms of gradients, products with the GGN, its trace, Laplace's approximation of
the last layer."""

from __future__ import annotations

from typing import Any

import numpy as np

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite.func import curvature, functional_call, grad, laplace, per_sample, vmap

__all__ = ["goes_through"]


def goes_through(model: Any, x: Any, y: Any, tol: float = 1e-8) -> None:
    """Asserts that a module in eval() gives with them what plain transforms give.

    Its outputs are logits, their classes in dim 1; tol: of values to the largest of them."""
    params = {name: p.detach() for name, p in model.named_parameters()}
    given = (model, F.cross_entropy, params)

    def near(found: Any, wanted: Any) -> None:
        wanted = wanted.detach().numpy()
        np.testing.assert_allclose(
            found.detach().numpy(), wanted, rtol=0, atol=tol * np.abs(wanted).max() + 1e-30
        )

    def loss_of_one(params, x, y):
        return F.cross_entropy(functional_call(model, params, (x[None],)), y[None])

    each = vmap(grad(loss_of_one), in_dims=(None, 0, 0))(params, x, y)
    norms = torch.stack([g.flatten(1).pow(2).sum(1) for g in each.values()]).sum(0).sqrt()
    near(per_sample.gradient_norms(*given, x, y), norms)

    op = curvature.GGN(*given, (x, y))
    v = {k: torch.randn(*p.shape, dtype=p.dtype) for k, p in params.items()}

    def outputs(p):
        return functional_call(model, p, (x,))

    _, wanted = curvature.ggnvp(outputs, lambda z: F.cross_entropy(z, y), params, v)
    found = op @ v
    near(*[torch.cat([tree[k].reshape(-1) for k in params]) for tree in (found, wanted)])

    exact, estimate = curvature.trace(op), curvature.trace(op, samples=20)
    diagonal = per_sample.ggn_diagonal(*given, x, y)
    near(exact, sum(d.sum() for d in diagonal.values()))
    assert abs(estimate.value.item() - exact.item()) < 5 * estimate.standard_error.item()

    posterior = laplace.laplace(model, "classification", params, (x, y), structure="last_layer")
    if outputs(params).dim() == 2:
        np.testing.assert_allclose(posterior.predict(x).sum(1).numpy(), 1, atol=100 * tol)
    variance = posterior.functional_variance(x)
    assert torch.linalg.eigvalsh(variance).min() > -100 * tol * variance.abs().max()
