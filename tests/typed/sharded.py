"""Tensors on a mesh: placements, a layer spread by columns and rows, what is local and what is whole."""

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.distributed.device_mesh import DeviceMesh, init_device_mesh
from functorch_lite.distributed.tensor import (
    DTensor,
    Replicate,
    Shard,
    distribute_module,
    distribute_tensor,
    zeros,
)
from functorch_lite.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)


class MLP(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(torch.relu(self.up(x)))


def place_by_name(name: str, module: nn.Module, mesh: DeviceMesh) -> None:
    for key, p in module.named_parameters(recurse=False):
        module.register_parameter(key, nn.Parameter(distribute_tensor(p.detach(), mesh, [Shard(0)])))


def main() -> None:
    mesh = init_device_mesh("cpu", (1,), mesh_dim_names=("tp",))
    n: int = mesh.size()
    x = distribute_tensor(torch.randn(8, 4), mesh, [Shard(0)])
    assert isinstance(x, DTensor)
    whole: torch.Tensor = x.full_tensor()
    local: torch.Tensor = x.to_local()
    again = x.redistribute(mesh, [Replicate()])
    print(n, whole.shape, local.shape, again.placements, x.device_mesh.ndim)
    made = DTensor.from_local(local, mesh, [Shard(0)])
    print((made + x).sum().item(), zeros(4, 4, device_mesh=mesh, placements=[Replicate()]).shape)
    model = parallelize_module(MLP(4), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    model(torch.randn(2, 4)).sum().backward()
    spread = distribute_module(nn.Linear(4, 4), mesh, place_by_name)
    print([p.shape for p in spread.parameters()])


if __name__ == "__main__":
    main()
