"""What a function keeps for its backward, chosen under a budget."""
