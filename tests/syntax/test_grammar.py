"""The grammar itself: no conflicts, its words, and how it is kept between runs."""

from __future__ import annotations

import io
import logging
import marshal
import re

import pytest
from lark import Lark, logger

from llmplan.resources import folder
from llmplan.source import Source
from llmplan.syntax import parse
from llmplan.syntax.grammar import CONTEXTUAL, analyse, grammar

GRAMMAR = folder("grammar").joinpath("plan.lark").read_text(encoding="utf-8")
STARTS = ["file", "alone", "interpolation"]

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
FREE_WORDS = ["step", "weight", "from", "like", "into", "language", "certain", "final"]


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


@pytest.mark.slow
def test_no_conflicts():
    assert conflicts(GRAMMAR) == 0


@pytest.mark.slow
def test_a_conflict_would_be_seen():
    juxtaposed = GRAMMAR.replace("?signed: atom\n", "?signed: atom\n | atom signed -> product\n", 1)
    assert juxtaposed != GRAMMAR
    assert conflicts(juxtaposed) > 0


def test_every_rule_has_a_line_of_its_own_place():
    sections = re.findall(r"^// ---- (.+?) -+$", GRAMMAR, re.MULTILINE)
    assert len(sections) >= 8
    assert all(len(line) <= 130 for line in GRAMMAR.splitlines() if not line.startswith(("_CONT", "quantity")))


def test_reserved_words():
    assert grammar().reserved == set(RESERVED)
    assert set(FREE_WORDS) < CONTEXTUAL


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


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The folder of the cache, empty; the grammar is read anew."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    grammar.cache_clear()
    yield tmp_path / "llmplan"
    grammar.cache_clear()


@pytest.mark.slow
def test_the_analysed_grammar_is_plain_data():
    analysis = analyse(GRAMMAR)
    assert marshal.loads(marshal.dumps(analysis)) == analysis


@pytest.mark.slow
def test_the_analysed_grammar_is_kept(kept, monkeypatch):
    words = grammar().words
    assert [path.name.partition("-")[0] for path in kept.iterdir()] == ["grammar"]
    grammar.cache_clear()
    monkeypatch.setattr("llmplan.syntax.grammar.analyse", None)
    assert grammar().words == words
    assert parse(Source("x", "x = 3 GB"))[1] == []


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:-100], pytest.param(lambda data: b"llmplan1" + b"\0" * 100, marks=pytest.mark.slow)],
)
@pytest.mark.slow
def test_a_damaged_analysis_is_made_again(kept, damage):
    grammar()
    (file,) = kept.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    grammar.cache_clear()
    assert parse(Source("x", "x = 3 GB"))[1] == []
