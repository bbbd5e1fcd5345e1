"""Whether a run is on plan, as a terminal or a pull request shows it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from attrs import frozen

from llmplan.escape import visible_line
from llmplan.logs.compared import Promise, Row
from llmplan.logs.ending import Ending
from llmplan.logs.later import Later
from llmplan.logs.readings import MFU, RATE, STEP
from llmplan.logs.waiting import Waiting
from llmplan.present.columns import wrapped
from llmplan.present.escape import markdown
from llmplan.present.names import GOODPUT
from llmplan.present.words.en import Words
from llmplan.uncertainty.suspects import REST, Part, Suspect
from llmplan.units import amount
from llmplan.units.amount import Amount

_LONGEST = 100
"""Characters of a line of the log that are shown."""

_FOLLOWING = (RATE, MFU)
"""What follows from the time of a step, and is off with it."""


@frozen
class Reasons:
    """Why a run may not be on plan: the part that is off, inputs that may be otherwise, what is known of waiting for
    data and of what passes between steps, whether the figure is the mean over the whole run, the step and
    line since which the loss is no number; what the plan requires of time and cost.
    """

    off: Part | None = None
    suspects: tuple[Suspect, ...] = ()
    waiting: Waiting | None = None
    between: float | None = None
    whole: bool = False
    lost: tuple[float, int] | None = None
    promises: tuple[Promise, ...] = ()


@frozen
class Rest:
    """How far a run is: steps done and to be done, those of the plan where the log announces other ones, the time of
    the rest as seen and as planned, goodput as seen and as planned, the day of the end, the cost so far, at the end as
    seen, at the end as planned; `losing` the goodput of the log and the time of the rest at it, where that is what
    decides when the run ends.
    """

    done: float
    steps: float
    left: Amount
    planned: Amount
    goodput: tuple[float | None, float | None] = (None, None)
    end: str | None = None
    cost: tuple[Amount, Amount, Amount] | None = None
    otherwise: float | None = None
    losing: tuple[float, Amount] | None = None


@frozen
class Stretch:
    """Which steps of a log are compared: the first and the last, the restarts among them, how many steps were done
    again, how the log goes on at another speed, and the failure with which it ends.
    """

    first: float = 0.0
    last: float = 0.0
    restarts: int = 0
    repeated: float = 0.0
    later: Later | None = None
    failure: Ending | None = None


def render(
    file: str,
    rows: Sequence[Row],
    tolerance: float | None,
    rest: Rest | None,
    parts: Mapping[str, float],
    reasons: Reasons,
    stretch: Stretch,
    words: Words,
    width: int,
) -> str:
    """The text, which ends with a line end.

    Args:
        rest: How far the run is, and what the rest takes, where log and plan count steps.
        parts: Seconds of the parts of a step that the log prints.
        reasons: Why it may not be on plan.
        stretch: Which steps of the log are compared.
    """
    steps = _announced(rest)
    lines = wrapped(_headline(file, rows, tolerance, reasons, steps, words), width)
    for said in (*_stretch(file, stretch, words), *_promised(reasons, steps, words)):
        lines += [f"  {part}" for part in wrapped(said, width - 2)]
    cells = [words.verified_columns, *(_cells(row, words) for row in rows)]
    wide = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines += [f"  {'  '.join(cell.ljust(size) for cell, size in zip(row, wide))}".rstrip() for row in cells]
    for said in (*_reasons(reasons, words), *_below(rest, parts, words)):
        lines += [f"  {part}" for part in wrapped(said, width - 2)]
    return "\n".join(lines) + "\n"


def in_markdown(
    file: str,
    rows: Sequence[Row],
    tolerance: float | None,
    rest: Rest | None,
    parts: Mapping[str, float],
    reasons: Reasons,
    stretch: Stretch,
    words: Words,
) -> str:
    """The same as Markdown."""
    steps = _announced(rest)
    lines = [markdown(_headline(file, rows, tolerance, reasons, steps, words)), ""]
    told = (*_stretch(file, stretch, words), *_promised(reasons, steps, words))
    lines += [part for said in told for part in (markdown(said), "")]
    cells = [words.verified_columns, *(_cells(row, words) for row in rows)]
    head, *table = (f"| {' | '.join(markdown(cell) for cell in row)} |" for row in cells)
    lines += [head, f"|{' --- |' * len(cells[0])}", *table]
    below = [markdown(said) for said in (*_reasons(reasons, words), *_below(rest, parts, words))]
    return "\n".join([*lines, *(part for said in below for part in ("", said))]) + "\n"


def _headline(
    file: str,
    rows: Sequence[Row],
    tolerance: float | None,
    reasons: Reasons,
    steps: tuple[str, str] | None,
    words: Words,
) -> str:
    timed = any(row.name == STEP and row.verdict != "on plan" for row in rows)
    off = [] if reasons.lost is None else [words.loss_lost(amount.count(reasons.lost[0]), reasons.lost[1])]
    off += [
        words.off_plan(
            row.name, amount.deviation(row.share - 1), row.verdict, tolerance is None and row.name != GOODPUT
        )
        for row in rows
        if _is_off(row, tolerance) and not (timed and row.name in _FOLLOWING)
    ]
    off += [words.missed(one.name, one.text, one.seen.short(), steps) for one in reasons.promises if not one.met]
    if tolerance is None:
        speed = next((row for row in rows if row.name in (STEP, RATE)), None)
        known = speed is not None and speed.band is not None and not off
        told = (speed.name, speed.seen.short(), speed.band.ends()) if known and speed and speed.band else None
        return words.normal(file, "; ".join(off), told)
    return words.verified(file, "; ".join(off), amount.percentage(tolerance))


def _stretch(file: str, stretch: Stretch, words: Words) -> list[str]:
    """What stands right below the verdict: how the log ends, which steps it is about."""
    said = []
    if stretch.failure is not None:
        failure = stretch.failure
        text = visible_line(failure.text[:_LONGEST]).rstrip(" .:;")
        text += "…" if len(failure.text) > _LONGEST else ""
        log = "LOG" if file.startswith("<") else shlex.quote(file)
        said.append(words.died(failure.line, text, log if failure.memory else None))
    if stretch.later is not None:
        later = stretch.later
        time = None if later.time is None else f"{amount.reading(later.time, 3)} s"
        steps = amount.count(stretch.first), amount.count(stretch.last), amount.count(later.step)
        said.append(words.goes_on(*steps, amount.percentage(round(abs(later.share - 1), 2)), later.share > 1, time))
    if stretch.restarts:
        said.append(words.restarted(stretch.restarts, amount.count(stretch.repeated) if stretch.repeated else None))
    return said


def _promised(reasons: Reasons, steps: tuple[str, str] | None, words: Words) -> list[str]:
    """The requirements that the run meets; the verdict has the others."""
    return [words.kept(one.name, one.text, one.seen.short(), steps) for one in reasons.promises if one.met]


def _announced(rest: Rest | None) -> tuple[str, str] | None:
    """The steps that the log announces, and those of the plan, where they are others."""
    if rest is None or rest.otherwise is None:
        return None
    return amount.count(round(rest.steps)), amount.count(round(rest.otherwise))


def _is_off(row: Row, tolerance: float | None) -> bool:
    """Whether a figure is not as it should be; of runs without a plan, memory that is left over is not."""
    return row.verdict != "on plan" and not (tolerance is None and row.verdict == "less")


def _cells(row: Row, words: Words) -> tuple[str, ...]:
    """A row; the unit stands once where both figures have the same."""
    (_, unit), (number, own) = row.seen.parts(), row.planned.parts()
    planned = number if unit == own else row.planned.short()
    band = "" if row.band is None else row.band.ends()
    return row.name, row.seen.short(), planned, band, amount.deviation(row.share - 1)


def _reasons(reasons: Reasons, words: Words) -> list[str]:
    """The part that is off, and what may be otherwise than planned."""
    said = []
    if reasons.off is not None:
        off = reasons.off
        share = None if off.share is None else amount.percentage(min(1.0, off.share))
        seen, planned = (f"{amount.reading(seconds, 3)} s" for seconds in (off.seen, off.planned))
        said.append(words.part_off("" if off.name == REST else off.name, seen, planned, share))
    if reasons.between is not None:
        said.append(words.between_steps(f"{amount.reading(reasons.between, 3)} s"))
    if reasons.whole:
        said.append(words.whole_run)
    waits = reasons.waiting
    if waits is not None and waits.share is not None:
        said.append(_waits(waits, words))
    for one in reasons.suspects:
        step = None if one.step is None else one.step.short()
        share = amount.percentage(round(one.share, 2))
        said.append(words.suspect(one.path, one.other.short(), one.own.short(), step, share, one.of, one.tells))
    if waits is not None and waits.share is None:
        said.append(words.waits_untold(waits.switch))
    return said


def _waits(waits: Waiting, words: Words) -> str:
    """That steps wait for their data, or are as irregular as if they did."""
    share = amount.percentage(round(waits.share or 0.0, 2))
    if waits.seconds is not None:
        return words.waits(f"{amount.reading(waits.seconds, 3)} s", share)
    low, high = (f"{amount.reading(seconds, 3)} s" for seconds in waits.scatter or (0.0, 0.0))
    return words.waits_perhaps(low, high, share, waits.switch)


def _below(rest: Rest | None, parts: Mapping[str, float], words: Words) -> list[str]:
    said = []
    if rest is not None:
        done, steps = amount.count(rest.done), amount.count(round(rest.steps))
        otherwise = None if rest.otherwise is None else amount.count(round(rest.otherwise))
        losing = None if rest.losing is None else (amount.percentage(rest.losing[0]), rest.losing[1].short())
        said.append(words.rest(done, steps, otherwise, rest.left.short(), rest.planned.short(), rest.end, losing))
        seen, planned = rest.goodput
        if seen is not None:
            said.append(words.goodput(amount.percentage(seen), None if planned is None else amount.percentage(planned)))
        if rest.cost is not None:
            said.append(words.cost_so_far(*(one.short() for one in rest.cost)))
    if parts:
        told = [f"{name} {amount.reading(seconds, 3)} s" for name, seconds in parts.items()]
        said.append(words.parts_seen(", ".join(told)))
    return said
