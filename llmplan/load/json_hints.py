"""The usual intentions behind JSON texts that do not parse.

Takes the text, where the parser stopped and what it said; gives the place of the slip, its cause and what to do.
"""

from __future__ import annotations

import re

from attrs import frozen

_PYTHON = {"True": "true", "False": "false", "None": "null"}
_COMMENT = re.compile(r"//|/\*|#")
_WORD = re.compile(r"[A-Za-z_]\w{0,40}")
_TRAILING = re.compile(r",\s*[}\]]")


@frozen
class Slip:
    """A mistake in a JSON text: its first character, what it is, and what to do."""

    at: int
    cause: str
    hint: str = ""


def slip(text: str, at: int, said: str) -> Slip:
    """The usual mistake behind what the parser said about a place.

    Args:
        said: The parser's own words, for what is none of the usual mistakes.
    """
    if not text.strip():
        return Slip(0, "the file is empty")
    at = min(at, len(text))
    before = text[:at].rstrip()
    comma = len(before) - 1 if before.endswith(",") else at
    rest = text[at:].lstrip()
    if _TRAILING.match(text, comma):
        closer = text[comma + 1 :].lstrip()[0]
        return Slip(comma, f"a comma before the closing `{closer}`", "remove the comma")
    at = len(text) - len(rest) if rest else at
    word = _WORD.match(rest)
    if not rest or said.startswith("Unterminated"):
        return Slip(at, "the text ends before the object does", "a closing bracket or quotation mark is missing")
    if _COMMENT.match(rest):
        return Slip(at, "a comment", "JSON has no comments: remove it")
    if rest[0] == "'":
        return Slip(at, "a text in single quotes", 'JSON writes texts in double quotes: `"…"`')
    if word is not None and word[0] in _PYTHON:
        return Slip(at, f"`{word[0]}` of Python", f"JSON writes `{_PYTHON[word[0]]}`")
    if word is not None and "property name" in said:
        return Slip(at, "a key without quotes", 'JSON writes keys in double quotes: `"…"`')
    if "delimiter" in said and "','" in said:
        return Slip(at, "a comma is missing before this", "separate entries by a comma")
    if said.startswith("Extra data"):
        return Slip(at, "something follows the object", "a configuration is one object, from `{` to its `}`")
    return Slip(at, said[:1].lower() + said[1:])
