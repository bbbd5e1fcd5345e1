"""No member of an enum is swallowed by `_`, or by the `else` of comparisons, where it decides memory or time.

A new member must say what it takes.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from llmplan.check import ir, library
from llmplan.check.scope import Scope

GATHERED = {("memory.gather_buffers", "MemoryPhase")}
"""Weights are gathered alike in all moments but two."""

INDICES = {"MemoryPhase", "PipelineStage"}
"""Enums that no plan can set: the moments and the stages over which formulas are indexed. What a formula says of one
moment alone is told from the rest by its name, and a `match` of the same formulas asks for every new one."""

DECIDING = (
    "AdapterMethod", "AttentionKernel", "Batching", "Dtype", "FlashKernel", "FrozenPlace", "Kernels", "LossKernel",
    "Norm", "Offload", "OffloadTo", "Positions", "Precision", "Recompute", "Schedule", "SelectiveRecompute", "Task",
    "UpdateKernel",
)  # fmt: skip
"""Enums of the library that decide memory or time."""

CHOICES = {
    # Only fp32 keeps what stays as it was trained in 32 bits, and only mxfp4 is the format of experts alone.
    ("serving_rest_bytes", "ServingPrecision"),
    ("serving.attention_rate", "ServingPrecision"),
    ("serving.quantized", "ServingPrecision"),
    ("accelerate.alone", "Framework"),  # Whether a target's file is for its own framework.
    ("torchtitan.written", "Framework"),
    ("deepspeed.written", "Framework"),  # Likewise.
    ("huggingface.sft", "HuggingFaceTrainer"),  # Whether a target's file is for its one trainer with files of its own.
    ("training.usual_loss", "HuggingFaceTrainer"),  # Likewise.
}
"""Formulas that compare a member because they are about that member alone."""


def formulas(scope: Scope, name: str) -> list[ir.Expr]:
    """What computes a quantity, a function or an input."""
    if name in scope.quantities:
        alternatives = scope.quantities[name].alternatives
        return [e for a in alternatives for e in (a.when, a.value) if e is not None]
    if name in scope.functions:
        return [scope.functions[name].body]
    default = scope.fields[name].default if name in scope.fields else None
    return [default.value] if default is not None and default.value is not None else []


def reached(scope: Scope) -> Iterator[tuple[str, ir.Expr]]:
    """All that the quantities by which plans are compared are made of."""
    seen: set[str] = set()
    pending = list(scope.compared)
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for formula in formulas(scope, name):
            for part in ir.walk(formula):
                yield name, part
                if isinstance(part, (ir.Ref, ir.Index)):
                    pending.append(part.name)
                elif isinstance(part, ir.Call):
                    pending.append(part.function)


def swallowed(scope: Scope) -> set[tuple[str, str]]:
    """The formulas that memory and time are made of with a `match` over an enum that has a `_`."""
    return {
        (name, member.enum)
        for name, part in reached(scope)
        if isinstance(part, ir.Match) and any(pattern is None for pattern, _ in part.arms)
        for member in [pattern for pattern, _ in part.arms if isinstance(pattern, ir.Member)][:1]
    }


def compared(scope: Scope) -> set[tuple[str, str]]:
    """The formulas that memory and time are made of with `==`, `!=` or `in` over an enum that a plan can set."""
    return {
        (name, member.enum)
        for name, part in reached(scope)
        if isinstance(part, ir.Op) and part.operation in ("eq", "ne")
        for member in part.args
        if isinstance(member, ir.Member) and member.enum not in INDICES
    }


def compared_in(condition: ir.Expr) -> set[tuple[str, str]]:
    """The names that a condition compares with members of an enum, each with that enum."""
    compared = [part.args for part in ir.walk(condition) if isinstance(part, ir.Op) and part.operation in ("eq", "ne")]
    pairs = [pair for args in compared for pair in (args, args[::-1])]
    return {
        (subject.name, member.enum)
        for subject, member in pairs
        if isinstance(member, ir.Member) and isinstance(subject, (ir.Ref, ir.Local, ir.Index))
    }


def matched(expr: ir.Expr) -> set[str]:
    """The names over whose members an expression has a `match` without a `_`."""
    matches = [part for part in ir.walk(expr) if isinstance(part, ir.Match)]
    whole = [one for one in matches if all(pattern is not None for pattern, _ in one.arms)]
    return {one.subject.name for one in whole if isinstance(one.subject, (ir.Ref, ir.Local, ir.Index))}


def chained(scope: Scope) -> set[tuple[str, str]]:
    """The formulas that memory and time are made of with `if x == a then … else if x == b then … else …`.

    What is left to the last `else` is no member by name, but where a `match` stands in it.
    """
    chains: set[tuple[str, str]] = set()
    for name, part in reached(scope):
        if isinstance(part, ir.If):
            first, again, last = compared_in(part.condition), set[tuple[str, str]](), part.otherwise
            while isinstance(last, ir.If):
                again |= first & compared_in(last.condition)
                last = last.otherwise
            chains |= {(name, enum) for subject, enum in again if subject not in matched(last)}
    return chains


def test_members_are_named():
    scope, _, problems = library.load()
    assert problems == [] and {"time", "memory.total"} <= set(scope.compared)
    assert swallowed(scope) <= GATHERED
    assert chained(scope) == set()
    assert compared(scope) == CHOICES


def test_a_planted_member_is_told():
    texts = library.library_files()
    name = "plans/std/kinds.plan"
    planted = texts[name]
    for enum in DECIDING:
        planted = planted.replace(f"enum {enum} {{", f"enum {enum} {{ planted_{enum.lower()},")
    _, problems = library.build({**texts, name: planted})
    told = {problem.message for problem in problems if problem.code == "E0308"}
    assert [enum for enum in DECIDING if not any(f"planted_{enum.lower()}`" in message for message in told)] == []


@pytest.mark.slow
@pytest.mark.parametrize("condition", ["== eager", "in [eager, compiled]", "!= fused"])
def test_a_comparison_would_be_seen(condition):
    texts = library.library_files()
    name = "plans/std/activations.plan"
    changed = texts[name].replace("one_by_one(training.kernels)", f"training.kernels {condition}", 1)
    assert changed != texts[name]
    scope, problems = library.build({**texts, name: changed})
    assert problems == []
    (found,) = compared(scope) - CHOICES
    assert found in {("memory.hidden_activations", "Kernels"), ("memory.norm_element", "Kernels")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "right", "wrong", "chain"),
    [
        (
            "compute",
            "match training.attention { flash => 2.5, standard => 2 }",
            "if training.attention == flash then 2.5 else if training.attention == standard then 2 else 3",
            ("step.backward_core", "AttentionKernel"),
        ),
        (
            "compute",
            "else if one_by_one(training.kernels) then step.host_eager\n    else step.host_fused",
            (
                "else if training.kernels == eager then step.host_eager\n"
                "    else if training.precision == fp32 then 0 s\n"
                "    else if training.kernels in [fused, compiled] then step.host_fused else 0 s"
            ),
            ("step.host", "Kernels"),
        ),
        (
            "memory",
            "fn logit_bytes(loss: LossKernel, own: byte/token) -> byte/token = match loss {",
            (
                "fn logit_bytes(loss: LossKernel, own: byte/token) -> byte/token = "
                "if loss == fused then own else if loss != upcast then 0 bytes/token else match training.loss {"
            ),
            ("logit_bytes", "LossKernel"),
        ),
    ],
)
def test_a_chain_of_comparisons_would_be_seen(file, right, wrong, chain):
    texts = library.library_files()
    name = f"plans/std/{file}.plan"
    assert texts[name].count(right) == 1
    scope, problems = library.build({**texts, name: texts[name].replace(right, wrong)})
    assert problems == [] and chained(scope) == {chain}


@pytest.mark.slow
def test_a_swallowed_member_would_be_seen():
    texts = library.library_files()
    name = "plans/std/states.plan"
    changed = texts[name].replace("int8 => bf16\n", "_ => bf16\n")
    assert changed != texts[name]
    scope, problems = library.build({**texts, name: changed})
    assert problems == [] and ("training.compute_dtype", "Precision") in swallowed(scope)


@pytest.mark.slow
def test_a_new_member_is_asked_for():
    texts = library.library_files()
    name = "plans/std/memory.plan"
    changed = texts[name].replace("enum MemoryPhase { forward,", "enum MemoryPhase { start, forward,")
    assert changed != texts[name]
    _, problems = library.build({**texts, name: changed})
    assert [one.code for one in problems].count("E0308") >= 4
