"""Pictures of the report: well-formed, small, legible, and with the figures of the solution."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import evolve

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.emit import picture
from llmplan.emit.render import render
from llmplan.emit.solution_json import as_json
from llmplan.report.curve import MOST
from llmplan.units.amount import Amount, Unit
from tests.emit.drawn import contrast, faults

ROOT = Path(__file__).resolve().parents[2]
SEVEN = (ROOT / "plans/llama7b.plan").read_text()
SEVENTY = """model "llama-3-70b"
dataset { tokens = 1T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 512 }
parallelism { framework = megatron, tensor = ?, pipeline = ?, zero_stage = 1 }
training { precision = bf16, global_batch = 1024 sequences, micro_batch = ?, recompute = ? }
minimize time
"""
LARGE = """model "llama-3.1-405b"
dataset { tokens = 15T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 16384 }
parallelism { framework = megatron, tensor = 8, pipeline = 16, virtual_pipeline = 1, zero_stage = 1 }
training { precision = bf16, global_batch = 2048 sequences, micro_batch = 1, recompute = none }
require deadline: time <= 120 days
"""
EXPERTS = """model "mixtral-8x7b"
dataset { tokens = 2T, sequence_length = 4096 }
hardware { gpu = "H100-SXM5-80GB", gpus = ? in 64..512 step 64 }
parallelism { framework = megatron, tensor = 1, expert = 8, zero_stage = 1, pipeline = ? in [1, 2, 4] }
training { precision = bf16, global_batch = 1024 sequences, micro_batch = 1, recompute = ? }
require deadline: time <= 60 days
minimize hardware.gpus
"""
CARD = """model "llama-3.2-1b"
dataset { tokens = 1B, sequence_length = 2048 }
hardware { gpu = "RTX-4090", gpus = 1 }
training { precision = bf16, global_batch = 32 sequences, micro_batch = ?, recompute = ?, task = finetune }
require patience: time <= 2 days
"""
ADAPTER = """model "llama-3-8b"
dataset { tokens = 100M, sequence_length = 2048 }
hardware { gpu = "RTX-4090", gpus = 1 }
adapter { method = qlora, rank = 16 }
training { precision = bf16, global_batch = 16 sequences, micro_batch = ?, recompute = full }
"""
INFEASIBLE = """model "llama-2-70b"
dataset { tokens = 1T, sequence_length = 4096 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
training { precision = bf16, global_batch = 4M tokens, micro_batch = ? }
require deadline: time <= 3 weeks
require budget: cost <= 200_000 USD
"""
RANGES = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 128 }
training { precision = bf16, global_batch = 4M tokens, micro_batch = ?, recompute = ? }
assume mfu = 30%..40%..55%
require deadline: time <= 45 days
require budget: cost <= 300_000 USD
sweep hardware.gpus in [64, 128, 256]
scenario "H100" { hardware.gpu = "H100-SXM5-80GB" }
"""
OF_PARAMETERS = """model { params = 7B }
dataset.tokens = 1T
hardware { gpu = "A100-SXM4-80GB", gpus = ? }
training.precision = bf16
assume mfu = 45%
require deadline: time <= 30 days
minimize hardware.gpus
"""
ALL = ("deadline.svg", "memory.svg", "step.svg")
PLANS = {
    "7b": (SEVEN, ALL),
    "70b": (SEVENTY, ALL[1:]),
    "405b": (LARGE, ALL),
    "experts": (EXPERTS, ALL),
    "one card": (CARD, ALL),
    "adapter": (ADAPTER, ALL[1:]),
    "infeasible": (INFEASIBLE, ALL[1:]),
    "ranges": (RANGES, ALL),
    "parameters": (OF_PARAMETERS, ALL[:1]),
}
QUICK = "7b"
CASES = [name if name == QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PLANS]


def drawn(solution: Solution, templates: Path | None = None) -> dict[str, str]:
    files, problems = render(solution, templates)
    assert not problems, problems
    return {name: text for name, text in files.items() if name.endswith(".svg")}


@pytest.fixture(scope="module")
def solutions() -> dict[str, Solution]:
    return {}


def solved(name: str, kept: dict[str, Solution], plans) -> Solution:
    if name not in kept:
        kept[name] = api.solve(plans.path, text=PLANS[name][0], limit=10**7, tables=True)
        assert kept[name].status != "error", kept[name].diagnostics
    return kept[name]


@pytest.mark.parametrize("name", CASES)
def test_pictures_are_sound(name: str, plans, solutions) -> None:
    pictures = drawn(solved(name, solutions, plans))
    assert tuple(sorted(pictures)) == PLANS[name][1]
    assert {file: faults(svg) for file, svg in pictures.items() if faults(svg)} == {}


@pytest.mark.parametrize("name", CASES)
def test_parts_add_up(name: str, plans, solutions) -> None:
    solution = solved(name, solutions, plans)
    assert {"memory.total", "step_time", "step.compute"} <= set(solution.parts)
    for whole, parts in solution.parts.items():
        values = [solution.values[part].value for part, _ in parts]
        if solution.values[whole].value is not None and None not in values:
            assert math.fsum(values) == pytest.approx(solution.values[whole].value, rel=1e-9), whole


@pytest.mark.parametrize("name", CASES)
def test_a_step_falls_from_the_peak_to_its_time(name: str, plans, solutions) -> None:
    solution = solved(name, solutions, plans)
    svg = drawn(solution).get("step.svg", "")
    if not svg:
        return
    bars = [
        (float(x), float(width))
        for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="22', svg)
    ]
    # The last bar is the whole; the parts lead to its end, each from where the one before it ended.
    assert max(x + width for x, width in bars[:-1]) >= bars[-1][0] + bars[-1][1] - 1.5
    value = solution.values["step_time"]
    whole = re.search(r'font-weight="600">([\d.,]+) (s|ms)</text>', svg)
    assert whole is not None
    assert float(whole[1]) * {"s": 1, "ms": 1e-3}[whole[2]] == pytest.approx(value.value, rel=0.005)
    if "mfu" in solution.values:
        assert f"of which {100 * solution.values['mfu'].value:.0f} %" in svg


@pytest.mark.slow
def test_points_of_a_curve_are_solutions(plans, solutions) -> None:
    solution = solved(QUICK, solutions, plans)
    curve = solution.curve
    assert curve is not None and (curve.input.name, curve.result.name, curve.requirement) == (
        "hardware.gpus",
        "time",
        "deadline",
    )
    assert 5 <= len(curve.points) <= MOST
    answer = curve.points[curve.chosen]
    assert answer.at == solution.values["hardware.gpus"].value
    assert (answer.value, answer.model_low, answer.model_high) == tuple(
        getattr(solution.values["time"], name) for name in ("value", "model_low", "model_high")
    )
    (deadline,) = (result for result in solution.requirements if result.name == "deadline")
    assert answer.chance == pytest.approx(deadline.chance) and answer.verdict == deadline.verdict
    for point in curve.points:
        there = plans.solve(SEVEN.replace("gpus = ?", f"gpus = {point.at:.0f}").replace("<= 30 days", "<= 999 days"))
        assert there.values["time"].value == pytest.approx(point.value, rel=1e-9)
    safe = curve.points[curve.safe]
    assert safe.verdict == "safe" and safe.chance >= 0.9
    # None between the answer and the safe one, which are multiples of a node of eight, is safe.
    for gpus in range(int(answer.at), int(safe.at), 8):
        there = plans.solve(SEVEN.replace("gpus = ?", f"gpus = {gpus}"))
        assert next(result for result in there.requirements if result.name == "deadline").verdict != "safe"


@pytest.mark.slow
def test_where_there_are_too_many_layouts_they_stay(plans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llmplan.report.curve.LAYOUTS", 4)
    curve = api.solve(plans.path, text=SEVEN, limit=10**7, tables=True).curve
    assert curve is not None and not curve.again
    point = next(
        point for point in curve.points if point.verdict == "safe" and point.at > curve.points[curve.chosen].at
    )
    answer = plans.solve(SEVEN)
    settled = {unknown.path: unknown.value.value for unknown in answer.unknowns} | {"hardware.gpus": point.at}
    there = plans.solve(SEVEN, settings=tuple((name, str(value)) for name, value in settled.items()))
    assert there.values["time"].value == pytest.approx(point.value, rel=1e-9)


def test_a_curve_is_drawn_where_its_figures_are(plans, solutions) -> None:
    solution = solved(QUICK, solutions, plans)
    curve, svg = solution.curve, drawn(solution)["deadline.svg"]
    assert curve is not None
    line = re.search(r'<polyline points="([^"]+)" fill="none" stroke="#0969da" stroke-width="2"/>', svg)
    assert line is not None
    pairs = [tuple(map(float, pair.split(","))) for pair in line[1].split()]
    assert len(pairs) == len(curve.points)
    limit = float(re.search(r'y1="([\d.]+)" x2="836.0" y2="\1" stroke="#cf222e"', svg)[1])  # type: ignore[index]
    scale = (pairs[0][1] - pairs[-1][1]) / (curve.points[0].value - curve.points[-1].value)
    for (_, y), point in zip(pairs, curve.points):
        assert y == pytest.approx(limit + scale * (point.value - curve.limit), abs=0.2)
    for point in (curve.points[curve.chosen], curve.points[curve.safe]):
        assert (
            f": {point.text}</text>" in svg
            and f">{point.value_text} – {point.verdict}: {point.chance_text}</text>" in svg
        )


@pytest.mark.slow
def test_neighbours_are_the_plan_with_one_change(plans, solutions) -> None:
    solution = solved(QUICK, solutions, plans)
    answer, *others = solution.neighbours
    settled = {unknown.path: unknown.value.value for unknown in solution.unknowns}
    assert answer.values["memory.total"] == solution.values["memory.total"].value and not answer.breaks
    assert {"training.micro_batch", "training.recompute", "parallelism.zero_stage"} <= {one.name for one in others}
    for one in others:
        given = tuple((name, str(value)) for name, value in (settled | {one.name: one.value}).items())
        there = plans.solve(SEVEN, settings=given)
        assert (there.status == "solved") == (not one.breaks), one.name
        for name, value in one.values.items():
            assert there.values[name].value == pytest.approx(value, rel=1e-9), (one.name, name)
        band = there.values["memory.total"]
        assert one.bands["memory.total"] == pytest.approx((band.model_low, band.model_high))


@pytest.mark.parametrize("name", CASES)
def test_memory_is_drawn_to_scale(name: str, plans, solutions) -> None:
    solution = solved(name, solutions, plans)
    svg = drawn(solution).get("memory.svg")
    if svg is None:
        return
    bars = [
        (float(x), float(y), float(w))
        for x, y, w in re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="24', svg)
    ]
    ends = {y: max(x + w for x, yy, w in bars if yy == y) for _, y, _ in bars}
    total = solution.values["memory.total"].value
    amounts = [float(text) * 1e9 for text in re.findall(r"(?:answer|plan|[^:;.]+): ([\d.]+) GB \(", svg)]
    assert len(amounts) == len(ends) and amounts[0] == pytest.approx(total, rel=0.01)
    scale = (ends[min(ends)] - 216) / total
    for amount, end in zip(amounts, ends.values()):
        assert end - 216 == pytest.approx(amount * scale, abs=1.0)
    assert f"of {solution.values['gpu.memory'].value / 1e9:.1f} GB" in svg


@pytest.mark.parametrize("name", CASES)
def test_what_is_drawn_stands_in_the_json(name: str, plans, solutions) -> None:
    solution = solved(name, solutions, plans)
    record = as_json(solution, ())
    assert ("curve" in record) == (solution.curve is not None) and ("neighbours" in record) == bool(solution.neighbours)
    if solution.curve is not None:
        assert [point["value"] for point in record["curve"]["points"]] == [
            None if point.value is None else pytest.approx(point.value) for point in solution.curve.points
        ]


HOSTILE = '</text><script>alert(1)</script>"&\u202e' + "long " * 40


def strange(amount: Amount | None) -> Amount | None:
    """The amount in a unit that nobody has declared."""
    unit = Unit(HOSTILE, 1.0, True, fixed=True)
    if amount is None or amount.measure is None:
        return amount and Amount(HOSTILE)
    return evolve(amount, unit=unit)


def test_hostile_names_stay_texts(plans, solutions) -> None:
    solution = solved(QUICK, solutions, plans)
    curve = solution.curve
    assert curve is not None
    named = ("time", "step_time", "hardware.gpu")
    values = {
        **solution.values,
        **{name: evolve(solution.values[name], amount=strange(solution.values[name].amount)) for name in named},
    }
    parts = {whole: tuple((name, HOSTILE) for name, _ in pairs) for whole, pairs in solution.parts.items()}
    axes = {
        "input": evolve(curve.input, name=HOSTILE, unit=HOSTILE),
        "result": evolve(curve.result, name=HOSTILE, unit=HOSTILE),
    }
    points = tuple(evolve(point, amount=strange(point.amount), result=strange(point.result)) for point in curve.points)
    bad = evolve(curve, **axes, points=points, requirement=HOSTILE, limit_amount=strange(curve.limit_amount))
    others = tuple(
        evolve(one, name=f"a.{HOSTILE}{n}", amount=Amount(HOSTILE), breaks=(HOSTILE,))
        for n, one in enumerate(solution.neighbours)
    )
    hostile = evolve(solution, values=values, parts=parts, curve=bad, neighbours=others, emits=())
    for svg in drawn(hostile).values():
        assert not faults(svg)
        assert "<script" not in svg and "\u202e" not in svg


@pytest.mark.slow
def test_every_run_draws_the_same_bytes(tmp_path: Path) -> None:
    """In processes that hash texts otherwise."""
    digests = set()
    for seed in ("0", "1", "2"):
        out = tmp_path / seed
        arguments = ["llmplan", "compile", "plans/llama7b.plan", "-o", str(out)]
        code = f"import sys; sys.argv = {arguments!r}; from llmplan.__main__ import main; main()"
        environment = {**os.environ, "PYTHONHASHSEED": seed, "XDG_CACHE_HOME": str(tmp_path / f"cache{seed}")}
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=False)
        digests.add(tuple((file.name, file.read_bytes()) for file in sorted(out.glob("*.svg"))))
    assert len(digests) == 1 and len(digests.pop()) == len(ALL)


def test_fills_are_told_apart_from_white_and_from_text_on_them() -> None:
    shared = (ROOT / "templates/report/picture.j2").read_text()
    fills = re.search(r"FILLS = \[(.*?)\]", shared)
    assert fills is not None
    for colour in re.findall(r"#[0-9a-f]{6}", fills[1]):
        assert contrast(colour) >= 4.5, colour


def test_numbers_along_an_axis() -> None:
    assert picture.ticks(0, 9.7) == [0, 2, 4, 6, 8, 10]
    assert picture.ticks(23.1, 42.9) == [20, 25, 30, 35, 40, 45]
    for low, high in ((0, 1e-9), (-3.2, 7), (1e12, 3e12), (99.9, 100.1), (5, 5)):
        marks = picture.ticks(low, high)
        assert marks[0] <= low and marks[-1] >= high and 2 <= len(marks) <= 9


def test_texts_are_cut_and_escaped() -> None:
    assert picture.xml('<a href="x">&\'') == "&lt;a href=&quot;x&quot;&gt;&amp;&#x27;"
    assert picture.xml("a\u202eb\x00\ufffe") == "a\\u202eb\\u0000\ufffd"
    long = picture.fit("llama-" * 50, 200, 12)
    assert long.endswith("…") and picture.width(long, 12) <= 200
    assert picture.fit("short", 200, 12) == "short"
    assert picture.wrap("one two three four", 60, 12) == ["one two", picture.fit("three four", 60, 12)]
    assert picture.decimal(-0.04, 1) == "0.0" and picture.px(-0.0) == "0.0" and picture.px(1234.56) == "1234.6"
