"""Habits from other languages: their comments, their ways to set, to choose and to count."""

from __future__ import annotations

import re

from llmplan.diagnostics import Diagnostic, Edit, Hint, syntax
from llmplan.diagnostics.spelling import attached
from llmplan.source import Span
from llmplan.syntax.lines import begins_line
from llmplan.syntax.place import Place

_BLOCK = re.compile(r":[ \t]*(#[^\r\n]*)?(\r?\n|\Z|\{)")
_NOTHING = re.compile(r"\ufeff?\s*")
_TABLE = re.compile(r"\[\[?([A-Za-z_]\w*)\]\]?[ \t]*(#[^\r\n]*)?(\r?\n|\Z)")
_CHOICE = re.compile(r"[^?\r\n]*:")
_RANGE_WORDS = ("to", "until", "through", "and")


def comment(place: Place) -> Diagnostic | None:
    """`//`, `/*` and `--`."""
    text, start = place.source.text, place.start
    if place.mark == "/" and place.mark_before == "/" and place.glued:
        return syntax.floor_division(Span(place.source, place.before[1], place.end))
    for sign in ("//", "/*", "--"):
        if text.startswith(sign, start) and (place.mark == "/" or place.item == start):
            return syntax.other_comment(Span(place.source, start, start + 2))
    return None


def setting(place: Place) -> Diagnostic | None:
    """Another sign where `=` sets a value."""
    text, start = place.source.text, place.start
    if not place.takes("=") or not place.before[0]:
        return None
    if place.mark == "==":
        return syntax.comparison_outside(place.span)
    if text.startswith("=", start + 1) and place.mark in (":", "+", "-", "*", "/"):
        return syntax.odd_setting(Span(place.source, start, start + 2))
    if place.mark == ":":
        name = place.last.text
        if _BLOCK.match(text, start):
            opened = text[start + 1 : start + 80].lstrip(" \t").startswith("{")
            edits = (Edit(place.span, ""),) if opened else ()
            return syntax.colon(place.span, Hint(f"write a block as `{name} {{ … }}`", edits))
        return syntax.colon(place.span, syntax.replacement(place.span, " =", "write `=`"))
    return None


def magnitude(place: Place) -> Diagnostic | None:
    """`3 M USD`."""
    if place.before[0] != "MEASURE" or place.kind not in ("NAME", "MEASURE"):
        return None
    hint = attached(place.last)
    return syntax.unexpected(place.last, f"`{place.last.text}`", "", hint) if hint is not None else None


def remainder(place: Place) -> Diagnostic | None:
    """`7 % 3`: the sign was read as a unit."""
    if place.mark_before == "%" and place.kind in ("NUMBER", "NAME", "LPAR"):
        return syntax.modulo(place.last)
    return None


def choice(place: Place) -> Diagnostic | None:
    """`C ? A : B`."""
    if place.mark == "?" and _CHOICE.match(place.source.text, place.end):
        return syntax.unknown_inside(place.span, "write a conditional as `if C then A else B`")
    return None


def range_(place: Place) -> Diagnostic | None:
    """`1...8`, `8 to 64`, `8:64`."""
    last = place.last
    if place.mark == "." and place.mark_before == ".." and place.glued:
        return syntax.range_points(Span(place.source, place.before[1], place.end))
    if place.kind == "NUMBER" and place.before[0] in ("NAME", "MEASURE") and last.text in _RANGE_WORDS:
        return syntax.range_points(last)
    if place.mark == ":" and place.before[0] == "NUMBER" and place.source.text[place.end : place.end + 1].isdigit():
        return syntax.range_points(place.span)
    return None


def quoted(place: Place) -> Diagnostic | None:
    """`"tokens" = 1T`, `"tokens": 1T`: names have no quotes."""
    if place.kind != "TEXT" or place.accepts("NUMBER") or not place.accepts("NAME"):
        return None
    name = place.span.text.strip('"')
    hints = (syntax.replacement(place.span, name, f"write names without quotes: `{name}`"),) if name.isidentifier() else ()
    return syntax.unexpected(place.span, place.span.text, "a name", *hints)


def other_format(place: Place) -> Diagnostic | None:
    """A file in JSON, a table of TOML."""
    text = place.source.text
    if place.mark == "{" and _NOTHING.fullmatch(text, 0, place.start):
        hint = Hint('a plan is not JSON; to read the config.json of a model, write `model from "config.json"` in a plan')
        return syntax.other_format(place.span, hint)
    table = _TABLE.match(text, place.start)
    if place.mark == "[" and table is not None and begins_line(place.source, place.start):
        return syntax.other_format(place.span, Hint(f"write a block as `{table.group(1)} {{ … }}`"))
    return None


def pattern(place: Place) -> Diagnostic | None:
    """`-1 => …`."""
    if place.mark != "-" or not place.takes("_"):
        return None
    hint = Hint("a pattern is an unsigned number, a member, text or `_`; use `if` for negative numbers")
    return syntax.unexpected(place.span, "`-`", "a pattern", hint)


CHECKS = (pattern, other_format, comment, setting, range_, magnitude, remainder, choice, quoted)
