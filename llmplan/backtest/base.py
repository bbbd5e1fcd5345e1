"""One checked plan that many cases share: each is the base with its own inputs, as `--set` would give them.

Input: a plan's text, most often none, and inputs by path. Output: `Values`, which computes names when they are asked
for. Requirements are not looked at unless a `?` has to be solved: a measured run may have violated them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import attrs
from attrs import define, field

from llmplan.check import library
from llmplan.check.checker import PlanCheck
from llmplan.check.expressions import Expressions
from llmplan.check.ir import Ref
from llmplan.check.plan import Program
from llmplan.check.program import Setting
from llmplan.check.settings import setting
from llmplan.diagnostics import Diagnostic
from llmplan.load.modules import load
from llmplan.request import DEFAULT_LIMIT
from llmplan.source import Source
from llmplan.syntax.parse import parse_value
from llmplan.system.build import build
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.reasons import why
from llmplan.uncertainty.bands import Bands
from llmplan.uncertainty.worst_case import solve_certain
from llmplan.units.measure import TEXT, KindType, Type

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
            found = lowering.at(quantity, (float(members.index(member)),))
        else:
            found = lowering.name(name)
        if isinstance(found, Missing):
            raise Refused(f"{name} needs {', '.join(found.needs)}" if found.needs else self._said(name))
        unsolved = lowering.unknowns.settled(found)
        if isinstance(unsolved, Missing):
            raise Refused(f"{name} needs {', '.join(unsolved.needs)}")
        value = lowering.graph.constant(found)
        if value is None or not math.isfinite(value):
            raise Refused(f"{name} is not modelled here: {self._why(name)}")
        return value

    def band(self, name: str) -> tuple[float, float] | None:
        """The ends between which eight of ten measured values of a quantity lie; None if it has no band."""
        return Bands(self.lowering).ends(name)

    def _said(self, name: str) -> str:
        errors = [d.message for d in self.lowering.names.diagnostics if d.severity == "error"]
        return errors[0] if errors else f"{name} has no value"

    def _why(self, name: str) -> str:
        return why(self.lowering, Ref(name))


@define
class Base:
    """A plan without inputs, checked once.

    Attributes:
        program: What every case starts from.
        made: Settings by path and text: cases share most of them.
        last: The case before, of which the next takes over what it does not change.
    """

    program: Program
    made: dict[tuple[str, str], Setting] = field(factory=dict)
    last: Lowering | None = None

    @classmethod
    def of(cls, text: str = "") -> Base:
        """The base of a plan's text, which may assume constants that cases then set.

        Raises:
            Refused: if the text is not a valid plan.
        """
        modules, found = load("-", text, None)
        scope, _, problems = library.load()
        found = [*problems, *found]
        for module in modules:
            scope.sources[module.source.name] = module.source
        program = PlanCheck(scope, {}, found.append).run(modules, None, ())
        _refuse(found)
        return cls(program)

    def knows(self, kind: str, entry: str) -> bool:
        """Whether the catalog has an entry of that name or alias."""
        return self.program.scope.find_entry(kind, entry)[0] is not None

    def solution(self, settings: Mapping[str, str]) -> Values:
        """As `values`; at the solution where the base or a setting leaves an input open.

        Raises:
            Refused: if a setting is not taken, or there is no solution.
        """
        program = self._with(settings)
        return _solved(program) if any(s.open for _, s in program.strongest()) else self._lowered(program)

    def values(self, settings: Mapping[str, str]) -> Values:
        """The base with inputs by path; values as `--set` takes them. What is open stays open.

        Raises:
            Refused: if one of them is not taken.
        """
        return self._lowered(self._with(settings))

    def _with(self, settings: Mapping[str, str]) -> Program:
        base = self.program
        inputs = {path: list(layers) for path, layers in base.settings.items()}
        assumptions = {path: list(layers) for path, layers in base.assumptions.items()}
        for path, text in settings.items():
            table = assumptions if path in assumptions else inputs
            table.setdefault(path, []).insert(0, ("--set", self._setting(path, text)))
        return attrs.evolve(base, settings=inputs, assumptions=assumptions)

    def _lowered(self, program: Program) -> Values:
        if self.last is None or len(self.last.graph) > _NODES:
            self.last = Lowering(program, fixed={})
        else:
            self.last = self.last.again(program, fixed={})
        return Values(self.last)

    def _setting(self, path: str, text: str) -> Setting:
        key = (path, text)
        if key not in self.made:
            self.made[key] = self._make(path, text)
        return self.made[key]

    def _make(self, path: str, text: str) -> Setting:
        scope = self.program.scope
        types: tuple[Type, ...]
        if path in scope.fields:
            types, units = scope.fields[path].types, scope.fields[path].units
        elif path in scope.kinds:
            types, units = (KindType(path),), ("",)
        elif path in self.program.assumptions:
            types, units = (scope.quantities[path].type,), (scope.quantities[path].unit,)
        else:
            raise Refused(f"{path} is not an input")
        quoted = types[0] == TEXT or isinstance(types[0], KindType)
        bare = quoted and not text.lstrip().startswith(('"', "?"))
        source = Source(f"{path} = {text}", f'"{text}"' if bare else text)
        value, found = parse_value(source)
        _refuse(found)
        assert value is not None
        scope.sources[source.name] = source
        made = setting(Expressions(scope, found.append, path.partition(".")[0]), value, types, units, path)
        _refuse(found)
        return made


def _solved(program: Program) -> Values:
    """The values of a plan that leaves inputs open, at its solution."""
    built = build(Lowering(program))
    _refuse(built.diagnostics)
    built, outcome = solve_certain(program, built, DEFAULT_LIMIT, brief=True)
    _refuse(outcome.diagnostics)
    if outcome.status != "solved" or built.system is None:
        raise Refused("infeasible: no value of what is open meets every requirement")
    return Values(built.lowering.again(fixed=built.system.by_path(outcome.point)))


def _refuse(found: Iterable[Diagnostic]) -> None:
    errors = [diagnostic.message for diagnostic in found if diagnostic.severity == "error"]
    if errors:
        raise Refused(errors[0])
