"""Mistakes that show while searching: E0403, E0404, E0405, W0604, W0618, and E0401 for a sweep of nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from attrs import evolve

from llmplan.diagnostics.record import Diagnostic, Hint, Label, error, warning
from llmplan.source import Span
from llmplan.units.amount import many

_BEARABLE = 1e10
"""Combinations that take a quarter of an hour; a longer search is not proposed."""

_LISTED = 40
"""Most unknowns whose domains are listed."""


def unbounded(path: str, span: Span, grows: bool, objective: Span | None) -> Diagnostic:
    """E0403: nothing limits an unknown in the direction that the objective pushes it.

    Args:
        path: The unknown.
        span: Its `?`.
        grows: True if upwards.
        objective: Where the objective is that pushes it.
    """
    side, moves = ("above", "increases") if grows else ("below", "decreases")
    others = () if objective is None else (Label(objective, f"improves without limit as `{path}` {moves}"),)
    hint = "give it a domain, `? in 1..100`, or add a requirement that limits it"
    return error("E0403", f"`{path}` is unbounded {side}", span, hint, label="no bound on this side", others=others)


def too_many_combinations(sizes: Sequence[tuple[str, int, Span]], limit: int, points: float) -> Diagnostic:
    """E0404: the search would be too long.

    Args:
        sizes: Path, number of candidates and span of each unknown.
        limit: The largest number of combinations.
        points: How many there are.
    """
    more = f"; `--limit {math.ceil(points):_}` allows them" if points <= _BEARABLE else ""
    return _too_many(sizes, points, f"the limit is {many(limit)}", more)


def too_long_a_line(sizes: Sequence[tuple[str, int, Span]], limit: int, points: float, path: str) -> Diagnostic:
    """E0404: the search along a continuous unknown beside the others would be too long.

    Args:
        limit: The largest number of evaluations.
        path: The continuous unknown.
    """
    return _too_many(
        sizes,
        points,
        f"along the continuous `{path}` they take more than {many(limit)} evaluations",
        "; `--limit` raises the limit",
    )


def _too_many(sizes: Sequence[tuple[str, int, Span]], points: float, why: str, more: str) -> Diagnostic:
    large = sorted(sizes, key=lambda item: -item[1])
    names = " and ".join(f"`{path}`" for path, _, _ in large[:2])
    count = len(sizes)
    listed = ", ".join(f"{path} {many(size)}" for path, size, _ in sizes[:_LISTED])
    return error(
        "E0404",
        f"{count} unknown{'s span' if count != 1 else ' spans'} {many(points)} combinations; {why}",
        large[0][2],
        f"use a `step` or a shorter list for {names}{more}",
        label="the largest domain",
        notes=(f"{listed} and {many(count - _LISTED)} more" if count > _LISTED else listed,),
    )


def several_continuous(unknowns: Sequence[tuple[str, Span]]) -> Diagnostic:
    """E0405: more unknowns without a step than can be solved for.

    Args:
        unknowns: Path and span of each.
    """
    names = [f"`{path}`" for path, _ in unknowns]
    return error(
        "E0405",
        f"{', '.join(names[:-1])} and {names[-1]} are continuous; at most one unknown can be",
        unknowns[-1][1],
        Hint(f"give all but one a `step`, or define {names[-1]} by an equation with `=` or `let`"),
        label="no step",
        others=(Label(span, "no step") for _, span in unknowns[:-1]),
    )


def flat_objective(text: str, span: Span) -> Diagnostic:
    """W0604: an objective that does not tell the feasible plans apart.

    Args:
        text: The objective as written.
        span: Where it stands.
    """
    note = "ties are broken by the remaining objectives, the library's last, then by the order of the domain"
    return warning(
        "W0604", f"`{text}` is the same for every feasible plan", span, label="decides nothing", notes=(note,)
    )


def no_sweep(plan: str) -> Diagnostic:
    """E0401: `llmplan sweep` of a plan that sweeps nothing."""
    return error("E0401", f"`{plan}` has no `sweep`", None, "add one, as in `sweep hardware.gpus in 64..512 step 64`")


def of_points(diagnostic: Diagnostic, count: int, of: int) -> Diagnostic:
    """A remark on a point of a table, which is true of `count` of its `of` points: the first is told."""
    where = "" if of == 1 else f" (all {of} points)" if count == of else f" ({count} of {of} points)"
    return evolve(diagnostic, message=f"{diagnostic.message}{where}")


def not_alike(results: Sequence[str], path: str, basis: str, sorts: Mapping[str, Sequence[str]]) -> Diagnostic:
    """W0618: compared entries have a figure of different bases.

    Args:
        results: What is made of the figure.
        path: The figure, a field of the entries' kind.
        basis: The field that says of which sort it is.
        sorts: By its value the entries.
    """
    kind, field = path.split(".")
    rare = min(sorts, key=lambda sort: (len(sorts[sort]), sort))
    said = "; ".join(f"{sort} for {_few(sorts[sort])}" for sort in sorted(sorts, key=lambda sort: len(sorts[sort])))
    compared = " and ".join(f"`{name}`" for name in results[:2])
    message = f"comparing by {compared}, but `{path}` has different bases: {said}"
    common = max(sorts, key=lambda sort: len(sorts[sort]))
    amended = f'amend {kind} "{sorts[rare][0]}" {{ {field} = …, {basis.split(".")[1]} = {common} }}'
    hint = f"give one of the same basis: `{amended}`"
    return Diagnostic("W0618", "note", message, None, hints=(Hint(hint),))


def _few(entries: Sequence[str]) -> str:
    more = len(entries) - 3
    return ", ".join(entries[:3]) + (f" and {more} more" if more > 0 else "")
