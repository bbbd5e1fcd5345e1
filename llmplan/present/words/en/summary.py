"""What a change of a plan does."""

from __future__ import annotations

from llmplan.answer.schema.summary import Altered, Cause, Changed, Turned
from llmplan.present.blocks import Code, Line, Strong, line
from llmplan.present.words.en.labels import Labels, apart
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

    def altered(self, one: Altered) -> str:
        """`training.global_batch 512 sequences → 768 sequences at a.plan:3`."""
        at = f" at {one.place}" if one.place else ""
        if one.what == "formula":
            cites = f" (cites {'; '.join(one.cites)})" if one.cites else ""
            return f"the formula of `{one.name}`{at} changed{cites}"
        if one.what == "value":
            return f"{one.name} {_known(one.before)} → {_known(one.after)}{at}"
        if one.before is None:
            return f"requirement `{one.name}` is new: {one.after}"
        if one.after is None:
            return f"requirement `{one.name}` is gone"
        return f"requirement `{one.name}` was {one.before}, is {one.after}"

    def cause(self, one: Cause) -> str:
        """What differs, and what made it differ: `hardware.gpus 88 GPUs → 96 GPUs: dataset.tokens 1T → 1.2T`."""
        return self.altered(one.change) + (f": {self.altered(one.why)}" if one.why is not None else "")

    def value_changed(self, changed: Changed) -> Line:
        """`hardware.gpus 96 GPUs → 128 GPUs`."""
        before = "" if changed.before is None else f"{changed.before.exact()} → "
        return line(Code(changed.name), f" {before}{changed.after.exact()}")

    def result_moved(self, changed: Changed, short: bool = False) -> Line:
        """`time 28.7 days → 21.5 days (-25%)`; in short `time 21.5 days (-25%)`."""
        before, after = changed.before, changed.after
        if before is None:
            return line(Code(changed.name), f" {self.money(after)}")
        moved = _relative(before, after)
        if short and moved:
            return line(Code(changed.name), f" {self.money(after)} ({moved})")
        was, now = apart(before, after, self.money)
        return line(Code(changed.name), f" {was} → {now}", f" ({moved})" if moved else None)

    def verdict_turned(self, turned: Turned) -> Line:
        """`deadline no (18%) → likely (63%)`."""
        before = f"{_judged(turned.before, turned.before_chance)} → " if turned.before else ""
        return line(Code(turned.name), f" {before}{_judged(turned.after, turned.after_chance)}")


def _known(value: Amount | str | None) -> str:
    return "nothing" if value is None else str(value)


def _judged(verdict: str, chance: float | None) -> str:
    return verdict if chance is None else f"{verdict} ({percent(chance)})"


def _relative(before: Amount, after: Amount) -> str:
    """By how many per cent a number moved; empty where that says nothing."""
    if not (before.finite and after.finite and before.number):
        return ""
    return deviation(after.number / before.number - 1.0)
