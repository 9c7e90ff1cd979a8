"""What a user does with modules, from the first own layer to hooks: as in PyTorch's notes on modules, in programs of
our own.

Numbers are drawn at random, with the same seed; the library draws as PyTorch does (see the tests that run these
programs).
"""

from __future__ import annotations

import io

from tests.nn.protocol import program


def classes(torch):
    """An affine layer, and a net of two of them."""
    nn = torch.nn

    class Affine(nn.Module):
        def __init__(self, n, m):
            super().__init__()
            self.slope = nn.Parameter(torch.randn(n, m))
            self.offset = nn.Parameter(torch.randn(m))

        def forward(self, x):
            return x @ self.slope + self.offset

    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = Affine(4, 3)
            self.second = Affine(3, 1)

        def forward(self, x):
            return self.second(nn.functional.relu(self.first(x)))

    return Affine, Pair


@program
def own_layer(torch, log):
    affine = classes(torch)[0](4, 3)
    log(repr(affine(torch.randn(4))))
    for parameter in affine.named_parameters():
        log(repr(parameter))


@program
def composed(torch, log):
    affine, pair = classes(torch)
    chain = torch.nn.Sequential(affine(4, 3), torch.nn.ReLU(), affine(3, 1))
    log(repr(chain(torch.randn(4))), repr(chain))
    for child in pair().named_children():
        log(repr(child))


@program
def nested(torch, log):
    affine, pair = classes(torch)

    class Big(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.entry = affine(5, 4)
            self.net = pair()

        def forward(self, x):
            return self.net(self.entry(x))

    big = Big()
    for module in big.named_modules():
        log(repr(module))
    log(repr(big(torch.randn(5))))


@program
def chosen_at_the_call(torch, log):
    affine, nn = classes(torch)[0], torch.nn

    class Chosen(nn.Module):
        def __init__(self, depth):
            super().__init__()
            self.layers = nn.ModuleList([affine(4, 4) for _ in range(depth)])
            self.bends = nn.ModuleDict({"relu": nn.ReLU(), "leaky": nn.LeakyReLU()})
            self.last = affine(4, 1)

        def forward(self, x, bend):
            for layer in self.layers:
                x = self.bends[bend](layer(x))
            return self.last(x)

    net = Chosen(3)
    for parameter in net.named_parameters():
        log(repr(parameter))
    x = torch.randn(4)
    log(repr(net(x, "relu")), repr(net(x, bend="leaky")))
    net.to(device="cpu")
    net.to(dtype=torch.float64)
    log(repr(net(torch.randn(4, dtype=torch.float64), "relu")))


@program
def own_initial_values(torch, log):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 2)), nn.BatchNorm1d(2))

    @torch.no_grad()
    def start(m):
        if isinstance(m, nn.Linear):
            nn.init.xavier_normal_(m.weight)
            m.bias.fill_(0.0)

    log(repr(net.apply(start)), repr(dict(net.state_dict())))


@program
def training(torch, log):
    net = classes(torch)[1]()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-4, weight_decay=1e-2, momentum=0.9)
    for _ in range(100):
        loss = torch.abs(net(torch.randn(4)))
        net.zero_grad()
        loss.backward()
        optimizer.step()
    log([round(v, 3) for p in net.parameters() for v in p.flatten().tolist()], net.eval().training)


@program
def two_modes(torch, log):
    class Shifted(torch.nn.Module):
        def forward(self, x):
            return x + 1.0 if self.training else x

    shifted, x = Shifted(), torch.randn(4)
    log(f"training: {shifted(x)}")
    shifted.eval()
    log(f"evaluation: {shifted(x)}")


@program
def saved_and_loaded(torch, log):
    class Mean(torch.nn.Module):
        def __init__(self, n, keep=0.9):
            super().__init__()
            self.keep = keep
            self.register_buffer("mean", torch.zeros(n))

        def forward(self, x):
            self.mean = self.keep * self.mean + (1.0 - self.keep) * x
            return self.mean

    net = classes(torch)[1]()
    file = io.BytesIO()
    torch.save(net.state_dict(), file)
    file.seek(0)
    again = classes(torch)[1]()
    log(repr(again.load_state_dict(torch.load(file))))
    log(all(torch.equal(a, b) for a, b in zip(net.parameters(), again.parameters())))

    mean = Mean(4)
    for _ in range(10):
        mean(torch.randn(4))
    log(repr(dict(mean.state_dict())))
    file = io.BytesIO()
    torch.save(mean.state_dict(), file)
    file.seek(0)
    loaded = Mean(4)
    loaded.load_state_dict(torch.load(file))
    log(torch.equal(mean.mean, loaded.mean))


@program
def all_kinds_of_members(torch, log):
    nn = torch.nn

    class Holder(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = nn.Parameter(torch.randn(2))
            self.register_parameter("two", nn.Parameter(torch.randn(3)))
            self.register_parameter("three", None)
            self.several = nn.ParameterList([nn.Parameter(torch.randn(2)) for _ in range(3)])
            self.named = nn.ParameterDict(
                {"foo": nn.Parameter(torch.randn(3)), "bar": nn.Parameter(torch.randn(4))}
            )
            self.register_buffer("kept", torch.randn(4), persistent=True)
            self.register_buffer("passing", torch.randn(5), persistent=False)
            self.register_buffer("absent", None)
            self.linear = nn.Linear(2, 3)

    holder, other = Holder(), Holder()
    log(repr(holder), repr(dict(holder.state_dict())))
    log(repr(other.load_state_dict(holder.state_dict())), torch.equal(other.passing, holder.passing))
    log(torch.equal(other.named["bar"], holder.named.bar))


@program
def other_ways_to_start(torch, log):
    nn = torch.nn
    log(
        repr(nn.Linear(5, 3, device="cpu").weight),
        nn.Linear(5, 3, dtype=torch.half).weight.dtype == torch.float16,
    )
    linear = nn.utils.skip_init(nn.Linear, 5, 3)
    nn.init.orthogonal_(linear.weight)
    log(torch.allclose(linear.weight @ linear.weight.T, torch.eye(3), atol=1e-6))


@program
def hooks(torch, log):
    linear = torch.nn.Linear(3, 3)
    x = torch.randn(2, 3, requires_grad=True)
    before = linear.register_forward_pre_hook(lambda m, inputs: inputs[0] + 1.0)
    after = linear.register_forward_hook(lambda m, inputs, output: output + inputs[0])
    linear.register_full_backward_hook(lambda m, gi, go: [torch.ones_like(g) * 42.0 for g in gi])
    out = linear(x)
    log(torch.allclose(out, torch.nn.functional.linear(x + 1, linear.weight, linear.bias) + x + 1))
    out.sum().backward()
    log(x.grad, repr(linear.weight.grad))
    before.remove()
    after.remove()
    log(repr(linear(x).detach()), len(linear._forward_hooks))
