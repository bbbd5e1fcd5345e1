"""Variations of a plan as columns of text, as `llmplan sweep` prints them.

Input: a table, and the words of a language. Output: columns of figures with three digits, rounded once, and what is
said of each row. A unit that all figures of a column share is the column's.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from llmplan.answer.schema.tables import STATED, Row, Table
from llmplan.answer.schema.tables import Column as Result
from llmplan.present import names
from llmplan.present.blocks import plain
from llmplan.present.words.en import Words
from llmplan.units.amount import Amount, Range

_NOTHING = "–"


@frozen
class Cell:
    """A figure, the ends around it, and its unit, which agrees with it: `1 GPU` in a column of GPUs.

    The unit is empty where the text has it because the figures of the column have several; all are empty for no value.
    """

    text: str = ""
    ends: str = ""
    unit: str = ""

    def inline(self) -> str:
        """The figure with its ends: `28.7 (25 – 34.5)`."""
        return f"{self.text} ({self.ends})" if self.ends else self.text


@frozen
class Column:
    """A column of figures, one for each row.

    Attributes:
        short: The name on a screen: of an input without its kind, where no other column has it.
        unit: The unit of all figures; empty where they have none, or each its own.
        point: Whether it tells where a row is, not what comes of it.
        planned: Whether another column has the same on the calendar.
    """

    name: str
    short: str
    unit: str
    cells: tuple[Cell, ...]
    point: bool = False
    planned: bool = False

    @property
    def head(self) -> str:
        return f"[{self.unit}]" if self.unit else ""

    def written(self, place: int) -> str:
        """A figure with its unit, and its ends."""
        cell = self.cells[place]
        return f"{cell.text} {cell.unit}".rstrip() + (f" ({cell.ends})" if cell.ends else "")


def header(table: Table, words: Words) -> list[str]:
    """The names of the columns with their units, and of those of `cells` that follow."""
    return [*(f"{one.name} {one.head}".rstrip() for one in columns(table, words)), words.verdict_column, ""]


def cells(table: Table, words: Words) -> list[list[str]]:
    """Each row as people read it; an infeasible one says why in place of its values."""
    shown = columns(table, words)
    return [
        [*(column.cells[place].inline() or _NOTHING for column in shown), verdict(row, words), said(table, row, words)]
        for place, row in enumerate(table.rows)
    ]


def columns(table: Table, words: Words) -> list[Column]:
    """What varies, what is asked for, and the results."""
    inputs = (*table.axes, *table.unknowns)
    last = [name.rpartition(".")[2] for name in (*inputs, *(one.name for one in table.results))]
    short = [own if last.count(own) == 1 else name for own, name in zip(last, inputs)]
    solved = [row if row.status == "solved" else None for row in table.rows]
    listed = []
    for place, name in enumerate(table.axes):
        listed.append(_column(name, short[place], [_axis(row.at[place], words) for row in table.rows], point=True))
    for place, name in enumerate(table.unknowns, len(table.axes)):
        figures = [Cell() if row is None else _figure(row.unknowns.get(name), None) for row in solved]
        listed.append(_column(name, short[place], figures))
    for result in table.results:
        like = written_like(table, result)
        digits = names.ends(result.name)
        figures = [
            Cell() if row is None else _figure(row.results.get(result.name), row.ends(result.name), like, digits)
            for row in solved
        ]
        listed.append(evolve(_column(result.name, result.name, figures), planned=bool(result.calendar)))
    return listed


def verdict(row: Row, words: Words) -> str:
    """The gravest verdict on the author's requirements with its chance, and of several whose it is."""
    gravest = row.gravest if row.status == "solved" else None
    if gravest is None or gravest.verdict is None:
        return ""
    several = sum(rule.origin in STATED for rule in row.judged) > 1
    parts = [gravest.name if several else "", words.verdict(gravest.verdict), words.chance(gravest.chance)]
    return " ".join(filter(None, parts))


def said(table: Table, row: Row, words: Words) -> str:
    """That a row is best, and what else is uncertain of it; of one without figures why."""
    if row.status != "solved":
        return plain(words.reason(row))
    single = sum(one.best for one in table.rows) == 1
    parts = [words.best if single else words.as_good_as_any] if row.best else []
    for rule in row.judged:
        if rule.origin not in STATED and rule.verdict is not None:
            parts.append(f"{rule.name} {words.verdict(rule.verdict)} {words.chance(rule.chance)}".rstrip())
    return ", ".join(parts)


def _column(name: str, short: str, listed: Sequence[Cell], point: bool = False) -> Column:
    """A column whose unit is that of all its figures; a single one of something agrees with any number of them."""
    units = {cell.unit for cell in listed if cell.text not in ("", "1")} or {cell.unit for cell in listed if cell.text}
    shared = units.pop() if len(units) == 1 else ""
    written = (cell if shared else Cell(f"{cell.text} {cell.unit}".rstrip(), cell.ends) for cell in listed)
    return Column(name, short, shared, tuple(written), point)


def _axis(amount: Amount, words: Words) -> Cell:
    return Cell(words.the_plan_itself) if amount.value is None else _figure(amount, None)


def _figure(amount: Amount | None, ends: Range | None, like: Amount | None = None, known: int = 3) -> Cell:
    """A figure with the ends around it, which are known to so many digits, in the unit and magnitude of another one."""
    if amount is None or amount.value is None or (amount.measure is not None and not amount.finite):
        return Cell()
    digits = 3 if names.is_money(amount) else None
    if like is not None:
        amount = amount.like(like)
        ends = None if ends is None else ends.like(like)
    text, unit = amount.parts(digits)
    return Cell(text, "" if ends is None else ends.ends(known), unit)


def _counterparts(table: Table, result: Result) -> tuple[str, ...]:
    """A result, and what is on the calendar what it is as planned or the reverse: both are written in one unit."""
    as_planned = (one.name for one in table.results if one.calendar == result.name)
    return (result.name, *filter(None, (result.calendar, *as_planned)))


def written_like(table: Table, result: Result) -> Amount | None:
    """What the figures of a result and of its counterpart are written like.

    As the plan shows them, else as in a requirement of the plan on them, else as the largest; None without figures.
    """
    alike = _counterparts(table, result)
    rows = [row for row in table.rows if row.status == "solved"]
    figures = [[row.results[name] for row in rows if name in row.results] for name in alike]
    shown = next((one for listed in figures for one in listed if one.unit.fixed), None)
    if shown is not None:
        return shown
    judged = [rule.compared for row in rows for rule in row.judged if rule.compared is not None]
    for name in alike:
        stated = next((one.planned for one in judged if one.subject == name and one.planned.unit.word[0]), None)
        if stated is not None:
            return stated
    finite = [one for listed in figures for one in listed if one.finite]
    return max(finite, key=lambda one: abs(one.number), default=None)
