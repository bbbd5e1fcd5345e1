"""Plans beside one another: sweeps, scenarios, the Pareto front, shown expressions."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.tables import Blocked, Row
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed
from llmplan.present.words.en.labels import Labels
from llmplan.units.amount import Amount, percent

_BOUNDS = {"le": "at most", "lt": "less than", "ge": "at least", "gt": "more than", "eq": "exactly", "ne": "not"}


class Plans(Labels):
    """Tables of plans."""

    shown_title = "shown"
    shown_heading = "Shown"
    value_column = "value"
    front_title = "front"
    front_heading = "Pareto front"
    sweep_heading = "Sweep"
    scenarios_heading = "Scenarios"
    best = "best"
    ends_left_out = "Ranges and bands are left out, as the terminal is narrow: --csv has them."
    as_good_as_any = "as good as any"

    def expression(self, text: str) -> Line:
        return line(Code(cut(text, 80)))

    def shown(self, rows: Sequence[tuple[Line, Line]]) -> Line:
        return line("Shown: ", listed(line(text, " = ", value) for text, value in rows), ".")

    def no_other_plan(self, more: int) -> Line:
        left = line(f"; {more} more points are in ", Code("solution.json")) if more else EMPTY
        return line("No other plan is better in one of the two objectives without being worse in the other", left, ".")

    def feasible_points(self, feasible: int, points: int, thinned: bool) -> Line:
        more = line("; ", Code("llmplan sweep"), " prints all of them") if thinned else EMPTY
        return line(f"{feasible} of {points} points are feasible", more, ".")

    def assumed_in_every_row(self, rates: Sequence[tuple[str, Amount]]) -> Line:
        said = listed(line(Code(name), f" = {amount.short()}") for name, amount in rates)
        return line("Assumed in every row: ", said, ".")

    def ends_of_figures(self, below: bool, ranged: bool) -> str:
        """What the ends of figures are, in brackets beside them or below."""
        where = "Below the figures" if below else "In brackets"
        ranges = "what your ranges lead to, else " if ranged else ""
        return f"{where}: {ranges}what eight of ten measured runs lie between."

    def in_every_row(self, told: Sequence[str]) -> str:
        return f"In every row: {', '.join(told)}."

    the_plan_itself = "the plan itself"

    def reason(self, row: Row) -> Line:
        """Why a point of a sweep is infeasible, or wrong; empty of any other."""
        if row.errors or not row.conflict:
            return line("; ".join(row.errors))
        tail = ", but not every jump was tried" if row.partly else ""
        if len(row.conflict) == 1:
            (blocked,) = row.conflict
            first = "does not fit" if blocked.name == names.FITS else f"violates {blocked.name}"
            return line(first, self._case(blocked), tail)
        cases = (line(one.name, self._case(one) if one.fails else None) for one in row.conflict)
        return line("conflict: ", listed(cases, "; "), tail)

    def _case(self, blocked: Blocked) -> Line:
        """What is the case at the nearest plan, after a colon; empty where nothing is known of it."""
        rule = blocked.result
        reason = blocked.reason or (rule.undefined if rule is not None else "")
        if reason or rule is None:
            return line(": ", reason) if reason else EMPTY
        known = [line(rule.otherwise), self._bound(rule)]
        said = known if any(known) else [line(rule.because or rule.text)]
        return line(": ", listed(said, "; ")) if any(said) else EMPTY

    def _bound(self, rule: RequirementResult) -> Line:
        """`31.2 days, at most 30 days asked`; of what is asked of a chance `chance 27%, at least 20% asked`."""
        row, sides = rule.compared, rule.sides
        if row is not None and row.asked is not None:
            chance = percent(rule.chance) if rule.chance is not None else "unknown"
            return line(f"chance {chance}, at least {percent(row.asked)} asked")
        if sides is None or rule.otherwise and row is None:
            return EMPTY
        subject, limit, operation = sides.left, sides.right, sides.operation
        if row is not None and not sides.worst:
            subject, limit, operation = row.planned, row.limit, row.operation
        texts = subject.short(), limit.short()
        if texts[0] == texts[1]:
            texts = subject.exact(), limit.exact()
        worst = " in the worst case" if sides.worst else ""
        return line(f"{texts[0]}{worst}, {_BOUNDS[operation]} {texts[1]} asked")
