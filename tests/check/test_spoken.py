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


@pytest.mark.parametrize("task", ["grpo", "ppo", "bco", "diffusion", "prm", "gkd"])
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
        ("training.task = rm", "reward"),
    ],
)
def test_the_first_hint_is_the_edit(text, meant):
    (wrong,) = [one for one in api.check("-", text=text) if one.severity == "error"]
    assert wrong.hints[0].edits[0].text == meant


PAID = [f"`2.5 USD/{label}/hour`" for label in ("GPU", "node", "job")]
CLUSTER = 'model "llama-7b"\nhardware { gpu = "H100-SXM5-80GB", gpus = 64 }\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gpu.memory_bandwidth = 3 TB/s", ["did you mean `bandwidth`?"]),
        ('entry gpu "X" {\n  memory = 80 GB\n  memory_bandwidth = 3 TB/s\n}', ["did you mean `bandwidth`?"]),
        (
            "require hardware.price <= 2.5",
            [f"did you mean `2.5 USD/{label}/hour`?" for label in ("GPU", "node", "job")],
        ),
        (
            "hardware.internode_bandwidth = 100",
            [f"did you mean `100 {unit}/s/{label}`?" for unit in ("GB", "Gbit") for label in ("GPU", "node")],
        ),
        ("dataset.tokens = 400G", ["write `400B tokens`"]),
        ("parallelism.vp = 2", ["did you mean `virtual_pipeline`?"]),
        ("emit trl", ["write `emit huggingface { trainer = trl }`"]),
        ("emit hf", ["write `emit huggingface`"]),
        (
            "hardware.price = $2.5/hour",
            [f"write `2.5 USD/hour`, and for a price what it is paid for: {PAID[0]}, {PAID[1]} or {PAID[2]}"],
        ),
        (
            'hardware.gpu = "H100" or "A100"',
            [
                'to find the best of them, write `? in ["H100-SXM5-80GB", "A100-SXM4-80GB"]`',
                'to compare them, write `sweep hardware.gpu in ["H100-SXM5-80GB", "A100-SXM4-80GB"]`',
            ],
        ),
    ],
)
def test_a_hint_points_to_what_is_meant(text: str, said: list[str]) -> None:
    (wrong,) = [one for one in api.check("-", text=f"{text}\n") if one.severity == "error"]
    assert [hint.text for hint in wrong.hints] == said


@pytest.mark.parametrize("name", ["H100 80GB SXM", "h100-80gb-sxm5"])
def test_the_words_of_a_name_may_stand_in_any_order(name: str) -> None:
    (wrong,) = [one for one in api.check("-", text=f'hardware.gpu = "{name}"\n') if one.severity == "error"]
    assert wrong.hints[0].text == 'did you mean "H100-SXM5-80GB"?'


def test_epochs_are_proposed_whole() -> None:
    text = f"{CLUSTER}dataset {{ tokens = 1B, epochs = ? }}\n"
    (wrong,) = [one for one in api.check("-", text=text) if one.severity == "error"]
    assert [hint.text for hint in wrong.hints] == ["give it a domain: `? in 1..10`"]


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
