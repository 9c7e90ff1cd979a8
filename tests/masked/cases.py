"""Calls of torch.masked, written once for both libraries: `run(lib, source)` evaluates one."""

from __future__ import annotations

import numpy as np

X = np.array([[1.5, -2.0, 3.0, 0.5], [4.0, 5.0, -6.0, 1.0], [0.1, 0.2, 0.3, 2.0]])
MASK = np.array([[True, False, True, True], [False, False, False, False], [True, True, False, True]])

REDUCTIONS = ["sum", "prod", "amax", "amin", "mean", "var", "std", "logsumexp", "norm"]
OTHERS = ["cumsum", "cumprod", "median", "argmax", "argmin", "softmax", "log_softmax", "softmin", "normalize"]
CALLS = [f"m.{n}(x, mask=k)" for n in REDUCTIONS]
CALLS += [f"m.{n}({'x' if n != 'norm' else 'x, 3.'}, 1, mask=k, keepdim=True)" for n in REDUCTIONS]
CALLS += [
    "m.sum(x, (0, 1), mask=k)", "m.sum(x, ())", "m.sum(x, 1, dtype=torch.float32, mask=k)", "m.sum(i, 1, mask=k)", "m.sum(x, 0, mask=k[0])",
    "m.prod(i, (0, 1), mask=k)", "m.amax(i, 1, mask=k)", "m.amin(i, 0, mask=k)", "m.amax(x, 0)", "m.mean(x, (0, 1), mask=k)",
    "m.mean(i, 1, dtype=torch.float64, mask=k)", "m.var(x, 1, unbiased=False, mask=k)", "m.var(x, 0, correction=0, mask=k)",
    "m.std(i, 1)", "m.var(x, (0, 1))", "m.norm(x, float('inf'), 1, mask=k)", "m.norm(x, -float('inf'), 1, mask=k)", "m.norm(x.detach(), 0, 1, mask=k)",
    "m.argmax(x, mask=k)", "m.argmax(x, 1, mask=k)", "m.argmin(x, 0, mask=k, keepdim=True)", "m.argmin(i, 1, mask=k)",
    "m.median(x, 1, mask=k)", "m.median(i, 1, mask=k[:1])", "m.logsumexp(i, 1, mask=k)", "m.var(i, 1, dtype=torch.int64)", "m.median(x, None, mask=k)", "m.median(x, 0, keepdim=True)", "m.cumsum(x, 1, mask=k)", "m.cumsum(i, 0, mask=k)",
    "m.cumprod(x, 0, mask=k)", "m.softmax(x, 1, mask=k)", "m.log_softmax(x, 1, mask=k)", "m.softmin(x, 0, mask=k)", "m.softmax(x, 0)",
    "m.normalize(x, 2., 1, mask=k)", "m.normalize(x, 3., 0, eps=0.5)", "m.logaddexp(x, 2 * x, input_mask=k, other_mask=~k)",
    "m.softmax(x, 1, dtype=torch.float32, mask=k)",
]  # fmt: skip
ERRORS = [
    "m.mean(i, 1)",
    "m.sum(x, 5)",
    "m.sum(x, (0, 0))",
    "m.sum(x[0], 0, mask=k)",
    "m.sum(x, 1, mask=k[:, :2])",
    "m.median(i, 1, mask=k)",
    "m.amax(k, 1, mask=k)",
    "m.var(k, 1)",
    "m.cumsum(k, 1)",
]

OF_MASKED_TENSORS = [
    "a", "a + a", "a + 1", "2 / a", "-a", "a ** 2", "a.exp()", "a.sum()", "a.sum(1)", "a.mean(1)", "a.amax(0)", "a.prod()",
    "a.std(1)", "a.argmax(1)", "a.softmax(1)", "a.t()", "a[0]", "a.reshape(4, 3)", "a.unsqueeze(0)", "a == a", "a.isnan()",
    "a.to_tensor(7.)", "a.get_data()", "a.get_mask()", "a.double()", "a.sigmoid()", "m.masked_tensor(i, k)", "m.masked_tensor(k, k)",
    "a.sum(1).sum()", "m.as_masked_tensor(x, k).abs()", "m.is_masked_tensor(a)", "m.sum(a, 1)", "m.softmax(a, 1)",
]  # fmt: skip
ERRORS_OF_MASKED_TENSORS = [
    "a + m.masked_tensor(x, ~k)", "m.masked_tensor(x, k.float())", "m.masked_tensor(x, k[0])", "m.masked_tensor([1.], k)",
]  # fmt: skip


def scope(lib) -> dict:
    """What a call may name."""
    m, x, k = lib.masked, lib.tensor(X), lib.tensor(MASK)
    i = lib.tensor(np.array(X * 2, np.int64))
    return {"torch": lib, "m": m, "x": x, "k": k, "i": i, "a": m.masked_tensor(x.float(), k)}
