"""From a text to its syntax tree and its errors. Parsing never raises, whatever the text.

A text without a syntax error is read by Lark alone; `recover.py` reads all others.
"""

from __future__ import annotations

from typing import NamedTuple

from attrs import evolve
from lark import TextSlice, Token, Tree
from lark.exceptions import UnexpectedInput

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import MAX_BYTES, Source, Span
from llmplan.syntax.build import Branch, Builder
from llmplan.syntax.characters import hidden_characters
from llmplan.syntax.comments import comments, docs
from llmplan.syntax.grammar import grammar
from llmplan.syntax.limits import INTERPOLATIONS, WORDS, TooDeep, TooLong
from llmplan.syntax.lines import merge_missing_brace
from llmplan.syntax.nodes import Expr, File, Interpolation

ERRORS = 20  # the most diagnostics for one text, one per line


def parse(source: Source) -> tuple[File, list[Diagnostic]]:
    """The tree of a plan, without the statements and fields that cannot be read."""
    reading = _Reading(source)
    tree = reading.tree("file", recover=True)
    file = File(span=Span(source, 0, len(source.text)), statements=(), comments=())
    if tree is not None:
        found = comments(source)
        file = evolve(reading.builder(docs(found)).file(tree), comments=found)
    diagnostics, blocks = merge_missing_brace(reading.diagnostics())
    inside = [s for s in file.statements if any(start <= s.span.start < end for start, end in blocks)]
    statements = tuple(s for s in file.statements if s not in inside) if inside else file.statements
    return evolve(file, statements=statements), diagnostics


def parse_value(source: Source) -> tuple[Expr | None, list[Diagnostic]]:
    """The value of a text that is the right-hand side of an assignment; None if the text is not one."""
    reading = _Reading(source)
    tree = reading.tree("alone", recover=False)
    value = None if tree is None else reading.builder({}).node(tree)
    return value, reading.diagnostics()


class Word(NamedTuple):
    """A word as the parser accepted it; `mark` is its text if it is a mark or a word of the language."""

    kind: str
    mark: str
    start: int
    end: int


def words(source: Source) -> list[Word]:
    """The words of a plan in order, with the line breaks that separate items; ValueError if it does not parse."""
    language = grammar()
    parser = language.parser.parse_interactive(_slice(source), start="file")
    found: list[Word] = []
    try:
        for token in parser.iter_parse():
            mark = language.marks.get(token.type, "")
            found.append(Word(token.type, mark, token.start_pos or 0, token.end_pos or 0))
        parser.feed_eof()
    except (UnexpectedInput, TooDeep, TooLong) as error:
        raise ValueError(f"{source.name} does not parse: {error}") from error
    return found


def _slice(source: Source) -> TextSlice[str]:
    """The text without a byte-order mark."""
    return TextSlice(source.text, int(source.text.startswith("\ufeff")), len(source.text))


class _Reading:
    """One text on its way through the parser."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._found: dict[int, Diagnostic] = {}
        self._interpolations = 0

    def tree(self, rule: str, recover: bool) -> Branch | None:
        """Lark's tree of the text; None if parsing cannot go on."""
        text = self.source.text
        size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if size > MAX_BYTES:
            self._report(syntax.too_long(Span(self.source, 0, 0)))
            return None
        for diagnostic in hidden_characters(self.source):
            self._report(diagnostic)
        try:
            return self._read(_slice(self.source), rule, recover)
        except TooLong as long:
            self._too_long(long.place)
            return None

    def builder(self, documented: dict[int, str]) -> Builder:
        return Builder(self.source, documented, grammar().reserved, self._report, self._interpolate)

    def diagnostics(self) -> list[Diagnostic]:
        return [self._found[line] for line in sorted(self._found)]

    def _read(self, text: TextSlice[str], rule: str, recover: bool) -> Branch | None:
        try:
            return grammar().parser.parse(text, start=rule)
        except (UnexpectedInput, TooDeep) as error:
            from llmplan.syntax.recover import Recovery  # slow to import, and few texts need it

            recovery = Recovery(self.source, text, rule, self._report, recover)
            return (recovery.go_on(error) if isinstance(error, UnexpectedInput) else recovery).run()

    def _inner(self, start: int, end: int) -> Branch | None:
        """The tree of the text between two offsets, parsed separately, as Lark would first count all lines before."""
        try:
            tree = grammar().parser.parse(self.source.text[start:end], start="interpolation")
        except (UnexpectedInput, TooDeep):
            return self._read(TextSlice(self.source.text, start, end), "interpolation", recover=False)
        _shift(tree, start)
        return tree

    def _too_long(self, place: int) -> None:
        self._report(syntax.too_many_words(Span(self.source, place, place + 1), WORDS))

    def _report(self, diagnostic: Diagnostic) -> bool:
        """Keeps the first diagnostic of a line; returns False if there are enough."""
        assert diagnostic.span is not None
        if len(self._found) < ERRORS:
            self._found.setdefault(diagnostic.span.line, diagnostic)
        return len(self._found) < ERRORS

    def _interpolate(self, start: int, end: int) -> Interpolation | None:
        self._interpolations += 1
        if self._interpolations == INTERPOLATIONS + 1:
            self._report(syntax.too_many_interpolations(Span(self.source, start, end), INTERPOLATIONS))
        if len(self._found) >= ERRORS or self._interpolations > INTERPOLATIONS:
            return None
        try:
            tree = self._inner(start, end)
        except TooLong as long:
            self._too_long(start + long.place)
            return None
        comment = self.source.text.find("#", start, end)
        if comment >= 0:
            self._report(syntax.unexpected(Span(self.source, comment, end), "a comment", "`}`"))
        return None if tree is None else self.builder({}).node(tree)


def _shift(tree: Tree[Token], by: int) -> None:
    """Moves a tree that was parsed separately to its position in the text."""
    for part in tree.iter_subtrees():
        meta = part.meta.__dict__
        for name in ("start_pos", "end_pos", "container_start_pos", "container_end_pos"):
            if name in meta:
                meta[name] += by
        for child in part.children:
            if isinstance(child, Token):
                child.start_pos = (child.start_pos or 0) + by
                child.end_pos = (child.end_pos or 0) + by
