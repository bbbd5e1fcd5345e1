"""Verdicts on requirements, in rows of a screen and of a report; what is waived or replaced; prices and failures."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.requirements import Compared, Sides
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed, shortened
from llmplan.present.words.en.labels import Labels, inequality
from llmplan.units.amount import Amount, percentage

_SIGNS = {"<=": "≤", ">=": "≥"}
_MARKS = {"safe": "✓", "fits": "✓", "likely": "⚠", "tight": "⚠", "no": "✗", "not judged": "–"}
_SIDES = {"spare": "to spare", "over": "over", "short": "short"}
_AT_LIMIT = "at the limit"
_JUDGED = {
    "equality": "a limit with <= or >= gives a verdict",
    "asked": "a requirement of its own gives a verdict",
}
_MET = {None: "not checked", True: "met", False: "unmet"}


class Requirements(Labels):
    """Rows about requirements."""

    planned_column = "expected"
    verdict_column = "verdict"
    low_and_high = "Low and high: what your ranges lead to; else what eight of ten measured runs lie between."
    departures_title = "waived or replaced"
    preferences_title = "preferred"
    not_checked = "not checked"
    not_at_every_point = "; not at every point of the ranges"
    training_as_planned = "training as planned"
    cost_as_planned = "cost as planned"
    cost_on_the_calendar = "cost on the calendar"
    cost = "cost"
    of = "of"
    no_deadline = "ⓘ no deadline in the plan"
    no_budget = "ⓘ no budget in the plan"

    def range_column(self, ranged: bool) -> str:
        return "low – high" if ranged else "eight of ten"

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
        said = inequality(row.planned, row.operation, row.limit, Amount.short)
        return line(f"{said}{where}, {_margin(row.gap, side)}")

    def in_the_worst_case(self, sides: Sides, gap: Amount, side: str) -> Line:
        return line(self.sides(sides, short=True), f", {_margin(gap, side)}")

    def requirement(self, name: str, text: str, row: Compared | None) -> Line:
        """A requirement in the first column of a report."""
        own = f"{name}: " if name and name != text else ""
        subject = self.label(row.subject) if row is not None else line(Code(cut(text, 70)))
        return line(own, subject)

    def of_a_limit(self, label: str | Line, sign: str, limit: Amount | None, unit: str) -> Line:
        """A label with the limit of what it is about, else with the unit of its row."""
        bound = f" {_SIGNS.get(sign, sign)} {limit.short()}" if limit is not None else f", {unit}" if unit else None
        return line(label, bound)

    def not_checked_for(self, needs: Sequence[str]) -> Line:
        return line("– not checked: needs ", listed(map(Code, needs[:4])))

    def violated(self, gap: Amount | None, because: str, chance: str) -> Line:
        missed = f": missed by {self.money(gap)}" if gap is not None else ""
        case = f": {cut(because, 120)}" if because else ""
        return line(f"✗ no{missed}{case}", f" (chance {chance})" if chance else None)

    def judged(self, verdict: str | None, chance: str, gap: Amount | None, side: str) -> Line:
        mark = _MARKS.get(verdict or "", "–")
        doubt = f" ({chance})" if chance else ""
        margin = "" if gap is None else f": {self.money(gap)} {_SIDES[side]}" if gap.number else f": {_AT_LIMIT}"
        return line(f"{mark} {verdict}{doubt}{margin}")

    def as_it_is_planned(self, planned: Amount, verdict: str, chance: str) -> Line:
        """The figure and the verdict if every step runs as planned, beside those on the calendar."""
        judged = f"{verdict} {chance}".rstrip()
        return line(f"; as planned {self.money(planned)}, {judged}")

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

    def failures(self, expected: Amount | None) -> Line:
        if expected is None:
            return EMPTY
        return line(
            "fewer than 0.1 failures expected" if expected.number < 0.1 else f"{expected.rough()} failures expected"
        )

    def no_price(self, gpu: str) -> Line:
        return line(f"ⓘ no price of {gpu} in the catalog")

    def price(self, price: Amount, source: str) -> Line:
        text = price.short().replace("/GPU/hour", " per GPU and hour")
        return line(cut(f"at {text}{f' ({source})' if source else ''}", 120))


def _margin(gap: Amount, side: str) -> str:
    return f"{gap.short()} {_SIDES[side]}" if gap.number else _AT_LIMIT
