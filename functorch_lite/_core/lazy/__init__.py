"""What is recorded: values and tensors, the trie, the tape, `apply`, levels and Graphs. It reaches what runs them by `engine` alone."""
