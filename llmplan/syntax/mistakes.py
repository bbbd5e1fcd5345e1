"""From a word that the parser cannot take to a diagnostic that says what its author did.

Each check knows one habit and answers with its diagnostic or None; the first that knows wins, and
what none knows is said plainly with what could have stood there.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches

from attrs import evolve

from llmplan.diagnostics import Diagnostic, Hint, syntax
from llmplan.source import Span
from llmplan.syntax import foreign
from llmplan.syntax.forms import form
from llmplan.syntax.lexer import BAD
from llmplan.syntax.lines import begins_line
from llmplan.syntax.place import Place, expected
from llmplan.syntax.tables import END


def explain(place: Place) -> Diagnostic:
    found = _habit(place) or syntax.unexpected(place.span, f"`{place.span.text}`", expected(place))
    general = form(place) if not found.hints else None
    return found if general is None else evolve(found, hints=(general,))


def _habit(place: Place) -> Diagnostic | None:
    for check in (
        _character, _thousands, *foreign.CHECKS, _unknown, _reserved, _operator, _point, _unit, _bracket,
        _unfinished, _statement,
    ):  # fmt: skip
        found = check(place)
        if found is not None:
            return found
    return None


# Habits

_MEANT = {
    "“": '"', "”": '"', "„": '"', "‘": '"', "’": '"', "'": '"', "`": '"', "×": "*", "·": "*", "÷": "/",
    "−": "-", "–": "-", "—": "-", "≤": "<=", "≥": ">=", "≠": "!=", "…": "..", "→": "->", "\xa0": " ",
    "&": "and", "|": "or", "~": "not",
}  # fmt: skip
_AMOUNT = re.compile(r"[ \t]*([0-9][0-9_.,]*[KMBT]?)(?![A-Za-z0-9_])([ \t]*USD\b)?((?:/[A-Za-z]+)*)")
_AMOUNT_BEFORE = re.compile(r"([0-9][0-9_.,]*[KMBT]?)[ \t]*\Z")
_CLOSERS = ("RBRACE", "RPAR", "RSQB")


def _character(place: Place) -> Diagnostic | None:
    if place.kind != BAD:
        return None
    text, start = place.source.text, place.start
    char = text[start]
    if char in "$€£¥":
        return _currency(place, char)
    if char == '"':
        return syntax.unclosed_text(place.span)
    if char in "&|":
        doubled = Span(place.source, start, start + 1 + text.startswith(char, start + 1))
        return syntax.odd_operator(doubled, _MEANT[char])
    if char == "!":
        return syntax.odd_operator(place.span, "not")
    name = character_name(char)
    if char == ";":
        return syntax.bad_character(place.span, name, Hint("write each statement on its own line"))
    meant = _MEANT.get(char, "")
    if meant == '"':
        return syntax.bad_character(place.span, name, Hint('put text between `"` and `"`'))
    hints = (syntax.replacement(place.span, meant),) if meant else ()
    return syntax.bad_character(place.span, name, *hints)


def _currency(place: Place, sign: str) -> Diagnostic:
    """`$2.50/hour`, `100 €`."""
    text, start = place.source.text, place.start
    after, before = _AMOUNT.match(text, start + 1), _AMOUNT_BEFORE.search(text[max(0, start - 100) : start])
    if after is not None:
        amount, rest, span = after.group(1), after.group(3), Span(place.source, start, after.end())
    elif before is not None:
        amount, rest, span = before.group(1), "", Span(place.source, start - len(before.group()), start + 1)
    else:
        return syntax.currency(place.span, sign, None, "2.50 USD")
    return syntax.currency(place.span, sign, span, f"{amount.replace(',', '_')} USD{rest}")


def character_name(char: str) -> str:
    """What to call a character in a message."""
    if char.isascii() and char.isprintable():
        return f"`{char}`"
    name = unicodedata.name(char, "").lower()
    code = f"U+{ord(char):04X}"
    if not char.isprintable():
        return f"the character {code}" + (f" ({name})" if name else "")
    return f"`{char}` ({name or code})"


_GROUPS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(?:\.[0-9]+)?(?![0-9_])")


def _thousands(place: Place) -> Diagnostic | None:
    if place.kind not in ("COMMA", "NUMBER"):
        return None
    text = place.source.text
    comma = place.start if place.kind == "COMMA" else place.start - 1
    if comma < 1 or text[comma] != ",":
        return None
    start = comma
    while start and text[start - 1] in "0123456789,":
        start -= 1
    found = _GROUPS.match(text, start)
    if found is None or not found.start() < comma < found.end():
        return None
    number = Span(place.source, *found.span())
    return syntax.thousands(Span(place.source, comma, comma + 1), number)


def _unknown(place: Place) -> Diagnostic | None:
    if place.mark == "?":
        return syntax.unknown_inside(place.span)
    if place.mark_before == "?" and place.kind not in ("_NL", END, *_CLOSERS, "COMMA"):
        hint = ""
        if place.mark in ("<", "<=", "==", ">=", ">"):
            hint = "bound an unknown by its domain, `? in 1..64`, or by a `require`"
        elif place.mark == "[" or place.kind == "NUMBER":
            hint = "write `in` before its domain: `? in [1, 2, 4]`"
        elif place.kind == "NAME":
            hint = "an unknown has no unit of its own; give one in its domain: `? in 1 day .. 90 days`"
        return syntax.unknown_inside(place.last, hint)
    return None


def _reserved(place: Place) -> Diagnostic | None:
    used = place.last.text in place.tables.reserved and place.before[0] not in ("NAME", "MEASURE")
    if used and place.before[1] == place.item and place.mark in ("=", ":", ".", "{"):
        return syntax.reserved_word(place.last)
    return None


_ODD = {"=<": "<=", "=>": ">=", "<>": "!=", "===": "==", "!==": "!=", "**": "^", "=!": "!=", "><": "!="}


def _operator(place: Place) -> Diagnostic | None:
    text, start = place.source.text, place.start
    if place.glued and place.kind != BAD:
        both = Span(place.source, place.before[1], place.end)
        if both.text in _ODD:
            return syntax.odd_operator(both, _ODD[both.text])
    if place.mark == "=>":
        return syntax.odd_operator(place.span, ">=")
    if place.mark == "=" and _after_expression(place):
        for odd in ("=<", "=!"):
            if text.startswith(odd, start):
                return syntax.odd_operator(Span(place.source, start, start + 2), _ODD[odd])
        return syntax.assignment_inside(place.span)
    if place.mark == "%" and place.accepts("PLUS"):
        return syntax.modulo(place.span)
    return None


def _after_expression(place: Place) -> bool:
    # The parser may already have taken `=` for the end of the expression, so an operator need not fit.
    ends = ("EQUAL", "WHEN", "THEN", "RPAR", "FOR", "_NL", END)
    return any(map(place.accepts, ends)) and not place.accepts("INTO")


_DIGITS = re.compile(r"[0-9][0-9_]*")


def _point(place: Place) -> Diagnostic | None:
    if place.mark != ".":
        return None
    after = _DIGITS.match(place.source.text, place.end)
    if place.before[0] == "NUMBER" and place.glued:
        return syntax.point_without_digits(
            Span(place.source, place.before[1], place.end), f"{place.last.text}.0"
        )
    if after and place.accepts("NUMBER"):
        return syntax.point_without_digits(Span(place.source, place.start, after.end()), f"0.{after.group()}")
    return None


_NUMBER = re.compile(r"[0-9][0-9A-Za-z_.+-]*[ \t]*\Z")
_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


def _unit(place: Place) -> Diagnostic | None:
    """`640 GB/hardware.gpus`: the unit took the first part of the name."""
    if place.mark != "." or place.before[0] != "MEASURE":
        return None
    unit = place.last.text
    cut = max(unit.rfind("/"), unit.rfind("*")) + 1
    path = _PATH.match(place.source.text, place.before[1] + cut)
    if path is None:
        return None
    name = Span(place.source, *path.span())
    if not cut:
        return syntax.unexpected(name, f"`{name.text}`", "a unit")
    number = _NUMBER.search(place.source.text[: place.before[1]][-400:])
    start = place.before[1] - (len(number.group()) if number else 0)
    spaced = f"{unit[: cut - 1]} {unit[cut - 1]} {name.text}"
    if number:
        spaced = f"{number.group().rstrip()} {spaced}"
    return syntax.name_in_unit(name, Span(place.source, start, path.end()), spaced)


def _bracket(place: Place) -> Diagnostic | None:
    first = begins_line(place.source, place.start)
    if place.mark == "{" and first and not place.before[0]:
        return syntax.bracket_on_own_line(place.span, "statement")
    if place.mark == "[" and first:
        return syntax.bracket_on_own_line(place.span, "statement")
    if place.kind == "_NL" and place.source.text.startswith("{", place.end) and place.accepts("LBRACE"):
        return syntax.bracket_on_own_line(Span(place.source, place.end, place.end + 1), "statement")
    if place.mark in (")", "]", "}") and place.opened is None:
        return syntax.closes_nothing(place.span)
    return None


def _unfinished(place: Place) -> Diagnostic | None:
    if place.kind not in ("_NL", END, "COMMA", *_CLOSERS) and place.mark not in ("=>", "then", "else"):
        return None
    if not place.before[0]:
        return syntax.no_value(place.span) if place.kind in ("_NL", END) else None
    if place.kind == "RBRACE" and place.accepts("LET"):
        body = place.source.text[place.opened or 0 : place.start].splitlines()
        carried = [line.strip()[:1] for line in body if line.strip()[:1] in ("-", "+")]
        return syntax.empty_body(place.span, carried[-1] if carried else "")
    if place.kind == "COMMA" and place.accepts("_NL"):
        return syntax.comma_at_end(place.span)
    if place.accepts("NUMBER") or place.mark_before == "=":
        return syntax.unfinished(place.last, "a value")
    if place.kind in ("_NL", END, "RBRACE"):
        return syntax.unfinished_statement(place.last, expected(place))
    return None


def _statement(place: Place) -> Diagnostic | None:
    if place.item == place.start:
        if place.span.text in place.tables.reserved and place.opened is not None:
            return syntax.statement_inside(place.span, Span(place.source, place.opened, place.opened + 1))
        return None
    if place.before[0] == "NAME" and place.before[1] == place.item and place.opened is None:
        words = sorted(
            place.tables.reserved & {w for w, k in place.tables.words.items() if _begins(place, k)}
        )
        likely = get_close_matches(place.last.text, words, 1, 0.7)
        if likely or place.kind in ("NAME", "NUMBER"):
            return syntax.begins_no_statement(place.last, likely[0] if likely else "")
    if place.kind in ("NAME", "NUMBER", "TEXT") and (place.accepts("PLUS") or place.before[0] == "MEASURE"):
        return _misspelt(place) or syntax.missing_operator(place.span)
    if place.kind == "NAME" and place.accepts("TEXT") and not place.accepts("NUMBER"):
        quoted = syntax.replacement(place.span, f'"{place.span.text}"')
        return syntax.unexpected(place.span, f"`{place.span.text}`", "text in quotes", quoted)
    return None


def _misspelt(place: Place) -> Diagnostic | None:
    """`require a <= b becuase "…"`; after a number the word was read as a unit."""
    words = [word for word, kind in place.tables.words.items() if place.accepts(kind) and len(word) > 2]
    for span in (place.span, place.last):
        likely = get_close_matches(span.text, words, 1, 0.7)
        if likely:
            return syntax.unexpected(
                span,
                f"`{span.text}`",
                "",
                syntax.replacement(span, likely[0], f"did you mean `{likely[0]}`?"),
            )
    return None


def _begins(place: Place, kind: str) -> bool:
    return kind in place.tables.actions[place.tables.starts["file"][0]]
