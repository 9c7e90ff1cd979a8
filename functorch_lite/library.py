"""torch.library: ops of the user's own, which are Python functions of tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from . import _ops
from ._core.api import Tensor
from .api_names import listed, lookup_of
from .autograd import Function
from .autograd.grad_mode import no_grad

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "get_ctx", "impl", "impl_abstract", "infer_schema", "opcheck", "register_autocast", "register_autograd",
    "register_fake", "register_kernel", "register_torch_dispatch", "register_vmap", "triton_op", "wrap_triton",
]  # fmt: skip
__dir__ = listed(__name__)

_ops_here: dict[str, CustomOpDef] = {}

_NO_FORMULA = "Trying to backward through {name} but no autograd formula was registered. Please use register_autograd to add one."


class CustomOpDef:
    """An op of the user's: what `custom_op` makes. Called as the function."""

    def __init__(
        self,
        name: str,
        fn: Callable | None,
        mutates_args: Any = (),
        signature: inspect.Signature | None = None,
    ):
        space, colons, last = name.partition("::")
        if not (space and colons and last):
            raise ValueError(
                f"custom_op(name): expected name to be of the form 'namespace::name', but got {name!r}"
            )
        self._qualname, self._namespace, self._name = name, space, last
        self._mutates = mutates_args
        self._kernels: dict[str, Callable] = {} if fn is None else {"default": fn}
        self._signature = signature or (inspect.signature(fn) if fn is not None else None)
        self._backward: Callable | None = None
        self._setup: Callable | None = None
        self._vmap: Callable | None = None
        self._fake: Callable | None = None
        self._function: Any = None
        self.__name__ = last
        self.__doc__ = getattr(fn, "__doc__", None)
        _ops_here[name] = self
        _ops.register(name, self)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._signature is not None:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if self._mutates:
            with no_grad():
                return self._run(*args, **kwargs)
        if kwargs:  # which a Function does not take
            names = tuple(kwargs)
            return self._made(names).apply(*args, *kwargs.values())
        return self._made(()).apply(*args)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        on = next((x.device.type for x in (*args, *kwargs.values()) if isinstance(x, Tensor)), "cpu")
        fn = self._kernels.get(on) or self._kernels.get("default")
        if fn is None:
            raise NotImplementedError(
                f"{self._qualname}: it has no kernel for {on!r}, but for {sorted(self._kernels) or 'nothing'}"
            )
        return fn(*args, **kwargs)

    def _made(self, names: tuple[str, ...]) -> Any:
        """The autograd.Function of it, with the last arguments by these names."""
        if self._function is None or self._function[0] != names:
            self._function = names, _function_of(self, names)
        return self._function[1]

    def register_kernel(self, device_types: Any, func: Callable | None = None) -> Callable:
        """Registers what runs for tensors of some devices ("cpu", "cuda")."""

        def register(fn: Callable) -> Callable:
            types = [device_types] if isinstance(device_types, str) else device_types or ["default"]
            self._kernels.update(dict.fromkeys(types, fn))
            return fn

        return register if func is None else register(func)

    def register_fake(self, fn: Callable) -> Callable:
        """Registers what gives results of the right shape and dtype without computing them: what is called for 'meta'
        tensors."""
        self._fake = self._kernels["meta"] = fn
        return fn

    def register_autograd(self, backward: Callable, /, *, setup_context: Callable | None = None) -> None:
        """Registers the derivative: `backward(ctx, *grads)` gives one gradient for each argument,
        `setup_context(ctx, inputs, output)` saves for it."""
        if self._mutates:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self._qualname}. Please create a functional operator and register an "
                "autograd formula for that."
            )
        self._backward, self._setup, self._function = backward, setup_context, None

    def register_vmap(self, func: Callable | None = None) -> Callable:
        """Registers the op on batches: `func(info, in_dims, *args)` gives (output, out_dims)."""

        def register(fn: Callable) -> Callable:
            self._vmap, self._function = fn, None
            return fn

        return register if func is None else register(func)

    def register_torch_dispatch(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError."""
        raise NotImplementedError(
            "register_torch_dispatch: dispatch rules are not supported, because this library has no dispatcher; define __torch_function__ to take over a call"
        )

    def register_autocast(self, device_type: str, cast_inputs: Any) -> NoReturn:
        """Raises NotImplementedError."""
        raise NotImplementedError("register_autocast: cast the arguments in the op's function")


def _function_of(op: CustomOpDef, names: tuple[str, ...]) -> Any:
    n = len(names)

    def forward(*args: Any) -> Any:
        plain, named = (args[:-n], dict(zip(names, args[-n:]))) if n else (args, {})
        return op._run(*plain, **named)

    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        if op._setup is None:
            return
        if n:
            op._setup(
                ctx=ctx, inputs=inputs[:-n], keyword_only_inputs=dict(zip(names, inputs[-n:])), output=output
            )
        else:
            op._setup(ctx=ctx, inputs=inputs, output=output)

    def backward(ctx: Any, *grads: Any) -> Any:
        if op._backward is None:
            raise RuntimeError(_NO_FORMULA.format(name=op._qualname))
        found = op._backward(ctx, *grads)
        found = found if isinstance(found, tuple) else (found,)
        return found + (None,) * n

    space: dict[str, Any] = {
        "forward": staticmethod(forward), "setup_context": staticmethod(setup_context), "backward": staticmethod(backward),
    }  # fmt: skip
    if op._vmap is not None:
        rule = op._vmap
        space["vmap"] = staticmethod(lambda info, in_dims, *args: rule(info, in_dims, *args))
    else:
        space["generate_vmap_rule"] = True
    return type(op._name, (Function,), space)


def custom_op(
    name: str, fn: Callable | None = None, /, *, mutates_args: str | Iterable[str], device_types: Any = None, schema: str | None = None, tags: Any = None
) -> Any:  # fmt: skip
    """A Python function of tensors as the op `namespace::name`: a CustomOpDef, also at `torch.ops.namespace.name` in
    the drop-in `torch`.

    It has no derivative before `register_autograd` gives one, and its function is not looked into: it may call NumPy.
    mutates_args: the names of the arguments that it writes to, or () if none. device_types: of which devices it takes
    tensors, by default of all.

    >>> @custom_op("mine::double", mutates_args=())
    ... def double(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.from_numpy(2 * x.numpy())
    >>> double.register_autograd(lambda ctx, grad: 2 * grad)
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """

    def make(fn: Callable) -> CustomOpDef:
        op = CustomOpDef(
            name,
            None,
            mutates_args if isinstance(mutates_args, str) else tuple(mutates_args),
            inspect.signature(fn),
        )
        op.register_kernel(device_types, fn)
        op.__doc__ = fn.__doc__
        return op

    return make if fn is None else make(fn)


def _op(op: Any) -> CustomOpDef:
    if isinstance(op, CustomOpDef):
        return op
    name = op if isinstance(op, str) else getattr(op, "_qualified_op_name", None) or op.name()
    found = _ops_here.get(name.partition(".")[0] if "::" not in name else name.split(".")[0])
    if found is None:
        raise RuntimeError(
            f"operator {name} does not exist here: torch.library extends ops that custom_op or define made"
        )
    return found


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Makes the op `namespace::name`, whose function `impl` gives. schema: "(Tensor x) -> Tensor"; PyTorch's types are
    not checked."""
    if "(" in qualname:
        raise ValueError(
            f"define(qualname, schema): expected qualname to be of the form 'ns::name', got {qualname!r}"
        )
    CustomOpDef(qualname.split(".")[0], None, ())


def impl(qualname: str, types: Any, func: Callable | None = None, *, lib: Any = None) -> Any:
    """Registers an op's function for some devices, "default" being all others."""
    op = _op(qualname)
    return op.register_kernel(types, func)


def register_kernel(op: Any, device_types: Any, func: Callable | None = None, /, *, lib: Any = None) -> Any:
    """`CustomOpDef.register_kernel`."""
    return _op(op).register_kernel(device_types, func)


def register_fake(
    op: Any,
    func: Callable | None = None,
    /,
    *,
    lib: Any = None,
    _stacklevel: int = 1,
    allow_override: bool = False,
) -> Any:
    """`CustomOpDef.register_fake`.

    An op of a package's C++ library, which `torch.ops.load_library` refused, may be named: a call of it says so."""
    name = op.split(".")[0] if isinstance(op, str) else ""
    missing = name not in _ops_here and name.partition("::")[0] in _ops.not_loaded
    found = CustomOpDef(name, None) if missing else _op(op)
    return found.register_fake if func is None else found.register_fake(func)


impl_abstract = register_fake


def register_autograd(
    op: Any, backward: Callable, /, *, setup_context: Callable | None = None, lib: Any = None
) -> None:
    """`CustomOpDef.register_autograd`."""
    _op(op).register_autograd(backward, setup_context=setup_context)


def register_vmap(op: Any, func: Callable | None = None, /, *, lib: Any = None) -> Any:
    """`CustomOpDef.register_vmap`."""
    return _op(op).register_vmap(func)


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Any = None) -> NoReturn:
    """Raises NotImplementedError."""
    _op(op).register_autocast(device_type, cast_inputs)
    raise AssertionError


def register_torch_dispatch(op: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    _op(op).register_torch_dispatch()
    raise AssertionError


class Library:
    """The ops of a namespace, to define and to implement: `Library("mine", "DEF")`. Ops of others, of aten for one,
    cannot be changed."""

    def __init__(self, ns: str, kind: str, dispatch_key: str = ""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if kind == "DEF" and ns in ("prim",):
            raise ValueError(
                f"{ns} is a reserved namespace. Please try creating a library with another name."
            )
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Makes an op of "name(Tensor x) -> Tensor"; returns its name."""
        name = schema.partition("(")[0].strip()
        define(f"{self.ns}::{name}", schema[len(name) :])
        return name

    def impl(
        self,
        op_name: Any,
        fn: Callable,
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:
        """Gives an op its function, for a dispatch key: CPU, CUDA, Meta, or Composite… for all. Others raise
        NotImplementedError."""
        key = dispatch_key or self.dispatch_key or "CompositeExplicitAutograd"
        device = {"CPU": "cpu", "CUDA": "cuda", "Meta": "meta"}.get(
            key, "default" if key.startswith("Composite") else None
        )
        if device is None:
            raise NotImplementedError(
                f"Library.impl: the dispatch key {key!r} is not supported; pass CPU, CUDA, Meta or CompositeExplicitAutograd"
            )
        name = op_name if isinstance(op_name, str) else op_name.name()
        _op(name if "::" in name else f"{self.ns}::{name}").register_kernel(device, fn)


def get_ctx() -> NoReturn:
    """Raises NotImplementedError: results of a fake function have shapes that are numbers."""
    raise NotImplementedError(
        "torch.library.get_ctx: a fake function cannot create an unknown size, because shapes are concrete ints; compute the size from the shapes of the arguments"
    )


def opcheck(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(
        "torch.library.opcheck: it checks PyTorch's dispatcher. Use torch.autograd.gradcheck for the derivative"
    )


def infer_schema(
    prototype_function: Callable, /, *, mutates_args: Any, op_name: str | None = None
) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError("torch.library.infer_schema: ops have Python signatures here, and no schemas")


def triton_op(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(
        "torch.library.triton_op: Triton's kernels take PyTorch's tensors; jax_function takes Pallas kernels"
    )


wrap_triton = triton_op

__getattr__ = lookup_of(__name__)
