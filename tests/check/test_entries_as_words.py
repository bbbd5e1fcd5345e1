"""Entries of the catalog as bare words: wherever an enum's member was one, so that an enum can become a kind."""

from __future__ import annotations

import pytest

from llmplan.check.library import load

MODEL = 'model "llama-7b"\n'


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "text",
    [
        "training { optimizer = lion }",
        'training { optimizer = "lion" }',
        "training.optimizer = lion",
        "training.optimizer = Lion",
        "training.optimizer = if training.precision == bf16 then lion else adamw",
        "training.optimizer = match training.recompute { full => adamw, _ => lion }\ntraining.recompute = none",
        "training.optimizer = (lion)",
        "let mine = optimizer.elsewhere\ntraining.optimizer = ? in [lion, muon]\nrequire training.optimizer != muon",
        "training.optimizer = ? in [adamw, lion]\nminimize memory.optimizer",
        "training.optimizer = ?\nrequire training.optimizer in [lion]",
    ],
)
def test_a_plan_chooses_an_entry_by_a_bare_word(plans, text):
    solution = plans.solve(f"{MODEL}{text}\nshow training.optimizer\nshow optimizer.per_number")
    assert solution.status != "error", solution.diagnostics
    assert solution.values["training.optimizer"].value == "lion"
    assert solution.values["optimizer.per_number"].value == 1


@pytest.mark.parametrize(
    "text",
    ["lion", "LION", '"lion"', "if training.precision == bf16 then lion else adamw", "? in [lion]", " lion "],
)
def test_set_takes_the_word_or_an_expression(plans, text):
    solution = plans.solve(f"{MODEL}show training.optimizer", settings=[("training.optimizer", text)])
    assert solution.values["training.optimizer"].value == "lion"


def test_set_of_an_entry_whose_name_is_no_word(plans):
    text = 'hardware { gpu = "T4" }\nshow hardware.gpu'
    for name in ("H100-SXM5-80GB", "H100 SXM5 80GB", '"H100-SXM5-80GB"', 'if 1 < 2 then "H100-SXM5-80GB" else T4'):
        assert plans.solve(text, settings=[("hardware.gpu", name)]).values["hardware.gpu"].value == "H100-SXM5-80GB"


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("training.optimizer == adamw", True),
        ("adamw == training.optimizer", True),
        ("training.optimizer != adamw", False),
        ("training.optimizer in [lion, adamw]", True),
        ("training.optimizer in [lion, muon]", False),
        ("match training.optimizer { adamw => true, _ => false }", True),
        ("optimizer.elsewhere == adamw", True),
        ("hardware.gpu == T4", True),
    ],
)
def test_conditions(plans, condition, holds):
    found = plans.solve(f"{MODEL}hardware.gpu = T4\nlet x = {condition}\nshow x")
    assert found.values["x"].value is holds


def test_an_entry_comes_before_another_meaning_of_the_word(plans):
    text = f"{MODEL}let lion = 3\ntraining.optimizer = lion\nlet x = lion\nshow x\nshow training.optimizer"
    found = plans.solve(text)
    assert found.values["training.optimizer"].value == "lion"
    assert found.values["x"].value == 3


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("training.optimizer = adamv", "E0207", "adamv"),
        ("training.optimizer = nothing_like_it", "E0207", "nothing_like_it"),
        ("let x = training.optimizer in [adamw, liom]", "E0207", "liom"),
        ("let x = training.optimizer == bf16", "E0207", "bf16"),
        ("training.optimizer = training.precision", "E0302", "training.precision"),
        ("training.optimizer = 3", "E0302", "3"),
        ("let x = match training.optimizer { adamw => 1, lion => 2 }", "E0308",
         "match training.optimizer { adamw => 1, lion => 2 }"),
        ("let x = training.optimizer < lion", "E0303", "training.optimizer"),
    ],
)  # fmt: skip
def test_mistakes_are_told(plans, text, code, at):
    assert plans.error(f"{MODEL}{text}\nshow model.params_total") == (code, at)


def test_a_misspelt_word_gets_an_edit_without_quotes(plans):
    (found,) = plans.check(f"{MODEL}training.optimizer = adawm\nshow model.params_total")
    assert found.hints[0].edits[0].text == "adamw"
    (found,) = plans.check(f'{MODEL}training.optimizer = "adawm"\nshow model.params_total')
    assert found.hints[0].edits[0].text == '"adamw"'


def test_a_stack_says_which_optimizer_unless_the_plan_does(plans):
    text = f'{MODEL}stack "unsloth-2026.10"\nshow training.optimizer\nshow optimizer.state_bytes'
    found = plans.solve(text)
    assert (found.values["training.optimizer"].value, found.values["optimizer.state_bytes"].value) == ("adamw_8bit", 1)
    assert plans.solve(f"{text}\ntraining.optimizer = lion").values["training.optimizer"].value == "lion"


def test_fields_of_an_entry_that_follows_from_an_unknown(plans):
    """Which optimizer it is follows from the stack that is sought; its fields are those of each candidate."""
    text = f"""{MODEL}stack = ? in ["unsloth-2026.10", "torchtitan-0.3"]
    require optimizer.state_bytes == 1 byte/parameter
    require given(optimizer.huggingface) and not given(optimizer.torchtitan)
    show training.optimizer"""
    found = plans.solve(text)
    assert found.status in ("solved", "feasible"), found.diagnostics
    assert found.values["training.optimizer"].value == "adamw_8bit"


def test_an_entry_of_the_plan_is_an_optimizer_like_any(plans):
    mine = 'entry optimizer "mine" like "adamw" { per_number = 3 }'
    found = plans.solve(f"{mine}\n{MODEL}training.optimizer = mine\nshow optimizer.per_number\nshow training.by_matrix")
    assert found.values["optimizer.per_number"].value == 3
    assert found.values["training.states_elsewhere"].value == 2
    assert found.values["training.by_matrix"].value is True


def test_a_field_that_an_optimizer_forgets_is_told(plans):
    given = {
        "per_number": "2", "per_row_and_column": "0", "per_row_squared": "0", "per_column_squared": "0",
        "tables": "true", "elsewhere": "adamw", "products": "0", "decompositions": "0", "master": "true",
        "on_host": "true", "update": "single",
    }  # fmt: skip

    def entry(left: str = "") -> str:
        fields = "\n".join(f"{name} = {value}" for name, value in given.items() if name != left)
        return f'{MODEL}training.optimizer = mine\nentry optimizer "mine" {{\n{fields}\n}}\nshow memory.optimizer'

    assert plans.codes(entry()) == []
    for left in given:
        (found,) = plans.check(entry(left))
        assert found.code == "E0213" and f"`{left}`" in found.message
    scope = load()[0]
    required = [
        name for name in scope.kinds["optimizer"]
        if scope.fields[f"optimizer.{name}"].default is None and scope.fields[f"optimizer.{name}"].units[0] != "Text"
    ]  # fmt: skip
    assert required == list(given)


def test_entries_that_a_plan_is_about_may_leave_fields_out(plans):
    text = 'entry gpu "mine" { memory = 80 GB }\nhardware.gpu = mine\nshow gpu.memory'
    assert plans.codes(text) == []


@pytest.mark.advice
def test_advice_writes_the_word_bare(plans):
    text = f"""{MODEL}
    hardware {{ gpu = "A100-SXM4-80GB", gpus = 1 }}
    dataset {{ tokens = 1B, sequence_length = 2048 }}
    training {{ global_batch = 8 sequences, micro_batch = 1, recompute = full, optimizer = adamw }}
    parallelism {{ framework = ddp, zero_stage = 0 }}
    adapter.method = none
    """
    found = plans.solve(text)
    cures = [one.statement for one in found.relaxations if one.name == "training.optimizer"]
    assert cures == [f"training.optimizer = {cures[0].rpartition(' ')[2]}"] and '"' not in cures[0]
