"""Two networks and two optimizers."""

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.optim as optim


class Generator(nn.Module):
    def __init__(self, latent: int, channels: int = 1) -> None:
        super().__init__()
        self.latent = latent
        self.body = nn.Sequential(
            nn.ConvTranspose2d(latent, 16, 4), nn.BatchNorm2d(16), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(16, channels, 4, stride=2, padding=1), nn.Tanh(),
        )  # fmt: skip

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        return self.body(z[..., None, None])


def weights_init(m: nn.Module) -> None:
    if isinstance(m, nn.Conv2d | nn.ConvTranspose2d):
        nn.init.normal_(m.weight, 0.0, 0.02)
        if m.bias is not None:
            nn.init.zeros_(m.bias)


g = Generator(8)
d = nn.Sequential(nn.Conv2d(1, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(8 * 4 * 4, 1))
g.apply(weights_init)
opt_g = optim.Adam(g.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = optim.Adam(d.parameters(), lr=2e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
real = torch.rand(4, 1, 8, 8)
fake = torch.zeros(0)
for step in range(3):
    fake = g(torch.randn(4, g.latent))
    loss_d = bce(d(real), torch.ones(4, 1)) + bce(d(fake.detach()), torch.zeros(4, 1))
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    loss_g = bce(d(fake), torch.ones(4, 1))
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    print(step, loss_d.item(), float(loss_g))
alpha = torch.rand(4, 1, 1, 1)
mixed = (alpha * real + (1 - alpha) * fake.detach()).requires_grad_()
(slope,) = torch.autograd.grad(d(mixed).sum(), mixed, create_graph=True)
penalty = ((slope.flatten(1).norm(2, dim=1) - 1) ** 2).mean()
penalty.backward()
