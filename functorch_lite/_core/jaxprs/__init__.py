"""Jaxprs: how they are walked, what their primitives are, and what follows from one. Nothing here knows a recording."""
