"""Measurements of what is done to programs before they run."""
