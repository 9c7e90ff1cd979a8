"""Tensors that one thread records and another reads: the recording runs as a whole, once."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._core.run.report import stats


def model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))


def rows(n: int) -> list:
    return [torch.sin(torch.arange(8.0) + i) for i in range(n)]


def in_a_thread(work) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_a_recording_runs_as_a_whole():
    net, xs, outs = model(), rows(8), queue.Queue()
    expected = [net(x).tolist() for x in xs]
    torch.synchronize()
    in_a_thread(lambda: [outs.put(net(x)) for x in xs])
    before = dict(stats)
    got = [outs.get().tolist() for _ in xs]
    assert stats["ops"] - before["ops"] == 3 * len(xs)
    assert stats["cold"] + stats["runs"] - before["cold"] - before["runs"] == 1
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_a_thread_goes_on_recording_while_another_reads():
    net, xs, outs = model(), rows(60), queue.Queue()
    expected = [net(x).sum().item() for x in xs]
    thread = threading.Thread(target=lambda: [outs.put(net(x)) for x in xs])
    thread.start()
    got = [outs.get().sum().item() for _ in xs]
    thread.join()
    assert got == pytest.approx(expected, abs=1e-6)


def test_gradients_of_what_another_thread_records():
    net, xs, outs = model(), rows(8), queue.Queue()
    for x in xs:
        net(x).sum().backward()
    expected = net[0].weight.grad.tolist()
    net.zero_grad()
    in_a_thread(lambda: [outs.put(net(x)) for x in xs])
    for _ in xs:
        outs.get().sum().backward()
    np.testing.assert_allclose(net[0].weight.grad.numpy(), expected, rtol=1e-5)


def test_a_batching_server():
    net, asked, wrong = model(), queue.Queue(), []

    def serve():
        while (first := asked.get()) is not None:
            batch = [first]
            while not asked.empty() and len(batch) < 4:
                if (one := asked.get()) is None:
                    asked.put(None)
                    break
                batch.append(one)
            for (_, answer), out in zip(batch, net(torch.stack([x for x, _ in batch]))):
                answer.put(out)

    def ask(k):
        for x in rows(10):
            answer = queue.Queue()
            asked.put((x + k, answer))
            got = answer.get().sum().item()
            with torch.no_grad():
                if abs(got - net(x + k).sum().item()) > 1e-5:
                    wrong.append(got)

    server = threading.Thread(target=serve)
    clients = [threading.Thread(target=ask, args=(k,)) for k in range(4)]
    for thread in [server, *clients]:
        thread.start()
    for thread in clients:
        thread.join()
    asked.put(None)
    server.join()
    assert not wrong


def test_a_pool_maps_over_tensors():
    net, xs = model(), rows(32)
    expected = [net(x).sum().item() for x in xs]
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda x: net(x).sum(), xs))
    assert [y.item() for y in got] == pytest.approx(expected, abs=1e-6)


def test_two_threads_read_what_the_other_records():
    a, b, barrier, got = [], [], threading.Barrier(2), {}

    def work(k, mine, others):
        for i in range(40):
            mine.append(torch.ones(3) * (i + k))
            barrier.wait()
            got[k, i] = (others[i] + torch.ones(3)).sum().item()

    threads = [threading.Thread(target=work, args=args) for args in ((0, a, b), (1, b, a))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {(k, i): 3.0 * (i + 1 - k) + 3 for k in (0, 1) for i in range(40)}
