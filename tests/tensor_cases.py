"""Small programs about tensors as objects: views in place, storage, constructors, errors that depend on numbers, sparse
tensors.

Each is a function of the library and gives anything; what PyTorch gives is recorded in `golden/tensor_cases.json`.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable
from typing import Any

import numpy as np

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
    """What a program gives, as JSON: values, or the exception's type and sentence."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(fn(M), M)
        except Exception as error:
            text = str(error).split("\nException raised from")[0].split("\nParameters")[0]
            return {
                "raises": type(error).__name__,
                "sentence": text.partition("\n(first recorded at")[0][:240],
            }


def plain(x: Any, M: Any) -> Any:
    """A result as JSON."""
    if isinstance(x, M.Tensor):
        return {"dtype": str(x.dtype), "size": list(x.shape), "grad": x.requires_grad, "values": numbers(x)}
    if isinstance(x, dict):
        return {str(k): plain(v, M) for k, v in x.items()}
    if isinstance(x, tuple | list):
        return [plain(v, M) for v in x]
    if isinstance(x, float):
        return float(f"{x:.6g}")
    return x if isinstance(x, int | str | type(None)) else str(x)


def numbers(x: Any) -> Any:
    """The values of a tensor, rounded."""
    if getattr(x, "is_meta", False):
        return "meta"
    x = x.detach()
    if x.layout.__repr__() != "torch.strided":
        x = x.to_dense()
    if str(x.dtype) == "torch.bfloat16":
        x = x.float()
    array = np.asarray(x.numpy())
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], -1)
    return [v if isinstance(v, bool | int) else str(float(f"{v:.5g}")) for v in array.reshape(-1).tolist()]


def _x(M):
    return M.arange(12.0).reshape(3, 4)


def _bad(M):
    return M.full((2, 2), float("nan"))


# -- linear algebra that looks at numbers ----------------------------------------------------------------------------


def _one_bad(M):
    return M.stack([M.eye(2), M.ones(2, 2)])


def _indefinite(M):
    return M.tensor([[1.0, 2], [2, 1]])


many("linalg", {
    "inv": lambda M: M.linalg.inv(M.ones(2, 2)),
    "inv batch": lambda M: M.linalg.inv(_one_bad(M)),
    "inverse": lambda M: M.inverse(M.ones(2, 2)),
    "method": lambda M: M.ones(2, 2).inverse(),
    "inv_ex": lambda M: M.linalg.inv_ex(_one_bad(M)).info,
    "inv_ex checked": lambda M: M.linalg.inv_ex(M.ones(2, 2), check_errors=True),
    "inv in grad": lambda M: M.func.grad(lambda x: M.linalg.inv(x).sum())(M.ones(2, 2)),
    "inv in vmap": lambda M: M.vmap(M.linalg.inv)(M.stack([M.eye(2), 2 * M.eye(2)])),
    "inv nan": lambda M: M.linalg.inv(_bad(M)),
    "solve": lambda M: M.linalg.solve(M.ones(2, 2), M.ones(2)),
    "solve batch": lambda M: M.linalg.solve(_one_bad(M), M.ones(2, 1)),
    "solve_ex": lambda M: M.linalg.solve_ex(_one_bad(M), M.ones(2, 1)).info,
    "cholesky": lambda M: M.linalg.cholesky(_indefinite(M)),
    "cholesky batch": lambda M: M.linalg.cholesky(M.stack([M.eye(2), _indefinite(M)])),
    "cholesky nan": lambda M: M.linalg.cholesky(_bad(M)),
    "cholesky third minor": lambda M: M.linalg.cholesky_ex(M.diag(M.tensor([1.0, 2, -1, 3]))).info,
    "old cholesky": lambda M: M.cholesky(_indefinite(M)),
    "cholesky_inverse": lambda M: M.cholesky_inverse(M.zeros(2, 2)),
    "lu_factor": lambda M: M.linalg.lu_factor(M.ones(2, 2)),
    "lu grads": lambda M: [t.requires_grad for t in M.linalg.lu(M.eye(2).requires_grad_())],
    "tensorinv": lambda M: M.linalg.tensorinv(M.ones(2, 2), ind=1),
    "tensorsolve": lambda M: M.linalg.tensorsolve(M.ones(2, 2), M.ones(2)),
    "matrix_power": lambda M: M.linalg.matrix_power(M.ones(2, 2), -1),
    "svd nan": lambda M: M.linalg.svd(_bad(M)),
    "svd nan batch": lambda M: M.linalg.svdvals(M.stack([M.eye(2), _bad(M)])),
    "pinv nan": lambda M: M.linalg.pinv(_bad(M)),
    "rank nan": lambda M: M.linalg.matrix_rank(_bad(M)),
    "eig inf": lambda M: M.linalg.eig(M.full((2, 2), float("inf"))),
    "eigh nan": lambda M: M.linalg.eigvalsh(_bad(M)),
    "cond singular": lambda M: M.linalg.cond(M.ones(2, 2), 1),
    "error is a RuntimeError": lambda M: issubclass(M.linalg.LinAlgError, RuntimeError),
    "lstsq grads": lambda M: [t.requires_grad for t in M.linalg.lstsq(_x(M).T.clone().requires_grad_(), M.ones(4, 1))],
    "lstsq gelsd": lambda M: list(M.linalg.lstsq(M.eye(4)[:, :2], M.ones(4, 1), driver="gelsd")),
    "lstsq gelss deficient": lambda M: list(M.linalg.lstsq(M.ones(4, 2), M.arange(4.0)[:, None], driver="gelss"))[:3],
    "out": lambda M: (lambda o: (M.linalg.inv(2 * M.eye(2), out=o), o))(M.empty(2, 2)),
    "eig is gone": lambda M: M.eig(M.eye(2)),
    "solve is gone": lambda M: M.matrix_rank(M.eye(2)),
    "derivative of ldl": lambda M: M.linalg.ldl_factor(M.eye(2).requires_grad_())[0].sum().backward(),
    "derivative of geqrf": lambda M: M.geqrf(M.eye(2).requires_grad_())[0].sum().backward(),
    "svd_lowrank": lambda M: M.svd_lowrank(M.ones(5, 4), q=1)[1],
    "pca_lowrank": lambda M: [tuple(t.shape) for t in M.pca_lowrank(_x(M))],
    "pca_lowrank q": lambda M: M.pca_lowrank(_x(M), q=5),
    "lobpcg": lambda M: M.lobpcg(M.diag(M.arange(1.0, 13)), k=2, tol=1e-5)[0],
    "lobpcg small": lambda M: M.lobpcg(M.eye(4), k=2),
})  # fmt: skip


# -- views and storage -----------------------------------------------------------------------------------------------


@case
def in_place_views(M):
    x = _x(M)
    alias = x.detach()
    x.t_().unsqueeze_(0).transpose_(0, 2).squeeze_()
    x.mul_(2)
    return x, alias, x.stride(), x.swapaxes_(0, 1).shape, x.swapdims_(0, 1).shape


@case
def in_place_view_with_gradients(M):
    w = _x(M).requires_grad_()
    y = w * 1
    y.t_()
    y.mul_(2)
    z = y[1:].unsqueeze_(0)
    z.mul_(3)
    (y * y).sum().backward()
    return y, z, w.grad


@case
def in_place_view_of_a_view(M):
    x = _x(M)
    row = x[1]
    row.unsqueeze_(0)
    row.fill_(7)
    return x, row.shape, row.storage_offset()


@case
def resized(M):
    x = M.arange(6.0)
    x.resize_(2, 2)
    x.mul_(10)
    grown = M.arange(2.0).resize_(3)[:2]
    return x, grown, x.untyped_storage().nbytes(), M.arange(6.0).resize_as_(M.ones(3)).shape


@case
def parts_of_complex_numbers(M):
    c = M.zeros(2, dtype=M.complex64)
    c.real.fill_(3)
    c.imag = M.tensor([1.0, 2])
    M.view_as_real(c)[0, 1] = 5
    return c, c.imag.stride(), c.imag.storage_offset(), c.real._base is not None


@case
def gradients_through_parts(M):
    c = M.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    (c.real * 2 + c.imag**2).sum().backward()
    return c.grad


@case
def strides_and_offsets(M):
    x = _x(M)
    parts = [
        x,
        x[1:],
        x[:, 1],
        x.t(),
        x.diagonal(),
        x.unfold(1, 2, 1),
        x[::2],
        x.expand(2, 3, 4),
        x[None],
        x[1:, 2:].t(),
    ]
    return [
        (p.stride(), p.storage_offset(), p.is_contiguous(), p.data_ptr() - x.data_ptr(), p.dim_order())
        for p in parts
    ]


@case
def writes_through_strides(M):
    x = _x(M)
    x[1:].as_strided((2, 2), (1, 4)).fill_(-1)
    return (
        x,
        M.as_strided_scatter(M.zeros(6), M.ones(2, 2), (2, 2), (1, 2), 1),
        x.clone().as_strided_((2,), (5,), 1),
    )


def _next(M, before):
    """What `before` gives, and that the numbers drawn after it are those that were drawn without."""
    M.manual_seed(3)
    expected = M.rand(2)
    M.manual_seed(3)
    made = before()
    return tuple(made.shape), made.dtype, made.device.type, bool((M.rand(2) == expected).all())


many("on meta nothing is drawn", {
    "randn": lambda M: _next(M, lambda: M.randn(2, 3, device="meta")),
    "rand_like": lambda M: _next(M, lambda: M.rand_like(M.ones(2, device="meta"))),
    "randint": lambda M: _next(M, lambda: M.randint(5, (2,), device="meta")),
    "randperm": lambda M: _next(M, lambda: M.randperm(5, device="meta")),
    "uniform_": lambda M: _next(M, lambda: M.ones(2, device="meta").uniform_()),
    "normal_": lambda M: _next(M, lambda: M.ones(2, 3, device="meta").t().normal_()),
    "Linear": lambda M: _next(M, lambda: M.nn.Linear(2, 3, device="meta").weight),
    "dropout": lambda M: _next(M, lambda: M.nn.functional.dropout(M.ones(2, 3, device="meta"))),
    "dropout2d": lambda M: _next(M, lambda: M.nn.functional.dropout2d(M.ones(2, 3, 2, 2, device="meta"))),
})  # fmt: skip


many("view", {
    "t_ of 3 dims": lambda M: M.ones(1, 2, 3).t_(),
    "of a leaf": lambda M: M.ones(1, 2, requires_grad=True).squeeze_(),
    "resize_ with grad": lambda M: M.ones(2, requires_grad=True).resize_(3),
    "sum_to_size": lambda M: _x(M).sum_to_size(1, 4),
    "sum_to_size refused": lambda M: _x(M).sum_to_size(2, 4),
    "dtype": lambda M: _x(M)[0].view(M.int32),
    "smaller dtype": lambda M: M.tensor([1, 256], dtype=M.int16).view(M.uint8),
    "larger dtype": lambda M: M.tensor([1, 0, 0, 1], dtype=M.uint8).view(M.int16),
    "complex as real": lambda M: M.tensor([1 + 2j]).view(M.float32),
    "real as complex": lambda M: M.tensor([1.0, 2.0]).view(M.complex64),
    "dtype of 0 dims": lambda M: M.tensor(1.0).view(M.int16),
    "dtype odd": lambda M: M.ones(3).view(M.float64),
    "dtype of an odd offset": lambda M: M.zeros(5, dtype=M.uint8)[1:].view(M.int32),
    "dtype of odd rows": lambda M: M.zeros(3, 0, dtype=M.uint8).view(M.int16),
    "dtype of every other": lambda M: M.zeros(4, dtype=M.uint8)[::2].view(M.int16),
    "dtype of every other, odd": lambda M: M.zeros(2, dtype=M.uint8)[::2].view(M.int16),
    "dtype strided": lambda M: _x(M).t().view(M.int16),
    "dtype written": lambda M: (lambda x: (x.view(M.int32).fill_(0), x))(M.ones(2))[1],
    "as_strided": lambda M: (_x(M)[1:].as_strided((2, 2), (1, 2)), _x(M)[1:].as_strided((2,), (1,), 0)),
    "as_strided grad": lambda M: (lambda w: (w[1:].as_strided((2,), (2,)).sum().backward(), w.grad))(_x(M).clone().requires_grad_()),
    "unsafe": lambda M: (M.unsafe_split(_x(M), 2), M.unsafe_chunk(_x(M), 2, 1), _x(M).unsafe_split_with_sizes([1, 2])),
    "copies": lambda M: (M.t_copy(_x(M)), M.select_copy(_x(M), 0, 1), M.slice_copy(_x(M), 1, 0, 4, 2), M.unbind_copy(_x(M))[1],
                         M.narrow_copy(_x(M), 0, 1, 1), M.view_copy(_x(M), (12,)), M.expand_copy(M.ones(1), (2,))),
    "copies do not alias": lambda M: (lambda x: (M.diagonal_copy(x).fill_(9), x)[1])(_x(M)),
    "split_copy out": lambda M: (lambda o: (M.squeeze_copy(M.ones(1, 2), out=o), o)[1])(M.empty(2)),
    "is_set_to": lambda M: (lambda x: (x.is_set_to(x.view(3, 4)), x.is_set_to(x.t())))(_x(M)),
    "storage": lambda M: (lambda x: (list(x[1:].storage()), x.storage_type().__name__, x.untyped_storage().nbytes()))(_x(M)),
    "shared": lambda M: (_x(M).is_shared(), _x(M).is_distributed(), _x(M).is_same_size(M.ones(3, 4)), M.is_storage(_x(M).storage())),
    "memory formats": lambda M: (M.ones(1, 2, 3, 3).is_contiguous(memory_format=M.channels_last), M.ones(2, 1, 1, 1).is_contiguous(memory_format=M.channels_last)),
    "channels_last of 3 dims": lambda M: M.ones(2, 3, 3).contiguous(memory_format=M.channels_last),
    "no memory format": lambda M: _x(M).contiguous(memory_format=1),
})  # fmt: skip


# -- elements --------------------------------------------------------------------------------------------------------

many("elements", {
    "apply_": lambda M: _x(M).apply_(lambda v: v + 1),
    "apply_ with grad": lambda M: M.ones(2, requires_grad=True).apply_(lambda v: v),
    "map_": lambda M: M.ones(2, 3).map_(M.arange(3.0), lambda a, b: a + b),
    "map2_": lambda M: M.ones(2).map2_(M.ones(2), M.ones(2), lambda a, b, c: a + b + c),
    "fill_diagonal_": lambda M: (M.zeros(3, 3).fill_diagonal_(2.0), M.zeros(7, 3).fill_diagonal_(2.0, wrap=True),
                                 M.zeros(5, 2).fill_diagonal_(1), M.zeros(2, 2, 2).fill_diagonal_(1), M.zeros(2, 5).fill_diagonal_(1, True)),
    "fill_diagonal_ of 1 dim": lambda M: M.zeros(3).fill_diagonal_(1),
    "fill_diagonal_ uneven": lambda M: M.zeros(2, 3, 2).fill_diagonal_(1),
    "repeat_interleave": lambda M: (M.repeat_interleave(M.tensor([0, 2, 1])), _x(M).repeat_interleave(M.tensor([1, 0, 2]), 0),
                                    M.arange(3).repeat_interleave(2), M.arange(3).repeat_interleave(M.tensor([2]))),
    "repeat_interleave grad": lambda M: (lambda w: (w.repeat_interleave(M.tensor([1, 0, 2]), 0).sum().backward(), w.grad))(_x(M).requires_grad_()),
    "repeat_interleave sizes": lambda M: _x(M).repeat_interleave(M.tensor([1, 0]), 0),
    "repeat_interleave negative": lambda M: _x(M).repeat_interleave(M.tensor([1, 0, -1]), 0),
    "repeat_interleave float": lambda M: _x(M).repeat_interleave(M.tensor([1.0, 0, 1]), 0),
    "repeat_interleave output_size": lambda M: _x(M).repeat_interleave(M.tensor([1, 0, 2]), 0, output_size=4),
    "masked_scatter short": lambda M: M.zeros(3).masked_scatter(M.tensor([True, True, True]), M.ones(2)),
    "masked_scatter_": lambda M: M.zeros(3).masked_scatter_(M.tensor([True, False, True]), M.ones(2)),
})  # fmt: skip


# -- constructors ----------------------------------------------------------------------------------------------------

many("constructors", {
    "Tensor": lambda M: (M.Tensor(2, 3).shape, M.Tensor([1, 2]), M.Tensor(M.ones(2)), M.Tensor().shape, M.Tensor(M.Size([2, 1])).shape),
    "Tensor of a number": lambda M: M.Tensor(2.0),
    "FloatTensor": lambda M: (M.FloatTensor(2, 3).shape, M.FloatTensor([1, 2]), M.LongTensor([1, 2]), M.BoolTensor([1, 0]), M.LongTensor([1.5])),
    "FloatTensor of a number": lambda M: M.FloatTensor(2.5),
    "isinstance": lambda M: (isinstance(M.ones(1), M.FloatTensor), isinstance(M.ones(1), M.LongTensor), str(M.FloatTensor), M.FloatTensor.dtype),
    "type": lambda M: (_x(M).type(), _x(M).type("torch.DoubleTensor").dtype, _x(M).type(M.LongTensor).dtype, M.ones(1, dtype=M.bool).type()),
    "no type": lambda M: _x(M).type("foo"),
    "new": lambda M: (_x(M).new(2, 3).shape, _x(M).new([1, 2]), _x(M).new().shape),
    "frombuffer": lambda M: (M.frombuffer(bytearray(b"\x01\x02\x03\x04"), dtype=M.int16), M.frombuffer(bytearray(8), dtype=M.float32, count=1, offset=4)),
    "frombuffer odd": lambda M: M.frombuffer(bytearray(3), dtype=M.float32),
    "frombuffer empty": lambda M: M.frombuffer(bytearray(0), dtype=M.float32),
    "frombuffer offset": lambda M: M.frombuffer(bytearray(8), dtype=M.float32, offset=9),
    "frombuffer count": lambda M: M.frombuffer(bytearray(8), dtype=M.float32, count=5),
    "frombuffer of a list": lambda M: M.frombuffer([1], dtype=M.float32),
    "empty_permuted": lambda M: (M.empty_permuted((2, 3, 4), (2, 0, 1)).stride(), M.empty_strided((2, 3), (1, 2)).stride(), _x(M).new_empty_strided((2, 3), (1, 2)).stride()),
    "empty_permuted twice": lambda M: M.empty_permuted((2, 3), (0, 0)),
    "empty_permuted short": lambda M: M.empty_permuted((2, 3), (0,)),
    "to": lambda M: (lambda x: (x.to(M.float32) is x, x.to("cpu", M.float64).dtype, x.to(x.double()).dtype, x.to(M.float32, copy=True) is x, x.to("cpu") is x))(_x(M)),
    "TypedStorage": lambda M: (list(M.FloatStorage([1, 2])), len(M.LongStorage(3)), M.FloatStorage.__name__),
})  # fmt: skip


@case
def from_a_file(M):
    import os
    import tempfile

    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(np.arange(4, dtype=np.float32).tobytes())
    try:
        return M.from_file(file.name, size=3, dtype=M.float32)
    finally:
        os.unlink(file.name)


@case
def a_subclass_of_tensor(M):
    class Named(M.Tensor):
        pass

    n = Named([1.0, 2.0])
    return isinstance(n, Named), n.shape, M.ones(2).as_subclass(Named) is not None


# -- testing ---------------------------------------------------------------------------------------------------------


def _compare(*args, **kwargs):
    return lambda M: M.testing.assert_close(*[a(M) if callable(a) else a for a in args], **kwargs)


def _t(*values):
    return lambda M: M.tensor(values)


many("assert_close", {
    "values": _compare(_t(1.0, 2, 3), _t(1.0, 2.5, 3.1)),
    "equal": _compare(_t(1.0, 2), _t(1.0, 2.0000001)),
    "0 dims": _compare(lambda M: M.tensor(1.0), lambda M: M.tensor(2.0)),
    "numbers": _compare(1.0, 2.0),
    "integers": _compare(1, 2),
    "bools": _compare(True, False),
    "complex": _compare(1 + 1j, 2 + 1j),
    "strings": _compare("a", "b"),
    "shape": _compare(_t(1.0), _t(1.0, 2)),
    "dtype": _compare(_t(1.0), _t(1)),
    "dtype not checked": _compare(_t(1.0, 2), _t(1, 3), check_dtype=False),
    "integer tensors": _compare(_t(1, 2), _t(1, 4)),
    "bool tensors": _compare(_t(True), _t(False)),
    "nan": _compare(_t(float("nan")), _t(float("nan"))),
    "equal_nan": _compare(_t(float("nan")), _t(float("nan")), equal_nan=True),
    "inf": _compare(_t(float("inf"), 1), _t(1.0, 1)),
    "rtol alone": _compare(_t(1.0), _t(1.0), rtol=1),
    "exact": _compare(_t(1.0), _t(1.0001), rtol=0, atol=0),
    "half": _compare(lambda M: M.tensor([1.0]).half(), lambda M: M.tensor([1.002]).half()),
    "2 dims": _compare(lambda M: M.zeros(2, 2), lambda M: M.ones(2, 2)),
    "lists": lambda M: M.testing.assert_close([M.ones(1), M.ones(1)], [M.ones(1), M.tensor([3.0])]),
    "nested": lambda M: M.testing.assert_close([{"a": M.tensor(1.0)}], [{"a": M.tensor(2.0)}]),
    "lengths": _compare([1], [1, 2]),
    "keys": _compare({"a": 1}, {"b": 1}),
    "None": _compare(None, _t(1.0)),
    "msg": _compare(_t(1.0), _t(2.0), msg="other words"),
    "msg function": _compare(_t(1.0), _t(2.0), msg=lambda m: "before\n" + m),
    "stride": _compare(lambda M: M.ones(2, 3), lambda M: M.ones(3, 2).t(), check_stride=True),
    "numpy": _compare(np.ones(2), np.zeros(2)),
    "complex tensors": _compare(_t(1 + 1j), _t(1 + 2j)),
})  # fmt: skip
many("make_tensor", {
    "interval": lambda M: M.testing.make_tensor((3,), dtype=M.int64, device="cpu", low=2, high=3),
    "empty interval": lambda M: M.testing.make_tensor((3,), dtype=M.int64, device="cpu", low=3, high=3),
    "out of range": lambda M: M.testing.make_tensor(3, dtype=M.uint8, device="cpu", low=-500, high=-400),
    "without zeros": lambda M: M.testing.make_tensor((3,), dtype=M.bool, device="cpu", exclude_zero=True),
    "strides": lambda M: M.testing.make_tensor(3, 4, dtype=M.float32, device="cpu", noncontiguous=True).stride(),
    "grad of integers": lambda M: M.testing.make_tensor(3, dtype=M.int64, device="cpu", requires_grad=True),
    "dtypes": lambda M: [str(M.testing.make_tensor(2, dtype=getattr(M, d), device="cpu").dtype) for d in ("float16", "bfloat16", "int8", "complex64")],
})  # fmt: skip


@case
def numpy_of_what_requires_grad(M):
    leaf = M.tensor([1.0, 2.0], requires_grad=True)
    with M.no_grad():
        found = [leaf.numpy().tolist(), np.asarray(leaf * 2).tolist(), float(np.exp(leaf).sum())]
    with M.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), M.from_numpy):
        (leaf**3).sum().backward()
    return found, leaf.grad


many("numpy", {
    "requires grad": lambda M: M.ones(2, requires_grad=True).numpy(),
    "asarray, requires grad": lambda M: np.asarray(M.ones(2, requires_grad=True) * 2),
    "functions": lambda M: (np.exp(M.zeros(2)), np.maximum(M.arange(3), 1), np.add(np.ones(2), M.ones(2)), np.sqrt(M.tensor(4)), np.modf(M.tensor([1.5]))),
    "predicates": lambda M: (np.greater(M.arange(3.0), 1), np.isnan(M.ones(2))),
})  # fmt: skip
many("meshgrid", {
    "dtypes": lambda M: M.meshgrid(M.arange(2), M.arange(2.0), indexing="ij"),
    "dtypes of a product": lambda M: M.cartesian_prod(M.arange(2), M.arange(2.0)),
})  # fmt: skip
many("blackman_window", {"first number": lambda M: M.blackman_window(8, dtype=M.float64)[0].item() == 0})


# -- sparse tensors --------------------------------------------------------------------------------------------------


def _s(M, **kwargs):
    return M.sparse_coo_tensor(M.tensor([[0, 1, 1], [2, 0, 2]]), M.tensor([3.0, 4, 5]), (2, 3), **kwargs)


def _c(M):
    return M.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 2])


@case
def sparse_gradients(M):
    v = M.tensor([3.0, 4, 5], requires_grad=True)
    d = M.arange(6.0).reshape(3, 2).requires_grad_()
    s = M.sparse_coo_tensor(M.tensor([[0, 1, 1], [2, 0, 2]]), v, (2, 3))
    (M.sparse.mm(s, d) ** 2).sum().backward()
    leaf = _s(M, requires_grad=True)
    with contextlib.suppress(RuntimeError):
        M.sparse.mm(leaf, d.detach()).sum().backward()
    return v.grad, d.grad, leaf.grad.coalesce().values(), leaf.is_leaf


many("sparse", {
    "repr": lambda M: repr(_s(M)),
    "repr of csr": lambda M: repr(_c(M)),
    "attributes": lambda M: (lambda s: (s.is_sparse, s.layout, s.sparse_dim(), s.dense_dim(), s._nnz(), s.is_coalesced(), s.shape, s.is_sparse_csr))(_s(M)),
    "csr attributes": lambda M: (_c(M).crow_indices(), _c(M).col_indices(), _c(M).values(), _c(M).layout, _c(M).is_sparse, _c(M).is_sparse_csr),
    "indices": lambda M: _s(M).indices(),
    "coalesced": lambda M: (lambda s: (s.indices(), s.values()))(M.sparse_coo_tensor([[1, 0, 1]], [1.0, 2, 5], (2,)).coalesce()),
    "to_dense": lambda M: (_s(M).to_dense(), _c(M).to_dense(), M.ones(2).to_dense()),
    "hybrid": lambda M: M.sparse_coo_tensor([[0, 1]], [[1.0, 2], [3, 4]], (2, 2)).to_dense(),
    "to_sparse": lambda M: (_x(M).to_sparse(), _x(M).to_sparse().indices(), _x(M).to_sparse(1).values(), _x(M).to_sparse_csr()),
    "products": lambda M: (M.mm(_s(M), M.ones(3, 2)), _s(M) @ M.ones(3), _c(M) @ M.ones(2, 1), M.ones(2, 2) @ _s(M), (_s(M) @ _s(M).t()), M.sparse.addmm(M.ones(2, 2), _s(M), M.ones(3, 2))),
    "arithmetic": lambda M: (_s(M) + _s(M), _s(M) * 2, 2 * _s(M), _s(M) * _s(M), _s(M) * M.ones(2, 3), -_s(M), _s(M) / 2, M.ones(2, 3) + _s(M), _s(M) - _s(M) * 0.5),
    "sparse + dense": lambda M: _s(M) + M.ones(2, 3),
    "sums": lambda M: (_s(M).sum(), M.sparse.sum(_s(M)), M.sparse.sum(_s(M), 0), M.sparse.softmax(_s(M), 1)),
    "transposed": lambda M: (_s(M).t(), _s(M).transpose(0, 1).shape),
    "sparse_mask": lambda M: _x(M)[:2, :3].sparse_mask(_s(M).coalesce()),
    "counts differ": lambda M: M.sparse_coo_tensor([[0, 1]], [1.0], (2,)),
    "dims differ": lambda M: M.sparse_coo_tensor([[0]], [1.0], (2, 2)),
    "vectors": lambda M: (M.mv(_s(M), M.ones(3)), _s(M).mv(M.ones(3)), M.ones(2) @ _s(M)),
    "size of a matrix": lambda M: M.sparse.mm(_s(M), M.ones(2, 2)),
    "size of a matrix from the left": lambda M: M.ones(2, 3) @ _s(M),
    "size of a vector": lambda M: _s(M) @ M.ones(2),
    "size of a sparse matrix": lambda M: _s(M) @ _s(M),
    "csr, size of a matrix": lambda M: _c(M) @ M.ones(3, 1),
    "csr, size of a vector": lambda M: _c(M) @ M.ones(3),
    "dims of the other": lambda M: M.sparse.mm(_s(M), M.ones(3, 2, 2)),
    "dtype of the other": lambda M: _s(M) @ M.ones(3, 2, dtype=M.float64),
    "numpy": lambda M: _s(M).numpy(),
    "dense has no indices": lambda M: M.ones(1).indices(),
})  # fmt: skip


def _w(M):
    return M.ones(2, requires_grad=True)


def _with_grad(t, grad):
    t.grad = grad
    return t.grad


def _flagged(t, flag):
    t.requires_grad = flag
    return t


@case
def grad_of_a_result_is_kept_as_it_was_set(M):
    """backward() leaves it alone, or adds to it once the result retains its gradient."""
    w = _w(M)
    set_, retained = w * 2, w * 3
    set_.grad = M.full((2,), 5.0)
    retained.grad = M.ones(2)
    retained.retain_grad()
    (set_.sum() + retained.sum()).backward()
    got = set_.grad, retained.grad, w.grad
    retained.grad = None
    return got, retained.grad


many("grad is set", {
    "another size": lambda M: _with_grad(_w(M), M.ones(3)),
    "another dtype, before the size": lambda M: _with_grad(_w(M), M.ones(3).double()),
    "half": lambda M: _with_grad(_w(M), M.ones(2).half()),
    "complex": lambda M: _with_grad(_w(M), M.ones(2, dtype=M.complex64)),
    "another device": lambda M: _with_grad(_w(M), M.ones(2, device="meta")),
    "itself": lambda M: (lambda w: _with_grad(w, w))(_w(M)),
    "of a tensor without gradient": lambda M: _with_grad(M.ones(2), M.ones(2)),
    "flag, a string": lambda M: _flagged(M.ones(2), "a"),
    "flag, a number": lambda M: _flagged(M.ones(2), 1),
    "requires_grad_ of a number": lambda M: M.ones(2).requires_grad_(1),
    "integers": lambda M: M.ones(2, dtype=M.int64, requires_grad=True),
})  # fmt: skip


class _Reflects:
    """What has operators of its own, from the right."""

    def __rpow__(self, other):
        return "rpow"

    def __rtruediv__(self, other):
        return "rtruediv"

    def __rmatmul__(self, other):
        return "rmatmul"


def _powered(x, other):
    x **= other
    return x


many("operators", {
    "tensor @ number": lambda M: _x(M) @ 3,
    "number @ tensor": lambda M: 3 @ _x(M),
    "string ** tensor": lambda M: "a" ** _x(M),
    "None ** tensor": lambda M: None ** _x(M),
    "None / tensor": lambda M: None / _x(M),
    "string / tensor": lambda M: "a" / _x(M),
    "tensor **= string": lambda M: _powered(_x(M), "a"),
    "tensor **= 2": lambda M: _powered(_x(M), 2),
    "reflected": lambda M: (_x(M) ** _Reflects(), _x(M) / _Reflects(), _x(M) @ _Reflects(), _powered(_x(M), _Reflects())),
    "numpy to the left": lambda M: (np.float32(2) / _x(M), np.float64(2) ** _x(M)),
    "int() of two": lambda M: int(M.ones(2)),
    "float() of none": lambda M: float(M.ones(0)),
    "complex() of two": lambda M: complex(M.ones(2)),
    "int() of 2+0j": lambda M: int(M.tensor(2 + 0j)),
    "float() of 2+1j": lambda M: float(M.tensor(2 + 1j)),
})  # fmt: skip


class _Kind(enum.IntEnum):
    A = 3


many("numbers", {
    "full of numpy's": lambda M: [M.full((1,), v) for v in (np.float32(1.5), np.float64(1.5), np.int8(2), np.bool_(True), np.complex128(1j), _Kind.A)],
    "full_like, new_full": lambda M: (M.full_like(M.ones(1), np.float32(2)), M.ones(1).new_full((1,), np.float64(2))),
    "full of a string": lambda M: M.full((1,), "a"),
    "full of a list": lambda M: M.full((1,), [1]),
    "full of a vector": lambda M: M.full((2,), M.ones(2)),
    "full_like of a vector": lambda M: M.full_like(M.ones(2), M.ones(2)),
    "new_full of a string": lambda M: M.ones(2).new_full((1,), "a"),
    "tensor of enums": lambda M: (M.tensor([_Kind.A, _Kind.A]), M.tensor([[_Kind.A, 1], [2, 3]]), M.tensor([_Kind.A, 1.5])),
    "result_type of numpy's": lambda M: (M.result_type(M.ones(1, dtype=M.int8), np.float32(1)), M.result_type(np.int64(1), M.ones(1))),
    "split into nothing": lambda M: _x(M).split(0),
})  # fmt: skip


@case
def linspace_to_a_string_or_none(M):
    kinds = []
    for end in ("a", None, [1.0]):
        try:
            M.linspace(0, end, 3)
        except TypeError:
            kinds.append("TypeError")
    return kinds


@case
def dtypes_that_differ_in_linear_and_cells(M):
    F, x, w, b = M.nn.functional, M.ones(2, 3), M.ones(4, 3), M.ones(4)
    calls = [
        lambda: F.linear(x, w.double(), b.double()),
        lambda: F.linear(x[0], w.double(), b.double()),
        lambda: F.linear(x.half(), w, b),
        lambda: F.linear(x, w.double(), b),
        lambda: F.linear(x, w.double()),
        *[
            lambda c=c, a=a: c(3, 4)(*a)
            for c in (M.nn.RNNCell, M.nn.GRUCell)
            for a in ((x.double(),), (x, M.ones(2, 4).double()), (x.int(),))
        ],
        lambda: M.nn.LSTMCell(3, 4)(x, (M.ones(2, 4).double(), M.ones(2, 4))),
    ]
    return [outcome(lambda M, call=call: call(), M) for call in calls]


many("edge", {
    "spread beyond float32's squares": lambda M: [M.tensor(x).std() for x in ([1e20, 2.5], [1e-25, 3e-25], [1e20, float("inf")], [3.0, 3.0])],
    "spread and its gradient": lambda M: M.func.grad(lambda x: x.std())(M.tensor([1e18, 3e18])),
    "complex by zero": lambda M: [M.tensor([-2.2 + 0j, 0.5 + 2j, -2j]) / 0, M.tensor([1 + 1j]).div_(0j), M.true_divide(M.tensor([2 + 4j]), 2)],
    "norm of one element": lambda M: [M.tensor([[1e20], [-3.0]]).norm(dim=1), M.linalg.vector_norm(M.tensor(3e30 + 4e30j), 3)],
    "pad of a number that does not fit": lambda M: [outcome(lambda M, v=v: M.nn.functional.pad(M.ones(2, dtype=M.uint8), (1, 0), value=v), M) for v in (2.0, 300.0, 7.0, float("inf"))],
    "windows": lambda M: [outcome(lambda M, k=k: M.hamming_window(3, **k), M) for k in ({"periodic": False, "alpha": 0.5}, {"periodic": True, "alpha": 0.5, "beta": 0.5})],
    "transposed convolutions with long strides": lambda M: M.func.vjp(lambda x, w: M.nn.functional.conv_transpose2d(x, w, stride=(9, 11), padding=(1, 0), dilation=(1, 3), groups=2), M.arange(16.0).reshape(1, 4, 2, 2) - 7, M.arange(16.0).reshape(4, 2, 2, 1) / 8 - 1)[1]((M.arange(432.0) % 7 - 3).reshape(1, 4, 9, 12)),
    "windows of a negative beta": lambda M: [M.kaiser_window(5, False, b) for b in (-1.0, -12.0, 1.0)],
    "unsigned and negative": lambda M: [outcome(lambda M, v=v: M.full((1,), v, dtype=M.uint8), M) for v in (-1, -1.5, -0.5, 255.5, -255, -256)],
    "counts with whole logits": lambda M: M.distributions.Binomial(4, logits=M.tensor([0, -1, 3])).log_prob(M.tensor([0.0, 2.0, 4.0])),
    "bags of mixed indices": lambda M: M.nn.functional.embedding_bag(M.tensor([0, 2, 1], dtype=M.int8), M.arange(6.0).reshape(3, 2), M.tensor([0, 2]), mode="sum"),
    "no bags": lambda M: M.nn.functional.embedding_bag(M.zeros(2, 0, dtype=M.int64), M.ones(3, 2)),
    "ranges of bools": lambda M: M.range(0, 2, dtype=M.bool),
    "powers into narrower": lambda M: [outcome(lambda M, n=n: M.matrix_power(M.eye(2, dtype=M.float64), n, out=M.zeros(2, 2)), M) for n in (0, 1, 2)],
    "bools in place of nan": lambda M: M.nan_to_num(M.tensor([False]), 1j),
    "heaviside into wider": lambda M: outcome(lambda M: M.heaviside(M.tensor([0, 1]), M.tensor([2, 2]), out=M.zeros(2)), M)["raises"],
    "tensordot of an int and a list": lambda M: M.tensordot(M.ones(2, 3), M.ones(3, 2), (1, [0])),
    "filled with a complex number": lambda M: [outcome(lambda M, v=v: M.zeros(2).masked_fill(M.tensor([True, False]), M.tensor(v)), M) for v in (2 + 0j, 2 + 1j)],
    "distances of nothing": lambda M: M.cdist(M.zeros(0, 1), M.zeros(4, 1, dtype=M.float64)),
})  # fmt: skip


def _with(program):
    """The program at a row of numbers and four places."""
    return lambda M: program(M, M.arange(12.0), M.zeros(4, dtype=M.long))


many(
    "overlap",
    {
        name: _with(program)
        for name, program in {
            "cat of itself": lambda M, z, i: M.cat([z], out=z),
            "cat of parts": lambda M, z, i: M.cat([z[:3], z[3:6]], out=z[2:8]),
            "cat elsewhere": lambda M, z, i: M.cat([z[:2], z[2:4]], out=z[6:10]),
            "kthvalue": lambda M, z, i: M.kthvalue(z[:6], 2, out=(z[0], i[0])),
            "gather": lambda M, z, i: M.gather(z[:4], 0, i, out=z[2:6]),
            "gather into the index": lambda M, z, i: M.gather(M.arange(4), 0, i, out=i),
            "take": lambda M, z, i: M.take(z, M.zeros(12, dtype=M.long), out=z),
            "masked_select": lambda M, z, i: M.masked_select(z, z > 3, out=z),
            "index_select": lambda M, z, i: M.index_select(z[:4], 0, i, out=z[2:6]),
            "add into itself": lambda M, z, i: M.add(z[:4], 1, out=z[:4]),
            "add into a part": lambda M, z, i: M.add(z[:4], 1, out=z[2:6]),
            "add into what is transposed": lambda M, z, i: M.add(
                z[:9].view(3, 3), 1, out=z[:9].view(3, 3).t()
            ),
            "add into every second": lambda M, z, i: M.add(z[::2], 1, out=z[1::2]),
            "exp": lambda M, z, i: M.exp(z[:4], out=z[2:6]),
            "clamp": lambda M, z, i: M.clamp(z[:4], 0, 1, out=z[2:6]),
            "where": lambda M, z, i: M.where(z[:4] > 1, z[:4], 0.0, out=z[2:6]),
            "sort": lambda M, z, i: M.sort(z[:4], out=(z[1:5], i)),
            "softmax": lambda M, z, i: M.softmax(z[:4], 0, out=z[:4]),
            "into what was expanded": lambda M, z, i: M.add(M.ones(4), 1, out=M.ones(1).expand(4)),
            "add_": lambda M, z, i: z[2:6].add_(z[:4]),
            "add_ of itself": lambda M, z, i: z[2:6].add_(z[2:6]),
            "copy_": lambda M, z, i: z[2:6].copy_(z[:4]),
            "index_add_": lambda M, z, i: z[2:6].index_add_(0, i[:1], z[3:4]),
            "index_put_": lambda M, z, i: z.index_put_((i[:1],), z[3:4]),
            "masked_fill_": lambda M, z, i: z.masked_fill_(z > 3, z[3]),
        }.items()
    },
)
many(
    "type",
    {
        "the class": lambda M: M.ones(2, dtype=M.float64).type(M.Tensor),
        "its name": lambda M: M.ones(2, dtype=M.int64).type("torch.Tensor"),
        "of an older kind": lambda M: M.ones(2).type(M.LongTensor),
        "of nothing": lambda M: M.ones(2).type("Tensor"),
    },
)

many(
    "without dims",
    {
        name: lambda M, program=program: program(M.tensor(3.0))
        for name, program in {
            "unfold": lambda x: (x.unfold(0, 1, 2), x.unfold(-1, 0, 1)),
            "movedim": lambda x: (x.movedim(0, -1), x.moveaxis((0,), (-1,))),
            "swapaxes": lambda x: (x.swapaxes(0, -1), x.swapdims(-1, 0), x.transpose(0, 0)),
            "written through": lambda x: (x.unfold(0, 1, 1).fill_(2.0), x.swapaxes(0, 0).add_(1.0), x),
        }.items()
    },
)
many(
    "refused without dims",
    {
        "vecdot": lambda M: M.linalg.vecdot(M.tensor(3.0), M.tensor(3.0), dim=1),
        "fftn": lambda M: M.fft.fftn(M.tensor(3.0), dim=(0,)),
    },
)


@case
def writes_through_linalg_diagonal(M):
    x = M.zeros(2, 3, 3)
    M.linalg.diagonal(x).fill_(1.0)
    M.linalg.diagonal(x, offset=1, dim1=0, dim2=2).add_(2.0)
    return x
