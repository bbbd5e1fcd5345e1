"""The context of a syntax error: the unexpected word, what was read before it, and what was expected."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from attrs import define
from lark.parsers.lalr_interactive_parser import InteractiveParser

from llmplan.source import Source, Span
from llmplan.syntax.grammar import END, Grammar

_MARKS = ("=", ":", "{", "(", ")", "]", "}", "=>", "->", "in", "then", "else", "for", "when", ",")


@define(slots=False)
class ErrorContext:
    """A word that does not fit: its terminal, its position, and what the parser had read before it."""

    grammar: Grammar
    source: Source
    kind: str
    start: int
    end: int
    before: tuple[str, int, int]  # terminal, start and end of the word before it in this item; empty if none
    item: int  # where the statement, field or arm begins
    opened: int | None  # where the innermost open bracket is
    parser: InteractiveParser  # its state before the token

    @property
    def span(self) -> Span:
        return Span(self.source, self.start, self.end)

    @property
    def last(self) -> Span:
        return Span(self.source, self.before[1], self.before[2])

    @property
    def mark(self) -> str:
        """The text of the word, if its terminal has only one spelling."""
        return self.grammar.marks.get(self.kind, "")

    @property
    def mark_before(self) -> str:
        return self.grammar.marks.get(self.before[0], "")

    @property
    def glued(self) -> bool:
        """Whether this word directly follows the one before."""
        return self.before[2] == self.start

    def accepts(self, kind: str) -> bool:
        """Whether a word of this terminal would fit here."""
        return kind in self._accepted

    @cached_property
    def _accepted(self) -> set[str]:
        return set(self.parser.accepts())

    def takes(self, mark: str) -> bool:
        """Whether a word with this text would fit here."""
        return any(self.accepts(kind) for kind, text in self.grammar.marks.items() if text == mark)


def expected(context: ErrorContext) -> str:
    """What was expected: at most three things, in words."""
    found = list(_expectations(context))[:3]
    return found[0] if len(found) == 1 else ", ".join(found[:-1]) + " or " + found[-1] if found else ""


def _expectations(context: ErrorContext) -> Iterator[str]:
    if context.accepts("QUANTITY"):
        yield "a statement" if context.accepts("LET") else "a declaration"
        return
    if context.accepts("NUMBER"):
        yield "a value"
    elif context.accepts("NAME"):
        yield "a name"
    if context.accepts("TEXT") and not context.accepts("NUMBER"):
        yield "text in quotes"
    if context.accepts("MEASURE") and context.before[0] != "NUMBER":
        yield "a type" if context.mark_before in (":", "->", "or") else "a unit"
    if context.accepts("PLUS") and not context.accepts("NUMBER"):
        yield "an operator"
    kinds = {mark: kind for kind, mark in context.grammar.marks.items()}
    for mark in _MARKS:
        if context.accepts(kinds[mark]) and not (mark == "(" and context.accepts("NUMBER")):
            yield "`:` and a type" if mark == ":" else f"`{mark}`"
    if context.accepts(END) or context.accepts("_NL") and context.accepts("RBRACE"):
        yield "the end of the line"
