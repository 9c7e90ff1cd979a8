"""Graphs that can be held: traced from a function, shown and edited as torch.fx shows them, and run again."""
