"""Names that most people use for one entry, names of published models, ranges on what a plan decides."""

from __future__ import annotations

import pytest

from llmplan import api


def found(text: str, **options: object) -> list[str]:
    return [
        f"{one.code} {one.message}" for one in api.solve("-", text=text, **options).diagnostics if one.code != "W0610"
    ]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "meant"), [("H100", "H100-SXM5-80GB"), ("a100", "A100-SXM4-80GB"), ("V100", "V100-SXM2-32GB")]
)
def test_a_usual_name_is_taken_with_a_note_that_names_the_others(written: str, meant: str) -> None:
    solution = api.solve("-", text=f'hardware {{ gpu = "{written}", gpus = 8 }}\nshow hardware.peak\n')
    (note,) = solution.diagnostics
    assert (note.code, note.severity) == ("W0613", "note") and meant in note.message and len(note.notes[0]) > 40
    assert note.hints[0].edits[0].text == f'"{meant}"'
    assert solution.values["hardware.gpu"].value == meant


@pytest.mark.parametrize(("written", "meant"), [("B200", "B200"), ("4090", "RTX-4090"), ("H100-SXM", "H100-SXM5-80GB")])
def test_a_name_that_fits_one_needs_no_note(written: str, meant: str) -> None:
    solution = api.solve("-", text=f'hardware {{ gpu = "{written}", gpus = 8 }}\nshow hardware.peak\n')
    assert solution.diagnostics == () and solution.values["hardware.gpu"].value == meant


@pytest.mark.parametrize(
    ("published", "entry"),
    [
        ("meta-llama/Llama-2-7b-hf", "llama-2-7b"),
        ("meta-llama/Llama-2-7b-chat-hf", "llama-2-7b"),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "llama-3-8b"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b"),
        ("deepseek-ai/DeepSeek-V3-Base", "deepseek-v3"),
        ("google/gemma-2-9b-it", "gemma-2-9b"),
    ],
)
def test_a_published_name_finds_its_entry(published: str, entry: str) -> None:
    solution = api.solve("-", text=f'model "{published}"\nshow model.params_total\n')
    assert solution.diagnostics == () and solution.values["model"].value == entry


def test_an_unknown_published_name_is_still_an_error() -> None:
    assert found('model "someone/gpt-99-hf"\nshow model.params_total\n')[0].startswith("E0207")


@pytest.mark.parametrize(
    ("written", "edit"),
    [("8..64", "? in 8..64 step 8"), ("10..64", "? in 10..64"), ("8..16..64", "? in 8..64 step 8")],
)
def test_a_range_on_a_decision_is_an_error_with_the_edit(written: str, edit: str) -> None:
    (wrong,) = api.check("-", text=f"hardware.gpus = {written}\nshow hardware.gpus\n")
    assert wrong.code == "E0309" and wrong.hints[0].edits[0].text == edit


def test_so_it_is_in_a_block_and_on_the_command_line() -> None:
    assert found("parallelism { tensor = 1..8 }\nshow data_parallel\n")[0].startswith("E0309")
    assert found("hardware.gpus = 8\nshow hardware.gpus\n", settings=[("hardware.gpus", "8..64")])[0].startswith(
        "E0309"
    )


def test_what_is_not_known_may_be_a_range() -> None:
    assert found("dataset.tokens = 1T..2T\nshow dataset.tokens\n") == []
