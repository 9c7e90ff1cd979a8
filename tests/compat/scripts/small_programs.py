"""Many small programs: optimizers by hand, packed sequences, a Transformer, CAMs, diffusion, graphs, k-means, Gaussian
processes."""

import copy
import random
from collections import OrderedDict

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(3)
np.random.seed(3)
random.seed(3)


def show(name, *xs):
    print(
        name,
        *[
            f"{x:.4f}"
            if isinstance(x, float)
            else (np.round(x.detach().numpy().astype(float), 3).tolist() if isinstance(x, Tensor) else x)
            for x in xs
        ],
    )


# custom optimizer
class Lion(Optimizer):
    def __init__(self, params, lr=1e-2, betas=(0.9, 0.99), wd=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, wd=wd))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.data.mul_(1 - group["lr"] * group["wd"])
                grad = p.grad
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                m = state["exp_avg"]
                b1, b2 = group["betas"]
                p.add_(torch.sign(m * b1 + grad * (1 - b1)), alpha=-group["lr"])
                m.mul_(b2).add_(grad, alpha=1 - b2)
        return loss


m = nn.Sequential(OrderedDict(a=nn.Linear(4, 8), r=nn.ReLU(), b=nn.Linear(8, 2)))
o = Lion(m.parameters(), wd=0.1)
sch = LambdaLR(o, lambda e: 0.9**e)
X, Y = torch.randn(32, 4), torch.randint(2, (32,))
losses = []
for e in range(6):
    for i in range(0, 32, 10):
        o.zero_grad()
        l = F.cross_entropy(m(X[i : i + 10]), Y[i : i + 10])
        l.backward()
        o.step()
        losses.append(l.detach())
    sch.step()
show("lion", torch.stack(losses).mean().item(), sch.get_last_lr()[0], m.a.weight[0])
# manual SGD
w = torch.randn(4, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for _ in range(5):
    loss = ((X @ w + b).squeeze() - Y.float()).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        for p in (w, b):
            p -= 0.1 * p.grad
            p.grad.zero_()
show("manual", w, b, loss.item())


# packed seqs + collate + LSTM
class Seqs(Dataset):
    def __init__(s):
        s.d = [(torch.randint(1, 9, (n,)), n % 2) for n in (5, 3, 7, 2, 6, 4)]

    def __len__(s):
        return len(s.d)

    def __getitem__(s, i):
        return s.d[i]


def coll(b):
    xs, ys = zip(*b)
    return pad_sequence(xs, batch_first=True), torch.tensor([len(x) for x in xs]), torch.tensor(ys)


class Tagger(nn.Module):
    def __init__(s):
        super().__init__()
        s.e = nn.Embedding(9, 6, padding_idx=0)
        s.l = nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True, dropout=0.1)
        s.o = nn.Linear(10, 2)

    def forward(s, x, n):
        p, (h, c) = s.l(pack_padded_sequence(s.e(x), n, batch_first=True, enforce_sorted=False))
        out, ln = pad_packed_sequence(p, batch_first=True)
        return s.o(torch.cat([h[-2], h[-1]], 1)) + out.sum() * 0


t = Tagger()
o = torch.optim.RMSprop(t.parameters(), 1e-2)
pl = ReduceLROnPlateau(o, patience=0, factor=0.5)
for e in range(3):
    tot = 0
    for x, n, y in DataLoader(Seqs(), batch_size=3, collate_fn=coll, shuffle=True, drop_last=True):
        o.zero_grad()
        l = F.cross_entropy(t(x, n), y)
        l.backward()
        o.step()
        tot += l.item()
    pl.step(tot)
    show("tagger", tot, o.param_groups[0]["lr"])
# seq2seq Transformer with masks, greedy decode
tr = nn.Transformer(16, 2, 1, 1, 32, dropout=0.1, batch_first=True)
emb = nn.Embedding(7, 16)
head = nn.Linear(16, 7)
ps = list(tr.parameters()) + list(emb.parameters()) + list(head.parameters())
o = torch.optim.Adam(ps, 1e-3)
src, tgt = torch.randint(1, 7, (2, 5)), torch.randint(1, 7, (2, 4))
src[1, 3:] = 0
for _ in range(3):
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    out = head(
        tr(
            emb(src) * 4,
            emb(tgt[:, :-1]),
            tgt_mask=mask,
            src_key_padding_mask=src == 0,
            memory_key_padding_mask=src == 0,
        )
    )
    l = F.cross_entropy(out.reshape(-1, 7), tgt[:, 1:].reshape(-1), ignore_index=0)
    o.zero_grad()
    l.backward()
    g = nn.utils.clip_grad_norm_(ps, 0.5)
    o.step()
show("s2s", l.item(), g.item())
tr.eval()
ys = torch.ones(1, 1, dtype=torch.long)
with torch.inference_mode():
    mem = tr.encoder(emb(src[:1]) * 4)
    for _ in range(4):
        ys = torch.cat([ys, head(tr.decoder(emb(ys), mem))[:, -1].argmax(-1, keepdim=True)], 1)
show("greedy", ys)
# GradCAM, FGSM, hooks
cnn = nn.Sequential(
    nn.Conv2d(3, 6, 3, padding=1),
    nn.BatchNorm2d(6),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(6, 4, 3),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d((1, 1)),
    nn.Flatten(),
    nn.Linear(4, 3),
).eval()
st = {}
h1 = cnn[4].register_forward_hook(lambda m, i, o: st.update(a=o))
h2 = cnn[4].register_full_backward_hook(lambda m, gi, go: st.update(g=go[0]))
img = torch.rand(1, 3, 8, 8, requires_grad=True)
s = cnn(img)
s[0, s.argmax()].backward()
cam = F.interpolate(
    F.relu((st["g"].mean((2, 3), keepdim=True) * st["a"]).sum(1, keepdim=True)),
    size=(8, 8),
    mode="bilinear",
    align_corners=False,
)
show("cam", cam[0, 0, 3], img.grad.abs().max().item())
h1.remove()
h2.remove()
adv = (img + 0.1 * img.grad.sign()).clamp(0, 1).detach()
show("fgsm", (cnn(adv) - s).abs().sum().item())
# STN
theta = torch.tensor([[[0.8, 0.1, 0.0], [-0.1, 0.9, 0.2]]], requires_grad=True)
grid = F.affine_grid(theta, [1, 3, 6, 6], align_corners=False)
F.grid_sample(img.detach(), grid, align_corners=False).pow(2).sum().backward()
show("stn", theta.grad)
# SimCLR loss
z = F.normalize(torch.randn(8, 5, requires_grad=True), dim=1)
sim = z @ z.T / 0.5
sim.masked_fill_(torch.eye(8, dtype=torch.bool), -1e9)
lab = (torch.arange(8) + 4) % 8
show("simclr", F.cross_entropy(sim, lab).item(), torch.logsumexp(sim, 1)[:3])
# DDPM
betas = torch.linspace(1e-4, 0.02, 10)
ac = torch.cumprod(1 - betas, 0)
acp = F.pad(ac[:-1], (1, 0), value=1.0)
net = nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 2))
o = torch.optim.AdamW(net.parameters(), 1e-2)
for _ in range(8):
    x0 = torch.randn(16, 2) * 0.3 + 1
    tt = torch.randint(0, 10, (16,))
    e = torch.randn_like(x0)
    xt = ac[tt].sqrt()[:, None] * x0 + (1 - ac[tt]).sqrt()[:, None] * e
    l = F.mse_loss(net(torch.cat([xt, tt[:, None].float() / 10], 1)), e)
    o.zero_grad(set_to_none=True)
    l.backward()
    o.step()


@torch.no_grad()
def sample():
    x = torch.randn(4, 2)
    for t in reversed(range(10)):
        e = net(torch.cat([x, torch.full((4, 1), t / 10)], -1))
        x = (x - betas[t] / (1 - ac[t]).sqrt() * e) / (1 - betas[t]).sqrt()
        if t > 0:
            x += betas[t].sqrt() * torch.randn_like(x)
    return x


show("ddpm", l.item(), sample())
# GCN, kmeans, PCA, GP
ei = torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]])
xf = torch.randn(4, 3)
W = nn.Parameter(torch.randn(3, 2))
deg = torch.zeros(4).scatter_add_(0, ei[1], torch.ones(5)).clamp(min=1)
agg = torch.zeros(4, 2).index_add(0, ei[1], (xf @ W)[ei[0]]) / deg.unsqueeze(-1)
agg.relu().sum().backward()
show("gcn", agg, W.grad)
pts = torch.cat([torch.randn(10, 2) + c for c in (-3, 0, 3)])
cent = pts[torch.randperm(30)[:3]].clone()
for _ in range(4):
    a = torch.cdist(pts, cent).argmin(1)
    for k in range(3):
        if (a == k).any():
            cent[k] = pts[a == k].mean(0)
show("kmeans", cent.sort(0).values, torch.bincount(a, minlength=3).sort().values)
u, s_, vh = torch.linalg.svd(pts - pts.mean(0), full_matrices=False)
show("pca", s_, (vh[0].abs()))
xs = torch.linspace(0, 1, 6).unsqueeze(1)
ls = torch.tensor(0.3, requires_grad=True)
K = torch.exp(-0.5 * (xs - xs.T) ** 2 / ls**2) + 0.1 * torch.eye(6)
L = torch.linalg.cholesky(K)
yv = torch.sin(6 * xs)
al = torch.cholesky_solve(yv, L)
nll = 0.5 * (yv.T @ al).squeeze() + L.diagonal().log().sum()
nll.backward()
show("gp", nll.item(), ls.grad.item())
# VAE w/ distributions, flows
import torch.distributions as D
from torch.distributions import Bernoulli, Independent, Normal, TransformedDistribution, kl_divergence

enc = nn.Linear(4, 4)
q = Independent(Normal(enc(X)[:, :2], F.softplus(enc(X)[:, 2:])), 1)
zz = q.rsample()
kl = kl_divergence(q, Independent(Normal(torch.zeros(32, 2), torch.ones(32, 2)), 1)).mean()
(kl + Bernoulli(logits=zz.sum(1)).log_prob(Y.float()).mean()).backward()
show("vae", kl.item(), enc.bias.grad)
fl = TransformedDistribution(Normal(torch.zeros(2), 1.0), [D.AffineTransform(1.0, 2.0), D.ExpTransform()])
show("flow", fl.log_prob(torch.tensor([1.0, 2.0])), fl.sample().shape)
# freezing, surgery, partial load, per layer lr
m2 = copy.deepcopy(m)
for p in m2.a.parameters():
    p.requires_grad = False
m2.b = nn.Linear(8, 3)
r = m2.load_state_dict({k: v for k, v in m.state_dict().items() if k.startswith("a")}, strict=False)
print(r.missing_keys, r.unexpected_keys, sum(p.requires_grad for p in m2.parameters()))
try:
    m2.load_state_dict(m.state_dict())
except RuntimeError as e:
    print(str(e)[:150])
o = torch.optim.SGD(
    [{"params": m2.b.parameters(), "lr": 0.1}, {"params": [p for p in m2.a.parameters()]}],
    lr=0.01,
    momentum=0.9,
)
l = m2(X).logsumexp(1).mean()
l.backward()
o.step()
print(o)
print(m2.a.weight.grad, [k for k in o.state_dict()["state"]])
# topk acc, masks, where, one-hot, scatter, einsum, unfold, roll, meshgrid
lg = torch.randn(6, 5)
tg = torch.randint(5, (6,))
_, pr = lg.topk(3, 1, True, True)
c = pr.t().eq(tg.view(1, -1).expand_as(pr.t()))
print([c[:k].reshape(-1).float().sum(0).item() for k in (1, 3)])
img2 = torch.arange(16.0).view(1, 1, 4, 4)
print(
    F.unfold(img2, 2, stride=2).shape,
    img2.unfold(2, 2, 2).unfold(3, 2, 2).reshape(-1)[:6],
    torch.roll(img2, 1, -1)[0, 0, 0],
)
gy, gx = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
print(
    torch.stack((gy, gx), -1).view(-1, 2)[3],
    F.one_hot(tg, 5).sum(0),
    torch.where(lg > 0)[0][:3],
    (lg > 0).nonzero()[:2],
    lg[lg > 1].numel(),
)
print(
    torch.tril(torch.ones(3, 3)).bool() & ~torch.eye(3, dtype=torch.bool),
    torch.tensor([1, 2, 3]) / 2,
    torch.tensor([7]) // 2,
    -7 % torch.tensor(3),
    2 ** torch.arange(4),
    torch.arange(3) @ torch.arange(3),
    ~torch.tensor([True]),
    torch.tensor(3.7).int(),
    round(float(torch.tensor(2.5)), 1),
)
x = torch.randn(3, requires_grad=True)
y = x * 2
while y.norm() < 100:
    y = y * 2
y.backward(torch.tensor([0.1, 1.0, 1e-3]))
print(x.grad)
a = torch.ones(2, 2, requires_grad=True)
b_ = a + 2
print((b_ * b_ * 3).mean(), a.is_leaf, b_.requires_grad)
print(torch.autograd.functional.hessian(lambda v: (v**3).sum(), torch.tensor([1.0, 2.0])))
