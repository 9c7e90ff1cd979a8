"""What an op says of itself: its function, the kinds of its parameters, the name of its derivative."""
