"""The methods of Tensor. Written by `python -m tests.stubs --write`."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from functorch_lite._core.call.size import Size
from functorch_lite._core.call.storage import UntypedStorage
from functorch_lite._core.call.storage import layout as _layout
from functorch_lite._core.lazy.tensor import Tensor
from functorch_lite._core.words.device import device as _device
from functorch_lite._core.words.dtypes import dtype as _dtype
from functorch_lite._core.words.memory_format import memory_format as _memory_format
from functorch_lite.random import Generator
from functorch_lite.storage import TypedStorage
from functorch_lite import return_types

Number = _bool | _int | _float | _complex
_Sizes = _int | Sequence[_int]

_Device = _device | _str | _int | None

class TensorMethods:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getitem__(self, index: Any) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __len__(self) -> _int: ...
    @overload
    def size(self) -> Size: ...
    @overload
    def size(self, dim: _int) -> _int: ...
    def __bool__(self) -> _bool: ...
    def __int__(self) -> _int: ...
    def __float__(self) -> _float: ...
    def __complex__(self) -> _complex: ...
    def __index__(self) -> _int: ...
    def __contains__(self, element: Any) -> _bool: ...
    def __array__(self, dtype: Any = ...) -> np.ndarray: ...
    def __hash__(self) -> _int: ...
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __add__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __iadd__(self, other: Any) -> Tensor: ...
    def __sub__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __isub__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __imul__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __itruediv__(self, other: Any) -> Tensor: ...
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __imod__(self, other: Any) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __ipow__(self, other: Any) -> Tensor: ...
    def __matmul__(self, other: Any) -> Tensor: ...
    def __rmatmul__(self, other: Any) -> Tensor: ...
    def __lt__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __and__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __iand__(self, other: Any) -> Tensor: ...
    def __or__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __ior__(self, other: Any) -> Tensor: ...
    def __xor__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __ixor__(self, other: Any) -> Tensor: ...
    def __lshift__(self, other: Any) -> Tensor: ...
    def __rlshift__(self, other: Any) -> Tensor: ...
    def __ilshift__(self, other: Any) -> Tensor: ...
    def __rshift__(self, other: Any) -> Tensor: ...
    def __rrshift__(self, other: Any) -> Tensor: ...
    def __irshift__(self, other: Any) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    H: Tensor
    T: Tensor
    _base: Tensor | None
    _version: _int
    def abs(self) -> Tensor:
        """|input|; of a complex tensor the (real) modulus. Its derivative at 0 is 0.

        Same shape and dtype, real for complex; NotImplementedError for bool.

        Returns:
            a new tensor.
        """
    def abs_(self) -> Tensor:
        """abs in place; not of a complex tensor, whose modulus is real."""
    def absolute(self) -> Tensor:
        """|input|; of a complex tensor the (real) modulus. Its derivative at 0 is 0.

        Same shape and dtype, real for complex; NotImplementedError for bool.

        Returns:
            a new tensor.
        """
    def absolute_(self) -> Tensor:
        """abs in place; not of a complex tensor, whose modulus is real."""
    def acos(self) -> Tensor:
        """The arccosine in radians; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def acos_(self) -> Tensor:
        """The arccosine in radians; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def acosh(self) -> Tensor:
        """The inverse of the hyperbolic cosine; nan below 1.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def acosh_(self) -> Tensor:
        """The inverse of the hyperbolic cosine; nan below 1.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def add(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input + alpha * other; for bool, the logical or.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.
            alpha: a number that multiplies `other` before it is added. Default: 1.

        Returns:
            a new tensor.
        """
    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input + alpha * other; for bool, the logical or.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.
            alpha: a number that multiplies `other` before it is added. Default: 1.

        Returns:
            the tensor itself.
        """
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the sum over the batch of batch1 @ batch2).

        Args:
            batch1: the first batch of matrices, of shape (b, n, m).
            batch2: the second batch of matrices, of shape (b, m, p).
            beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
            alpha: a number that multiplies the product. Default: 1.

        Returns:
            a new tensor.
        """
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the sum over the batch of batch1 @ batch2).

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            batch1: the first batch of matrices, of shape (b, n, m).
            batch2: the second batch of matrices, of shape (b, m, p).
            beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
            alpha: a number that multiplies the product. Default: 1.

        Returns:
            the tensor itself.
        """
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """input + value * tensor1 / tensor2; an error when both are tensors of integers.

        Args:
            tensor1: the first factor, or the numerator; it broadcasts with `input`.
            tensor2: the second factor, or the denominator; it broadcasts with `input`.
            value: a number that multiplies the product or quotient before it is added. Default: 1.

        Returns:
            a new tensor.
        """
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """input + value * tensor1 / tensor2; an error when both are tensors of integers.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            tensor1: the first factor, or the numerator; it broadcasts with `input`.
            tensor2: the second factor, or the denominator; it broadcasts with `input`.
            value: a number that multiplies the product or quotient before it is added. Default: 1.

        Returns:
            the tensor itself.
        """
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """input + value * tensor1 * tensor2.

        Args:
            tensor1: the first factor, or the numerator; it broadcasts with `input`.
            tensor2: the second factor, or the denominator; it broadcasts with `input`.
            value: a number that multiplies the product or quotient before it is added. Default: 1.

        Returns:
            a new tensor.
        """
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """input + value * tensor1 * tensor2.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            tensor1: the first factor, or the numerator; it broadcasts with `input`.
            tensor2: the second factor, or the denominator; it broadcasts with `input`.
            value: a number that multiplies the product or quotient before it is added. Default: 1.

        Returns:
            the tensor itself.
        """
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat1 @ mat2).

        Args:
            mat1: the first matrix, of shape (n, m).
            mat2: the second matrix, of shape (m, p).
            beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
            alpha: a number that multiplies the product. Default: 1.

        Returns:
            a new tensor.
        """
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat1 @ mat2).

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            mat1: the first matrix, of shape (n, m).
            mat2: the second matrix, of shape (m, p).
            beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
            alpha: a number that multiplies the product. Default: 1.

        Returns:
            the tensor itself.
        """
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat @ vec).

        Args:
            mat: the matrix, of shape (n, m).
            vec: the vector, of shape (m,).
            beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
            alpha: a number that multiplies the product. Default: 1.

        Returns:
            a new tensor.
        """
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat @ vec).

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            mat: the matrix, of shape (n, m).
            vec: the vector, of shape (m,).
            beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
            alpha: a number that multiplies the product. Default: 1.

        Returns:
            the tensor itself.
        """
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the outer product of two vectors).

        Args:
            vec1: the first vector, of shape (n,).
            vec2: the second vector, of shape (m,).
            beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
            alpha: a number that multiplies the product. Default: 1.

        Returns:
            a new tensor.
        """
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the outer product of two vectors).

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            vec1: the first vector, of shape (n,).
            vec2: the second vector, of shape (m,).
            beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
            alpha: a number that multiplies the product. Default: 1.

        Returns:
            the tensor itself.
        """
    def adjoint(self) -> Tensor:
        """The conjugate transpose of the last two dims.

        (…, m, n) to (…, n, m), same dtype; a view of a real tensor.
        """
    def all(self, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """Tests whether all elements along `dim` are nonzero; bool, or uint8 for uint8.

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. None (the default) reduces all dims.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def allclose(self, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = False) -> _bool:
        """Returns whether |input - other| <= atol + rtol * |other| for all elements.

        Args:
            other: the tensor to compare with; it broadcasts with `input`.
            rtol: the tolerance relative to the magnitude of `other`. Default: 1e-05.
            atol: the absolute tolerance. Default: 1e-08.
            equal_nan: whether nan equals nan. Default: False.
        """
    def amax(self, dim: _int | _Sizes | None = ..., keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The largest element over `dim`; ties share the gradient evenly.

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
                are reduced. Default: ().
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def amin(self, dim: _int | _Sizes | None = ..., keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The smallest element over `dim`; ties share the gradient evenly.

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
                are reduced. Default: ().
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def aminmax(self, *, dim: _int | None = None, keepdim: _bool = False, axis: Any = ..., keepdims: _bool = ...) -> return_types.aminmax:
        """The smallest and the largest element over one dim or all.

        Args:
            dim: the dim to reduce; negative ones count from the end. Without it all elements are reduced.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a named tuple of `min`, `max`.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def angle(self) -> Tensor:
        """The argument of a complex number, in radians; of a real number 0, or pi where it is negative; nan of nan.

        Same shape; integers and bool give the default dtype, complex a real one.

        Returns:
            a new tensor.
        """
    def any(self, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """Tests whether any element along `dim` is nonzero; bool, or uint8 for uint8.

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. None (the default) reduces all dims.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def apply_(self, callable: Any) -> Tensor:
        """Replaces every element x by callable(x), a Python function; slow, and only for tensors without grad.

        Args:
            callable: a Python function of one number, called for every element.
        """
    def arccos(self) -> Tensor:
        """The arccosine in radians; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def arccos_(self) -> Tensor:
        """The arccosine in radians; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def arccosh(self) -> Tensor:
        """The inverse of the hyperbolic cosine; nan below 1.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def arccosh_(self) -> Tensor:
        """The inverse of the hyperbolic cosine; nan below 1.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def arcsin(self) -> Tensor:
        """The arcsine in radians; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def arcsin_(self) -> Tensor:
        """The arcsine in radians; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def arcsinh(self) -> Tensor:
        """The inverse of the hyperbolic sine.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def arcsinh_(self) -> Tensor:
        """The inverse of the hyperbolic sine.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def arctan(self) -> Tensor:
        """The arctangent in radians.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def arctan2(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input), in radians; its derivative at the origin is 0.

        Args:
            other: the first coordinates (x) of the points.

        Returns:
            a new tensor.
        """
    def arctan2_(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input), in radians; its derivative at the origin is 0.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the first coordinates (x) of the points.

        Returns:
            the tensor itself.
        """
    def arctan_(self) -> Tensor:
        """The arctangent in radians.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def arctanh(self) -> Tensor:
        """The inverse of the hyperbolic tangent; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def arctanh_(self) -> Tensor:
        """The inverse of the hyperbolic tangent; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def argmax(self, dim: _int | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The index of the first largest element along `dim`, or in the flattened tensor.

        Args:
            dim: the dim to reduce; negative ones count from the end. Without it all elements are reduced.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def argmin(self, dim: _int | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The index of the first smallest element along `dim`, or in the flattened tensor.

        Args:
            dim: the dim to reduce; negative ones count from the end. Without it all elements are reduced.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def argsort(self, dim: _int = -1, descending: _bool = False, *, stable: _bool = False, axis: Any = ...) -> Tensor:
        """The indices that put the elements in order along `dim`.

        Args:
            dim: the dim along which to sort. Default: -1.
            descending: whether the largest elements come first. Default: False.
            stable: whether equal elements keep their order. They always do here. Default: False.
            axis: NumPy's name for `dim`; give one of the two.
        """
    def argwhere(self) -> Tensor:
        """Indices of the elements that are not zero, shape (n, ndim)."""
    def as_strided(self, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
        """The view of the elements at `storage_offset + sum(i * stride)` of the storage of `input`.

        Args:
            size: the shape of the result: a tuple of ints.
            stride: the steps between elements of each dim: a tuple of ints, counted in elements.
            storage_offset: the position of the first element in the storage. None (the default) is that of `input`.
        """
    def as_strided_(self, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
        """as_strided in place: the tensor itself becomes the view.

        Args:
            size: the shape of the result: a tuple of ints.
            stride: the steps between elements of each dim: a tuple of ints, counted in elements.
            storage_offset: the position of the first element in the storage. None (the default) is that of `input`.
        """
    def as_strided_scatter(self, src: Tensor, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
        """A copy of input with src written through the view `as_strided(size, stride, storage_offset)` of it.

        Same shape and dtype as input.

        Args:
            src: the values to write; its shape is `size`.
            size: the shape of the result: a tuple of ints.
            stride: the steps between elements of each dim: a tuple of ints, counted in elements.
            storage_offset: the position of the first element in the storage. None (the default) is that of `input`.
        """
    def as_subclass(self, cls: type) -> Tensor:
        """The tensor as one of another class, with the same storage and history.

        Same shape and dtype.
        """
    def asin(self) -> Tensor:
        """The arcsine in radians; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def asin_(self) -> Tensor:
        """The arcsine in radians; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def asinh(self) -> Tensor:
        """The inverse of the hyperbolic sine.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def asinh_(self) -> Tensor:
        """The inverse of the hyperbolic sine.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def atan(self) -> Tensor:
        """The arctangent in radians.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input), in radians; its derivative at the origin is 0.

        Args:
            other: the first coordinates (x) of the points.

        Returns:
            a new tensor.
        """
    def atan2_(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input), in radians; its derivative at the origin is 0.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the first coordinates (x) of the points.

        Returns:
            the tensor itself.
        """
    def atan_(self) -> Tensor:
        """The arctangent in radians.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def atanh(self) -> Tensor:
        """The inverse of the hyperbolic tangent; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def atanh_(self) -> Tensor:
        """The inverse of the hyperbolic tangent; nan outside [-1, 1].

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def backward(self, gradient: Any = None, retain_graph: Any = None, create_graph: Any = False, inputs: Any = None) -> None:
        """Accumulates the gradients of this tensor into the `grad` of the leaves from which it was computed.

        Args:
            gradient: the gradient with respect to this tensor, of its shape (or a list of that alone). Needed unless the
                tensor has one element; None (the default) then means 1.
            retain_graph: whether the saved values are kept, so that backward may run again. None (the default) takes the
                value of `create_graph`.
            create_graph: whether the gradients can be differentiated themselves. Default: False.
            inputs: the only leaves that accumulate gradients. None (the default) means all.

        Raises:
            RuntimeError: if the tensor does not require grad, or has several elements and no `gradient` is given.
        """
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (batch1 @ batch2), batch by batch.

        Args:
            batch1: the first batch of matrices, of shape (b, n, m).
            batch2: the second batch of matrices, of shape (b, m, p).
            beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
            alpha: a number that multiplies the product. Default: 1.

        Returns:
            a new tensor.
        """
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (batch1 @ batch2), batch by batch.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            batch1: the first batch of matrices, of shape (b, n, m).
            batch2: the second batch of matrices, of shape (b, m, p).
            beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
            alpha: a number that multiplies the product. Default: 1.

        Returns:
            the tensor itself.
        """
    def bernoulli(self, p: _float = ..., *, generator: Generator | None = None) -> Tensor:
        """0 or 1 with the probabilities in input, or all with probability p; with gradients of zero.

        Probabilities outside [0, 1] raise where they are at hand; where they are still to be computed, they give nan.

        Same shape and dtype, float; RuntimeError for other dtypes.

        Args:
            p: one probability for all elements, instead of those in `input`.
            generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
                which `torch.manual_seed` seeds.
        """
    def bernoulli_(self, p: Any = ..., *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with 0 and 1, the latter with probability p (a number, or a tensor that broadcasts to this one).

        RuntimeError for p outside [0, 1].

        Args:
            p: one probability for all elements, instead of those in `input`. Default: 0.5.
            generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
                which `torch.manual_seed` seeds.
        """
    def bfloat16(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.bfloat16, of the same shape."""
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """How often each integer from 0 to the largest occurs in the 1-D `input`, or the sum of its weights.

        Args:
            weights: one weight for each element of `input`. None (the default) counts every element once.
            minlength: the least number of bins. Default: 0.
        """
    def bitwise_and(self, other: Tensor | Number) -> Tensor:
        """The bits set in both; integers and bool only.

        Args:
            other: the second tensor or number, of integers (bool is allowed for bitwise ops).

        Returns:
            a new tensor.
        """
    def bitwise_and_(self, other: Tensor | Number) -> Tensor:
        """The bits set in both; integers and bool only.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor or number, of integers (bool is allowed for bitwise ops).

        Returns:
            the tensor itself.
        """
    def bitwise_left_shift(self, other: Tensor | Number) -> Tensor:
        """input * 2 ** other in integers; 0 where `other` is negative or not less than the dtype's width.

        Args:
            other: the number of bits to shift by: a tensor or an int.

        Returns:
            a new tensor.
        """
    def bitwise_left_shift_(self, other: Tensor | Number) -> Tensor:
        """input * 2 ** other in integers; 0 where `other` is negative or not less than the dtype's width.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the number of bits to shift by: a tensor or an int.

        Returns:
            the tensor itself.
        """
    def bitwise_not(self) -> Tensor:
        """All bits flipped; the logical not of bool.

        Returns:
            a new tensor.
        """
    def bitwise_not_(self) -> Tensor:
        """All bits flipped; the logical not of bool.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def bitwise_or(self, other: Tensor | Number) -> Tensor:
        """The bits set in either; integers and bool only.

        Args:
            other: the second tensor or number, of integers (bool is allowed for bitwise ops).

        Returns:
            a new tensor.
        """
    def bitwise_or_(self, other: Tensor | Number) -> Tensor:
        """The bits set in either; integers and bool only.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor or number, of integers (bool is allowed for bitwise ops).

        Returns:
            the tensor itself.
        """
    def bitwise_right_shift(self, other: Tensor | Number) -> Tensor:
        """floor(input / 2 ** other) in integers; a negative `other` counts as the dtype's width.

        Args:
            other: the number of bits to shift by: a tensor or an int.

        Returns:
            a new tensor.
        """
    def bitwise_right_shift_(self, other: Tensor | Number) -> Tensor:
        """floor(input / 2 ** other) in integers; a negative `other` counts as the dtype's width.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the number of bits to shift by: a tensor or an int.

        Returns:
            the tensor itself.
        """
    def bitwise_xor(self, other: Tensor | Number) -> Tensor:
        """The bits set in exactly one; integers and bool only.

        Args:
            other: the second tensor or number, of integers (bool is allowed for bitwise ops).

        Returns:
            a new tensor.
        """
    def bitwise_xor_(self, other: Tensor | Number) -> Tensor:
        """The bits set in exactly one; integers and bool only.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor or number, of integers (bool is allowed for bitwise ops).

        Returns:
            the tensor itself.
        """
    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two batches of matrices: (b, n, m) times (b, m, p) is (b, n, p).

        Args:
            mat2: the second matrices, of shape (b, m, p).

        Returns:
            a new tensor.
        """
    def bool(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.bool, of the same shape."""
    def broadcast_to(self, *size_args: Any, size: _Sizes = ...) -> Tensor:
        """`input` broadcast to `size`; -1 keeps a size.

        Args:
            size: the shape to broadcast to; -1 keeps a size.
        """
    def byte(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.uint8, of the same shape."""
    def cauchy_(self, median: _float = 0, sigma: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with numbers that have Cauchy's distribution.

        Float; RuntimeError for sigma <= 0.

        Args:
            median: the median of the distribution. Default: 0.
            sigma: the half width at half maximum. Default: 1.
            generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
                which `torch.manual_seed` seeds.
        """
    def ccol_indices(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.ccol_indices: see torch.sparse."""
    def cdouble(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.complex128, of the same shape."""
    def ceil(self) -> Tensor:
        """The smallest integer not below input; its derivative is 0.

        Same shape and dtype; NotImplementedError for bool and complex.

        Returns:
            a new tensor.
        """
    def ceil_(self) -> Tensor:
        """The smallest integer not below input; its derivative is 0.

        Same shape and dtype; NotImplementedError for bool and complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def cfloat(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.complex64, of the same shape."""
    def char(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.int8, of the same shape."""
    def cholesky(self, upper: _bool = False) -> Tensor:
        """The lower (or upper) triangular Cholesky factor; LinAlgError for a matrix that is not positive definite.

        (…, n, n) to (…, n, n), float or complex. Deprecated: use linalg.cholesky.

        Args:
            upper: whether the upper factor is returned. By default it is the lower one.
        """
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """The inverse of A, of which `input` is the lower (or upper) Cholesky factor; LinAlgError for a zero on its
        diagonal.

        (…, n, n) to (…, n, n), float or complex.

        Args:
            upper: whether `input` is the upper factor. By default it is the lower one.
        """
    def cholesky_solve(self, input2: Tensor, upper: _bool = False) -> Tensor:
        """The solution X of A @ X = input, where input2 is the lower (or upper) Cholesky factor of A.

        (…, n, k) and (…, n, n), which broadcast; float or complex.

        Args:
            input2: the Cholesky factors, of shape (..., n, n).
            upper: whether `input2` is the upper factor. By default it is the lower one.

        Returns:
            a new tensor.
        """
    def chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """At most `chunks` views of equal size along dim (the last may be smaller).

        Args:
            chunks: the number of pieces; there may be fewer, and the last may be smaller.
            dim: the dim to split. Default: 0.
            axis: NumPy's name for `dim`; give one of the two.
        """
    def clamp(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Input limited to [min, max]; max wins where min > max; nan where a bound is nan.

        The derivative is 1 on the bounds themselves.

        Args:
            min: the lower bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
                bound.
            max: the upper bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
                bound.

        Returns:
            a new tensor.
        """
    def clamp_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Input limited to [min, max]; max wins where min > max; nan where a bound is nan.

        The derivative is 1 on the bounds themselves.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            min: the lower bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
                bound.
            max: the upper bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
                bound.

        Returns:
            the tensor itself.
        """
    def clamp_max(self, max: Tensor | Number) -> Tensor:
        """Input, or `max` where that is less.

        `max` is a number or a tensor that broadcasts; the dtype is promoted. NotImplementedError for complex.

        Args:
            max: the upper bound: a number, or a tensor that broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def clamp_max_(self, max: Tensor | Number) -> Tensor:
        """Input, or `max` where that is less.

        `max` is a number or a tensor that broadcasts; the dtype is promoted. NotImplementedError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            max: the upper bound: a number, or a tensor that broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def clamp_min(self, min: Tensor | Number) -> Tensor:
        """Input, or `min` where that is greater.

        `min` is a number or a tensor that broadcasts; the dtype is promoted. NotImplementedError for complex.

        Args:
            min: the lower bound: a number, or a tensor that broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def clamp_min_(self, min: Tensor | Number) -> Tensor:
        """Input, or `min` where that is greater.

        `min` is a number or a tensor that broadcasts; the dtype is promoted. NotImplementedError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            min: the lower bound: a number, or a tensor that broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def clip(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Input limited to [min, max]; max wins where min > max; nan where a bound is nan.

        The derivative is 1 on the bounds themselves.

        Args:
            min: the lower bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
                bound.
            max: the upper bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
                bound.

        Returns:
            a new tensor.
        """
    def clip_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Input limited to [min, max]; max wins where min > max; nan where a bound is nan.

        The derivative is 1 on the bounds themselves.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            min: the lower bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
                bound.
            max: the upper bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
                bound.

        Returns:
            the tensor itself.
        """
    def clone(self, *, memory_format: Any = None) -> Tensor:
        """A copy of the tensor, through which derivatives flow; memory formats do not apply.

        Args:
            memory_format: the order in which PyTorch would store the dims; it changes `stride()` and no values.

        Returns:
            a new tensor.
        """
    def coalesce(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.coalesce: see torch.sparse."""
    def col_indices(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.col_indices: see torch.sparse."""
    def conj(self) -> Tensor:
        """The complex conjugate, as a view: what is written to it is conjugated and written to `input`."""
    def conj_physical(self) -> Tensor:
        """The complex conjugate; a real tensor is returned as it is.

        Same shape and dtype.
        """
    def conj_physical_(self) -> Tensor:
        """The complex conjugate; a real tensor is returned as it is.

        Same shape and dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def const_data_ptr(self) -> _int:
        """data_ptr()."""
    def contiguous(self, memory_format: _memory_format | None = ...) -> Tensor:
        """The tensor itself when its elements lie in this format, else a copy.

        Same shape and dtype.
        """
    def copy_(self, src: Any, non_blocking: Any = False) -> Tensor:
        """Writes src, broadcast and cast, into the tensor.

        RuntimeError for a shape that does not broadcast to this tensor's.
        """
    def copysign(self, other: Tensor | Number) -> Tensor:
        """|input| with the sign of `other` (of its sign bit: -0.0 counts as negative).

        Args:
            other: the tensor or number whose signs are taken.

        Returns:
            a new tensor.
        """
    def copysign_(self, other: Tensor | Number) -> Tensor:
        """|input| with the sign of `other` (of its sign bit: -0.0 counts as negative).

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the tensor or number whose signs are taken.

        Returns:
            the tensor itself.
        """
    def corrcoef(self) -> Tensor:
        """The correlation coefficients of variables (rows): their covariances over the product of their standard
        deviations.

        (n, m) to (n, n); a vector gives a number. RuntimeError for more than two dims.

        Returns:
            a new tensor.
        """
    def cos(self) -> Tensor:
        """The cosine of an angle in radians.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def cos_(self) -> Tensor:
        """The cosine of an angle in radians.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def cosh(self) -> Tensor:
        """The hyperbolic cosine.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def cosh_(self) -> Tensor:
        """The hyperbolic cosine.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def count_nonzero(self, dim: _int | _Sizes | None = None, *, axis: Any = ...) -> Tensor:
        """How many elements along `dim` are nonzero (nan is).

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
                are reduced.
            axis: NumPy's name for `dim`; give one of the two.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def cov(self, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """The covariance matrix of variables (rows) from observations (columns); a vector is one variable.

        fweights: how often each observation is counted; aweights: how much it weighs. Raises RuntimeError for
        negative weights, and for a sum of 0.

        Args:
            correction: what is subtracted from the number of observations in the divisor. Default: 1.
            fweights: how often each observation is counted: 1-D, integers. None (the default) counts each once.
            aweights: how much each observation weighs: 1-D, floating point. None (the default) weighs all the same.

        Returns:
            a new tensor.
        """
    def cpu(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor on the CPU.

        Same shape and dtype.
        """
    def cross(self, other: Tensor, dim: _int | None = None, *, axis: Any = ...) -> Tensor:
        """The cross product of vectors of size 3 along `dim`, by default the first dim of that size.

        Args:
            other: the second tensor of vectors; it broadcasts with `input`.
            dim: the dim of the vectors, of size 3. For torch.cross, None (the default) is the first dim of size 3.
            axis: NumPy's name for `dim`; give one of the two.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def crow_indices(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.crow_indices: see torch.sparse."""
    def cuda(self, device: _Device = None, non_blocking: Any = False, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor on a GPU.

        Same shape and dtype. RuntimeError where there is no GPU.
        """
    def cummax(self, dim: _int = ..., *, axis: Any = ...) -> return_types.cummax:
        """(values, indices) of the largest element so far along `dim`; the gradient goes to the element selected.

        Args:
            dim: the dim along which values accumulate; required.
            axis: NumPy's name for `dim`; give one of the two.

        Returns:
            a named tuple of `values`, `indices`.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def cummin(self, dim: _int = ..., *, axis: Any = ...) -> return_types.cummin:
        """(values, indices) of the smallest element so far along `dim`; the gradient goes to the element selected.

        Args:
            dim: the dim along which values accumulate; required.
            axis: NumPy's name for `dim`; give one of the two.

        Returns:
            a named tuple of `values`, `indices`.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def cumprod(self, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
        """The running product along `dim`; its gradient is right where elements are zero.

        Args:
            dim: the dim along which values accumulate; required.
            dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
                default) keeps the natural dtype of the result.
            axis: NumPy's name for `dim`; give one of the two.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def cumprod_(self, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
        """The running product along `dim`; its gradient is right where elements are zero.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            dim: the dim along which values accumulate; required.
            dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
                default) keeps the natural dtype of the result.
            axis: NumPy's name for `dim`; give one of the two.

        Returns:
            the tensor itself.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def cumsum(self, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
        """The running sum along `dim`; bool and integers give int64 unless `dtype` is given.

        Args:
            dim: the dim along which values accumulate; required.
            dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
                default) keeps the natural dtype of the result.
            axis: NumPy's name for `dim`; give one of the two.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def cumsum_(self, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
        """The running sum along `dim`; bool and integers give int64 unless `dtype` is given.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            dim: the dim along which values accumulate; required.
            dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
                default) keeps the natural dtype of the result.
            axis: NumPy's name for `dim`; give one of the two.

        Returns:
            the tensor itself.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    data: Tensor
    def data_ptr(self) -> _int:
        """The address of the first element, in memory that holds the values of this moment: it may be read as long as the
        tensor lives.

        The memory is a copy, one for each storage. A later write to the tensor is there when an address is asked for again,
        which is the same one on a CPU; what is written to the memory itself, the tensor does not see. 0 of a tensor without
        elements, or on the meta device. RuntimeError inside a transform, for what it maps over or differentiates;
        NotImplementedError for a view that is not followed.
        """
    def deg2rad(self) -> Tensor:
        """Degrees as radians.

        Same shape and dtype; integers and bool give the default dtype. RuntimeError for complex.

        Returns:
            a new tensor.
        """
    def deg2rad_(self) -> Tensor:
        """Degrees as radians.

        Same shape and dtype; integers and bool give the default dtype. RuntimeError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def dense_dim(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.dense_dim: see torch.sparse."""
    def det(self) -> Tensor:
        """The determinant of square matrices.

        Returns:
            a new tensor.
        """
    def detach(self) -> Tensor:
        """An alias without history, and without tangent.

        Same shape, dtype and memory.
        """
    def detach_(self) -> Tensor:
        """Takes the tensor out of the graph; it becomes a leaf, without tangent.

        RuntimeError for a view.
        """
    device: _device
    def diag(self, diagonal: _int = 0) -> Tensor:
        """The diagonal of a matrix, or the matrix with a 1-D tensor on its diagonal.

        Args:
            diagonal: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
                Default: 0.

        Returns:
            a new tensor.
        """
    def diag_embed(self, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
        """Matrices over the dims `dim1` and `dim2` of the result, whose diagonal `offset` is the last dim of `input`.

        Args:
            offset: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
                Default: 0.
            dim1: the first dim of the matrices. Default: -2.
            dim2: the second dim of the matrices. Default: -1.

        Returns:
            a new tensor.
        """
    def diagflat(self, offset: _int = 0) -> Tensor:
        """The matrix with the elements of `input` on its diagonal `offset`.

        Args:
            offset: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
                Default: 0.

        Returns:
            a new tensor.
        """
    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """The diagonal of the matrices in dims `dim1` and `dim2`, as the last dim of the result.

        Args:
            offset: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
                Default: 0.
            dim1: the first dim of the matrices. Default: 0.
            dim2: the second dim of the matrices. Default: 1.
        """
    def diagonal_scatter(self, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """`input` with a diagonal replaced by `src`.

        Args:
            src: the values of the diagonal.
            offset: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
                Default: 0.
            dim1: the first dim of the matrices. Default: 0.
            dim2: the second dim of the matrices. Default: 1.

        Returns:
            a new tensor.
        """
    def diff(self, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """The n-th difference of neighbours along `dim`, after joining `prepend` and `append`; bool differs by exclusive
        or.

        For a dim without elements the result is the input itself, as in torch.

        Args:
            n: how often to take differences. Default: 1.
            dim: the dim along which to take them. Default: -1.
            prepend: a tensor to join before `input`, None (the default) for none.
            append: a tensor to join after `input`, None (the default) for none.
        """
    def digamma(self) -> Tensor:
        """The derivative of `lgamma`; nan at negative whole numbers, infinite at 0.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        Returns:
            a new tensor.
        """
    def digamma_(self) -> Tensor:
        """The derivative of `lgamma`; nan at negative whole numbers, infinite at 0.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def dim(self) -> _int:
        """The number of dimensions."""
    def dim_order(self, *, ambiguity_check: _bool | list = False) -> _Sizes:
        """The dims from the outermost in memory to the innermost."""
    def dist(self, other: Tensor, p: Any = 2) -> Tensor:
        """The norm of order `p` of input - other.

        Args:
            other: the second tensor; it broadcasts with `input`.
            p: the order of the norm of the difference. Default: 2.

        Returns:
            a new tensor.
        """
    def div(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept.

        The derivative of a rounded quotient is 0.

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.
            rounding_mode: how the quotient is rounded: "trunc" towards zero, "floor" downwards. None (the default)
                does not round and gives floating point.

        Returns:
            a new tensor.
        """
    def div_(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept.

        The derivative of a rounded quotient is 0.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.
            rounding_mode: how the quotient is rounded: "trunc" towards zero, "floor" downwards. None (the default)
                does not round and gives floating point.

        Returns:
            the tensor itself.
        """
    def divide(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept.

        The derivative of a rounded quotient is 0.

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.
            rounding_mode: how the quotient is rounded: "trunc" towards zero, "floor" downwards. None (the default)
                does not round and gives floating point.

        Returns:
            a new tensor.
        """
    def divide_(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept.

        The derivative of a rounded quotient is 0.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.
            rounding_mode: how the quotient is rounded: "trunc" towards zero, "floor" downwards. None (the default)
                does not round and gives floating point.

        Returns:
            the tensor itself.
        """
    def dot(self, tensor: Tensor) -> Tensor:
        """The inner product of two vectors, without conjugation.

        Args:
            tensor: the second vector, of the same size.

        Returns:
            a new tensor.
        """
    def double(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.float64, of the same shape."""
    def dsplit(self, indices_or_sections: Any = None, *more: Any, indices: Any = None, sections: Any = None) -> Any:
        """torch.dsplit: tensor_split along its dimension. RuntimeError for fewer than 3 dims, and where a number of parts does not divide it. The indices may be given one by one.

        Args:
            indices_or_sections: an int: the number of pieces; a tuple of ints: where to cut. Give one of this,
                `indices` and `sections`.
            indices: where to cut: a tuple of ints. None (the default) if `sections` is given.
            sections: the number of pieces, an int. None (the default) if `indices` is given.
        """
    dtype: _dtype
    def eig(self, *args: Any, **kwargs: Any) -> Any: ...
    def element_size(self) -> _int:
        """Bytes per element."""
    def eq(self, other: Tensor | Number) -> Tensor:
        """input == other, as a bool tensor.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def eq_(self, other: Tensor | Number) -> Tensor:
        """input == other, as a bool tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def equal(self, other: Tensor) -> _bool:
        """Returns whether shapes and all elements are equal.

        Args:
            other: the tensor to compare with.
        """
    def erf(self) -> Tensor:
        """The error function.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        Returns:
            a new tensor.
        """
    def erf_(self) -> Tensor:
        """The error function.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def erfc(self) -> Tensor:
        """1 - erf(input), accurate where erf is close to 1.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        Returns:
            a new tensor.
        """
    def erfc_(self) -> Tensor:
        """1 - erf(input), accurate where erf is close to 1.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def erfinv(self) -> Tensor:
        """The inverse of `erf` on (-1, 1); infinite at the ends, nan outside.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        Returns:
            a new tensor.
        """
    def erfinv_(self) -> Tensor:
        """The inverse of `erf` on (-1, 1); infinite at the ends, nan outside.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def exp(self) -> Tensor:
        """e ** input.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def exp2(self) -> Tensor:
        """2 ** input, exact for whole numbers.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def exp2_(self) -> Tensor:
        """2 ** input, exact for whole numbers.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def exp_(self) -> Tensor:
        """e ** input.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def expand(self, *size_args: Any, size: _Sizes = ...) -> Tensor:
        """`input` broadcast to `size`; -1 keeps a size. Writing into what was really expanded raises, as in torch.

        RuntimeError for a size that the shape does not broadcast to.

        Args:
            size: the shape to broadcast to; -1 keeps a size.
        """
    def expand_as(self, other: Tensor) -> Tensor:
        """self.expand(other.size()).

        Args:
            other: the tensor whose shape (for type_as, whose dtype and device) is taken.
        """
    def expm1(self) -> Tensor:
        """exp(input) - 1, accurate near 0.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def expm1_(self) -> Tensor:
        """exp(input) - 1, accurate near 0.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def exponential_(self, lambd: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with exponentially distributed numbers of rate lambd.

        Float; RuntimeError for lambd <= 0.

        Args:
            lambd: the rate, positive. Default: 1.
            generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
                which `torch.manual_seed` seeds.
        """
    def fill(self, value: Tensor | Number) -> Tensor:
        """A tensor of input's shape and dtype filled with `value`.

        `value` is a number, or a tensor of no dims: RuntimeError for one of more.

        Args:
            value: the number to write.

        Returns:
            a new tensor.
        """
    def fill_(self, value: Tensor | Number) -> Tensor:
        """A tensor of input's shape and dtype filled with `value`.

        `value` is a number, or a tensor of no dims: RuntimeError for one of more.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            value: the number to write.

        Returns:
            the tensor itself.
        """
    def fill_diagonal_(self, fill_value: _float, wrap: _bool = False) -> Tensor:
        """Fills the main diagonal in place; with wrap=True the diagonal of a tall matrix restarts after n columns and a
        gap of one.

        RuntimeError for less than two dims, and for more than two that differ in length.

        Args:
            fill_value: the number to write.
            wrap: whether the diagonal of a tall matrix starts again after the last column. Default: False.
        """
    def fix(self) -> Tensor:
        """Input rounded towards 0; its derivative is 0.

        Same shape and dtype; NotImplementedError for bool and complex.

        Returns:
            a new tensor.
        """
    def fix_(self) -> Tensor:
        """Input rounded towards 0; its derivative is 0.

        Same shape and dtype; NotImplementedError for bool and complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """The dims from start_dim to end_dim as one: a view if possible, else a copy.

        Args:
            start_dim: the first dim to merge. Default: 0.
            end_dim: the last dim to merge. Default: -1.
        """
    def flip(self, *dims_args: Any, dims: _Sizes = ...) -> Tensor:
        """The order of the elements reversed along `dims`.

        Args:
            dims: the dims to reverse.

        Returns:
            a new tensor.
        """
    def fliplr(self) -> Tensor:
        """The order reversed along dim 1.

        Returns:
            a new tensor.
        """
    def flipud(self) -> Tensor:
        """The order reversed along dim 0.

        Returns:
            a new tensor.
        """
    def float(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.float32, of the same shape."""
    def float_power(self, exponent: Tensor | Number) -> Tensor:
        """input ** exponent in float64, or complex128 when either is complex; `out=` has that dtype.

        The two broadcast.

        Args:
            exponent: the exponent: a tensor or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def float_power_(self, exponent: Tensor | Number) -> Tensor:
        """self ** exponent, in place: of a float64 or complex128 tensor, as these are the dtypes that `float_power` gives.

        RuntimeError for other dtypes.

        Args:
            exponent: the exponent: a tensor or a number; it broadcasts with `input`.
        """
    def floor(self) -> Tensor:
        """The largest integer not above input; its derivative is 0.

        Same shape and dtype; NotImplementedError for bool and complex.

        Returns:
            a new tensor.
        """
    def floor_(self) -> Tensor:
        """The largest integer not above input; its derivative is 0.

        Same shape and dtype; NotImplementedError for bool and complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def floor_divide(self, other: Tensor | Number) -> Tensor:
        """floor(input / other) with the dtype kept; its derivative is 0 (torch has none and raises).

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def floor_divide_(self, other: Tensor | Number) -> Tensor:
        """floor(input / other) with the dtype kept; its derivative is 0 (torch has none and raises).

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def fmax(self, other: Tensor) -> Tensor:
        """The greater of the two, ignoring nan. Where they are equal the derivative is the input's.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of the two, ignoring nan. Where they are equal the derivative is the input's.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def fmod(self, other: Tensor | Number) -> Tensor:
        """input - other * trunc(input / other): the remainder with the sign of `input`.

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def fmod_(self, other: Tensor | Number) -> Tensor:
        """input - other * trunc(input / other): the remainder with the sign of `input`.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def frac(self) -> Tensor:
        """input - trunc(input): the part behind the point, with the sign of input; its derivative is 1.

        Same shape and dtype, which must be of floating point: NotImplementedError otherwise.

        Returns:
            a new tensor.
        """
    def frac_(self) -> Tensor:
        """input - trunc(input): the part behind the point, with the sign of input; its derivative is 1.

        Same shape and dtype, which must be of floating point: NotImplementedError otherwise.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def frexp(self) -> return_types.frexp:
        """Mantissa in [0.5, 1) and int32 exponent with input == mantissa * 2 ** exponent; exponent 0 for 0, inf and nan.

        Returns:
            a named tuple of `mantissa`, `exponent`.
        """
    def gather(self, dim: _int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
        """result[i][j] = input[index[i][j]][j] for dim 0, and so on; the result has the shape of `index`.

        Args:
            dim: the dim to index.
            index: the positions along `dim`, int64, with as many dims as `input`; its shape is that of the result.
        """
    def gcd(self, other: Tensor) -> Tensor:
        """The greatest common divisor, which is not negative except next to the smallest integer; gcd(0, 0) is 0.

        Args:
            other: the second tensor or number, of integers (bool is allowed for bitwise ops).

        Returns:
            a new tensor.
        """
    def gcd_(self, other: Tensor) -> Tensor:
        """The greatest common divisor, which is not negative except next to the smallest integer; gcd(0, 0) is 0.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor or number, of integers (bool is allowed for bitwise ops).

        Returns:
            the tensor itself.
        """
    def ge(self, other: Tensor | Number) -> Tensor:
        """input >= other, as a bool tensor.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def ge_(self, other: Tensor | Number) -> Tensor:
        """input >= other, as a bool tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def geometric_(self, p: _float, *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with numbers of trials up to the first success, of probability p each.

        RuntimeError for p outside (0, 1).

        Args:
            p: the probability of success, in (0, 1).
            generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
                which `torch.manual_seed` seeds.
        """
    def geqrf(self) -> return_types.geqrf:
        """QR in LAPACK's form: R on and above the diagonal, Householder vectors below it, and their factors; no derivative.

        (…, m, n) to (…, m, n) and (…, min(m, n)), float or complex.

        Returns:
            a named tuple of `a`, `tau`.
        """
    def ger(self, vec2: Tensor) -> Tensor:
        """All products of an element of one vector with an element of another (another name of `outer`).

        Args:
            vec2: the second vector.

        Returns:
            a new tensor.
        """
    def get_device(self) -> _int:
        """The index of the device; -1 for the CPU."""
    grad: Tensor | None
    grad_dtype: _dtype
    grad_fn: Any
    def greater(self, other: Tensor | Number) -> Tensor:
        """input > other, as a bool tensor.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def greater_(self, other: Tensor | Number) -> Tensor:
        """input > other, as a bool tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def greater_equal(self, other: Tensor | Number) -> Tensor:
        """input >= other, as a bool tensor.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def greater_equal_(self, other: Tensor | Number) -> Tensor:
        """input >= other, as a bool tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def gt(self, other: Tensor | Number) -> Tensor:
        """input > other, as a bool tensor.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def gt_(self, other: Tensor | Number) -> Tensor:
        """input > other, as a bool tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def half(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.float16, of the same shape."""
    def hardshrink(self, lambd: Number = ...) -> Tensor:
        """0 where |input| <= lambd, input elsewhere.

        Args:
            lambd: the half width of the interval around 0 that becomes 0. Default: 0.5.

        Returns:
            a new tensor, or `out` if it is given.

        Raises:
            RuntimeError: if the dtype of the result cannot be cast to that of `out`.
        """
    def hash_tensor(self, dim: _int | _Sizes | None = ..., *, keepdim: _bool = False, mode: _int = 0, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """A checksum over `dim` as uint64: the exclusive or of the elements' bits, as int64 or float64. `mode` must be 0.

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. By default all dims are reduced.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            mode: the kind of checksum; only 0 (exclusive or) exists. Default: 0.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def heaviside(self, values: Tensor) -> Tensor:
        """0 where input < 0 or is nan, 1 where input > 0, and `values` where it is 0. (torch has no derivative and raises.)

        Args:
            values: the results where `input` is 0; they broadcast with `input`.

        Returns:
            a new tensor.
        """
    def heaviside_(self, values: Tensor) -> Tensor:
        """0 where input < 0 or is nan, 1 where input > 0, and `values` where it is 0. (torch has no derivative and raises.)

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            values: the results where `input` is 0; they broadcast with `input`.

        Returns:
            the tensor itself.
        """
    def histc(self, bins: _int = 100, min: Number = 0, max: Number = 0) -> Tensor:
        """How many elements fall into each of `bins` equal bins from `min` to `max` (of the data, when those are equal).

        Args:
            bins: the number of bins. Default: 100.
            min: the lower end of the range. Default: 0.
            max: the upper end of the range. If it equals `min`, the range is that of the data. Default: 0.
        """
    def histogram(self, bins: Any = 100, *, range: tuple[_float, ...] | None = None, weight: Tensor | None = None, density: _bool = False) -> return_types.histogram:
        """(counts, edges) of all elements of input in bins: a number of bins of equal width, or the edges of bins.

        The last edge belongs to the last bin. weight: what each element counts; density: the integral over the range is 1.
        Without range or edges, an input with nan or inf raises when its values are at hand; otherwise the edges are nan.

        Args:
            bins: the number of bins (for histogramdd one for each dim), or the increasing edges of the bins as a
                tensor (tensors). Default: 100.
            range: the lower and upper ends of the bins, as floats. None (the default) is the range of the data.
            weight: one weight for each element. None (the default) counts each once.
            density: whether the result is divided by the total weight and the sizes of the bins. Default: False.
        """
    def hsplit(self, indices_or_sections: Any = None, *more: Any, indices: Any = None, sections: Any = None) -> Any:
        """torch.hsplit: tensor_split along its dimension. RuntimeError for fewer than 1 dims, and where a number of parts does not divide it. The indices may be given one by one.

        Args:
            indices_or_sections: an int: the number of pieces; a tuple of ints: where to cut. Give one of this,
                `indices` and `sections`.
            indices: where to cut: a tuple of ints. None (the default) if `sections` is given.
            sections: the number of pieces, an int. None (the default) if `indices` is given.
        """
    def hypot(self, other: Tensor) -> Tensor:
        """sqrt(input^2 + other^2) without overflow; its derivative at the origin is nan, as in torch.

        Args:
            other: the other leg of the triangle; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def hypot_(self, other: Tensor) -> Tensor:
        """sqrt(input^2 + other^2) without overflow; its derivative at the origin is nan, as in torch.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the other leg of the triangle; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind of order 0.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        Returns:
            a new tensor.
        """
    def i0_(self) -> Tensor:
        """The modified Bessel function of the first kind of order 0.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def igamma(self, other: Tensor) -> Tensor:
        """The regularized lower incomplete gamma function P(input, other), for nonnegative arguments.

        torch has no derivative with respect to `input`; here there is the first one.

        Args:
            other: the limit of the integral x, not negative; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def igamma_(self, other: Tensor) -> Tensor:
        """The regularized lower incomplete gamma function P(input, other), for nonnegative arguments.

        torch has no derivative with respect to `input`; here there is the first one.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the limit of the integral x, not negative; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def igammac(self, other: Tensor) -> Tensor:
        """The regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other).

        Args:
            other: the limit of the integral x, not negative; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def igammac_(self, other: Tensor) -> Tensor:
        """The regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other).

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the limit of the integral x, not negative; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    imag: Tensor
    def index_add(self, dim: _int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """`input` with alpha times the slices of `source` added to the slices that `index` names.

        Args:
            dim: the dim to index.
            index: the positions along `dim`: 1-D, int64 or int32.
            source: the slices: as many as there are in `index`.
            alpha: a number that multiplies `source`. Default: 1.
        """
    def index_add_(self, dim: _int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """`input` with alpha times the slices of `source` added to the slices that `index` names.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            dim: the dim to index.
            index: the positions along `dim`: 1-D, int64 or int32.
            source: the slices: as many as there are in `index`.
            alpha: a number that multiplies `source`. Default: 1.
        """
    def index_copy(self, dim: _int, index: Tensor, source: Tensor) -> Tensor:
        """`input` with the slices that `index` names replaced by slices of `source`.

        Args:
            dim: the dim to index.
            index: the positions along `dim`: 1-D, int64 or int32.
            source: the slices: as many as there are in `index`.
        """
    def index_copy_(self, dim: _int, index: Tensor, source: Tensor) -> Tensor:
        """`input` with the slices that `index` names replaced by slices of `source`.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            dim: the dim to index.
            index: the positions along `dim`: 1-D, int64 or int32.
            source: the slices: as many as there are in `index`.
        """
    def index_fill(self, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
        """`input` with the slices that `index` names filled with `value`, a number or a 0-d tensor.

        Args:
            dim: the dim to index.
            index: the positions along `dim`: 1-D, int64 or int32.
            value: the number to write, or a tensor without dims.
        """
    def index_fill_(self, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
        """`input` with the slices that `index` names filled with `value`, a number or a 0-d tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            dim: the dim to index.
            index: the positions along `dim`: 1-D, int64 or int32.
            value: the number to write, or a tensor without dims.
        """
    def index_put(self, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
        """A copy of input with values written (or added) at the indices.

        Args:
            indices: a tuple of integer or bool tensors, one for each indexed dim.
            values: the values; they broadcast to the indexed shape.
            accumulate: whether values are added to the elements. By default they replace them.
        """
    def index_put_(self, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
        """input[indices] = values, or += with accumulate=True (where an index repeats, all its values are added).

        Args:
            indices: a tuple of integer or bool tensors, one for each indexed dim.
            values: the values; they broadcast to the indexed shape.
            accumulate: whether values are added to the elements. By default they replace them.
        """
    def index_reduce(self, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """The slices of `source` combined with the slices of `input` that `index` names: "prod", "mean", "amax" or "amin".

        Same shape and dtype; RuntimeError for another `reduce`, IndexError for an index that there is not.

        Args:
            dim: the dim to index.
            index: the positions along `dim`: 1-D, int64 or int32.
            source: the slices: as many as there are in `index`.
            reduce: "prod", "mean", "amax" or "amin".
            include_self: whether the elements of `input` that are written to take part in the reduction. Default:
                True.
        """
    def index_reduce_(self, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """The slices of `source` combined with the slices of `input` that `index` names: "prod", "mean", "amax" or "amin".

        Same shape and dtype; RuntimeError for another `reduce`, IndexError for an index that there is not.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            dim: the dim to index.
            index: the positions along `dim`: 1-D, int64 or int32.
            source: the slices: as many as there are in `index`.
            reduce: "prod", "mean", "amax" or "amin".
            include_self: whether the elements of `input` that are written to take part in the reduction. Default:
                True.
        """
    def index_select(self, dim: _int, index: Tensor) -> Tensor:
        """The slices along `dim` that the vector `index` names.

        Args:
            dim: the dim to index.
            index: the positions along `dim`: 1-D, int32 or int64.
        """
    def indices(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.indices: see torch.sparse."""
    def inner(self, other: Tensor) -> Tensor:
        """The products of all rows (last dims) of `input` with all rows of `other`; a 0-d factor just multiplies.

        Args:
            other: the second vector.

        Returns:
            a new tensor.
        """
    def int(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.int32, of the same shape."""
    def inverse(self) -> Tensor:
        """The inverse of square matrices; LinAlgError for a singular one.

        (…, n, n) to (…, n, n), float or complex; RuntimeError for integers.
        """
    def is_coalesced(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.is_coalesced: see torch.sparse."""
    def is_complex(self) -> _bool:
        """Returns whether the dtype is a complex dtype."""
    def is_conj(self) -> _bool:
        """Returns whether the tensor is the conjugate of what its storage holds: a view that `conj` gave, or a view of it."""
    def is_contiguous(self, memory_format: _memory_format | None = ...) -> _bool:
        """Whether the elements lie in row-major order, or another format, as PyTorch would have them; views need not."""
    is_cpu: _bool
    is_cuda: _bool
    def is_distributed(self) -> _bool:
        """False, as in PyTorch."""
    def is_floating_point(self) -> _bool:
        """Returns whether the dtype is a floating point dtype."""
    is_ipu: _bool
    is_leaf: _bool
    is_maia: _bool
    is_meta: _bool
    is_mkldnn: _bool
    is_mps: _bool
    is_mtia: _bool
    def is_neg(self) -> _bool:
        """Returns whether the tensor is the negative of what its storage holds, as the imaginary part of a conjugate is."""
    is_nested: _bool
    def is_nonzero(self) -> _bool:
        """Returns whether a tensor of one element is not zero."""
    def is_pinned(self, device: _Device = None) -> _bool:
        """False: see pin_memory."""
    is_quantized: _bool
    def is_same_size(self, other: Tensor) -> _bool:
        """Returns whether the shapes are equal.

        Args:
            input: the input tensor.
            other: the tensor to compare with.
        """
    def is_set_to(self, tensor: Any) -> _bool:
        """Returns whether both show the same elements of the same storage."""
    def is_shared(self) -> _bool:
        """False: see share_memory_."""
    def is_signed(self) -> _bool:
        """Returns whether the dtype has negative numbers."""
    is_sparse: _bool
    is_sparse_csr: _bool
    is_vulkan: _bool
    is_xla: _bool
    is_xpu: _bool
    def isclose(self, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = False) -> Tensor:
        """|input - other| <= atol + rtol * |other|, elementwise; infinities are close only to themselves.

        Args:
            other: the tensor to compare with; it broadcasts with `input`.
            rtol: the tolerance relative to the magnitude of `other`. Default: 1e-05.
            atol: the absolute tolerance. Default: 1e-08.
            equal_nan: whether nan equals nan. Default: False.

        Returns:
            a new tensor.
        """
    def isfinite(self) -> Tensor:
        """Tests whether each element (with both its parts) is neither infinite nor nan.

        Returns:
            a new tensor.
        """
    def isinf(self) -> Tensor:
        """Tests whether each element (or a part of a complex one) is infinite.

        Returns:
            a new tensor.
        """
    def isnan(self) -> Tensor:
        """Tests whether each element (or a part of a complex one) is nan.

        Returns:
            a new tensor.
        """
    def isneginf(self) -> Tensor:
        """Tests whether each element is negative infinity.

        Returns:
            a new tensor.
        """
    def isposinf(self) -> Tensor:
        """Tests whether each element is positive infinity.

        Returns:
            a new tensor.
        """
    def isreal(self) -> Tensor:
        """Tests whether the imaginary part of each element is 0.

        Returns:
            a new tensor.
        """
    def istft(self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None, length: _int | None = None, return_complex: _bool = False) -> Tensor:
        """The signal whose `stft` is input, in the sense of least squares where frames contradict each other.

        Raises RuntimeError if there are samples that no window reaches.

        (…, frequency, frame) to (…, time), real unless return_complex.

        Args:
            n_fft: the size of each Fourier transform.
            hop_length: the distance between frames. None (the default) is n_fft // 4.
            win_length: the size of the window. None (the default) is `n_fft`.
            window: the window, 1-D of size `win_length`. None (the default) is a window of ones.
            center: whether frames are centred on their times, for which the signal is padded. Default: True.
            normalized: whether the transforms are divided by the square root of `n_fft`. Default: False.
            onesided: whether only half of the terms are present. None (the default) means True for real signals.
            length: the length of the signal, which is cropped or padded. None (the default) is the whole signal.
            return_complex: whether the result is complex. For stft it is required for real input; False gives real
                and imaginary parts in a last dim. Default: False.

        Returns:
            a new tensor.
        """
    def item(self) -> Any:
        """The Python number that a tensor of one element holds."""
    itemsize: _int
    def kron(self, other: Tensor) -> Tensor:
        """The Kronecker product: every element of `input` times the whole of `other`, which first get as many dims as each
        other.

        Args:
            other: the second factor.

        Returns:
            a new tensor.
        """
    def kthvalue(self, k: _int, dim: _int = -1, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> return_types.kthvalue:
        """(values, indices) of the k-th smallest element along `dim`, counted from 1.

        Args:
            k: the rank of the element, counted from 1.
            dim: the dim to reduce; negative ones count from the end. Default: -1.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a named tuple of `values`, `indices`.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    layout: _layout
    def lcm(self, other: Tensor) -> Tensor:
        """The least common multiple, not negative; 0 where either is 0.

        Args:
            other: the second tensor or number, of integers (bool is allowed for bitwise ops).

        Returns:
            a new tensor.
        """
    def lcm_(self, other: Tensor) -> Tensor:
        """The least common multiple, not negative; 0 where either is 0.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor or number, of integers (bool is allowed for bitwise ops).

        Returns:
            the tensor itself.
        """
    def ldexp(self, other: Tensor) -> Tensor:
        """input * 2 ** other; other may not be bool if input is of floating point.

        Args:
            other: the exponents of 2; they broadcast with `input`.

        Returns:
            a new tensor.
        """
    def ldexp_(self, other: Tensor) -> Tensor:
        """input * 2 ** other; other may not be bool if input is of floating point.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the exponents of 2; they broadcast with `input`.

        Returns:
            the tensor itself.
        """
    def le(self, other: Tensor | Number) -> Tensor:
        """input <= other, as a bool tensor.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def le_(self, other: Tensor | Number) -> Tensor:
        """input <= other, as a bool tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def lerp(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """input + weight * (end - input), computed from the nearer end so that weight 1 gives `end` exactly.

        Args:
            end: the tensor at weight 1; it broadcasts with `input`.
            weight: the weight of `end`: a number, or a tensor that broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def lerp_(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """input + weight * (end - input), computed from the nearer end so that weight 1 gives `end` exactly.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            end: the tensor at weight 1; it broadcasts with `input`.
            weight: the weight of `end`: a number, or a tensor that broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def less(self, other: Tensor | Number) -> Tensor:
        """input < other, as a bool tensor.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def less_(self, other: Tensor | Number) -> Tensor:
        """input < other, as a bool tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def less_equal(self, other: Tensor | Number) -> Tensor:
        """input <= other, as a bool tensor.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def less_equal_(self, other: Tensor | Number) -> Tensor:
        """input <= other, as a bool tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def lgamma(self) -> Tensor:
        """The logarithm of the absolute value of the gamma function.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        Returns:
            a new tensor.
        """
    def lgamma_(self) -> Tensor:
        """The logarithm of the absolute value of the gamma function.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def log(self) -> Tensor:
        """The natural logarithm; -inf at 0 and nan below.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def log10(self) -> Tensor:
        """The logarithm to base 10, exact for powers of ten.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def log10_(self) -> Tensor:
        """The logarithm to base 10, exact for powers of ten.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def log1p(self) -> Tensor:
        """log(1 + input), accurate near 0.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def log1p_(self) -> Tensor:
        """log(1 + input), accurate near 0.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def log2(self) -> Tensor:
        """The logarithm to base 2, exact for powers of two.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def log2_(self) -> Tensor:
        """The logarithm to base 2, exact for powers of two.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def log_(self) -> Tensor:
        """The natural logarithm; -inf at 0 and nan below.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def log_normal_(self, mean: _float = 1, std: _float = 2, *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with numbers whose logarithms are normal with this mean and standard deviation.

        Float; RuntimeError for std <= 0.

        Args:
            mean: the means: a tensor or a number. Default: 1.
            std: the standard deviations, not negative: a tensor or a number. Default: 2.
            generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
                which `torch.manual_seed` seeds.
        """
    def log_softmax(self, dim: _int, dtype: Any = None) -> Tensor:
        """torch.log_softmax of the tensor.

        Args:
            dim: the dim along which the results add up to 1. In nn.functional, None (the default) chooses it as
                PyTorch does, with a warning.
            dtype: the dtype to which `input` is cast first. None (the default) keeps its own.
            axis: NumPy's name for `dim`; give one of the two.
        """
    def logaddexp(self, other: Tensor) -> Tensor:
        """log(exp(input) + exp(other)) without overflow.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def logaddexp2(self, other: Tensor) -> Tensor:
        """log2(2 ** input + 2 ** other) without overflow.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def logcumsumexp(self, dim: _int = ..., *, axis: Any = ...) -> Tensor:
        """log(cumsum(exp(input))) along `dim`, computed without overflow.

        Args:
            dim: the dim along which values accumulate; required.
            axis: NumPy's name for `dim`; give one of the two.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def logdet(self) -> Tensor:
        """The logarithm of the determinant: nan for a negative one, -inf for 0.

        Returns:
            a new tensor.
        """
    def logical_and(self, other: Tensor) -> Tensor:
        """Tests whether both elements are nonzero, elementwise.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def logical_and_(self, other: Tensor) -> Tensor:
        """Tests whether both elements are nonzero, elementwise.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def logical_not(self) -> Tensor:
        """Tests whether each element is 0.

        Returns:
            a new tensor.
        """
    def logical_not_(self) -> Tensor:
        """Tests whether each element is 0.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def logical_or(self, other: Tensor) -> Tensor:
        """Tests whether at least one of two elements is nonzero, elementwise.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def logical_or_(self, other: Tensor) -> Tensor:
        """Tests whether at least one of two elements is nonzero, elementwise.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def logical_xor(self, other: Tensor) -> Tensor:
        """Tests whether exactly one of two elements is nonzero, elementwise.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def logical_xor_(self, other: Tensor) -> Tensor:
        """Tests whether exactly one of two elements is nonzero, elementwise.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def logit(self, eps: _float | None = None) -> Tensor:
        """log(x / (1 - x)), the inverse of `sigmoid`; with `eps`, x is clamped to [eps, 1 - eps] first.

        In halves each step is rounded to them.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        Args:
            eps: if given, `input` is first clamped to [eps, 1 - eps]. None (the default) does not clamp.

        Returns:
            a new tensor.
        """
    def logit_(self, eps: _float | None = None) -> Tensor:
        """log(x / (1 - x)), the inverse of `sigmoid`; with `eps`, x is clamped to [eps, 1 - eps] first.

        In halves each step is rounded to them.

        Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            eps: if given, `input` is first clamped to [eps, 1 - eps]. None (the default) does not clamp.

        Returns:
            the tensor itself.
        """
    def logsumexp(self, dim: _int | _Sizes = ..., keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """log(sum(exp(input))) over `dim`, computed without overflow; integers give floating point.

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
                are reduced.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def long(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.int64, of the same shape."""
    def lstsq(self, *args: Any, **kwargs: Any) -> Any: ...
    def lt(self, other: Tensor | Number) -> Tensor:
        """input < other, as a bool tensor.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def lt_(self, other: Tensor | Number) -> Tensor:
        """input < other, as a bool tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def lu(self, pivot: _bool = True, get_infos: _bool = False) -> Any:
        """The LU factorization in packed form: (LU, pivots), and with get_infos=True also where U has a zero on its
        diagonal.

        (…, m, n) to (…, m, n) and int32 (…, min(m, n)). LinAlgError for a singular matrix, unless get_infos.

        Args:
            pivot: whether rows are exchanged; False is possible on CUDA only, as in PyTorch. Default: True.
            get_infos: whether to also return the status of each factorization. Default: False.
        """
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """The solution X of A @ X = input from A's LU factorization.

        input (…, n, k), LU (…, n, n), pivots (…, n) int32, which broadcast; float or complex.

        Args:
            LU_data: the factors, as `torch.linalg.lu_factor` returns them.
            LU_pivots: the pivots, as `torch.linalg.lu_factor` returns them.

        Returns:
            a new tensor.
        """
    mH: Tensor
    mT: Tensor
    def map2_(self, x: Tensor, y: Tensor, callable: Any) -> Tensor:
        """Replaces every element by callable(it, x, y), with elements of two other tensors; a Python function, slow.

        Args:
            x: the second tensor.
            y: the third tensor.
            callable: a Python function of one element of each tensor, called for every element.
        """
    def map_(self, tensor: Tensor, callable: Any) -> Tensor:
        """Replaces every element x by callable(x, y), with y of another tensor; a Python function, slow.

        Args:
            tensor: the second tensor.
            callable: a Python function of one element of each tensor, called for every element.
        """
    def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """Input with `value`, a number or 0-d tensor, where mask is true; the dtype is the input's.

        Args:
            mask: a bool tensor that broadcasts to `input`; True marks elements to fill.
            value: the number to write, or a tensor without dims.

        Returns:
            a new tensor.
        """
    def masked_fill_(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """Input with `value`, a number or 0-d tensor, where mask is true; the dtype is the input's.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            mask: a bool tensor that broadcasts to `input`; True marks elements to fill.
            value: the number to write, or a tensor without dims.

        Returns:
            the tensor itself.
        """
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """A copy of input with the elements of `source`, in order, where mask is True.

        Raises RuntimeError if source has fewer elements: at once if the mask's values are on the host, otherwise when a
        value computed from the result is read.

        Args:
            mask: a bool tensor that broadcasts with `input`; True marks elements to replace.
            source: the values, in order; at least as many as there are True elements.
        """
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """masked_scatter in place.

        Args:
            mask: a bool tensor that broadcasts with `input`; True marks elements to replace.
            source: the values, in order; at least as many as there are True elements.
        """
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements of input where mask is True, as a 1-d tensor; differentiable.

        Args:
            mask: a bool tensor that broadcasts with `input`; True selects an element.
        """
    def matmul(self, other: Tensor) -> Tensor:
        """The product of vectors, matrices or batches of matrices; batch dims broadcast, a 1-d factor is a vector.

        Args:
            other: a vector, a matrix or a batch of matrices; batch dims broadcast.

        Returns:
            a new tensor.
        """
    def matrix_exp(self) -> Tensor:
        """The matrix exponential.

        Returns:
            a new tensor.
        """
    def matrix_power(self, n: _int) -> Tensor:
        """The n-th power of square matrices; negative powers go through the inverse.

        Args:
            n: the exponent: an int; negative ones invert.
        """
    @overload
    def max(self) -> Tensor: ...
    @overload
    def max(self, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.max: ...
    @overload
    def max(self, other: Tensor, *, out: Any = ...) -> Tensor: ...
    def maximum(self, other: Tensor) -> Tensor:
        """The greater of the two; nan where either is nan. Where they are equal the derivative is shared.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def mean(self, dim: _int | _Sizes | None = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The mean over `dim`; integers need a floating point `dtype`.

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
                are reduced.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
                default) keeps the natural dtype of the result.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    @overload
    def median(self) -> Tensor: ...
    @overload
    def median(self, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.median: ...
    @overload
    def min(self) -> Tensor: ...
    @overload
    def min(self, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.min: ...
    @overload
    def min(self, other: Tensor, *, out: Any = ...) -> Tensor: ...
    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of the two; nan where either is nan. Where they are equal the derivative is shared.

        Args:
            other: the second tensor; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices: (n, m) times (m, p) is (n, p).

        Args:
            mat2: the second matrix, of shape (m, p).

        Returns:
            a new tensor.
        """
    def mode(self, dim: _int = -1, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> return_types.mode:
        """(values, indices) of the smallest of the most frequent elements along `dim`; the index is the index of its last
        occurrence.

        Args:
            dim: the dim to reduce; negative ones count from the end. Default: -1.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a named tuple of `values`, `indices`.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def module_load(self, other: Tensor, assign: _bool = False) -> Tensor:
        """Returns the tensor that `load_state_dict` puts in the place of a parameter or buffer: other, or self with other's
        values.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.
        """
    def moveaxis(self, source: _int | _Sizes, destination: _int | _Sizes) -> Tensor:
        """The dims `source` moved to the positions `destination` (numpy's name of `movedim`).

        Args:
            source: the dims to move: an int or a tuple of ints.
            destination: their positions in the result: as many as in `source`.
        """
    def movedim(self, source: _int | _Sizes, destination: _int | _Sizes) -> Tensor:
        """The dims `source` moved to the positions `destination`; the others keep their order.

        Args:
            source: the dims to move: an int or a tuple of ints.
            destination: their positions in the result: as many as in `source`.
        """
    def msort(self) -> Tensor:
        """The elements in order along the first dim.

        Returns:
            a new tensor.
        """
    def mul(self, other: Tensor | Number) -> Tensor:
        """input * other; for bool, the logical and.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def mul_(self, other: Tensor | Number) -> Tensor:
        """input * other; for bool, the logical and.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def multinomial(self, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None) -> Tensor:
        """Indices (int64) sampled from the rows of unnormalised probabilities in input, of shape (n,) or (m, n).

        (num_samples,) or (m, num_samples). Raises RuntimeError for negative probabilities, and for more samples without
        replacement than there are. Inside vmap and in the body of a loop the error is raised when a value computed from
        the samples is read.

        Args:
            num_samples: how many categories to draw from each distribution.
            replacement: whether a category may be drawn more than once. Default: False.
            generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
                which `torch.manual_seed` seeds.
        """
    def multiply(self, other: Tensor | Number) -> Tensor:
        """input * other; for bool, the logical and.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def multiply_(self, other: Tensor | Number) -> Tensor:
        """input * other; for bool, the logical and.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix and a vector: (n, m) times (m) is (n).

        Args:
            vec: the vector, of shape (m,).

        Returns:
            a new tensor.
        """
    def mvlgamma(self, p: _int) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension p >= 1.

        https://en.wikipedia.org/wiki/Multivariate_gamma_function

        Args:
            p: the dimension: an int, at least 1.

        Returns:
            a new tensor.
        """
    def mvlgamma_(self, p: _int) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension p >= 1.

        https://en.wikipedia.org/wiki/Multivariate_gamma_function

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            p: the dimension: an int, at least 1.

        Returns:
            the tensor itself.
        """
    name: Any
    names: Any
    def nan_to_num(self, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None) -> Tensor:
        """Replaces nan (by 0), inf (by the dtype's largest number) and -inf (by its smallest), or by the numbers given.

        Same shape and dtype.

        Args:
            nan: the number that replaces nan. None (the default) is 0.
            posinf: the number that replaces inf. None (the default) is the largest number of the dtype.
            neginf: the number that replaces -inf. None (the default) is the smallest number of the dtype.

        Returns:
            a new tensor.
        """
    def nan_to_num_(self, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None) -> Tensor:
        """Replaces nan (by 0), inf (by the dtype's largest number) and -inf (by its smallest), or by the numbers given.

        Same shape and dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            nan: the number that replaces nan. None (the default) is 0.
            posinf: the number that replaces inf. None (the default) is the largest number of the dtype.
            neginf: the number that replaces -inf. None (the default) is the smallest number of the dtype.

        Returns:
            the tensor itself.
        """
    def nanmean(self, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The mean over `dim` of what is not nan: nansum's checks of dtypes hold.

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
                are reduced.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
                default) keeps the natural dtype of the result.
        """
    @overload
    def nanmedian(self) -> Tensor: ...
    @overload
    def nanmedian(self, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.nanmedian: ...
    def nanquantile(self, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The q-quantiles along `dim` of what is not nan.

        Args:
            q: the quantiles: a number, or a 1-D tensor, in [0, 1].
            dim: the dim to reduce. None (the default) takes all elements.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            interpolation: how to choose between two neighbouring elements: "linear", "lower", "higher", "midpoint"
                or "nearest". Default: "linear".
        """
    def nansum(self, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The sum over `dim` of what is not nan.

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
                are reduced.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
                default) keeps the natural dtype of the result.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def narrow(self, dim: _int, start: Any, length: _int) -> Tensor:
        """The view of `length` elements along dim from `start` on (an int or a 0-d integer tensor).

        Args:
            dim: the dim to narrow.
            start: the first position: an int, or an integer tensor without dims.
            length: the number of elements.
        """
    def narrow_copy(self, dim: _int, start: _int, length: _int) -> Tensor:
        """narrow, as a copy instead of a view; it looks at `start` before `length`.

        Args:
            dim: the dim to narrow.
            start: the first position: an int, or an integer tensor without dims.
            length: the number of elements.
        """
    nbytes: _int
    ndim: _int
    def ndimension(self) -> _int:
        """The number of dimensions."""
    def ne(self, other: Tensor | Number) -> Tensor:
        """input != other, as a bool tensor.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def ne_(self, other: Tensor | Number) -> Tensor:
        """input != other, as a bool tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def neg(self) -> Tensor:
        """-input.

        Same shape and dtype; RuntimeError for bool.

        Returns:
            a new tensor.
        """
    def neg_(self) -> Tensor:
        """-input.

        Same shape and dtype; RuntimeError for bool.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def negative(self) -> Tensor:
        """-input.

        Same shape and dtype; RuntimeError for bool.

        Returns:
            a new tensor.
        """
    def negative_(self) -> Tensor:
        """-input.

        Same shape and dtype; RuntimeError for bool.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def nelement(self) -> _int:
        """The number of elements."""
    def new(self, *args: Any, size: Any = None, device: _Device = None) -> Tensor:
        """A tensor of this dtype and device, of sizes, of data or of a storage: `x.new(2, 3)`, `x.new([1, 2])`,
        `x.new(y.storage())`.

        Args:
            size: the shape: a tuple of ints, or separate ints.
            device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
                device.
        """
    def new_empty(self, *sizes: Any, size: Any = None, dtype: _dtype | None = None, device: _Device = None, requires_grad: _bool = False, layout: _layout | None = None, pin_memory: _bool = False) -> Tensor:
        """torch.empty with this tensor's dtype and device.

        Args:
            size: the shape: a tuple of ints, or separate ints.
            dtype: the dtype of the result. None (the default) is that of this tensor.
            device: the device of the result. None (the default) is that of this tensor.
            requires_grad: whether operations on the result are recorded for autograd. Default: False.
            layout: only `torch.strided`, or None (the default), which means the same; convert the result with
                `to_sparse()`.
            pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
                Default: False.
        """
    def new_empty_strided(self, size: _Sizes, stride: _Sizes, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
        """torch.empty_strided with this tensor's dtype and device.

        Args:
            size: the shape of the result: a tuple of ints.
            stride: the steps between elements of each dim: a tuple of ints, counted in elements.
            dtype: the dtype of the result. None (the default) is that of this tensor.
            layout: only `torch.strided`, or None (the default), which means the same; convert the result with
                `to_sparse()`.
            device: the device of the result. None (the default) is that of this tensor.
            requires_grad: whether operations on the result are recorded for autograd. Default: False.
            pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
                Default: False.
        """
    def new_full(self, size: Any, fill_value: Number | Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """torch.full with this tensor's dtype and device.

        Args:
            size: the shape: a tuple of ints, or separate ints.
            fill_value: the number with which the result is filled.
            dtype: the dtype of the result. None (the default) is that of this tensor.
            layout: only `torch.strided`, or None (the default), which means the same; convert the result with
                `to_sparse()`.
            device: the device of the result. None (the default) is that of this tensor.
            pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
                Default: False.
            requires_grad: whether operations on the result are recorded for autograd. Default: False.
        """
    def new_ones(self, *sizes: Any, size: Any = None, dtype: _dtype | None = None, device: _Device = None, requires_grad: _bool = False, layout: _layout | None = None, pin_memory: _bool = False) -> Tensor:
        """torch.ones with this tensor's dtype and device.

        Args:
            size: the shape: a tuple of ints, or separate ints.
            dtype: the dtype of the result. None (the default) is that of this tensor.
            device: the device of the result. None (the default) is that of this tensor.
            requires_grad: whether operations on the result are recorded for autograd. Default: False.
            layout: only `torch.strided`, or None (the default), which means the same; convert the result with
                `to_sparse()`.
            pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
                Default: False.
        """
    def new_tensor(self, data: Any, *, dtype: _dtype | None = None, device: _Device = None, requires_grad: _bool = False) -> Tensor:
        """torch.tensor with this tensor's dtype and device.

        Args:
            data: the values: a number, nested lists or tuples of numbers, a NumPy array or a tensor.
            dtype: the dtype of the result. None (the default) follows the data; Python floats give the default
                dtype.
            device: the device of the result. None (the default) is that of the data, else the current default
                device.
            requires_grad: whether operations on the result are recorded for autograd. Default: False.
        """
    def new_zeros(self, *sizes: Any, size: Any = None, dtype: _dtype | None = None, device: _Device = None, requires_grad: _bool = False, layout: _layout | None = None, pin_memory: _bool = False) -> Tensor:
        """torch.zeros with this tensor's dtype and device.

        Args:
            size: the shape: a tuple of ints, or separate ints.
            dtype: the dtype of the result. None (the default) is that of this tensor.
            device: the device of the result. None (the default) is that of this tensor.
            requires_grad: whether operations on the result are recorded for autograd. Default: False.
            layout: only `torch.strided`, or None (the default), which means the same; convert the result with
                `to_sparse()`.
            pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
                Default: False.
        """
    def nextafter(self, other: Tensor) -> Tensor:
        """The floating point number next to `input` in the direction of `other`.

        Args:
            other: the tensor that gives the direction; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def nextafter_(self, other: Tensor) -> Tensor:
        """The floating point number next to `input` in the direction of `other`.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the tensor that gives the direction; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def nonzero(self, *, as_tuple: _bool = False) -> Tensor:
        """Indices of the elements that are not zero: shape (n, ndim), or one 1-d tensor for each dim with as_tuple=True.

        Args:
            as_tuple: whether the result is a tuple with one 1-D tensor for each dim. Default: False.
        """
    def nonzero_static(self, *, size: _int, fill_value: _int = -1) -> Tensor:
        """The coordinates of the first `size` nonzero elements, int64 of shape (size, ndim); the rest is filled with
        fill_value.

        Unlike `nonzero` it has a shape that does not depend on values: it works inside vmap and compiled functions.

        Args:
            size: the number of rows of the result.
            fill_value: the number in rows that are left over. Default: -1.

        Returns:
            a new tensor.
        """
    def norm(self, p: Any = 'fro', dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Tensor:
        """The p-norm of the elements over `dim`; "fro" is p=2, "nuc" the sum of the singular values of a matrix.

        Args:
            p: the order of the norm: a number, inf, -inf, "fro" (Frobenius) or "nuc" (nuclear). Default: "fro".
            dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
                are reduced.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
                default) keeps the natural dtype of the result.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.
        """
    def normal_(self, mean: _float = 0, std: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with normal numbers.

        Float or complex; RuntimeError for std < 0.

        Args:
            mean: the means: a tensor or a number. Default: 0.
            std: the standard deviations, not negative: a tensor or a number. Default: 1.
            generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
                which `torch.manual_seed` seeds.
        """
    def not_equal(self, other: Tensor | Number) -> Tensor:
        """input != other, as a bool tensor.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def not_equal_(self, other: Tensor | Number) -> Tensor:
        """input != other, as a bool tensor.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def numel(self) -> _int:
        """The number of elements."""
    def numpy(self, *, force: _bool = False) -> np.ndarray:
        """The values as a read-only numpy array that shares memory with the tensor where it can. Copy it to write to it.

        Of a tensor that requires grad only with `force`, or where gradients are off; nor inside of a transform whose
        derivative would be lost.

        Same shape and dtype; RuntimeError for a tensor that requires grad, TypeError for one on another device.
        """
    def orgqr(self, input2: Tensor) -> Tensor:
        """The first columns of the product of Householder reflections: another name of linalg.householder_product.

        (…, m, n) and (…, k) to (…, m, n), float or complex.

        Args:
            input2: the factors of the reflections, of shape (..., k).

        Returns:
            a new tensor.
        """
    def ormqr(self, input2: Tensor, input3: Tensor, left: _bool = True, transpose: _bool = False) -> Tensor:
        """The product of Q and `input3`, where Q is the whole orthogonal matrix of Householder reflections (`input`,
        `input2`).

        left=False multiplies from the right; transpose=True uses Q's conjugate transpose.

        (…, m, k), (…, k) and (…, m, n) to (…, m, n), float or complex.

        Args:
            input2: the factors of the reflections, of shape (..., k).
            input3: the matrices to multiply, of shape (..., m, n).
            left: whether Q is multiplied from the left; False multiplies from the right. Default: True.
            transpose: whether the conjugate transpose of Q is used. Default: False.

        Returns:
            a new tensor.
        """
    def outer(self, vec2: Tensor) -> Tensor:
        """All products of an element of one vector with an element of another.

        Args:
            vec2: the second vector.

        Returns:
            a new tensor.
        """
    output_nr: _int
    def permute(self, *dims_args: Any, dims: _Sizes = ...) -> Tensor:
        """The dims in another order: dim i of the result is dim `dims[i]` of the input.

        Args:
            dims: the new order of the dims.
        """
    def pin_memory(self, device: _Device = None) -> Tensor:
        """The tensor itself: XLA manages host memory."""
    def pinverse(self, rcond: _float = ...) -> Tensor:
        """The Moore-Penrose pseudo-inverse; singular values up to rcond * the largest count as 0.

        Args:
            rcond: the relative tolerance below which singular values count as 0. Default: 1e-15.

        Returns:
            a new tensor.
        """
    def polygamma(self, n: _int) -> Tensor:
        """torch.polygamma(n, self).

        Same shape and dtype; integers give the default dtype.

        Args:
            n: the order of the derivative: an int that is not negative.
        """
    def polygamma_(self, n: _int) -> Tensor:
        """self = torch.polygamma(n, self), in place.

        Args:
            n: the order of the derivative: an int that is not negative.
        """
    def positive(self) -> Tensor:
        """+input: the input itself; an error for bool.

        Same shape and dtype.
        """
    def pow(self, exponent: Tensor | Number) -> Tensor:
        """input ** exponent. Integers stay integers; a Python exponent must then not be negative.

        Args:
            exponent: the exponent: a tensor or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def pow_(self, exponent: Tensor | Number) -> Tensor:
        """input ** exponent. Integers stay integers; a Python exponent must then not be negative.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            exponent: the exponent: a tensor or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def prelu(self, weight: Tensor) -> Tensor:
        """leaky_relu whose slope is learned: one for all, or one for each channel (dim 1).

        Raises RuntimeError for a weight of another length.

        Args:
            weight: the slope for negative inputs: one number, or one for each channel.

        Returns:
            a new tensor.
        """
    def prod(self, dim: _int = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The product over one dim or all; its gradient is right where elements are zero.

        Args:
            dim: the dim to reduce; negative ones count from the end. Without it all elements are reduced.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
                default) keeps the natural dtype of the result.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """`input` with `source` written (or added) at the given positions of the flattened tensor.

        Same shape and dtype; RuntimeError for a source of another dtype, IndexError for a position that there is not.

        Args:
            index: positions in the flattened tensor, int64.
            source: the values: as many as there are in `index`.
            accumulate: whether values are added to the elements. By default they replace them.
        """
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """`input` with `source` written (or added) at the given positions of the flattened tensor.

        Same shape and dtype; RuntimeError for a source of another dtype, IndexError for a position that there is not.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            index: positions in the flattened tensor, int64.
            source: the values: as many as there are in `index`.
            accumulate: whether values are added to the elements. By default they replace them.
        """
    def qr(self, some: _bool = True) -> return_types.qr:
        """linalg.qr with mode "reduced", or "complete" with some=False.

        (…, m, n) to Q (…, m, k), R (…, k, n), k = min(m, n), or m with some=False.

        Args:
            some: whether the reduced factors are returned; False returns the complete ones. Default: True.
        """
    def quantile(self, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The q-quantiles along `dim` or of all elements; a 1-D `q` gives a new first dim. nan if there is a nan.

        Raises RuntimeError if an element of `q` is outside [0, 1].

        Args:
            q: the quantiles: a number, or a 1-D tensor, in [0, 1].
            dim: the dim to reduce. None (the default) takes all elements.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            interpolation: how to choose between two neighbouring elements: "linear", "lower", "higher", "midpoint"
                or "nearest". Default: "linear".
        """
    def rad2deg(self) -> Tensor:
        """Radians as degrees.

        Same shape and dtype; integers and bool give the default dtype. RuntimeError for complex.

        Returns:
            a new tensor.
        """
    def rad2deg_(self) -> Tensor:
        """Radians as degrees.

        Same shape and dtype; integers and bool give the default dtype. RuntimeError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def random_(self, from_: _int = ..., to: _int | None = ..., *, generator: Generator | None = None, **names: Any) -> Tensor:
        """Fills the tensor with integers: random_() up to what its dtype holds exactly, random_(to), random_(from, to).

        random_(from, None) has no upper bound but what the dtype holds exactly.

        RuntimeError for bounds that the dtype does not hold.

        Args:
            from_: the smallest integer (`from` in PyTorch). Default: 0.
            to: the end of the range, which is excluded. Default: the largest integer that the dtype represents
                exactly.
            generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
                which `torch.manual_seed` seeds.
        """
    def ravel(self) -> Tensor:
        """All elements as one dim, contiguous: a view of what is contiguous, else a copy."""
    real: Tensor
    def reciprocal(self) -> Tensor:
        """1 / input.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def reciprocal_(self) -> Tensor:
        """1 / input.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def record_stream(self, stream: Any) -> None:
        """Nothing: XLA keeps memory for as long as work that uses it is under way."""
    def register_hook(self, hook: Any) -> Any:
        """Calls hook(grad) when this tensor's gradient has been computed; a returned Tensor replaces it.

        RuntimeError for a tensor that does not require grad.
        """
    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Calls hook(tensor) after a leaf's gradient was accumulated.

        RuntimeError for a tensor that is not a leaf, or does not require grad.
        """
    def relu(self) -> Tensor:
        """max(input, 0); its derivative at 0 is 0.

        Same shape and dtype; RuntimeError for bool, NotImplementedError for complex.

        Returns:
            a new tensor.
        """
    def relu_(self) -> Tensor:
        """max(input, 0); its derivative at 0 is 0.

        Same shape and dtype; RuntimeError for bool, NotImplementedError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def remainder(self, other: Tensor | Number) -> Tensor:
        """input - other * floor(input / other): the remainder with the sign of `other`.

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def remainder_(self, other: Tensor | Number) -> Tensor:
        """input - other * floor(input / other): the remainder with the sign of `other`.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def renorm(self, p: Any, dim: _int, maxnorm: Number) -> Tensor:
        """Scales each part of input along `dim` whose p-norm exceeds maxnorm down to it.

        Same shape and dtype, float or complex; RuntimeError for less than two dims.

        Args:
            p: the order of the norm.
            dim: the dim whose slices are measured.
            maxnorm: the largest norm that a slice may keep.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def renorm_(self, p: Any, dim: _int, maxnorm: Number) -> Tensor:
        """Scales each part of input along `dim` whose p-norm exceeds maxnorm down to it.

        Same shape and dtype, float or complex; RuntimeError for less than two dims.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            p: the order of the norm.
            dim: the dim whose slices are measured.
            maxnorm: the largest norm that a slice may keep.

        Returns:
            the tensor itself.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def repeat(self, *repeats_args: Any, repeats: _Sizes = ...) -> Tensor:
        """The tensor repeated `repeats[d]` times along each dim; missing leading dims are added.

        RuntimeError for fewer numbers than dims.

        Args:
            repeats: how often to repeat along each dim.

        Returns:
            a new tensor.
        """
    def repeat_interleave(self, repeats: Any = ..., dim: _int | None = None, *, output_size: _int | None = None) -> Tensor:
        """torch.repeat_interleave of this tensor; `repeats` must be given.

        Args:
            repeats: how often to repeat: an int, or a tensor with one number for each element along `dim`.
            dim: the dim to repeat along. None (the default) repeats the elements of the flattened tensor.
            output_size: the size of the result along `dim`, if known. None (the default) computes it from
                `repeats`.
            axis: NumPy's name for `dim`; give one of the two.
        """
    requires_grad: _bool
    def requires_grad_(self, requires_grad: _bool = True) -> Tensor:
        """Makes a leaf record gradients (or not).

        RuntimeError for dtypes that are neither floating point nor complex, and for a tensor that is not a leaf.
        """
    def reshape(self, *sizes: Any, shape: _Sizes | None = None) -> Tensor:
        """The same elements in another shape, given as ints or as one sequence: a view if possible, else a copy.

        Args:
            shape: the new shape; one size may be -1.
            input: the input tensor.
        """
    def reshape_as(self, other: Tensor) -> Tensor:
        """self.reshape(other.size()).

        Args:
            other: the tensor whose shape (for type_as, whose dtype and device) is taken.
        """
    def resize(self, *sizes: Any) -> Tensor:
        """The tensor with another shape of as many elements. Deprecated: use reshape."""
    def resize_(self, *sizes: Any, size: Any = None, memory_format: _memory_format | None = None) -> Tensor:
        """Gives the tensor another size: the first elements of its storage, which grows with zeros where it is too small.

        Any number of elements; RuntimeError for a tensor that requires grad.

        Args:
            size: the shape: a tuple of ints, or separate ints.
            memory_format: only checked: memory formats change no values.
        """
    def resize_as(self, tensor: Tensor) -> Tensor:
        """The tensor with another's shape, which has as many elements. Deprecated: use reshape_as.

        Args:
            tensor: the tensor.
        """
    def resize_as_(self, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
        """resize_ to another tensor's size.

        Args:
            the_template: the tensor whose shape is taken.
            memory_format: only checked: memory formats change no values.
        """
    def resolve_conj(self) -> Tensor:
        """A copy of a tensor that `is_conj`; the tensor itself otherwise.

        Same shape and dtype.
        """
    def resolve_neg(self) -> Tensor:
        """A copy of a tensor that `is_neg`; the tensor itself otherwise.

        Same shape and dtype.
        """
    def retain_grad(self) -> None:
        """Keeps the gradient of a tensor that is not a leaf in its `.grad`.

        RuntimeError for a tensor that does not require grad.
        """
    retains_grad: _bool
    def roll(self, shifts: _Sizes, dims: _int | _Sizes | None = ...) -> Tensor:
        """The elements shifted along `dims`, those falling off coming in at the other end; without dims, of the flattened
        tensor.

        Args:
            shifts: how far to shift: an int, or one for each of `dims`.
            dims: the dims to shift along. By default the flattened tensor is shifted.

        Returns:
            a new tensor.
        """
    def rot90(self, k: _int = 1, dims: _Sizes = ...) -> Tensor:
        """The tensor turned by k times 90 degrees in the plane of two dims, from the first towards the second.

        Args:
            k: the number of quarter turns; negative ones turn the other way. Default: 1.
            dims: the plane: two dims; the rotation is from the first towards the second. Default: (0, 1).

        Returns:
            a new tensor.
        """
    def round(self, *, decimals: _int = ...) -> Tensor:
        """Input rounded to `decimals` (0) digits behind the point (before it, when negative), halves to even.

        Integers are rounded to themselves, but not to a number of digits that is given.

        Same shape and dtype; NotImplementedError for bool and complex.

        Args:
            decimals: the number of digits after the point; negative ones round to tens, hundreds and so on.
                Default: 0.

        Returns:
            a new tensor.
        """
    def round_(self, *, decimals: _int = ...) -> Tensor:
        """Input rounded to `decimals` (0) digits behind the point (before it, when negative), halves to even.

        Integers are rounded to themselves, but not to a number of digits that is given.

        Same shape and dtype; NotImplementedError for bool and complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            decimals: the number of digits after the point; negative ones round to tens, hundreds and so on.
                Default: 0.

        Returns:
            the tensor itself.
        """
    def row_indices(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.row_indices: see torch.sparse."""
    def rsqrt(self) -> Tensor:
        """1 / sqrt(input).

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def rsqrt_(self) -> Tensor:
        """1 / sqrt(input).

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def rsub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """other - alpha * input.

        Args:
            other: the minuend: a tensor or a number.
            alpha: a number that multiplies `input` before it is subtracted. Default: 1.

        Returns:
            a new tensor.
        """
    def scatter(self, dim: _int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None, reduce: _str | None = None) -> Tensor:
        """`input` with result[index[i][j]][j] = src[i][j] for dim 0, and so on; `src` may be a number.

        reduce: "add" or "multiply" combines instead of overwriting.

        Args:
            dim: the dim along which `index` selects.
            index: the positions along `dim`, int64, with as many dims as `input`.
            src: the values; at least as large as `index` in every dim.
            value: a number to write instead of `src`.
            reduce: how values that meet are combined: for scatter "add" or "multiply", for scatter_reduce "sum",
                "prod", "mean", "amax" or "amin".
        """
    def scatter_(self, dim: _int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None, reduce: _str | None = None) -> Tensor:
        """`input` with result[index[i][j]][j] = src[i][j] for dim 0, and so on; `src` may be a number.

        reduce: "add" or "multiply" combines instead of overwriting.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            dim: the dim along which `index` selects.
            index: the positions along `dim`, int64, with as many dims as `input`.
            src: the values; at least as large as `index` in every dim.
            value: a number to write instead of `src`.
            reduce: how values that meet are combined: for scatter "add" or "multiply", for scatter_reduce "sum",
                "prod", "mean", "amax" or "amin".
        """
    def scatter_add(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """`input` with src[i][j] added at result[index[i][j]][j] for dim 0, and so on.

        Args:
            dim: the dim along which `index` selects.
            index: the positions along `dim`, int64, with as many dims as `input`.
            src: the values; at least as large as `index` in every dim.
        """
    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """`input` with src[i][j] added at result[index[i][j]][j] for dim 0, and so on.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            dim: the dim along which `index` selects.
            index: the positions along `dim`, int64, with as many dims as `input`.
            src: the values; at least as large as `index` in every dim.
        """
    def scatter_reduce(self, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """`src` scattered into `input`, where colliding elements are combined: "sum", "prod", "mean", "amax" ("max") or
        "amin" ("min").

        With include_self=False the elements of `input` that are written to do not take part.

        Args:
            dim: the dim along which `index` selects.
            index: the positions along `dim`, int64, with as many dims as `input`.
            src: the values; at least as large as `index` in every dim.
            reduce: how values that meet are combined: for scatter "add" or "multiply", for scatter_reduce "sum",
                "prod", "mean", "amax" or "amin".
            include_self: whether the elements of `input` that are written to take part in the reduction. Default:
                True.
        """
    def scatter_reduce_(self, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """`src` scattered into `input`, where colliding elements are combined: "sum", "prod", "mean", "amax" ("max") or
        "amin" ("min").

        With include_self=False the elements of `input` that are written to do not take part.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            dim: the dim along which `index` selects.
            index: the positions along `dim`, int64, with as many dims as `input`.
            src: the values; at least as large as `index` in every dim.
            reduce: how values that meet are combined: for scatter "add" or "multiply", for scatter_reduce "sum",
                "prod", "mean", "amax" or "amin".
            include_self: whether the elements of `input` that are written to take part in the reduction. Default:
                True.
        """
    def select(self, dim: _int, index: Number) -> Tensor:
        """The slice `index` along dim, without that dim: a view. An index in a tensor is checked when its value is at hand.

        Args:
            dim: the dim to index.
            index: the position along `dim`; negative ones count from the end.
        """
    def select_scatter(self, src: Tensor, dim: _int, index: Number) -> Tensor:
        """`input` with its slice `index` along `dim` replaced by `src`.

        An index in a tensor is checked when its value is at hand.

        Args:
            src: the slice to write, without `dim`.
            dim: the dim to index.
            index: the position along `dim`; negative ones count from the end.
        """
    def set_(self, source: Any = None, storage_offset: _int = 0, size: _Sizes | None = None, stride: _Sizes | None = None) -> Tensor:
        """Makes the tensor show what `source` holds: a tensor, or a storage, all of it or what size, stride and offset
        select.

        Without a source the tensor becomes empty. Raises RuntimeError if the dtypes differ; a storage without a dtype is
        taken for one of the tensor's.

        Args:
            source: the tensor or storage to share. None (the default) makes the tensor empty.
            storage_offset: the position of the first element in the storage. None (the default) is that of `input`.
            size: the shape of the result: a tuple of ints.
            stride: the steps between elements of each dim: a tuple of ints, counted in elements.
        """
    def sgn(self) -> Tensor:
        """`sign` of a real tensor; input / |input| of a complex one, and 0 at 0.

        Same shape and dtype.

        Returns:
            a new tensor.
        """
    def sgn_(self) -> Tensor:
        """`sign` of a real tensor; input / |input| of a complex one, and 0 at 0.

        Same shape and dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    shape: Size
    def share_memory_(self) -> Tensor:
        """Raises NotImplementedError: processes do not share memory here, and what one writes the others do not see."""
    def short(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.int16, of the same shape."""
    def sigmoid(self) -> Tensor:
        """1 / (1 + exp(-input)).

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def sigmoid_(self) -> Tensor:
        """1 / (1 + exp(-input)).

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def sign(self) -> Tensor:
        """-1, 0 or 1 by the sign of input; 0 for nan.

        Same shape and dtype; NotImplementedError for complex.

        Returns:
            a new tensor.
        """
    def sign_(self) -> Tensor:
        """-1, 0 or 1 by the sign of input; 0 for nan.

        Same shape and dtype; NotImplementedError for complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def signbit(self) -> Tensor:
        """Tests whether the sign bit of each element is set: true for negative numbers and for -0.0.

        Same shape, bool; NotImplementedError for complex.

        Returns:
            a new tensor.
        """
    def sin(self) -> Tensor:
        """The sine of an angle in radians.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def sin_(self) -> Tensor:
        """The sine of an angle in radians.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def sinc(self) -> Tensor:
        """sin(pi x) / (pi x), and 1 at 0. Its second derivative at 0 is the true one, where torch gives nan.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def sinc_(self) -> Tensor:
        """sin(pi x) / (pi x), and 1 at 0. Its second derivative at 0 is the true one, where torch gives nan.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def sinh(self) -> Tensor:
        """The hyperbolic sine.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def sinh_(self) -> Tensor:
        """The hyperbolic sine.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def slice_scatter(self, src: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1, *, axis: Any = ...) -> Tensor:
        """`input` with its elements start:end:step along `dim` replaced by `src`.

        Bounds that change are unknown here: the caller has checked that there are as many elements as in `src`.

        Args:
            src: the values to write.
            dim: the dim to slice. Default: 0.
            start: the first position. None (the default) is the first of the dim.
            end: the position after the last. None (the default) is the end of the dim.
            step: the distance between positions; it must be positive. Default: 1.
            axis: NumPy's name for `dim`; give one of the two.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def slogdet(self) -> return_types.slogdet:
        """Sign and logarithm of the absolute value of the determinant.

        Returns:
            a named tuple of `sign`, `logabsdet`.
        """
    def softmax(self, dim: _int, dtype: Any = None) -> Tensor:
        """torch.softmax of the tensor.

        Args:
            dim: the dim along which the results add up to 1. In nn.functional, None (the default) chooses it as
                PyTorch does, with a warning.
            dtype: the dtype to which `input` is cast first. None (the default) keeps its own.
            axis: NumPy's name for `dim`; give one of the two.
        """
    def solve(self, *args: Any, **kwargs: Any) -> Any: ...
    def sort(self, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = False, axis: Any = ...) -> return_types.sort:
        """(values, indices) of the elements in order along `dim`; equal elements keep their order even if not `stable`.

        Args:
            dim: the dim along which to sort. Default: -1.
            descending: whether the largest elements come first. Default: False.
            stable: whether equal elements keep their order. They always do here. Default: False.
            axis: NumPy's name for `dim`; give one of the two.
        """
    def sparse_dim(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.sparse_dim: see torch.sparse."""
    def sparse_mask(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.sparse_mask: see torch.sparse."""
    def split(self, split_size: Any, dim: _int = 0) -> tuple[Tensor, ...]:
        """Views of this tensor along dim: pieces of one size (the last may be smaller), or of the sizes listed.

        Args:
            split_size: the size of each piece, or a list with the size of every piece.
            dim: the dim to split. Default: 0.
            axis: NumPy's name for `dim`; give one of the two.
        """
    def split_with_sizes(self, split_sizes: Any, dim: _int = 0) -> tuple[Tensor, ...]:
        """Views of `input` along dim with the sizes listed.

        Args:
            split_sizes: the size of every piece.
            dim: the dim to split. Default: 0.
            axis: NumPy's name for `dim`; give one of the two.
        """
    def sqrt(self) -> Tensor:
        """The square root; nan for negative numbers, and infinite derivative at 0.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def sqrt_(self) -> Tensor:
        """The square root; nan for negative numbers, and infinite derivative at 0.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def square(self) -> Tensor:
        """input * input.

        Same shape and dtype; bool gives int64.

        Returns:
            a new tensor.
        """
    def square_(self) -> Tensor:
        """input * input.

        Same shape and dtype; bool gives int64.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def squeeze(self, dim: _int | _Sizes = ..., *, axis: Any = ...) -> Tensor:
        """The dims of size 1 removed: all, or those among `dim`.

        Args:
            dim: the dim or dims to remove if their size is 1. Without it all such dims are removed.
            axis: NumPy's name for `dim`; give one of the two.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def squeeze_(self, dim: _int | _Sizes = ...) -> Tensor:
        """squeeze in place: the tensor itself becomes the view.

        Args:
            dim: the dim or dims to remove if their size is 1. Without it all such dims are removed.
        """
    def std(self, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The standard deviation over `dim`; where it is 0 its gradient is 0.

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
                are reduced.
            unbiased: whether the divisor is N - 1 (True, `correction=1`) or N (False, `correction=0`). Give this
                or `correction`.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            correction: what is subtracted from N in the divisor. None (the default) means 1.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def stft(self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: Any = True, pad_mode: Any = 'reflect', normalized: _bool = False, onesided: _bool | None = None, return_complex: Any = None, align_to_window: Any = None) -> Tensor:
        """Fourier transforms of overlapping windows of a signal: (…, time) becomes (…, frequency, frame).

        hop_length: from frame to frame (n_fft // 4). center: frames are centred on their times, the signal is padded for
        it. onesided: half of the terms, for real signals. return_complex=False gives real and imaginary parts in a last
        dim.

        Complex, of the precision of input; RuntimeError for a window longer than n_fft.

        Args:
            n_fft: the size of each Fourier transform.
            hop_length: the distance between frames. None (the default) is n_fft // 4.
            win_length: the size of the window. None (the default) is `n_fft`.
            window: the window, 1-D of size `win_length`. None (the default) is a window of ones.
            center: whether frames are centred on their times, for which the signal is padded. Default: True.
            pad_mode: how the signal is padded if `center`: a mode of `F.pad`, such as "reflect" or "constant".
                Default: "reflect".
            normalized: whether the transforms are divided by the square root of `n_fft`. Default: False.
            onesided: whether only half of the terms are present. None (the default) means True for real signals.
            return_complex: whether the result is complex. For stft it is required for real input; False gives real
                and imaginary parts in a last dim.
            align_to_window: with `center=False`, whether windows are aligned with the beginning of the signal.
                None (the default) means False.

        Returns:
            a new tensor.
        """
    def storage(self) -> TypedStorage:
        """The storage that this tensor shares with its views, as elements of its dtype."""
    def storage_offset(self) -> _int:
        """How many elements of the storage lie before this tensor's first one."""
    def storage_type(self) -> type:
        """The class of `storage()` by its older name, such as torch.FloatStorage."""
    def stride(self, dim: _int | None = None) -> Any:
        """The strides PyTorch's tensor would have, in elements; contiguous ones for a view that is not followed."""
    def sub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other; an error for bool.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.
            alpha: a number that multiplies `other` before it is subtracted. Default: 1.

        Returns:
            a new tensor.
        """
    def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other; an error for bool.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.
            alpha: a number that multiplies `other` before it is subtracted. Default: 1.

        Returns:
            the tensor itself.
        """
    def subtract(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other; an error for bool.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.
            alpha: a number that multiplies `other` before it is subtracted. Default: 1.

        Returns:
            a new tensor.
        """
    def subtract_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other; an error for bool.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the second tensor, or a number; it broadcasts with `input`.
            alpha: a number that multiplies `other` before it is subtracted. Default: 1.

        Returns:
            the tensor itself.
        """
    def sum(self, dim: _int | _Sizes | None = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The sum over `dim`; bool and integers give int64 unless `dtype` is given.

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
                are reduced.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
                default) keeps the natural dtype of the result.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def sum_to_size(self, *sizes: Any, size: Any = None) -> Tensor:
        """The sum over the dims that broadcasting `size` to this tensor's shape would make or expand.

        RuntimeError for a size that does not broadcast to the shape.

        Args:
            size: the shape: a tuple of ints, or separate ints.
        """
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> return_types.svd:
        """input = U @ diag(S) @ V^H: linalg.svd with V instead of Vh; some=False gives square U and V.

        With compute_uv=False, U and V are square matrices of zeros.

        (…, m, n) to U (…, m, k), S (…, k) real, V (…, n, k), k = min(m, n).

        Args:
            some: whether the reduced factors are returned; False returns the full ones. Default: True.
            compute_uv: whether U and V are computed; False returns zeros for them. Default: True.
        """
    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor:
        """Two dims exchanged (numpy's name of `transpose`).

        Args:
            axis0: the first dim to exchange.
            axis1: the second dim to exchange.
        """
    def swapaxes_(self, axis0: _int, axis1: _int) -> Tensor:
        """swapaxes in place: the tensor itself becomes the view.

        Args:
            axis0: the first dim to exchange.
            axis1: the second dim to exchange.
        """
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """Two dims exchanged (another name of `transpose`).

        Args:
            dim0: the first dim to exchange.
            dim1: the second dim to exchange.
        """
    def swapdims_(self, dim0: _int, dim1: _int) -> Tensor:
        """swapdims in place: the tensor itself becomes the view.

        Args:
            dim0: the first dim to exchange.
            dim1: the second dim to exchange.
        """
    def symeig(self, *args: Any, **kwargs: Any) -> Any: ...
    def t(self) -> Tensor:
        """The transpose of a matrix; a tensor with fewer dims is returned as it is."""
    def t_(self) -> Tensor:
        """t in place: the tensor itself becomes the view."""
    def take(self, index: Tensor) -> Tensor:
        """The elements at the given positions of the flattened tensor; negative ones count from the end.

        Args:
            index: positions in the flattened tensor, int64.
        """
    def take_along_dim(self, indices: Tensor, dim: _int | None = None) -> Tensor:
        """The elements of input at `indices` along dim, where the other dims broadcast; without dim, of the flattened
        tensor.

        Args:
            indices: the positions along `dim`, int64; other dims broadcast.
            dim: the dim to index. None (the default) indexes the flattened tensor.
        """
    def tan(self) -> Tensor:
        """The tangent of an angle in radians.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def tan_(self) -> Tensor:
        """The tangent of an angle in radians.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def tanh(self) -> Tensor:
        """The hyperbolic tangent.

        Same shape and dtype; integers and bool give the default dtype.

        Returns:
            a new tensor.
        """
    def tanh_(self) -> Tensor:
        """The hyperbolic tangent.

        Same shape and dtype; integers and bool give the default dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def tensor_split(self, indices_or_sections: Any = None, dim: _int = 0, *, indices: Any = None, sections: Any = None, tensor_indices_or_sections: Any = None) -> tuple[Tensor, ...]:
        """Views along dim: so many nearly equal ones, or cut at the indices listed.

        Args:
            indices_or_sections: an int: the number of pieces; a tuple of ints: where to cut. Give one of this,
                `indices` and `sections`.
            dim: the dim to split. Default: 0.
            indices: where to cut: a tuple of ints. None (the default) if `sections` is given.
            sections: the number of pieces, an int. None (the default) if `indices` is given.
            tensor_indices_or_sections: the same in a tensor on the CPU.
            axis: NumPy's name for `dim`; give one of the two.
        """
    def tile(self, *dims_args: Any, dims: _Sizes = ...) -> Tensor:
        """The tensor repeated along its dims; `dims` counts from the last one.

        Args:
            dims: how often to repeat along each dim, counted from the last one.

        Returns:
            a new tensor.
        """
    def to(self, *args: Any, dtype: _dtype | None = None, device: _Device = None, non_blocking: Any = False, copy: Any = False, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with another dtype and/or device: `to(dtype)`, `to(device, dtype)`, `to(other)`.

        Same shape; the tensor itself where it has them already and `copy` is False. Gradients flow back in the dtype and to
        the device it had.
        """
    def to_dense(self, *args: Any, **kwargs: Any) -> Tensor:
        """Tensor.to_dense: see torch.sparse."""
    def to_padded_tensor(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.to_padded_tensor: see torch.nested."""
    def to_sparse(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.to_sparse: see torch.sparse."""
    def to_sparse_bsc(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.to_sparse_bsc: see torch.sparse."""
    def to_sparse_bsr(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.to_sparse_bsr: see torch.sparse."""
    def to_sparse_coo(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.to_sparse_coo: see torch.sparse."""
    def to_sparse_csc(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.to_sparse_csc: see torch.sparse."""
    def to_sparse_csr(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.to_sparse_csr: see torch.sparse."""
    def tolist(self) -> Any:
        """The numbers as nested lists.

        A number, of a tensor of no dims. It waits for the values; inside a transform, where there are none, it raises.
        """
    def topk(self, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True, *, axis: Any = ...) -> return_types.topk:
        """(values, indices) of the k largest (or smallest) elements along `dim`, in order even if not `sorted`.

        Args:
            k: how many elements to select.
            dim: the dim along which to select. Default: -1.
            largest: whether the largest are selected; False selects the smallest. Default: True.
            sorted: whether the elements must be in order. They always are here. Default: True.
            axis: NumPy's name for `dim`; give one of the two.

        Returns:
            a named tuple of `values`, `indices`.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix; integers are summed as int64.

        Returns:
            a new tensor.
        """
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """Two dims exchanged.

        Args:
            dim0: the first dim to exchange.
            dim1: the second dim to exchange.
        """
    def transpose_(self, dim0: _int, dim1: _int) -> Tensor:
        """transpose in place: the tensor itself becomes the view.

        Args:
            dim0: the first dim to exchange.
            dim1: the second dim to exchange.
        """
    def triangular_solve(self, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False) -> return_types.triangular_solve:
        """The solution X of A @ X = input (A^T @ X with transpose=True) for triangular A, and a copy of A.

        (…, n, k) and (…, n, n), which broadcast; float or complex.

        Args:
            A: the triangular matrices, of shape (..., n, n).
            upper: whether `A` is upper triangular. False means lower. Default: True.
            transpose: whether the system of the transposed `A` is solved. Default: False.
            unitriangular: whether the diagonal counts as ones and is not read. Default: False.

        Returns:
            a named tuple of `solution`, `cloned_coefficient`.
        """
    def tril(self, diagonal: _int = 0) -> Tensor:
        """The matrices with zeros above the diagonal number `diagonal`.

        Args:
            diagonal: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
                Default: 0.

        Returns:
            a new tensor.
        """
    def tril_(self, diagonal: _int = 0) -> Tensor:
        """The matrices with zeros above the diagonal number `diagonal`.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            diagonal: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
                Default: 0.

        Returns:
            the tensor itself.
        """
    def triu(self, diagonal: _int = 0) -> Tensor:
        """The matrices with zeros below the diagonal number `diagonal`.

        Args:
            diagonal: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
                Default: 0.

        Returns:
            a new tensor.
        """
    def triu_(self, diagonal: _int = 0) -> Tensor:
        """The matrices with zeros below the diagonal number `diagonal`.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            diagonal: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
                Default: 0.

        Returns:
            the tensor itself.
        """
    def true_divide(self, other: Tensor | Number) -> Tensor:
        """input / other in floating point.

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.

        Returns:
            a new tensor.
        """
    def true_divide_(self, other: Tensor | Number) -> Tensor:
        """input / other in floating point.

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the divisor: a tensor or a number; it broadcasts with `input`.

        Returns:
            the tensor itself.
        """
    def trunc(self) -> Tensor:
        """Input rounded towards 0; its derivative is 0.

        Same shape and dtype; NotImplementedError for bool and complex.

        Returns:
            a new tensor.
        """
    def trunc_(self) -> Tensor:
        """Input rounded towards 0; its derivative is 0.

        Same shape and dtype; NotImplementedError for bool and complex.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
    def type(self, dtype: _dtype | None = None, non_blocking: Any = False) -> Any:
        """The type's name ('torch.FloatTensor'), or the tensor cast to a dtype.

        Same shape.
        """
    def type_as(self, other: Tensor) -> Tensor:
        """The tensor with other's dtype and device.

        Same shape.
        """
    def unbind(self, dim: _int = 0) -> tuple[Tensor, ...]:
        """Views of the slices along dim, with that dim removed.

        Args:
            dim: the dim to remove. Default: 0.
            axis: NumPy's name for `dim`; give one of the two.
        """
    def unflatten(self, dim: _int, sizes: _Sizes) -> Tensor:
        """torch.unflatten; as a method it looks at whether there are sizes before it looks at what they are.

        Args:
            dim: the dim to split.
            sizes: the sizes of the new dims; one may be -1.
        """
    def unfold(self, dimension: _int, size: _int, step: _int) -> Tensor:
        """All windows of `size` elements along `dimension`, `step` apart; a window is the last dim of the result.

        (…, n, …) to (…, number of windows, …, size). RuntimeError for a size above n.

        Args:
            dimension: the dim to slide along.
            size: the size of each window.
            step: the distance between windows.
        """
    def uniform_(self, a: _float = 0, b: _float = 1, *, generator: Generator | None = None, **names: Any) -> Tensor:
        """Fills the tensor with uniform numbers in [a, b); torch calls the bounds `from` and `to`.

        Float; RuntimeError unless a <= b.

        Args:
            a: the lower end of the interval (`from` in PyTorch). Default: 0.
            b: the upper end of the interval (`to` in PyTorch), which is excluded. Default: 1.
            generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
                which `torch.manual_seed` seeds.
        """
    def unique(self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> Any:
        """The distinct elements in order (also if not `sorted`), then, if asked for, where each went and how often each is.

        Args:
            sorted: whether the elements must be in order. They always are here. Default: True.
            return_inverse: whether to also return, for each element, its index among the returned elements.
                Default: False.
            return_counts: whether to also return how often each returned element occurs. Default: False.
            dim: the dim whose slices are compared. None (the default) compares the elements of the flattened
                tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def unique_consecutive(self, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> Any:
        """The first element of every run of equal elements, then, if asked for, where each went and the lengths of the
        runs.

        Args:
            return_inverse: whether to also return, for each element, its index among the returned elements.
                Default: False.
            return_counts: whether to also return how often each returned element occurs. Default: False.
            dim: the dim whose slices are compared. None (the default) compares the elements of the flattened
                tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def unsafe_chunk(self, chunks: Any, dim: Any = 0) -> Any:
        """torch.chunk: what is unsafe in PyTorch, writing to the parts in place, is safe here.

        Args:
            dim: the dim (an int, negative ones count from the end). Default: 0.
        """
    def unsafe_split(self, split_size: Any, dim: Any = 0) -> Any:
        """torch.split: what is unsafe in PyTorch, writing to the parts in place, is safe here.

        Args:
            dim: the dim (an int, negative ones count from the end). Default: 0.
        """
    def unsafe_split_with_sizes(self, split_sizes: Any, dim: Any = 0) -> Any:
        """torch.split_with_sizes: what is unsafe in PyTorch, writing to the parts in place, is safe here.

        Args:
            dim: the dim (an int, negative ones count from the end). Default: 0.
        """
    def unsqueeze(self, dim: _int = ..., *, axis: Any = ...) -> Tensor:
        """A dim of size 1 inserted at `dim`.

        Args:
            dim: the position of the new dim; required.
            axis: NumPy's name for `dim`; give one of the two.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def unsqueeze_(self, dim: _int) -> Tensor:
        """unsqueeze in place: the tensor itself becomes the view.

        Args:
            dim: the position of the new dim; required.
        """
    def untyped_storage(self) -> UntypedStorage:
        """The storage that this tensor shares with its views."""
    def values(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.values: see torch.sparse."""
    def var(self, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The variance over `dim`: the sum of squared distances from the mean, divided by max(0, count - correction).

        Args:
            dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
                are reduced.
            unbiased: whether the divisor is N - 1 (True, `correction=1`) or N (False, `correction=0`). Give this
                or `correction`.
            keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
            correction: what is subtracted from N in the divisor. None (the default) means 1.
            axis: NumPy's name for `dim`; give one of the two.
            keepdims: NumPy's name for `keepdim`.

        Returns:
            a new tensor.

        Raises:
            IndexError: if `dim` is out of range for the number of dims.
        """
    def vdot(self, other: Tensor) -> Tensor:
        """The inner product of two vectors, the first conjugated.

        Args:
            other: the second vector.

        Returns:
            a new tensor.
        """
    def view(self, *sizes: Any, size: _Sizes | None = None, dtype: _dtype | None = None) -> Tensor:
        """A view of another shape with the same elements; or, given a dtype, the bits read as that dtype.

        Args:
            size: the new shape; one size may be -1.
            dtype: the dtype as which the bits are read.
            input: the input tensor.
        """
    def view_as(self, other: Tensor) -> Tensor:
        """self.view(other.size()).

        Args:
            other: the tensor whose shape (for type_as, whose dtype and device) is taken.
        """
    volatile: _bool
    def vsplit(self, indices_or_sections: Any = None, *more: Any, indices: Any = None, sections: Any = None) -> Any:
        """torch.vsplit: tensor_split along its dimension. RuntimeError for fewer than 2 dims, and where a number of parts does not divide it. The indices may be given one by one.

        Args:
            indices_or_sections: an int: the number of pieces; a tuple of ints: where to cut. Give one of this,
                `indices` and `sections`.
            indices: where to cut: a tuple of ints. None (the default) if `sections` is given.
            sections: the number of pieces, an int. None (the default) if `indices` is given.
        """
    def where(self, condition: Tensor, other: Tensor | Number) -> Tensor:
        """The elements of this tensor where condition holds, else of `other`; the three broadcast, and the dtype is
        promoted.

        Args:
            condition: a bool tensor.
            other: the values where `condition` is False: a tensor or a number. Without `input` and `other` the
                result is `nonzero(condition, as_tuple=True)`.
        """
    def xlogy(self, other: Tensor | Number) -> Tensor:
        """input * log(other), and 0 where input is 0 (unless other is nan).

        Args:
            other: the argument of the logarithm: a tensor or a number.

        Returns:
            a new tensor.
        """
    def xlogy_(self, other: Tensor | Number) -> Tensor:
        """input * log(other), and 0 where input is 0 (unless other is nan).

        In place: the result is cast to the dtype of the tensor and written into it.

        Args:
            other: the argument of the logarithm: a tensor or a number.

        Returns:
            the tensor itself.
        """
    def zero(self) -> Tensor:
        """Zeros of input's shape and dtype.

        Returns:
            a new tensor.
        """
    def zero_(self) -> Tensor:
        """Zeros of input's shape and dtype.

        In place: the result is cast to the dtype of the tensor and written into it.

        Returns:
            the tensor itself.
        """
