"""From an empty file to a compiled plan, with nothing to go by but the messages.

Each step is what a newcomer who has read only `llmplan --help` would write next, taken from the
message of the step before: a test of what the messages say, not of the compiler.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan.cli import run

# What the file holds, and what the answer must say for the next step to follow from it.
DIALOGUE: list[tuple[str, tuple[str, ...]]] = [
    ("", ("the plan is empty", "require time <= 30 days", "hardware { gpus = ? }")),
    ("require time <= 30\n", ("this number needs a unit", "`30 days`?")),
    ("require time <= 30 days\nminimize gpus\n", ("undefined name `gpus`", "did you mean `hardware.gpus`?")),
    (
        "require time <= 30 days\nminimize hardware.gpus\n",
        (
            "`dataset.tokens`",
            "add `dataset { tokens = … }`",
            "training { global_batch = … tokens }",
            'choose one: `model "…"`',
            'add `hardware { gpu = "…" }`, with a name from `llmplan catalog gpus`',
        ),
    ),
    (
        """
        require time <= 30 days
        minimize hardware.gpus
        model "llama-7"
        dataset { tokens = 1T bytes }
        training { global_batch = 4M }
        hardware { gpu = "A100" }
        """,
        (
            '"llama-7b"',
            "found information",
            "`4M tokens`?",
            '"A100-SXM4-80GB"',
        ),
    ),
    (
        """
        require time <= 3 days
        minimize hardware.gpus
        model "llama-7b"
        dataset { tokens = 1T }
        training { global_batch = 4M tokens }
        hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
        """,
        ("requirement `time <= 3 days` cannot be satisfied", "hardware.gpus"),
    ),
    (
        """
        require time <= 30 days
        minimize hardware.gpus
        model "llama-7b"
        dataset { tokens = 1T }
        training { global_batch = 4M tokens }
        hardware { gpu = "A100-SXM4-80GB" gpus = ? }
        """,
        ("`gpus`",),
    ),
    (
        """
        require time <= 30 days
        minimize hardware.gpus
        model "llama-7b"
        dataset { tokens = 1T }
        training { global_batch = 4M tokens }
        hardware { gpu = "A100-SXM4-80GB", gpus = ? }
        emit deepseed, report
        """,
        ("undefined target `deepseed`", "did you mean `deepspeed`?"),
    ),
]

PLAN = DIALOGUE[-1][0].replace("deepseed", "deepspeed")


@pytest.mark.parametrize(("text", "said"), DIALOGUE)
def test_each_message_leads_to_the_next_step(
    text: str, said: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "first.plan"
    plan.write_text(text, encoding="utf-8")
    run(["compile", str(plan)])
    told = capsys.readouterr().err
    assert [part for part in said if part not in told] == [], told
    assert "Traceback" not in told


def test_the_last_step_compiles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "first.plan"
    plan.write_text(PLAN, encoding="utf-8")
    assert run(["compile", str(plan)]) == 0
    assert "A100-SXM4-80GB" in capsys.readouterr().out
    written = {path.name for path in (tmp_path / "build" / "first").iterdir()}
    assert {"ds_config.json", "launch.sh", "report.md", "solution.json"} <= written


def test_help_shows_a_plan_that_compiles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    first = next(i for i, line in enumerate(lines) if "first.plan:" in line)
    last = next(i for i, line in enumerate(lines) if line.strip().startswith("Then:"))
    plan = tmp_path / "first.plan"
    plan.write_text("\n".join(line.strip() for line in lines[first + 1 : last]), encoding="utf-8")
    assert run(["compile", str(plan)]) == 0


def test_ranges_are_on_the_screen(llmplan, write):
    write(
        "a.plan",
        """let price = 2 USD..3 USD..5 USD
let days = 10
let total = days * price
require certain sure: total <= 60 USD
require likely: total <= 40 USD
show total / 2
""",
    )
    shown = llmplan("solve", "a.plan")
    assert shown.code == 0
    lines = [line.split() for line in shown.out.splitlines()]
    assert [
        "sure",
        "safe",
        "50",
        "USD",
        "≤",
        "60",
        "USD",
        "in",
        "the",
        "worst",
        "case,",
        "10",
        "USD",
        "to",
        "spare",
    ] in lines
    assert ["likely", "likely", "75%", "30", "USD", "≤", "40", "USD,", "10", "USD", "to", "spare;"] in [
        line[:12] for line in lines
    ]
    assert "15 USD (10 – 25 USD)" in shown.out
