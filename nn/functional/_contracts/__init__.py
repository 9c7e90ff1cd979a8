"""What functions of torch.nn.functional refuse, by family, where that is longer than a few lines."""
