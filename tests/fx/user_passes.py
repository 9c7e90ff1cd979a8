"""Three passes as users of torch.fx write them: run as they stand where `torch` is PyTorch, and where it is this
library."""

import torch
from torch import fx, nn
from torch.fx.passes.shape_prop import ShapeProp


class Net(nn.Module):
    """Two convolutions and a head."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 8, 3, stride=2), nn.ReLU()
        )
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        x = self.features(x)
        return self.head(torch.relu(x.mean((2, 3))))


def silu_for_relu(gm):
    """Replaces every relu, module or function, by silu."""
    modules = dict(gm.named_modules())
    for node in list(gm.graph.nodes):
        is_module = node.op == "call_module" and isinstance(modules[node.target], nn.ReLU)
        if is_module or (node.op == "call_function" and node.target in (torch.relu, nn.functional.relu)):
            with gm.graph.inserting_after(node):
                new = gm.graph.call_function(nn.functional.silu, (node.args[0],))
            node.replace_all_uses_with(new)
            gm.graph.erase_node(node)
    gm.delete_all_unused_submodules()
    gm.graph.lint()
    gm.recompile()
    return gm


def count_flops(gm, *inputs):
    """Multiplications and additions of the convolutions and linear layers, by name."""
    ShapeProp(gm).propagate(*inputs)
    modules, flops = dict(gm.named_modules()), {}
    for node in gm.graph.nodes:
        if node.op != "call_module":
            continue
        module, out = modules[node.target], node.meta["tensor_meta"].shape
        if isinstance(module, nn.Conv2d):
            flops[node.name] = (
                2 * out.numel() * module.in_channels * module.kernel_size[0] * module.kernel_size[1]
            )
        elif isinstance(module, nn.Linear):
            flops[node.name] = 2 * out.numel() * module.in_features
    return flops


def with_probe(gm, name):
    """A module that returns its result and the value of the Node of this name."""
    graph = fx.Graph()
    copies = {}
    result = graph.graph_copy(gm.graph, copies)
    probed = next(new for old, new in copies.items() if old.name == name)
    graph.output((result, probed))
    graph.lint()
    return fx.GraphModule(gm, graph)


def extractor(model, layers):
    """A module that returns the values of some layers, by name: what feature extraction is made of."""

    class NodePathTracer(fx.Tracer):
        def __init__(self):
            super().__init__()
            self.paths = {}

        def call_module(self, m, forward, args, kwargs):
            out = super().call_module(m, forward, args, kwargs)
            self.paths[out.node] = self.path_of_module(m)
            return out

    tracer = NodePathTracer()
    graph = tracer.trace(model)
    found = {path: node for node, path in tracer.paths.items()}
    graph.erase_node(graph.output_node())
    graph.output({layer: found[layer] for layer in layers})
    gm = fx.GraphModule(tracer.root, graph, f"{type(model).__name__}Features")
    gm.graph.eliminate_dead_code()
    gm.recompile()
    gm.delete_all_unused_submodules()
    return gm


_notrace = []


def register_notrace_function(fn):
    """Marks a function of this module as one that is not traced through."""
    _notrace.append(fn)
    return fn


@register_notrace_function
def padded(x, size):
    """Depends on the shape, as tracing cannot."""
    return nn.functional.pad(x, (0, 1)) if x.shape[-1] % size else x


class Padded(nn.Module):
    """Calls it."""

    def forward(self, x):
        return padded(x * 2, 4) + 1


def report():
    """What they give, as lines."""
    model = Net()
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(torch.arange(float(p.numel())).reshape(p.shape) / p.numel() - 0.4 + i / 20)
    x = torch.arange(128.0).reshape(2, 1, 8, 8) / 64 - 1
    rounded = lambda t: [round(float(v), 3) for v in t.detach().reshape(-1)]  # noqa: E731
    gm = fx.symbolic_trace(model)
    yield str(count_flops(gm, x))
    probe = with_probe(gm, "features_2")
    out, inner = probe(x)
    yield f"{rounded(out)} {tuple(inner.shape)} {rounded(inner.mean())}"
    features = extractor(model, ["features.0", "features.2"])
    yield features.code
    yield str({k: (tuple(v.shape), rounded(v.sum())) for k, v in features(x).items()})
    changed = silu_for_relu(fx.symbolic_trace(model))
    yield changed.code
    yield str([name for name, _ in changed.named_modules()])
    yield str(rounded(changed(x)))
    tracer = fx.Tracer(autowrap_functions=tuple(_notrace))
    padding = Padded()
    gm = fx.GraphModule(padding, tracer.trace(padding))
    yield gm.code
    yield str(rounded(gm(torch.ones(1, 3))))


if __name__ == "__main__":
    for line in report():
        print(line)
