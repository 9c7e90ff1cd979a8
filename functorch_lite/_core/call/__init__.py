"""What users touch: generated functions and methods, arguments, indexing, results, printing, storages."""
