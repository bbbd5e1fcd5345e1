"""An answer being told: its values by name, in whose words, and what is written beside it.

Input: a solution, the words of a language and the files that are written. Sections read it through this; a name that
has no value is never an error here, since a plan need not have any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import field, frozen

from llmplan.answer.schema.advice import Alternative
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.tables import Row
from llmplan.answer.schema.values import Value
from llmplan.operations.numbers import total
from llmplan.present.blocks import Chart, line
from llmplan.present.charts.records import Chart as Drawn
from llmplan.present.words import words_of
from llmplan.present.words.en import Words
from llmplan.units.amount import Amount, Range
from llmplan.units.measure import Scalar

PLAIN = ("plan", "used")
"""Origins of what an author requires."""

MOST_LISTED = 14
"""Requirements of the author in a report."""


@frozen
class Share:
    """A part of a sum: what people call it, its value and its share."""

    label: str
    amount: Amount
    share: float


@frozen
class Context:
    """What sections are made from.

    Attributes:
        folders: The folders of templates that are written.
        files: The names of the files that are written before the report, pictures among them.
    """

    answer: Solution
    words: Words = field(factory=words_of)
    folders: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()

    def find(self, name: str) -> Value | None:
        """A value by name, if there is one."""
        value = self.answer.values.get(name)
        return value if value is not None and value.value is not None else None

    def has(self, *wanted: str) -> bool:
        """Whether each of these names has a value."""
        return all(self.find(name) is not None for name in wanted)

    def get(self, name: str, default: Scalar = None) -> Scalar:
        """A value in base units, or the default where it has none."""
        value = self.find(name)
        return default if value is None else value.value

    def number(self, name: str) -> float | None:
        """A finite number in base units; None where the name has no such value."""
        known = self.amount(name)
        return known.number if known is not None and known.finite else None

    def amount(self, name: str) -> Amount | None:
        """A value as it is written; None where the name has none."""
        value = self.find(name)
        return None if value is None else value.amount

    def text(self, name: str) -> str:
        """A value with four digits; empty where it has none."""
        value = self.find(name)
        return "" if value is None else value.amount.exact()

    def requirement(self, name: str) -> RequirementResult | None:
        """A requirement by its name; None if none is in force."""
        return next((rule for rule in self.answer.requirements if rule.name == name), None)

    @property
    def own(self) -> list[RequirementResult]:
        """The author's requirements."""
        return [rule for rule in self.answer.requirements if rule.origin in PLAIN]

    @property
    def listed(self) -> list[RequirementResult]:
        """Those of the author's requirements that a report lists, what fails first."""
        failed = [rule for rule in self.own if rule.holds is False]
        return [*failed, *(rule for rule in self.own if rule.holds is not False)][:MOST_LISTED]

    @property
    def subjects(self) -> list[str]:
        """What these are about."""
        rows = [row for rule in self.listed for row in (rule.compared, rule.calendar)]
        return [row.subject for row in rows if row is not None]

    def like(self, name: str, amount: Amount) -> Amount:
        """An amount of a quantity in the unit of what the author requires of it, planned or on the calendar; without
        such a requirement in that of the answer's own.
        """
        names = {name, *(one for pair in self.answer.calendar.items() if name in pair for one in pair)}
        rows = (rule.compared for rule in self.own if rule.compared is not None)
        limit = next((row.limit for row in rows if row.subject in names), None)
        own = self.amount(name) if limit is None else limit
        return amount if own is None else amount.like(own)

    @property
    def rates(self) -> list[Value]:
        """What the plan assumes in place of the library's estimate."""
        found = (self.answer.values.get(one.name) for one in self.answer.assumptions)
        return [value for value in found if value is not None and value.role == "assumption"]

    def drawn(self, chart: str) -> bool:
        """Whether a picture is written."""
        return f"{chart}.svg" in self.files

    def pictured(self, name: str, make: Callable[[Context], Drawn | None]) -> tuple[Chart, ...]:
        """A picture with its title as its description, if it is written."""
        chart = make(self) if self.drawn(name) else None
        return () if chart is None else (Chart(name, line(self.words.localized(chart.title))),)

    def overridden(self, kind: str) -> list[tuple[Amount, str]]:
        """What a plan says otherwise of the entry that it chooses: `48` and `layers`."""
        return [
            (value.amount, name.partition(".")[2].replace("_", " "))
            for name, value in self.answer.values.items()
            if name.startswith(f"{kind}.")
            and value.role == "input"
            and any(layer.layer == "entry" for layer in value.others)
        ]

    def parts(self, whole: str) -> list[tuple[str, Value]]:
        """What the library, or the plan, says that a quantity is made of; empty if a part has no value."""
        pairs, values = self.answer.parts.get(whole, ()), self.answer.values
        known = [(self.words.part_name(label), values[name]) for name, label in pairs if name in values]
        numbers = all(isinstance(value.value, (int, float)) for _, value in known)
        return known if numbers and len(known) == len(pairs) else []

    def shares(self, whole: str, *without: str) -> list[Share]:
        """The parts of a quantity that are not nothing, the largest first; empty if a part has no value."""
        kept = [(label, value.amount) for label, value in self.parts(whole) if value.name not in without]
        summed = total(amount.number for _, amount in kept)
        listed = (
            [Share(label, amount, amount.number / summed) for label, amount in kept if amount.number] if summed else []
        )
        return sorted(listed, key=lambda part: part.share, reverse=True)


def ends_of(value: Value) -> Range | None:
    """The ends of a value over the author's ranges, else those of the model's error."""
    return value.spread or value.band


def varying(layouts: Sequence[Alternative]) -> tuple[str, ...]:
    """The unknowns in which some of several layouts differ, in their order."""
    texts: dict[str, set[str]] = {}
    for layout in layouts:
        for path, amount in layout.settings:
            texts.setdefault(path, set()).add(amount.exact())
    return tuple(path for path, each in texts.items() if len(each) > 1)


def thinned(rows: Sequence[Row], most: int) -> list[Row]:
    """At most so many rows of a table: its ends, the best one, and evenly spread ones between."""
    if len(rows) <= most:
        return list(rows)
    best = [place for place, row in enumerate(rows) if row.best][:1]
    spread = [round(place * (len(rows) - 1) / (most - 2)) for place in range(most - 1)]
    return [rows[place] for place in sorted({*spread, *best})]
