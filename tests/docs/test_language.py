"""`docs/language.md` and the grammar say the same: every rule has its place there, with text that uses it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lark.grammar import Rule

from llmplan.source import Source
from llmplan.syntax.grammar import CONTEXTUAL, grammar
from llmplan.syntax.parse import parse, parse_value

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
TEXT = PAGE.read_text(encoding="utf-8")

LARK = grammar().parser
BLOCK = re.compile(r"^```plan(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
GRAMMAR = re.compile(r"^Grammar: ((?:.+\n)+)", re.MULTILINE)


def line_of(offset: int) -> int:
    return TEXT.count("\n", 0, offset) + 1


BLOCKS = [
    pytest.param(match[1].strip(), match[2], id=f"line {line_of(match.start())}") for match in BLOCK.finditer(TEXT)
]


def sections() -> list[tuple[str, list[str]]]:
    """Text of each section that ends with a line of grammar, and the rules that it names."""
    found = []
    start = 0
    for match in GRAMMAR.finditer(TEXT):
        found.append((TEXT[start : match.start()], re.findall(r"`(\w+)`", match[1])))
        start = match.end()
    return found


def rules() -> set[str]:
    """Every rule of the grammar and every alternative that has a name of its own."""
    return {name for rule in LARK.rules for name in (rule.origin.name, rule.alias or "") if name} - helpers()


def helpers() -> set[str]:
    """What Lark adds for repetition."""
    return {rule.origin.name for rule in LARK.rules if rule.origin.name.startswith("__")}


def leaves_a_tree(rule: Rule) -> bool:
    """Whether a rule has a tree of its own: its only child does not stand for it, nor its children for themselves."""
    expanded = rule.options.expand1 and rule.alias is None and len(rule.expansion) == 1
    return not expanded and not rule.origin.name.startswith("_")


def silent() -> set[str]:
    """Rules that leave no tree, since their only child or the rule around stands for them."""
    return rules() - {rule.alias or rule.origin.name for rule in LARK.rules if leaves_a_tree(rule)}


def used(kind: str, text: str) -> set[str]:
    """The names of the rules that made a tree."""
    start, reader = ("alone", parse_value) if kind == "value" else ("file", parse)
    made = {str(tree.data) for tree in LARK.parse(text, start=start).iter_subtrees()}
    shown = "Interpolation(" in repr(reader(Source("example", text))[0])  # read by itself, inside a text
    return made | {"interpolation"} if shown else made


def test_every_rule_has_its_place():
    named = {rule for _, names in sections() for rule in names}
    assert rules() - named == set(), "rules of the grammar that docs/language.md does not explain"
    assert named - rules() == set(), "rules that the grammar does not have"


@pytest.mark.parametrize(("kind", "text"), BLOCKS)
def test_every_example_parses(kind, text):
    reader = parse_value if kind == "value" else parse
    _, problems = reader(Source("example", text))
    assert [problem.code for problem in problems] == ["E0208"] * (kind == "reserved")
    assert kind in ("", "complete", "value", "reserved")


@pytest.mark.parametrize(("text", "names"), [pytest.param(*section, id=section[1][0]) for section in sections()])
def test_the_examples_of_a_section_use_its_rules(text, names):
    made = set().union(*(used(kind.strip(), example) for kind, example in BLOCK.findall(text)))
    assert set(names) - silent() - made == set()


@pytest.mark.parametrize("text", [text for kind, text in (block.values for block in BLOCKS) if kind == "complete"])
def test_complete_plans_have_no_errors(plans, text):
    assert [d.message for d in plans.check(text) if d.severity == "error"] == []


@pytest.mark.parametrize("text", [text for kind, text in (block.values for block in BLOCKS) if kind == "reserved"])
def test_what_is_not_supported_is_refused(plans, text):
    assert plans.codes(text) == ["E0208"]


def test_reserved_words_are_listed():
    listed = re.search(r"\*\*Reserved words\*\*[^`]*`([^`]*)`[^`]*`([^`]*)`", TEXT)
    assert listed is not None
    assert set(listed[1].split()) == grammar().reserved
    assert set(listed[2].split()) == CONTEXTUAL - {"_"}


def test_links_lead_somewhere():
    anchors = {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    }
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        path, _, anchor = target.partition("#")
        assert not path or (PAGE.parent / path).exists(), target
        assert path or anchor in anchors, target
