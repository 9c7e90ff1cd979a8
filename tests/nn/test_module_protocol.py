"""nn.Module's protocol. What is expected here was observed in PyTorch 2.13."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections import OrderedDict

import pytest

import functorch_lite as torch
from functorch_lite import nn


class Net(nn.Module):
    """Parameters, buffers of both kinds, empty slots, nested and shared children."""

    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(2, 3)
        self.p = nn.Parameter(torch.ones(2))
        self.register_buffer("b", torch.zeros(2))
        self.register_buffer("tmp", torch.zeros(1), persistent=False)
        self.plain = None
        self.register_parameter("no_param", None)
        self.inner = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.ReLU())
        self.shared = self.l1

    def forward(self, x):
        return self.inner(self.l1(x))


class Add(nn.Module):
    def forward(self, a, b=1, *, c=0):
        if a is None:
            raise ValueError("boom")
        return a + b + c


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, a, b):
        return a * self.w, a + b * b


def lists(tensors):
    return tuple(None if t is None else t.tolist() for t in tensors)


# ---- registration and attributes


def assign_before_init(value):
    class NoInit(nn.Module):
        def __init__(self):
            self.x = value

    return NoInit()


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (lambda: nn.Linear(1, 1), "cannot assign module before Module.__init__() call"),
        (lambda: nn.Parameter(torch.ones(1)), "cannot assign parameters before Module.__init__() call"),
        (lambda: nn.Buffer(torch.ones(1)), "cannot assign buffer before Module.__init__() call"),
    ],
)
def test_members_need_init(value, sentence):
    with pytest.raises(AttributeError) as error:
        assign_before_init(value())
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("p", 3, "cannot assign 'int' as parameter 'p' (torch.nn.Parameter or None expected)"),
        (
            "no_param",
            [],
            "cannot assign 'list' as parameter 'no_param' (torch.nn.Parameter or None expected)",
        ),
        ("l1", 3, "cannot assign 'int' as child module 'l1' (torch.nn.Module or None expected)"),
        ("b", 3, "cannot assign 'int' as buffer 'b' (torch.nn.Buffer, torch.Tensor or None expected)"),
    ],
)
def test_wrong_assignment(name, value, sentence):
    with pytest.raises(TypeError) as error:
        setattr(Net(), name, value)
    assert str(error.value) == sentence


def test_tensor_is_no_parameter():
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'p'"):
        Net().p = torch.ones(2)


def test_missing_attribute():
    with pytest.raises(AttributeError) as error:
        _ = Net().bar
    assert str(error.value) == "'Net' object has no attribute 'bar'"


def test_init_takes_no_arguments():
    with pytest.raises(TypeError, match=r"Module.__init__\(\) takes 1 positional argument but 3 were given"):
        nn.Module(1, 2)
    with pytest.raises(TypeError, match=r"Module.__init__\(\) got an unexpected keyword argument 'a'"):
        nn.Module(a=1)


@pytest.mark.parametrize(
    ("name", "error", "parameter", "module"),
    [
        ("a.b", KeyError, 'parameter name can\'t contain "."', 'module name can\'t contain ".", got: a.b'),
        ("", KeyError, 'parameter name can\'t be empty string ""', 'module name can\'t be empty string ""'),
        ("forward", KeyError, "attribute 'forward' already exists", "attribute 'forward' already exists"),
        ("b", KeyError, "attribute 'b' already exists", "attribute 'b' already exists"),
        (
            3,
            TypeError,
            "parameter name should be a string. Got int",
            "module name should be a string. Got int",
        ),
    ],
)
def test_bad_names(name, error, parameter, module):
    with pytest.raises(error) as raised:
        Net().register_parameter(name, None)
    assert raised.value.args[0] == parameter
    with pytest.raises(error) as raised:
        Net().add_module(name, None)
    assert raised.value.args[0] == module


def test_wrong_kinds():
    net = Net()
    with pytest.raises(
        TypeError,
        match=r"cannot assign 'torch.FloatTensor' object to parameter 'z' \(torch.nn.Parameter or None",
    ):
        net.register_parameter("z", torch.ones(1))
    with pytest.raises(ValueError, match="Cannot assign non-leaf Tensor to parameter 'z'"):
        non_leaf = nn.Parameter(torch.ones(1)) * 1
        non_leaf._is_param = True
        net.register_parameter("z", non_leaf)
    with pytest.raises(
        TypeError, match=r"cannot assign 'int' object to buffer 'z' \(torch Tensor or None required\)"
    ):
        net.register_buffer("z", 3)
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        net.add_module("z", 3)


def test_assignment_moves_a_name():
    net = Net()
    net.b = nn.Parameter(torch.ones(1))
    assert "b" in net._parameters and "b" not in net._buffers
    net.l1 = nn.Parameter(torch.ones(1))
    assert "l1" not in net._modules and net.l1.shape == (1,)
    net.plain = nn.Tanh()
    assert "plain" not in net.__dict__ and "plain" in net._modules
    del net.plain
    assert not hasattr(net, "plain")


def test_buffers():
    net = Net()
    net.new = nn.Buffer(torch.ones(3), persistent=False)
    assert "new" in net._buffers and "new" not in net.state_dict()
    assert isinstance(nn.Buffer(torch.ones(1)), nn.Buffer) and not isinstance(torch.ones(1), nn.Buffer)
    net.b = torch.ones(5)
    assert net._buffers["b"] is net.b


# ---- members found by ordinary lookup stay true (see nn/modules/_registry.py)


def test_mutated_registries_are_seen():
    linear = nn.Linear(2, 2)
    _ = linear.weight
    linear._parameters["weight"] = other = nn.Parameter(torch.zeros(1))
    assert linear.weight is other
    del linear._parameters["weight"]
    assert not hasattr(linear, "weight")
    linear._parameters["weight"] = None
    assert linear.weight is None
    assert linear._parameters.pop("weight") is None
    linear.weight = 3
    assert linear.weight == 3
    del linear.weight
    linear._parameters.update(weight=other)
    assert linear.weight is other
    linear._parameters.clear()
    assert not hasattr(linear, "weight") and not hasattr(linear, "bias")
    linear._parameters = {"weight": 5}
    assert linear.weight == 5
    linear._parameters["weight"] = 6
    assert linear.weight == 6


def test_instance_dict_shows_no_members():
    net = Net()
    _ = net.p, net.b, net.l1
    assert not {"p", "b", "l1"} & set(net.__dict__)
    assert not {"p", "b", "l1"} & set(vars(net))


def test_copied_instance_dict_is_not_stale():
    linear = nn.Linear(2, 2)
    _ = linear.weight
    twin = nn.Linear.__new__(nn.Linear)
    twin.__dict__ = linear.__dict__.copy()
    _ = twin.weight
    linear._parameters["weight"] = None  # one dict for both, as in torch
    assert twin.weight is None and linear.weight is None


def test_own_getattr_sees_every_access():
    class Doubled(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(1))

        def __getattr__(self, name):
            found = super().__getattr__(name)
            return found * 2 if name == "w" else found

    doubled = Doubled()
    assert [doubled.w.item() for _ in range(3)] == [2.0, 2.0, 2.0]


def test_property_of_a_new_class_wins():
    linear = nn.Linear(2, 2)
    _ = linear.weight
    linear.__class__ = type("Fixed", (nn.Linear,), {"weight": property(lambda self: 42)})
    assert linear.weight == 42


def test_module_is_freed_without_gc():
    net = Net()
    _ = net.p, net.l1.weight
    ref = weakref.ref(net)
    gc.disable()
    try:
        del net
        assert ref() is None
    finally:
        gc.enable()


# ---- walking


def test_names_and_order():
    net = Net()
    assert [n for n, _ in net.named_parameters()] == [
        "p", "l1.weight", "l1.bias", "inner.0.weight", "inner.0.bias", "inner.1.weight", "inner.1.bias",
    ]  # fmt: skip
    assert [n for n, _ in net.named_parameters(remove_duplicate=False)][-2:] == [
        "shared.weight",
        "shared.bias",
    ]
    assert [n for n, _ in net.named_parameters(prefix="x", recurse=False)] == ["x.p"]
    assert [n for n, _ in net.named_modules()] == ["", "l1", "inner", "inner.0", "inner.1", "inner.2"]
    assert [n for n, _ in net.named_children()] == ["l1", "inner"]
    assert [n for n, _ in net.named_buffers()] == [
        "b", "tmp", "inner.1.running_mean", "inner.1.running_var", "inner.1.num_batches_tracked",
    ]  # fmt: skip


def test_get_by_path():
    net = Net()
    assert net.get_submodule("") is net and net.get_submodule("inner.0") is net.inner[0]
    assert net.get_parameter("l1.weight") is net.l1.weight
    assert net.get_buffer("inner.1.running_mean") is net.inner[1].running_mean
    for call, sentence in [
        (lambda: net.get_submodule("zz"), "Net has no attribute `zz`"),
        (lambda: net.get_submodule("p"), "`p` is not an nn.Module"),
        (lambda: net.get_parameter("b"), "`b` is not an nn.Parameter"),
        (lambda: net.get_buffer("p"), "`p` is not a buffer"),
    ]:
        with pytest.raises(AttributeError) as error:
            call()
        assert str(error.value) == sentence
    net.set_submodule("inner.2", nn.Tanh())
    assert isinstance(net.inner[2], nn.Tanh)


def test_repr():
    assert repr(Net()) == (
        "Net(\n"
        "  (l1): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (inner): Sequential(\n"
        "    (0): Linear(in_features=3, out_features=3, bias=True)\n"
        "    (1): BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)\n"
        "    (2): ReLU()\n"
        "  )\n"
        "  (shared): Linear(in_features=2, out_features=3, bias=True)\n"
        ")"
    )
    layers = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)] + [nn.ReLU()])
    assert repr(layers) == (
        "ModuleList(\n  (0-2): 3 x Linear(in_features=1, out_features=1, bias=True)\n  (3): ReLU()\n)"
    )


# ---- state_dict


def test_state_dict_keys_and_metadata():
    state = Net().state_dict()
    assert type(state) is OrderedDict
    assert list(state) == [
        "p", "b", "l1.weight", "l1.bias", "inner.0.weight", "inner.0.bias", "inner.1.weight", "inner.1.bias",
        "inner.1.running_mean", "inner.1.running_var", "inner.1.num_batches_tracked", "shared.weight", "shared.bias",
    ]  # fmt: skip
    assert state._metadata[""] == {"version": 1} and state._metadata["inner.1"] == {"version": 2}
    assert not state["p"].requires_grad and Net().state_dict(keep_vars=True)["p"].requires_grad


def test_load_state_dict_round_trip():
    source, target = Net(), Net()
    parameter = target.p
    result = target.load_state_dict(source.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    assert target.p is parameter
    assert torch.equal(target.l1.weight, source.l1.weight)


def test_load_state_dict_complaints():
    state = Net().state_dict()
    del state["p"]
    state["foo"] = torch.ones(1)
    state["l1.weight"] = torch.ones(2, 2)
    with pytest.raises(RuntimeError) as error:
        Net().load_state_dict(state)
    assert str(error.value) == (
        "Error(s) in loading state_dict for Net:\n"
        '\tMissing key(s) in state_dict: "p". \n'
        '\tUnexpected key(s) in state_dict: "foo". \n'
        "\tsize mismatch for l1.weight: copying a param with shape torch.Size([2, 2]) from checkpoint, the shape in "
        "current model is torch.Size([3, 2])."
    )
    state["l1.weight"] = torch.ones(3, 2)
    result = Net().load_state_dict(state, strict=False)
    assert result.missing_keys == ["p"] and result.unexpected_keys == ["foo"]
    with pytest.raises(TypeError, match=r"Expected state_dict to be dict-like, got <class 'int'>."):
        Net().load_state_dict(3)


def test_load_state_dict_assign():
    state = {k: v.double() if v.is_floating_point() else v for k, v in Net().state_dict().items()}
    net = Net()
    net.p.requires_grad_(False)
    net.load_state_dict(state, assign=True)
    assert net.p.dtype == torch.float64 and type(net.p) is nn.Parameter and not net.p.requires_grad
    net = Net()
    net.load_state_dict(state)
    assert net.p.dtype == torch.float32


def test_batch_norm_of_old_checkpoints():
    norm = nn.BatchNorm1d(2)
    state = dict(norm.state_dict())
    del state["num_batches_tracked"]
    norm.load_state_dict(state)


def test_extra_state():
    class Extra(nn.Module):
        value = 1

        def get_extra_state(self):
            return self.value

        def set_extra_state(self, state):
            self.value = state

    extra = Extra()
    assert list(nn.Sequential(extra).state_dict().items()) == [("0._extra_state", 1)]
    extra.load_state_dict({"_extra_state": 5})
    assert extra.value == 5
    with pytest.raises(RuntimeError, match=r'Missing key.s. in state_dict: "_extra_state"'):
        extra.load_state_dict({})


def test_state_dict_hooks():
    log = []
    net = nn.Sequential(nn.Linear(1, 1))
    net.register_state_dict_pre_hook(lambda m, prefix, keep: log.append(("pre", prefix, keep)))
    net[0].register_state_dict_post_hook(lambda m, d, prefix, meta: log.append(("post", list(d), prefix)))
    net.register_load_state_dict_pre_hook(lambda m, d, prefix, *rest: d.pop("junk", None) and None)
    net.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    state = net.state_dict()
    assert log == [("pre", "", False), ("post", ["0.weight", "0.bias"], "0.")]
    state["junk"] = torch.ones(1)
    del state["0.weight"]
    assert net.load_state_dict(state).missing_keys == []


# ---- forward hooks


def test_missing_forward():
    with pytest.raises(NotImplementedError) as error:
        nn.Module()(1)
    assert str(error.value) == 'Module [Module] is missing the required "forward" function'


def test_forward_hooks_replace_arguments_and_output():
    module, log = Add(), []
    module.register_forward_pre_hook(lambda m, args: 7)
    module.register_forward_hook(lambda m, args, out: log.append((args, out)))
    assert module(5, c=2) == 10 and log == [((7,), 10)]


def test_forward_hooks_with_kwargs_and_prepend():
    module, log = Add(), []
    module.register_forward_pre_hook(lambda m, args, kwargs: ((1,), {"b": 3}), with_kwargs=True)
    module.register_forward_hook(lambda m, args, kwargs, out: out * 10, with_kwargs=True)
    module.register_forward_hook(lambda m, args, out: log.append(out), prepend=True)
    assert module(5, c=2) == 40 and log == [4]


def test_forward_pre_hook_must_return_a_pair():
    module = Add()
    module.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True)
    with pytest.raises(RuntimeError, match="forward pre-hook must return None or a tuple of"):
        module(1)


def test_always_called_hooks():
    module, log = Add(), []
    module.register_forward_hook(lambda m, args, out: log.append("never"))
    module.register_forward_hook(lambda m, args, out: log.append(("always", out)), always_call=True)
    with pytest.raises(ValueError, match="boom"):
        module(None)
    assert log == [("always", None)]


def test_handles():
    module = Add()
    handle = module.register_forward_hook(lambda m, a, k, out: 9, with_kwargs=True, always_call=True)
    assert module(1) == 9
    handle.remove()
    handle.remove()
    assert module(1) == 2
    assert not (module._forward_hooks_with_kwargs or module._forward_hooks_always_called)
    with module.register_forward_pre_hook(lambda m, args: 100):
        assert module(1) == 101
    assert module(1) == 2


def test_global_hooks():
    hooks, log = nn.modules.module, []
    handles = [
        hooks.register_module_forward_pre_hook(lambda m, args: log.append("pre")),
        hooks.register_module_forward_hook(lambda m, args, out: log.append("post")),
        hooks.register_module_parameter_registration_hook(lambda m, name, p: log.append(name)),
    ]
    module = Add()
    module.register_forward_hook(lambda m, args, out: log.append("own"))
    module(1)
    nn.Linear(1, 1)
    for handle in handles:
        handle.remove()
    module(1)
    assert log == ["pre", "post", "own", "weight", "bias", "own"]


# ---- backward hooks


def run_two(module, a_grad=True, b_grad=True, loss=lambda out: (out[0] * out[1]).sum()):
    a = torch.tensor([1.0, 2.0], requires_grad=a_grad)
    b = torch.tensor([3.0, 5.0], requires_grad=b_grad)
    loss(module(a, b)).backward()
    return lists((a.grad, b.grad, module.w.grad))


def test_full_backward_hook_sees_gradients():
    module, log = Two(), []
    module.register_full_backward_hook(lambda m, gi, go: log.append((lists(gi), lists(go))))
    grads = run_two(module)
    assert grads == run_two(Two())
    assert log == [(([22.0, 87.0], [12.0, 60.0]), ([10.0, 27.0], [2.0, 6.0]))]


def test_full_backward_hook_with_an_unused_output():
    module, log = Two(), []
    module.register_full_backward_hook(lambda m, gi, go: log.append((lists(gi), lists(go))))
    assert run_two(module, loss=lambda out: out[1].sum()) == ([1.0, 1.0], [6.0, 10.0], None)
    assert log == [(([1.0, 1.0], [6.0, 10.0]), (None, [1.0, 1.0]))]


def test_full_backward_hooks_replace_gradients():
    module = Two()
    module.register_full_backward_pre_hook(lambda m, go: (go[0] * 2, go[1] * 3))
    module.register_full_backward_hook(lambda m, gi, go: (gi[0] * 0, gi[1]))
    grads = run_two(module, loss=lambda out: (out[0] + out[1]).sum())
    assert grads == ([0.0, 0.0], [18.0, 30.0], [2.0, 4.0])


def test_full_backward_hook_counts():
    module = Two()
    module.register_full_backward_hook(lambda m, gi, go: (gi[0],))
    with pytest.raises(RuntimeError, match="Backward hook returned an invalid number of grad_input, got 1"):
        run_two(module)


def test_full_backward_hook_without_input_gradients():
    module, log = Two(), []
    module.register_full_backward_hook(lambda m, gi, go: log.append(lists(gi)))
    with pytest.warns(UserWarning, match="Full backward hook is firing when gradients are computed"):
        run_two(module, a_grad=False, b_grad=False)
    assert log == [(None, None)]


# ---- modes, conversion, copies


def test_modes():
    net = Net()
    assert net.eval() is net and not any(m.training for m in net.modules())
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        net.train(3)
    assert not any(p.requires_grad for p in net.requires_grad_(False).parameters())


@pytest.mark.parametrize("set_to_none", [True, False])
def test_zero_grad(set_to_none):
    linear = nn.Linear(2, 2)
    linear(torch.ones(2)).sum().backward()
    linear.zero_grad(set_to_none)
    if set_to_none:
        assert linear.weight.grad is None
    else:
        assert linear.weight.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_conversion_keeps_parameters_and_integers():
    net = Net()
    parameter = net.p
    net.l1.weight.grad = torch.ones(3, 2)
    assert net.to(torch.float64) is net
    assert net.p is parameter and parameter.dtype == torch.float64
    assert net.l1.weight.grad.dtype == torch.float64 and net.b.dtype == torch.float64
    assert net.inner[1].num_batches_tracked.dtype == torch.int64
    assert net.half().p.dtype == torch.float16 and net.bfloat16().p.dtype == torch.bfloat16
    assert net.float().p.dtype == torch.float32 and net.to("cpu", torch.float64).p.dtype == torch.float64
    with pytest.raises(TypeError, match=r"nn.Module.to only accepts floating point or complex dtypes"):
        net.to(torch.int32)
    with pytest.raises(
        TypeError, match=r"to\(\) received an invalid combination of arguments - got \(list\)"
    ):
        net.to([])


def test_apply_visits_children_first():
    names = []
    Net().apply(lambda m: names.append(type(m).__name__))
    assert names == ["Linear", "Linear", "BatchNorm1d", "ReLU", "Sequential", "Net"]


def test_deepcopy_and_copy():
    net = Net()
    _ = net.p, net.l1
    deep, shallow = copy.deepcopy(net), copy.copy(net)
    deep.p.data.add_(5)
    assert net.p.tolist() == [1.0, 1.0] and deep.l1 is deep.shared and deep.l1 is not net.l1
    assert shallow._parameters is net._parameters
    shallow.p = nn.Parameter(torch.zeros(5))
    assert net.p.shape == (5,)


def test_pickle():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    _ = net[0].weight
    again = pickle.loads(pickle.dumps(net))
    assert (
        repr(again) == repr(net) and type(again[0].weight) is nn.Parameter and again[0].weight.requires_grad
    )
    assert all(torch.equal(a, b) for a, b in zip(net.state_dict().values(), again.state_dict().values()))


def test_setstate_of_older_versions():
    state = dict(nn.Linear(2, 2).__getstate__())
    for name in ("_forward_hooks_with_kwargs", "_state_dict_pre_hooks", "_load_state_dict_post_hooks"):
        del state[name]
    linear = nn.Linear.__new__(nn.Linear)
    linear.__setstate__(state)
    assert linear(torch.ones(2)).shape == (2,) and list(linear.state_dict()) == ["weight", "bias"]


# ---- parameters and containers


def test_parameter():
    data = torch.ones(1)
    nn.Parameter(data).data.fill_(3)
    assert data.item() == 3
    assert repr(nn.Parameter(torch.ones(2))) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
    assert nn.Parameter().shape == (0,) and type(nn.Parameter(torch.ones(1)) + 1) is torch.Tensor
    with pytest.raises(
        RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients"
    ):
        nn.Parameter(torch.ones(1, dtype=torch.int64))


def test_sequential():
    net = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 2))
    assert (
        len(net) == 3
        and isinstance(net[1:], nn.Sequential)
        and next(iter(net[1:].state_dict())) == "2.weight"
    )
    del net[0]
    assert list(net._modules) == ["0", "1"]
    assert len(net * 2) == 4 and len(net + nn.Sequential(nn.Tanh())) == 3
    for call, error, sentence in [
        (lambda: net[9], IndexError, "index 9 is out of range"),
        (lambda: nn.Sequential(3), TypeError, "int is not a Module subclass"),
        (lambda: net.insert(9, nn.Tanh()), IndexError, "Index out of range: 9"),
        (lambda: net * 0, ValueError, "Non-positive multiplication factor 0"),
    ]:
        with pytest.raises(error, match=sentence):
            call()


def test_module_dict():
    modules = nn.ModuleDict({"z": nn.ReLU(), "a": nn.Tanh()})
    assert list(modules) == ["z", "a"] and "a" in modules and len(modules) == 2
    with pytest.raises(KeyError):
        modules["q"]
    with pytest.raises(KeyError, match="attribute 'keys' already exists"):
        nn.ModuleDict({"keys": nn.ReLU()})


def test_parameter_containers():
    values = nn.ParameterList([torch.ones(2), 3])
    assert isinstance(values[0], nn.Parameter) and values[1] == 3 and list(values.state_dict()) == ["0"]
    named = nn.ParameterDict({"b": torch.ones(2), "a": torch.ones(1)})
    assert list(named) == ["a", "b"]  # a plain dict is sorted, an OrderedDict is not
    assert repr(nn.ParameterDict(OrderedDict(b=torch.ones(2)))) == (
        "ParameterDict(  (b): Parameter containing: [torch.FloatTensor of size 2])"
    )
