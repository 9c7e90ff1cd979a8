"""torch.fx with a tracer and a transformer of one's own, make_fx, torch.export and torch.jit, hooks of a module."""

from typing import Any

import functorch_lite as torch
from functorch_lite import fx, nn
from functorch_lite.export import Dim, ExportedProgram, export
from functorch_lite.fx.experimental.proxy_tensor import make_fx
from functorch_lite.utils.hooks import RemovableHandle


class Block(nn.Module):
    def __init__(self, width: int, p: float = 0.0) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.body = nn.Sequential(nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width))
        self.drop = nn.Dropout(p)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.drop(self.body(self.norm(x)))


class Whole(fx.Tracer):
    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return isinstance(m, Block) or super().is_leaf_module(m, module_qualified_name)


class ReluForSilu(fx.Transformer):
    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(self.submodules[target], nn.SiLU):
            return torch.relu(args[0])
        return super().call_module(target, args, kwargs)


def shapes_of(model: nn.Module, x: torch.Tensor) -> dict[str, torch.Size]:
    shapes: dict[str, torch.Size] = {}

    def look(name: str) -> RemovableHandle:
        def hook(module: nn.Module, args: tuple[Any, ...], output: torch.Tensor) -> None:
            shapes[name] = output.shape

        return model.get_submodule(name).register_forward_hook(hook)

    handles = [look(name) for name, m in model.named_modules() if not list(m.children())]
    with torch.no_grad():
        model(x)
    for handle in handles:
        handle.remove()
    return shapes


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x).cos() * 2


def main() -> None:
    model = nn.Sequential(Block(4), Block(4, p=0.1)).eval()
    x = torch.randn(3, 4)
    graph = Whole().trace(model)
    module = fx.GraphModule(model, graph)
    print([node.target for node in graph.nodes if node.op == "call_module"], module(x).shape)
    changed: fx.GraphModule = ReluForSilu(fx.symbolic_trace(model)).transform()
    print(changed.code.count("relu"), changed.graph.output_node().args)
    traced = make_fx(torch.func.grad(lambda t: f(t).sum()))(x)
    print(torch.allclose(traced(x), torch.func.grad(lambda t: f(t).sum())(x)))
    batch = Dim("batch", min=1, max=64)
    program: ExportedProgram = export(model, (x,))
    print(
        batch.__name__, program.graph_module.code, [s.kind.name for s in program.graph_signature.input_specs]
    )
    print(shapes_of(model, x), torch.jit.script(model)(x).shape)


if __name__ == "__main__":
    main()
