"""Calls of torch.func that are wrong, or nearly: `cases(torch)` gives them by name, for either library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def functions(torch: Any, x: Any, add: Callable) -> None:
    """Cases of autograd.Function inside vmap; `rule` is its vmap staticmethod."""

    def function(rule: Callable | None = None, generate: bool = False, setup: bool = True) -> Any:
        def with_ctx(ctx, a):
            return a * 2

        body: dict[str, Any] = {
            "forward": staticmethod((lambda a: a * 2) if setup else with_ctx),
            "backward": staticmethod(lambda ctx, g: g * 2),
            "generate_vmap_rule": generate,
        }
        if setup:
            body["setup_context"] = staticmethod(lambda ctx, inputs, output: None)
        if rule is not None:
            body["vmap"] = staticmethod(rule)
        return type("Double", (torch.autograd.Function,), body)

    def mapped(*args, **kwargs):
        return lambda: torch.func.vmap(function(*args, **kwargs).apply)(x)

    add("Function rule gives a tensor", mapped(lambda info, dims, a: a))
    add("Function rule gives three", mapped(lambda info, dims, a: (a, 0, 0)))
    add("Function rule's out_dims", mapped(lambda info, dims, a: (a, (0, 0))))
    add("Function rule gives a tuple", mapped(lambda info, dims, a: (a * 2, 0)))
    add("Function with a rule and generate_vmap_rule", mapped(lambda info, dims, a: (a, 0), generate=True))
    add("Function with generate_vmap_rule", mapped(generate=True))
    add("Function without a rule", mapped())
    add("Function without setup_context", mapped(setup=False))
    add(
        "Function without setup_context in grad",
        lambda: torch.func.grad(lambda a: function(setup=False).apply(a).sum())(x),
    )


def cases(torch: Any) -> dict[str, Callable]:
    """Every case as a function of no arguments."""
    F = torch.func
    x = torch.ones(3)
    y = torch.ones(3)
    s = torch.ones(())
    i = torch.ones(3, dtype=torch.long)
    m = torch.nn.Linear(3, 3)
    m.weight.data.fill_(0.5)
    m.bias.data.fill_(1.0)
    c = torch.ones(3, dtype=torch.complex64)

    def sq(x):
        return (x * x).sum()

    def named(x):
        return x * 2

    C: dict[str, Callable] = {}

    def add(n, f):
        C[n] = f

    add("grad nonscalar", lambda: F.grad(lambda x: x)(x))
    add("grad nontensor out", lambda: F.grad(lambda x: (x.sum(),))(x))
    add("grad none out", lambda: F.grad(lambda x: None)(x))
    add("grad int input", lambda: F.grad(sq)(i))
    add("grad nontensor input", lambda: F.grad(lambda x: x)(1.0))
    add("grad dict nontensor", lambda: F.grad(lambda d: d["a"].sum())({"a": x, "k": 3}))
    add("grad argnum range", lambda: F.grad(sq, argnums=2)(x))
    add("grad argnum neg range", lambda: F.grad(sq, argnums=-3)(x))
    add("grad argnum empty", lambda: F.grad(sq, argnums=())(x))
    add("grad argnum dup", lambda: F.grad(lambda x, y: (x * y).sum(), argnums=(0, 0))(x, y))
    add("grad argnum dup neg", lambda: F.grad(lambda x, y: (x * y).sum(), argnums=(0, -2))(x, y))
    add("grad argnum type", lambda: F.grad(sq, argnums="a")(x))
    add("grad argnum list", lambda: F.grad(sq, argnums=[0])(x))
    add("grad argnum float", lambda: F.grad(sq, argnums=(0, 1.0))(x, x))
    add("grad no args", lambda: F.grad(lambda: s)())
    add("grad aux not tuple", lambda: F.grad(sq, has_aux=True)(x))
    add("grad aux triple", lambda: F.grad(lambda x: (x.sum(), x, x), has_aux=True)(x))
    add("grad int out", lambda: F.grad(lambda x: x.sum().long())(x))
    add("grad complex out", lambda: F.grad(lambda x: x.sum())(c))
    add("gav nonscalar", lambda: F.grad_and_value(lambda x: x)(x))
    add("gav aux", lambda: F.grad_and_value(sq, has_aux=True)(x))
    add("vjp nontensor", lambda: F.vjp(sq, 1.0))
    add("vjp empty out", lambda: F.vjp(lambda x: (), x))
    add("vjp nontensor out", lambda: F.vjp(lambda x: 3, x))
    add("vjp nontensor out tuple", lambda: F.vjp(lambda x: (x, 3), x))
    add("vjp aux", lambda: F.vjp(sq, x, has_aux=True))
    add("vjp ct structure", lambda: F.vjp(lambda x: (x, x * 2), x)[1](x))
    add("vjp ct structure2", lambda: F.vjp(lambda x: x * 2, x)[1]((x,)))
    add("vjp ct shape", lambda: F.vjp(lambda x: x * 2, x)[1](torch.ones(2)))
    add("vjp ct dtype", lambda: F.vjp(lambda x: x * 2, x)[1](torch.ones(3, dtype=torch.float64)))
    add("vjp ct nontensor", lambda: F.vjp(lambda x: x * 2, x)[1](2.0))
    add("vjp int", lambda: F.vjp(lambda x: x * 2, i))
    add("vjp int out", lambda: F.vjp(lambda x: x.long(), x))
    add("vjp no primals", lambda: F.vjp(lambda: x))
    add("jvp list", lambda: F.jvp(sq, [x], [x]))
    add("jvp primals tensor", lambda: F.jvp(sq, x, x))
    add("jvp tangents list", lambda: F.jvp(sq, (x,), [x]))
    add("jvp structure", lambda: F.jvp(sq, (x,), (x, x)))
    add("jvp empty", lambda: F.jvp(lambda: x, (), ()))
    add("jvp nontensor", lambda: F.jvp(sq, (1.0,), (1.0,)))
    add("jvp nontensor tangent", lambda: F.jvp(sq, (x,), (1.0,)))
    add("jvp shape", lambda: F.jvp(sq, (x,), (torch.ones(2),)))
    add("jvp dtype", lambda: F.jvp(sq, (x,), (torch.ones(3, dtype=torch.float64),)))
    add("jvp aux", lambda: F.jvp(sq, (x,), (x,), has_aux=True))
    add("jvp nontensor out", lambda: F.jvp(lambda x: 3, (x,), (x,)))
    add("jvp strict", lambda: F.jvp(lambda x: y * 1, (x,), (x,), strict=True))
    add("jvp strict const", lambda: F.jvp(lambda x: y * 1, (x,), (x,), strict=False))
    add("jvp int", lambda: F.jvp(lambda x: x * 2, (i,), (i,)))
    add("jacrev nontensor", lambda: F.jacrev(lambda x: 3)(x))
    add("jacrev int in", lambda: F.jacrev(lambda x: x * 2)(i))
    add("jacrev argnum", lambda: F.jacrev(lambda x: x * 2, argnums=1)(x))
    add("jacrev aux", lambda: F.jacrev(lambda x: x * 2, has_aux=True)(x))
    add("jacrev chunk 0", lambda: F.jacrev(lambda x: x * 2, chunk_size=0)(x))
    add("jacrev chunk -1", lambda: F.jacrev(lambda x: x * 2, chunk_size=-1)(x))
    add("jacrev complex", lambda: F.jacrev(lambda x: x * 2)(c))
    add("jacrev int out", lambda: F.jacrev(lambda x: x.long())(x))
    add("jacrev empty", lambda: F.jacrev(lambda x: ())(x))
    add("jacfwd nontensor", lambda: F.jacfwd(lambda x: 3)(x))
    add("jacfwd int in", lambda: F.jacfwd(lambda x: x * 2)(i))
    add("jacfwd argnum", lambda: F.jacfwd(lambda x: x * 2, argnums=1)(x))
    add("jacfwd aux", lambda: F.jacfwd(lambda x: x * 2, has_aux=True)(x))
    add("jacfwd chunk 0", lambda: F.jacfwd(lambda x: x * 2, chunk_size=0)(x))
    add("jacfwd randomness", lambda: F.jacfwd(lambda x: x * 2, randomness="a")(x))
    add("jacfwd rand error", lambda: F.jacfwd(lambda x: x * torch.rand(3))(x))
    add("jacfwd complex", lambda: F.jacfwd(lambda x: x * 2)(c))
    add("jacfwd int out", lambda: F.jacfwd(lambda x: x.long())(x))
    add("hessian argnum", lambda: F.hessian(sq, argnums=3)(x))
    add("linearize nontensor", lambda: F.linearize(sq, 1.0))
    add("linearize structure", lambda: F.linearize(lambda x: x * 2, x)[1](x, x))
    add("linearize shape", lambda: F.linearize(lambda x: x * 2, x)[1](torch.ones(2)))
    add("linearize dtype", lambda: F.linearize(lambda x: x * 2, x)[1](torch.ones(3, dtype=torch.float64)))
    add("vmap no args", lambda: F.vmap(named)())
    add("vmap in_dims type", lambda: F.vmap(named, in_dims="a")(x))
    add("vmap in_dims list", lambda: F.vmap(named, in_dims=[0])(x))
    add("vmap in_dims long", lambda: F.vmap(named, in_dims=(0, 0))(x))
    add("vmap in_dims struct", lambda: F.vmap(named, in_dims=((0, 0),))(x))
    add("vmap in_dim float", lambda: F.vmap(named, in_dims=(0.5,))(x))
    add("vmap in_dim nontensor", lambda: F.vmap(lambda x, k: x * k, in_dims=0)(x, 3))
    add("vmap in_dim range", lambda: F.vmap(named, in_dims=1)(x))
    add("vmap in_dim neg range", lambda: F.vmap(named, in_dims=-2)(x))
    add("vmap scalar", lambda: F.vmap(named)(s))
    add("vmap sizes", lambda: F.vmap(lambda x, y: x + y)(x, torch.ones(2)))
    add("vmap none mapped", lambda: F.vmap(named, in_dims=(None,))(x))
    add("vmap none", lambda: F.vmap(named, in_dims=None)(x))
    add("vmap nontensor out", lambda: F.vmap(lambda x: 3)(x))
    add("vmap nontensor out dict", lambda: F.vmap(lambda x: {"a": x, "b": "c"})(x))
    add("vmap none out", lambda: F.vmap(lambda x: None)(x))
    add("vmap out_dims struct", lambda: F.vmap(lambda x: (x, x), out_dims=(0, 0, 0))(x))
    add("vmap out_dims single tuple", lambda: F.vmap(lambda x: x, out_dims=(0,))(x))
    add("vmap out_dims tuple", lambda: F.vmap(named, out_dims=(0, 0))(x))
    add("vmap out_dim range", lambda: F.vmap(named, out_dims=1)(x))
    add("vmap out_dim neg range", lambda: F.vmap(named, out_dims=-2)(x))
    add("vmap out_dims type", lambda: F.vmap(named, out_dims="a")(x))
    add("vmap out_dims float", lambda: F.vmap(named, out_dims=0.5)(x))
    add("vmap out_dims None batched", lambda: F.vmap(named, out_dims=None)(x))
    add("vmap out_dims None unbatched", lambda: F.vmap(lambda x: y * 2, out_dims=None)(x))
    add("vmap randomness", lambda: F.vmap(named, randomness="a")(x))
    add("vmap random error", lambda: F.vmap(lambda x: x + torch.rand(()))(x))
    add("vmap dropout error", lambda: F.vmap(lambda x: torch.nn.functional.dropout(x))(torch.ones(2, 3)))
    add("vmap chunk 0", lambda: F.vmap(named, chunk_size=0)(x))
    add("vmap chunk -2", lambda: F.vmap(named, chunk_size=-2)(x))
    add("vmap empty", lambda: F.vmap(named)(torch.ones(0)))
    add("vmap leaf write", lambda: F.vmap(lambda x: x.add_(1))(torch.ones(3, requires_grad=True)))
    add("vmap captured write", lambda: F.vmap(lambda x: y.add_(x))(torch.ones(2, 3)))
    add("vmap item", lambda: F.vmap(lambda x: x.item())(x))
    add("vmap if", lambda: F.vmap(lambda x: x if x > 0 else -x)(x))
    add("vmap nonzero", lambda: F.vmap(lambda x: torch.nonzero(x))(torch.ones(2, 3)))
    add("grad leaf write", lambda: F.grad(lambda x: x.add_(1).sum())(torch.ones(3)))
    add("vjp leaf write", lambda: F.vjp(lambda x: x.add_(1).sum(), torch.ones(3)))
    add("grad captured write", lambda: F.grad(lambda x: (y.add_(x)).sum())(x))
    add("jvp captured write", lambda: F.jvp(lambda x: (y.add_(x)).sum(), (x,), (x,)))
    add("fc no dict", lambda: F.functional_call(m, 3, (x,)))
    add("fc dicts", lambda: F.functional_call(m, [3], (x,)))
    add("fc dup", lambda: F.functional_call(m, ({"weight": x}, {"weight": x}), (x,)))
    add("fc unknown", lambda: F.functional_call(m, {"foo": x}, (x,)))
    add(
        "fc unknown sub",
        lambda: F.functional_call(torch.nn.Sequential(m), {"0.foo": x}, (x,)),
    )
    add("fc unknown mod", lambda: F.functional_call(m, {"foo.bar": x}, (x,)))
    add("fc strict missing", lambda: F.functional_call(m, {"weight": torch.ones(3, 3)}, (x,), strict=True))
    add(
        "fc strict unexpected",
        lambda: F.functional_call(m, {"weight": torch.ones(3, 3), "bias": x, "zz": x}, (x,), strict=True),
    )
    add(
        "fc strict both",
        lambda: F.functional_call(m, {"weight": torch.ones(3, 3), "zz": x}, (x,), strict=True),
    )
    add("fc non tensor", lambda: F.functional_call(m, {"weight": 3}, (x,)))
    add("fc method name", lambda: F.functional_call(m, {"forward": x}, (x,)))
    add("fc not module", lambda: F.functional_call(3, {"weight": x}, (x,)))

    def tied():
        t = torch.nn.Module()
        t.a = torch.nn.Parameter(torch.ones(3))
        t.b = t.a
        t.forward = lambda x: x * t.a + t.b
        return t

    add("fc tied both", lambda: F.functional_call(tied(), {"a": x, "b": x * 2}, (x,)))
    add("fc tied one", lambda: F.functional_call(tied(), {"a": x * 3}, (x,)))
    add("fc tied one b", lambda: F.functional_call(tied(), {"b": x * 3}, (x,)))
    add("fc tied one off", lambda: F.functional_call(tied(), {"a": x * 3}, (x,), tie_weights=False))
    add(
        "fc tied both off",
        lambda: F.functional_call(tied(), {"a": x * 3, "b": x * 5}, (x,), tie_weights=False),
    )
    add("fc tied strict", lambda: F.functional_call(tied(), {"a": x * 3}, (x,), strict=True))
    add(
        "fc tied strict off",
        lambda: F.functional_call(tied(), {"a": x * 3}, (x,), strict=True, tie_weights=False),
    )
    add("fc kwargs", lambda: F.functional_call(m, {}, kwargs={"input": x}))
    add("sms empty", lambda: F.stack_module_state([]))
    add("sms mode", lambda: F.stack_module_state([torch.nn.Linear(2, 2), torch.nn.Linear(2, 2).eval()]))
    add("sms class", lambda: F.stack_module_state([torch.nn.Linear(2, 2), torch.nn.ReLU()]))

    def rg():
        a = torch.nn.Linear(2, 2)
        a.weight.requires_grad_(False)
        return [a, torch.nn.Linear(2, 2)]

    add("sms requires_grad", lambda: F.stack_module_state(rg()))
    add("sms shapes", lambda: F.stack_module_state([torch.nn.Linear(2, 2), torch.nn.Linear(3, 2)]))
    add("sms not list", lambda: F.stack_module_state(torch.nn.Linear(2, 2)))
    add("grad aux nontensor", lambda: F.grad(lambda x: (x.sum(), "aux"), has_aux=True)(x))
    add("grad int and nontensor", lambda: F.grad(lambda d: x.sum())([i, 3]))
    add("grad complex constant", lambda: F.grad(lambda x: torch.ones((), dtype=torch.complex64))(x))
    add("vjp none out", lambda: F.vjp(lambda x: [None], x))
    add("vjp ct named", lambda: F.vjp(lambda x: {"a": x, "b": [x]}, x)[1]([x]))
    add("vjp retain_graph", lambda: F.vjp(lambda x: x * 2, x)[1](x, True, False)[0])
    add("vjp no ct", lambda: F.vjp(lambda x: x * 2, x)[1]())
    add("jvp none out", lambda: F.jvp(lambda x: None, (x,), (x,)))
    add("jacrev complex out", lambda: F.jacrev(lambda x: (x, x * 1j))(x))
    add("jacfwd complex out", lambda: F.jacfwd(lambda x: (x, x * 1j))(x))
    add("jacrev complex second", lambda: F.jacrev(lambda x, y: x, argnums=1)(x, c))
    add("jacrev complex aside", lambda: F.jacrev(lambda x, y: x.sum())(x, c))
    add("jacrev no tensors", lambda: F.jacrev(lambda d: x)({}))
    add("jacfwd no tensors", lambda: F.jacfwd(lambda d: x)({}))
    add("hessian no tensors", lambda: F.hessian(lambda d: x)({}))
    add("linearize nontensor out", lambda: F.linearize(lambda x: (x, 3), x)[0])
    add("linearize empty out", lambda: F.linearize(lambda x: (), x)[1](x))
    add("linearize device", lambda: F.linearize(lambda x: x * 2, x)[1](torch.ones(3, device="meta")))
    add("vmap nontensor out None", lambda: F.vmap(lambda x: (x, "c"), out_dims=(0, None))(x))
    add("vmap nontensor out all None", lambda: F.vmap(lambda x: 3, out_dims=None)(x))
    add("vmap out_dims before in_dims", lambda: F.vmap(named, in_dims=7, out_dims="a")(x))
    add("vmap mask", lambda: F.vmap(lambda x: x[x > 0])(m.weight))
    add("vmap masked_select", lambda: F.vmap(lambda x: x.masked_select(x > 0))(m.weight))
    add("vmap where of one", lambda: F.vmap(lambda x: torch.where(x > 0))(m.weight))
    add("vmap nonzero", lambda: F.vmap(lambda x: torch.nonzero(x))(m.weight))
    add("vmap equal", lambda: F.vmap(lambda x: x if torch.equal(x, x) else -x)(m.weight))
    add("vmap allclose", lambda: F.vmap(lambda x: x if torch.allclose(x, x) else -x)(m.weight))
    add("vmap out_dims dict", lambda: F.vmap(lambda x: {"a": x}, out_dims={"b": 0})(x))
    functions(torch, x, add)
    add("functionalize remove", lambda: F.functionalize(named, remove="a"))
    add("functionalize", lambda: F.functionalize(lambda x: x.clone().mul_(2))(x))
    return C
