"""A template's view of a solution: values by name, its options, and ways to refuse.

A name without a value stops the template, so that files never have holes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from attrs import define, evolve, field, frozen

from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Value
from llmplan.emit.targets import Target
from llmplan.present import pictures
from llmplan.present.blocks import Section
from llmplan.present.context import Context
from llmplan.present.localize import localized
from llmplan.present.markdown import SHOWN, markdown
from llmplan.present.sections import SECTIONS
from llmplan.present.words import USUAL, words_of
from llmplan.units.measure import Scalar

NAMES = (
    "value", "number", "whole", "text", "get", "has", "authored", "option", "emits", "wrote",
    "texts", "having", "untold", "refuse", "value_of", "picture", "section", "heading", "fingerprint", "solution",
)  # fmt: skip
"""The names of a `View` that a template may read and call."""


FINGERPRINT = "\ufdd0fingerprint\ufdd0"
"""What stands in a file for its own hash until it is whole: between characters that no text has a use for."""


@define
class MissingValue(Exception):
    """A template reads `name`, which has no value; `needs` and `reason` say why."""

    name: str
    needs: tuple[str, ...] = ()
    reason: str = ""


@define
class Refused(Exception):
    """A template finds that its format cannot express the plan."""

    message: str
    hint: str


@define
class Reading:
    """The inputs that the files of a plan contain so far, except files that are always written.

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

    def fingerprint(self) -> str:
        """The hash of what this file says: it stays as it is where a change of the plan leaves the file as it is."""
        return FINGERPRINT

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
        """True if the plan itself, or a stronger layer, gives the value."""
        return self.has(name) and self.solution.values[name].authored

    def option(self, name: str) -> Scalar:
        """An option of the target that the template belongs to: `value("target.name")`."""
        path = f"{self.target.name}.{name}"
        if path not in self.solution.values:
            raise ValueError(f"`{self.target.name}` has no option `{name}`")
        return self.value(path)

    def value_of(self, name: str) -> Value:
        """Everything known about a value: `value_of("time").amount.short()`, its band, ranges, origin and sources."""
        return self._present(name)

    def section(self, name: str, heading: bool = True) -> str:
        """A section of the answer as Markdown below a blank line, empty without blocks; or its text alone."""
        section = self._section(name)
        if not heading:
            return markdown(evolve(section, title=""), SHOWN[name])
        text = markdown(section, SHOWN[name])
        return f"\n{text}" if text else ""

    def heading(self, name: str) -> str:
        """The heading of a section."""
        return self._section(name).title

    def _language(self) -> str:
        """The language of the report, whatever that of the terminal is."""
        said = self.solution.values.get("report.language")
        return USUAL if said is None or not isinstance(said.value, str) else said.value

    def emits(self, folder: str) -> bool:
        """True if that folder is written too."""
        return folder in self.folders

    def wrote(self, file: str) -> bool:
        """True if that file is written, and before this one."""
        return file in self.files

    def texts(self) -> list[tuple[str, str]]:
        """Names and texts of the files that are written before this one, except those that embed or start others."""
        return list(self.plain.items())

    def having(self, file: str) -> list[str]:
        """The folders that are written and hold a file of that name, to be included: `launch.j2`, `script.j2`."""
        return [name for name, files in self.parts_of.items() if file in files]

    def picture(self, name: str, form: str) -> str:
        """A picture of the answer as SVG; empty without data, or if the form is `none`."""
        return pictures.picture(self._context(), name, form)

    def untold(self) -> list[tuple[str, Value]]:
        """Inputs that the plan sets and the training software must know, but that no file contains yet."""
        left = [path for path in self.solution.told if path not in self.reading.read]
        self.reading.listed.update(left)
        return [(path, self.solution.values[path]) for path in left]

    def refuse(self, message: str, hint: str = "") -> None:
        """Stops: the file cannot hold a text of the plan. Any other limit of the format is a requirement."""
        raise Refused(message, hint)

    def _section(self, name: str) -> Section:
        if name not in SHOWN:
            raise ValueError(f"there is no section `{name}`, but {', '.join(SHOWN)}")
        context = self._context()
        return localized(SECTIONS[name](context), context.words)

    def _context(self) -> Context:
        return Context(self.solution, words_of(self._language()), self.folders, self.files)

    def _present(self, name: str) -> Value:
        found = self.solution.values.get(name)
        if found is None:
            raise MissingValue(name)
        if found.value is None:
            raise MissingValue(name, found.needs, found.reason)
        if self.target.when != "always":
            self.reading.read.add(name)
        return found
