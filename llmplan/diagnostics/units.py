"""Mistakes in units and types: undefined units, unlike things added, compared or assigned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from llmplan.diagnostics.money import meant_currency, no_rate
from llmplan.diagnostics.record import Diagnostic, Edit, Hint, Label, error, warning
from llmplan.diagnostics.spelling import attached
from llmplan.source import Span

# E0204, E0205: words of a unit


def unknown_unit(
    span: Span, word: str, suggestions: list[str], name_at: Span | None, entry: Hint | None = None, count: str = ""
) -> Diagnostic:
    """E0204, or E0205 where the word is a name of the plan glued to a unit; `entry` says what it is in the catalog.

    E0312 for a currency.

    Args:
        count: What the place of the number counts, as `tokens`; empty for any other place.
    """
    if name_at is not None or not word:
        return error("E0205", f"`{word}` is a name, not a unit", span, _glued(span))
    currency = meant_currency(word)
    if currency and currency not in suggestions:
        return no_rate(span, word, currency)
    hint = attached(span)
    if hint is None and word == "G":
        return error("E0204", "`G` is a prefix, not a unit", span, *_prefixed(span, count))
    if hint is not None and word == "B":
        number = hint.edits[0].text
        text = f"write `{number[:-1]} bytes`, or `{number}` for {number[:-1]} billion"
        hint = Hint(text, (Edit(hint.edits[0].span, f"{number[:-1]} bytes"),))
    if hint is None and word[1:] in suggestions:  # `3 MGPU`: counts take no prefix of the SI, their numbers a magnitude
        hint = attached(span, len(word) - 1)
    if hint is None:
        hint = entry
    if hint is None and suggestions:
        hint = Hint(
            "did you mean " + " or ".join(f"`{name}`" for name in suggestions) + "?", (Edit(span, suggestions[0]),)
        )
    return error("E0204", f"undefined unit `{word}`", span, hint)


def _prefixed(span: Span, count: str) -> Iterator[Hint]:
    """What `400G` may mean: a billion of what is counted, or bytes and their rates."""
    before = _AMOUNT.search(span.source.text[max(0, span.start - 100) : span.start])
    first = span.start - len(before.group()) if before else span.start
    for unit in (f"B {count}",) if count else (" Gbit/s", " GB/s", " GB"):
        text = f"{before.group().rstrip() if before else '…'}{unit}"
        yield Hint(f"write `{text}`", (Edit(Span(span.source, first, span.end), text),), not count)


_AMOUNT = re.compile(r"[0-9][0-9_.]*[ \t]*\Z")
_GLUED = re.compile(r"[0-9][0-9A-Za-z_.]*[ \t]*[A-Za-z][A-Za-z0-9_*/^-]*\Z")


def _glued(span: Span) -> Hint:
    """Spaces around the operator before a name that was read as a unit."""
    at = Span(span.source, span.start - 1, span.start)
    before = _GLUED.search(span.source.text[max(0, at.start - 100) : at.start])
    operator = at.text if at.text in ("*", "/") else "/"
    text = f"{before.group() if before else '…'} {operator} {span.text}"
    edits = (Edit(at, f" {at.text} "),) if at.text == operator else ()
    return Hint(f"put spaces around the operator: `{text}`", edits)


# E0301, E0306: unlike things


def unlike(action: str, left: tuple[Span, str], right: tuple[Span, str], hint: Hint | None = None) -> Diagnostic:
    """E0301: two sides of an operator with different dimensions or types.

    Args:
        action: `added`, `compared`, `used as alternatives`.
        left, right: Where each side stands and what it is in words.
    """
    return _both(f"{left[1]} and {right[1]} cannot be {action}", "E0301", left, right, hint)


def unlike_counts(left: tuple[Span, str], right: tuple[Span, str], hint: Hint | None = None) -> Diagnostic:
    """E0306."""
    rates = " per " in left[1] and " per " in right[1]
    message = f"{left[1]} does not match {right[1]}" if rates else f"{left[1]} and {right[1]} are different counts"
    return _both(message, "E0306", left, right, hint)


def _both(message: str, code: str, left: tuple[Span, str], right: tuple[Span, str], hint: Hint | None) -> Diagnostic:
    return error(code, message, left[0], hint, label=left[1], others=(Label(*right),))


def shown_in(span: Span, what: str, unit_span: Span, unit: str, measures: str) -> Diagnostic:
    """E0301: `… in days` for what is not a time."""
    message = f"{what} cannot be shown in `{unit}`, which measures {measures}"
    return error("E0301", message, unit_span, label=measures, others=(Label(span, what),))


# E0302, E0303: another type than expected


def wrong_field(
    span: Span, name: str, wanted: str, found: str, declared: Span | None, hint: Hint | None = None
) -> Diagnostic:
    """E0302: a field, let or assumption given a value of another dimension or type."""
    others = (Label(declared, f"declared as {wanted}"),) if declared else ()
    return error("E0302", f"`{name}` expects {wanted}, found {found}", span, hint, label=found, others=others)


def other_types(span: Span, name: str, declared: Span) -> Diagnostic:
    """E0302: a replacement function with another signature."""
    message = f"`{name}` must have the signature of the function it replaces"
    return error("E0302", message, span, others=(Label(declared, "replaced here"),))


def wrong_argument(
    span: Span, number: int, function: str, wanted: str, found: str, declared: Span | None
) -> Diagnostic:
    """E0303."""
    others = (Label(declared, wanted),) if declared else ()
    message = f"argument {number} of `{function}` expects {wanted}, found {found}"
    return error("E0303", message, span, label=found, others=others)


def wrong_count(span: Span, function: str, wanted: str, found: int) -> Diagnostic:
    return error("E0303", f"`{function}` takes {wanted}, found {found}", span)


def not_here(span: Span, what: str, wanted: str) -> Diagnostic:
    """E0303: an expression of the wrong type where only one type makes sense."""
    return error("E0303", f"expected {wanted}, found {what}", span)


def amended_in_a_plan(span: Span, enum: str) -> Diagnostic:
    """E0303: `amend enum` in a plan, where no formula could say what its member means."""
    message = f"expected `amend enum {enum}` in the `target.plan` of a target, found it in a plan"
    hint = "move it to `DIR/NAME/target.plan`, beside a `target.json`, and give that folder with `--templates DIR`"
    note = f"every formula that tells the members of `{enum}` apart must say what holds for a further one"
    return error("E0303", message, span, hint, notes=(note,))


def several_objectives(span: Span, sense: str, parts: Sequence[Span]) -> Diagnostic:
    """E0303: `minimize cost and time`."""
    lines = [part.text for part in parts]
    said = "; then ".join(f"`{sense} {line}`" for line in lines)
    hint = Hint(f"an objective a line, the most important first: {said}", (Edit(span, f"\n{sense} ".join(lines)),))
    return error(
        "E0303",
        "an objective is one number, found several",
        span,
        hint,
        "to weigh two against each other, `pareto` lists the best of both",
    )


def several_values(span: Span, name: str, instead: str) -> Diagnostic:
    """E0303: `tensor = [1, 2, 4]`. `instead`: what to count where several values are meant at once."""
    begin = Edit(Span(span.source, span.start, span.start), "? in ")
    return error(
        "E0303",
        "expected a single value, found a list",
        span,
        Hint(f"to find the best of them, write `? in {span.text}`", (begin,)),
        f"to compare them, write `sweep {name} in {span.text}`",
        instead,
    )


def one_or_another(span: Span, name: str, values: Sequence[str]) -> Diagnostic:
    """E0303: `gpu = "H100" or "A100"`."""
    listed = f"[{', '.join(values)}]"
    return error(
        "E0303",
        "expected a single value, found several",
        span,
        Hint(f"to find the best of them, write `? in {listed}`", (Edit(span, f"? in {listed}"),)),
        f"to compare them, write `sweep {name} in {listed}`",
    )


def no_list(span: Span) -> Diagnostic:
    """E0303: one value where a list is expected."""
    hint = Hint(f"write `[{span.text}]`", (Edit(span, f"[{span.text}]"),))
    return error("E0303", "expected a list, found a single value", span, hint)


def no_let_domain(span: Span) -> Diagnostic:
    """E0303: `let x = ?`, of which neither unit nor values are known."""
    hint = "give it a domain, which also sets its unit: `? in 1 day .. 90 days`, `? in [1, 2, 4]`"
    return error("E0303", "an open `let` needs a domain", span, hint, label="no domain")


# E0304: a missing unit


def missing_unit(span: Span, name: str, text: str, units: list[str], choice: bool = False) -> Diagnostic:
    """E0304: a bare number for a measured quantity, or where two counts are possible.

    With a `choice` the units have different meanings, of which only the author can choose.
    """
    written = dict.fromkeys(_with_unit(text, unit) for unit in units)
    hints = (Hint(f"did you mean `{one}`?", (Edit(span, one),), choice and len(written) > 1) for one in written)
    return error("E0304", f"{name} needs a unit", span, *hints, label="a plain number")


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
    hints = [Hint("read " + " or ".join(f"`{quantity}`" for quantity in quantities))] if quantities else []
    hints.append(Hint("or " + " or ".join(f"`{name}.{unit}`" for unit in units) + ", whichever was given"))
    return error("E0304", f"`{name}` has two possible units", span, *hints)


# E0311: a missing label


def unlabelled(span: Span, name: str, number: str, forms: Sequence[tuple[str, str, str]], labelled: bool) -> Diagnostic:
    """E0311: a number that does not say what it is for: one GPU, one node or the whole job.

    Args:
        number: The literal without its unit.
        forms: By label: its name, the unit with it, and the field that converts it to the first, if it is another.
        labelled: Whether the number has a label, though none of these.
    """
    wrong = "has a label that does not fit" if labelled else "does not say what it is for"
    message = f"`{span.text}` {wrong}: `{name}` takes " + _either([unit for _, unit, _ in forms])
    hints = []
    for label, unit, by in forms:
        converted = f": `{by}` converts it" if by else ""
        text = f"{number} {unit}"
        hints.append(Hint(f"write `{text}` for one {label}{converted}", (Edit(span, text),), len(forms) > 1))
    return error("E0311", message, span, *hints, label=_either([f"one {label}" for label, _, _ in forms], "") + "?")


def taken_for(span: Span, name: str, label: str) -> Diagnostic:
    """W0620: a product that does not say what it is for, and is taken for one GPU."""
    message = f"nothing in `{span.text}` says what it is for: `{name}` takes it for one {label}"
    hint = Hint(f"divide or multiply by the count that it is for: `1 {label}`, or as many as share it")
    return warning("W0620", message, span, hint, label=f"for one {label}")


def _either(words: Sequence[str], quote: str = "`") -> str:
    quoted = [f"{quote}{word}{quote}" for word in words]
    return " or ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


# E0305, E0307, E0308, E0309: values


def no_size(span: Span, unit: str) -> Diagnostic:
    """E0305: a unit of no size, or of one that no number can hold."""
    return error("E0305", f"unit `{unit}` must be above 0 and at most 1.8e308 base units", span)


def outside(span: Span, name: str, value: str, domain: str, *hints: Hint) -> Diagnostic:
    """E0305."""
    return error("E0305", f"`{name}` is {value}, outside its domain {domain}", span, *hints)


def unordered(span: Span, name: str, values: Sequence[str]) -> Diagnostic:
    """E0305: a range whose ends are the wrong way round, or whose expected value lies outside them."""
    low, expected, high = values
    message = f"the range of `{name}` is out of order: low {low}, expected {expected}, high {high}"
    hint = "write `low..high` or `low..expected..high`"
    return error("E0305", message, span, hint, label="the lower end comes first")


def too_large(span: Span) -> Diagnostic:
    """E0305: a literal beyond the largest representable number."""
    return error("E0305", "number larger than the maximum of 1.8e308 base units", span)


def not_whole(span: Span, name: str, value: str, hint: Hint) -> Diagnostic:
    """E0307."""
    return error("E0307", f"`{name}` must be a whole number, found {value}", span, hint)


def decided(span: Span, name: str, low: str, high: str, step: str) -> Diagnostic:
    """E0309: a range, which stands for an uncertain value, given to a field the planner chooses."""
    left = f"? in {low}..{high}{step and f' step {step}'}"
    hint = Hint(f"`{left}` leaves it open; a range states an uncertain value", (Edit(span, left),))
    return error("E0309", f"`{name}` is a decision of the plan, and a range states an uncertain value", span, hint)


def uncovered(span: Span, missing: list[str]) -> Diagnostic:
    """E0308: a `match` that leaves a case open."""
    shown = ", ".join(f"`{name}`" for name in missing[:5])
    return error("E0308", f"this `match` does not cover {shown}", span, "add the case, or `_ => …`")
