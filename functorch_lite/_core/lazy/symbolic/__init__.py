"""Recordings at symbolic sizes: what came with three sets of lengths is known at all others, without a node of the trie
for each."""
