"""Lowering of inputs: which layer wins, what the chosen entry says, what is open, what is legal."""

from __future__ import annotations

import math
from collections.abc import Mapping

from attrs import define, field

from llmplan.check.ir import Entry, List
from llmplan.check.plan import Program
from llmplan.check.program import Domain, Field, Setting
from llmplan.diagnostics import Diagnostic
from llmplan.system import domains
from llmplan.system.domain_checks import LegalValues
from llmplan.system.graph import Graph
from llmplan.system.missing import Missing, Result, missing
from llmplan.system.names import OPEN, SPREAD, Known, Names, Trace
from llmplan.units.measure import KindType, ListType, Measure, TextType, Type


@define
class Spreads:
    """What becomes of inputs that are ranges.

    Attributes:
        corner: By name where between its ends each is taken: 0 the low end, which is also that of a name
            that is not listed, 1 the high one. None: each is an unknown of the graph, numbered as in `found`.
        found: The ends of each, in the order in which they were met.
    """

    corner: Mapping[str, float] | None
    found: dict[str, tuple[float, float]] = field(factory=dict)


UNSOLVED = 1000
"""Unknowns that were not solved are numbered from here, apart from the variables of ranges."""


class InputLowering(LegalValues):
    """Lowers inputs; quantities and what else has a name are left to the subclass.

    Attributes:
        unsolved: Unknowns without a value when the others are fixed, in the order in which they were met.
        closed: True when no further unknown may come in: what would need one is missing.
    """

    def __init__(
        self,
        program: Program,
        fixed: Mapping[str, float] | None,
        graph: Graph | None,
        spreads: Spreads | None,
        beside: InputLowering | None,
        kept: Mapping[str, Known],
    ) -> None:
        super().__init__(program.scope, Graph() if graph is None else graph, Names(kept))
        self.known_here = fixed is None and beside is None
        self.program = program
        self.fixed = fixed
        self.spreads = spreads
        self.beside = beside
        self.closed = False
        self.unsolved: list[str] = []
        self._instance: dict[str, str] = {}  # by kind: the member of a list whose fields are lowered

    def input(self, field: Field) -> Result:
        """The value of a field of a kind."""
        if len(field.types) > 1:
            return self._of_two(field.path, None)
        kind = field.path.partition(".")[0]
        own = self.program.settings.get(field.path)
        if own:
            layer, setting = own[0]
            self.names.traces[field.path] = Trace(layer, setting.place)
            value = self._setting(field.path, setting, field.type, field, field.units[0])
            return self.legal(field.path, value, field.type, field.domain, written=setting)
        selector = self.scope.selector(kind)
        if kind in self.scope.entries and field.path != selector:
            chosen = self.name(selector) if self._is_chosen(selector) else missing(selector)
            if not isinstance(chosen, Missing):
                return self._of_entry(field, kind, chosen)
        return self._default(field)

    def _is_chosen(self, selector: str) -> bool:
        self.names.touch(selector)
        return selector in self.program.settings

    def _selector(self, kind: str) -> Result:
        """The entry of a kind that is chosen by `model "x"` itself."""
        own = self.program.settings.get(kind)
        if not own:
            return missing(kind)
        layer, setting = own[0]
        self.names.traces[kind] = Trace(layer, setting.place)
        return self._setting(kind, setting, KindType(kind), None, "")

    def _default(self, field: Field) -> Result:
        if field.default is None:
            return missing(self._to_give(field.path))
        self.names.traces[field.path] = Trace("default", field.default.place)
        value = self._setting(field.path, field.default, field.type, field, field.units[0])
        if isinstance(value, Missing) and value.needs:
            # What a person would give is an entry, or the input itself: not what its default is made from.
            entries = {self.scope.selector(kind) for kind in self.scope.entries}
            return value if entries.issuperset(value.needs) else missing(field.path)
        return self.legal(field.path, value, field.type, field.domain, written=None)

    def _to_give(self, path: str) -> str:
        """What a person would give for an input that is not given: the entry, where nothing of its kind is."""
        kind = path.partition(".")[0]
        selector = self.scope.selector(kind)
        if kind not in self.scope.entries or self._is_chosen(selector) or path == selector:
            return path
        self.names.touch(f"{kind}.")
        own = any(name.startswith(f"{kind}.") for name in self.program.settings)
        return path if own else selector

    def entry_settings(self, kind: str, name: str, field: str) -> tuple[str, Setting] | None:
        """The setting of a field in an entry or in one that it is like, and which entry has it."""
        for _ in range(20):
            record = self.scope.entries[kind][name]
            for key, setting in record.settings:
                if key == field:
                    return name, setting
            if not record.like:
                return None
            name = record.like
        return None

    def setting_of(self, path: str) -> tuple[str, Setting] | None:
        """The layer and right-hand side that win for an input that is no number: a text or a list."""
        self.names.touch(path)
        won = self.program.winner(path)
        if won is not None:
            return won
        kind, _, field = path.partition(".")
        selector = self.scope.selector(kind)
        if kind in self.scope.entries and path != selector and self._is_chosen(selector):
            chosen = self.name(selector)
            index = None if isinstance(chosen, Missing) else self.graph.constant(chosen)
            if index is not None and index == index:
                found = self.entry_settings(kind, self.entry_names(kind)[int(index)], field)
                if found is not None:
                    return "entry", found[1]
        default = self.scope.fields[path].default
        return ("default", default) if default is not None else None

    def instances(self, path: str) -> list[str] | Missing:
        """The entries that a list of a kind names."""
        won = self.setting_of(path)
        listed = won[1].value if won is not None else None
        if not isinstance(listed, List):
            return missing(path)
        return [item.name for item in listed.items if isinstance(item, Entry)]

    def of_instance(self, kind: str, entry: str, field: str) -> Result:
        """A field of an entry that is a member of a list: siblings in its formulas are its own."""
        return self.names.once(f'{kind} "{entry}".{field}', lambda: self._of_instance(kind, entry, field))

    def _of_instance(self, kind: str, entry: str, field: str) -> Result:
        key = f'{kind} "{entry}".{field}'
        outer = self._instance
        self._instance = {**outer, kind: entry}
        record = self.scope.fields[f"{kind}.{field}"]
        found = self.entry_settings(kind, entry, field)
        setting = found[1] if found is not None else record.default
        value: Result
        if setting is None:
            self.names.reasons[key] = f'"{entry}" has no {field}'
            value = self.graph.const(math.nan)
        else:
            value = self._setting(key, setting, record.type, record, record.units[0])
            value = self.legal(key, value, record.type, record.domain, written=found[1] if found else None)
            self.names.traces[key] = Trace("entry" if found else "default", setting.place, (), entry)
        self._instance = outer
        return value

    def _of_entry(self, field: Field, kind: str, chosen: int) -> Result:
        """A field of the chosen entry; of each candidate's where the entry is unknown."""
        local = field.path.partition(".")[2]
        constant = self.graph.constant(chosen)
        all_entries = self.entry_names(kind)
        if constant is not None:
            if constant != constant:
                return self.graph.const(math.nan)
            return self._entry_value(field, kind, all_entries[int(constant)], local)
        selector = self.scope.selector(kind)
        known = self.unknowns if self.beside is None else self.beside.unknowns
        unknown = next((u for u in known if u.path == selector), None)
        if unknown is None:
            return missing(selector)
        values: dict[int, int] = {}
        for candidate in unknown.values or ():
            value = self._entry_value(field, kind, all_entries[int(candidate)], local)
            if isinstance(value, Missing):
                value = self.graph.const(math.nan)
                self.names.reasons.setdefault(field.path, f'"{all_entries[int(candidate)]}" has no {local}')
            values[int(candidate)] = value
        self.names.traces[field.path] = Trace("entry", None)
        constants = {index: self.graph.constant(node) for index, node in values.items()}
        if all(value is not None for value in constants.values()):
            table = tuple(constants.get(i, math.nan) or 0.0 for i in range(len(all_entries)))
            return self.graph.table(chosen, table)
        result = self.graph.const(math.nan)
        for index, node in values.items():
            here = self.graph.add("eq", chosen, self.graph.const(index))
            result = self.graph.add("select", here, node, result)
        return result

    def _entry_value(self, field: Field, kind: str, entry: str, local: str) -> Result:
        found = self.entry_settings(kind, entry, local)
        if found is None:
            if field.default is not None:
                return self._default(field)
            self.names.reasons[field.path] = f'"{entry}" has no {local}'
            self.names.traces[field.path] = Trace("entry", None, (), entry)
            return self.graph.const(math.nan)
        owner, setting = found
        self.names.traces[field.path] = Trace("entry", setting.place, (), owner)
        value = self._setting(field.path, setting, field.type, field, field.units[0])
        return self.legal(field.path, value, field.type, field.domain, written=setting)

    def _of_two(self, path: str, unit: str | None) -> Result:
        """A field with two units, read in one of them (None: in the one that was given)."""
        field = self.scope.fields[path]
        won = self.program.winner(path)
        setting = won[1] if won else field.default
        self.names.touch(path)
        if setting is None:
            return missing(path)
        if unit is not None:
            return self.name(path) if setting.unit == unit else missing(path)
        layer = won[0] if won else "default"
        type = field.types[field.units.index(setting.unit)]
        self.names.traces[path] = Trace(layer, setting.place)
        value = self._setting(path, setting, type, field, setting.unit)
        return self.legal(path, value, type, field.domain, written=setting if won else None)

    def _setting(self, name: str, setting: Setting, type: Type, field: Field | None, unit: str) -> Result:
        if isinstance(type, (TextType, ListType)):
            return self.graph.const(math.nan)  # read by `setting_of`, never through the graph
        if setting.spread is not None:
            self.names.touch(SPREAD)
            if self.spreads is not None:
                return self._spread(name, setting, self.spreads)
        if setting.value is not None:
            return self.lower(setting.value, {}, base=setting.place[0])
        return self._unknown(name, setting, type, field, unit)

    def _spread(self, name: str, setting: Setting, spreads: Spreads) -> Result:
        """A range: one of its ends, or a variable between them."""
        assert setting.spread is not None
        ends = [self.lower(end, {}, base=setting.place[0]) for end in setting.spread]
        low, high = (None if isinstance(end, Missing) else self.graph.constant(end) for end in ends)
        if low is None or high is None:
            # An end that itself depends on an unknown: taken as expected.
            assert setting.value is not None
            return self.lower(setting.value, {}, base=setting.place[0])
        spreads.found.setdefault(name, (min(low, high), max(low, high)))
        if spreads.corner is None:
            return self.graph.unknown(list(spreads.found).index(name))
        (low, high), share = spreads.found[name], spreads.corner.get(name, 0.0)
        return self.graph.const(high if share == 1.0 else low + share * (high - low))

    def settled(self, value: Result) -> Result:
        """The same, or Missing where it depends on unknowns that were not solved."""
        if isinstance(value, Missing) or not self.unsolved:
            return value
        reach = self.graph.reach(value) >> UNSOLVED
        return missing(*(name for i, name in enumerate(self.unsolved) if reach >> i & 1)) if reach else value

    # Unknowns

    def _unknown(self, name: str, setting: Setting, type: Type, field: Field | None, unit: str) -> Result:
        self.names.touch(OPEN)
        if self.fixed is not None:
            if name in self.fixed:
                return self.graph.const(self.fixed[name])
            # Not solved, since nothing asked for it; what does not really depend on it still folds.
            self.unsolved.append(name)
            return self.graph.unknown(UNSOLVED + len(self.unsolved) - 1)
        if self.beside is not None:
            there = [u.path for u in self.beside.unknowns]
            return self.graph.unknown(there.index(name)) if name in there else missing(name)
        if self.closed:
            return missing(name)
        domain = setting.domain or (open_domain(field) if field else None)
        fallback = field.domain if field is not None and isinstance(type, Measure) and type.whole else None
        asked = field is None or setting is not field.default
        built = domains.build(self, name, type, domain, fallback, asked, self.scope.span(setting.place), unit)
        if isinstance(built, Diagnostic):
            self.names.report(built)
            return missing()
        if isinstance(built, Missing):
            return built
        self.unknowns.append(built)
        return self.graph.unknown(len(self.unknowns) - 1)


def open_domain(field: Field) -> Domain | None:
    """What a bare `?` ranges over: the field's own, or that of a default which is a `?`."""
    if field.unknown is not None:
        return field.unknown
    return field.default.domain if field.default is not None else None
