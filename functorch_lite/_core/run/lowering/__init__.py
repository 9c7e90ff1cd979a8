"""Lowerings for CPU: what a program computes in another way than XLA would, because that is faster on a CPU."""
