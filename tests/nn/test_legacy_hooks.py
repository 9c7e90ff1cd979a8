"""register_backward_hook: it is called with what the tape gives.
(What is as in PyTorch: `protocol/legacy_hooks.py`.)"""

from __future__ import annotations

import gc
import weakref

import pytest

import functorch_lite as ours


def test_a_hook_makes_no_cycle():
    module = ours.nn.Linear(2, 2)
    module.register_backward_hook(lambda m, gi, go: None)
    gc.collect()
    gc.disable()
    try:
        out = module(ours.ones(1, 2))
        node = weakref.ref(out.grad_fn._node)
        out.tolist()  # a recording lets go of its tape when it is flushed
        del out
        assert node() is None
        gone = weakref.ref(module)
        del module
        assert gone() is None
    finally:
        gc.enable()


def test_a_linear_layer_gives_its_inputs_in_their_order():
    module, seen = ours.nn.Linear(3, 2), []
    with pytest.warns(FutureWarning, match="of nn.Linear: input, weight, bias"):
        module.register_backward_hook(lambda m, gi, go: seen.extend([gi, go]))
    x = ours.ones(1, 3, requires_grad=True)
    module(x).sum().backward()
    (of_input, of_weight, of_bias), (of_output,) = seen
    assert of_output.tolist() == [[1.0, 1.0]]
    assert of_input.equal(x.grad) and of_weight.equal(module.weight.grad) and of_bias.equal(module.bias.grad)


def test_it_sees_what_a_hook_of_the_node_sees():
    """Of an op that PyTorch has no node of too."""
    module, seen = ours.nn.GRUCell(1, 2), []
    with pytest.warns(FutureWarning, match="register_full_backward_hook"):
        module.register_backward_hook(lambda m, gi, go: seen.append(gi))
    out = module(ours.ones(1, 1, requires_grad=True))
    out.grad_fn.register_hook(lambda gi, go: seen.append(gi))
    out.sum().backward()
    assert len(seen) == 2 and all(a.equal(b) for a, b in zip([g for g in seen[0] if g is not None], seen[1]))
