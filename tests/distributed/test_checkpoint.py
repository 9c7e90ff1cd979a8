"""torch.distributed.checkpoint: other numbers of devices, saves that are ended by a signal, and what is wrong with a
file."""

from __future__ import annotations

import json

import pytest

import functorch_lite as torch
import functorch_lite.distributed.checkpoint as dcp
from functorch_lite import nn
from functorch_lite.distributed.checkpoint import state_dict as sd
from tests.support.full import FULL
from tests.support.processes import run

PROGRAM = "tests.distributed.checkpoint_program"


def test_what_four_devices_save_two_and_one_load(tmp_path):
    if not FULL:
        assert run(PROGRAM, "both", str(tmp_path), "4", "2", "1").count(" ok") == 3
        return
    for devices in (1, 2, 4):
        run(PROGRAM, "save", str(tmp_path), devices=devices)
        for others in (1, 2, 4):
            assert f"loaded on {others} ok" in run(PROGRAM, "load", str(tmp_path), devices=others)


def test_a_save_that_is_killed_leaves_the_one_before(tmp_path):
    printed = run("tests.distributed.kills_program", str(tmp_path / "c"), "30" if FULL else "10", devices=1)
    assert " kills ok" in printed


def trained(steps: int = 1):
    model = nn.Linear(2, 3)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return model, optimizer


def test_modules_and_optimizers_are_saved_by_themselves(tmp_path):
    model, optimizer = trained()
    dcp.save(
        {"model": model, "optim": optimizer, "lists": [1, [2.0, "x"]]},
        storage_writer=dcp.FileSystemWriter(tmp_path),
    )
    other, its = trained(2)
    state = {"model": other, "optim": its, "lists": []}
    dcp.load(state, storage_reader=dcp.FileSystemReader(tmp_path))
    assert torch.equal(other.weight, model.weight) and state["lists"] == [1, [2.0, "x"]]
    assert its.state[other.weight]["step"] == 1
    with pytest.raises(dcp.CheckpointException, match="The state of an optimizer exists only after a step"):
        dcp.load({"optim": trained(0)[1]}, checkpoint_id=tmp_path)


def test_an_optimizer_that_has_not_stepped_has_a_place_for_its_state():
    model, optimizer = trained(3)
    other, its = trained(0)
    before = other.weight.tolist()
    for options in (None, sd.StateDictOptions(flatten_optimizer_state_dict=True)):
        names = sd.get_optimizer_state_dict(other, its, options=options)
        assert other.weight.tolist() == before and its.param_groups[0]["lr"] == 1e-3
        assert ("state.weight.exp_avg" in names) == (options is not None)
        sd.set_optimizer_state_dict(
            other, its, sd.get_optimizer_state_dict(model, optimizer, options=options), options=options
        )
        assert torch.equal(its.state[other.weight]["exp_avg"], optimizer.state[model.weight]["exp_avg"])
    with pytest.raises(RuntimeError, match="no 'step' of parameter 'weight'"):
        sd.set_optimizer_state_dict(other, its, {"state": {}, "param_groups": []})
    with pytest.raises(RuntimeError, match="give the model that it trains"):
        sd.get_optimizer_state_dict(other, optimizer)
    with pytest.raises(ValueError, match="full_state_dict must be True"):
        sd.StateDictOptions(broadcast_from_rank0=True)


def test_async_save_has_the_numbers_of_the_call(tmp_path):
    w = torch.ones(1000)
    future = dcp.async_save({"w": w}, checkpoint_id=tmp_path)
    w.zero_()
    assert future.result() == tmp_path
    dcp.load(state := {"w": torch.zeros(1000)}, checkpoint_id=tmp_path)
    assert state["w"].sum() == 1000
    (tmp_path / "file").touch()
    with pytest.raises(OSError):
        dcp.async_save({"w": w}, checkpoint_id=tmp_path / "file").result()


def test_what_is_missing_or_damaged(tmp_path):
    with pytest.raises(dcp.CheckpointException, match="expected a complete checkpoint"):
        dcp.load({"w": torch.ones(1)}, checkpoint_id=tmp_path)
    dcp.save({"w": torch.ones(4), "n": 1}, checkpoint_id=tmp_path)
    with pytest.raises(dcp.CheckpointException, match="Missing key in checkpoint state_dict: v"):
        dcp.load({"v": torch.ones(4)}, checkpoint_id=tmp_path)
    partial = {"v": torch.ones(4), "w": torch.zeros(4)}
    dcp.load(partial, checkpoint_id=tmp_path, planner=dcp.DefaultLoadPlanner(allow_partial_load=True))
    assert partial["w"].sum() == 4 and partial["v"].sum() == 4
    with pytest.raises(ValueError, match="Size mismatch between saved"):
        dcp.load({"w": torch.ones(5)}, checkpoint_id=tmp_path)
    with pytest.raises(ValueError, match="but not in the checkpoint"):
        dcp.load({"n": torch.ones(1)}, checkpoint_id=tmp_path)
    with pytest.raises(ValueError, match="two values have the name"):
        dcp.save({"a.b": 1, "a": {"b": 2}}, checkpoint_id=tmp_path)
    with pytest.raises(RuntimeError, match="`checkpoint_id` must be specified"):
        dcp.save({})
    (data,) = tmp_path.glob("*.data")
    data.write_bytes(b"\x01" + data.read_bytes()[1:])
    with pytest.raises(dcp.CheckpointException, match="is damaged"):
        dcp.load({"w": torch.ones(4)}, checkpoint_id=tmp_path)
    told = json.loads((tmp_path / "metadata.json").read_text())
    told["entries"]["w"]["file"] = "../outside.data"
    (tmp_path / "metadata.json").write_text(json.dumps(told))
    with pytest.raises(dcp.CheckpointException, match="is not in file"):
        dcp.load({"w": torch.ones(4)}, checkpoint_id=tmp_path)
