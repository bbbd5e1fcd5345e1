"""Labels of a field, `@per(GPU, node, job)`: the expectation of its place, and units with a label.

Input: a scope with the declared fields. Output: the expectation of the place of a field or let: a measure with the
labels that a number may have, and with the fields that convert the others to the first, in which values are stored.
`check.labelled_values` checks values against it.
"""

from __future__ import annotations

import re
from typing import TypeGuard

from attrs import frozen

from llmplan.check import ir
from llmplan.check.ir import Typed
from llmplan.check.scope import Scope
from llmplan.units.measure import Exponents, Measure, Type
from llmplan.units.table import UnitTable, UnknownUnit, plural

_FACTOR = re.compile(r"[*/]?[^*/]+")


@frozen
class Form:
    """A label that a number may have.

    Attributes:
        label: Its name.
        labels: What a number with it has: `(("node", -1),)` of one per node.
        by: The field that says how many of the first label it has; empty for a number that is kept as it is.
        factor: The value of that field, in an entry its own; None for such a number.
    """

    label: str
    labels: Exponents
    by: str = ""
    factor: ir.Expr | None = None


@frozen
class Labelled(Measure):
    """The expectation of a place whose numbers state a label: not the type of a value, but what `check` is given.

    Attributes:
        name: The field, for messages.
        forms: The labels that a number may have, the first one being kept.
        unit: The unit that the field is declared in.
    """

    name: str = ""
    forms: tuple[Form, ...] = ()
    unit: str = ""

    @property
    def strict(self) -> bool:
        """Whether a number must state its label; a field's only label may be left out."""
        return len(self.forms) > 1


@frozen
class LetLabelled(Labelled):
    """The expectation of a let that is the value of such a field: one label, which must be stated."""

    @property
    def strict(self) -> bool:
        return True


def conversion(scope: Scope, first: str, label: str, kind: str = "") -> str:
    """The field with the number of the first label in one of another: `gpus_per_node`, and `gpus` of the whole run.

    Args:
        kind: Its own field takes precedence over those of other kinds, as in its entries; otherwise kinds without
            entries come first. Empty if there is no such field.
    """
    many = plural(first).lower()
    for name in (f"{many}_per_{label.lower()}", many):
        paths = [path for path in scope.fields if path.endswith(f".{name}") and _counts(scope, path, first)]
        own = [path for path in paths if path.partition(".")[0] == kind]
        others = sorted(paths, key=lambda path: path.partition(".")[0] in scope.entries)
        if own or others:
            return (own or others)[0]
    return ""


def converts(scope: Scope, first: str, label: str) -> bool:
    """Whether a label of the library or the plan has a field that converts it.

    For a label of which a run has several, such as nodes, a field must give the number of the first label in one; a
    whole run is a single one.
    """
    word = scope.units.words.get(label)
    if word is None or (word.name, word.measure.dims, word.measure.labels) != (label, (), ((label, 1),)):
        return False
    by = conversion(scope, first, label)
    several = by.endswith(f"_per_{label.lower()}") or not any(_counts(scope, path, label) for path in scope.fields)
    return bool(by) and several


def _counts(scope: Scope, path: str, label: str) -> bool:
    type = scope.fields[path].type
    return isinstance(type, Measure) and (type.dims, type.labels) == ((), ((label, 1),))


def wanted(scope: Scope, type: Type, name: str, entry: ir.Entry | None = None) -> Type:
    """The expectation of the place of a field or let: its type, with the labels that its numbers may have.

    Args:
        name: The field or let.
        entry: The entry that the place is in; None in a plan.
    """
    if name in scope.labelled and isinstance(type, Measure):
        return scope.labelled[name]
    field = scope.fields.get(name)
    if field is None or not field.per or len(field.types) > 1 or not isinstance(type, Measure):
        return type
    first = field.per[0]
    forms = [Form(first, type.labels)]
    for label in field.per[1:]:
        labels = tuple(sorted((label if held == first else held, exponent) for held, exponent in type.labels))
        by = conversion(scope, first, label, entry.kind if entry is not None else "")
        own, _, local = by.partition(".")
        inside = entry is not None and own == entry.kind
        factor = ir.FieldOfEntry(entry.kind, entry.name, local) if entry is not None and inside else ir.Ref(by)
        forms.append(Form(label, labels, by, factor))
    return Labelled(type.dims, type.labels, type.whole, name, tuple(forms), field.units[0])


def compared(scope: Scope, typed: Typed) -> Type | None:
    """The expectation of the other side of a comparison or sum: the labels of a field, or the value's own type."""
    match typed.expr:
        case ir.Ref(name):
            path = name
        case ir.FieldAt(kind, field) | ir.FieldOf(_, kind, field):
            path = f"{kind}.{field}"
        case _:
            return typed.type
    return wanted(scope, typed.type, path) if typed.type is not None and path in scope.fields else typed.type


def is_converted(expr: ir.Expr) -> TypeGuard[ir.Op]:
    """Whether a value is a product with the field that converts its label; an author's own products are chains."""
    return (
        isinstance(expr, ir.Op)
        and expr.operation in ("mul", "div")
        and isinstance(expr.args[1], (ir.Ref, ir.FieldOfEntry))
    )


def is_label(table: UnitTable, word: str, label: str) -> bool:
    return word in table.words and table.words[word].measure.labels == ((label, 1),)


def factors(unit: str) -> list[str]:
    """The words of a unit, each with the operator before it: `USD`, `/GPU`, `/hour`."""
    return _FACTOR.findall(unit)


def with_label(table: UnitTable, unit: str, want: Labelled, label: str) -> str:
    """A unit with a label where the unit of the field has it: `USD/GPU/hour`, `Gbit/s/node`, `job*hour`."""
    kept = [factor for factor in factors(unit) if not has_label(table, factor.lstrip("*/"))]
    declared = factors(want.unit)
    place = next((n for n, factor in enumerate(declared) if has_label(table, factor.lstrip("*/"))), len(declared))
    if dict(want.labels)[want.forms[0].label] > 0:
        return "*".join([label, *(_single(table, factor.lstrip("*")) for factor in kept)])
    return "".join([*kept[:place], f"/{label}", *kept[place:]])


def has_label(table: UnitTable, word: str) -> bool:
    """Whether a unit has a label; false for a word that is not a unit of the table, such as `m^2`."""
    try:
        return bool(table.parse(word)[1].labels)
    except UnknownUnit:
        return False


def labelled_units(table: UnitTable, want: Labelled) -> list[str]:
    """The unit of the field with each of its labels."""
    return [with_label(table, want.unit, want, form.label) for form in want.forms]


def _single(table: UnitTable, word: str) -> str:
    """A unit of time in the singular, as it stands in a product: `hour` for `hours`."""
    return word[:-1] if word.endswith("s") and word[:-1] in table.words else word
