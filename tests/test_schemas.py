"""What commands print as JSON fits the JSON Schemas that ship."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from llmplan import api
from llmplan.answer.derivation import brief, everything
from llmplan.answer.schema.solution import Solution
from llmplan.diagnostics import render_json
from llmplan.emit import table
from llmplan.emit.render import render
from llmplan.emit.solution_json import NAME, as_json
from llmplan.emit.steps_json import as_json as steps_as_json

ROOT = Path(__file__).parents[1]
PLANS = [
    "plans/llama7b.plan", "plans/one_card.plan", "plans/questions/fits.plan", "plans/questions/how_sure.plan",
    "tests/errors/E0402_not_whole.plan",
]  # fmt: skip


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((Path(api.__file__).parent / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def faults(name: str, document: object) -> list[str]:
    whole = json.loads(json.dumps(document, allow_nan=False))
    return [f"{error.json_path}: {error.message[:200]}" for error in validator(name).iter_errors(whole)]


@pytest.fixture(scope="module", params=PLANS)
def solution(request: pytest.FixtureRequest) -> Solution:
    return api.solve(str(ROOT / request.param), tables=True)


@pytest.mark.quick(2)
def test_solutions_as_printed_and_as_written(solution: Solution) -> None:
    assert faults("solution", as_json(solution, [])) == []
    contents, _ = render(solution)
    if NAME in contents:
        assert faults("written", json.loads(contents[NAME])) == []


@pytest.mark.quick(2)
def test_derivations(solution: Solution) -> None:
    steps = everything(solution)
    document = steps_as_json(steps)
    assert faults("explain", document) == [] and faults("explain", steps_as_json([brief(step) for step in steps])) == []
    assert {one["name"]: one["value"]["value"] for one in document if one["role"] == "requirement"} == {
        rule.name: rule.holds
        for rule in (*solution.requirements, *solution.preferences)
        if rule.name not in solution.values
    }
    numbers = {one["name"]: one["value"] for one in document if one["role"] != "requirement"}
    printed = as_json(solution, [])["quantities"]
    assert {name: value["value"] for name, value in numbers.items()} == {
        name: value["value"] for name, value in printed.items()
    }


def test_a_derivation_with_a_text_as_its_value_is_seen(solution: Solution) -> None:
    first, *_ = steps_as_json(everything(solution))
    assert faults("explain", [{**first, "value": first["text"]}]) != []
    assert faults("explain", [{**first, "origin": {"layer": "a guess", "place": "", "text": ""}}]) != []


def test_an_infeasible_plan_has_its_cures(tmp_path: Path) -> None:
    plan = tmp_path / "a.plan"
    text = (ROOT / "plans/llama7b.plan").read_text(encoding="utf-8").replace("gpus = ?", "gpus = 64")
    infeasible = api.solve(str(plan), text=text)
    document = as_json(infeasible, [])
    assert infeasible.status == "infeasible" and document["relaxations"] and faults("solution", document) == []


def test_a_waived_requirement_and_ranges(tmp_path: Path) -> None:
    text = 'model "llama-7b"\nhardware { gpu = "A100-SXM4-80GB", gpus = 64 }\ndataset.tokens = 1T..2T\n'
    text += 'training { precision = bf16, micro_batch = 1 }\nassume mfu = 40%..50%\nwaive fits because "a test"\n'
    text += 'show time\nscenario "more" { hardware.gpus = 128 }\n'
    wide = api.solve(str(tmp_path / "a.plan"), text=text, tables=True)
    document = as_json(wide, [])
    assert document["waived"] and document["scenarios"] and faults("solution", document) == []


def test_sweeps_and_diagnostics(tmp_path: Path) -> None:
    text = 'model "llama-7b"\nhardware { gpu = "A100-SXM4-80GB", gpus = 64 }\n'
    text += "dataset.tokens = 1T\nassume mfu = 40%\nsweep hardware.gpus in [8, 64]\n"
    grid, found = api.sweep(str(tmp_path / "a.plan"), text=text)
    assert grid is not None
    document = {
        "schema": 1,
        "plan": "a.plan",
        **table.as_json(grid),
        "diagnostics": [render_json.record(one) for one in found],
    }
    assert faults("sweep", document) == []
    departing, _ = api.sweep(str(tmp_path / "a.plan"), text=f'{text}waive fits because "a test"\n')
    assert departing is not None
    departing_document = {**document, **table.as_json(departing)}
    assert departing_document["waived"] and faults("sweep", departing_document) == []
    wrong = api.check(str(tmp_path / "a.plan"), text="model { layer = 3 }\nrequire x <= 3 dayz\n")
    assert faults("check", json.loads(render_json.render(wrong))) == []


@pytest.mark.parametrize("name", ["solution", "written", "sweep", "check", "explain"])
def test_a_text_in_the_place_of_a_number_is_seen(name: str) -> None:
    assert faults(name, {"schema": "2"}) != []


def test_the_schemas_ship() -> None:
    assert {path.name for path in (Path(api.__file__).parent / "schemas").iterdir()} >= {
        "solution.json",
        "sweep.json",
        "check.json",
        "explain.json",
    }


def test_slack_has_its_unit_and_shown_rows_their_bands(tmp_path: Path) -> None:
    text = 'model "llama-7b"\nhardware { gpu = "A100-SXM4-80GB", gpus = 64 }\ndataset.tokens = 1T\n'
    text += "training.micro_batch = 1\nassume mfu = 40%\nrequire deadline: time <= 90 days\n"
    text += "show memory.total in GB\nshow cost\nshow gpu.price_source\nshow gpu_hours\n"
    solution = api.solve(str(tmp_path / "a.plan"), text=text)
    document = as_json(solution, [])
    assert faults("solution", document) == []
    rules = {rule["name"]: rule for rule in document["requirements"]}
    assert rules["deadline"]["slack_unit"] == "s" and "asked" not in rules["deadline"]
    fits = rules["fits"]  # a chance that is required: its slack is a probability
    assert fits["slack_unit"] == "" and fits["asked"] == 0.2
    assert fits["slack"] == pytest.approx(fits["chance"] - fits["asked"], abs=0.005)
    assert all((rule["slack"] is None) == (rule["slack_unit"] is None) for rule in document["requirements"])
    quantities = document["quantities"]
    assert (quantities["gpu_hours"]["unit"], quantities["hardware.price"]["unit"]) == ("GPU*s", "USD/s/GPU")
    memory, cost, source, hours = document["shown"]
    total = quantities["memory.total"]
    assert (memory["expression"], memory["unit"]) == ("memory.total", "byte")
    assert memory["model_low"] == pytest.approx(total["model_low"]) and memory["model_high"] > memory["model_low"]
    assert cost["model_low"] is None and source["unit"] is None and hours["unit"] == "GPU*s"
    assert [row.band is not None for row in solution.shown] == [True, False, False, False]


def test_an_import_and_a_reworded_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from llmplan import importing, rewording

    monkeypatch.chdir(tmp_path)
    (tmp_path / "ds.json").write_text(
        '{"zero_optimization": {"stage": 0}, "train_micro_batch_size_per_gpu": 8}', "utf-8"
    )
    text = "deepspeed --num_gpus 8 t.py --model_name_or_path huggyllama/llama-7b --max_seq_length 4096 --output_dir x"
    (tmp_path / "run.sh").write_text(f"{text} --odd 1\n", "utf-8")
    found = importing.imported(["ds.json", "run.sh"], [("hardware.gpu", '"A100-SXM4-40GB"')])
    assert faults("import", importing.as_json(found)) == [] and found.files is not None
    answer = rewording.reworded(api.solve(str(tmp_path / "a.plan"), text=found.plan), found.files)
    document = as_json(answer, [])
    assert any("edits" in one for one in document["relaxations"]) and faults("solution", document) == []


def test_an_out_of_memory_message() -> None:
    from llmplan import failures
    from llmplan.request import Request

    text = 'model "llama-7b"\nhardware { gpu = "A100-SXM4-40GB", gpus = 4 }\nparallelism.zero_stage = 2\n'
    text += "show memory.total\n"
    found = failures.explain(["CUDA out of memory. Tried to allocate 6.28 GiB."], Request("a.plan", text))
    assert found.diagnosis is not None and found.diagnosis.told
    assert faults("why", failures.as_json(found, found.changes)) == []
