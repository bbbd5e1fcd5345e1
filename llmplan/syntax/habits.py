"""Habits from other languages: their syntax for comments, assignments, conditionals and ranges."""

from __future__ import annotations

import re

from llmplan.diagnostics import Diagnostic, Edit, Hint, syntax
from llmplan.diagnostics.spelling import attached, magnitude_letter
from llmplan.source import Span
from llmplan.syntax.error_context import ErrorContext
from llmplan.syntax.lines import begins_line

_BLOCK = re.compile(r":[ \t]*(#[^\r\n]*)?(\r?\n|\Z|\{)")
_NOTHING = re.compile(r"\ufeff?\s*")
_TABLE = re.compile(r"\[\[?([A-Za-z_]\w*)\]\]?[ \t]*(#[^\r\n]*)?(\r?\n|\Z)")
_CONDITIONAL = re.compile(r"if\b([^\r\n{]+?)(?:\bthen\b|[:,])[ \t]*(require|prefer)\b([^\r\n]+)")
_VARIANT = re.compile(r'(?P<kind>[a-z_]\w*)[ \t]+(?P<word>like[ \t]+)(?P<name>"[^"\r\n]*")')
_PER = re.compile(r"([ \t]+per[ \t]+[A-Za-z]+)+")
_CHOICE = re.compile(r"[^?\r\n]*:")
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {"a": 1, "half": 0.5, **{word: number for number, word in enumerate(_COUNTED, 1)}}
_RANGE_WORDS = ("to", "until", "through", "and")


def comment(context: ErrorContext) -> Diagnostic | None:
    """`//`, `/*` and `--`."""
    text, start = context.source.text, context.start
    if context.mark == "/" and context.mark_before == "/" and context.glued:
        return syntax.floor_division(Span(context.source, context.before[1], context.end))
    for sign in ("//", "/*", "--"):
        if text.startswith(sign, start) and (context.mark == "/" or context.item == start):
            return syntax.other_comment(Span(context.source, start, start + 2))
    return None


def setting(context: ErrorContext) -> Diagnostic | None:
    """Another sign in the place of the `=` that sets a value."""
    text, start = context.source.text, context.start
    if not context.takes("=") or not context.before[0]:
        return None
    if context.mark == "==":
        return syntax.comparison_outside(context.span)
    if text.startswith("=", start + 1) and context.mark in (":", "+", "-", "*", "/"):
        return syntax.odd_setting(Span(context.source, start, start + 2))
    if context.mark == ":":
        name = context.last.text
        if _BLOCK.match(text, start):
            opened = text[start + 1 : start + 80].lstrip(" \t").startswith("{")
            edits = (Edit(context.span, ""),) if opened else ()
            return syntax.colon(context.span, Hint(f"write a block as `{name} {{ … }}`", edits))
        return syntax.colon(context.span, syntax.replacement(context.span, " =", "write `=`"))
    return None


def magnitude(context: ErrorContext) -> Diagnostic | None:
    """`3 M USD`, `one trillion`."""
    number = _NUMBERS.get(context.last.text.lower())
    if context.kind == "NAME" and number is not None and (letter := magnitude_letter(context.span.text)):
        both = Span(context.source, context.before[1], context.end)
        return syntax.unexpected(both, f"`{both.text}`", "a number", syntax.replacement(both, f"{number}{letter}"))
    if context.before[0] != "MEASURE" or context.kind not in ("NAME", "MEASURE"):
        return None
    hint = attached(context.last)
    return syntax.unexpected(context.last, f"`{context.last.text}`", "", hint) if hint is not None else None


def unit_in_words(context: ErrorContext) -> Diagnostic | None:
    """`10 Gbit/s per node`, and `8 x 200 Gbit/s`, in which `x` was read as a unit."""
    if context.before[0] != "MEASURE":
        return None
    if context.kind == "NUMBER" and context.last.text in ("x", "X"):
        hint = syntax.replacement(context.last, "*", f"write `* {context.span.text}` to multiply")
        return syntax.unexpected(context.last, f"`{context.last.text}`", "a unit or an operator", hint)
    words = _PER.match(context.source.text, context.before[2])
    if words is None:
        return None
    both = Span(context.source, context.before[1], words.end())
    unit = re.sub(r"[ \t]+per[ \t]+", "/", both.text)
    hint = syntax.replacement(both, unit, f"a unit is one word: write `{unit}`")
    return syntax.unexpected(Span(context.source, context.start, words.end()), f"`{words.group().strip()}`", "", hint)


def remainder(context: ErrorContext) -> Diagnostic | None:
    """`7 % 3`: the sign was read as a unit."""
    if context.mark_before == "%" and context.kind in ("NUMBER", "NAME", "LPAR"):
        return syntax.modulo(context.last)
    return None


def choice(context: ErrorContext) -> Diagnostic | None:
    """`C ? A : B`."""
    if context.mark == "?" and _CHOICE.match(context.source.text, context.end):
        return syntax.unknown_inside(context.span, "write a conditional as `if C then A else B`")
    return None


def range_(context: ErrorContext) -> Diagnostic | None:
    """`1...8`, `8 to 64`, `8:64`."""
    last = context.last
    if context.mark == "." and context.mark_before == ".." and context.glued:
        return syntax.range_points(Span(context.source, context.before[1], context.end))
    if context.kind == "NUMBER" and context.before[0] in ("NAME", "MEASURE") and last.text in _RANGE_WORDS:
        return syntax.range_points(last)
    if (
        context.mark == ":"
        and context.before[0] == "NUMBER"
        and context.source.text[context.end : context.end + 1].isdigit()
    ):
        return syntax.range_points(context.span)
    return None


def quoted(context: ErrorContext) -> Diagnostic | None:
    """`"tokens" = 1T`, `"tokens": 1T`: names have no quotes."""
    if context.kind != "TEXT" or context.accepts("NUMBER") or not context.accepts("NAME"):
        return None
    name = context.span.text.strip('"')
    hints = (
        (syntax.replacement(context.span, name, f"write names without quotes: `{name}`"),)
        if name.isidentifier()
        else ()
    )
    return syntax.unexpected(context.span, context.span.text, "a name", *hints)


def other_format(context: ErrorContext) -> Diagnostic | None:
    """A file in JSON, a table of TOML."""
    text = context.source.text
    if context.mark == "{" and _NOTHING.fullmatch(text, 0, context.start):
        hint = Hint(
            'a plan is not JSON; to read the config.json of a model, write `model from "config.json"` in a plan'
        )
        return syntax.bracket_first(context.span, hint)
    table = _TABLE.match(text, context.start)
    if context.mark == "[" and table is not None and begins_line(context.source, context.start):
        return syntax.bracket_first(context.span, Hint(f"write a block as `{table.group(1)} {{ … }}`"))
    return None


def condition(context: ErrorContext) -> Diagnostic | None:
    """`if A then require B`: the condition of a requirement comes after it."""
    rest = _CONDITIONAL.match(context.source.text, context.start)
    if context.span.text != "if" or context.start != context.item or rest is None:
        return None
    when, word, what = (part.strip() for part in rest.groups())
    text = f"{word} {what} when {when}"
    whole = Span(context.source, context.start, rest.end())
    return syntax.unexpected(context.span, "`if`", "a statement", syntax.replacement(whole, text))


def variant(context: ErrorContext) -> Diagnostic | None:
    """`model like "llama-13b" { … }`: an entry with other values is written as that entry with a block."""
    found = _VARIANT.match(context.source.text, context.item)
    if found is None or not context.item <= context.start <= found.end("word"):
        return None
    word = Span(context.source, found.start("word"), found.end("word"))
    hint = Hint(f"an entry with other values is written `{found['kind']} {found['name']} {{ … }}`", (Edit(word, ""),))
    return syntax.unexpected(word, "`like`", "text in quotes", hint)


def pattern(context: ErrorContext) -> Diagnostic | None:
    """`-1 => …`."""
    if context.mark != "-" or not context.takes("_"):
        return None
    hint = Hint("a pattern is an unsigned number, a member, text or `_`; use `if` for negative numbers")
    return syntax.unexpected(context.span, "`-`", "a pattern", hint)


CHECKS = (
    condition,
    variant,
    pattern,
    other_format,
    comment,
    setting,
    range_,
    magnitude,
    unit_in_words,
    remainder,
    choice,
    quoted,
)
