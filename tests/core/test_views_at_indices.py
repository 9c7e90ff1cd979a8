"""Views at an index that is a tensor still to be computed: they show and write the same elements as those at a
number."""

import pytest

import functorch_lite as torch

from ..support.unchecked import unchecked


def _pending(i, dtype=torch.int64):
    return torch.tensor([i], dtype=dtype)[0] + 0


@pytest.mark.parametrize("i", [0, 2, -1, -3])
@pytest.mark.parametrize("dim", [0, 1])
def test_the_same_view_as_at_a_number(i, dim):
    x, y = torch.arange(12.0).reshape(3, 4), torch.arange(12.0).reshape(3, 4)
    index = (slice(None),) * dim
    view, known = x[(*index, _pending(i))], y[(*index, i)]
    assert torch.equal(view, known)
    view.mul_(2)
    known.mul_(2)
    assert torch.equal(x, y)
    x[(*index, _pending(i))] += 1
    y[(*index, i)] += 1
    assert torch.equal(x, y)
    assert view.stride() == known.stride()
    assert view.storage_offset() == known.storage_offset()


def test_a_loop_over_indices_compiles_once():
    x, total = torch.arange(20.0), torch.zeros(())
    compiled = []
    for i in range(6):
        at = torch.tensor(i) * 2
        x[at].add_(1)
        total = total + x[at]
        total.item()
        compiled.append(torch.debug.stats()["programs"])
    assert total.item() == sum(2 * i + 1 for i in range(6))
    assert compiled[-1] == compiled[2]


def test_a_later_write_to_the_index_does_not_move_the_view():
    x, i = torch.zeros(3), _pending(1)
    view = x[i]
    i.add_(1)
    view.fill_(5)
    assert x.tolist() == [0, 5, 0]


def test_out_of_range_is_nan_and_writes_nothing():
    x = torch.ones(3)
    with unchecked():
        assert x[_pending(7)].isnan()
        x[_pending(7)].fill_(3)
        assert x.tolist() == [1, 1, 1]
    x[_pending(7)].fill_(3)
    with pytest.raises(IndexError, match="index 7 is out of bounds for dimension 0 with size 3"):
        x.tolist()
    assert x.tolist() == [1, 1, 1]


def test_under_vmap_every_example_has_its_own():
    x, i = torch.arange(12.0).reshape(3, 4), torch.tensor([1, 0, 3])

    def doubled(row, at):
        row = row.clone()
        row[at].mul_(2)
        return row

    expected = x.clone()
    for n, at in enumerate([1, 0, 3]):
        expected[n, at] *= 2
    assert torch.equal(torch.vmap(doubled)(x, i), expected)
