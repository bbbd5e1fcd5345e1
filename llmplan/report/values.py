"""Every input, let, assumption and quantity of a plan at one point, with where each came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from llmplan.check.ir import Ref
from llmplan.check.program import Alternative, Quantity, Setting, SourceRef
from llmplan.solution import Citation, Origin, Scalar, Value
from llmplan.system.display import one_line, scalar, show
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing, Result
from llmplan.system.text import text_of
from llmplan.units.measure import REAL, KindType, ListType, Measure, TextType, Type

Role = Literal["input", "quantity", "let", "assumption"]


class Values:
    """Reads values from a lowering in which every solved unknown is fixed."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        self.scope = lowering.scope
        self.program = lowering.program
        self._texts: dict[SourceRef, str] = {}

    def all(self) -> dict[str, Value]:
        """By name: the plan's lets, then the inputs of each kind, then the quantities."""
        found: dict[str, Value] = {}
        for name in self.scope.lets:
            let = self.scope.lets[name]
            found[name] = self._value(name, "let", let.type or REAL, let.unit, self.lowering.name(name), doc=let.doc)
        for kind in self.scope.kinds:
            if kind in self.program.settings and self.scope.selector(kind) == kind:
                found[kind] = self._value(kind, "input", KindType(kind), "", self.lowering.name(kind))
        for path in self.scope.fields:
            found[path] = self._input(path)
        for name in self.scope.quantities:
            for value in self._quantity(self.scope.quantities[name]):
                found[value.name] = value
        return found

    # One value

    def _input(self, path: str) -> Value:
        field = self.scope.fields[path]
        cites = _citations(field.cites)
        if isinstance(field.type, (TextType, ListType)):
            text, layer = text_of(path, self.lowering)
            origin = Origin(layer, "", text) if text is not None else None
            needs = () if text is not None else (path,)
            return Value(path, text, None, text or "not given", "input", needs, origin=origin, doc=field.doc)
        result = self.lowering.name(path)
        type: Type = field.type
        unit = field.units[0]
        if len(field.types) > 1:
            won = self.program.winner(path)
            if won is not None:
                at = field.units.index(won[1].unit)
                type, unit = field.types[at], field.units[at]
        setting_unit = self._author_unit(path)
        return self._value(path, "input", type, setting_unit or unit, result, doc=field.doc, cites=cites)

    def _author_unit(self, path: str) -> str:
        won = self.program.winner(path)
        return won[1].unit if won is not None else ""

    def _quantity(self, quantity: Quantity) -> Iterator[Value]:
        if not quantity.alternatives:
            return
        if quantity.name in self.program.assumptions:
            result = self.lowering.name(quantity.name)
            unit = self._author_unit(quantity.name) or quantity.unit
            yield self._value(quantity.name, "assumption", quantity.type, unit, result, quantity.alternatives[0])
            return
        if quantity.indices:
            yield from self._indexed(quantity)
            return
        result = self.lowering.name(quantity.name)
        chosen = self._chosen(quantity, quantity.name)
        yield self._value(quantity.name, "quantity", quantity.type, quantity.unit, result, chosen)

    def _chosen(self, quantity: Quantity, name: str) -> Alternative:
        """The alternative whose formula was used."""
        trace = self.lowering.names.traces.get(name)
        for alternative in quantity.alternatives:
            if trace is not None and trace.place == alternative.formula:
                return alternative
        return quantity.alternatives[0]

    def _indexed(self, quantity: Quantity) -> Iterator[Value]:
        enums = [self.scope.enums[enum] for _, enum in quantity.indices]
        for members in _product([enum.members for enum in enums]):
            at = tuple(float(enum.members.index(m)) for enum, m in zip(enums, members))
            name = f"{quantity.name}[{', '.join(members)}]"
            result = self.lowering.at(quantity, at)
            yield self._value(name, "quantity", quantity.type, quantity.unit, result, self._chosen(quantity, name))

    def _value(
        self,
        name: str,
        role: Role,
        type: Type,
        unit: str,
        result: Result,
        formula: Alternative | None = None,
        doc: str = "",
        cites: tuple[Citation, ...] = (),
    ) -> Value:
        trace = self.lowering.names.traces.get(name)
        base = self.scope.units.base(type) if isinstance(type, Measure) else None
        result = self.lowering.unknowns.settled(result)
        number = None if isinstance(result, Missing) else self.lowering.graph.constant(result)
        text, reason = "not given", ""
        value: Scalar = None
        needs: tuple[str, ...] = ()
        if isinstance(result, Missing):
            needs = result.needs
            text = "needs " + ", ".join(needs) if needs else "unknown"
        elif number is not None:
            value = scalar(number, type, self.scope)
            text = show(number, type, self.scope, unit)
            if value is None:
                reason = self._reason(name)
                needs = self._absent(name)
                text = f"undefined: {reason}"
        origin, others = self._origins(name, trace.layer if trace else "", trace.place if trace else None, unit)
        reads = tuple(n for n in (trace.reads if trace else ()) if n != name)
        written = self._formula(name, role, formula, trace.place if trace else None)
        if formula is not None:
            doc, cites = formula.doc, _citations(formula.cites)
        entry_cites = self._entry_cites(trace.entry if trace else "", name)
        return Value(
            name, value, base, text, role, needs, reason, origin=origin, others=others, formula=written,
            reads=reads, doc=doc, cites=cites + entry_cites,
        )  # fmt: skip

    def _reason(self, name: str) -> str:
        return self.lowering.why(Ref(name))

    def _absent(self, name: str) -> tuple[str, ...]:
        """Inputs that a catalog entry lacks, which a plan could give."""
        pending, seen, found = [name], {name}, []
        while pending:
            current = pending.pop(0)
            trace = self.lowering.names.traces.get(current)
            if trace is not None and trace.layer == "default" and current in self.scope.fields:
                found.append(current)
                continue
            if trace is not None and trace.layer == "entry" and current in self.lowering.names.reasons:
                found.append(current)
                continue
            for read in trace.reads if trace else ():
                if read not in seen and self.lowering.is_undefined(read):
                    seen.add(read)
                    pending.append(read)
        return tuple(dict.fromkeys(found))

    def _entry_cites(self, entry: str, name: str) -> tuple[Citation, ...]:
        kind = name.partition(".")[0]
        if not entry or entry not in self.scope.entries.get(kind, {}):
            return ()
        return _citations(self.scope.entries[kind][entry].cites)

    def _formula(self, name: str, role: Role, formula: Alternative | None, where: SourceRef | None) -> str:
        """The winning right-hand side as written, where it is more than a literal."""
        if role == "assumption" and where is not None:
            return self._text(where)
        if formula is not None:
            return self._text(formula.formula)
        trace = self.lowering.names.traces.get(name)
        if where is None or trace is None or not trace.reads:
            return ""
        return self._text(where)

    def _text(self, place: SourceRef) -> str:
        if place not in self._texts:
            self._texts[place] = one_line(self.scope.span(place).text)
        return self._texts[place]

    def _origins(self, name: str, layer: str, where: SourceRef | None, unit: str) -> tuple[Origin | None, tuple[Origin, ...]]:
        """The layer that won, and those that it won against."""
        if where is None:
            return (Origin(layer, "", "") if layer else None), ()
        solved = name in (self.lowering.unknowns.fixed or {})
        origin = Origin("solved" if solved else layer, self.scope.at(where), self._text(where))
        layers = self.program.settings.get(name, []) or self.program.assumptions.get(name, [])
        others = [self._origin(*lower) for lower in layers[1:]]
        if name in self.program.assumptions:
            formula = self.scope.quantities[name].alternatives
            if formula:
                first = formula[0].formula
                others.append(Origin("formula", self.scope.at(first), self._text(first)))
        elif name in self.scope.fields and layer not in ("default", "entry"):
            others += self._below(name)
        return origin, tuple(others)

    def _origin(self, layer: str, setting: Setting) -> Origin:
        return Origin(layer, self.scope.at(setting.place), self._text(setting.place))

    def _below(self, path: str) -> list[Origin]:
        """What the chosen entry and the default say of an input that the plan sets."""
        found = []
        kind, _, field = path.partition(".")
        selector = self.scope.selector(kind)
        if kind in self.scope.entries and path != selector and selector in self.program.settings:
            chosen = self.lowering.name(selector)
            index = None if isinstance(chosen, Missing) else self.lowering.graph.constant(chosen)
            if index is not None and index == index:
                entry = self.lowering.inputs.entry_settings(kind, self.lowering.expressions.entry_names(kind)[int(index)], field)
                if entry is not None:
                    found.append(self._origin("entry", entry[1]))
        default = self.scope.fields[path].default
        if default is not None:
            found.append(self._origin("default", default))
        return found


def _citations(cites: tuple[tuple[str, str], ...]) -> tuple[Citation, ...]:
    return tuple(Citation(source, where) for source, where in cites)


def _product(lists: list[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    if not lists:
        yield ()
        return
    for first in lists[0]:
        for rest in _product(lists[1:]):
            yield (first, *rest)
