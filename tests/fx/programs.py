"""Programs to trace, written once for this library and for PyTorch: `programs(torch)` gives them, made of either's
modules."""

import collections
import math
from typing import Any

Point = collections.namedtuple("Point", "x y")


def modules(torch: Any) -> dict[str, Any]:
    """(module, example inputs) by name."""
    nn, F = torch.nn, torch.nn.functional

    class Simple(nn.Module):
        def __init__(self):
            super().__init__()
            self.param = nn.Parameter(torch.full((3, 4), 0.5))
            self.linear = nn.Linear(4, 5)

        def forward(self, x):
            return self.linear(x + self.param).clamp(min=0.0, max=1.0)

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(2, 2, 3, padding=1, bias=False)
            self.bn1 = nn.BatchNorm2d(2)
            self.relu = nn.ReLU(inplace=True)
            self.down = nn.Sequential(nn.Conv2d(2, 2, 1), nn.BatchNorm2d(2))
            self.pool = nn.AdaptiveAvgPool2d((1, 1))
            self.fc = nn.Linear(2, 3)

        def forward(self, x):
            out = self.relu(self.bn1(self.conv1(x)))
            out += self.down(x)
            out = torch.flatten(self.pool(out), 1)
            return self.fc(out)

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x, mask):
            q, k, v = self.q(x), self.k(x), self.v(x)
            scores = q @ k.transpose(-2, -1) / math.sqrt(4)
            scores = scores.masked_fill(mask, float("-inf"))
            return F.softmax(scores, dim=-1) @ v

    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)
            self.register_buffer("scale", torch.full((4,), 2.0))

        def forward(self, x):
            return torch.tanh(self.fc(x)) * self.scale

    class Nested(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList([Inner(), Inner()])
            self.named = nn.ModuleDict({"last": nn.LayerNorm(4)})

        def forward(self, x):
            for block in self.blocks:
                x = x + block(x)
            return self.named["last"](x)

    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self, x):
            return self.fc(self.fc(x)) + self.fc.weight.sum() + F.linear(x, self.fc.weight, self.fc.bias)

    class Constants(nn.Module):
        def __init__(self):
            super().__init__()
            self.plain = torch.full((4,), 3.0)

        def forward(self, x):
            return x * self.plain + torch.full((4,), 2.0) - torch.ones(4)

    class Kinds(nn.Module):
        def forward(self, x, y: int = 2, *args, scale: float = 1.5, **kwargs):
            return {"a": x * scale, "b": [x + y, (x,)], "c": None}

    x = torch.arange(12.0).reshape(3, 4) / 7 - 0.8
    return {
        "simple": (Simple(), (x,)),
        "residual": (Residual().eval(), (torch.arange(50.0).reshape(1, 2, 5, 5) / 25 - 1,)),
        "attention": (Attention(), (x, torch.ones(3, 3).triu(1) > 0)),
        "nested": (Nested(), (x,)),
        "shared": (Shared(), (x,)),
        "constants": (Constants(), (x,)),
        "kinds": (Kinds(), (x,)),
        "sequential": (nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.GELU(), nn.Linear(4, 2)), nn.Softmax(dim=-1)), (x,)),
        "mlp with dropout": (nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.ReLU6()).eval(), (x,)),
        "embedding": (nn.Sequential(nn.Embedding(5, 3), nn.LayerNorm(3)), (torch.arange(4),)),
    }  # fmt: skip


def functions(torch: Any) -> dict[str, Any]:
    """(function, example inputs) by name."""
    F = torch.nn.functional
    x = torch.arange(12.0).reshape(3, 4) / 7 - 0.8
    w = torch.arange(8.0).reshape(2, 4) / 5 - 0.5
    image = torch.arange(32.0).reshape(1, 2, 4, 4) / 9 - 1.5

    def operators(a, b):
        return (
            a + b,
            a - 1,
            2 * a,
            a / b,
            a // 2,
            a % 2,
            a**2,
            2**a,
            -a,
            +a,
            abs(a),
            1 - a,
            1 / (a + 3),
            a @ b.T,
        )

    def comparisons(a, b):
        return (
            a < b,
            a <= 1,
            1 > a,
            a >= b,
            a == b,
            a != 0,
            (a < 0) & (b > 0),
            (a < 0) | (b > 0),
            (a < 0) ^ (b > 0),
            ~(a < 0),
        )

    def indexing(a):
        return (a[0], a[..., 1], a[:, 1:3], a[None], a[0, 1], a[a > 0], a[[0, 2]], a[::2, -1])

    def attributes(a):
        return a.reshape(a.shape[0] * a.shape[1]), a.T, a.view(a.size(0), -1), a.ndim, a.dtype, a.size()

    def unpacking(a):
        first, second = torch.split(a, 2, dim=1)
        low, high, last = a.unbind(0)
        return first * second, low + high - last

    def inplace(a):
        b = a.clone()
        b += 1
        b *= 2
        b.add_(a)
        return b

    def joins(a, b):
        return torch.cat([a, b], dim=0), torch.stack((a[0], b[0])), torch.where(a[0] > 0, b[0], a[0])

    def reductions(a):
        return (
            a.sum(),
            a.sum(dim=1, keepdim=True),
            torch.mean(a, 0),
            a.max(dim=1),
            torch.argmax(a),
            a.std(0),
            torch.norm(a, dim=1),
        )

    def convolutions(a):
        weight = torch.ones(3, 2, 2, 2) / 8
        return (
            F.conv2d(a, weight, None, stride=1, padding=(1, 1)),
            F.avg_pool2d(a, 2),
            F.max_pool2d(a, 2, stride=1),
        )

    def activations(a):
        return (
            F.relu(a), F.relu(a, inplace=False), F.gelu(a), F.leaky_relu(a, 0.2), F.elu(a), F.silu(a), F.softplus(a), torch.sigmoid(a), F.sigmoid(a),
            F.tanh(a), F.hardtanh(a, -0.5, 0.5), F.softmax(a, -1), F.log_softmax(a, dim=1), torch.softmax(a, 0), F.glu(a), F.hardswish(a), F.mish(a),
        )  # fmt: skip

    def losses(a, target):
        b = a * 0.5
        return (
            F.mse_loss(a, b),
            F.cross_entropy(a, target),
            F.smooth_l1_loss(a, b, beta=0.5),
            F.nll_loss(F.log_softmax(a, 1), target, reduction="sum"),
        )

    def norms(a):
        return (
            F.layer_norm(a, (4,)),
            F.normalize(a, dim=1),
            F.group_norm(a, 2),
            F.rms_norm(a, (4,)),
            F.batch_norm(a, None, None, training=True),
        )

    def resizing(a):
        return (
            F.interpolate(a, scale_factor=2.0, mode="nearest"),
            F.pad(a, (1, 1)),
            F.pixel_shuffle(torch.cat([a, a], 1), 2),
            F.unfold(a, 2),
        )

    def dropouts(a):
        return (
            F.dropout(a, 0.3, training=False),
            F.dropout(a, p=0.3, training=False),
            F.alpha_dropout(a),
            F.dropout2d(a, training=False),
        )

    def methods(a):
        return (
            a.transpose(0, 1)
            .contiguous()
            .permute(1, 0)
            .unsqueeze(-1)
            .squeeze(-1)
            .expand(3, 4)
            .flatten()
            .chunk(2)
        )

    def creation(a):
        return (
            torch.zeros_like(a),
            a.new_ones(2),
            torch.ones(a.shape[0]),
            torch.full_like(a, 2.0),
            a.to(torch.float64),
            a.double(),
            a.type(torch.int32),
        )

    def linear(a, b):
        return (
            F.linear(a, b),
            F.linear(a, b, None),
            torch.matmul(a, b.T),
            torch.einsum("ij,kj->ik", a, b),
            torch.addmm(a @ b.T, a, b.T, beta=0.5),
        )

    def containers(a):
        return {
            "x": a,
            "nested": [(a, 1), {"y": a + 1}],
            "point": slice(a, None, 2),
            "s": "text",
            "inf": float("inf"),
            "dtype": torch.float32,
        }

    def chained(a):
        return torch.relu(a).neg().relu().add(a, alpha=2).mul(other=a)

    def repeated(a):
        a = torch.add(1, a)
        for _ in range(3):
            a = torch.add(a, a)
        return a

    def keywords(a, flag=True, *, other=3):
        return torch.sum(input=a, dim=0) * other if flag is not None else a

    def names(input, len, add, sum_1):
        add_2 = input + add
        sum = add_2.sum()
        return sum.sum() + len + sum_1.sum() + add_2

    def starred(a, *rest, **more):
        return a + rest[0] + more["b"]

    def tuples(a):
        return torch.max(a, dim=1).values + a.max(1)[0], Point(a, a + 1)

    def sorting(a):
        values, indices = torch.sort(a, dim=1, descending=True)
        top, _ = torch.topk(a, 2)
        return values, indices, top, a.argsort(), torch.gather(a, 1, indices)

    def shapes(a):
        n, c = a.shape
        return a.reshape(n, c // 2, 2).transpose(1, 2).reshape(c, n)

    def constants(a):
        return a * 3.5 + 1j * 0 + True, a.add(-1), a * float("nan")

    def special(a):
        return (
            torch.linalg.norm(a, dim=1),
            torch.special.erf(a),
            torch.fft.fft(a).real,
            torch.clamp(a, 0.0, 1.0),
        )

    def math_calls(a):
        return a * math.sqrt(4) + math.pi

    def unused(a):
        torch.sin(a)
        _ = torch.cos(a)
        return torch.exp(a)

    def typed(a: torch.Tensor, b: int = 3) -> torch.Tensor:
        return a + b

    found = {
        "operators": (operators, (x, x + 2)), "comparisons": (comparisons, (x, x.flip(0))), "indexing": (indexing, (x,)),
        "attributes": (attributes, (x,)), "unpacking": (unpacking, (x,)), "inplace": (inplace, (x,)), "joins": (joins, (x, w)),
        "reductions": (reductions, (x,)), "convolutions": (convolutions, (image,)), "activations": (activations, (x,)),
        "losses": (losses, (x, torch.tensor([0, 3, 1]))), "norms": (norms, (x,)), "resizing": (resizing, (image,)), "dropouts": (dropouts, (image,)),
        "methods": (methods, (x,)), "creation": (creation, (x,)), "linear": (linear, (x, w)), "containers": (containers, (x,)),
        "chained": (chained, (x,)), "repeated": (repeated, (x,)), "keywords": (keywords, (x,)), "names": (names, (x, 1, x, x)),
        "starred": (starred, None), "tuples": (tuples, (x,)), "sorting": (sorting, (x,)), "shapes": (shapes, (x,)),
        "constants": (constants, (x,)), "special": (special, (x,)), "math calls": (math_calls, (x,)), "unused": (unused, (x,)),
        "typed": (typed, (x,)), "lambda": (lambda a: a.relu() + 1, (x,)), "identity": (lambda a: a, (x,)), "nothing": (lambda a: None, (x,)),
    }  # fmt: skip
    return found


REFUSED = {
    "if": lambda x: 1 if x.sum() > 0 else 2,
    "for": lambda x: [i for i in x],  # noqa: C416
    "len": lambda x: len(x),
    "bool": lambda x: bool(x),
    "star": lambda x: (lambda *a: a)(*x),
    "keywords": lambda x: dict(**x),
    "in": lambda x: x in [1],
    "not": lambda x: not x,
    "and": lambda x: x and 1,
    "int": lambda x: int(x),
    "float": lambda x: float(x),
    "range": lambda x: range(x),
    "index": lambda x: [1, 2][x],
    "object": lambda x: object(),
    "key": lambda x: {x: 1},
}
"""Functions that cannot be traced: their errors are PyTorch's."""


def layers(torch):
    """Modules of torch.nn, as functions that make them, by name."""
    nn = torch.nn
    plain = (
        "GELU PReLU Tanh Sigmoid SiLU Mish ELU CELU SELU Hardswish Hardtanh ReLU6 Softplus GLU Flatten Identity MSELoss CrossEntropyLoss "
        "BCEWithLogitsLoss HuberLoss KLDivLoss NLLLoss TripletMarginLoss CosineSimilarity PairwiseDistance AlphaDropout"
    ).split()
    return {
        **{name: getattr(nn, name) for name in plain},
        "Linear": lambda: nn.Linear(3, 2, bias=False), "Bilinear": lambda: nn.Bilinear(2, 2, 2), "Conv1d": lambda: nn.Conv1d(1, 1, 2, padding="same"),
        "Conv2d": lambda: nn.Conv2d(1, 2, 3, stride=2, padding=1, padding_mode="reflect"), "InstanceNorm2d": lambda: nn.InstanceNorm2d(3),
        "GroupNorm": lambda: nn.GroupNorm(1, 3), "LayerNorm": lambda: nn.LayerNorm(3), "RMSNorm": lambda: nn.RMSNorm(3), "Embedding": lambda: nn.Embedding(3, 2),
        "ReLU": lambda: nn.ReLU(True), "Softmax": lambda: nn.Softmax(-1), "LogSoftmax": lambda: nn.LogSoftmax(-1), "MaxPool2d": lambda: nn.MaxPool2d(2),
        "AvgPool2d": lambda: nn.AvgPool2d(2), "AdaptiveAvgPool2d": lambda: nn.AdaptiveAvgPool2d(1), "AdaptiveMaxPool2d": lambda: nn.AdaptiveMaxPool2d(1),
        "LPPool2d": lambda: nn.LPPool2d(2, 2), "Upsample": lambda: nn.Upsample(scale_factor=2), "Unflatten": lambda: nn.Unflatten(1, (2, 2)),
        "Fold": lambda: nn.Fold((2, 2), 1), "Unfold": lambda: nn.Unfold(2), "PixelShuffle": lambda: nn.PixelShuffle(2), "ZeroPad2d": lambda: nn.ZeroPad2d(1),
        "ReflectionPad2d": lambda: nn.ReflectionPad2d(1), "Dropout": lambda: nn.Dropout(0.1), "Dropout2d": lambda: nn.Dropout2d(0.1),
        "LocalResponseNorm": lambda: nn.LocalResponseNorm(2), "ChannelShuffle": lambda: nn.ChannelShuffle(1), "BatchNorm2d": lambda: nn.BatchNorm2d(3),
        "ConvTranspose2d": lambda: nn.ConvTranspose2d(1, 2, 3), "MultiheadAttention": lambda: nn.MultiheadAttention(4, 2), "LSTM": lambda: nn.LSTM(2, 2),
        "GRU": lambda: nn.GRU(2, 2), "LSTMCell": lambda: nn.LSTMCell(2, 2),
    }  # fmt: skip
