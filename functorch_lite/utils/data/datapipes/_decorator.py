"""functional_datapipe: the name under which a step is called on the one before it."""

from __future__ import annotations

import inspect

from .datapipe import IterDataPipe, MapDataPipe

__all__ = ["functional_datapipe"]


class functional_datapipe:
    """A decorator of a class of datapipes, which every datapipe of its kind then has as a method: `pipe.name(…)` is
    `cls(pipe, …)`.

    TypeError for a class of another kind. enable_df_api_tracing has nothing to trace here.

    >>> from functorch_lite.utils.data.datapipes._decorator import functional_datapipe
    >>> from functorch_lite.utils.data.datapipes.datapipe import IterDataPipe
    >>> @functional_datapipe("doubled_in_the_example")
    ... class Doubled(IterDataPipe):
    ...     def __init__(self, source): self.source = source
    ...     def __iter__(self): return (2 * x for x in self.source)
    >>> class Numbers(IterDataPipe):
    ...     def __iter__(self): return iter(range(3))
    >>> list(Numbers().doubled_in_the_example())
    [0, 2, 4]
    """

    def __init__(self, name: str, enable_df_api_tracing: bool = False):
        self.name = name
        if enable_df_api_tracing:
            raise NotImplementedError(
                "functional_datapipe: data frames are not traced here; leave enable_df_api_tracing False"
            )

    def __call__(self, cls: type) -> type:
        if not (inspect.isclass(cls) and issubclass(cls, IterDataPipe | MapDataPipe)):
            raise TypeError("`functional_datapipe` can only decorate IterDataPipe or MapDataPipe")
        cls.register_datapipe_as_function(self.name, cls)
        return cls
