"""Hints that correct a mistake in units or types."""

from __future__ import annotations

import re

from llmplan.check import ir
from llmplan.check.ir import Typed
from llmplan.check.labels import Labelled, with_label
from llmplan.check.scope import Scope
from llmplan.diagnostics import Edit, Hint
from llmplan.source import Span
from llmplan.units.measure import BOOL, TEXT, EnumType, Measure, Type, combine

_NUMBER = re.compile(r'"[ \t]*[0-9][0-9_.]*[A-Za-z]{0,2}([ \t]*[A-Za-z%/*^]+)?[ \t]*"')


def instead(scope: Scope, typed: Typed, want: Type) -> Hint | None:
    """The corrected text for an expression of the wrong type: a rate, a member without quotes, a number with a unit."""
    if isinstance(want, EnumType):
        match typed.expr:
            case ir.Text((str(word),)) if word in want.members:
                return Hint(f"write `{word}` without quotes", (Edit(typed.span, word),))
        return Hint("it is one of " + ", ".join(f"`{member}`" for member in want.members))
    if want == BOOL:
        return Hint("write `true` or `false`")
    if isinstance(want, Measure) and typed.type == TEXT and _NUMBER.fullmatch(typed.span.text):
        bare = typed.span.text.strip('"').strip()
        return Hint(f"write `{bare}` without quotes", (Edit(typed.span, bare),))
    if not (isinstance(typed.type, Measure) and isinstance(want, Measure)):
        return None
    if want.dims == combine(typed.type.dims, (("Time", 1),), -1) and typed.number is not None and typed.unit:
        text = typed.span.text
        single = text[:-1] if text.endswith("s") and typed.unit[:-1] in scope.units.words else text
        rate = f"{single}/{'hour' if dict(want.dims).get('Money') else 's'}"
        if isinstance(want, Labelled) and want.strict:
            number, _, unit = rate.rpartition(" ")
            rates = [f"`{number} {with_label(scope.units, unit, want, form.label)}`" for form in want.forms]
            return Hint(f"write {', '.join(rates[:-1])} or {rates[-1]}")
        return Hint(f"write `{rate}`", (Edit(typed.span, rate),))
    if typed.unit == "t" and re.fullmatch(r"[0-9][0-9_.]*t", typed.span.text):
        text = f"{typed.span.text[:-1]}T"
        return Hint(f"`t` is a tonne; a trillion is written `{text}`", (Edit(typed.span, text),))
    return _for_each(scope, typed, want) or unit_after(scope, typed.type, want)


def for_each(scope: Scope, one: Typed, other: Typed) -> Hint | None:
    """For `dataset.tokens == 20 * model.params`: the factor is a rate."""
    for typed, want in ((other, one.type), (one, other.type)):
        if isinstance(typed.type, Measure) and isinstance(want, Measure):
            hint = _for_each(scope, typed, want)
            if hint is not None:
                return hint
    return None


def entry(scope: Scope, word: str) -> Hint | None:
    """A hint for a word used as a unit that names a catalog entry: `64 A100`."""
    for kind, index in scope.aliases.items():
        if any(f"-{word.lower()}-" in f"-{name}-" for name in index):
            chosen = scope.selector(kind).rpartition(".")[2]
            return Hint(
                f'`{word}` names a {kind} of the catalog, not a unit: write `{chosen} = "{word}"` beside the number'
            )
    return None


def _for_each(scope: Scope, typed: Typed, want: Measure) -> Hint | None:
    """For `20 * model.params` or `20 tokens * model.params` as tokens: the factor is a rate and needs its unit."""
    assert isinstance(typed.type, Measure)
    factor = re.match(r"([0-9][0-9_.]*[KMBT]?)([ \t]*[a-z]+)?[ \t]*\*", typed.span.text)
    if factor is None or not scope.units.is_count(want):
        return None
    over = scope.units.is_count(typed.type)
    each = typed.type if over else typed.type.times(want, -1)
    if not scope.units.is_count(each):
        return None
    rate = f"{factor.group(1)} {scope.units.base(want)}s/{scope.units.base(each)}"
    at = Span(typed.span.source, typed.span.start, typed.span.start + len(factor.group(1) + (factor.group(2) or "")))
    # An edit is possible if the other unit is right beside the number, or absent.
    edits = (Edit(at, rate),) if over != bool(factor.group(2)) else ()
    return Hint(f"a number for each has a unit: write `{rate}`", edits)


def unit_after(scope: Scope, one: Type | None, other: Type | None) -> Hint | None:
    """A hint for a computed number that meets a count with a dimension: a literal must have the unit."""
    for plain, count in ((one, other), (other, one)):
        if isinstance(plain, Measure) and isinstance(count, Measure) and plain.plain and scope.units.is_count(count):
            unit = scope.units.base(count)
            return Hint(f"a unit belongs to a number: write it after one of them, as in `1T {unit}s`")
    return None


def per(scope: Scope, one: Type | None, other: Type | None) -> Hint | None:
    """A field that converts between two counts: `hardware.gpus_per_node`."""
    if not (isinstance(one, Measure) and isinstance(other, Measure)):
        return None
    if one.dims != other.dims or not len(one.labels) == len(other.labels) == 1:
        return None
    (left, power), (right, other_power) = one.labels[0], other.labels[0]
    if power != other_power or abs(power) != 1:
        return None
    for many, single in ((left, right), (right, left)):
        ending = f".{many}s_per_{single}".lower()
        # Fields of the plan's own come before those of the catalog.
        fields = sorted(
            (p for p in scope.fields if p.endswith(ending)), key=lambda p: p.partition(".")[0] in scope.entries
        )
        for path in fields[:1]:
            if power < 0:
                return Hint(f"divide what is for one {single} by `{path}`, for one {many}")
            return Hint(f"multiply the {single.lower()}s by `{path}`")
    return None
