"""What `benchmarks/whole_runs` makes of its figures, and the form of its scripts.
The runs themselves take an hour: `python -m benchmarks whole_runs`."""

import ast

import pytest

from benchmarks import whole_runs


def _found(spent, steps=None, values=None):
    return {"spent": spent, "steps": steps or len(spent), "values": values or {}}


def test_the_last_third_leaves_out_what_the_first_steps_took():
    assert whole_runs.late(_found([10.0, 10.5, 11.0])) == pytest.approx(0.5)
    assert whole_runs.late(_found([2.0])) == 2.0


def test_a_run_that_was_cut_goes_on_at_its_late_pace():
    assert whole_runs.total(_found([10.0, 10.5, 11.0])) == 11.0
    assert whole_runs.total(_found([10.0, 10.5, 11.0], steps=13)) == pytest.approx(16.0)


def test_values_that_differ_are_told():
    theirs = _found([1.0], values={"0": 1.0, "5": float("nan")})
    assert whole_runs.compare(theirs, _found([1.0], values={"0": 1.001, "5": float("nan")})) == "agree (2)"
    assert whole_runs.compare(theirs, _found([1.0], values={"0": 1.2})) == "at step 0 1, ours 1.2"
    assert whole_runs.compare(theirs, _found([1.0], values={"0": 1.0})) == "at step 5 nan, ours None"
    assert whole_runs.compare(theirs, {"error": "no"}) == "no"


def test_every_script_has_steps_and_a_step():
    assert len(whole_runs.names()) >= 40
    for name in whole_runs.names():
        body = ast.parse((whole_runs.SCRIPTS / f"{name}.py").read_text()).body
        assert isinstance(body[0], ast.Expr), name
        assert any(isinstance(b, ast.FunctionDef) and b.name == "step" for b in body), name
        assert any(isinstance(b, ast.Assign) and ast.unparse(b.targets[0]) == "steps" for b in body), name
