"""Names as people say them: each word leads to something that exists, and none is a name of the library itself."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.check.library import load
from llmplan.units.measure import EnumType


def hints(text: str) -> list[str]:
    (wrong,) = [one for one in api.check("-", text=text) if one.severity == "error"]
    return [hint.text for hint in wrong.hints]


def test_no_word_that_people_say_is_a_name_already():
    scope, _, _ = load()
    known = {*scope.fields, *scope.quantities, *scope.kinds}
    assert scope.spoken and not known & {*scope.spoken, *scope.unmodelled} - {"hardware.gpu"}
    for word, paths in scope.spoken.items():
        for path in paths:
            kind = path.partition(".")[0]
            assert f"{kind}.{word}" not in scope.fields, word


def test_what_members_are_called_names_members():
    scope, _, _ = load()
    for enum, words in scope.meant.items():
        type = scope.enums[enum]
        assert isinstance(type, EnumType) and set(words.values()) <= set(type.members)
        assert not set(words) & set(type.members)


@pytest.mark.parametrize("task", ["grpo", "ppo", "dpo", "diffusion", "reward", "distill"])
def test_what_is_not_planned_says_what_to_count_instead(task):
    (hint,) = hints(f"training.task = {task}\nshow training.task\n")
    assert "not planned" in hint


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("tp = 2", "parallelism.tensor"),
        ("parallelism { tensor_parallel_size = 2 }", "tensor"),
        ("parallelism { ep = 2 }", "expert"),
        ("show memory", "memory.total"),
        ("adapter { r = 8 }", "rank"),
        ("training.task = sft", "finetune"),
    ],
)
def test_the_first_hint_is_the_edit(text, meant):
    (wrong,) = [one for one in api.check("-", text=text) if one.severity == "error"]
    assert wrong.hints[0].edits[0].text == meant


def test_a_plan_teaches_words_of_its_own():
    text = '@names("crew", "staff")\nkind team {\n  @names("headcount")\n  size: Int = 1\n}\n'
    assert hints(text + "show team.headcount\n") == ["did you mean `team.size`?"]
    assert hints(text + "crew { size = 2 }\nshow team.size\n") == ["did you mean `team`?"]
    assert hints(text + "team { headcount = 2 }\nshow team.size\n") == ["did you mean `size`?"]


def test_an_open_length_is_solved_for_within_the_limit_of_the_model():
    text = """
    model "llama-3.1-8b"
    dataset { tokens = 100M, sequence_length = ? }
    hardware { gpu = "H100-SXM5-80GB", gpus = 8 }
    training { global_batch = 16 sequences, micro_batch = 1, recompute = full }
    maximize dataset.sequence_length
    """
    solution = api.solve("-", text=text)
    assert not [one for one in solution.diagnostics if one.severity == "error"]
    assert 8192 <= solution.values["dataset.sequence_length"].value <= 131_072
