"""Requirements of the parameters that random numbers are drawn with."""

from __future__ import annotations

from ..._core.api import requirement

NOT_A_PROBABILITY = requirement(
    "RuntimeError", "probability tensor contains either `inf`, `nan` or element < 0"
)
NO_DISTRIBUTION = requirement("RuntimeError", "invalid multinomial distribution (sum of probabilities <= 0)")
NO_SHARE = requirement("RuntimeError", "Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
NEGATIVE_STD = requirement("RuntimeError", "normal expects all elements of std >= 0.0")
NEGATIVE_RATE = requirement("RuntimeError", "invalid Poisson rate, expected rate to be non-negative")
