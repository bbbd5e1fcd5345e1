"""Reads a text with syntax errors: reports each, and builds the tree of everything readable.

The parser is fed token by token. Its state is saved before each statement, field or arm; at a token that does not fit,
the error is explained, the parser goes back to the saved state, and the text of the item is skipped, so that everything
before and after it stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator

from attrs import define
from lark import TextSlice, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import Source, Span
from llmplan.syntax import lines, mistakes
from llmplan.syntax.build import Branch
from llmplan.syntax.error_context import ErrorContext
from llmplan.syntax.grammar import BAD, CLOSING, END, OPENING, grammar
from llmplan.syntax.limits import DEEPEST, NESTING, TooDeep
from llmplan.syntax.resume import stand
from llmplan.syntax.skip import after_line_end, item_end

_RECOVERIES = 100
_STATEMENTS = ("let", "assume", "require", "prefer", "minimize", "maximize", "show", "emit", "use")
_SECOND = re.compile(r"[ \t]+[\"A-Za-z0-9_]")
_BOUND = re.compile(r"[ \t]*(=(?![=>])|[:.,}\r\n]|\Z)")


@define
class _Boundary:
    """A place where a statement, field or arm can begin, or the block or file can end."""

    parser: InteractiveParser  # its state there; never fed
    depth: int  # the number of brackets open there
    item: int | None = None  # where the next item begins, if one of its tokens was accepted


class Recovery:
    """One run over one text, which ends without a result at the first error unless it is to `recover`.

    `report` takes a diagnostic and returns False if there are enough.
    """

    def __init__(
        self, source: Source, text: TextSlice[str], rule: str, report: Callable[[Diagnostic], object], recover: bool
    ) -> None:
        self._source, self._text, self._rule = source, text, rule
        self._report, self._recover = report, recover
        self._recoveries = 0
        self._resumed = (-1, -1)
        self._ended = (0, 0)  # the numbers of open boundaries and brackets when the text ended too early
        self._parser = grammar().tolerant.parse_interactive(text, start=rule)
        self._stream: Iterator[Token] = self._parser.lexer_thread.lex(self._parser.parser_state)
        self._boundaries = [_Boundary(_copy(self._parser), 0)]
        self._brackets: list[tuple[str, int]] = []  # the closing mark and the position of each open bracket
        self._previous = ("", 0, 0)
        self._tree: Branch | None = None

    def go_on(self, error: UnexpectedInput) -> Recovery:
        """The same run, resumed: a long text before the first error is not read again."""
        token = getattr(error, "token", None)
        place = self._text.end if token is not None and token.type == END else error.pos_in_stream
        there = (
            stand(getattr(error, "interactive_parser", None), self._text.text, place or 0) if self._recover else None
        )
        if there is None:
            return self
        self._stand(there.states, there.values)
        self._boundaries = [_Boundary(_copy(self._parser), 0)]
        if there.inside is not None:
            self._stand(*there.inside)
            self._boundaries[0].item = there.item
            self._brackets, self._previous = there.brackets, there.previous
            self._read_from(place or 0, past_line_end=False)  # the line break may be the error
        else:
            self._read_from(there.item)
        return self

    def _stand(self, states: list[object], values: list[object]) -> None:
        state = self._parser.parser_state
        state.state_stack[:], state.value_stack[:] = states, values

    def run(self) -> Branch | None:
        """The tree of what could be read; None if there was an error and no recovery."""
        while True:
            failure = None
            try:
                token = self._next()
                if self._take(token):
                    if token.type == END:
                        return self._tree
                    continue
            except TooDeep as deep:
                token = _token(BAD, deep.place, deep.place + 1)
                failure = syntax.too_deep(Span(self._source, deep.place, deep.place + 1), NESTING)
            if not self._fail(token.type, token.start_pos or 0, token.end_pos or 0, failure):
                return None

    def _next(self) -> Token:
        try:
            return next(self._stream, None) or _token(END, self._text.end, self._text.end)
        except UnexpectedCharacters as error:
            place = error.pos_in_stream or 0
            return _token(BAD, place, place + 1)

    def _take(self, token: Token) -> bool:
        """Accepts a token; False if it does not fit here. Raises `TooDeep` if it opens one bracket too many."""
        kind, start = token.type, token.start_pos or 0
        if kind == "_NL" and self._brackets and self._brackets[-1][0] != "RBRACE":
            return True  # the post-lexer knows only the brackets since the last error
        if kind not in self._parser.choices() and token.value in grammar().reserved:
            kind = token.type = self._reserved(token, start, token.end_pos or 0)
        try:
            self._tree = self._parser.feed_token(token)
        except UnexpectedToken:
            return False
        if self._boundaries[-1].item is None:
            self._boundaries[-1].item = start
        if kind != "_NL":
            self._previous = (kind, start, token.end_pos or 0)
        if kind in OPENING:
            self._brackets.append((OPENING[kind], start))
            if len(self._brackets) > NESTING:
                raise TooDeep(start)
        elif len(self._parser.parser_state.state_stack) > DEEPEST:
            raise TooDeep(start)
        elif kind in CLOSING:
            self._brackets.pop()
            while self._boundaries[-1].depth > len(self._brackets):
                self._boundaries.pop()
        if kind in ("_NL", "COMMA", "LBRACE"):
            self._keep_boundary()
        return True

    def _reserved(self, token: Token, start: int, end: int) -> str:
        """The terminal for a word of the language that does not fit here."""
        unit = "MEASURE" in self._parser.choices()
        previous = self._previous[0]
        begins = lines.begins_line(self._source, start) or not unit and previous in ("LBRACE", "COMMA")
        if unit and token.value in _STATEMENTS and not begins and _SECOND.match(self._text.text, end):
            return token.type  # a statement after another on the same line
        if previous == "TEXT" or begins and not _BOUND.match(self._text.text, end, self._text.end):
            return token.type  # a clause after one that it must precede, or a statement where none fits
        self._report(syntax.reserved_word(Span(self._source, start, end), unit))
        return "MEASURE" if unit else "NAME"

    def _keep_boundary(self) -> None:
        if _is_boundary(self._parser.choices()):
            if self._boundaries[-1].depth == len(self._brackets):
                self._boundaries.pop()
            self._boundaries.append(_Boundary(_copy(self._parser), len(self._brackets)))

    # After an error

    def _fail(self, kind: str, begin: int, end: int, failure: Diagnostic | None) -> bool:
        """Reports an error at a token and prepares to go on; returns False if that is impossible."""
        while len(self._boundaries) > 1 and not _is_boundary(self._boundaries[-1].parser.accepts()):
            self._boundaries.pop()  # the table promised more than the state before allows
        opened = self._unclosed(kind, begin) if failure is None and self._recover else None
        if opened is not None:
            failure = lines.unclosed(self._source, opened[1], opened[0], begin)
        elif failure is None:
            failure = mistakes.explain(self._context(kind, begin, end))
        enough = self._report(failure) is False
        if not self._recover:
            return False
        self._recoveries += 1
        open_ = (len(self._boundaries), len(self._brackets))
        stuck = kind == END and self._ended == open_
        self._ended = open_ if kind == END else (0, 0)
        if enough or stuck or self._recoveries > _RECOVERIES:
            del self._boundaries[1:]  # the complete statements before it stay
            self._go_back()
            self._read_from(self._text.end)
        elif opened is None:
            self._skip(begin)
        elif opened[0] != "RBRACE":
            # The lines of the new item were read as part of the bracket, so they are read again.
            self._go_back()
            self._read_from(begin if kind == END else lines.line_start(self._source, begin))
        elif not self._close(kind, begin):
            self._skip(begin)
        return True

    def _context(self, kind: str, begin: int, end: int) -> ErrorContext:
        item = self._item(begin)
        before = self._previous if self._previous[1] >= item else ("", begin, begin)
        opened = self._brackets[-1][1] if self._brackets else None
        return ErrorContext(grammar(), self._source, kind, begin, end, before, item, opened, self._parser)

    def _item(self, begin: int) -> int:
        """The start of the item being read."""
        item = self._boundaries[-1].item
        return begin if item is None else item

    def _unclosed(self, kind: str, begin: int) -> tuple[str, int] | None:
        """The open bracket that was probably meant to be closed before this token, if there is one."""
        if not self._brackets:
            return None
        closer, place = self._brackets[-1]
        if kind == END:
            return closer, place
        if closer != "RBRACE":
            return (closer, place) if lines.starts_item(self._source, begin, place) else None
        item = self._item(begin)
        if kind == "RBRACE" or item < place or not lines.begins_line(self._source, item):
            return None
        outside = lines.indent(self._source, item) <= lines.indent(self._source, place)
        return (closer, place) if outside else None

    def _close(self, kind: str, begin: int) -> bool:
        """Closes a block that was left open, before the item being read."""
        if kind == END and self._context(kind, begin, begin).accepts("RBRACE"):
            self._read_from(begin)
            return self._take(_token("RBRACE", begin, begin))
        item = self._item(begin)
        self._go_back()
        self._read_from(begin if kind == END else item)
        try:
            closed = self._take(_token("RBRACE", item, item))
            return closed and (kind == END or self._take(_token("_NL", item, item)))
        except TooDeep:
            return False

    def _skip(self, begin: int) -> None:
        """Drops the item being read, up to where the next one can begin."""
        item = self._item(begin)
        inside = [closer for closer, place in self._brackets if place >= item]
        self._go_back()
        choices = self._parser.choices()
        # The same place twice: this token neither fits nor can begin an item.
        again = self._resumed == (begin, id(choices))
        position = item_end(self._source, begin, item, inside, "RBRACE" in choices, again)
        self._resumed = (position, id(choices))
        self._read_from(position)

    def _go_back(self) -> None:
        """Makes the parser forget the item being read."""
        boundary = self._boundaries[-1]
        self._parser = _copy(boundary.parser)
        del self._brackets[boundary.depth :]
        boundary.item = None
        self._previous = ("", 0, 0)

    def _read_from(self, position: int, past_line_end: bool = True) -> None:
        """Continues reading at a place; skips a line break there if none fits."""
        if past_line_end and "_NL" not in self._parser.choices():
            position = after_line_end(self._source, position)
        text = TextSlice(self._text.text, position, self._text.end)
        lexer = grammar().tolerant.parse_interactive(text, start=self._rule).lexer_thread
        self._stream = lexer.lex(self._parser.parser_state)


def _is_boundary(choices: Container[str]) -> bool:
    return "NAME" in choices and ("RBRACE" in choices or END in choices) and "PLUS" not in choices


def _copy(parser: InteractiveParser) -> InteractiveParser:
    """A copy of the parser's state. Values are shared: only those above a boundary change before going back to it."""
    copy: InteractiveParser = parser.copy(deepcopy_values=False)
    return copy


def _token(kind: str, start: int, end: int) -> Token:
    return Token(kind, "", start_pos=start, end_pos=end)
