"""torch.nested: batches of tensors that differ in size.

Two layouts, as in PyTorch. **jagged** (`layout=torch.jagged`): one ragged dim; `values()`, `offsets()`, `lengths()`.
What works: everything that treats each element by itself (arithmetic with nested tensors of the same structure, with
numbers, and with dense tensors that broadcast; activations, comparisons, `where`, `masked_fill`, dtypes, in-place
forms, `*_like`), `linear`, `layer_norm`, `rms_norm`, `embedding`, `matmul`, `scaled_dot_product_attention` (also
causal), `softmax` (along any dim but the batch), `log_softmax` (not along the ragged dim), `sum mean amax amin max min
argmax argmin all any prod` (along the ragged dim alone, along batch and ragged dim together, along dense dims),
`transpose permute unsqueeze squeeze view reshape unflatten flatten select narrow chunk split cat
stack` away from batch and ragged dim, `unbind`, `to_padded_tensor`, and the modules made of these. **strided** (the
default): parts may differ in any dim; the same functions of each element, `linear`, `layer_norm`, `matmul`, `softmax`,
`scaled_dot_product_attention`, `sum` along the last dim, `transpose`, `chunk`, `select`, `unsqueeze`, `unbind`,
`to_padded_tensor`. Everything else raises NotImplementedError.

Gradients flow through both, as they are made of ordinary tensors. Transforms (`grad`, `vmap`) do not take nested
tensors as arguments: make them inside, from dense ones. The sizes of parts are read (which runs what is recorded) where
PyTorch reads them too: by `unbind` and padding, if `offsets` were given rather than a list.
"""

from __future__ import annotations

from ..api_names import close
from . import jagged_ops as jagged_ops
from .construct import (
    as_nested_tensor,
    masked_select,
    narrow,
    nested_tensor,
    nested_tensor_from_jagged,
    to_padded_tensor,
)
from .jagged import NestedTensor as NestedTensor

__all__ = [
    "as_nested_tensor", "masked_select", "narrow", "nested_tensor", "nested_tensor_from_jagged", "to_padded_tensor",
]  # fmt: skip

close(__name__)
