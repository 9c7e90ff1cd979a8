"""What PyTorch's pages on torch.compile show, written anew: each example is given `torch`, this library or PyTorch, and
`say`, which notes a line."""

import contextlib
import functools
import operator

import numpy as np

EXAMPLES = {}
DIFFERENT = {
    "backend_sees_two_graphs": "a function that reads a value has no Graph: it is run as it stands, without the backend",
    "explained": "six ops run, of which PyTorch counts five",
    "allowed": "PyTorch's allow_in_graph of a vmap computes it without the vmap",
    "marked_sizes": "a size that the code fixes is no error",
    "scalars_are_kept_out": "item() cannot be part of a Graph, and the setting says so",
    "artifacts": "compiled programs lie in a folder, and not in bytes",
    "arrays_in_one_graph": "NumPy computes, so reading the tensor is a graph break",
    "breaks_in_a_disabled_function": "the sentence begins as PyTorch's, and says where the call is",
}
"""Examples of which PyTorch notes something else, and why."""


def example(fn):
    """Registers an example."""
    EXAMPLES[fn.__name__] = fn
    return fn


def numbers(x):
    """A tensor's numbers, rounded, as text."""
    return str([round(float(v), 4) for v in x.detach().reshape(-1)])


def calls(say, f, *args):
    """Notes what three calls give, or the kind of error and the first line of it."""
    try:
        for _ in range(3):
            found = f(*args)
        say(numbers(found) if hasattr(found, "reshape") else str(found))
    except Exception as error:
        say(f"{type(error).__name__}: {str(error).splitlines()[0]}")


def kind(say, f, *args):
    """Notes whether a call raises, and which kind of error."""
    try:
        f(*args)
        say("went through")
    except Exception as error:
        say(type(error).__name__)


def eager(torch):
    """torch.compile without code generation, which PyTorch's takes seconds for."""
    return functools.partial(torch.compile, backend="eager")


@example
def getting_started(torch, say):
    f = eager(torch)(lambda x: torch.sin(torch.cos(x)))
    calls(say, f, torch.linspace(0, 1, 5))


@example
def as_a_decorator(torch, say):
    @torch.compile(backend="eager", fullgraph=True)
    def f(x, y):
        return torch.relu(x @ y) + 1

    calls(say, f, torch.ones(2, 2), torch.full((2, 2), -0.75))


@example
def a_module(torch, say):
    torch.manual_seed(0)
    net = torch.nn.Linear(2, 2)
    with torch.no_grad():
        net.weight.fill_(0.5)
        net.bias.fill_(-1.0)
    made = eager(torch)(net)
    calls(say, made, torch.ones(1, 2))
    say(f"{type(made).__name__} {list(made.state_dict())} {made._orig_mod is net}")


@example
def compiled_in_place(torch, say):
    net = torch.nn.Sequential(torch.nn.ReLU())
    net.compile(backend="eager")
    calls(say, net, torch.arange(-2.0, 2.0))
    say(f"{type(net).__name__} {list(net.state_dict())}")


@example
def a_step_of_training(torch, say):
    w = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([w], lr=0.5)

    @eager(torch)
    def loss_of(x):
        return (w * x).square().sum()

    for _ in range(3):
        optimizer.zero_grad(True)
        loss = loss_of(torch.tensor([0.1, 0.2, 0.3]))
        loss.backward()
        optimizer.step()
        say(numbers(loss) + numbers(w))


@example
def branches_on_a_value(torch, say):
    @eager(torch)
    def f(x):
        y = x.sum()
        return x + y.item() if y > 0 else x - y.item()

    calls(say, f, torch.ones(2))
    calls(say, f, -torch.ones(2))


@example
def the_branch_is_known(torch, say):
    is_positive = (torch.ones(3).sum() > 0).item()
    calls(
        say,
        torch.compile(lambda y: y + 1 if is_positive else y - 1, backend="eager", fullgraph=True),
        torch.ones(3),
    )


@example
def branches_by_cond(torch, say):
    def f(x):
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))

    for x in (torch.ones(2), -torch.ones(2)):
        calls(say, torch.compile(f, backend="eager", fullgraph=True), x)


@example
def fullgraph_refuses_values(torch, say):
    f = torch.compile(lambda x: x + 1 if x.sum() > 0 else x - 1, backend="eager", fullgraph=True)
    kind(say, f, torch.ones(2))


@example
def a_mistake_in_the_code(torch, say):
    kind(say, eager(torch)(lambda x: torch.sin(x, x)), torch.ones(2))


@example
def graph_break_is_allowed(torch, say):
    @eager(torch)
    def f(x):
        y = x * 2
        torch._dynamo.graph_break()
        return y + 1

    calls(say, f, torch.ones(2))
    say(str(torch._dynamo.graph_break()))


@example
def fullgraph_refuses_breaks(torch, say):
    @torch.compile(backend="eager", fullgraph=True)
    def f(x):
        torch._dynamo.graph_break()
        return x

    calls(say, f, torch.ones(2))


@example
def nonstrict(torch, say):
    def inner(x):
        y = x.sin()
        torch._dynamo.graph_break()
        return y.sin()

    traced = torch._dynamo.nonstrict_trace(inner)
    calls(say, torch.compile(lambda x: traced(x.cos()), backend="eager", fullgraph=True), torch.ones(2))
    kind(say, torch.compile(lambda x: inner(x.cos()), backend="eager", fullgraph=True), torch.ones(2))


@example
def nonstrict_numbers(torch, say):
    @torch._dynamo.nonstrict_trace
    def number():
        torch._dynamo.graph_break()
        return 42

    calls(say, torch.compile(lambda x: x + number(), backend="eager", fullgraph=True), torch.ones(2))


def _broken(torch):
    def f(x):
        x = x + 1
        torch._dynamo.graph_break()
        return x + 2

    return f


@example
def breaks_raise(torch, say):
    f = _broken(torch)
    kind(say, torch._dynamo.error_on_graph_break(True)(eager(torch)(f)), torch.ones(2))
    kind(say, torch._dynamo.error_on_graph_break(False)(eager(torch)(_broken(torch))), torch.ones(2))


@example
def breaks_may_be_allowed_inside(torch, say):
    allowed = torch._dynamo.error_on_graph_break(False)(_broken(torch))
    outer = torch._dynamo.error_on_graph_break(True)(eager(torch)(lambda x: allowed(x)))
    calls(say, outer, torch.ones(2))


@example
def breaks_in_a_context(torch, say):
    @torch._dynamo.error_on_graph_break(True)
    @eager(torch)
    def f(x):
        x = x + 1
        with torch._dynamo.error_on_graph_break(False):
            torch._dynamo.graph_break()
        return x + 2

    calls(say, f, torch.ones(2))


@example
def breaks_raise_in_a_part(torch, say):
    strict = torch._dynamo.error_on_graph_break(True)(_broken(torch))

    @eager(torch)
    def f(x):
        torch._dynamo.graph_break()
        return strict(x + 4)

    kind(say, f, torch.ones(2))


@example
def breaks_of_another_module(torch, say):
    class Other(torch.nn.Module):
        def forward(self, x):
            torch._dynamo.graph_break()
            return x * 3

    other = Other()
    other.forward = torch._dynamo.error_on_graph_break(False)(other.forward)
    calls(
        say, torch._dynamo.error_on_graph_break(True)(eager(torch)(lambda x: other.forward(x))), torch.ones(2)
    )


@example
def breaks_in_the_middle(torch, say):
    def inner(x):
        with torch._dynamo.error_on_graph_break(False):
            torch._dynamo.graph_break()
        return x + 2

    def outer(x):
        with torch._dynamo.error_on_graph_break(True):
            return inner(x)

    calls(say, eager(torch)(outer), torch.ones(2))


@example
def fullgraph_comes_first(torch, say):
    allowed = torch._dynamo.error_on_graph_break(False)(_broken(torch))
    kind(say, torch.compile(lambda x: allowed(x), backend="eager", fullgraph=True), torch.ones(2))


@example
def fullgraph_reaches_inside(torch, say):
    inner = eager(torch)(_broken(torch))
    kind(say, torch.compile(lambda x: inner(x), backend="eager", fullgraph=True), torch.ones(2))


@example
def disabled(torch, say):
    @torch.compiler.disable
    def outside(x):
        return x + (2 if x.sum() > 0 else 1)

    calls(say, eager(torch)(lambda x: outside(x) + 4), torch.ones(3))
    say(f"{torch._dynamo.is_dynamo_disable_recursive(outside)}")


@example
def disabled_but_what_it_calls(torch, say):
    @torch.compiler.disable(recursive=False)
    def outside(x):
        torch._dynamo.graph_break()
        return _broken(torch)(x + 2)

    calls(say, eager(torch)(lambda x: outside(x) + 4), torch.ones(3))
    say(
        f"{torch._dynamo.is_dynamo_disable_recursive(outside)} {torch._dynamo.is_dynamo_disable_recursive(len)}"
    )


@example
def breaks_in_a_disabled_function(torch, say):
    outside = torch.compiler.disable(lambda x: x + 1)
    calls(say, torch.compile(lambda x: outside(x), backend="eager", fullgraph=True), torch.ones(3))


@example
def skipped(torch, say):
    @eager(torch)
    def f(x):
        x = x + 1
        torch._dynamo.skip_frame()
        return x + 2

    calls(say, f, torch.ones(2))


@example
def breaks_in_a_loop(torch, say):
    @eager(torch)
    def f(x):
        for i in range(5):
            x = x + 1
            if i == 3:
                torch._dynamo.graph_break()
        return x

    calls(say, f, torch.ones(2))


@example
def breaks_under_no_grad(torch, say):
    @eager(torch)
    def f(x):
        with contextlib.nullcontext(), torch.no_grad():
            x = x + 1
            torch._dynamo.graph_break()
            return x + 1

    calls(say, f, torch.ones(2))


@example
def breaks_in_a_try(torch, say):
    @eager(torch)
    def f(x):
        try:
            x = x + 1
            torch._dynamo.graph_break()
            return x + 1
        except ValueError:
            return x

    calls(say, f, torch.ones(2))


@example
def forbidden(torch, say):
    @torch._dynamo.forbid_in_graph
    def f(x):
        return x + 1

    calls(say, f, torch.ones(2))
    kind(say, eager(torch)(lambda x: f(x)), torch.ones(2))


@example
def shapes_change(torch, say):
    f = eager(torch)(lambda x: x + 1)
    for n in (3, 4, 5, 3):
        calls(say, f, torch.ones(n))


@example
def dynamic_from_the_start(torch, say):
    f = torch.compile(lambda x: x * 2, backend="eager", dynamic=True)
    for n in (3, 4):
        calls(say, f, torch.ones(n, n))


@example
def numbers_change(torch, say):
    f = eager(torch)(lambda x, c: x + c)
    for i in range(4):
        calls(say, f, torch.ones(2), 0.5 + i)
    for i in range(4):
        calls(say, f, torch.ones(2), torch.tensor(0.5 + i))


@example
def the_limit(torch, say):
    say(str(torch._dynamo.config.cache_size_limit))
    with torch._dynamo.config.patch(cache_size_limit=16):
        say(f"{torch._dynamo.config.recompile_limit}")
    say(str(torch._dynamo.config.recompile_limit))


@example
def the_limit_raises(torch, say):
    f = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    with torch._dynamo.config.patch(recompile_limit=1, fail_on_recompile_limit_hit=True):
        calls(say, f, torch.ones(2))
        calls(say, f, torch.ones(3))


@example
def another_kind_raises(torch, say):
    f = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    with torch._dynamo.config.patch(error_on_recompile=True):
        calls(say, f, torch.ones(2))
        kind(say, f, torch.ones(3))


@example
def unknown_settings(torch, say):
    kind(say, lambda: setattr(torch._dynamo.config, "no_such_setting", 1))
    kind(say, lambda: torch._dynamo.config.no_such_setting)


@example
def stances(torch, say):
    f = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    calls(say, f, torch.ones(2))
    with torch.compiler.set_stance("fail_on_recompile"):
        calls(say, f, torch.ones(2))
        kind(say, f, torch.ones(3))
    with torch.compiler.set_stance("force_eager"):
        calls(say, f, torch.ones(3))
    with torch.compiler.set_stance("eager_on_recompile"):
        calls(say, f, torch.ones(4))


@example
def run_what_is_there(torch, say):
    f = torch.compile(lambda x: x + 1, backend="eager")
    calls(say, f, torch.ones(2))
    calls(say, torch._dynamo.run(f), torch.ones(3))


@example
def backends(torch, say):
    say(str([name in torch.compiler.list_backends() for name in ("inductor", "eager")]))
    say(str([name in torch._dynamo.list_backends(None) for name in ("inductor", "eager", "aot_eager")]))
    kind(say, lambda: torch.compile(lambda x: x, backend="no_such_backend"))


@example
def backend_of_ones_own(torch, say):
    def mine(gm, example_inputs):
        say(str([n.op for n in gm.graph.nodes]) + f" {len(example_inputs)}")
        return gm.forward

    calls(
        say,
        torch.compile(lambda x, y: torch.cos(x) + torch.sin(y), backend=mine),
        torch.ones(2),
        torch.ones(2),
    )


@example
def backend_sees_two_graphs(torch, say):
    def mine(gm, example_inputs):
        say(str(sum(n.op == "placeholder" for n in gm.graph.nodes)))
        return gm.forward

    @torch.compile(backend=mine)
    def f(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    calls(say, f, torch.ones(2), torch.ones(2))


@example
def backend_by_name(torch, say):
    name = f"mine_of_{torch.__name__}"

    @torch._dynamo.register_backend(name=name, tags=("experimental",))
    def mine(gm, example_inputs):
        return gm.forward

    try:
        say(f"{name in torch._dynamo.list_backends()} {name in torch._dynamo.list_backends(None)}")
        say(str(torch._dynamo.lookup_backend(name) is mine))
        calls(say, torch.compile(lambda x: x + 1, backend=name), torch.ones(2))
        kind(say, lambda: torch._dynamo.register_backend(mine, name=name))
        kind(say, lambda: torch._dynamo.lookup_backend("no_such_backend"))
    finally:
        registry = __import__(f"{torch.__name__}._dynamo.backends.registry", fromlist=["x"])
        for table in ("_BACKENDS", "_COMPILER_FNS", "_registered"):
            getattr(registry, table, {}).pop(name, None)


@example
def backends_in_turn(torch, say):
    def mine(gm, example_inputs):
        for name in ("no_such_backend", "eager"):
            try:
                return torch._dynamo.lookup_backend(name)(gm, example_inputs)
            except Exception as error:
                say(type(error).__name__)
        return gm.forward

    calls(say, torch.compile(lambda x: x.exp(), backend=mine), torch.zeros(2))


@example
def forward_and_backward(torch, say):
    common = __import__(f"{torch.__name__}._dynamo.backends.common", fromlist=["aot_autograd"])

    def boxed(gm, example_inputs):
        say("a graph")
        run = lambda args: gm.forward(*args)  # noqa: E731
        run._boxed_call = True
        return run

    f = torch.compile(lambda x: x.sin().sum(), backend=common.aot_autograd(fw_compiler=boxed))
    x = torch.zeros(2, requires_grad=True)
    f(x).backward()
    say(numbers(x.grad))


@example
def a_backend_that_fails(torch, say):
    def broken(gm, example_inputs):
        raise ValueError("nothing of it")

    kind(say, torch.compile(lambda x: x + 1, backend=broken), torch.ones(2))
    with torch._dynamo.config.patch(suppress_errors=True):
        calls(say, torch.compile(lambda x: x + 2, backend=broken), torch.ones(2))


@example
def explained(torch, say):
    def f(a, b):
        x = a / (torch.abs(a) + 1)
        torch._dynamo.graph_break()
        if b.sum() < 0:
            b = b * -1
        return x * b

    found = torch._dynamo.explain(f)(torch.ones(2), torch.ones(2))
    say(f"{found.graph_count} {found.graph_break_count} {found.op_count}")


@example
def grad_of_compiled(torch, say):
    f = eager(torch)(lambda x: torch.sin(x).sum())
    calls(say, lambda x: torch.func.grad(f)(x), torch.zeros(2))


@example
def compiled_transforms(torch, say):
    x = torch.arange(6.0).reshape(2, 3)
    calls(say, eager(torch)(lambda x: torch.func.grad(lambda x: x.sin().sum())(x)), x)
    calls(say, eager(torch)(lambda x: torch.vmap(lambda x: x.sum(0))(x)), x)


@example
def allowed(torch, say):
    total = torch._dynamo.allow_in_graph(torch.vmap(torch.sum))
    calls(say, eager(torch)(lambda x: total(x)), torch.ones(2, 3))


@example
def substituted(torch, say):
    @torch.compiler.substitute_in_graph(operator.indexOf)
    def index_of(a, b, /):
        for i, item in enumerate(a):
            if item is b or item == b:
                return i
        raise ValueError("sequence.index(x): x not in sequence")

    say(str(index_of([1, 2, 3], 3)))
    calls(say, torch.compile(operator.indexOf, backend="eager", fullgraph=True), [1, 2, 3], 2)
    kind(say, lambda: torch.compiler.substitute_in_graph(3))
    kind(say, lambda: torch.compiler.substitute_in_graph(operator.countOf)(lambda a: 1))


@example
def constant_results(torch, say):
    @torch._dynamo.assume_constant_result
    def three():
        return 3

    calls(say, eager(torch)(lambda x: x * three()), torch.ones(2))


@example
def arrays(torch, say):
    double = torch.compiler.wrap_numpy(lambda x: np.cumsum(x * 2))
    say(f"{type(double(torch.ones(3))).__name__} {numbers(double(torch.ones(3)))}")
    kind(say, double, torch.ones(3, requires_grad=True))


@example
def arrays_in_one_graph(torch, say):
    double = torch.compiler.wrap_numpy(lambda x: x * 2)
    kind(say, torch.compile(lambda x: double(x), backend="eager", fullgraph=True), torch.ones(3))


@example
def arrays_by_themselves(torch, say):
    @eager(torch)
    def f(x, y):
        return np.sum(x[:, :, None] * y[:, None, :], axis=(-2, -1))

    say(str(f(np.ones((2, 3)), np.ones((2, 4))).tolist()))


@example
def marked_sizes(torch, say):
    x = torch.ones(4)
    torch._dynamo.mark_dynamic(x, 0)
    f = torch.compile(lambda x: x.reshape(2, 2) * 2 if x.shape[0] == 4 else x, backend="eager")
    kind(say, f, x)


@example
def perhaps_marked_sizes(torch, say):
    f = eager(torch)(lambda x: x * x.shape[0])
    for n in (2, 3):
        x = torch.ones(n)
        torch._dynamo.maybe_mark_dynamic(x, 0)
        calls(say, f, x)
    torch._dynamo.mark_static(x, 0)
    calls(say, f, x)


@example
def scalars_are_kept_out(torch, say):
    def f(x):
        return x + x.sum().item()

    def call():
        with torch._dynamo.config.patch(capture_scalar_outputs=True):
            return torch.compile(f, backend="eager", fullgraph=True)(torch.ones(2))

    calls(say, call)


@example
def guards_left_out(torch, say):
    for name in (
        "skip_guard_on_all_nn_modules_unsafe",
        "keep_tensor_guards_unsafe",
        "skip_all_guards_unsafe",
    ):
        say(str(getattr(torch.compiler, name)([])))
    say(str(torch.compiler.set_enable_guard_collectives(False)))


@example
def settings_for_a_time(torch, say):
    with torch._dynamo.config.patch(install_free_tensors=True, use_recursive_dict_tags_for_guards=True):
        calls(say, eager(torch)(lambda x: x + 1), torch.ones(2))
    say(str(torch._dynamo.config.install_free_tensors))


@example
def modes(torch, say):
    say(str(torch._inductor.list_mode_options("reduce-overhead")))
    kind(say, lambda: torch._inductor.list_mode_options("no_such_mode"))
    kind(say, lambda: torch.compile(lambda x: x, mode="no_such_mode"))
    say(str("triton.cudagraphs" in torch._inductor.list_options()))


@example
def while_compiling(torch, say):
    def f(x):
        return x + 1 if torch.compiler.is_compiling() else x - 1

    say(f"{torch.compiler.is_compiling()} {torch.compiler.is_exporting()}")
    calls(say, f, torch.zeros(1))
    calls(say, torch.compile(f, backend="eager"), torch.zeros(1))


@example
def older_entry(torch, say):
    calls(say, torch._dynamo.optimize("eager")(lambda x: x + 1), torch.ones(2))
    kind(say, torch._dynamo.optimize("eager", nopython=True)(_broken(torch)), torch.ones(2))


@example
def nested_regions(torch, say):
    block = torch.compiler.nested_compile_region(lambda x: x.sin() + 1)
    calls(say, eager(torch)(lambda x: block(block(x))), torch.zeros(2))


@example
def hooks(torch, say):
    net = torch.nn.Identity()
    net.register_forward_hook(lambda m, args, out: out * 3)
    calls(say, eager(torch)(net), torch.ones(2))


@example
def steps_marked(torch, say):
    f = eager(torch)(lambda x: x * 2)
    for _ in range(3):
        torch.compiler.cudagraph_mark_step_begin()
        found = f(torch.ones(2))
    say(numbers(found))


@example
def writes_to_an_argument(torch, say):
    @eager(torch)
    def f(x, y):
        x.add_(1)
        return x + y

    x = torch.zeros(2)
    calls(say, f, x, torch.ones(2))
    say(numbers(x))


@example
def a_list_that_is_filled(torch, say):
    seen = []

    @eager(torch)
    def f(x):
        seen.append(x.shape[0])
        return x + 1

    calls(say, f, torch.ones(2))
    say(str(seen))


@example
def forgotten(torch, say):
    f = eager(torch)(lambda x: x + 1)
    calls(say, f, torch.ones(2))
    torch.compiler.reset()
    calls(say, f, torch.ones(2))


@example
def artifacts(torch, say):
    kind(say, torch.compiler.save_cache_artifacts)


@example
def logged(torch, say):
    torch._logging.set_logs(graph_breaks=True, recompiles=True)
    calls(say, eager(torch)(lambda x: x + 1), torch.ones(2))
    torch._logging.set_logs()


@example
def times(torch, say):
    say(torch._dynamo.utils.compile_times().splitlines()[1])
