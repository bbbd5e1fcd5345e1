"""Dimensions and units of the library: builds a table of words with their plurals and prefixes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from llmplan.check.scope import Scope
from llmplan.diagnostics import Diagnostic, names, units
from llmplan.syntax import nodes
from llmplan.syntax.decorators import said
from llmplan.units.measure import Measure
from llmplan.units.table import SI_PREFIXES, UnitWord, UnknownUnit


def declare_units(
    scope: Scope,
    dimensions: Sequence[nodes.Dimension],
    declared: Sequence[nodes.UnitDecl],
    report: Callable[[Diagnostic], None],
) -> None:
    """Adds dimensions, base units, labels and derived units, in any order."""
    first: dict[str, nodes.Statement] = {}

    def once(name: str, statement: nodes.Statement) -> bool:
        if name in first or name in scope.units.words or name in scope.dimensions:
            report(names.defined_twice(statement.span, name, first.get(name, statement).span))
            return False
        first[name] = statement
        return True

    for dimension in dimensions:
        name, span = dimension.name.text, dimension.span
        if once(name, dimension):
            scope.dimensions[name] = (span.source.name, span.start, span.end)
            if said(dimension.decorators, "count"):
                scope.units.counts.add(name)
    waiting = [s for s in declared if once(f"unit {s.name.text}", s)]
    for percent in (s for s in waiting if s.name.text == "%"):
        report(names.built_in(percent.name.span, "%"))
    waiting = [s for s in waiting if s.name.text != "%"]
    while waiting:
        later = [s for s in waiting if not _declare(scope, s, report, last=False)]
        if len(later) == len(waiting):
            for s in later:
                _declare(scope, s, report, last=True)
            return
        waiting = later


def _readable(factor: Fraction) -> bool:
    """Whether values can be shown in a unit of this size: it is above 0 and fits a float."""
    try:
        return float(factor) > 0.0
    except OverflowError:
        return False


def _declare(scope: Scope, s: nodes.UnitDecl, report: Callable[[Diagnostic], None], last: bool) -> bool:
    """Adds one unit; False if it is defined by a unit that is not known yet."""
    table = scope.units
    if s.type is None:
        factor, measure = Fraction(1), Measure((), ((s.name.text, 1),), whole=True)
    elif s.value is None and s.type.text in scope.dimensions:
        factor, measure = Fraction(1), Measure(((s.type.text, 1),))
        table.bases[s.type.text] = s.name.text
    else:
        value = s.value
        if not isinstance(value, nodes.Number) or value.unit is None:
            report(units.not_here(s.span, "this", "a number with a unit"))
            return True
        at = value.unit.span
        try:
            scale, measure = table.parse(value.unit.text)
            at = s.type.span
            _, declared = table.parse(s.type.text)
        except UnknownUnit as unknown:
            if last:
                report(units.unknown_unit(at, unknown.word, table.suggest(unknown.word), None))
            return False
        if declared.dims != measure.dims:
            report(units.not_here(value.span, "this unit", f"one of {s.type.text}"))
        factor = value.value * scale
        if not _readable(factor):
            report(units.no_size(value.span, s.name.text))
            return True
    spellings = [s.name.text, *(text for texts in said(s.decorators, "names") for text in texts)]
    prefixes = [text for texts in said(s.decorators, "prefixes") for text in texts if text in SI_PREFIXES]
    for spelling in spellings:
        table.words[spelling] = UnitWord(s.name.text, factor, measure)
        for prefix in prefixes:
            table.words[prefix + spelling] = UnitWord(prefix + s.name.text, factor * SI_PREFIXES[prefix], measure)
    return True
