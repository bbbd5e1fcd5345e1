"""The checked plan: which setting of each input wins, what must hold, what is asked and emitted.

Input are the parsed files of a plan and the library's scope; output a `Program` and diagnostics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from attrs import define, field

from llmplan.check import lint, variations
from llmplan.check.declare import Declarations
from llmplan.check.expressions import Expressions
from llmplan.check.ir import UNDEFINED
from llmplan.check.program import EmitTarget, Goal, Let, Rule, Setting, ShowRow
from llmplan.check.scope import Scope
from llmplan.check.settings import place, setting
from llmplan.diagnostics import Diagnostic, names, units
from llmplan.load.modules import Module
from llmplan.source import Span
from llmplan.syntax import nodes
from llmplan.units.measure import REAL, KindType, Type

OptionValue = float | int | str | bool


class TargetOption(Protocol):
    """What may stand in `emit target { option = value }`."""

    @property
    def type(self) -> str: ...

    def accepts(self, value: OptionValue) -> bool: ...


Targets = Mapping[str, Mapping[str, TargetOption]]
"""The options of each target, by name."""


@define
class Program:
    """Everything that a plan says, checked.

    Attributes:
        settings: By path of an input, let or kind: what each layer says, the strongest first.
        assumptions: The same for quantities that the plan assumes.
        rules: Requirements and preferences in force, the plan's own first.
        goals: The plan's objectives, then the library's.
        shows, emits, into: What the report and the files shall hold.
        front: The two objectives of `pareto`, or none.
        scenarios: By name, what each gives other values; `sweeps` what is swept, with its domain.
        waived, replaced: Requirements dropped; formulas and functions replaced, each with its place.
    """

    scope: Scope
    title: str = ""
    settings: dict[str, list[tuple[str, Setting]]] = field(factory=dict)
    assumptions: dict[str, list[tuple[str, Setting]]] = field(factory=dict)
    rules: list[Rule] = field(factory=list)
    goals: list[Goal] = field(factory=list)
    front: list[Goal] = field(factory=list)
    scenarios: dict[str, dict[str, Setting]] = field(factory=dict)
    sweeps: dict[str, Setting] = field(factory=dict)
    shows: list[ShowRow] = field(factory=list)
    emits: list[EmitTarget] = field(factory=list)
    into: str = ""
    waived: list[str] = field(factory=list)
    replaced: list[str] = field(factory=list)

    @property
    def asks(self) -> bool:
        """True if something of the plan's own is open, required, preferred, shown or emitted."""
        own = any(rule.origin != "library" for rule in self.rules) or any(goal.author for goal in self.goals)
        tables = self.settings, self.assumptions
        is_open = any(layers[0][1].open for table in tables for layers in table.values())
        return own or is_open or bool(self.shows or self.emits)

    def winner(self, path: str) -> tuple[str, Setting] | None:
        """The strongest layer that sets an input, let or assumption, if any does."""
        found = self.settings.get(path) or self.assumptions.get(path)
        return found[0] if found else None


class PlanCheck:
    """Checks the statements of a plan and of the files that it uses."""

    def __init__(self, scope: Scope, targets: Targets, report: Callable[[Diagnostic], None]) -> None:
        self.program = Program(scope)
        self.scope = scope
        self.targets = targets
        self.report = report
        self._lets: dict[str, list[tuple[str, nodes.Let]]] = {}
        self._inferring: list[str] = []
        self._named: dict[tuple[str, str], nodes.Node] = {}
        scope.let_type = self._let

    def run(
        self, modules: Sequence[Module], scenario: str | None, settings: Sequence[tuple[str, str]]
    ) -> Program:
        """The program of a plan (`modules`, strongest first) under a scenario and `--set` values."""
        statements = [s for module in modules for s in module.tree.statements]
        # Weakest first, so that a later file's replacement stands on what it replaces.
        layers = [(Declarations(self.scope, self.report, m.layer), m.tree.statements) for m in reversed(modules)]
        for declarations, declared in layers:
            declarations.signatures(declared)
        for module in modules:
            for s in module.tree.statements:
                if isinstance(s, nodes.Let) and self.once(module, s.name.text, s.name, s.value):
                    self._lets.setdefault(s.name.text, []).append((module.layer, s))
        for declarations, declared in layers:
            declarations.bodies(declared)
        for name in self._lets:
            self._check_let_name(name)
        for module in modules:
            self._inputs(module)
        self._replacements(statements)
        self._rules(modules)
        self._goals(modules)
        for module in modules:
            for s in module.tree.statements:
                if isinstance(s, nodes.Show):
                    self._show(s)
                elif isinstance(s, nodes.Phase):
                    self.report(names.not_yet(s.span, "`phase` is"))
        self._emits(modules)
        variations.scenarios(self, modules, scenario)
        for path, text in settings:
            variations.set_value(self, path, text)
        variations.sweeps(self, modules)
        own = modules[0].tree.statements
        for found in (*lint.unread(own, self.scope.read), *lint.uncited(statements)):
            self.report(found)
        self.program.title = _title(modules[0]) if modules else ""
        return self.program

    def once(self, module: Module, name: str, at: nodes.Node, value: nodes.Node | None = None) -> bool:
        """False and E0203 if one file says the same thing twice; `value` is what it says."""
        key = (module.source.name, name)
        if key in self._named:
            hint = f'to vary it, write `scenario "other" {{ {name} = {_tail(value)} }}`' if value else ""
            self.report(names.defined_twice(at.span, name, self._named[key].span, hint))
            return False
        self._named[key] = at
        return True

    # Lets

    def _check_let_name(self, name: str) -> None:
        node = self._lets[name][0][1]
        if name in self.scope.quantities or name in self.scope.kinds:
            record = self.scope.quantities.get(name)
            if record is None:
                self.report(names.taken(node.name.span, name))
            elif record.alternatives:
                first = self.scope.span(record.alternatives[0].place)
                self.report(names.defined_twice(node.name.span, name, first, "choose another name"))
        for layer, let in self._lets[name]:
            known = self._let(name)
            check = Expressions(self.scope, self.report)
            if known is None or known.type is None and isinstance(let.value, nodes.Unknown):
                found = Setting(UNDEFINED, None, place(let.value.span))
                if isinstance(let.value, nodes.Unknown):
                    self._domain_type(check, let.value)  # says what is wrong
            else:
                found = setting(check, let.value, (known.type or REAL,), ("",), name)
            self.program.settings.setdefault(name, []).append((layer, found))

    def _remark(self, found: Diagnostic | None) -> None:
        if found is not None:
            self.report(found)

    def _let(self, name: str) -> Let | None:
        """The type of a let, from its strongest definition; asked for while others are checked.

        None for a type that a mistake hides; what reads it then fits everything.
        """
        if name in self.scope.lets:
            return self.scope.lets[name]
        if name not in self._lets:
            return None
        node = self._lets[name][0][1]
        if name in self._inferring:
            chain = self._inferring[self._inferring.index(name) :]
            steps = [(needs, self._lets[n][0][1].value.span) for n, needs in zip(chain, (*chain[1:], name))]
            self.report(names.circle(node.name.span, name, steps))
            found: Type | None = None
            unit = ""
        else:
            self._inferring.append(name)
            quiet = Expressions(self.scope, lambda diagnostic: None)
            value = node.value
            if isinstance(value, nodes.Unknown):
                found, unit = self._domain_type(quiet, value)
            else:
                first = value.low if isinstance(value, nodes.Range) else value
                typed = quiet.check(first)
                found, unit = typed.type, typed.unit
            self._inferring.pop()
        if name not in self.scope.lets:
            self.scope.lets[name] = Let(name, found, unit, node.doc, place(node.name.span))
        return self.scope.lets[name]

    def _domain_type(self, check: Expressions, node: nodes.Unknown) -> tuple[Type | None, str]:
        if node.domain is None:
            self.report(units.no_let_domain(node.span))
            return None, ""
        items = node.domain.items if isinstance(node.domain, nodes.List) else (node.domain,)
        ends = [check.check(end) for item in items for end in _ends(item)]
        if not ends:
            return REAL, ""
        lead = ends[0]
        for end in ends[1:]:
            lead = check.unify(lead, end, "compared")
        return lead.type, next((end.unit for end in ends if end.unit), "")

    # Inputs

    def _inputs(self, module: Module) -> None:
        for s in module.tree.statements:
            if isinstance(s, nodes.Block):
                self._block(module, s)
            elif isinstance(s, nodes.Assign):
                self.assign(module.layer, s, module)
            elif isinstance(s, nodes.Assume):
                self._assume(module, s)

    def _block(self, module: Module, block: nodes.Block) -> None:
        kind = block.kind.text
        if kind not in self.scope.kinds:
            self.report(names.unknown_kind(block.kind.span, kind, self.scope.kinds))
            return
        selector = self.scope.selector(kind)
        if block.entry is not None and self.once(module, selector, block.entry, block.entry):
            types: tuple[Type, ...] = (KindType(kind),)
            check = Expressions(self.scope, self.report)
            found = setting(check, block.entry, types, ("",), kind)
            self.program.settings.setdefault(selector, []).append((module.layer, found))
        check = Expressions(self.scope, self.report, kind)
        for node in block.fields:
            name = node.name.text
            path = f"{kind}.{name}"
            record = self.scope.fields.get(path)
            if record is None:
                computed = next((q for q in (path, name) if q in self.scope.quantities), None)
                if computed is not None:
                    self.report(names.set_computed(node.name.span, computed, _tail(node.value)))
                else:
                    self.report(names.unknown_field(node.name.span, kind, name, self.scope.kinds[kind], None))
                continue
            if not self.once(module, path, node.name, node.value):
                continue
            declared = self.scope.span(record.place)
            found = setting(check, node.value, record.types, record.units, path, declared)
            self._remark(lint.decimal(node.value, record))
            self.program.settings.setdefault(path, []).append((module.layer, found))

    def assign(self, layer: str, s: nodes.Assign, module: Module | None) -> None:
        """`hardware.gpus = 64`, in a plan or (`module` None) in a scenario."""
        path = s.target.text
        target = self.target(path)
        if target is None:
            if path in self.scope.quantities:
                self.report(names.set_computed(s.target.span, path, _tail(s.value)))
            else:
                self.no_target(s.target, module is None)
            return
        types, type_units = target
        if module is not None:
            if path in self._lets:
                first = self._lets[path][0][1].name.span
                self.report(names.defined_twice(s.target.span, path, first))
                return
            if not self.once(module, path, s.target, s.value):
                return
        check = Expressions(self.scope, self.report, s.target.parts[0] if len(s.target.parts) > 1 else None)
        declared = self.scope.span(self.scope.fields[path].place) if path in self.scope.fields else None
        found = setting(check, s.value, types, type_units, path, declared)
        if path in self.scope.fields:
            self._remark(lint.decimal(s.value, self.scope.fields[path]))
        self.layer(path, layer, found)

    def layer(self, path: str, layer: str, found: Setting) -> None:
        """Puts a setting at its rank: a scenario and `--set` above all that came before."""
        table = self.program.assumptions if path in self.program.assumptions else self.program.settings
        entries = table.setdefault(path, [])
        entries.insert(0 if layer in ("scenario", "--set") else len(entries), (layer, found))

    def target(self, path: str) -> tuple[tuple[Type, ...], tuple[str, ...]] | None:
        """The types of something that has layers: an input, an entry's name, a let, an assumption."""
        if path in self.scope.fields:
            return self.scope.fields[path].types, self.scope.fields[path].units
        if path in self.scope.kinds and self.scope.selector(path) == path:
            return (KindType(path),), ("",)
        if path in self._lets:
            let = self._let(path)
            return ((let.type or REAL,), (let.unit,)) if let else None
        if path in self.program.assumptions:
            quantity = self.scope.quantities[path]
            return (quantity.type,), (quantity.unit,)
        return None

    def no_target(self, at: nodes.Name, varied: bool) -> None:
        path = at.text
        kind, _, name = path.partition(".")
        if kind in self.scope.kinds and name:
            last = Span(at.span.source, at.span.end - len(name), at.span.end)
            self.report(names.unknown_field(last, kind, name, self.scope.kinds[kind], None))
        elif varied:
            known = [*self.program.settings, *self.program.assumptions, *self.scope.fields]
            self.report(names.not_an_input(at.span, path, known))
        else:
            self.report(names.nothing_to_set(at.span, path, self.scope.names()))

    def _assume(self, module: Module, s: nodes.Assume) -> None:
        path = s.target.text
        if path not in self.scope.quantities:
            if path in self.scope.fields:
                self.report(names.not_assumable(s.target.span, path))
            else:
                self.report(names.unknown_name(s.target.span, path, list(self.scope.quantities), None))
            return
        if not self.once(module, path, s.target, s.value):
            return
        record = self.scope.quantities[path]
        check = Expressions(self.scope, self.report)
        declared = self.scope.span(record.alternatives[0].place) if record.alternatives else None
        found = setting(check, s.value, (record.type,), (record.unit,), path, declared)
        self.program.assumptions.setdefault(path, []).append((module.layer, found))

    # Rules, goals, shows

    def _replacements(self, statements: Sequence[nodes.Statement]) -> None:
        for s in statements:
            if isinstance(s, (nodes.Quantity, nodes.Fn)) and s.replace:
                self.program.replaced.append(f"{s.name.text} ({s.span.source.name}:{s.span.line})")

    def _rules(self, modules: Sequence[Module]) -> None:
        by_name: dict[str, Rule] = {}
        waives: list[nodes.Word] = []
        for module in modules:
            declared = Declarations(self.scope, self.report, module.layer)
            for s in module.tree.statements:
                if isinstance(s, (nodes.Require, nodes.Prefer)):
                    rule = declared.rule(s)
                    if s.name is not None and not self.once(module, f"require {rule.name}", s.name):
                        continue
                    by_name.setdefault(rule.name, rule)
                elif isinstance(s, nodes.Waive):
                    waives += s.names
        own = set(by_name)
        for name in self.scope.rules:
            by_name.setdefault(name, self.scope.rules[name])
        for word in waives:
            if word.text not in by_name:
                self.report(names.unknown_requirement(word.span, word.text, by_name))
            elif by_name[word.text].origin != "plan":
                del by_name[word.text]
                self.program.waived.append(word.text)
        self.program.rules = [by_name[name] for name in by_name if name in own]
        self.program.rules += [by_name[name] for name in by_name if name not in own]

    def _goals(self, modules: Sequence[Module]) -> None:
        """The objectives of the strongest file that has any, then the library's."""
        wanted = (nodes.Objective, nodes.Pareto)
        for module in modules:
            found = [s for s in module.tree.statements if isinstance(s, wanted)]
            declared = Declarations(self.scope, self.report, module.layer)
            for s in found:
                if isinstance(s, nodes.Objective):
                    self.program.goals.append(declared.goal(s))
                elif len(s.values) != 2 or self.program.front:
                    self.report(units.not_here(s.span, "this", "one `pareto` of two objectives"))
                else:
                    self.program.front = [declared.smallest(value) for value in s.values]
            if found:
                break
        self.program.goals += self.program.front
        self.program.goals += self.scope.goals

    def _show(self, s: nodes.Show) -> None:
        check = Expressions(self.scope, self.report)
        typed = check.check(s.value)
        if s.unit is not None:
            check.shown_in(typed, s.unit)
        unit = s.unit.text if s.unit is not None else typed.unit
        at = place(s.value.span)
        self.program.shows.append(ShowRow(typed.expr, typed.type or REAL, unit, at, s.unit is not None))

    def _emits(self, modules: Sequence[Module]) -> None:
        """The emits of the strongest file that has any."""
        for module in modules:
            found = [s for s in module.tree.statements if isinstance(s, nodes.Emit)]
            for s in found:
                for target in s.targets:
                    self._emit_target(target)
                if s.into is not None:
                    self.program.into = s.into.plain or ""
            if found:
                break

    def _emit_target(self, target: nodes.Target) -> None:
        name = target.name.text
        if name not in self.targets:
            self.report(names.unknown_target(target.name.span, name, self.targets))
            return
        options: list[tuple[str, OptionValue]] = []
        for node in target.options:
            option = self.targets[name].get(node.name.text)
            if option is None:
                known = list(self.targets[name])
                self.report(names.unknown_field(node.name.span, name, node.name.text, known, None))
                continue
            value = _literal(node.value)
            if value is None or not option.accepts(value):
                self.report(units.not_here(node.value.span, "this", f"a value of type {option.type}"))
                continue
            options.append((node.name.text, value))
        self.program.emits.append(EmitTarget(name, tuple(options), target.name.span))


def _ends(item: nodes.Expr) -> list[nodes.Expr]:
    """The parts of a domain that say what kind of thing it ranges over."""
    if isinstance(item, nodes.Call) and item.arguments:
        item = item.arguments[-1]
    if isinstance(item, nodes.Range):
        return [end for end in (item.low, item.high, item.step) if end is not None]
    return [item]


def _literal(node: nodes.Expr) -> OptionValue | None:
    """The value of a literal in the options of a target."""
    if isinstance(node, nodes.Number) and node.unit is None:
        return int(node.value) if node.value.denominator == 1 else float(node.value)
    if isinstance(node, nodes.Negative):
        inner = _literal(node.operand)
        return -inner if isinstance(inner, (int, float)) else None
    if isinstance(node, nodes.Bool):
        return node.value
    if isinstance(node, nodes.Text):
        return node.plain
    return node.text if isinstance(node, nodes.Name) else None


def _tail(node: nodes.Node) -> str:
    text = " ".join(node.span.text.split())
    return text if len(text) <= 30 else "…"


def _title(module: Module) -> str:
    """The `##` lines of the first statement that has any: what the plan is about."""
    for s in module.tree.statements:
        return s.doc
    return ""
