"""Mistakes in the text of a plan: E0101 to E0112, and E0205 where a unit swallows a name."""

from __future__ import annotations

from llmplan.diagnostics.record import Diagnostic, Edit, Hint, Label
from llmplan.source import Span


def _error(
    code: str,
    message: str,
    span: Span,
    label: str = "",
    *hints: Hint,
    notes: tuple[str, ...] = (),
    others: tuple[Label, ...] = (),
) -> Diagnostic:
    return Diagnostic(code, "error", message, span, label, others, notes, hints)


def replacement(span: Span, text: str, says: str = "") -> Hint:
    """The hint to write something else at a place."""
    return Hint(says or f"write `{text}`", (Edit(span, text),))


# E0101: unfinished


def unfinished(last: Span, missing: str, follows: Span | None = None) -> Diagnostic:
    """The line, bracket or file ends after `last`, and something must follow."""
    hint = Hint(f"finish it on this line, or start the next line with `{last.text}`")
    return _error(
        "E0101",
        f"this expression stops after `{last.text}`",
        last,
        f"{missing} must follow",
        *((hint,) if _carries_on(last.text) else ()),
    )


def _carries_on(text: str) -> bool:
    return (
        not text[0].isalnum()
        and text not in "()[]{},?@"
        or text in ("and", "or", "then", "else", "when", "in")
    )


def unfinished_statement(last: Span, missing: str) -> Diagnostic:
    return _error("E0101", f"this statement stops after `{last.text}`", last, f"{missing} must follow")


def no_opening(name: Span) -> Diagnostic:
    """A name, fields and a `}`, but no `{`."""
    end = Span(name.source, name.end, name.end)
    hint = Hint(f"write `{name.text} {{`", (Edit(end, " {"),))
    return _error("E0101", f"this statement stops after `{name.text}`", name, "`{` must follow", hint)


def empty_body(closing: Span, operator: str) -> Diagnostic:
    """A `{ }` body without a last expression."""
    hints: tuple[Hint, ...] = ()
    if operator:
        hints = (
            Hint(
                f"a line that begins with `{operator}` carries on the line above: put the value in parentheses"
            ),
        )
    return _error("E0101", "this body gives no value", closing, "an expression must stand before it", *hints)


def no_value(span: Span) -> Diagnostic:
    """Where a value was asked for there is none at all."""
    return _error("E0101", "there is no value", span, "a value must stand here")


# E0102 to E0107: one habit each


def thousands(comma: Span, number: Span) -> Diagnostic:
    digits = number.text.replace(",", "")
    groups = number.text.replace(",", "_")
    return _error(
        "E0102",
        "a number is written without commas",
        comma,
        "",
        replacement(number, groups, f"write `{groups}` or `{digits}`"),
    )


def unclosed(opening: Span, closer: str, at_end: bool, ends: int, indented_to: int | None) -> Diagnostic:
    """A bracket that nothing closes.

    Args:
        ends: The line at which that became certain.
        indented_to: The last line that stands deeper than the opening one.
    """
    what = {"}": "block", "]": "list"}.get(closer, "bracket")
    certain = f"the file ends at line {ends}" if at_end else f"a new statement begins at line {ends}"
    hints: tuple[Hint, ...] = ()
    if indented_to is not None and closer == "}":
        hints = (Hint(f"a `}}` is probably missing after line {indented_to}, where the indentation ends"),)
    else:
        hints = (Hint(f"a `{closer}` is probably missing at the end of line {opening.line}"),)
    return _error("E0103", f"this {what} is never closed", opening, "opened here", *hints, notes=(certain,))


def unknown_inside(span: Span, hint: str = "") -> Diagnostic:
    text = hint or "name it: `let x = ? in 1 day .. 90 days`, then write `x` here"
    return _error("E0104", "an unknown stands alone after `=`", span, "", Hint(text))


def currency(span: Span, sign: str, amount: Span | None, text: str) -> Diagnostic:
    """E0105. `amount`: what `text` is to replace, if a number stands beside the sign."""
    note = () if sign == "$" else ("there is one currency, `USD`",)
    hint = Hint(f"write `{text}`") if amount is None else replacement(amount, text)
    return _error("E0105", "money is a number and a unit", span, "", hint, notes=note)


def odd_operator(span: Span, meant: str) -> Diagnostic:
    kind = "comparison" if meant in ("<=", ">=", "==", "!=") else "operator"
    return _error("E0106", f"`{span.text}` is not {_article(kind)}", span, "", replacement(span, meant))


def modulo(span: Span) -> Diagnostic:
    return _error("E0106", "`%` is not an operator", span, "", Hint("the remainder is `mod(a, b)`"))


def floor_division(span: Span) -> Diagnostic:
    hint = Hint("whole parts are `floor(a / b)`; a comment begins with `#`")
    return _error("E0106", f"`{span.text}` is not an operator", span, "", hint)


def comparison_outside(span: Span) -> Diagnostic:
    """`gpus == 8` where a value is set."""
    return _error("E0106", "`==` does not set a value", span, "`==` compares", replacement(span, "=", "set it with `=`"))


def odd_setting(span: Span) -> Diagnostic:
    """`:=`, `+=`."""
    message = f"`{span.text}` does not set a value"
    return _error("E0106", message, span, "", replacement(span, "=", "a value is set once, with `=`"))


def assignment_inside(span: Span) -> Diagnostic:
    return _error(
        "E0106",
        "`=` does not compare",
        span,
        "`=` sets a value",
        replacement(span, "==", "compare with `==`"),
    )


def reserved_word(span: Span, unit: bool = False) -> Diagnostic:
    if unit:
        message = f"`{span.text}` is a word of the language, not a unit"
        text = "a choice is written `if C then A else B`"
        if span.text != "if":
            text = "end the expression before it, or write the unit that is missing"
        return _error("E0107", message, span, "read as the unit of the number before it", Hint(text))
    hint = "choose another name; after a dot any word is allowed"
    if span.text in ("if", "not"):
        hint = f"inside an expression put `{span.text} …` in parentheses; as a name choose another"
    return _error("E0107", f"`{span.text}` is a word of the language", span, "", Hint(hint))


# E0108: limits


def too_deep(span: Span, limit: int) -> Diagnostic:
    hint = Hint("name a part of it with `let`")
    return _error("E0108", f"brackets and operators nest more than {limit} deep", span, "", hint)


def too_long(span: Span) -> Diagnostic:
    hint = Hint("split it and join the parts with `use`")
    return _error("E0108", "the file is larger than 1 MB, which is the most that is read", span, "", hint)


def number_too_long(span: Span, digits: int) -> Diagnostic:
    hint = Hint("write the digits that matter and an exponent, as in `6.02e23`")
    return _error("E0108", f"a number has at most {digits} digits", span, "", hint)


def exponent_too_large(span: Span, limit: int) -> Diagnostic:
    hint = Hint("numbers as large as this stand for nothing in a plan: check the exponent")
    return _error("E0108", f"an exponent is at most {limit}", span, "", hint)


# E0109: what the grammar does not have


def unexpected(span: Span, what: str, expected: str, *hints: Hint) -> Diagnostic:
    label = f"expected {expected}" if expected else ""
    return _error("E0109", f"{what} cannot stand here", span, label, *hints)


def other_comment(span: Span) -> Diagnostic:
    hint = replacement(span, "#") if span.text != "/*" else Hint("begin each line of it with `#`")
    return _error("E0109", f"`{span.text}` begins no comment", span, "", hint)


def colon(span: Span, hint: Hint) -> Diagnostic:
    """A colon after the name of a field, a block or a value."""
    return _error("E0109", "`:` cannot stand here", span, "expected `=` or `{`" if not hint.edits else "expected `=`", hint)


def range_points(span: Span) -> Diagnostic:
    return _error("E0109", f"`{span.text}` makes no range", span, "", replacement(span, "..", "a range is written `8..64`"))


def missing_operator(span: Span) -> Diagnostic:
    hint = Hint("begin a new line if it is another statement")
    return _error("E0109", f"an operator is missing before `{span.text}`", span, "", hint)


def closes_nothing(span: Span) -> Diagnostic:
    hint = Hint("delete it, or open the bracket where it begins")
    return _error("E0109", f"this `{span.text}` closes nothing", span, "", hint)


def bracket_on_own_line(span: Span, what: str) -> Diagnostic:
    hint = Hint(f"move it to the end of the line above: a line's end ends a {what}")
    return _error("E0109", f"a line cannot begin with `{span.text}`", span, "", hint)


def other_format(span: Span, hint: Hint) -> Diagnostic:
    """A bracket that begins a line of JSON or TOML."""
    return _error("E0109", f"a line cannot begin with `{span.text}`", span, "", hint)


def comma_at_end(span: Span) -> Diagnostic:
    hint = Hint("write one statement a line; a comma separates fields inside `{ }`")
    return _error("E0109", "a comma does not end a statement", span, "", hint)


def begins_no_statement(span: Span, likely: str) -> Diagnostic:
    hints = (replacement(span, likely, f"did you mean `{likely}`?"),) if likely else ()
    return _error("E0109", f"`{span.text}` begins no statement", span, "", *hints)


def statement_inside(span: Span, block: Span) -> Diagnostic:
    return _error(
        "E0109",
        f"`{span.text}` cannot stand inside a block",
        span,
        "expected `field = value`",
        Hint("statements stand outside of the blocks"),
        others=(Label(block, "the block begins here"),),
    )


def point_without_digits(span: Span, meant: str) -> Diagnostic:
    return _error("E0109", "a decimal point has digits on both sides", span, "", replacement(span, meant))


# E0110: characters and texts


def bad_character(span: Span, name: str, *hints: Hint) -> Diagnostic:
    return _error("E0110", f"{name} has no meaning in a plan", span, "", *hints)


def control_character(span: Span, name: str) -> Diagnostic:
    return _error("E0110", f"{name} cannot stand in a plan", span, "", Hint("delete it"))


def unclosed_text(span: Span) -> Diagnostic:
    hint = Hint('end it with `"` on the same line; a line break in it is `\\n`')
    return _error("E0110", "this text is never closed", span, "opened here", hint)


def bad_escape(span: Span) -> Diagnostic:
    hint = Hint(r"the escapes are `\"`, `\\`, `\n` and `\{`; a backslash is written `\\`")
    return _error("E0110", f"`{span.text}` is not an escape", span, "", hint)


def unclosed_interpolation(span: Span) -> Diagnostic:
    hint = Hint("close it with `}`, or write `\\{` for a brace")
    return _error("E0110", "this `{` is never closed", span, "a value is shown from here on", hint)


# E0111: the language's version


def bad_version(span: Span, known: int) -> Diagnostic:
    return _error(
        "E0111",
        f"this plan is written in language {span.text}, and this llmplan reads language {known}",
        span,
        "",
        Hint("install a later llmplan: `pip install --upgrade llmplan`"),
    )


def late_version(span: Span) -> Diagnostic:
    return _error(
        "E0111", "the language is named in the first statement", span, "", Hint("move it to the top")
    )


# E0205: a unit that swallows a name


def name_in_unit(name: Span, unit: Span, spaced: str) -> Diagnostic:
    """`640 GB/hardware.gpus`: the unit ends in what can only be a name."""
    return _error(
        "E0205",
        f"`{name.text}` is a name, not a unit",
        name,
        "",
        replacement(unit, spaced, f"put spaces around the operator: `{spaced}`"),
    )


def _article(word: str) -> str:
    return ("an " if word[0] in "aeiou" else "a ") + word
