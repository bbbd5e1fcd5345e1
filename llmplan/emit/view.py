"""What a template sees of a solution: values by name, its options, and ways to refuse.

A name that has no value stops the template, so that no file is written with a hole in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from attrs import define, field, frozen

from llmplan.answer.schema.advice import Alternative, Moved
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.tables import Row
from llmplan.answer.schema.values import AUTHORED, Value
from llmplan.emit.rounding import amount, measure
from llmplan.emit.targets import Target
from llmplan.operations.numbers import total
from llmplan.present import pictures, values
from llmplan.units.format import number
from llmplan.units.measure import Scalar

_AMOUNT = re.compile(r"\d+(?:\.\d+)?")

NAMES = (
    "value", "number", "whole", "text", "get", "has", "authored", "present", "breakdown", "parts", "shares", "option", "emits", "wrote", "texts",
    "having", "picture", "untold", "refuse", "varying", "overridden", "value_of", "requirement", "thinned", "shift", "absent", "solution",
)  # fmt: skip
"""What a template may read and call of a `View`."""


@define
class MissingValue(Exception):
    """A template reads `name`, which has no value; `needs` and `reason` say why."""

    name: str
    needs: tuple[str, ...] = ()
    reason: str = ""


@define
class Refused(Exception):
    """A template finds that its format cannot say what the plan says."""

    message: str
    hint: str


@define
class Reading:
    """What the files of a plan have said so far, but for those that are written in any case.

    Attributes:
        read: Names whose value a template has read.
        listed: Inputs that one has got from `untold`.
    """

    read: set[str] = field(factory=set)
    listed: set[str] = field(factory=set)


@frozen
class View:
    """The functions that a template may call, all of them reading.

    Attributes:
        target: The folder that the template belongs to.
        folders: Every folder that is written, brought ones too.
        files: The names of the files that come before this one; `plain` those of targets that do not come last, with
            their texts.
        parts_of: Of each folder that is written, the names of the files in it that others include.
        reading: What this and the other files read.
    """

    solution: Solution
    target: Target
    folders: frozenset[str]
    files: frozenset[str] = frozenset()
    plain: Mapping[str, str] = field(factory=dict)
    parts_of: Mapping[str, frozenset[str]] = field(factory=dict)
    reading: Reading = field(factory=Reading)

    def functions(self) -> dict[str, object]:
        """The names as templates know them."""
        return {name: getattr(self, name) for name in NAMES}

    def value(self, name: str) -> Scalar:
        """A value in base units, a member's or entry's name, or a truth value."""
        return self._present(name).value

    def number(self, name: str) -> float | int:
        """A finite number in base units."""
        value = self.value(name)
        if isinstance(value, (bool, str)) or value is None or not math.isfinite(value):
            raise MissingValue(name, reason=f"{value} is not a number")
        return value

    def whole(self, name: str) -> int:
        """A number that must be whole."""
        value = self.number(name)
        if value != round(value):
            raise MissingValue(name, reason=f"{value} is not whole")
        return round(value)

    def text(self, name: str) -> str:
        """A value as people read it."""
        return self._present(name).text

    def get(self, name: str, default: Scalar = None) -> Scalar:
        """A value, or the default where it has none."""
        return self.value(name) if self.has(name) else default

    def has(self, name: str) -> bool:
        """True for a name that has a value."""
        found = self.solution.values.get(name)
        return found is not None and found.value is not None

    def authored(self, name: str) -> bool:
        """True if the plan itself, or what is laid over it, gives the value."""
        found = self.solution.values.get(name)
        return self.has(name) and found is not None and found.origin is not None and found.origin.layer in AUTHORED

    def present(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, Value]]:
        """Of pairs of a label and a name, those that have a value."""
        return [(label, self._present(name)) for label, name in pairs if self.has(name)]

    def breakdown(self, total: str, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, Value, float]]:
        """Like `present`, each with its share of the total; empty if there is no total."""
        whole = self.number(total) if self.has(total) else 0
        found = [(label, value, float(value.value or 0)) for label, value in self.present(pairs)]
        return [(label, value, part / whole) for label, value, part in found] if whole else []

    def parts(self, whole: str) -> list[tuple[str, Value]]:
        """What the library, or the plan, says that a quantity is made of; empty if a part has no value."""
        return values.parts(self.solution, whole)

    def shares(self, whole: str, *without: str) -> list[tuple[str, Value, float]]:
        """The parts of a quantity, but for some, that are not nothing, each with its share of their sum."""
        left = [(label, value) for label, value in self.parts(whole) if value.name not in without]
        summed = total(float(value.value or 0) for _, value in left)
        found = [(label, value, float(value.value or 0) / summed) for label, value in left] if summed else []
        return [one for one in found if one[2]]

    def option(self, name: str) -> Scalar:
        """An option of the target that the template belongs to: `value("target.name")`."""
        path = f"{self.target.name}.{name}"
        if path not in self.solution.values:
            raise ValueError(f"`{self.target.name}` has no option `{name}`")
        return self.value(path)

    def varying(self, found: Sequence[Alternative]) -> tuple[str, ...]:
        """The unknowns in which some of several layouts differ, in their order."""
        texts: dict[str, set[str]] = {}
        for one in found:
            for path, text in one.settings:
                texts.setdefault(path, set()).add(text.exact())
        return tuple(path for path, each in texts.items() if len(each) > 1)

    def overridden(self, kind: str) -> list[str]:
        """What a plan says otherwise of the entry that it chooses: `48 layers`."""
        return [
            f"{value.text} {name.partition('.')[2].replace('_', ' ')}"
            for name, value in self.solution.values.items()
            if name.startswith(f"{kind}.")
            and value.role == "input"
            and any(one.layer == "entry" for one in value.others)
        ]

    def value_of(self, name: str) -> Value:
        """All that is known of a value: its band, ranges, origin and sources."""
        return self._present(name)

    def requirement(self, name: str) -> RequirementResult | None:
        """A requirement by its name; None if none is in force."""
        return next((one for one in self.solution.requirements if one.name == name), None)

    def shift(self, moved: Moved) -> str:
        """How far a change moves a result, in the unit that the plan's own has: `-2.5 days`; `0` where it stays."""
        if not moved.difference:
            return "0"
        found = self.solution.values.get(moved.name)
        own = amount(found.text).replace(",", "") if found is not None else ""
        unit = measure(found.text) if found is not None else ""
        if not unit or not _AMOUNT.fullmatch(own) or not float(own):
            return moved.difference
        by = moved.by.number * float(own) / moved.before.number
        return f"{'+' if by > 0 else ''}{number(float(f'{by:.3g}'))} {unit}"

    def thinned(self, rows: Sequence[Row], most: int) -> list[Row]:
        """At most so many rows of a table: its ends, the best one, and evenly spread ones between."""
        if len(rows) <= most:
            return list(rows)
        best = [at for at, row in enumerate(rows) if row.best][:1]
        spread = [round(at * (len(rows) - 1) / (most - 2)) for at in range(most - 1)]
        return [rows[at] for at in sorted({*spread, *best})]

    def absent(self, value: Value) -> str:
        """Why a value is missing: what it needs, or that the catalog lacks it."""
        return "needs " + ", ".join(f"`{name}`" for name in value.needs)

    def emits(self, folder: str) -> bool:
        """True if that folder is written too."""
        return folder in self.folders

    def wrote(self, file: str) -> bool:
        """True if that file is written, and before this one."""
        return file in self.files

    def texts(self) -> list[tuple[str, str]]:
        """Names and texts of the files that are written before this one, but those that hold or start others."""
        return list(self.plain.items())

    def having(self, file: str) -> list[str]:
        """The folders that are written and hold a file of that name, to be included: `launch.j2`, `script.j2`."""
        return [name for name, files in self.parts_of.items() if file in files]

    def picture(self, name: str, form: str) -> str:
        """A picture of the answer as SVG; empty if it has nothing to show, or where the form is `none`."""
        return pictures.picture(self.solution, name, form)

    def untold(self) -> list[tuple[str, Value]]:
        """Inputs that the plan chooses, that the training software must be told of, and that no file has said so far."""
        left = [path for path in self.solution.told if path not in self.reading.read]
        self.reading.listed.update(left)
        return [(path, self.solution.values[path]) for path in left]

    def refuse(self, message: str, hint: str = "") -> None:
        """Stop: the file cannot hold a text that the plan gives. Anything else that it cannot say is a requirement."""
        raise Refused(message, hint)

    def _present(self, name: str) -> Value:
        found = self.solution.values.get(name)
        if found is None:
            raise MissingValue(name)
        if found.value is None:
            raise MissingValue(name, found.needs, found.reason)
        if self.target.when != "always":
            self.reading.read.add(name)
        return found
