"""Cases and their predictions: values, bands, errors, what is skipped, and the figures over all of them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import llmplan
from llmplan import api, cli
from llmplan.backtest import predict as predicting
from llmplan.backtest.base import Base, Refused
from llmplan.backtest.case import Case, case, cases
from llmplan.backtest.predict import predict, predictions
from llmplan.backtest.summary import as_json, coverage, out_of_memory, statistics, width
from llmplan.solve import workers
from tests.thorough import examples

FILE = Path(__file__).parent / "data" / "cases.jsonl"
LINES = FILE.read_text(encoding="utf-8").splitlines()
CASES = cases(FILE.read_bytes())
BY_ID = {case.id: case for case in CASES}
ODD: tuple[Any, ...] = (
    None, 0, -1, 1, 7, 10**15, 10**400, 1.5, float("nan"), float("inf"), 1e308, 1e-320, True, False, "", "x", "\x1b",
    '"', "{1/0}", "?", "1/0", "? in 1..8", "8..64", [], ["x"], {}, {"x": {"y": []}},
)  # fmt: skip

PLAN = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
parallelism { tensor = 1, pipeline = 1, zero_stage = 3 }
training { global_batch = 4M tokens, micro_batch = MICRO, recompute = none }
"""


@pytest.fixture(scope="module")
def base() -> Base:
    return Base.of()


def of(text: str, **measured: object) -> Case:
    return case({"id": "a", "plan": text, "measured": measured}, "line 1")


def test_predictions_are_those_of_solve(base: Base) -> None:
    text = PLAN.replace("MICRO", "2")
    whole = api.solve("-", text=text)
    found = predict(base, of(text, step_time_s=10, memory_gb=60, memory_kind="reserved", gpu_hours=1e5, wall_hours=1e3))
    for key, name, unit in (
        ("step_time_s", "step_time", 1), ("tokens_per_s_per_gpu", "tokens_per_second_per_gpu", 1),
        ("tflops_per_gpu", "tflops_per_gpu", 1e12), ("memory_gb", "memory.reserved", 1e9),
        ("gpu_hours", "wall_gpu_hours", 3600), ("wall_hours", "wall_time", 3600),
    ):  # fmt: skip
        value = whole.values[name]
        assert found.predicted[key] == pytest.approx(value.value / unit), key
        assert found.band[key] == pytest.approx((value.model_low / unit, value.model_high / unit)), key
    assert found.error["step_time_s"] == pytest.approx(found.predicted["step_time_s"] / 10 - 1)
    assert found.fits is True and found.lacking == {} and found.skipped == ""


def test_what_is_open_is_solved(base: Base) -> None:
    text = PLAN.replace("MICRO", "?") + "minimize time\n"
    whole = api.solve("-", text=text)
    assert predict(base, of(text)).predicted["step_time_s"] == pytest.approx(whole.values["step_time"].value)
    inputs = {**BY_ID["llama-7b, 64 GPUs"].inputs, "training.micro_batch": "? in [1, 2]"}
    both = [
        predict(base, Case("a", inputs={**inputs, "training.micro_batch": size})).predicted["step_time_s"]
        for size in ("1", "2")
    ]
    assert predict(base, Case("a", inputs=inputs)).predicted["step_time_s"] in both


def test_a_run_that_violates_a_requirement_is_predicted(base: Base) -> None:
    found = predict(base, of(PLAN.replace("MICRO", "16"), out_of_memory=True))
    assert found.fits is False and found.predicted["memory_gb"] > 80
    open_ = PLAN.replace("MICRO", "?") + "require time <= 1 s\n"
    assert predict(base, of(open_)).skipped == "infeasible: no plan meets time <= 1 s"
    named = open_ + 'require card: hardware.gpu == "H100-SXM-80GB"\nrequire few: hardware.gpus <= 64\n'
    assert predict(base, of(named)).skipped.startswith("infeasible: no plan meets ")
    inputs = BY_ID["llama-7b, 64 GPUs"].inputs | {"training.micro_batch": "? in [512, 1024]"}
    assert predict(base, Case("a", inputs=inputs)).skipped == "infeasible: no plan meets fits"


def test_measured_values_in_and_out_of_their_bands(base: Base) -> None:
    text = PLAN.replace("MICRO", "2")
    low, high = predict(base, of(text)).band["step_time_s"]
    inside, outside = (
        predict(base, of(text, step_time_s=value, memory_gb=1)) for value in ((low + high) / 2, 2 * high)
    )
    assert inside.in_band == {"step_time_s": True, "memory_gb": False}
    assert outside.in_band["step_time_s"] is False
    assert coverage([inside, outside], "step_time_s") == 0.5
    assert width([inside, outside], "step_time_s") == pytest.approx(high / low)
    assert coverage([inside], "gpu_hours") is None and width([inside], "gpu_hours") is None
    nothing = predict(base, of(text, memory_gb=1, memory_kind="by eye"))
    assert nothing.in_band == {"memory_gb": None} and "by eye" in nothing.lacking["memory_gb"]
    assert all(kind in nothing.lacking["memory_gb"] for kind in predicting.MEMORY)
    near = predict(base, of(text, memory_gb=1, memory_kind="reservd"))
    assert near.lacking["memory_gb"].endswith("did you mean reserved?")


def test_readings_of_memory(base: Base) -> None:
    text = PLAN.replace("MICRO", "2").replace("pipeline = 1, zero_stage = 3", "pipeline = 8, zero_stage = 1")
    kinds = ("tensors", "allocated", "reserved", "nvidia-smi", "needed")
    found = [predict(base, of(text, memory_gb=1, memory_kind=kind)) for kind in kinds]
    sizes = [one.predicted["memory_gb"] for one in found]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]
    last = predict(base, of(text, memory_gb=1, memory_kind="reserved", memory_stage="last"))
    assert last.predicted["memory_gb"] < found[2].predicted["memory_gb"]
    assert last.band["memory_gb"][0] < last.predicted["memory_gb"] < last.band["memory_gb"][1]
    wrong = predict(base, of(text, memory_gb=1, memory_stage="top"))
    assert "top" in wrong.lacking["memory_gb"]


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ({"model": "no-such-model"}, "no-such-model"),
        ({"memory.total": "80 GB"}, "`memory.total` is computed and cannot be set"),
        ({"hardware.gpuss": 8}, "`hardware` has no field `gpuss`; did you mean `gpus`?"),
        ({"gpus": 8}, "`gpus` is not an input, `let` or assumption of this plan; did you mean `hardware.gpus`?"),
        ({"training.micro_batch": "two"}, "two"),
        ({"training.micro_batch": "1 +"}, "unfinished expression"),
        ({"model": "llama-7b", "training.micro_batch": 2}, "memory.total needs"),
        ('model "llama-7b', "this text is never closed"),
    ],
)
def test_what_cannot_be_predicted_says_why(base: Base, plan: object, why: str) -> None:
    assert why in predict(base, case({"plan": plan, "measured": {}}, "a")).skipped


def test_an_unknown_stack_is_skipped_and_a_known_one_counts(base: Base) -> None:
    text = PLAN.replace("MICRO", "2")
    keys = {"id": "a", "plan": text, "measured": {}}
    assert "no-such-stack" in predict(base, case({**keys, "stack": "no-such-stack"}, "a")).skipped
    plain, under = (predict(base, case({**keys, "stack": stack}, "a")) for stack in (None, "gpt-neox"))
    assert plain.predicted["memory_gb"] != under.predicted["memory_gb"]


@pytest.mark.parametrize("plan", ['stack "gpt-neox"\n' + PLAN.replace("MICRO", "2"), {"stack": "gpt-neox"}])
def test_a_stack_that_contradicts_the_plan_is_skipped(base: Base, plan: object) -> None:
    keys = {"id": "a", "plan": plan, "measured": {}}
    alone, same, wrong = (
        predict(base, case({**keys, "stack": stack}, "a")) for stack in (None, "gpt_neox", "nemo-2.5")
    )
    assert wrong.skipped == "stack is nemo-2.5, but the plan says gpt-neox" and wrong.predicted == {}
    assert (same.predicted, same.skipped) == (alone.predicted, alone.skipped), "an alias is the same entry"


def test_a_plan_wins_over_what_its_stack_sets(base: Base) -> None:
    text = PLAN.replace("MICRO", "2")
    own = text.replace("tensor = 1", "framework = megatron, tensor = 1")
    first, second = (predict(base, case({"plan": p, "measured": {}, "stack": "gpt-neox"}, "a")) for p in (text, own))
    assert first.predicted["memory_gb"] != second.predicted["memory_gb"]


def test_cases_do_not_touch_each_other(base: Base) -> None:
    alone = Base.of()
    for one in (*CASES[3:7], *CASES[6:2:-1]):
        assert predict(base, one) == predict(alone, one)


@pytest.mark.quick(1)
@pytest.mark.parametrize("cores", [1, 2])
def test_many_cases_are_predicted_as_each_alone(base: Base, monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    monkeypatch.setattr(workers, "cores", lambda: cores)
    monkeypatch.setattr(workers, "PAYS", 0.0)
    monkeypatch.setattr(predicting, "PART", 2)
    assert predictions(CASES[3:]) == [predict(base, case) for case in CASES[3:]]


def test_a_setting_that_is_not_an_input_is_refused(base: Base) -> None:
    with pytest.raises(Refused):
        base.values({"memory.total": "80 GB"})
    with pytest.raises(Refused):
        base.values({"parallelism.zero_stage": "two"})


def test_entries_and_texts_may_be_quoted(base: Base) -> None:
    assert base.values({"hardware.gpu": '"H100-SXM-80GB"'}).number("gpu.memory") == base.values(
        {"hardware.gpu": "H100-SXM-80GB"}
    ).number("gpu.memory")


def test_statistics_of_errors(base: Base) -> None:
    outcomes = predictions(CASES)
    figures = statistics(outcomes, "memory_gb")
    assert figures is not None and figures.median <= figures.mean + 0.05 and figures.worst_case in BY_ID
    assert out_of_memory(outcomes)["seen"] == out_of_memory(outcomes)["ran_out"] > 0
    assert statistics([], "memory_gb") is None


def test_any_value_in_any_key(base: Base) -> None:
    random_ = random.Random(7)
    outcomes = []
    for _ in range(examples(300, 0.15)):
        found = json.loads(random_.choice(LINES))
        for _ in range(random_.choice((1, 1, 1, 2, 4))):
            blocks = [found, *(block for block in found.values() if isinstance(block, dict))]
            block = random_.choice(blocks)
            block[random_.choice([*block, "x"])] = random_.choice(ODD)
        outcomes.append(predict(base, case(found, "line 1")))
    document = json.loads(json.dumps(as_json(outcomes), allow_nan=False))
    assert [error.message[:200] for error in schema("backtest").iter_errors(document)] == []


def schema(name: str) -> Draft202012Validator:
    text = (Path(llmplan.__file__).parent / "schemas" / f"{name}.json").read_text(encoding="utf-8")
    Draft202012Validator.check_schema(json.loads(text))
    return Draft202012Validator(json.loads(text))


def test_a_case_that_is_damaged_does_not_fit_the_schema() -> None:
    assert [list(schema("case").iter_errors(json.loads(line))) for line in LINES] == [[]] * len(LINES)
    for wrong in (
        {"plan": [1], "measured": {}},
        {"plan": {}},
        {"plan": {}, "measured": {"step_time": 1}},
        {"stak": ""},
    ):
        assert case(wrong, "a").skipped and list(schema("case").iter_errors(wrong))


# The command


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.run(["backtest", *arguments])
    streams = capsys.readouterr()
    return code, streams.out, streams.err


def test_json_lists_every_case(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = printed(capsys, str(FILE), "--json")
    found = json.loads(out)
    assert code == 0 and [case["id"] for case in found["cases"]] == [case.id for case in CASES]
    for row in found["cases"]:
        assert {"predicted", "band", "measured", "error", "in_band", "fits", "skipped", "lacking", "apart"} < row.keys()
        assert row["in_band"].keys() == row["measured"].keys()
        assert all(end["low"] <= row["predicted"][key] <= end["high"] for key, end in row["band"].items())
    assert found["groups"].keys() == {case.group for case in CASES}
    assert found["overall"]["skipped"] == sum(bool(row["skipped"]) for row in found["cases"])
    assert {"step_time", "memory", "gpu_hours", "memory_by_kind", "coverage", "width"} < found["overall"].keys()
    assert 0 <= found["overall"]["coverage"]["step_time_s"] <= 1 < found["overall"]["width"]["step_time_s"]


def test_text_lists_groups_and_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = printed(capsys, str(FILE))
    assert code == 0
    assert "our cluster" in out and "all reserved" in out and "in band" in out
    assert "apart: 1" in out and "its source contradicts itself" in out
    assert "the layout is not stated: skipped by its reader" in out


def test_text_lists_measured_figures_without_a_prediction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = dict(BY_ID["llama-7b, 64 GPUs"].inputs)
    measured = {"gpu_hours": 3, "wall_hours": 2, "memory_gb": 20, "memory_kind": "reservd"}
    lines = [{"id": name, "plan": inputs, "measured": measured} for name in ("a", "b")]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, lines)))
    code, out, _ = printed(capsys, str(tmp_path / "cases.jsonl"))
    assert code == 0 and "measured, not predicted: 6 figures" in out
    assert "  gpu_hours: wall_gpu_hours needs dataset.tokens: a, b\n" in out
    assert "  wall_hours: wall_time needs dataset.tokens: a, b\n" in out
    assert "  memory_gb: memory_kind is reservd; expected allocated, reserved," in out


def test_a_file_without_a_case_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cases.jsonl").write_text("model\n")
    code, out, err = printed(capsys, str(tmp_path / "cases.jsonl"))
    assert (code, out) == (2, "") and "has no cases: line 1 is not JSON" in err
    assert printed(capsys, str(tmp_path / "missing.jsonl"))[0] == 2
