"""What is asked of a target that is told the whole plan, as Megatron-LM and torchtitan are: what it takes, and whether
its files say all.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.emit.render import render
from tests.emit.test_searches import KNOBS
from tests.emit.test_unexported import NOT_SAID, inputs, others

UNKNOWN = """model {{ layers = 4, hidden = 1024, heads = 16, ffn = 2816, vocab = 32_000, max_context = 2048 }}
model.gated_mlp = true
dataset {{ tokens = 1B, sequence_length = 2048 tokens }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = 8 }}
training {{ global_batch = 64 sequences, micro_batch = 1, recompute = none }}
parallelism.zero_stage = {stage}
emit {target}
"""
"""A model of which nothing is known that its parameters do not depend on."""
KNOWN = "model.activation = silu\nmodel.norm_epsilon = 0.000_01\n"


def solved(plan: str, *settings: tuple[str, str]) -> Solution:
    return api.solve("-", text=plan, settings=settings)


@cache
def files(plan: str, *settings: tuple[str, str]) -> dict[str, str]:
    solution = solved(plan, *settings)
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    written, problems = render(solution)
    assert not problems, problems
    return written


def refusals(target: str, plan: str, *settings: tuple[str, str]) -> set[str]:
    """The requirements of the target that a plan violates, without its name; without one the plan is solved."""
    solution = solved(plan, *settings)
    found = {result.name or "" for result in solution.requirements if result.holds is False}
    assert bool(found) == (solution.status != "solved"), (found, [d.message for d in solution.diagnostics])
    return {name.removeprefix(f"{target}_") for name in found if name.startswith(f"{target}_")}


def names(solution: Solution, name: str) -> bool:
    """Whether a requirement is what an answer says is wrong, by its name in a message or as one that fails."""
    said = " ".join(text for one in solution.diagnostics for text in (one.message, *one.notes))
    return f"`{name}`" in said or name in [one.name for one in solution.requirements if one.holds is False]


def refused(cases: list[tuple[str, str, tuple[tuple[str, str], ...]]], quick: str) -> pytest.MarkDecorator:
    """Requirements by name, each with a plan and settings that violate it; but for one the tests are slow."""
    tried = [pytest.param(*case, id=case[0], marks=[pytest.mark.slow] * (case[0] != quick)) for case in cases]
    return pytest.mark.parametrize(("name", "plan", "settings"), tried)


SEEDS = pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.slow) for seed in range(20)])


def drawn(target: str, seed: int, models: tuple[str, ...], *more: str) -> str:
    """A plan for a target with some knobs open."""
    chance = random.Random(seed)
    knobs = [knob for knob in KNOBS if "framework" not in knob]
    return "\n".join(
        [
            f'model "{chance.choice(models)}"',
            *more,
            "dataset { tokens = 10B, sequence_length = 1024 tokens }",
            f'hardware.gpu = "{chance.choice(("A100-SXM4-80GB", "H100-SXM5-80GB"))}"',
            f"hardware.gpus = {chance.choice((8, 16, 64))}",
            "training.global_batch = 256 sequences",
            *chance.sample(knobs, chance.randint(2, 4)),
            f"emit {target}",
            "minimize time",
        ]
    )


def is_written(plan: str) -> None:
    """The answer of a search, where there is one, is a plan for the target."""
    solution = solved(plan)
    assert solution.status in ("solved", "infeasible"), [d.message for d in solution.diagnostics]
    if solution.status == "solved":
        assert render(solution)[1] == []


def unsaid(plan: str, names: tuple[str, ...], every: bool) -> list[tuple[str, str]]:
    """Inputs with values that change time or memory, and none of these files; without `every` only those of the layout
    and of what is recomputed are tried."""
    base, before = solved(plan), own(files(plan), names)
    found = []
    for path in inputs():
        if path in NOT_SAID or not (every or path.startswith(("parallelism.", "training.recompute"))):
            continue
        # Without a method, and another one is refused, nothing else of `adapter` means anything: W0617 says so.
        if path.startswith("adapter.") and path != "adapter.method":
            continue
        for other in others(path, base):
            solution = solved(plan, (path, other))
            if solution.status != "solved":
                continue  # refused, by a requirement or as no legal value
            written, problems = render(solution)
            same = not problems and own(written, names) == before
            if problems or (
                same
                and any(
                    solution.values[name].value != base.values[name].value for name in ("step_time", "memory.total")
                )
            ):
                found.append((path, other))
    return found


def own(written: Mapping[str, str], names: tuple[str, ...]) -> list[str]:
    """The lines that the target itself sees: variables of the plan it does not know."""
    lines = [line for name in names for line in written[name].splitlines()]
    return [line for line in lines if not line.startswith(("#", "export LLMPLAN_"))]


def started(written: Mapping[str, str], variables: str, *arguments: str, folder: Path) -> tuple[str, list[str]]:
    """These variables and the words with which `launch.sh`, given arguments, calls torchrun."""
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    stub = folder / "torchrun"
    stub.write_text(f'#!/bin/sh\necho "{variables}"\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    stub.chmod(0o755)
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "NODE_RANK": "7", "MASTER_ADDR": "a"}
    command = ["bash", str(folder / "launch.sh"), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd="/")
    found, *words = done.stdout.splitlines()
    return found, words
