"""More lines for test_expressions_parity.py: what is made into `out=`, values that do not fit, lengths, derivatives at
nan and infinity."""

from __future__ import annotations

_PAIR = "torch.tensor([[1., 2.], [3., 5.]])"
_BITS = "torch.tensor([False, True])"
_EDGES = "[-4., -3., float('-inf'), 0.2, 1., 3., 7., float('inf'), float('nan')]"
_NAN, _INF = "float('nan')", "float('inf')"
_ROWS = f"torch.tensor([[1., {_NAN}], [{_NAN}, {_NAN}], [1., 2.]])"
_CTC = "F.ctc_loss(torch.zeros(5, 2, 4), torch.tensor({}), torch.tensor({}), torch.tensor({}))"
_STACKS = ("cat", "stack", "hstack", "vstack", "dstack", "column_stack", "concat")
_LOSSES = (
    "binary_cross_entropy_with_logits(a, b", "hinge_embedding_loss(a, b", "kl_div(a, b", "margin_ranking_loss(a, b, b",
    "triplet_margin_loss(a, b, -b",
)  # fmt: skip


def _slopes(of: str, upstream: str) -> str:
    return f"x = torch.tensor({_EDGES}, requires_grad=True)\ntorch.autograd.grad(F.{of}, x, torch.full((9,), {upstream}))[0]"


VALUES = (
    *(_slopes(f"{name}(x)", t) for name in ("elu", "selu", "celu", "hardswish", "hardsigmoid", "softshrink") for t in ("1.", _NAN)),
    *(
        f"x = torch.tensor([1., 2., {_INF}], requires_grad=True)\n"
        f"torch.autograd.grad(F.{name}(x, torch.tensor([{_INF}, {_NAN}, 0.]), reduction='sum'), x)[0]"
        for name in ("huber_loss", "smooth_l1_loss")
    ),
    *(f"torch.cdist(torch.zeros(1, 2), {_ROWS}, {p})" for p in ("0.", "1.", _INF)), f"F.pdist({_ROWS}, 0.)",
    "torch.matrix_power(torch.tensor([[-float('inf'), -.1], [.1, -.5]]), 3)",
    *(f"torch.special.{name}(torch.tensor([.5, 2.]), {n})" for name in ("hermite_polynomial_h", "legendre_polynomial_p") for n in (_INF, _NAN, "2.")),
    *(f"torch.zeros(2, 0, dtype=torch.{d}).{name}()" for d in ("int8", "int16", "int32") for name in ("median", "nanmedian")),
    # into `out=` of another dtype
    *(
        f"torch.{call}, out=torch.empty(0, dtype=torch.{d}))"
        for call, d in (
            ("full((2,), 1.5", "int32"), ("arange(0, 3, .7", "int32"), ("arange(3", "float64"), ("eye(2", "int64"), ("linspace(1, 2, 3", "int32"),
            ("logspace(1, 2, 3", "float64"), ("range(1, 2", "int64"), ("logsumexp(torch.tensor([1, 2]), 0", "float64"), ("logsumexp(torch.zeros(0), []", "float32"),
        )
    ),
    *(f"torch.logsumexp(torch.zeros({shape}), [])" for shape in ("0", "2, 0")), "torch.nansum(torch.zeros(0), 0, dtype=torch.complex64)",
    *(f"a, b = torch.tensor([[.5, 1.]]), torch.tensor([[1., -1.]])\ntorch.{loss}, reduction={n})" for loss in _LOSSES for n in (5, -1, 2)),
    *(f"F.pad(torch.ones(1, 2, 4), {pad}, mode='{mode}')" for pad in ("(-1, -1, -1, -1)", "(-2, -2, 0, 0)") for mode in ("reflect", "replicate")),
    "x = torch.ones(2, 3)\ntorch.tensor([F.dropout1d(x, .5, False) is x, F.dropout1d(x, .5, False, True) is x])",
    *(f"torch.{call}.float().sum() * 0" for call in ("randint_like(torch.ones(2), torch.tensor(3.7))", "randint_like(torch.ones(2), high=3, generator=torch.Generator(), requires_grad=None)")),
    *(f"torch.{call}, pin_memory=False)" for call in ("arange(2", "eye(2", "full((2,), 1.", "ones_like(torch.ones(2)", "tril_indices(2, 2", "scalar_tensor(2.", "fft.fftfreq(3")),
    "F.gaussian_nll_loss(torch.ones(2), torch.ones(2), float('nan'))", "torch.tensor(True).kthvalue(1).values",
)  # fmt: skip

REFUSED = (
    # a number that the dtype does not hold, as a tensor
    *(
        f"torch.ones(2, dtype=torch.{d}).{call.format(v)}"
        for call in (f"masked_fill({_BITS}, {{}})", f"masked_fill_({_BITS}, {{}})", "index_fill(0, torch.tensor([0]), {})", f"__setitem__({_BITS}, {{}})")
        for d, v in (("uint8", "torch.tensor(-1.8)"), ("uint8", "torch.tensor(300)"), ("int64", f"torch.tensor({_NAN})"), ("float16", "torch.tensor(1e6)"))
    ),
    *(f"torch.ones(2).__setitem__(torch.tensor([0, 1], dtype=torch.uint8), {v})" for v in ("2.", "torch.tensor(2.)")),
    *(_CTC.format(*given) for given in (
        ("[1, 2, 2, 1, 3]", "[5, 4]", "[3, 100]"), ("[1, 2, 2, 1, 3]", "[5, 4]", "[-1, 2]"), ("[1, 2, 2, 1, 3]", "[5, 9]", "[3, 2]"), ("[[1, 2], [3, 1]]", "[5, 4]", "[2, 3]"),
    )),
    *(f"torch.{name}([torch.ones(1)], out=torch.empty(0, dtype=torch.uint8))" for name in _STACKS),
    "torch.cat([torch.ones(2, 3), torch.ones(2)], out=torch.empty(0, dtype=torch.int64))",
    *(
        f"torch.{call}, dtype=torch.int64, out=torch.empty(0, dtype=torch.int32))"
        for call in ("zeros(2", "full((2,), 1", "arange(2", "eye(2", "linspace(1, 2, 3", "randint(5, (2,)", "randperm(2", "range(1, 2")
    ),
    *(f"torch.{call}" for call in (
        "fill(torch.ones(2), 2., out=torch.ones(2))", "argsort(torch.ones(2), out=torch.tensor([0]))", "bucketize(3, torch.tensor([1]), out=torch.tensor(0))",
        "kthvalue(torch.ones(2), 5, out=torch.ones(2))", "sort(torch.ones(2), 5, out=(torch.ones(2), 5))", "cov(torch.ones(2, 3), correction=1.)",
        "linalg.tensorinv(torch.tensor(2.))", "linalg.tensorsolve(torch.tensor(2.), torch.tensor([1.]))",
        "broadcast_shapes([[0]], [])", "broadcast_shapes((1,), (None,))", "meshgrid()", "histogramdd(torch.tensor([[1., 2.], [-float('inf'), 3.]]), 2)",
        "narrow_copy(torch.zeros(2, 0), -2, 5, -1)", "range(1 + 2j, 3)", "range(1, float('inf'))", "scalar_tensor([1.])", "randint(3, None, (2,))",
        "randint_like(torch.ones(2), torch.tensor([3, 4]))", "renorm(torch.ones(2, 2), 2**70, 0, 1)", "quantile(torch.ones(2).byte(), 1j)", "logit(torch.tensor([1j]), 1j)",
        "istft(torch.ones(5, 4, dtype=torch.complex64), 8, 4, window=torch.ones(8), length=0)", "stft(torch.ones(9), 8, pad_mode='foo', return_complex=1)",
        "histc(torch.ones(2).byte(), max=None)", "einsum(torch.ones(3), [None])", "ones(2, 3).unflatten(-7, [])", "poisson(torch.tensor([-1.]), {})",
        "min(torch.zeros(0, 3, dtype=torch.complex64), 0)", "ones(3)[slice(-1, 'a', 0)]", "index_add(torch.ones(3, 3), 1, torch.tensor([0, 0, 0]), torch.tensor(0.))",
    )),
    *(f"torch.linalg.lstsq({a}, {b}).solution" for a, b in (("torch.ones(2, 4, 2)", "torch.ones(1, 4)"), ("torch.ones(2, 4, 2)", "torch.ones(4)"), ("torch.ones(4, 2)", "torch.ones(2, 4, 1)"))),
    *(f"{_PAIR}.{name}(1, None)" for name in ("std", "var")), f"torch.var_mean({_PAIR}, None, None)",
    *(f"nn.Transformer(4, 2, {n}, 6, 0.)(torch.ones(3, 2, 4), torch.ones(2, 2, 4))" for n in ("1, 0", "0, 1")),
    "F.triplet_margin_with_distance_loss(torch.ones(2, 3), torch.ones(2, 3), torch.zeros(2, 3), distance_function=False)",
    "F.multilabel_soft_margin_loss(torch.ones(2, 3), torch.ones(2, 3), reduction=None)", "nn.init.trunc_normal_(torch.ones(3), 0., 0.)",
    "torch.distributions.Gamma(torch.tensor([1, 2]), torch.ones(2)).sample()",
)  # fmt: skip
