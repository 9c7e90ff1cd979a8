"""Buckets: recordings that differ in lengths alone share one program, padded to the next of a few lengths."""
