"""Texts of other people in Markdown: no markup, no link, no mention, and still readable."""

from __future__ import annotations

import re
import time

import pytest

from llmplan.present.escape import code, markdown


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("ask @alice first", "ask `@alice` first"),
        ("ask @org/team, then (@bob).", "ask `@org/team`, then (`@bob`)."),
        ("mail me@example.org.", "mail `me@example.org`."),
        ("see https://example.org/a_b?c=1*2.", "see `https://example.org/a_b?c=1*2`."),
        ("www.example.org or ftp://x", "`www.example.org` or `ftp://x`"),
        ("mailto:a@b.c", "`mailto:a@b.c`"),
        ("fixes #12, org/repo#3 and GH-4 or !5", "fixes `#12`, `org/repo#3` and `GH-4` or `!5`"),
        ("da39a3ee5e6b4b0d3255bfef95601890afd80709", "`da39a3ee5e6b4b0d3255bfef95601890afd80709`"),
        ("entities &#64;bob, &commat;bob", r"entities &`#64`;bob, \&commat;bob"),
        ("`@code` stays", "`@code` stays"),
        ("8 > 3, a != b and 5 % of 7", "8 > 3, a != b and 5 % of 7"),
        ("a\u202eb", r"a\\u202eb"),
        ("[x](javascript:y) <img>", r"\[x\](javascript:y) \<img>"),
    ],
)
def test_prose(text, written):
    assert markdown(text) == written


@pytest.mark.parametrize(
    "text",
    ["@a`@b`@c", "``@a``", "` @a ` @b `", "@a @b*c* @d", "x@y@z", "https://a`b`c", "@", "#1#2!3", "`" * 7 + "@a"],
)
def test_no_mention_is_left_outside_of_code(text):
    """As CommonMark reads it: after escapes, what stands between runs of as many backticks is code."""
    outside = re.sub(r"\\`", "", markdown(text))
    outside = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", " ", outside)
    assert not re.search(r"@\w|https?://|[#!]\d", outside), markdown(text)


def test_a_code_span_shows_what_is_hidden():
    assert code("a\u202e`b") == "``a\\u202e`b``"


@pytest.mark.parametrize("unit", ["a", "a.", "a/", "a@", "-", "1/", "#", "aa://", "`", "!"])
def test_long_texts_take_time_in_proportion(unit):
    before = time.process_time()
    markdown(unit * (200_000 // len(unit)))
    assert time.process_time() - before < 1.0
