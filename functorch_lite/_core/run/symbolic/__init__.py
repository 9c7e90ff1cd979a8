"""Runs of recordings at symbolic sizes."""
