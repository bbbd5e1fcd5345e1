"""`-e`: statements beside a plan, or without one."""

from __future__ import annotations

import json

import pytest

PLAN = """## A question of its own
model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
let most = 3
final require few: hardware.nodes <= most
hardware { gpu = "A100-SXM4-80GB", gpus = 16 }
training.global_batch = 4M tokens
show hardware.gpus
"""


def values(out):
    return {name: found["value"] for name, found in json.loads(out)["quantities"].items()}


def test_no_plan_is_needed(llmplan):
    outcome = llmplan("solve", "-e", 'model "llama-7b"', "-e", "show model.params_total")
    assert outcome.code == 0 and "6.738B" in outcome.out
    assert llmplan("check", "-e", 'model "llama-7b"', "-e", "show model.params_total").out == "-e: ok\n"
    outcome = llmplan("explain", "-e", 'model "llama-7b"', "model.params_total")
    assert outcome.code == 0 and outcome.out.startswith("model.params_total = 6.738B")


@pytest.mark.slow
def test_statements_win_over_the_plan(llmplan, write):
    plan = write("a.plan", PLAN)
    assert values(llmplan("solve", "--json", plan, "-e", "hardware.gpus = 8").out)["hardware.gpus"] == 8
    assert (
        values(llmplan("solve", "--json", plan, "-e", "hardware.gpus = 8", "--set", "hardware.gpus=24").out)[
            "hardware.gpus"
        ]
        == 24
    )
    outcome = llmplan("solve", plan, "-e", "hardware.gpus = ?", "-e", "minimize hardware.gpus")
    assert outcome.code == 0 and "hardware.gpus" in outcome.out.partition("shown")[2]  # the plan's own `show` stays
    assert llmplan("explain", plan, "-e", "hardware.gpus = 8", "hardware.gpus").out.startswith("hardware.gpus = 8 GPUs")


@pytest.mark.parametrize(
    ("statements", "code"),
    [
        (["hardware.gpus = 8", "hardware.gpus = 16"], "E0203"),
        (["hardware.gpsu = 8"], "E0202"),
        (["waive few"], "E0210"),
        (["let most = 9"], "E0210"),
        (["hardware {"], "E0103"),
    ],
)
def test_mistakes_in_statements(llmplan, write, statements, code):
    plan = write("a.plan", PLAN)
    outcome = llmplan("check", plan, *(word for one in statements for word in ("-e", one)))
    assert outcome.code == 1 and f"error[{code}]" in outcome.err and "--> -e:" in outcome.err


def test_wrong_usage(llmplan):
    for command in ("check", "solve"):
        outcome = llmplan(command)
        assert outcome.code == 2 and "name a plan" in outcome.err
    assert llmplan("explain").code == 2
    outcome = llmplan("explain", "mfu")
    assert outcome.code == 2 and "llmplan explain PLAN mfu" in outcome.err


@pytest.mark.slow
def test_what_can_be_explained(llmplan, write):
    plan = write("a.plan", PLAN)
    listed = [line for line in llmplan("explain", plan).out.splitlines() if not line.startswith(" ")]
    assert "few: holds" in listed and "hardware.gpus = 16 GPUs" in listed and "most = 3" in listed
    names = [one["name"] for one in json.loads(llmplan("explain", plan, "--json").out)]
    assert len(names) == len(set(names)) == len(listed)
    everything = json.loads(llmplan("explain", plan, "--all", "--json").out)
    assert [one["name"] for one in everything] == names and any(one["formula"] for one in everything)
    assert llmplan("explain", plan, "time", "--all").code == 2


@pytest.mark.slow
def test_a_folder_of_templates_is_known_to_every_command(llmplan, write, tmp_path):
    write("own/mine/target.json", '{"about": "a list of files", "when": "named", "files": {"mine.txt": "mine.txt.j2"}}')
    write("own/mine/mine.txt.j2", "{{ solution.plan }}\n")
    plan = write("a.plan", PLAN + "emit mine\n")
    folder = str(tmp_path / "own")
    for command in ("check", "solve"):
        assert llmplan(command, plan).code == 1
        assert llmplan(command, plan, "--templates", folder).code == 0
        assert llmplan(command, plan).code == 1  # nothing was kept
    assert llmplan("explain", plan, "hardware.gpus", "--templates", folder).code == 0


def test_a_quantity_without_a_plan_is_told_how_it_is_derived(llmplan):
    outcome = llmplan("explain", "mfu")
    assert outcome.code == 2 and "`llmplan explain PLAN mfu`" in outcome.err
