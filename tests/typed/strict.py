# mypy: disallow-untyped-calls, disallow-untyped-decorators
"""What `mypy --strict` asks of the functions that a script calls: that they are annotated."""

import functorch_lite as torch
from functorch_lite.distributions import Bernoulli, Gamma, MultivariateNormal, Normal


@torch.no_grad()
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def score() -> torch.Tensor:
    with torch.no_grad():
        y = twice(torch.ones(3))
    with torch.enable_grad(), torch.inference_mode():
        z = twice(y)
    d = Normal(0.0, torch.ones(3))
    value = d.log_prob(d.sample()) + Bernoulli(probs=0.5).log_prob(torch.ones(3)) + d.entropy()
    m = MultivariateNormal(torch.zeros(2), torch.eye(2))
    torch.set_grad_enabled(True)
    return value.sum() + z.sum() + m.log_prob(torch.ones(2)) + Gamma(1.0, 1.0).rsample((3,)).sum()
