"""Scripts as users write them: each file defines `steps` and `step(i)`, which returns a float to compare, or None."""
