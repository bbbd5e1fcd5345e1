"""No member of an enum is swallowed by `_` where it decides memory or time: a new member must say what it takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from llmplan.check import ir, library
from llmplan.check.scope import Scope

GATHERED = {("memory.gather_buffers", "MemoryPhase")}
"""Weights are gathered alike in all moments but two."""


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


def test_members_are_named():
    scope, _, problems = library.load()
    assert problems == [] and {"time", "memory.total"} <= set(scope.compared)
    assert swallowed(scope) <= GATHERED


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
