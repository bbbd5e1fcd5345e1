"""Mistakes in units and types: unlike things added, compared or assigned."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmplan.diagnostics.record import Diagnostic, Edit, Hint, Label
from llmplan.source import Span


def unlike(
    action: str, left: tuple[Span, str], right: tuple[Span, str], hint: Hint | None = None
) -> Diagnostic:
    """E0301: two sides of an operator with different dimensions or types.

    Args:
        action: `added`, `compared`, `used as alternatives`.
        left, right: Where each side stands and what it is in words.
    """
    return Diagnostic(
        "E0301",
        "error",
        f"{left[1]} and {right[1]} cannot be {action}",
        left[0],
        left[1],
        (Label(right[0], right[1]),),
        hints=(hint,) if hint else (),
    )


def shown_in(span: Span, what: str, unit_span: Span, unit: str, measures: str) -> Diagnostic:
    """E0301: `… in days` for what is no time."""
    message = f"{what} cannot be shown in `{unit}`, which measures {measures}"
    return Diagnostic("E0301", "error", message, unit_span, measures, (Label(span, what),))


def wrong_field(span: Span, name: str, wanted: str, found: str, declared: Span | None, hint: Hint | None = None) -> Diagnostic:
    """E0302: a field, let or assumption given a value of another dimension or type."""
    others = (Label(declared, f"declared as {wanted}"),) if declared else ()
    hints = (hint,) if hint else ()
    return Diagnostic(
        "E0302", "error", f"`{name}` needs {wanted}, and this is {found}", span, found, others, hints=hints
    )


def other_types(span: Span, name: str, declared: Span) -> Diagnostic:
    """E0302: a function that does not fit where it is put."""
    return Diagnostic(
        "E0302",
        "error",
        f"`{name}` must take and give what the function does that it replaces",
        span,
        others=(Label(declared, "replaced here"),),
    )


def wrong_argument(span: Span, number: int, function: str, wanted: str, found: str, declared: Span | None) -> Diagnostic:
    """E0303."""
    others = (Label(declared, wanted),) if declared else ()
    return Diagnostic(
        "E0303", "error", f"argument {number} of `{function}` is {found}, and it takes {wanted}", span, found, others
    )


def wrong_count(span: Span, function: str, wanted: str, found: int) -> Diagnostic:
    return Diagnostic("E0303", "error", f"`{function}` takes {wanted}, and here are {found}", span)


def not_here(span: Span, what: str, wanted: str) -> Diagnostic:
    """E0303: an expression of the wrong type where only one type makes sense."""
    return Diagnostic("E0303", "error", f"{what} where {wanted} is wanted", span)


def no_list(span: Span) -> Diagnostic:
    """E0303: one value where a list is wanted."""
    hint = Hint(f"write `[{span.text}]`", (Edit(span, f"[{span.text}]"),))
    return Diagnostic("E0303", "error", "a single value where a list is wanted", span, hints=(hint,))


def no_let_domain(span: Span) -> Diagnostic:
    """E0303: `let x = ?`, of which neither unit nor values are known."""
    hint = Hint("give it a domain, which says the unit too: `? in 1 day .. 90 days`, `? in [1, 2, 4]`")
    return Diagnostic("E0303", "error", "an open `let` needs a domain", span, "of what?", hints=(hint,))


def missing_unit(span: Span, name: str, text: str, units: list[str]) -> Diagnostic:
    """E0304: a bare number for a measured quantity, or where two counts are possible."""
    written = [_with_unit(text, unit) for unit in units]
    hints = tuple(Hint(f"`{one}`?", (Edit(span, one),)) for one in dict.fromkeys(written))
    return Diagnostic("E0304", "error", f"{name} needs a unit", span, "a plain number", hints=hints)


_SCALED = re.compile(r"[KMBT]\Z")


def _with_unit(text: str, unit: str) -> str:
    """A number with a unit: `80 GB`, `80B bytes`, `8 days..90 days`, `1 day`."""
    if ".." in text:
        return "..".join(_with_unit(part.strip(), unit) for part in text.split(".."))
    if _SCALED.search(text) and unit in ("GB", "GiB"):
        unit = "bytes"
    if text == "1" and unit in ("days", "hours"):
        unit = unit[:-1]
    return f"{text} {unit}"


def two_units(span: Span, name: str, units: list[str], quantities: list[str]) -> Diagnostic:
    """E0304: the bare name of a field with two units read in an expression."""
    reads = " or ".join(f"`{name}.{unit}`" for unit in units)
    hints = [Hint("read " + " or ".join(f"`{quantity}`" for quantity in quantities))] if quantities else []
    return Diagnostic(
        "E0304", "error", f"`{name}` may be in either unit", span, hints=(*hints, Hint(f"or {reads}, as it was given"))
    )


def outside(span: Span, name: str, value: str, domain: str, *hints: Hint) -> Diagnostic:
    """E0305."""
    return Diagnostic("E0305", "error", f"`{name}` is {value}, and its domain is {domain}", span, hints=hints)


def unordered(span: Span, name: str, values: Sequence[str]) -> Diagnostic:
    """E0305: a range whose ends are the wrong way round, or whose expected value lies outside of them."""
    low, expected, high = values
    return Diagnostic(
        "E0305",
        "error",
        f"the range of `{name}` is not in order: {low}, expected {expected}, {high}",
        span,
        "the lower end comes first",
        hints=(Hint("write `low..high` or `low..expected..high`"),),
    )


def unlike_counts(left: tuple[Span, str], right: tuple[Span, str], hint: Hint | None = None) -> Diagnostic:
    """E0306."""
    hints = (hint,) if hint else ()
    return Diagnostic(
        "E0306",
        "error",
        f"{left[1]} and {right[1]} are different counts",
        left[0],
        left[1],
        (Label(right[0], right[1]),),
        hints=hints,
    )


def too_large(span: Span) -> Diagnostic:
    """E0305: a literal beyond the largest number that is computed with."""
    return Diagnostic("E0305", "error", "this is more than the largest number, 1.8e308 base units", span)


def not_whole(span: Span, name: str, value: str, hint: Hint) -> Diagnostic:
    """E0307."""
    return Diagnostic("E0307", "error", f"`{name}` must be whole and is {value}", span, hints=(hint,))


def uncovered(span: Span, missing: list[str]) -> Diagnostic:
    """E0308: a `match` that leaves a case open."""
    shown = ", ".join(f"`{name}`" for name in missing[:5])
    return Diagnostic(
        "E0308", "error", f"this `match` does not cover {shown}", span, hints=(Hint("add the case, or `_ => …`"),)
    )
