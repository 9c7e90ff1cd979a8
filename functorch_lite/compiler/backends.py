"""The names that `backend=` accepts: the names for XLA, and the names of registered backends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

from .errors import InvalidBackend

__all__ = [
    "Pipeline", "check_backend", "get_default_backend", "list_backends", "lookup_backend", "register_backend",
    "registered", "set_default_backend",
]  # fmt: skip

_BACKENDS = {"inductor": (), "openxla": (), "aot_eager": ("debug",), "eager": ("debug",)}
"""Names that ask for nothing but the function's own result, and their tags."""
_OTHER_BACKENDS = (
    "aot_eager_decomp_partition", "aot_eager_default_partitioner", "aot_ts", "cudagraphs", "onnxrt", "tensorrt", "ts", "tvm",
)  # fmt: skip

_TESTING_ONLY = "_TESTING_ONLY"
"""Ending of the names of backends with a planted fault: see `debugging/planted.py`."""

_default: str | Callable = "inductor"

_registered: dict[str, tuple[Callable, tuple[str, ...]]] = {}
"""Backends of the user's by name, with their tags."""

_OF_PACKAGES = "torch_dynamo_backends"
"""The group of entry points that packages name backends in."""


def register_backend(
    compiler_fn: Callable | None = None, name: str | None = None, tags: Sequence[str] = ()
) -> Callable:
    """A function of (torch.fx.GraphModule, example inputs), which `backend=` may name from here on; a decorator.

    The name is the function's own unless given.

    >>> @torch._dynamo.register_backend
    ... def as_it_is(gm, example_inputs):
    ...     return gm.forward
    >>> torch.compile(lambda x: x + 1, backend="as_it_is")(torch.ones(2))
    tensor([2., 2.])
    """
    if compiler_fn is None:
        return lambda fn: register_backend(fn, name, tags)
    if not callable(compiler_fn):
        raise AssertionError(f"{compiler_fn} is not callable")
    found = name or getattr(compiler_fn, "__name__", type(compiler_fn).__name__)
    if found in _registered or found in _BACKENDS or found in _OTHER_BACKENDS:
        raise AssertionError(f"duplicate name: {found}")
    _registered[found] = (compiler_fn, tuple(tags))
    return compiler_fn


def registered(name: Any) -> Callable | None:
    """The backend that a name was registered for, here or by an installed package's entry point, or the one with a
    planted fault; None for any other."""
    if not isinstance(name, str) or name in _BACKENDS or name in _OTHER_BACKENDS:
        return None
    if name.endswith(_TESTING_ONLY) and name not in _registered:
        from .debugging.planted import PLANTED  # which needs torch.fx

        if name in PLANTED:
            return PLANTED[name]
    if name not in _registered:
        for point in metadata.entry_points(group=_OF_PACKAGES, name=name):
            _registered[name] = (point.load(), ())
    return _registered[name][0] if name in _registered else None


def lookup_backend(compiler_fn: str | Callable) -> Callable:
    """The backend of a name, which is called with a GraphModule and example inputs; a function is given back.

    "eager" runs the Graph as it stands, "inductor" and "openxla" after the passes that are set.

    >>> gm = torch.fx.symbolic_trace(lambda x: x + 1)
    >>> torch._dynamo.lookup_backend("eager")(gm, [torch.ones(2)])(torch.ones(2))
    tensor([2., 2.])
    """
    check_backend(compiler_fn)
    if not isinstance(compiler_fn, str):
        return compiler_fn
    found = registered(compiler_fn)
    if found is not None:
        return found
    pipeline = _pipeline()
    return (
        pipeline.compile_graph if compiler_fn in ("inductor", "openxla") else pipeline.compile_without_passes
    )


def _pipeline() -> Any:
    from . import pipeline  # which needs torch.fx

    return pipeline


class Pipeline:
    """The backend "inductor", where passes are asked for: see `compile_graph`."""

    def __init__(self, options: dict[str, Any]):
        self.options = dict(options)

    def __call__(self, gm: Any, example_inputs: Sequence[Any]) -> Callable:
        return _pipeline().compile_graph(gm, example_inputs, config_patches=self.options)


def check_backend(backend: Any) -> None:
    """PyTorch's error for a backend that does not exist, and an error of this library for a backend that is not
    supported."""
    if not isinstance(backend, str) and callable(backend):
        return
    if backend in _OTHER_BACKENDS:
        raise NotImplementedError(
            f"torch.compile: the backend '{backend}' is not supported, because XLA compiles the recording; leave backend= out"
        )
    if backend not in _BACKENDS and registered(backend) is None:
        raise InvalidBackend(
            f"Invalid backend: '{backend}', see `torch.compiler.list_backends()` for available backends."
        )


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names that `backend=` accepts: the names for XLA, registered ones, and names that installed packages
    provide."""
    excluded = set(exclude_tags or ())
    known = {**_BACKENDS, **{name: tags for name, (_, tags) in _registered.items()}}
    names = {name for name, tags in known.items() if not excluded & set(tags)}
    return sorted(
        names | {p.name for p in metadata.entry_points(group=_OF_PACKAGES) if p.name not in _OTHER_BACKENDS}
    )


def get_default_backend() -> str | Callable:
    """The default of `backend=`."""
    return _default


def set_default_backend(backend: str | Callable | None) -> None:
    """Sets the default of `backend=`; None is "inductor"."""
    global _default
    if backend is not None and not isinstance(backend, str) and not callable(backend):
        raise TypeError(f"backend must be a string or callable, got {type(backend)}")
    _default = "inductor" if backend is None else backend
