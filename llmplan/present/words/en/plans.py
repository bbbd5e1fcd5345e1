"""Plans beside one another: sweeps, scenarios, the Pareto front, shown expressions."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.tables import Blocked, Row
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed
from llmplan.present.words.en.labels import Labels
from llmplan.units.amount import Amount


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

    the_plan_itself = "the plan itself"

    def reason(self, row: Row, short: bool = True) -> Line:
        """Why a point of a sweep is infeasible, or wrong; empty of any other."""
        if row.errors or not row.conflict:
            return line("; ".join(row.errors))
        first = "violates " if len(row.conflict) == 1 else "conflict: "
        tail = ", but not every jump was tried" if row.partly else ""
        return line(first, listed((self._blocked(one, short) for one in row.conflict), "; "), tail)

    def _blocked(self, blocked: Blocked, short: bool) -> Line:
        if blocked.reason:
            return line(f"{blocked.name}: {blocked.reason}")
        return line(blocked.name, line(": ", self.sides(blocked.sides, short)) if blocked.sides is not None else None)
