"""torch.export: a model saved, loaded and run; and torch.compile with a backend of one's own."""

import io
from collections.abc import Callable

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.export import ExportedProgram, export


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2))
        self.register_buffer("scale", torch.tensor(0.5))

    def forward(self, x: torch.Tensor, *, shift: float = 0.0) -> dict[str, torch.Tensor]:
        out = self.net(x) * self.scale + shift
        return {"logits": out, "probabilities": out.softmax(-1)}


def backend(
    graph: torch.fx.GraphModule, inputs: list[torch.Tensor]
) -> Callable[..., tuple[torch.Tensor, ...]]:
    print(len(graph.graph.nodes), len(inputs))
    return graph.forward


def main() -> None:
    model = Model().eval()
    x = torch.randn(3, 4)
    program: ExportedProgram = export(model, (x,), kwargs={"shift": 1.0})
    print(program.graph_signature, list(program.state_dict))
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    loaded = torch.export.load(file)
    out = loaded.module()(torch.randn(3, 4), shift=1.0)
    print(out["logits"].shape, {k: v.dtype for k, v in out.items()})
    compiled = torch.compile(model, fullgraph=True)
    print(compiled(x)["probabilities"].sum(-1))

    @torch.compile(backend=backend)
    def f(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b.T).relu().sum()

    print(f(x, x).item())


if __name__ == "__main__":
    main()
