"""Calls of optimizers whose hyperparameters are tensors, bools or NumPy's numbers, which PyTorch hands on to one op or
another.

Used by test_expressions_parity.py.
"""

from __future__ import annotations

_TWO_STEPS = (
    "p = nn.Parameter(torch.tensor([[1., 2.], [3., 4.]], dtype=torch.{dtype}))\n"
    "o = torch.optim.{call}\n"
    "p.grad = torch.tensor([[.5, 1.], [-2., 3.]], dtype=torch.{dtype})\n"
    "o.step()\no.step()\np.detach()"
)


def _steps(call: str, dtype: str = "float32") -> str:
    return _TWO_STEPS.format(call=call, dtype=dtype)


_DECAYED = ("SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD")
_OTHER_DTYPES = ("torch.tensor([[.5]])", "torch.tensor([.5], dtype=torch.float16)", "torch.tensor([0])")

VALUES = (
    *(_steps(f"{o}([p], weight_decay={w})") for o in _DECAYED for w in ("torch.tensor([0])", "torch.tensor(False)", "torch.tensor(.5)")),
    *(_steps(f"{o}([p], weight_decay=float('inf'))") for o in ("AdamW", "SGD")),
    *(_steps(f"{o}([p], decoupled_weight_decay=True, weight_decay={w})") for o in ("Adam", "NAdam", "RAdam") for w in ("float('inf')", "torch.tensor([.5])", "True")),
    *(_steps(f"Muon([p], momentum={m}, nesterov={n})", d) for d in ("float32", "float64", "bfloat16") for n in (True, False)
      for m in (".5", "torch.tensor(.5)", "torch.tensor([.5], dtype=p.dtype)", "torch.tensor(.5, dtype=torch.float64)")),
    *(_steps(f"Muon([p], lr={v})", d) for d in ("float32", "bfloat16", "float16") for v in (".5", "torch.tensor([.5])", "torch.tensor(True)", "True")),
    *(_steps(f"{o}([p], {k}=torch.tensor(.5, requires_grad=True))") for o, k in (("RMSprop", "alpha"), ("Adadelta", "rho"), ("Adagrad", "lr_decay"), ("SGD", "momentum=.9, dampening"))),
    *(_steps(f"{o}([p], betas=({v}, .9))") for o in ("Adamax", "NAdam", "RAdam") for v in ("torch.tensor(.5)", "torch.tensor(0)", "torch.tensor(.5, requires_grad=True)")),
    _steps("RAdam([p], betas=(torch.tensor([.5]), .9))"),
    *(_steps(f"ASGD([p], t0=torch.tensor([{v}]))") for v in ("1", "2.5", "1e6")), _steps("ASGD([p], t0=torch.tensor(0))"),
    *(_steps(f"Adafactor([p], eps=(None, {v}))") for v in ("torch.tensor([.5])", "torch.tensor([[9.]])[0, 0]")),
    *(_steps(f"Rprop([p], {k}={v})") for k, v in (("lr", "torch.tensor([.5])"), ("step_sizes", "(torch.tensor(.5), 50)"), ("step_sizes", "(torch.tensor([.5]), torch.tensor([.7]))"))),
)  # fmt: skip

REFUSED = (
    *(_steps(f"{o}([p], lr={v})") for o in ("SGD", "NAdam", "RMSprop", "Adadelta") for v in ("torch.tensor(True)", "torch.tensor([False])", "__import__('numpy').bool_(True)")),
    *(_steps(f"{o}([p], weight_decay={w})") for o in _DECAYED for w in ("torch.tensor(True)", "True")),
    *(_steps(f"{o}([p], weight_decay=torch.tensor(.5, requires_grad=True))") for o in _DECAYED if o != "SGD"),
    *(_steps(f"{o}([p], betas=(torch.tensor(False), {b}))") for o, b in (("Adam", "torch.tensor(False)"), ("AdamW", "torch.tensor(False)"), ("Adamax", ".9"), ("NAdam", ".9"), ("RAdam", ".9"))),
    *(_steps(f"{o}([p], betas=(.9, torch.tensor(False)))") for o in ("NAdam", "RAdam")),
    *(_steps(f"{o}([p], betas=({v}, .9))") for o in ("Adamax", "NAdam") for v in ("torch.tensor([.5])", *_OTHER_DTYPES)),
    *(_steps(f"RAdam([p], betas=({v}, .9))") for v in _OTHER_DTYPES[1:]),
    *(_steps(f"{o}([p], {k}=torch.tensor({v}))") for o, k in (("RMSprop", "alpha"), ("RMSprop", "centered=True, alpha"), ("Adadelta", "rho")) for v in (True, False)),
    *(_steps(f"SGD([p], momentum={m}, nesterov=True)") for m in ("True", "torch.tensor(True)", "torch.tensor(.5, requires_grad=True)")),
    *(_steps(f"SGD([p], momentum=.9, dampening=torch.tensor({v}))") for v in ("True", "False", ".5 + 0j")),
    *(_steps(f"Adagrad([p], initial_accumulator_value={v})") for v in ("torch.tensor([0.])", "torch.tensor(.5, requires_grad=True)")),
    *(_steps(f"Rprop([p], {k}={v})") for k, v in (("lr", "torch.tensor(.5, requires_grad=True)"), ("lr", "torch.tensor([.5], requires_grad=True)"), ("etas", "(__import__('numpy').float32(.5), 1.2)"), ("step_sizes", "(torch.tensor([.5]), 50)"), ("step_sizes", "(1e-6, torch.tensor(9., requires_grad=True))"))),
    *(_steps(f"ASGD([p], {k}=torch.tensor({v}))") for k, v in (("alpha", "[.5]"), ("t0", "[0.]"), ("t0", "False"), ("lambd", ".5 + 0j"))),
    *(_steps(f"Muon([p], momentum={m}, nesterov={n})", d) for n in (True, False) for m, d in (("torch.tensor([1])", "float64"), ("torch.tensor([.5])", "float64"), ("torch.tensor([.5])", "bfloat16"), ("torch.tensor([[.5]], dtype=torch.float64)", "float32"))),
)  # fmt: skip
