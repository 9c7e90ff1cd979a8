"""Everything that draws random numbers, as a function of one example, for either library: PROGRAMS by name.

An example x is a vector of SIZE positive numbers below one. What a program returns is all random, so that two draws of
it that agree are the same draw.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SIZE = 24
BATCH = 3

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    # functions that make tensors
    "rand": lambda torch, x: torch.rand(4),
    "rand float64": lambda torch, x: torch.rand(2, 3, dtype=torch.float64),
    "randn": lambda torch, x: torch.randn(4),
    "randint": lambda torch, x: torch.randint(0, 10**6, (4,)),
    "randperm": lambda torch, x: torch.randperm(SIZE),
    "rand_like": lambda torch, x: torch.rand_like(x),
    "randn_like": lambda torch, x: torch.randn_like(x),
    "randint_like": lambda torch, x: torch.randint_like(x, 10**6),
    "normal of numbers": lambda torch, x: torch.normal(0.0, 1.0, (4,)),
    "normal of means": lambda torch, x: torch.normal(x, 1.0),
    "normal of deviations": lambda torch, x: torch.normal(0.0, x),
    "normal of both": lambda torch, x: torch.normal(x, x),
    "bernoulli": lambda torch, x: torch.bernoulli(x),
    "bernoulli p": lambda torch, x: torch.bernoulli(x, 0.5),
    "poisson": lambda torch, x: torch.poisson(100 * x),
    "binomial": lambda torch, x: torch.binomial(torch.full_like(x, 1000.0), x),
    "multinomial": lambda torch, x: torch.multinomial(x, 20, replacement=True),
    "multinomial without replacement": lambda torch, x: torch.multinomial(x, 20),
    "multinomial of rows": lambda torch, x: torch.multinomial(x.reshape(2, -1), 10, True),
    # methods that fill a tensor
    "uniform_": lambda torch, x: x.clone().uniform_(-1, 1),
    "normal_": lambda torch, x: x.clone().normal_(2, 3),
    "exponential_": lambda torch, x: x.clone().exponential_(2.0),
    "cauchy_": lambda torch, x: x.clone().cauchy_(),
    "geometric_": lambda torch, x: x.clone().geometric_(0.01),
    "log_normal_": lambda torch, x: x.clone().log_normal_(),
    "random_": lambda torch, x: x.clone().random_(),
    "random_ to": lambda torch, x: x.clone().random_(10**5),
    "random_ from to": lambda torch, x: x.clone().random_(5, 10**5),
    "bernoulli_": lambda torch, x: x.clone().bernoulli_(0.5),
    "bernoulli_ of a tensor": lambda torch, x: x.clone().bernoulli_(x),
    "uniform_ of what is not mapped": lambda torch, x: torch.empty(4).uniform_(),
    "normal_ of a view": lambda torch, x: _of_view(x),
    # dropout
    "dropout": lambda torch, x: torch.nn.functional.dropout(x),
    "dropout in place": lambda torch, x: torch.nn.functional.dropout(x * 1, inplace=True),
    "dropout of what is not mapped": lambda torch, x: torch.nn.functional.dropout(torch.ones(SIZE)),
    "torch.dropout": lambda torch, x: torch.dropout(x, 0.5, True),
    "alpha_dropout": lambda torch, x: torch.nn.functional.alpha_dropout(x, 0.5, True),
    "feature_alpha_dropout": lambda torch, x: torch.nn.functional.feature_alpha_dropout(_image(x), 0.5, True),
    "feature_dropout": lambda torch, x: torch.feature_dropout(_image(x), 0.5, True),
    "dropout1d": lambda torch, x: torch.nn.functional.dropout1d(x.reshape(1, SIZE, 1)),
    "dropout2d": lambda torch, x: torch.nn.functional.dropout2d(_image(x)),
    "dropout3d": lambda torch, x: torch.nn.functional.dropout3d(x.reshape(1, SIZE, 1, 1, 1)),
    # other functions of nn
    "attention": lambda torch, x: torch.nn.functional.scaled_dot_product_attention(
        *[x.reshape(1, 1, 6, 4)] * 3, dropout_p=0.5
    ),
    "rrelu": lambda torch, x: torch.nn.functional.rrelu(-x, training=True),
    "gumbel_softmax": lambda torch, x: torch.nn.functional.gumbel_softmax(x),
    "gumbel_softmax hard": lambda torch, x: torch.nn.functional.gumbel_softmax(10 + x.reshape(12, 2), hard=True),
    "fractional_max_pool2d": lambda torch, x: torch.nn.functional.fractional_max_pool2d(
        torch.arange(961.0).reshape(1, 1, 31, 31) + x[0], 2, 17
    ),
    # modules in training mode
    "nn.Dropout": lambda torch, x: torch.nn.Dropout()(x),
    "nn.Dropout2d": lambda torch, x: torch.nn.Dropout2d()(_image(x)),
    "nn.AlphaDropout": lambda torch, x: torch.nn.AlphaDropout()(x),
    "nn.FeatureAlphaDropout": lambda torch, x: torch.nn.FeatureAlphaDropout()(_image(x)),
    "nn.LSTM with dropout": lambda torch, x: torch.func.functional_call(
        lstm(torch), {}, (x.reshape(6, 1, 4),)
    )[0],
    "nn.MultiheadAttention with dropout": lambda torch, x: attention(torch)(*[x.reshape(6, 1, 4)] * 3)[0],
    "nn.RReLU": lambda torch, x: torch.nn.RReLU()(-x),
    # distributions
    "Normal": lambda torch, x: torch.distributions.Normal(x, 1.0).rsample(),
    "Normal sample": lambda torch, x: torch.distributions.Normal(x, 1.0).sample((2,)),
    "Uniform": lambda torch, x: torch.distributions.Uniform(x, x + 1).rsample(),
    "Bernoulli": lambda torch, x: torch.distributions.Bernoulli(x, validate_args=False).sample(),
    "Categorical": lambda torch, x: torch.distributions.Categorical(x, validate_args=False).sample((20,)),
    "Exponential": lambda torch, x: torch.distributions.Exponential(x, validate_args=False).rsample(),
    "Laplace": lambda torch, x: torch.distributions.Laplace(x, x, validate_args=False).rsample(),
    "Gumbel": lambda torch, x: torch.distributions.Gumbel(x, x, validate_args=False).rsample(),
    "Cauchy": lambda torch, x: torch.distributions.Cauchy(x, x, validate_args=False).rsample(),
    "Gamma": lambda torch, x: torch.distributions.Gamma(x, x, validate_args=False).rsample(),
    "Beta": lambda torch, x: torch.distributions.Beta(x, x, validate_args=False).rsample(),
    "Dirichlet": lambda torch, x: torch.distributions.Dirichlet(x, validate_args=False).rsample(),
    "Poisson": lambda torch, x: torch.distributions.Poisson(100 * x, validate_args=False).sample(),
    "Geometric": lambda torch, x: torch.distributions.Geometric(x / 100, validate_args=False).sample(),
    "StudentT": lambda torch, x: torch.distributions.StudentT(3 + x, validate_args=False).rsample(),
    "MultivariateNormal": lambda torch, x: torch.distributions.MultivariateNormal(
        x[:3], torch.eye(3), validate_args=False
    ).rsample(),
    "LogNormal": lambda torch, x: torch.distributions.LogNormal(x, x, validate_args=False).rsample(),
    "Binomial": lambda torch, x: torch.distributions.Binomial(1000, x, validate_args=False).sample(),
    "OneHotCategorical": lambda torch, x: torch.distributions.OneHotCategorical(
        x, validate_args=False
    ).sample((20,)),
    # initialisation
    "init.uniform_": lambda torch, x: torch.nn.init.uniform_(torch.empty(4)),
    "init.normal_": lambda torch, x: torch.nn.init.normal_(torch.empty(4)),
    "init.trunc_normal_": lambda torch, x: torch.nn.init.trunc_normal_(torch.empty(4)),
    "init.xavier_uniform_": lambda torch, x: torch.nn.init.xavier_uniform_(torch.empty(2, 3)),
    "init.kaiming_normal_": lambda torch, x: torch.nn.init.kaiming_normal_(torch.empty(2, 3)),
    "init.normal_ of what is mapped": lambda torch, x: torch.nn.init.normal_(x.clone()),
    # inside another transform
    "grad": lambda torch, x: torch.func.grad(lambda a: (torch.rand(SIZE) * a).sum())(x),
    "grad of dropout": lambda torch, x: torch.func.grad(lambda a: torch.nn.functional.dropout(a).sum())(x),
    "jvp": lambda torch, x: torch.func.jvp(lambda a: torch.randn(SIZE) * a, (x,), (x,))[1],
    "vjp": lambda torch, x: torch.func.vjp(lambda a: torch.rand_like(a) * a, x)[1](x)[0],
}  # fmt: skip


def lstm(torch: Any) -> Any:
    """Two layers with dropout between them, made outside of the transform."""
    return _made(torch, "lstm", lambda: torch.nn.LSTM(4, 5, 2, dropout=0.5))


def attention(torch: Any) -> Any:
    """Self-attention with dropout of its weights, made outside of the transform."""
    return _made(torch, "attention", lambda: torch.nn.MultiheadAttention(4, 2, dropout=0.5))


_modules: dict[tuple[Any, str], Any] = {}


def _made(torch: Any, name: str, make: Callable[[], Any]) -> Any:
    if (torch, name) not in _modules:
        _modules[torch, name] = make()
    return _modules[torch, name]


def make_modules(torch: Any) -> None:
    """Makes the modules of PROGRAMS: they are to be there before a transform runs."""
    lstm(torch), attention(torch)


def _image(x: Any) -> Any:
    return x.reshape(1, SIZE, 1, 1)


def _of_view(x: Any) -> Any:
    y = x.clone()
    y[: SIZE // 2].normal_()
    return y[: SIZE // 2]


def example(torch: Any) -> Any:
    """A batch of equal examples: what differs in a result was drawn."""
    row = [0.2 + 0.6 * ((7 * i) % SIZE) / SIZE for i in range(SIZE)]
    return torch.tensor([row] * BATCH)


def outcome(torch: Any, name: str, mode: str, seed: int = 0) -> Any:
    """The mapped result of a program as an array, or the error that it raised."""
    make_modules(torch)
    torch.manual_seed(seed)
    try:
        return (
            torch.vmap(lambda x: PROGRAMS[name](torch, x), randomness=mode)(example(torch)).detach().numpy()
        )
    except Exception as error:
        return error


def seen(result: Any) -> str:
    """What a result shows: "equal" or "different" over the batch, or the error."""
    if isinstance(result, Exception):
        return f"{type(result).__name__}: {result}"
    rows = [r.tolist() for r in result]
    if all(r == rows[0] for r in rows):
        return "equal"
    return "different" if all(a != b for i, a in enumerate(rows) for b in rows[:i]) else "some equal"
