"""Pictures of the report: well-formed, small, legible, and with the figures of the solution."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from llmplan import api
from llmplan.emit import picture
from llmplan.emit.render import render
from llmplan.solution import Solution
from tests.emit.drawn import faults

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
require budget: cost <= 250_000 USD
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
PLANS = {
    "7b": (SEVEN, ("step.svg",)),
    "70b": (SEVENTY, ("step.svg",)),
    "405b": (LARGE, ("step.svg",)),
    "experts": (EXPERTS, ("step.svg",)),
    "one card": (CARD, ("step.svg",)),
    "adapter": (ADAPTER, ("step.svg",)),
    "infeasible": (INFEASIBLE, ("step.svg",)),
    "ranges": (RANGES, ("step.svg",)),
    "parameters": (OF_PARAMETERS, ()),
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
    bars = [(float(x), float(width)) for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="22', svg)]
    # The last bar is the whole; the parts lead to its end, each from where the one before it ended.
    assert max(x + width for x, width in bars[:-1]) >= bars[-1][0] + bars[-1][1] - 1.5
    value = solution.values["step_time"]
    assert f">{value.text}</text>" in svg
    if "mfu" in solution.values:
        assert f"of which {100 * solution.values['mfu'].value:.0f} %" in svg


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
