"""What has to be known of the documents that tests/documents.py runs: what a block takes for granted, or gets wrong."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

RAISES: dict[tuple[str, int], str] = {
    ("func.ux_limitations", 2): "Dimension specified as 0 but tensor has no dimensions",
    ("func.ux_limitations", 4): "vmap: inplace arithmetic",
    ("func.ux_limitations", 8): "torch.cond",
    ("func.ux_limitations", 10): "torch.cond",
    ("func.ux_limitations", 11): "can output dynamic shape",
    ("functorch.ux_limitations", 2): "vmap: inplace arithmetic",
    ("functorch.ux_limitations", 4): "torch.cond",
    ("functorch.ux_limitations", 6): "torch.cond",
}
"""Blocks that raise, as with PyTorch, and a part of the message.

One that raises there is no limitation here: writing to torch.zeros under vmap. (Block 2 of that document is a line
about a batch that the reader is to imagine.)"""

INCOMPLETE: dict[tuple[str, int], str] = {
    ("func.batch_norm", 0): "C and G are the reader's",
    ("func.batch_norm", 2): "not valid Python: a positional argument follows a keyword argument",
    ("cond", 2): "the branches that it compares with are not those of the module",
    ("cond", 3): "torch.export: what is recorded is compiled by itself",
    ("functorch_README", 6): "not Python, and of the C extension",
    ("functorch_README", 7): "not Python, and of the C extension",
    ("extending.func", 4): "ends in the middle of a function",
    ("extending.func", 5): "begins in the middle of a function",
}
"""Blocks that are not run, and why."""

DOUBTFUL: dict[tuple[str, int], str] = {
    ("modules", 12): "shows five numbers for four, and leaves out the words that the line prints",
    ("modules", 14): "has a parenthesis too many",
}
"""Blocks that can not print what the document shows, and why."""


def _rest_of_init(code: str) -> str:
    """A block that begins in the middle of `__init__` as what is done after the first half, which is in the block
    before."""
    rest, use = code.split("\nm = ")
    first = "first_half = StatefulModule.__init__\ndef __init__(self):\n  first_half(self)\n"
    return f"{first}{textwrap.indent(rest, '  ')}\nStatefulModule.__init__ = __init__\nm = {use}"


def _saved(parameters: str, into: str) -> Callable[[str], str]:
    """A block that loads what an optimizer saved: the reader's optimizers come before it."""

    def read(code: str) -> str:
        code = code.replace("pre_hook(adapt_state_dict_ids)", f"pre_hook({into})")
        return f"optimizer2 = prepare({parameters})\n{code}\nreport(optimizer2)\n"

    return read


_READERS = "= dataset, optim.SGD(model.parameters(), lr=0.01), model, loss_fn"

READ_AS: dict[tuple[str, int], Callable[[str], str]] = {
    ("modules", 9): lambda code: code.replace(
        "randn(5, device='cuda', dtype=torch.float64)", "randn(4, device='cuda', dtype=torch.float64), 'relu'"
    ),
    ("modules", 11): lambda code: code.replace("10000", "1000"),
    ("modules", 16): _rest_of_init,
    ("optim", 8): lambda code: code.replace("scheduler = ...", "scheduler = ExponentialLR(optimizer, 0.9)"),
    ("optim", 9): _saved("'fc1 fc2'", "adapt_state_dict_ids"),
    ("optim", 10): _saved(
        "'fc bypass'", "adapt_state_dict_missing_param"
    ),  # the document names the hook of block 9
    ("optim", 16): lambda code: code.replace("= ...", _READERS).replace("300", "12").replace("160", "6"),
    ("optim", 17): lambda code: code.replace("= ...", _READERS).replace("300", "12"),
}
"""Blocks of which a part is the reader's, that take long, or that PyTorch too refuses (9 of modules: two wrong
arguments): how they are read."""

FIRST: dict[str, str] = {
    "optim": (
        "import torch\n"
        "from copy import deepcopy\n"
        "from torch import nn, optim\n"
        "from torch.optim.lr_scheduler import ExponentialLR, MultiStepLR\n"
        "from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn\n"
        "class Model(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.base = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))\n"
        "        self.classifier = nn.Linear(4, 2)\n"
        "    def forward(self, x):\n"
        "        return self.classifier(torch.tanh(self.base(x)))\n"
        "model = self = Model()\n"
        "var1, var2 = (nn.Parameter(torch.randn(2)) for _ in range(2))\n"
        "dataset = [(torch.randn(5, 3), torch.randn(5, 2)) for _ in range(2)]\n"
        "test_input, loss_fn, PATH = torch.randn(5, 3), nn.MSELoss(), 'optimizer.pt'\n"
        "optimizer = optim.SGD(model.parameters(), lr=0.01)\n"
        "def train(*_):\n"
        "    for x, y in dataset:\n"
        "        optimizer.zero_grad(); loss_fn(model(x), y).backward(); optimizer.step()\n"
        "def validate(*_):\n"
        "    loss_fn(model(test_input), torch.zeros(5, 2)).item()\n"
        "def prepare(names):\n"
        "    one = {'fc': nn.Linear(2, 2)}\n"
        "    first = optim.SGD([(f'{k}.{n}', p) for k, m in one.items() for n, p in m.named_parameters()], lr=0.3, momentum=0.9)\n"
        "    one['fc'](torch.ones(2)).sum().backward(); first.step(); torch.save(first.state_dict(), PATH)\n"
        "    two = {n: nn.Linear(2, 2, bias=n != 'bypass') for n in names.split()}\n"
        "    return optim.SGD([(f'{k}.{n}', p) for k, m in two.items() for n, p in m.named_parameters()], lr=0.1, momentum=0.9)\n"
        "def report(of=None):\n"
        "    print([float(p.detach().square().sum()) for p in (*model.parameters(), *model.buffers(), var1, var2)])\n"
        "    state = (of or optimizer).state_dict()\n"
        "    print({k: v for k, v in state['param_groups'][0].items()})\n"
        "    print({k: sorted((n, float(t.sum())) for n, t in v.items() if t is not None) for k, v in state['state'].items()})\n"
    ),
    "func.batch_norm": (
        "import torch; from torch import nn; from torch.nn import BatchNorm2d, GroupNorm; from torch.func import vmap\n"
        "net = nn.Sequential(nn.Conv2d(3, 4, 3), BatchNorm2d(4)); model = nn.Sequential(nn.Flatten(), nn.Linear(4, 4), nn.BatchNorm1d(4))\n"
        "x = torch.randn(3, 2, 4)\n"
    ),
    "functorch.batch_norm": "import torch; from torch import nn; from torch.nn import BatchNorm2d\nnet = nn.Sequential(BatchNorm2d(4))\n",
    "func.api": "import torch; from torch.func import jacrev\n",
    "functorch.functorch": "import torch; from functorch import jacrev\n",
    "func.ux_limitations": "from torch.func import vmap\n",
    "functorch.ux_limitations": "from functorch import vmap\n",
    "neural_tangent_kernels": "import torch; import torch.nn as nn; from torch.func import vmap, jacrev, vjp, jvp, functional_call\n",
}
"""What a document takes for granted: its imports, and the reader's model."""

AFTER_EACH: dict[str, str] = {
    "optim": "report()\n",
}
"""What is run after each block, to print what the block did."""

LAST: dict[str, str] = {
    "modules": (
        "assert torch.equal(m(x), (lambda y: torch.nn.functional.linear(y, m.weight, m.bias) + y)(x + 1.0))\n"
        "m(x).sum().backward()\n"
        "assert torch.all(x.grad == 42.0)\n"
        "forward_pre_hook_handle.remove(); forward_hook_handle.remove()\n"
        "print(m(x).detach(), m.weight.grad, net.state_dict(), big_net(torch.randn(5)), output, m_loaded.state_dict())\n"
    ),
    "optim": (
        "optimizer2 = optim.SGD(list(model.named_parameters())[::-1], lr=1.0, momentum=0.9)\n"
        "optimizer1 = optim.SGD(model.named_parameters(), lr=0.5, momentum=0.9)\n"
        "loss_fn(model(test_input), torch.zeros(5, 2)).backward(); optimizer1.step()\n"
        "optimizer2.register_load_state_dict_pre_hook(names_matching)\n"
        "optimizer2.load_state_dict(optimizer1.state_dict())\n"
        "report(optimizer2)\n"
        "print(preds.detach(), averaged_model.n_averaged, ema_model.state_dict())\n"
    ),
    "cond": (
        "for n in (3, 5):\n"
        "    x = torch.rand(n)\n"
        "    assert torch.equal(dyn_shape_mod(x), x.cos() if n > 4 else x.sin())\n"
        "for x in (torch.ones(3), torch.ones(9)):\n"
        "    got = DataDependentCondPredicate()(x)\n"
        "    assert torch.allclose(got, x.cos() + x.sin() if x.sum() > 4 else x.sin())\n"
    ),
    "func.batch_norm": "assert net[1].running_mean is None\n",
    "neural_tangent_kernels": (
        "net = CNN(); net.fc = nn.Linear(32 * 4 * 4, 2)\n"
        "from functorch import make_functional\n"
        "fnet, params = make_functional(net)\n"
        "single = lambda params, x: fnet(params, x.unsqueeze(0)).squeeze(0)\n"
        "a, b = torch.randn(2, 3, 10, 10), torch.randn(3, 3, 10, 10)\n"
        "for compute in ('full', 'trace', 'diagonal'):\n"
        "    one = empirical_ntk_jacobian_contraction(single, params, a, b, compute)\n"
        "    two = empirical_ntk_ntk_vps(single, params, a, b, compute)\n"
        "    assert torch.allclose(one, two, rtol=1e-3, atol=1e-3), compute\n"
    ),
}
"""What is run at the end, so that functions that a document only defines are called."""
