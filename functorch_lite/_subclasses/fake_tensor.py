"""torch._subclasses.fake_tensor: tensors that have a shape, a dtype and a device, but no values: tensors of the
device 'meta' that report a different device."""

from __future__ import annotations

from typing import Any

from .._core.api import DisableTorchFunction, Tensor, dtypes, name_of, share_tensor
from .._core.api import device as Device
from ..func._trees import flatten, unflatten
from ..nn.parameter import Parameter
from ..overrides import TorchFunctionMode

__all__ = [
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "FakeTensor",
    "FakeTensorMode",
    "is_fake",
]


class UnsupportedFakeTensorException(RuntimeError):
    """Error for things that a tensor without numbers cannot do."""


class DataDependentOutputException(RuntimeError):
    """Numbers of a tensor are asked for, and it has none."""


class DynamicOutputShapeException(RuntimeError):
    """The shape of a result follows from numbers, and there are none."""


_READS = frozenset("item tolist __bool__ __float__ __int__ __index__ __complex__ __contains__ equal allclose is_nonzero".split())  # fmt: skip
_SHAPED_BY_NUMBERS = frozenset("nonzero argwhere unique unique_consecutive masked_select bincount _unique2 repeat_interleave".split())  # fmt: skip
_MIXED = (
    "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with 'allow_non_fake_inputs'. "
    "Found in {}"
)


def is_fake(x: Any) -> bool:
    """Returns whether something is a tensor that has no numbers, and says that it is on another device than 'meta'."""
    return isinstance(x, FakeTensor)


class FakeTensor(Tensor):
    """A tensor without numbers. `FakeTensorMode` makes them; what is computed of one is one."""

    fake_mode: FakeTensorMode
    fake_device: Any

    def __new__(cls, fake_mode: FakeTensorMode, elem: Tensor, device: Any) -> FakeTensor:
        made = share_tensor(cls, elem)
        made._edge = elem._edge
        made.fake_mode, made.fake_device = fake_mode, Device(device)  # type: ignore[attr-defined]
        return made  # type: ignore[return-value]

    def __init__(self, fake_mode: FakeTensorMode, elem: Tensor, device: Any):
        pass

    @property
    def device(self) -> Any:  # type: ignore[override]
        """The device that it says it is on."""
        return self.fake_device

    is_meta = property(lambda self: self.fake_device.type == "meta")  # type: ignore[assignment]
    is_cpu = property(lambda self: self.fake_device.type == "cpu")  # type: ignore[assignment]
    is_cuda = property(lambda self: self.fake_device.type == "cuda")  # type: ignore[assignment]

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        fake = next(x for x in flatten((args, kwargs or {}))[0] if isinstance(x, FakeTensor))
        return fake.fake_mode._call(func, args, kwargs or {})

    def __repr__(self) -> str:
        parts = ["..."]
        if self.fake_device.type != "cpu":
            parts.append(f"device='{self.fake_device}'")
        with DisableTorchFunction():
            parts.append(f"size={tuple(self.shape)}")
            if self.dtype is not dtypes.default_dtype():
                parts.append(f"dtype={self.dtype}")
            if self.grad_fn is not None:
                parts.append(f"grad_fn=<{self.grad_fn.name().rpartition('::')[2]}>")
            elif self.requires_grad:
                parts.append("requires_grad=True")
        return f"FakeTensor({', '.join(parts)})"

    __str__ = __repr__

    def __hash__(self) -> int:
        return object.__hash__(self)


class FakeTensorMode(TorchFunctionMode):
    """A context in which functions that create tensors create FakeTensors: shapes, dtypes and errors without a
    computation.

    allow_non_fake_inputs: whether tensors with values may be mixed with fake ones, in which case only their shape is
    used; otherwise AssertionError. An operation that would read values raises DataDependentOutputException. The other
    arguments are for PyTorch's symbolic shapes: shape_env raises NotImplementedError.

    >>> from functorch_lite._subclasses import FakeTensorMode
    >>> with FakeTensorMode() as mode:
    ...     net = torch.nn.Linear(4, 100000)
    ...     net(torch.randn(3, 4))
    FakeTensor(..., size=(3, 100000), grad_fn=<AddmmBackward0>)
    >>> mode.from_tensor(torch.ones(2, 3)).device
    device(type='cpu')
    """

    def __init__(self, *, allow_fallback_kernels: bool = True, allow_non_fake_inputs: bool = False, shape_env: Any = None, static_shapes: bool | None = None, export: bool = False):  # fmt: skip
        if shape_env is not None or static_shapes is False:
            raise NotImplementedError(
                "FakeTensorMode: shape_env= is not supported, because sizes are concrete ints; use torch.export for dynamic sizes"
            )
        self.allow_non_fake_inputs = allow_non_fake_inputs

    def from_tensor(self, tensor: Tensor, *, static_shapes: bool | None = None, **_: Any) -> Any:
        """A FakeTensor of the shape, dtype and device of a tensor."""
        return self._fake(tensor)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return self._call(func, args, kwargs or {})

    def _fake(self, t: Tensor, device: Any = None) -> Any:
        if isinstance(t, FakeTensor):
            return t
        with DisableTorchFunction():
            device = t.device if device is None else device  # type: ignore[attr-defined]
            if t.device.type == "meta":  # type: ignore[attr-defined]
                return FakeTensor(self, t, device)
            made = t.detach().to("meta").requires_grad_(t.requires_grad)  # type: ignore[attr-defined]
        return FakeTensor(self, made, device)

    def _call(self, func: Any, args: tuple, kwargs: dict) -> Any:
        name = (name_of(func) or func.__name__).rpartition(".")[2]
        leaves, structure = flatten((args, kwargs))
        fakes = [x for x in leaves if isinstance(x, FakeTensor)]
        if name in _READS and fakes:
            raise DataDependentOutputException("aten._local_scalar_dense.default")
        if name in _SHAPED_BY_NUMBERS and fakes:
            raise DynamicOutputShapeException(f"aten.{name}.default")
        if name == "numpy" and fakes:
            raise RuntimeError(".numpy() is not supported for tensor subclasses.")
        device = next((x.fake_device for x in fakes), None)
        for k, x in enumerate(leaves):
            if isinstance(x, Tensor) and not isinstance(x, FakeTensor) and x._aval.device.type != "meta":
                if not self.allow_non_fake_inputs:
                    raise AssertionError(_MIXED.format(name_of(func) or name))
                leaves[k] = self._fake(x)
                device = device or x._aval.device
        args, kwargs = unflatten(structure, leaves)
        args, kwargs, given = _on_meta(name, args, kwargs, bool(fakes))
        with DisableTorchFunction():
            result = func(*args, **kwargs)
        return self._wrapped(result, given, device or Device("cpu"))

    def _wrapped(self, result: Any, given: Any, device: Any) -> Any:
        found, made = flatten(result)
        for k, x in enumerate(found):
            if isinstance(x, FakeTensor) and given is not None and given != x.fake_device:
                found[k] = FakeTensor(self, x, given)
            elif isinstance(x, Tensor) and not isinstance(x, FakeTensor | Parameter):
                found[k] = self._fake(x, given or device)
        return unflatten(made, found)


_MAKES = frozenset(
    """
    empty zeros ones full rand randn randint randperm arange linspace logspace eye tensor as_tensor asarray empty_strided scalar_tensor normal
    zeros_like ones_like full_like empty_like rand_like randn_like randint_like new_zeros new_ones new_full new_empty new_tensor
    """.split()
)


def _on_meta(name: str, args: tuple, kwargs: dict, fake: bool) -> tuple[tuple, dict, Any]:
    """The arguments with 'meta' for the device, and which device was given."""
    given = kwargs.get("device")
    if name in ("cpu", "cuda"):
        return (*args[:1], "meta"), {}, Device(name)
    if name == "to" and len(args) > 1 and isinstance(args[1], str | Device):
        given = args[1]
        args = (args[0], "meta", *args[2:])
    if given is not None and "device" in kwargs:
        kwargs = {**kwargs, "device": "meta"}
    elif name in _MAKES and "device" not in kwargs and not (fake and name not in ("tensor", "as_tensor")):
        kwargs = {**kwargs, "device": "meta"}
    return args, kwargs, None if given is None else Device(given)
