"""The constants of torch, and its classes. Written by `python -m tests.stubs --write`."""

from typing import Any

from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int

from functorch_lite._core.call.size import Size as Size
from functorch_lite._core.call.storage import layout as _layout
from functorch_lite._core.call.storage import layout as layout
from functorch_lite._core.lazy.tensor import Tensor as Tensor
from functorch_lite._core.words.device import device as device
from functorch_lite._core.words.dtypes import dtype as _dtype
from functorch_lite._core.words.dtypes import dtype as dtype
from functorch_lite._core.words.dtypes import finfo as finfo
from functorch_lite._core.words.dtypes import iinfo as iinfo
from functorch_lite._core.words.memory_format import memory_format as _memory_format
from functorch_lite._core.words.memory_format import memory_format as memory_format

class AcceleratorError(RuntimeError): ...
BFloat16Storage: type
class BFloat16Tensor(Tensor): ...
BoolStorage: type
class BoolTensor(Tensor): ...
ByteStorage: type
class ByteTensor(Tensor): ...
CharStorage: type
class CharTensor(Tensor): ...
ComplexDoubleStorage: type
ComplexFloatStorage: type
from functorch_lite._core.call.overrides import DisableTorchFunction as DisableTorchFunction
from functorch_lite._core.call.overrides import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
DoubleStorage: type
class DoubleTensor(Tensor): ...
from functorch_lite._streams import Event as Event
FloatStorage: type
class FloatTensor(Tensor): ...
from functorch_lite.random.generator import Generator as Generator
from functorch_lite.amp.grad_scaler import GradScaler as GradScaler
HalfStorage: type
class HalfTensor(Tensor): ...
IntStorage: type
class IntTensor(Tensor): ...
LongStorage: type
class LongTensor(Tensor): ...
class OutOfMemoryError(RuntimeError): ...
ShortStorage: type
class ShortTensor(Tensor): ...
Storage: type
from functorch_lite._streams import Stream as Stream
SymBool: type
SymFloat: type
SymInt: type
from functorch_lite.storage import TypedStorage as TypedStorage
from functorch_lite._core.call.storage import UntypedStorage as UntypedStorage
from functorch_lite.amp.autocast_mode import autocast as autocast
from functorch_lite._core.words.dtypes import bfloat16 as bfloat16
bool: _dtype
cdouble: _dtype
cfloat: _dtype
chalf: _dtype
from functorch_lite._core.words.memory_format import channels_last as channels_last
from functorch_lite._core.words.memory_format import channels_last_3d as channels_last_3d
from functorch_lite._core.words.dtypes import complex128 as complex128
complex32: _dtype
from functorch_lite._core.words.dtypes import complex64 as complex64
from functorch_lite._core.words.memory_format import contiguous_format as contiguous_format
from functorch_lite.random.generator import default_generator as default_generator
double: _dtype
e: _float
from functorch_lite.autograd.grad_mode import enable_grad as enable_grad
float: _dtype
from functorch_lite._core.words.dtypes import float16 as float16
from functorch_lite._core.words.dtypes import float32 as float32
from functorch_lite._core.words.dtypes import float64 as float64
float8_e4m3fn: _dtype
float8_e4m3fnuz: _dtype
float8_e5m2: _dtype
float8_e5m2fnuz: _dtype
half: _dtype
has_lapack: _bool
has_mkl: _bool
has_openmp: _bool
has_spectral: _bool
inf: _float
from functorch_lite.autograd.grad_mode import inference_mode as inference_mode
int: _dtype
int1: _dtype
int16: _dtype
int2: _dtype
int3: _dtype
from functorch_lite._core.words.dtypes import int32 as int32
int4: _dtype
int5: _dtype
int6: _dtype
from functorch_lite._core.words.dtypes import int64 as int64
int7: _dtype
int8: _dtype
from functorch_lite._core.call.storage import jagged as jagged
legacy_contiguous_format: _memory_format
long: _dtype
nan: _float
newaxis: Any
from functorch_lite.autograd.grad_mode import no_grad as no_grad
pi: _float
from functorch_lite._core.words.memory_format import preserve_format as preserve_format
qint32: _dtype
qint8: _dtype
quint2x4: _dtype
quint4x2: _dtype
quint8: _dtype
from functorch_lite.autograd.grad_mode import set_grad_enabled as set_grad_enabled
short: _dtype
from functorch_lite._core.call.storage import sparse_bsc as sparse_bsc
from functorch_lite._core.call.storage import sparse_bsr as sparse_bsr
from functorch_lite._core.call.storage import sparse_coo as sparse_coo
from functorch_lite._core.call.storage import sparse_csc as sparse_csc
from functorch_lite._core.call.storage import sparse_csr as sparse_csr
from functorch_lite._core.call.storage import strided as strided
uint1: _dtype
uint16: _dtype
uint2: _dtype
uint3: _dtype
uint32: _dtype
uint4: _dtype
uint5: _dtype
uint6: _dtype
uint64: _dtype
uint7: _dtype
from functorch_lite._core.words.dtypes import uint8 as uint8

__all__ = ['Size', 'layout', 'Tensor', 'device', 'dtype', 'finfo', 'iinfo', 'memory_format', 'AcceleratorError', 'BFloat16Storage', 'BFloat16Tensor', 'BoolStorage', 'BoolTensor', 'ByteStorage', 'ByteTensor', 'CharStorage', 'CharTensor', 'ComplexDoubleStorage', 'ComplexFloatStorage', 'DisableTorchFunction', 'DisableTorchFunctionSubclass', 'DoubleStorage', 'DoubleTensor', 'Event', 'FloatStorage', 'FloatTensor', 'Generator', 'GradScaler', 'HalfStorage', 'HalfTensor', 'IntStorage', 'IntTensor', 'LongStorage', 'LongTensor', 'OutOfMemoryError', 'ShortStorage', 'ShortTensor', 'Storage', 'Stream', 'SymBool', 'SymFloat', 'SymInt', 'TypedStorage', 'UntypedStorage', 'autocast', 'bfloat16', 'bool', 'cdouble', 'cfloat', 'chalf', 'channels_last', 'channels_last_3d', 'complex128', 'complex32', 'complex64', 'contiguous_format', 'default_generator', 'double', 'e', 'enable_grad', 'float', 'float16', 'float32', 'float64', 'float8_e4m3fn', 'float8_e4m3fnuz', 'float8_e5m2', 'float8_e5m2fnuz', 'half', 'has_lapack', 'has_mkl', 'has_openmp', 'has_spectral', 'inf', 'inference_mode', 'int', 'int1', 'int16', 'int2', 'int3', 'int32', 'int4', 'int5', 'int6', 'int64', 'int7', 'int8', 'jagged', 'legacy_contiguous_format', 'long', 'nan', 'newaxis', 'no_grad', 'pi', 'preserve_format', 'qint32', 'qint8', 'quint2x4', 'quint4x2', 'quint8', 'set_grad_enabled', 'short', 'sparse_bsc', 'sparse_bsr', 'sparse_coo', 'sparse_csc', 'sparse_csr', 'strided', 'uint1', 'uint16', 'uint2', 'uint3', 'uint32', 'uint4', 'uint5', 'uint6', 'uint64', 'uint7', 'uint8']
