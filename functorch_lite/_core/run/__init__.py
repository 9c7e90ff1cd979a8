"""From recordings to programs: liveness, donation, packs, chunks, executables, memory.
Loading `executor` installs the engine."""
