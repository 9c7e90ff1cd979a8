"""A backward that has come many times before is replayed, and looks for overwritten tensors only after a write: every
way to write counts."""

import threading

import pytest

import functorch_lite as torch


def _add(w, opt):
    with torch.no_grad():
        w.add_(1.0)


def _copy(w, opt):
    with torch.no_grad():
        w.copy_(torch.zeros(3))


def _part(w, opt):
    with torch.no_grad():
        w[1:] = 0.0


def _out(w, opt):
    with torch.no_grad():
        torch.add(torch.ones(3), torch.ones(3), out=w)


def _step(w, opt):
    w.grad = torch.ones(3)
    opt.step()
    w.grad = None


def _load(w, opt):
    held = torch.nn.Module()
    held.w = w
    held.load_state_dict({"w": torch.zeros(3)})


def _init(w, opt):
    torch.nn.init.ones_(w)


def _elsewhere(w, opt):
    thread = threading.Thread(target=_add, args=(w, opt))
    thread.start()
    thread.join()


WRITES = [_add, _copy, _part, _out, _step, _load, _init, _elsewhere]


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize("write", WRITES, ids=lambda f: f.__name__[1:])
def test_a_write_between_forward_and_backward_is_noticed(write, kind):
    w = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))
    x = torch.tensor([1.0, -1.0, 2.0], requires_grad=True)
    opt = getattr(torch.optim, kind)([w], lr=0.1)

    def loss():
        opt.zero_grad()
        x.grad = None
        return (w * x).sum()

    for _ in range(4):
        loss().backward()
        opt.step()
    for _ in range(2):
        pending = loss()
        write(w, opt)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            pending.backward()
        before = w.detach().clone()
        loss().backward()
        torch.testing.assert_close(x.grad, before)
        torch.testing.assert_close(w.grad, x.detach())
        opt.step()


def test_a_write_to_another_tensor_changes_nothing():
    w = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))
    total = torch.zeros(())
    for i in range(6):
        w.grad = None
        loss = (w**2).sum()
        with torch.no_grad():
            total += loss
        loss.backward()
        torch.testing.assert_close(w.grad, torch.tensor([2.0, 4.0, 6.0]))
        assert total.item() == 14.0 * (i + 1)
