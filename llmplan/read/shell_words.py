"""The words of a shell script with their variables, arithmetic and command substitutions replaced, as far as it tells.

Nothing is run: what only a run would tell is unknown (`UNKNOWN`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate

from attrs import field, frozen, mutable

from llmplan.read import shell_nodes as nodes
from llmplan.read.document import UNKNOWN, Unreadable
from llmplan.read.flags import Word
from llmplan.read.shell_arithmetic import NoNumber, calculated
from llmplan.read.shell_lexer import word_of
from llmplan.read.shell_syntax import parse
from llmplan.units import amount

Scalar = tuple[Word, ...]
"""A text in pieces, each with the line that it comes from."""


@frozen
class Array:
    items: tuple[Scalar, ...]


Value = Scalar | Array

STEPS = 10_000
"""Of commands and of words that must be replaced, each."""
ROUNDS = 64
"""Of a loop."""


def text_of(value: Value | None) -> str:
    if value is None:
        return UNKNOWN
    pieces = (value.items[0] if value.items else ()) if isinstance(value, Array) else value
    return "".join(piece.text for piece in pieces)


@mutable
class Words:
    """The state of a shell, and what a word is in it.

    Attributes:
        arguments: Those of the script and of each function that is being read, `$0` first.
        foreign: Whether a file that is not given may have set variables. Else an array that nothing sets is empty:
            no environment holds one.
    """

    variables: dict[str, Value] = field(factory=dict)
    arguments: list[list[Scalar]] = field(factory=list)
    steps: int = 0
    calls: int = 0
    foreign: bool = False

    def text(self, word: nodes.Word) -> Scalar:
        """A word as one text, as in an assignment."""
        pieces: list[Word] = []
        for part in word:
            if part.kind == "text":
                pieces.append(Word(part.text, part.line))
            else:
                for number, value in enumerate(self._values(part)):
                    pieces += [Word(" ", part.line)] if number else []
                    pieces += value
        return tuple(pieces)

    def fields(self, word: nodes.Word) -> list[Scalar]:
        """The words that a word becomes: one, or as many as there are where a variable stands without quotes."""
        found: list[Scalar] = []
        current: list[Word] | None = None
        many = any(part.kind == "variable" and (part.text == "@" or part.rest.startswith("[@]")) for part in word)
        for part in word:
            if part.kind == "text":
                if many and not part.text:
                    continue  # `"$@"` and `"${list[@]}"` are no word at all where there is nothing
                current = current or []
                current.append(Word(part.text, part.line))
                continue
            for number, value in enumerate(self._values(part)):
                if number:
                    if current is not None:
                        found.append(tuple(current))
                    current = None
                if part.quoted:
                    current = current or []
                    current += value or (Word("", part.line),)
                    continue
                for piece in value:
                    first, *others = re.split(r"\s+", piece.text)
                    if first:
                        current = current or []
                        current.append(Word(first, piece.line))
                    for other in others:
                        if current is not None:
                            found.append(tuple(current))
                        current = [Word(other, piece.line)] if other else None
        if current is not None:
            found.append(tuple(current))
        return found

    def _values(self, part: nodes.Part) -> list[Scalar]:
        self.steps += 1
        if self.steps > STEPS:
            raise Unreadable(f"it has more than {amount.count(STEPS)} words that must be replaced")
        if part.kind == "arithmetic":
            return [self._number(part.text, part.line)]
        if part.kind == "command":
            return [self._output(part)]
        found = self._variable(part)
        if not part.quoted or not (part.text == "*" or part.rest.startswith("[*]")):
            return found
        # `"$*"` and `"${list[*]}"` are one word.
        between = Word(" ", part.line)
        return [tuple(piece for number, one in enumerate(found) for piece in ((between, *one) if number else one))]

    def _set(self, name: str) -> Value | None:
        if name.isdigit():
            given = self.arguments[-1] if self.arguments else []
            return given[int(name)] if int(name) < len(given) else None
        return self.variables.get(name)

    def _variable(self, part: nodes.Part) -> list[Scalar]:
        name, rest = part.text, part.rest
        if name in ("@", "*"):
            first = re.fullmatch(r":([1-9]\d{0,5})", rest)
            return self.arguments[-1][int(first[1]) if first else 1 :] if self.arguments else []
        if name == "#":  # a script that is read by itself is started without any
            return [(Word(str(max(0, len(self.arguments[-1]) - 1) if self.arguments else 0), part.line),)]
        if name in ("?", "$", "!", "-"):
            return [(Word(UNKNOWN, part.line),)]
        value = self._set(name)
        unknown: Scalar = (Word(UNKNOWN, part.line),)
        if rest == "#" or rest.startswith("#["):
            if isinstance(value, Array):
                return [(Word(str(len(value.items)), part.line),)]
            return [unknown if value is None else (Word(str(len(text_of(value))), part.line),)]
        if rest.startswith("!"):
            return [unknown]
        if rest.startswith("["):
            index, _, rest = rest[1:].partition("]")
            if index in ("@", "*"):
                items = list(value.items) if isinstance(value, Array) else [] if value is None else [value]
                return items if value is not None or not self.foreign else [unknown]
            number = text_of(self._number(index, part.line))
            items = list(value.items) if isinstance(value, Array) else [value] if isinstance(value, tuple) else []
            value = items[int(number)] if number.isdecimal() and int(number) < len(items) else None
        if isinstance(value, Array):
            value = value.items[0] if value.items else ()
        if not rest:
            return [unknown if value is None else value]
        found = self._changed(value, rest, part.line)
        if rest.startswith((":=", "=")) and found is not value and name.isidentifier():
            self.variables[name] = found
        return [found]

    def _changed(self, value: Scalar | None, rest: str, line: int) -> Scalar:
        """A variable with what stands behind its name in braces."""
        unknown: Scalar = (Word(UNKNOWN, line),)
        form = re.match(r"(:?[-=?+])(.*)", rest, re.DOTALL)
        if form is not None:
            empty = value is None or (form[1].startswith(":") and not text_of(value))
            other = self.text(word_of(form[2], line))
            if form[1].endswith("+"):
                return () if empty else other
            if form[1].endswith("?"):
                return unknown if empty or value is None else value
            return other if empty or value is None else value
        if value is None or UNKNOWN in text_of(value):
            return unknown
        text = text_of(value)
        at = value[0].line if value else line
        if rest in (",,", "^^"):
            return (Word(text.lower() if rest == ",," else text.upper(), at),)
        replace = re.match(r"(//?)([^/]*)/?(.*)", rest, re.DOTALL)
        if replace is not None and replace[2]:
            old, new = (text_of(self.text(word_of(one, line))) for one in (replace[2], replace[3]))
            return (Word(text.replace(old, new, -1 if replace[1] == "//" else 1), at),)
        cut = re.match(r"(##?|%%?)(.+)", rest, re.DOTALL)
        if cut is not None:
            return (Word(_cut(text, cut[1], text_of(self.text(word_of(cut[2], line)))), at),)
        part = re.fullmatch(r":(\d+)(?::(\d+))?", rest)
        if part is not None:
            start = int(part[1])
            return (Word(text[start : start + int(part[2])] if part[2] else text[start:], at),)
        return unknown

    def _number(self, text: str, line: int) -> Scalar:
        """Arithmetic on whole numbers, unknown where it reads something unknown."""

        def value(found: re.Match[str]) -> str:
            name = found[1] or found[2] or found[3]
            given = text_of(self._set(name)).strip()
            return given if re.fullmatch(r"-?\d{1,18}", given) else "unknown"

        plain = re.sub(r"\$\{([A-Za-z_]\w*|\d)\}|\$([A-Za-z_]\w*|\d)|\b([A-Za-z_]\w*)\b", value, text)
        if "$" in plain:  # what is in braces or brackets of its own
            plain = text_of(self.text(word_of(text, line)))
            plain = re.sub(r"\b()()([A-Za-z_]\w*)\b", value, plain)
        try:
            return (Word(str(calculated(plain)), line),)
        except NoNumber:
            return (Word(UNKNOWN, line),)

    def _output(self, part: nodes.Part) -> Scalar:
        """What a command in `$(…)` prints, as far as its text tells."""
        unknown: Scalar = (Word(UNKNOWN, part.line),)
        self.calls += 1
        if self.calls > STEPS or len(part.text) > 2000:
            return unknown
        inner = parse(part.text, part.line)
        if len(inner.body) != 1 or not isinstance(inner.body[0], nodes.Simple) or inner.odd:
            return unknown
        words = [text_of(field) for word in inner.body[0].words for field in self.fields(word)]
        match words:
            case ["echo", *said]:
                return (Word(" ".join(said), part.line),)
            case ["expr", *terms]:
                return self._number(" ".join(terms), part.line)
            case ["seq", low, high] if low.isdecimal() and high.isdecimal() and int(high) - int(low) < ROUNDS:
                return (Word(" ".join(str(n) for n in range(int(low), int(high) + 1)), part.line),)
        return unknown


def _cut(text: str, sign: str, pattern: str) -> str:
    """A text without the prefix (`#`) or suffix (`%`) that fits a pattern; the longest where the sign is doubled."""
    fits = re.compile(translate(pattern))
    ends: Iterable[int] = range(len(text) + 1)
    if (len(sign) == 2) is (sign[0] == "#"):
        ends = reversed(range(len(text) + 1))
    for end in list(ends)[:2000]:
        if sign[0] == "#" and fits.match(text[:end]):
            return text[end:]
        if sign[0] == "%" and fits.match(text[end:]):
            return text[:end]
    return text
