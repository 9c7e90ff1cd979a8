"""Programs with dual tensors, written once for PyTorch and for us: `f(t)` gives tensors, None and bools."""

from __future__ import annotations

PROGRAMS: dict = {}


def program(f):
    PROGRAMS[f.__name__] = f
    return f


def vectors(t):
    return t.tensor([1.0, 2.0, 3.0]), t.tensor([1.0, 0.0, -1.0])


def filled(t, module):
    with t.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_((t.arange(p.numel()) % 5 - 2.0).reshape(p.shape) * 0.1 * (i + 1))
    return module


def in_level(f):
    """A program that runs in a dual level: f(t, forward_ad, dual, primal, tangent)."""

    def run(t):
        fw = t.autograd.forward_ad
        v, tv = vectors(t)
        with fw.dual_level():
            return f(t, fw, fw.make_dual(v, tv), v, tv)

    run.__name__ = f.__name__
    return program(run)


@in_level
def what_unpack_gives(t, fw, d, v, tv):
    plain = fw.unpack_dual(v)
    again = fw.unpack_dual(fw.unpack_dual(d).primal).tangent
    return (
        fw.unpack_dual(d).primal,
        fw.unpack_dual(d).tangent,
        plain.primal,
        plain.tangent,
        again,
        d.requires_grad,
    )


@in_level
def many_ops(t, fw, d, v, tv):
    m = d.reshape(3, 1) * d
    s, order = d.sort(descending=True)
    results = [
        d * d, d.sin() + v, 2 / d, d @ d, m @ d, d.max(), d.cumsum(0), d[[0, 2]], d[d > 1.5], s, order, d > 1,
        t.where(d > 1.5, d, -d), t.stack([d, v]), t.nn.functional.softmax(d, 0), t.linalg.norm(d), t.einsum("i,j->ij", d, v),
        m.diagonal(), m.t()[1], d.double() * 2, d.exp().log_softmax(0), t.nn.functional.pad(d, (1, 1)), d.var(),
    ]  # fmt: skip
    return [fw.unpack_dual(r).tangent for r in results]


@in_level
def values_that_are_read_in_between(t, fw, d, v, tv):
    y, total = d, 0.0
    for i in range(12):
        y = y * 1.01 + d * i * 0.01
        if i % 4 == 0:
            total += y.sum().item()
    return fw.unpack_dual(y).tangent, fw.unpack_dual(y * total).tangent, fw.unpack_dual(d).tangent


@in_level
def writes_in_place(t, fw, d, v, tv):
    z = t.zeros(2, 3)
    z[0] = d
    z[1].copy_(d * 2)
    z.mul_(d)
    w = d.clone()
    view = w.view(3, 1)
    view.mul_(d.view(3, 1))
    w[1:] += d[:2]
    erased = d.clone().zero_()
    return [fw.unpack_dual(x).tangent for x in (z, z[1], w, view, erased)]


@in_level
def what_drops_the_tangent(t, fw, d, v, tv):
    half = fw.unpack_dual(d * d.detach()).tangent
    k = d.clone().detach_()
    return half, [fw.unpack_dual(x).tangent for x in (d.detach(), d.data, k, t.nn.Parameter(d))]


@in_level
def under_no_grad(t, fw, d, v, tv):
    with t.no_grad():
        return fw.unpack_dual(d * d).tangent


@in_level
def complex_numbers(t, fw, d, v, tv):
    z = fw.make_dual(t.tensor([1 + 2j]), t.tensor([1j]))
    return [fw.unpack_dual(x).tangent for x in (z * z, z * z.conj(), z.abs(), z.real)]


@in_level
def reverse_over_forward(t, fw, d, v, tv):
    p = v.clone().requires_grad_()
    tangent = fw.unpack_dual((d * p * p).sum()).tangent
    tangent.backward()
    direction = tv.clone().requires_grad_()
    other = fw.unpack_dual((fw.make_dual(v, direction) ** 3).sum()).tangent
    through = fw.make_dual(p, tv)
    third = fw.unpack_dual((through**3).sum()).tangent
    return (
        tangent.detach(),
        p.grad,
        t.autograd.grad(other, direction)[0],
        t.autograd.grad(third, p)[0],
    )


@in_level
def forward_over_reverse(t, fw, d, v, tv):
    p = v.clone().requires_grad_()
    q = fw.make_dual(p, tv)
    (g,) = t.autograd.grad((q**3).sum(), q, create_graph=True)
    (q**3).sum().backward()
    again = (q**4).sum()
    again.backward(t.ones_like(again))
    return fw.unpack_dual(g).tangent.detach(), p.grad


@in_level
def transforms_of_duals(t, fw, d, v, tv):
    h = t.func.grad(lambda x: (x**4).sum())(d)
    m = t.vmap(t.func.grad(lambda x: x**4))(d)
    return fw.unpack_dual(h).tangent, fw.unpack_dual(m).tangent


@program
def modules(t):
    fw, nn = t.autograd.forward_ad, t.nn
    x = (t.arange(12.0).reshape(4, 3) * 0.7).sin()
    results = []
    net = filled(t, nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Dropout(0.0), nn.Linear(4, 2)))
    norm = filled(t, nn.BatchNorm1d(3))
    linear = filled(t, nn.Linear(3, 2))
    params = dict(linear.named_parameters())
    with fw.dual_level():
        out = fw.unpack_dual(net(fw.make_dual(x, x.cos()))).tangent
        out.sum().backward()
        results += [out.detach(), net[0].weight.grad]
        y = fw.unpack_dual(norm(fw.make_dual(x, x.cos()))).tangent
        results += [y.detach()]
        duals = {k: fw.make_dual(p, t.ones_like(p)) for k, p in params.items()}
        results.append(fw.unpack_dual(t.func.functional_call(linear, duals, x)).tangent.detach())
        for name, p in params.items():  # as in PyTorch's tutorial
            delattr(linear, name)
            setattr(linear, name, fw.make_dual(p, t.ones_like(p)))
        results.append(fw.unpack_dual(linear(x)).tangent.detach())
    return [*results, norm.running_mean.clone(), net[0].bias.grad]


def directional(t, x, tangent):
    fw = t.autograd.forward_ad
    with fw.dual_level():
        return fw.unpack_dual((fw.make_dual(x, tangent) ** 3).sum()).tangent


@program
def inside_transforms(t):
    v, tv = vectors(t)
    x = v.clone().requires_grad_()
    return (
        t.func.grad(lambda x: directional(t, x, tv))(v),
        t.func.jacrev(lambda tv: directional(t, v, tv))(tv),
        t.autograd.grad(directional(t, x, tv), x)[0],
    )


@program
def after_the_level(t):
    fw = t.autograd.forward_ad
    v, tv = vectors(t)
    with fw.dual_level():
        d = fw.make_dual(v, tv)
        y = d * 2
        tangent = fw.unpack_dual(y).tangent
    kept = fw.unpack_dual(y)
    with fw.dual_level():
        gone = fw.unpack_dual(d).tangent
    return kept.primal, kept.tangent, gone, tangent, (y * y)


@in_level
def memory_is_the_primals(t, fw, d, v, tv):
    found = []

    def note(*tensors):
        found.append(t.tensor([d._version, v._version, d.data_ptr() == v.data_ptr(), d._base is v]))
        for x in (d, v, *tensors):
            pair = fw.unpack_dual(x)
            found.extend([pair.primal.clone(), None if pair.tangent is None else pair.tangent.clone()])

    part, primal = d[1:], fw.unpack_dual(d).primal
    note(part, primal)
    v.mul_(2)
    note(part, primal)
    d.mul_(3)
    note(part, primal)
    part.mul_(d[:2] * 1)
    note(part, primal)
    v[1:].add_(1)
    primal.mul_(d)  # now it has a tangent of its own
    note(part, primal)
    d.detach().add_(1)
    note(part, primal)
    part[0] = 5.0
    other = fw.make_dual(v[1:], t.tensor([2.0, 1.0]))
    other.copy_(other * other)
    note(part, primal, other)
    return found


@program
def memory_and_derivatives(t):
    fw = t.autograd.forward_ad
    w = t.ones(2, requires_grad=True)
    with fw.dual_level():
        x = w * 2
        d = fw.make_dual(x, t.tensor([1.0, 3.0]))
        d.mul_(w)
        d[0].mul_(5)
        pair = fw.unpack_dual(d)
        found = [t.autograd.grad(y.sum(), w, retain_graph=True)[0] for y in (x, pair.primal, pair.tangent)]
        leaf = fw.make_dual(w, t.ones(2))
        try:
            leaf.mul_(2)
        except RuntimeError as e:
            found.append(
                "a view of a leaf Variable that requires grad is being used in an in-place operation"
                in str(e)
            )
    found.append(x * 1)
    x.detach().zero_()
    return [*found, d * 1, pair.primal * 1]
