"""Refusals of ops, where they are long: functions that raise what PyTorch raises, and compute nothing."""
