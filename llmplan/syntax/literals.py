"""From words to numbers and texts: exact values, escapes, and the values shown inside a text."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import Source, Span
from llmplan.syntax import nodes as n
from llmplan.syntax.automaton import Token

Children = list[Any]
Interpolate = Callable[[int, int], "n.Interpolation | None"]

DIGITS = 300
EXPONENT = 300

_MAGNITUDES = {
    "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30,
}  # fmt: skip
_NUMBER = re.compile(r"([0-9_]+)(?:\.([0-9_]+))?(?:[eE]([+-]?[0-9]+))?([A-Za-z]*)\Z")
_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "{": "{"}


class Literals:
    """Actions of the parser for numbers and texts.

    Args:
        interpolate: Parses what stands between two offsets, inside braces in a text.
    """

    def __init__(
        self, source: Source, report: Callable[[Diagnostic], object], interpolate: Interpolate
    ) -> None:
        self.source = source
        self.report = report
        self.interpolate = interpolate

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    def word(self, token: Token) -> n.Word:
        return n.Word(span=Span(self.source, token.start, token.end), text=token.text)

    # Numbers

    def number(self, c: Children, start: int, end: int) -> n.Number:
        return self._number(c[0], c[1], end)

    def _number(self, token: Token, unit: n.Unit | None = None, end: int | None = None) -> n.Number:
        span = self.span(token.start, token.end if end is None else end)
        return n.Number(span=span, value=self._value(token), unit=unit, text=token.text)

    def _value(self, token: Token) -> Fraction:
        text = token.text
        if text.isdigit() and len(text) <= DIGITS:
            if text[0] == "0" and len(text) == 3:
                self._grouped(token)
            return Fraction(int(text))
        found = _NUMBER.match(text)
        assert found is not None
        whole, part, exponent, magnitude = found.groups("")
        whole, part = whole.replace("_", ""), part.replace("_", "")
        if len(whole) + len(part) > DIGITS:
            self.report(syntax.number_too_long(self.span(token.start, token.end), DIGITS))
            return Fraction(0)
        if len(exponent.lstrip("+-0")) > len(str(EXPONENT)) or exponent and abs(int(exponent)) > EXPONENT:
            self.report(syntax.exponent_too_large(self.span(token.start, token.end), EXPONENT))
            return Fraction(0)
        digits = int(whole + part) * _MAGNITUDES.get(magnitude, 1)
        scale = int(exponent or "0") - len(part)
        return Fraction(digits * 10**scale) if scale >= 0 else Fraction(digits, 10**-scale)

    def _grouped(self, token: Token) -> None:
        """`[2,048]` would be read as 2 and 48."""
        text, start = self.source.text, token.start
        if text[start - 2 : start - 1].isdigit() and text[start - 1] == ",":
            first = start - 1
            while first and text[first - 1].isdigit():
                first -= 1
            self.report(syntax.thousands(self.span(start - 1, start), self.span(first, token.end)))

    # Texts

    def text(self, c: Children, start: int, end: int) -> n.Text:
        """A text in which `{sum}` and `{sum in unit}` are values."""
        return n.Text(span=self.span(start, end), parts=self._parts(c[0], interpolate=True))

    def plain(self, token: Token) -> n.Text:
        """A name or path, in which braces mean nothing."""
        return n.Text(span=self.span(token.start, token.end), parts=self._parts(token, interpolate=False))

    def _parts(self, token: Token, interpolate: bool) -> tuple[str | n.Interpolation, ...]:
        text = token.text
        if "\\" not in text and not (interpolate and "{" in text):
            return (text[1:-1],) if len(text) > 2 else ()
        parts: list[str | n.Interpolation] = []
        literal: list[str] = []
        place, last = 1, len(text) - 1
        while place < last:
            char = text[place]
            if char == "\\":
                escaped = text[place + 1]
                if escaped not in _ESCAPES:
                    self.report(syntax.bad_escape(self.span(token.start + place, token.start + place + 2)))
                literal.append(_ESCAPES.get(escaped, escaped))
                place += 2
            elif char == "{" and interpolate:
                close = _closing(text, place, last)
                if close is None:
                    opening = token.start + place
                    self.report(syntax.unclosed_interpolation(self.span(opening, opening + 1)))
                    break
                if literal:
                    parts.append("".join(literal))
                    literal = []
                shown = self.interpolate(token.start + place + 1, token.start + close)
                if shown is None:
                    break
                parts.append(shown)
                place = close + 1
            else:
                literal.append(char)
                place += 1
        if literal:
            parts.append("".join(literal))
        return tuple(parts)


def _closing(text: str, opening: int, end: int) -> int | None:
    depth = 0
    for place in range(opening, end):
        if text[place] == "{":
            depth += 1
        elif text[place] == "}":
            depth -= 1
            if not depth:
                return place
    return None
