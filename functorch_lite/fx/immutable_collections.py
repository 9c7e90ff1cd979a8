"""Lists and dicts that cannot be changed: what `Node.args` and `Node.kwargs` are made of, so that a Node knows all its
inputs."""

from __future__ import annotations

from typing import Any, NoReturn

from ..api_names import listed
from ..utils._pytree import register_pytree_node

__all__ = ["immutable_dict", "immutable_list"]
__dir__ = listed(__name__)

_HOW = (
    "{} object does not support mutation. If you are attempting to modify the kwargs or args of a torch.fx.Node object,\n"
    "instead create a new copy of it and assign the copy to the node:\n\n"
    "    new_args = ...  # copy and mutate args\n"
    "    node.args = new_args"
)


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(_HOW.format(repr(type(self).__name__)))


class immutable_list(list):
    """A list that cannot be changed."""

    append = clear = extend = insert = pop = remove = reverse = sort = _refuse  # type: ignore[assignment]
    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple:
        return immutable_list, (tuple(self),)


class immutable_dict(dict):
    """A dict that cannot be changed."""

    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]
    __delitem__ = __ior__ = __setitem__ = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple:
        return immutable_dict, (tuple(self.items()),)


register_pytree_node(
    immutable_list,
    lambda x: (list(x), None),
    lambda children, _: immutable_list(children),
    serialized_type_name="torch.fx.immutable_collections.immutable_list",
)
register_pytree_node(
    immutable_dict,
    lambda x: (list(x.values()), list(x)),
    lambda children, keys: immutable_dict(zip(keys, children)),
    serialized_type_name="torch.fx.immutable_collections.immutable_dict",
)
