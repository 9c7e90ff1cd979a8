"""Gradients that are sparse tensors, and gradients of sparse tensors: functions of a library, PyTorch or this one."""

from __future__ import annotations

from typing import Any


def told(g: Any) -> Any:
    """A gradient as plain data."""
    if g is None or not g.is_sparse:
        return None if g is None else g.tolist()
    g = g.coalesce()
    return {"at": g.indices().tolist(), "values": g.values().tolist(), "size": tuple(g.shape)}


def rows(lib: Any) -> Any:
    """A look-up whose gradient has the rows that were looked up."""

    class Rows(lib.autograd.Function):
        @staticmethod
        def forward(ctx, table, at):
            ctx.save_for_backward(at)
            ctx.size = table.shape
            return table[at]

        @staticmethod
        def backward(ctx, grad):
            (at,) = ctx.saved_tensors
            return lib.sparse_coo_tensor(at[None], grad, ctx.size), None

    return lambda table, *at: Rows.apply(table, lib.tensor(at)).sum()


def table(lib: Any) -> Any:
    return lib.ones(4, 2, requires_grad=True)


def of_a_function(lib):
    look, w = rows(lib), table(lib)
    look(w, 1, 3, 1).backward()
    found = [told(w.grad)]
    kept = w.grad
    look(w, 0).backward()
    return [*found, told(w.grad), kept is w.grad, told(lib.autograd.grad(look(w, 2), w)[0])]


def added(lib):
    """Sparse and dense, in one walk and one after the other."""
    look, found = rows(lib), []
    for losses in ((1,), (2, 0), (0, 2), (2, 2)):
        w = table(lib)
        terms = [
            look(w, 1, 3) if k == 2 else (w * 3).sum() if k == 0 else look(w, 1) + (w * 2).sum()
            for k in losses
        ]
        for term in terms:
            term.backward()
        found += [
            told(w.grad),
            told(lib.autograd.grad(sum(look(w, 1) if k else (w * 3).sum() for k in losses), w)[0]),
        ]
    return found


def seen_by_hooks(lib):
    look, w, log = rows(lib), table(lib), []
    w.register_hook(lambda g: log.append(told(g)))
    w.register_post_accumulate_grad_hook(lambda p: log.append(p.grad.is_sparse))
    look(w, 1, 3).backward()
    look(w, 1).backward(create_graph=True)
    return log, told(w.grad)


def stepped(lib):
    look, found = rows(lib), []
    for optimizer in (lib.optim.SGD, lib.optim.SparseAdam, lib.optim.Adagrad):
        w = table(lib)
        step = optimizer([w], lr=0.25)
        for _ in range(2):
            step.zero_grad()
            look(w, 1, 3).backward()
            step.step()
        found += [[round(x, 4) for x in row] for row in w.tolist()]
    try:
        look(w, 1).backward()
        lib.optim.Adam([w]).step()
    except RuntimeError as error:
        found.append(str(error))
    return found


def of_sparse_tensors(lib):
    found = []
    for at in ([[0, 1, 2], [2, 0, 1]], [[0, 1, 1], [2, 0, 0]]):
        s = lib.sparse_coo_tensor(at, [1.0, 2.0, 3.0], (3, 3)).requires_grad_()
        weights = lib.arange(9.0).reshape(3, 3)
        found.append(told(lib.autograd.grad((s.to_dense() * weights).sum(), s)[0]))
        (s.to_dense() * weights).sum().backward()
        found.append(told(s.grad))
    s = lib.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], (3, 3)).requires_grad_()
    d = lib.ones(3, 2, requires_grad=True)
    return [*found, *map(told, lib.autograd.grad((lib.sparse.mm(s, d) ** 2).sum(), (s, d)))]


def arguments_of_functions(lib):
    class Scaled(lib.autograd.Function):
        @staticmethod
        def forward(ctx, s, k):
            ctx.k = k
            ctx.save_for_backward(s)
            return s * k

        @staticmethod
        def backward(ctx, grad):
            (s,) = ctx.saved_tensors
            return grad * ctx.k if s.is_sparse and grad.is_sparse else None, None

    class Product(lib.autograd.Function):
        @staticmethod
        def forward(ctx, s, d):
            ctx.save_for_backward(s, d)
            return s @ d

        @staticmethod
        def backward(ctx, grad):
            s, _ = ctx.saved_tensors
            return None, s.t() @ grad

    s = lib.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], (3, 3))
    d = lib.ones(3, 2, requires_grad=True)
    found = [told(lib.autograd.grad(Product.apply(s, d).sum(), d)[0])]
    s.requires_grad_()
    out = Scaled.apply(s, 3.0)
    found += [
        out.is_sparse,
        out.requires_grad,
        out.is_leaf,
        told(lib.autograd.grad(out.to_dense().sum(), s)[0]),
    ]
    return [*found, *map(told, lib.autograd.grad(Product.apply(s, d).sum(), (d, s), allow_unused=True))]


PROGRAMS = (of_a_function, added, seen_by_hooks, stepped, of_sparse_tensors, arguments_of_functions)
