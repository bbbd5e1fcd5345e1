"""Texts and places in them: the vocabulary that every stage and every diagnostic shares.

A `Source` is one plan text with the name under which people know it; a `Span` is a half-open
range of its characters. Lines and columns are counted from 1 and computed only when shown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from itertools import accumulate

from attrs import field, frozen

MAX_BYTES = 1_000_000
"""The most that a file may have, in UTF-8."""


class Source:
    """A plan text. Library texts are loaded when a span in them is first shown.

    Args:
        name: What people call it: a path relative to the working folder or the library
            (`plans/std/memory.plan`), `<stdin>` or `--set`.
        text: The text, or a function that loads it.
        library: True for a text that ships with llmplan.
    """

    def __init__(self, name: str, text: str | Callable[[], str], library: bool = False) -> None:
        self.name = name
        self.library = library
        self._text = text

    @cached_property
    def text(self) -> str:
        return self._text if isinstance(self._text, str) else self._text()

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self.text.split("\n")[:-1])]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (from 1) without its line end."""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def __repr__(self) -> str:
        return f"Source({self.name!r})"


@frozen
class Span:
    """Characters `start` to `end` (exclusive) of a source."""

    source: Source = field(repr=lambda source: source.name)
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        """The text of the span."""
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of another of the same source."""
        return Span(self.source, self.start, max(self.end, other.end))

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"
