"""Choice of the values that a function keeps for its backward, under a budget."""
