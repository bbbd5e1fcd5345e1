"""Names that most people use for one entry, names of published models, ranges on what a plan decides."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.check import ir
from llmplan.check.library import load


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


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    ("published", "entry"),
    [
        ("meta-llama/Llama-2-7b-hf", "llama-2-7b"),
        ("meta-llama/Llama-2-7b-chat-hf", "llama-2-7b"),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "llama-3-8b"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b"),
        ("deepseek-ai/DeepSeek-V3-Base", "deepseek-v3"),
        ("google/gemma-2-9b-it", "gemma-2-9b"),
        ("google/gemma-3-27b-it", "gemma-3-27b"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"),
        ("mistralai/Mistral-Nemo-Instruct-2407", "mistral-nemo-12b"),
        ("microsoft/Phi-3-mini-4k-instruct", "phi-3-mini"),
        ("allenai/OLMo-2-1124-7B-Instruct", "olmo-2-7b"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"),
        ("unsloth/Qwen2.5-7B-Instruct-bnb-4bit", "qwen2.5-7b"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "llama-3.1-8b"),
        ("Qwen/Qwen-72B-Chat", "qwen-72b"),
        ("baichuan-inc/Baichuan-7B", "baichuan-7b"),
    ],
)
def test_a_published_name_finds_its_entry(published: str, entry: str) -> None:
    solution = api.solve("-", text=f'model "{published}"\nshow model.params_total\n')
    notes = [one.code for one in solution.diagnostics]
    assert notes == ["W0606"] * (entry == "gemma-3-27b") and solution.values["model"].value == entry


@pytest.mark.quick(2)
@pytest.mark.parametrize("entry", ["llama-4-scout", "llama-4-maverick"])
def test_a_model_that_sees_says_that_its_tower_is_not_counted(entry: str) -> None:
    (note,) = api.solve("-", text=f'model "{entry}"\nshow model.params_total\n').diagnostics
    assert (note.code, note.severity) == ("W0606", "note")
    assert note.message.startswith("the vision tower of this model is not counted, and images are not planned yet")


@pytest.mark.parametrize("entry", ["gemma-3-4b", "gemma-3-12b", "gemma-3-27b", "gemma-4-31b"])
def test_a_model_with_its_tower_says_that_no_images_are_planned(entry: str) -> None:
    (note,) = api.solve("-", text=f'model "{entry}"\nshow model.params_total\n').diagnostics
    assert (note.code, note.severity) == ("W0606", "note")
    assert note.message.startswith("no images are planned")


@pytest.mark.parametrize("entry", ["gemma-3-1b", "llama-3.1-8b"])
def test_a_model_of_text_has_no_such_note(entry: str) -> None:
    assert api.solve("-", text=f'model "{entry}"\nshow model.params_total\n').diagnostics == ()


@pytest.mark.parametrize("name", ["llama-3.2-11b-vision", "idefics2-8b", "minicpm-v-2.6-vision"])
def test_a_vision_family_is_taken_for_no_model_of_text(name: str) -> None:
    (wrong,) = [one for one in api.check("-", text=f'model "{name}"\n') if one.severity == "error"]
    hints = [hint.text for hint in wrong.hints]
    assert wrong.code == "E0207" and not [hint for hint in hints if "did you mean" in hint]
    assert any(hint.startswith("images are counted as tokens") for hint in hints)


def test_every_entry_is_found_by_its_name_on_the_hub() -> None:
    scope, _, _ = load()
    named = 0
    for name, entry in scope.entries["model"].items():
        for field, setting in entry.settings:
            if field == "hub" and isinstance(setting.value, ir.Text):
                assert scope.find_entry("model", str(setting.value.pieces[0])) == (name, [])
                named += 1
    assert named > 100


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


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("RTX4090", "RTX-4090"),
        ("A100-80G", "A100-SXM4-80GB"),
        ("h100_sxm5_80g", "H100-SXM5-80GB"),
        ("H10O", None),
    ],
)
def test_a_card_is_found_by_its_words_however_they_are_joined(written: str, meant: str | None) -> None:
    scope, _, _ = load(tables=False)
    assert scope.find_entry("gpu", written)[0] == meant


def test_numbers_are_not_joined() -> None:
    scope, _, _ = load(tables=False)
    assert scope.find_entry("model", "llama-27b")[0] is None and scope.find_entry("model", "llama27b")[0] is None
    assert scope.find_entry("model", "llama2-7b")[0] == scope.find_entry("model", "llama-2-7b")[0] == "llama-2-7b"
