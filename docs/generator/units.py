"""The units of the library as tables: every word that may stand after a number, by dimension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

from llmplan.check.scope import Scope
from llmplan.syntax import nodes
from llmplan.units.measure import Measure
from llmplan.units.table import UnitWord


def unit_tables(scope: Scope, declared: Sequence[nodes.Statement]) -> Iterator[str]:
    """A table for each measure, in the order of declaration, with the factor to its base unit."""
    docs = {s.name.text: " ".join(s.doc.split()) for s in declared if isinstance(s, nodes.UnitDecl)}
    groups: dict[Measure, dict[str, tuple[UnitWord, list[str]]]] = {}
    words = [(word, scope.units.words[word]) for word in scope.units.words]
    for word, unit in words:
        table = groups.setdefault(unit.measure, {})
        table.setdefault(unit.name, (unit, []))[1].append(word)
    for measure, table in groups.items():
        yield from _table(scope, measure, table, docs)
    yield from ("## Percent", "", "`%` is a hundredth: `40%` is 0.4.", "")


def _table(
    scope: Scope, measure: Measure, table: dict[str, tuple[UnitWord, list[str]]], docs: dict[str, str]
) -> Iterator[str]:
    base = scope.units.base(measure)
    label = not measure.dims
    yield from (f"## {_title(scope, measure)}", "")
    if scope.units.is_count(measure):
        yield from ("Counted: a bare number takes this unit from where it stands.", "")
    yield from ("| unit | also | is | |", "|---|---|---|---|")
    for name in sorted(table, key=lambda name: table[name][0].factor):
        unit, spellings = table[name]
        others = ", ".join(f"`{word}`" for word in spellings if word != name)
        size = "a label" if label else f"{exact(unit.factor)} {base}"
        yield f"| `{name}` | {others} | {size} | {docs.get(name, '')} |"
    yield ""


def _title(scope: Scope, measure: Measure) -> str:
    if not measure.dims:
        return f"Count of {scope.units.base(measure)}"
    if len(measure.dims) == 1 and measure.dims[0][1] == 1:
        return measure.dims[0][0]
    over = [name if e == 1 else f"{name}^{e}" for name, e in measure.dims if e > 0]
    under = [name if e == -1 else f"{name}^{-e}" for name, e in measure.dims if e < 0]
    return " / ".join([" · ".join(over) or "1", *under])


def exact(factor: Fraction) -> str:
    """A factor with all its digits: `3,600`, `0.125`, `10^15`."""
    if factor.denominator == 1:
        digits = str(factor.numerator)
        zeros = len(digits) - len(digits.rstrip("0"))
        if zeros >= 6 and digits.rstrip("0") == "1":
            return f"10^{zeros}"
        return f"{factor.numerator:,}"
    return f"{Decimal(factor.numerator) / Decimal(factor.denominator):f}"
