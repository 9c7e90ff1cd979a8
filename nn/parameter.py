"""Parameter and Buffer: tensors that a Module registers by itself when they are assigned as attributes.

Their Uninitialized forms have no shape yet: lazy modules materialize them when they see their first input.
"""

from __future__ import annotations

from typing import Any

from functorch_lite._core.api import Tensor, disabled, refuse_pytorchs, set_state
from functorch_lite._core.api import functions as torch
from functorch_lite.serialization import rebuilding as _rebuilding

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]


class _ParameterMeta(type(Tensor)):
    """Lets tensors of foreign classes that carry `_is_param = True` pass for a Parameter."""

    def __instancecheck__(cls, instance) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that is a module's parameter: assigned as an attribute, it shows up in `parameters()`.

    Args:
        data: the tensor whose storage it shares; an empty tensor when None.
        requires_grad: whether it takes gradients.

    >>> Parameter(torch.zeros(2))
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    __torch_function__ = staticmethod(disabled)

    def __new__(cls, data: Any = None, requires_grad: bool = True):
        if data is None:
            data = torch.empty(0)
        if type(data) is Tensor or type(data) is cls or isinstance(data, Parameter):
            if requires_grad and not (data.is_floating_point() or data.is_complex()):
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            return Tensor._make_subclass(cls, data, requires_grad)
        refuse_pytorchs(data)
        # A tensor of the user's own class keeps its class.
        made = data.detach().requires_grad_(requires_grad)
        if type(made) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
                f"instance of the same type, but return type {type(made).__name__} was found instead. To use the type as "
                "a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() implementation."
            )
        made._is_param = True
        return made

    def __repr__(self, *args, **kwargs) -> str:
        shown = super().__repr__(*args, **kwargs)
        return "Parameter containing:\n" + (shown if type(self) is Parameter else f"Parameter({shown})")

    def __deepcopy__(self, memo: dict):
        done = memo.get(id(self))
        if done is None:
            done = type(self)(self.data.clone(), self.requires_grad)
            memo[id(self)] = done  # as in torch, the copy starts without a gradient
        return done

    def __reduce_ex__(self, protocol):
        # as in torch, what comes back is a Parameter, with all that was set on it: a class of its own may take other
        # arguments
        return _rebuild_parameter, (Parameter, self.data, self.requires_grad, self.__getstate__())


_rebuilding.nn.Parameter = Parameter


def _rebuild_parameter(cls: type, data: Tensor, requires_grad: bool, state: Any = None):
    made = cls(data, requires_grad)
    set_state(made, state)
    return made


class _BufferMeta(type(Tensor)):
    """A Buffer is any tensor that carries `_is_buffer = True`."""

    def __instancecheck__(cls, instance) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that is a module's buffer: state that is not a parameter, such as a running mean.

    Args:
        data: the tensor whose storage it shares; an empty tensor when None.
        persistent: whether it is part of the module's `state_dict()`.

    >>> module = nn.Module()
    >>> module.scale = nn.Buffer(torch.ones(2))
    >>> [name for name, _ in module.named_buffers()]
    ['scale']
    """

    __torch_function__ = staticmethod(disabled)

    def __new__(cls, data: Any = None, *, persistent: bool = True):
        if data is None:
            data = torch.empty(0)
        refuse_pytorchs(data)
        made = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made


_UNINITIALIZED = (
    "Attempted to use an uninitialized parameter in {}. This error happens when you are using a `LazyModule` or explicitly "
    "manipulating `torch.nn.parameter.{}` objects. When using LazyModules Call `forward` with a dummy batch to initialize the "
    "parameters before calling torch functions"
)


class _UninitializedTensor:
    """No values and no shape, but a dtype and a device; any function that reads it raises."""

    cls_to_become: type
    _aval: Any

    def _refuse(self, what: str) -> ValueError:
        return ValueError(_UNINITIALIZED.format(what, type(self).__name__))

    @property
    def _cell(self):
        raise self._refuse("a function of tensors")

    @_cell.setter
    def _cell(self, value):
        """An uninitialized tensor holds nothing; the data it is made from is dropped."""

    @property
    def shape(self):
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` to "
            "initialize the parameters before accessing their attributes."
        )

    @property
    def data(self):
        return torch.empty(0, device=self.device, dtype=self.dtype)

    @data.setter
    def data(self, new: Any) -> None:
        self._aval = new._aval

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Becomes an ordinary Parameter (or Tensor) of this shape, whose values are uninitialized."""
        device = self.device if device is None else device
        dtype = self.dtype if dtype is None else dtype
        requires_grad = self.requires_grad
        made = torch.empty(shape, device=device, dtype=dtype)
        self.__class__ = self.cls_to_become
        self._cell, self._aval = made._cell, made._aval
        if requires_grad:  # its leaf knew no shape
            self._edge = None
            self.requires_grad_(True)

    def _like(self, device: Any = None, dtype: Any = None) -> Any:
        made = _uninitialized(type(self), self.requires_grad, device or self.device, dtype or self.dtype)
        if isinstance(self, UninitializedBuffer):
            made.persistent, made._is_buffer = self.persistent, True
        return made

    def to(self, *args: Any, **kwargs: Any) -> Any:
        target = torch.empty(0, device=self.device, dtype=self.dtype).to(*args, **kwargs)
        return self._like(target.device, target.dtype)

    def float(self) -> Any:
        return self._like(dtype=torch.float32)

    def double(self) -> Any:
        return self._like(dtype=torch.float64)

    def half(self) -> Any:
        return self._like(dtype=torch.float16)

    def bfloat16(self) -> Any:
        return self._like(dtype=torch.bfloat16)

    def cpu(self) -> Any:
        return self._like(device="cpu")

    def cuda(self, device: Any = None, non_blocking: bool = False) -> Any:
        return self._like(device="cuda" if device is None else device)

    def copy_(self, src: Any, non_blocking: bool = False) -> Any:
        """Takes what has no elements, such as another uninitialized tensor: lazy modules are copied so, and stay
        lazy."""
        if self.requires_grad and torch.is_grad_enabled():
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        self.data.copy_(src.data if isinstance(src, _UninitializedTensor) else src)
        return self

    def numel(self) -> int:
        raise self._refuse("numel()")

    def share_memory_(self) -> Any:
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before "
            "calling `module.share_memory()`."
        )

    def __len__(self) -> int:
        raise self._refuse("len()")

    def __deepcopy__(self, memo: dict):
        done = memo.get(id(self))
        if done is None:
            done = memo[id(self)] = self._like()
        return done

    def __reduce_ex__(self, protocol):
        persistent = getattr(self, "persistent", None)
        return _rebuild_uninitialized, (type(self), self.requires_grad, self.device, self.dtype, persistent)

    def __repr__(self, *args, **kwargs) -> str:
        return f"<{type(self).__name__}>"


def _uninitialized(cls: type, requires_grad: bool, device: Any, dtype: Any) -> Any:
    return Tensor._make_subclass(cls, torch.empty(0, device=device, dtype=dtype), requires_grad)


def _rebuild_uninitialized(cls: type, requires_grad: bool, device: Any, dtype: Any, persistent: bool | None):
    if persistent is None:
        return cls(requires_grad, device, dtype)
    return cls(requires_grad, device, dtype, persistent)


UninitializedTensorMixin = _UninitializedTensor  # PyTorch's name of it


class UninitializedParameter(_UninitializedTensor, Parameter):
    """A Parameter whose shape is not known yet; `materialize(shape)` makes it an ordinary one.

    Args:
        requires_grad: whether the parameter is trained. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    >>> UninitializedParameter()
    <UninitializedParameter>
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None):
        return _uninitialized(cls, requires_grad, device, dtype)


class UninitializedBuffer(_UninitializedTensor, Tensor):
    """A buffer whose shape is not known yet; `materialize(shape)` makes it an ordinary tensor.

    Args:
        requires_grad: whether the buffer takes part in autograd. Default: False.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        persistent: whether the buffer is part of the state dict. Default: True.

    >>> buffer = nn.UninitializedBuffer()
    >>> buffer.materialize((2, 3)); tuple(buffer.shape)
    (2, 3)
    """

    cls_to_become = Tensor
    __torch_function__ = staticmethod(disabled)

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ):
        made = _uninitialized(cls, requires_grad, device, dtype)
        made.persistent = persistent
        made._is_buffer = True
        return made


def is_lazy(param: Any) -> bool:
    """Returns whether a parameter or buffer is still uninitialized."""
    return isinstance(param, _UninitializedTensor)
