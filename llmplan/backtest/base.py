"""One checked plan that many cases share: each is the base with its own inputs, as `--set` would give them.

Input: a plan's text, most often none, and inputs by path. Output: `Values`, which computes names when they are asked
for. Requirements are not looked at unless a `?` has to be solved: a measured run may have violated them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from attrs import define, evolve, field

from llmplan.answer.findings import conflict
from llmplan.check import library
from llmplan.check.checker import PlanCheck
from llmplan.check.ir import Ref
from llmplan.check.layers import Layers
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Setting
from llmplan.check.variations import set_value
from llmplan.diagnostics import Diagnostic
from llmplan.load.modules import load
from llmplan.request import DEFAULT_LIMIT
from llmplan.source import Source
from llmplan.system.build import build
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.reasons import why
from llmplan.uncertainty.bands import Bands
from llmplan.uncertainty.worst_case import solve_certain

_NODES = 20_000
"""Cases share a graph until it has so many."""


class Refused(Exception):
    """A setting that the checker does not take; the argument says why."""


@define
class Values:
    """Inputs and quantities of one case, computed when asked for."""

    lowering: Lowering

    def number(self, name: str, member: str = "") -> float:
        """An input or quantity in base units, of one member of its enum where it has an index.

        Raises:
            Refused: if it has no value here.
        """
        lowering = self.lowering
        if member:
            quantity = lowering.scope.quantities[name]
            members = lowering.scope.enums[quantity.indices[0][1]].members
            if member not in members:
                raise Refused(f"{member} is not one of {', '.join(members)}")
            node = lowering.at(quantity, (float(members.index(member)),))
        else:
            node = lowering.name(name)
        node = lowering.unknowns.settled(node)
        if isinstance(node, Missing):
            if not node.needs:
                _refuse(lowering.names.diagnostics)
            raise Refused(f"{name} needs {', '.join(node.needs)}" if node.needs else f"{name} has no value")
        value = lowering.graph.constant(node)
        if value is None or not math.isfinite(value):
            raise Refused(f"{name} is not modelled here: {why(lowering, Ref(name))}")
        return value

    def band(self, name: str) -> tuple[float, float] | None:
        """The ends between which eight of ten measured values of a quantity lie; None if it has no band."""
        return Bands(self.lowering).ends(name)


@define
class Base:
    """A plan without inputs, checked once.

    Attributes:
        program: What every case starts from.
        layers: Checks what cases set.
        checked: Settings by path and text: cases share most of them.
        last: The case before, of which the next takes over what it does not change.
    """

    program: Program
    layers: Layers
    checked: dict[tuple[str, str], Setting] = field(factory=dict)
    last: Lowering | None = None

    @classmethod
    def of(cls, text: str = "") -> Base:
        """The base of a plan's text, which may assume constants that cases then set.

        Raises:
            Refused: if the text is not a valid plan.
        """
        modules, syntax = load("-", text, None)
        scope, _, problems = library.load()
        problems = [*problems, *syntax]
        for module in modules:
            scope.sources[module.source.name] = module.source
        check = PlanCheck(scope, {}, problems.append)
        program = check.run(modules, None, ())
        _refuse(problems)
        return cls(program, check.layers)

    def knows(self, kind: str, entry: str) -> bool:
        """Whether the catalog has an entry of that name or alias."""
        return self.program.scope.find_entry(kind, entry)[0] is not None

    def solution(self, settings: Mapping[str, str], agreed: Mapping[str, str] | None = None) -> Values:
        """As `values`; at the solution where the base or a setting leaves an input open.

        Args:
            agreed: Further settings, which the base and the others may state too, but not otherwise.

        Raises:
            Refused: if a setting is not taken, one of `agreed` is contradicted, or there is no solution.
        """
        program = self._with(settings)
        for path, text in (agreed or {}).items():
            if (stated := program.winner(path)) is None:
                continue
            own = program.scope.span(stated[1].place).text.strip('"')
            if stated[1].value not in (None, self._setting(path, text).value):
                raise Refused(f"{path} is {text}, but the plan says {own}")
        program = self._with({**settings, **(agreed or {})})
        return _solved(program) if any(s.open for _, s in program.strongest()) else self._lowered(program)

    def values(self, settings: Mapping[str, str]) -> Values:
        """The base with inputs by path; values as `--set` takes them. What is open stays open.

        Raises:
            Refused: if one of them is not taken.
        """
        return self._lowered(self._with(settings))

    def _with(self, settings: Mapping[str, str]) -> Program:
        return varied(self.program, "--set", {path: self._setting(path, text) for path, text in settings.items()})

    def _lowered(self, program: Program) -> Values:
        if self.last is None or len(self.last.graph) > _NODES:
            self.last = Lowering(program, fixed={})
        else:
            self.last = self.last.again(program, fixed={})
        return Values(self.last)

    def _setting(self, path: str, text: str) -> Setting:
        if (path, text) not in self.checked:
            problems: list[Diagnostic] = []
            assumptions: dict[str, list[tuple[str, Setting]]] = {name: [] for name in self.program.assumptions}
            self.layers.program = evolve(self.program, settings={}, assumptions=assumptions)
            self.layers.report = problems.append
            set_value(self.layers, path, text)
            _refuse(problems)
            self.checked[path, text] = next(setting for _, setting in self.layers.program.strongest())
        self.program.scope.sources[f"--set {path}"] = Source(f"--set {path}", text)  # of this case
        return self.checked[path, text]


def _solved(program: Program) -> Values:
    """The values of a plan that leaves inputs open, at its solution."""
    built = build(Lowering(program))
    _refuse(built.diagnostics)
    built, outcome = solve_certain(program, built, DEFAULT_LIMIT, brief=True)
    _refuse(outcome.diagnostics)
    if outcome.status != "solved" or built.system is None:
        names = [condition.name for condition in conflict(outcome)]
        raise Refused(f"infeasible: no plan meets {' and '.join(names)}{' together' if len(names) > 1 else ''}")
    return Values(built.lowering.again(fixed=built.system.by_path(outcome.point)))


def _refuse(diagnostics: Iterable[Diagnostic]) -> None:
    """Raises the first error, with the edit that mends it."""
    for diagnostic in diagnostics:
        if diagnostic.severity == "error":
            raise Refused("; ".join((diagnostic.message, *(hint.text for hint in diagnostic.hints if hint.edits))))
