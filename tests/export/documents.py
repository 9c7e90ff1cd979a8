"""What PyTorch's page on torch.export shows, written anew: each example is given `torch`, this library or PyTorch, and
`say`, which notes a line."""

from __future__ import annotations

import io

EXAMPLES = {}
DIFFERENT = {
    "buffers": "a write to a buffer is an output of the Graph, as in PyTorch after run_decompositions()",
    "writes_to_arguments": "a write to an argument is an output of the Graph, as in PyTorch after run_decompositions()",
    "decomposed": "run_decompositions() takes what a table names apart, and leaves the rest whole",
    "branches": "a branch on a value is one step without a name of aten's",
    "constants": "numbers of a tensor that forward makes are a tensor that is lifted, without lift_fresh_copy and detach_",
    "a_network": "an argument that is called as a function of Python's has its node's name in the signature",
}
"""Examples of which PyTorch notes something else, and why."""


def example(fn):
    """Registers an example."""
    EXAMPLES[fn.__name__] = fn
    return fn


def shown(ep, say):
    """Notes the Graph's code, and what its inputs and outputs are."""
    say(ep.graph_module.code.strip())
    for kind, specs in (("in", ep.graph_signature.input_specs), ("out", ep.graph_signature.output_specs)):
        say(
            f"{kind}: " + ", ".join(f"{getattr(s.arg, 'name', None)}|{s.kind.name}|{s.target}" for s in specs)
        )


def module(torch, forward, **members):
    """A module with these members, and this forward."""

    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, x in members.items():
                setattr(self, name, x)

    M.forward = forward
    return M()


@example
def overview(torch, say):
    def forward(self, x, y):
        a = torch.sin(x)
        b = torch.cos(y)
        return a + b

    shown(torch.export.export(module(torch, forward), (torch.ones(10, 10), torch.ones(10, 10))), say)


@example
def layers(torch, say):
    conv, pool = torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.MaxPool2d(kernel_size=3)

    def forward(self, x, *, constant=None):
        a = self.conv(x)
        a.add_(constant) if constant is None and False else None
        return self.maxpool(self.relu(a + constant))

    made = module(torch, forward, conv=conv, relu=torch.nn.ReLU(), maxpool=pool)
    shown(
        torch.export.export(made, (torch.ones(1, 3, 32, 32),), {"constant": torch.ones(1, 16, 32, 32)}), say
    )


@example
def called(torch, say):
    ep = torch.export.export(module(torch, lambda self, x: x.relu() * 2), (torch.ones(2, 2),))
    say(str(ep.module()(torch.full((2, 2), -1.0)).tolist()))
    try:
        ep.module()(torch.ones(3, 2))
    except AssertionError as error:
        say(str(error).splitlines()[0])
    try:
        ep(torch.ones(2, 2))
    except RuntimeError as error:
        say(str(error))


@example
def signature(torch, say):
    def forward(self, x1, x2):
        return (x1 + self.my_parameter) * self.my_buffer1 + x2 * self.my_buffer2

    made = module(torch, forward, my_parameter=torch.nn.Parameter(torch.tensor(2.0)))
    made.register_buffer("my_buffer1", torch.tensor(3.0))
    made.register_buffer("my_buffer2", torch.tensor(4.0))
    ep = torch.export.export(made, (torch.tensor(5.0), torch.tensor(6.0)))
    shown(ep, say)
    s = ep.graph_signature
    say(f"{s.parameters} {s.buffers} {s.user_inputs} {s.user_outputs} {s.buffers_to_mutate}")
    say(f"{s.inputs_to_parameters} {s.inputs_to_buffers} {list(ep.state_dict)}")


@example
def buffers(torch, say):
    def forward(self, x):
        self.count.add_(1)
        return x + self.count

    made = module(torch, forward)
    made.register_buffer("count", torch.zeros(()))
    ep = torch.export.export(made, (torch.ones(2),))
    shown(ep, say)


@example
def counted(torch, say):
    def forward(self, x):
        self.count.add_(1)
        return x + self.count

    made = module(torch, forward)
    made.register_buffer("count", torch.zeros(()))
    called = torch.export.export(made, (torch.ones(2),)).module()
    say(
        f"{called(torch.ones(2)).tolist()} {called(torch.ones(2)).tolist()} {called.count.item()} {made.count.item()}"
    )


@example
def writes_to_arguments(torch, say):
    def forward(self, x):
        x.mul_(2)
        return x + 1

    shown(torch.export.export(module(torch, forward), (torch.ones(2),)), say)


@example
def decomposed(torch, say):
    made = module(torch, lambda self, x: self.linear(x).softmax(-1), linear=torch.nn.Linear(3, 4))
    say(torch.export.export(made, (torch.ones(2, 3),)).run_decompositions().graph_module.code.strip())


@example
def open_sizes(torch, say):
    made = module(torch, lambda self, x: x * 2)
    try:
        torch.export.export(made, (torch.ones(3, 2),), dynamic_shapes={"x": {0: torch.export.Dim("batch")}})
        say("exported")
    except NotImplementedError:
        say("refused")


@example
def sizes_are_fixed(torch, say):
    made = module(torch, lambda self, x: x.reshape(x.shape[0] * 2, -1).expand(6, 2) if x.shape[0] > 2 else x)
    shown(torch.export.export(made, (torch.ones(3, 4),)), say)


@example
def numbers_are_fixed(torch, say):
    def forward(self, x, const, times):
        for _ in range(times):
            x = x + const
        return x

    ep = torch.export.export(module(torch, forward), (torch.ones(2, 2), 1, 3))
    shown(ep, say)
    try:
        ep.module()(torch.ones(2, 2), 2, 3)
    except AssertionError as error:
        say(str(error).splitlines()[0])


@example
def containers(torch, say):
    def forward(self, d, pair):
        return {"sum": d["a"] + pair[0], "rest": [pair[1], d["b"]]}

    args = ({"a": torch.ones(2), "b": torch.ones(3)}, (torch.ones(2), torch.ones(1)))
    ep = torch.export.export(module(torch, forward), args)
    shown(ep, say)
    out = ep.module()(*args)
    say(f"{sorted(out)} {type(out['rest']).__name__} {out['sum'].tolist()}")


@example
def branches(torch, say):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda y: y.sin(), lambda y: y.cos(), (x,))

    say(torch.export.export(module(torch, forward), (torch.ones(2),)).graph_module.code.strip())


@example
def values_are_not_read(torch, say):
    made = module(torch, lambda self, x: x.sin() if x.sum() > 0 else x.cos())
    try:
        torch.export.export(made, (torch.ones(2),))
    except Exception as error:
        say(f"refused: {isinstance(error, Exception)}")


@example
def constants(torch, say):
    made = module(torch, lambda self, x: x + torch.tensor([1.0, 2.0]))
    say(torch.export.export(made, (torch.ones(2),)).graph_module.code.strip())


@example
def tensors_of_the_module(torch, say):
    shown(
        torch.export.export(
            module(torch, lambda self, x: x * self.scale, scale=torch.full((2,), 3.0)), (torch.ones(2),)
        ),
        say,
    )


@example
def saved_and_loaded(torch, say):
    torch.manual_seed(0)
    made = module(
        torch,
        lambda self, x: self.norm(self.linear(x)),
        linear=torch.nn.Linear(3, 4),
        norm=torch.nn.LayerNorm(4),
    )
    ep, file = torch.export.export(made, (torch.ones(2, 3),)), io.BytesIO()
    torch.export.save(ep, file)
    again = torch.export.load(io.BytesIO(file.getvalue()))
    shown(again, say)
    say(str(torch.equal(again.module()(torch.ones(2, 3)), made(torch.ones(2, 3)))))


@example
def a_network(torch, say):
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.AdaptiveAvgPool2d((1, 1)),
        nn.Flatten(),
        nn.Linear(4, 2),
        nn.GELU(),
        nn.LogSoftmax(-1),
    )
    shown(torch.export.export(net.eval(), (torch.ones(2, 1, 8, 8),)), say)


@example
def attention(torch, say):
    def forward(self, q, k, v):
        weights = (q @ k.transpose(-2, -1) / 2).masked_fill(self.mask, float("-inf")).softmax(-1)
        return torch.matmul(weights, v)

    made = module(torch, forward)
    made.register_buffer("mask", torch.ones(3, 3, dtype=torch.bool).triu(1), persistent=False)
    shown(torch.export.export(made, tuple([torch.ones(1, 3, 4) for _ in range(3)])), say)


@example
def dropout_in_training(torch, say):
    say(
        torch.export.export(
            torch.nn.Sequential(torch.nn.Dropout(0.5)), (torch.ones(4),)
        ).graph_module.code.strip()
    )
