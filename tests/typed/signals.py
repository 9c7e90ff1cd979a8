"""Complex numbers, transforms of signals, sparse tensors, sorting."""

import functorch_lite as torch

t = torch.arange(64) / 64
signal = torch.sin(2 * torch.pi * 5 * t) + 0.1 * torch.randn(64)
spectrum = torch.fft.rfft(signal)
power = spectrum.abs() ** 2
print(power.argmax().item(), spectrum.real.max(), spectrum.conj().imag[0], torch.angle(spectrum)[5])
assert torch.allclose(torch.fft.irfft(spectrum, n=64), signal, atol=1e-5)
window = torch.hann_window(16)
frames = torch.stft(signal, n_fft=16, hop_length=8, window=window, return_complex=True)
print(frames.shape, torch.view_as_real(frames).shape, torch.complex(signal, signal).dtype)
values, order = torch.sort(signal, descending=True, stable=True)
unique, inverse, counts = torch.unique(torch.tensor([1, 1, 2]), return_inverse=True, return_counts=True)
print(
    values[0],
    order[:3].tolist(),
    unique,
    inverse,
    counts,
    torch.searchsorted(values.flip(0), 0.5),
    torch.bincount(unique),
)
top = torch.topk(signal, k=3)
best = signal.max(dim=0)
print(
    top.values,
    top.indices,
    best.values,
    best.indices,
    signal.median(),
    torch.quantile(signal, 0.5),
    signal.cumsum(0)[-1],
)
sparse = torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 0]]), torch.tensor([1.0, 2.0]), (2, 2)).coalesce()
print(sparse.to_dense() @ torch.ones(2), torch.sparse.mm(sparse, torch.eye(2)))
u, s, vh = torch.linalg.svd(torch.randn(4, 3), full_matrices=False)
print(
    (u * s) @ vh,
    torch.linalg.matrix_rank(u),
    torch.einsum("ij,kj->ik", u, u),
    torch.special.erf(s),
    torch.special.logsumexp(s, dim=0),
)
grid = torch.stack(torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"), dim=-1)
print(
    grid.reshape(-1, 2).tolist(),
    torch.cartesian_prod(torch.arange(2), torch.arange(2)),
    torch.roll(grid, 1, 0),
    torch.where(signal > 0),
)
