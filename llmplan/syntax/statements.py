"""The statements of a file, grouped by the pass that handles them.

Input: statements in order. Output: groups of them in the same order. `GROUPS` has every class of statement that the
grammar can produce, which a test compares with the grammar; passes read their groups and never pick statements
themselves, which another test verifies. So no statement can be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field, frozen

from llmplan.syntax import nodes as n

GROUPS: dict[type[n.Statement], str] = {
    n.Language: "versions",
    n.Use: "uses",
    n.Block: "settings",
    n.Assign: "settings",
    n.Assume: "settings",
    n.Let: "lets",
    n.Require: "rules",
    n.Prefer: "rules",
    n.Waive: "waivers",
    n.Objective: "goals",
    n.Pareto: "goals",
    n.Scenario: "scenarios",
    n.Measured: "measured",
    n.Sweep: "sweeps",
    n.Show: "shows",
    n.Emit: "emits",
    n.Entry: "entries",
    n.Amend: "amendments",
    n.AmendEnum: "further_members",
    n.Quantity: "quantities",
    n.Fn: "functions",
    n.Kind: "kinds",
    n.Enum: "enums",
    n.Dimension: "dimensions",
    n.UnitDecl: "units",
}
"""The group of each class; statements that take effect during parsing, such as the version, are in one never read."""


@frozen
class Statements:
    """The groups of statements, each in the order of the file."""

    versions: list[n.Language] = field(factory=list)
    uses: list[n.Use] = field(factory=list)
    settings: list[n.Block | n.Assign | n.Assume] = field(factory=list)
    lets: list[n.Let] = field(factory=list)
    rules: list[n.Require | n.Prefer] = field(factory=list)
    waivers: list[n.Waive] = field(factory=list)
    goals: list[n.Objective | n.Pareto] = field(factory=list)
    scenarios: list[n.Scenario] = field(factory=list)
    measured: list[n.Measured] = field(factory=list)
    sweeps: list[n.Sweep] = field(factory=list)
    shows: list[n.Show] = field(factory=list)
    emits: list[n.Emit] = field(factory=list)
    entries: list[n.Entry] = field(factory=list)
    amendments: list[n.Amend] = field(factory=list)
    further_members: list[n.AmendEnum] = field(factory=list)
    quantities: list[n.Quantity] = field(factory=list)
    functions: list[n.Fn] = field(factory=list)
    kinds: list[n.Kind] = field(factory=list)
    enums: list[n.Enum] = field(factory=list)
    dimensions: list[n.Dimension] = field(factory=list)
    units: list[n.UnitDecl] = field(factory=list)

    @classmethod
    def of(cls, statements: Iterable[n.Statement]) -> Statements:
        """The groups of some statements.

        Raises:
            KeyError: A class of statement is in no group, which a test rules out.
        """
        groups = cls()
        for statement in statements:
            getattr(groups, GROUPS[type(statement)]).append(statement)
        return groups

    def replacing(self) -> list[n.Quantity | n.Fn]:
        """The formulas that replace one of the library, in the order of the file."""
        formulas: list[n.Quantity | n.Fn] = [*self.quantities, *self.functions]
        replaced = [s for s in formulas if s.replace]
        return sorted(replaced, key=lambda s: s.span.start)
