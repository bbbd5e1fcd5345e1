"""A JSON object as literals of the language: by dotted key each value with the place where it stands.

Only plain data is read. What a formula cannot mean is left out: null, long texts, and of a list all but its length,
how often it holds each word, and the number that all its items are. Of a text stands also how often it holds each
letter.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from llmplan.load.json_hints import Slip, slip
from llmplan.source import Source, Span
from llmplan.syntax import nodes

_DEPTH = 4  # objects inside objects that are looked into
EACH = "each"
"""The key under which a list gives the number that all its items equal; a plain number gives itself."""

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class NotAnObject(Exception):
    """A text that is not a JSON object; the reason in a few words, and where and what it is if it is a slip."""

    def __init__(self, why: str, slip: Slip | None = None) -> None:
        super().__init__(why)
        self.slip = slip


def literals(source: Source) -> tuple[dict[str, nodes.Expr], str, dict[str, Span]]:
    """The values of an object by dotted key, and what it holds, the same for every way to write it.

    Of keys that are repeated the last counts; also the places of those before.

    Raises:
        NotAnObject: if the text is none, nests too deeply or has a number that is not finite.
    """
    try:
        data = json.loads(source.text, parse_constant=float)
        if not isinstance(data, dict):
            raise NotAnObject("it is not a JSON object")
        values, repeated, seen = dict[str, nodes.Expr](), dict[str, Span](), set[int]()
        for key, value in _object(source, _skip(source.text, 0), "", _DEPTH):
            before = values.get(key)
            if before is not None and before.span.start not in seen:  # of a list only its own key
                repeated[key] = before.span
                seen.add(before.span.start)
            values[key] = value
        return values, json.dumps(data, sort_keys=True), repeated
    except json.JSONDecodeError as error:
        if error.doc != source.text:  # not a number, and without a place in the text
            raise NotAnObject(error.msg) from None
        found = slip(source.text, error.pos, error.msg)
        raise NotAnObject(found.cause, found) from None
    except (ValueError, OverflowError) as error:
        raise NotAnObject(getattr(error, "msg", "") or "a number in it is too large") from None
    except RecursionError:
        raise NotAnObject("it is nested too deeply") from None


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _object(source: Source, at: int, prefix: str, depth: int) -> Iterator[tuple[str, nodes.Expr]]:
    """By dotted key what the sound object that begins `at` a place holds, as literals with their places."""
    text = source.text
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, end) + 1)  # behind the colon
        value, end = _DECODER.raw_decode(text, at)
        if isinstance(value, dict):
            if depth:
                yield from _object(source, at, f"{prefix}{key}.", depth - 1)
        else:
            yield from _literals(prefix + key, value, Span(source, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _literals(key: str, value: Any, span: Span) -> Iterator[tuple[str, nodes.Expr]]:
    """A value; of a text how often it holds each letter; of a list its length, how often it holds each word, and the
    number that all items are. Long texts and odd signs mean nothing here, nor does an `Infinity` in a list."""
    if isinstance(value, bool):
        yield key, nodes.Bool(span=span, value=value)
    elif isinstance(value, float) and not math.isfinite(value) and not span.text[-1].isdigit():
        raise json.JSONDecodeError(f"it contains {span.text}, which is not a number", span.text, 0)
    elif isinstance(value, (int, float)):
        yield key, _number(value, span)
    elif isinstance(value, str):
        if _is_word(value):
            yield key, nodes.Text(span=span, parts=(value,))
            for letter, count in Counter(value).items():
                yield f"{key}.{letter}", _number(count, span)
    elif isinstance(value, list):
        yield key, _number(len(value), span)
        listed = Counter(item for item in value if isinstance(item, str) and _is_word(item))
        for word, count in listed.items():
            yield f"{key}.{word}", _number(count, span)
        if value and _is_number(value[0]) and all(_is_number(item) and item == value[0] for item in value):
            yield f"{key}.{EACH}", _number(value[0], span)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_word(text: str) -> bool:
    return len(text) <= 100 and text.isprintable()


def _number(value: float, span: Span) -> nodes.Expr:
    if not math.isfinite(value):
        raise OverflowError
    number = nodes.Number(span=span, value=Fraction(abs(value)), unit=None, text=str(abs(value)))
    return number if value >= 0 else nodes.Negative(span=span, operand=number)
