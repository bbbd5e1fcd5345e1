"""Random plans that nothing satisfies: each piece of advice, applied to the text, makes the plan feasible.

What is advised is found again byte for byte by a second run, and is never about another model.
"""

from __future__ import annotations

import itertools
import json
import re
from random import Random

import pytest

from benchmarks import random_plans
from llmplan import api
from llmplan.emit.solution_json import as_json
from llmplan.uncertainty.worst_case import solve_certain
from tests import told
from tests.thorough import many, sample

FAMILIES = ("_estimate", "_impossible", "_layout", "_cluster", "_catalog", "_unsure")
CHUNKS, SIZE = many(6, 4, 30), 10
"""So many parts of so many infeasible plans each."""

QUICK = [("_estimate", number) for number in (1, 9, 11, 28, 46)] + [("_unsure", number) for number in (4, 5, 7, 18, 24)]
"""Some that are solved soon, by family and number."""


def infeasible(families, seed):
    """Plans without a solution, with what is said of them, as many as are asked for."""
    for number in itertools.count():
        family = families[number % len(families)]
        text = plan(family, seed, number)
        if status(text) == "infeasible":
            yield text, api.solve("test.plan", text=text)


def plan(family, seed, number):
    return getattr(random_plans, family)(Random(f"advice {seed} {number}"))


def status(text):
    """Whether a plan is feasible, without anything that is said of the answer."""
    checked = api.analyse("test.plan", text=text)
    if checked.failed or checked.built is None or checked.built.system is None:
        return "error"
    return solve_certain(checked.program, checked.built, 10**8, brief=True)[1].status


def applied(text, hint):
    for edit in sorted(hint.edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def holds(text, solution):
    """Asserts what the head of this file says; returns how many changes were advised."""
    (found,) = (one for one in solution.diagnostics if one.code == "E0402")
    whole = [hint for hint in found.hints if not re.match("for `[^:]*` alone: |add `", hint.text)]
    hints = {hint.text.partition(": ")[2]: hint for hint in whole}
    assert len(solution.relaxations) <= 5
    assert [hint.text.partition(": ")[0] for hint in whole] == [str(at) for at in range(1, len(whole) + 1)]
    others = [hint for hint in found.hints if not hint.text.startswith("add `")]
    assert others[: len(whole)] == whole  # what cures one conflict alone comes last
    for one in solution.relaxations:
        names = {one.name, *(other.name for other in one.beside)}
        assert "model" not in names, (text, one)
        hint = hints[told.change(one)]
        assert hint.edits, (text, one)
        there = applied(text, hint)
        assert status(there) == "solved", (text, one.statement, there)
    return len(solution.relaxations)


def said(solution):
    return json.dumps(as_json(solution, ()), ensure_ascii=False)


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.slow
def test_advice_on_random_plans(chunk):
    helped = 0
    for text, solution in itertools.islice(infeasible(FAMILIES, chunk), SIZE):
        helped += holds(text, solution) > 0
        assert said(api.solve("test.plan", text=text)) == said(solution)
    assert helped >= SIZE // 2


@pytest.mark.quick(2)
@pytest.mark.parametrize(("family", "number"), sample(QUICK, 2))
def test_advice_on_a_random_plan(family, number):
    text = plan(family, 0, number)
    solution = api.solve("test.plan", text=text)
    assert solution.status == "infeasible" and holds(text, solution) > 0


@pytest.mark.slow
def test_advice_is_found_again():
    text = plan("_estimate", 0, 1)
    assert said(api.solve("test.plan", text=text)) == said(api.solve("test.plan", text=text))
