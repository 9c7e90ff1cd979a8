"""Kinds of levels: the transforms, loops and rules that record a function.

A kind says what holds inside its levels, and what they say to who asks for a value.

A new transform is stated here, and nowhere else in `_core`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

__all__ = [
    "EAGER", "KINDS", "USE_JAX_FUNCTION", "VMAP_CONTROL_FLOW", "VMAP_DYNAMIC", "VMAP_ITEM", "VMAP_LEAVES", "VMAP_MASK",
    "VMAP_ONE_ANSWER", "Kind",
]  # fmt: skip

USE_JAX_FUNCTION = "functorch_lite.compat.jax_function(f) makes a JAX function f an op on Tensors, which every transform differentiates and batches"

VMAP_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please "
    "try to rewrite what you're doing with other operations. To choose between two computations by a Tensor's value use torch.cond; between two values, torch.where."
)
VMAP_CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet. "
    "Use torch.cond instead of `if` (or torch.where, to choose "
    "between two values), and torch._higher_order_ops.while_loop instead of `while`: they are batched."
)
VMAP_LEAVES = (
    "vmap: {} of a Tensor that it maps over is not possible: inside there is one example, whose numbers are not known. Write what is done with "
    "them with torch functions, or as an op: functorch_lite.compat.jax_function(f) makes one of a JAX function f."
)
VMAP_DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. "
    "Call it outside of vmap, or keep a mask (torch.where), whose shape does not depend on the values."
)
VMAP_MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with a boolean mask. "
    "Use torch.where, or write a number with x[mask] = 0, whose shapes do not depend on the mask: they are batched."
)
VMAP_ONE_ANSWER = "vmap over torch.{} isn't supported yet, because it gives one Python bool. Compare by torch.isclose or ==, and reduce by .all()."
_FUNCTION_ITEM = (
    "a Tensor's value was asked for (by NumPy, .item(), bool(), `if`, …) by an autograd.Function in the body of torch.cond, while_loop, scan or map. "
    "There its forward, backward and jvp are recorded, once for all steps: write them with torch functions, or call the Function outside."
)
_LOCAL_ITEM = (
    "local_map: a Tensor's value was asked for (by .item(), bool(), `if`, …) inside the function, which is recorded once for all devices: each has another part. "
    "Use torch.where to choose between two values."
)
_LOOP_ITEM = (
    "{kind}: a Tensor's value was asked for (by .item(), bool(), `if`, …) in the body of {kind}, which is recorded once for all its "
    "steps: it has another value in each. Use torch.cond instead of `if` (or torch.where, to choose between two values), and "
    "functorch_lite.compat.jax_function(f) for a JAX function f."
)


@dataclass(frozen=True)
class Kind:
    """Kind of a level.

    letters     what it does to derivatives, in the words of `cutting`: R for reverse mode, F for forward mode; the
                hessian is jacfwd of jacrev
    batches     it maps over examples: its inputs differ from one to the next
    body        it records the body of a loop or branch, or a rule for one
    one_op      what it records becomes one op, and what cannot be part of it raises NotOneOp
    no_value    why a tensor has no one value inside; "" if it has one
    finished    its function has returned
    """

    name: str
    letters: str = ""
    batches: bool = False
    body: bool = False
    one_op: bool = False
    no_value: str = ""
    finished: bool = False

    @property
    def reverse(self) -> bool:
        """Returns whether the arguments require grad while the function runs."""
        return self.letters[:1] == "R"

    @property
    def forward(self) -> bool:
        """Whether it is one that `no_grad` does not cut, as in torch: grad mode is about reverse mode."""
        return self.letters == "F"

    @property
    def one_value(self) -> bool:
        """Returns whether a tensor inside has one value, which can be computed while the function runs."""
        return not self.batches and not self.no_value

    @cache  # noqa: B019  (there are as many as transforms)
    def after(self) -> Kind:
        """Returns the kind that is left when the level's function has returned: a name."""
        return Kind(f"finished {self.name}", finished=True)

    def __str__(self) -> str:
        return self.name


EAGER = Kind("eager")

KINDS = {
    kind.name: kind
    for kind in (
        *(Kind(name, "R") for name in ("grad", "vjp", "jacrev")),
        *(Kind(name, "F") for name in ("jvp", "jacfwd", "linearize")),
        Kind("hessian", "RF"),
        Kind("vmap", batches=True),
        Kind("checkpoint", one_op=True),
        Kind("torch.compile", one_op=True),
        Kind("torch.cond", body=True),
        Kind("local_map", body=True, no_value=_LOCAL_ITEM),
        Kind("autograd.Function", body=True, no_value=_FUNCTION_ITEM),
        *(
            Kind(name, body=True, no_value=_LOOP_ITEM.format(kind=name))
            for name in ("while_loop", "scan", "map", "associative_scan")
        ),
    )
}
"""By name."""
