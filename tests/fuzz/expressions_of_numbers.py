"""More lines for test_expressions_parity.py: numbers that must be real, derivatives of distances at nan and infinity,
deprecated words and methods."""

from __future__ import annotations

_NAN, _INF = "float('nan')", "float('inf')"
_A, _B = "a = torch.tensor({}, requires_grad=True)\n", "b = torch.tensor({}, requires_grad=True)\n"
_ODD_ROWS = (
    f"[[1., {_NAN}], [2., 3.], [0., 1.]]",
    f"[[1., {_INF}], [2., 3.], [0., {_INF}]]",
    "[[1., 2.], [3., 4.], [1., 2.]]",
)
_ONES = "torch.ones(2, 3)"
_LOSSES = (
    *(f"{n}_loss(torch.tensor([.2, .3]), torch.tensor([.5, .6])" for n in ("l1", "mse", "smooth_l1", "huber", "soft_margin", "hinge_embedding")),
    "kl_div(torch.tensor([.2, .3]), torch.tensor([.5, .6])", *(f"binary_cross_entropy{n}(torch.tensor([.2, .3]), torch.tensor([.5, .6])" for n in ("", "_with_logits")),
    *(f"{n}({_ONES}, torch.tensor([0, 1])" for n in ("cross_entropy", "nll_loss", "multi_margin_loss")),
    f"multilabel_margin_loss({_ONES}, torch.tensor([[0, 1, -1], [0, -1, 2]])", f"margin_ranking_loss({_ONES}, {_ONES}, {_ONES}",
    f"cosine_embedding_loss({_ONES}, {_ONES}, torch.ones(2)", f"triplet_margin_loss({_ONES}, {_ONES}, {_ONES}",
    "ctc_loss(torch.zeros(2, 1, 3), torch.tensor([[1]]), (2,), (1,)", f"linear_cross_entropy({_ONES}, {_ONES}, torch.tensor([0, 1])",
)  # fmt: skip
_COO, _CSR = (
    "torch.tensor([[0]]), torch.tensor([1.])",
    "torch.tensor([0, 1]), torch.tensor([0]), torch.tensor([{}])",
)


def _slope(of: str, *given: str) -> str:
    """The gradients of a sum, one after the other."""
    names = "ab"[: len(given)]
    leaves = "".join(line.format(values) for line, values in zip((_A, _B), given))
    return f"{leaves}torch.cat([g.flatten() for g in torch.autograd.grad({of}.sum(), [{', '.join(names)}])])"


VALUES = (
    *(_slope("torch.copysign(a, b)", f"[1., 0., {_NAN}, {_INF}, -{_INF}, -2.]", f"[{s}1., {s}0., 2., {s}{_INF}, {_NAN}, -0.]") for s in ("", "-")),
    *(_slope(f"torch.cdist(a, b, {p})", rows, f"[[0., 0.], [1., {_INF}]]") for p in ("0.5", "1.", "2.", _INF) for rows in _ODD_ROWS),
    *(_slope(f"F.pdist(a, {p})", rows) for p in ("1.", "1.5", _INF) for rows in (*_ODD_ROWS, "[[1., 1.], [2., 2.]]")),
    *(_slope(f"torch.linalg.vector_norm(a, {p})", v) for p in ("-1.", "0.5", "1.", "3.", _INF) for v in (f"[0., {_NAN}, 2.]", f"[0., -2., {_INF}]", "[0., 0.]")),
    *(_slope(f"F.pairwise_distance(a, torch.zeros(2), {p}, 0.)", v) for p in ("-1.", "-2.") for v in (f"[{_INF}, {_INF}]", "[0., 0.]", "[0., 1.]")),
    _slope("torch.renorm(a, 1., 0, 1.)", f"[[1., {_NAN}], [2., 3.]]"),
    *(f"F.{loss}, reduction='elementwise_mean')" for loss in _LOSSES), f"nn.MSELoss(reduction='elementwise_mean')({_ONES}, torch.zeros(2, 3))",
    *(f"F.embedding(torch.tensor([0, 1]), {w}, scale_grad_by_freq=True)" for w in ("torch.tensor([[1, 2], [3, 4]])", "torch.tensor([[True], [False]])", f"torch.tensor([[1.], [{_INF}]])")),
    *(f"F.{name}(torch.ones(2, 3, 4, dtype=torch.complex64), 1., True).real" for name in ("dropout", "alpha_dropout", "feature_alpha_dropout", "dropout1d", "dropout3d")),
    "F.soft_margin_loss(torch.tensor([1j, .5]), torch.ones(2))", f"F.triplet_margin_loss({_ONES}, {_ONES}, {_ONES}, margin={_NAN})", f"F.normalize({_ONES}, None)",
    *(f"torch.threshold(torch.ones(2).half(), {t}, 2.)" for t in ("2**40", "-2**40", "2.**40")),
    "m, e = torch.zeros(0), torch.tensor(0.)\ntry: torch.frexp(torch.ones(3), out=(m, e))\nexcept RuntimeError: pass\nm",
    "torch.ones(4).resize(2, 2)", "torch.ones(4).resize_as(torch.ones(2, 2))", "x = torch.ones(4)\nx.resize(2, 2).fill_(3.)\nx", _slope("(3 * a.resize(2, 1))", "[1., 2.]"),
    "torch.sparse_coo_tensor((2,)).to_dense()", "torch.sparse_coo_tensor([2, 3]).to_dense()", f"torch.sparse_coo_tensor({_COO}, pin_memory=False).to_dense()",
    *(f"torch.randint({given}).float() * 0" for given in ("low=3, high=5, size=(2,)", "3, size=(2,)", "3, high=5, size=(2,)", "high=3, size=(2,)", "0, 3, (2,)")),
    f"with torch.backends.cuda.sdp_kernel(enable_flash=False): y = F.scaled_dot_product_attention({_ONES}, {_ONES}, {_ONES})\ny",
    *(f"torch.linalg.cholesky_ex(torch.tensor({m})).info" for m in (f"[[1., {_INF}], [{_INF}, 1.]]", "[[1., 2.], [2., 1.]]")),
    *(f"torch.cov(torch.tensor([[1, 2, 4], [3, 1, 1]]).to(torch.{x}), aweights=torch.ones(3, dtype=torch.{w}))" for x in ("bfloat16", "int64", "float64") for w in ("float32", "float64")),
    "F.instance_norm(torch.ones(0, 2, 4), torch.zeros(2), torch.ones(2), use_input_stats=False)", "torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), ((1,), (0,)))",
)  # fmt: skip

REFUSED = (
    # a double is neither complex nor None
    *(
        f"F.{call}={v})"
        for call in (
            f"hinge_embedding_loss({_ONES}, {_ONES}, margin", f"margin_ranking_loss({_ONES}, {_ONES}, {_ONES}, margin",
            f"cosine_embedding_loss({_ONES}, {_ONES}, torch.ones(2), margin", f"triplet_margin_loss({_ONES}, {_ONES}, {_ONES}, eps", f"poisson_nll_loss({_ONES}, {_ONES}, eps",
            f"pairwise_distance({_ONES}, {_ONES}, eps", f"pairwise_distance({_ONES}, {_ONES}, p", f"layer_norm({_ONES}, (3,), eps", f"group_norm({_ONES}, 1, eps",
            "instance_norm(torch.ones(1, 2, 3), eps", "instance_norm(torch.ones(1, 2, 3), momentum",
        )
        for v in ("1j", "'a'", "None")
    ),
    f"F.rms_norm({_ONES}, (3,), eps=1j)", *(f"torch.pinverse({_ONES}, {v})" for v in ("1j", "None")), f"torch.linalg.lstsq({_ONES}, {_ONES}, 1j)[0]",
    *(f"torch.{call}={v})" for call in ("logspace(0, 1, 3, base", "hamming_window(3, alpha", "kaiser_window(3, beta") for v in ("1j", "None")),
    *(f"torch.{name}(torch.ones(2), torch.ones(2), alpha=None)" for name in ("add", "sub", "rsub")), "torch.renorm(torch.ones(2, 2), 1, 0, None)", "torch.renorm(torch.ones(2, 2), 1, 0, 1j)",
    *(f"torch.linalg.{call}, 1j)" for call in (f"norm({_ONES}", f"matrix_norm({_ONES}", f"vector_norm({_ONES}")), f"torch.dist({_ONES}, {_ONES}, 1j)", f"F.normalize({_ONES}, 1j)",
    f"F.multi_margin_loss({_ONES}, torch.tensor([0, 1]), margin=1j)", *(f"torch.{name}({_ONES}, 0, correction=1j)" for name in ("var", "std")),
    "F.embedding(torch.tensor([0]), torch.tensor([[1, 2]]), max_norm=1.)",
    *(f"F.poisson_nll_loss({given})" for given in (f"{_ONES} > 0, {_ONES}, False", f"{_ONES}, {_ONES} > 0, full=True", f"{_ONES} > 0, {_ONES} > 0", f"{_ONES} > 0, {_ONES}.int(), False")),
    # arguments are looked at before what they are used on
    *(f"torch.{call}, -3, {i})" for call in (f"select_scatter({_ONES}, torch.ones(3)", f"select({_ONES}") for i in ("1.", "True", "torch.tensor(1.)", "1j")),
    *(f"{_ONES}.index_fill({where}, {v})" for where, v in (("2, torch.tensor([0])", "1j"), ("0, torch.tensor([[0]])", "1j"), ("2, torch.tensor([0.])", "1."), ("2, torch.tensor([[0]])", "1."))),
    *(f"{_ONES}.{name}(0, {_ONES}, {_ONES}{more})" for name, more in (("index_add", ""), ("index_reduce", ", 'amin'"))),
    *(f"F.{name}({_ONES} > 0, {v})" for name in ("celu", "elu", "softshrink") for v in ("()", "None")),
    *(f"F.gaussian_nll_loss({given})" for given in (f"torch.ones(2), {_ONES}, {_ONES}", f"{_ONES}, torch.ones(2), torch.ones(5)", f"{_ONES}, torch.ones(2), {_ONES}, reduction='foo'")),
    *(f"nn.{call}" for call in ("FractionalMaxPool3d(0, 2)", "FractionalMaxPool3d((2, 0, 1), 2)", "Bilinear(-2, 4, 2)", "Bilinear(0, 4, 2)")),
    f"F.fractional_max_pool2d((), 2, output_size=2, _random_samples={_ONES})", f"F.multilabel_soft_margin_loss({_ONES}, {_ONES}, reduction='elementwise_mean')",
    # ints in brackets of their own
    *(
        call.format("((0,),)")
        for call in (
            "F.layer_norm(torch.ones(2, 3), {})", "F.rms_norm(torch.ones(2, 3), {})", "torch.fft.fftshift(torch.ones(2, 3), {})", "torch.ones(2, 3).sum({})",
            "torch.roll(torch.ones(2, 3), {0}, {0})", "torch.fft.fftn(torch.ones(2, 3), {})", "torch.ones(2, 3).unflatten(0, {})", "F.unfold(torch.ones(1, 1, 3, 3), {})",
            "torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), ({0}, {0}))",
        )
    ),
    *(f"F.affine_grid(torch.ones(1, 2, 3), {given})" for given in ("(-1, 1, 3, 1), align_corners=True", "(-1, 1, 3, 1), align_corners=False", "(2, 1, 3, 2), align_corners=False")),
    "F.instance_norm(torch.ones(0, 2, 4), torch.zeros(2), torch.ones(2), torch.ones(2), torch.ones(2), False)",
    *(f"torch.ones(4).unflatten(0, {v})" for v in ("None", "()", "0", "4")), *(f"torch.unflatten(torch.ones(4), 0, {v})" for v in ("None", "()", "4")),
    *(f"torch.randint({given})" for given in ("low=3, size=(2,)", "low=3, high=None, size=(2,)", "size=(2,)", "3, 5, (2,), low=1")), "torch.ones(2).random_(**{'from': 3})", "torch.ones(2).random_(from_=3)",
    *(f"torch.sparse_{given}, pin_memory={v})" for given in (
        f"coo_tensor({_COO}", f"csr_tensor({_CSR.format('1.')}", f"csc_tensor({_CSR.format('1.')}", f"bsr_tensor({_CSR.format('[[1.]]')}",
        f"bsc_tensor({_CSR.format('[[1.]]')}", f"compressed_tensor({_CSR.format('1.')}, layout=torch.sparse_csr",
    ) for v in ("True", "None")),
    "torch.sparse_coo_tensor((2,), pin_memory=True)", "torch.ones(4).resize((2, 2))", "torch.ones(4).resize(2, 3)", "torch.ones(4).resize_as(torch.ones(3))",
)  # fmt: skip
