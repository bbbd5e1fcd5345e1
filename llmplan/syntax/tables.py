"""The parser's tables, made from `grammar/plan.lark`.

Lark reads the grammar and computes the LALR(1) automaton, which takes a third of a second; what it
computes is turned into plain data, which loads in a few milliseconds and without Lark. That data lies
beside the grammar, for the first run on a machine, and in the cache; `python -m llmplan.docs` writes it
anew when the grammar has changed, until then it is computed.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cached_property, lru_cache
from importlib.util import find_spec
from typing import Any

from attrs import define

from llmplan.cache import store
from llmplan.resources import folder

BESIDE = "plan.tables.json"
"""The file beside the grammar."""

END = "$END"
FREE = frozenset({"step", "weight", "from", "like", "into", "language", "certain", "_"})
"""Words in their place that are names elsewhere."""

Plain = dict[str, Any]


@define(slots=False)
class Tables:
    """The automaton and the lexer of the grammar.

    Attributes:
        starts: The first and the last state of each rule that can be read on its own.
        actions: By state and symbol: a state to go to, or `-1 - rule` to reduce by a rule.
        rules: Origin, size, action (None: the children join the rule around), whether a single
            child stands for the rule, and which children count: index (-1: an absent option) and
            whether that child is itself a list of children.
        patterns: One regular expression for each set of words that a state can look for.
        scanner: The pattern of each state.
        words: Terminals of the words of the language.
        marks: What each terminal with one spelling looks like.
        kept: Terminals that carry something, all others are only marks.
    """

    starts: dict[str, tuple[int, int]]
    actions: list[dict[str, int]]
    rules: list[tuple[str, int, str | None, bool, tuple[tuple[int, bool], ...]]]
    patterns: list[str]
    scanner: list[int]
    words: dict[str, str]
    marks: dict[str, str]
    kept: frozenset[str]

    @cached_property
    def reserved(self) -> frozenset[str]:
        """Words that cannot be names, except after a dot."""
        return frozenset(self.words) - FREE

    @cached_property
    def symbols(self) -> dict[int, str]:
        """What was read last, by state; the first states have none."""
        return {target: symbol for row in self.actions for symbol, target in row.items() if target >= 0}

    @cached_property
    def boundaries(self) -> frozenset[int]:
        """States in which a statement, field or arm can begin and the block or file can end."""
        return frozenset(
            index
            for index, row in enumerate(self.actions)
            if "NAME" in row and ("RBRACE" in row or END in row) and "PLUS" not in row
        )


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The tables of the grammar that is installed."""
    grammar = folder("grammar").joinpath("plan.lark").read_text(encoding="utf-8")
    key = _key(grammar)
    data = store.load("grammar", key)
    if not isinstance(data, dict):
        beside = folder("grammar").joinpath(BESIDE)
        data = (read(beside.read_text(encoding="utf-8"), grammar) if beside.is_file() else None) or compute(grammar)
        store.keep("grammar", key, data)
    return Tables(**data)


def _key(grammar: str) -> str:
    return "\0".join([grammar, _source(__name__)])


def _made_from(grammar: str) -> str:
    return hashlib.sha256(_key(grammar).encode()).hexdigest()


def written(grammar: str, before: str) -> str:
    """The file beside the grammar: the one that is there as long as it is of this grammar and this module.

    Lark numbers states by chance, so that computing again gives other text for the same automaton.
    """
    if read(before, grammar) is not None:
        return before
    data = compute(grammar)
    data["kept"] = sorted(data["kept"])
    return json.dumps({"made_from": _made_from(grammar), **data}, indent=None, separators=(",", ":")) + "\n"


def read(text: str, grammar: str) -> Plain | None:
    """The attributes of `Tables` from the file beside a grammar; None if it was made from another."""
    try:
        data: Plain = json.loads(text)
        if data.pop("made_from") != _made_from(grammar):
            return None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    data["starts"] = {name: tuple(ends) for name, ends in data["starts"].items()}
    data["rules"] = [
        (origin, size, action, single, tuple((place, inline) for place, inline in picks))
        for origin, size, action, single, picks in data["rules"]
    ]
    data["kept"] = frozenset(data["kept"])
    return data


def _source(module: str) -> str:
    """The text of a module."""
    spec = find_spec(module)
    text = getattr(spec and spec.loader, "get_source", lambda name: None)(module)
    return text if isinstance(text, str) else ""


def compute(grammar: str) -> Plain:
    """The attributes of `Tables` as plain data."""
    from lark import Lark
    from lark.grammar import Terminal
    from lark.lexer import TerminalDef
    from lark.parsers.lalr_analysis import Shift

    lark = Lark(grammar, parser="lalr", start=["file", "alone", "interpolation"], maybe_placeholders=True)
    automaton = lark.parser.parser._parse_table
    rules = list(lark.rules)
    number = {rule: index for index, rule in enumerate(rules)}
    actions: list[dict[str, int]] = [{} for _ in automaton.states]
    for state, row in automaton.states.items():
        for symbol, (action, target) in row.items():
            if action is Shift:
                actions[state][str(symbol)] = target
            elif target in number:  # the rule that Lark adds above a start is never reduced
                actions[state][str(symbol)] = -1 - number[target]

    def rank(terminal: TerminalDef) -> tuple[int, int, int, str]:
        pattern = terminal.pattern
        return (-terminal.priority, -pattern.max_width, -len(pattern.value), terminal.name)

    def is_word(terminal: TerminalDef) -> bool:
        return terminal.pattern.type == "str" and re.fullmatch(r"\w+", terminal.pattern.value) is not None

    ordered = sorted((t for t in lark.terminals if not is_word(t)), key=rank)
    # Only patterns that match words compete for the same text, so only they depend on the state.
    competing = {
        t.name for t in ordered if t.pattern.type == "re" and re.match(r"[a-z]|\[A-Z", t.pattern.value)
    }
    competing -= {"NAME"}
    patterns: dict[str, int] = {}
    scanner = []
    for row in actions:
        parts = [
            f"(?P<{t.name}>{t.pattern.to_regexp()})"
            for t in ordered
            if t.name != "SPACE" and (t.name not in competing or t.name in row)
        ]
        pattern = f"[ \\t]*(?:{'|'.join(parts)}|(?P<END>\\Z))"
        scanner.append(patterns.setdefault(pattern, len(patterns)))

    return {
        "starts": {
            str(start): (automaton.start_states[start], automaton.end_states[start])
            for start in automaton.start_states
        },
        "actions": actions,
        "rules": [_rule(rule) for rule in rules],
        "patterns": list(patterns),
        "scanner": scanner,
        "words": {str(t.pattern.value): str(t.name) for t in lark.terminals if is_word(t)},
        "marks": {str(t.name): str(t.pattern.value) for t in lark.terminals if t.pattern.type == "str"},
        "kept": frozenset(
            str(symbol.name)
            for rule in rules
            for symbol in rule.expansion
            if isinstance(symbol, Terminal) and not symbol.filter_out
        ),
    }


def _rule(rule: Any) -> tuple[str, int, str | None, bool, tuple[tuple[int, bool], ...]]:
    picks: list[tuple[int, bool]] = []
    empty = list(rule.options.empty_indices) or [False] * len(rule.expansion)
    place = 0
    for absent in empty:  # True: an option of the rule that this alternative lacks
        if absent:
            picks.append((-1, False))
            continue
        symbol = rule.expansion[place]
        if not (symbol.is_term and symbol.filter_out):
            picks.append((place, not symbol.is_term and symbol.name.startswith("_")))
        place += 1
    inline = rule.origin.name.startswith("_")
    action = None if inline else str(rule.alias or rule.origin.name)
    single = bool(rule.options.expand1) and rule.alias is None
    return (str(rule.origin.name), len(rule.expansion), action, single, tuple(picks))
