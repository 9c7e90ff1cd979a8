"""A little of everything."""

import functorch_lite as torch
from functorch_lite import nn

x = torch.randn(3, 4, requires_grad=True)
assert x.dtype == torch.float32
assert isinstance(x, torch.Tensor)
mask = (x > 0) & (x < 1) | ~(x == 0)
y = torch.where(mask, x, torch.zeros_like(x))
y = torch.where(mask, x, 0.0)
z = x.view(-1).unsqueeze(0).repeat(2, 1).transpose(0, 1).contiguous()
vals, idx = torch.topk(z.flatten(), 3)
s = torch.sort(z.flatten(), descending=True)
print(s.values, s.indices, vals, idx)
for row in x:
    print(row.shape[0], row.tolist())
x = x.detach()
x[:, 0] = 1.0
x[mask] = 0
n: int = x.size(0)
h, w = x.shape
b = torch.arange(0, 10, 2, dtype=torch.long, device="cpu")
c = torch.stack([torch.tensor([1.0, 2.0]), torch.tensor([3, 4]).float()], dim=1)
d = torch.nn.functional.cross_entropy(torch.randn(3, 5), torch.tensor([1, 2, 3]), reduction="mean")
e: float = d.item()
l = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
for m in l:
    m.requires_grad_(False)
seq = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
print(seq(torch.ones(1, 2)).sum().backward(), seq[0].weight)
with torch.autocast("cpu", dtype=torch.bfloat16):
    pass
scaler = torch.amp.GradScaler("cpu")
x.requires_grad_()
g = torch.autograd.grad((x * 2).sum(), [x], create_graph=True)[0]
gen = torch.Generator().manual_seed(0)
r = torch.rand(2, 2, generator=gen)
print(torch.cuda.is_available(), torch.backends.cudnn.benchmark, torch.__version__)
q, rr = torch.linalg.qr(r)
f = torch.fft.rfft(r, dim=-1).abs()
m1 = r.max()
m2, i2 = r.max(dim=0)
m3 = torch.max(r, r.T)
print(
    r.mean((0, 1)),
    r.sum(-1, keepdim=True),
    r.std(),
    r.norm(),
    r.clamp(min=0),
    r.clamp(0, 1),
    r**2,
    2**r,
    1 - r,
    r @ r,
)


class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 + 0 * x


print(Fn.apply(r))
opt = torch.optim.SGD([{"params": seq.parameters(), "lr": 0.1}], lr=0.1, momentum=0.9)
for group in opt.param_groups:
    group["lr"] *= 0.5


def closure():
    opt.zero_grad()
    loss = seq(torch.ones(1, 2)).sum()
    loss.backward()
    return loss


torch.optim.LBFGS(seq.parameters()).step(closure)
emb = nn.Embedding(10, 3, padding_idx=0)
lstm = nn.LSTM(3, 4, batch_first=True)
out, (hn, cn) = lstm(emb(torch.randint(10, (2, 5))))
packed = nn.utils.rnn.pack_padded_sequence(out, torch.tensor([5, 3]), batch_first=True)
mha = nn.MultiheadAttention(4, 2, batch_first=True)
o, wts = mha(out, out, out)
nn.init.xavier_uniform_(seq[0].weight)
compiled = torch.compile(seq)
compiled(torch.ones(1, 2))
H = torch.func.hessian(lambda t: (t**3).sum())(torch.ones(3))
prim, tang = torch.func.jvp(torch.sin, (torch.ones(3),), (torch.ones(3),))
out, vjp_fn = torch.func.vjp(torch.sin, torch.ones(3))
torch.save({"a": x, "model": seq.state_dict()}, "f.pt")
state = torch.load("f.pt", map_location="cpu")
dist = torch.distributions.Normal(torch.zeros(2), torch.ones(2))
print(dist.rsample((3,)), dist.log_prob(torch.zeros(2)))
t = torch.tensor([[1, 2], [3, 4]])
t2 = t.float().requires_grad_(True)
t2.grad = None
ten = t.new_zeros(2, 2)
ten2 = torch.full((2, 2), 1.5)
ten3 = torch.eye(3)
ten4 = torch.linspace(0, 1, 5)
ten5 = torch.empty(2, 3).fill_(1).mul_(2)
print(
    torch.cat((t, t), 0),
    torch.split(t, 1),
    torch.chunk(t, 2),
    t.gather(1, t - 1),
    t.scatter_(1, t - 1, 5),
    torch.outer(ten4, ten4),
    torch.tril(ten3),
)
print(
    x.detach().numpy().shape, x.detach().cpu().numpy(), len(x), float(x[0, 0]), int(x.argmax()), bool(x.any())
)
