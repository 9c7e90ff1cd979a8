"""Packages' own tests, run on this library: up to 80 of each, which pass under PyTorch.
`python -m tests.ecosystem.suites`; see `__main__.py`."""
