"""Lowering of inputs: the winning layer, the value in the chosen entry, open inputs and legal values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from attrs import evolve

from llmplan.check import ir
from llmplan.check.ir import Entry, Expr, If, List, Match, Num, Op, Ref, Text
from llmplan.check.plan import Program
from llmplan.check.program import Field, Setting
from llmplan.system.as_is import is_unchanged
from llmplan.system.domain_checks import DomainChecks
from llmplan.system.draws import Draws
from llmplan.system.expressions import Expressions
from llmplan.system.missing import NONE_APPLIES, Missing, Result, missing
from llmplan.system.names import SPREAD, Trace
from llmplan.system.range_points import Spreads
from llmplan.system.unknowns import Unknowns
from llmplan.units.measure import KindType, ListType, TextType, Type, is_choice


class Inputs:
    """The inputs of one lowering of a program."""

    def __init__(
        self,
        program: Program,
        expressions: Expressions,
        unknowns: Unknowns,
        checks: DomainChecks,
        spreads: Spreads | None,
        draws: Draws | None,
    ) -> None:
        self.program = program
        self.scope = program.scope
        self.graph = expressions.graph
        self.names = expressions.names
        self.expressions = expressions
        self.unknowns = unknowns
        self.spreads = spreads
        self.draws = draws
        self._legal = checks.legal
        self._name = expressions.meaning.name
        self._said: dict[
            tuple[str, str, str], tuple[str, Setting] | None
        ] = {}  # by entry and field, see `entry_settings`
        self.instance: dict[str, str] = {}  # by kind: the list member whose fields are being lowered

    def input(self, field: Field) -> Result:
        """The value of a field of a kind."""
        if len(field.types) > 1:
            return self.of_two(field.path, None)
        kind = field.path.partition(".")[0]
        own = self.program.settings.get(field.path)
        if own:
            layer, setting = own[0]
            self.names.traces[field.path] = Trace(layer, setting.place)
            value = self.setting(field.path, setting, field.type, field, field.units[0])
            return self._legal(field.path, value, field.type, field.domain, written=setting)
        selector = self.scope.selector(kind)
        if kind in self.scope.entries and field.path != selector:
            chosen = self._name(selector) if self._is_chosen(selector) else missing(selector)
            if not isinstance(chosen, Missing):
                return self._of_entry(field, kind, chosen)
        return self._default(field)

    def _is_chosen(self, selector: str) -> bool:
        """Whether a plan chooses an entry, or the library chooses one by default."""
        self.names.touch(selector)
        field = self.scope.fields.get(selector)
        return selector in self.program.settings or (field is not None and field.default is not None)

    def selector(self, kind: str) -> Result:
        """The entry of a kind that is chosen by `model "x"` itself."""
        own = self.program.settings.get(kind)
        if not own:
            return missing(kind)
        layer, setting = own[0]
        self.names.traces[kind] = Trace(layer, setting.place)
        return self.setting(kind, setting, KindType(kind), None, "")

    def _default(self, field: Field) -> Result:
        if field.default is None:
            return missing(self._to_give(field.path))
        self.names.traces[field.path] = Trace("default", field.default.place)
        value = self.setting(field.path, field.default, field.type, field, field.units[0])
        if isinstance(value, Missing) and value.needs:
            # A person would give an entry, or the input itself: not what its default is made from.
            entries = {self.scope.selector(kind) for kind in self.scope.entries}
            return value if entries.issuperset(value.needs) else missing(field.path)
        if isinstance(field.default.value, Ref) and self.names.reasons.get(field.default.value.name) == NONE_APPLIES:
            return missing(field.path)
        return self._legal(field.path, value, field.type, field.domain, written=None)

    def _to_give(self, path: str) -> str:
        """The name that a person would set for a missing input: the entry, if no field of its kind is given."""
        kind = path.partition(".")[0]
        selector = self.scope.selector(kind)
        if kind not in self.scope.entries or self._is_chosen(selector) or path == selector:
            return path
        self.names.touch(f"{kind}.")
        own = any(name.startswith(f"{kind}.") for name in self.program.settings)
        return path if own else selector

    def entry_settings(self, kind: str, name: str, field: str) -> tuple[str, Setting] | None:
        """The setting of a field in an entry or one that it inherits from, with the name of the entry that has it."""
        passed: list[str] = []
        found: tuple[str, Setting] | None = None
        while found is None and name and (kind, name, field) not in self._said:
            self._said[kind, name, field] = None  # for an entry that inherits from itself
            passed.append(name)
            record = self.scope.entries[kind][name]
            found = next(((name, setting) for key, setting in record.settings if key == field), None)
            name = record.like
        found = found or self._said.get((kind, name, field))
        self._said.update(((kind, entry, field), found) for entry in passed)
        return found

    def setting_of(self, path: str) -> tuple[str, Setting] | None:
        """The layer and right-hand side that win for an input that is not a number, but a text or a list."""
        won = self._own_setting(path)
        passed_on = _is_of(won, path)
        return won if passed_on is None else self.setting_of(passed_on)

    def _own_setting(self, path: str) -> tuple[str, Setting] | None:
        """The same, which may be the text of another input."""
        self.names.touch(path)
        won = self.program.winner(path)
        if won is None:
            entry, default = self.of_chosen(path), self.scope.fields[path].default
            won = ("entry", entry) if entry is not None else ("default", default) if default is not None else None
        if won is not None and isinstance(won[1].value, (If, Match)):
            won = self._decided(*won)
        return won

    def _decided(self, layer: str, setting: Setting) -> tuple[str, Setting] | None:
        """The branch that holds of a text by `if` or `match`; None if that is empty, which counts as not given.

        A choice that depends on an unknown is left as it is.
        """
        value = setting.value
        while isinstance(value, (If, Match)):
            branch = self._branch(value, setting.place[0])
            if branch is None:
                return layer, setting
            value = branch
        return None if isinstance(value, Text) and not any(value.pieces) else (layer, evolve(setting, value=value))

    def _branch(self, expr: If | Match, base: str) -> Expr | None:
        """The branch that holds; None if that is not known."""
        arms: list[tuple[Expr, Expr]] = (
            [(expr.condition, expr.then), (Num(1.0), expr.otherwise)]
            if isinstance(expr, If)
            else [(Num(1.0) if to is None else Op("eq", (expr.subject, to)), value) for to, value in expr.arms]
        )
        for condition, value in arms:
            node = self.expressions.lower(condition, {}, base=base)
            holds = None if isinstance(node, Missing) else self.graph.constant(node)
            if holds is None:
                return None
            if holds:
                return value
        return None

    def of_chosen(self, path: str) -> Setting | None:
        """The chosen entry's value for an input, if the choice is known."""
        kind = path.partition(".")[0]
        selector = self.scope.selector(kind)
        if kind not in self.scope.entries or path == selector or not self._is_chosen(selector):
            return None
        chosen = self._name(selector)
        index = None if isinstance(chosen, Missing) else self.graph.constant(chosen)
        if index is None or index != index:
            return None
        found = self._of_entry_as_it_is(path, self.expressions.entry_names(kind)[int(index)])
        return self._published(selector, found) if found is not None and path in self.scope.as_published else found

    def _of_entry_as_it_is(self, path: str, entry: str) -> Setting | None:
        """An entry's value for an input; None where it holds only for the entry unchanged, and the plan changes it."""
        kind, _, field = path.partition(".")
        found = self.entry_settings(kind, entry, field)
        if found is None or (path in self.scope.as_is and not is_unchanged(self, path, entry, found[0])):
            return None
        return found[1]

    def _published(self, selector: str, own: Setting) -> Setting | None:
        """The name by which an entry was chosen, if it is one on a hub; None for a published name without its owner,
        `own` if the entry was chosen by its name in the catalog.
        """
        won = self.program.winner(selector)
        chosen = won[1].value if won is not None else None
        if won is None or not isinstance(chosen, Entry) or not chosen.published:
            return own
        return Setting(Text((chosen.published,)), None, won[1].place) if "/" in chosen.published else None

    def instances(self, path: str) -> list[str] | Missing:
        """The entries in a list of entries of a kind."""
        won = self.setting_of(path)
        listed = won[1].value if won is not None else None
        if not isinstance(listed, List):
            return missing(path)
        return [item.name for item in listed.items if isinstance(item, Entry)]

    def sibling(self, name: str) -> Result | None:
        """The value of a name that is a field of the list member being lowered; None for other names."""
        kind, _, field = name.partition(".")
        if kind not in self.instance or name not in self.scope.fields:
            return None
        return self.of_instance(kind, self.instance[kind], field)

    def of_instance(self, kind: str, entry: str, field: str) -> Result:
        """A field of an entry that is a member of a list: in its formulas, sibling fields are the member's own."""
        return self.names.once(
            f'{kind} "{entry}".{field}', lambda key: self._of_instance(key, kind, entry, field), circular=True
        )

    def _of_instance(self, key: str, kind: str, entry: str, field: str) -> Result:
        outer = self.instance
        self.instance = {**outer, kind: entry}
        record = self.scope.fields[f"{kind}.{field}"]
        found = self.entry_settings(kind, entry, field)
        setting = found[1] if found is not None else record.default
        value: Result
        if setting is None:
            self.names.reasons[key] = f'"{entry}" has no {field}'
            value = self.graph.const(math.nan)
        else:
            value = self.setting(key, setting, record.type, record, record.units[0])
            value = self._legal(key, value, record.type, record.domain, written=found[1] if found else None)
            self.names.traces[key] = Trace("entry" if found else "default", setting.place, (), entry)
        self.instance = outer
        return value

    def _of_entry(self, field: Field, kind: str, chosen: int) -> Result:
        """A field of the chosen entry; if the entry is unknown, of each candidate."""
        local = field.path.partition(".")[2]
        constant = self.graph.constant(chosen)
        all_entries = self.expressions.entry_names(kind)
        if constant is not None:
            if constant != constant:
                return self.graph.const(math.nan)
            return self._entry_value(field, kind, all_entries[int(constant)], local)
        candidates = self._candidates(self.scope.selector(kind), len(all_entries))
        if candidates is None:
            return missing(self.scope.selector(kind))
        values: dict[int, int] = {}
        for candidate in candidates:
            value = self._entry_value(field, kind, all_entries[candidate], local)
            if isinstance(value, Missing):
                value = self.graph.const(math.nan)
                self.names.reasons.setdefault(field.path, f'"{all_entries[candidate]}" has no {local}')
            values[candidate] = value
        self.names.traces[field.path] = Trace("entry", None)
        return self.expressions.by_entry(chosen, values, len(all_entries))

    def _candidates(self, selector: str, count: int) -> list[int] | None:
        """The entries that may be chosen: an unknown's candidates, or all if the choice depends on other unknowns."""
        unknown = self.unknowns.of(selector)
        if unknown is not None:
            return [int(value) for value in unknown.values or ()]
        return (
            list(range(count))
            if selector in self.scope.fields and is_choice(self.scope.fields[selector].type)
            else None
        )

    def field_at(self, kind: str, field: str, entries: Sequence[str], of: Callable[[], Result]) -> Result:
        """The value of a field in the chosen one of `entries`, whose index `of` computes.

        If all have the same value it does not matter which one is chosen, so the value depends on nothing. A formula in
        an entry reads the values of the plan, including those of the entry's own kind.
        """
        own = [self.entry_settings(kind, entry, field) for entry in entries]
        values = {None if said is None else said[1].value for said in own}
        first = next(iter(values))
        if len(values) == 1 and isinstance(first, (ir.Num, ir.Member)):
            return self._said_by(kind, field, entries[0], credited=len(entries) == 1)
        index = of()
        if isinstance(index, Missing):
            return index
        constant = self.graph.constant(index)
        if constant is not None:
            said = constant == constant
            return self._said_by(kind, field, entries[int(constant)]) if said else self.graph.const(math.nan)
        nodes: dict[int, int] = {}
        with self.names.conditionally():
            for at, entry in enumerate(entries):
                value = self._said_by(kind, field, entry)
                if isinstance(value, Missing):
                    return value
                nodes[at] = value
        return self.expressions.by_entry(index, nodes, len(entries))

    def _said_by(self, kind: str, field: str, entry: str, credited: bool = True) -> Result:
        """The value of a field in an entry or in one that it inherits from, but not the field's default.

        Args:
            credited: Whether the value is traced to the entry.
        """
        path = f"{kind}.{field}"
        record = self.scope.fields[path]
        self.names.touch(path)
        own = self.entry_settings(kind, entry, field)
        if own is None:
            self.names.reasons.setdefault(path, f'"{entry}" has no {field}')
            return self.graph.const(math.nan)
        owner, setting = own
        if credited and self.names.is_lowered(path):
            self.names.traces[path] = Trace("entry", setting.place, (), owner)
        value = self.setting(path, setting, record.type, record, record.units[0])
        return self._legal(path, value, record.type, record.domain, written=setting)

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
        value = self.setting(field.path, setting, field.type, field, field.units[0])
        return self._legal(field.path, value, field.type, field.domain, written=setting)

    def of_two(self, path: str, unit: str | None) -> Result:
        """A field with two units, read in one of them (None: in the one that was given)."""
        field = self.scope.fields[path]
        won = self.program.winner(path)
        setting = won[1] if won else field.default
        self.names.touch(path)
        if setting is None or setting.unit not in field.units:
            return missing(path)  # without a unit it is a mistake, which is told where it was checked
        if unit is not None:
            return self._name(path) if setting.unit == unit else missing(path)
        layer = won[0] if won else "default"
        type = field.types[field.units.index(setting.unit)]
        self.names.traces[path] = Trace(layer, setting.place)
        value = self.setting(path, setting, type, field, setting.unit)
        return self._legal(path, value, type, field.domain, written=setting if won else None)

    def setting(self, name: str, setting: Setting, type: Type, field: Field | None, unit: str) -> Result:
        if isinstance(type, (TextType, ListType)):
            return self.graph.const(math.nan)  # read by `setting_of`, never through the graph
        if setting.spread is not None:
            self.names.touch(SPREAD)
            if self.draws is not None:
                return self._drawn(name, setting, self.draws)
            if self.spreads is not None:
                return self._spread(name, setting, self.spreads)
        if setting.value is not None:
            return self.expressions.lower(setting.value, {}, base=setting.place[0])
        return self.unknowns.value(name, setting, type, field, unit)

    def _spread(self, name: str, setting: Setting, spreads: Spreads) -> Result:
        """The value of a range: one of its ends, a point between them, or a variable."""
        assert setting.spread is not None
        low, high = (self.expressions.worth(end, setting.place[0]) for end in setting.spread)
        if low is None or high is None:
            # An end that itself depends on an unknown: the expected value is taken.
            assert setting.value is not None
            return self.expressions.lower(setting.value, {}, base=setting.place[0])
        spreads.found.setdefault(name, (min(low, high), max(low, high)))
        if spreads.corner is None:
            return self.graph.unknown(list(spreads.found).index(name))
        return self.graph.const(spreads.value(name, spreads.corner))

    def _drawn(self, name: str, setting: Setting, draws: Draws) -> Result:
        """A range as an uncertain value; its expected value if an end depends on an unknown."""
        assert setting.spread is not None and setting.value is not None
        low, high = (self.expressions.lower(end, {}, base=setting.place[0]) for end in setting.spread)
        middle = self.expressions.lower(setting.value, {}, base=setting.place[0])
        if isinstance(low, Missing) or isinstance(high, Missing) or isinstance(middle, Missing):
            return middle
        if any(self.graph.constant(end) is None and not self.graph.varies_alone(end) for end in (low, high)):
            return middle
        return draws.of_range(self.graph, name, low, middle, high)

    def _said_of_text(self, path: str) -> Result:
        """1 if a text or a list has a value other than an empty text.

        Decided entry by entry if an unknown selects the entry.
        """
        kind = path.partition(".")[0]
        selector = self.scope.selector(kind)
        if kind in self.scope.entries and path not in self.program.settings and self._is_chosen(selector):
            chosen = self._name(selector)
            if not isinstance(chosen, Missing) and self.graph.constant(chosen) is None:
                default = self.scope.fields[path].default is not None
                entries = enumerate(self.expressions.entry_names(kind))
                said = {
                    index: self.graph.const(float(default or self._of_entry_as_it_is(path, entry) is not None))
                    for index, entry in entries
                }
                return self.expressions.by_entry(chosen, said, len(said))
        won = self._own_setting(path)
        passed_on = _is_of(won, path)
        if passed_on is not None:
            return self._said_of_text(passed_on)
        return self.graph.const(float(won is not None and won[1].value != Text(())))

    def given(self, path: str) -> Result:
        """1 if some layer or default gives the input a value or a `?`, and the inputs of that value are given too."""
        owner, _, unit = path.rpartition(".")
        self.names.touch(path, owner)
        if owner in self.scope.fields and len(self.scope.fields[owner].types) > 1:
            won = self.program.winner(owner)
            return self.graph.const(float(won is not None and won[1].unit == unit))
        if path in self.scope.fields and len(self.scope.fields[path].types) > 1:
            return self.graph.const(float(self.program.winner(path) is not None))
        if path in self.scope.fields and isinstance(self.scope.fields[path].type, (TextType, ListType)):
            return self._said_of_text(path)
        won = self.program.winner(path)
        if won is not None and won[1].open:
            return self.graph.const(1.0)
        if path in self.scope.fields and won is None:
            if self.scope.fields[path].derived and path.partition(".")[0] not in self.scope.entries:
                return self.graph.const(0.0)
            default = self.scope.fields[path].default
            kind = path.partition(".")[0]
            if default is not None and default.open and kind not in self.scope.entries:
                return self.graph.const(1.0)
        value = self._name(path)
        if isinstance(value, Missing):
            return self.graph.const(0.0)
        return self.graph.add("finite", value)


def _is_of(won: tuple[str, Setting] | None, path: str) -> str | None:
    """The other input whose text a setting is."""
    value = won[1].value if won is not None else None
    return value.name if isinstance(value, Ref) and value.name != path else None
