"""Answers of plans that cover the sections: deadlines, ranges, sweeps, scenarios, a front, conflicts, hostile texts."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.emit.render import render
from llmplan.present import screen
from llmplan.present.basis import remarks
from llmplan.present.blocks import plain
from llmplan.present.context import Context
from llmplan.present.pictures import CHARTS
from llmplan.present.words import words_of

REPOSITORY = Path(__file__).parents[2]

BASE = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 128 }
parallelism { framework = deepspeed, zero_stage = 2 }
training { global_batch = 4M tokens, micro_batch = ?, recompute = ? }
"""
PLANS = {
    "ranges": f"""{BASE}assume mfu = 30%..40%..55%
require budget: cost <= 290_000 USD
prefer quick: time <= 10 days because "release 2.31" else "on RFC 9110 since 2024-01-31 it is 10.125 days"
waive heads_divide because "tried"
show cost / 7
show time in hours
show hardware.gpu
show gpu_hours
show step_time / 3
sweep hardware.gpus in [64, 128]
scenario "cheap" {{ hardware.price = 1.125 USD/GPU/hour }}
minimize time
""",
    "infeasible": f"{BASE}require deadline: time <= 3 days\nrequire budget: cost <= 1_000 USD\n",
    "front": f"""{BASE.replace("gpus = 128", "gpus = ? in [64, 128, 256]")}pareto time, cost
require deadline: time <= 80 days
emit deepspeed
""",
    "deadline": f"""{BASE.replace("gpus = 128", "gpus = ? in [64, 128, 256]")}require deadline: time <= 40 days
minimize hardware.gpus
emit deepspeed
""",
    "stages": """model "llama-3-70b"
dataset { tokens = 100B, sequence_length = 4096 }
hardware { gpu = "H100-SXM5-80GB", gpus = 128 }
parallelism { framework = megatron, tensor = 4, pipeline = 4, zero_stage = 1 }
training { precision = bf16, global_batch = 4M tokens, micro_batch = 1, recompute = full }
sweep hardware.gpus in [64, 128, 256]
""",
    "scenarios": f"""{BASE}scenario "cheap" {{ hardware.price = 1 USD/GPU/hour }}
scenario "large" {{ hardware.gpus = 256 }}
""",
    "alone": "let a = 3 * 7.1234\nshow a\nshow a / 3\n",
}


@lru_cache(maxsize=16)
def solved(name: str) -> Solution:
    return api.solve(f"{name}.plan", text=PLANS[name], tables=True)


@lru_cache(maxsize=16)
def report(name: str) -> str:
    files, problems = render(solved(name))
    assert not problems
    return files["report.md"]


def context(name: str) -> Context:
    pictures = frozenset(f"{chart.name}.svg" for chart in CHARTS)
    return Context(solved(name), words_of(), frozenset({"launch"}), pictures)


def shown_on_a_screen(name: str) -> str:
    return screen.render(context(name), 100)


def notes(solution: Solution) -> list[str]:
    """What is said beside an answer."""
    return [plain(text) for text in remarks(Context(solution, words_of()))]
