"""The layer that users touch: generated functions and methods, arguments, indexing, results, printing, storages."""
