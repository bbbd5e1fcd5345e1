"""Expressions: resolves names, verifies units and types, and builds the checked form.

Input: a syntax tree and a scope. Output: a `Typed` (expression and type) and diagnostics. A part with a mistake is
reported once and gets the type None, which fits everything, so one mistake gives one message. Each form
has its method here, which is why the module is longer than others.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from llmplan.check import ir, spoken
from llmplan.check.calls import check_call, check_fold
from llmplan.check.comparisons import chain, check_compare, check_member
from llmplan.check.context import Context
from llmplan.check.entry_names import normal
from llmplan.check.ir import Expr, Typed
from llmplan.check.labelled_values import settled
from llmplan.check.labels import Labelled, compared
from llmplan.check.match_expr import check_match
from llmplan.check.scope import Meaning, words
from llmplan.diagnostics import Diagnostic, names, units
from llmplan.diagnostics.entries import usual_entry
from llmplan.syntax import nodes
from llmplan.units.measure import BOOL, INT, REAL, TEXT, EnumType, KindType, ListType, Measure, TextType, Type, combine


class Expressions(Context):
    """Checks expressions: one method for each form, named after its node."""

    def check(self, node: nodes.Expr, want: Type | None = None) -> Typed:
        method: Callable[[nodes.Expr, Type | None], Typed] = getattr(self, f"_{type(node).__name__.lower()}")
        typed = method(node, want)
        return settled(self, node, typed, want) if isinstance(want, Labelled) else typed

    # Leaves

    def _number(self, node: nodes.Number, want: Type | None) -> Typed:
        # `2.0` means that fractions are allowed; `1.5B` does not.
        whole = node.value.denominator == 1 and not ("." in node.text and node.text[-1].isdigit())
        amount, measure = node.value, INT if whole else REAL
        if node.unit is not None:
            found = self.unit(node.unit, want)
            if found is None:
                return self.wrong(node)
            amount, measure = amount * found[0], found[1]
        try:
            value = float(amount)
        except OverflowError:
            return self.wrong(node, units.too_large(node.span))
        unit = node.unit.text if node.unit is not None else ""
        return Typed(ir.Num(value), measure, node.span, bare=node.unit is None, unit=unit)

    def _bool(self, node: nodes.Bool, want: Type | None) -> Typed:
        return Typed(ir.Num(float(node.value)), BOOL, node.span)

    def _text(self, node: nodes.Text, want: Type | None) -> Typed:
        if isinstance(want, KindType):
            return self._entry(node, want)
        pieces: list[str | ir.Shown] = []
        for part in node.parts:
            if isinstance(part, str):
                pieces.append(part)
                continue
            typed = self.check(part.value)
            unit = part.unit.text if part.unit else ""
            if part.unit is not None:
                self.shown_in(typed, part.unit)
            pieces.append(ir.Shown(typed.expr, unit, typed.type, typed.unit))
        return Typed(ir.Text(tuple(pieces)), TEXT, node.span)

    def shown_in(self, typed: Typed, unit: nodes.Unit) -> None:
        """`… in days`: the unit must have the expression's measure."""
        found = self.unit(unit)
        if found is not None and isinstance(typed.type, Measure) and found[1].dims != typed.type.dims:
            self.report(units.shown_in(typed.span, words(typed.type), unit.span, unit.text, words(found[1])))

    def _entry(self, node: nodes.Text, want: KindType) -> Typed:
        name = node.plain
        if name is None:
            return self.wrong(node, units.not_here(node.span, "text with `{…}`", "a catalog name"))
        return self._entry_of(node, name, want)

    def _entry_of(self, node: nodes.Text | nodes.Name, name: str, want: KindType) -> Typed:
        """An entry by name, in quotes or as a bare word."""
        entry, near = self.scope.find_entry(want.name, name)
        if entry is None:
            return self.wrong(node, self.scope.no_entry(node.span, want.name, name, near))
        if near:
            self.report(usual_entry(node.span, name, entry, near))
        return Typed(ir.Entry(want.name, entry, self.scope.published(want.name, name)), want, node.span)

    def _name(self, node: nodes.Name, want: Type | None) -> Typed:
        text = node.text
        if len(node.parts) == 1:
            if text in self.locals:
                return Typed(ir.Local(text), self.locals[text], node.span)
            if isinstance(want, EnumType) and text in want.members:
                return Typed(ir.Member(want.name, want.members.index(text)), want, node.span)
            if isinstance(want, KindType) and self.scope.find_entry(want.name, text)[0] is not None:
                return self._entry_of(node, text, want)
            if self.kind is not None and f"{self.kind}.{text}" in self.scope.fields:
                text = f"{self.kind}.{text}"
        elif len(node.parts) == 2 and isinstance(self.locals.get(node.parts[0]), KindType):
            return self._of_local(node)
        meaning = self.scope.lookup(text)
        if meaning is None:
            return self.wrong(node, self.unknown_name(node, want))
        if meaning.indices:
            return self.wrong(node, units.not_here(node.span, f"`{text}` without its indices", "a value"))
        if meaning.type is None and text in self.scope.fields:
            return self.wrong(node, self._two_units(node, text))
        if isinstance(meaning.type, KindType) and text not in self.scope.fields:
            text = self.scope.selector(meaning.type.name)
        ref = ir.Ref(text, node.span.start, node.span.end)
        return Typed(ref, meaning.type, node.span, unit=meaning.unit, said=meaning.labels)

    def _of_local(self, node: nodes.Name) -> Typed:
        """`g.count`, a field of the entry that a variable stands for."""
        local, name = node.parts
        kind = self.locals[local]
        assert isinstance(kind, KindType)
        record = self.scope.fields.get(f"{kind.name}.{name}")
        if record is None:
            self.report(spoken.unknown_field(self.scope, node.span, kind.name, name))
            return self.wrong(node)
        return Typed(ir.FieldOf(local, kind.name, name), record.type, node.span, unit=record.units[0])

    def _two_units(self, node: nodes.Name, path: str) -> Diagnostic:
        options = list(self.scope.fields[path].units)
        field = path.rpartition(".")[2]
        computed = [f"{field}_{unit}s" for unit in options if f"{field}_{unit}s" in self.scope.quantities]
        return units.two_units(node.span, path, options, computed)

    def unknown_name(self, node: nodes.Name, want: Type | None) -> Diagnostic:
        """E0201 for an undefined name, with the values that a place of that type accepts."""
        if isinstance(want, KindType):
            near = self.scope.find_entry(want.name, node.text)[1]
            return self.scope.no_entry(node.span, want.name, node.text, near)
        if isinstance(want, TextType):
            return names.unquoted(node.span, _texts(want))
        if want == BOOL and node.text.lower() in ("yes", "no", "on", "off", "true", "false"):
            meant = "true" if node.text.lower() in ("yes", "on", "true") else "false"
            return names.unknown_truth(node.span, meant)
        if isinstance(want, EnumType) and len(node.parts) == 1:
            return spoken.unknown_member(self.scope, node.span, node.text, want)
        first = node.parts[0]
        siblings = (first, list(self.scope.kinds[first])) if first in self.scope.kinds else None
        candidates = [*self.locals, *self.scope.names(), *(f"{kind}.name" for kind in self.scope.entries)]
        if self.kind is not None:
            candidates += self.scope.kinds.get(self.kind, ())
        owner = next((enum.name for enum in self.scope.enums.values() if node.text in enum.members), "")
        hints = spoken.undefined_name(self.scope, node.span, node.text)
        return names.unknown_name(node.span, node.text, candidates, siblings, owner, hints)

    def _index(self, node: nodes.Index, want: Type | None) -> Typed:
        meaning = self.scope.lookup(node.name.text)
        if meaning is None:
            return self.wrong(node, self.unknown_name(node.name, None))
        if node.name.text in self.scope.fields and node.name.parts[0] in self.scope.entries and len(node.indices) == 1:
            return self._field_at(node, meaning)
        if len(meaning.indices) != len(node.indices):
            count = f"{len(meaning.indices)} indices" if meaning.indices else "no index"
            return self.wrong(node, units.wrong_count(node.span, node.name.text, count, len(node.indices)))
        args = []
        for number, (argument, enum) in enumerate(zip(node.indices, meaning.indices), 1):
            typed = self.check(argument, self.scope.enums[enum])
            if typed.type not in (self.scope.enums[enum], None):
                found = words(typed.type)
                self.report(
                    units.wrong_argument(
                        argument.span, number, node.name.text, words(self.scope.enums[enum]), found, None
                    )
                )
                typed = self.wrong(argument)
            args.append(typed.expr)
        return Typed(ir.Index(node.name.text, tuple(args)), meaning.type, node.span, unit=meaning.unit)

    def _field_at(self, node: nodes.Index, meaning: Meaning) -> Typed:
        """`gpu.memory["H100"]`; an enum value stands for the entry that is `@usual` under its name."""
        kind, _, field = node.name.text.partition(".")
        (index,) = node.indices
        if meaning.type is None:
            return self.wrong(node, self._two_units(node.name, node.name.text))
        if isinstance(meaning.type, (TextType, ListType)):
            return self.wrong(node, units.not_here(node.name.span, words(meaning.type), "a field with a single value"))
        typed = self.check(index, KindType(kind))
        if isinstance(typed.expr, ir.Entry):
            expr = ir.FieldAt(kind, field, (typed.expr.name,), ir.Num(0.0))
            return Typed(expr, meaning.type, node.span, unit=meaning.unit)
        if typed.type is None:
            return self.wrong(node)
        if not isinstance(typed.type, EnumType):
            wanted = f"the name of a {kind} or a member of an enum"
            return self.wrong(node, units.not_here(index.span, words(typed.type), wanted))
        usual = self.scope.usual.get(kind, {})
        entries = tuple(usual.get(normal(member), "") for member in typed.type.members)
        expr = ir.FieldAt(kind, field, entries, typed.expr, typed.type.name)
        return Typed(expr, meaning.type, node.span, unit=meaning.unit)

    # Structure

    def _paren(self, node: nodes.Paren, want: Type | None) -> Typed:
        return evolve(self.check(node.inner, want), span=node.span)

    def _several(self, node: nodes.List | nodes.Range, want: Type | None) -> Typed:
        what = "a list" if isinstance(node, nodes.List) else "a range"
        return self.wrong(node, units.not_here(node.span, what, "a single value"))

    _list = _range = _several

    def _unknown(self, node: nodes.Unknown, want: Type | None) -> Typed:
        return self.wrong(node, units.not_here(node.span, "an unknown", "a value"))

    def _if(self, node: nodes.If, want: Type | None) -> Typed:
        condition = self.condition(node.condition)
        branches = self.alike([node.then, node.otherwise], want, "used as alternatives")
        return self.joined(node, ir.If(condition, branches[0].expr, branches[1].expr), branches)

    def _nameless(self, node: nodes.Expr) -> bool:
        return isinstance(node, nodes.Name) and self.scope.lookup(node.text) is None

    # Arithmetic

    def _negative(self, node: nodes.Negative, want: Type | None) -> Typed:
        typed = self.check(node.operand, want)
        if not self.measured(typed):
            return self.wrong(node)
        number = typed.number
        negative = ir.Num(-number) if number is not None else ir.Op("neg", (typed.expr,))
        return evolve(typed, expr=negative, span=node.span)

    def _sum(self, node: nodes.Sum, want: Type | None) -> Typed:
        if isinstance(want, (KindType, TextType)) and self._nameless(node.first):
            return self.wrong(node, names.unquoted(node.span, _texts(want)))  # A100-SXM4-80GB
        labelled = _labelled(want)
        result = self.check(node.first, labelled)
        if not self.measured(result):
            result = evolve(result, type=None)
        first = result.expr
        labelled = labelled or _labelled(compared(self.scope, result))
        parts: list[tuple[str, Expr]] = []
        for sign, term in node.rest:
            typed = self.check(term, labelled)
            if typed.type is not None and not self.measured(typed):
                typed = evolve(typed, type=None)
            result = self.unify(result, typed, "added" if sign == "+" else "subtracted")
            parts.append(("add" if sign == "+" else "sub", typed.expr))
        return evolve(result, expr=ir.Chain(first, tuple(parts)), span=node.span)

    def _product(self, node: nodes.Product, want: Type | None) -> Typed:
        result = self.check(node.first)
        parts: list[tuple[str, Expr]] = []
        fine = self.measured(result)
        measure, said = result.type, result.labels
        for sign, factor in node.rest:
            typed = self.check(factor)
            fine = self.measured(typed) and fine
            if fine and isinstance(measure, Measure) and isinstance(typed.type, Measure):
                whole = measure.whole and typed.type.whole and sign == "*"
                power = 1 if sign == "*" else -1
                dims = combine(measure.dims, typed.type.dims, power)
                measure = Measure(dims, whole=whole and not dims)
                said = combine(said, typed.labels, power)
            parts.append(("mul" if sign == "*" else "div", typed.expr))
        product_of = ir.Chain(result.expr, tuple(parts))
        return Typed(product_of, measure, node.span, said=said) if fine else Typed(product_of, None, node.span)

    def _power(self, node: nodes.Power, want: Type | None) -> Typed:
        base, exponent = self.check(node.base), self.check(node.exponent)
        if not (self.measured(base) and self.measured(exponent)):
            return self.wrong(node)
        assert isinstance(base.type, Measure) and isinstance(exponent.type, Measure)
        if exponent.type.dims or exponent.type.labels:
            return self.wrong(node, units.not_here(exponent.span, words(exponent.type), "a plain exponent"))
        measure = REAL
        literal = exponent.number
        if base.type.dims:
            if literal is None or literal != int(literal) or abs(literal) > 12:
                self.report(
                    units.not_here(exponent.span, f"this exponent of {words(base.type)}", "a small whole number")
                )
                return self.wrong(node)
            measure = base.type.power(int(literal))
        elif literal is not None and literal >= 0 and base.type.whole and exponent.type.whole:
            measure = INT
        return Typed(ir.Op("pow", (base.expr, exponent.expr)), measure, node.span)

    # Truth

    def _logic(self, node: nodes.And | nodes.Or, want: Type | None) -> Typed:
        operation = "and" if isinstance(node, nodes.And) else "or"
        return Typed(chain(operation, [self.condition(item) for item in node.items]), BOOL, node.span)

    _and = _or = _logic

    def _not(self, node: nodes.Not, want: Type | None) -> Typed:
        return Typed(ir.Op("not", (self.condition(node.operand),)), BOOL, node.span)

    # Forms with modules of their own

    _match = check_match
    _compare = check_compare
    _member = check_member
    _call = check_call
    _fold = check_fold


def _labelled(want: Type | None) -> Labelled | None:
    return want if isinstance(want, Labelled) else None


def _texts(want: KindType | TextType) -> str:
    return "text" if isinstance(want, TextType) else "catalog names"
