"""PassManager: runs passes in an order that constraints allow."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from ....api_names import listed
from ....nn.modules.module import Module
from ...graph_module import GraphModule
from .pass_base import PassResult

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]
__dir__ = listed(__name__, "GraphModule", "PassResult", "logger")

logger = logging.getLogger(__name__)


def pass_result_wrapper(fn: Callable) -> Callable:
    """Makes a function that changes a module, and returns nothing, a pass."""
    if fn is None:
        return None

    @wraps(fn)
    def wrapped(gm: Any) -> PassResult:
        result = fn(gm)
        if result is None:
            return PassResult(gm, True)
        if isinstance(result, PassResult):
            return result
        if isinstance(result, Module):
            return PassResult(result, True)  # type: ignore[arg-type]
        raise TypeError(f"a pass returns None, a module or a PassResult, got {type(result).__name__}")

    if not inspect.isfunction(fn):
        wrapped.__name__ = type(fn).__name__
    return wrapped


def this_before_that_pass_constraint(this: Callable, that: Callable) -> Callable[[Callable, Callable], bool]:
    """The constraint that one pass is never after the other: (a, b) -> whether a may be before b."""

    def allowed(a: Callable, b: Callable) -> bool:
        return a is not that or b is not this

    return allowed


class PassManager:
    """Runs passes one after the other, up to `steps` times while they change something.

    Args:
        passes: functions from a GraphModule to a PassResult.
        constraints: functions of two passes: whether the first may stand before the second.
        steps: how often all passes are run, at most; once by default.
        run_checks_after_each_pass: whether what was given to `add_checks` runs after each one, rather than at the end
            of each step.
        suppress_check_failures: whether what checks raise is only logged.
    """

    def __init__(
        self,
        passes: list[Callable] | None = None,
        constraints: list[Callable] | None = None,
        steps: int | None = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
    ):
        self.passes: list[Callable] = passes or []
        self.constraints: list[Callable] = constraints or []
        self.steps = steps or 1
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self._validated = False
        self._check: Callable[[Any], None] | None = None

    def add_pass(self, _pass: Callable) -> None:
        """Adds a pass at the end."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Callable) -> None:
        """Adds a constraint."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self) -> None:
        """Raises RuntimeError where the order of the passes breaks a constraint."""
        if self._validated:
            return
        for constraint in self.constraints:
            for i, this in enumerate(self.passes):
                for that in self.passes[i + 1 :]:
                    if not constraint(this, that):
                        raise RuntimeError(
                            f"pass schedule constraint violated. Expected {that} before {this} but found {this} at index {i} and {that} "
                            f"at index{self.passes.index(that)} in pass list."
                        )
        self._validated = True

    def solve_constraints(self) -> None:
        """Puts the passes into an order that all constraints allow; among the possible next passes, the first in the
        list is taken."""
        left = list(self.passes)
        ordered: list[Callable] = []
        while left:
            free = [
                p for p in left
                if all(constraint(p, q) for constraint in self.constraints for q in left if q is not p)
            ]  # fmt: skip
            if not free:
                raise RuntimeError(f"Circular dependency detected within the following passes: {left}")
            ordered.append(free[0])
            left.remove(free[0])
        self.passes = ordered
        self._validated = True

    def add_checks(self, check: Callable[[Any], None]) -> None:
        """Sets a function of the module that raises where it is not as it should be."""
        parameters = list(inspect.signature(check).parameters.values())
        if len(parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        self._check = check

    def check(self, module: Module) -> None:
        """Calls the check, if there is one."""
        if self._check is not None:
            self._check(module)

    def _run_check(self, module: Any, when: str) -> None:
        try:
            self.check(module)
        except Exception:
            if not self.suppress_check_failures:
                raise
            logger.exception("check failed %s", when)

    def __call__(self, module: Module) -> PassResult:
        if not self._validated:
            self.solve_constraints()
        self._run_check(module, "before passes")
        changed = False
        at: Any = module
        for _ in range(self.steps):
            modified = False
            for i, one in enumerate(self.passes):
                name = getattr(one, "__name__", type(one).__name__)
                try:
                    result = one(at)
                    if not isinstance(result, PassResult) and not hasattr(result, "graph_module"):
                        raise TypeError(
                            f"The result of the pass {name} should be type PassResult.Please wrap it with pass_result_wrapper()"
                        )
                except Exception as error:
                    before = [getattr(p, "__name__", type(p).__name__) for p in self.passes[:i]]
                    raise Exception(  # as PyTorch's
                        f"An error occurred when running the '{name}' pass after the following passes: {before}"
                    ) from error
                at = result.graph_module
                modified = modified or result.modified
                if isinstance(at, GraphModule):
                    at.recompile()
                if self.run_checks_after_each_pass:
                    self._run_check(at, f"after {name}")
            if not self.run_checks_after_each_pass:
                self._run_check(at, "after passes")
            changed = changed or modified
            if not modified:
                break
        return PassResult(at, changed)
