"""The pages on several devices run in a process that has four devices."""

from __future__ import annotations

from tests.support.processes import run


def test_the_page_runs():
    printed = run("tests.distributed.document_program")
    assert printed.count("block ok") == 7 and "{'all_gather_into_tensor': 1}" in printed
