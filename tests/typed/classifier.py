"""A classifier, trained as people write it."""

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.func import functional_call, grad, jacrev, vmap
from functorch_lite.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.fc = nn.Linear(width * 14 * 14, 10)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.norm(self.conv(x))), 2)
        x = self.drop(x.flatten(1))
        return F.log_softmax(self.fc(x), dim=-1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = Net().to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=10)
images = torch.randn(64, 1, 28, 28)
labels = torch.randint(0, 10, (64,))
loader = DataLoader(TensorDataset(images, labels), batch_size=16, shuffle=True)
loss = torch.zeros(())
for epoch in range(2):
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        opt.zero_grad(set_to_none=True)
        loss = F.nll_loss(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
    sched.step()
    with torch.no_grad():
        model.eval()
        pred = model(images).argmax(dim=1)
        acc = (pred == labels).float().mean().item()
        print(f"{epoch}: {loss.item():.3f} {acc:.2f}")

params = {k: v.detach() for k, v in model.named_parameters()}


def loss_fn(p: dict[str, torch.Tensor], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return F.nll_loss(functional_call(model, p, (x[None],)), y[None])


g = vmap(grad(loss_fn), in_dims=(None, 0, 0))(params, images, labels)
norms = torch.stack([v.flatten(1).norm(dim=1) for v in g.values()]).norm(dim=0)
J = jacrev(lambda z: torch.sin(z) * 2)(torch.ones(3))
a = torch.ones(2, 3) @ torch.ones(3, 4) + 1.0
a[0] = 2
a += 1
b = a[:, None].expand(2, 5, 4).permute(0, 2, 1).reshape(-1, 5)
u, s, vh = torch.linalg.svd(b)
v, i = b.max(dim=1)
torch.save(model.state_dict(), "m.pt")
model.load_state_dict(torch.load("m.pt"))
print(
    torch.einsum("ij,jk->ik", a, a.T),
    a.mean().item(),
    float(a.sum()),
    torch.cat([a, a]).shape,
    -a,
    2 / a,
    a > 1,
    a.numpy(),
)
w = nn.Parameter(torch.zeros(3))
w.data.fill_(1)
if w.grad is not None:
    w.grad.zero_()
