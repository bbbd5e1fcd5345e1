"""What single changes would bring, and what would make a plan possible."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.present.blocks import EMPTY, Code, Line, Strong, cut, line, listed, shortened
from llmplan.present.words.en.labels import Labels
from llmplan.units.amount import Amount, Range, percentage


class Changes(Labels):
    """Levers and cures."""

    levers_title = "levers"
    cures_title = "What would make it possible"
    changes_title = "What each change would buy"
    independent_conflicts = "The conflicts are independent: each needs a change, given for it alone."
    each_change_alone = "Each of these changes alone, found by solving again:"
    conflict_column = "conflict"
    cure_column = "one change that would do"
    minus = "−"
    no_single_change = "no single change was found"
    change_column = "one change, the rest as planned"

    def brought(
        self,
        solved: tuple[Amount, Amount] | None,
        moved: Sequence[tuple[str, Amount]],
        band: tuple[str, Range] | None,
        chance: str,
        safe: bool,
    ) -> Line:
        """What a change brings, on a screen."""
        parts = [f"{solved[0].exact()} instead of {solved[1].exact()}"] if solved is not None else []
        parts.append(", ".join(f"{name} {' '.join(difference.signed())}" for name, difference in moved))
        parts += [f"{band[0]} {band[1].short()} in eight of ten"] if band is not None else []
        parts += [f"{'safe: ' if safe else ''}chance {chance}"] if chance else []
        return line("; ".join(filter(None, parts)))

    def gain(self, difference: Amount, of_memory: bool) -> str:
        return f"{' '.join(difference.signed(3, self.minus))}{' of memory' if of_memory else ''}"

    def to_be_safe(self, statement: str, gains: Line, chance: str) -> Line:
        brings = listed([gains, f"chance {chance}" if chance else None])
        return line(Strong(line("To be safe")), ": ", Code(statement), " (", brings, ").")

    def cheapest_change(self, change: Line) -> Line:
        return line(Strong(line("Cheapest change")), ": ", change, ".")

    def another_card(self, change: Line) -> Line:
        return line(Strong(line("Another card")), ": ", change, ".")

    def change(
        self,
        statement: str,
        solved: Amount | None,
        gains: Line,
        band: tuple[str, Range] | None,
        chance: str,
        rates: Sequence[str],
    ) -> Line:
        """A change in a sentence: what it does to time, cost and memory, and how sure that is.

        Args:
            solved: What the plan's objective is with it when everything is solved again.
            rates: Assumed rates that are taken to be the same on another card.
        """
        sure: list[Line] = []
        if band is not None:
            sure.append(line(f"{band[0]} {band[1].ends()} {band[1].unit() or ''}".rstrip(), " in eight of ten"))
        if chance:
            sure.append(line(f"chance {chance}"))
        if rates:
            sure.append(line("at the same ", listed(map(Code, rates))))
        again = f", {solved.short()}" if solved is not None else ""
        return line(Code(statement), again, " (", gains, line("; ", listed(sure)) if sure else None, ")")

    def at_a_point(self, value: str, place: str) -> str:
        return f"{value} at {place}"

    def along(self, path: str, result: str, unit: str, points: Line) -> Line:
        return line("By ", Code(path), ", ", Code(result), f" in {unit}" if unit else None, ": ", points, ".")

    def deadline_caption(self, result: str, path: str, requirement: str) -> Line:
        return line(f"{result} by {path}, with the error of the model and the limit of {requirement}")

    def conflict_of(self, names: Sequence[str]) -> Line:
        return line(" with ".join(names))

    def cure(self, name: str, before: Amount | None, condition: str, values: Sequence[Amount], more: int) -> Line:
        was = f"{cut(before.short(), 60)} → " if before is not None else ""
        others = f" or {more} more" if more > 0 else ""
        to = Code(cut(condition, 80)) if condition else cut(" or ".join(one.short() for one in values), 80) + others
        return line(self.code(name), f": {was}", to)

    def lever(
        self, path: str, before: Amount, after: Amount, solved: Amount | None, breaks: Sequence[str], chance: str
    ) -> Line:
        """A change in the first column of a table."""
        values = f"{cut(before.short(), 30)} → {cut(after.short(), 30)}"
        again = f"; {solved.short()} if solved again" if solved is not None else ""
        fails = line("; fails ", shortened(listed(map(Code, breaks)), 80)) if breaks else EMPTY
        sure = f"; chance {chance}" if chance and not breaks else ""
        return line("✗ " if breaks else "✓ ", self.input_column(path), f": {values}{again}", fails, sure)

    def rates_stay(self, rates: Sequence[str]) -> Line:
        assumed = listed(map(Code, rates))
        return line("The plan assumes ", assumed, ": what a change does to that rate is not in these rows.")

    def one_point_more(
        self, name: str, before: float, after: float, changes: Sequence[tuple[str, Amount, Amount]]
    ) -> Line:
        moves = [line(Code(cut(one, 40)), f" from {old.short()} to {new.short()}") for one, old, new in changes]
        instead = f" ({percentage(after)} instead of {percentage(before)}) changes "
        return line("One percentage point more ", Code(name), instead, listed(moves), ".")
