"""Two plans compared: both solved, each lowered at its solution, and what they differ in.

Input: two requests, or one and a revision of git, and the conditions under which the difference fails. Output: the
difference with the diagnostics of both plans. Nothing is solved a second time: causes and bands are evaluated at the
two solutions.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from attrs import evolve, frozen

from llmplan import api
from llmplan.advice.causes import at_its_answer
from llmplan.answer.schema.difference import Difference, Threshold
from llmplan.answer.schema.solution import Solution
from llmplan.diagnostics import Diagnostic, command
from llmplan.emit import difference, thresholds
from llmplan.emit.difference import bare
from llmplan.emit.portable import portable
from llmplan.request import Request
from llmplan.revision import as_it_was
from llmplan.source import Source, Span
from llmplan.system.lower import Lowering
from llmplan.units.measure import Type

_BOUND = "bound_of_condition_{}"
"""The names that the bounds of conditions have while they are read."""


class WrongCondition(Exception):
    """A condition that means nothing for these plans; the text names it and says why."""


@frozen
class Compared:
    """The outcome of a comparison.

    Attributes:
        difference: None where one of the plans has errors.
        diagnostics: Those of the older plan, then those of the newer one.
        status: That of the newer plan; `error` where either has errors.
    """

    difference: Difference | None
    diagnostics: tuple[Diagnostic, ...]
    status: str


def compare(
    a: Request, b: Request, against: str | None = None, fail_if: Sequence[str] = (), was: tuple[str, str] | None = None
) -> Compared:
    """What `b` differs in from `a`.

    Args:
        against: The revision of git at which the plan `a` is read.
        was: Where `a` was made from files at a revision, the folder that they lie in and what they are called.
        fail_if: Conditions under which the difference fails.

    Raises:
        llmplan.load.files.Unreadable: There is no such plan at the revision, or no such revision.
        WrongCondition: A condition means nothing.
    """
    asked = [_condition(text) for text in fail_if]
    there: AbstractContextManager[Request] = nullcontext(a) if against is None else as_it_was(a, against)
    with there as older:
        old, first, written = _solved(older)
        if against is not None:
            folder = older.path.removesuffix(a.name)
            written = {name: text.replace(folder, "") for name, text in written.items()}
            old = _named(old, folder, against, a.name)
        if was is not None:
            written = {name: text.replace(was[0], "") for name, text in written.items()}
            old = evolve(old, plan=was[1], sources={})
    new, second, rewritten = _solved(b)
    told = (*old.diagnostics, *new.diagnostics)
    if first is None or second is None:
        return Compared(None, told, "error")
    both = at_its_answer(first, old), at_its_answer(second, new)
    found = difference.difference(old, new, both, (written, rewritten), (dict(a.places), dict(b.places)))
    if found.a.plan == found.b.plan:  # in two folders
        first_name, second_name = _apart(older.path, b.path)
        found = evolve(found, a=evolve(found.a, plan=first_name), b=evolve(found.b, plan=second_name))
    limits = _limits(b, [one for one in asked if not one.about_verdict])
    met = []
    for one in asked:
        try:
            if one.about_verdict:
                met.append(thresholds.verdict_met(one, new))
                continue
            thresholds.known(one, new)
            result = difference.apart(old, new, both, one.name)
            met.append(thresholds.number_met(one, *limits[one.text], result, new))
        except thresholds.Wrong as why:
            raise WrongCondition(f"{one.text}: {why}") from None
    return Compared(evolve(found, thresholds=tuple(met)), told, new.status)


def failed(of: Sequence[Threshold]) -> bool:
    """Whether a condition is met."""
    return any(one.met for one in of)


def _condition(text: str) -> thresholds.Condition:
    try:
        return thresholds.condition(text)
    except thresholds.Wrong as why:
        raise WrongCondition(f"{text}: {why}") from None


def _solved(asked: Request) -> tuple[Solution, Lowering | None, dict[str, str]]:
    """A plan's solution, its lowering with open unknowns, and what it writes; without these where it has errors, and
    nothing written where it stands for files that there are."""
    solution = api.solve(asked)
    checked = None if solution.status == "error" else api.analyse(asked, point=0 if solution.point else None)
    if checked is None or checked.built is None:
        return solution, None, {}
    written = {} if asked.has_files else bare(api.files(solution, asked)[0], solution)
    return solution, checked.built.lowering, written


def _apart(*paths: str) -> list[str]:
    """Paths below the folder that they share."""
    folder = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])
    return [os.path.relpath(path, folder).replace(os.sep, "/") for path in paths]


def _named(solution: Solution, folder: str, revision: str, name: str) -> Solution:
    """The solution of a plan that lay in a folder of its own, with the names by which people know its files."""

    def renamed(span: Span | None) -> Span | None:
        if span is None or not span.source.name.startswith(folder):
            return span
        shown = f"{revision}:{span.source.name.removeprefix(folder)}"
        return evolve(span, source=Source(shown, span.source.text, span.source.library))

    told = tuple(evolve(one, span=renamed(one.span)) for one in solution.diagnostics)
    plan = portable(solution).plan if solution.sources else name
    return evolve(solution, plan=f"{revision}:{plan}", sources={}, diagnostics=told)


def _limits(asked: Request, conditions: Sequence[thresholds.Condition]) -> dict[str, tuple[float, Type | None]]:
    """The bounds of conditions in base units, each with its type, by the condition's text.

    Raises:
        WrongCondition: A bound is not a number of the plan language.
    """
    if not conditions:
        return {}
    names = [_BOUND.format(number) for number in range(len(conditions))]
    lines = [f"let {name} = {one.bound}" for name, one in zip(names, conditions)]
    checked = api.analyse(evolve(asked, statements=(*asked.statements, *lines)))
    built, found = checked.built, {}
    for name, one in zip(names, conditions):
        node = None if built is None or checked.failed else built.lowering.name(name)
        value = built.lowering.graph.constant(node) if built is not None and isinstance(node, int) else None
        if value is None or built is None or "\n" in one.bound:
            raise WrongCondition(f"{one.text}: {command.not_a_bound(one.bound)}")
        found[one.text] = value, built.lowering.scope.lets[name].type
    return found
