"""A solution on one screen: the answer, the unknowns, the requirements, the results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llmplan.solution import Lever, RequirementResult, Solution, SolvedUnknown, Value

KEY_QUANTITIES = (
    "time",
    "wall_time",
    "gpu_hours",
    "cost",
    "wall_cost",
    "train_flops",
    "tokens_total",
    "model.params_total",
    "memory.total",
    "step_time",
    "mfu",
    "tokens_per_second",
    "steps",
    "global_batch_tokens",
)
"""What most readers look for first, in this order; the report has all the others."""

_MOST_NOTES = 4
_MOST_NAMES = 3


def render(solution: Solution, answer: str) -> str:
    """The text that `llmplan solve` prints; ends with a line end."""
    found = "found" if solution.status == "solved" else "nearest"
    sections: list[tuple[str, Sequence[Sequence[str]]]] = [
        (found, [_unknown(unknown) for unknown in solution.unknowns]),
        ("levers", _levers(solution.levers)),
        ("required", _requirements(solution.requirements)),
        ("waived or replaced", departures(solution)),
        ("preferred", _preferences(solution.preferences)),
        ("shown", [(row.text, row.value) for row in solution.shown]),
        ("front", _front(solution)),
        ("results", _quantities(solution)),
        ("assumed", [(text,) for text in solution.assumptions]),
        ("notes", _notes(solution.notes)),
    ]
    blocks = [answer.rstrip()]
    blocks += [f"{title}\n{_table([[_line(cell) for cell in row] for row in rows])}" for title, rows in sections if rows]
    return "\n\n".join(blocks) + "\n"


def _line(cell: str) -> str:
    """A text of the plan may have line breaks, a cell none."""
    return " ".join(cell.split()) if "\n" in cell else cell


def _unknown(unknown: SolvedUnknown) -> tuple[str, ...]:
    how = f"by {unknown.how}" if unknown.asked else f"by {unknown.how}, open by default"
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
    parts.append(", ".join(f"{result.name} {result.difference}" for result in moved if result.difference))
    if one.purpose == "safe":
        parts.append(f"safe: chance {one.chance_text}")
    return "; ".join(part for part in parts if part)


def _requirements(requirements: Sequence[RequirementResult]) -> list[tuple[str, ...]]:
    """The author's one by one; of the library's, only those violated or not certain to hold."""
    listed = [
        one
        for one in requirements
        if one.holds is False or one.certainty == "expected" or one.origin in ("plan", "used")
    ]
    rows = [_requirement(one) for one in listed]
    rest = [one for one in requirements if one not in listed]
    held = sum(one.holds is True for one in rest)
    if held:
        rows.append(("holds", f"{held} {'more ' if listed else ''}library requirement{'s' if held > 1 else ''}"))
    unchecked = [one.name for one in rest if one.holds is None]
    if unchecked:
        rows.append(("not checked", f"{_listing(unchecked)} (library)"))
    return rows


def _preferences(preferences: Sequence[RequirementResult]) -> list[tuple[str, ...]]:
    """The author's, and those of the library that are not met."""
    return [_requirement(one) for one in preferences if one.holds is False or one.origin in ("plan", "used")]


def _requirement(one: RequirementResult) -> tuple[str, ...]:
    if one.holds is None:
        return ("not checked", one.name or one.text, _needs(one.needs))
    holds = "holds" if one.certainty == "certain" else "expected"
    verdict = holds if one.holds else "violated" if one.weight is None else "unmet"
    text = one.case or one.because or one.text
    if one.chance is not None and one.holds:
        text = f"{text}; {one.verdict}, chance {one.chance_text}"
    return (verdict, one.name or one.text, text)


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
        rows.append((*(settings.get(path, "") for path in differing), *(text for _, text in one.results)))
    return rows


def _quantities(solution: Solution) -> list[tuple[str, ...]]:
    found = [value for name in KEY_QUANTITIES if (value := solution.values.get(name)) is not None]
    without = [value for value in found if value.value is None]
    if len(without) <= _MOST_NAMES:
        return [_quantity(value) for value in found]
    rows = [_quantity(value) for value in found if value.value is not None]
    return [*rows, ("not computed", _listing([value.name for value in without]))]


def _quantity(value: Value) -> tuple[str, ...]:
    if value.value is None:
        return (value.name, _needs(value.needs) if value.needs else value.reason or "no value")
    text = f"{value.text} ({value.spread})" if value.spread else value.text
    return (value.name, text, f"measured: {value.band} in eight of ten") if value.band else (value.name, text)


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


def _table(rows: Iterable[Sequence[str]]) -> str:
    """Rows with aligned columns, indented; the last column is as long as it is."""
    listed = [tuple(row) for row in rows]
    columns = max(map(len, listed))
    widths = [
        max((len(row[column]) for row in listed if column < len(row) - 1), default=0) for column in range(columns)
    ]
    return "\n".join(
        "  " + "  ".join(cell.ljust(widths[column]) for column, cell in enumerate(row)).rstrip() for row in listed
    )
