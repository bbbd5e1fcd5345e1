"""The checked plan: which setting of each input wins, what must hold, what is asked and emitted."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field

from llmplan.check.program import Departure, EmitTarget, Goal, Replacement, Rule, Setting, ShowRow
from llmplan.check.scope import Scope
from llmplan.source import Span


@define
class Program:
    """Everything that a plan says, checked.

    Attributes:
        settings: By path of an input, let or kind: what each layer says, the strongest first.
        assumptions: The same for quantities that the plan assumes.
        rules, goals: In force: the plan's own, then the library's.
        shows, emits, into, into_at: What the report and the files shall hold, where those go, and where that is said.
        front: The two objectives of `pareto`, or none.
        scenarios: By name, what each gives other values; `sweeps` what is swept, with its domain.
        departures: The requirements that are waived, or replaced by others.
        protected: Lets that a final requirement reads, which nothing outside their file may set.
        replaced: Formulas and functions that the plan replaces.
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
    into_at: Span | None = None
    departures: list[Departure] = field(factory=list)
    protected: set[str] = field(factory=set)
    replaced: list[Replacement] = field(factory=list)

    def written(self) -> frozenset[str]:
        """The folders of templates that may be written: those of what is emitted, and those that always are."""
        written = {name: folders.some for name, folders in self.scope.targets.items()}
        always = frozenset[str].intersection(*written.values()) if written else frozenset[str]()
        return always.union(*(written[emit.name] for emit in self.emits))

    @property
    def asks(self) -> bool:
        """True if something of the plan's own is open, required, preferred, shown or emitted."""
        own = any(rule.origin != "library" for rule in self.rules) or any(goal.author for goal in self.goals)
        return own or any(setting.open for _, setting in self.strongest()) or bool(self.shows or self.emits)

    def strongest(self) -> Iterator[tuple[str, Setting]]:
        """The inputs set or assumed: each path with the setting of its strongest layer."""
        for table in (self.settings, self.assumptions):
            for path, layers in table.items():
                if layers:
                    yield path, layers[0][1]

    def winner(self, path: str) -> tuple[str, Setting] | None:
        """The strongest layer that sets an input, let or assumption, if any does."""
        found = self.settings.get(path) or self.assumptions.get(path)
        return found[0] if found else None
