"""Patterns in files: what is written reads back, the same text every time, and reading executes nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import functorch_lite as torch
from functorch_lite._core.api import state
from functorch_lite._inductor import pattern_matcher
from functorch_lite.compiler.patterns import (
    MULTIPLE,
    Arg,
    CallFunction,
    CallFunctionVarArgs,
    CallMethod,
    Ignored,
    KeywordArg,
    ListOf,
    MultiOutputPattern,
    PatternMatcherPass,
    RepeatedExpr,
    fwd_only,
    gen_pattern,
    gen_register_replacement,
    joint_fwd_bwd,
    stored,
)

F = torch.nn.functional


def attention(q, k, v, scale):
    return torch.softmax(q @ k.transpose(-2, -1) * scale, -1) @ v


def fused(q, k, v, scale):
    return F.scaled_dot_product_attention(q, k, v, scale=scale)


EXAMPLES = [torch.ones(1, 2, 4, 4)] * 3
NUMBERS = {"scale": 0.113377}


def pattern(trace=fwd_only, exclusive=()):
    return gen_pattern(attention, EXAMPLES, trace, NUMBERS, exclusive)


def test_a_traced_pattern_reads_back():
    for made in (pattern(), pattern(joint_fwd_bwd), pattern(exclusive=["q"])):
        text = stored.text_of(made, "attention")
        read = stored.pattern_of(text, "attention")
        assert repr(read) == repr(made) and stored.text_of(read, "attention") == text


def test_the_text_is_the_same_in_another_process():
    code = "from tests.compiler.test_stored_patterns import *; print(stored.text_of(pattern(), 'attention'), end='')"
    other = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert other.stdout == stored.text_of(pattern(), "attention")


def test_every_expression_reads_back():
    shared = CallFunction(torch.sin, KeywordArg("x"), _users=2)
    made = MultiOutputPattern(
        [
            CallFunction([torch.add, torch.sub], shared, CallMethod("t", shared), _users=MULTIPLE),
            CallFunction(torch.cat, ListOf(CallFunctionVarArgs(torch.cos), partial=True), dim=Ignored()),
            RepeatedExpr(CallFunction(torch.full_like, Arg(), float("-inf"), dtype=torch.float16)),
            CallFunction(torch.where, Arg(), [1, (2.5, None)], -1j),
        ]
    )
    text = stored.text_of(made, "several")
    read = stored.pattern_of(text, "several")
    assert repr(read) == repr(made) and stored.text_of(read, "several") == text
    assert read.outputs[0].args[0] is read.outputs[0].args[1].args[0]  # one object, as it was


def test_reading_executes_nothing():
    for text in (
        "import os\nx = os.system('false')",
        "x = __import__('os')",
        "x = CallFunction(torch._core.api.flush)",
        "x = CallFunction(torch.sin, open('/etc/passwd'))",
        "x = [y for y in ()]",
        "x = 3",
        "x =",
    ):
        with pytest.raises(ValueError, match="pattern"):
            stored.pattern_of(text, "x")
    before = len(state.rec.path)
    stored.pattern_of(stored.text_of(pattern(), "a"), "a")
    assert len(state.rec.path) == before or before == 0


def test_what_has_no_name_is_not_stored():
    with pytest.raises(NotImplementedError, match="has no name"):
        stored.text_of(CallFunction(lambda x: x, Arg()), "x")


def test_a_pattern_of_a_file_is_registered_without_tracing(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "_file", lambda f, name: tmp_path / "serialized_patterns" / f"{name}.py")
    given = ("attention_inference", attention, fused, EXAMPLES, fwd_only)
    with pytest.raises(FileNotFoundError, match="PYTORCH_GEN_PATTERNS=1"):
        gen_register_replacement(*given, PatternMatcherPass(), scalar_workaround=NUMBERS)
    monkeypatch.setenv("PYTORCH_GEN_PATTERNS", "1")
    gen_register_replacement(*given, PatternMatcherPass(), scalar_workaround=NUMBERS)
    monkeypatch.delenv("PYTORCH_GEN_PATTERNS")
    file = tmp_path / "serialized_patterns" / "attention_inference.py"
    assert file.read_text() == stored.text_of(pattern(), "attention_inference")

    def refuse(*args, **kwargs):
        raise AssertionError("traced")

    monkeypatch.setattr(stored, "gen_pattern", refuse)
    passes = PatternMatcherPass()
    gen_register_replacement(*given, passes, scalar_workaround=NUMBERS)
    with pytest.raises(RuntimeError, match="Duplicate pattern"):
        gen_register_replacement(*given, passes, scalar_workaround=NUMBERS)
    gen_register_replacement(*given, passes, scalar_workaround=NUMBERS, skip_duplicates=True)
    args = [torch.randn(2, 2, 8, 4) for _ in range(3)]
    gm = fwd_only(attention, [*args, 0.25])
    assert passes.apply(gm) == 1
    torch.testing.assert_close(gm(*args)[0], attention(*args, 0.25))


def test_torchs_name_writes_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "_file", lambda f, name: tmp_path / "serialized_patterns" / f"{name}.py")
    made = pattern_matcher._serialize_pattern("a", attention, EXAMPLES, fwd_only, NUMBERS)
    file = tmp_path / "serialized_patterns" / "a.py"
    first = file.read_bytes()
    pattern_matcher._serialize_pattern("a", attention, EXAMPLES, fwd_only, NUMBERS)
    assert repr(made) == repr(pattern()) and file.read_bytes() == first
