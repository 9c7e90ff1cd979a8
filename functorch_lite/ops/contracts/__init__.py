"""What ops refuse, where that is long: functions that raise what PyTorch raises, and compute nothing."""
