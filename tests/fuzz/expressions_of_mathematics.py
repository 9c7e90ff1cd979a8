"""More lines for test_expressions_parity.py: windows, linear algebra, reductions, data of torch.tensor, arguments of
losses."""

from __future__ import annotations

_W = "torch.signal.windows."
_PAIR = "torch.tensor([[1., 2.], [3., 5.]])"
_X = "x = torch.tensor([-3., 0.5, 1., 1.5, 2.])\n"
_BITS = "torch.tensor([True, False])"
_BCE = (
    "F.binary_cross_entropy_with_logits(torch.tensor([1., 2.], requires_grad=True), torch.tensor([1j, 0.5]))"
)
_NAN = "float('nan')"
_UNPOOL = "F.max_unpool{0}d(torch.ones({1}), torch.full(({1},), 5), 0, 2)"


def _slope(of: str, at: str) -> str:
    return f"x = torch.tensor({at}, requires_grad=True)\ntorch.autograd.grad({of}, x)[0]"


VALUES = (
    *(f"{_W}{name}({m})" for name in ("hann", "bartlett", "kaiser", "general_hamming") for m in ("1.0", "True", "0.0")),
    f"{_W}general_cosine(1, a=[])", f"{_W}general_cosine(0, a=0.5)", f"{_W}exponential(1, center=-1, sym=False)",
    *(f"{_W}{call}" for call in ("gaussian(1, std=float('nan'))", "exponential(1, tau=float('nan'))", "exponential(3, center=float('inf'), sym=False)")),
    *(_X + f"F.hardtanh_(x, {bounds})" for bounds in ("min_val=2", "2, -2", "2, float('nan')")),
    _X + "F.hardtanh_(x.long(), 2, 1.5)",
    # a product with a truth value is one with 0 or 1, whatever the other factor
    *(f"{_BITS}{as_} * {by}" for as_ in ("", ".half()", ".to(torch.complex64)") for by in (_NAN, "-1.")),
    *(f"{_BITS}{by}" for by in (".div(False)", " / torch.zeros(2)", ".float() * torch.log(torch.zeros(2))")),
    f"(torch.tensor([1., 2.]) > 1.5) * {_NAN}", f"torch.eye(2) * {_NAN}",
    f"F.dropout(torch.full((200,), {_NAN})).isnan().all()", f"F.dropout(torch.full((2,), {_NAN}), 1.)",
    "torch.linalg.vander(torch.tensor(0.5), N=3)", "torch.linalg.lstsq(torch.ones(4, 2), torch.zeros(4, 0)).rank",
    "torch.linalg.matrix_rank(torch.zeros(0, 2).half(), 0.5)",
    *(f"torch.linalg.ldl_factor(torch.tensor([[1., 0.], [{v}, 0.]])).LD" for v in (_NAN, "float('inf')")),
    _slope("torch.svd(x, compute_uv=False)[1].sum()", "[[1., 1.], [1., 2.], [1., 4.]]"),
    _slope("torch.special.i1(x).sum()", "[-95., 0., 5., 700.]"),
    "q = torch.tensor([.2, .5], requires_grad=True)\nx = torch.tensor([.1, .5, .7], requires_grad=True)\n"
    "g = torch.autograd.grad(torch.quantile(x, q, interpolation='higher').sum(), [x, q], allow_unused=True)\ntorch.tensor(g[1] is None)",
    *(f"torch.gradient({_PAIR}, spacing={h})[0]" for h in ("2j", "1 + 2j", "[2j, 1.]", "torch.tensor(2.)")),
    "torch.gradient(torch.tensor([1., 2., 4.]), spacing=(torch.tensor([1, 2, 3j]),))[0]",
    *(f"torch.histogramdd(torch.zeros(4, 2), {bins}).bin_edges[0]" for bins in ("torch.tensor(3)", "[torch.tensor(3), 2]")),
    "x = torch.zeros(0)\ntorch.tensor([torch.diff(x, 3) is x, torch.diff(x, 0) is x])",
    "x = torch.zeros(2, 0)\ntorch.tensor([x.split(1, dim=1)[0] is x])",
    "torch.mean(torch.tensor([1.5j, 2.]), 0, out=torch.tensor(0.))", "torch.nanmean(torch.tensor([1.5]), out=torch.tensor(0.).double())",
    "torch.abs(torch.tensor([-1j]), out=torch.tensor([1.]).double())",
    "torch.normal(torch.tensor([0, 1], dtype=torch.uint8), 0., out=torch.zeros(2))",
    *(
        f"F.multilabel_soft_margin_loss(torch.ones({shapes[0]}), torch.full(({shapes[1]},), .3), reduction='none')"
        for shapes in (("2, 3", "1, 2, 3"), ("3", "4, 3"), ("3", "4, 1"))
    ),
    *(_UNPOOL.format(n, shape) for n, shape in ((1, "1, 1, 1"), (2, "1, 1, 1, 2"), (3, "1, 1, 1, 1, 2"))),
    # what torch.tensor makes of data
    *(
        f"torch.tensor({data})"
        for data in (
            "[torch.tensor([1.])]", "[torch.tensor(1, dtype=torch.int32)]", "[torch.tensor(1, dtype=torch.float64), 2]",
            "[[1., 2.], torch.ones(2)]", "[2**70], dtype=torch.float32", "[[], [1.]]", "[-1, 255], dtype=torch.uint8",
            "[1.9, -1.9], dtype=torch.int32", "[True, 2.5], dtype=torch.bool", "-1, dtype=torch.uint8", "[1, 2.5, 1j]",
        )
    ),
)  # fmt: skip

REFUSED = (
    *(f"{_W}{call}" for call in ("hann(3, layout=None)", "general_hamming(5, alpha=1j)", "gaussian(1.0)", "kaiser(-1, beta='x')", "hann(2.5)")),
    *(f"torch.{name}({_PAIR}, keepdim=False)" for name in ("sum", "prod", "mean", "max", "min")),
    *(f"{_PAIR}.{name}(keepdim=False)" for name in ("sum", "mean", "median", "nanmedian", "max")),
    *(f"torch.mv({a}, {b})" for a in ("torch.tensor(1.)", "torch.ones(2)") for b in ("torch.tensor(1.)", "torch.ones(2)")),
    "torch.linalg.lu_solve(torch.eye(3), torch.tensor(2).int(), torch.zeros(3, 2))",
    "torch.ormqr(torch.zeros(2, 2), torch.tensor(2.), torch.zeros(2, 2))", "torch.istft(torch.zeros(20, dtype=torch.complex64), 8, 4)",
    "torch.stft(torch.tensor(1.), 1, return_complex=True)",
    *(f"torch.linalg.matrix_rank(torch.zeros(2, 2).{d}(), {t})" for d, t in (("half", "0.5"), ("half", "rtol=0.5"), ("half", "atol=0.5"), ("int", "0.5, hermitian=True"))),
    "torch.linalg.ldl_factor_ex(torch.zeros(2, 2).half())[0]",
    *(f"torch.histogramdd(torch.rand(4, 2), {given})" for given in ("[2, 2], weight=True", "True", "'x'", "[2., 2.]", "[2, torch.ones(2)]", "[True, 2]", "[2, 2], range='x'")),
    *(f"torch.histogram(torch.rand(4), {given})" for given in ("2.", "True", "None", "torch.tensor([0., 1.]), range=(0., 1.)", "2, range=('x', 1)")),
    f"torch.gradient({_PAIR}[0], spacing=torch.tensor([1., 2.]))",
    *(f"F.interpolate(torch.ones(1, 1, 2), size={n})\nF.interpolate(torch.ones(1, 1, 2), size={m})" for n, m in (("2", "2.0"), ("1", "True"), ("(2,)", "(2.0,)"))),
    "F.interpolate(torch.ones(1, 1, 2), size=2, mode='linear', align_corners=True)\n"
    "F.interpolate(torch.ones(1, 1, 2), size=2, mode='linear', align_corners=1)",
    "F.interpolate(torch.ones(3), size=5)", "F.interpolate(torch.tensor(1.), scale_factor=2)",
    *(f"F.local_response_norm(torch.ones(1, 3, 4), {n})\nF.local_response_norm(torch.ones(1, 3, 4), {m})" for n, m in ((2, 2.0), (1, True))),
    "F.max_unpool1d(torch.ones(1, 1, 2), torch.tensor([[[0, 2]]]), 2)\nF.max_unpool1d(torch.ones(1, 1, 2), torch.tensor([[[0, 2]]]), 2.0)",
    "torch.repeat_interleave(torch.ones(2), 2)\ntorch.repeat_interleave(torch.ones(2), 2.0)",
    *(f"F.poisson_nll_loss(torch.ones(2), torch.ones(2), full=True)\nF.poisson_nll_loss(torch.ones(2), torch.ones(2), full={v})" for v in ("1", "'x'", "None")),
    "F.poisson_nll_loss(torch.ones(2), torch.ones(2).to(torch.complex64), full=True)", "nn.utils.rnn.pad_sequence([torch.ones(2)], batch_first=1)",
    *(f"nn.Transformer(4, 2, 1, 1, 6, 0.)(torch.ones({src}), torch.ones(2, 2, 4))" for src in (4, 24)),
    *(
        f"torch.{name}(torch.tensor([1., 2.]), 0, dtype=torch.float64, out=torch.zeros({shape}))"
        for name, shape in (("sum", "()"), ("mean", "()"), ("prod", "()"), ("cumsum", "2"), ("softmax", "2"))
    ),
    *(f"torch.{name}(torch.tensor([1.5]), 0, {given})" for name in ("nansum", "nanmean") for given in ("out=torch.tensor(0)", "dtype=torch.complex64", "dtype=torch.float64, out=torch.tensor(0.)")),
    *(f"torch.{name}(torch.tensor([-1]), out=torch.tensor([1.]))" for name in ("abs", "absolute")),
    _BCE, "torch.ones(2).new_empty_strided((2,), (1,), torch.float64)", "torch.as_tensor([1], torch.float64)",
    *(f"torch.{call}" for call in ("full((2,), None)", "full_like(torch.ones(2), None)", "ones(2).softmax(None)", "linspace(0, 2, 1, torch.float64)")),
    *(f"torch.tensor([1.]).{name}({2**70})" for name in ("add", "clamp_max", "fill_")), f"torch.true_divide({2**70}, {2**40})",
    "torch.mvlgamma(torch.tensor([3.]), 2**62)",
    *(f"torch.tensor([1]).dist(torch.tensor({x}))" for x in ("[True]", "[1]")), "torch.tensor([False]).dist(torch.tensor([1.]))",
    *(f"torch.ones(3, 2).{call}" for call in ("narrow_copy(2, 1, 5)", "unsafe_split([1, 2])", "hsplit(indices=2)", "hsplit(sections=(1,))", "unflatten(0, [[0]])")),
    "torch.tensor(True).split(1)", "torch.tensor(1.).unsafe_split(0, 0)",
    f"{_PAIR}.index_fill(4, torch.tensor([0]), torch.tensor([1.]))", f"{_PAIR}.scatter_(4, torch.tensor([[1]]), torch.tensor([[1j]]))",
    "torch.zeros(3).index_add(0, torch.zeros(0, dtype=torch.int64), torch.tensor(-2.8))",
    *(f"torch.tensor([-2]).{call}" for call in ("log_normal_(std='x')", "normal_(std=[1.])", "cauchy_(sigma='x')", "exponential_('x')", "uniform_('x')")),
    *(
        f"torch.tensor({data})"
        for data in (
            "[1j], dtype=torch.float32", "[1j], dtype=torch.int64", f"[{_NAN}], dtype=torch.int64", "[300], dtype=torch.uint8", "[2**63]", "2**63",
            "[2**40], dtype=torch.int32", "['x']", "[None]", "[1, None]", "{}", "[torch.tensor([1., 2.])]", "[[1., 2.], 3.]", "[3., [1., 2.]]", "[[1, 2], [3]]",
            "[torch.tensor(1.5)], dtype=torch.int64", "1e20, dtype=torch.int32", "[-300], dtype=torch.uint8", "[2**64], dtype=torch.uint64",
        )
    ),
)  # fmt: skip
