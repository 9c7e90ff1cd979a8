"""Examples of PyTorch's documents that behave differently here, and why; `api_status` writes them into docs/api.md."""

from __future__ import annotations

__all__ = ["DIFFERENT"]

_NS = "torch.ao.ns is absent: its comparisons of fx graphs exceed their use; compare layers by forward hooks."
_CUDA = "The example needs an NVIDIA GPU; the error is of another type."
_NUMPY = "PyTorch fails on the page's NumPy code; here it runs, or names the value that is read."
_ATEN = "Graphs show this library's steps, not ATen's ops."

DIFFERENT: dict[tuple[str, str], str] = {
    (
        "cond",
        "3",
    ): "The page's dynamic range contradicts a constant of the module; export raises and suggests another range.",
    (
        "func.batch_norm",
        "5",
    ): "The values agree; the result prints grad_fn=<VmapBackward0> in the place of <TransposeBackward0>.",
    (
        "func.ux_limitations",
        "0",
    ): "A value that leaves `grad` through a global cannot be read; PyTorch gives its number.",
    ("func.ux_limitations", "6"): "Writing to torch.zeros under vmap works here and raises in PyTorch.",
    (
        "func.ux_limitations",
        "12",
    ): "randomness='different' needs the default engine of random numbers, whose numbers are not PyTorch's.",
    ("functorch.ux_limitations", "0"): "See func.ux_limitations 0.",
    ("functorch.ux_limitations", "7"): "See func.ux_limitations 12.",
    ("sparse", "3"): "Both raise: NotImplementedError here, RuntimeError in PyTorch without MKL.",
    **{("sparse", n): _CUDA for n in "678"},
    **{("torch.ao.ns._numeric_suite_fx", n): _NS for n in "1234"},
    (
        "torch.compiler_fake_tensor",
        "0",
    ): "FakeTensorMode has no converter: a fake tensor is a tensor of the meta device.",
    (
        "torch.compiler_fake_tensor",
        "1",
    ): "torch._guards is absent: there is no tracing context beside the recording.",
    (
        "torch.compiler_fake_tensor",
        "3",
    ): "unset_fake_temporarily is absent: leave the `with` block of the mode.",
    ("torch.compiler_faq", "2"): "Times of compilation are printed, of other stages.",
    **{("torch.compiler_faq", n): _NUMPY for n in ("7", "8", "9", "10")},
    **{("COMPILE_README", n): _ATEN for n in "013"},
    (
        "COMPILE_README",
        "4",
    ): "torch.jit.script takes the graph here; PyTorch's compiler of TorchScript fails on it.",
    (
        "minifier",
        "3",
    ): "A traced graph names ops by their Python functions, so the page's test for aten.mul is never met.",
    ("minifier", "5"): _ATEN,
    (
        "minifier",
        "6",
    ): "memory_efficient_fusion is absent: XLA fuses; use torch.utils.checkpoint to save memory.",
    (
        "per_sample_grads",
        "7",
    ): "The model without parameters prints bias=False: its parameters are None, not meta tensors.",
    (
        "backend_config_README",
        "0",
    ): "backend_config is absent: there is one backend. PyTorch's example raises too.",
    (
        "_numpy_README",
        "0",
    ): "torch._numpy is absent: NumPy's own functions take tensors and return arrays; a copy of NumPy's API exceeds 600 lines.",
}
"""(page, number of the example): why."""
