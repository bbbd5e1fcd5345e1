"""Answers to plans for a target that is told the whole plan, as Megatron-LM and torchtitan are, and the files written
for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.emit.render import render

BODY = """model "{model}"
dataset {{ tokens = 2T, sequence_length = {length} tokens }}
hardware {{ gpu = "{gpu}", gpus = {gpus} }}
parallelism {{ {layout} }}
training {{ global_batch = {batch} sequences, micro_batch = 1, {training} }}
waive fits
emit {emit}
"""
Answer = tuple[Solution, Mapping[str, str]]


def plan(
    emit: str, model: str, gpus: int, layout: str, training: str = "recompute = none", *, batch: int = 1024,
    length: int = 4096,
    gpu: str = "H100-SXM5-80GB",
) -> str:  # fmt: skip
    return BODY.format(
        emit=emit, model=model, gpus=gpus, layout=layout, training=training, batch=batch, length=length, gpu=gpu
    )


@cache
def solved(text: str) -> Answer:
    """The answer to a plan and, where there is one, the files."""
    solution = api.solve("-", text=text)
    if solution.status != "solved":
        return solution, {}
    files, problems = render(solution)
    assert not problems, problems
    return solution, files


def solved_all(texts: Mapping[str, str]) -> dict[str, Answer]:
    """The answers to plans that are feasible."""
    answers = {name: solved(text) for name, text in texts.items()}
    assert {
        name: [d.message for d in one.diagnostics] for name, (one, _) in answers.items() if one.status != "solved"
    } == {}
    return answers


def feasible(texts: list[str]) -> dict[str, Answer]:
    """By number the answers to those plans that are feasible, which at least a sixth are."""
    answers = {str(at): answer for at, text in enumerate(texts) if (answer := solved(text))[0].status == "solved"}
    assert len(answers) >= len(texts) / 6
    return answers


def refusals(target: str, text: str) -> list[str]:
    """The requirements of a target that a plan violates."""
    return [
        r.name for r in solved(text)[0].requirements if r.holds is False and r.name and r.name.startswith(f"{target}_")
    ]


def value(solution: Solution, name: str) -> Any:
    return solution.values[name].value
