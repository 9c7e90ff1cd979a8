"""torch.special: functions declared in `ops/`, bound at first use."""

from __future__ import annotations

from ._core.api import bind, overrides
from .api_names import listed

_SAME = {
    "expit": "sigmoid",
    "gammainc": "igamma",
    "gammaincc": "igammac",
    "gammaln": "lgamma",
    "multigammaln": "mvlgamma",
    "psi": "digamma",
} | {
    name: name
    for name in (
        "digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "i0", "log1p", "logit", "logsumexp", "polygamma",
        "sinc", "xlogy",
    )
}  # fmt: skip
"""Functions of torch.special that are functions of torch too, and what they are called there."""


def __getattr__(name: str):
    made = None if name.startswith("__") else bind.lookup("special", name)
    if made is None and name in _SAME:
        made = overrides.publish("special", name, overrides.twin(bind.lookup("torch", _SAME[name])))  # type: ignore[arg-type]
    if made is None:
        raise AttributeError(f"module 'functorch_lite.special' has no attribute '{name}'")
    globals()[name] = made
    return made


__all__ = sorted({*bind.names("special"), *_SAME})
__dir__ = listed(__name__)
