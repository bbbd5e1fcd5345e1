"""The settings of inputs, lets and assumptions by layer: of a plan, of the files it uses, of scenarios.

Input: the statements of the plan's files, strongest first. Output: the settings of a `Program` by path, strongest
first, and diagnostics. The type of a let comes from its strongest definition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llmplan.check import lint, spoken
from llmplan.check.expressions import Expressions
from llmplan.check.ir import UNDEFINED
from llmplan.check.plan import Program
from llmplan.check.program import Let, Setting
from llmplan.check.settings import place, setting, undecided
from llmplan.diagnostics import Diagnostic, names, units
from llmplan.load.modules import Module
from llmplan.syntax import nodes
from llmplan.syntax.statements import Statements
from llmplan.units.measure import REAL, Exponents, KindType, Type


class Layers:
    """Fills the settings and assumptions of a program."""

    def __init__(self, program: Program, report: Callable[[Diagnostic], None]) -> None:
        self.program = program
        self.scope = program.scope
        self.report = report
        self._lets: dict[str, list[tuple[str, nodes.Let]]] = {}
        self._inferring: list[str] = []
        self._named: dict[tuple[str, str], nodes.Node] = {}
        self.emitted: list[nodes.Emit] = []  # of the strongest file that emits anything
        self.scope.let_type = self._let
        self.scope.let_values = lambda name: [node.value for _, node in self._lets[name]]

    def once(self, module: Module, name: str, at: nodes.Node, value: nodes.Node | None = None) -> bool:
        """False and E0203 if one file sets the same name twice; `value` is the right-hand side."""
        key = (module.source.name, name)
        if key in self._named:
            hint = f'to vary it, write `scenario "other" {{ {name} = {_tail(value)} }}`' if value else ""
            self.report(names.defined_twice(at.span, name, self._named[key].span, hint))
            return False
        self._named[key] = at
        return True

    # Lets

    def lets(self, modules: Sequence[Module]) -> None:
        """Collects the lets of all files, so that expressions can refer to them."""
        for module in modules:
            for s in Statements.of(module.tree.statements).lets:
                if self.once(module, s.name.text, s.name, s.value):
                    self._lets.setdefault(s.name.text, []).append((module.layer, s))

    def settings(self, modules: Sequence[Module]) -> None:
        """Checks the settings of lets, then those of blocks, assignments and assumptions."""
        for name in self._lets:
            self._check_let_name(name)
        for module in modules:
            of = Statements.of(module.tree.statements)
            for s in of.settings:
                match s:
                    case nodes.Block():
                        self._block(module, s)
                    case nodes.Assign():
                        self.assign(module.layer, s, module)
                    case nodes.Assume():
                        self._assume(module, s)
                    case _:
                        nodes.unhandled(s)
            if not self.emitted:
                self.emitted = of.emits
                for target in (target for emit in of.emits for target in emit.targets):
                    self._option(module, target)

    def _check_let_name(self, name: str) -> None:
        node = self._lets[name][0][1]
        if name in self.scope.quantities or name in self.scope.kinds and name not in self.scope.folders():
            record = self.scope.quantities.get(name)
            if record is None:
                self.report(names.taken(node.name.span, name))
            elif record.alternatives:
                first = self.scope.span(record.alternatives[0].place)
                self.report(names.defined_twice(node.name.span, name, first, "choose another name"))
        for layer, let in self._lets[name]:
            known = self._let(name)
            check = Expressions(self.scope, self.report)
            nameless = name in self.scope.entries  # this path chooses the entry of the kind
            if nameless or known is None or known.type is None and isinstance(let.value, nodes.Unknown):
                found = Setting(UNDEFINED, None, place(let.value.span))
                if isinstance(let.value, nodes.Unknown):
                    self._domain_type(check, let.value)  # reports the mistake
            else:
                found = setting(check, let.value, (known.type or REAL,), ("",), name)
            self.program.settings.setdefault(name, []).append((layer, found))

    def _remark(self, found: Diagnostic | None) -> None:
        if found is not None:
            self.report(found)

    def _let(self, name: str) -> Let | None:
        """The type of a let, from its strongest definition; computed on demand while others are checked.

        Its type is None if a mistake hides it; any use of it then fits.
        """
        if name in self.scope.lets:
            return self.scope.lets[name]
        if name not in self._lets:
            return None
        node = self._lets[name][0][1]
        found: Type | None
        labels: Exponents = ()
        if name in self._inferring:
            chain = self._inferring[self._inferring.index(name) :]
            steps = [(needs, self._lets[n][0][1].value.span) for n, needs in zip(chain, (*chain[1:], name))]
            self.report(names.circle(node.name.span, name, steps))
            found, unit = None, ""
        else:
            self._inferring.append(name)
            quiet = Expressions(self.scope, self.report).quiet()
            value = node.value
            if isinstance(value, nodes.Unknown):
                found, unit = self._domain_type(quiet, value)
            else:
                typed = quiet.check(value.low if isinstance(value, nodes.Range) else value)
                found, unit, labels = typed.type, typed.unit, typed.labels
            self._inferring.pop()
        if name not in self.scope.lets:
            self.scope.lets[name] = Let(name, found, unit, node.doc, place(node.name.span), labels)
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

    def _block(self, module: Module, block: nodes.Block) -> None:
        kind = block.kind.text
        if kind not in self.scope.kinds:
            self.report(spoken.unknown_kind(self.scope, block.kind))
            return
        selector = self.scope.selector(kind)
        if block.entry is not None and self.once(module, selector, block.entry, block.entry):
            found = setting(Expressions(self.scope, self.report), block.entry, (KindType(kind),), ("",), kind)
            self.program.settings.setdefault(selector, []).append((module.layer, found))
        self._fields(module, kind, block.fields)

    def _option(self, module: Module, target: nodes.Target) -> None:
        """`emit deepspeed { overlap_comm = false }` is the same as `deepspeed.overlap_comm = false`."""
        name = target.name.text
        if name in self.scope.targets and name in self.scope.kinds:
            self._fields(module, name, target.options)
        elif name in self.scope.targets:
            for node in target.options:
                self.report(names.unknown_field(node.name.span, name, node.name.text, ()))

    def _fields(self, module: Module, kind: str, fields: Sequence[nodes.Field]) -> None:
        check = Expressions(self.scope, self.report, kind)
        for node in fields:
            name = node.name.text
            path = f"{kind}.{name}"
            record = self.scope.fields.get(path)
            if record is None:
                computed = next((q for q in (path, name) if q in self.scope.quantities), None)
                if computed is not None:
                    self.report(names.set_computed(node.name.span, computed, _tail(node.value)))
                else:
                    self.report(spoken.unknown_field(self.scope, node.name.span, kind, name, node.value))
                continue
            if not self.once(module, path, node.name, node.value):
                continue
            declared = self.scope.span(record.place)
            found = setting(check, node.value, record.types, record.units, path, declared)
            self._remark(lint.decimal(node.value, record))
            self._remark(undecided(node.value, record))
            self.program.settings.setdefault(path, []).append((module.layer, found))

    def assign(self, layer: str, s: nodes.Assign, module: Module | None) -> None:
        """`hardware.gpus = 64`, in a plan or (if `module` is None) in a scenario."""
        path = s.target.text
        target = self.target(path)
        if target is None:
            if path in self.scope.quantities:
                self.report(names.set_computed(s.target.span, path, _tail(s.value)))
            else:
                self.no_target(s.target, module is None, s.value)
            return
        if module is not None:
            if path in self._lets:
                self.report(names.defined_twice(s.target.span, path, self._lets[path][0][1].name.span))
                return
            if not self.once(module, path, s.target, s.value):
                return
        check = Expressions(self.scope, self.report, s.target.parts[0] if len(s.target.parts) > 1 else None)
        record = self.scope.fields.get(path)
        declared = self.scope.span(record.place) if record is not None else None
        found = setting(check, s.value, *target, path, declared)
        if record is not None:
            self._remark(lint.decimal(s.value, record))
            self._remark(undecided(s.value, record))
        self.layer(path, layer, found)

    def layer(self, path: str, layer: str, found: Setting) -> None:
        """Inserts a setting at its rank: a scenario or `--set` before all earlier ones."""
        table = self.program.assumptions if path in self.program.assumptions else self.program.settings
        entries = table.setdefault(path, [])
        entries.insert(0 if layer in ("scenario", "--set") else len(entries), (layer, found))

    def target(self, path: str) -> tuple[tuple[Type, ...], tuple[str, ...]] | None:
        """The types and units of a path that has layers: an input, an entry's name, a let or an assumption."""
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

    def no_target(self, at: nodes.Name, varied: bool, value: nodes.Expr | None = None) -> None:
        path = at.text
        kind, _, name = path.partition(".")
        if kind in self.scope.kinds and name:
            self.report(spoken.unknown_field(self.scope, at.span, kind, name, value))
        elif varied:
            known = [*self.program.settings, *self.program.assumptions, *self.scope.fields]
            rule = next((self.scope.span(rule.place) for rule in self.program.rules if rule.name == path), None)
            self.report(names.not_an_input(at.span, path, known, rule))
        else:
            meant = spoken.nothing_to_set(self.scope, at, value) if value is not None else ()
            self.report(names.nothing_to_set(at.span, path, self.scope.names(), meant))

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


def _ends(item: nodes.Expr) -> list[nodes.Expr]:
    """The parts of a domain that determine its type."""
    if isinstance(item, nodes.Call) and item.arguments:
        item = item.arguments[-1]
    if isinstance(item, nodes.Range):
        return [end for end in (item.low, item.high, item.step) if end is not None]
    return [item]


def _tail(node: nodes.Node) -> str:
    text = " ".join(node.span.text.split())
    return text if len(text) <= 30 else "…"
