"""torch.special: names that functions share with the torch namespace, and derivatives that torch does not have."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special as reference

import functorch_lite as torch

POINTS = np.array([0.3, 0.9, 1.7, 2.4, 4.2, 7.7, 9.3])

BESSEL = [
    "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "spherical_bessel_j0", "modified_bessel_i0",
    "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1",
]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["expit", "psi", "gammaln", "erf", "exp2", "expm1", "log1p", "sinc", "i0", "digamma"]
)
def test_functions_of_the_torch_namespace(name):
    same = {"expit": "sigmoid", "psi": "digamma", "gammaln": "lgamma"}.get(name, name)
    assert getattr(torch.special, name) is not None
    x = torch.tensor([0.2, 1.5])
    assert torch.equal(getattr(torch.special, name)(x), getattr(torch, same)(x))


def test_the_others_of_the_torch_namespace():
    x, y = torch.tensor([0.2, 1.5]), torch.tensor([0.7, 0.1])
    assert torch.equal(torch.special.softmax(x, 0), torch.softmax(x, 0))
    assert torch.equal(torch.special.logsumexp(x, 0), torch.logsumexp(x, 0))
    assert torch.equal(torch.special.polygamma(2, x), torch.polygamma(2, x))
    assert torch.equal(torch.special.multigammaln(x + 1, 2), torch.mvlgamma(x + 1, 2))
    assert torch.equal(torch.special.gammainc(x, y), torch.igamma(x, y))
    assert torch.equal(torch.special.gammaincc(x, y), torch.igammac(x, y))
    assert torch.equal(torch.special.xlogy(x, y), torch.xlogy(x, y))
    assert torch.equal(torch.special.round(x, decimals=1), torch.round(x, decimals=1))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        torch.special.nonsense  # noqa: B018


ULPS = {  # function: (its reference, where, units in the last place of float32 and, by long doubles, of float64)
    "cosh": (np.cosh, (-80, 80), 3, 3),
    "sinh": (np.sinh, (-80, 80), 4, 4),
    "log1p": (np.log1p, (-0.99, 5), 4, 3),
    "atanh": (np.arctanh, (-1, 1), 4, 4),
    "log2": (np.log2, (0, 100), 3, 3),
    "log10": (np.log10, (0, 100), 4, 4),
    "erfc": (reference.erfc, (-4, 9), 8.5, None),  # by the vector width
    "erfinv": (reference.erfinv, (-1, 1), 1, None),
}


@pytest.mark.parametrize("name", ULPS)
def test_units_in_the_last_place(name):
    truth, (low, high), *most = ULPS[name]
    rng = np.random.default_rng(0)
    small = rng.uniform(max(low, -1), 1, 1000) * 10.0 ** -rng.uniform(0, 12, 1000)
    points = np.concatenate([rng.uniform(low, high, 3000), small])
    for dtype, wide, bound in zip((np.float32, np.float64), (np.float64, np.longdouble), most):
        if bound is not None:
            x = points.astype(dtype)
            x = np.abs(x) if low == 0 else x
            exact = truth(x.astype(wide))
            found = getattr(torch, name)(torch.tensor(x)).numpy()
            off = np.abs(found - exact) / np.spacing(np.abs(exact).astype(dtype))
            assert off[np.isfinite(exact)].max() <= bound, (name, dtype, x[np.argmax(off)])


def slope(f, x: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """f' by central differences."""
    up, down = (f(torch.tensor(x + h)).detach().numpy() for h in (step, -step))
    return (up - down) / (2 * step)


@pytest.mark.parametrize("name", BESSEL)
def test_derivatives_of_bessel_functions(name):
    f = getattr(torch.special, name)

    def first(x):
        x = x.requires_grad_()
        return torch.autograd.grad(f(x).sum(), x, create_graph=True)[0]

    x = torch.tensor(POINTS, requires_grad=True)
    g = torch.autograd.grad(f(x).sum(), x, create_graph=True)[0]
    h = torch.autograd.grad(g.sum(), x)[0]
    np.testing.assert_allclose(g.detach().numpy(), slope(f, POINTS), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(h.numpy(), slope(first, POINTS), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    "name, reference_name",
    [("bessel_j0", "j0"), ("bessel_j1", "j1"), ("bessel_y0", "y0"), ("bessel_y1", "y1"), ("erfcx", "erfcx")],
)
def test_close_to_a_zero_and_far_away(name, reference_name):
    """Where torch's are good to four digits: next to a zero; and at large arguments."""
    x = np.array([2.4048, 3.8317, 5.4309, 5.5209, 7.0209, 7.0809, 55.0, 1234.5])
    got = getattr(torch.special, name)(torch.tensor(x)).numpy()
    np.testing.assert_allclose(got, getattr(reference, reference_name)(x), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(
    "name, reference_name",
    [
        ("chebyshev_polynomial_t", "eval_chebyt"),
        ("hermite_polynomial_he", "eval_hermitenorm"),
        ("laguerre_polynomial_l", "eval_laguerre"),
        ("legendre_polynomial_p", "eval_legendre"),
    ],
)
def test_polynomials(name, reference_name):
    f = getattr(torch.special, name)
    x, n = np.array([[-0.9], [0.2], [1.0], [1.3]]), np.array([0, 1, 4, 9])
    np.testing.assert_allclose(
        f(torch.tensor(x), torch.tensor(n)).numpy(), getattr(reference, reference_name)(n, x), rtol=1e-10
    )
    at = torch.tensor(x[:, 0], requires_grad=True)
    g = torch.autograd.grad(f(at, 5).sum(), at, create_graph=True)[0]
    h = torch.autograd.grad(g.sum(), at)[0]
    np.testing.assert_allclose(g.detach().numpy(), slope(lambda y: f(y, 5), x[:, 0]), rtol=1e-6)
    assert np.isfinite(h.numpy()).all()
    batched = torch.vmap(lambda y, k: f(y, k))(torch.tensor(x[:, 0]), torch.tensor(n))
    np.testing.assert_allclose(batched.numpy(), getattr(reference, reference_name)(n, x[:, 0]), rtol=1e-10)


def test_the_slope_of_the_incomplete_gamma_function_in_its_shape():
    a = torch.tensor([0.7, 2.0, 4.5], dtype=torch.float64, requires_grad=True)
    x = torch.tensor([0.5, 3.0, 4.0], dtype=torch.float64)
    g = torch.autograd.grad(torch.igamma(a, x).sum(), a)[0].numpy()
    at, h = a.detach().numpy(), 1e-6
    expected = (reference.gammainc(at + h, x.numpy()) - reference.gammainc(at - h, x.numpy())) / (2 * h)
    np.testing.assert_allclose(g, expected, rtol=1e-6)


def test_zeta_has_no_slope_in_its_exponent():
    s = torch.tensor(2.5, requires_grad=True)
    with pytest.raises(NotImplementedError, match="is not implemented"):
        torch.special.zeta(s, 1.0).backward()


@pytest.mark.parametrize("n", [60, 300])
def test_polynomials_that_overflow_have_no_derivative_of_zero(n):
    x = torch.tensor([1.5, 2.0, 0.3], requires_grad=True)
    y = torch.special.hermite_polynomial_h(x, n)
    y.sum().backward()
    assert y.isnan().all() and not x.grad.isfinite().any()


def test_polynomials_of_a_degree_beyond_all_loops_end():
    assert torch.special.hermite_polynomial_h(torch.ones(2), 1 << 40).isnan().all()
    assert torch.special.chebyshev_polynomial_t(torch.full((2,), 2.0), 1 << 40).isnan().all()


@pytest.mark.parametrize("n", [1001, 4096, 1 << 40])
def test_chebyshev_of_large_degrees_and_their_slopes(n):
    """At cos(θ) they are quotients of cosines and sines; T_n' = n U_{n-1}, and T_n'' follows from Chebyshev's
    equation."""
    theta = np.array([0.5, 1.5, 2.5])
    special, x = torch.special, torch.tensor(np.cos(theta), requires_grad=True)
    near = {"rtol": 1e-15 * n + 1e-9, "atol": 1e-14 * n}
    t, u = special.chebyshev_polynomial_t(x, n), special.chebyshev_polynomial_u(x, n - 1)
    if n < 5000:  # else the angle of a rounded x is another one
        np.testing.assert_allclose(t.detach().numpy(), np.cos(n * theta), **near)
        np.testing.assert_allclose(u.detach().numpy(), np.sin(n * theta) / np.sin(theta), **near)
        v, w = special.chebyshev_polynomial_v(x, n), special.chebyshev_polynomial_w(x, n)
        np.testing.assert_allclose(v.detach().numpy(), np.cos((n + 0.5) * theta) / np.cos(theta / 2), **near)
        np.testing.assert_allclose(w.detach().numpy(), np.sin((n + 0.5) * theta) / np.sin(theta / 2), **near)
    slope = torch.autograd.grad(t.sum(), x, create_graph=True)[0]
    np.testing.assert_allclose(slope.detach().numpy(), n * u.detach().numpy(), rtol=1e-9 + 1e-15 * n)
    second = torch.autograd.grad(slope.sum(), x)[0]
    x, t, slope = (part.detach().numpy() for part in (x, t, slope))
    np.testing.assert_allclose(second.numpy(), (x * slope - n * n * t) / (1 - x * x), rtol=1e-9 + 1e-14 * n)


def test_chebyshev_of_large_degrees_at_the_ends():
    ends, n = torch.tensor([1.0, -1.0], dtype=torch.float64, requires_grad=True), 1 << 40
    values = [getattr(torch.special, f"chebyshev_polynomial_{f}")(ends, n).tolist() for f in "tuvw"]
    assert values == [[1.0, 1.0], [n + 1.0, n + 1.0], [1.0, 2.0 * n + 1], [2.0 * n + 1, 1.0]]
    torch.special.chebyshev_polynomial_t(ends, n).sum().backward()
    assert ends.grad.tolist() == [float(n * n), -float(n * n)]


def test_trigamma_beside_its_values():
    """Computed with 40 digits (mpmath), in float64 and in float32, and the gradient of digamma."""
    x = torch.tensor(
        [1e-9, 0.3, 1.0, 2.5, 7.0, 40.0, 1e9, -0.5, -3.7], dtype=torch.float64, requires_grad=True
    )
    exact = [
        9.999999999999999e17,
        12.245364546107732,
        1.6449340668482264,
        0.49035775610023485,
        0.15354517795933756,
        0.02531510384129103,
        1.0000000005e-09,
        8.934802200544679,
        14.84242186412428,
    ]
    np.testing.assert_allclose(torch.special.polygamma(1, x).detach().numpy(), exact, rtol=1e-14)
    np.testing.assert_allclose(torch.special.polygamma(1, x.float()).detach().numpy(), exact, rtol=1e-5)
    (slope,) = torch.autograd.grad(torch.digamma(x).sum(), x)
    np.testing.assert_allclose(slope.numpy(), exact, rtol=1e-14)
