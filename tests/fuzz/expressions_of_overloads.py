"""More lines for test_expressions_parity.py: what stands at a place and what is named, types of ints, what 0-d operands are promoted to."""

from __future__ import annotations

_WIDE = "torch.tensor(.1, dtype=torch.float64)"
_IMAGE = "torch.ones(1, 1, 2, 2)"
_PIECES = "torch.segment_reduce(torch.arange(5.), {}, offsets=torch.tensor({}))"
_MOMENTS = ("std(x, {})", "var(x, {})", "std_mean(x, {})[0]", "var_mean(x, {})[1]")
_RANGED = "torch.histogram(torch.tensor([1., 2., 3.]), {}, range={}).hist"
_POINTS = "torch.histogramdd(torch.ones(4, 2), {}, range={}).hist"
_INSTANCES = "F.instance_norm(torch.ones(3, 2, 4), torch.zeros(2), torch.ones(2), torch.ones({}), torch.ones({}), use_input_stats=False)"
_NORMAL = "torch.distributions.MultivariateNormal(torch.zeros({}), scale_tril=torch.eye(3){}).expand((2, 2))"
_WISHART = "torch.distributions.Wishart(torch.tensor({}), scale_tril=torch.eye(3, dtype=torch.float64)).sample((2,)) * 0"
_FRAMES = (
    "torch.stft(torch.ones({}), {}, 4, 4, center=False, align_to_window=True, return_complex=True).abs()"
)

_BY_INDEX = (
    "topk(X, {})[0]", "kthvalue(X, {})[0]", "select(X, 0, {})", "select_scatter(X, X[0], 0, {})", "nonzero_static(X, size={})", "narrow(X, 0, {}, 1)",
    "narrow_copy(X, 0, 1, {})", "bincount(X[0].long(), minlength={})", "tril(X, {})", "as_strided(X, (2,), (1,), {})", "slice_scatter(X, X[:1], 0, {})",
    "repeat_interleave(X, {})", "eye(2, {})", "randint(0, {}, (3,)).shape", "randint_like(X, {}).shape", "randperm({}).shape",
    "multinomial(X, {}).shape", "split(X, {})[0]", "fft.fft(X, {})", "fft.irfft(X, n={})", "channel_shuffle(X.view(1, 4, 2, 2), {})",
    "conv1d(X[None], torch.ones(4, 2, 2), groups={})", "diagonal(X, {})", "roll(X, ({},))", "matrix_power(X, {})", "zeros({})",
)  # fmt: skip
"""What takes an int in other forms, if not always in the same."""

VALUES = (
    *(f"torch.{f}([{_WIDE}, torch.tensor([1., 2.])])" for f in ("hstack", "dstack")), f"torch.vstack([{_WIDE}, torch.tensor([1j])])",
    f"torch.column_stack([{_WIDE}, torch.tensor([1.])])",
    *(f"torch.einsum('{e}', torch.tensor({a}), torch.tensor({b}, dtype=torch.float64))" for e, a, b in (
        ("i,->i", [0.0, 1.0], 2), ("i,->", [1.0, 2.0], 2), ("i,i->", [1.0], [2]), ("i,i->i", [1.0, 2.0], [2, 3]), ("i,ij->j", [1.0], [[4, 5], [4, 5]]),
    )),
    "torch.einsum('i,->i', torch.tensor([0, 1], dtype=torch.int32), torch.tensor(4))", "torch.einsum('ij,jk->ik', [[torch.ones(2, 2), torch.ones(2, 2)]])",
    *(f"F.interpolate({_IMAGE}, size=(3, True), mode='{mode}')" for mode in ("nearest", "bilinear", "area")), "torch.special.softmax(torch.ones(2, 2), 1, torch.float64)",
    *(f"x = torch.arange(6.).reshape(2, 3)\ntorch.max(x, {a}).values" for a in ("torch.tensor(1), True", "dim=torch.tensor(1)", "dim=1, keepdim=True")),
    *(f"x = torch.arange(6.).reshape(2, 3)\ntorch.min(x, {a})" for a in ("torch.tensor(1.)", "other=torch.tensor(1)")),
    *(f"x = torch.arange(6.).reshape(2, 3)\ntorch.{f.format(a)}" for f in _MOMENTS for a in ("False", "True", "(0, True)", "1, False", "dim=1", "unbiased=False")),
    *(_RANGED.format(*a) for a in ((2, "(0, torch.tensor(3.))"), (2, "(0, torch.tensor([3]))"), ("torch.tensor(2)", "(0, 3)"))),
    *(_POINTS.format(*a) for a in (("[2, True]", None), ("[2, 2]", "[0, 2, torch.tensor(0), torch.tensor(3.)]"))),
    *(_PIECES.format(f"'{r}'", o) for r in ("sum", "mean", "prod", "max") for o in ([1, 3, 5], [1, 2, 4], [1])),
    *(_FRAMES.format(*a) for a in ((12, 8), (12, 12), (13, 5), (14, 7))), *(_WISHART.format(a) for a in ("[4., 5.]", "4.")),
    "F.multi_margin_loss(torch.ones(2, 2), torch.tensor([0, 1]), margin=torch.tensor(2 + 0j))", "F.leaky_relu(-torch.ones(2), torch.tensor(2 + 0j))",
    "torch.ones(2, 3).scatter(0, torch.tensor([[0]]), value=torch.tensor(2 + 0j))", "torch.linalg.tensorsolve(input=torch.eye(2), other=torch.ones(2))",
    *(f"torch.special.{f}(x=torch.tensor([.5, 1.]))" for f in ("airy_ai", "spherical_bessel_j0")), "F.local_response_norm(torch.ones(2, 4, 3), 2, beta=1e39)",
    "torch.distributions.Categorical(probs=torch.ones(2, 3)).sample((torch.tensor(1),)) * 0",
    *(f"torch.histogramdd(torch.zeros(2, 0, dtype=torch.{d}), [], density={y}).hist" for d in ("int64", "bool", "complex64", "half") for y in (True, False)),
    "torch.ones(2).fill_diagonal_(None)", *(f"torch.einsum({e}, *(torch.ones(2),) * {n})" for e in (True, None) for n in (1, 2)),
    *(f"F.instance_norm(torch.ones({s}), torch.ones(3), torch.ones(3), use_input_stats=False)" for s in ("()", "3")),
    *(f"torch.{f}(torch.tensor([[0, 2, 0]], dtype=torch.{d}){dim}, out=torch.zeros(0, dtype=torch.{o}))" for f in ("any", "all") for d in ("int16", "uint8", "bool")
      for dim in ("", ", 0", ", (0, 1)", ", 5") for o in ("bool", "uint8", "float")),
    *(f"torch.gradient(torch.ones(3, 3), spacing={s}, dim={d})[0]" for s in ("2.", "[2.]") for d in ("torch.tensor(1)", "True", "'x'", "__import__('numpy').int64(1)")),
    *(f"F.pairwise_distance(torch.zeros({s}), torch.zeros({s}), {p})" for s in ("2, 0", "0", "0, 2") for p in (-1, "float('inf')", 0)),
    *(f"torch.{f}(torch.tensor([1, 1, 10000.]), {d}, torch.tensor([0, -1, 0]){rest})" for d in ("torch.tensor(0)", "__import__('numpy').int64(0)") for f, rest in (
        ("index_select", ""), ("gather", ""), ("scatter", ", 5"), ("scatter_add", ", torch.ones(3)"), ("index_add", ", torch.ones(3)"), ("index_fill", ", 5"))),
    *(f"torch.{f}(torch.ones(3, 4), False, dim=0)" for f in ("std", "var", "std_mean", "var_mean")), "torch.max(torch.ones(3), torch.ones(3), dim=0)",
    *(f"torch.sum(torch.ones(3, 2), {d})" for d in ("torch.tensor([0])", "(torch.tensor([[0]]), 1)", "(__import__('numpy').array(0), 1)", "(0, torch.tensor([0, 1]))", "(0, torch.tensor(1.))")),
    *(f"torch.linalg.{f}(torch.eye(2), rtol={r}, atol={a})" for f in ("pinv", "matrix_rank") for r, a in ((.5, "torch.tensor([.1])"), ("torch.tensor([.5])", .1), (.5, "torch.tensor(.1)"), ("None", "torch.tensor([.1])"))),
    *(f"torch.einsum(torch.ones(2, 2), {d})" for d in ("{0: 1, 1: 2}", "torch.tensor([0, 1])", "range(2)", "[0., 1]", "'ab'", "[-1, 0]", "[True, 52]")),
    *(f"F.kl_div(torch.ones(2, 3), torch.ones(2, 3) * 2, {a}, reduction='batchmean')" for a in ("True", "0", "reduce=False")), "torch.histogram(torch.zeros(6)).hist",
    *(f"torch.cov(torch.tensor([[2, 1, 1], [-2, 0, -2 ** 63]]), fweights={w})" for w in ("None", "torch.tensor([1, 2, 3])")),
    *(f"torch.{f}(torch.ones(3, 2), {d})" for f in ("sum", "nansum", "amax") for d in ("torch.tensor(True)", "(torch.tensor(False), 1)", "(0, torch.tensor([True]))")),
    *(f"torch.addcdiv(torch.ones({n}, dtype=torch.{d}), torch.full(({n},), {a}, dtype=torch.{d}), torch.full(({n},), {b}, dtype=torch.{d}), value={v})"
      for d, n, a, b, v in (("complex128", 7, "1 + 2j", "0", "1 + 2j"), ("float32", 9, "1e30", "1e30", "1e30"), ("float32", 9, ".3", ".7", ".1"), ("half", 9, "300.", "300.", "300."))),
    "torch.fft.rfftfreq(3, d=torch.tensor(2., requires_grad=True))",
    *(f"x = torch.tensor([-0., 0., .5, 1.], requires_grad=True)\ntorch.logit(x{e}).backward(torch.tensor([-1., 1., 2., -1.]))\nx.grad" for e in ("", ", 0.")),
    *(f"F.{f}(torch.ones(2), {a})" for f in ("rrelu", "rrelu_") for a in ("-float('inf'), 1., True", "2., float('nan')", "-1e39, .1, True", "-1e39, .1")),
    *(f"x = torch.linspace(1, 2, 32).to(torch.{d})\ntorch.{f}" for d in ("bfloat16", "float16") for f in ("sub(x, x, alpha=.99999)", "add(x, .7, alpha=.3)", "rsub(x, .7, alpha=.3)")),
    "a = torch.tensor([[1., 1., 1.], [.4, -.3, .7]])\nF.cosine_similarity(a.bfloat16(), torch.tensor([[.301, .402, -.703], [1.3, -.7, -1.05]]).bfloat16())",
    *(f"torch.pixel_shuffle(torch.ones(1, {c}, 3, 3), {r})" for c in (0, 3) for r in (2**40, 1000)),
    *(f"nn.LSTM(4, 3)(torch.ones({s}), {h})[0].shape" for s in ("()", "(2, 4)") for h in ("torch.ones(())", "torch.ones(2, 1, 3)", "2", "[1]", "(torch.ones(1, 3),) * 3")),
    *(f"torch.{f}" for x in (f"__import__('numpy').{k}" for k in ("int64(2)", "float32(2)", "float64(2)", "bool_(True)", "array(2)")) for f in (f"range({x}, 3)", f"range(0, {x})", f"range(0, 4, {x})", f"arange({x})", f"arange(0, 5, {x})")),
    *(f"torch.{f}({x}{y})" for f in ("arange", "range") for x in ("torch.tensor([3])", "torch.ones(1, 1)", "torch.tensor(3)", "torch.tensor(True)", "'x'", "[1]", "True") for y in ("", ", torch.tensor(5)", ", 5, torch.tensor([2])")),
    *(f"torch.cartesian_prod({a})" for a in ("[torch.ones(2)]", "torch.tensor(2)", "True", "torch.ones(2), torch.tensor(1.)", "torch.ones(2)")),
    *("X = torch.arange(16.).reshape(4, 4) + 1\ntorch." + f.format(f"torch.tensor({n})") for f in _BY_INDEX for n in ("2", "[2]", "[[2]]", "2.")),
    *("X = torch.arange(16.).reshape(4, 4) + 1\ntorch." + f.format("__import__('numpy').array(2)") for f in _BY_INDEX),
    *("X = torch.arange(16.).reshape(4, 4) + 1\ntorch." + f.format(f"torch.tensor({n})") for f in _BY_INDEX if "roll" not in f and "zeros" not in f for n in ("True", "[True]")),
    "torch.cosine_similarity(torch.tensor([[2.5, -.8, 1.5], [.1, .2, -1.5]]), torch.tensor(1e20))",
    *(f"i = torch.tensor([[0, {n}]])\ntorch.ones(2, 3).gather(1, i.{v})" for n in (2, 3, -1) for v in ("T", "t()", "squeeze().unsqueeze(1)", "expand(2, 2)", "expand(2, -1)", "permute(1, 0)", "swapaxes(0, 1)[:, :1]")),
    *(f"torch.distributions.Categorical(logits=torch.ones(2, 3), validate_args=False).log_prob(torch.tensor({v}))" for v in (3, [0, 3], [-1, 0], [2, 1])),
    *(f"x = torch.tensor([1., 2., {v}, 5.])\nq = torch.tensor([0., .2, .5, .9, 1.], requires_grad=True)\ntorch.{f}(x, q).backward(torch.arange(5.) + 1)\nq.grad" for f in ("quantile", "nanquantile") for v in ("3.", "-float('inf')", "float('nan')")),
    "q = torch.tensor([0., .5], requires_grad=True)\ntorch.nanquantile(torch.full((3,), float('nan')), q).sum().backward()\nq.grad",
    *(f"w = torch.tensor([0., .2, .5, .9, 1., -3.], requires_grad=True)\nx = torch.full((6,), {a}, requires_grad=True)\ny = torch.full((6,), {b}, requires_grad=True)\ntorch.lerp(x, y, w).backward(torch.arange(6.) + 1)\n{g}.grad"
      for a, b in ((1., 3.), ("float('inf')", 2.), (2., "-float('inf')")) for g in "wxy"),
    *(f"x = torch.arange(640.).reshape(1, 1, 20, 32) % 7\nx[0, 0, 3, 5] = float('{v}')\nF.interpolate(x, size={n}, mode='{m}', antialias=True)" for v in ("nan", "inf") for n in ((8, 10), (30, 32)) for m in ("bilinear", "bicubic")),
    *(f"F.conv_tbc(torch.ones({n}, 2, 2, dtype=torch.{d}), torch.ones({k}, 2, 2), torch.ones(2), {pad})"
      for n, k, d, pad in ((3, 1, "int32", -2), (4, 1, "int32", -2), (4, 1, "bool", -2), (3, 0, "int32", 0), (3, 1, "int32", 0), (0, 3, "int32", 6), (2, 3, "float32", 4))),
    *(f"torch.ones(3, 4).gather(0, torch.tensor([0, 1, {n}, 0, 2, 0, 1, {n}]){v})" for n in (2, 3)
      for v in (".reshape(2, 4).flatten().view(2, 4)", "[::2][None]", "[1::2][None]", ".reshape(2, 4).split(2, 1)[1]", ".reshape(4, 2).movedim(0, 1)", ".reshape(4, 2).swapdims(0, 1)[:1, ...]",
                ".unflatten(0, (2, 4))", ".unflatten(0, (-1, 2, 2)).flatten(1)", ".chunk(2)[1].unfold(0, 2, 2)", ".reshape(2, 4)[:, :2].ravel()[None]", ".reshape(2, 2, 2).diagonal(0, 1, 2)", ".unfold(-1, 3, 2)")),
    *(f"torch.ones(2).clamp({a})" for a in ("0.2, torch.tensor(2.)", "torch.tensor(0.2, requires_grad=True), torch.tensor(2)")),
    *(f"F.gaussian_nll_loss(torch.tensor([.3]).{a}(), torch.tensor([.1]), torch.tensor([0.]).{b}(){e})" for a in ("half", "float", "double") for b in ("half", "bfloat16", "float") for e in ("", ", eps=.03", ", True, torch.tensor(1e-6)")),
    *(f"torch.linalg.{f}(torch.ones(2, 2), atol=torch.tensor(.1), rtol=.2)" for f in ("matrix_rank", "pinv")),
    *(f"torch.{f}(torch.arange({n}.).reshape({s}).{d}(), {a}, out=torch.zeros((), dtype=torch.{o}))" for f in ("var", "std") for n, s, a in ((12, "3, 4, 1", "(0, 1)"), (3, "3, 1", 0), (0, "0, 2", 0), (0, "2, 0", 0))
      for d, o in (("float", "complex64"), ("half", "complex64"), ("half", "float"), ("bfloat16", "half"))),
    *(f"torch.linalg.svd(torch.zeros({s}), driver='gesvd')[1]" for s in ("3, 0", "0, 3, 3", "2, 2")), "torch.linalg.svdvals(torch.zeros(0, 3), driver='gesvd')",
    *(f"torch.stft(torch.ones(20), 8, 4, window=torch.ones(8), return_complex=True, center={c}, pad_mode={m})" for c in (True, False) for m in (True, None, "'constant'")),
    *(f"F.batch_norm(torch.ones({s}), {m}, None, {w}, torch.ones(2), training={t})" for s in ("3, 0, 4", "0, 2", "0, 3, 4") for m in ("None", "torch.zeros(5)") for w in ("None", "torch.ones(1).double()", "torch.ones(0)") for t in (True, False)),
    "F.instance_norm(torch.ones(2, 3, 0), torch.zeros(2), torch.ones(3), torch.ones(3), torch.ones(3), False)",
    *(f"p = torch.nn.Parameter(torch.tensor([.5, -.25, 1.5]))\no = torch.optim.{o}([p])\nfor _ in range(3):\n    p.grad = torch.tensor({g})\n    _ = o.step()\np.detach()"
      for o in ("Adafactor", "Rprop", "ASGD", "Adam", "SGD") for g in ("[0., float('nan'), .1]", "[float('inf'), 1., 2.]")),
    *(f"F.{f}(torch.ones(2, 3, 4), torch.tensor({p}), True)" for f in ("dropout", "dropout1d", "alpha_dropout", "feature_alpha_dropout") for p in ("True", "1", "1.", "False")),
    *(f"torch.linspace({a}, {b}, {n}{d})" for a, b in (("float('inf')", "float('inf')"), ("0", "float('inf')"), ("1", "4")) for n in (1, 2, 5) for d in ("", ", dtype=torch.complex64", ", dtype=torch.complex128")),
    *(f"torch.linspace(torch.tensor({a}), torch.tensor({b}), {n})" for a, b in (("complex(float('inf'), 1)", "2 + 1j"), ("1 + 2j", "complex(3, float('nan'))"), ("1 + 2j", "3 - 1j")) for n in (1, 3, 4)),
    *(f"torch.logspace({a}, 4, 1, dtype=torch.{d})" for a in ("2.9", "torch.tensor(2.9)", "2") for d in ("int64", "int16", "float32", "half")),
    *(f"torch.ones(3, 4).{f}({o})" for f in ("diag", "diagonal", "tril", "triu", "diagonal_copy") for o in (-(2**63), 2**63 - 1)),
    *(f"torch.diagonal_scatter(torch.ones(3, 3), torch.ones(0), {o})" for o in (-(2**63), 2**63 - 1)), *(f"torch.ones(3).gather(0, torch.tensor([[0, 9]]).diagonal({o}))" for o in (1, 2, -(2**63), 2**63 - 1)),
    *(f"torch.{f}_indices(3, 3, {o})" for f in ("tril", "triu") for o in (-(2**63), 1 - 2**63, 2**62, 2**63 - 4, 2**63 - 3, 2**63 - 2, 2**63 - 1)),
    *(f"torch.{f}_indices({2**40}, {c}, {o})" for f, c, o in (("triu", 2, 5), ("triu", 2, 1), ("triu", 2, -3), ("tril", 0, -3), ("tril", 2, -(2**40)), ("tril", 2, 2 - 2**40))), *(f"torch.{f}_indices(5, 2, {o})" for f in ("tril", "triu") for o in (-9, -2, 0, 1, 9)),
    *(f"torch.{f}(torch.arange(3.), correction={c})" for f in ("var", "std", "var_mean") for c in (-(2**63), 2**63, -1e300)),
    *(f"torch.{f}({x}, {n})" for f in ("add", "rsub", "mul", "true_divide", "floor_divide", "remainder", "eq", "lt", "bitwise_xor", "bitwise_right_shift", "copysign", "xlogy", "clamp_min", "fill", "where", "pow")
      for x in ("torch.arange(-1, 3)", "torch.arange(3, dtype=torch.uint8)", "torch.ones(2)", "torch.tensor(True)") for n in (2**63, 2**64 - 5, 2**64) if f not in ("fill", "where", "pow", "bitwise_xor") or "True" not in x),
    "torch.add(torch.arange(3), torch.arange(3), alpha=2**63)", "torch.arange(3).div(2**63, rounding_mode='floor')", "torch.full((2,), 2**63, dtype=torch.half)", "2**63 - torch.arange(3)", "torch.arange(3) & 0xFFFFFFFFFFFFFFFF",
    *(f"p = torch.nn.Parameter(torch.ones(2))\np.grad = torch.ones(2)\no = torch.optim.{o}([p], decoupled_weight_decay=torch.ones(2){d})\no.step()\np.detach()" for o in ("Adam", "NAdam", "RAdam") for d in ("", ", weight_decay=.1")),
    *(f"torch.{f}" for n in ("()", "(1,)", "(2,)", "(0,)") for v, d in (("1e5", "half"), ("65505.", "half"), ("1e39", "bfloat16"), ("1e39", "float"), ("-2**62", "half"), ("1e39", "double"))
      for f in (f"full({n}, {v}, dtype=torch.{d})", f"ones({n}).{d}().fill_({v})", f"full_like(torch.ones({n}), {v}, dtype=torch.{d})", f"ones({n}).{d}().new_full({n}, {v})")),
    *(f"torch.ones({n}).{d}().fill_diagonal_({v})" for n in ("1, 1", "2, 2", "2, 1", "0, 2") for v, d in (("1e5", "half"), ("1e39", "float"), ("1j", "bool"), ("1j", "float"), ("1j", "cfloat"), ("300", "char"), ("-1", "byte"))),
    *(f"torch.zeros({n}, dtype=torch.{d}).random_({a}) * 0" for n in (0, 2) for a, d in (("0, 65505", "half"), ("0, 65506", "half"), ("-100000, 2", "half"), ("100000", "half"), ("0, 257", "uint8"), ("-2**62, 2", "bfloat16"))),
    *(f"torch.logspace(0, {e}, 3, dtype=torch.{d})" for e in (3, 5, 9) for d in ("int8", "uint8", "int32", "int64")), "torch.vander(torch.tensor([.4622, 1.055], dtype=torch.float16), 300)",
    *(f"torch.var(torch.arange(6.).view(2, 3).to(torch.complex64){i}, (0, 1), correction={c})" for i in ("", " * (1 + 1j)") for c in (1, 100)),
    *(f"torch.logit(torch.tensor([.2, .5]).{d}(), {e})" for d in ("float", "half") for e in ("-1e39", "1e5", ".3", "None")),
    *(f"torch.segment_reduce(torch.tensor([.5, 2.]).{d}(), '{r}', lengths=torch.tensor([2]), initial={i})" for d in ("float", "half") for r in ("mean", "min") for i in ("1e39", "1e5", "3", "float('inf')")),
    *(f"torch.where(torch.tensor([0, 1]){a})[0]" for a in ("", ", None", ", None, None", ", input=None", ", 1", ", other=1")),
    *(f"x = torch.arange(8.).view(4, 2)\nv = torch.ones(2)\ny = F.batch_norm(x, torch.zeros(2), v, training=True, {k}={n})\ntorch.cat([v, y.flatten()])" for k in ("momentum", "eps") for n in (-(2**63), 2**64, 2**70)),
    *(f"torch.linalg.{f}(torch.eye(2), {k}={2**70})" for f, k in (("pinv", "rtol"), ("pinv", "rcond"), ("matrix_rank", "tol"), ("matrix_rank", "atol"))), "torch.normal(torch.zeros(2), 2**70) * 0 + 1", "torch.zeros(2).cauchy_(2**70) * 0",
    *(f"F.cosine_similarity(torch.ones(2, 2).{d}(), torch.ones(2, 2).{d}(), eps={e})" for d in ("half", "float", "double") for e in ("1e39", "-1e39", ".1")),
    *(f"F.lp_pool1d(torch.arange(1., 5.).view(1, 1, 4).{d}(), {p}, 2)" for d in ("half", "float") for p in ("1e5", "2", "1.5")),
    *(f"F.{f}_pool{n}d(torch.arange({3**n}.).view({'1, ' + ', '.join('3' * n)}), {k})" for n in (1, 2, 3) for f in ("max", "avg") for k in ("2**20, 1, 2**19", "2**20, padding=2**19", "9, 1, 4", "7, 2, 3")),
    *(f"F.max_pool1d(torch.tensor([[3., 1., 2., float('{v}'), -1., 4., 0.]]), {k}, {s}, {p}, {d}, {c}, True)[{i}]" for v in ("nan", "-inf") for k, s, p, d in ((6, 1, 3, 2), (3, 2, 1, 3), (9, 2, 4, 1), (2, 3, 1, 1)) for c in (True, False) for i in (0, 1)),
    *(f"x = torch.arange(7.).view(1, 1, 7).requires_grad_()\nF.{f}(x, {k}).sum().backward()\nx.grad" for f in ("max_pool1d", "avg_pool1d") for k in ("9, 1, 4", "5, 3, 2", "7, 1, 3")),
    *(f"F.local_response_norm(torch.arange(12.).view(1, 3, 4), {n}, 1.)" for n in (1, 2, 3, 4, 7, 8, 100)),
    *(f"F.hardtanh_(torch.ones(2).{d}() * 3, {a})" for d in ("float", "half", "char", "byte") for a in ("2.", "1e39", "1e5", "300", "3, 2", "-1e5")),
    *(f"F.{f.format(e)}" for f in ("gaussian_nll_loss(torch.ones(2).half(), torch.ones(2).half(), torch.ones(2).half(), eps={})", "gaussian_nll_loss(torch.ones(2), torch.ones(2), torch.ones(2).char(), eps={})", "gaussian_nll_loss(torch.ones(2).half(), torch.ones(2), 1., eps={})",
      "hinge_embedding_loss(torch.ones(2).half(), -torch.ones(2), {})", "normalize(torch.ones(2).half(), dim=0, eps={})", "normalize(torch.ones(2), dim=0, eps={})", "normalize(torch.ones(2, dtype=torch.cfloat), dim=0, eps={})",
      "triplet_margin_loss(torch.ones(2, 3).bfloat16(), torch.zeros(2, 3).bfloat16(), torch.ones(2, 3).bfloat16(), eps={}, reduction='none')") for e in ("1e8", "1e39", "300", ".1")),
    *(f"F.lp_pool1d(torch.tensor([[float('inf'), float('inf'), 1., 0.]]), {p}, 2)" for p in (-2, -1.5, 2)),
    *(f"p = torch.nn.Parameter(torch.tensor([.5, -.25, 1.5]))\no = torch.optim.Rprop([p], step_sizes=({s}, {s}))\nfor g in (.1, float('nan'), 0.):\n    p.grad = torch.tensor([g, -.2, .3])\n    o.step()\np.detach()" for s in ("-float('inf')", "float('inf')", ".5")),
    *(f"F.{f}(torch.ones(2) * 3, {a})" for f in ("celu", "softshrink", "elu", "leaky_relu", "rrelu") for a in (2**62, 2**63, 2**64, 2**70, "True", "__import__('numpy').float64(1.5)", "torch.tensor(1.5)")), "torch.celu_(torch.ones(2), 2**70)", *(f"F.hardtanh(torch.ones(2), -5, {a})" for a in (2**63, 2**64, 2)), "torch.rrelu(torch.ones(2), .1, 2**70)",
    *(f"F.lp_pool{n}d(torch.ones({', '.join(['1'] + ['4'] * n)}).{d}(), {p}, 2)" for n in (1, 2, 3) for d in ("bool", "long") for p in ("True", "False", "2")),
    *(f"torch.chain_matmul(torch.ones(2, 3).double() * 2.5, out=torch.zeros({s}, dtype=torch.{d}))" for s in ("0", "2, 3") for d in ("bool", "int64", "double", "cfloat")), "torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 2), out=torch.zeros(0))", "torch.chain_matmul(torch.ones(2), out=torch.zeros(0))",
    *(f"torch.cdist((torch.arange(12.).view(4, 3) / 4).{d}(), torch.ones({n}, 3).{d}() / 3, {p}, '{m}')" for d in ("half", "bfloat16", "float")
      for n, p, m in ((2, 2., "use_mm_for_euclid_dist"), (26, 2., "use_mm_for_euclid_dist_if_necessary"), (26, 2., "donot_use_mm_for_euclid_dist"), (26, 1., "use_mm_for_euclid_dist"), (2, 2., "use_mm_for_euclid_dist_if_necessary"))),
    *(f"torch.tensor(1.).index_copy(0, torch.tensor({i}, dtype=torch.int64), torch.tensor({v}))" for i in ("[0, 0]", "[0]", "0", "[]") for v in ("[2.]", "2.", "[2., 3.]", "[[2.]]", "[]")),
    *(f"torch.histc(torch.tensor([{v}], dtype=torch.float{w}), {n})" for v in ("2.**24", "2.**24 + 2", "1e8", "2.**53", "1e20", "-3e38", "5.") for w in (32, 64) for n in (1, 4, 9)),
    *(f"torch.histc(torch.tensor({v}, dtype=torch.{d}), 3)" for v, d in (("[2048.]", "half"), ("[4096.]", "half"), ("[65504.]", "half"), ("[65504., 1.]", "half"), ("[512.]", "bfloat16"))),
    *(f"torch.histogram(torch.tensor([2.**26 + 8 * k for k in range(-1, 9)]), {n}, range=(2.**26, 2.**26 + {m}))" for n in (1, 3, 20) for m in (0, 8, 24)),
    "torch.histogramdd(torch.tensor([[1e20, 1.], [1e20, 2.]]), [4, 3])", "torch.histogram(torch.tensor([3e38, 2e38, 1e38, 0, 1.]), 9)",
    *(f"F.hardtanh_(torch.ones(3), max_val=1., min_val={v})" for v in ("torch.tensor(2.)", "torch.tensor(1e39, dtype=torch.float64)", "torch.tensor(2., requires_grad=True)")),
    *(f"F.gaussian_nll_loss(torch.ones(3).int(), torch.ones(3).int(), .5, eps={e})" for e in ("-float('inf')", "1e12", "1e39")),
    *(f"F.interpolate(torch.arange(12.).reshape(1, 1, 3, 4), size=(70001, 2), mode='{m}', align_corners={a})[0, 0, ::997]" for m, a in (("bilinear", False), ("bilinear", True), ("bicubic", False))),
    *(f"F.interpolate(torch.arange(12.).reshape(1, 1, 3, 4), size=({n}, 3), mode='{m}')[0, 0, ::97]" for n in (70001, 210000) for m in ("nearest", "nearest-exact")),
    *(f"F.binary_cross_entropy_with_logits(torch.ones(3), torch.ones(3), {w})" for w in ("torch.ones(2, 3)", "pos_weight=torch.ones(2, 3)", "torch.ones(1), pos_weight=torch.ones(1)")),
    *(f"torch.binary_cross_entropy_with_logits(torch.ones(1), torch.ones(3), {w})" for w in ("torch.ones(3)", "None, torch.ones(3)")),
    "torch.margin_ranking_loss(torch.arange(3.), torch.ones(2, 3), torch.ones(()), .5, 1)",
    *(f"F.{f}(torch.ones(3), _stacklevel={v})" for f in ("softmax", "log_softmax", "softmin") for v in ("()", "1.5", "True", "torch.tensor(3)")),
    *(f"torch.{f}(torch.tensor([[1., 2, {v}], [1, 2, 3]]), 1)" for f in ("std", "std_mean") for v in ("1e20", "1e20j", "1e-25j")), "torch.std(torch.tensor([1e-25, 2e-25j, 1e-25j]))",
    *(f"torch.constant_pad_nd(torch.ones(2, 3, dtype=torch.half), {pad}, {v})" for pad in ("[]", "[0, 0]", "[-1, 0]", "[-1, 1]", "[1, 0]") for v in ("1 + 2j", "1e6", "2", "2**40")),
    *(f"{f}(torch.ones(1, 3, dtype=torch.{d}), {pad}, {v})" for f in ("torch.constant_pad_nd", "F.pad") for d in ("half", "int32", "float") for pad in ("[]", "[0, -1]", "[1, -1]") for v in (("2**40", "math.inf") if f == "torch.constant_pad_nd" else ("'constant', 2**40", "'constant', math.inf"))),
    *(f"F.pad(torch.ones(2, 3, dtype=torch.uint8), {pad}, value=300)" for pad in ("[0, 0]", "[-1, 0]", "[-1, 1]")),
    *(f"F.instance_norm(torch.arange(16, dtype=torch.{d}).reshape(2, 2, 4), torch.zeros(2, dtype=torch.{m}), torch.ones(2, dtype=torch.{v}))" for d, m, v in (("float32", "float32", "complex128"), ("float32", "float32", "float64"), ("float32", "float64", "float32"), ("half", "half", "float32"), ("half", "float32", "half"), ("float64", "float32", "half"), ("bfloat16", "bfloat16", "half"))),
    *(f"F.linear(torch.ones({shape}, dtype=torch.{d}), torch.ones(4, 3, dtype=torch.{d}), bias=torch.tensor({b}))" for shape in ("3", "2, 2, 3", "2, 3") for d, b in (("float64", ".5"), ("float32", ".5, dtype=torch.complex64"), ("int64", ".5"), ("int64", "True"), ("half", ".1234567"))),
    *(f"torch.bernoulli(torch.zeros(0, 2, dtype=torch.{d}){p})" for d in ("complex64", "int64", "bool") for p in ("", ", .5", ", out=torch.zeros(0, 2)")), *(f"torch.zeros(0, 2, dtype=torch.complex64).{f}" for f in ("bernoulli_()", "bernoulli_(torch.tensor([.2, .3]))", "random_()")),
    *(f"torch.cov(torch.tensor({x}), fweights=torch.tensor({w}))" for x in ("2.", "[2.]") for w in ("0", "[0]", "3")), "torch.cov(torch.tensor(2.), aweights=torch.tensor(0.), fweights=torch.tensor(1))", "torch.cov(torch.ones(2, 0), fweights=torch.ones(0, dtype=torch.int64))",
    *(f"torch.{f}(torch.tensor({v}), {p}, {d})" for f in ("norm", "linalg.vector_norm") for v in ("2.", "-2e30", "float('nan')") for p in (0, 1, 2, 3, "1e5", "-1e5", "float('nan')", "float('inf')") for d in (0, "(-1,)", "()")),
    *(f"F.{f}(torch.tensor({v}), torch.tensor(1.), {p})" for f in ("pairwise_distance", "cosine_similarity") for v in ("2.", "-2e30") for p in ((2, 3, "1e5") if f == "pairwise_distance" else (0,))),
    *(f"x = torch.tensor([.5, -1., {v}], requires_grad=True)\ny = torch.{f}(x, {p}1e39)\ny.backward()\ntorch.cat([x.grad, y[None]])" for f in ("norm", "linalg.vector_norm") for v in ("3.", "0.") for p in ("", "-")),
    *(f"torch.norm(torch.ones({s}) * .5, 1e39, 1)" for s in ("2, 3", "2, 0", "0, 2", "2, 3, dtype=torch.half", "2, 3, dtype=torch.double", "2, 1")), "torch.cdist(torch.tensor([[.5, 3.]]), torch.ones(1, 2), 1e39)", "torch.pdist(torch.tensor([[.5, 3.], [1., 1.]]), 1e39)",
)  # fmt: skip

REFUSED = (
    "torch.normal(torch.zeros(2), -(2**70))", "F.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 1, 1), padding=2**40)",
    *(f"x = torch.ones(2, 3)\ntorch.{f}(x, 1)\ntorch.{f}(x, {a})" for f in ("max", "min") for a in ("1.", "True", "dim=1.", "other=1", "None")),
    *(f"x = torch.ones(2, 3)\ntorch.{f.format(a)}" for f in _MOMENTS for a in ("dim=True", "(False, 1)", "[False]", "True, unbiased=True", "False, keepdim=True", "False, correction=1")),
    *(f"x = torch.ones(3)\ntorch.histogram(x, 2)\ntorch.histogram(x, {b})" for b in ("2.", "True")),
    *(_RANGED.format(2, r) for r in ("(torch.tensor(0.), 3.)", "(0, 'x')", "(0, 3j)", "torch.tensor([0., 3.])")), _POINTS.format("[True, 2]", None),
    *(f"torch.ones(2, 2).{f}({a})" for f in ("sort", "argsort") for a in ("1, stable=True", "1, True, stable=True", "1, stable=None")),
    *(f"torch.ones(2, 4).scatter(1, torch.tensor([[0, 1, 0]]), {a})" for a in ("2., reduce=None", "None, value=2.5", "value=None, src=torch.ones(2, 4)")),
    *(f"torch.ones(3).{a}" for a in ("sub(2, 1, alpha=3)", "add(2, torch.ones(3), alpha=3)", "addmm(2, torch.ones(3, 3), torch.ones(3, 3), alpha=3)")),
    *(f"torch.zeros({s}).take_along_dim(torch.tensor({i}), {d})" for s, i, d in (("3, 0", "[[0, 3, -1]]", 1), ("0", "[2, 1]", 0), ("0, 3", "[[0, 0, 0]]", 0))),
    *(f"torch.hash_tensor(torch.zeros((0, 3), dtype=torch.int64), {d})" for d in ("0", "(0,)", "(0, 1)")),
    *(f"torch.ones(2, 3).index_fill(1, torch.tensor([0]), torch.tensor({v}))" for v in ("[1 + 0j]", "1 + 0j")),
    *(f"torch.norm(torch.ones(2, 3, 4, dtype=torch.float16), 'nuc', (0, 2){d})" for d in ("", ", dtype=torch.float32")),
    *(_PIECES.format("'mean'", o) for o in ([0, 2, 2, 5, 0], [0, -2, 2, 5], "[], dtype=torch.int64")), *(_FRAMES.format(12, n) for n in (5, 7, 13, 100)),
    *(_INSTANCES.format(*a) for a in (("1, 2", 2), (2, "2, 1"))), *(_NORMAL.format(*a) for a in ((2, ""), ("2, 4", "")) ),
    *(f"F.binary_cross_entropy(torch.ones(2, 3) * .5, torch.ones(2, 3) * .5, torch.ones(3, dtype=torch.complex64), reduction='{r}')" for r in ("none", "sum")),
    *(f"torch.distributions.VonMises(torch.zeros(3), torch.ones(3)).expand({a})" for a in ("(True, 3)", "True", "(2., 3)")),
    *(f"F.local_response_norm(torch.ones(2, 4, 3).{d}(), 2, beta={b})" for d, b in (("half", 1e8), ("bfloat16", 1e39))), "F.multi_margin_loss(torch.ones(2, 2), torch.tensor([0, 1]), margin=torch.tensor(2 + 1j))",
    *(f"x = torch.zeros({s}, dtype=torch.{d})\nx.index_reduce(0, torch.zeros(0, dtype=torch.int64), x[:0], '{r}')" for s in (0, 3) for d in ("bool", "complex64") for r in ("prod", "amax")),
    *(f"torch.normal(torch.ones({n}, dtype=torch.complex{w}), torch.ones({n}), out=torch.zeros(0))" for n in (0, 2) for w in (64, 128)),
    *(f"torch.linalg.{f}(torch.ones(3, 2), {a})" for f, older in (("pinv", "rcond"), ("matrix_rank", "tol"))
      for a in (f"{older}=.1, atol=.1", ".1, rtol=.1", ".1, atol=None", f"{older}=None", "None", f"{older}=None, rtol=.1")),
    "torch.distributions.Wishart(torch.tensor(4.), torch.full((3, 3), float('inf')))", "F.interpolate(torch.ones(1, 1, 2, 2), size=(True, 3))",
    *(f"torch.ones(2).{f}, {n}={v})" for f in ("new_empty((2,)", "new_zeros((2,)", "new_full((2,), 1", "new_tensor(1") for n in ("dtype", "device") for v in ("{}", "()", "0.")),
    *(f"torch.{f}, pin_memory={v})" for f in ("zeros(2", "arange(2", "rand(2", "full((2,), 1", "ones(2).new_zeros(2") for v in ("{}", "0", "1", "''")),
    *(f"torch.{f}({a})" for f in ("remainder", "xlogy", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift")
      for a in ("__import__('numpy').int64(3), 2", "3, __import__('numpy').float64(2)")),
    *(f"torch.{f.format('torch.tensor(.5, requires_grad=True)')}" for f in ("ones(2).clamp({}, 2)", "ones(2).clip(0.2, {})", "ones(2).clamp_({}, 2)", "linalg.matrix_rank(torch.ones(2, 2), atol=.1, rtol={})",
      "nn.functional.embedding(torch.tensor([0]), torch.ones(2, 2), None, {})", "nn.functional.embedding(torch.tensor([0]), torch.ones(2, 2), None, .2, {})", "nn.functional.embedding_bag(torch.tensor([[0]]), torch.ones(2, 2), None, {})")),
    "F.embedding(torch.tensor([0]), torch.ones(2, 2), None, .2, torch.tensor([2.]))",
    *(f"F.instance_norm(torch.ones({shape}))" for shape in ("3, 0", "0, 2, 1", "2, 0, 1", "0, 0")),
    *(f"p = torch.ones(2, requires_grad=True)\np.grad = torch.ones(2)\no = torch.optim.{o}([p], {k}=torch.tensor([.2]){more})\no.step()\no.step()" for o, k, more in (
        *((o, "weight_decay", "") for o in ("SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD")), ("RMSprop", "alpha", ""), ("SGD", "dampening", ", momentum=.9"),
        ("SGD", "momentum", ", nesterov=True"), ("Adagrad", "lr_decay", ""), ("Adadelta", "rho", ""), ("NAdam", "momentum_decay", ""), ("ASGD", "lambd", ""))),
    *(f"torch.dist(torch.ones({n}), torch.zeros({n}), {p})" for n in (1, 2) for p in ("[2, 1]", "(2,)", "'2'")),
)  # fmt: skip
