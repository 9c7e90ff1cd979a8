"""Expressions whose grad_fn must have PyTorch's name: functions of the torch module and of a few tensors."""

from __future__ import annotations

CASES = [
    lambda t, x, y, v: x + y, lambda t, x, y, v: x - 1, lambda t, x, y, v: x * y, lambda t, x, y, v: x / 2, lambda t, x, y, v: -x,
    lambda t, x, y, v: x @ y, lambda t, x, y, v: x @ v, lambda t, x, y, v: v @ x, lambda t, x, y, v: v @ v, lambda t, x, y, v: t.stack([x, x]) @ y,
    lambda t, x, y, v: t.mm(x, y), lambda t, x, y, v: t.addmm(x, x, y), lambda t, x, y, v: t.bmm(x[None], y[None]),
    lambda t, x, y, v: x.sum(), lambda t, x, y, v: x.sum(0), lambda t, x, y, v: x.mean(), lambda t, x, y, v: x.mean(1),
    lambda t, x, y, v: x.prod(), lambda t, x, y, v: x.prod(0), lambda t, x, y, v: x.max(), lambda t, x, y, v: x.max(0)[0],
    lambda t, x, y, v: x.median(), lambda t, x, y, v: x.median(1)[0], lambda t, x, y, v: x.relu(), lambda t, x, y, v: x.tanh(),
    lambda t, x, y, v: x.log1p(), lambda t, x, y, v: x.pow(2), lambda t, x, y, v: x.pow(y), lambda t, x, y, v: x**0.5,
    lambda t, x, y, v: x.clamp(0, 1), lambda t, x, y, v: x.clamp(min=y), lambda t, x, y, v: x.clamp_min(0), lambda t, x, y, v: x.view(9),
    lambda t, x, y, v: x.reshape(9), lambda t, x, y, v: x.flatten(), lambda t, x, y, v: x.t(), lambda t, x, y, v: x.transpose(0, 1),
    lambda t, x, y, v: x.permute(1, 0), lambda t, x, y, v: x[0], lambda t, x, y, v: x[:, 1:], lambda t, x, y, v: x.unsqueeze(0),
    lambda t, x, y, v: x[None].squeeze(), lambda t, x, y, v: x[None].squeeze(0), lambda t, x, y, v: x.expand(2, 3, 3),
    lambda t, x, y, v: t.cat([x, y]), lambda t, x, y, v: t.stack([x, y]), lambda t, x, y, v: t.outer(v, v), lambda t, x, y, v: x.double(),
    lambda t, x, y, v: x.clone(), lambda t, x, y, v: t.where(x > 0, x, y), lambda t, x, y, v: x.norm(), lambda t, x, y, v: t.linalg.det(x),
    lambda t, x, y, v: t.linalg.inv(x), lambda t, x, y, v: t.linalg.solve(x, y), lambda t, x, y, v: t.linalg.svdvals(x),
    lambda t, x, y, v: t.nn.functional.linear(x, y), lambda t, x, y, v: t.nn.functional.linear(x, y, v),
    lambda t, x, y, v: t.nn.functional.linear(x[None], y, v), lambda t, x, y, v: t.nn.functional.linear(x[None], y),
    lambda t, x, y, v: t.nn.functional.softmax(x, 0), lambda t, x, y, v: t.nn.functional.log_softmax(x, 0), lambda t, x, y, v: t.nn.functional.gelu(x),
    lambda t, x, y, v: t.nn.functional.cross_entropy(x, t.tensor([0, 1, 2])), lambda t, x, y, v: t.nn.functional.nll_loss(x, t.tensor([0, 1, 2])),
    lambda t, x, y, v: t.nn.functional.mse_loss(x, y), lambda t, x, y, v: t.nn.functional.layer_norm(x, (3,)),
    lambda t, x, y, v: t.nn.functional.conv2d(x[None, None], y[None, None]), lambda t, x, y, v: t.nn.functional.max_pool2d(x[None, None], 2),
    lambda t, x, y, v: t.nn.functional.avg_pool2d(x[None, None], 2), lambda t, x, y, v: t.nn.functional.relu6(x),
    lambda t, x, y, v: t.nn.functional.batch_norm(x, None, None, training=True), lambda t, x, y, v: t.nn.functional.selu(x),
    lambda t, x, y, v: 2 - x, lambda t, x, y, v: t.rsub(x, y), lambda t, x, y, v: 2 * x, lambda t, x, y, v: 2 / x,
]  # fmt: skip


def names(lib) -> list[str]:
    """The names of the nodes of CASES, in order, and how the first prints."""

    def make(*shape):
        return (lib.ones(*shape) + lib.eye(shape[0]) if len(shape) > 1 else lib.ones(*shape)).requires_grad_()

    x, y, v = make(3, 3), make(3, 3), make(3)
    found = [case(lib, x, y, v).grad_fn for case in CASES]
    return [f.name() for f in found] + [repr(found[0]).split(" object")[0]]
