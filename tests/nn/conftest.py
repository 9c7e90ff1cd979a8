"""What the tests of nn share."""

import pytest

import functorch_lite as torch


@pytest.fixture
def draws_as_torch_does():
    """Random numbers come from PyTorch's own generator while a test runs."""
    generator = torch.random.default_generator
    engine = generator.engine
    generator.use_engine("mt19937")
    yield
    generator.use_engine(engine)
