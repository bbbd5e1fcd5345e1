"""The grammar as Lark reads it: the parser of `grammar/plan.lark`, and the words of the language.

Lark takes a third of a second to analyse the grammar. The analysis is plain data, which is cached between runs;
building the parser from it takes some milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any

import lark
from lark.grammar import Rule
from lark.lark import PostLex
from lark.lexer import TerminalDef

from llmplan.cache import ready, store
from llmplan.cache.key import key
from llmplan.installation import Broken
from llmplan.resources import folder, text_of
from llmplan.syntax.limits import NESTING, WORDS, TooDeep, TooLong

END = "$END"
BAD = "$BAD"  # a character that begins no token
OPENING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
CLOSING = frozenset(OPENING.values())

CONTEXTUAL = frozenset({"step", "weight", "from", "like", "into", "language", "certain", "final", "measured", "_"})
"""Keywords in some places that are names elsewhere."""

LATER = {"phase": "PHASE"}
"""Words reserved for statements of a later version of the language, each with a terminal that no rule uses."""

Analysis = dict[str, Any]
_NAME = "grammar/plan.lark"
_KEPT = "grammar"
_STARTS = ["file", "alone", "interpolation"]


class LineEnds(PostLex):
    """Drops line breaks without meaning, and distinguishes the words of the language from names.

    After a dot or an `@` every word is a name; elsewhere a reserved word is not a name.
    """

    def __init__(self, always_accept: Iterable[str]) -> None:
        self.always_accept = tuple(always_accept)  # the terminals that are accepted everywhere
        self.reserved: dict[str, str] = {}  # terminals of the reserved words

    def process(self, stream: Iterator[lark.Token]) -> Iterator[lark.Token]:
        """The tokens of a text, or of its rest after an error.

        Raises:
            TooDeep: A token opens one bracket too many.
            TooLong: There are too many tokens.
        """
        brackets: list[str] = []
        previous = ""
        for number, token in enumerate(stream):
            if number == WORDS:
                raise TooLong(token.start_pos or 0)
            # Only start and end offsets are used; a text that nests far too deep keeps all its words in memory.
            token.line = token.column = token.end_line = token.end_column = None
            kind = token.type
            if kind == "_NL":
                if previous == "COMMA" or brackets and brackets[-1] != "LBRACE":
                    continue
            elif previous in ("DOT", "AT") and token.isidentifier():
                token.type = "NAME"
            elif kind in ("NAME", "MEASURE"):
                token.type = self.reserved.get(token.value, kind)
            elif kind in OPENING:
                brackets.append(kind)
                if len(brackets) > NESTING:
                    raise TooDeep(token.start_pos or 0)
            elif kind in CLOSING and brackets:
                brackets.pop()
            previous = kind
            yield token


class Grammar:
    """The grammar's data for the later stages.

    `parser` builds the trees of texts without a syntax error. `marks` has the text of each terminal with a single
    spelling. `words` have terminals of their own; the `reserved` among them are names only after a dot.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        line_ends = LineEnds(["_NL", "NAME"])  # a word is read whole: `inhours` does not contain `in`
        self.parser = self._load(line_ends)
        terminals = {terminal.name: terminal.pattern for terminal in self.parser.terminals}
        self.marks = {name: pattern.value for name, pattern in terminals.items() if pattern.type == "str"}
        self.marks |= {name: word for word, name in LATER.items()}
        self.words = {text: name for name, text in self.marks.items() if re.fullmatch(r"\w+", text)}
        self.reserved = frozenset(self.words) - CONTEXTUAL
        line_ends.reserved = {word: self.words[word] for word in self.reserved}

    @cached_property
    def tolerant(self) -> lark.Lark:
        """The same parser, but a token's terminal does not depend on whether it fits, as messages need it."""
        competing = {"MEASURE", "UNDERSCORE", *(word.upper() for word in CONTEXTUAL)}
        line_ends = LineEnds(term.name for term in self.parser.terminals if term.name not in competing)
        line_ends.reserved = LATER
        return self._load(line_ends)

    @cached_property
    def first(self) -> frozenset[str]:
        """Terminals with which a file can begin."""
        return frozenset(self.parser.parse_interactive("", start="file").choices())

    def _load(self, line_ends: LineEnds) -> lark.Lark:
        data = self._analysis["data"]
        options = {**data["options"], "postlex": line_ends}
        return lark.Lark.load({**self._analysis, "data": {**data, "options": options}})


@lru_cache(maxsize=1)
def grammar() -> Grammar:
    """The grammar that is installed."""
    text = text_of(folder("grammar").joinpath("plan.lark"), _NAME)
    kept = key(lark.__version__, text)
    analysis = store.load(_KEPT, kept)
    if not isinstance(analysis, dict):
        analysis = ready.load(_KEPT, text)
        if not isinstance(analysis, dict):
            try:
                analysis = analyse(text)
            except lark.exceptions.LarkError as error:
                raise Broken(f"`{_NAME}` is not the grammar: {str(error).partition(chr(10))[0]}") from error
        store.keep(_KEPT, kept, analysis)
    return Grammar(analysis)


def prepared() -> tuple[str, Analysis, str]:
    """What comes with an installation, for `llmplan.cache.ready`: name, result and the text that it depends on."""
    text = text_of(folder("grammar").joinpath("plan.lark"), _NAME)
    return _KEPT, analyse(text), text


def analyse(text: str) -> Analysis:
    """Lark's analysis of a grammar, as plain data that `Lark.load` reads."""
    parser = lark.Lark(text, parser="lalr", lexer="contextual", start=_STARTS, propagate_positions=True)
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    return {"data": {**data, "parser": {**data["parser"], "parser": _numbered(data["parser"]["parser"])}}, "memo": memo}


def _numbered(table: dict[str, Any]) -> dict[str, Any]:
    """A parse table with its tokens in the order of their names, and its states in that in which they are reached.

    Lark numbers both in the order of sets, which differs from run to run.
    """
    names = sorted(table["tokens"].values())
    numbers = {name: number for number, name in enumerate(names)}
    rows = {
        state: dict(sorted((numbers[table["tokens"][token]], action) for token, action in row.items()))
        for state, row in table["states"].items()
    }
    reached = {table["start_states"][start]: None for start in _STARTS}
    order = list(reached)
    for state in order:  # grows
        nexts = [target for reduces, target in rows[state].values() if not reduces]
        order += (target for target in dict.fromkeys(nexts) if target not in reached)
        reached.update(dict.fromkeys(nexts))
    new = {state: number for number, state in enumerate(order)}
    return {
        "tokens": dict(enumerate(names)),
        "states": {
            new[state]: {
                token: (reduces, target if reduces else new[target]) for token, (reduces, target) in rows[state].items()
            }
            for state in order
        },
        "start_states": {start: new[table["start_states"][start]] for start in _STARTS},
        "end_states": {start: new[table["end_states"][start]] for start in _STARTS},
    }
