"""Errors that users make, each a function of the library; for tests/test_tracebacks.py, and beside PyTorch there."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["CASES", "Case"]


class Case:
    """`run(torch)` raises; `frames` are the user's functions that its traceback shows below `run`."""

    def __init__(self, run: Callable, frames: tuple[str, ...], same: bool):
        self.run, self.frames, self.same = run, frames, same


CASES: dict[str, Case] = {}


def case(*frames: str, same: bool = True) -> Callable[[Callable], Callable]:
    """Adds a case. same: the last line is PyTorch's."""

    def add(run: Callable) -> Callable:
        CASES[run.__name__] = Case(run, frames, same)
        return run

    return add


@case()
def width_of_linear(torch):
    torch.nn.Linear(3, 4)(torch.ones(2, 5))


@case()
def width_in_sequential(torch):
    torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(5, 6))(torch.ones(2, 3))


@case("forward", "inner")
def width_in_own_module(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 4)

        def inner(self, x):
            return self.layer(x)

        def forward(self, x):
            return self.inner(x)

    torch.nn.Sequential(Net())(torch.ones(2, 5))


@case()
def shapes_of_matmul(torch):
    torch.ones(2, 3) @ torch.ones(2, 3)


@case()
def shapes_of_add(torch):
    torch.ones(2, 3) + torch.ones(2, 4)


@case()
def shapes_of_cat(torch):
    torch.cat([torch.ones(2, 3), torch.ones(3, 4)])


@case()
def dtype_of_linear(torch):
    torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 3, dtype=torch.float64))


@case()
def not_a_tensor(torch):
    torch.sin("x")


@case()
def index_out_of_range(torch):
    torch.ones(3)[5]


@case()
def backward_twice(torch):
    y = (torch.ones(3, requires_grad=True) ** 2).sum()
    y.backward()
    y.backward()


@case()
def backward_of_many(torch):
    torch.ones(3, requires_grad=True).backward()


@case()
def written_leaf(torch):
    torch.ones(3, requires_grad=True).add_(1)


@case()
def size_of_view(torch):
    torch.ones(2, 3).view(7)


@case()
def target_of_cross_entropy(torch):
    torch.nn.CrossEntropyLoss()(torch.ones(2, 3), torch.ones(2, 2, dtype=torch.int64))


@case()
def channels_of_conv(torch):
    torch.nn.Conv2d(3, 4, 3)(torch.ones(1, 5, 8, 8))


@case()
def keys_of_state_dict(torch):
    torch.nn.Linear(2, 3).load_state_dict({"weight": torch.ones(3, 2)})


@case()
def shapes_of_state_dict(torch):
    torch.nn.Linear(2, 3).load_state_dict({"weight": torch.ones(3, 7), "bias": torch.ones(3)})


@case()
def no_parameters(torch):
    torch.optim.AdamW([], lr=0.1)


@case()
def item_of_many(torch):
    torch.ones(3).item()


@case()
def bool_of_many(torch):
    if torch.ones(3) > 0:
        pass


@case()
def numpy_with_gradient(torch):
    torch.ones(3, requires_grad=True).numpy()


@case()
def reshape_of_empty_tuple(torch):
    torch.ones(2, 3).reshape(4, -1)


@case("function")
def item_in_vmap(torch):
    def function(x):
        return x.item()

    torch.func.vmap(function)(torch.ones(3))


@case()
def dims_of_vmap(torch):
    torch.func.vmap(torch.sin, in_dims=3)(torch.ones(3))


@case()
def gradient_of_many(torch):
    torch.func.grad(torch.sin)(torch.ones(3))


@case("function", "inner", same=False)  # PyTorch tells of the sizes of the batch
def shapes_in_nested_transforms(torch):
    def inner(x):
        return (x @ torch.ones(5)).sum()

    def function(x):
        return inner(x)

    torch.func.vmap(torch.func.grad(function))(torch.ones(2, 3))


@case("function")
def own_error_in_grad(torch):
    def function(x):
        raise ValueError("mine")

    torch.func.grad(function)(torch.ones(()))


@case("hook")
def failing_hook(torch):
    def hook(module, args):
        raise KeyError("mine")

    layer = torch.nn.Linear(2, 3)
    layer.register_forward_pre_hook(hook)
    layer(torch.ones(1, 2))


@case("hook")
def failing_gradient_hook(torch):
    def hook(grad):
        raise ValueError("mine")

    x = torch.ones(3, requires_grad=True)
    x.register_hook(hook)
    x.sum().backward()


@case("backward")
def failing_backward(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g @ torch.ones(7, 7)

    Square.apply(torch.ones(1, 3, requires_grad=True)).sum().backward()


@case("__getitem__")
def broken_dataset(torch):
    class Broken(torch.utils.data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            raise KeyError("no such sample")

    for _ in torch.utils.data.DataLoader(Broken(), batch_size=2):
        pass


@case("closure")
def failing_closure(torch):
    p = torch.nn.Parameter(torch.ones(3))

    def closure():
        return p @ torch.ones(4)

    torch.optim.SGD([p], lr=0.1).step(closure)


@case()
def scale_of_normal(torch):
    torch.distributions.Normal(
        torch.zeros(()), torch.full((), -1.0), validate_args=True
    )  # PyTorch's compiler turns the default off


@case()
def file_that_is_not_there(torch):
    torch.load("/no/such/file.pt")
