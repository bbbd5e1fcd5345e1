"""What single changes would bring, and what would make a plan possible."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.advice import Lever, Moved, Relaxation, as_made
from llmplan.present import names
from llmplan.present.blocks import Code, Line, Part, Strong, cut, line, listed
from llmplan.present.words.en.labels import Labels
from llmplan.units.amount import Amount, Range, percentage

_MOST_OF_A_LAYOUT = 2
"""The most parts of a layout that are named where a change brings another one."""


class Changes(Labels):
    """Levers and cures."""

    levers_title = "levers"
    cures_title = "What would make it possible"
    changes_title = "What each change would buy"
    each_conflict_alone = (
        "Each row alone, found by solving again: first for all conflicts together, then for each as if it were the "
        "only one."
    )
    each_change_alone = "Each row alone, found by solving again:"
    all_conflicts = "all of them"
    conflict_column = "conflict"
    cure_column = "a change that would do"
    no_change = "no change was found"
    calendar_column = "on the calendar"
    change_column = "one change, the rest solved again"

    def brought(self, lever: Lever, moved: Sequence[Moved], band: tuple[str, Range] | None) -> Line:
        """What a change brings, on a screen."""
        parts: list[Part] = [self.decided(lever)]
        told = (f"{one.name} {' '.join(one.by.beside(one.before).signed(3))}" for one in moved if not one.same)
        parts.append(", ".join(told))
        parts += [f"{band[0]} {band[1].rough(names.ends(band[0]))} in eight of ten runs"] if band is not None else []
        safe = f"{lever.purpose}: " if lever.purpose in ("safe", "meets") else ""
        parts += [f"{safe}{self.likely(lever)}"] if lever.chance is not None else []
        parts += self._besides(lever)
        return listed(parts, "; ")

    def decided(self, lever: Lever) -> Line:
        """What else is another one when everything is solved again: `88 GPUs instead of 96 GPUs`."""
        layout = [one for one in lever.decided if one.sort == "switch" and one.name != lever.unknown]
        named = [one for one in lever.decided if len(layout) <= _MOST_OF_A_LAYOUT or one not in layout]
        told = [
            line(
                None if one.sort == "count" else line(self.input_column(one.name), " "),
                f"{cut(one.after.exact(), 40)} instead of {cut(one.before.exact(), 40)}",
            )
            for one in named
        ]
        return listed([*told, "with another layout" if len(named) < len(lever.decided) else None])

    def likely(self, lever: Lever) -> str:
        """The least chance after a change, with that of the answer where it falls."""
        before = f" instead of {self.chance(lever.chance_before)}" if lever.riskier else ""
        return f"chance {self.chance(lever.chance)}{before}"

    def _besides(self, lever: Lever) -> list[str]:
        """What else a change changes, and the source of its price."""
        changes = ["all else as it is"] if lever.kept else []
        changes += [f"changes {lever.changes}"] if lever.changes else []
        return [*changes, *([f"price: {lever.source}"] if lever.source else [])]

    def gain(self, difference: Amount, of_memory: bool) -> str:
        return f"{' '.join(difference.signed(3))}{' of memory' if of_memory else ''}"

    def to_be_safe(self, statement: str, gains: Line, chance: str) -> Line:
        brings = listed([gains, f"chance {chance}" if chance else None])
        return line(Strong(line("To be safe")), ": ", Code(statement), " (", brings, ").")

    def cheapest_change(self, change: Line) -> Line:
        return line(Strong(line("Cheapest change")), ": ", change, ".")

    def another_card(self, change: Line) -> Line:
        return line(Strong(line("Another card")), ": ", change, ".")

    def change(self, lever: Lever, gains: Line, band: tuple[str, Range] | None, rates: Sequence[str]) -> Line:
        """A change in a sentence: what it does to time, cost and memory, and how sure that is.

        Args:
            rates: Assumed rates that are taken to be the same on another card.
        """
        sure: list[Line] = []
        if band is not None:
            sure.append(line(f"{band[0]} {band[1].rough(names.ends(band[0]))} in eight of ten runs"))
        if lever.chance is not None:
            sure.append(line(self.likely(lever)))
        if rates:
            sure.append(line("at the same ", listed(map(Code, rates))))
        sure += map(line, self._besides(lever))
        decided = self.decided(lever)
        again = line(", ", decided) if decided else None
        return line(Code(as_made(lever)), again, " (", gains, line("; ", listed(sure)) if sure else None, ")")

    def at_a_point(self, value: str, place: str) -> str:
        return f"{value} at {place}"

    def along(self, path: str, result: str, unit: str, points: Line) -> Line:
        return line("By ", Code(path), ", ", Code(result), f" in {unit}" if unit else None, ": ", points, ".")

    def conflict_of(self, names: Sequence[str]) -> Line:
        return line(" with ".join(names))

    def cure(self, cure: Relaxation, most: int) -> Line:
        """A change that would do, with at most so many of its values."""
        was = f"{cut(cure.before.short(), 60)} → " if cure.before is not None else ""
        values = cut(" or ".join(value.short() for value in cure.values[:most]), 80)
        more = len(cure.values) - most
        to = Code(cut(cure.condition, 80)) if cure.condition else values + (f" or {more} more" if more > 0 else "")
        return line(self.code(cure.name), f": {was}", to)

    def lever(self, lever: Lever) -> Line:
        """A change in the first column of a table."""
        values = f"{cut(lever.before.short(), 30)} → {cut(lever.amount.short(), 30)}"
        decided = self.decided(lever)
        again = line("; ", decided) if decided else None
        chance = f"; {self.likely(lever)}" if lever.chance is not None else ""
        changes = "; all else as it is" if lever.kept else ""
        changes += f"; changes {lever.changes}" if lever.changes else ""
        return line(self.input_column(lever.name), f": {values}", again, f"{chance}{changes}")

    def rates_stay(self, rates: Sequence[str]) -> Line:
        assumed = listed(map(Code, rates))
        these = "that rate" if len(rates) == 1 else "those rates"
        return line("The plan assumes ", assumed, f": what a change does to {these} is not in these rows.")

    def one_point_more(
        self, name: str, before: float, after: float, changes: Sequence[tuple[str, Amount, Amount]]
    ) -> Line:
        moves = [line(Code(cut(one, 40)), f" from {self.money(old)} to {self.money(new)}") for one, old, new in changes]
        instead = f" ({percentage(after)} instead of {percentage(before)}) changes "
        return line("One percentage point more ", Code(name), instead, listed(moves), ".")
