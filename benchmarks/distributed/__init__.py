"""Meshes: programs on virtual devices, beside one device, and what many devices cost on paper (`scaling.py`).
Each is run as a script."""
