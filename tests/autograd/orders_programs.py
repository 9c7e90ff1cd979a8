"""Programs that differentiate until a derivative is constant, and once more: of functorch_lite as of torch, which is an
argument.

CHAINS: name -> (function of (torch, F, x), the derivatives of its sum at x = 3, 3, ... as long as there are any). What
comes after the last raises. PROGRAMS: function of torch -> the list that it returns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_FOREVER = [0.0] * 4


def _image(x: Any) -> Any:
    return x.expand(1, 4, 4, 4)


CHAINS: dict[str, tuple[Callable, list[float]]] = {
    "x ** 1": (lambda torch, F, x: x**1, [1.0, 0.0]),
    "x ** 2": (lambda torch, F, x: x**2, [6.0, 2.0, 0.0]),
    "x ** 3": (lambda torch, F, x: x**3, [27.0, 18.0, 6.0, 0.0]),
    "float_power": (lambda torch, F, x: torch.float_power(x, 2), [6.0, 2.0, 0.0]),
    "square": (lambda torch, F, x: x.square(), [6.0, 2.0, 0.0]),
    "x * x": (lambda torch, F, x: x * x, [6.0, 2.0]),
    "2 * x": (lambda torch, F, x: 2 * x, [2.0]),
    "relu": (lambda torch, F, x: torch.relu(x), [1.0, *_FOREVER]),
    "F.relu": (lambda torch, F, x: F.relu(x), [1.0, *_FOREVER]),
    "leaky_relu": (lambda torch, F, x: F.leaky_relu(x), [1.0, 0.0]),
    "hardtanh": (lambda torch, F, x: F.hardtanh(x), [0.0, 0.0]),
    "clamp": (lambda torch, F, x: x.clamp(0, 4), [1.0]),
    "abs": (lambda torch, F, x: x.abs(), [1.0, 0.0]),
    "floor": (lambda torch, F, x: x.floor(), [0.0]),
    "l1_loss": (lambda torch, F, x: F.l1_loss(x, torch.zeros(()).double()), [1.0, 0.0]),
    "mse_loss": (lambda torch, F, x: F.mse_loss(x, torch.zeros(()).double()), [6.0, 2.0]),
    "nll_loss": (lambda torch, F, x: F.nll_loss(x.expand(2, 3), torch.tensor([0, 2])), [-1.0, 0.0]),
    "avg_pool1d": (lambda torch, F, x: F.avg_pool1d(_image(x)[0], 2), [32.0, 0.0]),
    "avg_pool2d": (lambda torch, F, x: F.avg_pool2d(_image(x), 2), [16.0, 0.0]),
    "avg_pool3d": (lambda torch, F, x: F.avg_pool3d(_image(x), 2), [8.0, 0.0]),
    "adaptive_avg_pool2d": (lambda torch, F, x: F.adaptive_avg_pool2d(_image(x), 2), [16.0, 0.0]),
    "max_pool2d": (lambda torch, F, x: F.max_pool2d(_image(x), 2), [16.0, 0.0]),
    "reflect": (lambda torch, F, x: F.pad(_image(x)[0], (1, 1), mode="reflect"), [96.0, 0.0]),
    "replicate": (lambda torch, F, x: F.pad(_image(x)[0], (1, 1), mode="replicate"), [96.0, 0.0]),
    "circular": (lambda torch, F, x: F.pad(_image(x)[0], (1, 1), mode="circular"), [96.0]),
    "area": (lambda torch, F, x: F.interpolate(_image(x), size=(2, 2), mode="area"), [16.0, 0.0]),
    "prod": (lambda torch, F, x: x.expand(2).prod(), [6.0, 2.0, 0.0, 0.0]),
    "det": (lambda torch, F, x: (x * torch.eye(2).double()).det(), [6.0, 2.0, 0.0, 0.0]),
}


NOTHING: dict[str, tuple[Callable, str]] = {
    "inv": (lambda torch, x: torch.linalg.inv(x), "yy"),
    "solve": (lambda torch, x: torch.linalg.solve(x, x), "yy"),
    "matmul": (lambda torch, x: x @ x, "yn"),
    "cholesky": (lambda torch, x: torch.linalg.cholesky(x), "yy"),
    "eigh": (lambda torch, x: torch.linalg.eigh(x)[0], "yy"),
    "slogdet": (lambda torch, x: torch.linalg.slogdet(x)[1], "yy"),
    "det": (lambda torch, x: torch.linalg.det(x), "n"),
    "exp": (lambda torch, x: x.exp(), "yy"),
    "square": (lambda torch, x: x * x, "yn"),
    "sum": (lambda torch, x: x.sum(0), "n"),
    "softmax": (lambda torch, x: x.softmax(-1), "yy"),
    "cumprod": (lambda torch, x: x.cumprod(0), "n"),
    "logcumsumexp": (lambda torch, x: x.logcumsumexp(0), "n"),
    "linear": (lambda torch, x: torch.nn.functional.linear(x, torch.ones(3, 2).double()), "n"),
}
"""Of a tensor of shape (0, 2, 2): whether the first gradient requires grad, and the second, which there is if the
first does."""


def require(torch: Any, fn: Callable) -> str:
    """The same of fn's gradients, as it is found."""
    x = torch.ones(0, 2, 2, dtype=torch.float64, requires_grad=True)
    y, found = fn(torch, x).sum(), ""
    while len(found) < 2 and "n" not in found:
        (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        found += "y" if y.requires_grad else "n"
    return found


def follow(torch: Any, F: Any, fn: Callable, most: int) -> tuple[list[float], str]:
    """The derivatives of fn's sum, up to the one of order `most`, and what the next one raises."""
    x = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    y, found = fn(torch, F, x).sum(), []
    for _ in range(most):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        found.append(y.item())
        if not y.requires_grad:
            break
    try:
        y.backward()
    except RuntimeError as error:
        return found, str(error)
    return found, ""


def _numbers(*tensors: Any) -> list:
    return [
        None if t is None else [round(v, 6) for v in t.detach().double().reshape(-1).tolist()]
        for t in tensors
    ]


def _penalty(torch: Any, body: Callable, shape: tuple[int, ...]) -> list:
    """The parameters' gradients of a critic's gradient penalty."""
    F = torch.nn.functional
    w = torch.linspace(-1, 2, 6).reshape(2, 3).requires_grad_(True)
    x = torch.linspace(-1, 2, 6).reshape(shape).requires_grad_(True)
    (g,) = torch.autograd.grad(body(torch, F, x, w).sum(), x, create_graph=True)
    ((g.reshape(2, -1).norm(dim=1) - 1) ** 2).sum().backward()
    return _numbers(w.grad, x.grad)


def of_relu(torch: Any) -> list:
    return _penalty(torch, lambda torch, F, x, w: F.relu(F.linear(x, w)), (2, 3))


def of_pooling(torch: Any) -> list:
    """x enters the penalty by way of zeros alone: it has a gradient."""
    return _penalty(torch, lambda torch, F, x, w: F.avg_pool1d(x, 3) * w.sum(), (2, 3))


def of_a_loss(torch: Any) -> list:
    return _penalty(torch, lambda torch, F, x, w: F.nll_loss(x * w, torch.tensor([0, 2])), (2, 3))


def of_a_loss_alone(torch: Any) -> list:
    """Its gradient is a constant that requires grad."""
    F = torch.nn.functional
    x = torch.zeros(2, 3, requires_grad=True)
    (g,) = torch.autograd.grad(F.nll_loss(x, torch.tensor([0, 2])), x, create_graph=True)
    g.square().sum().backward()
    return _numbers(x.grad)


def of_physics(torch: Any) -> list:
    """The residual of u_t + u u_x = u_xxx, of a network of one hidden layer."""
    torch.set_default_dtype(torch.float64)
    try:
        w, v = (
            torch.linspace(-1, 1, n).reshape(s).requires_grad_(True) for n, s in ((8, (4, 2)), (4, (1, 4)))
        )
        b = torch.zeros(1, requires_grad=True)
        x, t = (torch.linspace(0, 1, 5).requires_grad_(True) for _ in range(2))
        F = torch.nn.functional
        u = F.linear(torch.tanh(F.linear(torch.stack([x, t], 1), w)), v, b)

        def by(y, z):
            return torch.autograd.grad(y.sum(), z, create_graph=True)[0]

        u_x = by(u, x)
        residual = by(u, t) + u[:, 0] * u_x - by(by(u_x, x), x)
        residual.square().mean().backward()
        return _numbers(w.grad, v.grad, b.grad)
    finally:
        torch.set_default_dtype(torch.float32)


def of_a_linear_network(torch: Any) -> list:
    """The second derivative of a network without nonlinearity: its first is constant in x, and raises."""
    F = torch.nn.functional
    x, w = torch.ones(2, 3, requires_grad=True), torch.ones(1, 3, requires_grad=True)
    (g,) = torch.autograd.grad(F.linear(x, w).sum(), x, create_graph=True)
    none = torch.autograd.grad(g.sum(), x, create_graph=True, allow_unused=True)
    try:
        torch.autograd.grad(g.sum(), x)
    except RuntimeError as error:
        return [*_numbers(*none, g), str(error)[:40]]
    return []


def bias_of_a_layer(torch: Any) -> list:
    """What a gradient does not depend on: that by the bias depends on nothing."""
    F = torch.nn.functional
    x, w, b = (
        torch.ones(2, 3, requires_grad=True),
        torch.ones(4, 3, requires_grad=True),
        torch.ones(4, requires_grad=True),
    )
    grads = torch.autograd.grad(F.linear(x, w, b).sum(), (x, w, b), create_graph=True)
    second = torch.autograd.grad(grads[0].sum(), (x, w, b), allow_unused=True)
    return [[g.requires_grad for g in grads], *_numbers(*second)]


def no_zeros_times_infinity(torch: Any) -> list:
    x = torch.tensor([float("inf"), float("nan"), 1.0], requires_grad=True)
    (g,) = torch.autograd.grad((x**2).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    (z,) = torch.autograd.grad(h.sum(), x, create_graph=True)
    return _numbers(h, z)


def nested_transforms(torch: Any) -> list:
    grad = torch.func.grad
    x = torch.tensor(3.0)
    third = grad(grad(grad(lambda x: x**2)))(x)
    pooled = grad(grad(lambda x: torch.nn.functional.avg_pool1d(x.expand(1, 1, 4), 2).sum()))(x)
    return _numbers(third, pooled, grad(grad(torch.relu))(x), torch.vmap(grad(grad(torch.relu)))(x.expand(2)))


def tape_inside_a_transform(torch: Any) -> list:
    """autograd.grad in a function that is differentiated."""

    def third(x):
        (g,) = torch.autograd.grad(x**2, x, create_graph=True)
        (h,) = torch.autograd.grad(g, x, create_graph=True)
        return h + 0 * x

    flags = []

    def linear(x):
        (g,) = torch.autograd.grad(2 * x, x, create_graph=True)
        flags.append(g.requires_grad)
        return x * g

    x = torch.tensor(3.0)
    return [*_numbers(torch.func.grad(third)(x), torch.func.grad(linear)(x)), flags]


def tape_around_a_transform(torch: Any) -> list:
    x = torch.tensor(3.0, requires_grad=True)
    g = torch.func.grad(lambda x: x**2)(x)
    (h,) = torch.autograd.grad(g, x, create_graph=True)
    (z,) = torch.autograd.grad(h, x, create_graph=True)
    return [*_numbers(g, h, z), z.requires_grad]


PROGRAMS: dict[Callable, list] = {
    of_relu: [[-0.174258, -0.069703, 0.034852, 0.977201, 1.710101, 2.443002], [0.0] * 6],
    of_pooling: [[1.690599] * 6, [0.0] * 6],
    of_a_loss: [[0.5, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0] * 6],
    of_a_loss_alone: [[0.0] * 6],
    of_physics: [
        [-12.694845, -0.884963, -2.940632, -1.723845, 1.712121, 1.888611, 7.605017, 2.374778],
        [-11.562219, -3.780267, 3.433945, 9.180135],
        [7.590809],
    ],
    of_a_linear_network: [None, [1.0] * 6, "The differentiated Tensor at index 0 app"],
    bias_of_a_layer: [[True, True, False], None, [2.0] * 12, None],
    no_zeros_times_infinity: [[2.0] * 3, [0.0] * 3],
    nested_transforms: [[0.0], [0.0], [0.0], [0.0, 0.0]],
    tape_inside_a_transform: [[0.0], [2.0], [False]],
    tape_around_a_transform: [[6.0], [2.0], [0.0], False],
}


def agree(found: Any, expected: Any) -> bool:
    """Whether two such lists are equal, numbers to five places."""
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(agree, found, expected))
    if type(expected) is float:
        return type(found) is float and abs(found - expected) <= 1e-5
    return found == expected
