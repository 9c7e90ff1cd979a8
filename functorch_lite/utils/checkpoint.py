"""torch.utils.checkpoint: computes intermediate results again in backward instead of keeping them.

The checkpointed function is run once and recorded; `jax.checkpoint` of the recording is one op. So the draws of a
dropout are inputs of that op, and what is computed again is the same by construction; gradients, transforms of
`torch.func` and checkpoints within checkpoints all work. Side effects that torch produces by running the function
twice are reproduced: a buffer that the function updates (the running statistics of batch_norm) is updated once more
in backward. A function that no op can stand for is run twice, as torch does it: see `_twice.py`.
"""

from __future__ import annotations

import contextlib
import enum
import warnings
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from .._core.api import NotOneOp, Tensor, state, tidied
from ..api_names import listed, lookup_of
from ..autograd import no_grad
from ..random import get_rng_state, set_rng_state
from ._remat import Budget, OpCall, rematerialized
from ._twice import CheckpointError, run_twice, run_twice_reentrant

__all__ = [
    "CheckpointError", "CheckpointFunction", "CheckpointPolicy", "DefaultDeviceType", "SelectiveCheckpointContext",
    "check_backward_validity", "checkpoint", "checkpoint_sequential", "create_selective_checkpoint_contexts", "detach_variable",
    "get_device_states", "noop_context_fn", "set_checkpoint_debug_enabled", "set_checkpoint_early_stop", "set_device_states",
]  # fmt: skip
__dir__ = listed(__name__)

_SAY_WHICH = (
    "{}: the use_reentrant parameter should be passed explicitly. {} use_reentrant=False is recommended, but if you need to preserve "
    "the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences between the two "
    "variants."
)
_NO_POLICY = (
    "checkpoint: the results that a selective checkpoint keeps are those of recorded ops, which this function is not made of alone: {}. "
    "Leave context_fn out, and checkpoint the parts of the function whose results are not to be kept."
)

_early_stop: bool | None = None
_debug: bool | None = None


def noop_context_fn() -> tuple[contextlib.AbstractContextManager, contextlib.AbstractContextManager]:
    """The default context_fn: two contexts that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns when no tensor among `inputs` requires grad.

    Args:
        inputs: the arguments to look at: an iterable.
    """
    if not any(x.requires_grad for x in inputs if isinstance(x, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs with tensors detached; they require grad as before.

    Args:
        inputs: a tuple of tensors and other values.
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}"
        )
    out = []
    for x in inputs:
        if isinstance(x, Tensor):
            fresh = x.detach()
            fresh.requires_grad = x.requires_grad
            x = fresh
        out.append(x)
    return tuple(out)


@tidied
def checkpoint(
    function: Callable,
    *args,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs,
) -> Any:
    """Calls function(*args, **kwargs) without saving what its backward needs: that is computed again in backward.

    The function runs once and is recorded, unless it does something that one op cannot do: it applies an
    autograd.Function, registers hooks on (or retains gradients of) tensors that it computes, enters
    saved_tensors_hooks, or writes to captured tensors. It then starts again from its beginning, and runs a second
    time in backward; later calls do so from the start. Inside a transform of torch.func such a function is called
    without checkpointing. Attributes that a recorded function sets to tensors it computes (except buffers of modules)
    cannot be used after it has returned: pass debug=True. Buffers are updated once.

    Args:
        function: the function; it is called with the further arguments.
        use_reentrant: False is recommended. True follows PyTorch's rules for that variant: no keyword arguments, and
            the result requires grad when a tensor argument does, whatever else the function uses (with a warning when
            none does). Unlike in PyTorch, it works with autograd.grad, and grad mode is enabled inside. None (the
            default) warns and means True, as in PyTorch.
        context_fn: a function that returns two contexts, for the first and the second run, or
            `create_selective_checkpoint_contexts(...)`, which chooses which results are saved. Its MUST_SAVE and
            MUST_RECOMPUTE hold with `policy` as well.
        determinism_check: "default" raises CheckpointError if a second run saves tensors of other shapes or dtypes;
            "none" does not check.
        debug: whether the function runs twice, and not as a recording. Default: False.
        early_stop: whether the second run ends as soon as all needed values are computed; see
            set_checkpoint_early_stop. Default: True.
        preserve_rng_state: a keyword; whether a function that runs twice draws the same random numbers again (a recorded
            one always does). Default: True.
        policy: a keyword; "auto" chooses the saved results so that they fit a share of the memory, and as little as
            possible has to be computed again.
        budget: a keyword beside `policy="auto"`: that share, from 0, which saves only the inputs, to 1, the fastest
            choice. By default `torch._functorch.config.activation_memory_budget`. See docs/memory.md, and
            `functorch_lite.debug.residuals` for what is saved.

    >>> x = torch.ones(3, requires_grad=True)
    >>> checkpoint(torch.sin, x, use_reentrant=False).sum().backward()
    >>> checkpoint(torch.sin, x, policy="auto", budget=0.5).sum().backward()
    """
    auto = isinstance(kwargs.get("policy"), str) and kwargs["policy"] == "auto"
    budget = None
    if auto:
        del kwargs["policy"]
        budget = kwargs.pop("budget", None)
        use_reentrant = bool(use_reentrant)
    if use_reentrant is None:
        when = "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception."
        warnings.warn(_SAY_WHICH.format("torch.utils.checkpoint", when), stacklevel=3)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if auto:
        return _budgeted(function, args, kwargs, context_fn, use_reentrant, debug, budget)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return _reentrant(function, args, preserve)
    debug = debug if _debug is None else _debug
    if debug and context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    if determinism_check not in ("default", "none"):
        raise ValueError(
            f"determinism_check should be one of ['default', 'none'], but got {determinism_check}"
        )
    contexts = context_fn()
    policy = contexts[0].mark if isinstance(contexts[0], _SelectiveContext) else None
    if not state.grad:
        return function(*args, **kwargs)
    stop = early_stop if _early_stop is None else _early_stop
    plain = policy is not None or all(type(c) is contextlib.nullcontext for c in contexts)
    if plain and not debug and not _is_remembered(function):
        before = get_rng_state()
        try:
            return rematerialized(function, args, kwargs, reentrant=False, early_stop=stop, policy=policy)
        except NotOneOp as reason:
            _give_up(function, reason, before)
            if policy is not None:
                raise NotImplementedError(_NO_POLICY.format(reason)) from None
    elif policy is not None:
        raise NotImplementedError(_NO_POLICY.format("it has done other things before"))
    if state.rec.kind.one_op:
        raise NotOneOp("a checkpoint inside runs its function twice")
    if state.rec.level:
        with contexts[0]:
            return function(*args, **kwargs)
    return run_twice(function, args, kwargs, contexts, stop, preserve, determinism_check == "default")


def _budgeted(
    function: Callable, args: tuple, kwargs: dict, context_fn: Callable, use_reentrant: bool, debug: bool, budget: float | None
) -> Any:  # fmt: skip
    if use_reentrant or (debug if _debug is None else _debug):
        raise ValueError('checkpoint: policy="auto" is for use_reentrant=False, without debug')
    contexts = context_fn()
    selective = isinstance(contexts[0], _SelectiveContext)
    if not selective and not all(type(c) is contextlib.nullcontext for c in contexts):
        raise ValueError(
            'checkpoint: with policy="auto", context_fn must return the contexts of create_selective_checkpoint_contexts'
        )
    chosen = Budget(budget)
    if not state.grad:
        return function(*args, **kwargs)
    before = get_rng_state()
    try:
        policy = contexts[0].mark if selective else None
        return rematerialized(function, args, kwargs, reentrant=False, policy=policy, budget=chosen)
    except NotOneOp as reason:
        set_rng_state(before)
        if state.rec.kind.one_op:
            raise
        raise NotImplementedError(_NO_POLICY.format(reason)) from None


def _reentrant(function: Callable, args: tuple, preserve: bool) -> Any:
    takes_gradient = state.rec.level > 0  # a transform's: its tensors carry no flag
    if not takes_gradient:
        check_backward_validity(args)
        takes_gradient = any(isinstance(x, Tensor) and x.requires_grad for x in args)
    if not (state.grad and takes_gradient):
        with no_grad():
            return function(*args)
    if not _is_remembered(function):
        before = get_rng_state()
        try:
            return rematerialized(function, args, {}, reentrant=True)
        except NotOneOp as reason:
            _give_up(function, reason, before)
    if state.rec.kind.one_op:
        raise NotOneOp("a checkpoint inside runs its function twice")
    if state.rec.level:
        return function(*args)
    return run_twice_reentrant(function, args, preserve)


# -- functions that no op can stand for ------------------------------------------------------------------------------

_run_twice: weakref.WeakSet[Any] = weakref.WeakSet()
"""Modules, and code of functions, that were found to do what one op cannot."""


def _name(function: Callable) -> Any:
    """Returns the key under which a function is remembered: its code, or the object that is called."""
    while isinstance(function, partial):
        function = function.func
    function = getattr(function, "__func__", function)
    return getattr(function, "__code__", function)


def _is_remembered(function: Callable) -> bool:
    try:
        return bool(_run_twice) and _name(function) in _run_twice
    except TypeError:  # it has no hash, or can not be referred to weakly
        return False


def _give_up(function: Callable, reason: NotOneOp, rng: Tensor) -> None:
    """Remembers the function, and takes back the draws that it made."""
    set_rng_state(rng)
    if state.rec.kind.one_op:
        raise reason  # the checkpoint around this one is run twice, and this one within it
    with contextlib.suppress(TypeError):
        _run_twice.add(_name(function))


class CheckpointFunction:
    """torch's autograd.Function of the reentrant variant: `CheckpointFunction.apply(function, preserve_rng_state,
    *args)`."""

    @staticmethod
    def apply(run_function: Callable, preserve_rng_state: bool, *args) -> Any:
        """checkpoint(run_function, *args, use_reentrant=True)."""
        return checkpoint(run_function, *args, use_reentrant=True, preserve_rng_state=preserve_rng_state)


@tidied
def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs
) -> Any:
    """Runs a Sequential (or a list of functions) in `segments` pieces, all but the last of them checkpointed.

    Args:
        functions: a Sequential, or a list of functions.
        segments: the number of pieces.
        input: the argument of the first function.
        use_reentrant: as in `checkpoint`. None is the default.

    >>> model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    >>> checkpoint_sequential(model, 2, torch.ones(1, 4, requires_grad=True), use_reentrant=False).shape
    torch.Size([1, 4])
    """
    if use_reentrant is None:
        when = "In version 2.9 we will raise an exception if use_reentrant is not passed."
        warnings.warn(_SAY_WHICH.format("torch.utils.checkpoint.checkpoint_sequential", when), stacklevel=3)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    pieces = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(pieces) // segments
    if size == 0:
        raise ValueError(
            f"checkpoint_sequential: {len(pieces)} functions cannot be cut into {segments} segments"
        )

    def piece(start: int, end: int) -> Callable:
        def run(x):
            for f in pieces[start:end]:
                x = f(x)
            return x

        return run

    start = 0
    for _ in range(segments - 1):
        run = piece(start, start + size)
        input = checkpoint(run, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
        start += size
    return piece(start, len(pieces))(input)


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool):
    """A context that says, for checkpoint(use_reentrant=False), whether torch's recomputation stops once it has what it
    needs.

    In a recorded function nothing is computed that is not needed. It makes a difference for a buffer that is updated at
    the end of the function: with early stop it is updated once, else twice.

    Args:
        enable: whether the second run may end early.
    """
    global _early_stop
    before, _early_stop = _early_stop, bool(enable)
    try:
        yield
    finally:
        _early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None):
    """A context that overrides checkpoint's `debug`: with it functions run twice, and differences are found.

    Args:
        enabled: whether `debug=True` is the default; None leaves it to the calls.
    """
    global _debug
    before, _debug = _debug, enabled
    try:
        yield
    finally:
        _debug = before


# -- which results are kept ------------------------------------------------------------------------------------------


class CheckpointPolicy(enum.Enum):
    """Answer of a policy about an op's results. "Prefer" and "must" are alike, but where a budget chooses
    (`policy="auto"`), which may overrule what is preferred: a result that PREFER_SAVE is for runs again where memory is
    short, and one that PREFER_RECOMPUTE is for is kept where the budget has room and running it again costs much.

    On a CPU, results that should be offloaded to the CPU are kept; on a different device NotImplementedError says so.
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """The first argument of a policy: `op_output`, and `is_recompute`, which is False (a policy is asked once).

    Args:
        is_recompute: whether the policy is asked during the second run: always False.
        op_output: the result of the op. None is the default.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None):
        self.is_recompute = is_recompute
        self.op_output = op_output


class _SelectiveContext(contextlib.nullcontext):
    """The forward context of a selective checkpoint."""

    def __init__(self, policy: Callable):
        super().__init__()
        self.policy = policy

    def mark(self, rec, step) -> str:
        """Asks the policy about the results of a recorded step, and returns a mark of `_remat.MARKS`."""
        call = OpCall(rec, step)
        context = SelectiveCheckpointContext(is_recompute=False, op_output=call.output)
        chosen = self.policy(context, call.function, *call.args)
        if isinstance(chosen, bool):
            return "must save" if chosen else "prefer recompute"
        if not isinstance(chosen, CheckpointPolicy):
            raise TypeError(
                f"a checkpoint policy must return a CheckpointPolicy or a bool, got {type(chosen)}"
            )
        if chosen in (CheckpointPolicy.MUST_CPU_OFFLOAD, CheckpointPolicy.PREFER_CPU_OFFLOAD):
            if any(a.device.type != "cpu" for a in step.avals):
                raise NotImplementedError(
                    f"checkpoint: {chosen} is not supported for results on {step.avals[0].device}; use MUST_SAVE to save them on the device, or torch.autograd.graph.save_on_cpu around the function instead of a checkpoint"
                )
            return "must save"
        return chosen.name.lower().replace("_", " ")


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable | Sequence[Callable], allow_cache_entry_mutation: bool = False
) -> tuple[Any, Any]:
    """Makes the pair that a context_fn of checkpoint returns to choose, op by op, which results are kept.

    The functions are this library's (torch.nn.functional.linear, where PyTorch's dispatcher would see aten.addmm); an
    op without a public function, such as a derivative taken inside, is passed as the recorded op. Values are
    immutable: allow_cache_entry_mutation changes nothing.

    Args:
        policy_fn_or_list: functions whose results are kept, such as [torch.mm]; or policy(ctx,
            function, *args) -> CheckpointPolicy.
        allow_cache_entry_mutation: accepted for compatibility; it changes nothing, because values
            are immutable. Default: False.

    >>> keep_products = lambda: create_selective_checkpoint_contexts([torch.mm])
    >>> x = torch.eye(2, requires_grad=True)
    >>> checkpoint(lambda x: torch.mm(x, x).sin().sum(), x, use_reentrant=False, context_fn=keep_products).backward()
    """
    if isinstance(policy_fn_or_list, list | tuple):
        kept = list(policy_fn_or_list)
        for f in kept:
            if not callable(f):
                raise ValueError(
                    f"Expected functions in the list of ops to be kept, but got: {f} of type {type(f)}"
                )

        def policy(ctx, op, *args):
            found = op in kept
            return CheckpointPolicy.MUST_SAVE if found else CheckpointPolicy.PREFER_RECOMPUTE

    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    return _SelectiveContext(policy), contextlib.nullcontext()


# -- states of devices' generators -----------------------------------------------------------------------------------


class DefaultDeviceType:
    """The device type whose generators torch preserves when no argument says which.

    Here one generator serves all devices."""

    _default = "cuda"

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Sets it."""
        DefaultDeviceType._default = device

    @staticmethod
    def get_device_type() -> str:
        """Returns the device type that was set."""
        return DefaultDeviceType._default


def get_device_states(*args) -> tuple[list[int], list[Tensor]]:
    """Devices of the tensors in `args` that have a generator of their own, and its states: none, see
    torch.get_rng_state."""
    return [], []


def set_device_states(
    devices: Sequence[int], states: Sequence[Tensor], *, device_type: str | None = None
) -> None:
    """Restores what get_device_states gave.

    Args:
        devices: the indices of the devices.
        states: the states, as get_device_states returns them.
        device_type: the type of the devices. None (the default) is that of the accelerator.
    """
    if len(devices) or len(states):
        raise RuntimeError(
            "one generator serves all devices: use torch.get_rng_state and torch.set_rng_state"
        )


__getattr__ = lookup_of(__name__)
