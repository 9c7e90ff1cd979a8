"""Programs that fix a size which is to be open: forward, arguments, dynamic_shapes, what the error says, and the fixes
that it suggests (PyTorch's)."""

from __future__ import annotations


def module(forward):
    """A module with this forward."""
    import functorch_lite as torch

    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = torch.nn.Linear(3, 4)

    M.forward = forward
    return M()


def _one(torch):
    return (torch.ones(8, 3),)


def _two(torch):
    return torch.ones(8, 3), torch.ones(8, 3)


def _batch(Dim):
    return ({0: Dim("batch")},)


def _both(Dim):
    return {0: Dim("batch")}, {0: Dim("other")}


CONSTANT = "You marked batch as dynamic but your code specialized it to be a constant (8)."
GUARD = "Not all values of batch = L['x'].size()[0] in the specified range satisfy the generated guard"
MULTIPLE = ["_batch = Dim('_batch', min=1)", "batch = 4*_batch"]

PROGRAMS = {
    "a constant of the example's size": (lambda t: lambda self, x: x + t.ones(8, 3), _one, _batch, CONSTANT, ["batch = 8"]),
    "a branch": (lambda t: lambda self, x: x * 2 if x.shape[0] > 5 else x, _one, _batch, GUARD, ["batch = Dim('batch', min=6)"]),
    "equal": (lambda t: lambda self, x: x * 2 if x.shape[0] == 8 else x, _one, _batch, CONSTANT, ["batch = 8"]),
    "unequal": (lambda t: lambda self, x: x * 2 if x.shape[0] == 9 else x, _one, _batch, GUARD, []),
    "a rest": (lambda t: lambda self, x: x * 2 if x.shape[0] % 4 == 0 else x, _one, _batch, GUARD, MULTIPLE),
    "a view": (lambda t: lambda self, x: x.view(-1, 4, 3), _one, _batch, GUARD, MULTIPLE),
    "two of one size": (
        lambda t: lambda self, x, y: x + y, _two, _both,
        "The values of other = L['y'].size()[0] and batch = L['x'].size()[0] must always be equal.", ["other = batch"],
    ),
    "one of one more": (
        lambda t: lambda self, x, y: x + y[1:], lambda t: (t.ones(8, 3), t.ones(9, 3)), _both, "by other = batch + 1.", ["other = batch + 1"],
    ),
    "a loop": (lambda t: lambda self, x: sum(x[i] for i in range(x.shape[0])), _one, _batch, CONSTANT, ["batch = 8"]),
    "int()": (lambda t: lambda self, x: x * int(x.shape[0]), _one, _batch, CONSTANT, ["batch = 8"]),
    "len()": (lambda t: lambda self, x: x * len(x), _one, _batch, CONSTANT, ["batch = 8"]),
    "a layer's width": (
        lambda t: lambda self, x: self.lin(x), _one, lambda Dim: ({0: Dim("batch"), 1: Dim("width")},),
        "You marked width as dynamic but your code specialized it to be a constant (3).", ["width = 3"],
    ),
    "a multiple": (
        lambda t: lambda self, x, y: x + y[1:9], lambda t: (t.ones(8, 3), t.ones(16, 3)),
        lambda Dim: (lambda b: ({0: b}, {0: 2 * b}))(Dim("batch")), CONSTANT, ["batch = 8"],
    ),
}  # fmt: skip
