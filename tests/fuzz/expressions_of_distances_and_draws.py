"""More lines for test_expressions_parity.py: distances of integers, half precision, reductions, distributions, draws,
orders of arguments."""

from __future__ import annotations

_INF = "float('inf')"
_BYTES, _OTHERS = (
    "torch.tensor([[0, 1, 0]], dtype=torch.uint8)",
    "torch.tensor([[1, 0, 0]], dtype=torch.uint8)",
)
_D = "torch.distributions."
_ROWS, _ONES, _HALVES = "torch.ones(2, 3)", "torch.ones(2)", "torch.ones(2).half()"
_COMPLEX = "torch.tensor([1. + 0j, .5])"
_SCHEDULED = (
    "b = torch.tensor(2.)\np = nn.Parameter(torch.ones(1))\no = torch.optim.SGD([p], lr=.1, momentum=.9)\n"
    "s = torch.optim.lr_scheduler.CyclicLR(o, {}, .5, step_size_up=2)\n"
    "for _ in range(3): o.step(); s.step()\n"
    "torch.tensor([float(b), float(o.param_groups[0]['lr'])])"
)
_LOGDET = "x = torch.tensor({}, requires_grad=True)\ntorch.autograd.grad(torch.logdet(x), x)[0] + 0."

VALUES = (
    # integers wrap before they become floats
    *(f"F.pairwise_distance({_BYTES}, {_OTHERS}, {p})" for p in (1, 2.0, 3)),
    f"F.triplet_margin_loss({_BYTES}, torch.zeros_like({_BYTES}), {_OTHERS})",
    *(
        f"F.margin_ranking_loss(torch.tensor([0, 1, 0], dtype=torch.uint8), torch.tensor([1, 0, 0], dtype=torch.uint8), {y}, reduction='none')"
        for y in ("torch.ones(3).byte()", "torch.tensor([1, 1, -1])", "torch.tensor([1., 1., -.5])")
    ),
    "F.margin_ranking_loss(torch.tensor([0, 1, .3]).half(), torch.tensor([1, 0, .1]).half(), torch.ones(3).half(), .3, reduction='none')",
    # half precision has no 1e-12
    *(f"F.normalize(torch.zeros(2, 3).{d}(), eps={eps})" for d in ("half", "bfloat16") for eps in ("1e-12", "1e-4")),
    "F.cosine_similarity(torch.zeros(2, 3).half(), torch.zeros(2, 3).half())",
    *(f"F.normalize(torch.arange(4.).reshape(2, 2), {p}, None)" for p in (1, 3, _INF, None)),
    *(f"torch.add({_HALVES}, {_HALVES}, alpha={a})" for a in (_INF, "65504", "2.")),
    # the losses of the torch namespace reduce nothing unless told to
    *(
        f"torch.{call}"
        for call in (
            f"kl_div({_ROWS}, {_ROWS} * .3)", f"binary_cross_entropy_with_logits({_ROWS}, {_ROWS} * .3)", f"hinge_embedding_loss({_ROWS}, {_ROWS})",
            f"margin_ranking_loss({_ROWS}, {_ROWS} * .5, {_ROWS})", f"cosine_embedding_loss({_ROWS}, {_ROWS}, {_ONES})", f"triplet_margin_loss({_ROWS}, {_ROWS}, {_ROWS} * 0)",
            "ctc_loss(torch.zeros(2, 2, 3), torch.tensor([[1], [2]]), (2, 2), (1, 1))", "binary_cross_entropy_with_logits(torch.ones(1, 3), torch.ones(3, 3))",
        )
    ),
    *(f"F.instance_norm(torch.arange(12.).reshape(1, 2, 6).{x}(), torch.zeros(2).{s}(), {_ONES}.{s}(), use_input_stats=False)" for x, s in (("double", "float"), ("float", "double"), ("half", "double"), ("float", "long"))),
    f"m = torch.zeros(2).double()\nF.instance_norm(torch.arange(12.).reshape(1, 2, 6), m, {_ONES}.double(), use_input_stats=True)\nm",
    f"F.scaled_dot_product_attention({_ROWS}[None], {_ROWS}[None], {_ROWS}[None], dropout_p=-1.)",
    *(f"torch.{name}(torch.tensor({x}), 0, dtype=torch.bool)" for name in ("cumsum", "cumprod") for x in ("True", "[]")), "torch.tensor(True).cumprod_(0)", "torch.zeros(0, dtype=torch.bool).cumsum_(0)",
    *(_LOGDET.format(m) for m in ("[[-2.]]", "[[-2., 0.], [0., 1.]]", "[[2., 1.], [0., 1.]]")),
    *(f"torch.special.zeta(torch.tensor([{x}]), torch.tensor([.5, 1., 1.5, -.5, 0.]))" for x in (_INF, "1e30")),
    *(f"torch.ones(2).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([3., -1.]), '{r}', include_self={s})" for r in ("max", "min") for s in (True, False)),
    *(f"torch.histogram(torch.tensor([.1, .5, .7, .3]).{d}(), {given}).hist" for d in ("half", "bfloat16") for given in ("5, range=(0., 1.)", "torch.tensor([0, .5, 1]).to(torch.{})".format("float16" if d == "half" else "bfloat16"))),
    "torch.histogramdd(torch.ones(3, 1), [2], [0., 2.], torch.ones(3), True).hist",
    "torch.cat(torch.arange(4.).hsplit(1, 2)[1:])", "torch.cat(torch.arange(4.)[:, None].vsplit(1, 3)[1:])", "torch.arange(4.).reshape(1, 1, 4).dsplit(1, 2)[2]",
    *(f"torch.tensordot({_ROWS}, {_ROWS}, {given})" for given in ("0, None", "([0], [0]), torch.ones(3, 3)", "([0], [0]), out=torch.ones(3, 3)")),
    *(f"torch.linspace({ends}, 3)" for ends in ("torch.tensor(1), torch.tensor(2 + 1j)", "1, torch.tensor(1j)", "torch.tensor(1j), 2")), "torch.logspace(torch.tensor(1), torch.tensor(1 + 1j), 3)",
    *(f"torch.zeros((), dtype=torch.result_type({given}))" for given in (".5, tensor=torch.tensor([True])", "tensor=torch.ones(1).int(), other=2.", "1, scalar2=2.", "scalar=1, tensor=torch.ones(1).half()")),
    *(f"F.pad(torch.ones(1, 3, 4), (2, 1), mode='{m}', value={v})" for m in ("circular", "reflect", "replicate") for v in ("0", "-0.", "torch.tensor(0.)")),
    *(f"F.gaussian_nll_loss({_ROWS}, {y}, {v})" for y, v in (("1.5", _ROWS), ("1.5", "2."), ("2", _ONES), ("1j", _ROWS))), "torch.special.polygamma(4, torch.tensor([-.5, -1.5, -1.3]))",
    *(f"p = nn.Parameter(torch.ones(2))\no = torch.optim.SGD([p], {given})\np.sum().backward()\no.step()\np" for given in ("lr=float('nan')", "lr=.1, momentum=float('nan')", "lr=.1, weight_decay=float('nan')")),
    *(f"torch.kron({pair})" for pair in ("torch.ones(1, 3).half(), torch.tensor(2.)", "torch.tensor(2.), torch.ones(2).half()", "torch.ones(2).int(), torch.tensor(2)", "torch.tensor(2.), torch.tensor(3.)", "torch.tensor([[True, False]]), torch.tensor([[True], [True]])")),
    f"nn.CrossMapLRN2d(3, alpha=2)(torch.tensor([.6, .5, -{_INF}, -.4, .03, -.6]).reshape(1, 6, 1, 1))", f"nn.CrossMapLRN2d(3)(torch.tensor([{_INF}, .5, 1., -.4, .03, -.6]).reshape(1, 6, 1, 1))",
    *(f"torch.range({ends}, dtype=torch.{d})" for ends in ("0.5, 1", "0.5, 2.9, 1.9", "-1.5, 1", "2.5, 1, -1") for d in ("int64", "int32", "float32")),
    _SCHEDULED.format("b"), _SCHEDULED.format("[b]"),
    # distributions
    f"{_D}Multinomial(4, probs=torch.tensor([[1., 2.], [2., 3.]], dtype=torch.float64)).entropy() * 1e8 - 1.3e8", f"{_D}VonMises(torch.zeros(1), torch.ones(1)).expand(2).loc",
    *(f"{_D}HalfCauchy(torch.ones(2), validate_args=False).log_prob({v})" for v in ("True", "-1", ".5", "[.5, 1.]")),
    f"torch.binomial(torch.tensor([{_INF}, {_INF}, {_INF}, 5., -0.]), torch.tensor([.8, 0., 1., -0., .5]))", "torch.bernoulli(torch.zeros(2), torch.tensor(1 + 0j))",
)  # fmt: skip

REFUSED = (
    *(f"{_D}{of}" for of in (
        f"Normal(torch.zeros(2), {_COMPLEX})", f"HalfNormal(-{_COMPLEX})", f"Bernoulli({_COMPLEX})", f"Uniform(torch.zeros(2), 2 * {_COMPLEX})", f"Categorical({_COMPLEX})",
        "Poisson(torch.ones(1)).log_prob(torch.tensor([1. + 0j]))", "Gumbel(torch.zeros(3), torch.ones(3)).expand(2)",
        *(f"{name}({given}).sample({shape})" for name, given in (("Categorical", "torch.ones(2, 3)"), ("OneHotCategorical", "torch.ones(2, 3)"), ("Multinomial", "4, torch.ones(2, 3)")) for shape in ("(-1,)", "(-1, -1)")),
    )),
    *(f"torch.cdist({_ROWS}, {_ROWS}, 2., {mode})" for mode in (".5", "None", "True", "'foo'")), *(f"torch.cdist({_ROWS}, {_ROWS}, {p})" for p in ("torch.tensor([2.])", "torch.tensor(2., requires_grad=True)")),
    f"F.pairwise_distance({_ROWS}, {_ROWS}, torch.tensor(2., requires_grad=True))", f"torch.norm({_ROWS}, torch.tensor([2.]))", f"torch.renorm({_ROWS}, torch.tensor([2.]), 0, 1.)",
    *(f"F.scaled_dot_product_attention({_ROWS}[None], {_ROWS}[None], {_ROWS}[None], scale=torch.tensor({s}))" for s in ("[.5, 1.5]", "[.5]")),
    *(f"torch.tensor([True]).{name}_(0)" for name in ("cumsum", "cumprod")), "torch.tensor([1, 2]).cumsum_(0, dtype=torch.float32)",
    *(f"torch.histogram(torch.ones(6).half(), {given})" for given in ("3", "3, weight=torch.ones(4)", "3, range=(0., 1.), weight=torch.ones(4)")), "torch.histogram(torch.zeros(0, dtype=torch.int8), False)",
    *(f"torch.histogramdd(torch.ones(6, 2).{d}(), [3])" for d in ("half", "float", "int")), "torch.histogramdd(torch.ones(3), 1, [.5])",
    *(f"torch.tensordot({_ROWS}, {_ROWS}, {given})" for given in ("[-4], []", "-3, -3", "[0], [0], out=torch.ones(3, 3)")), *(f"torch.einsum({given})" for given in ("", "3", "None", _ONES, "'ij'")),
    *(f"F.fractional_max_pool{n}d({x}, 2, output_size={(3, 2, 2)[:n]}{samples})" for n in (2, 3) for x in ("torch.tensor(-.7)", "torch.ones(2)") for samples in ("", f", _random_samples=torch.ones(1, 2, {n})")),
    *(f"F.ctc_loss(torch.tensor(.5), {given})" for given in ("torch.ones(3, 3).long(), (2, 3, 0), (3, 0, 0)", "torch.tensor(1), (2,), (3,)", "torch.ones(3, 3).long(), torch.tensor([2., 3., 0.]), torch.tensor([3, 0, 0])")),
    *(f"F.bilinear(torch.ones(3), torch.ones(4), torch.ones({w}), torch.ones({b}))" for w, b in (("1, 2, 3, 4", 2), ("1, 3, 4, 4", 1), ("2, 3", 2), ("2", 2))), "F.bilinear(torch.ones(2), torch.ones(3), torch.ones(5, 2, 3, 1), torch.ones(5))",
    *(f"F.pad({_ROWS}, (-1, 2), mode={m})" for m in ("True", "None", "5", "()", "'x'")),
    *(f"F.embedding_bag(torch.tensor([[0]]), torch.ones(0, 3), mode='{m}')" for m in ("sum", "max", "mean")), "nn.EmbeddingBag(0, 3)(torch.tensor([[0, 2]]))",
    *(f"torch.{name}(torch.ones(2, 3, dtype=torch.uint8), dim=-4)" for name in ("std", "var", "std_mean", "var_mean")),
    *(f"torch.hash_tensor(torch.tensor([1]), out=torch.zeros((), dtype=torch.{d}))" for d in ("float32", "int64", "complex64")),
    *(f"torch.{name}({_ONES}, {_ONES}, out=torch.zeros(2, dtype=torch.{d}))" for name in ("polar", "complex") for d in ("complex128", "float32")),
    *(f"torch.{name}({_HALVES}, {_HALVES}, alpha={a})" for name in ("add", "sub", "rsub") for a in ("70000.", "-70000")), f"{_HALVES}.add_({_HALVES}, alpha=1e10)",
    "torch.binary_cross_entropy_with_logits(torch.ones(3, 3).byte(), torch.ones(1, 3))", *(f"torch.binary_cross_entropy_with_logits(torch.ones({a}, 3), torch.ones({b}, 3))" for a, b in ((3, 1), (2, 4))),
    "torch.bernoulli(torch.ones(2), torch.tensor(.5 + 2j))", "torch.stft(torch.ones(9), 7, -3, return_complex='yes')", *(f"torch.ones(3)[slice({s})]" for s in ("2, 'a', 0", "1., 2, 'a'", "2, 3, 0", "-1, 'a', 0")),
    *(f"F.pad(torch.ones(1, 3, 4), (2, 1), mode='replicate', value={v})" for v in ("1", "float('nan')")), f"F.gaussian_nll_loss({_ROWS}, True, {_ROWS})",
    *(f"F.multilabel_margin_loss(torch.ones(4), torch.tensor({y}))" for y in ("[3 + 0j, 0, -1, 1]", "[3 + 0j, 0, -1]", "[3., 0, -1, 1]")),
    *(f"torch.ones(2, 3, 4).{call}" for call in ("permute((-1, 2, 3))", "permute((3, -1, 2))", "flip((-1, 2, 3))", "squeeze((-1, 2, 3))", "var((-1, 2, 3))", "std((3, -1, 2))", "sum((-1, 2, 3))", "amax((-1, 2, 3))")),
    "torch.linalg.vector_norm(torch.ones(2, 3, 4), 2, (-1, 2, 3))",
    *(f"torch.result_type({given})" for given in ("1", "1, 2, 3", "tensor=1, foo=2")),
)  # fmt: skip
