"""Functions of nested tensors, written once for PyTorch and for this library: `fn(torch, x, y)`, x and y of the same
structure."""

from __future__ import annotations

PARTS = (
    [[1.0, -2.0, 3.0], [0.5, 5.0, -6.0]],
    [[7.0, 8.0, -9.0]],
    [[1.5, 0.25, 2.0], [-4.0, 3.0, 1.0], [2.5, -1.0, 0.75]],
)
WEIGHT = [[0.5, -1.0, 2.0], [1.0, 0.25, -0.5]]


def _heads(torch, x):
    """(batch, ragged, 3) -> (batch, 3 heads, ragged, 1)."""
    return x.unflatten(-1, (3, 1)).transpose(1, 2)


JAGGED = {
    "sin": lambda torch, x, y: torch.sin(x),
    "method exp": lambda torch, x, y: x.exp(),
    "gelu": lambda torch, x, y: torch.nn.functional.gelu(x),
    "add": lambda torch, x, y: x + y * 2,
    "number": lambda torch, x, y: 1 - x / 4,
    "pow": lambda torch, x, y: x**2,
    "dense row": lambda torch, x, y: x * torch.tensor([1.0, 2.0, 3.0]),
    "dense 0-d": lambda torch, x, y: x * torch.tensor(2.0),
    "dense per part": lambda torch, x, y: x * torch.tensor([1.0, 2.0, 3.0]).reshape(3, 1, 1),
    "dense padded": lambda torch, x, y: x * torch.arange(27.0).reshape(3, 3, 3),
    "dense on the left": lambda torch, x, y: torch.ones(1, 1, 3) - x,
    "logaddexp2": lambda torch, x, y: torch.logaddexp2(x, y),
    "heaviside": lambda torch, x, y: x.heaviside(y),
    "nextafter": lambda torch, x, y: torch.nextafter(x, y),
    "float_power": lambda torch, x, y: torch.float_power(x, 2),
    "ldexp": lambda torch, x, y: torch.ldexp(x, y),
    "special": lambda torch, x, y: torch.special.i0e(x) + torch.special.xlog1py(x, y * y),
    "compare": lambda torch, x, y: (x > y).float(),
    "where": lambda torch, x, y: torch.where(x > 0, x, y),
    "masked_fill": lambda torch, x, y: x.masked_fill(x < 0, 0.5),
    "clamp": lambda torch, x, y: x.clamp(-1, 1),
    "in place": lambda torch, x, y: (x * 1).mul_(3).add_(y),
    "to": lambda torch, x, y: x.to(torch.float64) * 3,
    "zeros_like": lambda torch, x, y: torch.zeros_like(x) + x,
    "linear": lambda torch, x, y: torch.nn.functional.linear(x, torch.tensor(WEIGHT), torch.ones(2)),
    "layer_norm": lambda torch, x, y: torch.nn.functional.layer_norm(x, (3,), torch.ones(3), torch.zeros(3)),
    "rms_norm": lambda torch, x, y: torch.nn.functional.rms_norm(x, (3,)),
    "matmul 2-d": lambda torch, x, y: x @ torch.tensor(WEIGHT).t(),
    "matmul 3-d": lambda torch, x, y: torch.matmul(x, torch.arange(18.0).reshape(3, 3, 2)),
    "bmm": lambda torch, x, y: torch.bmm(x, torch.arange(18.0).reshape(3, 3, 2)),
    "matmul from the left": lambda torch, x, y: torch.matmul(torch.arange(18.0).reshape(3, 2, 3), x.transpose(1, 2)),
    "matmul over the ragged dim": lambda torch, x, y: torch.matmul(x.transpose(1, 2), y),
    "softmax": lambda torch, x, y: x.softmax(-1) * y,
    "softmax ragged": lambda torch, x, y: torch.softmax(x, 1) * y,
    "log_softmax": lambda torch, x, y: x.log_softmax(-1),
    "sum": lambda torch, x, y: x.sum(),
    "sum ragged": lambda torch, x, y: x.sum(1),
    "sum ragged keepdim": lambda torch, x, y: x.sum(1, keepdim=True),
    "sum dense": lambda torch, x, y: x.sum(-1),
    "sum dense keepdim": lambda torch, x, y: x.sum(-1, keepdim=True),
    "sum batch and ragged": lambda torch, x, y: x.sum((0, 1)),
    "sum batch and ragged keepdim": lambda torch, x, y: x.sum((0, 1), keepdim=True),
    "sum all dims": lambda torch, x, y: x.sum((0, 1, 2)),
    "mean": lambda torch, x, y: x.mean(),
    "mean ragged": lambda torch, x, y: x.mean(1),
    "mean ragged keepdim": lambda torch, x, y: x.mean(1, keepdim=True),
    "mean dense": lambda torch, x, y: x.mean(2),
    "amax ragged": lambda torch, x, y: x.amax(1),
    "amin ragged": lambda torch, x, y: x.amin(1),
    "amax dense": lambda torch, x, y: x.amax(2),
    "max ragged": lambda torch, x, y: x.max(1)[0],
    "max dense": lambda torch, x, y: torch.max(x, -1)[0],
    "prod ragged": lambda torch, x, y: x.prod(1),
    "prod dense": lambda torch, x, y: x.prod(2),
    "transpose": lambda torch, x, y: x.transpose(1, 2) * 2,
    "permute": lambda torch, x, y: x.permute(0, 2, 1).contiguous(),
    "unsqueeze": lambda torch, x, y: x.unsqueeze(1),
    "squeeze": lambda torch, x, y: x.unsqueeze(-1).squeeze(-1),
    "view": lambda torch, x, y: x.view(3, -1, 3, 1),
    "view with the symbol": lambda torch, x, y: x.reshape(3, x.size(1), 1, 3),
    "unflatten": lambda torch, x, y: x.unflatten(-1, (1, 3)),
    "flatten": lambda torch, x, y: x.unsqueeze(-1).flatten(-2, -1),
    "select": lambda torch, x, y: x.select(2, 1),
    "select a part": lambda torch, x, y: x.select(0, 1),
    "narrow": lambda torch, x, y: x.narrow(2, 1, 2),
    "chunk": lambda torch, x, y: x.chunk(2, -1)[1],
    "chunk of the batch": lambda torch, x, y: x.chunk(2, 0)[0],
    "split": lambda torch, x, y: x.split([1, 2], -1)[0],
    "cat": lambda torch, x, y: torch.cat([x, y], -1),
    "item": lambda torch, x, y: x[2],
    "item and more": lambda torch, x, y: x[-1, 1],
    "ellipsis": lambda torch, x, y: x[..., 0],
    "padded": lambda torch, x, y: x.to_padded_tensor(-7.0),
    "padded further": lambda torch, x, y: torch.nested.to_padded_tensor(x, 0.0, (3, 5, 3)),
    "values": lambda torch, x, y: x.values() * 2,
    "attention": lambda torch, x, y: torch.nn.functional.scaled_dot_product_attention(
        _heads(torch, x), _heads(torch, y), _heads(torch, x)
    ),
    "deep": lambda torch, x, y: torch.nn.functional.layer_norm(
        torch.nn.functional.relu(torch.nn.functional.linear(x, torch.tensor(WEIGHT))), (2,), torch.ones(2), torch.zeros(2)
    ),
}  # fmt: skip

WHOLE = {
    "argmax ragged": lambda torch, x, y: x.argmax(1),
    "argmin dense": lambda torch, x, y: x.argmin(2),
    "max ragged indices": lambda torch, x, y: x.max(1)[1],
    "all": lambda torch, x, y: (x > -10).all(),
    "any ragged": lambda torch, x, y: (x > 7).any(1),
    "embedding": lambda torch, x, y: torch.nn.functional.embedding((x > 0).long(), torch.eye(3)),
    "isnan": lambda torch, x, y: x.isnan(),
}
"""Those without a gradient."""

STRIDED = {
    "cos": lambda torch, x, y: torch.cos(x),
    "add": lambda torch, x, y: x + y,
    "number": lambda torch, x, y: x * 2 - 1,
    "div": lambda torch, x, y: x.div(y),
    "linear": lambda torch, x, y: torch.nn.functional.linear(x, torch.tensor(WEIGHT), torch.ones(2)),
    "layer_norm": lambda torch, x, y: torch.nn.functional.layer_norm(x, (3,), torch.ones(3), torch.zeros(3)),
    "matmul": lambda torch, x, y: torch.matmul(x, y.transpose(1, 2)),
    "softmax": lambda torch, x, y: torch.softmax(x, -1) * y,
    "softmax of the ragged dim": lambda torch, x, y: torch.softmax(x, 1),
    "sum": lambda torch, x, y: x.sum(-1, keepdim=True),
    "chunk": lambda torch, x, y: x.chunk(3, -1)[1],
    "reshape": lambda torch, x, y: x.reshape(3, -1, 3, 1),
    "part": lambda torch, x, y: x[1],
    "padded": lambda torch, x, y: x.to_padded_tensor(2.0, (3, 4, 5)),
    "attention": lambda torch, x, y: torch.nn.functional.scaled_dot_product_attention(x, y, x),
}

ERRORS = {
    "sum batch": (RuntimeError, "reducing along the batch dimension", lambda torch, x: x.sum(0)),
    "sum ragged and dense": (RuntimeError, "reducing along a ragged and non-batch", lambda torch, x: x.sum((1, 2))),
    "mean ragged and dense": (AssertionError, "Cannot reduce on both", lambda torch, x: x.mean((1, 2))),
    "softmax batch": (RuntimeError, "across the batch dimension", lambda torch, x: x.softmax(0)),
    "log_softmax ragged": (RuntimeError, "along the ragged dimension", lambda torch, x: x.log_softmax(1)),
    "other structure": (RuntimeError, "cannot call binary pointwise function add", lambda torch, x: x + _other(torch)),
    "dense of another shape": (RuntimeError, "cannot call binary pointwise function add", lambda torch, x: x + torch.ones(6, 3)),
    "ragged matmul": (RuntimeError, r"matmul\(\): not supported", lambda torch, x: torch.matmul(x, x.transpose(1, 2))),
    "transpose batch": (ValueError, "not supported on the batch dimension", lambda torch, x: x.transpose(0, 1)),
    "cat batch": (RuntimeError, r"cat\(\): not supported", lambda torch, x: torch.cat([x, x], 0)),
    "cat ragged": (RuntimeError, "on ragged dim", lambda torch, x: torch.cat([x, x], 1)),
    "flatten ragged": (RuntimeError, "on ragged dim", lambda torch, x: x.flatten(1, 2)),
    "unsqueeze batch": (RuntimeError, "on dim=0", lambda torch, x: x.unsqueeze(0)),
    "view": (RuntimeError, "cannot view shape", lambda torch, x: x.view(-1, 3)),
    "dim": (IndexError, "Dimension out of range", lambda torch, x: x.size(5)),
    "part": (IndexError, "out of range", lambda torch, x: x[5]),
    "slice": (RuntimeError, "not supported for NestedTensor on dim=0", lambda torch, x: x[:1]),
    "unknown": (NotImplementedError, "cumsum", lambda torch, x: x.cumsum(2)),
    "numpy": (RuntimeError, "not supported", lambda torch, x: x.numpy()),
    "bool": (RuntimeError, "ambiguous", lambda torch, x: bool(x)),
    "empty list": (RuntimeError, "empty tensor list", lambda torch, x: torch.nested.nested_tensor([], layout=torch.jagged)),
    "two ragged dims": (RuntimeError, "single ragged dimension", lambda torch, x: torch.nested.nested_tensor(
        [torch.ones(2, 2), torch.ones(3, 3)], layout=torch.jagged)),
    "layout": (RuntimeError, "Specified layout is unsupported", lambda torch, x: torch.nested.nested_tensor([], layout=torch.sparse_coo)),
    "no list": (TypeError, "Expected first argument", lambda torch, x: torch.nested.as_nested_tensor(3)),
    "neither": (RuntimeError, "At least one of offsets or lengths", lambda torch, x: torch.nested.nested_tensor_from_jagged(x.values())),
    "jagged_dim": (ValueError, "Expected jagged_dim >=1", lambda torch, x: torch.nested.nested_tensor_from_jagged(
        x.values(), x.offsets(), jagged_dim=0)),
    "narrow": (RuntimeError, "only supports dim=1", lambda torch, x: torch.nested.narrow(torch.ones(2, 2), 0, 0, 1, layout=torch.jagged)),
}  # fmt: skip


def _other(torch):
    return torch.nested.nested_tensor(
        [torch.ones(1, 3), torch.ones(5, 3), torch.ones(1, 3)], layout=torch.jagged
    )


def inputs(torch, layout):
    """(leaves, x, y): x is made of the leaves; y has x's structure."""
    leaves = [torch.tensor(p, requires_grad=True) for p in PARTS]
    x = torch.nested.as_nested_tensor(leaves, layout=layout)
    return leaves, x, (x * 0.5 + 1).detach()


def dense(torch, result):
    """A result as a list of dense tensors."""
    return list(result.unbind()) if result.is_nested else [result]
