"""What JAX traced: jaxprs walked, what their primitives are, and what follows from a jaxpr. Nothing here knows a recording."""
