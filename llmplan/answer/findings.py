"""Diagnostics of a solved point: unmet preferences, rows without a value, or why no plan is feasible.

Input: the system, its outcome and the values of the answer or of the nearest plan. Output: diagnostics.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve

from llmplan.answer.assumed import estimates
from llmplan.answer.derivation import names_in
from llmplan.answer.schema.advice import Relaxation
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.solution import Shown, Solution
from llmplan.answer.schema.values import Value
from llmplan.check.ir import Ref
from llmplan.check.plan import Program
from llmplan.diagnostics import Diagnostic, Hint, Label, cases, system
from llmplan.solve.outcome import Outcome
from llmplan.source import Span
from llmplan.system.display import one_line
from llmplan.system.lower import Lowering
from llmplan.system.missing import NO_BOUND, NO_REASON, line_for
from llmplan.system.reasons import why
from llmplan.system.system import Condition, System
from llmplan.system.text import worded
from llmplan.units.measure import SYMBOLS, TextType

_MOST_NAMES = 8
"""How many of what was not tried are named."""

_MORE = 10
"""With so many times the effort most changes are tried. What they take is known only when they have been."""

_MOST_ALONE = 3
"""The most conflicts of which a change for each alone is named."""

_WIDEST = 78
_LEGAL = ("type", "domain")
"""Origins of conditions that are not written as requirements."""


def findings(system: System, outcome: Outcome, lowering: Lowering, answer: Solution) -> tuple[Diagnostic, ...]:
    """What is to be said of an answer with its advice: W0606 and W0608 of a solved plan, E0402 of an infeasible one."""
    if answer.status == "infeasible":
        return (infeasible(system, outcome, lowering, answer),)
    return (*unmet(lowering, answer.preferences), *without_value(lowering.program, lowering, answer.shown))


def unmet(lowering: Lowering, preferences: Sequence[RequirementResult]) -> list[Diagnostic]:
    """W0606 for each preference that does not hold: a warning for the author's, a note for the library's."""
    program = lowering.program
    rules = {rule.name: rule for rule in program.rules}
    found = []
    for result in preferences:
        if result.holds is False:
            span, otherwise = program.scope.span(rules[result.name].place), _flat(result.otherwise)
            if result.origin == "library":
                span = _stated(lowering, result.text) or span
                found.append(system.noted(span, result.name, _values(result), otherwise))
            else:
                found.append(system.unmet(span, result.name, otherwise or _values(result), _flat(result.because)))
    return found


def _stated(lowering: Lowering, condition: str) -> Span | None:
    """Where the plan sets the first input that a condition names, or assumes a value it is computed from."""
    program, names = lowering.program, list(names_in(condition))
    pending = list(names)
    while pending:
        trace = lowering.names.traces.get(pending.pop(0))
        further = [name for name in (trace.reads if trace is not None else ()) if name not in names]
        names += further
        pending += further
    for name in [*names_in(condition), *(name for name in names if name in program.assumptions)]:
        for path in (name, name.rpartition(".")[0]):  # `training.global_batch.token` is one of two units
            won = program.winner(path)
            if won is not None and not (span := program.scope.span(won[1].place)).source.library:
                return span
    return None


def without_value(program: Program, lowering: Lowering, rows: Sequence[Shown]) -> list[Diagnostic]:
    """W0608 for each `show` whose value is not a number, or has none somewhere in the ranges.

    Missing inputs were reported before solving.
    """
    found = []
    for row, shown in zip(program.shows, rows):
        if not shown.bounded:
            span = program.scope.span(row.place)
            found.append(system.unbounded(span, one_line(span.text)))
        value = lowering.worth(row.value, row.place[0])
        if value is not None and not math.isfinite(value) and worded(row.value, lowering) is None:
            span = program.scope.span(row.place)
            reason = "not given" if isinstance(row.type, TextType) else why(lowering, row.value)
            found.append(system.not_shown(span, one_line(span.text), (), reason))
    return found


def conflict(outcome: Outcome) -> list[Condition]:
    """The smallest set of requirements that conflict, or the value that is never legal; empty if solved."""
    found = outcome.conflict
    if found is None:
        return []
    # A value that is never legal is the cause, not the requirement that reads it.
    causes = [number for number in found.impossible if outcome.requirements[number].origin == "type"][:1]
    return [outcome.requirements[number] for number in causes or found.smallest]


def infeasible(made: System, outcome: Outcome, lowering: Lowering, answer: Solution) -> Diagnostic:
    """E0402: the conflicting requirements, the values of the nearest plan, and the relaxations."""
    found = outcome.conflict
    assert found is not None
    every, fighting, values = outcome.requirements, conflict(outcome), answer.values
    by_name = {result.name: result for result in answer.requirements}
    notes = []
    nearest = ", ".join(
        f"{unknown.path} = {unknown.text(outcome.point[index], lowering.scope)}"
        for index, unknown in enumerate(made.unknowns)
        if unknown.asked and index in outcome.point
    )
    if nearest:
        notes.append(f"nearest plan: {nearest}")
    if len(fighting) == 1 and fighting[0].origin not in _LEGAL:
        alone = [every[index] for index in found.impossible if every[index].origin not in _LEGAL]
        notes += [f"`{other.name}` cannot be satisfied either" for other in alone if other is not fighting[0]]
    said: set[str] = set()
    # Illegal values first: requirements that only lack such a value add nothing.
    for index in sorted(found.violated, key=lambda index: every[index].origin != "type"):
        reason, note = _fails(every[index], by_name.get(every[index].name), lowering, values)
        if reason not in said:
            notes.append(note)
        said |= {reason} - {""}
    if answer.thinned and answer.relaxations:
        notes.append(f"smaller changes may suffice: not every value of {', '.join(answer.thinned)} was tried with each")
    if answer.untried:
        more = len(answer.untried) - _MOST_NAMES
        listed = ", ".join(answer.untried[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
        notes.append(f"not tried, search budget exhausted: {listed}; `--effort {_MORE}x` tries more")
    assumed = estimates(lowering.program)
    if assumed and any(one.sort != "bound" for cure in answer.relaxations for one in (cure, *cure.beside)):
        notes.append(cases.rates_stay(assumed))
    entangled = _entangled(fighting, lowering)
    lacking = {} if entangled else _lacking(fighting, values)
    if lacking:
        violated = [every[index] for index in sorted(found.violated)]
        fighting = [condition for condition in violated if condition.origin in ("plan", "used")] or fighting
    own = [condition for condition in fighting if condition.origin != "library"] or fighting
    span = own[0].span if own else None
    others = tuple(Label(c.span, f"`{c.name}`") for c in fighting if c.span is not span)
    names = [condition.name for condition in fighting]
    partly = next((made.unknowns[index].path for index, jump in outcome.jumps.items() if jump == "tried"), "")
    lines = (Hint(line_for(path, lowering.scope)) for path in lacking)
    numbered = (evolve(hint, text=f"{at}: {hint.text}") for at, hint in enumerate(map(_cure, answer.relaxations), 1))
    hints = entangled or (*lines, *numbered, *_for_one_alone(answer))
    reason = "; ".join(dict.fromkeys(lacking.values()))
    return system.infeasible(span, names, len(every), others, notes, hints, partly, reason)


def _cure(one: Relaxation) -> Hint:
    """A change with the edits that make it, and those of what is to be changed too."""
    return Hint(_instead(one), tuple(edit for change in (one, *one.beside) for edit in change.edits))


def _instead(one: Relaxation) -> str:
    return cases.instead((change.statement, change.before_text, change.changes) for change in (one, *one.beside))


def _for_one_alone(answer: Solution) -> Iterator[Hint]:
    """Where there are several conflicts, the nearest single change of each."""
    for clash in answer.clashes[:_MOST_ALONE] if len(answer.clashes) > 1 else ():
        for cure in clash.cures[:1]:
            if not any(cure.statement == one.statement and not one.beside for one in answer.relaxations):
                yield Hint(cases.for_one_alone(_instead(cure), clash.names))


def _lacking(fighting: Sequence[Condition], values: Mapping[str, Value]) -> dict[str, str]:
    """Inputs that a catalog entry lacks and a computed value needs, each with its note."""
    one = values.get(fighting[0].name) if fighting and fighting[0].origin == "type" else None
    return dict.fromkeys(one.needs, one.reason) if one is not None and one.value is None and one.reason else {}


def _entangled(fighting: Sequence[Condition], lowering: Lowering) -> tuple[Hint, ...]:
    """What to give beside an input that overrides an entry's, where the two do not go together.

    Another entry is no advice there: the author has said which one it is like.
    """
    traces = lowering.names.traces
    name = fighting[0].name if fighting and fighting[0].origin == "type" else ""
    trace = traces.get(name)
    if trace is None or trace.layer != "default" or name not in lowering.scope.fields:
        return ()
    of = {path: traces[path].layer for path in trace.reads if path in traces and path in lowering.scope.fields}
    own = [path for path, layer in of.items() if layer not in ("entry", "default")]
    entry = [path for path, layer in of.items() if layer == "entry"]
    return tuple(
        Hint(
            f"give `{path}` beside `{own[0]}`: {line_for(path, lowering.scope).removeprefix('add ').partition(',')[0]}"
        )
        for path in (*entry, name)
        if own and entry
    )


def _fails(
    condition: Condition, result: RequirementResult | None, lowering: Lowering, values: Mapping[str, Value]
) -> tuple[str, str]:
    """Why a requirement that the nearest plan violates has no value, if it has none, and a note on it."""
    if result is None:
        reason = lowering.names.reasons.get(condition.name) or why(lowering, Ref(condition.name))
        return reason, f"at the nearest plan, {reason}"
    rule = next(rule for rule in lowering.program.rules if rule.name == result.name)
    reason = why(lowering, rule.condition)
    if result.undefined == NO_BOUND:
        return NO_BOUND, f"`{result.name}` is violated at the nearest plan: {NO_BOUND}"
    if result.undefined:
        return reason, f"`{result.name}` has no value at the nearest plan: {reason}"
    if result.sides is None and reason != NO_REASON:
        return reason, f"`{result.name}` is violated at the nearest plan: {reason}"
    because = f" ({_flat(result.because)})" if (result.otherwise or result.sides) and result.because else ""
    case = _flat(result.otherwise) or _sides(result) or _flat(result.because) or result.text
    line = f"`{result.name}` is violated at the nearest plan: {case}{because}"
    diagram = _diagram(result.text, values) if result.sides is not None and not result.otherwise else None
    return "", line if diagram is None else f"{line}\n{diagram}"


def _flat(text: str) -> str:
    """A text of the plan on one line."""
    return " ".join(text.split())


def _sides(result: RequirementResult) -> str:
    """`gpus = 16, needs >= 32`; the values alone where the condition is not one comparison."""
    if result.sides is None:
        return _values(result)
    sides, sign = result.sides, SYMBOLS[result.sides.operation]
    text = result.text.split(f" {sign} ")
    return cases.needed(text[0], sides.left, sign, sides.right, sides.worst) if len(text) == 2 else _values(result)


def _values(result: RequirementResult) -> str:
    """The sides of a comparison of numbers, or why one of them has no value; empty where there are none."""
    if result.undefined:
        return cases.undefined(result.undefined)
    sides = result.sides
    return "" if sides is None else cases.sides(sides.left, SYMBOLS[sides.operation], sides.right, sides.worst)


def _diagram(text: str, values: Mapping[str, Value]) -> str | None:
    """A condition with the formula of its first computed name, values under their names; None if too long."""
    names = [name for name in names_in(text) if name in values]
    first = next((name for name in names if values[name].formula and values[name].value is not None), None)
    if first is None or len(text) > _WIDEST:
        return None
    formula = " ".join(values[first].formula.split())
    at = re.search(rf"(?<![\w.]){re.escape(first)}(?![\w.])", text)
    if at is None or len(formula) > _WIDEST:
        return None
    indent = " " * at.start()
    value = f"{indent}{values[first].text} = "
    below = _under(formula, values)
    return "\n".join((text, f"{indent}|", value + formula, " " * len(value) + below)) if below else None


def _under(formula: str, values: Mapping[str, Value]) -> str:
    """The values of the names of a formula, each below its name."""
    row = ""
    for name in names_in(formula):
        at = re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", formula)
        if name in values and values[name].value is not None and at is not None:
            row = row.ljust(at.start()) if len(row) < at.start() or not row else row + "  "
            row += values[name].text
    return row
