"""The records of an answer hold names, amounts, expressions and texts of authors, and not one sentence of their own."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, get_args, get_type_hints

import attrs
from attrs import frozen

from llmplan.answer import schema

FIELDS = {
    "names of a plan or the library": {
        "Alternative.results", "Apart.name", "Difference.causes", "Share.input", "Alternative.settings",
        "Altered.name", "Assumed.name",
        "Axis.name", "BestPoint.names", "Blocked.name",
        "Case.name", "Clash.names", "Cliff.input", "Cliff.rule", "Cliff.unknown", "Column.calendar",
        "Changed.name", "Column.name", "Curve.requirement", "CurvePoint.results", "Default.name", "Default.result",
        "Departure.name",
        "Departure.origin", "Gain.changes", "Gain.name",
        "Lever.name", "Lever.unknown", "Loss.unmet", "Moved.name", "Neighbour.bands", "Neighbour.breaks",
        "Neighbour.misses",
        "Price.name", "Read.name", "Read.run", "Redecided.name",
        "Neighbour.name", "Neighbour.results", "Neighbour.values", "Origin.layer", "Relaxation.name", "Replaced.name",
        "RequirementResult.name", "RequirementResult.needs", "RequirementResult.origin", "RequirementResult.rates",
        "Risk.name", "Risk.result", "Rival.path", "Row.bands", "Row.results", "Row.spreads", "Row.unknowns",
        "Sensitivity.by",
        "Swing.name", "Swings.result",
        "Sensitivity.result", "Shown.needs", "Skipped.names", "Solution.calendar", "Solution.compared",
        "Solution.conflict", "Solution.parts", "Solution.thinned", "Solution.told", "Solution.untried",
        "Solution.values", "SolvedUnknown.path", "SolvedUnknown.set_by", "Table.axes", "Table.unknowns",
        "Turned.name", "Value.indices", "Value.measured", "Value.name", "Value.needs", "Value.reads", "Verdicted.name",
    },
    "units": {
        "Axis.unit", "Column.asked", "Column.unit", "Lever.unit", "Moved.base", "Relaxation.unit", "Value.unit",
    },
    "expressions as written, in a formula numbers in the place of names": {
        "Altered.after", "Altered.before", "Threshold.text",
        "Compared.subject", "Curve.text", "Departure.by", "Departure.text", "Loss.objective", "ObjectiveResult.text",
        "Price.objective",
        "Origin.text", "Relaxation.condition", "RequirementResult.text", "Shown.text", "Skipped.objective",
        "Replaced.text", "SolvedUnknown.numbers", "SolvedUnknown.relation", "Value.formula",
    },
    "keys of other software's files, and their values as written there": {
        "FileEdit.after", "FileEdit.before", "FileEdit.key",
    },
    "operations between the sides of a comparison": {"Case.sides"},
    "statements, and values in them, to be pasted into a plan": {
        "Cliff.to", "Lever.before_text", "Lever.statement", "Lever.text", "Relaxation.before_text",
        "Relaxation.statement", "Relaxation.texts",
    },
    "texts of the plan's author or of the library": {
        "Assumed.why", "Case.text", "Departure.because", "RequirementResult.because",
        "Lever.changes", "Lever.source", "Relaxation.changes", "RequirementResult.otherwise", "Solution.title",
        "Value.doc",
    },
    "files, places in them, hashes and sources": {
        "Altered.cites", "Altered.place", "ChangedFile.name", "Citation.place", "FileEdit.file",
        "Citation.source", "Departure.place", "Origin.place", "Read.place", "Replaced.instead", "Replaced.place",
        "RequirementResult.place", "Solution.into", "Solution.library_hash", "Solution.plan", "Solution.plan_hash",
        "Solution.sources", "Summary.plan",
    },
    "messages of the compiler, which diagnostics have too": {
        "Blocked.reason", "RequirementResult.undefined", "Row.errors", "Shown.reason", "Skipped.reason", "Value.reason",
    },
}  # fmt: skip
"""Fields of the records that hold texts, by the reason for which they may."""

COMPUTED = {
    "FileEdit.text": "a place, a key and two values as written, with an arrow between",
    "Neighbour.value": "the name of a member or an entry",
    "Value.value": "the name of a member or an entry",
    "Value.text": "the amount as written, for the templates of targets",
}
"""Properties that give a text, each with the reason."""


def records() -> list[type]:
    modules = [import_module(f"{schema.__name__}.{found.name}") for found in pkgutil.iter_modules(schema.__path__)]
    return [each for module in modules for each in vars(module).values() if _of(module, each)]


def _of(module: Any, each: object) -> bool:
    return inspect.isclass(each) and attrs.has(each) and each.__module__ == module.__name__


def texts(hint: Any) -> bool:
    """Whether a value of this type can hold a text that is not one of a few names."""
    return hint is str or any(map(texts, get_args(hint)))


def fields(classes: Iterable[type]) -> Iterator[str]:
    """The fields that can hold texts."""
    for each in classes:
        yield from (f"{each.__name__}.{name}" for name, hint in get_type_hints(each).items() if texts(hint))


def computed(classes: Iterable[type]) -> Iterator[str]:
    """The properties and methods that can give a text."""
    for each in classes:
        for name, member in vars(each).items():
            function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            written = name in ("__str__", "__format__") or not name.startswith("__")
            if written and inspect.isfunction(function) and texts(get_type_hints(function).get("return", str)):
                yield f"{each.__name__}.{name}"


@frozen
class Planted:
    """A record that says something."""

    name: str
    days: float

    @property
    def told(self) -> str:
        return f"{self.days} days"

    @staticmethod
    def listed() -> tuple[str, ...]:
        return ("found by search",)

    @property
    def weeks(self) -> float:
        return self.days / 7

    def __str__(self) -> str:
        return self.told


def test_every_text_of_a_record_has_its_reason() -> None:
    allowed = [name for names in FIELDS.values() for name in names]
    assert len(records()) > 30 and sorted(allowed) == sorted(fields(records()))
    assert [*fields([Planted])] == ["Planted.name"]


def test_no_record_says_a_sentence() -> None:
    assert {*computed(records())} == COMPUTED.keys()
    assert {*computed([Planted])} == {"Planted.told", "Planted.listed", "Planted.__str__"}
