"""Values in the place of a field with `@per`: each states its label, and is converted to the first one.

Input: a checked value and the expectation of its place. Output: the value for the first label. A literal without a
label is E0311, wherever a count's unit would reach it: in alternatives, sums, lists, ranges, multiples and behind a
`let`. A product has the labels of its factors combined, and counts for the first label if they have none (W0620).
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from llmplan.check import ir
from llmplan.check.context import Context
from llmplan.check.ir import Typed
from llmplan.check.labels import Labelled, LetLabelled, factors, has_label, is_label, with_label
from llmplan.check.scope import Scope
from llmplan.diagnostics import Diagnostic, units
from llmplan.syntax import nodes
from llmplan.units.measure import Exponents, Measure
from llmplan.units.table import UnitTable

_TOLD = ("E0311", "W0620")
"""What is said of the value of a let for its place; all else is said where the let is checked."""


def settled(check: Context, node: nodes.Expr, typed: Typed, want: Labelled) -> Typed:
    """A value in the place of a field, for the first of its labels; E0311 if it states none."""
    if not isinstance(typed.type, Measure) or typed.type.dims != want.dims or typed.zero:
        return typed
    if isinstance(node, nodes.Number):
        if node.unit is None:
            return typed
        if typed.type.labels in [form.labels for form in want.forms] or not (typed.type.labels or want.strict):
            return _converted(check.scope.units, typed, want, typed.type.labels)
        return check.wrong(node, _unlabelled(check.scope, node, want))
    if isinstance(typed.expr, ir.Ref) and isinstance(node, nodes.Name) and typed.expr.name in check.scope.lets:
        return _of_let(check, typed.expr.name, typed, want)
    if isinstance(node, nodes.Product) and not typed.labels:
        multiple = _multiple(check, node, want)
        if multiple is not None and check.check(multiple, want).type is None:
            return evolve(typed, type=None)
        if multiple is None and want.strict and not check.silent:
            check.report(units.taken_for(node.span, want.name, want.forms[0].label))
    return _converted(check.scope.units, typed, want, typed.labels)


def _multiple(check: Context, node: nodes.Product, want: Labelled) -> nodes.Expr | None:
    """The only factor of a product that is not a plain number: the literal of `0.9 * 20 USD/hour`."""
    quiet = check.quiet()
    factors = [("*", node.first), *node.rest]
    measured = [(sign, factor) for sign, factor in factors if not _plain(quiet.check(factor))]
    return measured[0][1] if len(measured) == 1 and measured[0][0] == "*" else None


def _plain(typed: Typed) -> bool:
    return isinstance(typed.type, Measure) and typed.type.plain and not typed.labels


def _of_let(check: Context, name: str, typed: Typed, want: Labelled) -> Typed:
    """A let, whose literals must state a label, also in scenarios, sweeps and `--set`, and the same one everywhere."""
    forms = tuple(evolve(form, by="", factor=None) for form in want.forms if form.labels == typed.labels)
    own = LetLabelled(want.dims, typed.labels or want.labels, False, want.name, forms or want.forms, want.unit)
    told: list[Diagnostic] = []
    checking = check.reporting(lambda diagnostic: told.append(diagnostic) if diagnostic.code in _TOLD else None)
    if want.strict and name not in check.scope.labelled:
        if not check.silent:
            check.scope.labelled[name] = own
        for value in check.scope.let_values(name):
            for part in _values(value):
                checking.check(part, own)
    for diagnostic in told:
        check.report(diagnostic)
    wrong = any(diagnostic.severity == "error" for diagnostic in told)
    return evolve(typed, type=None) if wrong else _converted(check.scope.units, typed, want, typed.labels)


def _values(node: nodes.Expr) -> Sequence[nodes.Expr]:
    """The values in a right-hand side: of a range, of a list, of the domain of an unknown."""
    match node:
        case nodes.Unknown():
            return _values(node.domain) if node.domain is not None else ()
        case nodes.Range():
            return [end for end in (node.low, node.expected, node.high, node.step) if end is not None]
        case nodes.List():
            return [value for item in node.items for value in _values(item)]
    return [node]


def _converted(table: UnitTable, typed: Typed, want: Labelled, labels: Exponents) -> Typed:
    """A value converted from one of some labels to the first; unchanged if it has other labels or none."""
    form = next((form for form in want.forms if form.labels == labels), None)
    if form is None:
        return typed
    measure = Measure(want.dims, want.labels, want.whole)
    if form.factor is None:
        return evolve(typed, type=measure, said=())
    first = want.forms[0]
    operation = "mul" if dict(want.labels)[first.label] > 0 else "div"
    unit = "".join(
        f"{factor[0]}{first.label}" if factor[0] in "*/" and is_label(table, factor[1:], form.label) else
        first.label if is_label(table, factor, form.label) else factor
        for factor in factors(typed.unit)
    )  # fmt: skip
    return Typed(ir.Op(operation, (typed.expr, form.factor)), measure, typed.span, unit=unit)


def _unlabelled(scope: Scope, node: nodes.Number, want: Labelled) -> Diagnostic:
    """E0311 for a literal without one of the labels, with each of them written in its place."""
    assert node.unit is not None
    forms = [(form.label, with_label(scope.units, node.unit.text, want, form.label), form.by) for form in want.forms]
    return units.unlabelled(node.span, want.name, node.text, forms, bool(has_label(scope.units, node.unit.text)))
