"""Programs on disk, which other processes left there."""
