"""The grammar as Lark reads it: the parser of `grammar/plan.lark`, and the words of the language.

Lark takes a third of a second to analyse the grammar. What it finds is plain data, which is kept between
runs; from that the parser is made in some milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

import lark
from attrs import define
from lark.grammar import Rule
from lark.lark import PostLex
from lark.lexer import TerminalDef

from llmplan.cache import store
from llmplan.resources import folder

END = "$END"
BAD = "$BAD"  # a character that begins no token
OPENING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
CLOSING = frozenset(OPENING.values())
NESTING = 100

CONTEXTUAL = frozenset({"step", "weight", "from", "like", "into", "language", "certain", "_"})
"""Words in their place that are names elsewhere."""

_REVISION = 1  # of what is kept: an older one has another shape
_STARTS = ["file", "alone", "interpolation"]


class TooDeep(Exception):
    """What stands at `place` nests more than `NESTING` deep."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


class LineEnds(PostLex):
    """Drops the line ends that end nothing, and lets every word be a name after a dot or an `@`.

    Args:
        always_accept: The terminals that are looked for everywhere, so that a token is the same whether
            or not it can stand where it does.
    """

    def __init__(self, always_accept: tuple[str, ...]) -> None:
        self.always_accept = always_accept

    def process(self, stream: Iterator[lark.Token]) -> Iterator[lark.Token]:
        """The tokens of a text, or of its rest after an error.

        Raises:
            TooDeep: A token opens a bracket too many.
        """
        brackets: list[str] = []
        previous = ""
        for token in stream:
            kind = token.type
            if kind == "_NL":
                if previous == "COMMA" or brackets and brackets[-1] != "LBRACE":
                    continue
            elif previous in ("DOT", "AT") and token.isidentifier():
                token.type = "NAME"
            elif kind in OPENING:
                brackets.append(kind)
                if len(brackets) > NESTING:
                    raise TooDeep(token.start_pos or 0)
            elif kind in CLOSING and brackets:
                brackets.pop()
            previous = kind
            yield token


@define(slots=False)
class Grammar:
    """What the stages after need to know of the grammar.

    Attributes:
        parser: Makes trees of texts, with the positions of every rule.
        words: Terminals of the words of the language.
        marks: What each terminal with one spelling looks like.
    """

    parser: lark.Lark
    words: dict[str, str]
    marks: dict[str, str]

    @cached_property
    def reserved(self) -> frozenset[str]:
        """Words that cannot be names, except after a dot."""
        return frozenset(self.words) - CONTEXTUAL

    @cached_property
    def first(self) -> frozenset[str]:
        """Terminals with which a file can begin."""
        return frozenset(self.parser.parse_interactive("", start="file").choices())


@lru_cache(maxsize=1)
def grammar() -> Grammar:
    """The grammar that is installed."""
    text = folder("grammar").joinpath("plan.lark").read_text(encoding="utf-8")
    key = f"{lark.__version__}\0{_REVISION}\0{text}"
    analysis = store.load("grammar", key)
    if not isinstance(analysis, dict):
        analysis = analyse(text)
        store.keep("grammar", key, analysis)
    return _grammar(analysis)


def analyse(text: str) -> dict[str, Any]:
    """What Lark finds out about a grammar, as plain data."""
    parser = lark.Lark(text, parser="lalr", lexer="contextual", start=_STARTS, propagate_positions=True)
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    return {"data": data, "memo": memo, "terminals": [terminal.name for terminal in parser.terminals]}


def _grammar(analysis: dict[str, Any]) -> Grammar:
    competing = {"MEASURE", *(word.upper() for word in CONTEXTUAL), "UNDERSCORE"}
    everywhere = tuple(name for name in analysis["terminals"] if name not in competing)
    data = analysis["data"]
    options = {**data["options"], "postlex": LineEnds(everywhere)}
    parser = lark.Lark.load({"data": {**data, "options": options}, "memo": analysis["memo"]})
    marks = {term.name: term.pattern.value for term in parser.terminals if term.pattern.type == "str"}
    words = {text: name for name, text in marks.items() if re.fullmatch(r"\w+", text)}
    return Grammar(parser, words, marks)
