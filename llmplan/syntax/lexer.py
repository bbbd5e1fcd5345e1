"""Characters to words: one word at a time, of those that the parser can use where it stands.

Input is a text and, for each word, the state of the parser; output is a word's terminal and place.
Line ends that do not end a statement are dropped here and never looked at again. Comments are
collected on the way, and the `##` lines above a place are kept under that place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import Source, Span
from llmplan.syntax.nodes import Comment
from llmplan.syntax.tables import END, Tables

BAD = "$BAD"  # a character that begins no word
NESTING = 100

OPEN = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
CLOSE = frozenset(OPEN.values())
_COMMENT = re.compile(r"#[^\r\n]*")
_WORD = re.compile(r"[A-Za-z_]\w*")
_BOUND = re.compile(r"[ \t]*(=(?![=>])|[:.,}\r\n]|\Z)")

# The head of a line that looks like a statement or a field, not like a part of an expression.
ITEM = re.compile(
    r"@|(?!(if|then|else|and|or|not|in|when|because|for)\b)[A-Za-z_][\w.]*[ \t]*(=(?![=>])|:|\"|\{|[A-Za-z_])"
)

compiled = lru_cache(maxsize=None)(re.compile)


class TooDeep(Exception):
    """What stands at `place` nests more than `NESTING` deep."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


class Lexer:
    """Words of `source` from `start` to `end`.

    Attributes:
        comments: Those seen so far, in order.
        docs: The text of the `##` lines above a place, by the offset of that place.
        brackets: The open brackets: the terminal that closes each, and its place.
    """

    def __init__(
        self, tables: Tables, source: Source, start: int, end: int, report: Callable[[Diagnostic], object]
    ) -> None:
        self.source = source
        self.position = start
        self.comments: list[Comment] = []
        self.docs: dict[int, str] = {}
        self.brackets: list[tuple[str, int]] = []
        self._text = source.text
        self._begin = start
        self._end = end
        self._report = report
        self._actions = tables.actions
        self._words = tables.words
        self._reserved = tables.reserved
        self._patterns = tables.patterns
        self._scanner = tables.scanner
        self._previous = ""

    def next(self, state: int) -> tuple[str, int, int]:
        """Terminal, start and end of the next word."""
        match = compiled(self._patterns[self._scanner[state]]).match
        while True:
            found = match(self._text, self.position, self._end)
            if found is None:
                return self._bad()
            kind = found.lastgroup or BAD
            start, end = found.span(kind)
            self.position = end
            if kind == "NAME" or kind == "MEASURE":
                return self._word(kind, start, end, state), start, end
            if kind == "_NL":
                self._run(start, end)
                if self._previous == "COMMA" or self.brackets and self.brackets[-1][0] != "RBRACE":
                    continue
            elif kind == "_CONT":
                self._run(start, end)
                continue
            elif kind == "COMMENT":
                self._comment(start, end)
                continue
            elif kind == "END":
                kind = END
            return kind, start, end

    def shifted(self, kind: str, start: int) -> None:
        """Tells that the parser took a word.

        Raises:
            TooDeep: It opens a bracket too many.
        """
        self._previous = kind
        if kind in OPEN:
            self.brackets.append((OPEN[kind], start))
            if len(self.brackets) > NESTING:
                raise TooDeep(start)
        elif kind in CLOSE:
            self.brackets.pop()

    # After an error

    def resume(self, position: int, boundary: int) -> None:
        """Goes on at `position` as if nothing had been taken from `boundary` on."""
        self.position = position
        self.brackets = [bracket for bracket in self.brackets if bracket[1] < boundary]
        while self.comments and self.comments[-1].span.start >= position:
            self.comments.pop()
        self._previous = ""

    def skip(self, position: int, item: int, inside: bool, again: bool) -> None:
        """Skips the rest of an item.

        Args:
            position: Where the word stands that could not be taken.
            item: Where the item begins.
            inside: It stands in braces, so that a comma or `}` ends it.
            again: Skip that word whatever it is.
        """
        open_ = [closer for closer, place in self.brackets if place >= item]
        indent = self._column(item)
        self.resume(position, item)
        match = compiled(self._patterns[0]).match
        while True:
            found = match(self._text, self.position, self._end)
            if found is None:
                self._bad()
                again = False
                continue
            kind = found.lastgroup or BAD
            start, end = found.span(kind)
            if kind == "END":
                return
            if kind in OPEN:
                open_.append(OPEN[kind])
            elif kind == "RBRACE" and "RBRACE" not in open_:
                if inside and not again:
                    return
            elif kind in CLOSE and kind in open_:
                while open_.pop() != kind:
                    pass
            elif kind == "COMMA" and inside and not open_ and not again:
                self.position = end
                return
            elif kind == "_NL" and not again and not self._goes_on(end, indent, bool(open_)):
                return
            if kind == "COMMENT":
                self._comment(start, end)
            elif kind in ("_NL", "_CONT"):
                self._run(start, end)
            self.position = end
            again = False

    def skip_line_end(self) -> None:
        """Skips a line's end, if one comes next."""
        found = compiled(self._patterns[0]).match(self._text, self.position, self._end)
        if found is not None and found.lastgroup == "_NL":
            self._run(*found.span("_NL"))
            self.position = found.end()

    def _goes_on(self, place: int, indent: int, inside: bool) -> bool:
        """Whether a line's content belongs to an item that stands `indent` deep, perhaps inside brackets."""
        deeper = self._column(place) > indent
        item = ITEM.match(self._text, place) is not None
        if inside:
            return deeper or not item
        first = self._text[place : place + 1]
        return first in ("[", "(", "{") or deeper and not item and first not in ("", "}")

    def _column(self, place: int) -> int:
        return place - self._text.rfind("\n", 0, place) - 1

    def _word(self, kind: str, start: int, end: int, state: int) -> str:
        text = self._text[start:end]
        word = self._words.get(text)
        if word is not None and word in self._actions[state]:
            return word
        begins = word is not None and self._begins_line(start) and not _BOUND.match(self._text, end, self._end)
        if kind == "MEASURE" and text in self._reserved and word is not None and begins:
            return word  # a statement where a bracket is still open
        if kind == "MEASURE":
            for part in _WORD.finditer(text):
                if part.group() in self._reserved:
                    span = Span(self.source, start + part.start(), start + part.end())
                    self._report(syntax.reserved_word(span, unit=True))
        elif text in self._reserved and self._previous not in ("DOT", "AT"):
            begins = self._previous in ("LBRACE", "COMMA") or self._begins_line(start)
            if word is not None and begins and not _BOUND.match(self._text, end, self._end):
                return word  # a statement where none can stand
            self._report(syntax.reserved_word(Span(self.source, start, end)))
        return kind

    def _begins_line(self, start: int) -> bool:
        return not self._text[self._text.rfind("\n", 0, start) + 1 : start].strip(" \t\ufeff")

    def _bad(self) -> tuple[str, int, int]:
        start = self.position
        while self._text[start] in " \t":
            start += 1
        self.position = start + 1
        return BAD, start, start + 1

    def _comment(self, start: int, end: int) -> None:
        span = Span(self.source, start, end)
        own_line = self._begins_line(start)
        self.comments.append(Comment(span=span, text=self._text[start:end], own_line=own_line))

    def _run(self, start: int, end: int) -> None:
        """Keeps the comments of a run of line ends, and the doc lines that its last lines hold."""
        text = self._text
        if text.find("#", start, end) < 0 and not (self.comments and self.comments[-1].own_line):
            return
        for found in _COMMENT.finditer(text, start, end):
            span = Span(self.source, found.start(), found.end())
            self.comments.append(Comment(span=span, text=found.group(), own_line=True))
        doc: list[str] = []
        below = end
        for comment in reversed(self.comments):
            between = text[comment.span.end : below]
            if not comment.own_line or between.strip(" \t\r\n") or between.count("\n") != 1:
                break
            if comment.text.startswith("##") and not comment.text.startswith("###"):
                doc.append(comment.text[2:].removeprefix(" ").rstrip())
            below = comment.span.start
        if doc:
            self.docs[end] = "\n".join(reversed(doc))
