"""Characters that show as nothing, or that steer what shows them: which they are, and how they are shown.

Input is any text (of a plan, a file's name, a record), output the same with each of these written as an escape. They
are refused in plans; whatever else people read passes through `visible` on its way to a terminal or a report.
"""

from __future__ import annotations

import re

_PICTURES = "\u00a9\u00ae\u2049\u203c\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"

HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, those of a terminal among them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # the direction in which text is shown
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0d"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # of no width; tags
    "\u2028\u2029"  # line ends elsewhere, not in plans
    "\ud800-\udfff"  # halves of characters, in names of files that are not UTF-8
    "]"
    "|\r(?!\n)"
    f"|(?<![{_PICTURES}])[\ufe0e\ufe0f]"  # elsewhere than behind the picture whose form they choose
)
"""Invisible characters, except tabs and line ends."""

_STEERING = re.compile(f"[\t\r\n]|{HIDDEN.pattern}")


def visible(text: str) -> str:
    """The text with hidden characters as escapes, which mean the same in JSON: `\\u202e`."""
    return text if text.isascii() and text.isprintable() else HIDDEN.sub(_escape, text)


def visible_line(text: str) -> str:
    """The same with line ends and tabs as escapes too, so that one line stays one."""
    return text if text.isascii() and text.isprintable() else _STEERING.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
