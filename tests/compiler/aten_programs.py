"""Functions as people write them, of which `make_fx` shows the ops of aten.
`programs(torch)` gives those of this library or of PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

DIFFERENT = {
    "capital_and_small": "PyTorch's code overwrites the second argument by the first",
    "einsum": "einsum is one op; PyTorch's is made of permutes and a bmm",
    "bn_eval": "PyTorch makes an empty tensor that nothing reads",
    "dropout": "one op draws and scales; PyTorch writes to an empty tensor",
    "sdpa": "attention is one op; PyTorch names the kernel that it has chosen for the device",
    "split": "parts of a split are slices",
    "chunk": "parts of a split are slices",
    "full": "new_zeros is zeros of the size",
    "rand": "randn_like is randn of the size",
    "inplace": "a write is a new value",
    "inplace_arg": "a write to an argument is a copy_ at the end",
    "setitem": "a write to a part is a new value of the whole, and a number is no tensor",
    "module": "PyTorch detaches each result that a derivative saves",
    "autograd": "PyTorch detaches each result that a derivative saves",
    "autograd_sig": "PyTorch detaches each result that a derivative saves",
    "grad_mse": "the derivative of silu is one op",
    "grad_linear3": "PyTorch transposes the weight before it views the input, where a gradient is wanted",
    "jvp": "a derivative in forward mode is one op",
    "vmap": "a vmap is one op",
    "vmapgrad": "a vmap is one op",
}
"""Programs of which PyTorch shows something else, and why."""


class _Pair:
    """A container that is registered."""

    def __init__(self, first: Any, second: Any):
        self.first, self.second = first, second


def programs(torch: Any) -> dict[str, tuple[Callable, tuple]]:
    """Each with its arguments."""
    F = torch.nn.functional
    cases: dict[str, tuple[Callable, tuple]] = {}

    def c(name: str, f: Callable, *args: Any) -> None:
        cases[name] = (f, args)

    torch.manual_seed(0)
    x = torch.randn(3, 4)
    y = torch.randn(3, 4)
    w = torch.randn(5, 4)
    b = torch.randn(5)
    v = torch.randn(4)
    m4 = torch.randn(4, 4)
    x3 = torch.randn(2, 3, 4)
    img = torch.randn(1, 2, 6, 6)
    c("sin", lambda x: torch.sin(x), x)
    c("capital", lambda X, b: X.sin() + b, x, y)
    c("capital_and_small", lambda X, x: X.sin() + x, x, y)
    c("sin_plus", lambda x: x.sin() + 1, x)
    c("rsub", lambda x: 1 - x, x)
    c("poly", lambda x, y: x * 2 - y / 3 + x**2, x, y)
    c("addalpha", lambda x, y: torch.add(x, y, alpha=2), x, y)
    c("neg_abs", lambda x: (-x).abs().sqrt().exp().log(), x)
    c("sum", lambda x: x.sum(), x)
    c("sumdim", lambda x: x.sum(1, keepdim=True), x)
    c("mean", lambda x: x.mean(), x)
    c("meandim", lambda x: x.mean(dim=-1), x)
    c("var", lambda x: x.var(dim=1), x)
    c("std", lambda x: x.std(), x)
    c("max", lambda x: x.max(dim=1), x)
    c("amax", lambda x: x.amax(-1), x)
    c("argmax", lambda x: x.argmax(1), x)
    c("mm", lambda x, y: x @ y.t(), x, y)
    c("matvec", lambda x, v: x @ v, x, v)
    c("dot", lambda v, u: torch.dot(v, u), v, v + 1)
    c("matmul3", lambda x, y: x @ y, x3, m4)
    c("bmm", lambda x, y: torch.bmm(x, y.transpose(1, 2)), x3, x3 + 1)
    c("einsum", lambda x, y: torch.einsum("bij,bkj->bik", x, y), x3, x3 + 1)
    c("linear", lambda x, w, b: F.linear(x, w, b), x, w, b)
    c("linear_nobias", lambda x, w: F.linear(x, w), x, w)
    c("linear3", lambda x, w, b: F.linear(x, w, b), x3, w, b)
    c("relu", lambda x: F.relu(x), x)
    c("acts", lambda x: F.gelu(torch.tanh(x)) + F.silu(torch.sigmoid(x)), x)
    c("softmax", lambda x: x.softmax(-1), x)
    c("log_softmax", lambda x: F.log_softmax(x, 1), x)
    c("layer_norm", lambda x, v: F.layer_norm(x, (4,), v, v), x, v)
    c("conv", lambda x, w, b: F.conv2d(x, w, b, padding=1), img, torch.randn(3, 2, 3, 3), torch.randn(3))
    c("maxpool", lambda x: F.max_pool2d(x, 2), img)
    c("avgpool", lambda x: F.adaptive_avg_pool2d(x, 1), img)
    c(
        "bn_eval",
        lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b),
        img,
        torch.zeros(2),
        torch.ones(2),
        torch.ones(2),
        torch.zeros(2),
    )
    c("group_norm", lambda x: F.group_norm(x, 2), img)
    c("embedding", lambda i, w: F.embedding(i, w), torch.tensor([1, 2]), w)
    c("cross_entropy", lambda x, t: F.cross_entropy(x, t), x, torch.tensor([0, 1, 2]))
    c("mse", lambda x, y: F.mse_loss(x, y), x, y)
    c("dropout", lambda x: F.dropout(x, 0.5), x)
    c("dropout_eval", lambda x: F.dropout(x, 0.5, False), x)
    c(
        "sdpa",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
        torch.randn(1, 2, 3, 4),
        torch.randn(1, 2, 3, 4),
        torch.randn(1, 2, 3, 4),
    )
    c("views", lambda x: x.reshape(2, 6).unsqueeze(0).permute(2, 0, 1).flatten(), x)
    c("view", lambda x: x.view(-1).squeeze(), x)
    c("transpose_contig", lambda x: x.transpose(0, 1).contiguous().clone(), x)
    c("slice", lambda x: x[1:, 2], x)
    c("index", lambda x, i: x[i], x, torch.tensor([0, 2]))
    c("ellipsis", lambda x: x[..., None, 0:2], x)
    c("cat", lambda x, y: torch.cat([x, y], 1), x, y)
    c("stack", lambda x, y: torch.stack([x, y]), x, y)
    c("split", lambda x: x.split(2, 1), x)
    c("chunk", lambda x: x.chunk(2, 1), x)
    c("where", lambda x, y: torch.where(x > 0, x, y), x, y)
    c("compare", lambda x, y: (x >= y) & (x < 1) | ~(x == y), x, y)
    c("masked_fill", lambda x, y: x.masked_fill(y > 0, float("-inf")), x, y)
    c("clamp", lambda x: x.clamp(0, 1).clamp(min=0.5), x)
    c("cast", lambda x: x.to(torch.float64).half(), x)
    c("zeros", lambda x: x + torch.zeros(3, 4) + torch.ones_like(x) + torch.arange(4), x)
    c("full", lambda x: torch.full((3,), 2.0) + x.new_zeros(3), x)
    c("expand", lambda v: v.expand(3, 4).repeat(2, 1), v)
    c("tril", lambda x: x.tril() + x.triu(1), x)
    c("cumsum", lambda x: x.cumsum(1), x)
    c("topk", lambda x: x.topk(2), x)
    c("sort", lambda x: x.sort(), x)
    c("gather", lambda x, i: x.gather(1, i), x, torch.tensor([[0], [1], [2]]))
    c("scatter", lambda x, i: x.scatter_add(1, i, x), x, torch.zeros(3, 4, dtype=torch.int64))
    c("logsumexp", lambda x: x.logsumexp(1), x)
    c("norm", lambda x: torch.linalg.vector_norm(x) + x.norm(), x)
    c("prod", lambda x: x.prod(), x)
    c("minmax", lambda x, y: torch.maximum(x, y) - torch.minimum(x, y), x, y)
    c("rand", lambda x: x + torch.rand(3, 4) + torch.randn_like(x), x)
    c("pad", lambda x: F.pad(x, (1, 2)), x)
    c("detach", lambda x: x.detach() * x, x)
    c("inplace", lambda x: x.clone().add_(1).mul_(2), x)
    c("inplace_arg", lambda x: x.add_(1), x.clone())
    c("setitem", lambda x: setit(x), x)

    def setit(x):
        y = x.clone()
        y[0] = 1
        return y

    def captured(x):
        return x * captured_t

    captured_t = torch.ones(4)
    c("captured", captured, x)
    c("tree", lambda d: {"a": d["a"] + d["b"][0], "n": 3}, {"a": x, "b": [y]})
    net = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2))
    params = dict(net.named_parameters())
    c(
        "functional_call",
        lambda p, x: torch.func.functional_call(net, p, (x,)),
        {k: v.detach() for k, v in params.items()},
        x,
    )
    c("module", lambda x: net(x), x)
    c("grad_sin", torch.func.grad(lambda x: x.sin().sum()), x)
    c("grad_poly", torch.func.grad(lambda x: (x**3 + 2 * x).sum()), x)
    c(
        "grad_functional",
        lambda p, x: torch.func.grad(lambda p: torch.func.functional_call(net, p, (x,)).pow(2).mean())(p),
        {k: v.detach() for k, v in params.items()},
        x,
    )
    c("grad_xent", torch.func.grad(lambda x, t: F.cross_entropy(x, t)), x, torch.tensor([0, 1, 2]))
    c("grad_mm", torch.func.grad(lambda x, y: (x @ y.t()).tanh().sum()), x, y)
    c("grad_ln", torch.func.grad(lambda x, v: F.gelu(F.layer_norm(x, (4,), v, v)).sum()), x, v)
    c("autograd", lambda x: torch.autograd.grad(x.exp().sum(), x)[0], x.clone().requires_grad_())
    c(
        "autograd_sig",
        lambda x, y: torch.autograd.grad((x * y).sigmoid().sum(), (x, y)),
        x.clone().requires_grad_(),
        y.clone().requires_grad_(),
    )
    c("vjp", lambda x, v: torch.func.vjp(lambda x: x.cos(), x)[1](v)[0], x, y)
    c("jvp", lambda x, v: torch.func.jvp(lambda x: x.sin(), (x,), (v,)), x, y)
    c("vmap", torch.func.vmap(lambda x: x.sin().sum()), x)
    c("vmapgrad", torch.func.vmap(torch.func.grad(lambda x: x.sin().sum())), x)

    c(
        "grad_conv",
        torch.func.grad(lambda w, x, b: F.max_pool2d(F.relu(F.conv2d(x, w, b)), 2).sum(), argnums=(0, 2)),
        torch.randn(3, 2, 3, 3),
        img,
        torch.randn(3),
    )
    c(
        "grad_attention",
        torch.func.grad(lambda q, k: ((q @ k.transpose(1, 2)).softmax(-1) @ q).sum(), argnums=(0, 1)),
        x3,
        x3 + 1,
    )
    c(
        "grad_embedding",
        torch.func.grad(lambda w, i: F.embedding(i, w).square().sum()),
        w,
        torch.tensor([1, 2]),
    )
    c("grad_mse", torch.func.grad(lambda x, y: F.mse_loss(F.silu(x), y)), x, y)
    c("grad_broadcast", torch.func.grad(lambda v, x: (x * v + v).div(2).sum()), v, x)
    c("grad_value", torch.func.grad_and_value(lambda x: x.exp().mean()), x)
    c("grad_views", torch.func.grad(lambda x: (x.reshape(2, 6).t()[1:, 0].unsqueeze(0) * 2).sum()), x)
    c(
        "grad_linear3",
        torch.func.grad(lambda w, b, x: F.linear(x, w, b).sigmoid().sum(), argnums=(0, 1, 2)),
        w,
        b,
        x3,
    )
    c("grad_cat", torch.func.grad(lambda x, y: torch.cat([x, y], 1).cos().sum(), argnums=(0, 1)), x, y)
    c("grad_log_softmax", torch.func.grad(lambda x: F.log_softmax(x, -1)[0, 1]), x)
    torch.utils._pytree.register_pytree_node(
        _Pair, lambda pair: ([pair.first, pair.second], None), lambda children, _: _Pair(*children)
    ) if _Pair not in torch.utils._pytree.SUPPORTED_NODES else None
    c("container", lambda pair: pair.first.sin() + pair.second, _Pair(x, y))
    c("container_out", lambda pairs: {"sum": _Pair(pairs[0].second, pairs[0].first + 1)}, [_Pair(x, y)])
    return cases
