"""What a text may be: the patterns that an author may write, and what they allow."""

from __future__ import annotations

import time

import pytest

from llmplan.check.patterns import LONGEST, Pattern, is_pattern


@pytest.mark.parametrize(
    "text",
    [
        "[A-Za-z0-9_.,-]*",
        "[a-z]([a-z0-9-]{0,48}[a-z0-9])?",
        "[^:]+:/[^:]*",
        "run-[0-9]+",
        r"[^\\#]*",
        "(module|conda activate) [a-z]+",
    ],
)
def test_patterns(text: str) -> None:
    assert is_pattern(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(a+)+",
        "([a-z]+)*",
        "(?=a)b",
        r"(a)\1",
        "[a",
        "[z-a]",
        "a.b",
        "a|b",
        "(a|b",
        "(a|b)+",
        "([a-z]+|b)",
        "[a]*[b]*[c]*[d]*",
        "[a]{0,9999}",
        "[a]**",
        r"[^\#]*",
    ],
)
def test_what_takes_long_or_means_nothing_is_not_a_pattern(text: str) -> None:
    assert not is_pattern(text)


def test_what_is_allowed() -> None:
    name = Pattern("[a-z]([a-z0-9-]{0,4}[a-z0-9])?", "a name")
    assert [text for text in ("", "a", "run-7", "run-", "7b", "runner7", "Run", "a b") if name.allows(text)] == [
        "", "a", "run-7",
    ]  # fmt: skip
    mounts = Pattern("[^:]+:/[^:]*", "claims", ",")
    assert mounts.allows("data:/data, more:/more,") and not mounts.allows("data:/data,more")
    lines = Pattern("(module|conda activate) [a-z]+", "lines", "\n")
    assert lines.allows("module load\n conda activate a") and not lines.allows("module load\nrm a")
    assert not Pattern("[a]*", "").allows("a" * (LONGEST + 1))


def test_the_slowest_pattern_is_quick() -> None:
    began = time.process_time()
    assert not Pattern("[a]*[a]*[a]*[b]", "").allows("a" * LONGEST)
    assert time.process_time() - began < 5


PLAN = """kind queue {
    @pattern("[a-z]*", "lowercase letters")
    name: Text = "long"
    @pattern("[a-z]*", "lowercase letters", ",")
    others: Text = queue.name
}
show 1 GPU
"""


@pytest.mark.parametrize(
    ("more", "options"),
    [
        ('queue.name = "Long"\n', {}),
        ("", {"settings": [("queue.name", '"Long"')]}),
        ('scenario "busy" { queue.name = "Long" }\n', {}),
    ],
)
def test_a_text_is_legal_wherever_it_is_set(plans, more: str, options: dict[str, object]) -> None:
    (wrong,) = (found for found in plans.check(PLAN + more, **options) if found.severity == "error")
    assert (wrong.code, wrong.message) == ("E0305", '`queue.name` is "Long", outside its domain lowercase letters')
    assert wrong.span is not None and wrong.span.text == '"Long"'


def test_a_pattern_belongs_to_a_text(plans) -> None:
    for line in ('@pattern("[a-z]*", "letters") size: Int = 3', '@pattern("(a+)+", "letters") name: Text = "a"'):
        assert plans.codes(f"kind queue {{ {line} }}\nshow 1 GPU\n") == ["E0310"]
