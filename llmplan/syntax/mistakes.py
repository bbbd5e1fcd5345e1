"""From a word that the parser cannot accept to a diagnostic that names the mistake.

Each check knows one habit and returns its diagnostic or None; the first diagnostic wins. Otherwise a plain message
lists the words that are valid in that place.
"""

from __future__ import annotations

import re
from difflib import get_close_matches

from attrs import evolve

from llmplan.diagnostics import Diagnostic, Hint, names, syntax
from llmplan.diagnostics.money import meant_currency
from llmplan.source import Span
from llmplan.syntax import habits, slips
from llmplan.syntax.characters import character_name
from llmplan.syntax.error_context import ErrorContext, expected
from llmplan.syntax.examples import written_like
from llmplan.syntax.grammar import BAD, END, LATER
from llmplan.syntax.lines import begins_line
from llmplan.syntax.separators import missing_separator


def explain(context: ErrorContext) -> Diagnostic:
    checks = (
        _character, _thousands, missing_separator, *habits.CHECKS, *slips.CHECKS, _clause, _unknown, _reserved,
        _operator, _point, _unit, _bracket, _unfinished, _statement,
    )  # fmt: skip
    if (later := _later(context)) is not None:
        return later
    known = next((found for check in checks if (found := check(context)) is not None), None)
    found = known or syntax.unexpected(context.span, f"`{context.span.text}`", expected(context))
    general = written_like(context) if not found.hints else None
    return found if general is None else evolve(found, hints=(general,))


_MEANT = {
    "“": '"', "”": '"', "„": '"', "‘": '"', "’": '"', "'": '"', "`": '"', "×": "*", "·": "*", "÷": "/",
    "−": "-", "–": "-", "—": "-", "≤": "<=", "≥": ">=", "≠": "!=", "…": "..", "→": "->", "\xa0": " ",
    "&": "and", "|": "or", "~": "not",
}  # fmt: skip
_AMOUNT = re.compile(r"[ \t]*([0-9][0-9_.,]*[KMBTkmbt]?)(?![A-Za-z0-9_])([ \t]*USD\b)?((?:/[A-Za-z]+)*)")
_AMOUNT_BEFORE = re.compile(r"([0-9][0-9_.,]*[KMBTkmbt]?)[ \t]*\Z")
_CLOSERS = ("RBRACE", "RPAR", "RSQB")
_GROUPS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(?:\.[0-9]+)?(?![0-9_])")
_CLAUSES = ("when", "because", "else", "weight")
_QUOTED = re.compile(r'"[^"\n]*"')
_WORD = re.compile(r"[A-Za-z_]\w*")
_ODD = {"=<": "<=", "=>": ">=", "<>": "!=", "===": "==", "!==": "!=", "**": "^", "=!": "!=", "><": "!="}
_DIGITS = re.compile(r"[0-9][0-9_]*")
_NUMBER = re.compile(r"[0-9][0-9A-Za-z_.+-]*[ \t]*\Z")
_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


def _later(context: ErrorContext) -> Diagnostic | None:
    """A statement of a later version of the language, whose first word is reserved."""
    begins = context.item == context.start and context.opened is None
    return names.not_yet(context.span) if begins and context.mark in LATER else None


def _character(context: ErrorContext) -> Diagnostic | None:
    if context.kind != BAD:
        return None
    text, start = context.source.text, context.start
    char = text[start]
    if char in "$€£¥":
        return _currency(context, char)
    if char == '"':
        return syntax.unclosed_text(context.span)
    if char in "&|":
        doubled = Span(context.source, start, start + 1 + text.startswith(char, start + 1))
        return syntax.odd_operator(doubled, _MEANT[char])
    if char == "!":
        return syntax.odd_operator(context.span, "not")
    name = character_name(char)
    if char == ";":
        return syntax.bad_character(context.span, name, Hint("write each statement on its own line"))
    if char not in _MEANT:
        return syntax.bad_character(context.span, name)
    meant = _MEANT[char]
    hint = Hint('put text between `"` and `"`') if meant == '"' else syntax.replacement(context.span, meant)
    return syntax.bad_character(context.span, name, hint)


def _currency(context: ErrorContext, sign: str) -> Diagnostic:
    """`$2.50/hour`, `100 €`."""
    text, start, code = context.source.text, context.start, meant_currency(sign) or "USD"
    after, before = _AMOUNT.match(text, start + 1), _AMOUNT_BEFORE.search(text[max(0, start - 100) : start])
    if after is not None:
        amount, rest, span = after.group(1), after.group(3), Span(context.source, start, after.end())
    elif before is not None:
        amount, rest, span = before.group(1), "", Span(context.source, start - len(before.group()), start + 1)
    else:
        return syntax.currency(context.span, sign, None, f"2.50 {code}")
    return syntax.currency(context.span, sign, span, f"{amount.replace(',', '_').upper()} {code}{rest}")


def _thousands(context: ErrorContext) -> Diagnostic | None:
    if context.kind not in ("COMMA", "NUMBER"):
        return None
    text = context.source.text
    comma = context.start if context.kind == "COMMA" else context.start - 1
    if comma < 1 or text[comma] != ",":
        return None
    start = comma
    while start and text[start - 1] in "0123456789,":
        start -= 1
    found = _GROUPS.match(text, start)
    if found is None or not found.start() < comma < found.end():
        return None
    number = Span(context.source, *found.span())
    return syntax.thousands(Span(context.source, comma, comma + 1), number)


def _unknown(context: ErrorContext) -> Diagnostic | None:
    if context.mark == "?":
        return syntax.unknown_inside(context.span)
    if context.mark_before == "?" and context.kind not in ("_NL", END, *_CLOSERS, "COMMA"):
        hint = ""
        if context.mark in ("<", "<=", "==", ">=", ">"):
            hint = "bound an unknown by its domain, `? in 1..64`, or by a `require`"
        elif context.mark == "[" or context.kind == "NUMBER":
            hint = "write `in` before its domain: `? in [1, 2, 4]`"
        elif context.kind == "NAME":
            hint = "an unknown has no unit of its own; give one in its domain: `? in 1 day .. 90 days`"
        return syntax.unknown_inside(context.last, hint)
    return None


def _clause(context: ErrorContext) -> Diagnostic | None:
    """A clause of a requirement or preference that comes after one that it must precede, or comes twice."""
    said = _QUOTED.sub("", context.source.text[context.item : context.start])
    if context.span.text not in _CLAUSES or re.search(r"(?m)^[ \t]*(require|prefer)\b", said) is None:
        return None
    further = _CLAUSES[_CLAUSES.index(context.span.text) :]
    before = next((word for word in further if re.search(rf"\b{word}\b", said)), None)
    return syntax.clause_order(context.span, before, _CLAUSES) if before is not None else None


def _reserved(context: ErrorContext) -> Diagnostic | None:
    if context.before[0] == "MEASURE":
        for part in _WORD.finditer(context.last.text):
            if part.group() in context.grammar.reserved and part.group() != context.last.text:
                start = context.before[1]
                place = Span(context.source, start + part.start(), start + part.end())
                return syntax.reserved_word(place, unit=True)
    used = context.last.text in context.grammar.reserved and context.before[0] not in ("NAME", "MEASURE")
    if used and context.before[1] == context.item and context.mark in ("=", ":", ".", "{"):
        return syntax.reserved_word(context.last)
    return None


def _operator(context: ErrorContext) -> Diagnostic | None:
    text, start = context.source.text, context.start
    if context.glued and context.kind != BAD:
        both = Span(context.source, context.before[1], context.end)
        if both.text in _ODD:
            return syntax.odd_operator(both, _ODD[both.text])
    if context.mark == "=>":
        return syntax.odd_operator(context.span, ">=")
    if context.mark == "=" and _after_expression(context):
        if text.startswith(("=<", "=!"), start):
            return syntax.odd_operator(Span(context.source, start, start + 2), _ODD[text[start : start + 2]])
        return syntax.assignment_inside(context.span)
    if context.mark == "%" and context.accepts("PLUS"):
        return syntax.modulo(context.span)
    return None


def _after_expression(context: ErrorContext) -> bool:
    # The parser may already have reduced the expression before `=`, so an operator need not fit.
    ends = ("EQUAL", "WHEN", "THEN", "RPAR", "FOR", "_NL", END)
    return any(map(context.accepts, ends)) and not context.accepts("INTO")


def _point(context: ErrorContext) -> Diagnostic | None:
    if context.mark != ".":
        return None
    after = _DIGITS.match(context.source.text, context.end)
    if context.before[0] == "NUMBER" and context.glued:
        number = Span(context.source, context.before[1], context.end)
        return syntax.point_without_digits(number, f"{context.last.text}.0")
    if after and context.accepts("NUMBER"):
        return syntax.point_without_digits(Span(context.source, context.start, after.end()), f"0.{after.group()}")
    return None


def _unit(context: ErrorContext) -> Diagnostic | None:
    """`640 GB/hardware.gpus`: the first part of the name was read into the unit."""
    unit = context.last.text
    cut = max(unit.rfind("/"), unit.rfind("*")) + 1
    path = _PATH.match(context.source.text, context.before[1] + cut)
    if path is None or context.mark != "." or context.before[0] != "MEASURE":
        return None
    name = Span(context.source, *path.span())
    if not cut:
        return syntax.unexpected(name, f"`{name.text}`", "a unit")
    number = _NUMBER.search(context.source.text[: context.before[1]][-400:])
    start = context.before[1] - (len(number.group()) if number else 0)
    amount = f"{number.group().rstrip()} " if number else ""
    spaced = f"{amount}{unit[: cut - 1]} {unit[cut - 1]} {name.text}"
    return syntax.name_in_unit(name, Span(context.source, start, path.end()), spaced)


def _bracket(context: ErrorContext) -> Diagnostic | None:
    first = begins_line(context.source, context.start)
    if first and (context.mark == "[" or context.mark == "{" and not context.before[0]):
        return syntax.bracket_first(context.span)
    if context.kind == "_NL" and context.source.text.startswith("{", context.end) and context.accepts("LBRACE"):
        return syntax.bracket_first(Span(context.source, context.end, context.end + 1))
    if context.mark in (")", "]", "}") and context.opened is None:
        return syntax.closes_nothing(context.span)
    return None


def _unfinished(context: ErrorContext) -> Diagnostic | None:
    if context.kind not in ("_NL", END, "COMMA", *_CLOSERS) and context.mark not in ("=>", "then", "else"):
        return None
    if not context.before[0]:
        return syntax.no_value(context.span) if context.kind in ("_NL", END) else None
    if context.kind == "RBRACE" and context.accepts("LET"):
        body = context.source.text[context.opened or 0 : context.start].splitlines()
        carried = [line.strip()[:1] for line in body if line.strip()[:1] in ("-", "+")]
        return syntax.empty_body(context.span, carried[-1] if carried else "")
    if context.kind == "COMMA" and context.accepts("_NL"):
        return syntax.comma_at_end(context.span)
    if context.accepts("NUMBER") or context.mark_before == "=":
        return syntax.unfinished(context.last, "a value")
    if context.kind in ("_NL", END, "RBRACE"):
        return syntax.unfinished_statement(context.last, expected(context))
    return None


def _statement(context: ErrorContext) -> Diagnostic | None:
    if context.item == context.start:
        if context.span.text in context.grammar.reserved and context.opened is not None:
            return syntax.statement_inside(context.span, Span(context.source, context.opened, context.opened + 1))
        return None
    if context.before[0] == "NAME" and context.before[1] == context.item and context.opened is None:
        grammar = context.grammar
        words = sorted(word for word in grammar.reserved if grammar.words[word] in grammar.first)
        likely = get_close_matches(context.last.text, words, 1, 0.7)
        if likely or context.kind in ("NAME", "NUMBER"):
            meant = [syntax.replacement(context.last, word, f"did you mean `{word}`?") for word in likely]
            return syntax.begins_no_statement(context.last, *meant)
    if context.kind in ("NAME", "NUMBER", "TEXT") and (context.accepts("PLUS") or context.before[0] == "MEASURE"):
        return _misspelt(context) or syntax.missing_operator(context.span)
    if context.kind == "NAME" and context.accepts("TEXT") and not context.accepts("NUMBER"):
        quoted = syntax.replacement(context.span, f'"{context.span.text}"')
        return syntax.unexpected(context.span, f"`{context.span.text}`", "text in quotes", quoted)
    return None


def _misspelt(context: ErrorContext) -> Diagnostic | None:
    """`require a <= b becuase "…"`; after a number the word was read as a unit."""
    words = [word for word, kind in context.grammar.words.items() if context.accepts(kind) and len(word) > 2]
    for span in (context.span, context.last):
        likely = get_close_matches(span.text, words, 1, 0.7)
        if likely:
            meant = syntax.replacement(span, likely[0], f"did you mean `{likely[0]}`?")
            return syntax.unexpected(span, f"`{span.text}`", "", meant)
    return None
