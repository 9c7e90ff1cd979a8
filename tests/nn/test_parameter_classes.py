"""Classes derived from Parameter, Buffer and Tensor, as packages write them, and what is kept of what was set on them.
Values are PyTorch's."""

from __future__ import annotations

import copy
import pickle

import jax
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.utils import _pytree as pytree


class Rated(nn.Parameter):
    """With an argument of its own that `__init__` does not know."""

    def __new__(cls, data, rate=0.5, requires_grad=True):
        made = super().__new__(cls, data, requires_grad=requires_grad)
        made.rate = rate
        return made


class Quantized(nn.Parameter):
    """As bitsandbytes writes its weights."""

    def __new__(cls, data=None, requires_grad=False, quant_state=None, blocksize=64):
        if data is None:
            data = torch.empty(0)
        self = torch.Tensor._make_subclass(cls, data, requires_grad)
        self.blocksize, self.quant_state = blocksize, quant_state
        return self

    def __getstate__(self):
        state = self.__dict__.copy()
        state["data"], state["requires_grad"] = self.data, self.requires_grad
        return state

    def __setstate__(self, state):
        self.requires_grad, self.data = state["requires_grad"], state["data"]
        self.blocksize, self.quant_state = state["blocksize"], state["quant_state"]

    def __deepcopy__(self, memo):
        new = type(self).__new__(type(self))
        new.__setstate__(self.__getstate__())
        new.data = copy.deepcopy(self.data)
        return new


class OnManifold(torch.Tensor):
    """As geoopt writes its tensors."""

    def __new__(cls, *args, manifold="E", requires_grad=False, **kwargs):
        if len(args) == 1 and isinstance(args[0], torch.Tensor):
            data = args[0].data
        else:
            data = torch.Tensor.__new__(cls, *args, **kwargs)
        made = torch.Tensor._make_subclass(cls, data, requires_grad)
        made.manifold = manifold
        return made


class ManifoldParameter(OnManifold, nn.Parameter):
    def __new__(cls, data, manifold=None, requires_grad=True):
        made = torch.Tensor._make_subclass(cls, data, requires_grad)
        made.manifold = manifold
        return made


class WithInit(torch.Tensor):
    __slots__ = ("k",)

    def __new__(cls, x, extra, k=1):
        return super().__new__(cls, x)

    def __init__(self, x, extra, k=1):
        self.extra, self.k = extra, k


class Wrapper(torch.Tensor):
    def __new__(cls, elem):
        made = torch.Tensor._make_wrapper_subclass(cls, elem.shape, dtype=elem.dtype, device=elem.device)
        made.elem = elem
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return NotImplemented

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in (torch.add, torch.Tensor.add, torch.Tensor.__add__):
            return super().__torch_function__(func, types, args, kwargs)
        return cls(func(*[a.elem if isinstance(a, cls) else a for a in args], **(kwargs or {})))


def test_classes_with_arguments_of_their_own():
    p = Rated(torch.ones(2), rate=0.1)
    assert (type(p), p.rate, p.requires_grad, vars(p)) == (Rated, 0.1, True, {"rate": 0.1})
    q = copy.deepcopy(Quantized(torch.ones(2), blocksize=32))
    assert (type(q), q.blocksize, q.tolist()) == (Quantized, 32, [1.0, 1.0])
    m = ManifoldParameter(torch.ones(2), manifold="S")
    assert isinstance(m, nn.Parameter) and isinstance(m, OnManifold) and m.manifold == "S"
    assert OnManifold(2, 3, manifold="q").shape == (2, 3)
    t = WithInit([1.0, 2.0], 7, k=3)
    assert (t.extra, t.k, vars(t), type(t + 1)) == (7, 3, {"extra": 7}, WithInit)
    layer = nn.Linear(2, 2)
    layer.weight = Rated(torch.ones(2, 2), 0.3)
    assert vars(layer.double().weight) == {"rate": 0.3} and layer.weight.dtype is torch.float64


def test_vars_are_what_was_set():
    p = nn.Parameter(torch.ones(3))
    x = torch.arange(3.0)
    for t in (p, p * 2, x, x[1:], x[0], x.view(3, 1), x.detach(), next(iter(x))):
        t.sum().item()
        assert vars(t) == {}
    (p * 2).sum().backward()
    p.register_hook(lambda g: g)
    p.requires_grad_(False)
    p.grad = torch.zeros(3)
    assert vars(p) == {}
    q = type(p)(p.to("meta"), **vars(p))  # as accelerate's init_empty_weights does
    assert q.device.type == "meta" and type(q) is nn.Parameter
    p.__dict__["a"] = 1
    q.__dict__ = p.__dict__.copy()
    assert (p.a, q.a) == (1, 1)
    assert vars(nn.Buffer(torch.ones(1))) == {"persistent": True, "_is_buffer": True}


def by_pickle(x):
    return pickle.loads(pickle.dumps(x))


@pytest.mark.parametrize("again", [by_pickle, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("make", [
    lambda: torch.ones(2), lambda: nn.Parameter(torch.ones(2)), lambda: nn.Parameter(torch.ones(2), False), lambda: nn.Buffer(torch.ones(2)),
    lambda: WithInit([1.0, 1.0], 7, k=3), lambda: OnManifold(torch.ones(2)), lambda: torch.ones(4)[::2], lambda: torch.ones(2, requires_grad=True),
])  # fmt: skip
def test_attributes_are_kept(make, again):
    x = make()
    x.tag, x._own = "x", [1]
    y = again(x)
    assert (type(y), y.requires_grad, y.tolist(), y.is_leaf) == (type(x), x.requires_grad, [1.0, 1.0], True)
    if isinstance(x, nn.Parameter) and again is copy.deepcopy:
        assert vars(y) == {}  # as in PyTorch: it calls the class anew
    else:
        assert vars(y) == vars(x) and getattr(y, "k", None) == getattr(x, "k", None)
    with torch.no_grad():
        y.add_(1)
    assert x.tolist() == ([2.0, 2.0] if again is copy.copy else [1.0, 1.0])  # whether they share memory


@pytest.mark.parametrize("again", [by_pickle, copy.copy])
def test_a_parameter_of_a_class_of_its_own_comes_back_as_a_parameter(again):
    p = again(Rated(torch.ones(2), 0.2))
    assert (type(p), vars(p)) == (nn.Parameter, {"rate": 0.2})
    assert repr(Rated(torch.ones(1))) == "Parameter containing:\nParameter(Rated([1.], requires_grad=True))"


def test_uninitialized_ones_are_copied():
    p = nn.UninitializedParameter()
    p.tag = 1
    with torch.no_grad():
        assert p.copy_(nn.UninitializedParameter()) is p
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        p.copy_(torch.ones(2))
    with torch.no_grad(), pytest.raises(RuntimeError, match="must match the size"):
        p.copy_(torch.ones(2))
    p.materialize((2,))
    assert vars(p) == {"tag": 1} and type(p) is nn.Parameter


def test_make_subclass():
    x = torch.ones(2)
    x.a = 1
    s = torch.Tensor._make_subclass(OnManifold, x)
    s.add_(1)
    assert x.tolist() == [2.0, 2.0] and vars(s) == {} and not s.requires_grad
    for wrong, kind, text in (
        ((int, x), TypeError, "does not inherit from Tensor"),
        ((OnManifold, [1.0]), TypeError, "must be Tensor, not list"),
        ((OnManifold, x, 3), TypeError, "must be bool, not int"),
        (
            (OnManifold, torch.ones(1, dtype=torch.int64), True),
            RuntimeError,
            "Only Tensors of floating point and complex",
        ),
    ):
        with pytest.raises(kind, match=text):
            torch.Tensor._make_subclass(*wrong)
    with pytest.raises(TypeError, match="invalid combination"):
        torch.Tensor([1.0], foo=1)


def test_wrappers_have_a_shape_and_no_values():
    w = Wrapper(torch.ones(2, 3))
    assert (w.shape, w.dtype, w.dim(), w.stride(), list(vars(w))) == (
        (2, 3),
        torch.float32,
        2,
        (3, 1),
        ["elem"],
    )
    assert (w + 1).elem.tolist() == [[2.0] * 3] * 2
    for use in (torch.sum, lambda w: w[0]):
        with pytest.raises(TypeError, match="Multiple dispatch failed"):
            use(w)
    for use in (repr, torch.Tensor.tolist):
        with pytest.raises(RuntimeError, match="_make_wrapper_subclass made"):
            use(w)
    with pytest.raises(TypeError, match="OnManifold must define __torch_dispatch__"):
        torch.Tensor._make_wrapper_subclass(OnManifold, (2,))
    with pytest.raises(NotImplementedError, match="strides"):
        torch.Tensor._make_wrapper_subclass(Wrapper, (2, 3), strides=(1, 2))


def test_members_of_a_module_are_a_dict_to_trees():
    members = nn.Linear(2, 2)._parameters
    assert len(pytree.tree_leaves(members)) == len(jax.tree.leaves(members)) == 2
    assert pytree.tree_structure(members) == pytree.tree_structure(dict(members))
    assert type(pytree.tree_map(lambda x: x, members)) is dict is type(jax.tree.map(lambda x: x, members))
    both = pytree.tree_map(lambda a, b: (a - b).sum().item(), dict(members), members)
    assert both == {"weight": 0.0, "bias": 0.0}
    (path, _), *_ = jax.tree_util.tree_leaves_with_path(members)
    assert path == (jax.tree_util.DictKey("bias"),)
    optree = pytest.importorskip("optree")
    members = nn.Linear(2, 2)._parameters
    assert len(optree.tree_leaves(members)) == 2 and type(optree.tree_map(lambda x: x, members)) is dict
