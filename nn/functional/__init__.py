"""torch.nn.functional: one file a family of pure functions on jax arrays, bound to tensors at first use."""

from __future__ import annotations

from functorch_lite._core.api import bind
from functorch_lite.api_names import listed, missing

from . import (
    activation,
    adaptive_pool,
    attention,
    composed,
    conv,
    ctc,
    distance,
    dropout,
    embedding_bag,
    embeddings,
    fractional_pool,
    grouped,
    linear,
    loss,
    loss_class,
    multi_head_attention,
    norm,
    pool,
    power_pool,
    recurrence,
    recurrent,
    resample,
    sparse,
    stateful,
    torch_namespace,
    unpool,
    upsampling,
    values_at_hand,
    vision,
)

_FAMILIES = (
    activation, adaptive_pool, attention, composed, conv, ctc, distance, dropout, embedding_bag, embeddings, fractional_pool,
    grouped, linear, loss, loss_class, multi_head_attention, norm, pool, power_pool, recurrence, recurrent, resample, sparse, stateful,
    torch_namespace, unpool, upsampling, values_at_hand, vision,
)  # fmt: skip
for (
    _family
) in _FAMILIES:  # the files' names are not functions of torch.nn.functional, except where one shares its name
    globals().pop(_family.__name__.rsplit(".", 1)[-1], None)
del _family


def __getattr__(name: str):
    made = None if name.startswith("__") else bind.lookup("nn.functional", name)
    if made is None:
        raise missing(__name__, name)
    globals()[name] = made
    return made


__all__ = sorted(bind.names("nn.functional"))
__dir__ = listed(__name__)
