"""The recorded facts of distributions are still what PyTorch tells; errors and transforms, side by side."""

from __future__ import annotations

import json

import numpy as np
import pytest

import functorch_lite as ours
from tests.distributions.test_facts import GOLDEN

pytestmark = pytest.mark.parity
torch = pytest.importorskip("torch")


def test_the_golden_file_is_current():
    from tests.golden.make_distributions import record

    now = json.loads(json.dumps(record()))
    assert now.keys() == GOLDEN.keys()
    for part in now:
        assert list(now[part]) == list(GOLDEN[part])
        for name, facts in now[part].items():
            assert facts.keys() == GOLDEN[part][name].keys(), name
            for key, value in facts.items():
                old = GOLDEN[part][name][key]
                if isinstance(value, str | bool):
                    assert value == old, (name, key)
                else:
                    np.testing.assert_allclose(
                        np.array(value, float),
                        np.array(old, float),
                        rtol=1e-6,
                        atol=1e-9,
                        err_msg=f"{name} {key}",
                    )


ERRORS = [
    "D.Normal(torch.tensor([0., 1.]), torch.tensor([-1., 1.]))",
    "D.Normal(0., 1.).log_prob(2)",
    "D.Normal(0., 1.).log_prob(torch.tensor(float('nan')))",
    "D.Normal(torch.zeros(3), 1.).log_prob(torch.zeros(2))",
    "D.Normal('a', 1.)",
    "D.MultivariateNormal(torch.zeros(3), torch.eye(3)).log_prob(torch.tensor(1.))",
    "D.MultivariateNormal(torch.zeros(()), torch.eye(3))",
    "D.MultivariateNormal(torch.zeros(3), torch.eye(3), torch.eye(3))",
    "D.MultivariateNormal(torch.zeros(3), torch.ones(3))",
    "D.MultivariateNormal(torch.zeros(3), precision_matrix=torch.ones(3))",
    "D.MultivariateNormal(torch.zeros(3), scale_tril=torch.ones(3))",
    "D.MultivariateNormal(torch.zeros(3), torch.ones(3, 3))",
    "D.Bernoulli(probs=torch.tensor(.5), logits=torch.tensor(1.))",
    "D.Categorical()",
    "D.Categorical(probs=torch.tensor(.5))",
    "D.Geometric(torch.tensor([0., 0.5]))",
    "D.Geometric(-1.)",
    "D.Uniform(1., 0.)",
    "D.Uniform(torch.tensor([1., 2.]), 0., validate_args=True)",
    "D.Uniform(0., 1.).log_prob(torch.tensor(2.))",
    "D.Dirichlet(torch.tensor(1.))",
    "D.Multinomial(torch.tensor(3), torch.ones(3))",
    "D.Multinomial(3, torch.ones(3)).log_prob(torch.ones(3) * 2)",
    "D.Binomial(torch.tensor([3., 4.]), torch.ones(2) / 2).enumerate_support()",
    "D.LowRankMultivariateNormal(torch.zeros(3), torch.ones(3), torch.ones(3))",
    "D.LowRankMultivariateNormal(torch.zeros(3), torch.ones(4, 1), torch.ones(3))",
    "D.LowRankMultivariateNormal(torch.zeros(3), torch.ones(3, 1), torch.ones(4))",
    "D.Wishart(torch.tensor(1.), torch.eye(2))",
    "D.Wishart(torch.tensor(1.), torch.ones(2))",
    "D.Wishart(torch.tensor(1.))",
    "D.LKJCholesky(1)",
    "D.Independent(D.Normal(torch.zeros(2), 1.), 2)",
    "D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Normal(torch.zeros(2), 1))",
    "D.MixtureSameFamily(D.Normal(0., 1.), D.Normal(torch.zeros(2), 1))",
    "D.MixtureSameFamily(D.Categorical(torch.ones(3)), 3)",
    "D.MixtureSameFamily(D.Categorical(torch.ones(2, 3)), D.Normal(torch.zeros(3, 3), 1))",
    "D.TransformedDistribution(D.Normal(0., 1.), 3)",
    "D.TransformedDistribution(D.Normal(0., 1.), [3])",
    "D.TransformedDistribution(D.Normal(0., 1.), [D.StickBreakingTransform()])",
    "D.kl_divergence(D.Normal(0., 1.), D.Bernoulli(.5))",
    "D.kl_divergence(D.Normal(0., 1.), D.Cauchy(0., 1.))",
    "D.biject_to(D.constraints.lower_cholesky)",
    "D.biject_to(3)",
    "D.transform_to(D.constraints.boolean)",
    "D.Transform(cache_size=2)",
    "D.ReshapeTransform((2,), (3,))",
    "D.StickBreakingTransform().forward_shape(())",
    "D.CorrCholeskyTransform()(torch.ones(2))",
    "D.CorrCholeskyTransform().inverse_shape((2, 3))",
    "D.Normal(torch.zeros(2), torch.ones(3))",
    "D.Normal(0., 1.).enumerate_support()",
    "D.Poisson(1.).rsample()",
    "D.Poisson(1.).entropy()",
    "D.LKJCholesky(3).mode",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", ERRORS)
def test_errors(source):
    said = []
    for lib in (torch, ours):
        with pytest.raises(Exception) as caught:
            eval(source, {"torch": lib, "D": lib.distributions})
        said.append((caught.type.__name__, str(caught.value).replace("functorch_lite", "torch")))
    if "mode" in source:
        said = [(kind, text.split("'")[0]) for kind, text in said]
    assert said[1] == said[0]


TRANSFORMS = [
    ("AbsTransform()", (3,)), ("AffineTransform(0.5, -2.0)", (3,)), ("AffineTransform(torch.tensor([1., 2.]), torch.tensor([2., 3.]), event_dim=1)", (3, 2)),
    ("ExpTransform()", (3,)), ("PowerTransform(torch.tensor(-1.5))", (3,)), ("SigmoidTransform()", (3,)), ("SoftplusTransform()", (3,)),
    ("TanhTransform()", (3,)), ("SoftmaxTransform()", (2, 3)), ("StickBreakingTransform()", (2, 3)), ("CorrCholeskyTransform()", (2, 6)),
    ("LowerCholeskyTransform()", (2, 3, 3)), ("PositiveDefiniteTransform()", (2, 3, 3)), ("ReshapeTransform((3, 2), (6,))", (2, 3, 2)),
    ("ExpTransform().inv", (3,)), ("IndependentTransform(ExpTransform(), 1)", (2, 3)),
    ("ComposeTransform([ExpTransform(), AffineTransform(1., 2.), PowerTransform(2.)])", (3,)),
    ("ComposeTransform([AffineTransform(1., 2.), StickBreakingTransform()])", (2, 3)),
    ("StackTransform([ExpTransform(), TanhTransform()], dim=1)", (3, 2)),
    ("CatTransform([ExpTransform(), TanhTransform()], dim=1, lengths=[1, 2])", (2, 3)),
    ("CumulativeDistributionTransform(Normal(0.5, 2.))", (3,)),
    ("transform_to(constraints.interval(-1., 2.))", (3,)), ("transform_to(constraints.less_than(2.))", (3,)),
    ("biject_to(constraints.positive)", (3,)), ("transform_to(constraints.independent(constraints.unit_interval, 1))", (2, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("source", "shape"), TRANSFORMS, ids=[s for s, _ in TRANSFORMS])
def test_transforms(source, shape):
    found = []
    x0 = np.random.default_rng(0).uniform(0.2, 0.9, shape)
    for lib in (torch, ours):
        t = eval(
            source, {**vars(lib.distributions), "torch": lib, "constraints": lib.distributions.constraints}
        )
        x = lib.tensor(x0).requires_grad_()
        y = t(x)
        back = t.inv(y)
        got = [repr(t), tuple(t.forward_shape(shape)), tuple(t.inverse_shape(y.shape)), t.bijective, y, back]
        total = (y * y).sum() + (back * back * back).sum()
        try:
            jacobian = t.log_abs_det_jacobian(x, y)
            got.append(jacobian)
            total = total + (jacobian * jacobian).sum()
        except NotImplementedError:
            got.append("no jacobian")
        got += lib.autograd.grad(total, [x])
        found.append([v.detach().numpy() if hasattr(v, "detach") else v for v in got])
    for a, b in zip(*found):
        if isinstance(a, np.ndarray):
            np.testing.assert_allclose(b, a, rtol=1e-6, atol=1e-8)
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
        else:
            assert a == b


CONSTRAINTS = ["boolean", "real", "positive", "nonnegative", "nonnegative_integer", "positive_integer", "unit_interval", "simplex",
               "lower_triangular", "lower_cholesky", "corr_cholesky", "square", "symmetric", "positive_semidefinite",
               "positive_definite", "one_hot", "real_vector", "integer_interval(0, 2)", "interval(-1, 0.5)", "half_open_interval(0, 1)",
               "greater_than(0.5)", "less_than(1)", "multinomial(2)", "independent(positive, 1)", "cat([real, positive], -1, [1, 1])",
               "stack([real, positive], -1)"]  # fmt: skip


@pytest.mark.parametrize("source", CONSTRAINTS)
def test_constraints(source):
    """On tensors, and (for the checks of arguments) on numpy arrays."""
    matrices = [
        [[1.0, 0.0], [0.6, 0.8]],
        [[2.0, 0.5], [0.5, 1.0]],
        [[0.0, 1.0], [1.0, 0.0]],
        [[0.3, 0.7], [1.0, float("nan")]],
    ]
    value = np.array(matrices)
    if source.startswith(("cat", "stack")):
        value = value[:3]
    expected = eval(source, vars(torch.distributions.constraints)).check(torch.tensor(value)).numpy()
    mine = eval(source, vars(ours.distributions.constraints))
    np.testing.assert_array_equal(mine.check(ours.tensor(value)).numpy(), expected)
    np.testing.assert_array_equal(mine.check(value), expected)
    assert repr(mine) == repr(eval(source, vars(torch.distributions.constraints)))
