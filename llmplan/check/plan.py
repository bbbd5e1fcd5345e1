"""The checked plan: the winning setting of each input, the requirements, and what is asked for and emitted."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field

from llmplan.check.program import Departure, EmitTarget, Goal, MeasuredRun, Moved, Replacement, Rule, Setting, ShowRow
from llmplan.check.scope import Scope
from llmplan.source import Span


@define
class Program:
    """A checked plan.

    Attributes:
        settings: By path of an input, let or kind: the setting of each layer, strongest first.
        assumptions: The same for quantities that the plan assumes.
        rules, goals: Those in force: the plan's own, then the library's.
        shows, emits, into, into_at: The rows to show, the targets to emit, the output folder, and where the plan names
            it.
        front: The two objectives of `pareto`, or empty.
        scenarios: By name, the settings of each scenario; `sweeps` the swept paths with their domains.
        measured: By name, the runs that were measured; `moved` the quantities that these move, and how.
        departures: The requirements that are waived or replaced.
        protected: What no advice changes: lets that a final requirement reads, which may not be set outside their file,
            and inputs that whoever asks cannot set.
        offered: Sets of changes, each of paths and their values, that advice tries as one.
        replaced: Formulas and functions that the plan replaces.
        rates: Units that the plan states in terms of the library's, such as a currency.
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
    measured: dict[str, MeasuredRun] = field(factory=dict)
    moved: dict[str, Moved] = field(factory=dict)
    shows: list[ShowRow] = field(factory=list)
    emits: list[EmitTarget] = field(factory=list)
    into: str = ""
    into_at: Span | None = None
    departures: list[Departure] = field(factory=list)
    protected: set[str] = field(factory=set)
    offered: tuple[tuple[tuple[str, bool | float | str], ...], ...] = ()
    replaced: list[Replacement] = field(factory=list)
    rates: list[str] = field(factory=list)

    def written(self) -> frozenset[str]:
        """The template folders that may be written: those of the emitted targets, and those that are always written."""
        written = {name: folders.some for name, folders in self.scope.targets.items()}
        always = frozenset[str].intersection(*written.values()) if written else frozenset[str]()
        return always.union(*(written[emit.name] for emit in self.emits))

    @property
    def asks(self) -> bool:
        """True if the plan itself leaves open, requires, prefers, shows or emits something."""
        own = any(rule.origin != "library" for rule in self.rules) or any(goal.author for goal in self.goals)
        return own or any(setting.open for _, setting in self.strongest()) or bool(self.shows or self.emits)

    def strongest(self) -> Iterator[tuple[str, Setting]]:
        """The inputs that are set or assumed: each path with its winning setting."""
        for table in (self.settings, self.assumptions):
            for path, layers in table.items():
                if layers:
                    yield path, layers[0][1]

    def winner(self, path: str) -> tuple[str, Setting] | None:
        """The strongest layer that sets an input, let or assumption, if any does."""
        found = self.settings.get(path) or self.assumptions.get(path)
        return found[0] if found else None
