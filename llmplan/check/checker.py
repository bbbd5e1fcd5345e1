"""Checks a plan: declarations, layers of settings, requirements, and what the plan asks for and emits.

Input: the parsed files of a plan and the library's scope. Output: a `Program` and diagnostics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llmplan.check import lint, options, spoken, variations
from llmplan.check.declare import Declarations
from llmplan.check.define import Definitions
from llmplan.check.expressions import Expressions
from llmplan.check.layers import Layers
from llmplan.check.plan import Program
from llmplan.check.program import EmitTarget, Replacement, ShowRow, SourceRef
from llmplan.check.requirements import Requirements
from llmplan.check.scope import Scope, Targets
from llmplan.check.settings import place
from llmplan.diagnostics import Diagnostic, files, names, units
from llmplan.load.files import STATEMENTS
from llmplan.load.modules import Module
from llmplan.syntax import nodes
from llmplan.syntax.statements import Statements
from llmplan.units.measure import REAL


class PlanCheck:
    """Checks the statements of a plan and of the files that it uses."""

    def __init__(self, scope: Scope, targets: Targets, report: Callable[[Diagnostic], None]) -> None:
        self.program = Program(scope)
        self.scope = scope
        scope.targets = targets
        self.report = report
        self.layers = Layers(self.program, report)

    def run(self, modules: Sequence[Module], scenario: str | None, settings: Sequence[tuple[str, str]]) -> Program:
        """The program of a plan (`modules`, strongest first) under a scenario and `--set` values."""
        groups = [Statements.of(module.tree.statements) for module in modules]
        self.program.replaced += self._replaced(groups)
        # Weakest first, so that a replacement in a stronger file comes after what it replaces.
        declared = [(Declarations(self.scope, self.report), module) for module in reversed(modules)]
        for declarations, module in declared:
            declarations.declare(module.tree.statements)
        self.layers.lets(modules)
        for declarations, module in declared:
            self._definitions(module).define(module.tree.statements, declarations.alternatives)
        self.layers.settings(modules)
        self._emits()
        self.program.rates += [s.name.text for group in groups for s in group.units if self._is_rate(s)]
        requirements = Requirements(self.layers, modules, self.report)
        requirements.settle()
        self._goals(modules)
        for show in (show for group in groups for show in group.shows):
            self._show(show)
        variations.measured(self.layers, modules)
        variations.scenarios(self.layers, modules, scenario)
        for path, text in settings:
            variations.set_value(self.layers, path, text)
        variations.sweeps(self.layers, modules)
        requirements.guard()
        for found in (*lint.unread(groups[0], self.scope.read), *lint.uncited(groups)):
            self.report(found)
        for found in options.remarks(self.program, modules[0].source):
            self.report(found)
        # The `##` lines above the first statement describe the plan.
        beside = modules[0].source.name == STATEMENTS and len(modules) > 1
        titled = modules[1 if beside else 0].tree.statements
        self.program.title = titled[0].doc if titled else ""
        return self.program

    def _replaced(self, groups: Sequence[Statements]) -> list[Replacement]:
        """The formulas and functions that the plan replaces, before it declares anything; of several files the
        strongest counts."""
        replacements: list[Replacement] = []
        for group in groups:
            stronger = {(one.quantity, one.name) for one in replacements}
            for s in group.replacing():
                name, quantity = s.name.text, isinstance(s, nodes.Quantity)
                value = s.value if isinstance(s, nodes.Quantity) else s.body.value
                if (quantity, name) not in stronger:
                    places = place(s.name.span), place(value.span)
                    replacements.append(Replacement(name, quantity, *places, self._of_the_library(name, quantity)))
        return replacements

    def _of_the_library(self, name: str, quantity: bool) -> tuple[SourceRef, ...]:
        """Where the library has the formulas of a quantity, or a function."""
        if quantity:
            known = self.scope.quantities.get(name)
            return () if known is None else tuple(formula.formula for formula in known.alternatives)
        function = self.scope.functions.get(name)
        return () if function is None else (function.place,)

    def _definitions(self, module: Module) -> Definitions:
        return Definitions(self.scope, self.report, module.layer)

    def _is_rate(self, s: nodes.UnitDecl) -> bool:
        """Whether a unit of the plan measures a dimension of the library, and does not count things."""
        word = self.scope.units.words.get(s.name.text)
        dims = [name for name, _ in word.measure.dims] if word is not None and s.value is not None else []
        known = [self.scope.sources[self.scope.dimensions[name][0]].library for name in dims]
        return bool(known) and all(known) and not self.scope.units.counts.intersection(dims)

    # Rules, goals, shows

    def _goals(self, modules: Sequence[Module]) -> None:
        """The objectives of the strongest file that has any, then the library's objectives."""
        for module in modules:
            found = Statements.of(module.tree.statements).goals
            definitions = self._definitions(module)
            for s in found:
                if isinstance(s, nodes.Objective):
                    self.program.goals.append(definitions.goal(s))
                elif len(s.values) != 2 or self.program.front:
                    self.report(units.not_here(s.span, "this", "one `pareto` of two objectives"))
                else:
                    self.program.front = [definitions.smallest(value) for value in s.values]
            if found:
                break
        self.program.goals += [*self.program.front, *self.scope.goals]

    def _show(self, s: nodes.Show) -> None:
        check = Expressions(self.scope, self.report)
        typed = check.check(s.value)
        if s.unit is not None:
            check.shown_in(typed, s.unit)
        unit = s.unit.text if s.unit is not None else typed.unit
        row = ShowRow(typed.expr, typed.type or REAL, unit, place(s.value.span), s.unit is not None)
        self.program.shows.append(row)

    # Targets

    def _emits(self) -> None:
        """Checks the emitted targets and their folder."""
        for s in self.layers.emitted:
            for target in s.targets:
                name = target.name
                folders = self.scope.targets.get(name.text)
                if folders is not None:
                    brings = tuple(sorted(folders.always - {name.text}))
                    self.program.emits.append(EmitTarget(name.text, name.span, brings))
                else:
                    meant = spoken.target(self.scope, name.text, bool(target.options))
                    self.report(names.unknown_target(name.span, name.text, self.scope.targets, meant))
            if s.into is not None:
                self._into(s.into)

    def _into(self, text: nodes.Text) -> None:
        if not text.plain:
            self.report(files.not_into(text.span, "", "expected a path as plain text"))
            return
        self.program.into, self.program.into_at = text.plain, text.span
