"""Functions are pickled by the name under which users find them, and with them the modules that keep one as an
activation."""

import importlib
import pickle

import pytest

import functorch_lite as torch

NAMES = {
    "functorch_lite": ("sin", "add", "relu", "where", "meshgrid", "unique", "einsum", "normal"),
    "functorch_lite.nn.functional": ("relu", "gelu", "dropout", "softmax", "cross_entropy", "interpolate", "one_hot", "max_pool2d"),
    "functorch_lite.linalg": ("svd", "norm", "matrix_norm"),
    "functorch_lite.fft": ("fft", "fftfreq"),
    "functorch_lite.special": ("erf", "expit"),
    "functorch_lite.func": ("vmap", "grad"),
}  # fmt: skip


@pytest.mark.parametrize(("module", "name"), [(m, n) for m, names in NAMES.items() for n in names])
def test_a_function_comes_back_as_itself(module, name):
    function = getattr(importlib.import_module(module), name)
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize(
    "make",
    [
        lambda nn: nn.TransformerEncoderLayer(8, 2),
        lambda nn: nn.TransformerDecoderLayer(8, 2, activation=nn.functional.gelu),
        lambda nn: nn.utils.spectral_norm(nn.Linear(8, 8)),
    ],
    ids=["encoder", "decoder", "spectral_norm"],
)
def test_a_module_that_keeps_functions(make):
    module = make(torch.nn).eval()
    x = torch.randn(3, 2, 8)
    inputs = (x, x) if isinstance(module, torch.nn.TransformerDecoderLayer) else (x,)
    again = pickle.loads(pickle.dumps(module))
    assert torch.allclose(again(*inputs), module(*inputs))


@pytest.mark.parametrize("batch_first", [True, False])
def test_transformers_take_a_batch_without_examples(batch_first):
    shape = (0, 3, 8) if batch_first else (3, 0, 8)
    x = torch.rand(shape)
    encoder = torch.nn.TransformerEncoderLayer(8, 2, batch_first=batch_first)
    decoder = torch.nn.TransformerDecoderLayer(8, 2, batch_first=batch_first)
    assert encoder(x).shape == shape
    assert decoder(x, x).shape == shape


def test_hints_for_cudnn_inside_a_context():
    before = torch.backends.cudnn.benchmark
    with torch.backends.cudnn.flags(enabled=False, benchmark=True):
        assert not torch.backends.cudnn.enabled
        assert torch.backends.cudnn.benchmark
    assert torch.backends.cudnn.enabled
    assert torch.backends.cudnn.benchmark is before


def test_pickles_of_before_the_rooms_of_the_core_load():
    """They name the modules of `_core` as they were in one folder."""
    named = {
        "dtypes _by_name": b"(Vfloat32\ntR",
        "device device": b"(Vcpu\ntR",
        "size Size": b"((I2\nttR",
        "storage strided": b"",
        "memory_format channels_last": b"",
        "tensor Tensor": b"",
    }
    wanted = [
        torch.float32,
        torch.device("cpu"),
        torch.Size([2]),
        torch.strided,
        torch.channels_last,
        torch.Tensor,
    ]
    for (name, arguments), value in zip(named.items(), wanted):
        module, _, attribute = name.partition(" ")
        assert (
            pickle.loads(f"cfunctorch_lite._core.{module}\n{attribute}\n".encode() + arguments + b".")
            == value
        )


def test_pickles_of_before_tensors_load():
    """They name functions that are bound to the modules of `compose`, as the package of tensors/ was called."""
    named = (
        ("creation", "from_numpy"),
        ("pieces", "broadcast_shapes"),
        ("reading", "is_tensor"),
        ("settings", "get_num_threads"),
        ("statistics", "typename"),
    )
    for module, name in named:
        assert pickle.loads(f"cfunctorch_lite.compose.{module}\n{name}\n.".encode()) is getattr(torch, name)
