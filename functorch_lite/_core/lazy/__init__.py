"""Recording: values, tensors, trie, tape, `apply`, levels, Graphs. It reaches what runs them by `engine` alone."""
