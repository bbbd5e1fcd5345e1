"""Hidden characters: which are, how they are shown, and that nothing shown steers a terminal or deceives a reader."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest

from llmplan.escape import HIDDEN, visible, visible_line

SHOWN = "abc é 予算 ß −\u00a0“”✓ ☀\ufe0f 👍\ufe0f \u0600 e\u0301 ａ\n\tx\r\n"


@pytest.mark.parametrize(
    ("char", "escape"),
    [
        ("\x1b", r"\u001b"),
        ("\x7f", r"\u007f"),
        ("\x9b", r"\u009b"),
        ("\xad", r"\u00ad"),
        ("\u200b", r"\u200b"),
        ("\u200d", r"\u200d"),
        ("\u202e", r"\u202e"),
        ("\u2028", r"\u2028"),
        ("\u2066", r"\u2066"),
        ("\ufeff", r"\ufeff"),
        ("\ufe0f", r"\ufe0f"),
        ("\U000e0041", r"\udb40\udc41"),
        ("\udcff", r"\udcff"),
        ("\r", r"\u000d"),
    ],
)
def test_escapes_that_json_reads_back(char, escape):
    assert visible(f"a{char}b") == f"a{escape}b"
    assert json.loads(f'"{visible(char)}"') == char


def test_what_shows_stays():
    assert visible(SHOWN) == SHOWN
    assert visible_line("a\nb\tc") == r"a\u000ab\u0009c"


def test_every_character_that_no_reader_sees():
    """All that Unicode calls a control, a format character or a separator of lines; some scripts have visible ones."""
    visible_formats = {
        *range(0x600, 0x606),
        0x6DD,
        0x70F,
        0x890,
        0x891,
        0x8E2,
        0x110BD,
        0x110CD,
        *range(0x13430, 0x13456),
    }
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and code not in visible_formats:
            assert char in "\n\t" or HIDDEN.search(f"a{char}b") or char == "\r", f"U+{code:04X}"


@pytest.mark.slow
def test_a_long_text_takes_no_time():
    assert visible("x\u202e" * 500_000).endswith(r"\u202e")
