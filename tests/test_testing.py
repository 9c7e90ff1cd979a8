"""torch.testing: what assert_close says of every kind of mismatch, and what make_tensor takes.
What is expected was observed in PyTorch 2.13."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.testing._internal.common_utils import TestCase

PROGRAMS = """
close(1.0, 1.1) | close(1, 2) | close(1, 1.0) | close(True, False) | close(1 + 1j, 1 + 2j) | close(1.0, 1.01, rtol=0, atol=1e-3) | close(None, 1)
close(1.0, 1.01, rtol=1e-3, atol=0) | close(1.0, 1.01, rtol=0, atol=0) | close(float("nan"), float("nan")) | close(np.float32(1), np.float32(2))
close(ones(2), ones(3)) | close(ones(2), zeros(2)) | close(torch.tensor(1.0), torch.tensor(2.0)) | close(ones(2), ones(2).double())
close(ones(2), zeros(2).double(), check_dtype=False) | close(ones(2), ones(2) * 1.01, rtol=1e-3, atol=0) | close(ones(2), ones(2) * 1.01, rtol=0, atol=1e-3)
close(ones(2), ones(2) * 1.01, rtol=0, atol=0) | close(ones(2), ones(2), rtol=1) | close(ones(2).long(), torch.tensor([1, 3])) | close(ones(2).bool(), zeros(2).bool())
close(torch.tensor([float("nan"), 1]), ones(2)) | close(torch.tensor([float("inf"), 1]), -torch.tensor([float("inf"), 1])) | close([ones(2)], [zeros(2)])
close({"a": ones(2)}, {"b": ones(2)}) | close({"a": [ones(2), {"k": 1.0}]}, {"a": [ones(2), {"k": 2.0}]}) | close([ones(2)], [ones(2), ones(2)])
close(ones(2), ones(2) * 2, msg="hello") | close([ones(2)], [ones(2) * 2], msg=lambda m: "so: " + m) | close(ones(2).bfloat16(), ones(2).bfloat16() * 1.05)
close(ones(2).to_sparse(), ones(2)) | close(ones(2).to_sparse(), ones(2), check_layout=False) | close(ones(2).to_sparse(), zeros(2).to_sparse())
close(ones(2).to_sparse(), ones(2).to_sparse() * 2) | close(eye.to_sparse(), eye.flip(0).to_sparse()) | close(eye.to_sparse_csr(), eye.to_sparse_csr())
close(eye.to_sparse_csr(), eye.to_sparse_csr() * 2) | close(eye.to_sparse_csr(), ones(2, 2).to_sparse_csr()) | close(eye.to_sparse_csr(), eye.to_sparse_csc())
close(eye.to_sparse_csc(), eye.flip(0).to_sparse_csc()) | close(eye.to_sparse_bsr((1, 1)), eye.flip(0).to_sparse_bsr((1, 1)))
close(torch.ones(2, device="meta"), torch.zeros(2, device="meta")) | close(torch.ones(2, device="meta"), torch.zeros(3, device="meta"))
close(ones(2).to(torch.float8_e4m3fn), zeros(2).to(torch.float8_e4m3fn)) | close(ones(2, 3).t(), ones(3, 2), check_stride=True)
torch.testing.assert_allclose(ones(2), zeros(2)) | torch.testing.assert_allclose(ones(2), ones(2) * (1 + 5e-5)) | torch.testing.assert_allclose(ones(2), 1)
torch.testing.assert_allclose(ones(2), ones(2).double() * (1 + 5e-5))
make((2,), low=3, high=3) | make((2,), low=4, high=3) | make((2,), low=float("nan")) | make((2,), dtype=torch.int64, requires_grad=True)
make((2,), dtype=torch.int64, low=3, high=4) | make((2,), dtype=torch.int64, low=3, high=3) | make((2, 3), noncontiguous=True).stride() | make(2, 3).shape
make((2,), dtype=torch.uint8, low=300) | make((2,), noncontiguous=True, memory_format=torch.channels_last) | make((2,), dtype=torch.complex64).dtype
""".replace("\n", " | ").split(" | ")  # fmt: skip


def outcome(program, M):
    def make(*shape, dtype=M.float32, **options):
        return M.testing.make_tensor(*shape, dtype=dtype, device="cpu", **options)

    names = {"torch": M, "ones": M.ones, "zeros": M.zeros, "eye": M.eye(2), "close": M.testing.assert_close}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = eval(program, {**names, "make": make, "np": np})
        except Exception as e:
            return type(e).__name__, str(e).replace("functorch_lite", "torch")
    if isinstance(found, M.Tensor):
        return found.tolist()
    return str(found)


@pytest.mark.parity
@pytest.mark.parametrize("program", [p for p in PROGRAMS if p])
def test_beside_pytorch(program):
    reference = pytest.importorskip("torch")
    assert outcome(program, torch) == outcome(program, reference)


def test_numbers_of_numpy_have_the_tolerances_of_numbers():
    with pytest.raises(AssertionError, match="up to 1e-07 allowed"):
        torch.testing.assert_close(np.float32(1), np.float32(1 + 1e-6))


def test_sparse_tensors_are_compared_by_their_parts():
    eye = torch.eye(2)
    torch.testing.assert_close(eye.to_sparse_csr(), eye.to_sparse_csr())
    with pytest.raises(AssertionError, match="Sparse CSR col_indices are not equal!"):
        torch.testing.assert_close(eye.to_sparse_csr(), eye.flip(0).to_sparse_csr())
    with pytest.raises(
        AssertionError, match="The number of specified values in sparse COO tensors does not match: 2 != 4"
    ):
        torch.testing.assert_close(eye.to_sparse(), torch.ones(2, 2).to_sparse())


def test_older_tolerances():
    with pytest.warns(FutureWarning, match="assert_allclose"):
        torch.testing.assert_allclose(torch.ones(2), torch.ones(2) + 5e-5)


def test_make_tensor_of_one_number():
    with pytest.warns(FutureWarning, match="low==high"):
        assert torch.testing.make_tensor((2,), dtype=torch.float32, device="cpu", low=3, high=3).tolist() == [
            3.0,
            3.0,
        ]


def test_pytorchs_test_case_compares_what_holds_tensors():
    case = TestCase()
    case.assertEqual({"a": torch.ones(2)}, {"a": torch.ones(2) + 1e-7})
    case.assertEqual("a", "a")
    for x, y in ((1, 2), ("a", "b"), (torch.ones(2), torch.ones(3)), ([1], [1, 2]), (None, 1)):
        case.assertNotEqual(x, y)
        with pytest.raises(AssertionError):
            case.assertEqual(x, y)
