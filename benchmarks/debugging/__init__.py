"""Faults that are planted, and how they are found."""
