"""torch.accelerator: what it says where JAX has no GPU or TPU, and where it has one."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from tests.device_programs import PROGRAMS, outcome

accelerator = torch.accelerator
has_one = pytest.mark.skipif(not accelerator.is_available(), reason="needs a GPU or TPU")
has_none = pytest.mark.skipif(accelerator.is_available(), reason="needs that there is no GPU or TPU")


@has_none
def test_without_one():
    assert accelerator.current_accelerator() is None and accelerator.device_count() == 0
    accelerator.set_device_index(-1)
    with accelerator.device_index(None):
        pass
    for ask in ("synchronize", "current_device_index", "current_stream", "memory_stats", "empty_cache"):
        with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is available"):
            getattr(accelerator, ask)()
    with pytest.raises(TypeError, match=r"must be torch\.Stream"):
        accelerator.set_stream(0)


@has_one
def test_with_one():
    where = accelerator.current_accelerator()
    x = torch.ones(3, device=where)
    assert x.device.type == where.type and accelerator.device_count() > 0
    accelerator.synchronize()
    with accelerator.device_index(0):
        assert accelerator.current_device_index() == 0
    assert accelerator.current_stream().device.type == where.type


@has_one
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_what_it_gives_on_the_cpu(name):
    where = torch.ones(1, device=accelerator.current_accelerator()).device
    there, here = outcome(name, where), outcome(name, torch.device("cpu"))
    np.testing.assert_allclose(there, here, rtol=1e-4, atol=1e-5)


def test_the_usual_line():
    device = accelerator.current_accelerator().type if accelerator.is_available() else "cpu"
    assert torch.nn.Linear(2, 2).to(device)(torch.ones(1, 2, device=device)).shape == (1, 2)
