"""Arguments of autograd.grad, backward, Function.apply, forward_ad and their like, for either library:
`CASES[name](torch)`.

A case gives values, or raises what ERRORS says; VALUES says what it gives.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

VALUES: dict[str, Any] = {}
ERRORS: dict[str, tuple[type, str]] = {}
CASES: dict[str, Any] = {}


def gives(wanted):
    """A case f(t) that returns `wanted`, lists for tensors."""

    def add(f):
        CASES[f.__name__], VALUES[f.__name__] = f, wanted

    return add


def fails(error: type, message: str):
    """A case f(t) that raises."""

    def add(f):
        CASES[f.__name__], ERRORS[f.__name__] = f, (error, message)

    return add


def leaf(t, *values):
    return t.tensor(values or (1.0, 2.0), requires_grad=True)


def noted(f):
    """(what f gives, the messages of the FutureWarnings and UserWarnings it gave)."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = f()
    return result, [str(w.message) for w in seen if w.category in (FutureWarning, UserWarning)]


@gives([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
def any_iterable_is_several_tensors(t):
    a, b = leaf(t), leaf(t)
    first, second = t.autograd.grad((a + b).sum(), {"a": a, "b": b}.values())
    (third,) = t.autograd.grad((a.sum() for _ in range(2)), (x for x in (a,)))
    t.autograd.backward((a * 1 for _ in range(1)), (3 * t.ones(2) for _ in range(1)), inputs={a: 0}.keys())
    return first, second, third, a.grad


@fails(TypeError, "must be a dict, not OrderedDict. Other Mapping types are not supported.")
def grad_by_another_mapping(t):
    a = leaf(t)
    t.autograd.grad(a.sum(), OrderedDict(a=a))


@fails(RuntimeError, "all inputs have to be Tensors or GradientEdges, but got int")
def grad_by_a_number_among_tensors(t):
    a = leaf(t)
    t.autograd.grad(a.sum(), [a, 3])


@gives({"a": [2.0, 4.0], "b": [3.0, 3.0]})
def grad_by_a_dict_of_inputs(t):
    a, b = leaf(t), leaf(t)
    return t.autograd.grad((a * a + 3 * b).sum(), {"a": a, "b": b})


@gives([[2.0, 4.0], None])
def backward_into_a_dict_of_inputs(t):
    a, b = leaf(t), leaf(t)
    (a * a + 3 * b).sum().backward(inputs={"a": a})
    return a.grad, b.grad


@fails(RuntimeError, "`inputs` argument to `grad()` cannot be empty.")
def grad_by_nothing(t):
    t.autograd.grad(leaf(t).sum(), ())


@fails(RuntimeError, "`inputs` argument to `backward()` cannot be empty.")
def backward_into_nothing(t):
    leaf(t).sum().backward(inputs=[])


@fails(ValueError, "Expected allow_unused to be True or not passed when materialize_grads=True, but got: ")
def materialized_but_not_unused(t):
    t.autograd.grad(leaf(t).sum(), leaf(t), materialize_grads=True, allow_unused=False)


@gives([[[2.0, 0.0], [0.0, 4.0]], [0.0, 0.0], False, False])
def batched_and_materialized(t):
    x, unused = leaf(t), leaf(t)
    a, b = t.autograd.grad(x**2, (x, unused), t.eye(2), is_grads_batched=True, materialize_grads=True)
    return a, b, a.requires_grad, b.requires_grad


@gives([[2.0, 2.0], ["`grad_variables` is deprecated. Use `grad_tensors` instead."]])
def backward_with_grad_variables(t):
    x = leaf(t)
    _, messages = noted(lambda: t.autograd.backward(x * 2, grad_variables=t.ones(2)))
    return x.grad, messages


@fails(RuntimeError, "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`")
def backward_with_both(t):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        t.autograd.backward(leaf(t), t.ones(2), grad_variables=t.ones(2))


@gives([True])
def only_inputs_warns(t):
    x = leaf(t)
    _, messages = noted(lambda: t.autograd.grad(x.sum(), x, only_inputs=False))
    return [messages[0].startswith("only_inputs argument is deprecated and is ignored now")]


@fails(RuntimeError, "Mismatch in dtype: grad_output[0] has a dtype of torch.float32 and output[0] has a")
def real_gradient_of_a_complex_output(t):
    x = leaf(t)
    t.autograd.grad(x.to(t.complex64) * 1j, x, t.ones(2))


@fails(RuntimeError, "grad can be implicitly created only for real scalar outputs but got torch.complex64")
def jacobian_of_a_complex_output(t):
    t.autograd.functional.jacobian(lambda x: x.to(t.complex64) * 1j, t.ones(2))


@fails(RuntimeError, "Mismatch in dtype: grad_output[0] has a dtype of torch.float32 and output[0] has a")
def vjp_of_a_complex_output(t):
    t.autograd.functional.vjp(lambda x: x.to(t.complex64) * 1j, t.ones(2), t.ones(2))


@fails(RuntimeError, "element 1 of tensors does not require grad and does not have a grad_fn")
def the_second_output_has_no_graph(t):
    x = leaf(t)
    t.autograd.grad((x * 2, t.ones(2)), x, (t.ones(2), t.ones(2)))


@fails(RuntimeError, "backward() called inside a functorch transform. This is not supported, please use")
def backward_inside_vmap(t):
    t.vmap(lambda x: x.sum().backward())(t.ones(3, 2))


@fails(ValueError, "Expected tangent to be floating point or complex, but got: torch.int64")
def an_integer_tangent(t):
    t.func.jvp(lambda x: x * 2, (t.ones(2),), (t.ones(2, dtype=t.int64),))


@fails(RuntimeError, "The output of f is independent of the inputs. This is not allowed with strict=True.")
def strict_jvp_through_integers(t):
    t.func.jvp(lambda x: (x > 0).sum(), (t.ones(2),), (t.ones(2),), strict=True)


@fails(RuntimeError, "The output of f is independent of the inputs. This is not allowed with strict=True.")
def strict_jvp_through_integers_and_back(t):
    t.func.jvp(lambda x: (x > 0).float() * 2, (t.ones(2),), (t.ones(2),), strict=True)


@gives([[2.0, 2.0], [2.0, 2.0]])
def strict_jvp_of_what_depends(t):
    return t.func.jvp(lambda x: x * (x > 0).float() * 2, (t.ones(2),), (t.ones(2),), strict=True)


@fails(RuntimeError, "Invalid level given to _make_dual")
def make_dual_at_another_level(t):
    with t.autograd.forward_ad.dual_level():
        t.autograd.forward_ad.make_dual(t.ones(2), t.ones(2), level=3)


@fails(RuntimeError, "Invalid level given to _fw_primal")
def unpack_dual_at_another_level(t):
    with t.autograd.forward_ad.dual_level():
        dual = t.autograd.forward_ad.make_dual(t.ones(2), t.ones(2))
        t.autograd.forward_ad.unpack_dual(dual, level=3)


@gives(True)
def gradcheck_masked_of_dense_inputs(t):
    return t.autograd.gradcheck(lambda x: x.sin(), leaf(t).double().detach().requires_grad_(), masked=True)


# -- autograd.Function -----------------------------------------------------------------------------------------------


def scaled(t, backward=lambda ctx, g: (g * ctx.k, None)):
    """x * k, with a dirty mark if asked for."""

    class Scaled(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, k, dirty=False):
            y = x * k
            ctx.save_for_backward(x, y)
            ctx.k = k
            if dirty:
                ctx.mark_dirty(y)
            return y

    Scaled.backward = staticmethod(backward)
    return Scaled


@gives([[3.0, 6.0], [3.0, 3.0], [True, False]])
def function_applied_by_names(t):
    x = leaf(t)
    y = scaled(t).apply(x, k=3.0)
    y.sum().backward()
    return y, x.grad, list(y.grad_fn.needs_input_grad)


@fails(TypeError, "forward() got an unexpected keyword argument 'z'")
def function_applied_by_a_wrong_name(t):
    scaled(t).apply(leaf(t), k=3.0, z=1)


@gives([[1.0, 2.0], [3.0, 6.0], 3.0, True])
def the_node_is_the_context(t):
    x = leaf(t)
    y = scaled(t).apply(x, 3.0)
    a, b = y.grad_fn.saved_tensors
    return a, b, y.grad_fn.k, b.grad_fn == y.grad_fn


@fails(RuntimeError, "Trying to backward through the graph a second time")
def the_node_forgets_what_was_saved(t):
    y = scaled(t).apply(leaf(t), 3.0)
    y.sum().backward()
    y.grad_fn.saved_tensors  # noqa: B018


@fails(AttributeError, "'ScaledBackward' object has no attribute 'unknown'")
def the_node_has_no_such_attribute(t):
    scaled(t).apply(leaf(t), 3.0).grad_fn.unknown  # noqa: B018


@gives([True])
def a_dirty_mark_on_what_is_no_input_warns(t):
    def run():
        return scaled(t).apply(leaf(t), 3.0, True)

    _, messages = noted(run)
    return [messages[0].startswith("ctx.mark_dirty() received a tensor that was not an input. Only input")]


@gives([True, True])
def anomaly_mode_shows_where_a_function_was_applied(t):
    def run():
        with t.autograd.detect_anomaly():
            y = scaled(t, lambda ctx, g: (g * float("nan"), None)).apply(leaf(t), 3.0)
            try:
                y.sum().backward()
            except RuntimeError as e:
                return str(e).startswith("Function 'ScaledBackward' returned nan values in its 0th output")

    stopped, messages = noted(run)
    return stopped, any(
        "forward call that caused the error" in m and "argument_cases.py" in m for m in messages
    )


@fails(RuntimeError, "function ScaledBackward returned an incorrect number of gradients (expected 2, got 1)")
def a_list_is_no_tuple_of_gradients(t):
    scaled(t, lambda ctx, g: [g, None]).apply(leaf(t), 3.0).sum().backward()


@fails(RuntimeError, "expected Variable or None (got list) for grad output 0.")
def a_list_is_no_tuple_of_tangents(t):
    class Twice(t.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def jvp(ctx, tangent):
            return [tangent * 2]

    t.func.jvp(Twice.apply, (t.ones(2),), (t.ones(2),))


# -- nodes that are called -------------------------------------------------------------------------------------------


@gives([[[3.0, 4.0], [1.0, 2.0]], [6.0, None], True, [1.0, 1.0], None])
def nodes_called_with_gradients(t):
    x, w = leaf(t), leaf(t, 3.0, 4.0)
    y = x * w
    called = y.grad_fn(t.ones(2))
    with_a_number = (leaf(t, 2.0)[0] * 3).grad_fn(t.tensor(2.0))
    y.grad_fn.next_functions[0][0](t.ones(2))  # a leaf accumulates
    return called, with_a_number, called[0].requires_grad, x.grad, y.sum().grad_fn(None)


@gives([[1], [1, 0], [1, 1], [1], [1, 1], [1, 0], [0, 1], [1]])
def places_of_inputs(t):
    x = leaf(t)
    made = [x**2, x * 2, t.add(x, x, alpha=2), x.exp(), t.where(x > 0, x, x), x.where(x > 0, 0.0)]
    made += [t.where(x > 0, 1, x), x.masked_fill(x > 0, 1.0)]
    return [[int(node is not None) for node, _ in y.grad_fn.next_functions] for y in made]


@gives([[1, 0], [1, 0], [1], [1, 0], True])
def numbers_on_the_left(t):
    x = leaf(t, 3.0)
    made = [2 + x, 2 * x, 2 - x, 7 / x]
    places = [[int(node is not None) for node, _ in y.grad_fn.next_functions] for y in made]
    return [*places, abs(made[-1].item() - 7 / 3) < 1e-6]


@fails(TypeError, "expected 1 arguments, got 2 instead")
def a_node_called_with_too_many(t):
    leaf(t).exp().grad_fn(t.ones(2), t.ones(2))


@fails(TypeError, "argument 0 is not a Variable")
def a_node_called_with_a_number(t):
    leaf(t).exp().grad_fn(3)


@fails(TypeError, "keyword arguments are not supported")
def a_node_called_by_name(t):
    leaf(t).exp().grad_fn(inputs=t.ones(2))


@fails(RuntimeError, "Trying to backward through the graph a second time")
def a_node_called_when_its_graph_is_gone(t):
    y = leaf(t).exp()
    y.sum().backward()
    y.grad_fn(t.ones(2))


@fails(TypeError, "'ScaledBackward' object is not callable")
def the_node_of_a_function_is_not_called(t):
    scaled(t).apply(leaf(t), 3.0).grad_fn(t.ones(2))


# -- what is seen inside transforms ----------------------------------------------------------------------------------


@gives([[0.0, 2.0, 4.0], [2, 3], [[0.0, 6.0], [2.0, 8.0], [4.0, 10.0]], [3], [0.0, 3.0, 6.0]])
def debug_unwrap_inside_vmap(t):
    seen, unwrap, x = [], t.func.debug_unwrap, t.arange(6.0).reshape(2, 3)
    t.vmap(lambda v: seen.append(unwrap(v * 2)) or v)(t.arange(3.0))
    t.vmap(t.vmap(lambda v: seen.append(list(unwrap(v).shape)) or v))(x)
    t.vmap(t.vmap(lambda v: seen.append(unwrap(v * 2, recurse=True)) or v), in_dims=1)(x)
    t.vmap(t.vmap(lambda v: seen.append(list(unwrap(v, recurse=False).shape)) or v))(x)
    t.vmap(lambda v: t.func.grad(lambda w: seen.append(unwrap(v * 3)) or w)(v))(
        t.arange(3.0)
    )  # from further out
    return seen


def anomaly(name: str, transform, message: str):
    def case(t):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with t.autograd.detect_anomaly():
                transform(t)

    case.__name__ = f"anomaly_in_{name}"
    fails(RuntimeError, message)(case)


SQRT = "Function 'SqrtBackward0' returned nan values in its 0th output."
for _name, _transform in (
    ("grad", lambda t: t.func.grad(lambda x: (x.sqrt() * 0).sum())(t.zeros(2))),
    ("vmap_of_grad", lambda t: t.vmap(t.func.grad(lambda x: x.sqrt() * 0))(t.arange(2.0))),
    ("vjp", lambda t: t.func.vjp(t.sqrt, t.zeros(1))[1](t.zeros(1))),
    ("jacrev", lambda t: t.func.jacrev(lambda x: x.sqrt() * 0)(t.arange(2.0))),
    ("hessian", lambda t: t.func.hessian(lambda x: x.sqrt().sum())(-t.ones(2))),
    ("what_the_result_hides", lambda t: t.func.grad(lambda x: t.where(x > 0, x.sqrt() * 0, x))(t.zeros(()))),
):
    anomaly(_name, _transform, SQRT)


@gives([[2.0], [0.0], [float("inf")]])
def anomaly_mode_without_nan(t):
    with warnings.catch_warnings(), t.no_grad():
        warnings.simplefilter("ignore")
        with t.autograd.detect_anomaly():
            a = t.func.grad(lambda x: (x * 2).sum())(t.ones(1))
            b = t.func.grad(lambda x: (x * t.tensor(-1.0).sqrt().nan_to_num()).sum())(
                t.ones(1)
            )  # of a constant
        with t.autograd.detect_anomaly(check_nan=False):
            c = t.func.grad(lambda x: x.sqrt().sum())(t.zeros(1))
    return a, b, c


@gives([False, False, True])
def what_a_transform_captures_detached_has_no_gradient(t):
    y, x = leaf(t), t.ones(2)
    results = [
        t.func.grad(lambda a: (a * y.detach()).sum())(x),
        t.vmap(lambda a: a * y.detach().sum())(x),
        t.func.grad(lambda a: (a * y).sum())(x),
    ]
    return [r.requires_grad for r in results]


@gives([[False, "caught x", False], [True, False], [True, False]])
def a_generator_under_no_grad_is_thrown_into_and_closed_there(t):
    """And the grad mode in which its except and finally clauses ran."""
    seen = []

    @t.no_grad()
    def generate():
        try:
            yield t.is_grad_enabled()
        except ValueError as error:
            yield f"caught {error}"
            yield t.is_grad_enabled()
        finally:
            seen.append(t.is_grad_enabled())

    thrown, closed = generate(), generate()
    got = [next(thrown), thrown.throw(ValueError("x")), next(thrown)]
    thrown.close()
    next(closed)
    closed.close()
    return got, [t.is_grad_enabled(), seen[0]], [t.is_grad_enabled(), seen[1]]


@gives([[True, False], [True, False], [False, True]])
def inference_mode_false_ends_no_grad_too(t):
    def modes():
        return [t.is_grad_enabled(), t.is_inference_mode_enabled()]

    with t.inference_mode():
        with t.inference_mode(False):
            inner = modes()
        after = modes()
    with t.no_grad(), t.inference_mode(False):
        return inner, modes(), after


@gives([False, ["Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions "
                "or methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` "
                "method and nothing else."]])  # fmt: skip
def a_class_under_no_grad_is_warned_of(t):
    class Made:
        def __init__(self):
            self.grad = t.is_grad_enabled()

    made, messages = noted(lambda: t.no_grad()(Made))
    return made().grad, messages
