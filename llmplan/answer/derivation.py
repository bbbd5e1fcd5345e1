"""The derivation of a value: its formula as written, the numbers in it, and where each comes from.

Made from a `Solution` alone. A derivation is a list of steps in the order in which a person would
read them: what was asked for first, then what it rests on, each name once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from attrs import evolve, frozen

from llmplan.answer.schema.requirements import Departure, RequirementResult
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Citation, Origin, Read, SolvedUnknown, Value
from llmplan.system.calendar import written

_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\[[^\]]*\])?|\d[\w.]*\s?[A-Za-z%]*')


@frozen
class Step:
    """One name of a derivation.

    Attributes:
        depth: 0 for what was asked for.
        value: What it is at the solution; None of a requirement, which is `rule`, or `waived`.
        formula: As written; empty without one, or where only name and value are asked for.
        numbers: The formula with the values of its names in their place; empty without a formula, and of a requirement.
        unknown: The answer where it is one; None of anything else.
        waived: How the plan waives it; None of anything else.
        measured: What was read of it in measured runs.
        calendar: Of a requirement that is written as planned and judged on the calendar, its counterpart there.
        reads: Names that the formula read, which have steps of their own unless the depth ends here.
    """

    depth: int
    name: str
    role: str
    value: Value | None
    rule: RequirementResult | None
    doc: str
    formula: str
    numbers: str
    origin: Origin | None
    others: tuple[Origin, ...]
    cites: tuple[Citation, ...]
    reads: tuple[str, ...]
    unknown: SolvedUnknown | None = None
    waived: Departure | None = None
    calendar: str = ""
    measured: tuple[Read, ...] = ()


def derive(solution: Solution, name: str, depth: int) -> list[Step] | None:
    """The derivation of a value or requirement, waived ones too, `depth` names deep; None for an undefined name."""
    return _walk(solution, name, depth, lambda step: step.reads) or None


def uses(solution: Solution, name: str, depth: int) -> list[Step] | None:
    """What reads a value, `depth` names far: the value, then its readers, requirements too, each below what it reads
    and once, without its formula; None for a name without a value.
    """
    if name not in solution.values:
        return None
    readers: dict[str, list[str]] = {}
    for value in solution.values.values():
        for read in value.reads:
            readers.setdefault(read, []).append(value.name)
    for rule in (*solution.requirements, *solution.preferences):
        for read in names_in(rule.text):
            readers.setdefault(read, []).append(rule.name)
    steps = _walk(solution, name, depth, lambda step: readers.get(step.name, ()))
    return [evolve(brief(step), depth=step.depth, reads=step.reads) for step in steps]


def _walk(solution: Solution, name: str, depth: int, onwards: Callable[[Step], Sequence[str]]) -> list[Step]:
    """A name and those to which it leads, depth first: what a name leads to stands below it, and each name once."""
    steps: list[Step] = []
    pending = [(name, 0)]
    seen: set[str] = set()
    while pending:
        current, level = pending.pop(0)
        known = solution.values.get(current)
        if current in seen:
            continue
        seen.add(current)
        step = _rule_step(solution, current, level) if known is None else _step(solution, known, level)
        if step is None:
            continue
        steps.append(step)
        if level < depth:
            pending = [(other, level + 1) for other in onwards(step)] + pending
    return steps


def rules(solution: Solution) -> list[str]:
    """The names of requirements and preferences that can be derived: those in force, and those that are waived."""
    in_force = [rule.name for rule in (*solution.requirements, *solution.preferences)]
    return [*in_force, *(departure.name for departure in solution.departures if departure.what == "waived")]


def everything(solution: Solution) -> list[Step]:
    """What can be derived of a plan, each by itself: unknowns, requirements and preferences, then all other values."""
    unknowns = [unknown.path for unknown in solution.unknowns]
    names = dict.fromkeys(
        (*unknowns, *(name for name in rules(solution) if name not in solution.values), *solution.values)
    )
    return [step for name in names for step in derive(solution, name, 0) or ()]


def brief(step: Step) -> Step:
    """Name and value alone."""
    bare = evolve(step, depth=0, doc="", formula="", numbers="", origin=None, unknown=None)
    return evolve(bare, others=(), cites=(), reads=(), measured=())


def _rule_step(solution: Solution, name: str, level: int) -> Step | None:
    """A requirement in force, with those that it replaces, or one that is waived; None for anything else."""
    rule = next((rule for rule in (*solution.requirements, *solution.preferences) if rule.name == name), None)
    departures = [departure for departure in reversed(solution.departures) if departure.name == name]
    if rule is not None:
        text, because, origin = rule.text, rule.because, Origin(rule.origin, rule.place, rule.text)
        others = tuple(Origin(departure.origin, "", departure.text) for departure in departures)
        waived = None
    elif departures and departures[0].what == "waived":
        waived, others = departures[0], ()
        text, because, origin = waived.text, waived.because, Origin("waived", waived.place, waived.text)
    else:
        return None
    counterpart = written(solution.calendar, text) if rule is not None and rule.planned is not None else ""
    calendar = "" if counterpart == text else counterpart
    reads = tuple(dict.fromkeys(read for read in names_in(f"{text} {calendar}") if read in solution.values))
    return Step(
        level, name, "requirement", None, rule, because, text, "", origin, others, (), reads,
        waived=waived, calendar=calendar,
    )  # fmt: skip


def _step(solution: Solution, value: Value, level: int) -> Step:
    reads = tuple(read for read in value.reads if read in solution.values)
    formula = _at(value.formula, value.indices)
    numbers = with_numbers(formula, value.name, solution.values, value.reads) if formula else ""
    unknown = next((u for u in solution.unknowns if u.path == value.name), None)
    return Step(
        level, value.name, value.role, value, None, value.doc, formula, numbers,
        value.origin, value.others, value.cites, reads, unknown,
        measured=tuple(one for one in solution.measured if one.name == value.name),
    )  # fmt: skip


def _at(formula: str, indices: Sequence[tuple[str, str]]) -> str:
    """A formula with the members of an indexed quantity in the place of its indices."""
    for index, member in indices:
        formula = _put(formula, index, member)
    return formula


def _put(formula: str, index: str, member: str) -> str:
    """Neither a name with a dot, nor a word of a text, nor one that a fold binds anew is the index."""
    word = re.escape(index)
    if re.search(rf"\bfor {word}\b", formula):
        return formula
    return re.sub(rf'("(?:[^"\\]|\\.)*")|(?<![\w.]){word}(?![\w.(])', lambda found: found[1] or member, formula)


def names_in(text: str) -> list[str]:
    """Names in an expression as written, in order, each once; literals and texts are none."""
    found = [match.group() for match in _NAME.finditer(text) if match.group()[0].isalpha()]
    return list(dict.fromkeys(found))


def with_numbers(formula: str, owner: str, values: Mapping[str, Value], reads: Sequence[str] = ()) -> str:
    """A formula with each name replaced by its value.

    A sibling may stand bare, but only what is read is one: else the word is a member of an enum.
    """
    kind = owner.rpartition(".")[0]

    def replace(match: re.Match[str]) -> str:
        name = match.group()
        value = values.get(name)
        if value is None and f"{kind}.{name}" in reads:
            value = values.get(f"{kind}.{name}")
        return name if value is None or value.value is None else value.text

    return _NAME.sub(replace, formula)
