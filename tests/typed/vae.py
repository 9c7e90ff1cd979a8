"""Distributions and a variational autoencoder."""

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.distributions import (
    Bernoulli,
    Categorical,
    Independent,
    MultivariateNormal,
    Normal,
    kl_divergence,
)


class VAE(nn.Module):
    def __init__(self, n: int = 8, latent: int = 2) -> None:
        super().__init__()
        self.encode = nn.Linear(n, 2 * latent)
        self.decode = nn.Linear(latent, n)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mean, log_scale = self.encode(x).chunk(2, dim=-1)
        q = Independent(Normal(mean, F.softplus(log_scale)), 1)
        z = q.rsample()
        prior = Independent(Normal(torch.zeros_like(mean), torch.ones_like(mean)), 1)
        return self.decode(z), kl_divergence(q, prior).mean()


model, x = VAE(), torch.rand(4, 8).round()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
loss = torch.zeros(())
for _ in range(3):
    logits, kl = model(x)
    loss = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / len(x) + kl
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
print(scheduler.get_last_lr(), loss.item())
policy = Categorical(logits=torch.randn(4, 3))
action = policy.sample()
print((-policy.log_prob(action) * torch.ones(4)).mean(), policy.entropy(), Bernoulli(0.3).sample((2, 2)))
mvn = MultivariateNormal(torch.zeros(2), covariance_matrix=torch.eye(2))
print(mvn.sample((5,)).var(dim=0), mvn.log_prob(torch.zeros(2)).item())
