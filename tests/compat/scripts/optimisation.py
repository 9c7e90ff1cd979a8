"""LBFGS, a differential equation, MAML, a GAN, autocast with averaged weights, hooks and in-place writes."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


# 1. LBFGS + LSTMCell sequence
class Seq(nn.Module):
    def __init__(s):
        super().__init__()
        s.l1 = nn.LSTMCell(1, 8)
        s.l2 = nn.LSTMCell(8, 8)
        s.lin = nn.Linear(8, 1)

    def forward(self, input, future=0):
        outputs = []
        h = torch.zeros(input.size(0), 8, dtype=torch.double)
        c = torch.zeros(input.size(0), 8, dtype=torch.double)
        h2, c2 = h.clone(), c.clone()
        for t in input.split(1, dim=1):
            h, c = self.l1(t, (h, c))
            h2, c2 = self.l2(h, (h2, c2))
            o = self.lin(h2)
            outputs += [o]
        for i in range(future):
            h, c = self.l1(o, (h, c))
            h2, c2 = self.l2(h, (h2, c2))
            o = self.lin(h2)
            outputs += [o]
        return torch.cat(outputs, dim=1)


x = torch.sin(torch.arange(0, 12, dtype=torch.double) / 2 + torch.rand(4, 1, dtype=torch.double))
seq = Seq().double()
opt = torch.optim.LBFGS(seq.parameters(), lr=0.8, max_iter=5)
for i in range(2):

    def closure():
        opt.zero_grad()
        out = seq(x[:, :-1])
        loss = nn.MSELoss()(out, x[:, 1:])
        loss.backward()
        return loss

    print(f"lbfgs {opt.step(closure).item():.6f}")
with torch.no_grad():
    print(seq(x[:1], future=3)[0, -3:].numpy().round(4))
# 2. PINN
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for i in range(20):
    t = torch.rand(16, 1, requires_grad=True)
    u = net(t)
    du = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]
    d2 = torch.autograd.grad(du, t, torch.ones_like(du), create_graph=True)[0]
    loss = ((d2 + u) ** 2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"pinn {loss.item():.5f}")
# 3. MAML
model = nn.Linear(3, 1)
meta = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, nesterov=True)
for i in range(3):
    meta.zero_grad()
    for task in range(2):
        w = {k: v for k, v in model.named_parameters()}
        xs, ys = torch.randn(5, 3), torch.randn(5, 1)
        for _ in range(2):
            l = F.mse_loss(torch.func.functional_call(model, w, (xs,)), ys)
            g = torch.autograd.grad(l, list(w.values()), create_graph=True)
            w = {k: v - 0.1 * gg for (k, v), gg in zip(w.items(), g)}
        F.mse_loss(torch.func.functional_call(model, w, (xs,)), ys).backward()
    meta.step()
print("maml", [round(p, 4) for p in model.weight.flatten().tolist()])
# 4. GAN
G = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2, inplace=True), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1), nn.Sigmoid())
og, od = (
    torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.999)),
    torch.optim.Adam(D.parameters(), 1e-3, betas=(0.5, 0.999)),
)
crit = nn.BCELoss()
for i in range(5):
    D.zero_grad()
    real = torch.randn(8, 2) + 3
    label = torch.full((8,), 1.0, dtype=torch.float)
    eD = crit(D(real).view(-1), label)
    eD.backward()
    Dx = D(real).mean().item()
    fake = G(torch.randn(8, 4))
    label.fill_(0.0)
    e2 = crit(D(fake.detach()).view(-1), label)
    e2.backward()
    od.step()
    G.zero_grad()
    label.fill_(1)
    eG = crit(D(fake).view(-1), label)
    eG.backward()
    og.step()
print(f"gan {(eD + e2).item():.4f} {eG.item():.4f} {Dx:.4f}")
# 5. EMA / SWA / OneCycle / warm restarts / plateau, gradient penalty, BN, amp
m = nn.Sequential(
    nn.Conv2d(1, 4, 3, padding=1),
    nn.BatchNorm2d(4),
    nn.ReLU(inplace=True),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(4, 3),
)
ema = torch.optim.swa_utils.AveragedModel(m, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
opt = torch.optim.SGD(m.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
sch = torch.optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=6)
scaler = torch.amp.GradScaler("cpu", enabled=True)
for i in range(6):
    xb = torch.randn(8, 1, 6, 6)
    yb = torch.randint(3, (8,))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.cross_entropy(m(xb), yb, label_smoothing=0.1)
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(m.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
    sch.step()
    ema.update_parameters(m)
print(
    f"amp {loss.item():.2f} {sch.get_last_lr()[0]:.6f} {scaler.get_scale()}", m[1].num_batches_tracked.item()
)
m2 = copy.deepcopy(m).eval()
print(torch.allclose(m2(xb), m.eval()(xb)))


# 6. custom Function, hooks, in-place, masks
class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lo):
        ctx.save_for_backward(x)
        ctx.lo = lo
        return x.clamp(min=lo)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x > ctx.lo).float(), None


a = torch.linspace(-1, 1, 5, requires_grad=True)
seen = []
a.register_hook(lambda g: seen.append(g.clone()))
y = Clamp.apply(a, 0.2)
y.sum().backward()
print(a.grad, len(seen))
buf = torch.zeros(3, 4)
buf[1] += 2
buf[:, 1:3].mul_(3).add_(1)
buf[buf > 5] = -1
print(buf, buf.t()[1].sum())
act = {}
h = m[5].register_forward_hook(lambda mod, i, o: act.__setitem__("fc", o.detach()))
m(xb)
h.remove()
print(act["fc"].shape, tuple(m.state_dict())[:3])
print(
    torch.einsum("bij,bjk->bik", torch.ones(2, 2, 3), torch.ones(2, 3, 2)).sum(),
    torch.cdist(torch.eye(3), torch.zeros(3, 3)).mean(),
)
v, i = torch.sort(torch.tensor([3.0, 1.0, 2.0]), descending=True)
print(v, i, torch.unique(torch.tensor([1, 1, 2]), return_counts=True))
