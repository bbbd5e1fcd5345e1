"""A solution on one screen: the answer and its verdicts, then the unknowns, levers, results and what it rests on.

Input: a solution, its headline and the width of the terminal; output the text. Every line fits the width, the last
cell of a row goes on below itself.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from llmplan.answer.schema.advice import Lever
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import SolvedUnknown, Value
from llmplan.cli.terminal import LEAST, table
from llmplan.emit.rounding import brief

_MOST_VERDICTS = 7
_MOST_NOTES = 4
_MOST_NAMES = 3


def render(solution: Solution, headline: str, first: Sequence[str], width: int) -> str:
    """What `llmplan solve` prints below the head; ends with a line end.

    Args:
        first: The names of the results that are shown.
    """
    found = "found" if solution.status == "solved" else "nearest"
    sections: list[tuple[str, Sequence[Sequence[str]]]] = [
        (found, [_unknown(unknown) for unknown in solution.unknowns]),
        ("levers", _levers(solution.levers)),
        ("waived or replaced", departures(solution)),
        ("preferred", _preferences(solution.preferences)),
        ("shown", [(row.text, row.value) for row in solution.shown]),
        ("front", _front(solution)),
        ("results, and eight of ten measured" if _banded(solution, first) else "results", _quantities(solution, first)),
        ("assumed", [(str(one),) for one in solution.assumptions]),
        ("notes", _notes(solution.notes)),
    ]
    blocks = [head(solution, headline, width).rstrip("\n")]
    blocks += [f"{title}\n{table(rows, width)}" for title, rows in sections if rows]
    return "\n\n".join(blocks) + "\n"


def head(solution: Solution, headline: str, width: int) -> str:
    """The answer and its verdicts; ends with a line end."""
    rows = verdicts(solution)
    answer = "\n".join(textwrap.wrap(headline, max(LEAST, width), break_long_words=False, break_on_hyphens=False))
    return f"{answer}\n{table(rows, width)}\n" if rows else f"{answer}\n"


def verdicts(solution: Solution) -> list[tuple[str, ...]]:
    """The author's requirements one by one; of the library's, those that fail or are uncertain, and how many hold."""
    shown = [
        one
        for one in solution.requirements
        if one.origin in ("plan", "used") or one.holds is False or one.chance is not None
    ]
    rest = [one for one in solution.requirements if one not in shown]
    # What fails must not be among those that are left out.
    listed = sorted(shown, key=lambda one: one.holds is not False)[:_MOST_VERDICTS]
    rows = [_verdict(one) for one in shown if one in listed]
    more = [f"{len(shown) - len(rows)} more in the report"] if len(shown) > len(rows) else []
    held = sum(one.holds is True for one in rest)
    more += (
        [f"{held} requirement{'s' if held > 1 else ''} of the library hold{'' if held > 1 else 's'}"] if held else []
    )
    unchecked = [one.name for one in rest if one.holds is None]
    more += [f"not checked: {_listing(unchecked)}"] if unchecked else []
    return [*rows, ("; ".join(more),)] if more else rows


def _verdict(one: RequirementResult) -> tuple[str, ...]:
    name = one.name or one.text
    if one.holds is None:
        return (name, "not checked", _needs(one.needs))
    word = f"{one.verdict or ('safe' if one.holds else 'no')} {one.chance_text}".rstrip()
    if one.compared is None:
        return (name, word, one.case or one.because or one.text)
    it = one.compared
    side = "to spare" if it.met else "over" if it.sign.startswith("<") else "short"
    known = one.otherwise or brief(f"{it.planned} {it.sign} {it.limit}, {it.gap} {side}")
    return (name, word, known if one.certainty != "expected" else f"{known}; not at every point of the ranges")


def _unknown(unknown: SolvedUnknown) -> tuple[str, ...]:
    how = f"by {unknown.how_text}" if unknown.asked else f"by {unknown.how_text}, open by default"
    limits = [f"binding: {_listing(unknown.set_by)}"] if unknown.set_by else []
    neighbours = [f"{side} {text}" for side, text in (("below", unknown.below), ("above", unknown.above)) if text]
    return (unknown.path, unknown.value.text, "; ".join([how, *limits, *neighbours]))


def _levers(levers: Sequence[Lever]) -> list[tuple[str, ...]]:
    """The best changes, each with what it brings; all of them stand in the report."""
    return [(one.statement, _brought(one)) for one in levers if one.best]


def _brought(one: Lever) -> str:
    """`88 GPUs instead of 96 GPUs; time +1.03 days, cost -9,302 USD`."""
    parts = [f"{one.solved} instead of {one.solved_before}"] if one.anew else []
    moved = (one.solved_results if one.anew else one.results)[:_MOST_NAMES]
    parts.append(", ".join(f"{result.name} {brief(result.difference)}" for result in moved if result.difference))
    banded = next((result for result in moved if result.band), None)
    if banded is not None:
        parts.append(f"{banded.name} {brief(str(banded.band))} in eight of ten")
    if one.chance_text:
        parts.append(f"{'safe: ' if one.purpose == 'safe' else ''}chance {one.chance_text}")
    return "; ".join(part for part in parts if part)


def _preferences(preferences: Sequence[RequirementResult]) -> list[tuple[str, ...]]:
    """The author's; of those of the library that are not met there are notes."""
    return [
        (
            one.name or one.text,
            "not checked" if one.holds is None else "met" if one.holds else "unmet",
            brief(one.case or one.because or one.text),
        )
        for one in preferences
        if one.origin in ("plan", "used")
    ]


def departures(solution: Solution) -> list[tuple[str, ...]]:
    """What the plan waives or replaces, each with its place and reason."""
    rows: list[tuple[str, ...]] = []
    for one in solution.departures:
        text = f"{one.by} instead of {one.text}" if one.by else one.text
        rows.append((one.what, one.name, f"{text} ({one.place}: {one.reason})"))
    return rows


def _front(solution: Solution) -> list[tuple[str, ...]]:
    """The Pareto front under the names of its columns: what differs between its points, and their results."""
    if len(solution.front) < 2:
        return []
    paths = [path for path, _ in solution.front[0].settings]
    differing = [path for path in paths if len({dict(one.settings).get(path) for one in solution.front}) > 1]
    rows = [(*differing, *(name for name, _ in solution.front[0].results))]
    for one in solution.front:
        settings = dict(one.settings)
        rows.append((*(str(settings.get(path, "")) for path in differing), *(str(result) for _, result in one.results)))
    return rows


def _quantities(solution: Solution, first: Sequence[str]) -> list[tuple[str, ...]]:
    found = [value for name in first if (value := solution.values.get(name)) is not None]
    without = [value for value in found if value.value is None]
    if len(without) <= _MOST_NAMES:
        return [_quantity(value) for value in found]
    rows = [_quantity(value) for value in found if value.value is not None]
    return [*rows, ("not computed", _listing([value.name for value in without]))]


def _quantity(value: Value) -> tuple[str, ...]:
    if value.value is None:
        return (value.name, _needs(value.needs) if value.needs else value.reason or "no value")
    text = f"{value.text} ({value.spread})" if value.spread else value.text
    return (value.name, brief(text), brief(value.band)) if value.band else (value.name, brief(text))


def _banded(solution: Solution, first: Sequence[str]) -> bool:
    return any(solution.values[name].band for name in first)


def _needs(names: Sequence[str]) -> str:
    return f"needs {_listing(names)}"


def _listing(names: Sequence[str]) -> str:
    """`a, b, c and 4 more`."""
    if len(names) <= _MOST_NAMES + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_MOST_NAMES])} and {len(names) - _MOST_NAMES} more"


def _notes(notes: Sequence[str]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [(note,) for note in notes[:_MOST_NOTES]]
    if len(notes) > _MOST_NOTES:
        rows.append((f"and {len(notes) - _MOST_NOTES} more in the report of `llmplan compile`",))
    return rows
