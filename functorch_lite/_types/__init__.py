"""What type checkers and editors see of torch's functions and Tensor's methods: stubs, written by `python -m tests.stubs --write`."""
