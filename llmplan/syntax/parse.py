"""From a text to its syntax tree and what is wrong with it. No text makes this raise."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from attrs import evolve

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import MAX_BYTES, Source, Span
from llmplan.syntax import mistakes
from llmplan.syntax.automaton import Automaton, BoundRule, bind
from llmplan.syntax.build import Builder
from llmplan.syntax.lexer import Lexer
from llmplan.syntax.lines import merge_missing_brace
from llmplan.syntax.nodes import Expr, File, Interpolation
from llmplan.syntax.tables import Tables, tables

ERRORS = 20  # diagnostics of one text, one a line

# Control characters, lone surrogates and carriage returns that end no line: they show as nothing,
# and a name that holds one cannot be a file's.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]|\r(?!\n)")


def parse(source: Source) -> tuple[File, list[Diagnostic]]:
    """The tree of a plan, without the statements and fields that cannot be read."""
    reading = _Reading(source)
    file = reading.run("file", recover=True)
    if file is None:
        file = File(span=Span(source, 0, len(source.text)), statements=(), comments=())
    diagnostics, blocks = merge_missing_brace(reading.diagnostics())
    inside = [s for s in file.statements if any(start <= s.span.start < end for start, end in blocks)]
    statements = tuple(s for s in file.statements if s not in inside) if inside else file.statements
    return evolve(file, statements=statements, comments=tuple(reading.lexer.comments)), diagnostics


def parse_value(source: Source) -> tuple[Expr | None, list[Diagnostic]]:
    """The value of a text that is the right-hand side of an assignment; None if it is none."""
    reading = _Reading(source)
    value = reading.run("alone", recover=False)
    return value, reading.diagnostics()


def _begin(source: Source) -> int:
    """Where the text begins after a byte-order mark."""
    return int(source.text.startswith("\ufeff"))


class Read(NamedTuple):
    """A word as the parser took it; `mark` is its text if it is a mark or a word of the language."""

    kind: str
    mark: str
    start: int
    end: int


def words(source: Source) -> list[Read]:
    """The words of a plan in order, with the line ends that separate.

    Raises:
        ValueError: The text does not parse.
    """
    table = tables()
    lexer = _Recorder(table, source)
    rules = bind(table, lambda rule: lambda children, start, end: None)
    Automaton(table, source, lexer, rules, lexer.fail, recover=False).run("file")
    return lexer.read


class _Recorder(Lexer):
    """Remembers what the parser took."""

    def __init__(self, tables: Tables, source: Source) -> None:
        super().__init__(tables, source, _begin(source), len(source.text), self.fail)
        self.read: list[Read] = []
        self._marks = tables.marks

    def fail(self, diagnostic: Diagnostic) -> None:
        raise ValueError(f"{diagnostic.span}: {diagnostic.message}")

    def shifted(self, kind: str, start: int) -> None:
        self.read.append(Read(kind, self._marks.get(kind, ""), start, self.position))
        super().shifted(kind, start)


class _Reading:
    """One text on its way through the parser."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tables = tables()
        self.lexer = self._lexer(_begin(source), len(source.text))
        builder = Builder(source, self.lexer.docs, self.report, self._interpolate)
        self.rules: list[BoundRule] = bind(self.tables, builder.action)
        self._found: dict[int, Diagnostic] = {}

    def run(self, rule: str, recover: bool) -> Any:
        text = self.source.text
        size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if size > MAX_BYTES:
            self.report(syntax.too_long(Span(self.source, 0, 0)))
            return None
        found = _CONTROL.search(text)
        while found is not None:
            name = mistakes.character_name(found.group())
            self.report(syntax.control_character(Span(self.source, *found.span()), name))
            line_end = text.find("\n", found.end())
            found = _CONTROL.search(text, line_end) if line_end >= 0 else None
        return Automaton(self.tables, self.source, self.lexer, self.rules, self.report, recover).run(rule)

    def report(self, diagnostic: Diagnostic) -> bool:
        """Keeps the first diagnostic of a line; False if there are enough."""
        assert diagnostic.span is not None
        if len(self._found) < ERRORS:
            self._found.setdefault(diagnostic.span.line, diagnostic)
        return len(self._found) < ERRORS

    def diagnostics(self) -> list[Diagnostic]:
        return [self._found[line] for line in sorted(self._found)]

    def _lexer(self, start: int, end: int) -> Lexer:
        return Lexer(self.tables, self.source, start, end, self.report)

    def _interpolate(self, start: int, end: int) -> Interpolation | None:
        lexer = self._lexer(start, end)
        automaton = Automaton(self.tables, self.source, lexer, self.rules, self.report, recover=False)
        shown: Interpolation | None = automaton.run("interpolation")
        if lexer.comments:
            comment = lexer.comments[0].span
            self.report(syntax.unexpected(comment, "a comment", "`}`"))
        return shown
