"""autograd.graph, anomaly mode and gradcheck side by side with PyTorch: what is called when, names, messages."""

from __future__ import annotations

import re
import warnings

import pytest

import functorch_lite as ours

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity


def leaf(lib, *values, dtype="float32"):
    return lib.tensor(values, dtype=getattr(lib, dtype), requires_grad=True)


def saved(lib):
    """Calls of pack and unpack, with and without create_graph."""
    x, w, log = leaf(lib, 1.0, 2.0), leaf(lib, 3.0, 4.0), []

    def pack(t):
        log.append(("pack", tuple(t.shape), t.requires_grad, lib.is_grad_enabled()))
        return t

    def unpack(t):
        log.append(("unpack", lib.is_grad_enabled()))
        return t

    for create_graph in (False, True):
        with lib.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = (x * w).sin().sum()
        lib.autograd.grad(y, x, create_graph=create_graph)
    return log


def nodes(lib):
    """Order and arguments of hooks on nodes."""
    x, w, log = leaf(lib, 1.0, 2.0), leaf(lib, 3.0, 4.0), []
    y = x * w
    fn = y.grad_fn
    fn.register_prehook(lambda gs: (log.append(("pre", gs[0].tolist())), (gs[0] * 2,))[1])
    fn.register_hook(lambda gi, go: log.append(("post", [g.tolist() for g in gi], go[0].tolist())))
    accumulate = fn.next_functions[0][0]
    accumulate.register_hook(lambda gi, go: log.append(("accumulated", gi, go[0].tolist())))
    accumulate.register_prehook(lambda gs: log.append(("before", gs[0].tolist())))
    seen = [accumulate.variable is x, fn.metadata, len(fn.next_functions)]
    y.sum().backward()
    return [*log, x.grad.tolist(), *seen]


def several(lib):
    """Hooks on several gradients."""
    log = []
    for mode in ("all", "any"):
        a, b, c, d = (leaf(lib, 1.0, 2.0) for _ in range(4))

        def fn(given):
            many = isinstance(given, tuple | list)
            log.append([None if g is None else g.tolist() for g in given] if many else "one")

        lib.autograd.graph.register_multi_grad_hook((a, b, c, d), fn, mode=mode)
        (a * b + c).sum().backward()
        (c * b).sum().backward()
    return log


def edges(lib):
    """Gradients at places of the graph."""
    x, w = leaf(lib, 1.0, 2.0), leaf(lib, 3.0, 4.0)
    at = lib.autograd.graph.get_gradient_edge
    middle = x * w
    out = [
        lib.autograd.grad((x * w).sum(), at(x))[0].tolist(),
        lib.autograd.grad(at((x * w).sum()), x)[0].tolist(),
        lib.autograd.grad((middle * middle).sum(), at(middle))[0].tolist(),
    ]
    (x * w).sum().backward(inputs=[at(x)])
    return [*out, x.grad.tolist(), w.grad, at(x).output_nr, at(middle).node.name()]


def batched(lib):
    """is_grads_batched."""
    x, w = leaf(lib, 1.0, 2.0), leaf(lib, 3.0, 4.0)
    y = x * w * w
    cts = lib.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    found = lib.autograd.grad(y, (x, w), cts, is_grads_batched=True)
    return [g.tolist() for g in found]


@pytest.mark.parametrize("program", [saved, nodes, several, edges, batched])
def test_program(program):
    assert program(ours) == program(torch)


UNARY = "neg exp log sqrt sin sigmoid tanh relu abs cumsum prod clone softmax sum mean t view unsqueeze permute".split()


def test_names_of_nodes():
    def names(lib):
        x = lib.ones(2, 2, requires_grad=True)
        given = {"cumsum": (0,), "softmax": (0,), "view": (4,), "unsqueeze": (0,), "permute": (1, 0)}
        found = [getattr(x, n)(*given.get(n, ())).grad_fn.name() for n in UNARY]
        binary = [
            x + x,
            x - x,
            x * x,
            x / x,
            x**2,
            lib.cat([x, x]),
            lib.stack([x, x]),
            lib.where(x > 0, x, x),
            x[0],
            x[:1],
        ]
        return found + [type(b.grad_fn).__name__ for b in binary]

    assert names(ours) == names(torch)


def test_anomaly_mode():
    def run(lib):
        x = leaf(lib, 0.0, 4.0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with lib.autograd.detect_anomaly(), pytest.raises(RuntimeError) as error:
                (x.sqrt() * 0).sum().backward()
        return str(error.value), [str(w.message).split("\n")[0] for w in caught]

    assert run(ours) == run(torch)


def wrong(x):
    y = x * x
    y.register_hook(lambda g: g * 1.5)
    return y


CHECKS = {
    "wrong": lambda lib, check: check(wrong, leaf(lib, 0.5, 1.5, dtype="float64")),
    "wrong complex": lambda lib, check: check(wrong, leaf(lib, 0.5 + 1j, dtype="complex128")),
    "nothing": lambda lib, check: check(lib.sin, lib.ones(2)),
    "constant": lambda lib, check: check(lambda x: x.detach(), leaf(lib, 0.5, dtype="float64")),
    "single": lambda lib, check: check(lambda x: x * 2, leaf(lib, 0.5), eps=0.5),
    "overlapping": lambda lib, check: check(lib.sin, leaf(lib, 0.5, dtype="float64").expand(2)),
    "neither": lambda lib, check: check(lib.sin, leaf(lib, 0.5, dtype="float64"), check_backward_ad=False),
    "right": lambda lib, check: check(lib.sin, leaf(lib, 0.5, dtype="float64"), raise_exception=False),
}


@pytest.mark.parametrize("name", CHECKS)
def test_gradcheck(name):
    def run(lib):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                out = CHECKS[name](lib, lib.autograd.gradcheck)
            except Exception as error:
                out = type(error).__name__, re.sub(r"\s+", " ", str(error))
        return out, [str(w.message) for w in caught]

    assert run(ours) == run(torch)
