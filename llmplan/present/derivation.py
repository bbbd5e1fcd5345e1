"""A derivation as text for a terminal and as Markdown.

Input: steps, and the words of a language. Output: text, in which what a step says stands below its name and value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from llmplan.answer.derivation import Step
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.values import Citation, Origin
from llmplan.escape import visible
from llmplan.present.blocks import EMPTY, Line, bare, line, plain
from llmplan.present.escape import code, markdown
from llmplan.present.markdown import text as marked
from llmplan.present.words.en import Words


def text(steps: Sequence[Step], words: Words) -> str:
    """Indented by depth: value, formula, the same with numbers, where it stands, sources."""
    blocks = []
    for step in steps:
        pad, sign = "  " * step.depth, ":" if step.role == "requirement" else " ="
        lines = [f"{pad}{step.name}{sign} {plain(value(step, words))}"]
        if step.doc:
            lines.append(f"{pad}    {' '.join(step.doc.split())}")
        if step.formula:
            lines.append(f"{pad}    = {step.formula}")
        if (with_numbers := numbers(step, words)) and with_numbers != step.formula:
            lines.append(f"{pad}    = {with_numbers}")
        lines += [f"{pad}    {plain(said)}" for said in (*solved(step, words), *measured(step, words))]
        if step.origin is not None:
            lines.append(f"{pad}    {_origin(step.origin, words)}")
        lines += [f"{pad}    {words.instead_of(_origin(lost, words))}: {lost.text}" for lost in step.others]
        lines += [f"{pad}    {words.source(citation(cite))}" for cite in step.cites]
        blocks.append("\n".join(lines))
    return "\n".join(blocks) + "\n"


def as_markdown(steps: Sequence[Step], words: Words) -> str:
    """Nested lists, readable on a code-hosting site."""
    lines = []
    for step in steps:
        pad = "  " * step.depth
        sign = ":" if step.role == "requirement" else " ="
        lines.append(f"{pad}- **{code(step.name)}**{sign} {marked(value(step, words))}")
        inner = pad + "  "
        if step.doc:
            lines.append(f"{inner}{markdown(step.doc)}")
        if step.formula:
            lines += ["", f"{inner}    = {_one_line(step.formula)}"]
            if (with_numbers := numbers(step, words)) and with_numbers != step.formula:
                lines.append(f"{inner}    = {_one_line(with_numbers)}")
            lines.append("")
        lines += [f"{inner}{marked(said)}" for said in (*solved(step, words), *measured(step, words))]
        notes = [markdown(_origin(step.origin, words))] if step.origin is not None else []
        notes += [f"{markdown(words.instead_of(_origin(lost, words)))}: {code(lost.text)}" for lost in step.others]
        notes += [markdown(words.source(citation(cite))) for cite in step.cites]
        if notes:
            lines.append(f"{inner}*{'; '.join(notes)}*")
    return "\n".join(lines) + "\n"


def value(step: Step, words: Words) -> Line:
    """A value with its range, or whether a requirement holds or is waived."""
    if step.rule is not None:
        return words.judgement(step.rule)
    if step.waived is not None:
        return line(words.departure(step.waived.what))
    return EMPTY if step.value is None else words.worth(step.value)


def numbers(step: Step, words: Words) -> str:
    """The formula with values in the place of names, of a requirement its two sides; empty without a formula."""
    if step.rule is None or not step.formula:
        return step.numbers
    return bare(words.values(step.rule))


def solved(step: Step, words: Words) -> Iterator[Line]:
    """How an unknown was found, with its domain, binding constraints and neighbours; of a requirement how sure it is,
    as planned and on the calendar where it has a counterpart there; nothing for anything else.
    """
    if step.rule is not None:
        yield from _judged(step.rule, step.calendar, words)
    unknown = step.unknown
    if unknown is None:
        return
    yield words.found_by(words.method(unknown), words.domain(unknown))
    if unknown.relation:
        yield line(unknown.relation)
        yield words.exactly(f"{unknown.path} = {unknown.numbers}", unknown.exact)
    if unknown.set_by:
        beyond = words.beyond(unknown.beyond, short=False) if unknown.beyond is not None else EMPTY
        yield words.binding(unknown.set_by, beyond)
    if unknown.works:
        yield words.feasible_at(unknown.works)
    if unknown.below is not None:
        yield words.next_feasible(unknown.below, below=True)
    if unknown.above is not None:
        yield words.next_feasible(unknown.above, below=False)


def measured(step: Step, words: Words) -> Iterator[Line]:
    """What measured runs do to a value, and what was read of it."""
    if step.value is not None and step.value.prior is not None and step.formula:
        yield words.prior(step.value.prior, step.value.measured)
    elif step.value is not None and step.formula and any(read.moves for read in step.measured):
        yield words.no_prior()
    for read in step.measured:
        yield words.as_read(read)


def _judged(rule: RequirementResult, calendar: str, words: Words) -> Iterator[Line]:
    uncertain = rule.chance is not None or rule.rates or rule.unjudged
    if rule.verdict is None or (rule.planned is None and not uncertain):
        return
    chance = words.chance(rule.chance, rule.chance_error)
    planned = None
    if rule.planned is not None:
        planned = words.verdict_as_planned(rule.planned.verdict, words.chance(rule.planned.chance))
    if planned is not None and rule.stated == "planned":
        yield planned
        planned, said = None, words.verdict_on_the_calendar(calendar, rule.calendar, rule.verdict, chance)
    else:
        said = words.verdict_of_it(rule.verdict, chance)
    yield line(
        said,
        words.rests_on(rule.rates) if rule.rates else None,
        words.is_unjudged_for(rule.unjudged) if rule.unjudged else None,
    )
    if planned is not None:
        yield planned


def citation(cite: Citation) -> str:
    """A source and the place in it."""
    return f"{cite.source}, {cite.place}" if cite.place else cite.source


def _origin(origin: Origin, words: Words) -> str:
    """`set in the plan, plans/a.plan:7`."""
    return f"{words.layer(origin.layer)}, {origin.place}" if origin.place else words.layer(origin.layer)


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))
