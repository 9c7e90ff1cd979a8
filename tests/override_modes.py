"""More of `override_programs`: modes, functions of one's own that can be overridden, and what torch.overrides tells of
functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.override_programs import CASES, case, logging_class, many, matrix, outcome, plain, plain_class

__all__ = ["CASES", "outcome"]

# -- modes -----------------------------------------------------------------------------------------------------------


def log_mode(M: Any, calls: list, name: str = "") -> Any:
    """A mode that notes what is called."""

    class Log(M.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            calls.append(f"{name}{M.overrides.resolve_name(func)}")
            return func(*args, **(kwargs or {}))

    return Log()


def under_mode(program: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A case that runs a program under a mode that notes what is called."""

    def fn(M):
        calls: list = []
        with log_mode(M, calls):
            result = program(M)
        return list(calls), plain(result, M)

    return fn


many(
    "mode",
    {
        "factories": under_mode(
            lambda M: (M.ones(2), M.zeros(1), M.tensor([1.0]), M.arange(3), M.eye(2), M.full((1,), 2.0))
        ),
        "random": under_mode(
            lambda M: (M.rand(2).shape, M.randn(1).shape, M.randint(3, (2,)).shape, M.randperm(3).shape)
        ),
        "operators": under_mode(lambda M: (M.ones(2) + 1) * 2 - 1),
        "properties": under_mode(lambda M: M.ones(2).shape),
        "methods": under_mode(lambda M: M.ones(2, 2).sum(0).mean()),
        "functional": under_mode(lambda M: M.nn.functional.relu(M.ones(2))),
        "composite functional": under_mode(
            lambda M: M.nn.functional.cross_entropy(M.ones(2, 2), M.tensor([0, 1]))
        ),
        "linalg": under_mode(lambda M: M.linalg.det(M.eye(2))),
        "views": under_mode(lambda M: M.arange(4.0).view(2, 2).t()[0]),
        "in place": under_mode(lambda M: M.ones(2).add_(1).mul_(2)),
        "conversions": under_mode(lambda M: M.ones(2).double().tolist()),
        "einsum of a list": under_mode(lambda M: M.einsum("i,i", [M.ones(2), M.ones(2)])),
        "item": under_mode(lambda M: M.tensor(2.5).item()),
        "stack": under_mode(lambda M: M.stack([M.ones(2), M.zeros(2)])),
        "backward": under_mode(lambda M: M.ones(2, requires_grad=True).sum().backward()),
        "einsum": under_mode(lambda M: M.einsum("i,i->", M.ones(2), M.ones(2))),
        "settings": under_mode(lambda M: (M.get_default_dtype(), M.is_tensor(1))),
        "numpy": under_mode(lambda M: M.from_numpy(__import__("numpy").ones(2))),
        "indexing": under_mode(lambda M: M.arange(3)[1:]),
        "writing": under_mode(lambda M: M.zeros(2).__setitem__(0, 1.0)),
        "comparison": under_mode(lambda M: M.ones(2) > 0),
        "split": under_mode(lambda M: M.ones(2).split(1)),
    },
)


@case
def nested_modes(M):
    calls: list = []
    with log_mode(M, calls, "outer "), log_mode(M, calls, "inner "):
        M.ones(2) + 1
    M.ones(2)
    return calls


@case
def a_mode_that_replaces(M):
    class Twos(M.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            if func is M.ones:
                return M.full(args[0] if isinstance(args[0], tuple) else args, 2.0)
            return func(*args, **(kwargs or {}))

    with Twos():
        inside = M.ones(2)
    return inside, M.ones(2)


@case
def a_mode_that_calls_itself_again(M):
    calls: list = []

    class Log(M.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            calls.append(M.overrides.resolve_name(func))
            if func is M.ones:
                with self:
                    return M.zeros(*args) + 1
            return func(*args, **(kwargs or {}))

    with Log():
        found = M.ones(2)
    return calls, found


@case
def a_mode_changes_arguments(M):
    class Double(M.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if func in (M.ones, M.zeros):
                kwargs["dtype"] = M.float64
            return func(*args, **kwargs)

    with Double():
        return M.ones(2), M.zeros(2) + 1


@case
def a_mode_and_a_subclass(M):
    calls: list = []
    cls = logging_class(M)
    x = matrix(M, cls)
    cls.calls.clear()
    with log_mode(M, calls, "mode "):
        y = x + 1
    return calls, cls.calls, type(y).__name__


@case
def a_mode_that_raises_is_left(M):
    class Raises(M.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            raise KeyError("no")

    try:
        with Raises():
            M.ones(2)
    except KeyError:
        return M.ones(2)


@case
def no_modes_for_a_while(M):
    calls: list = []
    with log_mode(M, calls):
        M.ones(1)
        with M._C.DisableTorchFunction():
            M.zeros(1)
    return calls


@case
def base_mode(M):
    with M.overrides.BaseTorchFunctionMode():
        return M.ones(2) + 1


# -- functions of one's own ------------------------------------------------------------------------------------------


def doubling(M: Any) -> Callable:
    """A function that can be overridden, as the documentation writes it."""

    def double(x, scale=2):
        if M.overrides.has_torch_function_unary(x):
            return M.overrides.handle_torch_function(double, (x,), x, scale=scale)
        return x * scale

    return double


@case
def handle_torch_function(M):
    double = doubling(M)

    class Says:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func is double, [t.__name__ for t in types], len(args), kwargs

    return double(Says()), double(M.ones(2)), double(M.ones(2).as_subclass(plain_class(M)), 3), double(2)


@case
def handle_torch_function_when_nobody_answers(M):
    double = doubling(M)

    class D:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    return double(D())


@case
def has_torch_function_variadic(M):
    x = matrix(M, plain_class(M))
    has = M.overrides.has_torch_function_variadic
    return has(x), has(1, x), has(M.ones(1), None), has(M.nn.Parameter(M.ones(1))), has()


@case
def wrap_torch_function(M):
    @M.overrides.wrap_torch_function(lambda a, b=None: (a, b))
    def mine(a, b=None):
        return "plain"

    class Says:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__

    return mine(1), mine(Says()), mine(1, b=Says()), mine.__name__


NAMES = (
    "add", "mean", "stack", "einsum", "Tensor.add", "Tensor.__getitem__", "Tensor.sum", "Tensor.__repr__", "nn.functional.relu",
    "linalg.inv", "fft.fft", "nn.functional.cross_entropy", "Tensor.backward", "Tensor.add_", "where", "Tensor.__rsub__",
    "nn.functional.mse_loss", "Tensor.to", "special.erf",
)  # fmt: skip


def find(M: Any, path: str) -> Any:
    """The function of a dotted name."""
    for part in path.split("."):
        M = getattr(M, part)
    return M


@case
def resolve_name(M):
    found = [M.overrides.resolve_name(find(M, name)) for name in NAMES if name != "einsum"]
    return found, M.overrides.resolve_name(M.Tensor.shape.__get__), M.overrides.resolve_name(print)


@case
def is_tensor_method_or_property(M):
    asks = M.overrides.is_tensor_method_or_property
    return (
        [asks(find(M, n)) for n in NAMES],
        asks(M.Tensor.shape.__get__),
        asks(M.Tensor.requires_grad.__get__),
        asks(M.add),
    )


@case
def overridable_functions(M):
    found = M.overrides.get_overridable_functions()
    listed = {id(f) for group in found.values() for f in group}
    ignored = M.overrides.get_ignored_functions()
    return (
        [id(find(M, n)) in listed for n in NAMES],
        [
            find(M, n) in ignored
            for n in ("tensor", "zeros", "rand", "is_tensor", "set_default_tensor_type", "add", "ones")
        ],
        M.Tensor in found,
        M.nn.functional in found,
    )


@case
def testing_overrides(M):
    overrides = M.overrides.get_testing_overrides()
    return [
        overrides[find(M, n)](*[None] * 2) for n in ("add", "Tensor.add", "nn.functional.mse_loss", "matmul")
    ], M.mean in overrides


@case
def default_nowrap_functions(M):
    found = M.overrides.get_default_nowrap_functions()
    return M.Tensor.grad.__get__ in found, M.Tensor._base.__get__ in found, M.Tensor.add in found


@case
def functions_and_methods_are_told_apart(M):
    return (
        M.add is M.Tensor.add,
        M.add is M.add,
        M.Tensor.add is M.Tensor.add,
        M.Tensor.shape.__get__ == M.Tensor.shape.__get__,
    )
