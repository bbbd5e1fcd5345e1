"""The library as a whole: it checks, every declaration says what it means, every example holds."""

from __future__ import annotations

import re

import pytest

from llmplan.check.library import build, library_files
from llmplan.check.scope import Scope
from tests.std.answers import number, solve

DIGITS = re.compile(r"([0-9]+)(\.([0-9]+))?")


@pytest.fixture(scope="module")
def library() -> Scope:
    scope, problems = build(library_files())
    assert [f"{p.span}: {p.message}" for p in problems] == []
    return scope


def examples() -> list[tuple[str, str]]:
    scope, _ = build(library_files())
    return [example for name in scope.functions for example in scope.functions[name].examples]


def test_fixed_quantities_exist(library: Scope) -> None:
    names = [
        "model.params_total",
        "model.params_active",
        "model.params_matmul",
        "model.params_embedding",
        "flops_per_token",
        "train_flops",
        "flops_6nd",
        "dataset.bytes",
        "tokens_total",
        "chinchilla_tokens",
        "tokens_per_parameter",
        "epochs_advice",
        "data_parallel",
        "global_batch_tokens",
        "global_batch_sequences",
        "grad_accum",
        "steps",
        "memory.weights",
        "memory.gradients",
        "memory.optimizer",
        "memory.activations",
        "memory.logits",
        "memory.temporary",
        "memory.buffers",
        "memory.context",
        "memory.total",
        "memory.peak_stage",
        "memory.peak_phase",
        "memory.host",
        "step_time",
        "step.compute",
        "step.tensor_comm",
        "step.context_comm",
        "step.expert_comm",
        "step.pipeline_comm",
        "step.pipeline_bubble",
        "step.data_comm",
        "step.optimizer",
        "step.fixed",
        "step.offload",
        "step.other",
        "mfu",
        "hfu",
        "tokens_per_second",
        "tokens_per_second_per_gpu",
        "tflops_per_gpu",
        "scaling_efficiency",
        "time",
        "gpu_hours",
        "cost",
        "energy",
        "co2e",
        "wall_time",
        "wall_cost",
        "wall_gpu_hours",
        "data_read_rate",
        "checkpoint_size",
        "checkpoint_interval_optimal",
        "goodput",
    ]
    assert [name for name in names if name not in library.quantities] == []


def test_fixed_requirements_exist(library: Scope) -> None:
    names = "fits heads_divide layers_divide batch_divides batch_near tensor_inside_node precision_supported"
    assert [name for name in names.split() if name not in library.rules] == []


def test_every_requirement_gives_a_reason(library: Scope) -> None:
    assert [name for name in library.rules if library.rules[name].because is None] == []


@pytest.mark.quick(8)
@pytest.mark.parametrize(("call", "result"), examples())
def test_example(call: str, result: str) -> None:
    solution = solve(f"let found = {call}\nlet printed = {result}\n")
    digits = DIGITS.match(result.replace("_", ""))
    assert digits is not None
    places = len(digits[3] or "")
    printed = number(solution, "printed")
    scale = printed / float(digits[0])
    assert abs(number(solution, "found") - printed) <= 0.5 * 10**-places * scale * (1 + 1e-9)


def test_everything_says_what_it_means(library: Scope) -> None:
    fields = [name for name in library.fields if not library.fields[name].doc]
    functions = [name for name in library.functions if not library.functions[name].doc]
    quantities = [n for n in library.quantities if not all(a.doc for a in library.quantities[n].alternatives)]
    assert fields + functions + quantities == []
