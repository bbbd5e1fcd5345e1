"""What quantities, inputs and values are called wherever they stand, and phrases that several sections need."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

from llmplan.answer.schema.requirements import RequirementResult, Sides
from llmplan.answer.schema.solution import Shown
from llmplan.answer.schema.values import Value
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed, shortened
from llmplan.units.amount import Amount, percent
from llmplan.units.measure import OPPOSITES

LABELS = {
    names.TIME: "training",
    names.WALL_TIME: "time on the calendar",
    names.COST: "cost",
    names.WALL_COST: "cost on the calendar",
    names.MEMORY: "memory of the fullest GPU",
    names.GPU_HOURS: "GPU-hours",
    names.GPUS: "GPUs",
    names.GPU: "GPU",
    names.NODES: "nodes",
    names.PARAMS_TOTAL: "parameters",
    names.TENSOR: "tensor",
    names.PIPELINE: "pipeline",
    names.ZERO_STAGE: "ZeRO",
    names.CONTEXT: "context",
    names.EXPERT: "expert",
    names.MICRO_BATCH: "micro-batch",
    names.RECOMPUTE: "recompute",
    names.STEP_TIME: "step time",
    names.MFU: "MFU",
    names.INTERNODE: "network between nodes",
    names.STORAGE: "storage",
    names.GLOBAL_BATCH: "global batch",
    names.VIRTUAL_PIPELINE: "chunks a stage",
}
_SHORT = {
    names.TIME: "time",
    names.WALL_TIME: "calendar time",
    names.COST: "cost",
    names.WALL_COST: "calendar cost",
    names.MEMORY: "memory",
    names.GPUS: "GPUs",
    names.STEP_PER_TOKEN: "estimated step time per token",
}

_UNJUDGED = {
    "equality": "a computed value equals a limit only as planned",
    "asked": "a chance or a quantile is part of a condition",
}


SIGNS: Mapping[str, str] = {"le": "≤", "lt": "<", "ge": "≥", "gt": ">", "eq": "=", "ne": "≠"}
"""How one side of a comparison stands to the other, by the operation between them."""


def inequality(left: Amount, operation: str, right: Amount, write: Callable[[Amount], str]) -> str:
    """`28.7 days ≤ 30 days`, with the sign that holds: where the comparison fails, the opposite one."""
    first, second = write(left), write(right)
    if first == second:
        first, second = left.exact(), right.exact()
    same = first == second
    holds = operation in ("le", "ge", "eq") if same else getattr(operator, operation)(left.number, right.number)
    return f"{first} {SIGNS[operation if holds else OPPOSITES[operation]]} {second}"


def apart(before: Amount, after: Amount, write: Callable[[Amount], str]) -> tuple[str, str]:
    """Two values that differ, told apart."""
    was, now = write(before), write(after)
    return (was, now) if was != now else (before.exact(), after.exact())


class Labels:
    """Labels, and values of requirements and of shown expressions."""

    def localized(self, text: str) -> str:
        """A text of an answer with its numbers in the units of the language."""
        return text

    def code(self, name: str) -> Line:
        """A name, or an expression, in a report."""
        return line(Code(cut(name, 60)))

    def label(self, name: str) -> Line:
        """What a result is called in a table."""
        return line(LABELS[name]) if name in LABELS else self.code(name)

    def input_column(self, path: str) -> Line:
        """An input in a table that must fit a narrow screen: without its kind."""
        return line(LABELS.get(path) or cut(path.rpartition(".")[2].replace("_", " "), 40))

    def result_column(self, name: str) -> Line:
        return line(_SHORT.get(name) or cut(name, 40))

    def axis(self, name: str, first: bool = False) -> Line:
        """What is read along an axis; `first` where that begins a title: a name of the plan stays as it is written."""
        label = LABELS.get(name)
        if label is None:
            return line(name)
        return line(label[:1].upper() + label[1:] if first else label)

    def unit(self, text: str) -> str:
        """A unit in the head of a row."""
        return text.replace("token/s", "tokens/s").replace("/GPU", " per GPU")

    def chance(self, chance: float | None, error: float | None = None) -> str:
        """A probability, with a bound on its error where that is not small; empty where nothing is uncertain."""
        if chance is None:
            return ""
        return percent(chance) if error is None else f"{percent(chance)} ± {percent(error)}"

    def unjudged(self, why: str) -> str:
        """Why a requirement is not judged though no rate is assumed for it."""
        return _UNJUDGED[why]

    def all_of(self, listed: Sequence[str]) -> str:
        return ", ".join(listed)

    def some_of(self, first: Sequence[str], more: int) -> str:
        return f"{', '.join(first)} and {more} more"

    def both(self, texts: Sequence[str]) -> str:
        return " and ".join(texts)

    def needs(self, listed: str) -> str:
        return f"needs {listed}"

    def absent(self, name: str, needs: Sequence[str]) -> Line:
        """A result that has no value for want of inputs."""
        return line(Code(name), ": ", shortened(line("needs ", listed(map(Code, needs))), 120), ".")

    def worth(self, row: Shown | Value, short: bool = False) -> Line:
        """A value with the ends of its range, of a shown row with those of its band too, or why there is none."""
        spread = "" if row.spread is None else f" ({row.spread.short() if short else row.spread.exact()})"
        if isinstance(row, Shown) and not row.bounded:
            spread = " (no bounds)"
        band = row.band if isinstance(row, Shown) else None
        likely = "" if band is None else f", {band.short() if short else band.exact()} in eight of ten runs"
        return line(self.known(row, short), spread, likely)

    def known(self, row: Shown | Value, short: bool = False) -> Line:
        """A value with its four digits, or why there is none."""
        if row.amount.value is not None:
            return line(row.amount.short() if short else row.amount.exact())
        if not row.given:
            return line("not given")
        needs = f"needs {', '.join(row.needs)}" if row.needs else "unknown"
        return line(f"undefined: {row.reason}" if row.reason else needs)

    def case(self, rule: RequirementResult, short: bool = False) -> Line:
        """What a failure means in the author's words, else the condition with its values; empty if there are none."""
        return line(rule.otherwise) or self.values(rule, short)

    def reason_of(self, rule: RequirementResult) -> str:
        """Why a requirement or preference exists, in the author's words or in the library's."""
        return rule.because

    def in_unit(self, unit: str) -> str:
        """The unit of a row, behind what it is about."""
        return f", {unit}" if unit else ""

    def values(self, rule: RequirementResult, short: bool = False) -> Line:
        """The condition with its values, or why a side has none; empty where it is not a comparison of numbers."""
        if rule.undefined:
            return line(f"undefined: {rule.undefined}")
        return self.sides(rule.sides, short) if rule.sides is not None else EMPTY

    def sides(self, sides: Sides, short: bool = False) -> Line:
        said = inequality(sides.left, sides.operation, sides.right, Amount.short if short else Amount.exact)
        return line(said, " in the worst case" if sides.worst else None)

    def money(self, amount: Amount) -> str:
        """A sum of money to three digits, as no cent of it is known; anything else as it is."""
        return amount.rough() if names.is_money(amount) else amount.short()
