"""What the README shows is what there is."""

from __future__ import annotations

import re
from pathlib import Path

from llmplan.cli import group
from llmplan.emit.targets import targets

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_plan_is_the_example():
    plan = (ROOT / "plans" / "llama7b.plan").read_text(encoding="utf-8")
    assert f"```\n{plan}```\n" in README


def test_quick_start_has_two_commands_that_stand_alone():
    section = re.split(r"^## ", README, flags=re.MULTILINE)
    (quick,) = [part for part in section if part.startswith("Quick start")]
    first, second = re.findall(r"^```sh\n(.*?)^```", quick, flags=re.MULTILINE | re.DOTALL)
    for block in (first, second):
        assert block.startswith("[ -x .venv/bin/pip ] || python3 -m venv .venv\n")
    assert "llmplan compile plans/llama7b.plan" in first and "pytest" in second


def test_every_command_is_described():
    described = set(re.findall(r"^\| `llmplan (\w+)", README, flags=re.MULTILINE))
    assert described == set(group.commands)


def test_every_target_is_listed():
    listed = set(re.findall(r"^\| `(\w+)` \| `\w+\.\w+`", README, flags=re.MULTILINE))
    assert listed == set(targets())


def test_links_lead_somewhere():
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (ROOT / target).exists(), target
