"""Torch's words: dtypes, devices, numbers, promotion, sentences, warnings, tracebacks, printing.
Nothing here knows a tensor."""
