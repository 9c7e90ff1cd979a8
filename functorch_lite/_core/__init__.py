"""The core: records PyTorch code, and runs recordings. See README.md."""

from .words.collector import collect_old_objects_seldom

# before the other imports: one collection of all of JAX's objects takes a fifth of the time that they take
collect_old_objects_seldom()
