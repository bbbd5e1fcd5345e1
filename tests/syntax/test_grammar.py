"""The grammar itself: no conflicts, its words, and our automaton against Lark's own parser."""

from __future__ import annotations

import io
import logging
import re
from pathlib import Path

import pytest
from lark import Lark, Token, Tree, logger

from llmplan.resources import folder
from llmplan.source import Source
from llmplan.syntax import parse
from llmplan.syntax.automaton import Automaton, bind
from llmplan.syntax.lexer import Lexer
from llmplan.syntax.tables import FREE, compute, tables

GRAMMAR = folder("grammar").joinpath("plan.lark").read_text(encoding="utf-8")
STARTS = ["file", "alone", "interpolation"]
PLANS = sorted(Path(__file__).parents[2].glob("plans/**/*.plan"))

RESERVED = [
    "let",
    "assume",
    "require",
    "prefer",
    "waive",
    "minimize",
    "maximize",
    "pareto",
    "scenario",
    "phase",
    "sweep",
    "show",
    "use",
    "emit",
    "entry",
    "amend",
    "replace",
    "quantity",
    "fn",
    "kind",
    "enum",
    "dimension",
    "unit",
    "if",
    "then",
    "else",
    "match",
    "for",
    "and",
    "or",
    "not",
    "in",
    "when",
    "because",
    "true",
    "false",
]
FREE_WORDS = ["step", "weight", "from", "like", "into", "language", "certain"]


def conflicts(grammar: str) -> int:
    """How often Lark names a conflict in its log."""
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        Lark(grammar, parser="lalr", start=STARTS, debug=True, maybe_placeholders=True)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    return len(re.findall("conflict", log.getvalue(), re.IGNORECASE))


def test_no_conflicts():
    assert conflicts(GRAMMAR) == 0


def test_a_conflict_would_be_seen():
    juxtaposed = GRAMMAR.replace("?signed: power", "?signed: power | power signed -> product", 1)
    assert juxtaposed != GRAMMAR
    assert conflicts(juxtaposed) > 0


def test_every_rule_has_a_line_of_its_own_place():
    sections = re.findall(r"^// ---- (.+?) -+$", GRAMMAR, re.MULTILINE)
    assert len(sections) >= 8
    assert all(
        len(line) <= 130 for line in GRAMMAR.splitlines() if not line.startswith(("_CONT", "quantity"))
    )


def test_reserved_words():
    assert tables().reserved == set(RESERVED)
    assert set(FREE_WORDS) < FREE


@pytest.mark.parametrize("word", RESERVED)
@pytest.mark.parametrize(
    "text", ["{} = 3", "let {} = 3", "hardware {{ {} = 3 }}", "enum E {{ {} }}", "fn {}(x: Int) -> Int = x"]
)
def test_a_reserved_word_is_no_name(word, text):
    _, diagnostics = parse(Source("x", text.format(word)))
    assert [d.code for d in diagnostics] == ["E0107"]
    assert diagnostics[0].span is not None and diagnostics[0].span.text == word


@pytest.mark.parametrize(
    "word", [w for w in RESERVED if w not in ("and", "or", "in", "then", "else", "when", "because", "for")]
)
def test_a_reserved_word_is_no_unit(word):
    _, diagnostics = parse(Source("x", f"x = 3 {word}"))
    assert diagnostics[0].code == "E0107" and diagnostics[0].span.text == word
    _, diagnostics = parse(Source("x", f"x = 3 GB/{word}"))
    assert diagnostics[0].code == "E0107" and diagnostics[0].span.text == word


@pytest.mark.parametrize("word", RESERVED + FREE_WORDS)
def test_after_a_dot_every_word_is_a_name(word):
    file, diagnostics = parse(Source("x", f"x.{word} = y.{word}.{word} + 1"))
    assert diagnostics == []
    assert file.statements[0].target.parts == ("x", word)


@pytest.mark.parametrize("word", RESERVED)
def test_a_decorator_may_have_any_name(word):
    assert parse(Source("x", f'@{word}("a") dimension D'))[1] == []


@pytest.mark.parametrize("word", FREE_WORDS)
@pytest.mark.parametrize(
    "text", ["{} = 3", "let {} = 3", "hardware {{ {} = 3 }}", "x = {} + 1", "fn {}(x: Int) -> Int = x"]
)
def test_a_free_word_is_a_name(word, text):
    assert parse(Source("x", text.format(word)))[1] == []


class Filter:
    """The newline rule of the reference, said again for Lark."""

    always_accept = ("_NL",)

    def process(self, stream):
        brackets, previous = [], ""
        for token in stream:
            if token.type == "_NL" and (previous == "COMMA" or brackets and brackets[-1] != "LBRACE"):
                continue
            if token.type in ("LPAR", "LSQB", "LBRACE"):
                brackets.append(token.type)
            elif token.type in ("RPAR", "RSQB", "RBRACE"):
                brackets.pop()
            previous = token.type
            yield token


@pytest.fixture(scope="module")
def lark():
    return Lark(GRAMMAR, parser="lalr", start="file", postlex=Filter(), maybe_placeholders=True)


def tree_of_lark(node):
    if isinstance(node, Tree):
        return (str(node.data), [tree_of_lark(child) for child in node.children])
    return str(node) if isinstance(node, Token) else node


def tree_of_ours(text):
    """Our automaton with actions that only say what they were given."""
    source = Source("x", text)
    failures = []
    lexer = Lexer(tables(), source, 0, len(text), failures.append)

    def shown(child):
        return child.text if hasattr(child, "text") else child

    def action(rule):
        return lambda children, start, end: (rule, [shown(child) for child in children])

    rules = bind(tables(), action)
    tree = Automaton(tables(), source, lexer, rules, failures.append, recover=False).run("file")
    return None if failures else tree


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_our_automaton_reads_as_lark_does(path, lark):
    text = path.read_text(encoding="utf-8")
    assert tree_of_ours(text) == tree_of_lark(lark.parse(text))


def test_the_tables_are_what_the_grammar_says():
    computed = compute(GRAMMAR)
    assert computed["words"] == tables().words
    assert len(computed["patterns"]) < 10


def test_only_words_compete():
    """Patterns that may match the same text as a name must be looked for only where they can stand."""
    always = [set(re.findall(r"\?P<(\w+)>", pattern)) for pattern in tables().patterns]
    assert set.union(*always) - set.intersection(*always) == {"MEASURE", "STEP", "CERTAIN", "LANGUAGE"}
