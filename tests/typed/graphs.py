"""torch.fx: a module is traced, its graph is looked at, changed and run."""

import operator

import functorch_lite as torch
from functorch_lite import fx, nn
from functorch_lite.fx.passes.shape_prop import ShapeProp


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.act = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.act(self.linear(x)) + torch.sigmoid(x[:, :3])


class Counting(fx.Interpreter):
    def __init__(self, module: fx.GraphModule) -> None:
        super().__init__(module)
        self.count = 0

    def run_node(self, n: fx.Node) -> object:
        self.count += 1
        return super().run_node(n)


def sigmoid_to_tanh(module: fx.GraphModule) -> int:
    changed = 0
    graph: fx.Graph = module.graph
    for node in list(graph.nodes):
        if node.op == "call_function" and node.target is torch.sigmoid:
            with graph.inserting_after(node):
                new = graph.call_function(torch.tanh, args=node.args)
            node.replace_all_uses_with(new)
            graph.erase_node(node)
            changed += 1
    graph.lint()
    module.recompile()
    return changed


def pattern(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.relu(a) + b


def replacement(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.add(b, torch.relu(a))


def main() -> None:
    net = Net()
    traced: fx.GraphModule = fx.symbolic_trace(net)
    x = torch.randn(2, 4)
    before: torch.Tensor = traced(x)
    print(traced.code, [n.name for n in traced.graph.nodes], before.shape)
    print(sigmoid_to_tanh(traced), torch.allclose(traced(x), before))
    counting = Counting(traced)
    out = counting.run(x)
    print(counting.count, isinstance(out, torch.Tensor))
    ShapeProp(traced).propagate(x)
    matches = fx.replace_pattern(traced, pattern, replacement)
    print(len(matches), traced.graph.find_nodes(op="call_function", target=operator.add))
    for name, module in traced.named_modules():
        print(name, type(module).__name__)


if __name__ == "__main__":
    main()
