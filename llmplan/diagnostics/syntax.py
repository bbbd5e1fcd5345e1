"""Mistakes in the text of a plan: E0101 to E0111, and E0205 where a unit swallows a name.

Each message has its function, which is why the module is longer than others.
"""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.diagnostics.money import meant_currency, rate_of
from llmplan.diagnostics.record import Diagnostic, Edit, Hint, Label, error
from llmplan.source import Span
from llmplan.units.amount import count


def replacement(span: Span, text: str, says: str = "") -> Hint:
    """The hint to write something else in place of a span."""
    return Hint(says or f"write `{text}`", (Edit(span, text),))


def missing_separator(name: Span, gap: Span, inside: bool) -> Diagnostic:
    """E0109: a second setting or statement on one line.

    Args:
        name: Where the second begins.
        gap: What stands between the two.
        inside: True for fields of a block, which a comma separates too.
    """
    what = "comma or new line" if inside else "new line"
    if inside:
        hint = Hint(f"write `, {name.text}`", (Edit(gap, ", "),))
    else:
        hint = Hint(f"begin a new line with `{name.text}`", (Edit(gap, "\n"),))
    return error("E0109", f"missing {what} before `{name.text}`", name, hint)


# E0101: unfinished


def unfinished(last: Span, missing: str) -> Diagnostic:
    """The line, bracket or file ends after `last`, inside an expression."""
    hint = f"finish it on this line, or start the next line with `{last.text}`"
    return _incomplete("expression", last, missing, hint if _carries_on(last.text) else None)


def _carries_on(text: str) -> bool:
    sign = not text[0].isalnum() and text not in "()[]{},?@"
    return sign or text in ("and", "or", "then", "else", "when", "in")


def unfinished_statement(last: Span, missing: str) -> Diagnostic:
    return _incomplete("statement", last, missing)


def no_opening(name: Span) -> Diagnostic:
    """A name, fields and a `}`, but no `{`."""
    end = Span(name.source, name.end, name.end)
    return _incomplete("statement", name, "`{`", Hint(f"write `{name.text} {{`", (Edit(end, " {"),)))


def _incomplete(what: str, last: Span, missing: str, hint: Hint | str | None = None) -> Diagnostic:
    after = f" after `{last.text}`" if last.text.strip() else ""
    return error("E0101", f"unfinished {what}{after}", last, hint, label=f"expected {missing}")


def empty_body(closing: Span, operator: str) -> Diagnostic:
    """A `{ }` body without a last expression."""
    hint = f"a line that begins with `{operator}` continues the line above: put the value in parentheses"
    given = hint if operator else None
    return error("E0101", "this body has no value", closing, given, label="expected an expression")


def no_value(span: Span) -> Diagnostic:
    """Nothing where a value is expected."""
    return error("E0101", "missing value", span, label="expected a value")


# E0102 to E0107: one habit each


def thousands(comma: Span, number: Span) -> Diagnostic:
    digits = number.text.replace(",", "")
    groups = number.text.replace(",", "_")
    hint = replacement(number, groups, f"write `{groups}` or `{digits}`")
    return error("E0102", "numbers are written without commas", comma, hint)


def unclosed(opening: Span, closer: str, at_end: bool, ends: int, indented_to: int | None) -> Diagnostic:
    """A bracket that nothing closes.

    Args:
        ends: The line at which that became certain.
        indented_to: The last line indented deeper than the opening one.
    """
    what = {"}": "block", "]": "list"}.get(closer, "bracket")
    certain = f"the file ends at line {ends}" if at_end else f"a new statement begins at line {ends}"
    where = f"at the end of line {opening.line}"
    if indented_to is not None and closer == "}":
        where = f"after line {indented_to}, where the indentation ends"
    hint = f"a `{closer}` is probably missing {where}"
    return error("E0103", f"this {what} is never closed", opening, hint, label="opened here", notes=(certain,))


def unknown_inside(span: Span, hint: str = "") -> Diagnostic:
    hint = hint or "name it: `let x = ? in 1 day .. 90 days`, then write `x` here"
    return error("E0104", "`?` must be the whole right-hand side of `=`", span, hint)


def currency(span: Span, sign: str, amount: Span | None, text: str) -> Diagnostic:
    """E0105. `amount`: what `text` is to replace, if there is a number beside the sign."""
    code = meant_currency(sign)
    note = f"a plan states the rate of a currency on a line of its own, as in `{rate_of(code)}`" if code else ""
    hint = f"write `{text}`" if amount is None else replacement(amount, text)
    before, _, after = text.partition("/")
    if after in ("h", "hr", "hour", "hours"):
        of = f"`{before}/GPU/{after}`, `{before}/node/{after}` or `{before}/job/{after}`"
        edits = hint.edits if isinstance(hint, Hint) else ()
        hint = Hint(f"write `{text}`, and for a price what it is paid for: {of}", edits)
    return error("E0105", "money is written as a number with a unit", span, hint, notes=(note,))


def odd_operator(span: Span, meant: str) -> Diagnostic:
    kind = "a comparison" if meant in ("<=", ">=", "==", "!=") else "an"
    return error("E0106", f"`{span.text}` is not {kind} operator", span, replacement(span, meant))


def modulo(span: Span) -> Diagnostic:
    return error("E0106", "`%` is not an operator", span, "write the remainder as `mod(a, b)`")


def floor_division(span: Span) -> Diagnostic:
    hint = "write integer division as `floor(a / b)`; comments start with `#`"
    return error("E0106", f"`{span.text}` is not an operator", span, hint)


def comparison_outside(span: Span) -> Diagnostic:
    """`gpus == 8` where a value is set."""
    return error(
        "E0106", "`==` cannot set a value", span, replacement(span, "=", "set it with `=`"), label="`==` compares"
    )


def odd_setting(span: Span) -> Diagnostic:
    """`:=`, `+=`."""
    return error(
        "E0106", f"`{span.text}` cannot set a value", span, replacement(span, "=", "values are set once, with `=`")
    )


def assignment_inside(span: Span) -> Diagnostic:
    hint = replacement(span, "==", "compare with `==`")
    return error("E0106", "`=` cannot compare values", span, hint, label="`=` sets a value")


def reserved_word(span: Span, unit: bool = False) -> Diagnostic:
    if unit:
        text = "end the expression before it, or add the missing unit"
        if span.text == "if":
            text = "write a conditional as `if C then A else B`"
        message = f"`{span.text}` is a reserved word, not a unit"
        return error("E0107", message, span, Hint(text), label="read as the unit of the preceding number")
    text = "choose another name; after a dot any word is allowed"
    if span.text in ("if", "not"):
        text = f"inside an expression, put `{span.text} …` in parentheses; as a name, choose another"
    return error("E0107", f"`{span.text}` is a reserved word", span, Hint(text))


# E0108: limits


def too_deep(span: Span, limit: int) -> Diagnostic:
    hint = "give a part of it a name with `let`"
    return error("E0108", f"brackets and operators nest more than {limit} deep", span, hint)


def too_long(span: Span) -> Diagnostic:
    return error("E0108", "file larger than the limit of 1 MB", span, "split it and join the parts with `use`")


def too_many_words(span: Span, most: int) -> Diagnostic:
    return error(
        "E0108", f"more than {count(most)} words and marks", span, "split the file and join the parts with `use`"
    )


def too_many_interpolations(span: Span, most: int) -> Diagnostic:
    return error(
        "E0108",
        f"more than {count(most)} interpolations in texts",
        span,
        "split the file and join the parts with `use`",
    )


def number_too_long(span: Span, digits: int) -> Diagnostic:
    hint = "write the significant digits and an exponent, as in `6.02e23`"
    return error("E0108", f"number with more than {digits} digits", span, hint)


def exponent_too_large(span: Span, limit: int) -> Diagnostic:
    hint = "no quantity in a plan is this large or this small: check the exponent"
    return error("E0108", f"exponent larger than {limit}", span, hint)


def unit_too_long(span: Span, most: int) -> Diagnostic:
    hint = "write powers, as in `m/s^2`"
    return error("E0108", f"unit of more than {most} words", span, hint)


# E0109: what the grammar does not have


def unexpected(span: Span, what: str, expected: str, *hints: Hint) -> Diagnostic:
    return error("E0109", f"unexpected {what}", span, *hints, label=f"expected {expected}" if expected else "")


def clause_order(span: Span, before: str, order: Sequence[str]) -> Diagnostic:
    """E0109: a clause of a requirement that stands behind one that it precedes."""
    what = f"a second `{before}`" if span.text == before else f"`{span.text}` after `{before}`"
    hint = f"each clause stands once, in this order: {', '.join(f'`{word}`' for word in order)}"
    return error("E0109", f"unexpected {what}", span, hint)


def other_comment(span: Span) -> Diagnostic:
    hint = replacement(span, "#") if span.text != "/*" else "start each of its lines with `#`"
    return error("E0109", f"`{span.text}` does not start a comment", span, hint)


def colon(span: Span, hint: Hint) -> Diagnostic:
    """A colon after the name of a field, a block or a value."""
    return unexpected(span, "`:`", "`=`" if hint.edits else "`=` or `{`", hint)


def range_points(span: Span) -> Diagnostic:
    hint = replacement(span, "..", "write a range as `8..64`")
    return error("E0109", f"`{span.text}` does not form a range", span, hint)


def missing_operator(span: Span) -> Diagnostic:
    hint = "start a new line if it is another statement"
    return error("E0109", f"missing operator before `{span.text}`", span, hint)


def closes_nothing(span: Span) -> Diagnostic:
    return error("E0109", f"unmatched `{span.text}`", span, "delete it, or add the opening bracket")


def bracket_first(span: Span, hint: Hint | None = None) -> Diagnostic:
    """A bracket that begins a line. `hint`: what else it may mean, where it looks like JSON or TOML."""
    move = "move it to the end of the line above: a statement ends with its line"
    return error("E0109", f"a line cannot begin with `{span.text}`", span, hint or move)


def comma_at_end(span: Span) -> Diagnostic:
    hint = "write one statement per line; commas separate fields inside `{ }`"
    return error("E0109", "a comma does not end a statement", span, hint)


def begins_no_statement(span: Span, *hints: Hint) -> Diagnostic:
    return error("E0109", f"no statement begins with `{span.text}`", span, *hints)


def slip(span: Span, message: str, *hints: Hint | None) -> Diagnostic:
    """A statement in words that the language does not have; the hints are what it probably means."""
    return error("E0109", message, span, *hints)


def statement_inside(span: Span, block: Span) -> Diagnostic:
    return error(
        "E0109",
        f"`{span.text}` is not allowed inside a block",
        span,
        "write it outside the block",
        label="expected `field = value`",
        others=(Label(block, "the block begins here"),),
    )


def point_without_digits(span: Span, meant: str) -> Diagnostic:
    return error("E0109", "a decimal point needs digits on both sides", span, replacement(span, meant))


# E0110: characters and texts


def bad_character(span: Span, name: str, *hints: Hint | str) -> Diagnostic:
    return error("E0110", f"{name} is not allowed in a plan", span, *hints)


def unclosed_text(span: Span) -> Diagnostic:
    hint = 'close it with `"` on the same line; write a line break as `\\n`'
    return error("E0110", "this text is never closed", span, hint, label="opened here")


def bad_escape(span: Span) -> Diagnostic:
    hint = r"the escapes are `\"`, `\\`, `\n` and `\{`; write a backslash as `\\`"
    return error("E0110", f"`{span.text}` is not an escape", span, hint)


def unclosed_interpolation(span: Span) -> Diagnostic:
    hint = "close it with `}`, or write `\\{` for a brace"
    return error("E0110", "this `{` is never closed", span, hint, label="the interpolation starts here")


# E0111: the language's version


def bad_version(span: Span, known: int) -> Diagnostic:
    message = f"this plan is written in language {span.text}, and this llmplan reads language {known}"
    return error("E0111", message, span, "install a newer llmplan: `pip install --upgrade llmplan`")


def late_version(span: Span) -> Diagnostic:
    return error("E0111", "`language` must be the first statement", span, "move it to the top")


# E0205: a unit that swallows a name


def name_in_unit(name: Span, unit: Span, spaced: str) -> Diagnostic:
    """`640 GB/hardware.gpus`: the unit ends in what can only be a name."""
    hint = replacement(unit, spaced, f"put spaces around the operator: `{spaced}`")
    return error("E0205", f"`{name.text}` is a name, not a unit", name, hint)


def empty(span: Span) -> Diagnostic:
    """E0112: a plan without any statement."""
    return error(
        "E0112",
        "the plan is empty",
        span,
        'a plan says what is given and what is wanted: `model "llama-7b"`, `hardware { gpus = ? }`, `require time '
        "<= 30 days`",
        "`llmplan examples` lists plans to start from",
    )
