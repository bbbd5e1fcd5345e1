"""The requirements and preferences in force, and those of the library or other files that a plan departs from.

Input: the files of a plan, strongest first, and the library's rules. Output: the rules of the `Program`, its departures
(rules that are waived, or replaced by another of the same name), and E0210 wherever either would touch a final
requirement, or the lets of its file that it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from llmplan.check.define import Definitions
from llmplan.check.expressions import Expressions
from llmplan.check.ir import Ref, walk
from llmplan.check.layers import Layers
from llmplan.check.program import Departure, Rule, Setting
from llmplan.check.settings import place
from llmplan.diagnostics import Diagnostic, final, names
from llmplan.load.modules import Module
from llmplan.source import Span
from llmplan.syntax import nodes
from llmplan.syntax.statements import Statements


@frozen
class _Stated:
    """A rule, its position among the files (the library is last), whether it was named, and its reason as written."""

    rule: Rule
    file: int
    named: bool = True
    reason: str = ""


class Requirements:
    """Decides which rules are in force in a program."""

    def __init__(self, layers: Layers, modules: Sequence[Module], report: Callable[[Diagnostic], None]) -> None:
        self.layers, self.modules, self.report = layers, modules, report
        self.program, self.scope = layers.program, layers.scope
        self._final: list[_Stated] = []

    def settle(self) -> None:
        """Collects the rules of all files and of the library."""
        stated = list(self._stated())
        own = {one.rule.name for one in stated}
        library = [_Stated(rule, len(self.modules)) for rule in self.scope.rules.values()]
        in_force: dict[str, _Stated] = {}
        for one in (*stated, *library):
            if one.rule.final:
                self._final.append(one)
            stronger = in_force.setdefault(one.rule.name, one)
            if stronger is not one and one.named:
                self._replaced(one, stronger)
        for index, module in enumerate(self.modules):
            for s in Statements.of(module.tree.statements).waivers:
                self._waive(s, index, in_force)
        rules = {name: one.rule for name, one in in_force.items()}
        self.program.rules = [rule for name, rule in rules.items() if name in own]
        self.program.rules += [rule for name, rule in rules.items() if name not in own]

    def _stated(self) -> Iterator[_Stated]:
        for index, module in enumerate(self.modules):
            definitions = Definitions(self.scope, self.report, module.layer)
            for s in Statements.of(module.tree.statements).rules:
                rule = definitions.rule(s)
                if s.name is None or self.layers.once(module, f"require {rule.name}", s.name):
                    reason = s.because.span.text[1:-1] if s.because is not None else ""
                    yield _Stated(rule, index, s.name is not None, reason)

    def _replaced(self, old: _Stated, new: _Stated) -> None:
        if old.rule.final:
            self.report(final.replaced(self.scope.span(new.rule.place), old.rule.name, *self._declared(old)))
            return
        self.program.departures.append(Departure(old.rule, new.rule, new.rule.because, new.rule.place))

    def _waive(self, s: nodes.Waive, index: int, in_force: dict[str, _Stated]) -> None:
        because = Expressions(self.scope, self.report).check(s.because).expr if s.because is not None else None
        for word in s.names:
            one = in_force.get(word.text)
            if one is None:
                waived = any(departure.rule.name == word.text for departure in self.program.departures)
                if not waived:
                    self.report(names.undefined(word.span, "requirement", word.text, in_force))
            elif one.file < index:
                continue  # the requirement of a stronger file wins
            elif one.rule.final and one.file != index:
                self.report(final.waived(word.span, word.text, *self._declared(one)))
            else:
                del in_force[word.text]
                self.program.departures.append(Departure(one.rule, None, because, place(word.span)))

    def guard(self) -> None:
        """E0210 for each let that a final requirement reads from its own file and that a stronger setting overrides."""
        for one in self._final:
            source = one.rule.place[0]
            for name in self._lets(one.rule, source):
                self.program.protected.add(name)
                for setting in self._stronger(name, source):
                    at = self.scope.span(setting.place)
                    self.report(final.set_elsewhere(at, name, one.rule.name, *self._declared(one)))

    def _lets(self, rule: Rule, source: str) -> list[str]:
        """The lets of a file that a rule reads, directly or through other lets of the file."""
        found: list[str] = []
        pending = [rule.condition, *([rule.when] if rule.when is not None else [])]
        while pending:
            for part in walk(pending.pop()):
                if isinstance(part, Ref) and part.name in self.scope.lets and part.name not in found:
                    own = [setting for _, setting in self.program.settings[part.name] if setting.place[0] == source]
                    found += [part.name] if own else []
                    pending += [setting.value for setting in own if setting.value is not None]
        return found

    def _stronger(self, name: str, source: str) -> list[Setting]:
        """The other settings of a let that win over the one in that file."""
        found = [table[name] for table in (*self.program.scenarios.values(), self.program.sweeps) if name in table]
        for layer, setting in self.program.settings[name]:
            if setting.place[0] == source and layer in ("plan", "used"):
                break
            found.append(setting)
        return list({setting.place: setting for setting in found}.values())

    def _declared(self, one: _Stated) -> tuple[Span, str]:
        return self.scope.span(one.rule.place), one.reason
