"""While loops with derivatives of every order and mode, and rules of differentiation inside of scans: functions of jax
arrays."""
