"""Where the parser resumes after an error, so that the text before it is not read again.

Input: the parser as it stopped at the first error. Output: its state before the statement with the error, or, in a very
long statement, within it. Short texts are read again from their beginning, which takes no time.
"""

from __future__ import annotations

import re
from typing import Any

from attrs import frozen
from lark import Token
from lark.parsers.lalr_interactive_parser import InteractiveParser

from llmplan.syntax.grammar import END, OPENING

BEFORE = 20_000
"""The most characters before the statement with the error that are read again."""

WITHIN = 100_000
"""The most characters of that statement that are read again."""

_WORD = re.compile(r"[\w.%]+\Z|\"[^\"\n]*\"\Z|.\Z", re.DOTALL)
_LONGEST = 200
_KINDS = {'"': "TEXT", ")": "RPAR", "]": "RSQB", "}": "RBRACE"}


@frozen
class Stand:
    """A parser's stacks at the beginning of a statement, and in the middle of it if it is very long.

    Attributes:
        states, values: The stacks before the statement.
        item: Where the statement begins.
        inside: The stacks at the error; None if the statement is to be read again.
        brackets: The closing mark and the position of each bracket that is open at the error.
        previous: The word before the error: terminal, start and end.
    """

    states: list[Any]
    values: list[Any]
    item: int
    inside: tuple[list[Any], list[Any]] | None
    brackets: list[tuple[str, int]]
    previous: tuple[str, int, int]


def stand(stopped: InteractiveParser | None, text: str, error: int) -> Stand | None:
    """Where to resume in a text whose first error is at `error`; None to read it again."""
    if stopped is None or error < min(BEFORE, WITHIN):
        return None
    state = stopped.parser_state
    table = state.parse_conf.parse_table.states
    # After the line break between two statements.
    behind = [
        at + 1
        for at, value in enumerate(state.value_stack)
        if isinstance(value, Token) and value.type == "_NL" and _between(table[state.state_stack[at + 1]])
    ]
    kept = behind[-1] if behind else 0
    open_values = state.value_stack[kept:]
    item = next((start for start, _ in map(_ends, open_values) if start is not None), error)
    inside = None
    if error - item > WITHIN:
        inside = list(state.state_stack), list(state.value_stack)
    elif item < BEFORE:
        return None
    brackets = [(OPENING[v.type], v.start_pos or 0) for v in open_values if isinstance(v, Token) and v.type in OPENING]
    previous = _word(open_values[-1], text) if open_values else ("", 0, 0)
    return Stand(state.state_stack[: kept + 1], state.value_stack[:kept], item, inside, brackets, previous)


def _between(choices: Any) -> bool:
    return "NAME" in choices and END in choices and "PLUS" not in choices


def _ends(value: Any) -> tuple[int | None, int | None]:
    """The start and end of a parsed value; None if it is empty."""
    if isinstance(value, Token):
        return value.start_pos, value.end_pos
    meta = value.meta
    return (None, None) if meta.empty else (meta.container_start_pos, meta.container_end_pos)


def _word(value: Any, text: str) -> tuple[str, int, int]:
    """The last word of a parsed value."""
    start, end = _ends(value)
    if start is None or end is None:
        return "", 0, 0
    if isinstance(value, Token):
        return value.type, start, end
    found = _WORD.search(text, max(start, end - _LONGEST), end)
    word = found.group() if found is not None else text[end - 1 : end]
    kind = _KINDS.get(word[-1], "NUMBER" if word[0].isdigit() else "NAME")
    return kind, end - len(word), end
