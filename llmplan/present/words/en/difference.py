"""What two plans differ in."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.difference import Apart, ChangedFile, Share, Threshold
from llmplan.answer.schema.summary import Altered
from llmplan.present.blocks import Code, Line, Strong, line, listed
from llmplan.present.words.en.labels import Labels, apart
from llmplan.units.amount import Amount, deviation

_FILES = {"changed": "changed", "new": "new", "gone": "no longer written"}


class Difference(Labels):
    """The difference of two plans."""

    causes_title = "what moved them, each change alone"
    files_title = "files"
    thresholds_title = "conditions"
    not_told_apart = "not told apart"
    details_title = "Decisions, inputs, results and causes"
    name_column = "name"
    before_column = "before"
    after_column = "after"
    moved_column = "change, and eight of ten measured"
    by_column = "by"
    of_column = "moves"
    unchanged = "no decision, result or verdict differs"
    breaks_off = "The rest is left out for length; `llmplan diff` without `--markdown` has all of it."

    def set_against(self, before: str, after: str, told: Line) -> Line:
        """The first line: what the newer plan does to results and verdicts."""
        return line(Strong(line(Code(after))), " against ", Code(before), ": ", told)

    def no_longer_met(self) -> str:
        return "no plan meets its requirements now"

    def never_met(self) -> str:
        return "no plan meets its requirements, as before"

    def met_again(self) -> str:
        return "its requirements can be met now"

    def moved_by(self, one: Apart) -> Line:
        """`wall_time +3.1 days (+12%)`; what measurements would not tell is said to be that."""
        by = " ".join(self._by(one).signed(3))
        return line(Code(one.name), f" {by}", self._share(one))

    def moved_from(self, one: Apart) -> Line:
        """`wall_time 43.9 days → 26.8 days (−39%)`, and whether measurements would tell."""
        was, now = apart(one.before, one.after, self.money)
        return line(Code(one.name), f" {was} → {now}", self._share(one))

    def _share(self, one: Apart) -> str | None:
        """`(−39%, not told apart)`; nothing where neither is to be said."""
        parts = [deviation(one.change)] if one.change is not None else []
        parts += [] if one.told_apart else [self.not_told_apart]
        return f" ({', '.join(parts)})" if parts else None

    def other_work(self, before: Amount, after: Amount, change: float) -> Line:
        """`for other work: 6.55M tokens instead of 13.1M tokens (−50%)`."""
        return line(f"for other work: {after.short()} instead of {before.short()} ({deviation(change)})")

    def moves_nothing(self, names: Sequence[str]) -> Line:
        """`dataset.batching differs, and moves no result`."""
        return line(
            listed(Code(name) for name in names), f" {'differs' if len(names) == 1 else 'differ'}, and no result moves"
        )

    def newly_noted(self, text: str, before: bool) -> Line:
        """What the one answer rests on and the other does not."""
        return line(f"{'before' if before else 'now'}, {text}")

    def change_of(self, one: Apart) -> str:
        """`+12% (+3% to +22%)`, and whether measurements would tell."""
        if one.change is None:
            return " ".join(self._by(one).signed(3))
        band = "" if one.band is None else f" ({deviation(one.band[0])} to {deviation(one.band[1])})"
        return f"{deviation(one.change)}{band}" + ("" if one.told_apart else f", {self.not_told_apart}")

    def moves(self, share: Share, of: Apart) -> str:
        """What an input alone does to a result: `+2.4 days`."""
        change = of.after.number - of.before.number
        return " ".join(Amount(share.share * change, of.after.measure, of.after.unit).beside(of.after).signed(3))

    def ends_of(self, one: Altered) -> tuple[str, str]:
        """What an input, a formula or a requirement was, and is."""
        if one.what == "formula":
            return "a formula", "another one"
        return ("–" if one.before is None else str(one.before)), ("–" if one.after is None else str(one.after))

    def differs(self, file: ChangedFile) -> str:
        return _FILES[file.what]

    def threshold(self, one: Threshold) -> str:
        if one.met:
            return "met: this fails"
        return "not met" if one.apart else "not told apart from no change"

    def _by(self, one: Apart) -> Amount:
        return Amount(one.after.number - one.before.number, one.after.measure, one.after.unit).beside(one.after)
