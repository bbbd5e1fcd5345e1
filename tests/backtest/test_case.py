"""Lines of a file as cases: what a line may say, and what is said of one that is damaged."""

from __future__ import annotations

import json
import math

import pytest

from llmplan.backtest.case import UNGROUPED, Case, Damaged, case, cases

SOUND = {"id": "a", "group": "g", "plan": {"hardware.gpus": 8}, "measured": {"step_time_s": 2}}


def read(**keys: object) -> Case:
    return case(SOUND | keys, "line 1")


def test_values_are_those_of_set() -> None:
    plan = {"hardware.gpus": 8, "model.gated_mlp": True, "training.micro_batch": "?", "adapter.dropout": 0.05}
    assert read(plan=plan).inputs == {
        "hardware.gpus": "8",
        "model.gated_mlp": "true",
        "training.micro_batch": "?",
        "adapter.dropout": "0.05",
    }
    assert read(stack="nemo-2.5").stack == "nemo-2.5"


def test_what_may_be_left_out() -> None:
    bare = case({"plan": "show 1", "measured": {}}, "line 7")
    assert (bare.id, bare.group, bare.text, bare.skipped) == ("line 7", UNGROUPED, "show 1", "")
    assert (bare.memory_kind, bare.memory_stage, bare.out_of_memory) == ("needed", "", False)
    assert read(measured={"memory_gb": None}, source="a paper", notes="by hand").measured == {}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"plan": None}, "plan is missing, expected a plan's text or an object of inputs"),
        ({"plan": [1]}, "plan is a list, expected"),
        ({"plan": {"hardware.gpus": [8]}}, "hardware.gpus is a list, expected a value as `--set` takes it"),
        ({"plan": {"hardware.gpus": math.inf}}, "hardware.gpus is Infinity"),
        ({"plan": {"hardware.gpus": 10**400}}, "hardware.gpus is a very large number"),
        ({"stack": 1}, "stack is 1, expected text"),
        ({"group": 1}, "group is 1, expected text"),
        ({"id": ["a"]}, "id is a list, expected text"),
        ({"stak": "nemo"}, "stak is not a key; expected id, group, plan, stack,"),
        ({"measured": 1}, "measured is 1, expected an object"),
        ({"measured": {"step_time": 1}}, "measured.step_time is not a key; expected step_time_s,"),
        ({"measured": {"memory_gb": math.nan}}, "measured.memory_gb is NaN, expected a positive number"),
        ({"measured": {"memory_gb": "12 GB"}}, 'measured.memory_gb is "12 GB", expected a positive number'),
        ({"measured": {"step_time_s": 0}}, "measured.step_time_s is 0, expected a positive number"),
        ({"measured": {"step_time_s": True}}, "measured.step_time_s is true, expected a positive number"),
        ({"measured": {"out_of_memory": "yes"}}, 'measured.out_of_memory is "yes", expected true or false'),
        ({"measured": {"memory_kind": 3}}, "measured.memory_kind is 3, expected text"),
    ],
)
def test_a_damaged_case_says_what_is_wrong(keys: dict[str, object], said: str) -> None:
    assert read(**keys).skipped.startswith(f"the case is damaged: {said}")


def test_a_bad_line_does_not_stop_the_others() -> None:
    lines = [b"{", b"", b"[]", b"\xff", b"[" * 100_000, json.dumps(SOUND).encode()]
    found = cases(b"\n".join(lines))
    assert [c.id for c in found] == ["line 1", "line 3", "line 4", "line 5", "a"]
    assert [c.skipped.partition(":")[0] for c in found] == [
        "not JSON",
        "not a JSON object",
        "not UTF-8",
        "not JSON",
        "",
    ]


@pytest.mark.parametrize(
    ("keys", "near"),
    [
        ({"stak": "nemo-2.5"}, "stack"),
        ({"measured": {"step_time": 2}}, "step_time_s"),
        ({"measured": {"memory": 2}}, "memory_gb"),
        ({"measured": {"oom": True}}, "out_of_memory"),
    ],
)
def test_a_misspelt_key_names_the_nearest_one(keys: dict[str, object], near: str) -> None:
    assert read(**keys).skipped.endswith(f"; did you mean {near}?")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\n\nno json\n", "line 3 is not JSON: "),
        (b"[]\n", "line 1 is not a JSON object"),
        (b"[" * 100_000, "line 1 is not JSON: nested too deep"),
        (b"\xff\xfe\n", "line 1 is not UTF-8"),
    ],
)
def test_a_file_that_holds_no_cases(content: bytes, why: str) -> None:
    with pytest.raises(Damaged, match=why):
        cases(content)
    assert cases(b"\n") == []
