"""Benchmarks: ours beside PyTorch eager, torch.func and hand-written jax.jit, in one process, with as many threads for
each."""
