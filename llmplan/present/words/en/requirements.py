"""Verdicts on requirements, in rows of a screen and of a report; what is waived or replaced; prices and failures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llmplan.answer.schema.requirements import Compared, Operation, Sides
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed, shortened
from llmplan.present.words.en.labels import SIGNS, Labels, inequality
from llmplan.units.amount import Amount, Range, percentage

_ENDS = {True: "your ranges, else eight of ten", False: "eight of ten"}
_SUBJECTS = {names.TIME: "time", names.WALL_TIME: "time", names.COST: "cost", names.WALL_COST: "cost"}
_MARKS = {"safe": "✓", "likely": "⚠", "tight": "⚠", "no": "✗", "not judged": "–"}
_SIDES = {"spare": "to spare", "over": "over", "short": "short"}
_AT_LIMIT = "at the limit"
_JUDGED = {
    "equality": "a limit with <= or >= gives a verdict",
    "asked": "a requirement of its own gives a verdict",
}
_MET = {None: "not checked", True: "met", False: "unmet"}


class Requirements(Labels):
    """Rows about requirements."""

    planned_column = "planned"
    verdict_column = "verdict"
    limit_column = "limit"
    departures_title = "waived or replaced"
    preferences_title = "preferred"
    not_checked = "not checked"
    not_at_every_point = "; not at every point of the ranges"
    no_deadline = "ⓘ no deadline in the plan"
    no_budget = "ⓘ no budget in the plan"
    price_row = line("price")

    def planned_figures(self, ranged: bool) -> Line:
        """The column of what comes of it if every step runs as planned, with the ends in brackets."""
        return line(f"as planned ({_ENDS[ranged]})")

    def calendar_figures(self, ranged: bool) -> Line:
        return line(f"on the calendar ({_ENDS[ranged]})")

    def verdict(self, verdict: str) -> str:
        """The word that begins a verdict on a screen."""
        return verdict

    def met(self, holds: bool | None) -> str:
        return _MET[holds]

    def departure(self, what: str) -> str:
        """Whether a requirement is `waived` or `replaced`."""
        return what

    def departed(self, text: str, by: str, place: str, because: str) -> Line:
        instead = f"{by} instead of {text}" if by else text
        return line(f"{instead} ({place}: {because or 'no reason given'})")

    def departure_of(self, name: str, origin: str) -> Line:
        return line(self.code(name), f" ({origin})")

    def departure_because(self, what: str, by: str, because: str) -> Line:
        instead = line(" by ", Code(cut(by, 80))) if by else EMPTY
        return line(f"ⓘ {what}", instead, f": {cut(because or 'no reason given', 120)}")

    def more_in_the_report(self, more: int) -> str:
        return f"{more} more in the report"

    def held(self, count: int) -> str:
        return f"{count} requirements of the library hold" if count > 1 else f"{count} requirement of the library holds"

    def not_checked_names(self, listed: str) -> str:
        return f"not checked: {listed}"

    def compared(self, row: Compared, side: str, calendar: bool) -> Line:
        where = " on the calendar" if calendar else ""
        said = inequality(row.planned, row.operation, row.limit, self.money)
        return line(f"{said}{where}, {_margin(row.gap, side, self.money)}")

    def in_the_worst_case(self, sides: Sides, gap: Amount, side: str) -> Line:
        return line(self.sides(sides, short=True), f", {_margin(gap, side)}")

    def subject(self, name: str) -> Line:
        """What a row is about, whether as planned or on the calendar."""
        return line(_SUBJECTS[name]) if name in _SUBJECTS else self.label(name)

    def required(self, name: str, text: str, subject: str | None) -> Line:
        """A requirement in the first column of a report."""
        about = self.subject(subject) if subject is not None else line(Code(cut(text, 70)))
        return line(f"{name} (", about, ")") if name and name != text else about

    def limit(self, operation: Operation, limit: Amount, gap: Amount, side: str, because: str, worst: bool) -> Line:
        """The limit of a requirement, and how far the figure is from it; of what fails also why that matters.

        Args:
            worst: Whether it is the worst case that is so far from it, not the figure.
        """
        case = f": {cut(because, 120)}" if because else ""
        margin = _margin(gap, side, self.money) + (" in the worst case" if worst else "")
        return line(f"{SIGNS[operation]} {self.money(limit)}, {margin}{case}")

    def capacity(self, room: Amount | None, gap: Amount | None, side: str) -> Line:
        """The memory of a GPU, and how much of it is left."""
        of = f"of {room.short()}" if room is not None else ""
        margin = _margin(gap, side, self.money) if gap is not None else ""
        return line(", ".join(filter(None, (of, margin))))

    def reason_of_the_author(self, because: str) -> Line:
        return line(f"; because “{cut(because, 120)}”") if because else EMPTY

    def also(self, said: Line) -> Line:
        return line("; ", said) if said else EMPTY

    def a_month(self, cost: Amount | None) -> Line:
        return EMPTY if cost is None else line(f"{cost.rough()} for 30 days")

    def not_checked_for(self, needs: Sequence[str]) -> Line:
        return line("– not checked: needs ", listed(map(Code, needs[:4])))

    def marked(self, verdict: str, chance: str) -> Line:
        """A verdict with its mark, in a table."""
        return line(f"{_MARKS.get(verdict, '–')} {verdict} {chance}".rstrip())

    def as_it_is_planned(self, planned: Amount, verdict: str, chance: str) -> Line:
        """The figure and the verdict, if there is one, if every step runs as planned, beside those on the calendar."""
        judged = f", {verdict} {chance}".rstrip() if verdict else ""
        return line(f"; as planned {self.money(planned)}{judged}")

    def asked(self, share: float) -> Line:
        return line(f"; asked {percentage(share)}")

    def rests_on(self, rates: Sequence[str]) -> Line:
        """Why it is not judged, and what would give a verdict."""
        assumed = line(listed(map(Code, rates)), " is assumed" if len(rates) == 1 else " are assumed")
        return line("; ", assumed, ": a range, or a model with a layout, gives a verdict")

    def is_unjudged_for(self, why: str) -> Line:
        """Why it is not judged though no rate is assumed, and what would give a verdict."""
        return line(f"; {self.unjudged(why)}: {_JUDGED[why]}")

    def judged_on_the_calendar(self, verdict: str, chance: str) -> Line:
        """The verdict if every step runs as planned, of a condition without figures, whose verdict is another one."""
        return line("; on the calendar; as planned, ", f"{verdict} {chance}".rstrip())

    def more_requirements(self, more: int) -> str:
        return f"{more} more requirements"

    def in_the_json(self) -> Line:
        return line("in ", Code("solution.json"))

    def fails(self, case: Line, because: str) -> Line:
        return line("✗ no: ", shortened(case, 120), f" ({cut(because, 100)})" if because else None)

    def no_price(self, gpu: str) -> Line:
        return line(f"ⓘ no price of {gpu} in the catalog")

    def price(self, price: Amount, ends: Range | None, source: str) -> Line:
        said = price.short() if ends is None else f"{price.short()} ({ends.ends()})"
        text = said.replace("/GPU/hour", " per GPU and hour")
        return line(cut(f"at {text}{f' ({source})' if source else ''}", 120))


def _margin(gap: Amount, side: str, written: Callable[[Amount], str] = Amount.short) -> str:
    return f"{written(gap)} {_SIDES[side]}" if gap.number else _AT_LIMIT
