"""A ConvNeXt whose activations are cut over the width of the image, beside one device.

    python benchmarks/distributed/convnext_mesh.py --devices 4 --width 96
    python benchmarks/distributed/convnext_mesh.py --devices 2 --full --no-run

The first trains a small one for three steps of SGD on both, in float32 and in float64, and compares losses, gradients
and parameters. It prints the largest relative differences, which collectives the mesh's programs have, and where each
module's result was; it ends with status 1 if one of these is not as it should be. The second compiles a step of the
large one (depths 3, 3, 27, 3, widths 256 to 2048) for both, without running it, and compares the bytes that a device
needs for what lies between the parameters and their gradients.

The network is that of Liu et al., A ConvNet for the 2020s (arXiv:2201.03545).
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", type=int, choices=(2, 4), default=2)
    parser.add_argument("--width", type=int, default=64, help="of the images, which are as high")
    parser.add_argument("--batch", type=int, default=0, help="2 if not given; 32 of the large one")
    parser.add_argument("--dtype", choices=("float32", "float64"), help="both if not given")
    parser.add_argument(
        "--full", action="store_true", help="depths 3, 3, 27, 3 and widths 256, 512, 1024, 2048, at 224"
    )
    parser.add_argument("--no-run", action="store_true", help="compile a step, and measure its memory")
    return parser.parse_args()


OPTIONS = _options() if __name__ == "__main__" else argparse.Namespace(devices=4)
os.environ.setdefault("JAX_PLATFORMS", "cpu")
if "host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):  # JAX reads it when it starts
    os.environ["XLA_FLAGS"] = (
        f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={OPTIONS.devices}"
    )
sys.path.insert(0, str(Path(__file__).parents[2]))

import functorch_lite as torch  # noqa: E402
import functorch_lite.nn.functional as F  # noqa: E402
from benchmarks.distributed.by_shape import compiled, untouched  # noqa: E402
from functorch_lite import nn  # noqa: E402
from functorch_lite.distributed.device_mesh import init_device_mesh  # noqa: E402
from functorch_lite.distributed.tensor import DTensor, Replicate, Shard, distribute_module, distribute_tensor  # noqa: E402
from functorch_lite.distributed.tensor.debug import CommDebugMode  # noqa: E402
from functorch_lite.distributed.tensor.debug._collectives import collectives_in  # noqa: E402

SMALL = {"depths": (1, 1, 2, 1), "dims": (8, 16, 24, 32), "num_classes": 10}
LARGE = {"depths": (3, 3, 27, 3), "dims": (256, 512, 1024, 2048), "num_classes": 1000}


class ChannelNorm(nn.Module):
    """LayerNorm over the channels of an image, with a scale and a shift for each."""

    def __init__(self, channels: int, eps: float = 1e-6):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(channels)), nn.Parameter(torch.zeros(channels))
        self.eps = eps

    def forward(self, x):
        apart = x - x.mean(1, keepdim=True)
        x = apart * torch.rsqrt(apart.square().mean(1, keepdim=True) + self.eps)
        return x * self.weight[:, None, None] + self.bias[:, None, None]


class Block(nn.Module):
    """Depthwise 7 by 7, a norm, four times the channels and back, a scale for each channel, and what came in."""

    def __init__(self, channels: int, scale: float = 1e-6):
        super().__init__()
        self.spatial = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = ChannelNorm(channels)
        self.wider, self.narrower = nn.Conv2d(channels, 4 * channels, 1), nn.Conv2d(4 * channels, channels, 1)
        self.scale = nn.Parameter(torch.full((channels,), scale))

    def forward(self, x):
        y = self.narrower(F.gelu(self.wider(self.norm(self.spatial(x)))))
        return x + self.scale[:, None, None] * y


class ConvNeXt(nn.Module):
    """Four stages, each at half the resolution of the one before; then the mean over places, a norm and a linear
    layer."""

    def __init__(self, depths, dims, num_classes: int, scale: float = 1e-6):
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(3, dims[0], 4, stride=4), ChannelNorm(dims[0])]
        for k, (depth, channels) in enumerate(zip(depths, dims)):
            if k:
                layers += [ChannelNorm(dims[k - 1]), nn.Conv2d(dims[k - 1], channels, 2, stride=2)]
            layers += [Block(channels, scale) for _ in range(depth)]
        self.layers = nn.Sequential(*layers)
        self.norm, self.head = nn.LayerNorm(dims[-1], eps=1e-6), nn.Linear(dims[-1], num_classes)

    def forward(self, x):
        return self.head(self.norm(self.layers(x).mean((2, 3))))


def replicate(name: str, module: nn.Module, mesh: Any) -> None:
    """The partition function: every device has all weights."""
    for key, p in list(module.named_parameters(recurse=False)):
        module.register_parameter(key, nn.Parameter(distribute_tensor(p.detach(), mesh, [Replicate()])))


def on_mesh(model: nn.Module, x: Any, y: Any, mesh: Any) -> tuple[nn.Module, DTensor, DTensor]:
    model = distribute_module(model, mesh, replicate, input_fn=None, output_fn=None)
    return model, distribute_tensor(x, mesh, [Shard(3)]), distribute_tensor(y, mesh, [Replicate()])


def train(model: nn.Module, x: Any, y: Any, steps: int = 3) -> tuple[list, list, list]:
    """Losses, gradients of the first step, parameters after the last."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses, gradients = [], []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        gradients = gradients or [whole(p.grad) for p in model.parameters()]
        optimizer.step()
        losses.append(whole(loss.detach()))
    return losses, gradients, [whole(p.detach()) for p in model.parameters()]


def whole(t: Any) -> Any:
    return t.full_tensor() if isinstance(t, DTensor) else t


def apart(mine: list, theirs: list) -> float:
    """The largest difference, relative to the largest number of its tensor."""
    return max([((a - b).abs().max() / b.abs().max()).item() for a, b in zip(mine, theirs, strict=True)])


def data(width: int, batch: int, classes: int, dtype: Any) -> tuple[Any, Any]:
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(batch, 3, width, width, generator=generator, dtype=torch.float64).to(dtype)
    return x, torch.arange(batch) % classes


def _noted(placements: dict, name: str, module: nn.Module, inputs: tuple, output: Any) -> None:
    placements[name] = output.placements, tuple(output.shape)


def compared(devices: int, width: int, batch: int) -> bool:
    """Three steps on a mesh beside one device."""
    mesh = init_device_mesh("cpu", (devices,), mesh_dim_names=("width",))
    good = True
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-10)):
        if OPTIONS.dtype not in (None, str(dtype).removeprefix("torch.")):
            continue
        results, placements = [], {}
        for several in (False, True):
            torch.manual_seed(0)
            model = ConvNeXt(**SMALL, scale=1.0).to(
                dtype
            )  # with the paper's 1e-6 the blocks would hardly count
            x, y = data(width, batch, SMALL["num_classes"], dtype)
            if several:
                model, x, y = on_mesh(model, x, y, mesh)
                for name, module in model.named_modules():
                    if name.startswith("layers"):
                        module.register_forward_hook(partial(_noted, placements, name))
            with CommDebugMode() as comm:
                results.append(train(model, x, y))
        for what, mine, theirs in zip(("losses", "gradients", "parameters"), results[1], results[0]):
            error = apart(mine, theirs)
            good = good and error <= tolerance
            print(f"{dtype}, {what}: {error:.1e} (at most {tolerance:.0e})")
        counts = comm.get_comm_counts()
        lost = [name for name, (placed, _) in placements.items() if placed != (Shard(3),)]
        good = good and counts.get("permute", 0) > 0 and "all_gather_into_tensor" not in counts and not lost
        print(
            f"{dtype}, collectives of three steps: {counts}; {len(placements)} modules gave {[s for _, s in placements.values()][-1]} and larger, cut over the width: {not lost} {lost or ''}"
        )
    return good


def measured(devices: int, width: int, batch: int, sizes: dict[str, Any]) -> bool:
    """The memory of a step for one device and for each of several, by shape."""
    temporary = []
    for several in (False, True):
        with torch.device("meta"):
            model = ConvNeXt(**sizes)
        for module in model.modules():
            for key, p in list(module.named_parameters(recurse=False)):
                module.register_parameter(key, nn.Parameter(torch.from_numpy(untouched(p.shape))))
        x, y = torch.from_numpy(untouched((batch, 3, width, width))), torch.zeros(batch, dtype=torch.int64)
        if several:
            model, x, y = on_mesh(model, x, y, init_device_mesh("cpu", (devices,)))
        began = perf_counter()
        made = compiled(partial(loss_and_gradients, model, x, y))
        memory = made.memory_analysis()
        temporary.append(memory.temp_size_in_bytes)
        counts = dict(collectives_in(made.as_text()))
        print(
            f"{devices if several else 1} devices: {perf_counter() - began:.0f} s to compile; bytes of a device: {memory.argument_size_in_bytes:,} read, "
            f"{memory.output_size_in_bytes:,} of results, {memory.temp_size_in_bytes:,} in between; {counts}",
            flush=True,
        )
    ratio = temporary[1] / temporary[0]
    print(f"what lies in between: {ratio:.3f} of one device's (at most 0.6)")
    return ratio <= 0.6 and "all_gather_into_tensor" not in counts and "permute" in counts


def loss_and_gradients(model: nn.Module, x: Any, y: Any) -> list:
    loss = F.cross_entropy(model(x), y)
    return [loss, *torch.autograd.grad(loss, list(model.parameters()))]


def main() -> None:
    if OPTIONS.no_run:
        sizes, width = (LARGE, 224) if OPTIONS.full else (SMALL, OPTIONS.width)
        good = measured(OPTIONS.devices, width, OPTIONS.batch or (32 if OPTIONS.full else 2), sizes)
    else:
        good = compared(OPTIONS.devices, OPTIONS.width, OPTIONS.batch or 2)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
