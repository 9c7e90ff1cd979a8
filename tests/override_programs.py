"""Programs in which subclasses of Tensor, other types, and modes take over torch's functions.
Each is a function of the library.

What PyTorch gives is recorded in `golden/override_programs.json`; calls are told by the name of the function.
"""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

CASES: dict[str, Callable[[Any], Any]] = {}


def case(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Adds a program."""
    CASES[fn.__name__] = fn
    return fn


def many(prefix: str, programs: dict[str, Callable[[Any], Any]]) -> None:
    """Adds one-line programs."""
    for name, fn in programs.items():
        CASES[f"{prefix}: {name}"] = fn


def outcome(fn: Callable[[Any], Any], M: Any) -> Any:
    """What a program gives, as JSON: values with the class of their tensors, or the exception's type."""
    try:
        return plain(fn(M), M)
    except Exception as error:
        return {"raises": type(error).__name__}


def plain(x: Any, M: Any) -> Any:
    """A result as JSON."""
    if isinstance(x, M.Tensor):
        with M._C.DisableTorchFunctionSubclass():
            values = x.detach().to(M.float64).tolist() if not x.is_complex() else str(x.tolist())
            return {
                "class": type(x).__name__,
                "dtype": str(x.dtype),
                "grad": x.requires_grad,
                "values": rounded(values),
            }
    if isinstance(x, dict):
        return {str(k): plain(v, M) for k, v in x.items()}
    if isinstance(x, tuple | list):
        return [plain(v, M) for v in x]
    if isinstance(x, float):
        return float(f"{x:.5g}")
    return x if isinstance(x, int | str | type(None)) else str(x)


def rounded(values: Any) -> Any:
    """Nested lists of floats to five digits."""
    return [rounded(v) for v in values] if isinstance(values, list) else float(f"{values:.5g}")


# -- classes ---------------------------------------------------------------------------------------------------------


def plain_class(M: Any) -> type:
    """A subclass that overrides nothing."""

    class Plain(M.Tensor):
        pass

    return Plain


def logging_class(M: Any) -> Any:
    """A subclass that notes what is called, as `calls`."""

    class Logging(M.Tensor):
        calls: list = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.calls.append(
                (M.overrides.resolve_name(func), [t.__name__ for t in types], len(args), sorted(kwargs or {}))
            )
            return super().__torch_function__(func, types, args, kwargs or {})

    Logging.calls = []
    return Logging


def logged(program: Callable[[Any, Any], Any], loosely: bool = False) -> Callable[[Any], Any]:
    """A case that runs a program of (M, a Logging matrix) and gives what was called, loosely by names only, and the
    result."""

    def fn(M):
        cls = logging_class(M)
        x = M.tensor([[1.0, 2.0], [3.0, 4.0]]).as_subclass(cls)
        cls.calls.clear()
        result = program(M, x)
        calls = [c[0] if loosely else c for c in cls.calls]
        return calls, plain(result, M) if not isinstance(result, str) else result

    return fn


def matrix(M: Any, cls: type | None = None) -> Any:
    """[[1, 2], [3, 4]], of a class."""
    x = M.tensor([[1.0, 2.0], [3.0, 4.0]])
    return x if cls is None else x.as_subclass(cls)


# -- what a subclass without a handler gives -------------------------------------------------------------------------

KEPT: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda M, x: x + 1,
    "radd": lambda M, x: 1 + x,
    "with a plain tensor": lambda M, x: M.ones(2, 2) * x,
    "function": lambda M, x: M.exp(x),
    "method": lambda M, x: x.sum(0, keepdim=True),
    "several results": lambda M, x: x.max(1),
    "list of results": lambda M, x: x.split(1),
    "unbind": lambda M, x: list(x.unbind()),
    "stack": lambda M, x: M.stack([M.ones(2, 2), x]),
    "cat": lambda M, x: M.cat((x, x), dim=1),
    "getitem": lambda M, x: x[0],
    "getitem by a list": lambda M, x: x[[1, 0]],
    "getitem by a mask": lambda M, x: x[x > 2],
    "plain indexed by it": lambda M, x: M.arange(6.0)[x.long()],
    "view": lambda M, x: x.view(4),
    "transpose": lambda M, x: x.T,
    "comparison": lambda M, x: x > 2,
    "shape": lambda M, x: x.shape,
    "item": lambda M, x: x[0, 1].item(),
    "tolist": lambda M, x: x.tolist(),
    "detach": lambda M, x: x.detach(),
    "clone": lambda M, x: x.clone(),
    "to": lambda M, x: x.to(M.float64),
    "double": lambda M, x: x.double(),
    "requires_grad_": lambda M, x: x.requires_grad_(),
    "data": lambda M, x: x.data,
    "iteration": lambda M, x: list(x),
    "in place": lambda M, x: x.add_(1),
    "augmented": lambda M, x: augmented(x),
    "setitem": lambda M, x: (x.__setitem__(0, 5.0), x)[1],
    "out": lambda M, x: M.add(x, 1, out=M.empty(2, 2)),
    "new_zeros": lambda M, x: x.new_zeros(2),
    "zeros_like": lambda M, x: M.zeros_like(x),
    "matmul": lambda M, x: x @ x,
    "linalg": lambda M, x: M.linalg.det(x),
    "functional": lambda M, x: M.nn.functional.relu(x),
    "functional sigmoid": lambda M, x: M.nn.functional.sigmoid(x),
    "functional softmax": lambda M, x: M.nn.functional.softmax(x, dim=0),
    "cross entropy": lambda M, x: M.nn.functional.cross_entropy(x, M.tensor([0, 1])),
    "layer_norm": lambda M, x: M.nn.functional.layer_norm(x, (2,)),
    "where": lambda M, x: M.where(x > 2, x, 0.0),
    "where of a plain condition": lambda M, x: M.where(M.tensor([True, False]), x, M.zeros(2)),
    "tensor of it": lambda M, x: M.tensor(x.tolist()),
    "as_tensor": lambda M, x: M.as_tensor(x),
    "as_subclass back": lambda M, x: x.as_subclass(M.Tensor),
    "grad is plain": lambda M, x: grad_of(M, x),
    "base is plain": lambda M, x: type(x.view(4)._base).__name__,
    "norm": lambda M, x: x.norm(),
    "einsum": lambda M, x: M.einsum("ij,jk->ik", x, x),
    "einsum of a list": lambda M, x: M.einsum("ij,ij->i", [x, M.ones(2, 2)]),
    "einsum of a tuple": lambda M, x: M.einsum("ij,ij->", ((M.ones(2, 2), x),)),
    "einsum by numbers": lambda M, x: M.einsum(M.ones(2, 2), [0, 1], x, [0, 1], [0]),
    "topk": lambda M, x: M.topk(x, 1),
    "meshgrid": lambda M, x: M.meshgrid(x[0], x[1], indexing="ij"),
    "broadcast_tensors": lambda M, x: M.broadcast_tensors(x, M.ones(2)),
    "chunk": lambda M, x: M.chunk(x, 2, dim=1),
    "unique": lambda M, x: x.unique(),
    "svd": lambda M, x: M.linalg.svdvals(x),
    "fft": lambda M, x: M.fft.fft(x).real,
    "special": lambda M, x: M.special.expit(x),
    "equal": lambda M, x: M.equal(x, x),
    "allclose": lambda M, x: M.allclose(x, x),
    "is_tensor": lambda M, x: M.is_tensor(x),
    "numpy": lambda M, x: x.numpy().tolist(),
    "len": lambda M, x: len(x),
    "bool": lambda M, x: bool(x[0, 0]),
    "contains": lambda M, x: 3.0 in x,
    "repr": lambda M, x: repr(x),
    "str of a result": lambda M, x: str(x + 0.5),
    "dropout": lambda M, x: M.nn.functional.dropout(x, 0.5, training=False),
    "embedding": lambda M, x: M.nn.functional.embedding(M.tensor([1, 0]), x),
    "linear": lambda M, x: M.nn.functional.linear(x, M.ones(3, 2)),
    "scatter": lambda M, x: x.scatter(0, M.tensor([[0, 1]]), 9.0),
    "pow": lambda M, x: x**2,
    "rpow": lambda M, x: 2**x,
    "neg": lambda M, x: -x,
    "abs": lambda M, x: abs(x),
    "rsub": lambda M, x: 1 - x,
    "rtruediv": lambda M, x: 1 / x,
    "floordiv": lambda M, x: x // 2,
    "mod": lambda M, x: x % 2,
    "invert": lambda M, x: ~(x > 2),
    "and": lambda M, x: (x > 1) & (x < 4),
}
many("kept", {name: lambda M, f=f: f(M, matrix(M, plain_class(M))) for name, f in KEPT.items()})


def augmented(x: Any) -> Any:
    """x += 1; x *= 2."""
    x += 1
    x *= 2
    return x


def grad_of(M: Any, x: Any) -> Any:
    """The gradient of a subclass's leaf."""
    x = x.clone().detach().requires_grad_()
    (x * x).sum().backward()
    return x.grad, type(x.grad).__name__


# -- what a handler is told ------------------------------------------------------------------------------------------

TOLD: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda M, x: x + 1,
    "radd": lambda M, x: 1 + x,
    "plain add": lambda M, x: M.ones(2, 2).add(x),
    "torch.add": lambda M, x: M.add(x, 1, alpha=2),
    "add out": lambda M, x: M.add(M.ones(2, 2), 1, out=x),
    "sub": lambda M, x: x - 1,
    "rsub": lambda M, x: 1 - x,
    "mul": lambda M, x: x * x,
    "div": lambda M, x: x / 2,
    "rdiv": lambda M, x: 2 / x,
    "floordiv": lambda M, x: x // 2,
    "mod": lambda M, x: x % 2,
    "pow": lambda M, x: x**2,
    "matmul": lambda M, x: x @ x,
    "neg": lambda M, x: -x,
    "pos": lambda M, x: +x,
    "abs": lambda M, x: abs(x),
    "eq": lambda M, x: x == 1,
    "lt": lambda M, x: x < 2,
    "reflected lt": lambda M, x: 2 < x,
    "iadd": lambda M, x: augmented(x),
    "getitem": lambda M, x: x[0, 1],
    "setitem": lambda M, x: (x.__setitem__(0, 1.0), x)[1],
    "len": lambda M, x: len(x),
    "bool": lambda M, x: bool(x.sum()),
    "float": lambda M, x: float(x.sum()),
    "shape": lambda M, x: x.shape,
    "dtype": lambda M, x: x.dtype,
    "ndim": lambda M, x: x.ndim,
    "T": lambda M, x: x.T,
    "requires_grad": lambda M, x: x.requires_grad,
    "set requires_grad": lambda M, x: setattr(x, "requires_grad", True),
    "grad": lambda M, x: x.grad,
    "data": lambda M, x: x.data,
    "is_leaf": lambda M, x: x.is_leaf,
    "size": lambda M, x: x.size(0),
    "dim": lambda M, x: x.dim(),
    "numel": lambda M, x: x.nelement(),
    "ndimension": lambda M, x: x.ndimension(),
    "item": lambda M, x: x.sum().item(),
    "tolist": lambda M, x: x.tolist(),
    "numpy": lambda M, x: x.numpy().tolist(),
    "detach": lambda M, x: x.detach(),
    "clone": lambda M, x: x.clone(),
    "float()": lambda M, x: x.float(),
    "to": lambda M, x: x.to(M.float64),
    "sum by keyword": lambda M, x: x.sum(dim=0, keepdim=True),
    "torch.sum": lambda M, x: M.sum(x, 0),
    "reshape": lambda M, x: x.reshape(4),
    "permute": lambda M, x: x.permute(1, 0),
    "stack": lambda M, x: M.stack([x, x]),
    "cat with plain": lambda M, x: M.cat([M.ones(1, 2), x]),
    "where": lambda M, x: M.where(M.tensor([True, False]), x, 0.0),
    "relu": lambda M, x: M.relu(x),
    "exp method": lambda M, x: x.exp(),
    "exp_": lambda M, x: x.exp_(),
    "F.gelu": lambda M, x: M.nn.functional.gelu(x, approximate="tanh"),
    "F.linear": lambda M, x: M.nn.functional.linear(x, M.ones(3, 2)),
    "F.conv1d": lambda M, x: M.nn.functional.conv1d(x[None], M.ones(1, 2, 1)),
    "F.sigmoid": lambda M, x: M.nn.functional.sigmoid(x),
    "F.tanh": lambda M, x: M.nn.functional.tanh(x),
    "as_subclass": lambda M, x: x.as_subclass(M.Tensor),
    "is_tensor": lambda M, x: M.is_tensor(x),
    "is_floating_point": lambda M, x: M.is_floating_point(x),
    "zeros_like": lambda M, x: M.zeros_like(x),
    "new_ones": lambda M, x: x.new_ones(2),
    "a layer": lambda M, x: M.nn.ReLU()(x) is not None,
    "iteration": lambda M, x: len(list(x)),
    "contains": lambda M, x: 3.0 in x,
    "hash": lambda M, x: isinstance(hash(x), int),
    "isinstance": lambda M, x: isinstance(x, M.Tensor),
    "requires_grad_": lambda M, x: x.requires_grad_(),
    "broadcast_to": lambda M, x: x.broadcast_to(2, 2, 2),
    "linalg.inv": lambda M, x: M.linalg.solve(x, M.eye(2)),
    "fft": lambda M, x: M.fft.rfft(x).abs(),
}
many("told", {name: logged(f) for name, f in TOLD.items()})

# Functions that PyTorch has in Python pass their defaults on: there the arguments are not compared.
LOOSELY: dict[str, Callable[[Any, Any], Any]] = {
    "repr": lambda M, x: repr(x),
    "F.relu": lambda M, x: M.nn.functional.relu(x),
    "F.softmax": lambda M, x: M.nn.functional.softmax(x, dim=0),
    "F.mse_loss": lambda M, x: M.nn.functional.mse_loss(x, x),
    "F.cross_entropy": lambda M, x: M.nn.functional.cross_entropy(x, x),
    "F.layer_norm": lambda M, x: M.nn.functional.layer_norm(x, (2,)),
    "F.dropout": lambda M, x: M.nn.functional.dropout(x, 0.5, training=False),
    "F.normalize": lambda M, x: M.nn.functional.normalize(x),
    "split": lambda M, x: x.split(1),
    "torch.split": lambda M, x: M.split(x, 1),
    "norm": lambda M, x: x.norm(),
    "unique": lambda M, x: x.unique(),
    "unflatten": lambda M, x: x.unflatten(0, (1, 2)),
    "register_hook": lambda M, x: x.requires_grad_().register_hook(print) is not None,
    "deepcopy": lambda M, x: copy.deepcopy(x),
    "pickle": lambda M, x: isinstance(x.__reduce_ex__(2), tuple),
    "backward": lambda M, x: (x.requires_grad_().sum().backward(), x.grad)[1],
}
many("told loosely", {name: logged(f, loosely=True) for name, f in LOOSELY.items()})

# -- the examples of PyTorch's documentation -------------------------------------------------------------------------


def scalar_tensor_class(M: Any) -> tuple[type, Callable]:
    """A type of its own: a multiple of the identity, known by its size and number."""
    handled: dict[Callable, Callable] = {}

    class Scalar:
        def __init__(self, n, value):
            self.n, self.value = n, value

        def __repr__(self):
            return f"Scalar(n={self.n}, value={self.value})"

        def tensor(self):
            return self.value * M.eye(self.n)

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func not in handled or not all(issubclass(t, M.Tensor | Scalar) for t in types):
                return NotImplemented
            return handled[func](*args, **(kwargs or {}))

    def implements(torch_function):
        def register(fn):
            handled[torch_function] = fn
            return fn

        return register

    @implements(M.mean)
    def mean(input, dim=None):
        return float(input.value) / input.n

    @implements(M.add)
    def add(input, other, *, alpha=1):
        if isinstance(input, Scalar) and isinstance(other, Scalar) and input.n == other.n:
            return Scalar(input.n, input.value + alpha * other.value)
        dense = [x.tensor() if isinstance(x, Scalar) else x for x in (input, other)]
        return M.add(*dense, alpha=alpha)

    @implements(M.nn.functional.mse_loss)
    def mse_loss(input, target, *args, **kwargs):
        return "a loss"

    @implements(M.stack)
    def stack(tensors, dim=0):
        return M.stack([x.tensor() if isinstance(x, Scalar) else x for x in tensors], dim)

    @implements(M.Tensor.add)
    def add_method(input, other):
        return M.add(input, other)

    return Scalar, implements


SCALAR: dict[str, Callable[[Any, Any], Any]] = {
    "mean": lambda M, s: M.mean(s),
    "mean by dim": lambda M, s: M.mean(s, dim=0),
    "add": lambda M, s: repr(M.add(s, s)),
    "add alpha": lambda M, s: repr(M.add(s, s, alpha=3)),
    "add by keyword": lambda M, s: repr(M.add(input=s, other=s)),
    "add with a tensor": lambda M, s: M.add(s, M.ones(2, 2)),
    "tensor add": lambda M, s: M.add(M.ones(2, 2), s),
    "method": lambda M, s: M.ones(2, 2).add(s),
    "operator": lambda M, s: M.ones(2, 2) + s,
    "reflected operator": lambda M, s: s + M.ones(2, 2),
    "mul": lambda M, s: M.mul(s, s),
    "operator mul": lambda M, s: M.ones(2, 2) * s,
    "eq": lambda M, s: M.ones(2) == s,
    "stack": lambda M, s: M.stack([s, M.ones(2, 2)]),
    "loss": lambda M, s: M.nn.functional.mse_loss(s, M.ones(2, 2)),
    "linear": lambda M, s: M.nn.functional.linear(s, M.ones(2, 2)),
    "linalg": lambda M, s: M.linalg.inv(s),
    "layer": lambda M, s: M.nn.Linear(2, 2)(s),
    "loss layer": lambda M, s: M.nn.MSELoss()(s, M.ones(2, 2)),
    "method sum": lambda M, s: M.ones(2).sum(s),
    "getitem": lambda M, s: M.ones(2)[s],
    "setitem": lambda M, s: M.ones(2).__setitem__(0, s),
    "is_tensor_like": lambda M, s: [M.overrides.is_tensor_like(x) for x in (s, M.ones(1), 1.0, [s])],
    "has_torch_function": lambda M, s: [
        M.overrides.has_torch_function(x) for x in ((s,), (M.ones(1),), (1, s), ())
    ],
    "einsum": lambda M, s: M.einsum("ij->", s),
    "cross entropy": lambda M, s: M.nn.functional.cross_entropy(s, M.ones(2, 2)),
    "is_tensor": lambda M, s: M.is_tensor(s),
    "out": lambda M, s: M.add(M.ones(2), M.ones(2), out=s),
    "inside a list": lambda M, s: M.cat([M.ones(2, 2), s]),
    "where": lambda M, s: M.where(M.ones(2) > 0, s, s),
    "clamp": lambda M, s: M.clamp(M.ones(2), min=s),
    "dropout": lambda M, s: M.nn.functional.dropout(s),
}
many("scalar", {name: lambda M, f=f: f(M, scalar_tensor_class(M)[0](2, 3)) for name, f in SCALAR.items()})


@case
def metadata_tensor(M):
    """A type that carries a note along with a tensor."""

    class Noted:
        def __init__(self, data, note=None):
            self._t, self._note = M.as_tensor(data), note

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            notes = tuple(a._note for a in args if hasattr(a, "_note"))
            unwrapped = [getattr(a, "_t", a) for a in args]
            return cls(func(*unwrapped, **(kwargs or {})), note=notes[0])

    x = Noted([[1.0, 2.0], [3.0, 4.0]], note="from a file")
    found = M.add(x, M.ones(2, 2))
    functional = M.nn.functional.softmax(x, dim=0)
    return type(found).__name__, found._note, found._t, functional._t, M.mul(M.ones(2, 2), x)._note


@case
def several_types(M):
    """A subclass goes before its base, otherwise the first goes first; NotImplemented lets the next one try."""
    seen: list = []

    def make(name, base, answers):
        def handler(cls, func, types, args=(), kwargs=None):
            seen.append((name, [t.__name__ for t in types]))
            return name if answers else NotImplemented

        return type(name, (base,), {"__torch_function__": classmethod(handler)})

    A, C = make("A", object, True), make("C", object, True)
    B, D = make("B", A, True), make("D", object, False)
    found = [
        M.add(A(), B()),
        M.add(C(), A()),
        M.add(A(), C()),
        M.add(D(), C()),
        M.add(B(), A()),
        M.stack([D(), A(), B()]),
    ]
    return found, seen


@case
def nobody_answers(M):
    class D:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    messages = []
    for call in (lambda: M.add(D(), 1), lambda: M.ones(1).add(D()), lambda: M.nn.functional.relu(D())):
        try:
            call()
        except TypeError as error:
            messages.append("NotImplemented" in str(error) or "no implementation found for" in str(error))
    return messages, M.ones(1) == D()


@case
def unrelated_subclasses(M):
    """The inherited handler wants to know all types: two unrelated subclasses have no common answer."""
    A, B = plain_class(M), plain_class(M)
    return matrix(M, A) + matrix(M, B)


@case
def subclass_of_a_subclass(M):
    class A(M.Tensor):
        pass

    class B(A):
        pass

    return matrix(M, A) + matrix(M, B), matrix(M, B) + matrix(M, A), matrix(M, B).sum()


@case
def disabled_handler(M):
    class Quiet(M.Tensor):
        __torch_function__ = M._C._disabled_torch_function_impl

    x = matrix(M, Quiet)
    return type(x).__name__, x + 1, x.sum(), M.overrides.has_torch_function((x,))


@case
def disabled_for_a_while(M):
    x = matrix(M, plain_class(M))
    with M._C.DisableTorchFunctionSubclass():
        inside = type(x + 1).__name__, M.overrides.has_torch_function((x,))
    return inside, type(x + 1).__name__


@case
def own_methods_and_attributes(M):
    class Money(M.Tensor):
        currency = "EUR"

        def doubled(self):
            return self * 2

        @property
        def cents(self):
            return (self * 100).long()

        def sum(self, *args, **kwargs):
            return super().sum(*args, **kwargs) + 1000

    x = matrix(M, Money)
    x.owner = "me"
    return x.doubled(), x.cents, x.sum(), M.sum(x), x.owner, (x + 1).currency, hasattr(x + 1, "owner")


@case
def made_by_calling_the_class(M):
    Plain = plain_class(M)
    return Plain([1.0, 2.0]), Plain(2).shape, Plain(M.ones(2)), Plain([[1, 2]]), Plain()


@case
def new_and_init(M):
    class Noted(M.Tensor):
        @staticmethod
        def __new__(cls, data, note, *args, **kwargs):
            return M.Tensor._make_subclass(cls, M.as_tensor(data))

        def __init__(self, data, note):
            self.note = note

    x = Noted([1.0, 2.0], "hello")
    return x, x.note, x + x


@case
def make_subclass(M):
    Plain = plain_class(M)
    base = M.ones(2)
    x = M.Tensor._make_subclass(Plain, base, True)
    base.add_(1)
    return x, x.is_leaf


@case
def autograd_of_a_subclass(M):
    Plain = plain_class(M)
    w = matrix(M, Plain).clone().detach().requires_grad_()
    y = (w**2).sum()
    (g,) = M.autograd.grad(y, w)
    y = (w**3).sum()
    y.backward()
    return y, w.grad, g.tolist()


@case
def parameter_of_a_subclass(M):
    x = M.ones(2).as_subclass(plain_class(M))
    p = M.nn.Parameter(x)
    layer = M.nn.Module()
    layer.weight = p
    return (
        type(p).__name__,
        isinstance(p, M.nn.Parameter),
        p.requires_grad,
        [n for n, _ in layer.named_parameters()],
        p + 1,
    )


@case
def layer_over_a_subclass(M):
    layer = M.nn.Sequential(M.nn.Linear(2, 3), M.nn.ReLU(), M.nn.Linear(3, 1))
    with M.no_grad():
        for p in layer.parameters():
            p.fill_(0.5)
    return layer(matrix(M, plain_class(M)))


@case
def deepcopy_and_copy(M):
    x = matrix(M, plain_class(M))
    x.note = ["a"]
    y, z = copy.deepcopy(x), copy.copy(x)
    y.note.append("b")
    return y, y.note, x.note, z, z.note


class Pickled:
    """Made a subclass of either library's Tensor, for pickling under a name of this module."""


@case
def pickling(M):
    global Pickled
    before, Pickled = Pickled, type("Pickled", (M.Tensor,), {"__module__": __name__})
    try:
        x = M.ones(2).as_subclass(Pickled)
        x.note = 3
        y = pickle.loads(pickle.dumps(x))
        return y, y.note
    finally:
        Pickled = before


@case
def state_dict_of_subclasses(M):
    layer = M.nn.Linear(2, 2)
    layer.weight = M.nn.Parameter(M.ones(2, 2).as_subclass(plain_class(M)))
    state = layer.state_dict()
    other = M.nn.Linear(2, 2)
    other.load_state_dict(state)
    return type(state["weight"]).__name__, other.weight.tolist(), type(other.weight).__name__


@case
def save_of_a_plain_state(M):
    file = io.BytesIO()
    M.save({"a": M.ones(2)}, file)
    file.seek(0)
    return M.load(file)["a"]


@case
def in_transforms(M):
    x = matrix(M, plain_class(M))
    return M.func.vmap(lambda r: r * 2)(x).tolist(), M.func.grad(lambda t: (t * t).sum())(x).tolist()


@case
def logging_by_repr(M):
    """The documentation's LoggingTensor: printing an argument inside the handler must not call it without end."""
    lines: list = []

    class Logged(M.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func is not M.Tensor.__repr__:
                lines.append(f"{func.__name__} {args!r}")
            return super().__torch_function__(func, types, args, kwargs or {})

    Logged([1.0, 2.0]).exp()
    return lines


@case
def einsum_is_told_of_tensors(M):
    """Whichever way they were given."""
    return [
        logged(lambda M, x, args=args: M.einsum(*args(M, x)))(M)[0]
        for args in (
            lambda M, x: ("ij,ij->i", x, x),
            lambda M, x: ("ij,ij->i", [x, x]),
            lambda M, x: (x, [0, 1], x, [0, 1], [0]),
        )
    ]
