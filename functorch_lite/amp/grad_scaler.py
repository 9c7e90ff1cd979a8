"""GradScaler: keeps small gradients of half precision from vanishing, by scaling the loss."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

import jax.numpy as jnp

from .._core.api import DerivedOp, Tensor, apply_op, composite, dtypes, replace
from .._core.api import devices as devices
from .._core.api import functions as torch

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """Stage of an optimizer since the last update(): what was done with it."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _unscale(inverse, found, *grads):
    """(whether a gradient is inf or nan as 1 or 0, at least `found`; the gradients times inverse)"""
    bad = jnp.asarray(False)
    for g in grads:
        bad = bad | ~jnp.all(jnp.isfinite(g))
    scaled = [(g * inverse.astype(g.dtype)).astype(g.dtype) for g in grads]
    return (jnp.maximum(found, bad.astype(found.dtype)), *scaled)


UNSCALE = DerivedOp(_unscale, "amp_unscale")


def _update(scale, tracker, found, growth, backoff, interval):
    """The next scale, and how many steps without inf there were since it last changed."""
    bad = found > 0
    growth, backoff = jnp.asarray(growth, scale.dtype), jnp.asarray(backoff, scale.dtype)
    count = tracker + 1
    grow = count >= interval
    grown = scale * growth
    grown = jnp.where(grow & jnp.isfinite(grown), grown, scale)
    next_scale = jnp.where(bad, scale * backoff, grown)
    return next_scale, jnp.where(bad | grow, 0, count).astype(tracker.dtype)


UPDATE = DerivedOp(_update, "amp_update_scale")


def _refresh_per_optimizer_state() -> dict[str, Any]:
    """Returns the state of an optimizer before its gradients are looked at; files name this function."""
    return {"stage": OptState.READY, "found": None}


class GradScaler:
    """Multiplies the loss by a scale, divides the gradients by it again, and leaves out steps whose gradients are inf
    or nan.

    After growth_interval good steps the scale is multiplied by growth_factor, after a bad one by backoff_factor. `step`
    reads one number, whether the gradients were finite, as PyTorch does.

    Args:
        device: the type of the device. Default: "cuda".
        init_scale: the first scale. Default: 65536.0.
        growth_factor: the factor of the scale after `growth_interval` good steps. Default: 2.0.
        backoff_factor: the factor of the scale after a step with inf or nan. Default: 0.5.
        growth_interval: the number of good steps after which the scale grows. Default: 2000.
        enabled: whether anything is scaled. Default: True.

    >>> scaler = GradScaler("cpu", init_scale=8.0)
    >>> float(scaler.scale(torch.tensor(2.0)))
    16.0
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled and not devices.is_available("cuda"):
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2
            )
            self._enabled = False
        if not self._enabled:
            return
        if not growth_factor > 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if not backoff_factor < 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: Tensor | None = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker: Tensor | None = None
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_refresh_per_optimizer_state)

    def _checked(self, name: str) -> Tensor:
        if self._scale is None or self._growth_tracker is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) "
                "earlier in the iteration."
            )
        return self._scale

    def _start(self, device: Any) -> Tensor:
        self._scale = torch.full((), self._init_scale, dtype=dtypes.float32, device=device)
        self._growth_tracker = torch.full((), self._init_growth_tracker, dtype=dtypes.int32, device=device)
        return self._scale  # type: ignore[return-value]

    def _of(self, optimizer: Any) -> dict[str, Any]:
        return self._per_optimizer_states[id(optimizer)]

    def scale(self, outputs: Any) -> Any:
        """A tensor, or an iterable of tensors, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            scale = self._scale if self._scale is not None else self._start(outputs.device)  # type: ignore[attr-defined]
            return outputs * scale.to(outputs.device)  # type: ignore[attr-defined, operator]
        if isinstance(outputs, Iterable):
            scaled = [self.scale(o) for o in outputs]
            return type(outputs)(scaled) if isinstance(outputs, list | tuple) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _unscale_grads(self, optimizer: Any, allow_fp16: bool) -> Tensor:
        scale = self._checked("unscale_")
        grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if not allow_fp16 and any(g.dtype is dtypes.float16 for g in grads):
            raise ValueError("Attempting to unscale FP16 gradients.")
        found = torch.zeros((), dtype=dtypes.float32, device=scale.device)
        if not grads:
            return found
        with torch.no_grad():
            inverse = scale.double().reciprocal().float()
            found, *unscaled = apply_op(UNSCALE, None, (inverse, found, *grads))
            for grad, new in zip(grads, unscaled):
                replace(grad, new)
        return found

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of the optimizer's parameters by the scale, in place; for instance before clipping
        them."""
        if not self._enabled:
            return
        self._checked("unscale_")
        mine = self._of(optimizer)
        if mine["stage"] is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if mine["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        found = self._unscale_grads(optimizer, allow_fp16=False)
        has = any(p.grad is not None for group in optimizer.param_groups for p in group["params"])
        mine["found"] = found if has else None
        mine["stage"] = OptState.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """optimizer.step(), unless a gradient is inf or nan; the gradients are unscaled first if they were not yet."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._checked("step")
        mine = self._of(optimizer)
        if mine["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if mine["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if mine["found"] is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if mine["found"].item() else optimizer.step(*args, **kwargs)
        mine["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """Adapts the scale to what the steps since the last update() found, or sets it to new_scale."""
        if not self._enabled:
            return
        scale = self._checked("update")
        tracker = self._growth_tracker
        if new_scale is not None:
            with torch.no_grad():
                if isinstance(new_scale, int | float):
                    scale.fill_(new_scale)  # type: ignore[attr-defined]
                else:
                    if new_scale.numel() == 1 and new_scale.ndim:
                        raise RuntimeError(
                            f"output with shape [] doesn't match the broadcast shape {list(new_scale.shape)}"
                        )
                    scale.copy_(new_scale)  # type: ignore[attr-defined]
        else:
            found = [m["found"] for m in self._per_optimizer_states.values() if m["found"] is not None]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            with torch.no_grad():
                total = found[0]
                for other in found[1:]:
                    total = total + other
                inputs = (
                    scale,
                    tracker,
                    total,
                    float(self._growth_factor),
                    float(self._backoff_factor),
                    int(self._growth_interval),
                )
                next_scale, next_tracker = apply_op(UPDATE, None, inputs)
                replace(scale, next_scale)
                replace(tracker, next_tracker)  # type: ignore[arg-type]
        self._per_optimizer_states.clear()

    def get_scale(self) -> float:
        """The scale; 1.0 when scaling is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()  # type: ignore[attr-defined]

    def get_growth_factor(self) -> float:
        """Returns the factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets by what the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Returns the factor by which the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets by what the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Returns the number of good steps after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets after how many good steps the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item()  # type: ignore[attr-defined]

    def is_enabled(self) -> bool:
        """Returns whether anything is scaled."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The scale, the factors, and how long the scale has been good."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what state_dict() of another scaler gave."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])  # type: ignore[attr-defined]
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(state_dict["_growth_tracker"])  # type: ignore[attr-defined]

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            state["_init_scale"], state["_init_growth_tracker"] = self.get_scale(), self._get_growth_tracker()
            state["_scale"] = state["_growth_tracker"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


composite(GradScaler)
