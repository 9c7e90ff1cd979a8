"""Modules whose parameters are computed: parametrize, prune, stateless."""

from __future__ import annotations

import importlib

from tests.nn.protocol import filled, program


def doubling(torch):
    """A parametrization that can be assigned to."""

    class Double(torch.nn.Module):
        def forward(self, x):
            return x * 2

        def right_inverse(self, x):
            return x / 2

    return Double()


def linear(torch):
    """A layer with known weights."""
    return filled(torch, torch.nn.Linear(2, 2, bias=False))


@program
def parametrizations(torch, log):
    p, module = torch.nn.utils.parametrize, linear(torch)
    log(p.is_parametrized(module), p.type_before_parametrizations(module).__name__)
    p.register_parametrization(module, "weight", doubling(torch))
    p.register_parametrization(module, "weight", torch.nn.Tanh())
    log(module, type(module).__name__, p.type_before_parametrizations(module).__name__)
    log(p.is_parametrized(module), p.is_parametrized(module, "weight"), p.is_parametrized(module, "bias"))
    kept = module.parametrizations.weight
    log(
        type(kept).__name__,
        len(kept),
        kept.original,
        kept.is_tensor,
        list(module.state_dict()),
        module.weight,
    )
    log.attempt(lambda: setattr(module, "weight", torch.ones(2, 2)))
    other = torch.nn.Linear(2, 2, bias=False)
    log(p.transfer_parametrizations_and_params(module, other), other.weight, list(other.state_dict()))
    log(p.remove_parametrizations(module, "weight", leave_parametrized=False), module.weight)
    log(p.remove_parametrizations(other, "weight"), type(other.weight).__name__, list(other.state_dict()))
    log.attempts(
        lambda: p.remove_parametrizations(other, "weight"),
        lambda: p.register_parametrization(other, "nothing", doubling(torch)),
        lambda: p.register_parametrization(other, "weight", torch.nn.Flatten(0)),
        lambda: p.register_parametrization(other, "weight", torch.nn.Flatten(0), unsafe=True).weight,
        lambda: p.transfer_parametrizations_and_params(torch.nn.ReLU(), other),
    )


@program
def cached(torch, log):
    p, module = torch.nn.utils.parametrize, linear(torch)
    calls = []

    class Counts(torch.nn.Module):
        def forward(self, x):
            calls.append(1)
            return x + 1

    p.register_parametrization(module, "weight", Counts())
    calls.clear()
    log(module.weight is module.weight, len(calls))
    with p.cached():
        first = module.weight
        with p.cached():
            log(module.weight is first, len(calls))
        log(module.weight is first, module(torch.ones(1, 2)), len(calls))
    log(module.weight is first, len(calls))
    with p.cached():
        log(module.weight is first, len(calls))


@program
def pruning(torch, log):
    prune, module = importlib.import_module(f"{torch.__name__}.nn.utils.prune"), linear(torch)
    log(
        prune.l1_unstructured(module, "weight", 1),
        module.weight,
        module.weight_mask,
        list(module.state_dict()),
    )
    prune.ln_structured(module, "weight", 0.5, n=2, dim=0)
    (hook,) = module._forward_pre_hooks.values()
    log(
        type(hook).__name__,
        len(hook),
        [type(h).__name__ for h in hook],
        hook._tensor_name,
        module.weight_mask,
    )
    log(
        prune.is_pruned(module),
        prune.is_pruned(torch.nn.Sequential(module)),
        prune.is_pruned(torch.nn.ReLU()),
    )
    log(
        prune.remove(module, "weight"),
        type(module.weight).__name__,
        prune.is_pruned(module),
        list(module.state_dict()),
    )
    mask = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    log(prune.custom_from_mask(module, "weight", mask).weight)
    log(prune.CustomFromMask(mask).prune(torch.ones(2, 2)))
    log(
        prune.L1Unstructured(0.5).compute_mask(torch.arange(4.0), torch.ones(4)),
        prune.Identity().compute_mask(mask, mask),
    )
    log(prune.LnStructured(1, 1, 0).prune(torch.arange(4.0).reshape(2, 2)))
    for kind in (prune.RandomUnstructured(0.5), prune.RandomStructured(1, 0)):
        log(kind.compute_mask(torch.ones(4, 2), torch.ones(4, 2)).sum())
    pair = [(linear(torch), "weight"), (torch.nn.Sequential(linear(torch))[0], "weight")]
    prune.global_unstructured(pair, pruning_method=prune.L1Unstructured, amount=4)
    log([m.weight_mask for m, _ in pair])
    log.attempts(
        lambda: prune.remove(torch.nn.ReLU(), "weight"),
        lambda: prune.l1_unstructured(linear(torch), "weight", 2.5),
        lambda: prune.l1_unstructured(linear(torch), "weight", 7),
        lambda: prune.ln_structured(linear(torch), "weight", 1, n=2, dim=4),
        lambda: prune.RandomStructured(-1),
        lambda: prune.BasePruningMethod(),
        lambda: prune.global_unstructured(pair, pruning_method=prune.LnStructured, amount=1),
    )


@program
def stateless(torch, log):
    call = importlib.import_module(f"{torch.__name__}.nn.utils.stateless").functional_call
    module = torch.nn.Sequential(linear(torch), torch.nn.BatchNorm1d(2))
    x, weight = torch.ones(2, 2), torch.zeros(2, 2)
    log.attempt(lambda: call(module, {"0.weight": weight}, x))
    log(module[0].weight)
    shared = torch.nn.Sequential(linear(torch), torch.nn.Linear(2, 2, bias=False))
    shared[1].weight = shared[0].weight
    log.attempts(
        lambda: call(shared, {"0.weight": weight + 1}, x),
        lambda: call(shared, {"0.weight": weight + 1}, x, tie_weights=False),
        lambda: call(shared, {"0.weight": weight, "1.weight": weight + 1}, (x,)),
        lambda: call(module, {"0.weight": weight}, (x,), strict=True),
        lambda: call(module, {"nothing": weight}, (x,), strict=True),
        lambda: call(module, {"0.weight": weight}, kwargs={"input": x}),
    )
    log(module[1].num_batches_tracked)
