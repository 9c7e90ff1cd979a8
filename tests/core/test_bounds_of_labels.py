"""Labels and indices that are out of range, as they reach a loss in users' programs: an IndexError that names op, range
and line, whichever way they came."""

import re
import traceback

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._core.lazy import breaches
from functorch_lite.distributed.tensor import Shard, distribute_tensor, init_device_mesh
from functorch_lite.nn import functional as F
from functorch_lite.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split

X = torch.randn(12, 4)
RIGHT, WRONG = [0, 1, 2] * 4, [1, 2, 3] * 4
PROGRAMS = {}


def program(fn):
    """Adds a program of labels; of three classes, unless it makes them itself."""
    PROGRAMS[fn.__name__] = fn


def batches(fn):
    """Adds a program that trains on the batches that a function of labels gives."""

    def train(labels):
        model = nn.Linear(4, 3)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for x, y in fn(labels):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        return loss.item()

    PROGRAMS[fn.__name__] = train


class Rows(Dataset):
    """Rows with labels as they are given: ints, or elements of an array or tensor."""

    def __init__(self, labels):
        self.labels = labels

    def __len__(self):
        return len(X)

    def __getitem__(self, i):
        return X[i], self.labels[i]


def data(labels):
    return TensorDataset(X, torch.tensor(labels))


def shuffled(labels):
    return torch.tensor(labels)[torch.randperm(12)]


@batches
def loader(labels):
    return DataLoader(data(labels), 4)


@batches
def shuffling_loader(labels):
    return DataLoader(data(labels), 4, shuffle=True)


@batches
def subset(labels):
    return DataLoader(Subset(data(labels), range(2, 10)), 4)


@batches
def split(labels):
    return DataLoader(random_split(data(labels), [8, 4])[0], 4)


@batches
def dataset_of_ints(labels):
    return DataLoader(Rows(labels), 4, shuffle=True)


@batches
def dataset_of_numpy(labels):
    return DataLoader(Rows(np.array(labels)), 4, shuffle=True)


@batches
def dataset_of_tensors(labels):
    return DataLoader(Rows(torch.tensor(labels)), 4, shuffle=True)


@batches
def permuted_by_hand(labels):
    y, order = torch.tensor(labels), torch.randperm(12)
    return [(X[order[i : i + 4]], y[order[i : i + 4]]) for i in (0, 4, 8)]


@batches
def permuted_and_then_sliced(labels):
    y = shuffled(labels)
    return [(X[i : i + 4], y[i : i + 4]) for i in (0, 4, 8)]


@batches
def selected(labels):
    order = torch.randperm(12)
    return [(X.index_select(0, order), torch.tensor(labels).index_select(0, order))]


@batches
def ordered_by_random_numbers(labels):
    order = torch.rand(12).argsort()
    return [(X[order], torch.tensor(labels)[order])]


@batches
def split_permutation(labels):
    y = torch.tensor(labels)
    return [(X[part], y[part]) for part in torch.randperm(12).split(4)]


@batches
def cast_from_floats(labels):
    return [(X, torch.tensor(labels, dtype=torch.float32).long())]


@batches
def written(labels):
    y = torch.zeros(12, dtype=torch.int64)
    y[:] = torch.tensor(labels)
    return [(X, y)]


@batches
def stacked(labels):
    return [(X[:3], torch.stack(list(torch.tensor(labels)[:3])))]


@batches
def of_argmax(labels):
    return [(X, F.one_hot(torch.tensor(labels), 4).argmax(1))]


@batches
def of_top_k(labels):
    return [(X, F.one_hot(torch.tensor(labels), 4).float().topk(1).indices[:, 0])]


@batches
def of_buckets(labels):
    return [(X, torch.bucketize(torch.tensor(labels), torch.arange(4)))]


@batches
def beside_what_is_ignored(labels):
    return [(X, torch.where(torch.arange(12) == 0, -100, torch.tensor(labels)))]


@program
def gradients_that_are_read(labels):
    model = nn.Linear(4, 3)
    F.cross_entropy(model(X), shuffled(labels)).backward()
    return model.weight.grad.tolist()


@program
def losses_of_each(labels):
    return F.cross_entropy(X[:, :3], shuffled(labels), reduction="none").tolist()


@program
def segmentation(labels):
    return F.cross_entropy(torch.ones(1, 3, 3, 4), shuffled(labels).view(1, 3, 4)).item()


@program
def nll(labels):
    return F.nll_loss(X[:, :3], shuffled(labels)).item()


@program
def margins(labels):
    return F.multi_margin_loss(X[:, :3], shuffled(labels)).item()


@program
def ctc(labels):
    length = torch.tensor([12])
    return F.ctc_loss(torch.ones(12, 1, 3), shuffled(labels)[None], length, length).item()


@program
def embedding(labels):
    return nn.Embedding(3, 2)(shuffled(labels)).sum().item()


@program
def bag(labels):
    return nn.EmbeddingBag(3, 2)(shuffled(labels).view(3, 4)).sum().item()


@program
def gather(labels):
    return X[:, :3].gather(1, shuffled(labels)[:, None]).sum().item()


@program
def scatter(labels):
    return torch.zeros(12, 3).scatter_(1, shuffled(labels)[:, None], 1.0).sum().item()


@program
def counts(labels):
    return torch.zeros(3).index_add_(0, shuffled(labels), torch.ones(12)).tolist()


@program
def one_hot(labels):
    return F.one_hot(shuffled(labels), 3).tolist()


@program
def indexed(labels):
    return torch.ones(3)[shuffled(labels)].sum().item()


@program
def indexed_by_two(labels):
    return X[torch.arange(12), shuffled(labels) + 1].sum().item()


@program
def indexed_in_a_loop(labels):
    weights, total = torch.ones(3), 0
    for i in shuffled(labels):
        total = total + weights[i]
    return total.item()


@program
def confusion(labels):
    y, matrix = shuffled(labels), torch.zeros(3, 3)
    matrix.index_put_((y, y), torch.ones(12), accumulate=True)
    return matrix.tolist()


@program
def mapped(labels):
    return torch.vmap(F.cross_entropy)(X[:, :3], shuffled(labels)).tolist()


@program
def gradients_of_samples(labels):
    def loss(w, x, y):
        return F.cross_entropy(x @ w, y)

    grads = torch.vmap(torch.func.grad(loss), (None, 0, 0))(torch.ones(4, 3), X, shuffled(labels))
    return grads.sum().item()


@program
def hessian(labels):
    y = shuffled(labels)
    return torch.func.hessian(lambda w: F.cross_entropy(X @ w, y))(torch.zeros(4, 3)).sum().item()


@program
def compiled_and_replayed(labels):
    loss = torch.compile(lambda x, y, order: F.cross_entropy(x[order, :3], y[order]))
    for y in (RIGHT, RIGHT, labels):
        value = loss(X, torch.tensor(y), torch.randperm(12))
    return value.item()


@program
def checkpointed(labels):
    x, y = X[:, :3].clone().requires_grad_(), shuffled(labels)
    torch.utils.checkpoint.checkpoint(
        lambda x: F.cross_entropy(x.exp(), y), x, use_reentrant=False
    ).backward()
    return x.grad.tolist()


@program
def on_a_mesh(labels):
    mesh = init_device_mesh("cpu", (1,))
    x, y = (distribute_tensor(t, mesh, [Shard(0)]) for t in (X[:, :3], shuffled(labels)))
    return F.cross_entropy(x, y).full_tensor().item()


def refuses(fn):
    """Runs a program with labels in range, and with others, which it has to refuse by name."""
    fn(RIGHT)
    with pytest.raises(IndexError) as caught:
        fn(WRONG)
    said = str(caught.value)
    assert re.search(
        r"3 classes end at 2, 3 was found|takes (0|-[34]) to [23], and got [34]|size [34]$", said
    ), said
    frames = [frame.filename for frame in traceback.extract_tb(caught.tb)]
    assert __file__ in re.findall(r"first recorded at (.*?):\d+", said) or frames.count(__file__) > 1
    assert not breaches.pending
    fn(RIGHT)  # it is told once, also where the traceback keeps what was recorded


@pytest.mark.parametrize("name", PROGRAMS)
def test_labels_out_of_range(name):
    with torch.debug.tier("cold"):
        refuses(PROGRAMS[name])


IN_PROGRAMS = ("shuffling_loader", "of_argmax", "beside_what_is_ignored", "embedding", "gather", "gradients_of_samples", "compiled_and_replayed", "ctc")  # fmt: skip


@pytest.mark.programs
@pytest.mark.parametrize("name", IN_PROGRAMS)
def test_labels_out_of_range_in_programs(name):
    with torch.debug.tier("compiled"):
        refuses(PROGRAMS[name])
