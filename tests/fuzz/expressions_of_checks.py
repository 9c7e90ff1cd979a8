"""More lines for test_expressions_parity.py: the order of checks, dtypes of samplers, convolutions of nothing, parts of
what was expanded."""

from __future__ import annotations

_EYE = "torch.eye(2).to(torch.{})"
_CONSTRAINTS = "torch.distributions.constraints."
_WISHART = "torch.distributions.Wishart(torch.tensor([4.]), torch.eye(3), validate_args=False)"
_STEPPED = "p = torch.tensor([1., 2.], requires_grad=True)\no = torch.optim.{}\nfor i in range(4): o.step(lambda: [o.zero_grad(), l := ((p - 0.3) ** 2).sum(), l.backward()][1])\np.detach()"
_ENDS = "float('inf'), float('nan'), -1, 2"
_HUBER = "x = torch.tensor([-0.5, 0.1, 2.0], requires_grad=True)\ny = F.huber_loss(x, torch.zeros(3), "
_STFT = "torch.stft(torch.ones(20), 8, window=torch.ones(8), return_complex=True"
_OF_INTS = (
    *("Poisson(i)", "Binomial(i, i)", "Binomial(torch.ones(2), i)", "Dirichlet(i)", "Beta(i, i)", "Gamma(i, i)", "Geometric(probs=i)"),
    *("Laplace(i, i)", "Cauchy(i, i)", "HalfCauchy(i)", "Exponential(i)"),
)  # fmt: skip

_WIDER = ("7.3890562", "torch.tensor(7.3890562)", "torch.tensor(1 / 3, dtype=torch.float64)")

VALUES = (
    # beside a half, what is wider is rounded first, but not a factor or divisor that comes last
    *(
        f"x = torch.linspace(-3, 4, 23).to(torch.{d})\ntorch.{op}({a}, {b})"
        for d in ("float16", "bfloat16") for op in ("add", "sub", "mul", "div", "pow", "remainder", "fmod", "floor_divide")
        for wider in _WIDER for a, b in (("x", wider), (wider, "x")) if op != "fmod" or wider[0] == "t" or a == "x"
    ),
    *(f"x = torch.linspace(-3, 4, 23).to(torch.{d})\ntorch.{op}(x, torch.tensor(7.3890562))" for d in ("float16", "bfloat16") for op in ("hypot", "atan2", "logaddexp")),
    *(
        f"F.{call}(torch.zeros(0, 2, 4, 4, dtype=torch.{d}), torch.zeros({weight}, dtype=torch.{w}))"
        for call, weight in (("conv2d", "3, 2, 3, 3"), ("conv_transpose2d", "2, 3, 3, 3"))
        for d in ("int64", "bool", "float32", "bfloat16")
        for w in ("float32", "float64", "complex64", "int32")
    ),
    *(
        f"t = torch.arange(5.)\nv = t.expand(5, 5)\nv{write}\nt"
        for write in ("[2, 2] = 0", "[2] = 0", "[:1] = 3", "[0:1].mul_(2)", ".diagonal().fill_(3)", "[3].add_(v[2])", "[1].view(5, 1)[2] = 9")
    ),
    *(
        f"a = torch.ones(3, requires_grad=True)\nx = torch.arange(3.).reshape(1, 3) * a\nv, u = x[0], x[:, 1:]\nx.{become}\n"
        f"v.mul_(10)\nu.mul_(2)\nx.add_(1)\n((x * x).sum() + v.sum()).backward()\ntorch.cat([a.grad, x.flatten(), v, u[0]])"
        for become in ("t_()", "squeeze_()", "unsqueeze_(0)", "transpose_(0, 1)", "swapdims_(0, -1)")
    ),
    "torch.histogramdd(torch.ones(3, 2), [torch.arange(3.), torch.arange(4.)], range=(1,))[0]",
    *(
        f"F.poisson_nll_loss(torch.tensor({x}), torch.tensor({y}), reduction='none', {flag}=True)"
        for x in ("[0, -1, 0]", "[.5, -1, 0], dtype=torch.float16", "2., dtype=torch.float64", "[True, False, True]")
        for y in ("[1, 0, 0]", "[1., 0, 2], dtype=torch.float16", "3., dtype=torch.float64")
        for flag in ("full", "log_input")
    ),
    "F.poisson_nll_loss(torch.tensor([0., 2.]).half(), torch.tensor([1, 0]), False, reduction='none')",
    *(f"F.kl_div(torch.tensor(.5, dtype=torch.{a}), torch.tensor([.2, .3], dtype=torch.{b}), reduction='none')" for a in ("float64", "float32") for b in ("float16", "float32")),
    *(f"F.nll_loss(-torch.arange(24.).reshape(2, 3{more}), torch.tensor({target}), torch.tensor([[1.], [2.], [3.]]))" for more, target in ((", 2, 2", "[[[0, 1], [2, 1]]] * 2"), (", 4", "[[0, 1, 2, 1]] * 2"))),
    *(f"torch.{name}_window({n}, dtype=torch.complex64)" for name in ("kaiser", "hann", "hamming") for n in (0, 1)),
    *(f"torch.ones(2, 3).scatter(0, torch.zeros(0, dtype=torch.{d}), {v})" for d in ("uint8", "float32", "bool") for v in ("2.", "torch.zeros(0)")),
    *(
        f"x = torch.arange(6.).reshape(1, 2, 3, 1){view}\ny = x.{call}(memory_format=torch.{name})\ny.add_(1)\nx + 0 * float(y is x)"
        for view in ("", "[:, :1]", ".permute(0, 1, 3, 2)", ".permute(0, 3, 1, 2)", "[:, :, :1]")
        for call in ("to", "contiguous", "float", "cpu", "clone")
        for name in ("channels_last", "contiguous_format")
    ),
    *(f"torch.tensor([1.9, 2.5, .5, 1e20, -.3j]).pow({e})" for e in ("4", "7", "-3", "100", "torch.tensor(4)", "torch.tensor(100.)", "2.5")),
    *(
        f"F.cosine_embedding_loss(torch.tensor([[-.35, .03, -.22], [.16, .29, -.1]], dtype=torch.{x}), torch.tensor([[-.2, -.3, .03], [.16, -1e4, .3]], dtype=torch.{y}), "
        "torch.tensor([-1., 1.]), margin=.1, reduction='none')"
        for x in ("float32", "float16", "bfloat16") for y in ("float32", "float16", "float64")
    ),
    *(f"F.interpolate(torch.ones(1, 2, 4, 3), {size}, mode='area')" for size in ("0", "(0, 2)", "(2, 2)")),
    *(f"F.l1_loss(torch.tensor([200, 3], dtype=torch.{d}), torch.tensor([0, 5], dtype=torch.{d}), reduction='sum')" for d in ("uint8", "int32", "int64")),
    *(f"torch.lu_unpack(torch.arange(1., 7).reshape({shape}), torch.tensor([2, 2, 2, 2], dtype=torch.int32)).P" for shape in ("3, 2", "2, 3")),
    "nn.GRU(4, 3, num_layers=torch.tensor(2))(torch.zeros(3, 2, 4))[0] * 0",
    "a, b = torch.broadcast_tensors(torch.zeros(3, 1), torch.zeros(1, 4))\na[:, 0] = 1\nb[0] = 2\na + 10 * b",
    *(f"torch.ones(2, 4).unfold(1, {size}, {step})" for size in (1, 4) for step in (2**40, 2**63 - 1)),
    *(f"torch.ones(4).as_strided(({n}, 2), (2**40, 1))" for n in (0, 1)), "torch.slice_scatter(torch.ones(4), torch.zeros(1), 0, 0, 4, 2**40)",
    *(f"F.{pool}(torch.ones(1, 1, 4, 4), 2, 2**31 - 1)" for pool in ("max_pool2d", "avg_pool2d")),
    *(f"F.embedding_bag(torch.tensor([[0, 1]]), torch.ones(2, 3), include_last_offset={last})" for last in ("True", "None", "'x'")),
    *(f"torch.round(torch.tensor([0.0, 1.5, -3.0]), decimals={n})" for n in (2**20, -(2**20), 40)),
    *(f"F.local_response_norm(torch.ones(1, 4, 3, dtype=torch.{dtype}), 2, beta=float('{beta}'))" for dtype in ("float16", "float32") for beta in ("inf", "nan")),
    *(f"{_HUBER}delta={delta})\ntorch.autograd.grad(y, x)[0]" for delta in ("float('inf')", 0.3)),
    *(f"torch.ones(2, 2).scatter(0, torch.zeros(2, 2, dtype=torch.int64), value=torch.tensor({v}))" for v in (2, 2.5)),
    *(f"torch.{name}(torch.arange(6.).reshape(2, 3), torch.arange(18.).reshape(3, 2, 3), dim=0)" for name in ("trapezoid", "cumulative_trapezoid")),
    *(_STEPPED.format(f"Rprop([p], step_sizes={sizes})") for sizes in ((None, 50.0), (1e-6, None))),
    "torch.tensor([-10000000.0, 49.0, 1e5]) / torch.full((3,), 3.0) * 2.0**30",
    "torch.tensor([[True, False], [False, True]]).matrix_power(1)", *(f"torch.lerp(torch.tensor([0]), torch.tensor([2]), torch.tensor(0.5, dtype=torch.{d}))" for d in ("float32", "float64")),
    *(f"torch.logdet(torch.{m}(3, 3, dtype=torch.complex64)).imag" for m in ("ones", "zeros")),
    *(f"torch.{f}(torch.tensor([0., 1, {_ENDS}])[:, None], torch.tensor([0., 1, {_ENDS}]))" for f in ("igamma", "igammac")),
    *(f"F.binary_cross_entropy_with_logits(torch.tensor([-15.9, 3.], dtype=torch.{a}), torch.tensor([0., 0.3], dtype=torch.{b}))" for a, b in (("float32", "float64"), ("float16", "float32"))),
    *(f"nn.{m}(True)(torch.ones(24, dtype=torch.{d}))" for m in ("Dropout2d", "FeatureAlphaDropout", "AlphaDropout") for d in ("int64", "bool")),
    *(f"F.linear(torch.ones(2, 2, 3), torch.ones(4, 3), torch.arange({n}.).reshape({shape}))" for n, shape in ((4, "4, 1"), (4, "1, 4"), (8, "2, 4"), (4, "2, 2, 1"))),
    *(f"torch.distributions.GeneralizedPareto(1., 0.5, -1., validate_args=False).log_prob(torch.tensor({v}))" for v in (1.6, 1.5, 1.2)),
    *(f"torch.ones(2, 3).double().index_put([torch.tensor({mask})], torch.ones(1))" for mask in ("True", "[True, False]")),
    *(f"torch.signal.windows.{w}=torch.tensor({v}))" for w in ("gaussian(5, std", "kaiser(5, beta", "exponential(5, tau", "exponential(5, sym=False, center") for v in (1, 1.5)),
    *(f"torch.{f}(torch.ones({a}, dtype=torch.double), torch.ones({b}, dtype=torch.half))" for f, a, b in (("bmm", "1, 2, 0", "1, 0, 2"), ("bmm", "0, 2, 3", "0, 3, 2"), ("matmul", "3, 3", "0, 2, 3, 1"))),
    "torch.addbmm(torch.ones(1), torch.ones(0, 2, 3).double(), torch.ones(0, 3, 1))", "torch.matmul(torch.ones(0, 2, 3) > 0, torch.ones(0, 3, 2) > 0)",
    *(f"torch.linalg.cond({m}, 'nuc')" for m in ("torch.zeros(3, 3)", "torch.diag(torch.tensor([1., 0., 2.]))", "torch.stack([torch.eye(3), torch.zeros(3, 3)])")),
    *(f"torch.logit(torch.tensor([0.2, 0.7, 0.999, 1.2, -0.1], dtype=torch.{d}), {eps})" for d in ("half", "bfloat16") for eps in (None, 1e-5, 0.001, 0.01)),
    "torch.ones(2, 3)[[[2], [0]], torch.tensor([False, False, False])]",
    "nn.LSTMCell(3, 2)(torch.ones(3), torch.ones(2, 2))[0].shape", "nn.LSTMCell(3, 2)(torch.ones(3), [torch.ones(2)] * 3)[0].shape",
    *(f"{_CONSTRAINTS}{c}.check(torch.ones(0, 3, 3))" for c in ("symmetric", "positive_definite", "positive_semidefinite")),
    *(f"F.celu(torch.ones(2), {a})" for a in ("1 + 0j", "2")), "F.softshrink(torch.ones(2), 0.3 + 0j)", "torch.arange(0, 3 + 0j)",
    *(f"torch.ones(2).{f}(torch.tensor(1 + 0j)).shape" for f in ("normal_", "uniform_", "exponential_", "cauchy_", "log_normal_")),
    *(f"x = torch.tensor([[3., 1, -2], [0.5, 0.2, 0.1], [0, 0, 0]], requires_grad=True)\ny = {f}\ny.sum().backward()\ny, x.grad" for f in ("torch.linalg.vector_norm(x, 80, 1)", "torch.renorm(x, 80, 0, 1.)", "torch.linalg.vector_norm(x, 8, 0)")),
    "torch.lu_unpack(torch.ones(1, 2), torch.tensor([1, 3], dtype=torch.int32))",
    "torch.distributions.Binomial(4, logits=torch.tensor([-math.inf, -1.5, 3.])).log_prob(torch.tensor([1., 0, 4]))",
    *(f"torch.{f}(torch.arange(6., dtype=torch.{d}), {dim}, out=torch.zeros((), dtype=torch.{o}))" for f in ("var", "std") for d, dim, o in (("half", 0, "bfloat16"), ("bfloat16", "None", "half"))),
    *(f"torch.ones(0, dtype=torch.{d}).{f}" for d in ("int8", "bool") for f in ("normal_()", "exponential_()", "log_normal_()", "geometric_(0.5)")), "torch.randn(0, 2, dtype=torch.int64)",
    "torch.tensor([[0.4, -1.9, 2.1], [1e4, -2.5, 2.7], [2.6, -1.9, -0.5]]).matrix_exp().div(1e3).round()", "torch.tensor([[-20.]]).matrix_exp() * 1e9",
    "torch.tensor([[-0.8, -0.0, 2.4]], dtype=torch.float16).atan2(torch.tensor(-0.0))", "torch.norm_except_dim(torch.tensor([-0.6 + 1j, 0]), 0)",
    *(_STEPPED.format(f"SGD([p, p], lr=0.1, momentum=0.9, dampening={d}, weight_decay=0.1)") for d in (0, 0.5)),
    "torch.distributions.VonMises(torch.zeros(1), 1.).expand((2, -1)).batch_shape", "torch.distributions.LKJCholesky(3).log_prob(torch.eye(3, dtype=torch.bfloat16))",
    *(f"torch.linalg.cond(torch.ones({s}), {p})" for s in ("3, 0", "0, 0", "0, 2, 2") for p in (1, "None")),
    *(f"torch.ones(2, 1, 1).{f}({d})" for f in ("squeeze", "squeeze_", "count_nonzero") for d in ("1, 2", "-1, 0", "(1, 2)", "dim=1")),
    *(f"torch.special.{p}(torch.tensor([0., .5, 1., -1., 2., -3., float('inf')]), torch.tensor([[5], [40], [56], [57], [58], [59], [60], [67], [68], [129]]))" for p in ("hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p")),
    *(f"torch.special.{p}(torch.tensor([1., -1., 2., -2.]), torch.tensor([[2**40], [2**40 + 1]]))" for p in ("legendre_polynomial_p", *[f"chebyshev_polynomial_{f}" for f in "tuvw"])),
    "torch.special.laguerre_polynomial_l(torch.tensor(0.), 2**40)",
    *(f"inf = float('inf')\nx = torch.tensor({x}, requires_grad=True)\ntorch.logcumsumexp(x, 0){part}.sum().backward()\nx.grad" for x in ("[1., inf, 2.]", "[-inf, -inf, 3., -inf, 2.]", "[-inf, 3., inf, inf, -inf]", "inf") for part in ("", "[:2]") if x != "inf" or not part),
    *(f"torch.{f}(torch.tensor([[{a}, 1.], [3., 2.], [1., 1.]]))[{i}]" for f, i in (("geqrf", 0), ("linalg.qr", 1)) for a in ("-0.", "0.", "complex(-0., 1.)", "complex(-0., -0.)")),
    *(f"F.pairwise_distance({a}, torch.tensor(2., dtype=torch.float64), keepdim={k})" for a in ("torch.ones(3)", "torch.ones(2, 3)", "torch.ones(3).half()", "torch.ones(3).int()") for k in (True, False)),
    *(f"torch.arange({a})" for a in ("5", "5, 8", "5, 8, 2", "end=5", "5, end=8", "start=5, end=8", "end=5, start=1, step=2")),
    *(f"torch.{f}(torch.zeros(0, 3).to(torch.{d}), out=torch.zeros(()).to(torch.{d}))" for f in ("max", "min") for d in ("float16", "float32", "int64", "uint8", "bool")),
    *(f"F.normalize(torch.arange(6.).reshape(2, 3) / 9, p={p})" for p in ("'fro', dim=1", "'fro', dim=(0, 1)", "'nuc', dim=(0, 1)", "None", "1e8", "40, dim=0")), "F.normalize(torch.tensor([[0.2], [0.3]]), p=1e8)",
    *(f"F.pairwise_distance(torch.tensor([{x}]), torch.zeros(1), {p})" for x in ("[.2], [.3]", "[.2, 2.], [.3, 300.]") for p in ("1e8", "40", "0", "float('inf')")),
    *(f"torch.{f}, {p})" for f in ("pdist(torch.tensor([[20.], [.3]])", "cdist(torch.tensor([[20.], [.3]]), torch.tensor([[2.], [.3]])") for p in (100, 1e8, 3, 0)),
    "torch.chain_matmul(torch.ones(2, 3).double(), out=torch.zeros(()))", "torch.roll(torch.ones(0, 3), 1, 7)", "torch.ones(2, 2).renorm(2, 0, torch.tensor(1.))", "torch.broadcast_shapes((2, 3), (1,), 3)",
    *(f"torch.distributions.StudentT(torch.tensor([.7, 1.5, 5.]), 0., torch.tensor([1., 2., 3.], dtype=torch.{d}), validate_args=False).variance" for d in ("float64", "complex64")),
    "torch.distributions.Normal(0., torch.tensor([True]), validate_args=False).variance", "torch.ones(2, 3).select_scatter(torch.zeros(3), 0, torch.tensor(1))",
    "nn.FractionalMaxPool3d(2, output_ratio=(.5, .5, .5, 1), _random_samples=torch.full((1, 1, 3), .5))(torch.arange(80.).reshape(1, 1, 4, 5, 4))",
)  # fmt: skip

REFUSED = (
    *(f"F.{name}(torch.ones(2, 3) > 0, torch.ones(2, 3), weight=torch.ones(2, 3))" for name in ("mse_loss", "l1_loss")),
    *(
        f"{_CONSTRAINTS}{name}.check({_EYE.format(d)})"
        for name in ("positive_semidefinite", "positive_definite")
        for d in ("uint8", "int64", "bool", "float16", "bfloat16")
    ),
    *(
        f"torch.distributions.MultivariateNormal(torch.zeros(2), {_EYE.format(d)}, validate_args=True)"
        for d in ("uint8", "int64", "float16")
    ),
    f"{_WISHART}.log_prob(1.5)", f"{_WISHART}.log_prob(torch.eye(3).double())",
    *(f"i = torch.ones(2, dtype=torch.int64)\ntorch.distributions.{of}.sample()" for of in _OF_INTS),
    *(
        f"torch.zeros(1, 3).scatter{form}({dim}, torch.zeros({index}, dtype=torch.int64), torch.zeros({src}))"
        for form in ("", "_add") for dim in (0, 1) for index in ("1, 3", "2, 3") for src in ("3", "1", "()", "1, 1, 3", "1, 2")
    ),
    "torch.searchsorted(torch.tensor([2.0, 0.5]), torch.tensor([0.3]), sorter=torch.tensor(1))",
    *(f"torch.ones(1, 3).{name}({n}, {d})" for name in ("split", "unsafe_split") for n in (-2, 0) for d in (-3, 1)),
    *(f"{_STFT}{more})" for more in (", align_to_window=0.5", ", align_to_window=False", ", center=False, align_to_window=0.5")),
    *(f"nn.Unflatten({dim}, (1.5, 3))" for dim in ("1", "torch.tensor(1)", "None")),
    *(f"torch.{name}(torch.ones(3{kind}), correction={v})" for name in ("var", "std_mean") for kind in ("", ", dtype=torch.int64") for v in ("[]", "'a'")),
    "nn.TransformerDecoderLayer(4, 2, 6, 0.)(torch.ones(3, 4), torch.ones(3, 4), 'x')",
    "F.nll_loss(torch.zeros(2, 3), torch.tensor([0, 1]), torch.ones(3, 1))", "F.nll_loss(torch.zeros(2, 3, 2, 2), torch.zeros(2, 2, 2).long(), torch.ones(4))",
    *(
        f"torch.{call}, memory_format={given})"
        for call in ("zeros_like(torch.ones(2)", "ones(2", "empty(2", "rand_like(torch.ones(2)", "full_like(torch.ones(2), 1", "clone(torch.ones(2)")
        for given in ("torch.channels_last", "5")
    ),
    *(f"torch.ones(2).{name}(memory_format={given})" for name in ("to", "float", "double", "cpu", "contiguous") for given in ("torch.channels_last", "5")),
    "torch.ones(2).is_contiguous(memory_format=5)", "nn.Conv2d(1, 2, 3).to(memory_format=5)", "torch.ones(2).resize_(3, memory_format=torch.channels_last)",
    *(f"F.interpolate(torch.ones(1, 2, 4, 3), {size}, mode={mode})" for size, mode in (("-1", "'area'"), ("0", "'nearest'"), ("0", "'bilinear'"))),
    *(f"torch.{name}(torch.ones(2, 2, 2) > 0, torch.ones(2, 2, 2))" for name in ("bmm", "matmul")),
    "torch.distributions.VonMises(torch.zeros(3), torch.ones(3) > 0).variance",
    *(f"torch.histogramdd(torch.ones(3, 2), {b}, range=(1,))" for b in ("3", "[3, 3]")),
    *(f"torch.tensordot(torch.ones(2, 3), torch.ones(2, 3), {dims})" for dims in ("[1, 1]", "(2, 2)", "[4]", "torch.tensor([1, 1])", "[[1], 1]", "-1")),
    "torch.ones(4).as_strided((2, 2), (2**40, 1))",
    *(f"F.{pool}(torch.ones(1, 1, 4, 4), {args})" for pool in ("max_pool2d", "avg_pool2d") for args in ("2, 2**31", "2, 2, 2**40")),
    *(f"torch.ones(2, 2).scatter(0, torch.zeros(2, 2, dtype=torch.int64), src={v}{reduce})" for v in (True, 1.5) for reduce in ("", ", reduce='add'")),
    *(f"torch.{name}(torch.arange(3.), torch.arange(9.).reshape({shape}))" for name in ("trapezoid", "cumulative_trapezoid") for shape in ("3, 3", "1, 3, 3")),
    *(f"F.binary_cross_entropy_with_logits(torch.zeros(2), torch.ones(2){b}, pos_weight=torch.ones(2) > 0)" for b in ("", " > 0")),
    *(_STEPPED.format(how) for how in ("LBFGS([p], lr=True)", "LBFGS([p], lr=False, max_iter=1)", "Rprop([p], step_sizes=(None, None))")),
    *(f"torch.histogramdd(torch.zeros(2, 0), 5, weight=torch.zeros({w}))" for w in ("3", "2, dtype=torch.float64", "()")),
    "torch.distributions.ContinuousBernoulli(torch.tensor([0.2, 1e4]), validate_args=False)",
    "torch.repeat_interleave(torch.tensor(1))", "torch.repeat_interleave(torch.tensor(1), output_size=1)",
    *(f"torch.ones(2, 3).double().index_put([torch.tensor({i})], torch.ones(3))" for i in ("0", "[0]", "[True, False]")),
    *(f"torch.signal.windows.{w}=torch.tensor([1.]))" for w in ("gaussian(5, std", "kaiser(5, beta", "exponential(5, tau", "exponential(5, sym=False, center")),
    *(f"torch.arange(5.).expand(5, 5){write}" for write in (".add_(1)", "[1:3].add_(1)", "[:, :2].mul_(2)")),
    *(f"{_CONSTRAINTS}{c}.check(torch.ones({s}))" for c in ("lower_triangular", "lower_cholesky", "corr_cholesky") for s in ("0, 3", "2, 3, 0", "0, 3, 3")),
    "torch.ones(3).cumprod_(7, dtype=torch.float64)", "torch.amax(torch.ones(3), 7, out=torch.ones(3).double())", "torch.nansum(torch.ones(3), 7, out=torch.ones(3).long())",
    "torch.norm_except_dim(torch.tensor(0))", "torch.range(3, 1, dtype=torch.complex64)", "torch.cdist(torch.ones(2, 2).half(), torch.ones(2, 2))",
    "nn.LSTMCell(3, 2)(torch.ones(3), torch.ones(2))", "nn.LSTMCell(3, 2)(torch.ones(1, 3), [torch.ones(1, 2)] * 3)", "torch.segment_reduce(torch.ones(3), 'no', axis=7)",
    "torch.ones(3) @ torch.ones(4, 3, 2).double()", "torch.meshgrid(torch.ones(2), indexing=['ij'])", "torch.cummin(torch.ones(3), 0, out=torch.ones(3))",
    *(f"torch.var(torch.ones(4).{d}(), {dim}out=torch.zeros(()))" for d in ("half", "bfloat16") for dim in ("", "0, ")),
    "F.celu(torch.ones(2), 1j)", "F.softshrink(torch.ones(2), 1j)", "torch.arange(0, 1j)", "torch.lu_unpack(torch.ones(1, 2), torch.tensor([3, 3], dtype=torch.int32))",
    *(f"torch.ones(2).{f}(torch.tensor(1j))" for f in ("normal_", "uniform_", "exponential_")), "torch.ones(2, 3).repeat_interleave(-1, -3)",
    *(f"torch.take_along_dim(torch.tensor(4), torch.tensor({i}), {d})" for i, d in (("[0]", 0), ("0", 0), ("0", 5), ("0.", 0))),
    *(f"torch.{f}(torch.ones(2, 2, dtype=torch.int64), out=torch.ones(2))" for f in ("qr", "svd", "linalg.qr")), "torch.split_with_sizes_copy(torch.tensor(0), [1], out=torch.tensor(0))",
    "torch.tensor([0.1]).nanmean(dtype=torch.complex64)", "F.embedding_bag(torch.tensor([0, 2]), torch.ones(4, 3), torch.tensor([], dtype=torch.int64), include_last_offset=True)",
    "torch.ones(2, 2, dtype=torch.complex64).index_reduce(1, torch.tensor([0]), torch.ones(2, 1, dtype=torch.complex64), 'mean', include_self=False)",
    "torch.ones(2, 2).index_put([torch.tensor(0), torch.ones(2)], torch.ones(2).long())", "torch.logit(torch.ones(2), 2**1030)",
    *(f"torch.{f}(torch.ones(3), other=torch.ones(3), {more})" for f in ("max", "min") for more in ("dim=None", "keepdim=False")),
    "torch.distributions.Wishart(torch.tensor([4.]), torch.eye(3)).expand((-1,))", *(f"torch.binomial(torch.ones(2).{d}(), torch.ones(2).{d}())" for d in ("half", "bfloat16")),
    "torch.std_mean(torch.ones(3, 4), False, keepdim=False)", "torch.linalg.cond(torch.ones(3, 2), 1)",
    "torch.arange(start=5)", "torch.hsplit(torch.ones(4, 2), -1)", "torch.hsplit(torch.ones(4, 3), -2)", "torch.ones(2).add(1, out=torch.ones(2))", "torch.ones(2, 2).qr(out=1)",
    "torch.amax(torch.ones(0, 2), (0, 0))", "torch.amax(torch.ones(0, 2), (1, 1))", "torch.amin(torch.ones(0, 2), (1, 5))",
    *(f"torch.ones(2, 2).renorm({a})" for a in ("2, 100, -1.", "1j, 100, -1.", "-1, 100, -1.", "2, 0, float('nan')", "2, 0, 1j")), "torch.ones(2).renorm(2, 0, -1)", "F.interpolate(torch.ones(1, 1, 4), (2,), scale_factor=torch.tensor(2.))",
    *(f"torch.broadcast_shapes({a})" for a in ("0, [-1, -3]", "7, -2", "[2], [-1, 3]", "(2, 3), (3, 1)", "(-1, 5), (2, 3)", "[2], [-1, 2]")), "F.normalize(torch.ones(2, 3), p='x')", "F.normalize(torch.ones(2, 3), p='nuc')",
    "torch.unique_consecutive(torch.zeros(0).cdouble(), False, False, -3)", *(f"torch.diff(torch.zeros({s}), {n}, out=torch.zeros(0))" for s, n in (("0", 2), ("2, 0", 3))),
    *(f"F.cross_entropy(torch.ones(3), torch.tensor([2]), label_smoothing=.1, reduction='{r}')" for r in ("none", "mean")), "F.conv2d(torch.ones(0, 2, 4, 4), torch.ones(3, 2, 0, 3))", "F.conv_transpose2d(torch.ones(0, 2, 4, 4), torch.ones(2, 3, 0, 3))",
    *(f"torch.ones(2).long().select_scatter(torch.tensor(1.), 0, torch.tensor({i}))" for i in (2, -3)), "torch.distributions.LowRankMultivariateNormal(torch.zeros(3), torch.zeros(2, 0), torch.ones(3))",
)  # fmt: skip
