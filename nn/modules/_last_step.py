"""Arguments of PyTorch's legacy backward hooks: the gradients at the op that made a module's output.

That op is PyTorch's, and where ours is another the gradients are brought into its order and shapes: nn.Linear ends in `addmm(bias, input,
weight.t())`. Where PyTorch's forward ends in an op whose gradients are not known here, the hook is refused rather than called with others.
"""

from __future__ import annotations

import functools
import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from functorch_lite._core.api import Aval, Node, Tensor
from functorch_lite._core.api import functions as torch
from functorch_lite.autograd.tensor_methods import GradFn

__all__ = ["LastStep", "register_on_last_step"]

_NN = "nn.functional."


class Slot(NamedTuple):
    """One of the gradients at PyTorch's op: that of our op's input `place` (None: PyTorch's op has an input without gradient there).

    turned: it is the transposed one. shape: it is reshaped to that.
    """

    place: int | None
    turned: bool = False
    shape: tuple[int, ...] | None = None

    def shown(self, grad: Tensor) -> Tensor:
        grad = grad.t() if self.turned else grad
        return grad if self.shape is None else grad.reshape(self.shape)

    def taken(self, grad: Tensor, aval: Aval) -> Tensor:
        grad = grad.t() if self.turned else grad
        return grad if self.shape is None else grad.reshape(aval.shape)


class LastStep(NamedTuple):
    """Gradients as PyTorch's last op sees them: one Slot for each, or the shape that its only input's gradient has
    where it is a view of what the op before it gave (`viewed`). extra: how many further outputs it has, whose gradients
    are None."""

    slots: tuple[Slot, ...] = ()
    viewed: tuple[int, ...] | None = None
    extra: int = 0


Rule = Callable[[Any], LastStep | None]
"""Function from a step of the recorder to how PyTorch sees it; None where it is not known."""


def _inputs(*places: int | None, extra: int = 0) -> Rule:
    return lambda step: LastStep(tuple(Slot(p) for p in places), extra=extra)


def _all(step: Any) -> LastStep | None:
    """Rule of ops that give every input a gradient; None unless all of them take one. PyTorch computes gradients for
    the others too, but not always."""
    count = len(step.applied.inputs)
    return LastStep(tuple(Slot(i) for i in range(count))) if len(step.taped.edges) == count else None


def _is_tensor(x: Any) -> bool:
    return type(x) is Aval and not x.weak


def _operands(step: Any, swapped: bool = True) -> LastStep | None:
    """Rule of two operands; a number is made a tensor by PyTorch, and comes second (`swapped`)."""
    first, second = step.applied.inputs[:2]
    if _is_tensor(first):
        return LastStep((Slot(0), Slot(1)))
    return LastStep((Slot(1), Slot(None))) if swapped and _is_tensor(second) else None


def _divided(step: Any) -> LastStep | None:
    rounded = any(isinstance(option, str) for option in step.static)
    return None if rounded else _operands(step, swapped=False)


def _with_numbers(step: Any) -> LastStep | None:
    """Rule of one tensor; None if a bound or value is a tensor that requires grad (of integers or bools one may be: a
    mask)."""
    others = [a for a in step.applied.inputs[1:] if _is_tensor(a)]
    return None if any(a.taped for a in others) else LastStep((Slot(0),))


def _power(step: Any) -> LastStep | None:
    base, *rest = step.applied.inputs
    if not _is_tensor(base):
        return None
    exponent = next((i for i, a in enumerate(rest, 1) if _is_tensor(a)), None)
    return LastStep((Slot(0),) if exponent is None else (Slot(0), Slot(exponent)))


def _linear(step: Any) -> LastStep | None:
    input, _, *bias = step.applied.inputs
    biased, out = bool(bias) and _is_tensor(bias[0]), step.avals[0].shape
    if len(input.shape) == 2:
        slots = (Slot(0), Slot(1, turned=True))
        return LastStep((Slot(2), *slots) if biased else slots)
    return LastStep(viewed=(math.prod(out[:-1]), out[-1]))


def _matmul(step: Any) -> LastStep | None:
    (a, b), out = (x.shape for x in step.applied.inputs[:2]), step.avals[0].shape
    if (len(a), len(b)) in ((1, 1), (2, 1), (2, 2)):
        return LastStep((Slot(0), Slot(1)))
    if len(a) < 3 or len(b) < 2:
        return None
    return LastStep(
        viewed=(math.prod(out[:-1]), out[-1]) if len(b) == 2 else (math.prod(out[:-2]), *out[-2:])
    )


def _convolution(dims: int) -> Rule:
    def rule(step: Any) -> LastStep | None:
        input, out = step.applied.inputs[0].shape, step.avals[0].shape
        if len(input) == dims + 1:
            return LastStep(viewed=(1, *out))
        if "same" in step.static and any(k % 2 == 0 for k in step.applied.inputs[1].shape[2:]):
            return None  # the input was padded before
        return LastStep((Slot(0), Slot(1), Slot(2)))

    return rule


def _prelu(step: Any) -> LastStep:
    input, weight = (a.shape for a in step.applied.inputs[:2])
    spread = (1, *weight, *[1] * (len(input) - 2)) if weight and len(input) > 1 else (1,) * max(len(input), 1)
    return LastStep((Slot(0), Slot(1, shape=spread)))


def _class_losses(step: Any) -> LastStep:
    """PyTorch has kernels for (C,), (N, C) and (N, C, H, W); other inputs are viewed as the last."""
    shape, out = step.applied.inputs[0].shape, step.avals[0].shape
    if len(shape) in (1, 2, 4):
        return LastStep((Slot(0),))
    n, classes, places = *shape[:2], math.prod(shape[2:])
    return LastStep(viewed=(n, 1, places)) if out else LastStep((Slot(0, shape=(n, classes, 1, places)),))


def _channels_as_batch(step: Any) -> LastStep:
    batch, channels, *rest = step.avals[0].shape
    return LastStep(viewed=(1, batch * channels, *rest))


def _unless(rule: Rule, *options: str) -> Rule:
    return lambda step: None if any(o in step.static for o in options) else rule(step)


def _squeezed(step: Any) -> LastStep:
    *others, length = step.avals[0].shape
    return LastStep(viewed=(*others, 1, length))


_OF_ONE = (
    "abs neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square sin cos tan asin acos atan sinh cosh tanh sigmoid relu erf erfc reciprocal "
    "clone _cast view reshape flatten unflatten permute transpose swapaxes t squeeze unsqueeze expand sum mean prod var std amax amin "
    "cumsum cumprod logsumexp gather index_select tril triu diag_embed flip roll alias view_as "
    "nn.functional.softmax nn.functional.log_softmax nn.functional.relu nn.functional.relu6 nn.functional.hardtanh "
    "nn.functional.leaky_relu nn.functional.rrelu nn.functional.elu nn.functional.selu nn.functional.celu nn.functional.gelu "
    "nn.functional.silu nn.functional.mish nn.functional.softplus nn.functional.sigmoid nn.functional.tanh nn.functional.logsigmoid "
    "nn.functional.hardsigmoid nn.functional.hardswish nn.functional.hardshrink nn.functional.softshrink nn.functional.threshold "
    "nn.functional.glu nn.functional.max_pool2d nn.functional.max_pool3d nn.functional.avg_pool2d nn.functional.avg_pool3d "
    "nn.functional.adaptive_avg_pool2d nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool2d "
    "nn.functional.adaptive_max_pool3d nn.functional.pixel_shuffle nn.functional.pixel_unshuffle "
    "nn.functional.multi_margin_loss nn.functional.multilabel_margin_loss nn.functional.soft_margin_loss "
    "nn.functional.max_unpool2d nn.functional.max_unpool3d nn.functional._fractional_max_pool nn.functional.fold nn.functional.unfold "
    "nn.functional.channel_shuffle nn.functional._cross_map_lrn nn.functional._rrelu_train nn.functional._rrelu_by linalg.vector_norm norm rsqrt"
).split()
_OF_TWO = "mm bmm mv dot maximum minimum fmax fmin atan2 hypot nn.functional.mse_loss nn.functional.smooth_l1_loss nn.functional.huber_loss"
_OF_THREE = "addmm addmv addbmm baddbmm addr nn.functional.layer_norm nn.functional._batch_norm_train nn.functional._batch_norm_eval"

_RULES: dict[str, Rule] = {
    **dict.fromkeys(_OF_ONE, _inputs(0)),
    **dict.fromkeys(_OF_TWO.split(), _inputs(0, 1)),
    **dict.fromkeys(_OF_THREE.split(), _inputs(0, 1, 2)),
    **dict.fromkeys(("cat", "stack"), _all),
    **dict.fromkeys(("add", "mul"), _operands),
    **dict.fromkeys(("clamp", "clamp_min", "masked_fill"), _with_numbers),
    **dict.fromkeys(("div", "true_divide"), _divided),
    "sub": functools.partial(_operands, swapped=False),
    **{f"{_NN}{kind}{n}d": _convolution(n) for kind in ("conv", "conv_transpose") for n in (1, 2, 3)},
    _NN + "max_unpool1d": lambda step: LastStep(viewed=(*step.avals[0].shape, 1)),
    **{f"{_NN}{kind}_pool1d": _squeezed for kind in ("max", "avg", "adaptive_avg", "adaptive_max")},
    **{f"{_NN}{name}": _inputs(0, None) for name in ("_dropout", "_feature_dropout", "_alpha_dropout", "_feature_alpha_dropout")},
    **{f"{_NN}{name}": _channels_as_batch for name in ("instance_norm", "_instance_norm_train")},
    **{f"{_NN}binary_cross_entropy{end}": _inputs(0, 1) for end in ("", "_with_logits")},
    "pow": _power,
    "where": _inputs(1, 2),
    "matmul": _matmul,
    _NN + "linear": _linear,
    _NN + "nll_loss": _class_losses,
    _NN + "prelu": _prelu,
    _NN + "group_norm": _inputs(0, 1, 2, extra=2),
    _NN + "embedding": _inputs(1),
    _NN + "_embedding_bag": _inputs(1, 3),
    _NN + "pad": _unless(_inputs(0), "circular"),
    _NN + "interpolate": _unless(_inputs(0), "area"),
}  # fmt: skip
"""Rules by the name of our op."""


_OTHERWISE = frozenset(["AdaptiveLogSoftmaxWithLoss"])
"""Modules whose last op is another in PyTorch, though both are known."""


def last_step(node: Any, module: Any) -> LastStep:
    """Returns how PyTorch sees the op of a node of the tape; NotImplementedError where it is not known."""
    step = getattr(node, "step", None) if type(node) is Node else None
    name = getattr(getattr(step, "op", None), "name", "")
    rule = _RULES.get(name)
    known = rule is not None and step is not None and type(module).__name__ not in _OTHERWISE
    found = rule(step) if known else None  # type: ignore[misc, union-attr]
    if (
        found is not None
        and found.viewed is None
        and not set(step.taped.edges) <= {s.place for s in found.slots}
    ):  # type: ignore[union-attr]
        found = None  # a gradient that the rule does not know of
    if found is None:
        raise NotImplementedError(
            f"register_backward_hook: the module's forward ends in {name or node.name()}, of which it is not known here what gradients "
            "PyTorch's last op has; use register_full_backward_hook, which is called with those of the module's own inputs and outputs"
        )
    return found


def register_on_last_step(
    module: Any, result: Tensor, hooks: Sequence[Callable]
) -> tuple[GradFn, set] | None:
    """Calls the hooks with (module, gradients at the op that made `result`, gradient of result) when its node has run.

    Returns the node, and the set of those that lead to it in PyTorch ("another" for one that is not on this tape); None for a leaf.
    """
    if result.grad_fn is None:
        return None
    node, out = result._edge  # type: ignore[misc]
    step, found = node.step if type(node) is Node else None, last_step(node, module)
    edges: list[int] = step.taped.edges  # type: ignore[union-attr]
    avals = [step.applied.inputs[i] for i in edges]  # type: ignore[union-attr]
    reference = weakref.ref(module)
    for hook in hooks:
        result.grad_fn.register_hook(_called_as_by_torch(hook, reference, found, edges, avals, out))
    before: set = set()
    if found.viewed is not None:
        before.add("another")
    for slot in found.slots:
        with_edge = slot.place in edges
        other = slot.turned or slot.shape is not None
        edge = node.edges[edges.index(slot.place)] if with_edge else None  # type: ignore[arg-type]
        before.add(None if edge is None else "another" if other else GradFn.of(edge))
    return result.grad_fn, before


def _called_as_by_torch(
    hook: Callable, reference: weakref.ref, found: LastStep, edges: list[int], avals: list, out: int
) -> Callable:
    """A hook on our node that calls `hook` with what PyTorch's node would have. It refers to neither node nor module."""
    name = getattr(hook, "__name__", "<unknown>")

    def called(grad_inputs: Sequence, grad_outputs: Sequence) -> list | None:
        module = reference()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        grad = grad_outputs[out]
        given = _shown(found, edges, grad_inputs, grad)
        replaced = hook(module, given, (grad, *[None] * found.extra))
        if replaced is None:
            return None
        if not isinstance(replaced, tuple):
            raise TypeError(f"expected tuple, but hook returned '{type(replaced).__name__}'")
        if len(replaced) != len(given):
            raise RuntimeError(
                f"hook '{name}' has returned an incorrect number of values (got {len(replaced)}, but expected {len(given)})"
            )
        if any(r is not None and g is None for r, g in zip(replaced, given)):
            raise RuntimeError("can't replace a None gradient with a non-None value")
        if found.viewed is not None:
            raise NotImplementedError(
                "register_backward_hook: the gradient of what PyTorch's forward views last cannot be replaced here; use "
                "register_full_backward_hook"
            )
        taken = list(grad_inputs)
        for slot, new in zip(found.slots, replaced):
            if slot.place in edges:
                at = edges.index(slot.place)  # type: ignore[arg-type]
                taken[at] = slot.taken(new, avals[at]) if isinstance(new, Tensor) else new
        return taken

    called.__name__ = name
    return called


def _shown(found: LastStep, edges: list[int], grad_inputs: Sequence, grad: Any) -> tuple:
    if found.viewed is not None:
        return (None if grad is None else torch.reshape(grad, found.viewed),)
    by_place = dict(zip(edges, grad_inputs))
    grads = [None if slot.place is None else by_place.get(slot.place) for slot in found.slots]
    return tuple(None if g is None else slot.shown(g) for slot, g in zip(found.slots, grads))
