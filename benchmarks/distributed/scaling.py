"""`python -m benchmarks.distributed.scaling`: how a step of GPT blocks scales to hundreds of devices, on paper.

For each parallelism and number of devices the step (forward, backward, SGD) is compiled by XLA for that many virtual
CPU devices, and not run. From the compiled program of one device come its floating point operations and the bytes that
its collectives move; beside these stands the textbook's formula. Times follow from a stated speed of a device and of
its link, with nothing overlapped: they say where a parallelism stops to scale, not how fast a machine is.

Bytes are those that one device sends in a ring: (n-1)/n of the tensor for a gather or a scatter of n devices, twice
that for an all-reduce.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

MOST = 512

if __name__ == "__main__":  # before JAX starts
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = (
        f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={MOST}"
    )

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec  # noqa: E402

import functorch_lite as torch  # noqa: E402
import functorch_lite.nn.functional as F  # noqa: E402
from functorch_lite import nn  # noqa: E402
from functorch_lite.compat import as_pure  # noqa: E402

P = PartitionSpec
TP = 8
"""Devices over which a block is cut in the two-dimensional parallelisms: those of one machine."""


@dataclass(frozen=True)
class Sizes:
    """Of the model, and of the batch: per device (weak scaling) and in all (strong scaling)."""

    width: int = 1024
    heads: int = 16
    blocks: int = 2
    tokens: int = 512
    per_device: int = 4
    in_all: int = 512


class Block(nn.Module):
    """Attention and a two-layer net, each with a normalization before it and added to its input."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.k, self.v = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.out = nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        h = self.norm1(x)
        q, k, v = (f(h).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = (q @ k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
        x = x + self.out((torch.softmax(scores, -1) @ v).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


COLUMNS, ROWS = ("q.weight", "k.weight", "v.weight", "up.weight"), ("out.weight", "down.weight")
"""Weights that tensor parallelism cuts by outputs, and by inputs."""


def placed(name: str, kind: str) -> PartitionSpec:
    """Where a parameter is: over the mesh's dimensions dp and tp."""
    dp = "dp" if "FSDP" in kind else None
    if "TP" in kind and name.endswith(COLUMNS):
        return P(("dp", "tp") if dp else "tp")
    if "TP" in kind and name.endswith(ROWS):
        return P(dp, "tp")
    return P(dp)


def used(name: str, kind: str) -> PartitionSpec:
    """Where it is when it is used: gathered over dp."""
    return placed(name, kind.replace("FSDP", "DDP"))


def shape_of(kind: str, n: int) -> tuple[int, int]:
    """(dp, tp) of n devices."""
    tp = n if kind == "TP" else TP if "TP" in kind else 1
    return n // tp, tp


def compiled(kind: str, n: int, batch: int, s: Sizes, model: tuple[dict, Callable]):
    """The step's program for n devices."""
    params, apply = model
    mesh = Mesh(
        np.array(jax.devices()[:n]).reshape(shape_of(kind, n)), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2
    )
    at = {name: NamedSharding(mesh, placed(name, kind)) for name in params}
    whole = {name: NamedSharding(mesh, used(name, kind)) for name in params}
    rows = NamedSharding(mesh, P("dp"))

    def step(params, x):
        def loss(params):
            gathered = {k: jax.lax.with_sharding_constraint(v, whole[k]) for k, v in params.items()}
            return jnp.mean(jnp.square(apply(gathered, x)))

        grads = jax.grad(loss)(params)
        grads = {k: jax.lax.with_sharding_constraint(g, at[k]) for k, g in grads.items()}
        return {k: p - 0.01 * grads[k] for k, p in params.items()}

    given = {k: jax.ShapeDtypeStruct(v.shape, v.dtype, sharding=at[k]) for k, v in params.items()}
    x = jax.ShapeDtypeStruct((batch, s.tokens, s.width), jnp.float32, sharding=rows)
    return jax.jit(step, out_shardings=at, donate_argnums=0).lower(given, x).compile()


# -- what a program moves ----------------------------------------------------------------------------------------------

_CALL = re.compile(
    r"= (.*?) (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(?:-start)?\((.*)$"
)
_SHAPE = re.compile(r"\b(pred|[a-z]+\d+)\[([\d,]*)\]")
_BYTES = {
    "pred": 1,
    "s8": 1,
    "u8": 1,
    "f16": 2,
    "bf16": 2,
    "f32": 4,
    "s32": 4,
    "u32": 4,
    "f64": 8,
    "s64": 8,
    "u64": 8,
}


def _size(text: str) -> int:
    return sum(
        _BYTES[kind] * math.prod(map(int, dims.split(",") if dims else []))
        for kind, dims in _SHAPE.findall(text)
    )


def _group(rest: str) -> int:
    """How many devices take part in a collective together."""
    found = re.search(r"replica_groups=\[\d+,(\d+)\]", rest)
    if found:
        return int(found.group(1))
    found = re.search(r"replica_groups=mesh\[([^\]]*)\]\s*\{([^}]*)\}", rest)
    if found:  # a mesh, and the dimensions that the collective is over
        sizes = {name: int(size) for name, size in re.findall(r"'(\w+)'=(\d+)", found.group(1))}
        return math.prod(sizes[name] for name in re.findall(r"'(\w+)'", found.group(2)))
    found = re.search(r"replica_groups=\{\{([\d,]*)\}", rest)
    if found is None:
        raise ValueError("a collective without groups: " + rest[rest.find("replica_groups") :][:80])
    return len(found.group(1).split(","))


def moved(text: str) -> tuple[float, dict[str, int]]:
    """(bytes that one device sends, how many collectives of each kind) of a program's text."""
    total, counts = 0.0, {}
    for line in text.splitlines():
        call = _CALL.search(line)
        if call is None:
            continue
        result, name, rest = call.groups()
        size = _size(result)
        if name == "collective-permute":
            total, n = total + size, 2
        else:
            n = _group(rest)
            share = {"all-reduce": 2 * (n - 1) / n, "reduce-scatter": n - 1}.get(name, (n - 1) / n)
            total += share * size
        if n > 1:
            counts[name] = counts.get(name, 0) + 1
    return total, counts


def textbook(kind: str, n: int, batch: int, s: Sizes) -> float:
    """The formula's bytes per step and device.

    Data parallel: an all-reduce of the gradients. FSDP: a gather of the parameters and a reduce-scatter of the
    gradients (a second gather, for the backward, is the price of not keeping them; XLA keeps them here). Tensor
    parallel: for each block two all-reduces of activations forward and two backward.
    """
    return _formula(kind, n, batch, s, scatter=1, activations=4)


def as_xla(kind: str, n: int, batch: int, s: Sizes) -> float:
    """The same with what XLA's CPU compiler does otherwise: of a reduction whose result is cut it makes an all-reduce,
    which moves twice as much, and the gradients by the inputs of q, k and v are reduced before they are added, so that
    a block has six all-reduces of activations."""
    return _formula(kind, n, batch, s, scatter=2, activations=6)


def _formula(kind: str, n: int, batch: int, s: Sizes, scatter: int, activations: int) -> float:
    dp, tp = shape_of(kind, n)
    norms, weights = s.blocks * 4 * s.width * 4, s.blocks * 12 * s.width**2 * 4
    once = (dp - 1) / dp * (norms + weights / tp)
    total = once * (1 + scatter) if "FSDP" in kind else 2 * once
    activation = batch // dp * s.tokens * s.width * 4
    return total + s.blocks * activations * 2 * (tp - 1) / tp * activation


# -- the table ---------------------------------------------------------------------------------------------------------

KINDS = ("DDP", "FSDP", "TP", "DDP×TP", "FSDP×TP")


def applies(kind: str, n: int, s: Sizes) -> bool:
    """Whether heads and batch can be cut so."""
    dp, tp = shape_of(kind, n)
    return tp <= s.heads and n % tp == 0 and (dp > 1 or kind == "TP")


@dataclass
class Row:
    """One line of the table."""

    kind: str
    n: int
    batch: int
    flops: float
    moved: float
    formula: float
    here: float
    counts: dict[str, int]


def rows(devices: list[int], s: Sizes, weak: bool) -> list[Row]:
    """The lines for one kind of scaling, one device first."""
    torch.manual_seed(0)
    model = as_pure(nn.Sequential(*[Block(s.width, s.heads) for _ in range(s.blocks)]))
    found = []
    for kind in ("one", *KINDS):
        for n in [1] if kind == "one" else devices:
            if kind != "one" and not applies(kind, n, s):
                continue
            dp, _ = shape_of(kind, n)
            batch = s.per_device * n if weak else s.in_all
            if batch % dp:
                continue
            program = compiled(kind, n, batch, s, model)
            bytes_moved, counts = moved(program.as_text())
            found.append(
                Row(
                    kind,
                    n,
                    batch,
                    program.cost_analysis()["flops"],
                    bytes_moved,
                    textbook(kind, n, batch, s),
                    as_xla(kind, n, batch, s),
                    counts,
                )
            )
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def table(found: list[Row], speed: float, link: float, weak: bool) -> str:
    """As Markdown. speed: operations per second of a device; link: bytes per second that it sends."""
    one = found[0].flops / speed
    lines = [
        "| parallelism | devices | batch | GFLOP per device | MB moved, compiled | textbook | compiled ÷ textbook | compiled ÷ as XLA does it | compute ms | moving ms | efficiency | collectives |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in found:
        compute, moving = r.flops / speed, r.formula / link
        efficiency = one * (r.batch / found[0].batch if weak else 1) / (r.n * (compute + moving))
        ratios = [f"{r.moved / x:.3f}" if x else "" for x in (r.formula, r.here)]
        counts = ", ".join(f"{n} {k}" for k, n in sorted(r.counts.items()))
        lines.append(
            f"| {r.kind} | {r.n} | {r.batch} | {r.flops / 1e9:.1f} | {r.moved / 1e6:.1f} | {r.formula / 1e6:.1f} | {ratios[0]} | {ratios[1]} "
            f"| {compute * 1e3:.2f} | {moving * 1e3:.2f} | {efficiency:.0%} | {counts} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Prints both tables."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument(
        "--devices", type=int, nargs="+", default=[8, 16, 32, 64, 128, 256, 512], help=f"up to {MOST}"
    )
    p.add_argument("--speed", type=float, default=100.0, help="TFLOP/s that a device computes")
    p.add_argument("--link", type=float, default=50.0, help="GB/s that a device sends")
    p.add_argument("--width", type=int, default=Sizes.width)
    p.add_argument("--blocks", type=int, default=Sizes.blocks)
    p.add_argument("--weak", action="store_true", help="weak scaling alone")
    a = p.parse_args()
    s = Sizes(width=a.width, blocks=a.blocks)
    print(
        f"{s.blocks} GPT blocks of width {s.width}, {s.heads} heads, {s.tokens} tokens, float32; stated: {a.speed:g} TFLOP/s, {a.link:g} GB/s, nothing overlapped"
    )
    for weak in (True,) if a.weak else (True, False):
        title = (
            f"Weak scaling: {s.per_device} sequences for each device"
            if weak
            else f"Strong scaling: {s.in_all} sequences in all"
        )
        print(f"\n{title}\n\n{table(rows(a.devices, s, weak), a.speed * 1e12, a.link * 1e9, weak)}")


if __name__ == "__main__":
    main()
