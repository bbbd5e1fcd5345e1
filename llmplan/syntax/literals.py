"""From tokens to numbers and texts: exact values, escapes, and the values shown inside a text."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from lark import Token

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import Source, Span
from llmplan.syntax import nodes as n

Interpolate = Callable[[int, int], "n.Interpolation | None"]

DIGITS = 300
EXPONENT = 300
LEAST_EXPONENT = -324  # of the smallest number above 0, which an answer may be

_MAGNITUDES = {"K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
_NUMBER = re.compile(r"([0-9_]+)(?:\.([0-9_]+))?(?:[eE]([+-]?[0-9]+))?([A-Za-z]*)\Z")
_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "{": "{"}


def token_span(source: Source, token: Token) -> Span:
    """The span of a token. Tokens that Lark creates have positions."""
    return Span(source, token.start_pos or 0, token.end_pos or 0)


class Literals:
    """Builds the nodes of words, numbers and texts; `interpolate` parses the content of braces in a text."""

    def __init__(self, source: Source, report: Callable[[Diagnostic], object], interpolate: Interpolate) -> None:
        self.source, self.report, self.interpolate = source, report, interpolate

    def word(self, token: Token) -> n.Word:
        return n.Word(span=token_span(self.source, token), text=token.value)

    # Numbers

    def number(self, token: Token, unit: n.Unit | None = None) -> n.Number:
        span = token_span(self.source, token)
        whole = span if unit is None else span.to(unit.span)
        return n.Number(span=whole, value=self._value(token.value, span), unit=unit, text=token.value)

    def _value(self, text: str, span: Span) -> Fraction:
        if text.isdigit() and len(text) <= DIGITS:
            if text[0] == "0" and len(text) == 3:
                self._grouped(span)
            return Fraction(int(text))
        found = _NUMBER.match(text)
        assert found is not None
        whole, part, exponent, magnitude = found.groups("")
        whole, part = whole.replace("_", ""), part.replace("_", "")
        if len(whole) + len(part) > DIGITS:
            self.report(syntax.number_too_long(span, DIGITS))
            return Fraction(0)
        many = len(exponent.lstrip("+-0")) > len(str(EXPONENT))
        if many or not LEAST_EXPONENT <= int(exponent or "0") <= EXPONENT:
            self.report(syntax.exponent_too_large(span, EXPONENT))
            return Fraction(0)
        digits = int(whole + part) * _MAGNITUDES.get(magnitude, 1)
        scale = int(exponent or "0") - len(part)
        return Fraction(digits * 10**scale) if scale >= 0 else Fraction(digits, 10**-scale)

    def _grouped(self, group: Span) -> None:
        """Reports `[2,048]`, which would be read as 2 and 48."""
        text, start = self.source.text, group.start
        if text[start - 2 : start - 1].isdigit() and text[start - 1] == ",":
            first = start - 1
            while first and text[first - 1].isdigit():
                first -= 1
            number = Span(self.source, first, group.end)
            self.report(syntax.thousands(Span(self.source, start - 1, start), number))

    # Texts

    def text(self, token: Token, interpolate: bool = True) -> n.Text:
        """A text in which `{sum}` and `{sum in unit}` are values; in a name or path, braces are ordinary characters."""
        span = token_span(self.source, token)
        return n.Text(span=span, parts=self._parts(token.value, span.start, interpolate))

    def _parts(self, text: str, start: int, interpolate: bool) -> tuple[str | n.Interpolation, ...]:
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
                    self.report(syntax.bad_escape(Span(self.source, start + place, start + place + 2)))
                literal.append(_ESCAPES.get(escaped, escaped))
                place += 2
            elif char == "{" and interpolate:
                close = _closing(text, place, last)
                if close is None:
                    opening = Span(self.source, start + place, start + place + 1)
                    self.report(syntax.unclosed_interpolation(opening))
                    break
                if literal:
                    parts.append("".join(literal))
                    literal = []
                shown = self.interpolate(start + place + 1, start + close)
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
