"""What a change of a plan does."""

from __future__ import annotations

from llmplan.answer.schema.summary import Changed, Turned
from llmplan.present.blocks import Code, Line, Strong, line
from llmplan.present.words.en.labels import Labels
from llmplan.units.amount import Amount, deviation, percent


class Summary(Labels):
    """The summary of a change."""

    inputs_changed = "inputs"
    decided_anew = "decided"
    results_moved = "results"
    verdicts_turned = "verdicts"

    def summary(self, plan: str, known: bool, told: Line) -> Line:
        """The first line; without a last run it says what comes out."""
        if not told:
            return line(Strong(line(Code(plan))), ": every answer and result is as it was")
        return line(Strong(line(Code(plan))), ": " if known else ", compiled for the first time: ", told)

    def more_changes(self, more: int) -> Line:
        return line(f"and {more} more")

    def value_changed(self, changed: Changed) -> Line:
        """`hardware.gpus 96 GPUs → 128 GPUs`."""
        before = "" if changed.before is None else f"{changed.before.exact()} → "
        return line(Code(changed.name), f" {before}{changed.after.exact()}")

    def result_moved(self, changed: Changed, short: bool = False) -> Line:
        """`time 28.7 days → 21.5 days (-25%)`; in short `time 21.5 days (-25%)`."""
        before, after = changed.before, changed.after
        if before is None:
            return line(Code(changed.name), f" {after.short()}")
        moved = _relative(before, after)
        if short and moved:
            return line(Code(changed.name), f" {after.short()} ({moved})")
        return line(Code(changed.name), f" {before.short()} → {after.short()}", f" ({moved})" if moved else None)

    def verdict_turned(self, turned: Turned) -> Line:
        """`deadline no (18%) → likely (63%)`."""
        before = f"{_judged(turned.before, turned.before_chance)} → " if turned.before else ""
        return line(Code(turned.name), f" {before}{_judged(turned.after, turned.after_chance)}")


def _judged(verdict: str, chance: float | None) -> str:
    return verdict if chance is None else f"{verdict} ({percent(chance)})"


def _relative(before: Amount, after: Amount) -> str:
    """By how many per cent a number moved; empty where that says nothing."""
    if not (before.finite and after.finite and before.number):
        return ""
    return deviation(after.number / before.number - 1.0, "")
