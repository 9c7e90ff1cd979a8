"""Checks of arguments of torch.nn.functional, by family, where they are longer than a few lines."""
