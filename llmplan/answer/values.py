"""Every input, let, assumption and quantity of a plan at one point, with where each came from."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from attrs import evolve

from llmplan.answer.schema.values import Citation, Origin, Role, Value
from llmplan.check.ir import Ref
from llmplan.check.program import Alternative, Quantity, Setting, SourceRef
from llmplan.system.display import amount, one_line
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing, Result
from llmplan.system.names import Trace
from llmplan.system.reasons import is_undefined, why
from llmplan.system.text import text_of
from llmplan.units.amount import Amount
from llmplan.units.measure import REAL, KindType, ListType, Measure, TextType, Type


class Values:
    """Reads values from a lowering in which every solved unknown is fixed."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        self.scope = lowering.scope
        self.program = lowering.program
        self._texts: dict[SourceRef, str] = {}
        # Of a quantity that the plan computes by a formula of its own, those of the library
        self._library = {one.name: one.instead for one in self.program.replaced if one.quantity}

    def all(self) -> dict[str, Value]:
        """By name: the plan's lets, then the inputs of each kind, then the quantities."""
        found: dict[str, Value] = {}
        for name, let in self.scope.lets.items():
            found[name] = self._value(name, "let", let.type or REAL, let.unit, self.lowering.name(name), doc=let.doc)
        for kind in self.scope.kinds:
            chosen = kind in self.program.settings and self.scope.selector(kind) == kind
            if chosen and kind not in self.scope.lets:  # a plan's own name may hide the kind of a target
                found[kind] = self._value(kind, "input", KindType(kind), "", self.lowering.name(kind))
        # Of targets that are not written nobody wants to know, but of what was left open.
        hidden = self.scope.folders() - self.program.written()
        opened = self.lowering.unknowns.fixed or {}
        for path in self.scope.fields:
            if path.partition(".")[0] not in hidden or path in opened:
                found[path] = self._input(path)
        for quantity in self.scope.quantities.values():
            if quantity.name.partition(".")[0] not in hidden:
                found.update((value.name, value) for value in self._quantity(quantity))
        return found

    # One value

    def _input(self, path: str) -> Value:
        field = self.scope.fields[path]
        cites = _citations(field.cites)
        if isinstance(field.type, (TextType, ListType)):
            text, layer = text_of(path, self.lowering)
            origin = Origin(layer, "", text) if text is not None else None
            needs = () if text is not None else (path,)
            given = text is not None
            return Value(path, Amount(text), None, "input", needs, given=given, origin=origin, doc=field.doc)
        result, stated = self.lowering.name(path), self._author_unit(path)
        at = field.units.index(stated) if len(field.types) > 1 and self.program.winner(path) is not None else 0
        unit = stated or field.units[at]
        return self._value(path, "input", field.types[at], unit, result, doc=field.doc, cites=cites)

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
        enums = [self.scope.enums[enum] for _, enum in quantity.indices]
        for members in itertools.product(*(enum.members for enum in enums)):
            at = tuple(float(enum.members.index(m)) for enum, m in zip(enums, members))
            name = f"{quantity.name}[{', '.join(members)}]" if members else quantity.name
            result = self.lowering.at(quantity, at) if members else self.lowering.name(name)
            found = self._value(name, "quantity", quantity.type, quantity.unit, result, self._chosen(quantity, name))
            indices = tuple((index, member) for (index, _), member in zip(quantity.indices, members))
            yield evolve(found, indices=indices) if indices else found

    def _chosen(self, quantity: Quantity, name: str) -> Alternative:
        """The alternative whose formula was used."""
        trace = self.lowering.names.traces.get(name)
        for alternative in quantity.alternatives:
            if trace is not None and trace.place == alternative.formula:
                return alternative
        return quantity.alternatives[0]

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
        trace = self.lowering.names.traces.get(name, Trace("", None))
        base = self.scope.units.base(type) if isinstance(type, Measure) else None
        result = self.lowering.unknowns.settled(result)
        number = None if isinstance(result, Missing) else self.lowering.graph.constant(result)
        known, reason, given = Amount(None), "", True
        needs: tuple[str, ...] = ()
        if isinstance(result, Missing):
            needs = result.needs
        elif number is None:
            given = False
        elif math.isfinite(number):
            known = amount(number, type, self.scope, unit)
        else:
            reason, needs = why(self.lowering, Ref(name)), self._absent(name)
        origin, others = self._origins(name, trace.layer, trace.place)
        reads = tuple(n for n in trace.reads if n != name)
        written = self._formula(role, formula, trace)
        if formula is not None:
            doc, cites = formula.doc, _citations(formula.cites)
        kind = name.partition(".")[0]
        if trace.entry in self.scope.entries.get(kind, {}):
            cites += _citations(self.scope.entries[kind][trace.entry].cites)
        return Value(
            name, known, base, role, needs, reason, given, origin=origin, others=others, formula=written, reads=reads,
            doc=doc, cites=cites,
        )  # fmt: skip

    def _absent(self, name: str) -> tuple[str, ...]:
        """Inputs that a catalog entry lacks, which a plan could give."""
        pending, seen, found = [name], {name}, []
        while pending:
            current = pending.pop(0)
            trace = self.lowering.names.traces.get(current, Trace("", None))
            lacking = trace.layer == "entry" and current in self.lowering.names.reasons
            if lacking or trace.layer == "default" and current in self.scope.fields:
                found.append(current)
                continue
            for read in trace.reads:
                if read not in seen and is_undefined(self.lowering, read):
                    seen.add(read)
                    pending.append(read)
        return tuple(dict.fromkeys(found))

    def _formula(self, role: Role, formula: Alternative | None, trace: Trace) -> str:
        """The winning right-hand side as written, where it is more than a literal."""
        if trace.place is not None and (role == "assumption" or formula is None and trace.reads):
            return self._text(trace.place)
        return self._text(formula.formula) if formula is not None else ""

    def _text(self, place: SourceRef) -> str:
        if place not in self._texts:
            self._texts[place] = one_line(self.scope.span(place).text)
        return self._texts[place]

    def _origins(self, name: str, layer: str, where: SourceRef | None) -> tuple[Origin | None, tuple[Origin, ...]]:
        """The layer that won, and those that it won against."""
        if where is None:
            return (Origin(layer, "", "") if layer else None), ()
        solved = name in (self.lowering.unknowns.fixed or {})
        origin = Origin("solved" if solved else layer, self.scope.at(where), self._text(where))
        library = self._library.get(name, ())
        if library and layer == "formula":
            return evolve(origin, layer="replaced"), tuple(
                Origin("formula", self.scope.at(formula), self._text(formula)) for formula in library
            )
        layers = self.program.settings.get(name, []) or self.program.assumptions.get(name, [])
        others = [self._origin(*beaten) for beaten in layers[1:]]
        if name in self.program.assumptions:
            formula = self.scope.quantities[name].alternatives
            if formula:
                first = formula[0].formula
                others.append(Origin("formula", self.scope.at(first), self._text(first)))
        elif name in self.scope.fields and layer not in ("default", "entry"):
            # What the chosen entry and the default say of an input that the plan sets.
            lower = (("entry", self.lowering.inputs.of_chosen(name)), ("default", self.scope.fields[name].default))
            others += [self._origin(layer, setting) for layer, setting in lower if setting is not None]
        return origin, tuple(others)

    def _origin(self, layer: str, setting: Setting) -> Origin:
        return Origin(layer, self.scope.at(setting.place), self._text(setting.place))


def _citations(cites: tuple[tuple[str, str], ...]) -> tuple[Citation, ...]:
    return tuple(Citation(source, where) for source, where in cites)
