"""torch.testing._internal: of what PyTorch's own tests are written with, what tests of packages take from there."""
