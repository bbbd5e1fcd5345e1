"""The hooks for pre-commit: each entry is a command that exists, with options that exist."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from llmplan.cli import run

HOOKS = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def test_each_entry_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    for hook in HOOKS:
        program, command, *options = hook["entry"].split()
        assert program == "llmplan"
        assert run([command, "--help"]) == 0
        shown = capsys.readouterr().out
        assert all(option in shown for option in options)
        assert hook["language"] == "python" and hook["files"] == r"\.plan$"


def test_ids_are_different() -> None:
    assert len({hook["id"] for hook in HOOKS}) == len(HOOKS)
