"""Values that are known without computing: what `at_hand` says of a view is what the view holds."""

import random

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.api import OPS
from functorch_lite._core.lazy import known


def _bits(t, dtype):
    if not t.is_contiguous():
        raise ValueError("NumPy reads bits in their order alone")
    return t.view(dtype)


VIEWS = {
    "_view_dtype": lambda rng, t: _bits(t, rng.choice((torch.int32, torch.float32, torch.int64))),
    "alias": lambda rng, t: t[...],
    "broadcast_to": lambda rng, t: torch.broadcast_to(t, (2, *t.shape)),
    "diagonal": lambda rng, t: t.diagonal(rng.choice((-1, 0, 1)), *rng.sample(range(t.ndim), 2)),
    "expand": lambda rng, t: t.expand(3, *(-1 for _ in t.shape)),
    "flatten": lambda rng, t: t.flatten(*sorted(rng.choices(range(t.ndim), k=2))),
    "moveaxis": lambda rng, t: t.moveaxis(rng.randrange(t.ndim), rng.randrange(-t.ndim, t.ndim)),
    "movedim": lambda rng, t: t.movedim((0, 1), (-1, 0)),
    "narrow": lambda rng, t: t.narrow(rng.randrange(t.ndim), 0, 1),
    "permute": lambda rng, t: t.permute(rng.sample(range(t.ndim), t.ndim)),
    "ravel": lambda rng, t: t.ravel(),
    "reshape": lambda rng, t: t.reshape(-1, rng.choice((1, t.numel() or 1))),
    "select": lambda rng, t: t.select(rng.randrange(t.ndim), 0),
    "slice": lambda rng, t: t[(slice(None),) * rng.randrange(t.ndim) + (slice(rng.randrange(2), None, 2),)],
    "squeeze": lambda rng, t: t.squeeze(*rng.choice(((), (0,), (-1,), ((0, -1),)))),
    "swapaxes": lambda rng, t: t.swapaxes(rng.randrange(t.ndim), -1),
    "swapdims": lambda rng, t: t.swapdims(0, rng.randrange(t.ndim)),
    "t": lambda rng, t: t.t(),
    "transpose": lambda rng, t: t.transpose(rng.randrange(t.ndim), rng.randrange(t.ndim)),
    "unflatten": lambda rng, t: t.unflatten(rng.randrange(t.ndim), (1, -1)),
    "unfold": lambda rng, t: t.unfold(rng.randrange(t.ndim), 2, rng.choice((1, 2))),
    "unsqueeze": lambda rng, t: t.unsqueeze(rng.randrange(-t.ndim - 1, t.ndim + 1)),
    "view": lambda rng, t: t.view(*t.shape[:-1], 1, -1),
}


def test_every_view_that_is_followed_is_tried():
    assert {name for name, op in OPS.items() if op.on_host is not None or op.window} == set(VIEWS)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_at_hand_is_what_the_view_holds(seed):
    rng = random.Random(seed)
    seen = set()
    for _ in range(40):
        t = root = torch.tensor(np.arange(24).reshape(2, 3, 4))
        for _ in range(rng.randrange(1, 5)):
            name = rng.choice(sorted(VIEWS))
            try:
                t = VIEWS[name](rng, t)
            except (RuntimeError, IndexError, ValueError):
                continue  # no such view of this shape
            if t._cell is not root._cell:
                break  # a copy
            seen.add(name)
            values = known.at_hand(t)
            assert values is not None, f"{name}, to {tuple(t.shape)}: not followed"
            assert values.shape == tuple(t.shape), f"{name}: {values.shape}, expected {tuple(t.shape)}"
            np.testing.assert_array_equal(values, t.clone().numpy(), name)
    assert len(seen) > 15


def test_what_is_computed_is_not_waited_for():
    assert known.at_hand(torch.arange(4) + 1) is None
    assert known.at_hand((torch.arange(4) + 1)[::2]) is None


def test_values_stay_known_when_a_program_has_used_them():
    index = torch.tensor([0, 1, 7])
    assert (index + 1).sum().item() == 11
    np.testing.assert_array_equal(known.at_hand(index[1:]), [1, 7])
    with pytest.raises(RuntimeError, match="index 7 is out of bounds for dimension 0 with size 4"):
        torch.ones(4).gather(0, index)
    with pytest.raises(IndexError, match="Target 7 is out of bounds"):
        torch.nn.functional.nll_loss(torch.zeros(3, 4), index)
