"""The dtypes: torch's names, each with the numpy dtype that jax uses for it.

A `dtype` is a singleton: compare with `is` or `==`; it is hashable and static in every op.
"""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np

__all__ = [
    "DTYPES", "NAMED", "default_dtype", "dtype", "finfo", "from_numpy", "iinfo", "set_default_dtype",
]  # fmt: skip


class dtype:
    """A torch dtype such as `torch.float32`. `.np` is the numpy dtype that carries it.

    `category` orders promotion: 0 bool, 1 integers, 2 floating point, 3 complex.

    torch's sentences have three names for it: `scalar_name` ("Long" for int64), `cpp_name` ("long int"), and
    `cast_name` ("int64_t"), where a number does not fit.

    A dtype that PyTorch has and JAX has not (`NAMED`) is a name, which programs may list and compare. It has no `.np`,
    so whatever would hold numbers of it raises NotImplementedError, which says what to use `instead`.

    >>> torch.float32.itemsize, torch.float32.is_floating_point
    (4, True)
    """

    __slots__ = (
        "cast_name",
        "category",
        "cpp_name",
        "instead",
        "is_complex",
        "is_float8",
        "is_floating_point",
        "is_narrow",
        "is_signed",
        "itemsize",
        "name",
        "np",
        "scalar_name",
    )

    def __init__(
        self, name: str, np_type, category: int, scalar_name: str, cpp_name: str, signed: bool = True
    ):
        self.name = name
        self.scalar_name = scalar_name
        self.cpp_name = cpp_name
        self.cast_name = f"{name}_t" if category == 1 and name != "int32" else cpp_name
        self.np = np.dtype(np_type)
        self.category = category
        self.is_floating_point = category == 2
        self.is_complex = category == 3
        self.is_signed = signed
        self.itemsize = self.np.itemsize
        self.is_narrow = category == 2 and self.itemsize < 4
        self.is_float8 = category == 2 and self.itemsize == 1

    @classmethod
    def named(cls, name: str, itemsize: int, is_complex: bool, instead: str, signed: bool = True) -> dtype:
        """A dtype that is a name alone."""
        made = cls.__new__(cls)
        made.name, made.itemsize, made.is_complex, made.instead = name, itemsize, is_complex, instead
        made.is_floating_point = made.is_narrow = made.is_float8 = False
        made.is_signed = signed
        return made

    def __getattr__(self, attribute: str):
        if attribute in dtype.__slots__ and attribute != "instead":
            raise NotImplementedError(f"{self!r} is a name alone here: {self.instead}")
        raise AttributeError(f"'torch.dtype' object has no attribute '{attribute}'")

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self):
        return (_by_name, (self.name,))

    def to_real(self) -> dtype:
        """The dtype of the real part: float32 for complex64; itself for a real dtype."""
        return _REAL.get(self, self)

    def to_complex(self) -> dtype:
        """The complex dtype whose parts have this dtype."""
        return _COMPLEX.get(self, self)


def _by_name(name: str) -> dtype:
    return DTYPES[name] if name in DTYPES else NAMED[name]


DTYPES: dict[str, dtype] = {
    d.name: d
    for d in (
        dtype("bool", np.bool_, 0, "Bool", "bool", signed=False),
        dtype("uint8", np.uint8, 1, "Byte", "unsigned char", signed=False),
        dtype("uint16", np.uint16, 1, "UInt16", "short unsigned int", signed=False),
        dtype("uint32", np.uint32, 1, "UInt32", "unsigned int", signed=False),
        dtype("uint64", np.uint64, 1, "UInt64", "long unsigned int", signed=False),
        dtype("int8", np.int8, 1, "Char", "signed char"),
        dtype("int16", np.int16, 1, "Short", "short int"),
        dtype("int32", np.int32, 1, "Int", "int"),
        dtype("int64", np.int64, 1, "Long", "long int"),
        dtype("float8_e4m3fn", ml_dtypes.float8_e4m3fn, 2, "Float8_e4m3fn", "c10::Float8_e4m3fn"),
        dtype("float8_e5m2", ml_dtypes.float8_e5m2, 2, "Float8_e5m2", "c10::Float8_e5m2"),
        dtype("float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, 2, "Float8_e4m3fnuz", "c10::Float8_e4m3fnuz"),
        dtype("float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, 2, "Float8_e5m2fnuz", "c10::Float8_e5m2fnuz"),
        dtype("float16", np.float16, 2, "Half", "c10::Half"),
        dtype("bfloat16", ml_dtypes.bfloat16, 2, "BFloat16", "c10::BFloat16"),
        dtype("float32", np.float32, 2, "Float", "float"),
        dtype("float64", np.float64, 2, "Double", "double"),
        dtype("complex64", np.complex64, 3, "ComplexFloat", "c10::complex<float>"),
        dtype("complex128", np.complex128, 3, "ComplexDouble", "c10::complex<double>"),
    )
}

_QUANTIZED = "tensors of it are made by torch.quantize_per_tensor alone; torch.ao.quantization makes a model's weights smaller, and torch.bfloat16 is a lower precision"
_SHELLS = "nothing is computed in it in PyTorch either; use torch.int8 or torch.uint8"
NAMED: dict[str, dtype] = {
    d.name: d
    for d in (
        *[dtype.named(f"int{bits}", 1, False, _SHELLS) for bits in range(1, 8)],
        *[dtype.named(f"uint{bits}", 1, False, _SHELLS, signed=False) for bits in range(1, 8)],
        dtype.named("complex32", 4, True, "JAX cannot compute with it; use torch.complex64"),
        dtype.named("qint8", 1, False, _QUANTIZED),
        dtype.named("quint8", 1, False, _QUANTIZED),
        dtype.named("qint32", 4, False, _QUANTIZED),
        dtype.named("quint4x2", 1, False, _QUANTIZED),
        dtype.named("quint2x4", 1, False, _QUANTIZED),
    )
}
"""The dtypes of PyTorch's that no tensor has here."""

bool_ = DTYPES["bool"]
uint8 = DTYPES["uint8"]
int32 = DTYPES["int32"]
int64 = DTYPES["int64"]
float16 = DTYPES["float16"]
bfloat16 = DTYPES["bfloat16"]
float32 = DTYPES["float32"]
float64 = DTYPES["float64"]
complex64 = DTYPES["complex64"]
complex128 = DTYPES["complex128"]

_REAL = {complex64: float32, complex128: float64}
_COMPLEX = {float32: complex64, float64: complex128, float16: complex64, bfloat16: complex64}
_FROM_NUMPY = {d.np: d for d in DTYPES.values()}


def from_numpy(np_dtype) -> dtype:
    """The torch dtype of a numpy (or jax) dtype.

    >>> from_numpy(np.float32)
    torch.float32
    """
    found = _FROM_NUMPY.get(np_dtype)
    if found is None:
        found = _FROM_NUMPY.get(np.dtype(np_dtype))
        if found is None:
            raise TypeError(
                f"can't convert np.ndarray of type {np.dtype(np_dtype)}. The only supported types are: "
                f"{', '.join(DTYPES)}."
            )
    return found


_default = float32


def default_dtype() -> dtype:
    """The dtype of floating point tensors made from Python numbers (float32 unless set otherwise)."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Sets what `default_dtype()` returns; only floating point dtypes are allowed."""
    global _default
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default = d


_OF_PYTHON: dict[type, dtype] = {
    float: float64,
    complex: complex128,
    int: DTYPES["int64"],
    bool: DTYPES["bool"],
}
"""The dtypes that Python's types stand for where limits are asked for."""


class finfo:
    """Numerical limits of a floating point dtype: bits, eps, max, min, tiny, smallest_normal, resolution.

    TypeError for a dtype of another kind.

    >>> torch.finfo(torch.float16).max
    65504.0
    """

    def __init__(self, type: dtype | None = None):
        d = default_dtype() if type is None else _OF_PYTHON.get(type, type)
        if not (d.is_floating_point or d.is_complex):
            raise TypeError(
                f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{d.name}'"
            )
        real = d.to_real()
        info = ml_dtypes.finfo(real.np)
        self.dtype = real.name
        self.bits = int(info.bits)
        self.eps = float(info.eps)
        self.max = float(info.max)
        self.min = float(info.min)
        self.tiny = float(info.tiny)
        self.smallest_normal = float(info.tiny)
        self.resolution = 10.0 ** -int(-math.log10(self.eps))

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    """Numerical limits of an integer dtype: bits, max, min.

    TypeError for a dtype of another kind.

    >>> torch.iinfo(torch.int8).min
    -128
    """

    def __init__(self, type: dtype):
        type = _OF_PYTHON.get(type, type)  # type: ignore[call-overload]
        if type.category != 1:
            raise TypeError(
                f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{type.name}'"
            )
        info = np.iinfo(type.np)
        self.dtype = type.name
        self.bits = int(info.bits)
        self.max = int(info.max)
        self.min = int(info.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
