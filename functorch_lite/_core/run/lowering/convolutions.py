"""Convolutions: as XLA has them, as a product of patches, or as a sum over the taps of the kernel."""
