"""Runs the LALR(1) tables over the words of a text and builds the tree on the way.

A syntax error is reported and the parser goes on: it goes back to the last place where a statement,
field or arm could begin, skips to the next such place, and keeps what it built before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import Source, Span
from llmplan.syntax import lines, mistakes
from llmplan.syntax.error_context import ErrorContext
from llmplan.syntax.lexer import CLOSE, NESTING, OPEN, Lexer, TooDeep
from llmplan.syntax.tables import END, Tables

_STACK = 16 * NESTING  # more entries than a text nested `NESTING` deep needs
_RECOVERIES = 100

Action = Callable[[list[Any], int, int], Any]
BoundRule = tuple[str, int, Action | None, bool, tuple[tuple[int, bool], ...], int]

_COUNTED = {
    "conditional", "disjunction", "conjunction", "inversion", "comparison", "member", "range", "estimate",
    "sum", "product", "negative", "power", "index", "call", "fold", "list", "paren", "match",
}  # fmt: skip
"""Rules that nest."""


class Token(NamedTuple):
    """A word that the tree keeps."""

    kind: str
    text: str
    start: int
    end: int


def bind(tables: Tables, action: Callable[[str], Action | None]) -> list[BoundRule]:
    """The rules with what makes a node of children, start and end."""
    return [
        (origin, size, action(name) if name else None, single, picks, int(name in _COUNTED))
        for origin, size, name, single, picks in tables.rules
    ]


class Automaton:
    """One run over one text.

    Args:
        report: Takes a diagnostic; says False if there were enough.
        recover: Go on after an error; else the first one ends the run without a result.
    """

    def __init__(
        self,
        tables: Tables,
        source: Source,
        lexer: Lexer,
        rules: list[BoundRule],
        report: Callable[[Diagnostic], object],
        recover: bool = True,
    ) -> None:
        self._tables = tables
        self._source = source
        self._lexer = lexer
        self._rules = rules
        self._report = report
        self._recover = recover
        self._recoveries = 0
        self._resumed = (-1, -1)
        self._states: list[int] = []
        self._values: list[Any] = []
        self._spans: list[tuple[int, int]] = []
        self._heights: list[int] = []
        self._last = -1
        self._previous = ("", 0, 0)

    def run(self, start: str) -> Any:
        """The value of the rule `start`, or None if there was an error and no recovery."""
        first, self._last = self._tables.starts[start]
        states = self._states
        states.append(first)
        following = self._lexer.next
        feed = self._feed
        while True:
            kind, begin, end = following(states[-1])
            failure = None
            try:
                if feed(kind, begin, end):
                    if kind == END:
                        return self._values[-1]
                    continue
            except TooDeep as deep:
                place = Span(self._source, deep.place, deep.place + 1)
                failure = syntax.too_deep(place, NESTING)
            if not self._fail(kind, begin, end, failure):
                return None

    def _feed(self, kind: str, begin: int, end: int) -> bool:
        """Takes a word; False if none can stand here. At the end, True leaves the result on top."""
        actions = self._tables.actions
        states, values, spans, heights = self._states, self._values, self._spans, self._heights
        while True:
            action = actions[states[-1]].get(kind)
            if action is None:
                return False
            if action >= 0:
                states.append(action)
                spans.append((begin, end))
                heights.append(0)
                kept = kind in self._tables.kept
                values.append(Token(kind, self._source.text[begin:end], begin, end) if kept else None)
                if kind != "_NL":
                    self._previous = (kind, begin, end)
                self._lexer.shifted(kind, begin)
                if len(states) > _STACK:
                    raise TooDeep(begin)
                return True
            origin, size, act, single, picks, counted = self._rules[-1 - action]
            if single and size == 1 and not picks[0][1]:
                states[-1] = actions[states[-2]][origin]
                continue
            if size:
                taken = values[-size:]
                span = (spans[-size][0], spans[-1][1])
                height = heights[-1] if size == 1 else max(heights[-size:])
                del states[-size:], values[-size:], spans[-size:], heights[-size:]
            else:
                taken, span, height = [], (begin, begin), 0
            children: list[Any] = []
            for index, is_list in picks:
                if is_list and not children:
                    children = taken[index]  # the list of a repeated rule grows in place
                elif is_list:
                    children.extend(taken[index])
                else:
                    children.append(taken[index] if index >= 0 else None)
            value: Any = children
            if single and len(children) == 1:
                value = children[0]
            elif act is not None:
                height += counted
                if height > NESTING:
                    raise TooDeep(span[0])
                value = act(children, *span)
            states.append(actions[states[-1]][origin])
            values.append(value)
            spans.append(span)
            heights.append(height)
            if kind == END and states[-1] == self._last:
                return True

    # After an error

    def _fail(self, kind: str, begin: int, end: int, failure: Diagnostic | None) -> bool:
        """Reports an error at a word and makes ready to go on; False if that is impossible."""
        opened = self._unclosed(kind, begin) if failure is None and self._recover else None
        if opened is not None:
            failure = lines.unclosed(self._source, opened[1], opened[0], begin)
        elif failure is None:
            failure = mistakes.explain(self._context(kind, begin, end))
        enough = self._report(failure) is False
        if not self._recover:
            return False
        self._recoveries += 1
        if enough or self._recoveries > _RECOVERIES:
            return self._give_up()
        boundary = self._boundary()
        if opened is None:
            self._skip(boundary, begin)
        elif opened[0] != "RBRACE":
            # The lines of the new item were read as part of the bracket: read them again.
            item = self._item(boundary, begin)
            self._truncate(boundary)
            self._lexer.resume(begin if kind == END else lines.line_start(self._source, begin), item)
            self._drop_line_end()
        elif not self._close(boundary, kind, begin):
            self._skip(self._boundary(), begin)
        return True

    def _context(self, kind: str, begin: int, end: int) -> ErrorContext:
        item = self._item(self._boundary(), begin)
        before = self._previous if self._previous[1] >= item else ("", begin, begin)
        brackets = self._lexer.brackets
        opened = brackets[-1][1] if brackets else None
        states = tuple(self._states)
        return ErrorContext(self._tables, self._source, kind, begin, end, before, item, opened, states)

    def _boundary(self, in_file: bool = False) -> int:
        """How many entries stand before the innermost item that is being read, or the statement."""
        tables = self._tables
        depth = len(self._states) - 1
        closed = 0  # brackets that were closed and whose opening is still on the stack
        while depth:
            state = self._states[depth]
            if not closed and state in tables.boundaries and (END in tables.actions[state] or not in_file):
                break
            symbol = tables.symbols[state]
            closed = closed + 1 if symbol in CLOSE else max(closed - 1, 0) if symbol in OPEN else closed
            depth -= 1
        return depth

    def _item(self, boundary: int, begin: int) -> int:
        """Where the item starts that is being read."""
        return self._spans[boundary][0] if boundary < len(self._spans) else begin

    def _unclosed(self, kind: str, begin: int) -> tuple[str, int] | None:
        """The open bracket that must have been meant to be closed before this word, if there is one."""
        if not self._lexer.brackets:
            return None
        closer, place = self._lexer.brackets[-1]
        if kind == END:
            return closer, place
        if closer != "RBRACE":
            return (closer, place) if lines.starts_item(self._source, begin, place) else None
        item = self._item(self._boundary(), begin)
        if kind == "RBRACE" or item < place or not lines.begins_line(self._source, item):
            return None
        outside = lines.indent(self._source, item) <= lines.indent(self._source, place)
        return (closer, place) if outside else None

    def _close(self, boundary: int, kind: str, begin: int) -> bool:
        """Closes a block that was left open, before the item that is being read."""
        if kind == END and self._context(kind, begin, begin).accepts("RBRACE"):
            return self._feed("RBRACE", begin, begin)
        item = self._item(boundary, begin)
        self._truncate(boundary)
        self._lexer.resume(begin if kind == END else item, item)
        try:
            return self._feed("RBRACE", item, item) and (kind == END or self._feed("_NL", item, item))
        except TooDeep:
            return False

    def _skip(self, boundary: int, begin: int) -> None:
        """Drops the item that is being read, up to where the next can begin."""
        item = self._item(boundary, begin)
        self._truncate(boundary)
        # The same place twice: this word can neither be taken nor begin an item.
        again = self._resumed == (begin, self._states[-1])
        self._lexer.skip(begin, item, "RBRACE" in self._tables.actions[self._states[-1]], again)
        self._resumed = (self._lexer.position, self._states[-1])
        self._drop_line_end()

    def _drop_line_end(self) -> None:
        if "_NL" not in self._tables.actions[self._states[-1]]:
            self._lexer.skip_line_end()

    def _give_up(self) -> bool:
        """Skips what is left of the text; the whole statements before stay."""
        self._truncate(self._boundary(in_file=True))
        self._lexer.resume(len(self._source.text), 0)
        return True

    def _truncate(self, depth: int) -> None:
        del self._states[depth + 1 :], self._values[depth:], self._spans[depth:], self._heights[depth:]
        self._previous = ("", 0, 0)
