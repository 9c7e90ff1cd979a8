"""The examples of PyTorch's pages on torch.fx, written anew.
Each is given `torch`, this library or PyTorch, and `say`, which notes a line."""

import operator

EXAMPLES = {}


def example(fn):
    """Registers an example."""
    EXAMPLES[fn.__name__] = fn
    return fn


def numbers(x):
    """A tensor's numbers, rounded, as text."""
    return str([round(float(v), 4) for v in x.detach().reshape(-1)])


def module(torch):
    """The module that the pages begin with."""

    class MyModule(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.param = torch.nn.Parameter(torch.full((3, 4), 0.25))
            self.linear = torch.nn.Linear(4, 5)

        def forward(self, x):
            return self.linear(x + self.param).clamp(min=0.0, max=1.0)

    return MyModule()


@example
def quick_look(torch, say):
    traced = torch.fx.symbolic_trace(module(torch))
    say(str(traced.graph))
    say(traced.code)


@example
def nodes(torch, say):
    for n in torch.fx.symbolic_trace(module(torch)).graph.nodes:
        say(f"{n.op} {n.name} {n.target} {n.args} {n.kwargs} {list(n.users)} {n.all_input_nodes}")


@example
def adds_become_products(torch, say):
    def transform(m, tracer_class=torch.fx.Tracer):
        graph = tracer_class().trace(m)
        for node in graph.nodes:
            if node.op == "call_function" and node.target == torch.add:
                node.target = torch.mul
        graph.lint()
        return torch.fx.GraphModule(m, graph)

    class M(torch.nn.Module):
        def forward(self, x, y):
            return torch.add(x, y)

    gm = transform(M())
    say(gm.code)
    say(numbers(gm(torch.full((2,), 3.0), torch.full((2,), 5.0))))


@example
def inserting(torch, say):
    traced = torch.fx.symbolic_trace(module(torch))
    for node in traced.graph.nodes:
        if node.target == operator.add:
            with traced.graph.inserting_after(node):
                new_node = traced.graph.call_function(torch.relu, args=(node,))
            node.replace_all_uses_with(new_node, delete_user_cb=lambda user, new=new_node: user is not new)
    traced.recompile()
    say(traced.code)


@example
def replacing(torch, say):
    traced = torch.fx.symbolic_trace(lambda x, y: torch.relu(operator.and_(x, y)) + torch.add(x, y))
    patterns = {operator.add, torch.add, "add"}
    for n in traced.graph.nodes:
        if any(n.target == pattern for pattern in patterns):
            with traced.graph.inserting_after(n):
                new_node = traced.graph.call_function(torch.bitwise_and, n.args, n.kwargs)
                n.replace_all_uses_with(new_node)
            traced.graph.erase_node(n)
    traced.recompile()
    say(traced.code)


@example
def a_graph_by_hand(torch, say):
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    weight = graph.get_attr("linear.weight")
    product = graph.call_function(torch.matmul, (x, weight))
    total = graph.call_method("sum", (product,), {"dim": -1})
    called = graph.call_module("act", (total,))
    graph.output(called)
    linear = torch.nn.Linear(3, 3)
    gm = torch.fx.GraphModule({"linear.weight": linear.weight, "act": torch.nn.ReLU()}, graph)
    say(str(gm))


@example
def decomposition(torch, say):
    F = torch.nn.functional
    rules = {F.relu: lambda x, inplace: (x > 0) * x}

    def decompose(model):
        graph = torch.fx.Tracer().trace(model)
        new_graph, env = torch.fx.Graph(), {}
        tracer = torch.fx.proxy.GraphAppendingTracer(new_graph)
        for node in graph.nodes:
            if node.op == "call_function" and node.target in rules:
                args = torch.fx.node.map_arg(node.args, lambda n: torch.fx.Proxy(env[n], tracer))
                env[node] = rules[node.target](*args, **node.kwargs).node
            else:
                env[node] = new_graph.node_copy(node, lambda n: env[n])
        return torch.fx.GraphModule(model, new_graph)

    class M(torch.nn.Module):
        def forward(self, x):
            return F.relu(x) + 1

    gm = decompose(M())
    say(gm.code)
    say(numbers(gm(torch.arange(-2.0, 3.0))))


@example
def inverted(torch, say):
    inverse = {torch.sin: torch.asin, torch.exp: torch.log, torch.tanh: torch.atanh}

    def invert(fn):
        traced = torch.fx.symbolic_trace(fn)
        graph = torch.fx.Graph()
        env = {}
        for node in reversed(traced.graph.nodes):
            if node.op == "output":
                env[node.args[0]] = graph.placeholder("output")
            elif node.op == "call_function":
                env[node.args[0]] = graph.call_function(inverse[node.target], (env[node],))
            elif node.op == "placeholder":
                graph.output(env[node])
        graph.lint()
        return torch.fx.GraphModule(traced, graph)

    def f(x):
        return torch.exp(torch.tanh(x))

    back = invert(f)
    say(back.code)
    x = torch.arange(-3.0, 4.0) / 5
    say(numbers(back(f(x))))


@example
def own_shape_propagation(torch, say):
    class ShapeProp:
        def __init__(self, mod):
            self.graph, self.modules = mod.graph, dict(mod.named_modules())

        def propagate(self, *args):
            args_iter, env = iter(args), {}

            def load_arg(a):
                return torch.fx.graph.map_arg(a, lambda n: env[n.name])

            for node in self.graph.nodes:
                if node.op == "placeholder":
                    result = next(args_iter)
                elif node.op == "get_attr":
                    result = self.modules[""]
                    for part in node.target.split("."):
                        result = getattr(result, part)
                elif node.op == "call_function":
                    result = node.target(*load_arg(node.args), **load_arg(node.kwargs))
                elif node.op == "call_method":
                    self_obj, *rest = load_arg(node.args)
                    result = getattr(self_obj, node.target)(*rest, **load_arg(node.kwargs))
                elif node.op == "call_module":
                    result = self.modules[node.target](*load_arg(node.args), **load_arg(node.kwargs))
                elif node.op == "output":
                    return load_arg(node.args[0])
                if isinstance(result, torch.Tensor):
                    node.shape, node.dtype = result.shape, result.dtype
                env[node.name] = result

    gm = torch.fx.symbolic_trace(module(torch))
    ShapeProp(gm).propagate(torch.ones(3, 4))
    for node in gm.graph.nodes:
        say(f"{node.name} {getattr(node, 'shape', None)} {getattr(node, 'dtype', None)}")


@example
def shape_propagation(torch, say):
    from importlib import import_module

    shape_prop = import_module(f"{torch.__name__}.fx.passes.shape_prop")
    gm = torch.fx.symbolic_trace(module(torch))
    shape_prop.ShapeProp(gm).propagate(torch.ones(3, 4))
    for node in gm.graph.nodes:
        say(f"{node.name} {node.meta['tensor_meta']} {node.meta['type'].__name__}")
    say(gm.print_readable(print_output=False))


@example
def profiling(torch, say):
    class Counting(torch.fx.Interpreter):
        def __init__(self, mod):
            super().__init__(mod)
            self.ran = []

        def run_node(self, n):
            result = super().run_node(n)
            self.ran.append((n.op, n.name, tuple(result.shape)))
            return result

    interpreter = Counting(torch.fx.symbolic_trace(module(torch)))
    interpreter.run(torch.ones(3, 4))
    for row in interpreter.ran:
        say(str(row))


@example
def an_interpreter_that_swaps(torch, say):
    class NegSigmSwap(torch.fx.Interpreter):
        def call_function(self, target, args, kwargs):
            return (
                torch.neg(*args, **kwargs)
                if target == torch.sigmoid
                else super().call_function(target, args, kwargs)
            )

        def call_method(self, target, args, kwargs):
            return (
                args[0].sigmoid(*args[1:], **kwargs)
                if target == "neg"
                else super().call_method(target, args, kwargs)
            )

    def fn(x):
        return torch.sigmoid(x).neg()

    x = torch.arange(4.0)
    result = NegSigmSwap(torch.fx.symbolic_trace(fn)).run(x)
    say(numbers(result))
    say(str(bool(torch.allclose(result, torch.neg(x).sigmoid()))))


@example
def a_transformer_that_swaps(torch, say):
    class NegSigmSwap(torch.fx.Transformer):
        def call_function(self, target, args, kwargs):
            return (
                torch.neg(*args, **kwargs)
                if target == torch.sigmoid
                else super().call_function(target, args, kwargs)
            )

        def call_method(self, target, args, kwargs):
            return (
                args[0].sigmoid(*args[1:], **kwargs)
                if target == "neg"
                else super().call_method(target, args, kwargs)
            )

    transformed = NegSigmSwap(torch.fx.symbolic_trace(lambda x: torch.sigmoid(x).neg())).transform()
    say(transformed.code)
    say(numbers(transformed(torch.arange(4.0))))


@example
def rewriting(torch, say):
    class M(torch.nn.Module):
        def forward(self, x, w1, w2):
            m1 = torch.cat([w1, w2]).sum()
            m2 = torch.cat([w1, w2]).sum()
            return x + torch.max(m1) + torch.max(m2)

    traced = torch.fx.symbolic_trace(M())
    matches = torch.fx.replace_pattern(
        traced, lambda w1, w2: torch.cat([w1, w2]).sum(), lambda w1, w2: torch.stack([w1, w2])
    )
    say(str(len(matches)))
    say(str([(m.anchor.name, sorted(f"{k}:{v}" for k, v in m.nodes_map.items())) for m in matches]))
    say(traced.code)
    say(numbers(traced(torch.ones(2), torch.full((2,), 2.0), torch.full((2,), 3.0))))


@example
def rewriting_that_does_not_match(torch, say):
    def fn(x, y):
        a = torch.relu(x)
        return (a + y).neg() + a.sum()

    traced = torch.fx.symbolic_trace(fn)
    say(str(torch.fx.replace_pattern(traced, lambda x, y: (torch.relu(x) + y).neg(), lambda x, y: x * y)))
    say(str(torch.fx.replace_pattern(traced, lambda x: torch.relu(x), lambda x: torch.sigmoid(x)) != []))
    say(traced.code)


@example
def rewriting_with_filters(torch, say):
    from importlib import import_module

    rewriter = import_module(f"{torch.__name__}.fx.subgraph_rewriter")
    traced = torch.fx.symbolic_trace(lambda x: torch.add(torch.add(x, 1), 2) + torch.add(x, 3))
    found = rewriter.replace_pattern_with_filters(
        traced, lambda x: torch.add(x, 1), lambda x: torch.sub(x, 7),
        [lambda match, original, pattern: match.anchors[0].name == "add"], ignore_literals=True,
    )  # fmt: skip
    say(str([[n.name for n in r.replacements] for r in found]))
    say(traced.code)


@example
def convolutions_with_batch_norm(torch, say):
    from importlib import import_module

    class WrappedBatchNorm(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.mod = torch.nn.BatchNorm2d(1)

        def forward(self, x):
            return self.mod(x)

    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.bn1 = torch.nn.Conv2d(1, 1, 1), torch.nn.BatchNorm2d(1)
            self.conv2 = torch.nn.Conv2d(1, 1, 1)
            self.nested = torch.nn.Sequential(torch.nn.BatchNorm2d(1), torch.nn.Conv2d(1, 1, 1))
            self.wrapped = WrappedBatchNorm()

        def forward(self, x):
            return self.wrapped(self.nested(self.conv2(self.bn1(self.conv1(x)))))

    model = M().eval()
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(torch.full(p.shape, 0.3 + i / 10))
    fused = import_module(f"{torch.__name__}.fx.experimental.optimization").fuse(model)
    say(fused.code)
    x = torch.arange(8.0).reshape(2, 1, 2, 2) / 8
    say(str(bool(torch.allclose(fused(x), model(x), atol=1e-5))))
    say(str([type(m).__name__ for m in model.children()]))


@example
def wrapped_functions(torch, say):
    space = {"torch": torch, "__name__": "my_module"}
    source = (
        "from math import sqrt\n"
        "def my_function(x, y):\n    return x * x + y * y\n"
        "torch.fx.wrap('len')\ntorch.fx.wrap('sqrt')\ntorch.fx.wrap(my_function)\n"
        "def normalize(x):\n    return my_function(x, 2) / sqrt(len(x))\n"
    )
    exec(source, space)
    traced = torch.fx.symbolic_trace(space["normalize"])
    say(traced.code)
    say(numbers(traced(torch.ones(4))))


@example
def leaf_modules(torch, say):
    class MySpecialSubmodule(torch.nn.Module):
        def forward(self, x):
            return torch.neg(x)

    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.submod = torch.nn.Linear(3, 4), MySpecialSubmodule()

        def forward(self, x):
            return self.submod(self.linear(x))

    say(str(torch.fx.symbolic_trace(M()).graph))

    class MyCustomTracer(torch.fx.Tracer):
        def is_leaf_module(self, m, qualname):
            return isinstance(m, MySpecialSubmodule) or super().is_leaf_module(m, qualname)

    say(str(MyCustomTracer().trace(M())))


@example
def control_flow(torch, say):
    def func_to_trace(x):
        return torch.relu(x) if x.sum() > 0 else torch.neg(x)

    try:
        torch.fx.symbolic_trace(func_to_trace)
    except torch.fx.proxy.TraceError as error:
        say(f"{type(error).__name__}: {error}")

    class M(torch.nn.Module):
        def __init__(self, do_activation):
            super().__init__()
            self.do_activation, self.linear = do_activation, torch.nn.Linear(4, 4)

        def forward(self, x):
            x = self.linear(x)
            return torch.relu(x) if self.do_activation else x

    for flag in (False, True):
        say(torch.fx.symbolic_trace(M(flag)).code)


@example
def concrete_arguments(torch, say):
    def f(x, flag):
        return x if flag else x * 2

    gm = torch.fx.symbolic_trace(f, concrete_args={"flag": True})
    say(gm.code)
    say(numbers(gm(torch.ones(2), True)))
    try:
        gm(torch.ones(2), False)
    except AssertionError as error:
        say(str(error))

    def g(x):
        out = 0
        for v in x.values():
            out = out + v
        return out

    gm = torch.fx.symbolic_trace(
        g, concrete_args={"x": {"a": torch.fx.PH, "b": torch.fx.PH, "c": torch.fx.PH}}
    )
    say(gm.code)
    say(str(gm({"a": 1, "b": 2, "c": 4})))


@example
def dropout_and_training(torch, say):
    class Functional(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.dropout(x, training=self.training)

    class Modular(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.drop = torch.nn.Dropout()

        def forward(self, x):
            return self.drop(x)

    for kind in (Functional, Modular):
        traced = torch.fx.symbolic_trace(kind())
        traced.eval()
        say(traced.code)
        x = torch.ones(64)
        say(str(bool(torch.equal(traced(x), x))))


@example
def constants(torch, say):
    traced = torch.fx.symbolic_trace(lambda x: x + torch.full((2,), 3.0))
    say(traced.code)
    say(numbers(traced._tensor_constant0))


@example
def debugging(torch, say):
    gm = torch.fx.symbolic_trace(lambda x, y: torch.add(x, y) * torch.sin(x))
    with gm.graph.on_generate_code(lambda current: lambda body: ["print('here')\n", *body]):
        gm.recompile()
        say(gm.code)
    gm.recompile()
    say(gm.code)
    say(gm.graph.output_node().format_node())
    scope = {}
    exec(gm.code, {"torch": torch}, scope)
    say(numbers(scope["forward"](None, torch.ones(1), torch.ones(1))))


@example
def dead_code(torch, say):
    def fn(x):
        a = x + 1
        return x + 2 if a is not None else a

    gm = torch.fx.symbolic_trace(fn)
    say(str(gm.graph))
    say(str(gm.graph.eliminate_dead_code()))
    say(str(gm.graph))
    say(str(gm.graph.eliminate_dead_code()))


@example
def splitting(torch, say):
    from importlib import import_module

    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.param = torch.nn.Parameter(torch.full((3, 4), 0.5))
            self.linear = torch.nn.Linear(4, 5)

        def forward(self, x, y):
            z = self.linear(x + self.param).clamp(min=0.0, max=1.0)
            w = self.linear(y).clamp(min=0.0, max=1.0)
            return z + w

    model = M()
    traced = torch.fx.symbolic_trace(model)
    count = 0

    def mod_partition(node):
        nonlocal count
        partition = count % 3
        count = (count + 1) % 3
        return partition

    split = import_module(f"{torch.__name__}.fx.passes.split_module").split_module
    try:
        say(split(traced, model, mod_partition).code)
    except RuntimeError as error:
        say(str(error))
    order = {n: i // 2 for i, n in enumerate(n for n in traced.graph.nodes if n.op.startswith("call"))}
    for keep in (False, True):
        names = {}
        parts = split(traced, model, order.__getitem__, names, keep_original_order=keep)
        say(parts.print_readable(print_output=False))
        say(str(names))
        x, y = torch.ones(3, 4), torch.ones(3, 4) * 2
        say(str(bool(torch.equal(parts(x, y), model(x, y)))))


@example
def pass_manager(torch, say):
    from importlib import import_module

    infra = f"{torch.__name__}.fx.passes.infra"
    base, manager = import_module(f"{infra}.pass_base"), import_module(f"{infra}.pass_manager")

    def replace_add_with_mul(gm):
        modified = False
        for node in gm.graph.nodes:
            if node.op == "call_function" and node.target == torch.add:
                node.target, modified = torch.mul, True
        return base.PassResult(gm, modified)

    class ReplaceMulWithDiv(base.PassBase):
        def call(self, gm):
            modified = False
            for node in gm.graph.nodes:
                if node.op == "call_function" and node.target == torch.mul:
                    node.target, modified = torch.div, True
            return base.PassResult(gm, modified)

    div = ReplaceMulWithDiv()
    for passes in ([replace_add_with_mul, div], [div, replace_add_with_mul]):
        pm = manager.PassManager(list(passes))
        pm.add_constraint(manager.this_before_that_pass_constraint(replace_add_with_mul, div))
        result = pm(torch.fx.symbolic_trace(lambda x, y: torch.add(torch.mul(x, y), y)))
        say(f"{result.modified} {result.graph_module.code}")
    pm = manager.PassManager([lambda gm: None])
    try:
        pm(torch.fx.symbolic_trace(lambda x: x))
    except Exception as error:
        say(
            f"{type(error).__name__}: {error} {type(error.__cause__).__name__}: {error.__cause__}".replace(
                "<lambda>", "it"
            )
        )


@example
def custom_proxies(torch, say):
    class Sized(torch.fx.Tracer):
        def iter(self, obj):
            return iter([obj[i] for i in range(3)])

        def to_bool(self, obj):
            return True

        def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
            node = super().create_node(kind, target, args, kwargs, name, type_expr)
            node.meta["by"] = kind
            return node

        def create_arg(self, a):
            return super().create_arg(list(a) if isinstance(a, set) else a)

    def fn(x):
        total = torch.stack(list({1, 2}), x) if x is None else x
        for part in x:
            if part > 0:
                total = total + part
        return total

    graph = Sized().trace(fn)
    say(str(graph))
    say(str([n.meta["by"] for n in graph.nodes]))


@example
def module_paths(torch, say):
    class ModulePathTracer(torch.fx.Tracer):
        def __init__(self):
            super().__init__()
            self.current, self.origin = "", {}

        def call_module(self, m, forward, args, kwargs):
            before = self.current
            self.current = self.path_of_module(m)
            try:
                return super().call_module(m, forward, args, kwargs)
            finally:
                self.current = before

        def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None):
            proxy = super().create_proxy(kind, target, args, kwargs, name, type_expr)
            self.origin[proxy.node] = self.current
            return proxy

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(2, 2)

        def forward(self, x):
            return torch.relu(self.fc(x))

    tracer = ModulePathTracer()
    graph = tracer.trace(torch.nn.Sequential(Block(), Block()))
    for node in graph.nodes:
        say(
            f"{node} {tracer.origin.get(node)} {[(k, v[1].__name__) for k, v in node.meta.get('nn_module_stack', {}).items()]}"
        )


@example
def proxyable_classes(torch, say):
    class TensorPair(metaclass=torch.fx.ProxyableClassMeta):
        def __init__(self, left, right):
            self.left, self.right = left, right

        def add(self, other):
            return TensorPair(self.left + other.left, self.right + other.right)

        def mul(self, other):
            return TensorPair(self.left * other.left, self.right * other.right)

    def use(x, y):
        s = x.add(TensorPair(y, y))
        return s.mul(x)

    def make(x, y):
        return use(TensorPair(x, y), y).left

    gm = torch.fx.symbolic_trace(make)
    say(gm.code.replace("__main__", "").replace("tests_fx_documents_", ""))
    say(numbers(gm(torch.ones(2), torch.ones(2) * 3)))
