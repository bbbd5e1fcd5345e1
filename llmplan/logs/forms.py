"""The formats of logs, as `templates/*/log.plan` describe them.

A `kind` with `@syntax` is one form of line, or of record: the words by which it is known, and what stands where in it.
`entry log` says what that means: steps, memory, saves, parts of a step, inputs of a plan. Nothing of a format is said
in Python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache, lru_cache

from attrs import field, frozen

from llmplan.logs import number
from llmplan.logs.formula import Formula, Printed, Unsaid, Value, compiled, reads
from llmplan.resources import LOG, entries, folder, text_of
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.decorators import said
from llmplan.syntax.parse import parse
from llmplan.syntax.statements import Statements

_ENTRY = "log"
_SPACE = r"[ \t]*(?:\.{2,}[ \t]*)?[:=]?[ \t]*"
"""Between a label and its number: spaces, the dots of a table, a colon or an equals sign."""

_QUOTE = r"['\"]?"
_TEXT = r"([^\s,;|'\"\]\)]{1,200})"
SPECIAL = frozenset({"Text", "Bool", "clock"})
"""Types of keys that are no number with a unit. A key of the type `byte` is in the unit that is printed behind it, one
of another unit in that one, whatever is printed: DeepSpeed's GB are of 2^30 bytes."""


@frozen
class LogKey:
    """What stands in a line behind a label.

    Attributes:
        names: Its labels in lines, `#` for a number between; in records the patterns of its key.
        patterns: Of each label a text that must be there, and the expression that finds the value.
        factor: Base units in one of the unit in which it is printed.
    """

    name: str
    names: tuple[str, ...]
    type: str
    factor: float
    patterns: tuple[tuple[str, re.Pattern[str]], ...]

    def find(self, line: str) -> Value | None:
        """Its value in a line; None where it is not there."""
        for begin, pattern in self.patterns:
            place = line.find(begin)
            while place >= 0:
                if place == 0 or not begin[0].isalnum() or not (line[place - 1].isalnum() or line[place - 1] == "_"):
                    found = pattern.match(line, place)
                    if found is not None:
                        return self._value(found)
                place = line.find(begin, place + 1)
        return None

    def of(self, value: object) -> Value | None:
        """Its value as a record holds it, a number or a text."""
        if isinstance(value, bool):
            return value
        if isinstance(value, float) and self.type == "Text" and not math.isfinite(value):
            return str(value)
        if isinstance(value, (int, float)):
            return number.sane(value * self.factor) if abs(value) < number.MOST else None
        if not isinstance(value, str) or self.type == "Text":
            return value if isinstance(value, str) else None
        if self.type in SPECIAL:
            return number.clock(value) if self.type == "clock" else number.truth(value)
        found = _ALONE.fullmatch(value.strip()[:100])
        return self._value(found) if found is not None else None

    def _value(self, found: re.Match[str]) -> Value | None:
        if self.type == "Text":
            return found[1]
        if self.type == "Bool":
            return number.truth(found[1])
        if self.type == "clock":
            return number.clock(found[1])
        digits, unit, magnitude = found[1], found["size"], found["magnitude"]
        if self.type == "byte":
            return number.sane(number.size(digits, unit, magnitude))
        return number.sane(number.plain(digits, magnitude) * self.factor)


_BEHIND = rf"({number.NUMBER})(?:[ ]?(?P<size>{number.SIZE})|(?P<magnitude>[KMGBT])(?![A-Za-z0-9]))?"
_ALONE = re.compile(_BEHIND + r"(?:[ ]?[^\s\d].{0,20})?")


@frozen
class LogForm:
    """One form of line, or of record.

    Attributes:
        words: Alternatives, each the texts that must be in the line, with `!` those that must not; of a record keys.
        start: Where one line may hold several of these, the text that begins each.
        block: Whether the lines behind it, up to the next, belong to it.
        kept: Whether formulas of later lines read what the last line of it said.
    """

    kind: str
    syntaxes: frozenset[str]
    words: tuple[tuple[str, ...], ...]
    start: str
    block: bool
    kept: bool
    keys: tuple[LogKey, ...]

    @property
    def guards(self) -> tuple[str, ...]:
        """Of each alternative a text without which no line fits it."""
        return tuple(max((w for w in words if w[0] != "!"), key=len, default="") for words in self.words)

    def fits(self, line: str) -> bool:
        """Whether a line is of this form."""
        for words in self.words:
            for word in words:
                if word[0] == "!":
                    if word[1:] in line:
                        break
                elif word not in line:
                    break
            else:
                return True
        return False

    def fits_keys(self, keys: Mapping[str, object]) -> bool:
        """Whether a record is of this form."""
        return any(
            all(any(fnmatchcase(key, word.lstrip("!")) for key in keys) is not word.startswith("!") for word in words)
            for words in self.words
        )

    def read(self, line: str) -> dict[str, Value]:
        """What a line of this form says."""
        found = {}
        for key in self.keys:
            value = key.find(line)
            if value is not None:
                found[key.name] = value
        return found

    def pieces(self, line: str) -> list[str]:
        """The line, or each of several that ran together in it."""
        if not self.start or line.count(self.start) < 2:
            return [line]
        _, *rest = line.split(self.start)
        return [f"{self.start}{one}" for one in rest]

    def of_record(self, record: Mapping[str, object]) -> dict[str, Value]:
        """What a record says: of several keys that a name fits the first."""
        found: dict[str, Value] = {}
        for key in self.keys:
            for name in key.names:
                held = record[name] if name in record else _fitting(name, record)
                value = key.of(held) if held is not None and held != "" else None
                if value is not None:
                    found[key.name] = value
                    break
        return found


def _fitting(pattern: str, record: Mapping[str, object]) -> object:
    if not any(mark in pattern for mark in "*?["):
        return None
    return next((value for key, value in record.items() if fnmatchcase(key, pattern) and value not in ("", None)), None)


@frozen
class LogFormat:
    """What the lines of one piece of software mean.

    Attributes:
        meanings: By form what it tells: a role (`step.time`, `memory.reserved`) or an input, and its formula.
        over: Formats whose steps give way to this one's where both are in a log.
        prints: What a log need not hold, with the switch that makes the software print it, and in which log that is;
            empty where each has it.
    """

    name: str
    folder: str
    release: str
    forms: tuple[LogForm, ...]
    meanings: Mapping[str, tuple[tuple[str, Formula], ...]]
    over: frozenset[str]
    prints: tuple[tuple[str, str, str], ...]
    aliases: frozenset[str] = field(factory=frozenset)

    def tells(self, form: str, values: Mapping[str, Value], kept: Printed) -> dict[str, Value]:
        """What a line means, after lines of kept forms."""
        printed: Printed = {**kept, form: values}
        found = {}
        for role, formula in self.meanings.get(form, ()):
            try:
                value = formula(printed)
            except Unsaid:
                continue
            if not isinstance(value, float) or number.sane(value) is not None:
                found[role] = value
        return found


def texts() -> tuple[tuple[str, str, str], ...]:
    """Every `log.plan` of the library: its folder, its name as people see it, and its text."""
    found = []
    for place in entries(folder("templates"), "templates"):
        file = place.joinpath(LOG)
        if file.is_file():
            name = f"templates/{place.name}/{LOG}"
            found.append((place.name, name, text_of(file, name)))
    return tuple(found)


def formats() -> tuple[LogFormat, ...]:
    """Those of the library, by the names of their folders."""
    return _formats(texts())


@lru_cache(maxsize=2)
def _formats(of: tuple[tuple[str, str, str], ...]) -> tuple[LogFormat, ...]:
    factor = factors()
    return tuple(format for text in of for format in read(*text, factor))


def factors() -> Callable[[str], float]:
    """The base units in a unit, as the library has it."""
    from llmplan.check import library

    scope, _, broken = library.load(tables=False)
    assert not broken, broken

    @cache
    def factor(unit: str) -> float:
        return 1.0 if unit in ("Int", "Real") or unit in SPECIAL else float(scope.units.parse(unit)[0])

    return factor


def read(folder: str, name: str, text: str, factor: Callable[[str], float]) -> Iterator[LogFormat]:
    """What a sound `log.plan` says."""
    tree, problems = parse(Source(name, text, library=True))
    assert not problems, problems
    of = Statements.of(tree.statements)
    forms = {kind.name.text: _form(kind, factor) for kind in of.kinds if said(kind.decorators, "syntax")}
    for entry in of.entries:
        if entry.kind.text != _ENTRY:
            continue
        meanings: dict[str, list[tuple[str, Formula]]] = {}
        for line in entry.fields:
            formula = compiled(line.value, forms, factor)
            for form in sorted(reads(line.value, forms)):
                meanings.setdefault(form, []).append((line.name.text, formula))
        title = entry.name.plain or ""
        yield LogFormat(
            name=title,
            folder=folder,
            release=" ".join(word for words in said(entry.decorators, "release") for word in words),
            forms=tuple(forms[one] for one in forms if one in meanings),
            meanings={form: tuple(lines) for form, lines in meanings.items()},
            over=frozenset(one for names in said(entry.decorators, "over") for one in names),
            prints=tuple((words[0], words[1], "".join(words[2:])) for words in said(entry.decorators, "prints")),
            aliases=frozenset({folder, title.lower(), *(n for ns in said(entry.decorators, "names") for n in ns)}),
        )


def _form(kind: nodes.Kind, factor: Callable[[str], float]) -> LogForm:
    syntaxes = frozenset(word for words in said(kind.decorators, "syntax") for word in words)
    keys = []
    for one in kind.fields:
        type = one.types[0].text
        names = tuple(name for names in said(one.decorators, "key") for name in names) or (one.name.text,)
        patterns = tuple(_pattern(name, type) for name in names) if "lines" in syntaxes else ()
        keys.append(LogKey(one.name.text, names, type, factor(type), patterns))
    return LogForm(
        kind=kind.name.text,
        syntaxes=syntaxes,
        words=tuple(tuple(words) for words in said(kind.decorators, "recognised")),
        start=next((text for texts in said(kind.decorators, "start") for text in texts), ""),
        block=bool(said(kind.decorators, "block")),
        kept=bool(said(kind.decorators, "kept")),
        keys=tuple(keys),
    )


def _pattern(label: str, type: str) -> tuple[str, re.Pattern[str]]:
    """The text that a label begins with, and the expression that reads on from there to the value."""
    pieces = label.split("#")
    middle = rf"[ \t]*{number.NUMBER}[ \t]*".join(_label(piece) for piece in pieces)
    if type in ("Text", "Bool"):
        value = _QUOTE + _TEXT
    elif type == "clock":
        value = rf"{_QUOTE}(\d[\d:.dhms, ay-]{{0,40}})"
    else:
        value = _QUOTE + _BEHIND
    return pieces[0].split(maxsplit=1)[0], re.compile(middle + _SPACE + value)


def _label(text: str) -> str:
    return "".join(_SPACE if part == " " else re.escape(part) for part in re.split("( )", text))
