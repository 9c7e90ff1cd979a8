"""Ways to change what a function reads: each a world, made anew, with the function and what changes it after some
calls."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.nn import functional as F

WORLDS: dict[str, Callable[[], tuple[Callable, Callable]]] = {}
"""By name: makes (function of a tensor, what changes the world)."""
UNDO: list[Callable] = []
"""What is to be called when a world has ended, in reverse: it reached beyond itself."""


def world(make: Callable) -> Callable:
    WORLDS[make.__name__] = make
    return make


class Plain:
    scale = 2.0

    def __init__(self, **own: Any):
        self.__dict__.update(own)

    def double(self, x):
        return x * 2


class _Net(nn.Module):
    factor = 1.5

    def __init__(self):
        nn.Module.__init__(self)
        torch.manual_seed(1)
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.norm = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(0.5)
        self.register_buffer("shift", torch.ones(4))
        self.scale = 3.0
        self.options = {"bias": 1.0, "names": ["a", "b"]}
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
        self.plain = Plain(gain=2.0, inner=Plain(deep=[1.0, 2.0]))

    def helper(self, x):
        return x + 1

    @property
    def slope(self):
        return self.scale * 2

    def forward(self, x):
        x = torch.tanh(self.first(x)) * self.scale + self.shift * self.factor
        x = self.helper(x) * self.options["bias"] + len(self.options["names"])
        for layer in self.layers:
            x = F.relu(layer(x)) * self.plain.gain
        if self.training:
            x = x + 10
        return self.second(x) * self.slope + self.plain.inner.deep[1]


def _of_net(change: Callable[[Any], Any]) -> Callable:
    def make():
        net = types.new_class("Net", (_Net,), {}, lambda own: own.update(_Net.__dict__))()
        return net, lambda: change(net)

    return make


def _hook(module, args, out):
    return out * 7


NETS: dict[str, Callable[[Any], Any]] = {
    "attribute": lambda m: setattr(m, "scale", 5.0),
    "attribute_int": lambda m: setattr(m, "scale", 3),
    "attribute_deleted_and_set": lambda m: (delattr(m, "scale"), setattr(m, "scale", -3.0)),
    "dict_write": lambda m: m.__dict__.update(scale=9.0),
    "vars_write": lambda m: vars(m).__setitem__("scale", 9.5),
    "object_setattr": lambda m: object.__setattr__(m, "scale", 8.0),
    "instance_over_class": lambda m: setattr(m, "factor", 4.0),
    "class_attribute": lambda m: setattr(type(m), "factor", type(m).factor + 1),
    "train_flag": lambda m: m.eval(),
    "train_flag_alone": lambda m: setattr(m, "training", False),
    "parameter_replaced": lambda m: setattr(m.first, "weight", nn.Parameter(torch.ones(4, 4))),
    "parameter_to_none": lambda m: setattr(m.first, "bias", None),
    "parameter_registered": lambda m: m.first.register_parameter("bias", nn.Parameter(torch.full((4,), 3.0))),
    "parameter_in_place": lambda m: m.first.weight.data.mul_(2),
    "parameter_no_grad": lambda m: torch.no_grad()(lambda: m.first.weight.add_(1))(),
    "parameter_data": lambda m: setattr(m.first.weight, "data", torch.full((4, 4), 0.25)),
    "parameter_dtype": lambda m: m.first.weight.data.copy_(torch.ones(4, 4)),
    "parameter_frozen": lambda m: m.first.weight.requires_grad_(False),
    "all_frozen": lambda m: [p.requires_grad_(False) for p in m.parameters()],
    "registry_write": lambda m: m.first._parameters.__setitem__("weight", nn.Parameter(torch.ones(4, 4) * 2)),
    "registry_swap": lambda m: m._modules.update(first=m.second, second=m.first),
    "buffer_replaced": lambda m: setattr(m, "shift", torch.zeros(4)),
    "buffer_in_place": lambda m: m.shift.mul_(3),
    "module_replaced": lambda m: setattr(m, "second", nn.Identity()),
    "module_list_item": lambda m: m.layers.__setitem__(0, nn.Identity()),
    "module_list_append": lambda m: m.layers.append(nn.Identity()),
    "module_list_shorter": lambda m: m.layers.__delitem__(1),
    "module_list_extended": lambda m: m.layers.extend([nn.ReLU(), nn.Tanh()]),
    "forward_hook": lambda m: m.first.register_forward_hook(_hook),
    "forward_pre_hook": lambda m: m.first.register_forward_pre_hook(lambda m, a: (a[0] * 3,)),
    "hook_on_itself": lambda m: m.register_forward_hook(_hook),
    "hook_removed": lambda m: m.second.register_forward_hook(_hook).remove(),
    "parameter_hook": lambda m: m.first.weight.register_hook(lambda g: g * 2),
    "method_patched": lambda m: setattr(m, "helper", lambda x: x - 1),
    "method_of_class_patched": lambda m: setattr(type(m), "helper", lambda self, x: x - 2),
    "forward_of_class_patched": lambda m: setattr(type(m), "forward", lambda self, x: x * 0.125),
    "forward_patched": lambda m: setattr(m.first, "forward", lambda x: x * 0.5),
    "forward_of_instance": lambda m: setattr(m, "forward", lambda x: x * 0.25),
    "property_patched": lambda m: setattr(type(m), "slope", property(lambda self: 0.5)),
    "dict_entry": lambda m: m.options.__setitem__("bias", -1.0),
    "dict_replaced": lambda m: setattr(m, "options", {"bias": 2.0, "names": []}),
    "list_in_dict": lambda m: m.options["names"].append("c"),
    "plain_attribute": lambda m: setattr(m.plain, "gain", 4.0),
    "plain_replaced": lambda m: setattr(m, "plain", Plain(gain=1.0, inner=Plain(deep=[0.0, 0.0]))),
    "plain_dict": lambda m: m.plain.__dict__.__setitem__("gain", 0.5),
    "plain_dict_replaced": lambda m: setattr(m.plain, "__dict__", {"gain": 0.5, "inner": m.plain.inner}),
    "deep_list_item": lambda m: m.plain.inner.deep.__setitem__(1, 20.0),
    "deep_list_replaced": lambda m: setattr(m.plain.inner, "deep", [5.0, 6.0]),
    "class_of_instance": lambda m: setattr(
        m, "__class__", type("Other", (type(m),), {"helper": lambda self, x: x * 3})
    ),
    "loaded": lambda m: m.load_state_dict({k: torch.zeros_like(v) for k, v in m.state_dict().items()}),
    "double": lambda m: m.double().float(),
    "apply_": lambda m: m.apply(lambda k: [p.data.fill_(0.1) for p in k.parameters(recurse=False)]),
    "grad_set": lambda m: setattr(m.first.weight, "grad", torch.ones(4, 4)),
    "tied": lambda m: setattr(m.second, "weight", m.first.weight),
    "untied": lambda m: setattr(m.second, "weight", nn.Parameter(m.second.weight.detach().clone())),
    "to_half_and_back": lambda m: m.half().float(),
    "requires_grad_again": lambda m: (m.requires_grad_(False), m.requires_grad_(True)),
    "nothing": lambda m: None,
}
for _name, _change in NETS.items():
    WORLDS[f"net_{_name}"] = _of_net(_change)


def _namespace(code: str, **given: Any) -> dict[str, Any]:
    own: dict[str, Any] = {
        "__name__": __name__,
        "torch": torch,
        "nn": nn,
        "F": F,
        "np": np,
        "math": math,
        "functools": functools,
        **given,
    }
    exec(code, own)
    return own


def _of_code(code: str, change: Callable[[dict[str, Any]], Any], **given: Any) -> Callable:
    def make():
        made = {k: v() if callable(v) else v for k, v in given.items()}
        own = _namespace(code, **made)
        return own["f"], lambda: change(own)

    return make


def _set(**to: Any) -> Callable[[dict[str, Any]], None]:
    return lambda own: own.update(to)


CODES: dict[str, tuple] = {
    "global_number": ("a = 2.0\ndef f(x): return x * a", _set(a=3.0)),
    "global_int_to_float": ("a = 2\ndef f(x): return x * a", _set(a=2.0)),
    "global_sign_of_zero": ("a = 0.0\ndef f(x): return 1 / torch.full((4,), a)", _set(a=-0.0)),
    "global_bool": ("a = True\ndef f(x): return x + 1 if a else x - 1", _set(a=False)),
    "global_string": ("a = 'sum'\ndef f(x): return x.sum() if a == 'sum' else x.mean()", _set(a="mean")),
    "global_none": ("a = None\ndef f(x): return x if a is None else x * a", _set(a=2)),
    "global_tensor": ("a = torch.ones(4)\ndef f(x): return x * a", _set(a=torch.full((4,), 2.0))),
    "global_tensor_in_place": ("a = torch.ones(4)\ndef f(x): return x * a", lambda own: own["a"].mul_(5)),
    "global_tensor_item": ("a = torch.ones(4)\ndef f(x): return x * a", lambda own: own["a"].__setitem__(0, 9.0)),
    "global_tensor_dtype": ("a = torch.ones(4)\ndef f(x): return x * a", _set(a=torch.ones(4, dtype=torch.int64))),
    "global_tensor_shape": ("a = torch.ones(4)\ndef f(x): return x * a", _set(a=torch.ones(1))),
    "global_tensor_read": ("a = torch.ones(4)\ndef f(x): return x * a[0].item()", lambda own: own["a"].mul_(5)),
    "global_tensor_compared": ("a = torch.ones(4)\ndef f(x): return x * 2 if a.sum() > 3 else x", lambda own: own["a"].mul_(0)),
    "global_tensor_tolist": ("a = torch.ones(4)\ndef f(x): return x * sum(a.tolist())", lambda own: own["a"].mul_(5)),
    "global_tensor_numpy": ("a = torch.ones(4)\ndef f(x): return x * float(a.numpy()[0])", lambda own: own["a"].mul_(5)),
    "global_tensor_joined": ("a = torch.ones(4)\ndef f(x): return x * torch.stack([a[0], a[1], a[2], a[3]])", lambda own: own["a"].mul_(5)),
    "global_tensor_as_size": ("a = torch.tensor(2)\ndef f(x): return x.repeat(a)", lambda own: own["a"].add_(1)),
    "global_tensor_as_mask": ("a = torch.tensor([True, False, True, True])\ndef f(x): return x[a]", lambda own: own["a"].__setitem__(1, True)),
    "global_tensor_as_index": ("a = torch.tensor([0, 1])\ndef f(x): return x[a]", lambda own: own["a"].add_(1)),
    "global_tensor_as_int": ("a = torch.tensor(1)\ndef f(x): return x[a]", lambda own: own["a"].add_(1)),
    "global_tensor_repr": ("a = torch.ones(2)\ndef f(x): return x * len(repr(a))", lambda own: own["a"].mul_(1.2345)),
    "global_function": ("def g(x): return x * 2\ndef f(x): return g(x)", lambda own: exec("def g(x): return x * 5", own)),
    "global_functions_code": ("def g(x): return x * 2\ndef f(x): return g(x)", lambda own: setattr(own["g"], "__code__", (lambda x: x * 7).__code__)),
    "global_functions_defaults": ("def g(x, a=2): return x * a\ndef f(x): return g(x)", lambda own: setattr(own["g"], "__defaults__", (7,))),
    "global_functions_kwdefaults": ("def g(x, *, a=2): return x * a\ndef f(x): return g(x)", lambda own: own["g"].__kwdefaults__.update(a=7)),
    "own_defaults": ("def f(x, a=2): return x * a", lambda own: setattr(own["f"], "__defaults__", (7,))),
    "own_default_list": ("def f(x, a=[2]): return x * a[0]", lambda own: own["f"].__defaults__[0].__setitem__(0, 6)),
    "function_attribute": ("def g(x): return x * g.a\ng.a = 2\ndef f(x): return g(x)", lambda own: setattr(own["g"], "a", 4)),
    "closure_number": ("def make():\n a = 2\n def f(x): return x * a\n def change(): nonlocal a; a = 5\n return f, change\nf, change = make()", lambda own: own["change"]()),
    "closure_list": ("def make():\n a = [2]\n def f(x): return x * a[0]\n return f, a\nf, a = make()", lambda own: own["a"].__setitem__(0, 6)),
    "closure_of_callee": ("def make():\n a = 2\n def g(x): return x * a\n def change(): nonlocal a; a = 5\n return g, change\ng, change = make()\ndef f(x): return g(x)", lambda own: own["change"]()),
    "closure_tensor": ("def make():\n a = torch.ones(4)\n def f(x): return x * a\n return f, a\nf, a = make()", lambda own: own["a"].fill_(3)),
    "list_item": ("a = [1.0, 2.0]\ndef f(x): return x * a[1]", lambda own: own["a"].__setitem__(1, 4.0)),
    "list_longer": ("a = [1.0, 2.0]\ndef f(x): return x * sum(a)", lambda own: own["a"].append(4.0)),
    "list_order": ("a = [1.0, 2.0]\ndef f(x): return x * a[0]", lambda own: own["a"].reverse()),
    "list_of_tensors": ("a = [torch.ones(4), torch.zeros(4)]\ndef f(x): return x * a[0]", lambda own: own["a"].reverse()),
    "list_of_lists": ("a = [[1.0], [2.0]]\ndef f(x): return x * a[1][0]", lambda own: own["a"][1].__setitem__(0, 4.0)),
    "dict_value": ("a = {'k': 1.0}\ndef f(x): return x * a['k']", lambda own: own["a"].update(k=2.0)),
    "dict_longer": ("a = {'k': 1.0}\ndef f(x): return x * len(a)", lambda own: own["a"].update(j=2.0)),
    "dict_order": ("a = {'k': 1.0, 'j': 2.0}\ndef f(x): return x * list(a.values())[0]", lambda own: own["a"].update(k=own["a"].pop("k"))),
    "dict_int_keys": ("a = {1: 1.0}\ndef f(x): return x * a[1]", lambda own: own["a"].update({1: 2.0})),
    "dict_key_type": ("a = {1: 1.0}\ndef f(x): return x * list(a)[0]", lambda own: (own["a"].clear(), own["a"].update({3: 1.0}))),
    "set_member": ("a = {1, 2}\ndef f(x): return x * sum(a)", lambda own: own["a"].add(5)),
    "deque": ("import collections\na = collections.deque([1.0])\ndef f(x): return x * a[0]", lambda own: own["a"].appendleft(3.0)),
    "default_dict": ("import collections\na = collections.defaultdict(float, k=1.0)\ndef f(x): return x * a['k']", lambda own: own["a"].update(k=3.0)),
    "ordered_dict": ("import collections\na = collections.OrderedDict(k=1.0, j=2.0)\ndef f(x): return x * next(iter(a.values()))", lambda own: own["a"].move_to_end("k")),
    "simple_namespace": ("import types\na = types.SimpleNamespace(k=1.0)\ndef f(x): return x * a.k", lambda own: setattr(own["a"], "k", 2.0)),
    "data_class": ("import dataclasses\n@dataclasses.dataclass\nclass C:\n k: float = 1.0\na = C()\ndef f(x): return x * a.k", lambda own: setattr(own["a"], "k", 2.0)),
    "data_class_slots": ("import dataclasses\n@dataclasses.dataclass(slots=True)\nclass C:\n k: float = 1.0\na = C()\ndef f(x): return x * a.k", lambda own: setattr(own["a"], "k", 2.0)),
    "named_tuple": ("import collections\nT = collections.namedtuple('T', 'k')\na = T([1.0])\ndef f(x): return x * a.k[0]", lambda own: own["a"].k.__setitem__(0, 2.0)),
    "object": ("class C: pass\na = C()\na.k = 1.0\ndef f(x): return x * a.k", lambda own: setattr(own["a"], "k", 2.0)),
    "object_of_class": ("class C:\n k = 1.0\na = C()\ndef f(x): return x * a.k", lambda own: setattr(own["C"], "k", 2.0)),
    "object_of_base": ("class B:\n k = 1.0\nclass C(B): pass\na = C()\ndef f(x): return x * a.k", lambda own: setattr(own["B"], "k", 2.0)),
    "object_shadowed": ("class B:\n k = 1.0\nclass C(B): pass\na = C()\ndef f(x): return x * a.k", lambda own: setattr(own["C"], "k", 2.0)),
    "object_getattr": ("class C:\n def __init__(self): self.own = {'k': 1.0}\n def __getattr__(self, n): return self.own[n]\na = C()\ndef f(x): return x * a.k", lambda own: own["a"].own.update(k=2.0)),
    "object_call": ("class C:\n k = 1.0\n def __call__(self, x): return x * self.k\na = C()\ndef f(x): return a(x)", lambda own: setattr(own["C"], "__call__", lambda self, x: x * 9)),
    "object_len": ("class C:\n def __len__(self): return 3\na = C()\ndef f(x): return x * len(a)", lambda own: setattr(own["C"], "__len__", lambda self: 4)),
    "object_getitem": ("class C:\n def __getitem__(self, i): return 3.0\na = C()\ndef f(x): return x * a[0]", lambda own: setattr(own["C"], "__getitem__", lambda self, i: 4.0)),
    "object_add": ("class C:\n def __radd__(self, t): return t + 1\n__torch_function__ = None\na = 1.0\ndef f(x): return x + a", _set(a=2.0)),
    "object_dynamic": ("class C: pass\na = C()\na.k = 1.0\nname = 'k'\ndef f(x): return x * getattr(a, name)", lambda own: setattr(own["a"], "k", 2.0)),
    "object_dynamic_name": ("class C: pass\na = C()\na.k, a.j = 1.0, 5.0\nname = 'k'\ndef f(x): return x * getattr(a, name)", _set(name="j")),
    "object_vars": ("class C: pass\na = C()\na.k = 1.0\ndef f(x): return x * vars(a)['k']", lambda own: setattr(own["a"], "k", 2.0)),
    "bound_method": ("class C:\n k = 1.0\n def g(self, x): return x * self.k\na = C()\ng = a.g\ndef f(x): return g(x)", lambda own: setattr(own["a"], "k", 2.0)),
    "static_method": ("class C:\n @staticmethod\n def g(x): return x * 2\ndef f(x): return C.g(x)", lambda own: setattr(own["C"], "g", staticmethod(lambda x: x * 3))),
    "class_method": ("class C:\n k = 2\n @classmethod\n def g(c, x): return x * c.k\ndef f(x): return C.g(x)", lambda own: setattr(own["C"], "k", 3)),
    "descriptor": ("class D:\n k = 2.0\n def __get__(self, o, c): return self.k\nclass C:\n d = D()\na = C()\ndef f(x): return x * a.d", lambda own: setattr(own["D"], "k", 3.0)),
    "property_state": ("class C:\n _k = 2.0\n @property\n def k(self): return self._k\na = C()\ndef f(x): return x * a.k", lambda own: setattr(own["a"], "_k", 3.0)),
    "cached_property": ("class C:\n @functools.cached_property\n def k(self): return 2.0\na = C()\ndef f(x): return x * a.k", lambda own: own["a"].__dict__.update(k=3.0)),
    "own_list": ("class L(list):\n k = 2.0\na = L([1.0])\ndef f(x): return x * a[0] * a.k", lambda own: setattr(own["a"], "k", 3.0)),
    "own_list_item": ("class L(list):\n k = 2.0\na = L([1.0])\ndef f(x): return x * a[0] * a.k", lambda own: own["a"].__setitem__(0, 3.0)),
    "own_list_method": ("class L(list):\n k = 2.0\na = L([1.0])\ndef f(x): return x * a[0] * a.k", lambda own: setattr(own["L"], "__getitem__", lambda self, i: 7.0)),
    "own_dict": ("class D(dict):\n def __missing__(self, k): return 2.0\na = D()\ndef f(x): return x * a['k']", lambda own: setattr(own["D"], "__missing__", lambda self, k: 7.0)),
    "own_module_state": ("class M(nn.Module):\n def __init__(self):\n  super().__init__()\n  self.k = torch.zeros(1)\n def forward(self, x):\n  self.k = x[:1] + self.k\n  return self.k * x\nf = M()", lambda own: None),
    "index_out_of_range": ("a = torch.tensor([0, 3])\ndef f(x): return x[a]", lambda own: own.update(a=torch.tensor([0, 4]))),
    "embedding_out_of_range": ("w = torch.ones(5, 2)\na = torch.tensor([0, 3])\ndef f(x): return F.embedding(a, w) * x[0]", lambda own: own.update(a=torch.tensor([0, 5]))),
    "target_out_of_range": ("a = torch.tensor(3)\ndef f(x): return F.cross_entropy(x, a)", lambda own: own.update(a=torch.tensor(4))),
    "enum": ("import enum\nclass E(enum.Enum):\n A = 1\n B = 2\na = E.A\ndef f(x): return x * a.value", lambda own: own.update(a=own["E"].B)),
    "partial": ("def g(x, k): return x * k\na = [2.0]\nh = functools.partial(g, k=2.0)\ndef f(x): return h(x)", lambda own: own.update(h=functools.partial(own["g"], k=3.0))),
    "partial_list": ("def g(x, k): return x * k[0]\na = [2.0]\nh = functools.partial(g, k=a)\ndef f(x): return h(x)", lambda own: own["a"].__setitem__(0, 3.0)),
    "lru_cache": ("a = 2.0\n@functools.lru_cache\ndef g(k): return k * a\ndef f(x): return x * g(1)", lambda own: (own.update(a=3.0), own["g"].cache_clear())),
    "decorated": ("a = 2.0\ndef d(g):\n @functools.wraps(g)\n def h(*args): return g(*args) * a\n return h\n@d\ndef g(x): return x + 1\ndef f(x): return g(x)", _set(a=3.0)),
    "numpy_array": ("a = np.ones(4, np.float32)\ndef f(x): return x * torch.from_numpy(a)", lambda own: own["a"].__setitem__(0, 5)),
    "numpy_array_item": ("a = np.ones(4, np.float32)\ndef f(x): return x * float(a[0])", lambda own: own["a"].__setitem__(0, 5)),
    "numpy_array_large": ("a = np.ones(4000, np.float32)\ndef f(x): return x * torch.tensor(a[:4])", lambda own: own["a"].__setitem__(0, 5)),
    "numpy_scalar": ("a = np.float32(2)\ndef f(x): return x * a", _set(a=np.float32(3))),
    "module_patched": ("def f(x): return F.relu(x) * math.pi", lambda own: own.update(F=types.SimpleNamespace(relu=lambda x: x * 3))),
    "builtin_shadowed": ("def f(x): return x * abs(-2)", _set(abs=lambda k: 5)),
    "missing_global": ("def f(x):\n try:\n  return x * late\n except NameError:\n  return x", _set(late=5)),
    "lambda_": ("a = lambda x: x * 2\nf = lambda x: a(x)", _set(a=lambda x: x * 3)),
    "generator_expression": ("a = [1.0, 2.0]\ndef f(x): return sum(x * k for k in a)", lambda own: own["a"].append(3.0)),
    "iterator": ("a = iter([1.0, 2.0, 3.0] * 20)\ndef f(x): return x * next(a)", lambda own: None),
    "counter": ("n = 0\ndef f(x):\n global n\n n += 1\n return x * n", lambda own: None),
    "counter_object": ("class C: n = 0\na = C()\ndef f(x):\n a.n += 1\n return x * a.n", lambda own: None),
    "appended": ("a = []\ndef f(x):\n a.append(1)\n return x * len(a)", lambda own: None),
    "appended_unread": ("a = []\ndef f(x):\n a.append(x.shape[0])\n return x * 2", lambda own: None),
    "itertools_count": ("import itertools\na = itertools.count()\ndef f(x): return x * next(a)", lambda own: None),
    "python_random": ("import random\nrandom.seed(0)\ndef f(x): return x * random.random()", lambda own: None),
    "numpy_random": ("np.random.seed(0)\ndef f(x): return x * np.random.rand()", lambda own: None),
    "numpy_generator": ("r = np.random.default_rng(0)\ndef f(x): return x * r.random()", lambda own: None),
    "torch_random": ("torch.manual_seed(0)\ndef f(x): return x * torch.rand(4)", lambda own: None),
    "torch_random_seeded": ("torch.manual_seed(0)\ndef f(x): return x + torch.randn(4)", lambda own: torch.manual_seed(7)),
    "torch_random_inside": ("def f(x):\n torch.manual_seed(3)\n return x + torch.randn(4)", lambda own: None),
    "torch_generator": ("g = torch.Generator().manual_seed(3)\ndef f(x): return x + torch.randn(4, generator=g)", lambda own: own["g"].manual_seed(5)),
    "torch_generator_inside": ("def f(x): return x + torch.randn(4, generator=torch.Generator().manual_seed(3))", lambda own: None),
    "torch_random_state": ("torch.manual_seed(0)\ndef f(x): return x + torch.get_rng_state().sum().float() + torch.randn(4)", lambda own: None),
    "torch_randint": ("torch.manual_seed(0)\ndef f(x): return x[torch.randint(0, 4, (3,))]", lambda own: None),
    "torch_randperm": ("torch.manual_seed(0)\ndef f(x): return x[torch.randperm(4)]", lambda own: None),
    "dropout": ("torch.manual_seed(0)\ndef f(x): return F.dropout(x, 0.5)", lambda own: torch.manual_seed(1)),
    "time": ("import time\nt = time\nk = 0\ndef f(x): return x * (t.perf_counter() > k)", lambda own: own.update(k=1e30)),
    "environment": ("import os\nos.environ.pop('A_KEY_OF_TESTS', None)\ndef f(x): return x * len(os.environ.get('A_KEY_OF_TESTS', ''))", lambda own: __import__("os").environ.update(A_KEY_OF_TESTS="abc")),
    "version": ("a = torch.ones(4)\ndef f(x):\n a.add_(1)\n return x * a._version", lambda own: None),
    "write_to_global": ("a = torch.ones(4)\ndef f(x):\n a.add_(1)\n return x * a", lambda own: own["a"].zero_()),
    "write_to_view_of_global": ("a = torch.ones(4)\ndef f(x):\n a[0] += 1\n return x * a", lambda own: own["a"].zero_()),
    "write_to_argument": ("def f(x):\n y = x * 1\n y.mul_(2)\n return y", lambda own: None),
    "rebinds_global": ("a = torch.ones(4)\ndef f(x):\n global a\n a = a + x\n return a", lambda own: None),
    "grad_mode_inside": ("a = torch.ones(4, requires_grad=True)\nk = True\ndef f(x):\n with torch.set_grad_enabled(k):\n  return x * a", _set(k=False)),
    "grad_mode_left": ("def f(x):\n torch.set_grad_enabled(False)\n y = x * 2\n torch.set_grad_enabled(True)\n return y", lambda own: None),
    "default_dtype_inside": ("k = torch.float32\ndef f(x): return x * torch.ones(4, dtype=k)", _set(k=torch.float64)),
    "device_global": ("k = 'cpu'\ndef f(x): return x * torch.ones(4, device=k)", _set(k="meta")),
    "shape_global": ("k = (4,)\ndef f(x): return x * torch.ones(k)", _set(k=(1,))),
    "constant_made": ("k = [1.0, 2.0, 3.0, 4.0]\ndef f(x): return x * torch.tensor(k)", lambda own: own["k"].__setitem__(0, 5.0)),
    "linspace": ("k = 3\ndef f(x): return x.sum() * torch.linspace(0, 1, k)", _set(k=5)),
    "string_method": ("k = 'relu'\ndef f(x): return getattr(F, k)(x)", _set(k="tanh")),
    "eval_": ("k = 2\ndef f(x): return x * eval('k')", _set(k=3)),
    "exec_": ("k = 2\ndef f(x):\n own = {}\n exec('y = k', globals(), own)\n return x * own['y']", _set(k=3)),
    "imported_inside": ("import types, sys\nm = types.ModuleType('a_module_of_tests')\nm.k = 2\nsys.modules['a_module_of_tests'] = m\ndef f(x):\n import a_module_of_tests\n return x * a_module_of_tests.k", lambda own: setattr(own["m"], "k", 3)),
    "imported_from": ("import types, sys\nm = types.ModuleType('a_module_of_tests')\nm.k = 2\nsys.modules['a_module_of_tests'] = m\ndef f(x):\n from a_module_of_tests import k\n return x * k", lambda own: setattr(own["m"], "k", 3)),
    "exception": ("k = 1\ndef f(x):\n try:\n  return x * (1 / k)\n except ZeroDivisionError:\n  return x", _set(k=0)),
    "recursion": ("k = 3\ndef f(x, n=0): return x if n == k else f(x * 2, n + 1)", _set(k=4)),
    "requires_grad_of_global": ("a = torch.ones(4, requires_grad=True)\ndef f(x): return (x * a).requires_grad", lambda own: own["a"].requires_grad_(False)),
    "grad_read": ("a = torch.ones(4, requires_grad=True)\ndef f(x): return x if a.grad is None else x * a.grad", lambda own: setattr(own["a"], "grad", torch.full((4,), 3.0))),
    "grad_accumulated": ("a = torch.ones(4, requires_grad=True)\ndef f(x):\n (x * a).sum().backward()\n return a.grad.clone()", lambda own: setattr(own["a"], "grad", None)),
    "autograd_grad": ("a = torch.ones(4, requires_grad=True)\nk = 2\ndef f(x): return torch.autograd.grad((x * a ** k).sum(), a)[0]", _set(k=3)),
    "vmap_grad": ("k = 2.0\ndef f(x): return torch.func.vmap(torch.func.grad(lambda y: y ** 3 * k))(x)", _set(k=3.0)),
    "print_": ("def f(x):\n print(end='')\n return x * 2", lambda own: None),
    "tensor_attribute": ("a = torch.ones(4)\na.k = 2.0\ndef f(x): return x * a.k", lambda own: setattr(own["a"], "k", 3.0)),
    "alias_of_global": ("a = torch.ones(4)\nb = a\ndef f(x): return x * a + b", lambda own: own.update(b=torch.zeros(4))),
    "alias_arises": ("a, b = torch.ones(4), torch.ones(4)\ndef f(x):\n a.add_(1)\n return x * a + b", lambda own: own.update(b=own["a"])),
    "view_of_global": ("a = torch.ones(8)\nb = a[:4]\ndef f(x): return x * b", lambda own: own["a"].mul_(4)),
    "detached_global": ("a = torch.ones(4)\nb = a.detach()\ndef f(x): return x * b", lambda own: own["a"].mul_(4)),
}  # fmt: skip
for _name, (_code, _change) in CODES.items():
    WORLDS[_name] = _of_code(_code, _change)
