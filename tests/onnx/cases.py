"""What is exported: ops, in families, as functions of a float tensor `x` (batch, 4, 6), a positive one `p` of that
shape, whole numbers `i` (batch, 4) and a mask `m` like x."""

from __future__ import annotations

FAMILIES = {
    "elementwise": lambda torch, F, x, p, i, m: [
        x.abs(), x.exp(), p.log(), p.sqrt(), p.rsqrt(), x.sin(), x.tanh(), x.sigmoid(), x.erf(), x.neg(), p.log1p(),
        x.expm1(), p.log2(), x.sign(), x.floor(), x.round(),
        x.reciprocal(), x.square(), x + p, x - 2, 3 - x, x * p, x / p, x**2, p**1.5, 2**x, x % 3, i // 3, i % 3,
        -i // 2, torch.div(i, 2, rounding_mode="trunc"),
        torch.maximum(x, p), torch.minimum(x, p), torch.atan2(x, p), torch.add(x, p, alpha=2), x + i.unsqueeze(-1),
        torch.addcmul(x, p, p, value=0.5), torch.lerp(x, p, 0.3),
    ],
    "comparisons": lambda torch, F, x, p, i, m: [
        x > 0, x >= p, x < p, x <= 0.5, i == 2, i != 2, i > 1.5, m & (x > 0), m | (x > 0), m ^ (x > 0), ~m,
        torch.where(m, x, p), torch.where(m, x, 0.0),
        x.masked_fill(m, -1.0), x.clamp(-0.5, 0.5), x.clamp(min=0), x.clamp(max=p), m.any(-1), m.all(), x.isnan(),
        m.float(), x.to(torch.int64), i.to(torch.float32),
    ],
    "activations": lambda torch, F, x, p, i, m: [
        F.relu(x), F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.mish(x), F.hardswish(x), F.hardsigmoid(x),
        F.leaky_relu(x, 0.1), F.elu(x), F.selu(x), F.celu(x),
        F.softplus(x), F.softplus(x, beta=2.0), F.logsigmoid(x), F.hardtanh(x), F.relu6(x), F.softsign(x),
        F.softmax(x, -1), F.log_softmax(x, 1), F.dropout(x, 0.5, False),
    ],
    "shapes": lambda torch, F, x, p, i, m: [
        x.transpose(1, 2), x.permute(2, 0, 1), x.reshape(x.shape[0], 24), x.view(-1, 6), x.flatten(1), x.unsqueeze(0),
        x[:, :1].squeeze(1), x.movedim(0, 2), x[:, 1:3], x[..., ::2],
        x[:, -1], x[1:], x[:-1], x.expand(3, -1, -1, -1), x.repeat(2, 1, 3), torch.cat([x, p], 0),
        torch.cat([x, p], 1), torch.stack([x, p], 1), x.flip(-1), x.roll(1, 0),
        x.roll((1, -2), (1, 2)), F.pad(x, (1, 2)), F.pad(x, (1, 2), value=3.0), *x.chunk(2, 1), *x.split([1, 5], -1),
        *x.unbind(1), x.triu(), x.tril(-1), x.diagonal(0, 1, 2),
        x.repeat_interleave(2, 1), torch.zeros(x.shape[0], 2), torch.ones_like(x), torch.full((2, x.shape[0]), 1.5),
        torch.arange(x.shape[0]), x.new_zeros(3), *x.split(3, 2),
        torch.arange(2 * x.shape[0] + 1), x.narrow(1, 1, 2), x.mT,
    ],
    "indices": lambda torch, F, x, p, i, m: [
        x[i[:, 0] % 2], x[:, i[0]], x[:, [0, 2], [1, 3]], x.gather(1, i.unsqueeze(-1)),
        x.index_select(1, torch.tensor([2, 0])), F.embedding(i, p[0]), F.one_hot(i, 5),
        x.scatter(1, i.unsqueeze(-1), 0.0), x.scatter_add(1, i.unsqueeze(-1), torch.ones_like(p[..., :1])),
        x.take_along_dim(i.unsqueeze(-1).expand(-1, -1, 6), 1),
    ],
    "reductions": lambda torch, F, x, p, i, m: [
        x.sum(), x.sum(1), x.mean((1, 2)), x.mean(-1, keepdim=True), p.prod(-1), x.amax(-1), x.amin((0, 1)), x.max(),
        *x.max(1), *x.min(2, keepdim=True), x.argmax(-1), x.argmin(1),
        x.var(-1), x.std(-1, unbiased=False), x.var((0, 1)), x.norm(dim=-1), x.logsumexp(-1), x.cumsum(1),
        *x.topk(2, -1), *x.sort(-1), x.argsort(-1, descending=True), i.sum(-1),
        torch.linalg.vector_norm(x, dim=(1, 2)), *torch.var_mean(x, 1),
    ],
    "products": lambda torch, F, x, p, i, m: [
        x @ p.mT, x @ p[0].T, torch.bmm(x, p.mT), torch.einsum("bij,bkj->bik", x, p),
        F.scaled_dot_product_attention(x, p, p), F.scaled_dot_product_attention(x, p, p, is_causal=True),
        F.scaled_dot_product_attention(x, p, p, attn_mask=m[..., :4] | True), F.layer_norm(x, (6,)),
        F.layer_norm(x, (4, 6)), F.rms_norm(x, (6,)), F.linear(x, p[0]), torch.outer(x[0, 0], p[0, 0]),
        F.mse_loss(x, p), F.l1_loss(x, p), F.cross_entropy(x, i[:, 0].unsqueeze(-1).expand(-1, 6) % 4),
        F.normalize(x, dim=-1), F.cosine_similarity(x, p, dim=-1),
    ],
}  # fmt: skip


def layers(torch):
    """Layers and small nets, by name: (module, example of one input, dims that are open)."""
    nn = torch.nn
    image, words = torch.randn(2, 3, 8, 8), torch.randint(0, 20, (2, 5))

    class Attending(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

        def forward(self, x):
            return self.attention(x, x, x, need_weights=True)

    return {
        "mlp": (nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 2)), torch.randn(2, 6), {0}),
        "convolutions": (
            nn.Sequential(
                nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                nn.Conv2d(8, 8, 3, padding="same", groups=2), nn.GroupNorm(2, 8),
                nn.PReLU(8), nn.ConvTranspose2d(8, 4, 2, 2), nn.Upsample(scale_factor=2), nn.PixelShuffle(2),
                nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            ),
            image, {0},
        ),
        "training": (nn.Sequential(nn.Conv1d(3, 4, 3), nn.BatchNorm1d(4)).train(), torch.randn(2, 3, 8), {0}),
        "lstm": (nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True), torch.randn(2, 4, 6), {0, 1}),
        "gru": (nn.GRU(6, 5), torch.randn(4, 2, 6), {0, 1}),
        "rnn": (nn.RNN(6, 5, nonlinearity="relu"), torch.randn(4, 2, 6), {0, 1}),
        "attention": (Attending(), torch.randn(2, 5, 16), {0, 1}),
        "transformer": (nn.Sequential(nn.Embedding(20, 16), nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), nn.Linear(16, 20)), words, {0, 1}),
    }  # fmt: skip
