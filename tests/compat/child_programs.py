"""`python -m functorch_lite.compat tests/compat/child_programs.py KIND …`: a program that knows PyTorch only by name, and
whose children compute. Prints a line for each way of starting them: "KIND ok", or what a child said."""

import concurrent.futures
import multiprocessing
import os
import sys

import torch

SCALE = torch.tensor([1.0, 2.0])
LIMIT = 60
"""Seconds that an answer may take."""


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1, bias=False)

    def forward(self, x):
        return self.layer(x)


def work(i, net):
    return os.getpid(), repr(torch), SCALE * i, net(SCALE * i).detach(), net, torch.max(SCALE * i, 0)


def singular(i):
    return torch.linalg.cholesky(torch.zeros(i, i)).sum().item()


def put(queue, i, net):
    queue.put(work(i, net))


def inner(i, net):
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        return pool.submit(work, i, net).result(LIMIT)


def is_right(answer, i, net):
    pid, name, scaled, out, back, most = answer
    return (
        pid != os.getpid()
        and "functorch_lite" in name
        and scaled.tolist() == [i, 2.0 * i]
        and out.tolist() == [11.0 * i]
        and torch.equal(back.layer.weight, net.layer.weight)
        and isinstance(most, torch.return_types.max)
        and (most.values.item(), most.indices.item()) == (2.0 * i, 1)
    )


def pool(method, net):
    with multiprocessing.get_context(method).Pool(1) as workers:
        return workers.starmap_async(work, [(i, net) for i in (1, 2)]).get(LIMIT)


def process(method, net):
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=put, args=(queue, 1, net))
    child.start()
    answer = queue.get(timeout=LIMIT)
    child.join(LIMIT)
    assert child.exitcode == 0
    return [answer]


def executor(method, net):
    workers = concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context(method))
    with workers:
        error = workers.submit(singular, 2).exception(LIMIT)
        assert type(error) is torch.linalg.LinAlgError, repr(error)
        return list(workers.map(work, (1, 2), (net, net), timeout=LIMIT))


def nested(method, net):
    workers = concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context(method))
    with workers:
        return [workers.submit(inner, 1, net).result(LIMIT)]


def preloaded(method, net):
    context = multiprocessing.get_context(method)
    context.set_forkserver_preload(["torch", "torch.nn", "a_module_that_does_not_exist"])
    return pool(method, net)


def loky(method, net):
    import joblib

    jobs = [joblib.delayed(work)(i, net) for i in (1, 2)]
    by_value = [joblib.delayed(lambda i: (work(i, net), torch)[0])(i) for i in (1, 2)]
    workers = joblib.Parallel(2, timeout=LIMIT)
    assert all(is_right(answer, i, net) for i, answer in enumerate(workers(by_value), 1))
    return workers(jobs)


if __name__ == "__main__":
    net = Net()
    net.layer.weight.data.copy_(torch.tensor([[3.0, 4.0]]))
    for kind in sys.argv[1:]:
        way, _, method = kind.partition(":")
        answers = globals()[way](method, net)
        right = all(is_right(answer, i, net) for i, answer in enumerate(answers, 1))
        print(kind, "ok" if right else answers, flush=True)
