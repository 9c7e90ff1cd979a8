"""A ConvNeXt whose activations are cut over the width, beside one device: see benchmarks/distributed/convnext_mesh.py.
Two columns over four devices at its last stage; with FUNCTORCH_LITE_PARITY=full other widths and numbers of devices, in
float32 too, and the memory of the large one."""

from __future__ import annotations

from tests.support.full import FULL
from tests.support.processes import run

MODULE = "benchmarks.distributed.convnext_mesh"


def test_three_steps_are_those_of_one_device():
    printed = run(MODULE, "--devices", "4", "--width", "64", "--dtype", "float64")
    assert printed.count("at most") == 3 and "'permute'" in printed
    if FULL:
        for devices in (2, 4):
            for width in (64, 96, 224):
                run(MODULE, "--devices", str(devices), "--width", str(width), devices=devices)
        assert "0.6" in run(MODULE, "--devices", "2", "--full", "--no-run", devices=2, timeout=3600)
