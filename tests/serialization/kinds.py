"""What training scripts keep in files beside tensors: `kinds(M)` makes them with the library M, `look(M, x)` says what
one is and does, in plain values."""

from __future__ import annotations

import argparse
import collections
import datetime
import decimal
import enum
import fractions
import functools
import pathlib
import random
import types
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.golden import users


def _steps(M, make: Callable, count: int = 2):
    """An optimizer of a small model that has taken steps."""
    w = M.nn.Parameter(M.tensor([[1.0, -2.0], [0.5, 3.0]]))
    b = M.nn.Parameter(M.tensor([0.1, -0.2]))
    optimizer = make([{"params": [w], "weight_decay": 0.01}, {"params": [b]}])
    for k in range(count):
        _grads(optimizer, k)
        optimizer.step()
    return optimizer


def _grads(optimizer, k: int) -> None:
    for group in optimizer.param_groups:
        for p in group["params"]:
            p.grad = p.detach() * 0.5 + 0.1 * (k + 1)


OPTIMIZERS: dict[str, Callable] = {
    "sgd": lambda M: lambda p: M.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "adam": lambda M: lambda p: M.optim.Adam(p, lr=0.01, amsgrad=True),
    "adamw": lambda M: lambda p: M.optim.AdamW(p, lr=0.01),
    "adamax": lambda M: lambda p: M.optim.Adamax(p, lr=0.01),
    "nadam": lambda M: lambda p: M.optim.NAdam(p, lr=0.01),
    "radam": lambda M: lambda p: M.optim.RAdam(p, lr=0.01),
    "adagrad": lambda M: lambda p: M.optim.Adagrad(p, lr=0.1),
    "adadelta": lambda M: lambda p: M.optim.Adadelta(p, lr=1.0),
    "rmsprop": lambda M: lambda p: M.optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
    "asgd": lambda M: lambda p: M.optim.ASGD(p, lr=0.1),
    "adafactor": lambda M: lambda p: M.optim.Adafactor(p, lr=0.1),
}


def _without_decay(M, make: Callable):
    p = M.nn.Parameter(M.tensor([[1.0, -2.0], [0.5, 3.0]]))
    optimizer = make([p])
    for k in range(2):
        _grads(optimizer, k)
        optimizer.step()
    return optimizer


def _schedules(M) -> dict[str, Callable]:
    S = M.optim.lr_scheduler
    return {
        "step": lambda o: S.StepLR(o, 2, gamma=0.5),
        "multistep": lambda o: S.MultiStepLR(o, [2, 3]),
        "cosine": lambda o: S.CosineAnnealingLR(o, 6),
        "restarts": lambda o: S.CosineAnnealingWarmRestarts(o, 3),
        "onecycle": lambda o: S.OneCycleLR(o, 0.3, total_steps=12),
        "cyclic": lambda o: S.CyclicLR(o, 0.1, 0.4, step_size_up=3, mode="exp_range", gamma=0.9),
        "exponential": lambda o: S.ExponentialLR(o, 0.9),
        "linear": lambda o: S.LinearLR(o, total_iters=4),
        "constant": lambda o: S.ConstantLR(o, total_iters=4),
        "polynomial": lambda o: S.PolynomialLR(o, 6, power=2.0),
        "sequential": lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)], [3]),
        "chained": lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)]),
        "plateau": lambda o: S.ReduceLROnPlateau(o, patience=0),
        "lambda": lambda o: S.LambdaLR(o, users.halved),
    }


def _advanced(scheduler, count: int):
    for _ in range(count):
        scheduler.optimizer.step() if hasattr(scheduler, "optimizer") else None
        scheduler.step(1.0) if type(scheduler).__name__ == "ReduceLROnPlateau" else scheduler.step()
    return scheduler


def _scheduler(M, make: Callable):
    p = M.nn.Parameter(M.ones(2))
    return _advanced(make(M.optim.SGD([p], lr=0.2, momentum=0.9)), 2)


def _net(M):
    M.manual_seed(0)
    net = users.Net()  # type: ignore[attr-defined]
    with M.no_grad():
        for k, p in enumerate(net.parameters()):
            p.copy_(M.arange(p.numel(), dtype=M.float32).reshape(p.shape) / 7 - 0.3 * k)
    return net.eval()


def _generator(M):
    g = M.Generator()
    g.manual_seed(5)
    M.rand(3, generator=g)
    return g


def _layers(M):
    model = M.nn.Sequential(
        collections.OrderedDict(
            conv=M.nn.Conv2d(1, 2, 3, padding=1),
            norm=M.nn.GroupNorm(1, 2),
            act=M.nn.SiLU(),
            pool=M.nn.AdaptiveAvgPool2d(1),
            flat=M.nn.Flatten(),
            drop=M.nn.Dropout(0.5),
            heads=M.nn.ModuleList([M.nn.Linear(2, 2)]),
        )
    )
    with M.no_grad():
        for p in model.parameters():
            p.copy_(M.arange(p.numel(), dtype=M.float32).reshape(p.shape) / 10)
    return model.eval()


def kinds(M) -> dict[str, Any]:
    """The objects, by name."""
    D = M.utils.data
    rows = D.TensorDataset(M.arange(8.0).reshape(4, 2), M.arange(4))
    whole = M.arange(6.0)
    tied = M.nn.Linear(2, 2)
    with M.no_grad():
        tied.weight.copy_(M.tensor([[1.0, 2.0], [3.0, 4.0]])), tied.bias.zero_()
    tied.other = tied.weight
    marked = M.ones(2).as_subclass(users.Marked)  # type: ignore[attr-defined]
    marked.note = "kept"
    return {
        "numpy arrays": [np.arange(4.0).reshape(2, 2), np.array(["a", "bc"]), np.array([None, {"a": 1}], object), np.array([1, 2], ">i2")],
        "numpy scalars": [np.float64(1.5), np.int32(7), np.bool_(True), np.dtype("float32"), np.datetime64("2020-01-02")],
        "numpy random": np.random.RandomState(3).get_state(),
        "numpy generator": np.random.default_rng(3),
        "python random": random.Random(3).getstate(),
        "namespace": argparse.Namespace(lr=0.1, name="run", layers=[1, 2]),
        "simple namespace": types.SimpleNamespace(a=1),
        "paths": [pathlib.Path("a/b.txt"), pathlib.PurePosixPath("c")],
        "dates": [datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc), datetime.date(2021, 3, 4), datetime.timedelta(hours=1)],  # noqa: UP017
        "numbers": [decimal.Decimal("1.5"), fractions.Fraction(1, 3), 1 + 2j, uuid.UUID(int=3), range(3), slice(1, 2), ...],
        "dataclass": users.Settings(0.5, M.tensor([1.0, 2.0])),
        "config": users.Config(3),
        "states of its own": users.Stated(M.ones(1)),
        "enums": [users.Mode.TRAIN, users.Mode.TEST],
        "containers": [collections.defaultdict(list, {1: [2]}), collections.Counter("aab"), collections.deque([1, 2], 5), users.Pair(1, "x"), frozenset({1}), bytearray(b"ab")],
        "partial": functools.partial(users.halved),
        "functions": [users.halved, len, M.nn.functional.relu, M.tanh, M.nn.functional.gelu],
        "classes": [M.nn.Linear, M.optim.Adam, users.Config, M.Tensor],
        "exception": ValueError("wrong", 3),
        "device, dtypes, sizes": [M.device("cpu"), M.device("cuda", 1), M.float16, M.bool, M.Size([2, 3]), M.strided, M.sparse_csr],
        "generator": _generator(M),
        "sparse": [M.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse(), M.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse_csr()],
        "subclasses": [marked, users.Weight(M.tensor([1.0, 2.0]))],  # type: ignore[attr-defined]
        "narrow": [M.tensor([1.0, 2.5]).to(d) for d in (M.bfloat16, M.float16, M.float8_e4m3fn, M.float8_e5m2)] + [M.tensor([1, 9], dtype=M.uint16)],
        "aliases": [whole, whole[2:], whole.view(2, 3).t(), whole[::2]],
        "tied": tied,
        "storages": [M.tensor([1.0, 2.0]).untyped_storage()],
        "gradients": [M.ones(2, requires_grad=True), M.nn.Parameter(M.ones(1)), M.nn.Parameter(M.ones(1), requires_grad=False), M.nn.Buffer(M.ones(2))],
        "lazy forms": [M.tensor([1 + 2j]).conj(), M.empty(2, 3, device="meta"), M.zeros(0, 2)],
        "own module": _net(M),
        "layers": _layers(M),
        "parameter lists": M.nn.ParameterDict({"a": M.nn.Parameter(M.ones(2)), "b": M.nn.ParameterList([M.nn.Parameter(M.zeros(1))])}),
        "losses": [M.nn.CrossEntropyLoss(label_smoothing=0.1), M.nn.MSELoss(reduction="sum"), M.nn.HuberLoss()],
        "datasets": [rows, D.Subset(rows, [2, 0]), D.ConcatDataset([rows, rows]), users.Squares(3)],  # type: ignore[attr-defined]
        "loader": D.DataLoader(rows, batch_size=3),
        "samplers": [D.SequentialSampler(rows), D.BatchSampler(D.SequentialSampler(rows), 3, False)],
        "distributions": [M.distributions.Normal(M.zeros(2), M.ones(2)), M.distributions.Categorical(logits=M.tensor([0.0, 1.0]))],
        "scaler": M.amp.GradScaler("cpu", init_scale=8.0),
        "averaged": M.optim.swa_utils.AveragedModel(M.nn.Linear(2, 2)),
        "packed": M.nn.utils.rnn.pack_padded_sequence(M.arange(6.0).reshape(3, 2, 1), M.tensor([3, 1])),
        "named results": M.max(M.tensor([[1.0, 5.0], [7.0, 2.0]]), 1),
        "checkpoint": {"epoch": 3, "args": argparse.Namespace(lr=0.1), "model": _net(M).state_dict(), "best": np.float32(0.5), "when": datetime.date(2020, 1, 1)},
        "own optimizer": _steps(M, lambda p: users.Halving(p, lr=0.4)),  # type: ignore[attr-defined]
        **{f"optimizer {n}": _steps(M, make(M)) for n, make in OPTIMIZERS.items()},
        "optimizer rprop": _without_decay(M, lambda p: M.optim.Rprop(p, lr=0.1)),
        "optimizer muon": _without_decay(M, lambda p: M.optim.Muon(p, lr=0.1)),
        **{f"scheduler {n}": _scheduler(M, make) for n, make in _schedules(M).items()},
    }  # fmt: skip


# -- what they are and do --------------------------------------------------------------------------------------------


def look(M, x: Any) -> Any:
    """What a thing is and does, in lists, dicts, numbers and texts."""
    if isinstance(x, M.Tensor):
        return _tensor(M, x)
    if isinstance(x, M.nn.Module):
        return _module(M, x)
    if isinstance(x, M.optim.Optimizer):
        _grads(x, 5)
        x.step()
        return [
            type(x).__name__,
            [look(M, p) for g in x.param_groups for p in g["params"]],
            [g["lr"] for g in x.param_groups],
        ]
    if (
        isinstance(x, M.optim.lr_scheduler.LRScheduler | M.optim.lr_scheduler.ReduceLROnPlateau)
        or type(x).__name__ == "ChainedScheduler"
    ):
        rates = [[float(lr) for lr in _advanced(x, 1).get_last_lr()] for _ in range(4)]
        return [type(x).__name__, rates]
    if isinstance(x, M.Generator):
        return [str(x.device), x.initial_seed(), M.rand(4, generator=x).tolist()]
    if isinstance(x, M.utils.data.DataLoader):
        return [type(x).__name__, len(x), look(M, list(x))]
    if isinstance(x, M.utils.data.Dataset):
        return [type(x).__name__, look(M, [x[i] for i in range(len(x))])]
    if isinstance(x, M.utils.data.Sampler):
        return [type(x).__name__, list(x)]
    if isinstance(x, M.distributions.Distribution):
        return [type(x).__name__, look(M, x.log_prob(M.zeros(2) if x.batch_shape else M.tensor(1)))]
    if isinstance(x, M.amp.GradScaler):
        return [x.get_scale(), x.state_dict(), look(M, x.scale(M.ones(1)))]
    if type(x).__name__ in ("UntypedStorage", "TypedStorage", "FloatStorage"):
        return [type(x).__name__, x.tolist()]
    return _plain(M, x)


def _plain(M, x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return ["array", str(x.dtype), x.tolist()]
    if isinstance(x, np.random.Generator):
        return x.random(3).tolist()
    if isinstance(x, np.generic):
        return [type(x).__name__, str(x)]
    if isinstance(x, enum.Enum):
        return str(x)
    if isinstance(x, dict):
        return [type(x).__name__, [[look(M, k), look(M, v)] for k, v in x.items()]]
    if isinstance(x, list | tuple | collections.deque) and type(x) is not M.Size:
        return [type(x).__name__, *(look(M, y) for y in x)]
    if isinstance(x, functools.partial):
        return ["partial", x.func.__qualname__, x(4.0)]
    if isinstance(x, type) or (callable(x) and hasattr(x, "__name__")):
        return ["named", x.__name__]
    if type(x).__module__ == users.__name__ or isinstance(x, argparse.Namespace | types.SimpleNamespace):
        return [type(x).__name__, look(M, vars(x))]
    if isinstance(x, int | float | str | None):
        return x
    return [type(x).__name__, str(x) if not isinstance(x, BaseException) else look(M, x.args)]


def _tensor(M, t: Any) -> Any:
    kind = "Tensor" if t.layout is not M.strided else type(t).__name__
    facts = [kind, str(t.dtype), list(t.shape), t.requires_grad, str(t.layout), str(t.device)]
    if t.device.type == "meta":
        return facts
    if t.layout is not M.strided:
        return [*facts, look(M, t.to_dense())]
    facts += [list(t.stride()), t.storage_offset(), getattr(t, "note", None)]
    wide = M.complex128 if t.dtype.is_complex else M.float64
    numbers = t.detach().to(wide).reshape(-1)
    values = numbers.numpy().view(np.float64) if t.dtype.is_complex else numbers.numpy()
    return [*facts, {"values": [float(v) for v in values]}]


def _module(M, m: Any) -> Any:
    inputs = {
        "Net": lambda: m(M.tensor([[1.0, -2.0], [0.5, 0.25]])),
        "Linear": lambda: m(M.tensor([[1.0, -2.0]])),
        "AveragedModel": lambda: [m.n_averaged, m.module.weight.shape],
        "Sequential": lambda: m[:6](M.arange(32.0).reshape(2, 1, 4, 4)),
        "CrossEntropyLoss": lambda: m(M.tensor([[1.0, 2.0]]), M.tensor([1])),
        "MSELoss": lambda: m(M.ones(2), M.zeros(2)),
        "HuberLoss": lambda: m(M.ones(2), M.zeros(2)),
    }
    name = type(m).__name__
    shown = (
        [[n, look(M, p)] for n, p in m.named_parameters(remove_duplicate=False)]
        if name != "AveragedModel"
        else []
    )
    return [name, str(m), m.training, shown, look(M, inputs[name]()) if name in inputs else None]


def same(a: Any, b: Any) -> bool:
    """Whether two looks agree: values of tensors, and floats, to single precision."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float | int):
        return bool(np.isclose(a, b, rtol=2e-5, atol=1e-6, equal_nan=True))
    return a == b
