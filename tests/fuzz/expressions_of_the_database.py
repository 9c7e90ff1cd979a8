"""What calls from PyTorch's own database of ops (torch.testing._internal.common_methods_invocations) showed: the same
lines as in test_expressions_parity.py."""

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

_KINKS = "torch.tensor([-2., -1., -.5, -0., 0., .5, 1., 3.], dtype=torch.float64, requires_grad=True)"
_BENT = f"x = {_KINKS}\ny = {{}}\nd, = torch.autograd.grad(y.sum(), x, create_graph=True)\ne, = torch.autograd.grad(d.sum(), x)\ntorch.stack([d, e])"
_T = "torch.arange(6.).reshape(2, 3).t()"

_SPREAD = "torch.arange(-3., 4.)"
_COMPLEX = "torch.arange(12.).reshape(3, 4).to(torch.complex64)"

VALUES = (
    *(f"x = torch.tensor(2.)\ntorch.masked.{name}(x{dim}).add_(1.)\nx" for name in ("sum", "amin", "amax", "mean") for dim in ("", ", 0")), "x = torch.tensor(2.)\ntorch.masked.prod(x, 0).add_(1.)\nx",
    # series that need too many terms
    *(f"a = torch.full((7,), {a}, dtype=torch.float64)\ntorch.{name}(a, a + {_SPREAD} * a.sqrt())" for name in ("igamma", "igammac") for a in ("9e4", "2e5", "1e7", "1e10", "1e16")),
    *(f"torch.{name}(torch.tensor([1e20, 3e38, 1e6]), torch.tensor([1e20, 3e38, 1e7]))" for name in ("igamma", "igammac")),
    "torch.igammac(torch.tensor([1e-6, 1e-4, .02, .3, 1.]).double(), torch.tensor([[1e-5], [.01], [.4], [.9], [1.3]]).double()).log()",
    "torch.igamma(torch.tensor([25., 40.]).double(), torch.tensor([[1e-3], [.1], [20.]]).double()).log()",
    "torch.special.zeta(torch.tensor(1e20), torch.tensor([1., .5, -.5, -3.7, -3.]))",
    # `out=` of other dtypes
    *(f"o = torch.zeros(3, {n}, dtype=torch.{d})\ntorch.fft.{name}({_COMPLEX}, out=o)\no" for name, n in (("irfft", 6), ("hfft", 6)) for d in ("float64", "float16")),
    *(f"o = torch.zeros(4, 6, dtype=torch.{d})\ntorch.fft.{name}({_COMPLEX}.repeat(2, 1)[:4], out=o)\no" for name in ("irfft2", "hfft2", "irfftn", "hfftn") for d in ("float64", "float16")),
    f"o = torch.zeros(3, 4, dtype=torch.complex128)\ntorch.fft.ifft({_COMPLEX}, out=o)\no", "torch.lerp(torch.ones(2), torch.zeros(2), torch.tensor(.5), out=torch.zeros(2, dtype=torch.float64))",
    "torch.linalg.ldl_factor(torch.zeros(0, 2, 2)).pivots", "torch.normal(torch.ones(2), 0., out=torch.zeros(2, 2))", "torch.normal(0., 0., (2,), out=torch.zeros(2, dtype=torch.float64))",
    *(f"torch.linalg.matrix_power(torch.tensor([[1., 2.], [3., 4.]]), {n}, out=torch.zeros(2, 2, dtype=torch.float64))" for n in (0, 1, 4, -4, 8)),
    # by strides of the storage
    *(f"torch.as_strided_scatter({view}, -torch.ones(2), (2,), (3,){at})" for view in (f"torch.arange(24.).reshape(4, 6){part}" for part in (".t()", "[1:]", "[:, ::2]")) for at in ("", ", 13")),
    *(f"F.batch_norm(torch.zeros(0), torch.zeros(0), torch.zeros(0), training={t})" for t in (True, False)),
    # first and second derivatives where a function has two formulas
    *(_BENT.format(f"F.{name}(x)") for name in ("softsign", "elu", "selu", "celu", "hardtanh", "relu6", "hardswish", "softshrink", "hardshrink", "logsigmoid")),
    *(_BENT.format(f"F.{call}") for call in ("huber_loss(x, x.detach() * 0)", "huber_loss(x, x.detach() * 0, delta=.5)", "smooth_l1_loss(x, x.detach() * 0, beta=.5)", "celu(x, -2.)", "elu(x, .5)")),
    f"x = {_KINKS}\nx.abs().neg().neg().rsqrt().sum().backward()\nx.grad", "x = torch.tensor([0., -0., 4.], requires_grad=True)\nx.rsqrt().sum().backward()\nx.grad",
    *(f"torch.view_copy({_T}, {size})" for size in ("(6,)", "(2, 3)", "torch.int32")),
    *(f"o = [torch.zeros(1, 2), torch.zeros(1, 2), torch.zeros(1, 2)]\nnothing = torch.{call}, out=o)\ntorch.cat([*o, torch.full((1, 2), float(nothing is None))])" for call in (f"split_copy({_T}, 1", f"split_with_sizes_copy({_T}, [1, 1, 1]")),
    f"o = [torch.zeros(2), torch.zeros(2), torch.zeros(2)]\nnothing = torch.unbind_copy({_T}, out=o)\ntorch.stack([*o, torch.full((2,), float(nothing is None))])",
    _CLAMPED.format("low, high", "low.grad, high.grad"), _CLAMPED.format("low", "low.grad"), _CLAMPED.format("max=high", "high.grad"),
    *(_INTO.format("", call) for call in _MAPPED),
    "o = torch.zeros(2, 2, dtype=torch.int64), torch.zeros(5)\ntorch.lu(torch.tensor([[1., 2.], [3., 4.]]), out=o)\no[0] + o[1]",
    "torch.diff(torch.ones(3), 0, out=torch.zeros(0))", "torch.masked_select(torch.ones(3), torch.ones(3) > 0, out=torch.zeros(0))",
)  # fmt: skip

REFUSED = (
    *(f"torch.fft.{name}({_COMPLEX}, out=torch.zeros(3, 6, dtype=torch.{d}))" for name in ("irfft", "hfft", "irfft2") for d in ("complex64", "int64")),
    *(f"torch.lerp(torch.ones(2), torch.zeros(2), {w}, out=torch.zeros(2, dtype=torch.float64))" for w in ("torch.ones(2)", "torch.tensor([.5])")),
    *(f"torch.linalg.matrix_power(torch.eye(2), {n}, out=torch.zeros(2, 2, dtype=torch.float64))" for n in (-1, -2, 2, 3, -6)),
    *(f"torch.nonzero(torch.ones(2), as_tuple=True, out={o})" for o in ("(torch.tensor([0]),)", "torch.zeros(2, 1, dtype=torch.int64)")),
    "torch.normal(0., 1., (2,), dtype=torch.float32, out=torch.zeros(2, dtype=torch.float64))", *(f"torch.normal(torch.ones(2), 1., out=torch.zeros({n}))" for n in (0, 3)),
    "torch.bernoulli(torch.ones(2), out=torch.zeros(2, dtype=torch.complex64))", "torch.bernoulli(torch.ones(2), .5, out=torch.zeros(2))",
    "F.batch_norm(torch.zeros(4), torch.zeros(0), torch.zeros(0))", "F.batch_norm(torch.zeros(3), None, None, training=True)",
    *(f"torch.{call}, out={out})" for call in (f"split_copy({_T}, 1", f"split_with_sizes_copy({_T}, [1, 1, 1]", f"unbind_copy({_T}") for out in ("torch.zeros(2)", "[torch.zeros(2)]")),
    *(f"torch.view_copy({_T}, {size})" for size in ("(5,)", "torch.int16")),
    *(_INTO.format(", dtype=torch.float64", call) for call in _MAPPED),
    "torch.diff(torch.ones(3), 0, out=torch.zeros(3, dtype=torch.float64))", "torch.masked_select(torch.ones(3), torch.ones(3) > 0, out=torch.zeros(3, dtype=torch.float64))",
    *(f"torch.lu(torch.eye(2), out={out})" for out in ("(torch.zeros(2, 2),)", "torch.zeros(2, 2)", "5")),
)  # fmt: skip
