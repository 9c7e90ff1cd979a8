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
        """|input|; of a complex tensor the (real) modulus."""
    def abs_(self) -> Tensor:
        """abs in place; not of a complex tensor, whose modulus is real."""
    def absolute(self) -> Tensor:
        """|input|; of a complex tensor the (real) modulus."""
    def absolute_(self) -> Tensor:
        """abs in place; not of a complex tensor, whose modulus is real."""
    def acos(self) -> Tensor:
        """The arccosine in radians; nan outside [-1, 1]."""
    def acos_(self) -> Tensor:
        """The arccosine in radians; nan outside [-1, 1]."""
    def acosh(self) -> Tensor:
        """The inverse of the hyperbolic cosine; nan below 1."""
    def acosh_(self) -> Tensor:
        """The inverse of the hyperbolic cosine; nan below 1."""
    def add(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input + alpha * other; for bool, the logical or."""
    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input + alpha * other; for bool, the logical or."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the sum over the batch of batch1 @ batch2)."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the sum over the batch of batch1 @ batch2)."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """input + value * tensor1 / tensor2; an error when both are tensors of integers."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """input + value * tensor1 / tensor2; an error when both are tensors of integers."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """input + value * tensor1 * tensor2."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """input + value * tensor1 * tensor2."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat1 @ mat2)."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat1 @ mat2)."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat @ vec)."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat @ vec)."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the outer product of two vectors)."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the outer product of two vectors)."""
    def adjoint(self) -> Tensor:
        """The conjugate transpose of the last two dims."""
    def all(self, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """Whether all elements along `dim` are nonzero; bool, or uint8 for uint8."""
    def allclose(self, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = False) -> _bool:
        """Whether |input - other| <= atol + rtol * |other| for all elements."""
    def amax(self, dim: _int | _Sizes | None = ..., keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The largest element over `dim`; ties share the gradient evenly."""
    def amin(self, dim: _int | _Sizes | None = ..., keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The smallest element over `dim`; ties share the gradient evenly."""
    def aminmax(self, *, dim: _int | None = None, keepdim: _bool = False, axis: Any = ..., keepdims: _bool = ...) -> return_types.aminmax:
        """The smallest and the largest element over one dim or all."""
    def angle(self) -> Tensor:
        """The argument of a complex number, in radians; of a real number 0, or pi where it is negative; nan of nan."""
    def any(self, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """Whether any element along `dim` is nonzero; bool, or uint8 for uint8."""
    def apply_(self, callable: Any) -> Tensor:
        """Replaces every element x by callable(x), a Python function; slow, and only for tensors without grad."""
    def arccos(self) -> Tensor:
        """The arccosine in radians; nan outside [-1, 1]."""
    def arccos_(self) -> Tensor:
        """The arccosine in radians; nan outside [-1, 1]."""
    def arccosh(self) -> Tensor:
        """The inverse of the hyperbolic cosine; nan below 1."""
    def arccosh_(self) -> Tensor:
        """The inverse of the hyperbolic cosine; nan below 1."""
    def arcsin(self) -> Tensor:
        """The arcsine in radians; nan outside [-1, 1]."""
    def arcsin_(self) -> Tensor:
        """The arcsine in radians; nan outside [-1, 1]."""
    def arcsinh(self) -> Tensor:
        """The inverse of the hyperbolic sine."""
    def arcsinh_(self) -> Tensor:
        """The inverse of the hyperbolic sine."""
    def arctan(self) -> Tensor:
        """The arctangent in radians."""
    def arctan2(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input), in radians; its derivative at the origin is 0."""
    def arctan2_(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input), in radians; its derivative at the origin is 0."""
    def arctan_(self) -> Tensor:
        """The arctangent in radians."""
    def arctanh(self) -> Tensor:
        """The inverse of the hyperbolic tangent; nan outside [-1, 1]."""
    def arctanh_(self) -> Tensor:
        """The inverse of the hyperbolic tangent; nan outside [-1, 1]."""
    def argmax(self, dim: _int | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The index of the first largest element along `dim`, or in the flattened tensor."""
    def argmin(self, dim: _int | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The index of the first smallest element along `dim`, or in the flattened tensor."""
    def argsort(self, dim: _int = -1, descending: _bool = False, *, stable: _bool = False, axis: Any = ...) -> Tensor:
        """The indices that put the elements in order along `dim`."""
    def argwhere(self) -> Tensor:
        """Indices of the elements that are not zero, shape (n, ndim)."""
    def as_strided(self, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
        """The view of the elements at `storage_offset + sum(i * stride)` of the storage of `input`."""
    def as_strided_(self, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
        """as_strided in place: the tensor itself becomes the view."""
    def as_strided_scatter(self, src: Tensor, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
        """A copy of input with src written through the view `as_strided(size, stride, storage_offset)` of it."""
    def as_subclass(self, cls: type) -> Tensor:
        """The tensor as one of another class, with the same storage and history."""
    def asin(self) -> Tensor:
        """The arcsine in radians; nan outside [-1, 1]."""
    def asin_(self) -> Tensor:
        """The arcsine in radians; nan outside [-1, 1]."""
    def asinh(self) -> Tensor:
        """The inverse of the hyperbolic sine."""
    def asinh_(self) -> Tensor:
        """The inverse of the hyperbolic sine."""
    def atan(self) -> Tensor:
        """The arctangent in radians."""
    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input), in radians; its derivative at the origin is 0."""
    def atan2_(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input), in radians; its derivative at the origin is 0."""
    def atan_(self) -> Tensor:
        """The arctangent in radians."""
    def atanh(self) -> Tensor:
        """The inverse of the hyperbolic tangent; nan outside [-1, 1]."""
    def atanh_(self) -> Tensor:
        """The inverse of the hyperbolic tangent; nan outside [-1, 1]."""
    def backward(self, gradient: Any = None, retain_graph: Any = None, create_graph: Any = False, inputs: Any = None) -> None:
        """Accumulates the gradients of this tensor into the leaves it was computed from (torch.Tensor.backward)."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (batch1 @ batch2), batch by batch."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (batch1 @ batch2), batch by batch."""
    def bernoulli(self, p: _float = ..., *, generator: Generator | None = None) -> Tensor:
        """0 or 1 with the probabilities in input, or all with probability p; with gradients of zero."""
    def bernoulli_(self, p: Any = ..., *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with 0 and 1, the latter with probability p (a number, or a tensor that broadcasts to this one)."""
    def bfloat16(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.bfloat16, of the same shape."""
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """How often each integer from 0 to the largest occurs in the 1-D `input`, or the sum of its weights."""
    def bitwise_and(self, other: Tensor | Number) -> Tensor:
        """The bits set in both; integers and bool only."""
    def bitwise_and_(self, other: Tensor | Number) -> Tensor:
        """The bits set in both; integers and bool only."""
    def bitwise_left_shift(self, other: Tensor | Number) -> Tensor:
        """input * 2 ** other in integers; 0 where `other` is negative or not less than the dtype's width."""
    def bitwise_left_shift_(self, other: Tensor | Number) -> Tensor:
        """input * 2 ** other in integers; 0 where `other` is negative or not less than the dtype's width."""
    def bitwise_not(self) -> Tensor:
        """All bits flipped; the logical not of bool."""
    def bitwise_not_(self) -> Tensor:
        """All bits flipped; the logical not of bool."""
    def bitwise_or(self, other: Tensor | Number) -> Tensor:
        """The bits set in either; integers and bool only."""
    def bitwise_or_(self, other: Tensor | Number) -> Tensor:
        """The bits set in either; integers and bool only."""
    def bitwise_right_shift(self, other: Tensor | Number) -> Tensor:
        """floor(input / 2 ** other) in integers; a negative `other` counts as the dtype's width."""
    def bitwise_right_shift_(self, other: Tensor | Number) -> Tensor:
        """floor(input / 2 ** other) in integers; a negative `other` counts as the dtype's width."""
    def bitwise_xor(self, other: Tensor | Number) -> Tensor:
        """The bits set in exactly one; integers and bool only."""
    def bitwise_xor_(self, other: Tensor | Number) -> Tensor:
        """The bits set in exactly one; integers and bool only."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two batches of matrices: (b, n, m) times (b, m, p) is (b, n, p)."""
    def bool(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.bool, of the same shape."""
    def broadcast_to(self, *size_args: Any, size: _Sizes = ...) -> Tensor:
        """`input` broadcast to `size`; -1 keeps a size."""
    def byte(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.uint8, of the same shape."""
    def cauchy_(self, median: _float = 0, sigma: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with numbers that have Cauchy's distribution."""
    def ccol_indices(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.ccol_indices: see torch.sparse."""
    def cdouble(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.complex128, of the same shape."""
    def ceil(self) -> Tensor:
        """The smallest integer not below input; its derivative is 0."""
    def ceil_(self) -> Tensor:
        """The smallest integer not below input; its derivative is 0."""
    def cfloat(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.complex64, of the same shape."""
    def char(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.int8, of the same shape."""
    def cholesky(self, upper: _bool = False) -> Tensor:
        """The lower (or upper) triangular Cholesky factor; LinAlgError for a matrix that is not positive definite."""
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """The inverse of A, of which `input` is the lower (or upper) Cholesky factor; LinAlgError for a zero on its diagonal."""
    def cholesky_solve(self, input2: Tensor, upper: _bool = False) -> Tensor:
        """The solution X of A @ X = input, where input2 is the lower (or upper) Cholesky factor of A."""
    def chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """At most `chunks` views of equal size along dim (the last may be smaller)."""
    def clamp(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Input limited to [min, max]; max wins where min > max; nan where a bound is nan."""
    def clamp_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Input limited to [min, max]; max wins where min > max; nan where a bound is nan."""
    def clamp_max(self, max: Tensor | Number) -> Tensor:
        """Input, or `max` where that is less."""
    def clamp_max_(self, max: Tensor | Number) -> Tensor:
        """Input, or `max` where that is less."""
    def clamp_min(self, min: Tensor | Number) -> Tensor:
        """Input, or `min` where that is greater."""
    def clamp_min_(self, min: Tensor | Number) -> Tensor:
        """Input, or `min` where that is greater."""
    def clip(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Input limited to [min, max]; max wins where min > max; nan where a bound is nan."""
    def clip_(self, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
        """Input limited to [min, max]; max wins where min > max; nan where a bound is nan."""
    def clone(self, *, memory_format: Any = None) -> Tensor:
        """A copy of the tensor, through which derivatives flow; there are no memory formats to keep."""
    def coalesce(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.coalesce: see torch.sparse."""
    def col_indices(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.col_indices: see torch.sparse."""
    def conj(self) -> Tensor:
        """The complex conjugate, as a view: what is written to it is conjugated and written to `input`."""
    def conj_physical(self) -> Tensor:
        """The complex conjugate; a real tensor is returned as it is."""
    def conj_physical_(self) -> Tensor:
        """The complex conjugate; a real tensor is returned as it is."""
    def const_data_ptr(self) -> _int:
        """data_ptr()."""
    def contiguous(self, memory_format: _memory_format | None = ...) -> Tensor:
        """The tensor itself when its elements lie in this format, else a copy."""
    def copy_(self, src: Any, non_blocking: Any = False) -> Tensor:
        """Writes src, broadcast and cast, into the tensor."""
    def copysign(self, other: Tensor | Number) -> Tensor:
        """|input| with the sign of `other` (of its sign bit: -0.0 counts as negative)."""
    def copysign_(self, other: Tensor | Number) -> Tensor:
        """|input| with the sign of `other` (of its sign bit: -0.0 counts as negative)."""
    def corrcoef(self) -> Tensor:
        """The correlation coefficients of variables (rows): their covariances over the product of their standard deviations."""
    def cos(self) -> Tensor:
        """The cosine of an angle in radians."""
    def cos_(self) -> Tensor:
        """The cosine of an angle in radians."""
    def cosh(self) -> Tensor:
        """The hyperbolic cosine."""
    def cosh_(self) -> Tensor:
        """The hyperbolic cosine."""
    def count_nonzero(self, dim: _int | _Sizes | None = None, *, axis: Any = ...) -> Tensor:
        """How many elements along `dim` are nonzero (nan is)."""
    def cov(self, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """The covariance matrix of variables (rows) from observations (columns); a vector is one variable."""
    def cpu(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor on the CPU."""
    def cross(self, other: Tensor, dim: _int | None = None, *, axis: Any = ...) -> Tensor:
        """The cross product of vectors of size 3 along `dim`, by default the first dim of that size."""
    def crow_indices(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.crow_indices: see torch.sparse."""
    def cuda(self, device: _Device = None, non_blocking: Any = False, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor on a GPU."""
    def cummax(self, dim: _int = ..., *, axis: Any = ...) -> return_types.cummax:
        """(values, indices) of the largest element so far along `dim`; the gradient goes to the element selected."""
    def cummin(self, dim: _int = ..., *, axis: Any = ...) -> return_types.cummin:
        """(values, indices) of the smallest element so far along `dim`; the gradient goes to the element selected."""
    def cumprod(self, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
        """The running product along `dim`; its gradient is right where elements are zero."""
    def cumprod_(self, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
        """The running product along `dim`; its gradient is right where elements are zero."""
    def cumsum(self, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
        """The running sum along `dim`; bool and integers give int64 unless `dtype` is given."""
    def cumsum_(self, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
        """The running sum along `dim`; bool and integers give int64 unless `dtype` is given."""
    data: Tensor
    def data_ptr(self) -> _int:
        """The address of the first element, in memory that holds the values of this moment: it may be read as long as the tensor lives."""
    def deg2rad(self) -> Tensor:
        """Degrees as radians."""
    def deg2rad_(self) -> Tensor:
        """Degrees as radians."""
    def dense_dim(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.dense_dim: see torch.sparse."""
    def det(self) -> Tensor:
        """The determinant of square matrices."""
    def detach(self) -> Tensor:
        """An alias without history, and without tangent."""
    def detach_(self) -> Tensor:
        """Takes the tensor out of the graph; it becomes a leaf, without tangent."""
    device: _device
    def diag(self, diagonal: _int = 0) -> Tensor:
        """The diagonal of a matrix, or the matrix with a 1-D tensor on its diagonal."""
    def diag_embed(self, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
        """Matrices over the dims `dim1` and `dim2` of the result, whose diagonal `offset` is the last dim of `input`."""
    def diagflat(self, offset: _int = 0) -> Tensor:
        """The matrix with the elements of `input` on its diagonal `offset`."""
    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """The diagonal of the matrices in dims `dim1` and `dim2`, as the last dim of the result."""
    def diagonal_scatter(self, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """`input` with a diagonal replaced by `src`."""
    def diff(self, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """The n-th difference of neighbours along `dim`, after joining `prepend` and `append`; bool differs by exclusive or."""
    def digamma(self) -> Tensor:
        """The derivative of `lgamma`; nan at negative whole numbers, infinite at 0."""
    def digamma_(self) -> Tensor:
        """The derivative of `lgamma`; nan at negative whole numbers, infinite at 0."""
    def dim(self) -> _int:
        """The number of dimensions."""
    def dim_order(self, *, ambiguity_check: _bool | list = False) -> _Sizes:
        """The dims from the outermost in memory to the innermost."""
    def dist(self, other: Tensor, p: Any = 2) -> Tensor:
        """The norm of order `p` of input - other."""
    def div(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept."""
    def div_(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept."""
    def divide(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept."""
    def divide_(self, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
        """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept."""
    def dot(self, tensor: Tensor) -> Tensor:
        """The inner product of two vectors, without conjugation."""
    def double(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.float64, of the same shape."""
    def dsplit(self, indices_or_sections: Any = None, *more: Any, indices: Any = None, sections: Any = None) -> Any:
        """torch.dsplit: tensor_split along its dimension."""
    dtype: _dtype
    def eig(self, *args: Any, **kwargs: Any) -> Any: ...
    def element_size(self) -> _int:
        """Bytes per element."""
    def eq(self, other: Tensor | Number) -> Tensor:
        """input == other, as a bool tensor."""
    def eq_(self, other: Tensor | Number) -> Tensor:
        """input == other, as a bool tensor."""
    def equal(self, other: Tensor) -> _bool:
        """Whether shapes and all elements are equal."""
    def erf(self) -> Tensor:
        """The error function."""
    def erf_(self) -> Tensor:
        """The error function."""
    def erfc(self) -> Tensor:
        """1 - erf(input), accurate where erf is close to 1."""
    def erfc_(self) -> Tensor:
        """1 - erf(input), accurate where erf is close to 1."""
    def erfinv(self) -> Tensor:
        """The inverse of `erf` on (-1, 1); infinite at the ends, nan outside."""
    def erfinv_(self) -> Tensor:
        """The inverse of `erf` on (-1, 1); infinite at the ends, nan outside."""
    def exp(self) -> Tensor:
        """e ** input."""
    def exp2(self) -> Tensor:
        """2 ** input, exact for whole numbers."""
    def exp2_(self) -> Tensor:
        """2 ** input, exact for whole numbers."""
    def exp_(self) -> Tensor:
        """e ** input."""
    def expand(self, *size_args: Any, size: _Sizes = ...) -> Tensor:
        """`input` broadcast to `size`; -1 keeps a size."""
    def expand_as(self, other: Tensor) -> Tensor:
        """self.expand(other.size())."""
    def expm1(self) -> Tensor:
        """exp(input) - 1, accurate near 0."""
    def expm1_(self) -> Tensor:
        """exp(input) - 1, accurate near 0."""
    def exponential_(self, lambd: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with exponentially distributed numbers of rate lambd."""
    def fill(self, value: Tensor | Number) -> Tensor:
        """A tensor of input's shape and dtype filled with `value`."""
    def fill_(self, value: Tensor | Number) -> Tensor:
        """A tensor of input's shape and dtype filled with `value`."""
    def fill_diagonal_(self, fill_value: _float, wrap: _bool = False) -> Tensor:
        """Fills the main diagonal in place; with wrap=True that of a tall matrix begins anew after n columns and a gap of one."""
    def fix(self) -> Tensor:
        """Input rounded towards 0; its derivative is 0."""
    def fix_(self) -> Tensor:
        """Input rounded towards 0; its derivative is 0."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """The dims from start_dim to end_dim as one: a view if possible, else a copy."""
    def flip(self, *dims_args: Any, dims: _Sizes = ...) -> Tensor:
        """The order of the elements reversed along `dims`."""
    def fliplr(self) -> Tensor:
        """The order reversed along dim 1."""
    def flipud(self) -> Tensor:
        """The order reversed along dim 0."""
    def float(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.float32, of the same shape."""
    def float_power(self, exponent: Tensor | Number) -> Tensor:
        """input ** exponent in float64, or complex128 when either is complex; `out=` has that dtype."""
    def float_power_(self, exponent: Tensor | Number) -> Tensor:
        """self ** exponent, in place: of a float64 or complex128 tensor, as these are the dtypes that `float_power` gives."""
    def floor(self) -> Tensor:
        """The largest integer not above input; its derivative is 0."""
    def floor_(self) -> Tensor:
        """The largest integer not above input; its derivative is 0."""
    def floor_divide(self, other: Tensor | Number) -> Tensor:
        """floor(input / other) with the dtype kept; its derivative is 0 (torch has none and raises)."""
    def floor_divide_(self, other: Tensor | Number) -> Tensor:
        """floor(input / other) with the dtype kept; its derivative is 0 (torch has none and raises)."""
    def fmax(self, other: Tensor) -> Tensor:
        """The greater of the two, ignoring nan."""
    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of the two, ignoring nan."""
    def fmod(self, other: Tensor | Number) -> Tensor:
        """input - other * trunc(input / other): the remainder with the sign of `input`."""
    def fmod_(self, other: Tensor | Number) -> Tensor:
        """input - other * trunc(input / other): the remainder with the sign of `input`."""
    def frac(self) -> Tensor:
        """input - trunc(input): the part behind the point, with the sign of input; its derivative is 1."""
    def frac_(self) -> Tensor:
        """input - trunc(input): the part behind the point, with the sign of input; its derivative is 1."""
    def frexp(self) -> return_types.frexp:
        """Mantissa in [0.5, 1) and int32 exponent with input == mantissa * 2 ** exponent; exponent 0 for 0, inf and nan."""
    def gather(self, dim: _int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
        """result[i][j] = input[index[i][j]][j] for dim 0, and so on; the result has the shape of `index`."""
    def gcd(self, other: Tensor) -> Tensor:
        """The greatest common divisor, not negative but beside the smallest number there is; gcd(0, 0) is 0."""
    def gcd_(self, other: Tensor) -> Tensor:
        """The greatest common divisor, not negative but beside the smallest number there is; gcd(0, 0) is 0."""
    def ge(self, other: Tensor | Number) -> Tensor:
        """input >= other, as a bool tensor."""
    def ge_(self, other: Tensor | Number) -> Tensor:
        """input >= other, as a bool tensor."""
    def geometric_(self, p: _float, *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with numbers of trials up to the first success, of probability p each."""
    def geqrf(self) -> return_types.geqrf:
        """QR in LAPACK's form: R on and above the diagonal, Householder vectors below it, and their factors; no derivative."""
    def ger(self, vec2: Tensor) -> Tensor:
        """All products of an element of one vector with an element of another (another name of `outer`)."""
    def get_device(self) -> _int:
        """The index of the device; -1 for the CPU."""
    grad: Tensor | None
    grad_dtype: _dtype
    grad_fn: Any
    def greater(self, other: Tensor | Number) -> Tensor:
        """input > other, as a bool tensor."""
    def greater_(self, other: Tensor | Number) -> Tensor:
        """input > other, as a bool tensor."""
    def greater_equal(self, other: Tensor | Number) -> Tensor:
        """input >= other, as a bool tensor."""
    def greater_equal_(self, other: Tensor | Number) -> Tensor:
        """input >= other, as a bool tensor."""
    def gt(self, other: Tensor | Number) -> Tensor:
        """input > other, as a bool tensor."""
    def gt_(self, other: Tensor | Number) -> Tensor:
        """input > other, as a bool tensor."""
    def half(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.float16, of the same shape."""
    def hardshrink(self, lambd: Number = ...) -> Tensor:
        """0 where |input| <= lambd, input elsewhere."""
    def hash_tensor(self, dim: _int | _Sizes | None = ..., *, keepdim: _bool = False, mode: _int = 0, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """A checksum over `dim` as uint64: the exclusive or of the elements' bits, as int64 or float64."""
    def heaviside(self, values: Tensor) -> Tensor:
        """0 where input < 0 or is nan, 1 where input > 0, and `values` where it is 0."""
    def heaviside_(self, values: Tensor) -> Tensor:
        """0 where input < 0 or is nan, 1 where input > 0, and `values` where it is 0."""
    def histc(self, bins: _int = 100, min: Number = 0, max: Number = 0) -> Tensor:
        """How many elements fall into each of `bins` equal bins from `min` to `max` (of the data, when those are equal)."""
    def histogram(self, bins: Any = 100, *, range: tuple[_float, ...] | None = None, weight: Tensor | None = None, density: _bool = False) -> return_types.histogram:
        """(counts, edges) of all elements of input in bins: a number of bins of equal width, or the edges of bins."""
    def hsplit(self, indices_or_sections: Any = None, *more: Any, indices: Any = None, sections: Any = None) -> Any:
        """torch.hsplit: tensor_split along its dimension."""
    def hypot(self, other: Tensor) -> Tensor:
        """sqrt(input^2 + other^2) without overflow; its derivative at the origin is nan, as in torch."""
    def hypot_(self, other: Tensor) -> Tensor:
        """sqrt(input^2 + other^2) without overflow; its derivative at the origin is nan, as in torch."""
    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind of order 0."""
    def i0_(self) -> Tensor:
        """The modified Bessel function of the first kind of order 0."""
    def igamma(self, other: Tensor) -> Tensor:
        """The regularized lower incomplete gamma function P(input, other), for nonnegative arguments."""
    def igamma_(self, other: Tensor) -> Tensor:
        """The regularized lower incomplete gamma function P(input, other), for nonnegative arguments."""
    def igammac(self, other: Tensor) -> Tensor:
        """The regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other)."""
    def igammac_(self, other: Tensor) -> Tensor:
        """The regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other)."""
    imag: Tensor
    def index_add(self, dim: _int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """`input` with alpha times the slices of `source` added to the slices that `index` names."""
    def index_add_(self, dim: _int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """`input` with alpha times the slices of `source` added to the slices that `index` names."""
    def index_copy(self, dim: _int, index: Tensor, source: Tensor) -> Tensor:
        """`input` with the slices that `index` names replaced by those of `source`."""
    def index_copy_(self, dim: _int, index: Tensor, source: Tensor) -> Tensor:
        """`input` with the slices that `index` names replaced by those of `source`."""
    def index_fill(self, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
        """`input` with the slices that `index` names filled with `value`, a number or a 0-d tensor."""
    def index_fill_(self, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
        """`input` with the slices that `index` names filled with `value`, a number or a 0-d tensor."""
    def index_put(self, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
        """A copy of input with values written (or added) at the indices."""
    def index_put_(self, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
        """input[indices] = values, or += with accumulate=True (where an index repeats, all its values are added)."""
    def index_reduce(self, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """The slices of `source` combined with the slices of `input` that `index` names: "prod", "mean", "amax" or "amin"."""
    def index_reduce_(self, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """The slices of `source` combined with the slices of `input` that `index` names: "prod", "mean", "amax" or "amin"."""
    def index_select(self, dim: _int, index: Tensor) -> Tensor:
        """The slices along `dim` that the vector `index` names."""
    def indices(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.indices: see torch.sparse."""
    def inner(self, other: Tensor) -> Tensor:
        """The products of all rows (last dims) of `input` with all rows of `other`; a 0-d factor just multiplies."""
    def int(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.int32, of the same shape."""
    def inverse(self) -> Tensor:
        """The inverse of square matrices; LinAlgError for a singular one."""
    def is_coalesced(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.is_coalesced: see torch.sparse."""
    def is_complex(self) -> _bool:
        """Whether the dtype is a complex dtype."""
    def is_conj(self) -> _bool:
        """Whether the tensor is the conjugate of what its storage holds: a view that `conj` gave, or a view of it."""
    def is_contiguous(self, memory_format: _memory_format | None = ...) -> _bool:
        """Whether the elements lie in row-major order, or another format, as PyTorch would have them; views need not."""
    is_cpu: _bool
    is_cuda: _bool
    def is_distributed(self) -> _bool:
        """False, as in PyTorch."""
    def is_floating_point(self) -> _bool:
        """Whether the dtype is a floating point dtype."""
    is_ipu: _bool
    is_leaf: _bool
    is_maia: _bool
    is_meta: _bool
    is_mkldnn: _bool
    is_mps: _bool
    is_mtia: _bool
    def is_neg(self) -> _bool:
        """Whether the tensor is the negative of what its storage holds, as the imaginary part of a conjugate is."""
    is_nested: _bool
    def is_nonzero(self) -> _bool:
        """Whether a tensor of one element is not zero."""
    def is_pinned(self, device: _Device = None) -> _bool:
        """False: see pin_memory."""
    is_quantized: _bool
    def is_same_size(self, other: Tensor) -> _bool:
        """Whether the shapes are equal."""
    def is_set_to(self, tensor: Any) -> _bool:
        """Whether both show the same elements of the same storage."""
    def is_shared(self) -> _bool:
        """False: see share_memory_."""
    def is_signed(self) -> _bool:
        """Whether the dtype has negative numbers."""
    is_sparse: _bool
    is_sparse_csr: _bool
    is_vulkan: _bool
    is_xla: _bool
    is_xpu: _bool
    def isclose(self, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = False) -> Tensor:
        """|input - other| <= atol + rtol * |other|, elementwise; infinities are close only to themselves."""
    def isfinite(self) -> Tensor:
        """Whether a number (with both its parts) is neither infinite nor nan."""
    def isinf(self) -> Tensor:
        """Whether a number (or a part of a complex one) is infinite."""
    def isnan(self) -> Tensor:
        """Whether a number (or a part of a complex one) is nan."""
    def isneginf(self) -> Tensor:
        """Whether a number is negative infinity."""
    def isposinf(self) -> Tensor:
        """Whether a number is positive infinity."""
    def isreal(self) -> Tensor:
        """Whether the imaginary part is 0."""
    def istft(self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None, length: _int | None = None, return_complex: _bool = False) -> Tensor:
        """The signal whose `stft` is input, in the sense of least squares where frames contradict each other."""
    def item(self) -> Any:
        """The Python number that a tensor of one element holds."""
    itemsize: _int
    def kron(self, other: Tensor) -> Tensor:
        """The Kronecker product: every element of `input` times the whole of `other`, which first get as many dims as each other."""
    def kthvalue(self, k: _int, dim: _int = -1, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> return_types.kthvalue:
        """(values, indices) of the k-th smallest element along `dim`, counted from 1."""
    layout: _layout
    def lcm(self, other: Tensor) -> Tensor:
        """The least common multiple, not negative; 0 where either is 0."""
    def lcm_(self, other: Tensor) -> Tensor:
        """The least common multiple, not negative; 0 where either is 0."""
    def ldexp(self, other: Tensor) -> Tensor:
        """input * 2 ** other; other may not be bool beside floating point."""
    def ldexp_(self, other: Tensor) -> Tensor:
        """input * 2 ** other; other may not be bool beside floating point."""
    def le(self, other: Tensor | Number) -> Tensor:
        """input <= other, as a bool tensor."""
    def le_(self, other: Tensor | Number) -> Tensor:
        """input <= other, as a bool tensor."""
    def lerp(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """input + weight * (end - input), computed from the nearer end so that weight 1 gives `end` exactly."""
    def lerp_(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """input + weight * (end - input), computed from the nearer end so that weight 1 gives `end` exactly."""
    def less(self, other: Tensor | Number) -> Tensor:
        """input < other, as a bool tensor."""
    def less_(self, other: Tensor | Number) -> Tensor:
        """input < other, as a bool tensor."""
    def less_equal(self, other: Tensor | Number) -> Tensor:
        """input <= other, as a bool tensor."""
    def less_equal_(self, other: Tensor | Number) -> Tensor:
        """input <= other, as a bool tensor."""
    def lgamma(self) -> Tensor:
        """The logarithm of the absolute value of the gamma function."""
    def lgamma_(self) -> Tensor:
        """The logarithm of the absolute value of the gamma function."""
    def log(self) -> Tensor:
        """The natural logarithm; -inf at 0 and nan below."""
    def log10(self) -> Tensor:
        """The logarithm to base 10, exact for powers of ten."""
    def log10_(self) -> Tensor:
        """The logarithm to base 10, exact for powers of ten."""
    def log1p(self) -> Tensor:
        """log(1 + input), accurate near 0."""
    def log1p_(self) -> Tensor:
        """log(1 + input), accurate near 0."""
    def log2(self) -> Tensor:
        """The logarithm to base 2, exact for powers of two."""
    def log2_(self) -> Tensor:
        """The logarithm to base 2, exact for powers of two."""
    def log_(self) -> Tensor:
        """The natural logarithm; -inf at 0 and nan below."""
    def log_normal_(self, mean: _float = 1, std: _float = 2, *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with numbers whose logarithms are normal with this mean and standard deviation."""
    def log_softmax(self, dim: _int, dtype: Any = None) -> Tensor:
        """torch.log_softmax of the tensor."""
    def logaddexp(self, other: Tensor) -> Tensor:
        """log(exp(input) + exp(other)) without overflow."""
    def logaddexp2(self, other: Tensor) -> Tensor:
        """log2(2 ** input + 2 ** other) without overflow."""
    def logcumsumexp(self, dim: _int = ..., *, axis: Any = ...) -> Tensor:
        """log(cumsum(exp(input))) along `dim`, computed without overflow."""
    def logdet(self) -> Tensor:
        """The logarithm of the determinant: nan for a negative one, -inf for 0."""
    def logical_and(self, other: Tensor) -> Tensor:
        """Whether both are not 0."""
    def logical_and_(self, other: Tensor) -> Tensor:
        """Whether both are not 0."""
    def logical_not(self) -> Tensor:
        """Whether input is 0."""
    def logical_not_(self) -> Tensor:
        """Whether input is 0."""
    def logical_or(self, other: Tensor) -> Tensor:
        """Whether one of them is not 0."""
    def logical_or_(self, other: Tensor) -> Tensor:
        """Whether one of them is not 0."""
    def logical_xor(self, other: Tensor) -> Tensor:
        """Whether exactly one of them is not 0."""
    def logical_xor_(self, other: Tensor) -> Tensor:
        """Whether exactly one of them is not 0."""
    def logit(self, eps: _float | None = None) -> Tensor:
        """log(x / (1 - x)), the inverse of `sigmoid`; with `eps`, x is clamped to [eps, 1 - eps] first."""
    def logit_(self, eps: _float | None = None) -> Tensor:
        """log(x / (1 - x)), the inverse of `sigmoid`; with `eps`, x is clamped to [eps, 1 - eps] first."""
    def logsumexp(self, dim: _int | _Sizes = ..., keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """log(sum(exp(input))) over `dim`, computed without overflow; integers give floating point."""
    def long(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.int64, of the same shape."""
    def lstsq(self, *args: Any, **kwargs: Any) -> Any: ...
    def lt(self, other: Tensor | Number) -> Tensor:
        """input < other, as a bool tensor."""
    def lt_(self, other: Tensor | Number) -> Tensor:
        """input < other, as a bool tensor."""
    def lu(self, pivot: _bool = True, get_infos: _bool = False) -> Any:
        """The LU factorization in packed form: (LU, pivots), and with get_infos=True also where U has a zero on its diagonal."""
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """The solution X of A @ X = input from A's LU factorization."""
    mH: Tensor
    mT: Tensor
    def map2_(self, x: Tensor, y: Tensor, callable: Any) -> Tensor:
        """Replaces every element by callable(it, x, y), with elements of two other tensors; a Python function, slow."""
    def map_(self, tensor: Tensor, callable: Any) -> Tensor:
        """Replaces every element x by callable(x, y), with y of another tensor; a Python function, slow."""
    def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """Input with `value`, a number or 0-d tensor, where mask is true; the dtype is the input's."""
    def masked_fill_(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """Input with `value`, a number or 0-d tensor, where mask is true; the dtype is the input's."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """A copy of input with the elements of `source`, in order, where mask is True."""
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """masked_scatter in place."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements of input where mask is True, as a 1-d tensor; differentiable."""
    def matmul(self, other: Tensor) -> Tensor:
        """The product of vectors, matrices or batches of matrices; batch dims broadcast, a 1-d factor is a vector."""
    def matrix_exp(self) -> Tensor:
        """The matrix exponential."""
    def matrix_power(self, n: _int) -> Tensor:
        """The n-th power of square matrices; negative powers go through the inverse."""
    @overload
    def max(self) -> Tensor: ...
    @overload
    def max(self, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.max: ...
    @overload
    def max(self, other: Tensor, *, out: Any = ...) -> Tensor: ...
    def maximum(self, other: Tensor) -> Tensor:
        """The greater of the two; nan where either is nan."""
    def mean(self, dim: _int | _Sizes | None = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The mean over `dim`; integers need a floating point `dtype`."""
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
        """The smaller of the two; nan where either is nan."""
    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices: (n, m) times (m, p) is (n, p)."""
    def mode(self, dim: _int = -1, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ...) -> return_types.mode:
        """(values, indices) of the smallest of the most frequent elements along `dim`; the index is that of its last occurrence."""
    def module_load(self, other: Tensor, assign: _bool = False) -> Tensor:
        """Returns the tensor that `load_state_dict` puts in the place of a parameter or buffer: other, or self with other's values."""
    def moveaxis(self, source: _int | _Sizes, destination: _int | _Sizes) -> Tensor:
        """The dims `source` moved to the positions `destination` (numpy's name of `movedim`)."""
    def movedim(self, source: _int | _Sizes, destination: _int | _Sizes) -> Tensor:
        """The dims `source` moved to the positions `destination`; the others keep their order."""
    def msort(self) -> Tensor:
        """The elements in order along the first dim."""
    def mul(self, other: Tensor | Number) -> Tensor:
        """input * other; for bool, the logical and."""
    def mul_(self, other: Tensor | Number) -> Tensor:
        """input * other; for bool, the logical and."""
    def multinomial(self, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None) -> Tensor:
        """Indices (int64) sampled from the rows of unnormalised probabilities in input, of shape (n,) or (m, n)."""
    def multiply(self, other: Tensor | Number) -> Tensor:
        """input * other; for bool, the logical and."""
    def multiply_(self, other: Tensor | Number) -> Tensor:
        """input * other; for bool, the logical and."""
    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix and a vector: (n, m) times (m) is (n)."""
    def mvlgamma(self, p: _int) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension p >= 1."""
    def mvlgamma_(self, p: _int) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension p >= 1."""
    name: Any
    names: Any
    def nan_to_num(self, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None) -> Tensor:
        """Replaces nan (by 0), inf (by the dtype's largest number) and -inf (by its smallest), or by the numbers given."""
    def nan_to_num_(self, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None) -> Tensor:
        """Replaces nan (by 0), inf (by the dtype's largest number) and -inf (by its smallest), or by the numbers given."""
    def nanmean(self, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The mean over `dim` of what is not nan: nansum's checks of dtypes hold."""
    @overload
    def nanmedian(self) -> Tensor: ...
    @overload
    def nanmedian(self, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.nanmedian: ...
    def nanquantile(self, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The q-quantiles along `dim` of what is not nan."""
    def nansum(self, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The sum over `dim` of what is not nan."""
    def narrow(self, dim: _int, start: Any, length: _int) -> Tensor:
        """The view of `length` elements along dim from `start` on (an int or a 0-d integer tensor)."""
    def narrow_copy(self, dim: _int, start: _int, length: _int) -> Tensor:
        """narrow, as a copy instead of a view; it looks at `start` before `length`."""
    nbytes: _int
    ndim: _int
    def ndimension(self) -> _int:
        """The number of dimensions."""
    def ne(self, other: Tensor | Number) -> Tensor:
        """input != other, as a bool tensor."""
    def ne_(self, other: Tensor | Number) -> Tensor:
        """input != other, as a bool tensor."""
    def neg(self) -> Tensor:
        """-input."""
    def neg_(self) -> Tensor:
        """-input."""
    def negative(self) -> Tensor:
        """-input."""
    def negative_(self) -> Tensor:
        """-input."""
    def nelement(self) -> _int:
        """The number of elements."""
    def new(self, *args: Any, size: Any = None, device: _Device = None) -> Tensor:
        """A tensor of this dtype and device, of sizes, of data or of a storage: `x.new(2, 3)`, `x.new([1, 2])`, `x.new(y.storage())`."""
    def new_empty(self, *sizes: Any, size: Any = None, dtype: _dtype | None = None, device: _Device = None, requires_grad: _bool = False, layout: _layout | None = None, pin_memory: _bool = False) -> Tensor:
        """torch.empty with this tensor's dtype and device."""
    def new_empty_strided(self, size: _Sizes, stride: _Sizes, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
        """torch.empty_strided with this tensor's dtype and device."""
    def new_full(self, size: Any, fill_value: Number | Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """torch.full with this tensor's dtype and device."""
    def new_ones(self, *sizes: Any, size: Any = None, dtype: _dtype | None = None, device: _Device = None, requires_grad: _bool = False, layout: _layout | None = None, pin_memory: _bool = False) -> Tensor:
        """torch.ones with this tensor's dtype and device."""
    def new_tensor(self, data: Any, *, dtype: _dtype | None = None, device: _Device = None, requires_grad: _bool = False) -> Tensor:
        """torch.tensor with this tensor's dtype and device."""
    def new_zeros(self, *sizes: Any, size: Any = None, dtype: _dtype | None = None, device: _Device = None, requires_grad: _bool = False, layout: _layout | None = None, pin_memory: _bool = False) -> Tensor:
        """torch.zeros with this tensor's dtype and device."""
    def nextafter(self, other: Tensor) -> Tensor:
        """The floating point number next to `input` in the direction of `other`."""
    def nextafter_(self, other: Tensor) -> Tensor:
        """The floating point number next to `input` in the direction of `other`."""
    def nonzero(self, *, as_tuple: _bool = False) -> Tensor:
        """Indices of the elements that are not zero: shape (n, ndim), or one 1-d tensor for each dim with as_tuple=True."""
    def nonzero_static(self, *, size: _int, fill_value: _int = -1) -> Tensor:
        """The coordinates of the first `size` nonzero elements, int64 of shape (size, ndim); the rest is filled with fill_value."""
    def norm(self, p: Any = 'fro', dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Tensor:
        """The p-norm of the elements over `dim`; "fro" is p=2, "nuc" the sum of the singular values of a matrix."""
    def normal_(self, mean: _float = 0, std: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fills the tensor with normal numbers."""
    def not_equal(self, other: Tensor | Number) -> Tensor:
        """input != other, as a bool tensor."""
    def not_equal_(self, other: Tensor | Number) -> Tensor:
        """input != other, as a bool tensor."""
    def numel(self) -> _int:
        """The number of elements."""
    def numpy(self, *, force: _bool = False) -> np.ndarray:
        """The values as a read-only numpy array that shares memory with the tensor where it can."""
    def orgqr(self, input2: Tensor) -> Tensor:
        """The first columns of the product of Householder reflections: another name of linalg.householder_product."""
    def ormqr(self, input2: Tensor, input3: Tensor, left: _bool = True, transpose: _bool = False) -> Tensor:
        """The product of Q and `input3`, where Q is the whole orthogonal matrix of Householder reflections (`input`, `input2`)."""
    def outer(self, vec2: Tensor) -> Tensor:
        """All products of an element of one vector with an element of another."""
    output_nr: _int
    def permute(self, *dims_args: Any, dims: _Sizes = ...) -> Tensor:
        """The dims in another order: dim i of the result is dim `dims[i]` of the input."""
    def pin_memory(self, device: _Device = None) -> Tensor:
        """The tensor itself: XLA manages host memory."""
    def pinverse(self, rcond: _float = ...) -> Tensor:
        """The Moore-Penrose pseudo-inverse; singular values up to rcond * the largest count as 0."""
    def polygamma(self, n: _int) -> Tensor:
        """torch.polygamma(n, self)."""
    def polygamma_(self, n: _int) -> Tensor:
        """self = torch.polygamma(n, self), in place."""
    def positive(self) -> Tensor:
        """+input: the input itself; an error for bool."""
    def pow(self, exponent: Tensor | Number) -> Tensor:
        """input ** exponent."""
    def pow_(self, exponent: Tensor | Number) -> Tensor:
        """input ** exponent."""
    def prelu(self, weight: Tensor) -> Tensor:
        """leaky_relu whose slope is learned: one for all, or one for each channel (dim 1)."""
    def prod(self, dim: _int = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The product over one dim or all; its gradient is right where elements are zero."""
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """`input` with `source` written (or added) at the given positions of the flattened tensor."""
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """`input` with `source` written (or added) at the given positions of the flattened tensor."""
    def qr(self, some: _bool = True) -> return_types.qr:
        """linalg.qr with mode "reduced", or "complete" with some=False."""
    def quantile(self, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The q-quantiles along `dim` or of all elements; a 1-D `q` gives a new first dim."""
    def rad2deg(self) -> Tensor:
        """Radians as degrees."""
    def rad2deg_(self) -> Tensor:
        """Radians as degrees."""
    def random_(self, from_: _int = ..., to: _int | None = ..., *, generator: Generator | None = None, **names: Any) -> Tensor:
        """Fills the tensor with integers: random_() up to what its dtype holds exactly, random_(to), random_(from, to)."""
    def ravel(self) -> Tensor:
        """All elements as one dim, contiguous: a view of what is contiguous, else a copy."""
    real: Tensor
    def reciprocal(self) -> Tensor:
        """1 / input."""
    def reciprocal_(self) -> Tensor:
        """1 / input."""
    def record_stream(self, stream: Any) -> None:
        """Nothing: XLA keeps memory for as long as work that uses it is under way."""
    def register_hook(self, hook: Any) -> Any:
        """Calls hook(grad) when this tensor's gradient has been computed; a returned Tensor replaces it."""
    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Calls hook(tensor) after a leaf's gradient was accumulated."""
    def relu(self) -> Tensor:
        """max(input, 0); its derivative at 0 is 0."""
    def relu_(self) -> Tensor:
        """max(input, 0); its derivative at 0 is 0."""
    def remainder(self, other: Tensor | Number) -> Tensor:
        """input - other * floor(input / other): the remainder with the sign of `other`."""
    def remainder_(self, other: Tensor | Number) -> Tensor:
        """input - other * floor(input / other): the remainder with the sign of `other`."""
    def renorm(self, p: Any, dim: _int, maxnorm: Number) -> Tensor:
        """Scales each part of input along `dim` whose p-norm exceeds maxnorm down to it."""
    def renorm_(self, p: Any, dim: _int, maxnorm: Number) -> Tensor:
        """Scales each part of input along `dim` whose p-norm exceeds maxnorm down to it."""
    def repeat(self, *repeats_args: Any, repeats: _Sizes = ...) -> Tensor:
        """The tensor repeated `repeats[d]` times along each dim; missing leading dims are added."""
    def repeat_interleave(self, repeats: Any = ..., dim: _int | None = None, *, output_size: _int | None = None) -> Tensor:
        """torch.repeat_interleave of this tensor; `repeats` must be given."""
    requires_grad: _bool
    def requires_grad_(self, requires_grad: _bool = True) -> Tensor:
        """Makes a leaf record gradients (or not)."""
    def reshape(self, *sizes: Any, shape: _Sizes | None = None) -> Tensor:
        """The same elements in another shape, given as ints or as one sequence: a view if possible, else a copy."""
    def reshape_as(self, other: Tensor) -> Tensor:
        """self.reshape(other.size())."""
    def resize(self, *sizes: Any) -> Tensor:
        """The tensor with another shape of as many elements."""
    def resize_(self, *sizes: Any, size: Any = None, memory_format: _memory_format | None = None) -> Tensor:
        """Gives the tensor another size: the first elements of its storage, which grows with zeros where it is too small."""
    def resize_as(self, tensor: Tensor) -> Tensor:
        """The tensor with another's shape, which has as many elements."""
    def resize_as_(self, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
        """resize_ to another tensor's size."""
    def resolve_conj(self) -> Tensor:
        """A copy of a tensor that `is_conj`; the tensor itself otherwise."""
    def resolve_neg(self) -> Tensor:
        """A copy of a tensor that `is_neg`; the tensor itself otherwise."""
    def retain_grad(self) -> None:
        """Keeps the gradient of a tensor that is no leaf in its `.grad`."""
    retains_grad: _bool
    def roll(self, shifts: _Sizes, dims: _int | _Sizes | None = ...) -> Tensor:
        """The elements shifted along `dims`, those falling off coming in at the other end; without dims, of the flattened tensor."""
    def rot90(self, k: _int = 1, dims: _Sizes = ...) -> Tensor:
        """The tensor turned by k times 90 degrees in the plane of two dims, from the first towards the second."""
    def round(self, *, decimals: _int = ...) -> Tensor:
        """Input rounded to `decimals` (0) digits behind the point (before it, when negative), halves to even."""
    def round_(self, *, decimals: _int = ...) -> Tensor:
        """Input rounded to `decimals` (0) digits behind the point (before it, when negative), halves to even."""
    def row_indices(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.row_indices: see torch.sparse."""
    def rsqrt(self) -> Tensor:
        """1 / sqrt(input)."""
    def rsqrt_(self) -> Tensor:
        """1 / sqrt(input)."""
    def rsub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """other - alpha * input."""
    def scatter(self, dim: _int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None, reduce: _str | None = None) -> Tensor:
        """`input` with result[index[i][j]][j] = src[i][j] for dim 0, and so on; `src` may be a number."""
    def scatter_(self, dim: _int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None, reduce: _str | None = None) -> Tensor:
        """`input` with result[index[i][j]][j] = src[i][j] for dim 0, and so on; `src` may be a number."""
    def scatter_add(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """`input` with src[i][j] added at result[index[i][j]][j] for dim 0, and so on."""
    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """`input` with src[i][j] added at result[index[i][j]][j] for dim 0, and so on."""
    def scatter_reduce(self, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """`src` scattered into `input`, where those that meet are combined: "sum", "prod", "mean", "amax" ("max") or "amin" ("min")."""
    def scatter_reduce_(self, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """`src` scattered into `input`, where those that meet are combined: "sum", "prod", "mean", "amax" ("max") or "amin" ("min")."""
    def select(self, dim: _int, index: Number) -> Tensor:
        """The slice `index` along dim, without that dim: a view."""
    def select_scatter(self, src: Tensor, dim: _int, index: Number) -> Tensor:
        """`input` with its slice `index` along `dim` replaced by `src`."""
    def set_(self, source: Any = None, storage_offset: _int = 0, size: _Sizes | None = None, stride: _Sizes | None = None) -> Tensor:
        """Makes the tensor show what `source` holds: a tensor, or a storage, all of it or what size, stride and offset select."""
    def sgn(self) -> Tensor:
        """`sign` of a real tensor; input / |input| of a complex one, and 0 at 0."""
    def sgn_(self) -> Tensor:
        """`sign` of a real tensor; input / |input| of a complex one, and 0 at 0."""
    shape: Size
    def share_memory_(self) -> Tensor:
        """Raises NotImplementedError: processes do not share memory here, and what one writes the others do not see."""
    def short(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor as torch.int16, of the same shape."""
    def sigmoid(self) -> Tensor:
        """1 / (1 + exp(-input))."""
    def sigmoid_(self) -> Tensor:
        """1 / (1 + exp(-input))."""
    def sign(self) -> Tensor:
        """-1, 0 or 1 by the sign of input; 0 for nan."""
    def sign_(self) -> Tensor:
        """-1, 0 or 1 by the sign of input; 0 for nan."""
    def signbit(self) -> Tensor:
        """Whether the sign bit is set: true for negative numbers and for -0.0."""
    def sin(self) -> Tensor:
        """The sine of an angle in radians."""
    def sin_(self) -> Tensor:
        """The sine of an angle in radians."""
    def sinc(self) -> Tensor:
        """sin(pi x) / (pi x), and 1 at 0."""
    def sinc_(self) -> Tensor:
        """sin(pi x) / (pi x), and 1 at 0."""
    def sinh(self) -> Tensor:
        """The hyperbolic sine."""
    def sinh_(self) -> Tensor:
        """The hyperbolic sine."""
    def slice_scatter(self, src: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1, *, axis: Any = ...) -> Tensor:
        """`input` with its elements start:end:step along `dim` replaced by `src`."""
    def slogdet(self) -> return_types.slogdet:
        """Sign and logarithm of the absolute value of the determinant."""
    def softmax(self, dim: _int, dtype: Any = None) -> Tensor:
        """torch.softmax of the tensor."""
    def solve(self, *args: Any, **kwargs: Any) -> Any: ...
    def sort(self, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = False, axis: Any = ...) -> return_types.sort:
        """(values, indices) of the elements in order along `dim`; equal elements keep their order even if not `stable`."""
    def sparse_dim(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.sparse_dim: see torch.sparse."""
    def sparse_mask(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.sparse_mask: see torch.sparse."""
    def split(self, split_size: Any, dim: _int = 0) -> tuple[Tensor, ...]:
        """Views of this tensor along dim: pieces of one size (the last may be smaller), or of the sizes listed."""
    def split_with_sizes(self, split_sizes: Any, dim: _int = 0) -> tuple[Tensor, ...]:
        """Views of `input` along dim with the sizes listed."""
    def sqrt(self) -> Tensor:
        """The square root; nan for negative numbers, and infinite derivative at 0."""
    def sqrt_(self) -> Tensor:
        """The square root; nan for negative numbers, and infinite derivative at 0."""
    def square(self) -> Tensor:
        """input * input."""
    def square_(self) -> Tensor:
        """input * input."""
    def squeeze(self, dim: _int | _Sizes = ..., *, axis: Any = ...) -> Tensor:
        """The dims of size 1 removed: all, or those among `dim`."""
    def squeeze_(self, dim: _int | _Sizes = ...) -> Tensor:
        """squeeze in place: the tensor itself becomes the view."""
    def std(self, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The standard deviation over `dim`; where it is 0 its gradient is 0."""
    def stft(self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: Any = True, pad_mode: Any = 'reflect', normalized: _bool = False, onesided: _bool | None = None, return_complex: Any = None, align_to_window: Any = None) -> Tensor:
        """Fourier transforms of overlapping windows of a signal: (…, time) becomes (…, frequency, frame)."""
    def storage(self) -> TypedStorage:
        """The storage that this tensor shares with its views, as elements of its dtype."""
    def storage_offset(self) -> _int:
        """How many elements of the storage lie before this tensor's first one."""
    def storage_type(self) -> type:
        """The class of `storage()` by its older name, such as torch.FloatStorage."""
    def stride(self, dim: _int | None = None) -> Any:
        """The strides PyTorch's tensor would have, in elements; contiguous ones for a view that is not followed."""
    def sub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other; an error for bool."""
    def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other; an error for bool."""
    def subtract(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other; an error for bool."""
    def subtract_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other; an error for bool."""
    def sum(self, dim: _int | _Sizes | None = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The sum over `dim`; bool and integers give int64 unless `dtype` is given."""
    def sum_to_size(self, *sizes: Any, size: Any = None) -> Tensor:
        """The sum over the dims that broadcasting `size` to this tensor's shape would make or expand."""
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> return_types.svd:
        """input = U @ diag(S) @ V^H: linalg.svd with V instead of Vh; some=False gives square U and V."""
    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor:
        """Two dims exchanged (numpy's name of `transpose`)."""
    def swapaxes_(self, axis0: _int, axis1: _int) -> Tensor:
        """swapaxes in place: the tensor itself becomes the view."""
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """Two dims exchanged (another name of `transpose`)."""
    def swapdims_(self, dim0: _int, dim1: _int) -> Tensor:
        """swapdims in place: the tensor itself becomes the view."""
    def symeig(self, *args: Any, **kwargs: Any) -> Any: ...
    def t(self) -> Tensor:
        """The transpose of a matrix; a tensor with fewer dims is returned as it is."""
    def t_(self) -> Tensor:
        """t in place: the tensor itself becomes the view."""
    def take(self, index: Tensor) -> Tensor:
        """The elements at the given positions of the flattened tensor; negative ones count from the end."""
    def take_along_dim(self, indices: Tensor, dim: _int | None = None) -> Tensor:
        """The elements of input at `indices` along dim, where the other dims broadcast; without dim, of the flattened tensor."""
    def tan(self) -> Tensor:
        """The tangent of an angle in radians."""
    def tan_(self) -> Tensor:
        """The tangent of an angle in radians."""
    def tanh(self) -> Tensor:
        """The hyperbolic tangent."""
    def tanh_(self) -> Tensor:
        """The hyperbolic tangent."""
    def tensor_split(self, indices_or_sections: Any = None, dim: _int = 0, *, indices: Any = None, sections: Any = None, tensor_indices_or_sections: Any = None) -> tuple[Tensor, ...]:
        """Views along dim: so many nearly equal ones, or cut at the indices listed."""
    def tile(self, *dims_args: Any, dims: _Sizes = ...) -> Tensor:
        """The tensor repeated along its dims; `dims` counts from the last one."""
    def to(self, *args: Any, dtype: _dtype | None = None, device: _Device = None, non_blocking: Any = False, copy: Any = False, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with another dtype and/or device: `to(dtype)`, `to(device, dtype)`, `to(other)`."""
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
        """The numbers as nested lists."""
    def topk(self, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True, *, axis: Any = ...) -> return_types.topk:
        """(values, indices) of the k largest (or smallest) elements along `dim`, in order even if not `sorted`."""
    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix; integers are summed as int64."""
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """Two dims exchanged."""
    def transpose_(self, dim0: _int, dim1: _int) -> Tensor:
        """transpose in place: the tensor itself becomes the view."""
    def triangular_solve(self, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False) -> return_types.triangular_solve:
        """The solution X of A @ X = input (A^T @ X with transpose=True) for triangular A, and a copy of A."""
    def tril(self, diagonal: _int = 0) -> Tensor:
        """The matrices with zeros above the diagonal number `diagonal`."""
    def tril_(self, diagonal: _int = 0) -> Tensor:
        """The matrices with zeros above the diagonal number `diagonal`."""
    def triu(self, diagonal: _int = 0) -> Tensor:
        """The matrices with zeros below the diagonal number `diagonal`."""
    def triu_(self, diagonal: _int = 0) -> Tensor:
        """The matrices with zeros below the diagonal number `diagonal`."""
    def true_divide(self, other: Tensor | Number) -> Tensor:
        """input / other in floating point."""
    def true_divide_(self, other: Tensor | Number) -> Tensor:
        """input / other in floating point."""
    def trunc(self) -> Tensor:
        """Input rounded towards 0; its derivative is 0."""
    def trunc_(self) -> Tensor:
        """Input rounded towards 0; its derivative is 0."""
    def type(self, dtype: _dtype | None = None, non_blocking: Any = False) -> Any:
        """The type's name ('torch.FloatTensor'), or the tensor cast to a dtype."""
    def type_as(self, other: Tensor) -> Tensor:
        """The tensor with other's dtype and device."""
    def unbind(self, dim: _int = 0) -> tuple[Tensor, ...]:
        """Views of the slices along dim, with that dim removed."""
    def unflatten(self, dim: _int, sizes: _Sizes) -> Tensor:
        """torch.unflatten; as a method it looks at whether there are sizes before it looks at what they are."""
    def unfold(self, dimension: _int, size: _int, step: _int) -> Tensor:
        """All windows of `size` elements along `dimension`, `step` apart; a window is the last dim of the result."""
    def uniform_(self, a: _float = 0, b: _float = 1, *, generator: Generator | None = None, **names: Any) -> Tensor:
        """Fills the tensor with uniform numbers in [a, b); torch calls the bounds `from` and `to`."""
    def unique(self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> Any:
        """The distinct elements in order (also if not `sorted`), then, if asked for, where each went and how often each is."""
    def unique_consecutive(self, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> Any:
        """The first element of every run of equal elements, then, if asked for, where each went and the lengths of the runs."""
    def unsafe_chunk(self, chunks: Any, dim: Any = 0) -> Any:
        """torch.chunk: what is unsafe in PyTorch, writing to the parts in place, is safe here."""
    def unsafe_split(self, split_size: Any, dim: Any = 0) -> Any:
        """torch.split: what is unsafe in PyTorch, writing to the parts in place, is safe here."""
    def unsafe_split_with_sizes(self, split_sizes: Any, dim: Any = 0) -> Any:
        """torch.split_with_sizes: what is unsafe in PyTorch, writing to the parts in place, is safe here."""
    def unsqueeze(self, dim: _int = ..., *, axis: Any = ...) -> Tensor:
        """A dim of size 1 inserted at `dim`."""
    def unsqueeze_(self, dim: _int) -> Tensor:
        """unsqueeze in place: the tensor itself becomes the view."""
    def untyped_storage(self) -> UntypedStorage:
        """The storage that this tensor shares with its views."""
    def values(self, *args: Any, **kwargs: Any) -> Any:
        """Tensor.values: see torch.sparse."""
    def var(self, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The variance over `dim`: the sum of squared distances from the mean, divided by max(0, count - correction)."""
    def vdot(self, other: Tensor) -> Tensor:
        """The inner product of two vectors, the first conjugated."""
    def view(self, *sizes: Any, size: _Sizes | None = None, dtype: _dtype | None = None) -> Tensor:
        """A view of another shape with the same elements; or, given a dtype, the bits read as that dtype."""
    def view_as(self, other: Tensor) -> Tensor:
        """self.view(other.size())."""
    volatile: _bool
    def vsplit(self, indices_or_sections: Any = None, *more: Any, indices: Any = None, sections: Any = None) -> Any:
        """torch.vsplit: tensor_split along its dimension."""
    def where(self, condition: Tensor, other: Tensor | Number) -> Tensor:
        """The elements of this tensor where condition holds, else of `other`; the three broadcast, and the dtype is promoted."""
    def xlogy(self, other: Tensor | Number) -> Tensor:
        """input * log(other), and 0 where input is 0 (unless other is nan)."""
    def xlogy_(self, other: Tensor | Number) -> Tensor:
        """input * log(other), and 0 where input is 0 (unless other is nan)."""
    def zero(self) -> Tensor:
        """Zeros of input's shape and dtype."""
    def zero_(self) -> Tensor:
        """Zeros of input's shape and dtype."""
