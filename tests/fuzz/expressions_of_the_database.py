"""What calls from PyTorch's own database of ops (torch.testing._internal.common_methods_invocations) showed: the same lines as in test_expressions_parity.py."""

from __future__ import annotations

_INTO = "o = torch.zeros(3{})\nF.{}, out=o)\no"
_CLAMPED = (
    "x, low, high = [torch.tensor(v, requires_grad=True) for v in zip(*[(a, b, c) for a in (0., 2., float('nan')) for b in (1., 3., float('nan')) for c in (0., 2., float('nan'))])]\n"
    "torch.clamp(x, {}).sum().backward()\ntorch.stack([x.grad, {}])"
)
_MAPPED = (
    *(f"{name}(torch.tensor([[-1., .2, 3.]])" for name in ("gelu", "hardshrink", "softshrink", "softplus", "logsigmoid")),
    "linear(torch.tensor([[-1., .2, 3.]]), torch.ones(2, 3)", "avg_pool2d(torch.arange(16.).reshape(1, 4, 4), 2", "avg_pool3d(torch.arange(64.).reshape(1, 4, 4, 4), 2",
)  # fmt: skip

VALUES = (
    _CLAMPED.format("low, high", "low.grad, high.grad"), _CLAMPED.format("low", "low.grad"), _CLAMPED.format("max=high", "high.grad"),
    *(_INTO.format("", call) for call in _MAPPED),
    "o = torch.zeros(2, 2, dtype=torch.int64), torch.zeros(5)\ntorch.lu(torch.tensor([[1., 2.], [3., 4.]]), out=o)\no[0] + o[1]",
    "torch.diff(torch.ones(3), 0, out=torch.zeros(0))", "torch.masked_select(torch.ones(3), torch.ones(3) > 0, out=torch.zeros(0))",
)  # fmt: skip

REFUSED = (
    *(_INTO.format(", dtype=torch.float64", call) for call in _MAPPED),
    "torch.diff(torch.ones(3), 0, out=torch.zeros(3, dtype=torch.float64))", "torch.masked_select(torch.ones(3), torch.ones(3) > 0, out=torch.zeros(3, dtype=torch.float64))",
    *(f"torch.lu(torch.eye(2), out={out})" for out in ("(torch.zeros(2, 2),)", "torch.zeros(2, 2)", "5")),
)  # fmt: skip
